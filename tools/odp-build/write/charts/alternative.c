/* The text alternative: what the picture says, for those who do not see it. Made of the same numbers in the
 * same words. */
#include <stdarg.h>

#include "write/charts/charts_internal.h"

#include "base/utf8.h"
#include "write/typesetting/words.h"
#include "words/charts.h"

enum { ALL_VALUES = 12, LABEL_MAX = 200 };

struct speech {
    const struct odp_chart_data *d;
    enum odp_lang lang;
    struct odp_buffer *out;
    struct odp_arena arena; /* of the pieces of a sentence */
};

static void say(const struct speech *s, const char *id, const char *en, ...)
    __attribute__((format(printf, 2, 4), format(printf, 3, 4)));

static void say(const struct speech *s, const char *id, const char *en, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, en);
    text = g_strdup_vprintf(odp_word(s->lang, id, en), args);
    va_end(args);
    odp_buffer_add_str(s->out, text);
    g_free(text);
}

/* The same in both languages. */
#define SAY(s, ...) odp_buffer_printf((s)->out, __VA_ARGS__)

/* ---- pieces ---- */

static const char *value(struct speech *s, fixed v)
{
    struct odp_buffer b = {0};
    chart_label_value(s->d, v, s->lang, &b);
    return odp_buffer_keep(&b, &s->arena);
}

static const char *count(struct speech *s, uint64_t n)
{
    struct odp_buffer b = {0};
    odp_text_number(&b, n, s->lang);
    return odp_buffer_keep(&b, &s->arena);
}

static const char *percent(struct speech *s, fixed part, fixed whole)
{
    struct odp_buffer b = {0};
    fixed_percent(&b, part, whole, s->lang);
    return odp_buffer_keep(&b, &s->arena);
}

static const char *degrees(struct speech *s, double v, bool longitude)
{
    struct odp_buffer b = {0};
    chart_label_degrees(&b, v, 1, longitude, s->lang);
    return odp_buffer_keep(&b, &s->arena);
}

/* A label; of a very long one the beginning: the data file has it whole. */
static const char *label(struct speech *s, const struct chart_group *g)
{
    const struct odp_slice text = g->label[s->lang], part = odp_utf8_cut(text, LABEL_MAX);
    return part.len == text.len ? text.ptr : odp_arena_printf(&s->arena, "%.*s…", (int)part.len, part.ptr);
}

static const char *field(struct speech *s, int field)
{
    struct odp_buffer b = {0};
    odp_words_title(&b, &s->d->resource->schema.fields[field], s->lang, false);
    return odp_buffer_keep(&b, &s->arena);
}

static const char *field_inside(struct speech *s, int i)
{
    const char *title = field(s, i);
    return odp_arena_printf(&s->arena, "%c%s", odp_text_first_inside(odp_slice_of(title)), title + 1);
}

/* "Diagram batang: Pagu revisi, jumlah dalam miliar rupiah, menurut sumber dana." */
static void say_subject(struct speech *s)
{
    static const struct odp_text kinds[] = {[ODP_CHART_BAR] = {{W_charts_bar}},
                                            [ODP_CHART_LINE] = {{W_charts_line}},
                                            [ODP_CHART_STACKED] = {{W_charts_stacked}},
                                            [ODP_CHART_MAP] = {{W_charts_map}},
                                            [ODP_CHART_HISTOGRAM] = {{W_charts_histogram}},
                                            [ODP_CHART_GANTT] = {{W_charts_gantt}}};
    const struct odp_chart *c = s->d->chart;
    bool map = chart_is_map(s->d) || chart_is_gantt(s->d);
    SAY(s, "%s “%s”: ", kinds[c->type].in[s->lang], odp_text_get(&c->title, s->lang));
    if (chart_is_map(s->d) && c->category >= 0)
        say(s, W_charts_records_by);
    chart_label_measure(s->d, s->lang, s->out);
    if (!map && c->category >= 0)
        say(s, W_charts_by, field_inside(s, c->category));
    if (!map && c->series >= 0)
        SAY(s, "%s%s", odp_word(s->lang, W_charts_and), field_inside(s, c->series));
    SAY(s, ".");
}

/* ---- bars ---- */

