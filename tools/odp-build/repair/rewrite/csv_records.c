/* Edits of records: cells, deleted records, new records. The source is read once; edits follow in the order
 * of rows.
 *
 * A record that edits would make blank (a blank row is no record) gets one `""`. One that is too short gets
 * the missing delimiters. New records quote the columns that the last record quotes; a file without a final
 * line end stays without one.
 *
 * The written file is read back: the same reader must find exactly the intended cells, else nothing is
 * replaced. There is no proof if the source has a broken record (reading after it may depend on its
 * neighbours) or could not be read before (title rows): there the check that follows is the proof. */
#include <stdlib.h>

#include "read/source.h"
#include "repair/rewrite/csv_cell.h"
#include "repair/rewrite/csv_internal.h"

/* An edit with its column in the file. */
struct cell_edit {
    uint64_t row;
    uint32_t column; /* DELETE_COLUMN: the whole record */
    uint32_t seq;
    const struct edit *edit;
};
#define DELETE_COLUMN UINT32_MAX

struct records {
    struct csv_plan *c;
    struct odp_source *source;
    const struct odp_source_info *info;
    const struct csv_rules *rules;
    struct odp_batch batch;
    struct cell_edit *edits;
    size_t n, at;
    const char **names;     /* by column, for showing */
    struct odp_buffer room; /* a cell's text */
    /* of the last record: where one can be appended */
    uint64_t end;
    bool last_sound, last_open, last_gone; /* open: without a line end */
};

/* ---- what goes where ---- */

static int by_row(const void *x, const void *y)
{
    const struct cell_edit *a = x, *b = y;
    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    if (a->column != b->column)
        return a->column < b->column ? -1 : 1;
    return (a->seq > b->seq) - (a->seq < b->seq);
}

/* The column of D in the file; -1: there is none. */
static int column_of(const struct records *x, const struct edit *d)
{
    int column = (int)d->place;
    if (d->what == EDIT_DELETE)
        return 0;
    if (d->what == EDIT_FIELD)
        column = d->place < x->c->r->schema.n ? x->info->column_of_field[d->place] : -1;
    return column >= 0 && (uint32_t)column < x->info->ncolumns ? column : -1;
}

static void resolve(struct records *x)
{
    const struct odp_edits *e = x->c->p->edits;
    x->edits = odp_arena_array(x->c->p->arena, e->n + 1, sizeof *x->edits);
    for (size_t i = 0; i < e->n; i++) {
        const struct edit *d = &e->edits[i];
        if (d->what == EDIT_LINES || d->what == EDIT_LABEL || d->what == EDIT_APPEND)
            continue;
        bool known = d->what == EDIT_FIELD && d->place < x->c->r->schema.n;
        int column = column_of(x, d);
        if (d->at == 0 || column < 0)
            csv_plan_misfit(x->c, d, ODP_A02, 0, known ? x->c->r->schema.fields[d->place].name : NULL,
                            d->text);
        else
            x->edits[x->n++] =
                (struct cell_edit){.row = d->at,
                                   .column = d->what == EDIT_DELETE ? DELETE_COLUMN : (uint32_t)column,
                                   .seq = d->seq,
                                   .edit = d};
    }
    qsort(x->edits, x->n, sizeof *x->edits, by_row);
}

static void name_columns(struct records *x)
{
    x->names = odp_arena_zero(x->c->p->arena, (size_t)x->info->ncolumns + 1, sizeof(const char *));
    for (uint32_t i = 0; i < x->info->ncolumns; i++) {
        int field = x->info->field_of_column[i];
        x->names[i] = field >= 0 ? x->c->r->schema.fields[field].name
                                 : odp_arena_copy(x->c->p->arena, x->info->labels[i]).ptr;
    }
}

/* ---- one record ---- */

/* Bytes of the line end after record I, which the batch's text has too. */
static size_t line_end(const struct records *x, const struct odp_record *rec)
{
    const char *p = rec->source.ptr + rec->source.len, *end = x->batch.text.ptr + x->batch.text.len;
    if (p >= end || (*p != '\r' && *p != '\n'))
        return 0;
    return p[0] == '\r' && p + 1 < end && p[1] == '\n' ? 2 : 1;
}

