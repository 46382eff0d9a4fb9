/* /metrics, read by a strict reader of the text format: names, HELP and TYPE once and first, labels escaped,
 * no series twice.
 */
#include <ctype.h>

#include "gateway_http_fixture.h"

#include "service/webhooks/webhooks_internal.h"

enum { SERIES_MAX = 2000 };

struct scrape {
    char *series[SERIES_MAX]; /* name{labels} */
    double values[SERIES_MAX];
    size_t n;
    char family[128], type[16], help[128];
};

static size_t name_len(const char *p)
{
    size_t n = 0;
    while (isalnum((unsigned char)p[n]) || p[n] == '_' || p[n] == ':')
        n++;
    return n > 0 && !isdigit((unsigned char)p[0]) ? n : 0;
}

static const char *read_labels(const char *p)
{
    assert_int_equal(*p++, '{');
    for (;;) {
        size_t n = name_len(p);
        assert_true(n > 0 && p[n] == '=' && p[n + 1] == '"');
        for (p += n + 2; *p != '"'; p++) {
            assert_true(*p != '\0' && *p != '\n');
            if (*p == '\\') {
                p++;
                assert_true(*p == '\\' || *p == '"' || *p == 'n');
            }
        }
        p++;
        if (*p == '}')
            return p + 1;
        assert_int_equal(*p++, ',');
    }
}

static bool of_family(const struct scrape *s, const char *name, size_t n)
{
    size_t f = strlen(s->family);
    if (n == f && memcmp(name, s->family, n) == 0)
        return strcmp(s->type, "histogram") != 0;
    static const char *const ends[] = {"_bucket", "_sum", "_count"};
    for (size_t i = 0; i < 3 && strcmp(s->type, "histogram") == 0; i++)
        if (n == f + strlen(ends[i]) && memcmp(name, s->family, f) == 0 &&
            memcmp(name + f, ends[i], strlen(ends[i])) == 0)
            return true;
    return false;
}

static void read_sample(struct scrape *s, const char *line)
{
    char *end = NULL;
    size_t n = name_len(line);
    assert_true(n > 0);
    if (!of_family(s, line, n))
        fail_msg("%s is not of the family %s", line, s->family);
    const char *p = line[n] == '{' ? read_labels(line + n) : line + n;
    assert_int_equal(*p, ' ');
    assert_true(s->n < SERIES_MAX);
    s->series[s->n] = strndup(line, (size_t)(p - line));
    for (size_t i = 0; i < s->n; i++)
        assert_string_not_equal(s->series[i], s->series[s->n]);
    s->values[s->n] = strtod(p + 1, &end);
    assert_true(end != p + 1 && *end == '\0');
    if (strcmp(s->type, "counter") == 0)
        assert_true(s->values[s->n] >= 0);
    s->n++;
}

static void read_comment(struct scrape *s, const char *line, char families[][128], size_t *n)
{
    char word[8], name[128], rest[256];
    assert_int_equal(sscanf(line, "# %7s %127s %255[^\n]", word, name, rest), 3);
    if (strcmp(word, "HELP") == 0) {
        for (size_t i = 0; i < *n; i++)
            assert_string_not_equal(families[i], name);
        snprintf(families[(*n)++], 128, "%s", name);
        snprintf(s->help, sizeof s->help, "%s", name);
        return;
    }
    assert_string_equal(word, "TYPE");
    assert_string_equal(name, s->help);
    assert_true(strcmp(rest, "counter") == 0 || strcmp(rest, "gauge") == 0 || strcmp(rest, "histogram") == 0);
    size_t len = strlen(name);
    if (strcmp(rest, "counter") == 0)
        assert_string_equal(name + (len > 6 ? len - 6 : 0), "_total");
    snprintf(s->family, sizeof s->family, "%s", name);
    snprintf(s->type, sizeof s->type, "%.15s", rest);
}

static void scrape_read(struct scrape *s, char *text)
{
    static char families[200][128];
    size_t n = 0, len = strlen(text);
    memset(s, 0, sizeof *s);
    assert_true(len > 0 && text[len - 1] == '\n');
    for (char *line = text; *line != '\0';) {
        char *end = strchr(line, '\n');
        *end = '\0';
        assert_true(end > line); /* no empty lines */
        if (line[0] == '#')
            read_comment(s, line, families, &n);
        else
            read_sample(s, line);
        line = end + 1;
    }
}

