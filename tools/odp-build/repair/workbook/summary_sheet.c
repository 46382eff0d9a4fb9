/* The summary, which people see first, and the hidden sheet, which apply reads. */
#include <stdio.h>

#include "base/utf8.h"
#include "repair/workbook/workbook_internal.h"
#include "words/repair.h"

enum { LAST = 6 /* column G */, WIDE = 165 /* characters over all columns */ };

struct about {
    struct book *b;
    lxw_row_t row;
};

const char *book_about_name(const struct book *b)
{
    return book_word(b, W_repair_summary);
}

static void put(struct about *a, lxw_col_t col, const char *text, lxw_format *look)
{
    odp_buffer_clear(&a->b->text);
    correct_shown(&a->b->text, odp_slice_of(text), NULL);
    odp_book_put(&a->b->out, a->b->about, a->row, col, odp_buffer_slice(&a->b->text), look);
}

static void put_plain(struct about *a, lxw_col_t col, const char *text)
{
    put(a, col, text, a->b->looks.plain);
}

static void put_number(struct about *a, lxw_col_t col, uint64_t n)
{
    put(a, col, book_number(a->b, n), a->b->looks.number);
}

/* Writes TEXT over all columns, as high as it needs. */
static void paragraph(struct about *a, const char *text, lxw_format *look)
{
    struct book *b = a->b;
    size_t lines = odp_utf8_width(odp_slice_of(text)) / WIDE + 1;
    (void)odp_xlsx_text_put(&b->text, odp_slice_of(text));
    odp_book_note(&b->out,
                  worksheet_merge_range(b->about, a->row, 0, a->row, LAST, odp_buffer_cstr(&b->text), look));
    odp_book_note(&b->out, worksheet_set_row(b->about, a->row,
                                             look == b->looks.title ? 26 : (double)lines * 15 + 2, NULL));
    a->row++;
}

/* A table: its title, its columns. */
static void begin_table(struct about *a, const char *title, const struct odp_text *heads, lxw_col_t n)
{
    a->row++;
    put(a, 0, title, a->b->looks.section);
    a->row++;
    for (lxw_col_t k = 0; k < n; k++)
        put(a, k, odp_text_get(&heads[k], a->b->o->lang), a->b->looks.head);
    a->row++;
}

/* ---- tables ---- */

static void guidance(struct about *a)
{
    struct book *b = a->b;
    const char *const lines[] = {
        book_word(b, W_repair_1_open_dataset_sheet_red), book_word(b, W_repair_2_mend_cell_place_choose),
        book_word(b, W_repair_3_remove_row_from_source), book_word(b, W_repair_4_new_rows_written_below),
        odp_arena_printf(&b->arena, book_word(b, W_repair_5_save_xlsx_then_run), b->o->version)};
    for (size_t i = 0; i < ODP_COUNT(lines); i++)
        paragraph(a, lines[i], b->looks.text);
}

static const char *label_of(struct about *a, const struct odp_resource *r)
{
    if (strcmp(r->dataset->slug, r->name) == 0)
        return r->name;
    return odp_arena_printf(&a->b->arena, "%s/%s", r->dataset->slug, r->name);
}

static void sources(struct about *a)
{
    static const struct odp_text heads[] = {{{"dataset", "dataset"}},
                                            {{W_repair_head_sheet}},
                                            {{W_repair_head_source_rows}},
                                            {{W_repair_head_rows_with_faults}},
                                            {{W_repair_head_source_file}}};
    struct book *b = a->b;
    begin_table(a, book_word(b, W_repair_source_files), heads, 5);
    for (size_t i = 0; i < b->nsheets; i++, a->row++) {
        const struct book_sheet *s = &b->sheets[i];
        put_plain(a, 0, label_of(a, s->resource));
        if (s->sheet != NULL) {
            char *link = odp_arena_printf(&b->arena, "internal:'%s'!A1", s->name);
            odp_book_note(&b->out, worksheet_write_url_opt(b->about, a->row, 1, link, NULL, s->name, NULL));
            put_number(a, 2, s->rows);
        } else {
            put_plain(a, 1, "—");
        }
        put_number(a, 3, s->bad);
        put_plain(a, 4, s->path);
    }
}

static const char *title_of(struct about *a, const struct odp_diag *d)
{
    struct book *b = a->b;
    odp_buffer_clear(&b->cell);
    if (d->message != NULL)
        odp_buffer_add_str(&b->cell, odp_text_get(d->message, b->o->lang));
    else
        odp_report_fill(&b->cell, &odp_code_info(d->code)->words.title, d, b->o->lang);
    return odp_buffer_cstr(&b->cell);
}

