/* Geometry literals: WKT as CQL2 has it (OGC 21-065, annex B: geometryLiteral), and BBOX. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "base/buffer.h"
#include "catalog/expr/spatial_internal.h"
#include "words/expr.h"

struct parser {
    struct odp_slice text;
    size_t at;
    struct odp_spatial *s;
    struct odp_arena *arena; /* the caller's, for what is said */
    struct odp_text *why;
    struct odp_buffer xy, part, poly; /* of the member being read: doubles, then numbers of points and parts */
    uint32_t npoints, nparts, npolys, total;
    bool z;
    size_t *starts; /* where the members of a collection begin */
    uint32_t cap;
};

/* ---- faults --------------------------------------------------------------------------------------------------------------
 */

static const char *fill(struct parser *p, const char *text, struct odp_slice a, struct odp_slice b)
{
    struct odp_buffer out;
    odp_buffer_init(&out);
    while (*text != '\0') {
        if (text[0] == '{' && (text[1] == '0' || text[1] == '1') && text[2] == '}') {
            odp_buffer_add_slice(&out, text[1] == '0' ? a : b);
            text += 3;
        } else {
            odp_buffer_add_char(&out, *text++);
        }
    }
    const char *copy = out.failed ? NULL : odp_arena_copy(p->arena, odp_buffer_slice(&out)).ptr;
    odp_buffer_release(&out);
    return copy;
}

/* At byte AT; {0} and {1} of both texts are replaced. */
static enum odp_status fault(struct parser *p, size_t at, const char *id, const char *en, struct odp_slice a,
                             struct odp_slice b)
{
    p->at = at;
    p->why->in[ODP_LANG_ID] = fill(p, id, a, b);
    p->why->in[ODP_LANG_EN] = fill(p, en, a, b);
    return p->why->in[ODP_LANG_ID] != NULL && p->why->in[ODP_LANG_EN] != NULL ? ODP_BAD : ODP_FAIL;
}

static enum odp_status fault_plain(struct parser *p, size_t at, const char *id, const char *en)
{
    return fault(p, at, id, en, (struct odp_slice){0}, (struct odp_slice){0});
}

/* ---- tokens --------------------------------------------------------------------------------------------------------------
 */

static int peek(struct parser *p)
{
    while (p->at < p->text.len) {
        char c = p->text.ptr[p->at];
        if (c != ' ' && !(c >= '\t' && c <= '\r'))
            return (unsigned char)c;
        p->at++;
    }
    return -1;
}

static bool take(struct parser *p, char c)
{
    if (peek(p) != (unsigned char)c)
        return false;
    p->at++;
    return true;
}

static bool is_delimiter(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r') || c == ',' || c == '(' || c == ')';
}

/* What stands here up to the next space, comma or bracket; 40 bytes are enough to know it again. */
static struct odp_slice found(struct parser *p)
{
    (void)peek(p);
    const char *s = p->text.ptr + p->at;
    size_t n = 0, left = p->text.len - p->at;
    while (n < 40 && n < left && !is_delimiter(s[n]))
        n++;
    while (n > 0 && n < left && ((unsigned char)s[n] & 0xc0) == 0x80) /* whole characters */
        n--;
    return (struct odp_slice){s, n == 0 && left > 0 ? 1 : n};
}

/* ID, EN: what belongs here. */
static enum odp_status expected(struct parser *p, const char *id, const char *en)
{
    struct odp_slice at = found(p);
    bool end = at.len == 0;
    p->why->in[ODP_LANG_ID] = fill(p, end ? "teks terputus: di sini diharapkan {0}" : "di sini diharapkan {0}, ditemukan “{1}”",
                                   odp_slice_of(id), at);
    p->why->in[ODP_LANG_EN] =
        fill(p, end ? "the text breaks off: {0} is expected here" : "{0} is expected here, found “{1}”", odp_slice_of(en), at);
    return p->why->in[ODP_LANG_ID] != NULL && p->why->in[ODP_LANG_EN] != NULL ? ODP_BAD : ODP_FAIL;
}

static enum odp_status need(struct parser *p, char c)
{
    const char what[2] = {c, '\0'};
    return take(p, c) ? ODP_OK : expected(p, what, what);
}

