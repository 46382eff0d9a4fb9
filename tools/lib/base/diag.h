/* Diagnostics are data. The finder of a fault fills struct odp_diag (diagnostic.h) and adds it to a
 * collector, which is this header; tools/odp-build/report shows it. Codes, names, severities and texts are in
 * contract/diagnostics.def.
 *
 * A collector counts every fault, by group (dataset, resource, code, field, rule), and keeps the first
 * `limit` examples of each group. Collectors of batches are merged in the source's order, so the result is
 * the same on any number of threads. odp_diags_add copies all text it is given; text that could hold personal
 * identifiers is masked as it is copied. */
#pragma once

#include <stdint.h>

#include "base/arena.h"
#include "base/diagnostic.h"
#include "base/status.h"

/* A group of equal faults. `examples` is a list in order of arrival. */
struct odp_diag_node {
    struct odp_diag diag;
    struct odp_diag_node *next;
};
/* Lines that follow one another; in a list in order of arrival. */
struct odp_diag_lines {
    uint64_t first, last;
    struct odp_diag_lines *next;
};
struct odp_diag_group {
    enum odp_code code;
    enum odp_severity severity;
    const char *dataset, *resource, *field, *rule; /* any may be NULL */
    uint64_t count;
    struct odp_diag_node *examples, *last;
    size_t kept;
    /* The lines of all its faults but the `unlisted` ones: those without a line, and what is beyond
     * ODP_DIAG_RUNS_GROUP, ODP_DIAG_RUNS. */
    struct odp_diag_lines *lines, *lines_last;
    uint32_t nlines;
    uint64_t unlisted;
};

#define ODP_DIAG_RUNS_GROUP 5000u  /* runs of lines that a group keeps, */
#define ODP_DIAG_RUNS       50000u /* and a collector: so a million faults cost no memory */

struct odp_diags; /* a collector; belongs to one thread at a time */

/* A sink gets every fault, not only the examples. TAKE borrows the diagnostic (masked, bounded) for the call;
 * FAIL is handed on. */
struct odp_diag_sink {
    enum odp_status (*take)(void *ctx, const struct odp_diag *d);
    void *ctx;
};

/* LIMIT: examples kept a group (0 = none, only counts). */
enum odp_status odp_diags_new(struct odp_diags **out, size_t limit) ODP_MUST_USE;
void odp_diags_free(struct odp_diags *d);
void odp_diags_clear(struct odp_diags *d);
/* Returns BAD when it counted as an error, OK when not (warning, note, off), FAIL when out of memory or the
 * sink failed. A failure latches, and merge returns it: who adds to a collector that is merged later need not
 * look at the result. */
enum odp_status odp_diags_add(struct odp_diags *d, const struct odp_diag *diag);
/* All of SRC after all of D; SRC is left empty. Severities stay as SRC decided them: give overrides and
 * strict to the collectors of batches, too. */
enum odp_status odp_diags_merge(struct odp_diags *d, struct odp_diags *src) ODP_MUST_USE;
uint64_t odp_diags_count(const struct odp_diags *d, enum odp_severity severity);
uint64_t odp_diags_code_count(const struct odp_diags *d, enum odp_code code);
/* Groups in order of first arrival; *N their number. Borrowed until the collector changes. */
const struct odp_diag_group *const *odp_diags_groups(const struct odp_diags *d, size_t *n);

/* Sets argument ARG of NODE, which is D's, to TEXT (copied), once more is known. The sink has had the earlier
 * value. */
enum odp_status odp_diags_amend(struct odp_diags *d, const struct odp_diag_node *node, size_t arg,
                                struct odp_slice text) ODP_MUST_USE;

/* Severity by the catalogue: overrides[code] where it is not -1. Borrowed table of ODP_CODE_COUNT entries, or
 * NULL. */
void odp_diags_set_overrides(struct odp_diags *d, const signed char *overrides);
/* --strict: warnings count as errors. */
void odp_diags_set_strict(struct odp_diags *d, bool strict);
/* SINK (borrowed, or NULL) gets every fault that is added to D or merged into it. A merged collector must
 * hold all its examples: LIMIT of the collectors of batches is SIZE_MAX then. */
void odp_diags_set_sink(struct odp_diags *d, const struct odp_diag_sink *sink);
