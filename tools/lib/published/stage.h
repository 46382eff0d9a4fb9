/* A site in the making: the stage, its twins, and the switch.
 *
 * --out DIR is a symbolic link to DIR.builds/<manifest digest>/. A stage is a folder
 * DIR.builds/.stage-<random>; nothing the public sees changes until odp_stage_switch renames the link. A
 * stage that is not switched is removed; stale ones of killed runs are removed when the next stage opens (a
 * lock on DIR.builds keeps two runs apart). */
#pragma once

#include "base/pool.h"
#include "base/progress.h"
#include "published/site.h"

struct odp_stage;

/* Opens a stage beside OUT. LOCKED: BAD with a diagnostic when another build holds the lock. */
enum odp_status odp_stage_open(struct odp_stage **out, const char *out_dir,
                               struct odp_diags *diags) ODP_MUST_USE;
/* Removes what was staged and not switched. NULL is allowed. */
void odp_stage_close(struct odp_stage *s);
struct odp_output *odp_stage_output(struct odp_stage *s);
/* Writes a small file of the site at once. Thread-safe, like the output. */
enum odp_status odp_stage_put(struct odp_stage *s, const char *path, const char *media_type,
                              enum odp_class cls, struct odp_slice bytes) ODP_MUST_USE;
/* Forgets and removes all files of one dataset staged so far (it was rejected). */
enum odp_status odp_stage_drop(struct odp_stage *s, const char *slug) ODP_MUST_USE;
/* Takes over all files of SLUG from the previous site, byte for byte (link; digest checked against its
 * manifest). DONE: the previous site has none. BAD: a file there has changed (ODP-V03). */
enum odp_status odp_stage_carry(struct odp_stage *s, const struct odp_site *previous, const char *slug,
                                struct odp_diags *diags) ODP_MUST_USE;
/* The same for every file WANT says yes to. What is staged at such a path gives way, unless it is the same
 * bytes. Bytes that are elsewhere are entered without them: the build is sparse. OK also when there are none.
 */
enum odp_status odp_stage_carry_if(struct odp_stage *s, const struct odp_site *previous,
                                   bool (*want)(const void *ctx, const struct odp_site_file *f),
                                   const void *ctx, struct odp_diags *diags) ODP_MUST_USE;
/* The same, at other paths: RENAME makes the new one in A. */
enum odp_status odp_stage_carry_as(struct odp_stage *s, const struct odp_site *previous,
                                   bool (*want)(const void *ctx, const struct odp_site_file *f),
                                   char *(*rename)(const void *ctx, const char *path, struct odp_arena *a),
                                   const void *ctx, struct odp_diags *diags) ODP_MUST_USE;
/* Forgets and removes every staged file DROP says yes to. */
enum odp_status odp_stage_drop_if(struct odp_stage *s,
                                  bool (*drop)(const void *ctx, const struct odp_site_file *f),
                                  const void *ctx) ODP_MUST_USE;
/* A staged file by path, or NULL. Borrowed until the stage changes. */
const struct odp_site_file *odp_stage_find(const struct odp_stage *s, const char *path);
const struct odp_site_file *odp_stage_files(const struct odp_stage *s, size_t *n); /* sorted by path */

/* .gz and .br twins of every text file that has none, on as many threads as the pool has. */
enum odp_status odp_stage_twins(struct odp_stage *s, struct odp_pool *pool,
                                const struct odp_progress *progress) ODP_MUST_USE;
#define ODP_KEEP_BUILDS                                                                                      \
    5 /* builds kept beside a site, for rollback; pages of a version stay as long after it was superseded */
/* The folder the stage will be renamed to, in A; after the manifest. NULL: failure. */
const char *odp_stage_build(const struct odp_stage *s, struct odp_arena *a);
/* Renames the stage to its digest and the link onto it; keeps the last KEEP builds. *BUILD gets
 * "build/site.builds/9f31…" (in A). */
enum odp_status odp_stage_switch(struct odp_stage *s, unsigned keep, struct odp_arena *a,
                                 const char **build) ODP_MUST_USE;

/* The file at PATH of the site is there: enter it. Strings are copied. */
void odp_stage_add(struct odp_stage *s, const char *path, const char *media_type, const char *encoding,
                   enum odp_class cls, const struct odp_file_info *info);
/* PATH of the site on the disk, its folder made; in A. */
char *odp_stage_place(const struct odp_stage *s, const char *path, struct odp_arena *a) ODP_MUST_USE;
/* The bytes of the staged file at PATH, at most MAX, appended to OUT; of one whose bytes are elsewhere those
 * of PREVIOUS (may be NULL). DONE: there is none. */
enum odp_status odp_stage_read(const struct odp_stage *s, const char *path, size_t max,
                               const struct odp_site *previous, struct odp_buffer *out,
                               struct odp_diags *diags) ODP_MUST_USE;
/* The file at PATH of the site belongs to it, but its bytes stay elsewhere: at the origin. As FILE says. */
void odp_stage_add_absent(struct odp_stage *s, const struct odp_site_file *file);
/* Where the bytes are that are not here: ADDRESS (copied), for <build>.remote. */
void odp_stage_set_origin(struct odp_stage *s, const char *address);
const char *odp_stage_out(const struct odp_stage *s);    /* --out, without a slash at its end */
const char *odp_stage_builds(const struct odp_stage *s); /* "<out>.builds" */
const char *odp_stage_dir(const struct odp_stage *s);    /* the stage's own folder */
/* A hard link to the file at FROM (on the disk), entered like FILE but at PATH. */
enum odp_status odp_stage_link(struct odp_stage *s, const char *from, const char *path,
                               const struct odp_site_file *file) ODP_MUST_USE;
/* A staged file once more, at PATH. */
enum odp_status odp_stage_link_staged(struct odp_stage *s, const struct odp_site_file *file,
                                      const char *path) ODP_MUST_USE;
