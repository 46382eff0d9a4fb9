/* A resource's sheet: its bad records and their neighbours, read again from the source. */
#include <stdio.h>

#include "base/line.h"
#include "base/utf8.h"
#include "repair/workbook/workbook_internal.h"
#include "words/repair.h"

enum {
    PROBLEM_BYTES = 1500, /* of "problem"; the rest is counted */
    WIDTH_MAX = 42,
    SPARE = 1000 /* rows below the last with drop-downs */
};

/* ---- columns ---- */

/* Names a column; a number makes HEADER unique on its sheet. */
static void add_column(struct book *b, struct book_sheet *s, struct book_column *to, const char *header)
{
    const char *name = odp_arena_str(&b->arena, header);
    bool taken = true;
    for (unsigned k = 2; taken; k++) {
        taken = false;
        for (lxw_col_t i = 0; i < s->ncolumns && !taken; i++)
            taken = s->columns[i].header != NULL && strcmp(s->columns[i].header, name) == 0;
        if (taken)
            name = odp_arena_printf(&b->arena, "%s (%u)", header, k);
    }
    to->header = name;
}

/* The source's own columns keep their labels: ours are named last and put first. */
static void plan_columns(struct book *b, struct book_sheet *s, const struct odp_source_info *info)
{
    size_t most = 4 + 2 * (size_t)info->ncolumns;
    s->columns = odp_arena_zero(&b->arena, most < LXW_COL_MAX ? most : LXW_COL_MAX, sizeof *s->columns);
    s->ncolumns = 4; /* reserved */
    for (uint32_t c = 0; c < info->ncolumns && s->ncolumns + 2 < LXW_COL_MAX; c++) {
        int field = info->field_of_column[c];
        odp_buffer_clear(&b->text);
        correct_shown(&b->text, odp_slice_trim(info->labels[c]), NULL);
        char *label = odp_arena_str(&b->arena, odp_buffer_cstr(&b->text));
        s->columns[s->ncolumns] = (struct book_column){.kind = CORRECT_CELL, .column = c, .field = field};
        add_column(b, s, &s->columns[s->ncolumns], *label != '\0' ? label : "?");
        s->ncolumns++;
        if (field < 0 || (s->fields[field] & FIELD_PROPOSED) == 0)
            continue;
        s->columns[s->ncolumns] = (struct book_column){.kind = CORRECT_PROPOSAL, .column = c, .field = field};
        add_column(b, s, &s->columns[s->ncolumns],
                   odp_arena_printf(&b->arena, book_word(b, W_repair_proposal), label));
        s->ncolumns++;
    }
    const char *id = odp_arena_printf(&b->arena, "id %s/%s", s->resource->dataset->slug,
                                      s->resource->name); /* identifies a renamed sheet */
    const char *const own[] = {id, book_word(b, W_repair_line), book_word(b, W_repair_action),
                               book_word(b, W_repair_problem)};
    for (lxw_col_t i = 0; i < 4; i++) {
        s->columns[i] = (struct book_column){.kind = (enum correct_column_kind)i, .field = -1};
        add_column(b, s, &s->columns[i], own[i]);
    }
}

/* The comment of a column's header: the field's title and unit. */
static void comment_header(struct book *b, struct book_sheet *s, lxw_col_t k)
{
    const struct book_column *c = &s->columns[k];
    if (c->kind != CORRECT_CELL || c->field < 0)
        return;
    const struct odp_field *f = &s->resource->schema.fields[c->field];
    const char *title = odp_text_get(&f->title, b->o->lang), *unit = odp_text_get(&f->unit, b->o->lang);
    odp_buffer_clear(&b->text);
    odp_buffer_printf(&b->text, "%s%s%s%s", title, *unit != '\0' ? " (" : "", unit, *unit != '\0' ? ")" : "");
    if (b->text.len > 0)
        book_comment(b, s->sheet, 0, k, odp_buffer_slice(&b->text));
}

