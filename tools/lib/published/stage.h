/* A site in the making: the stage, its twins, and the switch.
 *
 * --out DIR is a symbolic link to DIR.builds/<manifest digest>/. A stage is a folder
 * DIR.builds/.stage-<random>; nothing the public sees changes until odp_stage_switch renames the link. A
 * stage that is not switched is removed; stale ones of killed runs are removed when the next stage opens (a
 * lock on DIR.builds keeps two runs apart). */
#pragma once

#include "base/pool.h"
#include "base/progress.h"
#include "catalog/model.h"
#include "published/site.h"

struct odp_stage;

/* Opens a stage beside OUT. BAD: another build holds the lock (reported). */
enum odp_status odp_stage_open(struct odp_stage **out, const char *out_dir,
                               struct odp_diags *diags) ODP_MUST_USE;
/* Removes a stage that was not switched. NULL is allowed. */
void odp_stage_close(struct odp_stage *s);
struct odp_output *odp_stage_output(struct odp_stage *s);
/* From now on odp_stage_put links what has the bytes that it has in SITE, and its twins with it. SITE is
 * whole, here, and made by this program, so twins made anew would be the same. Before the first file. */
enum odp_status odp_stage_same_as(struct odp_stage *s, const struct odp_site *site) ODP_MUST_USE;
/* Writes a small file of the site. Thread-safe, like the output. */
enum odp_status odp_stage_put(struct odp_stage *s, const char *path, const char *media_type,
                              enum odp_class cls, struct odp_slice bytes) ODP_MUST_USE;
/* Removes all staged files of one dataset (it was rejected). */
enum odp_status odp_stage_drop(struct odp_stage *s, const char *slug) ODP_MUST_USE;
/* Carries every file that WANT accepts (of SLUG alone; NULL: of all) over from the previous site, byte for
 * byte (links; digests are checked). A staged file at such a path gives way unless its bytes are the same.
 * Bytes of a remote site are entered without them: the build is sparse. OK also if there are none; BAD: a
 * file there has changed (ODP-V03), the others are carried over. */
enum odp_status odp_stage_carry_if(struct odp_stage *s, const struct odp_site *previous, const char *slug,
                                   bool (*want)(const void *ctx, const struct odp_site_file *f),
                                   const void *ctx, struct odp_diags *diags) ODP_MUST_USE;
/* The same, at other paths: RENAME makes the new one in A. */
struct odp_stage_moving {
    bool (*want)(const void *ctx, const struct odp_site_file *f);
    char *(*rename)(const void *ctx, const char *path, struct odp_arena *a);
    const void *ctx;
};
enum odp_status odp_stage_carry_as(struct odp_stage *s, const struct odp_site *previous, const char *slug,
                                   const struct odp_stage_moving *how, struct odp_diags *diags) ODP_MUST_USE;
/* Removes every staged file (of SLUG alone; NULL: of all) that DROP accepts. */
enum odp_status odp_stage_drop_if(struct odp_stage *s, const char *slug,
                                  bool (*drop)(const void *ctx, const struct odp_site_file *f),
                                  const void *ctx) ODP_MUST_USE;
/* A staged file by path, or NULL. Borrowed until the stage changes. */
const struct odp_site_file *odp_stage_find(const struct odp_stage *s, const char *path);
/* Whether there is one: a part (parts.h) that asks no more does not depend on what it holds. */
bool odp_stage_has(const struct odp_stage *s, const char *path);
/* All of them, sorted by path. Borrowed until the stage changes. */
const struct odp_site_file *odp_stage_files(const struct odp_stage *s, size_t *n);
/* Those whose path begins with PREFIX, which names a dataset ("data/kumuh/2024/"), sorted by path: a copy
 * in A. Looks at that dataset's files alone. */
const struct odp_site_file *odp_stage_below(const struct odp_stage *s, const char *prefix,
                                            struct odp_arena *a, size_t *n);
/* The data/<slug>/versions.json of each dataset that has one, sorted by path: a copy in A. */
const struct odp_site_file *odp_stage_histories(const struct odp_stage *s, struct odp_arena *a, size_t *n);

/* Who may have the staged file at PATH, from now on. */
void odp_stage_set_class(struct odp_stage *s, const char *path, enum odp_class cls);

/* The levels of the twins that are made from now on; borrowed. Without it those of odp_compression_usual. */
void odp_stage_compression(struct odp_stage *s, const struct odp_compression *c);
/* From now on twins of files that are put are made beside, by JOBS - 1 threads; nobody finds them before
 * odp_stage_twins, which ends that. One that fails makes it fail. */
void odp_stage_twins_ahead(struct odp_stage *s, unsigned jobs);
/* Makes .gz and .br twins of every text file that has none, on all threads of the pool. */
enum odp_status odp_stage_twins(struct odp_stage *s, struct odp_pool *pool,
                                const struct odp_progress *progress) ODP_MUST_USE;
/* Syncs what was staged, and all else on its file system: for files that are linked from the stage
 * elsewhere. */
enum odp_status odp_stage_sync(const struct odp_stage *s) ODP_MUST_USE;
#define ODP_KEEP_BUILDS                                                                                      \
    5 /* builds kept for rollback; pages of a version stay as long after a newer one has come */
/* The folder that the stage will be renamed to, in A; after the manifest. NULL: failure. */
const char *odp_stage_build(const struct odp_stage *s, struct odp_arena *a);
/* Renames the stage to its digest and the link onto it; keeps the last KEEP builds. *BUILD is
 * "build/site.builds/9f31…" (in A). */
enum odp_status odp_stage_switch(struct odp_stage *s, unsigned keep, struct odp_arena *a,
                                 const char **build) ODP_MUST_USE;

/* Enters the file at PATH, which is on the disk already. Copies strings. */
void odp_stage_add(struct odp_stage *s, const char *path, const char *media_type, const char *encoding,
                   enum odp_class cls, const struct odp_file_info *info);
/* The place of PATH on the disk, its folder made; in A. */
char *odp_stage_place(const struct odp_stage *s, const char *path, struct odp_arena *a) ODP_MUST_USE;
/* Appends at most MAX bytes of the staged file at PATH to OUT, from PREVIOUS (may be NULL) if they are not
 * here. DONE: there is no such file. */
enum odp_status odp_stage_read(const struct odp_stage *s, const char *path, size_t max,
                               const struct odp_site *previous, struct odp_buffer *out,
                               struct odp_diags *diags) ODP_MUST_USE;
/* Enters FILE, whose bytes stay at the origin. */
void odp_stage_add_absent(struct odp_stage *s, const struct odp_site_file *file);
/* Sets the address of bytes that are not here (copied), for <build>.remote. */
void odp_stage_set_origin(struct odp_stage *s, const char *address);
const char *odp_stage_out(const struct odp_stage *s);    /* --out, without a slash at its end */
const char *odp_stage_builds(const struct odp_stage *s); /* "<out>.builds" */
const char *odp_stage_dir(const struct odp_stage *s);    /* the stage's own folder */
/* Makes a hard link to the file at FROM (on the disk), and enters it like FILE but at PATH. */
enum odp_status odp_stage_link(struct odp_stage *s, const char *from, const char *path,
                               const struct odp_site_file *file) ODP_MUST_USE;
/* Links a staged file once more, at PATH. */
enum odp_status odp_stage_link_staged(struct odp_stage *s, const struct odp_site_file *file,
                                      const char *path) ODP_MUST_USE;