static struct odp_slice word(struct parser *p)
{
    (void)peek(p);
    size_t from = p->at;
    while (p->at < p->text.len && (((unsigned char)p->text.ptr[p->at] | 0x20u) - 'a') < 26u)
        p->at++;
    return (struct odp_slice){p->text.ptr + from, p->at - from};
}

static bool word_is(struct odp_slice w, const char *s)
{
    return w.len == strlen(s) && strncasecmp(w.ptr, s, w.len) == 0;
}

/* ---- numbers and points --------------------------------------------------------------------------------------------------
 */

static size_t digits(const char *s, size_t at, size_t n)
{
    while (at < n && s[at] >= '0' && s[at] <= '9')
        at++;
    return at;
}

/* The length of a number at the beginning of S (21-065: signedNumericLiteral); 0: none. */
static size_t number_length(const char *s, size_t n)
{
    size_t at = n > 0 && (*s == '-' || *s == '+') ? 1 : 0, end = digits(s, at, n), count = end - at;
    if (end < n && s[end] == '.') {
        at = end + 1;
        end = digits(s, at, n);
        count += end - at;
    }
    if (count == 0)
        return 0;
    if (end < n && (s[end] == 'e' || s[end] == 'E')) {
        at = end + 1 < n && (s[end + 1] == '-' || s[end + 1] == '+') ? end + 2 : end + 1;
        size_t stop = digits(s, at, n);
        end = stop > at ? stop : end;
    }
    return end;
}

static enum odp_status read_number(struct parser *p, double *out)
{
    char copy[64];
    (void)peek(p);
    const char *s = p->text.ptr + p->at;
    size_t n = number_length(s, p->text.len - p->at);
    bool ends = p->at + n == p->text.len || is_delimiter(s[n]);
    if (n == 0 && (found(p).len == 0 || is_delimiter(*s)))
        return expected(p, W_expr_a_number);
    if (n == 0 || !ends)
        return fault(p, p->at, W_expr_not_number_decimal_sign_point_2, found(p), (struct odp_slice){0});
    if (n >= sizeof copy)
        return fault_plain(p, p->at, W_expr_number_too_long_at_most);
    memcpy(copy, s, n);
    copy[n] = '\0';
    p->at += n;
    *out = strtod(copy, NULL) + 0.0;
    if (*out == 0) /* -0 is 0 */
        *out = 0;
    return ODP_OK;
}

/* A number within -MOST .. MOST; what is beyond is told with its place. */
static enum odp_status read_degrees(struct parser *p, double most, double *out)
{
    (void)peek(p);
    size_t at = p->at;
    enum odp_status st = read_number(p, out);
    if (st != ODP_OK || fabs(*out) <= most)
        return st;
    struct odp_slice text = {p->text.ptr + at, p->at - at};
    return most < 100 ? fault(p, at, W_expr_latitude_outside_90_90_longitude, text, text)
                      : fault(p, at, W_expr_longitude_outside_180_180_degrees, text, text);
}

static enum odp_status read_height(struct parser *p)
{
    double z;
    (void)peek(p);
    size_t at = p->at;
    enum odp_status st = read_number(p, &z);
    if (st != ODP_OK || isfinite(z))
        return st;
    return fault_plain(p, at, W_expr_height_out_range);
}

static enum odp_status read_point(struct parser *p)
{
    double xy[2];
    (void)peek(p);
    if (p->total == SPATIAL_POINTS)
        return fault_plain(p, p->at, W_expr_more_than_10_000_points);
    enum odp_status st = read_degrees(p, 180, &xy[0]);
    if (st == ODP_OK && peek(p) == ',')
        return fault_plain(p, p->at, W_expr_longitude_latitude_parted_by_space);
    if (st == ODP_OK)
        st = read_degrees(p, 90, &xy[1]);
    int next = st == ODP_OK ? peek(p) : -1;
    if (st == ODP_OK && (p->z || (next != ',' && next != ')' && next >= 0)))
        st = read_height(p);
    odp_buffer_add(&p->xy, xy, sizeof xy);
    p->npoints++;
    p->total++;
    return st;
}

