/* Ticks: of values by exact arithmetic, of time by the calendar. */
#include "write/charts/charts_internal.h"

#include <stdio.h>

#include "write/typesetting/words.h"

static int64_t floor_days(double v)
{
    int64_t n = (int64_t)v;
    return (double)n > v ? n - 1 : n;
}

/* Down to a multiple of STEP. */
static odp_fixed floor_to(odp_fixed v, odp_fixed step)
{
    odp_fixed r = v % step;
    return v - (r < 0 ? r + step : r);
}

/* The smallest of 1, 2, 5 times a power of ten that is not below RAW nor below LEAST. */
static odp_fixed step_of(odp_fixed raw, odp_fixed least)
{
    static const int times[] = {1, 2, 5};
    for (odp_fixed p = 1;; p *= 10)
        for (size_t i = 0; i < 3; i++)
            if (p * times[i] >= raw && p * times[i] >= least)
                return p * times[i];
}

struct odp_chart_ticks odp_chart_ticks_of(odp_fixed lo, odp_fixed hi, unsigned most,
                                          const struct odp_chart_scale *scale, unsigned places)
{
    struct odp_chart_ticks t = {.step = 0};
    odp_fixed least =
        odp_chart_number_power(ODP_FIXED_PLACES - (places < ODP_FIXED_PLACES ? places : ODP_FIXED_PLACES));
    odp_fixed raw = (hi - lo + most - 1) / most;
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
    odp_fixed one = odp_chart_number_power(scale->power + ODP_FIXED_PLACES);
    while (one > 1 && t.step % one != 0) {
        one /= 10;
        t.decimals++;
    }
    return t;
}

struct odp_slice odp_chart_tick_text(const struct odp_chart_data *d, struct odp_canvas *c,
                                     const struct odp_chart_ticks *t, unsigned i)
{
    odp_buffer_clear(&c->text);
    odp_chart_number_show(&c->text, t->first + t->step * (odp_fixed)i, d->scale.power, t->decimals, c->lang);
    return odp_buffer_slice(&c->text);
}

double odp_chart_ticks_width(const struct odp_chart_data *d, struct odp_canvas *c,
                             const struct odp_canvas_text *how, const struct odp_chart_ticks *t)
{
    double w, h, widest = 0;
    for (unsigned i = 0; i < t->n; i++) {
        odp_canvas_measure(c, how, odp_chart_tick_text(d, c, t, i), &w, &h);
        widest = w > widest ? w : widest;
    }
    return widest;
}

void odp_chart_date_name(char out[ODP_CHART_DATE_NAME], double at, enum odp_chart_span span,
                         enum odp_lang lang)
{
    struct odp_datetime day = {.has_date = true};
    odp_date_from_days(&day, floor_days(at));
    const char *month = odp_words_month(day.month, lang); /* three letters are its short name */
    if (span == ODP_SPAN_YEARS)
        (void)snprintf(out, ODP_CHART_DATE_NAME, "%d", day.year);
    else if (span == ODP_SPAN_MONTHS)
        (void)snprintf(out, ODP_CHART_DATE_NAME, "%.3s %d", month, day.year);
    else
        (void)snprintf(out, ODP_CHART_DATE_NAME, "%d %.3s %d", day.day, month, day.year);
}

double odp_chart_place(odp_fixed v, odp_fixed lo, odp_fixed hi)
{
    return (double)(v - lo) / (double)(hi - lo);
}

/* ---- the horizontal axis ---- */

/* Steps of time: in months (times, months) or, MONTHS 0, in days. */
struct span {
    int months, days;
};
static const struct span spans[] = {
    {0, 1},  {0, 2},   {0, 7},   {0, 14},  {1, 0},    {2, 0},    {3, 0},    {6, 0},     {12, 0},   {24, 0},
    {60, 0}, {120, 0}, {240, 0}, {600, 0}, {1200, 0}, {2400, 0}, {6000, 0}, {12000, 0}, {24000, 0}};

