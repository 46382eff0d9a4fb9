/* The site as webhooks see it: one build, opened by its real path, with what its gateway.json says of
 * webhooks. Users are counted. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "service/webhooks/webhooks_internal.h"

static enum odp_status load(struct odp_webhook_site *site, struct odp_diags *diags)
{
    char why[ODP_WHY];
    struct odp_buffer text = {0};
    enum odp_status st = odp_site_open(&site->site, site->dir, diags);
    if (st == ODP_DONE)
        st = ODP_BAD;
    if (st == ODP_OK)
        st = odp_site_settings_read(&text, site->dir, why);
    if (st == ODP_OK)
        st = odp_site_settings_parse(&site->settings, odp_buffer_slice(&text), why);
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
    odp_site_settings_release(&site->settings);
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
    int at = w->site != NULL ? odp_settings_tier(&w->site->settings.shared, tier) : -1;
    if (at >= 0)
        *limit = w->site->settings.webhooks[at];
    pthread_mutex_unlock(&w->lock);
    return known;
}
