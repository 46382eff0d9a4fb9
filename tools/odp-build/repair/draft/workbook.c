/* A workbook: which sheet, where its table is on it, and the rows at its start as read/xlsx sees them. */
#include "read/sheet.h"
#include "read/xlsx/xlsx_internal.h"
#include "repair/draft/draft_internal.h"
#include "words/draft.h"

static enum odp_status open_book(struct odp_draft *d, struct xlsx_source *s, struct odp_diags *diags)
{
    struct odp_workbook_fault fault;
    draft_resource_text(d);
    s->base.resource = &d->resource;
    s->base.info.file = d->options.file;
    enum odp_status status = odp_workbook_open(&s->book, d->options.path, NULL, &fault);
    return status == ODP_BAD ? xlsx_say_fault(s, &fault, diags) : status;
}

/* Row ROW of the sheet, wherever its table is. */
static void take_row(struct odp_draft *d, const struct odp_sheet_row *from, struct row *row)
{
    const uint32_t n = from->n > 0 ? from->cells[from->n - 1].column + 1 : 0;
    struct odp_slice *cell = odp_arena_zero(&d->arena, (size_t)n + 1, sizeof *cell),
                     *spread = odp_arena_zero(&d->arena, (size_t)n + 1, sizeof *spread);
    uint32_t filled = 0;
    for (uint32_t i = 0; i < from->n; i++) {
        const struct odp_sheet_cell *c = &from->cells[i];
        char buf[80];
        if (c->kind == ODP_CELL_EMPTY && c->merge_row == from->row && c->merge_column < c->column)
            spread[c->column] = spread[c->merge_column];
        if (c->kind == ODP_CELL_EMPTY)
            continue;
        cell[c->column] = spread[c->column] =
            odp_arena_copy(&d->arena, odp_slice_trim(odp_xlsx_shown(c, buf)));
        filled += cell[c->column].len > 0;
    }
    *row = (struct row){.cell = cell, .spread = spread, .n = n, .filled = filled};
}

/* The first rows of sheet AT, by their number: what is blank between them is a row, too. */
static enum odp_status read_sheet(struct odp_draft *d, struct xlsx_source *s, size_t at, struct head *h,
                                  struct odp_diags *diags)
{
    struct odp_workbook_fault fault;
    struct odp_sheet_row row;
    *h = (struct head){0};
    s->name = odp_workbook_sheet_name(s->book, at);
    enum odp_status status = odp_sheet_open(&s->sheet, s->book, at, &fault);
    while (status == ODP_OK && (status = odp_sheet_next(s->sheet, &row, &fault)) == ODP_OK &&
           row.row <= HEAD) {
        h->n = row.row;
        take_row(d, &row, &h->row[row.row - 1]);
    }
    if (status == ODP_BAD)
        status = xlsx_say_fault(s, &fault, diags);
    odp_sheet_close(s->sheet);
    s->sheet = NULL;
    return status == ODP_DONE ? ODP_OK : status;
}

static uint64_t filled(const struct head *h)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < h->n; i++)
        n += h->row[i].filled > 1 ? h->row[i].filled : 0; /* a sheet of notes has one cell a row */
    return n;
}

