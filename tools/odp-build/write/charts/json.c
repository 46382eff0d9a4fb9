/* What a picture shows, as data: exact values in the field's unit. */
#include "base/json.h"
#include "write/charts/charts_internal.h"
#include "words/charts.h"

static const char *const langs[ODP_LANGS] = {"id", "en"};

static void add_text(struct odp_buffer *out, const char *name, const struct odp_slice text[ODP_LANGS])
{
    odp_buffer_printf(out, "\"%s\":{", name);
    for (int k = 0; k < ODP_LANGS; k++) {
        odp_buffer_printf(out, "%s\"%s\":", k > 0 ? "," : "", langs[k]);
        odp_json_add_string(out, text[k]);
    }
    odp_buffer_add_char(out, '}');
}

static void add_declared(struct odp_buffer *out, const char *name, const struct odp_text *text)
{
    struct odp_slice in[ODP_LANGS];
    for (int k = 0; k < ODP_LANGS; k++)
        in[k] = odp_slice_of(odp_text_get(text, (enum odp_lang)k));
    add_text(out, name, in);
}

static void add_key(struct odp_buffer *out, const char *name, const struct odp_chart_group *g)
{
    odp_buffer_printf(out, "\"%s\":", name);
    if (g->kind == ODP_GROUP_VALUE)
        odp_json_add_string(out, g->key);
    else
        odp_buffer_add_str(out, "null");
}

static void add_group(struct odp_buffer *out, const struct odp_chart_group *g, bool whole)
{
    add_key(out, "category", g);
    odp_buffer_add_char(out, ',');
    add_text(out, "label", g->label);
    if (g->folded > 0 && whole)
        odp_buffer_printf(out, ",\"folded\":%llu", (unsigned long long)g->folded);
}

static void add_rows(const struct odp_chart_data *d, struct odp_buffer *out)
{
    bool first = true;
    for (uint32_t i = 0; i < d->ncategories; i++)
        for (uint32_t k = 0; k < d->nseries; k++) {
            const struct odp_chart_value *v = odp_chart_value_at(d, i, k);
            if (!v->present)
                continue;
            odp_buffer_add_str(out, first ? "\n{" : ",\n{");
            first = false;
            add_group(out, &d->categories[i], true);
            odp_buffer_add_char(out, ',');
            if (d->chart->series >= 0) {
                add_key(out, "series", &d->series[k]);
                odp_buffer_add_char(out, ',');
                add_text(out, "seriesLabel", d->series[k].label);
            } else {
                odp_buffer_add_str(out, "\"series\":null");
            }
            odp_buffer_add_str(out, ",\"value\":");
            odp_chart_number_json(out, v->value);
            odp_buffer_add_char(out, '}');
        }
}

/* Of maps: the kinds of symbols, and how many records each stands for. */
static void add_classes(const struct odp_chart_data *d, struct odp_buffer *out)
{
    for (uint32_t i = 0; i < d->ncategories; i++) {
        const struct odp_chart_group *g = &d->categories[i];
        odp_buffer_add_str(out, i > 0 ? ",\n{" : "\n{");
        add_group(out, g, true);
        odp_buffer_add_str(out, ",\"series\":null");
        if (g->kind == ODP_GROUP_CLASS) {
            odp_buffer_add_str(out, ",\"from\":");
            odp_chart_number_json(out, g->sum.least);
            odp_buffer_add_str(out, ",\"to\":");
            odp_chart_number_json(out, g->sum.greatest);
        }
        odp_buffer_printf(out, ",\"value\":%llu}", (unsigned long long)g->sum.n);
    }
}

enum odp_status odp_chart_data_json(const struct odp_chart_data *d, struct odp_buffer *out)
{
    const struct odp_chart *c = d->chart;
    bool map = c->type == ODP_CHART_MAP, counted = map || c->aggregate == ODP_CHART_COUNT || c->value < 0;
    static const struct odp_text records = {{W_charts_records_2}};
    struct odp_buffer words[ODP_LANGS];
    enum odp_status status = ODP_OK;
    odp_buffer_add_str(out, "{\"name\":");
    odp_json_add_string(out, odp_slice_of(c->name));
    odp_buffer_printf(out, ",\"type\":\"%s\",", odp_chart_type_names[c->type]);
    add_declared(out, "title", &c->title);
    odp_buffer_add_char(out, ',');
    add_declared(out, "unit", counted ? &records : &d->resource->schema.fields[c->value].unit);
    struct odp_slice text[ODP_LANGS];
    for (int k = 0; k < ODP_LANGS; k++) {
        odp_buffer_init(&words[k]);
        if (odp_chart_data_alternative(d, (enum odp_lang)k, &words[k]) == ODP_FAIL)
            status = ODP_FAIL;
        text[k] = odp_buffer_slice(&words[k]);
    }
    odp_buffer_add_char(out, ',');
    add_text(out, "alternative", text);
    for (int k = 0; k < ODP_LANGS; k++)
        odp_buffer_release(&words[k]);
    odp_buffer_add_str(out, ",\"rows\":[");
    if (!odp_chart_data_is_empty(d) && map)
        add_classes(d, out);
    else if (!odp_chart_data_is_empty(d))
        add_rows(d, out);
    odp_buffer_add_str(out, "]}\n");
    return status == ODP_OK ? odp_buffer_status(out) : status;
}