/* ---- geometries ----------------------------------------------------------------------------------------------------------
 */

static const double *point_at(const struct parser *p, uint32_t i)
{
    return (const double *)(const void *)p->xy.ptr + 2 * (size_t)i;
}

static void end_part(struct parser *p)
{
    odp_buffer_add(&p->part, &p->npoints, sizeof p->npoints);
    p->nparts++;
}

/* (x y, x y, …): a line, or a RING. */
static enum odp_status read_list(struct parser *p, bool ring)
{
    (void)peek(p);
    size_t open = p->at, last = 0;
    uint32_t first = p->npoints;
    enum odp_status st = need(p, '(');
    if (st != ODP_OK)
        return st;
    do {
        (void)peek(p);
        last = p->at;
        if ((st = read_point(p)) != ODP_OK)
            return st;
    } while (take(p, ','));
    if ((st = need(p, ')')) != ODP_OK)
        return st;
    if (p->xy.failed)
        return ODP_FAIL;
    uint32_t n = p->npoints - first;
    const double *from = n > 0 ? point_at(p, first) : NULL, *to = n > 0 ? point_at(p, p->npoints - 1) : NULL;
    if (ring && n > 0 && (from[0] != to[0] || from[1] != to[1])) { /* by value: -0 is 0 */
        char a[SPATIAL_NUMBER], b[SPATIAL_NUMBER];
        (void)spatial_number(from[0], a);
        (void)spatial_number(from[1], b);
        return fault(p, last, W_expr_ring_not_closed_last_point, odp_slice_of(a), odp_slice_of(b));
    }
    if (n < (ring ? 4u : 2u))
        return ring ? fault_plain(p, open, W_expr_polygon_ring_takes_at_least)
                    : fault_plain(p, open, W_expr_line_takes_at_least_2);
    end_part(p);
    return ODP_OK;
}

static enum odp_status read_polygon(struct parser *p)
{
    enum odp_status st = need(p, '(');
    if (st != ODP_OK)
        return st;
    do
        st = read_list(p, true);
    while (st == ODP_OK && take(p, ','));
    if (st == ODP_OK)
        st = need(p, ')');
    odp_buffer_add(&p->poly, &p->nparts, sizeof p->nparts);
    p->npolys++;
    return st;
}

/* A member of a multipoint stands in brackets of its own (or, as many write it, does not). */
static enum odp_status read_member_point(struct parser *p)
{
    bool own = take(p, '(');
    enum odp_status st = read_point(p);
    return st == ODP_OK && own ? need(p, ')') : st;
}

static enum odp_status read_members(struct parser *p, enum odp_geom_type type)
{
    enum odp_status st = need(p, '(');
    if (st != ODP_OK)
        return st;
    do
        st = type == ODP_GEOM_MULTILINESTRING ? read_list(p, false)
             : type == ODP_GEOM_MULTIPOLYGON  ? read_polygon(p)
                                              : read_member_point(p);
    while (st == ODP_OK && (type == ODP_GEOM_MULTIPOINT || type == ODP_GEOM_MULTILINESTRING || type == ODP_GEOM_MULTIPOLYGON) &&
           take(p, ','));
    if (st == ODP_OK)
        st = need(p, ')');
    if (st == ODP_OK && (type == ODP_GEOM_POINT || type == ODP_GEOM_MULTIPOINT))
        end_part(p);
    return st;
}

/* Starts of runs out of their ends. */
static uint32_t *starts_of(struct parser *p, const struct odp_buffer *ends, uint32_t n)
{
    uint32_t *out = odp_arena_zero(&p->s->arena, (size_t)n + 1, sizeof *out);
    if (n > 0)
        memcpy(out + 1, ends->ptr, n * sizeof *out);
    return out;
}

