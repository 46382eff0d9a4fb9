/* Compressed twins of text files: <path>.gz and <path>.br, made once a build and kept for bytes that are
 * carried over.
 *
 * The size alone decides the level (press.c), so the same bytes always have the same twins. A twin stays only
 * if it is smaller than its file. Files of equal bytes (latest/ and the version) share one. */
#include "published/press.h"
#include "published/stage_internal.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/media.h"

enum { SMALLEST = 1024 }; /* bytes: below, one packet brings the file with its headers, compressed or not */

struct twin {
    struct odp_site_file file; /* whose twin it is; copied, because entering twins moves the list */
    const char *path;          /* of the twin */
    enum odp_encoding encoding;
    size_t nequal; /* of the first twin of equal bytes and encoding: how many these are */
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

static int by_content(const struct twin *x, const struct twin *y)
{
    if (x->file.size != y->file.size)
        return x->file.size > y->file.size ? -1 : 1;
    int c = memcmp(x->file.sha256, y->file.sha256, sizeof x->file.sha256);
    return c != 0 ? c : (int)x->encoding - (int)y->encoding;
}

/* Largest first, so that the threads end together; equal bytes side by side. */
static int in_order(const void *a, const void *b)
{
    int c = by_content(a, b);
    return c != 0 ? c : strcmp(((const struct twin *)a)->path, ((const struct twin *)b)->path);
}

static void collect(struct twins *t)
{
    size_t n;
    const struct odp_site_file *files = odp_stage_files(t->stage, &n);
    t->all = odp_arena_zero(&t->arena, 2 * n + 1, sizeof *t->all);
    t->different = odp_arena_array(&t->arena, 2 * n + 1, sizeof *t->different);
    for (size_t i = 0; i < n; i++)
        for (enum odp_encoding e = 0; e < ODP_ENCODINGS && wants_twins(&files[i]); e++) {
            const char *path = odp_arena_printf(&t->arena, "%s%s", files[i].path, odp_encoding_suffixes[e]);
            if (odp_stage_find(t->stage, path) == NULL)
                t->all[t->n++] = (struct twin){.file = files[i], .path = path, .encoding = e};
        }
    qsort(t->all, t->n, sizeof *t->all, in_order);
    for (size_t i = 0; i < t->n; i += t->all[i].nequal) {
        struct twin *first = &t->all[i];
        while (i + first->nequal < t->n && by_content(first, first + first->nequal) == 0)
            first->nequal++;
        t->different[t->ndifferent++] = first;
        t->total += first->file.size;
    }
}

/* Makes one twin next to its file. Any thread. */
static enum odp_status make(void *ctx, size_t i, unsigned worker)
{
    struct twins *t = ctx;
    struct twin *w = t->different[i];
    struct odp_file *to = NULL;
    struct odp_arena arena = {0};
    const char *from = odp_path_join(&arena, t->stage->dir, w->file.path);
    enum odp_status status =
        odp_file_create_of_many(&to, odp_path_join(&arena, t->stage->dir, w->path), 0444);
    if (status == ODP_OK && t->presses[worker] == NULL)
        status = odp_press_new(&t->presses[worker]);
    if (status == ODP_OK)
        status = odp_press_file(t->presses[worker], from, w->file.size, w->encoding, to);
    w->made = status == ODP_OK && odp_file_size(to) < w->file.size;
    if (w->made)
        status = odp_file_close(to, &w->info);
    else
        odp_file_discard(to);
    odp_arena_release(&arena);
    uint64_t done = atomic_fetch_add(&t->done, w->file.size) + w->file.size;
    if (worker == 0) /* the calling thread */
        odp_progress_update(t->progress, ODP_PHASE_PUBLISH, "", done, t->total, 0);
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
    odp_stage_add(t->stage, first->path, first->file.media_type, encoding, first->file.cls, &first->info);
    for (const struct twin *w = first + 1; w < first + first->nequal && status == ODP_OK; w++) {
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