/* "baris 3, 17, 30 …", or where in the file. */
static const char *places_of(struct about *a, const struct book_sheet *s, const struct book_rule *r,
                             const struct odp_diag *d)
{
    struct book *b = a->b;
    odp_buffer_clear(&b->cell);
    if (d->row > 0)
        odp_buffer_add_str(&b->cell, correct_is_shapefile(s->resource, s->path)
                                         ? book_word(b, W_repair_record)
                                         : book_word(b, W_repair_data_row));
    else if (d->line > 0)
        odp_buffer_add_str(&b->cell, book_word(b, W_repair_line_file));
    for (size_t i = 0; i < r->nplaces && r->places[i] > 0; i++)
        odp_buffer_printf(&b->cell, "%s%llu", i > 0 ? ", " : " ", (unsigned long long)r->places[i]);
    if (r->count > r->nplaces)
        odp_buffer_add_str(&b->cell, " …");
    return odp_buffer_cstr(&b->cell);
}

/* What to do, and where: `fix` applies proposals that are not for a cell. */
static const char *remedy_of(struct about *a, const struct book_sheet *s, const struct odp_diag *d)
{
    struct book *b = a->b;
    odp_buffer_clear(&b->cell);
    if (odp_diag_proposes(d)) {
        odp_buffer_printf(&b->cell, "odp-build fix %s", s->resource->dataset->slug);
    } else {
        odp_report_help(&b->cell, d, b->o->lang);
        if (b->cell.len == 0)
            odp_buffer_printf(&b->cell, "odp-build explain %s", odp_code_info(d->code)->code);
    }
    return odp_buffer_cstr(&b->cell);
}

/* The command that mends a whole column at once, where nine of ten rows have one cause; else "". */
static const char *step_of(struct about *a, const struct book_sheet *s, const struct book_rule *r)
{
    struct book *b = a->b;
    struct odp_diag d;
    odp_buffer_clear(&b->cell);
    for (size_t k = 0; k < ODP_CAUSES; k++) {
        if (r->field == NULL || r->causes[k] < 20 || r->causes[k] * 10 < s->rows * 9)
            continue;
        odp_fault_list_get(s->faults, r->example[k], &d);
        (void)odp_report_step(&b->cell, &d, b->o->as_file);
        break;
    }
    return odp_buffer_cstr(&b->cell);
}

/* A line of the table of rules that can be mended HERE, or of the other. */
static void rule(struct about *a, const struct book_sheet *s, const struct book_rule *r, bool here)
{
    struct odp_diag d;
    const char *code = odp_code_info(r->code)->code;
    odp_fault_list_get(s->faults, r->first, &d);
    put_plain(a, 0, label_of(a, s->resource));
    put(a, 1, here && r->rule != NULL ? r->rule : code, a->b->looks.bad[r->severity]);
    put_number(a, 2, r->count);
    if (here) {
        put_number(a, 3, r->proposals);
        put_plain(a, 4, r->field != NULL ? r->field : "");
    } else {
        put_plain(a, 4, places_of(a, s, r, &d));
    }
    put_plain(a, 5, title_of(a, &d));
    put_plain(a, 6, here ? step_of(a, s, r) : remedy_of(a, s, &d));
    a->row++;
}

/* The table of rules that can be mended here always appears. */
static void rules(struct about *a, bool here)
{
    static const struct odp_text heads[] = {{{"dataset", "dataset"}},     {{W_repair_head_rule}},
                                            {{W_repair_head_count}},      {{W_repair_head_with_proposal}},
                                            {{W_repair_head_field}},      {{W_repair_problem}},
                                            {{W_repair_head_all_at_once}}},
                                 other_heads[] = {{{"dataset", "dataset"}},        {{W_repair_head_rule}},
                                                  {{W_repair_head_count}},         {{"", ""}},
                                                  {{W_repair_head_where}},         {{W_repair_problem}},
                                                  {{W_repair_head_how_to_mend_it}}};
    struct book *b = a->b;
    bool begun = here;
    if (here)
        begin_table(a, book_word(b, W_repair_problems_can_mended_here_by), heads, 7);
    for (size_t i = 0; i < b->nsheets; i++)
        for (size_t k = 0; k < b->sheets[i].nrules; k++) {
            const struct book_rule *r = &b->sheets[i].rules[k];
            if (r->here != here)
                continue;
            if (!begun)
                begin_table(a, book_word(b, W_repair_not_workbook_mended_elsewhere), other_heads, 7);
            begun = true;
            rule(a, &b->sheets[i], r, here);
        }
}

