/* The forms that a body can have, but HTML.
 *
 *   envelope   {"data":[…],"status":"success","meta":{…},"links":{…}}, one record a line, as on the static
 * pages. One record by its key is an array of one GeoJSON    RFC 7946, as OGC API - Features has it
 * (17-069r4, 7.15 and 7.16): the features are those of the download, geometry whole whatever the envelope
 * shows. Clients page by the links in the body. There is no timeStamp: the same question has the same answer,
 * byte for byte CSV        the columns of the CSV download and its bytes (write/csv.c), geometry last. What
 * follows the records (links, their number) has no place here: it is in the answer's headers */
#include "base/json.h"
#include "service/queries/engine/engine_internal.h"

static const char geojson_type[] = "application/geo+json", envelope_type[] = "application/json";

/* ---- envelope ---- */

static void add_string_or_null(struct odp_buffer *out, const char *member, const char *text)
{
    odp_buffer_add_str(out, member);
    if (text != NULL)
        odp_json_add_string(out, odp_slice_of(text));
    else
        odp_buffer_add(out, "null", 4);
}

/* Less than 0: null. */
static void add_number_or_null(struct odp_buffer *out, const char *member, int64_t n)
{
    if (n >= 0)
        odp_buffer_printf(out, "%s%lld", member, (long long)n);
    else
        odp_buffer_printf(out, "%snull", member);
}

/* The members are those of a static page, in its order (tools/odp-build/write/record.c); what has no meaning
 * here is null. */
void query_end_envelope(struct odp_query *q, bool any, struct odp_slice extra)
{
    const struct odp_query_result *r = q->answer;
    struct odp_buffer *out = &q->answer->body;
    const char *f = query_form_name(q);
    bool items = q->call->kind == ODP_QUERY_ITEMS,
         paged = items && (q->view == QUERY_RECORDS || q->view == QUERY_GANTT);
    odp_buffer_add_str(out, any ? "\n],\"status\":\"success\"" : "],\"status\":\"success\"");
    add_string_or_null(out, ",\"meta\":{\"dataset\":", q->info->slug);
    add_string_or_null(out, ",\"resource\":", q->info->resource);
    add_string_or_null(out, ",\"version\":", q->info->version);
    add_string_or_null(out, ",\"release\":", q->call->release);
    add_number_or_null(out, ",\"total\":", r->total);
    add_number_or_null(out, ",\"returned\":", (int64_t)r->returned);
    add_number_or_null(out, ",\"limit\":", paged ? (int64_t)q->limit : -1);
    odp_buffer_add_str(out, ",\"page\":null,\"pages\":null"); /* which number a page has only files know */
    odp_buffer_add_slice(out, extra);
    add_string_or_null(out, ",\"last_update\":", q->info->last_update);
    add_string_or_null(out, "},\"links\":{\"self\":", query_link_self(q, f));
    add_string_or_null(out, ",\"next\":", r->next);
    add_string_or_null(out, ",\"prev\":", r->previous);
    add_string_or_null(out, ",\"first\":", items ? query_link_form(q, NULL, f) : NULL);
    odp_buffer_add_str(out, ",\"last\":null}}\n"); /* there is no cursor from the end */
}

static void begin_envelope(struct odp_query *q)
{
    odp_buffer_add_str(&q->answer->body, "{\"data\":[");
}

static void add_envelope(struct odp_query *q, const struct query_row *row)
{
    query_add_between(&q->answer->body);
    query_add_record(q, row, true, &q->answer->body);
}

static void end_envelope(struct odp_query *q)
{
    query_end_envelope(q, q->answer->returned > 0, QUERY_NOTHING);
}

/* ---- GeoJSON ---- */

static void add_link(struct odp_buffer *out, const char *href, const char *rel, const char *type)
{
    add_string_or_null(out, query_ends_with(out, '[') ? "{\"href\":" : ",{\"href\":", href);
    add_string_or_null(out, ",\"rel\":", rel);
    add_string_or_null(out, ",\"type\":", type);
    odp_buffer_add_char(out, '}');
}

/* Rules /req/geojson/…, /req/core/fc-links, /req/core/f-links. */
static void add_links(struct odp_query *q)
{
    const struct odp_query_result *r = q->answer;
    struct odp_buffer *out = &q->answer->body;
    odp_buffer_add_str(out, ",\"links\":[");
    add_link(out, query_link_self(q, query_form_name(q)), "self", geojson_type);
    if (q->call->ogc)
        add_link(out, query_link_self(q, "html"), "alternate", "text/html");
    else
        add_link(out, query_link_self(q, NULL), "alternate", envelope_type);
    add_link(out, query_link_self(q, "csv"), "alternate", "text/csv");
    if (r->next != NULL)
        add_link(out, r->next, "next", geojson_type);
    if (r->previous != NULL)
        add_link(out, r->previous, "prev", geojson_type);
    if (q->call->ogc)
        add_link(out, query_link_collection(q), "collection", "application/json");
    odp_buffer_add_char(out, ']');
}

