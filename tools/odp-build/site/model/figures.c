/* One figure of the summary of a table (data/<slug>/<version>/<slug>.summary.json, write/summary): its value
 * with the decimals that are true, how it is said, how it went. */
#include "site/model/model_internal.h"

enum {
    SAID = 3, /* figures in a sentence */
    SPARK_LEAST = 3,
    SPARK_WIDTH = 100,
    SPARK_HEIGHT = 24,
};

/* "24.9": A of B in per cent; 0 and 100 only where it is exactly that. */
static json_t *make_percent(double a, double b)
{
    double tenths = b != 0 ? 1000 * a / b + (a * b < 0 ? -.5 : .5) : 0;
    json_int_t n = tenths > 1e15 || tenths < -1e15 ? 0 : (json_int_t)tenths;
    if (a > 0 && n == 0)
        n = 1;
    if (a > 0 && a < b && n == 1000)
        n = 999;
    const json_int_t size = n < 0 ? -n : n;
    return json_sprintf("%s%" JSON_INTEGER_FORMAT ".%d", n < 0 ? "-" : "", size / 10, (int)(size % 10));
}

/* ---- one figure ---- */

static size_t index_of_measure(const json_t *measures, const char *name)
{
    const json_t *one;
    size_t i;
    json_array_foreach(measures, i, one) if (strcmp(odp_text_of(one, "name"), name) == 0) return i;
    return json_array_size(measures);
}

/* The last time against the one before it: in per cent, of per cents in points. */
static void set_change(json_t *o, const json_t *summary, const json_t *scope, size_t k)
{
    const json_t *times = json_object_get(scope, "times"),
                 *names = json_object_get(json_object_get(summary, "time"), "values");
    const size_t n = json_array_size(times);
    if (n < 2 || n != json_array_size(names))
        return;
    const json_t *now = json_array_get(json_array_get(times, n - 1), k),
                 *before = json_array_get(json_array_get(times, n - 2), k);
    const double a = json_number_value(now), b = json_number_value(before);
    const bool points = json_is_true(json_object_get(o, "is_percent"));
    if (!json_is_number(now) || !json_is_number(before) || (b <= 0 && !points))
        return;
    const double by = a > b ? a - b : b - a;
    odp_set(o, "change",
            json_pack("{s:o, s:b, s:b, s:b, s:o}", "by",
                      points ? json_sprintf("%.2f", by) : make_percent(by, b), "is_points", (int)points,
                      "is_up", (int)(a > b), "is_down", (int)(a < b), "from",
                      odp_model_time(json_array_get(names, n - 2))));
}

/* The values by time as points of a line, SPARK_WIDTH by SPARK_HEIGHT; what is missing is passed over. */
static void set_spark(json_t *o, const json_t *summary, const json_t *scope, size_t k)
{
    const json_t *times = json_object_get(scope, "times"),
                 *names = json_object_get(json_object_get(summary, "time"), "values"), *row;
    const size_t n = json_array_size(times);
    double low = 0, high = 0, x = 0, y = 0;
    size_t seen = 0, first = 0, last = 0, i;
    struct odp_buffer points = {0};
    json_array_foreach(times, i, row)
    {
        const json_t *value = json_array_get(row, k);
        if (!json_is_number(value))
            continue;
        const double v = json_number_value(value);
        first = seen == 0 ? i : first;
        low = seen == 0 || v < low ? v : low;
        high = seen == 0 || v > high ? v : high;
        last = i;
        seen++;
    }
    if (seen < SPARK_LEAST || n != json_array_size(names))
        return;
    json_array_foreach(times, i, row) if (json_is_number(json_array_get(row, k)))
    {
        const double v = json_number_value(json_array_get(row, k));
        x = 2 + (SPARK_WIDTH - 4) * (double)(i - first) / (double)(last - first);
        y = high > low ? SPARK_HEIGHT - 3 - (SPARK_HEIGHT - 6) * (v - low) / (high - low) : SPARK_HEIGHT / 2;
        odp_buffer_printf(&points, "%s%.1f,%.1f", points.len > 0 ? " " : "", x, y);
    }
    odp_set(o, "spark",
            json_pack("{s:s, s:o, s:o, s:o, s:o}", "points", odp_buffer_cstr(&points), "x",
                      json_sprintf("%.1f", x), "y", json_sprintf("%.1f", y), "from",
                      odp_model_time(json_array_get(names, first)), "to",
                      odp_model_time(json_array_get(names, last))));
    odp_buffer_release(&points);
}

/* Measure K of SUMMARY in SCOPE; NULL: it has no value there. */
static json_t *make_figure(const json_t *summary, const json_t *scope, size_t k)
{
    const json_t *measures = json_object_get(summary, "measures"), *measure = json_array_get(measures, k),
                 *totals = json_object_get(scope, "total"),
                 *count = json_array_get(totals, index_of_measure(measures, "count"));
    json_t *value = odp_model_measured(measure, json_array_get(totals, k));
    const bool category = json_object_get(measure, "value") != NULL;
    if (value == NULL)
        return NULL;
    json_t *o = odp_model_measure(measure);
    odp_set(o, "value", value);
    odp_set(o, "label", odp_model_both(measure, "label"));
    odp_set(o, "label_in", model_both_inside(measure, "label"));
    if (category && json_number_value(count) > 0)
        odp_set(o, "share",
                make_percent(json_number_value(json_array_get(totals, k)), json_number_value(count)));
    if (json_is_true(json_object_get(json_object_get(summary, "time"), "panel")))
        set_change(o, summary, scope, k);
    set_spark(o, summary, scope, k);
    return o;
}

json_t *odp_model_highlights(const json_t *summary, const json_t *scope)
{
    const json_t *measure;
    json_t *list = json_array();
    size_t k;
    json_array_foreach(json_object_get(summary, "measures"), k,
                       measure) if (json_is_true(json_object_get(measure, "highlight")))
    {
        json_t *o = make_figure(summary, scope, k);
        if (o == NULL)
            continue;
        odp_set_flag(o, "in_sentence", json_array_size(list) < SAID);
        odp_add(list, o);
    }
    return list;
}
