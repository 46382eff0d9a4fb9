/* Compressed twins of text files: <path>.gz and <path>.br, made once a build and kept for bytes that are
 * carried over.
 *
 * How hard is decided by the size alone (press.c), so the same bytes always have the same twins: small files,
 * which are read most and cost little, are pressed hard; very large ones lightly. Only a twin that is smaller
 * than its file is kept. Files of equal bytes (latest/ and the version) share one.
 *
 * In a build a file's twins are begun when it is closed, while other datasets or its own query index are
 * still being made; here the rest is made, and all are entered. Which of equal files was pressed tells
 * nobody. */
#include "published/stage_internal.h"

#include <stdlib.h>

#include "base/media.h"
#include "published/twin_makers.h"

enum { SMALLEST = 256 }; /* bytes: below, headers cost more than is won */

struct twin {
    const char *from, *path, *media_type; /* of the site */
    enum odp_encoding encoding;
    enum odp_class cls;
    uint64_t size;                   /* of the file */
    uint8_t sha256[ODP_SHA256_SIZE]; /* of the file */
    size_t first, end;               /* those of equal bytes and encoding */
};

struct twins {
    struct odp_stage *stage;
    struct twin *twins;
    size_t n;
};

static bool wants_twins(const struct odp_site_file *f)
{
    return !f->settled && !f->absent && f->encoding == NULL && f->size >= SMALLEST &&
           f->cls != ODP_CLASS_INTERNAL && odp_media_of(f->media_type) == ODP_MEDIA_TEXT;
}

/* ---- ahead ---- */

enum odp_status odp_stage_twins_ahead(struct odp_stage *s, unsigned jobs, const struct odp_site *previous)
{
    s->previous = previous;
    s->ahead = jobs > 1;
    return s->makers != NULL || jobs < 2 ? ODP_OK : odp_makers_new(&s->makers, s->dir, jobs - 1);
}

void odp_stage_twins_ask(struct odp_stage *s, const struct odp_site_file *f)
{
    if (!s->ahead || !wants_twins(f))
        return;
    /* What is published already has its twins, and will be carried over with them. */
    const struct odp_site_file *same = s->previous != NULL ? odp_site_find(s->previous, f->path) : NULL;
    if (same == NULL || memcmp(same->sha256, f->sha256, sizeof f->sha256) != 0)
        odp_makers_ask(s->makers, f->path, f->size, ODP_ENCODINGS);
}

/* ---- all of them ---- */

/* Largest first, so that the threads end together; equal bytes side by side. */
static int by_size(const void *a, const void *b)
{
    const struct twin *x = a, *y = b;
    if (x->size != y->size)
        return x->size > y->size ? -1 : 1;
    int c = memcmp(x->sha256, y->sha256, sizeof x->sha256);
    if (c == 0)
        c = (int)x->encoding - (int)y->encoding;
    return c != 0 ? c : strcmp(x->path, y->path);
}

static bool is_equal(const struct twin *x, const struct twin *y)
{
    return x->size == y->size && x->encoding == y->encoding &&
           memcmp(x->sha256, y->sha256, sizeof x->sha256) == 0;
}

static void collect(struct twins *t, struct odp_arena *a)
{
    size_t n;
    const struct odp_site_file *files = odp_stage_files(t->stage, &n);
    t->twins = odp_arena_array(a, 2 * n + 1, sizeof *t->twins);
    for (size_t i = 0; i < n; i++) {
        const struct odp_site_file *f = &files[i];
        for (enum odp_encoding e = 0; e < ODP_ENCODINGS && wants_twins(f); e++) {
            const char *path = odp_arena_printf(a, "%s%s", f->path, odp_encoding_suffixes[e]);
            if (odp_stage_find(t->stage, path) != NULL)
                continue;
            struct twin *twin = &t->twins[t->n++];
            *twin = (struct twin){.from = f->path,
                                  .path = path,
                                  .media_type = f->media_type,
                                  .encoding = e,
                                  .cls = f->cls,
                                  .size = f->size};
            memcpy(twin->sha256, f->sha256, sizeof twin->sha256);
        }
    }
    if (t->n > 1)
        qsort(t->twins, t->n, sizeof *t->twins, by_size);
}

/* Whether the twin of one of equal files was asked for. */
static bool is_asked(const struct twins *t, const struct twin *first)
{
    for (size_t i = first->first; i < first->end; i++)
        if (odp_makers_asked(t->stage->makers, t->twins[i].from, first->encoding))
            return true;
    return false;
}

/* Asks for what nobody has asked for yet: of equal files one. */
static void ask(struct twins *t)
{
    for (size_t i = 0, end; i < t->n; i = end) {
        struct twin *first = &t->twins[i];
        for (end = i + 1; end < t->n && is_equal(first, &t->twins[end]); end++)
            ;
        first->first = i;
        first->end = end;
        if (!is_asked(t, first))
            odp_makers_ask(t->stage->makers, first->from, first->size, first->encoding);
    }
}

/* The twin of W that lies beside it and is not entered yet, or NULL. */
static struct odp_twin_pair *own(const struct twins *t, const struct twin *w)
{
    struct odp_twin_pair *pair = odp_makers_find(t->stage->makers, w->from);
    return pair != NULL && pair->made[w->encoding] && !pair->entered[w->encoding] ? pair : NULL;
}

/* Enters the twins of equal files: those that were made, and for the others links to the first of these. */
static enum odp_status enter_equal(struct twins *t, const struct twin *first, struct odp_arena *a)
{
    const struct twin *made = first, *end = t->twins + first->end;
    while (made < end && own(t, made) == NULL)
        made++;
    if (made == end)
        return ODP_OK; /* it would be no smaller */
    const struct odp_file_info info = own(t, made)->info[first->encoding];
    const char *from = odp_path_join(a, t->stage->dir, made->path),
               *encoding = odp_encoding_names[first->encoding];
    enum odp_status status = ODP_OK;
    for (const struct twin *w = first; w < end && status == ODP_OK; w++) {
        struct odp_twin_pair *pair = own(t, w);
        struct odp_site_file f = {
            .media_type = w->media_type, .encoding = encoding, .cls = w->cls, .size = info.size};
        memcpy(f.sha256, info.sha256, sizeof f.sha256);
        if (pair == NULL) {
            status = odp_stage_link(t->stage, from, w->path, &f);
        } else {
            odp_stage_add(t->stage, w->path, w->media_type, encoding, w->cls, &info);
            pair->entered[w->encoding] = true;
        }
    }
    return status;
}

enum odp_status odp_stage_twins(struct odp_stage *s, struct odp_pool *pool,
                                const struct odp_progress *progress)
{
    struct odp_arena arena;
    struct twins t = {.stage = s};
    enum odp_status status =
        s->makers != NULL ? ODP_OK : odp_makers_new(&s->makers, s->dir, odp_pool_jobs(pool) - 1);
    odp_arena_init(&arena);
    if (status == ODP_OK) {
        collect(&t, &arena);
        ask(&t);
        status = odp_makers_finish(s->makers, progress);
    }
    for (size_t i = 0; i < t.n && status == ODP_OK; i = t.twins[i].end)
        status = enter_equal(&t, &t.twins[i], &arena);
    odp_arena_release(&arena);
    return status;
}
