/* Compressed twins of text files: <path>.gz and <path>.br, made once a build and kept for bytes that are
 * carried over.
 *
 * Levels are the portal's ("compression"); which one is decided by size and path, so the same bytes always
 * have the same twins. The usual ones are those that pay (docs/performance.md): the best take twice the time
 * for one percent; the API's further pages are made by the thousand and read once, if at all; of a large
 * file the first download repays what is waited for.
 *
 * A twin stays only if it is smaller than its file. What fits into one packet needs none, and where the
 * gzip twin fits a brotli twin would spare nobody a packet: it is not made (docs/performance.md). Files of
 * equal bytes (latest/ and the version) share theirs. Those of large downloads and of further pages are made
 * as soon as these are there, beside the query index, which keeps one thread busy for as long.
 *
 * Pages are put by one thread. The others make their twins ahead, beside the stage, in the order in which
 * the files came: nobody can ask for them before all are entered in the end, so no byte depends on how far
 * they got. (Example, 2 cores: 3.05 to 2.65 s, with small twins left out.) */
#include "base/path.h"
#include "published/paths.h"
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
    const char *path;
    int level;    /* 0: its file has no such twin */
    bool entered; /* made beforehand */
    bool made;    /* it is there; else it would be no smaller, or is not wanted */
    struct odp_file_info info;
    const char *scratch; /* of one made ahead: where it is; NULL: it has gone to its place, or was not made */
};

/* A file and its twins. */
struct twins {
    struct odp_site_file file; /* copied, because entering twins moves the list */
    struct twin of[ODP_ENCODINGS];
    bool entered;        /* one of them is */
    size_t nequal;       /* of the first of files with equal bytes and levels: how many these are */
    struct twins *ahead; /* what was made of the file ahead; NULL: nothing */
};

/* Under the list's mutex but for STAGE and THREADS. */
struct stage_ahead {
    struct odp_stage *stage;
    pthread_t threads[AHEAD];
    unsigned n;
    size_t next; /* of the list: the file to be looked at */
    bool ends;
    struct twins *made;
    size_t nmade;
    struct odp_arena arena;
    enum odp_status status;
};

