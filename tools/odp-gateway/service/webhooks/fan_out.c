/* From events to messages and deliveries.
 *
 * Subscriptions are taken in order of their numbers, some thousand at a time (a window): read, grouped by equal filter, the
 * filters asked of the published files (without the mutex, and without a read transaction), then written a hundred at a time,
 * each transaction with webhook_event.told. A filter is asked once an event, unless there are more different ones than GROUPS.
 * After a kill it goes on at told; messages that are there are found by their body. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "service/state/log.h"
#include "base/json_load.h"
#include "service/webhooks/teller_internal.h"

/* MATCH_MS: processor time that filters of one event may take, all windows together; what was not asked then is told
 * unfiltered. */
enum { WINDOW = 5000, GROUPS = 512, BATCH = 100, SLUGS = 32, MATCH_MS = 60000 };

struct group {
    const char *filter; /* "": none */
    bool json, matched, relevant;
    uint32_t hash;
    json_t *match;   /* ours; NULL: none */
    int64_t message; /* number; 0: not stored yet */
    bool has_body;
    struct odp_buffer body;
};
struct one {
    int64_t id;
    char name[ODP_WEBHOOK_NAME];
    uint32_t group;
};
struct fan {
    struct odp_webhooks *w;
    int64_t now;
    int64_t id, account, created, upto, told;
    enum odp_event_type type;
    const char *key, *dataset, *site;
    json_t *data;
    bool resumed;             /* some were told before we came */
    int64_t began;            /* ms of the thread's processor time */
    const char *slugs[SLUGS]; /* the dataset's, today's first, and former ones */
    size_t nslugs;
    struct odp_webhook_site *held, *ours; /* HELD: the current one; OURS: that of the event, if it is another */
    struct group *groups;
    size_t ngroups;
    struct one *window;
    size_t n;
    bool end;                        /* the window has the last ones */
    struct odp_arena arena, filters; /* FILTERS: texts of the groups */
};

/* ---- the event ---- */

static const struct odp_site *site_of(const struct fan *f)
{
    return f->ours != NULL ? f->ours->site : f->held != NULL ? f->held->site : NULL;
}

/* The build that showed it, while it is there; else the current one, which descends from it. */
static void find_site(struct fan *f)
{
    f->held = odp_webhook_site_hold(f->w);
    if (f->site[0] == '\0' || (f->held != NULL && strcmp(f->held->dir, f->site) == 0))
        return;
    if (odp_webhook_site_open(&f->ours, f->site) != ODP_OK)
        odp_failure_clear();
}

static void find_slugs(struct fan *f)
{
    const struct odp_site *site = site_of(f);
    const json_t *entry = site != NULL ? odp_site_entry(site, f->dataset) : NULL, *one;
    size_t i;
    f->slugs[f->nslugs++] = f->dataset;
    json_array_foreach(json_object_get(entry, "odp:formerSlugs"), i, one)
    {
        const char *slug = json_string_value(json_object_get(one, "slug"));
        if (slug != NULL && f->nslugs < SLUGS)
            f->slugs[f->nslugs++] = slug;
    }
}

/* DONE: none is due. BAD: it cannot be read (f->id says which). */
static enum odp_status read_event(struct fan *f)
{
    sqlite3_stmt *row = NULL;
    enum odp_status st =
        odp_store_prepare(f->w->tell->db, &row,
                          "SELECT id, key, type, dataset, account, created, data, site, upto, told, json_valid(data)"
                          " FROM webhook_event WHERE done = 0 AND due <= ? ORDER BY due, id LIMIT 1",
                          "i", f->now);
    if (st == ODP_OK)
        st = odp_store_step(f->w->tell->db, row);
    if (st == ODP_OK) {
        const char *type = (const char *)sqlite3_column_text(row, 2), *data = (const char *)sqlite3_column_text(row, 6);
        int found = odp_event_find(odp_slice_of(type != NULL ? type : ""));
        f->id = sqlite3_column_int64(row, 0);
        f->key = odp_arena_str(&f->arena, (const char *)sqlite3_column_text(row, 1));
        f->type = (enum odp_event_type)found;
        f->dataset = odp_arena_str(&f->arena, (const char *)sqlite3_column_text(row, 3));
        f->account = sqlite3_column_int64(row, 4);
        f->created = sqlite3_column_int64(row, 5);
        f->data = data != NULL ? odp_json_load(data, strlen(data), 0, NULL) : NULL;
        f->site = odp_arena_str(&f->arena, (const char *)sqlite3_column_text(row, 7));
        f->upto = sqlite3_column_int64(row, 8);
        f->told = sqlite3_column_int64(row, 9);
        f->resumed = f->told > 0;
        if (f->key == NULL || f->dataset == NULL || f->site == NULL)
            st = ODP_FAIL;
        else if (f->data == NULL && sqlite3_column_int(row, 10) != 0) /* jansson does not always say that it was memory */
            st = odp_failure_set("read JSON", "event", 0);
        else if (found < 0 || f->data == NULL)
            st = ODP_BAD;
    }
    sqlite3_finalize(row);
    return st;
}

