/* GET /metrics, Prometheus text format 0.0.4. What nginx counts comes from the meter that all processes
 * share; what this process does, from odp_web. Keys are counted from the table, at most every ten seconds and
 * never for more than a fiftieth of the time. The two do not add up, because they are not the same requests:
 * odp_requests_total and its kin are of nginx's module and of forward-auth, odp_service_… of this process. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "service/http/web.h"
#include "service/metrics.h"
#include "service/queries/queries.h"
#include "service/webhooks/webhooks.h"

enum { KEYS_AGE_MS = 10000, KEYS_SHARE = 50, STATUSES = 600 };

static void head(struct odp_buffer *b, const char *name, const char *type, const char *help)
{
    odp_buffer_printf(b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* What ends in "_total" only grows. */
static const char *type_of(const char *name)
{
    size_t n = strlen(name);
    return n > 6 && strcmp(name + n - 6, "_total") == 0 ? "counter" : "gauge";
}

static void one(struct odp_buffer *b, const char *name, const char *help, uint64_t v)
{
    head(b, name, type_of(name), help);
    odp_buffer_printf(b, "%s %" PRIu64 "\n", name, v);
}

/* A label's value: backslash, quote and newline escaped. */
static void label(struct odp_buffer *b, const char *name, const char *value)
{
    odp_buffer_printf(b, "%s=\"", name);
    for (; *value != '\0'; value++) {
        if (*value == '\\' || *value == '"')
            odp_buffer_add_char(b, '\\');
        if (*value == '\n')
            odp_buffer_add_str(b, "\\n");
        else
            odp_buffer_add_char(b, *value);
    }
    odp_buffer_add_char(b, '"');
}

static void labelled(struct odp_buffer *b, const char *metric, const char *name, const char *value,
                     uint64_t v)
{
    odp_buffer_printf(b, "%s{", metric);
    label(b, name, value);
    odp_buffer_printf(b, "} %" PRIu64 "\n", v);
}

/* A figure of seconds. */
static void seconds(struct odp_buffer *b, const char *name, const char *help, double v)
{
    head(b, name, "gauge", help);
    odp_buffer_printf(b, "%s %.3f\n", name, v);
}

/* A counter with a row for each of N statuses, or of all problems, that was met. */
static void by_status(struct odp_buffer *b, const char *name, const char *help, const uint64_t *v, int n)
{
    char status[16];
    head(b, name, "counter", help);
    for (int i = 0; i < n; i++) {
        (void)snprintf(status, sizeof status, "%d", i);
        if (v[i] > 0)
            labelled(b, name, "status", status, v[i]);
    }
}

static void by_code(struct odp_buffer *b, const char *name, const char *help,
                    const uint64_t v[ODP_PROBLEM_COUNT])
{
    head(b, name, "counter", help);
    for (int i = 0; i < ODP_PROBLEM_COUNT; i++)
        if (v[i] > 0)
            labelled(b, name, "code", odp_problem_info((enum odp_problem)i)->code, v[i]);
}

/* Copies the N counters V to TO. */
static const uint64_t *loaded(uint64_t *to, _Atomic uint64_t *v, int n)
{
    for (int i = 0; i < n; i++)
        to[i] = atomic_load_explicit(&v[i], memory_order_relaxed);
    return to;
}

