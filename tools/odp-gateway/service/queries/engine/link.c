/* Addresses of what is answered: this page, the next one, the same in another form, one record. An address
 * has `f` wherever the form is not the envelope, so that following a link never depends on what the
 * follower says it accepts. */
#include "service/queries/engine/write_internal.h"

#include <stdio.h>

void query_add_percent(struct odp_buffer *out, struct odp_slice s)
{
    static const char digits[] = "0123456789ABCDEF";
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        if ((c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '-' || c == '_' ||
            c == '.' || c == '~') {
            odp_buffer_add_char(out, (char)c);
        } else {
            char three[3] = {'%', digits[c >> 4], digits[c & 15]};
            odp_buffer_add(out, three, 3);
        }
    }
}

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

/* NAME=VALUE after what stands there; VALUE NULL: nothing. */
static void add_param(struct odp_buffer *out, bool *any, const char *name, const char *value)
{
    if (value == NULL || *value == '\0')
        return;
    odp_buffer_add_char(out, *any ? '&' : '?');
    *any = true;
    odp_buffer_add_str(out, name);
    odp_buffer_add_str(out, value);
}

static const char *make_link(struct odp_query *q, const char *cursor, const char *offset, const char *f)
{
    struct odp_buffer link;
    bool any = false;
    odp_buffer_init(&link);
    odp_buffer_add_str(&link, q->call->self);
    add_param(&link, &any, "", q->normal);
    add_param(&link, &any, "f=", f);
    add_param(&link, &any, "offset=", offset);
    add_param(&link, &any, "cursor=", cursor);
    struct odp_slice copy = {NULL, 0};
    if (odp_buffer_status(&link) == ODP_OK)
        copy = odp_arena_copy(q->arena, odp_buffer_slice(&link));
    odp_buffer_release(&link);
    return copy.ptr;
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
    char offset[24] = "";
    if (q->offset > 0 && q->cursor == NULL)
        (void)snprintf(offset, sizeof offset, "%llu", (unsigned long long)q->offset);
    return make_link(q, q->cursor, offset, f);
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
            query_add_percent(out, text);
            continue;
        }
        for (size_t i = 0; i < text.len; i++) { /* the id has %2C and %25 for ',' and '%' of a part */
            if (text.ptr[i] == ',' || text.ptr[i] == '%')
                odp_buffer_add_str(out, text.ptr[i] == ',' ? "%252C" : "%2525");
            else
                query_add_percent(out, (struct odp_slice){text.ptr + i, 1});
        }
    }
}

void query_add_item_link(struct odp_query *q, const struct query_row *row, struct odp_buffer *out)
{
    const struct odp_search_info *info = q->info;
    odp_buffer_add_str(out, q->call->root);
    if (q->call->ogc)
        odp_buffer_add_str(out, "ogc/collections/");
    odp_buffer_add_str(out, info->slug);
    if (info->resource != NULL) {
        odp_buffer_add_char(out, q->call->ogc ? '-' : '/');
        odp_buffer_add_str(out, info->resource);
    }
    odp_buffer_add_str(out, q->call->ogc ? "/items/" : "/id/");
    add_id(q, row, !q->call->ogc, out);
}
