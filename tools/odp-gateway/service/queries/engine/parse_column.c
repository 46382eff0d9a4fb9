/* Columns that a parameter names, one after the other, and the nearest name to one that does not exist. */
#include "base/utf8.h"
#include "service/queries/engine/parse_internal.h"
#include "words/queries.h"

#define NONE ((struct odp_slice){NULL, 0})

bool query_type_complex(enum odp_type t)
{
    return odp_type_repr(t) == ODP_REPR_JSON;
}

bool query_type_ordered(enum odp_type t)
{
    return !query_type_complex(t) && t != ODP_TYPE_DURATION;
}

bool query_next_item(struct odp_slice value, size_t *at, struct odp_slice *item)
{
    if (*at > value.len)
        return false;
    size_t end = *at;
    while (end < value.len && value.ptr[end] != ',')
        end++;
    *item = odp_slice_trim((struct odp_slice){value.ptr + *at, end - *at});
    *at = end + 1;
    return true;
}

enum odp_status query_name_nearest(struct odp_query *q, struct odp_slice s, bool parameters,
                                   struct odp_slice *out)
{
    size_t n = 0, cap = QUERY_P_COUNT + (size_t)q->info->ncolumns + 1;
    struct odp_slice *among = odp_arena_array(q->arena, cap, sizeof *among);
    *out = NONE;
    for (int i = 0; parameters && i < QUERY_P_COUNT; i++)
        if (query_parameter_allowed(q, i))
            among[n++] = odp_slice_of(query_parameter_name((enum query_parameter)i));
    for (uint32_t k = 0; k < q->info->ncolumns && (!parameters || q->call->kind == ODP_QUERY_ITEMS); k++)
        among[n++] = odp_slice_of(q->info->columns[k].name);
    int found = odp_meant(s, among, n);
    if (found >= 0)
        *out = among[found];
    return ODP_OK;
}

enum odp_status query_column_list(struct odp_query *q, struct odp_slice *out)
{
    struct odp_buffer b;
    odp_buffer_init(&b);
    for (uint32_t k = 0; k < q->info->ncolumns && b.len < 600; k++) {
        odp_buffer_add_str(&b, k > 0 ? ", " : "");
        odp_buffer_add_str(&b, q->info->columns[k].name);
    }
    *out = odp_buffer_status(&b) == ODP_OK ? odp_arena_copy(q->arena, odp_buffer_slice(&b)) : NONE;
    odp_buffer_release(&b);
    return out->ptr != NULL ? ODP_OK : ODP_FAIL;
}

bool query_is_geometry(const struct odp_query *q, struct odp_slice name)
{
    return q->info->geometry_name != NULL && odp_slice_is(name, q->info->geometry_name);
}

enum odp_status query_find_column(struct query_parsing *p, enum query_parameter parameter,
                                  struct odp_slice item, uint32_t *column)
{
    struct odp_slice near, value = p->given[parameter];
    size_t at = (size_t)(item.ptr - value.ptr);
    int found = odp_search_find(p->q->info, item);
    *column = 0;
    if (item.len == 0)
        return query_fault_in(p, parameter, at < value.len ? at : 0, at < value.len ? 1 : 0,
                              W_queries_empty_name_names_columns_expected, NONE, NONE);
    if (found >= 0) {
        *column = (uint32_t)found;
        return ODP_OK;
    }
    if (query_is_geometry(p->q, item))
        return query_fault_in(p, parameter, at, item.len, W_queries_geometry_cannot_used_here_name, item,
                              NONE);
    enum odp_status status = query_name_nearest(p->q, item, false, &near);
    if (status != ODP_OK)
        return status;
    if (near.ptr != NULL)
        return query_fault_in(p, parameter, at, item.len, W_queries_there_no_column_did_you, item, near);
    if ((status = query_column_list(p->q, &near)) != ODP_OK)
        return status;
    return query_fault_in(p, parameter, at, item.len, W_queries_there_no_column_columns, item, near);
}