static bool has_filters(enum odp_event_type t)
{
    return t == ODP_EVENT_VERSION_PUBLISHED || t == ODP_EVENT_CORRECTED;
}

/* ---- the window ---- */

static bool has_word(const char *words, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = words; p != NULL && *p != '\0'; p = strchr(p, ' ')) {
        p += *p == ' ';
        if (strncmp(p, word, n) == 0 && (p[n] == ' ' || p[n] == '\0'))
            return true;
    }
    return false;
}

static bool wants(const struct fan *f, const char *events, const char *datasets)
{
    bool found = datasets[0] == '\0' || f->dataset[0] == '\0';
    for (size_t i = 0; i < f->nslugs && !found; i++)
        found = has_word(datasets, f->slugs[i]);
    return found && has_word(events, odp_event_info(f->type)->name);
}

static uint32_t hash_of(const char *s)
{
    uint32_t h = 2166136261u;
    for (; *s != '\0'; s++)
        h = (h ^ (unsigned char)*s) * 16777619u;
    return h;
}

static void groups_clear(struct fan *f)
{
    for (size_t i = 0; i < f->ngroups; i++) {
        json_decref(f->groups[i].match);
        odp_buffer_release(&f->groups[i].body);
    }
    f->ngroups = 0;
    odp_arena_reset(&f->filters);
}

/* The group of that filter. DONE: there is no room for another one. */
static enum odp_status find_group(struct fan *f, const char *filter, bool json, uint32_t *out)
{
    uint32_t hash = hash_of(filter);
    for (size_t i = 0; i < f->ngroups; i++)
        if (f->groups[i].hash == hash && f->groups[i].json == json && strcmp(f->groups[i].filter, filter) == 0) {
            *out = (uint32_t)i;
            return ODP_OK;
        }
    if (f->ngroups == GROUPS)
        return ODP_DONE;
    struct group *g = &f->groups[f->ngroups];
    *g = (struct group){.json = json, .hash = hash, .relevant = true, .matched = filter[0] == '\0'};
    odp_buffer_init(&g->body);
    g->filter = odp_arena_str(&f->filters, filter);
    *out = (uint32_t)f->ngroups;
    f->ngroups++;
    return ODP_OK;
}

/* One row of the window. DONE: it must wait for the next one. */
static enum odp_status take_row(struct fan *f, sqlite3_stmt *row)
{
    const char *filter = (const char *)sqlite3_column_text(row, 2), *events = (const char *)sqlite3_column_text(row, 4),
               *datasets = (const char *)sqlite3_column_text(row, 5);
    struct one *x = &f->window[f->n];
    if (filter == NULL || events == NULL || datasets == NULL)
        return odp_failure_set("read a webhook", NULL, ENOMEM);
    if (!wants(f, events, datasets))
        return ODP_OK;
    bool asked = has_filters(f->type) && filter[0] != '\0';
    enum odp_status st = find_group(f, asked ? filter : "", asked && sqlite3_column_int(row, 3) != 0, &x->group);
    if (st != ODP_OK)
        return st;
    x->id = sqlite3_column_int64(row, 0);
    odp_store_text(row, 1, x->name, sizeof x->name);
    f->n++;
    return ODP_OK;
}

static enum odp_status read_window(struct fan *f, int64_t after)
{
    sqlite3_stmt *row = NULL;
    f->n = 0;
    enum odp_status st = odp_store_prepare(
        f->w->tell->db, &row,
        "SELECT id, name, filter, filter_json, events, datasets FROM webhook w WHERE id > ?1 AND id <= ?2"
        " AND state IN ('active', 'paused') AND (?3 = 0 OR account = ?3) AND " ODP_WEBHOOK_HAS_KEY(4) " ORDER BY id",
        "iiii", after, f->upto, f->account, f->now / 1000);
    while (st == ODP_OK && f->n < WINDOW && (st = odp_store_step(f->w->tell->db, row)) == ODP_OK) {
        st = take_row(f, row);
        if (st == ODP_DONE) { /* full of filters */
            sqlite3_finalize(row);
            f->end = false;
            return ODP_OK;
        }
    }
    f->end = st == ODP_DONE;
    sqlite3_finalize(row);
    return st == ODP_DONE ? ODP_OK : st;
}

/* ---- filters ---- */

