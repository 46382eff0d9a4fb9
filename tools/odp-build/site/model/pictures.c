/* Charts and the map: what stands beside their pictures in words and figures. */
#include "site/model/model_internal.h"
#include "base/json_load.h"

#include <stdlib.h>

enum { PICTURE_MAX = 1 << 26, FIGURES_MOST = 400 };

static const char *const langs[ODP_LANGS] = {[ODP_LANG_ID] = "id", [ODP_LANG_EN] = "en"};

/* ---- charts ----------------------------------------------------------------------------------------- */

/* Width and height of the SVG at PATH as members of W and H; "" where its first tag does not say. */
static void set_size(struct model *m, const char *path, json_t *w, json_t *h, const char *lang)
{
    struct odp_buffer svg;
    double size[2] = {0, 0};
    odp_buffer_init(&svg);
    enum odp_status status = *path != '\0' ? odp_stage_read(m->job->stage, path, PICTURE_MAX,
                                                            m->job->previous, &svg, m->job->diags)
                                           : ODP_DONE;
    if (status != ODP_OK && status != ODP_DONE && m->status == ODP_OK)
        m->status = status;
    const char *text = odp_buffer_cstr(&svg), *tag = strstr(text, "<svg "),
               *end = tag != NULL ? strchr(tag, '>') : NULL;
    const char *at[2] = {tag != NULL ? strstr(tag, " width=\"") : NULL,
                         tag != NULL ? strstr(tag, " height=\"") : NULL};
    for (size_t i = 0; i < 2 && end != NULL && end - text < 2000; i++)
        size[i] = at[i] != NULL && at[i] < end ? strtod(strchr(at[i], '"') + 1, NULL) : 0;
    bool known = size[0] >= 1 && size[1] >= 1 && size[0] < 1e5 && size[1] < 1e5;
    set_text(m, w, lang, known ? model_printf(m, "%.0f", size[0]) : "");
    set_text(m, h, lang, known ? model_printf(m, "%.0f", size[1]) : "");
    odp_buffer_release(&svg);
}

static json_t *label_of(struct model *m, const json_t *row, const char *label, const char *value)
{
    return *odp_model_in(row, label, ODP_LANG_ID) != '\0'
               ? odp_model_both(row, label)
               : json_string(model_scalar(m, json_object_get(row, value)));
}

static void set_figures(struct model *m, const json_t *document, json_t *o)
{
    static const char number[] = "{\"type\": \"number\"}";
    const json_t *row;
    json_t *rows = json_array(), *field = odp_json_load(number, strlen(number), 0, NULL);
    bool series = false;
    size_t i;
    json_array_foreach(json_object_get(document, "rows"), i, row)
        series = series || json_is_string(json_object_get(row, "series"));
    json_array_foreach(json_object_get(document, "rows"), i, row) {
        const json_t *value = json_object_get(row, "value");
        if (i == FIGURES_MOST)
            break;
        odp_doc_add(&m->doc, rows,
                    json_pack("{s:o, s:o, s:o}", "label", label_of(m, row, "label", "category"), "series",
                              series ? label_of(m, row, "seriesLabel", "series") : json_string(""), "value",
                              json_is_number(value) ? model_shown(m, field, model_scalar(m, value))
                                                    : json_string("")));
    }
    set_flag(m, o, "has_series", series);
    set(m, o, "rows", rows);
    json_decref(field);
}

void model_charts(struct model *m, struct table *t)
{
    const json_t *chart;
    json_t *charts = json_array();
    size_t i;
    json_array_foreach(json_object_get(t->entry, "charts"), i, chart) {
        const char *data = odp_model_path(odp_model_text(chart, "data"));
        json_t *document = model_read(m, data), *o = json_object(), *svg = json_object(), *w = json_object(),
               *h = json_object();
        for (int lang = 0; lang < ODP_LANGS; lang++) {
            const char *path = odp_model_path(odp_model_text(json_object_get(chart, "svg"), langs[lang]));
            set_text(m, svg, langs[lang], path);
            set_size(m, path, w, h, langs[lang]);
        }
        set(m, o, "svg", svg);
        set(m, o, "width", w);
        set(m, o, "height", h);
        set_text(m, o, "id", model_printf(m, "grafik-%s-%s", t->name, odp_model_text(chart, "name")));
        set(m, o, "heading", odp_model_both(chart, "title"));
        set(m, o, "alternative", odp_model_both(document, "alternative"));
        set(m, o, "unit", odp_model_both(document, "unit"));
        set_text(m, o, "path", data);
        set_figures(m, document, o);
        if (document != NULL)
            odp_doc_add(&m->doc, charts, json_incref(o));
        json_decref(o);
        json_decref(document);
    }
    set(m, t->o, "charts", charts);
}

/* ---- the map ---------------------------------------------------------------------------------------- */

/* How many of each category, and which share of all. */
static json_t *make_categories(struct model *m, const json_t *about)
{
    const json_t *values = json_object_get(json_object_get(about, "category"), "values"), *v;
    json_int_t total = odp_model_number(about, "total"), counted = 0;
    json_t *rows = json_array();
    size_t i;
    json_array_foreach(values, i, v)
        counted += odp_model_number(v, "count");
    total = counted > total ? counted : total;
    json_array_foreach(values, i, v) {
        const json_int_t n = odp_model_number(v, "count"),
                         tenths = total > 0 ? (1000 * n + total / 2) / total : 0;
        odp_doc_add(
            &m->doc, rows,
            json_pack("{s:o, s:I, s:s}", "label", label_of(m, v, "label", "value"), "count", n, "share",
                      model_printf(m, "%" JSON_INTEGER_FORMAT ".%d", tenths / 10, (int)(tenths % 10))));
    }
    return rows;
}

void model_map(struct model *m, struct table *t)
{
    const char *path =
        model_printf(m, "data/%s/%s/%s%s.map.geojson", m->slug, m->version, m->slug, t->suffix);
    json_t *map = model_read(m, path);
    const json_t *about = json_object_get(map, "odp");
    const struct odp_site_file *twin = odp_stage_find(m->job->stage, model_printf(m, "%s.br", path));
    twin = twin != NULL ? twin : odp_stage_find(m->job->stage, model_printf(m, "%s.gz", path));
    twin = twin != NULL ? twin : odp_stage_find(m->job->stage, path);
    if (map == NULL)
        return;
    json_t *o = json_object();
    set_text(m, o, "path", path);
    set_number(m, o, "bytes", twin != NULL ? (json_int_t)twin->size : 0);
    set(m, o, "field", odp_model_both(json_object_get(about, "category"), "title"));
    set(m, o, "rows", make_categories(m, about));
    set(m, o, "geojson", map);
    set(m, t->o, "map", o);
}
