/* Parts of the query index that tests of a whole one reach by chance only: the order of keys, and the bytes of a record. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <endian.h>
#include <float.h>

#include "write/index/keys_sort.h"
#include "write/index/tree.h"
#include "write/index/tree_row.h"

static uint64_t seed = 20240315;

static uint32_t below(uint32_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % n;
}

/* ---- sorting -------------------------------------------------------------------------------------------------------------------- */

enum { KEYS = 5000, ROOM = 64 };

static int in_order(const char *base, const struct writer_key *a, const struct writer_key *b)
{
    return odp_slice_cmp((struct odp_slice){base + a->at, a->n}, (struct odp_slice){base + b->at, b->n});
}

/* Keys of few beginnings and any bytes, of lengths around those of a word; at their end their number, which makes each another one. */
static void make_keys(char *base, struct writer_key *keys, uint32_t n, uint32_t beginnings, uint32_t letters)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t len = 0, kind = below(beginnings), most = 3 + kind % 20;
        char *w = base + (size_t)i * ROOM;
        for (; len < most; len++)
            w[len] = (char)(0xf8 + kind * 7 + len);
        for (uint32_t more = below(12); more > 0; more--)
            w[len++] = (char)(1 + below(letters));
        w[len++] = 0;
        uint32_t number = htobe32(below(2) != 0 ? i : n - i + (n << 1));
        memcpy(w + len, &number, sizeof number);
        keys[i] = (struct writer_key){0, i * ROOM, len + (uint32_t)sizeof number};
    }
}

static void test_order(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {0, 1, 2, 3, 8, 9, 100, 255, 256, 257, 1000, KEYS};
    char *base = malloc((size_t)KEYS * ROOM);
    struct writer_key *keys = malloc(KEYS * sizeof *keys), *spare = malloc(KEYS * sizeof *keys);
    bool *seen = calloc(KEYS, sizeof *seen);
    assert_non_null(base);
    assert_non_null(keys);
    assert_non_null(spare);
    assert_non_null(seen);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (uint32_t beginnings = 1; beginnings <= 16; beginnings *= 4)
            for (uint32_t letters = 1; letters <= 255; letters += 127) {
                uint32_t n = sizes[s];
                make_keys(base, keys, n, beginnings, letters);
                writer_keys_sort(base, keys, spare, n);
                memset(seen, 0, KEYS * sizeof *seen);
                for (uint32_t i = 0; i < n; i++) {
                    assert_false(seen[keys[i].at / ROOM]);
                    seen[keys[i].at / ROOM] = true;
                    assert_true(i == 0 || in_order(base, &keys[i - 1], &keys[i]) < 0);
                }
            }
    free(base);
    free(keys);
    free(spare);
    free(seen);
}

/* ---- records -------------------------------------------------------------------------------------------------------------------- */

/* Serial types and bytes as https://www.sqlite.org/fileformat2.html has them (2.1). */
static void test_numbers(void **state)
{
    (void)state;
    static const struct {
        int64_t v;
        unsigned char type, n;
    } cases[] = {{0, 8, 0}, {1, 9, 0}, {-1, 1, 1}, {2, 1, 1}, {127, 1, 1}, {-128, 1, 1}, {128, 2, 2}, {-129, 2, 2}, {32767, 2, 2}, {-32768, 2, 2}, {32768, 3, 3},
                 {8388607, 3, 3}, {-8388608, 3, 3}, {8388608, 4, 4}, {-8388609, 4, 4}, {INT32_MAX, 4, 4}, {INT32_MIN, 4, 4}, {(int64_t)INT32_MAX + 1, 5, 6},
                 {((int64_t)1 << 47) - 1, 5, 6}, {-((int64_t)1 << 47), 5, 6}, {(int64_t)1 << 47, 6, 8}, {INT64_MAX, 6, 8}, {INT64_MIN, 6, 8}};
    struct tree_row row;
    tree_row_init(&row);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tree_value v = {0};
        tree_row_begin(&row);
        tree_row_int(&row, cases[i].v);
        struct odp_slice types = odp_buffer_slice(&row.types), values = tree_row_values(&row);
        assert_int_equal(types.len, 1);
        assert_int_equal(types.ptr[0], cases[i].type);
        assert_int_equal(values.len, cases[i].n);
        for (unsigned k = 0; k < values.len; k++) /* the highest byte first */
            assert_int_equal((unsigned char)values.ptr[k], (unsigned char)((uint64_t)cases[i].v >> (8 * (values.len - 1 - k))));
        assert_true(tree_take(&types, &values, &v));
        assert_true(v.kind == TREE_INT && v.i == cases[i].v && types.len == 0 && values.len == 0);
    }
    static const double reals[] = {0.5, -0.5, 1e300, -DBL_MIN, 0x1p47, -0x1p47, 0x1p63, DBL_MAX};
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
        struct tree_value v = {0};
        tree_row_begin(&row);
        tree_row_real(&row, reals[i]);
        struct odp_slice types = odp_buffer_slice(&row.types), values = tree_row_values(&row);
        assert_true(tree_take(&types, &values, &v));
        assert_true(v.kind == TREE_REAL && v.r == reals[i]);
    }
    tree_row_begin(&row);
    tree_row_real(&row, -7);
    assert_int_equal(row.types.ptr[0], 1); /* whole: as an integer */
    tree_row_release(&row);
}