static void say_total(struct speech *s)
{
    const struct odp_chart_data *d = s->d;
    struct odp_slice unit = d->scale.unit[s->lang];
    struct chart_sum all = {.n = 0};
    if (!chart_has_total(d) || d->ncategories < 2)
        return;
    for (uint32_t i = 0; i < d->ncategories; i++)
        chart_sum_add(&all, &d->categories[i].sum);
    say(s, W_charts_the_total_is, value(s, chart_aggregate(d, &all)));
    SAY(s, "%s%.*s.", unit.len > 0 ? " " : "", (int)unit.len, unit.ptr);
}

static void say_extremes(struct speech *s)
{
    const struct odp_chart_data *d = s->d;
    const struct chart_group *high = NULL, *low = NULL;
    for (uint32_t i = 0; i < d->ncategories; i++) {
        const struct chart_group *g = &d->categories[i];
        if (g->kind == GROUP_OTHERS || g->kind == GROUP_EARLIER)
            continue;
        high = high == NULL || g->value > high->value ? g : high;
        low = low == NULL || g->value < low->value ? g : low;
    }
    if (high == NULL || d->ncategories < 2)
        return;
    if (high->value == low->value)
        say(s, W_charts_all_equal, value(s, high->value));
    else
        say(s, W_charts_extremes, label(s, high), value(s, high->value), label(s, low), value(s, low->value));
}

/* "p 1,50, q 0,50" */
static void say_parts(struct speech *s, uint32_t i)
{
    const struct odp_chart_data *d = s->d;
    const char *before = "";
    for (uint32_t k = 0; k < d->nseries; k++) {
        const struct chart_value *v = chart_value_at(d, i, k);
        if (!v->present)
            continue;
        SAY(s, "%s%s %s", before, label(s, &d->series[k]), value(s, v->value));
        before = ", ";
    }
}

/* Separator before item I of a list that FIRST opens. */
static void say_before(struct speech *s, uint32_t i, const char *first)
{
    SAY(s, "%s", i == 0 ? first : "; ");
}

static void say_bars(struct speech *s)
{
    const struct odp_chart_data *d = s->d;
    say_extremes(s);
    say_total(s);
    if (d->nseries > 1 && chart_has_total(d)) {
        for (uint32_t k = 0; k < d->nseries; k++) {
            say_before(s, k, odp_word(s->lang, W_charts_all_by_group));
            SAY(s, "%s %s", label(s, &d->series[k]), value(s, d->series[k].value));
        }
        SAY(s, ".");
    }
    if (d->ncategories * d->nseries > ALL_VALUES) {
        say(s, W_charts_categories_all_values_data_file, count(s, d->ncategories));
        return;
    }
    for (uint32_t i = 0; i < d->ncategories; i++) {
        say_before(s, i, odp_word(s->lang, W_charts_values));
        SAY(s, "%s ", label(s, &d->categories[i]));
        if (d->nseries == 1) {
            SAY(s, "%s", value(s, d->categories[i].value));
            continue;
        }
        SAY(s, "(");
        say_parts(s, i);
        SAY(s, ")");
    }
    SAY(s, ".");
}

/* ---- lines ---- */

/* A point of a line. */
struct point {
    const char *label;
    fixed value;
};

/* "naik 12,5%" */
static void say_change(struct speech *s, fixed from, fixed to)
{
    fixed change = fixed_absolute(to - from);
    if (change == 0) {
        say(s, W_charts_unchanged);
        return;
    }
    if (to > from)
        say(s, W_charts_up);
    else
        say(s, W_charts_down);
    if (from > 0 && to >= 0)
        SAY(s, "%s", percent(s, change, from));
    else /* of zero, or over it, there is no percentage */
        say(s, W_charts_by_2, value(s, change));
}

static void say_course(struct speech *s, uint32_t k)
{
    const struct odp_chart_data *d = s->d;
    struct point first = {NULL, 0}, last = first, high = first, low = first;
    uint32_t n = 0;
    for (uint32_t i = 0; i < d->ncategories; i++) {
        const struct chart_value *v = chart_value_at(d, i, k);
        const struct point at = {label(s, &d->categories[i]), v->value};
        if (!v->present)
            continue;
        first = n == 0 ? at : first;
        high = n == 0 || at.value > high.value ? at : high;
        low = n == 0 || at.value < low.value ? at : low;
        last = at;
        n++;
    }
    SAY(s, " ");
    if (d->nseries > 1)
        SAY(s, "%s: ", label(s, &d->series[k]));
    if (n == 0) {
        say(s, W_charts_no_values);
        return;
    }
    SAY(s, "%s %s", first.label, value(s, first.value));
    if (n > 1) {
        SAY(s, ", %s %s, ", last.label, value(s, last.value));
        say_change(s, first.value, last.value);
    }
    if (n > 2 && high.value != low.value)
        say(s, W_charts_highest, value(s, high.value), high.label, value(s, low.value), low.label);
    SAY(s, ".");
}

