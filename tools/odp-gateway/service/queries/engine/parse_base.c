/* What the parser's steps share: the table of parameters, columns by name, faults, and pairs of the normal
 * form. */
#include "base/utf8.h"
#include "service/queries/engine/engine_internal.h"
#include "words/queries.h"

/* ---- which parameters there are ---- */

/* A single record takes parameters that show; OGC items take none that count. */
enum { SHOWS = 1, COUNTS = 2 };

static const struct {
    const char *name;
    unsigned is;
} parameters[QUERY_P_COUNT] = {[QUERY_P_FILTER] = {"filter", 0},
                               [QUERY_P_FILTER_LANG] = {"filter-lang", 0},
                               [QUERY_P_FILTER_CRS] = {"filter-crs", 0},
                               [QUERY_P_Q] = {"q", 0},
                               [QUERY_P_BBOX] = {"bbox", 0},
                               [QUERY_P_BBOX_CRS] = {"bbox-crs", 0},
                               [QUERY_P_DATETIME] = {"datetime", 0},
                               [QUERY_P_PROPERTIES] = {"properties", SHOWS},
                               [QUERY_P_SKIP_GEOMETRY] = {"skipGeometry", SHOWS},
                               [QUERY_P_LABELS] = {"labels", SHOWS},
                               [QUERY_P_CRS] = {"crs", SHOWS},
                               [QUERY_P_SORTBY] = {"sortby", 0},
                               [QUERY_P_OFFSET] = {"offset", 0},
                               [QUERY_P_CURSOR] = {"cursor", 0},
                               [QUERY_P_LIMIT] = {"limit", 0},
                               [QUERY_P_FACETS] = {"facets", COUNTS},
                               [QUERY_P_AGGREGATE] = {"aggregate", COUNTS},
                               [QUERY_P_GROUPBY] = {"groupby", COUNTS},
                               [QUERY_P_VIEW] = {"view", COUNTS},
                               [QUERY_P_F] = {"f", SHOWS}};

const char *query_parameter_name(enum query_parameter p)
{
    return parameters[p].name;
}

bool query_parameter_allowed(const struct odp_query *q, int p)
{
    return (q->call->kind != ODP_QUERY_ITEM || parameters[p].is & SHOWS) &&
           !(q->call->ogc && parameters[p].is & COUNTS);
}

int query_find_parameter(struct odp_slice name)
{
    for (int i = 0; i < QUERY_P_COUNT; i++)
        if (odp_slice_is(name, parameters[i].name))
            return i;
    return -1;
}

/* ---- faults ---- */

enum odp_status query_fault_in(struct query_parsing *p, enum query_parameter parameter, struct odp_slice item,
                               const char *id, const char *en, struct odp_slice second)
{
    (void)query_fault(p->q, ODP_QUERY_PARAMETER_INVALID, query_parameter_name(parameter), id, en,
                      QUERY_SHOWN(item, second));
    query_fault_at(p->q, p->given[parameter], item);
    return ODP_BAD;
}

enum odp_status query_fault_name(struct query_parsing *p, enum odp_query_problem problem,
                                 struct odp_slice name, const char *id, const char *en,
                                 struct odp_slice second)
{
    enum { MOST = 64 };
    struct odp_slice shown = {
        name.ptr, odp_utf8_valid((struct odp_slice){name.ptr, name.len < MOST ? name.len : MOST})};
    return query_fault(p->q, problem, odp_arena_copy(p->q->arena, shown).ptr, id, en,
                       QUERY_SHOWN(name, second));
}

/* ---- columns that a parameter names, and names of nothing ---- */

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

/* The nearest name to S among columns and (PARAMETERS) parameters; ptr NULL: none is near. */
static struct odp_slice nearest(struct odp_query *q, struct odp_slice s, bool with_parameters)
{
    size_t n = 0;
    struct odp_slice *among =
        odp_arena_array(q->arena, QUERY_P_COUNT + (size_t)q->info->ncolumns, sizeof *among);
    for (int i = 0; with_parameters && i < QUERY_P_COUNT; i++)
        if (query_parameter_allowed(q, i))
            among[n++] = odp_slice_of(parameters[i].name);
    for (uint32_t k = 0; k < q->info->ncolumns && (!with_parameters || q->call->kind == ODP_QUERY_ITEMS); k++)
        among[n++] = odp_slice_of(q->info->columns[k].name);
    int found = odp_meant(s, among, n);
    return found >= 0 ? among[found] : QUERY_NOTHING;
}

/* For a fault that has no nearest name to offer. */
static struct odp_slice all_columns(struct odp_query *q)
{
    enum { MOST = 600 };
    struct odp_buffer b = {0};
    for (uint32_t k = 0; k < q->info->ncolumns && b.len < MOST; k++)
        odp_buffer_printf(&b, "%s%s", k > 0 ? ", " : "", q->info->columns[k].name);
    return odp_slice_of(odp_buffer_keep(&b, q->arena));
}

static bool is_geometry(const struct odp_query *q, struct odp_slice name)
{
    return q->info->geometry_name != NULL && odp_slice_is(name, q->info->geometry_name);
}

enum odp_status query_find_column(struct query_parsing *p, enum query_parameter parameter,
                                  struct odp_slice item, uint32_t *column)
{
    int found = odp_search_find(p->q->info, item);
    *column = found >= 0 ? (uint32_t)found : 0;
    if (item.len == 0)
        return query_fault_in(p, parameter, (struct odp_slice){item.ptr, 1},
                              W_queries_empty_name_names_columns_expected, QUERY_NOTHING);
    if (found >= 0)
        return ODP_OK;
    if (is_geometry(p->q, item))
        return query_fault_in(p, parameter, item, W_queries_geometry_cannot_used_here_name, QUERY_NOTHING);
    struct odp_slice near = nearest(p->q, item, false);
    if (near.ptr != NULL)
        return query_fault_in(p, parameter, item, W_queries_there_no_column_did_you, near);
    return query_fault_in(p, parameter, item, W_queries_there_no_column_columns, all_columns(p->q));
}

enum odp_status query_fault_unknown(struct query_parsing *p, struct odp_slice name)
{
    const enum odp_query_problem problem = ODP_QUERY_PARAMETER_UNKNOWN;
    struct odp_slice near = nearest(p->q, name, true);
    if (is_geometry(p->q, name))
        return query_fault_name(p, problem, name, W_queries_geometry_no_parameter_use_bbox, QUERY_NOTHING);
    if (near.ptr != NULL)
        return query_fault_name(p, problem, name, W_queries_there_no_parameter_did_you, near);
    if (p->q->call->kind == ODP_QUERY_ITEM)
        return query_fault_name(p, problem, name, W_queries_there_no_parameter_single_record, QUERY_NOTHING);
    return query_fault_name(p, problem, name, W_queries_there_no_parameter_nor_column, all_columns(p->q));
}

/* ---- the normal form ---- */

void query_add_pair(struct query_parsing *p, const char *name, enum query_pair_kind kind)
{
    const char *value = odp_arena_copy(p->q->arena, odp_buffer_slice(&p->scratch)).ptr;
    p->pairs[p->npairs++] = (struct query_pair){name, value, kind};
    odp_buffer_clear(&p->scratch);
}
