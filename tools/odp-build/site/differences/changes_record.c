/* Records packed for sorting (changes_internal.h has the form), and geometries described. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/decimal.h"
#include "site/differences/changes_internal.h"

enum { NO_GEOMETRY = 255, MARK_NULL = 1, MARK_VALUE = 2 };

/* ---- keys ---- */

/* Length and digits order integers of one sign; for negative ones both are turned round. */
static bool add_integer(struct odp_buffer *out, struct odp_slice s)
{
    char text[ODP_DECIMAL_SIZE];
    if (s.len == 0 || s.len > ODP_DECIMAL_DIGITS + 1)
        return false;
    size_t n = odp_decimal_normal(s, text), at = text[0] == '-';
    if (n <= at || n - at > 100)
        return false;
    for (size_t i = at; i < n; i++)
        if (text[i] < '0' || text[i] > '9')
            return false;
    size_t digits = n - at;
    odp_buffer_add_char(out, (char)(at == 0 ? 0x80 + digits : 0x7F - digits));
    for (size_t i = at; i < n; i++)
        odp_buffer_add_char(out, at == 0 ? text[i] : (char)('0' + '9' - text[i]));
    return true;
}

static void add_text(struct odp_buffer *out, struct odp_slice s)
{
    while (s.len > 0) {
        const char *zero = memchr(s.ptr, 0, s.len);
        size_t n = zero != NULL ? (size_t)(zero - s.ptr) : s.len;
        odp_buffer_add(out, s.ptr, n);
        s.ptr += n;
        s.len -= n;
        if (zero != NULL) {
            odp_buffer_add(out, "\0\xFF", 2);
            s.ptr++;
            s.len--;
        }
    }
    odp_buffer_add(out, "\0\1", 2);
}

static void add_part(struct odp_buffer *out, struct odp_slice s, bool integer, bool number)
{
    char text[ODP_DECIMAL_SIZE];
    if (s.ptr == NULL) {
        odp_buffer_add_char(out, MARK_NULL);
        return;
    }
    odp_buffer_add_char(out, MARK_VALUE);
    size_t before = out->len;
    if (integer && add_integer(out, s))
        return;
    out->len = before;
    if (integer)
        odp_buffer_add_char(out, '\xFF'); /* what is no integer after all comes last, as text */
    if (number && s.len < ODP_DECIMAL_SIZE)
        s = (struct odp_slice){text, odp_decimal_normal(s, text)};
    add_text(out, s);
}

/* ---- geometry ---- */

static void put_u32(char **w, uint32_t v)
{
    memcpy(*w, &v, sizeof v);
    *w += sizeof v;
}

static void put_coordinate(char **w, double v)
{
    double scaled = v * 1e7;
    int64_t n = scaled > -9.2e18 && scaled < 9.2e18 ? llround(scaled) : INT64_MIN;
    memcpy(*w, &n, sizeof n);
    *w += sizeof n;
}

/* Everything that makes two geometries equal, in one piece of bytes. */
static enum odp_status put_geometry(struct odp_buffer *b, const struct odp_geom *g)
{
    uint32_t npolys = g->poly != NULL ? g->npolys : 0;
    odp_buffer_clear(b);
    char *w = odp_buffer_reserve(b, 16 + 4 * ((size_t)npolys + g->nparts) + 24 * (size_t)g->npoints);
    if (w == NULL)
        return ODP_FAIL;
    *w++ = (char)g->type;
    *w++ = g->z != NULL;
    put_u32(&w, npolys);
    put_u32(&w, g->nparts);
    put_u32(&w, g->npoints);
    for (uint32_t p = 0; p < npolys; p++)
        put_u32(&w, g->poly[p]);
    for (uint32_t k = 0; k < g->nparts; k++)
        put_u32(&w, g->part[k]);
    for (uint32_t i = 0; i < g->npoints; i++) {
        put_coordinate(&w, g->xy[2 * (size_t)i]);
        put_coordinate(&w, g->xy[2 * (size_t)i + 1]);
        if (g->z != NULL)
            put_coordinate(&w, g->z[i]);
    }
    b->len = (size_t)(w - b->ptr);
    return ODP_OK;
}

static enum odp_status add_geometry(struct packing *p, const struct odp_geom *g, struct odp_buffer *out)
{
    char *w = odp_buffer_reserve(out, GEOMETRY_SIZE);
    if (w == NULL)
        return ODP_FAIL;
    memset(w, 0, GEOMETRY_SIZE);
    out->len += GEOMETRY_SIZE;
    if (g == NULL) {
        *w = (char)NO_GEOMETRY;
        return ODP_OK;
    }
    *w++ = (char)g->type;
    put_u32(&w, g->npoints);
    put_coordinate(&w, g->npoints > 0 ? g->xy[0] : 0);
    put_coordinate(&w, g->npoints > 0 ? g->xy[1] : 0);
    if (put_geometry(&p->bytes, g) != ODP_OK ||
        odp_digest_add(p->digest, p->bytes.ptr, p->bytes.len) != ODP_OK)
        return ODP_FAIL;
    return odp_digest_end(p->digest, (uint8_t *)w);
}

