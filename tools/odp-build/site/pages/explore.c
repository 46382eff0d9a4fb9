/* katalog/<slug>/index.html, en/catalog/<slug>/index.html: all records of a dataset, to sort, filter, group
 * and download. The first of them are there without scripts, with a link to the file. */
#include "site/model/places.h"
#include "site/pages/pages_internal.h"

/* Sets the file with all records to download; a PDF may be an excerpt. */
static void set_file(json_t *o, const json_t *table)
{
    const json_t *file;
    size_t i;
    json_array_foreach(json_object_get(table, "files"), i, file)
    {
        if (strcmp(odp_text_of(file, "form"), "pdf") == 0 || json_object_get(o, "file") != NULL)
            continue;
        odp_set(o, "file",
                json_pack("{s:s, s:s, s:I}", "path", odp_text_of(file, "path"), "name",
                          odp_text_of(file, "name"), "bytes", odp_model_number(file, "bytes")));
    }
}

/* {"root", "assets", "tables": [one a table]}. */
static json_t *make_config(const struct portal *p, const json_t *tables, const char *root, enum odp_lang lang)
{
    static const char *const names[][2] = {
        {"worker", "explore_worker_js"}, {"sqlite", "sqlite_js"}, {"wasm", "sqlite3_wasm"}};
    const json_t *table;
    json_t *list = json_array(), *assets = json_object();
    size_t i;
    for (i = 0; i < ODP_COUNT(names); i++)
        odp_set_str(assets, names[i][0], odp_text_of(json_object_get(p->assets, names[i][1]), "path"));
    json_array_foreach(tables, i, table)
    {
        json_t *one = json_object_get(json_object_get(table, "explore"), odp_lang_code(lang));
        if (one != NULL)
            odp_add(list, json_incref(one));
    }
    return json_pack("{s:s, s:o, s:o}", "root", root, "assets", assets, "tables", list);
}

/* What the template says of each table: its first records. */
static json_t *make_tables(const json_t *data)
{
    const json_t *table;
    json_t *list = json_array();
    size_t i;
    json_array_foreach(json_object_get(data, "resources"), i,
                       table) if (json_object_get(table, "preview") != NULL)
    {
        json_t *o = json_pack("{s:O, s:O, s:O, s:O, s:O}", "name", json_object_get(table, "name"), "suffix",
                              json_object_get(table, "suffix"), "heading", json_object_get(table, "heading"),
                              "preview", json_object_get(table, "preview"), "title",
                              json_object_get(data, "title")); /* of the dataset: letters name it */
        set_file(o, table);
        odp_add(list, o);
    }
    return list;
}

/* The shapes of the places that lie in no others, for orientation; "": nobody has drawn them. */
static const char *outlines(struct portal *p)
{
    size_t n = 0;
    const struct odp_place *const *places = odp_places_all(p->job->places, &n);
    return n > 0 ? odp_model_boundaries(p->job, places[0]->list, &p->arena) : "";
}

void portal_put_explore(struct portal *p, const json_t *entry, const json_t *data, enum odp_lang lang)
{
    const char *slug = odp_text_of(entry, "slug"), *title = odp_model_in(entry, "title", lang),
               *image = portal_printf(p, "%s%s.png", odp_path(ODP_PATH_image_dir, lang), slug);
    struct portal_head head = {.page = "explore",
                               .title = portal_printf(p, "%s: %s", title, portal_word(p, "exp_all", lang)),
                               .description = odp_model_in(entry, "description", lang),
                               .path = {odp_path_explore(slug, ODP_LANG_ID, &p->arena),
                                        odp_path_explore(slug, ODP_LANG_EN, &p->arena)},
                               .image = odp_model_is_staged(p->job, image) ? image : NULL,
                               .dataset = slug};
    const json_t *tables = json_object_get(data, "resources");
    json_t *list = make_tables(data),
           *page = json_pack("{s:s, s:s, s:s, s:b, s:O}", "slug", slug, "version",
                             odp_text_of(data, "version"), "email", odp_text_of(data, "email"), "several",
                             (int)(json_array_size(list) > 1), "dataset", json_object_get(data, "title"));
    odp_set(page, "config", make_config(p, tables, portal_root(head.path[lang], &p->arena), lang));
    odp_set_str(page, "boundaries", outlines(p));
    odp_set(page, "script_words", portal_words(p, "ex_", "map_ chart_", lang));
    odp_set_flag(page, "any", json_array_size(list) > 0);
    odp_set_flag(page, "is_list", odp_model_is_list(entry));
    odp_set(page, "resources", list);
    portal_put(p, lang, &head, page);
}
