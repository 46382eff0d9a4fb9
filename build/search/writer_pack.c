/* Records between threads: packed where the batch is, unpacked where the file is written. The bytes never leave the process, so
 * numbers are in the machine's own order. A record:
 *
 *   u32 bytes that follow · i64 its number · for each field's column a value · u32 n, its cells
 *   with a geometry in the resource: u8 (0: none, else 1 + type) · u8 has a box · i32 box[4] · u32 n, shape · u32 n, simple
 * (NONE: none)
 *
 * A value is its tag, then INT: i64; REAL: double, i32 decimals; TEXT, CODE, BLOB: u32 n and n bytes. */
#include <limits.h>

#include "base/json.h"
#include "search/shape.h"
#include "writer_parts.h"

#define NONE UINT32_MAX

/* ---- values ----------------------------------------------------------------------------------------------------------------
 */

/* Digits as a number of 64 bits; false: it is none, or too large. */
static bool to_integer(struct odp_slice s, int64_t *out)
{
    const char *p = s.ptr, *end = s.len > 0 ? s.ptr + s.len : s.ptr;
    bool negative = p < end && *p == '-';
    int64_t value = 0;
    p += negative;
    if (p == end)
        return false;
    for (; p < end; p++) {
        if (*p < '0' || *p > '9' || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_sub_overflow(value, *p - '0', &value))
            return false; /* kept negative: there is one more of those */
    }
    if (!negative && value == INT64_MIN)
        return false;
    *out = negative ? value : -value;
    return true;
}

/* Whether S looks like a code: digits in it, and no white space. */
static bool is_code(struct odp_slice s)
{
    bool digit = false;
    for (size_t i = 0; i < s.len; i++) {
        digit = digit || (s.ptr[i] >= '0' && s.ptr[i] <= '9');
        if (s.ptr[i] == ' ' || (s.ptr[i] >= '\t' && s.ptr[i] <= '\r'))
            return false;
    }
    return digit;
}

void writer_value_of(enum odp_type type, struct odp_slice canonical, char *buf, struct writer_value *out)
{
    *out = (struct writer_value){.tag = WRITER_BLOB, .text = canonical};
    switch (type) {
    case ODP_TYPE_INTEGER:
    case ODP_TYPE_YEAR:
        if (to_integer(canonical, &out->i))
            out->tag = WRITER_INT;
        return;
    case ODP_TYPE_NUMBER:
        if (odp_search_real(canonical, &out->r, &out->scale))
            out->tag = WRITER_REAL;
        return;
    case ODP_TYPE_BOOLEAN:
        out->tag = WRITER_INT;
        out->i = odp_slice_is(canonical, "true");
        return;
    case ODP_TYPE_DATETIME:
        out->tag = WRITER_TEXT;
        out->text = (struct odp_slice){buf, odp_search_instant(canonical, buf)};
        return;
    default:
        out->tag = is_code(canonical) ? WRITER_CODE : WRITER_TEXT;
        return;
    }
}

/* ---- packing ---------------------------------------------------------------------------------------------------------------
 */

static void add_bytes(struct odp_buffer *out, struct odp_slice s)
{
    uint32_t len = (uint32_t)s.len;
    if (s.len >= NONE) {
        out->failed = true;
        return;
    }
    odp_buffer_add(out, &len, sizeof len);
    if (len > 0)
        odp_buffer_add(out, s.ptr, len);
}

static void add_value(struct odp_buffer *out, const struct writer_value *v)
{
    int32_t scale = v->scale;
    odp_buffer_add_char(out, (char)v->tag);
    switch (v->tag) {
    case WRITER_INT:
        odp_buffer_add(out, &v->i, sizeof v->i);
        break;
    case WRITER_REAL:
        odp_buffer_add(out, &v->r, sizeof v->r);
        odp_buffer_add(out, &scale, sizeof scale);
        break;
    case WRITER_TEXT:
    case WRITER_CODE:
    case WRITER_BLOB:
        add_bytes(out, v->text);
        break;
    case WRITER_NULL:
        break;
    }
}

/* What a batch needs while it is packed. */
struct packing {
    const struct odp_search_writer *w;
    const struct odp_batch *batch;
    struct odp_buffer *out;
    struct odp_buffer cells, text;
    bool failed; /* a text could not be held */
};

static void add_fields(struct packing *p, uint32_t i)
{
    const struct odp_schema *s = &p->w->job.resource->schema;
    odp_buffer_next(&p->cells, &p->failed);
    for (uint32_t k = 0; k < p->w->info.nfields; k++) {
        const struct odp_field *f = &s->fields[p->w->columns[k].field];
        const struct odp_column *column = &p->batch->columns[p->w->columns[k].field];
        struct odp_slice text = column->text[i];
        struct writer_value v = {.tag = WRITER_NULL};
        char buf[ODP_DATETIME_SIZE];
        if (column->state[i] != ODP_VALUE_OK) {
            odp_cells_add(&p->cells, (struct odp_slice){NULL, 0});
        } else if (odp_type_repr(f->type) != ODP_REPR_STRING) {
            odp_cells_add(&p->cells, text);
            writer_value_of(f->type, text, buf, &v);
        } else {
            odp_buffer_next(&p->text, &p->failed);
            odp_json_add_string(&p->text, text);
            odp_cells_add(&p->cells, odp_buffer_slice(&p->text));
            writer_value_of(f->type, text, buf, &v);
        }
        add_value(p->out, &v);
    }
    add_bytes(p->out, odp_buffer_slice(&p->cells));
}

