/* index.html: a city or a topic to begin with, figures of the nation, provinces, then the catalogue as cards;
 * home.js filters and sorts what stands there.
 *
 * Datasets stand by the first of their subjects that portal.json has, others last. What is chosen is in the
 * address (?q=&subject=&format=&fresh=&sort=), which opensearch.xml leads to. Freshness is counted from the
 * newest data. */
#include "base/ascii.h"
#include "site/model/news.h"
#include "site/model/places.h"
#include "site/pages/pages_internal.h"

enum { NEWS_SHOWN = 6, NATION_SHOWN = 4 };

struct home {
    struct portal *p;
    json_t *cards, *lists; /* datasets, and code lists apart; in the catalogue's order */
};

/* The name of the first of CARD's subjects that portal.json has now (a dataset may be carried over from a
 * time when it had others), or "~". */
static const char *subject_of(const struct home *h, const json_t *card)
{
    const struct odp_portal *portal = &h->p->catalog->portal;
    const json_t *name;
    size_t i;
    json_array_foreach(json_object_get(card, "subjects"), i,
                       name) for (size_t k = 0; k < portal->nsubjects;
                                  k++) if (json_is_string(name) &&
                                           strcmp(json_string_value(name), portal->subjects[k].name) ==
                                               0) return portal->subjects[k]
        .name;
    return "~";
}

/* Appends the datasets of subject NAME, in the catalogue's order; what they say of it is TITLE. */
static void add_of(struct home *h, json_t *list, const char *name, json_t *title_take)
{
    json_t *card;
    size_t i;
    json_array_foreach(h->cards, i, card) if (strcmp(subject_of(h, card), name) == 0)
    {
        odp_set(card, "topic", json_incref(title_take));
        odp_add(list, json_incref(card));
    }
    json_decref(title_take);
}

/* How many cards have NAME in their list KEY. */
static void add_choice(struct home *h, json_t *choices, const char *key, const char *name, json_t *title_take)
{
    const json_t *card;
    size_t n = 0, i;
    json_array_foreach(h->cards, i, card) n += odp_model_has(json_object_get(card, key), name);
    if (n > 0)
        odp_add(choices,
                json_pack("{s:s, s:O, s:I}", "name", name, "title", title_take, "count", (json_int_t)n));
    json_decref(title_take);
}

/* The theme in small letters: names of icons are. */
static void set_theme(json_t *choice, const char *theme)
{
    char name[8] = "list"; /* none */
    for (size_t i = 0; theme != NULL && i < sizeof name - 1 && (i == 0 || name[i - 1] != '\0'); i++)
        name[i] = odp_lower(theme[i]);
    odp_set_str(choice, "theme", name);
}

static void set_lists(struct home *h, json_t *data)
{
    const struct odp_portal *portal = &h->p->catalog->portal;
    json_t *list = json_array(), *subjects = json_array(), *formats = json_array();
    for (size_t i = 0; i < portal->nsubjects; i++) {
        const struct odp_subject *s = &portal->subjects[i];
        const size_t before = json_array_size(subjects);
        add_of(h, list, s->name, odp_doc_text(&s->title));
        add_choice(h, subjects, "subjects", s->name, odp_doc_text(&s->title));
        if (json_array_size(subjects) > before)
            set_theme(json_array_get(subjects, before), s->theme);
    }
    add_of(h, list, "~", json_string(""));
    for (size_t i = 0; i < ODP_FORMATS; i++)
        add_choice(h, formats, "formats", odp_format_names[i], json_string(odp_format_names[i]));
    odp_set(data, "datasets", list);
    odp_set(data, "subject_choices", subjects);
    odp_set(data, "format_choices", formats);
}

/* ---- news ---- */

