/* See tm.h. */
#include "read/shapefile/tm.h"

#include <math.h>
#include <string.h>

#define HALF_PI    1.5707963267948966
#define QUARTER_PI 0.78539816339744831
#define DEGREES    57.295779513082321 /* a radian */
#define TAN_PI_8   0.41421356237309505

/* How far the series go: latitude (of the plane, radians), and what sinh is made for. */
#define NORTH_MOST 1.57
#define EAST_MOST  1.0

/* C[0] + C[1] n + ... */
static double polynomial(const double *c, int count, double n)
{
    double v = 0;
    while (count-- > 0)
        v = v * n + c[count];
    return v;
}

bool shape_tm_init(struct shape_tm *t, const struct shape_tm_of *p)
{
    static const double beta[SHAPE_TM_ORDER][SHAPE_TM_ORDER] = {
        {1.0 / 2, -2.0 / 3, 37.0 / 96, -1.0 / 360, -81.0 / 512, 96199.0 / 604800},
        {1.0 / 48, 1.0 / 15, -437.0 / 1440, 46.0 / 105, -1118711.0 / 3870720},
        {17.0 / 480, -37.0 / 840, -209.0 / 4480, 5569.0 / 90720},
        {4397.0 / 161280, -11.0 / 504, -830251.0 / 7257600},
        {4583.0 / 161280, -108847.0 / 3991680},
        {20648693.0 / 638668800},
    };
    static const double delta[SHAPE_TM_ORDER][SHAPE_TM_ORDER] = {
        {2, -2.0 / 3, -2, 116.0 / 45, 26.0 / 45, -2854.0 / 675},
        {7.0 / 3, -8.0 / 5, -227.0 / 45, 2704.0 / 315, 2323.0 / 945},
        {56.0 / 15, -136.0 / 35, -1262.0 / 105, 73814.0 / 2835},
        {4279.0 / 630, -332.0 / 35, -399572.0 / 14175},
        {4174.0 / 315, -144838.0 / 6237},
        {601676.0 / 22275},
    };
    static const double radius[] = {1, 0, 1.0 / 4, 0, 1.0 / 64, 0, 1.0 / 256};
    bool sane = p->a > 6e6 && p->a < 7e6 && p->f > 0 && p->f < 0.004 && p->k0 > 0.5 && p->k0 < 2 &&
                fabs(p->lon0) <= 180 && fabs(p->x0) < 1e9 && fabs(p->y0) < 1e9;
    if (!sane) /* NaN too */
        return false;
    double n = p->f / (2 - p->f), power = n;
    double metres = p->k0 * p->a * polynomial(radius, 7, n) / (1 + n); /* a radian */
    memset(t, 0, sizeof *t);
    t->lon0 = p->lon0;
    t->x0 = p->x0;
    t->y0 = p->y0;
    t->unit = 1 / metres;
    for (int j = 0; j < SHAPE_TM_ORDER; j++, power *= n) {
        t->rectifying[j] = power * polynomial(beta[j], SHAPE_TM_ORDER - j, n);
        t->latitude[j] = power * polynomial(delta[j], SHAPE_TM_ORDER - j, n);
    }
    return true;
}

/* Four numbers at a time, by the compiler's own vectors: two registers of SSE2, one of AVX2, or whatever the
 * machine has. */
enum { LANES = 4 };
typedef double vec __attribute__((vector_size(LANES * sizeof(double))));
typedef int64_t mask
    __attribute__((vector_size(LANES * sizeof(int64_t)))); /* all ones where a comparison holds */
#define INLINE static inline __attribute__((always_inline))

INLINE vec choose(mask where, vec yes, vec no)
{
    return (vec)(((mask)yes & where) | ((mask)no & ~where));
}

INLINE vec magnitude(vec v)
{
    return (vec)((mask)v & INT64_MAX);
}

INLINE vec all(double v)
{
    return (vec){v, v, v, v};
}

