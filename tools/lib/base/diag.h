/* Diagnostics are data. The finder of a fault fills struct odp_diag (diagnostic.h) and adds it to a
 * collector, which is this header; tools/odp-build/report shows it. Codes, names, severities and texts are
 * in contract/diagnostics.def.
 *
 * A collector counts every fault, by group (dataset, resource, code, field, rule), and keeps the first
 * `limit` examples of each group and cause; faults of a field with the same value, arguments and proposal
 * are one example, with its count and lines. Collectors of batches are merged in the source's order, so
 * the result is the same on any number of threads. odp_diags_add copies all text it is given; text that
 * could hold personal identifiers is masked as it is copied. */
#pragma once

#include <stdint.h>

#include "base/arena.h"
#include "base/diagnostic.h"
#include "base/status.h"

/* Lines that follow one another; in a list in order of arrival. */
struct odp_diag_lines {
    uint64_t first, last;
    struct odp_diag_lines *next;
};
/* The lines of some faults, but for the `unlisted` ones: those without a line, and what is beyond
 * ODP_DIAG_RUNS_GROUP, ODP_DIAG_RUNS. */
struct odp_diag_runs {
    struct odp_diag_lines *first, *last;
    uint32_t n;
    uint64_t unlisted;
};
/* An example. */
struct odp_diag_node {
    struct odp_diag diag; /* the first of them */
    struct odp_diag_node *next;
    uint64_t count; /* faults that are equal: at least so many where the group has left faults out */
    struct odp_diag_runs rows; /* of all of them; none where it is but one */
    uint64_t key;              /* hash of what makes them equal, */
    uint32_t group;            /* within the group of this number */
    bool masked;               /* the value is not as it was found */
};
/* A group of equal faults. `examples` is a list in order of arrival. */
struct odp_diag_group {
    enum odp_code code;
    enum odp_severity severity;
    const char *dataset, *resource, *field, *rule; /* any may be NULL */
    uint64_t count;
    struct odp_diag_node *examples, *last;
    size_t kept;
    struct odp_diag_part { /* the faults of a cause */
        uint64_t count;
        size_t kept;
        struct odp_diag_runs rows;
    } part[ODP_CAUSES];
    uint32_t number;
    uint64_t cells, records; /* of its field: cells that are filled, and records; 0: not known */
};

#define ODP_DIAG_RUNS_GROUP 5000u  /* runs of lines that a cause or an example keeps, */
#define ODP_DIAG_RUNS       50000u /* and a collector: so a million faults cost no memory */

struct odp_diags; /* a collector; belongs to one thread at a time */

/* A sink gets every fault, not only the examples. TAKE borrows the diagnostic (masked, bounded) for the call;
 * FAIL is handed on. */
struct odp_diag_sink {
    enum odp_status (*take)(void *ctx, const struct odp_diag *d);
    void *ctx;
};

/* LIMIT: examples kept a group and cause (0 = none, only counts; SIZE_MAX: every fault is an example of
 * its own). */
enum odp_status odp_diags_new(struct odp_diags **out, size_t limit) ODP_MUST_USE;
void odp_diags_free(struct odp_diags *d);
void odp_diags_clear(struct odp_diags *d);
/* Returns BAD when it counted as an error, OK when not (warning, note, off), FAIL when out of memory or the
 * sink failed. A failure latches, and merge returns it: who adds to a collector that is merged later need not
 * look at the result. */
enum odp_status odp_diags_add(struct odp_diags *d, const struct odp_diag *diag);
/* The same of an error after which nothing more can be done: BAD, or FAIL. */
static inline enum odp_status odp_diags_refuse(struct odp_diags *d, const struct odp_diag *diag)
{
    return odp_diags_add(d, diag) == ODP_FAIL ? ODP_FAIL : ODP_BAD;
}
/* All of SRC after all of D; SRC is left empty. Severities stay as SRC decided them: give overrides and
 * strict to the collectors of batches, too. */
enum odp_status odp_diags_merge(struct odp_diags *d, struct odp_diags *src) ODP_MUST_USE;
uint64_t odp_diags_count(const struct odp_diags *d, enum odp_severity severity);
uint64_t odp_diags_code_count(const struct odp_diags *d, enum odp_code code);
/* Groups in order of first arrival; *N their number. Borrowed until the collector changes. */
const struct odp_diag_group *const *odp_diags_groups(const struct odp_diags *d, size_t *n);

/* Tells of a field how many of its cells are filled, and of how many records. */
void odp_diags_tell_cells(struct odp_diags *d, const struct odp_diag_group *field, uint64_t cells,
                          uint64_t records);

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
