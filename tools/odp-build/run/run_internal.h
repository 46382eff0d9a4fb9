/* Inside of run: the state of one run, be it a check, a build or an export. */
#pragma once

#include <pthread.h>
#include <string.h>

#include "base/pool.h"
#include "check/validator.h"
#include "read/source.h"
#include "run/run.h"
#include "site/versions/release.h"
#include "write/emit.h"

/* What becomes of a resource in this run. */
enum role {
    ROLE_NONE,     /* not needed */
    ROLE_SELECTED, /* checked, its faults are reported; published in a build */
    ROLE_KEYS      /* only its keys are needed by a selected one */
};

/* One resource's part in the run; indexed by odp_resource.index. */
struct task {
    enum role role;
    uint64_t rows, errors, warnings;
    uint8_t *unsound; /* where its errors are, for rules across datasets (rules_across.c); NULL: not asked */
    bool read;        /* its source was read to the end */
    bool compared;    /* of a check: its content is compared with a published one, so its digest is wanted */
    bool stamped;     /* it was looked at (source_state.c), and was this */
    uint8_t stamp[ODP_SHA256_SIZE];
    char *last_update;      /* newest value of odp:lastUpdate's field, or NULL */
    struct odp_arena arena; /* of what is published of it: resources may be emitted beside each other */
    struct odp_published_resource published;
    struct odp_drift_rows *records; /* its records against those before; NULL: they were not compared */
};

/* The threads and the batches that a pass over a resource has: all of the run's, or one of each, where
 * several passes go on at once (schedule.c). */
struct crew {
    struct odp_pool *pool;
    struct slot *slots; /* as many as the pool has */
    size_t first;       /* number of slots[0] among the run's */
    bool tells;         /* of progress: it is on the main thread */
};

/* A resource's turn: who reads it, where its faults go. */
struct turn {
    const struct odp_resource *resource;
    enum role role;
    const struct crew *crew;
    struct odp_diags *diags;
};

/* The resources of a run and their outcome. */
struct work {
    void *ctx;
    /* Any thread; others beside it have turns of resources that are not linked with this one (schedule.c).
     * OK, BAD, FAIL. */
    enum odp_status (*take)(void *ctx, const struct turn *turn);
    bool
        portal; /* its templates are checked at the same time; if they are wrong, the data are not reported */
    bool keys_alone; /* a resource of which only the keys are needed has the run for itself */
};

struct run {
    const struct odp_options *options;
    struct odp_run *result;
    const struct odp_catalog *catalog;
    bool stamped; /* the catalogue's own files were looked at, and were this */
    uint8_t stamp[ODP_SHA256_SIZE];
    struct odp_arena *arena;
    struct odp_pool *pool, *single; /* single: of one thread, which any thread may use */
    pthread_mutex_t
        lock; /* what resources that are read at once share: arena, codes, cross, index, bytes_done */
    struct odp_keyring *keys;
    struct task *tasks;
    struct odp_site *previous; /* NULL: none */
    json_t *index;             /* of a check: v1/index.json of --out, once it was asked for; or NULL */
    bool index_read;
    struct odp_stage *stage;        /* NULL in a check */
    struct odp_portal_frame *frame; /* what pages are made with; NULL: nobody has looked at it */
    bool prints;                    /* it makes files: not a check */
    bool *wanted;                   /* by dataset: odp_run_selected */
    bool *skip; /* by resource: it has not changed, and takes part only where its keys are needed */
    enum odp_outcome *outcomes;       /* by dataset, in the catalogue's order */
    const struct odp_score **scores;  /* by dataset: odp_run_score */
    uint64_t bytes_done, bytes_total; /* of the sources, for progress */
    /* What one pass over a resource needs, kept from resource to resource. */
    struct slot *slots;
    size_t nslots;
    struct odp_code_lists *codes;     /* what codes mean */
    struct odp_row_places *rows;      /* places of records that keys lead to; NULL: nobody asks */
    struct odp_search_file *searches; /* query indexes made in this run, by resource */
    struct odp_cross *
        cross; /* rules across datasets while their tables are read; NULL: none takes part, or that is over */
};

struct odp_cross;
struct odp_cross_rule;

static inline enum odp_status odp_worst(enum odp_status a, enum odp_status b)
{
    return a == ODP_FAIL || b == ODP_FAIL ? ODP_FAIL : a == ODP_BAD || b == ODP_BAD ? ODP_BAD : ODP_OK;
}

/* ---- opening.c ---- */

/* Reads the catalogue, chooses what takes part, makes threads and batches. Close the run in every case. */
enum odp_status odp_run_open(struct run *r, struct odp_run *result, const struct odp_options *o) ODP_MUST_USE;
void odp_run_close(struct run *r);

/* ---- taking_part.c ---- */

/* Which datasets are selected; then which resources take part, by that, states and skip. odp_run_open has
 * done so with nothing to skip. */
void odp_run_choose(struct run *r);
void odp_run_roles(struct run *r);
/* D offers a PDF. */
bool odp_run_is_printed(const struct odp_dataset *d);

/* ---- previous_site.c ---- */

