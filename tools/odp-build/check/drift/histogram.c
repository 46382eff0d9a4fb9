#include "check/drift/histogram.h"

enum { MASK = ODP_HISTOGRAM_FINE - 1, WEEK = 7, MONTHS = 12 };
enum { DAY, MONTH, YEAR }; /* levels of dates; beyond them ten, a hundred … years */

static const int64_t most = (int64_t)1 << 62; /* of k */

void odp_histogram_init(struct odp_histogram *h, bool is_date, struct odp_arena *a)
{
    *h = (struct odp_histogram){.bins = odp_arena_zero(a, ODP_HISTOGRAM_FINE, sizeof *h->bins),
                                .is_date = is_date};
}

/* ---- wider and narrower ---- */

static int64_t month_of(int64_t day)
{
    struct odp_datetime d;
    odp_date_from_days(&d, day);
    return (int64_t)d.year * MONTHS + d.month - 1;
}

/* Where bin K of LEVEL is one level up. */
static int64_t wider(int64_t k, int level, bool is_date)
{
    if (!is_date || level >= YEAR)
        return odp_histogram_floor(k, 10);
    return level == DAY ? month_of(k) : odp_histogram_floor(k, MONTHS);
}

static void widen(struct odp_histogram *h)
{
    uint64_t old[ODP_HISTOGRAM_FINE];
    int64_t low = h->low, high = h->high;
    memcpy(old, h->bins, sizeof old);
    memset(h->bins, 0, sizeof old);
    for (int64_t k = low; k <= high; k++)
        if (old[k & MASK] > 0)
            h->bins[wider(k, h->level, h->is_date) & MASK] += old[k & MASK];
    h->low = wider(low, h->level, h->is_date);
    h->high = wider(high, h->level, h->is_date);
    h->level++;
    h->exact = false;
}

/* Numbers of which every bin has but one: one more decimal. */
static void narrow(struct odp_histogram *h)
{
    uint64_t old[ODP_HISTOGRAM_FINE];
    if (10 * (__int128)(h->high - h->low) >= ODP_HISTOGRAM_FINE || h->high > most / 10 ||
        h->low < -most / 10) {
        h->exact = false;
        return;
    }
    memcpy(old, h->bins, sizeof old);
    memset(h->bins, 0, sizeof old);
    for (int64_t k = h->low; k <= h->high; k++)
        h->bins[10 * k & MASK] = old[k & MASK];
    h->low *= 10;
    h->high *= 10;
    h->level--;
}

/* ---- values ---- */

/* Where bin K of LEVEL is in H. */
static __int128 place_of(const struct odp_histogram *h, int64_t k, int level)
{
    __int128 at = k;
    for (int l = level; l > h->level; l--)
        at *= 10;
    for (int l = level; l < h->level; l++)
        k = wider(k, l, h->is_date);
    return level > h->level ? at : k;
}

static bool fits(const struct odp_histogram *h, __int128 k)
{
    __int128 low = k < h->low ? k : h->low, high = k > h->high ? k : h->high;
    return high - low < ODP_HISTOGRAM_FINE && k < most && k > -most;
}

/* N values of bin K of LEVEL; EXACT: that bin has but one. */
static void add(struct odp_histogram *h, int64_t k, int level, bool exact, uint64_t n)
{
    if (!h->any) {
        h->any = true;
        h->level = level;
        h->exact = exact;
        h->low = h->high = k;
    }
    while (h->exact && h->level > level)
        narrow(h);
    while (!exact && h->level < level)
        widen(h);
    h->exact = h->exact && exact;
    while (!fits(h, place_of(h, k, level)))
        widen(h);
    int64_t at = (int64_t)place_of(h, k, level);
    h->bins[at & MASK] += n;
    h->low = at < h->low ? at : h->low;
    h->high = at > h->high ? at : h->high;
}

void odp_histogram_meet(struct odp_histogram *h, int64_t m, unsigned scale)
{
    if (h->bins != NULL)
        add(h, m, -(int)scale, true, 1);
}

static int64_t digits_of(const char *text, size_t n)
{
    int64_t v = 0;
    for (size_t i = 0; i < n; i++)
        v = 10 * v + (text[i] - '0');
    return v;
}

void odp_histogram_date(struct odp_histogram *h, const char *text, enum odp_date_kind kind)
{
    if (h->bins == NULL)
        return;
    struct odp_datetime d = {.year = (int16_t)digits_of(text, 4)};
    if (kind == ODP_YEAR) {
        add(h, d.year, YEAR, false, 1);
        return;
    }
    d.month = (uint8_t)digits_of(text + 5, 2);
    if (kind == ODP_YEARMONTH || h->level > DAY) {
        add(h, (int64_t)d.year * MONTHS + d.month - 1, MONTH, false, 1);
        return;
    }
    d.day = (uint8_t)digits_of(text + 8, 2);
    add(h, odp_date_days(&d), DAY, false, 1);
}