static void say_lines(struct speech *s)
{
    const struct odp_chart_data *d = s->d;
    for (uint32_t k = 0; k < d->nseries; k++)
        say_course(s, k);
    if (d->nseries > 1 || d->ncategories > ALL_VALUES || d->ncategories < 3)
        return;
    for (uint32_t i = 0; i < d->ncategories; i++) {
        const struct chart_value *v = chart_value_at(d, i, 0);
        if (!v->present)
            continue;
        say_before(s, i, odp_word(s->lang, W_charts_values));
        SAY(s, "%s %s", label(s, &d->categories[i]), value(s, v->value));
    }
    SAY(s, ".");
}

/* ---- histograms, gantts ---- */

/* The unit after a value; not of a score that is called so. */
static const char *unit(struct speech *s)
{
    struct odp_slice text = s->d->scale.unit[s->lang];
    const char *of = odp_arena_printf(&s->arena, "%.*s", (int)text.len, text.ptr != NULL ? text.ptr : "");
    bool said = s->d->chart->value >= 0 && odp_name_has(field(s, s->d->chart->value), of);
    return *of != '\0' && !said ? odp_arena_printf(&s->arena, " %s", of) : "";
}

/* With a digit more than the classes have. */
static const char *mean(struct speech *s)
{
    const struct odp_chart_data *d = s->d;
    struct odp_buffer b = {0};
    fixed_show(&b, fixed_divide(d->whole.sum, (fixed)d->whole.n), d->scale.power, d->scale.decimals + 1,
               s->lang);
    return odp_buffer_keep(&b, &s->arena);
}

static const struct chart_group *fullest(const struct odp_chart_data *d)
{
    const struct chart_group *most = d->categories;
    for (uint32_t i = 1; i < d->ncategories; i++)
        most = d->categories[i].sum.n > most->sum.n ? &d->categories[i] : most;
    return most;
}

static void say_histogram(struct speech *s)
{
    const struct odp_chart_data *d = s->d;
    say(s, W_charts_spread, mean(s), unit(s), value(s, d->whole.least), value(s, d->whole.greatest));
    for (uint32_t i = 0; i < d->ncategories; i++) {
        say_before(s, i, odp_word(s->lang, W_charts_values));
        SAY(s, "%s: %s", label(s, &d->categories[i]), count(s, d->categories[i].sum.n));
    }
    SAY(s, ".");
}

/* "PRJ-00012, Kontrak" */
static const char *task(struct speech *s, uint32_t i)
{
    const struct odp_chart_data *d = s->d;
    const char *name = label(s, &d->categories[i]);
    return d->chart->series < 0 ? name : odp_arena_printf(&s->arena, "%s, %s", label(s, &d->series[i]), name);
}

/* How many are late, and which most: it stands after the tasks that are shown. */
static void say_late(struct speech *s)
{
    const struct odp_chart_data *d = s->d;
    say(s, W_charts_late, count(s, d->late), count(s, d->whole.n),
        count(s, (uint64_t)chart_task_late(&d->tasks[d->ntasks])), task(s, d->ntasks));
}

static void say_gantt(struct speech *s)
{
    const struct odp_chart_data *d = s->d;
    uint32_t n = 0;
    SAY(s, " ");
    say_late(s);
    SAY(s, ".");
    for (uint32_t i = 0; i < d->ntasks; i++) {
        int64_t late = chart_task_late(&d->tasks[i]);
        if (late <= 0 || n == ALL_VALUES)
            continue;
        say_before(s, n++, odp_word(s->lang, W_charts_values));
        SAY(s, "%s %s", task(s, i), count(s, (uint64_t)late));
    }
    SAY(s, ".");
}

/* ---- maps ---- */

static void say_map(struct speech *s)
{
    const struct odp_chart_data *d = s->d;
    const double *box = d->box;
    uint64_t n = 0;
    for (uint32_t i = 0; i < d->ncategories; i++)
        n += d->categories[i].sum.n;
    SAY(s, " %s%s", count(s, n),
        n == 1 ? odp_word(s->lang, W_charts_record) : odp_word(s->lang, W_charts_records));
    say(s, W_charts_between, degrees(s, box[0], true), degrees(s, box[2], true), degrees(s, box[1], false),
        degrees(s, box[3], false));
    if (d->ncategories <= 1 && (d->ncategories == 0 || d->categories[0].kind != GROUP_CLASS))
        return;
    for (uint32_t i = 0; i < d->ncategories; i++) {
        uint64_t of = d->categories[i].sum.n;
        say_before(s, i, " ");
        SAY(s, "%s: %s (%s)", label(s, &d->categories[i]), count(s, of), percent(s, (fixed)of, (fixed)n));
    }
    SAY(s, ".");
}

