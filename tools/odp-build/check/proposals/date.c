/* Dates and times in another form than the declared one. A text is parted into numbers and names of months;
 * then every order in which it is a date is offered: 13/04/2024 can only be read one way, 03/04/2024 two
 * ways, and then the order of the field's own pattern, or of the other dates of the column, has to tell. Two
 * digits of a year are those that spreadsheets make of them: 00 to 29 are after 2000, 30 to 99 before. */
#include <stdio.h>

#include "base/ascii.h"
#include "base/datetime.h"
#include "check/proposals/proposals_internal.h"
#include "check/types/types_internal.h"

enum { TOKENS = 4 };

struct token {
    int value;    /* of a number; of a month by name, 1 to 12 */
    unsigned len; /* digits; 0: a name */
};

struct tokens {
    struct token t[TOKENS];
    unsigned n;
    struct odp_slice time; /* what follows a date and begins like a time */
};

/* False when there is anything in it that no date has. */
static bool part(struct odp_slice s, struct tokens *out)
{
    size_t k = 0;
    *out = (struct tokens){.n = 0};
    while (k < s.len) {
        size_t start = k;
        char ch = s.ptr[k];
        if (odp_is_digit(ch)) {
            int value = 0;
            while (k < s.len && odp_is_digit(s.ptr[k]) && k - start < 9)
                value = value * 10 + (s.ptr[k++] - '0');
            if (out->n >= 1 && k < s.len && s.ptr[k] == ':') {
                out->time = (struct odp_slice){s.ptr + start, s.len - start};
                return true;
            }
            if (out->n == TOKENS || k - start > 8)
                return false;
            out->t[out->n++] = (struct token){value, (unsigned)(k - start)};
        } else if (odp_is_letter(ch)) {
            while (k < s.len && (odp_is_letter(s.ptr[k]) || s.ptr[k] == '\''))
                k++;
            struct odp_slice name = {s.ptr + start, k - start};
            int month = odp_date_month(name);
            if (month == 0 && name.len == 1 && (ch == 'T' || ch == 't') && out->n == 3)
                continue;
            if (month == 0 && odp_date_is_weekday(name) && out->n == 0)
                continue;
            if (month == 0 || out->n == TOKENS)
                return false;
            out->t[out->n++] = (struct token){month, 0};
        } else if (ch == ' ' || ch == '/' || ch == '-' || ch == '.' || ch == ',') {
            k++;
        } else {
            return false;
        }
    }
    return true;
}

static int full_year(struct token t)
{
    if (t.len == 4)
        return t.value;
    if (t.len != 2)
        return -1;
    return t.value + (t.value < 30 ? 2000 : 1900);
}

/* ---- writing as the field has it ---- */

/* Midnight alone is no time of day: 2024-03-15 00:00:00. */
static bool is_midnight(struct odp_slice s)
{
    for (size_t k = 0; k < s.len; k++)
        if (s.ptr[k] != '0' && s.ptr[k] != ':' && s.ptr[k] != '.')
            return false;
    return true;
}

/* hh:mm[:ss], also with points, one digit of the hour, AM and PM. */
static bool parse_time(struct odp_slice s, int hms[3])
{
    size_t k = 0;
    int n = 0;
    hms[0] = hms[1] = hms[2] = 0;
    while (n < 3 && k < s.len && odp_is_digit(s.ptr[k])) {
        size_t start = k;
        while (k < s.len && odp_is_digit(s.ptr[k]) && k - start < 2)
            hms[n] = hms[n] * 10 + (s.ptr[k++] - '0');
        n++;
        if (k + 1 < s.len && (s.ptr[k] == ':' || s.ptr[k] == '.') && odp_is_digit(s.ptr[k + 1]))
            k++;
        else
            break;
    }
    struct odp_slice rest = odp_slice_trim((struct odp_slice){s.ptr + k, s.len - k});
    bool pm = rest.len >= 2 && (rest.ptr[0] | 0x20) == 'p' && (rest.ptr[1] | 0x20) == 'm' && rest.len == 2;
    bool am = rest.len == 2 && (rest.ptr[0] | 0x20) == 'a' && (rest.ptr[1] | 0x20) == 'm';
    if (n < 2 || (rest.len > 0 && !am && !pm) || ((am || pm) && (hms[0] < 1 || hms[0] > 12)))
        return false;
    if (am || pm)
        hms[0] = hms[0] % 12 + (pm ? 12 : 0);
    return hms[0] < 24 && hms[1] < 60 && hms[2] < 60;
}

static bool is_default(const struct odp_field *f)
{
    return f->date_pattern == NULL || strcmp(f->date_pattern, "default") == 0 ||
           strcmp(f->date_pattern, "any") == 0;
}

