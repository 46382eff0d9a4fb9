/* The keys of seal.c and the file they come from. */
#pragma once

#include "service/webhooks/deliver/seal.h"

enum { SEAL_KEY = 32, SEAL_ID = 4 };

struct seal_key {
    uint8_t bytes[SEAL_KEY];
    uint8_t id[SEAL_ID]; /* the first bytes of the SHA-256 of BYTES */
};
struct seal_keys {
    struct seal_key items[ODP_SEAL_KEYS];
    size_t n;
};

/* TEXT is a key file's. BAD: WHY, which never quotes it. The caller wipes KEYS. */
enum odp_status seal_keys_parse(struct seal_keys *keys, struct odp_slice text, const char *path,
                                char why[ODP_SEAL_WHY]) ODP_MUST_USE;
/* As odp_seal_new says. */
enum odp_status seal_keys_open(struct seal_keys *keys, const char *path, bool make,
                               char why[ODP_SEAL_WHY]) ODP_MUST_USE;
