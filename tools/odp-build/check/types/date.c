/* date, time, datetime, year, yearmonth; and dates that a spreadsheet turned into numbers (ODP-S05). */
#include <stdio.h>

#include "base/ascii.h"
#include "base/datetime.h"
#include "check/types/types_internal.h"

static bool digits(const char *p, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (!odp_is_digit(p[k]))
            return false;
    return true;
}

/* A number of days, as spreadsheets count them from 1899-12-30: 20000 to 60000 is 1954 to 2064. Outside, a number is no date by accident. */
static bool is_serial(struct odp_slice s)
{
    if (s.len < 5 || !digits(s.ptr, 5) || (s.len > 5 && s.ptr[5] != '.' && s.ptr[5] != ',') ||
        !digits(s.ptr + 5 + (s.len > 5), s.len - 5 - (s.len > 5)))
        return false;
    return s.ptr[0] >= '2' && (s.ptr[0] < '6' || memcmp(s.ptr, "60000", 5) == 0);
}

/* A date as the field wants it; the day alone where a time belongs to it. */
static struct odp_slice as_declared(struct odp_check *c, const struct odp_field *f, const struct odp_datetime *d)
{
    const char *pattern = f->date_pattern;
    char out[ODP_DATETIME_SIZE];
    if (f->type != ODP_TYPE_DATE || pattern == NULL || strcmp(pattern, "default") == 0 || strcmp(pattern, "any") == 0)
        pattern = "%Y-%m-%d";
    size_t n = odp_date_write(d, pattern, out);
    return n > 0 ? odp_check_copy(c, (struct odp_slice){out, n}) : (struct odp_slice){NULL, 0};
}

static enum odp_code code_of(enum odp_type t)
{
    return t == ODP_TYPE_TIME                              ? ODP_T09
           : t == ODP_TYPE_DATETIME                        ? ODP_T10
           : t == ODP_TYPE_YEAR || t == ODP_TYPE_YEARMONTH ? ODP_T12
                                                           : ODP_T07;
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
    bool dated = f->type == ODP_TYPE_DATE || f->type == ODP_TYPE_DATETIME, serial = dated && is_serial(c->text[i]);
    struct odp_fault *said = odp_check_untyped(c, i, (int)field, serial ? ODP_S05 : code_of(f->type));
    said->args[0] = pattern_name(f);
    if (f->type == ODP_TYPE_DATE)
        said->args[1] = as_declared(c, f, &example);
}

static void parse(struct odp_check *c, uint32_t i, uint32_t field, enum odp_date_kind kind)
{
    const struct odp_field *f = odp_check_field(c, field);
    struct odp_datetime d;
    const char *pattern = c->native && odp_check_native(c, i, field) ? NULL : f->date_pattern; /* native cells have the default form */
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

void odp_type_date(struct odp_check *c, uint32_t field)
{
    enum odp_date_kind kind = odp_field_type(odp_check_field(c, field)->type)->date;
    for (uint32_t i = 0; i < c->n; i++)
        if (c->state[i] == ODP_VALUE_OK)
            parse(c, i, field, kind);
}
