/* A sheet's rows. An unchanged row is dropped at once: its cells have the digest in its id. The others are
 * kept whole, because only their record in the source can tell what has changed. */
#include <search.h>
#include <stdio.h>

#include "repair/apply/apply_internal.h"
#include "words/repair.h"

/* A known id: row of the source -> row of the sheet, and the kept row if there is one; in a tree of the C
 * library. */
struct seen {
    uint64_t row;
    uint32_t sheet_row;
    struct apply_row *kept;
};

struct reading {
    struct apply *a;
    struct apply_sheet *s;
    const struct apply_column **at; /* by column of the sheet; NULL: not ours */
    size_t nat;
    const struct apply_column *own[CORRECT_PROBLEM + 1];
    bool whole;                           /* every column of the source is there */
    struct apply_cell *cells, *proposals; /* of the current row */
    struct odp_slice *shown;
    struct odp_buffer text, scratch;
    void *ids; /* tsearch: struct seen */
};

/* ---- the header ---- */

static struct apply_column *column_named(struct apply_sheet *s, struct odp_slice label)
{
    for (size_t i = 0; i < s->ncolumns; i++)
        if (odp_slice_is(label, s->columns[i].header))
            return &s->columns[i];
    label = odp_slice_trim(label);
    for (size_t i = 0; i < s->ncolumns; i++)
        if (odp_slice_is(label, s->columns[i].header))
            return &s->columns[i];
    return NULL;
}

static void report_column_fault(struct reading *g, enum odp_code code, uint32_t row, int column,
                                const char *label)
{
    apply_report(g->a, g->s, row, column, (struct odp_diag){.code = code, .args = {odp_slice_of(label)}});
}

/* A label of another column now in place of one that is gone, while a foreign label has come: labels were
 * retyped, so cells below may be another column's. Moved or deleted columns bring no new label. NULL: none.
 */
static const struct apply_column *mislabelled(const struct apply_sheet *s)
{
    for (size_t i = 0; i < s->ncolumns; i++) {
        if (s->columns[i].kind != CORRECT_CELL || s->columns[i].at >= 0)
            continue;
        for (size_t k = 0; k < s->ncolumns; k++)
            if (k != i && s->columns[k].kind == CORRECT_CELL && s->columns[k].at == (int)i)
                return &s->columns[k];
    }
    return NULL;
}

static enum odp_status read_header(struct reading *g, const struct odp_sheet_row *row)
{
    struct apply_sheet *s = g->s;
    bool extra = false;
    for (uint32_t i = 0; i < row->n; i++)
        g->nat = (size_t)row->cells[i].column + 1;
    g->at = odp_arena_zero(g->a->arena, g->nat + 1, sizeof *g->at);
    for (uint32_t i = 0; i < row->n; i++) {
        const struct odp_sheet_cell *c = &row->cells[i];
        struct apply_column *column = column_named(s, c->text);
        if (c->kind == ODP_CELL_EMPTY)
            continue;
        if (column != NULL && column->at < 0) {
            column->at = (int)c->column;
            g->at[c->column] = column;
            continue;
        }
        extra = true;
        report_column_fault(g, ODP_A17, row->row, (int)c->column, odp_arena_copy(g->a->arena, c->text).ptr);
    }
    g->whole = true;
    for (size_t i = 0; i < s->ncolumns; i++) {
        struct apply_column *column = &s->columns[i];
        if (column->kind <= CORRECT_PROBLEM)
            g->own[column->kind] = column;
        g->whole = g->whole && (column->kind != CORRECT_CELL || column->at >= 0);
        bool needed = column->kind == CORRECT_CELL || column->kind == CORRECT_PROPOSAL ||
                      column->kind == CORRECT_ACTION;
        if (column->at < 0 && needed)
            report_column_fault(g, ODP_A16, row->row, -1, column->header);
    }
    const struct apply_column *wrong = extra ? mislabelled(s) : NULL;
    if (wrong != NULL) {
        report_column_fault(g, ODP_A30, row->row, wrong->at, wrong->header);
        return ODP_BAD;
    }
    if (g->own[CORRECT_ID] == NULL || g->own[CORRECT_ID]->at < 0) { /* without ids every row would look new */
        apply_report(g->a, s, row->row, -1,
                     (struct odp_diag){.code = ODP_A18, .args = {ODP_LIT("1"), ODP_LIT("id")}});
        return ODP_BAD;
    }
    return apply_status(g->a);
}

