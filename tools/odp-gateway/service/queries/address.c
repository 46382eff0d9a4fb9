#include "service/queries/address.h"

#include "base/utf8.h"
#include "core/accept.h"
#include "service/http/text.h"

enum { SEGMENTS = 8, KEY_MAX = 4096, DETOURS = 256 };

/* ---- segments --------------------------------------------------------------------------------------------------------------
 */

struct segment {
    struct odp_slice raw, text; /* as it came, decoded */
};
struct path {
    struct segment at[SEGMENTS];
    size_t n;
    bool folder; /* a '/' at its end */
};

static enum odp_status decode(struct odp_slice raw, struct odp_arena *a, struct odp_slice *out)
{
    char *text = odp_arena_alloc(a, raw.len + 1);
    size_t n = 0;
    if (!odp_percent_decode(raw, text, &n))
        return ODP_BAD;
    text[n] = '\0';
    *out = (struct odp_slice){text, n};
    return odp_utf8_valid(*out) == n ? ODP_OK : ODP_BAD;
}

/* What nginx makes of an address before it looks at it: "//" is "/", "." is nothing, ".." takes the one before. */
static enum odp_status split(struct path *p, struct odp_slice raw, struct odp_arena *a)
{
    *p = (struct path){.n = 0};
    size_t dropped = 0;
    for (size_t i = 0; i < raw.len;) {
        const char *slash = memchr(raw.ptr + i, '/', raw.len - i);
        struct odp_slice one = {raw.ptr + i, slash != NULL ? (size_t)(slash - raw.ptr) - i : raw.len - i}, text;
        i += one.len + (slash != NULL);
        p->folder = slash != NULL && i == raw.len;
        if (one.len == 0)
            continue;
        enum odp_status st = decode(one, a, &text);
        if (st != ODP_OK)
            return st;
        bool dots = odp_slice_is(text, ".") || odp_slice_is(text, "..");
        if (dots && ++dropped > DETOURS)
            return ODP_DONE;
        p->folder = p->folder || (dots && i >= raw.len);
        if (odp_slice_is(text, "..") && p->n > 0)
            p->n--;
        else if (!dots && p->n == SEGMENTS)
            return ODP_DONE;
        else if (!dots)
            p->at[p->n++] = (struct segment){one, text};
    }
    return ODP_OK;
}

static bool is(const struct path *p, size_t i, const char *word)
{
    return i < p->n && odp_slice_is(p->at[i].text, word);
}

/* ---- keys ------------------------------------------------------------------------------------------------------------------
 */

/* A segment as it may stand at the beginning of a relative reference (no ':', which would make a scheme of what is before it).
 * PART: of several with ',' between them. */
static void encode_into(struct odp_buffer *out, struct odp_slice text, bool part)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=@";
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (strchr(plain, c) != NULL && !(part && c == ','))
            odp_buffer_add_char(out, (char)c);
        else
            odp_buffer_printf(out, "%%%02X", (unsigned)c);
    }
}

static const char *encode(struct odp_slice text, struct odp_arena *a)
{
    struct odp_buffer b;
    odp_buffer_init(&b);
    encode_into(&b, text, false);
    const char *out = odp_buffer_status(&b) == ODP_OK ? odp_arena_copy(a, (struct odp_slice){b.len > 0 ? b.ptr : "", b.len}).ptr : NULL;
    odp_buffer_release(&b);
    return out;
}

/* The key in the segment RAW of an address, whose parts are divided by ',' as it stands there: OUT->key, and OUT->last, which is RAW again. */
static enum odp_status read_key(struct odp_query_address *out, struct odp_slice raw, struct odp_arena *a)
{
    struct odp_buffer key, last;
    struct odp_slice part;
    odp_buffer_init(&key);
    odp_buffer_init(&last);
    enum odp_status st = raw.len <= KEY_MAX ? ODP_OK : ODP_DONE;
    for (bool more = true, first = true; st == ODP_OK && more; first = false) {
        const char *comma = memchr(raw.ptr, ',', raw.len);
        struct odp_slice one = {raw.ptr, comma != NULL ? (size_t)(comma - raw.ptr) : raw.len};
        more = comma != NULL;
        raw.ptr += one.len + more;
        raw.len -= one.len + more;
        st = decode(one, a, &part);
        if (!first) {
            odp_buffer_add_char(&key, ',');
            odp_buffer_add_char(&last, ',');
        }
        for (size_t i = 0; st == ODP_OK && i < part.len; i++) {
            if (part.ptr[i] == '%' || part.ptr[i] == ',')
                odp_buffer_add_str(&key, part.ptr[i] == '%' ? "%25" : "%2C");
            else
                odp_buffer_add_char(&key, part.ptr[i]);
        }
        if (st == ODP_OK)
            encode_into(&last, part, true);
    }
    if (st == ODP_OK)
        st = odp_buffer_status(&key);
    if (st == ODP_OK)
        st = odp_buffer_status(&last);
    if (st == ODP_OK) {
        out->key = odp_arena_copy(a, (struct odp_slice){key.len > 0 ? key.ptr : "", key.len});
        out->last = odp_arena_copy(a, (struct odp_slice){last.len > 0 ? last.ptr : "", last.len}).ptr; /* ended by a NUL */
        st = out->key.ptr != NULL ? ODP_OK : ODP_FAIL;
    }
    odp_buffer_release(&key);
    odp_buffer_release(&last);
    return st;
}

