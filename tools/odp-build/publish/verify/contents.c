/* Distributions are read back and their logical content compared with what the list of versions says; deltas
 * are applied. Each is one piece of work on the pool with memory of its own, the largest first; what they
 * mean is decided afterwards, in order.
 *
 * A form that carries the geometry whole must give the resource's digest of versions.json. The others, and
 * the pages (odp:apiGeometry), must have the attributes of a form that was proved; where none is proved,
 * they must be equal. A slice has rows in the index, but no digest: its forms must be equal. */
#include "publish/verify/verify_internal.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "published/reading.h"
#include "site/differences/delta.h"
#include "words/publish.h"

struct contents {
    struct verify *v;
    struct verify_work *w;
    size_t *order; /* readings, then deltas (by their number + nreadings), largest first */
    size_t n, next, *slot;
    pthread_mutex_t mutex; /* guards v->arena */
    uint64_t done, total;
};

/* FAULT into the site's arena. */
static enum odp_status keep_fault(struct contents *c, const char *fault, const char **kept)
{
    pthread_mutex_lock(&c->mutex);
    *kept = odp_arena_str(c->v->arena, fault != NULL ? fault : "");
    pthread_mutex_unlock(&c->mutex);
    return ODP_BAD;
}

/* ---- one distribution ---- */

static enum odp_status read_layout(struct contents *c, const struct verify_reading *r, struct odp_arena *a,
                                   json_t **json, struct odp_layout **layout, const char **why)
{
    struct odp_buffer text;
    char parse_why[JSON_ERROR_TEXT_LENGTH];
    const struct verify_group *g = &c->w->groups[r->group];
    const struct verify_file *f = verify_find(c->v, r->schema);
    odp_buffer_init(&text);
    enum odp_status status = verify_read(c->v, f, &text);
    if (status == ODP_OK) {
        status = verify_parse(odp_buffer_slice(&text), json, parse_why);
        *why = "schema.json";
        if (status == ODP_OK && !json_is_object(*json))
            status = ODP_BAD;
        if (status == ODP_OK &&
            !g->known) /* a slice has the schema of the whole, but records of its own number */
            json_object_set_new(*json, "odp:rows", json_integer((json_int_t)g->rows));
        if (status == ODP_OK)
            status = odp_layout_read(layout, *json, a, why);
    }
    odp_buffer_release(&text);
    return status;
}

static enum odp_status read_records(struct contents *c, struct verify_reading *r,
                                    const struct odp_layout *layout, struct odp_arena *a)
{
    struct odp_reading_digest digest;
    struct odp_reading *reading = NULL;
    const char **paths = odp_arena_array(a, r->npaths, sizeof *paths);
    for (size_t i = 0; i < r->npaths; i++)
        paths[i] = verify_place(c->v, r->paths[i], a);
    enum odp_status status = odp_reading_open(&reading, (enum odp_form)r->form, layout, paths, r->npaths);
    if (status == ODP_OK)
        status = odp_reading_digest(reading, &digest);
    if (status == ODP_OK) {
        r->rows = digest.rows;
        r->whole = digest.whole;
        memcpy(r->logical, digest.logical, sizeof r->logical);
        memcpy(r->attributes, digest.attributes, sizeof r->attributes);
    } else if (status != ODP_FAIL) {
        status = keep_fault(c, reading != NULL ? odp_reading_fault(reading) : "", &r->fault);
    }
    odp_reading_close(reading);
    return status;
}

