/* Inside of repair/rewrite: a CSV file being planned, shared by csv.c (lines, labels, the whole),
 * csv_records.c (records) and csv_plan.c (what both need). */
#pragma once

#include "read/csv/reader.h"
#include "repair/rewrite/proof.h"
#include "repair/rewrite/rewrite_internal.h"

struct csv_plan {
    struct plan *p;
    const struct odp_resource *r;
    struct csv_rules rules;
    struct csv_text *text; /* the file as text, apart from the source */
    struct odp_diags *own; /* what the reader reports: the caller knows it from the check */
    struct odp_encoder encoder;
    char eol[3];                              /* the file's first line end */
    struct odp_buffer cell, written, encoded; /* for one cell */
    struct odp_buffer last;                   /* the last sound record, a model for appended ones */
    struct odp_proof proof;
};

/* Patches for the N edits of records; with none of them only the proof is prepared. OK, BAD (unreadable: in
 * own), FAIL. */
enum odp_status csv_plan_records(struct csv_plan *c, size_t n) ODP_MUST_USE;
/* Adds a patch with TEXT, encoded. BEFORE and AFTER are for showing. Reports what cannot be encoded. */
void csv_plan_patch(struct csv_plan *c, const struct edit *e, struct patch *patch, struct odp_slice text,
                    struct odp_slice before, struct odp_slice after);
/* Reports that edit E of VALUE does not fit. FIELD NULL: it is of a whole record or line. */
void csv_plan_misfit(struct csv_plan *c, const struct edit *e, enum odp_code code, uint64_t line,
                     const char *field, struct odp_slice value);
/* OK, or FAIL: something failed since the plan was begun. */
enum odp_status csv_plan_status(const struct csv_plan *c) ODP_MUST_USE;
/* Where the text ends, and whether its last line has no end. */
enum odp_status csv_plan_end(struct csv_plan *c, uint64_t *end, bool *open) ODP_MUST_USE;