void odp_chart_data_alternative(const struct odp_chart_data *d, enum odp_lang lang, struct odp_buffer *out)
{
    struct speech s = {.d = d, .lang = lang, .out = out};
    struct odp_buffer notes = {0};
    say_subject(&s);
    if (odp_chart_data_is_empty(d))
        SAY(&s, " %s", chart_label_nothing(d, lang));
    else if (chart_is_map(d))
        say_map(&s);
    else if (chart_is_histogram(d))
        say_histogram(&s);
    else if (chart_is_gantt(d))
        say_gantt(&s);
    else if (d->chart->type == ODP_CHART_LINE)
        say_lines(&s);
    else
        say_bars(&s);
    chart_label_notes(d, lang, &notes);
    if (notes.len > 0)
        SAY(&s, " %s", odp_buffer_cstr(&notes));
    out->failed |= notes.failed || s.arena.failed;
    odp_buffer_release(&notes);
    odp_arena_release(&s.arena);
}

/* ---- the headline ---- */

/* What the values are, before one of them: "Rata-rata luas ", "Backlog "; of counts nothing. */
static const char *head_subject(struct speech *s)
{
    const struct odp_chart *c = s->d->chart;
    if (c->aggregate == ODP_CHART_COUNT || c->value < 0)
        return "";
    struct odp_slice of = s->d->scale.unit[s->lang], title = odp_slice_of(field(s, c->value));
    if (c->aggregate == ODP_CHART_SUM && of.len >= title.len &&
        g_ascii_strncasecmp(of.ptr + of.len - title.len, title.ptr, title.len) == 0)
        return ""; /* "Rumah tangga" in "juta rumah tangga" */
    if (c->aggregate == ODP_CHART_SUM)
        return odp_arena_printf(&s->arena, "%s ", title.ptr);
    struct odp_buffer b = {0};
    struct speech to = {.d = s->d, .lang = s->lang, .out = &b};
    static const struct odp_text ways[] = {[ODP_CHART_MEAN] = {{W_charts_way_mean}},
                                           [ODP_CHART_MIN] = {{W_charts_way_min}},
                                           [ODP_CHART_MAX] = {{W_charts_way_max}}};
    SAY(&to, "%s (%s) ", field(s, c->value), ways[c->aggregate].in[s->lang]);
    return odp_buffer_keep(&b, &s->arena);
}

static const char *head_unit(struct speech *s)
{
    const struct odp_chart *c = s->d->chart;
    return c->aggregate == ODP_CHART_COUNT || c->value < 0
               ? odp_arena_printf(&s->arena, " %s", chart_label_records(s->d, s->lang))
               : unit(s);
}

/* "naik 4,0% dari 2022"; of a percentage in points. */
static void head_change(struct speech *s, const struct point *from, const struct point *to)
{
    const struct odp_chart *c = s->d->chart;
    const char *of =
        c->value >= 0 ? odp_text_get(&s->d->resource->schema.fields[c->value].unit, ODP_LANG_ID) : "";
    bool points = c->aggregate != ODP_CHART_COUNT && strcmp(of, "persen") == 0;
    if (from->value == to->value) {
        say(s, W_charts_head_same, from->label);
        return;
    }
    SAY(s, ", ");
    if (points) {
        SAY(s, "%s%s",
            to->value > from->value ? odp_word(s->lang, W_charts_up) : odp_word(s->lang, W_charts_down),
            value(s, fixed_absolute(to->value - from->value)));
        say(s, W_charts_head_points);
    } else {
        say_change(s, from->value, to->value);
    }
    say(s, W_charts_head_from, from->label);
}

/* The total of category I; false: it has none. */
static bool head_total(const struct odp_chart_data *d, uint32_t i, fixed *out)
{
    bool present = false;
    for (uint32_t k = 0; k < d->nseries; k++)
        present = present || chart_value_at(d, i, k)->present;
    *out = d->categories[i].value;
    return present && d->categories[i].kind == GROUP_VALUE;
}

