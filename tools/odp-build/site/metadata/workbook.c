/* One sheet of statistical metadata as a workbook: formats, properties, rows. */
#include "site/metadata/metadata_internal.h"

#include "write/xlsx/scratch.h"
#include "xlsx/book.h"

enum {
    LINE_HEIGHT = 15,
    HEIGHT_MAX = 409 /* points, the most that a row can have */,
    FIRST = 4 /* row after the heading */
};

struct workbook {
    struct odp_metadata *m;
    struct odp_book book;
    lxw_worksheet *sheet;
    lxw_format *title, *note, *head, *section, *label, *text;
    const char *path; /* of the site */
};

static void make_formats(struct workbook *w)
{
    const struct odp_look looks[] = {{&w->title, .how = LOOK_BOLD | LOOK_TOP, .front = LOOK_INK, .size = 16},
                                     {&w->note, .how = LOOK_ITALIC | LOOK_TOP},
                                     {&w->head, .how = LOOK_HEAD | LOOK_TOP, .back = 0xDCE6F1},
                                     {&w->section, .how = LOOK_BOLD | LOOK_TOP, .back = 0xEEF3F8},
                                     {&w->label, .how = LOOK_WRAP | LOOK_LEFT | LOOK_TOP},
                                     {&w->text, .how = LOOK_WRAP | LOOK_TEXT | LOOK_TOP}};
    odp_book_looks(&w->book, looks, ODP_COUNT(looks));
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
                            .created = odp_book_day(odp_slice_of(odp_text_of(document, "day")))};
    odp_book_note(&w->book, workbook_set_properties(w->book.workbook, &p));
}

static void open_workbook(struct workbook *w, const json_t *document, const json_t *sheet)
{
    struct odp_arena *a = &w->m->arena;
    struct odp_output *output = odp_stage_output(w->m->job->stage);
    const char *place = output->place(output->ctx, w->path, a);
    w->book = (struct odp_book){.arena = a, .status = ODP_FAIL};
    if (place == NULL)
        return;
    odp_book_open(&w->book, place, odp_xlsx_temporary_folder(output, place, a), false, a);
    w->sheet = odp_book_sheet(&w->book, odp_text_of(sheet, "sheet"));
    if (w->sheet == NULL)
        return;
    make_formats(w);
    set_properties(w, document, odp_text_of(sheet, "sheet"));
    odp_book_print(w->sheet);
    worksheet_set_paper(w->sheet, (uint8_t)odp_model_number(sheet, "paper"));
    worksheet_set_margins(w->sheet, 0.4, 0.4, 0.5, 0.6);
    odp_book_note(&w->book, worksheet_set_footer(w->sheet, "&L&A&R&P / &N"));
}

static void put(struct workbook *w, lxw_row_t row, lxw_col_t col, const char *text, lxw_format *format)
{
    odp_book_put_str(&w->book, w->sheet, row, col, text, format);
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
        if (json_is_number(cell))
            odp_book_note(&w->book, worksheet_write_number(w->sheet, row, (lxw_col_t)i,
                                                           json_number_value(cell), w->label));
        else
            put(w, row, (lxw_col_t)i, text, own);
    }
    const unsigned points = lines * LINE_HEIGHT;
    if (lines > 1)
        odp_book_note(&w->book,
                      worksheet_set_row(w->sheet, row, points < HEIGHT_MAX ? points : HEIGHT_MAX, NULL));
}

static void put_heading(struct workbook *w, const json_t *sheet)
{
    put(w, 0, 0, odp_text_of(sheet, "title"), w->title);
    put(w, 1, 0, odp_text_of(sheet, "about"), w->section);
    put(w, 2, 0, odp_text_of(sheet, "note"), w->note);
    odp_book_note(&w->book, worksheet_set_row(w->sheet, 0, 24, NULL));
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
        odp_book_note(&w->book, worksheet_set_column(w->sheet, (lxw_col_t)i, (lxw_col_t)i,
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
    if (freeze != NULL)
        worksheet_freeze_panes(w->sheet, (lxw_row_t)json_integer_value(json_array_get(freeze, 0)),
                               (lxw_col_t)json_integer_value(json_array_get(freeze, 1)));
    json_decref(titles);
}

/* ---- the end ---- */

static enum odp_status finish(struct workbook *w)
{
    struct odp_output *output = odp_stage_output(w->m->job->stage);
    enum odp_status status = odp_book_close(&w->book);
    if (status == ODP_OK)
        return output->seal(output->ctx, w->path, odp_format_files[ODP_FILE_xlsx].media_type,
                            ODP_CLASS_PUBLIC);
    if (w->book.place != NULL)
        output->drop(output->ctx, w->path);
    return status;
}

void metadata_workbook_take(struct odp_metadata *m, const char *page, const json_t *document, json_t *data)
{
    json_t *sheet = metadata_json_take(m, page, ODP_LANG_ID, data);
    if (sheet == NULL)
        return;
    struct workbook w = {
        .m = m,
        .path = metadata_beside_page(m, odp_text_of(document, "slug"), metadata_printf(m, "/%s.xlsx", page))};
    open_workbook(&w, document, sheet);
    if (w.sheet != NULL)
        put_sheet(&w, sheet);
    json_decref(sheet);
    m->status = finish(&w);
}
