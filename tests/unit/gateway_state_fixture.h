/* A state folder and a site in a temporary folder, for the tests of store, keys and commands. */
#pragma once
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "core/quota/quota.h"
#include "service/accounts/keys.h"
#include "service/admin/admin.h"
#include "service/http/http.h"
#include "service/state/store.h"

#define THREE_TIERS                                                                                          \
    "{\"name\":\"public\",\"daily\":1000,\"burst\":5,\"concurrent\":2},{\"name\":\"registered\",\"daily\":"  \
    "10000,\"burst\":20,"                                                                                    \
    "\"concurrent\":5},"                                                                                     \
    "{\"name\":\"government\",\"daily\":null,\"burst\":100,\"concurrent\":20}"

struct fixture {
    char dir[128], state_dir[160], site[160];
    struct odp_service_options options;
    struct odp_state s;
    bool open;
    int64_t now;
    json_t *reply; /* of the last command */
    struct odp_order o;
};

/* Of the fixture's time; its problem is the last act's. */
static inline struct odp_order *order(struct fixture *f)
{
    f->o = (struct odp_order){.actor = "api", .now = f->now};
    return &f->o;
}

static inline const char *in(const struct fixture *f, const char *dir, const char *name)
{
    static char path[4][400];
    static int n;
    n = (n + 1) % 4;
    snprintf(path[n], sizeof path[n], "%s/%s", dir, name);
    return path[n];
}

static inline void write_site(struct fixture *f, const char *tiers)
{
    char text[4096];
    (void)mkdir(f->site, 0755);
    snprintf(text, sizeof text,
             "{\"base_url\":\"https://data.example.go.id/\",\"time_zone\":\"Asia/"
             "Jakarta\",\"zone_minutes\":420,\"tiers\":[%s],\"title\":{\"id\":\"Uji\",\"en\":\"Test\"}}",
             tiers);
    put_text(in(f, f->site, "gateway.json"), text);
}

static inline void open_state(struct fixture *f)
{
    char why[ODP_WHY] = "";
    if (odp_state_open(&f->s, &f->options, why) != ODP_OK)
        fail_msg("odp_state_open: %s %s", why, odp_failure_text());
    f->open = true;
}

static inline void close_state(struct fixture *f)
{
    if (f->open)
        odp_state_close(&f->s);
    f->open = false;
}

static inline void reopen(struct fixture *f)
{
    close_state(f);
    open_state(f);
}

static inline int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    fresh_folder(f->dir, "state");
    snprintf(f->state_dir, sizeof f->state_dir, "%s/state", f->dir);
    snprintf(f->site, sizeof f->site, "%s/site", f->dir);
    f->now = odp_now();
    write_site(f, THREE_TIERS);
    f->options = (struct odp_service_options){
        .state_dir = f->state_dir, .site = f->site, .grace = 7 * 86400, .machine = "one"};
    open_state(f);
    *state = f;
    return 0;
}

static inline int teardown(void **state)
{
    struct fixture *f = *state;
    close_state(f);
    json_decref(f->reply);
    odp_failure_clear();
    must(odp_dir_remove(f->dir));
    free(f);
    return 0;
}

static inline struct odp_registration person(const char *email)
{
    return (struct odp_registration){ODP_LIT("Sari Dewi"), odp_slice_of(email), ODP_LIT("Bappeda"),
                                     ODP_LIT("peta")};
}

static inline void digest_of(const char *key, uint8_t digest[ODP_SHA256_SIZE])
{
    must(odp_key_digest(odp_slice_of(key), digest));
}

static inline struct odp_issued register_as(struct fixture *f, const char *email)
{
    struct odp_issued k;
    struct odp_registration r = person(email);
    if (odp_keys_register(&f->s, order(f), &r, &k) != ODP_OK)
        fail_msg("register: %s %s", odp_problem_info(f->o.problem)->code, odp_failure_text());
    return k;
}

/* A request at the fixture's time plus MS. */
static inline enum odp_verdict request(struct fixture *f, const char *key, int64_t ms, struct odp_grant *g)
{
    uint8_t digest[ODP_SHA256_SIZE];
    digest_of(key, digest);
    return odp_quota_take(f->s.table, &f->s.settings, digest, f->now * 1000 + ms, g);
}

static inline enum odp_verdict look(struct fixture *f, const char *key)
{
    struct odp_grant g;
    uint8_t digest[ODP_SHA256_SIZE];
    digest_of(key, digest);
    enum odp_verdict v = odp_quota_look(f->s.table, &f->s.settings, digest, f->now * 1000, &g);
    return v;
}

static inline struct odp_key_info info_of(struct fixture *f, const char *key)
{
    struct odp_key_info k;
    enum odp_problem p = ODP_PROBLEM_INTERNAL;
    if (odp_keys_find(&f->s, key, f->now, &k, &p) != ODP_OK)
        fail_msg("find: %s", odp_problem_info(p)->code);
    return k;
}

static inline int64_t number(struct fixture *f, const char *sql)
{
    struct odp_sql q = {.db = f->s.db};
    int64_t n = odp_sql_number(&q, sql, "");
    must(q.st);
    return n;
}

/* True if the bytes of any file of the store have TEXT. */
static inline bool store_has(struct fixture *f, const char *text)
{
    static const char *const names[] = {"store.sqlite", "store.sqlite-wal", "store.sqlite-journal"};
    bool found = false;
    for (size_t i = 0; i < 3; i++) {
        struct odp_buffer b = {0};
        if (odp_file_read(in(f, f->state_dir, names[i]), 1 << 28, &b, NULL) == ODP_OK)
            found = found || memmem(b.ptr, b.len, text, strlen(text)) != NULL;
        odp_buffer_release(&b);
    }
    return found;
}

static inline void audit_is_whole(struct fixture *f)
{
    int64_t seq = 0;
    if (odp_audit_check(f->s.db, &seq) != ODP_OK)
        fail_msg("the audit chain breaks at %lld", (long long)seq);
}

/* Entries of the audit that another connection sees. */
static inline int64_t fixture_audited(struct fixture *f)
{
    char why[ODP_WHY];
    sqlite3 *copy = NULL;
    must(odp_store_open_copy(&copy, in(f, f->state_dir, "store.sqlite"), why));
    struct odp_sql q = {.db = copy};
    int64_t n = odp_sql_number(&q, "SELECT count(*) FROM audit", "");
    must(q.st);
    odp_store_close(copy);
    return n;
}
