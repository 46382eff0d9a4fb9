/* A published site read back. */
#pragma once

#include <jansson.h>

#include "base/buffer.h"
#include "published/site_file.h"

/* A published site, read through its manifest. ADDRESS: a folder (or the link to one), a URL, or an rclone
 * remote. Of a site elsewhere manifest and index are read at once, other files when they are wanted. A local
 * build that was made from such a site may be sparse: <build>.remote says where the bytes are that it names
 * and does not hold. */
struct odp_site;
enum odp_status odp_site_open(struct odp_site **out, const char *address,
                              struct odp_diags *diags) ODP_MUST_USE; /* DONE: there is none */
/* The same where it is no fault that there is none, or that it cannot be read: *OUT is NULL then. OK or FAIL.
 */
enum odp_status odp_site_open_quietly(struct odp_site **out, const char *address) ODP_MUST_USE;
void odp_site_close(struct odp_site *s);
const struct odp_site_file *odp_site_files(const struct odp_site *s, size_t *n);
const char *odp_site_dir(const struct odp_site *s);       /* its real path; NULL: it is elsewhere */
const char *odp_site_shown(const struct odp_site *s);     /* as it was opened, for messages; secrets masked */
const uint8_t *odp_site_digest(const struct odp_site *s); /* of manifest.json */
/* Where the bytes are that are not here: the address, or NULL when all are here. */
const char *odp_site_origin(const struct odp_site *s);
/* Whether only public files can be had of a site that is elsewhere. */
bool odp_site_is_public_only(const struct odp_site *s);
/* Whether F's bytes are on this machine (not whether they are right). */
bool odp_site_has(const struct odp_site *s, const struct odp_site_file *f);
/* The folder (made when needed, removed by close) for what is fetched; before that, a temporary one. */
void odp_site_set_scratch(struct odp_site *s, const char *dir);
/* *PATH, in A, is F on the disk: its place, or where it was fetched to; checked by digest if it was fetched.
 * BAD: reported. */
enum odp_status odp_site_local(const struct odp_site *s, const struct odp_site_file *f, struct odp_arena *a,
                               const char **path, struct odp_diags *diags) ODP_MUST_USE;
/* Fetches what WANT says yes to and is not here, several files at once, for odp_site_local to find. Nothing
 * for a whole local site. */
enum odp_status odp_site_prefetch(const struct odp_site *s,
                                  bool (*want)(const void *ctx, const struct odp_site_file *f),
                                  const void *ctx, struct odp_diags *diags) ODP_MUST_USE;
/* v1/index.json: {"data":[entries],…,"meta":{…}}. Borrowed. */
const json_t *odp_site_index(const struct odp_site *s);
/* Whether every file of a local site is there with its digest (not read again where its seal holds); *YES. */
enum odp_status odp_site_check(const struct odp_site *s, bool *yes) ODP_MUST_USE;
/* The catalogue entry of SLUG in the site's index, or NULL. Borrowed. */
const json_t *odp_site_entry(const struct odp_site *s, const char *slug);
/* The dataset of the index that SLUG was meant to be, or NULL. Borrowed. */
const char *odp_site_nearest(const struct odp_site *s, const char *slug);
/* odp_site_verify for F of SITE at DISK_PATH, without reading it where its inode, size and time are those of
 * the last time it was read. */
enum odp_status odp_site_intact(const struct odp_site *site, const struct odp_site_file *f,
                                const char *disk_path) ODP_MUST_USE;
/* A file of a published site by path, or NULL. */
const struct odp_site_file *odp_site_find(const struct odp_site *s, const char *path);
/* F's bytes, checked, appended to OUT (which is empty). BAD: they have changed (reported). */
enum odp_status odp_site_read(const struct odp_site *s, const struct odp_site_file *f, struct odp_buffer *out,
                              struct odp_diags *diags) ODP_MUST_USE;
