/* Reads the records of a published resource back from its API pages.
 *
 * Pages are checked against the manifest and as JSON, then scanned as text: a JSON library would turn numbers into doubles, and
 * the point is to have every literal as it was published. The scanner can therefore rely on well-formed JSON. */
#include "published/stage.h"

#include <stdlib.h>

#include "base/json.h"
#include "base/json_load.h"
#include "base/utf8.h"
#include "site/versions/release.h"

struct page {
    const struct odp_resource *resource;
    struct odp_arena *arena; /* of this page: unescaped strings */
    struct odp_slice *text;  /* of the record at hand */
    void *ctx;
    enum odp_status (*record)(void *ctx, const struct odp_slice *text);
    const char *p, *end;
};

static void skip_space(struct page *s)
{
    while (s->p < s->end && (*s->p == ' ' || *s->p == '\n' || *s->p == '\r' || *s->p == '\t'))
        s->p++;
}

/* True, and passed, if C is next. */
static bool take(struct page *s, char c)
{
    skip_space(s);
    if (s->p == s->end || *s->p != c)
        return false;
    s->p++;
    return true;
}

/* What stands between the quotes of the string at hand. */
static struct odp_slice take_string(struct page *s)
{
    struct odp_slice raw = {++s->p, 0};
    while (s->p < s->end && *s->p != '"')
        s->p += *s->p == '\\' && s->end - s->p > 1 ? 2 : 1;
    raw.len = (size_t)(s->p - raw.ptr);
    if (s->p < s->end)
        s->p++;
    return raw;
}

/* The text of the value at hand, with quotes and brackets. */
static struct odp_slice take_value(struct page *s)
{
    skip_space(s);
    struct odp_slice value = {s->p, 0};
    size_t depth = 0;
    while (s->p < s->end) {
        char c = *s->p;
        if (depth == 0 && s->p != value.ptr &&
            (c == ',' || c == '}' || c == ']' || c == ' ' || c == '\n' || c == '\r' || c == '\t'))
            break;
        if (c == '"')
            (void)take_string(s);
        else
            s->p++;
        depth += c == '{' || c == '[';
        depth -= c == '}' || c == ']';
        if (depth == 0 && (c == '"' || c == '}' || c == ']'))
            break;
    }
    value.len = (size_t)(s->p - value.ptr);
    return value;
}

