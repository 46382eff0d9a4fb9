/* Templates key, revoke, revoked, key_again, issued of templates/service: what they are given. */
#include "service/accounts/page_key.h"

#include <stdio.h>
#include <string.h>

#include "base/html.h"

enum { HOUR = 3600, HEIGHT = 160, STEP = 22 /* of a day in the picture, 30 of them */ };

/* ---- usage by day ---- */

static void set_day(json_t *v, const struct odp_call *c, const char *name, int64_t day)
{
    char iso[ODP_TIME_SIZE];
    struct odp_buffer text = {0};
    odp_day_iso(day, iso);
    odp_html_plain_date(&text, iso, c->lang);
    odp_page_text(v, name, odp_buffer_cstr(&text));
    odp_buffer_release(&text);
}

/* A day with requests is seen, however few: at least 3 of 160. Today's bar is solid, the others are lighter.
 */
static json_t *bar(int i, uint64_t count, uint64_t most)
{
    int height = (int)((double)count / (double)most * (HEIGHT - 3)) + 3;
    return json_pack("{s:o, s:o, s:o, s:b}", "x", json_sprintf("%d", i * STEP + 2), "y",
                     json_sprintf("%d", HEIGHT - height), "height", json_sprintf("%d", height), "today",
                     i + 1 == ODP_USAGE_DAYS);
}

static json_t *row(const struct odp_call *c, int64_t day, uint64_t count)
{
    char iso[ODP_TIME_SIZE];
    odp_day_iso(day, iso);
    json_t *v = json_pack("{s:s}", "iso", iso);
    set_day(v, c, "text", day);
    odp_page_number(v, c, "count", (int64_t)count);
    return v;
}

void odp_page_usage(json_t *page, const struct odp_call *c, const uint64_t counts[ODP_USAGE_DAYS],
                    int64_t first)
{
    json_t *v = json_object(), *bars = json_array(), *days = json_array();
    uint64_t sum = 0;
    int most = 0;
    for (int i = 0; i < ODP_USAGE_DAYS; i++) {
        sum += counts[i];
        most = counts[i] >= counts[most] ? i : most;
    }
    for (int i = 0; i < ODP_USAGE_DAYS; i++)
        if (counts[i] > 0)
            json_array_append_new(bars, bar(i, counts[i], counts[most]));
    for (int i = ODP_USAGE_DAYS - 1; i >= 0; i--)
        json_array_append_new(days, row(c, first + i, counts[i]));
    set_day(v, c, "from", first);
    set_day(v, c, "to", first + ODP_USAGE_DAYS - 1);
    set_day(v, c, "most_day", first + most);
    odp_page_number(v, c, "sum", sum > 0 ? (int64_t)sum : -1);
    odp_page_number(v, c, "most", (int64_t)counts[most]);
    json_object_set_new(v, "bars", bars);
    json_object_set_new(v, "days", days);
    json_object_set_new(page, "usage", v);
}

/* ---- my key ---- */

static void set_quota(json_t *v, const struct odp_call *c, const struct odp_caller *who,
                      const struct odp_tier_limits *t)
{
    int64_t used = (int64_t)who->info.used, left = used < t->daily ? t->daily - used : 0;
    int32_t zone = who->settings.zone_minutes;
    odp_page_number(v, c, "daily", t->daily);
    odp_page_number(v, c, "used", used);
    odp_page_number(v, c, "left", t->daily >= 0 ? left : -1);
    odp_page_time(v, c, "reset", c->now + odp_quota_reset(c->now, zone), zone);
    odp_page_number(v, c, "burst", t->burst > 0 ? t->burst : -1);
    odp_page_number(v, c, "concurrent", t->concurrent > 0 ? t->concurrent : -1);
}

/* How long the old key goes on: at once, an hour, a day, and as long as the operators allow. */
static void set_grace(json_t *v, int64_t hours)
{
    bool days = hours % 24 == 0;
    if (hours > 0)
        json_object_set_new(v, "grace",
                            json_pack("{s:b, s:b, s:b, s:o, s:o}", "hour", hours > 1, "day", hours > 24,
                                      "days", days, "hours", json_sprintf("%lld", (long long)hours), "number",
                                      json_sprintf("%lld", (long long)(days ? hours / 24 : hours))));
}

