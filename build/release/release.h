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

/* One file of a site, as in manifest and control. */
struct odp_site_file {
    const char *path;          /* relative to the site */
    const char *media_type;
    const char *encoding;      /* NULL, "gzip", "br" */
    enum odp_class cls;
    uint64_t size;
    uint8_t sha256[ODP_SHA256_SIZE];
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
/* A staged file by path, or NULL. Borrowed until the stage changes. */
const struct odp_site_file *odp_stage_find(const struct odp_stage *s, const char *path);
const struct odp_site_file *odp_stage_files(const struct odp_stage *s, size_t *n); /* sorted by path */

/* .gz and .br twins of every text file that has none, on the pool. */
enum odp_status odp_stage_twins(struct odp_stage *s, struct odp_pool *pool, const struct odp_progress *progress) ODP_MUST_USE;
/* gateway.json, then control and manifest.json, both over all files. */
enum odp_status odp_stage_manifest(struct odp_stage *s, const struct odp_catalog *c) ODP_MUST_USE;
/* Renames the stage to its digest and the link onto it; keeps the last KEEP builds. *BUILD gets "out/site.builds/9f31…" (in A). */
enum odp_status odp_stage_switch(struct odp_stage *s, unsigned keep, struct odp_arena *a, const char **build) ODP_MUST_USE;

/* A published site, read through its manifest. */
struct odp_site;
enum odp_status odp_site_open(struct odp_site **out, const char *dir, struct odp_diags *diags) ODP_MUST_USE; /* DONE: there is none */
void odp_site_close(struct odp_site *s);
const struct odp_site_file *odp_site_files(const struct odp_site *s, size_t *n);
const char *odp_site_dir(const struct odp_site *s);   /* its real path */
const char *odp_site_shown(const struct odp_site *s); /* as it was opened, for messages */
/* The catalogue entry of SLUG in the site's index, or NULL. Borrowed. */
const json_t *odp_site_entry(const struct odp_site *s, const char *slug);
/* Every published record of a resource, read from its API pages: TEXT[i] is the canonical text of the schema's field i (ptr NULL:
 * null or not public). DONE: not published. BAD: unreadable (ODP-V03). */
enum odp_status odp_site_records(const struct odp_site *s, const struct odp_resource *r, struct odp_diags *diags, void *ctx,
                                 enum odp_status (*record)(void *ctx, const struct odp_slice *text)) ODP_MUST_USE;

/* What the index says of one dataset that was built now. */
struct odp_published {
    const struct odp_dataset *dataset;
    const char *version;
    struct odp_published_resource {
        const struct odp_resource *resource;
        uint64_t rows;
        uint64_t pages;
        uint8_t logical[ODP_SHA256_SIZE];
        const char *crs, *crs_operation;   /* of the source; "" */
        double bbox[4];
        bool has_bbox;
    } *resources;
    const json_t *carried;     /* the entry of the previous index instead, when carried over */
};
/* schema.json and latest.json of one dataset. */
enum odp_status odp_release_dataset(struct odp_stage *s, const struct odp_catalog *c, const struct odp_published *p) ODP_MUST_USE;
/* v1/index.json (envelope with the 22 entries) and datapackage.json. */
enum odp_status odp_release_index(struct odp_stage *s, const struct odp_catalog *c, const struct odp_published *p,
                                  size_t n) ODP_MUST_USE;

#endif
