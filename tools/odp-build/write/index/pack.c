/* Records between threads: packed on the batch's thread, unpacked on the file's thread. All work that any
 * thread can do is done here: values as the table of records has them, geometry. The bytes
 * never leave the process, so numbers are in the machine's own order. A record:
 *
 *   i64 its number · each public field: u8 tag, then INT: i64 · REAL: double, u8 scale · TEXT, BLOB: bytes
 *   after a non-null field whose published text SQL would lose: bytes of that text
 *   with a geometry in the resource: bytes of it (NONE: no geometry), then u8 type, u8 heights, label (two
 * doubles), bytes of the simplified one
 *
 * Bytes: u32 length (NONE: no bytes), then the bytes. */
#include "catalog/index/gpb.h"
#include "write/index/index_internal.h"

#define NONE UINT32_MAX

/* ---- values ---- */

/* Digits as a number of 64 bits; false: not a number, too large, or written otherwise than SQLite would
 * ("-0"). */
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
    if ((!negative && value == INT64_MIN) || (negative && value == 0))
        return false;
    *out = negative ? value : -value;
    return true;
}

static struct writer_value value_of(enum odp_type type, struct odp_slice text,
                                    char instant[ODP_DATETIME_SIZE])
{
    struct writer_value v = {.tag = WRITER_TEXT, .text = text};
    switch (odp_field_type(type)->storage) {
    case ODP_STORAGE_WHOLE:
        v.tag = to_integer(text, &v.i) ? WRITER_INT : WRITER_BLOB;
        break;
    case ODP_STORAGE_TRUTH:
        v.tag = WRITER_INT;
        v.i = odp_slice_is(text, "true");
        break;
    case ODP_STORAGE_DECIMAL:
        v.tag = odp_search_real(text, &v.r, &v.scale) ? WRITER_REAL : WRITER_BLOB;
        break;
    case ODP_STORAGE_INSTANT:
        v.text = (struct odp_slice){instant, odp_search_instant(text, instant)};
        break;
    default:
        break;
    }
    return v;
}

/* ---- packing ---- */

static void add_bytes(struct odp_buffer *out, struct odp_slice s)
{
    uint32_t len = s.ptr != NULL ? (uint32_t)s.len : NONE;
    if (s.len >= NONE) {
        out->failed = true;
        return;
    }
    odp_buffer_add(out, &len, sizeof len);
    if (s.ptr != NULL && len > 0)
        odp_buffer_add(out, s.ptr, len);
}

static void add_value(struct odp_buffer *out, const struct writer_value *v)
{
    uint8_t scale = v->scale <= WRITER_SCALE_MAX ? (uint8_t)v->scale : UINT8_MAX;
    odp_buffer_add_char(out, (char)v->tag);
    switch (v->tag) {
    case WRITER_NULL:
        return;
    case WRITER_INT:
        odp_buffer_add(out, &v->i, sizeof v->i);
        return;
    case WRITER_REAL:
        odp_buffer_add(out, &v->r, sizeof v->r);
        odp_buffer_add(out, &scale, sizeof scale);
        return;
    case WRITER_TEXT:
    case WRITER_BLOB:
        add_bytes(out, v->text);
        return;
    }
}

static void add_fields(const struct odp_search_writer *w, const struct odp_batch *b, uint32_t i,
                       struct odp_buffer *out)
{
    for (uint32_t k = 0; k < w->info.nfields; k++) {
        const struct odp_column *column = &b->columns[w->columns[k].field];
        enum odp_type type = w->columns[k].type;
        char instant[ODP_DATETIME_SIZE];
        bool there = column->state[i] == ODP_VALUE_OK;
        struct odp_slice text = there ? column->text[i] : (struct odp_slice){NULL, 0};
        struct writer_value v = {.tag = WRITER_NULL};
        if (there)
            v = value_of(type, text, instant);
        if (there && v.text.ptr == NULL)
            v.text = ODP_LIT("");
        add_value(out, &v);
        if (there && odp_search_is_exact(type))
            add_bytes(out, text);
    }
}

