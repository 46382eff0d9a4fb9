/* From the site's log to events.
 *
 * A line is known by its digest (webhook_line). A new line becomes events, stored in one transaction with it,
 * so a kill leaves both or neither. At the first start all lines of the log are taken as known, which may
 * need several transactions: these lines have seen = 0, and a row of 32 zero bytes with seen > 0 ends it.
 *
 * After a rollback the log is shorter, and the next build's line is a new one. A store restored from a backup
 * does not know the newest lines: they are announced again, with the same ids, which come from the line. */
#include "base/json_load.h"
#include "published/doc.h"
#include "published/release_log.h"
#include "service/state/log.h"
#include "service/webhooks/webhooks_internal.h"

/* SETTLE: an event waits this long after the switch. nginx's workers look for a switch ten times a second,
 * and addresses in a message must not answer 404. */
enum { KNOWN_BATCH = 500, RETRY_MS = 30000, SETTLE_MS = 250 };

/* False: it is known already. */
static bool line_add(struct odp_sql *q, const struct odp_event_line *line, int64_t seen)
{
    odp_sql_run(q, "INSERT INTO webhook_line(digest, n, seen) VALUES(?, ?, ?) ON CONFLICT DO NOTHING", "bii",
                (const void *)line->digest, ODP_SHA256_SIZE, (int64_t)line->n, seen);
    return q->st == ODP_OK && sqlite3_changes(q->db) > 0;
}

/* Never 0: that means that the first start has not ended. */
static int64_t seconds(int64_t now)
{
    return now >= 1000 ? now / 1000 : 1;
}

/* ---- the first start ---- */

