/* Inside of service/queries/engine: what the writers of bodies have in common. */
#ifndef ODP_SERVICE_QUERIES_ENGINE_WRITE_INTERNAL_H
#define ODP_SERVICE_QUERIES_ENGINE_WRITE_INTERNAL_H

#include "service/queries/engine/query_internal.h"

/* What stands before a value: {"name":  or  ,"name":  */
struct query_record_item {
    const char *prefix;
    uint32_t len, column;
};
/* A record as a JSON object, decided once a query. */
struct query_record_plan {
    struct query_record_item *items;    /* the columns of q->select */
    uint32_t n;
    const char *geometry;               /* ,"geometry":  NULL: the envelope shows none */
    uint32_t geometry_len;
};
/* q->record; NULL: no memory. */
const struct query_record_plan *query_record_plan(struct odp_query *q) ODP_MUST_USE;
/* The same object as query_add_record's, without geometry. */
void query_add_properties(struct odp_query *q, const struct query_row *row, struct odp_buffer *out);
/* TEXT as published (ptr NULL: null) of a column of TYPE, as JSON. */
void query_add_value(struct odp_buffer *out, enum odp_type type, struct odp_slice text);
/* The exact geometry as GeoJSON, or null. */
void query_add_geometry(struct odp_query *q, const struct query_row *row, struct odp_buffer *out);
/* ROW's geometry, until the next one is read. False: it is damaged (the failure is recorded). */
bool query_read_shape(struct odp_query *q, const struct query_row *row, struct odp_geom *g) ODP_MUST_USE;
static inline bool query_ends_with(const struct odp_buffer *b, char c)
{
    return b->len > 0 && b->ptr[b->len - 1] == c;
}
/* Comma between records where one is needed: before each, after "[". */
void query_add_between(struct odp_buffer *out);

/* ,"meta":{…},"links":{…} with more members of meta: EXTRA is empty or begins with a comma. */
void query_add_meta_with(struct odp_query *q, const struct odp_query_result *r, struct odp_slice extra, struct odp_buffer *out);
/* {"id":…,"en":…}; FALLBACK where both are empty. */
void query_add_text(const struct odp_text *t, const char *fallback, struct odp_buffer *out);
/* "name": */
void query_add_name(struct odp_buffer *out, const char *name);

/* ---- link.c ---- */

/* The query in another form; F: its name in `f`. NULL: none. In Q's arena; NULL: no memory. */
const char *query_link_form(struct odp_query *q, const char *cursor, const char *f) ODP_MUST_USE;
const char *query_form_name(const struct odp_query *q); /* of q's form, for query_link_form */
/* This page: with its cursor. */
const char *query_link_self(struct odp_query *q, const char *f) ODP_MUST_USE;
/* The collection of OGC API - Features: "https://…/v1/ogc/collections/<id>". */
const char *query_link_collection(struct odp_query *q) ODP_MUST_USE;
/* Appends the address of ROW alone, percent-encoded. */
void query_add_item_link(struct odp_query *q, const struct query_row *row, struct odp_buffer *out);
/* S with everything but letters, digits, '-', '_', '.' and '~' percent-encoded. */
void query_add_percent(struct odp_buffer *out, struct odp_slice s);

/* ---- csv.c ---- */

/* TEXT as a CSV field: null (ptr NULL) is empty, the empty text is "". */
void query_csv_add_text(struct odp_buffer *out, struct odp_slice text);
/* TEXT of a column of TYPE as a CSV field. */
void query_csv_add_value(struct odp_buffer *out, enum odp_type type, struct odp_slice text);
/* A coordinate with at most 7 decimals. */
void query_add_degrees(struct odp_buffer *out, double v);
/* The label of ROW's geometry in degrees, and its type. DONE: it has no point. */
enum odp_status query_label_of(struct odp_query *q, const struct query_row *row, double at[2], struct odp_geom *g) ODP_MUST_USE;
/* NAME, or with "geometry_" before it as often as it takes to be no field of the record; in Q's arena;
 * NULL: no memory. */
const char *query_free_name(struct odp_query *q, const char *name) ODP_MUST_USE;

/* ---- views.c: what facets, aggregates and the gantt view have in common ---- */

/* What the code TEXT of column K means, in Q's arena. DONE: nothing is known. */
enum odp_status query_view_label(struct odp_query *q, struct query_run *run, uint32_t k, struct odp_slice text, struct odp_text *label,
                                 struct odp_query_fault *fault) ODP_MUST_USE;

#endif
