/* status.html: how fresh each dataset is. A build has no clock: what is late, and whether the service answers, status.js finds out at the
 * reader's.
 *
 * The next day of a dataset is its last update and its frequency (EU vocabulary); what has no interval has
 * none. */
#include <errno.h>

#include "catalog/frequency.h"
#include "site/pages/pages_internal.h"

struct status_page {
    struct portal *p;
    enum odp_lang lang;
    struct odp_doc d;
    struct odp_arena arena;
};

static void set(struct status_page *s, json_t *o, const char *key, const char *text)
{
    s->d.failed = s->d.failed || text == NULL;
    odp_doc_set_str(&s->d, o, key, text != NULL ? text : "");
}

static json_t *make_row(struct status_page *s, const json_t *entry)
{
    const char *date = portal_text(entry, "last_update"), *frequency = portal_text(entry, "frequency");
    const char *key = odp_arena_printf(&s->arena, "status_f_%s", *frequency != '\0' ? frequency : "none");
    const char *word = key != NULL ? odp_templates_word(s->p->templates, key, s->lang) : NULL;
    char due[ODP_DATETIME_SIZE];
    json_t *o = json_object();
    s->d.failed = s->d.failed || key == NULL;
    set(s, o, "title", portal_in(entry, "title", s->lang));
    set(s, o, "href", odp_arena_printf(&s->arena, "%s%s.html", portal_path(PORTAL_dataset_dir, s->lang), portal_text(entry, "slug")));
    set(s, o, "date", date);
    set(s, o, "date_text", portal_date(date, s->lang, &s->arena));
    set(s, o, "version", portal_text(entry, "version"));
    set(s, o, "frequency", word != NULL ? word : frequency);
    odp_doc_set(&s->d, o, "deprecated", json_boolean(strcmp(portal_text(entry, "state"), "deprecated") == 0));
    if (odp_frequency_due(date, frequency, due)) {
        set(s, o, "due", due);
        set(s, o, "due_text", portal_date(due, s->lang, &s->arena));
    }
    return o;
}

enum odp_status portal_make_status(struct portal *p, enum odp_lang lang)
{
    static const char *const keys[] = {"status_js_ok",    "status_js_down", "status_js_static",  "status_js_time",          "status_js_release",
                                       "status_js_tiers", "status_js_code", "status_js_overdue", "status_js_overdue_count", "status_js_on_time",
                                       NULL};
    struct status_page s = {.p = p, .lang = lang};
    json_t *data = json_object(), *rows = json_array();
    odp_arena_init(&s.arena);
    for (size_t i = 0; i < json_array_size(p->job->entries); i++)
        odp_doc_add(&s.d, rows, make_row(&s, json_array_get(p->job->entries, i)));
    odp_doc_set(&s.d, data, "any_datasets", json_boolean(p->n > 0));
    odp_doc_set(&s.d, data, "datasets", rows);
    odp_doc_set(&s.d, data, "words", portal_words(p, lang, keys));
    const struct portal_head head = {.page = "status", .title = odp_templates_word(p->templates, "status_title", lang),
                                     .description = odp_templates_word(p->templates, "status_description", lang),
                                     .path = {portal_path(PORTAL_status, ODP_LANG_ID), portal_path(PORTAL_status, ODP_LANG_EN)},
                                     .cls = ODP_CLASS_PUBLIC};
    enum odp_status status;
    if (s.d.failed || head.title == NULL)
        status = odp_failure_set("make", portal_path(PORTAL_status, lang), ENOMEM);
    else
        status = portal_put(p, lang, &head, json_incref(data));
    json_decref(data);
    odp_arena_release(&s.arena);
    return status;
}