/* ---- ids ---- */

static int by_row(const void *x, const void *y)
{
    const struct seen *a = x, *b = y;
    return (a->row > b->row) - (a->row < b->row);
}

static void nothing(void *seen)
{
    (void)seen; /* in the arena */
}

/* The entry of ROW; *NEW: it was added. NULL: out of memory. */
static struct seen *seen_of(struct reading *g, uint64_t row, bool *new)
{
    struct seen *s = odp_arena_zero(g->a->arena, 1, sizeof *s);
    s->row = row;
    struct seen *const *at = tsearch(s, &g->ids, by_row);
    *new = at != NULL &&*at == s;
    return at != NULL ? *at : NULL;
}

static void report_bad_id(struct reading *g, uint32_t sheet_row, const char *id, const char *en)
{
    char number[16];
    struct odp_text message = {{id, en}};
    (void)snprintf(number, sizeof number, "%u", sheet_row);
    apply_report(g->a, g->s, sheet_row, 0,
                 (struct odp_diag){.code = ODP_A18, .message = &message, .args = {odp_slice_of(number)}});
}

/* ---- a row ---- */

/* The cells of ROW by the source's columns, valid until the next row. */
static void take_cells(struct reading *g, const struct odp_sheet_row *row,
                       struct odp_slice own[CORRECT_PROBLEM + 1], bool *data, bool *proposed)
{
    struct apply_sheet *s = g->s;
    *data = *proposed = false;
    memset(g->cells, 0, s->width * sizeof *g->cells);
    memset(g->proposals, 0, s->width * sizeof *g->proposals);
    for (size_t i = 0; i < s->ncolumns; i++) {
        const struct apply_column *c = &s->columns[i];
        if (c->kind == CORRECT_CELL && c->at >= 0) {
            g->cells[c->column].there = true;
            g->cells[c->column].at = (uint32_t)c->at;
        }
    }
    for (uint32_t i = 0; i < row->n; i++) {
        const struct odp_sheet_cell *c = &row->cells[i];
        const struct apply_column *column = c->column < g->nat ? g->at[c->column] : NULL;
        if (column == NULL)
            continue;
        if (column->kind <= CORRECT_PROBLEM) {
            own[column->kind] = c->kind == ODP_CELL_EMPTY ? ODP_LIT("") : c->text;
            continue;
        }
        bool proposal = column->kind == CORRECT_PROPOSAL;
        struct apply_cell *out = &(proposal ? g->proposals : g->cells)[column->column];
        *out = (struct apply_cell){c->text, c->iso, c->kind, c->formula, c->merged, true, c->column};
        *(proposal ? proposed : data) = *(proposal ? proposed : data) || c->kind != ODP_CELL_EMPTY;
    }
}

/* Texts as they are shown, so that both sides of a comparison are alike. */
static void show_cells(struct reading *g)
{
    odp_buffer_clear(&g->text);
    for (uint32_t c = 0; c < g->s->width; c++) {
        size_t at = g->text.len;
        if (g->cells[c].kind != ODP_CELL_EMPTY)
            correct_shown(&g->text, g->cells[c].text, NULL);
        g->shown[c] = (struct odp_slice){NULL, at}; /* the buffer may still move */
    }
    for (uint32_t c = 0; c < g->s->width && !g->text.failed; c++) {
        size_t at = g->shown[c].len, end = c + 1 < g->s->width ? g->shown[c + 1].len : g->text.len;
        g->shown[c] = (struct odp_slice){g->text.ptr != NULL ? g->text.ptr + at : "", end - at};
    }
}

