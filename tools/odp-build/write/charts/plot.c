/* Colours, labels of values and ticks, for all kinds of pictures. Ticks of values are made by exact
 * arithmetic, those of time by the calendar.
 *
 * The categorical colours differ from each other for every kind of colour vision (CIE76 distance of at
 * least 20 between any two, under simulated protanopia, deuteranopia and tritanopia), and neighbours
 * differ in lightness by 30 and more, so that they stay apart in grey print; each has a contrast of at
 * least 3:1 to white; in the dark the same of the colours that replace them, but for grey print, to what
 * is behind them. The steps go from light to dark (in the dark: from dim to bright), 9 and more apart.
 * tests/unit/write/test_chart.c computes all of this. */
#include "write/charts/charts_internal.h"

#include <stdio.h>

#include "write/typesetting/words.h"

/* ---- colours ---- */

/* A colour on white, and in the dark. */
struct shade {
    struct rgb light, dark;
};

static const struct shade colors[] = {
    {{0x00, 0x38, 0xAD}, {0x7D, 0x8D, 0xFB}}, {{0xC6, 0x83, 0x1D}, {0xF7, 0xB6, 0x33}},
    {{0x18, 0x2F, 0x25}, {0xB1, 0xE7, 0xC8}}, {{0x5A, 0x77, 0xF0}, {0xD7, 0xC5, 0xEE}},
    {{0x43, 0x12, 0x64}, {0xAA, 0x71, 0xBD}}, {{0x18, 0xA6, 0x59}, {0x2D, 0xBC, 0x75}},
    {{0x72, 0x24, 0x00}, {0xE1, 0x58, 0x28}}};
static const struct shade steps_of[CHART_CLASSES] = {{{0x4F, 0x99, 0xC6}, {0x43, 0x7B, 0xA8}},
                                                     {{0x38, 0x7C, 0xAC}, {0x65, 0x9D, 0xCA}},
                                                     {{0x20, 0x5F, 0x90}, {0x8F, 0xBF, 0xE3}},
                                                     {{0x12, 0x42, 0x6F}, {0xBC, 0xDC, 0xF3}},
                                                     {{0x0A, 0x24, 0x44}, {0xEC, 0xF5, 0xFC}}};

/* Others, text, soft, rule, zero, rims, and inks on a fill. */
static const struct shade greys[] = {
    {{0x8B, 0x8B, 0x8B}, {0x8B, 0x93, 0x9C}}, {{0x1A, 0x1A, 0x1A}, {0xEC, 0xEF, 0xF2}},
    {{0x55, 0x55, 0x55}, {0xB6, 0xBE, 0xC6}}, {{0xDD, 0xDD, 0xDD}, {0x3A, 0x44, 0x4E}},
    {{0x80, 0x80, 0x80}, {0x80, 0x8B, 0x95}}, {{0xFF, 0xFF, 0xFF}, {0x14, 0x19, 0x1F}},
    {{0xFE, 0xFE, 0xFE}, {0x10, 0x14, 0x18}}, {{0x19, 0x19, 0x19}, {0x10, 0x14, 0x18}}};
static const struct {
    const struct shade *of;
    size_t n;
} shades[] = {{colors, ODP_COUNT(colors)}, {steps_of, CHART_CLASSES}, {greys, ODP_COUNT(greys)}};

struct rgb chart_ink_dark(struct rgb ink)
{
    for (size_t k = 0; k < ODP_COUNT(shades); k++)
        for (size_t i = 0; i < shades[k].n; i++)
            if (memcmp(&shades[k].of[i].light, &ink, sizeof ink) == 0)
                return shades[k].of[i].dark;
    return ink;
}

/* By the attribute that has the ink: what draws need not know of it. */
void chart_dark_style(const char *svg, struct odp_buffer *out)
{
    static const char *const places[] = {"fill", "stroke"};
    char ink[24];
    for (size_t k = 0; k < ODP_COUNT(shades); k++)
        for (size_t i = 0; i < shades[k].n; i++)
            for (size_t p = 0; p < 2; p++) {
                const struct rgb a = shades[k].of[i].light, b = shades[k].of[i].dark;
                (void)snprintf(ink, sizeof ink, "%s=\"#%02x%02x%02x\"", places[p], a.r, a.g, a.b);
                if (strstr(svg, ink) != NULL)
                    odp_buffer_printf(out, "[%s]{%s:#%02x%02x%02x}", ink, places[p], b.r, b.g, b.b);
            }
}

