/* quota.warning: an account has used 80 or 100 percent of its day. For accounts that subscribe to it, once a
 * day and percent, by the event's key. Counts of other machines are as new as what they have sent. */
#include <stdio.h>

#include "core/quota/quota.h"
#include "published/doc.h"
#include "service/http/text.h"
#include "service/webhooks/webhooks_internal.h"

struct account {
    int64_t id;
    char shown[ODP_KEY_SHOWN + 1], tier[ODP_TIER_NAME];
    uint8_t digest[ODP_SHA256_SIZE]; /* of the key whose counters count */
    uint32_t day;
    uint64_t used; /* on that day */
};

static int64_t limit_of(const struct odp_settings *s, const char *tier)
{
    int at = odp_settings_tier(s, tier);
    return at >= 0 ? s->tiers[at].daily : -1;
}

static enum odp_status warn(struct odp_webhooks *w, const struct account *x, const struct odp_settings *s,
                            int percent, int64_t now)
{
    char key[80], resets[ODP_TIME_SIZE];
    struct odp_buffer data = {0};
    (void)snprintf(key, sizeof key, "quota/%lld/%u/%d", (long long)x->id, x->day, percent);
    odp_time_iso(now / 1000 + odp_quota_reset(now / 1000, s->zone_minutes), s->zone_minutes, resets);
    json_t *doc =
        json_pack("{s:s, s:s, s:i, s:I, s:I, s:s}", "key", x->shown, "tier", x->tier, "percent", percent,
                  "limit", (json_int_t)limit_of(s, x->tier), "used", (json_int_t)x->used, "resets", resets);
    enum odp_status st = odp_doc_print(&data, doc, JSON_COMPACT);
    json_decref(doc);
    const struct webhook_event e = {ODP_EVENT_QUOTA_WARNING, key, "", x->id, now, odp_buffer_cstr(&data), ""};
    struct odp_sql look = {.db = w->announcer->db, .st = st};
    bool known = odp_sql_number(&look, "SELECT 1 FROM webhook_event WHERE key = ?", "t", key) != 0;
    if (look.st == ODP_OK && !known) {
        struct odp_sql q = odp_webhook_begin(w);
        bool added = odp_webhook_event_add(&q, &e, now);
        look.st = odp_webhook_end(w, &q);
        if (added && look.st == ODP_OK)
            odp_webhook_event_count(w, ODP_EVENT_QUOTA_WARNING);
    }
    odp_buffer_release(&data);
    return look.st;
}

static enum odp_status look(struct odp_webhooks *w, struct account *x, const struct odp_settings *s,
                            int64_t now)
{
    static const int percents[] = {80, 100};
    x->day = odp_quota_day(now / 1000, s->zone_minutes);
    int64_t limit = limit_of(s, x->tier), n = odp_keytable_find(w->s->table, x->digest);
    enum odp_status st = ODP_OK;
    if (limit <= 0 || limit > INT64_MAX / 100 || n < 0)
        return ODP_OK;
    x->used = odp_keytable_used(w->s->table, (uint32_t)n, x->day) +
              odp_keytable_used_elsewhere(w->s->table, (uint32_t)n, x->day);
    for (size_t i = 0; i < 2 && st == ODP_OK; i++)
        if (x->used * 100 >= (uint64_t)limit * (uint64_t)percents[i]) /* counts have 40 bits */
            st = warn(w, x, s, percents[i], now);
    return st;
}

enum odp_status odp_webhook_warn_quota(struct odp_webhooks *w, int64_t now)
{
    struct odp_settings s;
    struct account x;
    odp_keytable_settings(w->s->table, &s);
    struct odp_sql q = {.db = w->announcer->db};
    odp_sql_select(
        &q,
        "SELECT a.id, k.shown, k.tier, a.digest FROM key a JOIN key k ON k.id ="
        " (SELECT max(id) FROM key WHERE account = a.id AND state = 1 AND (until = 0 OR until > ?))"
        " WHERE a.id IN (SELECT account FROM webhook WHERE state IN ('active', 'paused')"
        "  AND instr(' ' || events || ' ', ' quota.warning ') > 0) AND length(a.digest) = 32 ORDER BY a.id",
        "i", now / 1000);
    while (!odp_webhook_stopped(w) &&
           odp_sql_next(&q, "itt", &x.id, x.shown, sizeof x.shown, x.tier, sizeof x.tier)) {
        const void *digest = sqlite3_column_blob(q.row, 3);
        if (digest == NULL)
            continue;
        memcpy(x.digest, digest, sizeof x.digest);
        q.st = look(w, &x, &s, now);
    }
    return odp_sql_end(&q);
}
