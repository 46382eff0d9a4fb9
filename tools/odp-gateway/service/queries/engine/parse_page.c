/* Which part of what matches is shown: properties and skipGeometry, sortby, limit, offset. */
#include "service/queries/engine/parse_internal.h"
#include "words/queries.h"

#define NONE ((struct odp_slice){NULL, 0})

enum { OFFSET_MAX = 100000 };

/* ---- properties ---- */

/* Without properties: the record as the static pages have it. */
static enum odp_status select_all(struct odp_query *q)
{
    q->nselect = q->info->nfields;
    q->select = odp_arena_array(q->arena, (size_t)q->info->ncolumns + 1, sizeof *q->select);
    for (uint32_t k = 0; k < q->nselect; k++)
        q->select[k] = k;
    q->show_geometry =
        q->info->has_geometry && (q->info->mode != ODP_GEOMETRY_NONE || q->call->form != ODP_QUERY_ENVELOPE);
    return ODP_OK;
}

/* Those named, in the order of the schema, which is that of static pages and downloads. */
static enum odp_status read_properties(struct query_parsing *p)
{
    struct odp_query *q = p->q;
    struct odp_slice value = p->given[QUERY_P_PROPERTIES], item;
    const char *geometry = q->info->has_geometry ? q->info->geometry_name : NULL;
    bool *named = odp_arena_zero(q->arena, (size_t)q->info->ncolumns + 1, sizeof *named);
    q->show_geometry = false;
    for (size_t at = 0; query_next_item(value, &at, &item);) {
        uint32_t k = q->info->ncolumns; /* the geometry's place */
        bool is_geometry =
            geometry != NULL && odp_slice_is(item, geometry) && odp_search_find(q->info, item) < 0;
        enum odp_status status = is_geometry ? ODP_OK : query_find_column(p, QUERY_P_PROPERTIES, item, &k);
        if (status != ODP_OK)
            return status;
        if (named[k])
            return query_fault_in(p, QUERY_P_PROPERTIES, (size_t)(item.ptr - value.ptr), item.len,
                                  W_queries_named_twice, item, NONE);
        named[k] = true;
    }
    struct odp_buffer normal;
    odp_buffer_init(&normal);
    q->nselect = 0;
    for (uint32_t k = 0; k < q->info->ncolumns; k++)
        if (named[k]) {
            odp_buffer_printf(&normal, "%s%s", normal.len > 0 ? "," : "", q->info->columns[k].name);
            q->select[q->nselect++] = k;
        }
    q->show_geometry = named[q->info->ncolumns];
    if (q->show_geometry)
        odp_buffer_printf(&normal, "%s%s", normal.len > 0 ? "," : "", geometry);
    const char *text =
        odp_buffer_status(&normal) == ODP_OK ? odp_arena_copy(q->arena, odp_buffer_slice(&normal)).ptr : NULL;
    odp_buffer_release(&normal);
    return query_pair_text(p, QUERY_P_PROPERTIES, text, QUERY_PAIR_OTHER);
}

static enum odp_status read_select(struct query_parsing *p)
{
    struct odp_slice skip = p->given[QUERY_P_SKIP_GEOMETRY];
    enum odp_status status = select_all(p->q);
    if (status == ODP_OK && p->given[QUERY_P_PROPERTIES].ptr != NULL)
        status = read_properties(p);
    if (status != ODP_OK || skip.ptr == NULL)
        return status;
    if (!odp_slice_is(skip, "true") && !odp_slice_is(skip, "false"))
        return query_fault_in(p, QUERY_P_SKIP_GEOMETRY, 0, skip.len, W_queries_not_true_false, skip, NONE);
    if (odp_slice_is(skip, "false") || !p->q->show_geometry)
        return ODP_OK;
    p->q->show_geometry = false;
    return query_pair_text(p, QUERY_P_SKIP_GEOMETRY, "true", QUERY_PAIR_OTHER);
}

/* ---- sortby ---- */

static bool sorted_by(const struct odp_query *q, uint32_t column)
{
    for (uint32_t i = 0; i < q->nsort; i++)
        if (q->sort[i].column == column)
            return true;
    return false;
}

