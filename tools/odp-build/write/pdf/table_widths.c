/* Widths of columns: see table_internal.h.
 *
 * Every column begins with its least width; what is left is shared out by the square root of what the
 * column's cells measure together (which makes the sum of lines least where rows play no part). Then points
 * are moved from one column to another as long as the rows of the sample get lower: in large steps first,
 * then in small ones. */
#include <math.h>

#include "write/pdf/table_internal.h"

#define RAGGED     1.06 /* a wrapped text takes so much more than it measures: lines do not end at the edge */
#define LINE_SHARE 0.02 /* a line counts so much even where another column makes the row as high */
#define FIRST_STEP 48.0
#define LAST_STEP  1.5
#define SUMS       0.01 /* points that sums may be off */

enum { HALVINGS = 200, ROUNDS = 4 /* over all pairs of columns, a step */ };

double odp_table_widths_lines(double natural, double width)
{
    if (natural <= width)
        return 1;
    double lines = ceil(natural * RAGGED / (width > 1 ? width : 1));
    return lines < 2 ? 2 : lines;
}

/* The root of what column K holds; it decides how much the column gets beyond its least width. */
static double content(const struct odp_table_widths *w, uint32_t k)
{
    double all = 0;
    for (uint32_t row = 0; row < w->rows; row++)
        all += w->weight[row] * w->sample[(size_t)row * w->n + k];
    return sqrt(all) + 1e-3;
}

static void share(const struct odp_table_widths *w, double *width, double left)
{
    double low = 0, high = 1e9;
    for (uint32_t k = 0; k < w->n; k++)
        width[k] = content(w, k);
    /* The larger the factor, the more columns have their most: the right one is between 0 and what fills
     * every column. */
    for (int i = 0; i < HALVINGS; i++) {
        double factor = (low + high) / 2, used = 0;
        for (uint32_t k = 0; k < w->n; k++)
            used += fmin(w->most[k] - w->least[k], width[k] * factor);
        if (used > left)
            high = factor;
        else
            low = factor;
    }
    for (uint32_t k = 0; k < w->n; k++)
        width[k] = w->least[k] + fmin(w->most[k] - w->least[k], width[k] * low);
}

/* Lines of the sample's rows. */
static double height(const struct odp_table_widths *w, const double *width)
{
    double all = 0;
    for (uint32_t row = 0; row < w->rows; row++) {
        double most = 1, sum = 0;
        for (uint32_t k = 0; k < w->n; k++) {
            double lines = odp_table_widths_lines(w->sample[(size_t)row * w->n + k], width[k]);
            most = lines > most ? lines : most;
            sum += lines;
        }
        all += w->weight[row] * (most + LINE_SHARE * sum);
    }
    return all;
}

/* STEP points from column FROM to column TO where that makes the rows lower than *LEAST. */
static bool move(const struct odp_table_widths *w, double *width, double step, uint32_t from, uint32_t to,
                 double *least)
{
    if (from == to || width[from] - step < w->least[from] || width[to] >= w->most[to])
        return false;
    width[from] -= step;
    width[to] += step;
    double now = height(w, width);
    if (now < *least - 1e-9) {
        *least = now;
        return true;
    }
    width[from] += step;
    width[to] -= step;
    return false;
}

static void refine(const struct odp_table_widths *w, double *width)
{
    double least = height(w, width);
    for (double step = FIRST_STEP; step >= LAST_STEP; step /= 2) {
        bool moved = true;
        for (int round = 0; round < ROUNDS && moved; round++) {
            moved = false;
            for (uint32_t i = 0; i < w->n * w->n; i++)
                moved = move(w, width, step, i / w->n, i % w->n, &least) || moved;
        }
    }
}

bool odp_table_widths_solve(const struct odp_table_widths *w, double *width)
{
    double least = 0, most = 0;
    for (uint32_t k = 0; k < w->n; k++) {
        least += w->least[k];
        most += w->most[k];
    }
    if (least > w->room + SUMS)
        return false;
    for (uint32_t k = 0; k < w->n; k++)
        width[k] = w->most[k];
    if (most > w->room) {
        share(w, width, w->room - least);
        refine(w, width);
    }
    return true;
}
