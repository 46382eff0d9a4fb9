/* The documentation: prose in templates (docs*.id.html, docs*.en.html), and what is true of this catalogue
 * alone: its tiers, its errors, its events, examples with its data. */
#include "site/pages/docs_internal.h"

#include <errno.h>

#include "base/problem_info.h"

static const struct {
    const char *page, *here, *title, *about;
    enum odp_path path;
} pages[] = {
    {"docs", "docs", "docs_title", "docs_about", ODP_PATH_docs},
    {"docs-key", "key", "docs_key", "docs_key_about", ODP_PATH_docs_key},
    {"docs-limits", "limits", "docs_limits", "docs_limits_about", ODP_PATH_docs_limits},
    {"docs-errors", "errors", "docs_errors", "docs_errors_about", ODP_PATH_docs_errors},
    {"docs-queries", "queries", "docs_queries", "docs_queries_about", ODP_PATH_docs_queries},
    {"docs-webhooks", "webhooks", "docs_webhooks", "docs_webhooks_about", ODP_PATH_docs_webhooks},
    {"docs-libraries", "libraries", "docs_libraries", "docs_libraries_about", ODP_PATH_docs_libraries},
};

/* ---- errors, events --------------------------------------------------------------------------------- */

static json_t *make_problems(struct docs *d)
{
    json_t *list = json_array();
    for (int i = 0; i < ODP_PROBLEM_COUNT; i++) {
        const struct odp_problem_info *p = odp_problem_info((enum odp_problem)i);
        odp_doc_add(&d->doc, list,
                    json_pack("{s:s, s:i, s:o, s:o}", "code", p->code, "status", p->status, "title",
                              odp_doc_text(&p->words.title), "detail",
                              odp_text_is_empty(&p->words.detail) ? json_string("")
                                                                  : odp_doc_text(&p->words.detail)));
    }
    return list;
}

static enum odp_status set_events(struct docs *d, json_t *data)
{
    json_t *index = NULL, *events;
    enum odp_status status = odp_model_read(d->p->job, odp_path(ODP_PATH_events, d->lang), &index);
    events = json_object_get(index, "data");
    odp_doc_set(&d->doc, data, "events", events != NULL ? json_incref(events) : json_array());
    json_decref(index);
    return status;
}

/* ---- pages ------------------------------------------------------------------------------------------ */

static json_t *here(struct docs *d, const char *which)
{
    json_t *o = json_object();
    odp_doc_set(&d->doc, o, which, json_true());
    return o;
}

/* The page TEMPLATE at PATH, where WHICH of the documentation is; LIBRARY: the one it tells of, or NULL. */
static enum odp_status put(struct docs *d, const struct portal_head *page, enum odp_path path,
                           const char *which, json_t *library, const json_t *all)
{
    struct portal_head head = *page;
    json_t *data = json_copy((json_t *)(uintptr_t)all);
    head.nav = "docs";
    for (int lang = 0; lang < ODP_LANGS; lang++)
        head.path[lang] = odp_path(path, (enum odp_lang)lang);
    odp_doc_set(&d->doc, data, "here", here(d, which));
    docs_set_current(d, library);
    if (library != NULL)
        odp_doc_set(&d->doc, data, "library", json_incref(library));
    if (!d->doc.failed)
        return portal_put(d->p, d->lang, &head, data);
    json_decref(data);
    return odp_failure_set("make", head.path[d->lang], ENOMEM);
}

static enum odp_status put_library(struct docs *d, json_t *library, const json_t *all)
{
    const char *label = odp_model_text(library, "label");
    const char *title =
        odp_arena_printf(&d->p->arena, "%s %s", portal_word(d->p, "docs_library", d->lang), label);
    const char *about =
        odp_arena_printf(&d->p->arena, "%s %s", portal_word(d->p, "docs_library_about", d->lang), label);
    const struct portal_head head = {.page = "docs-library", .title = title, .description = about};
    return put(d, &head, docs_library_path(odp_model_text(library, "language")), "library", library, all);
}

enum odp_status portal_make_docs(struct portal *p, enum odp_lang lang)
{
    struct docs d = {.p = p, .lang = lang, .libraries = json_array()};
    json_t *all = json_object(), *library;
    size_t k;
    docs_libraries(&d);
    odp_doc_set(&d.doc, all, "tiers", portal_tiers(p, &d.doc));
    odp_doc_set_str(&d.doc, all, "zone", p->catalog->portal.time_zone);
    odp_doc_set(&d.doc, all, "problems", make_problems(&d));
    odp_doc_set(&d.doc, all, "has_libraries", json_boolean(json_array_size(d.libraries) > 0));
    odp_doc_set(&d.doc, all, "libraries", json_incref(d.libraries));
    odp_doc_set(&d.doc, all, "compare", docs_compare(&d));
    enum odp_status status = set_events(&d, all);
    if (status == ODP_OK)
        status = docs_sample(&d, all);
    for (size_t i = 0; i < sizeof pages / sizeof *pages && status == ODP_OK; i++) {
        const struct portal_head head = {.page = pages[i].page,
                                         .title = portal_word(p, pages[i].title, lang),
                                         .description = portal_word(p, pages[i].about, lang)};
        status = put(&d, &head, pages[i].path, pages[i].here, NULL, all);
    }
    json_array_foreach(d.libraries, k, library)
        if (status == ODP_OK)
            status = put_library(&d, library, all);
    json_decref(all);
    json_decref(d.libraries);
    return status;
}
