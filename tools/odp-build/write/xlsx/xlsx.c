/* Excel, by libxlsxwriter in its mode of constant memory: the data on one sheet or several, its
 * explanation on "Keterangan", code lists on sheets of their own.
 *
 * Records are looked at and kept in a scratch file while they come: formats and widths, and whether a
 * column's numbers are text, depend on all of them. Then the workbook is written from there.
 *
 * The library makes the workbook's date with gmtime, whose buffer is the process's: workbooks that are
 * closed at the same time must be of one version, as slices are. One place reaches into its structures, in
 * its public headers: the file of a row with a number of 17 digits, of which it writes 16 (cells.c). */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/temporary.h"
#include "words/xlsx.h"
#include "write/facts/facts.h"
#include "write/emitters.h"
#include "write/xlsx/scratch.h"
#include "write/xlsx/xlsx_internal.h"

/* A word in both languages, one below the other. */
#define LINES_(id, en) id "\n\n" en
#define LINES(word)    LINES_(word)

#define FILE_NAME "odp-workbook"
#define SAID      FILE_NAME " (TMPDIR)" /* where it fails */

/* ---- sheets and formats ---- */

static void make_looks(struct xlsx_emit *e)
{
    struct xlsx_looks *l = &e->looks;
    const struct odp_look looks[] = {{&l->head, .how = LOOK_HEAD | LOOK_MIDDLE, .back = 0xDCE6F1},
                                     {&l->head_right, .how = LOOK_HEAD | LOOK_MIDDLE | LOOK_RIGHT,
                                      .back = 0xDCE6F1, .indent = 2}, /* the filter's button */
                                     {&l->title, .how = LOOK_BOLD, .front = LOOK_INK, .size = 16},
                                     {&l->subtitle, .how = LOOK_ITALIC, .size = 12},
                                     {&l->section, .how = LOOK_BOLD, .front = LOOK_INK, .size = 13},
                                     {&l->label, .how = LOOK_BOLD | LOOK_TOP},
                                     {&l->text, .how = LOOK_WRAP | LOOK_TOP},
                                     {&l->count, .how = LOOK_LEFT | LOOK_TOP, .number = "#,##0"},
                                     {&l->link, .how = LOOK_LINK | LOOK_WRAP | LOOK_TOP},
                                     {&l->plain, .how = LOOK_TEXT | LOOK_WRAP | LOOK_TOP},
                                     {&l->number, .how = LOOK_LEFT, .number = "0"}};
    odp_book_looks(&e->book, looks, ODP_COUNT(looks));
}

/* At cell COL of the header. */
static void put_comment(struct xlsx_emit *e, lxw_col_t col, const char *text, bool visible)
{
    const char *publisher = odp_text_get(&e->base.job->catalog->portal.publisher, ODP_LANG_ID);
    lxw_comment_options options = {
        .author = odp_xlsx_line(publisher, 50, &e->base.arena), .width = 320, .height = 150};
    options.visible = visible ? LXW_COMMENT_DISPLAY_VISIBLE : LXW_COMMENT_DISPLAY_HIDDEN;
    if (visible)
        options.start_row = 2, options.start_col = 1;
    odp_book_note(&e->book, worksheet_write_comment_opt(e->sheet, 0, col, text, &options));
}

/* A note on the first sheet, next to the header, that records continue on other sheets. */
static void say_continued(struct xlsx_emit *e)
{
    size_t sheets = (size_t)((e->total + XLSX_RECORDS_MAX - 1) / XLSX_RECORDS_MAX);
    const struct odp_book empty = {.arena = &e->base.arena};
    const char *last = odp_book_sheet_name(&empty, e->title, (unsigned)sheets, NULL, 0);
    struct odp_buffer text;
    odp_buffer_init(&text);
    for (enum odp_lang lang = 0; lang < ODP_LANGS; lang++) {
        odp_buffer_clear(&e->book.text);
        odp_text_number(&e->book.text, e->total, lang);
        odp_buffer_add_str(&text, lang > 0 ? "\n\n" : "");
        odp_buffer_printf(&text, odp_word(lang, W_xlsx_continued), odp_buffer_cstr(&e->book.text), sheets,
                          last);
    }
    put_comment(e, 0, odp_buffer_cstr(&text), true);
    e->book.text.failed |= text.failed;
    odp_buffer_release(&text);
}

