/* The fast ways of the validator's frame and types against the general ones, cell by cell, over random and
 * awkward cells: traits by masks and by bytes, numbers of a column and by their reader. */
#include "validate_fixture.h"
#include "random.h"

#include "base/datetime.h"
#include "base/decimal_small.h"
#include "check/types/types_internal.h"

/* ---- traits ---- */

static uint8_t traits_by_bytes(const char *p, size_t n)
{
    uint8_t traits = n > 0 && strchr("=+-@", p[0]) != NULL && p[0] != '\0' ? ODP_TRAIT_LEAD : 0;
    unsigned digits = 0;
    for (size_t k = 0; k < n; k++) {
        unsigned char b = (unsigned char)p[k];
        traits |= (b < 0x20 && b != '\t' && b != '\n' && b != '\r') || b == 0x7f ? ODP_TRAIT_CONTROL : 0;
        traits |= b >= 0x80 ? ODP_TRAIT_HIGH : 0;
        traits |= b == '@' ? ODP_TRAIT_AT : 0;
        traits |= b == '#' ? ODP_TRAIT_HASH : 0;
        traits |=
            (b == 'E' || b == 'e') && k > 0 && p[k - 1] >= '0' && p[k - 1] <= '9' ? ODP_TRAIT_EXPONENT : 0;
        traits |=
            (k == 0 || k == n - 1) && (b == ' ' || (b >= 9 && b <= 13) || b >= 0x80) ? ODP_TRAIT_EDGE : 0;
        digits += b >= '0' && b <= '9';
    }
    return traits | (digits >= 8 ? ODP_TRAIT_DIGITS : 0);
}

static void look_at(const char *text, size_t size)
{
    static struct odp_trait_window w;
    enum { CELLS = 400 };
    static struct odp_slice cells[CELLS];
    static uint8_t got[CELLS], tame[CELLS];
    static const char elsewhere[] = "20240315e ";
    uint8_t any = 0;
    size_t at = 0;
    odp_traits_look(&w, text, size, false);
    for (uint32_t i = 0; i < CELLS; i++) {
        size_t len = dice(10) == 0 ? dice(200) : dice(20);
        if (at > size)
            at = dice(size + 1);
        if (len > size - at)
            len = size - at;
        cells[i] = (struct odp_slice){text + at, len};
        if (dice(30) == 0)
            cells[i] = dice(2) == 0 ? (struct odp_slice){NULL, 0}
                                    : (struct odp_slice){elsewhere, sizeof elsewhere - 1};
        tame[i] = i % 2 == 0 && cells[i].ptr != NULL &&
                  (traits_by_bytes(cells[i].ptr, cells[i].len) & ~ODP_TRAIT_DIGITS) == 0;
        at += len + 1;
    }
    uint8_t all = odp_traits_of(&w, cells, CELLS, tame, 8, got);
    for (uint32_t i = 0; i < CELLS; i++) {
        uint8_t expect = cells[i].ptr != NULL ? traits_by_bytes(cells[i].ptr, cells[i].len) : 0;
        if (got[i] != expect ||
            (cells[i].ptr != NULL && odp_traits_read(cells[i].ptr, cells[i].len) != expect))
            fail_msg("cell %u [%.*s]: %x, not %x", i, (int)cells[i].len, cells[i].ptr, got[i], expect);
        any |= expect;
    }
    assert_int_equal(all, any);
}

TEST(traits_are_equal)
{
    static const char few[] = "0123456789  eE@#=+-\t\n\r\x01\x7f\x80\xff\0abcxyzABCXYZ.,-/";
    random_seed = 1;
    for (int round = 0; round < 300; round++) {
        size_t size = round < 130      ? (size_t)round
                      : round % 3 == 0 ? ODP_TRAIT_WINDOW - 70 + dice(140)
                                       : dice(40000);
        char *text = malloc(size > 0 ? size : 1); /* ends where its memory ends */
        assert_non_null(text);
        unsigned rare = round % 2 == 0 ? 5 : 60;
        for (size_t k = 0; k < size; k++)
            text[k] = dice(rare) == 0 ? (char)(dice(4) == 0 ? (int)dice(256) : few[dice(sizeof few - 1)])
                                      : "0123456789 aerinu"[dice(17)];
        look_at(text, size);
        free(text);
    }
}

