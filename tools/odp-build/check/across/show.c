/* The figures that a broken rule names, so that a steward sees both sides. */
#include "base/utf8.h"
#include "check/across/across_internal.h"

enum { VALUE_MAX = 80, TEXT_MAX = 1500 };

/* Large amounts in threes, "1 200 000": the same in both languages, and no amount looks like a telephone
 * number. */
static void add_number(struct odp_buffer *out, struct odp_slice s)
{
    size_t from = s.len > 0 && *s.ptr == '-' ? 1 : 0, end = from;
    while (end < s.len && s.ptr[end] >= '0' && s.ptr[end] <= '9')
        end++;
    bool plain = end - from >= 5 && (end == s.len || s.ptr[end] == '.');
    for (size_t i = 0; i < s.len; i++) {
        if (plain && i > from && i < end && (end - i) % 3 == 0)
            odp_buffer_add_str(out, "\xC2\xA0");
        odp_buffer_add_char(out, s.ptr[i]);
    }
}

static void add_value(struct odp_buffer *out, const struct odp_field *f, struct odp_slice s)
{
    if (s.ptr == NULL) {
        odp_buffer_add_str(out, "—");
    } else if (!f->is_public) {
        odp_buffer_add_str(out, "***");
    } else if (odp_type_is_number(f->type)) {
        add_number(out, s);
    } else {
        const struct odp_slice part = odp_utf8_cut(s, VALUE_MAX);
        odp_buffer_add_slice(out, part);
        odp_buffer_add_str(out, part.len < s.len ? "…" : "");
    }
}

static void add_pair(struct odp_buffer *out, const struct odp_field *f, struct odp_slice s)
{
    odp_buffer_add_str(out, f->name);
    odp_buffer_add_str(out, " = ");
    add_value(out, f, s);
}

/* " [2, 4, 7, …]"; of one line, that is where the report points. */
static void add_lines(struct odp_buffer *out, const struct cross_group *g)
{
    uint64_t n;
    const uint64_t *lines = cross_group_lines(g, &n);
    for (uint64_t i = 0; i < n && i < CROSS_LINES && n > 1; i++)
        odp_buffer_printf(out, "%s%llu", i == 0 ? " [" : ", ", (unsigned long long)lines[i]);
    if (n > 1)
        odp_buffer_add_str(out, n > CROSS_LINES ? ", …]" : "]");
}

void cross_show(struct odp_buffer *out, const struct cross_rule *r, const struct odp_slice *text,
                const struct cross_group *group, const uint32_t *key, uint32_t nkey)
{
    const struct odp_schema *s = &r->rule->scope;
    size_t n, start = out->len;
    const uint32_t *fields = odp_expr_fields(r->expr, &n);
    for (uint32_t k = 0; k < nkey; k++) {
        odp_buffer_add_str(out, k > 0 ? ", " : "");
        add_pair(out, &s->fields[key[k]], text[key[k]]);
    }
    if (group != NULL)
        add_lines(out, group);
    bool first = true;
    for (size_t i = 0; i < n && out->len - start < TEXT_MAX; i++) {
        bool named = fields[i] >= s->n; /* a pair has no value to show */
        for (uint32_t k = 0; k < nkey && !named; k++)
            named = key[k] == fields[i];
        if (named)
            continue;
        odp_buffer_add_str(out, !first ? ", " : nkey > 0 ? ": " : "");
        first = false;
        add_pair(out, &s->fields[fields[i]], text[fields[i]]);
    }
}