void odp_histogram_merge(struct odp_histogram *h, const struct odp_histogram *other)
{
    if (other->bins == NULL)
        odp_histogram_stop(h);
    for (int64_t k = other->low; h->bins != NULL && other->any && k <= other->high; k++)
        if (other->bins[k & MASK] > 0)
            add(h, k, other->level, other->exact, other->bins[k & MASK]);
}

/* ---- the end ---- */

/* Intervals to choose from: N bins of LEVEL. */
struct step {
    int level;
    int64_t n;
};

static int64_t index_of(const struct odp_histogram *h, int64_t k, struct step step)
{
    if (!h->is_date)
        return odp_histogram_floor(k, step.n);
    for (int l = h->level; l < step.level; l++)
        k = wider(k, l, true);
    if (h->level > YEAR)
        k *= odp_histogram_powers[h->level - YEAR];
    return odp_histogram_floor(step.n == WEEK ? k + 3 : k, step.n); /* 1970-01-01 was a Thursday */
}

/* The narrowest that gives no more than ODP_HISTOGRAM_BINS. */
static struct step step_of(const struct odp_histogram *h)
{
    static const struct step dates[] = {{DAY, 1},   {DAY, WEEK}, {MONTH, 1},  {MONTH, 3},  {MONTH, 6},
                                        {YEAR, 1},  {YEAR, 2},   {YEAR, 5},   {YEAR, 10},  {YEAR, 20},
                                        {YEAR, 50}, {YEAR, 100}, {YEAR, 200}, {YEAR, 500}, {YEAR, 1000}};
    static const int64_t round[] = {1, 2, 5};
    struct step s = {0};
    for (size_t i = 0; h->is_date ? i < ODP_COUNT(dates) : true; i++) {
        s = h->is_date ? dates[i] : (struct step){h->level, round[i % 3] * odp_histogram_powers[i / 3]};
        bool whole = h->level <= YEAR ? s.level >= h->level : s.n >= odp_histogram_powers[h->level - YEAR];
        if ((!h->is_date || whole) && index_of(h, h->high, s) - index_of(h, h->low, s) < ODP_HISTOGRAM_BINS)
            break;
    }
    return s;
}

static const char *date_text(struct step s, int64_t i, enum odp_date_kind kind, struct odp_arena *a)
{
    struct odp_datetime d = {.month = 1, .day = 1};
    int64_t k = i * s.n;
    if (s.level == DAY)
        odp_date_from_days(&d, s.n == WEEK ? k - 3 : k);
    else
        d.year = (int16_t)(s.level == MONTH ? odp_histogram_floor(k, MONTHS) : k);
    if (s.level == MONTH)
        d.month = (uint8_t)(1 + k - (int64_t)d.year * MONTHS);
    char *text = odp_arena_printf(a, "%04d-%02d-%02d", d.year, d.month, d.day);
    if (kind == ODP_YEAR || kind == ODP_YEARMONTH)
        strrchr(text, '-')[0] = '\0';
    if (kind == ODP_YEAR)
        strrchr(text, '-')[0] = '\0';
    return text;
}

static const char *number_text(const struct odp_histogram *h, int64_t k, struct odp_arena *a)
{
    char normal[ODP_DECIMAL_SIZE];
    const char *text = odp_arena_printf(a, "%llde%d", (long long)k, h->level);
    return odp_arena_copy(a, (struct odp_slice){normal, odp_decimal_normal(odp_slice_of(text), normal)}).ptr;
}

struct odp_histogram_bins odp_histogram_end(const struct odp_histogram *h, enum odp_date_kind kind,
                                            struct odp_arena *a)
{
    struct odp_histogram_bins out = {0};
    if (h->bins == NULL || !h->any)
        return out;
    struct step s = step_of(h);
    int64_t first = index_of(h, h->low, s);
    out.n = (size_t)(index_of(h, h->high, s) - first + 1);
    out.counts = odp_arena_zero(a, out.n, sizeof *out.counts);
    out.bounds = odp_arena_array(a, out.n + 1, sizeof *out.bounds);
    for (int64_t k = h->low; k <= h->high; k++)
        out.counts[index_of(h, k, s) - first] += h->bins[k & MASK];
    for (size_t i = 0; i <= out.n; i++) {
        int64_t at = first + (int64_t)i;
        out.bounds[i] = h->is_date ? date_text(s, at, kind, a) : number_text(h, at * s.n, a);
    }
    return out;
}
