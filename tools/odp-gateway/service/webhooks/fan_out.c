/* From an event to messages and deliveries.
 *
 * First the published files answer the filters of all subscriptions, each once, without the mutex and without
 * a read transaction. Then subscriptions get their deliveries in the order of their numbers, a batch in a
 * transaction with webhook_event.told, from which a killed process goes on; it finds messages that exist by
 * their body. */
#include <stdlib.h>
#include <time.h>

#include "base/json_load.h"
#include "published/doc.h"
#include "service/state/log.h"
#include "service/webhooks/webhooks_internal.h"
#include "words/webhooks.h"

/* Of more than GROUPS different filters the next ones are asked when these subscriptions have their
 * deliveries. MATCH_MS: processor time for all filters of an event; a filter that was not asked in it is not
 * applied. */
enum { GROUPS = 512, BATCH = 100, MATCH_MS = 60000 };

struct group {          /* all that have the same filter */
    const char *filter; /* "": none */
    bool json, relevant;
    bool fresh;             /* MESSAGE was made in the transaction that is open */
    json_t *match;          /* ours; NULL: none */
    int64_t message;        /* number; 0: not stored yet */
    struct odp_buffer body; /* empty: not made yet */
};
struct batch {
    struct group *groups[BATCH];
    char names[BATCH][ODP_WEBHOOK_ID];
    int64_t ids[BATCH], last; /* LAST: told up to here with it */
    size_t n;
    bool end;     /* of the event */
    bool unknown; /* the next one has a filter that was not asked */
};
struct fan {
    struct odp_webhooks *w;
    struct odp_sql look; /* the announcer's own connection */
    int64_t now;
    int64_t id, account, created, upto, told;
    enum odp_event_type type;
    const char *key, *dataset, *dir;
    const char *slugs; /* JSON array: the dataset's names, former ones, too */
    json_t *data;
    bool resumed;  /* some have it since before a kill */
    int64_t began; /* ms of the thread's processor time */
    /* CURRENT: the current site; OURS: that of the event, if it is another */
    struct odp_webhook_site *current, *ours;
    struct group groups[GROUPS];
    size_t ngroups;
    struct odp_arena arena, filters; /* FILTERS: texts of the groups */
};

/* ---- the event ---- */

static const struct odp_site *site_of(const struct fan *f)
{
    const struct odp_webhook_site *site = f->ours != NULL ? f->ours : f->current;
    return site != NULL ? site->site : NULL;
}

/* The build that showed it, if it still exists; else the current one, which descends from it. */
static void find_site(struct fan *f)
{
    f->current = odp_holder_acquire(&f->w->site);
    if (f->dir[0] == '\0' || (f->current != NULL && strcmp(f->current->dir, f->dir) == 0))
        return;
    if (odp_webhook_site_open(&f->ours, f->dir) != ODP_OK)
        odp_failure_clear();
}

static void find_slugs(struct fan *f)
{
    const struct odp_site *site = site_of(f);
    const json_t *entry = site != NULL ? odp_site_entry(site, f->dataset) : NULL, *one;
    json_t *slugs = json_pack("[s]", f->dataset);
    struct odp_buffer text = {0};
    size_t i;
    json_array_foreach(json_object_get(entry, "odp:formerSlugs"), i, one)(void)
        json_array_append(slugs, json_object_get(one, "slug"));
    f->look.st = odp_doc_print(&text, slugs, JSON_COMPACT);
    f->slugs = odp_arena_str(&f->arena, odp_buffer_cstr(&text));
    odp_buffer_release(&text);
    json_decref(slugs);
}

