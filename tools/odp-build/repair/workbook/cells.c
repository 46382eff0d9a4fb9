/* Cells, sheets and looks for libxlsxwriter; its errors are checked and kept. */
#include <errno.h>
#include <stdio.h>

#include "repair/workbook/workbook_internal.h"

enum odp_status book_status(const struct book *b)
{
    if (b->status != ODP_OK || odp_buffer_status(&b->text) != ODP_OK ||
        odp_buffer_status(&b->cell) != ODP_OK || odp_buffer_status(&b->shown) != ODP_OK ||
        odp_buffer_status(&b->faults) != ODP_OK)
        return ODP_FAIL;
    return odp_arena_status(&b->arena);
}

void book_note(struct book *b, lxw_error error)
{
    if (error == LXW_NO_ERROR || b->status != ODP_OK)
        return;
    int errnum = errno != 0 ? errno : EIO;
    b->status =
        odp_failure_set("write workbook", b->path, error == LXW_ERROR_MEMORY_MALLOC_FAILED ? ENOMEM : errnum);
}

void book_put(struct book *b, lxw_worksheet *sheet, lxw_row_t row, lxw_col_t col, struct odp_slice text,
              lxw_format *format)
{
    errno = 0;
    if (sheet == NULL)
        return;
    if (text.len == 0) {
        book_note(b, worksheet_write_blank(sheet, row, col, format));
        return;
    }
    odp_buffer_clear(&b->shown);
    correct_escape(&b->shown, text);
    book_note(b, worksheet_write_string(sheet, row, col, odp_buffer_cstr(&b->shown), format));
    if (ferror(sheet->optimize_tmpfile))
        book_note(b, LXW_ERROR_CREATING_TMPFILE);
}

void book_comment(struct book *b, lxw_worksheet *sheet, lxw_row_t row, lxw_col_t col, struct odp_slice text)
{
    size_t lines = 2 + text.len / 45;
    lxw_comment_options options = {
        .author = (char *)"odp-build", .width = 330, .height = (uint16_t)(lines < 20 ? lines * 18 : 360)};
    odp_buffer_clear(&b->shown);
    correct_shown(&b->shown, text, NULL);
    book_note(b, worksheet_write_comment_opt(sheet, row, col, odp_buffer_cstr(&b->shown), &options));
    b->comments++;
}

const char *book_number(struct book *b, uint64_t n)
{
    odp_buffer_clear(&b->shown);
    odp_text_number(&b->shown, n, b->o->lang);
    return odp_arena_str(&b->arena, odp_buffer_cstr(&b->shown));
}

lxw_worksheet *book_sheet_add(struct book *b, const char *name)
{
    errno = 0;
    lxw_worksheet *sheet = workbook_add_worksheet(b->workbook, name);
    if (sheet != NULL && sheet->optimize_tmpfile != NULL)
        return sheet;
    book_note(b, LXW_ERROR_CREATING_TMPFILE);
    return NULL;
}

/* ---- looks ---- */

enum { FILLED = 1, HEAD = 2, BOLD = 4, WRAP = 8, RIGHT = 16, NO_COLOR = -1 };

static lxw_format *look(struct book *b, int back, int front, unsigned how)
{
    lxw_format *f = workbook_add_format(b->workbook);
    if (f == NULL) {
        book_note(b, LXW_ERROR_MEMORY_MALLOC_FAILED);
        return NULL;
    }
    format_set_align(f, LXW_ALIGN_VERTICAL_TOP);
    format_set_num_format(f, "@");
    if (back != NO_COLOR)
        format_set_bg_color(f, (lxw_color_t)back);
    if (front != NO_COLOR)
        format_set_font_color(f, (lxw_color_t)front);
    if ((how & FILLED) != 0) {
        format_set_border(f, LXW_BORDER_THIN);
        format_set_border_color(f, 0xD0D0D0);
    }
    if ((how & HEAD) != 0) {
        format_set_bottom(f, LXW_BORDER_MEDIUM);
        format_set_bottom_color(f, 0x1F3864);
    }
    if ((how & (BOLD | HEAD)) != 0)
        format_set_bold(f);
    if ((how & (WRAP | HEAD)) != 0)
        format_set_text_wrap(f);
    if ((how & RIGHT) != 0)
        format_set_align(f, LXW_ALIGN_RIGHT);
    return f;
}

void book_make_looks(struct book *b)
{
    static const int colors[][2] = {
        {0xFFFFFF, 0x000000}, {0xDDEBF7, 0x1F3864}, {0xFFEB9C, 0x7A4B00}, {0xFFC7CE, 0x9C0006}};
    struct book_looks *l = &b->looks;
    const struct {
        lxw_format **look;
        int back, front;
        unsigned how;
    } looks[] = {{&l->title, NO_COLOR, 0x1F3864, BOLD},
                 {&l->text, NO_COLOR, NO_COLOR, WRAP},
                 {&l->section, NO_COLOR, 0x1F3864, BOLD},
                 {&l->number, NO_COLOR, NO_COLOR, RIGHT},
                 {&l->plain, NO_COLOR, NO_COLOR, 0},
                 {&l->context, 0xF2F2F2, 0x707070, 0},
                 {&l->context_line, 0xF2F2F2, 0x707070, RIGHT},
                 {&l->problem, NO_COLOR, NO_COLOR, WRAP},
                 {&l->head, 0xDCE6F1, NO_COLOR, HEAD},
                 {&l->head_own, 0xE7E6E6, NO_COLOR, HEAD},
                 {&l->head_proposal, 0xE2EFDA, NO_COLOR, HEAD},
                 {&l->proposal, 0xE2EFDA, 0x1E5128, FILLED},
                 {&l->action, 0xFFFFFF, 0x000000, FILLED}};
    for (size_t i = 0; i < ODP_COUNT(looks); i++)
        *looks[i].look = look(b, looks[i].back, looks[i].front, looks[i].how);
    for (size_t i = 0; i <= ODP_SEVERITY_ERROR; i++) {
        l->bad[i] = look(b, colors[i][0], colors[i][1], FILLED);
        l->line[i] = look(b, colors[i][0], colors[i][1], FILLED | RIGHT);
    }
    if (b->status != ODP_OK)
        return;
    format_set_font_size(l->title, 16);
    format_set_font_size(l->section, 12);
    format_set_indent(l->number, 1);
}