static void offer_date(struct odp_proposer *p, int year, int month, int day, struct odp_slice time)
{
    char out[ODP_DATETIME_SIZE + 32];
    int hms[3];
    if (year < 1900 || year > 2100 || month < 1 || month > 12 || day < 1 || day > 31)
        return;
    struct odp_datetime d = {
        .year = (int16_t)year, .month = (uint8_t)month, .day = (uint8_t)day, .has_date = true};
    if (p->f->type == ODP_TYPE_DATE) {
        if (time.len > 0 && !is_midnight(time) && !parse_time(time, hms))
            return;
        size_t n = odp_date_write(&d, is_default(p->f) ? "%Y-%m-%d" : p->f->date_pattern, out);
        if (n > 0)
            odp_offer(p, odp_propose_copy(p, (struct odp_slice){out, n}));
    } else if (p->f->type == ODP_TYPE_DATETIME && is_default(p->f) && time.len > 0 && parse_time(time, hms)) {
        int n = snprintf(out, sizeof out, "%04d-%02d-%02dT%02d:%02d:%02d", year, month, day, hms[0], hms[1],
                         hms[2]);
        odp_offer(p, odp_propose_copy(p, (struct odp_slice){out, (size_t)n}));
    }
}

/* ---- readings ---- */

/* Three numbers. ORDER: 1 the day first, -1 the month, 0: both are tried. */
static void offer_numbers(struct odp_proposer *p, const struct token t[3], struct odp_slice time, int order)
{
    if (t[0].len == 4) { /* the year first: then the month, everywhere */
        offer_date(p, t[0].value, t[1].value, t[2].value, time);
        return;
    }
    int year = full_year(t[2]);
    if (year < 0 || t[0].len > 2 || t[1].len > 2)
        return;
    if (order >= 0 || t[0].value > 12)
        offer_date(p, year, t[1].value, t[0].value, time);
    if (order <= 0 || t[1].value > 12)
        offer_date(p, year, t[0].value, t[1].value, time);
}

/* Eight digits without marks: 20240315, 15032024. */
static void offer_eight(struct odp_proposer *p, int value, int order)
{
    offer_date(p, value / 10000, value / 100 % 100, value % 100, ODP_LIT(""));
    const struct token t[3] = {{value / 1000000, 2}, {value / 10000 % 100, 2}, {value % 10000, 4}};
    offer_numbers(p, t, ODP_LIT(""), order);
}

/* Days since 1899-12-30, as spreadsheets count; 20000 to 60000 is 1954 to 2064: outside, a number is no date
 * by accident. */
static void offer_serial(struct odp_proposer *p, int value)
{
    struct odp_datetime d = {.year = 0};
    if (value < 20000 || value > 60000)
        return;
    odp_date_from_days(&d, value - 25569);
    if (p->f->type == ODP_TYPE_DATE) {
        offer_date(p, d.year, d.month, d.day, ODP_LIT(""));
    } else {
        char out[24];
        int n = snprintf(out, sizeof out, "%04d-%02d-%02d", d.year, d.month, d.day);
        odp_offer(p, odp_propose_copy(p, (struct odp_slice){out, (size_t)n}));
    }
}

static void propose_day(struct odp_proposer *p)
{
    struct tokens s;
    if (p->code == ODP_S05 && p->text.len >= 5) {
        int value = 0;
        for (size_t k = 0; k < 5; k++)
            value = value * 10 + (p->text.ptr[k] - '0');
        offer_serial(p, value);
        return;
    }
    if (p->text.len > 48 || !part(p->text, &s))
        return;
    struct token *t = s.t;
    if (s.n == 1 && t[0].len == 8)
        offer_eight(p, t[0].value, p->order);
    if (s.n != 3)
        return;
    if (t[0].len != 0 && t[1].len == 0 && t[2].len != 0) { /* 17 Agustus 2023; 2023 Agustus 17 */
        if (t[0].len == 4)
            offer_date(p, t[0].value, t[1].value, t[2].value, s.time);
        else
            offer_date(p, full_year(t[2]), t[1].value, t[0].value, s.time);
    } else if (t[0].len == 0 && t[1].len != 0 && t[2].len != 0) { /* Agustus 17, 2023 */
        offer_date(p, full_year(t[2]), t[0].value, t[1].value, s.time);
    } else if (t[0].len != 0 && t[1].len != 0 && t[2].len != 0) {
        offer_numbers(p, t, s.time, p->order);
    }
}

static void propose_month(struct odp_proposer *p)
{
    struct tokens s;
    char out[16];
    if (p->text.len > 40 || !part(p->text, &s) || s.n != 2 || s.time.len > 0)
        return;
    int year, month;
    if (s.t[0].len == 4 && s.t[1].len != 4) {
        year = s.t[0].value;
        month = s.t[1].value;
    } else {
        year = s.t[0].len == 0 || s.t[1].len == 4 ? full_year(s.t[1]) : -1;
        month = s.t[0].value;
    }
    if (year < 1900 || year > 2100 || month < 1 || month > 12)
        return;
    int n = snprintf(out, sizeof out, "%04d-%02d", year, month);
    odp_offer(p, odp_propose_copy(p, (struct odp_slice){out, (size_t)n}));
}

