#include "xlsx/book.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/datetime.h"
#include "base/temporary.h"

/* ---- from opening to the end ---- */

void odp_book_note(struct odp_book *b, lxw_error error)
{
    if (error == LXW_NO_ERROR || b->status != ODP_OK)
        return;
    int errnum = error == LXW_ERROR_MEMORY_MALLOC_FAILED ? ENOMEM : errno;
    b->status = odp_failure_set("write workbook", b->place, errnum != 0 ? errnum : EIO);
}

enum odp_status odp_book_status(const struct odp_book *b)
{
    if (b->status != ODP_OK || b->text.failed)
        return ODP_FAIL;
    return odp_arena_status(b->arena);
}

void odp_book_open(struct odp_book *b, const char *place, const char *folder, bool streamed,
                   struct odp_arena *a)
{
    *b = (struct odp_book){.arena = a, .place = place, .text = b->text};
    lxw_workbook_options options = {.constant_memory = streamed ? LXW_TRUE : LXW_FALSE};
    if (folder != NULL)
        options.tmpdir = odp_arena_str(a, folder);
    else if (streamed)
        options.tmpdir = odp_path_folder(a, place);
    errno = 0;
    b->workbook = workbook_new_opt(place, &options);
    if (b->workbook == NULL)
        odp_book_note(b, LXW_ERROR_MEMORY_MALLOC_FAILED);
}

/* The last row of every sheet to its temporary file, which must then have taken all. Decides on ZIP64 by what
 * there is. */
static void flush(struct odp_book *b)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < b->nsheets && b->sheets[i].copy >= 0; i++) {
        lxw_worksheet *sheet = b->sheets[i].sheet;
        errno = 0;
        lxw_worksheet_write_single_row(sheet);
        off_t at = fflush(sheet->optimize_tmpfile) == 0 ? ftello(sheet->optimize_tmpfile) : -1;
        if (at < 0 || ferror(sheet->optimize_tmpfile))
            odp_book_note(b, LXW_ERROR_CREATING_TMPFILE);
        b->sheets[i].bytes = at > 0 ? (uint64_t)at : 0;
        sum += b->sheets[i].bytes;
    }
    if (sum > UINT64_C(4000000000))
        b->workbook->options.use_zip64 = LXW_TRUE;
}

static void release(struct odp_book *b)
{
    for (size_t i = 0; i < b->nsheets; i++) {
        if (b->sheets[i].copy >= 0 && b->status != ODP_OK && ftruncate(b->sheets[i].copy, 0) != 0)
            errno = 0; /* it was room on a disk that failed already */
        if (b->sheets[i].copy >= 0)
            (void)close(b->sheets[i].copy);
    }
    b->nsheets = 0;
    odp_buffer_release(&b->text);
}

void odp_book_discard(struct odp_book *b)
{
    for (size_t i = 0; i < b->nsheets && b->workbook != NULL; i++)
        if (b->sheets[i].copy >= 0)
            (void)fclose(b->sheets[i].sheet->optimize_tmpfile); /* nobody reads it any more */
    lxw_workbook_free(b->workbook);
    b->workbook = NULL;
    release(b);
}

enum odp_status odp_book_close(struct odp_book *b)
{
    if (odp_book_status(b) == ODP_OK)
        flush(b);
    b->status = odp_book_status(b);
    if (b->status != ODP_OK) {
        odp_book_discard(b);
        return b->status;
    }
    lxw_workbook *workbook = b->workbook;
    b->workbook = NULL; /* it is freed in every case */
    errno = 0;
    odp_book_note(b, workbook_close(workbook));
    if (b->status == ODP_OK && !odp_book_is_whole(b->place, b->sheets, b->nsheets))
        b->status = odp_failure_set("workbook is incomplete (is the disk full?)", b->place, EIO);
    release(b);
    return b->status;
}

/* ---- a file of the user's ---- */

void odp_book_make(struct odp_book *b, const char *path, bool secret, bool streamed, struct odp_arena *a)
{
    struct odp_file *file = NULL;
    char *place = odp_temporary_of(a, path, ".part");
    *b = (struct odp_book){.arena = a, .status = place != NULL ? ODP_OK : ODP_FAIL, .text = b->text};
    if (b->status == ODP_OK && secret) /* the library then writes into it */
        b->status = odp_file_create(&file, place, 0600);
    if (file != NULL)
        b->status = odp_file_close(file, NULL);
    if (b->status == ODP_OK)
        odp_book_open(b, place, NULL, streamed, a);
    b->place = place;
}

enum odp_status odp_book_made(struct odp_book *b, const char *path)
{
    enum odp_status status = odp_book_close(b);
    if (status == ODP_OK)
        status = odp_file_seal(b->place, NULL);
    if (status == ODP_OK)
        return odp_file_place(b->place, path);
    if (b->place != NULL)
        (void)unlink(b->place);
    return status;
}

/* ---- sheets and looks ---- */

lxw_worksheet *odp_book_sheet(struct odp_book *b, const char *name)
{
    if (b->status != ODP_OK)
        return NULL;
    errno = 0;
    lxw_worksheet *sheet = workbook_add_worksheet(b->workbook, name);
    bool streamed = b->workbook->options.constant_memory;
    int copy = streamed && sheet != NULL && sheet->optimize_tmpfile != NULL
                   ? dup(fileno(sheet->optimize_tmpfile))
                   : -1;
    if (sheet == NULL || (streamed && copy < 0)) {
        odp_book_note(b, LXW_ERROR_CREATING_TMPFILE);
        return NULL;
    }
    b->sheets = odp_arena_more(b->arena, b->sheets, b->nsheets, sizeof *b->sheets);
    b->sheets[b->nsheets++] = (struct odp_book_sheet){sheet, name, copy, 0};
    return sheet;
}

