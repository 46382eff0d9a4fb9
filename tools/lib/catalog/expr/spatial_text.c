/* Geometry literals, read and written: CQL2's WKT (OGC 21-065, annex B: geometryLiteral), and BBOX. */
#include <stdlib.h>
#include <math.h>
#include <strings.h>

#include "base/buffer.h"
#include "catalog/expr/spatial_internal.h"
#include "catalog/expr/expr_internal.h"
#include "words/expr.h"

/* ---- writing ---- */

/* By enum odp_geom_type, then of boxes and collections. */
enum { SPATIAL_BBOX = ODP_GEOM_MULTIPOLYGON + 1, SPATIAL_COLLECTION, SPATIAL_COUNT };
static const char *const words[SPATIAL_COUNT] = {
    [ODP_GEOM_POINT] = "POINT",
    [ODP_GEOM_MULTIPOINT] = "MULTIPOINT",
    [ODP_GEOM_LINESTRING] = "LINESTRING",
    [ODP_GEOM_MULTILINESTRING] = "MULTILINESTRING",
    [ODP_GEOM_POLYGON] = "POLYGON",
    [ODP_GEOM_MULTIPOLYGON] = "MULTIPOLYGON",
    [SPATIAL_BBOX] = "BBOX",
    [SPATIAL_COLLECTION] = "GEOMETRYCOLLECTION",
};

static void add_number(struct odp_buffer *out, double v)
{
    char text[SPATIAL_NUMBER];
    odp_buffer_add(out, text, spatial_number(v, text));
}

static void add_points(struct odp_buffer *out, const struct odp_geom *g, uint32_t from, uint32_t to,
                       bool each)
{
    odp_buffer_add_char(out, '(');
    for (uint32_t i = from; i < to; i++) {
        odp_buffer_add_str(out, i > from ? "," : "");
        odp_buffer_add_str(out, each ? "(" : "");
        add_number(out, g->xy[2 * (size_t)i]);
        odp_buffer_add_char(out, ' ');
        add_number(out, g->xy[2 * (size_t)i + 1]);
        odp_buffer_add_str(out, each ? ")" : "");
    }
    odp_buffer_add_char(out, ')');
}

static void add_parts(struct odp_buffer *out, const struct odp_geom *g, uint32_t from, uint32_t to)
{
    odp_buffer_add_char(out, '(');
    for (uint32_t k = from; k < to; k++) {
        odp_buffer_add_str(out, k > from ? "," : "");
        add_points(out, g, g->part[k], g->part[k + 1], false);
    }
    odp_buffer_add_char(out, ')');
}

static void add_member(struct odp_buffer *out, const struct odp_geom *g)
{
    odp_buffer_add_str(out, words[g->type]);
    switch (g->type) {
    case ODP_GEOM_MULTIPOINT:
    case ODP_GEOM_POINT:
    case ODP_GEOM_LINESTRING:
        add_points(out, g, 0, g->npoints, g->type == ODP_GEOM_MULTIPOINT);
        break;
    case ODP_GEOM_MULTILINESTRING:
    case ODP_GEOM_POLYGON:
        add_parts(out, g, 0, g->nparts);
        break;
    case ODP_GEOM_MULTIPOLYGON:
        odp_buffer_add_char(out, '(');
        for (uint32_t k = 0; k < g->npolys; k++) {
            odp_buffer_add_str(out, k > 0 ? "," : "");
            add_parts(out, g, g->poly[k], g->poly[k + 1]);
        }
        odp_buffer_add_char(out, ')');
        break;
    }
}

void odp_spatial_add_text(const struct odp_spatial *s, struct odp_buffer *out)
{
    if (s->is_box) {
        odp_buffer_add_str(out, "BBOX(");
        for (int k = 0; k < 4; k++) {
            odp_buffer_add_str(out, k > 0 ? "," : "");
            add_number(out, s->corners[k]);
        }
        odp_buffer_add_char(out, ')');
        return;
    }
    if (s->is_collection)
        odp_buffer_add_str(out, "GEOMETRYCOLLECTION(");
    for (uint32_t i = 0; i < s->nmembers; i++) {
        odp_buffer_add_str(out, i > 0 ? "," : "");
        add_member(out, &s->members[i]);
    }
    if (s->is_collection)
        odp_buffer_add_char(out, ')');
}

