/* What a column's cells say of the signs in its numbers: which of '.' and ',' is its decimal sign, which one
 * parts thousands, and how large its values are. A spreadsheet in another locale takes 12.6182 for 126182
 * and 12.5 for the twelfth of May: then no digit of such a cell tells what it was, but its neighbours tell
 * that it was changed. All of it is of the batch, and gathered when the first of its numbers is refused. */
#include "base/ascii.h"
#include "check/proposals/proposals_internal.h"

enum {
    KEPT_DIGITS = 15,
    DAMAGED_DIGITS = 10,
    FAR = 3,
    BEYOND = 4
}; /* the last two: powers of ten above the greatest value */
static const char signs[2] = {'.', ','};

/* Digits with '.' and ',' among them: where each sign stands. */
struct figure {
    uint32_t count[2];
    uint32_t last[2], first; /* digits behind the last one; in front of the first of all */
    uint32_t digits;
    bool groups[2];   /* three digits follow each of them */
    bool zero, zeros; /* begins with one; has nothing else behind the last sign */
};

/* The digits of S, with a sign or words in front and words behind; false: there are none, or two numbers. */
static bool read_figure(struct odp_slice s, struct figure *out)
{
    size_t at = 0;
    uint32_t run = 0;
    int before = -1; /* the sign in hand */
    *out = (struct figure){.groups = {true, true}};
    while (at < s.len && !odp_is_digit(s.ptr[at]))
        at++;
    out->zero = at + 1 < s.len && s.ptr[at] == '0';
    for (; at < s.len; at++) {
        int sign = s.ptr[at] == '.' ? 0 : s.ptr[at] == ',' ? 1 : -1;
        if (odp_is_digit(s.ptr[at])) {
            out->zeros = out->zeros && s.ptr[at] == '0';
            run++;
            out->digits++;
            continue;
        }
        if (sign < 0 || at + 1 == s.len || !odp_is_digit(s.ptr[at + 1]))
            break;
        if (before < 0)
            out->first = run;
        else
            out->groups[before] = out->groups[before] && run == 3;
        out->count[sign]++;
        before = sign;
        out->zeros = true;
        run = 0;
    }
    if (before >= 0) {
        out->groups[before] = out->groups[before] && run == 3;
        out->last[before] = run;
    }
    while (at < s.len && !odp_is_digit(s.ptr[at]))
        at++;
    return out->digits > 0 && at == s.len;
}

static bool is_grouped(const struct figure *f, int sign)
{
    return f->count[sign] > 0 && f->groups[sign] && f->first <= 3 && !f->zero;
}

/* Place of the first digit that is not 0, before the point: 950 has 3, 0.5 has 0; 0 itself has none. */
static bool decade(struct odp_slice number, int *out)
{
    const char *point = memchr(number.ptr, '.', number.len);
    int whole = 0;
    if (memchr(number.ptr, 'e', number.len) != NULL || memchr(number.ptr, 'E', number.len) != NULL)
        return false;
    for (size_t k = 0; k < number.len; k++) {
        int place = (int)((point != NULL ? (size_t)(point - number.ptr) : number.len) - k);
        if (number.ptr[k] < '1' || number.ptr[k] > '9')
            continue;
        whole = place > 0 ? place : place + 1;
        *out = whole;
        return true;
    }
    return false;
}

/* Without a fraction of zeros: 1.234.567,00 is 1.234.567 in a format that adds it. */
static struct odp_slice without_zeros(struct odp_slice s)
{
    size_t n = s.len;
    while (n > 0 && s.ptr[n - 1] == '0')
        n--;
    bool zeros = n > 1 && n < s.len && s.len - n != 3 && (s.ptr[n - 1] == '.' || s.ptr[n - 1] == ',') &&
                 memchr(s.ptr, s.ptr[n - 1] == '.' ? ',' : '.', n) != NULL;
    return zeros ? (struct odp_slice){s.ptr, n - 1} : s;
}

static void take_text(struct odp_number_evidence *e, struct odp_slice s)
{
    struct figure f;
    s = without_zeros(odp_slice_trim(s));
    e->dates += odp_reads_as_date(s);
    if (s.len > 60 || !read_figure(s, &f) || f.count[0] + f.count[1] == 0)
        return;
    for (int k = 0; k < 2; k++) {
        if (f.count[k] == 0)
            continue;
        bool alone = f.count[1 - k] == 0, behind = !alone && f.count[k] == 1 && f.last[k] > 0;
        bool grouped = is_grouped(&f, k);
        if (alone && f.count[k] > 1 && grouped) {
            e->many[k]++;
            e->round[k] += s.len > 3 && memcmp(s.ptr + s.len - 3, "000", 3) == 0;
        } else if (alone && f.count[k] == 1) {
            *(grouped ? &e->open[k] : &e->decimal[k]) += 1;
            e->fraction[k] += !grouped && !f.zeros;
        } else if (behind && (f.last[k] != 3 || is_grouped(&f, 1 - k))) {
            e->decimal[k]++;
            e->fraction[k] += !f.zeros;
            e->parts[1 - k]++;
        }
    }
}