lxw_format *odp_book_format(struct odp_book *b)
{
    lxw_format *f = b->workbook != NULL ? workbook_add_format(b->workbook) : NULL;
    if (f != NULL)
        return f;
    odp_book_note(b, LXW_ERROR_MEMORY_MALLOC_FAILED);
    return odp_arena_zero(b->arena, 1, sizeof *f); /* for a workbook that is given up */
}

static void set_lines(lxw_format *f, unsigned how)
{
    if ((how & LOOK_FRAME) != 0) {
        format_set_border(f, LXW_BORDER_THIN);
        format_set_border_color(f, 0xD0D0D0);
    }
    if ((how & LOOK_HEAD) != 0) {
        format_set_bottom(f, LXW_BORDER_MEDIUM);
        format_set_bottom_color(f, LOOK_INK);
    }
    if ((how & LOOK_LINK) != 0) {
        format_set_font_color(f, 0x0563C1);
        format_set_underline(f, LXW_UNDERLINE_SINGLE);
    }
}

static void set_look(lxw_format *f, const struct odp_look *l)
{
    static const struct {
        unsigned how;
        uint8_t align;
    } aligns[] = {{LOOK_TOP, LXW_ALIGN_VERTICAL_TOP},
                  {LOOK_MIDDLE, LXW_ALIGN_VERTICAL_CENTER},
                  {LOOK_LEFT, LXW_ALIGN_LEFT},
                  {LOOK_RIGHT, LXW_ALIGN_RIGHT}};
    for (size_t i = 0; i < ODP_COUNT(aligns); i++)
        if ((l->how & aligns[i].how) != 0)
            format_set_align(f, aligns[i].align);
    if ((l->how & (LOOK_BOLD | LOOK_HEAD)) != 0)
        format_set_bold(f);
    if ((l->how & LOOK_ITALIC) != 0)
        format_set_italic(f);
    if ((l->how & (LOOK_WRAP | LOOK_HEAD)) != 0)
        format_set_text_wrap(f);
    set_lines(f, l->how);
    if (l->back != 0)
        format_set_bg_color(f, l->back);
    if (l->front != 0 || (l->how & LOOK_WHITE) != 0)
        format_set_font_color(f, l->front != 0 ? l->front : LXW_COLOR_WHITE);
    if (l->size > 0)
        format_set_font_size(f, l->size);
    if (l->indent > 0)
        format_set_indent(f, l->indent);
    if (l->number != NULL || (l->how & LOOK_TEXT) != 0)
        format_set_num_format(f, l->number != NULL ? l->number : "@");
}

void odp_book_looks(struct odp_book *b, const struct odp_look *looks, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        *looks[i].to = odp_book_format(b);
        set_look(*looks[i].to, &looks[i]);
    }
}

/* ---- cells and columns ---- */

void odp_book_put(struct odp_book *b, lxw_worksheet *sheet, lxw_row_t row, lxw_col_t col,
                  struct odp_slice text, lxw_format *look)
{
    if (sheet == NULL || b->status != ODP_OK)
        return;
    errno = 0;
    if (text.len > 0 && !odp_xlsx_text_put(&b->text, text))
        (void)odp_xlsx_text_put(&b->text, ODP_LIT("(…)"));
    odp_book_note(b, text.len > 0 ? worksheet_write_string(sheet, row, col, odp_buffer_cstr(&b->text), look)
                                  : worksheet_write_blank(sheet, row, col, look));
    if (sheet->optimize_tmpfile != NULL && ferror(sheet->optimize_tmpfile))
        odp_book_note(b, LXW_ERROR_CREATING_TMPFILE);
}

void odp_book_widths(struct odp_book *b, lxw_worksheet *sheet, const double *widths, lxw_col_t n,
                     lxw_format *look)
{
    for (lxw_col_t k = 0; k < n && sheet != NULL; k++)
        odp_book_note(b, worksheet_set_column(sheet, k, k, widths[k], look));
}

void odp_book_validate(struct odp_book *b, lxw_worksheet *sheet, lxw_row_t first, lxw_col_t col,
                       lxw_row_t last, lxw_data_validation *v)
{
    /* The library copies a list's formula twice and loses one copy; of another formula it makes one. */
    bool list = v->validate == LXW_VALIDATION_TYPE_LIST_FORMULA;
    if (list)
        v->validate = LXW_VALIDATION_TYPE_CUSTOM_FORMULA;
    odp_book_note(b, worksheet_data_validation_range(sheet, first, col, last, col, v));
    lxw_data_val_obj *made = NULL, *each;
    STAILQ_FOREACH(each, sheet->data_validations, list_pointers)
    made = each;
    if (list && made != NULL && b->status == ODP_OK)
        made->validate = LXW_VALIDATION_TYPE_LIST_FORMULA;
}

void odp_book_codes(struct odp_book *b, lxw_worksheet *sheet, lxw_row_t first, lxw_row_t last, lxw_col_t col)
{
    char range[40];
    lxw_rowcol_to_range(range, first, 0, last, col);
    odp_book_note(b, worksheet_ignore_errors(sheet, LXW_IGNORE_NUMBER_STORED_AS_TEXT, range));
}

void odp_book_print(lxw_worksheet *sheet)
{
    worksheet_set_landscape(sheet);
    worksheet_set_paper(sheet, 9); /* A4 */
    worksheet_fit_to_pages(sheet, 1, 0);
}

time_t odp_book_day(struct odp_slice day)
{
    struct odp_datetime d;
    if (odp_date_parse(day, ODP_DATE, NULL, NULL, &d) != ODP_DATE_OK)
        return 86400;
    int64_t seconds = odp_date_days(&d) * 86400;
    return seconds != 0 ? (time_t)seconds : 1;
}