/* N texts of LEN bytes: the record is its header, whose first number counts itself, and the texts, whatever room the header needs. */
static void expect_record(uint32_t n, size_t len)
{
    struct tree_row row;
    char text[300];
    memset(text, 'x', sizeof text);
    tree_row_init(&row);
    tree_row_begin(&row);
    for (uint32_t k = 0; k < n; k++) {
        text[0] = (char)('a' + k % 26);
        tree_row_text(&row, (struct odp_slice){text, len});
    }
    struct odp_slice record = tree_row_end(&row);
    assert_non_null(record.ptr);
    uint64_t head = 0;
    size_t first = odp_varint_take((const unsigned char *)record.ptr, record.len, &head);
    assert_int_equal(record.len, head + n * len);
    struct odp_slice types = {record.ptr + first, (size_t)head - first}, values = {record.ptr + head, n * len};
    for (uint32_t k = 0; k < n; k++) {
        struct tree_value v = {0};
        assert_true(tree_take(&types, &values, &v));
        assert_true(v.kind == TREE_TEXT && v.bytes.len == len && v.bytes.ptr[0] == (char)('a' + k % 26) && v.bytes.ptr[len - 1] == (len > 1 ? 'x' : v.bytes.ptr[0]));
    }
    assert_int_equal(types.len, 0);
    tree_row_release(&row);
}

static void test_records(void **state)
{
    (void)state;
    static const uint32_t counts[] = {1, 30, 31, 62, 63, 64, 65, 125, 126, 127, 128, 1900, 8190, 8191, 8192, 16380, 16381, 16382, 16383};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        expect_record(counts[i], 1);
        expect_record(counts[i], 57);
        expect_record(counts[i], 58); /* its serial type has two bytes */
        expect_record(counts[i], 300);
    }
}

static void test_not_a_record(void **state)
{
    (void)state;
    static const struct odp_slice types[] = {{"", 0}, {"\x01", 1}, {"\x0a", 1}, {"\x0b", 1}, {"\x17", 1}, {"\x81", 1}, {"\xff\xff\xff\xff\xff\xff\xff\xff\xff", 9}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        struct odp_slice t = types[i], values = {"", 0};
        struct tree_value v = {0};
        assert_false(tree_take(&t, &values, &v));
    }
}

static void test_varints(void **state)
{
    (void)state;
    for (unsigned shift = 0; shift < 64; shift++)
        for (int add = -1; add <= 1; add++) {
            unsigned char bytes[9];
            uint64_t v = ((uint64_t)1 << shift) + (uint64_t)(int64_t)add, back = ~v;
            size_t n = odp_varint_put(bytes, v);
            assert_int_equal(odp_varint_take(bytes, n, &back), n);
            assert_true(back == v);
            assert_int_equal(odp_varint_take(bytes, n - 1, &back), 0);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),        cmocka_unit_test(test_numbers), cmocka_unit_test(test_records),
        cmocka_unit_test(test_not_a_record), cmocka_unit_test(test_varints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
