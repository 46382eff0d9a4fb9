/* Charts and the map: pictures that are read without a script, each with its words and its figures. */
#include "site/pages/dataset_internal.h"

#include <stdlib.h>

#include "write/map/picture.h"

/* ---- charts ----------------------------------------------------------------------------------------------------------------- */

static const char *label_of(struct dataset_page *g, const json_t *row, const char *label, const char *value)
{
    const char *text = portal_in(row, label, g->lang);
    if (*text != '\0')
        return text;
    const char *own = dataset_scalar(json_object_get(row, value), g->arena);
    return own == NULL || *own != '\0' ? own : dataset_word(g, "ds_empty");
}

static json_t *make_figures(struct dataset_page *g, const json_t *document, bool *series)
{
    enum { MOST = 400 };
    const json_t *from = json_object_get(document, "rows");
    json_t *rows = json_array();
    *series = false;
    for (size_t i = 0; i < json_array_size(from); i++)
        *series = *series || json_is_string(json_object_get(json_array_get(from, i), "series"));
    for (size_t i = 0; i < json_array_size(from) && i < MOST; i++) {
        const json_t *row = json_array_get(from, i);
        json_t *o = json_object();
        dataset_set(g, o, "label", label_of(g, row, "label", "category"));
        dataset_set(g, o, "series", *series ? label_of(g, row, "seriesLabel", "series") : "");
        const json_t *value = json_object_get(row, "value");
        dataset_set(g, o, "value", json_is_number(value) ? dataset_value(g, value) : dataset_word(g, "ds_empty"));
        odp_doc_add(&g->d, rows, o);
    }
    return rows;
}

/* "744 550" in two texts; empty where the picture does not say. */
static void set_size(struct dataset_page *g, json_t *o, const char *size)
{
    const char *space = size != NULL ? strchr(size, ' ') : NULL;
    dataset_set(g, o, "width", space != NULL ? odp_arena_printf(g->arena, "%.*s", (int)(space - size), size) : "");
    dataset_set(g, o, "height", space != NULL ? space + 1 : "");
}

static json_t *make_chart(struct dataset_page *g, const struct dataset_resource *r, size_t i)
{
    const json_t *chart = json_array_get(json_object_get(r->entry, "charts"), i), *document = r->charts[i];
    const char *svg = portal_text(json_object_get(chart, "svg"), g->lang == ODP_LANG_ID ? "id" : "en");
    bool series;
    json_t *o = json_object();
    dataset_set(g, o, "heading", portal_in(chart, "title", g->lang));
    dataset_set(g, o, "id", odp_arena_printf(g->arena, "grafik-%s-%s", r->name, portal_text(chart, "name")));
    dataset_set(g, o, "svg", *svg != '\0' ? odp_arena_printf(g->arena, "%s%s", g->root, dataset_site_path(svg)) : "");
    set_size(g, o, r->sizes != NULL ? r->sizes[i][g->lang] : NULL);
    dataset_set(g, o, "alternative", portal_in(document, "alternative", g->lang));
    dataset_set(g, o, "unit", portal_in(document, "unit", g->lang));
    odp_doc_set(&g->d, o, "rows", make_figures(g, document, &series));
    odp_doc_set(&g->d, o, "has_series", json_boolean(series));
    dataset_set(g, o, "href", odp_arena_printf(g->arena, "%s%s", g->root, dataset_site_path(portal_text(chart, "data"))));
    return o;
}

void dataset_charts(struct dataset_page *g, const struct dataset_resource *r, json_t *o)
{
    json_t *charts = json_array();
    for (size_t i = 0; i < r->ncharts; i++)
        if (r->charts[i] != NULL)
            odp_doc_add(&g->d, charts, make_chart(g, r, i));
    odp_doc_set(&g->d, o, "charts", charts);
}

/* ---- map -------------------------------------------------------------------------------------------------------------------- */

/* The picture, beside the page; its size into "744 550". */
static enum odp_status put_picture(struct dataset_page *g, const struct dataset_resource *r, const char *path, const char **size)
{
    struct odp_buffer svg;
    odp_buffer_init(&svg);
    const char *license = portal_text(json_object_get(g->entry, "license"), "path");
    const struct odp_map_picture picture = {r->map, g->dataset->coast, dataset_title_of(g, r), g->lang, license};
    enum odp_status status = path != NULL ? odp_map_picture_svg(&picture, &svg) : ODP_FAIL;
    if (status == ODP_OK)
        status = odp_buffer_status(&svg);
    if (status == ODP_OK) {
        const char *box = memmem(svg.ptr, svg.len < 2000 ? svg.len : 2000, "viewBox=\"", 9);
        double w = 0, h = 0;
        if (box != NULL && sscanf(odp_buffer_cstr(&svg) + (box + 9 - svg.ptr), "%*f %*f %lf %lf", &w, &h) == 2 && w >= 1 && h >= 1 && w < 1e5 && h < 1e5)
            *size = odp_arena_printf(g->arena, "%.0f %.0f", w, h);
        status = odp_stage_put(g->p->job->stage, path, "image/svg+xml", ODP_CLASS_PUBLIC, odp_buffer_slice(&svg));
    }
    odp_buffer_release(&svg);
    return status;
}

