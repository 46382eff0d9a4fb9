/* What has changed more than it may. Bounds of the catalogue hold as they stand; defaults spare small
 * tables: fewer than DRIFT_FEW records, or differences of fewer than DRIFT_LITTLE, say nothing
 * (docs/checks.md). Doubles are enough here: they decide a warning, and no published byte. */
#include <math.h>
#include <stdlib.h>

#include "check/drift/rows_internal.h"
#include "words/check.h"

enum { NAMED = 3 };
static const double box_floor = 0.5;  /* degrees by which a side may always move */
static const double days_floor = 730; /* days by which dates may always exceed the old ones */
static const double seldom = 0.01;    /* a category of a smaller share may vanish */

static double ratio(double before, double now)
{
    return before != 0 ? (now - before) / fabs(before) : now == 0 ? 0 : INFINITY;
}

/* ---- rows ---- */

/* "; tidak ada lagi: kode_provinsi “91”": what went with the rows. */
static void add_lost_values(struct odp_buffer *out, enum odp_lang lang, const struct findings *f)
{
    size_t named = 0;
    for (size_t i = 0; i < f->before->profile.n && named < NAMED; i++) {
        const struct odp_profile_field *a = &f->before->profile.fields[i],
                                       *b = odp_profile_find(f->now, a->name);
        for (size_t k = 0; a->listed && b != NULL && b->listed && k < a->nvalues && named < NAMED; k++) {
            bool there = (double)a->values[k].count < seldom * (double)f->before->profile.rows;
            for (size_t m = 0; m < b->nvalues && !there; m++)
                there = odp_slice_eq(a->values[k].value, b->values[m].value);
            if (there)
                continue;
            odp_buffer_add_str(out, named++ > 0 ? ", " : odp_word(lang, W_check_gone));
            odp_buffer_printf(out, "%s “%.*s”", a->name, (int)a->values[k].value.len, a->values[k].value.ptr);
        }
    }
}

static void say_rows(struct odp_buffer *out, enum odp_lang lang, const void *ctx)
{
    const struct findings *f = ctx;
    odp_buffer_add_str(out, odp_word(lang, W_check_rows));
    odp_text_number(out, f->before->profile.rows, lang);
    odp_buffer_add_str(out, " → ");
    odp_text_number(out, f->now->rows, lang);
    odp_buffer_add_str(out, " (");
    drift_add_percent(out, ratio((double)f->before->profile.rows, (double)f->now->rows), true, lang);
    odp_buffer_add_char(out, ')');
    if (f->now->rows > 0 && f->now->rows < f->before->profile.rows)
        add_lost_values(out, lang, f);
}

static void compare_rows(struct findings *f)
{
    const struct odp_drift *d = &f->resource->drift;
    double before = (double)f->before->profile.rows, now = (double)f->now->rows,
           size = fabs(ratio(before, now));
    bool declared = d->where[ODP_DRIFT_ROWS] != NULL;
    bool little = !declared && now > 0 && fabs(now - before) < DRIFT_LITTLE;
    if (d->bound[ODP_DRIFT_ROWS] < 0 || before == 0 || size <= d->bound[ODP_DRIFT_ROWS] || little)
        return;
    f->rows = true;
    drift_add(&(struct pair){.f = f, .d = d}, now > 0 ? ODP_Q01 : ODP_Q08, ODP_DRIFT_ROWS, size,
              drift_text(f, say_rows, f));
}

/* ---- one field ---- */

static double share(uint64_t n, double rows)
{
    return rows > 0 ? (double)n / rows : 0;
}

static void say_nulls(struct odp_buffer *out, enum odp_lang lang, const void *ctx)
{
    const struct pair *p = ctx;
    odp_buffer_add_str(out, odp_word(lang, W_check_empty_cells));
    drift_add_percent(out, share(p->a->nulls, p->rows_a), false, lang);
    odp_buffer_add_str(out, " → ");
    drift_add_percent(out, share(p->b->nulls, p->rows_b), false, lang);
    odp_buffer_add_str(out, odp_word(lang, W_check_of_the_rows));
}

