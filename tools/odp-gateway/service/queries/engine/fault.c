/* Faults of a query, in both languages. What the user wrote is shown shortened. */
#include "service/queries/engine/engine_internal.h"
#include "base/utf8.h"
#include "words/queries.h"

enum { SHOWN = 80, SHOWN_SECOND = 1000 }; /* bytes of a value that a fault shows */

/* S, or its beginning and "…"; control characters become spaces. */
static void add_shown(struct odp_buffer *b, struct odp_slice s, size_t most)
{
    size_t n = odp_utf8_valid((struct odp_slice){s.ptr, s.len < most ? s.len : most});
    for (size_t i = 0; i < n; i++)
        odp_buffer_add_char(b, (unsigned char)s.ptr[i] < ' ' || s.ptr[i] == 0x7f ? ' ' : s.ptr[i]);
    odp_buffer_add_str(b, n < s.len ? "…" : "");
}

static const char *expand(struct odp_query *q, const char *text, struct query_shown shown)
{
    struct odp_buffer b = {0};
    for (const char *p = text; *p != '\0'; p++) {
        if (p[0] == '{' && (p[1] == '0' || p[1] == '1') && p[2] == '}') {
            add_shown(&b, shown.in[p[1] - '0'], p[1] == '0' ? SHOWN : SHOWN_SECOND);
            p += 2;
        } else {
            odp_buffer_add_char(&b, *p);
        }
    }
    return odp_buffer_keep(&b, q->arena);
}

enum odp_status query_fault(struct odp_query *q, enum odp_query_problem p, const char *parameter,
                            const char *id, const char *en, struct query_shown shown)
{
    q->fault = (struct odp_query_fault){.problem = p, .parameter = parameter};
    q->fault.detail.in[ODP_LANG_ID] = expand(q, id, shown);
    q->fault.detail.in[ODP_LANG_EN] = expand(q, en, shown);
    return ODP_BAD;
}

void query_fault_at(struct odp_query *q, struct odp_slice value, struct odp_slice item)
{
    size_t at = (uintptr_t)item.ptr - (uintptr_t)value.ptr;
    if (item.len == 0 || at > value.len || item.len > value.len - at)
        return;
    q->fault.position = (uint32_t)odp_utf8_count((struct odp_slice){value.ptr, at}) + 1;
    q->fault.length = (uint32_t)odp_utf8_count(item);
}

/* What a query may narrow itself down by: "kode_kabkota, tingkat, …", and bbox and q where there is something
 * to ask them of. */
enum odp_status query_fault_expensive(struct odp_query *q, const char *id, const char *en)
{
    enum { COLUMNS = 12 };
    const struct odp_search_info *info = q->info;
    struct odp_buffer b = {0};
    bool words = false;
    uint32_t n = 0;
    for (uint32_t k = 0; k < info->ncolumns; k++) {
        words = words || info->columns[k].text;
        if (info->columns[k].indexed && n < COLUMNS)
            odp_buffer_printf(&b, "%s%s", n++ > 0 ? ", " : "", info->columns[k].name);
    }
    odp_buffer_add_str(&b, n == 0 ? "-" : "");
    const char *columns = odp_buffer_keep(&b, q->arena);
    const char *others =
        odp_arena_printf(q->arena, "%s%s", info->has_geometry ? ", bbox" : "", words ? ", q" : "");
    const char *const advice[] = {W_queries_narrow_down_by_condition};
    return query_fault(q, ODP_QUERY_TOO_EXPENSIVE, NULL,
                       odp_arena_printf(q->arena, "%s %s", id, advice[ODP_LANG_ID]),
                       odp_arena_printf(q->arena, "%s %s", en, advice[ODP_LANG_EN]),
                       QUERY_SHOWN(odp_slice_of(columns), odp_slice_of(others)));
}
