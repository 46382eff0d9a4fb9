/* Rules that let whole columns or most cells pass at a glance (bounds, lists, lengths, missing values),
 * against each rule's own words, cell by cell: random values at, near and far from what is declared. */

#include "base/datetime.h"
#include "base/utf8.h"
#include "random.h"
#include "validate_fixture.h"

#define ANY(list) list[dice(ODP_COUNT(list))]

enum { BOTH, EXCLUSIVE, LONG, DAY, MOMENT, YEAR, CLOCK, LISTED, NUMBERED, MEASURED, NFIELDS };
static const char schema[] =
    "\"missingValues\": [\"\", \"n/a\", \"-\"], \"fields\": [{\"name\": \"a\", \"type\": \"number\", "
    "\"constraints\": {\"minimum\": -12.5, \"maximum\": 100}},{\"name\": \"b\", \"type\": \"integer\", "
    "\"constraints\": {\"exclusiveMinimum\": 0, \"exclusiveMaximum\": 60, \"required\": true}},{\"name\": "
    "\"c\", \"type\": \"number\", \"constraints\": {\"maximum\": \"12345678901234567890.5\"}},{\"name\": "
    "\"d\", \"type\": \"date\", \"constraints\": {\"minimum\": \"2024-03-15\", \"exclusiveMaximum\": "
    "\"2024-04-01\"}},{\"name\": \"e\", \"type\": \"datetime\", \"constraints\": {\"exclusiveMinimum\": "
    "\"2024-03-15T07:05:00+07:00\", \"maximum\": \"2024-03-20T00:00:00Z\"}},{\"name\": \"f\", \"type\": "
    "\"year\", \"constraints\": {\"minimum\": 2010, \"maximum\": 2024}},{\"name\": \"g\", \"type\": "
    "\"time\", \"constraints\": {\"minimum\": \"07:05:00\", \"maximum\": \"17:00:00\"}},{\"name\": \"h\", "
    "\"type\": \"string\", \"categories\": [\"Selesai\", \"Berjalan\", \"Pembangunan baru sekali\", "
    "\"Pembangunan lama sekali\", \"L\", \"aaaaaaaaaa\"], \"constraints\": {\"required\": true}},{\"name\": "
    "\"i\", \"type\": \"number\", \"constraints\": {\"enum\": [1, 2.5, 100]}},{\"name\": \"j\", \"type\": "
    "\"string\", \"constraints\": {\"minLength\": 3, \"maxLength\": 5}}]";

static const char *const numbers[] = {
    "-12.5",
    "-12.50",
    "-12.500000001",
    "-12.49",
    "100",
    "100.0",
    "100.000000000000000001",
    "1e2",
    "1.0E+2",
    "101",
    "99.9999",
    "0",
    "-0",
    "60",
    "59",
    "59.9",
    "12345678901234567890.5",
    "12345678901234567890.6",
    "12345678901234567890",
    "999999999999999999",
    "1",
    "2.5",
    "2.50",
    "25e-1",
    "1.0",
    "3",
    "60.0",
};
static const char *const dates[] = {"2024-03-15", "2024-03-14", "2024-03-16", "2024-03-31",
                                    "2024-04-01", "2024-04-02", "0001-01-01", "9999-12-31"};
static const char *const moments[] = {
    "2024-03-15T07:05:00+07:00", "2024-03-15T00:05:00Z",      "2024-03-15T00:05:01Z",
    "2024-03-15T00:05:00.5Z",    "2024-03-14T12:05:01-12:00", "2024-03-16T01:00:00+14:00",
    "2024-03-20T00:00:00Z",      "2024-03-20T07:00:00+07:00", "2024-03-20T00:00:01Z",
    "2024-03-19T23:59:59-01:00", "2024-03-17T12:00:00+07:00", "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59Z"};
static const char *const years[] = {"2010", "2009", "2024", "2025", "2015", "0001", "9999"};
static const char *const clocks[] = {"07:05:00",     "07:04:59", "07:05:00.5", "17:00:00",
                                     "17:00:00.001", "16:59:59", "00:00:00"};
static const char *const words[] = {
    "Selesai",
    "selesai",
    "Berjalan",
    "Pembangunan baru sekali",
    "Pembangunan lama sekali",
    "Pembangunan mana sekali",
    "Pembangunan baru sekalj",
    "L",
    "P",
    "Selesa",
    "Selesaii",
    "aaaaaaaaaa",
    "aaaaaaaaa",
    "aaaaaaaaaaa",
};
static const char *const lengths[] = {"ab",  "abc",   "abcde",  "abcdef", "é",    "éé",
                                      "ééé", "ééééé", "éééééé", "日本語", "日本", "a"};
static const char *const missing[] = {"", "n/a", "-", "\\N" /* a null of the source */};

