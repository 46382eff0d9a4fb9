/* What is strange about the cells of a column, where it is known what they were.
 *
 *   moved    they are what another row had: of a row nearby (a cell was inserted or lost), or of any (the
 *            column was sorted alone)
 *   scaled   numbers of the same digits, by a power of ten
 *   changed  more of them than may; what changes with every version (figures of a state, dates of an update,
 *            steps of a procedure) only beyond what has changed before, or where the key has a time and so the
 *            past has changed */
#include <math.h>
#include <stdlib.h>

#include "check/drift/rows_internal.h"
#include "words/check.h"

struct cells {
    const struct pair *pair;
    const struct odp_drift_rows *rows;
    const struct row_column *column;
    uint64_t n;   /* cells concerned */
    int step;     /* of steps; STEPS: none of them */
    int power;    /* of ten */
    double usual; /* share that has changed before; < 0: not known */
};

static void add_of_rows(struct odp_buffer *out, enum odp_lang lang, const struct cells *c)
{
    odp_text_number(out, c->n, lang);
    odp_buffer_add_str(out, odp_word(lang, W_check_of));
    odp_text_number(out, c->rows->shared, lang);
    odp_buffer_add_str(out, odp_word(lang, W_check_of_rows));
}

static void report(const struct cells *c, enum odp_code code, enum odp_drift_kind kind, double size,
                   void (*say)(struct odp_buffer *out, enum odp_lang lang, const void *ctx),
                   const struct place *at)
{
    struct findings *f = c->pair->f;
    drift_add(c->pair, code, kind, size, drift_text(f, say, c));
    if (f->n > 0 && at->there)
        f->items[f->n - 1].place = &at->diag;
}

/* ---- moved ---- */

/* Nearly all rows: N of them. */
static bool is_most(uint64_t n, uint64_t of)
{
    return 10 * n >= 9 * of;
}

static bool is_running(const struct odp_drift_rows *w, const struct series *s)
{
    return w->rows > DRIFT_LITTLE && is_most(s->even, w->rows - 2);
}

/* By which step a column has moved: what has changed is what that row had, and what should have changed did.
 */
static int find_step(const struct row_column *c)
{
    int best = STEPS;
    uint64_t most = 0;
    for (int k = 0; k < STEPS; k++) {
        const struct step *s = &c->steps[k];
        if (s->same < DRIFT_LITTLE || s->same <= most || !is_most(s->same, c->changed) ||
            !is_most(s->same, s->until))
            continue;
        most = s->same;
        best = k;
    }
    return best;
}

/* A row was put in above, and the key is the number of the row: nothing has stayed with its key. */
static bool is_renumbered(const struct odp_drift_rows *w)
{
    size_t moved = 0;
    if (!is_running(w, &w->key_series))
        return false;
    for (uint32_t k = 0; k < w->ncolumns; k++) {
        const struct row_column *c = &w->columns[k];
        if (c->varies < DRIFT_LITTLE || is_running(w, &c->series))
            continue;
        if (2 * c->changed < c->varies)
            return false;
        moved += find_step(c) < STEPS;
    }
    return moved > 1 || (moved == 1 && w->n != w->rows);
}

static void say_moved(struct odp_buffer *out, enum odp_lang lang, const void *ctx)
{
    const struct cells *c = ctx;
    const int rows = c->step % (STEPS / 2) + 1;
    if (c->step == STEPS) {
        odp_buffer_add_str(out, odp_word(lang, W_check_same_elsewhere));
    } else {
        odp_buffer_add_str(out, odp_word(lang, W_check_moved_by));
        if (rows == 1)
            odp_buffer_add_str(out, odp_word(lang, W_check_one_row));
        else
            odp_buffer_printf(out, odp_word(lang, W_check_some_rows), rows);
        odp_buffer_add_str(out, c->step < STEPS / 2 ? odp_word(lang, W_check_down_in)
                                                    : odp_word(lang, W_check_up_in));
    }
    add_of_rows(out, lang, c);
}

/* Places: every whole number from 0 or 1 on. They change hands, as they should. */
static bool is_ranking(const struct odp_profile_field *f)
{
    if (f == NULL || f->type != ODP_TYPE_INTEGER || f->minimum == NULL)
        return false;
    const double least = strtod(f->minimum, NULL), greatest = strtod(f->maximum, NULL);
    return (least == 0 || least == 1) && greatest - least + 1 <= (double)f->distinct;
}

/* The same values in another order: more than chance, which of N changes among K sorts of values is about one
 * in N^((K-1)/2). */
static bool is_sorted(const struct row_column *c, uint64_t rows)
{
    const int sorts = __builtin_popcountll(c->variety);
    return c->before == c->now && c->changed >= DRIFT_LITTLE && 10 * c->changed >= rows &&
           pow((double)c->changed, (sorts - 1) / 2.0) >= 1000;
}

