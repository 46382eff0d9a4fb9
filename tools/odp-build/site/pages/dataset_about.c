/* What a dataset is: who answers for it, under which licence, how new it is, and what is about to go. */
#include "site/pages/dataset_internal.h"

static json_t *make_date(struct dataset_page *g, const char *date)
{
    json_t *o = json_object();
    dataset_set(g, o, "iso", date);
    dataset_set(g, o, "text", *date != '\0' ? portal_date(date, g->lang, g->arena) : "");
    return o;
}

/* A member that is a text, {id, en}, or a list of either, as items of LIST. */
static void add_texts(struct dataset_page *g, json_t *list, const json_t *value)
{
    const char *mine = g->lang == ODP_LANG_ID ? "id" : "en";
    if (json_is_array(value)) {
        for (size_t i = 0; i < json_array_size(value); i++)
            add_texts(g, list, json_array_get(value, i));
        return;
    }
    if (json_is_object(value)) {
        const json_t *own = json_object_get(value, mine);
        add_texts(g, list, own != NULL ? own : json_object_get(value, g->lang == ODP_LANG_ID ? "en" : "id"));
        return;
    }
    const char *text = json_string_value(value);
    if (text != NULL && *text != '\0')
        odp_doc_add(&g->d, list, json_string(text));
}

static json_t *texts_of(struct dataset_page *g, const char *key)
{
    json_t *list = json_array();
    add_texts(g, list, json_object_get(g->entry, key));
    return list;
}

/* ---- lists: only those that have something ---- */

static void add_list(struct dataset_page *g, json_t *lists, const char *word, bool badges, json_t *items_take)
{
    if (json_array_size(items_take) == 0) {
        json_decref(items_take);
        return;
    }
    json_t *o = json_object();
    dataset_set(g, o, "label", dataset_word(g, word));
    odp_doc_set(&g->d, o, "are_badges", json_boolean(badges));
    odp_doc_set(&g->d, o, "items", items_take);
    odp_doc_add(&g->d, lists, o);
}

static json_t *plain(struct dataset_page *g, const char *key)
{
    json_t *texts = texts_of(g, key), *list = json_array();
    for (size_t i = 0; i < json_array_size(texts); i++) {
        json_t *o = json_object();
        dataset_set(g, o, "label", json_string_value(json_array_get(texts, i)));
        dataset_set(g, o, "href", "");
        odp_doc_add(&g->d, list, o);
    }
    json_decref(texts);
    return list;
}

static json_t *sources(struct dataset_page *g)
{
    const json_t *from = json_object_get(g->entry, "sources");
    json_t *list = json_array();
    for (size_t i = 0; i < json_array_size(from); i++) {
        const json_t *source = json_array_get(from, i);
        const char *title = portal_in(source, "title", g->lang), *path = portal_text(source, "path");
        bool web = strncmp(path, "https://", 8) == 0 || strncmp(path, "http://", 7) == 0;
        json_t *o = json_object();
        dataset_set(g, o, "label", *title != '\0' ? title : path);
        dataset_set(g, o, "href", web ? path : "");
        odp_doc_add(&g->d, list, o);
    }
    return list;
}

/* Each leads to the catalogue's datasets of that subject; one that portal.json has no more is left out. */
static json_t *subjects(struct dataset_page *g)
{
    const json_t *from = json_object_get(g->entry, "subjects");
    const struct odp_portal *portal = &g->p->catalog->portal;
    json_t *list = json_array();
    for (size_t i = 0; i < json_array_size(from); i++) {
        const char *name = json_string_value(json_array_get(from, i));
        for (size_t k = 0; name != NULL && k < portal->nsubjects; k++) {
            if (strcmp(portal->subjects[k].name, name) != 0)
                continue;
            const char *safe = dataset_percent(name, g->arena);
            json_t *o = json_object();
            dataset_set(g, o, "label", odp_text_get(&portal->subjects[k].title, g->lang));
            dataset_set(g, o, "href", safe == NULL ? NULL : odp_arena_printf(g->arena, "%s%s?subject=%s", g->root, portal_path(PORTAL_home, g->lang), safe));
            odp_doc_add(&g->d, list, o);
        }
    }
    return list;
}

static json_t *lists(struct dataset_page *g)
{
    json_t *all = json_array();
    bool own = json_object_get(g->entry, "odp:keywords") != NULL;
    add_list(g, all, "ds_themes", true, json_array_size(json_object_get(g->entry, "subjects")) > 0 ? subjects(g) : plain(g, "odp:theme"));
    add_list(g, all, "ds_keywords", true, plain(g, own ? "odp:keywords" : "keywords"));
    add_list(g, all, "ds_spatial", false, plain(g, "odp:spatial"));
    add_list(g, all, "ds_temporal", false, plain(g, "odp:temporal"));
    add_list(g, all, "ds_sources", false, sources(g));
    return all;
}

