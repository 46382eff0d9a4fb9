/* The client libraries: side by side, and all of one. What is said of them is odp_client_description's
 * (templates/clients/reference.json), here it becomes data for templates: Markdown becomes HTML, what only
 * the packages' README says is left out, and what one names of another is put beside it. */
#include "site/pages/pages_internal.h"

enum odp_path docs_library_path(const char *language)
{
    if (strcmp(language, "javascript") == 0)
        return ODP_PATH_docs_javascript;
    return strcmp(language, "python") == 0 ? ODP_PATH_docs_python : ODP_PATH_docs_php;
}

/* "text" of every object within VALUE as "html"; without objects of arrays that are for readers of the
 * package alone. */
static void make_ready(struct portal *p, json_t *value, bool within_line)
{
    const char *key;
    json_t *one;
    for (size_t i = json_array_size(value); i > 0; i--) {
        one = json_array_get(value, i - 1);
        if (strcmp(odp_text_of(one, "in"), "readme") == 0 || json_object_get(one, "table") != NULL)
            (void)json_array_remove(value, i - 1);
        else
            make_ready(p, one, within_line);
    }
    json_object_foreach(value, key, one)
        make_ready(p, one, within_line || strcmp(key, "options") == 0 || strcmp(key, "returns") == 0);
    if (json_is_object(value))
        odp_set(value, "html", docs_prose(p, json_object_get(value, "text"), within_line));
}

/* ---- one library ---- */

static void set_reference(json_t *entry, const char *key, const json_t *to)
{
    if (to != NULL)
        odp_set(entry, key,
                json_pack("{s:s, s:O}", "id", odp_text_of(to, "id"), "title", json_object_get(to, "title")));
}

/* Where its options are told, and the chapter whose programs show it. */
static void complete_entry(json_t *entry, const json_t *section, const json_t *library)
{
    static const char *const lists[][2] = {{"options", "has_options"}, {"errors", "has_errors"}};
    const char *name = odp_text_of(entry, "example");
    const json_t *chapter, *shown = NULL;
    size_t i;
    set_reference(
        entry, "same",
        odp_model_find(json_object_get(section, "entries"), "id", odp_text_of(entry, "options_of")));
    json_array_foreach(json_object_get(library, "guide"), i,
                       chapter) if (shown == NULL && *name != '\0' &&
                                    odp_model_find(json_object_get(chapter, "body"), "name", name) != NULL)
        shown = chapter;
    set_reference(entry, "shown", shown);
    for (i = 0; i < 2; i++) {
        if (json_object_get(entry, lists[i][0]) == NULL)
            odp_set(entry, lists[i][0], json_array());
        odp_set_flag(entry, lists[i][1], json_array_size(json_object_get(entry, lists[i][0])) > 0);
    }
}

/* What tests do with a program: run it; a module for browsers is only read. */
static void complete_chapter(json_t *chapter, json_t *library)
{
    const char *language = odp_text_of(library, "language"), *id = odp_text_of(chapter, "id");
    json_t *block, *body = json_object_get(chapter, "body");
    size_t i;
    json_array_foreach(body, i, block)
        odp_set(block, "run",
                json_sprintf("%s-%s", language,
                             strcmp(odp_text_of(block, "name"), "browser") == 0 ? "browser" : "library"));
    if (strcmp(id, "pasang") == 0 || strcmp(id, "pertama") == 0)
        odp_set(library, id, json_incref(body));
}

static void complete_library(struct portal *p, json_t *library, enum odp_lang lang)
{
    const char *file = odp_text_of(library, "file"), *slash = strrchr(file, '/');
    json_t *one, *entry;
    size_t i, k;
    odp_set(library, "about", docs_prose(p, json_object_get(library, "about"), true));
    make_ready(p, json_object_get(library, "guide"), false);
    make_ready(p, json_object_get(library, "reference"), false);
    make_ready(p, json_object_get(library, "errors"), true);
    odp_set_str(library, "file_name", slash != NULL ? slash + 1 : file);
    odp_set_str(library, "href", odp_path(docs_library_path(odp_text_of(library, "language")), lang));
    json_array_foreach(json_object_get(library, "guide"), i, one) complete_chapter(one, library);
    json_array_foreach(json_object_get(library, "reference"), i, one)
        json_array_foreach(json_object_get(one, "entries"), k, entry) complete_entry(entry, one, library);
    json_array_foreach(json_object_get(library, "datasets"), i,
                       one) if (json_object_get(one, "resources") == NULL)
        odp_set(one, "resources", json_array());
}

json_t *docs_libraries(struct portal *p, enum odp_lang lang)
{
    json_t *list = json_object_get(p->clients, "languages"), *library;
    size_t i;
    list = list != NULL ? json_deep_copy(list) : json_array();
    json_array_foreach(list, i, library) complete_library(p, library, lang);
    return list;
}

/* ---- side by side ---- */

/* What the libraries call the same thing, for the entries that say "side". */
json_t *docs_compare(const json_t *libraries)
{
    json_t *list = json_array(), *section, *entry, *library;
    size_t i, k, l;
    json_array_foreach(json_object_get(json_array_get(libraries, 0), "reference"), i, section)
        json_array_foreach(json_object_get(section, "entries"), k, entry)
    {
        const char *id = odp_text_of(entry, "id");
        json_t *calls = json_array();
        json_array_foreach(libraries, l, library)
        {
            const json_t *of = json_array_get(json_object_get(library, "reference"), i);
            const json_t *same = odp_model_find(json_object_get(of, "entries"), "id", id);
            odp_add(calls, json_pack("{s:s, s:s, s:s}", "call", odp_text_of(same, "call"), "href",
                                     odp_text_of(library, "href"), "id", id));
        }
        if (json_is_true(json_object_get(entry, "side")))
            odp_add(list, json_pack("{s:O, s:O}", "title", json_object_get(entry, "title"), "calls", calls));
        json_decref(calls);
    }
    return list;
}
