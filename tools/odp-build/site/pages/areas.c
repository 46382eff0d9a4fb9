/* Choropleths of tables with places, as pictures for pages without scripts, for cards and for other sites:
 * gambar/peta/<slug>[-<resource>].svg and .en.svg, and .narrow.svg and .narrow.en.svg for a telephone. */
#include "site/pages/pages_internal.h"

#include <errno.h>

#include "write/map/areas.h"
#include "write/summary/areas.h"

struct portal_areas {
    struct portal *p;
    const char *path; /* of the boundaries that are at hand; NULL: none */
    json_t *boundaries;
    struct odp_map_areas *shapes;
    struct odp_map_areas_look look;
};

static const char *const ends[2][ODP_LANGS] = {{".svg", ".en.svg"}, {".narrow.svg", ".narrow.en.svg"}};

const json_t *portal_coast(struct portal *p)
{
    const char *path = odp_text_of(json_object_get(p->assets, "coast_json"), "path");
    if (p->coast == NULL && *path != '\0' && p->status == ODP_OK)
        p->status = odp_job_read(p->job, path, &p->coast);
    return p->coast;
}

struct portal_areas *portal_areas_open(struct portal *p)
{
    static const char *const missing[ODP_THEME_MODES] = {"#e6e7e8", "#252c33"}; /* --missing of tokens.css */
    struct portal_areas *a = odp_arena_zero(&p->arena, 1, sizeof *a);
    a->p = p;
    for (int mode = 0; mode < ODP_THEME_MODES; mode++) {
        memcpy(a->look.missing[mode], missing[mode], sizeof a->look.missing[mode]);
        for (int i = 0; i < ODP_THEME_RAMP; i++)
            odp_theme_ramp(&p->catalog->theme, (enum odp_theme_mode)mode, i, a->look.ramp[mode][i]);
    }
    return a;
}

static void forget(struct portal_areas *a)
{
    odp_map_areas_free(a->shapes);
    json_decref(a->boundaries);
    a->shapes = NULL;
    a->boundaries = NULL;
    a->path = NULL;
}

void portal_areas_close(struct portal_areas *a)
{
    forget(a);
}

static void take_shapes(struct portal_areas *a, const char *path)
{
    (void)odp_stage_find(a->p->job->stage, path); /* the part depends on it, at hand or not */
    if (a->path != NULL && strcmp(a->path, path) == 0)
        return;
    forget(a);
    a->path = path;
    a->p->status = odp_job_read(a->p->job, path, &a->boundaries);
    if (a->p->status != ODP_OK)
        return;
    a->shapes = odp_map_areas_new(a->boundaries, portal_coast(a->p));
    if (a->shapes == NULL)
        a->p->status = odp_failure_set("draw", path, ENOMEM);
}

/* The member KEY of MAP is {"id", "en"}. */
static void set(json_t *map, const char *key, enum odp_lang lang, json_t *value_take)
{
    if (json_object_get(map, key) == NULL)
        odp_set(map, key, json_object());
    odp_set(json_object_get(map, key), odp_lang_code(lang), value_take);
}

/* A map without shapes of its own shows the picture. */
static void show(json_t *map, enum odp_lang lang, bool narrow, const char *path, const char *svg)
{
    int width = 0, height = 0;
    (void)sscanf(strstr(svg, "viewBox="), "viewBox=\"0 0 %d %d", &width, &height);
    set(map, narrow ? "narrow" : "svg", lang, json_string(path));
    set(map, narrow ? "narrow_height" : "height", lang, json_sprintf("%d", height));
    if (narrow)
        odp_set(map, "narrow_width", json_sprintf("%d", width));
    else
        set(map, "width", lang, json_sprintf("%d", width));
}

/* The codes of PLACES, by which a map tells whether a filter by the beginning of a code finds a place's. */
static json_t *codes_of(const json_t *places)
{
    const char *code;
    const json_t *one;
    json_t *codes = json_object();
    json_object_foreach((json_t *)(uintptr_t)places, code, one) odp_set(codes, code, json_null());
    return codes;
}

/* What a page's map reads: the summary with the figures of LEVEL's places, and of those above if the map
 * shows them, alone: a tenth of it where regencies have figures and provinces boundaries. */
