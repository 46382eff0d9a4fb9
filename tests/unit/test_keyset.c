/* Key sets: a million keys, first lines, texts for proposals, and hashes that go by value. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "catalog/schema.h"
#include "validate/keyset.h"

#define MILLION 1000000u

static struct odp_key_hash hash_text(const char *s, uint8_t type)
{
    struct odp_slice part = odp_slice_of(s);
    return odp_key_hash_of(&part, &type, 1);
}

static struct odp_key_hash hash_number(unsigned n)
{
    char text[16];
    snprintf(text, sizeof text, "K-%07u", n);
    return hash_text(text, ODP_TYPE_STRING);
}

static bool same(struct odp_key_hash a, struct odp_key_hash b)
{
    return a.hi == b.hi && a.lo == b.lo;
}

static void test_a_million(void **state)
{
    (void)state;
    struct odp_keyset *s;
    uint64_t first = 0;
    assert_int_equal(odp_keyset_new(&s), ODP_OK);
    assert_false(odp_keyset_has(s, hash_number(1)));
    for (unsigned i = 0; i < MILLION; i++)
        assert_int_equal(odp_keyset_add(s, hash_number(i), i + 2, (struct odp_slice){NULL, 0}, &first), ODP_OK);
    assert_int_equal(odp_keyset_size(s), MILLION);
    for (unsigned i = 0; i < MILLION; i++)
        assert_true(odp_keyset_has(s, hash_number(i)));
    for (unsigned i = MILLION; i < 2 * MILLION; i += 7)
        assert_false(odp_keyset_has(s, hash_number(i)));
    for (unsigned i = 0; i < MILLION; i += 1001) {
        assert_int_equal(odp_keyset_add(s, hash_number(i), 9, (struct odp_slice){NULL, 0}, &first), ODP_DONE);
        assert_int_equal(first, i + 2);
    }
    odp_keyset_clear(s);
    assert_int_equal(odp_keyset_size(s), 0);
    assert_false(odp_keyset_has(s, hash_number(5)));
    odp_keyset_free(s);
}

static void test_lines(void **state)
{
    (void)state;
    struct odp_keyset *s;
    uint64_t first = 77;
    assert_int_equal(odp_keyset_new(&s), ODP_OK);
    assert_int_equal(odp_keyset_add(s, hash_number(1), 0, ODP_LIT("1"), &first), ODP_OK);
    assert_int_equal(odp_keyset_add(s, hash_number(1), 5, ODP_LIT("1"), &first), ODP_DONE);
    assert_int_equal(first, 0);
    odp_keyset_free(s);
}

static void test_texts(void **state)
{
    (void)state;
    struct odp_keyset *s;
    uint64_t first;
    size_t n;
    assert_int_equal(odp_keyset_new(&s), ODP_OK);
    assert_int_equal(odp_keyset_add(s, hash_number(1), 1, ODP_LIT("satu"), &first), ODP_OK);
    assert_int_equal(odp_keyset_add(s, hash_number(2), 2, ODP_LIT(""), &first), ODP_OK);
    const struct odp_slice *texts = odp_keyset_texts(s, &n);
    assert_non_null(texts);
    assert_int_equal(n, 2);
    assert_true(odp_slice_is(texts[0], "satu"));
    for (unsigned i = 3; i < ODP_KEYSET_TEXTS + 10; i++)
        assert_int_equal(odp_keyset_add(s, hash_number(i), i, ODP_LIT("x"), &first), ODP_OK);
    assert_null(odp_keyset_texts(s, &n));
    assert_int_equal(n, 0);
    odp_keyset_free(s);
}

static void test_hash_by_value(void **state)
{
    (void)state;
    assert_true(same(hash_text("1.50", ODP_TYPE_NUMBER), hash_text("1.5", ODP_TYPE_NUMBER)));
    assert_true(same(hash_text("-0", ODP_TYPE_INTEGER), hash_text("0", ODP_TYPE_INTEGER)));
    assert_false(same(hash_text("1.50", ODP_TYPE_STRING), hash_text("1.5", ODP_TYPE_STRING)));
    assert_true(
        same(hash_text("2024-01-01T07:00:00+07:00", ODP_TYPE_DATETIME), hash_text("2024-01-01T00:00:00Z", ODP_TYPE_DATETIME)));
    assert_false(
        same(hash_text("2024-01-01T07:00:00+08:00", ODP_TYPE_DATETIME), hash_text("2024-01-01T00:00:00Z", ODP_TYPE_DATETIME)));
}

static void test_tuples(void **state)
{
    (void)state;
    static char big[2000];
    memset(big, 'x', sizeof big);
    const uint8_t types[] = {ODP_TYPE_STRING, ODP_TYPE_STRING, ODP_TYPE_NUMBER};
    const struct odp_slice a[] = {ODP_LIT("a"), ODP_LIT("bc"), ODP_LIT("1.0")},
                           b[] = {ODP_LIT("ab"), ODP_LIT("c"), ODP_LIT("1.0")};
    const struct odp_slice c[] = {ODP_LIT("a"), ODP_LIT("bc"), ODP_LIT("1")}, null[] = {ODP_LIT("a"), {NULL, 0}, ODP_LIT("1")};
    const struct odp_slice empty[] = {ODP_LIT("a"), ODP_LIT(""), ODP_LIT("1")};
    const struct odp_slice long1[] = {{big, sizeof big}, {big, 600}, ODP_LIT("1")},
                           long2[] = {{big, sizeof big}, {big, 601}, ODP_LIT("1")};
    assert_false(same(odp_key_hash_of(a, types, 3), odp_key_hash_of(b, types, 3)));
    assert_true(same(odp_key_hash_of(a, types, 3), odp_key_hash_of(c, types, 3)));
    assert_false(same(odp_key_hash_of(null, types, 3), odp_key_hash_of(empty, types, 3)));
    assert_false(same(odp_key_hash_of(long1, types, 3), odp_key_hash_of(long2, types, 3)));
    assert_true(same(odp_key_hash_of(long1, types, 3), odp_key_hash_of(long1, types, 3)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_million), cmocka_unit_test(test_lines),
                                       cmocka_unit_test(test_texts), cmocka_unit_test(test_hash_by_value),
                                       cmocka_unit_test(test_tuples)};
    return cmocka_run_group_tests_name("keyset", tests, NULL, NULL);
}
