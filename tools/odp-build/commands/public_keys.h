/* --keys: trusted public keys, as "RW…" or as .pub files, separated by commas. */
#pragma once

#include "commands/options.h"
#include "publish/sign/sign.h"

/* Reads at most MAX keys. BAD: reported on standard error; exit code 2. */
enum odp_status public_keys_read(const struct invocation *inv, struct odp_public_key *keys, size_t max,
                                 size_t *n);
