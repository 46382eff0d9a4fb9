/* gateway.json, read and checked. */
#include "service/state/site_settings.h"

#include <stdio.h>
#include <string.h>

#include "base/datetime.h"
#include "base/file.h"
#include "base/json_load.h"
#include "service/state/state_internal.h"
#include "words/state.h"

enum { SITE_MAX = 4 << 20, ZONE_MAX = 14 * 60 };

static bool name_ok(const char *name)
{
    size_t n = strlen(name);
    return n > 0 && n < ODP_TIER_NAME && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_") == n;
}

/* NULL is UNLIMITED, and absent ABSENT. */
static bool limit_of(const json_t *tier, const char *name, int64_t unlimited, int64_t absent, int64_t *out)
{
    const json_t *v = json_object_get(tier, name);
    *out = v == NULL ? absent : unlimited;
    if (json_is_integer(v))
        *out = json_integer_value(v);
    return v == NULL || json_is_null(v) || (json_is_integer(v) && *out >= 0);
}

static enum odp_status parse_tier(struct odp_site_settings *site, const json_t *tier, size_t i,
                                  char why[ODP_WHY])
{
    struct odp_settings *s = &site->shared;
    struct odp_tier_limits *t = &s->tiers[i];
    const char *name = odp_json_text(tier, "name");
    if (name == NULL || !name_ok(name))
        return odp_state_bad(why, W_state_tier_without_name, i + 1);
    if (odp_settings_tier(s, name) >= 0)
        return odp_state_bad(why, W_state_tier_twice, name);
    (void)snprintf(t->name, sizeof t->name, "%s", name);
    site->title[i] = json_object_get(tier, "title");
    if (!limit_of(tier, "daily", -1, -1, &t->daily) || !limit_of(tier, "burst", 0, 0, &t->burst) ||
        !limit_of(tier, "concurrent", 0, 0, &t->concurrent) ||
        !limit_of(tier, "webhooks", -1, ODP_WEBHOOK_DEFAULT_LIMIT, &site->webhooks[i]))
        return odp_state_bad(why, W_state_tier_limit, name);
    s->ntiers = (uint32_t)i + 1;
    return ODP_OK;
}

static enum odp_status parse_zone(struct odp_settings *s, const json_t *doc, char why[ODP_WHY])
{
    const json_t *minutes = json_object_get(doc, "zone_minutes");
    const char *zone = odp_json_text(doc, "time_zone");
    int16_t known = 0;
    json_int_t m = json_integer_value(minutes);
    if (minutes == NULL && zone != NULL && odp_zone_offset(zone, &known))
        m = known;
    else if (!json_is_integer(minutes) || m < -ZONE_MAX || m > ZONE_MAX)
        return odp_state_bad(why, W_state_zone);
    s->zone_minutes = (int32_t)m;
    return ODP_OK;
}

/* A dataset's odp:notifyEvery; what is no number of seconds is left out. */
static void parse_paces(struct odp_site_settings *site, json_t *list)
{
    const char *slug;
    json_t *seconds;
    site->paces = odp_arena_array(&site->arena, json_object_size(list) + 1, sizeof *site->paces);
    json_object_foreach(list, slug, seconds)
    {
        json_int_t every = json_integer_value(seconds);
        if (every > 0 && every <= INT64_MAX / 2000)
            site->paces[site->npaces++] = (struct odp_site_pace){slug, every * 1000};
    }
}

static enum odp_status parse(struct odp_site_settings *site, char why[ODP_WHY])
{
    struct odp_settings *s = &site->shared;
    const char *url = odp_json_text(site->doc, "base_url");
    const json_t *tiers = json_object_get(site->doc, "tiers");
    if (!json_is_object(site->doc))
        return odp_state_bad(why, W_state_not_an_object);
    size_t n = url != NULL ? strlen(url) : 0;
    if (n < 9 || n >= sizeof s->base_url || url[n - 1] != '/' ||
        (strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0))
        return odp_state_bad(why, W_state_base_url);
    memcpy(s->base_url, url, n + 1);
    if (!json_is_array(tiers) || json_array_size(tiers) == 0 || json_array_size(tiers) > ODP_TIERS_MAX)
        return odp_state_bad(why, W_state_tiers, ODP_TIERS_MAX);
    enum odp_status st = parse_zone(s, site->doc, why);
    for (size_t i = 0; i < json_array_size(tiers) && st == ODP_OK; i++)
        st = parse_tier(site, json_array_get(tiers, i), i, why);
    parse_paces(site, json_object_get(site->doc, "notify_every"));
    return st == ODP_OK ? odp_arena_status(&site->arena) : st;
}

enum odp_status odp_site_settings_parse(struct odp_site_settings *site, struct odp_slice text,
                                        char why[ODP_WHY])
{
    json_error_t error;
    *site =
        (struct odp_site_settings){.doc = odp_json_load(text.ptr, text.len, JSON_REJECT_DUPLICATES, &error)};
    return site->doc != NULL ? parse(site, why)
                             : odp_state_bad(why, W_state_not_json, error.text, error.line);
}

enum odp_status odp_site_settings_read(struct odp_buffer *text, const char *dir, char why[ODP_WHY])
{
    char path[ODP_PATH_MAX];
    int e = 0;
    if (!odp_state_path(path, dir, "gateway.json"))
        return odp_state_bad(why, W_state_site_path);
    enum odp_status st = odp_file_read(path, SITE_MAX, text, &e);
    return st == ODP_BAD ? odp_state_bad(why, W_state_site_not_read, odp_state_reason(e)) : st;
}

void odp_site_settings_release(struct odp_site_settings *site)
{
    json_decref(site->doc);
    odp_arena_release(&site->arena);
    *site = (struct odp_site_settings){0};
}

int odp_settings_tier(const struct odp_settings *s, const char *name)
{
    for (uint32_t i = 0; i < s->ntiers && i < ODP_TIERS_MAX; i++)
        if (strcmp(s->tiers[i].name, name) == 0)
            return (int)i;
    return -1;
}
