/* From the site's log to events.
 *
 * A line is known by its digest (webhook_line). One that is not becomes events, and both are stored in one transaction: a
 * process that is killed has told it or not, nothing in between. The first time that there is a site all its lines are taken as
 * known; that may take several transactions, so these have seen = 0, and a row of 32 zero bytes with seen > 0 ends it: where
 * nothing with seen > 0 is there (and no event), it was not ended.
 *
 * After a rollback the log is shorter: nothing is unknown. The next build's line is another one than the one that was rolled
 * back, and is told. A store restored from a backup does not know the newest lines: they are told again, with the ids they had,
 * since these are made of the line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "published/doc.h"
#include "base/json_load.h"
#include "published/release_log.h"
#include "service/state/log.h"
#include "service/webhooks/teller_internal.h"

/* SETTLE: what a site tells is told this much later than its switch was seen. A message leads to addresses of the new build,
 * and nginx's workers look for a switch ten times a second, each by itself: who follows a message at once must not find 404. */
enum { KNOWN_BATCH = 500, RETRY_MS = 30000, SETTLE_MS = 250 };

/* DONE: it is known already. */
static enum odp_status line_add(sqlite3 *db, const struct odp_event_line *line, int64_t seen)
{
    enum odp_status st = odp_store_run(db, "INSERT INTO webhook_line(digest, n, seen) VALUES(?, ?, ?) ON CONFLICT DO NOTHING",
                                       "bii", (const void *)line->digest, ODP_SHA256_SIZE, (int64_t)line->n, seen);
    return st == ODP_OK && sqlite3_changes(db) == 0 ? ODP_DONE : st;
}

/* Never 0, which says that the first start has not come to its end. */
static int64_t seconds(int64_t now)
{
    return now >= 1000 ? now / 1000 : 1;
}

/* ---- the first start ---- */

static enum odp_status is_first(struct odp_webhooks *w, bool *first)
{
    int64_t there = 0;
    enum odp_status st = odp_store_number(w->tell->db, &there,
                                          "SELECT 1 WHERE EXISTS (SELECT 1 FROM webhook_line WHERE seen > 0)"
                                          " OR EXISTS (SELECT 1 FROM webhook_event)",
                                          "");
    *first = st == ODP_DONE;
    return st == ODP_DONE ? ODP_OK : st;
}

static enum odp_status know_all(struct odp_webhooks *w, const struct odp_event_line *lines, size_t n, int64_t now)
{
    static const struct odp_event_line end = {.n = 0};
    enum odp_status st = ODP_OK;
    for (size_t i = 0; i <= n && st == ODP_OK; odp_webhook_breathe()) {
        st = odp_webhook_begin(w);
        if (st != ODP_OK)
            return st;
        for (size_t stop = i + KNOWN_BATCH; i < n && i < stop && st == ODP_OK; i++)
            if ((st = line_add(w->s->db, &lines[i], 0)) == ODP_DONE)
                st = ODP_OK;
        if (i == n && st == ODP_OK)
            st = line_add(w->s->db, &end, seconds(now));
        st = odp_webhook_end(w, st == ODP_DONE ? ODP_OK : st);
        if (i == n)
            break;
    }
    if (st == ODP_OK)
        odp_log("info", "webhooks: the %zu lines that the site's log has are known; what comes is told", n);
    return st;
}

/* ---- one line ---- */

struct planned {
    struct webhook_event e;
    json_t *data;  /* ours */
    int64_t joins; /* number of the event that is held, and joined; 0: a new one */
};
struct plan {
    struct planned *items;
    size_t n;
};

static void plan_release(struct plan *p)
{
    for (size_t i = 0; i < p->n; i++)
        json_decref(p->items[i].data);
}

static int64_t pace_of(const struct odp_webhook_site *site, const char *slug)
{
    for (size_t i = 0; i < site->npaces; i++)
        if (strcmp(site->paces[i].slug, slug) == 0)
            return site->paces[i].every;
    return 0;
}

/* The event that is held for the same dataset and type, if there is one: of this line, or of the store. */
static enum odp_status find_held(struct odp_webhooks *w, struct plan *p, const struct odp_event *e, int64_t now,
                                 struct planned **out, struct odp_arena *a)
{
    sqlite3_stmt *row = NULL;
    const char *type = odp_event_info(e->type)->name;
    *out = NULL;
    for (size_t i = 0; i < p->n && *out == NULL; i++)
        if (p->items[i].e.type == e->type && strcmp(p->items[i].e.dataset, e->dataset) == 0 && p->items[i].e.due > now)
            *out = &p->items[i];
    if (*out != NULL)
        return ODP_OK;
    enum odp_status st =
        odp_store_prepare(w->tell->db, &row,
                          "SELECT id, key, due, data FROM webhook_event"
                          " WHERE dataset = ? AND type = ? AND due > ? AND done = 0 AND told = 0 AND json_valid(data)"
                          " ORDER BY due LIMIT 1", /* one that cannot be read is left to the fan-out, which says so */
                          "tti", e->dataset, type, now);
    if (st == ODP_OK)
        st = odp_store_step(w->tell->db, row);
    if (st == ODP_OK) {
        struct planned *x = &p->items[p->n];
        const char *data = (const char *)sqlite3_column_text(row, 3);
        memset(x, 0, sizeof *x);
        x->joins = sqlite3_column_int64(row, 0);
        x->e.key = odp_arena_str(a, (const char *)sqlite3_column_text(row, 1));
        x->e.due = sqlite3_column_int64(row, 2);
        x->data = data != NULL ? odp_json_load(data, strlen(data), 0, NULL) : NULL;
        if (x->data == NULL || x->e.key == NULL) {
            json_decref(x->data);
            sqlite3_finalize(row);
            return odp_failure_set("read JSON", "event", 0);
        }
        p->n++;
        *out = x;
    }
    sqlite3_finalize(row);
    return st == ODP_DONE ? ODP_OK : st;
}

