/* What is shown: facets=a,b · aggregate=sum(a),count() with groupby=a,b · view=gantt (one of them); or
 * records: properties, skipGeometry, sortby, limit, offset. Of either: labels. */
#include "service/queries/engine/engine_internal.h"
#include "words/queries.h"

enum { FACETS_MAX = 10, GROUPS_MAX = 5, AGGREGATES_MAX = 20, OFFSET_MAX = 100000 };

static const struct odp_search_column *column_of(const struct query_parsing *p, uint32_t k)
{
    return &p->q->info->columns[k];
}

static struct odp_slice type_of(const struct query_parsing *p, uint32_t k)
{
    return odp_slice_of(odp_type_name(column_of(p, k)->type));
}

/* ITEM, the name of another column, after those in SCRATCH. */
static void add_listed(struct query_parsing *p, struct odp_slice item)
{
    odp_buffer_add_str(&p->scratch, p->scratch.len > 0 ? "," : "");
    odp_buffer_add_slice(&p->scratch, item);
}

/* The names of columns that P's value lists: *OUT, *N. */
static enum odp_status read_columns(struct query_parsing *p, enum query_parameter parameter, uint32_t most,
                                    uint32_t **out, uint32_t *n)
{
    struct odp_slice value = p->given[parameter], item;
    *out = odp_arena_array(p->q->arena, most, sizeof **out);
    for (size_t at = 0; query_next_item(value, &at, &item);) {
        uint32_t k;
        enum odp_status status = query_find_column(p, parameter, item, &k);
        if (status != ODP_OK)
            return status;
        for (uint32_t i = 0; i < *n; i++)
            if ((*out)[i] == k)
                return query_fault_in(p, parameter, item, W_queries_column_named_twice, QUERY_NOTHING);
        if (query_type_complex(column_of(p, k)->type))
            return query_fault_in(p, parameter, item, W_queries_values_column_cannot_counted_one,
                                  type_of(p, k));
        if (*n == most && parameter == QUERY_P_FACETS)
            return query_fault_in(p, parameter, item, W_queries_more_than_10_columns, QUERY_NOTHING);
        if (*n == most)
            return query_fault_in(p, parameter, item, W_queries_more_than_5_columns, QUERY_NOTHING);
        add_listed(p, item);
        (*out)[(*n)++] = k;
    }
    query_add_pair(p, query_parameter_name(parameter), QUERY_PAIR_OTHER);
    return ODP_OK;
}

/* ---- aggregate ---- */

static const char *const functions[] = {[QUERY_COUNT] = "count",
                                        [QUERY_SUM] = "sum",
                                        [QUERY_AVG] = "avg",
                                        [QUERY_MIN] = "min",
                                        [QUERY_MAX] = "max"};

/* "sum(luas_ha)": its kind and *ARGUMENT. -1: not of that form. */
static int split_call(struct odp_slice item, struct odp_slice *argument)
{
    const char *open = item.len > 0 ? memchr(item.ptr, '(', item.len) : NULL;
    if (open == NULL || item.ptr[item.len - 1] != ')')
        return -1;
    struct odp_slice name = odp_slice_trim((struct odp_slice){item.ptr, (size_t)(open - item.ptr)});
    *argument = odp_slice_trim((struct odp_slice){open + 1, (size_t)(item.ptr + item.len - 1 - (open + 1))});
    return odp_word_index(name, functions, ODP_COUNT(functions));
}

static enum odp_status check_argument(struct query_parsing *p, struct odp_slice argument,
                                      struct query_aggregate *a)
{
    uint32_t k;
    enum odp_status status = query_find_column(p, QUERY_P_AGGREGATE, argument, &k);
    if (status != ODP_OK)
        return status;
    enum odp_type type = column_of(p, k)->type;
    a->column = (int)k;
    a->name = odp_arena_printf(p->q->arena, "%s_%s", functions[a->kind], column_of(p, k)->name);
    if ((a->kind == QUERY_SUM || a->kind == QUERY_AVG) && !odp_type_is_number(type))
        return query_fault_in(p, QUERY_P_AGGREGATE, argument, W_queries_column_type_sum_avg_expect,
                              type_of(p, k));
    if (!query_type_ordered(type))
        return query_fault_in(p, QUERY_P_AGGREGATE, argument, W_queries_values_column_have_no_order,
                              type_of(p, k));
    return ODP_OK;
}

