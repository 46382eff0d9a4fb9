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
    size_t fixed;                       /* bytes of a record besides its values and its geometry */
    const char *geometry;               /* ,"geometry":  NULL: the envelope shows none */
    uint32_t geometry_len;
};
/* q->record; NULL: no memory. */
const struct query_record_plan *query_record_plan(struct odp_query *q) ODP_MUST_USE;
/* The same object as query_add_record's, without geometry. */
void query_add_properties(struct odp_query *q, const struct query_row *row, struct odp_buffer *out);
/* The exact geometry as GeoJSON, or null. */
void query_add_geometry(const struct query_row *row, struct odp_buffer *out);
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
/* CELL (JSON, ptr NULL: null) of a column of TYPE as a CSV field. */
void query_csv_add_cell(struct odp_buffer *out, struct odp_slice cell, enum odp_type type);
/* A coordinate of 1e-7 degrees, with at most 7 decimals. OUT has room for 16 bytes; returns the length. */
size_t query_degrees(int32_t units, char *out);
/* NAME, or with "geometry_" before it as often as it takes to be no field of the record; in Q's arena; NULL: no memory. */
const char *query_free_name(struct odp_query *q, const char *name) ODP_MUST_USE;

/* ---- views.c: what facets, aggregates and the gantt view have in common ---- */

/* CELL as plain text (a string without quotes and escapes), in Q's arena or CELL's own bytes. ptr NULL: null. */
enum odp_status query_view_text(struct odp_query *q, struct odp_slice cell, struct odp_slice *text) ODP_MUST_USE;
/* "d".c<k>; of a wide column what orders and groups it (odp_order). */
void query_view_column(const struct odp_query *q, uint32_t k, struct odp_sql *sql);

/* Looks up published values by the records' numbers. Zeroed at first; end it whatever begin returned. */
struct query_view_cells {
    struct odp_query *q;
    struct query_run *run;
    struct odp_slice *cells; /* info->ncolumns; live until the next look-up */
    struct odp_buffer bytes;
};
enum odp_status query_view_cells_begin(struct query_view_cells *v, struct odp_query *q, struct query_run *run) ODP_MUST_USE;
enum odp_status query_view_cells_find(struct query_view_cells *v, int64_t id, struct odp_query_fault *fault) ODP_MUST_USE;
void query_view_cells_end(struct query_view_cells *v);
/* What the code TEXT of column K means, in Q's arena. DONE: nothing is known. */
enum odp_status query_view_label(struct odp_query *q, struct query_run *run, uint32_t k, struct odp_slice text, struct odp_text *label,
                                 struct odp_query_fault *fault) ODP_MUST_USE;

#endif
