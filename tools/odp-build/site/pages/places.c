/* tempat/<code>.html, en/places/<code>.html, tempat/<code>.csv, .json: what all datasets say of a place;
 * and all places.
 *
 * Both languages are made in the Indonesian call: the facts serve both. */
#include "published/parts.h"
#include "site/pages/places_internal.h"

static const struct file_form {
    enum place_file file;
    const char *name, *media_type;
} forms[] = {{PLACE_CSV, "csv", "text/csv; charset=utf-8"}, {PLACE_JSON, "json", "application/json"}};

/* {"path", "name", "bytes"} of the staged figures. */
static json_t *stage_figures(struct place_files *f, const struct file_form *form)
{
    const char *path = f->path[form->file];
    const struct odp_slice text = odp_buffer_slice(&f->text[form->file]);
    if (f->p->status == ODP_OK)
        f->p->status = odp_stage_put(f->p->job->stage, path, form->media_type, ODP_CLASS_PUBLIC, text);
    return json_pack("{s:s, s:s, s:I}", "path", path, "name", strrchr(path, '/') + 1, "bytes",
                     (json_int_t)text.len);
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

static void put_page(struct place_files *f, json_t *data, enum odp_lang lang)
{
    struct portal *p = f->p;
    struct odp_buffer page = {0};
    const char *name = odp_model_in(data, "name", lang);
    const struct portal_head head = {
        .page = "place",
        .title = name,
        .description = portal_printf(p, "%s: %s", name, portal_word(p, "place_description", lang)),
        .nav = "places",
        .oembed = put_oembed(p, f->place, lang),
        .path = {f->path[PLACE_PAGE_ID], f->path[PLACE_PAGE_EN]}};
    odp_set(data, "sections", json_stringn_nocheck(odp_buffer_cstr(&f->text[lang]), f->text[lang].len));
    if (p->status == ODP_OK)
        p->status = portal_render(p, lang, &head, data, &page);
    if (p->status == ODP_OK)
        p->status = portal_put_text(p, lang, &head, odp_buffer_slice(&page));
    if (p->status == ODP_OK)
        portal_place_sections_at(f, lang, odp_buffer_slice(&page));
    odp_buffer_release(&page);
}

/* The files of PLACE; MAP: portal_place_map's, taken. */
static void make_place(struct portal *p, const struct odp_place *place, json_t *map)
{
    struct place_files f = {.p = p,
                            .place = place,
                            .path = {odp_path_place(place->code, ODP_LANG_ID, &p->arena),
                                     odp_path_place(place->code, ODP_LANG_EN, &p->arena)}};
    for (size_t i = 0; i < ODP_COUNT(forms); i++)
        f.path[forms[i].file] = portal_printf(p, "%s%s.%s", odp_path(ODP_PATH_place_dir, ODP_LANG_ID),
                                              place->code, forms[i].name);
    portal_place_sections(&f);
    json_t *data = odp_place_facts(p->job->places, place);
    for (size_t i = 0; i < ODP_COUNT(forms); i++)
        odp_set(data, forms[i].name, stage_figures(&f, &forms[i]));
    if (map != NULL)
        odp_set(data, "map", map);
    if (p->status == ODP_OK)
        p->status = odp_places_status(p->job->places);
    for (int lang = 0; lang < ODP_LANGS; lang++)
        put_page(&f, data, (enum odp_lang)lang);
    odp_part_set_text(p->job->stage, odp_buffer_slice(&f.made));
    json_decref(data);
    portal_place_sections_release(&f);
}

/* Its files are a part (published/parts.h). */
static void put_place(struct portal *p, const json_t *maps, const struct odp_place *place)
{
    struct odp_buffer key = {0};
    json_t *map = portal_place_map(maps, place);
    odp_place_made_of(p->job->places, place, &key);
    if (map != NULL && p->status == ODP_OK)
        p->status = odp_doc_print(&key, map, ODP_DOC_LINE);
    if (portal_part_begin_of(p, portal_printf(p, "place/%s", place->code), &key)) {
        make_place(p, place, json_incref(map));
        portal_part_end(p);
    }
    json_decref(map);
}

/* One page for frames of other sites, for all places: a script takes the figures from the place's own
 * page. */
static void put_frame(struct portal *p, enum odp_lang lang)
{
    struct portal_head head =
        portal_head_of(p, lang, "embed-place", ODP_PATH_embed_place, "embed_place", NULL);
    head.noindex = true;
    portal_put_page(p, lang, &head,
                    json_pack("{s:o}", "script_words", portal_words(p, "embed_js_", NULL, lang)));
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
    if (p->status == ODP_OK)
        p->status = odp_places_status(p->job->places);
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
