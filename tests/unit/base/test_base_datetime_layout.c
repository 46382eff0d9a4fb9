/* Dates at fixed places against the general reader: whatever a layout takes, the reader takes, and writes the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/datetime.h"

static uint64_t seed;

static unsigned random_below(unsigned n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((seed >> 33) % n);
}

struct form {
    enum odp_date_kind kind;
    const char *pattern, *zone;
    bool fixed;
};

static const struct form forms[] = {
    {ODP_DATE, NULL, NULL, true},
    {ODP_DATE, "default", NULL, true},
    {ODP_DATE, "any", NULL, true},
    {ODP_DATE, "%Y-%m-%d", NULL, true},
    {ODP_DATE, "%d/%m/%Y", NULL, true},
    {ODP_DATE, "%-d/%-m/%Y", NULL, true},
    {ODP_DATE, "%d-%m-%y", NULL, true},
    {ODP_DATE, "%Y%m%d", NULL, true},
    {ODP_DATE, "%e.%m.%Y", NULL, true},
    {ODP_DATE, "tgl. %d %m %Y", NULL, true},
    {ODP_DATE, "%d %B %Y", NULL, false},
    {ODP_DATE, "%A, %d/%m/%Y", NULL, false},
    {ODP_DATE, "%Y-%j", NULL, false},
    {ODP_DATE, "%d%%%m%%%Y", NULL, false},
    {ODP_DATE, "tanggal yang ditetapkan: %d/%m/%Y", NULL, false}, /* too long */
    {ODP_TIME, NULL, NULL, true},
    {ODP_TIME, "any", NULL, true},
    {ODP_TIME, "%H:%M", NULL, true},
    {ODP_TIME, "%H.%M.%S", NULL, true},
    {ODP_TIME, "%I:%M %p", NULL, false},
    {ODP_TIME, "%H", NULL, false},
    {ODP_DATETIME, NULL, NULL, true},
    {ODP_DATETIME, NULL, "Asia/Jakarta", true},
    {ODP_DATETIME, NULL, "UTC", true},
    {ODP_DATETIME, "any", "WITA", true},
    {ODP_DATETIME, "%Y-%m-%dT%H:%M:%S%z", NULL, true},
    {ODP_DATETIME, "%Y-%m-%dT%H:%M:%S%z", "WIB", true},
    {ODP_DATETIME, "%d/%m/%Y %H:%M", "-03:30", true},
    {ODP_DATETIME, "%d/%m/%Y %H:%M", NULL, true},
    {ODP_DATETIME, "%d/%m/%y %H:%M:%S%z", NULL, true},
    {ODP_DATETIME, "%Y-%m-%d %H:%M:%S.%f", "WIB", false},
    {ODP_YEAR, NULL, NULL, true},
    {ODP_YEAR, "%Y", NULL, true},
    {ODP_YEAR, "%y", NULL, true},
    {ODP_YEARMONTH, NULL, NULL, true},
    {ODP_YEARMONTH, "%m/%Y", NULL, true},
    {ODP_YEARMONTH, "%B %Y", NULL, false},
};

/* A text of the pattern, right or nearly so. */
static size_t text_of(const struct form *f, char *out)
{
    static const char *const iso[] = {"%Y-%m-%d", "%H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y", "%Y-%m"};
    static const char *const offsets[] = {"Z", "+07:00", "-03:30", "+00:00", "-00:00", "+14:00", "+14:01", "+0700", "+07", "", ".5Z", "+07:60"};
    bool own = f->pattern == NULL || strcmp(f->pattern, "default") == 0 || strcmp(f->pattern, "any") == 0;
    size_t n = 0;
    for (const char *p = own ? iso[f->kind] : f->pattern; *p != '\0'; p++) {
        if (*p != '%') {
            out[n++] = *p;
            continue;
        }
        p += p[1] == '-' ? 2 : 1;
        unsigned wild = random_below(12) == 0;
        int width = random_below(15) == 0 ? 1 : 2;
        switch (*p) {
        case 'Y':
            n += (size_t)sprintf(out + n, "%04u", wild ? random_below(1100) : 1900 + random_below(200));
            break;
        case 'm':
            n += (size_t)sprintf(out + n, "%0*u", width, random_below(wild ? 100 : 13));
            break;
        case 'd':
        case 'e':
            n += (size_t)sprintf(out + n, "%0*u", width, random_below(2) == 0 ? 27 + random_below(6) : random_below(wild ? 100 : 32));
            break;
        case 'H':
            n += (size_t)sprintf(out + n, "%0*u", width, random_below(wild ? 100 : 25));
            break;
        case 'z':
            n += (size_t)sprintf(out + n, "%s", offsets[random_below(12)]);
            break;
        case '%':
            out[n++] = '%';
            break;
        default:
            n += (size_t)sprintf(out + n, "%0*u", width, random_below(wild ? 100 : 61));
        }
    }
    if (own && f->kind == ODP_DATETIME)
        n += (size_t)sprintf(out + n, "%s", offsets[random_below(12)]);
    if (n > 0 && random_below(4) == 0)
        out[random_below((unsigned)n)] = "0123456789-/:. TZ+\0\x80\xB1\xFFx"[random_below(23)];
    if (random_below(20) == 0)
        out[n++] = "0 Z\0"[random_below(4)];
    return n > 0 && random_below(20) == 0 ? n - 1 : n;
}