static const char *value_of(int field, bool calm)
{
    if (!calm && dice(12) == 0)
        return ANY(missing);
    switch (field) {
    case BOTH:
        return calm ? "7.5" : ANY(numbers);
    case EXCLUSIVE:
        return calm ? "7" : dice(2) ? "60" : dice(2) ? "0" : "59";
    case LONG:
    case NUMBERED:
        return calm ? "1" : ANY(numbers);
    case DAY:
        return calm ? "2024-03-20" : ANY(dates);
    case MOMENT:
        return calm ? "2024-03-18T07:00:00+07:00" : ANY(moments);
    case YEAR:
        return calm ? "2020" : ANY(years);
    case CLOCK:
        return calm ? "08:00:00" : ANY(clocks);
    case LISTED:
        return calm ? "Selesai" : ANY(words);
    default:
        return calm ? "abcd" : ANY(lengths);
    }
}

static bool is_missing(struct odp_slice s)
{
    for (size_t k = 0; k < ODP_COUNT(missing); k++)
        if (odp_slice_is(s, missing[k]))
            return true;
    return false;
}

static int instants(struct odp_slice s, const char *bound)
{
    struct odp_datetime x, y;
    assert_int_equal(odp_date_parse(s, ODP_DATETIME, NULL, NULL, &x), ODP_DATE_OK);
    assert_int_equal(odp_date_parse(odp_slice_of(bound), ODP_DATETIME, NULL, NULL, &y), ODP_DATE_OK);
    return odp_date_cmp(&x, &y);
}

#define NUM(s, bound)  odp_decimal_cmp(s, ODP_LIT(bound))
#define TEXT(s, bound) odp_slice_cmp(s, ODP_LIT(bound))

/* Constraints of a value that is present. */
static bool is_right(int field, struct odp_slice s)
{
    size_t chars;
    switch (field) {
    case BOTH:
        return NUM(s, "-12.5") >= 0 && NUM(s, "100") <= 0;
    case EXCLUSIVE:
        return NUM(s, "0") > 0 && NUM(s, "60") < 0;
    case LONG:
        return NUM(s, "12345678901234567890.5") <= 0;
    case DAY:
        return TEXT(s, "2024-03-15") >= 0 && TEXT(s, "2024-04-01") < 0;
    case MOMENT:
        return instants(s, "2024-03-15T07:05:00+07:00") > 0 && instants(s, "2024-03-20T00:00:00Z") <= 0;
    case YEAR:
        return TEXT(s, "2010") >= 0 && TEXT(s, "2024") <= 0;
    case CLOCK:
        return TEXT(s, "07:05:00") >= 0 && TEXT(s, "17:00:00") <= 0;
    case LISTED:
        return TEXT(s, "Selesai") == 0 || TEXT(s, "Berjalan") == 0 || TEXT(s, "L") == 0 ||
               TEXT(s, "aaaaaaaaaa") == 0 || TEXT(s, "Pembangunan baru sekali") == 0 ||
               TEXT(s, "Pembangunan lama sekali") == 0;
    case NUMBERED:
        return NUM(s, "1") == 0 || NUM(s, "2.5") == 0 || NUM(s, "100") == 0;
    default:
        chars = odp_utf8_count(s);
        return chars >= 3 && chars <= 5;
    }
}

/* CALM: all is well within, but for one cell in the whole batch. */
static void try_batch(struct lab *l, bool calm, unsigned seen[3])
{
    enum { ROWS_MOST = 300 };
    static const char *cells[ROWS_MOST][NFIELDS];
    unsigned rows = 1 + dice(ROWS_MOST), wild = dice(rows * NFIELDS);
    lab_next(l);
    for (unsigned i = 0; i < rows; i++) {
        char row[1024];
        size_t at = 0;
        for (int f = 0; f < NFIELDS; f++) {
            cells[i][f] = value_of(f, calm && i * NFIELDS + (unsigned)f != wild);
            if (calm && wild % 4 == 0 && i == wild / NFIELDS && f == LISTED)
                cells[i][f] = "\\N"; /* the only one of its column that is no value */
            at += (size_t)snprintf(row + at, sizeof row - at, "%s%s", f > 0 ? "|" : "", cells[i][f]);
        }
        lab_row(l, row);
    }
    lab_batch(l);
    for (unsigned i = 0; i < rows; i++)
        for (int f = 0; f < NFIELDS; f++) {
            struct odp_slice s = odp_slice_of(cells[i][f]);
            uint8_t want = is_missing(s)    ? (f == EXCLUSIVE || f == LISTED ? ODP_VALUE_BAD : ODP_VALUE_NULL)
                           : is_right(f, s) ? ODP_VALUE_OK
                                            : ODP_VALUE_BAD;
            uint8_t got = l->batch.columns[f].state[i];
            if (want != got)
                fail_msg("field %d, '%s': state %d instead of %d", f, cells[i][f], got, want);
            seen[want]++;
        }
}

TEST(cell_by_cell)
{
    struct lab l;
    unsigned seen[3] = {0};
    lab_init(&l);
    lab_dataset(&l, "x", schema, "");
    lab_open(&l);
    lab_start(&l, "x");
    for (unsigned k = 0; k < 60; k++)
        try_batch(&l, k % 2 == 0, seen);
    assert_true(seen[ODP_VALUE_OK] > 10000 && seen[ODP_VALUE_NULL] > 500 && seen[ODP_VALUE_BAD] > 5000);
    lab_release(&l);
}