static void begin_geojson(struct odp_query *q)
{
    if (q->call->kind == ODP_QUERY_ITEM)
        return;
    add_string_or_null(&q->answer->body, "{\"type\":\"FeatureCollection\",\"name\":",
                       q->info->resource != NULL ? q->info->resource : q->info->slug);
    odp_buffer_add_str(&q->answer->body, ",\"features\":[");
}

static void add_feature(struct odp_query *q, const struct query_row *row)
{
    struct odp_buffer *out = &q->answer->body;
    if (q->call->kind == ODP_QUERY_ITEMS)
        query_add_between(out);
    odp_buffer_add_str(out, "{\"type\":\"Feature\",\"id\":");
    query_add_id(q, row, out);
    odp_buffer_add_str(out, ",\"geometry\":");
    if (q->show_geometry)
        query_add_geometry(q, row, out);
    else
        odp_buffer_add(out, "null", 4);
    odp_buffer_add_str(out, ",\"properties\":");
    query_add_record(q, row, false, out);
    if (q->call->kind == ODP_QUERY_ITEM)
        add_links(q);
    odp_buffer_add_char(out, '}');
}

static void end_geojson(struct odp_query *q)
{
    struct odp_buffer *out = &q->answer->body;
    if (q->call->kind == ODP_QUERY_ITEMS) {
        odp_buffer_add_str(out, q->answer->returned > 0 ? "\n]" : "]");
        add_links(q);
        if (q->answer->total >= 0) /* numberMatched must be exact, or absent */
            add_number_or_null(out, ",\"numberMatched\":", q->answer->total);
        add_number_or_null(out, ",\"numberReturned\":", (int64_t)q->answer->returned);
        odp_buffer_add_char(out, '}');
    }
    odp_buffer_add_char(out, '\n');
}

/* ---- CSV ---- */

/* NAME, or with "geometry_" before it as often as it takes to be no field of the record. */
static const char *free_name(const struct odp_query *q, const char *name)
{
    for (int k; (k = odp_search_find(q->info, odp_slice_of(name))) >= 0 && (uint32_t)k < q->info->nfields;)
        name = odp_arena_printf(q->arena, "geometry_%s", name);
    return name;
}

/* Columns of the geometry. */
static uint32_t shape_width(const struct odp_query *q)
{
    if (!q->show_geometry || !q->info->has_geometry)
        return 0;
    if (q->info->csv_points)
        return 2;
    return q->info->csv_wkt ? 4 : 3;
}

static void begin_csv(struct odp_query *q)
{
    static const char *const points[] = {"lon", "lat"}, *const others[] = {"label_lon", "label_lat",
                                                                           "geometry_type", "wkt"};
    for (uint32_t k = 0; k < q->nselect; k++)
        query_add_head(q, q->info->columns[q->select[k]].name);
    for (uint32_t k = 0; k < shape_width(q); k++)
        query_add_head(q, free_name(q, q->info->csv_points ? points[k] : others[k]));
    query_end_line(q);
}

static void add_shape(struct odp_query *q, const struct query_row *row)
{
    struct odp_buffer *out = &q->answer->body;
    const uint32_t width = shape_width(q);
    struct odp_geom g;
    double at[2];
    if (!query_label_of(q, row, at, &g)) {
        odp_buffer_add(out, ",,,,", width);
        return;
    }
    for (int i = 0; i < 2; i++) {
        query_add_degrees(out, at[i]);
        odp_buffer_add_char(out, ',');
    }
    if (width > 2)
        odp_buffer_printf(out, "%s,", odp_geom_type_name(g.type));
    if (width < 4)
        return;
    odp_buffer_add_char(out, '"'); /* it has commas but never a quote */
    odp_geom_add_wkt(out, &g);
    odp_buffer_add_str(out, "\",");
}

static void add_csv(struct odp_query *q, const struct query_row *row)
{
    for (uint32_t k = 0; k < q->nselect; k++)
        query_add_cell(q, "", q->info->columns[q->select[k]].type, row->values[q->select[k]]);
    if (shape_width(q) > 0)
        add_shape(q, row);
    query_end_line(q);
}

static void end_csv(struct odp_query *q)
{
}

/* ---- which there are ---- */

const struct query_writer *query_writer_of(enum odp_query_form form)
{
    static const struct query_writer writers[] = {
        [ODP_QUERY_ENVELOPE] = {envelope_type, begin_envelope, add_envelope, end_envelope,
                                QUERY_READ_SHAPE | QUERY_READ_SIMPLE},
        [ODP_QUERY_GEOJSON] = {geojson_type, begin_geojson, add_feature, end_geojson, QUERY_READ_SHAPE},
        [ODP_QUERY_CSV] = {"text/csv; charset=utf-8", begin_csv, add_csv, end_csv,
                           QUERY_READ_SHAPE | QUERY_READ_LABEL},
    };
    return form == ODP_QUERY_HTML ? &query_write_html : &writers[form];
}
