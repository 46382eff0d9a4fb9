/* A plan of patches: what is added to it, and the edits that do not fit into it. */
#include "repair/rewrite/rewrite_internal.h"

static void keep(struct odp_buffer *b, struct odp_slice s, size_t *at, size_t *n)
{
    *at = b->len;
    *n = s.len;
    odp_buffer_add_slice(b, s);
}

void odp_plan_add(struct plan *p, const struct patch *patch, struct odp_slice bytes, struct odp_slice before,
                  struct odp_slice after)
{
    p->patches = odp_arena_more(p->arena, p->patches, p->n, sizeof *p->patches);
    struct patch *q = &p->patches[p->n];
    *q = *patch;
    q->seq = (uint32_t)p->n++;
    keep(&p->bytes, bytes, &q->bytes, &q->nbytes);
    if (p->how->show != NULL) {
        keep(&p->shown, before, &q->before, &q->nbefore);
        keep(&p->shown, after, &q->after, &q->nafter);
    }
}

void odp_plan_refuse(struct plan *p, const struct edit *e, struct odp_diag *d)
{
    const struct odp_resource *r = p->edits->resource;
    p->misfit = true;
    if (e != NULL)
        p->edits->edits[e - p->edits->edits].misfit = true;
    else
        p->edits->refused = true;
    d->dataset = r->dataset != NULL ? r->dataset->slug : NULL;
    d->resource = r->name;
    d->file = p->how->file;
    p->failed = odp_diags_add(p->diags, d) == ODP_FAIL || p->failed;
}

enum odp_status odp_plan_status(const struct plan *p)
{
    if (p->failed || odp_buffer_status(&p->bytes) != ODP_OK || odp_buffer_status(&p->shown) != ODP_OK)
        return ODP_FAIL;
    return odp_arena_status(p->arena);
}
