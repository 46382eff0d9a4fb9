/* Webhooks as a whole: what cannot be made says why, sites are held, threads do their work while others call,
 * and whose turn it is. What becomes of messages: tests/e2e/webhook_{tell,schedule,kill}.py. */
#include "webhook_site_fixture.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <sys/socket.h>

#include "service/http/web.h"
#include "service/webhooks/send_internal.h"

struct hooks {
    struct fixture *f;
    struct odp_webhooks *w;
    struct made_site site;
};

static void begin(struct hooks *h, struct fixture *f)
{
    char why[ODP_WHY] = "";
    memset(h, 0, sizeof *h);
    h->f = f;
    odp_buffer_init(&h->site.log);
    snprintf(h->site.dir, sizeof h->site.dir, "%s/builds", f->dir);
    f->options.webhook_loopback = true;
    if (odp_webhooks_new(&h->w, &f->s, why) != ODP_OK)
        fail_msg("%s %s", why, odp_failure_text());
}

static void end(struct hooks *h)
{
    odp_webhooks_free(h->w);
    odp_buffer_release(&h->site.log);
}

static void build(struct hooks *h, const char *tiers)
{
    char dir[300];
    made_site_build(&h->site, tiers, dir);
    odp_webhooks_site(h->w, dir);
}

static void create(struct hooks *h, const char *key, const char *url, char name[ODP_WEBHOOK_NAME])
{
    struct odp_key_info k = info_of(h->f, key);
    struct odp_webhook_change c = {
        .url = odp_slice_of(url), .events = ODP_LIT("dataset.version.published"), .description = ODP_LIT("")};
    struct odp_webhook_act o = {.actor = "api", .now_ms = odp_now_ms(), .key = &k, .change = &c};
    if (odp_webhook_create(h->w, &o) != ODP_OK)
        fail_msg("%s %s", odp_problem_info(o.problem)->code, odp_failure_text());
    memcpy(name, o.made, sizeof o.made);
}

/* ---- making ---- */

static void expect_refused(struct fixture *f, const char *what)
{
    struct odp_webhooks *w = NULL;
    char why[ODP_WHY] = "";
    must_refuse(odp_webhooks_new(&w, &f->s, why));
    assert_null(w);
    if (strstr(why, what) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", why, what);
}

TEST(what_cannot_be_made)
{
    struct fixture *f = *state;
    const char *wrong[] = {"10.0.0.0/8", "10.0.0.1/8"};
    f->options.webhook_allow = wrong;
    f->options.nwebhook_allow = 2;
    expect_refused(f, "10.0.0.1/8");
    f->options.nwebhook_allow = 1;
    f->options.webhook_key = in(f, f->dir, "no-such.key");
    expect_refused(f, "no-such.key");
    assert_int_equal(access(f->options.webhook_key, F_OK), -1); /* one that an operator names is not made */
    put_text(f->options.webhook_key, "not a key\n");
    assert_int_equal(chmod(f->options.webhook_key, 0600), 0);
    expect_refused(f, "no-such.key");
    f->options.webhook_key = NULL;
    struct odp_webhooks *w = NULL;
    char why[ODP_WHY] = "";
    must(odp_webhooks_new(&w, &f->s, why));
    assert_int_equal(odp_webhooks_policy(w)->nallow, 1);
    assert_false(odp_webhooks_policy(w)->loopback);
    odp_webhooks_free(w);
    struct stat s;
    assert_int_equal(stat(in(f, f->state_dir, "webhook.key"), &s), 0);
    assert_int_equal(s.st_mode & 0777, 0600);
    odp_webhooks_free(NULL);
}

/* ---- sites ---- */

enum { NOT_KNOWN = -2 };

static int64_t limit_of(struct odp_webhooks *w, const char *tier)
{
    int64_t limit;
    return odp_webhooks_limit(w, tier, &limit) ? limit : NOT_KNOWN;
}

TEST(sites_are_held)
{
    struct hooks h;
    struct odp_webhook_site *held = NULL, *other = NULL;
    begin(&h, *state);
    assert_null(odp_webhooks_acquire(h.w, &held));
    odp_webhooks_release(h.w, held);
    h.w->started = true;
    assert_int_equal(limit_of(h.w, "public"),
                     NOT_KNOWN); /* there is a site, and the announcer has not read it yet */
    h.w->started = false;
    assert_int_equal(limit_of(h.w, "public"), ODP_WEBHOOK_DEFAULT_LIMIT);
    build(&h, "{\"name\":\"public\",\"webhooks\":2},{\"name\":\"registered\"},{\"name\":\"government\","
              "\"webhooks\":null},{"
              "\"name\":\"none\",\"webhooks\":0}");
    must(odp_webhooks_announce(h.w, 1000000));
    assert_int_equal(limit_of(h.w, "public"), 2);
    assert_int_equal(limit_of(h.w, "registered"), ODP_WEBHOOK_DEFAULT_LIMIT);
    assert_int_equal(limit_of(h.w, "government"), -1);
    assert_int_equal(limit_of(h.w, "none"), 0);
    assert_int_equal(limit_of(h.w, "unheard"), ODP_WEBHOOK_DEFAULT_LIMIT);
    const struct odp_site *site = odp_webhooks_acquire(h.w, &held);
    assert_non_null(site);
    build(&h, "{\"name\":\"public\",\"webhooks\":3}");
    must(odp_webhooks_announce(h.w, 1000000));
    assert_ptr_not_equal(odp_webhooks_acquire(h.w, &other), site);
    assert_non_null(odp_site_index(site)); /* it is still there */
    assert_int_equal(limit_of(h.w, "public"), 3);
    odp_webhooks_release(h.w, held);
    odp_webhooks_release(h.w, other);
    build(&h, "{\"name\":\"public\",\"webhooks\":-3}"); /* wrong: the one before stays */
    must(odp_webhooks_announce(h.w, 1000000));
    assert_int_equal(limit_of(h.w, "public"), 3);
    struct odp_webhook_figures figures;
    odp_webhooks_figures(h.w, &figures);
    assert_false(figures.site_ok);
    end(&h);
}

/* ---- threads ---- */

/* The address of a port where nobody listens, as long as *FD is open. */
static void closed_port(int *fd, char url[64])
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof a;
    *fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(*fd >= 0);
    assert_int_equal(bind(*fd, (struct sockaddr *)&a, n), 0);
    assert_int_equal(getsockname(*fd, (struct sockaddr *)&a, &n), 0);
    snprintf(url, 64, "http://127.0.0.1:%u/refuses", (unsigned)ntohs(a.sin_port));
}