/* Whether the layout took it. */
static bool check(const struct form *f, const struct odp_date_layout *l, const char *text, size_t n)
{
    char *p = malloc(n > 0 ? n : 1), canonical[ODP_DATETIME_SIZE], got[ODP_DATETIME_SIZE];
    struct odp_datetime d;
    bool unchanged = false;
    assert_non_null(p);
    memcpy(p, text, n);
    struct odp_slice s = {p, n};
    bool fits = odp_date_layout_fits(l, s, &unchanged);
    enum odp_date_fault fault = odp_date_parse(s, f->kind, f->pattern, f->zone, &d);
    if (fits) {
        if (fault != ODP_DATE_OK)
            fail_msg("%s takes [%.*s]", f->pattern, (int)n, p);
        size_t len = odp_date_format(&d, f->kind, canonical), written = odp_date_layout_write(l, s, got);
        if (written != len || memcmp(got, canonical, len) != 0)
            fail_msg("%s writes [%.*s] as [%.*s], not [%s]", f->pattern, (int)n, p, (int)written, got, canonical);
        if (unchanged != (len == n && memcmp(p, canonical, n) == 0))
            fail_msg("%s: [%.*s] unchanged: %d", f->pattern, (int)n, p, unchanged);
        if (f->kind == ODP_YEAR && d.year < 1000)
            fail_msg("year [%.*s]", (int)n, p);
    }
    free(p);
    return fits;
}

static void reads_as_the_reader_does(void **state)
{
    (void)state;
    seed = 17;
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
        const struct form *f = &forms[k];
        struct odp_date_layout l;
        char text[128];
        unsigned taken = 0, all = 30000;
        assert_true(f->pattern == NULL || odp_date_pattern_ok(f->pattern, f->kind));
        if (odp_date_layout_init(&l, f->kind, f->pattern, f->zone) != f->fixed)
            fail_msg("%s is fixed: %d", f->pattern, !f->fixed);
        for (unsigned i = 0; f->fixed && i < all; i++)
            taken += check(f, &l, text, text_of(f, text));
        bool nowhere = f->kind == ODP_DATETIME && f->zone == NULL && f->pattern != NULL && strstr(f->pattern, "%z") == NULL; /* no offset at all */
        if (f->fixed && !nowhere && (taken < all / 20 || taken == all))
            fail_msg("%s %s takes %u", f->pattern, f->zone, taken);
        if (nowhere)
            assert_int_equal(taken, 0);
    }
}

/* Right days of two centuries are taken, so that the general reader is an exception. */
static void takes_every_day(void **state)
{
    struct odp_date_layout l;
    (void)state;
    assert_true(odp_date_layout_init(&l, ODP_DATE, "%d/%m/%Y", NULL));
    for (int64_t day = -40000; day < 40000; day++) {
        struct odp_datetime d = {.has_date = true};
        char text[ODP_DATETIME_SIZE], out[ODP_DATETIME_SIZE], expect[ODP_DATETIME_SIZE];
        bool unchanged = true;
        odp_date_from_days(&d, day);
        struct odp_slice s = {text, odp_date_write(&d, "%d/%m/%Y", text)};
        assert_true(odp_date_layout_fits(&l, s, &unchanged));
        assert_false(unchanged);
        size_t n = odp_date_layout_write(&l, s, out);
        assert_int_equal(n, odp_date_format(&d, ODP_DATE, expect));
        assert_memory_equal(out, expect, n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_as_the_reader_does),
        cmocka_unit_test(takes_every_day),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
