/* katalog/<slug>.html, en/catalog/<slug>.html: one page for each entry of the index, its document
 * (site/model) put into a template.
 *
 * Both languages are made in the Indonesian call. A section without content is left out, of the list of
 * contents too ("has"). Section ids are the same in both languages (#unduh, #kolom, #versi): links to them
 * are kept in documents and letters. */
#include "site/pages/pages_internal.h"

#include "published/parts.h"
#include "site/versions/among.h"
#include "write/map/picture.h"

struct page {
    struct portal *p;
    const json_t *entry;
    const json_t *more;         /* what is said of others: "used_by", "figures", "libraries" */
    struct portal_areas *areas; /* of all datasets */
    json_t *data;               /* the document of both languages */
    const char *slug;
};

/* ---- pictures of maps: beside the page, one in each language ---- */

/* "744" and "550" of viewBox="0 0 744 550" as members of MAP's width and height. */
static void set_size(json_t *map, const char *svg, const char *lang)
{
    double w = 0, h = 0;
    const char *box = strstr(svg, "viewBox=\"");
    bool known = box != NULL && sscanf(box + 9, "%*f %*f %lf %lf", &w, &h) == 2 && w >= 1 && h >= 1 &&
                 w < 1e5 && h < 1e5;
    odp_set(json_object_get(map, "width"), lang, known ? json_sprintf("%.0f", w) : json_string(""));
    odp_set(json_object_get(map, "height"), lang, known ? json_sprintf("%.0f", h) : json_string(""));
}

static void draw_map(struct page *g, const json_t *table, enum odp_lang lang, json_t *map)
{
    static const char *const ends[] = {"-peta.svg", "-map.svg"};
    struct portal *p = g->p;
    struct odp_buffer svg = {0}, words = {0};
    const char *path = portal_printf(p, "%s%s%s%s", odp_path(ODP_PATH_dataset_dir, lang), g->slug,
                                     odp_text_of(table, "suffix"), ends[lang]);
    const struct odp_map_picture picture = {json_object_get(map, "geojson"), portal_coast(p),
                                            odp_model_in(table, "heading", lang), lang,
                                            odp_text_of(json_object_get(g->entry, "license"), "path")};
    if (p->status == ODP_OK)
        p->status = odp_map_picture_svg(&picture, &svg);
    if (p->status == ODP_OK)
        p->status = odp_map_picture_alternative(&picture, &words);
    if (p->status == ODP_OK)
        p->status =
            odp_stage_put(p->job->stage, path, "image/svg+xml", ODP_CLASS_PUBLIC, odp_buffer_slice(&svg));
    odp_set_str(json_object_get(map, "svg"), odp_lang_code(lang), path);
    odp_set_str(json_object_get(map, "alternative"), odp_lang_code(lang), odp_buffer_cstr(&words));
    set_size(map, odp_buffer_cstr(&svg), odp_lang_code(lang));
    odp_buffer_release(&svg);
    odp_buffer_release(&words);
}

static void draw_maps(struct page *g, json_t *table)
{
    portal_areas_draw(g->areas, g->entry, table);
    static const char *const members[] = {"svg", "alternative", "width", "height"};
    json_t *map = json_object_get(table, "map");
    if (json_object_get(map, "geojson") == NULL)
        return;
    for (size_t k = 0; k < ODP_COUNT(members); k++)
        odp_set(map, members[k], json_object());
    for (int lang = 0; lang < ODP_LANGS; lang++)
        draw_map(g, table, (enum odp_lang)lang, map);
    (void)json_object_del(map, "geojson");
}

/* ---- what only the page says ---- */

/* What the libraries of each language say of a table, with the shortest program that reads it. */
static void set_library(struct page *g, const json_t *table, size_t index)
{
    json_t *list = json_array(), *api = json_object_get(table, "api");
    const json_t *library;
    size_t i;
    json_array_foreach(json_object_get(g->more, "libraries"), i, library)
    {
        const json_t *of = json_object_get(library, "of");
        if (index > 0)
            of = odp_model_find(json_object_get(of, "resources"), "name", odp_text_of(table, "name"));
        if (of != NULL)
            odp_add(list, json_pack("{s:s, s:s, s:s, s:s}", "language", odp_text_of(library, "language"),
                                    "label", odp_text_of(library, "label"), "extension",
                                    odp_text_of(library, "extension"), "brief", odp_text_of(of, "brief")));
    }
    if (api != NULL) {
        odp_set_flag(api, "has_library", json_array_size(list) > 0);
        odp_set(api, "library", json_incref(list));
    }
    json_decref(list);
}

