/* A run from its start to its end: catalogue and sources in, a report and (for a build) a switched site out.
 * This is the only room that knows all others.
 *
 * The map, in the order in which data meets the files. Everything begins in one of three, each readable from
 * top to bottom:
 *
 *   check.c      the whole of a check        build.c      the whole of a build        export.c      a build's
 *                files, without a site
 *
 * What all three do:
 *
 *   opening.c          the catalogue is read (lib/catalog), threads and batches are made; at the end all is
 *                      closed
 *   taking_part.c      which resources take part: those asked for, and what their keys and rules point to
 *   previous_site.c    the published site is opened (lib/published); the gate asks whether the release number
 *                      fits
 *   schedule.c         who is read when: small sources next to each other, large ones by all threads
 *   source_state.c       the source is what it was when it was first looked at
 *   pass.c               one resource: read -> check -> write, batch by batch
 *   slices.c               its files by the values of a field
 *   profiles.c             its statistics, compared with those of the version before
 *   rules_across.c     rules across datasets, once all tables have passed
 *   today.c            which datasets are overdue
 *   summary.c          a row for each dataset; dataset_state.c answers: selected? rejected? which version?
 *
 * What a build does besides:
 *
 *   idle.c             that nothing at all has changed, told before the catalogue is read (commands asks)
 *   inputs.c           recipes: what has not changed since the last build is not read
 *   build_resource.c   a resource whose turn it is: emitted (emit_dataset.c), or only its keys
 *                      (published_keys.c)
 *   version.c          which version the content is; histories are read and entered
 *   keep_good.c        --keep-good: what is held back, and what cannot stand next to it
 *   whole_site.c       the site: put together, signed, switched in
 *   stage_datasets.c     each dataset: built, carried over whole, waiting (candidate.c), withdrawn
 *   version_changes.c    differences and deltas of a new version
 *   carry_over.c         what stays of the site before
 *   release_log.c        what releases.log says of it
 *   site_pages.c         what is made of all datasets: search, API documents, clients, metadata, portal
 *                        (site/)
 *   build_outcome.c    what the report says of each dataset; dataset_fault.c says a fault of a dataset as a
 *                      whole
 *
 * What an export does besides: export_plan.c (refuses what can be refused before data is read),
 * export_folder.c (the folder). Next to runs: watch.c waits for a change of what a build reads;
 * entry_template.c makes the empty workbook of `odp-build template`. The state of a run is in run_internal.h,
 * of a build in build_internal.h, of an export in export_internal.h. */
#pragma once

#include "base/digest.h"
#include "base/progress.h"
#include "catalog/catalog.h"
#include "report/report.h"

struct odp_secret_key;

struct odp_options {
    const char *catalog;      /* folder */
    bool links;               /* it is made of links to what somebody chose */
    const char *sources;      /* or NULL: each dataset's own folder */
    const char *out;          /* "build/site" */
    const char *previous;     /* site to take other datasets from; NULL: the current out */
    const char *const *slugs; /* those named, or NULL for all */
    size_t nslugs;
    bool chosen;                   /* only those named, even where none is */
    const char *as_slug, *as_file; /* check --as SLUG FILE */
    const char *as_shown;          /* what is said for the file; NULL: its path */
    int64_t as_skipped; /* lines more that it has in front of its records than AS_FILE, made of it */
    const char
        *formats; /* of an export: "json,excel.csv", names of emitters; NULL: all that the datasets offer */
    const char *today; /* YYYY-MM-DD or NULL */
    bool keep_good, strict;
    bool preview;    /* of a build: drafts are shown; no release number, no approval is asked for, and without
                     previous it is compared with nothing. What it makes is refused wherever a site is read */
    unsigned jobs;   /* >= 1 */
    size_t examples; /* kept a group */
    const struct odp_diag_sink *sink; /* gets every fault of the datasets' data; or NULL */
    const struct odp_progress *progress;
    const struct odp_secret_key *key; /* signs the manifest; or NULL */
    const char *share; /* folder of the portal's templates and assets; NULL: a site without pages */
    bool share_named;  /* by the user: not the folder that came with the program */
};

/* A file that an export has written. */
struct odp_exported {
    const char *path; /* as --out was given, and its name */
    uint64_t size;
    uint8_t sha256[ODP_SHA256_SIZE];
};

/* What a run says of itself. Initialize with {0}; release frees what it holds. */
struct odp_run {
    struct odp_arena arena;
    struct odp_catalog *catalog;
    struct odp_diags *diags;
    struct odp_summary summary;
    bool catalog_wrong; /* exit code 2 */
    struct odp_text
        refused; /* why an export was not begun, where nothing is wrong with the data; else empty */
    const struct odp_exported *exported; /* sorted by name */
    size_t nexported;
    struct odp_slice folders; /* of the site, where a build found nothing to do (idle.h); else empty */
};

/* OK: clean; BAD: data or catalogue rejected (see diags, catalog_wrong); FAIL: the machine
 * (odp_failure_text). */
enum odp_status odp_run_check(struct odp_run *run, const struct odp_options *o) ODP_MUST_USE;
enum odp_status odp_run_build(struct odp_run *run, const struct odp_options *o) ODP_MUST_USE;
/* Checks the datasets of O's slugs, and writes their distributions (O's formats) and SHA256SUMS into the
 * folder O's out: export.c. */
enum odp_status odp_run_export(struct odp_run *run, const struct odp_options *o) ODP_MUST_USE;
/* Only the catalogue: for list and show. */
enum odp_status odp_run_catalog(struct odp_run *run, const struct odp_options *o) ODP_MUST_USE;
/* Reads the code lists that the one dataset of O's slugs needs, and writes its entry workbook
 * (repair/entry_workbook/entry.h) to PATH. BAD: catalogue or lists are wrong, or PATH is THERE already. */
enum odp_status odp_run_template(struct odp_run *run, const struct odp_options *o, const char *path,
                                 enum odp_lang lang, bool *there) ODP_MUST_USE;
void odp_run_release(struct odp_run *run);