INLINE vec root(vec v)
{
    return (vec){sqrt(v[0]), sqrt(v[1]), sqrt(v[2]), sqrt(v[3])};
}

/* C[COUNT-1] + u (C[COUNT-2] + ...): the highest power first. */
INLINE vec horner(const double *c, int count, vec u)
{
    vec s = all(c[0]);
    for (int i = 1; i < count; i++)
        s = s * u + c[i];
    return s;
}

/* The angle whose tangent is P / Q, Q > 0; within 1.5e-16. The quotient is brought below tan(pi / 8), where a
 * polynomial of eleven terms (least largest error, fitted with forty digits) is within 6e-18. */
INLINE vec angle(vec p, vec q)
{
    static const double c[] = {-0.019176885636589053, 0.039231657085083686, -0.050854496960392584,
                               0.05858148904795124,   -0.0666451144646022,  0.07692183190760651,
                               -0.09090904578121085,  0.11111111015256292,  -0.14285714284666542,
                               0.1999999999999552,    -0.3333333333333333};
    vec a = magnitude(p);
    mask steep = a > q;
    vec least = choose(steep, q, a), most = choose(steep, a, q);
    mask upper = least > TAN_PI_8 * most;
    vec v = choose(upper, least - most, least) / choose(upper, least + most, most), u = v * v;
    vec r = v + v * (u * horner(c, 11, u)) + (vec)((mask)all(QUARTER_PI) & upper);
    r = choose(steep, HALF_PI - r, r);
    return (vec)((mask)r | ((mask)p & INT64_MIN)); /* R >= 0, or so small that its sign does not matter */
}

/* Taylor's series: sine to pi / 4, hyperbolic sine to 1, both below half a unit of their last place. */
INLINE vec sine(vec x)
{
    static const double c[] = {1.0 / 355687428096000, -1.0 / 1307674368000, 1.0 / 6227020800, -1.0 / 39916800,
                               1.0 / 362880,          -1.0 / 5040,          1.0 / 120,        -1.0 / 6};
    vec u = x * x;
    return x + x * (u * horner(c, 8, u));
}

INLINE vec hyperbolic_sine(vec x)
{
    static const double c[] = {1.0 / 121645100408832000,
                               1.0 / 355687428096000,
                               1.0 / 1307674368000,
                               1.0 / 6227020800,
                               1.0 / 39916800,
                               1.0 / 362880,
                               1.0 / 5040,
                               1.0 / 120,
                               1.0 / 6};
    vec u = x * x;
    return x + x * (u * horner(c, 9, u));
}

