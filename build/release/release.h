/* From emitted files to a published site: stage, twins, index, manifest, control, and the switch.
 *
 * --out DIR is a symbolic link to DIR.builds/<manifest digest>/. A stage is a folder DIR.builds/.stage-<random>; nothing the public
 * sees changes until odp_stage_switch renames the link. A stage that is not switched is removed; stale ones of killed runs are
 * removed when the next stage opens (a lock on DIR.builds keeps two runs apart). */
#ifndef ODP_RELEASE_RELEASE_H
#define ODP_RELEASE_RELEASE_H

#include "base/pool.h"
#include "base/progress.h"
#include "emit/emit.h"

struct odp_stage;
struct odp_site;
struct odp_history;

/* One file of a site, as in manifest and control. */
struct odp_site_file {
    const char *path;          /* relative to the site */
    const char *media_type;
    const char *encoding;      /* NULL, "gzip", "br" */
    enum odp_class cls;
    uint64_t size;
    uint8_t sha256[ODP_SHA256_SIZE];
    bool settled;              /* in a stage: it comes from a published site, so whether it has twins is decided */
    bool absent;               /* in a stage: its bytes are at the site it was carried from, not here (a sparse build) */
};

/* Opens a stage beside OUT. LOCKED: BAD with a diagnostic when another build holds the lock. */
enum odp_status odp_stage_open(struct odp_stage **out, const char *out_dir, struct odp_diags *diags) ODP_MUST_USE;
/* Removes what was staged and not switched. NULL is allowed. */
void odp_stage_close(struct odp_stage *s);
struct odp_output *odp_stage_output(struct odp_stage *s);
/* Writes a small file of the site at once. Thread-safe, like the output. */
enum odp_status odp_stage_put(struct odp_stage *s, const char *path, const char *media_type, enum odp_class cls,
                              struct odp_slice bytes) ODP_MUST_USE;
/* Forgets and removes all files of one dataset staged so far (it was rejected). */
enum odp_status odp_stage_drop(struct odp_stage *s, const char *slug) ODP_MUST_USE;
/* Takes over all files of SLUG from the previous site, byte for byte (link; digest checked against its manifest). DONE: the
 * previous site has none. BAD: a file there has changed (ODP-V03). */
enum odp_status odp_stage_carry(struct odp_stage *s, const struct odp_site *previous, const char *slug,
                                struct odp_diags *diags) ODP_MUST_USE;
/* The same for every file WANT says yes to. What is staged at such a path gives way, unless it is the same bytes. Bytes that are
 * elsewhere are entered without them: the build is sparse. OK also when there are none. */
enum odp_status odp_stage_carry_if(struct odp_stage *s, const struct odp_site *previous, bool (*want)(const void *ctx, const struct odp_site_file *f),
                                   const void *ctx, struct odp_diags *diags) ODP_MUST_USE;
/* The same, at other paths: RENAME makes the new one in A (NULL without memory). */
enum odp_status odp_stage_carry_as(struct odp_stage *s, const struct odp_site *previous, bool (*want)(const void *ctx, const struct odp_site_file *f),
                                   char *(*rename)(const void *ctx, const char *path, struct odp_arena *a), const void *ctx,
                                   struct odp_diags *diags) ODP_MUST_USE;
/* Forgets and removes every staged file DROP says yes to. */
enum odp_status odp_stage_drop_if(struct odp_stage *s, bool (*drop)(const void *ctx, const struct odp_site_file *f), const void *ctx) ODP_MUST_USE;
/* A staged file by path, or NULL. Borrowed until the stage changes. */
const struct odp_site_file *odp_stage_find(const struct odp_stage *s, const char *path);
const struct odp_site_file *odp_stage_files(const struct odp_stage *s, size_t *n); /* sorted by path */

/* From now on twins are begun when a file is closed, on JOBS - 1 threads of their own, but those that PREVIOUS (may be NULL) has. Until the manifest is made. */
enum odp_status odp_stage_twins_ahead(struct odp_stage *s, unsigned jobs, const struct odp_site *previous) ODP_MUST_USE;
/* .gz and .br twins of every text file that has none, on as many threads as the pool has. */
enum odp_status odp_stage_twins(struct odp_stage *s, struct odp_pool *pool, const struct odp_progress *progress) ODP_MUST_USE;
/* gateway.json, then control and manifest.json, both over all files. */
enum odp_status odp_stage_manifest(struct odp_stage *s, const struct odp_catalog *c) ODP_MUST_USE;
#define ODP_KEEP_BUILDS 5 /* builds kept beside a site, for rollback; pages of a version stay as long after it was superseded */
/* The folder the stage will be renamed to, in A; after the manifest. NULL: failure. */
const char *odp_stage_build(const struct odp_stage *s, struct odp_arena *a);
/* Renames the stage to its digest and the link onto it; keeps the last KEEP builds. *BUILD gets "out/site.builds/9f31…" (in A). */
enum odp_status odp_stage_switch(struct odp_stage *s, unsigned keep, struct odp_arena *a, const char **build) ODP_MUST_USE;

/* A published site, read through its manifest. ADDRESS: a folder (or the link to one), a URL, or an rclone remote. Of a site elsewhere
 * manifest and index are read at once, other files when they are wanted. A local build that was made from such a site may be sparse:
 * <build>.remote says where the bytes are that it names and does not hold. */