static void misfits(struct records *x, const struct odp_record *rec, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        const struct cell_edit *e = &x->edits[i];
        const char *name = e->column != DELETE_COLUMN ? x->names[e->column] : NULL;
        csv_plan_misfit(x->c, e->edit, ODP_A02, rec != NULL ? rec->line : 0, name, e->edit->text);
    }
}

static void delete_record(struct records *x, const struct odp_record *rec, const struct edit *e)
{
    struct patch patch = {.kind = ODP_EDIT_DELETE, .row = rec->row, .line = rec->line, .start = rec->offset};
    patch.end = rec->offset + rec->source.len + line_end(x, rec);
    csv_plan_patch(x->c, e, &patch, ODP_LIT(""), rec->source, ODP_LIT(""));
}

/* Only white space: unless something is quoted, the record would be a blank row. */
static bool is_space(struct odp_slice s)
{
    for (size_t i = 0; i < s.len; i++)
        if (s.ptr[i] != ' ' && s.ptr[i] != '\t')
            return false;
    return true;
}

/* Whether the record would be blank with the edits FROM .. TO. */
static bool would_be_blank(struct records *x, const struct odp_record *rec, size_t from, size_t to)
{
    struct csv_cursor cursor = {.rules = x->rules, .p = rec->source.ptr, .n = rec->source.len};
    struct csv_raw raw;
    for (size_t i = from; i < to; i++)
        if (!is_space(x->edits[i].edit->text))
            return false;
    for (uint32_t column = 0; csv_cursor_next(&cursor, &raw); column++) {
        while (from < to && x->edits[from].column < column)
            from++;
        bool edited = from < to && x->edits[from].column == column;
        if (!edited && (raw.quoted || !is_space((struct odp_slice){rec->source.ptr + raw.start, raw.len})))
            return false;
    }
    return true;
}

/* Edits one cell. PADDING delimiters come before it: the record was too short. */
static void edit_cell(struct records *x, const struct odp_record *rec, const struct cell_edit *e,
                      const struct csv_raw *raw, uint32_t padding, bool quoted)
{
    struct csv_plan *c = x->c;
    struct odp_slice text = e->edit->text, source = rec->source, before = {"", 0};
    struct patch patch = {
        .kind = ODP_EDIT_CELL, .row = rec->row, .line = rec->line, .field = x->names[e->column]};
    if (raw != NULL) {
        before = odp_cell_text(x->rules, source.ptr, raw, &x->room);
        patch.start = rec->offset + raw->pos;
        patch.end = rec->offset + raw->start + raw->len + raw->quoted;
        if (memchr(source.ptr, '\n', raw->pos) != NULL || memchr(source.ptr, '\r', raw->pos) != NULL)
            patch.line += csv_count_lines(source.ptr, raw->pos);
        if (odp_slice_eq(before, text) && (text.ptr != NULL || !raw->quoted))
            return;
    } else {
        patch.start = patch.end = rec->offset + source.len;
    }
    odp_buffer_clear(&c->written);
    for (uint32_t i = 0; i < padding; i++)
        odp_buffer_add_char(&c->written, x->rules->delimiter);
    quoted = quoted || (raw != NULL && raw->quoted && text.ptr != NULL);
    if (!odp_cell_write(x->rules, text, quoted, e->column == 0, &c->written)) {
        csv_plan_misfit(c, e->edit, ODP_A05, patch.line, patch.field, text);
        return;
    }
    /* An empty cell that stays quoted, because its record would be blank: nothing changes. */
    size_t stands = raw != NULL ? raw->start + raw->len + raw->quoted - raw->pos : 0;
    if (raw == NULL ||
        !odp_slice_eq(odp_buffer_slice(&c->written), (struct odp_slice){source.ptr + raw->pos, stands}))
        csv_plan_patch(c, e->edit, &patch, odp_buffer_slice(&c->written), before, text);
}

