/* The difference of two versions: both sides packed and sorted by key, then walked side by side.
 *
 * docs/versions.md says what is matched with what, and in which order it comes out. An old side need not be
 * unique by a new key: rows with one key are paired in their order, the rest was added or removed.
 *
 * A packed record (of this process: sizes in its byte order):
 *
 *   u32 bytes of what follows | u32 bytes of the key | the key | GEOMETRY_SIZE bytes if the side has geometry
 * | the fields
 *
 * The key compares with memcmp: for each part a mark (1 null, 2 a value), then an integer as length and
 * digits (their complement for negative ones) or text with 0 written as 0 255 and 0 1 at its end. Without a
 * key the parts are all fields that both sides have, and the geometry follows. A field is its length + 1 as a
 * number of 7-bit groups (0: null), then its text. */
#include "site/differences/changes.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/decimal.h"
#include "site/differences/changes_sort.h"

enum {
    MARK_NULL = 1,
    MARK_VALUE = 2,
    NO_GEOMETRY = 255,
    GEOMETRY_SIZE = 1 + 4 + 16 + ODP_SHA256_SIZE, /* type; points; the first point; digest of all of it */
    GEOMETRY_TEXT = 96
};

struct side {
    const struct odp_changes_side *side;
    const uint32_t *parts; /* fields whose values make the key */
    uint32_t nfields;
    bool has_geometry;
    bool whole; /* so far every geometry was carried whole */
    struct odp_digest *digest;
    struct odp_buffer points; /* bytes of a geometry */
    struct odp_buffer packed; /* a record on its way to the sorter */
    struct sorter *sorter;
    uint64_t rows;
    /* the record at hand; its parts point into the sorter */
    bool ended;
    struct odp_slice key, *text; /* TEXT: by field */
    const char *geometry;        /* GEOMETRY_SIZE bytes, or NULL */
};

struct comparison {
    struct odp_arena arena;
    struct odp_changes_job job; /* as the sinks see it */
    const struct odp_changes_options *options;
    const struct odp_changes_sink *sinks;
    size_t nsinks;
    struct odp_changes_counts *counts;
    struct side from, to;
    uint32_t nparts;
    bool *integer; /* by part of the key: compared by value */
    bool *number;  /* by part: any literal of the same number is the same key */
    bool geometry; /* both sides have one */
    uint32_t *cells;
};

/* ---- keys ---- */

/* The key's fields, or without a key all fields that both sides have, in the order of the new layout. */
static void choose_parts(struct comparison *c)
{
    const struct odp_layout *old = c->from.side->layout, *now = c->to.side->layout;
    const int *old_of = c->job.schema->old_of;
    const uint32_t n = c->job.keyed ? now->nkey : now->n;
    uint32_t *from = odp_arena_array(&c->arena, (size_t)n + 1, sizeof *from),
             *to = odp_arena_array(&c->arena, (size_t)n + 1, sizeof *to);
    c->integer = odp_arena_array(&c->arena, (size_t)n + 1, sizeof *c->integer);
    c->number = odp_arena_array(&c->arena, (size_t)n + 1, sizeof *c->number);
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t field = c->job.keyed ? now->key[k] : k, part = c->nparts;
        if (old_of[field] < 0)
            continue;
        const enum odp_type was = old->fields[old_of[field]].type, is = now->fields[field].type;
        from[part] = (uint32_t)old_of[field];
        to[part] = field;
        c->integer[part] = was == ODP_TYPE_INTEGER && is == ODP_TYPE_INTEGER;
        /* Without a key a row is its texts: 1.5 that became 1.50 is a change then, as everywhere else. */
        c->number[part] = c->job.keyed && was == is && is == ODP_TYPE_NUMBER;
        c->nparts++;
    }
    c->from.parts = from;
    c->to.parts = to;
}

/* Length and digits order integers of one sign; of negative ones both are complemented. */
static bool add_integer(struct odp_buffer *out, struct odp_slice s)
{
    char text[ODP_DECIMAL_SIZE];
    if (s.len == 0 || s.len > ODP_DECIMAL_DIGITS + 1)
        return false;
    const size_t n = odp_decimal_normal(s, text), at = text[0] == '-', digits = n - at;
    if (n <= at || digits > 100)
        return false;
    for (size_t i = at; i < n; i++)
        if (text[i] < '0' || text[i] > '9')
            return false;
    odp_buffer_add_char(out, (char)(at == 0 ? 0x80 + digits : 0x7F - digits));
    for (size_t i = at; i < n; i++)
        odp_buffer_add_char(out, at == 0 ? text[i] : (char)('0' + '9' - text[i]));
    return true;
}