static enum odp_status read_back(struct contents *c, struct verify_reading *r)
{
    struct odp_arena arena;
    json_t *json = NULL;
    struct odp_layout *layout = NULL;
    const char *why = "";
    odp_arena_init(&arena);
    enum odp_status status = read_layout(c, r, &arena, &json, &layout, &why);
    if (status == ODP_OK)
        status = read_records(c, r, layout, &arena);
    else if (status == ODP_BAD)
        status = keep_fault(c, why, &r->fault);
    r->status = status;
    json_decref(json);
    odp_arena_release(&arena);
    return status == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

/* ---- one delta ---- */

static bool is_file(const struct odp_file_info *info, const struct odp_site_file *f)
{
    return info->size == f->size && memcmp(info->sha256, f->sha256, sizeof f->sha256) == 0;
}

static enum odp_status apply(struct contents *c, struct verify_delta *d, size_t number)
{
    struct odp_arena arena;
    struct odp_delta_header header;
    struct verify *v = c->v;
    struct odp_text why;
    odp_arena_init(&arena);
    const char *delta = verify_place(v, d->path, &arena), *old = verify_place(v, d->from, &arena);
    const char *fresh = odp_arena_printf(&arena, "%s/.delta-%zu", v->o->scratch, number);
    enum odp_status status = odp_delta_header(delta, &header, &arena, &why);
    if (status == ODP_OK && (!is_file(&header.from, &verify_find(v, d->from)->f) ||
                             !is_file(&header.to, &verify_find(v, d->to)->f))) {
        why.in[ODP_LANG_EN] = "made for other files than those of its versions";
        status = ODP_BAD;
    }
    if (status == ODP_OK) { /* proves the result by the header's size and digest */
        status = odp_delta_apply(delta, old, fresh, &header, &arena, &why);
        if (status == ODP_OK && unlink(fresh) != 0)
            status = odp_failure_set("remove", fresh, 0);
    }
    d->status = status == ODP_BAD ? keep_fault(c, why.in[ODP_LANG_EN], &d->fault) : status;
    odp_arena_release(&arena);
    return d->status == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

/* ---- all of them ---- */

static uint64_t bytes_of(const struct contents *c, size_t i)
{
    return i < c->w->nreadings ? c->w->readings[i].bytes : c->w->deltas[i - c->w->nreadings].bytes;
}

struct sized {
    uint64_t bytes;
    size_t i;
};

static int largest_first(const void *a, const void *b)
{
    const struct sized *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    return (x->i > y->i) - (x->i < y->i);
}

static void arrange(struct contents *c)
{
    c->n = c->w->nreadings + (c->v->o->scratch != NULL ? c->w->ndeltas : 0);
    struct sized *all = odp_arena_array(c->v->arena, c->n + 1, sizeof *all);
    c->order = odp_arena_array(c->v->arena, c->n + 1, sizeof *c->order);
    c->slot = odp_arena_zero(c->v->arena, odp_pool_slots(c->v->pool) + 1, sizeof *c->slot);
    for (size_t i = 0; i < c->n; i++) {
        all[i] = (struct sized){bytes_of(c, i), i};
        c->total += all[i].bytes;
    }
    if (c->n > 1)
        qsort(all, c->n, sizeof *all, largest_first);
    for (size_t i = 0; i < c->n; i++)
        c->order[i] = all[i].i;
}

static enum odp_status contents_produce(void *ctx, size_t slot)
{
    struct contents *c = ctx;
    if (c->next == c->n)
        return ODP_DONE;
    c->slot[slot] = c->order[c->next++];
    return ODP_OK;
}

static enum odp_status contents_work(void *ctx, size_t slot, unsigned worker)
{
    struct contents *c = ctx;
    size_t i = c->slot[slot], n = c->w->nreadings;
    return i < n ? read_back(c, &c->w->readings[i]) : apply(c, &c->w->deltas[i - n], i - n);
}

static enum odp_status contents_consume(void *ctx, size_t slot)
{
    struct contents *c = ctx;
    c->done += bytes_of(c, c->slot[slot]);
    odp_progress_update(c->v->o->progress, ODP_PHASE_PUBLISH, "", c->done, c->total, 0);
    return ODP_OK;
}

/* ---- what it means ---- */

static enum odp_status differs(struct verify *v, const struct verify_reading *r, const char *version,
                               const uint8_t expected[ODP_SHA256_SIZE], const uint8_t found[ODP_SHA256_SIZE])
{
    char want[ODP_DIGEST_TEXT], have[ODP_DIGEST_TEXT];
    odp_digest_text(expected, want);
    odp_digest_text(found, have);
    return verify_fault(v, ODP_V70, r->paths[0], version, want, have);
}

static enum odp_status other_rows(struct verify *v, const struct verify_group *g,
                                  const struct verify_reading *r)
{
    unsigned long long rows = r->rows, expected = g->rows;
    const char *path = r->paths[0];
    const struct odp_text message = {
        {odp_arena_printf(v->arena, odp_word(ODP_LANG_ID, W_publish_holds_other_rows), path, rows, g->version,
                          expected),
         odp_arena_printf(v->arena, odp_word(ODP_LANG_EN, W_publish_holds_other_rows), path, rows, g->version,
                          expected)}};
    const struct odp_diag d = {.code = ODP_V70,
                               .file = v->shown,
                               .args = {odp_slice_of(path), odp_slice_of(g->version)},
                               .message = &message};
    return odp_diags_add(v->diags, &d) == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

/* ATTRIBUTES: of a form that was proved, or of the first that was read. The API's pages carry what
 * odp:apiGeometry says, so they are compared by their attributes. */
static enum odp_status judge(struct verify *v, const struct verify_group *g, const struct verify_reading *r,
                             const uint8_t *attributes)
{
    if (r->status == ODP_BAD)
        return verify_fault(v, ODP_V69, r->paths[0], NULL, NULL, r->fault);
    if (r->status != ODP_OK)
        return ODP_OK;
    if (r->rows != g->rows)
        return other_rows(v, g, r);
    if (g->known && r->whole && r->form != ODP_FORM_PAGES &&
        memcmp(r->logical, g->digest, sizeof g->digest) != 0)
        return differs(v, r, g->version, g->digest, r->logical);
    if (attributes != NULL && memcmp(r->attributes, attributes, ODP_SHA256_SIZE) != 0)
        return differs(v, r, g->version, attributes, r->attributes);
    v->result->distributions++;
    return ODP_OK;
}

static const uint8_t *choose_attributes(const struct verify_work *w, size_t first, size_t end)
{
    const uint8_t *any = NULL;
    for (size_t i = first; i < end; i++) {
        const struct verify_reading *r = &w->readings[i];
        if (r->status != ODP_OK)
            continue;
        if (r->whole && w->groups[r->group].known &&
            memcmp(r->logical, w->groups[r->group].digest, sizeof r->logical) == 0)
            return r->attributes;
        any = any != NULL ? any : r->attributes;
    }
    return any;
}

static enum odp_status judge_all(struct verify *v, const struct verify_work *w)
{
    enum odp_status status = ODP_OK;
    for (size_t i = 0, end; i < w->nreadings && status == ODP_OK; i = end) {
        for (end = i; end < w->nreadings && w->readings[end].group == w->readings[i].group; end++)
            ;
        const uint8_t *attributes = choose_attributes(w, i, end);
        for (size_t k = i; k < end && status == ODP_OK; k++)
            status = judge(v, &w->groups[w->readings[k].group], &w->readings[k], attributes);
    }
    for (size_t i = 0; i < w->ndeltas && status == ODP_OK; i++)
        if (w->deltas[i].status == ODP_BAD)
            status = verify_fault(v, ODP_V71, w->deltas[i].path, w->deltas[i].to, NULL, w->deltas[i].fault);
    return status;
}

enum odp_status verify_contents(struct verify *v, struct verify_work *w)
{
    struct contents c = {.v = v, .w = w};
    struct odp_ordered run = {&c, contents_produce, contents_work, contents_consume};
    pthread_mutex_init(&c.mutex, NULL); /* cannot fail with default attributes */
    arrange(&c);
    enum odp_status status = odp_pool_ordered(v->pool, &run);
    if (status == ODP_OK)
        status = judge_all(v, w);
    pthread_mutex_destroy(&c.mutex);
    return status;
}
