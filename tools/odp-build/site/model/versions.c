/* Versions: published ones, their differences, withdrawn ones and why. And the scorecard. */
#include "site/model/model_internal.h"

#include "site/score/scorecard.h"

enum {
    SHOWN = 24,    /* listed on the page */
    NEW = 3,       /* so many with files and deltas, too */
    TOLD = 50,     /* in the feed */
    PUBLISHED = 20 /* in dcat.jsonld */
};

static json_t *make_changes(struct model *m, const json_t *resource, bool first)
{
    static const char *const counts[] = {"added", "removed", "changed"}, *const forms[] = {"html", "json",
                                                                                           "csv"};
    const json_t *from = json_object_get(resource, "changes");
    const char *name = odp_text_of(resource, "name");
    json_t *o =
        json_pack("{s:o, s:s, s:s}", "table",
                  odp_model_table(m->entry, json_is_true(json_object_get(m->root, "several")) ? name : ""),
                  "further", first ? "" : name, "from", odp_text_of(from, "from"));
    for (size_t i = 0; i < 3; i++) {
        odp_set_number(o, counts[i], odp_model_number(from, counts[i]));
        odp_set_str(o, forms[i], odp_model_staged(m->job, odp_model_path(odp_text_of(from, forms[i]))));
    }
    if (odp_model_number(from, "schema_changes") > 0)
        odp_set_number(o, "schema", odp_model_number(from, "schema_changes"));
    return o;
}

/* STAGED: only those that are staged; a withdrawn version has none. */
static void add_files(struct model *m, const json_t *from, json_t *list, bool staged)
{
    const json_t *file;
    size_t i;
    json_array_foreach(from, i, file)
    {
        json_t *o = model_file(file);
        odp_set_str(o, "media_type", odp_text_of(file, "media_type"));
        odp_set_str(o, "from", odp_text_of(file, "from"));
        if (!staged || odp_model_is_staged(m->job, odp_text_of(o, "path")))
            odp_add(list, json_incref(o));
        json_decref(o);
    }
}

static json_t *make_version(struct model *m, const json_t *from, size_t i)
{
    static const char *const texts[][2] = {{"name", "version"},
                                           {"date", "date"},
                                           {"release", "release"},
                                           {"reason", "reason"},
                                           {"stands_in", "stands_in"}};
    const char *state = odp_text_of(from, "state");
    const json_t *r;
    json_t *o = json_object(), *files = json_array(), *deltas = json_array(), *changes = json_array(),
           *main = json_array();
    size_t k;
    for (k = 0; k < ODP_COUNT(texts); k++)
        odp_set_str(o, texts[k][0], odp_text_of(from, texts[k][1]));
    odp_set_flag(o, "is_current", strcmp(odp_text_of(from, "version"), m->version) == 0);
    odp_set_flag(o, "is_published", strcmp(state, "published") == 0);
    odp_set_flag(o, "is_withdrawn", strcmp(state, "withdrawn") == 0);
    odp_set_flag(o, "is_thinned", strcmp(state, "thinned") == 0);
    odp_set_copy(o, from, "rows");
    odp_set(o, "beside", odp_model_beside(from));
    odp_set(o, "correction", odp_model_both(from, "correction"));
    odp_set(o, "note", odp_model_both(from, "note"));
    json_array_foreach(json_object_get(from, "resources"), k, r)
    {
        if (json_is_object(json_object_get(r, "changes")))
            odp_add(changes, make_changes(m, r, k == 0));
        if (k == 0)
            add_files(m, json_object_get(r, "files"), main, false);
        if (i < NEW) {
            add_files(m, json_object_get(r, "files"), files, true);
            add_files(m, json_object_get(r, "deltas"), deltas, true);
        }
    }
    const bool changed = json_array_size(changes) > 0;
    odp_set_flag(o, "has_changes", changed);
    odp_set_flag(o, "has_notes", changed || json_object_get(from, "correction") != NULL);
    odp_set_str(o, "since", odp_text_of(json_array_get(changes, 0), "from"));
    odp_set(o, "changes", changes);
    odp_set(o, "main", main);
    odp_set_flag(o, "has_files", json_array_size(files) > 0);
    odp_set(o, "files", files);
    odp_set(o, "deltas", deltas);
    return o;
}

/* From versions.json; without one from the index. */
void model_versions(struct model *m)
{
    const char *path = model_printf(m, "data/%s/versions.json", m->slug);
    json_t *document = model_read(m, path), *list = json_array(), *told = json_array(),
           *published = json_array();
    const bool known = document != NULL;
    const json_t *from = known ? json_object_get(document, "data") : json_object_get(m->entry, "versions"),
                 *one;
    const size_t n = json_array_size(from);
    const json_int_t listed = odp_model_number(m->entry, "versions_total"),
                     all = listed > (json_int_t)n ? listed : (json_int_t)n;
    char day[11] = "";
    size_t i;
    json_array_foreach(from, i, one)
    {
        const char *state = odp_text_of(one, "state");
        const bool in_list = i < SHOWN,
                   is_told = known && json_array_size(told) < TOLD &&
                             strcmp(state, "thinned") != 0, /* no news: another version stands in */
            is_published = known && json_array_size(published) < PUBLISHED && strcmp(state, "published") == 0;
        json_t *version = in_list || is_told || is_published ? make_version(m, one, i) : NULL;
        if (in_list)
            odp_add(list, json_incref(version));
        if (is_told)
            odp_add(told, json_incref(version));
        if (is_published)
            odp_add(published, json_incref(version));
        json_decref(version);
        if (i + 1 == n)
            odp_model_day(odp_text_of(one, "date"), day);
    }
    json_t *o =
        json_pack("{s:I, s:s, s:s, s:b, s:o, s:o, s:o}", "count", all, "path", known ? path : "", "first",
                  known ? day : "", "any", (int)(n > 0), "list", list, "told", told, "published", published);
    if (all > SHOWN)
        odp_set_number(o, "more", all - SHOWN);
    odp_set(m->root, "versions", o);
    json_decref(document);
}

/* data/<slug>/scorecard.json, made by tools/odp-build/site/score; nothing is counted here. */
void model_score(struct model *m)
{
    json_t *score = model_read(m, odp_score_path(m->slug, &m->arena)), *principle, *item;
    size_t i, k;
    json_array_foreach(json_object_get(score, "principles"), i, principle)
    {
        odp_set_flag(principle, "applies", json_is_integer(json_object_get(principle, "percent")));
        json_array_foreach(json_object_get(principle, "items"), k, item)
            odp_set_flag(item, "counted", odp_model_number(item, "need") > 1);
    }
    if (score != NULL)
        odp_set(m->root, "score", score);
}
