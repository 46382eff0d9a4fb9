/* Charts and the map: their words and figures. */
#include "site/model/model_internal.h"

#include <stdlib.h>

enum { PICTURE_MAX = 1 << 26, FIGURES_MOST = 400 };

/* ---- charts ---- */

/* Width and height of the SVG at PATH as members of TO; "" if its first tag has none. */
static void set_size(struct model *m, const char *path, json_t *const to[2], const char *lang)
{
    static const char *const names[] = {" width=\"", " height=\""};
    const struct odp_site_job *job = m->job;
    struct odp_buffer svg = {0};
    double size[2] = {0, 0};
    enum odp_status status =
        *path != '\0' ? odp_stage_read(job->stage, path, PICTURE_MAX, job->previous, &svg, job->diags)
                      : ODP_DONE;
    if (status != ODP_OK && status != ODP_DONE && m->status == ODP_OK)
        m->status = status;
    const char *tag = strstr(odp_buffer_cstr(&svg), "<svg "), *end = tag != NULL ? strchr(tag, '>') : NULL;
    for (size_t i = 0; i < 2 && end != NULL && end - tag < 2000; i++) {
        const char *at = strstr(tag, names[i]);
        size[i] = at != NULL && at < end ? strtod(at + strlen(names[i]), NULL) : 0;
    }
    bool known = size[0] >= 1 && size[1] >= 1 && size[0] < 1e5 && size[1] < 1e5;
    for (size_t i = 0; i < 2; i++)
        odp_set(to[i], lang, known ? json_sprintf("%.0f", size[i]) : json_string(""));
    odp_buffer_release(&svg);
}

static json_t *label_of(struct model *m, const json_t *row, const char *label, const char *value)
{
    return odp_model_both_or(row, label, model_scalar(m, json_object_get(row, value)));
}

static void set_figures(struct model *m, const json_t *document, json_t *o)
{
    const json_t *row;
    json_t *rows = json_array();
    bool series = false;
    size_t i;
    json_array_foreach(json_object_get(document, "rows"), i, row) series =
        series || json_is_string(json_object_get(row, "series"));
    json_array_foreach(json_object_get(document, "rows"), i, row)
    {
        const json_t *value = json_object_get(row, "value");
        if (i == FIGURES_MOST)
            break;
        odp_add(rows,
                json_pack("{s:o, s:o, s:o}", "label", label_of(m, row, "label", "category"), "series",
                          series ? label_of(m, row, "seriesLabel", "series") : json_string(""), "value",
                          json_is_number(value) ? model_decimal(model_scalar(m, value)) : json_string("")));
    }
    odp_set_flag(o, "has_series", series);
    odp_set(o, "rows", rows);
}

void model_charts(struct model *m, struct table *t)
{
    const json_t *chart;
    json_t *charts = json_array();
    size_t i;
    json_array_foreach(json_object_get(t->entry, "charts"), i, chart)
    {
        const char *data = odp_model_path(odp_text_of(chart, "data"));
        if (strcmp(odp_text_of(chart, "type"), "map") == 0)
            continue; /* the page has a map of it */
        json_t *document = model_read(m, data),
               *svg = json_object(), *const size[] = {json_object(), json_object()};
        for (int lang = 0; lang < ODP_LANGS; lang++) {
            const char *code = odp_lang_code((enum odp_lang)lang),
                       *path = odp_model_path(odp_text_of(json_object_get(chart, "svg"), code));
            odp_set_str(svg, code, path);
            set_size(m, path, size, code);
        }
        json_t *o = json_pack(
            "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s}", "svg", svg, "width", size[0], "height", size[1], "id",
            json_sprintf("grafik-%s-%s", t->name, odp_text_of(chart, "name")), "heading",
            odp_model_both(chart, "title"), "alternative", odp_model_both(document, "alternative"), "unit",
            odp_model_both(document, "unit"), "path", data);
        set_figures(m, document, o);
        if (document != NULL)
            odp_add(charts, json_incref(o));
        json_decref(o);
        json_decref(document);
    }
    odp_set(t->o, "charts", charts);
}

/* ---- the map ---- */

/* The number of each category, and its share. */
static json_t *make_categories(struct model *m, const json_t *about)
{
    const json_t *values = json_object_get(json_object_get(about, "category"), "values"), *v;
    json_int_t total = odp_model_number(about, "total"), counted = 0;
    json_t *rows = json_array();
    size_t i;
    json_array_foreach(values, i, v) counted += odp_model_number(v, "count");
    total = counted > total ? counted : total;
    json_array_foreach(values, i, v)
    {
        const json_int_t n = odp_model_number(v, "count"),
                         tenths = total > 0 ? (1000 * n + total / 2) / total : 0;
        odp_add(rows,
                json_pack("{s:o, s:I, s:o}", "label", label_of(m, v, "label", "value"), "count", n, "share",
                          json_sprintf("%" JSON_INTEGER_FORMAT ".%d", tenths / 10, (int)(tenths % 10))));
    }
    return rows;
}

void model_map(struct model *m, struct table *t)
{
    const char *path =
        model_printf(m, "data/%s/%s/%s%s.map.geojson", m->slug, m->version, m->slug, t->suffix);
    json_t *map = model_read(m, path);
    const json_t *about = json_object_get(map, "odp");
    const struct odp_site_file *sent = model_twin(m, path);
    if (map == NULL)
        return;
    if (sent == NULL)
        sent = odp_stage_find(m->job->stage, path);
    odp_set(t->o, "map",
            json_pack("{s:s, s:I, s:o, s:o, s:o}", "path", path, "bytes",
                      sent != NULL ? (json_int_t)sent->size : 0, "field",
                      odp_model_both(json_object_get(about, "category"), "title"), "rows",
                      make_categories(m, about), "geojson", map));
}
