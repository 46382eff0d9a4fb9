/* About, privacy, terms, and 404.html: prose, with what portal.json says of quotas.
 *
 * 404.html is sent at addresses of any depth, so nothing in it may be relative to its own: its root is the path of baseUrl ("/", "/data/"). A
 * site that is looked at under another path has a 404 page whose links lead to that one; every other page works anywhere. */
#include <errno.h>

#include "site/pages/pages_internal.h"

enum { FREQUENT = 5 };

struct plain {
    struct portal *p;
    enum odp_lang lang;
    struct odp_doc d;
    struct odp_arena arena;
};

static void set(struct plain *s, json_t *o, const char *key, const char *text)
{
    s->d.failed = s->d.failed || text == NULL;
    odp_doc_set_str(&s->d, o, key, text != NULL ? text : "");
}

static const char *number(struct plain *s, int64_t n)
{
    return portal_number(n > 0 ? (uint64_t)n : 0, s->lang, &s->arena);
}

static json_t *make_tiers(struct plain *s)
{
    const struct odp_portal *portal = &s->p->catalog->portal;
    json_t *list = json_array();
    for (size_t i = 0; i < portal->ntiers; i++) {
        const struct odp_tier *t = &portal->tiers[i];
        json_t *o = json_object();
        set(s, o, "title", odp_text_is_empty(&t->title) ? t->name : odp_text_get(&t->title, s->lang));
        if (t->daily >= 0)
            set(s, o, "daily", number(s, t->daily));
        set(s, o, "burst", number(s, t->burst));
        set(s, o, "concurrent", number(s, t->concurrent));
        set(s, o, "support", odp_text_get(&t->support, s->lang));
        odp_doc_add(&s->d, list, o);
    }
    return list;
}

static json_t *make_data(struct plain *s)
{
    json_t *data = json_object(), *newest = json_array();
    odp_doc_set(&s->d, data, "tiers", make_tiers(s));
    set(s, data, "time_zone", s->p->catalog->portal.time_zone);
    for (size_t i = 0; i < s->p->n && i < FREQUENT; i++) {
        json_t *o = json_object();
        set(s, o, "title", portal_in(s->p->newest[i], "title", s->lang));
        set(s, o, "href", odp_arena_printf(&s->arena, "%s%s.html", portal_path(PORTAL_dataset_dir, s->lang), portal_text(s->p->newest[i], "slug")));
        odp_doc_add(&s->d, newest, o);
    }
    odp_doc_set(&s->d, data, "frequent", newest);
    return data;
}

/* "/data/" of "https://example.go.id/data/". */
static const char *path_of_base(const struct portal *p)
{
    const char *host = strstr(p->catalog->portal.base_url, "://");
    const char *path = host != NULL ? strchr(host + 3, '/') : NULL;
    return path != NULL ? path : "/";
}

enum odp_status portal_make_plain(struct portal *p, enum odp_lang lang)
{
    static const struct {
        const char *page, *title, *description;
        enum portal_path path;
        bool anywhere;
    } pages[] = {{"about", "plain_about", "plain_about_description", PORTAL_about, false},
                 {"privacy", "plain_privacy", "plain_privacy_description", PORTAL_privacy, false},
                 {"terms", "plain_terms", "plain_terms_description", PORTAL_terms, false},
                 {"not-found", "plain_not_found", NULL, PORTAL_not_found, true}};
    struct plain s = {.p = p, .lang = lang};
    odp_arena_init(&s.arena);
    json_t *data = make_data(&s);
    enum odp_status status = s.d.failed ? odp_failure_set("make", portal_path(PORTAL_about, lang), ENOMEM) : ODP_OK;
    for (size_t i = 0; i < sizeof pages / sizeof *pages && status == ODP_OK; i++) {
        const char *title = odp_templates_word(p->templates, pages[i].title, lang);
        const char *description = pages[i].description != NULL ? odp_templates_word(p->templates, pages[i].description, lang) : NULL;
        const struct portal_head head = {.page = pages[i].page, .title = title != NULL ? title : "", .description = description,
                                         .path = {portal_path(pages[i].path, ODP_LANG_ID), portal_path(pages[i].path, ODP_LANG_EN)},
                                         .cls = ODP_CLASS_PUBLIC, .root = pages[i].anywhere ? path_of_base(p) : NULL, .noindex = pages[i].anywhere};
        status = portal_put(p, lang, &head, json_incref(data));
    }
    json_decref(data);
    odp_arena_release(&s.arena);
    return status;
}
