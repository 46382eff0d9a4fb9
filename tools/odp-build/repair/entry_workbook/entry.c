/* The entry workbook as a whole. The library writes the file itself: next to its place, then it is moved
 * there.
 *
 * Labels are in the first row; explanations are comments and the guidance sheet, never rows. Private fields
 * stay: they are part of the source. A dataset from a shapefile gets only its attributes: shapes cannot be
 * typed, and columns for points would look like a source for the map. */
#include "repair/entry_workbook/entry.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/temporary.h"
#include "repair/entry_workbook/entry_internal.h"
#include "words/entry_workbook.h"

enum { HEAD_DARK = 0x1F3864, HEAD_LIGHT = 0xD9E2F3, PINK = 0xF8CBCB, ORANGE = 0xFFD966, NOTE = 0xFFF2CC };

static void make_looks(struct entry *e)
{
    const struct {
        lxw_format **look;
        lxw_color_t fill, ink;
        bool bold;
        double size; /* 0: the usual */
    } looks[] = {{&e->required, HEAD_DARK, LXW_COLOR_WHITE, true, 0},
                 {&e->optional, HEAD_LIGHT, 0, true, 0},
                 {&e->title, 0, HEAD_DARK, true, 16},
                 {&e->section, 0, HEAD_DARK, true, 13},
                 {&e->label, 0, 0, true, 0},
                 {&e->wrapped, 0, 0, false, 0},
                 {&e->list_head, HEAD_LIGHT, 0, true, 0},
                 {&e->code_text, 0, 0, false, 0},
                 {&e->missing, PINK, 0, false, 0},
                 {&e->twice, ORANGE, 0, false, 0},
                 {&e->shade, NOTE, 0, false, 0}};
    for (size_t i = 0; i < ODP_COUNT(looks); i++) {
        lxw_format *f = *looks[i].look = entry_format(e);
        if (looks[i].fill != 0)
            format_set_bg_color(f, looks[i].fill);
        if (looks[i].ink != 0)
            format_set_font_color(f, looks[i].ink);
        if (looks[i].bold)
            format_set_bold(f);
        if (looks[i].size > 0)
            format_set_font_size(f, looks[i].size);
        format_set_align(f, LXW_ALIGN_VERTICAL_TOP);
    }
    format_set_text_wrap(e->wrapped);
    format_set_text_wrap(e->shade);
    format_set_num_format(e->code_text, "@");
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
    char cells[40];
    lxw_worksheet *sheet = entry_sheet(e, odp_arena_printf(&e->arena, "%.31s", name));
    if (sheet == NULL)
        return;
    for (uint32_t k = 0; k < r->schema.n && k < 16384; k++)
        entry_column(e, r, k, sheet, header);
    if (header >= 0)
        worksheet_freeze_panes(sheet, (lxw_row_t)header + 1, 0);
    lxw_rowcol_to_range(cells, (lxw_row_t)(header + 1), 0, (lxw_row_t)(header + ODP_ENTRY_ROWS),
                        (lxw_col_t)(r->schema.n > 0 ? r->schema.n - 1 : 0));
    entry_note(e, worksheet_ignore_errors(sheet, LXW_IGNORE_NUMBER_STORED_AS_TEXT, cells));
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
    size_t fields = 0;
    for (size_t i = 0; i < e->dataset->nresources; i++)
        fields += e->dataset->resources[i].schema.n;
    e->lists = odp_arena_zero(&e->arena, fields + 1, sizeof(*e->lists));
    make_looks(e);
    for (size_t i = 0; i < e->dataset->nresources; i++)
        put_resource(e, &e->dataset->resources[i]);
    lxw_worksheet *guide = entry_sheet(e, guide_name(e));
    if (guide == NULL || e->error != LXW_NO_ERROR)
        return;
    entry_guide_put(e, guide);
    entry_lists_put(e);
    worksheet_activate(guide);
    worksheet_set_first_sheet(guide);
}

/* Closes the library's file and moves it to its place. */
static enum odp_status finish(struct entry *e, const char *draft, const char *path)
{
    struct odp_file_info info;
    enum odp_status status = odp_buffer_status(&e->text) == ODP_OK ? odp_arena_status(&e->arena) : ODP_FAIL;
    if (status == ODP_OK && e->error != LXW_NO_ERROR)
        status = odp_failure_set(lxw_strerror(e->error), path, 0);
    errno = 0;
    lxw_error error = workbook_close(e->workbook);
    if (status == ODP_OK && error != LXW_NO_ERROR)
        status = odp_failure_set(lxw_strerror(error), path, errno);
    if (status == ODP_OK)
        status = odp_file_seal(draft, &info);
    if (status == ODP_OK)
        status = odp_file_rename(draft, path);
    if (status != ODP_OK)
        (void)unlink(draft);
    return status;
}

enum odp_status odp_entry_write(const char *path, const struct odp_dataset *d,
                                const struct odp_code_lists *codes, const bool *xlsx, enum odp_lang lang)
{
    struct entry e = {.dataset = d, .codes = codes, .xlsx = xlsx, .lang = lang};
    if (odp_file_kind_of(path) != ODP_FILE_NONE)
        return ODP_BAD;
    enum odp_status status = ODP_FAIL;
    const char *draft = odp_temporary_of(&e.arena, path, ".part");
    if (draft != NULL)
        e.workbook = workbook_new(draft);
    if (e.workbook != NULL) {
        put_all(&e);
        status = finish(&e, draft, path);
    } else if (draft != NULL)
        status = odp_failure_set("workbook", path, ENOMEM);
    odp_buffer_release(&e.text);
    odp_arena_release(&e.arena);
    return status;
}