/* Makes patches of a record's edited cells; all cells go into the proof. */
static void edit_record(struct records *x, const struct odp_record *rec, size_t from, size_t to)
{
    struct csv_plan *c = x->c;
    struct csv_cursor cursor = {.rules = x->rules, .p = rec->source.ptr, .n = rec->source.len};
    struct csv_raw raw;
    uint32_t column = 0;
    bool blank = from < to && would_be_blank(x, rec, from, to);
    for (; csv_cursor_next(&cursor, &raw); column++) {
        if (from == to && c->proof.digest == NULL)
            return;
        while (from + 1 < to && x->edits[from].column == column && x->edits[from + 1].column == column)
            from++; /* the last one counts */
        if (from == to || x->edits[from].column != column) {
            odp_proof_cell(&c->proof, odp_cell_text(x->rules, rec->source.ptr, &raw, &x->room));
            continue;
        }
        odp_proof_cell(&c->proof, x->edits[from].edit->text);
        edit_cell(x, rec, &x->edits[from], &raw, 0, blank);
        blank = false;
        from++;
    }
    /* Cells that the record lacks. */
    for (; from < to; from++) {
        if (from + 1 < to && x->edits[from + 1].column == x->edits[from].column)
            continue;
        for (uint32_t i = column; i < x->edits[from].column; i++)
            odp_proof_cell(&c->proof, ODP_LIT(""));
        odp_proof_cell(&c->proof, x->edits[from].edit->text);
        edit_cell(x, rec, &x->edits[from], NULL, x->edits[from].column - column + 1, blank);
        column = x->edits[from].column + 1;
    }
}

static enum odp_status take_record(struct records *x, const struct odp_record *rec)
{
    struct csv_plan *c = x->c;
    size_t from = x->at;
    while (x->at < x->n && x->edits[x->at].row == rec->row)
        x->at++;
    bool gone = x->at > from && x->edits[x->at - 1].column == DELETE_COLUMN,
         sound = odp_proof_is_sound(x->rules, rec->source);
    size_t eol = line_end(x, rec);
    x->last_sound = sound;
    x->last_open = eol == 0;
    x->last_gone = gone;
    x->end = rec->offset + rec->source.len + eol;
    if (!sound) {
        c->p->proved = false;
        misfits(x, rec, from, x->at);
    } else if (gone) {
        delete_record(x, rec, x->edits[x->at - 1].edit);
    } else {
        edit_record(x, rec, from, x->at);
        if (odp_proof_record(&x->c->proof) != ODP_OK)
            return ODP_FAIL;
    }
    return csv_plan_status(c);
}

/* ---- records that come ---- */

/* Whether the last sound record's cells are quoted, by column. */
static void quoted_columns(const struct records *x, bool *out)
{
    struct csv_cursor cursor = {.rules = x->rules, .p = x->c->last.ptr, .n = x->c->last.len};
    struct csv_raw raw;
    for (uint32_t i = 0; x->c->last.len > 0 && i < x->info->ncolumns && csv_cursor_next(&cursor, &raw); i++)
        out[i] = raw.quoted;
}

/* False: this dialect cannot hold it. */
static bool write_record(struct records *x, const struct odp_slice *cells, const bool *quoted)
{
    struct csv_plan *c = x->c;
    bool blank = true;
    for (uint32_t i = 0; i < x->info->ncolumns; i++) {
        int field = x->info->field_of_column[i];
        struct odp_slice text = field >= 0 ? cells[field] : (struct odp_slice){NULL, 0};
        blank = blank && is_space(text);
        if (i > 0)
            odp_buffer_add_char(&c->written, x->rules->delimiter);
        bool last = blank && i + 1 == x->info->ncolumns; /* else it would be a blank row */
        odp_proof_cell(&c->proof, text);
        if (!odp_cell_write(x->rules, text, last || (text.len > 0 && quoted[i]), i == 0, &c->written))
            return false;
    }
    return true;
}