/* The words are a format of a name and a number. */
static void note(struct about *a, const struct book_sheet *s, uint64_t n, const char *id, const char *en)
    __attribute__((format(printf, 4, 0), format(printf, 5, 0)));
static void note(struct about *a, const struct book_sheet *s, uint64_t n, const char *id, const char *en)
{
    if (n == 0)
        return;
    const char *format = book_word(a->b, id, en);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    const char *text = odp_arena_printf(&a->b->arena, format, s != NULL ? label_of(a, s->resource) : "",
                                        book_number(a->b, n));
#pragma GCC diagnostic pop
    paragraph(a, text, a->b->looks.text);
}

static void notes(struct about *a)
{
    struct book *b = a->b;
    for (size_t i = 0; i < b->nsheets; i++) {
        const struct book_sheet *s = &b->sheets[i];
        note(a, s, s->left_out, W_repair_rows_with_faults_do_not);
        note(a, s, odp_fault_list_dropped(s->faults), W_repair_further_problems_too_many_kept);
        note(a, s, s->broken, W_repair_rows_broken_form_number_cells);
        note(a, s, s->cut, W_repair_cells_too_long_for_spreadsheet);
        note(a, s, !s->context && s->sheet != NULL ? s->bad : 0, W_repair_rows_with_faults_context_rows);
        bool written = correct_can_rewrite(s->resource, s->path);
        note(a, s, written ? 0 : s->bad, W_repair_rows_with_faults_only_shown);
        note(a, s, written && correct_is_shapefile(s->resource, s->path) ? s->bad : 0,
             W_repair_shapefile_with_rows_with_faults);
    }
    note(a, NULL, b->comments_left_out, W_repair_only_some_cells_have_comments);
}

void book_about_put(struct book *b)
{
    static const double widths[] = {24, 13, 14, 17, 24, 52, 40};
    struct about a = {.b = b};
    odp_book_widths(&b->out, b->about, widths, ODP_COUNT(widths), NULL);
    paragraph(&a, book_word(b, W_repair_correction_workbook), b->looks.title);
    if (b->nsheets == 0) {
        paragraph(&a, book_word(b, W_repair_nothing_wrong_there_nothing_mend), b->looks.text);
        return;
    }
    paragraph(&a, book_word(b, W_repair_rows_source_files_have_problems), b->looks.text);
    guidance(&a);
    sources(&a);
    rules(&a, true);
    rules(&a, false);
    a.row++;
    notes(&a);
    odp_book_print(b->about);
    worksheet_gridlines(b->about, LXW_HIDE_ALL_GRIDLINES);
    worksheet_activate(b->about);
}

/* ---- the hidden sheet ---- */

/* A row of N texts. */
static void line(struct about *m, const char *const *text, lxw_col_t n)
{
    for (lxw_col_t k = 0; k < n; k++)
        odp_book_put_str(&m->b->out, m->b->meta, m->row, k, text[k], m->b->looks.plain);
    m->row++;
}

static void meta_sheet(struct about *m, const struct book_sheet *s)
{
    char rows[24], column[16];
    bool as = m->b->o->as_file != NULL && m->b->o->as_slug != NULL &&
              strcmp(s->resource->dataset->slug, m->b->o->as_slug) == 0 && s->resource->primary;
    (void)snprintf(rows, sizeof rows, "%llu", (unsigned long long)s->rows);
    line(m,
         (const char *const[]){"sheet", s->name, s->resource->dataset->slug, s->resource->name,
                               s->resource->path, s->sha256, rows, as ? odp_path_last(s->path) : ""},
         8);
    for (lxw_col_t k = 0; k < s->ncolumns; k++) {
        (void)snprintf(column, sizeof column, "%u", s->columns[k].column);
        const char *field =
            s->columns[k].field >= 0 ? s->resource->schema.fields[s->columns[k].field].name : "";
        line(m,
             (const char *const[]){"column", s->columns[k].header, correct_column_names[s->columns[k].kind],
                                   column, field},
             5);
    }
}

void book_meta_put(struct book *b)
{
    struct about m = {.b = b};
    char format[16];
    (void)snprintf(format, sizeof format, "%d", CORRECT_FORMAT);
    line(&m,
         (const char *const[]){CORRECT_MARK, format, b->o->version, b->o->lang == ODP_LANG_EN ? "en" : "id"},
         4);
    for (size_t i = 0; i < b->nsheets; i++)
        if (b->sheets[i].sheet != NULL)
            meta_sheet(&m, &b->sheets[i]);
    line(&m, (const char *const[]){"end"}, 1);
    worksheet_hide(b->meta);
}
