/* The normal form: what was understood, in one spelling, by name, without what is the default anyway. It
 * is a query string itself, so links are made of it; the part of it that says what matches is the key of
 * remembered counts. */
#include <stdlib.h>

#include "service/queries/engine/parse_internal.h"

void query_pair_add(struct query_parsing *p, const char *name, struct odp_slice value,
                    enum query_pair_kind kind)
{
    p->pairs[p->npairs++] = (struct query_pair){name, value, kind};
}

enum odp_status query_pair_text(struct query_parsing *p, enum query_parameter parameter, const char *text,
                                enum query_pair_kind kind)
{
    if (text == NULL)
        return ODP_FAIL;
    query_pair_add(p, query_parameter_name(parameter), odp_slice_of(text), kind);
    return ODP_OK;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct query_pair *)a)->name, ((const struct query_pair *)b)->name);
}

/* Unreserved characters of RFC 3986 and those that mean nothing in a query stay. */
static void add_encoded(struct odp_buffer *b, struct odp_slice s)
{
    static const char digits[] = "0123456789ABCDEF";
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        if ((c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') ||
            (c != '\0' && strchr("-._~,:/()*!@", c) != NULL)) {
            odp_buffer_add_char(b, (char)c);
            continue;
        }
        odp_buffer_add_char(b, '%');
        odp_buffer_add_char(b, digits[c >> 4]);
        odp_buffer_add_char(b, digits[c & 15]);
    }
}

/* The pairs of KIND, or all (KIND < 0). */
static const char *join(const struct query_parsing *p, int kind)
{
    struct odp_buffer b;
    odp_buffer_init(&b);
    for (uint32_t i = 0; i < p->npairs; i++) {
        if (kind >= 0 && (int)p->pairs[i].kind != kind)
            continue;
        odp_buffer_add_str(&b, b.len > 0 ? "&" : "");
        add_encoded(&b, odp_slice_of(p->pairs[i].name));
        odp_buffer_add_char(&b, '=');
        add_encoded(&b, p->pairs[i].value);
    }
    const char *out = odp_buffer_status(&b) == ODP_OK
                          ? odp_arena_copy(p->q->arena, (struct odp_slice){odp_buffer_cstr(&b), b.len}).ptr
                          : NULL;
    odp_buffer_release(&b);
    return out;
}

enum odp_status query_parse_normal(struct query_parsing *p)
{
    if (p->npairs > 0)
        qsort(p->pairs, p->npairs, sizeof *p->pairs, by_name);
    p->q->normal = join(p, -1);
    p->q->conditions = join(p, QUERY_PAIR_CONDITION);
    p->q->order = join(p, QUERY_PAIR_ORDER);
    return p->q->normal != NULL && p->q->conditions != NULL && p->q->order != NULL ? ODP_OK : ODP_FAIL;
}
