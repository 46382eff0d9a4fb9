/* Inside of publish/sign. */
#pragma once

#include <sodium.h>

#include "base/refusal.h"
#include "publish/sign/sign.h"

struct odp_secret_key { /* in guarded memory */
    uint8_t id[ODP_SIGN_ID];
    uint8_t key[crypto_sign_SECRETKEYBYTES]; /* seed, public key */
};

/* OK, or FAIL when the system has no randomness. Any number of times, on any thread. */
enum odp_status sign_ready(void) ODP_MUST_USE;

/* TEXT as base64 of exactly LEN bytes. */
bool sign_base64(struct odp_slice text, uint8_t *out, size_t len);
/* The next line without its end (LF or CR LF); false at the end. */
bool sign_line(struct odp_slice *rest, struct odp_slice *line);
bool sign_starts(struct odp_slice s, const char *with);
