/* Dates at fixed places (struct odp_date_layout). A word of eight bytes is right where no byte differs from what is expected by
 * more than it may: a digit from '0' by 0 to 9 (as bits: '0' is 0x30), a mark by nothing. */
#include "base/datetime/layout.h"

#include <string.h>

#include "base/bytes.h"
#include "base/datetime/zone.h"

#define LONGEST (8 * ODP_DATE_WORDS)

static const char *const iso[] = {[ODP_DATE] = "%Y-%m-%d",
                                  [ODP_TIME] = "%H:%M:%S",
                                  [ODP_DATETIME] = "%Y-%m-%dT%H:%M:%S",
                                  [ODP_YEAR] = "%Y",
                                  [ODP_YEARMONTH] = "%Y-%m"};

/* The part that directive C reads and its digits; 0: it is not of fixed width. */
static unsigned part_of(char c, enum odp_date_part *part)
{
    switch (c) {
    case 'Y':
        *part = ODP_PART_YEAR;
        return 4;
    case 'y':
        *part = ODP_PART_YEAR;
        return 2;
    case 'm':
        *part = ODP_PART_MONTH;
        return 2;
    case 'd':
    case 'e':
        *part = ODP_PART_DAY;
        return 2;
    case 'H':
        *part = ODP_PART_HOUR;
        return 2;
    case 'M':
        *part = ODP_PART_MINUTE;
        return 2;
    case 'S':
        *part = ODP_PART_SECOND;
        return 2;
    default:
        return 0;
    }
}

/* What PATTERN stands for, byte by byte; false where that depends on the text. */
static bool spell(struct odp_date_layout *l, const char *pattern, char text[LONGEST], bool digit[LONGEST])
{
    size_t n = 0;
    for (const char *p = pattern; *p != '\0'; p++) {
        enum odp_date_part part;
        unsigned width = 1;
        if (*p == '%') {
            p += p[1] == '-' ? 2 : 1;
            if (*p == 'z' && p[1] == '\0') {
                l->needs_offset = true;
                break;
            }
            width = part_of(*p, &part);
            if (width == 0 || l->at[part] != ODP_DATE_ABSENT)
                return false;
            l->at[part] = (uint8_t)n;
            l->short_year = l->short_year || *p == 'y';
        }
        if (n + width > LONGEST)
            return false;
        memset(text + n, '0', width);
        memset(digit + n, width > 1, width);
        if (width == 1)
            text[n] = *p;
        n += width;
    }
    l->len = (uint8_t)n;
    return n > 0;
}

static bool has_parts(const struct odp_date_layout *l)
{
    static const struct {
        enum odp_date_part first, last;
    } needed[] = {[ODP_DATE] = {ODP_PART_YEAR, ODP_PART_DAY},
                  [ODP_TIME] = {ODP_PART_HOUR, ODP_PART_MINUTE},
                  [ODP_DATETIME] = {ODP_PART_YEAR, ODP_PART_MINUTE},
                  [ODP_YEAR] = {ODP_PART_YEAR, ODP_PART_YEAR},
                  [ODP_YEARMONTH] = {ODP_PART_YEAR, ODP_PART_MONTH}};
    for (unsigned part = needed[l->kind].first; part <= (unsigned)needed[l->kind].last; part++)
        if (l->at[part] == ODP_DATE_ABSENT)
            return false;
    return true;
}

static void make_words(struct odp_date_layout *l, const char text[LONGEST], const bool digit[LONGEST])
{
    l->words = (uint8_t)((l->len + 7u) / 8);
    for (unsigned k = 0; k < l->words; k++) {
        unsigned from = l->len < 8 ? 0 : 8 * k + 8 <= l->len ? 8 * k : l->len - 8u; /* the last one reaches back */
        l->from[k] = (uint8_t)from;
        l->expect[k] = 0;
        l->slack[k] = 0;
        for (unsigned b = 0; b < 8; b++) {
            bool inside = from + b < l->len;
            l->expect[k] |= (uint64_t)(inside ? (unsigned char)text[from + b] : 0) << (8 * b);
            l->slack[k] |= (uint64_t)(inside && digit[from + b] ? 0x7f - 9 : 0x7f) << (8 * b);
        }
    }
}

bool odp_date_layout_init(struct odp_date_layout *l, enum odp_date_kind kind, const char *pattern, const char *zone)
{
    char text[LONGEST];
    bool digit[LONGEST];
    int16_t minutes;
    memset(l, 0, sizeof *l);
    l->kind = kind;
    memset(l->at, ODP_DATE_ABSENT, sizeof l->at);
    if (pattern == NULL || strcmp(pattern, "default") == 0 || strcmp(pattern, "any") == 0) { /* "any" tries the ISO form first */
        pattern = iso[kind];
        l->may_offset = kind == ODP_DATETIME;
    }
    l->canonical = strncmp(pattern, iso[kind], strlen(iso[kind])) == 0;
    if (!spell(l, pattern, text, digit) || !has_parts(l))
        return false;
    l->canonical = l->canonical && l->len == (kind == ODP_YEAR ? 4 : kind == ODP_YEARMONTH ? 7 : kind == ODP_TIME ? 8 : kind == ODP_DATE ? 10 : 19);
    l->may_offset = l->may_offset || l->needs_offset;
    if (l->may_offset && kind != ODP_DATETIME)
        return false;
    if (kind == ODP_DATETIME && !l->needs_offset && odp_zone_offset(zone, &minutes)) {
        const struct odp_datetime d = {.has_offset = true, .offset = minutes};
        char at_noon[ODP_DATETIME_SIZE];
        size_t n = odp_date_format(&d, ODP_DATETIME, at_noon);
        memcpy(l->zone, at_noon + 19, n - 19);
    }
    make_words(l, text, digit);
    return true;
}

