/* One sheet of statistical metadata as a workbook: formats, properties, rows. */
#include "site/metadata/metadata_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <xlsxwriter.h>
#include <zip.h>

#include "write/xlsx/scratch.h"
#include "write/xlsx/text.h"

enum {
    LINE_HEIGHT = 15,
    HEIGHT_MAX = 409 /* points, the most that a row can have */,
    FIRST = 4 /* row after the heading */
};

struct workbook {
    struct odp_metadata *m;
    lxw_workbook *book;
    lxw_worksheet *sheet;
    lxw_format *title, *note, *head, *section, *label, *text;
    struct odp_buffer cell;
    const char *path;       /* of the site */
    char *place;            /* on the disk */
    enum odp_status status; /* the first failure stays */
};

static void failed(struct workbook *w, lxw_error error)
{
    int errnum = error == LXW_ERROR_MEMORY_MALLOC_FAILED ? ENOMEM : errno != 0 ? errno : EIO;
    if (w->status == ODP_OK)
        w->status = odp_failure_set("write workbook", w->place != NULL ? w->place : w->path, errnum);
}

static void check(struct workbook *w, lxw_error error)
{
    if (error != LXW_NO_ERROR)
        failed(w, error);
}

static void make_formats(struct workbook *w)
{
    lxw_format **all[] = {&w->title, &w->note, &w->head, &w->section, &w->label, &w->text};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if ((*all[i] = workbook_add_format(w->book)) == NULL) {
            failed(w, LXW_ERROR_MEMORY_MALLOC_FAILED);
            return;
        }
        format_set_align(*all[i], LXW_ALIGN_VERTICAL_TOP);
    }
    format_set_bold(w->title);
    format_set_font_size(w->title, 16);
    format_set_font_color(w->title, 0x1F3864);
    format_set_italic(w->note);
    format_set_bold(w->head);
    format_set_bg_color(w->head, 0xDCE6F1);
    format_set_bottom(w->head, LXW_BORDER_MEDIUM);
    format_set_bottom_color(w->head, 0x1F3864);
    format_set_text_wrap(w->head);
    format_set_bold(w->section);
    format_set_bg_color(w->section, 0xEEF3F8);
    format_set_text_wrap(w->label);
    format_set_align(w->label, LXW_ALIGN_LEFT);
    format_set_text_wrap(w->text);
    format_set_num_format(w->text, "@"); /* codes stay codes */
}

/* The data's day in seconds since 1970, never 0, which the library takes for now. */
static time_t created(const char *day)
{
    struct odp_datetime d;
    if (odp_date_parse(odp_slice_of(day), ODP_DATE, NULL, NULL, &d) != ODP_DATE_OK)
        return 86400;
    int64_t seconds = odp_date_days(&d) * 86400;
    return seconds != 0 ? (time_t)seconds : 1;
}

static void set_properties(struct workbook *w, const json_t *document, const char *title)
{
    struct odp_metadata *m = w->m;
    const char *license = odp_text_of(json_object_get(document, "license"), "path"),
               *slug = odp_text_of(document, "slug");
    char *publisher = odp_xlsx_line(odp_text_get(&m->catalog->portal.publisher, ODP_LANG_ID), 255, &m->arena);
    const char *about = metadata_printf(m, "Versi %s · %sdata/%s/%s%s", odp_text_of(document, "version"),
                                        m->base, slug, *license != '\0' ? " · lisensi: " : "", license);
    lxw_doc_properties p = {.title = odp_xlsx_line(title, 255, &m->arena),
                            .subject =
                                odp_xlsx_line(odp_model_in(document, "title", ODP_LANG_ID), 255, &m->arena),
                            .author = publisher,
                            .company = publisher,
                            .comments = odp_xlsx_line(about, 255, &m->arena),
                            .created = created(odp_text_of(document, "day"))};
    check(w, workbook_set_properties(w->book, &p));
}

