/* Inside of site/clients: archives. The same tree gives the same bytes anywhere: files by the order of their paths, one date, mode 0644, no owner, no folder
 * entries, and nothing of the host, the clock or the time zone. */
#ifndef ODP_SITE_CLIENTS_PACK_INTERNAL_H
#define ODP_SITE_CLIENTS_PACK_INTERNAL_H

#include "site/clients/clients_internal.h"

/* SECONDS: since 1970, UTC, the date of every file. Appended to OUT; FAIL: no memory, or a path or file that the form cannot hold (failure set). */
enum odp_status client_pack_tgz(struct odp_buffer *out, const struct client_tree *t, int64_t seconds) ODP_MUST_USE; /* ustar in gzip */
enum odp_status client_pack_zip(struct odp_buffer *out, const struct client_tree *t, int64_t seconds) ODP_MUST_USE;
/* A zip with RECORD (of the binary distribution format) as its last file; it is added to T. T has one folder …dist-info/. */
enum odp_status client_pack_wheel(struct odp_buffer *out, struct client_tree *t, int64_t seconds) ODP_MUST_USE;

/* T's files by path, in its arena. NULL without memory. */
const struct client_file **client_pack_order(const struct client_tree *t) ODP_MUST_USE;
/* BYTES deflated (RFC 1951), appended to OUT. */
enum odp_status client_pack_deflate(struct odp_buffer *out, struct odp_slice bytes) ODP_MUST_USE;
void client_pack_u16(struct odp_buffer *out, uint32_t v); /* little-endian */
void client_pack_u32(struct odp_buffer *out, uint32_t v);

/* What is in T, whatever it is packed with: SHA-256 over path, NUL, size, NUL, bytes of each file in order. */
enum odp_status client_tree_digest(const struct client_tree *t, uint8_t out[ODP_SHA256_SIZE]) ODP_MUST_USE;
/* Text of digests that indexes want. In A; NULL: FAIL. */
char *client_sha1_hex(struct odp_slice bytes, struct odp_arena *a) ODP_MUST_USE;
char *client_sha512_base64(struct odp_slice bytes, struct odp_arena *a) ODP_MUST_USE;
char *client_sha256_hex(struct odp_slice bytes, struct odp_arena *a) ODP_MUST_USE;

#endif
