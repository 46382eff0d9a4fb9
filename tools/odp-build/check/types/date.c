/* date, time, datetime, year, yearmonth; and dates that a spreadsheet turned into numbers (ODP-S05). */

#include "base/ascii.h"
#include "base/datetime.h"
#include "check/byte_row.h"
#include "check/types/types_internal.h"

static bool digits(const char *p, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (!odp_is_digit(p[k]))
            return false;
    return true;
}

/* A number of days, as spreadsheets count them from 1899-12-30: 20000 to 60000 is 1954 to 2064. Outside, a
 * number is no date by accident. */
static bool is_serial(struct odp_slice s)
{
    if (s.len < 5 || !digits(s.ptr, 5) || (s.len > 5 && s.ptr[5] != '.' && s.ptr[5] != ',') ||
        !digits(s.ptr + 5 + (s.len > 5), s.len - 5 - (s.len > 5)))
        return false;
    return s.ptr[0] >= '2' && (s.ptr[0] < '6' || memcmp(s.ptr, "60000", 5) == 0);
}

/* A date as the field wants it; the day alone where a time belongs to it. */
static struct odp_slice as_declared(struct odp_check *c, const struct odp_field *f,
                                    const struct odp_datetime *d)
{
    const char *pattern = f->date_pattern;
    char out[ODP_DATETIME_SIZE];
    if (f->type != ODP_TYPE_DATE || pattern == NULL || strcmp(pattern, "default") == 0 ||
        strcmp(pattern, "any") == 0)
        pattern = "%Y-%m-%d";
    size_t n = odp_date_write(d, pattern, out);
    return n > 0 ? odp_check_copy(c, (struct odp_slice){out, n}) : (struct odp_slice){NULL, 0};
}

static enum odp_code code_of(enum odp_type t)
{
    switch (t) {
    case ODP_TYPE_TIME:
        return ODP_T09;
    case ODP_TYPE_DATETIME:
        return ODP_T10;
    case ODP_TYPE_YEAR:
    case ODP_TYPE_YEARMONTH:
        return ODP_T12;
    default:
        return ODP_T07;
    }
}

static struct odp_slice pattern_name(const struct odp_field *f)
{
    bool own = f->date_pattern != NULL && strcmp(f->date_pattern, "default") != 0;
    return odp_slice_of(own ? f->date_pattern : odp_field_type(f->type)->shape);
}

static void report(struct odp_check *c, uint32_t i, uint32_t field, enum odp_date_fault fault)
{
    const struct odp_field *f = odp_check_field(c, field);
    if (fault == ODP_DATE_NO_OFFSET) {
        (void)odp_check_untyped(c, i, (int)field, ODP_T11);
        return;
    }
    if (fault == ODP_DATE_RANGE || fault == ODP_DATE_WEEKDAY) {
        odp_check_untyped(c, i, (int)field, ODP_T08)->args[0] = pattern_name(f);
        return;
    }
    static const struct odp_datetime example = {.year = 2017, .month = 8, .day = 17, .has_date = true};
    bool dated = f->type == ODP_TYPE_DATE || f->type == ODP_TYPE_DATETIME,
         serial = dated && is_serial(c->text[i]);
    struct odp_fault *said = odp_check_untyped(c, i, (int)field, serial ? ODP_S05 : code_of(f->type));
    said->args[0] = pattern_name(f);
    if (f->type == ODP_TYPE_DATE)
        said->args[1] = as_declared(c, f, &example);
}

static void parse(struct odp_check *c, uint32_t i, uint32_t field, enum odp_date_kind kind)
{
    const struct odp_field *f = odp_check_field(c, field);
    struct odp_datetime d;
    const char *pattern = c->native && odp_check_native(c, i, field)
                              ? NULL
                              : f->date_pattern; /* native cells have the default form */
    enum odp_date_fault fault = odp_date_parse(c->text[i], kind, pattern, f->time_zone, &d);
    if (fault == ODP_DATE_OK && kind == ODP_YEAR && d.year < 1000)
        fault = ODP_DATE_SYNTAX; /* published as a JSON number, which has no leading zeros */
    if (fault != ODP_DATE_OK) {
        report(c, i, field, fault);
        return;
    }
    if (pattern == NULL && kind != ODP_DATETIME && kind != ODP_TIME)
        return; /* the default form is the canonical one */
    char out[ODP_DATETIME_SIZE];
    struct odp_slice canonical = {out, odp_date_format(&d, kind, out)};
    if (!odp_slice_eq(canonical, c->text[i]))
        c->text[i] = odp_check_copy(c, canonical);
}

