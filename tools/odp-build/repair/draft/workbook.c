/* A workbook: which sheet, where its table is on it, and the rows at its start as read/xlsx sees them. */
#include "read/sheet.h"
#include "read/source.h"
#include "repair/draft/draft_internal.h"
#include "words/draft.h"

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

enum { TABLE = 100000 }; /* what cells of a table count more than others */

/* The first rows of sheet NAME, each given to TAKE. */
static enum odp_status each_row(struct odp_draft *d, const char *name,
                                void (*take)(struct odp_draft *d, const struct odp_sheet_row *row,
                                             void *into),
                                void *into, struct odp_diags *diags)
{
    struct odp_source *source = NULL;
    struct odp_sheet_row row;
    d->sheet = name;
    d->ncomment_rows = 0;
    draft_resource_text(d);
    enum odp_status status = odp_xlsx_open(&source, &d->resource, d->options.path, d->options.file, diags);
    while (status == ODP_OK && (status = odp_xlsx_row(source, &row, diags)) == ODP_OK && row.row <= HEAD)
        take(d, &row, into);
    odp_source_close(source);
    return status == ODP_DONE ? ODP_OK : status;
}

/* By their number: what is blank between them is a row, too. */
static void take_head(struct odp_draft *d, const struct odp_sheet_row *row, void *into)
{
    struct head *h = into;
    h->n = row->row;
    take_row(d, row, &h->row[row->row - 1]);
}

static void count_filled(struct odp_draft *d, const struct odp_sheet_row *row, void *into)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < row->n; i++)
        n += row->cells[i].kind != ODP_CELL_EMPTY;
    *(uint64_t *)into += n > 1 ? n * TABLE : n; /* a sheet of notes has one cell a row */
}

/* The fullest of the sheets that are shown; a doubt where there are several. */
static enum odp_status choose_sheet(struct odp_draft *d, const struct odp_workbook *book,
                                    struct odp_diags *diags)
{
    enum { SHEETS = 64 }; /* looked at */
    struct odp_text names[ODP_DOUBT_OPTIONS] = {0};
    const char *chosen = NULL;
    unsigned n = 0;
    uint64_t most = 0;
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < odp_workbook_sheets(book) && i < SHEETS && status == ODP_OK; i++) {
        const char *name = odp_arena_str(&d->arena, odp_workbook_sheet_name(book, i));
        uint64_t filled = 0;
        if (!odp_workbook_sheet_hidden(book, i))
            status = each_row(d, name, count_filled, &filled, diags);
        if (filled == 0 || (filled < TABLE && most >= TABLE))
            continue;
        n = most < TABLE ? 0 : n; /* sheets of single cells, until there is a table */
        const bool best = d->forced_sheet != NULL ? strcmp(d->forced_sheet, name) == 0 : filled > most;
        const unsigned at = n < ODP_DOUBT_OPTIONS ? n++ : ODP_DOUBT_OPTIONS - 1;
        names[at] = (struct odp_text){{name, name}};
        if (!best)
            continue;
        most = filled;
        chosen = name;
        names[at] = names[0]; /* the default is the first option */
        names[0] = (struct odp_text){{name, name}};
    }
    d->sheet = chosen;
    if (status == ODP_OK && chosen == NULL)
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

static bool is_word(const struct row *r, uint32_t c)
{
    const struct odp_slice s = c < r->n ? r->spread[c] : (struct odp_slice){0};
    bool word = s.len > 0;
    for (size_t i = 0; i < s.len; i++)
        word = word && (s.ptr[i] < '0' || s.ptr[i] > '9');
    return word;
}

/* The table's columns are those of its first row that is more than half full, as the reader takes them:
 * from its first label to its last; a second row of labels may go on. */
static void find_table(const struct head *h, uint32_t *first, uint32_t *width)
{
    uint32_t most = 0, at = 0, end;
    for (uint32_t i = 0; i < h->n; i++)
        most = h->row[i].filled > most ? h->row[i].filled : most;
    while (at + 1 < h->n && h->row[at].filled * 2 <= most)
        at++;
    const struct row *r = &h->row[at];
    end = r->n;
    *first = 0;
    while (*first < end && r->spread[*first].len == 0)
        (*first)++;
    while (end > *first && r->spread[end - 1].len == 0)
        end--;
    while (at + 1 < h->n && is_word(&h->row[at + 1], end))
        end++;
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
        cell[c] = there && r->cell[first + c].ptr != NULL ? r->cell[first + c] : ODP_LIT("");
        spread[c] = there && r->spread[first + c].ptr != NULL ? r->spread[first + c] : cell[c];
        filled += cell[c].len > 0;
    }
    *r = (struct row){.cell = cell, .spread = spread, .n = width, .filled = filled};
}

enum odp_status draft_workbook_head(struct odp_draft *d, struct head *h, struct odp_diags *diags)
{
    uint32_t first = 0, width = 0;
    *h = (struct head){0};
    enum odp_status status = each_row(d, d->sheet, take_head, h, diags);
    if (status == ODP_OK)
        find_table(h, &first, &width);
    for (uint32_t i = 0; i < h->n && status == ODP_OK; i++)
        cut(d, &h->row[i], first, width);
    d->ncolumns = width;
    return status;
}

enum odp_status draft_workbook(struct odp_draft *d, struct odp_diags *diags)
{
    struct odp_workbook *book = NULL;
    struct odp_workbook_fault fault;
    enum odp_status status = odp_workbook_open(&book, d->options.path, NULL, &fault);
    if (status == ODP_BAD) /* the reader of sources says why */
        return each_row(d, NULL, count_filled, &(uint64_t){0}, diags);
    if (status == ODP_OK)
        status = choose_sheet(d, book, diags);
    odp_workbook_close(book);
    if (status == ODP_OK)
        draft_fact(d, W_draft_sheet_of_workbook, ARGS(C(d->sheet)));
    return status;
}
