/* Registering for a key, and looking at one's own: forms that the service answers by itself (tools/odp-gateway), and the words of the scripts that make them
 * pleasanter. */
#include "site/pages/pages_internal.h"

#include <errno.h>

static json_t *make_words(const struct portal *p, enum odp_lang lang)
{
    static const char *const keys[] = {
        "key_js_form", "key_js_network", "key_js_busy", "key_js_required", "key_js_email", "key_js_tier", "key_js_state", "key_js_used",
        "key_js_left", "key_js_unlimited", "key_js_reset", "key_js_created", "key_js_expires", "key_js_usage", "key_js_usage_text",
        "key_js_usage_none", "key_js_table", "key_js_day", "key_js_requests", "key_js_rotate", "key_js_rotate_text", "key_js_revoke",
        "key_js_revoke_text", "key_js_revoke_sure", "key_js_cancel", "key_js_revoked", "key_js_forget", "key_js_made_title",
        "key_js_made_once", "key_js_old_until", "key_js_copy", "key_js_copied", "key_js_state_active",
        "key_js_state_rotated", "key_js_state_suspended", "key_js_state_expired", "key_js_state_revoked", NULL};
    return portal_words(p, lang, keys);
}

/* What the tiers are called: "tier_public" and so on. */
static void set_tiers(struct odp_doc *d, struct portal *p, enum odp_lang lang, json_t *words)
{
    const struct odp_portal *portal = &p->catalog->portal;
    for (size_t i = 0; i < portal->ntiers && words != NULL; i++) {
        const struct odp_tier *t = &portal->tiers[i];
        const char *key = odp_arena_printf(&p->arena, "tier_%s", t->name);
        if (key == NULL)
            d->failed = true;
        else
            odp_doc_set_str(d, words, key, odp_text_is_empty(&t->title) ? t->name : odp_text_get(&t->title, lang));
    }
}

/* The request that is shown with a new key: of the first dataset. */
static void set_first(struct odp_doc *d, const struct portal *p, json_t *data)
{
    const char *slug = portal_text(json_array_get(p->job->entries, 0), "slug");
    if (*slug == '\0')
        return;
    json_t *examples = portal_examples(p, slug, NULL);
    if (examples == NULL)
        d->failed = true;
    else
        odp_doc_set_str(d, data, "first", portal_text(json_array_get(examples, 0), "code"));
    json_decref(examples);
}

static enum odp_status put(struct portal *p, enum odp_lang lang, const char *page, enum portal_path path, const char *title, const char *about)
{
    struct odp_doc d = {0};
    json_t *data = json_object();
    const struct portal_head head = {.page = page,
                                     .title = odp_templates_word(p->templates, title, lang),
                                     .description = odp_templates_word(p->templates, about, lang),
                                     .path = {portal_path(path, ODP_LANG_ID), portal_path(path, ODP_LANG_EN)},
                                     .nav = "key"};
    json_t *words = make_words(p, lang);
    set_tiers(&d, p, lang, words);
    odp_doc_set(&d, data, "words", words);
    odp_doc_set_str(&d, data, "explorer", portal_path(PORTAL_explorer, lang));
    set_first(&d, p, data);
    if (!d.failed)
        return portal_put(p, lang, &head, data);
    json_decref(data);
    return odp_failure_set("make", head.path[lang], ENOMEM);
}

enum odp_status portal_make_key(struct portal *p, enum odp_lang lang)
{
    enum odp_status status = put(p, lang, "register", PORTAL_register, "key_register_title", "key_register_about");
    return status == ODP_OK ? put(p, lang, "key", PORTAL_key, "key_title", "key_about") : status;
}
