/* Versions: what is published, what differs between one and the next, and what was taken back and why. And
 * the scorecard. */
#include "site/model/model_internal.h"

#include "site/score/scorecard.h"

enum {
    SHOWN = 24,    /* so many are listed on the page */
    NEW = 3,       /* of so many the files and deltas, too */
    TOLD = 50,     /* so many in the feed */
    PUBLISHED = 20 /* so many in dcat.jsonld */
};

static const char *staged_path(struct model *m, const char *url)
{
    const char *path = odp_model_path(url);
    return *path != '\0' && odp_model_is_staged(m->job, path) ? path : "";
}

static json_t *make_changes(struct model *m, const json_t *resource, bool first)
{
    static const char *const counts[] = {"added", "removed", "changed"}, *const forms[] = {"html", "json",
                                                                                           "csv"};
    const json_t *from = json_object_get(resource, "changes");
    json_t *o = json_object();
    set_text(m, o, "table",
             json_is_true(json_object_get(m->root, "several")) ? odp_model_text(resource, "name") : "");
    set_text(m, o, "further", first ? "" : odp_model_text(resource, "name"));
    set_text(m, o, "from", odp_model_text(from, "from"));
    for (size_t i = 0; i < 3; i++)
        set_number(m, o, counts[i], odp_model_number(from, counts[i]));
    for (size_t i = 0; i < 3; i++)
        set_text(m, o, forms[i], staged_path(m, odp_model_text(from, forms[i])));
    if (odp_model_number(from, "schema_changes") > 0)
        set_number(m, o, "schema", odp_model_number(from, "schema_changes"));
    return o;
}

static void add_files(struct model *m, const json_t *from, json_t *list)
{
    const json_t *file;
    size_t i;
    json_array_foreach(from, i, file) {
        json_t *o = model_file(m, file);
        set_text(m, o, "media_type", odp_model_text(file, "media_type"));
        set_text(m, o, "from", odp_model_text(file, "from"));
        odp_doc_add(&m->doc, list, o);
    }
}

/* Only what is there of them: a version that was withdrawn has none. */
static void keep_staged(struct model *m, json_t *list)
{
    for (size_t i = json_array_size(list); i > 0; i--)
        if (!odp_model_is_staged(m->job, odp_model_text(json_array_get(list, i - 1), "path")))
            (void)json_array_remove(list, i - 1);
}

static json_t *make_version(struct model *m, const json_t *from, size_t i)
{
    const char *name = odp_model_text(from, "version"), *state = odp_model_text(from, "state");
    const json_t *resources = json_object_get(from, "resources"), *r;
    json_t *o = json_object(), *files = json_array(), *deltas = json_array(), *changes = json_array(),
           *main = json_array();
    size_t k;
    set_text(m, o, "name", name);
    set_text(m, o, "date", odp_model_text(from, "date"));
    set_flag(m, o, "is_current", strcmp(name, m->version) == 0);
    set_flag(m, o, "is_published", strcmp(state, "published") == 0);
    set_flag(m, o, "is_withdrawn", strcmp(state, "withdrawn") == 0);
    set_flag(m, o, "is_thinned", strcmp(state, "thinned") == 0);
    if (json_object_get(from, "rows") != NULL)
        set_number(m, o, "rows", odp_model_number(from, "rows"));
    set(m, o, "beside", odp_model_beside(from));
    set_text(m, o, "release", odp_model_text(from, "release"));
    set(m, o, "correction", odp_model_both(from, "correction"));
    set_text(m, o, "reason", odp_model_text(from, "reason"));
    set_text(m, o, "stands_in", odp_model_text(from, "stands_in"));
    set(m, o, "note", odp_model_both(from, "note"));
    json_array_foreach(resources, k, r) {
        if (json_is_object(json_object_get(r, "changes")))
            odp_doc_add(&m->doc, changes, make_changes(m, r, k == 0));
        if (k == 0)
            add_files(m, json_object_get(r, "files"), main);
        if (i < NEW)
            add_files(m, json_object_get(r, "files"), files);
        if (i < NEW)
            add_files(m, json_object_get(r, "deltas"), deltas);
    }
    keep_staged(m, files);
    keep_staged(m, deltas);
    set_flag(m, o, "has_changes", json_array_size(changes) > 0);
    set_flag(m, o, "has_notes", json_array_size(changes) > 0 || json_object_get(from, "correction") != NULL);
    set_text(m, o, "since", odp_model_text(json_array_get(changes, 0), "from"));
    set(m, o, "changes", changes);
    set(m, o, "main", main);
    set_flag(m, o, "has_files", json_array_size(files) > 0);
    set(m, o, "files", files);
    set(m, o, "deltas", deltas);
    return o;
}

/* Of versions.json; without one of what the index tells. */
void model_versions(struct model *m)
{
    const char *path = model_printf(m, "data/%s/versions.json", m->slug);
    json_t *document = model_read(m, path), *o = json_object(), *list = json_array(), *told = json_array(),
           *published = json_array();
    const json_t *from = document != NULL ? json_object_get(document, "data")
                                          : json_object_get(m->entry, "versions"),
                 *one;
    const size_t n = json_array_size(from);
    const json_int_t listed = odp_model_number(m->entry, "versions_total"),
                     all = listed > (json_int_t)n ? listed : (json_int_t)n;
    char day[11] = "";
    size_t i;
    json_array_foreach(from, i, one) {
        json_t *version = i < SHOWN || json_array_size(told) < TOLD || json_array_size(published) < PUBLISHED
                              ? make_version(m, one, i)
                              : NULL;
        if (i < SHOWN)
            odp_doc_add(&m->doc, list, json_incref(version));
        if (document != NULL && json_array_size(told) < TOLD &&
            strcmp(odp_model_text(one, "state"), "thinned") != 0) /* no news: another version stands in */
            odp_doc_add(&m->doc, told, json_incref(version));
        if (document != NULL && json_array_size(published) < PUBLISHED &&
            strcmp(odp_model_text(one, "state"), "published") == 0)
            odp_doc_add(&m->doc, published, json_incref(version));
        json_decref(version);
        if (i + 1 == n)
            odp_model_day(odp_model_text(one, "date"), day);
    }
    set_number(m, o, "count", all);
    if (all > SHOWN)
        set_number(m, o, "more", all - SHOWN);
    set_text(m, o, "path", document != NULL ? path : "");
    set_text(m, o, "first", document != NULL ? day : "");
    set_flag(m, o, "any", n > 0);
    set(m, o, "list", list);
    set(m, o, "told", told);
    set(m, o, "published", published);
    set(m, m->root, "versions", o);
    json_decref(document);
}

/* data/<slug>/scorecard.json, made by tools/odp-build/site/score: nothing is counted here. */
void model_score(struct model *m)
{
    const char *path = odp_score_path(m->slug, &m->arena);
    json_t *score = model_read(m, path), *principle, *item;
    size_t i, k;
    json_array_foreach(json_object_get(score, "principles"), i, principle) {
        set_flag(m, principle, "applies", json_is_integer(json_object_get(principle, "percent")));
        json_array_foreach(json_object_get(principle, "items"), k, item)
            set_flag(m, item, "counted", odp_model_number(item, "need") > 1);
    }
    if (score != NULL)
        set(m, m->root, "score", score);
}