struct pressing {
    struct odp_stage *stage;
    struct odp_arena arena;
    struct twins *all, **different; /* DIFFERENT: the first of those that are equal */
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

/* True: F has the figures of a place as a table. Each change of a dataset makes it anew, and programs, which
 * take gzip, read it. (One of 220 datasets changed: a tenth of the CPU was brotli for these, 2 % smaller.) */
static bool is_of_place(const struct odp_site_file *f)
{
    const char *folder = odp_path(ODP_PATH_place_dir, ODP_LANG_ID);
    return strncmp(f->path, folder, strlen(folder)) == 0 &&
           (odp_path_ends(f->path, ".csv") || odp_path_ends(f->path, ".json"));
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
    else if ((f->size > PAGE && is_page(f)) || is_of_place(f))
        l = &c->pages;
    return (int)(e == ODP_ENCODING_GZIP ? l->gzip : l->br);
}

void odp_stage_compression(struct odp_stage *s, const struct odp_compression *c)
{
    s->compression = c;
}

static int by_content(const struct twins *x, const struct twins *y)
{
    if (x->file.size != y->file.size)
        return x->file.size > y->file.size ? -1 : 1;
    int c = memcmp(x->file.sha256, y->file.sha256, sizeof x->file.sha256);
    for (enum odp_encoding e = 0; e < ODP_ENCODINGS && c == 0; e++)
        c = x->of[e].level - y->of[e].level;
    return c;
}

/* Largest first, so that the threads end together; equal bytes side by side, before them one whose twins
 * were made. */
static int in_order(const void *a, const void *b)
{
    const struct twins *x = a, *y = b;
    int c = by_content(x, y);
    if (c == 0)
        c = (int)y->entered - (int)x->entered;
    if (c == 0)
        c = (int)(y->ahead != NULL) - (int)(x->ahead != NULL);
    return c != 0 ? c : strcmp(x->file.path, y->file.path);
}

/* By file as it was entered. */
static int by_entry(const void *a, const void *b)
{
    const struct twins *x = a, *y = b;
    const uintptr_t p = (uintptr_t)x->file.path, q = (uintptr_t)y->file.path;
    return p != q ? (p < q ? -1 : 1) : 0;
}

/* The twins that F would have, none of them made. */
static struct twins plan(const struct odp_stage *s, const struct odp_site_file *f, struct odp_arena *a)
{
    struct twins w = {.file = *f};
    for (enum odp_encoding e = 0; e < ODP_ENCODINGS; e++) {
        w.of[e].path = odp_arena_printf(a, "%s%s", f->path, odp_encoding_suffixes[e]);
        w.of[e].level = level_of(s, f, e);
    }
    return w;
}

/* T is THERE, in the stage. */
static void take_entered(struct twin *t, const struct odp_site_file *there)
{
    t->entered = t->made = true;
    t->info.size = there->size;
    memcpy(t->info.sha256, there->sha256, sizeof t->info.sha256);
}

/* The same with what was made already. */
static struct twins twins_of(const struct odp_stage *s, const struct odp_site_file *f, struct odp_arena *a)
{
    const struct stage_ahead *ahead = s->ahead;
    struct twins w = plan(s, f, a);
    if (ahead != NULL && ahead->nmade > 0)
        w.ahead = bsearch(&w, ahead->made, ahead->nmade, sizeof w, by_entry);
    for (enum odp_encoding e = 0; e < ODP_ENCODINGS; e++) {
        struct twin *t = &w.of[e];
        const struct odp_site_file *there = t->level > 0 ? odp_stage_find(s, t->path) : NULL;
        if (there != NULL) {
            take_entered(t, there);
        } else if (w.ahead != NULL) {
            t->made = w.ahead->of[e].made;
            t->info = w.ahead->of[e].info;
        }
        w.entered = w.entered || t->entered;
    }
    return w;
}

/* Of most files, which were carried over, none is wanted. */
static void collect(struct pressing *p)
{
    const struct stage_list *l = p->stage->list;
    for (size_t i = 0; i < l->n; i++) {
        if (l->files[i].path == NULL || !odp_stage_wants_twins(&l->files[i]))
            continue;
        p->all = odp_arena_more(&p->arena, p->all, p->n, sizeof *p->all);
        p->all[p->n++] = twins_of(p->stage, &l->files[i], &p->arena);
    }
    p->different = odp_arena_array(&p->arena, p->n + 1, sizeof *p->different);
    if (p->n > 1)
        qsort(p->all, p->n, sizeof *p->all, in_order);
    for (size_t i = 0; i < p->n; i += p->all[i].nequal) {
        struct twins *first = &p->all[i];
        while (i + first->nequal < p->n && by_content(first, first + first->nequal) == 0)
            first->nequal++;
        p->different[p->ndifferent++] = first;
        p->total += first->file.size;
    }
}

/* Whether the twin E of W is still to be made, after those before it. */
static bool is_wanted(const struct twins *w, enum odp_encoding e)
{
    const struct twin *gzip = &w->of[ODP_ENCODING_GZIP];
    const bool enough = e != ODP_ENCODING_GZIP && gzip->made && gzip->info.size <= ODP_PACKET;
    return w->of[e].level > 0 && !w->of[e].entered && !enough;
}

/* Makes the twin E of W at PLACE. Any thread. */
static enum odp_status press(const struct odp_stage *s, struct odp_press **p, struct twins *w,
                             enum odp_encoding e, const char *place)
{
    struct odp_file *to = NULL;
    struct odp_arena arena = {0};
    struct twin *t = &w->of[e];
    const char *from = odp_path_join(&arena, s->dir, w->file.path);
    enum odp_status status = odp_file_create_of_many(&to, place, 0444);
    if (status == ODP_OK && *p == NULL)
        status = odp_press_new(p);
    if (status == ODP_OK)
        status = odp_press_file(*p, from, w->file.size, e, t->level, to);
    t->made = status == ODP_OK && odp_file_size(to) < w->file.size;
    if (t->made)
        status = odp_file_close(to, &t->info);
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

/* The twins of W next to their file. */
static enum odp_status put(const struct odp_stage *s, struct odp_press **p, struct twins *w)
{
    struct odp_arena arena = {0};
    enum odp_status status = ODP_OK;
    for (enum odp_encoding e = 0; e < ODP_ENCODINGS && status == ODP_OK; e++) {
        if (!is_wanted(w, e))
            continue;
        const char *place = odp_stage_place(s, w->of[e].path, &arena);
        status = place == NULL      ? ODP_FAIL
                 : w->ahead != NULL ? settle(&w->ahead->of[e], place)
                                    : press(s, p, w, e, place);
    }
    odp_arena_release(&arena);
    return status;
}

static enum odp_status make(void *ctx, size_t i, unsigned worker)
{
    struct pressing *p = ctx;
    struct twins *w = p->different[i];
    enum odp_status status = put(p->stage, &p->presses[worker], w);
    const uint64_t size = w->file.size, done = atomic_fetch_add(&p->done, size) + size;
    if (worker == 0) /* the calling thread */
        odp_progress_update(p->progress, ODP_PHASE_PUBLISH, "", done, p->total, 0);
    return status;
}

/* Enters the twins of FIRST, and links to them for each file of equal bytes. */
static enum odp_status enter(struct odp_stage *s, const struct twins *first, struct odp_arena *a)
{
    enum odp_status status = ODP_OK;
    for (enum odp_encoding e = 0; e < ODP_ENCODINGS; e++) {
        const struct twin *t = &first->of[e];
        const char *name = odp_encoding_names[e], *from = odp_path_join(a, s->dir, t->path);
        if (t->made && !t->entered)
            odp_stage_add(s, t->path, first->file.media_type, name, first->file.cls, &t->info);
        for (const struct twins *w = first + 1; t->made && w < first + first->nequal && status == ODP_OK;
             w++) {
            struct odp_site_file f = {
                .media_type = w->file.media_type, .encoding = name, .cls = w->file.cls, .size = t->info.size};
            memcpy(f.sha256, t->info.sha256, sizeof f.sha256);
            status = w->of[e].entered ? ODP_OK : odp_stage_link(s, from, w->of[e].path, &f);
        }
    }
    return status;
}

enum odp_status odp_stage_press(void *stage, const char *path)
{
    struct odp_stage *s = stage;
    const struct odp_site_file *f = odp_stage_find(s, path);
    if (f == NULL || !is_early(f) || !odp_stage_wants_twins(f))
        return ODP_OK;
    struct odp_arena arena = {0};
    struct odp_press *p = NULL;
    struct twins w = twins_of(s, f, &arena);
    enum odp_status status = put(s, &p, &w);
    if (status == ODP_OK)
        status = enter(s, &w, &arena);
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

/* The twins of F beside the stage, unless it has one already. */
static enum odp_status press_ahead(struct stage_ahead *a, struct odp_press **p, const struct odp_site_file *f)
{
    struct stage_list *l = a->stage->list;
    struct odp_arena arena = {0};
    struct twins w = plan(a->stage, f, &arena);
    bool there = false;
    enum odp_status status = ODP_OK;
    for (enum odp_encoding e = 0; e < ODP_ENCODINGS; e++)
        there = there || odp_stage_look(a->stage, w.of[e].path) != NULL;
    for (enum odp_encoding e = 0; e < ODP_ENCODINGS && !there && status == ODP_OK; e++)
        if (is_wanted(&w, e)) {
            w.of[e].scratch = a->stage->output.scratch(a->stage, &arena);
            status = press(a->stage, p, &w, e, w.of[e].scratch);
        }
    pthread_mutex_lock(&l->mutex);
    for (enum odp_encoding e = 0; e < ODP_ENCODINGS; e++) {
        w.of[e].path = NULL;
        w.of[e].scratch = w.of[e].made ? odp_arena_str(&a->arena, w.of[e].scratch) : NULL;
    }
    if (!there) {
        a->made = odp_arena_more(&a->arena, a->made, a->nmade, sizeof *a->made);
        a->made[a->nmade++] = w;
    }
    pthread_mutex_unlock(&l->mutex);
    odp_arena_release(&arena);
    if (status == ODP_FAIL && has_gone(a, f)) {
        odp_failure_clear();
        return ODP_OK;
    }
    return status;
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
        status = press_ahead(a, &p, &f);
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
        for (enum odp_encoding e = 0; e < ODP_ENCODINGS; e++)
            if (a->made[i].of[e].scratch !=
                NULL) /* its file was put again, dropped, or has the bytes of another */
                (void)remove(a->made[i].of[e].scratch);
    if (a != NULL)
        odp_arena_release(&a->arena);
    s->ahead = NULL;
}

/* ---- all ---- */

enum odp_status odp_stage_twins(struct odp_stage *s, struct odp_pool *pool,
                                const struct odp_progress *progress)
{
    struct pressing p = {.stage = s, .progress = progress};
    const unsigned jobs = odp_pool_jobs(pool);
    enum odp_status status = end_ahead(s->ahead);
    collect(&p);
    p.presses = odp_arena_zero(&p.arena, jobs, sizeof *p.presses);
    if (status == ODP_OK)
        status = odp_pool_each(pool, p.ndifferent, &p, make);
    for (size_t i = 0; i < p.ndifferent && status == ODP_OK; i++)
        status = enter(s, p.different[i], &p.arena);
    for (unsigned i = 0; i < jobs; i++)
        odp_press_free(p.presses[i]);
    odp_arena_release(&p.arena);
    odp_stage_ahead_close(s);
    return status;
}
