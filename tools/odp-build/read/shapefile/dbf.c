/* The attribute table (dBASE III). Cells are cut out of shapelib's record by our own checked layout; nothing
 * is converted through numbers: the text of a number is the number. */
#include <stdio.h>

#include "base/bytes.h"
#include "read/header.h"
#include "read/shapefile/reader.h"
#include "words/read.h"

static const struct odp_text short_header = {{W_read_header_bytes_file_has}};
static const struct odp_text no_columns = {{W_read_header_ends_at_byte_before}};
static const struct odp_text short_records = {{W_read_truncated_bytes_header_states}};
static const struct odp_text wide_fields = {{W_read_columns_take_bytes_but_every}};

static enum odp_status damaged(struct shape_source *s, const struct odp_text *message, uint64_t a1,
                               uint64_t a2)
{
    const char *name = s->parts[SHAPE_DBF].name;
    struct odp_diag d = {
        .code = ODP_G13,
        .file = name,
        .args = {odp_slice_of(name), odp_slice_of(shape_number(s, a1)), odp_slice_of(shape_number(s, a2))}};
    if (shape_mends(s) && message == &short_records && d.args[2].len > 0)
        d.action = ODP_ACTION_MEND_SHAPE;
    return shape_refuse(s, &d, message);
}

/* The field descriptors end with a 0x0D, or where the header ends. */
static enum odp_status read_fields(struct shape_source *s, struct shape_stream *st)
{
    struct shape_dbf *d = &s->dbf;
    const uint8_t *h = shape_at(st, 0, d->header);
    if (h == NULL)
        return ODP_FAIL;
    uint32_t n = 0, offset = 1;
    while (32 + 32 * (n + 1) <= d->header && h[32 + 32 * n] != 0x0D)
        n++;
    d->fields = odp_arena_zero(&s->arena, n > 0 ? n : 1, sizeof *d->fields);
    for (uint32_t i = 0; i < n; i++) {
        const uint8_t *f = h + 32 + 32 * i;
        struct shape_field *out = &d->fields[i];
        out->type = (char)f[11];
        out->offset = offset;
        out->width = f[16];
        offset += out->width;
    }
    d->nfields = n;
    return offset != d->width ? damaged(s, &wide_fields, offset, d->width) : ODP_OK;
}

enum odp_status shape_dbf_check(struct shape_source *s)
{
    struct shape_dbf *d = &s->dbf;
    struct shape_stream st = {.part = &s->parts[SHAPE_DBF]};
    uint64_t size = st.part->size;
    enum odp_status status;
    const uint8_t *h = shape_at(&st, 0, 32);
    if (h == NULL) {
        status = st.failed ? ODP_FAIL : damaged(s, &short_header, 32, size);
        goto done;
    }
    d->records = shape_le32(h + 4);
    d->header = shape_le16(h + 8);
    d->width = shape_le16(h + 10);
    d->driver = h[29];
    uint64_t need = d->header + (uint64_t)d->records * d->width;
    if (d->header < 32 || d->header > size)
        status = damaged(s, &short_header, d->header, size);
    else if (d->header ==
             32) /* without the list's end, 0x0D, which shapelib wants even where there are no columns */
        status = damaged(s, &no_columns, d->header, 0);
    else if (d->width == 0 && d->records > 0)
        status = damaged(s, &wide_fields, 1, 0);
    else if (need > size)
        status = damaged(s, &short_records, size, need);
    else if (d->records > INT32_MAX / 8)
        status = damaged(s, &short_records, size, need);
    else
        status = read_fields(s, &st);
    if (status == ODP_OK && size > need + 1) /* a 0x1A may end it */
        status = shape_warn(s, ODP_G24, st.part->name, st.part->name, shape_number(s, size - need));
done:
    shape_stream_release(&st);
    return status;
}