static void add_text(struct odp_buffer *out, struct odp_slice s)
{
    while (s.len > 0) {
        const char *zero = memchr(s.ptr, 0, s.len);
        const size_t n = zero != NULL ? (size_t)(zero - s.ptr) : s.len, used = n + (zero != NULL);
        odp_buffer_add(out, s.ptr, n);
        if (zero != NULL)
            odp_buffer_add(out, "\0\xFF", 2);
        s = (struct odp_slice){s.ptr + used, s.len - used};
    }
    odp_buffer_add(out, "\0\1", 2);
}

static void add_part(struct odp_buffer *out, struct odp_slice s, bool integer, bool number)
{
    char text[ODP_DECIMAL_SIZE];
    odp_buffer_add_char(out, s.ptr == NULL ? MARK_NULL : MARK_VALUE);
    if (s.ptr == NULL || (integer && add_integer(out, s)))
        return;
    if (integer)
        odp_buffer_add_char(out, '\xFF'); /* what is no integer after all comes last, as text */
    if (number && s.len < ODP_DECIMAL_SIZE)
        s = (struct odp_slice){text, odp_decimal_normal(s, text)};
    add_text(out, s);
}

/* ---- geometry ---- */

static void add_u32(struct odp_buffer *out, uint32_t v)
{
    odp_buffer_add(out, &v, sizeof v);
}

static void add_coordinate(struct odp_buffer *out, double v)
{
    const double scaled = v * 1e7;
    const int64_t n = scaled > -9.2e18 && scaled < 9.2e18 ? llround(scaled) : INT64_MIN;
    odp_buffer_add(out, &n, sizeof n);
}

/* Everything that makes two geometries equal. */
static void add_whole_geometry(struct odp_buffer *out, const struct odp_geom *g)
{
    const uint32_t npolys = g->poly != NULL ? g->npolys : 0;
    odp_buffer_add_char(out, (char)g->type);
    odp_buffer_add_char(out, g->z != NULL);
    add_u32(out, npolys);
    add_u32(out, g->nparts);
    add_u32(out, g->npoints);
    for (uint32_t p = 0; p < npolys; p++)
        add_u32(out, g->poly[p]);
    for (uint32_t k = 0; k < g->nparts; k++)
        add_u32(out, g->part[k]);
    for (uint32_t i = 0; i < g->npoints; i++) {
        add_coordinate(out, g->xy[2 * (size_t)i]);
        add_coordinate(out, g->xy[2 * (size_t)i + 1]);
        if (g->z != NULL)
            add_coordinate(out, g->z[i]);
    }
}

static enum odp_status add_geometry(struct side *s, const struct odp_geom *g)
{
    static const char none[GEOMETRY_SIZE] = {(char)NO_GEOMETRY};
    uint8_t digest[ODP_SHA256_SIZE];
    if (g == NULL) {
        odp_buffer_add(&s->packed, none, sizeof none);
        return ODP_OK;
    }
    odp_buffer_clear(&s->points);
    add_whole_geometry(&s->points, g);
    if (odp_buffer_status(&s->points) != ODP_OK ||
        odp_digest_add(s->digest, s->points.ptr, s->points.len) != ODP_OK ||
        odp_digest_end(s->digest, digest) != ODP_OK)
        return ODP_FAIL;
    odp_buffer_add_char(&s->packed, (char)g->type);
    add_u32(&s->packed, g->npoints);
    add_coordinate(&s->packed, g->npoints > 0 ? g->xy[0] : 0);
    add_coordinate(&s->packed, g->npoints > 0 ? g->xy[1] : 0);
    odp_buffer_add(&s->packed, digest, sizeof digest);
    return ODP_OK;
}

/* "Polygon, 12 points"; "" for none. */
static struct odp_slice geometry_text(const char *geometry, char out[GEOMETRY_TEXT])
{
    uint32_t points;
    int64_t at[2];
    int n;
    if (geometry == NULL || (uint8_t)geometry[0] == NO_GEOMETRY)
        return ODP_LIT("");
    memcpy(&points, geometry + 1, sizeof points);
    memcpy(at, geometry + 5, sizeof at);
    const enum odp_geom_type type = (enum odp_geom_type)geometry[0];
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
    for (; n >= 0x80; n >>= 7)
        odp_buffer_add_char(out, (char)(0x80 | (n & 0x7F)));
    odp_buffer_add_char(out, (char)n);
    odp_buffer_add_slice(out, s);
}