/* ---- addresses -------------------------------------------------------------------------------------------------------------
 */

static const struct {
    const char *extension;
    enum odp_query_form form;
} extensions[] = {
    {".json", ODP_QUERY_ENVELOPE}, {".geojson", ODP_QUERY_GEOJSON}, {".csv", ODP_QUERY_CSV}, {".html", ODP_QUERY_HTML}};

/* Takes the extension off TEXT. */
static int form_of_name(struct odp_slice *text)
{
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++) {
        size_t n = strlen(extensions[i].extension);
        if (text->len > n && memcmp(text->ptr + text->len - n, extensions[i].extension, n) == 0) {
            text->len -= n;
            return (int)extensions[i].form;
        }
    }
    return -1;
}

/* v1/ogc[/conformance|/api|/collections[/<id>[/queryables|/schema]]]: what the compiler wrote. */
static bool is_document(const struct path *p, struct odp_query_address *out)
{
    static const char *const words[] = {"index", "conformance", "api", "collections"}, *const last[] = {"queryables", "schema"};
    struct odp_slice name = p->at[p->n - 1].text;
    (void)form_of_name(&name);
    if (p->n == 4 && is(p, 2, "collections"))
        out->collection = name;
    if (p->n == 5 && is(p, 2, "collections"))
        out->collection = p->at[3].text;
    bool found = p->n == 2 || out->collection.len > 0;
    for (size_t i = 0; i < 4 && p->n == 3; i++)
        found = found || odp_slice_is(name, words[i]);
    if (p->n == 5)
        found = found && (odp_slice_is(name, last[0]) || odp_slice_is(name, last[1]));
    return found && p->n <= 5;
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
    if (out->key.len > KEY_MAX)
        return ODP_DONE;
    return (out->last = encode(p->at[p->n - 1].text, a)) != NULL ? ODP_OK : ODP_FAIL;
}

/* v1/<slug>[/<resource>], followed by nothing, search or id/<key>. */
static enum odp_status read_dataset(struct odp_query_address *out, const struct path *p, struct odp_arena *a)
{
    size_t rest = 2, end = p->n;
    out->slug = p->at[1].text;
    if (end > 3 && is(p, end - 2, "id")) {
        out->kind = ODP_QUERY_ITEM;
        enum odp_status st = read_key(out, p->at[end - 1].raw, a);
        if (st != ODP_OK)
            return st;
        out->key_text = p->at[end - 1].text;
        end -= 2;
    } else {
        struct odp_slice name = p->at[end - 1].text;
        out->form = form_of_name(&name);
        out->last = encode(name, a);
        if (end == 2)
            out->slug = name;
        else if (odp_slice_is(name, "search"))
            out->search = true, end--;
        else
            out->resource = name;
    }
    if (out->last == NULL)
        return ODP_FAIL;
    if (rest < end && out->resource.len == 0)
        out->resource = p->at[rest].text;
    return end <= 3 ? ODP_OK : ODP_DONE;
}

