/* The entry workbook as a whole. The library writes the file itself: next to its place, then it is moved
 * there.
 *
 * Labels are in the first row; explanations are comments and the guidance sheet, never rows. Private fields
 * stay: they are part of the source. A dataset from a shapefile gets only its attributes: shapes cannot be
 * typed, and columns for points would look like a source for the map. */
#include "repair/entry_workbook/entry.h"

#include <strings.h>

#include "repair/entry_workbook/entry_internal.h"
#include "words/entry_workbook.h"

static void make_looks(struct entry *e)
{
    const struct odp_look looks[] = {
        {&e->required, .how = LOOK_BOLD | LOOK_WHITE | LOOK_TOP, .back = LOOK_INK},
        {&e->optional, .how = LOOK_BOLD | LOOK_TOP, .back = 0xD9E2F3},
        {&e->title, .how = LOOK_BOLD | LOOK_TOP, .front = LOOK_INK, .size = 16},
        {&e->section, .how = LOOK_BOLD | LOOK_TOP, .front = LOOK_INK, .size = 13},
        {&e->label, .how = LOOK_BOLD | LOOK_TOP},
        {&e->wrapped, .how = LOOK_WRAP | LOOK_TOP},
        {&e->list_head, .how = LOOK_BOLD | LOOK_TOP, .back = 0xD9E2F3},
        {&e->code_text, .how = LOOK_TEXT | LOOK_TOP},
        {&e->missing, .how = LOOK_TOP, .back = 0xF8CBCB},
        {&e->twice, .how = LOOK_TOP, .back = 0xFFD966},
        {&e->shade, .how = LOOK_WRAP | LOOK_TOP, .back = 0xFFF2CC},
    };
    odp_book_looks(&e->book, looks, ODP_COUNT(looks));
}

/* The row (from 0) where the reader of this workbook looks for labels. -1: it takes the columns in the
 * schema's order. */
static int header_row(const struct entry *e, const struct odp_resource *r)
{
    const struct odp_dialect *d = &r->dialect;
    if (!e->xlsx[r->index])
        return 0;
    if (!d->header)
        return -1;
    return d->nheader_rows > 0 ? (int)d->header_rows[d->nheader_rows - 1] - 1 : 0;
}

static void put_resource(struct entry *e, const struct odp_resource *r)
{
    const char *name = e->xlsx[r->index] && r->dialect.sheet_name != NULL ? r->dialect.sheet_name : r->name;
    int header = header_row(e, r);
    lxw_worksheet *sheet = odp_book_sheet(&e->book, odp_arena_printf(&e->arena, "%.31s", name));
    if (sheet == NULL)
        return;
    for (uint32_t k = 0; k < r->schema.n && k < 16384; k++)
        entry_column(e, r, k, sheet, header);
    if (header >= 0)
        worksheet_freeze_panes(sheet, (lxw_row_t)header + 1, 0);
    odp_book_codes(&e->book, sheet, (lxw_row_t)(header + 1), (lxw_row_t)(header + ODP_ENTRY_ROWS),
                   (lxw_col_t)(r->schema.n > 0 ? r->schema.n - 1 : 0));
}

/* A name that no resource has. */
static const char *guide_name(const struct entry *e)
{
    const char *name = entry_word(e, W_entry_guide);
    for (size_t i = 0; i < e->dataset->nresources; i++)
        if (strcasecmp(e->dataset->resources[i].name, name) == 0)
            return entry_word(e, W_entry_how_fill);
    return name;
}

static void put_all(struct entry *e)
{
    const struct odp_dataset *d = e->dataset;
    size_t fields = 0;
    for (size_t i = 0; i < d->nresources; i++)
        fields += d->resources[i].schema.n;
    e->lists = odp_arena_zero(&e->arena, fields + 1, sizeof(*e->lists));
    e->taken = odp_arena_zero(&e->arena, fields + d->nresources + 1, sizeof(*e->taken));
    for (size_t i = 0; i < d->nresources; i++)
        e->taken[e->ntaken++] = d->resources[i].name;
    e->taken[e->ntaken++] = guide_name(e);
    make_looks(e);
    for (size_t i = 0; i < d->nresources; i++)
        put_resource(e, &d->resources[i]);
    lxw_worksheet *guide = odp_book_sheet(&e->book, guide_name(e));
    if (guide == NULL || e->book.status != ODP_OK)
        return;
    entry_guide_put(e, guide);
    entry_lists_put(e);
    worksheet_activate(guide);
    worksheet_set_first_sheet(guide);
}

enum odp_status odp_entry_write(const char *path, const struct odp_dataset *d,
                                const struct odp_code_lists *codes, const bool *xlsx, enum odp_lang lang)
{
    struct entry e = {.dataset = d, .codes = codes, .xlsx = xlsx, .lang = lang};
    if (odp_file_kind_of(path) != ODP_FILE_NONE)
        return ODP_BAD;
    odp_book_make(&e.book, path, false, false, &e.arena);
    put_all(&e);
    e.book.text.failed |= e.text.failed;
    enum odp_status status = odp_book_made(&e.book, path);
    odp_buffer_release(&e.text);
    odp_arena_release(&e.arena);
    return status;
}