/* Only when there are more of them: a column that fills up is what everybody waits for. */
static bool compare_nulls(const struct pair *p)
{
    double size = share(p->b->nulls, p->rows_b) - share(p->a->nulls, p->rows_a);
    if (!drift_is_beyond(p, ODP_DRIFT_NULLS, size, size * fmin(p->rows_a, p->rows_b)))
        return false;
    drift_add(p, ODP_Q02, ODP_DRIFT_NULLS, size, drift_text(p->f, say_nulls, p));
    return true;
}

/* ---- shares of listed values ---- */

struct shift {
    const struct pair *pair;
    struct odp_slice value;
    double before, now;
    size_t others;
    bool gone;
};

static void say_share(struct odp_buffer *out, enum odp_lang lang, const void *ctx)
{
    const struct shift *s = ctx;
    bool id = lang == ODP_LANG_ID;
    odp_buffer_printf(out, odp_word(lang, W_check_share_of), (int)s->value.len, s->value.ptr);
    drift_add_percent(out, s->before, false, lang);
    odp_buffer_add_str(out, " → ");
    if (s->gone)
        odp_buffer_add_str(out, odp_word(lang, W_check_0_gone));
    else
        drift_add_percent(out, s->now, false, lang);
    if (s->others > 0)
        odp_buffer_printf(out,
                          id               ? "; begitu juga %zu nilai lain"
                          : s->others == 1 ? "; and %zu other value"
                                           : "; and %zu other values",
                          s->others);
}

static uint64_t count_of(const struct odp_profile_field *f, struct odp_slice value)
{
    for (size_t i = 0; i < f->nvalues; i++)
        if (odp_slice_eq(f->values[i].value, value))
            return f->values[i].count;
    return 0;
}

/* One value that may have moved: kept in S where it has moved furthest; vanished goes before moved. */
static void meet_value(const struct pair *p, struct odp_slice value, struct shift *s, double *furthest)
{
    uint64_t na = count_of(p->a, value), nb = count_of(p->b, value);
    double before = share(na, p->rows_a), now = share(nb, p->rows_b), size = fabs(now - before);
    bool declared = p->d->where[ODP_DRIFT_SHARE] != NULL;
    bool gone = nb == 0 && before >= seldom &&
                (declared || (na >= DRIFT_LITTLE && before * p->rows_b >= DRIFT_LITTLE)) &&
                p->d->bound[ODP_DRIFT_SHARE] >= 0;
    if (!gone && !drift_is_beyond(p, ODP_DRIFT_SHARE, size, size * fmin(p->rows_a, p->rows_b)))
        return;
    double weight = size + (gone ? 2 : 0);
    if (*furthest > 0)
        s->others++;
    if (weight <= *furthest)
        return;
    *furthest = weight;
    s->value = value;
    s->before = before;
    s->now = now;
    s->gone = gone;
}

static bool compare_shares(const struct pair *p)
{
    struct shift s = {.pair = p};
    double furthest = 0;
    if (!p->a->listed || !p->b->listed)
        return false;
    for (size_t i = 0; i < p->a->nvalues; i++)
        meet_value(p, p->a->values[i].value, &s, &furthest);
    for (size_t i = 0; i < p->b->nvalues; i++)
        if (count_of(p->a, p->b->values[i].value) == 0)
            meet_value(p, p->b->values[i].value, &s, &furthest);
    if (furthest == 0)
        return false;
    drift_add(p, ODP_Q06, ODP_DRIFT_SHARE, s.gone ? INFINITY : fabs(s.now - s.before),
              drift_text(p->f, say_share, &s)); /* no bound lets a value vanish: only false does */
    return true;
}

/* ---- measures ---- */

