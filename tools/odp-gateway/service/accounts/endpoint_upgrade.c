/* POST /auth/upgrade and GET /auth/tiers. */
#include <stdio.h>
#include <string.h>

#include "base/json_load.h"
#include "service/accounts/accounts_internal.h"
#include "service/state/site_settings.h"
#include "words/accounts.h"

enum { TIERS_TEXT = 640 };

static const struct odp_member fields[] = {
    {"tier", ODP_FIELD_TEXT, true, ODP_TIER_NAME - 1},
    {"reason", ODP_FIELD_TEXT, true, 1000},
    {"organisation", ODP_FIELD_TEXT, false, 200},
};

/* Tiers that the site no longer has stay in the table for the keys that have them; nobody can ask for them.
 */
static bool offered(struct odp_state *s, uint32_t tier)
{
    pthread_mutex_lock(&s->mutex);
    uint32_t bits = s->offered;
    pthread_mutex_unlock(&s->mutex);
    return bits == 0 || (bits >> tier & 1) != 0;
}

/* The tier's number, or -1 and answered. */
static int tier_of(struct odp_answer *a, const struct odp_settings *settings, struct odp_slice name)
{
    char list[TIERS_TEXT] = "", detail[TIERS_TEXT + 64];
    size_t n = 0;
    for (uint32_t i = 0; i < settings->ntiers && i < ODP_TIERS_MAX; i++) {
        if (!offered(a->s, i))
            continue;
        if (odp_slice_is(name, settings->tiers[i].name))
            return (int)i;
        if (n < sizeof list)
            n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", n > 0 ? ", " : "",
                                  settings->tiers[i].name);
    }
    odp_say_with(detail, sizeof detail, odp_say(a->c, W_accounts_tier_there_no_such_tier), list, "", "");
    odp_answer_problem(a, ODP_PROBLEM_FIELD_INVALID, "tier", detail);
    return -1;
}

struct telling {
    struct odp_answer *a;
    const char *tier;
    int64_t id;
};

static enum odp_status tell_asked(void *ctx, const struct odp_issued *none)
{
    const struct telling *t = ctx;
    odp_answer_header(t->a, "Cache-Control", "no-store");
    return odp_answer_data_take(
        t->a, 202, json_pack("{s:I, s:s, s:s}", "id", (json_int_t)t->id, "tier", t->tier, "state", "open"));
}

static enum odp_status ask(struct odp_answer *a, const struct odp_caller *who,
                           const struct odp_member_value *v)
{
    struct odp_buffer reason = {0};
    int tier = tier_of(a, &who->settings, v[0].text);
    if (tier < 0)
        return ODP_BAD;
    if (tier == who->grant.tier || strcmp(who->info.state, "active") != 0) {
        odp_answer_problem(a, ODP_PROBLEM_CONFLICT, tier == who->grant.tier ? "tier" : NULL,
                           tier == who->grant.tier ? odp_say(a->c, W_accounts_key_has_tier_already)
                                                   : odp_say(a->c, W_accounts_key_replaced_already_use_one));
        return ODP_BAD;
    }
    odp_buffer_add_slice(&reason, v[2].text);
    if (v[2].text.len > 0)
        odp_buffer_add_str(&reason, ": ");
    odp_buffer_add_slice(&reason, v[1].text);
    enum odp_status st = odp_buffer_status(&reason);
    struct telling t = {a, who->settings.tiers[tier].name, 0};
    struct odp_order o = {.actor = "api", .now = a->c->now, .telling = {tell_asked, &t}};
    if (st == ODP_OK)
        st = odp_keys_ask_upgrade(a->s, &o, who->digest, t.tier, odp_buffer_slice(&reason), &t.id);
    odp_buffer_release(&reason);
    if (st == ODP_BAD)
        odp_answer_problem(
            a, o.problem, NULL,
            o.problem == ODP_PROBLEM_CONFLICT ? odp_say(a->c, W_accounts_earlier_request_still_open) : NULL);
    return st;
}

enum odp_status odp_endpoint_upgrade(struct odp_answer *a)
{
    struct odp_caller who;
    struct odp_member_value values[ODP_COUNT(fields)];
    json_t *doc = NULL;
    const struct odp_body_members members = {fields, ODP_COUNT(fields), values};
    enum odp_status st = odp_http_caller(a, &who);
    if (st == ODP_OK)
        st = odp_http_body(a, &members, &doc);
    if (st == ODP_OK)
        st = ask(a, &who, values);
    json_decref(doc);
    return st;
}

/* Titles, and how many webhooks a tier may have, are in the site's gateway.json alone; without it a tier has
 * just its name. */
static void read_site(const struct odp_state *s, struct odp_site_settings *site)
{
    struct odp_buffer text = {0};
    char why[ODP_WHY];
    *site = (struct odp_site_settings){0};
    if (s->options == NULL || s->options->state_dir == NULL ||
        odp_site_settings_read(&text, s->options->state_dir, why) != ODP_OK ||
        odp_site_settings_parse(site, odp_buffer_slice(&text), why) != ODP_OK)
        odp_site_settings_release(site);
    odp_buffer_release(&text);
}

/* What SITE says of the tier NAME. */
static json_t *title_of(const struct odp_site_settings *site, const char *name, int64_t *webhooks)
{
    int at = odp_settings_tier(&site->shared, name);
    *webhooks = at >= 0 ? site->webhooks[at] : ODP_WEBHOOK_DEFAULT_LIMIT;
    return at >= 0 ? site->title[at] : NULL;
}

static json_t *tier_row(const struct odp_tier_limits *t, const struct odp_site_settings *site)
{
    int64_t webhooks;
    json_t *title = title_of(site, t->name, &webhooks);
    return json_pack("{s:s, s:O?, s:o, s:o, s:o, s:o}", "tier", t->name, "title", title, "webhooks",
                     odp_json_limit(webhooks, webhooks < 0), "limit", odp_json_limit(t->daily, t->daily < 0),
                     "burst", odp_json_limit(t->burst, t->burst <= 0), "concurrent",
                     odp_json_limit(t->concurrent, t->concurrent <= 0));
}

void odp_http_tier_words(const struct odp_state *s, const char *name, enum odp_lang lang, char title[120],
                         int64_t *webhooks)
{
    struct odp_site_settings site;
    read_site(s, &site);
    const char *text = odp_json_text(title_of(&site, name, webhooks), odp_lang_code(lang));
    (void)snprintf(title, 120, "%s", text != NULL ? text : name);
    odp_site_settings_release(&site);
}

enum odp_status odp_endpoint_tiers(struct odp_answer *a)
{
    struct odp_settings settings;
    struct odp_site_settings site;
    odp_http_settings(a->s, &settings);
    read_site(a->s, &site);
    json_t *rows = json_array();
    for (uint32_t i = 0; i < settings.ntiers && i < ODP_TIERS_MAX; i++)
        if (offered(a->s, i))
            json_array_append_new(rows, tier_row(&settings.tiers[i], &site));
    json_t *doc = json_pack("{s:o, s:s}", "data", rows, "status", "success");
    char *text = json_dumps(doc, JSON_COMPACT);
    a->status = 200;
    odp_buffer_printf(&a->body, "%s\n", text);
    odp_json_free_text(text);
    json_decref(doc);
    odp_site_settings_release(&site);
    odp_answer_header(a, "Cache-Control", "public, max-age=300");
    return odp_buffer_status(&a->body);
}