static enum odp_status add_aggregate(struct query_parsing *p, struct odp_slice item)
{
    struct odp_query *q = p->q;
    struct query_aggregate *a = &q->aggregates[q->naggregates];
    struct odp_slice argument;
    int kind = split_call(item, &argument);
    if (q->naggregates == AGGREGATES_MAX)
        return query_fault_in(p, QUERY_P_AGGREGATE, item, W_queries_more_than_20_aggregates, QUERY_NOTHING);
    if (kind < 0)
        return query_fault_in(p, QUERY_P_AGGREGATE, item, W_queries_not_known_count_sum_column,
                              QUERY_NOTHING);
    *a = (struct query_aggregate){
        .kind = (enum query_aggregate_kind)kind, .column = -1, .name = functions[kind]};
    if (a->kind == QUERY_COUNT && argument.len > 0)
        return query_fault_in(p, QUERY_P_AGGREGATE, argument, W_queries_count_counts_records_takes_no,
                              QUERY_NOTHING);
    enum odp_status status = a->kind == QUERY_COUNT ? ODP_OK : check_argument(p, argument, a);
    if (status != ODP_OK)
        return status;
    for (uint32_t i = 0; i < q->naggregates; i++)
        if (q->aggregates[i].kind == a->kind && q->aggregates[i].column == a->column)
            return query_fault_in(p, QUERY_P_AGGREGATE, item, W_queries_named_twice, QUERY_NOTHING);
    const char *column = a->column >= 0 ? column_of(p, (uint32_t)a->column)->name : "";
    add_listed(p, odp_slice_of(odp_arena_printf(q->arena, "%s(%s)", functions[a->kind], column)));
    q->naggregates++;
    return ODP_OK;
}

/* groupby alone counts. */
static enum odp_status read_aggregates(struct query_parsing *p)
{
    struct odp_query *q = p->q;
    struct odp_slice item, value = p->given[QUERY_P_AGGREGATE];
    enum odp_status status = ODP_OK;
    q->view = QUERY_AGGREGATES;
    q->aggregates = odp_arena_zero(q->arena, AGGREGATES_MAX + 1, sizeof *q->aggregates);
    if (p->given[QUERY_P_GROUPBY].ptr != NULL)
        status = read_columns(p, QUERY_P_GROUPBY, GROUPS_MAX, &q->groups, &q->ngroups);
    if (status == ODP_OK && value.ptr == NULL)
        status = add_aggregate(p, ODP_LIT("count()"));
    for (size_t at = 0; status == ODP_OK && value.ptr != NULL && query_next_item(value, &at, &item);)
        status = add_aggregate(p, item);
    if (status == ODP_OK)
        query_add_pair(p, query_parameter_name(QUERY_P_AGGREGATE), QUERY_PAIR_OTHER);
    return status;
}

/* ---- which view ---- */

static enum odp_status conflict(struct query_parsing *p, enum query_parameter one, enum query_parameter other)
{
    const char *name = query_parameter_name(one);
    return query_fault(p->q, ODP_QUERY_PARAMETER_INVALID, name, W_queries_cannot_asked_for_together,
                       QUERY_SHOWN(odp_slice_of(name), odp_slice_of(query_parameter_name(other))));
}

static enum odp_status read_view(struct query_parsing *p)
{
    struct odp_slice value = p->given[QUERY_P_VIEW];
    if (!odp_slice_is(value, "gantt"))
        return query_fault_in(p, QUERY_P_VIEW, value, W_queries_there_no_view_there_gantt, QUERY_NOTHING);
    if (p->q->info->project < 0)
        return query_fault_in(p, QUERY_P_VIEW, value, W_queries_these_data_no_timeline_projects,
                              QUERY_NOTHING);
    p->q->view = QUERY_GANTT;
    odp_buffer_add_slice(&p->scratch, value);
    query_add_pair(p, query_parameter_name(QUERY_P_VIEW), QUERY_PAIR_OTHER);
    return ODP_OK;
}

