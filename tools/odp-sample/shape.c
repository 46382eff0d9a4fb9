/* Plausible geometries of a given size: irregular blobs for areas (some with a hole or a second part),
 * winding lines for roads and canals, points. Everything is drawn around (0, 0) in metres, scaled so that it
 * measures what the record says, and then put on the map. Coordinates are rounded (1 cm, 7 decimals), which
 * hides the last bits of libm and PROJ. */
#include <math.h>
#include <proj.h>
#include <stdio.h>

#include "sample.h"

#define TWO_PI            6.283185307179586476925
#define METRES_PER_DEGREE 111319.49079327358

static void vertex(struct sample_shape *s, double x, double y)
{
    s->x[s->n] = x;
    s->y[s->n] = y;
    s->n++;
}

static void part(struct sample_shape *s)
{
    s->part[s->nparts++] = s->n;
}

/* A ring that goes once around its middle, so it never crosses itself; outer rings clockwise, holes the other
 * way. POINTS of them, or 0: some. */
static void ring(struct sample_shape *s, struct sample_random *r, int points, double cx, double cy,
                 double radius)
{
    int some = (int)sample_range(r, 7, 14), n = points > 0 ? points - 1 : some, first = s->n;
    part(s);
    for (int i = 0; i < n; i++) {
        double angle = TWO_PI * ((double)i + 0.5 * sample_unit(r)) / (double)n,
               q = radius * (0.75 + 0.4 * sample_unit(r));
        vertex(s, cx + fabs(q) * cos(angle), cy - q * sin(angle));
    }
    vertex(s, s->x[first], s->y[first]);
}

/* Of all parts together: their area (clockwise positive, holes negative), or their length. */
static double measure(const struct sample_shape *s, bool area)
{
    double sum = 0;
    for (int k = 0; k < s->nparts; k++) {
        int end = k + 1 < s->nparts ? s->part[k + 1] : s->n;
        for (int i = s->part[k]; i + 1 < end; i++) {
            double dx = s->x[i + 1] - s->x[i], dy = s->y[i + 1] - s->y[i];
            if (area)
                sum -= s->x[i] * s->y[i + 1] - s->x[i + 1] * s->y[i];
            else
                sum += sqrt(dx * dx + dy * dy);
        }
    }
    return area ? sum / 2 : sum;
}

static void scale(struct sample_shape *s, double by)
{
    for (int i = 0; i < s->n; i++)
        s->x[i] *= by, s->y[i] *= by;
}

static void polygon(struct sample_shape *s, struct sample_random *r, int points, double hectares)
{
    ring(s, r, points, 0, 0, 1);
    if (sample_next(r) % 8 == 0)
        ring(s, r, points, 0, 0, -0.35); /* a hole */
    if (sample_next(r) % 8 == 0)
        ring(s, r, points, 3, 0.4, 0.5);
    scale(s, sqrt(hectares * 10000 / measure(s, true)));
}

static void line(struct sample_shape *s, struct sample_random *r, int points, double kilometres)
{
    double x = 0, y = 0, heading = TWO_PI * sample_unit(r);
    int parts = sample_next(r) % 8 == 0 ? 2 : 1;
    for (int k = 0; k < parts; k++) {
        int some = (int)sample_range(r, 4, 11), n = points > 0 ? points : some;
        part(s);
        for (int i = 0; i < n; i++) {
            vertex(s, x, y);
            double step = 0.4 + sample_unit(r);
            heading += (sample_unit(r) - 0.5) * 0.5;
            x += step * cos(heading);
            y += step * sin(heading);
        }
    }
    scale(s, kilometres * 1000 / measure(s, false));
}

/* A bow tie: its two long edges cross in the middle. */
static void bow_tie(struct sample_shape *s)
{
    static const double x[] = {-200, 200, 200, -200, -200}, y[] = {-200, 200, -200, 200, -200};
    s->n = s->nparts = 0;
    part(s);
    for (int i = 0; i < 5; i++)
        vertex(s, x[i], y[i]);
}

static double rounded(double v, double unit)
{
    return floor(v / unit + 0.5) * unit;
}

/* The middle of the record's place: the region decides where in the province, the row where in the region. */
static void middle(struct sample_random *r, struct odp_slice region, double *lon, double *lat)
{
    char code[16];
    (void)snprintf(code, sizeof code, "%.*s", (int)region.len, region.ptr != NULL ? region.ptr : "");
    const struct sample_province p = sample_province_of(code);
    struct sample_random place = {sample_hash(code)};
    *lon = p.lon + (sample_unit(&place) - 0.5) * 2 * p.spread + (sample_unit(r) - 0.5) * 0.08;
    *lat = p.lat + (sample_unit(&place) - 0.5) * 2 * p.spread + (sample_unit(r) - 0.5) * 0.08;
}

static void put_on_map(struct sample_context *c, PJ *utm, double lon, double lat, struct sample_shape *s)
{
    double east = METRES_PER_DEGREE * cos(lat * TWO_PI / 360);
    PJ_COORD at = proj_coord(proj_torad(lon), proj_torad(lat), 0, 0);
    if (utm != NULL)
        at = proj_trans(utm, PJ_FWD, at);
    if (utm != NULL && proj_errno(utm) != 0)
        sample_note(c, odp_failure_set("proj_trans", "UTM", 0));
    for (int i = 0; i < s->n; i++) {
        s->x[i] = utm != NULL ? rounded(at.xy.x + s->x[i], 0.01) : rounded(lon + s->x[i] / east, 1e-7);
        s->y[i] =
            utm != NULL ? rounded(at.xy.y + s->y[i], 0.01) : rounded(lat + s->y[i] / METRES_PER_DEGREE, 1e-7);
    }
}

void sample_shape_make(struct sample_context *c, void *utm, const struct sample_table *t,
                       const struct sample_row *row, const struct sample_plan *plan, struct sample_shape *out)
{
    const struct recipe_table *recipe = t->recipe;
    struct sample_random r = {sample_mix(c->seed ^ sample_hash(recipe->slug)) +
                              row->index * UINT64_C(0x9fb21c651e98df25)};
    double lon, lat, size = 0;
    out->n = out->nparts = 0;
    if (sample_fault_is(plan, "geometry-null"))
        return;
    middle(&r, row->v[sample_entry_find(recipe, odp_slice_of(recipe->region_field))].text, &lon, &lat);
    if (recipe->size_field != NULL)
        size = sample_number(&row->v[sample_entry_find(recipe, odp_slice_of(recipe->size_field))]);
    size = size > 0.01 ? size : 0.01; /* a fault may have taken the size away */
    if (recipe->shape == SHAPE_POLYGON) {
        polygon(out, &r, c->points, size);
    } else if (recipe->shape == SHAPE_LINE) {
        line(out, &r, c->points, size);
    } else {
        part(out);
        vertex(out, 0, 0);
    }
    if (sample_fault_is(plan, "geometry-cross"))
        bow_tie(out);
    put_on_map(c, utm, lon, sample_fault_is(plan, "geometry-outside") ? 25 : lat, out);
}
