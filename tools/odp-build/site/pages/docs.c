/* The documentation: prose in templates (docs*.id.html, docs*.en.html), and what is true of this catalogue
 * alone: its tiers, its errors, its events, examples with its data. */
#include "base/problem_info.h"
#include "site/pages/pages_internal.h"

static json_t *make_problems(void)
{
    json_t *list = json_array();
    for (int i = 0; i < ODP_PROBLEM_COUNT; i++) {
        const struct odp_problem_info *p = odp_problem_info((enum odp_problem)i);
        odp_add(list, json_pack("{s:s, s:i, s:o, s:o}", "code", p->code, "status", p->status, "title",
                                odp_doc_text(&p->words.title), "detail",
                                odp_text_is_empty(&p->words.detail) ? json_string("")
                                                                    : odp_doc_text(&p->words.detail)));
    }
    return list;
}

static json_t *make_events(struct portal *p)
{
    json_t *index = NULL, *events;
    if (p->status == ODP_OK)
        p->status = odp_job_read(p->job, odp_path(ODP_PATH_events, ODP_LANG_ID), &index);
    events = json_incref(json_object_get(index, "data"));
    json_decref(index);
    return events != NULL ? events : json_array();
}

/* The page of HEAD, where HERE of the documentation is; LIBRARY: the one it tells of, or NULL. */
static void put(struct portal *p, enum odp_lang lang, struct portal_head *head, const char *here,
                json_t *library, json_t *all)
{
    json_t *data = json_copy(all), *one;
    size_t i;
    head->nav = "docs";
    odp_set(data, "here", json_pack("{s:b}", here, 1));
    json_array_foreach(json_object_get(all, "libraries"), i, one)
        odp_set_flag(one, "current", one == library);
    if (library != NULL)
        odp_set(data, "library", json_incref(library));
    portal_put_page(p, lang, head, data);
}

void portal_make_docs(struct portal *p, enum odp_lang lang)
{
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
    const char *zone = p->catalog->portal.time_zone;
    json_t *libraries = docs_libraries(p, lang), *library;
    if (lang == ODP_LANG_ID)
        p->sample = docs_sample(p);
    json_t *all = json_pack("{s:o, s:s, s:o, s:b, s:o, s:o, s:o, s:O*}", "tiers", portal_tiers(p), "zone",
                            zone != NULL ? zone : "", "problems", make_problems(), "has_libraries",
                            (int)(json_array_size(libraries) > 0), "libraries", libraries, "compare",
                            docs_compare(libraries), "events", make_events(p), "sample", p->sample);
    odp_set(all, "datasets", docs_api_list(p, lang, false));
    odp_set(all, "lists", docs_api_list(p, lang, true));
    size_t i;
    for (i = 0; i < ODP_COUNT(pages); i++) {
        struct portal_head head =
            portal_head_of(p, lang, pages[i].page, pages[i].path, pages[i].title, pages[i].about);
        put(p, lang, &head, pages[i].here, NULL, all);
    }
    json_array_foreach(libraries, i, library)
    {
        const char *label = odp_text_of(library, "label");
        struct portal_head head =
            portal_head_of(p, lang, "docs-library", docs_library_path(odp_text_of(library, "language")),
                           "docs_library", "docs_library_about");
        head.title = portal_printf(p, "%s %s", head.title, label);
        head.description = portal_printf(p, "%s %s", head.description, label);
        put(p, lang, &head, "library", library, all);
    }
    docs_put_api(p, lang, all);
    json_decref(all);
}
