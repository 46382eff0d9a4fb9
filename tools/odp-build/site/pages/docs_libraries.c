/* The client libraries: side by side, and all of one. What is said of them is odp_client_description's (templates/clients/reference.json), here it becomes data for templates. */
#include "site/pages/docs_internal.h"

static const char *in(struct docs *d, const json_t *o, const char *key)
{
    return portal_in(o, key, d->lang);
}

enum portal_path docs_library_path(const char *language)
{
    return strcmp(language, "javascript") == 0 ? PORTAL_docs_javascript : strcmp(language, "python") == 0 ? PORTAL_docs_python : PORTAL_docs_php;
}

static const json_t *by_id(const json_t *list, const char *id)
{
    const json_t *o;
    size_t i;
    json_array_foreach(list, i, o) if (strcmp(portal_text(o, "id"), id) == 0) return o;
    return NULL;
}

/* ---- the guide -------------------------------------------------------------------------------------------------------------- */

/* What tests do with a program: run it; a module for browsers is only read. */
static json_t *run_of(const json_t *library, const json_t *block)
{
    const char *language = portal_text(library, "language"), *name = portal_text(block, "name");
    return json_sprintf("%s-%s", language, strcmp(name, "browser") == 0 ? "browser" : "library");
}

static json_t *make_block(struct docs *d, const json_t *library, const json_t *block)
{
    json_t *o = json_object();
    odp_doc_set_str(&d->doc, o, "html", docs_prose(d, in(d, block, "text")));
    odp_doc_set_str(&d->doc, o, "code", portal_text(block, "code"));
    odp_doc_set_str(&d->doc, o, "file", portal_text(block, "file"));
    odp_doc_set(&d->doc, o, "run", run_of(library, block));
    odp_doc_set_str(&d->doc, o, "shell", portal_text(block, "shell"));
    odp_doc_set_str(&d->doc, o, "lines", portal_text(block, "lines"));
    return o;
}

static json_t *make_blocks(struct docs *d, const json_t *library, const json_t *chapter)
{
    json_t *list = json_array();
    const json_t *block;
    size_t i;
    json_array_foreach(json_object_get(chapter, "body"), i, block)
        if (strcmp(portal_text(block, "in"), "readme") != 0 && json_object_get(block, "table") == NULL)
            odp_doc_add(&d->doc, list, make_block(d, library, block));
    return list;
}

static json_t *make_chapters(struct docs *d, const json_t *library)
{
    json_t *list = json_array();
    const json_t *chapter;
    size_t i;
    json_array_foreach(json_object_get(library, "guide"), i, chapter)
    {
        if (strcmp(portal_text(chapter, "in"), "readme") == 0)
            continue;
        json_t *o = json_object();
        odp_doc_set_str(&d->doc, o, "id", portal_text(chapter, "id"));
        odp_doc_set_str(&d->doc, o, "heading", in(d, chapter, "title"));
        odp_doc_set(&d->doc, o, "blocks", make_blocks(d, library, chapter));
        odp_doc_add(&d->doc, list, o);
    }
    return list;
}

/* ---- the reference ---------------------------------------------------------------------------------------------------------- */

static json_t *make_options(struct docs *d, const json_t *from)
{
    json_t *list = json_array();
    const json_t *option;
    size_t i;
    json_array_foreach(from, i, option)
    {
        json_t *o = json_object();
        odp_doc_set_str(&d->doc, o, "name", portal_text(option, "name"));
        odp_doc_set_str(&d->doc, o, "type", portal_text(option, "type"));
        odp_doc_set_str(&d->doc, o, "default", portal_text(option, "default"));
        odp_doc_set_str(&d->doc, o, "html", docs_inline(d, in(d, option, "text")));
        odp_doc_add(&d->doc, list, o);
    }
    return list;
}

/* The chapter whose programs show ENTRY, as {"id", "heading"}. */
static void set_example(struct docs *d, json_t *o, const json_t *entry, const json_t *library)
{
    const char *name = portal_text(entry, "example");
    const json_t *chapter, *block;
    size_t i, k;
    if (*name == '\0')
        return;
    json_array_foreach(json_object_get(library, "guide"), i, chapter)
        json_array_foreach(json_object_get(chapter, "body"), k, block)
            if (strcmp(portal_text(block, "name"), name) == 0) {
                json_t *example = json_object();
                odp_doc_set_str(&d->doc, example, "id", portal_text(chapter, "id"));
                odp_doc_set_str(&d->doc, example, "heading", in(d, chapter, "title"));
                odp_doc_set(&d->doc, o, "example", example);
                return;
            }
}