/* The next sheet for records, with its header. */
static void begin_sheet(struct xlsx_emit *e)
{
    e->sheet = odp_xlsx_sheet_add(e, e->title, (unsigned)e->data_sheets + 1);
    if (e->sheet == NULL)
        return;
    e->data_sheets++;
    worksheet_freeze_panes(e->sheet, 1, 0);
    odp_xlsx_columns_set(e);
    odp_book_note(&e->book, worksheet_set_row(e->sheet, 0, odp_xlsx_height(e->head_lines) + 5, NULL));
    odp_xlsx_print_setup(e, e->sheet, 1);
    for (lxw_col_t k = 0; k < e->ncolumns; k++) {
        const struct xlsx_column *c = &e->columns[k];
        (void)odp_xlsx_text_put(&e->book.text, odp_slice_of(c->header));
        odp_xlsx_string_put(e, e->sheet, 0, k, c->figure ? e->looks.head_right : e->looks.head);
        if (c->as_text)
            put_comment(e, k, LINES(W_xlsx_as_text), false);
    }
    if (e->data_sheets == 1 && e->total > XLSX_RECORDS_MAX)
        say_continued(e);
    e->row = 1;
}

/* ---- the emitter ---- */

static void xlsx_release(struct odp_emit *emit)
{
    struct xlsx_emit *e = (struct xlsx_emit *)emit;
    if (e->place != NULL)
        emit->job->output->drop(emit->job->output->ctx, e->path);
    odp_book_discard(&e->book);
    if (e->kept >= 0)
        (void)close(e->kept);
    if (e->row_out != NULL)
        (void)fclose(e->row_out);
    free(e->row_text);
    odp_buffer_release(&e->address);
}

static const char *title_of(const struct odp_resource *r)
{
    const char *title = odp_text_get(odp_facts_title(r), ODP_LANG_ID);
    return title[0] != '\0' ? title : r->primary ? r->dataset->slug : r->name;
}

static enum odp_status find_places(struct xlsx_emit *e)
{
    const struct odp_emit_job *job = e->base.job;
    struct odp_arena *a = &e->base.arena;
    const char *base = job->catalog->portal.base_url;
    e->path = odp_emit_data_path(job, e->base.kind->file->extension, a);
    e->url = odp_arena_printf(a, "%s%s", base, e->path);
    e->folder = odp_arena_printf(a, "%sdata/%s/%s/", base, job->resource->dataset->slug, job->version);
    e->title = title_of(job->resource);
    e->place = job->output->place(job->output->ctx, e->path, a);
    return e->place == NULL ? ODP_FAIL : ODP_OK;
}

/* A workbook without records. */
static void open_workbook(struct xlsx_emit *e)
{
    struct odp_arena *a = &e->base.arena;
    odp_book_open(&e->book, e->place, odp_xlsx_temporary_folder(e->base.job->output, e->place, a), true, a);
    make_looks(e);
    odp_xlsx_columns_format(e);
    begin_sheet(e);
}

static enum odp_status xlsx_begin(struct odp_emit *emit)
{
    struct xlsx_emit *e = (struct xlsx_emit *)emit;
    e->kept = -1;
    odp_cells_reader_init(&e->reader, emit->job, &emit->arena);
    enum odp_status status = find_places(e);
    if (status == ODP_OK)
        status = odp_xlsx_columns_init(e);
    return status == ODP_OK ? odp_scratch_open(&e->kept, FILE_NAME) : status;
}

static enum odp_status xlsx_append(struct odp_emit *emit, const struct odp_chunk *c)
{
    struct xlsx_emit *e = (struct xlsx_emit *)emit;
    uint64_t len = c->bytes.len, at = e->kept_bytes;
    odp_cells_reader_begin(&e->reader, c);
    while (odp_cells_reader_next(&e->reader)) {
        odp_xlsx_record_look(e);
        e->total++;
    }
    e->kept_bytes += sizeof len + len;
    enum odp_status status = odp_scratch_write(e->kept, &len, sizeof len, at, SAID);
    return status == ODP_OK ? odp_scratch_write(e->kept, c->bytes.ptr, len, at + sizeof len, SAID) : status;
}

/* ---- the end ---- */

static void put_chunk(struct xlsx_emit *e, const struct odp_chunk *c)
{
    errno = 0;
    odp_cells_reader_begin(&e->reader, c);
    while (e->book.status == ODP_OK && odp_cells_reader_next(&e->reader)) {
        if (e->row > XLSX_RECORDS_MAX)
            begin_sheet(e);
        if (e->book.status == ODP_OK)
            odp_xlsx_record_put(e);
        e->row++;
    }
    if (e->book.status == ODP_OK && ferror(e->sheet->optimize_tmpfile))
        odp_book_note(&e->book, LXW_ERROR_CREATING_TMPFILE);
}