/* What changed, counts of nothing left out. */
static json_t *changes_of(const json_t *version, const json_t *entry)
{
    static const char *const counts[] = {"added", "removed", "changed"};
    const json_t *r;
    json_t *list = json_array();
    size_t i;
    json_array_foreach(json_object_get(version, "resources"), i, r)
    {
        const json_t *changes = json_object_get(r, "changes");
        json_t *o = json_pack("{s:o}", "table", odp_model_table(entry, i > 0 ? odp_text_of(r, "name") : ""));
        for (size_t k = 0; k < 3; k++)
            if (odp_model_number(changes, counts[k]) > 0)
                odp_set_number(o, counts[k], odp_model_number(changes, counts[k]));
        if (json_object_size(o) > 1)
            odp_add(list, json_incref(o));
        json_decref(o);
    }
    return list;
}

static json_t *make_news(struct home *h, const struct odp_news *w)
{
    static const char *const words[] = {[ODP_NEWS_VERSION] = "version",
                                        [ODP_NEWS_DEPRECATED] = "deprecated",
                                        [ODP_NEWS_WITHDRAWN] = "withdrawn",
                                        [ODP_NEWS_REMOVED] = "removed"};
    const bool corrected = w->what == ODP_NEWS_VERSION && json_object_get(w->of, "correction") != NULL;
    const char *differences =
        w->version != NULL ? portal_printf(h->p, "data/%s/%s/changes.html", w->slug, w->version) : NULL;
    json_t *changes = changes_of(w->of, w->entry);
    return json_pack("{s:s, s:s, s:o, s:s, s:o, s:b, s:s}", "date", odp_or_empty(w->date), "what",
                     corrected ? "correction" : words[w->what], "title", odp_news_title(h->p->catalog, w),
                     "slug", w->entry != NULL ? w->slug : "", "changes", changes, "has_changes",
                     (int)(json_array_size(changes) > 0), "differences",
                     odp_model_staged(h->p->job, differences));
}

/* How many entries it takes until as many versions are told as are shown. */
static size_t told_until(const struct portal *p)
{
    size_t n = 0;
    for (size_t told = 0; n < p->n && told < NEWS_SHOWN; n++)
        told += *odp_text_of(p->newest[n], "version") != '\0';
    return n;
}

static json_t *list_news(struct home *h)
{
    struct portal *p = h->p;
    struct odp_news_list news = {NULL, 0, NULL};
    json_t *list = json_array();
    if (p->status == ODP_OK)
        p->status = odp_news_gather(&news, p->job, p->newest, told_until(p), NEWS_SHOWN, &p->arena);
    for (size_t i = 0; i < news.n && i < NEWS_SHOWN && p->status == ODP_OK; i++) {
        p->status = odp_news_read(&news, i, p->job);
        odp_add(list, make_news(h, &news.items[i]));
    }
    json_decref(news.versions);
    return list;
}

/* ---- the page ---- */

static void set_figures(struct home *h, json_t *data)
{
    json_int_t records = 0;
    const json_t *card;
    char day[11];
    size_t i;
    json_array_foreach(h->cards, i, card) records +=
        odp_model_number(card, "rows") > 0 ? odp_model_number(card, "rows") : 0;
    odp_set(data, "totals",
            json_pack("{s:I, s:I}", "datasets", (json_int_t)json_array_size(h->cards), "records", records));
    odp_set_str(data, "newest", odp_model_day(portal_last_update(h->p), day));
    odp_set_flag(data, "has_subjects", h->p->catalog->portal.nsubjects > 0);
}

/* Of FIGURES, the one that says most of the country: the first that is no count. The caller's; NULL: none. */
static json_t *make_national(const json_t *figures)
{
    const json_t *highlight;
    size_t i;
    json_array_foreach(json_object_get(figures, "highlights"), i, highlight)
    {
        if (json_is_true(json_object_get(highlight, "is_count")) ||
            json_object_get(highlight, "share") != NULL)
            continue;
        json_t *own = json_copy((json_t *)(uintptr_t)figures);
        odp_set(own, "highlights", json_pack("[O]", highlight));
        return own;
    }
    return NULL;
}

