/* What is asked for other than records: facets=a,b · aggregate=sum(a),count() with groupby=a,b ·
 * view=gantt. One of them at a time. */
#include "service/queries/engine/parse_internal.h"
#include "words/queries.h"

#define NONE ((struct odp_slice){NULL, 0})

enum { FACETS_MAX = 10, GROUPS_MAX = 5, AGGREGATES_MAX = 20 };

/* The names of columns that P's value lists: *OUT, *N. */
static enum odp_status read_columns(struct query_parsing *p, enum query_parameter parameter, uint32_t most,
                                    uint32_t **out, uint32_t *n)
{
    struct odp_slice value = p->given[parameter], item;
    struct odp_buffer normal;
    size_t at = 0;
    enum odp_status status = ODP_OK;
    *out = odp_arena_array(p->q->arena, most, sizeof **out);
    if (*out == NULL)
        return ODP_FAIL;
    odp_buffer_init(&normal);
    while (status == ODP_OK && query_next_item(value, &at, &item)) {
        uint32_t k = 0;
        size_t from = (size_t)(item.ptr - value.ptr);
        status = query_find_column(p, parameter, item, &k);
        if (status != ODP_OK)
            break;
        for (uint32_t i = 0; i < *n && status == ODP_OK; i++)
            if ((*out)[i] == k)
                status =
                    query_fault_in(p, parameter, from, item.len, W_queries_column_named_twice, item, NONE);
        if (status == ODP_OK && query_type_complex(p->q->info->columns[k].type))
            status = query_fault_in(p, parameter, from, item.len, W_queries_values_column_cannot_counted_one,
                                    item, odp_slice_of(odp_type_name(p->q->info->columns[k].type)));
        if (status == ODP_OK && *n == most)
            status = query_fault_in(
                p, parameter, from, item.len,
                parameter == QUERY_P_FACETS ? "lebih dari 10 kolom" : "lebih dari 5 kolom",
                parameter == QUERY_P_FACETS ? "more than 10 columns" : "more than 5 columns", NONE, NONE);
        if (status != ODP_OK)
            break;
        odp_buffer_add_str(&normal, *n > 0 ? "," : "");
        odp_buffer_add_slice(&normal, item);
        (*out)[(*n)++] = k;
    }
    if (status == ODP_OK)
        status = query_pair_text(p, parameter,
                                 odp_buffer_status(&normal) == ODP_OK
                                     ? odp_arena_copy(p->q->arena, odp_buffer_slice(&normal)).ptr
                                     : NULL,
                                 QUERY_PAIR_OTHER);
    odp_buffer_release(&normal);
    return status;
}

/* ---- aggregate ---- */

static const char *const functions[] = {[QUERY_COUNT] = "count",
                                        [QUERY_SUM] = "sum",
                                        [QUERY_AVG] = "avg",
                                        [QUERY_MIN] = "min",
                                        [QUERY_MAX] = "max"};

/* "sum(luas_ha)": *NAME, *ARGUMENT. False: not of that form. */
static bool split_call(struct odp_slice item, struct odp_slice *name, struct odp_slice *argument)
{
    const char *open = item.len > 0 ? memchr(item.ptr, '(', item.len) : NULL;
    if (open == NULL || item.ptr[item.len - 1] != ')')
        return false;
    *name = odp_slice_trim((struct odp_slice){item.ptr, (size_t)(open - item.ptr)});
    *argument = odp_slice_trim((struct odp_slice){open + 1, (size_t)(item.ptr + item.len - 1 - (open + 1))});
    return true;
}

static enum odp_status check_argument(struct query_parsing *p, struct odp_slice argument,
                                      struct query_aggregate *a)
{
    uint32_t k = 0;
    enum odp_status status = query_find_column(p, QUERY_P_AGGREGATE, argument, &k);
    if (status != ODP_OK)
        return status;
    enum odp_type type = p->q->info->columns[k].type;
    size_t from = (size_t)(argument.ptr - p->given[QUERY_P_AGGREGATE].ptr);
    a->column = (int)k;
    if ((a->kind == QUERY_SUM || a->kind == QUERY_AVG) && !odp_type_is_number(type))
        return query_fault_in(p, QUERY_P_AGGREGATE, from, argument.len, W_queries_column_type_sum_avg_expect,
                              argument, odp_slice_of(odp_type_name(type)));
    if (!query_type_ordered(type))
        return query_fault_in(p, QUERY_P_AGGREGATE, from, argument.len, W_queries_values_column_have_no_order,
                              argument, odp_slice_of(odp_type_name(type)));
    return ODP_OK;
}

static enum odp_status read_aggregate(struct query_parsing *p, struct odp_slice item,
                                      struct query_aggregate *a)
{
    struct odp_slice name, argument, value = p->given[QUERY_P_AGGREGATE];
    size_t from = (size_t)(item.ptr - value.ptr);
    int kind = -1;
    bool call = split_call(item, &name, &argument);
    for (int i = 0; call && i < (int)(sizeof functions / sizeof *functions); i++)
        if (odp_slice_is(name, functions[i]))
            kind = i;
    if (kind < 0)
        return query_fault_in(p, QUERY_P_AGGREGATE, from < value.len ? from : 0, item.len,
                              W_queries_not_known_count_sum_column, item, NONE);
    *a = (struct query_aggregate){
        .kind = (enum query_aggregate_kind)kind, .column = -1, .name = functions[kind]};
    if (a->kind == QUERY_COUNT && argument.len > 0)
        return query_fault_in(p, QUERY_P_AGGREGATE, (size_t)(argument.ptr - value.ptr), argument.len,
                              W_queries_count_counts_records_takes_no, NONE, NONE);
    if (a->kind == QUERY_COUNT)
        return ODP_OK;
    enum odp_status status = check_argument(p, argument, a);
    if (status != ODP_OK)
        return status;
    a->name = odp_arena_printf(p->q->arena, "%s_%s", functions[kind], p->q->info->columns[a->column].name);
    return ODP_OK;
}