static void put_records(struct xlsx_emit *e)
{
    struct odp_chunk c;
    odp_chunk_init(&c);
    for (uint64_t len, at = 0; at < e->kept_bytes && e->book.status == ODP_OK; at += sizeof len + len) {
        e->book.status = odp_scratch_read(e->kept, &len, sizeof len, at, SAID);
        odp_buffer_clear(&c.bytes);
        if (e->book.status != ODP_OK || odp_buffer_reserve(&c.bytes, len) == NULL)
            break;
        c.bytes.len = len;
        e->book.status = odp_scratch_read(e->kept, c.bytes.ptr, len, at + sizeof len, SAID);
        if (e->book.status == ODP_OK)
            put_chunk(e, &c);
    }
    if (c.bytes.failed)
        e->book.status = ODP_FAIL;
    odp_chunk_release(&c);
}

static void end_data(struct xlsx_emit *e)
{
    for (size_t i = 0; i < e->data_sheets && e->ncolumns > 0; i++) {
        lxw_row_t last = i + 1 < e->data_sheets ? XLSX_RECORDS_MAX : e->row - 1;
        lxw_worksheet *sheet = e->book.sheets[i].sheet;
        odp_book_note(&e->book, worksheet_autofilter(sheet, 0, 0, last, (lxw_col_t)(e->ncolumns - 1)));
        odp_book_codes(&e->book, sheet, 0, last, (lxw_col_t)(e->ncolumns - 1));
    }
}

static char *keywords_of(struct xlsx_emit *e)
{
    const json_t *own = e->base.job->resource->dataset->json,
                 *list = json_object_get(json_object_get(own, "odp:keywords"), "id"), *word;
    list = json_is_array(list) ? list : json_object_get(own, "keywords");
    size_t i;
    odp_buffer_clear(&e->book.text);
    json_array_foreach(list, i, word) if (json_is_string(word))
    {
        odp_buffer_add_str(&e->book.text, e->book.text.len > 0 ? ", " : "");
        odp_buffer_add_str(&e->book.text, json_string_value(word));
    }
    return odp_xlsx_line(odp_buffer_cstr(&e->book.text), 255, &e->base.arena);
}

static void set_properties(struct xlsx_emit *e)
{
    const struct odp_emit_job *job = e->base.job;
    const struct odp_dataset *d = job->resource->dataset;
    char hex[ODP_SHA256_HEX] = "";
    if (job->logical != NULL)
        odp_digest_hex(job->logical, hex);
    const char *about =
        hex[0] != '\0' ? odp_arena_printf(&e->base.arena, "%s · sha256:%s", e->url, hex) : e->url;
    char *publisher =
        odp_xlsx_line(odp_text_get(&job->catalog->portal.publisher, ODP_LANG_ID), 255, &e->base.arena);
    lxw_doc_properties p = {
        .title = odp_xlsx_line(e->title, 255, &e->base.arena),
        .subject = odp_xlsx_line(odp_text_get(&d->description, ODP_LANG_ID), 255, &e->base.arena),
        .author = publisher,
        .company = publisher,
        .keywords = keywords_of(e),
        .comments =
            odp_arena_printf(&e->base.arena, odp_word(ODP_LANG_ID, W_xlsx_properties), job->version, about),
        .created = odp_book_day(odp_emit_version_date(job->date != NULL ? job->date : job->version))};
    odp_book_note(&e->book, workbook_set_properties(e->book.workbook, &p));
    const char *license = odp_emit_license(job); /* what Dublin Core has no core property for */
    if (license != NULL && odp_xlsx_is_link(odp_slice_of(license)) && strlen(license) <= 255)
        odp_book_note(&e->book, workbook_set_custom_property_string(e->book.workbook, "License", license));
}

static enum odp_status xlsx_end(struct odp_emit *emit)
{
    struct xlsx_emit *e = (struct xlsx_emit *)emit;
    struct odp_output *output = emit->job->output;
    static void (*const steps[])(struct xlsx_emit *) = {
        open_workbook,      put_records,        odp_xlsx_lists_plan, end_data,
        odp_xlsx_about_put, odp_xlsx_lists_put, set_properties};
    for (size_t i = 0; i < ODP_COUNT(steps) && e->book.status == ODP_OK; i++) {
        steps[i](e);
        if (e->book.text.failed || e->address.failed)
            e->book.status = ODP_FAIL;
    }
    enum odp_status status = odp_book_close(&e->book);
    if (status == ODP_OK)
        status = output->seal(output->ctx, e->path, emit->kind->file->media_type, ODP_CLASS_PUBLIC);
    if (status == ODP_OK)
        e->place = NULL; /* nothing to drop */
    return status;
}

const struct odp_emitter odp_emitter_xlsx = {
    .file = &odp_format_files[ODP_FILE_xlsx],
    .tells_digest = true,
    .form = odp_cells_form,
    .size = sizeof(struct xlsx_emit),
    .begin = xlsx_begin,
    .format_batch = odp_cells_format,
    .append = xlsx_append,
    .end = xlsx_end,
    .release = xlsx_release,
};
