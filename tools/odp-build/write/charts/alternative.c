/* The text alternative: what the picture says, for those who do not see it. Made of the same numbers in the
 * same words. */
#include <stdarg.h>

#include "write/charts/charts_internal.h"

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
    struct odp_slice text = g->label[s->lang];
    size_t n = LABEL_MAX;
    if (text.len <= LABEL_MAX)
        return text.ptr;
    while (n > 0 && ((unsigned char)text.ptr[n] & 0xC0) == 0x80)
        n--;
    return odp_arena_printf(&s->arena, "%.*s…", (int)n, text.ptr);
}

static const char *field(struct speech *s, int field)
{
    struct odp_buffer b = {0};
    odp_words_title(&b, &s->d->resource->schema.fields[field], s->lang, false);
    return odp_buffer_keep(&b, &s->arena);
}

/* "Diagram batang: Pagu revisi, jumlah dalam miliar rupiah, menurut Sumber dana." */
static void say_subject(struct speech *s)
{
    static const struct odp_text kinds[] = {[ODP_CHART_BAR] = {{W_charts_bar}},
                                            [ODP_CHART_LINE] = {{W_charts_line}},
                                            [ODP_CHART_STACKED] = {{W_charts_stacked}},
                                            [ODP_CHART_MAP] = {{W_charts_map}}};
    const struct odp_chart *c = s->d->chart;
    bool map = chart_is_map(s->d);
    SAY(s, "%s “%s”: ", kinds[c->type].in[s->lang], odp_text_get(&c->title, s->lang));
    if (map && c->category >= 0)
        say(s, W_charts_records_by);
    chart_label_measure(s->d, s->lang, s->out);
    if (!map && c->category >= 0)
        say(s, W_charts_by, field(s, c->category));
    if (!map && c->series >= 0)
        SAY(s, "%s%s", odp_word(s->lang, W_charts_and), field(s, c->series));
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
    struct odp_buffer notes;
    odp_arena_init(&s.arena);
    odp_buffer_init(&notes);
    say_subject(&s);
    if (odp_chart_data_is_empty(d))
        SAY(&s, " %s", chart_label_nothing(d, lang));
    else if (chart_is_map(d))
        say_map(&s);
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
