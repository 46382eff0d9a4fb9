/* A row as bytes: its place, each kept value (a length, 0: null, else one more than its bytes), the geometry
 * (its counts, then its arrays). Numbers are those of this machine, aligned to nothing. */
#include "check/across/across_internal.h"

static void add_count(struct odp_buffer *out, uint64_t v)
{
    char bytes[10];
    size_t n = 0;
    for (; v >= 0x80; v >>= 7)
        bytes[n++] = (char)(v | 0x80);
    bytes[n++] = (char)v;
    odp_buffer_add(out, bytes, n);
}

static uint64_t read_count(struct odp_slice s, size_t *at)
{
    uint64_t v = 0;
    for (unsigned shift = 0; *at < s.len && shift < 64; shift += 7) {
        unsigned char byte = (unsigned char)s.ptr[(*at)++];
        v |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80)
            break;
    }
    return v;
}

static void add_geometry(struct odp_buffer *out, const struct odp_geom *g)
{
    add_count(out, g != NULL ? (uint64_t)g->type + 1 : 0);
    if (g == NULL)
        return;
    add_count(out, g->npoints);
    add_count(out, g->nparts);
    add_count(out, g->poly != NULL ? (uint64_t)g->npolys + 1 : 0);
    odp_buffer_add(out, g->bbox, sizeof g->bbox);
    odp_buffer_add(out, g->xy, 2 * (size_t)g->npoints * sizeof *g->xy);
    odp_buffer_add(out, g->part, ((size_t)g->nparts + 1) * sizeof *g->part);
    if (g->poly != NULL)
        odp_buffer_add(out, g->poly, ((size_t)g->npolys + 1) * sizeof *g->poly);
}

static struct odp_geom *room_for(struct odp_arena *a, enum odp_geom_type type, size_t npoints, size_t nparts,
                                 bool polygons, size_t npolys)
{
    struct odp_geom *g = odp_arena_zero(a, 1, sizeof *g);
    g->type = type;
    g->npoints = (uint32_t)npoints;
    g->nparts = (uint32_t)nparts;
    g->npolys = (uint32_t)npolys;
    g->xy = odp_arena_array(a, 2 * npoints + 1, sizeof *g->xy);
    g->part = odp_arena_array(a, nparts + 1, sizeof *g->part);
    g->poly = polygons ? odp_arena_array(a, npolys + 1, sizeof *g->poly) : NULL;
    return (!polygons || g->poly != NULL) ? g : NULL;
}

struct odp_geom *cross_geometry_copy(struct odp_arena *a, const struct odp_geom *g)
{
    struct odp_geom *copy = room_for(a, g->type, g->npoints, g->nparts, g->poly != NULL, g->npolys);
    if (copy == NULL)
        return NULL;
    memcpy(copy->bbox, g->bbox, sizeof copy->bbox);
    memcpy(copy->xy, g->xy, 2 * (size_t)g->npoints * sizeof *g->xy);
    memcpy(copy->part, g->part, ((size_t)g->nparts + 1) * sizeof *g->part);
    if (g->poly != NULL)
        memcpy(copy->poly, g->poly, ((size_t)g->npolys + 1) * sizeof *g->poly);
    return copy;
}

static void take(struct odp_slice s, size_t *at, void *to, size_t n)
{
    memcpy(to, s.ptr + *at, n);
    *at += n;
}

static enum odp_status read_geometry(struct odp_slice s, size_t *at, struct odp_arena *a,
                                     const struct odp_geom **out)
{
    uint64_t type = read_count(s, at);
    *out = NULL;
    if (type == 0)
        return ODP_OK;
    size_t npoints = (size_t)read_count(s, at), nparts = (size_t)read_count(s, at),
           polys = (size_t)read_count(s, at);
    struct odp_geom *g =
        room_for(a, (enum odp_geom_type)(type - 1), npoints, nparts, polys > 0, polys > 0 ? polys - 1 : 0);
    if (g == NULL)
        return ODP_FAIL;
    take(s, at, g->bbox, sizeof g->bbox);
    take(s, at, g->xy, 2 * npoints * sizeof *g->xy);
    take(s, at, g->part, (nparts + 1) * sizeof *g->part);
    if (polys > 0)
        take(s, at, g->poly, polys * sizeof *g->poly);
    *out = g;
    return ODP_OK;
}

void cross_row_add(struct odp_buffer *out, const struct cross_kept *kept, const struct odp_batch *b,
                   uint32_t i)
{
    add_count(out, b->records[i].row);
    add_count(out, b->records[i].line);
    add_count(out, b->records[i].offset);
    for (uint32_t k = 0; k < kept->n; k++) {
        const struct odp_column *c = &b->columns[kept->fields[k]];
        bool there = c->state[i] != ODP_VALUE_NULL && c->text[i].ptr != NULL;
        add_count(out, there ? (uint64_t)c->text[i].len + 1 : 0);
        if (there)
            odp_buffer_add_slice(out, c->text[i]);
    }
    if (kept->geometry)
        add_geometry(out, b->geometry != NULL ? b->geometry[i] : NULL);
}

enum odp_status cross_row_read(struct odp_slice bytes, size_t *at, const struct cross_kept *kept,
                               struct odp_arena *a, struct cross_place *place, struct odp_slice *text,
                               const struct odp_geom **geometry)
{
    place->row = read_count(bytes, at);
    place->line = read_count(bytes, at);
    place->offset = read_count(bytes, at);
    for (uint32_t k = 0; k < kept->n; k++) {
        uint64_t len = read_count(bytes, at);
        text[k] =
            len > 0 ? (struct odp_slice){bytes.ptr + *at, (size_t)len - 1} : (struct odp_slice){NULL, 0};
        *at += text[k].len;
    }
    *geometry = NULL;
    return kept->geometry ? read_geometry(bytes, at, a, geometry) : ODP_OK;
}
