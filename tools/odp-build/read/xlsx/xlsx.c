/* The workbook source: opening, and rows into batches. All is done in read, in order; slice only looks for
 * rows that are no records. */
#include "read/xlsx/xlsx_internal.h"

#include <stdlib.h>

#include "read/total.h"

static struct xlsx_source *own(struct odp_source *src)
{
    return (struct xlsx_source *)(void *)src;
}

static void xlsx_close(struct odp_source *src)
{
    struct xlsx_source *s = own(src);
    if (s == NULL)
        return;
    for (uint32_t i = 0; s->above != NULL && i < s->base.info.ncolumns; i++)
        odp_buffer_release(&s->above[i]);
    odp_sheet_close(s->sheet);
    odp_workbook_close(s->book);
    odp_arena_release(&s->arena);
    free(s);
}

static enum odp_status open_sheet(struct xlsx_source *s, const char *path, struct odp_diags *diags)
{
    struct odp_workbook_fault fault;
    const struct odp_limits *l = odp_limits_of(s->base.resource);
    const struct odp_workbook_limits limits = {
        .part_bytes = (uint64_t)l->workbook_bytes,
        .string_bytes = (uint64_t)l->string_bytes,
        .ratio = (uint32_t)l->ratio,
        .cell_bytes = l->cell_bytes < ODP_WORKBOOK_CELL ? (uint32_t)l->cell_bytes : 0};
    enum odp_status status = odp_workbook_open(&s->book, path, &limits, &fault);
    if (status == ODP_OK) {
        s->base.info.bytes = odp_workbook_bytes(s->book);
        s->from_1904 = odp_workbook_from_1904(s->book);
        status = xlsx_choose(s, diags);
        if (status != ODP_OK)
            return status;
        status = odp_sheet_open(&s->sheet, s->book, s->number, &fault);
    }
    if (status == ODP_BAD)
        return xlsx_say_fault(s, &fault, diags);
    return status;
}

/* The workbook's own dialect, or the default if the descriptor's is for another kind of file. */
static const struct odp_dialect *dialect_of(const struct odp_resource *r)
{
    static const struct odp_dialect plain = {.header = true, .header_join = " "};
    return odp_source_form_of(r) == ODP_SOURCE_FORM_XLSX ? &r->dialect : &plain;
}

enum odp_status odp_xlsx_open(struct odp_source **out, const struct odp_resource *r, const char *path,
                              const char *file, struct odp_diags *diags)
{
    *out = NULL;
    struct xlsx_source *s = calloc(1, sizeof(*s));
    if (s == NULL)
        return odp_failure_memory();
    s->base = (struct odp_source_base){.kind = &odp_source_xlsx, .resource = r};
    s->base.info.crs = s->base.info.crs_operation = "";
    s->base.info.batch_records = XLSX_BATCH_RECORDS;
    s->dialect = dialect_of(r);
    s->base.info.file = odp_arena_str(&s->arena, file);
    *out = (struct odp_source *)(void *)s;
    return open_sheet(s, path, diags);
}

enum odp_status odp_xlsx_row(struct odp_source *src, struct odp_sheet_row *row, struct odp_diags *diags)
{
    struct xlsx_source *s = own(src);
    enum odp_status status = xlsx_next(s, diags);
    *row = s->next;
    return status;
}

/* Slicing needs no state of its workers. */
static enum odp_status xlsx_open(struct odp_source **out, const struct odp_resource *r, const char *path,
                                 const char *file, unsigned workers, struct odp_diags *diags)
{
    enum odp_status status = odp_xlsx_open(out, r, path, file, diags);
    struct xlsx_source *s = own(*out);
    if (status == ODP_OK)
        status = xlsx_header_read(s, diags);
    if (status == ODP_OK) {
        s->above = odp_arena_zero(&s->arena, (size_t)s->base.info.ncolumns + 1, sizeof(*s->above));
        s->above_row = odp_arena_zero(&s->arena, (size_t)s->base.info.ncolumns + 1, sizeof(*s->above_row));
    }
    if (status != ODP_OK) {
        xlsx_close(*out);
        *out = NULL;
    }
    return status;
}

