/* A key table in a temporary folder, and keys made of a number. */
#pragma once
#include "run.h"

#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "core/keys/keytable.h"

#define CHILD_CHECK(what)                                                                                    \
    do {                                                                                                     \
        if (!(what)) {                                                                                       \
            fprintf(stderr, "%s:%d: %s %s\n", __FILE__, __LINE__, #what, odp_failure_text());                \
            _exit(1);                                                                                        \
        }                                                                                                    \
    } while (0)

static char fixture_dir[FRESH_FOLDER], fixture_path[96];

static inline int fixture_set_up(void **state)
{
    odp_failure_clear();
    fresh_folder(fixture_dir, "table");
    snprintf(fixture_path, sizeof fixture_path, "%s/keys.table", fixture_dir);
    return 0;
}

static inline int fixture_tear_down(void **state)
{
    odp_failure_clear();
    return odp_dir_remove(fixture_dir) == ODP_OK ? 0 : -1;
}

static inline struct odp_settings fixture_settings(void)
{
    return (struct odp_settings){
        .tiers = {{"public", 1000, 5, 2}, {"registered", 10000, 20, 4}, {"government", -1, 0, 0}},
        .ntiers = 3,
        .zone_minutes = 420,
        .base_url = "https://data.example.go.id/"};
}

/* Number N's key: active, of tier 0, its own account. Ids are numbers. */
static inline struct odp_key_record fixture_key(uint64_t n)
{
    struct odp_key_record r = {.id = n, .account = n, .state = ODP_KEY_ACTIVE};
    if (odp_digest_of(&n, sizeof n, r.digest) != ODP_OK)
        abort();
    snprintf(r.shown, sizeof r.shown, "odp_live_%05u", (unsigned)(n % 100000));
    return r;
}

static inline int64_t fixture_find(const struct odp_keytable *t, uint64_t n)
{
    struct odp_key_record r = fixture_key(n);
    return odp_keytable_find(t, r.digest);
}

static inline struct odp_keytable *fixture_open(void)
{
    struct odp_keytable *t = NULL;
    const char *why = "";
    if (odp_keytable_open(&t, fixture_path, &why) != ODP_OK)
        fail_msg("%s %s", why, odp_failure_text());
    assert_null(why);
    return t;
}

static inline struct odp_keytable *fixture_new(uint32_t capacity)
{
    struct odp_settings s = fixture_settings();
    must(odp_keytable_create(fixture_path, capacity, &s));
    return fixture_open();
}

static inline void fixture_put(struct odp_keytable *t, uint64_t from, uint64_t to)
{
    for (uint64_t n = from; n < to; n++) {
        struct odp_key_record r = fixture_key(n);
        must(odp_keytable_put(t, &r));
    }
}

static inline void fixture_check(const struct odp_keytable *t)
{
    char why[160];
    if (odp_keytable_check(t, why) != ODP_OK)
        fail_msg("%s %s", why, odp_failure_text());
    assert_string_equal(why, "");
}

/* The child's exit code; it must have ended by itself. */
static inline int fixture_wait(pid_t child)
{
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}