static enum odp_status know_all(struct odp_webhooks *w, const struct odp_event_line *lines, size_t n,
                                int64_t now)
{
    static const struct odp_event_line end = {.n = 0};
    enum odp_status st = ODP_OK;
    for (size_t i = 0; i <= n && st == ODP_OK; odp_webhook_yield()) {
        struct odp_sql q = odp_webhook_begin(w);
        size_t stop = i + KNOWN_BATCH < n ? i + KNOWN_BATCH : n;
        for (; i < stop; i++)
            (void)line_add(&q, &lines[i], 0);
        if (i == n)
            (void)line_add(&q, &end, seconds(now));
        st = odp_webhook_end(w, &q);
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
    struct odp_webhooks *w;
    const struct odp_webhook_site *site;
    int64_t now;
    struct odp_sql look; /* the teller's own connection */
    struct planned *items;
    size_t n;
    struct odp_arena a;
};

static int64_t pace_of(const struct odp_webhook_site *site, const char *slug)
{
    for (size_t i = 0; i < site->settings.npaces; i++)
        if (strcmp(site->settings.paces[i].slug, slug) == 0)
            return site->settings.paces[i].every;
    return 0;
}

/* The event that waits for the same dataset and type: of this line, or of the store. NULL: none. */
static struct planned *find_waiting(struct plan *p, const struct odp_event *e)
{
    struct planned *x = &p->items[p->n];
    for (size_t i = 0; i < p->n; i++)
        if (p->items[i].e.type == e->type && strcmp(p->items[i].e.dataset, e->dataset) == 0 &&
            p->items[i].e.due > p->now)
            return &p->items[i];
    *x = (struct planned){0};
    odp_sql_select(&p->look,
                   "SELECT id, due, key, data FROM webhook_event"
                   " WHERE dataset = ? AND type = ? AND due > ? AND done = 0 AND told = 0"
                   " AND json_valid(data) ORDER BY due LIMIT 1", /* the fan-out reports others */
                   "tti", e->dataset, odp_event_info(e->type)->name, p->now);
    if (!odp_sql_next(&p->look, "ii", &x->joins, &x->e.due))
        return NULL;
    const char *data = webhook_text(&p->look, 3, &p->a);
    x->data = odp_json_load(data, strlen(data), 0, NULL);
    x->e.key = webhook_text(&p->look, 2, &p->a);
    p->look.st = odp_sql_end(&p->look);
    if (x->data == NULL)
        p->look.st = odp_failure_set("read JSON", "event", 0);
    p->n++;
    return x;
}

/* When it may go: at once, or EVERY after the last one of its kind. */
static int64_t due_of(struct plan *p, const struct odp_event *e, int64_t every)
{
    int64_t due = p->now + SETTLE_MS;
    int64_t last = odp_sql_number(
        &p->look, "SELECT coalesce(max(due), 0) FROM webhook_event WHERE dataset = ? AND type = ?", "tt",
        e->dataset, odp_event_info(e->type)->name);
    if (last > p->now) /* the clock went back */
        last = p->now;
    return last > 0 && due - last < every ? last + every : due;
}

static void plan_one(struct plan *p, const struct odp_event *e)
{
    int64_t every =
        e->dataset != NULL && odp_event_info(e->type)->coalesced ? pace_of(p->site, e->dataset) : 0;
    struct planned *x = every > 0 ? find_waiting(p, e) : NULL;
    if (x == NULL) {
        x = &p->items[p->n++];
        *x = (struct planned){.data = json_incref(e->data)};
        x->e.key = e->key;
        x->e.due = every > 0 ? due_of(p, e, every) : p->now + SETTLE_MS;
    } else if (p->look.st == ODP_OK) {
        p->look.st = odp_event_merge(x->data, e->data);
    }
    x->e.type = e->type;
    x->e.dataset = odp_or_empty(e->dataset);
    x->e.site = p->site->dir;
}

static void store_one(struct odp_sql *q, struct planned *x, int64_t now)
{
    struct odp_buffer data = {0};
    if (q->st == ODP_OK)
        q->st = odp_doc_print(&data, x->data, JSON_COMPACT);
    x->e.data = odp_buffer_cstr(&data);
    if (x->joins == 0)
        (void)odp_webhook_event_add(q, &x->e, now);
    else
        odp_sql_run(
            q,
            "UPDATE webhook_event SET data = ?, site = ?, upto = (SELECT coalesce(max(id), 0) FROM webhook)"
            " WHERE id = ?",
            "tti", x->e.data, x->e.site, x->joins);
    odp_buffer_release(&data);
}

static enum odp_status store(struct plan *p, const struct odp_event_line *line)
{
    struct odp_sql q = odp_webhook_begin(p->w);
    bool fresh = line_add(&q, line, seconds(p->now));
    for (size_t i = 0; i < p->n && fresh; i++)
        store_one(&q, &p->items[i], p->now);
    enum odp_status st = odp_webhook_end(p->w, &q);
    for (size_t i = 0; i < p->n && st == ODP_OK && fresh; i++)
        odp_webhook_event_count(p->w, p->items[i].e.type);
    return st;
}

/* Messages from before a renaming have the former slug. */
static enum odp_status forget_dataset(struct plan *p, const char *dataset)
{
    const json_t *former = json_object_get(odp_site_entry(p->site->site, dataset), "odp:formerSlugs"), *one;
    enum odp_status st = odp_webhook_forget_keys(p->w, dataset);
    size_t i;
    json_array_foreach(former, i, one)
    {
        const char *slug = odp_json_text(one, "slug");
        if (slug != NULL && st == ODP_OK)
            st = odp_webhook_forget_keys(p->w, slug);
    }
    return st;
}

static enum odp_status store_events(struct plan *p, const struct odp_event_line *line,
                                    const struct odp_event_list *list)
{
    enum odp_status st = ODP_OK;
    p->items =
        odp_arena_zero(&p->a, 2 * list->n + 1, sizeof *p->items); /* each event may bring one that waits */
    for (size_t i = 0; i < list->n && st == ODP_OK;
         i++) /* before the line is known: after a kill it is repeated */
        if (list->items[i].type == ODP_EVENT_WITHDRAWN && list->items[i].dataset != NULL)
            st = forget_dataset(p, list->items[i].dataset);
    p->look.st = st;
    for (size_t i = 0; i < list->n && p->look.st == ODP_OK; i++)
        plan_one(p, &list->items[i]);
    st = p->look.st == ODP_OK ? store(p, line) : p->look.st;
    for (size_t i = 0; i < p->n; i++)
        json_decref(p->items[i].data);
    return st;
}

static enum odp_status read_line(struct odp_webhooks *w, const struct odp_webhook_site *site,
                                 const struct odp_event_line *line, int64_t now)
{
    struct odp_event_list list = {0};
    struct odp_diags *diags = NULL;
    struct plan p = {.w = w, .site = site, .now = now, .look = {w->announcer->db, ODP_OK}};
    enum odp_status st = odp_diags_new(&diags, 0);
    if (st == ODP_OK)
        st = odp_events_of_line(site->site, line, site->settings.shared.base_url, &list, &p.a, diags);
    if (st == ODP_BAD)
        odp_log("warning", "webhooks: line %llu of the site's log cannot be told as it should",
                (unsigned long long)line->n);
    if (st != ODP_FAIL)
        st = store_events(&p, line, &list);
    odp_events_release(&list);
    odp_diags_free(diags);
    odp_arena_release(&p.a);
    return st;
}

/* ---- the site ---- */

static enum odp_status read_new_lines(struct odp_webhooks *w, const struct odp_webhook_site *site,
                                      const struct odp_event_line *lines, size_t n, int64_t now)
{
    struct odp_sql q = {.db = w->announcer->db};
    bool first = odp_sql_number(&q,
                                "SELECT 1 WHERE EXISTS (SELECT 1 FROM webhook_line WHERE seen > 0)"
                                " OR EXISTS (SELECT 1 FROM webhook_event)",
                                "") == 0;
    if (q.st == ODP_OK && first)
        return know_all(w, lines, n, now);
    for (size_t i = 0; i < n && q.st == ODP_OK && !odp_webhook_stopped(w); i++) {
        bool known = odp_sql_number(&q, "SELECT 1 FROM webhook_line WHERE digest = ?", "b",
                                    (const void *)lines[i].digest, ODP_SHA256_SIZE) != 0;
        if (!known && q.st == ODP_OK)
            q.st = read_line(w, site, &lines[i], now);
    }
    return q.st;
}

static enum odp_status read_log(struct odp_webhooks *w, const struct odp_webhook_site *site, int64_t now)
{
    struct odp_event_line *lines = NULL;
    struct odp_diags *diags = NULL;
    struct odp_buffer text = {0};
    struct odp_arena a = {0};
    const char *why = "it cannot be read";
    size_t n = 0;
    enum odp_status st = odp_diags_new(&diags, 0);
    if (st == ODP_OK)
        st = odp_log_read(site->site, &text, diags);
    if (st == ODP_OK)
        st = odp_events_lines(odp_buffer_slice(&text), &lines, &n, &a, &why);
    if (st == ODP_BAD && w->announcer->again == 0)
        odp_log("error",
                "webhooks: releases.log of the site %s: %s; nothing is told until a build has a whole one",
                strrchr(site->dir, '/') + 1, why);
    if (st == ODP_OK)
        st = read_new_lines(w, site, lines, n, now);
    odp_diags_free(diags);
    odp_arena_release(&a);
    odp_buffer_release(&text);
    return st;
}

static enum odp_status open_and_read(struct odp_webhooks *w, int64_t now)
{
    struct odp_webhook_site *site = NULL;
    enum odp_status st = odp_webhook_site_open(&site, w->announcer->dir);
    if (st == ODP_BAD && w->announcer->again == 0)
        odp_log("error", "webhooks: the site %s cannot be read", strrchr(w->announcer->dir, '/') + 1);
    if (st != ODP_OK)
        return st;
    odp_holder_set_take(&w->site, site);
    site = odp_holder_acquire(&w->site);
    st = read_log(w, site, now);
    odp_holder_drop(&w->site, site);
    return st;
}

enum odp_status odp_webhook_read_site(struct odp_webhooks *w, int64_t now)
{
    struct webhook_announcer *t = w->announcer;
    pthread_mutex_lock(&w->lock);
    bool other = strcmp(w->wanted, t->dir) != 0;
    memcpy(t->dir, w->wanted, sizeof t->dir);
    pthread_mutex_unlock(&w->lock);
    if (other) {
        t->taken = false;
        t->again = 0;
    }
    if (t->dir[0] == '\0' || t->taken || (!other && now < t->again && t->again - now <= RETRY_MS))
        return ODP_OK;
    enum odp_status st = open_and_read(w, now);
    t->taken = st == ODP_OK && !odp_webhook_stopped(w);
    t->again = st == ODP_BAD ? now + RETRY_MS : 0;
    pthread_mutex_lock(&w->lock);
    w->figures.site_ok = st == ODP_OK;
    pthread_mutex_unlock(&w->lock);
    return st;
}
