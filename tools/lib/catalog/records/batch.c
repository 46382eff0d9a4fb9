#include "catalog/records/batch.h"

#include <stdlib.h>

#include "base/utf8.h"

enum {
    VALUE_MAX = 4096, /* bytes of a value that a diagnostic repeats */
    LINE_MAX_SHOWN = 4096,
    BEFORE_MARK = 1024 /* bytes kept before the mark in a longer line */
};

enum odp_status odp_batch_init(struct odp_batch *b, size_t limit)
{
    memset(b, 0, sizeof(*b));
    odp_arena_init(&b->arena);
    odp_buffer_init(&b->text);
    return odp_diags_new(&b->diags, limit);
}

void odp_batch_release(struct odp_batch *b)
{
    odp_diags_free(b->diags);
    b->diags = NULL;
    odp_batch_shrink(b);
}

void odp_batch_shrink(struct odp_batch *b)
{
    struct odp_diags *diags = b->diags;
    free(b->records);
    free(b->cells);
    odp_buffer_release(&b->text);
    odp_arena_release(&b->arena);
    memset(b, 0, sizeof(*b));
    b->diags = diags;
}

void odp_batch_reset(struct odp_batch *b, const struct odp_resource *r)
{
    odp_arena_reset(&b->arena);
    odp_buffer_clear(&b->text);
    odp_diags_clear(b->diags);
    odp_diags_set_overrides(b->diags, r != NULL ? r->severity : NULL);
    b->resource = r;
    b->sheet = NULL;
    b->index = 0;
    b->last = false;
    b->nrecords = b->ncells = 0;
    b->geometry = NULL;
    b->source_bytes = 0;
    b->columns = NULL;
    b->numbers = NULL;
    b->record_bad = NULL;
    b->documents = NULL;
    b->ndocuments = 0;
}

struct odp_record *odp_batch_add_record(struct odp_batch *b)
{
    if (b->nrecords == b->records_cap) {
        if (b->records_cap > UINT32_MAX / 2) {
            (void)odp_failure_set("batch records", NULL, 0);
            return NULL;
        }
        uint32_t cap = b->records_cap == 0 ? 512 : b->records_cap * 2;
        struct odp_record *grown = odp_realloc_array(b->records, cap, sizeof(*grown));
        if (grown == NULL)
            return NULL;
        b->records = grown;
        b->records_cap = cap;
    }
    struct odp_record *r = &b->records[b->nrecords++];
    memset(r, 0, sizeof(*r));
    return r;
}

struct odp_cell *odp_batch_add_cells(struct odp_batch *b, uint32_t n)
{
    if (n > b->cells_cap - b->ncells) {
        uint64_t cap = b->cells_cap == 0 ? 4096 : b->cells_cap;
        while (cap < (uint64_t)b->ncells + n)
            cap *= 2;
        if (cap > UINT32_MAX) {
            (void)odp_failure_set("batch cells", NULL, 0);
            return NULL;
        }
        struct odp_cell *grown = odp_realloc_array(b->cells, (size_t)cap, sizeof(*grown));
        if (grown == NULL)
            return NULL;
        b->cells = grown;
        b->cells_cap = (uint32_t)cap;
    }
    struct odp_cell *c = b->cells + b->ncells;
    b->ncells += n;
    return c;
}

static bool is_tail(char c)
{
    return ((unsigned char)c & 0xC0) == 0x80;
}

/* At most MAX bytes, not ending in the middle of a character. */
static size_t cut(const char *ptr, size_t len, size_t max)
{
    if (len <= max)
        return len;
    while (max > 0 && is_tail(ptr[max]))
        max--;
    return max;
}

/* Characters, also of text that is not valid UTF-8: every byte that is not a continuation counts. */
static uint64_t count_characters(const char *ptr, size_t len)
{
    uint64_t n = 0;
    for (size_t i = 0; i < len; i++)
        n += !is_tail(ptr[i]);
    return n;
}