static json_t *make_entry(struct docs *d, const json_t *library, const json_t *section, const json_t *entry)
{
    json_t *o = json_object(), *errors = json_array();
    const json_t *options = json_object_get(entry, "options"), *returns = json_object_get(entry, "returns"), *error;
    const json_t *same = by_id(json_object_get(section, "entries"), portal_text(entry, "options_of"));
    size_t i;
    odp_doc_set_str(&d->doc, o, "id", portal_text(entry, "id"));
    odp_doc_set_str(&d->doc, o, "heading", in(d, entry, "title"));
    odp_doc_set_str(&d->doc, o, "html", docs_prose(d, in(d, entry, "text")));
    odp_doc_set_str(&d->doc, o, "signature", portal_text(entry, "signature"));
    odp_doc_set(&d->doc, o, "is_type", json_boolean(json_is_true(json_object_get(entry, "is_type"))));
    odp_doc_set(&d->doc, o, "has_options", json_boolean(json_array_size(options) > 0));
    odp_doc_set(&d->doc, o, "options", make_options(d, options));
    if (same != NULL) {
        json_t *as = json_object();
        odp_doc_set_str(&d->doc, as, "id", portal_text(same, "id"));
        odp_doc_set_str(&d->doc, as, "heading", in(d, same, "title"));
        odp_doc_set(&d->doc, o, "options_of", as);
    }
    odp_doc_set_str(&d->doc, o, "returns", portal_text(returns, "type"));
    odp_doc_set_str(&d->doc, o, "returns_html", docs_inline(d, in(d, returns, "text")));
    json_array_foreach(json_object_get(entry, "errors"), i, error) odp_doc_add(&d->doc, errors, json_deep_copy(error));
    odp_doc_set(&d->doc, o, "has_errors", json_boolean(json_array_size(errors) > 0));
    odp_doc_set(&d->doc, o, "errors", errors);
    set_example(d, o, entry, library);
    return o;
}

static json_t *make_sections(struct docs *d, const json_t *library)
{
    json_t *list = json_array();
    const json_t *section, *entry;
    size_t i, k;
    json_array_foreach(json_object_get(library, "reference"), i, section)
    {
        json_t *o = json_object(), *entries = json_array();
        json_array_foreach(json_object_get(section, "entries"), k, entry) odp_doc_add(&d->doc, entries, make_entry(d, library, section, entry));
        odp_doc_set_str(&d->doc, o, "id", portal_text(section, "id"));
        odp_doc_set_str(&d->doc, o, "heading", in(d, section, "title"));
        odp_doc_set_str(&d->doc, o, "html", docs_prose(d, in(d, section, "text")));
        odp_doc_set(&d->doc, o, "entries", entries);
        odp_doc_add(&d->doc, list, o);
    }
    return list;
}

static json_t *make_errors(struct docs *d, const json_t *library)
{
    json_t *list = json_array();
    const json_t *error;
    size_t i;
    json_array_foreach(json_object_get(library, "errors"), i, error)
    {
        json_t *o = json_object();
        odp_doc_set_str(&d->doc, o, "name", portal_text(error, "name"));
        odp_doc_set_str(&d->doc, o, "parent", portal_text(error, "parent"));
        odp_doc_set_str(&d->doc, o, "status", portal_text(error, "status"));
        odp_doc_set_str(&d->doc, o, "html", docs_inline(d, in(d, error, "text")));
        odp_doc_add(&d->doc, list, o);
    }
    return list;
}

static json_t *make_datasets(struct docs *d, const json_t *library)
{
    json_t *list = json_array();
    const json_t *dataset, *resource;
    size_t i, k;
    json_array_foreach(json_object_get(library, "datasets"), i, dataset)
    {
        json_t *o = json_object(), *more = json_array();
        odp_doc_set(&d->doc, o, "href", json_sprintf("%s%s.html", portal_path(PORTAL_dataset_dir, d->lang), portal_text(dataset, "slug")));
        odp_doc_set_str(&d->doc, o, "heading", in(d, dataset, "title"));
        odp_doc_set_str(&d->doc, o, "accessor", portal_text(dataset, "accessor"));
        odp_doc_set_str(&d->doc, o, "type", portal_text(dataset, "type"));
        json_array_foreach(json_object_get(dataset, "resources"), k, resource) odp_doc_add(&d->doc, more, json_string(portal_text(resource, "type")));
        odp_doc_set(&d->doc, o, "more", more);
        odp_doc_add(&d->doc, list, o);
    }
    return list;
}