/* Rows between the last record and the next that hold nothing: one fault for those together. */
static void say_blank(const struct xlsx_source *s, struct odp_batch *b)
{
    const struct odp_dialect *c = s->dialect;
    struct odp_diag d;
    uint32_t first = s->last_row + 1, n = s->next.row - first;
    for (size_t i = 0; i < c->ncomment_rows; i++)
        if (c->comment_rows[i] >= first && c->comment_rows[i] < s->next.row)
            n--;
    if (n == 0 || s->last_row == 0)
        return;
    xlsx_file_diag(s, ODP_R01, &d);
    d.where = NULL;
    d.sheet = s->name;
    d.line = first;
    d.action = ODP_ACTION_DELETE_LINES;
    d.lines = n;
    odp_diags_add(b->diags, &d);
}

/* Columns that are hidden and read: known with the first row. */
static void say_hidden_columns(struct xlsx_source *s, struct odp_batch *b)
{
    s->columns_looked_at = true;
    for (uint32_t i = 0; i < s->base.info.ncolumns; i++) {
        struct odp_diag d;
        int field = s->base.info.field_of_column[i];
        if (field < 0 || !odp_sheet_column_hidden(s->sheet, s->first + i))
            continue;
        xlsx_file_diag(s, ODP_S27, &d);
        d.sheet = s->name;
        d.line = s->last_row > 0 ? s->last_row : 1;
        d.column = (uint64_t)s->first + i + 1;
        d.field = s->base.resource->schema.fields[field].name;
        d.value = s->base.info.labels[i];
        odp_diags_add(b->diags, &d);
    }
}

static uint64_t consumed(const struct xlsx_source *s)
{
    return s->ended ? s->base.info.bytes
                    : (uint64_t)((double)s->base.info.bytes * odp_sheet_progress(s->sheet) / 1e6);
}

static enum odp_status xlsx_read(struct odp_source *src, struct odp_batch *b)
{
    struct xlsx_source *s = own(src);
    size_t bytes = 0;
    bool said = false;
    b->index = s->batches;
    b->sheet = s->name;
    while (!s->ended) {
        enum odp_status status = s->next.row == 0 ? xlsx_next(s, b->diags) : ODP_OK;
        if (status == ODP_FAIL)
            return status;
        if (status != ODP_OK) {
            s->ended = true;
            said = status == ODP_BAD;
            break;
        }
        if (b->nrecords >= XLSX_BATCH_RECORDS || bytes >= XLSX_BATCH_BYTES)
            break;
        if (!s->columns_looked_at)
            say_hidden_columns(s, b);
        if (s->next.row > s->last_row + 1)
            say_blank(s, b);
        if (xlsx_add_row(s, b) != ODP_OK)
            return ODP_FAIL;
        bytes += b->records[b->nrecords - 1].source.len;
        s->last_row = s->next.row;
        s->next.row = 0;
    }
    b->last = s->ended;
    uint64_t now = consumed(s);
    b->source_bytes = now > s->progress ? now - s->progress : 0;
    s->progress = now > s->progress ? now : s->progress;
    if (b->nrecords == 0 && !said)
        return ODP_DONE;
    s->batches++;
    return ODP_OK;
}

static enum odp_status xlsx_slice(const struct odp_source *src, struct odp_batch *b, unsigned worker)
{
    const struct xlsx_source *s = (const struct xlsx_source *)(const void *)src;
    for (uint32_t i = 0; i < b->nrecords; i++) {
        struct odp_record *rec = &b->records[i];
        struct odp_diag d;
        if (rec->count == 0)
            continue;
        bool skipped = (rec->flags & ODP_RECORD_SKIP) != 0;
        bool total = !skipped && odp_is_total(s->base.resource, &s->base.info, b, i, false);
        if (skipped || (!total && !odp_is_note(s->base.resource, &s->base.info, b, i, false)))
            continue;
        odp_batch_diag_at(b, i, 0, rec->source.len, s->base.info.file, &d);
        d.code = total ? ODP_R08 : ODP_R11;
        if (odp_resource_refuses(s->base.resource, d.code))
            rec->flags |= ODP_RECORD_SKIP;
        d.action = ODP_ACTION_DELETE_RECORD;
        odp_diags_add(b->diags, &d);
    }
    return ODP_OK;
}

const struct odp_source_kind odp_source_xlsx = {"xlsx", xlsx_open, xlsx_read, xlsx_slice, xlsx_close};
