/* The client libraries: side by side, and all of one. What is said of them is odp_client_description's
 * (templates/clients/reference.json), here it becomes data for templates: Markdown becomes HTML, what only
 * the packages' README says is left out, and what one names of another is put beside it. */
#include "site/pages/docs_internal.h"

enum odp_path docs_library_path(const char *language)
{
    static const struct {
        const char *language;
        enum odp_path path;
    } pages[] = {{"javascript", ODP_PATH_docs_javascript}, {"python", ODP_PATH_docs_python}};
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        if (strcmp(pages[i].language, language) == 0)
            return pages[i].path;
    return ODP_PATH_docs_php;
}

static void set(struct docs *d, json_t *o, const char *key, json_t *value_take)
{
    odp_doc_set(&d->doc, o, key, value_take);
}

/* "text" of every object within VALUE as "html"; without objects of arrays that are for readers of the
 * package alone. */
static void make_ready(struct docs *d, json_t *value, bool within_line)
{
    const char *key;
    json_t *one;
    for (size_t i = json_array_size(value); i > 0; i--) {
        one = json_array_get(value, i - 1);
        if (strcmp(odp_model_text(one, "in"), "readme") == 0 || json_object_get(one, "table") != NULL)
            (void)json_array_remove(value, i - 1);
        else
            make_ready(d, one, within_line);
    }
    json_object_foreach(value, key, one)
        make_ready(d, one, within_line || strcmp(key, "options") == 0 || strcmp(key, "returns") == 0);
    if (json_is_object(value))
        set(d, value, "html", docs_prose(d, json_object_get(value, "text"), within_line));
}

/* ---- one library ------------------------------------------------------------------------------------ */

/* The chapter whose programs show ENTRY. */
static void set_example(struct docs *d, json_t *entry, const json_t *library)
{
    const char *name = odp_model_text(entry, "example");
    const json_t *chapter;
    size_t i;
    json_array_foreach(json_object_get(library, "guide"), i, chapter)
        if (*name != '\0' && odp_model_find(json_object_get(chapter, "body"), "name", name) != NULL) {
            set(d, entry, "shown",
                json_pack("{s:s, s:O}", "id", odp_model_text(chapter, "id"), "title",
                          json_object_get(chapter, "title")));
            return;
        }
}

static void complete_entry(struct docs *d, json_t *entry, const json_t *section, const json_t *library)
{
    const json_t *same =
        odp_model_find(json_object_get(section, "entries"), "id", odp_model_text(entry, "options_of"));
    const json_t *options = json_object_get(entry, "options"), *errors = json_object_get(entry, "errors");
    if (same != NULL)
        set(d, entry, "same",
            json_pack("{s:s, s:O}", "id", odp_model_text(same, "id"), "title",
                      json_object_get(same, "title")));
    set_example(d, entry, library);
    if (options == NULL)
        set(d, entry, "options", json_array());
    if (errors == NULL)
        set(d, entry, "errors", json_array());
    set(d, entry, "has_options", json_boolean(json_array_size(options) > 0));
    set(d, entry, "has_errors", json_boolean(json_array_size(errors) > 0));
}

/* What tests do with a program: run it; a module for browsers is only read. */
static void complete_chapter(struct docs *d, json_t *chapter, json_t *library)
{
    const char *language = odp_model_text(library, "language"), *id = odp_model_text(chapter, "id");
    json_t *block, *body = json_object_get(chapter, "body");
    size_t i;
    json_array_foreach(body, i, block)
        set(d, block, "run",
            json_sprintf("%s-%s", language,
                         strcmp(odp_model_text(block, "name"), "browser") == 0 ? "browser" : "library"));
    if (strcmp(id, "pasang") == 0 || strcmp(id, "pertama") == 0)
        set(d, library, id, json_incref(body));
}

static void complete_library(struct docs *d, json_t *library)
{
    const char *file = odp_model_text(library, "file"), *slash = strrchr(file, '/');
    const enum odp_path page = docs_library_path(odp_model_text(library, "language"));
    json_t *chapter, *section, *entry, *dataset;
    size_t i, k;
    json_t *about = docs_prose(d, json_object_get(library, "about"), true);
    make_ready(d, json_object_get(library, "guide"), false);
    make_ready(d, json_object_get(library, "reference"), false);
    make_ready(d, json_object_get(library, "errors"), true);
    set(d, library, "about", about);
    set(d, library, "file_name", json_string(slash != NULL ? slash + 1 : file));
    set(d, library, "href", json_string(odp_path(page, d->lang)));
    json_array_foreach(json_object_get(library, "guide"), i, chapter)
        complete_chapter(d, chapter, library);
    json_array_foreach(json_object_get(library, "reference"), i, section)
        json_array_foreach(json_object_get(section, "entries"), k, entry)
            complete_entry(d, entry, section, library);
    json_array_foreach(json_object_get(library, "datasets"), i, dataset)
        if (json_object_get(dataset, "resources") == NULL)
            set(d, dataset, "resources", json_array());
}

void docs_libraries(struct docs *d)
{
    const json_t *library;
    size_t i;
    json_array_foreach(json_object_get(d->p->clients, "languages"), i, library) {
        json_t *copy = json_deep_copy(library);
        complete_library(d, copy);
        odp_doc_add(&d->doc, d->libraries, copy);
    }
}

void docs_set_current(struct docs *d, const json_t *library)
{
    json_t *one;
    size_t i;
    json_array_foreach(d->libraries, i, one)
        set(d, one, "current", json_boolean(one == library));
}

/* ---- side by side ----------------------------------------------------------------------------------- */

/* What the libraries call the same thing, for the entries that say "side". */
json_t *docs_compare(struct docs *d)
{
    json_t *list = json_array(), *section, *entry, *library;
    size_t i, k, l;
    json_array_foreach(json_object_get(json_array_get(d->libraries, 0), "reference"), i, section)
        json_array_foreach(json_object_get(section, "entries"), k, entry) {
            const char *id = odp_model_text(entry, "id");
            json_t *calls = json_array();
            json_array_foreach(d->libraries, l, library) {
                const json_t *of = json_array_get(json_object_get(library, "reference"), i);
                const json_t *same = odp_model_find(json_object_get(of, "entries"), "id", id);
                odp_doc_add(&d->doc, calls,
                            json_pack("{s:s, s:s, s:s}", "call", odp_model_text(same, "call"), "href",
                                      odp_model_text(library, "href"), "id", id));
            }
            if (json_is_true(json_object_get(entry, "side")))
                odp_doc_add(
                    &d->doc, list,
                    json_pack("{s:O, s:O}", "title", json_object_get(entry, "title"), "calls", calls));
            json_decref(calls);
        }
    return list;
}