static unsigned two(const char *p)
{
    return (unsigned)(p[0] - '0') * 10 + (unsigned)(p[1] - '0');
}

static int year_of(const struct odp_date_layout *l, const char *p)
{
    int y = (int)two(p + l->at[ODP_PART_YEAR]);
    if (l->short_year)
        return y + (y < 69 ? 2000 : 1900); /* POSIX strptime */
    return y * 100 + (int)two(p + l->at[ODP_PART_YEAR] + 2);
}

/* Z or +07:00, and nothing else. */
static bool is_offset(const char *p, size_t n)
{
    if (n == 1)
        return *p == 'Z';
    if (n != 6 || (*p != '+' && *p != '-') || p[3] != ':')
        return false;
    for (size_t k = 1; k < 6; k++)
        if (k != 3 && (p[k] < '0' || p[k] > '9'))
            return false;
    return two(p + 4) <= 59 && two(p + 1) * 60 + two(p + 4) <= 14 * 60;
}

static bool is_zero_offset(const char *p)
{
    return memcmp(p + 1, "00:00", 5) == 0;
}

static bool is_day(const struct odp_date_layout *l, const char *p)
{
    const char *year = p + l->at[ODP_PART_YEAR];
    if (!l->short_year && (l->kind == ODP_YEAR ? *year == '0' /* as a year, one before 1000 is refused */ : memcmp(year, "0000", 4) == 0))
        return false;
    if (l->at[ODP_PART_MONTH] == ODP_DATE_ABSENT)
        return true;
    unsigned month = two(p + l->at[ODP_PART_MONTH]);
    if (month - 1 > 11)
        return false;
    if (l->at[ODP_PART_DAY] == ODP_DATE_ABSENT)
        return true;
    unsigned day = two(p + l->at[ODP_PART_DAY]);
    return day - 1 < 28 || (day != 0 && (int)day <= odp_date_month_days(year_of(l, p), (int)month));
}

static bool is_time(const struct odp_date_layout *l, const char *p)
{
    return two(p + l->at[ODP_PART_HOUR]) <= 23 && two(p + l->at[ODP_PART_MINUTE]) <= 59 &&
           (l->at[ODP_PART_SECOND] == ODP_DATE_ABSENT || two(p + l->at[ODP_PART_SECOND]) <= 59);
}

bool odp_date_layout_fits(const struct odp_date_layout *l, struct odp_slice s, bool *unchanged)
{
    uint64_t wrong = 0;
    *unchanged = l->canonical;
    if (s.len < l->len)
        return false;
    if (s.len > l->len || l->kind == ODP_DATETIME) {
        bool offset = s.len > l->len;
        if (offset ? !l->may_offset || !is_offset(s.ptr + l->len, s.len - l->len) : l->needs_offset || *l->zone == '\0')
            return false;
        *unchanged = l->canonical && offset && (s.len == l->len + 1u || !is_zero_offset(s.ptr + l->len));
    }
    for (unsigned k = 0; k < l->words; k++) {
        uint64_t x = (l->len < 8 ? odp_bytes_load(s.ptr, l->len) : odp_bytes_load8(s.ptr + l->from[k])) ^ l->expect[k];
        wrong |= (x | ((x & ~ODP_BYTES_HIGHS) + l->slack[k])) & ODP_BYTES_HIGHS;
    }
    if (wrong != 0)
        return false;
    return (l->at[ODP_PART_YEAR] == ODP_DATE_ABSENT || is_day(l, s.ptr)) && (l->at[ODP_PART_HOUR] == ODP_DATE_ABSENT || is_time(l, s.ptr));
}

static char *put_part(const struct odp_date_layout *l, enum odp_date_part part, const char *p, char *out)
{
    memcpy(out, l->at[part] == ODP_DATE_ABSENT ? "00" : p + l->at[part], 2); /* of seconds only */
    return out + 2;
}

static char *put_day(const struct odp_date_layout *l, const char *p, char *out)
{
    const char *year = p + l->at[ODP_PART_YEAR];
    if (l->short_year) {
        memcpy(out, two(year) < 69 ? "20" : "19", 2);
        memcpy(out + 2, year, 2);
    } else {
        memcpy(out, year, 4);
    }
    out += 4;
    if (l->kind == ODP_YEAR)
        return out;
    *out++ = '-';
    out = put_part(l, ODP_PART_MONTH, p, out);
    if (l->kind == ODP_YEARMONTH)
        return out;
    *out++ = '-';
    return put_part(l, ODP_PART_DAY, p, out);
}

static char *put_time(const struct odp_date_layout *l, const char *p, char *out)
{
    out = put_part(l, ODP_PART_HOUR, p, out);
    *out++ = ':';
    out = put_part(l, ODP_PART_MINUTE, p, out);
    *out++ = ':';
    return put_part(l, ODP_PART_SECOND, p, out);
}

size_t odp_date_layout_write(const struct odp_date_layout *l, struct odp_slice s, char out[ODP_DATETIME_SIZE])
{
    char *end = out;
    if (l->kind != ODP_TIME)
        end = put_day(l, s.ptr, end);
    if (l->kind == ODP_DATETIME)
        *end++ = 'T';
    if (l->kind == ODP_TIME || l->kind == ODP_DATETIME)
        end = put_time(l, s.ptr, end);
    if (l->kind == ODP_DATETIME) {
        const char *offset = s.len > l->len ? s.ptr + l->len : l->zone;
        size_t n = *offset == 'Z' ? 1 : 6;
        bool utc = n == 6 && is_zero_offset(offset);
        memcpy(end, utc ? "Z" : offset, utc ? 1 : n);
        end += utc ? 1 : n;
    }
    return (size_t)(end - out);
}
