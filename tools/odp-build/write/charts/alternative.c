/* The text alternative: what the picture says, for those who do not see it. Made of the same numbers in the
 * same words. */
#include "write/charts/charts_internal.h"

#include "write/typesetting/words.h"
#include "words/charts.h"

enum { ALL_VALUES = 12, LABEL_MAX = 200 };

struct speech {
    const struct odp_chart_data *d;
    enum odp_lang lang;
    struct odp_buffer *out;
};

static void say(const struct speech *s, const char *id, const char *en)
{
    odp_buffer_add_str(s->out, s->lang == ODP_LANG_EN ? en : id);
}

static void say_value(const struct speech *s, odp_fixed v)
{
    odp_chart_label_value(s->d, v, s->lang, s->out);
}

static void say_count(const struct speech *s, uint64_t n)
{
    odp_chart_number_show(s->out, (odp_fixed)n * ODP_FIXED_ONE, 0, 0, s->lang);
}

/* A label; of a very long one the beginning: the data file has it whole. */
static void say_label(const struct speech *s, const struct odp_chart_group *g)
{
    struct odp_slice text = g->label[s->lang];
    if (text.len <= LABEL_MAX) {
        odp_buffer_add_slice(s->out, text);
        return;
    }
    size_t n = LABEL_MAX;
    while (n > 0 && ((unsigned char)text.ptr[n] & 0xC0) == 0x80)
        n--;
    odp_buffer_add(s->out, text.ptr, n);
    odp_buffer_add_str(s->out, "…");
}

/* "Label (12,3)", "Label 12,3" */
static void say_with(const struct speech *s, const struct odp_chart_group *g, odp_fixed v)
{
    say_label(s, g);
    odp_buffer_add_str(s->out, " (");
    say_value(s, v);
    odp_buffer_add_char(s->out, ')');
}

static void say_pair(const struct speech *s, const struct odp_chart_group *g, odp_fixed v)
{
    say_label(s, g);
    odp_buffer_add_char(s->out, ' ');
    say_value(s, v);
}

static void say_field(const struct speech *s, int field)
{
    odp_words_title(s->out, &s->d->resource->schema.fields[field], s->lang, false);
}

/* "Diagram batang: Pagu revisi, jumlah dalam miliar rupiah, menurut Sumber dana." */
static void say_subject(const struct speech *s)
{
    static const struct odp_text kinds[] = {[ODP_CHART_BAR] = {{W_charts_bar}},
                                            [ODP_CHART_LINE] = {{W_charts_line}},
                                            [ODP_CHART_STACKED] = {{W_charts_stacked}},
                                            [ODP_CHART_MAP] = {{W_charts_map}}};
    const struct odp_chart *c = s->d->chart;
    odp_buffer_add_str(s->out, kinds[c->type].in[s->lang]);
    odp_buffer_add_str(s->out, " \u201c");
    odp_buffer_add_str(s->out, odp_text_get(&c->title, s->lang));
    odp_buffer_add_str(s->out, "\u201d: ");
    if (c->type == ODP_CHART_MAP && c->category >= 0)
        say(s, W_charts_records_by);
    odp_chart_label_measure(s->d, s->lang, s->out);
    if (c->type != ODP_CHART_MAP && c->category >= 0) {
        say(s, W_charts_by);
        say_field(s, c->category);
    }
    if (c->type != ODP_CHART_MAP && c->series >= 0) {
        say(s, W_charts_and);
        say_field(s, c->series);
    }
    odp_buffer_add_char(s->out, '.');
}

/* ---- bars ---- */

static bool is_folded(const struct odp_chart_group *g)
{
    return g->kind == ODP_GROUP_OTHERS || g->kind == ODP_GROUP_EARLIER;
}

static void say_total(const struct speech *s)
{
    const struct odp_chart_data *d = s->d;
    struct odp_chart_sum all = {.n = 0};
    if (!odp_chart_has_total(d) || d->ncategories < 2)
        return;
    for (uint32_t i = 0; i < d->ncategories; i++)
        odp_chart_sum_merge(&all, &d->categories[i].sum);
    say(s, W_charts_the_total_is);
    say_value(s, odp_chart_aggregate_of(d, &all));
    if (d->scale.unit[s->lang].len > 0) {
        odp_buffer_add_char(s->out, ' ');
        odp_buffer_add_slice(s->out, d->scale.unit[s->lang]);
    }
    odp_buffer_add_char(s->out, '.');
}

