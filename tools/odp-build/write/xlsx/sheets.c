/* The sheets of a workbook and how its cells look: what the emitter, its data and its describing sheets
 * share. */
#include <errno.h>
#include <unistd.h>

#include "words/xlsx.h"
#include "write/xlsx/xlsx_internal.h"

void odp_xlsx_take(struct xlsx_emit *e, lxw_error error)
{
    if (error == LXW_NO_ERROR || e->status != ODP_OK)
        return;
    int errnum = error == LXW_ERROR_MEMORY_MALLOC_FAILED ? ENOMEM : EIO;
    e->status = odp_failure_set("write workbook", e->place, errnum == EIO && errno != 0 ? errno : errnum);
}

void odp_xlsx_string_put(struct xlsx_emit *e, lxw_worksheet *sheet, lxw_row_t row, lxw_col_t col,
                         lxw_format *format)
{
    odp_xlsx_take(e, worksheet_write_string(sheet, row, col, odp_buffer_cstr(&e->text), format));
}

lxw_format *odp_xlsx_format(struct xlsx_emit *e)
{
    lxw_format *f = workbook_add_format(e->workbook);
    if (f != NULL)
        return f;
    odp_xlsx_take(e, LXW_ERROR_MEMORY_MALLOC_FAILED);
    return odp_arena_zero(&e->base.arena, 1, sizeof *f); /* for a workbook that is given up */
}

lxw_worksheet *odp_xlsx_sheet_add(struct xlsx_emit *e, const char *title, unsigned part)
{
    static const char *const reserved[] = {XLSX_ABOUT};
    if (e->status != ODP_OK)
        return NULL;
    const struct xlsx_names taken = {e->sheets, e->nsheets, reserved, 1};
    if (part != 0)
        title = odp_xlsx_sheet_name(title, part, &taken, &e->base.arena);
    errno = 0;
    lxw_worksheet *sheet = workbook_add_worksheet(e->workbook, title);
    int copy = sheet != NULL && sheet->optimize_tmpfile != NULL ? dup(fileno(sheet->optimize_tmpfile)) : -1;
    if (copy < 0) {
        odp_xlsx_take(e, LXW_ERROR_CREATING_TMPFILE);
        return NULL;
    }
    struct xlsx_sheet *all = odp_arena_array(&e->base.arena, e->nsheets + 1, sizeof *all);
    if (e->nsheets > 0)
        memcpy(all, e->sheets, e->nsheets * sizeof *all);
    all[e->nsheets++] = (struct xlsx_sheet){sheet, title, copy, 0};
    e->sheets = all;
    return sheet;
}

/* Header and footer have codes of their own, which begin with '&'. */
static void add_foot_text(struct odp_buffer *out, const char *text)
{
    for (const char *p = text; *p != '\0'; p++)
        odp_buffer_add_str(out, *p == '&' ? "&&" : (const char[]){*p, '\0'});
}

void odp_xlsx_print_setup(struct xlsx_emit *e, lxw_worksheet *sheet, lxw_row_t head)
{
    worksheet_set_landscape(sheet);
    worksheet_set_paper(sheet, 9); /* A4 */
    worksheet_fit_to_pages(sheet, 1, 0);
    worksheet_set_margins(sheet, 0.4, 0.4, 0.5, 0.6);
    odp_buffer_clear(&e->text);
    odp_buffer_add_str(&e->text, "&L&8 "); /* the space, so that digits of the title are not the size's */
    add_foot_text(&e->text, odp_xlsx_line(e->title, 60, &e->base.arena));
    odp_buffer_printf(&e->text, odp_word(ODP_LANG_ID, W_xlsx_foot_version), e->base.job->version);
    odp_buffer_printf(&e->text, "&R&8 %s", odp_word(ODP_LANG_ID, W_xlsx_foot_page));
    odp_xlsx_take(e, worksheet_set_footer(sheet, odp_buffer_cstr(&e->text)));
    if (head > 0)
        odp_xlsx_take(e, worksheet_repeat_rows(sheet, 0, head - 1));
}