/* REC into s->packed. */
static enum odp_status pack(struct comparison *c, struct side *s, const struct odp_reading_record *rec)
{
    static const char head[8] = {0};
    char geometry[GEOMETRY_SIZE];
    struct odp_buffer *out = &s->packed;
    odp_buffer_clear(out);
    odp_buffer_add(out, head, sizeof head);
    for (uint32_t k = 0; k < c->nparts; k++)
        add_part(out, rec->text[s->parts[k]], c->integer[k], c->number[k]);
    size_t key = out->len - sizeof head;
    s->whole = s->whole && (!s->has_geometry || rec->geometry_whole);
    if (s->has_geometry && add_geometry(s, rec->geometry) != ODP_OK)
        return ODP_FAIL;
    if (c->geometry && !c->job.keyed && odp_buffer_status(out) == ODP_OK) { /* it is part of the row */
        memcpy(geometry, out->ptr + out->len - GEOMETRY_SIZE, GEOMETRY_SIZE);
        odp_buffer_add(out, geometry, GEOMETRY_SIZE);
        key += GEOMETRY_SIZE;
    }
    for (uint32_t k = 0; k < s->nfields; k++)
        add_field(out, rec->text[k]);
    if (odp_buffer_status(out) != ODP_OK)
        return ODP_FAIL;
    if (out->len > UINT32_MAX / 2)
        return odp_failure_set("compare", "a record of 2 GiB", 0);
    const uint32_t sizes[2] = {(uint32_t)(out->len - 4), (uint32_t)key};
    memcpy(out->ptr, sizes, sizeof sizes);
    return ODP_OK;
}

static void unpack(struct side *s, const char *record)
{
    s->key = record_key(record);
    const uint8_t *at = (const uint8_t *)s->key.ptr + s->key.len;
    s->geometry = s->has_geometry ? (const char *)at : NULL;
    at += s->has_geometry ? GEOMETRY_SIZE : 0;
    for (uint32_t k = 0; k < s->nfields; k++) {
        size_t len = 0;
        unsigned shift = 0;
        for (; *at >= 0x80; shift += 7)
            len |= (size_t)(*at++ & 0x7F) << shift;
        len |= (size_t)*at++ << shift;
        s->text[k] = len > 0 ? (struct odp_slice){(const char *)at, len - 1} : (struct odp_slice){NULL, 0};
        at += s->text[k].len;
    }
}

/* ---- one side ---- */

static void side_init(struct comparison *c, struct side *s, const struct odp_changes_side *side)
{
    s->side = side;
    s->nfields = side->layout->n;
    s->has_geometry = side->layout->has_geometry;
    s->whole = true;
    s->text = odp_arena_zero(&c->arena, (size_t)s->nfields + 1, sizeof *s->text);
}

static enum odp_status side_read(struct comparison *c, struct side *s)
{
    struct odp_reading_record rec;
    const size_t memory = c->options->memory > 0 ? c->options->memory : ODP_CHANGES_MEMORY;
    enum odp_status status = odp_digest_new(&s->digest);
    if (status == ODP_OK)
        status = sorter_new(&s->sorter, c->options->scratch, memory / 2);
    while (status == ODP_OK && (status = odp_reading_next(s->side->reading, &rec)) == ODP_OK) {
        s->rows++;
        status = pack(c, s, &rec);
        if (status == ODP_OK)
            status = sorter_add(s->sorter, odp_buffer_slice(&s->packed));
    }
    return status == ODP_DONE ? sorter_end(s->sorter) : status;
}

static enum odp_status side_next(struct side *s)
{
    const char *record = NULL;
    enum odp_status status = sorter_next(s->sorter, &record);
    s->ended = status == ODP_DONE;
    if (status == ODP_OK)
        unpack(s, record);
    return status == ODP_DONE ? ODP_OK : status;
}

static void side_release(struct side *s)
{
    sorter_free(s->sorter);
    odp_digest_free(s->digest);
    odp_buffer_release(&s->points);
    odp_buffer_release(&s->packed);
}

/* ---- side by side ---- */

static enum odp_status report(struct comparison *c, const struct odp_change *change)
{
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < c->nsinks && status == ODP_OK && !c->options->counts_only; i++)
        status = c->sinks[i].row(c->sinks[i].ctx, change);
    return status;
}

