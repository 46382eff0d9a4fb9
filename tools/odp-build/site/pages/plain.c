/* About, privacy, terms, and 404.html: prose, with what portal.json says of quotas.
 *
 * 404.html is sent at addresses of any depth, so nothing in it may be relative to its own: its root is the
 * path of baseUrl ("/", "/data/"). A site that is looked at under another path has a 404 page whose links
 * lead to that one; every other page works anywhere. */
#include <errno.h>

#include "site/pages/pages_internal.h"

enum { FREQUENT = 5 };

static json_t *make_data(const struct portal *p, struct odp_doc *d)
{
    json_t *data = json_object(), *newest = json_array();
    odp_doc_set(d, data, "tiers", portal_tiers(p, d));
    odp_doc_set_str(d, data, "time_zone", p->catalog->portal.time_zone);
    for (size_t i = 0; i < p->n && i < FREQUENT; i++)
        odp_doc_add(d, newest, portal_card(p, p->newest[i]));
    odp_doc_set(d, data, "frequent", newest);
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
        enum odp_path path;
        bool anywhere;
    } pages[] = {{"about", "plain_about", "plain_about_description", ODP_PATH_about, false},
                 {"privacy", "plain_privacy", "plain_privacy_description", ODP_PATH_privacy, false},
                 {"terms", "plain_terms", "plain_terms_description", ODP_PATH_terms, false},
                 {"not-found", "plain_not_found", NULL, ODP_PATH_not_found, true}};
    struct odp_doc d = {0};
    json_t *data = make_data(p, &d);
    enum odp_status status =
        d.failed ? odp_failure_set("make", odp_path(ODP_PATH_about, lang), ENOMEM) : ODP_OK;
    for (size_t i = 0; i < sizeof pages / sizeof *pages && status == ODP_OK; i++) {
        const struct portal_head head = {
            .page = pages[i].page,
            .title = portal_word(p, pages[i].title, lang),
            .description = pages[i].description != NULL ? portal_word(p, pages[i].description, lang) : NULL,
            .path = {odp_path(pages[i].path, ODP_LANG_ID), odp_path(pages[i].path, ODP_LANG_EN)},
            .cls = ODP_CLASS_PUBLIC,
            .root = pages[i].anywhere ? path_of_base(p) : NULL,
            .noindex = pages[i].anywhere};
        status = portal_put(p, lang, &head, json_incref(data));
    }
    json_decref(data);
    return status;
}
