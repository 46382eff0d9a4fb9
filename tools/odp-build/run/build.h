/* Inside of the pipeline: the state of odp_run_build, shared by its parts.
 *
 *   build.c      the order of things        inputs.c     what has not changed since the last build
 *   hold.c       --keep-good, and keys of what stays published
 *   version.c    which version a dataset's content is       changes.c    differences and delta files
 *   site.c       the site as a whole: carried over, listed, switched in       log.c      what the release log says */
#ifndef ODP_RUN_BUILD_H
#define ODP_RUN_BUILD_H

#include <stdatomic.h>

#include "published/history.h"
#include "published/release_log.h"
#include "run/inputs.h"
#include "run/run.h"

/* A dataset's part in the build. */
struct part {
    bool built;     /* selected, active, its files are staged */
    bool held;      /* keeps its published version, or stays away when it has none */
    bool published; /* the previous site has it */
    bool same;      /* nothing it is made of has changed: not even read */
    bool fresh;     /* built, and its content is a new version */
    bool corrected; /* fresh, under the date of the version before */
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
    uint64_t number;    /* of this build in the release log, if it changes anything */
    struct odp_log_change *changes; /* what the log's line says of datasets */
    size_t nchanges;
    atomic_bool wrong; /* something is, so nothing will be published (without --keep-good) */
};

static inline size_t odp_build_index(const struct build *b, const struct odp_dataset *d)
{
    return (size_t)(d - b->run.catalog->datasets);
}

/* Says something about a dataset as a whole; an error counts against its first resource. BAD: it was an error. */
enum odp_status odp_build_complain(struct build *b, enum odp_code code, const struct odp_dataset *d, const char *arg0, const char *arg1,
                                   const char *arg2) ODP_MUST_USE;

/* The same into DIAGS: while datasets are read beside each other. */
enum odp_status odp_build_complain_to(struct build *b, struct odp_diags *diags, enum odp_code code, const struct odp_dataset *d, const char *arg0,
                                      const char *arg1, const char *arg2) ODP_MUST_USE;

/* hold.c */
enum odp_status odp_build_hold(struct build *b, const struct odp_dataset *d, const char *because) ODP_MUST_USE;
/* The keys of R become those of its published version. DONE: it has none, or they cannot be read from it. */
enum odp_status odp_build_published_keys(struct build *b, const struct odp_resource *r) ODP_MUST_USE;
/* Until nothing changes: hold back what cannot stand beside what is held back. */
enum odp_status odp_build_settle(struct build *b) ODP_MUST_USE;

/* version.c */
/* Reads the histories of the previous site. */
enum odp_status odp_build_histories(struct build *b) ODP_MUST_USE;
/* The name D's content will probably have; into its part. BAD: no date is known (said in DIAGS). */
enum odp_status odp_build_expect(struct build *b, const struct odp_dataset *d, struct odp_diags *diags) ODP_MUST_USE;
/* Once all was read: which version each dataset's content is; those that were emitted under another name are emitted again. */
enum odp_status odp_build_versions(struct build *b) ODP_MUST_USE;
/* Enters the new version, and thins out old ones (odp:retention). CHANGES: by resource, or NULL; taken. */
enum odp_status odp_build_enter(struct build *b, const struct odp_dataset *d, json_t *changes_take) ODP_MUST_USE;

/* Files of versions that were thinned out by this build go. */
enum odp_status odp_build_drop_thinned(struct build *b, const struct odp_dataset *d) ODP_MUST_USE;

/* log.c */
/* What the release log will say of V: published, corrected, thinned. */
enum odp_status odp_build_note(struct build *b, struct part *part, const struct odp_version *v, const char *slug, const char *what) ODP_MUST_USE;
/* And of D: withdrawn where the catalogue says so; deprecated where it says so and the previous site did not. */
enum odp_status odp_build_note_state(struct build *b, const struct odp_dataset *d) ODP_MUST_USE;
/* Once all datasets are staged: stages the log, with a line where any of them has changed or has gone. */
enum odp_status odp_build_log(struct build *b, const struct odp_published *published, size_t n) ODP_MUST_USE;
/* Stages it with a line in any case. */
enum odp_status odp_build_log_append(struct build *b) ODP_MUST_USE;

/* candidate.c: D's new version is put beside the site, in OUT.candidates/<slug>/, and D is held at its published version. */
enum odp_status odp_build_candidate(struct build *b, const struct odp_dataset *d) ODP_MUST_USE;

/* changes.c */
/* Stages changes.* of a fresh version. *OUT: by resource what versions.json says of it; the caller's. */
enum odp_status odp_build_changes(struct build *b, const struct odp_dataset *d, json_t **out) ODP_MUST_USE;
/* Stages its delta files, once the twins are there; notes them in the newest entry. */
enum odp_status odp_build_deltas(struct build *b, const struct odp_dataset *d) ODP_MUST_USE;

/* site.c */
enum odp_status odp_build_publish(struct build *b, bool *switched) ODP_MUST_USE;

/* Reads D again, without reporting, and stages it under the name its part has. */
enum odp_status odp_build_emit(struct build *b, const struct odp_dataset *d) ODP_MUST_USE;

#endif
