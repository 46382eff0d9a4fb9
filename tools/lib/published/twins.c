/* Compressed twins of text files: <path>.gz and <path>.br, made once a build and kept for bytes that are
 * carried over.
 *
 * Size and path decide the level (press.c), so the same bytes always have the same twins. A twin stays only
 * if it is smaller than its file. Files of equal bytes (latest/ and the version) share one. Those of large downloads
 * are made as soon as these are there, beside the query index, which keeps one thread busy for as long. */
#include "published/press.h"
#include "published/stage_internal.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/media.h"

enum {
    SMALLEST = 1024, /* bytes: below, one packet brings the file with its headers, compressed or not */
    LARGE = 4 << 20  /* worth a turn of its own */
};

struct twin {
    struct odp_site_file file; /* whose twin it is; copied, because entering twins moves the list */
    const char *path;          /* of the twin */
    enum odp_encoding encoding;
    size_t nequal; /* of the first twin of equal bytes and encoding: how many these are */
    bool entered;  /* made beforehand */
    bool made;     /* it is there; else it would be no smaller */
    struct odp_file_info info;
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

static bool wants_twins(const struct odp_site_file *f)
{
    return !f->settled && !f->absent && f->encoding == NULL && f->size >= SMALLEST &&
           f->cls != ODP_CLASS_INTERNAL && odp_media_of(f->media_type) == ODP_MEDIA_TEXT;
}

/* Of the API, after the first one, which programs ask for again and again. */
static bool is_page(const struct odp_site_file *f)
{
    return f->cls == ODP_CLASS_KEYED && strstr(f->path, "/p/") != NULL;
}

static int by_content(const struct twin *x, const struct twin *y)
{
    if (x->file.size != y->file.size)
        return x->file.size > y->file.size ? -1 : 1;
    int c = memcmp(x->file.sha256, y->file.sha256, sizeof x->file.sha256);
    if (c == 0)
        c = (int)x->encoding - (int)y->encoding;
    return c != 0 ? c : (int)is_page(&x->file) - (int)is_page(&y->file);
}

/* Largest first, so that the threads end together; equal bytes side by side, before them one that was made. */
static int in_order(const void *a, const void *b)
{
    const struct twin *x = a, *y = b;
    int c = by_content(x, y);
    if (c == 0)
        c = (int)y->entered - (int)x->entered;
    return c != 0 ? c : strcmp(x->path, y->path);
}

static struct twin twin_of(const struct odp_stage *s, const struct odp_site_file *f, enum odp_encoding e,
                           struct odp_arena *a)
{
    struct twin w = {.file = *f, .encoding = e};
    w.path = odp_arena_printf(a, "%s%s", f->path, odp_encoding_suffixes[e]);
    const struct odp_site_file *there = odp_stage_find(s, w.path);
    if (there == NULL)
        return w;
    w.entered = w.made = true;
    w.info.size = there->size;
    memcpy(w.info.sha256, there->sha256, sizeof w.info.sha256);
    return w;
}

static void collect(struct twins *t)
{
    size_t n;
    const struct odp_site_file *files = odp_stage_files(t->stage, &n);
    t->all = odp_arena_zero(&t->arena, 2 * n + 1, sizeof *t->all);
    t->different = odp_arena_array(&t->arena, 2 * n + 1, sizeof *t->different);
    for (size_t i = 0; i < n; i++)
        for (enum odp_encoding e = 0; e < ODP_ENCODINGS && wants_twins(&files[i]); e++)
            t->all[t->n++] = twin_of(t->stage, &files[i], e, &t->arena);
    qsort(t->all, t->n, sizeof *t->all, in_order);
    for (size_t i = 0; i < t->n; i += t->all[i].nequal) {
        struct twin *first = &t->all[i];
        while (i + first->nequal < t->n && by_content(first, first + first->nequal) == 0)
            first->nequal++;
        t->different[t->ndifferent++] = first;
        t->total += first->entered ? 0 : first->file.size;
    }
}

/* Makes W next to its file. Any thread. */
static enum odp_status press(const struct odp_stage *s, struct odp_press **p, struct twin *w)
{
    struct odp_file *to = NULL;
    struct odp_arena arena = {0};
    const char *from = odp_path_join(&arena, s->dir, w->file.path);
    enum odp_status status = odp_file_create_of_many(&to, odp_path_join(&arena, s->dir, w->path), 0444);
    if (status == ODP_OK && *p == NULL)
        status = odp_press_new(p);
    if (status == ODP_OK)
        status = odp_press_file(*p, from, w->file.size, w->encoding, is_page(&w->file), to);
    w->made = status == ODP_OK && odp_file_size(to) < w->file.size;
    if (w->made)
        status = odp_file_close(to, &w->info);
    else
        odp_file_discard(to);
    odp_arena_release(&arena);
    return status;
}

static enum odp_status make(void *ctx, size_t i, unsigned worker)
{
    struct twins *t = ctx;
    struct twin *w = t->different[i];
    enum odp_status status = w->entered ? ODP_OK : press(t->stage, &t->presses[worker], w);
    const uint64_t size = w->entered ? 0 : w->file.size, done = atomic_fetch_add(&t->done, size) + size;
    if (worker == 0) /* the calling thread */
        odp_progress_update(t->progress, ODP_PHASE_PUBLISH, "", done, t->total, 0);
    return status;
}

enum odp_status odp_stage_press(void *stage, const char *path, unsigned encoding)
{
    struct odp_stage *s = stage;
    const struct odp_site_file *f = odp_stage_find(s, path);
    if (f == NULL || f->size < LARGE || !wants_twins(f) || encoding >= ODP_ENCODINGS)
        return ODP_OK;
    struct odp_arena arena = {0};
    struct odp_press *p = NULL;
    struct twin w = twin_of(s, f, (enum odp_encoding)encoding, &arena);
    enum odp_status status = w.entered ? ODP_OK : press(s, &p, &w);
    if (status == ODP_OK && w.made && !w.entered)
        odp_stage_add(s, w.path, w.file.media_type, odp_encoding_names[encoding], w.file.cls, &w.info);
    odp_press_free(p);
    odp_arena_release(&arena);
    return status;
}

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
    collect(&t);
    t.presses = odp_arena_zero(&t.arena, jobs, sizeof *t.presses);
    enum odp_status status = odp_pool_each(pool, t.ndifferent, &t, make);
    for (size_t i = 0; i < t.ndifferent && status == ODP_OK; i++)
        status = enter(&t, t.different[i]);
    for (unsigned i = 0; i < jobs; i++)
        odp_press_free(t.presses[i]);
    odp_arena_release(&t.arena);
    return status;
}
