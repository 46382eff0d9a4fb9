/* The proposals of one source, by rule and by value, for `odp-build fix`.
 *
 *   faults --> candidates, in groups by rule --> a trial (sets aside what does not fit)
 *          --> shown, accepted or not --> one rewrite
 *
 * Of two proposals for one cell the one of the worse fault counts, then the one found first; a record that
 * is deleted takes none for its cells. */
#pragma once

#include "repair/repair.h"
#include "repair/file_state.h"

/* Proposals that are equal: the same field, found and proposed text; else (a record, a line, a label) one. */
struct odp_fix_value {
    const char *field;                /* or NULL */
    struct odp_slice value, proposal; /* as in the fault; ptr NULL: none */
    uint64_t proposals;               /* that can be applied */
    bool accepted, hidden;            /* set by the caller; hidden: not shown */
    size_t first, last;               /* candidates: fix.c's own */
};
struct odp_fix_group {
    enum odp_code code;
    const char *rule;               /* code of an odp:rules entry, or NULL */
    const struct odp_text *message; /* replaces the code's title, or NULL */
    enum odp_severity severity;
    uint64_t faults;               /* found, with a proposal or without */
    uint64_t proposals;            /* that can be applied */
    uint64_t unfit;                /* that cannot: see the diagnostics */
    struct odp_fix_value **values; /* in the source's order */
    size_t nvalues;
    bool draws; /* shapes change: odp_fix_picture shows them */
};

struct odp_fix;
/* R's source at PATH, as it was when the check BEGAN. Proposals that cannot be applied are reported in
 * DIAGS. OK; BAD: nothing can be applied (the kind of source); FAIL. *OUT (NULL when FAIL) borrows F and R.
 */
enum odp_status odp_fix_new(struct odp_fix **out, struct odp_faults *f, const struct odp_resource *r,
                            const char *path, const struct odp_file_state *began,
                            struct odp_diags *diags) ODP_MUST_USE;
void odp_fix_free(struct odp_fix *x);
/* Groups with proposals, the worst first. The caller may set what is accepted. */
struct odp_fix_group *const *odp_fix_groups(struct odp_fix *x, size_t *n);
/* Faults that were not kept (ODP-A08). */
uint64_t odp_fix_dropped(const struct odp_fix *x);
/* The first edit of each of the first MOST values of a group that are not hidden, as they would be
 * applied, in the source's order. */
enum odp_status odp_fix_show(struct odp_fix *x, const struct odp_fix_group *g, uint64_t most,
                             odp_edit_show *show, void *ctx) ODP_MUST_USE;
/* All shapes of a group that draws, before and after, as a page at PATH. */
enum odp_status odp_fix_picture(struct odp_fix *x, const struct odp_fix_group *g, const char *path,
                                enum odp_lang lang) ODP_MUST_USE;
/* Rewrites the source with the accepted values (DRY: nothing is written). *DEFERRED: proposals that yielded
 * to another one. OK; BAD (reported); FAIL. */
enum odp_status odp_fix_apply(struct odp_fix *x, bool dry, struct odp_arena *arena, struct odp_rewritten *out,
                              uint64_t *deferred, struct odp_diags *diags) ODP_MUST_USE;
