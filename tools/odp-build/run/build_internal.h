/* Inside of run: the state of odp_run_build. */
#pragma once

#include <stdatomic.h>

#include "published/history.h"
#include "published/release_log.h"
#include "run/inputs.h"
#include "run/run_internal.h"

/* A dataset's part in the build. */
struct part {
    bool built;          /* selected, active, its files are staged */
    bool held;           /* keeps its published version, or stays away when it has none */
    bool published;      /* the previous site has it */
    bool same;           /* nothing it is made of has changed: not even read */
    bool fresh;          /* built, and its content is a new version */
    bool corrected;      /* fresh, under the date of the version before */
    const char *date;    /* odp:lastUpdate as declared or found */
    const char *version; /* its name; before the content is known, the likely one */
    uint8_t digest[ODP_SHA256_SIZE];
    struct odp_history history; /* of the previous site; then with the new version */
    const char *former;         /* the slug that history has in the previous site; NULL: the present one */
    struct odp_log_change *log; /* what the release log says of it; in the arena */
    size_t nlog;
};

struct build {
    struct run run;
    struct part *parts; /* by dataset, in the catalogue's order */
    struct inputs inputs;
    uint64_t number;                /* of this build in the release log, if it changes anything */
    struct odp_log_change *changes; /* what the log's line says of datasets */
    size_t nchanges;
    atomic_bool wrong; /* something is, so nothing will be published (without --keep-good) */
};

static inline size_t odp_build_index(const struct build *b, const struct odp_dataset *d)
{
    return (size_t)(d - b->run.catalog->datasets);
}

/* ---- dataset_fault.c ---- */

/* Says something about a dataset as a whole; an error counts against its first resource. BAD: it was an
 * error. */
enum odp_status odp_build_complain(struct build *b, enum odp_code code, const struct odp_dataset *d,
                                   const char *arg0, const char *arg1, const char *arg2) ODP_MUST_USE;

/* The same into DIAGS: while datasets are read beside each other. */
enum odp_status odp_build_complain_to(struct build *b, struct odp_diags *diags, enum odp_code code,
                                      const struct odp_dataset *d, const char *const args[3]) ODP_MUST_USE;

/* ---- keep_good.c ---- */

/* D keeps its published version. BECAUSE: the dataset that caused it, for the report; or NULL. */
enum odp_status odp_build_hold(struct build *b, const struct odp_dataset *d,
                               const char *because) ODP_MUST_USE;
/* Holds back datasets that do not fit the ones held back, until nothing changes. */
enum odp_status odp_build_settle(struct build *b) ODP_MUST_USE;

/* ---- published_keys.c ---- */

/* The keys of R become those of its published version. DONE: it has none, or they cannot be read from it. */
enum odp_status odp_build_published_keys(struct build *b, const struct odp_resource *r) ODP_MUST_USE;
/* Whether a published record of R has a key that the new version of KEY's target lacks. */
enum odp_status odp_build_published_key_dangles(struct build *b, const struct odp_resource *r,
                                                const struct odp_foreign_key *key,
                                                bool *dangles) ODP_MUST_USE;

/* ---- version.c ---- */

/* Reads the histories of the previous site. */
enum odp_status odp_build_histories(struct build *b) ODP_MUST_USE;
/* The name D's content will probably have; into its part. BAD: no date is known (said in DIAGS). */
enum odp_status odp_build_expect(struct build *b, const struct odp_dataset *d,
                                 struct odp_diags *diags) ODP_MUST_USE;
/* Once D was read: sets the version that its content is, and whether that is new. BAD: refused (reported). */
enum odp_status odp_build_decide(struct build *b, const struct odp_dataset *d) ODP_MUST_USE;
/* Once all was read: which version each dataset's content is; those that were emitted under another name are
 * emitted again. */
enum odp_status odp_build_versions(struct build *b) ODP_MUST_USE;
/* Enters the new version, and thins out old ones (odp:retention). CHANGES: by resource, or NULL; taken. */
enum odp_status odp_build_enter(struct build *b, const struct odp_dataset *d,
                                json_t *changes_take) ODP_MUST_USE;

/* ---- carry_over.c ---- */

/* The files of D that stay are linked into the stage. ALL: nothing of it is made anew. BAD: they cannot be
 * had (reported). */
enum odp_status odp_build_carry(struct build *b, const struct odp_dataset *d, bool all) ODP_MUST_USE;
/* Files of versions that were thinned out by this build go. */
enum odp_status odp_build_drop_thinned(struct build *b, const struct odp_dataset *d) ODP_MUST_USE;

/* ---- release_log.c ---- */

/* What the release log will say of V: published, corrected, thinned. */
void odp_build_note(struct build *b, struct part *part, const struct odp_version *v, const char *slug,
                    const char *what);
/* And of D: withdrawn where the catalogue says so; deprecated where it says so and the previous site did not.
 */
void odp_build_note_state(struct build *b, const struct odp_dataset *d);
/* Once all datasets are staged: stages the log, with a line where any of them has changed or has gone. */
enum odp_status odp_build_log(struct build *b, const struct odp_published *published, size_t n) ODP_MUST_USE;
/* Stages it with a line in any case. */
enum odp_status odp_build_log_append(struct build *b) ODP_MUST_USE;

/* ---- candidate.c ---- */

/* D's new version is put beside the site, in OUT.candidates/<slug>/, and D is held at its published version.
 */
enum odp_status odp_build_candidate(struct build *b, const struct odp_dataset *d) ODP_MUST_USE;

/* ---- version_changes.c ---- */

/* Stages changes.* of a fresh version. *OUT: by resource what versions.json says of it; the caller's. */
enum odp_status odp_build_changes(struct build *b, const struct odp_dataset *d, json_t **out) ODP_MUST_USE;
/* Stages its delta files, once the twins are there; notes them in the newest entry. */
enum odp_status odp_build_deltas(struct build *b, const struct odp_dataset *d) ODP_MUST_USE;

/* ---- stage_datasets.c ---- */

/* Built ones, and those that are carried over whole; into PUBLISHED, N of them. */
enum odp_status odp_build_stage_datasets(struct build *b, struct odp_published *published,
                                         size_t *n) ODP_MUST_USE;

/* ---- label_files.c ---- */

/* Stages data/<list>/labels-<edition>.json of every code list: made of those that were read, else as they
 * were. After the datasets. */
enum odp_status odp_build_labels(struct build *b) ODP_MUST_USE;

/* ---- whole_site.c ---- */

/* Stages everything and switches. *SWITCHED: --out leads to the new site. */
enum odp_status odp_build_publish(struct build *b, bool *switched) ODP_MUST_USE;

/* ---- build_resource.c, emit_dataset.c ---- */

/* A resource whose turn it is; CTX is the build (struct work). */
enum odp_status odp_build_take(void *ctx, const struct turn *turn) ODP_MUST_USE;
/* The emitters' job for R, under the version of its part. */
struct odp_emit_job odp_build_job(struct build *b, const struct odp_resource *r);
/* Reads D again, without reporting, and stages it under the name its part has. */
enum odp_status odp_build_emit(struct build *b, const struct odp_dataset *d) ODP_MUST_USE;

/* ---- build_outcome.c ---- */

/* Rows and versions of what was not read are those of the last time. */
void odp_build_note_same(struct build *b);
void odp_build_note_outcomes(struct build *b, bool switched);
/* Completes the summary's row of D; CTX is the build. */
void odp_build_describe(const void *ctx, const struct odp_dataset *d, struct odp_summary_dataset *row);
