/* The tiers of the API, as pages about keys and limits list them. */
#include "site/pages/pages_internal.h"

json_t *portal_tiers(const struct portal *p, struct odp_doc *d)
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
        for (size_t k = 0; k < sizeof limits / sizeof *limits; k++)
            if (limits[k].n >= 0)
                odp_doc_set(d, o, limits[k].key, json_integer(limits[k].n));
        odp_doc_add(d, list, o);
    }
    return list;
}
