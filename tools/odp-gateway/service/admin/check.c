/* check, audit.check, backup, status. What takes long looks through a connection of its own: nobody waits for
 * it. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "core/control/control.h"
#include "core/quota/quota.h"
#include "service/accounts/caller.h"
#include "service/admin/webhooks.h"
#include "service/queries/queries.h"
#include "service/state/log.h"
#include "words/admin.h"

enum { FULL_PERCENT = 90 };

static enum odp_status open_copy(struct odp_admin *x, sqlite3 **copy)
{
    char path[ODP_PATH_MAX], why[ODP_WHY];
    enum odp_status st =
        odp_store_open_copy(copy, odp_state_file(path, x->s->options->state_dir, "store.sqlite"), why);
    return st == ODP_BAD ? odp_admin_checked(x, "store", false, "%s", "%s", why) : st;
}

/* The table changes meanwhile: what looks wrong is checked again under the mutex. */
static enum odp_status check_table(struct odp_admin *x)
{
    char why[160] = "";
    enum odp_status st = odp_keytable_check(x->s->table, why);
    if (st == ODP_BAD) {
        pthread_mutex_lock(&x->s->mutex);
        st = odp_keytable_check(x->s->table, why);
        pthread_mutex_unlock(&x->s->mutex);
    }
    if (st == ODP_FAIL)
        return st;
    return st == ODP_OK ? odp_admin_checked(x, "table", true, W_admin_check_table)
                        : odp_admin_checked(x, "table", false, "%s", "%s", why);
}

static enum odp_status check_fill(struct odp_admin *x)
{
    uint32_t n = odp_keytable_count(x->s->table), capacity = odp_keytable_capacity(x->s->table);
    uint64_t percent = (uint64_t)n * 100 / capacity;
    return odp_admin_checked(x, "fill", percent < FULL_PERCENT, W_admin_check_fill, n, capacity,
                             (unsigned long long)percent);
}

static enum odp_status check_store(struct odp_admin *x, sqlite3 *copy)
{
    char detail[512];
    enum odp_status st = odp_store_verify(copy, true, detail, sizeof detail);
    return st == ODP_FAIL ? st : odp_admin_checked(x, "store", st == ODP_OK, "%s", "%s", detail);
}

static enum odp_status check_audit(struct odp_admin *x, sqlite3 *copy)
{
    int64_t seq = 0;
    enum odp_status st = odp_audit_check(copy, &seq);
    if (st == ODP_OK)
        return odp_admin_checked(x, "audit", true, W_admin_check_audit, (long long)seq - 1);
    return st == ODP_FAIL ? st
                          : odp_admin_checked(x, "audit", false, W_admin_check_audit_broken, (long long)seq);
}

struct agreement {
    uint64_t keys, missing, different;
};

/* The mutex is held, for the tiers; the table may only be ahead of COPY, by what was put since. */
static enum odp_status compare(struct odp_admin *x, sqlite3 *copy, struct agreement *a)
{
    struct odp_key_record want, have;
    struct odp_sql q = {.db = copy};
    for (odp_sql_select(&q, "SELECT " ODP_KEY_COLUMNS " FROM key", ""); odp_sql_next(&q, ""); a->keys++) {
        q.st = odp_state_record(x->s, q.row, &want);
        if (q.st != ODP_OK)
            continue;
        enum odp_status got = odp_keytable_get(x->s->table, want.digest, &have);
        a->missing += got == ODP_DONE;
        a->different += got == ODP_BAD || (got == ODP_OK && !odp_state_same_record(&have, &want));
    }
    return odp_sql_end(&q);
}

static enum odp_status check_agreement(struct odp_admin *x, sqlite3 *copy)
{
    struct agreement a = {0};
    pthread_mutex_lock(&x->s->mutex); /* half a second a million keys */
    enum odp_status st = compare(x, copy, &a);
    pthread_mutex_unlock(&x->s->mutex);
    if (st != ODP_OK)
        return st;
    return odp_admin_checked(x, "agreement", a.missing == 0 && a.different == 0, W_admin_check_agreement,
                             (unsigned long long)a.keys, (unsigned long long)a.missing,
                             (unsigned long long)a.different);
}

static enum odp_status check_counts(struct odp_admin *x)
{
    int64_t today = odp_quota_day(odp_now(), x->settings.zone_minutes);
    struct odp_sql q = {.db = x->s->db};
    enum odp_status st = odp_state_flush(x->s);
    if (st != ODP_OK) {
        odp_log_failure("counts");
        return odp_admin_checked(x, "counts", false, W_admin_check_counts_unwritten);
    }
    pthread_mutex_lock(&x->s->mutex);
    int64_t keys = odp_sql_number(&q, "SELECT sum(count) FROM usage_key WHERE day = ?", "i", today);
    int64_t datasets = odp_sql_number(&q, "SELECT sum(count) FROM usage_dataset WHERE day = ?", "i", today);
    pthread_mutex_unlock(&x->s->mutex);
    if (q.st != ODP_OK)
        return q.st;
    return odp_admin_checked(x, "counts", true, W_admin_check_counts, (long long)keys, (long long)datasets);
}

