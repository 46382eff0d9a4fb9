/* Tiers, zone and address: from the site's gateway.json into the settings that all processes share.
 *
 * Records of the table name their tier by its index, so an index keeps its meaning for ever: a tier of the
 * site takes the place that its name has, a new one is appended, and one that is gone from the site keeps
 * place and limits for the keys that still have it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/datetime.h"
#include "base/file.h"
#include "base/json_load.h"
#include "service/state/log.h"
#include "service/state/state_internal.h"

enum { SITE_MAX = 1 << 20, ZONE_MAX = 14 * 60 };

static bool name_ok(const char *name)
{
    size_t n = strlen(name);
    return n > 0 && n < ODP_TIER_NAME && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_") == n;
}

/* NULL, or absent, is UNLIMITED. */
static bool limit_of(const json_t *tier, const char *name, int64_t unlimited, int64_t *out)
{
    const json_t *v = json_object_get(tier, name);
    *out = json_is_integer(v) ? json_integer_value(v) : unlimited;
    return v == NULL || json_is_null(v) || (json_is_integer(v) && *out >= 0);
}

static enum odp_status parse_tier(struct odp_settings *s, const json_t *tier, size_t i, char why[ODP_WHY])
{
    struct odp_tier_limits *t = &s->tiers[i];
    const char *name = json_string_value(json_object_get(tier, "name"));
    if (name == NULL || !name_ok(name))
        return odp_state_bad(why, "tier %zu has no usable name", i + 1);
    for (size_t k = 0; k < i; k++)
        if (strcmp(s->tiers[k].name, name) == 0)
            return odp_state_bad(why, "tier %s is there twice", name);
    (void)snprintf(t->name, sizeof t->name, "%s", name);
    if (!limit_of(tier, "daily", -1, &t->daily) || !limit_of(tier, "burst", 0, &t->burst) ||
        !limit_of(tier, "concurrent", 0, &t->concurrent))
        return odp_state_bad(why, "a limit of tier %s is not a whole number", name);
    s->ntiers = (uint32_t)i + 1;
    return ODP_OK;
}

static enum odp_status parse_zone(struct odp_settings *s, const json_t *doc, char why[ODP_WHY])
{
    const json_t *minutes = json_object_get(doc, "zone_minutes");
    const char *zone = json_string_value(json_object_get(doc, "time_zone"));
    int16_t known = 0;
    json_int_t m = json_integer_value(minutes);
    if (minutes == NULL && zone != NULL && odp_zone_offset(zone, &known))
        m = known;
    else if (!json_is_integer(minutes) || m < -ZONE_MAX || m > ZONE_MAX)
        return odp_state_bad(why, "zone_minutes is not a number of minutes east of UTC");
    s->zone_minutes = (int32_t)m;
    return ODP_OK;
}

static enum odp_status parse(struct odp_settings *s, const json_t *doc, char why[ODP_WHY])
{
    const char *url = json_string_value(json_object_get(doc, "base_url"));
    const json_t *tiers = json_object_get(doc, "tiers");
    memset(s, 0, sizeof *s);
    if (!json_is_object(doc))
        return odp_state_bad(why, "it is not a JSON object");
    size_t n = url != NULL ? strlen(url) : 0;
    if (n < 9 || n >= sizeof s->base_url || url[n - 1] != '/' ||
        (strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0))
        return odp_state_bad(why, "base_url is not an address that ends in '/'");
    memcpy(s->base_url, url, n + 1);
    if (!json_is_array(tiers) || json_array_size(tiers) == 0 || json_array_size(tiers) > ODP_TIERS_MAX)
        return odp_state_bad(why, "tiers is not a list of 1 to %d", ODP_TIERS_MAX);
    enum odp_status st = parse_zone(s, doc, why);
    for (size_t i = 0; i < json_array_size(tiers) && st == ODP_OK; i++)
        st = parse_tier(s, json_array_get(tiers, i), i, why);
    return st;
}