static void put_summary(struct portal_areas *a, json_t *map, const json_t *summary, const char *level,
                        const char *stem)
{
    struct portal *p = a->p;
    const char *path = portal_printf(p, "%speta/%s.json", odp_path(ODP_PATH_image_dir, ODP_LANG_ID), stem);
    json_t *document = json_copy((json_t *)(uintptr_t)summary); /* reads only */
    const char *own = odp_text_of(json_object_get(summary, "place"), "list");
    const json_t *places = json_object_get(summary, "places");
    json_t *shown = json_pack("{s:O*}", level, json_object_get(places, level));
    if (json_object_get(map, "above") != NULL)
        odp_set_copy(shown, places, odp_text_of(json_object_get(map, "above"), "level"));
    if (strcmp(own, level) != 0)
        odp_set(shown, own, codes_of(json_object_get(places, own)));
    odp_set(document, "places", shown);
    p->status = odp_doc_put_as_take(p->job->stage, path, "application/json", ODP_CLASS_PUBLIC, ODP_DOC_LINE,
                                    document);
    odp_set_str(map, "summary", path);
}

static void draw(struct portal_areas *a, const struct odp_map_areas_of *of, const char *stem, json_t *map)
{
    struct portal *p = a->p;
    bool own = json_object_get(map, "geojson") != NULL; /* its picture shows what lies where */
    struct odp_buffer out = {0};
    for (int narrow = 0; narrow < 2 && p->status == ODP_OK; narrow++) {
        const char *path = portal_printf(p, "%speta/%s%s", odp_path(ODP_PATH_image_dir, of->lang), stem,
                                         ends[narrow][of->lang]);
        odp_buffer_clear(&out);
        p->status = odp_map_areas_svg(a->shapes, of, narrow == 1, &out);
        if (p->status == ODP_OK)
            p->status =
                odp_stage_put(p->job->stage, path, "image/svg+xml", ODP_CLASS_PUBLIC, odp_buffer_slice(&out));
        if (p->status == ODP_OK && !own)
            show(map, of->lang, narrow == 1, path, odp_buffer_cstr(&out));
    }
    odp_buffer_clear(&out);
    if (p->status == ODP_OK && !own)
        p->status = odp_map_areas_alternative(a->shapes, of, &out);
    if (p->status == ODP_OK && !own)
        set(map, "alternative", of->lang, json_string(odp_buffer_cstr(&out)));
    odp_buffer_release(&out);
}

void portal_areas_draw(struct portal_areas *a, const json_t *entry, const json_t *table)
{
    struct portal *p = a->p;
    json_t *map = json_object_get(table, "map"), *summary = NULL, *names = NULL;
    const char *level = odp_text_of(map, "level"), *boundaries = odp_text_of(map, "boundaries"),
               *labels = odp_text_of(map, "labels");
    if (*boundaries == '\0' || p->status != ODP_OK)
        return;
    take_shapes(a, portal_printf(p, "%s", boundaries));
    if (p->status == ODP_OK)
        p->status = odp_model_summary(p->job, odp_text_of(map, "summary"), &summary);
    if (p->status == ODP_OK && *labels != '\0')
        p->status = odp_job_read_kept(p->job, labels, &names);
    const json_t *of = odp_model_find(p->job->entries, "boundaries_of", level);
    const char *stem = portal_printf(p, "%s%s", odp_text_of(entry, "slug"), odp_text_of(table, "suffix"));
    bool any = p->status == ODP_OK && odp_areas_measure(summary, level) >= 0;
    if (any)
        put_summary(a, map, summary, level, stem);
    for (int lang = 0; lang < ODP_LANGS && any && p->status == ODP_OK; lang++) {
        const char *source = odp_model_in(of, "producer", (enum odp_lang)lang);
        const struct odp_map_areas_of what = {
            .summary = summary,
            .names = names,
            .level = level,
            .source = *source != '\0' ? source : odp_model_in(of, "title", (enum odp_lang)lang),
            .license = odp_text_of(json_object_get(entry, "license"), "path"),
            .title = odp_model_in(table, "heading", (enum odp_lang)lang),
            .lang = (enum odp_lang)lang,
            .look = &a->look};
        draw(a, &what, stem, map);
    }
    json_decref(summary);
    json_decref(names);
}
