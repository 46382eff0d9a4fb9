/* gateway.json: the portal's name, time zone, tiers, datasets and how often these are told of, for the gateway that serves the
 * site. It is read when the gateway starts and when the site is switched, so an operator changes a tier by publishing.
 *
 * "odp" is the number of its layout. "webhooks" of a tier is a number, null for any number; not there: the
 * catalogue says nothing, and the gateway has its own default. "notify_every": by slug, seconds between two
 * notices of a dataset. */
#include "site/versions/gateway.h"

#include "site/versions/release.h"

#define LAYOUT "1" /* of this file; members are only ever added within one */

static json_t *make_tiers(struct odp_doc *d, const struct odp_portal *portal)
{
    json_t *tiers = json_array();
    for (size_t i = 0; i < portal->ntiers; i++) {
        const struct odp_tier *t = &portal->tiers[i];
        json_t *o = json_object();
        odp_doc_set_str(d, o, "name", t->name);
        odp_doc_set(d, o, "title", odp_doc_text(&t->title));
        odp_doc_set(d, o, "support", odp_doc_text(&t->support));
        odp_doc_set(d, o, "daily", t->daily >= 0 ? json_integer(t->daily) : json_null());
        odp_doc_set(d, o, "burst", json_integer(t->burst));
        odp_doc_set(d, o, "concurrent", json_integer(t->concurrent));
        odp_doc_set(d, o, "price", json_integer(t->price));
        if (t->webhooks != ODP_WEBHOOKS_UNSAID)
            odp_doc_set(d, o, "webhooks", t->webhooks != ODP_WEBHOOKS_ANY ? json_integer(t->webhooks) : json_null());
        odp_doc_add(d, tiers, o);
    }
    return tiers;
}

/* Of what is published, in the catalogue's order: SLUGS, and in NOTIFY how many seconds lie between two notices
 * (odp:notifyEvery), where it says so. */
static void list_datasets(struct odp_doc *d, const struct odp_stage *s, const struct odp_catalog *c, json_t *slugs,
                          json_t *notify, struct odp_arena *a)
{
    for (size_t i = 0; i < c->ndatasets; i++) {
        const struct odp_dataset *ds = &c->datasets[i];
        const char *path = odp_arena_printf(a, "v1/%s.json", ds->slug);
        if (odp_stage_find(s, path) == NULL)
            continue;
        odp_doc_add(d, slugs, json_string(ds->slug));
        if (ds->notify_every > 0)
            odp_doc_set(d, notify, ds->slug, json_integer(ds->notify_every));
    }
}

static json_t *make_document(struct odp_doc *d, const struct odp_stage *s, const struct odp_catalog *c, struct odp_arena *a)
{
    const struct odp_portal *portal = &c->portal;
    const json_t *languages = json_object_get(portal->json, "languages"), *contact = json_object_get(portal->json, "contact");
    const char *zone = portal->time_zone != NULL ? portal->time_zone : "UTC";
    int16_t minutes = 0;
    (void)odp_zone_offset(zone, &minutes); /* the catalogue has refused a zone that is not known */
    json_t *o = json_object(), *slugs = json_array(), *notify = json_object();
    list_datasets(d, s, c, slugs, notify, a);
    odp_doc_set_str(d, o, "odp", LAYOUT);
    odp_doc_set(d, o, "title", odp_doc_text(&portal->title));
    odp_doc_set_str(d, o, "base_url", portal->base_url);
    odp_doc_set_str(d, o, "time_zone", zone);
    odp_doc_set(d, o, "zone_minutes", json_integer(minutes));
    odp_doc_set(d, o, "languages", languages != NULL ? json_deep_copy(languages) : json_pack("[s,s]", "id", "en"));
    odp_doc_set(d, o, "contact", contact != NULL ? json_deep_copy(contact) : json_object());
    odp_doc_set(d, o, "tiers", make_tiers(d, portal));
    odp_doc_set(d, o, "datasets", slugs);
    odp_doc_set(d, o, "notify_every", notify);
    return o;
}

enum odp_status odp_release_gateway(struct odp_stage *s, const struct odp_catalog *c)
{
    struct odp_doc d = {false};
    struct odp_arena arena;
    odp_arena_init(&arena);
    json_t *o = make_document(&d, s, c, &arena);
    enum odp_status status = odp_doc_put_as_take(s, "gateway.json", ODP_CLASS_INTERNAL, &d, o);
    odp_arena_release(&arena);
    return status;
}