/* Beside the provinces: the map (gambar/peta/) of that of LIST which knows most places. */
static void set_map(struct home *h, json_t *data, const json_t *list)
{
    const char *dir = odp_path(ODP_PATH_image_dir, ODP_LANG_ID);
    const json_t *one;
    json_int_t most = 0;
    size_t i;
    json_array_foreach(list, i, one)
    {
        const json_int_t n =
            odp_model_number(json_object_get(json_object_get(one, "figures"), "ranking"), "n");
        const char *slug = odp_text_of(one, "slug"), *id = portal_printf(h->p, "%speta/%s.svg", dir, slug),
                   *en = portal_printf(h->p, "%speta/%s.en.svg", dir, slug);
        if (n <= most || !odp_model_is_staged(h->p->job, id) || !odp_model_is_staged(h->p->job, en))
            continue;
        most = n;
        odp_set(data, "map",
                json_pack("{s:s, s:O, s:{s:s, s:s}}", "slug", slug, "title", json_object_get(one, "title"),
                          "svg", "id", id, "en", en));
    }
}

/* One figure of a subject, at most four, in the catalogue's order. */
static void set_nation(struct home *h, json_t *data)
{
    const json_t *card;
    json_t *list = json_array(), *seen = json_object();
    size_t i;
    json_array_foreach(h->cards, i, card)
    {
        const char *subject = subject_of(h, card);
        json_t *own = json_array_size(list) < NATION_SHOWN && json_object_get(seen, subject) == NULL
                          ? make_national(json_object_get(card, "figures"))
                          : NULL;
        if (own == NULL)
            continue;
        odp_set(seen, subject, json_true());
        odp_add(list, json_pack("{s:s, s:O, s:o}", "slug", odp_text_of(card, "slug"), "title",
                                json_object_get(card, "title"), "figures", own));
    }
    odp_set_flag(data, "has_nation", json_array_size(list) > 0);
    set_map(h, data, list);
    odp_set(data, "nation", list);
    json_decref(seen);
}

/* The places that lie in no other: provinces. */
static void set_places(struct home *h, json_t *data)
{
    json_t *list = json_array();
    size_t n;
    const struct odp_place *const *places = odp_places_all(h->p->job->places, &n);
    for (size_t i = 0; i < n; i++)
        if (places[i]->depth == 0)
            odp_add(list, json_pack("{s:s, s:O}", "code", places[i]->code, "name", places[i]->name));
    odp_set_number(data, "nplaces", (json_int_t)n);
    odp_set(data, "places", list);
}

void portal_make_home(struct portal *p, enum odp_lang lang)
{
    struct home h = {.p = p, .cards = json_array(), .lists = json_array()};
    const struct odp_portal *portal = &p->catalog->portal;
    const json_t *entry;
    size_t i;
    json_array_foreach(p->job->entries, i, entry)
        odp_add(odp_model_is_list(entry) ? h.lists : h.cards, portal_card(p, entry));
    json_t *data =
        json_pack("{s:o, s:o}", "news", list_news(&h), "words", portal_words(p, "home_js_", NULL, lang));
    set_figures(&h, data);
    set_nation(&h, data);
    set_places(&h, data);
    set_lists(&h, data);
    odp_set_flag(data, "has_lists", json_array_size(h.lists) > 0);
    odp_set(data, "lists", h.lists);
    const char *text = odp_model_in(portal->json, "description", lang),
               *page = portal_printf(p, "%s%s", portal->base_url, lang == ODP_LANG_ID ? "" : "en/");
    json_t *jsonld = odp_metadata_schema_org_catalog(p->metadata, lang, page);
    struct portal_head head = portal_head_of(p, lang, "home", ODP_PATH_home, "home", NULL);
    head.title = odp_text_get(&portal->title, lang);
    head.description = *text != '\0' ? text : NULL;
    head.nav = "home";
    head.jsonld = jsonld;
    if (jsonld == NULL)
        p->status = ODP_FAIL;
    portal_put(p, lang, &head, data);
    json_decref(jsonld);
    json_decref(h.cards);
}
