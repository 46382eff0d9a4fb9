/* Shapes on a coarse lattice, so that points, edges and whole rings coincide: a budget (one byte), then for
 * each byte a point (x in the upper half, y in the lower), a new ring, polygon or feature (0xF0 … 0xFE), the
 * kind of the feature (0xFF and a byte). Simplified, nothing gets lost: parts, rings that are closed, four
 * positions; every position is a point of the source; and the picture of it can be drawn. */
#include "fuzz.h"
#include "write/map/picture.h"
#include "write/map/simplify.h"

enum { FEATURES = 64, POINTS = 4096, PARTS = 512 };

struct shapes {
    struct odp_geom geom[FEATURES];
    size_t n;
    double xy[2 * POINTS];
    uint32_t part[PARTS + 2 * FEATURES], poly[PARTS + 2 * FEATURES];
    size_t npoints, nparts, npolys;
};

static void begin(struct shapes *s, enum odp_geom_type type)
{
    s->geom[s->n++] = (struct odp_geom){
        .type = type, .xy = s->xy + 2 * s->npoints, .part = s->part + s->nparts, .poly = s->poly + s->npolys};
}

static void end_part(struct shapes *s)
{
    struct odp_geom *g = &s->geom[s->n - 1];
    uint32_t from = g->nparts > 0 ? g->part[g->nparts] : 0;
    bool ring = g->type == ODP_GEOM_POLYGON;
    if (g->nparts == 0)
        g->part[0] = 0;
    if (g->npoints == from || s->nparts + 2 >= PARTS)
        return;
    if (ring && s->npoints < POINTS) { /* closed */
        memcpy(g->xy + 2 * (size_t)g->npoints, g->xy + 2 * (size_t)from, 2 * sizeof *g->xy);
        g->npoints++;
        s->npoints++;
    }
    if (ring && g->npolys == 0) {
        g->poly[g->npolys++] = 0;
        s->npolys++;
    }
    g->part[++g->nparts] = g->npoints;
    s->nparts++;
}

static void end(struct shapes *s)
{
    struct odp_geom *g = &s->geom[s->n - 1];
    end_part(s);
    g->npoints = g->nparts > 0 ? g->part[g->nparts] : 0; /* what has no part */
    s->nparts++;
    if (g->npolys > 0) {
        g->poly[g->npolys] = g->nparts;
        s->npolys++;
    } else {
        g->poly = NULL;
    }
}

static void read_shapes(struct shapes *s, const uint8_t *data, size_t size)
{
    enum odp_geom_type type = ODP_GEOM_POLYGON;
    begin(s, type);
    for (size_t i = 0; i < size && s->npoints + 2 < POINTS && s->nparts + 4 < PARTS && s->n < FEATURES - 1;
         i++) {
        struct odp_geom *g = &s->geom[s->n - 1];
        if (data[i] == 0xFF && i + 1 < size) {
            type = (const enum odp_geom_type[]){ODP_GEOM_POLYGON, ODP_GEOM_MULTILINESTRING,
                                                ODP_GEOM_MULTIPOINT}[data[++i] % 3];
        } else if (data[i] >= 0xF8) {
            end(s);
            begin(s, type);
        } else if (data[i] >= 0xF0) {
            end_part(s);
        } else {
            g->xy[2 * (size_t)g->npoints] = 106 + (data[i] >> 4) * 0.003;
            g->xy[2 * (size_t)g->npoints++ + 1] = -6 + (data[i] & 15) * 0.003;
            s->npoints++;
        }
    }
    end(s);
}

static void check(const struct odp_geom *was, const struct odp_geom *is)
{
    NEED(is->type == was->type && is->nparts == was->nparts && is->npolys == was->npolys);
    for (uint32_t k = 0; k < is->nparts; k++) {
        uint32_t n = is->part[k + 1] - is->part[k];
        const double *first = is->xy + 2 * (size_t)is->part[k];
        if (was->type == ODP_GEOM_POLYGON)
            NEED(n >= 4 && memcmp(first, first + 2 * ((size_t)n - 1), 2 * sizeof *first) == 0);
        else
            NEED(n >= (was->type == ODP_GEOM_MULTIPOINT ? was->part[k + 1] - was->part[k] : 2));
    }
}

static void draw(struct odp_simplifier *s)
{
    struct odp_buffer text = {0};
    odp_buffer_add_str(
        &text, "{\"bbox\":[106,-6,106.05,-5.95],\"odp\":{\"total\":1,\"located\":1},\"features\":[null");
    for (size_t i = 0; i < odp_simplifier_features(s); i++) {
        struct odp_geom g;
        if (!odp_simplifier_get(s, i, &g))
            continue;
        odp_buffer_add_str(&text, ",{\"geometry\":");
        odp_geom_add_geojson(&text, &g);
        odp_buffer_add_str(&text, ",\"properties\":{}}");
    }
    odp_buffer_add_str(&text, "]}");
    json_t *map = fuzz_json(&text);
    const struct odp_map_picture p = {map, NULL, "peta", ODP_LANG_ID, NULL};
    odp_buffer_clear(&text);
    NEED(odp_map_picture_svg(&p, &text) == ODP_OK && text.len > 100);
    json_decref(map);
    odp_buffer_release(&text);
}

void fuzz_one(struct odp_slice in)
{
    static struct shapes shapes;
    if (in.len < 1)
        return;
    memset(&shapes, 0, sizeof shapes);
    read_shapes(&shapes, (const uint8_t *)in.ptr + 1, in.len - 1);
    struct odp_simplifier *s = odp_simplifier_new();
    for (size_t i = 0; i < shapes.n; i++)
        odp_simplifier_add(s, shapes.geom[i].npoints > 0 ? &shapes.geom[i] : NULL);
    const struct odp_simplify_options o = {
        .points = (size_t)(unsigned char)*in.ptr * 4,
        .finest = 0.00001,
        .whole = 4096,
        .each = (unsigned char)*in.ptr % 2 * 256u,
    };
    NEED(odp_simplifier_finish(s, &o) == ODP_OK && odp_simplifier_features(s) == shapes.n);
    for (size_t i = 0; i < shapes.n; i++) {
        struct odp_geom g;
        bool there = odp_simplifier_get(s, i, &g);
        NEED(there == (shapes.geom[i].npoints > 0));
        if (there)
            check(&shapes.geom[i], &g);
    }
    draw(s);
    odp_simplifier_free(s);
}
