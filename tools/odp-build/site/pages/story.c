/* katalog/<slug>/perubahan.html, en/catalog/<slug>/changes.html: what became of a dataset from version to
 * version, if more than one is published (site/model/story.c). */
#include "site/pages/pages_internal.h"

void portal_put_story(struct portal *p, const json_t *entry, json_t *data)
{
    json_t *tables = NULL;
    const char *slug = odp_text_of(entry, "slug");
    const char *const path[] = {odp_path_story(slug, ODP_LANG_ID, &p->arena),
                                odp_path_story(slug, ODP_LANG_EN, &p->arena)};
    if (p->status == ODP_OK)
        p->status = odp_model_story(p->job, entry, data, &tables);
    odp_set(json_object_get(data, "versions"), "story",
            json_pack("{s:s, s:s}", "id", tables != NULL ? path[ODP_LANG_ID] : "", "en",
                      tables != NULL ? path[ODP_LANG_EN] : ""));
    for (int lang = 0; lang < ODP_LANGS && tables != NULL; lang++) {
        const char *title = odp_model_in(entry, "title", (enum odp_lang)lang);
        const struct portal_head head = {
            .page = "story",
            .title = portal_printf(p, "%s: %s", title, portal_word(p, "story_title", (enum odp_lang)lang)),
            .description = portal_word(p, "story_about", (enum odp_lang)lang),
            .path = {path[ODP_LANG_ID], path[ODP_LANG_EN]},
            .dataset = slug};
        portal_put(p, (enum odp_lang)lang, &head,
                   json_pack("{s:s, s:s, s:b, s:O}", "slug", slug, "dataset", title, "several",
                             (int)(json_array_size(tables) > 1), "tables", tables));
    }
    json_decref(tables);
}
