/* Cells and sheets, as libxlsxwriter writes them: its failures are asked for and said. */
#include <errno.h>
#include <stdio.h>

#include "repair/workbook/workbook_internal.h"

enum odp_status book_failed(const struct book *b, lxw_error error)
{
    int errnum = error == LXW_ERROR_MEMORY_MALLOC_FAILED ? ENOMEM : errno != 0 ? errno : EIO;
    return odp_failure_set("write workbook", b->path, errnum);
}

enum odp_status book_put(struct book *b, lxw_worksheet *sheet, lxw_row_t row, lxw_col_t col, struct odp_slice text, lxw_format *format)
{
    struct odp_buffer escaped;
    if (text.len == 0)
        return book_status(b, worksheet_write_blank(sheet, row, col, format));
    odp_buffer_init(&escaped);
    correct_escape(&escaped, text);
    const char *s = odp_buffer_cstr(&escaped);
    enum odp_status status = odp_buffer_status(&escaped);
    errno = 0;
    if (status == ODP_OK)
        status = book_status(b, worksheet_write_string(sheet, row, col, s, format));
    odp_buffer_release(&escaped);
    if (status == ODP_OK && ferror(sheet->optimize_tmpfile))
        status = book_failed(b, LXW_ERROR_CREATING_TMPFILE);
    return status;
}

enum odp_status book_comment(struct book *b, lxw_worksheet *sheet, lxw_row_t row, lxw_col_t col, struct odp_slice text)
{
    struct odp_buffer shown;
    odp_buffer_init(&shown);
    correct_shown(&shown, text, NULL);
    const char *s = odp_buffer_cstr(&shown);
    enum odp_status status = odp_buffer_status(&shown);
    size_t lines = 2 + text.len / 45;
    lxw_comment_options options = {.author = (char *)"odp-build", .width = 330, .height = (uint16_t)(lines < 20 ? lines * 18 : 360)};
    if (status == ODP_OK)
        status = book_status(b, worksheet_write_comment_opt(sheet, row, col, s, &options));
    odp_buffer_release(&shown);
    b->comments++;
    return status;
}

const char *book_number(struct book *b, uint64_t n)
{
    struct odp_buffer text;
    odp_buffer_init(&text);
    odp_text_number(&text, n, b->o->lang);
    const char *s = odp_arena_str(&b->arena, odp_buffer_cstr(&text));
    odp_buffer_release(&text);
    return s;
}

lxw_worksheet *book_sheet_add(struct book *b, const char *name)
{
    errno = 0;
    lxw_worksheet *sheet = workbook_add_worksheet(b->workbook, name);
    if (sheet == NULL || sheet->optimize_tmpfile == NULL) {
        (void)book_failed(b, LXW_ERROR_CREATING_TMPFILE);
        return NULL;
    }
    return sheet;
}