/* ---- query indexes ---- */

/* "" or what is wrong with the index, in LANG: its bytes have the digest in its name, and it opens as what it
 * is listed as. */
static enum odp_status check_index(const struct odp_query_site *site, const struct odp_query_resource *r,
                                   enum odp_lang lang, char wrong[ODP_WHY])
{
    char path[ODP_PATH_MAX], hex[ODP_SHA256_HEX];
    struct odp_file_info file;
    struct odp_index *index = NULL;
    const char *why = "";
    wrong[0] = '\0';
    if (!odp_state_path(path, site->dir, r->file))
        return odp_failure_set("open", site->dir, ENAMETOOLONG);
    enum odp_status st = odp_file_digest(path, &file);
    if (st == ODP_FAIL)
        return st;
    if (st == ODP_OK)
        odp_digest_hex(file.sha256, hex);
    if (st != ODP_OK)
        (void)snprintf(wrong, ODP_WHY, odp_word(lang, W_admin_check_index_missing), r->file);
    else if (memcmp(hex, r->id, ODP_SEARCH_ID) != 0)
        (void)snprintf(wrong, ODP_WHY, odp_word(lang, W_admin_check_index_damaged), r->file);
    else if ((st = odp_index_open(&index, path, 1, &why)) == ODP_BAD)
        (void)snprintf(wrong, ODP_WHY, odp_word(lang, W_admin_check_index_unusable), r->file, why);
    else if (st == ODP_OK && strcmp(odp_index_info(index)->version, r->version) != 0)
        (void)snprintf(wrong, ODP_WHY, odp_word(lang, W_admin_check_index_version), r->file);
    odp_index_close(index);
    return st == ODP_FAIL ? st : ODP_OK;
}

static enum odp_status check_indexes(struct odp_admin *x, const struct odp_query_site *site)
{
    char wrong[ODP_WHY], first[ODP_WHY] = "";
    size_t bad = 0;
    for (size_t i = 0; i < site->n; i++) {
        enum odp_status st = check_index(site, &site->resources[i], x->lang, wrong);
        if (st != ODP_OK)
            return st;
        if (wrong[0] != '\0' && bad++ == 0)
            memcpy(first, wrong, sizeof first);
    }
    if (bad == 0)
        return odp_admin_checked(x, "queries", true, W_admin_check_queries, site->n);
    return odp_admin_checked(x, "queries", false, W_admin_check_queries_wrong, first, bad, site->n);
}

/* A site without indexes is one of an older compiler: it is served, and not queried. */
static enum odp_status check_queries(struct odp_admin *x)
{
    char why[ODP_WHY] = "", dir[PATH_MAX];
    struct odp_query_site *site = NULL;
    struct odp_control *control = NULL;
    struct odp_entry line;
    if (x->s->options->site == NULL || realpath(x->s->options->site, dir) == NULL)
        return ODP_OK; /* check says elsewhere that there is no site */
    enum odp_status st = odp_query_site_read(&site, dir, why);
    if (st == ODP_DONE) {
        const char *reason;
        bool listed = odp_control_open(&control, dir, &reason) == ODP_OK &&
                      odp_control_find(control, ODP_LIT("search/index.json"), &line) &&
                      odp_slice_is(line.path, "search/index.json");
        odp_control_close(control);
        st = listed ? odp_admin_checked(x, "queries", false, W_admin_check_queries_list)
                    : odp_admin_checked(x, "queries", true, W_admin_check_queries_none);
    } else if (st == ODP_BAD) {
        st = odp_admin_checked(x, "queries", false, "%s", "%s", why);
    } else if (st == ODP_OK) {
        st = check_indexes(x, site);
    }
    odp_query_site_free(site);
    return st;
}

static enum odp_status check_copy(struct odp_admin *x)
{
    static enum odp_status (*const checks[])(struct odp_admin * x, sqlite3 * copy) = {
        check_store, check_audit, check_agreement, odp_admin_check_webhooks};
    sqlite3 *copy = NULL;
    enum odp_status st = open_copy(x, &copy);
    for (size_t i = 0; i < ODP_COUNT(checks) && st == ODP_OK && copy != NULL; i++)
        st = checks[i](x, copy);
    odp_store_close(copy);
    return st;
}

enum odp_status odp_admin_check(struct odp_admin *x)
{
    static enum odp_status (*const checks[])(struct odp_admin * x) = {check_table, check_fill, check_queries,
                                                                      check_counts, check_copy};
    size_t n = x->s->db != NULL ? ODP_COUNT(checks) : 3; /* a replica has no store */
    enum odp_status st = ODP_OK;
    for (size_t i = 0; i < n && st == ODP_OK; i++)
        st = checks[i](x);
    return st;
}

