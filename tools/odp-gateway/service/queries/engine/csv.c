/* CSV text of published values: the same bytes as the CSV download (RFC 4180; null is an unquoted empty field, the empty text
 * is ""). */
#include "service/queries/engine/write_internal.h"

#include "base/json.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool must_quote(struct odp_slice s)
{
    if (s.len == 0 || is_blank(s.ptr[0]) || is_blank(s.ptr[s.len - 1]))
        return true;
    return memchr(s.ptr, ',', s.len) != NULL || memchr(s.ptr, '"', s.len) != NULL || memchr(s.ptr, '\n', s.len) != NULL ||
           memchr(s.ptr, '\r', s.len) != NULL;
}

void query_csv_add_text(struct odp_buffer *out, struct odp_slice text)
{
    if (text.ptr == NULL)
        return;
    if (!must_quote(text)) {
        odp_buffer_add_slice(out, text);
        return;
    }
    odp_buffer_add_char(out, '"');
    for (size_t at = 0; at < text.len;) {
        const char *quote = memchr(text.ptr + at, '"', text.len - at);
        size_t n = quote != NULL ? (size_t)(quote - text.ptr) + 1 - at : text.len - at;
        odp_buffer_add(out, text.ptr + at, n);
        if (quote != NULL)
            odp_buffer_add_char(out, '"');
        at += n;
    }
    odp_buffer_add_char(out, '"');
}

/* A JSON string with escapes: made plain at the end of OUT, from where it is written. */
static void add_escaped(struct odp_buffer *out, struct odp_slice raw)
{
    struct odp_buffer plain;
    size_t len = 0;
    odp_buffer_init(&plain);
    char *w = odp_buffer_reserve(&plain, raw.len);
    if (w == NULL || !odp_json_unescape(raw, w, &len))
        out->failed = true;
    else
        query_csv_add_text(out, (struct odp_slice){w, len});
    odp_buffer_release(&plain);
}

void query_csv_add_cell(struct odp_buffer *out, struct odp_slice cell, enum odp_type type)
{
    if (cell.ptr == NULL)
        return;
    if (odp_type_is_number(type)) {
        odp_buffer_add_slice(out, cell);
        return;
    }
    if (cell.len < 2 || cell.ptr[0] != '"' || odp_type_repr(type) != ODP_REPR_STRING) {
        query_csv_add_text(out, cell);
        return;
    }
    struct odp_slice raw = {cell.ptr + 1, cell.len - 2};
    if (memchr(raw.ptr, '\\', raw.len) != NULL)
        add_escaped(out, raw);
    else
        query_csv_add_text(out, raw);
}

size_t query_degrees(int32_t units, char *out)
{
    char digits[12], *w = out;
    int64_t v = units;
    size_t n = 0;
    if (v < 0) {
        *w++ = '-';
        v = -v;
    }
    for (int64_t rest = v; rest > 0 || n < 8; rest /= 10)
        digits[n++] = (char)('0' + rest % 10);
    while (n > 7)
        *w++ = digits[--n];
    size_t last = 0; /* zeros at the end of the fraction are not written */
    while (last < 7 && digits[last] == '0')
        last++;
    if (last < 7)
        *w++ = '.';
    while (n > last)
        *w++ = digits[--n];
    return (size_t)(w - out);
}

const char *query_free_name(struct odp_query *q, const char *name)
{
    for (int k; name != NULL && (k = odp_search_find(q->info, odp_slice_of(name))) >= 0 && (uint32_t)k < q->info->nfields;)
        name = odp_arena_printf(q->arena, "geometry_%s", name);
    return name;
}
