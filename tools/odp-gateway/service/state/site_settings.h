/* What a site says to the gateway: its gateway.json, which the compiler writes. */
#pragma once

#include <jansson.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "core/keys/keytable.h"
#include "service/state/store.h"

#define ODP_WEBHOOK_DEFAULT_LIMIT 5 /* subscriptions of an account, where the site does not say */

struct odp_site_pace { /* odp:notifyEvery of a dataset */
    const char *slug;
    int64_t every; /* ms */
};
struct odp_site_settings {
    struct odp_settings shared;      /* as the key table has them */
    json_t *title[ODP_TIERS_MAX];    /* of shared.tiers; NULL: none */
    int64_t webhooks[ODP_TIERS_MAX]; /* subscriptions of an account; -1: any number */
    struct odp_site_pace *paces;
    size_t npaces;
    json_t *doc; /* ours: titles and slugs are in it */
    struct odp_arena arena;
};
/* Release S in every case. BAD: WHY. */
enum odp_status odp_site_settings_parse(struct odp_site_settings *s, struct odp_slice text,
                                        char why[ODP_WHY]) ODP_MUST_USE;
void odp_site_settings_release(struct odp_site_settings *s);
/* DIR/gateway.json, appended to TEXT. BAD: WHY. */
enum odp_status odp_site_settings_read(struct odp_buffer *text, const char *dir,
                                       char why[ODP_WHY]) ODP_MUST_USE;
/* The index of the tier NAME; -1: there is none. */
int odp_settings_tier(const struct odp_settings *s, const char *name);
