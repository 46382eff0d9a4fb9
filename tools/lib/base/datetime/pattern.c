/* Reading dates by strptime patterns, with Indonesian and English names, whatever the locale. One space in
 * the pattern matches one or more in the text; everything else matches itself. */
#include "base/datetime/pattern.h"

#include <stdio.h>
#include <strings.h>

#include "base/datetime/scan.h"
#include "base/datetime/zone.h"

struct name {
    const char *text;
    int value;
};

static const struct name months[] = {
    {"Januari", 1},   {"January", 1},  {"Jan", 1},      {"Februari", 2},  {"Pebruari", 2},  {"February", 2},
    {"Feb", 2},       {"Peb", 2},      {"Maret", 3},    {"March", 3},     {"Mar", 3},       {"April", 4},
    {"Apr", 4},       {"Mei", 5},      {"May", 5},      {"Juni", 6},      {"June", 6},      {"Jun", 6},
    {"Juli", 7},      {"July", 7},     {"Jul", 7},      {"Agustus", 8},   {"August", 8},    {"Agt", 8},
    {"Ags", 8},       {"Agu", 8},      {"Agus", 8},     {"Aug", 8},       {"September", 9}, {"Sept", 9},
    {"Sep", 9},       {"Oktober", 10}, {"October", 10}, {"Okt", 10},      {"Oct", 10},      {"November", 11},
    {"Nopember", 11}, {"Nov", 11},     {"Nop", 11},     {"Desember", 12}, {"December", 12}, {"Des", 12},
    {"Dec", 12},
};
/* 0 = Sunday */
static const struct name weekdays[] = {
    {"Minggu", 0},   {"Ahad", 0}, {"Sunday", 0},    {"Min", 0},      {"Sun", 0},     {"Senin", 1},
    {"Monday", 1},   {"Sen", 1},  {"Mon", 1},       {"Selasa", 2},   {"Tuesday", 2}, {"Sel", 2},
    {"Tue", 2},      {"Rabu", 3}, {"Wednesday", 3}, {"Rab", 3},      {"Wed", 3},     {"Kamis", 4},
    {"Thursday", 4}, {"Kam", 4},  {"Thu", 4},       {"Jumat", 5},    {"Jum'at", 5},  {"Friday", 5},
    {"Jum", 5},      {"Fri", 5},  {"Sabtu", 6},     {"Saturday", 6}, {"Sab", 6},     {"Sat", 6},
};

struct reading {
    struct odp_date_scan s;
    struct odp_datetime *d;
    int year, month, day, yearday, hour, minute, second; /* -1: not given */
    int half, weekday;                                   /* AM 0, PM 1 */
    bool twelve;                                         /* hour is of %I */
};

/* The longest name that the text goes on with. */
static bool read_name(struct odp_date_scan *s, const struct name *names, size_t n, int *out)
{
    size_t best = 0;
    char first = s->p < s->end ? (char)(*s->p | 0x20) : '\0';
    for (size_t i = 0; i < n; i++) {
        if ((names[i].text[0] | 0x20) != first) /* most names */
            continue;
        size_t len = strlen(names[i].text);
        if (len > best && (size_t)(s->end - s->p) >= len && strncasecmp(s->p, names[i].text, len) == 0) {
            best = len;
            *out = names[i].value;
        }
    }
    s->p += best;
    return best != 0;
}

static bool is_name(struct odp_slice s, const struct name *names, size_t n, int *out)
{
    struct odp_date_scan scan = {s.ptr, s.ptr + s.len};
    return read_name(&scan, names, n, out) && scan.p == scan.end;
}

int odp_date_month(struct odp_slice name)
{
    int month = 0;
    return is_name(name, months, ODP_COUNT(months), &month) ? month : 0;
}

bool odp_date_is_weekday(struct odp_slice name)
{
    int day;
    return is_name(name, weekdays, ODP_COUNT(weekdays), &day);
}

static bool read_zone(struct reading *r)
{
    char name[32];
    size_t n = 0;
    while (r->s.p + n < r->s.end && n < sizeof name - 1 && r->s.p[n] > ' ')
        n++;
    memcpy(name, r->s.p, n);
    for (; n > 0; n--) { /* the longest name we know; what follows is the pattern's */
        name[n] = '\0';
        if (odp_zone_offset(name, &r->d->offset)) {
            r->s.p += n;
            r->d->has_offset = true;
            return true;
        }
    }
    return false;
}

static bool read_short_year(struct reading *r)
{
    if (!odp_date_number(&r->s, 2, 2, &r->year))
        return false;
    r->year += r->year < 69 ? 2000 : 1900; /* POSIX strptime */
    return true;
}

static bool read_half(struct reading *r)
{
    static const struct name halves[] = {{"AM", 0}, {"PM", 1}};
    return read_name(&r->s, halves, 2, &r->half);
}

