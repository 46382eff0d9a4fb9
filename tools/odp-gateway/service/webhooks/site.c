/* The site as webhooks see it: one build, opened by its real path, with what its gateway.json says of
 * webhooks. Users are counted. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json_load.h"
#include "service/webhooks/webhooks_internal.h"

enum { SETTINGS_MAX = 4 << 20 };

static bool read_tier(struct odp_webhook_site *site, const json_t *tier)
{
    const char *name = json_string_value(json_object_get(tier, "name"));
    const json_t *limit = json_object_get(tier, "webhooks");
    struct odp_webhook_tier *t = &site->tiers[site->ntiers];
    if (name == NULL || strlen(name) >= sizeof t->name)
        return false;
    memcpy(t->name, name, strlen(name) + 1);
    t->limit = limit == NULL         ? ODP_WEBHOOK_DEFAULT_LIMIT
               : json_is_null(limit) ? -1
                                     : json_integer_value(limit);
    site->ntiers++;
    return limit == NULL || json_is_null(limit) || (json_is_integer(limit) && t->limit >= 0);
}

static void read_paces(struct odp_webhook_site *site, json_t *list)
{
    const char *slug;
    json_t *seconds;
    site->paces = odp_arena_array(&site->arena, json_object_size(list) + 1, sizeof *site->paces);
    json_object_foreach(list, slug, seconds)
    {
        json_int_t every = json_integer_value(seconds);
        struct odp_webhook_pace *p = &site->paces[site->npaces];
        p->slug = odp_arena_str(&site->arena, slug);
        p->every = every > 0 && every <= INT64_MAX / 2000 ? every * 1000 : 0;
        site->npaces += p->every > 0;
    }
}

/* BAD: that is no gateway.json. */
static enum odp_status read_settings(struct odp_webhook_site *site, struct odp_slice text)
{
    json_t *doc = odp_json_load(text.ptr, text.len, JSON_REJECT_DUPLICATES, NULL);
    const json_t *tiers = json_object_get(doc, "tiers");
    const char *url = json_string_value(json_object_get(doc, "base_url"));
    size_t n = url != NULL ? strlen(url) : 0;
    enum odp_status st = n > 0 && n < sizeof site->base_url && url[n - 1] == '/' ? ODP_OK : ODP_BAD;
    if (st == ODP_OK)
        memcpy(site->base_url, url, n + 1);
    if (json_array_size(tiers) > ODP_TIERS_MAX)
        st = ODP_BAD;
    for (size_t i = 0; i < json_array_size(tiers) && st == ODP_OK; i++)
        st = read_tier(site, json_array_get(tiers, i)) ? ODP_OK : ODP_BAD;
    read_paces(site, json_object_get(doc, "notify_every"));
    json_decref(doc);
    return st;
}

static enum odp_status load(struct odp_webhook_site *site, struct odp_diags *diags)
{
    char path[ODP_PATH_MAX];
    struct odp_buffer text = {0};
    enum odp_status st = odp_site_open(&site->site, site->dir, diags);
    if (st == ODP_DONE || (st == ODP_OK && !odp_state_path(path, site->dir, "gateway.json")))
        st = ODP_BAD;
    if (st == ODP_OK)
        st = odp_file_read(path, SETTINGS_MAX, &text, NULL);
    if (st == ODP_OK)
        st = read_settings(site, odp_buffer_slice(&text));
    odp_buffer_release(&text);
    return st;
}

enum odp_status odp_webhook_site_open(struct odp_webhook_site **out, const char *dir)
{
    struct odp_diags *diags = NULL;
    *out = NULL;
    struct odp_webhook_site *site = calloc(1, sizeof *site);
    if (site == NULL)
        return odp_failure_set("site", dir, ENOMEM);
    enum odp_status st = odp_diags_new(&diags, 0);
    if (st == ODP_OK && strlen(dir) >= sizeof site->dir)
        st = ODP_BAD;
    if (st == ODP_OK) {
        memcpy(site->dir, dir, strlen(dir) + 1);
        st = load(site, diags);
    }
    odp_diags_free(diags);
    if (st == ODP_OK)
        *out = site;
    else
        odp_webhook_site_free(site);
    return st;
}

void odp_webhook_site_free(struct odp_webhook_site *site)
{
    if (site == NULL)
        return;
    odp_site_close(site->site);
    odp_arena_release(&site->arena);
    free(site);
}

/* ---- holding ---- */

/* Its last user frees the one before. */
void odp_webhook_site_set_take(struct odp_webhooks *w, struct odp_webhook_site *site)
{
    pthread_mutex_lock(&w->lock);
    struct odp_webhook_site *old = w->site;
    w->site = site;
    bool unused = old != NULL && old->users == 0;
    pthread_mutex_unlock(&w->lock);
    if (unused)
        odp_webhook_site_free(old);
}

struct odp_webhook_site *odp_webhook_site_acquire(struct odp_webhooks *w)
{
    pthread_mutex_lock(&w->lock);
    struct odp_webhook_site *site = w->site;
    if (site != NULL)
        site->users++;
    pthread_mutex_unlock(&w->lock);
    return site;
}

const struct odp_site *odp_webhooks_acquire(struct odp_webhooks *w, struct odp_webhook_site **held)
{
    *held = odp_webhook_site_acquire(w);
    return *held != NULL ? (*held)->site : NULL;
}

void odp_webhooks_release(struct odp_webhooks *w, struct odp_webhook_site *held)
{
    if (held == NULL)
        return;
    pthread_mutex_lock(&w->lock);
    bool last = --held->users == 0 && held != w->site;
    pthread_mutex_unlock(&w->lock);
    if (last)
        odp_webhook_site_free(held);
}

bool odp_webhooks_limit(struct odp_webhooks *w, const char *tier, int64_t *limit)
{
    *limit = ODP_WEBHOOK_DEFAULT_LIMIT;
    pthread_mutex_lock(&w->lock);
    /* Else the announcer is about to read the site. One that it cannot read leaves the default. */
    bool known = w->site != NULL || w->s->options->site == NULL || !w->started || !w->figures.site_ok;
    for (size_t i = 0; w->site != NULL && i < w->site->ntiers; i++)
        if (strcmp(w->site->tiers[i].name, tier) == 0)
            *limit = w->site->tiers[i].limit;
    pthread_mutex_unlock(&w->lock);
    return known;
}