static enum odp_status parse_text(struct odp_settings *s, struct odp_slice text, char why[ODP_WHY])
{
    json_error_t error;
    json_t *doc = odp_json_load(text.ptr, text.len, JSON_REJECT_DUPLICATES, &error);
    enum odp_status st = doc != NULL
                             ? parse(s, doc, why)
                             : odp_state_bad(why, "it is not JSON: %s (line %d)", error.text, error.line);
    json_decref(doc);
    return st;
}

static int find(const struct odp_settings *s, const char *name)
{
    for (uint32_t i = 0; i < s->ntiers && i < ODP_TIERS_MAX; i++)
        if (strcmp(s->tiers[i].name, name) == 0)
            return (int)i;
    return -1;
}

/* SITE into S; *OFFERED gets the bits of what SITE has. BAD: more tiers than there are places. */
static enum odp_status merge(struct odp_settings *s, const struct odp_settings *site, uint32_t *offered,
                             char why[ODP_WHY])
{
    *offered = 0;
    s->zone_minutes = site->zone_minutes;
    memcpy(s->base_url, site->base_url, sizeof s->base_url);
    for (uint32_t i = 0; i < site->ntiers; i++) {
        int at = find(s, site->tiers[i].name);
        if (at < 0 && s->ntiers == ODP_TIERS_MAX)
            return odp_state_bad(
                why,
                "there is no place for tier %s: with those that keys still have there would be more than %d",
                site->tiers[i].name, ODP_TIERS_MAX);
        if (at < 0)
            at = (int)s->ntiers++;
        s->tiers[at] = site->tiers[i];
        *offered |= UINT32_C(1) << at;
    }
    return ODP_OK;
}

int odp_state_tier(const struct odp_state *s, const char *name)
{
    return find(&s->settings, name);
}

bool odp_state_tier_offered(const struct odp_state *s, const char *name)
{
    int at = find(&s->settings, name);
    return at >= 0 && (s->offered == 0 || (s->offered >> at & 1) != 0);
}

enum odp_status odp_state_tier_need(struct odp_state *s, const char *name, uint8_t *tier)
{
    int at = find(&s->settings, name);
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
    char why[ODP_WHY], path[ODP_PATH_MAX];
    struct odp_settings found;
    struct odp_buffer text = {0};
    struct odp_sql q = {.db = s->db};
    if (s->db != NULL)
        odp_sql_select(&q, "SELECT value FROM setting WHERE name = 'settings'", "");
    if (odp_sql_next(&q, ""))
        odp_buffer_add(&text, sqlite3_column_text(q.row, 0), (size_t)sqlite3_column_bytes(q.row, 0));
    else if (q.st == ODP_OK && odp_state_path(path, s->options->state_dir, "gateway.json"))
        q.st = odp_file_read(path, SITE_MAX, &text, NULL);
    if (odp_sql_end(&q) == ODP_OK && odp_buffer_status(&text) == ODP_OK &&
        parse_text(&found, odp_buffer_slice(&text), why) == ODP_OK)
        s->settings = found;
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
    char path[ODP_PATH_MAX], what[ODP_WHY] = "";
    struct odp_settings found;
    struct odp_buffer text = {0};
    int e = 0;
    why[0] = '\0';
    if (!odp_state_path(path, site, "gateway.json"))
        return odp_state_bad(why, "the path of the site is too long");
    enum odp_status st = odp_file_read(path, SITE_MAX, &text, &e);
    if (st == ODP_BAD)
        (void)odp_state_bad(what, "it cannot be read: %s", strerror(e));
    if (st == ODP_OK)
        st = parse_text(&found, odp_buffer_slice(&text), what);
    if (st == ODP_OK)
        st = use(s, &found, what);
    if (st == ODP_OK)
        st = odp_state_put_file(s->options->state_dir, "gateway.json", odp_buffer_slice(&text));
    odp_buffer_release(&text);
    if (st == ODP_BAD)
        (void)odp_state_bad(why, "%.200s: %.300s", path, what);
    return st;
}

enum odp_status odp_state_read_site(struct odp_state *s, const char *site, char why[ODP_WHY])
{
    pthread_mutex_lock(&s->mutex);
    enum odp_status st = odp_state_settings_read(s, site, why);
    pthread_mutex_unlock(&s->mutex);
    return st;
}
