/* The logical content of a resource: what makes two versions equal, whatever their files look like.
 *
 *   header   "odp-logical 1\n", then one line a public field: F name TAB type TAB unit (Indonesian) TAB unit
 *            (English) LF, then P name TAB name … LF for the primary key, U … LF for each unique key, then
 *            G1 LF or G0 LF (with or without geometry). Keys with a field that is not public are left out, as
 *            are such fields. In names and units '\', TAB and LF are written \\, \t and \n.
 *   record   for each public field in the schema's order: a mark, and unless it is null the text's length as
 *            4 bytes, low byte first, and its canonical text. Marks: '0' null, 's' text, 'l' number or
 *            boolean, 'j' JSON. With geometry: 'g', type (1 byte), number of polygons, parts and points
 *            (4 bytes each), the first index of each polygon and part (4 bytes each), whether it has heights
 *            (1 byte), then per point lon, lat (and height) as 8-byte integers of 1e-7 units; or '0'. Rings
 *            are taken in RFC 7946 order, so a source that only turns its rings is the same content.
 *
 * All of this is what is published, not what was computed with: coordinates and heights are rounded as
 * odp_decimal_fixed rounds them, rings have the order in which they are written, heights count where they
 * are written. So the digest can be computed again from the published files (published/reading.h).
 *
 * Numbers count by their literal: 12.5 and 12.50 are published differently, so they are different content. */
#include "published/logical.h"

#include "base/decimal.h"
#include "base/put.h"

static void add_escaped(struct odp_buffer *out, const char *s)
{
    for (; s != NULL && *s != '\0'; s++) {
        if (*s == '\\' || *s == '\t' || *s == '\n') {
            odp_buffer_add_char(out, '\\');
            odp_buffer_add_char(out, *s == '\t' ? 't' : *s == '\n' ? 'n' : '\\');
        } else {
            odp_buffer_add_char(out, *s);
        }
    }
}

/* ---- pieces of the header ---- */

void odp_logical_begin(struct odp_buffer *out)
{
    odp_buffer_add_str(out, "odp-logical 1\n");
}

void odp_logical_field(struct odp_buffer *out, const char *name, enum odp_type type,
                       const struct odp_text *unit)
{
    odp_buffer_add_str(out, "F ");
    add_escaped(out, name);
    odp_buffer_add_char(out, '\t');
    odp_buffer_add_str(out, odp_type_name(type));
    odp_buffer_add_char(out, '\t');
    add_escaped(out, unit->in[ODP_LANG_ID]);
    odp_buffer_add_char(out, '\t');
    add_escaped(out, unit->in[ODP_LANG_EN]);
    odp_buffer_add_char(out, '\n');
}

void odp_logical_key_name(struct odp_buffer *out, char mark, bool first, const char *name)
{
    odp_buffer_add_char(out, first ? mark : '\t');
    if (first)
        odp_buffer_add_char(out, ' ');
    add_escaped(out, name);
}

void odp_logical_key_end(struct odp_buffer *out)
{
    odp_buffer_add_char(out, '\n');
}

void odp_logical_end(struct odp_buffer *out, bool has_geometry)
{
    odp_buffer_add_str(out, has_geometry ? "G1\n" : "G0\n");
}

/* ---- pieces of a record ---- */

enum { VALUE_ROOM = 5 }; /* bytes of a value besides its text */

static inline char *put_u32(char *w, uint32_t v)
{
    for (int k = 0; k < 4; k++)
        *w++ = (char)(v >> (8 * k));
    return w;
}

static inline char *put_value(char *w, char mark, struct odp_slice text)
{
    *w++ = mark;
    return odp_put(put_u32(w, (uint32_t)text.len), text);
}

char odp_logical_mark(enum odp_type type)
{
    static const char marks[] = {[ODP_REPR_STRING] = 's', [ODP_REPR_LITERAL] = 'l', [ODP_REPR_JSON] = 'j'};
    return marks[odp_type_repr(type)];
}

void odp_logical_record(struct odp_buffer *out, const char *marks, const struct odp_slice *text, uint32_t n)
{
    size_t need = 0;
    for (uint32_t k = 0; k < n; k++)
        need += text[k].len + VALUE_ROOM;
    char *w = odp_buffer_reserve(out, need);
    if (w == NULL)
        return;
    for (uint32_t k = 0; k < n; k++) {
        if (text[k].ptr != NULL)
            w = put_value(w, marks[k], text[k]);
        else
            *w++ = '0';
    }
    out->len = (size_t)(w - out->ptr);
}

