/* base/json_load: whatever memory there is, what is read is what was written, or nothing. Allocations fail one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/json_load.h"

static long fails_at, calls;

static void *fails_once(size_t n)
{
    return fails_at > 0 && ++calls == fails_at ? NULL : malloc(n);
}

static const char text[] = "{\"email\": \"seseorang.dengan.nama.panjang@contoh.go.id\", \"nama\": \"Dinas Pekerjaan Umum dan Perumahan Rakyat\", \"n\": [1, 2.5, \"\\u00e9\"]}";

static void test_reads(void **state)
{
    (void)state;
    json_error_t error;
    json_t *value = odp_json_load(text, sizeof text - 1, 0, &error);
    assert_non_null(value);
    assert_string_equal(json_string_value(json_object_get(value, "email")), "seseorang.dengan.nama.panjang@contoh.go.id");
    json_decref(value);
    assert_null(odp_json_load("{\"a\": }", 7, 0, &error));
    assert_int_equal(json_error_code(&error), json_error_invalid_syntax);
    assert_null(odp_json_load("", 0, 0, NULL));
}

static void test_each_allocation_fails(void **state)
{
    (void)state;
    json_t *right = odp_json_load(text, sizeof text - 1, 0, NULL);
    assert_non_null(right);
    long n = 0;
    for (bool failed = true; failed; n += failed) {
        json_error_t error;
        fails_at = n + 1;
        calls = 0;
        json_t *value = odp_json_load(text, sizeof text - 1, 0, &error);
        failed = calls >= fails_at;
        fails_at = 0;
        if (failed) {
            assert_null(value);
            assert_int_equal(json_error_code(&error), json_error_out_of_memory);
        } else {
            assert_true(json_equal(value, right));
        }
        json_decref(value);
    }
    assert_true(n > 15);
    json_decref(right);
}

int main(void)
{
    json_set_alloc_funcs(fails_once, free);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_reads), cmocka_unit_test(test_each_allocation_fails)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
