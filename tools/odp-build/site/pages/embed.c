/* embed/<slug>/<what>.html, en/embed/…: one chart, one map, or the first records of a table alone, for
 * other sites to frame (base/framed.h), and next to each <what>.json, its oEmbed document (oembed.com,
 * 2.3.4.4: type rich).
 *
 * The page is parts of the dataset's page, made with the dataset's document: what it is about has the flag
 * is_embedded. */
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
    const char *best; /* the oEmbed document of the picture that is_best */
};

void portal_put_oembed(struct portal *p, enum odp_lang lang, const char *path, const json_t *embedded)
{
    struct odp_buffer out = {0};
    const struct portal_head head = {.page = "oembed", .title = "", .path = {path, path}};
    json_t *data = json_pack("{s:O}", "embedded", embedded);
    if (p->status == ODP_OK)
        p->status = portal_render(p, lang, &head, data, &out);
    if (p->status == ODP_OK)
        p->status =
            odp_stage_put(p->job->stage, path, "application/json", ODP_CLASS_PUBLIC, odp_buffer_slice(&out));
    json_decref(data);
    odp_buffer_release(&out);
}

/* Both files of THING, whose page is PATH below embed/. */
static void put_thing(struct embed *e, json_t *thing, const char *kind, const char *path,
                      const json_t *heading, int height)
{
    struct portal *p = e->p;
    const int stem = (int)(strlen(path) - strlen(".html"));
    const char *own = odp_path(ODP_PATH_embed_dir, e->lang), *slug = odp_text_of(e->data, "slug");
    struct portal_head head = {.page = "embed",
                               .title = odp_text_of(heading, odp_lang_code(e->lang)),
                               .noindex = true,
                               .dataset = slug,
                               .oembed = portal_printf(p, "%s%.*s.json", own, stem, path)};
    json_t *about =
        json_pack("{s:O, s:i, s:b, s:s, s:s}", "heading", heading, "height", height, kind, 1, "page",
                  odp_path_dataset(slug, e->lang, &p->arena), "frame", portal_printf(p, "%s%s", own, path));
    for (int lang = 0; lang < ODP_LANGS; lang++)
        head.path[lang] = portal_printf(p, "%s%s", odp_path(ODP_PATH_embed_dir, (enum odp_lang)lang), path);
    odp_set(e->data, "embedded", about);
    odp_set_flag(thing, "is_embedded", true);
    portal_put(p, e->lang, &head, json_incref(e->data));
    portal_put_oembed(p, e->lang, head.oembed, about);
    odp_set_flag(thing, "is_embedded", false);
    if (json_is_true(json_object_get(thing, "is_best")))
        e->best = head.oembed;
}

static void put_table(struct embed *e, const json_t *entry, json_t *table)
{
    const char *lang = odp_lang_code(e->lang);
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
        put_thing(e, preview, "is_table", odp_text_of(preview, "embed"), heading, TABLE_HEIGHT);
}

const char *portal_put_embeds(struct portal *p, const json_t *entry, json_t *data, enum odp_lang lang)
{
    struct embed e = {.p = p, .lang = lang};
    json_t *table;
    size_t i;
    e.data = json_copy(data);
    odp_set_str(e.data, "email", ""); /* tables in frames have no letters to write */
    odp_set(e.data, "script_words", portal_words(p, "chart_", "map_ ds_t_", lang));
    json_array_foreach(json_object_get(data, "resources"), i, table) put_table(&e, entry, table);
    json_decref(e.data);
    return e.best;
}
