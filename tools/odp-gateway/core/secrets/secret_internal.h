/* Inside of core/secrets: what its files call of each other. */
#ifndef ODP_CORE_SECRETS_SECRET_INTERNAL_H
#define ODP_CORE_SECRETS_SECRET_INTERNAL_H

#include "core/secrets/secret.h"

/* The sentence in LANG into WHY. Both formats take the same arguments. Returns BAD. */
enum odp_status secret_bad(char why[ODP_SECRET_WHY], enum odp_lang lang, const char *id, const char *en, ...)
    __attribute__((format(printf, 3, 5), format(printf, 4, 5)));
/* BYTES and id of what WORD says. */
enum odp_status secret_derive(struct odp_secret *s, struct odp_slice word) ODP_MUST_USE;

#endif