/* When it may be told: at once, or EVERY after the last one of its kind. */
static enum odp_status due_of(struct odp_webhooks *w, const struct odp_event *e, int64_t every, int64_t now, int64_t *due)
{
    int64_t last = 0;
    *due = now + SETTLE_MS;
    enum odp_status st =
        odp_store_number(w->tell->db, &last, "SELECT coalesce(max(due), 0) FROM webhook_event WHERE dataset = ? AND type = ?",
                         "tt", e->dataset, odp_event_info(e->type)->name);
    if (st != ODP_OK)
        return st;
    if (last > now) /* the clock went back */
        last = now;
    if (last > 0 && *due - last < every)
        *due = last + every;
    return ODP_OK;
}

static enum odp_status plan_one(struct odp_webhooks *w, const struct odp_webhook_site *site, struct plan *p,
                                const struct odp_event *e, int64_t now, struct odp_arena *a)
{
    struct planned *held = NULL;
    int64_t every = e->dataset != NULL && odp_event_info(e->type)->coalesced ? pace_of(site, e->dataset) : 0,
            due = now + SETTLE_MS;
    enum odp_status st = ODP_OK;
    if (every > 0)
        st = find_held(w, p, e, now, &held, a);
    if (st == ODP_OK && held == NULL && every > 0)
        st = due_of(w, e, every, now, &due);
    if (st != ODP_OK)
        return st;
    if (held == NULL) {
        held = &p->items[p->n++];
        memset(held, 0, sizeof *held);
        held->e.key = e->key;
        held->e.due = due;
        held->data = json_incref(e->data);
    } else if (odp_event_merge(held->data, e->data) != ODP_OK) {
        return ODP_FAIL;
    }
    held->e.type = e->type;
    held->e.dataset = e->dataset != NULL ? e->dataset : "";
    held->e.site = site->dir;
    return ODP_OK;
}

static enum odp_status store_one(struct odp_webhooks *w, struct planned *x, int64_t now)
{
    struct odp_buffer data;
    odp_buffer_init(&data);
    enum odp_status st = odp_doc_print(&data, x->data, JSON_COMPACT);
    x->e.data = odp_buffer_cstr(&data);
    if (st == ODP_OK)
        st = odp_buffer_status(&data);
    if (st == ODP_OK && x->joins == 0)
        st = odp_webhook_event_add(w->s->db, &x->e, now);
    else if (st == ODP_OK)
        st = odp_store_run(w->s->db,
                           "UPDATE webhook_event SET data = ?, site = ?, upto = (SELECT coalesce(max(id), 0) FROM webhook)"
                           " WHERE id = ?",
                           "tti", x->e.data, x->e.site, x->joins);
    odp_buffer_release(&data);
    return st == ODP_DONE ? ODP_OK : st;
}

static enum odp_status store(struct odp_webhooks *w, const struct odp_event_line *line, struct plan *p, int64_t now)
{
    enum odp_status st = odp_webhook_begin(w);
    if (st != ODP_OK)
        return st;
    st = line_add(w->s->db, line, seconds(now));
    bool known = st == ODP_DONE;
    for (size_t i = 0; i < p->n && st == ODP_OK; i++)
        st = store_one(w, &p->items[i], now);
    st = odp_webhook_end(w, known ? ODP_OK : st);
    for (size_t i = 0; i < p->n && st == ODP_OK && !known; i++)
        odp_webhook_event_count(w, p->items[i].e.type);
    return st;
}

/* Messages told before a renaming have the former slug. */
static enum odp_status forget(struct odp_webhooks *w, const struct odp_site *site, const char *dataset)
{
    const json_t *former = json_object_get(odp_site_entry(site, dataset), "odp:formerSlugs"), *one;
    enum odp_status st = odp_webhook_tell_forget(w, dataset);
    size_t i;
    json_array_foreach(former, i, one)
    {
        const char *slug = json_string_value(json_object_get(one, "slug"));
        if (slug != NULL && st == ODP_OK)
            st = odp_webhook_tell_forget(w, slug);
    }
    return st;
}

