/* Dates and times: patterns, names, the calendar, canonical forms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/datetime.h"

static const struct {
    enum odp_date_kind kind;
    const char *pattern, *zone, *in, *out; /* out NULL: the fault */
    enum odp_date_fault fault;
} readings[] = {
    {ODP_DATE, NULL, NULL, "2024-03-15", "2024-03-15", 0},
    {ODP_DATE, "default", NULL, "2024-02-29", "2024-02-29", 0},
    {ODP_DATE, NULL, NULL, "2023-02-29", NULL, ODP_DATE_RANGE},
    {ODP_DATE, NULL, NULL, "1900-02-29", NULL, ODP_DATE_RANGE},
    {ODP_DATE, NULL, NULL, "2000-02-29", "2000-02-29", 0},
    {ODP_DATE, NULL, NULL, "2024-13-01", NULL, ODP_DATE_RANGE},
    {ODP_DATE, NULL, NULL, "2024-00-10", NULL, ODP_DATE_RANGE},
    {ODP_DATE, NULL, NULL, "0000-01-01", NULL, ODP_DATE_RANGE},
    {ODP_DATE, NULL, NULL, "0001-01-01", "0001-01-01", 0},
    {ODP_DATE, NULL, NULL, "9999-12-31", "9999-12-31", 0},
    {ODP_DATE, NULL, NULL, "2024-3-15", NULL, ODP_DATE_SYNTAX},
    {ODP_DATE, NULL, NULL, "2024-03-15 ", NULL, ODP_DATE_SYNTAX},
    {ODP_DATE, NULL, NULL, "15/03/2024", NULL, ODP_DATE_SYNTAX},
    {ODP_DATE, NULL, NULL, "", NULL, ODP_DATE_SYNTAX},
    {ODP_DATE, NULL, NULL, "2024-03-15T00:00:00", NULL, ODP_DATE_SYNTAX},
    {ODP_DATE, "%d/%m/%Y", NULL, "15/03/2024", "2024-03-15", 0},
    {ODP_DATE, "%d/%m/%Y", NULL, "5/3/2024", "2024-03-05", 0},
    {ODP_DATE, "%d/%m/%Y", NULL, "03/15/2024", NULL, ODP_DATE_RANGE},
    {ODP_DATE, "%d/%m/%Y", NULL, "31/02/2024", NULL, ODP_DATE_RANGE},
    {ODP_DATE, "%d/%m/%Y", NULL, "15-03-2024", NULL, ODP_DATE_SYNTAX},
    {ODP_DATE, "%d/%m/%Y", NULL, "15/03/24", NULL, ODP_DATE_SYNTAX},
    {ODP_DATE, "%-d/%-m/%y", NULL, "5/3/24", "2024-03-05", 0},
    {ODP_DATE, "%d.%m.%y", NULL, "05.03.69", "1969-03-05", 0},
    {ODP_DATE, "%d %B %Y", NULL, "17 Agustus 1945", "1945-08-17", 0},
    {ODP_DATE, "%d %B %Y", NULL, "17  AGUSTUS 1945", "1945-08-17", 0},
    {ODP_DATE, "%d %b %Y", NULL, "17 Agt 1945", "1945-08-17", 0},
    {ODP_DATE, "%d %b %Y", NULL, "17 ags 1945", "1945-08-17", 0},
    {ODP_DATE, "%d %B %Y", NULL, "1 Nopember 2020", "2020-11-01", 0},
    {ODP_DATE, "%d %B %Y", NULL, "1 Pebruari 2020", "2020-02-01", 0},
    {ODP_DATE, "%d %B %Y", NULL, "1 May 2020", "2020-05-01", 0},
    {ODP_DATE, "%d %B %Y", NULL, "1 Mei 2020", "2020-05-01", 0},
    {ODP_DATE, "%d %B %Y", NULL, "1 Maret 2020", "2020-03-01", 0},
    {ODP_DATE, "%d %B %Y", NULL, "31 Februari 2020", NULL, ODP_DATE_RANGE},
    {ODP_DATE, "%d %B %Y", NULL, "1 Brumaire 2020", NULL, ODP_DATE_SYNTAX},
    {ODP_DATE, "%d %B %Y", NULL, "1 Marett 2020", NULL, ODP_DATE_SYNTAX},
    {ODP_DATE, "%A, %d %B %Y", NULL, "Jumat, 15 Maret 2024", "2024-03-15", 0},
    {ODP_DATE, "%A, %d %B %Y", NULL, "Jum'at, 15 Maret 2024", "2024-03-15", 0},
    {ODP_DATE, "%A, %d %B %Y", NULL, "Senin, 15 Maret 2024", NULL, ODP_DATE_WEEKDAY},
    {ODP_DATE, "%a %e %b %Y", NULL, "Min  3 Mar 2024", "2024-03-03", 0},
    {ODP_DATE, "%Y%j", NULL, "2024060", "2024-02-29", 0},
    {ODP_DATE, "%Y%j", NULL, "2023366", NULL, ODP_DATE_RANGE},
    {ODP_DATE, "%Y%m%d", NULL, "20240315", "2024-03-15", 0},
    {ODP_DATE, "any", NULL, "15 Maret 2024", "2024-03-15", 0},
    {ODP_DATE, "any", NULL, "2024/03/15", "2024-03-15", 0},
    {ODP_DATE, "any", NULL, "03/04/2024", NULL, ODP_DATE_SYNTAX},
    {ODP_TIME, NULL, NULL, "07:05:00", "07:05:00", 0},
    {ODP_TIME, NULL, NULL, "07:05:00.250", "07:05:00.25", 0},
    {ODP_TIME, NULL, NULL, "07:05", NULL, ODP_DATE_SYNTAX},
    {ODP_TIME, NULL, NULL, "23:59:60", NULL, ODP_DATE_RANGE},
    {ODP_TIME, NULL, NULL, "24:00:00", NULL, ODP_DATE_RANGE},
    {ODP_TIME, "%H.%M", NULL, "7.05", "07:05:00", 0},
    {ODP_TIME, "%I:%M %p", NULL, "12:05 AM", "00:05:00", 0},
    {ODP_TIME, "%I:%M %p", NULL, "12:05 pm", "12:05:00", 0},
    {ODP_TIME, "%I:%M %p", NULL, "13:05 PM", NULL, ODP_DATE_RANGE},
    {ODP_DATETIME, NULL, NULL, "2024-03-15T07:05:00+07:00", "2024-03-15T07:05:00+07:00", 0},
    {ODP_DATETIME, NULL, NULL, "2024-03-15T07:05:00.5Z", "2024-03-15T07:05:00.5Z", 0},
    {ODP_DATETIME, NULL, NULL, "2024-03-15T07:05:00-00:00", "2024-03-15T07:05:00Z", 0},
    {ODP_DATETIME, NULL, NULL, "2024-03-15T07:05:00-03:30", "2024-03-15T07:05:00-03:30", 0},
    {ODP_DATETIME, NULL, NULL, "2024-03-15T07:05:00+0700", NULL, ODP_DATE_SYNTAX},
    {ODP_DATETIME, NULL, NULL, "2024-03-15T07:05:00+15:00", NULL, ODP_DATE_SYNTAX},
    {ODP_DATETIME, NULL, NULL, "2024-03-15 07:05:00Z", NULL, ODP_DATE_SYNTAX},
    {ODP_DATETIME, NULL, NULL, "2024-03-15T07:05:00", NULL, ODP_DATE_NO_OFFSET},
    {ODP_DATETIME, NULL, "Asia/Makassar", "2024-03-15T07:05:00", "2024-03-15T07:05:00+08:00", 0},
    {ODP_DATETIME, NULL, "Mars/Olympus", "2024-03-15T07:05:00", NULL, ODP_DATE_NO_OFFSET},
    {ODP_DATETIME, NULL, "WIB", "2024-03-15T07:05:00Z", "2024-03-15T07:05:00Z", 0},
    {ODP_DATETIME, "%d/%m/%Y %H:%M %Z", NULL, "15/03/2024 07:05 WIT", "2024-03-15T07:05:00+09:00", 0},
    {ODP_DATETIME, "%d/%m/%Y %H:%M %Z", NULL, "15/03/2024 07:05 WITA", "2024-03-15T07:05:00+08:00", 0},
    {ODP_DATETIME, "%Y-%m-%d %H:%M:%S.%f%z", NULL, "2024-03-15 07:05:09.000123+0700",
     "2024-03-15T07:05:09.000123+07:00", 0},
    {ODP_DATETIME, "%Y-%m-%d %H:%M", "+07:00", "2024-03-15 07:05", "2024-03-15T07:05:00+07:00", 0},
    {ODP_YEAR, NULL, NULL, "2024", "2024", 0},
    {ODP_YEAR, NULL, NULL, "24", NULL, ODP_DATE_SYNTAX},
    {ODP_YEAR, NULL, NULL, "0000", NULL, ODP_DATE_RANGE},
    {ODP_YEARMONTH, NULL, NULL, "2024-03", "2024-03", 0},
    {ODP_YEARMONTH, NULL, NULL, "2024-13", NULL, ODP_DATE_RANGE},
    {ODP_YEARMONTH, "%B %Y", NULL, "Maret 2024", "2024-03", 0},
};