/* Geometry in a GIS: the file that is opened without a key. */
static void set_gis(struct page *g, const json_t *table)
{
    const char *suffix = odp_text_of(table, "suffix"),
               *file = portal_printf(g->p, "data/%s/latest/%s%s.geojson", g->slug, g->slug, suffix);
    if (json_is_true(json_object_get(table, "has_geometry")) && json_object_get(g->data, "gis") == NULL)
        odp_set(g->data, "gis",
                json_pack("{s:s, s:s}", "suffix", suffix, "path", odp_model_staged(g->p->job, file)));
}

/* The picture of the first tab: the first map, else the first chart. */
static void set_best(struct page *g)
{
    static const char *const kinds[] = {"map", "charts"};
    json_t *tables = json_object_get(g->data, "resources"), *table;
    size_t i;
    for (size_t k = 0; k < 2; k++)
        json_array_foreach(tables, i, table)
        {
            json_t *picture = json_object_get(table, kinds[k]);
            picture = json_is_array(picture) ? json_array_get(picture, 0) : picture;
            if (picture == NULL)
                continue;
            odp_set_flag(picture, "is_best", true);
            odp_set_flag(g->data, k == 0 ? "best_is_map" : "best_is_chart", true);
            return;
        }
}

/* What is downloaded by most: a workbook, CSV as Excel reads it, else what comes first. */
static void set_main_file(struct page *g)
{
    static const char *const forms[] = {"xlsx", "excel.csv", "csv"};
    const json_t *files = json_object_get(json_array_get(json_object_get(g->data, "resources"), 0), "files"),
                 *file = NULL;
    for (size_t i = 0; i < ODP_COUNT(forms) && file == NULL; i++)
        file = odp_model_find(files, "form", forms[i]);
    if (file == NULL)
        file = json_array_get(files, 0);
    if (file != NULL)
        odp_set(g->data, "main", json_incref((json_t *)(uintptr_t)file));
}

/* How many pictures there are beside the best one. */
static size_t others(const json_t *value)
{
    const json_t *one;
    size_t n = 0, i;
    if (json_is_object(value))
        return !json_is_true(json_object_get(value, "is_best"));
    json_array_foreach(value, i, one) n += !json_is_true(json_object_get(one, "is_best"));
    return n;
}

static bool any_table(const struct page *g, const char *member)
{
    const json_t *table;
    size_t i, n = 0;
    json_array_foreach(json_object_get(g->data, "resources"), i, table) n +=
        others(json_object_get(table, member));
    return n > 0;
}

/* The sections that this dataset has: those that one of its tables has, and those of the whole. */
static void set_sections(struct page *g)
{
    static const char *const of_tables[] = {"files", "preview", "charts", "map", "fields", "slices", "api"};
    const int current =
        *odp_text_of(g->data, "version") !=
        '\0'; /* else the newest version was withdrawn, and no other has taken its place yet */
    json_t *has = json_pack("{s:b, s:b, s:b, s:b, s:b}", "versions",
                            json_is_true(json_object_get(json_object_get(g->data, "versions"), "any")),
                            "score", current && json_object_get(g->data, "score") != NULL, "cite", current,
                            "report", *odp_text_of(g->data, "email") != '\0', "machines",
                            json_array_size(json_object_get(g->data, "machines")) > 0);
    bool table = false;
    for (size_t k = 0; k < ODP_COUNT(of_tables); k++) {
        const bool any = any_table(g, of_tables[k]);
        odp_set_flag(has, of_tables[k], any);
        table = table || (any && strchr("fps", *of_tables[k]) != NULL);
    }
    odp_set_flag(has, "table", table); /* files, preview, fields or slices */
    odp_set(g->data, "has", has);
}

/* ---- who uses a code list ---- */