static void say_extremes(const struct speech *s)
{
    const struct odp_chart_data *d = s->d;
    int64_t high = -1, low = -1;
    for (uint32_t i = 0; i < d->ncategories; i++) {
        if (is_folded(&d->categories[i]))
            continue;
        high = high < 0 || d->categories[i].value > d->categories[high].value ? i : high;
        low = low < 0 || d->categories[i].value < d->categories[low].value ? i : low;
    }
    if (high < 0 || d->ncategories < 2)
        return;
    odp_buffer_add_char(s->out, ' ');
    if (d->categories[high].value == d->categories[low].value) {
        say(s, W_charts_all_equal);
        say_value(s, d->categories[high].value);
        odp_buffer_add_char(s->out, '.');
        return;
    }
    say(s, W_charts_largest);
    say_with(s, &d->categories[high], d->categories[high].value);
    say(s, W_charts_smallest);
    say_with(s, &d->categories[low], d->categories[low].value);
    odp_buffer_add_char(s->out, '.');
}

static void say_parts(const struct speech *s, uint32_t i)
{
    const struct odp_chart_data *d = s->d;
    bool any = false;
    for (uint32_t k = 0; k < d->nseries; k++) {
        const struct odp_chart_value *v = odp_chart_value_at(d, i, k);
        if (!v->present)
            continue;
        odp_buffer_add_str(s->out, any ? ", " : "");
        say_pair(s, &d->series[k], v->value);
        any = true;
    }
}

static void say_bars(const struct speech *s)
{
    const struct odp_chart_data *d = s->d;
    say_extremes(s);
    say_total(s);
    if (d->nseries > 1 && odp_chart_has_total(d)) {
        for (uint32_t k = 0; k < d->nseries; k++) {
            if (k == 0)
                say(s, W_charts_all_by_group);
            else
                odp_buffer_add_str(s->out, "; ");
            say_pair(s, &d->series[k], d->series[k].value);
        }
        odp_buffer_add_char(s->out, '.');
    }
    if (d->ncategories * d->nseries > ALL_VALUES) {
        odp_buffer_add_char(s->out, ' ');
        say_count(s, d->ncategories);
        say(s, W_charts_categories_all_values_data_file);
        return;
    }
    for (uint32_t i = 0; i < d->ncategories; i++) {
        if (i == 0)
            say(s, W_charts_values);
        else
            odp_buffer_add_str(s->out, "; ");
        if (d->nseries == 1) {
            say_pair(s, &d->categories[i], d->categories[i].value);
            continue;
        }
        say_label(s, &d->categories[i]);
        odp_buffer_add_str(s->out, " (");
        say_parts(s, i);
        odp_buffer_add_char(s->out, ')');
    }
    odp_buffer_add_char(s->out, '.');
}

/* ---- lines ---- */

struct course {
    int64_t first, last, high, low;
    uint32_t n;
};

static struct course course_of(const struct odp_chart_data *d, uint32_t k)
{
    struct course c = {-1, -1, -1, -1, 0};
    for (uint32_t i = 0; i < d->ncategories; i++) {
        const struct odp_chart_value *v = odp_chart_value_at(d, i, k);
        if (!v->present)
            continue;
        c.first = c.first < 0 ? i : c.first;
        c.last = i;
        c.high = c.high < 0 || v->value > odp_chart_value_at(d, (uint32_t)c.high, k)->value ? i : c.high;
        c.low = c.low < 0 || v->value < odp_chart_value_at(d, (uint32_t)c.low, k)->value ? i : c.low;
        c.n++;
    }
    return c;
}

static odp_fixed value_of(const struct speech *s, int64_t i, uint32_t k)
{
    return odp_chart_value_at(s->d, (uint32_t)i, k)->value;
}

/* "naik 12,5%" */
static void say_change(const struct speech *s, odp_fixed from, odp_fixed to)
{
    odp_buffer_add_str(s->out, ", ");
    if (from == to) {
        say(s, W_charts_unchanged);
        return;
    }
    odp_buffer_add_str(s->out, to > from ? odp_word(s->lang, W_charts_up) : odp_word(s->lang, W_charts_down));
    if (from > 0 && to >= 0) {
        odp_chart_number_percent(s->out, to > from ? to - from : from - to, from, s->lang);
        return;
    }
    say(s, W_charts_by_2); /* of zero, or over it, there is no percentage */
    say_value(s, to > from ? to - from : from - to);
}