struct rgb chart_ink(uint32_t i, uint32_t n, bool steps, bool others)
{
    if (others)
        return greys[0].light;
    if (steps && n > 1 && n <= CHART_CLASSES)
        return steps_of[(i * (CHART_CLASSES - 1) + (n - 1) / 2) / (n - 1)].light;
    return colors[i % (ODP_COUNT(colors))].light;
}

static bool is_grey(const struct chart_group *g, bool nulls)
{
    return g->kind == GROUP_OTHERS || g->kind == GROUP_EARLIER || (nulls && g->kind == GROUP_NULL);
}

struct rgb chart_ink_of_group(const struct chart_group *g, uint32_t i, uint32_t n, bool steps, bool nulls)
{
    return n == 1 ? steps_of[2].light : chart_ink(i, n, steps, is_grey(&g[i], nulls));
}

struct rgb chart_ink_of(const struct odp_chart_data *d, uint32_t category, uint32_t series)
{
    if (d->nseries == 1)
        return is_grey(&d->categories[category], true) ? greys[0].light : steps_of[2].light;
    return chart_ink_of_group(d->series, series, d->nseries, d->steps, false);
}

/* ---- values ---- */

struct odp_slice chart_show(struct canvas *c, fixed v)
{
    odp_buffer_clear(&c->text);
    chart_label_value(c->d, v, c->lang, &c->text);
    return odp_buffer_slice(&c->text);
}

double chart_place(fixed v, fixed lo, fixed hi)
{
    return (double)(v - lo) / (double)(hi - lo);
}

/* Down to a multiple of STEP. */
static fixed floor_to(fixed v, fixed step)
{
    fixed r = v % step;
    return v - (r < 0 ? r + step : r);
}

/* The smallest of 1, 2, 5 times a power of ten that is not below RAW nor below LEAST. */
static fixed step_of(fixed raw, fixed least)
{
    static const int times[] = {1, 2, 5};
    for (fixed p = 1;; p *= 10)
        for (size_t i = 0; i < 3; i++)
            if (p * times[i] >= raw && p * times[i] >= least)
                return p * times[i];
}

struct chart_ticks chart_ticks_of(fixed lo, fixed hi, unsigned most, const struct chart_scale *scale,
                                  unsigned places)
{
    struct chart_ticks t = {.step = 0};
    fixed least = fixed_power(places < FIXED_PLACES ? FIXED_PLACES - places : 0),
          raw = (hi - lo + most - 1) / most;
    for (;;) { /* rounding outwards may take a step more */
        t.step = step_of(raw > 0 ? raw : 1, least);
        t.first = floor_to(lo, t.step);
        t.last = -floor_to(-hi, t.step);
        if (t.last == t.first)
            t.last += t.step;
        if ((t.last - t.first) / t.step <= most)
            break;
        raw = t.step + 1;
    }
    t.n = (unsigned)((t.last - t.first) / t.step) + 1;
    for (fixed one = fixed_power(scale->power + FIXED_PLACES); one > 1 && t.step % one != 0; one /= 10)
        t.decimals++;
    return t;
}

struct odp_slice chart_tick_text(struct canvas *c, const struct chart_ticks *t, unsigned i)
{
    odp_buffer_clear(&c->text);
    fixed_show(&c->text, t->first + t->step * (fixed)i, c->d->scale.power, t->decimals, c->lang);
    return odp_buffer_slice(&c->text);
}

double chart_ticks_width(struct canvas *c, const struct style *s, const struct chart_ticks *t)
{
    double widest = 0;
    for (unsigned i = 0; i < t->n; i++) {
        double w = canvas_measure(c, s, chart_tick_text(c, t, i)).width;
        widest = w > widest ? w : widest;
    }
    return widest;
}

/* ---- the horizontal axis ---- */

static int64_t floor_days(double v)
{
    int64_t n = (int64_t)v;
    return (double)n > v ? n - 1 : n;
}

void chart_date_name(char out[CHART_DATE_NAME], double at, enum chart_span span, enum odp_lang lang)
{
    struct odp_datetime day = {.has_date = true};
    odp_date_from_days(&day, floor_days(at));
    const char *month =
        odp_date_month_name(day.month, lang == ODP_LANG_EN); /* three letters are its short name */
    if (span == SPAN_YEARS)
        (void)snprintf(out, CHART_DATE_NAME, "%d", day.year);
    else if (span == SPAN_MONTHS)
        (void)snprintf(out, CHART_DATE_NAME, "%.3s %d", month, day.year);
    else
        (void)snprintf(out, CHART_DATE_NAME, "%d %.3s %d", day.day, month, day.year);
}

