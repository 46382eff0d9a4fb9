/* The picture's content as data: exact values in the field's unit. */
#include "base/json.h"
#include "write/charts/charts_internal.h"
#include "words/charts.h"
#include "write/typesetting/words.h"

static void add_text(struct odp_buffer *out, const char *before, struct odp_slice id, struct odp_slice en)
{
    odp_buffer_add_str(out, before);
    odp_json_add_slice(out, "{\"id\":", id);
    odp_json_add_slice(out, ",\"en\":", en);
    odp_buffer_add_char(out, '}');
}

/* After BEFORE a category or a series, and after LABEL what it is called. */
static void add_group(struct odp_buffer *out, const char *before, const char *label,
                      const struct chart_group *g)
{
    odp_buffer_add_str(out, before);
    if (g->kind == GROUP_VALUE)
        odp_json_add_string(out, g->key);
    else
        odp_buffer_add_str(out, "null");
    add_text(out, label, g->label[ODP_LANG_ID], g->label[ODP_LANG_EN]);
}

/* The series in a row: of the chart's number K. */
static void add_series(const struct odp_chart_data *d, uint32_t k, struct odp_buffer *out)
{
    if (d->chart->series >= 0)
        add_group(out, ",\"series\":", ",\"seriesLabel\":", &d->series[k]);
    else
        odp_buffer_add_str(out, ",\"series\":null");
}

/* Before the members of a row of category G, the first of which is at START. */
static void begin_row(struct odp_buffer *out, size_t start, const struct chart_group *g)
{
    add_group(out, out->len == start ? "\n{\"category\":" : ",\n{\"category\":", ",\"label\":", g);
    if (g->folded > 0)
        odp_json_add_u64(out, ",\"folded\":", g->folded);
}

static void add_rows(const struct odp_chart_data *d, struct odp_buffer *out)
{
    size_t start = out->len;
    for (uint32_t i = 0; i < d->ncategories; i++)
        for (uint32_t k = 0; k < d->nseries; k++) {
            const struct chart_value *v = chart_value_at(d, i, k);
            if (!v->present)
                continue;
            begin_row(out, start, &d->categories[i]);
            add_series(d, k, out);
            odp_buffer_add_str(out, ",\"value\":");
            fixed_json(out, v->value);
            odp_buffer_add_char(out, '}');
        }
}

/* Of maps the kinds of symbols, of histograms the classes (from a border, with it, to the next), with the
 * number of records of each. */
static void add_classes(const struct odp_chart_data *d, struct odp_buffer *out)
{
    size_t start = out->len;
    for (uint32_t i = 0; i < d->ncategories; i++) {
        const struct chart_group *g = &d->categories[i];
        begin_row(out, start, g);
        odp_buffer_add_str(out, ",\"series\":null");
        if (g->kind == GROUP_CLASS) {
            odp_buffer_add_str(out, ",\"from\":");
            fixed_json(out, g->sum.least);
            odp_buffer_add_str(out, ",\"to\":");
            fixed_json(out, g->sum.greatest);
        }
        odp_buffer_printf(out, ",\"value\":%llu}", (unsigned long long)g->sum.n);
    }
}

static void add_day(struct odp_buffer *out, const char *name, int64_t days)
{
    struct odp_datetime t = {.has_date = true};
    char text[ODP_DATETIME_SIZE];
    odp_date_from_days(&t, days);
    size_t n = odp_date_format(&t, ODP_DATE, text);
    odp_buffer_printf(out, ",\"%s\":\"%.*s\"", name, (int)n, text);
}

static void add_tasks(const struct odp_chart_data *d, struct odp_buffer *out)
{
    size_t start = out->len;
    for (uint32_t i = 0; i < d->ntasks; i++) {
        const struct chart_task *t = &d->tasks[i];
        begin_row(out, start, &d->categories[i]);
        add_series(d, i, out);
        add_day(out, "planned", t->planned);
        if (t->done)
            add_day(out, "actual", t->actual);
        odp_buffer_printf(out, t->done ? ",\"value\":%lld}" : ",\"actual\":null,\"value\":null}",
                          (long long)chart_task_late(t));
    }
}

/* ---- what the figures are ---- */

