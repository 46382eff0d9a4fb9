/* Compressed twins of text files: <path>.gz and <path>.br, made once a build and kept for bytes that are
 * carried over.
 *
 * Levels are the portal's ("compression"); which one is decided by size and path, so the same bytes always
 * have the same twins. The usual ones are those that pay (docs/performance.md): the best take twice the time
 * for one percent; the API's further pages are made by the thousand and read once, if at all; a build waits
 * for its large files.
 *
 * A twin stays only if it is smaller than its file. Files of equal bytes (latest/ and the version) share one.
 * Those of large downloads and of further pages are made as soon as these are there, beside the query index,
 * which keeps one thread busy for as long.
 *
 * Pages are put by one thread. The others make their twins ahead, beside the stage, in the order in which
 * the files came: nobody can ask for them before all are entered in the end, so no byte depends on how far
 * they got. (Example, 2 cores: 3.05 to 2.65 s, with small twins left out.) */
#include "published/press.h"
#include "published/stage_internal.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    PAGE = 128 << 10, /* of the API: up to here a file as any other */
    LARGE = 4 << 20,  /* worth a turn of its own */
    AHEAD = 3         /* threads at most: pages are put no faster */
};

struct twin {
    struct odp_site_file file; /* whose twin it is; copied, because entering twins moves the list */
    const char *path;          /* of the twin */
    enum odp_encoding encoding;
    int level;
    size_t nequal; /* of the first twin of equal bytes and encoding: how many these are */
    bool entered;  /* made beforehand */
    bool made;     /* it is there; else it would be no smaller */
    struct odp_file_info info;
    struct twin *ahead;  /* what was made of it ahead; NULL: nothing */
    const char *scratch; /* of one that was: where it is; NULL: it has gone to its place, or was not made */
};

/* Under the list's mutex but for STAGE and THREADS. */
struct stage_ahead {
    struct odp_stage *stage;
    pthread_t threads[AHEAD];
    unsigned n;
    size_t next; /* of the list: the file to be looked at */
    bool ends;
    struct twin *made;
    size_t nmade;
    struct odp_arena arena;
    enum odp_status status;
};

struct twins {
    struct odp_stage *stage;
    struct odp_arena arena;
    struct twin *all, **different; /* DIFFERENT: the first of those that are equal */
    size_t n, ndifferent;
    struct odp_press **presses; /* one for each worker */
    const struct odp_progress *progress;
    uint64_t total;
    atomic_uint_fast64_t done;
};

/* Of the API, after the first one, which programs ask for again and again. */
static bool is_page(const struct odp_site_file *f)
{
    return f->cls == ODP_CLASS_KEYED && strstr(f->path, "/p/") != NULL;
}

/* Worth a turn of its own: a large file; a page, which comes by the thousand while the index is made. */
static bool is_early(const struct odp_site_file *f)
{
    return f->size >= LARGE || (f->size > PAGE && is_page(f));
}

/* 0: F has no such twin. */
static int level_of(const struct odp_stage *s, const struct odp_site_file *f, enum odp_encoding e)
{
    const struct odp_compression *c = s->compression != NULL ? s->compression : &odp_compression_usual;
    const struct odp_levels *l = &c->usual;
    if (f->size > (uint64_t)c->large_above)
        l = &c->large;
    else if (f->size > PAGE && is_page(f))
        l = &c->pages;
    return (int)(e == ODP_ENCODING_GZIP ? l->gzip : l->br);
}

void odp_stage_compression(struct odp_stage *s, const struct odp_compression *c)
{
    s->compression = c;
}

static int by_content(const struct twin *x, const struct twin *y)
{
    if (x->file.size != y->file.size)
        return x->file.size > y->file.size ? -1 : 1;
    int c = memcmp(x->file.sha256, y->file.sha256, sizeof x->file.sha256);
    if (c == 0)
        c = (int)x->encoding - (int)y->encoding;
    return c != 0 ? c : x->level - y->level;
}

/* Largest first, so that the threads end together; equal bytes side by side, before them one that was
 * made. */
