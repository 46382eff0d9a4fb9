/* The picture's content as data: exact values in the field's unit. */
#include "base/json.h"
#include "write/charts/charts_internal.h"
#include "words/charts.h"

static void add_text(struct odp_buffer *out, const char *name, struct odp_slice id, struct odp_slice en)
{
    odp_buffer_printf(out, "\"%s\":{\"id\":", name);
    odp_json_add_string(out, id);
    odp_buffer_add_str(out, ",\"en\":");
    odp_json_add_string(out, en);
    odp_buffer_add_char(out, '}');
}

static void add_declared(struct odp_buffer *out, const char *name, const struct odp_text *text)
{
    add_text(out, name, odp_slice_of(odp_text_get(text, ODP_LANG_ID)),
             odp_slice_of(odp_text_get(text, ODP_LANG_EN)));
}

/* A category or a series, and what it is called; LABEL: the name of that member. */
static void add_group(struct odp_buffer *out, const char *name, const char *label,
                      const struct chart_group *g)
{
    odp_buffer_printf(out, "\"%s\":", name);
    if (g->kind == GROUP_VALUE)
        odp_json_add_string(out, g->key);
    else
        odp_buffer_add_str(out, "null");
    odp_buffer_add_char(out, ',');
    add_text(out, label, g->label[ODP_LANG_ID], g->label[ODP_LANG_EN]);
}

/* Before the members of a row of category G, the first of which is at START. */
static void begin_row(struct odp_buffer *out, size_t start, const struct chart_group *g)
{
    odp_buffer_add_str(out, out->len == start ? "\n{" : ",\n{");
    add_group(out, "category", "label", g);
    if (g->folded > 0)
        odp_buffer_printf(out, ",\"folded\":%llu", (unsigned long long)g->folded);
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
            odp_buffer_add_char(out, ',');
            if (d->chart->series >= 0)
                add_group(out, "series", "seriesLabel", &d->series[k]);
            else
                odp_buffer_add_str(out, "\"series\":null");
            odp_buffer_add_str(out, ",\"value\":");
            fixed_json(out, v->value);
            odp_buffer_add_char(out, '}');
        }
}

/* Of maps: the kinds of symbols, with the number of records of each. */
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

void odp_chart_data_json(const struct odp_chart_data *d, struct odp_buffer *out)
{
    static const struct odp_text records = {{W_charts_records_2}};
    const struct odp_chart *c = d->chart;
    bool map = c->type == ODP_CHART_MAP, counted = map || c->aggregate == ODP_CHART_COUNT || c->value < 0;
    struct odp_buffer id, en;
    odp_buffer_init(&id);
    odp_buffer_init(&en);
    odp_chart_data_alternative(d, ODP_LANG_ID, &id);
    odp_chart_data_alternative(d, ODP_LANG_EN, &en);
    odp_buffer_add_str(out, "{\"name\":");
    odp_json_add_string(out, odp_slice_of(c->name));
    odp_buffer_printf(out, ",\"type\":\"%s\",", odp_chart_type_names[c->type]);
    add_declared(out, "title", &c->title);
    odp_buffer_add_char(out, ',');
    add_declared(out, "unit", counted ? &records : &d->resource->schema.fields[c->value].unit);
    odp_buffer_add_char(out, ',');
    add_text(out, "alternative", odp_buffer_slice(&id), odp_buffer_slice(&en));
    odp_buffer_add_str(out, ",\"rows\":[");
    if (!odp_chart_data_is_empty(d) && map)
        add_classes(d, out);
    else if (!odp_chart_data_is_empty(d))
        add_rows(d, out);
    odp_buffer_add_str(out, "]}\n");
    out->failed |= id.failed || en.failed;
    odp_buffer_release(&id);
    odp_buffer_release(&en);
}