/* A resource may consist of geometries alone; then its columns, if it may have any, are not in the schema. */
static enum odp_status match_columns(struct shape_source *s, const char *name, const struct odp_header *h)
{
    const struct odp_resource *r = s->base.resource;
    struct odp_source_info *info = &s->base.info;
    enum odp_fields_match match = r->schema.match;
    info->ncolumns = h->n;
    info->labels = h->labels;
    if (r->schema.n > 0 || (h->n > 0 && match != ODP_MATCH_SUBSET && match != ODP_MATCH_PARTIAL))
        return odp_header_match(r, name, h, &s->arena, info, s->diags);
    info->column_of_field = odp_arena_zero(&s->arena, 1, sizeof *info->column_of_field);
    info->field_of_column = odp_arena_array(&s->arena, (size_t)h->n + 1, sizeof *info->field_of_column);
    for (uint32_t i = 0; i < h->n; i++)
        info->field_of_column[i] = -1;
    return ODP_OK;
}

/* The columns' names, decoded, matched with the schema; types that cannot be read are faults where the schema
 * wants them. */
enum odp_status shape_dbf_header(struct shape_source *s)
{
    const struct shape_dbf *d = &s->dbf;
    const char *name = s->parts[SHAPE_DBF].present ? s->parts[SHAPE_DBF].name : s->base.info.file;
    struct shape_stream st = {.part = &s->parts[SHAPE_DBF]};
    struct odp_header header = {.n = d->nfields, .cut_to = 10};
    header.labels = odp_arena_zero(&s->arena, d->nfields + 1, sizeof *header.labels);
    enum odp_status status = ODP_OK;
    for (uint32_t i = 0; i < d->nfields && status == ODP_OK; i++) {
        const uint8_t *f = shape_at(&st, 32 + 32 * (uint64_t)i, 32);
        size_t at = 0;
        if (f == NULL) {
            status = ODP_FAIL;
            break;
        }
        struct odp_slice raw =
            odp_slice_trim((struct odp_slice){(const char *)f, strnlen((const char *)f, 11)});
        status = shape_decode(s, &s->workers[0], &s->arena, odp_arena_copy(&s->arena, raw), &header.labels[i],
                              &at);
        if (status == ODP_BAD)
            status = shape_fault(s, ODP_E01, name, s->encoding);
    }
    shape_stream_release(&st);
    if (status == ODP_OK)
        status = match_columns(s, name, &header);
    for (uint32_t i = 0; i < d->nfields && status == ODP_OK; i++) {
        char type[8] = {d->fields[i].type, 0};
        if (s->base.info.field_of_column[i] < 0 || strchr("CNFDL", type[0]) != NULL)
            continue;
        if (type[0] < '!' || type[0] > '~')
            snprintf(type, sizeof type, "0x%02X", (unsigned char)d->fields[i].type);
        status =
            shape_fault(s, ODP_G25, name,
                        shape_arg(s, "%s (%.*s)", type, (int)header.labels[i].len, header.labels[i].ptr));
    }
    return status;
}

static bool all_are(struct odp_slice v, char c)
{
    for (size_t i = 0; i < v.len; i++)
        if (v.ptr[i] != c)
            return false;
    return true;
}

/* Without padding: spaces and NULs behind, for numbers spaces in front too. */
static struct odp_slice unpad(struct odp_slice v, bool front)
{
    while (v.len >= 8 && odp_bytes_load8(v.ptr + v.len - 8) == ' ' * ODP_BYTES_ONES) /* most of a table */
        v.len -= 8;
    while (v.len > 0 && (v.ptr[v.len - 1] == ' ' || v.ptr[v.len - 1] == '\0'))
        v.len--;
    while (front && v.len > 0 && (*v.ptr == ' ' || *v.ptr == '\0'))
        v.ptr++, v.len--;
    return v;
}

static bool cell_date(struct odp_arena *a, struct odp_slice v, struct odp_slice *out)
{
    if (v.len != 8 || !odp_bytes_are_digits(odp_bytes_values(odp_bytes_load8(v.ptr)))) {
        *out = v;
        return true;
    }
    char text[10] = {v.ptr[0], v.ptr[1], v.ptr[2], v.ptr[3], '-',
                     v.ptr[4], v.ptr[5], '-',      v.ptr[6], v.ptr[7]};
    *out = odp_arena_copy(a, (struct odp_slice){text, sizeof text});
    return out->ptr != NULL;
}

