/* What is wrong with a query, in both languages. What the user wrote is shown shortened. */
#include "base/utf8.h"
#include "service/queries/engine/parse_internal.h"

enum { SHOWN = 80 }; /* bytes of a value that a fault shows */

/* S, or its beginning and "…"; control characters become spaces. */
static void add_shown(struct odp_buffer *b, struct odp_slice s, size_t most)
{
    size_t n = odp_utf8_valid((struct odp_slice){s.ptr, s.len < most ? s.len : most});
    for (size_t i = 0; i < n; i++)
        odp_buffer_add_char(b, (unsigned char)s.ptr[i] < ' ' || s.ptr[i] == 0x7f ? ' ' : s.ptr[i]);
    odp_buffer_add_str(b, n < s.len ? "…" : "");
}

static const char *expand(struct odp_arena *a, const char *text, const struct odp_slice arg[2])
{
    struct odp_buffer b;
    odp_buffer_init(&b);
    for (const char *p = text; *p != '\0'; p++) {
        if (p[0] == '{' && (p[1] == '0' || p[1] == '1') && p[2] == '}') {
            add_shown(&b, arg[p[1] - '0'], p[1] == '0' ? SHOWN : 1000);
            p += 2;
        } else {
            odp_buffer_add_char(&b, *p);
        }
    }
    struct odp_slice out = odp_buffer_status(&b) == ODP_OK ? odp_arena_copy(a, odp_buffer_slice(&b))
                                                           : (struct odp_slice){NULL, 0};
    odp_buffer_release(&b);
    return out.ptr;
}

enum odp_status query_fault(struct odp_query *q, struct odp_query_fault *fault, enum odp_query_problem p,
                            const char *parameter, const char *id, const char *en, struct odp_slice first,
                            struct odp_slice second)
{
    const struct odp_slice arg[2] = {first, second};
    *fault = (struct odp_query_fault){.problem = p, .parameter = parameter};
    fault->detail.in[ODP_LANG_ID] = expand(q->arena, id, arg);
    fault->detail.in[ODP_LANG_EN] = expand(q->arena, en, arg);
    return fault->detail.in[ODP_LANG_ID] != NULL && fault->detail.in[ODP_LANG_EN] != NULL ? ODP_BAD
                                                                                          : ODP_FAIL;
}

enum odp_status query_fault_at(struct query_parsing *p, enum odp_query_problem problem, const char *name,
                               struct odp_slice value, size_t at, size_t len, const char *id, const char *en,
                               struct odp_slice first, struct odp_slice second)
{
    enum odp_status status = query_fault(p->q, p->fault, problem, name, id, en, first, second);
    if (len > 0 && at + len <= value.len) {
        p->fault->position = (uint32_t)odp_utf8_count((struct odp_slice){value.ptr, at}) + 1;
        p->fault->length = (uint32_t)odp_utf8_count((struct odp_slice){value.ptr + at, len});
    }
    return status;
}

enum odp_status query_fault_in(struct query_parsing *p, enum query_parameter parameter, size_t at, size_t len,
                               const char *id, const char *en, struct odp_slice first,
                               struct odp_slice second)
{
    return query_fault_at(p, ODP_QUERY_PARAMETER_INVALID, query_parameter_name(parameter),
                          p->given[parameter], at, len, id, en, first, second);
}