/* Opens the published site, if any; then checks whether the release number fits the changes since
 * (site/versions/release_gate/gate.h). */
enum odp_status odp_run_previous(struct run *r) ODP_MUST_USE;
enum odp_status odp_run_gate(struct run *r) ODP_MUST_USE;

/* ---- schedule.c ---- */

/* The work for every resource that takes part, targets of keys first, several at once where they are small;
 * then errors that were settled late are counted where they belong. */
enum odp_status odp_run_schedule(struct run *r, const struct work *work) ODP_MUST_USE;
/* The portal's templates, assets and theme (odp_portal_frame_open). BAD: the catalogue is wrong
 * (reported). */
enum odp_status odp_run_portal(struct run *r, bool proven) ODP_MUST_USE;

/* ---- rules_across.c ---- */

/* Whether RULE takes part: by the tables that are selected. Then around the reading of all tables; the end
 * says what is broken (BAD: errors). */
bool odp_run_rule_active(const struct run *r, const struct odp_cross_rule *rule);
enum odp_status odp_run_rules_begin(struct run *r) ODP_MUST_USE;
enum odp_status odp_run_rules_end(struct run *r) ODP_MUST_USE;
/* Where the errors in DIAGS are: of OWN, which has been read; NULL: of all tables, beside what is known. */
void odp_run_note_unsound(struct run *r, const struct odp_resource *own, const struct odp_diags *diags);

/* ---- pass.c ---- */

/* The batches of all threads. */
enum odp_status odp_run_open_slots(struct run *r) ODP_MUST_USE;
void odp_run_close_slots(struct run *r);
/* One resource through all stages. QUIET: its faults are not reported, its keys alone are wanted. JOB: emit;
 * NULL: only check. OK, BAD (it has errors, counted in its task), FAIL. */
enum odp_status odp_run_resource(struct run *r, const struct odp_resource *resource, bool quiet,
                                 struct odp_emit_job *job) ODP_MUST_USE;
/* The same by those of TURN, its faults into the turn's. */
enum odp_status odp_run_turn(struct run *r, const struct turn *turn, bool quiet,
                             struct odp_emit_job *job) ODP_MUST_USE;
/* Thread WORKER of the pool, for one pass alone; all threads, for one pass at a time. */
struct crew odp_run_alone(const struct run *r, unsigned worker);
struct crew odp_run_together(const struct run *r);

/* ---- source_state.c ---- */

/* The path of a resource's source, in A; --as FILE replaces the dataset's own. NULL: out of memory. */
char *odp_run_source(const struct run *r, const struct odp_resource *resource,
                     struct odp_arena *a) ODP_MUST_USE;
/* Its source is what it was when this run first looked at it. FAIL: somebody has changed it since. */
enum odp_status odp_run_source_stays(const struct run *r, const struct odp_resource *resource) ODP_MUST_USE;
/* The same of what the catalogue says of all datasets (portal.json and the like), which is read first, and
 * once more to know it again. */
enum odp_status odp_run_catalog_stays(struct run *r) ODP_MUST_USE;
/* STATUS, or the digest of TEXT where it is OK; TEXT is given back. */
enum odp_status odp_run_digest_of(enum odp_status status, struct odp_buffer *text,
                                  uint8_t out[ODP_SHA256_SIZE]) ODP_MUST_USE;

/* ---- today.c ---- */

/* --today, or the day it is where the portal is; in the run's arena. Only diagnostics depend on it. NULL: out
 * of memory. */
const char *odp_run_today(struct run *r);
/* ODP-Q10 for each selected dataset that is past its odp:frequency. DATE_OF: its last update, or NULL. OK,
 * BAD where the catalogue makes it an error. */
enum odp_status odp_run_overdue(struct run *r,
                                const char *(*date_of)(const void *ctx, const struct odp_dataset *d),
                                const void *ctx) ODP_MUST_USE;

/* ---- dataset_state.c ---- */

/* By name, or because all were; that, or it is a code list of one of those. */
bool odp_run_asked(const struct run *r, const struct odp_dataset *d);
bool odp_run_selected(const struct run *r, const struct odp_dataset *d);
bool odp_run_rejected(const struct run *r, const struct odp_dataset *d);
/* odp:lastUpdate, or the newest value of its field once the dataset was read; NULL when not known. */
const char *odp_run_version(const struct run *r, const struct odp_dataset *d);
/* odp:formats in one line, in the run's arena; "" where memory runs out. */
const char *odp_run_formats(const struct run *r, const struct odp_dataset *d);

/* ---- summary.c ---- */

/* The scorecard of D, which is no code list, made once. NULL: out of memory. */
const struct odp_score *odp_run_score(struct run *r, const struct odp_dataset *d);
/* Fills result->summary from tasks and outcomes. DESCRIBE (or NULL) then completes a dataset's row: its
 * version, what changed. */
enum odp_status odp_run_summarize(struct run *r,
                                  void (*describe)(const void *ctx, const struct odp_dataset *d,
                                                   struct odp_summary_dataset *row),
                                  const void *ctx) ODP_MUST_USE;