static json_t *license(struct dataset_page *g)
{
    const json_t *from = json_object_get(g->entry, "license");
    const char *title = portal_in(from, "title", g->lang), *name = portal_text(from, "name"), *path = portal_text(from, "path");
    json_t *o = json_object();
    dataset_set(g, o, "label", *title != '\0' ? title : name);
    dataset_set(g, o, "name", *title != '\0' && strcmp(title, name) != 0 ? name : "");
    dataset_set(g, o, "href", path);
    return o;
}

/* "Tahunan" of ANNUAL; the code where it is not known. */
static const char *frequency(struct dataset_page *g)
{
    const char *code = portal_text(g->entry, "frequency"), *key;
    if (*code == '\0')
        return "";
    key = odp_arena_printf(g->arena, "ds_freq_%s", code);
    const char *word = key != NULL ? odp_templates_word(g->p->templates, key, g->lang) : NULL;
    return key == NULL ? NULL : word != NULL ? word : code;
}

static json_t *heir(struct dataset_page *g, const char *slug)
{
    const char *title = slug, *href = *slug != '\0' ? dataset_page_of(g, slug, &title) : "";
    json_t *o = json_object();
    dataset_set(g, o, "label", title);
    dataset_set(g, o, "href", href != NULL ? href : "");
    return o;
}

static void set_deprecated(struct dataset_page *g, json_t *data)
{
    if (strcmp(portal_text(g->entry, "state"), "deprecated") != 0)
        return;
    json_t *o = json_object();
    odp_doc_set(&g->d, o, "since", make_date(g, portal_text(g->entry, "odp:deprecated")));
    odp_doc_set(&g->d, o, "sunset", make_date(g, portal_text(g->entry, "odp:sunset")));
    odp_doc_set(&g->d, o, "heir", heir(g, portal_text(g->entry, "odp:replacedBy")));
    dataset_set(g, o, "note", portal_in(g->entry, "odp:note", g->lang));
    odp_doc_set(&g->d, data, "deprecated", o);
}

/* The newest version was withdrawn, and no other has taken its place. */
static void set_withdrawn(struct dataset_page *g, json_t *data)
{
    const json_t *from = json_object_get(g->entry, "withdrawn");
    if (from == NULL)
        return;
    json_t *o = json_object();
    dataset_set(g, o, "which", portal_text(from, "version"));
    dataset_set(g, o, "reason", dataset_reason(g, portal_text(from, "reason")));
    dataset_set(g, o, "note", portal_in(from, "note", g->lang));
    odp_doc_set(&g->d, data, "withdrawn", o);
}

static json_t *former(struct dataset_page *g)
{
    const json_t *from = json_object_get(g->entry, "odp:formerSlugs");
    json_t *list = json_array();
    for (size_t i = 0; i < json_array_size(from); i++) {
        const json_t *one = json_array_get(from, i);
        json_t *o = json_object();
        dataset_set(g, o, "slug", portal_text(one, "slug"));
        odp_doc_set(&g->d, o, "until", make_date(g, portal_text(one, "sunset")));
        odp_doc_add(&g->d, list, o);
    }
    return list;
}

void dataset_about(struct dataset_page *g, json_t *data)
{
    static const char *const who[][2] = {{"producer", "sdi:produsenData"}, {"walidata", "sdi:walidata"}, {"pembina", "sdi:pembina"}, {"sdsn", "sdi:kodeSDSN"}};
    json_t *about = json_object();
    for (size_t i = 0; i < sizeof who / sizeof *who; i++)
        dataset_set(g, about, who[i][0], portal_in(g->entry, who[i][1], g->lang));
    odp_doc_set(&g->d, about, "license", license(g));
    odp_doc_set(&g->d, about, "updated", make_date(g, portal_text(g->entry, "last_update")));
    dataset_set(g, about, "frequency", frequency(g));
    dataset_set(g, about, "rows", dataset_value(g, json_object_get(g->entry, "rows")));
    odp_doc_set(&g->d, about, "beside", portal_rows_beside(g->entry, g->lang, g->arena));
    odp_doc_set(&g->d, about, "formats", texts_of(g, "formats"));
    odp_doc_set(&g->d, about, "lists", lists(g));
    odp_doc_set(&g->d, about, "former", former(g));
    dataset_set(g, about, "note", portal_in(g->entry, "odp:note", g->lang));
    odp_doc_set(&g->d, data, "about", about);
    set_deprecated(g, data);
    set_withdrawn(g, data);
}
