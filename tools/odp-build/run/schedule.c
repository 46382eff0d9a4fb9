/* A run's order of work: which resources are read, checked and emitted at the same time.
 *
 * A large source is read by all threads together, one source at a time. Small ones, whose batches would
 * not keep the threads busy and whose opening is done by one thread in any case (a shapefile's projection,
 * a PDF's), are read whole by one thread each, several at once.
 *
 * Two resources are linked if one has a foreign key to the other, or into another edition of the same code
 * list, or is printed with the other's boundaries. The one that comes later in catalog->order waits for
 * the other, so it finds its keys as if all were read one by one. A resource with a key to itself, or to
 * one that comes later (round a cycle), has references that wait in a shared list: it runs alone, together
 * with its keys' targets. The resources of one dataset are linked too: if one is wrong none is published,
 * and the first may determine the version.
 *
 * Diagnostics do not depend on any of this: each resource has its own collector, and they are merged in
 * the catalogue's order. */

#include "run/run_internal.h"
#include "site/pages/portal.h"

/* Bytes of a source that is read by one thread. */
#define SMALL (4u << 20)

/* How many times as long a record takes that is set for printing, too: measured, about. */
#define PRINTED 300

struct item {
    const struct odp_resource *resource; /* NULL: the portal's templates */
    uint64_t cost;                       /* in bytes of source */
    bool small;
    bool chosen, begun, done; /* chosen: for this round */
    enum odp_status status;
    struct odp_diags *diags;
};

struct schedule {
    struct run *run;
    const struct work *work;
    struct item *items; /* in the order in which they would be read one by one */
    size_t n;
    bool *linked;         /* n * n */
    pthread_mutex_t lock; /* of chosen, begun, done and failed in a round */
    pthread_cond_t ended;
    bool failed;
};

/* ---- who waits for whom ---- */

static bool points_to(const struct odp_resource *from, const struct odp_resource *to)
{
    for (size_t k = 0; k < from->nforeign; k++) {
        const struct odp_resource *target = from->foreign[k].target;
        if (target == to || (target->dataset->reference && target->dataset == to->dataset))
            return true;
    }
    return false;
}

/* What A prints shows what B draws. */
static bool prints(const struct schedule *s, const struct odp_resource *a, const struct odp_resource *b)
{
    return b->dataset->boundaries && odp_run_is_printed(a->dataset) &&
           odp_boundaries_for(s->run->catalog, a) == b;
}

/* The edges; then those that stay alone. */
static void link_items(struct schedule *s)
{
    for (size_t later = 0; later < s->n; later++)
        for (size_t i = 0; i <= later; i++) {
            const struct odp_resource *a = s->items[i].resource, *b = s->items[later].resource;
            if (a == NULL || b == NULL)
                continue;
            bool ahead = points_to(a, b); /* to itself, or to one that is read later */
            s->linked[later * s->n + i] =
                ahead || points_to(b, a) || a->dataset == b->dataset || prints(s, b, a);
            if (ahead)
                s->items[i].small = s->items[later].small = false;
        }
}

static void open_schedule(struct schedule *s)
{
    struct run *r = s->run;
    const struct odp_catalog *c = r->catalog;
    size_t n = c->nresources + 1;
    pthread_mutex_init(&s->lock, NULL); /* these cannot fail with default attributes */
    pthread_cond_init(&s->ended, NULL);
    s->items = odp_arena_zero(r->arena, n, sizeof *s->items);
    if (s->work->portal)
        s->items[s->n++] = (struct item){.small = true, .cost = UINT64_MAX};
    for (size_t i = 0; i < c->nresources; i++) {
        const struct odp_resource *resource = c->order[i];
        enum role role = r->tasks[resource->index].role;
        if (role == ROLE_NONE)
            continue;
        char *path = odp_run_source(r, resource, r->arena);
        uint64_t bytes = odp_file_size_of(path);
        s->items[s->n++] =
            (struct item){.resource = resource,
                          .cost = odp_run_is_printed(resource->dataset) ? PRINTED * bytes : bytes,
                          .small = bytes <= SMALL && !(role == ROLE_KEYS && s->work->keys_alone)};
    }
    s->linked = odp_arena_zero(r->arena, s->n * s->n + 1, sizeof *s->linked);
    link_items(s);
}

static void close_schedule(struct schedule *s)
{
    for (size_t i = 0; s->items != NULL && i < s->n; i++)
        odp_diags_free(s->items[i].diags);
    pthread_cond_destroy(&s->ended);
    pthread_mutex_destroy(&s->lock);
}

/* ---- several at once ---- */

static enum odp_status take_item(const struct schedule *s, struct item *item, const struct crew *crew)
{
    const struct run *r = s->run;
    if (odp_diags_new(&item->diags, r->options->examples) != ODP_OK)
        return ODP_FAIL;
    odp_diags_set_strict(item->diags, r->options->strict);
    if (item->resource == NULL)
        return odp_portal_frame_open(&s->run->frame, r->catalog, false, item->diags);
    const struct turn turn = {item->resource, r->tasks[item->resource->index].role, crew, item->diags};
    return s->work->take(s->work->ctx, &turn);
}

/* Whether all that I is linked with, and comes before it, is done or (IN_ROUND) will be in this round. */
static bool may_follow(const struct schedule *s, size_t i, bool in_round)
{
    for (size_t k = 0; k < i; k++)
        if (s->linked[i * s->n + k] && !s->items[k].done && !(in_round && s->items[k].chosen))
            return false;
    return true;
}

