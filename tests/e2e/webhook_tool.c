/* Webhooks without a service, for tests: the two threads' steps, one at a time, at whatever time a test says.
 *
 *   webhook_tool STATE [--site DIR] [--timeout MS] [--connections N] [--mail COMMAND] [--keep SECONDS]
 *                [--ca FILE] [--allow PREFIX] [--key FILE] [--host NAME=ADDRESS]
 *
 * reads commands from standard input, one a line, words divided by tabs, and answers each with one line ("ok
 * …", "bad CODE", "fail TEXT"):
 *
 *   now MS                                the clock from now on (else the machine's)
 *   key NAME EMAIL TIER                   a holder and a key -> ok KEY ACCOUNT
 *   sub KEY URL EVENTS [DATASETS [FILTER]]    -> ok wh_… whsec_…
 *   subs KEY N URL EVENTS                 N of them, active at once, without a challenge; "%d" in URL is the
 *                                         number -> ok
 *   change WH [url=…] [events=…] [datasets=…] [filter=…] [state=…]  (as an operator: state=operator-…)
 *   delete WH    test WH    confirm WH TEXT    rotate WH GRACE    redeliver WH MSG    since WH MS [failed]
 *   count KEY N                           requests of today
 *   site DIR      tell      send MS       one step -> ok, ok BUSY
 *   settle MS                             send until nothing is under way, MS at most -> ok BUSY
 *   loop LINK STEP MS                     for ever: the clock goes on by STEP, the site is where LINK leads,
 *                                         tell, send MS (to be killed in it)
 *   start                                 both threads, by the machine's clock
 *   stop                                  ends them (as the service does), and begins anew without
 *   longest                               microseconds that another thread waited at most for the store's
 *                                         mutex since the last time, and how often it asked
 *   figures                               -> ok JSON
 *   sql TEXT                              one statement that gives nothing
 *   close      again                      ends them; begins anew (where that fails there are none, until it
 *                                         is asked again)
 *   fault KIND N [on]      faults         in webhook_fault_tool (tests/fault/webhook_faults.c): the Nth call
 *                                         of KIND fails; ends that -> ok CALLS */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../unit/names_fixture.h"
#include "core/quota/quota.h"
#include "service/http/web.h"
#include "service/webhooks/send_internal.h"
#include "service/webhooks/webhooks_internal.h"

enum { WORDS = 12, HOSTS = 16 };

/* Of webhook_fault_tool alone. */
__attribute__((weak)) bool odp_fault_arm(const char *kind, long n, bool and_on);
__attribute__((weak)) long odp_fault_disarm(void);

struct tool {
    struct odp_service_options options;
    struct odp_state s;
    struct odp_webhooks *w;
    int64_t now; /* 0: the machine's */
    int timeout;
    const char *hosts[HOSTS]; /* NAME=ADDRESS */
    size_t nhosts;
    pthread_t asking;
    bool asks, stop;
    int64_t longest, asked;
};

static int64_t now_of(const struct tool *t)
{
    return t->now != 0 ? t->now : odp_now_ms();
}