/* X, Y in metres become longitude, latitude in degrees. The result says where the series hold. */
INLINE mask points(const struct shape_tm *t, vec *x, vec *y)
{
    vec east = (*x - t->x0) * t->unit, north = (*y - t->y0) * t->unit;
    mask holds = (magnitude(east) <= EAST_MOST) & (magnitude(north) <= NORTH_MOST); /* not where one is NaN */

    vec h = sine(0.5 * north), g = root(1 - h * h); /* of half the angle, which is below pi / 4 */
    vec sin_n = 2 * h * g, cos_n = 1 - 2 * h * h;
    vec sinh_e = hyperbolic_sine(east), cosh_e = root(1 + sinh_e * sinh_e);

    /* dn + i de = sum of rectifying[j] sin 2(j+1)(north + i east), by Clenshaw */
    vec sin_2n = 2 * sin_n * cos_n, cos_2n = 1 - 2 * sin_n * sin_n;
    vec sinh_2e = 2 * sinh_e * cosh_e, cosh_2e = 1 + 2 * sinh_e * sinh_e;
    vec cr = 2 * cos_2n * cosh_2e, ci = -2 * sin_2n * sinh_2e; /* 2 cos 2(north + i east) */
    vec br = all(t->rectifying[SHAPE_TM_ORDER - 1]), bi = all(0), ar = bi, ai = bi;
    for (int j = SHAPE_TM_ORDER - 2; j >= 0; j--) {
        vec nr = cr * br - ci * bi - ar + t->rectifying[j], ni = cr * bi + ci * br - ai;
        ar = br, ai = bi;
        br = nr, bi = ni;
    }
    vec sr = sin_2n * cosh_2e, si = cos_2n * sinh_2e;   /* sin 2(north + i east) */
    vec dn = sr * br - si * bi, de = sr * bi + si * br; /* below 0.004 */

    /* sin s and cos c of north - dn, sinh w of east - de */
    vec n2 = dn * dn, e2 = de * de;
    vec sin_d = dn - dn * n2 * (1.0 / 6 - n2 * (1.0 / 120)),
        versed = n2 * (0.5 - n2 * (1.0 / 24 - n2 * (1.0 / 720)));
    vec sinh_d = de + de * e2 * (1.0 / 6 + e2 * (1.0 / 120)),
        rise = e2 * (0.5 + e2 * (1.0 / 24 + e2 * (1.0 / 720)));
    vec s = sin_n - (sin_n * versed + cos_n * sin_d), c = cos_n - (cos_n * versed - sin_n * sin_d);
    vec w = sinh_e + (sinh_e * rise - cosh_e * sinh_d);

    /* On the sphere: longitude, and the conformal latitude chi = angle(s, q); latitude = chi + sum of
     * latitude[j] sin 2(j+1) chi */
    vec q = root(w * w + c * c), inverse = 2 / (1 + w * w);
    vec sin_2x = s * q * inverse, c2 = 2 * (1 - s * s * inverse);
    vec b = all(t->latitude[SHAPE_TM_ORDER - 1]), a = all(0);
    for (int j = SHAPE_TM_ORDER - 2; j >= 0; j--) {
        vec next = c2 * b - a + t->latitude[j];
        a = b;
        b = next;
    }
    vec lon = t->lon0 + angle(w, c) * DEGREES;
    vec wrapped = lon - (vec)((mask)all(360) | ((mask)lon & INT64_MIN));
    *x = choose(magnitude(lon) > 180 + 1e-10, wrapped, lon); /* what rounds to 180 stays */
    *y = (angle(s, q) + b * sin_2x) * DEGREES;
    return holds;
}

INLINE uint32_t all_points(const struct shape_tm *t, double *xy, uint32_t n, uint8_t *skipped)
{
    uint32_t left = 0;
    for (uint32_t from = 0; from < n; from += LANES) {
        double some[2 * LANES] = {0}, *at = xy + 2 * (size_t)from; /* the last points are fewer */
        uint32_t count = n - from < LANES ? n - from : LANES;
        const double *in = count == LANES ? at : memcpy(some, at, 2 * count * sizeof *at);
        vec x = {in[0], in[2], in[4], in[6]}, y = {in[1], in[3], in[5], in[7]};
        mask holds = points(t, &x, &y);
        for (uint32_t i = 0; i < count; i++) {
            at[2 * i] = holds[i] != 0 ? x[i] : at[2 * i];
            at[2 * i + 1] = holds[i] != 0 ? y[i] : at[2 * i + 1];
            skipped[from + i] = holds[i] == 0;
            left += holds[i] == 0;
        }
    }
    return left;
}

#ifdef __x86_64__
__attribute__((target("avx2"))) static uint32_t with_avx2(const struct shape_tm *t, double *xy, uint32_t n,
                                                          uint8_t *skipped)
{
    return all_points(t, xy, n, skipped);
}
#endif

uint32_t shape_tm_inverse_plain(const struct shape_tm *t, double *xy, uint32_t n, uint8_t *skipped)
{
    return all_points(t, xy, n, skipped);
}

uint32_t shape_tm_inverse(const struct shape_tm *t, double *xy, uint32_t n, uint8_t *skipped)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2"))
        return with_avx2(t, xy, n, skipped);
#endif
    return shape_tm_inverse_plain(t, xy, n, skipped);
}