struct caller {
    struct hooks *h;
    const char *key, *url;
    _Atomic bool stop;
    int made;
};

static void *call(void *arg)
{
    struct caller *c = arg;
    char name[ODP_WEBHOOK_NAME] = "";
    while (!atomic_load(&c->stop)) {
        struct odp_webhook_figures figures;
        struct odp_webhook_site *held = NULL;
        struct odp_webhook *list = NULL;
        struct odp_arena a = {0};
        size_t n = 0;
        (void)odp_webhooks_acquire(c->h->w, &held);
        (void)limit_of(c->h->w, "government");
        if (c->made < 10) {
            create(c->h, c->key, c->url, name);
            c->made++;
        }
        struct odp_webhook_act o = {.name = name, .actor = "test", .now_ms = odp_now_ms()};
        must(odp_webhook_test(c->h->w, &o));
        must(odp_webhook_list(c->h->w, &(struct odp_webhooks_wanted){.limit = 100}, &list, &n, &a));
        odp_webhooks_figures(c->h->w, &figures);
        odp_webhooks_release(c->h->w, held);
        odp_arena_release(&a);
        usleep(2000);
    }
    return NULL;
}

/* Until SQL gives at least N. */
static void wait_until(struct hooks *h, const char *sql, int64_t n)
{
    for (int i = 0; i < 6000; i++) {
        pthread_mutex_lock(&h->f->s.mutex);
        int64_t now = number(h->f, sql);
        pthread_mutex_unlock(&h->f->s.mutex);
        if (now >= n)
            return;
        usleep(10000);
    }
    fail_msg("%s does not come to %lld", sql, (long long)n);
}