/* ---- days at fixed places ---- */

/* Most columns hold days with all digits ("%d/%m/%Y", or the default form) or years: these are read where
 * they are. It knows right values only; any other one is parse's, which says what is wrong. By parse alone a
 * check of a table with two dates takes 6 % more instructions. */
#define ABSENT SIZE_MAX
struct form {
    struct odp_byte_row row;
    size_t year, month, day; /* where they begin */
    bool canonical;
};

static size_t *part_of(struct form *f, char directive)
{
    switch (directive) {
    case 'Y':
        return &f->year;
    case 'm':
        return &f->month;
    case 'd':
        return &f->day;
    default:
        return NULL;
    }
}

static bool read_form(struct form *out, enum odp_date_kind kind, const char *pattern)
{
    const char *p = pattern != NULL ? pattern : kind == ODP_DATE ? "%Y-%m-%d" : "%Y";
    *out = (struct form){.year = ABSENT, .month = ABSENT, .day = ABSENT, .canonical = pattern == NULL};
    for (; *p != '\0'; p++) {
        char low = *p, high = *p;
        size_t n = 1;
        if (*p == '%') {
            size_t *part = part_of(out, *++p);
            if (part == NULL || *part != ABSENT)
                return false;
            *part = out->row.most;
            low = '0';
            high = '9';
            n = *p == 'Y' ? 4 : 2;
        }
        if ((unsigned char)low >= 0x80 || !odp_byte_row_add(&out->row, low, high, n))
            return false;
    }
    if (kind == ODP_DATE)
        return out->year != ABSENT && out->month != ABSENT && out->day != ABSENT;
    return kind == ODP_YEAR && out->canonical;
}

/* The year that P begins with. */
static int64_t year_of(const char *p)
{
    return odp_bytes_number8(odp_bytes_values(odp_bytes_load(p, 4)) << 32);
}

/* S is a day of form F (a year, where F has no day): *NUMBER is what it is by its digits. */
static bool is_of_form(const struct form *f, struct odp_slice s, int64_t *number)
{
    if (!odp_byte_row_fits(&f->row, s))
        return false;
    if (f->day == ABSENT) {
        *number = year_of(s.ptr);
        return *number >= 1000;
    }
    const uint64_t digits = odp_bytes_load(s.ptr + f->year, 4) | odp_bytes_load(s.ptr + f->month, 2) << 32 |
                            odp_bytes_load(s.ptr + f->day, 2) << 48;
    const uint32_t n = odp_bytes_number8(odp_bytes_values(digits));
    const uint32_t year = n / 10000, month = n / 100 % 100, day = n % 100;
    *number = n;
    return year >= 1 && month >= 1 && month <= 12 && day >= 1 &&
           (day <= 28 || (int)day <= odp_date_month_days((int)year, (int)month));
}

/* S, which is of form F, as YYYY-MM-DD. */
static struct odp_slice as_canonical(struct odp_check *c, const struct form *f, struct odp_slice s)
{
    char *out = odp_check_bytes(c, ODP_DATETIME_SIZE);
    if (out == NULL)
        return s;
    memcpy(out, s.ptr + f->year, 4);
    memcpy(out + 5, s.ptr + f->month, 2);
    memcpy(out + 8, s.ptr + f->day, 2);
    out[4] = out[7] = '-';
    return odp_check_keep(c, 10);
}

void odp_type_date(struct odp_check *c, uint32_t field)
{
    const struct odp_field *f = odp_check_field(c, field);
    enum odp_date_kind kind = odp_field_type(f->type)->date;
    struct form form = {0};
    bool fixed = !c->native && read_form(&form, kind, f->date_pattern);
    const bool keep = (kind == ODP_DATE || kind == ODP_YEAR) && odp_type_make_numbers(c, field);
    int64_t *number = c->number; /* in registers: what is stored might be the check itself */
    struct odp_slice *text = c->text;
    for (uint32_t i = 0, n = c->n; i < n; i++) {
        int64_t value;
        if (c->state[i] != ODP_VALUE_OK)
            continue;
        if (fixed && is_of_form(&form, text[i], &value)) {
            if (!form.canonical)
                text[i] = as_canonical(c, &form, text[i]);
        } else {
            parse(c, i, field, kind);
            if (c->state[i] != ODP_VALUE_OK || !keep)
                continue;
            value = kind == ODP_YEAR ? year_of(text[i].ptr) : odp_date_digits(text[i].ptr);
        }
        if (!keep)
            continue;
        number[i] = value;
        c->scale[i] = 0;
    }
}
