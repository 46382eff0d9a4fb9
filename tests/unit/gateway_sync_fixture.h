/* The stage of the tests of several machines: a temporary folder, a real redis-server on a socket in it,
 * machines in one process whose rounds are made by hand (or by their threads). Without redis-server the tests
 * skip. */
#pragma once
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <hiredis/hiredis.h>

#include "base/arena.h"
#include "base/file.h"
#include "core/quota/quota.h"
#include "service/accounts/keys.h"
#include "service/cluster/cluster_internal.h"
#include "service/state/store.h"

static char folder[FRESH_FOLDER], address[128], socket_path[108];
static pid_t redis_pid;

static inline void rest(int64_t ms)
{
    struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};
    nanosleep(&t, NULL);
}

static inline bool redis_answers(void)
{
    struct odp_redis_address a;
    struct odp_redis *r = NULL;
    char line[ODP_REDIS_WHY];
    const struct redisReply *reply;
    assert_true(odp_redis_address(address, &a));
    if (odp_redis_open(&r, &a, NULL, line) != ODP_OK)
        return false;
    odp_redis_command(r, "PING", NULL);
    enum odp_status st = odp_redis_next(r, &reply);
    bool up = st == ODP_OK || strstr(odp_redis_why(r), "NOAUTH") != NULL;
    odp_redis_close(r);
    return up;
}

/* OPTIONS: name, value, …, NULL. */
static inline void redis_start(const char *const *options)
{
    const char *argv[32] = {"redis-server", "--port",       "0",         "--save", "",    "--appendonly",
                            "no",           "--unixsocket", socket_path, "--dir",  folder};
    size_t n = 11;
    for (; options != NULL && *options != NULL; options++)
        argv[n++] = *options;
    argv[n] = NULL;
    redis_pid = fork();
    assert_true(redis_pid >= 0);
    if (redis_pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        int null = open("/dev/null", O_RDWR);
        dup2(null, 0), dup2(null, 1), dup2(null, 2);
        execvp(argv[0], (char *const *)(uintptr_t)argv);
        _exit(127);
    }
    for (int i = 0; i < 3000 && !redis_answers(); i++)
        rest(10);
    assert_true(redis_answers());
}

static inline void redis_kill(void)
{
    if (redis_pid > 0) {
        kill(redis_pid, SIGKILL);
        waitpid(redis_pid, NULL, 0);
    }
    redis_pid = 0;
}

/* One command by another client; its reply as a number or the number of its elements, -1 for nil or an error.
 */
static inline long long redis_do(const char *command, ...)
{
    struct odp_redis_address a;
    struct odp_redis *r = NULL;
    char line[ODP_REDIS_WHY], text[512];
    const struct redisReply *reply;
    va_list args;
    va_start(args, command);
    vsnprintf(text, sizeof text, command, args);
    va_end(args);
    assert_true(odp_redis_address(address, &a));
    must(odp_redis_open(&r, &a, NULL, line));
    size_t n = 1;
    for (char *p = text; *p != '\0'; p++)
        n += *p == '|';
    odp_redis_begin(r, n);
    char *save = NULL;
    for (char *word = strtok_r(text, "|", &save); word != NULL; word = strtok_r(NULL, "|", &save))
        odp_redis_arg_str(r, word);
    long long result = -1;
    if (odp_redis_next(r, &reply) == ODP_OK && reply->type != REDIS_REPLY_NIL) {
        size_t elements = odp_redis_elements(reply);
        result = elements != SIZE_MAX ? (long long)elements : (long long)odp_redis_integer(reply);
    }
    odp_redis_close(r);
    return result;
}

struct machine {
    char dir[128];
    struct odp_service_options o;
    struct odp_state s;
    struct odp_sync *y;
};

static inline struct odp_settings two_tiers(void)
{
    struct odp_settings s = {.ntiers = 2, .zone_minutes = 420, .base_url = "https://data.example.go.id/"};
    s.tiers[0] = (struct odp_tier_limits){"public", 1000, 50, 2};
    s.tiers[1] = (struct odp_tier_limits){"registered", 10000, 100, 4};
    return s;
}

static inline void settings(struct machine *m, struct odp_settings s)
{
    pthread_mutex_lock(&m->s.mutex);
    m->s.settings = s;
    odp_keytable_set_settings(m->s.table, &s);
    pthread_mutex_unlock(&m->s.mutex);
}

/* NAME also names its folder; a second open finds what the first left. THREADS: as a service has it; else
 * rounds are made by hand. */