struct odp_slice geometry_text(const char *geometry, char out[GEOMETRY_TEXT])
{
    uint32_t points;
    int64_t at[2];
    if (geometry == NULL || (uint8_t)geometry[0] == NO_GEOMETRY)
        return ODP_LIT("");
    memcpy(&points, geometry + 1, sizeof points);
    memcpy(at, geometry + 5, sizeof at);
    enum odp_geom_type type = (enum odp_geom_type)geometry[0];
    int n;
    if (type == ODP_GEOM_POINT && points == 1) {
        char x[40], y[40];
        x[odp_decimal_fixed((double)at[0] / 1e7, 7, x)] = '\0';
        y[odp_decimal_fixed((double)at[1] / 1e7, 7, y)] = '\0';
        n = snprintf(out, GEOMETRY_TEXT, "Point %s %s", x, y);
    } else {
        n = snprintf(out, GEOMETRY_TEXT, "%s, %" PRIu32 " points", odp_geom_type_name(type), points);
    }
    return (struct odp_slice){out, n > 0 ? (size_t)n : 0};
}

/* ---- records ---- */

static void add_field(struct odp_buffer *out, struct odp_slice s)
{
    size_t n = s.ptr != NULL ? s.len + 1 : 0;
    char *w = odp_buffer_reserve(out, s.len + 10);
    if (w == NULL)
        return;
    for (; n >= 0x80; n >>= 7)
        *w++ = (char)(0x80 | (n & 0x7F));
    *w++ = (char)n;
    if (s.ptr != NULL && s.len > 0)
        memcpy(w, s.ptr, s.len);
    out->len = (size_t)(w - out->ptr) + (s.ptr != NULL ? s.len : 0);
}

enum odp_status pack_record(struct packing *p, const struct odp_reading_record *rec, struct odp_buffer *out)
{
    static const char head[8] = {0};
    char geometry_bytes[GEOMETRY_SIZE];
    odp_buffer_clear(out);
    odp_buffer_add(out, head, sizeof head);
    for (uint32_t k = 0; k < p->nparts; k++)
        add_part(out, rec->text[p->parts[k]], p->integer[k], p->number[k]);
    if (odp_buffer_status(out) != ODP_OK)
        return ODP_FAIL;
    size_t key = out->len - sizeof head;
    if (p->geometry) {
        p->whole = p->whole && rec->geometry_whole;
        if (add_geometry(p, rec->geometry, out) != ODP_OK)
            return ODP_FAIL;
    }
    if (p->geometry_in_key) {
        memcpy(geometry_bytes, out->ptr + out->len - GEOMETRY_SIZE, GEOMETRY_SIZE);
        odp_buffer_add(out, geometry_bytes, GEOMETRY_SIZE);
        key += GEOMETRY_SIZE;
    }
    for (uint32_t k = 0; k < p->nfields; k++)
        add_field(out, rec->text[k]);
    if (odp_buffer_status(out) != ODP_OK)
        return ODP_FAIL;
    if (out->len > UINT32_MAX / 2)
        return odp_failure_set("compare", "a record of 2 GiB", 0);
    uint32_t sizes[2] = {(uint32_t)(out->len - 4), (uint32_t)key};
    memcpy(out->ptr, sizes, sizeof sizes);
    return ODP_OK;
}

struct packed unpack(const char *record, bool geometry)
{
    struct packed p = {.key = record_key(record)};
    const char *at = p.key.ptr + p.key.len, *end = record + record_size(record);
    p.geometry = geometry ? at : NULL;
    at += geometry ? GEOMETRY_SIZE : 0;
    p.fields = (struct odp_slice){at, (size_t)(end - at)};
    return p;
}

void unpack_fields(struct odp_slice fields, struct odp_slice *text, uint32_t n)
{
    const uint8_t *at = (const uint8_t *)fields.ptr;
    for (uint32_t k = 0; k < n; k++) {
        size_t len = 0;
        unsigned shift = 0;
        for (; *at >= 0x80; shift += 7)
            len |= (size_t)(*at++ & 0x7F) << shift;
        len |= (size_t)*at++ << shift;
        text[k] = len > 0 ? (struct odp_slice){(const char *)at, len - 1} : (struct odp_slice){NULL, 0};
        at += len > 0 ? len - 1 : 0;
    }
}