/* A fault latches: the first one counts, AT stays where it is, and nothing more is found in the text. */
struct parser {
    struct odp_slice text;
    size_t at;
    struct odp_spatial *s;
    struct odp_arena *arena; /* the caller's, for messages */
    struct odp_text *why;
    struct odp_buffer xy, part,
        poly; /* of the member being read: doubles, then numbers of points and parts */
    uint32_t npoints, nparts, npolys, total;
    bool z;
    size_t *starts; /* where the members of a collection begin */
    enum odp_status status;
};

#define NO_ARGUMENT ((struct odp_slice){0})

/* ---- faults ---- */

/* At byte AT; {0} and {1} of both texts are replaced. */
static void fault(struct parser *p, size_t at, const char *id, const char *en, struct odp_slice a,
                  struct odp_slice b)
{
    if (p->status != ODP_OK)
        return;
    p->status = ODP_BAD;
    p->at = at;
    *p->why = (struct odp_text){{expr_fill(p->arena, id, a, b), expr_fill(p->arena, en, a, b)}};
}

static void fault_plain(struct parser *p, size_t at, const char *id, const char *en)
{
    fault(p, at, id, en, NO_ARGUMENT, NO_ARGUMENT);
}

/* ---- tokens ---- */

static int peek(struct parser *p)
{
    while (p->status == ODP_OK && p->at < p->text.len) {
        char c = p->text.ptr[p->at];
        if (c != ' ' && !(c >= '\t' && c <= '\r'))
            return (unsigned char)c;
        p->at++;
    }
    return -1;
}