static enum odp_status append(struct records *x)
{
    struct csv_plan *c = x->c;
    const struct odp_edits *e = c->p->edits;
    uint64_t place = x->end;
    bool open = x->last_open, gone = x->last_gone;
    bool *quoted = odp_arena_zero(c->p->arena, (size_t)x->info->ncolumns + 1, sizeof *quoted);
    quoted_columns(x, quoted);
    if (!x->last_sound) {
        gone = false;
        if (csv_plan_end(c, &place, &open) != ODP_OK)
            return ODP_FAIL;
    }
    const struct edit *edit = e->edits;
    for (size_t i = 0; i < e->nappended; i++, edit++) {
        while (edit->what != EDIT_APPEND)
            edit++;
        struct patch patch = {.kind = ODP_EDIT_APPEND, .start = place, .end = place};
        odp_buffer_clear(&c->written);
        if (open && !(gone && i == 0))
            odp_buffer_add_str(&c->written, c->eol);
        size_t begin = c->written.len;
        bool fits = write_record(x, e->appended[i], quoted);
        size_t len = c->written.len - begin;
        if (!open)
            odp_buffer_add_str(&c->written, c->eol);
        struct odp_slice record = {c->written.ptr + begin, len};
        if (!fits)
            csv_plan_misfit(c, edit, ODP_A05, 0, NULL, record);
        else if (c->written.failed || odp_proof_record(&x->c->proof) != ODP_OK)
            return ODP_FAIL;
        else
            csv_plan_patch(c, edit, &patch, odp_buffer_slice(&c->written), ODP_LIT(""), record);
    }
    return csv_plan_status(c);
}

/* ---- all of them ---- */

static enum odp_status read_all(struct records *x)
{
    struct csv_plan *c = x->c;
    bool to_end = !c->p->how->dry || c->p->edits->nappended > 0;
    enum odp_status status = ODP_OK;
    while (status == ODP_OK && (to_end || x->at < x->n)) {
        odp_batch_reset(&x->batch, c->r);
        status = odp_source_read(x->source, &x->batch);
        for (uint32_t i = 0; i < x->batch.nrecords && status == ODP_OK; i++)
            status = take_record(x, &x->batch.records[i]);
        if (status == ODP_OK && c->p->edits->nappended > 0 && x->batch.nrecords > 0 && x->last_sound) {
            odp_buffer_clear(&c->last);
            odp_buffer_add_slice(&c->last, x->batch.records[x->batch.nrecords - 1].source);
            status = odp_buffer_status(&c->last);
        }
    }
    if (status == ODP_FAIL || odp_buffer_status(&x->room) != ODP_OK)
        return ODP_FAIL;
    misfits(x, NULL, x->at, x->n); /* beyond the last record */
    return csv_plan_status(x->c);
}

static enum odp_status work(struct records *x)
{
    struct csv_plan *c = x->c;
    enum odp_status status = ODP_OK;
    resolve(x);
    name_columns(x);
    if (!c->p->how->dry)
        status = odp_proof_begin(&c->proof);
    c->p->proved = !c->p->how->dry;
    if (status == ODP_OK)
        status = read_all(x);
    if (status == ODP_OK)
        status = append(x);
    c->p->records = c->proof.records;
    return status == ODP_OK && c->proof.digest != NULL ? odp_proof_end(&c->proof, c->p->expected) : status;
}

enum odp_status csv_plan_records(struct csv_plan *c, size_t n)
{
    struct records x = {.c = c};
    if (n == 0 && c->p->how->dry)
        return ODP_OK;
    if (odp_batch_init(&x.batch, 0) != ODP_OK)
        return ODP_FAIL;
    enum odp_status status = odp_source_open(&x.source, c->r, c->p->how->path, c->p->how->file, 1, c->own);
    if (status == ODP_OK) {
        x.info = odp_source_info(x.source);
        x.rules = &((const struct csv_source *)(const void *)x.source)->rules;
        status = work(&x);
    }
    odp_source_close(x.source);
    odp_batch_release(&x.batch);
    odp_buffer_release(&x.room);
    return status;
}

/* ---- the proof ---- */

/* The file would hold another table: nothing is replaced. */
static enum odp_status refute(const struct plan *p)
{
    struct odp_diag d = {.code = ODP_A07, .file = p->how->file};
    d.dataset = p->edits->resource->dataset != NULL ? p->edits->resource->dataset->slug : NULL;
    d.resource = p->edits->resource->name;
    return odp_diags_refuse(p->diags, &d);
}

enum odp_status odp_prove(const struct plan *p, const char *temporary)
{
    if (!p->proved)
        return ODP_OK;
    enum odp_status status =
        odp_proof_read(p->edits->resource, temporary, p->how->file, p->records, p->expected);
    return status == ODP_BAD ? refute(p) : status;
}
