/* A record in a body: its values are texts as they were published; what stands before each is decided once
 * a query. */
#include "service/queries/engine/write_internal.h"

#include <errno.h>

#include "base/json.h"
#include "catalog/index/gpb.h"

/* LEAD "name": in A. */
static enum odp_status make_prefix(char lead, const char *name, struct odp_arena *a, const char **out,
                                   uint32_t *len)
{
    struct odp_buffer b;
    odp_buffer_init(&b);
    odp_buffer_add_char(&b, lead);
    query_add_name(&b, name);
    struct odp_slice copy = {NULL, 0};
    if (odp_buffer_status(&b) == ODP_OK)
        copy = odp_arena_copy(a, odp_buffer_slice(&b));
    odp_buffer_release(&b);
    *out = copy.ptr;
    *len = (uint32_t)copy.len;
    return copy.ptr != NULL ? ODP_OK : ODP_FAIL;
}

const struct query_record_plan *query_record_plan(struct odp_query *q)
{
    const struct odp_search_info *info = q->info;
    if (q->record != NULL)
        return q->record;
    struct query_record_plan *p = odp_arena_zero(q->arena, 1, sizeof *p);
    struct query_record_item *items = odp_arena_zero(q->arena, (size_t)q->nselect + 1, sizeof *items);
    p->items = items;
    for (; p->n < q->nselect; p->n++) {
        struct query_record_item *item = &items[p->n];
        item->column = q->select[p->n];
        if (make_prefix(p->n == 0 ? '{' : ',', info->columns[item->column].name, q->arena, &item->prefix,
                        &item->len) != ODP_OK)
            return NULL;
    }
    if (q->show_geometry && info->has_geometry &&
        make_prefix(p->n == 0 ? '{' : ',', info->geometry_name, q->arena, &p->geometry, &p->geometry_len) !=
            ODP_OK)
        return NULL;
    q->record = p;
    return p;
}

void query_add_value(struct odp_buffer *out, enum odp_type type, struct odp_slice text)
{
    if (text.ptr == NULL)
        odp_buffer_add(out, "null", 4);
    else if (odp_type_repr(type) == ODP_REPR_STRING)
        odp_json_add_string(out, text);
    else
        odp_buffer_add_slice(out, text);
}

/* The columns' part, without what closes it. */
static void add_columns(struct odp_query *q, const struct query_record_plan *p, const struct query_row *row,
                        struct odp_buffer *out)
{
    for (uint32_t k = 0; k < p->n; k++) {
        const struct query_record_item *item = &p->items[k];
        odp_buffer_add(out, item->prefix, item->len);
        query_add_value(out, q->info->columns[item->column].type, row->values[item->column]);
    }
}

void query_add_geometry(struct odp_query *q, const struct query_row *row, struct odp_buffer *out)
{
    struct odp_geom g;
    if (row->shape.ptr == NULL)
        odp_buffer_add(out, "null", 4);
    else if (query_read_shape(q, row, &g))
        odp_geom_add_geojson(out, &g);
    else
        out->failed = true;
}

bool query_read_shape(struct odp_query *q, const struct query_row *row, struct odp_geom *g)
{
    odp_arena_reset(&q->shapes);
    enum odp_status status = odp_gpb_read(row->shape, g, &q->shapes);
    if (status == ODP_BAD)
        (void)odp_failure_set("index", "geometry", EIO);
    return status == ODP_OK;
}

enum odp_status query_label_of(struct odp_query *q, const struct query_row *row, double at[2],
                               struct odp_geom *g)
{
    if (row->shape.ptr == NULL)
        return ODP_DONE;
    if (!query_read_shape(q, row, g))
        return ODP_FAIL;
    if (g->npoints == 0)
        return ODP_DONE;
    const double *from = row->labelled ? row->label : g->xy; /* a point is its own label */
    at[0] = from[0];
    at[1] = from[1];
    return ODP_OK;
}

void query_add_record(struct odp_query *q, const struct query_row *row, struct odp_buffer *out)
{
    const struct query_record_plan *p = query_record_plan(q);
    if (p == NULL) {
        out->failed = true;
        return;
    }
    add_columns(q, p, row, out);
    if (p->geometry != NULL) {
        odp_buffer_add(out, p->geometry, p->geometry_len);
        if (q->info->mode == ODP_GEOMETRY_SIMPLIFIED && row->simple.ptr != NULL)
            odp_buffer_add_slice(out, row->simple);
        else
            query_add_geometry(q, row, out);
    } else if (p->n == 0) {
        odp_buffer_add_char(out, '{');
    }
    odp_buffer_add_char(out, '}');
}

void query_add_properties(struct odp_query *q, const struct query_row *row, struct odp_buffer *out)
{
    const struct query_record_plan *p = query_record_plan(q);
    if (p == NULL) {
        out->failed = true;
        return;
    }
    add_columns(q, p, row, out);
    odp_buffer_add_str(out, p->n == 0 ? "{}" : "}");
}

