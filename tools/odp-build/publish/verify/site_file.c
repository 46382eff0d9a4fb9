/* A file of the site that is being proved: by its path, where it lies, its bytes, its JSON; what is reported
 * of it; and work on many of them. */
#include "publish/verify/verify_internal.h"

#include <stdlib.h>

#include "base/json_load.h"

void verify_report(struct verify *v, const struct odp_diag *d)
{
    if (odp_diags_add(v->diags, d) == ODP_FAIL)
        v->status = ODP_FAIL;
}

void verify_fault(struct verify *v, enum odp_code code, const char *path, const char *detail,
                  const char *expected, const char *found)
{
    struct odp_diag d = {
        .code = code, .file = v->shown, .args = {odp_slice_of(path)}, .value = odp_slice_of(found)};
    size_t n = 1;
    if (detail != NULL)
        d.args[n++] = odp_slice_of(detail);
    d.args[n] = odp_slice_of(expected);
    verify_report(v, &d);
}

struct verify_file *verify_find(const struct verify *v, const char *path)
{
    const struct verify_file key = {.f = {.path = path}};
    return v->n > 0 ? bsearch(&key, v->files, v->n, sizeof key, odp_by_string)
                    : NULL; /* a string comes first in them */
}

struct verify_file *verify_good(const struct verify *v, const char *path)
{
    struct verify_file *f = verify_find(v, path);
    return f != NULL && f->state == VERIFY_GOOD ? f : NULL;
}

char *verify_place(const struct verify *v, const char *path, struct odp_arena *a)
{
    return odp_path_join(a, v->dir, path);
}

enum odp_status verify_read(const struct verify *v, const struct verify_file *f, struct odp_buffer *out)
{
    struct odp_arena arena = {0};
    const char *path = verify_place(v, f->f.path, &arena);
    enum odp_status status = odp_file_read(path, (size_t)f->f.size, out, NULL);
    if (status == ODP_BAD) /* it was there a moment ago, with the right bytes */
        status = odp_failure_set("read", path, 0);
    odp_arena_release(&arena);
    return status;
}

json_t *verify_parse(struct odp_slice text, char why[JSON_ERROR_TEXT_LENGTH])
{
    json_error_t error = {0};
    json_t *json = odp_json_load(text.ptr, text.len, JSON_REJECT_DUPLICATES, &error);
    memcpy(why, error.text, JSON_ERROR_TEXT_LENGTH);
    return json;
}

json_t *verify_json(struct verify *v, const struct verify_file *f)
{
    struct odp_buffer text = {0};
    char why[JSON_ERROR_TEXT_LENGTH];
    json_t *json = NULL;
    if (verify_read(v, f, &text) != ODP_OK)
        v->status = ODP_FAIL;
    else if ((json = verify_parse(odp_buffer_slice(&text), why)) == NULL)
        verify_fault(v, ODP_V69, f->f.path, NULL, NULL, why);
    odp_buffer_release(&text);
    return json;
}

/* ---- many of them ---- */

struct piece {
    uint64_t size;
    size_t i;
};

struct running {
    const struct verify_run *r;
    struct piece *pieces;
    size_t next, *slot;
    uint64_t done, total;
};

static int largest_first(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;
    if (x->size != y->size)
        return x->size > y->size ? -1 : 1;
    return (x->i > y->i) - (x->i < y->i);
}

static enum odp_status produce(void *ctx, size_t slot)
{
    struct running *w = ctx;
    if (w->next == w->r->n)
        return ODP_DONE;
    w->slot[slot] = w->next++;
    return ODP_OK;
}

static enum odp_status work(void *ctx, size_t slot, unsigned worker)
{
    struct running *w = ctx;
    return w->r->work(w->r->ctx, w->pieces[w->slot[slot]].i);
}

static enum odp_status consume(void *ctx, size_t slot)
{
    struct running *w = ctx;
    w->done += w->pieces[w->slot[slot]].size;
    odp_progress_update(w->r->v->o->progress, w->r->phase, "", w->done, w->total, 0);
    return ODP_OK;
}

void verify_largest_first(const struct verify_run *r)
{
    struct verify *v = r->v;
    struct running w = {.r = r};
    w.pieces = odp_arena_array(v->arena, r->n + 1, sizeof *w.pieces);
    w.slot = odp_arena_zero(v->arena, odp_pool_slots(v->pool) + 1, sizeof *w.slot);
    for (size_t i = 0; i < r->n; i++) {
        w.pieces[i] = (struct piece){r->size(r->ctx, i), i};
        w.total += w.pieces[i].size;
    }
    qsort(w.pieces, r->n, sizeof *w.pieces, largest_first);
    if (v->status == ODP_OK)
        v->status = odp_pool_ordered(v->pool, &(struct odp_ordered){&w, produce, work, consume});
}