static inline void up(struct machine *m, const char *name, bool writer, bool threads)
{
    char why[ODP_WHY] = "";
    *m = (struct machine){0};
    snprintf(m->dir, sizeof m->dir, "%s/%s", folder, name);
    m->o = (struct odp_service_options){
        .state_dir = m->dir, .redis = address, .machine = name, .grace = 3600, .registrations = 1000};
    m->o.writer = writer ? NULL : "http://127.0.0.1:9";
    if (odp_state_open(&m->s, &m->o, why) != ODP_OK)
        fail_msg("%s: %s %s", name, why, odp_failure_text());
    assert_int_equal(m->s.writer, writer);
    settings(m, two_tiers());
    must(odp_sync_make(&m->y, &m->s));
    if (threads)
        must(odp_sync_start(m->y));
    m->s.sync = m->y;
}

static inline void down(struct machine *m)
{
    odp_sync_free(m->y);
    m->s.sync = NULL;
    odp_state_close(&m->s);
}

/* As after kill -9: nothing is sent or flushed any more; the table is what it is. */
static inline void crash(struct machine *m)
{
    odp_redis_close(m->y->redis);
    m->y->redis = NULL;
    down(m);
}

static int64_t clock_ms = INT64_C(1710500000000); /* 2024-03-15T10:53:20Z */

static inline enum odp_status turn(struct machine *m)
{
    m->y->retry_at = 0;
    m->y->usage.next_at = 0;
    enum odp_status st = odp_sync_turn(m->y, clock_ms);
    if (st == ODP_FAIL)
        fail_msg("%s", odp_failure_text());
    return st;
}

static inline void turns(struct machine *a, struct machine *b, struct machine *c, int n)
{
    for (int i = 0; i < n; i++) {
        if (a != NULL)
            must(turn(a));
        if (b != NULL)
            must(turn(b));
        if (c != NULL)
            must(turn(c));
    }
}

static int made;

static inline struct odp_issued register_key(struct machine *m)
{
    struct odp_issued out;
    char email[64];
    snprintf(email, sizeof email, "orang%d@example.org", ++made);
    struct odp_registration r = {odp_slice_of("Orang"), odp_slice_of(email), {NULL, 0}, {NULL, 0}};
    struct odp_order o = {.actor = "api", .now = clock_ms / 1000};
    enum odp_status st = odp_keys_register(&m->s, &o, &r, &out);
    if (st != ODP_OK)
        fail_msg("register: %d %d %s", (int)st, (int)o.problem, odp_failure_text());
    return out;
}

static inline void set_state(struct machine *m, const struct odp_issued *k, enum odp_key_state state)
{
    must(odp_keys_set_state(&m->s, &(struct odp_order){.actor = "test", .now = clock_ms / 1000},
                            (int64_t)k->record.id, state));
}

static inline bool has(struct machine *m, const struct odp_issued *k, struct odp_key_record *r)
{
    return odp_keytable_get(m->s.table, k->record.digest, r) == ODP_OK;
}

static inline enum odp_verdict take(struct machine *m, const struct odp_issued *k, int64_t now_ms)
{
    struct odp_grant g;
    struct odp_settings s;
    odp_keytable_settings(m->s.table, &s);
    return odp_quota_take(m->s.table, &s, k->record.digest, now_ms, &g);
}

/* Both counts of a key's account on that machine, as one number: here * 1000 + elsewhere. */
static inline long count(struct machine *m, const struct odp_issued *k)
{
    uint32_t day = odp_quota_day(clock_ms / 1000, 420);
    int64_t n = odp_keytable_find(m->s.table, k->record.digest);
    assert_true(n >= 0);
    return (long)(odp_keytable_used(m->s.table, (uint32_t)n, day) * 1000 +
                  odp_keytable_used_elsewhere(m->s.table, (uint32_t)n, day));
}

static inline void use(struct machine *m, const struct odp_issued *k, int n)
{
    for (int i = 0; i < n; i++)
        assert_int_equal(take(m, k, clock_ms), ODP_PASS);
}

static inline int stage_up(void **state)
{
    fresh_folder(folder, "sync");
    snprintf(socket_path, sizeof socket_path, "%s/redis.sock", folder);
    snprintf(address, sizeof address, "unix:%s", socket_path);
    signal(SIGPIPE, SIG_IGN);
    return 0;
}

static inline int stage_down(void **state)
{
    redis_kill();
    odp_failure_clear();
    return odp_dir_remove(folder) == ODP_OK ? 0 : -1;
}

static inline void need_redis(void)
{
    if (system("command -v redis-server >/dev/null 2>&1") != 0) {
        print_message("redis-server is not installed\n");
        skip();
    }
    redis_start(NULL);
}