/* N, F, D, L: *OUT is the text, or an empty slice for null. False: out of memory. */
static bool cell_native(struct odp_arena *a, char type, struct odp_slice v, struct odp_slice *out)
{
    *out = (struct odp_slice){0};
    v = unpad(v, true);
    if (v.len == 0 || all_are(v, '*'))
        return true;
    if (type == 'D')
        return all_are(v, '0') ? true : cell_date(a, v, out);
    if (type == 'L') {
        if (v.len == 1 && *v.ptr == '?')
            return true;
        if (v.len == 1 && strchr("TtYy", *v.ptr) != NULL)
            v = ODP_LIT("true");
        else if (v.len == 1 && strchr("FfNn", *v.ptr) != NULL)
            v = ODP_LIT("false");
    }
    *out = v;
    return true;
}

/* A byte that is not text: one diagnostic, and the record is set aside so that nothing is concluded from it.
 */
static void undecodable(const struct shape_source *s, struct odp_batch *b, uint32_t i, uint32_t column,
                        char type, uint8_t byte)
{
    struct odp_diag d = {0};
    char hex[8];
    snprintf(hex, sizeof hex, "0x%02X", byte);
    odp_batch_diag(b, (struct odp_batch_place){i, s->base.info.field_of_column[column], (int)column},
                   s->parts[SHAPE_DBF].name, false, &d);
    d.code = byte == 0 ? ODP_E04 : ODP_E01;
    d.args[0] = odp_slice_of(type == 'C' ? s->encoding : "ASCII");
    d.args[1] = odp_slice_of(hex);
    b->records[i].flags |= ODP_RECORD_SKIP;
    odp_diags_add(b->diags, &d);
}

/* W is NULL where the record is plain, as most are. */
static enum odp_status one_cell(const struct shape_source *s, struct shape_worker *w, struct odp_batch *b,
                                uint32_t i, uint32_t column, struct odp_slice raw)
{
    char type = s->dbf.fields[column].type;
    struct odp_slice text = unpad(raw, false);
    size_t bad_at = 0;
    enum odp_status st = ODP_OK;
    bool native = type != 'C';
    if (native && !cell_native(&b->arena, type, raw, &text))
        return ODP_FAIL;
    struct odp_slice undecoded = text;
    const char *nul = w != NULL && text.len > 0 ? memchr(text.ptr, 0, text.len) : NULL;
    if (nul != NULL) {
        st = ODP_BAD;
        bad_at = (size_t)(nul - undecoded.ptr);
        text.len = 0;
    } else if (w != NULL) {
        st = shape_decode(s, w, &b->arena, undecoded, &text, &bad_at);
    }
    if (st == ODP_FAIL)
        return ODP_FAIL;
    b->cells[b->records[i].first + column] =
        (struct odp_cell){.ptr = text.len > 0 ? text.ptr : "",
                          .len = (uint32_t)text.len,
                          .flags = (native ? ODP_CELL_NATIVE : 0) | (text.len == 0 ? ODP_CELL_NULL : 0)};
    if (st == ODP_BAD && s->base.info.field_of_column[column] >= 0)
        undecodable(s, b, i, column, type, (uint8_t)undecoded.ptr[bad_at]);
    return ODP_OK;
}

enum odp_status shape_dbf_cells(const struct shape_source *s, struct shape_worker *w, struct odp_batch *b,
                                uint32_t i)
{
    uint32_t n = s->dbf.nfields;
    struct odp_record *r = &b->records[i];
    r->first = b->ncells;
    r->count = n;
    if (n == 0)
        return ODP_OK;
    if (odp_batch_add_cells(b, n) == NULL)
        return ODP_FAIL;
    struct odp_slice record = {b->text.ptr + (size_t)i * s->dbf.width, s->dbf.width};
    if (shape_is_plain(record))
        w = NULL;
    for (uint32_t k = 0; k < n; k++) {
        const struct shape_field *f = &s->dbf.fields[k];
        enum odp_status st = one_cell(s, w, b, i, k, (struct odp_slice){record.ptr + f->offset, f->width});
        if (st != ODP_OK)
            return st;
    }
    return ODP_OK;
}
