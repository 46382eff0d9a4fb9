/* base/json_load: whatever memory there is, what is read is what was written, and work's end learns of it.
 * Allocations fail one by one. */
#include "run.h"

#include "base/arena.h"
#include "base/json_load.h"

static long fails_at, calls;

static void *fails_once(size_t n)
{
    return fails_at > 0 && ++calls == fails_at ? NULL : malloc(n);
}

static const char text[] = "{\"email\": \"seseorang.dengan.nama.panjang@contoh.go.id\", \"nama\": \"Dinas "
                           "Pekerjaan Umum dan Perumahan Rakyat\", \"n\": [1, 2.5, \"\\u00e9\"]}";

TEST(reads)
{
    json_error_t error;
    json_t *value = odp_json_load(text, sizeof text - 1, 0, &error);
    assert_non_null(value);
    assert_string_equal(json_string_value(json_object_get(value, "email")),
                        "seseorang.dengan.nama.panjang@contoh.go.id");
    json_decref(value);
    assert_null(odp_json_load("{\"a\": }", 7, 0, &error));
    assert_int_equal(json_error_code(&error), json_error_invalid_syntax);
    assert_null(odp_json_load("", 0, 0, NULL));
}

/* Reads the text and writes it again while allocation N fails; false: there was none so late. */
static bool whole_without(long n, const json_t *right)
{
    fails_at = n;
    calls = 0;
    json_t *value = odp_json_load(text, sizeof text - 1, 0, NULL);
    char *dumped = json_dumps(value, JSON_COMPACT);
    bool failed = calls >= fails_at;
    fails_at = 0;
    assert_true(json_equal(value, right));
    json_t *again = odp_json_load(dumped, strlen(dumped), 0, NULL);
    assert_true(json_equal(again, right));
    json_decref(again);
    json_decref(value);
    odp_json_free_text(dumped);
    must(odp_arena_status_of_all()); /* every piece came back */
    return failed;
}

TEST(each_allocation_fails)
{
    json_t *right = odp_json_load(text, sizeof text - 1, 0, NULL);
    long n = 1;
    while (whole_without(n, right))
        n++;
    assert_true(n > 15);
    json_decref(right);
}

/* A value made while memory is refused lives on the reserve until it is given back. */
TEST(end_learns)
{
    fails_at = 1;
    calls = 0;
    json_t *value = json_object();
    fails_at = 0;
    assert_non_null(value);
    must_fail(odp_arena_status_of_all(), "");
    json_decref(value);
    must(odp_arena_status_of_all());
}

static int allocations_fail_once(void **state)
{
    json_set_alloc_funcs(fails_once, free);
    odp_json_start();
    return 0;
}

AROUND(allocations_fail_once, NULL)