static bool read_directive(struct reading *r, char c)
{
    switch (c) {
    case 'Y':
        return odp_date_number(&r->s, 4, 4, &r->year);
    case 'y':
        return read_short_year(r);
    case 'm':
        return odp_date_number(&r->s, 1, 2, &r->month);
    case 'b':
    case 'B':
        return read_name(&r->s, months, ODP_COUNT(months), &r->month);
    case 'e':
        (void)odp_date_char(&r->s, ' ');
        return odp_date_number(&r->s, 1, 2, &r->day);
    case 'd':
        return odp_date_number(&r->s, 1, 2, &r->day);
    case 'j':
        return odp_date_number(&r->s, 1, 3, &r->yearday);
    case 'a':
    case 'A':
        return read_name(&r->s, weekdays, ODP_COUNT(weekdays), &r->weekday);
    case 'H':
    case 'I':
        r->twelve = c == 'I';
        return odp_date_number(&r->s, 1, 2, &r->hour);
    case 'M':
        return odp_date_number(&r->s, 1, 2, &r->minute);
    case 'S':
        return odp_date_number(&r->s, 1, 2, &r->second);
    case 'f':
        return odp_date_nanos(&r->s, &r->d->nanos);
    case 'p':
        return read_half(r);
    case 'z':
        return r->d->has_offset = odp_date_offset(&r->s, &r->d->offset);
    case 'Z':
        return read_zone(r);
    default:
        return c == '%' && odp_date_char(&r->s, '%');
    }
}

static bool read_spaces(struct odp_date_scan *s)
{
    const char *start = s->p;
    while (s->p < s->end && *s->p == ' ')
        s->p++;
    return s->p > start;
}

/* The day and month of a day of the year. */
static bool from_yearday(struct reading *r)
{
    int left = r->yearday, month = 1;
    if (left < 1)
        return false;
    while (month <= 12 && left > odp_date_month_days(r->year, month))
        left -= odp_date_month_days(r->year, month++);
    if (month > 12 || (r->month >= 0 && r->month != month) || (r->day >= 0 && r->day != left))
        return false;
    r->month = month;
    r->day = left;
    return true;
}

/* Makes date and time of the parts that were read. */
static enum odp_date_fault settle(struct reading *r)
{
    struct odp_datetime *d = r->d;
    if (r->year >= 0) {
        if (r->year == 0 || (r->yearday >= 0 && !from_yearday(r)))
            return ODP_DATE_RANGE;
        d->has_date = true;
        d->year = (int16_t)r->year;
        d->month = (uint8_t)(r->month >= 0 ? r->month : 1);
        d->day = (uint8_t)(r->day >= 0 ? r->day : 1);
    }
    if (r->hour >= 0) {
        if (r->twelve && (r->hour < 1 || r->hour > 12))
            return ODP_DATE_RANGE;
        if (r->twelve)
            r->hour = r->hour % 12 + (r->half == 1 ? 12 : 0);
        d->has_time = true;
        d->hour = (uint8_t)r->hour;
        d->minute = (uint8_t)(r->minute >= 0 ? r->minute : 0);
        d->second = (uint8_t)(r->second >= 0 ? r->second : 0);
    }
    enum odp_date_fault fault = odp_date_check(d);
    if (fault == ODP_DATE_OK && r->weekday >= 0 && d->has_date) {
        int64_t day = (odp_date_days(d) + 4) % 7; /* 1970-01-01 was a Thursday */
        if ((day < 0 ? day + 7 : day) != r->weekday)
            return ODP_DATE_WEEKDAY;
    }
    return fault;
}

enum odp_date_fault odp_date_by_pattern(struct odp_slice text, const char *pattern, struct odp_datetime *d)
{
    struct reading r = {.s = {text.ptr, text.ptr + text.len},
                        .d = d,
                        .year = -1,
                        .month = -1,
                        .day = -1,
                        .yearday = -1,
                        .hour = -1,
                        .minute = -1,
                        .second = -1,
                        .half = -1,
                        .weekday = -1};
    for (const char *p = pattern; *p != '\0'; p++) {
        bool ok;
        if (*p == '%') {
            p += p[1] == '-' ? 2 : 1;
            if (*p == '\0')
                return ODP_DATE_SYNTAX;
            ok = read_directive(&r, *p);
        } else if (*p == ' ') {
            ok = read_spaces(&r.s);
        } else {
            ok = odp_date_char(&r.s, *p);
        }
        if (!ok)
            return ODP_DATE_SYNTAX;
    }
    return r.s.p == r.s.end ? settle(&r) : ODP_DATE_SYNTAX;
}

const char *odp_date_month_name(int month, bool english)
{
    static const char *const full[2][12] = {{"Januari", "Februari", "Maret", "April", "Mei", "Juni", "Juli",
                                             "Agustus", "September", "Oktober", "November", "Desember"},
                                            {"January", "February", "March", "April", "May", "June", "July",
                                             "August", "September", "October", "November", "December"}};
    return full[english][month - 1];
}

