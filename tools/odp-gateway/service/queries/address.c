#include "service/queries/address.h"

#include "base/line.h"
#include "base/utf8.h"
#include "core/accept.h"
#include "service/http/text.h"

enum { SEGMENTS = 8, KEY_MAX = 4096, DETOURS = 256 };

/* RAW decoded, in A with a terminator. False: a broken escape (*UTF8), or not UTF-8. */
static bool decode(struct odp_slice raw, struct odp_arena *a, struct odp_slice *out, bool *utf8)
{
    char *text = odp_arena_alloc(a, raw.len + 1);
    size_t n = 0;
    *utf8 = true;
    if (!odp_percent_decode(raw, text, &n)) /* never longer than what it is made of */
        return false;
    text[n] = '\0';
    *out = (struct odp_slice){text, n};
    *utf8 = odp_utf8_valid(*out) == n;
    return *utf8;
}

/* ---- segments ---- */

struct segment {
    struct odp_slice raw, text; /* as it came, decoded */
};
struct path {
    struct segment at[SEGMENTS];
    size_t n;
    bool folder; /* a '/' at its end */
};

/* Splits as nginx normalises: "//" is "/", "." is nothing, ".." removes a segment. */
static enum odp_status split(struct path *p, struct odp_slice raw, struct odp_arena *a)
{
    size_t dropped = 0;
    bool utf8;
    *p = (struct path){.n = 0};
    while (raw.len > 0) {
        size_t before = raw.len;
        struct odp_slice one = odp_slice_cut(&raw, '/'), text;
        p->folder = raw.len == 0 && one.len < before;
        if (one.len == 0)
            continue;
        if (!decode(one, a, &text, &utf8))
            return ODP_BAD;
        bool up = odp_slice_is(text, ".."), dots = up || odp_slice_is(text, ".");
        if (dots ? ++dropped > DETOURS : p->n == SEGMENTS)
            return ODP_DONE;
        p->folder = p->folder || (dots && raw.len == 0);
        if (!dots)
            p->at[p->n++] = (struct segment){one, text};
        else if (up && p->n > 0)
            p->n--;
    }
    return ODP_OK;
}

static bool is(const struct path *p, size_t i, const char *word)
{
    return i < p->n && odp_slice_is(p->at[i].text, word);
}

/* A segment fit to begin a relative reference (no ':', which would end a scheme). */
static void encode_into(struct odp_buffer *out, struct odp_slice text, bool commas)
{
    odp_text_percent_but(out, text, commas ? "!$&'()*+;=@," : "!$&'()*+;=@");
}

/* The text of B in A, with a terminator; B is released. */
static enum odp_status copy_text(struct odp_buffer *b, struct odp_arena *a, struct odp_slice *out)
{
    enum odp_status st = odp_buffer_status(b);
    *out = odp_arena_copy(a, (struct odp_slice){odp_buffer_cstr(b), b->len});
    odp_buffer_release(b);
    return st;
}

static enum odp_status encode(struct odp_slice text, struct odp_arena *a, const char **out)
{
    struct odp_buffer b = {0};
    struct odp_slice kept;
    encode_into(&b, text, true);
    enum odp_status st = copy_text(&b, a, &kept);
    *out = kept.ptr;
    return st;
}

/* The key in segment RAW, its parts divided by ',': OUT->key, and OUT->last, which encodes RAW again. */
static enum odp_status read_key(struct odp_query_address *out, struct odp_slice raw, struct odp_arena *a)
{
    struct odp_buffer key = {0}, last = {0};
    struct odp_slice part, text;
    bool utf8, ok = true;
    if (raw.len > KEY_MAX)
        return ODP_DONE;
    for (bool more = true; ok && more;) {
        size_t before = raw.len;
        part = odp_slice_cut(&raw, ',');
        more = part.len < before;
        ok = decode(part, a, &text, &utf8);
        for (size_t i = 0; ok && i < text.len; i++) {
            if (text.ptr[i] == '%' || text.ptr[i] == ',')
                odp_buffer_add_str(&key, text.ptr[i] == '%' ? "%25" : "%2C");
            else
                odp_buffer_add_char(&key, text.ptr[i]);
        }
        encode_into(&last, ok ? text : ODP_LIT(""), false);
        odp_buffer_add_str(&key, more ? "," : "");
        odp_buffer_add_str(&last, more ? "," : "");
    }
    enum odp_status st = copy_text(&key, a, &out->key), st_last = copy_text(&last, a, &text);
    out->last = text.ptr;
    return !ok ? ODP_BAD : st == ODP_OK ? st_last : st;
}