static void put_header(struct book *b, struct book_sheet *s)
{
    odp_book_note(&b->out, worksheet_set_row(s->sheet, 0, 32, NULL));
    for (lxw_col_t k = 0; k < s->ncolumns; k++) {
        lxw_format *look = b->looks.head_own;
        if (s->columns[k].kind == CORRECT_PROPOSAL)
            look = b->looks.head_proposal;
        else if (s->columns[k].kind == CORRECT_CELL)
            look = b->looks.head;
        odp_book_put_str(&b->out, s->sheet, 0, k, s->columns[k].header, look);
        comment_header(b, s, k);
    }
    s->row = 1;
}

/* ---- the words of a record's faults ---- */

static void add_proposal(struct book *b, const struct odp_diag *d)
{
    if (d->action == ODP_ACTION_DELETE_RECORD)
        odp_buffer_add_str(&b->cell, book_word(b, W_repair_proposal_delete_row));
    else if (d->action == ODP_ACTION_REPLACE && d->proposal.ptr != NULL && d->proposal.len == 0)
        odp_buffer_add_str(&b->cell, book_word(b, W_repair_proposal_leave_empty));
}

/* "GALAT luas_ha: bukan bilangan desimal: …" into b->cell, one line. */
static void add_fault(struct book *b, const struct odp_diag *d, bool help)
{
    static const char *const words[][ODP_LANGS] = {
        {"", ""}, {"CATATAN", "NOTE"}, {"PERINGATAN", "WARNING"}, {"GALAT", "ERROR"}};
    odp_buffer_add_str(&b->cell, words[d->severity][b->o->lang]);
    if (d->field != NULL)
        odp_buffer_printf(&b->cell, " %s", d->field);
    odp_buffer_add_str(&b->cell, ": ");
    odp_report_message(&b->cell, d, b->o->lang);
    if (help) {
        size_t before = b->cell.len;
        odp_buffer_add_str(&b->cell, "\n→ ");
        size_t start = b->cell.len;
        odp_report_help(&b->cell, d, b->o->lang);
        if (b->cell.len == start)
            b->cell.len = before;
    }
    add_proposal(b, d);
}

/* The faults of a record. */
struct faults {
    const struct odp_diag *d;
    size_t n; /* 0: it is context */
};

/* The record's faults into b->cell. */
static void describe(struct book *b, struct faults f)
{
    size_t left_out = 0;
    odp_buffer_clear(&b->cell);
    for (size_t i = 0; i < f.n; i++) {
        if (b->cell.len > PROBLEM_BYTES) {
            left_out++;
            continue;
        }
        if (b->cell.len > 0)
            odp_buffer_add_char(&b->cell, '\n');
        add_fault(b, &f.d[i], false);
    }
    if (left_out > 0)
        odp_buffer_printf(&b->cell, book_word(b, W_repair_and_more), (unsigned long long)left_out);
}

static unsigned lines_of(struct odp_slice s, unsigned width)
{
    unsigned lines = 0;
    while (s.len > 0) {
        size_t w = odp_utf8_width(odp_line_next(&s));
        lines += 1 + (unsigned)(w > 0 ? (w - 1) / width : 0);
    }
    return lines > 0 ? lines : 1;
}

/* ---- a record's row ---- */

static void widen_column(struct book_column *c, struct odp_slice text)
{
    const char *end = c->width < WIDTH_MAX && text.len > 0 ? memchr(text.ptr, '\n', text.len) : NULL;
    size_t n = end != NULL ? (size_t)(end - text.ptr) : text.len;
    if (n > c->width && c->width < WIDTH_MAX) {
        size_t w = odp_utf8_width((struct odp_slice){text.ptr, n < 400 ? n : 400});
        c->width = w > c->width ? (unsigned)(w < WIDTH_MAX ? w : WIDTH_MAX) : c->width;
    }
}

/* The worst fault of FIELD, and its first proposal (NULL: none). */
static enum odp_severity worst(const struct book_sheet *s, struct faults f, int field,
                               const struct odp_diag **proposal)
{
    enum odp_severity severity = ODP_SEVERITY_OFF;
    *proposal = NULL;
    if (field < 0 || (s->fields[field] & FIELD_BAD) == 0)
        return severity;
    for (size_t i = 0; i < f.n; i++) {
        const struct odp_diag *d = &f.d[i];
        if (!odp_str_eq(d->field, s->resource->schema.fields[field].name))
            continue;
        severity = d->severity > severity ? d->severity : severity;
        if (*proposal == NULL && d->action == ODP_ACTION_REPLACE && d->proposal.ptr != NULL)
            *proposal = d;
    }
    return severity;
}