static double value(const struct scrape *s, const char *series)
{
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->series[i], series) == 0)
            return s->values[i];
    fail_msg("no %s", series);
    return 0;
}

static void scrape_free(struct scrape *s)
{
    for (size_t i = 0; i < s->n; i++)
        free(s->series[i]);
}

static void get(struct fixture *f, struct scrape *s)
{
    struct odp_call c = f->call;
    c.door = ODP_DOOR_METRICS;
    c.path = ODP_LIT("/metrics");
    assert_int_equal(fixture_run(f, &c), 200);
    assert_string_equal(f->a.content_type, "text/plain; version=0.0.4; charset=utf-8");
    odp_buffer_add_char(&f->a.body, '\0');
    scrape_read(s, f->a.body.ptr);
}

TEST(scrape)
{
    struct fixture *f = *state;
    struct scrape s;
    fixture_register(f, "sari@example.org");
    asks(f, "GET", "/auth/key", NULL, NULL, 401, "");
    odp_meter_request(f->s.meter, 0, 200, 300, 1000);
    odp_meter_request(f->s.meter, 3, 200, 20000000, 24);
    odp_meter_request(f->s.meter, 1, 429, 100, 0);
    odp_meter_refusal(f->s.meter, 1, ODP_PROBLEM_QUOTA_EXCEEDED);
    odp_meter_source(f->s.meter, 0, ODP_METER_MEMORY);
    odp_meter_source(f->s.meter, 0, ODP_METER_NO_TABLE);
    get(f, &s);
    assert_true(value(&s, "odp_requests_total{status=\"200\"}") == 2);
    assert_true(value(&s, "odp_requests_total{status=\"429\"}") == 1);
    assert_true(value(&s, "odp_refusals_total{code=\"quota-exceeded\"}") == 1);
    assert_true(value(&s, "odp_request_duration_seconds_count") == 3);
    assert_true(value(&s, "odp_request_duration_seconds_bucket{le=\"+Inf\"}") == 3);
    assert_true(value(&s, "odp_request_duration_seconds_sum") > 20);
    assert_true(value(&s, "odp_bytes_sent_total") == 1024);
    assert_true(value(&s, "odp_answers_total{source=\"memory\"}") == 1);
    assert_true(value(&s, "odp_table_missing_total") == 1);
    assert_true(value(&s, "odp_keys{tier=\"public\",state=\"active\"}") == 1);
    assert_true(value(&s, "odp_keys{tier=\"government\",state=\"revoked\"}") == 0);
    assert_true(value(&s, "odp_table_records") == 1);
    assert_true(value(&s, "odp_table_capacity") == odp_keytable_capacity(f->s.table));
    assert_true(value(&s, "odp_registrations_total") == 1);
    assert_true(value(&s, "odp_service_answers_total{status=\"201\"}") == 1);
    assert_true(value(&s, "odp_service_refusals_total{code=\"key-missing\"}") == 1);
    assert_true(value(&s, "odp_mail_failures_total") == 0);
    assert_true(value(&s, "odp_writer_reachable") == 1);
    assert_true(value(&s, "odp_redis_connected") == 0);
    assert_true(value(&s, "odp_process_start_time_seconds") == (double)f->s.started);
    scrape_free(&s);
}

TEST(buckets_rise)
{
    struct fixture *f = *state;
    struct scrape s;
    for (uint64_t micros = 1; micros < 100000000; micros *= 3)
        odp_meter_request(f->s.meter, (unsigned)(micros % ODP_METER_STRIPES), 200, micros, 1);
    get(f, &s);
    double last = -1, bound = -1;
    size_t buckets = 0;
    for (size_t i = 0; i < s.n; i++) {
        const char *le = strstr(s.series[i], "odp_request_duration_seconds_bucket{le=\"");
        if (le == NULL)
            continue;
        double b = strstr(le, "+Inf") != NULL ? 1e300 : strtod(strchr(le, '"') + 1, NULL);
        assert_true(b > bound && s.values[i] >= last);
        bound = b;
        last = s.values[i];
        buckets++;
    }
    assert_int_equal(buckets, ODP_METER_BUCKETS);
    assert_true(bound == 1e300);
    scrape_free(&s);
}

