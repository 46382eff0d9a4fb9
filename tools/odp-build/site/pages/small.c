/* Pages that are a template with a list or two: releases, status, keys, prose, the frame of the service's
 * answers; and what several pages say: cards of datasets, tiers. */
#include "site/pages/pages_internal.h"

#include "catalog/frequency.h"

/* ---- what several pages say ---- */

/* A list of strings, or none. */
static json_t *texts(const json_t *list)
{
    return json_is_array(list) ? json_deep_copy(list) : json_array();
}

json_t *portal_figures(const struct portal *p, const char *slug, size_t index)
{
    json_t *facts = json_array_get(json_object_get(p->figures, slug), index);
    return json_is_object(facts) ? facts : NULL;
}

static json_t *make_card(struct portal *p, const json_t *entry)
{
    const char *slug = odp_text_of(entry, "slug"), *date = odp_text_of(entry, "last_update"),
               *frequency = odp_text_of(entry, "frequency"), *version = odp_text_of(entry, "version"),
               *format, *differences = portal_printf(p, "data/%s/%s/changes.html", slug, version),
               *all = portal_printf(p, "data/%s/versions.json", slug);
    char until[ODP_DATETIME_SIZE];
    const char *due = odp_frequency_due(date, frequency, until) ? until : NULL;
    json_t *url, *downloads = json_array();
    json_object_foreach(json_object_get(entry, "download"), format, url) odp_add(
        downloads, json_pack("{s:s, s:s}", "format", format, "path", odp_model_path(json_string_value(url))));
    return json_pack(
        "{s:s, s:s, s:s, s:s, s:o, s:o, s:I, s:o, s:o, s:o, s:b, s:b, s:o, s:s*, s:s*, s:s*, s:O*}", "slug",
        slug, "version", version, "date", date, "frequency", odp_frequency_known(frequency), "title",
        odp_model_both(entry, "title"), "text", odp_model_both(entry, "description"), "rows",
        odp_model_number(entry, "rows"), "beside", odp_model_beside(entry), "formats",
        texts(json_object_get(entry, "formats")), "subjects", texts(json_object_get(entry, "subjects")),
        "is_draft", (int)json_is_true(json_object_get(entry, "draft")), "deprecated",
        (int)(strcmp(odp_text_of(entry, "state"), "deprecated") == 0), "downloads", downloads, "due", due,
        "differences", odp_model_is_staged(p->job, differences) ? differences : NULL, "all",
        odp_model_is_staged(p->job, all) ? all : NULL, "figures", portal_figures(p, slug, 0));
}

json_t *portal_card(struct portal *p, const json_t *entry)
{
    const char *slug = odp_text_of(entry, "slug");
    if (json_object_get(p->cards, slug) == NULL)
        odp_set(p->cards, slug, make_card(p, entry));
    return json_incref(json_object_get(p->cards, slug));
}

json_t *portal_tiers(const struct portal *p)
{
    enum { WEBHOOKS_UNSAID = 5 }; /* what the gateway allows where the site says nothing */
    const struct odp_portal *portal = &p->catalog->portal;
    json_t *list = json_array();
    for (size_t i = 0; i < portal->ntiers; i++) {
        const struct odp_tier *t = &portal->tiers[i];
        const struct {
            const char *key;
            int64_t n;
        } limits[] = {{"daily", t->daily},
                      {"burst", t->burst},
                      {"concurrent", t->concurrent},
                      {"price", t->price > 0 ? t->price : -1},
                      {"webhooks", t->webhooks == ODP_WEBHOOKS_UNSAID ? WEBHOOKS_UNSAID : t->webhooks}};
        json_t *o = json_pack("{s:s, s:o, s:o}", "name", t->name, "title",
                              odp_text_is_empty(&t->title) ? json_string(t->name) : odp_doc_text(&t->title),
                              "support", odp_doc_text(&t->support));
        for (size_t k = 0; k < ODP_COUNT(limits); k++)
            if (limits[k].n >= 0)
                odp_set_number(o, limits[k].key, limits[k].n);
        odp_add(list, o);
    }
    return list;
}

/* ---- rilis.html: what is about to go, the releases of the API, the newest version of each dataset ---- */

/* Of what goes: the entry, or what it lists. feed.xml's ids are addresses in the page (#rilis-2.5.0): they
 * never change. */
