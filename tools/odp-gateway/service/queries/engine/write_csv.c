/* CSV: the columns of the CSV download and its bytes (write/csv.c), geometry last. What follows the
 * records (links, their number) has no place here: it is in the answer's headers. */
#include "service/queries/engine/write_internal.h"

static void add_comma(struct odp_buffer *out, bool needed)
{
    if (needed)
        odp_buffer_add_char(out, ',');
}

static enum odp_status begin(struct odp_query *q, struct odp_query_result *r)
{
    static const char *const points[] = {"lon", "lat"}, *const others[] = {"label_lon", "label_lat",
                                                                           "geometry_type", "wkt"};
    const struct odp_search_info *info = q->info;
    struct odp_buffer *out = &r->body;
    for (uint32_t k = 0; k < q->nselect; k++) {
        add_comma(out, k > 0);
        query_csv_add_text(out, odp_slice_of(info->columns[q->select[k]].name));
    }
    uint32_t n = !q->show_geometry || !info->has_geometry ? 0 : info->csv_points ? 2 : info->csv_wkt ? 4 : 3;
    for (uint32_t k = 0; k < n; k++) {
        const char *name = query_free_name(q, info->csv_points ? points[k] : others[k]);
        if (name == NULL)
            return ODP_FAIL;
        add_comma(out, k > 0 || q->nselect > 0);
        odp_buffer_add_str(out, name);
    }
    odp_buffer_add(out, "\r\n", 2);
    return odp_buffer_status(out);
}

static enum odp_status add_geometry(struct odp_query *q, const struct query_row *row, struct odp_buffer *out)
{
    const struct odp_search_info *info = q->info;
    struct odp_geom g;
    double at[2];
    add_comma(out, q->nselect > 0);
    enum odp_status status = query_label_of(q, row, at, &g);
    if (status == ODP_DONE) {
        odp_buffer_add(out, ",,,", info->csv_points ? 1 : info->csv_wkt ? 3 : 2);
        return ODP_OK;
    }
    if (status != ODP_OK)
        return status;
    query_add_degrees(out, at[0]);
    odp_buffer_add_char(out, ',');
    query_add_degrees(out, at[1]);
    if (info->csv_points)
        return ODP_OK;
    odp_buffer_add_char(out, ',');
    odp_buffer_add_str(out, odp_geom_type_name(g.type));
    if (!info->csv_wkt)
        return ODP_OK;
    odp_buffer_add_str(out, ",\""); /* it has commas but never a quote */
    odp_geom_add_wkt(out, &g);
    odp_buffer_add_char(out, '"');
    return ODP_OK;
}

static enum odp_status add_row(struct odp_query *q, const struct query_row *row, struct odp_query_result *r)
{
    const struct odp_search_info *info = q->info;
    struct odp_buffer *out = &r->body;
    for (uint32_t k = 0; k < q->nselect; k++) {
        add_comma(out, k > 0);
        query_csv_add_value(out, info->columns[q->select[k]].type, row->values[q->select[k]]);
    }
    if (q->show_geometry && info->has_geometry && add_geometry(q, row, out) != ODP_OK)
        return ODP_FAIL;
    odp_buffer_add(out, "\r\n", 2);
    return odp_buffer_status(out);
}

static enum odp_status end(struct odp_query *q, struct odp_query_result *r)
{
    (void)q;
    return odp_buffer_status(&r->body);
}

const struct query_writer query_write_csv = {
    ODP_QUERY_CSV, "text/csv; charset=utf-8", begin, add_row, end, QUERY_READ_SHAPE | QUERY_READ_LABEL};