/* Steps of time: in months, or, MONTHS 0, in days. */
struct step {
    int months, days;
};
static const struct step steps[] = {
    {0, 1},  {0, 2},   {0, 7},   {0, 14},  {1, 0},    {2, 0},    {3, 0},    {6, 0},     {12, 0},   {24, 0},
    {60, 0}, {120, 0}, {240, 0}, {600, 0}, {1200, 0}, {2400, 0}, {6000, 0}, {12000, 0}, {24000, 0}};

/* Start of step N, counted from the year 0 or from 1970. */
static double step_start(const struct step *s, int64_t n)
{
    if (s->months == 0)
        return (double)n;
    struct odp_datetime t = {
        .year = (int16_t)(n / 12), .month = (uint8_t)(n % 12 + 1), .day = 1, .has_date = true};
    return (double)odp_date_days(&t);
}

/* Ticks from LO to HI; more than MOST where there is no room for all. */
static unsigned try_step(const struct step *s, double lo, double hi, unsigned most, struct chart_tick *out)
{
    struct odp_datetime t = {.has_date = true};
    unsigned n = 0;
    odp_date_from_days(&t, floor_days(lo));
    int64_t first = floor_days(lo), by = s->days, last = INT64_MAX;
    if (s->months > 0) {
        by = s->months;
        first = (t.year * 12 + t.month - 1) / by * by;
        first = first < 12 ? (12 + by - 1) / by * by : first; /* not before the year 1 */
        last = 12 * 9999 - 1;
    } else if ((double)first < lo) {
        first++;
    }
    for (int64_t k = first; k <= last; k += by) {
        double at = step_start(s, k);
        if (at > hi)
            break;
        if (at < lo)
            continue;
        if (n == most)
            return most + 1;
        out[n++].at = at;
    }
    return n;
}

static unsigned time_ticks(const struct canvas *c, double lo, double hi, unsigned most,
                           struct chart_tick *out)
{
    bool months_only = c->d->resource->schema.fields[c->d->chart->category].type == ODP_TYPE_YEARMONTH;
    for (size_t i = months_only ? 4 : 0; i < ODP_COUNT(steps); i++) {
        unsigned n = try_step(&steps[i], lo, hi, most, out);
        if (n > most)
            continue;
        enum chart_span span = SPAN_DAYS;
        if (steps[i].months > 0)
            span = steps[i].months % 12 == 0 ? SPAN_YEARS : SPAN_MONTHS;
        for (unsigned k = 0; k < n; k++)
            chart_date_name(out[k].text, out[k].at, span, c->lang);
        return n;
    }
    return 0;
}

static unsigned number_ticks(const struct canvas *c, double lo, double hi, unsigned most,
                             struct chart_tick *out)
{
    static const struct chart_scale plain = {.power = 0};
    const struct odp_schema *s = &c->d->resource->schema;
    uint32_t field = (uint32_t)c->d->chart->category;
    bool group = c->d->axis == AXIS_NUMBER && odp_schema_is_figure(s, field);
    fixed from = (fixed)(lo * 1e9), to = (fixed)(hi * 1e9);
    unsigned n = 0;
    struct chart_ticks t =
        chart_ticks_of(from, to, most, &plain, s->fields[field].type == ODP_TYPE_NUMBER ? FIXED_PLACES : 0);
    struct odp_buffer text = {0};
    for (unsigned i = 0; i < t.n && n < most; i++) {
        fixed v = t.first + t.step * (fixed)i;
        if (v < from || v > to)
            continue;
        odp_buffer_clear(&text);
        if (group)
            fixed_show(&text, v, 0, t.decimals, c->lang);
        else
            fixed_json(&text, v);
        out[n].at = (double)v / 1e9;
        (void)snprintf(out[n].text, sizeof out[n].text, "%s", odp_buffer_cstr(&text));
        n++;
    }
    odp_buffer_release(&text);
    return n;
}

unsigned chart_axis_ticks(const struct canvas *c, double lo, double hi, unsigned most,
                          struct chart_tick out[CHART_TICKS_MAX])
{
    most = most > CHART_TICKS_MAX ? CHART_TICKS_MAX : most < 2 ? 2 : most;
    return (c->d->axis == AXIS_TIME ? time_ticks : number_ticks)(c, lo, hi, most, out);
}
