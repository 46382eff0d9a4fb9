/* GET /metrics, Prometheus text format 0.0.4: the values; their names and what they mean are in
 * templates/service/pages/metrics.txt. What nginx counts comes from the meter that all processes share; what
 * this process does, from odp_web. Keys are counted from the table, at most every ten seconds and never for
 * more than a fiftieth of the time. The two do not add up, because they are not the same requests:
 * odp_requests_total and its kin are of nginx's module and of forward-auth, odp_service_… of this process. */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/template/template.h"
#include "service/http/web.h"
#include "service/metrics.h"
#include "service/queries/queries.h"
#include "service/webhooks/webhooks.h"

enum { KEYS_AGE_MS = 10000, KEYS_SHARE = 50, STATUSES = 600 };

/* ---- rows: a label's value and a number ---- */

static void add_row(json_t *rows, const char *of, uint64_t n)
{
    json_array_append_new(rows, json_pack("{s:s, s:I}", "of", of, "n", (json_int_t)n));
}

/* The N statuses, or all problems, that were met. */
static json_t *by_status(const uint64_t *v, int n)
{
    char status[16];
    json_t *rows = json_array();
    for (int i = 0; i < n; i++) {
        (void)snprintf(status, sizeof status, "%d", i);
        if (v[i] > 0)
            add_row(rows, status, v[i]);
    }
    return rows;
}

static json_t *by_code(const uint64_t v[ODP_PROBLEM_COUNT])
{
    json_t *rows = json_array();
    for (int i = 0; i < ODP_PROBLEM_COUNT; i++)
        if (v[i] > 0)
            add_row(rows, odp_problem_info((enum odp_problem)i)->code, v[i]);
    return rows;
}

/* A label's value with its backslashes, quotes and line feeds escaped, which JSON does alike. */
static json_t *label(const char *value)
{
    struct odp_buffer text = {0};
    odp_json_add_inside(&text, odp_slice_of(value));
    json_t *escaped = json_string(odp_buffer_cstr(&text));
    odp_buffer_release(&text);
    return escaped;
}

/* Copies the N counters V to TO. */
static const uint64_t *loaded(uint64_t *to, _Atomic uint64_t *v, int n)
{
    for (int i = 0; i < n; i++)
        to[i] = atomic_load_explicit(&v[i], memory_order_relaxed);
    return to;
}

static json_int_t load(_Atomic uint64_t *v)
{
    return (json_int_t)atomic_load(v);
}

static json_t *seconds(int64_t ms)
{
    return json_sprintf("%.3f", (double)ms / 1e3);
}

/* ---- who says what ---- */

static json_t *requests_of(const struct odp_state *s)
{
    struct odp_meter_totals t;
    char bound[24];
    json_t *buckets = json_array();
    json_int_t sum = 0;
    if (s->meter == NULL)
        return NULL;
    odp_meter_totals(s->meter, &t);
    for (int i = 0; i < ODP_METER_BUCKETS; i++) {
        bool last = odp_meter_bounds_us[i] == UINT32_MAX;
        (void)snprintf(bound, sizeof bound, last ? "+Inf" : "%g", odp_meter_bounds_us[i] / 1e6);
        sum += (json_int_t)t.bucket[i];
        add_row(buckets, bound, (uint64_t)sum);
    }
    return json_pack("{s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:I}", "statuses",
                     by_status(t.status, STATUSES), "refusals", by_code(t.refused), "buckets", buckets, "sum",
                     json_sprintf("%.6f", (double)t.micros / 1e6), "count", sum, "bytes", (json_int_t)t.bytes,
                     "memory", (json_int_t)t.from_memory, "disk", (json_int_t)t.from_disk, "not_modified",
                     (json_int_t)t.not_modified, "table_missing", (json_int_t)t.table_missing);
}

static void scan_keys(const struct odp_state *s, struct odp_key_counts *out)
{
    int64_t now = odp_now();
    struct odp_key_record r;
    uint32_t n = odp_keytable_count(s->table);
    memset(out, 0, sizeof *out);
    out->at_ms = odp_clock_ms();
    for (uint32_t i = 0; i < n; i++) {
        if (odp_keytable_at(s->table, i, &r) != ODP_OK || r.tier >= ODP_TIERS_MAX ||
            r.state < ODP_KEY_ACTIVE || r.state > ODP_KEY_REVOKED)
            continue;
        bool expired =
            r.until != 0 && r.until <= now && (r.state == ODP_KEY_ACTIVE || r.state == ODP_KEY_ROTATED);
        out->by[r.tier][expired ? ODP_KEY_REVOKED + 1 : r.state]++;
    }
    out->took_ms = odp_clock_ms() - out->at_ms;
}