/* The value on a line: numbers themselves, dates in days. NAN: none. */
static double place_of(const char *text, enum odp_type type)
{
    struct odp_datetime t;
    if (odp_type_is_number(type))
        return strtod(text, NULL);
    if (type == ODP_TYPE_TIME ||
        odp_date_parse(odp_slice_of(text), odp_field_type(type)->date, NULL, NULL, &t) != ODP_DATE_OK)
        return NAN;
    t.month = t.month > 0 ? t.month : 1;
    t.day = t.day > 0 ? t.day : 1;
    return (double)odp_date_days(&t);
}

static void say_range(struct odp_buffer *out, enum odp_lang lang, const void *ctx)
{
    const struct pair *p = ctx;
    bool number = p->a->sum != NULL;
    const char *texts[] = {p->a->minimum, p->a->maximum, p->b->minimum, p->b->maximum};
    static const char *const between[] = {" … ", " → ", " … ", ""};
    odp_buffer_add_str(out, odp_word(lang, W_check_range_values));
    for (int i = 0; i < 4; i++) {
        if (number)
            drift_add_figure(out, texts[i], lang);
        else
            odp_buffer_add_str(out, texts[i]);
        odp_buffer_add_str(out, between[i]);
    }
}

/* How far beyond the old range, as a multiple of it (of a range that is a point: of its value). */
static bool compare_ranges(const struct pair *p)
{
    if (p->in_key || p->a->minimum == NULL || p->b->minimum == NULL)
        return false;
    double low = place_of(p->a->minimum, p->a->type), high = place_of(p->a->maximum, p->a->type);
    double least = place_of(p->b->minimum, p->b->type), greatest = place_of(p->b->maximum, p->b->type);
    bool number = p->a->sum != NULL, declared = p->d->where[ODP_DRIFT_RANGE] != NULL;
    double width = number ? fmax(high - low, fmax(fabs(low), fabs(high))) : fmax(high - low, 1),
           beyond = fmax(low - least, greatest - high);
    if (declared && number && high > low)
        width = high - low;
    if (!(width > 0) || !(beyond > 0) || (!number && !declared && beyond <= days_floor))
        return false;
    if (!drift_is_beyond(p, ODP_DRIFT_RANGE, beyond / width, DRIFT_LITTLE))
        return false;
    drift_add(p, ODP_Q05, ODP_DRIFT_RANGE, beyond / width, drift_text(p->f, say_range, p));
    return true;
}

static void say_sum(struct odp_buffer *out, enum odp_lang lang, const void *ctx)
{
    const struct pair *p = ctx;
    double change = ratio(strtod(p->a->sum, NULL), strtod(p->b->sum, NULL));
    odp_buffer_add_str(out, odp_word(lang, W_check_sum_values));
    drift_add_figure(out, p->a->sum, lang);
    odp_buffer_add_str(out, " → ");
    drift_add_figure(out, p->b->sum, lang);
    if (!isfinite(change))
        return;
    odp_buffer_add_str(out, " (");
    drift_add_percent(out, change, true, lang);
    odp_buffer_add_char(out, ')');
}

/* A sum of values of both signs may be anything; their range says more. */
static bool has_both_signs(const struct odp_profile_field *f)
{
    return f->minimum != NULL && *f->minimum == '-' && *f->maximum != '-';
}

/* One value alone has moved the sum: then it is the range that is strange. */
static bool is_a_slip(const struct pair *p)
{
    double before = strtod(p->a->sum, NULL), now = strtod(p->b->sum, NULL),
           least = strtod(p->b->minimum, NULL), greatest = strtod(p->b->maximum, NULL);
    double without = fabs(greatest) > fabs(least) ? now - greatest : now - least;
    return fabs(ratio(before, without)) <= p->d->bound[ODP_DRIFT_SUM];
}

static bool compare_sums(const struct pair *p)
{
    if (p->f->rows || p->in_key || p->a->sum == NULL || p->b->sum == NULL || has_both_signs(p->a) ||
        has_both_signs(p->b))
        return false;
    double size = fabs(ratio(strtod(p->a->sum, NULL), strtod(p->b->sum, NULL)));
    if (!drift_is_beyond(p, ODP_DRIFT_SUM, size, DRIFT_LITTLE) || (is_a_slip(p) && compare_ranges(p)))
        return false;
    drift_add(p, ODP_Q04, ODP_DRIFT_SUM, size, drift_text(p->f, say_sum, p));
    return true;
}

