/* Tiers, zone and address: from the site into the settings that all processes share.
 *
 * Records of the table name their tier by its index, so an index keeps its meaning for ever: a tier of the
 * site takes the place that its name has, a new one is appended, and one that is gone from the site keeps
 * place and limits for the keys that still have it. */
#include <stdio.h>
#include <string.h>

#include "base/json_load.h"
#include "service/state/log.h"
#include "service/state/site_settings.h"
#include "service/state/state_internal.h"
#include "words/state.h"

/* SITE into S; *OFFERED gets the bits of what SITE has. BAD: more tiers than there are places. */
static enum odp_status merge(struct odp_settings *s, const struct odp_settings *site, uint32_t *offered,
                             char why[ODP_WHY])
{
    *offered = 0;
    s->zone_minutes = site->zone_minutes;
    memcpy(s->base_url, site->base_url, sizeof s->base_url);
    for (uint32_t i = 0; i < site->ntiers; i++) {
        int at = odp_settings_tier(s, site->tiers[i].name);
        if (at < 0 && s->ntiers == ODP_TIERS_MAX)
            return odp_state_bad(why, W_state_no_place_for_tier, site->tiers[i].name, ODP_TIERS_MAX);
        if (at < 0)
            at = (int)s->ntiers++;
        s->tiers[at] = site->tiers[i];
        *offered |= UINT32_C(1) << at;
    }
    return ODP_OK;
}

int odp_state_tier(const struct odp_state *s, const char *name)
{
    return odp_settings_tier(&s->settings, name);
}

bool odp_state_tier_offered(const struct odp_state *s, const char *name)
{
    int at = odp_settings_tier(&s->settings, name);
    return at >= 0 && (s->offered == 0 || (s->offered >> at & 1) != 0);
}

enum odp_status odp_state_tier_need(struct odp_state *s, const char *name, uint8_t *tier)
{
    int at = odp_settings_tier(&s->settings, name);
    if (at < 0) {
        if (s->settings.ntiers == ODP_TIERS_MAX)
            return odp_failure_set("find a place for another tier in", "keys.table", 0);
        at = (int)s->settings.ntiers++;
        s->settings.tiers[at] =
            s->settings.tiers[0]; /* without any tier: nothing a day, until a site says more */
        (void)snprintf(s->settings.tiers[at].name, ODP_TIER_NAME, "%s", name);
        if (s->table != NULL)
            odp_keytable_set_settings(s->table, &s->settings);
        odp_log("warning", "keys have tier %s, which no site has described: it gets the limits of tier %s",
                name, at > 0 ? s->settings.tiers[0].name : "(none)");
    }
    *tier = (uint8_t)at;
    return ODP_OK;
}

/* ---- saved in the store, so that a table can be made again with the same tiers ---- */

static enum odp_status save(struct odp_state *s)
{
    const struct odp_settings *x = &s->settings;
    json_t *tiers = json_array();
    for (const struct odp_tier_limits *t = x->tiers; t < x->tiers + x->ntiers; t++)
        (void)json_array_append_new(tiers,
                                    json_pack("{s:s, s:o, s:I, s:I}", "name", t->name, "daily",
                                              t->daily < 0 ? json_null() : json_integer(t->daily), "burst",
                                              (json_int_t)t->burst, "concurrent", (json_int_t)t->concurrent));
    json_t *doc = json_pack("{s:s, s:i, s:o}", "base_url", x->base_url, "zone_minutes", (int)x->zone_minutes,
                            "tiers", tiers);
    char *text = json_dumps(doc, JSON_COMPACT);
    json_decref(doc);
    enum odp_status st =
        odp_store_run(s->db,
                      "INSERT INTO setting(name, value) VALUES('settings', ?1)"
                      " ON CONFLICT(name) DO UPDATE SET value = excluded.value WHERE value <> excluded.value",
                      "t", text);
    odp_json_free_text(text);
    return st;
}

enum odp_status odp_state_settings_load(struct odp_state *s)
{
    char why[ODP_WHY];
    struct odp_site_settings found = {0};
    struct odp_buffer text = {0};
    struct odp_sql q = {.db = s->db};
    if (s->db != NULL)
        odp_sql_select(&q, "SELECT value FROM setting WHERE name = 'settings'", "");
    if (odp_sql_next(&q, ""))
        odp_buffer_add(&text, sqlite3_column_text(q.row, 0), (size_t)sqlite3_column_bytes(q.row, 0));
    else if (q.st == ODP_OK)
        q.st = odp_site_settings_read(&text, s->options->state_dir, why);
    if (odp_sql_end(&q) == ODP_OK && odp_buffer_status(&text) == ODP_OK &&
        odp_site_settings_parse(&found, odp_buffer_slice(&text), why) == ODP_OK)
        s->settings = found.shared;
    odp_site_settings_release(&found);
    odp_buffer_release(&text);
    return q.st == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

/* ---- reading a site ---- */

static void say_gone(const struct odp_state *s, uint32_t offered)
{
    for (uint32_t i = 0; i < s->settings.ntiers; i++)
        if ((offered >> i & 1) == 0 && (s->offered == 0 || (s->offered >> i & 1) != 0))
            odp_log("warning", "the site has no tier %s any more: keys that have it keep its last limits",
                    s->settings.tiers[i].name);
}

static enum odp_status use(struct odp_state *s, const struct odp_settings *site, char why[ODP_WHY])
{
    struct odp_settings next = s->settings;
    uint32_t offered = 0;
    enum odp_status st = merge(&next, site, &offered, why);
    if (st != ODP_OK)
        return st;
    bool same = memcmp(&next, &s->settings, sizeof next) == 0;
    s->settings = next;
    if (offered != s->offered)
        say_gone(s, offered);
    s->offered = offered;
    if (!same && s->table != NULL)
        odp_keytable_set_settings(s->table, &s->settings);
    return s->db != NULL ? save(s) : ODP_OK;
}

enum odp_status odp_state_settings_read(struct odp_state *s, const char *site, char why[ODP_WHY])
{
    char what[ODP_WHY] = "";
    struct odp_site_settings found = {0};
    struct odp_buffer text = {0};
    why[0] = '\0';
    enum odp_status st = odp_site_settings_read(&text, site, what);
    if (st == ODP_OK)
        st = odp_site_settings_parse(&found, odp_buffer_slice(&text), what);
    if (st == ODP_OK)
        st = use(s, &found.shared, what);
    if (st == ODP_OK)
        st = odp_state_put_file(s->options->state_dir, "gateway.json", odp_buffer_slice(&text));
    odp_site_settings_release(&found);
    odp_buffer_release(&text);
    if (st == ODP_BAD)
        (void)snprintf(why, ODP_WHY, "%.200s/gateway.json: %.290s", site, what);
    return st;
}

enum odp_status odp_state_read_site(struct odp_state *s, const char *site, char why[ODP_WHY])
{
    pthread_mutex_lock(&s->mutex);
    enum odp_status st = odp_state_settings_read(s, site, why);
    pthread_mutex_unlock(&s->mutex);
    return st;
}