TEST(threads)
{
    struct fixture *f = *state;
    struct hooks h;
    struct caller callers[2];
    pthread_t threads[2];
    char name[ODP_WEBHOOK_NAME], url[64];
    int fd;
    struct odp_issued k = register_as(f, "sari@example.go.id");
    must(odp_keys_set_tier(&f->s, &(struct odp_order){.actor = "test", .now = f->now}, (int64_t)k.record.id,
                           "government"));
    begin(&h, f);
    made_site_line(&h.site, "kumuh", "0");
    build(&h, "{\"name\":\"government\",\"webhooks\":null}");
    must(odp_webhooks_announce(h.w, odp_now_ms()));
    closed_port(&fd, url);
    create(&h, k.key, url, name);
    must(odp_store_run(f->s.db, "UPDATE webhook SET state = 'active', verified = 1", ""));
    must(odp_webhooks_start(h.w));
    for (size_t i = 0; i < 2; i++) {
        callers[i] = (struct caller){.h = &h, .key = k.key, .url = url};
        assert_int_equal(pthread_create(&threads[i], NULL, call, &callers[i]), 0);
    }
    for (int i = 1; i <= 5; i++) {
        char version[8];
        snprintf(version, sizeof version, "%d", i);
        made_site_line(&h.site, "kumuh", version);
        build(&h, "{\"name\":\"government\",\"webhooks\":null}");
        usleep(20000);
    }
    wait_until(&h, "SELECT count(*) FROM webhook_line WHERE n > 0", 6);
    wait_until(&h, "SELECT count(*) FROM webhook_event WHERE done = 1", 5);
    wait_until(&h, "SELECT count(*) FROM webhook_attempt WHERE outcome = 'not-connected'", 15);
    for (size_t i = 0; i < 2; i++) {
        atomic_store(&callers[i].stop, true);
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    end(&h);
    (void)close(fd);
    assert_int_equal(number(f, "SELECT count(*) FROM webhook_event"), 5);
    assert_int_equal(
        number(f, "SELECT count(*) FROM webhook_delivery d JOIN webhook_message m ON m.id = d.message WHERE "
                  "m.event IS NOT NULL AND d.webhook = 1"),
        5);
    audit_is_whole(f);
}

/* ---- whose turn it is ---- */

static struct webhook_lane *lane(struct webhook_send *t, int64_t id, const char *place, bool failing)
{
    struct webhook_lane *l = odp_webhook_lane_get(t, id, place);
    assert_non_null(l);
    l->failing = failing;
    odp_webhook_lane_queue(t, l);
    return l;
}

/* Starts the next message. NULL: no lane has its turn. */
static struct webhook_lane *start(struct webhook_send *t, struct webhook_message *m)
{
    struct webhook_lane *l = odp_webhook_lane_next(t);
    if (l == NULL)
        return NULL;
    *m = (struct webhook_message){.webhook = l->id};
    odp_webhook_message_fly(t, l, m);
    return l;
}

/* Places take turns, and lanes in them; a place has room for so many; troubled lanes have a quarter. */
TEST(turns)
{
    static const int64_t first[] = {21, 1, 11, 2, 3, 4, 5, 6, 7, 8};
    struct webhook_message m[40];
    struct hooks h;
    begin(&h, *state);
    struct webhook_send *t = h.w->send;
    t->connections = 64;
    for (int64_t id = 1; id <= 10; id++)
        (void)lane(t, id, "crowd:443", false);
    (void)lane(t, 11, "small:443", false);
    (void)lane(t, 21, "dead:443", true);
    for (size_t i = 0; i < 10; i++)
        assert_int_equal(start(t, &m[i])->id, first[i]);
    assert_null(start(t, &m[10])); /* the crowd's place is full */
    assert_int_equal(t->places[m[1].place].flying, ODP_WEBHOOK_PER_PLACE);
    odp_webhook_message_end(t, &m[1]);
    assert_int_equal(start(t, &m[10])->id, 9);
    assert_null(start(t, &m[11]));
    assert_int_equal(t->troubled, 1);
    for (int64_t id = 31; id < 51; id++) { /* twenty more that are dead, each at its place */
        char place[24];
        snprintf(place, sizeof place, "place%d:443", (int)id);
        (void)lane(t, id, place, true);
    }
    for (size_t i = 11; i < 26; i++)
        assert_non_null(start(t, &m[i]));
    assert_int_equal(t->troubled, 16);
    assert_null(start(t, &m[26]));
    (void)lane(t, 60, "small:443", false); /* but one that works has its turn */
    assert_int_equal(start(t, &m[26])->id, 60);
    assert_null(start(t, &m[27]));
    odp_webhook_message_end(t, &m[0]);
    assert_non_null(start(t, &m[27]));
    t->nflying = t->nended = 0;
    end(&h);
}

EACH(setup, teardown)
