/* The withdrawn versions that sites on this machine know of, and which builds still contain one, by name or
 * by content. */
#include "publish/tombstones.h"

#include "base/json_load.h"

static void add(struct tombstones *t, const char *slug, const struct odp_version *v)
{
    for (size_t i = 0; i < t->n; i++)
        if (strcmp(t->list[i].slug, slug) == 0 && strcmp(t->list[i].version, v->name) == 0 &&
            memcmp(t->list[i].digest, v->digest, sizeof v->digest) == 0)
            return;
    const char *reason = odp_json_text(v->json, "reason");
    t->list = odp_arena_more(t->arena, t->list, t->n, sizeof *t->list);
    struct tombstone *one = &t->list[t->n++];
    *one = (struct tombstone){.slug = odp_arena_str(t->arena, slug),
                              .version = odp_arena_str(t->arena, v->name),
                              .reason = odp_arena_str(t->arena, reason != NULL ? reason : "")};
    memcpy(one->digest, v->digest, sizeof one->digest);
}

/* EACH for the history of every dataset of SITE; DONE from it ends. */
static enum odp_status each_history(const struct odp_site *site, struct odp_diags *diags, void *ctx,
                                    enum odp_status (*each)(void *ctx, const struct odp_history *h))
{
    size_t n;
    const struct odp_site_file *files = odp_site_files(site, &n);
    struct odp_arena arena = {0};
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < n && status == ODP_OK; i++) {
        struct odp_history h;
        const char *slug = odp_history_slug(files[i].path, &arena);
        if (slug == NULL)
            continue;
        status = odp_history_read(&h, site, slug, &arena, diags);
        if (status == ODP_OK)
            status = each(ctx, &h);
        odp_history_release(&h);
        odp_arena_reset(&arena);
    }
    odp_arena_release(&arena);
    return status == ODP_DONE ? ODP_OK : status;
}

static enum odp_status add_withdrawn(void *ctx, const struct odp_history *h)
{
    for (size_t i = 0; i < h->n; i++)
        if (h->versions[i].state == ODP_VERSION_WITHDRAWN)
            add(ctx, h->slug, &h->versions[i]);
    return ODP_OK;
}

enum odp_status tombstones_add_site(struct tombstones *t, const struct odp_site *site,
                                    struct odp_diags *diags)
{
    return each_history(site, diags, t, add_withdrawn);
}

/* A build that is damaged says nothing; it is no target either. */
static enum odp_status add_build(struct tombstones *t, const char *path)
{
    struct odp_diags *ignored = NULL;
    struct odp_site *site = NULL;
    enum odp_status status = odp_diags_new(&ignored, 0);
    if (status == ODP_OK)
        status = odp_site_open_quietly(&site, path);
    if (site != NULL)
        status = tombstones_add_site(t, site, ignored);
    odp_site_close(site);
    odp_diags_free(ignored);
    return status == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

enum odp_status tombstones_add_builds(struct tombstones *t, const struct odp_builds *b)
{
    const char **digests;
    size_t n;
    enum odp_status status = odp_builds_present(b, &digests, &n);
    for (size_t i = 0; i < n && status == ODP_OK; i++)
        status = add_build(t, odp_path_join(t->arena, b->dir, digests[i]));
    return status;
}

struct held {
    const struct tombstones *tombstones;
    const struct tombstone *found;
};

/* A version of the same content, by whatever name. */
static enum odp_status find_content(void *ctx, const struct odp_history *h)
{
    struct held *held = ctx;
    for (size_t i = 0; i < held->tombstones->n; i++)
        for (size_t k = 0; k < h->n; k++) {
            const struct tombstone *t = &held->tombstones->list[i];
            if (h->versions[k].state == ODP_VERSION_PUBLISHED && strcmp(t->slug, h->slug) == 0 &&
                memcmp(t->digest, h->versions[k].digest, sizeof t->digest) == 0) {
                held->found = t;
                return ODP_DONE;
            }
        }
    return ODP_OK;
}

enum odp_status tombstones_held(const struct tombstones *t, const struct odp_site *site,
                                const struct tombstone **held, struct odp_diags *diags)
{
    struct held ctx = {t, NULL};
    size_t n;
    const struct odp_site_file *files = odp_site_files(site, &n);
    for (size_t i = 0; i < n && ctx.found == NULL; i++)
        for (size_t k = 0; k < t->n && ctx.found == NULL; k++)
            if (odp_version_owns(files[i].path, t->list[k].slug, t->list[k].version))
                ctx.found = &t->list[k];
    enum odp_status status = ctx.found == NULL ? each_history(site, diags, &ctx, find_content) : ODP_OK;
    *held = ctx.found;
    return status;
}

enum odp_status tombstones_held_by_build(const struct tombstones *t, const char *path, bool *read, bool *held)
{
    struct odp_diags *ignored = NULL;
    struct odp_site *site = NULL;
    const struct tombstone *which = NULL;
    enum odp_status status = odp_diags_new(&ignored, 0);
    if (status == ODP_OK)
        status = odp_site_open_quietly(&site, path);
    if (site != NULL)
        status = tombstones_held(t, site, &which, ignored);
    *read = site != NULL && status == ODP_OK;
    *held = which != NULL;
    odp_site_close(site);
    odp_diags_free(ignored);
    return status == ODP_FAIL ? ODP_FAIL : ODP_OK;
}
