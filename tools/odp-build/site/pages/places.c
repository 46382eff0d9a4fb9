/* tempat/<code>.html, en/places/<code>.html, tempat/<code>.csv, .json: what all datasets say of a place; and all places.
 *
 * Both languages are made in the Indonesian call: the facts serve both. */
#include "published/parts.h"
#include "site/model/places.h"
#include "site/pages/pages_internal.h"

static const struct file_form {
    const char *name, *media_type;
    void (*write)(const struct odp_places *p, const struct odp_place *place, struct odp_buffer *out);
} forms[] = {{"csv", "text/csv; charset=utf-8", odp_place_csv}, {"json", "application/json", odp_place_json}};

enum { FORMS = sizeof forms / sizeof *forms };

/* {"path", "name", "bytes"} of the figures of PLACE in FORM, which are TEXT. */
static json_t *figures_of(struct portal *p, const struct odp_place *place, const struct file_form *form,
                          const struct odp_buffer *text)
{
    const char *name = portal_printf(p, "%s.%s", place->code, form->name),
               *path = portal_printf(p, "%s%s", odp_path(ODP_PATH_place_dir, ODP_LANG_ID), name);
    return json_pack("{s:s, s:s, s:I}", "path", path, "name", name, "bytes", (json_int_t)text->len);
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

static void make_place(struct portal *p, const struct odp_place *place, const json_t *data,
                       const struct odp_buffer texts[FORMS])
{
    const json_t *named = json_pack("{s:O}", "name", place->name);
    for (size_t i = 0; i < FORMS && p->status == ODP_OK; i++)
        p->status = odp_stage_put(p->job->stage, odp_text_of(json_object_get(data, forms[i].name), "path"),
                                  forms[i].media_type, ODP_CLASS_PUBLIC, odp_buffer_slice(&texts[i]));
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
        portal_put(p, (enum odp_lang)lang, &head, json_incref((json_t *)(uintptr_t)data));
    }
    json_decref((json_t *)(uintptr_t)named);
}

/* Its files are a part (published/parts.h) of what they say. */
static void put_place(struct portal *p, const json_t *maps, const struct odp_place *place)
{
    struct odp_buffer texts[FORMS] = {{0}}, key = {0};
    json_t *data = odp_place_facts(p->job->places, place);
    json_t *map = portal_place_map(maps, place);
    if (map != NULL)
        odp_set(data, "map", map);
    for (size_t i = 0; i < FORMS; i++) {
        forms[i].write(p->job->places, place, &texts[i]);
        odp_set(data, forms[i].name, figures_of(p, place, &forms[i], &texts[i]));
        odp_buffer_add_slice(&key, odp_buffer_slice(&texts[i]));
    }
    if (p->status == ODP_OK)
        p->status = odp_doc_print(&key, data, ODP_DOC_LINE);
    if (p->status == ODP_OK)
        p->status =
            odp_part_begin(p->job->stage, portal_printf(p, "place/%s", place->code), odp_buffer_slice(&key));
    if (p->status == ODP_OK) {
        make_place(p, place, data, texts);
        p->status = odp_part_end(p->job->stage, p->status);
    }
    p->status = p->status == ODP_DONE ? ODP_OK : p->status;
    for (size_t i = 0; i < FORMS; i++)
        odp_buffer_release(&texts[i]);
    odp_buffer_release(&key);
    json_decref(data);
}

/* One page for frames of other sites, for all places: a script takes the figures from the place's own page. */
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