/* Appends to USERS, by list, that TABLE of ENTRY takes its codes. */
static void add_users(json_t *users, const json_t *entry, const char *table, const json_t *schema)
{
    const json_t *key;
    size_t i;
    json_array_foreach(json_object_get(schema, "odp:foreignKeys"), i, key)
    {
        const char *list = odp_text_of(json_object_get(key, "reference"), "dataset"),
                   *slash = strrchr(list, '/'),
                   *name = json_string_value(json_array_get(json_object_get(key, "fields"), 0));
        list = slash != NULL ? slash + 1 : list;
        if (*list == '\0' || name == NULL || strcmp(list, odp_text_of(entry, "slug")) == 0)
            continue;
        if (json_object_get(users, list) == NULL)
            odp_set(users, list, json_array());
        json_t *all = json_object_get(users, list),
               *last = json_array_get(all, json_array_size(all) > 0 ? json_array_size(all) - 1 : 0);
        if (last == NULL || strcmp(odp_text_of(last, "slug"), odp_text_of(entry, "slug")) != 0) {
            last =
                json_pack("{s:s, s:o, s:b, s:[]}", "slug", odp_text_of(entry, "slug"), "title",
                          odp_model_both(entry, "title"), "is_list", (int)odp_model_is_list(entry), "fields");
            odp_add(all, last);
        }
        const json_t *field = odp_model_find(json_object_get(schema, "fields"), "name", name);
        odp_add(json_object_get(last, "fields"),
                json_pack("{s:o, s:s, s:s}", "heading", odp_model_both_or(field, "odp:title", name), "table",
                          table, "name", name));
    }
}

/* {slug of a code list: [ENTRY, if it takes its codes]} */
static enum odp_status make_uses(void *ctx, const struct odp_site_job *job, const json_t *entry, json_t **out)
{
    enum odp_status status = ODP_OK;
    const json_t *table;
    size_t i;
    *out = json_object();
    json_array_foreach(json_object_get(entry, "resources"), i, table)
    {
        json_t *schema = NULL;
        if (status == ODP_OK)
            status = odp_job_schema(job, odp_text_of(entry, "slug"), table, &schema);
        add_users(*out, entry, odp_text_of(table, "name"), schema);
        json_decref(schema);
    }
    return status;
}

/* {slug of a code list: [datasets that take its codes, in the catalogue's order]} */
static json_t *make_users(struct portal *p)
{
    const json_t *entry;
    json_t *users = json_object(), *own, *one;
    const char *list;
    size_t i;
    json_array_foreach(p->job->entries, i, entry)
    {
        own = NULL;
        if (p->status == ODP_OK)
            p->status = odp_among_value(p->job, "uses", entry, make_uses, &own);
        json_object_foreach(own, list, one)
        {
            if (json_object_get(users, list) == NULL)
                odp_set(users, list, json_array());
            odp_add(json_object_get(users, list), json_incref(json_array_get(one, 0)));
        }
        json_decref(own);
    }
    return users;
}

/* ---- the page ---- */

static const char *staged(struct page *g, const char *path)
{
    return odp_model_is_staged(g->p->job, path) ? path : NULL;
}

static void put_page(struct page *g, enum odp_lang lang)
{
    struct portal *p = g->p;
    struct portal_head head = {.page = "dataset",
                               .title = odp_model_in(g->entry, "title", lang),
                               .description = odp_model_in(g->entry, "description", lang),
                               .path = {odp_path_dataset(g->slug, ODP_LANG_ID, &p->arena),
                                        odp_path_dataset(g->slug, ODP_LANG_EN, &p->arena)},
                               .dataset = g->slug};
    head.image = staged(g, portal_printf(p, "%s%s.png", odp_path(ODP_PATH_image_dir, lang), g->slug));
    head.feed = staged(g, portal_printf(p, "%s%s.xml", odp_path(ODP_PATH_dataset_dir, ODP_LANG_ID), g->slug));
    head.oembed = portal_put_embeds(p, g->entry, g->data, lang);
    head.jsonld = odp_metadata_schema_org(
        p->metadata, g->data, lang, portal_printf(p, "%s%s", p->catalog->portal.base_url, head.path[lang]));
    if (head.jsonld == NULL)
        p->status = ODP_FAIL;
    odp_set(g->data, "script_words", portal_words(p, "ds_t_", "map_ chart_", lang));
    portal_put(p, lang, &head, json_incref(g->data));
    json_decref(head.jsonld);
}