static void add_geometry(const struct odp_search_writer *w, const struct odp_geom *g, struct odp_buffer *made,
                         struct odp_buffer *out)
{
    const struct odp_slice none = {NULL, 0};
    if (g == NULL) {
        add_bytes(out, none);
        return;
    }
    odp_buffer_next(made, &out->failed);
    odp_gpb_add(made, g);
    add_bytes(out, odp_buffer_slice(made));
    odp_buffer_add_char(out, (char)g->type);
    odp_buffer_add_char(out, odp_geom_has_heights(g));
    odp_buffer_add(out, g->label, sizeof g->label);
    odp_buffer_next(made, &out->failed);
    bool simple = w->info.mode == ODP_GEOMETRY_SIMPLIFIED && w->job.simplify != NULL;
    if (simple)
        w->job.simplify(made, g);
    add_bytes(out, simple ? odp_buffer_slice(made) : none);
    out->failed = out->failed || made->failed;
}

enum odp_status odp_search_writer_pack(const struct odp_search_writer *w, const struct odp_batch *b,
                                       struct odp_buffer *out)
{
    struct odp_buffer made;
    odp_buffer_init(&made);
    for (uint32_t i = 0; i < b->nrecords; i++) {
        int64_t id = (int64_t)b->records[i].row;
        if (b->record_bad[i])
            continue;
        odp_buffer_add(out, &id, sizeof id);
        add_fields(w, b, i, out);
        if (w->info.has_geometry)
            add_geometry(w, b->geometry != NULL ? b->geometry[i] : NULL, &made, out);
    }
    odp_buffer_release(&made);
    return odp_buffer_status(out);
}

/* ---- unpacking ---- */

static bool take(const char **at, const char *end, void *out, size_t n)
{
    if ((size_t)(end - *at) < n)
        return false;
    memcpy(out, *at, n);
    *at += n;
    return true;
}

static bool take_bytes(const char **at, const char *end, struct odp_slice *out)
{
    uint32_t len;
    *out = (struct odp_slice){NULL, 0};
    if (!take(at, end, &len, sizeof len) || (len != NONE && len > (size_t)(end - *at)))
        return false;
    if (len == NONE)
        return true;
    *out = (struct odp_slice){*at, len};
    *at += len;
    return true;
}

static bool take_value(const char **at, const char *end, struct writer_value *v)
{
    uint8_t tag = 0, scale = 0;
    bool whole = take(at, end, &tag, 1);
    *v = (struct writer_value){.tag = (enum writer_tag)tag};
    switch (v->tag) {
    case WRITER_NULL:
        return whole;
    case WRITER_INT:
        return take(at, end, &v->i, sizeof v->i);
    case WRITER_REAL:
        whole = take(at, end, &v->r, sizeof v->r) && take(at, end, &scale, 1);
        v->scale = scale;
        return whole;
    case WRITER_TEXT:
    case WRITER_BLOB:
        return take_bytes(at, end, &v->text) && v->text.ptr != NULL;
    }
    return false;
}

static bool take_geometry(const char **at, const char *end, struct writer_record *out)
{
    uint8_t kind[2] = {0};
    bool whole = take_bytes(at, end, &out->shape);
    if (out->shape.ptr == NULL)
        return whole;
    whole = take(at, end, kind, sizeof kind) && take(at, end, out->label, sizeof out->label) &&
            take_bytes(at, end, &out->simple);
    out->type = (enum odp_geom_type)kind[0];
    out->heights = kind[1] != 0;
    return whole;
}

bool writer_unpack(const struct odp_search_writer *w, const char **at, const char *end,
                   struct writer_record *out)
{
    bool whole = take(at, end, &out->id, sizeof out->id);
    out->shape = out->simple = (struct odp_slice){NULL, 0};
    for (uint32_t k = 0; k < w->info.nfields && whole; k++) {
        struct writer_value *v = &out->values[k];
        whole = take_value(at, end, v);
        if (whole && v->tag != WRITER_NULL && odp_search_is_exact(w->columns[k].type))
            whole = take_bytes(at, end, &v->exact);
    }
    return whole && (!w->info.has_geometry || take_geometry(at, end, out));
}
