/* SHA-256 (FIPS 180-4) by OpenSSL, and the short forms the site uses. */
#pragma once

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

#define ODP_SHA256_SIZE 32
#define ODP_SHA256_HEX  65 /* 64 digits and the terminator */

struct odp_digest; /* one running digest; not shared between threads */

enum odp_status odp_digest_new(struct odp_digest **out) ODP_MUST_USE;
void odp_digest_free(struct odp_digest *d);
enum odp_status odp_digest_add(struct odp_digest *d, const void *ptr, size_t len) ODP_MUST_USE;
/* Gives the digest and makes D ready for the next one. */
enum odp_status odp_digest_end(struct odp_digest *d, uint8_t out[ODP_SHA256_SIZE]) ODP_MUST_USE;
enum odp_status odp_digest_of(const void *ptr, size_t len, uint8_t out[ODP_SHA256_SIZE]) ODP_MUST_USE;
/* 64 lower-case hex digits, then the end. */
bool odp_digest_parse(const char *hex, uint8_t out[ODP_SHA256_SIZE]);
void odp_digest_hex(const uint8_t d[ODP_SHA256_SIZE], char out[ODP_SHA256_HEX]);
enum { ODP_DIGEST_TEXT = 7 + ODP_SHA256_HEX };
void odp_digest_text(const uint8_t d[ODP_SHA256_SIZE], char out[ODP_DIGEST_TEXT]); /* "sha256:<hex>" */
