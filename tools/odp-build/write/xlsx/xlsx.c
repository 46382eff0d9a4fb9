/* Excel, by libxlsxwriter in its mode of constant memory: the data on one sheet or several, its explanation
 * on "Keterangan", code lists on sheets of their own.
 *
 * Records are looked at and kept in a scratch file while they come: formats and widths, and whether a
 * column's numbers are text, depend on all of them. Then the workbook is written from there.
 *
 * The library writes sheets into temporary files that have no name (unlinked when made), copies them once
 * more while it closes the workbook, without checking success. So: the temporary files' error
 * flags are looked at with every chunk; the workbook is read back before it is sealed (check.c); and what the
 * library leaves open when closing fails is emptied through descriptors of our own.
 *
 * It makes the workbook's date with gmtime, whose buffer is the process's: workbooks that are closed at the
 * same time must be of one version, as slices are. Two places reach into its structures, in its public
 * headers: a data validation's type (its own way loses a string; lists.c), and the file of a row with a
 * number of 17 digits, of which it writes 16 (cells.c). */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/temporary.h"
#include "words/xlsx.h"
#include "write/facts/facts.h"
#include "write/emitters.h"
#include "write/typesetting/words.h"
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
    lxw_format **all[] = {&l->head, &l->head_right, &l->title, &l->subtitle, &l->section, &l->label,
                          &l->text, &l->count,      &l->link,  &l->plain,    &l->number};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        *all[i] = odp_xlsx_format(e);
    lxw_format *const top[] = {l->label, l->text, l->count, l->link};
    for (size_t i = 0; i < sizeof top / sizeof *top; i++)
        format_set_align(top[i], LXW_ALIGN_VERTICAL_TOP);
    lxw_format *const bold[] = {l->head, l->head_right, l->title, l->section, l->label};
    for (size_t i = 0; i < sizeof bold / sizeof *bold; i++)
        format_set_bold(bold[i]);
    for (size_t i = 0; i < 2; i++) {
        format_set_align(bold[i], LXW_ALIGN_VERTICAL_CENTER);
        format_set_bg_color(bold[i], 0xDCE6F1);
        format_set_bottom(bold[i], LXW_BORDER_MEDIUM);
        format_set_bottom_color(bold[i], 0x1F3864);
        format_set_text_wrap(bold[i]);
    }
    format_set_align(l->head_right, LXW_ALIGN_RIGHT);
    format_set_indent(l->head_right, 2); /* room for the button of the filter */
    format_set_font_size(l->title, 16);
    format_set_font_color(l->title, 0x1F3864);
    format_set_font_size(l->subtitle, 12);
    format_set_italic(l->subtitle);
    format_set_font_size(l->section, 13);
    format_set_font_color(l->section, 0x1F3864);
    format_set_text_wrap(l->text);
    format_set_num_format(l->count, "#,##0");
    format_set_align(l->count, LXW_ALIGN_LEFT);
    format_set_text_wrap(l->link);
    format_set_font_color(l->link, 0x0563C1);
    format_set_underline(l->link, LXW_UNDERLINE_SINGLE);
    format_set_num_format(l->number, "0");
    format_set_align(l->number, LXW_ALIGN_LEFT);
    format_set_num_format(l->plain, "@");
    format_set_text_wrap(l->plain);
    format_set_align(l->plain, LXW_ALIGN_VERTICAL_TOP);
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
    odp_xlsx_take(e, worksheet_write_comment_opt(e->sheet, 0, col, text, &options));
}