enum odp_status odp_admin_audit_check(struct odp_admin *x)
{
    char path[ODP_PATH_MAX], why[ODP_WHY];
    sqlite3 *copy = NULL;
    int64_t seq = 0;
    enum odp_status st =
        odp_store_open_copy(&copy, odp_state_file(path, x->s->options->state_dir, "store.sqlite"), why);
    if (st != ODP_OK)
        return odp_failure_set("open", path, 0);
    st = odp_audit_check(copy, &seq);
    odp_store_close(copy);
    if (st == ODP_FAIL)
        return st;
    return odp_admin_row_take(x,
                              json_pack("{s:b, s:I, s:o}", "ok", st == ODP_OK, "entries", (json_int_t)seq - 1,
                                        "broken_at", st == ODP_OK ? json_null() : json_integer(seq)));
}

/* ---- backup ---- */

enum odp_status odp_admin_backup(struct odp_admin *x)
{
    char why[ODP_WHY] = "";
    struct stat s = {0};
    const char *path = odp_admin_text(x, "path");
    if (path[0] != '/')
        return odp_admin_refuse(x, ODP_PROBLEM_FIELD_INVALID, "path", W_admin_give_absolute_path_services);
    enum odp_status st = odp_state_flush(x->s);
    if (st == ODP_OK)
        st = odp_store_backup(x->s->db, path, why);
    if (st == ODP_BAD)
        return odp_admin_refuse(x, ODP_PROBLEM_FIELD_INVALID, "path", why, why);
    if (st == ODP_OK)
        st = odp_admin_audit(x, "backup", "{}");
    struct odp_sql q = {.db = x->s->db, .st = st};
    pthread_mutex_lock(&x->s->mutex);
    int64_t webhooks =
        odp_sql_number(&q, "SELECT count(*) FROM webhook", ""); /* their key file is not in it */
    pthread_mutex_unlock(&x->s->mutex);
    if (q.st != ODP_OK)
        return q.st;
    (void)stat(path, &s);
    return odp_admin_row_take(x, json_pack("{s:s, s:I, s:I}", "path", path, "bytes", (json_int_t)s.st_size,
                                           "webhooks", (json_int_t)webhooks));
}

/* ---- status ---- */

static json_t *tiers_of(const struct odp_admin *x, uint32_t offered)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < x->settings.ntiers; i++) {
        const struct odp_tier_limits *t = &x->settings.tiers[i];
        json_array_append_new(list, json_pack("{s:s, s:o, s:o, s:o, s:b}", "name", t->name, "daily",
                                              odp_json_limit(t->daily, t->daily < 0), "burst",
                                              odp_json_limit(t->burst, t->burst <= 0), "concurrent",
                                              odp_json_limit(t->concurrent, t->concurrent <= 0), "offered",
                                              (int)(offered == 0 || (offered >> i & 1) != 0)));
    }
    return list;
}

static enum odp_status count_states(struct odp_admin *x, json_t *states)
{
    static const char *const names[] = {"active", "rotated", "suspended", "revoked"};
    struct odp_sql q = {.db = x->s->db};
    for (int64_t i = 0; i < 4; i++)
        json_object_set_new(
            states, names[i],
            json_integer(odp_sql_number(&q, "SELECT count(*) FROM key WHERE state = ?", "i", i + 1)));
    return q.st;
}

enum odp_status odp_admin_status(struct odp_admin *x)
{
    char machine[80];
    struct odp_state *s = x->s;
    json_t *states = json_object();
    odp_machine_name(s->options, machine);
    pthread_mutex_lock(&s->mutex);
    enum odp_status st = s->db != NULL ? count_states(x, states) : ODP_OK;
    uint32_t offered = s->offered;
    bool behind = s->unput != 0, unerased = s->unerased;
    pthread_mutex_unlock(&s->mutex);
    if (st != ODP_OK) {
        json_decref(states);
        return st;
    }
    return odp_admin_row_take(
        x, json_pack("{s:s, s:s, s:s, s:o, s:o, s:i, s:I, s:I, s:o, s:b, s:b, s:s, s:i, s:o}", "role",
                     s->writer ? "writer" : "replica", "machine", machine, "version", ODP_VERSION, "site",
                     s->options->site != NULL ? json_string(s->options->site) : json_null(), "started",
                     odp_admin_time(x, s->started), "schema", odp_store_version(), "keys",
                     (json_int_t)odp_keytable_count(s->table), "capacity",
                     (json_int_t)odp_keytable_capacity(s->table), "states", states, "table_behind",
                     (int)behind, "erasing", (int)unerased, "base_url", x->settings.base_url, "zone_minutes",
                     (int)x->settings.zone_minutes, "tiers", tiers_of(x, offered)));
}
