/* Rules across datasets (catalog/cross.h): gathered while the batches of the tables go by, each rule
 * evaluated when all have passed. Nothing is read twice: of a rule's own table the fields that the rule names
 * are kept row by row (32 MiB of all rules together, then an unlinked scratch file), of joined tables and of
 * groups one entry a key. docs/checks.md has the format, the meaning, and what memory it takes.
 *
 * Order of calls: odp_cross_begin; for each batch odp_cross_batch (any thread) and odp_cross_merge (in
 * order); a table that is read again begins again. When all tables have been read: odp_cross_evaluate. */
#pragma once

#include "base/pool.h"
#include "catalog/cross.h"
#include "catalog/records/batch.h"

/* Compiles all expressions of the catalogue's rules. OK, BAD (C09 in DIAGS, with line and column), FAIL. */
enum odp_status odp_cross_check(const struct odp_catalog *c, struct odp_diags *diags) ODP_MUST_USE;

struct odp_cross;
/* ACTIVE: by rule of the catalogue, whether it takes part. SLOTS: of the pool that batches come from. FAIL
 * only. */
enum odp_status odp_cross_new(struct odp_cross **out, const struct odp_catalog *c, const bool *active,
                              size_t slots) ODP_MUST_USE;
void odp_cross_free(struct odp_cross *x); /* NULL is allowed */
/* Whether an active rule needs R. X may be NULL. */
bool odp_cross_needs(const struct odp_cross *x, const struct odp_resource *r);

/* R is read from its start. FILE as shown to the user. */
void odp_cross_begin(struct odp_cross *x, const struct odp_resource *r, const char *file);
/* A typed batch of R, in SLOT of the pool. */
enum odp_status odp_cross_batch(struct odp_cross *x, struct odp_batch *b, size_t slot) ODP_MUST_USE;
enum odp_status odp_cross_merge(struct odp_cross *x, const struct odp_batch *b, size_t slot) ODP_MUST_USE;

/* What a rule needs of one table. */
struct odp_cross_use {
    const struct odp_resource *resource;
    bool *fields; /* by the schema: which of them */
    bool geometry;
    bool by_row; /* each record is judged by itself: those with a wrong value in such a field are left out */
};
struct odp_cross_tables {
    /* NULL: all that USE needs is sound; "": the table is not, or was not read; else the field that is
     * not. */
    const char *(*unsound)(const void *ctx, const struct odp_cross_use *use);
    const void *ctx;
};
/* Rule I of the catalogue, which is active. Where what it needs is not sound, that is one note (L03).
 * Faults go to DIAGS, whose overrides, severity and sink the caller sets. OK or FAIL. */
enum odp_status odp_cross_evaluate(struct odp_cross *x, size_t i, struct odp_pool *pool,
                                   const struct odp_cross_tables *tables,
                                   struct odp_diags *diags) ODP_MUST_USE;
