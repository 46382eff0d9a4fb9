/* index.html: the catalogue as cards, grouped by subject; home.js searches, filters and sorts what stands there.
 *
 * Datasets are grouped by the first of their subjects that portal.json has, others last. home.js moves the
 * very cards into one list while something is chosen; the choice is in the address
 * (?q=&subject=&format=&fresh=&sort=), which opensearch.xml leads to. Freshness is counted from the newest
 * data. */
#include <errno.h>

#include "site/metadata/metadata.h"
#include "site/pages/pages_internal.h"

enum { NEWS_SHOWN = 6 };

struct home {
    struct portal *p;
    enum odp_lang lang;
    struct odp_doc d;
    struct odp_arena arena;
};

static void set(struct home *h, json_t *o, const char *key, const char *text)
{
    h->d.failed = h->d.failed || text == NULL;
    odp_doc_set_str(&h->d, o, key, text != NULL ? text : "");
}

static const char *word(const struct home *h, const char *key)
{
    const char *w = odp_templates_word(h->p->templates, key, h->lang);
    return w != NULL ? w : key;
}

static uint64_t rows_of(const json_t *entry)
{
    json_int_t rows = json_integer_value(json_object_get(entry, "rows"));
    return rows > 0 ? (uint64_t)rows : 0;
}

static bool has_text(const json_t *list, const char *text)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (json_is_string(json_array_get(list, i)) && strcmp(json_string_value(json_array_get(list, i)), text) == 0)
            return true;
    return false;
}

/* The strings of LIST, with a space between them. */
static json_t *joined(const json_t *list)
{
    struct odp_buffer out;
    odp_buffer_init(&out);
    for (size_t i = 0; i < json_array_size(list); i++)
        if (json_is_string(json_array_get(list, i)))
            odp_buffer_printf(&out, "%s%s", out.len > 0 ? " " : "", json_string_value(json_array_get(list, i)));
    json_t *text = odp_buffer_status(&out) == ODP_OK ? json_string(odp_buffer_cstr(&out)) : NULL;
    odp_buffer_release(&out);
    return text;
}

/* ---- cards ------------------------------------------------------------------------------------------------------------------ */

static const char *page_of(struct home *h, const char *slug)
{
    return odp_arena_printf(&h->arena, "%s%s.html", portal_path(PORTAL_dataset_dir, h->lang), slug);
}

static json_t *card(struct home *h, const json_t *entry)
{
    const char *date = portal_text(entry, "last_update");
    const json_t *formats = json_object_get(entry, "formats");
    json_t *o = json_object(), *list = json_array();
    set(h, o, "slug", portal_text(entry, "slug"));
    set(h, o, "title", portal_in(entry, "title", h->lang));
    set(h, o, "text", portal_in(entry, "description", h->lang));
    set(h, o, "href", page_of(h, portal_text(entry, "slug")));
    odp_doc_set(&h->d, o, "subjects", joined(json_object_get(entry, "subjects")));
    set(h, o, "date", date);
    set(h, o, "date_text", portal_date(date, h->lang, &h->arena));
    set(h, o, "rows", portal_number(rows_of(entry), h->lang, &h->arena));
    odp_doc_set(&h->d, o, "beside", portal_rows_beside(entry, h->lang, &h->arena));
    for (size_t i = 0; i < json_array_size(formats); i++)
        if (json_is_string(json_array_get(formats, i)))
            odp_doc_add(&h->d, list, json_string(json_string_value(json_array_get(formats, i))));
    odp_doc_set(&h->d, o, "formats", list);
    odp_doc_set(&h->d, o, "offered", joined(formats));
    odp_doc_set(&h->d, o, "deprecated", json_boolean(strcmp(portal_text(entry, "state"), "deprecated") == 0));
    return o;
}

/* The first of ENTRY's subjects that portal.json has now (a dataset may be carried over from a time when it had others), or NULL. */
static const struct odp_subject *subject_of(const struct home *h, const json_t *entry)
{
    const struct odp_portal *portal = &h->p->catalog->portal;
    const json_t *list = json_object_get(entry, "subjects");
    for (size_t i = 0; i < json_array_size(list); i++)
        for (size_t k = 0; k < portal->nsubjects; k++)
            if (json_is_string(json_array_get(list, i)) && strcmp(json_string_value(json_array_get(list, i)), portal->subjects[k].name) == 0)
                return &portal->subjects[k];
    return NULL;
}

