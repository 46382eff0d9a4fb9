/* A record in a body: its values are texts as they were published; what stands before each is decided once a
 * query. A line of a view is written the same way. CSV is that of the download (RFC 4180; null is an unquoted
 * empty field, the empty text is ""). */
#include <errno.h>

#include "base/decimal.h"
#include "base/json.h"
#include "catalog/index/gpb.h"
#include "service/queries/engine/engine_internal.h"

/* What stands before a value: {"name":  or  ,"name":  */
struct prefix {
    const char *text;
    size_t len;
};
struct query_record_plan {
    struct prefix *columns; /* of q->select */
    struct prefix geometry;
};

/* ---- single values ---- */

void query_add_name(struct odp_buffer *out, const char *name)
{
    odp_json_add_string(out, odp_slice_of(name));
    odp_buffer_add_char(out, ':');
}

void query_add_text(const struct odp_text *t, const char *fallback, struct odp_buffer *out)
{
    for (enum odp_lang lang = 0; lang < ODP_LANGS; lang++) {
        odp_buffer_add_str(out, lang == ODP_LANG_ID ? "{\"id\":" : ",\"en\":");
        odp_json_add_string(out, odp_slice_of(odp_text_is_empty(t) ? fallback : odp_text_get(t, lang)));
    }
    odp_buffer_add_char(out, '}');
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

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool must_quote(struct odp_slice s)
{
    if (s.len == 0 || is_blank(s.ptr[0]) || is_blank(s.ptr[s.len - 1]))
        return true;
    return memchr(s.ptr, ',', s.len) != NULL || memchr(s.ptr, '"', s.len) != NULL ||
           memchr(s.ptr, '\n', s.len) != NULL || memchr(s.ptr, '\r', s.len) != NULL;
}

void query_csv_add_value(struct odp_buffer *out, enum odp_type type, struct odp_slice text)
{
    if (text.ptr == NULL || odp_type_is_number(type) || !must_quote(text)) {
        odp_buffer_add_slice(out, text);
        return;
    }
    odp_buffer_add_char(out, '"');
    for (size_t at = 0; at < text.len;) {
        const char *quote = memchr(text.ptr + at, '"', text.len - at);
        size_t n = quote != NULL ? (size_t)(quote - text.ptr) + 1 - at : text.len - at;
        odp_buffer_add(out, text.ptr + at, n);
        if (quote != NULL)
            odp_buffer_add_char(out, '"');
        at += n;
    }
    odp_buffer_add_char(out, '"');
}

void query_add_degrees(struct odp_buffer *out, double v)
{
    char digits[40];
    odp_buffer_add(out, digits, odp_decimal_fixed(v, 7, digits));
}

/* ---- lines of a view ---- */

void query_add_between(struct odp_buffer *out)
{
    odp_buffer_add_str(out, query_ends_with(out, '[') ? "\n" : ",\n");
}

void query_begin_line(struct odp_query *q)
{
    if (query_is_csv(q))
        return;
    query_add_between(&q->answer->body);
    odp_buffer_add_char(&q->answer->body, '{');
}

/* Of CSV the comma after it, the last of which the line's end takes back. */
void query_add_cell(struct odp_query *q, const char *name, enum odp_type type, struct odp_slice text)
{
    struct odp_buffer *out = &q->answer->body;
    if (query_is_csv(q)) {
        query_csv_add_value(out, type, text);
        odp_buffer_add_char(out, ',');
        return;
    }
    odp_buffer_add_str(out, query_ends_with(out, '{') ? "" : ",");
    query_add_name(out, name);
    query_add_value(out, type, text);
}

void query_end_line(struct odp_query *q)
{
    struct odp_buffer *out = &q->answer->body;
    out->len -= query_is_csv(q) && query_ends_with(out, ',');
    odp_buffer_add_str(out, query_is_csv(q) ? "\r\n" : "}");
}

void query_add_head(struct odp_query *q, const char *name)
{
    query_add_cell(q, name, ODP_TYPE_STRING, odp_slice_of(name));
}

/* ---- records ---- */

/* LEAD "name": in Q's arena. */
static struct prefix prefix_of(struct odp_query *q, char lead, const char *name)
{
    struct odp_buffer b;
    odp_buffer_init(&b);
    odp_buffer_add_char(&b, lead);
    query_add_name(&b, name);
    const char *text = query_text_of(q, &b);
    return (struct prefix){text, strlen(text)};
}

static const struct query_record_plan *plan_of(struct odp_query *q)
{
    if (q->record != NULL)
        return q->record;
    struct query_record_plan *p = q->record = odp_arena_zero(q->arena, 1, sizeof *p);
    p->columns = odp_arena_zero(q->arena, (size_t)q->nselect + 1, sizeof *p->columns);
    for (uint32_t k = 0; k < q->nselect; k++)
        p->columns[k] = prefix_of(q, k == 0 ? '{' : ',', q->info->columns[q->select[k]].name);
    if (q->show_geometry && q->info->has_geometry)
        p->geometry = prefix_of(q, q->nselect == 0 ? '{' : ',', q->info->geometry_name);
    return p;
}

/* ROW's geometry, until the next one is read. False: it is damaged, and the body has failed. */
static bool read_shape(struct odp_query *q, const struct query_row *row, struct odp_geom *g)
{
    odp_arena_reset(&q->shapes);
    enum odp_status status = odp_gpb_read(row->shape, g, &q->shapes);
    if (status == ODP_BAD)
        (void)odp_failure_set("index", "geometry", EIO);
    q->failed = q->failed || status != ODP_OK;
    return status == ODP_OK;
}

bool query_label_of(struct odp_query *q, const struct query_row *row, double at[2], struct odp_geom *g)
{
    if (row->shape.ptr == NULL || !read_shape(q, row, g) || g->npoints == 0)
        return false;
    const double *from = row->labelled ? row->label : g->xy; /* a point is its own label */
    at[0] = from[0];
    at[1] = from[1];
    return true;
}

void query_add_geometry(struct odp_query *q, const struct query_row *row, struct odp_buffer *out)
{
    struct odp_geom g;
    if (row->shape.ptr == NULL)
        odp_buffer_add(out, "null", 4);
    else if (read_shape(q, row, &g))
        odp_geom_add_geojson(out, &g);
}

void query_add_record(struct odp_query *q, const struct query_row *row, bool geometry, struct odp_buffer *out)
{
    const struct query_record_plan *p = plan_of(q);
    for (uint32_t k = 0; k < q->nselect; k++) {
        odp_buffer_add(out, p->columns[k].text, p->columns[k].len);
        query_add_value(out, q->info->columns[q->select[k]].type, row->values[q->select[k]]);
    }
    geometry = geometry && p->geometry.text != NULL;
    if (geometry) {
        odp_buffer_add(out, p->geometry.text, p->geometry.len);
        if (q->info->mode == ODP_GEOMETRY_SIMPLIFIED && row->simple.ptr != NULL)
            odp_buffer_add_slice(out, row->simple);
        else
            query_add_geometry(q, row, out);
    }
    odp_buffer_add_str(out, !geometry && q->nselect == 0 ? "{}" : "}");
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
        odp_buffer_add_str(out, k > 0 ? "," : "");
        if (text.ptr != NULL && info->nkey > 1)
            odp_json_add_key_part(out, text);
        else if (text.ptr != NULL)
            odp_json_add_inside(out, text);
    }
    odp_buffer_add_char(out, '"');
}