static void set_facts(json_t *v, const struct odp_answer *a, const struct odp_caller *who)
{
    const struct odp_settings *set = &who->settings;
    const struct odp_tier_limits *t = odp_http_tier(set, who->grant.tier);
    char title[120], word[48];
    int64_t webhooks = 0;
    (void)snprintf(word, sizeof word, "state_%s", who->info.state);
    const char *state = odp_page_word(a, word);
    odp_http_tier_words(a->s, t->name, a->c->lang, title, &webhooks);
    odp_page_text(v, "shown", who->info.shown);
    odp_page_text(v, "state", state[0] != '\0' ? state : who->info.state);
    odp_page_text(v, "tier", title);
    set_quota(v, a->c, who, t);
    odp_page_number(v, a->c, "webhooks", webhooks);
    odp_page_time(v, a->c, "created", who->info.created, set->zone_minutes);
    odp_page_time(v, a->c, "until", who->info.until, set->zone_minutes);
    json_object_set_new(v, "confirmed", json_boolean(who->info.email_confirmed));
}

enum odp_status odp_page_key(struct odp_answer *a, const struct odp_caller *who, const char *key)
{
    uint64_t counts[ODP_USAGE_DAYS];
    int64_t first;
    if (odp_http_usage(a->s, who, counts, &first) != ODP_OK)
        return ODP_FAIL;
    json_t *v = json_pack("{s:s, s:b}", "key", key, "active", strcmp(who->info.state, "active") == 0);
    set_facts(v, a, who);
    odp_page_usage(v, a->c, counts, first);
    set_grace(v, a->s->options->grace / HOUR);
    return odp_answer_page(a, 200, "key", v);
}

enum odp_status odp_page_revoke(struct odp_answer *a, const struct odp_caller *who, const char *key)
{
    return odp_answer_page(a, 200, "revoke", json_pack("{s:s, s:s}", "shown", who->info.shown, "key", key));
}

enum odp_status odp_page_revoked(struct odp_answer *a, const struct odp_caller *who)
{
    const char *again = odp_page_link(a, "daftar.html", "en/register.html");
    return odp_answer_page(a, 200, "revoked",
                           json_pack("{s:s, s:s*}", "shown", who->info.shown, "again", again));
}

enum odp_status odp_page_key_again(struct odp_answer *a)
{
    char detail[ODP_PAGE_TEXT], field[48];
    struct odp_buffer typed = {0};
    odp_page_problem(a, detail, field);
    if (a->problem != ODP_PROBLEM_FORBIDDEN)
        odp_form_kept(a->c->body, "key", 200, &typed);
    json_t *v = json_pack("{s:s, s:s}", "detail", detail, "typed", odp_buffer_cstr(&typed));
    odp_form_release(&typed);
    return odp_answer_page(a, a->status, "key_again", v);
}

/* ---- a new key, shown once: after registering, replacing, recovering ---- */

/* The address of a first request that can be run as it is. */
static json_t *address(const struct odp_state *s, const struct odp_settings *settings)
{
    struct odp_web_site *site = odp_holder_acquire(&s->web->site);
    json_t *text = json_sprintf("%sv1/%s", settings->base_url, site != NULL ? site->shell->example : "");
    odp_holder_drop(&s->web->site, site);
    return text;
}

enum odp_status odp_answer_issued(struct odp_answer *a, int status, const struct odp_issue_words *w)
{
    static const char *const titles[] = {[ODP_ISSUE_REGISTERED] = "issued_title",
                                         [ODP_ISSUE_ROTATED] = "rotated_title",
                                         [ODP_ISSUE_RECOVERED] = "recovered_title"};
    const struct odp_key_record *r = &w->key->record;
    struct odp_settings settings;
    odp_http_settings(a->s, &settings);
    json_t *v =
        json_pack("{s:s, s:s, s:b, s:b, s:o, s:s*, s:s*}", "title", odp_page_word(a, titles[w->why]), "key",
                  w->key->key, "stopped", w->why == ODP_ISSUE_ROTATED && w->previous_until == 0, "mailed",
                  (int)w->mailed, "address", address(a->s, &settings), "docs",
                  odp_page_link(a, "dokumentasi/index.html", "en/docs/index.html"), "explorer",
                  odp_page_link(a, "penjelajah.html", "en/explorer.html"));
    if (r->tier < settings.ntiers && r->tier < ODP_TIERS_MAX) {
        char title[120] = "";
        int64_t webhooks = 0;
        odp_http_tier_words(a->s, settings.tiers[r->tier].name, a->c->lang, title, &webhooks);
        odp_page_text(v, "tier", title);
        odp_page_number(v, a->c, "daily", settings.tiers[r->tier].daily);
    }
    odp_page_time(v, a->c, "until", r->until, settings.zone_minutes);
    odp_page_time(v, a->c, "previous", w->previous_until, settings.zone_minutes);
    return odp_answer_page(a, status, "issued", v);
}