/* A note on the first sheet, next to the header, that records continue on other sheets. */
static void say_continued(struct xlsx_emit *e)
{
    size_t sheets = (size_t)((e->total + XLSX_RECORDS_MAX - 1) / XLSX_RECORDS_MAX);
    const char *last =
        odp_xlsx_sheet_name(e->title, (unsigned)sheets, &(struct xlsx_names){0}, &e->base.arena);
    char digits[24];
    struct odp_buffer text = {0};
    (void)snprintf(digits, sizeof digits, "%llu", (unsigned long long)e->total);
    for (enum odp_lang lang = 0; lang < ODP_LANGS; lang++) {
        odp_buffer_clear(&e->text);
        odp_words_number(&e->text, odp_slice_of(digits), lang, true);
        odp_buffer_add_str(&text, lang > 0 ? "\n\n" : "");
        odp_buffer_printf(&text, odp_word(lang, W_xlsx_continued), odp_buffer_cstr(&e->text), sheets, last);
    }
    put_comment(e, 0, odp_buffer_cstr(&text), true);
    e->text.failed |= text.failed;
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
    odp_xlsx_take(e, worksheet_set_row(e->sheet, 0, odp_xlsx_height(e->head_lines) + 5, NULL));
    odp_xlsx_print_setup(e, e->sheet, 1);
    for (lxw_col_t k = 0; k < e->ncolumns; k++) {
        const struct xlsx_column *c = &e->columns[k];
        (void)odp_xlsx_text_put(&e->text, odp_slice_of(c->header));
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
    for (size_t i = 0; i < e->nsheets && e->workbook != NULL; i++)
        (void)fclose(e->sheets[i].sheet->optimize_tmpfile); /* no longer needed */
    lxw_workbook_free(e->workbook);
    for (size_t i = 0; i < e->nsheets; i++)
        (void)close(e->sheets[i].copy);
    if (e->kept >= 0)
        (void)close(e->kept);
    if (e->row_out != NULL)
        (void)fclose(e->row_out);
    free(e->row_text);
    odp_buffer_release(&e->text);
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
    char *folder = odp_xlsx_temporary_folder(e->base.job->output, e->place, &e->base.arena);
    lxw_workbook_options options = {.constant_memory = LXW_TRUE, .tmpdir = folder};
    e->workbook = workbook_new_opt(e->place, &options);
    if (e->workbook == NULL) {
        odp_xlsx_take(e, LXW_ERROR_MEMORY_MALLOC_FAILED);
        return;
    }
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
    while (e->status == ODP_OK && odp_cells_reader_next(&e->reader)) {
        if (e->row > XLSX_RECORDS_MAX)
            begin_sheet(e);
        if (e->status == ODP_OK)
            odp_xlsx_record_put(e);
        e->row++;
    }
    if (e->status == ODP_OK && ferror(e->sheet->optimize_tmpfile))
        odp_xlsx_take(e, LXW_ERROR_CREATING_TMPFILE);
}

static void put_records(struct xlsx_emit *e)
{
    struct odp_chunk c;
    odp_chunk_init(&c);
    for (uint64_t len, at = 0; at < e->kept_bytes && e->status == ODP_OK; at += sizeof len + len) {
        e->status = odp_scratch_read(e->kept, &len, sizeof len, at, SAID);
        odp_buffer_clear(&c.bytes);
        if (e->status != ODP_OK || odp_buffer_reserve(&c.bytes, len) == NULL)
            break;
        c.bytes.len = len;
        e->status = odp_scratch_read(e->kept, c.bytes.ptr, len, at + sizeof len, SAID);
        if (e->status == ODP_OK)
            put_chunk(e, &c);
    }
    if (c.bytes.failed)
        e->status = ODP_FAIL;
    odp_chunk_release(&c);
}

static void end_data(struct xlsx_emit *e)
{
    for (size_t i = 0; i < e->data_sheets && e->ncolumns > 0; i++) {
        lxw_row_t last = i + 1 < e->data_sheets ? XLSX_RECORDS_MAX : e->row - 1;
        lxw_worksheet *sheet = e->sheets[i].sheet;
        char range[32] = "";
        lxw_rowcol_to_range(range, 0, 0, last, (lxw_col_t)(e->ncolumns - 1));
        odp_xlsx_take(e, worksheet_autofilter(sheet, 0, 0, last, (lxw_col_t)(e->ncolumns - 1)));
        /* Codes are text on purpose: no green corners. */
        odp_xlsx_take(e, worksheet_ignore_errors(sheet, LXW_IGNORE_NUMBER_STORED_AS_TEXT, range));
    }
}

/* Seconds since 1970 of the version's day, never 0, which the library takes for now. */
static time_t created(const struct odp_emit_job *job)
{
    struct odp_slice s = odp_emit_version_date(job->date != NULL ? job->date : job->version);
    struct odp_datetime d;
    if (odp_date_parse(s, ODP_DATE, NULL, NULL, &d) != ODP_DATE_OK)
        return 86400;
    int64_t seconds = odp_date_days(&d) * 86400;
    return seconds != 0 ? (time_t)seconds : 1;
}

static char *keywords_of(struct xlsx_emit *e)
{
    const json_t *own = e->base.job->resource->dataset->json,
                 *list = json_object_get(json_object_get(own, "odp:keywords"), "id"), *word;
    list = json_is_array(list) ? list : json_object_get(own, "keywords");
    size_t i;
    odp_buffer_clear(&e->text);
    json_array_foreach(list, i, word) if (json_is_string(word))
    {
        odp_buffer_add_str(&e->text, e->text.len > 0 ? ", " : "");
        odp_buffer_add_str(&e->text, json_string_value(word));
    }
    return odp_xlsx_line(odp_buffer_cstr(&e->text), 255, &e->base.arena);
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
        .created = created(job)};
    odp_xlsx_take(e, workbook_set_properties(e->workbook, &p));
    const char *license = odp_emit_license(job); /* what Dublin Core has no core property for */
    if (license != NULL && odp_xlsx_is_link(odp_slice_of(license)) && strlen(license) <= 255)
        odp_xlsx_take(e, workbook_set_custom_property_string(e->workbook, "License", license));
}