static void add_geometry(struct packing *p, const struct odp_geom *g)
{
    if (g == NULL) {
        odp_buffer_add_char(p->out, '\0');
        return;
    }
    int32_t box[4] = {0};
    odp_buffer_next(&p->text, &p->failed);
    odp_shape_add(&p->text, g);
    bool has_box = !p->text.failed && odp_shape_box(odp_buffer_slice(&p->text), box);
    odp_buffer_add_char(p->out, (char)(1 + g->type));
    odp_buffer_add_char(p->out, has_box);
    odp_buffer_add(p->out, box, sizeof box);
    add_bytes(p->out, odp_buffer_slice(&p->text));
    if (p->w->info.mode != ODP_GEOMETRY_SIMPLIFIED || p->w->job.simplify == NULL) {
        const uint32_t none = NONE;
        odp_buffer_add(p->out, &none, sizeof none);
        return;
    }
    odp_buffer_next(&p->text, &p->failed);
    p->w->job.simplify(&p->text, g);
    add_bytes(p->out, odp_buffer_slice(&p->text));
}

static void pack_record(struct packing *p, uint32_t i)
{
    size_t start = p->out->len;
    int64_t id = (int64_t)p->batch->records[i].row;
    uint32_t size = 0;
    odp_buffer_add(p->out, &size, sizeof size);
    odp_buffer_add(p->out, &id, sizeof id);
    add_fields(p, i);
    if (p->w->info.has_geometry)
        add_geometry(p, p->batch->geometry != NULL ? p->batch->geometry[i] : NULL);
    if (p->out->failed)
        return;
    size_t len = p->out->len - start - sizeof size;
    if (len >= NONE)
        p->out->failed = true;
    size = (uint32_t)len;
    memcpy(p->out->ptr + start, &size, sizeof size);
}

enum odp_status odp_search_writer_pack(const struct odp_search_writer *w, const struct odp_batch *b, struct odp_buffer *out)
{
    struct packing p = {.w = w, .batch = b, .out = out};
    odp_buffer_init(&p.cells);
    odp_buffer_init(&p.text);
    for (uint32_t i = 0; i < b->nrecords; i++)
        if (!b->record_bad[i])
            pack_record(&p, i);
    if (p.failed || p.cells.failed || p.text.failed)
        out->failed = true;
    odp_buffer_release(&p.cells);
    odp_buffer_release(&p.text);
    return odp_buffer_status(out);
}

/* ---- unpacking -------------------------------------------------------------------------------------------------------------
 */

static bool take(const char **at, const char *end, void *out, size_t n)
{
    if ((size_t)(end - *at) < n)
        return false;
    memcpy(out, *at, n);
    *at += n;
    return true;
}

/* Bytes with their length; NONE: ptr is NULL. */
static bool take_bytes(const char **at, const char *end, struct odp_slice *out)
{
    uint32_t len;
    *out = (struct odp_slice){NULL, 0};
    if (!take(at, end, &len, sizeof len))
        return false;
    if (len == NONE)
        return true;
    if (len > (size_t)(end - *at))
        return false;
    *out = (struct odp_slice){*at, len};
    *at += len;
    return true;
}

static bool take_value(const char **at, const char *end, struct writer_value *v)
{
    unsigned char tag;
    int32_t scale = 0;
    *v = (struct writer_value){.tag = WRITER_NULL};
    if (!take(at, end, &tag, 1) || tag > WRITER_BLOB)
        return false;
    v->tag = (enum writer_tag)tag;
    switch (v->tag) {
    case WRITER_INT:
        return take(at, end, &v->i, sizeof v->i);
    case WRITER_REAL:
        if (!take(at, end, &v->r, sizeof v->r) || !take(at, end, &scale, sizeof scale))
            return false;
        v->scale = scale;
        return true;
    case WRITER_TEXT:
    case WRITER_CODE:
    case WRITER_BLOB:
        return take_bytes(at, end, &v->text) && v->text.ptr != NULL;
    case WRITER_NULL:
        return true;
    }
    return false;
}

static bool take_geometry(const char **at, const char *end, struct writer_record *out)
{
    unsigned char type, has_box;
    out->has_geometry = false;
    if (!take(at, end, &type, 1) || type > 1 + ODP_GEOM_MULTIPOLYGON)
        return false;
    if (type == 0)
        return true;
    out->has_geometry = true;
    out->type = (enum odp_geom_type)(type - 1);
    if (!take(at, end, &has_box, 1) || !take(at, end, out->box, sizeof out->box))
        return false;
    out->has_box = has_box != 0;
    return take_bytes(at, end, &out->shape) && out->shape.ptr != NULL && take_bytes(at, end, &out->simple);
}

bool writer_unpack(const struct odp_search_writer *w, const char **at, const char *end, struct writer_record *out)
{
    uint32_t size;
    if (!take(at, end, &size, sizeof size) || size > (size_t)(end - *at))
        return false;
    end = *at + size;
    out->has_geometry = false;
    if (!take(at, end, &out->id, sizeof out->id))
        return false;
    for (uint32_t k = 0; k < w->info.nfields; k++)
        if (!take_value(at, end, &out->values[k]))
            return false;
    return take_bytes(at, end, &out->cells) && (!w->info.has_geometry || take_geometry(at, end, out)) && *at == end;
}
