/* Records between threads: packed where the batch is, unpacked where the file is written. What can be made of a record on any thread is made here: its row of
 * `data` as SQLite has it, its cells. The bytes never leave the process, so numbers are in the machine's own order. A block:
 *
 *   u32 how many records · struct writer_note of each field's column · the records
 *
 * A record: struct head · its cells · the serial types of its values · their bytes
 *   with a geometry in the resource: u8 (0: none, else 1 + type) · u8 has a box · i32 box[4] · u32 n, shape · u32 n, simple
 * (NONE: none) */
#include <errno.h>
#include <stdlib.h>

#include "base/json.h"
#include "catalog/index/shape.h"
#include "write/index/index_internal.h"

#define NONE UINT32_MAX

struct head {
    uint32_t size; /* bytes of the record, with this */
    uint32_t cells, types, bytes; /* of each */
    int64_t id;
};

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

enum writer_form writer_form_of(enum odp_type type)
{
    static const enum writer_form forms[ODP_STORAGES] = {
        [ODP_STORAGE_WHOLE] = WRITER_WHOLE, [ODP_STORAGE_DECIMAL] = WRITER_DECIMAL, [ODP_STORAGE_TRUTH] = WRITER_TRUTH,
        [ODP_STORAGE_INSTANT] = WRITER_INSTANT, [ODP_STORAGE_DATED] = WRITER_DATED};
    if (odp_field_type(type)->storage != ODP_STORAGE_TEXT)
        return forms[odp_field_type(type)->storage];
    return odp_type_repr(type) == ODP_REPR_STRING ? WRITER_STRING : WRITER_LITERAL;
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

/* What a batch needs while it is packed. */
struct packing {
    const struct odp_search_writer *w;
    const struct odp_batch *batch;
    struct odp_buffer *out;
    struct odp_buffer text;
    struct tree_row row;
    struct writer_note *notes;
    bool failed; /* a text could not be held */
};

static inline void add_long(struct tree_put *row, struct odp_slice text, struct writer_note *note)
{
    tree_put_blob(row, text);
    note->wide = true;
    note->scale = -1;
}

static inline void add_whole(struct tree_put *row, const struct odp_batch_numbers *known, struct odp_slice text, uint32_t i, struct writer_note *note)
{
    int64_t v;
    if (known != NULL && known->number != NULL && known->scale[i] == 0)
        tree_put_int(row, known->number[i]);
    else if (to_integer(text, &v))
        tree_put_int(row, v);
    else
        add_long(row, text, note);
}

static void add_decimal(struct tree_put *row, struct odp_slice text, struct writer_note *note)
{
    double v;
    int scale;
    if (!odp_search_real(text, &v, &scale)) {
        add_long(row, text, note);
        return;
    }
    tree_put_real(row, v);
    if (scale > WRITER_SCALE_MAX)
        note->scale = -1;
    else if (note->scale >= 0 && scale > note->scale)
        note->scale = scale;
}

/* The value of column K, which is there. */
static inline void add_value(const struct packing *p, struct tree_put *row, uint32_t k, uint32_t i)
{
    const struct writer_column *c = &p->w->columns[k];
    struct odp_slice text = p->batch->columns[c->field].text[i];
    struct writer_note *note = &p->notes[k];
    char buf[ODP_DATETIME_SIZE];
    note->value = true;
    switch (c->form) {
    case WRITER_WHOLE:
        add_whole(row, p->batch->numbers != NULL ? &p->batch->numbers[c->field] : NULL, text, i, note);
        return;
    case WRITER_DECIMAL:
        add_decimal(row, text, note);
        return;
    case WRITER_TRUTH:
        tree_put_int(row, odp_slice_is(text, "true"));
        return;
    case WRITER_INSTANT:
        tree_put_text(row, (struct odp_slice){buf, odp_search_instant(text, buf)});
        return;
    case WRITER_STRING:
        note->word = note->word || (c->words && !is_code(text));
        break;
    case WRITER_LITERAL:
    case WRITER_DATED:
        break;
    }
    tree_put_text(row, text);
}

/* The record's values in p->row; their texts have LEN bytes. */
static void add_values(struct packing *p, uint32_t i, size_t len)
{
    struct tree_put row;
    tree_row_begin(&p->row);
    if (!tree_put_begin(&row, &p->row, p->w->info.nfields, len)) {
        p->failed = true;
        return;
    }
    for (uint32_t k = 0; k < p->w->info.nfields; k++) {
        if (p->batch->columns[p->w->columns[k].field].state[i] == ODP_VALUE_OK) {
            add_value(p, &row, k, i);
        } else {
            tree_put_null(&row);
            p->notes[k].null = true;
        }
    }
    tree_put_end(&row, &p->row);
}

static inline bool is_quoted(enum writer_form form)
{
    return form >= WRITER_INSTANT;
}

/* The cells of record I at W as they are (cells.h); NULL: something in them may have to be escaped. */
static char *put_cells(const struct packing *p, char *w, uint32_t i)
{
    odp_bytes16 seen = {0};
    for (const struct writer_column *c = p->w->columns, *end = c + p->w->info.nfields; c < end; c++) {
        const struct odp_column *column = &p->batch->columns[c->field];
        bool there = column->state[i] == ODP_VALUE_OK, quoted = there && is_quoted(c->form);
        struct odp_slice text = there ? column->text[i] : (struct odp_slice){NULL, 0};
        w = odp_cells_put_length(w, text.len + 2 * (size_t)quoted);
        *w = '"';
        w += quoted;
        w = c->form == WRITER_STRING ? odp_put_seen(w, text, &seen, odp_look_json) : odp_put(w, text);
        *w = '"';
        w += quoted;
    }
    return odp_any16(seen) ? NULL : w;
}

/* The same where something is escaped: cell by cell. */
static void add_cells(struct packing *p, uint32_t i)
{
    for (uint32_t k = 0; k < p->w->info.nfields; k++) {
        const struct writer_column *c = &p->w->columns[k];
        const struct odp_column *column = &p->batch->columns[c->field];
        if (column->state[i] != ODP_VALUE_OK) {
            odp_cells_add(p->out, (struct odp_slice){NULL, 0});
        } else if (!is_quoted(c->form)) {
            odp_cells_add(p->out, column->text[i]);
        } else {
            odp_buffer_next(&p->text, &p->failed);
            odp_json_add_string(&p->text, column->text[i]);
            odp_cells_add(p->out, odp_buffer_slice(&p->text));
        }
    }
}

static void add_fields(struct packing *p, uint32_t i, struct head *head)
{
    enum { ROOM = ODP_CELLS_ROOM > ODP_DATETIME_SIZE ? ODP_CELLS_ROOM : ODP_DATETIME_SIZE };
    size_t need = 0, start = p->out->len;
    for (uint32_t k = 0; k < p->w->info.nfields; k++)
        need += p->batch->columns[p->w->columns[k].field].text[i].len + ROOM;
    char *w = odp_buffer_reserve(p->out, need);
    if (w == NULL)
        return;
    w = put_cells(p, w, i);
    if (w != NULL)
        p->out->len = (size_t)(w - p->out->ptr);
    else
        add_cells(p, i);
    add_values(p, i, need);
    head->cells = (uint32_t)(p->out->len - start);
    head->types = (uint32_t)p->row.types.len;
    head->bytes = (uint32_t)tree_row_values(&p->row).len;
    odp_buffer_add_slice(p->out, odp_buffer_slice(&p->row.types));
    odp_buffer_add_slice(p->out, tree_row_values(&p->row));
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
    struct head head = {.id = (int64_t)p->batch->records[i].row};
    odp_buffer_add(p->out, &head, sizeof head);
    add_fields(p, i, &head);
    if (p->w->info.has_geometry)
        add_geometry(p, p->batch->geometry != NULL ? p->batch->geometry[i] : NULL);
    if (p->out->failed)
        return;
    if (p->out->len - start >= NONE) {
        p->out->failed = true;
        return;
    }
    head.size = (uint32_t)(p->out->len - start);
    memcpy(p->out->ptr + start, &head, sizeof head);
}

static void pack_block(struct packing *p)
{
    size_t start = p->out->len, size = p->w->info.nfields * sizeof *p->notes;
    uint32_t n = 0;
    odp_buffer_add(p->out, &n, sizeof n);
    odp_buffer_add(p->out, p->notes, size);
    for (uint32_t i = 0; i < p->batch->nrecords; i++) {
        if (p->batch->record_bad[i])
            continue;
        pack_record(p, i);
        n++;
    }
    if (p->out->failed)
        return;
    memcpy(p->out->ptr + start, &n, sizeof n);
    if (size > 0)
        memcpy(p->out->ptr + start + sizeof n, p->notes, size);
}

enum odp_status odp_search_writer_pack(const struct odp_search_writer *w, const struct odp_batch *b, struct odp_buffer *out)
{
    struct packing p = {.w = w, .batch = b, .out = out};
    p.notes = calloc((size_t)w->info.nfields + 1, sizeof *p.notes);
    if (p.notes == NULL)
        return odp_failure_set("write query index", w->job.path, ENOMEM);
    odp_buffer_init(&p.text);
    tree_row_init(&p.row);
    pack_block(&p);
    if (p.failed || p.text.failed)
        out->failed = true;
    odp_buffer_release(&p.text);
    tree_row_release(&p.row);
    free(p.notes);
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

bool writer_unpack_notes(const struct odp_search_writer *w, const char **at, const char *end, struct writer_note *notes, uint32_t *n)
{
    return take(at, end, n, sizeof *n) && take(at, end, notes, w->info.nfields * sizeof *notes);
}

static bool take_values(const struct odp_search_writer *w, struct writer_record *out)
{
    struct odp_slice types = out->types, bytes = out->bytes;
    for (uint32_t k = 0; k < w->info.nfields; k++) {
        static const enum writer_tag tags[] = {[TREE_NULL] = WRITER_NULL, [TREE_INT] = WRITER_INT, [TREE_REAL] = WRITER_REAL,
                                               [TREE_TEXT] = WRITER_TEXT, [TREE_BLOB] = WRITER_BLOB};
        struct tree_value v = {0};
        if (!tree_take(&types, &bytes, &v))
            return false;
        out->values[k] = (struct writer_value){.tag = tags[v.kind], .i = v.i, .r = v.r, .text = v.bytes};
        if (v.kind == TREE_INT && w->columns[k].form == WRITER_DECIMAL) {
            out->values[k].tag = WRITER_REAL;
            out->values[k].r = (double)v.i;
        }
    }
    return types.len == 0 && bytes.len == 0;
}

bool writer_unpack(const struct odp_search_writer *w, const char **at, const char *end, struct writer_record *out)
{
    struct head head;
    const char *start = *at;
    out->has_geometry = false;
    if (!take(at, end, &head, sizeof head) || head.size > (size_t)(end - start))
        return false;
    end = start + head.size;
    if ((uint64_t)head.cells + head.types + head.bytes > (size_t)(end - *at))
        return false;
    out->id = head.id;
    out->cells = (struct odp_slice){*at, head.cells};
    out->types = (struct odp_slice){*at + head.cells, head.types};
    out->bytes = (struct odp_slice){*at + head.cells + head.types, head.bytes};
    *at += (size_t)head.cells + head.types + head.bytes;
    return take_values(w, out) && (!w->info.has_geometry || take_geometry(at, end, out)) && *at == end;
}
