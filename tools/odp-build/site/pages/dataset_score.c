/* The scorecard of Satu Data Indonesia as the site has it (data/<slug>/scorecard.json, made by tools/odp-build/site/score): this page counts nothing by itself. */
#include "site/pages/dataset_internal.h"

static const char *in_language(const struct dataset_page *g, const json_t *o, const char *key)
{
    return portal_text(json_object_get(o, key), g->lang == ODP_LANG_EN ? "en" : "id");
}

static const char *number_of(struct dataset_page *g, const json_t *o, const char *key)
{
    return portal_number((uint64_t)json_integer_value(json_object_get(o, key)), g->lang, g->arena);
}

/* "10 dari 12 kolom; belum: …" of what is counted by column, else what is missing. */
static const char *note_of(struct dataset_page *g, const json_t *item)
{
    const char *note = in_language(g, item, "note");
    if (json_integer_value(json_object_get(item, "need")) < 2)
        return note;
    const char *of = dataset_phrase(g, "ds_s_of", number_of(g, item, "have"), number_of(g, item, "need"));
    return of != NULL ? odp_arena_printf(g->arena, "%s%s%s", of, *note != '\0' ? "; " : "", note) : NULL;
}

static json_t *make_items(struct dataset_page *g, const json_t *principle)
{
    const json_t *items = json_object_get(principle, "items");
    json_t *list = json_array();
    for (size_t i = 0; i < json_array_size(items); i++) {
        const json_t *item = json_array_get(items, i);
        json_t *o = json_object();
        dataset_set(g, o, "label", in_language(g, item, "label"));
        odp_doc_set(&g->d, o, "is_ok", json_boolean(json_is_true(json_object_get(item, "met"))));
        dataset_set(g, o, "note", note_of(g, item));
        odp_doc_add(&g->d, list, o);
    }
    return list;
}

static json_t *make_principle(struct dataset_page *g, const json_t *principle)
{
    const json_t *percent = json_object_get(principle, "percent");
    const char *how = odp_arena_printf(g->arena, "ds_s_%s_how", portal_text(principle, "id"));
    json_t *o = json_object();
    dataset_set(g, o, "heading", in_language(g, principle, "title"));
    dataset_set(g, o, "how", how != NULL ? dataset_word(g, how) : NULL);
    odp_doc_set(&g->d, o, "applies", json_boolean(json_is_integer(percent)));
    dataset_set(g, o, "score", odp_arena_printf(g->arena, "%lld", (long long)json_integer_value(percent)));
    dataset_set(g, o, "sum", dataset_phrase(g, "ds_s_sum", number_of(g, principle, "have"), number_of(g, principle, "need")));
    odp_doc_set(&g->d, o, "items", make_items(g, principle));
    return o;
}

void dataset_score(struct dataset_page *g, json_t *data)
{
    const json_t *score = g->dataset->score, *principles = json_object_get(score, "principles");
    json_t *o = json_object(), *list = json_array();
    for (size_t i = 0; i < json_array_size(principles); i++)
        odp_doc_add(&g->d, list, make_principle(g, json_array_get(principles, i)));
    dataset_set(g, o, "total", odp_arena_printf(g->arena, "%lld", (long long)json_integer_value(json_object_get(score, "percent"))));
    odp_doc_set(&g->d, o, "principles", list);
    odp_doc_set(&g->d, data, "score", o);
}