/* ---- addresses ---- */

static const struct {
    const char *extension; /* the word of f= after a dot */
    enum odp_query_form form;
} forms[] = {{".json", ODP_QUERY_ENVELOPE},
             {".geojson", ODP_QUERY_GEOJSON},
             {".csv", ODP_QUERY_CSV},
             {".html", ODP_QUERY_HTML}};
enum { FORMS = ODP_COUNT(forms) };

/* Takes the extension off TEXT. */
static int form_of_name(struct odp_slice *text)
{
    for (size_t i = 0; i < FORMS; i++) {
        size_t n = strlen(forms[i].extension);
        if (text->len > n && memcmp(text->ptr + text->len - n, forms[i].extension, n) == 0) {
            text->len -= n;
            return (int)forms[i].form;
        }
    }
    return -1;
}

/* v1/ogc[/conformance|/functions|/api|/collections[/<id>[/queryables|/schema]]]: what the compiler wrote. */
static bool is_document(const struct path *p, struct odp_query_address *out)
{
    static const char *const pages[] = {"index", "conformance", "functions", "api", "collections"},
                             *const of_collections[] = {"queryables", "schema"};
    struct odp_slice name = p->at[p->n - 1].text;
    (void)form_of_name(&name);
    if (p->n <= 3)
        return p->n == 2 || odp_word_index(name, pages, ODP_COUNT(pages)) >= 0;
    if (p->n > 5 || !is(p, 2, "collections"))
        return false;
    out->collection = p->n == 4 ? name : p->at[3].text;
    return out->collection.len > 0 &&
           (p->n == 4 || odp_word_index(name, of_collections, ODP_COUNT(of_collections)) >= 0);
}

/* v1/ogc/collections/<id>/items[/<fid>]; a Feature's id is decoded once and is the key. */
static enum odp_status read_ogc(struct odp_query_address *out, const struct path *p, struct odp_arena *a)
{
    if (p->n < 5 || p->n > 6 || !is(p, 2, "collections") || !is(p, 4, "items")) {
        out->document = is_document(p, out);
        return ODP_DONE;
    }
    out->ogc = true;
    out->collection = p->at[3].text;
    out->kind = p->n == 6 ? ODP_QUERY_ITEM : ODP_QUERY_ITEMS;
    if (p->n == 6)
        out->key = out->key_text = p->at[5].text; /* an id as GeoJSON has it */
    return out->key.len > KEY_MAX ? ODP_DONE : encode(p->at[p->n - 1].text, a, &out->last);
}

/* v1/<slug>[/<resource>], followed by nothing, search or id/<key>. */
static enum odp_status read_dataset(struct odp_query_address *out, const struct path *p, struct odp_arena *a)
{
    size_t end = p->n;
    enum odp_status st;
    out->slug = p->at[1].text;
    if (end > 3 && is(p, end - 2, "id")) {
        out->kind = ODP_QUERY_ITEM;
        out->key_text = p->at[end - 1].text;
        st = read_key(out, p->at[end - 1].raw, a);
        end -= 2;
    } else {
        struct odp_slice name = p->at[end - 1].text;
        out->form = form_of_name(&name);
        st = encode(name, a, &out->last);
        if (end == 2)
            out->slug = name;
        else if (odp_slice_is(name, "search"))
            out->search = true, end--;
        else
            out->resource = name;
    }
    if (end > 2 && out->resource.len == 0)
        out->resource = p->at[2].text;
    return st == ODP_OK && end > 3 ? ODP_DONE : st;
}

enum odp_status odp_query_address_read(struct odp_query_address *out, struct odp_slice raw,
                                       struct odp_arena *a)
{
    const struct odp_slice none = ODP_LIT("");
    struct path p;
    *out = (struct odp_query_address){.form = -1,
                                      .slug = none,
                                      .resource = none,
                                      .collection = none,
                                      .key = none,
                                      .key_text = none,
                                      .last = ""};
    enum odp_status st = split(&p, raw, a);
    if (st != ODP_OK)
        return st;
    if (is(&p, 0, "api")) {
        memmove(p.at, p.at + 1, (SEGMENTS - 1) * sizeof p.at[0]);
        p.n--;
    }
    if (p.n < 2 || !is(&p, 0, "v1") || (p.folder && !(p.n == 2 && is(&p, 1, "ogc"))))
        return ODP_DONE;
    return is(&p, 1, "ogc") ? read_ogc(out, &p, a) : read_dataset(out, &p, a);
}

/* ---- parameters ---- */

