/* Widths of columns: see table_internal.h.
 *
 * Every column begins with its least width; what is left is shared out by the square root of what the column's cells measure
 * together (which makes the sum of lines least where rows play no part). Then points are moved from one column to another as
 * long as the rows of the sample get lower: in large steps first, then in small ones; always the best move of all.
 *
 * The least width of a column is that of its widest word; figures, and texts of up to 64 points, insist on one line; longer texts
 * on 84 points where there is room. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "write/pdf/table_internal.h"

#define RAGGED     1.06 /* a wrapped text takes so much more than it measures: lines do not end at the edge */
#define LINE_SHARE 0.02 /* a line counts so much even where another column makes the row as high */
#define FIRST_STEP 48.0
#define LAST_STEP  1.5
#define SUMS       0.01 /* points that sums may be off */
#define ROUNDS     60   /* moves of one size */

double odp_table_widths_lines(double natural, double width)
{
    if (natural <= width)
        return 1;
    double lines = ceil(natural * RAGGED / (width > 1 ? width : 1));
    return lines < 2 ? 2 : lines;
}

/* Of one sample row: the three columns with most lines, so that the height without any two columns is known. */
struct top {
    double lines[3];
    uint32_t column[3];
};

struct search {
    const struct odp_table_widths *w;
    double *width;
    uint32_t *loose;           /* columns that can be of several widths */
    uint32_t n;                /* how many */
    double *now, *more, *less; /* lines of loose columns: [i * rows + row], at this width, a step wider, a step narrower */
    struct top *top;
};

static double natural(const struct odp_table_widths *w, uint32_t row, uint32_t column)
{
    return w->sample[(size_t)row * w->n + column];
}

static void set_lines(const struct search *s, double *lines, uint32_t i, double width)
{
    const struct odp_table_widths *w = s->w;
    for (uint32_t row = 0; row < w->rows; row++) {
        double measure = natural(w, row, s->loose[i]);
        lines[(size_t)i * w->rows + row] = measure <= width   ? 1
                                           : w->lines != NULL ? w->lines(w->ctx, row, s->loose[i], width)
                                                              : odp_table_widths_lines(measure, width);
    }
}

static void set_column(const struct search *s, uint32_t i, double step)
{
    double width = s->width[s->loose[i]];
    set_lines(s, s->now, i, width);
    set_lines(s, s->more, i, width + step);
    set_lines(s, s->less, i, width - step);
}

static void set_top(const struct search *s)
{
    for (uint32_t row = 0; row < s->w->rows; row++) {
        struct top *t = &s->top[row];
        *t = (struct top){{1, 1, 1}, {UINT32_MAX, UINT32_MAX, UINT32_MAX}};
        for (uint32_t i = 0; i < s->n; i++) {
            double l = s->now[(size_t)i * s->w->rows + row];
            int at = l > t->lines[0] ? 0 : l > t->lines[1] ? 1 : l > t->lines[2] ? 2 : 3;
            for (int k = 2; k > at; k--) {
                t->lines[k] = t->lines[k - 1];
                t->column[k] = t->column[k - 1];
            }
            if (at < 3) {
                t->lines[at] = l;
                t->column[at] = i;
            }
        }
    }
}

/* How much lower the sample gets with A a step narrower and B a step wider. */
static double gain(const struct search *s, uint32_t a, uint32_t b)
{
    double all = 0;
    for (uint32_t row = 0; row < s->w->rows; row++) {
        const struct top *t = &s->top[row];
        double la = s->less[(size_t)a * s->w->rows + row], lb = s->more[(size_t)b * s->w->rows + row];
        double na = s->now[(size_t)a * s->w->rows + row], nb = s->now[(size_t)b * s->w->rows + row];
        if (la == na && lb == nb)
            continue;
        int k = 0;
        while (k < 2 && (t->column[k] == a || t->column[k] == b))
            k++;
        double high = t->lines[k];
        high = la > high ? la : high;
        high = lb > high ? lb : high;
        all += s->w->weight[row] * (t->lines[0] - high + LINE_SHARE * (na + nb - la - lb));
    }
    return all;
}