static enum odp_status add_aggregate(struct query_parsing *p, struct odp_slice item,
                                     struct odp_buffer *normal)
{
    struct odp_query *q = p->q;
    struct query_aggregate *a = &q->aggregates[q->naggregates];
    size_t from = (size_t)(item.ptr - p->given[QUERY_P_AGGREGATE].ptr);
    if (q->naggregates == AGGREGATES_MAX)
        return query_fault_in(p, QUERY_P_AGGREGATE, from, item.len, W_queries_more_than_20_aggregates, NONE,
                              NONE);
    enum odp_status status = read_aggregate(p, item, a);
    if (status != ODP_OK)
        return status;
    for (uint32_t i = 0; i < q->naggregates; i++)
        if (q->aggregates[i].kind == a->kind && q->aggregates[i].column == a->column)
            return query_fault_in(p, QUERY_P_AGGREGATE, from, item.len, W_queries_named_twice, item, NONE);
    odp_buffer_printf(normal, "%s%s(%s)", q->naggregates > 0 ? "," : "", functions[a->kind],
                      a->column >= 0 ? q->info->columns[a->column].name : "");
    q->naggregates++;
    return ODP_OK;
}

/* groupby alone counts. */
static enum odp_status read_aggregates(struct query_parsing *p)
{
    struct odp_query *q = p->q;
    struct odp_slice value = p->given[QUERY_P_AGGREGATE], item;
    struct odp_buffer normal;
    enum odp_status status = ODP_OK;
    size_t at = 0;
    q->view = QUERY_AGGREGATES;
    q->aggregates = odp_arena_zero(q->arena, AGGREGATES_MAX + 1, sizeof *q->aggregates);
    if (p->given[QUERY_P_GROUPBY].ptr != NULL)
        status = read_columns(p, QUERY_P_GROUPBY, GROUPS_MAX, &q->groups, &q->ngroups);
    odp_buffer_init(&normal);
    if (status == ODP_OK && value.ptr == NULL) {
        q->aggregates[q->naggregates++] =
            (struct query_aggregate){.kind = QUERY_COUNT, .column = -1, .name = "count"};
        odp_buffer_add_str(&normal, "count()");
    }
    while (status == ODP_OK && value.ptr != NULL && query_next_item(value, &at, &item))
        status = add_aggregate(p, item, &normal);
    if (status == ODP_OK)
        status = query_pair_text(p, QUERY_P_AGGREGATE,
                                 odp_buffer_status(&normal) == ODP_OK
                                     ? odp_arena_copy(q->arena, odp_buffer_slice(&normal)).ptr
                                     : NULL,
                                 QUERY_PAIR_OTHER);
    odp_buffer_release(&normal);
    return status;
}

/* ---- which of them ---- */

static enum odp_status conflict(struct query_parsing *p, enum query_parameter one, enum query_parameter other)
{
    return query_fault_in(p, one, 0, 0, W_queries_cannot_asked_for_together,
                          odp_slice_of(query_parameter_name(one)), odp_slice_of(query_parameter_name(other)));
}

static enum odp_status read_view(struct query_parsing *p)
{
    struct odp_slice value = p->given[QUERY_P_VIEW];
    if (!odp_slice_is(value, "gantt"))
        return query_fault_in(p, QUERY_P_VIEW, 0, value.len, W_queries_there_no_view_there_gantt, value,
                              NONE);
    if (p->q->info->project < 0)
        return query_fault_in(p, QUERY_P_VIEW, 0, value.len, W_queries_these_data_no_timeline_projects, value,
                              NONE);
    p->q->view = QUERY_GANTT;
    return query_pair_text(p, QUERY_P_VIEW, "gantt", QUERY_PAIR_OTHER);
}

enum odp_status query_parse_view(struct query_parsing *p)
{
    static const enum query_parameter of_records[] = {QUERY_P_PROPERTIES, QUERY_P_SKIP_GEOMETRY,
                                                      QUERY_P_SORTBY,     QUERY_P_OFFSET,
                                                      QUERY_P_CURSOR,     QUERY_P_LIMIT};
    enum query_parameter asked[3];
    size_t n = 0;
    if (p->given[QUERY_P_FACETS].ptr != NULL)
        asked[n++] = QUERY_P_FACETS;
    if (p->given[QUERY_P_AGGREGATE].ptr != NULL || p->given[QUERY_P_GROUPBY].ptr != NULL)
        asked[n++] = p->given[QUERY_P_AGGREGATE].ptr != NULL ? QUERY_P_AGGREGATE : QUERY_P_GROUPBY;
    if (p->given[QUERY_P_VIEW].ptr != NULL)
        asked[n++] = QUERY_P_VIEW;
    if (n == 0)
        return ODP_OK;
    if (n > 1)
        return conflict(p, asked[1], asked[0]);
    size_t without = asked[0] == QUERY_P_VIEW ? 4 : 6; /* a gantt view has pages, of projects */
    for (size_t i = 0; i < without; i++)
        if (p->given[of_records[i]].ptr != NULL)
            return conflict(p, of_records[i], asked[0]);
    if (asked[0] == QUERY_P_VIEW)
        return read_view(p);
    if (asked[0] != QUERY_P_FACETS)
        return read_aggregates(p);
    p->q->view = QUERY_FACETS;
    return read_columns(p, QUERY_P_FACETS, FACETS_MAX, &p->q->facets, &p->q->nfacets);
}