static char *put_coordinate(char *w, double v)
{
    int64_t n;
    if (!odp_decimal_units(v, 7, &n))
        n = INT64_MIN; /* never from a valid source */
    for (int k = 0; k < 8; k++)
        *w++ = (char)((uint64_t)n >> (8 * k));
    return w;
}

static char *put_points(char *w, const struct odp_geom *g, uint32_t part, bool turned, bool heights)
{
    uint32_t from = g->part[part], to = g->part[part + 1];
    for (uint32_t k = from; k < to; k++) {
        uint32_t i = turned ? from + (to - 1 - k) : k;
        w = put_coordinate(w, g->xy[2 * (size_t)i]);
        w = put_coordinate(w, g->xy[2 * (size_t)i + 1]);
        w = heights ? put_coordinate(w, g->z[i]) : w;
    }
    return w;
}

void odp_logical_geometry(struct odp_buffer *out, const struct odp_geom *g, bool as_it_stands)
{
    if (g == NULL) {
        odp_buffer_add_char(out, '0');
        return;
    }
    bool rings = g->poly != NULL, heights = odp_geom_has_heights(g);
    uint32_t npolys = rings ? g->npolys : 0;
    size_t need = 16 + 4 * ((size_t)npolys + g->nparts) + 24 * (size_t)g->npoints;
    char *w = odp_buffer_reserve(out, need);
    if (w == NULL)
        return;
    *w++ = 'g';
    *w++ = (char)g->type;
    w = put_u32(w, npolys);
    w = put_u32(w, g->nparts);
    w = put_u32(w, g->npoints);
    for (uint32_t p = 0; p < npolys; p++)
        w = put_u32(w, g->poly[p]);
    for (uint32_t k = 0; k < g->nparts; k++)
        w = put_u32(w, g->part[k]);
    *w++ = heights;
    if (!rings)
        for (uint32_t k = 0; k < g->nparts; k++)
            w = put_points(w, g, k, false, heights);
    for (uint32_t p = 0; p < npolys; p++)
        for (uint32_t k = g->poly[p]; k < g->poly[p + 1]; k++)
            w = put_points(w, g, k, !as_it_stands && odp_geom_ring_turns(g, k, k == g->poly[p]), heights);
    out->len = (size_t)(w - out->ptr);
}

/* ---- resources and batches ---- */

static void add_key(struct odp_buffer *out, const struct odp_schema *s, const struct odp_key *key, char mark)
{
    for (uint32_t k = 0; k < key->n; k++)
        if (!s->fields[key->fields[k]].is_public)
            return;
    for (uint32_t k = 0; k < key->n; k++)
        odp_logical_key_name(out, mark, k == 0, s->fields[key->fields[k]].name);
    if (key->n > 0)
        odp_logical_key_end(out);
}

void odp_emit_logical_header(struct odp_buffer *out, const struct odp_resource *r, bool has_geometry)
{
    const struct odp_schema *s = &r->schema;
    odp_logical_begin(out);
    for (uint32_t k = 0; k < s->n; k++)
        if (s->fields[k].is_public)
            odp_logical_field(out, s->fields[k].name, s->fields[k].type, &s->fields[k].unit);
    add_key(out, s, &s->primary, 'P');
    for (size_t k = 0; k < s->nunique; k++)
        add_key(out, s, &s->unique[k], 'U');
    odp_logical_end(out, has_geometry);
}

static void add_record(struct odp_buffer *out, const struct odp_batch *b, uint32_t i)
{
    const struct odp_schema *s = &b->resource->schema;
    size_t need = 0;
    for (uint32_t k = 0; k < s->n; k++)
        need += s->fields[k].is_public ? b->columns[k].text[i].len + VALUE_ROOM : 0;
    char *w = odp_buffer_reserve(out, need);
    if (w == NULL)
        return;
    for (uint32_t k = 0; k < s->n; k++) {
        const struct odp_column *c = &b->columns[k];
        if (!s->fields[k].is_public)
            continue;
        if (c->state[i] == ODP_VALUE_OK)
            w = put_value(w, odp_logical_mark(s->fields[k].type), c->text[i]);
        else
            *w++ = '0';
    }
    out->len = (size_t)(w - out->ptr);
}

void odp_emit_logical_batch(struct odp_buffer *out, const struct odp_batch *b, bool has_geometry)
{
    for (uint32_t i = 0; i < b->nrecords; i++) {
        if (b->record_bad[i])
            continue;
        add_record(out, b, i);
        if (has_geometry)
            odp_logical_geometry(out, b->geometry != NULL ? b->geometry[i] : NULL, false);
    }
}
