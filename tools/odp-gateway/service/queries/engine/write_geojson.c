/* GeoJSON (RFC 7946) as OGC API - Features has it (17-069r4, 7.15 and 7.16): the features are those of the
 * download, geometry whole whatever the envelope shows. Clients page by the links in the body. There is no
 * timeStamp: the same question has the same answer, byte for byte. */
#include "service/queries/engine/write_internal.h"

#include "base/json.h"

static void add_feature(struct odp_query *q, const struct query_row *row, struct odp_buffer *out)
{
    odp_buffer_add_str(out, "{\"type\":\"Feature\",\"id\":");
    query_add_id(q, row, out);
    odp_buffer_add_str(out, ",\"geometry\":");
    if (q->show_geometry)
        query_add_geometry(q, row, out);
    else
        odp_buffer_add(out, "null", 4);
    odp_buffer_add_str(out, ",\"properties\":");
    query_add_properties(q, row, out);
}

static void add_link(struct odp_buffer *out, const char *href, const char *rel, const char *type)
{
    bool first = query_ends_with(out, '[');
    if (href == NULL) {
        out->failed = true;
        return;
    }
    odp_buffer_add_str(out, first ? "{\"href\":" : ",{\"href\":");
    odp_json_add_string(out, odp_slice_of(href));
    odp_buffer_add_str(out, ",\"rel\":");
    odp_json_add_string(out, odp_slice_of(rel));
    odp_buffer_add_str(out, ",\"type\":");
    odp_json_add_string(out, odp_slice_of(type));
    odp_buffer_add_char(out, '}');
}

/* Rules /req/geojson/…, /req/core/fc-links, /req/core/f-links. */
static void add_links(struct odp_query *q, const struct odp_query_result *r, struct odp_buffer *out)
{
    const char *geojson = query_write_geojson.media_type;
    odp_buffer_add_str(out, ",\"links\":[");
    add_link(out, query_link_self(q, query_form_name(q)), "self", geojson);
    if (q->call->ogc)
        add_link(out, query_link_self(q, "html"), "alternate", "text/html");
    else
        add_link(out, query_link_self(q, NULL), "alternate", query_write_envelope.media_type);
    add_link(out, query_link_self(q, "csv"), "alternate", "text/csv");
    if (r->next != NULL)
        add_link(out, r->next, "next", geojson);
    if (r->previous != NULL)
        add_link(out, r->previous, "prev", geojson);
    if (q->call->ogc)
        add_link(out, query_link_collection(q), "collection", "application/json");
    odp_buffer_add_char(out, ']');
}

static enum odp_status begin(struct odp_query *q, struct odp_query_result *r)
{
    if (query_record_plan(q) == NULL)
        return ODP_FAIL;
    if (q->call->kind == ODP_QUERY_ITEM)
        return ODP_OK;
    odp_buffer_add_str(&r->body, "{\"type\":\"FeatureCollection\",\"name\":");
    odp_json_add_string(&r->body,
                        odp_slice_of(q->info->resource != NULL ? q->info->resource : q->info->slug));
    odp_buffer_add_str(&r->body, ",\"features\":[");
    return odp_buffer_status(&r->body);
}

static enum odp_status add_row(struct odp_query *q, const struct query_row *row, struct odp_query_result *r)
{
    if (q->call->kind == ODP_QUERY_ITEMS)
        query_add_between(&r->body);
    add_feature(q, row, &r->body);
    if (q->call->kind == ODP_QUERY_ITEM)
        add_links(q, r, &r->body);
    odp_buffer_add_char(&r->body, '}');
    return odp_buffer_status(&r->body);
}

static enum odp_status end(struct odp_query *q, struct odp_query_result *r)
{
    struct odp_buffer *out = &r->body;
    if (q->call->kind == ODP_QUERY_ITEMS) {
        odp_buffer_add_str(out, r->returned > 0 ? "\n]" : "]");
        add_links(q, r, out);
        if (r->total >= 0) { /* numberMatched must be exact, or absent */
            odp_buffer_add_str(out, ",\"numberMatched\":");
            odp_buffer_add_u64(out, (uint64_t)r->total);
        }
        odp_buffer_add_str(out, ",\"numberReturned\":");
        odp_buffer_add_u64(out, r->returned);
        odp_buffer_add_char(out, '}');
    }
    odp_buffer_add_char(out, '\n');
    return odp_buffer_status(out);
}

const struct query_writer query_write_geojson = {
    ODP_QUERY_GEOJSON, "application/geo+json", begin, add_row, end, QUERY_READ_SHAPE};