/* Where the next token begins. */
static size_t place(struct parser *p)
{
    (void)peek(p);
    return p->at;
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

/* The text here up to the next space, comma or bracket; 40 bytes are enough to recognise it. */
static struct odp_slice found(struct parser *p)
{
    const char *s = p->text.ptr + place(p);
    size_t n = 0, left = p->text.len - p->at;
    while (n < 40 && n < left && !is_delimiter(s[n]))
        n++;
    while (n > 0 && n < left && ((unsigned char)s[n] & 0xc0) == 0x80) /* whole characters */
        n--;
    return (struct odp_slice){s, n == 0 && left > 0 ? 1 : n};
}

/* ID, EN: what belongs here. */
static void expected(struct parser *p, const char *id, const char *en)
{
    static const struct odp_text end = {{W_expr_text_breaks_off}}, other = {{W_expr_expected_found}};
    struct odp_slice at = found(p);
    const struct odp_text *text = at.len == 0 ? &end : &other;
    if (p->status != ODP_OK)
        return;
    p->status = ODP_BAD;
    p->why->in[ODP_LANG_ID] = expr_fill(p->arena, text->in[ODP_LANG_ID], odp_slice_of(id), at);
    p->why->in[ODP_LANG_EN] = expr_fill(p->arena, text->in[ODP_LANG_EN], odp_slice_of(en), at);
}

static void need(struct parser *p, char c)
{
    const char what[2] = {c, '\0'};
    if (!take(p, c))
        expected(p, what, what);
}

static struct odp_slice word(struct parser *p)
{
    size_t from = place(p);
    while (p->status == ODP_OK && p->at < p->text.len &&
           (((unsigned char)p->text.ptr[p->at] | 0x20u) - 'a') < 26u)
        p->at++;
    return (struct odp_slice){p->text.ptr + from, p->at - from};
}

/* ---- numbers and points ---- */

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

static double read_number(struct parser *p)
{
    char copy[64];
    const char *s = p->text.ptr + place(p);
    size_t n = number_length(s, p->text.len - p->at);
    bool ends = p->at + n == p->text.len || is_delimiter(s[n]);
    if (n == 0 && (found(p).len == 0 || is_delimiter(*s)))
        expected(p, W_expr_a_number);
    else if (n == 0 || !ends)
        fault(p, p->at, W_expr_not_number_decimal_sign_point_2, found(p), NO_ARGUMENT);
    else if (n >= sizeof copy)
        fault_plain(p, p->at, W_expr_number_too_long_at_most);
    if (p->status != ODP_OK)
        return 0;
    memcpy(copy, s, n);
    copy[n] = '\0';
    p->at += n;
    double value = strtod(copy, NULL);
    return value == 0 ? 0 : value; /* -0 is 0 */
}

/* A number within -MOST .. MOST; another is reported in its place. */
static double read_degrees(struct parser *p, double most)
{
    size_t at = place(p);
    double value = read_number(p);
    struct odp_slice text = {p->text.ptr + at, p->at - at};
    if (fabs(value) > most && most < 100)
        fault(p, at, W_expr_latitude_outside_90_90_longitude, text, text);
    else if (fabs(value) > most)
        fault(p, at, W_expr_longitude_outside_180_180_degrees, text, text);
    return value;
}

static void read_height(struct parser *p)
{
    size_t at = place(p);
    if (!isfinite(read_number(p)))
        fault_plain(p, at, W_expr_height_out_range);
}

static void read_point(struct parser *p)
{
    double xy[2];
    if (p->total == SPATIAL_POINTS)
        fault_plain(p, place(p), W_expr_more_than_10_000_points);
    xy[0] = read_degrees(p, 180);
    if (peek(p) == ',')
        fault_plain(p, p->at, W_expr_longitude_latitude_parted_by_space);
    xy[1] = read_degrees(p, 90);
    int next = peek(p);
    if (p->z || (next != ',' && next != ')' && next >= 0))
        read_height(p);
    odp_buffer_add(&p->xy, xy, sizeof xy);
    p->npoints++;
    p->total++;
}

/* ---- geometries ---- */

static void end_part(struct parser *p)
{
    odp_buffer_add(&p->part, &p->npoints, sizeof p->npoints);
    p->nparts++;
}

/* The ring from point FIRST on must end where it begins; its last point is at byte AT. */
static void check_closed(struct parser *p, uint32_t first, size_t at)
{
    const double *from = (const double *)(const void *)p->xy.ptr + 2 * (size_t)first,
                 *to = from + 2 * (size_t)(p->npoints - 1 - first);
    char a[SPATIAL_NUMBER], b[SPATIAL_NUMBER];
    if (from[0] == to[0] && from[1] == to[1]) /* by value: -0 is 0 */
        return;
    (void)spatial_number(from[0], a);
    (void)spatial_number(from[1], b);
    fault(p, at, W_expr_ring_not_closed_last_point, odp_slice_of(a), odp_slice_of(b));
}

/* (x y, x y, …): a line, or a RING. */
static void read_list(struct parser *p, bool ring)
{
    size_t open = place(p), last;
    uint32_t first = p->npoints;
    need(p, '(');
    do {
        last = place(p);
        read_point(p);
    } while (take(p, ','));
    need(p, ')');
    if (p->xy.failed)
        p->status = ODP_FAIL;
    if (p->status != ODP_OK)
        return;
    if (ring)
        check_closed(p, first, last);
    if (ring && p->npoints - first < 4)
        fault_plain(p, open, W_expr_polygon_ring_takes_at_least);
    else if (p->npoints - first < 2)
        fault_plain(p, open, W_expr_line_takes_at_least_2);
    end_part(p);
}

static void read_polygon(struct parser *p)
{
    need(p, '(');
    do
        read_list(p, true);
    while (take(p, ','));
    need(p, ')');
    odp_buffer_add(&p->poly, &p->nparts, sizeof p->nparts);
    p->npolys++;
}

/* A member of a multipoint has brackets of its own (many writers leave them out). */
static void read_member_point(struct parser *p)
{
    bool own = take(p, '(');
    read_point(p);
    if (own)
        need(p, ')');
}

static void read_members(struct parser *p, enum odp_geom_type type)
{
    bool points = type == ODP_GEOM_POINT || type == ODP_GEOM_MULTIPOINT;
    need(p, '(');
    do {
        if (points)
            read_member_point(p);
        else if (type == ODP_GEOM_MULTILINESTRING)
            read_list(p, false);
        else
            read_polygon(p);
    } while (type != ODP_GEOM_POINT && take(p, ','));
    need(p, ')');
    if (points)
        end_part(p);
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
static void add_member_read(struct parser *p, enum odp_geom_type type)
{
    struct odp_geom *g = &p->s->members[p->s->nmembers];
    bool has = false;
    if (p->xy.failed || p->part.failed || p->poly.failed)
        p->status = ODP_FAIL;
    if (p->status != ODP_OK)
        return;
    *g = (struct odp_geom){.type = type, .npoints = p->npoints, .nparts = p->nparts, .npolys = p->npolys};
    g->xy = odp_arena_array(&p->s->arena, p->npoints, 2 * sizeof *g->xy);
    g->part = starts_of(p, &p->part, p->nparts);
    g->poly = p->npolys > 0 ? starts_of(p, &p->poly, p->npolys) : NULL;
    memcpy(g->xy, p->xy.ptr, p->npoints * 2 * sizeof *g->xy);
    for (uint32_t i = 0; i < g->npoints; i++) {
        const double *xy = g->xy + 2 * (size_t)i, at[4] = {xy[0], xy[1], xy[0], xy[1]};
        odp_bbox_extend(g->bbox, &has, at);
    }
    p->s->nmembers++;
}

/* Z, EMPTY, M after the word. */
static void read_tag(struct parser *p)
{
    size_t at = place(p);
    struct odp_slice tag = word(p);
    p->z = odp_slice_is_nocase(tag, "Z");
    if (odp_slice_is_nocase(tag, "EMPTY"))
        fault_plain(p, at, W_expr_empty_geometry_touches_nothing);
    if (tag.len == 0 || p->z || p->status != ODP_OK)
        return;
    p->at = at;
    expected(p, "(", "(");
}

/* The word that begins a geometry; "POINTZ" is "POINT Z". */
static int read_word(struct parser *p, bool within)
{
    static const char
        kinds[] = "POINT, LINESTRING, POLYGON, MULTIPOINT, MULTILINESTRING, MULTIPOLYGON",
        all[] =
            "POINT, LINESTRING, POLYGON, MULTIPOINT, MULTILINESTRING, MULTIPOLYGON, GEOMETRYCOLLECTION, BBOX";
    size_t at = place(p);
    struct odp_slice w = word(p);
    for (int i = 0; i < (within ? SPATIAL_BBOX : SPATIAL_COUNT); i++) {
        size_t n = strlen(words[i]);
        bool z = w.len == n + 1 && (w.ptr[n] == 'Z' || w.ptr[n] == 'z') && i != SPATIAL_BBOX;
        if ((w.len != n && !z) || strncasecmp(w.ptr, words[i], n) != 0)
            continue;
        p->at -= z; /* the tag is read again by itself */
        return i;
    }
    if (p->status == ODP_OK)
        p->at = at;
    expected(p, within ? kinds : all, within ? kinds : all);
    return ODP_GEOM_POINT;
}

/* A geometry after its word WHICH; WITHIN a collection the word comes first. */
static void read_member(struct parser *p, bool within, int which)
{
    struct odp_spatial *s = p->s;
    s->members = odp_arena_more(&s->arena, s->members, s->nmembers, sizeof *s->members);
    p->starts = odp_arena_more(&s->arena, p->starts, s->nmembers, sizeof *p->starts);
    if (within) {
        p->starts[p->s->nmembers] = place(p);
        which = read_word(p, true);
    }
    p->npoints = p->nparts = p->npolys = 0;
    odp_buffer_clear(&p->xy);
    odp_buffer_clear(&p->part);
    odp_buffer_clear(&p->poly);
    read_tag(p);
    if (which == ODP_GEOM_LINESTRING)
        read_list(p, false);
    else if (which == ODP_GEOM_POLYGON)
        read_polygon(p);
    else
        read_members(p, (enum odp_geom_type)which);
    add_member_read(p, (enum odp_geom_type)which);
}

static void read_collection(struct parser *p, size_t at)
{
    p->s->is_collection = true;
    if (spatial_op_relates(p->s->op))
        fault(p, at, W_expr_takes_no_geometrycollection_use, odp_slice_of(odp_spatial_op_name(p->s->op)),
              NO_ARGUMENT);
    read_tag(p);
    need(p, '(');
    do
        read_member(p, true, 0);
    while (take(p, ','));
    need(p, ')');
}

/* BBOX(w,s,e,n) or BBOX(w,s,zmin,e,n,zmax): which one shows only after the fourth number. */
static void read_box(struct parser *p)
{
    double v[6], corners[4] = {0};
    size_t at[6], n = 0;
    need(p, '(');
    do {
        at[n] = place(p);
        v[n++] = read_number(p);
    } while (n < 6 && take(p, ','));
    if (n != 4 && n != 6)
        fault_plain(p, place(p), W_expr_bbox_takes_4_numbers_west);
    need(p, ')');
    if (p->status != ODP_OK)
        return;
    size_t end = p->at;
    for (size_t k = 0; k < 4 && p->status == ODP_OK; k++) {
        p->at = at[k < 2 || n == 4 ? k : k + 1];
        corners[k] = read_degrees(p, k % 2 == 0 ? 180 : 90);
    }
    if (p->status == ODP_OK)
        p->at = end;
    if (corners[1] > corners[3])
        fault_plain(p, at[1], W_expr_south_above_north_order_west);
    if (n == 6 && !(v[2] <= v[5] && isfinite(v[2]) && isfinite(v[5])))
        fault_plain(p, at[2], W_expr_lowest_height_above_highest);
    if (p->status == ODP_OK)
        spatial_set_box(p->s, corners);
}

static void finish(struct parser *p, size_t at)
{
    uint32_t member;
    const char *reason, *where;
    struct odp_slice op = odp_slice_of(odp_spatial_op_name(p->s->op));
    enum odp_status status = spatial_finish(p->s, p->arena, &member, &reason, &where);
    if (status == ODP_FAIL)
        p->status = status;
    if (status != ODP_BAD)
        return;
    if (p->s->is_collection)
        at = p->starts[member];
    if (reason == NULL)
        fault(p, at, W_expr_line_crosses_itself_does_not, op, NO_ARGUMENT);
    else if (where != NULL)
        fault(p, at, W_expr_geometry_not_valid_at, odp_slice_of(reason), odp_slice_of(where));
    else
        fault(p, at, W_expr_geometry_not_valid, odp_slice_of(reason), NO_ARGUMENT);
}

static void parse(struct parser *p)
{
    size_t at = place(p);
    int which = read_word(p, false);
    if (which == SPATIAL_BBOX)
        read_box(p);
    else if (which == SPATIAL_COLLECTION)
        read_collection(p, at);
    else
        read_member(p, false, which);
    if (p->status == ODP_OK)
        finish(p, at);
}

enum odp_status odp_spatial_parse(struct odp_spatial **out, enum odp_spatial_op op, struct odp_slice text,
                                  size_t *at, struct odp_arena *a, struct odp_text *why)
{
    struct parser p = {.text = text, .at = *at, .arena = a, .why = why};
    *out = NULL;
    p.status = spatial_new(&p.s, op);
    if (p.status == ODP_OK)
        parse(&p);
    odp_buffer_release(&p.xy);
    odp_buffer_release(&p.part);
    odp_buffer_release(&p.poly);
    *at = p.at;
    if (p.status == ODP_OK)
        *out = p.s;
    else
        odp_spatial_free(p.s);
    return p.status;
}