static uint32_t hex4(const char *p)
{
    uint32_t v = 0;
    for (int i = 0; i < 4; i++) {
        char c = p[i];
        v = v * 16 + (uint32_t)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return v;
}

/* One escape at RAW (behind the backslash) to W; returns how many bytes of RAW it took. */
static size_t unescape_one(const char *raw, size_t left, char **w)
{
    static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
    const char *known = strchr(from, raw[0]);
    if (raw[0] != 'u' || left < 5) {
        *(*w)++ = known != NULL && raw[0] != '\0' ? to[known - from] : raw[0];
        return 1;
    }
    uint32_t cp = hex4(raw + 1);
    size_t used = 5;
    if (cp >= 0xD800 && cp < 0xDC00 && left >= 11 && raw[5] == '\\' && raw[6] == 'u') {
        cp = 0x10000 + ((cp - 0xD800) << 10) + (hex4(raw + 7) - 0xDC00);
        used = 11;
    }
    *w += odp_utf8_encode(cp, *w);
    return used;
}

/* RAW without escapes; in the page's arena where there are any. ptr NULL: no memory. */
static struct odp_slice unescape(struct page *s, struct odp_slice raw)
{
    if (raw.len == 0)
        return ODP_LIT("");
    if (memchr(raw.ptr, '\\', raw.len) == NULL)
        return raw;
    char *out = odp_arena_alloc(s->arena, raw.len), *w = out;
    for (size_t i = 0; out != NULL && i < raw.len;) {
        if (raw.ptr[i] != '\\' || i + 1 == raw.len)
            *w++ = raw.ptr[i++];
        else
            i += 1 + unescape_one(raw.ptr + i + 1, raw.len - i - 1, &w);
    }
    return (struct odp_slice){out, (size_t)(w - out)};
}

/* HINT: the field after the one before, which it nearly always is. */
static int find_field(const struct odp_schema *schema, struct odp_slice name, uint32_t hint)
{
    if (hint < schema->n && odp_slice_is(name, schema->fields[hint].name))
        return (int)hint;
    return odp_schema_find(schema, name);
}

static enum odp_status scan_record(struct page *s)
{
    const struct odp_schema *schema = &s->resource->schema;
    uint32_t hint = 0;
    for (uint32_t k = 0; k < schema->n; k++)
        s->text[k] = (struct odp_slice){NULL, 0};
    if (!take(s, '{'))
        return ODP_BAD;
    while (!take(s, '}')) {
        (void)take(s, ',');
        skip_space(s);
        if (s->p == s->end || *s->p != '"')
            return ODP_BAD;
        struct odp_slice name = unescape(s, take_string(s));
        if (!take(s, ':'))
            return ODP_BAD;
        struct odp_slice value = take_value(s);
        int k = name.ptr != NULL ? find_field(schema, name, hint) : -1;
        if (name.ptr == NULL)
            return ODP_FAIL;
        if (k < 0 || !schema->fields[k].is_public || odp_slice_is(value, "null"))
            continue;
        hint = (uint32_t)k + 1;
        bool string = value.len >= 2 && value.ptr[0] == '"';
        s->text[k] = string ? unescape(s, (struct odp_slice){value.ptr + 1, value.len - 2}) : value;
        if (s->text[k].ptr == NULL)
            return ODP_FAIL;
    }
    return s->record(s->ctx, s->text);
}

static enum odp_status scan_data(struct page *s, struct odp_slice data)
{
    s->p = data.ptr;
    s->end = data.ptr + data.len;
    if (!take(s, '['))
        return ODP_BAD;
    while (!take(s, ']')) {
        (void)take(s, ',');
        if (s->p == s->end)
            return ODP_BAD;
        enum odp_status status = scan_record(s);
        if (status != ODP_OK)
            return status;
    }
    return ODP_OK;
}

/* Members data and meta of the envelope in TEXT. */
static bool find_parts(struct page *s, struct odp_slice text, struct odp_slice *data, struct odp_slice *meta)
{
    char first = 0;
    *data = *meta = (struct odp_slice){NULL, 0};
    if (!odp_json_valid(text, &first) || first != '{')
        return false;
    s->p = text.ptr;
    s->end = text.ptr + text.len;
    (void)take(s, '{');
    while (!take(s, '}') && s->p < s->end) {
        (void)take(s, ',');
        skip_space(s);
        struct odp_slice name = take_string(s);
        (void)take(s, ':');
        struct odp_slice value = take_value(s);
        if (odp_slice_is(name, "data"))
            *data = value;
        else if (odp_slice_is(name, "meta"))
            *meta = value;
    }
    return data->ptr != NULL && meta->ptr != NULL;
}

/* One page; VERSION (in A) and PAGES as its meta says. */
static enum odp_status read_page(const struct odp_site *site, const struct odp_site_file *f, struct page *s,
                                 struct odp_diags *diags, struct odp_arena *a, const char **version, uint64_t *pages)
{
    struct odp_buffer text;
    struct odp_slice data, meta;
    odp_buffer_init(&text);
    enum odp_status status = odp_site_read(site, f, &text, diags);
    if (status == ODP_OK) {
        json_t *doc = find_parts(s, odp_buffer_slice(&text), &data, &meta) ? odp_json_load(meta.ptr, meta.len, 0, NULL) : NULL;
        const char *name = json_string_value(json_object_get(doc, "version"));
        json_int_t n = json_integer_value(json_object_get(doc, "pages"));
        *version = name != NULL ? odp_arena_str(a, name) : NULL;
        *pages = n > 0 ? (uint64_t)n : 0;
        json_decref(doc);
        status = name == NULL || n < 1 ? ODP_BAD : *version == NULL ? ODP_FAIL : scan_data(s, data);
        if (status == ODP_BAD)
            status = odp_site_complain(diags, odp_site_shown(site), f->path, "{\"data\":[{}],\"meta\":{}}");
    }
    odp_buffer_release(&text);
    return status;
}

enum odp_status odp_site_records(const struct odp_site *site, const struct odp_resource *r, struct odp_diags *diags, void *ctx,
                                 enum odp_status (*record)(void *ctx, const struct odp_slice *text))
{
    struct odp_arena arena, page_arena;
    const char *version = NULL, *path;
    uint64_t pages = 1, ignored;
    odp_arena_init(&arena);
    odp_arena_init(&page_arena);
    struct page s = {.resource = r,
                     .arena = &page_arena,
                     .ctx = ctx,
                     .record = record,
                     .text = odp_arena_zero(&arena, (size_t)r->schema.n + 1, sizeof *s.text)};
    enum odp_status status = s.text != NULL ? ODP_OK : ODP_FAIL;
    for (uint64_t n = 1; n <= pages && status == ODP_OK; n++) {
        path = n == 1 ? odp_emit_api_path(r, &arena) : odp_emit_page_path(r, version, n, &arena);
        const struct odp_site_file *f = path != NULL ? odp_site_find(site, path) : NULL;
        if (path == NULL)
            status = ODP_FAIL;
        else if (f == NULL && n == 1)
            break;
        else if (f == NULL)
            status = odp_site_complain(diags, odp_site_shown(site), path, "manifest.json");
        else
            status = read_page(site, f, &s, diags, &arena, &version, n == 1 ? &pages : &ignored);
        odp_arena_reset(&page_arena);
    }
    bool absent = status == ODP_OK && version == NULL;
    odp_arena_release(&page_arena);
    odp_arena_release(&arena);
    return absent || status == ODP_FAIL || status == ODP_BAD ? (absent ? ODP_DONE : status)
                                                             : ODP_OK; /* DONE: the callee had enough */
}
