/* Records of one version against all filters of a group. Records are copied into a batch, of them only the fields that some
 * filter names; a full batch is evaluated filter by filter. */
#include "service/webhooks/events/match_internal.h"

#include <stdlib.h>

#include "base/utf8.h"

enum { ROWS = 2048, BYTES = 8 << 20 /* copied, after which a batch is full */ };

struct match_rows {
    struct match_one *ones;
    size_t n, side;
    const struct match_view *view;
    struct match_sink sink;
    struct odp_arena *room;
    struct odp_arena plan, scratch;
    struct odp_batch batch; /* of it: arena, nrecords, columns, geometry */
    uint32_t *used, nused;  /* fields of the newest that some filter names */
    bool geometry;
    size_t bytes;
    uint32_t *entry;        /* by record */
    const char **told;      /* by record, where keys are told: as soon as one is asked for */
    struct odp_slice *keys; /* by record: nkey texts */
    uint8_t *truth;
};

/* ---- making ---- */

static enum odp_status find_used(struct match_rows *r)
{
    uint32_t n = r->view->schema.n;
    bool *seen = odp_arena_zero(&r->plan, (size_t)n + 1, sizeof *seen);
    r->used = odp_arena_array(&r->plan, (size_t)n + 1, sizeof *r->used);
    if (seen == NULL || r->used == NULL)
        return ODP_FAIL;
    for (size_t i = 0; i < r->n; i++) {
        size_t count;
        const uint32_t *fields = odp_expr_fields(r->ones[i].exprs[r->side], &count);
        for (size_t k = 0; k < count; k++) {
            if (!seen[fields[k]])
                r->used[r->nused++] = fields[k];
            seen[fields[k]] = true;
        }
        r->geometry = r->geometry || r->ones[i].geometry;
    }
    return ODP_OK;
}

static enum odp_status make_columns(struct match_rows *r)
{
    struct odp_arena *a = &r->plan;
    r->batch.columns = odp_arena_zero(a, (size_t)r->view->schema.n + 1, sizeof *r->batch.columns);
    if (r->batch.columns == NULL)
        return ODP_FAIL;
    for (uint32_t i = 0; i < r->nused; i++) {
        struct odp_column *c = &r->batch.columns[r->used[i]];
        c->text = odp_arena_array(a, ROWS, sizeof *c->text);
        c->state = odp_arena_zero(a, ROWS, sizeof *c->state);
        if (c->text == NULL || c->state == NULL)
            return ODP_FAIL;
    }
    r->batch.geometry = odp_arena_zero(a, ROWS, sizeof(const struct odp_geom *));
    r->entry = odp_arena_zero(a, ROWS, sizeof *r->entry);
    r->told = odp_arena_zero(a, ROWS, sizeof *r->told);
    r->keys = odp_arena_zero(a, (size_t)ROWS * r->sink.nkey + 1, sizeof *r->keys);
    r->truth = odp_arena_zero(a, ROWS, sizeof *r->truth);
    bool all = r->batch.geometry != NULL && r->entry != NULL && r->told != NULL && r->keys != NULL && r->truth != NULL;
    return all ? ODP_OK : ODP_FAIL;
}

enum odp_status match_rows_new(struct match_rows **out, struct match_one *ones, size_t n, size_t side,
                               const struct match_view *view, const struct match_sink *sink, struct odp_arena *room)
{
    struct match_rows *r = odp_realloc_array(NULL, 1, sizeof *r);
    *out = NULL;
    if (r == NULL)
        return ODP_FAIL;
    *r = (struct match_rows){.ones = ones, .n = n, .side = side, .view = view, .sink = *sink, .room = room};
    odp_arena_init(&r->plan);
    odp_arena_init(&r->scratch);
    odp_arena_init(&r->batch.arena);
    if (find_used(r) != ODP_OK || make_columns(r) != ODP_OK) {
        match_rows_free(r);
        return ODP_FAIL;
    }
    *out = r;
    return ODP_OK;
}

void match_rows_free(struct match_rows *r)
{
    if (r == NULL)
        return;
    odp_arena_release(&r->plan);
    odp_arena_release(&r->scratch);
    odp_arena_release(&r->batch.arena);
    free(r);
}

bool match_rows_geometry(const struct match_rows *r)
{
    return r->geometry;
}

/* ---- filling ---- */

static void *copy(struct match_rows *r, const void *from, size_t n, size_t size)
{
    void *p = odp_arena_array(&r->batch.arena, n + 1, size);
    if (p != NULL && n > 0)
        memcpy(p, from, n * size);
    r->bytes += (n + 1) * size;
    return p;
}

/* Without heights: the functions are planar. */
static const struct odp_geom *copy_geometry(struct match_rows *r, const struct odp_geom *g)
{
    struct odp_geom *c = copy(r, g, 1, sizeof *g);
    if (c == NULL)
        return NULL;
    c->z = NULL;
    c->xy = copy(r, g->xy, 2 * (size_t)g->npoints, sizeof *g->xy);
    c->part = copy(r, g->part, (size_t)g->nparts + 1, sizeof *g->part);
    if (g->poly != NULL)
        c->poly = copy(r, g->poly, (size_t)g->npolys + 1, sizeof *g->poly);
    return c->xy != NULL && c->part != NULL && (g->poly == NULL || c->poly != NULL) ? c : NULL;
}

