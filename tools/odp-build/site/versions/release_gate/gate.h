/* The release gate: what the change from the published site to this catalogue asks of the API's release
 * number, and whether the newest release of changes.json gives it. Also the deprecation windows: what goes
 * must have been announced, and its day past. */
#pragma once

#include "published/schema_change.h"
#include "site/versions/release.h"

struct odp_gate_finding {
    enum odp_level level;
    const char *dataset, *resource; /* resource may be NULL */
    const char *field;              /* or NULL */
    const char *kind;         /* "field-removed", "dataset-added": stable (schema_change.def, change.def) */
    const char *file, *where; /* of the catalogue; NULL: it no longer speaks of it */
    struct odp_text text;     /* one sentence */
};
struct odp_gate {
    enum odp_level needed, given;
    const char *before, *now;          /* releases; before NULL: nothing is published yet */
    const char *least;                 /* the smallest number that would do */
    struct odp_gate_finding *findings; /* highest level first, then in the catalogue's order */
    size_t n;
};
/* What is compared. Of a dataset that is not built nothing changes, whatever the catalogue says by now. */
struct odp_gate_job {
    const struct odp_site *previous; /* may be NULL */
    const struct odp_catalog *catalog;
    const bool *only;  /* by dataset, in the catalogue's order: it is built; NULL: all are */
    const char *today; /* "YYYY-MM-DD" */
};

/* Compares; everything in A. Faults go to DIAGS: a number too small (one diagnostic a finding that asks for
 * more than is given), a field or dataset that goes before its sunset. BAD: refused. */
enum odp_status odp_gate_check(struct odp_gate *out, const struct odp_gate_job *job, struct odp_arena *a,
                               struct odp_diags *diags) ODP_MUST_USE;