static enum odp_status take_one(struct comparison *c, enum odp_change_op op)
{
    char text[GEOMETRY_TEXT];
    const bool added = op == ODP_CHANGE_ADDED;
    struct side *s = added ? &c->to : &c->from;
    struct odp_change change = {.op = op};
    *(added ? &change.after : &change.before) = s->text;
    *(added ? &change.geometry_after : &change.geometry_before) = geometry_text(s->geometry, text);
    *(added ? &c->counts->added : &c->counts->removed) += 1;
    enum odp_status status = report(c, &change);
    return status == ODP_OK ? side_next(s) : status;
}

static uint32_t find_cells(struct comparison *c)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < c->to.nfields; k++) {
        const int was = c->job.schema->old_of[k];
        if (was < 0)
            continue;
        const struct odp_slice before = c->from.text[was], after = c->to.text[k];
        if ((before.ptr == NULL) != (after.ptr == NULL) || !odp_slice_eq(before, after))
            c->cells[n++] = k;
    }
    return n;
}

/* Rows with the same key; without a key they are the same row. */
static enum odp_status take_pair(struct comparison *c)
{
    char before[GEOMETRY_TEXT], after[GEOMETRY_TEXT];
    enum odp_status status = ODP_OK;
    struct odp_change change = {
        .op = ODP_CHANGE_CHANGED, .cells = c->cells, .ncells = c->job.keyed ? find_cells(c) : 0};
    change.geometry_changed = c->job.keyed && c->geometry && c->counts->geometry_compared &&
                              memcmp(c->from.geometry, c->to.geometry, GEOMETRY_SIZE) != 0;
    if (change.ncells > 0 || change.geometry_changed) {
        c->counts->changed++;
        c->counts->cells += change.ncells;
        c->counts->geometry += change.geometry_changed;
        change.before = c->from.text;
        change.after = c->to.text;
        change.geometry_before = geometry_text(c->from.geometry, before);
        change.geometry_after = geometry_text(c->to.geometry, after);
        status = report(c, &change);
    }
    if (status == ODP_OK)
        status = side_next(&c->from);
    return status == ODP_OK ? side_next(&c->to) : status;
}

/* A geometry that was not carried whole by both sides is left out of the key; the order stays. */
static struct odp_slice key_of(const struct comparison *c, const struct side *s)
{
    struct odp_slice key = s->key;
    if (c->geometry && !c->job.keyed && !c->counts->geometry_compared)
        key.len -= GEOMETRY_SIZE;
    return key;
}

static enum odp_status join(struct comparison *c)
{
    enum odp_status status = side_next(&c->from);
    if (status == ODP_OK)
        status = side_next(&c->to);
    while (status == ODP_OK && !(c->from.ended && c->to.ended)) {
        int order = c->from.ended ? 1 : -1;
        if (!c->from.ended && !c->to.ended)
            order = odp_slice_cmp(key_of(c, &c->from), key_of(c, &c->to));
        if (order == 0)
            status = take_pair(c);
        else
            status = take_one(c, order < 0 ? ODP_CHANGE_REMOVED : ODP_CHANGE_ADDED);
    }
    return status;
}

enum odp_status odp_changes_run(const struct odp_changes_job *job, const struct odp_changes_options *o,
                                const struct odp_changes_sink *sinks, size_t nsinks,
                                struct odp_changes_counts *counts)
{
    struct comparison c = {.job = *job, .options = o, .sinks = sinks, .nsinks = nsinks, .counts = counts};
    *counts = (struct odp_changes_counts){0};
    c.job.keyed = job->keyed && job->schema->comparable;
    side_init(&c, &c.from, job->from);
    side_init(&c, &c.to, job->to);
    c.geometry = c.from.has_geometry && c.to.has_geometry;
    c.cells = odp_arena_array(&c.arena, (size_t)c.to.nfields + 1, sizeof *c.cells);
    choose_parts(&c);
    enum odp_status status = side_read(&c, &c.from);
    if (status == ODP_OK)
        status = side_read(&c, &c.to);
    counts->from_rows = c.from.rows;
    counts->to_rows = c.to.rows;
    counts->geometry_compared = !c.geometry || (c.from.whole && c.to.whole);
    for (size_t i = 0; i < nsinks && status == ODP_OK; i++)
        status = sinks[i].begin(sinks[i].ctx, &c.job);
    if (status == ODP_OK)
        status = join(&c);
    for (size_t i = 0; i < nsinks && status == ODP_OK; i++)
        status = sinks[i].end(sinks[i].ctx, counts);
    side_release(&c.from);
    side_release(&c.to);
    odp_arena_release(&c.arena);
    return status;
}
