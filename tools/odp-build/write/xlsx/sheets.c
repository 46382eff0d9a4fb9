/* The sheets of a workbook and how its cells look: what the emitter, its data and its describing sheets
 * share. */

#include "words/xlsx.h"
#include "write/xlsx/xlsx_internal.h"

void odp_xlsx_string_put(struct xlsx_emit *e, lxw_worksheet *sheet, lxw_row_t row, lxw_col_t col,
                         lxw_format *format)
{
    odp_book_note(&e->book, worksheet_write_string(sheet, row, col, odp_buffer_cstr(&e->book.text), format));
}

lxw_worksheet *odp_xlsx_sheet_add(struct xlsx_emit *e, const char *title, unsigned part)
{
    static const char *const reserved[] = {XLSX_ABOUT};
    return odp_book_sheet(&e->book,
                          part != 0 ? odp_book_sheet_name(&e->book, title, part, reserved, 1) : title);
}

/* Header and footer have codes of their own, which begin with '&'. */
static void add_foot_text(struct odp_buffer *out, const char *text)
{
    for (const char *p = text; *p != '\0'; p++)
        odp_buffer_add_str(out, *p == '&' ? "&&" : (const char[]){*p, '\0'});
}

void odp_xlsx_print_setup(struct xlsx_emit *e, lxw_worksheet *sheet, lxw_row_t head)
{
    odp_book_print(sheet);
    worksheet_set_margins(sheet, 0.4, 0.4, 0.5, 0.6);
    odp_buffer_clear(&e->book.text);
    odp_buffer_add_str(&e->book.text,
                       "&L&8 "); /* the space, so that digits of the title are not the size's */
    add_foot_text(&e->book.text, odp_xlsx_line(e->title, 60, &e->base.arena));
    odp_buffer_printf(&e->book.text, odp_word(ODP_LANG_ID, W_xlsx_foot_version), e->base.job->version);
    odp_buffer_printf(&e->book.text, "&R&8 %s", odp_word(ODP_LANG_ID, W_xlsx_foot_page));
    odp_book_note(&e->book, worksheet_set_footer(sheet, odp_buffer_cstr(&e->book.text)));
    if (head > 0)
        odp_book_note(&e->book, worksheet_repeat_rows(sheet, 0, head - 1));
}