/* "-luas_ha": a sign, then a column. A plus that became a space on its way through an address is one, too. */
static enum odp_status add_sort(struct query_parsing *p, struct odp_slice item)
{
    struct odp_slice value = p->given[QUERY_P_SORTBY], name = item;
    struct query_sort *s = &p->q->sort[p->q->nsort];
    uint32_t k = 0;
    s->descending = item.len > 0 && item.ptr[0] == '-';
    if (item.len > 0 && (item.ptr[0] == '-' || item.ptr[0] == '+'))
        name = odp_slice_trim((struct odp_slice){item.ptr + 1, item.len - 1});
    enum odp_status status = query_find_column(p, QUERY_P_SORTBY, name, &k);
    if (status != ODP_OK)
        return status;
    size_t at = (size_t)(name.ptr - value.ptr);
    if (!query_type_ordered(p->q->info->columns[k].type))
        return query_fault_in(p, QUERY_P_SORTBY, at, name.len, W_queries_values_column_have_no_order, name,
                              odp_slice_of(odp_type_name(p->q->info->columns[k].type)));
    if (sorted_by(p->q, k))
        return query_fault_in(p, QUERY_P_SORTBY, at, name.len, W_queries_column_named_twice, name, NONE);
    s->column = k;
    p->q->nsort++;
    return ODP_OK;
}

/* What sortby names; the record's number follows: the order of the published file, which alone is that of
 * a query without sortby. */
static enum odp_status read_sort(struct query_parsing *p)
{
    struct odp_query *q = p->q;
    struct odp_slice value = p->given[QUERY_P_SORTBY], item;
    enum odp_status status = ODP_OK;
    q->sort = odp_arena_zero(q->arena, (size_t)q->info->ncolumns + 1, sizeof *q->sort);
    for (size_t at = 0; value.ptr != NULL && status == ODP_OK && query_next_item(value, &at, &item);)
        status = add_sort(p, item);
    return status;
}

static enum odp_status add_sort_normal(struct query_parsing *p)
{
    struct odp_query *q = p->q;
    struct odp_buffer b;
    if (q->nsort == 0)
        return ODP_OK;
    odp_buffer_init(&b);
    for (uint32_t i = 0; i < q->nsort; i++)
        odp_buffer_printf(&b, "%s%s%s", i > 0 ? "," : "", q->sort[i].descending ? "-" : "",
                          q->info->columns[q->sort[i].column].name);
    const char *text =
        odp_buffer_status(&b) == ODP_OK ? odp_arena_copy(q->arena, odp_buffer_slice(&b)).ptr : NULL;
    odp_buffer_release(&b);
    return query_pair_text(p, QUERY_P_SORTBY, text, QUERY_PAIR_ORDER);
}

/* ---- limit, offset ---- */

/* A number without sign; more than 18 digits are MOST. False: not one. */
static bool read_number(struct odp_slice s, uint64_t most, uint64_t *out)
{
    *out = 0;
    if (s.len == 0)
        return false;
    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] < '0' || s.ptr[i] > '9')
            return false;
        *out = *out > 100000000000000000 ? *out : *out * 10 + (uint64_t)(s.ptr[i] - '0');
    }
    *out = *out > most ? most : *out;
    return true;
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
        return query_fault_in(p, QUERY_P_LIMIT, 0, value.len, W_queries_no_whole_number_from_1, value, NONE);
    p->q->limit = (uint32_t)n;
    if (p->q->limit == usual)
        return ODP_OK;
    return query_pair_text(p, QUERY_P_LIMIT, odp_arena_printf(p->q->arena, "%u", p->q->limit),
                           QUERY_PAIR_OTHER);
}

static enum odp_status read_offset(struct query_parsing *p)
{
    struct odp_slice value = p->given[QUERY_P_OFFSET];
    uint64_t n;
    if (value.ptr == NULL)
        return ODP_OK;
    if (!read_number(value, UINT32_MAX, &n) || n > OFFSET_MAX)
        return query_fault_in(p, QUERY_P_OFFSET, 0, value.len, W_queries_no_whole_number_from_0, value, NONE);
    if (p->given[QUERY_P_CURSOR].ptr != NULL)
        return query_fault_in(p, QUERY_P_OFFSET, 0, 0, W_queries_offset_cursor_cannot_used_together, NONE,
                              NONE);
    p->q->offset = (uint32_t)n;
    return ODP_OK;
}

enum odp_status query_parse_page(struct query_parsing *p)
{
    enum odp_status status = read_select(p);
    if (status == ODP_OK)
        status = read_sort(p);
    if (status == ODP_OK)
        status = add_sort_normal(p);
    if (status == ODP_OK)
        status = read_limit(p);
    return status == ODP_OK ? read_offset(p) : status;
}