/* The fullest of the sheets that are shown; a doubt where there are several. */
static enum odp_status choose_sheet(struct odp_draft *d, struct xlsx_source *s, struct odp_diags *diags)
{
    struct head *h = odp_arena_zero(&d->arena, 1, sizeof *h);
    struct odp_text names[ODP_DOUBT_OPTIONS];
    unsigned n = 0;
    uint64_t most = 0;
    enum odp_status status = ODP_OK;
    d->sheet = NULL;
    for (size_t i = 0; i < odp_workbook_sheets(s->book) && status == ODP_OK; i++) {
        if (odp_workbook_sheet_hidden(s->book, i))
            continue;
        status = read_sheet(d, s, i, h, diags);
        const char *name = odp_arena_str(&d->arena, odp_workbook_sheet_name(s->book, i));
        const bool best = d->forced_sheet != NULL ? strcmp(d->forced_sheet, name) == 0 : filled(h) > most;
        if (filled(h) == 0)
            continue;
        most = best ? filled(h) : most;
        d->sheet = best ? name : d->sheet;
        const unsigned at = n < ODP_DOUBT_OPTIONS ? n++ : ODP_DOUBT_OPTIONS - 1;
        names[at] = (struct odp_text){{name, name}};
        if (best && at > 0) { /* the default is the first option */
            names[at] = names[0];
            names[0] = (struct odp_text){{name, name}};
        }
    }
    if (status == ODP_OK && d->sheet == NULL)
        return draft_fault(d, diags, ODP_I05, NULL, NULL);
    if (status == ODP_OK && n > 1) {
        struct odp_doubt *q = draft_doubt(d, DOUBT_SHEET, NULL, T(W_draft_which_sheet),
                                          draft_text(d, W_draft_sheets_with_tables, ARGS(N(n))), names);
        q->noptions = n;
        memcpy(q->option, names, n * sizeof *names);
        q->settled = d->forced_sheet != NULL;
    }
    return status;
}

/* The table's columns are those of the fullest row, from its first cell to its last. */
static void find_table(const struct head *h, uint32_t *first, uint32_t *width)
{
    const struct row *full = h->row;
    for (uint32_t i = 1; i < h->n; i++)
        full = h->row[i].filled > full->filled ? &h->row[i] : full;
    uint32_t end = full->n;
    *first = 0;
    while (*first < end && full->cell[*first].len == 0)
        (*first)++;
    while (end > *first && full->cell[end - 1].len == 0)
        end--;
    *width = end - *first;
}

/* R without what is outside of the table. */
static void cut(struct odp_draft *d, struct row *r, uint32_t first, uint32_t width)
{
    struct odp_slice *cell = odp_arena_zero(&d->arena, (size_t)width + 1, sizeof *cell),
                     *spread = odp_arena_zero(&d->arena, (size_t)width + 1, sizeof *spread);
    uint32_t filled = 0;
    for (uint32_t c = 0; c < width; c++) {
        const bool there = first + c < r->n;
        cell[c] = there && r->cell[first + c].ptr != NULL ? r->cell[first + c] : (struct odp_slice){"", 0};
        spread[c] = there && r->spread[first + c].ptr != NULL ? r->spread[first + c] : cell[c];
        filled += cell[c].len > 0;
    }
    *r = (struct row){.cell = cell, .spread = spread, .n = width, .filled = filled};
}

enum odp_status draft_workbook_head(struct odp_draft *d, struct head *h, struct odp_diags *diags)
{
    struct xlsx_source s = {0};
    enum odp_status status = open_book(d, &s, diags);
    const int at = status == ODP_OK ? odp_workbook_find(s.book, d->sheet) : -1;
    if (status == ODP_OK)
        status = read_sheet(d, &s, (size_t)at, h, diags);
    odp_workbook_close(s.book);
    uint32_t first = 0, width = 0;
    if (status == ODP_OK)
        find_table(h, &first, &width);
    for (uint32_t i = 0; i < h->n && status == ODP_OK; i++)
        cut(d, &h->row[i], first, width);
    return status;
}

enum odp_status draft_workbook(struct odp_draft *d, struct odp_diags *diags)
{
    struct xlsx_source s = {0};
    struct head *h = odp_arena_zero(&d->arena, 1, sizeof *h);
    enum odp_status status = open_book(d, &s, diags);
    if (status == ODP_OK)
        status = choose_sheet(d, &s, diags);
    odp_workbook_close(s.book);
    if (status == ODP_OK)
        status = draft_workbook_head(d, h, diags);
    if (status != ODP_OK)
        return status;
    draft_fact(d, W_draft_sheet_of_workbook, ARGS(C(d->sheet)));
    return draft_rows(d, h->row[0].n, diags);
}