enum odp_status query_parse_view(struct query_parsing *p)
{
    static const enum query_parameter of_records[] = {QUERY_P_PROPERTIES, QUERY_P_SKIP_GEOMETRY,
                                                      QUERY_P_SORTBY,     QUERY_P_OFFSET,
                                                      QUERY_P_CURSOR,     QUERY_P_LIMIT};
    enum query_parameter views[3];
    size_t n = 0;
    if (p->given[QUERY_P_FACETS].ptr != NULL)
        views[n++] = QUERY_P_FACETS;
    if (p->given[QUERY_P_AGGREGATE].ptr != NULL || p->given[QUERY_P_GROUPBY].ptr != NULL)
        views[n++] = p->given[QUERY_P_AGGREGATE].ptr != NULL ? QUERY_P_AGGREGATE : QUERY_P_GROUPBY;
    if (p->given[QUERY_P_VIEW].ptr != NULL)
        views[n++] = QUERY_P_VIEW;
    if (n == 0)
        return ODP_OK;
    if (n > 1)
        return conflict(p, views[1], views[0]);
    size_t without = views[0] == QUERY_P_VIEW ? 4 : 6; /* a gantt view has pages, of projects */
    for (size_t i = 0; i < without; i++)
        if (p->given[of_records[i]].ptr != NULL)
            return conflict(p, of_records[i], views[0]);
    if (views[0] == QUERY_P_VIEW)
        return read_view(p);
    if (views[0] != QUERY_P_FACETS)
        return read_aggregates(p);
    p->q->view = QUERY_FACETS;
    return read_columns(p, QUERY_P_FACETS, FACETS_MAX, &p->q->facets, &p->q->nfacets);
}

/* ---- properties ---- */

/* Those named, in the order of the schema, which is that of static pages and downloads. */
static enum odp_status read_properties(struct query_parsing *p)
{
    struct odp_query *q = p->q;
    const uint32_t geometry = q->info->ncolumns; /* its place in NAMED */
    struct odp_slice value = p->given[QUERY_P_PROPERTIES], item;
    bool *named = odp_arena_zero(q->arena, (size_t)geometry + 1, sizeof *named);
    for (size_t at = 0; query_next_item(value, &at, &item);) {
        uint32_t k = geometry;
        bool shape = q->info->has_geometry && odp_slice_is(item, q->info->geometry_name) &&
                     odp_search_find(q->info, item) < 0;
        enum odp_status status = shape ? ODP_OK : query_find_column(p, QUERY_P_PROPERTIES, item, &k);
        if (status != ODP_OK)
            return status;
        if (named[k])
            return query_fault_in(p, QUERY_P_PROPERTIES, item, W_queries_named_twice, QUERY_NOTHING);
        named[k] = true;
    }
    q->nselect = 0;
    for (uint32_t k = 0; k < geometry; k++)
        if (named[k]) {
            add_listed(p, odp_slice_of(column_of(p, k)->name));
            q->select[q->nselect++] = k;
        }
    q->show_geometry = named[geometry];
    if (q->show_geometry)
        add_listed(p, odp_slice_of(q->info->geometry_name));
    query_add_pair(p, query_parameter_name(QUERY_P_PROPERTIES), QUERY_PAIR_OTHER);
    return ODP_OK;
}

/* Whether PARAMETER is true; absent: it is not. */
static enum odp_status read_flag(struct query_parsing *p, enum query_parameter parameter, bool *out)
{
    struct odp_slice value = p->given[parameter];
    *out = odp_slice_is(value, "true");
    if (value.ptr != NULL && !*out && !odp_slice_is(value, "false"))
        return query_fault_in(p, parameter, value, W_queries_not_true_false, QUERY_NOTHING);
    return ODP_OK;
}

static void add_flag(struct query_parsing *p, enum query_parameter parameter)
{
    odp_buffer_add_str(&p->scratch, "true");
    query_add_pair(p, query_parameter_name(parameter), QUERY_PAIR_OTHER);
}

/* Without properties: the record as the static pages have it. */
static enum odp_status read_select(struct query_parsing *p)
{
    struct odp_query *q = p->q;
    bool skip = false;
    q->select = odp_arena_array(q->arena, (size_t)q->info->ncolumns + 1, sizeof *q->select);
    for (q->nselect = 0; q->nselect < q->info->nfields; q->nselect++)
        q->select[q->nselect] = q->nselect;
    q->show_geometry =
        q->info->has_geometry && (q->info->mode != ODP_GEOMETRY_NONE || q->call->form != ODP_QUERY_ENVELOPE);
    enum odp_status status = p->given[QUERY_P_PROPERTIES].ptr != NULL ? read_properties(p) : ODP_OK;
    if (status == ODP_OK)
        status = read_flag(p, QUERY_P_SKIP_GEOMETRY, &skip);
    if (status == ODP_OK && skip && q->show_geometry) {
        q->show_geometry = false;
        add_flag(p, QUERY_P_SKIP_GEOMETRY);
    }
    return status;
}

static enum odp_status read_labels(struct query_parsing *p)
{
    enum odp_status status = read_flag(p, QUERY_P_LABELS, &p->q->names);
    if (status == ODP_OK && p->q->names)
        add_flag(p, QUERY_P_LABELS);
    query_plan_names(p->q);
    return status;
}