static void add_flag(struct odp_buffer *out, const char *name, bool on)
{
    odp_buffer_printf(out, ",\"%s\":%s", name, on ? "true" : "false");
}

/* A text of both languages that MAKE writes; EMPTY: even one without words. */
static void add_made(const struct odp_chart_data *d, const char *before, bool empty,
                     void (*make)(const struct odp_chart_data *, enum odp_lang, struct odp_buffer *),
                     struct odp_buffer *out)
{
    struct odp_buffer id = {0}, en = {0};
    make(d, ODP_LANG_ID, &id);
    make(d, ODP_LANG_EN, &en);
    if (empty || id.len > 0)
        add_text(out, before, odp_buffer_slice(&id), odp_buffer_slice(&en));
    out->failed |= id.failed || en.failed;
    odp_buffer_release(&id);
    odp_buffer_release(&en);
}

/* The field of categories or of series. */
static void add_field(const struct odp_chart_data *d, const char *before, int field, struct odp_buffer *out)
{
    struct odp_buffer title[ODP_LANGS] = {{0}, {0}};
    const struct odp_field *f = &d->resource->schema.fields[field];
    odp_buffer_add_str(out, before);
    odp_json_add_str(out, "{\"field\":", f->name);
    for (enum odp_lang lang = 0; lang < ODP_LANGS; lang++)
        odp_words_title(&title[lang], f, lang, false);
    add_text(out, ",\"title\":", odp_buffer_slice(&title[ODP_LANG_ID]),
             odp_buffer_slice(&title[ODP_LANG_EN]));
    for (enum odp_lang lang = 0; lang < ODP_LANGS; lang++) {
        out->failed |= title[lang].failed;
        odp_buffer_release(&title[lang]);
    }
}

static void add_groups(struct odp_buffer *out, const char *name, const struct chart_group *g, uint32_t n)
{
    static const char *const kinds[] = {[GROUP_VALUE] = NULL,
                                        [GROUP_NULL] = "null",
                                        [GROUP_OTHERS] = "others",
                                        [GROUP_EARLIER] = "earlier",
                                        [GROUP_CLASS] = "class"};
    odp_buffer_printf(out, ",\"%s\":[", name);
    for (uint32_t i = 0; i < n; i++) {
        add_group(out, i == 0 ? "\n{\"key\":" : ",\n{\"key\":", ",\"label\":", &g[i]);
        if (kinds[g[i].kind] != NULL)
            odp_buffer_printf(out, ",\"kind\":\"%s\"", kinds[g[i].kind]);
        odp_buffer_add_char(out, '}');
    }
    odp_buffer_add_char(out, ']');
}

/* What goes along the axis, what the colours tell apart; of a gantt these are in its rows alone. */
static void add_axes(const struct odp_chart_data *d, struct odp_buffer *out)
{
    static const char *const axes[] = {
        [AXIS_TEXT] = "text", [AXIS_TIME] = "time", [AXIS_YEAR] = "year", [AXIS_NUMBER] = "number"};
    const struct odp_chart *c = d->chart;
    const struct chart_group *first = d->categories, *last = first;
    bool time = d->axis == AXIS_TIME || d->axis == AXIS_YEAR, gantt = chart_is_gantt(d);
    if (c->value >= 0) {
        add_field(d, ",\"value\":", c->value, out);
        odp_buffer_add_char(out, '}');
    }
    if (c->category >= 0 || c->value >= 0) {
        add_field(d, ",\"category\":", c->category >= 0 ? c->category : c->value, out);
        odp_buffer_printf(out, ",\"axis\":\"%s\"", chart_is_histogram(d) ? "number" : axes[d->axis]);
        add_flag(out, "ordered", d->ordered || time);
        odp_buffer_add_char(out, '}');
    } else {
        odp_buffer_add_str(out, ",\"category\":null");
    }
    if (c->series >= 0) {
        add_field(d, ",\"group\":", c->series, out);
        add_flag(out, "ordered", d->steps);
        odp_buffer_add_char(out, '}');
    } else {
        odp_buffer_add_str(out, ",\"group\":null");
    }
    for (uint32_t i = 0; i < d->ncategories && time && !gantt; i++) {
        if (d->categories[i].kind == GROUP_VALUE)
            last = &d->categories[i];
        if (first->kind != GROUP_VALUE)
            first = last;
    }
    if (time && !gantt && d->ncategories > 0 && first->kind == GROUP_VALUE) {
        odp_json_add_slice(out, ",\"period\":{\"from\":", first->key);
        odp_json_add_slice(out, ",\"to\":", last->key);
        odp_buffer_add_char(out, '}');
    }
    add_groups(out, "categories", d->categories, gantt ? 0 : d->ncategories);
    add_groups(out, "groups", d->series, c->series >= 0 && !gantt ? d->nseries : 0);
}