/* The page of all records, with the first of them; those of the dataset's page are fewer. */
static void put_explore(struct page *g)
{
    enum { FEW = 10 };
    const json_t *table;
    size_t i;
    for (int lang = 0; lang < ODP_LANGS && g->p->status == ODP_OK; lang++)
        portal_put_explore(g->p, g->entry, g->data, (enum odp_lang)lang);
    json_array_foreach(json_object_get(g->data, "resources"), i, table)
    {
        json_t *preview = json_object_get(table, "preview"), *list = json_object_get(preview, "list");
        while (json_array_size(list) > FEW)
            (void)json_array_remove(list, json_array_size(list) - 1);
        if (preview != NULL)
            odp_set_number(preview, "first", (json_int_t)json_array_size(list));
    }
}

/* What the page of SLUG says that neither its entry nor its files do. */
static json_t *make_more(struct portal *p, const char *slug, const json_t *users)
{
    const json_t *library, *figures = portal_figures(p, slug, 0);
    json_t *libraries = json_array(), *used = json_object_get(users, slug);
    size_t i;
    json_array_foreach(json_object_get(p->clients, "languages"), i, library)
    {
        json_t *one =
            json_pack("{s:O*}", "of", odp_model_find(json_object_get(library, "datasets"), "slug", slug));
        odp_set_copy(one, library, "language");
        odp_set_copy(one, library, "label");
        odp_set_copy(one, library, "extension");
        odp_add(libraries, one);
    }
    return json_pack("{s:o, s:b, s:o, s:O*}", "libraries", libraries, "has_libraries",
                     (int)(p->clients != NULL), "used_by", used != NULL ? json_incref(used) : json_array(),
                     "figures", figures);
}

static void make_page(struct page *g)
{
    struct portal *p = g->p;
    json_t *table;
    size_t i;
    p->status = odp_model_dataset_shown(p->job, g->entry, &g->data);
    if (p->status != ODP_OK)
        return;
    json_array_foreach(json_object_get(g->data, "resources"), i, table)
    {
        set_library(g, table, i);
        set_gis(g, table);
    }
    odp_set_copy(g->data, g->more, "figures");
    odp_set_flag(g->data, "is_list", odp_model_is_list(g->entry));
    odp_set_copy(g->data, g->more, "used_by");
    odp_set_copy(g->data, g->more, "has_libraries");
    portal_put_story(p, g->entry, g->data);
    set_best(g);
    set_main_file(g);
    set_sections(g);
    json_array_foreach(json_object_get(g->data, "resources"), i, table) draw_maps(g, table);
    if (json_is_true(json_object_get(json_object_get(g->data, "has"), "preview")))
        put_explore(g);
    for (int lang = 0; lang < ODP_LANGS && p->status == ODP_OK; lang++)
        put_page(g, (enum odp_lang)lang);
    json_decref(g->data);
}

/* G is of all datasets. */
static void make_dataset(const struct page *all, const json_t *entry, const json_t *users)
{
    struct page g = *all;
    struct portal *p = g.p;
    const struct odp_site_job *whole = p->job;
    g.entry = entry;
    g.slug = odp_text_of(entry, "slug");
    json_t *more = make_more(p, g.slug, users);
    g.more = more;
    p->status = odp_among_begin(whole, "pages", entry, more);
    if (p->status == ODP_OK) {
        p->job = odp_among_job(whole);
        make_page(&g);
        p->job = whole;
        p->status = odp_part_end(whole->stage, p->status);
    }
    p->status = p->status == ODP_DONE ? ODP_OK : p->status;
    json_decref(more);
}

void portal_make_dataset(struct portal *p, enum odp_lang lang)
{
    if (lang != ODP_LANG_ID || p->status != ODP_OK)
        return; /* both were made then: what is read serves both */
    json_t *users = make_users(p);
    const struct page all = {.p = p, .areas = portal_areas_open(p)};
    for (size_t i = 0; i < p->n && p->status == ODP_OK; i++)
        if (*odp_text_of(p->newest[i], "slug") != '\0')
            make_dataset(&all, p->newest[i], users);
    portal_areas_close(all.areas);
    json_decref(users);
    portal_datasets_gone(p);
}