static void comment_cell(struct book *b, struct book_sheet *s, lxw_col_t k, struct faults f)
{
    const char *name = s->resource->schema.fields[s->columns[k].field].name;
    if (b->comments >= CORRECT_COMMENTS) {
        b->comments_left_out++;
        return;
    }
    odp_buffer_clear(&b->cell);
    for (size_t i = 0; i < f.n && b->cell.len < PROBLEM_BYTES; i++) {
        if (!odp_str_eq(f.d[i].field, name))
            continue;
        if (b->cell.len > 0)
            odp_buffer_add_char(&b->cell, '\n');
        add_fault(b, &f.d[i], true);
    }
    book_comment(b, s->sheet, s->row, k, odp_buffer_slice(&b->cell));
}

/* The text in column C: of a record whose cells are unknown, all of it in the first. */
static struct odp_slice shown_at(const struct correct_record *r, uint32_t c, uint32_t ncolumns)
{
    return r->broken && r->raw->count == 0 && c == 0 ? r->shown[ncolumns] : r->shown[c];
}

static void put_id(struct book *b, struct book_sheet *s, const struct correct_record *r, uint32_t ncolumns,
                   unsigned flags)
{
    struct correct_id id = {.row = r->row, .flags = flags | (r->broken ? CORRECT_FLAG_BROKEN : 0)};
    memcpy(id.digest, r->digest, sizeof id.digest);
    odp_buffer_clear(&b->text);
    for (uint32_t c = 0; c < ncolumns; c++) {
        char mark[2];
        correct_mark(shown_at(r, c, ncolumns), mark);
        odp_buffer_add(&b->text, mark, 2);
    }
    id.marks = odp_buffer_slice(&b->text);
    odp_buffer_clear(&b->cell);
    correct_id_write(&b->cell, &id);
    odp_book_put(&b->out, s->sheet, s->row, 0, odp_buffer_slice(&b->cell), b->looks.plain);
}

static void put_cells(struct book *b, struct book_sheet *s, const struct correct_record *r, uint32_t ncolumns,
                      struct faults f)
{
    lxw_format *usual = f.n == 0 ? b->looks.context : b->looks.plain;
    const struct odp_diag *proposal = NULL;
    for (lxw_col_t k = 4; k < s->ncolumns; k++) {
        struct book_column *c = &s->columns[k];
        if (c->kind == CORRECT_PROPOSAL) { /* after its cell */
            odp_buffer_clear(&b->text);
            if (proposal != NULL)
                correct_shown(&b->text, proposal->proposal, NULL);
            widen_column(c, odp_buffer_slice(&b->text));
            odp_book_put(&b->out, s->sheet, s->row, k, odp_buffer_slice(&b->text),
                         proposal != NULL ? b->looks.proposal : usual);
            continue;
        }
        struct odp_slice text = shown_at(r, c->column, ncolumns);
        enum odp_severity severity = worst(s, f, c->field, &proposal);
        widen_column(c, text);
        s->cut += r->cut[c->column];
        odp_book_put(&b->out, s->sheet, s->row, k, text,
                     severity != ODP_SEVERITY_OFF ? b->looks.bad[severity] : usual);
        if (severity != ODP_SEVERITY_OFF)
            comment_cell(b, s, k, f);
    }
}