static int in_order(const void *a, const void *b)
{
    const struct twin *x = a, *y = b;
    int c = by_content(x, y);
    if (c == 0)
        c = (int)y->entered - (int)x->entered;
    if (c == 0)
        c = (int)(y->ahead != NULL) - (int)(x->ahead != NULL);
    return c != 0 ? c : strcmp(x->path, y->path);
}

/* By file as it was entered. */
static int by_entry(const void *a, const void *b)
{
    const struct twin *x = a, *y = b;
    const uintptr_t p = (uintptr_t)x->file.path, q = (uintptr_t)y->file.path;
    return p != q ? (p < q ? -1 : 1) : (int)x->encoding - (int)y->encoding;
}

static void take_ahead(const struct odp_stage *s, struct twin *w)
{
    w->ahead = s->ahead != NULL && s->ahead->nmade > 0
                   ? bsearch(w, s->ahead->made, s->ahead->nmade, sizeof *w, by_entry)
                   : NULL;
    if (w->ahead == NULL)
        return;
    w->made = w->ahead->made;
    w->info = w->ahead->info;
}

static struct twin twin_of(const struct odp_stage *s, const struct odp_site_file *f, enum odp_encoding e,
                           struct odp_arena *a)
{
    struct twin w = {.file = *f, .encoding = e, .level = level_of(s, f, e)};
    w.path = odp_arena_printf(a, "%s%s", f->path, odp_encoding_suffixes[e]);
    const struct odp_site_file *there = odp_stage_find(s, w.path);
    if (there == NULL) {
        take_ahead(s, &w);
        return w;
    }
    w.entered = w.made = true;
    w.info.size = there->size;
    memcpy(w.info.sha256, there->sha256, sizeof w.info.sha256);
    return w;
}

/* Bytes that are still to be pressed for W. */
static uint64_t to_do(const struct twin *w)
{
    return w->entered || w->ahead != NULL ? 0 : w->file.size;
}

/* Of most files, which were carried over, none is wanted. */
static void collect(struct twins *t)
{
    const struct stage_list *l = t->stage->list;
    for (size_t i = 0; i < l->n; i++) {
        const struct odp_site_file *f = &l->files[i];
        const bool wanted = f->path != NULL && odp_stage_wants_twins(f);
        for (enum odp_encoding e = 0; e < ODP_ENCODINGS && wanted; e++) {
            if (level_of(t->stage, f, e) == 0)
                continue;
            t->all = odp_arena_more(&t->arena, t->all, t->n, sizeof *t->all);
            t->all[t->n++] = twin_of(t->stage, f, e, &t->arena);
        }
    }
    t->different = odp_arena_array(&t->arena, t->n + 1, sizeof *t->different);
    if (t->n > 1)
        qsort(t->all, t->n, sizeof *t->all, in_order);
    for (size_t i = 0; i < t->n; i += t->all[i].nequal) {
        struct twin *first = &t->all[i];
        while (i + first->nequal < t->n && by_content(first, first + first->nequal) == 0)
            first->nequal++;
        t->different[t->ndifferent++] = first;
        t->total += to_do(first);
    }
}

/* Makes W at PLACE. Any thread. */
static enum odp_status press(const struct odp_stage *s, struct odp_press **p, struct twin *w,
                             const char *place)
{
    struct odp_file *to = NULL;
    struct odp_arena arena = {0};
    const char *from = odp_path_join(&arena, s->dir, w->file.path);
    enum odp_status status = odp_file_create_of_many(&to, place, 0444);
    if (status == ODP_OK && *p == NULL)
        status = odp_press_new(p);
    if (status == ODP_OK)
        status = odp_press_file(*p, from, w->file.size, w->encoding, w->level, to);
    w->made = status == ODP_OK && odp_file_size(to) < w->file.size;
    if (w->made)
        status = odp_file_close(to, &w->info);
    else
        odp_file_discard(to);
    odp_arena_release(&arena);
    return status;
}

/* What was made ahead goes to its place. */
static enum odp_status settle(struct twin *ahead, const char *place)
{
    if (ahead->scratch == NULL)
        return ODP_OK;
    if (rename(ahead->scratch, place) != 0) /* folders are synced together, before the switch */
        return odp_failure_set("rename", ahead->scratch, errno);
    ahead->scratch = NULL;
    return ODP_OK;
}