static void add_leaving(json_t *list, const json_t *entry)
{
    static const struct {
        const char *kind, *in, *name, *sunset,
            *heir; /* in: the member that lists them; NULL: the entry itself */
    } kinds[] = {{"dataset", NULL, "slug", "odp:sunset", "odp:replacedBy"},
                 {"table", "resources", "name", "odp:sunset", "odp:replacedBy"},
                 {"field", "deprecated_fields", "field", "sunset", "replacedBy"},
                 {"address", "odp:formerSlugs", "slug", "sunset", NULL}};
    const bool deprecated = strcmp(odp_text_of(entry, "state"), "deprecated") == 0;
    const char *slug = odp_text_of(entry, "slug");
    for (size_t i = 0; i < ODP_COUNT(kinds); i++) {
        json_t *of = kinds[i].in != NULL ? json_incref(json_object_get(entry, kinds[i].in))
                                         : json_pack("[O]", entry),
               *one;
        size_t k;
        json_array_foreach(of, k, one)
        {
            const char *sunset = odp_text_of(one, kinds[i].sunset);
            if ((i == 0 && !deprecated) || (i == 1 && *sunset == '\0'))
                continue;
            odp_add(list,
                    json_pack("{s:s, s:b, s:s, s:o, s:s, s:s, s:s}", "kind", kinds[i].kind, "is_address",
                              (int)(kinds[i].heir == NULL), "name", odp_text_of(one, kinds[i].name), "title",
                              odp_model_both(entry, "title"), "slug", slug, "sunset", sunset, "heir",
                              kinds[i].heir != NULL ? odp_text_of(one, kinds[i].heir) : slug));
        }
        json_decref(of);
    }
}

static json_t *make_releases(const struct odp_catalog *c)
{
    json_t *list = json_array();
    for (size_t i = 0; i < c->nreleases; i++) {
        json_t *changes = json_array();
        for (size_t k = 0; k < c->releases[i].nchanges; k++)
            odp_add(changes, odp_doc_text(&c->releases[i].changes[k]));
        odp_add(list, json_pack("{s:s, s:s, s:o}", "version", c->releases[i].version, "date",
                                c->releases[i].date, "changes", changes));
    }
    return list;
}

void portal_make_releases(struct portal *p, enum odp_lang lang)
{
    struct portal_head head =
        portal_head_of(p, lang, "releases", ODP_PATH_releases, "releases_title", "releases_description");
    json_t *leaving = json_array(), *versions = json_array();
    head.nav = "releases";
    for (size_t i = 0; i < p->n; i++) {
        add_leaving(leaving, p->newest[i]);
        odp_add(versions, portal_card(p, p->newest[i]));
    }
    portal_put(p, lang, &head,
               json_pack("{s:b, s:o, s:b, s:o, s:b, s:o}", "any_leaving", (int)(json_array_size(leaving) > 0),
                         "leaving", leaving, "any_releases", (int)(p->catalog->nreleases > 0), "releases",
                         make_releases(p->catalog), "any_versions", (int)(p->n > 0), "versions", versions));
}

/* ---- status.html: how fresh each dataset is ---- */

/* A build has no clock: what is late, and whether the service answers, status.js finds out at the reader's.
 * The next day of a dataset is its last update and its frequency (EU vocabulary); what has no interval has
 * none. */
void portal_make_status(struct portal *p, enum odp_lang lang)
{
    const struct portal_head head =
        portal_head_of(p, lang, "status", ODP_PATH_status, "status_title", "status_description");
    const json_t *entry;
    json_t *rows = json_array();
    size_t i;
    json_array_foreach(p->job->entries, i, entry) if (!odp_model_is_list(entry))
        odp_add(rows, portal_card(p, entry));
    portal_put(p, lang, &head,
               json_pack("{s:b, s:o, s:o}", "any_datasets", (int)(json_array_size(rows) > 0), "datasets",
                         rows, "words", portal_words(p, "status_js_", NULL, lang)));
}

/* ---- registering for a key, and looking at one's own ---- */

/* Forms that the service answers by itself (tools/odp-gateway), and the words of the scripts that make them
 * pleasanter; what the tiers are called, too: "tier_public" and so on. */