static void say_course(const struct speech *s, uint32_t k)
{
    const struct odp_chart_data *d = s->d;
    struct course c = course_of(d, k);
    odp_buffer_add_char(s->out, ' ');
    if (d->nseries > 1) {
        say_label(s, &d->series[k]);
        odp_buffer_add_str(s->out, ": ");
    }
    if (c.n == 0) {
        say(s, W_charts_no_values);
        return;
    }
    say_pair(s, &d->categories[c.first], value_of(s, c.first, k));
    if (c.n > 1) {
        odp_buffer_add_str(s->out, ", ");
        say_pair(s, &d->categories[c.last], value_of(s, c.last, k));
        say_change(s, value_of(s, c.first, k), value_of(s, c.last, k));
    }
    if (c.n > 2 && c.high != c.low) {
        say(s, W_charts_highest);
        say_value(s, value_of(s, c.high, k));
        odp_buffer_add_str(s->out, " (");
        say_label(s, &d->categories[c.high]);
        say(s, W_charts_lowest);
        say_value(s, value_of(s, c.low, k));
        odp_buffer_add_str(s->out, " (");
        say_label(s, &d->categories[c.low]);
        odp_buffer_add_char(s->out, ')');
    }
    odp_buffer_add_char(s->out, '.');
}

static void say_lines(const struct speech *s)
{
    const struct odp_chart_data *d = s->d;
    for (uint32_t k = 0; k < d->nseries; k++)
        say_course(s, k);
    if (d->nseries > 1 || d->ncategories > ALL_VALUES || d->ncategories < 3)
        return;
    for (uint32_t i = 0; i < d->ncategories; i++) {
        if (!odp_chart_value_at(d, i, 0)->present)
            continue;
        if (i == 0)
            say(s, W_charts_values);
        else
            odp_buffer_add_str(s->out, "; ");
        say_pair(s, &d->categories[i], value_of(s, i, 0));
    }
    odp_buffer_add_char(s->out, '.');
}

/* ---- maps ---- */

static void say_box(const struct speech *s)
{
    const double *box = s->d->box;
    say(s, W_charts_between);
    odp_chart_label_degrees(s->out, box[0], 1, true, s->lang);
    say(s, W_charts_and);
    odp_chart_label_degrees(s->out, box[2], 1, true, s->lang);
    odp_buffer_add_str(s->out, ", ");
    odp_chart_label_degrees(s->out, box[1], 1, false, s->lang);
    say(s, W_charts_and);
    odp_chart_label_degrees(s->out, box[3], 1, false, s->lang);
    odp_buffer_add_char(s->out, '.');
}

static void say_map(const struct speech *s)
{
    const struct odp_chart_data *d = s->d;
    uint64_t n = 0;
    for (uint32_t i = 0; i < d->ncategories; i++)
        n += d->categories[i].sum.n;
    odp_buffer_add_char(s->out, ' ');
    say_count(s, n);
    odp_buffer_add_str(s->out,
                       n == 1 ? odp_word(s->lang, W_charts_record) : odp_word(s->lang, W_charts_records));
    say_box(s);
    for (uint32_t i = 0;
         i < d->ncategories && (d->ncategories > 1 || d->categories[i].kind == ODP_GROUP_CLASS); i++) {
        odp_buffer_add_str(s->out, i == 0 ? " " : "; ");
        say_label(s, &d->categories[i]);
        odp_buffer_add_str(s->out, ": ");
        say_count(s, d->categories[i].sum.n);
        odp_buffer_add_str(s->out, " (");
        odp_chart_number_percent(s->out, (odp_fixed)d->categories[i].sum.n, (odp_fixed)n, s->lang);
        odp_buffer_add_char(s->out, ')');
        odp_buffer_add_str(s->out, i + 1 == d->ncategories ? "." : "");
    }
}

void odp_chart_data_alternative(const struct odp_chart_data *d, enum odp_lang lang, struct odp_buffer *out)
{
    struct speech s = {d, lang, out};
    struct odp_buffer notes;
    say_subject(&s);
    if (odp_chart_data_is_empty(d)) {
        odp_buffer_add_char(out, ' ');
        odp_buffer_add_str(out, odp_chart_label_nothing(d, lang));
    } else if (d->chart->type == ODP_CHART_MAP) {
        say_map(&s);
    } else if (d->chart->type == ODP_CHART_LINE) {
        say_lines(&s);
    } else {
        say_bars(&s);
    }
    odp_buffer_init(&notes);
    odp_chart_label_notes(d, lang, &notes);
    if (notes.len > 0) {
        odp_buffer_add_char(out, ' ');
        odp_buffer_add_slice(out, odp_buffer_slice(&notes));
    }
    out->failed |= notes.failed;
    odp_buffer_release(&notes);
}
