/* The logical content of a resource: what makes two versions equal, whatever their files look like.
 *
 *   header   "odp-logical 1\n", then one line a public field: F name TAB type TAB unit (Indonesian) TAB unit (English) LF, then
 *            P name TAB name … LF for the primary key, U … LF for each unique key, then G1 LF or G0 LF (with or without
 * geometry). Keys with a field that is not public are left out, as are such fields. In names and units '\', TAB and LF are
 *            written \\, \t and \n.
 *   record   for each public field in the schema's order: a mark, and unless it is null the text's length as 4 bytes, low byte
 *            first, and its canonical text. Marks: '0' null, 's' text, 'l' number or boolean, 'j' JSON.
 *            With geometry: 'g', type (1 byte), number of polygons, parts and points (4 bytes each), the first index of each
 * polygon and part (4 bytes each), whether it has heights (1 byte), then per point lon, lat (and height) as 8-byte integers of
 *            1e-7 units; or '0'. Rings are taken in RFC 7946 order, so a source that only turns its rings is the same content.
 *
 * Numbers count by their literal: 12.5 and 12.50 are published differently, so they are different content. */
#include "emit.h"

#include <math.h>

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

static void add_key(struct odp_buffer *out, const struct odp_schema *s, const struct odp_key *key, char mark)
{
    for (uint32_t k = 0; k < key->n; k++)
        if (!s->fields[key->fields[k]].is_public)
            return;
    if (key->n == 0)
        return;
    for (uint32_t k = 0; k < key->n; k++) {
        odp_buffer_add_char(out, k == 0 ? mark : '\t');
        if (k == 0)
            odp_buffer_add_char(out, ' ');
        add_escaped(out, s->fields[key->fields[k]].name);
    }
    odp_buffer_add_char(out, '\n');
}

void odp_emit_logical_header(struct odp_buffer *out, const struct odp_resource *r, bool has_geometry)
{
    const struct odp_schema *s = &r->schema;
    odp_buffer_add_str(out, "odp-logical 1\n");
    for (uint32_t k = 0; k < s->n; k++) {
        const struct odp_field *f = &s->fields[k];
        if (!f->is_public)
            continue;
        odp_buffer_add_str(out, "F ");
        add_escaped(out, f->name);
        odp_buffer_add_char(out, '\t');
        odp_buffer_add_str(out, odp_type_name(f->type));
        odp_buffer_add_char(out, '\t');
        add_escaped(out, f->unit.in[ODP_LANG_ID]);
        odp_buffer_add_char(out, '\t');
        add_escaped(out, f->unit.in[ODP_LANG_EN]);
        odp_buffer_add_char(out, '\n');
    }
    add_key(out, s, &s->primary, 'P');
    for (size_t k = 0; k < s->nunique; k++)
        add_key(out, s, &s->unique[k], 'U');
    odp_buffer_add_str(out, has_geometry ? "G1\n" : "G0\n");
}

static char *put_u32(char *w, uint32_t v)
{
    for (int k = 0; k < 4; k++)
        *w++ = (char)(v >> (8 * k));
    return w;
}

static char *put_coordinate(char *w, double v)
{
    double scaled = v * 1e7;
    int64_t n = scaled > -9.2e18 && scaled < 9.2e18 ? llround(scaled) : INT64_MIN; /* NaN too: never from a valid source */
    for (int k = 0; k < 8; k++)
        *w++ = (char)((uint64_t)n >> (8 * k));
    return w;
}

static char *put_point(char *w, const struct odp_geom *g, uint32_t i)
{
    w = put_coordinate(w, g->xy[2 * (size_t)i]);
    w = put_coordinate(w, g->xy[2 * (size_t)i + 1]);
    return g->z != NULL ? put_coordinate(w, g->z[i]) : w;
}

static char *put_part(char *w, const struct odp_geom *g, uint32_t k, bool ring, bool shell)
{
    uint32_t from = g->part[k], to = g->part[k + 1];
    bool turned = ring && (odp_ring_area2(g->xy + 2 * (size_t)from, to - from) > 0) != shell;
    for (uint32_t i = from; i < to; i++)
        w = put_point(w, g, turned ? from + (to - 1 - i) : i);
    return w;
}

static void add_geometry(struct odp_buffer *out, const struct odp_geom *g)
{
    if (g == NULL) {
        odp_buffer_add_char(out, '0');
        return;
    }
    bool rings = g->poly != NULL;
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
    *w++ = g->z != NULL;
    if (!rings)
        for (uint32_t k = 0; k < g->nparts; k++)
            w = put_part(w, g, k, false, false);
    for (uint32_t p = 0; p < npolys; p++)
        for (uint32_t k = g->poly[p]; k < g->poly[p + 1]; k++)
            w = put_part(w, g, k, true, k == g->poly[p]);
    out->len = (size_t)(w - out->ptr);
}

static void add_record(struct odp_buffer *out, const struct odp_batch *b, uint32_t i)
{
    static const char marks[] = {[ODP_REPR_STRING] = 's', [ODP_REPR_LITERAL] = 'l', [ODP_REPR_JSON] = 'j'};
    const struct odp_schema *s = &b->resource->schema;
    size_t need = 0;
    for (uint32_t k = 0; k < s->n; k++)
        need += s->fields[k].is_public ? b->columns[k].text[i].len + 5 : 0;
    char *w = odp_buffer_reserve(out, need);
    if (w == NULL)
        return;
    for (uint32_t k = 0; k < s->n; k++) {
        if (!s->fields[k].is_public)
            continue;
        const struct odp_column *c = &b->columns[k];
        if (c->state[i] != ODP_VALUE_OK) {
            *w++ = '0';
            continue;
        }
        *w++ = marks[odp_type_repr(s->fields[k].type)];
        w = put_u32(w, (uint32_t)c->text[i].len);
        if (c->text[i].len > 0)
            memcpy(w, c->text[i].ptr, c->text[i].len);
        w += c->text[i].len;
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
            add_geometry(out, b->geometry != NULL ? b->geometry[i] : NULL);
    }
}
