/* The envelope: {"data":[…],"status":"success","meta":{…},"links":{…}}, one record a line, as on the
 * static pages. One record by its key is an array of one. */
#include "service/queries/engine/write_internal.h"

static enum odp_status begin(struct odp_query *q, struct odp_query_result *r)
{
    if (query_record_plan(q) == NULL)
        return ODP_FAIL;
    odp_buffer_add_str(&r->body, "{\"data\":[");
    return odp_buffer_status(&r->body);
}

static enum odp_status add_row(struct odp_query *q, const struct query_row *row, struct odp_query_result *r)
{
    query_add_between(&r->body);
    query_add_record(q, row, &r->body);
    return odp_buffer_status(&r->body);
}

static enum odp_status end(struct odp_query *q, struct odp_query_result *r)
{
    odp_buffer_add_str(&r->body, r->returned > 0 ? "\n]" : "]");
    odp_buffer_add_str(&r->body, ",\"status\":\"success\"");
    query_add_meta(q, r, &r->body);
    odp_buffer_add_str(&r->body, "}\n");
    return odp_buffer_status(&r->body);
}

const struct query_writer query_write_envelope = {
    ODP_QUERY_ENVELOPE, "application/json", begin, add_row, end, QUERY_READ_SHAPE | QUERY_READ_SIMPLE};
