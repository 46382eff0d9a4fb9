/* The patches of a file: gathered, refused where an edit does not fit, put in the order of their places. */
#include <stdlib.h>

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
    if (p->show) {
        keep(&p->shown, before, &q->before, &q->nbefore);
        keep(&p->shown, after, &q->after, &q->nafter);
    }
}

void odp_plan_refuse(struct plan *p, struct odp_diag *d)
{
    const struct odp_resource *r = p->edits->resource;
    p->misfit = true;
    d->dataset = r->dataset != NULL ? r->dataset->slug : NULL;
    d->resource = r->name;
    d->file = p->file;
    p->failed = odp_diags_add(p->diags, d) == ODP_FAIL || p->failed;
}

enum odp_status odp_plan_status(const struct plan *p)
{
    if (p->failed || odp_buffer_status(&p->bytes) != ODP_OK || odp_buffer_status(&p->shown) != ODP_OK)
        return ODP_FAIL;
    return odp_arena_status(p->arena);
}

static bool goes(const struct patch *p)
{
    return p->kind == ODP_EDIT_DELETE || p->kind == ODP_EDIT_LINES;
}

static int by_place(const void *x, const void *y)
{
    const struct patch *a = x, *b = y;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (goes(a) != goes(b)) /* so that what lies within is seen to do so */
        return goes(a) ? -1 : 1;
    return (a->seq > b->seq) - (a->seq < b->seq);
}

static void count(struct plan *p, const struct patch *patch)
{
    p->counts.cells += patch->kind == ODP_EDIT_CELL;
    p->counts.deleted += patch->kind == ODP_EDIT_DELETE;
    p->counts.appended += patch->kind == ODP_EDIT_APPEND;
    p->counts.labels += patch->kind == ODP_EDIT_LABEL;
    p->counts.lines += patch->kind == ODP_EDIT_LINES ? patch->count : 0;
}

void odp_plan_sort(struct plan *p)
{
    uint64_t gone = 0; /* the end of what goes */
    size_t n = 0, last = 0;
    if (p->n > 1)
        qsort(p->patches, p->n, sizeof *p->patches, by_place);
    for (size_t i = 0; i < p->n; i++) {
        struct patch q = p->patches[i];
        if (q.start < gone && q.kind == ODP_EDIT_APPEND)
            q.start = q.end = gone;
        if (q.start < gone) {
            if (q.end > gone) /* two pieces that overlap go as one */
                p->patches[last].end = gone = q.end;
            continue;
        }
        if (goes(&q)) {
            gone = q.end;
            last = n;
        }
        p->patches[n++] = q;
        count(p, &q);
    }
    p->n = n;
}
