/* minimum, maximum and their exclusive forms (ODP-B05 to B08), exact: decimals by value, dates and times by
 * instant.
 *
 * Nearly every value lies well within, so a column of numbers, dates or years (which the type rule has read)
 * or of instants (by their day) first goes through a sieve: two comparisons of whole numbers. What does not
 * pass (beyond a bound, or of a form that the sieve does not know) is compared as it stands and, if it breaks
 * a bound, reported. The sieve never lets through what breaks one. Without it `check` takes 20 to 27 % more
 * CPU (300,000 rows of rehabilitasi: 0.24 s, not 0.20 s; of pemberdayaan: 0.19 s, not 0.15 s). */
#include "base/datetime.h"
#include "base/decimal_limits.h"
#include "check/check_internal.h"

static bool applies(const struct odp_validator *v, uint32_t field)
{
    const struct odp_constraints *k = &v->schema->fields[field].constraints;
    return k->minimum.ptr != NULL || k->maximum.ptr != NULL || k->exclusive_minimum.ptr != NULL ||
           k->exclusive_maximum.ptr != NULL;
}

static int compare(enum odp_type type, struct odp_slice a, struct odp_slice b)
{
    struct odp_datetime x, y;
    if (odp_type_is_number(type))
        return odp_decimal_cmp(a, b);
    if (type == ODP_TYPE_DATETIME && odp_date_parse(a, ODP_DATETIME, NULL, NULL, &x) == ODP_DATE_OK &&
        odp_date_parse(b, ODP_DATETIME, NULL, NULL, &y) == ODP_DATE_OK)
        return odp_date_cmp(&x, &y);
    return odp_slice_cmp(a, b); /* canonical dates, times and years compare as bytes */
}

/* ---- the sieve of instants (numbers, dates and years have odp_decimal_limits) ---- */

/* Days that are within all bounds whatever their offsets are, by their digits (odp_date_digits). */
struct sieve {
    int64_t first, last;
};

/* The day of BOUND moved by DAYS: offsets are less than a day each, so two days further in every instant is
 * within. */
static void add_bound(struct sieve *s, struct odp_slice bound, int days)
{
    struct odp_datetime d;
    char day[ODP_DATETIME_SIZE];
    if (bound.ptr == NULL)
        return;
    if (odp_date_parse(bound, ODP_DATETIME, NULL, NULL, &d) != ODP_DATE_OK || d.year < 2 || d.year > 9998) {
        *s = (struct sieve){INT64_MAX, INT64_MIN}; /* nothing passes */
        return;
    }
    odp_date_from_days(&d, odp_date_days(&d) + days);
    (void)odp_date_format(&d, ODP_DATE, day);
    int64_t digits = odp_date_digits(day);
    if (days > 0 && digits > s->first)
        s->first = digits;
    if (days < 0 && digits < s->last)
        s->last = digits;
}

static struct sieve sieve_of(const struct odp_constraints *k)
{
    struct sieve s = {INT64_MIN, INT64_MAX};
    add_bound(&s, k->minimum, 2);
    add_bound(&s, k->exclusive_minimum, 2);
    add_bound(&s, k->maximum, -2);
    add_bound(&s, k->exclusive_maximum, -2);
    return s;
}

/* ---- a column ---- */

static void check_cell(struct odp_check *c, uint32_t i, uint32_t field)
{
    const struct odp_field *f = odp_check_field(c, field);
    const struct odp_constraints *k = &f->constraints;
    /* A value breaks a bound where compare * SIGN < LEAST. */
    const struct {
        struct odp_slice bound;
        int sign, least;
        enum odp_code code;
    } bounds[] = {{k->minimum, 1, 0, ODP_B05},
                  {k->maximum, -1, 0, ODP_B06},
                  {k->exclusive_minimum, 1, 1, ODP_B07},
                  {k->exclusive_maximum, -1, 1, ODP_B08}};
    for (size_t b = 0; b < ODP_COUNT(bounds) && c->state[i] == ODP_VALUE_OK; b++) {
        if (bounds[b].bound.ptr == NULL)
            continue;
        int order = compare(f->type, c->text[i], bounds[b].bound);
        order = ((order > 0) - (order < 0)) * bounds[b].sign;
        if (order < bounds[b].least)
            odp_check_fault(c, i, (int)field, bounds[b].code)->args[0] = bounds[b].bound;
    }
}

enum { DIGITS = 8 };

/* A date by its digits, as the numbers of its column are; another bound as it is. */
static struct odp_slice as_number(enum odp_type type, struct odp_slice bound, char digits[DIGITS])
{
    if (type != ODP_TYPE_DATE || bound.len != 10)
        return bound;
    memcpy(digits, bound.ptr, 4);
    memcpy(digits + 4, bound.ptr + 5, 2);
    memcpy(digits + 6, bound.ptr + 8, 2);
    return (struct odp_slice){digits, DIGITS};
}

static void check_numbers(struct odp_check *c, uint32_t field)
{
    const struct odp_constraints *k = &odp_check_field(c, field)->constraints;
    const enum odp_type type = odp_check_field(c, field)->type;
    struct odp_decimal_limits limits;
    char digits[4][DIGITS];
    odp_decimal_limits_init(
        &limits, as_number(type, k->minimum, digits[0]), as_number(type, k->maximum, digits[1]),
        as_number(type, k->exclusive_minimum, digits[2]), as_number(type, k->exclusive_maximum, digits[3]));
    const int64_t *number = c->number;
    const uint8_t *scales = c->scale, *state = c->state;
    for (uint32_t i = 0, n = c->n; i < n; i++) {
        unsigned scale = scales[i];
        if (state[i] == ODP_VALUE_OK && /* else it has no number */
            (scale > ODP_DECIMAL_SMALL || number[i] < limits.least[scale] || number[i] > limits.most[scale]))
            check_cell(c, i, field);
    }
}

static void check_instants(struct odp_check *c, uint32_t field)
{
    const struct sieve s = sieve_of(&odp_check_field(c, field)->constraints);
    for (uint32_t i = 0; i < c->n; i++) {
        if (c->state[i] != ODP_VALUE_OK)
            continue;
        int64_t day = odp_date_digits(c->text[i].ptr);
        if (day < s.first || day > s.last)
            check_cell(c, i, field);
    }
}

static void check_column(struct odp_check *c, uint32_t field)
{
    if (c->number != NULL)
        check_numbers(c, field);
    else if (odp_check_field(c, field)->type == ODP_TYPE_DATETIME)
        check_instants(c, field);
    else
        for (uint32_t i = 0; i < c->n; i++)
            if (c->state[i] == ODP_VALUE_OK)
                check_cell(c, i, field);
}

const struct odp_rule_kind odp_rule_bounds = {.name = "bounds", .applies = applies, .column = check_column};