static enum odp_status copy_text(struct match_rows *r, struct odp_slice from, struct odp_slice *to)
{
    *to = (struct odp_slice){NULL, 0};
    if (from.ptr == NULL)
        return ODP_OK;
    *to = odp_arena_copy(&r->batch.arena, from);
    r->bytes += from.len + 16;
    return to->ptr != NULL ? ODP_OK : ODP_FAIL;
}

/* The first N characters; 0: all. */
static struct odp_slice beginning(struct odp_slice s, int64_t n)
{
    size_t at = 0;
    uint32_t cp;
    if (n == 0 || s.ptr == NULL)
        return s;
    for (; n > 0 && at < s.len; n--)
        at += odp_utf8_decode(s.ptr + at, s.len - at, &cp);
    return (struct odp_slice){s.ptr, at < s.len ? at : s.len};
}

enum odp_status match_rows_add(struct match_rows *r, const struct odp_slice *text, const struct odp_geom *geometry,
                               uint32_t entry)
{
    uint32_t at = r->batch.nrecords;
    for (uint32_t i = 0; i < r->nused; i++) {
        int field = r->view->field[r->used[i]];
        struct odp_column *c = &r->batch.columns[r->used[i]];
        struct odp_slice from = field >= 0 ? beginning(text[field], r->view->prefix[r->used[i]]) : (struct odp_slice){NULL, 0};
        if (copy_text(r, from, &c->text[at]) != ODP_OK)
            return ODP_FAIL;
        c->state[at] = from.ptr != NULL ? ODP_VALUE_OK : ODP_VALUE_NULL;
    }
    for (uint32_t k = 0; k < r->sink.nkey; k++)
        if (copy_text(r, text[r->sink.key[k]], &r->keys[(size_t)at * r->sink.nkey + k]) != ODP_OK)
            return ODP_FAIL;
    r->told[at] = NULL;
    r->batch.geometry[at] = NULL;
    if (r->geometry && geometry != NULL && (r->batch.geometry[at] = copy_geometry(r, geometry)) == NULL)
        return ODP_FAIL;
    r->entry[at] = entry;
    r->batch.nrecords++;
    if (r->sink.keys != NULL)
        r->sink.keys->items[entry].flags |= r->sink.seen;
    return r->batch.nrecords == ROWS || r->bytes >= BYTES ? match_rows_end(r) : ODP_OK;
}

/* ---- evaluating ---- */

/* The key of record I, for as long as R's room. "": it is too long to be told. NULL: no memory. */
static const char *told_of(struct match_rows *r, uint32_t i)
{
    struct odp_buffer out;
    if (r->told[i] != NULL)
        return r->told[i];
    odp_buffer_init(&out);
    for (uint32_t k = 0; k < r->sink.nkey; k++)
        events_key_add(&out, r->keys[(size_t)i * r->sink.nkey + k], k == 0);
    if (odp_buffer_status(&out) == ODP_OK)
        r->told[i] = odp_arena_str(r->room, out.len <= MATCH_TOLD ? odp_buffer_cstr(&out) : "");
    odp_buffer_release(&out);
    return r->told[i];
}

static enum odp_status tell(struct match_rows *r, struct match_one *one, uint32_t i)
{
    if (!one->told_all)
        return ODP_OK;
    if (r->sink.nkey == 0 || one->nkeys == ODP_EVENT_KEYS) {
        one->told_all = false;
        return ODP_OK;
    }
    const char *text = told_of(r, i);
    if (text == NULL)
        return ODP_FAIL;
    one->told_all = *text != '\0';
    one->keys[one->nkeys++] = (struct match_told){r->sink.op, text};
    return ODP_OK;
}

static enum odp_status take(struct match_rows *r, size_t place)
{
    struct match_one *one = &r->ones[place];
    uint64_t bit = (uint64_t)1 << (place % 64);
    for (uint32_t i = 0; i < r->batch.nrecords; i++) {
        if (r->truth[i] != ODP_TRUE)
            continue;
        if (r->sink.keys != NULL) {
            r->sink.bits[r->entry[i] * r->sink.words + place / 64] |= bit;
            continue;
        }
        one->counts[r->sink.op]++;
        if (tell(r, one, i) != ODP_OK)
            return ODP_FAIL;
    }
    return ODP_OK;
}

static bool is_enough(struct match_message *m)
{
    m->stopped = m->stopped || (m->limits != NULL && !m->limits->go_on(m->limits->ctx));
    return m->stopped;
}

enum odp_status match_rows_end(struct match_rows *r)
{
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < r->n && status == ODP_OK && r->batch.nrecords > 0; i++) {
        if (is_enough(r->sink.m)) {
            status = ODP_BAD;
            break;
        }
        status = odp_expr_eval(r->ones[i].exprs[r->side], &r->batch, &r->scratch, r->truth);
        odp_arena_reset(&r->scratch);
        if (status == ODP_OK)
            status = take(r, i);
    }
    odp_arena_reset(&r->batch.arena);
    r->batch.nrecords = 0;
    r->bytes = 0;
    return status;
}
