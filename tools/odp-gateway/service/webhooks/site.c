/* The site as webhooks see it: one build, opened by its real path, with what its gateway.json says of
 * webhooks. */
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

void odp_webhook_site_free(void *value)
{
    struct odp_webhook_site *site = value;
    if (site == NULL)
        return;
    odp_site_close(site->site);
    odp_site_settings_release(&site->settings);
    free(site);
}

/* ---- holding ---- */

const struct odp_site *odp_webhooks_acquire(struct odp_webhooks *w, struct odp_webhook_site **held)
{
    *held = odp_holder_acquire(&w->site);
    return *held != NULL ? (*held)->site : NULL;
}

void odp_webhooks_release(struct odp_webhooks *w, struct odp_webhook_site *held)
{
    odp_holder_drop(&w->site, held);
}

bool odp_webhooks_limit(struct odp_webhooks *w, const char *tier, int64_t *limit)
{
    *limit = ODP_WEBHOOK_DEFAULT_LIMIT;
    struct odp_webhook_site *site = odp_holder_acquire(&w->site);
    int at = site != NULL ? odp_settings_tier(&site->settings.shared, tier) : -1;
    if (at >= 0)
        *limit = site->settings.webhooks[at];
    /* Else the announcer is about to read the site. One that it cannot read leaves the default. */
    pthread_mutex_lock(&w->lock);
    bool known = site != NULL || w->s->options->site == NULL || !w->started || !w->figures.site_ok;
    pthread_mutex_unlock(&w->lock);
    odp_holder_drop(&w->site, site);
    return known;
}