static void open_workbook(struct workbook *w, struct odp_metadata *m, const json_t *document,
                          const json_t *sheet, const char *path)
{
    struct odp_output *output = odp_stage_output(m->job->stage);
    *w = (struct workbook){.m = m, .path = path};
    w->place = output->place(output->ctx, path, &m->arena);
    char *folder = w->place != NULL ? odp_xlsx_temporary_folder(output, w->place, &m->arena) : NULL;
    lxw_workbook_options options = {.tmpdir = folder};
    errno = 0;
    w->book = folder != NULL ? workbook_new_opt(w->place, &options) : NULL;
    if (w->book == NULL) {
        failed(w, LXW_ERROR_MEMORY_MALLOC_FAILED);
        return;
    }
    w->sheet = workbook_add_worksheet(w->book, odp_text_of(sheet, "sheet"));
    if (w->sheet == NULL) {
        failed(w, LXW_ERROR_CREATING_TMPFILE);
        return;
    }
    make_formats(w);
    if (w->status != ODP_OK)
        return;
    set_properties(w, document, odp_text_of(sheet, "sheet"));
    worksheet_set_landscape(w->sheet);
    worksheet_set_paper(w->sheet, (uint8_t)odp_model_number(sheet, "paper"));
    worksheet_fit_to_pages(w->sheet, 1, 0);
    worksheet_set_margins(w->sheet, 0.4, 0.4, 0.5, 0.6);
    check(w, worksheet_set_footer(w->sheet, "&L&A&R&P / &N"));
}

static void put(struct workbook *w, lxw_row_t row, lxw_col_t col, const char *text, lxw_format *format)
{
    if (w->status != ODP_OK)
        return;
    if (*text == '\0') {
        check(w, worksheet_write_blank(w->sheet, row, col, format));
        return;
    }
    if (!odp_xlsx_text_put(&w->cell, odp_slice_of(text)))
        (void)odp_xlsx_text_put(&w->cell, ODP_LIT("(…)"));
    const char *s = odp_buffer_cstr(&w->cell);
    w->status = odp_buffer_status(&w->cell);
    if (w->status == ODP_OK)
        check(w, worksheet_write_string(w->sheet, row, col, s, format));
}

/* ---- rows ---- */

/* One row of cells; texts in FORMAT or, if it is NULL, in the format of their column. The row is as high as
 * its longest cell needs: not all programs compute it. */
static void put_row(struct workbook *w, lxw_row_t row, const json_t *cells, const json_t *columns,
                    lxw_format *format)
{
    const json_t *cell;
    unsigned lines = 1;
    size_t i;
    json_array_foreach(cells, i, cell)
    {
        const json_t *column = json_array_get(columns, i);
        lxw_format *own = format != NULL                                   ? format
                          : json_is_true(json_object_get(column, "label")) ? w->label
                                                                           : w->text;
        const char *text = json_is_string(cell) ? json_string_value(cell) : "";
        const unsigned n = odp_xlsx_lines(
            odp_slice_of(text), (unsigned)(json_number_value(json_object_get(column, "width")) * 0.9));
        lines = n > lines ? n : lines;
        if (w->status == ODP_OK && json_is_number(cell))
            check(w, worksheet_write_number(w->sheet, row, (lxw_col_t)i, json_number_value(cell), w->label));
        else
            put(w, row, (lxw_col_t)i, text, own);
    }
    const unsigned points = lines * LINE_HEIGHT;
    if (w->status == ODP_OK && lines > 1)
        check(w, worksheet_set_row(w->sheet, row, points < HEIGHT_MAX ? points : HEIGHT_MAX, NULL));
}

static void put_heading(struct workbook *w, const json_t *sheet)
{
    put(w, 0, 0, odp_text_of(sheet, "title"), w->title);
    put(w, 1, 0, odp_text_of(sheet, "about"), w->section);
    put(w, 2, 0, odp_text_of(sheet, "note"), w->note);
    if (w->status == ODP_OK)
        check(w, worksheet_set_row(w->sheet, 0, 24, NULL));
}

static void put_sheet(struct workbook *w, const json_t *sheet)
{
    const json_t *columns = json_object_get(sheet, "columns"), *facts = json_object_get(sheet, "facts"),
                 *freeze = json_object_get(sheet, "freeze"), *one;
    json_t *titles = json_array();
    lxw_row_t at = FIRST;
    size_t i;
    put_heading(w, sheet);
    json_array_foreach(columns, i, one)
    {
        if (w->status == ODP_OK)
            check(w, worksheet_set_column(w->sheet, (lxw_col_t)i, (lxw_col_t)i,
                                          json_number_value(json_object_get(one, "width")), NULL));
        odp_add(titles, json_incref(json_object_get(one, "title")));
    }
    json_array_foreach(facts, i, one)
    {
        put(w, at, 1, json_string_value(json_array_get(one, 0)), w->label);
        put(w, at++, 2, json_string_value(json_array_get(one, 1)), w->text);
    }
    at += json_array_size(facts) > 0;
    put_row(w, at++, titles, columns, w->head);
    json_array_foreach(json_object_get(sheet, "rows"), i, one)
        put_row(w, at++, json_object_get(one, "cells"), columns,
                json_is_true(json_object_get(one, "section")) ? w->section : NULL);
    if (w->status == ODP_OK && freeze != NULL)
        worksheet_freeze_panes(w->sheet, (lxw_row_t)json_integer_value(json_array_get(freeze, 0)),
                               (lxw_col_t)json_integer_value(json_array_get(freeze, 1)));
    json_decref(titles);
}

