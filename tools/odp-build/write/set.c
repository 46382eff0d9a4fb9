/* All emitters of one resource, and the chunks they share. */
#include <errno.h>
#include <stdlib.h>

#include "write/emitters.h"

/* ---- one emitter ---- */

void odp_emit_abort(struct odp_emit *e)
{
    if (e == NULL)
        return;
    if (e->kind->release != NULL)
        e->kind->release(e);
    odp_arena_release(&e->arena);
    free(e);
}

struct odp_emit *odp_emit_begin(const struct odp_emitter *kind, const struct odp_emit_job *job)
{
    struct odp_emit *e = calloc(1, kind->size);
    if (e == NULL) {
        (void)odp_failure_set("emit", kind->file->name, ENOMEM);
        return NULL;
    }
    e->kind = kind;
    e->job = job;
    odp_arena_init(&e->arena);
    if (kind->begin(e) == ODP_OK)
        return e;
    odp_emit_abort(e);
    return NULL;
}

enum odp_status odp_emit_end(struct odp_emit *e)
{
    enum odp_status status = e->kind->end(e);
    odp_emit_abort(e);
    return status;
}

/* ---- the set ---- */

/* The first emitter that formats what KIND appends. */
static size_t find_chunk(const struct odp_emit_set *s, const struct odp_emitter *kind,
                         const struct odp_emit_job *job)
{
    const char *form = kind->form != NULL ? kind->form(job) : NULL;
    for (size_t k = 0; form != NULL && k < s->n; k++) {
        const char *other = s->kinds[k]->form != NULL ? s->kinds[k]->form(job) : NULL;
        if (other != NULL && strcmp(form, other) == 0)
            return s->chunk_of[k];
    }
    return s->n;
}

/* Every emitter can name the file in which all records are for good: the first format's of this version. */
static void tell_download(struct odp_emit_set *s)
{
    size_t first = 0;
    while (first < s->n && s->kinds[first]->file->format == NULL)
        first++;
    for (size_t k = 0; k < s->n && first < s->n; k++)
        s->emits[k]->download = s->kinds[first];
}

/* Every format of the dataset is made of this resource, or, where it takes a geometry, of another one that
 * has it. The catalogue's check ensures it; silently leaving one out would be worse than failing. */
static enum odp_status check_formats(const struct odp_emit_set *s, const struct odp_emit_job *job)
{
    const struct odp_dataset *d = job->resource->dataset;
    bool whole = job->slice == NULL && job->nchosen == 0, elsewhere = false;
    for (size_t i = 0; i < d->nresources; i++)
        elsewhere = elsewhere || (&d->resources[i] != job->resource && d->resources[i].geometry.present);
    for (size_t f = 0; f < d->formats.n && whole; f++) {
        bool made = elsewhere && odp_format_needs_geometry(d->formats.item[f]);
        for (size_t k = 0; k < s->n; k++)
            made = made || (s->kinds[k]->file->format != NULL &&
                            odp_slice_is(d->formats.item[f], s->kinds[k]->file->format));
        if (!made)
            return odp_failure_set("make every format of", d->slug, 0);
    }
    return ODP_OK;
}

enum odp_status odp_emit_set_begin(struct odp_emit_set *s, const struct odp_emit_job *job)
{
    size_t n;
    const struct odp_emitter *const *kinds = odp_emitters(&n);
    s->n = 0;
    for (size_t k = 0; k < n; k++) {
        if (!odp_emit_offers(job, kinds[k]))
            continue;
        s->chunk_of[s->n] = find_chunk(s, kinds[k], job);
        s->reads[s->n] = kinds[k]->reads != NULL ? kinds[k]->reads(job) : NULL;
        s->emits[s->n] = odp_emit_begin(kinds[k], job);
        if (s->emits[s->n] == NULL)
            return ODP_FAIL;
        s->kinds[s->n++] = kinds[k];
    }
    tell_download(s);
    return check_formats(s, job);
}

bool odp_emit_set_reads_labels(const struct odp_emit_set *s)
{
    bool reads = false;
    for (size_t k = 0; k < s->n; k++)
        reads = reads || !s->kinds[k]->no_labels;
    return reads;
}