/* The physical line that holds byte POS of the text: its start, its end, and how many lines begin before it.
 */
struct physical {
    size_t start, end;
    uint64_t above;
};

static struct physical physical_line(struct odp_slice text, size_t pos)
{
    struct physical l = {0, text.len, 0};
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] != '\n' && text.ptr[i] != '\r')
            continue;
        if (i >= pos) {
            l.end = i;
            break;
        }
        if (text.ptr[i] == '\r' && i + 1 < text.len && text.ptr[i + 1] == '\n')
            i++;
        if (i >= pos) { /* POS is the line feed of this pair */
            l.end = i - 1;
            break;
        }
        l.start = i + 1;
        l.above++;
    }
    return l;
}

/* The batch is const for callers that only look at it; its arena is scratch memory that belongs to the same
 * thread. */
static struct odp_arena *scratch(const struct odp_batch *b)
{
    return (struct odp_arena *)(uintptr_t)&b->arena;
}

/* The guilty part, with "…" for the rest. */
static void show_part(const struct odp_batch *b, struct odp_slice part, bool before, bool after,
                      struct odp_diag *out)
{
    static const char dots[] = "…";
    size_t n = sizeof(dots) - 1, len = cut(part.ptr, part.len, VALUE_MAX);
    char *p = odp_arena_alloc(scratch(b), len + 2 * n + 1);
    size_t at = 0;
    if (before) {
        memcpy(p, dots, n);
        at = n;
    }
    out->mark_start = (uint32_t)at;
    out->mark_len = (uint32_t)len;
    memcpy(p + at, part.ptr, len);
    at += len;
    if (after || len < part.len) {
        memcpy(p + at, dots, n);
        at += n;
    }
    p[at] = '\0';
    out->source = (struct odp_slice){p, at};
}

/* The physical line with the mark, cut around it when it is very long. */
static void show_line(struct odp_slice text, const struct physical *l, size_t pos, size_t len,
                      struct odp_diag *out)
{
    size_t start = l->start, end = l->end;
    if (pos - start > BEFORE_MARK && end - start > LINE_MAX_SHOWN) {
        start = pos - BEFORE_MARK;
        while (start < pos && is_tail(text.ptr[start]))
            start++;
    }
    size_t shown = cut(text.ptr + start, end - start, LINE_MAX_SHOWN);
    size_t from = pos - start;
    if (from > shown)
        from = shown;
    out->source = (struct odp_slice){text.ptr + start, shown};
    out->mark_start = (uint32_t)from;
    out->mark_len = (uint32_t)(len < shown - from ? len : shown - from);
}

/* Everything about a record but its cell. */
static const struct odp_record *about_record(const struct odp_batch *b, uint32_t i, const char *file,
                                             struct odp_diag *out)
{
    const struct odp_record *rec = &b->records[i];
    memset(out, 0, sizeof(*out));
    if (b->resource != NULL) {
        out->resource = b->resource->name;
        out->dataset = b->resource->dataset != NULL ? b->resource->dataset->slug : NULL;
    }
    out->file = file;
    out->sheet = b->sheet;
    out->row = rec->row;
    out->line = rec->line;
    out->offset = rec->offset;
    return rec;
}

/* Line, column and offset of byte POS of the record. */
static struct physical place(const struct odp_record *rec, size_t pos, struct odp_diag *out)
{
    struct physical l = physical_line(rec->source, pos);
    out->line = rec->line + l.above;
    out->column = count_characters(rec->source.ptr + l.start, pos - l.start) + 1;
    out->offset = rec->offset + pos;
    return l;
}

/* In a workbook the place is a cell's: that at byte POS of the record's readable line. */
static void place_cell(const struct odp_batch *b, const struct odp_record *rec, size_t pos,
                       struct odp_diag *out)
{
    uint32_t column = 0;
    if ((rec->flags & ODP_RECORD_SHEET) == 0)
        return;
    while (column + 1 < rec->count && b->cells[rec->first + column + 1].pos <= pos)
        column++;
    out->line = rec->line;
    out->column = (uint64_t)rec->aux + column + 1;
    out->offset = 0;
}