/* The day that begins month M, counted from year 0. */
static double month_start(int64_t m)
{
    struct odp_datetime t = {
        .year = (int16_t)(m / 12), .month = (uint8_t)(m % 12 + 1), .day = 1, .has_date = true};
    return (double)odp_date_days(&t);
}

static unsigned month_ticks(double lo, double hi, int months, struct odp_chart_time_tick *out, unsigned most)
{
    struct odp_datetime t = {.has_date = true};
    unsigned n = 0;
    odp_date_from_days(&t, floor_days(lo));
    int64_t m = (t.year * 12 + t.month - 1) / months * months;
    for (; m < 12 * 9999; m += months) {
        if (m < 12)
            continue;
        double at = month_start(m);
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

static unsigned day_ticks(double lo, double hi, int days, struct odp_chart_time_tick *out, unsigned most)
{
    unsigned n = 0;
    int64_t first = floor_days(lo);
    if ((double)first < lo)
        first++;
    for (int64_t d = first; (double)d <= hi; d += days) {
        if (n == most)
            return most + 1;
        out[n++].at = (double)d;
    }
    return n;
}

static unsigned time_ticks(double lo, double hi, unsigned most, enum odp_lang lang, bool months_only,
                           struct odp_chart_time_tick *out)
{
    for (size_t i = months_only ? 4 : 0; i < sizeof spans / sizeof *spans; i++) {
        unsigned n = spans[i].months > 0 ? month_ticks(lo, hi, spans[i].months, out, most)
                                         : day_ticks(lo, hi, spans[i].days, out, most);
        if (n > most)
            continue;
        enum odp_chart_span span = ODP_SPAN_DAYS;
        if (spans[i].months > 0)
            span = spans[i].months % 12 == 0 ? ODP_SPAN_YEARS : ODP_SPAN_MONTHS;
        for (unsigned k = 0; k < n; k++)
            odp_chart_date_name(out[k].text, out[k].at, span, lang);
        return n;
    }
    return 0;
}

static unsigned number_ticks(const struct odp_chart_data *d, double lo, double hi, unsigned most,
                             enum odp_lang lang, struct odp_chart_time_tick *out)
{
    static const struct odp_chart_scale plain = {.power = 0};
    const struct odp_schema *s = &d->resource->schema;
    uint32_t field = (uint32_t)d->chart->category;
    bool group = d->axis == ODP_AXIS_NUMBER && odp_schema_is_figure(s, field);
    odp_fixed from = (odp_fixed)(lo * 1e9), to = (odp_fixed)(hi * 1e9);
    unsigned n = 0;
    struct odp_chart_ticks t = odp_chart_ticks_of(
        from, to, most, &plain, s->fields[field].type == ODP_TYPE_NUMBER ? ODP_FIXED_PLACES : 0);
    struct odp_buffer text;
    odp_buffer_init(&text);
    for (unsigned i = 0; i < t.n && n < most; i++) {
        odp_fixed v = t.first + t.step * (odp_fixed)i;
        if (v < from || v > to)
            continue;
        odp_buffer_clear(&text);
        if (group)
            odp_chart_number_show(&text, v, 0, t.decimals, lang);
        else
            odp_chart_number_json(&text, v);
        out[n].at = (double)v / 1e9;
        (void)snprintf(out[n].text, sizeof out[n].text, "%s", odp_buffer_cstr(&text));
        n++;
    }
    odp_buffer_release(&text);
    return n;
}

unsigned odp_chart_axis_ticks(const struct odp_chart_data *d, double lo, double hi, unsigned most,
                              enum odp_lang lang, struct odp_chart_time_tick out[ODP_CHART_TIME_TICKS])
{
    most = most > ODP_CHART_TIME_TICKS ? ODP_CHART_TIME_TICKS : most < 2 ? 2 : most;
    if (d->axis == ODP_AXIS_TIME)
        return time_ticks(lo, hi, most, lang,
                          d->resource->schema.fields[d->chart->category].type == ODP_TYPE_YEARMONTH, out);
    return number_ticks(d, lo, hi, most, lang, out);
}