/* A copy of the counts, taken anew when they are old; meanwhile others get the old ones. */
static void count_keys(struct odp_state *s, struct odp_key_counts *out)
{
    struct odp_web *w = s->web;
    pthread_mutex_lock(&w->mutex);
    int64_t age = odp_clock_ms() - w->keys.at_ms;
    bool scan =
        !w->keys_busy && (w->keys.at_ms == 0 || (age >= KEYS_AGE_MS && age >= w->keys.took_ms * KEYS_SHARE));
    w->keys_busy = w->keys_busy || scan;
    *out = w->keys;
    pthread_mutex_unlock(&w->mutex);
    if (!scan)
        return;
    scan_keys(s, out);
    pthread_mutex_lock(&w->mutex);
    w->keys = *out;
    w->keys_busy = false;
    pthread_mutex_unlock(&w->mutex);
}

static json_t *table_of(struct odp_state *s)
{
    static const char *const states[ODP_KEY_COUNT_STATES] = {"",          "active",  "rotated",
                                                             "suspended", "revoked", "expired"};
    struct odp_settings settings;
    struct odp_key_counts k;
    json_t *keys = json_array();
    if (s->table == NULL)
        return NULL;
    odp_keytable_settings(s->table, &settings);
    count_keys(s, &k);
    for (uint32_t t = 0; t < settings.ntiers && t < ODP_TIERS_MAX; t++)
        for (int i = 1; i < ODP_KEY_COUNT_STATES; i++)
            json_array_append_new(keys, json_pack("{s:o, s:s, s:I}", "tier", label(settings.tiers[t].name),
                                                  "state", states[i], "n", (json_int_t)k.by[t][i]));
    return json_pack("{s:o, s:I, s:I}", "keys", keys, "records", (json_int_t)odp_keytable_count(s->table),
                     "capacity", (json_int_t)odp_keytable_capacity(s->table));
}

/* The build's name. */
static json_t *build_of(const struct odp_state *s)
{
    struct odp_web_site *site = odp_holder_acquire(&s->web->site);
    const char *dir = site != NULL ? odp_control_dir(site->control) : NULL,
               *slash = dir != NULL ? strrchr(dir, '/') : NULL;
    json_t *name = dir != NULL ? label(slash != NULL ? slash + 1 : dir) : NULL;
    odp_holder_drop(&s->web->site, site);
    return name;
}

static json_t *sync_of(const struct odp_state *s)
{
    if (s->sync == NULL)
        return NULL;
    pthread_mutex_lock(&s->web->mutex);
    struct odp_sync_state y = s->web->sync;
    pthread_mutex_unlock(&s->web->mutex);
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:i, s:i, s:o, s:i, s:o}", "rounds",
                     (json_int_t)y.rounds, "reconnects", (json_int_t)y.reconnects, "failures",
                     (json_int_t)y.failures, "keys", (json_int_t)y.keys_received, "counts",
                     (json_int_t)y.counts_received, "refused", (json_int_t)y.refused, "complete",
                     (int)(s->writer || y.keys_complete), "publishing", (int)y.publishing, "longest",
                     seconds(y.longest_ms), "machines", (int)y.machines, "last_round",
                     seconds(y.last_round_ms));
}

static json_t *service_of(struct odp_state *s)
{
    struct odp_web *w = s->web;
    uint64_t v[STATUSES];
    _Static_assert((int)ODP_PROBLEM_COUNT <= (int)STATUSES, "room for the counters of problems too");
    pthread_mutex_lock(&w->mutex);
    bool flush_ok = w->flush_ok;
    uint64_t left = w->left;
    pthread_mutex_unlock(&w->mutex);
    json_t *statuses = by_status(loaded(v, w->answered, STATUSES), STATUSES);
    return json_pack("{s:o, s:o, s:I, s:I, s:I, s:i, s:i, s:I}", "statuses", statuses, "refusals",
                     by_code(loaded(v, w->refused, ODP_PROBLEM_COUNT)), "registrations",
                     load(&w->registrations), "mail_sent", load(&w->mail_sent), "mail_failures",
                     load(&w->mail_failures), "flush_ok", (int)flush_ok, "writes_ok",
                     strcmp(odp_web_writes(s), "ok") == 0, "left", (json_int_t)left);
}