static void gather(const struct odp_check *c, uint32_t field, struct odp_number_evidence *e)
{
    const struct odp_column *column = &c->b->columns[field];
    for (uint32_t i = 0; i < c->n; i++) {
        const struct odp_cell *cell = odp_check_cell(c, i, field);
        int place;
        if (column->state[i] == ODP_VALUE_OK && decade(column->text[i], &place)) {
            e->least = !e->sized || place < e->least ? place : e->least;
            e->greatest = !e->sized || place > e->greatest ? place : e->greatest;
            e->sized = 1;
        }
        if (cell != NULL && cell->len > 0 && (cell->flags & (ODP_CELL_NATIVE | ODP_CELL_NULL)) == 0 &&
            (c->b->records[i].flags & ODP_RECORD_SKIP) == 0)
            take_text(e, (struct odp_slice){cell->ptr, cell->len});
    }
}

const struct odp_number_evidence *odp_number_evidence(const struct odp_check *c, uint32_t field)
{
    struct odp_trials *t = c->w->trials;
    struct odp_number_evidence *e = &t->evidence[field];
    if (e->batch != t->batch) {
        *e = (struct odp_number_evidence){.batch = t->batch};
        gather(c, field, e);
    }
    return e;
}

/* A spreadsheet keeps fifteen digits: 12.618.222.222.222.200 has lost those behind. A round amount of as many
 * places has few that are not 0. */
static bool has_lost_digits(const char *number, size_t len)
{
    const char *point = memchr(number, '.', len);
    size_t digits = point != NULL ? (size_t)(point - number) : len, kept = digits;
    while (kept > 0 && number[kept - 1] == '0')
        kept--;
    return digits > KEPT_DIGITS && kept >= DAMAGED_DIGITS;
}

static bool has_fraction(const char *number, size_t len)
{
    const char *point = memchr(number, '.', len);
    while (point != NULL && ++point < number + len)
        if (*point != '0')
            return true;
    return false;
}

static bool is_far(const struct odp_number_evidence *e, const char *number, size_t len, int places)
{
    int place;
    return e->sized && decade((struct odp_slice){number, len}, &place) && place > e->greatest + places;
}

static char mark_of(const struct odp_field *f)
{
    return f->decimal.decimal != 0 ? f->decimal.decimal : f->decimal.group == '.' ? ',' : '.';
}

/* Do all numbers with several of GROUP end in 000? A fraction does not. */
static bool is_round(const struct odp_number_evidence *e, int group)
{
    return e->many[group] > 0 && e->round[group] == e->many[group];
}

/* Whether the column speaks against GROUP between thousands, as NUMBER has it: it was damaged, then. */
static bool is_damaged(const struct odp_number_evidence *e, int group, const char *number, size_t len,
                       int places)
{
    if (has_lost_digits(number, len) || (!is_round(e, group) && is_far(e, number, len, places)))
        return true;
    return !has_fraction(number, len) && (e->decimal[group] > 0 || e->dates > 0);
}

bool odp_number_agrees(const struct odp_check *c, uint32_t field, const struct odp_number_reading *r)
{
    const struct odp_field *f = odp_check_field(c, field);
    const struct odp_number_evidence *e = odp_number_evidence(c, field);
    int group = r->group == '.' ? 0 : r->group == ',' ? 1 : -1, decimal = r->decimal == ',';
    if (f->type == ODP_TYPE_INTEGER)
        return !has_lost_digits(r->number, r->len);
    if (group < 0 && r->decimal == f->decimal.group &&
        r->decimal != 0) /* 12.5 where 1.250 are thousands, or are they? */
        return e->many[decimal] + e->parts[decimal] > 0 || e->open[decimal] == 0 ||
               e->open[decimal] > 20 * e->decimal[decimal];
    const char mark = mark_of(f);
    if (group <
        0) /* 446,00 may be what a format made of 0.446, where the column has points and nobody writes 12,5 */
        return r->decimal == 0 || r->decimal == mark || has_fraction(r->number, r->len) ||
               e->fraction[decimal] > 0 || e->decimal[!decimal] + e->many[!decimal] + e->open[!decimal] == 0;
    if (r->group == f->decimal.group)
        return !has_lost_digits(r->number, r->len);
    if (is_damaged(e, group, r->number, r->len, FAR))
        return false;
    if (r->group != mark || has_fraction(r->number, r->len))
        return true;
    /* The declared decimal sign between thousands: only where no cell takes it for what is declared, and
     * something speaks for it. */
    return e->open[group] == 0 && (r->named || e->parts[group] > 0 || is_round(e, group));
}

bool odp_number_lost(const struct odp_check *c, uint32_t i, uint32_t field, enum odp_code *code)
{
    const struct odp_field *f = odp_check_field(c, field);
    const struct odp_cell *cell = odp_check_cell(c, i, field);
    struct odp_slice s = cell != NULL
                             ? without_zeros(odp_slice_trim((struct odp_slice){cell->ptr, cell->len}))
                             : (struct odp_slice){NULL, 0};
    char number[64];
    size_t len = 0;
    struct figure figure;
    if (f->type != ODP_TYPE_NUMBER || s.len == 0 || s.len >= sizeof number ||
        (cell->flags & ODP_CELL_NATIVE) != 0)
        return false;
    *code = ODP_S30;
    if (odp_reads_as_date(s))
        return true;
    *code = ODP_S29;
    int sign = memchr(s.ptr, ',', s.len) != NULL;
    if (!read_figure(s, &figure) || !is_grouped(&figure, sign) || figure.count[sign] < 2 ||
        figure.count[1 - sign] > 0 || signs[sign] == f->decimal.group)
        return false;
    for (size_t k = 0; k < s.len; k++)
        if (odp_is_digit(s.ptr[k]))
            number[len++] = s.ptr[k];
    return is_damaged(odp_number_evidence(c, field), sign, number, len, BEYOND);
}
