/* The forms of a body, but HTML.
 *
 *   envelope   {"data":[…],"status":"success","meta":{…},"links":{…}}, a record a line, as on the static
 *              pages; a record by its key is an array of one
 *   GeoJSON    RFC 7946, as OGC API - Features (17-069r4, 7.15, 7.16) wants it: the download's features, with
 *              the whole geometry; clients page by the links in the body; no timeStamp: equal questions have
 *              equal answers
 *   CSV        the CSV download's columns and bytes (write/csv.c), geometry last; links and counts are in
 *              headers */
#include <errno.h>

#include "service/queries/engine/engine_internal.h"
#include "base/decimal.h"
#include "base/json.h"
#include "catalog/index/gpb.h"

/* ---- addresses ---- */

/* Addresses of this page, the next one, other forms, one record. Each has `f` unless its form is the
 * envelope, so that a link never depends on Accept. */

static const char *form_name(const struct odp_query *q)
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

/* Adds NAME=VALUE to LINK; VALUE NULL or "": nothing. */
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
    return make_link(q, cursor, NULL, form_name(q));
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
                            info->resource != NULL ? "-" : "", odp_or_empty(info->resource));
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
            odp_text_percent_but(out, text, "");
            continue;
        }
        for (size_t i = 0; i < text.len; i++) { /* the id has %2C and %25 for ',' and '%' of a part */
            if (text.ptr[i] == ',' || text.ptr[i] == '%')
                odp_buffer_add_str(out, text.ptr[i] == ',' ? "%252C" : "%2525");
            else
                odp_text_percent_but(out, (struct odp_slice){text.ptr + i, 1}, "");
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

/* ---- records and lines ---- */

/* A record in a body: published texts, with prefixes made once a query. Lines of views are written the same
 * way. CSV is the download's (RFC 4180; null is an unquoted empty field, the empty text is ""). */

/* A value's prefix: {"name":  or  ,"name": */
struct prefix {
    const char *text;
    size_t len;
};
struct query_record_plan {
    struct prefix *columns, *names; /* of q->select; of each ODP_LANGS columns of names (text NULL: none) */
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
        odp_json_add_str(out, lang == ODP_LANG_ID ? "{\"id\":" : ",\"en\":",
                         odp_text_is_empty(t) ? fallback : odp_text_get(t, lang));
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

void query_csv_add_value(struct odp_buffer *out, enum odp_type type, struct odp_slice text)
{
    if (odp_type_is_number(type))
        odp_buffer_add_slice(out, text);
    else
        odp_text_csv(out, text);
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

/* In CSV a comma follows; query_end_line takes the last one back. */
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

void query_add_names(struct odp_query *q, uint32_t k, const struct odp_text *name)
{
    for (enum odp_lang lang = 0; q->names && lang < ODP_LANGS; lang++) {
        struct odp_slice text =
            odp_text_is_empty(name) ? QUERY_NOTHING : odp_slice_of(odp_text_get(name, lang));
        if (q->naming[k].name[lang] != NULL)
            query_add_cell(q, q->naming[k].name[lang], ODP_TYPE_STRING, text);
    }
}

void query_add_heads(struct odp_query *q, const uint32_t *columns, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        query_add_head(q, q->info->columns[columns[k]].name);
        for (enum odp_lang lang = 0; q->names && lang < ODP_LANGS; lang++)
            if (q->naming[columns[k]].name[lang] != NULL)
                query_add_head(q, q->naming[columns[k]].name[lang]);
    }
}

void query_add_columns(struct odp_query *q, const uint32_t *columns, uint32_t n,
                       const struct odp_slice *values, const struct odp_text *names)
{
    for (uint32_t k = 0; k < n; k++) {
        const struct odp_search_column *c = &q->info->columns[columns[k]];
        query_add_cell(q, c->name, c->type, values[columns[k]]);
        if (q->names)
            query_add_names(q, columns[k], &names[columns[k]]);
    }
}

/* ---- records ---- */

/* LEAD "name": in Q's arena. */
static struct prefix prefix_of(struct odp_query *q, char lead, const char *name)
{
    struct odp_buffer b = {0};
    odp_buffer_add_char(&b, lead);
    query_add_name(&b, name);
    const char *text = odp_buffer_keep(&b, q->arena);
    return (struct prefix){text, strlen(text)};
}

static const struct query_record_plan *plan_of(struct odp_query *q)
{
    if (q->record != NULL)
        return q->record;
    struct query_record_plan *p = q->record = odp_arena_zero(q->arena, 1, sizeof *p);
    p->columns = odp_arena_zero(q->arena, (size_t)q->nselect + 1, sizeof *p->columns);
    p->names = odp_arena_zero(q->arena, ODP_LANGS * (size_t)q->nselect + 1, sizeof *p->names);
    for (uint32_t k = 0; q->names && k < q->nselect * ODP_LANGS; k++) {
        const char *name = q->naming[q->select[k / ODP_LANGS]].name[k % ODP_LANGS];
        if (name != NULL)
            p->names[k] = prefix_of(q, ',', name);
    }
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

static void add_geometry(struct odp_query *q, const struct query_row *row, struct odp_buffer *out)
{
    struct odp_geom g;
    if (row->shape.ptr == NULL)
        odp_buffer_add(out, "null", 4);
    else if (read_shape(q, row, &g))
        odp_geom_add_geojson(out, &g);
}

static void add_names(const struct prefix *prefixes, const struct odp_text *name, struct odp_buffer *out)
{
    for (enum odp_lang lang = 0; lang < ODP_LANGS; lang++) {
        if (prefixes[lang].text == NULL)
            continue;
        odp_buffer_add(out, prefixes[lang].text, prefixes[lang].len);
        query_add_value(out, ODP_TYPE_STRING,
                        odp_text_is_empty(name) ? QUERY_NOTHING : odp_slice_of(odp_text_get(name, lang)));
    }
}

void query_add_record(struct odp_query *q, const struct query_row *row, bool geometry, struct odp_buffer *out)
{
    const struct query_record_plan *p = plan_of(q);
    for (uint32_t k = 0; k < q->nselect; k++) {
        odp_buffer_add(out, p->columns[k].text, p->columns[k].len);
        query_add_value(out, q->info->columns[q->select[k]].type, row->values[q->select[k]]);
        if (q->names)
            add_names(p->names + (size_t)k * ODP_LANGS, &row->names[q->select[k]], out);
    }
    geometry = geometry && p->geometry.text != NULL;
    if (geometry) {
        odp_buffer_add(out, p->geometry.text, p->geometry.len);
        if (q->info->mode == ODP_GEOMETRY_SIMPLIFIED && row->simple.ptr != NULL)
            odp_buffer_add_slice(out, row->simple);
        else
            add_geometry(q, row, out);
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

/* The members of a static page, in its order (tools/odp-build/write/record.c); those without a meaning here
 * are null. */
void query_end_envelope(struct odp_query *q, bool any, struct odp_slice extra)
{
    const struct odp_query_result *r = q->answer;
    struct odp_buffer *out = &q->answer->body;
    const char *f = form_name(q);
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
    add_link(out, query_link_self(q, form_name(q)), "self", geojson_type);
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
        add_geometry(q, row, out);
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
    query_add_heads(q, q->select, q->nselect);
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
    query_add_columns(q, q->select, q->nselect, row->values, row->names);
    if (shape_width(q) > 0)
        add_shape(q, row);
    query_end_line(q);
}

static void end_csv(struct odp_query *q)
{
}

const struct query_writer query_write_envelope = {envelope_type, begin_envelope, add_envelope, end_envelope,
                                                  QUERY_READ_SHAPE | QUERY_READ_SIMPLE},
                          query_write_geojson = {geojson_type, begin_geojson, add_feature, end_geojson,
                                                 QUERY_READ_SHAPE},
                          query_write_csv = {"text/csv; charset=utf-8", begin_csv, add_csv, end_csv,
                                             QUERY_READ_SHAPE | QUERY_READ_LABEL};