/* ---- what both kinds of pages say of a library --------------------------------------------------------------------------------- */

static void set_package(struct docs *d, json_t *o, const json_t *library)
{
    static const char *const texts[] = {"language", "label", "package", "module", "requires", "version", "file", "sha256"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        odp_doc_set_str(&d->doc, o, texts[i], portal_text(library, texts[i]));
    const char *file = portal_text(library, "file"), *slash = strrchr(file, '/');
    json_int_t bytes = json_integer_value(json_object_get(library, "bytes"));
    const char *size = portal_bytes(bytes > 0 ? (uint64_t)bytes : 0, d->lang, &d->p->arena);
    odp_doc_set_str(&d->doc, o, "file_name", slash != NULL ? slash + 1 : file);
    odp_doc_set_str(&d->doc, o, "size", size != NULL ? size : "");
    d->doc.failed = d->doc.failed || size == NULL;
    odp_doc_set_str(&d->doc, o, "href", portal_path(docs_library_path(portal_text(library, "language")), d->lang));
}

void docs_library(struct docs *d, json_t *data, const json_t *library)
{
    json_t *o = json_object();
    set_package(d, o, library);
    odp_doc_set_str(&d->doc, o, "about", docs_inline(d, in(d, library, "about")));
    odp_doc_set(&d->doc, o, "chapters", make_chapters(d, library));
    odp_doc_set(&d->doc, o, "sections", make_sections(d, library));
    odp_doc_set(&d->doc, o, "errors", make_errors(d, library));
    odp_doc_set(&d->doc, o, "datasets", make_datasets(d, library));
    odp_doc_set(&d->doc, data, "library", o);
}

/* ---- side by side --------------------------------------------------------------------------------------------------------------- */

/* What the libraries call the same thing, for the entries that say "side". */
static json_t *make_compare(struct docs *d)
{
    json_t *list = json_array();
    const json_t *section, *entry, *library;
    size_t i, k, l;
    json_array_foreach(json_object_get(json_array_get(d->libraries, 0), "reference"), i, section)
        json_array_foreach(json_object_get(section, "entries"), k, entry)
        {
            if (!json_is_true(json_object_get(entry, "side")))
                continue;
            json_t *o = json_object(), *calls = json_array();
            odp_doc_set_str(&d->doc, o, "heading", in(d, entry, "title"));
            json_array_foreach(d->libraries, l, library)
            {
                const json_t *same = by_id(json_object_get(json_array_get(json_object_get(library, "reference"), i), "entries"), portal_text(entry, "id"));
                json_t *call = json_object();
                odp_doc_set_str(&d->doc, call, "call", portal_text(same, "call"));
                odp_doc_set(&d->doc, call, "href", json_sprintf("%s#ref-%s", portal_path(docs_library_path(portal_text(library, "language")), d->lang), portal_text(entry, "id")));
                odp_doc_add(&d->doc, calls, call);
            }
            odp_doc_set(&d->doc, o, "calls", calls);
            odp_doc_add(&d->doc, list, o);
        }
    return list;
}

void docs_libraries(struct docs *d, json_t *data, const char *current)
{
    json_t *list = json_array();
    const json_t *library;
    size_t i;
    json_array_foreach(d->libraries, i, library)
    {
        json_t *o = json_object();
        const json_t *guide = json_object_get(library, "guide");
        set_package(d, o, library);
        odp_doc_set(&d->doc, o, "current", json_boolean(current != NULL && strcmp(current, portal_text(library, "language")) == 0));
        odp_doc_set(&d->doc, o, "install", make_blocks(d, library, by_id(guide, "pasang")));
        odp_doc_set(&d->doc, o, "first", make_blocks(d, library, by_id(guide, "pertama")));
        odp_doc_add(&d->doc, list, o);
    }
    odp_doc_set(&d->doc, data, "has_libraries", json_boolean(json_array_size(list) > 0));
    odp_doc_set(&d->doc, data, "libraries", list);
    odp_doc_set(&d->doc, data, "compare", make_compare(d));
}
