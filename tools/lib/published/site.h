/* A published site read back. */
#pragma once

#include <jansson.h>

#include "base/buffer.h"
#include "published/site_file.h"

/* A published site, read through its manifest. ADDRESS: a folder (or a link to one), a URL, or an rclone
 * remote. Of a remote site manifest and index are read at once, other files on demand. A local build made
 * from such a site may be sparse: <build>.remote says where the bytes are that it names and does not hold. */
struct odp_site;
enum odp_status odp_site_open(struct odp_site **out, const char *address,
                              struct odp_diags *diags) ODP_MUST_USE; /* DONE: there is none */
/* The same where a missing or unreadable site is no fault: *OUT is NULL then. OK or FAIL. */
enum odp_status odp_site_open_quietly(struct odp_site **out, const char *address) ODP_MUST_USE;
void odp_site_close(struct odp_site *s);
const struct odp_site_file *odp_site_files(const struct odp_site *s, size_t *n);
const char *odp_site_dir(const struct odp_site *s);       /* its real path; NULL: it is elsewhere */
const char *odp_site_shown(const struct odp_site *s);     /* as it was opened, for messages; secrets masked */
const uint8_t *odp_site_digest(const struct odp_site *s); /* of manifest.json */
/* The address of bytes that are not here, or NULL: all are here. */
const char *odp_site_origin(const struct odp_site *s);
/* Whether a remote site gives us public files only. */
bool odp_site_is_public_only(const struct odp_site *s);
/* Whether F's bytes are on this machine (not whether they are right). */
bool odp_site_has(const struct odp_site *s, const struct odp_site_file *f);
/* PATH, in A, is F on the disk: its place, or the place it was fetched to, checked by digest. BAD: reported.
 */
enum odp_status odp_site_local(const struct odp_site *s, const struct odp_site_file *f, struct odp_arena *a,
                               const char **path, struct odp_diags *diags) ODP_MUST_USE;
/* Fetches all files that WANT accepts and that are not here, several at once, for odp_site_local to find. */
enum odp_status odp_site_prefetch(const struct odp_site *s,
                                  bool (*want)(const void *ctx, const struct odp_site_file *f),
                                  const void *ctx, struct odp_diags *diags) ODP_MUST_USE;
/* v1/index.json: {"data":[entries],…,"meta":{…}}. Borrowed. */
const json_t *odp_site_index(const struct odp_site *s);
/* *YES: every file of a local site has its digest (files whose seal holds are not read again). */
enum odp_status odp_site_check(const struct odp_site *s, bool *yes) ODP_MUST_USE;
/* The catalogue entry of SLUG in the site's index, or NULL. Borrowed. */
const json_t *odp_site_entry(const struct odp_site *s, const char *slug);
/* The slug in the index that is nearest to SLUG, or NULL. Borrowed. */
const char *odp_site_nearest(const struct odp_site *s, const char *slug);
/* odp_site_verify for F of SITE at DISK_PATH, without reading it if its seal holds. */
enum odp_status odp_site_intact(const struct odp_site *site, const struct odp_site_file *f,
                                const char *disk_path) ODP_MUST_USE;
/* A file of a published site by path, or NULL. */
const struct odp_site_file *odp_site_find(const struct odp_site *s, const char *path);
/* Appends F's bytes, checked, to OUT (which is empty). BAD: they have changed (reported). */
enum odp_status odp_site_read(const struct odp_site *s, const struct odp_site_file *f, struct odp_buffer *out,
                              struct odp_diags *diags) ODP_MUST_USE;