/* What was read becomes the next member of S; there is room for it. */
static enum odp_status keep_member(struct parser *p, enum odp_geom_type type)
{
    struct odp_geom *g = &p->s->members[p->s->nmembers];
    bool has = false;
    if (p->xy.failed || p->part.failed || p->poly.failed)
        return ODP_FAIL;
    *g = (struct odp_geom){.type = type, .npoints = p->npoints, .nparts = p->nparts, .npolys = p->npolys};
    g->xy = odp_arena_array(&p->s->arena, p->npoints, 2 * sizeof *g->xy);
    g->part = starts_of(p, &p->part, p->nparts);
    g->poly = p->npolys > 0 ? starts_of(p, &p->poly, p->npolys) : NULL;
    if (g->part == NULL || (p->npolys > 0 && g->poly == NULL))
        return ODP_FAIL;
    memcpy(g->xy, p->xy.ptr, p->npoints * 2 * sizeof *g->xy);
    for (uint32_t i = 0; i < g->npoints; i++) {
        const double *xy = g->xy + 2 * (size_t)i, at[4] = {xy[0], xy[1], xy[0], xy[1]};
        odp_bbox_extend(g->bbox, &has, at);
    }
    p->s->nmembers++;
    return ODP_OK;
}

/* Z, EMPTY, M behind the word. */
static enum odp_status read_tag(struct parser *p)
{
    (void)peek(p);
    size_t at = p->at;
    struct odp_slice tag = word(p);
    p->z = word_is(tag, "Z");
    if (tag.len == 0 || p->z)
        return ODP_OK;
    if (word_is(tag, "EMPTY"))
        return fault_plain(p, at, W_expr_empty_geometry_touches_nothing);
    p->at = at;
    return expected(p, "(", "(");
}

static enum odp_status read_geometry(struct parser *p, enum odp_geom_type type)
{
    p->npoints = p->nparts = p->npolys = 0;
    odp_buffer_clear(&p->xy);
    odp_buffer_clear(&p->part);
    odp_buffer_clear(&p->poly);
    enum odp_status st = read_tag(p);
    if (st == ODP_OK)
        st = type == ODP_GEOM_LINESTRING ? read_list(p, false)
             : type == ODP_GEOM_POLYGON  ? read_polygon(p)
                                         : read_members(p, type);
    return st == ODP_OK ? keep_member(p, type) : st;
}

/* The word that begins a geometry; "POINTZ" is "POINT Z". */
static enum odp_status read_word(struct parser *p, bool within, int *which)
{
    (void)peek(p);
    size_t at = p->at;
    struct odp_slice w = word(p);
    for (int i = 0; i < (within ? SPATIAL_BBOX : SPATIAL_COUNT); i++) {
        size_t n = strlen(spatial_words[i]);
        bool z = w.len == n + 1 && (w.ptr[n] == 'Z' || w.ptr[n] == 'z') && i != SPATIAL_BBOX;
        if ((w.len != n && !z) || strncasecmp(w.ptr, spatial_words[i], n) != 0)
            continue;
        *which = i;
        p->at -= z; /* the tag is read again by itself */
        return ODP_OK;
    }
    p->at = at;
    static const char kinds[] = "POINT, LINESTRING, POLYGON, MULTIPOINT, MULTILINESTRING, MULTIPOLYGON",
                      all[] = "POINT, LINESTRING, POLYGON, MULTIPOINT, MULTILINESTRING, MULTIPOLYGON, GEOMETRYCOLLECTION, BBOX";
    return within ? expected(p, kinds, kinds) : expected(p, all, all);
}

static enum odp_status more_members(struct parser *p)
{
    struct odp_spatial *s = p->s;
    if (s->nmembers < p->cap)
        return ODP_OK;
    uint32_t cap = p->cap == 0 ? 1 : p->cap * 4;
    struct odp_geom *members = odp_arena_zero(&s->arena, cap, sizeof *members);
    size_t *starts = odp_realloc_array(p->starts, cap, sizeof *starts);
    if (starts != NULL)
        p->starts = starts;
    if (starts == NULL)
        return ODP_FAIL;
    if (s->nmembers > 0)
        memcpy(members, s->members, s->nmembers * sizeof *members);
    s->members = members;
    p->cap = cap;
    return ODP_OK;
}

static enum odp_status read_member(struct parser *p, bool within, int which)
{
    enum odp_status st = more_members(p);
    if (st == ODP_OK && within) {
        (void)peek(p);
        p->starts[p->s->nmembers] = p->at;
        st = read_word(p, true, &which);
    }
    return st == ODP_OK ? read_geometry(p, (enum odp_geom_type)which) : st;
}

