/* embed/<slug>/<what>.html, en/embed/…: one chart, one map, or the first records of a table alone, for other sites to frame (base/framed.h),
 * and next to each picture <what>.json, its oEmbed document (oembed.com, 2.3.4.4: type rich).
 *
 * The page is parts of the dataset's page, made with the dataset's document: what it is about has the flag is_embedded. */
#include "site/pages/pages_internal.h"

#include <stdlib.h>

enum {
    CHART_FRAME = 300, /* what stands around a chart's picture, in pixels */
    CHART_HEIGHT = 360,
    MAP_HEIGHT = 640,
    TABLE_HEIGHT = 620
};

struct embed {
    struct portal *p;
    json_t *data; /* the dataset's document, and "embedded" */
    enum odp_lang lang;
    const char *draft;
    const char *best; /* the oEmbed document of the picture that is_best */
};

static void put(struct embed *e, const char *page, const char *media_type, const char *ending,
                const char *title)
{
    struct portal *p = e->p;
    struct odp_buffer out = {0};
    const char *what = odp_text_of(json_object_get(e->data, "embedded"), "path");
    struct portal_head head = {.page = page, .title = title, .noindex = true, .draft = e->draft};
    for (int lang = 0; lang < ODP_LANGS; lang++)
        head.path[lang] =
            portal_printf(p, "%s%s%s", odp_path(ODP_PATH_embed_dir, (enum odp_lang)lang), what, ending);
    if (strcmp(page, "embed") == 0 &&
        !json_is_true(json_object_get(json_object_get(e->data, "embedded"), "is_table")))
        head.oembed = portal_printf(p, "%s%s.json", odp_path(ODP_PATH_embed_dir, e->lang), what);
    if (p->status == ODP_OK)
        p->status = portal_render(p, e->lang, &head, e->data, &out);
    if (p->status == ODP_OK)
        p->status = odp_stage_put(p->job->stage, head.path[e->lang], media_type, ODP_CLASS_PUBLIC,
                                  odp_buffer_slice(&out));
    odp_buffer_release(&out);
}

/* Both files of THING, whose page is PATH below embed/. */
static void put_thing(struct embed *e, json_t *thing, const char *kind, const char *path,
                      const json_t *heading, int height)
{
    const char *lang = odp_lang_code(e->lang), *title = odp_text_of(heading, lang),
               *what = portal_printf(e->p, "%.*s", (int)(strlen(path) - strlen(".html")), path);
    json_t *about =
        json_pack("{s:s, s:O, s:i, s:b}", "path", what, "heading", heading, "height", height, kind, 1);
    odp_set(e->data, "embedded", about);
    odp_set_flag(thing, "is_embedded", true);
    put(e, "embed", "text/html; charset=utf-8", ".html", title);
    if (strcmp(kind, "is_table") != 0)
        put(e, "oembed", "application/json", ".json", title);
    odp_set_flag(thing, "is_embedded", false);
    if (json_is_true(json_object_get(thing, "is_best")))
        e->best = portal_printf(e->p, "%s%s.json", odp_path(ODP_PATH_embed_dir, e->lang), what);
}

static void put_table(struct embed *e, const json_t *entry, json_t *table)
{
    const char *suffix = odp_text_of(table, "suffix"), *lang = odp_lang_code(e->lang);
    json_t *chart, *map = json_object_get(table, "map"), *preview = json_object_get(table, "preview"),
                   *heading = json_object_get(table, "heading");
    size_t i;
    json_array_foreach(json_object_get(table, "charts"), i, chart)
    {
        int height = atoi(odp_text_of(json_object_get(chart, "height"), lang));
        put_thing(e, chart, "is_chart", odp_text_of(chart, "embed"), json_object_get(chart, "heading"),
                  CHART_FRAME + (height > 0 ? height : CHART_HEIGHT));
    }
    if (map != NULL)
        put_thing(e, map, "is_map", odp_text_of(map, "embed"), heading, MAP_HEIGHT);
    if (preview != NULL && !odp_model_is_list(entry))
        put_thing(e, preview, "is_table",
                  portal_printf(e->p, "%s/tabel%s.html", odp_text_of(entry, "slug"), suffix), heading,
                  TABLE_HEIGHT);
}

const char *portal_put_embeds(struct portal *p, const json_t *entry, json_t *data, enum odp_lang lang)
{
    struct embed e = {.p = p, .lang = lang, .draft = portal_draft(entry)};
    json_t *table;
    size_t i;
    e.data = json_copy(data);
    odp_set_str(e.data, "email", ""); /* tables in frames have no letters to write */
    odp_set(e.data, "script_words", portal_words(p, "chart_", "map_ ds_t_", lang));
    json_array_foreach(json_object_get(data, "resources"), i, table) put_table(&e, entry, table);
    json_decref(e.data);
    return e.best;
}
