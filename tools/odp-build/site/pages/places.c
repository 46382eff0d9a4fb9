/* tempat/<code>.html, en/places/<code>.html, tempat/<code>.csv, .json: what all datasets say of a place;
 * and all places.
 *
 * Both languages are made in the Indonesian call: the facts serve both. */
#include "published/parts.h"
#include "site/model/places.h"
#include "site/pages/pages_internal.h"

static const struct file_form {
    const char *name, *media_type;
    void (*write)(const struct odp_places *p, const struct odp_place *place, struct odp_buffer *out);
} forms[] = {{"csv", "text/csv; charset=utf-8", odp_place_csv}, {"json", "application/json", odp_place_json}};

/* {"path", "name", "bytes"} of the staged figures of PLACE. */
static json_t *stage_figures(struct portal *p, const struct odp_place *place, const struct file_form *form)
{
    struct odp_buffer out = {0};
    const char *name = portal_printf(p, "%s.%s", place->code, form->name),
               *path = portal_printf(p, "%s%s", odp_path(ODP_PATH_place_dir, ODP_LANG_ID), name);
    form->write(p->job->places, place, &out);
    if (p->status == ODP_OK)
        p->status = odp_buffer_status(&out);
    if (p->status == ODP_OK)
        p->status =
            odp_stage_put(p->job->stage, path, form->media_type, ODP_CLASS_PUBLIC, odp_buffer_slice(&out));
    json_t *file = json_pack("{s:s, s:s, s:I}", "path", path, "name", name, "bytes", (json_int_t)out.len);
    odp_buffer_release(&out);
    return file;
}

/* The oEmbed document of PLACE beside its page; its path. */
static const char *put_oembed(struct portal *p, const struct odp_place *place, enum odp_lang lang)
{
    enum { HEIGHT = 600 };
    const char *path = portal_printf(p, "%s%s.oembed.json", odp_path(ODP_PATH_place_dir, lang), place->code);
    json_t *about = json_pack("{s:O, s:i, s:s, s:o}", "heading", place->name, "height", HEIGHT, "page",
                              odp_path_place(place->code, lang, &p->arena), "frame",
                              json_sprintf("%s?kode=%s", odp_path(ODP_PATH_embed_place, lang), place->code));
    portal_put_oembed(p, lang, path, about);
    json_decref(about);
    return path;
}

/* The files of PLACE; MAP: portal_place_map's, taken. */
static void make_place(struct portal *p, const struct odp_place *place, json_t *map)
{
    const json_t *named = json_pack("{s:O}", "name", place->name);
    json_t *data = odp_place_facts(p->job->places, place);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        odp_set(data, forms[i].name, stage_figures(p, place, &forms[i]));
    if (map != NULL)
        odp_set(data, "map", map);
    for (int lang = 0; lang < ODP_LANGS; lang++) {
        const char *name = odp_model_in(named, "name", (enum odp_lang)lang);
        const struct portal_head head = {
            .page = "place",
            .title = name,
            .description =
                portal_printf(p, "%s: %s", name, portal_word(p, "place_description", (enum odp_lang)lang)),
            .nav = "places",
            .oembed = put_oembed(p, place, (enum odp_lang)lang),
            .path = {odp_path_place(place->code, ODP_LANG_ID, &p->arena),
                     odp_path_place(place->code, ODP_LANG_EN, &p->arena)}};
        portal_put(p, (enum odp_lang)lang, &head, json_incref(data));
    }
    json_decref(data);
    json_decref((json_t *)(uintptr_t)named);
}

/* Its files are a part (published/parts.h). */
static void put_place(struct portal *p, const json_t *maps, const struct odp_place *place)
{
    struct odp_buffer key = {0};
    json_t *map = portal_place_map(maps, place);
    odp_place_made_of(p->job->places, place, &key);
    if (map != NULL && p->status == ODP_OK)
        p->status = odp_doc_print(&key, map, ODP_DOC_LINE);
    if (p->status == ODP_OK)
        p->status = odp_buffer_status(&key);
    if (p->status == ODP_OK)
        p->status =
            odp_part_begin(p->job->stage, portal_printf(p, "place/%s", place->code), odp_buffer_slice(&key));
    if (p->status == ODP_OK) {
        make_place(p, place, json_incref(map));
        p->status = odp_part_end(p->job->stage, p->status);
    }
    p->status = p->status == ODP_DONE ? ODP_OK : p->status;
    odp_buffer_release(&key);
    json_decref(map);
}

/* One page for frames of other sites, for all places: a script takes the figures from the place's own
 * page. */
static void put_frame(struct portal *p, enum odp_lang lang)
{
    struct portal_head head =
        portal_head_of(p, lang, "embed-place", ODP_PATH_embed_place, "embed_place", NULL);
    head.noindex = true;
    portal_put(p, lang, &head, json_pack("{s:o}", "script_words", portal_words(p, "embed_js_", NULL, lang)));
}

void portal_make_places(struct portal *p, enum odp_lang lang)
{
    size_t n;
    const struct odp_place *const *places = odp_places_all(p->job->places, &n);
    if (lang != ODP_LANG_ID || n == 0)
        return; /* both were made then */
    json_t *maps = portal_place_maps(p);
    for (size_t i = 0; i < n && p->status == ODP_OK; i++)
        put_place(p, maps, places[i]);
    json_decref(maps);
    json_t *data = odp_places_facts(p->job->places);
    for (int l = 0; l < ODP_LANGS; l++) {
        struct portal_head head = portal_head_of(p, (enum odp_lang)l, "places", ODP_PATH_places, "place_all",
                                                 "place_all_description");
        head.nav = "places";
        odp_set(data, "words", portal_words(p, "place_js_", NULL, (enum odp_lang)l));
        portal_put(p, (enum odp_lang)l, &head, json_incref(data));
        put_frame(p, (enum odp_lang)l);
    }
    json_decref(data);
}