/* ---- columns ---- */

enum { ROWS_MOST = 3000 };

/* A table of one field of values, and the column of CELLS as it is before the type rule. */
static struct odp_check column_of(struct lab *l, const char *field, const struct odp_slice *cells,
                                  const uint8_t *native, uint32_t n)
{
    static struct odp_slice text[ROWS_MOST];
    static uint8_t state[ROWS_MOST];
    char schema[1024];
    snprintf(schema, sizeof schema, "\"fields\": [{\"name\": \"f\", %s}]", field);
    lab_dataset(l, "satu", schema, "");
    lab_open(l);
    lab_start(l, "satu");
    bool any_native = false;
    for (uint32_t i = 0; i < n; i++) {
        struct odp_record *r = odp_batch_add_record(&l->batch);
        struct odp_cell *c = odp_batch_add_cells(&l->batch, 1);
        assert_true(r != NULL && c != NULL);
        *r = (struct odp_record){.row = i + 1, .line = i + 2, .first = i, .count = 1};
        *c = (struct odp_cell){
            .ptr = cells[i].ptr, .len = (uint32_t)cells[i].len, .flags = native[i] ? ODP_CELL_NATIVE : 0};
        any_native = any_native || native[i];
        text[i] = cells[i];
        state[i] = ODP_VALUE_OK;
    }
    l->batch.columns = odp_arena_zero(&l->batch.arena, 1, sizeof *l->batch.columns);
    assert_non_null(l->batch.columns);
    l->batch.columns[0] = (struct odp_column){text, state};
    return (struct odp_check){
        .v = l->validator,
        .w = &l->validator->workers[0],
        .b = &l->batch,
        .n = n,
        .text = text,
        .state = state,
        .native = any_native,
    };
}

static void number_column(struct lab *l, const char *field, const struct odp_slice *cells,
                          const uint8_t *native, uint32_t n)
{
    struct odp_check c = column_of(l, field, cells, native, n);
    struct odp_decimal_form declared = l->resource->schema.fields[0].decimal;
    declared.integer = l->resource->schema.fields[0].type == ODP_TYPE_INTEGER;
    const struct odp_decimal_form plain = {.decimal = '.', .bare = true, .integer = declared.integer};
    unsigned right = 0;
    odp_type_number(&c, 0);
    assert_false(c.failed);
    assert_non_null(c.number);
    for (uint32_t i = 0; i < n; i++) {
        char out[ODP_DECIMAL_SIZE];
        size_t len;
        bool unchanged, zero;
        enum odp_decimal_fault fault =
            odp_decimal_parse(cells[i], native[i] ? &plain : &declared, out, &len, &unchanged, &zero);
        struct odp_slice expect = fault != ODP_DECIMAL_OK ? (struct odp_slice){NULL, 0}
                                  : unchanged             ? cells[i]
                                                          : (struct odp_slice){out, len};
        uint8_t is = fault != ODP_DECIMAL_OK || (zero && !l->validator->waived[ODP_T17]) ? ODP_VALUE_BAD
                                                                                         : ODP_VALUE_OK;
        if (c.state[i] != is || (c.text[i].ptr == NULL) != (expect.ptr == NULL) ||
            !odp_slice_eq(c.text[i], expect))
            fail_msg("%s [%.*s]: %d [%.*s], not %d [%.*s]", field, (int)cells[i].len, cells[i].ptr,
                     c.state[i], (int)c.text[i].len, c.text[i].ptr, is, (int)expect.len, expect.ptr);
        if (fault == ODP_DECIMAL_OK && unchanged && c.text[i].ptr != cells[i].ptr)
            fail_msg("%s [%.*s] was copied", field, (int)cells[i].len, cells[i].ptr);
        right += is == ODP_VALUE_OK;
        int64_t m = 0;
        unsigned scale = ODP_CHECK_LONG;
        if (is != ODP_VALUE_OK)
            continue;
        if (!odp_decimal_small(expect, &m, &scale))
            scale = ODP_CHECK_LONG;
        if (c.scale[i] != scale || (scale != ODP_CHECK_LONG && c.number[i] != m))
            fail_msg("%s [%.*s] is %lld / 10^%u", field, (int)cells[i].len, cells[i].ptr,
                     (long long)c.number[i], c.scale[i]);
    }
    assert_true(right > n / 20 && right < n);
    c.w->nfaults = 0;
    lab_close(l);
}