static void put_record(struct book *b, struct book_sheet *s, const struct odp_source_info *info,
                       const struct correct_record *r, struct faults f)
{
    const struct book_looks *l = &b->looks;
    bool context = f.n == 0;
    unsigned flags = 0;
    enum odp_severity severity = ODP_SEVERITY_OFF; /* of the row: its line's colour */
    for (size_t i = 0; i < f.n; i++) {
        const struct odp_diag *d = &f.d[i];
        severity = d->severity > severity ? d->severity : severity;
        flags |= d->action == ODP_ACTION_DELETE_RECORD ? CORRECT_FLAG_DELETE : 0;
        if (d->action == ODP_ACTION_DELETE_RECORD && strncmp(odp_code_info(d->code)->code, "ODP-K", 5) == 0)
            flags |= CORRECT_FLAG_COPY; /* the key is another record's, and so is the rest */
    }
    describe(b, f);
    if (context)
        odp_buffer_add_str(&b->cell, book_word(b, W_repair_context));
    else if (r->broken)
        odp_buffer_add_str(&b->cell, book_word(b, W_repair_row_form_broken_delete_here));
    unsigned lines = lines_of(odp_buffer_slice(&b->cell), 56);
    char line[24];
    (void)snprintf(line, sizeof line, "%llu", (unsigned long long)r->line);
    /* Not in the order of the columns: the library needs no order in a row, and `cell` holds the words now.
     */
    odp_book_put(&b->out, s->sheet, s->row, 3, odp_buffer_slice(&b->cell), context ? l->context : l->problem);
    if (lines > 1)
        odp_book_note(&b->out,
                      worksheet_set_row(s->sheet, s->row, lines > 12 ? 12 * 15.0 : lines * 15.0, NULL));
    put_id(b, s, r, info->ncolumns, flags);
    odp_book_put_str(&b->out, s->sheet, s->row, 1, line, context ? l->context_line : l->line[severity]);
    odp_book_put_str(&b->out, s->sheet, s->row, 2, "", context ? l->context : l->action);
    put_cells(b, s, r, info->ncolumns, f);
    s->broken += r->broken && !context;
    s->row++;
}

/* ---- reading ---- */

struct rows {
    struct book *b;
    struct book_sheet *s;
};

static enum odp_status begin(void *ctx, const struct odp_source_info *info)
{
    struct rows *w = ctx;
    w->s->sheet = odp_book_sheet(&w->b->out, w->s->name);
    if (w->s->sheet == NULL)
        return ODP_FAIL;
    plan_columns(w->b, w->s, info);
    put_header(w->b, w->s);
    return book_status(w->b);
}

/* Moves s->next on over the faults up to those of ROW, which go into FAULTS (cleared first); false: none
 * of them belongs into the workbook.
 */
static bool faults_of(struct book_sheet *s, uint64_t row, struct odp_buffer *faults)
{
    bool here = false;
    struct odp_diag d;
    odp_buffer_clear(faults);
    for (uint64_t i = s->next; i < odp_fault_list_count(s->faults); i++) {
        odp_fault_list_get(s->faults, i, &d);
        if (d.row > row)
            break;
        if (d.row < row) {
            s->next = i + 1;
            continue;
        }
        odp_buffer_add(faults, &d, sizeof d);
        here = here || book_is_here(&d);
    }
    return here;
}

static enum odp_status take(void *ctx, const struct odp_source_info *info, const struct correct_record *r)
{
    struct rows *w = ctx;
    struct book_sheet *s = w->s;
    struct odp_buffer *faults = &w->b->faults;
    s->rows++;
    bool bad = faults_of(s, r->row, faults);
    struct faults f = {(const void *)faults->ptr, bad ? faults->len / sizeof *f.d : 0};
    if (!bad && s->context) { /* next to a bad one? */
        bool shown = (s->held == r->row - 1 && s->held != 0) || faults_of(s, r->row + 1, faults);
        if (!shown)
            return ODP_OK;
    } else if (!bad) {
        return ODP_OK;
    }
    s->held = bad ? r->row : s->held;
    if (s->row > CORRECT_ROWS) {
        s->left_out += bad;
        return ODP_OK;
    }
    put_record(w->b, s, info, r, f);
    return book_status(w->b);
}

/* ---- the sheet as a whole ---- */