/* The last row of every sheet to its temporary file, which must then have taken all. Decides on ZIP64 by what
 * there is. */
static void flush_sheets(struct xlsx_emit *e)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < e->nsheets; i++) {
        lxw_worksheet *sheet = e->sheets[i].sheet;
        errno = 0;
        lxw_worksheet_write_single_row(sheet);
        off_t at = fflush(sheet->optimize_tmpfile) == 0 ? ftello(sheet->optimize_tmpfile) : -1;
        if (at < 0 || ferror(sheet->optimize_tmpfile)) {
            odp_xlsx_take(e, LXW_ERROR_CREATING_TMPFILE);
            return;
        }
        e->sheets[i].bytes = (uint64_t)at;
        sum += (uint64_t)at;
    }
    e->workbook->options.use_zip64 = sum > UINT64_C(4000000000);
}

static void close_workbook(struct xlsx_emit *e)
{
    lxw_workbook *workbook = e->workbook;
    e->workbook = NULL; /* it is freed in every case */
    errno = 0;
    odp_xlsx_take(e, workbook_close(workbook));
    for (size_t i = 0; i < e->nsheets && e->status != ODP_OK; i++)
        if (ftruncate(e->sheets[i].copy, 0) != 0)
            continue; /* it was room on a disk that failed already */
}

static enum odp_status xlsx_end(struct odp_emit *emit)
{
    struct xlsx_emit *e = (struct xlsx_emit *)emit;
    struct odp_output *output = emit->job->output;
    static void (*const steps[])(struct xlsx_emit *) = {
        open_workbook,      put_records,    odp_xlsx_lists_plan, end_data,      odp_xlsx_about_put,
        odp_xlsx_lists_put, set_properties, flush_sheets,        close_workbook};
    for (size_t i = 0; i < sizeof steps / sizeof *steps && e->status == ODP_OK; i++) {
        steps[i](e);
        if (e->text.failed || e->address.failed)
            e->status = ODP_FAIL;
    }
    if (e->status == ODP_OK)
        e->status = odp_xlsx_check(e);
    if (e->status == ODP_OK)
        e->status = output->seal(output->ctx, e->path, emit->kind->file->media_type, ODP_CLASS_PUBLIC);
    if (e->status == ODP_OK)
        e->place = NULL; /* nothing to drop */
    return e->status;
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
