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

static void reads_like_jansson(const char *json, size_t len)
{
    for (size_t i = 0; i < 2; i++) {
        const size_t flags = i == 0 ? JSON_REJECT_DUPLICATES : JSON_DECODE_ANY;
        json_t *value = odp_json_load(json, len, flags, NULL), *right = json_loadb(json, len, flags, NULL);
        assert_true(value == NULL ? right == NULL : json_equal(value, right));
        json_decref(value);
        json_decref(right);
    }
}

/* Every byte of a document becomes every sign that means something in JSON, and some that are refused. */
TEST(reads_what_jansson_reads)
{
    static const char all[] =
        "{ \"a\":[-1.5e+3 ,0,\t12345678901234567,[],{}],\r\n\"b\\u00e9\\ud83d\\ude00\\/\\n\":"
        "{\"\303\251\":true,\"a\":false},\"c\":null,\"\":\"\\\"\"}",
                      signs[] = "{}[]\",:\\/ \n\001\17709-+.eut\200\303\355";
    static const char *const rare[] = {"1e999", "9223372036854775808", "\"\\u0000\"",
                                       "[1] x", "\357\273\277{}",      "\"\357\277\277\""};
    char mixed[sizeof all], deep[300];
    for (size_t i = 0; i < sizeof all - 1; i++)
        for (size_t k = 0; k < sizeof signs; k++) { /* and the zero byte */
            memcpy(mixed, all, sizeof all);
            mixed[i] = signs[k];
            reads_like_jansson(mixed, sizeof all - 1);
            reads_like_jansson(mixed + i, sizeof all - 1 - i);
        }
    for (size_t i = 0; i < ODP_COUNT(rare); i++)
        reads_like_jansson(rare[i], strlen(rare[i]));
    memset(deep, '[', 150);
    memset(deep + 150, ']', 150);
    reads_like_jansson(deep, sizeof deep);
    memset(deep, '"', 150); /* a long name */
    memset(deep + 1, 'n', 148);
    memcpy(deep + 150, ":1}", 3);
    deep[0] = '{';
    deep[1] = '"';
    reads_like_jansson(deep, 153);
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
