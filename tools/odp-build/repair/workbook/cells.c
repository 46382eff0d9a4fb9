/* Comments, numbers and looks. */
#include "repair/workbook/workbook_internal.h"

enum odp_status book_status(const struct book *b)
{
    if (odp_buffer_status(&b->text) != ODP_OK || odp_buffer_status(&b->cell) != ODP_OK ||
        odp_buffer_status(&b->shown) != ODP_OK || odp_buffer_status(&b->faults) != ODP_OK)
        return ODP_FAIL;
    return odp_book_status(&b->out);
}

void book_comment(struct book *b, lxw_worksheet *sheet, lxw_row_t row, lxw_col_t col, struct odp_slice text)
{
    size_t lines = 2 + text.len / 45;
    lxw_comment_options options = {
        .author = (char *)"odp-build", .width = 330, .height = (uint16_t)(lines < 20 ? lines * 18 : 360)};
    odp_buffer_clear(&b->shown);
    correct_shown(&b->shown, text, NULL);
    odp_book_note(&b->out,
                  worksheet_write_comment_opt(sheet, row, col, odp_buffer_cstr(&b->shown), &options));
    b->comments++;
}

const char *book_number(struct book *b, uint64_t n)
{
    odp_buffer_clear(&b->shown);
    odp_text_number(&b->shown, n, b->o->lang);
    return odp_arena_str(&b->arena, odp_buffer_cstr(&b->shown));
}

/* ---- looks ---- */

void book_make_looks(struct book *b)
{
    static const unsigned colors[][2] = {
        {0xFFFFFF, 0}, {0xDDEBF7, LOOK_INK}, {0xFFEB9C, 0x7A4B00}, {0xFFC7CE, 0x9C0006}};
    enum { USUAL = LOOK_TOP | LOOK_TEXT };
    struct book_looks *l = &b->looks;
    const struct odp_look looks[] = {
        {&l->title, .how = USUAL | LOOK_BOLD, .front = LOOK_INK, .size = 16},
        {&l->text, .how = USUAL | LOOK_WRAP},
        {&l->section, .how = USUAL | LOOK_BOLD, .front = LOOK_INK, .size = 12},
        {&l->number, .how = USUAL | LOOK_RIGHT, .indent = 1},
        {&l->plain, .how = USUAL},
        {&l->context, .how = USUAL, .back = 0xF2F2F2, .front = 0x707070},
        {&l->context_line, .how = USUAL | LOOK_RIGHT, .back = 0xF2F2F2, .front = 0x707070},
        {&l->problem, .how = USUAL | LOOK_WRAP},
        {&l->head, .how = USUAL | LOOK_HEAD, .back = 0xDCE6F1},
        {&l->head_own, .how = USUAL | LOOK_HEAD, .back = 0xE7E6E6},
        {&l->head_proposal, .how = USUAL | LOOK_HEAD, .back = 0xE2EFDA},
        {&l->proposal, .how = USUAL | LOOK_FRAME, .back = 0xE2EFDA, .front = 0x1E5128},
        {&l->action, .how = USUAL | LOOK_FRAME, .back = 0xFFFFFF}};
    odp_book_looks(&b->out, looks, ODP_COUNT(looks));
    for (size_t i = 0; i <= ODP_SEVERITY_ERROR; i++) {
        const struct odp_look of[] = {
            {&l->bad[i], .how = USUAL | LOOK_FRAME, .back = colors[i][0], .front = colors[i][1]},
            {&l->line[i], .how = USUAL | LOOK_FRAME | LOOK_RIGHT, .back = colors[i][0],
             .front = colors[i][1]}};
        odp_book_looks(&b->out, of, ODP_COUNT(of));
    }
}
