/* The page that shows a new key, once: after registering, replacing, recovering. */
#include <stdio.h>
#include <string.h>

#include "service/accounts/accounts_internal.h"

/* Of a first request that runs as it stands. */
static void set_address(struct odp_page_values *v, const struct odp_state *s,
                        const struct odp_settings *settings)
{
    char slug[sizeof s->web->shell->example] = "";
    pthread_rwlock_rdlock(&s->web->site_lock);
    if (s->web->shell != NULL)
        (void)snprintf(slug, sizeof slug, "%s", s->web->shell->example);
    pthread_rwlock_unlock(&s->web->site_lock);
    odp_page_set(v, "address", json_sprintf("%sv1/%s", settings->base_url, slug));
}

static void set_facts(struct odp_page_values *v, const struct odp_state *s, const struct odp_call *c,
                      const struct odp_settings *settings, const struct odp_issue_words *w)
{
    const struct odp_key_record *r = &w->key->record;
    char title[120] = "";
    int64_t webhooks = 0;
    if (r->tier < settings->ntiers && r->tier < ODP_TIERS_MAX) {
        odp_http_tier_words(s, settings->tiers[r->tier].name, c->lang, title, &webhooks);
        odp_page_text(v, "tier", title);
        odp_page_number(v, c, "daily", settings->tiers[r->tier].daily);
    }
    odp_page_time(v, c, "until", r->until, settings->zone_minutes);
    odp_page_time(v, c, "previous", w->previous_until, settings->zone_minutes);
}

static void set_link(struct odp_page_values *v, const char *name, const char *path)
{
    if (path != NULL)
        odp_page_text(v, name, path);
}

enum odp_status odp_answer_issued(struct odp_answer *a, struct odp_state *s, const struct odp_call *c,
                                  int status, const struct odp_issue_words *w)
{
    static const char *const titles[] = {[ODP_ISSUE_REGISTERED] = "issued_title",
                                         [ODP_ISSUE_ROTATED] = "rotated_title",
                                         [ODP_ISSUE_RECOVERED] = "recovered_title"};
    struct odp_settings settings;
    struct odp_page_values v;
    odp_http_settings(s, &settings);
    odp_page_begin(&v);
    odp_page_text(&v, "title", odp_page_word(s, c, titles[w->why]));
    odp_page_text(&v, "key", w->key->key);
    odp_page_flag(&v, "stopped", w->why == ODP_ISSUE_ROTATED && w->previous_until == 0);
    odp_page_flag(&v, "mailed", w->mailed);
    set_facts(&v, s, c, &settings, w);
    set_address(&v, s, &settings);
    set_link(&v, "docs", odp_page_link(s, c, "dokumentasi/index.html", "en/docs/index.html"));
    set_link(&v, "explorer", odp_page_link(s, c, "penjelajah.html", "en/explorer.html"));
    return odp_answer_page(a, s, c, status, "issued", &v);
}