/* The best move of STEP points; false: none makes the rows lower. */
static bool move(struct search *s, double step)
{
    double best = 1e-9;
    uint32_t from = 0, to = 0;
    for (uint32_t a = 0; a < s->n; a++) {
        if (s->width[s->loose[a]] - step < s->w->least[s->loose[a]])
            continue;
        for (uint32_t b = 0; b < s->n; b++) {
            if (a == b || s->width[s->loose[b]] >= s->w->most[s->loose[b]])
                continue;
            double g = gain(s, a, b);
            if (g > best) {
                best = g;
                from = a;
                to = b;
            }
        }
    }
    if (from == to)
        return false;
    s->width[s->loose[from]] -= step;
    s->width[s->loose[to]] += step;
    set_column(s, from, step);
    set_column(s, to, step);
    set_top(s);
    return true;
}

static void refine(struct search *s)
{
    for (double step = FIRST_STEP; step >= LAST_STEP; step /= 2) {
        for (uint32_t i = 0; i < s->n; i++)
            set_column(s, i, step);
        set_top(s);
        for (int round = 0; round < ROUNDS && move(s, step); round++)
            ;
    }
}

/* What is left beyond the least widths, shared out by the square root of the columns' contents; none gets more than its most.
 */
static void share(const struct odp_table_widths *w, double *width, double left)
{
    double *need = width; /* for now */
    for (uint32_t k = 0; k < w->n; k++) {
        double sum = 0;
        for (uint32_t row = 0; row < w->rows; row++)
            sum += w->weight[row] * natural(w, row, k);
        need[k] = w->most[k] > w->least[k] ? sqrt(sum) + 1e-3 : 0;
    }
    /* The larger the factor, the more columns have their most: the right one is between 0 and what fills every column. */
    double low = 0, high = 1e9;
    for (int i = 0; i < 200; i++) {
        double factor = (low + high) / 2, used = 0;
        for (uint32_t k = 0; k < w->n; k++)
            used += fmin(w->most[k] - w->least[k], need[k] * factor);
        if (used > left)
            high = factor;
        else
            low = factor;
    }
    for (uint32_t k = 0; k < w->n; k++)
        width[k] = w->least[k] + fmin(w->most[k] - w->least[k], need[k] * low);
}

static enum odp_status search(const struct odp_table_widths *w, double *width)
{
    struct search s = {.w = w, .width = width};
    enum odp_status status = ODP_FAIL;
    size_t cells = (size_t)w->n * w->rows;
    s.loose = odp_realloc_array(NULL, (size_t)w->n + 1, sizeof *s.loose);
    s.now = odp_realloc_array(NULL, cells + 1, sizeof *s.now);
    s.more = odp_realloc_array(NULL, cells + 1, sizeof *s.more);
    s.less = odp_realloc_array(NULL, cells + 1, sizeof *s.less);
    s.top = odp_realloc_array(NULL, (size_t)w->rows + 1, sizeof *s.top);
    if (s.loose != NULL && s.now != NULL && s.more != NULL && s.less != NULL && s.top != NULL) {
        for (uint32_t k = 0; k < w->n; k++)
            if (w->most[k] > w->least[k])
                s.loose[s.n++] = k;
        refine(&s);
        status = ODP_OK;
    }
    free(s.loose);
    free(s.now);
    free(s.more);
    free(s.less);
    free(s.top);
    return status;
}

enum odp_status odp_table_widths_solve(const struct odp_table_widths *w, double *width)
{
    double least = 0, most = 0;
    for (uint32_t k = 0; k < w->n; k++) {
        least += w->least[k];
        most += w->most[k];
    }
    if (least > w->room + SUMS)
        return ODP_BAD;
    if (most <= w->room) {
        for (uint32_t k = 0; k < w->n; k++)
            width[k] = w->most[k];
        return ODP_OK;
    }
    share(w, width, w->room - least);
    return search(w, width);
}