/* Whether the row is as it was when the workbook was made. */
static bool is_untouched(struct reading *g, const struct correct_id *id)
{
    if (g->whole && (id->flags & CORRECT_FLAG_BROKEN) == 0) {
        char digest[CORRECT_ID_DIGEST];
        correct_digest(g->shown, g->s->width, &g->scratch, digest);
        return memcmp(digest, id->digest, sizeof digest) == 0;
    }
    for (uint32_t c = 0; c < g->s->width; c++) {
        char mark[2];
        correct_mark(g->shown[c], mark);
        if (g->cells[c].there && memcmp(mark, id->marks.ptr + 2 * (size_t)c, 2) != 0)
            return false;
    }
    /* 12 bits a cell are enough for a row, not for a cell: a row with other columns is compared with the
     * source. */
    return (id->flags & CORRECT_FLAG_BROKEN) != 0;
}

static void copy_cells(struct reading *g, struct apply_cell *to, const struct apply_cell *from,
                       const struct odp_slice *shown)
{
    struct odp_arena *arena = g->a->arena;
    for (uint32_t c = 0; c < g->s->width; c++) {
        to[c] = from[c];
        struct odp_slice text = shown != NULL && from[c].kind == ODP_CELL_TEXT ? shown[c] : from[c].text;
        to[c].text = text.len > 0 ? odp_arena_copy(arena, text) : ODP_LIT("");
        to[c].iso = from[c].iso.len > 0 ? odp_arena_copy(arena, from[c].iso) : ODP_LIT("");
    }
}

static struct apply_row *add_row(struct reading *g, uint32_t sheet_row, bool proposed)
{
    struct apply_sheet *s = g->s;
    struct apply_row *r = odp_arena_zero(g->a->arena, 1, sizeof *r);
    r->sheet_row = sheet_row;
    r->cells = odp_arena_array(g->a->arena, s->width, sizeof *r->cells);
    copy_cells(g, r->cells, g->cells, g->shown);
    if (proposed) {
        r->proposals = odp_arena_array(g->a->arena, s->width, sizeof *r->proposals);
        copy_cells(g, r->proposals, g->proposals, NULL);
    }
    s->rows = odp_arena_more(g->a->arena, s->rows, s->nrows, sizeof *s->rows);
    s->rows[s->nrows++] = r;
    return r;
}

static void report_bad_action(struct reading *g, uint32_t row, struct odp_slice word, bool no_proposal)
{
    static const struct odp_text empty = {{W_repair_proposal_accepted_but_row_holds}};
    int column = g->own[CORRECT_ACTION]->at;
    apply_report(g->a, g->s, row, column,
                 (struct odp_diag){.code = ODP_A21,
                                   .value = word,
                                   .message = no_proposal ? &empty : NULL,
                                   .args = {odp_slice_of(apply_cell_name(g->a, row, (uint32_t)column))}});
}

static void report_emptied(struct reading *g, uint32_t row)
{
    char number[16];
    (void)snprintf(number, sizeof number, "%u", row);
    apply_report(g->a, g->s, row, -1, (struct odp_diag){.code = ODP_A25, .args = {odp_slice_of(number)}});
}

static void add_digest(struct reading *g, const char digest[CORRECT_ID_DIGEST])
{
    struct apply_sheet *s = g->s;
    s->known = odp_arena_more(g->a->arena, s->known, s->nknown, sizeof *s->known);
    memcpy(s->known[s->nknown++], digest, CORRECT_ID_DIGEST);
}

/* Whether the record had only empty cells: then the row was not emptied. */
static bool was_blank(const struct reading *g, const struct correct_id *id)
{
    char none[2];
    correct_mark(ODP_LIT(""), none);
    for (uint32_t c = 0; c < g->s->width; c++)
        if (memcmp(none, id->marks.ptr + 2 * (size_t)c, 2) != 0)
            return false;
    return true;
}

static void report_copy(struct reading *g, uint32_t sheet_row, const struct seen *original)
{
    char text[ODP_LANGS][160];
    for (enum odp_lang lang = 0; lang < ODP_LANGS; lang++)
        (void)snprintf(text[lang], sizeof text[lang], odp_word(lang, W_repair_row_is_copy),
                       original->sheet_row);
    if (original->kept != NULL)
        original->kept->state = APPLY_DONE;
    report_bad_id(g, sheet_row, text[ODP_LANG_ID], text[ODP_LANG_EN]);
}

