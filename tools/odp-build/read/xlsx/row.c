/* A row of a sheet to a record. Numbers, dates and booleans go to fields of their own kind as they are
 * (ODP_CELL_NATIVE); in other fields the cell keeps its text and is marked (enum odp_cell_oddity): check,
 * which knows patterns and code lists, reports what is wrong. */
#include <stdio.h>

#include "read/xlsx/xlsx_internal.h"
#include "words/read.h"

struct value {
    struct odp_slice text;
    uint32_t flags : 3;
    uint32_t oddity : 3;
    bool copy; /* the text is in temporary memory */
};

struct odp_slice odp_xlsx_shown(const struct odp_sheet_cell *c, char buf[80])
{
    size_t n;
    switch (c->kind) {
    case ODP_CELL_NUMBER:
        n = xlsx_number(c->text, buf);
        return n > 0 ? (struct odp_slice){buf, n} : c->text;
    case ODP_CELL_DATE:
        return c->iso.len > 0 ? c->iso : c->text;
    case ODP_CELL_BOOLEAN:
        return odp_slice_is(c->text, "true") ? ODP_LIT("TRUE") : ODP_LIT("FALSE");
    default:
        return c->text;
    }
}

static bool is_date_type(enum odp_type t)
{
    return t == ODP_TYPE_DATE || t == ODP_TYPE_DATETIME || t == ODP_TYPE_TIME;
}

/* A date in a field of years or months: accepted only if it says no more than that. A serial that is itself
 * a year (2024 typed into a column of dates: 16 July 1905) is not. */
static bool take_period(const struct odp_sheet_cell *c, enum odp_type type, struct value *v)
{
    size_t n = type == ODP_TYPE_YEAR ? 4 : 7;
    struct odp_slice rest = type == ODP_TYPE_YEAR ? ODP_LIT("-01-01") : ODP_LIT("-01");
    if (c->iso.len != 10 || memcmp(c->iso.ptr + n, rest.ptr, rest.len) != 0)
        return false;
    v->text = (struct odp_slice){c->iso.ptr, n};
    v->flags = ODP_CELL_NATIVE;
    return true;
}

static void take_date(const struct odp_sheet_cell *c, enum odp_type type, struct value *v)
{
    static const char midnight[] = "T00:00:00"; /* a whole day: only the cell's format shows a time, as
                                                   programs write dates that know no other kind */
    v->text = c->iso;
    if (type == ODP_TYPE_DATE && c->iso.len == 19 && memcmp(c->iso.ptr + 10, midnight, 9) == 0)
        v->text.len = 10;
    if (c->iso.len == 0) { /* no such date: the stored number is shown */
        v->text = c->text;
        v->oddity = is_date_type(type) ? ODP_ODD_NONE : ODP_ODD_DATE;
    } else if (is_date_type(type)) {
        v->flags = ODP_CELL_NATIVE;
    } else if (((type != ODP_TYPE_YEAR && type != ODP_TYPE_YEARMONTH) || !take_period(c, type, v)) &&
               type != ODP_TYPE_ANY) {
        v->oddity = ODP_ODD_DATE;
    }
}

/* The first cell of the range that covers this one, if it is in the same column. */
static struct odp_slice covered(const struct xlsx_source *s, const struct odp_sheet_cell *c)
{
    uint32_t column = c->column - s->first;
    if (c->merge_column == c->column && s->above_row[column] == c->merge_row && c->merge_row != 0)
        return odp_buffer_slice(&s->above[column]);
    return ODP_LIT("");
}

/* C's value in field FIELD (-1: in none). BUF has room for a number's text. */
static void value_of(const struct xlsx_source *s, const struct odp_sheet_cell *c, int field, char buf[80],
                     struct value *v)
{
    enum odp_type type = field >= 0 ? s->base.resource->schema.fields[field].type : ODP_TYPE_ANY;
    *v = (struct value){.text = odp_xlsx_shown(c, buf), .copy = true};
    switch (c->kind) {
    case ODP_CELL_EMPTY:
        v->text = c->merged ? covered(s, c) : ODP_LIT("");
        v->oddity = c->merged ? ODP_ODD_MERGED : ODP_ODD_UNCOMPUTED;
        break;
    case ODP_CELL_NUMBER:
        if (odp_type_is_number(type))
            v->flags = ODP_CELL_NATIVE;
        else if (type == ODP_TYPE_STRING || (is_date_type(type) && s->from_1904))
            v->oddity = ODP_ODD_NUMBER;
        break;
    case ODP_CELL_DATE:
        take_date(c, type, v);
        break;
    case ODP_CELL_BOOLEAN:
        if (type == ODP_TYPE_BOOLEAN) {
            v->text = c->text;
            v->flags = ODP_CELL_NATIVE;
        }
        break;
    default:
        break;
    }
}

