/* Rows as bytes: the place, each kept value (its length, NO_VALUE for null, then its bytes), the geometry
 * (its counts, then its arrays). Numbers are those of this machine, aligned to nothing. */
#include <unistd.h>

#include "base/temporary.h"
#include "check/across/across_internal.h"

#define FILE_NAME "odp-rules"
#define MESSAGE   FILE_NAME " (TMPDIR)" /* where the file fails */
#define MEMORY    ((size_t)32 << 20)    /* of rows, before they go to the file */
#define NO_VALUE  UINT32_MAX

/* ---- a row ---- */

static void add_geometry(struct odp_buffer *out, const struct odp_geom *g)
{
    const struct odp_geom none = {0};
    odp_buffer_add(out, g != NULL ? g : &none, sizeof *g);
    if (g == NULL)
        return;
    odp_buffer_add(out, g->xy, 2 * (size_t)g->npoints * sizeof *g->xy);
    odp_buffer_add(out, g->part, ((size_t)g->nparts + 1) * sizeof *g->part);
    if (g->poly != NULL)
        odp_buffer_add(out, g->poly, ((size_t)g->npolys + 1) * sizeof *g->poly);
}

static void take(struct odp_slice *from, void *to, size_t n)
{
    memcpy(to, from->ptr, n);
    *from = (struct odp_slice){from->ptr + n, from->len - n};
}

/* A flat copy of G, whose arrays are not filled yet. */
static struct odp_geom *make_room(struct odp_arena *a, const struct odp_geom *g)
{
    struct odp_geom *copy = odp_arena_zero(a, 1, sizeof *copy);
    *copy = *g;
    copy->xy = odp_arena_array(a, 2 * (size_t)g->npoints + 1, sizeof *copy->xy);
    copy->z = NULL;
    copy->part = odp_arena_array(a, (size_t)g->nparts + 1, sizeof *copy->part);
    copy->poly = g->poly != NULL ? odp_arena_array(a, (size_t)g->npolys + 1, sizeof *copy->poly) : NULL;
    return copy;
}

struct odp_geom *cross_geometry_copy(struct odp_arena *a, const struct odp_geom *g)
{
    struct odp_geom *copy = make_room(a, g);
    memcpy(copy->xy, g->xy, 2 * (size_t)g->npoints * sizeof *g->xy);
    memcpy(copy->part, g->part, ((size_t)g->nparts + 1) * sizeof *g->part);
    if (g->poly != NULL)
        memcpy(copy->poly, g->poly, ((size_t)g->npolys + 1) * sizeof *g->poly);
    return copy;
}

static const struct odp_geom *read_geometry(struct odp_slice *bytes, struct odp_arena *a)
{
    struct odp_geom head;
    take(bytes, &head, sizeof head);
    if (head.part == NULL) /* as add_geometry writes none */
        return NULL;
    struct odp_geom *g = make_room(a, &head);
    take(bytes, g->xy, 2 * (size_t)g->npoints * sizeof *g->xy);
    take(bytes, g->part, ((size_t)g->nparts + 1) * sizeof *g->part);
    if (g->poly != NULL)
        take(bytes, g->poly, ((size_t)g->npolys + 1) * sizeof *g->poly);
    return g;
}

void cross_row_add(struct odp_buffer *out, const struct cross_kept *kept, const struct odp_batch *b,
                   uint32_t i)
{
    const struct cross_place place = {b->records[i].row, b->records[i].line, b->records[i].offset};
    odp_buffer_add(out, &place, sizeof place);
    for (uint32_t k = 0; k < kept->n; k++) {
        const struct odp_column *c = &b->columns[kept->fields[k]];
        bool has = c->state[i] != ODP_VALUE_NULL && c->text[i].ptr != NULL;
        const uint32_t len = has ? (uint32_t)c->text[i].len : NO_VALUE;
        odp_buffer_add(out, &len, sizeof len);
        if (has)
            odp_buffer_add_slice(out, c->text[i]);
    }
    if (kept->geometry)
        add_geometry(out, b->geometry != NULL ? b->geometry[i] : NULL);
}

void cross_row_read(struct odp_slice *bytes, const struct cross_kept *kept, struct odp_arena *a,
                    struct cross_row *out)
{
    take(bytes, &out->place, sizeof out->place);
    for (uint32_t k = 0; k < kept->n; k++) {
        uint32_t len;
        take(bytes, &len, sizeof len);
        out->text[k] = len != NO_VALUE ? (struct odp_slice){bytes->ptr, len} : (struct odp_slice){NULL, 0};
        *bytes = (struct odp_slice){bytes->ptr + out->text[k].len, bytes->len - out->text[k].len};
    }
    out->geometry = kept->geometry ? read_geometry(bytes, a) : NULL;
}

/* ---- the spool ---- */

void cross_spool_init(struct cross_spool *s)
{
    odp_buffer_init(&s->memory);
    s->spilled = 0;
    s->fd = -1;
}

void cross_spool_release(struct cross_spool *s)
{
    odp_buffer_release(&s->memory);
    if (s->fd >= 0)
        (void)close(s->fd); /* only read since, and gone with it */
    s->fd = -1;
}

static enum odp_status spill(struct cross_spool *s)
{
    if (s->fd < 0 && odp_scratch_open(&s->fd, FILE_NAME) != ODP_OK)
        return ODP_FAIL;
    if (odp_scratch_write(s->fd, s->memory.ptr, s->memory.len, s->spilled, MESSAGE) != ODP_OK)
        return ODP_FAIL;
    s->spilled += s->memory.len;
    odp_buffer_clear(&s->memory);
    return ODP_OK;
}

enum odp_status cross_spool_add(struct cross_spool *s, struct odp_slice bytes, uint64_t *at)
{
    if (s->memory.len > 0 && s->memory.len + bytes.len > MEMORY && spill(s) != ODP_OK)
        return ODP_FAIL;
    *at = s->spilled + s->memory.len;
    odp_buffer_add_slice(&s->memory, bytes);
    return odp_buffer_status(&s->memory);
}

enum odp_status cross_spool_read(const struct cross_spool *s, uint64_t at, size_t len, char *room)
{
    if (at < s->spilled)
        return odp_scratch_read(s->fd, room, len, at, MESSAGE);
    memcpy(room, s->memory.ptr + (size_t)(at - s->spilled), len);
    return ODP_OK;
}
