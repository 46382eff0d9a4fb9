/* Classes of a map: breaks that part the values of places into fifths, rounded to numbers that are easy to
 * read. Of a panel they are the same over all its times. */
#include "write/summary/summary_internal.h"

#include <stdlib.h>

enum { PLACES_LEAST = 5, CLASSES = SUMMARY_BREAKS + 1, DIGITS_FEW = 2, DIGITS_MANY = 6 };

static int value_cmp(const void *a, const void *b)
{
    fixed x = *(const fixed *)a, y = *(const fixed *)b;
    return (x > y) - (x < y);
}

/* Down to DIGITS digits. */
static fixed round_down(fixed v, unsigned digits)
{
    fixed step = 1, size = fixed_absolute(v);
    for (; size >= fixed_power(digits); size /= 10)
        step *= 10;
    fixed part = v % step;
    return v - part - (part < 0 ? step : 0);
}

/* The breaks of the sorted VALUES: a fifth of them is below the first, and so on. Each has as few digits
 * as tell all of them apart. */
static uint32_t cut(const fixed *values, size_t n, fixed breaks[SUMMARY_BREAKS])
{
    uint32_t found = 0, wanted = 0;
    fixed raw[SUMMARY_BREAKS];
    for (size_t k = 0; k < SUMMARY_BREAKS; k++) {
        raw[k] = values[n * (k + 1) / CLASSES];
        wanted += raw[k] > values[0] && (k == 0 || raw[k] > raw[k - 1]);
    }
    for (unsigned digits = DIGITS_FEW; digits <= DIGITS_MANY; digits++) {
        found = 0;
        for (size_t k = 0; k < SUMMARY_BREAKS; k++) {
            fixed v = round_down(raw[k], digits);
            if (v > values[0] && (found == 0 || v > breaks[found - 1]))
                breaks[found++] = v;
        }
        if (found >= wanted)
            break;
    }
    return found;
}

static size_t add_value(const struct odp_summary *s, uint32_t k, const struct cell *cells, fixed *values,
                        size_t n)
{
    return n + (cells != NULL && summary_value(s, k, cells, &values[n]));
}

uint32_t summary_classes(struct odp_summary *s, uint32_t k, const struct level *level,
                         fixed breaks[SUMMARY_BREAKS])
{
    bool panel = s->measures->panel && s->ntimes > 0;
    size_t each = panel ? s->ntimes : 1, n = 0, places = 0, different = 0;
    fixed *values = malloc((level_places(level) * each + 1) * sizeof *values), other[SUMMARY_BREAKS], v;
    if (values == NULL) {
        s->arena.failed = odp_failure_memory() == ODP_FAIL;
        return 0;
    }
    for (uint32_t i = 0; i < level_places(level); i++) {
        places += summary_value(s, k, level->places[i].total, &v);
        for (size_t t = 0; t < each; t++)
            n = add_value(s, k, panel ? level->places[i].times[t] : level->places[i].total, values, n);
    }
    qsort(values, n, sizeof *values, value_cmp);
    uint32_t found = places >= PLACES_LEAST ? cut(values, n, breaks) : 0;
    if (places >= PLACES_LEAST && found < SUMMARY_BREAKS) { /* many are equal: by what differs */
        for (size_t i = 0; i < n; i++)
            if (different == 0 || values[i] != values[different - 1])
                values[different++] = values[i];
        uint32_t more = cut(values, different, other);
        if (more > found)
            memcpy(breaks, other, sizeof other);
        found = more > found ? more : found;
    }
    free(values);
    return found;
}