/* DONE: none is due. BAD: it cannot be read (f->id says which). */
static enum odp_status read_event(struct fan *f)
{
    struct odp_sql *q = &f->look;
    odp_sql_select(q,
                   "SELECT id, account, created, upto, told, key, type, dataset, data, site"
                   " FROM webhook_event WHERE done = 0 AND due <= ? ORDER BY due, id LIMIT 1",
                   "i", f->now);
    if (!odp_sql_next(q, "iiiii", &f->id, &f->account, &f->created, &f->upto, &f->told))
        return q->st == ODP_OK ? ODP_DONE : q->st;
    int found = odp_event_find(odp_slice_of(webhook_text(q, 6, &f->arena)));
    const char *data = webhook_text(q, 8, &f->arena);
    f->key = webhook_text(q, 5, &f->arena);
    f->type = (enum odp_event_type)found;
    f->dataset = webhook_text(q, 7, &f->arena);
    f->data = odp_json_load(data, strlen(data), 0, NULL);
    f->dir = webhook_text(q, 9, &f->arena);
    f->resumed = f->told > 0;
    q->st = odp_sql_end(q);
    return f->look.st == ODP_OK && (found < 0 || f->data == NULL) ? ODP_BAD : f->look.st;
}

/* ---- groups ---- */

static void groups_clear(struct fan *f)
{
    for (size_t i = 0; i < f->ngroups; i++) {
        json_decref(f->groups[i].match);
        odp_buffer_release(&f->groups[i].body);
    }
    f->ngroups = 0;
    odp_arena_reset(&f->filters);
}

static struct group *find_group(struct fan *f, const char *filter, bool json)
{
    for (size_t i = 0; i < f->ngroups; i++)
        if (f->groups[i].json == json && strcmp(f->groups[i].filter, filter) == 0)
            return &f->groups[i];
    return NULL;
}

#define FILTER      "CASE ?7 WHEN 1 THEN filter ELSE '' END"
#define FILTER_JSON "(?7 = 1 AND filter <> '' AND filter_json)"
/* Those who are still to get it. */
#define AUDIENCE                                                                                             \
    " FROM webhook w WHERE id > ?1 AND id <= ?2 AND state IN ('active', 'paused') AND (?3 = 0 OR account = " \
    "?3)"                                                                                                    \
    " AND " ODP_WEBHOOK_HAS_KEY(                                                                             \
        "?4") " AND instr(' ' || events || ' ', ' ' || ?5 || ' ') > 0"                                       \
              " AND (datasets = '' OR ?6 = '[\"\"]' OR EXISTS (SELECT 1 FROM json_each(?6) s"                \
              " WHERE instr(' ' || datasets || ' ', ' ' || s.value || ' ') > 0))"

static void select_audience(struct fan *f, const char *sql)
{
    bool filtered = f->type == ODP_EVENT_VERSION_PUBLISHED || f->type == ODP_EVENT_CORRECTED;
    odp_sql_select(&f->look, sql, "iiiittii", f->told, f->upto, f->account, f->now / 1000,
                   odp_event_info(f->type)->name, f->slugs, (int64_t)filtered, (int64_t)BATCH);
}

static void read_groups(struct fan *f)
{
    select_audience(f, "SELECT " FILTER " AS text, " FILTER_JSON " AS is_json" AUDIENCE
                       " GROUP BY text, is_json ORDER BY min(id) LIMIT 512 * (?8 > 0)");
    _Static_assert(GROUPS == 512, "the limit of the statement");
    while (odp_sql_next(&f->look, "")) {
        struct group *g = &f->groups[f->ngroups++];
        *g = (struct group){.filter = webhook_text(&f->look, 0, &f->filters),
                            .json = sqlite3_column_int(f->look.row, 1) != 0,
                            .relevant = true};
    }
}

/* ---- filters ---- */

/* They cannot be asked at all. */
static json_t *not_applied(void)
{
    static const struct odp_text why = {{W_webhooks_site_cannot_read}};
    return json_pack("{s:b, s:{s:s, s:s}}", "applied", 0, "why", "id", odp_text_get(&why, ODP_LANG_ID), "en",
                     odp_text_get(&why, ODP_LANG_EN));
}

static int64_t processor_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* At the end of the service the answers are not used. */
static bool go_on(void *ctx)
{
    const struct fan *f = ctx;
    return processor_ms() - f->began < MATCH_MS && !odp_webhook_stopped(f->w);
}