/* ---- the end ---- */

/* Whether XML ends with the end tag of its first element. */
static bool ends_as_it_began(struct odp_slice xml)
{
    const char *at = memmem(xml.ptr, xml.len, "?>", 2), *end = xml.ptr + xml.len;
    while (end > xml.ptr && (end[-1] == '\n' || end[-1] == '\r'))
        end--;
    at = at != NULL ? memchr(at, '<', (size_t)(end - at)) : NULL;
    size_t len = at != NULL ? strcspn(at + 1, " />\r\n") : 0;
    if (len == 0 || (size_t)(end - at) < len + 2 || end[-1] != '>')
        return false;
    if (end[-2] == '/') /* the one element there is */
        return memchr(at + 1, '<', (size_t)(end - at - 1)) == NULL;
    return (size_t)(end - at) > 2 * len + 3 && memcmp(end - len - 3, "</", 2) == 0 &&
           memcmp(end - len - 1, at + 1, len) == 0;
}

/* The library does not check whether its temporary files were written completely: a part may be cut. Closing
 * verifies the checksum. */
static bool part_is_whole(zip_t *zip, zip_uint64_t i)
{
    char block[4096];
    struct odp_buffer xml = {0};
    zip_int64_t n = -1;
    zip_file_t *f = zip_fopen_index(zip, i, 0);
    while (f != NULL && (n = zip_fread(f, block, sizeof block)) > 0)
        odp_buffer_add(&xml, block, (size_t)n);
    odp_buffer_add_char(&xml, '\0'); /* for strcspn */
    bool good = f != NULL && zip_fclose(f) == 0 && n == 0 && !xml.failed &&
                ends_as_it_began((struct odp_slice){xml.ptr, xml.len - 1});
    odp_buffer_release(&xml);
    return good;
}

static bool workbook_is_whole(const char *place)
{
    int fault = 0;
    zip_t *zip = zip_open(place, ZIP_RDONLY, &fault);
    zip_int64_t n = zip != NULL ? zip_get_num_entries(zip, 0) : 0;
    bool good = n > 0;
    for (zip_int64_t i = 0; i < n && good; i++)
        good = part_is_whole(zip, (zip_uint64_t)i);
    if (zip != NULL)
        zip_discard(zip);
    return good;
}

static enum odp_status finish(struct workbook *w)
{
    struct odp_output *output = odp_stage_output(w->m->job->stage);
    if (w->book != NULL) {
        errno = 0;
        check(w, workbook_close(w->book)); /* frees it in every case */
    }
    if (w->status == ODP_OK && !workbook_is_whole(w->place))
        w->status = odp_failure_set("workbook is incomplete (is the disk full?)", w->place, EIO);
    if (w->status == ODP_OK)
        w->status =
            output->seal(output->ctx, w->path, odp_format_files[ODP_FILE_xlsx].media_type, ODP_CLASS_PUBLIC);
    else if (w->place != NULL)
        output->drop(output->ctx, w->path);
    odp_buffer_release(&w->cell);
    return w->status;
}

void metadata_workbook_take(struct odp_metadata *m, const char *page, const json_t *document, json_t *data)
{
    json_t *sheet = metadata_json_take(m, page, ODP_LANG_ID, data);
    struct workbook w;
    if (sheet == NULL)
        return;
    open_workbook(
        &w, m, document, sheet,
        metadata_beside_page(m, odp_text_of(document, "slug"), metadata_printf(m, "/%s.xlsx", page)));
    if (w.status == ODP_OK)
        put_sheet(&w, sheet);
    json_decref(sheet);
    m->status = finish(&w);
}