static void write_requests(struct odp_buffer *b, const struct odp_meter_totals *t)
{
    uint64_t sum = 0;
    by_status(b, "odp_requests_total", "Requests answered, by HTTP status.", t->status, STATUSES);
    by_code(b, "odp_refusals_total", "Requests refused, by problem code.", t->refused);
    head(b, "odp_request_duration_seconds", "histogram",
         "Time from the request's first byte to the end of the answer.");
    for (int i = 0; i < ODP_METER_BUCKETS; i++) {
        sum += t->bucket[i];
        if (odp_meter_bounds_us[i] == UINT32_MAX)
            odp_buffer_printf(b, "odp_request_duration_seconds_bucket{le=\"+Inf\"} %" PRIu64 "\n", sum);
        else
            odp_buffer_printf(b, "odp_request_duration_seconds_bucket{le=\"%g\"} %" PRIu64 "\n",
                              odp_meter_bounds_us[i] / 1e6, sum);
    }
    odp_buffer_printf(
        b, "odp_request_duration_seconds_sum %.6f\nodp_request_duration_seconds_count %" PRIu64 "\n",
        (double)t->micros / 1e6, sum);
    one(b, "odp_bytes_sent_total", "Bytes of answers sent.", t->bytes);
    head(b, "odp_answers_total", "counter", "Successful answers, by where their bytes came from.");
    labelled(b, "odp_answers_total", "source", "memory", t->from_memory);
    labelled(b, "odp_answers_total", "source", "disk", t->from_disk);
    labelled(b, "odp_answers_total", "source", "not_modified", t->not_modified);
    one(b, "odp_table_missing_total", "Requests answered 503 because no key table could be opened.",
        t->table_missing);
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
    if (s->web == NULL) {
        scan_keys(s, out);
        return;
    }
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

static void write_keys(struct odp_state *s, struct odp_buffer *b)
{
    static const char *const states[ODP_KEY_COUNT_STATES] = {"",          "active",  "rotated",
                                                             "suspended", "revoked", "expired"};
    struct odp_settings settings;
    struct odp_key_counts k;
    odp_keytable_settings(s->table, &settings);
    count_keys(s, &k);
    head(b, "odp_keys", "gauge", "Keys, by tier and state; up to ten seconds old.");
    for (uint32_t t = 0; t < settings.ntiers && t < ODP_TIERS_MAX; t++)
        for (int i = 1; i < ODP_KEY_COUNT_STATES; i++) {
            odp_buffer_add_str(b, "odp_keys{");
            label(b, "tier", settings.tiers[t].name);
            odp_buffer_add_char(b, ',');
            label(b, "state", states[i]);
            odp_buffer_printf(b, "} %" PRIu64 "\n", k.by[t][i]);
        }
    one(b, "odp_table_records", "Records in the key table.", odp_keytable_count(s->table));
    one(b, "odp_table_capacity", "Records that the key table has room for.", odp_keytable_capacity(s->table));
}

static void write_site(struct odp_state *s, struct odp_buffer *b)
{
    head(b, "odp_site_info", "gauge", "The build of the site being served.");
    if (s->web == NULL)
        return;
    struct odp_web_site *site = odp_holder_acquire(&s->web->site);
    if (site != NULL) {
        const char *dir = odp_control_dir(site->control), *slash = strrchr(dir, '/');
        labelled(b, "odp_site_info", "build", slash != NULL ? slash + 1 : dir, 1);
    }
    odp_holder_drop(&s->web->site, site);
}

static void write_sync(struct odp_state *s, struct odp_buffer *b)
{
    bool writer =
        s->writer || (s->web != NULL ? atomic_load(&s->web->writer_reachable) : s->writer_reachable);
    bool redis = s->web != NULL ? atomic_load(&s->web->redis_reachable) : s->redis_reachable;
    one(b, "odp_writer", "1: this machine is the writer, 0: a replica.", s->writer);
    one(b, "odp_writer_reachable", "1: registrations can be made.", writer);
    one(b, "odp_redis_connected", "1: connected to Redis.", redis);
    if (s->sync == NULL || s->web == NULL)
        return;
    pthread_mutex_lock(&s->web->mutex);
    struct odp_sync_state y = s->web->sync;
    pthread_mutex_unlock(&s->web->mutex);
    one(b, "odp_sync_rounds_total", "Rounds of exchange with other machines.", y.rounds);
    one(b, "odp_sync_reconnects_total", "Connections to Redis made again.", y.reconnects);
    one(b, "odp_sync_failures_total", "Rounds that failed.", y.failures);
    one(b, "odp_sync_keys_received_total", "Key records received from the writer.", y.keys_received);
    one(b, "odp_sync_counts_received_total", "Counts received from other machines.", y.counts_received);
    one(b, "odp_sync_refused_total", "Values in Redis that were not what they must be.", y.refused);
    one(b, "odp_sync_keys_complete", "1: all keys of the writer were applied since the start.",
        s->writer || y.keys_complete);
    one(b, "odp_sync_publishing", "1: this machine publishes the keys.", y.publishing);
    seconds(b, "odp_sync_longest_seconds", "From the begin of a round to the end of the next, at most.",
            (double)y.longest_ms / 1e3);
    one(b, "odp_sync_machines", "Machines seen lately, this one included.", y.machines);
    seconds(b, "odp_sync_last_round_timestamp_seconds", "When the last round ended.",
            (double)y.last_round_ms / 1e3);
}

static void write_service(struct odp_state *s, struct odp_buffer *b)
{
    struct odp_web *w = s->web;
    uint64_t v[STATUSES];
    _Static_assert((int)ODP_PROBLEM_COUNT <= (int)STATUSES, "room for the counters of problems too");
    if (w == NULL)
        return;
    by_status(b, "odp_service_answers_total",
              "Answers of the service itself (/auth/, forward-auth, commands), by HTTP status.",
              loaded(v, w->answered, STATUSES), STATUSES);
    by_code(b, "odp_service_refusals_total", "Problems the service answered with, by code.",
            loaded(v, w->refused, ODP_PROBLEM_COUNT));
    one(b, "odp_registrations_total", "Keys registered.", atomic_load(&w->registrations));
    one(b, "odp_mail_sent_total", "Mails the sendmail command took.", atomic_load(&w->mail_sent));
    one(b, "odp_mail_failures_total", "Mails that could not be sent.", atomic_load(&w->mail_failures));
    pthread_mutex_lock(&w->mutex);
    bool flush_ok = w->flush_ok;
    uint64_t left = w->left;
    pthread_mutex_unlock(&w->mutex);
    one(b, "odp_flush_ok", "1: the last write of counts into the store succeeded.", flush_ok);
    one(b, "odp_writes_ok", "1: registrations and changes of keys can be written; /healthz says why not.",
        strcmp(odp_web_writes(s), "ok") == 0);
    one(b, "odp_state_free_bytes", "Room on the disk of the state folder.", left);
}

static void write_queries(struct odp_state *s, struct odp_buffer *b)
{
    struct odp_queries *q = s->web != NULL ? s->web->queries : NULL;
    struct odp_cache_counts cache;
    unsigned running = 0, waiting = 0;
    uint64_t refused[ODP_PROBLEM_COUNT];
    if (q == NULL)
        return;
    odp_gate_counts(q->gate, &running, &waiting);
    odp_cache_counts(q->cache, &cache);
    head(b, "odp_query_seconds", "summary", "Time of queries in the engine; answers out of memory are none.");
    odp_buffer_printf(b, "odp_query_seconds_sum %.6f\nodp_query_seconds_count %" PRIu64 "\n",
                      (double)atomic_load(&q->counts.micros) / 1e6, (uint64_t)atomic_load(&q->counts.run));
    one(b, "odp_query_records_looked_at_total", "Records that queries looked at.",
        atomic_load(&q->counts.looked_at));
    one(b, "odp_query_records_returned_total", "Records that queries answered with.",
        atomic_load(&q->counts.returned));
    head(b, "odp_query_answers_total", "counter", "Answers to queries, by where they came from.");
    labelled(b, "odp_query_answers_total", "source", "memory", cache.hits);
    labelled(b, "odp_query_answers_total", "source", "shared", cache.shared);
    labelled(b, "odp_query_answers_total", "source", "made", cache.misses);
    by_code(b, "odp_query_refusals_total", "Problems at the query door, by code.",
            loaded(refused, s->web->query_refused, ODP_PROBLEM_COUNT));
    one(b, "odp_query_running", "Queries being run.", running);
    one(b, "odp_query_waiting", "Queries that wait for a place, or for the same one to be answered.",
        waiting + cache.waiting);
    one(b, "odp_query_cache_bytes", "Memory of answers that are kept.", cache.bytes);
    one(b, "odp_query_cache_answers", "Answers that are kept.", cache.answers);
    one(b, "odp_query_open_indexes", "Query indexes that are open.", odp_queries_open(q));
}

static void write_latency(struct odp_buffer *b, const struct odp_webhook_figures *f)
{
    static const char *const bounds[] = {"0.1", "0.25", "0.5", "1", "2.5", "5", "10", "30", "60", "+Inf"};
    enum { LATENCIES = ODP_COUNT(f->latency) };
    _Static_assert(ODP_COUNT(bounds) == LATENCIES, "a bound a bucket");
    head(b, "odp_webhook_latency_seconds", "histogram",
         "From the switch of the site to the end of the first attempt, of messages that were delivered by "
         "it.");
    for (int i = 0; i < LATENCIES; i++)
        odp_buffer_printf(b, "odp_webhook_latency_seconds_bucket{le=\"%s\"} %" PRIu64 "\n", bounds[i],
                          f->latency[i]);
    odp_buffer_printf(b,
                      "odp_webhook_latency_seconds_sum %.3f\nodp_webhook_latency_seconds_count %" PRIu64 "\n",
                      (double)f->latency_ms / 1e3, f->latency[LATENCIES - 1]);
}

/* Kinds of outcomes, events and states only: nothing that names a subscription or its address. */
static void write_webhooks(struct odp_state *s, struct odp_buffer *b)
{
    static const char *const states[] = {"unverified", "active", "paused", "disabled"};
    struct odp_webhook_figures f;
    if (s->web == NULL || s->web->webhooks == NULL)
        return;
    odp_webhooks_figures(s->web->webhooks, &f);
    head(b, "odp_webhook_attempts_total", "counter", "Attempts to deliver a message, by how they ended.");
    for (int i = 0; i < ODP_OUTCOMES; i++)
        labelled(b, "odp_webhook_attempts_total", "outcome", odp_outcome_name((enum odp_outcome)i),
                 f.outcomes[i]);
    head(b, "odp_webhook_events_total", "counter", "Events that were told, by type.");
    for (int i = 0; i < ODP_EVENT_TYPES; i++)
        labelled(b, "odp_webhook_events_total", "type", odp_event_info((enum odp_event_type)i)->name,
                 f.events[i]);
    head(b, "odp_webhook_subscriptions", "gauge",
         "Subscriptions, by state; up to ten seconds old, as the next three.");
    for (int i = 0; i < 4; i++)
        labelled(b, "odp_webhook_subscriptions", "state", states[i], f.subscriptions[i]);
    one(b, "odp_webhook_pending", "Deliveries that are due, or wait for their next attempt.", f.pending);
    int64_t late = f.oldest > 0 ? odp_now_ms() - f.oldest : 0;
    seconds(b, "odp_webhook_oldest_seconds", "How long the oldest delivery that is due has been so.",
            late > 0 ? (double)late / 1e3 : 0.0);
    one(b, "odp_webhook_busy", "Messages being sent.", f.busy);
    write_latency(b, &f);
}

void odp_metrics_write(struct odp_state *s, struct odp_buffer *out)
{
    struct odp_meter_totals t;
    head(out, "odp_build_info", "gauge", "The running program.");
    labelled(out, "odp_build_info", "version", ODP_VERSION, 1);
    one(out, "odp_process_start_time_seconds", "When the service started, in Unix seconds.",
        (uint64_t)(s->started > 0 ? s->started : 0));
    if (s->meter != NULL) {
        odp_meter_totals(s->meter, &t);
        write_requests(out, &t);
    }
    if (s->table != NULL)
        write_keys(s, out);
    write_site(s, out);
    write_sync(s, out);
    write_service(s, out);
    write_queries(s, out);
    write_webhooks(s, out);
}