static void match(struct fan *f)
{
    struct odp_event_filter filters[GROUPS];
    struct odp_event_match found[GROUPS] = {{0}};
    struct group *asked[GROUPS];
    struct odp_diags *diags = NULL;
    struct odp_arena a = {0};
    size_t n = 0;
    for (size_t i = 0; i < f->ngroups && f->look.st == ODP_OK; i++)
        if (f->groups[i].filter[0] != '\0') {
            filters[n] = (struct odp_event_filter){f->groups[i].filter, f->groups[i].json};
            asked[n++] = &f->groups[i];
        }
    const struct odp_site *site = site_of(f);
    const struct odp_event_match_limits limits = {go_on, f};
    enum odp_status st = site != NULL && n > 0 ? odp_diags_new(&diags, 0) : ODP_BAD;
    if (st == ODP_OK)
        st = odp_event_match(&(struct odp_event_matching){&limits, site, f->data, &a, diags}, filters, n,
                             found);
    for (size_t i = 0; i < n && st != ODP_FAIL; i++) {
        asked[i]->match = st == ODP_OK ? json_incref(found[i].json) : not_applied();
        asked[i]->relevant = st != ODP_OK || found[i].relevant;
    }
    odp_event_matches_release(found, n);
    odp_diags_free(diags);
    odp_arena_release(&a);
    if (st == ODP_FAIL)
        f->look.st = st;
}

/* ---- messages ---- */

/* The group's body, or, after a kill, the message that exists already. */
static void make_body(struct fan *f, struct group *g)
{
    if (g->message != 0 || g->body.len > 0)
        return;
    odp_buffer_reset(&g->body);
    f->look.st = odp_event_message(&g->body, f->type, f->created, f->data, g->match);
    if (f->resumed)
        g->message = odp_sql_number(&f->look, "SELECT id FROM webhook_message WHERE event = ? AND body = ?",
                                    "is", f->id, odp_buffer_slice(&g->body));
}

static void read_batch(struct fan *f, struct batch *b)
{
    size_t rows = 0;
    struct odp_sql *q = &f->look;
    select_audience(f, "SELECT id, " FILTER_JSON ", name, " FILTER AUDIENCE " ORDER BY id LIMIT ?8");
    *b = (struct batch){.last = f->told};
    for (;; rows++) {
        char name[ODP_WEBHOOK_NAME];
        int64_t id;
        bool json;
        if (!odp_sql_next(q, "ift", &id, &json, name, sizeof name))
            break;
        const char *filter = (const char *)sqlite3_column_text(q->row, 3);
        struct group *g = filter != NULL ? find_group(f, filter, json) : NULL;
        b->unknown = g == NULL;
        if (filter == NULL)
            q->st = odp_failure_set("read a webhook", NULL, 0);
        if (g == NULL)
            break;
        b->last = id;
        if (!g->relevant)
            continue;
        make_body(f, g);
        if (q->st == ODP_OK)
            q->st = odp_webhook_message_id(b->names[b->n], f->key, name);
        b->groups[b->n] = g;
        b->ids[b->n++] = id;
    }
    q->st = odp_sql_end(q);
    b->end = rows < BATCH && !b->unknown;
    if (b->end && b->last < f->upto)
        b->last = f->upto;
}

static void add_deliveries(struct odp_sql *q, const struct batch *b, int64_t now)
{
    struct odp_buffer list; /* [[number, webhook-id, message], …] */
    odp_buffer_init(&list);
    for (size_t i = 0; i < b->n; i++)
        odp_buffer_printf(&list, "%c[%lld,\"%s\",%lld]", i > 0 ? ',' : '[', (long long)b->ids[i], b->names[i],
                          (long long)b->groups[i]->message);
    odp_buffer_add_char(&list, ']');
    if (q->st == ODP_OK)
        q->st = odp_buffer_status(&list);
    odp_sql_run(q, /* some may be deleted or disabled by now */
                "INSERT INTO webhook_delivery(name, webhook, message, state, next, created)"
                " SELECT x.value ->> 1, w.id, x.value ->> 2, 'pending', ?2, ?2 FROM json_each(?1) x CROSS "
                "JOIN webhook w"
                " ON w.id = x.value ->> 0 WHERE w.state IN ('active', 'paused') ON CONFLICT(name) DO NOTHING",
                "ti", odp_buffer_cstr(&list), now);
    odp_buffer_release(&list);
}