TEST(keys_by_state)
{
    struct fixture *f = *state;
    struct scrape s;
    fixture_register(f, "satu@example.org");
    asks(f, "DELETE", "/auth/key", NULL, f->key, 200, "");
    fixture_register(f, "dua@example.org");
    f->call.now = odp_now(); /* the count of keys looks at the real clock */
    asks(f, "POST", "/auth/rotate", "{'grace_hours':0}", f->key, 201, "");
    get(f, &s);
    assert_true(value(&s, "odp_keys{tier=\"public\",state=\"active\"}") == 1);
    assert_true(value(&s, "odp_keys{tier=\"public\",state=\"revoked\"}") == 1);
    assert_true(value(&s, "odp_keys{tier=\"public\",state=\"rotated\"}") +
                    value(&s, "odp_keys{tier=\"public\",state=\"expired\"}") ==
                1);
    scrape_free(&s);
    fixture_register(f, "tiga@example.org");
    get(f, &s); /* counted anew only after a while */
    assert_true(value(&s, "odp_keys{tier=\"public\",state=\"active\"}") == 1);
    assert_true(value(&s, "odp_table_records") == 4);
    scrape_free(&s);
}

TEST(escapes)
{
    struct fixture *f = *state;
    struct scrape s;
    struct odp_settings settings = fixture_settings();
    snprintf(settings.tiers[0].name, ODP_TIER_NAME, "a\"b\\c\nd");
    odp_keytable_set_settings(f->s.table, &settings);
    get(f, &s);
    assert_true(value(&s, "odp_keys{tier=\"a\\\"b\\\\c\\nd\",state=\"active\"}") == 0);
    scrape_free(&s);
}

/* ---- webhooks ---- */

static void open_webhooks(struct fixture *f)
{
    char why[ODP_WHY] = "";
    if (odp_webhooks_new(&f->s.web->webhooks, &f->s, why) != ODP_OK)
        fail_msg("%s %s", why, odp_failure_text());
}

static void close_webhooks(struct fixture *f)
{
    odp_webhooks_free(f->s.web->webhooks);
    f->s.web->webhooks = NULL;
}