/* How values are shown, and what they are. */
static void add_measure(const struct odp_chart_data *d, bool counted, struct odp_buffer *out)
{
    static const char *const ways[] = {[ODP_CHART_COUNT] = "count",
                                       [ODP_CHART_SUM] = "sum",
                                       [ODP_CHART_MEAN] = "mean",
                                       [ODP_CHART_MIN] = "min",
                                       [ODP_CHART_MAX] = "max"};
    const struct chart_scale *scale = &d->scale;
    odp_buffer_printf(out, ",\"aggregate\":\"%s\",\"scale\":{\"power\":%u,\"decimals\":%u",
                      ways[counted ? ODP_CHART_COUNT : d->chart->aggregate], scale->power, scale->decimals);
    add_text(out, ",\"unit\":", scale->unit[ODP_LANG_ID], scale->unit[ODP_LANG_EN]);
    odp_buffer_add_char(out, '}');
    add_flag(out, "total", d->chart->type <= ODP_CHART_STACKED && chart_has_total(d));
}

static void add_about(const struct odp_chart_about *about, struct odp_buffer *out)
{
    odp_json_add_str(out, ",\"dataset\":", about->dataset);
    odp_json_add_str(out, ",\"version\":", about->version);
    odp_json_add_text(out, ",\"source\":", &about->source);
    if (about->license_name == NULL && about->license_path == NULL)
        return;
    odp_json_add_str(out, ",\"license\":{\"name\":", odp_or_empty(about->license_name));
    odp_json_add_str(out, ",\"path\":", about->license_path);
    odp_json_add_str(out, ",\"title\":", about->license_title);
    odp_buffer_add_char(out, '}');
}

void odp_chart_data_json(const struct odp_chart_data *d, const struct odp_chart_about *about,
                         struct odp_buffer *out)
{
    static const struct odp_text days = {{W_charts_days}};
    const struct odp_text records = {
        {chart_label_records(d, ODP_LANG_ID), chart_label_records(d, ODP_LANG_EN)}};
    static void (*const rows[])(const struct odp_chart_data *, struct odp_buffer *) = {
        [ODP_CHART_BAR] = add_rows,    [ODP_CHART_LINE] = add_rows,         [ODP_CHART_STACKED] = add_rows,
        [ODP_CHART_MAP] = add_classes, [ODP_CHART_HISTOGRAM] = add_classes, [ODP_CHART_GANTT] = add_tasks};
    const struct odp_chart *c = d->chart;
    bool counted = c->type >= ODP_CHART_MAP || c->aggregate == ODP_CHART_COUNT || c->value < 0;
    odp_json_add_str(out, "{\"name\":", c->name);
    odp_json_add_str(out, ",\"type\":", odp_chart_type_names[c->type]);
    odp_json_add_text(out, ",\"title\":", &c->title);
    if (!odp_text_is_empty(&c->description))
        odp_json_add_text(out, ",\"description\":", &c->description);
    add_made(d, ",\"headline\":", false, odp_chart_data_headline, out);
    add_made(d, ",\"measure\":", true, chart_label_measure, out);
    odp_json_add_text(out, ",\"unit\":",
                      chart_is_gantt(d) ? &days
                      : counted         ? &records
                                        : &d->resource->schema.fields[c->value].unit);
    add_measure(d, counted, out);
    add_axes(d, out);
    add_about(about, out);
    add_made(d, ",\"alternative\":", true, odp_chart_data_alternative, out);
    add_made(d, ",\"notes\":", true, chart_label_notes, out);
    odp_buffer_add_str(out, ",\"rows\":[");
    if (!odp_chart_data_is_empty(d))
        rows[c->type](d, out);
    odp_buffer_add_str(out, "]}\n");
}