TEST(numbers_are_equal)
{
    static const char *const fields[] = {
        "\"type\": \"number\"",
        "\"type\": \"number\", \"decimalChar\": \",\"",
        "\"type\": \"number\", \"decimalChar\": \",\", \"groupChar\": \".\"",
        "\"type\": \"number\", \"groupChar\": \",\"",
        "\"type\": \"number\", \"groupChar\": \" \", \"decimalChar\": \",\"",
        "\"type\": \"number\", \"bareNumber\": false",
        "\"type\": \"integer\"",
        "\"type\": \"integer\", \"groupChar\": \".\"",
        "\"type\": \"integer\", \"bareNumber\": false",
    };
    static const char few[] = ".,.,-+ e%0\0\x80\xC2\xA0";
    struct lab *l = *state;
    char *room = malloc(ROWS_MOST * 24);
    assert_non_null(room);
    random_seed = 23;
    for (size_t f = 0; f < ODP_COUNT(fields); f++)
        for (int natives = 0; natives < 2; natives++) {
            static struct odp_slice cells[ROWS_MOST];
            static uint8_t native[ROWS_MOST];
            for (uint32_t i = 0; i < ROWS_MOST; i++) {
                char *p = room + i * 24;
                size_t n = 1 + dice(dice(4) == 0 ? 23 : 8);
                for (size_t k = 0; k < n; k++)
                    p[k] = (char)('0' + (dice(6) == 0 ? 0 : dice(10)));
                if (dice(2) == 0)
                    p[dice(n)] = few[dice(4)];
                if (dice(5) == 0)
                    p[dice(n)] = few[dice(sizeof few - 1)];
                if (dice(5) == 0)
                    p[0] = '-';
                cells[i] = (struct odp_slice){p, n};
                native[i] = natives != 0 && dice(3) == 0;
            }
            number_column(l, fields[f], cells, native, ROWS_MOST);
        }
    free(room);
}

/* ---- the frame ---- */

/* Even and uneven records, skipped ones, nulls of the source, oddities: what the rules are given. */
TEST(columns_are_loaded)
{
    struct lab *l = *state;
    lab_dataset(
        l, "satu",
        "\"fields\": [{\"name\": \"a\", \"type\": \"string\"}, {\"name\": \"b\", \"type\": \"string\"}]", "");
    lab_open(l);
    lab_start(l, "satu");
    for (int i = 0; i < 700; i++) {
        lab_row(l, i % 97 == 96   ? "~"
                   : i % 89 == 88 ? "satu"
                   : i % 83 == 82 ? "\\N|dua"
                   : i % 2 == 0   ? "satu|dua"
                                  : "tiga|empat puluh");
        if (i % 97 != 96)
            l->batch.cells[l->batch.ncells - 1].pos = 0;
    }
    lab_batch(l);
    for (uint32_t i = 0; i < 700; i++) {
        const struct odp_record *r = &l->batch.records[i];
        for (uint32_t f = 0; f < 2; f++) {
            const struct odp_cell *cell = f < r->count ? &l->batch.cells[r->first + f] : NULL;
            bool skipped = (r->flags & ODP_RECORD_SKIP) != 0,
                 null = cell == NULL || (cell->flags & ODP_CELL_NULL) != 0;
            assert_int_equal(l->batch.columns[f].state[i], skipped ? ODP_VALUE_BAD
                                                           : null  ? ODP_VALUE_NULL
                                                                   : ODP_VALUE_OK);
            struct odp_slice s = l->batch.columns[f].text[i];
            assert_true(skipped || null ? s.ptr == NULL : s.ptr == cell->ptr && s.len == cell->len);
        }
        assert_int_equal(l->batch.record_bad[i], (r->flags & ODP_RECORD_SKIP) != 0);
    }
    lab_close(l);
}

static int set_up(void **state)
{
    static struct lab l;
    lab_init(&l);
    *state = &l;
    return 0;
}

static int tear_down(void **state)
{
    lab_release(*state);
    return 0;
}

EACH(set_up, tear_down)