/* The datasets of SUBJECT (NULL: of none) in the catalogue's order; no group where there are none. */
static void add_group(struct home *h, json_t *groups, const struct odp_subject *subject, const char *title)
{
    const json_t *entries = h->p->job->entries;
    json_t *list = json_array();
    for (size_t i = 0; i < json_array_size(entries); i++)
        if (subject_of(h, json_array_get(entries, i)) == subject)
            odp_doc_add(&h->d, list, card(h, json_array_get(entries, i)));
    if (json_array_size(list) == 0) {
        json_decref(list);
        return;
    }
    json_t *o = json_object();
    odp_doc_set(&h->d, o, "id", json_sprintf("bidang-%s", subject != NULL ? subject->name : "~"));
    set(h, o, "title", title);
    odp_doc_set(&h->d, o, "datasets", list);
    odp_doc_add(&h->d, groups, o);
}

static void set_groups(struct home *h, json_t *data)
{
    const struct odp_portal *portal = &h->p->catalog->portal;
    json_t *groups = json_array();
    for (size_t i = 0; i < portal->nsubjects; i++)
        add_group(h, groups, &portal->subjects[i], odp_text_get(&portal->subjects[i].title, h->lang));
    add_group(h, groups, NULL, word(h, portal->nsubjects > 0 ? "home_other_subjects" : "home_all_datasets"));
    odp_doc_set(&h->d, data, "groups", groups);
}

/* ---- what can be chosen ----------------------------------------------------------------------------------------------------- */

/* How many entries have NAME in their list KEY. */
static size_t count(const struct home *h, const char *key, const char *name)
{
    size_t n = 0;
    for (size_t i = 0; i < json_array_size(h->p->job->entries); i++)
        n += has_text(json_object_get(json_array_get(h->p->job->entries, i), key), name);
    return n;
}

static void add_choice(struct home *h, json_t *choices, const char *name, const char *title, size_t n)
{
    if (n == 0)
        return;
    json_t *o = json_object();
    set(h, o, "name", name);
    if (title != NULL)
        set(h, o, "title", title);
    set(h, o, "count", portal_number(n, h->lang, &h->arena));
    odp_doc_add(&h->d, choices, o);
}

static void set_choices(struct home *h, json_t *data)
{
    const struct odp_portal *portal = &h->p->catalog->portal;
    json_t *subjects = json_array(), *offered = json_array();
    for (size_t i = 0; i < portal->nsubjects; i++) {
        const struct odp_subject *s = &portal->subjects[i];
        add_choice(h, subjects, s->name, odp_text_get(&s->title, h->lang), count(h, "subjects", s->name));
    }
    for (size_t i = 0; i < ODP_FORMATS; i++)
        add_choice(h, offered, odp_format_names[i], NULL, count(h, "formats", odp_format_names[i]));
    odp_doc_set(&h->d, data, "subject_choices", subjects);
    odp_doc_set(&h->d, data, "format_choices", offered);
}

/* ---- news ------------------------------------------------------------------------------------------------------------------- */

/* "12 rekaman baru, 3 dihapus"; "" where there is nothing to tell. */
static const char *changes_in(struct home *h, const json_t *changes)
{
    static const char *const keys[] = {"added", "removed", "changed"}, *const words[] = {"home_added", "home_removed", "home_changed"};
    const char *text = "";
    for (size_t k = 0; k < 3 && text != NULL; k++) {
        const json_int_t count = json_integer_value(json_object_get(changes, keys[k]));
        const char *n = count > 0 ? portal_number((uint64_t)count, h->lang, &h->arena) : NULL;
        if (count > 0)
            text = n == NULL ? NULL : odp_arena_printf(&h->arena, "%s%s%s %s", text, *text != '\0' ? ", " : "", n, word(h, words[k]));
    }
    return text;
}

/* Of the main table, then of each further one: "12 rekaman baru; timeline: 5 rekaman baru". */
static const char *changes_of(struct home *h, const json_t *version)
{
    const json_t *resources = json_object_get(version, "resources");
    const char *text = "";
    for (size_t i = 0; i < json_array_size(resources) && text != NULL; i++) {
        const json_t *r = json_array_get(resources, i);
        const char *own = changes_in(h, json_object_get(r, "changes")), *name = i > 0 ? portal_text(r, "name") : "";
        if (own == NULL || *own != '\0')
            text = own == NULL ? NULL
                               : odp_arena_printf(&h->arena, "%s%s%s%s%s", text, *text != '\0' ? "; " : "", name, i > 0 ? ": " : "", own);
    }
    return text;
}

static const char *happened(const struct home *h, const struct portal_news *w)
{
    static const char *const words[] = {[PORTAL_VERSION] = "home_new_version",
                                        [PORTAL_DEPRECATED] = "home_deprecated",
                                        [PORTAL_WITHDRAWN] = "home_withdrawn",
                                        [PORTAL_REMOVED] = "home_removed_dataset"};
    return word(h, w->what == PORTAL_VERSION && json_object_get(w->of, "correction") != NULL ? "home_correction" : words[w->what]);
}

