/* Inside of site/clients: archives. The same tree gives the same bytes anywhere: files by the order of their
 * paths, one date, mode 0644, no owner, no folder entries, and nothing of the host, the clock or the time
 * zone. */
#ifndef ODP_SITE_CLIENTS_PACK_INTERNAL_H
#define ODP_SITE_CLIENTS_PACK_INTERNAL_H

#include "site/clients/clients_internal.h"

/* SECONDS: since 1970, UTC, the date of every file. Appended to OUT; FAIL: a path or file that the form
 * cannot hold, or the library's own (failure set). */
enum odp_status client_pack_tgz(struct odp_buffer *out, const struct client_tree *t,
                                int64_t seconds) ODP_MUST_USE; /* ustar in gzip */
enum odp_status client_pack_zip(struct odp_buffer *out, const struct client_tree *t,
                                int64_t seconds) ODP_MUST_USE;
/* A zip with RECORD (of the binary distribution format) in FOLDER ("….dist-info/") as its last file; it is
 * added to T. */
enum odp_status client_pack_wheel(struct odp_buffer *out, struct client_tree *t, const char *folder,
                                  int64_t seconds) ODP_MUST_USE;

/* What is in T, whatever it is packed with: SHA-256 over path, NUL, size, NUL, bytes of each file in order.
 */
enum odp_status client_tree_digest(const struct client_tree *t, uint8_t out[ODP_SHA256_SIZE]) ODP_MUST_USE;
/* Digests as indexes want them: hexadecimal, Base64 (URL: its other two digits, no padding). NAME as
 * OpenSSL's: "SHA256". In A; NULL: FAIL. */
char *client_digest_hex(const char *name, struct odp_slice bytes, struct odp_arena *a) ODP_MUST_USE;
char *client_digest_base64(const char *name, struct odp_slice bytes, bool url,
                           struct odp_arena *a) ODP_MUST_USE;

#endif
