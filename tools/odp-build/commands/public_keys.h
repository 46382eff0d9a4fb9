/* --keys: the public keys that somebody trusts, as "RW…" or as .pub files, with commas between. */
#pragma once

#include "commands/options.h"
#include "publish/sign/sign.h"

/* At most MAX. BAD: said on standard error; exit code 2. */
enum odp_status public_keys_read(const struct invocation *inv, struct odp_public_key *keys, size_t max,
                                 size_t *n);
