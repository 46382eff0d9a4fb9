/* One sheet of statistical metadata as a workbook: formats, properties, rows. */
#include "site/metadata/workbook.h"

#include <errno.h>
#include <stdlib.h>
#include <zip.h>

#include "write/xlsx/scratch.h"
#include "write/xlsx/text.h"

enum { LINE_HEIGHT = 15, HEIGHT_MAX = 409 /* points: what a row can have */ };

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

static lxw_format *add_format(struct workbook *w)
{
    lxw_format *f = workbook_add_format(w->book);
    if (f == NULL) {
        failed(w, LXW_ERROR_MEMORY_MALLOC_FAILED);
        return NULL;
    }
    format_set_align(f, LXW_ALIGN_VERTICAL_TOP);
    return f;
}

static void make_formats(struct workbook *w)
{
    lxw_format **all[] = {&w->title, &w->note, &w->head, &w->section, &w->label, &w->text, &w->link};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if ((*all[i] = add_format(w)) == NULL)
            return;
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
    format_set_font_color(w->link, 0x0563C1);
    format_set_underline(w->link, LXW_UNDERLINE_SINGLE);
}

/* Seconds since 1970 of the data's day, never 0, which the library takes for now. */
static time_t created(const char *day)
{
    struct odp_datetime d;
    if (odp_date_parse(odp_slice_of(day), ODP_DATE, NULL, NULL, &d) != ODP_DATE_OK)
        return 86400;
    int64_t seconds = odp_date_days(&d) * 86400;
    return seconds != 0 ? (time_t)seconds : 1;
}

static void set_properties(struct workbook *w, const json_t *entry, const char *title)
{
    struct metadata *m = w->m;
    char *publisher = odp_xlsx_line(odp_text_get(&m->catalog->portal.publisher, ODP_LANG_ID), 255, &m->arena);
    const char *license = metadata_text(json_object_get(entry, "license"), "path");
    lxw_doc_properties p = {.title = odp_xlsx_line(title, 255, &m->arena),
                            .subject = odp_xlsx_line(metadata_in(entry, "title", ODP_LANG_ID), 255, &m->arena),
                            .author = publisher,
                            .company = publisher,
                            .comments =
                                odp_xlsx_line(metadata_printf(m, "Versi %s · %sdata/%s/%s%s", metadata_text(entry, "version"), m->base,
                                                              metadata_text(entry, "slug"), *license != '\0' ? "/ · lisensi: " : "/", license),
                                              255, &m->arena),
                            .created = created(metadata_day(m, metadata_text(entry, "last_update")))};
    if (publisher == NULL || p.title == NULL || p.subject == NULL || p.comments == NULL)
        w->status = ODP_FAIL;
    else
        check(w, workbook_set_properties(w->book, &p));
}

void workbook_open(struct workbook *w, struct metadata *m, const json_t *entry, const char *path, const char *title)
{
    struct odp_output *output = odp_stage_output(m->job->stage);
    *w = (struct workbook){.m = m, .path = path};
    odp_buffer_init(&w->cell);
    w->place = output->place(output->ctx, path, &m->arena);
    char *folder = w->place != NULL ? odp_xlsx_temporary_folder(output, w->place, &m->arena) : NULL;
    lxw_workbook_options options = {.tmpdir = folder};
    errno = 0;
    w->book = folder != NULL ? workbook_new_opt(w->place, &options) : NULL;
    if (w->book == NULL) {
        failed(w, LXW_ERROR_MEMORY_MALLOC_FAILED);
        return;
    }
    w->sheet = workbook_add_worksheet(w->book, title);
    if (w->sheet == NULL) {
        failed(w, LXW_ERROR_CREATING_TMPFILE);
        return;
    }
    make_formats(w);
    if (w->status != ODP_OK)
        return;
    set_properties(w, entry, title);
    worksheet_set_landscape(w->sheet);
    worksheet_set_paper(w->sheet, 9); /* A4 */
    worksheet_fit_to_pages(w->sheet, 1, 0);
    worksheet_set_margins(w->sheet, 0.4, 0.4, 0.5, 0.6);
    check(w, worksheet_set_footer(w->sheet, "&L&A&R&P / &N"));
}

void workbook_put(struct workbook *w, lxw_row_t row, lxw_col_t col, const char *text, lxw_format *format)
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

void workbook_put_number(struct workbook *w, lxw_row_t row, lxw_col_t col, double n, lxw_format *format)
{
    if (w->status == ODP_OK)
        check(w, worksheet_write_number(w->sheet, row, col, n, format));
}

void workbook_column(struct workbook *w, lxw_col_t col, double width)
{
    if (w->status == ODP_OK)
        check(w, worksheet_set_column(w->sheet, col, col, width, NULL));
}

void workbook_height(struct workbook *w, lxw_row_t row, unsigned lines)
{
    unsigned points = lines * LINE_HEIGHT;
    if (w->status == ODP_OK && lines > 1)
        check(w, worksheet_set_row(w->sheet, row, points < HEIGHT_MAX ? points : HEIGHT_MAX, NULL));
}

unsigned workbook_lines(const char *text, double width)
{
    return odp_xlsx_lines(odp_slice_of(text), (unsigned)(width * 0.9));
}

void workbook_heading(struct workbook *w, const char *title, const char *dataset, const char *note)
{
    workbook_put(w, 0, 0, title, w->title);
    workbook_put(w, 1, 0, dataset, w->section);
    workbook_put(w, 2, 0, note, w->note);
    if (w->status == ODP_OK)
        check(w, worksheet_set_row(w->sheet, 0, 24, NULL));
}

/* ---- the end ---------------------------------------------------------------------------------------------------------------------- */

/* Whether XML ends with the end of the element that it begins with. */
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
    return (size_t)(end - at) > 2 * len + 3 && memcmp(end - len - 3, "</", 2) == 0 && memcmp(end - len - 1, at + 1, len) == 0;
}

/* The library does not look whether its temporary files took what it wrote: a part may have been cut. Closing tells whether the checksum is
 * right. */
static bool part_is_whole(zip_t *zip, zip_uint64_t i)
{
    char block[4096];
    struct odp_buffer xml;
    zip_int64_t n = -1;
    zip_file_t *f = zip_fopen_index(zip, i, 0);
    odp_buffer_init(&xml);
    while (f != NULL && (n = zip_fread(f, block, sizeof block)) > 0)
        odp_buffer_add(&xml, block, (size_t)n);
    odp_buffer_add_char(&xml, '\0'); /* for strcspn */
    bool good = f != NULL && zip_fclose(f) == 0 && n == 0 && !xml.failed && ends_as_it_began((struct odp_slice){xml.ptr, xml.len - 1});
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

enum odp_status workbook_finish(struct workbook *w)
{
    struct odp_output *output = odp_stage_output(w->m->job->stage);
    if (w->book != NULL) {
        errno = 0;
        check(w, workbook_close(w->book)); /* frees it in every case */
    }
    if (w->status == ODP_OK && !workbook_is_whole(w->place))
        w->status = odp_failure_set("workbook is incomplete (is the disk full?)", w->place, EIO);
    if (w->status == ODP_OK)
        w->status = output->seal(output->ctx, w->path, odp_format_files[ODP_FILE_xlsx].media_type, ODP_CLASS_PUBLIC);
    else if (w->place != NULL)
        output->drop(output->ctx, w->path);
    odp_buffer_release(&w->cell);
    return w->status;
}
