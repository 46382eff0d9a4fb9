/* Coordinate systems that need no PROJ to be understood: WGS 84 and its UTM zones, in the well-known text of ESRI and of OGC (the
 * grammar is OGC 01-009's). They are known by their numbers; names count where PROJ, too, would see a difference in them. Whatever is not
 * exactly of this kind is left to PROJ, so nothing is decided here that PROJ would decide otherwise (tests/unit/read/test_shape_crs.c
 * asks both). */
#include <stdio.h>
#include <stdlib.h>

#include "read/shapefile/reader.h"

enum { NODES = 96, DEPTH = 8 };

/* KEYWORD["text",number,WORD,KEYWORD[...]]: each is a node, what stands in brackets follows it, `end` is behind the last of that. */
struct node {
    enum { NODE_KEYWORD, NODE_TEXT, NODE_NUMBER, NODE_WORD } kind;
    struct odp_slice text;
    double number;
    uint32_t end;
};
struct wkt {
    const char *at;
    struct node nodes[NODES];
    uint32_t n;
};

static const char *skip_space(const char *p)
{
    while (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n')
        p++;
    return p;
}

static bool is_word(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* The node at w->at and all in its brackets. */
static bool parse_node(struct wkt *w, int depth)
{
    const char *p = w->at = skip_space(w->at);
    if (w->n == NODES || depth == DEPTH)
        return false;
    struct node *node = &w->nodes[w->n++];
    uint32_t self = w->n - 1;
    if (*p == '"') {
        size_t len = strcspn(p + 1, "\"");
        *node = (struct node){.kind = NODE_TEXT, .text = {p + 1, len}, .end = w->n};
        w->at = p + 1 + len + 1;
        return p[1 + len] == '"' && *w->at != '"'; /* a doubled quote is one inside of a text: none of ours has one */
    }
    if (*p == '-' || (*p >= '0' && *p <= '9')) {
        char *end;
        *node = (struct node){.kind = NODE_NUMBER, .number = strtod(p, &end), .end = w->n};
        w->at = end;
        return strspn(p, "0123456789.eE+-") == (size_t)(end - p);
    }
    size_t len = 0;
    while (is_word(p[len]))
        len++;
    *node = (struct node){.kind = NODE_WORD, .text = {p, len}, .end = w->n};
    w->at = skip_space(p + len);
    if (len == 0 || *w->at != '[')
        return len > 0;
    node->kind = NODE_KEYWORD;
    do {
        w->at++; /* the bracket, or a comma */
        if (!parse_node(w, depth + 1))
            return false;
        w->at = skip_space(w->at);
    } while (*w->at == ',');
    w->nodes[self].end = w->n;
    return *w->at++ == ']';
}

/* TEXT's letters and digits in lower case are one of NAMES (separated by blanks). */
static bool named(struct odp_slice text, const char *names)
{
    char key[64] = " ";
    size_t n = 1;
    for (size_t i = 0; i < text.len && n + 2 < sizeof key; i++) {
        char c = text.ptr[i];
        if (c >= 'A' && c <= 'Z')
            c = (char)(c + 'a' - 'A');
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
            key[n++] = c;
    }
    key[n] = ' ';
    key[n + 1] = '\0';
    return n > 1 && n + 2 < sizeof key && strstr(names, key) != NULL;
}

/* What may stand in a node, in any order, and how often. */
struct child {
    const char *keyword;
    bool (*holds)(const struct wkt *w, uint32_t at, void *found);
    unsigned least, most;
};

/* Node AT is KEYWORD["one of NAMES", ...] and its children follow the rules. NAMES NULL: any name. */
static bool node_is(const struct wkt *w, uint32_t at, const char *names, const struct child *children, size_t n, void *found)
{
    unsigned count[8] = {0};
    uint32_t i = at + 1;
    if (i >= w->nodes[at].end || w->nodes[i].kind != NODE_TEXT || (names != NULL && !named(w->nodes[i].text, names)))
        return false;
    for (i++; i < w->nodes[at].end; i = w->nodes[i].end) {
        size_t k = 0;
        while (k < n && !(w->nodes[i].kind == NODE_KEYWORD && odp_slice_is(w->nodes[i].text, children[k].keyword)))
            k++;
        if (k == n || ++count[k] > children[k].most || !children[k].holds(w, i, found))
            return false;
    }
    for (size_t k = 0; k < n; k++)
        if (count[k] < children[k].least)
            return false;
    return true;
}

/* KEYWORD["name", number, number]: its name is one of NAMES, its COUNT numbers are OUT; then, at most, an authority with CODE. */
static bool numbers(const struct wkt *w, uint32_t at, const char *names, double *out, uint32_t count, const char *code)
{
    uint32_t end = w->nodes[at].end, i = at + 1;
    if (end < at + 2 + count || w->nodes[i].kind != NODE_TEXT || (names != NULL && !named(w->nodes[i].text, names)))
        return false;
    for (i++; count > 0; count--, i++) {
        if (w->nodes[i].kind != NODE_NUMBER)
            return false;
        *out++ = w->nodes[i].number;
    }
    if (i == end)
        return true;
    bool authority = end == i + 3 && w->nodes[i].kind == NODE_KEYWORD && odp_slice_is(w->nodes[i].text, "AUTHORITY") &&
                     w->nodes[i + 1].kind == NODE_TEXT && odp_slice_is(w->nodes[i + 1].text, "EPSG");
    return authority && code != NULL && w->nodes[i + 2].kind == NODE_TEXT && odp_slice_is(w->nodes[i + 2].text, code);
}

/* AUTHORITY["EPSG","code"] */
static bool authority_is(const struct wkt *w, uint32_t at, const char *code)
{
    return w->nodes[at].end == at + 3 && w->nodes[at + 1].kind == NODE_TEXT && odp_slice_is(w->nodes[at + 1].text, "EPSG") &&
           w->nodes[at + 2].kind == NODE_TEXT && odp_slice_is(w->nodes[at + 2].text, code);
}

static bool spheroid(const struct wkt *w, uint32_t at, void *found)
{
    double v[2];
    (void)found;
    return numbers(w, at, " wgs1984 wgs84 ", v, 2, "7030") && v[0] == 6378137 && v[1] == 298.257223563;
}

static bool datum_authority(const struct wkt *w, uint32_t at, void *found)
{
    (void)found;
    return authority_is(w, at, "6326");
}

static bool datum(const struct wkt *w, uint32_t at, void *found)
{
    static const struct child children[] = {{"SPHEROID", spheroid, 1, 1}, {"AUTHORITY", datum_authority, 0, 1}};
    return node_is(w, at, " dwgs1984 wgs1984 worldgeodeticsystem1984 ", children, 2, found);
}

static bool meridian(const struct wkt *w, uint32_t at, void *found)
{
    double v;
    (void)found;
    return numbers(w, at, " greenwich ", &v, 1, "8901") && v == 0;
}

static bool degree(const struct wkt *w, uint32_t at, void *found)
{
    double v;
    (void)found;
    return (numbers(w, at, " degree ", &v, 1, "9122") || numbers(w, at, " degree ", &v, 1, "9102")) &&
           v > 0.0174532925199432 && v < 0.0174532925199434;
}

static bool geographic_authority(const struct wkt *w, uint32_t at, void *found)
{
    (void)found;
    return authority_is(w, at, "4326");
}

/* GEOGCS["GCS_WGS_1984",DATUM[...],PRIMEM["Greenwich",0],UNIT["Degree",0.0174532925199433]] */
static bool geographic(const struct wkt *w, uint32_t at, void *found)
{
    static const struct child children[] = {{"DATUM", datum, 1, 1},
                                            {"PRIMEM", meridian, 1, 1},
                                            {"UNIT", degree, 1, 1},
                                            {"AUTHORITY", geographic_authority, 0, 1}};
    return node_is(w, at, " gcswgs1984 wgs84 ", children, 4, found);
}

struct utm {
    double easting, northing, meridian, scale, latitude;
    unsigned axes;
    struct odp_slice code; /* as its authority says, or empty */
};

static bool method(const struct wkt *w, uint32_t at, void *found)
{
    (void)found;
    return numbers(w, at, " transversemercator ", NULL, 0, "9807");
}

static bool parameter(const struct wkt *w, uint32_t at, void *found)
{
    struct utm *u = found;
    double v;
    const struct {
        const char *name;
        double *to;
    } list[] = {{" falseeasting ", &u->easting},
                {" falsenorthing ", &u->northing},
                {" centralmeridian ", &u->meridian},
                {" scalefactor ", &u->scale},
                {" latitudeoforigin ", &u->latitude}};
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        if (numbers(w, at, list[i].name, &v, 1, NULL)) {
            bool first = *list[i].to != *list[i].to; /* NaN until it is known */
            *list[i].to = v;
            return first;
        }
    return false;
}

static bool metre(const struct wkt *w, uint32_t at, void *found)
{
    double v;
    (void)found;
    return numbers(w, at, " metre meter ", &v, 1, "9001") && v == 1;
}

/* East before north, as every file has them. */
static bool axis(const struct wkt *w, uint32_t at, void *found)
{
    struct utm *u = found;
    bool second = u->axes++ > 0;
    return w->nodes[at].end == at + 3 && w->nodes[at + 1].kind == NODE_TEXT && w->nodes[at + 2].kind == NODE_WORD &&
           odp_slice_is(w->nodes[at + 2].text, second ? "NORTH" : "EAST") &&
           named(w->nodes[at + 1].text, second ? " northing y n " : " easting x e ");
}

static bool projected_authority(const struct wkt *w, uint32_t at, void *found)
{
    struct utm *u = found;
    u->code = w->nodes[at].end == at + 3 ? w->nodes[at + 2].text : (struct odp_slice){"", 0};
    return w->nodes[at].end == at + 3 && w->nodes[at + 1].kind == NODE_TEXT && odp_slice_is(w->nodes[at + 1].text, "EPSG");
}

/* PROJCS["WGS_1984_UTM_Zone_49S",GEOGCS[...],PROJECTION["Transverse_Mercator"],PARAMETER["False_Easting",500000],...,UNIT["Meter",1]].
 * Returns the EPSG code, or 0. */
static unsigned projected(const struct wkt *w)
{
    static const struct child children[] = {{"GEOGCS", geographic, 1, 1}, {"PROJECTION", method, 1, 1},
                                            {"PARAMETER", parameter, 5, 5}, {"UNIT", metre, 1, 1},
                                            {"AXIS", axis, 0, 2},          {"AUTHORITY", projected_authority, 0, 1}};
    double none = strtod("nan", NULL);
    struct utm u = {none, none, none, none, none, 0, {0}};
    if (!node_is(w, 0, NULL, children, 6, &u) || u.axes == 1)
        return 0;
    double zone = (u.meridian + 183) / 6;
    bool south = u.northing == 10000000;
    if (u.easting != 500000 || !(south || u.northing == 0) || u.scale != 0.9996 || u.latitude != 0 || !(zone >= 1 && zone <= 60) ||
        zone != (int)zone)
        return 0;
    unsigned code = (south ? 32700u : 32600u) + (unsigned)zone;
    char names[64], text[8];
    snprintf(names, sizeof names, " wgs1984utmzone%d%c wgs84utmzone%d%c ", (int)zone, south ? 's' : 'n', (int)zone, south ? 's' : 'n');
    snprintf(text, sizeof text, "%u", code);
    return named(w->nodes[1].text, names) && (u.code.ptr == NULL || odp_slice_is(u.code, text)) ? code : 0;
}

unsigned shape_prj_code(const char *text)
{
    struct wkt w = {.at = text};
    char *end;
    if (strncmp(text, "EPSG:", 5) == 0 && text[5] >= '1' && text[5] <= '9') {
        unsigned long code = strtoul(text + 5, &end, 10);
        bool known = code == 4326 || (code > 32600 && code <= 32660) || (code > 32700 && code <= 32760);
        return *end == '\0' && known ? (unsigned)code : 0;
    }
    if (!parse_node(&w, 0) || *skip_space(w.at) != '\0' || w.nodes[0].kind != NODE_KEYWORD)
        return 0;
    if (odp_slice_is(w.nodes[0].text, "PROJCS"))
        return projected(&w);
    return odp_slice_is(w.nodes[0].text, "GEOGCS") && geographic(&w, 0, NULL) ? 4326 : 0;
}

/* ---- transverse Mercator among PROJ's pipelines --------------------------------------------------------------------- */

/* "+key" or "+key=VALUE" of one step; false for what would change the result in a way that is not known here. */
static bool step_word(struct shape_tm_of *p, const char *word, size_t n, unsigned *zone, bool *utm)
{
    static const struct {
        const char *key;
        size_t at;
    } list[] = {{"+lon_0=", offsetof(struct shape_tm_of, lon0)},
                {"+k=", offsetof(struct shape_tm_of, k0)},
                {"+x_0=", offsetof(struct shape_tm_of, x0)},
                {"+y_0=", offsetof(struct shape_tm_of, y0)}};
    struct odp_slice w = {word, n};
    char *end;
    if (odp_slice_is(w, "+lat_0=0")) /* others would need sines of libm, whose last bits are each CPU's own */
        return true;
    if (odp_slice_is(w, "+ellps=WGS84") || odp_slice_is(w, "+ellps=GRS80")) {
        p->a = 6378137;
        p->f = odp_slice_is(w, "+ellps=WGS84") ? 1 / 298.257223563 : 1 / 298.257222101;
        return true;
    }
    if (*utm && odp_slice_is(w, "+south")) {
        p->y0 = 10000000;
        return true;
    }
    if (*utm && strncmp(word, "+zone=", 6) == 0) {
        *zone = (unsigned)strtoul(word + 6, &end, 10);
        return end == word + n && *zone >= 1 && *zone <= 60;
    }
    for (size_t i = 0; i < sizeof list / sizeof list[0] && !*utm; i++) {
        size_t len = strlen(list[i].key);
        if (n <= len || strncmp(word, list[i].key, len) != 0)
            continue;
        double v = strtod(word + len, &end);
        memcpy((char *)p + list[i].at, &v, sizeof v);
        return end == word + n;
    }
    return false;
}

bool shape_prj_tm(const char *pipeline, struct shape_tm_of *out)
{
    static const char *const heads[] = {"+proj=pipeline +step +inv +proj=utm ", "+proj=pipeline +step +inv +proj=tmerc "};
    static const char tail[] = " +step +proj=unitconvert +xy_in=rad +xy_out=deg";
    size_t len = strlen(pipeline), t = sizeof tail - 1;
    bool utm = strncmp(pipeline, heads[0], strlen(heads[0])) == 0;
    const char *head = heads[utm ? 0 : 1], *p = pipeline + strlen(head), *end = pipeline + len - t;
    if (len <= strlen(head) + t || strncmp(pipeline, head, strlen(head)) != 0 || strcmp(end, tail) != 0)
        return false;
    *out = (struct shape_tm_of){.k0 = 1};
    if (utm)
        *out = (struct shape_tm_of){.k0 = 0.9996, .x0 = 500000};
    unsigned zone = 0;
    while (p < end) {
        size_t n = strcspn(p, " ");
        if (!step_word(out, p, n, &zone, &utm))
            return false;
        p += n + 1;
    }
    if (utm)
        out->lon0 = 6.0 * zone - 183;
    return out->a > 0 && (!utm || zone > 0);
}