static bool compare_order(struct cells *c)
{
    const struct row_column *k = c->column;
    const double bound = c->pair->d->bound[ODP_DRIFT_MOVED];
    if (bound < 0 || is_running(c->rows, &k->series))
        return false;
    c->step = find_step(k);
    c->n = c->step < STEPS ? k->steps[c->step].same : k->changed;
    const bool sorted = c->step == STEPS && is_sorted(k, c->rows->shared) && !is_ranking(c->pair->b);
    const double size = (double)c->n / (double)c->rows->shared;
    if (!(sorted || c->step < STEPS) || size <= bound)
        return false;
    report(c, ODP_Q11, ODP_DRIFT_MOVED, size, say_moved, &k->first);
    return true;
}

/* ---- scaled ---- */

static void say_scaled(struct odp_buffer *out, enum odp_lang lang, const void *ctx)
{
    const struct cells *c = ctx;
    uint64_t times = 1;
    for (int k = abs(c->power); k > 0; k--)
        times *= 10;
    odp_text_number(out, c->n, lang);
    odp_buffer_add_str(out,
                       c->n == 1 ? odp_word(lang, W_check_value_is) : odp_word(lang, W_check_values_are));
    odp_buffer_add_str(out, c->power < 0 ? "1/" : "");
    odp_text_number(out, times, lang);
    odp_buffer_add_str(out, odp_word(lang, W_check_times_the_former));
}

/* Two digits that stay are chance in one of a hundred cells, four in one of ten thousand. */
static bool compare_scale(struct cells *c)
{
    const struct row_column *k = c->column;
    int best = 0;
    for (int i = 0; i < 2 * SCALE_MAX + 1; i++)
        if (k->scaled[i] > k->scaled[best])
            best = i;
    c->n = k->scaled[best];
    c->power = best - SCALE_MAX;
    const double size = pow(10, abs(c->power)) - 1;
    const bool sure = (c->n >= DRIFT_LITTLE && 2 * c->n >= k->changed) ||
                      (k->sharp[best] > 0 && 100 * k->sharp[best] >= k->changed);
    if (!sure || c->pair->d->bound[ODP_DRIFT_GROUP] < 0 || size <= c->pair->d->bound[ODP_DRIFT_GROUP])
        return false;
    report(c, ODP_Q14, ODP_DRIFT_GROUP, size, say_scaled, &k->first_scaled);
    return true;
}

/* ---- changed ---- */

static void say_changed(struct odp_buffer *out, enum odp_lang lang, const void *ctx)
{
    const struct cells *c = ctx;
    odp_buffer_add_str(out, odp_word(lang, W_check_cells_changed));
    add_of_rows(out, lang, c);
    odp_buffer_add_str(out, " (");
    drift_add_percent(out, (double)c->n / (double)c->rows->shared, false, lang);
    odp_buffer_add_char(out, ')');
    if (c->usual < 0)
        return;
    odp_buffer_add_str(out, odp_word(lang, W_check_before_that));
    drift_add_percent(out, c->usual, false, lang);
}

static bool key_has_time(const struct odp_resource *r)
{
    bool yes = false;
    for (uint32_t k = 0; k < r->schema.primary.n; k++)
        yes = yes || odp_type_family(r->schema.fields[r->schema.primary.fields[k]].type) == ODP_FAMILY_DATE;
    return yes;
}

/* Names and references do not change with the state of things. */
static bool is_lasting(const struct cells *c)
{
    const struct pair *p = c->pair;
    const struct odp_resource *r = c->rows->resource;
    bool refers = false;
    for (size_t i = 0; i < r->nforeign; i++)
        refers = refers || odp_key_has(&r->foreign[i].local, c->column->field);
    const bool name = p->field->type == ODP_TYPE_STRING && p->a != NULL && !p->a->listed &&
                      is_most(p->a->distinct, p->f->before->profile.rows);
    return refers || name || key_has_time(r);
}

static bool compare_changes(struct cells *c)
{
    const struct pair *p = c->pair;
    const struct odp_profile *before = &p->f->before->profile;
    const bool declared = p->d->where[ODP_DRIFT_CELLS] != NULL;
    c->usual = p->a != NULL && p->a->changed >= 0 && before->shared >= DRIFT_FEW
                   ? (double)p->a->changed / (double)before->shared
                   : -1;
    c->n = c->column->changed - c->column->filled;
    if (!declared && c->usual < 0 && !is_lasting(c))
        return false;
    const double share = (double)c->n / (double)c->rows->shared,
                 size = declared || c->usual < 0 ? share : share - c->usual;
    if (!drift_is_beyond(p, ODP_DRIFT_CELLS, size, (double)c->n))
        return false;
    report(c, ODP_Q13, ODP_DRIFT_CELLS, size, say_changed, &c->column->first);
    return true;
}

bool cells_compare(const struct pair *p, const struct odp_drift_rows *w, uint32_t k)
{
    struct pair own = *p;
    struct cells c = {.pair = &own, .rows = w, .column = rows_column(w, k)};
    own.rows_a = own.rows_b = (double)w->shared;
    return c.column != NULL && c.column->changed > 0 && !is_renumbered(w) &&
           (compare_order(&c) || compare_scale(&c) || compare_changes(&c));
}