static void say_distinct(struct odp_buffer *out, enum odp_lang lang, const void *ctx)
{
    const struct pair *p = ctx;
    odp_buffer_add_str(out, odp_word(lang, W_check_different_values));
    odp_buffer_add_str(out, p->a->estimated ? "≈ " : "");
    odp_text_number(out, p->a->distinct, lang);
    odp_buffer_add_str(out, p->b->estimated ? " → ≈ " : " → ");
    odp_text_number(out, p->b->distinct, lang);
    odp_buffer_add_str(out, " (");
    drift_add_percent(out, ratio((double)p->a->distinct, (double)p->b->distinct), true, lang);
    odp_buffer_add_char(out, ')');
}

static bool compare_distinct(const struct pair *p)
{
    double before = (double)p->a->distinct, now = (double)p->b->distinct, size = fabs(ratio(before, now));
    /* Many became one: that is little in number, and much in a column that told records apart. */
    double moved = fabs(now - before);
    if (p->f->rows || p->a->distinct == 0 || !drift_is_beyond(p, ODP_DRIFT_DISTINCT, size, moved))
        return false;
    drift_add(p, ODP_Q03, ODP_DRIFT_DISTINCT, size, drift_text(p->f, say_distinct, p));
    return true;
}

/* ---- geometry ---- */

static void add_box(struct odp_buffer *out, const double box[4])
{
    char text[40];
    for (int i = 0; i < 4; i++) {
        odp_buffer_add_str(out, i > 0 ? ", " : "[");
        odp_buffer_add(out, text, odp_decimal_fixed(box[i], 3, text));
    }
    odp_buffer_add_char(out, ']');
}

static void say_box(struct odp_buffer *out, enum odp_lang lang, const void *ctx)
{
    const struct findings *f = ctx;
    odp_buffer_add_str(out, odp_word(lang, W_check_box_geometry));
    add_box(out, f->before->profile.bbox);
    odp_buffer_add_str(out, " → ");
    add_box(out, f->now->bbox);
}

static void say_located(struct odp_buffer *out, enum odp_lang lang, const void *ctx)
{
    const struct findings *f = ctx;
    odp_buffer_add_str(out, odp_word(lang, W_check_rows_with_geometry));
    drift_add_percent(out, share(f->before->profile.located, (double)f->before->profile.rows), false, lang);
    odp_buffer_add_str(out, " → ");
    drift_add_percent(out, share(f->now->located, (double)f->now->rows), false, lang);
}

/* How far a side has moved, as a part of the box; with fewer rows it may shrink. */
static double box_moved(const struct findings *f, bool declared)
{
    const double *a = f->before->profile.bbox, *b = f->now->bbox;
    double most = 0;
    for (int i = 0; i < 4; i++) {
        double size = a[(i & 1) + 2] - a[i & 1], move = i < 2 ? a[i] - b[i] : b[i] - a[i];
        if (f->rows && f->now->rows < f->before->profile.rows && move < 0)
            continue;
        if (!declared && fabs(move) <= box_floor)
            continue;
        most = fmax(most, size > 0 ? fabs(move) / size : INFINITY);
    }
    return most;
}