static void parse(void **state)
{
    for (size_t i = 0; i < sizeof readings / sizeof readings[0]; i++) {
        struct odp_datetime d;
        char out[ODP_DATETIME_SIZE] = "";
        enum odp_date_fault fault = odp_date_parse(odp_slice_of(readings[i].in), readings[i].kind,
                                                   readings[i].pattern, readings[i].zone, &d);
        size_t n = fault == ODP_DATE_OK ? odp_date_format(&d, readings[i].kind, out) : 0;
        assert_int_equal(n, strlen(out));
        if (fault != readings[i].fault || (readings[i].out != NULL && strcmp(out, readings[i].out) != 0))
            fail_msg("%s by %s: fault %d, %s", readings[i].in, readings[i].pattern, (int)fault, out);
        if (readings[i].pattern != NULL)
            assert_true(odp_date_pattern_ok(readings[i].pattern, readings[i].kind));
    }
}

static void patterns(void **state)
{
    static const struct {
        const char *pattern;
        enum odp_date_kind kind;
    } bad[] = {
        {"%d/%m", ODP_DATE},
        {"%Y-%m", ODP_DATE},
        {"%Y-%m-%d %H", ODP_DATE},
        {"%d/%m/%Y", ODP_DATETIME},
        {"%H:%M", ODP_DATETIME},
        {"%I:%M", ODP_TIME},
        {"%H:%M %p", ODP_TIME},
        {"%Q", ODP_DATE},
        {"%Y-%m-%d%", ODP_DATE},
        {"%Y%Y-%m-%d", ODP_DATE},
        {"%Y%y-%m-%d", ODP_DATE},
        {"YYYY-MM-DD", ODP_DATE},
        {"", ODP_DATE},
        {"%Y-%m-%b-%d", ODP_DATE},
        {"%Y-%m", ODP_YEAR},
        {"%H:%S", ODP_TIME},
        {"%H:%M%z", ODP_TIME},
        {"%Y-%U", ODP_DATE},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (odp_date_pattern_ok(bad[i].pattern, bad[i].kind))
            fail_msg("%s", bad[i].pattern);
}

static void order(void **state)
{
    struct odp_datetime a, b;
    assert_int_equal(odp_date_parse(ODP_LIT("2024-03-15T07:00:00+07:00"), ODP_DATETIME, NULL, NULL, &a),
                     ODP_DATE_OK);
    assert_int_equal(odp_date_parse(ODP_LIT("2024-03-15T00:00:00Z"), ODP_DATETIME, NULL, NULL, &b),
                     ODP_DATE_OK);
    assert_int_equal(odp_date_cmp(&a, &b), 0);
    assert_int_equal(odp_date_parse(ODP_LIT("2024-03-15T00:00:00.001Z"), ODP_DATETIME, NULL, NULL, &b),
                     ODP_DATE_OK);
    assert_true(odp_date_cmp(&a, &b) < 0 && odp_date_cmp(&b, &a) > 0);
    assert_int_equal(odp_date_parse(ODP_LIT("07:00:00"), ODP_TIME, NULL, NULL, &a), ODP_DATE_OK);
    assert_int_equal(odp_date_parse(ODP_LIT("06:59:59.9"), ODP_TIME, NULL, NULL, &b), ODP_DATE_OK);
    assert_true(odp_date_cmp(&a, &b) > 0);
}

static void days(void **state)
{
    struct odp_datetime d;
    int64_t expect = -719162; /* 0001-01-01 */
    for (int year = 1; year <= 9999; year++)
        for (int month = 1; month <= 12; month++) {
            d = (struct odp_datetime){
                .year = (int16_t)year, .month = (uint8_t)month, .day = 1, .has_date = true};
            assert_int_equal(odp_date_days(&d), expect);
            bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            expect += month == 2                                              ? (leap ? 29 : 28)
                      : month == 4 || month == 6 || month == 9 || month == 11 ? 30
                                                                              : 31;
        }
    d = (struct odp_datetime){.year = 1970, .month = 1, .day = 1, .has_date = true};
    assert_int_equal(odp_date_days(&d), 0);
}

static void durations(void **state)
{
    static const char *const good[] = {"P1Y6M", "PT1H", "P1DT12H30M5.5S", "-P3D", "P0Y", "P1M", "PT1M"};
    static const char *const bad[] = {"",     "P",     "PT",    "P1Y6", "1Y",   "P6M1Y",   "P1H",  "PT1Y",
                                      "P1DT", "P1.5D", "PT1.S", "P1W",  "P-1D", "PT1HT1M", "P1Y1Y"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        if (!odp_duration_ok(odp_slice_of(good[i])))
            fail_msg("%s", good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (odp_duration_ok(odp_slice_of(bad[i])))
            fail_msg("%s", bad[i]);
}

static void zones(void **state)
{
    int16_t m = -1;
    assert_true(odp_zone_offset("Asia/Jayapura", &m) && m == 540);
    assert_true(odp_zone_offset("wita", &m) && m == 480);
    assert_true(odp_zone_offset("-03:30", &m) && m == -210);
    assert_false(odp_zone_offset("Europe/Berlin", &m));
    assert_false(odp_zone_offset(NULL, &m));
    assert_false(odp_zone_offset("", &m));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parse), cmocka_unit_test(patterns),  cmocka_unit_test(order),
        cmocka_unit_test(days),  cmocka_unit_test(durations), cmocka_unit_test(zones),
    };
    return cmocka_run_group_tests_name("base datetime", tests, NULL, NULL);
}
