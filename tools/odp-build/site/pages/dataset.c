/* katalog/<slug>.html, en/catalog/<slug>.html: one page for each entry of the index, its document
 * (site/model) put into a template.
 *
 * Both languages are made in the Indonesian call. A section without content is left out, of the list of
 * contents too ("has"). Section ids are the same in both languages (#unduh, #kolom, #versi): links to them
 * are kept in documents and letters.
 *
 * Exact values are in the downloads. dataset.js does the same with the records of preview.json, and compares
 * decimals as text: nothing goes through a double. */
#include "site/pages/pages_internal.h"

#include <errno.h>

#include "site/metadata/metadata.h"
#include "write/map/picture.h"

struct page {
    struct portal *p;
    const json_t *entry, *coast; /* coast: of all datasets; or NULL */
    json_t *data;                /* the document of both languages */
    const char *slug, *path[ODP_LANGS];
    struct odp_doc d;
    struct odp_arena arena;
};

/* ---- pictures of maps: beside the page, one in each language ---- */

/* "744" and "550" of viewBox="0 0 744 550" as members of W and H. */
static void set_size(struct page *g, const struct odp_buffer *svg, json_t *w, json_t *h, const char *lang)
{
    double size[2] = {0, 0};
    const char *text = odp_buffer_cstr((struct odp_buffer *)(uintptr_t)svg),
               *box = strstr(text, "viewBox=\"");
    bool known = box != NULL && sscanf(box + 9, "%*f %*f %lf %lf", &size[0], &size[1]) == 2 && size[0] >= 1 &&
                 size[1] >= 1 && size[0] < 1e5 && size[1] < 1e5;
    odp_doc_set(&g->d, w, lang, known ? json_sprintf("%.0f", size[0]) : json_string(""));
    odp_doc_set(&g->d, h, lang, known ? json_sprintf("%.0f", size[1]) : json_string(""));
}

static enum odp_status draw_map(struct page *g, const json_t *table, enum odp_lang lang, json_t *map)
{
    static const char *const ends[] = {"-peta.svg", "-map.svg"}, *const langs[] = {"id", "en"};
    struct odp_buffer svg, words;
    odp_buffer_init(&svg);
    odp_buffer_init(&words);
    const char *path = odp_arena_printf(&g->arena, "%s%s%s%s", odp_path(ODP_PATH_dataset_dir, lang), g->slug,
                                        odp_model_text(table, "suffix"), ends[lang]);
    const struct odp_map_picture picture = {json_object_get(map, "geojson"), g->coast,
                                            odp_model_in(table, "heading", lang), lang,
                                            odp_model_text(json_object_get(g->entry, "license"), "path")};
    enum odp_status status = odp_map_picture_svg(&picture, &svg);
    if (status == ODP_OK)
        status = odp_map_picture_alternative(&picture, &words);
    if (status == ODP_OK)
        status =
            odp_stage_put(g->p->job->stage, path, "image/svg+xml", ODP_CLASS_PUBLIC, odp_buffer_slice(&svg));
    if (status == ODP_OK) {
        odp_doc_set_str(&g->d, json_object_get(map, "svg"), langs[lang], path);
        odp_doc_set_str(&g->d, json_object_get(map, "alternative"), langs[lang], odp_buffer_cstr(&words));
        set_size(g, &svg, json_object_get(map, "width"), json_object_get(map, "height"), langs[lang]);
    }
    odp_buffer_release(&svg);
    odp_buffer_release(&words);
    return status;
}

static enum odp_status draw_maps(struct page *g)
{
    static const char *const members[] = {"svg", "alternative", "width", "height"};
    const json_t *table;
    enum odp_status status = ODP_OK;
    size_t i;
    json_array_foreach(json_object_get(g->data, "resources"), i, table) {
        json_t *map = json_object_get(table, "map");
        for (size_t k = 0; map != NULL && k < sizeof members / sizeof *members; k++)
            odp_doc_set(&g->d, map, members[k], json_object());
        for (int lang = 0; lang < ODP_LANGS && map != NULL && status == ODP_OK; lang++)
            status = draw_map(g, table, (enum odp_lang)lang, map);
        if (map != NULL)
            (void)json_object_del(map, "geojson");
    }
    return status;
}

/* ---- what only the page says ---- */

/* What the libraries of each language say of a table, with the shortest program that reads it. */
static void set_library(struct page *g, const json_t *table, size_t index)
{
    json_t *list = json_array(), *api = json_object_get(table, "api");
    const json_t *library;
    size_t i;
    json_array_foreach(json_object_get(g->p->clients, "languages"), i, library) {
        const json_t *of = odp_model_find(json_object_get(library, "datasets"), "slug", g->slug);
        if (index > 0)
            of = odp_model_find(json_object_get(of, "resources"), "name", odp_model_text(table, "name"));
        if (of != NULL)
            odp_doc_add(&g->d, list,
                        json_pack("{s:s, s:s, s:s, s:s}", "language", odp_model_text(library, "language"),
                                  "label", odp_model_text(library, "label"), "extension",
                                  odp_model_text(library, "extension"), "brief",
                                  odp_model_text(of, "brief")));
    }
    if (api != NULL) {
        odp_doc_set(&g->d, api, "has_library", json_boolean(json_array_size(list) > 0));
        odp_doc_set(&g->d, api, "library", json_incref(list));
    }
    json_decref(list);
}