void odp_batch_diag_at(const struct odp_batch *b, uint32_t i, size_t pos, size_t len, const char *file,
                       struct odp_diag *out)
{
    const struct odp_record *rec = about_record(b, i, file, out);
    if (rec->source.ptr == NULL)
        return;
    if (pos > rec->source.len)
        pos = rec->source.len;
    struct physical l = place(rec, pos, out);
    place_cell(b, rec, pos, out);
    if (pos > l.end)
        pos = l.end;
    if (b->resource == NULL || !b->resource->has_private)
        show_line(rec->source, &l, pos, len, out);
}

/* Bytes of cell COLUMN as it stands in the record, quotes included. */
static size_t raw_length(const struct odp_batch *b, const struct odp_record *rec, uint32_t column)
{
    size_t pos = b->cells[rec->first + column].pos, end = rec->source.len;
    if ((rec->flags & ODP_RECORD_SHEET) != 0)
        return b->cells[rec->first + column].oddity == ODP_ODD_MERGED ? 0 : b->cells[rec->first + column].len;
    if (column + 1 < rec->count) {
        end = b->cells[rec->first + column + 1].pos;
        if (b->resource != NULL && b->resource->dialect.skip_initial_space)
            while (end > pos && rec->source.ptr[end - 1] == ' ')
                end--;
        if (end > pos)
            end--; /* the delimiter */
    }
    return end > pos ? end - pos : 0;
}

static void about_cell(const struct odp_batch *b, const struct odp_record *rec, uint32_t column, bool alone,
                       struct odp_diag *out)
{
    const struct odp_cell *c = &b->cells[rec->first + column];
    if ((c->flags & ODP_CELL_NULL) == 0 && c->oddity != ODP_ODD_MERGED)
        out->value = (struct odp_slice){c->ptr != NULL ? c->ptr : "", cut(c->ptr, c->len, VALUE_MAX)};
    if (rec->source.ptr == NULL || c->pos > rec->source.len)
        return;
    size_t raw = raw_length(b, rec, column);
    struct physical l = place(rec, c->pos, out);
    if ((rec->flags & ODP_RECORD_SHEET) != 0) {
        out->column = (uint64_t)rec->aux + column + 1;
        out->offset = 0;
    } else {
        out->table_column = column + 1;
    }
    if (c->pos + raw > l.end)
        raw = l.end - c->pos;
    if (alone)
        show_part(b, (struct odp_slice){rec->source.ptr + c->pos, raw}, column > 0, column + 1 < rec->count,
                  out);
    else
        show_line(rec->source, &l, c->pos, raw, out);
}

void odp_batch_diag(const struct odp_batch *b, struct odp_batch_place at, const char *file, bool secret_row,
                    struct odp_diag *out)
{
    const struct odp_record *rec = about_record(b, at.record, file, out);
    bool alone = secret_row || (b->resource != NULL && b->resource->has_private);
    if (at.field >= 0 && b->resource != NULL && (uint32_t)at.field < b->resource->schema.n) {
        const struct odp_field *f = &b->resource->schema.fields[at.field];
        out->field = f->name;
        out->where = f->where;
        out->secret = !f->is_public;
        out->label = b->resource->dialect.header ? f->source_name : NULL;
    }
    if (at.column >= 0 && (uint32_t)at.column < rec->count) {
        about_cell(b, rec, (uint32_t)at.column, alone, out);
    } else if (rec->source.ptr != NULL) {
        struct physical l = place(rec, 0, out);
        if ((rec->flags & ODP_RECORD_SHEET) != 0)
            out->column = 0; /* the row as a whole */
        if (!alone)
            show_line(rec->source, &l, 0, l.end, out);
    }
}
