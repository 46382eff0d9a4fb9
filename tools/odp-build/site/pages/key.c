/* Registering for a key, and looking at one's own: forms that the service answers by itself
 * (tools/odp-gateway), and the words of the scripts that make them pleasanter. */
#include "site/pages/pages_internal.h"

#include <errno.h>

/* What the tiers are called, too: "tier_public" and so on. */
static json_t *make_words(struct odp_doc *d, const struct portal *p, enum odp_lang lang)
{
    const struct odp_portal *portal = &p->catalog->portal;
    json_t *words = json_object();
    d->failed = portal_words(p, "key_js_", lang, words) != ODP_OK || d->failed;
    for (size_t i = 0; i < portal->ntiers; i++) {
        const struct odp_tier *t = &portal->tiers[i];
        json_t *key = json_sprintf("tier_%s", t->name);
        odp_doc_set_str(d, words, key != NULL ? json_string_value(key) : "",
                        odp_text_is_empty(&t->title) ? t->name : odp_text_get(&t->title, lang));
        json_decref(key);
    }
    return words;
}

static enum odp_status put(struct portal *p, enum odp_lang lang, const char *page, enum odp_path path,
                           const char *title, const char *about)
{
    struct odp_doc d = {0};
    const char *slug = odp_model_text(json_array_get(p->job->entries, 0), "slug");
    json_t *data = json_object();
    const struct portal_head head = {.page = page,
                                     .title = portal_word(p, title, lang),
                                     .description = portal_word(p, about, lang),
                                     .path = {odp_path(path, ODP_LANG_ID), odp_path(path, ODP_LANG_EN)},
                                     .nav = "key"};
    odp_doc_set(&d, data, "words", make_words(&d, p, lang));
    if (*slug != '\0') /* the request that is shown with a new key: of the first dataset */
        odp_doc_set(&d, data, "first", json_pack("{s:s}", "path", slug));
    if (!d.failed)
        return portal_put(p, lang, &head, data);
    json_decref(data);
    return odp_failure_set("make", head.path[lang], ENOMEM);
}

enum odp_status portal_make_key(struct portal *p, enum odp_lang lang)
{
    enum odp_status status =
        put(p, lang, "register", ODP_PATH_register, "key_register_title", "key_register_about");
    return status == ODP_OK ? put(p, lang, "key", ODP_PATH_key, "key_title", "key_about") : status;
}