static enum odp_status read_collection(struct parser *p, size_t at)
{
    p->s->is_collection = true;
    if (spatial_op_relates(p->s->op))
        return fault(p, at, W_expr_takes_no_geometrycollection_use,
            odp_slice_of(odp_spatial_op_name(p->s->op)), (struct odp_slice){0});
    enum odp_status st = read_tag(p);
    if (st == ODP_OK)
        st = need(p, '(');
    if (st != ODP_OK)
        return st;
    do
        st = read_member(p, true, 0);
    while (st == ODP_OK && take(p, ','));
    return st == ODP_OK ? need(p, ')') : st;
}

/* BBOX(w,s,e,n), BBOX(w,s,zmin,e,n,zmax). Only behind the fourth number is it known which. */
static enum odp_status read_box(struct parser *p)
{
    double v[6], corners[4];
    size_t at[6], n = 0;
    enum odp_status st = need(p, '(');
    if (st != ODP_OK)
        return st;
    do {
        (void)peek(p);
        at[n] = p->at;
        if ((st = read_number(p, &v[n++])) != ODP_OK)
            return st;
    } while (n < 6 && take(p, ','));
    if (n != 4 && n != 6) {
        (void)peek(p);
        return fault_plain(p, p->at, W_expr_bbox_takes_4_numbers_west);
    }
    if ((st = need(p, ')')) != ODP_OK)
        return st;
    size_t end = p->at;
    for (size_t k = 0; k < 4; k++) {
        size_t i = k < 2 || n == 4 ? k : k + 1;
        p->at = at[i];
        if ((st = read_degrees(p, k % 2 == 0 ? 180 : 90, &corners[k])) != ODP_OK)
            return st;
    }
    p->at = end;
    if (corners[1] > corners[3])
        return fault_plain(p, at[1], W_expr_south_above_north_order_west);
    if (n == 6 && !(v[2] <= v[5] && isfinite(v[2]) && isfinite(v[5])))
        return fault_plain(p, at[2], W_expr_lowest_height_above_highest);
    return spatial_set_box(p->s, corners);
}

static enum odp_status parse(struct parser *p)
{
    uint32_t member;
    const char *reason, *place;
    int which;
    (void)peek(p);
    size_t at = p->at;
    enum odp_status st = read_word(p, false, &which);
    if (st == ODP_OK)
        st = which == SPATIAL_BBOX         ? read_box(p)
             : which == SPATIAL_COLLECTION ? read_collection(p, at)
                                        : read_member(p, false, which);
    if (st != ODP_OK)
        return st;
    st = spatial_finish(p->s, p->arena, &member, &reason, &place);
    if (st != ODP_BAD)
        return st;
    if (p->s->is_collection)
        at = p->starts[member];
    if (reason == NULL)
        return fault(p, at, W_expr_line_crosses_itself_does_not,
                     odp_slice_of(odp_spatial_op_name(p->s->op)), (struct odp_slice){0});
    return place != NULL ? fault(p, at, W_expr_geometry_not_valid_at,
                                 odp_slice_of(reason), odp_slice_of(place))
                         : fault(p, at, W_expr_geometry_not_valid, odp_slice_of(reason),
                                 (struct odp_slice){0});
}

enum odp_status odp_spatial_parse(struct odp_spatial **out, enum odp_spatial_op op, bool flipped, struct odp_slice text,
                                  size_t *at, struct odp_arena *a, struct odp_text *why)
{
    struct parser p = {.text = text, .at = *at, .arena = a, .why = why};
    *out = NULL;
    odp_buffer_init(&p.xy);
    odp_buffer_init(&p.part);
    odp_buffer_init(&p.poly);
    enum odp_status st = spatial_new(&p.s, op, flipped);
    if (st == ODP_OK)
        st = parse(&p);
    odp_buffer_release(&p.xy);
    odp_buffer_release(&p.part);
    odp_buffer_release(&p.poly);
    free(p.starts);
    *at = p.at;
    if (st == ODP_OK)
        *out = p.s;
    else
        odp_spatial_free(p.s);
    return st;
}
