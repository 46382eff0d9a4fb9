/* Charts: their words and figures. */
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

/* A picture of CHART for a width: its path and size as members of O, "<prefix>" and "width" or
 * "<prefix>_width". */
static void set_picture(struct model *m, const json_t *chart, const char *member, json_t *o)
{
    json_t *paths = json_object(), *const size[] = {json_object(), json_object()};
    const char *before = strcmp(member, "svg") == 0 ? "" : "narrow_";
    for (int lang = 0; lang < ODP_LANGS; lang++) {
        const char *code = odp_lang_code((enum odp_lang)lang),
                   *path = odp_model_path(odp_text_of(json_object_get(chart, member), code));
        odp_set_str(paths, code, path);
        set_size(m, path, size, code);
    }
    odp_set(o, member, paths);
    odp_set(o, model_printf(m, "%swidth", before), size[0]);
    odp_set(o, model_printf(m, "%sheight", before), size[1]);
}

static json_t *label_of(struct model *m, const json_t *row, const char *label, const char *value)
{
    return odp_model_both_or(row, label, model_scalar(m, json_object_get(row, value)));
}

/* A line of the table behind a chart. CLASS: of a histogram, whose rows have no name of their own. */
static json_t *make_figure(struct model *m, const json_t *row, const json_t *class, bool series)
{
    const json_t *value = json_object_get(row, "value"),
                 *named = json_object_get(row, "label") != NULL ? row : class;
    return json_pack("{s:o, s:o, s:o, s:s, s:s}", "label", label_of(m, named, "label", "category"), "series",
                     series ? label_of(m, row, "seriesLabel", "series") : json_string(""), "value",
                     json_is_number(value) ? model_decimal(model_scalar(m, value)) : json_string(""),
                     "planned", odp_text_of(row, "planned"), "actual", odp_text_of(row, "actual"));
}

static void set_figures(struct model *m, const json_t *document, json_t *o)
{
    const json_t *row, *classes = json_object_get(document, "categories");
    json_t *rows = json_array();
    bool series = false;
    size_t i;
    json_array_foreach(json_object_get(document, "rows"), i, row) series =
        series || json_is_object(json_object_get(row, "seriesLabel"));
    json_array_foreach(json_object_get(document, "rows"), i, row) if (i < FIGURES_MOST)
        odp_add(rows, make_figure(m, row, json_array_get(classes, i), series));
    odp_set_flag(o, "has_series", series);
    odp_set_flag(o, "is_plan", strcmp(odp_text_of(document, "type"), "gantt") == 0);
    odp_set(o, "rows", rows);
}

/* Who the figures are from; documents of earlier versions do not say it, but their dataset does. */
static void set_origin(struct model *m, const json_t *document, json_t *o)
{
    odp_set(o, "source", odp_model_both(document, "source"));
    odp_set_str(o, "slug", m->slug);
}

void model_charts(struct model *m, struct table *t)
{
    const json_t *chart;
    json_t *charts = json_array();
    size_t i;
    json_array_foreach(json_object_get(t->entry, "charts"), i, chart)
    {
        const char *data = odp_model_path(odp_text_of(chart, "data")), *name = odp_text_of(chart, "name");
        if (strcmp(odp_text_of(chart, "type"), "map") == 0)
            continue; /* the page has a map of it */
        json_t *document = model_read(m, data);
        json_t *o = json_pack(
            "{s:o, s:o, s:o, s:o, s:o, s:s, s:o}", "id", json_sprintf("grafik-%s-%s", t->name, name),
            "heading", odp_model_both(chart, "title"), "headline", odp_model_both(document, "headline"),
            "alternative", odp_model_both(document, "alternative"), "unit", odp_model_both(document, "unit"),
            "path", data, "embed", json_sprintf("%s/grafik%s-%s.html", m->slug, t->suffix, name));
        set_picture(m, chart, "svg", o);
        set_picture(m, chart, "narrow", o);
        set_origin(m, document, o);
        set_figures(m, document, o);
        if (document != NULL)
            odp_add(charts, json_incref(o));
        json_decref(o);
        json_decref(document);
    }
    odp_set(t->o, "charts", charts);
}
