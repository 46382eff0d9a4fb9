/* Webhooks as a whole: made with the service, two threads, ended with it. */
#include "service/webhooks/webhooks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/state/clock.h"
#include "service/webhooks/send_internal.h"
#include "words/webhooks.h"

static enum odp_status make_policy(struct odp_address_policy *p, const struct odp_service_options *o,
                                   char why[ODP_WHY])
{
    p->loopback = o->webhook_loopback;
    if (o->nwebhook_allow > ODP_PREFIXES_MAX)
        return odp_state_bad(why, W_webhooks_networks, ODP_PREFIXES_MAX);
    for (size_t i = 0; i < o->nwebhook_allow; i++) {
        if (!odp_prefix_parse(&p->allow[p->nallow], odp_slice_of(o->webhook_allow[i])))
            return odp_state_bad(why, W_webhooks_network, o->webhook_allow[i]);
        p->nallow++;
    }
    return ODP_OK;
}

/* Makes the file in the state folder; one that the operator named must exist. */
static enum odp_status open_seal(struct odp_webhooks *w, char why[ODP_WHY])
{
    const struct odp_service_options *o = w->s->options;
    char path[ODP_PATH_MAX];
    bool own = o->webhook_key == NULL;
    const char *key = own ? odp_state_file(path, o->state_dir, "webhook.key") : o->webhook_key;
    _Static_assert(ODP_SEAL_WHY <= ODP_WHY, "a reason is passed on");
    return odp_seal_new(&w->seal, key, own, odp_state_lang(), why);
}

static enum odp_status open_sender(struct odp_webhooks *w, char why[ODP_WHY])
{
    const struct odp_service_options *o = w->s->options;
    char what[512] = "";
    const char *url = w->s->settings.base_url;
    (void)snprintf(w->user_agent, sizeof w->user_agent,
                   url[0] != '\0' ? "odp-gateway/%s (+%.200s)" : "odp-gateway/%s", ODP_VERSION, url);
    struct odp_sender_options so = {.policy = w->policy,
                                    .connections = odp_webhook_connections(w),
                                    .timeout_ms = 20000,
                                    .connect_ms = 8000,
                                    .ca_file = o->webhook_ca,
                                    .user_agent = w->user_agent};
    enum odp_status st = odp_sender_new(&w->sender, &so, what);
    if (st == ODP_BAD)
        (void)snprintf(why, ODP_WHY, "webhooks: %.480s", what);
    return st == ODP_OK ? odp_webhook_send_new(w) : st;
}

static int make_locks(struct odp_webhooks *w)
{
    int e = odp_clock_condition(&w->more);
    if (e == 0 && (e = pthread_mutex_init(&w->lock, NULL)) != 0)
        pthread_cond_destroy(&w->more);
    return e;
}

enum odp_status odp_webhooks_new(struct odp_webhooks **out, struct odp_state *s, char why[ODP_WHY])
{
    *out = NULL;
    why[0] = '\0';
    struct odp_webhooks *w = calloc(1, sizeof *w);
    if (w == NULL)
        return odp_failure_set("webhooks", NULL, ENOMEM);
    w->s = s;
    if (odp_holder_init(&w->site, odp_webhook_site_free) != ODP_OK) {
        free(w);
        return ODP_FAIL;
    }
    int e = make_locks(w);
    if (e != 0) {
        odp_holder_release(&w->site);
        free(w);
        return odp_failure_set("webhooks", NULL, e);
    }
    w->figures.site_ok = true;
    enum odp_status st = make_policy(&w->policy, s->options, why);
    if (st == ODP_OK)
        st = open_seal(w, why);
    if (st == ODP_OK)
        st = open_sender(w, why);
    if (st == ODP_OK)
        st = odp_webhook_announcer_new(w);
    if (st == ODP_OK)
        *out = w;
    else
        odp_webhooks_free(w);
    return st;
}

enum odp_status odp_webhooks_start(struct odp_webhooks *w)
{
    void *(*const mains[])(void *) = {odp_webhook_announcer_main, odp_webhook_send_main};
    w->started = true;
    for (; w->nthreads < 2; w->nthreads++) {
        int e = pthread_create(&w->threads[w->nthreads], NULL, mains[w->nthreads], w);
        if (e != 0)
            return odp_failure_set("thread", NULL, e);
    }
    return ODP_OK;
}

void odp_webhooks_free(struct odp_webhooks *w)
{
    if (w == NULL)
        return;
    pthread_mutex_lock(&w->lock);
    w->stop = true;
    pthread_cond_broadcast(&w->more);
    pthread_mutex_unlock(&w->lock);
    if (w->sender != NULL)
        odp_sender_wake(w->sender);
    for (unsigned i = 0; i < w->nthreads; i++)
        (void)pthread_join(w->threads[i], NULL);
    odp_webhook_send_free(w);
    odp_webhook_announcer_free(w);
    odp_sender_free(w->sender);
    odp_seal_free(w->seal);
    odp_holder_release(&w->site);
    pthread_cond_destroy(&w->more);
    pthread_mutex_destroy(&w->lock);
    free(w);
}

void odp_webhooks_site(struct odp_webhooks *w, const char *dir)
{
    pthread_mutex_lock(&w->lock);
    if (strlen(dir) < sizeof w->wanted && strcmp(w->wanted, dir) != 0) {
        memcpy(w->wanted, dir, strlen(dir) + 1);
        w->tell_now = true;
        pthread_cond_signal(&w->more);
    }
    pthread_mutex_unlock(&w->lock);
}

const struct odp_address_policy *odp_webhooks_policy(const struct odp_webhooks *w)
{
    return &w->policy;
}
