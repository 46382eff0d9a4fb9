/* A file of tests: it includes this first, and each TEST(what) {...} in it runs, in their order. Its last
 * line may be EACH(set_up, tear_down), around every test, or AROUND(set_up, tear_down), once around all of
 * them; either may be NULL. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
/* cmocka wants the first four before it */
#include <cmocka.h>

#include "base/temporary.h"

#define TEST(what)                                                                                           \
    static void test_##what(void **state);                                                                   \
    __attribute__((constructor(1000 + __LINE__))) static void run_add_##what(void)                           \
    {                                                                                                        \
        run_add("test_" #what, test_##what);                                                                 \
    }                                                                                                        \
    static void test_##what(void **state)

static CMFixtureFunction run_each[2], run_around[2];
#define EACH(...)   static CMFixtureFunction run_each[2] = {__VA_ARGS__};
#define AROUND(...) static CMFixtureFunction run_around[2] = {__VA_ARGS__};

static struct CMUnitTest run_tests[256];
static size_t run_count;

static inline void run_add(const char *name, CMUnitTestFunction test)
{
    if (run_count < ODP_COUNT(run_tests))
        run_tests[run_count++] = (struct CMUnitTest){.name = name, .test_func = test};
}

int main(void)
{
    for (size_t i = 0; i < run_count; i++) {
        run_tests[i].setup_func = run_each[0];
        run_tests[i].teardown_func = run_each[1];
    }
    return _cmocka_run_group_tests("tests", run_tests, run_count, run_around[0], run_around[1]);
}

/* Makes an empty folder "odp-NAME-…" in TMPDIR, else /tmp, and puts its path into the array DIR. */
enum { FRESH_FOLDER = 64 };
#define fresh_folder(dir, name) fresh_folder_at(dir, sizeof(dir), name)

static inline void fresh_folder_at(char *dir, size_t size, const char *name)
{
    int n = snprintf(dir, size, "%s/odp-%s-XXXXXX", odp_temporary_place(), name);
    if (n < 0 || (size_t)n >= size || mkdtemp(dir) == NULL)
        fail_msg("no folder %s", dir);
}

/* The same on another file system than that of PATH; false: there is none. */
static inline bool fresh_folder_elsewhere(char dir[FRESH_FOLDER], const char *path)
{
    static const char *const places[] = {"/dev/shm", "/tmp", "/var/tmp"};
    struct stat here, there;
    for (size_t i = 0; i < 3; i++)
        if (stat(path, &here) == 0 && stat(places[i], &there) == 0 && here.st_dev != there.st_dev) {
            snprintf(dir, FRESH_FOLDER, "%s/odp-elsewhere-XXXXXX", places[i]);
            return mkdtemp(dir) != NULL;
        }
    return false;
}

/* Variables that are released at the end of their block: OWNED begins V by WHAT_init, which gets the rest. */
#define OWN(release) __attribute__((cleanup(release)))
#define OWNED(type, v, what, ...)                                                                            \
    OWN(what##_release) struct type v;                                                                       \
    what##_init(__VA_ARGS__)
#define ARENA(a)  OWN(odp_arena_release) struct odp_arena a = {0}
#define BUFFER(b) OWN(odp_buffer_release) struct odp_buffer b = {0}

/* A test needs the call and takes for granted that it returns ODP_OK, or (must_refuse) ODP_BAD. Else the test
 * ends there with what the failure says. */
#define must(call)        returns_at((call), ODP_OK, #call, __FILE__, __LINE__)
#define must_refuse(call) returns_at((call), ODP_BAD, #call, __FILE__, __LINE__)

static inline void returns_at(enum odp_status st, enum odp_status expected, const char *call,
                              const char *file, int line)
{
    if (st != expected) {
        print_error("%s: %d, not %d: %s\n", call, (int)st, (int)expected, odp_failure_text());
        _fail(file, line);
    }
}

/* The call must fail and say PART in its reason. */
#define must_fail(call, part) must_fail_at((call), part, #call, __FILE__, __LINE__)

static inline void must_fail_at(enum odp_status st, const char *part, const char *call, const char *file,
                                int line)
{
    returns_at(st, ODP_FAIL, call, file, line);
    if (strstr(odp_failure_text(), part) == NULL) {
        print_error("%s: \"%s\" does not say \"%s\"\n", call, odp_failure_text(), part);
        _fail(file, line);
    }
    odp_failure_clear();
}

/* TEXT, each ' of it now a ". */
static inline char *double_quotes(char *text)
{
    for (char *c = text; (c = strchr(c, '\'')) != NULL;)
        *c = '"';
    return text;
}

/* BYTES as all of the file PATH. */
static inline void put_bytes(const char *path, const void *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

static inline void put_text(const char *path, const char *text)
{
    put_bytes(path, text, strlen(text));
}

/* The same for PATH in DIR, and its folders with it. */
static inline void put_below(const char *dir, const char *path, const void *bytes, size_t n)
{
    char full[512];
    int len = snprintf(full, sizeof full, "%s/%s", dir, path);
    assert_true(len > 0 && (size_t)len < sizeof full);
    char *slash = strrchr(full, '/');
    *slash = '\0';
    must(odp_dir_make(full));
    *slash = '/';
    put_bytes(full, bytes, n);
}

/* How often PART is in TEXT. */
static inline size_t times_in(const char *text, const char *part)
{
    size_t n = 0, len = strlen(part);
    /* AddressSanitizer's strstr measures the whole rest at each call. */
    for (const char *at = text, *end = at + strlen(at);
         (at = memmem(at, (size_t)(end - at), part, len)) != NULL; at += len)
        n++;
    return n;
}

/* TEXT has these PARTS (NULL ends them), none of which it may have after a "!". */
static inline void expect_texts(const char *text, const char *const *parts)
{
    for (bool wanted = true; *parts != NULL; parts++)
        if (strcmp(*parts, "!") == 0)
            wanted = false;
        else if ((strstr(text, *parts) != NULL) != wanted)
            fail_msg("%s: %s\nin %.3000s", wanted ? "missing" : "not wanted", *parts, text);
}
#define EXPECT(text, ...) expect_texts(text, (const char *const[]){__VA_ARGS__, NULL})
