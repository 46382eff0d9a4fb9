/* Addresses of what is answered: this page, the next one, the same in another form, one record. An address
 * has `f` wherever the form is not the envelope, so that following a link never depends on what the follower
 * says it accepts. */
#include "service/queries/engine/engine_internal.h"

const char *query_form_name(const struct odp_query *q)
{
    switch (q->call->form) {
    case ODP_QUERY_ENVELOPE:
        return NULL;
    case ODP_QUERY_GEOJSON:
        return q->call->ogc ? "json" : "geojson";
    case ODP_QUERY_CSV:
        return "csv";
    case ODP_QUERY_HTML:
        return "html";
    }
    return NULL;
}

/* NAME=VALUE after what stands there; VALUE NULL or "": nothing. */
static const char *with(struct odp_query *q, const char *link, const char *name, const char *value)
{
    if (value == NULL || *value == '\0')
        return link;
    return odp_arena_printf(q->arena, "%s%c%s%s", link, strchr(link, '?') != NULL ? '&' : '?', name, value);
}

static const char *make_link(struct odp_query *q, const char *cursor, const char *offset, const char *f)
{
    const char *link = with(q, q->call->self, "", q->normal);
    link = with(q, link, "f=", f);
    link = with(q, link, "offset=", offset);
    return with(q, link, "cursor=", cursor);
}

const char *query_link_form(struct odp_query *q, const char *cursor, const char *f)
{
    return make_link(q, cursor, NULL, f);
}

const char *query_link(struct odp_query *q, const char *cursor)
{
    return make_link(q, cursor, NULL, query_form_name(q));
}

const char *query_link_self(struct odp_query *q, const char *f)
{
    bool offset = q->offset > 0 && q->cursor == NULL;
    return make_link(q, q->cursor, offset ? odp_arena_printf(q->arena, "%u", q->offset) : NULL, f);
}

const char *query_link_collection(struct odp_query *q)
{
    const struct odp_search_info *info = q->info;
    return odp_arena_printf(q->arena, "%sogc/collections/%s%s%s", q->call->root, info->slug,
                            info->resource != NULL ? "-" : "", info->resource != NULL ? info->resource : "");
}

/* The record's id as text, percent-encoded: of the id as a whole, or (PARTS) of each part of it. */
static void add_id(struct odp_query *q, const struct query_row *row, bool parts, struct odp_buffer *out)
{
    const struct odp_search_info *info = q->info;
    if (info->nkey == 0)
        odp_buffer_add_u64(out, (uint64_t)row->id);
    for (uint32_t k = 0; k < info->nkey; k++) {
        struct odp_slice text = row->values[info->key[k]];
        if (k > 0)
            odp_buffer_add_str(out, parts ? "," : "%2C");
        if (parts || info->nkey == 1) {
            query_add_percent(out, text, "");
            continue;
        }
        for (size_t i = 0; i < text.len; i++) { /* the id has %2C and %25 for ',' and '%' of a part */
            if (text.ptr[i] == ',' || text.ptr[i] == '%')
                odp_buffer_add_str(out, text.ptr[i] == ',' ? "%252C" : "%2525");
            else
                query_add_percent(out, (struct odp_slice){text.ptr + i, 1}, "");
        }
    }
}

void query_add_item_link(struct odp_query *q, const struct query_row *row, struct odp_buffer *out)
{
    const char *resource = q->info->resource;
    bool ogc = q->call->ogc;
    odp_buffer_printf(out, "%s%s%s", q->call->root, ogc ? "ogc/collections/" : "", q->info->slug);
    if (resource != NULL)
        odp_buffer_printf(out, "%c%s", ogc ? '-' : '/', resource);
    odp_buffer_add_str(out, ogc ? "/items/" : "/id/");
    add_id(q, row, !ogc, out);
}
