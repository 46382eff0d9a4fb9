/* The names of parameters, and where each may be given. */
#include "service/queries/engine/parse_internal.h"

static const char *const names[QUERY_P_COUNT + 1] = {[QUERY_P_FILTER] = "filter",
                                                     [QUERY_P_FILTER_LANG] = "filter-lang",
                                                     [QUERY_P_FILTER_CRS] = "filter-crs",
                                                     [QUERY_P_Q] = "q",
                                                     [QUERY_P_BBOX] = "bbox",
                                                     [QUERY_P_BBOX_CRS] = "bbox-crs",
                                                     [QUERY_P_DATETIME] = "datetime",
                                                     [QUERY_P_PROPERTIES] = "properties",
                                                     [QUERY_P_SKIP_GEOMETRY] = "skipGeometry",
                                                     [QUERY_P_CRS] = "crs",
                                                     [QUERY_P_SORTBY] = "sortby",
                                                     [QUERY_P_LIMIT] = "limit",
                                                     [QUERY_P_OFFSET] = "offset",
                                                     [QUERY_P_CURSOR] = "cursor",
                                                     [QUERY_P_FACETS] = "facets",
                                                     [QUERY_P_AGGREGATE] = "aggregate",
                                                     [QUERY_P_GROUPBY] = "groupby",
                                                     [QUERY_P_VIEW] = "view",
                                                     [QUERY_P_F] = "f"};

const char *query_parameter_name(enum query_parameter p)
{
    return names[p];
}

int query_parameter_find(struct odp_slice name)
{
    for (int i = 0; i < QUERY_P_COUNT; i++)
        if (odp_slice_is(name, names[i]))
            return i;
    return -1;
}

/* Of one record only how it is shown can be said; items of OGC API - Features are features, never counts
 * of them. */
bool query_parameter_allowed(const struct odp_query *q, int parameter)
{
    bool shown = parameter == QUERY_P_F || parameter == QUERY_P_PROPERTIES || parameter == QUERY_P_CRS ||
                 parameter == QUERY_P_SKIP_GEOMETRY;
    bool counts = parameter == QUERY_P_FACETS || parameter == QUERY_P_AGGREGATE ||
                  parameter == QUERY_P_GROUPBY || parameter == QUERY_P_VIEW;
    return (q->call->kind != ODP_QUERY_ITEM || shown) && (!q->call->ogc || !counts);
}
