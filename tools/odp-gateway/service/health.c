/* The metrics listener: GET /healthz, GET /readyz and GET /metrics.
 *
 * /healthz is for who looks after the machine: 503 as soon as it does not do all of its work: it cannot serve
 * (no table, no site, a ticker that stands still: "fail"), or what changes keys is refused (no store, no
 * room, counts that cannot be written: "degraded"). /readyz is for who hands out requests: 503 only where it
 * cannot serve, since reads go on without a disk. Writer or Redis gone, or a site whose settings cannot be
 * read (those before stay), are others' faults: warnings. */
#include <string.h>

#include "base/json_load.h"
#include "service/http/endpoint.h"
#include "service/metrics.h"
#include "service/state/store.h"
#include "service/webhooks/webhooks.h"

enum { TICK_LATE_MS = 10000, WEBHOOKS_LATE_MS = 60000 };

static bool store_answers(struct odp_state *s)
{
    if (!s->writer)
        return true;
    if (s->db == NULL)
        return false;
    pthread_mutex_lock(&s->mutex);
    bool ok = odp_store_run(s->db, "SELECT count(*) FROM sqlite_master", "") != ODP_FAIL;
    pthread_mutex_unlock(&s->mutex);
    if (!ok)
        odp_failure_clear(); /* said in the answer */
    return ok;
}

struct health {
    bool table, store, site, counts, ticker;
    bool settings; /* of the site as it is now; else those before stay */
    const char *writes;
};

static void look(const struct odp_answer *a, struct health *h)
{
    *h = (struct health){a->s->table != NULL, store_answers(a->s), true, true, true, true,
                         odp_web_writes(a->s)};
    if (a->s->web == NULL)
        return;
    struct odp_web_site *site = odp_holder_acquire(&a->s->web->site);
    h->site = a->s->options->site == NULL || site != NULL;
    odp_holder_drop(&a->s->web->site, site);
    pthread_mutex_lock(&a->s->web->mutex);
    h->counts = a->s->web->flush_ok;
    h->settings = a->s->options->site == NULL || a->s->web->settings_ok;
    h->ticker = !a->s->web->ticking || odp_call_ms(a->c) - a->s->web->ticked_ms < TICK_LATE_MS;
    pthread_mutex_unlock(&a->s->web->mutex);
}

static void warn(json_t *list, const char *what)
{
    (void)json_array_append_new(list, json_string(what));
}

/* A receiver that fails is its owner's affair and no word of this; threads that stand still are ours. A step
 * never done counts from the start. */
static void warn_webhooks(const struct odp_state *s, int64_t now, json_t *list)
{
    struct odp_webhook_figures f;
    if (s->web == NULL || s->web->webhooks == NULL)
        return;
    odp_webhooks_figures(s->web->webhooks, &f);
    int64_t started = s->started * 1000;
    if (now - (f.told > started ? f.told : started) >= WEBHOOKS_LATE_MS)
        warn(list, "webhooks-not-told");
    if (now - (f.sent > started ? f.sent : started) >= WEBHOOKS_LATE_MS)
        warn(list, "webhooks-not-sent");
    if (!f.site_ok)
        warn(list, "webhooks-site-not-read");
}

/* No reason to take this machine out: it serves on. */
static json_t *warnings(const struct odp_answer *a, const struct health *h)
{
    json_t *list = json_array();
    if (!h->settings)
        warn(list, "site-settings-not-taken");
    if (a->s->web != NULL && !a->s->writer && !atomic_load(&a->s->web->writer_reachable))
        warn(list, "writer-unreachable");
    if (a->s->web != NULL && a->s->sync != NULL && !atomic_load(&a->s->web->redis_reachable))
        warn(list, "redis-unreachable");
    warn_webhooks(a->s, odp_call_ms(a->c), list);
    return list;
}

static json_t *document(const struct odp_answer *a, const struct health *h, const char *status)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:{s:b, s:b, s:b, s:b, s:b}, s:o}", "status", status, "version",
                     ODP_VERSION, "role", a->s->writer ? "writer" : "replica", "writes", h->writes, "checks",
                     "table", (int)h->table, "store", (int)h->store, "site", (int)h->site, "counts",
                     (int)h->counts, "ticker", (int)h->ticker, "warnings", warnings(a, h));
}

/* ALL: what changes keys counts, too. */
static enum odp_status answer(struct odp_answer *a, bool all)
{
    struct health h;
    look(a, &h);
    if (h.table && !h.settings) { /* without any tier no key is good for anything */
        struct odp_settings settings;
        odp_http_settings(a->s, &settings);
        h.site = h.site && settings.ntiers > 0;
    }
    bool serves = h.table && h.site && h.ticker, elsewhere = strcmp(h.writes, "writer-unreachable") == 0;
    bool writes = h.store && h.counts && strcmp(h.writes, "ok") == 0;
    json_t *doc = document(a, &h, !serves ? "fail" : writes ? "ok" : "degraded");
    char *text = json_dumps(doc, JSON_COMPACT);
    json_decref(doc);
    a->status = serves && (writes || elsewhere || !all) ? 200 : 503;
    odp_buffer_add_str(&a->body, text);
    odp_buffer_add_char(&a->body, '\n');
    odp_json_free_text(text);
    odp_answer_header(a, "Cache-Control", "no-store");
    return odp_buffer_status(&a->body);
}

enum odp_status odp_endpoint_healthz(struct odp_answer *a)
{
    return answer(a, true);
}

enum odp_status odp_endpoint_readyz(struct odp_answer *a)
{
    return answer(a, false);
}

enum odp_status odp_endpoint_metrics(struct odp_answer *a)
{
    a->status = 200;
    a->content_type = "text/plain; version=0.0.4; charset=utf-8";
    odp_answer_header(a, "Cache-Control", "no-store");
    return odp_metrics_write(a->s, &a->body);
}