void query_add_between(struct odp_buffer *out)
{
    odp_buffer_add_str(out, query_ends_with(out, '[') ? "\n" : ",\n");
}

/* ---- its id ------------------------------------------------------------------------------------------ */

/* A part of a composite key: a comma stands between parts, so one in a part is "%2C", and a percent sign
 * "%25". */
static void add_key_part(struct odp_buffer *out, struct odp_slice s)
{
    for (size_t from = 0, i = 0; i <= s.len; i++) {
        if (i < s.len && s.ptr[i] != ',' && s.ptr[i] != '%')
            continue;
        odp_json_add_inside(out, (struct odp_slice){s.ptr + from, i - from});
        if (i < s.len)
            odp_buffer_add_str(out, s.ptr[i] == ',' ? "%2C" : "%25");
        from = i + 1;
    }
}

void query_add_id(struct odp_query *q, const struct query_row *row, struct odp_buffer *out)
{
    const struct odp_search_info *info = q->info;
    if (info->nkey == 0) {
        odp_buffer_add_u64(out, (uint64_t)row->id);
        return;
    }
    odp_buffer_add_char(out, '"');
    for (uint32_t k = 0; k < info->nkey; k++) {
        struct odp_slice text = row->values[info->key[k]];
        if (k > 0)
            odp_buffer_add_char(out, ',');
        if (text.ptr != NULL && info->nkey > 1)
            add_key_part(out, text);
        else if (text.ptr != NULL)
            odp_json_add_inside(out, text);
    }
    odp_buffer_add_char(out, '"');
}

/* ---- what follows the records ------------------------------------------------------------------------ */

void query_add_name(struct odp_buffer *out, const char *name)
{
    odp_json_add_string(out, odp_slice_of(name));
    odp_buffer_add_char(out, ':');
}

void query_add_text(const struct odp_text *t, const char *fallback, struct odp_buffer *out)
{
    for (int lang = 0; lang < ODP_LANGS; lang++) {
        odp_buffer_add_str(out, lang == ODP_LANG_ID ? "{\"id\":" : ",\"en\":");
        odp_json_add_string(
            out, odp_slice_of(odp_text_is_empty(t) ? fallback : odp_text_get(t, (enum odp_lang)lang)));
    }
    odp_buffer_add_char(out, '}');
}

static void add_string_or_null(struct odp_buffer *out, const char *member, const char *text)
{
    odp_buffer_add_str(out, member);
    if (text != NULL)
        odp_json_add_string(out, odp_slice_of(text));
    else
        odp_buffer_add(out, "null", 4);
}

static void add_links(struct odp_query *q, const struct odp_query_result *r, struct odp_buffer *out)
{
    const char *f = query_form_name(q), *self = query_link_self(q, f), *first = query_link_form(q, NULL, f);
    if (self == NULL || first == NULL)
        out->failed = true;
    add_string_or_null(out, ",\"links\":{\"self\":", self);
    add_string_or_null(out, ",\"next\":", r->next);
    add_string_or_null(out, ",\"prev\":", r->previous);
    add_string_or_null(out, ",\"first\":", q->call->kind == ODP_QUERY_ITEMS ? first : NULL);
    odp_buffer_add_str(out, ",\"last\":null}"); /* there is no cursor from the end */
}

/* The members are those of a static page, in its order (tools/odp-build/write/record.c); what has no
 * meaning here is null. */
void query_add_meta_with(struct odp_query *q, const struct odp_query_result *r, struct odp_slice extra,
                         struct odp_buffer *out)
{
    const struct odp_search_info *info = q->info;
    bool paged = q->call->kind == ODP_QUERY_ITEMS && (q->view == QUERY_RECORDS || q->view == QUERY_GANTT);
    add_string_or_null(out, ",\"meta\":{\"dataset\":", info->slug);
    add_string_or_null(out, ",\"resource\":", info->resource);
    add_string_or_null(out, ",\"version\":", info->version);
    add_string_or_null(out, ",\"release\":", q->call->release);
    odp_buffer_add_str(out, ",\"total\":");
    if (r->total >= 0)
        odp_buffer_add_u64(out, (uint64_t)r->total);
    else
        odp_buffer_add(out, "null", 4);
    odp_buffer_add_str(out, ",\"returned\":");
    odp_buffer_add_u64(out, r->returned);
    odp_buffer_add_str(out, ",\"limit\":");
    if (paged)
        odp_buffer_add_u64(out, q->limit);
    else
        odp_buffer_add(out, "null", 4);
    odp_buffer_add_str(out, ",\"page\":null,\"pages\":null"); /* which number a page has only files know */
    odp_buffer_add_slice(out, extra);
    add_string_or_null(out, ",\"last_update\":", info->last_update);
    odp_buffer_add_char(out, '}');
    add_links(q, r, out);
}

void query_add_meta(struct odp_query *q, const struct odp_query_result *r, struct odp_buffer *out)
{
    query_add_meta_with(q, r, (struct odp_slice){NULL, 0}, out);
}
