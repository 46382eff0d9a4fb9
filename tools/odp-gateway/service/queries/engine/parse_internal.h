/* Inside of service/queries/engine: the parser of parameters. parse.c collects them from the address and
 * the body, each parse_*.c understands some, parse_normal.c writes down what was understood. */
#ifndef ODP_SERVICE_QUERIES_ENGINE_PARSE_INTERNAL_H
#define ODP_SERVICE_QUERIES_ENGINE_PARSE_INTERNAL_H

#include "service/queries/engine/query_internal.h"

/* In the order of documents (tools/odp-build/site/api describes them). */
enum query_parameter {
    QUERY_P_FILTER,
    QUERY_P_FILTER_LANG,
    QUERY_P_FILTER_CRS,
    QUERY_P_Q,
    QUERY_P_BBOX,
    QUERY_P_BBOX_CRS,
    QUERY_P_DATETIME,
    QUERY_P_PROPERTIES,
    QUERY_P_SKIP_GEOMETRY,
    QUERY_P_CRS,
    QUERY_P_SORTBY,
    QUERY_P_LIMIT,
    QUERY_P_OFFSET,
    QUERY_P_CURSOR,
    QUERY_P_FACETS,
    QUERY_P_AGGREGATE,
    QUERY_P_GROUPBY,
    QUERY_P_VIEW,
    QUERY_P_F,
    QUERY_P_COUNT
};
/* parameter.c */
const char *query_parameter_name(enum query_parameter p); /* "filter-lang" */
int query_parameter_find(struct odp_slice name);          /* enum query_parameter, or -1 */
bool query_parameter_allowed(const struct odp_query *q, int parameter);

enum query_pair_kind { QUERY_PAIR_OTHER, QUERY_PAIR_CONDITION, QUERY_PAIR_ORDER };
struct query_pair {
    const char *name;
    struct odp_slice value;
    enum query_pair_kind kind;
};

struct query_parsing {
    struct odp_query *q;
    struct odp_query_fault *fault;
    struct odp_slice given[QUERY_P_COUNT]; /* ptr NULL: absent */
    const json_t *filter;                  /* CQL2 JSON of the body; NULL: none */
    struct odp_slice *equal;               /* by column; ptr NULL: absent */
    const json_t **listed;                 /* by column: an array of the body; NULL: none */
    struct query_pair *pairs;              /* of the normal form */
    uint32_t npairs;
};

/* A fault of parameter P at LEN bytes at AT of VALUE, which the user gave as P (LEN 0: the whole). {0},
 * {1} as in query_fault. */
enum odp_status query_fault_in(struct query_parsing *p, enum query_parameter parameter, size_t at, size_t len, const char *id, const char *en,
                               struct odp_slice first, struct odp_slice second) ODP_MUST_USE;
/* The same for a value of the parameter NAME. */
enum odp_status query_fault_at(struct query_parsing *p, enum odp_query_problem problem, const char *name, struct odp_slice value, size_t at, size_t len,
                               const char *id, const char *en, struct odp_slice first, struct odp_slice second) ODP_MUST_USE;

/* parse_column.c. The next part of VALUE between commas, trimmed; *AT is 0 in the beginning. False: no
 * more. ITEM->ptr points into VALUE. */
bool query_next_item(struct odp_slice value, size_t *at, struct odp_slice *item);
/* The column that ITEM (a part of parameter P's value) names. */
enum odp_status query_find_column(struct query_parsing *p, enum query_parameter parameter, struct odp_slice item, uint32_t *column) ODP_MUST_USE;
bool query_is_geometry(const struct odp_query *q, struct odp_slice name);
/* The nearest name to S among parameters (PARAMETERS) and columns; ptr NULL: none is near. */
enum odp_status query_name_nearest(struct odp_query *q, struct odp_slice s, bool parameters, struct odp_slice *out) ODP_MUST_USE;
/* All names of columns, for a fault that has no nearest one to offer. */
enum odp_status query_column_list(struct odp_query *q, struct odp_slice *out) ODP_MUST_USE;
bool query_type_ordered(enum odp_type t); /* it can be sorted, and has a least and a greatest value */
bool query_type_complex(enum odp_type t); /* list, array, object, geopoint, geojson: its values are not compared */

/* NAME=VALUE goes into the normal form; VALUE lives in the arena or is the call's. */
void query_pair_add(struct query_parsing *p, const char *name, struct odp_slice value, enum query_pair_kind kind);
/* TEXT of an arena (ptr NULL: no memory). */
enum odp_status query_pair_text(struct query_parsing *p, enum query_parameter parameter, const char *text, enum query_pair_kind kind) ODP_MUST_USE;

enum odp_status query_parse_filter(struct query_parsing *p) ODP_MUST_USE;    /* parse_filter.c: filter, filter-lang, columns by name */
enum odp_status query_parse_words(struct query_parsing *p) ODP_MUST_USE;     /* parse_words.c: q */
enum odp_status query_parse_bbox(struct query_parsing *p) ODP_MUST_USE;      /* parse_space.c: bbox, *-crs */
enum odp_status query_parse_datetime(struct query_parsing *p) ODP_MUST_USE;  /* parse_time.c */
enum odp_status query_parse_view(struct query_parsing *p) ODP_MUST_USE;      /* parse_view.c: facets, aggregate, groupby, view */
enum odp_status query_parse_page(struct query_parsing *p) ODP_MUST_USE;      /* parse_page.c: properties, sortby, limit, offset */
enum odp_status query_parse_normal(struct query_parsing *p) ODP_MUST_USE;    /* parse_normal.c: q->normal, conditions, order */

#endif