static int64_t micros(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static void say(enum odp_status st, const char *text)
{
    if (st == ODP_FAIL)
        printf("fail %s\n", odp_failure_text());
    else
        printf("%s %s\n", st == ODP_OK || st == ODP_DONE ? "ok" : "bad", text);
    odp_failure_clear();
    fflush(stdout);
}

static void say_problem(enum odp_status st, const char *text, enum odp_problem p)
{
    say(st, st == ODP_BAD ? odp_problem_info(p)->code : text);
}

/* ---- names ---- */

/* Those of the command line; another is nothing but an address itself. */
static const struct tool *the_tool;

static int look_up(const char *host, const char **out, int cap)
{
    int n = 0;
    for (size_t i = 0; i < the_tool->nhosts && n < cap; i++) {
        const char *at = strchr(the_tool->hosts[i], '=');
        if (strlen(host) == (size_t)(at - the_tool->hosts[i]) &&
            strncmp(host, the_tool->hosts[i], strlen(host)) == 0)
            out[n++] = at + 1;
    }
    if (n == 0)
        out[n++] = host;
    return n;
}

/* ---- making ---- */

/* The sender that the service makes has limits of many seconds. */
static enum odp_status replace_sender(struct tool *t)
{
    char why[512] = "";
    if (t->timeout == 0 && t->nhosts == 0)
        return ODP_OK;
    struct odp_sender_options o = {
        .policy = t->w->policy,
        .connections = t->w->send->connections,
        .timeout_ms = t->timeout > 0 ? t->timeout : 20000,
        .connect_ms = t->timeout > 0 ? t->timeout : 8000,
        .ca_file = t->options.webhook_ca,
        .user_agent = t->w->user_agent,
    };
    odp_sender_free(t->w->sender);
    t->w->sender = NULL;
    return odp_sender_new(&t->w->sender, &o, why);
}

static enum odp_status make(struct tool *t)
{
    char why[ODP_WHY] = "";
    enum odp_status st = odp_webhooks_new(&t->w, &t->s, why);
    if (st != ODP_OK)
        fprintf(stderr, "webhook_tool: %s %s\n", why, odp_failure_text());
    if (st == ODP_OK)
        st = replace_sender(t);
    return st;
}

/* As a call that comes in between: it waits for the mutex and leaves it at once. */
static void *ask(void *arg)
{
    struct tool *t = arg;
    while (!__atomic_load_n(&t->stop, __ATOMIC_ACQUIRE)) {
        struct timespec pause = {.tv_nsec = 300000};
        int64_t began = micros();
        pthread_mutex_lock(&t->s.mutex);
        int64_t took = micros() - began;
        t->longest = took > t->longest ? took : t->longest;
        t->asked++;
        pthread_mutex_unlock(&t->s.mutex);
        nanosleep(&pause, NULL);
    }
    return NULL;
}

/* ---- commands ---- */

static enum odp_status find_key(struct tool *t, const char *key, struct odp_key_info *k)
{
    enum odp_problem p = ODP_PROBLEM_INTERNAL;
    return odp_keys_find(&t->s, key, now_of(t) / 1000, k, &p);
}

static void make_key(struct tool *t, char **v)
{
    struct odp_issued k;
    struct odp_order o = {.actor = "test", .now = now_of(t) / 1000};
    char out[160] = "";
    struct odp_registration r = {odp_slice_of(v[1]), odp_slice_of(v[2]), ODP_LIT(""), ODP_LIT("")};
    enum odp_status st = odp_keys_create(&t->s, &o, &r, v[3], 0, &k);
    if (st == ODP_OK)
        (void)snprintf(out, sizeof out, "%s\t%lld", k.key, (long long)k.record.account);
    say_problem(st, out, o.problem);
}

static enum odp_status make_sub(struct tool *t, const char *key, const char *url, const char *events,
                                const char *datasets, const char *filter, struct odp_webhook_act *o)
{
    struct odp_key_info k;
    struct odp_webhook_change c = {
        .url = odp_slice_of(url),
        .events = odp_slice_of(events),
        .datasets = odp_slice_of(datasets),
        .filter = odp_slice_of(filter),
        .description = ODP_LIT(""),
    };
    *o = (struct odp_webhook_act){
        .actor = "api", .now_ms = now_of(t), .key = &k, .change = &c, .problem = ODP_PROBLEM_NOT_FOUND};
    enum odp_status st = find_key(t, key, &k);
    return st == ODP_OK ? odp_webhook_create(t->w, o) : st;
}

static void make_one(struct tool *t, char **v, int n)
{
    char out[160] = "";
    struct odp_webhook_act o;
    enum odp_status st = make_sub(t, v[1], v[2], v[3], n > 4 ? v[4] : "", n > 5 ? v[5] : "", &o);
    if (st == ODP_OK)
        (void)snprintf(out, sizeof out, "%s\t%s", o.made, o.secret);
    say_problem(st, out, o.problem);
}

static void make_many(struct tool *t, char **v)
{
    char url[512];
    struct odp_webhook_act o = {.problem = ODP_PROBLEM_INTERNAL};
    char *at = strstr(v[3], "%d");
    enum odp_status st = odp_store_run(t->s.db, "PRAGMA synchronous = OFF", "");
    for (long i = 0, n = strtol(v[2], NULL, 10); i < n && st == ODP_OK; i++) {
        (void)snprintf(url, sizeof url, "%.*s%.0ld%s", at != NULL ? (int)(at - v[3]) : (int)strlen(v[3]),
                       v[3], at != NULL ? i + 1 : 0, at != NULL ? at + 2 : "");
        st = make_sub(t, v[1], url, v[4], "", "", &o);
    }
    if (st == ODP_OK)
        st = odp_store_run(
            t->s.db, "UPDATE webhook SET state = 'active', verified = created WHERE state = 'unverified'",
            "");
    if (st == ODP_OK)
        st = odp_store_run(t->s.db, "DELETE FROM webhook_delivery", "");
    if (st == ODP_OK)
        st = odp_store_run(t->s.db, "PRAGMA synchronous = FULL", "");
    odp_webhooks_wake(t->w);
    say_problem(st, "", o.problem);
}

static void change(struct tool *t, char **v, int n)
{
    struct odp_webhook_change c = {{0}, {0}, {0}, {0}, {0}, false, NULL};
    int64_t account = 0;
    for (int i = 2; i < n; i++) {
        char *value = strchr(v[i], '=');
        if (value == NULL)
            continue;
        *value++ = '\0';
        if (strcmp(v[i], "url") == 0)
            c.url = odp_slice_of(value);
        else if (strcmp(v[i], "events") == 0)
            c.events = odp_slice_of(value);
        else if (strcmp(v[i], "datasets") == 0)
            c.datasets = odp_slice_of(value);
        else if (strcmp(v[i], "filter") == 0)
            c.filter = odp_slice_of(value);
        else
            c.state = value;
    }
    bool operator_asks = c.state != NULL && strncmp(c.state, "operator-", 9) == 0;
    if (operator_asks)
        c.state += 9;
    pthread_mutex_lock(&t->s.mutex);
    struct odp_sql q = {.db = t->s.db};
    if (!operator_asks)
        account = odp_sql_number(&q, "SELECT account FROM webhook WHERE name = ?", "t", v[1]);
    pthread_mutex_unlock(&t->s.mutex);
    struct odp_webhook_act o = {
        .name = v[1], .account = account, .actor = "test", .now_ms = now_of(t), .change = &c};
    enum odp_status st = odp_webhook_change(t->w, &o);
    say_problem(st, "", o.problem);
}

static void act(struct tool *t, char **v, int n)
{
    static const struct {
        const char *word;
        enum odp_status (*run)(struct odp_webhooks *w, struct odp_webhook_act *o);
    } acts[] = {
        {"delete", odp_webhook_delete},       {"test", odp_webhook_test},
        {"confirm", odp_webhook_confirm},     {"rotate", odp_webhook_rotate},
        {"redeliver", odp_webhook_redeliver}, {"since", odp_webhook_redeliver},
    };
    char out[200] = "";
    const char *what = v[0], *more = n > 2 ? v[2] : "";
    struct odp_webhook_act o = {
        .name = v[1],
        .actor = "test",
        .now_ms = now_of(t),
        .grace = strtoll(more, NULL, 10),
        .challenge = odp_slice_of(more),
        .delivery = strcmp(what, "redeliver") == 0 ? more : NULL,
        .since = strtoll(more, NULL, 10),
        .only_failed = n > 3,
    };
    enum odp_status st = ODP_BAD;
    for (size_t i = 0; i < ODP_COUNT(acts); i++)
        if (strcmp(acts[i].word, what) == 0)
            st = acts[i].run(t->w, &o);
    if (strcmp(what, "redeliver") == 0 || strcmp(what, "since") == 0)
        (void)snprintf(out, sizeof out, "%lld", (long long)o.n);
    else
        (void)snprintf(out, sizeof out, "%s", strcmp(what, "rotate") == 0 ? o.secret : o.sent);
    say_problem(st, out, o.problem);
}

static void count(struct tool *t, char **v)
{
    uint8_t digest[ODP_SHA256_SIZE];
    struct odp_settings settings;
    enum odp_status st = odp_key_digest(odp_slice_of(v[1]), digest);
    int64_t n = st == ODP_OK ? odp_keytable_find(t->s.table, digest) : -1;
    odp_keytable_settings(t->s.table, &settings);
    if (n >= 0)
        odp_keytable_raise(t->s.table, (uint32_t)n, odp_quota_day(now_of(t) / 1000, settings.zone_minutes),
                           strtoull(v[2], NULL, 10));
    say(n >= 0 ? ODP_OK : ODP_BAD, "");
}

static void settle(struct tool *t, const char *ms)
{
    int64_t until = micros() / 1000 + strtoll(ms, NULL, 10);
    char out[40];
    size_t busy = 0;
    enum odp_status st = ODP_OK;
    do {
        st = odp_webhooks_send(t->w, now_of(t), 50, &busy);
    } while (st == ODP_OK && busy > 0 && micros() / 1000 < until);
    (void)snprintf(out, sizeof out, "%zu", busy);
    say(st, out);
}

static void loop(struct tool *t, char **v)
{
    enum odp_status st = ODP_OK;
    size_t busy = 0;
    say(ODP_OK, "");
    while (st == ODP_OK) {
        char *dir = realpath(v[1], NULL);
        t->now += strtoll(v[2], NULL, 10);
        if (dir != NULL)
            odp_webhooks_site(t->w, dir);
        free(dir);
        st = odp_webhooks_announce(t->w, t->now);
        if (st == ODP_OK)
            st = odp_webhooks_send(t->w, t->now, (int)strtol(v[3], NULL, 10), &busy);
    }
    say(st, "");
}

static void send_once(struct tool *t, const char *ms)
{
    char out[40];
    size_t busy = 0;
    enum odp_status st = odp_webhooks_send(t->w, now_of(t), (int)strtol(ms, NULL, 10), &busy);
    (void)snprintf(out, sizeof out, "%zu", busy);
    say(st, out);
}

static void figures(struct tool *t)
{
    struct odp_webhook_figures f;
    odp_webhooks_figures(t->w, &f);
    printf("ok {\"outcomes\":{");
    for (int i = 0; i < ODP_OUTCOMES; i++)
        printf("%s\"%s\":%llu", i > 0 ? "," : "", odp_outcome_name((enum odp_outcome)i),
               (unsigned long long)f.outcomes[i]);
    printf("},\"events\":{");
    for (int i = 0; i < ODP_EVENT_TYPES; i++)
        printf("%s\"%s\":%llu", i > 0 ? "," : "", odp_event_info((enum odp_event_type)i)->name,
               (unsigned long long)f.events[i]);
    printf("},\"subscriptions\":[%llu,%llu,%llu,%llu],\"pending\":%llu,\"oldest\":%lld,\"busy\":%llu,\"site_"
           "ok\":%s,\"latency\":[",
           (unsigned long long)f.subscriptions[0], (unsigned long long)f.subscriptions[1],
           (unsigned long long)f.subscriptions[2], (unsigned long long)f.subscriptions[3],
           (unsigned long long)f.pending, (long long)f.oldest, (unsigned long long)f.busy,
           f.site_ok ? "true" : "false");
    for (int i = 0; i < 10; i++)
        printf("%s%llu", i > 0 ? "," : "", (unsigned long long)f.latency[i]);
    printf("]}\n");
    fflush(stdout);
}

static void longest(struct tool *t)
{
    char out[80];
    if (!t->asks)
        t->asks = pthread_create(&t->asking, NULL, ask, t) == 0;
    pthread_mutex_lock(&t->s.mutex);
    (void)snprintf(out, sizeof out, "%lld\t%lld", (long long)t->longest, (long long)t->asked);
    t->longest = t->asked = 0;
    pthread_mutex_unlock(&t->s.mutex);
    say(ODP_OK, out);
}

/* True: it was one of these. Without webhooks no other is of use. */
static bool is_about_tool(struct tool *t, char **v, int n)
{
    char out[24] = "";
    if (strcmp(v[0], "now") == 0 && n == 2) {
        t->now = strtoll(v[1], NULL, 10);
        say(ODP_OK, "");
    } else if (strcmp(v[0], "fault") == 0 && n >= 3 && odp_fault_arm != NULL) {
        say(odp_fault_arm(v[1], strtol(v[2], NULL, 10), n > 3) ? ODP_OK : ODP_BAD, "no such kind");
    } else if (strcmp(v[0], "faults") == 0 && odp_fault_disarm != NULL) {
        (void)snprintf(out, sizeof out, "%ld", odp_fault_disarm());
        say(ODP_OK, out);
    } else if (strcmp(v[0], "close") == 0) {
        odp_webhooks_free(t->w);
        t->w = NULL;
        say(ODP_OK, "");
    } else if (strcmp(v[0], "again") == 0) {
        odp_webhooks_free(t->w);
        t->w = NULL;
        enum odp_status st = make(t);
        if (st != ODP_OK) {
            odp_webhooks_free(t->w);
            t->w = NULL;
        }
        say(st, "");
    } else if (t->w == NULL) {
        say(ODP_BAD, "closed");
    } else {
        return false;
    }
    return true;
}

static void one(struct tool *t, char **v, int n)
{
    if (is_about_tool(t, v, n))
        return;
    if (strcmp(v[0], "key") == 0 && n == 4) {
        make_key(t, v);
    } else if (strcmp(v[0], "sub") == 0 && n >= 4) {
        make_one(t, v, n);
    } else if (strcmp(v[0], "subs") == 0 && n == 5) {
        make_many(t, v);
    } else if (strcmp(v[0], "change") == 0 && n >= 3) {
        change(t, v, n);
    } else if (strcmp(v[0], "count") == 0 && n == 3) {
        count(t, v);
    } else if (strcmp(v[0], "site") == 0 && n == 2) {
        odp_webhooks_site(t->w, v[1]);
        say(ODP_OK, "");
    } else if (strcmp(v[0], "tell") == 0) {
        say(odp_webhooks_announce(t->w, now_of(t)), "");
    } else if (strcmp(v[0], "send") == 0 && n == 2) {
        send_once(t, v[1]);
    } else if (strcmp(v[0], "settle") == 0 && n == 2) {
        settle(t, v[1]);
    } else if (strcmp(v[0], "loop") == 0 && n == 4) {
        loop(t, v);
    } else if (strcmp(v[0], "start") == 0) {
        say(odp_webhooks_start(t->w), "");
    } else if (strcmp(v[0], "stop") == 0) {
        odp_webhooks_free(t->w);
        t->w = NULL;
        say(make(t), "");
    } else if (strcmp(v[0], "longest") == 0) {
        longest(t);
    } else if (strcmp(v[0], "figures") == 0) {
        figures(t);
    } else if (strcmp(v[0], "sql") == 0 && n == 2) {
        pthread_mutex_lock(&t->s.mutex);
        enum odp_status st = odp_store_run(t->s.db, v[1], "");
        pthread_mutex_unlock(&t->s.mutex);
        odp_webhooks_wake(t->w);
        say(st, "");
    } else if (n >= 2) {
        act(t, v, n);
    } else {
        say(ODP_BAD, "no such command");
    }
}

static void read_commands(struct tool *t)
{
    char *line = NULL;
    size_t cap = 0;
    while (getline(&line, &cap, stdin) > 0) {
        char *rest = line, *v[WORDS] = {NULL};
        int n = 0;
        rest[strcspn(rest, "\n")] = '\0';
        while (n < WORDS && (v[n] = strsep(&rest, "\t")) != NULL)
            n++;
        one(t, v, n);
    }
    free(line);
}

static void read_options(struct tool *t, int argc, char **argv)
{
    static const char *allow[ODP_PREFIXES_MAX];
    for (int i = 2; i + 1 < argc; i += 2) {
        const char *o = argv[i], *v = argv[i + 1];
        if (strcmp(o, "--site") == 0)
            t->options.site = v;
        else if (strcmp(o, "--timeout") == 0)
            t->timeout = (int)strtol(v, NULL, 10);
        else if (strcmp(o, "--connections") == 0)
            t->options.webhook_connections = strtoll(v, NULL, 10);
        else if (strcmp(o, "--mail") == 0)
            t->options.sendmail = v;
        else if (strcmp(o, "--keep") == 0)
            t->options.webhook_keep = strtoll(v, NULL, 10);
        else if (strcmp(o, "--ca") == 0)
            t->options.webhook_ca = v;
        else if (strcmp(o, "--key") == 0)
            t->options.webhook_key = v;
        else if (strcmp(o, "--allow") == 0 && t->options.nwebhook_allow < ODP_PREFIXES_MAX)
            allow[t->options.nwebhook_allow++] = v;
        else if (strcmp(o, "--host") == 0 && t->nhosts < HOSTS && strchr(v, '=') != NULL)
            t->hosts[t->nhosts++] = v;
        else
            fprintf(stderr, "webhook_tool: no such option: %s\n", o), exit(2);
    }
    t->options.webhook_allow = allow;
}

int main(int argc, char **argv)
{
    names_look_up = look_up;
    static struct tool t;
    char why[ODP_WHY] = "";
    if (argc < 2) {
        fprintf(stderr, "usage: webhook_tool STATE [options]\n");
        return 2;
    }
    t.options = (struct odp_service_options){
        .state_dir = argv[1],
        .webhook_loopback = true,
        .machine = "one",
        .mail_from = "portal@example.go.id",
    };
    the_tool = &t;
    read_options(&t, argc, argv);
    if (odp_state_open(&t.s, &t.options, why) != ODP_OK) {
        fprintf(stderr, "webhook_tool: %s %s\n", why, odp_failure_text());
        return 1;
    }
    enum odp_status st = odp_web_new(&t.s.web);
    if (st == ODP_OK)
        st = make(&t);
    if (st == ODP_OK) {
        say(ODP_OK, "ready");
        read_commands(&t);
    }
    __atomic_store_n(&t.stop, true, __ATOMIC_RELEASE);
    if (t.asks)
        (void)pthread_join(t.asking, NULL);
    odp_webhooks_free(t.w);
    odp_web_free(t.s.web);
    t.s.web = NULL;
    odp_state_close(&t.s);
    return st == ODP_OK ? 0 : 1;
}