/* The largest that may begin now: what takes long should not begin last. NULL: none. */
static struct item *next_item(struct schedule *s)
{
    struct item *best = NULL;
    for (size_t i = 0; i < s->n; i++) {
        struct item *item = &s->items[i];
        if (item->chosen && !item->begun && (best == NULL || item->cost > best->cost) &&
            may_follow(s, i, false))
            best = item;
    }
    return best;
}

/* One item of the round. Where none may begin, another thread is at one that it waits for: of those that were
 * not begun, the first in order waits only for what was. */
static enum odp_status work_round(void *ctx, size_t i, unsigned worker)
{
    struct schedule *s = ctx;
    const struct crew crew = odp_run_alone(s->run, worker);
    struct item *item;
    pthread_mutex_lock(&s->lock);
    while ((item = next_item(s)) == NULL && !s->failed)
        pthread_cond_wait(&s->ended, &s->lock);
    if (s->failed) {
        pthread_mutex_unlock(&s->lock);
        return ODP_FAIL;
    }
    item->begun = true;
    pthread_mutex_unlock(&s->lock);
    enum odp_status status = take_item(s, item, &crew);
    pthread_mutex_lock(&s->lock);
    item->status = status;
    item->done = true;
    s->failed = s->failed || status == ODP_FAIL;
    pthread_cond_broadcast(&s->ended);
    pthread_mutex_unlock(&s->lock);
    return status == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

/* All small ones that need not wait for a large one. */
static enum odp_status run_round(struct schedule *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++) {
        struct item *item = &s->items[i];
        item->chosen = item->small && !item->done && may_follow(s, i, true);
        n += item->chosen;
    }
    if (n < 2)
        return ODP_OK;
    return odp_pool_each(s->run->pool, n, s, work_round);
}

/* ---- all ---- */

static enum odp_status merge(struct schedule *s)
{
    struct run *r = s->run;
    enum odp_status worst = ODP_OK;
    for (size_t i = 0; i < s->n && worst != ODP_FAIL; i++) {
        struct item *item = &s->items[i];
        if (item->diags != NULL && odp_diags_merge(r->result->diags, item->diags) == ODP_FAIL)
            return ODP_FAIL;
        worst = odp_worst(worst, item->status);
        if (item->resource != NULL || item->status != ODP_BAD)
            continue;
        r->result->catalog_wrong = true;
        return ODP_BAD;
    }
    return worst;
}

/* Rounds of small ones; between them the first of the others, which waits for nothing. */
static enum odp_status run_at_once(struct schedule *s)
{
    enum odp_status status = ODP_OK;
    const struct crew all = odp_run_together(s->run);
    while (status == ODP_OK) {
        size_t i = 0;
        status = run_round(s);
        while (i < s->n && s->items[i].done)
            i++;
        if (status != ODP_OK || i == s->n)
            break;
        struct item *item = &s->items[i];
        item->status = take_item(s, item, &all);
        item->done = true;
        status = item->status == ODP_FAIL ? ODP_FAIL : ODP_OK;
    }
    return status;
}

/* References round a cycle are settled when the last of it was read: the fault may belong to a resource that
 * had passed. */
static void count_late_errors(struct run *r)
{
    size_t n;
    const struct odp_diag_group *const *groups = odp_diags_groups(r->result->diags, &n);
    odp_run_note_unsound(r, NULL, r->result->diags);
    for (size_t i = 0; i < n; i++) {
        if (groups[i]->severity != ODP_SEVERITY_ERROR || groups[i]->dataset == NULL ||
            groups[i]->resource == NULL)
            continue;
        for (size_t k = 0; k < r->catalog->nresources; k++) {
            const struct odp_resource *resource = r->catalog->resources[k];
            if (r->tasks[k].errors == 0 && strcmp(resource->dataset->slug, groups[i]->dataset) == 0 &&
                strcmp(resource->name, groups[i]->resource) == 0)
                r->tasks[k].errors = groups[i]->count;
        }
    }
}

enum odp_status odp_run_portal(struct run *r, bool proven)
{
    enum odp_status status = odp_portal_frame_open(&r->frame, r->catalog, proven, r->result->diags);
    r->result->catalog_wrong = r->result->catalog_wrong || status == ODP_BAD;
    return status;
}

/* One by one, in the catalogue's order. */
static enum odp_status run_in_order(struct run *r, const struct work *work)
{
    const struct crew all = odp_run_together(r);
    enum odp_status worst = work->portal ? odp_run_portal(r, false) : ODP_OK;
    if (worst != ODP_OK)
        return worst;
    worst = odp_run_rules_begin(r);
    for (size_t i = 0; i < r->catalog->nresources && worst != ODP_FAIL; i++) {
        const struct odp_resource *resource = r->catalog->order[i];
        const struct turn turn = {resource, r->tasks[resource->index].role, &all, r->result->diags};
        if (turn.role != ROLE_NONE)
            worst = odp_worst(worst, work->take(work->ctx, &turn));
    }
    return worst;
}

static enum odp_status run_beside(struct run *r, const struct work *work)
{
    struct schedule s = {.run = r, .work = work};
    open_schedule(&s);
    enum odp_status status = odp_run_rules_begin(r);
    if (status == ODP_OK)
        status = run_at_once(&s);
    if (status == ODP_OK)
        status = merge(&s);
    close_schedule(&s);
    return status;
}

enum odp_status odp_run_schedule(struct run *r, const struct work *work)
{
    /* A sink gets faults as they are found, so in order. */
    bool in_order = odp_pool_jobs(r->pool) == 1 || r->options->sink != NULL;
    enum odp_status worst = in_order ? run_in_order(r, work) : run_beside(r, work);
    if (worst == ODP_FAIL || r->result->catalog_wrong)
        return worst;
    count_late_errors(r);
    return odp_worst(worst, odp_run_rules_end(r));
}