/* W next to its file. */
static enum odp_status put(const struct odp_stage *s, struct odp_press **p, struct twin *w)
{
    struct odp_arena arena = {0};
    const char *place = w->entered ? "" : odp_stage_place(s, w->path, &arena);
    enum odp_status status = place == NULL      ? ODP_FAIL
                             : w->entered       ? ODP_OK
                             : w->ahead != NULL ? settle(w->ahead, place)
                                                : press(s, p, w, place);
    odp_arena_release(&arena);
    return status;
}

static enum odp_status make(void *ctx, size_t i, unsigned worker)
{
    struct twins *t = ctx;
    struct twin *w = t->different[i];
    enum odp_status status = put(t->stage, &t->presses[worker], w);
    const uint64_t size = to_do(w), done = atomic_fetch_add(&t->done, size) + size;
    if (worker == 0) /* the calling thread */
        odp_progress_update(t->progress, ODP_PHASE_PUBLISH, "", done, t->total, 0);
    return status;
}

enum odp_status odp_stage_press(void *stage, const char *path, unsigned encoding)
{
    struct odp_stage *s = stage;
    const struct odp_site_file *f = odp_stage_find(s, path);
    if (f == NULL || !is_early(f) || !odp_stage_wants_twins(f) || encoding >= ODP_ENCODINGS ||
        level_of(s, f, (enum odp_encoding)encoding) == 0)
        return ODP_OK;
    struct odp_arena arena = {0};
    struct odp_press *p = NULL;
    struct twin w = twin_of(s, f, (enum odp_encoding)encoding, &arena);
    enum odp_status status = put(s, &p, &w);
    if (status == ODP_OK && w.made && !w.entered)
        odp_stage_add(s, w.path, w.file.media_type, odp_encoding_names[encoding], w.file.cls, &w.info);
    odp_press_free(p);
    odp_arena_release(&arena);
    return status;
}

/* ---- ahead ---- */

/* Whether F was put again or dropped since: then a failure to press it is none. */
static bool has_gone(const struct stage_ahead *a, const struct odp_site_file *f)
{
    const struct odp_site_file *now = odp_stage_look(a->stage, f->path);
    return now == NULL || now->path != f->path; /* a path is copied for each entry */
}

/* One twin of F beside the stage. */
static enum odp_status press_ahead(struct stage_ahead *a, struct odp_press **p, const struct odp_site_file *f,
                                   enum odp_encoding e)
{
    struct stage_list *l = a->stage->list;
    struct odp_arena arena = {0};
    struct twin w = {.file = *f, .encoding = e, .level = level_of(a->stage, f, e)};
    const char *path = odp_arena_printf(&arena, "%s%s", f->path, odp_encoding_suffixes[e]),
               *scratch = a->stage->output.scratch(a->stage, &arena);
    enum odp_status status =
        w.level == 0 || odp_stage_look(a->stage, path) != NULL ? ODP_DONE : press(a->stage, p, &w, scratch);
    if (status == ODP_OK) {
        pthread_mutex_lock(&l->mutex);
        w.scratch = w.made ? odp_arena_str(&a->arena, scratch) : NULL;
        a->made = odp_arena_more(&a->arena, a->made, a->nmade, sizeof *a->made);
        a->made[a->nmade++] = w;
        pthread_mutex_unlock(&l->mutex);
    }
    odp_arena_release(&arena);
    if (status == ODP_FAIL && has_gone(a, f)) {
        odp_failure_clear();
        return ODP_OK;
    }
    return status == ODP_DONE ? ODP_OK : status;
}

/* The next file that wants twins. False: there will be none. */
static bool next_ahead(struct stage_ahead *a, struct odp_site_file *f)
{
    struct stage_list *l = a->stage->list;
    bool found = false;
    pthread_mutex_lock(&l->mutex);
    while (!found && !a->ends) {
        if (a->next == l->n) {
            pthread_cond_wait(&l->more, &l->mutex);
            continue;
        }
        *f = l->files[a->next++];
        found = f->path != NULL && odp_stage_wants_twins(f);
    }
    pthread_mutex_unlock(&l->mutex);
    return found;
}