static void offer_action(struct book *b, struct book_sheet *s, lxw_row_t last)
{
    const char *const both[] = {correct_action_word(CORRECT_ACCEPT, b->o->lang),
                                correct_action_word(CORRECT_DELETE, b->o->lang), NULL};
    bool proposals = false;
    for (lxw_col_t k = 0; k < s->ncolumns; k++)
        proposals = proposals || s->columns[k].kind == CORRECT_PROPOSAL;
    bool shape =
        correct_is_shapefile(s->resource, s->path); /* its records are not deleted here: each has a shape */
    const char *const accept[] = {both[0], NULL};
    if ((shape && !proposals) || !correct_can_rewrite(s->resource, s->path))
        return;
    lxw_data_validation v = {.validate = LXW_VALIDATION_TYPE_LIST,
                             .ignore_blank = LXW_VALIDATION_ON,
                             .error_type = LXW_VALIDATION_ERROR_TYPE_STOP,
                             .value_list = (void *)(shape ? accept : both),
                             .error_title = (char *)book_word(b, W_repair_action_2),
                             .error_message = (char *)book_word(b, W_repair_choose_from_list_leave_empty)};
    odp_book_validate(&b->out, s->sheet, 1, 2, last, &v);
}

/* A drop-down of the values that a field may hold; another text causes a warning, not a refusal, because
 * missing values are written in many ways. */
static void offer_values(struct book *b, struct book_sheet *s, lxw_col_t k, lxw_row_t last)
{
    const struct book_list *list = book_list_of(b, s->resource, s->columns[k].field);
    char formula[160];
    if (list == NULL || list->n == 0)
        return;
    (void)snprintf(formula, sizeof formula, "='%s'!$B$%u:$B$%u", book_lists_name(b), list->first + 1,
                   list->first + (unsigned)list->n);
    lxw_data_validation v = {.validate = LXW_VALIDATION_TYPE_LIST_FORMULA,
                             .ignore_blank = LXW_VALIDATION_ON,
                             .error_type = LXW_VALIDATION_ERROR_TYPE_WARNING,
                             .value_formula = formula,
                             .error_title = (char *)book_word(b, W_repair_not_list),
                             .error_message = (char *)book_word(b, W_repair_see_sheet_code_lists)};
    odp_book_validate(&b->out, s->sheet, 1, k, last, &v);
}

static double width_of(const struct book_sheet *s, lxw_col_t k)
{
    static const double own[] = {10, 9, 13, 60};
    size_t label = odp_utf8_width(odp_slice_of(s->columns[k].header)) + 3,
           cells = s->columns[k].width + 2; /* 3: the filter's button */
    if (k < 4)
        return own[k];
    if (cells > label)
        return (double)cells;
    return label < WIDTH_MAX ? (double)label : WIDTH_MAX;
}

static void finish(struct book *b, struct book_sheet *s)
{
    lxw_row_t last = s->row + SPARE < LXW_ROW_MAX ? s->row + SPARE : LXW_ROW_MAX - 1;
    lxw_col_t end = (lxw_col_t)(s->ncolumns - 1);
    for (lxw_col_t k = 0; k < s->ncolumns; k++) {
        lxw_row_col_options hidden = {.hidden = LXW_TRUE};
        /* The whole column is text, so that new rows keep their zeros. */
        odp_book_note(&b->out, worksheet_set_column_opt(s->sheet, k, k, width_of(s, k), b->looks.plain,
                                                        k == 0 ? &hidden : NULL));
        if (s->columns[k].kind == CORRECT_CELL && s->columns[k].field >= 0)
            offer_values(b, s, k, last);
    }
    offer_action(b, s, last);
    odp_book_note(&b->out, worksheet_autofilter(s->sheet, 0, 0, s->row > 1 ? s->row - 1 : 1, end));
    odp_book_codes(&b->out, s->sheet, 0, last, end);
    worksheet_freeze_panes(s->sheet, 1, 3);
    odp_book_print(s->sheet);
    odp_book_note(&b->out, worksheet_repeat_rows(s->sheet, 0, 0));
}

enum odp_status book_rows_put(struct book *b, struct book_sheet *s)
{
    struct rows w = {b, s};
    struct correct_reading to = {&w, begin, take};
    enum odp_status status = correct_read(s->resource, s->path, &to, b->diags);
    if (status == ODP_OK)
        finish(b, s);
    return status == ODP_BAD ? ODP_OK : status; /* BAD: it could not be read, or not any more */
}