/* The only four digits of the text: "TA 2024", "Tahun 2024", "2024,0", "2.024". */
static void propose_year(struct odp_proposer *p)
{
    struct odp_slice s = p->text;
    for (size_t k = 0; k < s.len;) {
        size_t start = k;
        while (k < s.len && odp_is_digit(s.ptr[k]))
            k++;
        size_t n = k - start;
        if (n == 0) {
            k++;
            continue;
        }
        bool nothing = n == 1 && s.ptr[start] == '0' && start == 5 && k == s.len; /* 2024.0 */
        if (n == 4)
            odp_offer(p, odp_propose_copy(p, (struct odp_slice){s.ptr + start, 4}));
        else if (n == 1 && start == 0 && s.len == 5 && (s.ptr[1] == '.' || s.ptr[1] == ',')) {
            char out[4] = {s.ptr[0], s.ptr[2], s.ptr[3], s.ptr[4]};
            if (odp_is_digit(out[1]) && odp_is_digit(out[2]) && odp_is_digit(out[3]) &&
                (out[0] == '1' || out[0] == '2'))
                odp_offer(p, odp_propose_copy(p, (struct odp_slice){out, 4}));
            return;
        } else if (!nothing) {
            p->ambiguous = true; /* 2024/25 */
        }
    }
}

static void propose_time(struct odp_proposer *p)
{
    char out[16];
    int hms[3];
    struct odp_slice s = p->text;
    for (size_t k = 0; k + 3 <= s.len;
         k++) /* "pukul 08.30 WIB" is not for us to read: the zone would be lost */
        if (odp_is_letter(s.ptr[k]) && odp_is_letter(s.ptr[k + 1]) && odp_is_letter(s.ptr[k + 2]))
            return;
    if (!is_default(p->f) || !parse_time(s, hms))
        return;
    int n = snprintf(out, sizeof out, "%02d:%02d:%02d", hms[0], hms[1], hms[2]);
    odp_offer(p, odp_propose_copy(p, (struct odp_slice){out, (size_t)n}));
}

void odp_propose_date(struct odp_proposer *p)
{
    static void (*const proposals[])(struct odp_proposer * p) = {[ODP_DATE] = propose_day,
                                                                 [ODP_TIME] = propose_time,
                                                                 [ODP_DATETIME] = propose_day,
                                                                 [ODP_YEAR] = propose_year,
                                                                 [ODP_YEARMONTH] = propose_month};
    proposals[odp_field_type(p->f->type)->date](p);
}

bool odp_reads_as_date(struct odp_slice s)
{
    struct tokens t;
    bool named = false, parted = false;
    if (s.len < 4 || s.len > 32 || !part(s, &t))
        return false;
    for (unsigned k = 0; k < t.n; k++)
        named = named || t.t[k].len == 0;
    for (size_t k = 1; k < s.len; k++)
        parted = parted || s.ptr[k] == '/' || s.ptr[k] == '-';
    return (named && t.n > 1) || (parted && t.n == 3);
}

/* ---- the column as a whole ---- */

/* By the field's own pattern. */
static int order_of_pattern(const char *pattern)
{
    const char *day = strstr(pattern, "%d"), *month = strstr(pattern, "%m");
    if (day == NULL)
        day = strstr(pattern, "%-d");
    if (month == NULL)
        month = strstr(pattern, "%-m");
    const char *year = strstr(pattern, "%Y");
    if (day == NULL || month == NULL || (year != NULL && year < day && year < month))
        return 0;
    return day < month ? 1 : -1;
}

int odp_date_order(const struct odp_check *c, uint32_t field)
{
    const struct odp_field *f = odp_check_field(c, field);
    bool day_first = false, month_first = false;
    if (!is_default(f))
        return order_of_pattern(f->date_pattern);
    for (uint32_t i = 0; i < c->n; i++) {
        const struct odp_cell *cell = odp_check_cell(c, i, field);
        struct tokens s;
        if (cell == NULL || cell->len < 6 || cell->len > 32 ||
            !part(odp_slice_trim((struct odp_slice){cell->ptr, cell->len}), &s) || s.n != 3 ||
            s.t[0].len == 4 || s.t[0].len == 0 || s.t[1].len == 0 || s.t[2].len == 0)
            continue;
        int a = s.t[0].value, b = s.t[1].value;
        day_first = day_first || (a > 12 && a <= 31 && b >= 1 && b <= 12);
        month_first = month_first || (b > 12 && b <= 31 && a >= 1 && a <= 12);
    }
    return day_first == month_first ? 0 : day_first ? 1 : -1;
}