static const char *alternative(struct dataset_page *g, const struct dataset_resource *r)
{
    struct odp_buffer text;
    odp_buffer_init(&text);
    const struct odp_map_picture picture = {r->map, g->dataset->coast, dataset_title_of(g, r), g->lang, NULL};
    bool ok = odp_map_picture_alternative(&picture, &text) == ODP_OK && odp_buffer_status(&text) == ODP_OK;
    const char *copy = ok ? odp_arena_copy(g->arena, (struct odp_slice){odp_buffer_cstr(&text), text.len}).ptr : NULL;
    odp_buffer_release(&text);
    return copy;
}

/* The table twin: how many of each category. */
static void set_categories(struct dataset_page *g, const json_t *about, json_t *o)
{
    const json_t *category = json_object_get(about, "category"), *values = json_object_get(category, "values");
    json_int_t total = json_integer_value(json_object_get(about, "total")), counted = 0;
    json_t *rows = json_array();
    for (size_t i = 0; i < json_array_size(values); i++)
        counted += json_integer_value(json_object_get(json_array_get(values, i), "count"));
    if (counted > total)
        total = counted;
    for (size_t i = 0; i < json_array_size(values); i++) {
        const json_t *v = json_array_get(values, i);
        const char *label = portal_in(v, "label", g->lang), *value = dataset_scalar(json_object_get(v, "value"), g->arena);
        json_int_t count = json_integer_value(json_object_get(v, "count"));
        long long tenths = total > 0 ? (1000LL * count + total / 2) / total : 0;
        json_t *row = json_object();
        dataset_set(g, row, "label", *label != '\0' ? label : value != NULL && *value != '\0' ? value : dataset_word(g, "ds_empty"));
        dataset_set(g, row, "count", portal_number((uint64_t)count, g->lang, g->arena));
        dataset_set(g, row, "share", odp_arena_printf(g->arena, "%lld%c%lld%%", tenths / 10, g->lang == ODP_LANG_ID ? ',' : '.', tenths % 10));
        odp_doc_add(&g->d, rows, row);
    }
    dataset_set(g, o, "field", portal_in(category, "title", g->lang));
    odp_doc_set(&g->d, o, "rows", rows);
}

/* One asset's address and digest under its key, where all of the map's are there. */
static void set_assets(struct dataset_page *g, json_t *o)
{
    static const char *const keys[][2] = {{"map_js", "js"}, {"map_css", "css"}, {"coast_json", "coast"}};
    json_t *assets = json_object();
    for (size_t i = 0; i < 3; i++) {
        const json_t *asset = json_object_get(g->p->assets, keys[i][0]);
        if (asset == NULL && i < 2) { /* nothing to load: the picture stays */
            json_decref(assets);
            return;
        }
        json_t *one = json_object();
        dataset_set(g, one, "path", asset != NULL ? odp_arena_printf(g->arena, "%s%s", g->root, portal_text(asset, "path")) : "");
        dataset_set(g, one, "integrity", portal_text(asset, "integrity"));
        odp_doc_set(&g->d, assets, keys[i][1], one);
    }
    odp_doc_set(&g->d, o, "assets", assets);
}

enum odp_status dataset_map(struct dataset_page *g, const struct dataset_resource *r, json_t *o)
{
    static const char *const ends[] = {"-peta.svg", "-map.svg"};
    const json_t *about = json_object_get(r->map, "odp");
    if (r->map == NULL)
        return ODP_OK;
    const char *path = odp_arena_printf(g->arena, "%s%s%s%s", portal_path(PORTAL_dataset_dir, g->lang), g->slug, r->suffix, ends[g->lang]), *size = NULL;
    enum odp_status status = put_picture(g, r, path, &size);
    if (status != ODP_OK)
        return status;
    json_t *map = json_object();
    dataset_set(g, map, "svg", odp_arena_printf(g->arena, "%s%s", g->root, path));
    set_size(g, map, size);
    dataset_set(g, map, "alternative", alternative(g, r));
    dataset_set(g, map, "src", odp_arena_printf(g->arena, "%sdata/%s/%s/%s%s.map.geojson", g->root, g->slug, g->version, g->slug, r->suffix));
    dataset_set(g, map, "size", dataset_transfer_size(g, odp_arena_printf(g->arena, "data/%s/%s/%s%s.map.geojson", g->slug, g->version, g->slug, r->suffix)));
    dataset_set(g, map, "total", dataset_value(g, json_object_get(about, "total")));
    dataset_set(g, map, "shown", dataset_value(g, json_object_get(about, "shown")));
    set_categories(g, about, map);
    set_assets(g, map);
    odp_doc_set(&g->d, o, "map", map);
    return ODP_OK;
}