TEST(webhooks)
{
    static const double bounds[] = {0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 1e300};
    static const uint64_t latencies[] = {1, 2, 4, 8, 16, 17, 18, 19, 20, 21};
    struct fixture *f = *state;
    struct scrape s;
    get(f, &s);
    for (size_t i = 0; i < s.n; i++) /* a service without them says nothing of them */
        assert_null(strstr(s.series[i], "odp_webhook"));
    scrape_free(&s);
    fixture_register(f, "sari@example.org");
    must(odp_store_run(f->s.db,
                       "INSERT INTO webhook(name, account, holder, url, place, events, datasets, filter, "
                       "description, secret, state, created, changed) VALUES('wh_rahasia', 1, 1, x'00', "
                       "'hooks.example.org:443', '', '', '', '', x'00', 'unverified', 1, 1)",
                       ""));
    open_webhooks(f);
    struct odp_webhooks *w = f->s.web->webhooks;
    pthread_mutex_lock(&w->lock);
    w->figures.outcomes[ODP_OUTCOME_DELIVERED] = 21;
    w->figures.outcomes[ODP_OUTCOME_FORBIDDEN] = 2;
    w->figures.events[ODP_EVENT_CORRECTED] = 3;
    memcpy(w->figures.latency, latencies, sizeof latencies);
    w->figures.latency_ms = 12345;
    pthread_mutex_unlock(&w->lock);
    get(f, &s);
    assert_true(value(&s, "odp_webhook_attempts_total{outcome=\"delivered\"}") == 21);
    assert_true(value(&s, "odp_webhook_attempts_total{outcome=\"address-forbidden\"}") == 2);
    assert_true(value(&s, "odp_webhook_attempts_total{outcome=\"timeout\"}") == 0);
    assert_true(value(&s, "odp_webhook_events_total{type=\"dataset.corrected\"}") == 3);
    assert_true(value(&s, "odp_webhook_events_total{type=\"quota.warning\"}") == 0);
    assert_true(value(&s, "odp_webhook_subscriptions{state=\"unverified\"}") == 1);
    assert_true(value(&s, "odp_webhook_subscriptions{state=\"disabled\"}") == 0);
    assert_true(value(&s, "odp_webhook_pending") == 0);
    assert_true(value(&s, "odp_webhook_oldest_seconds") == 0);
    assert_true(value(&s, "odp_webhook_busy") == 0);
    assert_true(value(&s, "odp_webhook_latency_seconds_sum") == 12.345);
    assert_true(value(&s, "odp_webhook_latency_seconds_count") == 21);
    size_t outcomes = 0, buckets = 0;
    for (size_t i = 0; i < s.n; i++) {
        outcomes += strncmp(s.series[i], "odp_webhook_attempts_total", 26) == 0;
        const char *le = strstr(s.series[i], "odp_webhook_latency_seconds_bucket{le=\"");
        if (le != NULL) {
            double b = strstr(le, "+Inf") != NULL ? 1e300 : strtod(strchr(le, '"') + 1, NULL);
            assert_true(buckets < 10 && b == bounds[buckets] && s.values[i] == (double)latencies[buckets]);
            buckets++;
        }
        assert_null(strstr(s.series[i], "wh_")); /* neither whose nor where to */
        assert_null(strstr(s.series[i], "example.org"));
    }
    assert_int_equal(buckets, 10);
    assert_int_equal(outcomes, ODP_OUTCOMES);
    scrape_free(&s);
    close_webhooks(f);
}

static bool warns(struct fixture *f, int64_t now, const char *word)
{
    struct odp_call c = f->call;
    size_t i;
    json_t *warning;
    bool found = false;
    c.door = ODP_DOOR_METRICS;
    c.path = ODP_LIT("/healthz");
    c.now = now;
    c.now_ms = now * 1000;
    f->s.web->flush_ok = true;
    assert_int_equal(fixture_run(f, &c), 200); /* never a reason to take the machine out */
    assert_string_equal(json_string_value(json_object_get(f->doc, "status")), "ok");
    json_array_foreach(json_object_get(f->doc, "warnings"), i, warning) found =
        found || strcmp(json_string_value(warning), word) == 0;
    return found;
}

static void set_steps(struct fixture *f, int64_t told, int64_t sent, bool site_ok)
{
    struct odp_webhooks *w = f->s.web->webhooks;
    pthread_mutex_lock(&w->lock);
    w->figures.told = told;
    w->figures.sent = sent;
    w->figures.site_ok = site_ok;
    pthread_mutex_unlock(&w->lock);
}

TEST(webhooks_that_stand_still)
{
    struct fixture *f = *state;
    int64_t now = odp_now();
    f->s.started = now - 30;
    open_webhooks(f);
    set_steps(f, 0, 0, true); /* the first step may take its time */
    assert_false(warns(f, now, "webhooks-not-told"));
    assert_false(warns(f, now, "webhooks-not-sent"));
    assert_false(warns(f, now, "webhooks-site-not-read"));
    f->s.started = now - 61;
    assert_true(warns(f, now, "webhooks-not-told"));
    assert_true(warns(f, now, "webhooks-not-sent"));
    f->s.started = now - 86400;
    set_steps(f, (now - 59) * 1000, (now - 60) * 1000, true);
    assert_false(warns(f, now, "webhooks-not-told"));
    assert_true(warns(f, now, "webhooks-not-sent"));
    set_steps(f, (now - 60) * 1000, now * 1000, false);
    assert_true(warns(f, now, "webhooks-not-told"));
    assert_false(warns(f, now, "webhooks-not-sent"));
    assert_true(warns(f, now, "webhooks-site-not-read"));
    close_webhooks(f);
    assert_false(warns(f, now, "webhooks-not-told"));
}

EACH(fixture_setup, fixture_teardown)