struct odp_site;
enum odp_status odp_site_open(struct odp_site **out, const char *address, struct odp_diags *diags) ODP_MUST_USE; /* DONE: there is none */
void odp_site_close(struct odp_site *s);
const struct odp_site_file *odp_site_files(const struct odp_site *s, size_t *n);
const char *odp_site_dir(const struct odp_site *s);   /* its real path; NULL: it is elsewhere */
const char *odp_site_shown(const struct odp_site *s); /* as it was opened, for messages; secrets masked */
const uint8_t *odp_site_digest(const struct odp_site *s); /* of manifest.json */
/* Where the bytes are that are not here: the address, or NULL when all are here. */
const char *odp_site_origin(const struct odp_site *s);
/* Whether only public files can be had of a site that is elsewhere. */
bool odp_site_is_public_only(const struct odp_site *s);
/* Whether F's bytes are on this machine (not whether they are right). */
bool odp_site_has(const struct odp_site *s, const struct odp_site_file *f);
/* The folder (made when needed, removed by close) for what is fetched; before that, a temporary one. */
void odp_site_set_scratch(struct odp_site *s, const char *dir);
/* *PATH, in A, is F on the disk: its place, or where it was fetched to; checked by digest if it was fetched. BAD: reported. */
enum odp_status odp_site_local(const struct odp_site *s, const struct odp_site_file *f, struct odp_arena *a, const char **path,
                               struct odp_diags *diags) ODP_MUST_USE;
/* Fetches what WANT says yes to and is not here, several files at once, for odp_site_local to find. Nothing for a whole local site. */
enum odp_status odp_site_prefetch(const struct odp_site *s, bool (*want)(const void *ctx, const struct odp_site_file *f), const void *ctx,
                                  struct odp_diags *diags) ODP_MUST_USE;
/* v1/index.json: {"data":[entries],…,"meta":{…}}. Borrowed. */
const json_t *odp_site_index(const struct odp_site *s);
/* Whether every file of a local site is there with its digest (not read again where its seal holds); *YES. */
enum odp_status odp_site_check(const struct odp_site *s, bool *yes) ODP_MUST_USE;
/* The catalogue entry of SLUG in the site's index, or NULL. Borrowed. */
const json_t *odp_site_entry(const struct odp_site *s, const char *slug);
/* Every published record of a resource, read from its API pages: TEXT[i] is the canonical text of the schema's field i (ptr NULL:
 * null or not public). DONE: not published. BAD: unreadable (ODP-V03). */
enum odp_status odp_site_records(const struct odp_site *s, const struct odp_resource *r, struct odp_diags *diags, void *ctx,
                                 enum odp_status (*record)(void *ctx, const struct odp_slice *text)) ODP_MUST_USE;

/* The records of a resource that have one value in one field of odp:slices, published as files of their own. */
struct odp_slice_result {
    const char *field;
    struct odp_slice value;
    struct odp_text label;     /* of the value; may be empty */
    const char *path;          /* odp_emit_slice_path */
    uint64_t rows;
};

/* What the index says of one dataset that was built now. */
struct odp_published {
    const struct odp_dataset *dataset;
    const char *version;       /* its name */
    const char *date;          /* odp:lastUpdate as declared; may be newer than the version, where nothing has changed */
    const struct odp_history *history;
    struct odp_published_resource {
        const struct odp_resource *resource;
        uint64_t rows;
        uint64_t pages;
        uint8_t logical[ODP_SHA256_SIZE];
        const char *crs, *crs_operation;   /* of the source; "" */
        double bbox[4];
        bool has_bbox;
        bool has_geometry;         /* the records have one: G1 in the logical header */
        bool has_heights;          /* a published geometry has heights */
        const struct odp_slice_result *slices; /* odp:slices: by field, then value */
        size_t nslices;
    } *resources;
    const json_t *carried;     /* the entry of the previous index instead, when carried over */
};
/* schema.json of the version, for each resource. */
enum odp_status odp_release_schemas(struct odp_stage *s, const struct odp_published *p) ODP_MUST_USE;
/* latest/ (links to the version's files, and schema.json in today's words) and latest.json. */
enum odp_status odp_release_latest(struct odp_stage *s, const struct odp_published *p) ODP_MUST_USE;
/* What versions.json says of the version, but for "previous", "correction", "changes" and "deltas". NULL: FAIL. The caller's. */
json_t *odp_release_version(const struct odp_stage *s, const struct odp_catalog *c, const struct odp_published *p) ODP_MUST_USE;
/* The same of a dataset whose site has no versions.json yet, from its entry in the index. NULL: it tells too little, or no memory. */
json_t *odp_release_version_of(const json_t *index_entry) ODP_MUST_USE;
/* v1/index.json (envelope with the 22 entries) and datapackage.json. */
enum odp_status odp_release_index(struct odp_stage *s, const struct odp_catalog *c, const struct odp_published *p,
                                  size_t n) ODP_MUST_USE;
/* The entries of all datasets as the index has them. NULL: FAIL. The caller's. */
json_t *odp_release_entries(const struct odp_stage *s, const struct odp_catalog *c, const struct odp_published *p, size_t n);

/* ENTRY of the index tells the versions that H has now. */
enum odp_status odp_release_list_versions(json_t *entry, const struct odp_history *h) ODP_MUST_USE;

#endif