/* Geometry in a GIS: the file that is opened without a key. */
static void set_gis(struct page *g, const json_t *table)
{
    const char *suffix = odp_model_text(table, "suffix"),
               *file = odp_arena_printf(&g->arena, "data/%s/latest/%s%s.geojson", g->slug, g->slug, suffix);
    if (json_is_true(json_object_get(table, "has_geometry")) && json_object_get(g->data, "gis") == NULL)
        odp_doc_set(&g->d, g->data, "gis",
                    json_pack("{s:s, s:s}", "suffix", suffix, "path",
                              odp_model_is_staged(g->p->job, file) ? file : ""));
}

/* The sections that this dataset has: those that one of its tables has, and those of the whole. */
static void set_sections(struct page *g)
{
    static const char *const of_tables[] = {"files", "preview", "charts", "map", "fields", "slices", "api"};
    const json_t *tables = json_object_get(g->data, "resources"), *table;
    const bool current =
        *odp_model_text(g->data, "version") !=
        '\0'; /* else the newest version was withdrawn, and no other has taken its place yet */
    json_t *has = json_object();
    size_t i;
    for (size_t k = 0; k < sizeof of_tables / sizeof *of_tables; k++) {
        bool any = false;
        json_array_foreach(tables, i, table) {
            const json_t *value = json_object_get(table, of_tables[k]);
            any = any || json_is_object(value) || json_array_size(value) > 0;
        }
        odp_doc_set(&g->d, has, of_tables[k], json_boolean(any));
    }
    odp_doc_set(&g->d, has, "versions",
                json_boolean(json_is_true(json_object_get(json_object_get(g->data, "versions"), "any"))));
    odp_doc_set(&g->d, has, "score", json_boolean(current && json_object_get(g->data, "score") != NULL));
    odp_doc_set(&g->d, has, "cite", json_boolean(current));
    odp_doc_set(&g->d, has, "report", json_boolean(*odp_model_text(g->data, "email") != '\0'));
    odp_doc_set(&g->d, has, "machines",
                json_boolean(json_array_size(json_object_get(g->data, "machines")) > 0));
    odp_doc_set(&g->d, g->data, "has", has);
}

static enum odp_status complete(struct page *g)
{
    const json_t *table;
    size_t i;
    json_array_foreach(json_object_get(g->data, "resources"), i, table) {
        set_library(g, table, i);
        set_gis(g, table);
    }
    odp_doc_set(&g->d, g->data, "has_libraries", json_boolean(g->p->clients != NULL));
    set_sections(g);
    return draw_maps(g);
}

/* ---- the page --------------------------------------------------------------------------------------- */

static const char *staged(struct page *g, const char *path)
{
    return odp_model_is_staged(g->p->job, path) ? path : NULL;
}

static enum odp_status put_page(struct page *g, enum odp_lang lang)
{
    struct portal *p = g->p;
    const char *address = odp_arena_printf(&g->arena, "%s%s", p->catalog->portal.base_url, g->path[lang]);
    json_t *words = json_object(), *jsonld = odp_metadata_schema_org(p->metadata, g->data, lang, address);
    enum odp_status status = jsonld != NULL ? portal_words(p, "ds_t_", lang, words) : ODP_FAIL;
    if (status == ODP_OK)
        status = portal_words(p, "map_", lang, words);
    odp_doc_set(&g->d, g->data, "script_words", words);
    const struct portal_head head = {
        .page = "dataset",
        .title = odp_model_in(g->entry, "title", lang),
        .description = odp_model_in(g->entry, "description", lang),
        .path = {g->path[0], g->path[1]},
        .image =
            staged(g, odp_arena_printf(&g->arena, "%s%s.png", odp_path(ODP_PATH_image_dir, lang), g->slug)),
        .feed = staged(
            g, odp_arena_printf(&g->arena, "%s%s.xml", odp_path(ODP_PATH_dataset_dir, ODP_LANG_ID), g->slug)),
        .jsonld = jsonld,
        .cls = ODP_CLASS_PUBLIC};
    if (status == ODP_OK && g->d.failed)
        status = odp_failure_set("make", g->path[lang], ENOMEM);
    if (status == ODP_OK)
        status = portal_put(p, lang, &head, json_incref(g->data));
    json_decref(jsonld);
    return status;
}

static enum odp_status make_dataset(struct portal *p, const json_t *entry, const json_t *coast)
{
    struct page g = {.p = p, .entry = entry, .coast = coast, .slug = odp_model_text(entry, "slug")};
    odp_arena_init(&g.arena);
    enum odp_status status = odp_model_dataset_shown(p->job, entry, &g.data);
    for (int lang = 0; lang < ODP_LANGS; lang++)
        g.path[lang] = odp_path_dataset(g.slug, (enum odp_lang)lang, &g.arena);
    if (status == ODP_OK)
        status = complete(&g);
    for (int lang = 0; lang < ODP_LANGS && status == ODP_OK; lang++)
        status = put_page(&g, (enum odp_lang)lang);
    json_decref(g.data);
    odp_arena_release(&g.arena);
    return status;
}

enum odp_status portal_make_dataset(struct portal *p, enum odp_lang lang)
{
    json_t *coast = NULL;
    if (lang != ODP_LANG_ID)
        return ODP_OK; /* both were made then: what is read serves both */
    const char *path = odp_model_text(json_object_get(p->assets, "coast_json"), "path");
    enum odp_status status = *path != '\0' ? odp_model_read(p->job, path, &coast) : ODP_OK;
    for (size_t i = 0; i < p->n && status == ODP_OK; i++)
        if (*odp_model_text(p->newest[i], "slug") != '\0')
            status = make_dataset(p, p->newest[i], coast);
    json_decref(coast);
    return status == ODP_OK ? portal_datasets_gone(p) : status;
}
