/* The documentation: prose in templates (docs*.id.html, docs*.en.html), and what is true of this catalogue alone: its tiers, its errors, its events, examples
 * with its data. */
#include "site/pages/docs_internal.h"

#include <errno.h>

#include "base/problem_info.h"

static const struct {
    const char *page, *here, *title, *about;
    enum portal_path path;
} pages[] = {
    {"docs", "docs", "docs_title", "docs_about", PORTAL_docs},
    {"docs-key", "key", "docs_key", "docs_key_about", PORTAL_docs_key},
    {"docs-limits", "limits", "docs_limits", "docs_limits_about", PORTAL_docs_limits},
    {"docs-errors", "errors", "docs_errors", "docs_errors_about", PORTAL_docs_errors},
    {"docs-queries", "queries", "docs_queries", "docs_queries_about", PORTAL_docs_queries},
    {"docs-webhooks", "webhooks", "docs_webhooks", "docs_webhooks_about", PORTAL_docs_webhooks},
    {"docs-libraries", "libraries", "docs_libraries", "docs_libraries_about", PORTAL_docs_libraries},
};

/* ---- tiers ------------------------------------------------------------------------------------------------------------------ */

/* N, or in words that there is no limit. */
static void set_limit(struct docs *d, json_t *o, const char *key, int64_t n)
{
    const char *text = n < 0 ? docs_word(d, "docs_unlimited") : portal_number((uint64_t)n, d->lang, &d->p->arena);
    odp_doc_set_str(&d->doc, o, key, text != NULL ? text : "");
    d->doc.failed = d->doc.failed || text == NULL;
}

static json_t *make_tiers(struct docs *d)
{
    enum { WEBHOOKS_UNSAID = 5 }; /* what the gateway allows where the site says nothing */
    const struct odp_portal *portal = &d->p->catalog->portal;
    json_t *list = json_array();
    for (size_t i = 0; i < portal->ntiers; i++) {
        const struct odp_tier *t = &portal->tiers[i];
        json_t *o = json_object();
        odp_doc_set_str(&d->doc, o, "name", t->name);
        odp_doc_set_str(&d->doc, o, "title", odp_text_is_empty(&t->title) ? t->name : odp_text_get(&t->title, d->lang));
        set_limit(d, o, "daily", t->daily);
        set_limit(d, o, "burst", t->burst);
        set_limit(d, o, "concurrent", t->concurrent);
        set_limit(d, o, "webhooks", t->webhooks == ODP_WEBHOOKS_UNSAID ? WEBHOOKS_UNSAID : t->webhooks);
        const char *price = t->price > 0 ? portal_number((uint64_t)t->price, d->lang, &d->p->arena) : NULL;
        odp_doc_set(&d->doc, o, "price", price != NULL ? json_sprintf("Rp%s", price) : json_string(docs_word(d, "docs_free")));
        odp_doc_set_str(&d->doc, o, "support", odp_text_get(&t->support, d->lang));
        odp_doc_add(&d->doc, list, o);
    }
    return list;
}

/* ---- errors, events --------------------------------------------------------------------------------------------------------- */

static json_t *make_problems(struct docs *d)
{
    json_t *list = json_array();
    for (int i = 0; i < ODP_PROBLEM_COUNT; i++) {
        const struct odp_problem_info *p = odp_problem_info((enum odp_problem)i);
        json_t *o = json_object();
        const char *detail = odp_text_get(&p->words.detail, d->lang);
        odp_doc_set_str(&d->doc, o, "code", p->code);
        odp_doc_set(&d->doc, o, "status", json_sprintf("%d", p->status));
        odp_doc_set_str(&d->doc, o, "title", odp_text_get(&p->words.title, d->lang));
        if (detail != NULL && *detail != '\0')
            odp_doc_set_str(&d->doc, o, "detail", detail);
        odp_doc_add(&d->doc, list, o);
    }
    return list;
}

static enum odp_status set_events(struct docs *d, json_t *data)
{
    json_t *index = NULL, *list = json_array();
    enum odp_status status = portal_read_json(d->p, "v1/events/index.json", &index);
    const json_t *events = json_object_get(index, "data");
    for (size_t i = 0; i < json_array_size(events); i++) {
        const json_t *e = json_array_get(events, i);
        json_t *o = json_object();
        odp_doc_set_str(&d->doc, o, "type", portal_text(e, "type"));
        odp_doc_set_str(&d->doc, o, "title", portal_in(e, "title", d->lang));
        odp_doc_set_str(&d->doc, o, "text", portal_in(e, "description", d->lang));
        odp_doc_set_str(&d->doc, o, "schema", portal_text(e, "schema"));
        odp_doc_add(&d->doc, list, o);
    }
    odp_doc_set(&d->doc, data, "events", list);
    json_decref(index);
    return status;
}

