/* What was meant by a cell of a workbook that is not what its field wants (rules/oddity.c): proposed where
 * pattern, length or a code list leave one possibility only. */
#include <stdio.h>

#include "base/ascii.h"
#include "base/datetime.h"
#include "check/proposals/propose.h"
#include "check/proposals/trial.h"

#define MAX_CODE  24u
#define MAX_ZEROS 4u

struct guess {
    struct odp_check *c;
    uint32_t field;
    char found[MAX_CODE + 16];
    size_t len;
    unsigned n; /* different ones */
};

static void try(struct guess *g, const char *s, size_t len)
{
    if (g->n > 1 || len >= sizeof(g->found) || (g->n == 1 && len == g->len && memcmp(s, g->found, len) == 0))
        return;
    if (!odp_accepts(g->c, g->field, (struct odp_slice){s, len}, NULL))
        return;
    if (g->n++ == 0) {
        memcpy(g->found, s, len);
        g->len = len;
    }
}

/* Whether anything tells a right code from a wrong one: else every guess would be as good as another. */
static bool is_constrained(const struct odp_check *c, uint32_t field)
{
    const struct odp_field *f = odp_check_field(c, field);
    const struct odp_constraints *k = &f->constraints;
    return k->pattern_code != NULL || f->categories != NULL || k->enumeration.n > 0 ||
           (k->min_length > 0 && k->min_length == k->max_length) ||
           odp_check_listed(c, field, ODP_LIT("")) >= 0;
}

static struct odp_slice result(struct guess *g)
{
    return g->n == 1 ? odp_check_copy(g->c, (struct odp_slice){g->found, g->len})
                     : (struct odp_slice){NULL, 0};
}

/* The digits as they are, with zeros in front, and with one behind a point. */
static struct odp_slice guess_number(struct odp_check *c, uint32_t field, struct odp_slice s)
{
    struct guess g = {.c = c, .field = field};
    char buf[MAX_CODE + MAX_ZEROS + 2];
    if (s.len == 0 || s.len > MAX_CODE || *s.ptr == '-' || !is_constrained(c, field))
        return (struct odp_slice){NULL, 0};
    unsigned digits = 0;
    for (size_t k = 0; k < s.len; k++)
        digits += odp_is_digit(s.ptr[k]);
    if (digits > 15) /* beyond the digits a program keeps */
        return (struct odp_slice){NULL, 0};
    bool point = memchr(s.ptr, '.', s.len) != NULL;
    memset(buf, '0', sizeof(buf));
    memcpy(buf + MAX_ZEROS, s.ptr, s.len);
    for (size_t behind = 0; behind <= (point ? 1u : 0u); behind++)
        for (size_t front = 0; front <= MAX_ZEROS; front++)
            try(&g, buf + MAX_ZEROS - front, front + s.len + behind);
    return result(&g);
}

static int part_of(const struct odp_datetime *d, char directive)
{
    switch (directive) {
    case 'd':
        return d->day;
    case 'm':
        return d->month;
    case 'y':
        return d->year % 100;
    default:
        return d->year;
    }
}

/* 3-4, 03-04, 04/2024 …: what may have been typed to become this date. */
static struct odp_slice guess_date(struct odp_check *c, uint32_t field, struct odp_slice s)
{
    static const char *const forms[] = {"%d$%m", "%m$%d",    "%m$%Y",    "%Y$%m",
                                        "%m$%y", "%d$%m$%Y", "%d$%m$%y", "%Y$%m$%d"};
    struct guess g = {.c = c, .field = field};
    struct odp_datetime d;
    if (s.len != 10 || !is_constrained(c, field) ||
        odp_date_parse(s, ODP_DATE, NULL, NULL, &d) != ODP_DATE_OK)
        return (struct odp_slice){NULL, 0};
    for (const char *separator = "-./"; *separator != '\0'; separator++)
        for (size_t k = 0; k < ODP_COUNT(forms); k++)
            for (int padded = 0; padded < 2; padded++) {
                char out[40];
                size_t n = 0;
                for (const char *p = forms[k]; *p != '\0'; p++) {
                    if (*p == '$') {
                        out[n++] = *separator;
                    } else if (*p == '%') {
                        p++;
                        int v = part_of(&d, *p);
                        n += (size_t)snprintf(out + n, sizeof(out) - n, padded || *p == 'y' ? "%02d" : "%d",
                                              v);
                    }
                }
                try(&g, out, n);
            }
    return result(&g);
}

/* The count of days, which may be what was typed: 2024 in a column of dates. */
static struct odp_slice guess_period(struct odp_check *c, uint32_t field, struct odp_slice s)
{
    struct odp_datetime d;
    struct guess g = {.c = c, .field = field};
    char out[16];
    if (s.len < 10 || odp_date_parse((struct odp_slice){s.ptr, 10}, ODP_DATE, NULL, NULL, &d) != ODP_DATE_OK)
        return (struct odp_slice){NULL, 0};
    int64_t serial = odp_date_days(&d) + 25569;
    if (odp_check_field(c, field)->type == ODP_TYPE_YEAR && s.len == 10) {
        bool typed = serial >= 1900 && serial <= 2100;
        try(&g, out,
            (size_t)snprintf(out, sizeof(out), "%lld", typed ? (long long)serial : (long long)d.year));
    }
    return result(&g);
}

/* A day number of a workbook that counts from 1904, as the field writes dates. */
static struct odp_slice guess_1904(struct odp_check *c, uint32_t field, struct odp_slice s)
{
    const struct odp_field *f = odp_check_field(c, field);
    const char *pattern =
        f->date_pattern != NULL && strcmp(f->date_pattern, "default") != 0 ? f->date_pattern : "%Y-%m-%d";
    struct guess g = {.c = c, .field = field};
    struct odp_datetime d = {.has_date = true};
    char out[ODP_DATETIME_SIZE];
    int64_t serial = 0;
    if (s.len != 5 || f->type != ODP_TYPE_DATE)
        return (struct odp_slice){NULL, 0};
    for (size_t k = 0; k < s.len; k++) {
        if (s.ptr[k] < '0' || s.ptr[k] > '9')
            return (struct odp_slice){NULL, 0};
        serial = serial * 10 + (s.ptr[k] - '0');
    }
    odp_date_from_days(&d, serial - 24107);
    try(&g, out, odp_date_write(&d, pattern, out));
    return result(&g);
}

struct odp_slice odp_propose_oddity(struct odp_check *c, uint32_t i, uint32_t field, enum odp_code code)
{
    const struct odp_cell *cell = odp_check_cell(c, i, field);
    const struct odp_slice none = {NULL, 0};
    if (cell == NULL || cell->oddity == ODP_ODD_NONE)
        return none;
    struct odp_slice raw = {cell->ptr, cell->len};
    switch (code) {
    case ODP_S20:
        return guess_number(c, field, raw);
    case ODP_S05:
        return guess_1904(c, field, raw);
    case ODP_S21:
        return guess_date(c, field, raw);
    case ODP_S22:
        return guess_period(c, field, raw);
    case ODP_S23:
        return raw.len > 0 && odp_accepts(c, field, raw, NULL) ? odp_check_copy(c, raw) : none;
    default:
        return none;
    }
}
