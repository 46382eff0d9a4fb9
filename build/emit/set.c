/* All emitters of one resource, and the chunks they share. */
#include "emit.h"

bool odp_emit_offers(const struct odp_emit_job *job, const struct odp_emitter *kind)
{
    const struct odp_dataset *d = job->resource->dataset;
    if ((kind->wanted != NULL && !kind->wanted(job)) || (kind->needs_geometry && !job->has_geometry))
        return false;
    if (kind->format == NULL)
        return job->slice == NULL;
    for (size_t i = 0; i < d->formats.n; i++)
        if (odp_slice_is(d->formats.item[i], kind->format))
            return true;
    return false;
}

/* The first emitter that formats what KIND appends. */
static size_t find_chunk(const struct odp_emit_set *s, const struct odp_emitter *kind, const struct odp_emit_job *job)
{
    const char *form = kind->form != NULL ? kind->form(job) : NULL;
    for (size_t k = 0; form != NULL && k < s->n; k++) {
        const char *other = s->kinds[k]->form != NULL ? s->kinds[k]->form(job) : NULL;
        if (other != NULL && strcmp(form, other) == 0)
            return s->chunk_of[k];
    }
    return s->n;
}

enum odp_status odp_emit_set_begin(struct odp_emit_set *s, const struct odp_emit_job *job)
{
    size_t n;
    const struct odp_emitter *const *kinds = odp_emitters(&n);
    s->n = 0;
    for (size_t k = 0; k < n; k++) {
        if (!odp_emit_offers(job, kinds[k]))
            continue;
        if (s->n == ODP_EMIT_MAX)
            return odp_failure_set("emit: too many formats", kinds[k]->name, 0);
        s->chunk_of[s->n] = find_chunk(s, kinds[k], job);
        if (kinds[k]->begin(&s->emits[s->n], job) != ODP_OK)
            return ODP_FAIL;
        s->kinds[s->n++] = kinds[k];
    }
    return ODP_OK;
}

enum odp_status odp_emit_set_format(const struct odp_emit_set *s, const struct odp_batch *b, struct odp_chunk *chunks)
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

enum odp_status odp_emit_set_append(struct odp_emit_set *s, const struct odp_chunk *chunks)
{
    for (size_t k = 0; k < s->n; k++)
        if (s->kinds[k]->append(s->emits[k], &chunks[s->chunk_of[k]]) != ODP_OK)
            return ODP_FAIL;
    return ODP_OK;
}

enum odp_status odp_emit_set_end(struct odp_emit_set *s)
{
    enum odp_status status = ODP_OK;
    for (size_t k = 0; k < s->n; k++) {
        if (status == ODP_OK)
            status = s->kinds[k]->end(s->emits[k]);
        else
            s->kinds[k]->abort(s->emits[k]);
    }
    s->n = 0;
    return status;
}

void odp_emit_set_abort(struct odp_emit_set *s)
{
    for (size_t k = 0; k < s->n; k++)
        s->kinds[k]->abort(s->emits[k]);
    s->n = 0;
}