/* They cannot be asked at all: told, and said so. */
static json_t *not_applied(void)
{
    return json_pack("{s:b, s:{s:s, s:s}}", "applied", 0, "why", "id", "Situs yang memuat versi ini tidak dapat dibaca.", "en",
                     "The site that has this version cannot be read.");
}

static int64_t processor_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* At the end of the service nothing of what was found is written. */
static bool go_on(void *ctx)
{
    const struct fan *f = ctx;
    return processor_ms() - f->began < MATCH_MS && !odp_webhook_stopped(f->w);
}

static enum odp_status set_matches(struct group **asked, struct odp_event_match *found, size_t n, bool known)
{
    for (size_t i = 0; i < n; i++) {
        struct group *g = asked[i];
        g->match = known ? json_incref(found[i].json) : not_applied();
        g->relevant = !known || found[i].relevant;
        g->matched = true;
        if (g->match == NULL && !known)
            return odp_failure_set("match", NULL, ENOMEM);
    }
    return ODP_OK;
}

/* Asks what was not asked yet. */
static enum odp_status match(struct fan *f)
{
    struct odp_event_filter filters[GROUPS];
    struct odp_event_match found[GROUPS] = {{0}};
    struct group *asked[GROUPS];
    struct odp_diags *diags = NULL;
    struct odp_arena a;
    size_t n = 0;
    for (size_t i = 0; i < f->ngroups; i++)
        if (!f->groups[i].matched) {
            filters[n] = (struct odp_event_filter){f->groups[i].filter, f->groups[i].json};
            asked[n++] = &f->groups[i];
        }
    const struct odp_site *site = site_of(f);
    if (n == 0)
        return ODP_OK;
    if (site == NULL)
        return set_matches(asked, found, n, false);
    odp_arena_init(&a);
    const struct odp_event_match_limits limits = {go_on, f};
    enum odp_status st = odp_diags_new(&diags, 0);
    if (st == ODP_OK)
        st = odp_event_match_within(&limits, site, f->data, filters, n, found, &a, diags);
    if (st == ODP_OK || st == ODP_BAD)
        st = set_matches(asked, found, n, st == ODP_OK);
    odp_event_matches_release(found, n);
    odp_diags_free(diags);
    odp_arena_release(&a);
    return st;
}

/* ---- messages ---- */

/* The group's body, or, after a kill, the message that is there already. */
static enum odp_status make_body(struct fan *f, struct group *g)
{
    if (g->message != 0 || g->has_body)
        return ODP_OK;
    odp_buffer_reset(&g->body);
    enum odp_status st = odp_event_message(&g->body, f->type, f->created, f->data, g->match);
    if (st == ODP_OK)
        st = odp_buffer_status(&g->body);
    if (st == ODP_OK && f->resumed) {
        st = odp_store_number(f->w->tell->db, &g->message, "SELECT id FROM webhook_message WHERE event = ? AND body = ?", "is",
                              f->id, odp_buffer_slice(&g->body));
        st = st == ODP_DONE ? ODP_OK : st;
    }
    g->has_body = st == ODP_OK;
    return st == ODP_OK ? ODP_OK : ODP_FAIL;
}

struct batch {
    struct {
        struct one *one;
        char name[ODP_WEBHOOK_ID];
    } items[BATCH];
    size_t n;
    struct group *made[BATCH]; /* messages of this transaction: not stored after all if it fails */
    size_t nmade;
    int64_t last; /* told up to here with it */
    bool end;
};

static enum odp_status add_one(struct fan *f, struct batch *b, size_t i, sqlite3_stmt *there)
{
    sqlite3 *db = f->w->s->db;
    const struct one *x = b->items[i].one;
    struct group *g = &f->groups[x->group];
    enum odp_status st = odp_store_again(db, there, "i", x->id);
    if (st == ODP_OK)
        st = odp_store_step(db, there);
    if (st != ODP_OK) /* deleted or disabled since it was read */
        return st == ODP_DONE ? ODP_OK : st;
    if (g->message == 0) {
        st = odp_webhook_message_add(db, f->id, f->type, f->now, odp_buffer_slice(&g->body), &g->message);
        if (st != ODP_OK)
            return st;
        b->made[b->nmade++] = g;
    }
    st = odp_webhook_delivery_add(db, b->items[i].name, x->id, g->message, f->now, f->now);
    return st == ODP_DONE ? ODP_OK : st;
}