/* '+' is a space here, and nowhere in a path. */
static bool decode_form(struct odp_slice raw, struct odp_arena *a, struct odp_slice *out,
                        enum odp_params_fault *fault)
{
    char *text = odp_arena_alloc(a, raw.len + 1);
    bool utf8;
    for (size_t i = 0; i < raw.len; i++)
        text[i] = raw.ptr[i] == '+' ? ' ' : raw.ptr[i];
    bool ok = decode((struct odp_slice){text, raw.len}, a, out, &utf8);
    *fault = utf8 ? ODP_PARAMS_ESCAPE : ODP_PARAMS_UTF8;
    return ok;
}

enum odp_status odp_query_params_read(struct odp_query_params *out, struct odp_slice query,
                                      struct odp_arena *a)
{
    *out = (struct odp_query_params){.fault = ODP_PARAMS_LONG, .name = ODP_LIT("")};
    if (query.len > ODP_QUERY_TEXT_MAX)
        return ODP_BAD;
    out->list = odp_arena_array(a, ODP_QUERY_PARAMS_MAX, sizeof *out->list);
    while (query.len > 0) {
        struct odp_slice value = odp_slice_cut(&query, '&'), name = odp_slice_cut(&value, '=');
        if (name.len == 0)
            continue;
        struct odp_query_param *p = &out->list[out->n];
        out->fault = ODP_PARAMS_MANY;
        if (out->n == ODP_QUERY_PARAMS_MAX || !decode_form(name, a, &p->name, &out->fault))
            return ODP_BAD;
        if (!decode_form(value, a, &p->value, &out->fault)) {
            out->name = p->name;
            return ODP_BAD;
        }
        out->n++;
    }
    return ODP_OK;
}

size_t odp_query_params_get(struct odp_query_params *p, const char *name, bool take, struct odp_slice *value)
{
    size_t kept = 0, n = p->n;
    *value = ODP_LIT("");
    for (size_t i = 0; i < n; i++) {
        if (!odp_slice_is(p->list[i].name, name))
            p->list[kept++] = p->list[i];
        else
            *value = p->list[i].value;
    }
    if (take)
        p->n = kept;
    return n - kept;
}

static bool is_named(struct odp_slice raw, const char *name, struct odp_arena *a)
{
    struct odp_slice text;
    enum odp_params_fault fault;
    return name != NULL && decode_form(raw, a, &text, &fault) && odp_slice_is(text, name);
}

char *odp_query_without(struct odp_slice query, const char *name, const char *other, struct odp_arena *a)
{
    char *out = odp_arena_alloc(a, query.len + 1);
    size_t n = 0;
    while (query.len > 0) {
        struct odp_slice part = odp_slice_cut(&query, '&'), value = part, key = odp_slice_cut(&value, '=');
        if (key.len == 0 || is_named(key, name, a) || is_named(key, other, a))
            continue;
        if (n > 0)
            out[n++] = '&';
        memcpy(out + n, part.ptr, part.len);
        n += part.len;
    }
    out[n] = '\0';
    return out;
}

/* ---- forms ---- */

int odp_query_form_of(struct odp_slice word, bool ogc)
{
    for (size_t i = 0; i < FORMS; i++)
        if (odp_slice_is(word, forms[i].extension + 1))
            return ogc && forms[i].form == ODP_QUERY_ENVELOPE ? (int)ODP_QUERY_GEOJSON : (int)forms[i].form;
    return -1;
}

int odp_query_form_accepted(struct odp_slice accept, bool ogc, bool geojson)
{
    /* In the order in which we like them: what comes first wins among equals. */
    static const struct choice {
        const char *type;
        enum odp_query_form form;
    } data[] = {{"application/json", ODP_QUERY_ENVELOPE},
                {"application/geo+json", ODP_QUERY_GEOJSON},
                {"text/csv", ODP_QUERY_CSV},
                {"text/html", ODP_QUERY_HTML}},
      features[] = {{"application/geo+json", ODP_QUERY_GEOJSON},
                    {"application/json", ODP_QUERY_GEOJSON},
                    {"text/html", ODP_QUERY_HTML},
                    {"text/csv", ODP_QUERY_CSV}};
    const struct choice *choices = ogc ? features : data;
    int best = 0, form = -1;
    if (odp_slice_trim(accept).len == 0)
        return (int)choices[0].form;
    for (size_t i = 0; i < FORMS; i++) {
        int q = odp_accept_weight(accept, choices[i].type);
        if (q > best && (ogc || geojson || choices[i].form != ODP_QUERY_GEOJSON)) {
            best = q;
            form = (int)choices[i].form;
        }
    }
    return form;
}