/* ---- sortby ---- */

/* "-luas_ha": a sign, then a column. A plus that became a space on its way through an address is one, too. */
static enum odp_status add_sort(struct query_parsing *p, struct odp_slice item)
{
    struct odp_query *q = p->q;
    struct odp_slice name = item;
    bool descending = item.len > 0 && item.ptr[0] == '-';
    uint32_t k;
    if (descending || (item.len > 0 && item.ptr[0] == '+'))
        name = odp_slice_trim((struct odp_slice){item.ptr + 1, item.len - 1});
    enum odp_status status = query_find_column(p, QUERY_P_SORTBY, name, &k);
    if (status != ODP_OK)
        return status;
    if (!query_type_ordered(column_of(p, k)->type))
        return query_fault_in(p, QUERY_P_SORTBY, name, W_queries_values_column_have_no_order, type_of(p, k));
    for (uint32_t i = 0; i < q->nsort; i++)
        if (q->sort[i].column == k)
            return query_fault_in(p, QUERY_P_SORTBY, name, W_queries_column_named_twice, QUERY_NOTHING);
    q->sort[q->nsort++] = (struct query_sort){k, descending};
    add_listed(p, odp_slice_of(descending ? "-" : ""));
    odp_buffer_add_str(&p->scratch, column_of(p, k)->name);
    return ODP_OK;
}

/* What sortby names; the record's number follows: the order of the published file, which alone is that of a
 * query without sortby. */
static enum odp_status read_sort(struct query_parsing *p)
{
    struct odp_slice value = p->given[QUERY_P_SORTBY], item;
    enum odp_status status = ODP_OK;
    p->q->sort = odp_arena_zero(p->q->arena, (size_t)p->q->info->ncolumns + 1, sizeof *p->q->sort);
    for (size_t at = 0; value.ptr != NULL && status == ODP_OK && query_next_item(value, &at, &item);)
        status = add_sort(p, item);
    if (status == ODP_OK && p->q->nsort > 0)
        query_add_pair(p, query_parameter_name(QUERY_P_SORTBY), QUERY_PAIR_ORDER);
    return status;
}

/* ---- limit, offset ---- */

/* A number without sign, at most MOST. False: not one. */
static bool read_number(struct odp_slice s, uint64_t most, uint64_t *out)
{
    bool is = odp_number_read(s, out);
    *out = *out > most ? most : *out;
    return is;
}

static enum odp_status read_limit(struct query_parsing *p)
{
    const struct odp_query_limits *limits = p->q->call->limits;
    struct odp_slice value = p->given[QUERY_P_LIMIT];
    enum odp_query_form form = p->q->call->form;
    const uint32_t usual =
        form == ODP_QUERY_GEOJSON || form == ODP_QUERY_CSV ? limits->page_file : limits->page;
    uint64_t n;
    p->q->limit = usual;
    if (value.ptr == NULL)
        return ODP_OK;
    if (!read_number(value, limits->page_max, &n) || n == 0)
        return query_fault_in(p, QUERY_P_LIMIT, value, W_queries_no_whole_number_from_1, QUERY_NOTHING);
    p->q->limit = (uint32_t)n;
    if (p->q->limit == usual)
        return ODP_OK;
    odp_buffer_add_u64(&p->scratch, n);
    query_add_pair(p, query_parameter_name(QUERY_P_LIMIT), QUERY_PAIR_OTHER);
    return ODP_OK;
}

static enum odp_status read_offset(struct query_parsing *p)
{
    struct odp_slice value = p->given[QUERY_P_OFFSET];
    uint64_t n;
    if (value.ptr == NULL)
        return ODP_OK;
    if (!read_number(value, UINT32_MAX, &n) || n > OFFSET_MAX)
        return query_fault_in(p, QUERY_P_OFFSET, value, W_queries_no_whole_number_from_0, QUERY_NOTHING);
    if (p->given[QUERY_P_CURSOR].ptr != NULL)
        return query_fault_in(p, QUERY_P_OFFSET, QUERY_NOTHING, W_queries_offset_cursor_cannot_used_together,
                              QUERY_NOTHING);
    p->q->offset = (uint32_t)n;
    return ODP_OK;
}

enum odp_status query_parse_page(struct query_parsing *p)
{
    enum odp_status status = read_select(p);
    if (status == ODP_OK)
        status = read_labels(p);
    if (status == ODP_OK)
        status = read_sort(p);
    if (status == ODP_OK)
        status = read_limit(p);
    return status == ODP_OK ? read_offset(p) : status;
}