void portal_make_key(struct portal *p, enum odp_lang lang)
{
    static const struct {
        const char *page, *title, *about;
        enum odp_path path;
    } pages[] = {{"register", "key_register_title", "key_register_about", ODP_PATH_register},
                 {"key", "key_title", "key_about", ODP_PATH_key}};
    const struct odp_portal *portal = &p->catalog->portal;
    const char *slug = odp_text_of(json_array_get(p->job->entries, 0), "slug");
    json_t *words = portal_words(p, "key_js_", NULL, lang), *data = json_pack("{s:o}", "words", words);
    for (size_t i = 0; i < portal->ntiers; i++) {
        const struct odp_tier *t = &portal->tiers[i];
        odp_set_str(words, portal_printf(p, "tier_%s", t->name),
                    odp_text_is_empty(&t->title) ? t->name : odp_text_get(&t->title, lang));
    }
    if (*slug != '\0') /* the request that is shown with a new key: of the first dataset */
        odp_set(data, "first", json_pack("{s:s}", "path", slug));
    for (size_t i = 0; i < 2; i++) {
        struct portal_head head =
            portal_head_of(p, lang, pages[i].page, pages[i].path, pages[i].title, pages[i].about);
        head.nav = "key";
        portal_put_page(p, lang, &head, json_incref(data));
    }
    json_decref(data);
}

/* ---- about, privacy, terms, and 404.html: prose, with what portal.json says of quotas ---- */

/* "/data/" of "https://example.go.id/data/". */
static const char *path_of_base(const struct portal *p)
{
    const char *host = strstr(p->catalog->portal.base_url, "://");
    const char *path = host != NULL ? strchr(host + 3, '/') : NULL;
    return path != NULL ? path : "/";
}

/* 404.html is sent at addresses of any depth, so nothing in it may be relative to its own: its root is the
 * path of baseUrl ("/", "/data/"). A site that is looked at under another path has a 404 page whose links
 * lead to that one; every other page works anywhere. */
void portal_make_plain(struct portal *p, enum odp_lang lang)
{
    enum { FREQUENT = 5 };
    static const struct {
        const char *page, *title, *description;
        enum odp_path path;
    } pages[] = {{"about", "plain_about", "plain_about_description", ODP_PATH_about},
                 {"privacy", "plain_privacy", "plain_privacy_description", ODP_PATH_privacy},
                 {"terms", "plain_terms", "plain_terms_description", ODP_PATH_terms},
                 {"components", "plain_components", NULL, ODP_PATH_components},
                 {"not-found", "plain_not_found", NULL, ODP_PATH_not_found}};
    const char *zone = p->catalog->portal.time_zone;
    json_t *newest = json_array(), *none = json_array();
    for (size_t i = 0; i < p->n && json_array_size(newest) < FREQUENT; i++)
        if (!odp_model_is_list(p->newest[i]))
            odp_add(newest, portal_card(p, p->newest[i]));
    for (size_t i = 0; i < ODP_COUNT(pages); i++) {
        struct portal_head head =
            portal_head_of(p, lang, pages[i].page, pages[i].path, pages[i].title, pages[i].description);
        head.noindex = pages[i].path == ODP_PATH_not_found || pages[i].path == ODP_PATH_components;
        head.root = pages[i].path == ODP_PATH_not_found ? path_of_base(p) : NULL;
        portal_put_page(p, lang, &head,
                        json_pack("{s:o, s:s, s:O}", "tiers", portal_tiers(p), "time_zone",
                                  zone != NULL ? zone : "", "frequent", head.noindex ? newest : none));
    }
    json_decref(newest);
    json_decref(none);
}

/* ---- service/page.id.html, service/page.en.html ---- */

/* The frame into which the gateway's service puts what it answers to forms. It fills in @TITLE@, @CONTENT@
 * and
 * @ROOT@ (the way to the site's root from the address that was asked for). Internal files: no server sends
 * them. Their switch of languages leads to the other home page. */
void portal_make_service(struct portal *p, enum odp_lang lang)
{
    const struct portal_head head = {
        .page = "service",
        .title = "@TITLE@",
        .root = "@ROOT@",
        .noindex = true,
        .nav = "key",
        .cls = ODP_CLASS_INTERNAL,
        .path = {odp_path(ODP_PATH_service, ODP_LANG_ID), odp_path(ODP_PATH_service, ODP_LANG_EN)}};
    portal_put_page(p, lang, &head, json_pack("{s:s}", "content", "@CONTENT@"));
}
