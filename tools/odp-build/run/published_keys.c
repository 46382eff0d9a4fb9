/* Keys of what stays as it is published, read from its files. */
#include "run/build_internal.h"

struct published_keys {
    struct odp_keyring *keys;
    struct odp_row_places *rows;
    const struct odp_resource *resource;
};

static enum odp_status add_published_key(void *ctx, const struct odp_slice *text)
{
    struct published_keys *k = ctx;
    enum odp_status status = odp_row_places_add(k->rows, k->resource, text);
    return status == ODP_OK ? odp_keyring_add(k->keys, k->resource, text) : status;
}

/* Whether somebody's key points at a field of R that is not public: the published files do not tell it. */
static bool has_private_key(const struct build *b, const struct odp_resource *r)
{
    const struct odp_catalog *c = b->run.catalog;
    for (size_t i = 0; i < c->nresources; i++)
        for (size_t k = 0; k < c->resources[i]->nforeign; k++) {
            const struct odp_foreign_key *key = &c->resources[i]->foreign[k];
            for (uint32_t f = 0; key->target == r && f < key->remote.n; f++)
                if (!r->schema.fields[key->remote.fields[f]].is_public)
                    return true;
        }
    return false;
}

enum odp_status odp_build_published_keys(struct build *b, const struct odp_resource *r)
{
    struct published_keys ctx = {b->run.keys, b->run.rows, r};
    odp_keyring_set(b->run.keys, r, ODP_KEYS_ABSENT);
    odp_row_places_begin(b->run.rows, r);
    if (b->run.previous == NULL || has_private_key(b, r))
        return ODP_DONE;
    enum odp_status status =
        odp_site_records(b->run.previous, r, b->run.result->diags, &ctx, add_published_key);
    if (status == ODP_OK)
        odp_keyring_set(b->run.keys, r, ODP_KEYS_READY);
    return status;
}

struct dangling {
    const struct build *build;
    const struct odp_foreign_key *key;
    bool found;
};

static enum odp_status look_up_published(void *ctx, const struct odp_slice *text)
{
    struct dangling *d = ctx;
    if (!odp_keyring_resolves(d->build->run.keys, d->key, text))
        d->found = true;
    return d->found ? ODP_DONE : ODP_OK;
}

/* Whether a published record of R has a key that the new version of KEY's target lacks. */
enum odp_status odp_build_published_key_dangles(struct build *b, const struct odp_resource *r,
                                                const struct odp_foreign_key *key, bool *dangles)
{
    struct dangling ctx = {b, key, false};
    for (uint32_t i = 0; i < key->local.n; i++)
        if (!r->schema.fields[key->local.fields[i]].is_public) {
            *dangles = false; /* not in the published files: cannot be looked up, and nobody can see it */
            return ODP_OK;
        }
    enum odp_status status =
        odp_site_records(b->run.previous, r, b->run.result->diags, &ctx, look_up_published);
    *dangles = ctx.found;
    return status == ODP_FAIL ? ODP_FAIL : ODP_OK;
}