static enum odp_status tell_line(struct odp_webhooks *w, const struct odp_webhook_site *site, const struct odp_event_line *line,
                                 int64_t now)
{
    struct odp_event_list list = {0};
    struct odp_diags *diags = NULL;
    struct odp_arena a;
    struct plan p = {0};
    odp_arena_init(&a);
    enum odp_status st = odp_diags_new(&diags, 0);
    if (st == ODP_OK)
        st = odp_events_of_line(site->site, line, site->base_url, &list, &a, diags);
    if (st == ODP_BAD) {
        odp_log("warning", "webhooks: line %llu of the site's log cannot be told as it should", (unsigned long long)line->n);
        st = ODP_OK;
    }
    if (st == ODP_OK) /* each event may bring a held one with it */
        st = (p.items = odp_arena_zero(&a, 2 * list.n + 1, sizeof *p.items)) != NULL ? ODP_OK : ODP_FAIL;
    for (size_t i = 0; i < list.n && st == ODP_OK; i++) /* before the line is known: a kill in between repeats it */
        if (list.items[i].type == ODP_EVENT_WITHDRAWN && list.items[i].dataset != NULL)
            st = forget(w, site->site, list.items[i].dataset);
    for (size_t i = 0; i < list.n && st == ODP_OK; i++)
        st = plan_one(w, site, &p, &list.items[i], now, &a);
    if (st == ODP_OK)
        st = store(w, line, &p, now);
    plan_release(&p);
    odp_events_release(&list);
    odp_diags_free(diags);
    odp_arena_release(&a);
    return st;
}

/* ---- the site ---- */

static enum odp_status tell_lines(struct odp_webhooks *w, const struct odp_webhook_site *site,
                                  const struct odp_event_line *lines, size_t n, int64_t now)
{
    bool first = false;
    enum odp_status st = is_first(w, &first);
    if (st == ODP_OK && first)
        return know_all(w, lines, n, now);
    for (size_t i = 0; i < n && st == ODP_OK && !odp_webhook_stopped(w); i++) {
        int64_t known = 0;
        st = odp_store_number(w->tell->db, &known, "SELECT 1 FROM webhook_line WHERE digest = ?", "b",
                              (const void *)lines[i].digest, ODP_SHA256_SIZE);
        if (st == ODP_DONE)
            st = tell_line(w, site, &lines[i], now);
    }
    return st;
}

static enum odp_status read_log(struct odp_webhooks *w, const struct odp_webhook_site *site, int64_t now)
{
    struct odp_event_line *lines = NULL;
    struct odp_diags *diags = NULL;
    struct odp_buffer text;
    struct odp_arena a;
    const char *why = "it cannot be read";
    size_t n = 0;
    odp_buffer_init(&text);
    odp_arena_init(&a);
    enum odp_status st = odp_diags_new(&diags, 0);
    if (st == ODP_OK)
        st = odp_log_read(site->site, &text, diags);
    if (st == ODP_OK)
        st = odp_events_lines(odp_buffer_slice(&text), &lines, &n, &a, &why);
    if (st == ODP_BAD && w->tell->again == 0)
        odp_log("error", "webhooks: releases.log of the site %s: %s; nothing is told until a build has a whole one",
                strrchr(site->dir, '/') + 1, why);
    if (st == ODP_OK)
        st = tell_lines(w, site, lines, n, now);
    odp_diags_free(diags);
    odp_arena_release(&a);
    odp_buffer_release(&text);
    return st;
}

static enum odp_status open_and_tell(struct odp_webhooks *w, int64_t now)
{
    struct odp_webhook_site *site = NULL;
    enum odp_status st = odp_webhook_site_open(&site, w->tell->dir);
    if (st == ODP_BAD && w->tell->again == 0)
        odp_log("error", "webhooks: the site %s cannot be read", strrchr(w->tell->dir, '/') + 1);
    if (st != ODP_OK)
        return st;
    odp_webhook_site_set_take(w, site);
    site = odp_webhook_site_hold(w);
    st = read_log(w, site, now);
    odp_webhooks_drop(w, site);
    return st;
}

enum odp_status odp_webhook_tell_site(struct odp_webhooks *w, int64_t now)
{
    struct webhook_tell *t = w->tell;
    pthread_mutex_lock(&w->lock);
    bool other = strcmp(w->wanted, t->dir) != 0;
    if (other)
        memcpy(t->dir, w->wanted, sizeof t->dir);
    pthread_mutex_unlock(&w->lock);
    if (other) {
        t->taken = false;
        t->again = 0;
    }
    if (t->dir[0] == '\0' || t->taken || (!other && now < t->again && t->again - now <= RETRY_MS))
        return ODP_OK;
    enum odp_status st = open_and_tell(w, now);
    t->taken = st == ODP_OK && !odp_webhook_stopped(w);
    t->again = st == ODP_BAD ? now + RETRY_MS : 0;
    pthread_mutex_lock(&w->lock);
    w->figures.site_ok = st == ODP_OK;
    pthread_mutex_unlock(&w->lock);
    return st;
}