size_t odp_date_write(const struct odp_datetime *d, const char *pattern, char out[ODP_DATETIME_SIZE])
{
    static const char *const days[] = {"Minggu", "Senin", "Selasa", "Rabu", "Kamis", "Jumat", "Sabtu"};
    const char *weekday = days[((odp_date_days(d) + 4) % 7 + 7) % 7], /* 1970-01-01 was a Thursday */
        *month = odp_date_month_name(d->month, false);
    const struct {
        char letter;
        int width, number; /* a number of that many digits, or */
        const char *text;  /* a text of at most that many bytes */
    } rows[] = {{'Y', 4, d->year, NULL},   {'y', 2, d->year % 100, NULL},
                {'m', 2, d->month, NULL},  {'d', 2, d->day, NULL},
                {'e', 1, d->day, NULL},    {'H', 2, d->hour, NULL},
                {'M', 2, d->minute, NULL}, {'S', 2, d->second, NULL},
                {'B', 20, 0, month},       {'b', 3, 0, d->month == 8 ? "Agt" : month},
                {'A', 20, 0, weekday},     {'a', 3, 0, weekday}};
    size_t n = 0;
    for (const char *p = pattern; *p != '\0'; p++) {
        bool directive = *p == '%', bare = directive && p[1] == '-';
        size_t i = 0, room = ODP_DATETIME_SIZE - n;
        p += directive ? 1 + bare : 0;
        while (directive && i < ODP_COUNT(rows) && rows[i].letter != *p)
            i++;
        if (i == ODP_COUNT(rows) || (directive && strchr("HMS", *p) != NULL && !d->has_time))
            return 0;
        int got, width = bare && *p != 'y' ? 1 : rows[i].width;
        if (!directive)
            got = snprintf(out + n, room, "%c", *p);
        else if (rows[i].text != NULL)
            got = snprintf(out + n, room, "%.*s", rows[i].width, rows[i].text);
        else
            got = snprintf(out + n, room, "%0*d", width, rows[i].number);
        n += (size_t)got;
        if (got < 0 || n >= ODP_DATETIME_SIZE)
            return 0;
    }
    return n;
}

/* The directives of PATTERN, as bits of their letters; false when one is unknown or occurs twice. */
static bool collect(const char *pattern, uint64_t *seen)
{
    *seen = 0;
    for (const char *p = pattern; *p != '\0'; p++) {
        if (*p != '%')
            continue;
        bool bare = p[1] == '-'; /* glibc's "no leading zero" */
        p += bare ? 2 : 1;
        if (*p == '\0' || strchr(bare ? "dmHIMSjy" : "dmyYHIMSfpzZbBaAje%", *p) == NULL)
            return false;
        if (*p == '%')
            continue;
        uint64_t bit = (uint64_t)1 << (*p - 'A');
        if ((*seen & bit) != 0)
            return false;
        *seen |= bit;
    }
    return true;
}

static int count_of(uint64_t seen, const char *letters)
{
    int n = 0;
    for (; *letters != '\0'; letters++)
        n += (seen >> (*letters - 'A') & 1) != 0;
    return n;
}

bool odp_date_pattern_ok(const char *pattern, enum odp_date_kind kind)
{
    uint64_t seen;
    if (strcmp(pattern, "default") == 0 || strcmp(pattern, "any") == 0)
        return true;
    if (!collect(pattern, &seen))
        return false;
    int year = count_of(seen, "yY"), month = count_of(seen, "mbB"), day = count_of(seen, "de"),
        yearday = count_of(seen, "j");
    int hour = count_of(seen, "HI"), half = count_of(seen, "p"), zone = count_of(seen, "zZ");
    int parts = count_of(seen, "MSfp"), twelve = count_of(seen, "I"), weekday = count_of(seen, "aA");
    if (year > 1 || month > 1 || day > 1 || hour > 1 || zone > 1 || weekday > 1 || twelve != half)
        return false;
    /* no seconds without minutes, no fraction without seconds */
    if (count_of(seen, "S") > count_of(seen, "M") || count_of(seen, "f") > count_of(seen, "S"))
        return false;
    bool date = year == 1 && ((month == 1 && day == 1) || (yearday == 1 && month + day == 0)),
         clock = hour == 1;
    bool no_clock = hour + parts + zone == 0, no_date = year + month + day + yearday + weekday == 0;
    switch (kind) {
    case ODP_DATE:
        return date && no_clock;
    case ODP_TIME:
        return clock && no_date && zone == 0;
    case ODP_DATETIME:
        return date && clock;
    case ODP_YEAR:
        return year == 1 && month + day + yearday + weekday == 0 && no_clock;
    case ODP_YEARMONTH:
        return year == 1 && month == 1 && day + yearday + weekday == 0 && no_clock;
    }
    return false;
}