/* DONE: the event is gone (its account was forgotten). */
static enum odp_status write_in(struct fan *f, struct batch *b)
{
    sqlite3 *db = f->w->s->db;
    sqlite3_stmt *there = NULL;
    int64_t open = 0;
    enum odp_status st = odp_store_number(db, &open, "SELECT 1 FROM webhook_event WHERE id = ? AND done = 0", "i", f->id);
    if (st == ODP_OK)
        st = odp_store_prepare(db, &there, "SELECT 1 FROM webhook WHERE id = ? AND state IN ('active', 'paused')", "");
    for (size_t i = 0; i < b->n && st == ODP_OK; i++)
        st = add_one(f, b, i, there);
    sqlite3_finalize(there);
    if (st != ODP_OK)
        return st;
    return odp_store_run(db, "UPDATE webhook_event SET told = ?, done = ? WHERE id = ?", "iii", b->last, (int64_t)b->end,
                         f->id);
}

static enum odp_status write_batch(struct fan *f, struct batch *b)
{
    enum odp_status st = odp_webhook_begin(f->w), in = ODP_OK;
    if (st != ODP_OK)
        return st;
    in = write_in(f, b);
    st = odp_webhook_end(f->w, in);
    for (size_t i = 0; i < b->nmade; i++) {
        if (st != ODP_OK)
            b->made[i]->message = 0;
        else
            odp_buffer_release(&b->made[i]->body);
    }
    if (st != ODP_OK)
        return st;
    f->told = b->last;
    if (b->n > 0)
        odp_webhook_new_deliveries(f->w);
    odp_webhook_breathe();
    return ODP_OK;
}

/* The window, a batch after the other. */
static enum odp_status write_window(struct fan *f)
{
    enum odp_status st = ODP_OK;
    for (size_t i = 0; st == ODP_OK && (i < f->n || f->end) && !odp_webhook_stopped(f->w);) {
        struct batch b = {.last = f->told};
        for (; i < f->n && b.n < BATCH && st == ODP_OK; i++) {
            struct one *x = &f->window[i];
            b.last = x->id;
            if (!f->groups[x->group].relevant)
                continue;
            st = make_body(f, &f->groups[x->group]);
            if (st == ODP_OK)
                st = odp_webhook_message_id(b.items[b.n].name, f->key, x->name);
            b.items[b.n++].one = x;
        }
        b.end = f->end && i == f->n;
        if (b.end && b.last < f->upto)
            b.last = f->upto;
        if (st == ODP_OK)
            st = write_batch(f, &b);
        if (b.end)
            break;
    }
    return st;
}

static enum odp_status tell_event(struct fan *f)
{
    enum odp_status st = ODP_OK;
    f->window = odp_realloc_array(NULL, WINDOW, sizeof *f->window);
    f->groups = odp_realloc_array(NULL, GROUPS, sizeof *f->groups);
    if (f->window == NULL || f->groups == NULL)
        return ODP_FAIL;
    if (f->dataset[0] != '\0') {
        find_site(f);
        find_slugs(f);
    }
    while (!f->end && st == ODP_OK && !odp_webhook_stopped(f->w)) {
        st = read_window(f, f->told);
        if (st == ODP_OK)
            st = match(f);
        if (st == ODP_OK)
            st = write_window(f);
        if (st == ODP_OK && f->ngroups == GROUPS)
            groups_clear(f);
    }
    return st;
}

/* An event that is no event: it would stand in the way of all others. */
static enum odp_status give_up(struct fan *f)
{
    odp_log("error", "webhooks: event %lld of the store cannot be read and is not told", (long long)f->id);
    enum odp_status st = odp_webhook_begin(f->w);
    return st == ODP_OK
               ? odp_webhook_end(f->w, odp_store_run(f->w->s->db, "UPDATE webhook_event SET done = 1 WHERE id = ?", "i", f->id))
               : st;
}

/* The oldest event that is due. DONE: there is none. */
static enum odp_status tell_next(struct odp_webhooks *w, int64_t now)
{
    struct fan f = {.w = w, .now = now, .began = processor_ms()};
    odp_arena_init(&f.arena);
    odp_arena_init(&f.filters);
    enum odp_status st = read_event(&f);
    bool none = st == ODP_DONE;
    if (st == ODP_OK)
        st = tell_event(&f);
    else if (st == ODP_BAD)
        st = give_up(&f);
    groups_clear(&f);
    free(f.groups);
    free(f.window);
    json_decref(f.data);
    odp_webhooks_drop(w, f.held);
    odp_webhook_site_free(f.ours);
    odp_arena_release(&f.arena);
    odp_arena_release(&f.filters);
    return none ? ODP_DONE : st == ODP_DONE ? ODP_OK : st;
}

enum odp_status odp_webhook_fan_out(struct odp_webhooks *w, int64_t now)
{
    enum odp_status st = ODP_OK;
    while (st == ODP_OK && !odp_webhook_stopped(w))
        st = tell_next(w, now);
    return st == ODP_DONE ? ODP_OK : st;
}