static void compare_geometry(struct findings *f)
{
    const struct odp_profile *a = &f->before->profile, *b = f->now;
    const struct odp_drift *d = &f->resource->drift;
    const struct pair p = {.f = f, .d = d, .rows_a = (double)a->rows, .rows_b = (double)b->rows};
    if (!a->has_geometry || !b->has_geometry)
        return;
    double lost = share(a->located, p.rows_a) - share(b->located, p.rows_b);
    if (drift_is_beyond(&p, ODP_DRIFT_NULLS, lost, lost * fmin(p.rows_a, p.rows_b))) {
        drift_add(&p, ODP_Q07, ODP_DRIFT_NULLS, lost, drift_text(f, say_located, f));
        return;
    }
    double size = a->has_bbox && b->has_bbox ? box_moved(f, d->where[ODP_DRIFT_BOX] != NULL) : 0;
    if (drift_is_beyond(&p, ODP_DRIFT_BOX, size, DRIFT_LITTLE))
        drift_add(&p, ODP_Q07, ODP_DRIFT_BOX, size, drift_text(f, say_box, f));
}

/* ---- all of it ---- */

static bool is_in_key(const struct odp_resource *r, uint32_t field)
{
    bool yes = odp_key_has(&r->schema.primary, field) || r->schema.fields[field].constraints.unique;
    for (size_t i = 0; i < r->schema.nunique; i++)
        yes = yes || odp_key_has(&r->schema.unique[i], field);
    for (size_t i = 0; i < r->nforeign; i++)
        yes = yes || odp_key_has(&r->foreign[i].local, field);
    return yes;
}

/* What FIELD was, under this name or an earlier one. */
static const struct odp_profile_field *find_before(const struct findings *f, const struct odp_field *field)
{
    const struct odp_profile_field *a = odp_profile_find(&f->before->profile, field->name);
    for (size_t i = 0; i < field->nformer && a == NULL; i++)
        a = odp_profile_find(&f->before->profile, field->former[i]);
    return a;
}

/* By the statistics of both versions. */
static void compare_profiles(const struct pair *p, uint32_t k)
{
    const struct odp_resource *r = p->f->resource;
    if (p->a == NULL || p->b == NULL || compare_nulls(p))
        return;
    bool same =
        p->a->type == p->b->type || (odp_type_is_number(p->a->type) && odp_type_is_number(p->b->type));
    /* The day of the data moves on with every version: that is its purpose. */
    if (!same || (r->primary && r->dataset->last_update_field == (int)k))
        return;
    if (!p->f->rows && compare_shares(p))
        return;
    size_t found = p->f->n;
    if (!compare_sums(p) && p->f->n == found && !compare_ranges(p))
        (void)compare_distinct(p);
}

static void compare_field(struct findings *f, uint32_t k, const struct odp_drift_rows *rows)
{
    const struct odp_resource *r = f->resource;
    const struct odp_field *field = &r->schema.fields[k];
    const struct pair p = {.f = f,
                           .field = field,
                           .d = field->drift != NULL ? field->drift : &r->drift,
                           .a = find_before(f, field),
                           .b = odp_profile_find(f->now, field->name),
                           .rows_a = (double)f->before->profile.rows,
                           .rows_b = (double)f->now->rows,
                           .in_key = is_in_key(r, k)};
    const size_t found = f->n;
    if (!field->is_public)
        return;
    compare_profiles(&p, k);
    if (f->n == found && rows != NULL && !cells_compare(&p, rows, k))
        (void)groups_compare(&p, rows, k);
}

enum odp_status odp_drift_compare(const struct odp_resource *r, const struct odp_drift_before *before,
                                  const struct odp_drift_now *now, struct odp_diags *diags)
{
    struct findings f = {.resource = r,
                         .before = before,
                         .now = now->profile,
                         .file = now->file,
                         .room = (size_t)r->schema.n + 4};
    f.items = odp_arena_zero(&f.arena, f.room, sizeof *f.items);
    compare_rows(&f);
    for (uint32_t k = 0; k < r->schema.n && f.now->rows > 0; k++)
        compare_field(&f, k, now->rows);
    if (f.now->rows > 0)
        compare_geometry(&f);
    enum odp_status status = drift_report(&f, diags);
    if (status != ODP_FAIL && now->rows != NULL) {
        const enum odp_status keys = respelled_report(&f, now->rows, diags);
        status = keys == ODP_OK ? status : keys;
    }
    odp_arena_release(&f.arena);
    return status;
}
