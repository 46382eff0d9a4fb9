/* CSV text of published values: the same bytes as the CSV download (RFC 4180; null is an unquoted empty
 * field, the empty text is ""). */
#include "service/queries/engine/write_internal.h"

#include "base/decimal.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool must_quote(struct odp_slice s)
{
    if (s.len == 0 || is_blank(s.ptr[0]) || is_blank(s.ptr[s.len - 1]))
        return true;
    return memchr(s.ptr, ',', s.len) != NULL || memchr(s.ptr, '"', s.len) != NULL ||
           memchr(s.ptr, '\n', s.len) != NULL || memchr(s.ptr, '\r', s.len) != NULL;
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

void query_csv_add_value(struct odp_buffer *out, enum odp_type type, struct odp_slice text)
{
    if (odp_type_is_number(type))
        odp_buffer_add_slice(out, text);
    else
        query_csv_add_text(out, text);
}

void query_add_degrees(struct odp_buffer *out, double v)
{
    char digits[40];
    odp_buffer_add(out, digits, odp_decimal_fixed(v, 7, digits));
}

const char *query_free_name(struct odp_query *q, const char *name)
{
    for (int k; name != NULL && (k = odp_search_find(q->info, odp_slice_of(name))) >= 0 &&
                (uint32_t)k < q->info->nfields;)
        name = odp_arena_printf(q->arena, "geometry_%s", name);
    return name;
}