/* The first cell of a merged range: its text is proposed for those below it. */
static void keep_above(struct xlsx_source *s, const struct odp_sheet_cell *c, const struct value *v)
{
    uint32_t column = c->column - s->first;
    odp_buffer_clear(&s->above[column]);
    odp_buffer_add_slice(&s->above[column], v->text);
    s->above_row[column] = s->next.row;
}

/* Room for the row's text, once as it is shown, and again where that differs. */
static size_t text_bytes(const struct xlsx_source *s)
{
    size_t n = 3 * (size_t)s->base.info.ncolumns + 1;
    for (uint32_t i = 0; i < s->next.n; i++) {
        const struct odp_sheet_cell *c = &s->next.cells[i];
        n += 2 * (c->text.len + c->iso.len) + 96;
        if (c->merged && c->column >= s->first && c->column - s->first < s->base.info.ncolumns)
            n += 2 * covered(s, c).len;
    }
    return n;
}

/* Of the cells' texts, as the limit counts them. */
static size_t row_bytes(const struct xlsx_source *s)
{
    size_t n = 0;
    for (uint32_t i = 0; i < s->next.n; i++)
        n += s->next.cells[i].text.len;
    return n;
}

struct writer {
    char *p;
    size_t n;
    char *copy; /* behind the shown text */
};

/* The cell's text is in the line as it is, unless a line break must not be. */
static void write_cell(struct writer *w, struct odp_cell *cell, const struct value *v)
{
    bool broken = false;
    cell->pos = (uint32_t)w->n & 0x3FFFFFF;
    cell->ptr = w->p + w->n;
    cell->len = (uint32_t)v->text.len;
    cell->flags = v->flags;
    cell->oddity = v->oddity;
    if (v->oddity == ODP_ODD_MERGED || v->text.len == 0) {
        w->copy -= v->text.len;
        if (v->text.len > 0)
            memcpy(w->copy, v->text.ptr, v->text.len);
        cell->ptr = v->text.len > 0 ? w->copy : "";
        return;
    }
    for (size_t i = 0; i < v->text.len; i++) {
        char c = v->text.ptr[i];
        broken = broken || c == '\n' || c == '\r';
        w->p[w->n + i] = c == '\n' || c == '\r' ? ' ' : c;
    }
    w->n += v->text.len;
    if (broken) {
        w->copy -= v->text.len;
        memcpy(w->copy, v->text.ptr, v->text.len);
        cell->ptr = w->copy;
    }
}

static void write_row(const struct xlsx_source *s, struct writer *w, struct odp_cell *cells)
{
    uint32_t at = 0;
    for (uint32_t k = 0; k < s->base.info.ncolumns; k++) {
        char buf[80];
        struct value v = {.text = {"", 0}};
        while (at < s->next.n && s->next.cells[at].column < s->first + k)
            at++;
        if (at < s->next.n && s->next.cells[at].column == s->first + k)
            value_of(s, &s->next.cells[at], s->base.info.field_of_column[k], buf, &v);
        if (k > 0) {
            memcpy(w->p + w->n, " | ", 3);
            w->n += 3;
        }
        write_cell(w, &cells[k], &v);
    }
}

static void cell_diag(const struct xlsx_source *s, const struct odp_batch *b, uint32_t column,
                      enum odp_code code, struct odp_diag *d)
{
    int field = s->base.info.field_of_column[column];
    odp_batch_diag(b, (struct odp_batch_place){b->nrecords - 1, field, (int)column}, s->base.info.file, false,
                   d);
    d->code = code;
}

/* A value outside of the table. */
static void say_extra(const struct xlsx_source *s, struct odp_batch *b, const struct odp_sheet_cell *c)
{
    static const struct odp_text outside = {{W_read_something_stands_outside_table}};
    struct odp_diag d;
    char buf[80], columns[16];
    size_t end = b->records[b->nrecords - 1].source.len;
    b->records[b->nrecords - 1].flags |= ODP_RECORD_SKIP;
    odp_batch_diag_at(b, b->nrecords - 1, end, 0, s->base.info.file, &d);
    d.code = ODP_R03;
    d.message = &outside;
    d.column = (uint64_t)c->column + 1;
    d.value = odp_xlsx_shown(c, buf);
    snprintf(columns, sizeof columns, "%u", s->base.info.ncolumns);
    d.args[1] = odp_slice_of(columns);
    d.secret = b->resource->has_private;
    odp_diags_add(b->diags, &d);
}