/* A row with an id. */
static enum odp_status take_known(struct reading *g, uint32_t sheet_row, struct odp_slice id_text,
                                  enum correct_action action, bool data, bool proposed)
{
    struct correct_id id;
    bool new = false;
    if (!correct_id_read(id_text, &id) || id.marks.len != 2 * (size_t)g->s->width) {
        report_bad_id(g, sheet_row, W_repair_row_id_changed_row_not);
        return ODP_OK;
    }
    struct seen *seen = seen_of(g, id.row, &new);
    if (seen == NULL)
        return odp_failure_memory();
    show_cells(g);
    if (!new) { /* a copy or its original: nobody knows which is which, so neither is used */
        report_copy(g, sheet_row, seen);
        return ODP_OK;
    }
    add_digest(g, id.digest);
    seen->sheet_row = sheet_row;
    if (action == CORRECT_ACCEPT && (id.flags & CORRECT_FLAG_DELETE) != 0)
        action = CORRECT_DELETE;
    if (action == CORRECT_ACCEPT && !proposed) {
        report_bad_action(g, sheet_row, odp_slice_of(correct_action_word(action, g->a->o->lang)), true);
    } else if (action != CORRECT_NOTHING || !is_untouched(g, &id)) {
        if (!data && action != CORRECT_DELETE && !was_blank(g, &id)) {
            report_emptied(g, sheet_row);
            return ODP_OK;
        }
        struct apply_row *r = seen->kept = add_row(g, sheet_row, action == CORRECT_ACCEPT);
        r->id = id;
        r->id.marks = odp_arena_copy(g->a->arena, id.marks);
        r->action = action;
    }
    return ODP_OK;
}

static enum odp_status take_row(struct reading *g, const struct odp_sheet_row *row)
{
    struct odp_slice own[CORRECT_PROBLEM + 1] = {{"", 0}, {"", 0}, {"", 0}, {"", 0}};
    bool data, proposed;
    take_cells(g, row, own, &data, &proposed);
    enum correct_action action = correct_action_of(own[CORRECT_ACTION]);
    enum odp_status status = ODP_OK;
    if (action == CORRECT_UNKNOWN) {
        report_bad_action(g, row->row, own[CORRECT_ACTION], false);
    } else if (odp_slice_trim(own[CORRECT_ID]).len > 0) {
        status = take_known(g, row->row, own[CORRECT_ID], action, data, proposed);
    } else if (data && action != CORRECT_DELETE) { /* else somebody's note, or a new row that was given up */
        show_cells(g);
        add_row(g, row->row, false)->added = true;
    }
    return status == ODP_OK && !g->text.failed && !g->scratch.failed ? apply_status(g->a) : ODP_FAIL;
}

static enum odp_status read_all(struct reading *g, struct odp_sheet *sheet)
{
    struct odp_workbook_fault fault = {0};
    struct odp_sheet_row row;
    enum odp_status status = odp_sheet_next(sheet, &row, &fault);
    if (status == ODP_OK)
        status = read_header(g, &row);
    else if (status == ODP_DONE)
        return ODP_OK;
    while (status == ODP_OK && (status = odp_sheet_next(sheet, &row, &fault)) == ODP_OK)
        status = take_row(g, &row);
    if (status == ODP_BAD && fault.kind != 0)
        return apply_report_fault(g->a, &fault);
    return status == ODP_DONE ? ODP_OK : status;
}

enum odp_status apply_rows(struct apply *a, struct apply_sheet *s, size_t sheet)
{
    struct reading g = {.a = a, .s = s};
    struct odp_workbook_fault fault = {0};
    struct odp_sheet *open = NULL;
    size_t n = (size_t)s->width + 1;
    g.cells = odp_arena_array(a->arena, n, sizeof *g.cells);
    g.proposals = odp_arena_array(a->arena, n, sizeof *g.proposals);
    g.shown = odp_arena_array(a->arena, n, sizeof *g.shown);
    enum odp_status status = odp_sheet_open(&open, a->workbook, sheet, &fault);
    if (status == ODP_OK)
        status = read_all(&g, open);
    else if (status == ODP_BAD)
        status = apply_report_fault(a, &fault);
    odp_sheet_close(open);
    tdestroy(g.ids, nothing);
    odp_buffer_release(&g.text);
    odp_buffer_release(&g.scratch);
    return status;
}