/* The last value, and how it differs from the one before. How many records there are says little of the last
 * time, which may not be over: then the most. */
static void head_course(struct speech *s)
{
    const struct odp_chart_data *d = s->d;
    struct point now = {NULL, 0}, before = now, most = now;
    for (uint32_t i = 0; i < d->ncategories; i++) {
        fixed v;
        if (!head_total(d, i, &v))
            continue;
        before = now;
        now = (struct point){label(s, &d->categories[i]), v};
        most = most.label == NULL || v > most.value ? now : most;
    }
    if (before.label == NULL)
        return;
    if (d->chart->aggregate == ODP_CHART_COUNT) {
        say(s, W_charts_head_peak, most.label, value(s, most.value), head_unit(s));
        return;
    }
    SAY(s, "%s%s%s", head_subject(s), value(s, now.value), head_unit(s));
    say(s, W_charts_head_at, now.label);
    head_change(s, &before, &now);
}

/* Of several lines the highest at the end. */
static void head_lines(struct speech *s)
{
    const struct odp_chart_data *d = s->d;
    int64_t best = -1, last = (int64_t)d->ncategories - 1;
    for (; last >= 0 && best < 0; last--)
        for (uint32_t k = 0; k < d->nseries; k++) {
            const struct chart_value *v = chart_value_at(d, (uint32_t)last, k);
            if (v->present && d->series[k].kind == GROUP_VALUE &&
                (best < 0 || v->value > chart_value_at(d, (uint32_t)last, (uint32_t)best)->value))
                best = k;
        }
    if (best >= 0)
        say(s, W_charts_head_highest_at, label(s, &d->categories[last + 1]), label(s, &d->series[best]),
            value(s, chart_value_at(d, (uint32_t)last + 1, (uint32_t)best)->value));
}

/* Of parts that are counted the greatest at the last time, with its share. */
static void head_parts(struct speech *s)
{
    const struct odp_chart_data *d = s->d;
    uint32_t last = d->ncategories - 1, best = 0;
    while (last > 0 && d->categories[last].kind != GROUP_VALUE)
        last--;
    for (uint32_t k = 1; k < d->nseries; k++)
        if (chart_value_at(d, last, k)->value > chart_value_at(d, last, best)->value)
            best = k;
    if (d->categories[last].value > 0)
        say(s, W_charts_head_highest_at, label(s, &d->categories[last]), label(s, &d->series[best]),
            percent(s, chart_value_at(d, last, best)->value, d->categories[last].value));
}

static void head_bars(struct speech *s)
{
    const struct odp_chart_data *d = s->d;
    const struct chart_group *high = NULL;
    fixed whole = 0;
    bool parts = chart_has_total(d);
    for (uint32_t i = 0; i < d->ncategories; i++) {
        const struct chart_group *g = &d->categories[i];
        parts = parts && g->value >= 0;
        whole += g->value;
        if (g->kind == GROUP_VALUE && (high == NULL || g->value > high->value))
            high = g;
    }
    if (high == NULL || d->ncategories < 2 || high->value <= 0)
        return;
    if (parts)
        say(s, W_charts_head_most, label(s, high), percent(s, high->value, whole));
    else
        say(s, W_charts_head_highest, label(s, high), value(s, high->value), head_unit(s));
}

void odp_chart_data_headline(const struct odp_chart_data *d, enum odp_lang lang, struct odp_buffer *out)
{
    struct speech s = {.d = d, .lang = lang, .out = out};
    bool several = d->nseries > 1 && (d->chart->type == ODP_CHART_LINE || !chart_has_total(d));
    if (odp_chart_data_is_empty(d) || chart_is_map(d))
        return;
    if (chart_is_histogram(d)) {
        const struct chart_group *most = fullest(d);
        say(&s, W_charts_head_spread, mean(&s), unit(&s), label(&s, most),
            percent(&s, (fixed)most->sum.n, (fixed)d->whole.n));
    } else if (chart_is_gantt(d)) {
        say_late(&s);
    } else if (d->axis == AXIS_YEAR || d->axis == AXIS_TIME) {
        bool parts = chart_is_stacked(d) && d->nseries > 1 && d->chart->aggregate == ODP_CHART_COUNT;
        (parts ? head_parts : several ? head_lines : head_course)(&s);
    } else if (d->chart->type != ODP_CHART_LINE && !several) {
        head_bars(&s);
    }
    out->failed |= s.arena.failed;
    odp_arena_release(&s.arena);
}