static json_t *make_news(struct home *h, const struct portal_news *w)
{
    const struct odp_dataset *dataset = odp_catalog_find(h->p->catalog, w->slug);
    const char *title = w->entry != NULL ? portal_in(w->entry, "title", h->lang) : dataset != NULL ? odp_text_get(&dataset->title, h->lang) : "";
    json_t *o = json_object();
    set(h, o, "date", w->date != NULL ? w->date : "");
    set(h, o, "date_text", portal_date(w->date != NULL ? w->date : "", h->lang, &h->arena));
    set(h, o, "what", happened(h, w));
    set(h, o, "dataset", *title != '\0' ? title : w->slug);
    if (w->entry != NULL)
        set(h, o, "href", page_of(h, w->slug));
    const char *differences = w->version != NULL ? odp_arena_printf(&h->arena, "data/%s/%s/changes.html", w->slug, w->version) : "";
    h->d.failed = h->d.failed || differences == NULL;
    if (differences != NULL && *differences != '\0' && odp_stage_find(h->p->job->stage, differences) != NULL)
        set(h, o, "differences", differences);
    set(h, o, "counts", changes_of(h, w->of));
    return o;
}

static enum odp_status set_news(struct home *h, json_t *data)
{
    const struct odp_portal_job *job = h->p->job;
    struct portal_news_list news = {NULL, 0, NULL};
    json_t *list = json_array();
    enum odp_status status = portal_news(&news, job->stage, h->p->newest, h->p->n, job->previous, &h->arena, job->diags);
    for (size_t i = 0; status == ODP_OK && i < news.n && i < NEWS_SHOWN; i++)
        odp_doc_add(&h->d, list, make_news(h, &news.items[i]));
    odp_doc_set(&h->d, data, "news", list);
    json_decref(news.versions);
    return status;
}

/* ---- the page --------------------------------------------------------------------------------------------------------------- */

static void set_figures(struct home *h, json_t *data)
{
    uint64_t records = 0;
    const char *date = h->p->n > 0 ? portal_text(h->p->newest[0], "last_update") : "";
    json_t *o = json_object();
    for (size_t i = 0; i < h->p->n; i++)
        records += rows_of(h->p->newest[i]);
    set(h, o, "datasets", portal_number(h->p->n, h->lang, &h->arena));
    set(h, o, "records", portal_number(records, h->lang, &h->arena));
    odp_doc_set(&h->d, data, "figures", o);
    set(h, data, "newest", odp_arena_printf(&h->arena, "%.10s", date));
    set(h, data, "newest_text", portal_date(date, h->lang, &h->arena));
}

static void set_words(struct home *h, json_t *data)
{
    static const char *const keys[] = {"home_js_count", "home_js_all", "home_js_none", "home_js_results", NULL};
    odp_doc_set(&h->d, data, "words", portal_words(h->p, h->lang, keys));
}

enum odp_status portal_make_home(struct portal *p, enum odp_lang lang)
{
    struct home h = {.p = p, .lang = lang};
    json_t *data = json_object(), *jsonld = NULL;
    const struct odp_portal_job *job = p->job;
    const struct odp_metadata_job metadata = {.stage = job->stage, .catalog = job->catalog, .entries = job->entries,
                                              .previous = job->previous, .diags = job->diags};
    odp_arena_init(&h.arena);
    enum odp_status status = lang == ODP_LANG_ID ? portal_search_index(p) : ODP_OK;
    odp_doc_set(&h.d, data, "search", json_incref(json_object_get(p->assets, "search_json")));
    set_figures(&h, data);
    set_choices(&h, data);
    set_groups(&h, data);
    set_words(&h, data);
    if (status == ODP_OK)
        status = set_news(&h, data);
    const char *page = odp_arena_printf(&h.arena, "%s%s", p->catalog->portal.base_url, lang == ODP_LANG_ID ? "" : "en/");
    if (status == ODP_OK && (h.d.failed || page == NULL))
        status = odp_failure_set("make", portal_path(PORTAL_home, lang), ENOMEM);
    if (status == ODP_OK)
        jsonld = odp_metadata_schema_org_catalog(&metadata, lang, page);
    if (status == ODP_OK && jsonld == NULL)
        status = ODP_FAIL;
    const char *title = odp_text_get(&p->catalog->portal.title, lang), *text = portal_in(p->catalog->portal.json, "description", lang);
    const struct portal_head head = {.page = "home", .title = title, .description = *text != '\0' ? text : NULL, .nav = "home", .jsonld = jsonld,
                                     .path = {portal_path(PORTAL_home, ODP_LANG_ID), portal_path(PORTAL_home, ODP_LANG_EN)}, .cls = ODP_CLASS_PUBLIC};
    if (status == ODP_OK)
        status = portal_put(p, lang, &head, json_incref(data));
    json_decref(data);
    json_decref(jsonld);
    odp_arena_release(&h.arena);
    return status;
}