bool odp_emit_set_tells_digest(const struct odp_emit_set *s)
{
    bool tells = false;
    for (size_t k = 0; k < s->n; k++)
        tells = tells || s->kinds[k]->tells_digest;
    return tells;
}

enum odp_status odp_emit_set_format(const struct odp_emit_set *s, const struct odp_batch *b,
                                    struct odp_chunk *chunks)
{
    for (size_t k = 0; k < s->n; k++) {
        if (s->chunk_of[k] != k)
            continue;
        odp_chunk_clear(&chunks[k]);
        if (s->kinds[k]->format_batch(s->emits[k], b, &chunks[k]) != ODP_OK)
            return ODP_FAIL;
    }
    return ODP_OK;
}

enum odp_status odp_emit_set_append_one(struct odp_emit_set *s, size_t k, const struct odp_chunk *chunks)
{
    return s->kinds[k]->append(s->emits[k], &chunks[s->chunk_of[k]]);
}

enum odp_status odp_emit_set_append(struct odp_emit_set *s, const struct odp_chunk *chunks)
{
    for (size_t k = 0; k < s->n; k++)
        if (odp_emit_set_append_one(s, k, chunks) != ODP_OK)
            return ODP_FAIL;
    return ODP_OK;
}

/* Does the K-th end after another one, which it depends on? */
static bool follows(const struct odp_emit_set *s, size_t k)
{
    bool there = false;
    for (size_t i = 0; i < s->n; i++)
        there = there || s->kinds[i] == s->reads[k];
    return there;
}

/* Ends the K-th and forgets it; then those that read its file. */
static enum odp_status end_this(struct odp_emit_set *s, size_t k)
{
    struct odp_emit *e = s->emits[k];
    s->emits[k] = NULL;
    enum odp_status status = odp_emit_end(e);
    for (size_t i = 0; i < s->n && status == ODP_OK; i++)
        if (s->reads[i] == s->kinds[k])
            status = end_this(s, i);
    return status;
}

static enum odp_status end_one(void *ctx, size_t k, unsigned worker)
{
    struct odp_emit_set *s = ctx;
    return follows(s, k) ? ODP_OK : end_this(s, k);
}

enum odp_status odp_emit_set_end(struct odp_emit_set *s)
{
    enum odp_status status = ODP_OK;
    for (size_t k = 0; k < s->n && status == ODP_OK; k++)
        status = end_one(s, k, 0);
    odp_emit_set_abort(s); /* those that a failure has left */
    return status;
}

struct ending {
    struct odp_emit_set *set;
    size_t n; /* of the set */
    struct odp_output *output;
    const char *downloads[ODP_EMIT_MAX]; /* NULL: it makes none */
};

/* After the ends, beside those that last (the index): the twins of large downloads. */
static enum odp_status end_or_press(void *ctx, size_t i, unsigned worker)
{
    struct ending *e = ctx;
    if (i < e->n)
        return end_one(e->set, i, worker);
    const char *path = e->downloads[i - e->n];
    return path != NULL ? e->output->press(e->output->ctx, path) : ODP_OK;
}

enum odp_status odp_emit_set_end_on(struct odp_emit_set *s, struct odp_pool *pool)
{
    const struct odp_emit_job *job = s->n > 0 ? s->emits[0]->job : NULL;
    struct ending e = {.set = s, .n = s->n, .output = job != NULL ? job->output : NULL};
    for (size_t k = 0; k < s->n; k++)
        if (s->kinds[k]->file->format != NULL)
            e.downloads[k] = odp_emit_data_path(job, s->kinds[k]->file->extension, job->arena);
    const bool presses = e.output != NULL && e.output->press != NULL;
    enum odp_status status = odp_pool_each(pool, presses ? 2 * e.n : e.n, &e, end_or_press);
    odp_emit_set_abort(s);
    return status;
}

void odp_emit_set_abort(struct odp_emit_set *s)
{
    for (size_t k = 0; k < s->n; k++)
        odp_emit_abort(s->emits[k]);
    s->n = 0;
}
