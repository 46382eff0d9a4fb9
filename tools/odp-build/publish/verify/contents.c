/* Distributions are read back and their logical content compared with what the list of versions says; deltas
 * are applied. Each is one piece of work on the pool with memory of its own, the largest first; what they
 * mean is decided afterwards, in order.
 *
 * A form that carries the geometry whole must give the resource's digest of versions.json. The others, and
 * the pages (odp:apiGeometry), must have the attributes of a form that was proved; where none is proved,
 * they must be equal. A slice has rows in the index, but no digest: its forms must be equal. */
#include "publish/verify/verify_internal.h"

#include <pthread.h>
#include <unistd.h>

#include "published/reading.h"
#include "site/differences/delta.h"
#include "words/publish.h"

struct contents {
    struct verify *v;
    struct verify_work *w;
    pthread_mutex_t mutex; /* guards v->arena */
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

/* *JSON is to be freed in every case. */
static enum odp_status read_layout(struct contents *c, const struct verify_reading *r, struct odp_arena *a,
                                   json_t **json, struct odp_layout **layout, const char **why)
{
    struct odp_buffer text = {0};
    char parse_why[JSON_ERROR_TEXT_LENGTH];
    const struct verify_group *g = &c->w->groups[r->group];
    *why = "schema.json";
    enum odp_status status = verify_read(c->v, verify_find(c->v, r->schema), &text);
    if (status == ODP_OK)
        *json = verify_parse(odp_buffer_slice(&text), parse_why);
    if (status == ODP_OK && !json_is_object(*json))
        status = ODP_BAD;
    if (status == ODP_OK &&
        !g->known) /* a slice has the schema of the whole, but its own number of records */
        json_object_set_new(*json, "odp:rows", json_integer((json_int_t)g->rows));
    if (status == ODP_OK)
        status = odp_layout_read(layout, *json, a, why);
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
    struct odp_arena arena = {0};
    json_t *json = NULL;
    struct odp_layout *layout = NULL;
    const char *why = "";
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
    struct odp_arena arena = {0};
    struct odp_delta_header header;
    struct verify *v = c->v;
    struct odp_text why;
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

/* ---- all of them: readings, then deltas ---- */

static uint64_t piece_size(const void *ctx, size_t i)
{
    const struct verify_work *w = ((const struct contents *)ctx)->w;
    return i < w->nreadings ? w->readings[i].bytes : w->deltas[i - w->nreadings].bytes;
}

static enum odp_status piece_check(void *ctx, size_t i)
{
    struct contents *c = ctx;
    size_t n = c->w->nreadings;
    return i < n ? read_back(c, &c->w->readings[i]) : apply(c, &c->w->deltas[i - n], i - n);
}

/* ---- what it means ---- */

static void differs(struct verify *v, const struct verify_reading *r, const char *version,
                    const uint8_t expected[ODP_SHA256_SIZE], const uint8_t found[ODP_SHA256_SIZE])
{
    char want[ODP_DIGEST_TEXT], have[ODP_DIGEST_TEXT];
    odp_digest_text(expected, want);
    odp_digest_text(found, have);
    verify_fault(v, ODP_V70, r->paths[0], version, want, have);
}

static void other_rows(struct verify *v, const struct verify_group *g, const struct verify_reading *r)
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
    verify_report(v, &d);
}

/* ATTRIBUTES: of a form that was proved, or of the first that was read. The API's pages carry what
 * odp:apiGeometry says, so they are compared by their attributes. */
static void judge(struct verify *v, const struct verify_group *g, const struct verify_reading *r,
                  const uint8_t *attributes)
{
    bool logical = g->known && r->whole && r->form != ODP_FORM_PAGES;
    if (r->status == ODP_BAD)
        verify_fault(v, ODP_V69, r->paths[0], NULL, NULL, r->fault);
    else if (r->status != ODP_OK)
        return;
    else if (r->rows != g->rows)
        other_rows(v, g, r);
    else if (logical && memcmp(r->logical, g->digest, sizeof g->digest) != 0)
        differs(v, r, g->version, g->digest, r->logical);
    else if (attributes != NULL && memcmp(r->attributes, attributes, ODP_SHA256_SIZE) != 0)
        differs(v, r, g->version, attributes, r->attributes);
    else
        v->result->distributions++;
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

static void judge_all(struct verify *v, const struct verify_work *w)
{
    for (size_t i = 0, end; i < w->nreadings && v->status == ODP_OK; i = end) {
        for (end = i; end < w->nreadings && w->readings[end].group == w->readings[i].group; end++)
            ;
        const uint8_t *attributes = choose_attributes(w, i, end);
        for (size_t k = i; k < end && v->status == ODP_OK; k++)
            judge(v, &w->groups[w->readings[k].group], &w->readings[k], attributes);
    }
    for (size_t i = 0; i < w->ndeltas && v->status == ODP_OK; i++)
        if (w->deltas[i].status == ODP_BAD)
            verify_fault(v, ODP_V71, w->deltas[i].path, w->deltas[i].to, NULL, w->deltas[i].fault);
}

void verify_contents(struct verify *v, struct verify_work *w)
{
    struct contents c = {.v = v, .w = w};
    size_t n = w->nreadings + (v->o->scratch != NULL ? w->ndeltas : 0);
    pthread_mutex_init(&c.mutex, NULL); /* cannot fail with default attributes */
    verify_largest_first(&(struct verify_run){v, &c, n, piece_size, piece_check, ODP_PHASE_PUBLISH});
    judge_all(v, w);
    pthread_mutex_destroy(&c.mutex);
}