static json_t *queries_of(struct odp_state *s)
{
    struct odp_queries *q = s->web->queries;
    struct odp_cache_counts cache;
    unsigned running = 0, waiting = 0;
    uint64_t refused[ODP_PROBLEM_COUNT];
    if (q == NULL)
        return NULL;
    odp_gate_counts(q->gate, &running, &waiting);
    odp_cache_counts(q->cache, &cache);
    return json_pack("{s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:I, s:I, s:I, s:I, s:I}", "seconds",
                     json_sprintf("%.6f", (double)load(&q->counts.micros) / 1e6), "count",
                     load(&q->counts.run), "looked_at", load(&q->counts.looked_at), "returned",
                     load(&q->counts.returned), "memory", (json_int_t)cache.hits, "shared",
                     (json_int_t)cache.shared, "made", (json_int_t)cache.misses, "refusals",
                     by_code(loaded(refused, s->web->query_refused, ODP_PROBLEM_COUNT)), "running",
                     (json_int_t)running, "waiting", (json_int_t)waiting + (json_int_t)cache.waiting, "bytes",
                     (json_int_t)cache.bytes, "answers", (json_int_t)cache.answers, "open",
                     (json_int_t)odp_queries_open(q));
}

/* Kinds of outcomes, events and states only: nothing that names a subscription or its address. */
static json_t *webhooks_of(const struct odp_state *s)
{
    static const char *const states[] = {"unverified", "active", "paused", "disabled"};
    static const char *const bounds[] = {"0.1", "0.25", "0.5", "1", "2.5", "5", "10", "30", "60", "+Inf"};
    json_t *attempts = json_array(), *events = json_array(), *subscriptions = json_array(),
           *latency = json_array();
    struct odp_webhook_figures f;
    enum { LATENCIES = ODP_COUNT(f.latency) };
    _Static_assert(ODP_COUNT(bounds) == LATENCIES, "a bound a bucket");
    odp_webhooks_figures(s->web->webhooks, &f);
    for (int i = 0; i < ODP_OUTCOMES; i++)
        add_row(attempts, odp_outcome_name((enum odp_outcome)i), f.outcomes[i]);
    for (int i = 0; i < ODP_EVENT_TYPES; i++)
        add_row(events, odp_event_info((enum odp_event_type)i)->name, f.events[i]);
    for (size_t i = 0; i < ODP_COUNT(states); i++)
        add_row(subscriptions, states[i], f.subscriptions[i]);
    for (int i = 0; i < LATENCIES; i++)
        add_row(latency, bounds[i], f.latency[i]);
    int64_t late = f.oldest > 0 ? odp_now_ms() - f.oldest : 0;
    return json_pack("{s:o, s:o, s:o, s:I, s:o, s:I, s:o, s:o, s:I}", "attempts", attempts, "events", events,
                     "subscriptions", subscriptions, "pending", (json_int_t)f.pending, "oldest",
                     seconds(late > 0 ? late : 0), "busy", (json_int_t)f.busy, "latency", latency,
                     "latency_sum", seconds((int64_t)f.latency_ms), "latency_count",
                     (json_int_t)f.latency[LATENCIES - 1]);
}

enum odp_status odp_metrics_write(struct odp_state *s, struct odp_buffer *out)
{
    bool writer = s->writer || atomic_load(&s->web->writer_reachable);
    json_t *v = json_pack(
        "{s:s, s:I, s:o*, s:o*, s:o*, s:i, s:i, s:i, s:o*, s:o, s:o*, s:o*}", "version", ODP_VERSION,
        "started", (json_int_t)(s->started > 0 ? s->started : 0), "requests", requests_of(s), "table",
        table_of(s), "build", build_of(s), "writer", (int)s->writer, "writer_reachable", (int)writer, "redis",
        (int)atomic_load(&s->web->redis_reachable), "sync", sync_of(s), "service", service_of(s), "queries",
        queries_of(s), "webhooks", s->web->webhooks != NULL ? webhooks_of(s) : NULL);
    const json_t *scopes[] = {v};
    enum odp_status st = odp_templates_render(s->web->pages, "metrics", ODP_LANG_EN, scopes, 1, out);
    json_decref(v);
    return st;
}
