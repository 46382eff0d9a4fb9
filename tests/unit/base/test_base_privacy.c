/* Personal identifiers: what is one, and above all what is none. All numbers here are made up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/privacy.h"

static const struct {
    enum odp_privacy_kind kind;
    const char *text, *found;
} hits[] = {
    {ODP_PRIVACY_NIK, "3171041204900001", "3171041204900001"},
    {ODP_PRIVACY_NIK, "NIK:3171045204900001 (ibu)", "3171045204900001"},
    {ODP_PRIVACY_NIK, "3171 0412 0490 0001", "3171 0412 0490 0001"},
    {ODP_PRIVACY_NIK, "317104-120490-0001", "317104-120490-0001"},
    {ODP_PRIVACY_NIK, "a,3171041204900001,b", "3171041204900001"},
    {ODP_PRIVACY_NPWP, "NPWP 01.234.567.8-901.000.", "01.234.567.8-901.000"},
    {ODP_PRIVACY_NPWP, "01.234.567.8.901.000", "01.234.567.8.901.000"},
    {ODP_PRIVACY_PHONE, "081234567890", "081234567890"},
    {ODP_PRIVACY_PHONE, "hub. 0812-3456-7890 ya", "0812-3456-7890"},
    {ODP_PRIVACY_PHONE, "0812 3456 7890", "0812 3456 7890"},
    {ODP_PRIVACY_PHONE, "Telp.0812.3456.7890", "0812.3456.7890"},
    {ODP_PRIVACY_PHONE, "+62 812-3456-7890", "+62 812-3456-7890"},
    {ODP_PRIVACY_PHONE, "+6281234567890", "+6281234567890"},
    {ODP_PRIVACY_PHONE, "6281234567891", "6281234567891"},
    {ODP_PRIVACY_PHONE, "+62 21 5551234", "+62 21 5551234"},
    {ODP_PRIVACY_PHONE, "(021) 5551234", "(021) 5551234"},
    {ODP_PRIVACY_PHONE, "(0274) 512345", "(0274) 512345"},
    {ODP_PRIVACY_PHONE, "0274-512345", "0274-512345"},
    {ODP_PRIVACY_PHONE, "021-5551234", "021-5551234"},
    {ODP_PRIVACY_PHONE, "0812345678/0812345679", "0812345678"},
    {ODP_PRIVACY_EMAIL, "tulis ke budi.santoso@contoh.go.id.", "budi.santoso@contoh.go.id"},
    {ODP_PRIVACY_EMAIL, "<a_b+c@x-y.co>", "a_b+c@x-y.co"},
    {ODP_PRIVACY_EMAIL, "081234567890@mail.com", "081234567890@mail.com"},
    {ODP_PRIVACY_EMAIL, "@@a@b.id", "a@b.id"},
};

static const char *const misses[] = {
    "",
    "a",
    "150000000000000",
    "1500000000000000",
    "15000000000",
    "62815000000",
    "628100000000",
    "31.71.04.1001",
    "3171041001",
    "31710412049000011",  /* 17 digits */
    "3171043204900001",   /* day 32 */
    "3171041213900001",   /* month 13 */
    "9971041204900001",   /* no such province */
    "3171041204900000",   /* serial number 0000 */
    "0.3171041204900001", /* a fraction */
    "3171041204900001.5",
    "X3171041204900001",
    "106.0812345678901",
    "-6.081234567890",
    "0,081234567890",
    "08.12.34.56.78.90",
    "08-12-34-56-78-90",
    "0812345",
    "08123456789012345",
    "0841234567890",
    "SK-081234567890",
    "A081234567890",
    "0812345678A",
    "2024-03-15",
    "2024-03-15T07:05:00+07:00",
    "07:05:00",
    "Rp 1.234.567.890",
    "1.234.567.890.123",
    "12 345 678 901 234",
    "0274-512345/2024",
    "0120-512345",
    "(2024) 123456",
    "a@b",
    "@b.id",
    "a@",
    "a@b.c",
    "a@b.1d",
    "harga @ Rp500.000",
    "x@-y.id",
    "978-602-8519-93-9",
    "INV/2024/0001234567",
    "-6.175110 106.865036",
    "1 2 3 4 5 6 7 8 9 10 11 12",
};

static void finds(void **state)
{
    for (size_t i = 0; i < sizeof hits / sizeof hits[0]; i++) {
        size_t start, len;
        enum odp_privacy_kind kind = odp_privacy_find(odp_slice_of(hits[i].text), 0, &start, &len);
        if (kind != hits[i].kind || len != strlen(hits[i].found) ||
            memcmp(hits[i].text + start, hits[i].found, len) != 0)
            fail_msg("%s: kind %d, %.*s", hits[i].text, (int)kind, (int)len, hits[i].text + start);
    }
}

static void leaves_alone(void **state)
{
    for (size_t i = 0; i < sizeof misses / sizeof misses[0]; i++) {
        size_t start, len;
        enum odp_privacy_kind kind = odp_privacy_find(odp_slice_of(misses[i]), 0, &start, &len);
        if (kind != ODP_PRIVACY_NONE)
            fail_msg("%s: kind %d, %.*s", misses[i], (int)kind, (int)len, misses[i] + start);
    }
}

static void from_a_place(void **state)
{
    static const char text[] = "0812345678, a@b.id, 3171041204900001";
    size_t start = 0, len = 0;
    assert_int_equal(odp_privacy_find(odp_slice_of(text), 0, &start, &len), ODP_PRIVACY_PHONE);
    assert_int_equal(odp_privacy_find(odp_slice_of(text), start + len, &start, &len), ODP_PRIVACY_EMAIL);
    assert_int_equal(odp_privacy_find(odp_slice_of(text), start + len, &start, &len), ODP_PRIVACY_NIK);
    assert_int_equal(odp_privacy_find(odp_slice_of(text), start + len, &start, &len), ODP_PRIVACY_NONE);
}

static void masks(void **state)
{
    static const char *const cases[][2] = {
        {"Budi;3171041204900001;081234567890", "Budi;****************;************"},
        {"Budi,081234567890,5", "Budi,************,5"},
        {"5,081234567890", "5,************"},
        {"surel a@b.id dan c@d.id", "surel ****** dan ******"},
        {"tidak ada", "tidak ada"},
        {"", ""},
    };
    struct odp_buffer b;
    odp_buffer_init(&b);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        odp_buffer_clear(&b);
        odp_privacy_mask(odp_slice_of(cases[i][0]), &b);
        assert_string_equal(odp_buffer_cstr(&b), cases[i][1]);
    }
    odp_buffer_release(&b);
}

/* No text, however odd, makes it read outside or find an empty place. */
static void any_text(void **state)
{
    static const char letters[] = "0812634@.+-( ),ab";
    uint32_t seed = 12345;
    for (int i = 0; i < 300000; i++) {
        char *text = malloc(24); /* exactly as long as the text, for AddressSanitizer */
        size_t n = 0, at = 0, start, len;
        for (; n < 24; n++) {
            seed = seed * 1664525 + 1013904223;
            text[n] = letters[(seed >> 16) % (sizeof letters - 1)];
        }
        while (odp_privacy_find((struct odp_slice){text, n}, at, &start, &len) != ODP_PRIVACY_NONE) {
            assert_true(start >= at && len > 0 && start + len <= n);
            at = start + len;
        }
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds), cmocka_unit_test(leaves_alone), cmocka_unit_test(from_a_place),
        cmocka_unit_test(masks), cmocka_unit_test(any_text),
    };
    return cmocka_run_group_tests_name("base privacy", tests, NULL, NULL);
}
