/* Inside of write: how a record becomes a JSON object, decided once a job. Read-only after init, shared by
 * all threads. */
#pragma once

#include "write/emit.h"

struct odp_json_item {
    const char *prefix; /* the text before the value: LEAD{"name":  or  ,"name":  with the name escaped,
                         * and the quote of a string; padded */
    uint32_t prefix_len;
    uint32_t field; /* column of the batch */
    bool quoted;    /* the value is a JSON string; else its text is JSON already */
    bool plain;     /* nothing in it is ever escaped */
};

struct odp_json_plan {
    struct odp_json_item *items; /* public fields in the schema's order, with the names of their codes */
    uint32_t n;
    size_t fixed;         /* bytes of a record besides its values */
    const char *geometry; /* ,"geometry":  or NULL: no such member */
    size_t geometry_len;
    const char *empty; /* the whole record when it has no member at all */
    enum odp_geometry_mode mode;
};

/* Of JOB's records, with the names of LABELS (NULL: none). LEAD precedes each object. All memory in A. */
void odp_json_plan_init(struct odp_json_plan *p, const struct odp_emit_job *job, enum odp_geometry_mode mode,
                        const struct odp_label_columns *labels, const char *lead, struct odp_arena *a);
void odp_json_plan_record(const struct odp_json_plan *p, struct odp_buffer *out, const struct odp_batch *b,
                          uint32_t i);

/* The name of a geometry's member or column: NAME, with as many "geometry_" in front as make it differ from
 * all public fields of R. */
const char *odp_emit_free_name(const struct odp_resource *r, const char *name, struct odp_arena *a);

/* A page of the API: its records, how many a page has at most, its number among how many. */
struct odp_emit_page {
    uint64_t records, limit, number, pages;
};
/* ,"status":"success","meta":{…} ; PAGE NULL: a file. The meta of a page has the members of the query
 * engine's answers, in their order (tools/odp-gateway/service/queries/engine/record.c). */
void odp_emit_add_meta(struct odp_buffer *out, const struct odp_emit_job *job, uint64_t total,
                       const struct odp_emit_page *page);