enum odp_status odp_query_address_read(struct odp_query_address *out, struct odp_slice raw, struct odp_arena *a)
{
    struct path p;
    *out = (struct odp_query_address){.kind = ODP_QUERY_ITEMS,
                                      .form = -1,
                                      .slug = {"", 0},
                                      .resource = {"", 0},
                                      .collection = {"", 0},
                                      .key = {"", 0},
                                      .key_text = {"", 0},
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

/* ---- parameters ------------------------------------------------------------------------------------------------------------
 */

static struct odp_slice next_part(struct odp_slice *query)
{
    const char *amp = memchr(query->ptr, '&', query->len);
    struct odp_slice part = {query->ptr, amp != NULL ? (size_t)(amp - query->ptr) : query->len};
    query->ptr += part.len + (amp != NULL);
    query->len -= part.len + (amp != NULL);
    return part;
}

static void split_part(struct odp_slice part, struct odp_slice *name, struct odp_slice *value)
{
    const char *eq = memchr(part.ptr, '=', part.len);
    *name = (struct odp_slice){part.ptr, eq != NULL ? (size_t)(eq - part.ptr) : part.len};
    *value = eq != NULL ? (struct odp_slice){eq + 1, part.len - name->len - 1} : (struct odp_slice){"", 0};
}

/* '+' is a space here, and nowhere in a path. */
static enum odp_status decode_form(struct odp_slice raw, struct odp_arena *a, struct odp_slice *out,
                                   enum odp_params_fault *fault)
{
    struct odp_slice copy = odp_arena_copy(a, (struct odp_slice){raw.len > 0 ? raw.ptr : "", raw.len});
    if (copy.ptr == NULL)
        return ODP_FAIL;
    char *text = (char *)(uintptr_t)copy.ptr;
    size_t n = 0;
    for (size_t i = 0; i < copy.len; i++)
        text[i] = text[i] == '+' ? ' ' : text[i];
    *fault = ODP_PARAMS_ESCAPE;
    if (!odp_percent_decode(copy, text, &n)) /* never longer than what it is made of */
        return ODP_BAD;
    text[n] = '\0';
    *out = (struct odp_slice){text, n};
    *fault = ODP_PARAMS_UTF8;
    return odp_utf8_valid(*out) == n ? ODP_OK : ODP_BAD;
}

enum odp_status odp_query_params_read(struct odp_query_params *out, struct odp_slice query, struct odp_arena *a)
{
    struct odp_slice name, value;
    *out = (struct odp_query_params){.fault = ODP_PARAMS_LONG, .name = {"", 0}};
    if (query.len > ODP_QUERY_TEXT_MAX)
        return ODP_BAD;
    out->list = odp_arena_array(a, ODP_QUERY_PARAMS_MAX, sizeof *out->list);
    while (query.len > 0) {
        split_part(next_part(&query), &name, &value);
        if (name.len == 0)
            continue;
        struct odp_query_param *p = &out->list[out->n];
        out->fault = ODP_PARAMS_MANY;
        if (out->n == ODP_QUERY_PARAMS_MAX)
            return ODP_BAD;
        enum odp_status st = decode_form(name, a, &p->name, &out->fault);
        if (st == ODP_OK) {
            out->name = p->name;
            st = decode_form(value, a, &p->value, &out->fault);
        }
        if (st != ODP_OK)
            return st;
        out->name = ODP_LIT("");
        out->n++;
    }
    return ODP_OK;
}

size_t odp_query_params_get(struct odp_query_params *p, const char *name, bool take, struct odp_slice *value)
{
    size_t found = 0, kept = 0;
    *value = ODP_LIT("");
    for (size_t i = 0; i < p->n; i++) {
        bool it = odp_slice_is(p->list[i].name, name);
        if (it) {
            *value = p->list[i].value;
            found++;
        }
        if (!it || !take)
            p->list[kept++] = p->list[i];
    }
    p->n = kept;
    return found;
}

static bool is_named(struct odp_slice raw, const char *name, struct odp_arena *a)
{
    struct odp_slice text;
    enum odp_params_fault fault;
    return name != NULL && decode_form(raw, a, &text, &fault) == ODP_OK && odp_slice_is(text, name);
}

char *odp_query_without(struct odp_slice query, const char *name, const char *other, struct odp_arena *a)
{
    char *out = odp_arena_alloc(a, query.len + 1);
    struct odp_slice key, value;
    size_t n = 0;
    while (query.len > 0) {
        struct odp_slice part = next_part(&query);
        split_part(part, &key, &value);
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

/* ---- forms -----------------------------------------------------------------------------------------------------------------
 */

int odp_query_form_of(struct odp_slice word, bool ogc)
{
    static const char *const words[] = {"json", "geojson", "csv", "html"};
    for (int i = 0; i < 4; i++)
        if (odp_slice_is(word, words[i]))
            return i == 0 && ogc ? (int)ODP_QUERY_GEOJSON : (int)extensions[i].form;
    return -1;
}

int odp_query_form_accepted(struct odp_slice accept, bool ogc, bool geojson)
{
    /* In the order in which we like them: what comes first wins among equals. */
    static const struct {
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
    int best = 0, form = -1;
    if (odp_slice_trim(accept).len == 0)
        return ogc ? (int)ODP_QUERY_GEOJSON : (int)ODP_QUERY_ENVELOPE;
    for (size_t i = 0; i < 4; i++) {
        const char *type = ogc ? features[i].type : data[i].type;
        enum odp_query_form one = ogc ? features[i].form : data[i].form;
        if (!ogc && one == ODP_QUERY_GEOJSON && !geojson)
            continue;
        int q = odp_accept_weight(accept, type);
        if (q > best) {
            best = q;
            form = (int)one;
        }
    }
    return form;
}

bool odp_query_etag_matches(struct odp_slice list, const char *etag)
{
    list = odp_slice_trim(list);
    if (odp_slice_is(list, "*"))
        return true;
    size_t n = strlen(etag);
    while (list.len > 0) {
        bool weak = list.len > 2 && list.ptr[0] == 'W' && list.ptr[1] == '/';
        struct odp_slice tag = {list.ptr + (weak ? 2 : 0), list.len - (weak ? 2 : 0)};
        const char *close = tag.len > 1 && tag.ptr[0] == '"' ? memchr(tag.ptr + 1, '"', tag.len - 1) : NULL;
        if (close == NULL)
            return false; /* a list that is none matches nothing */
        size_t len = (size_t)(close - tag.ptr) + 1;
        if (len == n && memcmp(tag.ptr, etag, n) == 0)
            return true;
        list = odp_slice_trim((struct odp_slice){tag.ptr + len, tag.len - len});
        if (list.len > 0 && list.ptr[0] != ',')
            return false;
        while (list.len > 0 && (list.ptr[0] == ',' || list.ptr[0] == ' ' || list.ptr[0] == '\t'))
            list.ptr++, list.len--;
    }
    return false;
}
