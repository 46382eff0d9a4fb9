/* quota.warning: an account has used 80 or 100 percent of its day. Looked at for accounts that ask for it, and told once a day
 * and percent: the event's key says which. Counts are of all machines as far as they have told this one. */
#include <stdio.h>
#include <stdlib.h>

#include "core/quota/quota.h"
#include "published/doc.h"
#include "service/http/text.h"
#include "service/webhooks/teller_internal.h"

enum { ACCOUNTS = 256 };

struct account {
    int64_t id;
    char shown[ODP_KEY_SHOWN + 1], tier[ODP_TIER_NAME];
    uint8_t digest[ODP_SHA256_SIZE]; /* of the key whose counters count */
};

/* Some that ask for it, above AFTER. */
static enum odp_status read_accounts(struct odp_webhooks *w, int64_t after, int64_t now, struct account *items, size_t *n)
{
    sqlite3_stmt *row = NULL;
    enum odp_status st =
        odp_store_prepare(w->tell->db, &row,
                          "SELECT a.id, a.digest, k.shown, k.tier FROM key a JOIN key k ON k.id ="
                          " (SELECT max(id) FROM key WHERE account = a.id AND state = 1 AND (until = 0 OR until > ?2))"
                          " WHERE a.id IN (SELECT account FROM webhook WHERE account > ?1 AND state IN ('active', 'paused')"
                          "  AND instr(' ' || events || ' ', ?4) > 0 ORDER BY account) AND a.id > ?1 ORDER BY a.id LIMIT ?3",
                          "iiit", after, now / 1000, (int64_t)ACCOUNTS, " quota.warning ");
    for (*n = 0; *n < ACCOUNTS && st == ODP_OK && (st = odp_store_step(w->tell->db, row)) == ODP_OK;) {
        struct account *x = &items[*n];
        const void *digest = sqlite3_column_blob(row, 1);
        x->id = sqlite3_column_int64(row, 0);
        odp_store_text(row, 2, x->shown, sizeof x->shown);
        odp_store_text(row, 3, x->tier, sizeof x->tier);
        if (digest == NULL || sqlite3_column_bytes(row, 1) != ODP_SHA256_SIZE)
            continue;
        memcpy(x->digest, digest, ODP_SHA256_SIZE);
        (*n)++;
    }
    sqlite3_finalize(row);
    return st == ODP_DONE ? ODP_OK : st;
}

static int64_t limit_of(const struct odp_settings *s, const char *tier)
{
    for (uint32_t i = 0; i < s->ntiers && i < ODP_TIERS_MAX; i++)
        if (strcmp(s->tiers[i].name, tier) == 0)
            return s->tiers[i].daily;
    return -1;
}

static enum odp_status warn(struct odp_webhooks *w, const struct account *x, const struct odp_settings *s, uint32_t day,
                            int percent, int64_t limit, uint64_t used, int64_t now)
{
    char key[80], resets[ODP_TIME_SIZE];
    int64_t known = 0;
    (void)snprintf(key, sizeof key, "quota/%lld/%u/%d", (long long)x->id, day, percent);
    enum odp_status st = odp_store_number(w->tell->db, &known, "SELECT 1 FROM webhook_event WHERE key = ?", "t", key);
    if (st != ODP_DONE)
        return st;
    odp_time_iso(now / 1000 + odp_quota_reset(now / 1000, s->zone_minutes), s->zone_minutes, resets);
    json_t *doc = json_pack("{s:s, s:s, s:i, s:I, s:I, s:s}", "key", x->shown, "tier", x->tier, "percent", percent, "limit",
                            (json_int_t)limit, "used", (json_int_t)used, "resets", resets);
    struct odp_buffer data;
    odp_buffer_init(&data);
    st = odp_doc_print(&data, doc, JSON_COMPACT);
    json_decref(doc);
    const struct webhook_event e = {ODP_EVENT_QUOTA_WARNING, key, "", x->id, now, odp_buffer_cstr(&data), ""};
    if (st == ODP_OK)
        st = odp_buffer_status(&data);
    if (st == ODP_OK)
        st = odp_webhook_begin(w);
    if (st == ODP_OK)
        st = odp_webhook_end(w, odp_webhook_event_add(w->s->db, &e, now));
    odp_buffer_release(&data);
    if (st == ODP_OK)
        odp_webhook_event_count(w, ODP_EVENT_QUOTA_WARNING);
    return st == ODP_DONE ? ODP_OK : st;
}

static enum odp_status look(struct odp_webhooks *w, const struct account *x, const struct odp_settings *s, int64_t now)
{
    static const int percents[] = {80, 100};
    uint32_t day = odp_quota_day(now / 1000, s->zone_minutes);
    int64_t limit = limit_of(s, x->tier), n = odp_keytable_find(w->s->table, x->digest);
    enum odp_status st = ODP_OK;
    if (limit <= 0 || limit > INT64_MAX / 100 || n < 0)
        return ODP_OK;
    uint64_t used =
        odp_keytable_used(w->s->table, (uint32_t)n, day) + odp_keytable_used_elsewhere(w->s->table, (uint32_t)n, day);
    for (size_t i = 0; i < 2 && st == ODP_OK; i++)
        if (used * 100 >= (uint64_t)limit * (uint64_t)percents[i]) /* counts have 40 bits */
            st = warn(w, x, s, day, percents[i], limit, used, now);
    return st;
}

enum odp_status odp_webhook_tell_quota(struct odp_webhooks *w, int64_t now)
{
    struct account items[ACCOUNTS];
    struct odp_settings s;
    int64_t after = 0;
    size_t n = ACCOUNTS;
    enum odp_status st = ODP_OK;
    odp_keytable_settings(w->s->table, &s);
    while (n == ACCOUNTS && st == ODP_OK && !odp_webhook_stopped(w)) {
        st = read_accounts(w, after, now, items, &n);
        for (size_t i = 0; i < n && st == ODP_OK; i++) {
            st = look(w, &items[i], &s, now);
            after = items[i].id;
        }
    }
    return st;
}