/* ---- requests that need no dataset ------------------------------------------------------------------------------------------ */

static void set_requests(struct docs *d, json_t *data)
{
    const char *base = d->p->catalog->portal.base_url, *name = d->lang == ODP_LANG_ID ? "Nama Anda" : "Your name";
    const char *who = d->lang == ODP_LANG_ID ? "anda" : "you";
    const char *note = d->lang == ODP_LANG_ID ? "percobaan" : "a first try";
    odp_doc_set(&d->doc, data, "register",
                json_sprintf("curl --fail-with-body --silent --show-error \\\n  --header 'Content-Type: application/json' \\\n"
                             "  --data '{\"name\": \"%s\", \"email\": \"%s@example.org\"}' \\\n  '%sauth/register'",
                             name, who, base));
    odp_doc_set(&d->doc, data, "me",
                json_sprintf("curl --fail-with-body --silent --show-error \\\n  --header \"Authorization: Bearer $ODP_KEY\" \\\n  '%sauth/key'", base));
    odp_doc_set(&d->doc, data, "index", json_sprintf("curl --fail-with-body --silent --show-error '%sv1/index.json'", base));
    odp_doc_set(&d->doc, data, "subscribe",
                json_sprintf("curl --fail-with-body --silent --show-error \\\n  --header \"Authorization: Bearer $ODP_KEY\" \\\n"
                             "  --header 'Content-Type: application/json' \\\n  --data '{\n    \"url\": \"https://hooks.example.org/odp\",\n"
                             "    \"events\": [\"dataset.version.published\", \"dataset.corrected\"],\n    \"description\": \"%s\"\n  }' \\\n  '%sv1/webhooks'",
                             note, base));
}

/* ---- pages ------------------------------------------------------------------------------------------------------------------ */

static json_t *here(struct docs *d, const char *which)
{
    json_t *o = json_object();
    odp_doc_set(&d->doc, o, which, json_true());
    return o;
}

/* The page TEMPLATE at PATH with DATA (taken) and what depends on the page's address. */
static enum odp_status put(struct docs *d, const struct portal_head *page, enum portal_path path, const char *which, const json_t *library, json_t *data_take)
{
    struct portal_head head = *page;
    head.nav = "docs";
    for (int lang = 0; lang < ODP_LANGS; lang++)
        head.path[lang] = portal_path(path, (enum odp_lang)lang);
    d->root = portal_root(head.path[d->lang], &d->p->arena);
    d->doc.failed = d->doc.failed || d->root == NULL || data_take == NULL;
    if (!d->doc.failed) {
        odp_doc_set(&d->doc, data_take, "here", here(d, which));
        docs_libraries(d, data_take, library != NULL ? portal_text(library, "language") : NULL);
    }
    if (!d->doc.failed && library != NULL)
        docs_library(d, data_take, library);
    if (!d->doc.failed)
        return portal_put(d->p, d->lang, &head, data_take);
    json_decref(data_take);
    return odp_failure_set("make", head.path[d->lang], ENOMEM);
}

static enum odp_status put_library(struct docs *d, const json_t *library, const json_t *all)
{
    const char *label = portal_text(library, "label");
    const char *title = odp_arena_printf(&d->p->arena, "%s %s", docs_word(d, "docs_library"), label);
    const char *about = odp_arena_printf(&d->p->arena, "%s %s", docs_word(d, "docs_library_about"), label);
    const struct portal_head head = {.page = "docs-library", .title = title, .description = about};
    if (title == NULL || about == NULL)
        return ODP_FAIL;
    return put(d, &head, docs_library_path(portal_text(library, "language")), "library", library, json_copy((json_t *)all));
}

enum odp_status portal_make_docs(struct portal *p, enum odp_lang lang)
{
    struct docs d = {.p = p, .lang = lang, .root = "", .libraries = json_object_get(p->clients, "languages")};
    json_t *all = json_object();
    odp_doc_set(&d.doc, all, "tiers", make_tiers(&d));
    odp_doc_set_str(&d.doc, all, "zone", p->catalog->portal.time_zone);
    odp_doc_set(&d.doc, all, "problems", make_problems(&d));
    set_requests(&d, all);
    enum odp_status status = set_events(&d, all);
    if (status == ODP_OK)
        status = docs_sample(&d, all);
    for (size_t i = 0; i < sizeof pages / sizeof *pages && status == ODP_OK; i++) {
        const struct portal_head head = {.page = pages[i].page, .title = docs_word(&d, pages[i].title), .description = docs_word(&d, pages[i].about)};
        status = put(&d, &head, pages[i].path, pages[i].here, NULL, json_copy(all));
    }
    for (size_t i = 0; i < json_array_size(d.libraries) && status == ODP_OK; i++)
        status = put_library(&d, json_array_get(d.libraries, i), all);
    json_decref(all);
    return status;
}