static void *work_ahead(void *ctx)
{
    struct stage_ahead *a = ctx;
    struct odp_press *p = NULL;
    struct odp_site_file f;
    enum odp_status status = ODP_OK;
    while (status == ODP_OK && next_ahead(a, &f))
        for (enum odp_encoding e = 0; e < ODP_ENCODINGS && status == ODP_OK; e++)
            status = press_ahead(a, &p, &f, e);
    odp_press_free(p);
    pthread_mutex_lock(&a->stage->list->mutex);
    a->status = status != ODP_OK ? ODP_FAIL : a->status;
    pthread_mutex_unlock(&a->stage->list->mutex);
    return NULL;
}

void odp_stage_twins_ahead(struct odp_stage *s, unsigned jobs)
{
    if (jobs < 2 || s->ahead != NULL)
        return;
    struct stage_ahead *a = s->ahead = odp_arena_zero(&s->arena, 1, sizeof *a);
    a->stage = s;
    a->next = s->list->n;
    while (a->n < AHEAD && a->n + 1 < jobs &&
           pthread_create(&a->threads[a->n], NULL, work_ahead, a) ==
               0) /* without threads nothing is made ahead */
        a->n++;
}

/* Nobody works any more. A may be NULL. */
static enum odp_status end_ahead(struct stage_ahead *a)
{
    if (a == NULL)
        return ODP_OK;
    pthread_mutex_lock(&a->stage->list->mutex);
    a->ends = true;
    pthread_cond_broadcast(&a->stage->list->more);
    pthread_mutex_unlock(&a->stage->list->mutex);
    for (; a->n > 0; a->n--)
        (void)pthread_join(a->threads[a->n - 1], NULL);
    if (a->nmade > 1)
        qsort(a->made, a->nmade, sizeof *a->made, by_entry);
    return a->status == ODP_OK ? odp_arena_status(&a->arena) : a->status;
}

void odp_stage_ahead_close(struct odp_stage *s)
{
    struct stage_ahead *a = s->ahead;
    (void)end_ahead(a);
    for (size_t i = 0; a != NULL && i < a->nmade; i++)
        if (a->made[i].scratch != NULL) /* its file was put again, dropped, or has the bytes of another */
            (void)remove(a->made[i].scratch);
    if (a != NULL)
        odp_arena_release(&a->arena);
    s->ahead = NULL;
}

/* ---- all ---- */

/* Enters the twin FIRST, and a link to it for each file of equal bytes. */
static enum odp_status enter(struct twins *t, const struct twin *first)
{
    const char *encoding = odp_encoding_names[first->encoding],
               *from = odp_path_join(&t->arena, t->stage->dir, first->path);
    enum odp_status status = ODP_OK;
    if (!first->made)
        return ODP_OK;
    if (!first->entered)
        odp_stage_add(t->stage, first->path, first->file.media_type, encoding, first->file.cls, &first->info);
    for (const struct twin *w = first + 1; w < first + first->nequal && status == ODP_OK; w++) {
        if (w->entered)
            continue;
        struct odp_site_file f = {.media_type = w->file.media_type,
                                  .encoding = encoding,
                                  .cls = w->file.cls,
                                  .size = first->info.size};
        memcpy(f.sha256, first->info.sha256, sizeof f.sha256);
        status = odp_stage_link(t->stage, from, w->path, &f);
    }
    return status;
}

enum odp_status odp_stage_twins(struct odp_stage *s, struct odp_pool *pool,
                                const struct odp_progress *progress)
{
    struct twins t = {.stage = s, .progress = progress};
    const unsigned jobs = odp_pool_jobs(pool);
    enum odp_status status = end_ahead(s->ahead);
    collect(&t);
    t.presses = odp_arena_zero(&t.arena, jobs, sizeof *t.presses);
    if (status == ODP_OK)
        status = odp_pool_each(pool, t.ndifferent, &t, make);
    for (size_t i = 0; i < t.ndifferent && status == ODP_OK; i++)
        status = enter(&t, t.different[i]);
    for (unsigned i = 0; i < jobs; i++)
        odp_press_free(t.presses[i]);
    odp_arena_release(&t.arena);
    odp_stage_ahead_close(s);
    return status;
}