/* DONE: the event is gone, its account was forgotten. */
static enum odp_status write_batch(struct fan *f, struct batch *b)
{
    struct odp_sql q = odp_webhook_begin(f->w);
    if (odp_sql_number(&q, "SELECT 1 FROM webhook_event WHERE id = ? AND done = 0", "i", f->id) == 0 &&
        q.st == ODP_OK)
        q.st = ODP_DONE;
    for (size_t i = 0; i < b->n && q.st == ODP_OK; i++) {
        struct group *g = b->groups[i];
        g->fresh = g->fresh || g->message == 0;
        if (g->message == 0)
            g->message = odp_webhook_message_add(&q, f->id, f->type, f->now, odp_buffer_slice(&g->body));
    }
    if (b->n > 0)
        add_deliveries(&q, b, f->now);
    odp_sql_run(&q, "UPDATE webhook_event SET told = ?, done = ? WHERE id = ?", "iii", b->last,
                (int64_t)b->end, f->id);
    enum odp_status st = odp_webhook_end(f->w, &q);
    for (size_t i = 0; i < b->n; i++) {
        struct group *g = b->groups[i];
        if (g->fresh && st == ODP_OK)
            odp_buffer_release(&g->body);
        else if (g->fresh)
            g->message = 0;
        g->fresh = false;
    }
    if (st != ODP_OK)
        return st;
    if (b->n > 0)
        odp_webhook_new_deliveries(f->w);
    odp_webhook_yield();
    return ODP_OK;
}

static enum odp_status deliver_event(struct fan *f)
{
    struct batch b = {.unknown = true};
    f->slugs = "[\"\"]";
    if (f->dataset[0] != '\0') {
        find_site(f);
        find_slugs(f);
    }
    while (!b.end && f->look.st == ODP_OK && !odp_webhook_stopped(f->w)) {
        if (b.unknown) {
            groups_clear(f);
            read_groups(f);
            match(f);
        }
        if (f->look.st == ODP_OK)
            read_batch(f, &b);
        f->told = b.last;
        if (f->look.st == ODP_OK && (b.n > 0 || b.end))
            f->look.st = write_batch(f, &b);
    }
    return f->look.st;
}

/* An event that cannot be read would hold up all others. */
static enum odp_status give_up(struct fan *f)
{
    odp_log("error", "webhooks: event %lld of the store cannot be read and is not told", (long long)f->id);
    struct odp_sql q = odp_webhook_begin(f->w);
    odp_sql_run(&q, "UPDATE webhook_event SET done = 1 WHERE id = ?", "i", f->id);
    return odp_webhook_end(f->w, &q);
}

/* The oldest event that is due. DONE: there is none. */
static enum odp_status deliver_next(struct fan *f)
{
    odp_arena_init(&f->arena);
    odp_arena_init(&f->filters);
    enum odp_status st = read_event(f);
    bool none = st == ODP_DONE;
    if (st == ODP_OK)
        st = deliver_event(f);
    else if (st == ODP_BAD)
        st = give_up(f);
    groups_clear(f);
    json_decref(f->data);
    odp_holder_drop(&f->w->site, f->current);
    odp_webhook_site_free(f->ours);
    odp_arena_release(&f->arena);
    odp_arena_release(&f->filters);
    return none ? ODP_DONE : st == ODP_DONE ? ODP_OK : st;
}

enum odp_status odp_webhook_fan_out(struct odp_webhooks *w, int64_t now)
{
    enum odp_status st = ODP_OK;
    struct fan *f = odp_realloc_array(NULL, 1, sizeof *f);
    while (f != NULL && st == ODP_OK && !odp_webhook_stopped(w)) {
        memset(f, 0, sizeof *f);
        f->w = w;
        f->look = (struct odp_sql){.db = w->announcer->db};
        f->now = now;
        f->began = processor_ms();
        st = deliver_next(f);
    }
    free(f);
    return f == NULL ? ODP_FAIL : st == ODP_DONE ? ODP_OK : st;
}