/* Remarks about one cell of the table. */
static void check_cell(const struct xlsx_source *s, struct odp_batch *b, const struct odp_sheet_cell *c)
{
    struct odp_diag d;
    uint32_t column = c->column - s->first;
    if (c->kind == ODP_CELL_EMPTY)
        return;
    if (c->formula && c->kind != ODP_CELL_ERROR && s->base.info.field_of_column[column] >= 0) {
        cell_diag(s, b, column, ODP_S24, &d);
        odp_diags_add(b->diags, &d);
    }
    if (c->percent && (b->cells[b->records[b->nrecords - 1].first + column].flags & ODP_CELL_NATIVE) != 0) {
        cell_diag(s, b, column, ODP_S28, &d);
        odp_diags_add(b->diags, &d);
    }
    if (c->kind != ODP_CELL_TEXT)
        return;
    if (memchr(c->text.ptr, '\0', c->text.len) != NULL) {
        b->records[b->nrecords - 1].flags |= ODP_RECORD_SKIP;
        cell_diag(s, b, column, ODP_E04, &d);
        odp_diags_add(b->diags, &d);
        return;
    }
    if (memchr(c->text.ptr, '\n', c->text.len) != NULL || memchr(c->text.ptr, '\r', c->text.len) != NULL) {
        cell_diag(s, b, column, ODP_R09, &d);
        odp_diags_add(b->diags, &d);
        return;
    }
}

static enum odp_status check_row(struct xlsx_source *s, struct odp_batch *b)
{
    struct odp_record *rec = &b->records[b->nrecords - 1];
    struct odp_diag d;
    if (s->next.hidden) {
        odp_batch_diag_at(b, b->nrecords - 1, 0, 0, s->base.info.file, &d);
        d.code = ODP_S26;
        d.column = 0;
        odp_diags_add(b->diags, &d);
    }
    if (s->base.info.ncolumns > 1 && odp_slice_eq(rec->source, s->header)) {
        bool refused = odp_resource_refuses(s->base.resource, ODP_R10);
        odp_batch_diag_at(b, b->nrecords - 1, 0, rec->source.len, s->base.info.file, &d);
        d.code = ODP_R10;
        d.action = ODP_ACTION_DELETE_RECORD;
        if (refused)
            rec->flags |= ODP_RECORD_SKIP;
        odp_diags_add(b->diags, &d);
        if (refused)
            return ODP_OK;
    }
    for (uint32_t i = 0; i < s->next.n; i++) {
        const struct odp_sheet_cell *c = &s->next.cells[i];
        bool inside = c->column >= s->first && c->column - s->first < s->base.info.ncolumns;
        if (!inside && c->kind == ODP_CELL_EMPTY)
            continue;
        if (!inside) /* one such cell is enough */
        {
            say_extra(s, b, c);
            return ODP_OK;
        }
        check_cell(s, b, c);
    }
    return ODP_OK;
}

static enum odp_status keep_anchors(struct xlsx_source *s)
{
    for (uint32_t i = 0; i < s->next.n; i++) {
        const struct odp_sheet_cell *c = &s->next.cells[i];
        char buf[80];
        struct value v;
        if (!c->anchor || c->column < s->first || c->column - s->first >= s->base.info.ncolumns)
            continue;
        value_of(s, c, s->base.info.field_of_column[c->column - s->first], buf, &v);
        keep_above(s, c, &v);
        if (odp_buffer_status(&s->above[c->column - s->first]) != ODP_OK)
            return ODP_FAIL;
    }
    return ODP_OK;
}

enum odp_status xlsx_add_row(struct xlsx_source *s, struct odp_batch *b)
{
    size_t room = text_bytes(s);
    uint32_t first = b->ncells, n = s->base.info.ncolumns;
    bool long_row = row_bytes(s) > (size_t)odp_limits_of(s->base.resource)->record_bytes;
    struct odp_record *rec = odp_batch_add_record(b);
    struct odp_cell *cells = rec != NULL && !long_row ? odp_batch_add_cells(b, n) : NULL;
    char *p = cells != NULL ? odp_arena_alloc(&b->arena, room) : NULL;
    if (rec == NULL || (!long_row && p == NULL))
        return ODP_FAIL;
    rec->row = ++s->records;
    rec->line = s->next.row;
    rec->flags = ODP_RECORD_SHEET;
    rec->aux = s->first;
    rec->first = first;
    if (long_row) {
        struct odp_diag d;
        rec->flags |= ODP_RECORD_SKIP;
        rec->source = ODP_LIT("");
        odp_batch_diag_at(b, b->nrecords - 1, 0, 0, s->base.info.file, &d);
        d.code = ODP_R07;
        char most[24];
        d.args[0] = (struct odp_slice){
            most, (size_t)snprintf(most, sizeof most, "%lld",
                                   (long long)odp_limits_of(s->base.resource)->record_bytes)};
        odp_diags_add(b->diags, &d);
        return ODP_OK;
    }
    struct writer w = {.p = p, .copy = p + room};
    write_row(s, &w, cells);
    rec->count = n;
    rec->source = (struct odp_slice){p, w.n};
    if (check_row(s, b) != ODP_OK)
        return ODP_FAIL;
    return keep_anchors(s);
}
