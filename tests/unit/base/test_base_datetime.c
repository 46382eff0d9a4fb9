/* The calendar. (Patterns, names and canonical forms: answers/dates.txt.) */
#include "run.h"

#include "base/datetime.h"

TEST(order)
{
    static const struct {
        enum odp_date_kind kind;
        const char *a, *b;
        int order;
    } rows[] = {
        {ODP_DATETIME, "2024-03-15T07:00:00+07:00", "2024-03-15T00:00:00Z", 0},
        {ODP_DATETIME, "2024-03-15T07:00:00+07:00", "2024-03-15T00:00:00.001Z", -1},
        {ODP_TIME, "07:00:00", "06:59:59.9", 1},
    };
    for (size_t i = 0; i < ODP_COUNT(rows); i++) {
        struct odp_datetime a, b;
        assert_int_equal(odp_date_parse(odp_slice_of(rows[i].a), rows[i].kind, NULL, NULL, &a), ODP_DATE_OK);
        assert_int_equal(odp_date_parse(odp_slice_of(rows[i].b), rows[i].kind, NULL, NULL, &b), ODP_DATE_OK);
        assert_int_equal(odp_date_cmp(&a, &b), rows[i].order);
        assert_int_equal(odp_date_cmp(&b, &a), -rows[i].order);
    }
}

TEST(days)
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
