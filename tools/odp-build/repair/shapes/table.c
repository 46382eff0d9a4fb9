/* The .dbf of a shapefile that is mended: rows that it lost are there again, blank, and its header counts
 * what it has. Where there is none, a table of the schema's fields, all blank: what belongs into them
 * nobody can know but the steward, who fills it in the correction workbook or in QGIS. */
#include "base/file.h"
#include "base/utf8.h"
#include "repair/shapes/mend_internal.h"

enum { FIELD = 32, NAME = 10 };

enum odp_status mend_count_rows(struct mend *m, uint32_t *rows)
{
    struct shape_stream st = {.part = &m->source.parts[SHAPE_DBF]};
    struct shape_dbf *d = &m->source.dbf;
    *rows = UINT32_MAX;
    if (!st.part->present || m->table)
        return ODP_OK;
    const uint8_t *h = shape_at(&st, 0, 32);
    if (h != NULL) {
        d->records = shape_le32(h + 4);
        d->header = shape_le16(h + 8);
        d->width = shape_le16(h + 10);
    }
    uint64_t size = st.part->size, need = d->header + (uint64_t)d->records * d->width;
    bool usable = h != NULL && d->header >= 32 && d->header <= size && d->width > 0;
    shape_stream_release(&st);
    if (!usable)
        return st.failed ? ODP_FAIL : ODP_BAD;
    *rows = d->records;
    /* More whole rows than it states, and nothing else behind them: the count is old. */
    uint64_t have = (size - d->header) / d->width, left = (size - d->header) % d->width;
    if (need < size && left <= 1 && have > *rows && have < INT32_MAX / 8)
        *rows = (uint32_t)have;
    return ODP_OK;
}

bool mend_table_differs(const struct mend *m, uint32_t rows)
{
    const struct shape_dbf *d = &m->source.dbf;
    uint64_t need = d->header + (uint64_t)d->records * d->width;
    return m->table || (rows != UINT32_MAX && (d->records != m->n || need > m->source.parts[SHAPE_DBF].size));
}

static void put16(uint8_t *p, uint32_t v)
{
    p[0] = (uint8_t)v, p[1] = (uint8_t)(v >> 8);
}

static void put32(uint8_t *p, uint32_t v)
{
    put16(p, v);
    put16(p + 2, v >> 16);
}

/* The old header with COUNT, the old rows, blanks for those that are missing. */
static enum odp_status copy_table(struct mend *m, struct odp_file *f)
{
    struct shape_stream st = {.part = &m->source.parts[SHAPE_DBF]};
    const struct shape_dbf *d = &m->source.dbf;
    uint64_t end = d->header + (uint64_t)m->n * d->width, at = 0;
    enum odp_status status = ODP_OK;
    uint8_t blank[4096];
    memset(blank, ' ', sizeof blank);
    while (at < end && status == ODP_OK) {
        uint64_t left = at < st.part->size ? st.part->size - at : 0;
        size_t n = (size_t)(end - at < sizeof blank ? end - at : sizeof blank);
        if (left > 0 && n > left)
            n = (size_t)left;
        const uint8_t *p = left > 0 ? shape_at(&st, at, n) : blank;
        uint8_t head[4096];
        if (p == NULL) {
            status = ODP_FAIL;
        } else {
            memcpy(head, p, n);
            if (at == 0 && n >= 8)
                put32(head + 4, m->n);
            status = odp_file_write(f, head, n);
        }
        at += n;
    }
    shape_stream_release(&st);
    return status == ODP_OK ? odp_file_write(f, "\x1A", 1) : status;
}

/* ---- a new one ---- */

/* dBASE's type and width for a field. */
static void kind_of(const struct odp_field *f, char *type, uint8_t *width, uint8_t *decimals)
{
    *type = 'C', *width = 60, *decimals = 0;
    switch (f->type) {
    case ODP_TYPE_STRING:
        *width = f->constraints.max_length > 0 && f->constraints.max_length < 254
                     ? (uint8_t)f->constraints.max_length
                     : 120;
        break;
    case ODP_TYPE_INTEGER:
    case ODP_TYPE_YEAR:
        *type = 'N', *width = 18;
        break;
    case ODP_TYPE_NUMBER:
        *type = 'N', *width = 20, *decimals = 6;
        break;
    case ODP_TYPE_DATE:
        *type = 'D', *width = 8;
        break;
    case ODP_TYPE_BOOLEAN:
        *type = 'L', *width = 1;
        break;
    default:
        break;
    }
}

/* The label under which the reader finds field F, cut as in every .dbf. */
static struct odp_slice label_of(const struct odp_field *f)
{
    const char *name = f->source_name != NULL ? f->source_name : f->name;
    size_t n = strlen(name);
    return (struct odp_slice){name, n <= NAME ? n : odp_utf8_valid((struct odp_slice){name, NAME})};
}

static bool labels_differ(const struct odp_schema *s)
{
    for (uint32_t i = 0; i < s->n; i++)
        for (uint32_t k = 0; k < i; k++)
            if (odp_slice_eq(label_of(&s->fields[i]), label_of(&s->fields[k])))
                return false;
    return s->n > 0 && s->n < 255;
}

static enum odp_status new_table(struct mend *m, struct odp_file *f)
{
    const struct odp_schema *s = &m->edits->resource->schema;
    size_t header = 32 + FIELD * (size_t)s->n + 1, width = 1;
    if (!labels_differ(s))
        return ODP_BAD;
    uint8_t *h = odp_arena_zero(m->arena, header, 1);
    for (uint32_t i = 0; i < s->n; i++) {
        uint8_t *p = h + 32 + FIELD * (size_t)i;
        struct odp_slice label = label_of(&s->fields[i]);
        memcpy(p, label.ptr, label.len);
        kind_of(&s->fields[i], (char *)p + 11, p + 16, p + 17);
        width += p[16];
    }
    const uint8_t start[4] = {3, 124, 1, 1}; /* dBASE III; a day that is the same on every day */
    memcpy(h, start, sizeof start);
    put32(h + 4, m->n);
    put16(h + 8, (uint32_t)header);
    put16(h + 10, (uint32_t)width);
    h[header - 1] = '\r';
    char *row = odp_arena_alloc(m->arena, width);
    memset(row, ' ', width);
    enum odp_status status = odp_file_write(f, h, header);
    for (uint32_t i = 0; i < m->n && status == ODP_OK; i++)
        status = odp_file_write(f, row, width);
    return status == ODP_OK ? odp_file_write(f, "\x1A", 1) : status;
}

enum odp_status mend_write_table(struct mend *m, const char *path)
{
    struct odp_file *f = NULL;
    if (odp_file_create(&f, path, 0600) != ODP_OK)
        return ODP_FAIL;
    enum odp_status status = m->table ? new_table(m, f) : copy_table(m, f);
    if (status != ODP_OK) {
        odp_file_discard(f);
        return status;
    }
    return odp_file_close(f, NULL);
}
