/* The sheet of guidance: how to fill in, then every column with what it expects. */
#include "base/utf8.h"
#include "repair/entry_workbook/entry_internal.h"
#include "words/entry_workbook.h"

enum { WIDTH_MEANING = 48, WIDTH_WANTS = 60, WIDTH_ALL = 135, LINE = 15 };

/* Not all programs compute the height of wrapped text, and none does for merged cells. */
static double height(const char *text, size_t width)
{
    size_t lines = odp_utf8_count(odp_slice_of(text)) / width + 1;
    return (double)(LINE * (lines > 20 ? 20 : lines));
}

static void line(struct entry *e, lxw_worksheet *sheet, lxw_row_t *row, const char *text, lxw_format *format)
{
    double high = height(text, WIDTH_ALL);
    odp_book_note(&e->book, worksheet_set_row(sheet, *row,
                                              format == e->title     ? 24
                                              : format == e->section ? 20
                                                                     : high,
                                              NULL));
    odp_book_note(&e->book, worksheet_merge_range(sheet, *row, 0, *row, 3, "", format));
    odp_book_put_str(&e->book, sheet, *row, 0, text, format);
    (*row)++;
}

static void rules(struct entry *e, lxw_worksheet *sheet, lxw_row_t *row)
{
    static const char *const lines[][ODP_LANGS] = {
        {W_entry_1_fill_sheet_named_table},       {W_entry_2_do_not_change_header},
        {W_entry_3_columns_codes_formatted_text}, {W_entry_4_type_dates_dates_numbers},
        {W_entry_5_columns_with_dark_blue},       {W_entry_6_codes_may_used_stand}};
    for (size_t i = 0; i < ODP_COUNT(lines); i++)
        line(e, sheet, row, lines[i][e->lang], e->wrapped);
    line(e, sheet, row,
         odp_arena_printf(&e->arena, entry_word(e, W_entry_7_checks_while_typing_cover), ODP_ENTRY_ROWS,
                          e->dataset->slug),
         e->wrapped);
}

static void fields(struct entry *e, lxw_worksheet *sheet, lxw_row_t *row, const struct odp_resource *r)
{
    const char *const heads[] = {entry_word(e, W_entry_column), entry_word(e, W_entry_meaning),
                                 entry_word(e, W_entry_required_3), entry_word(e, W_entry_what_enter)};
    for (lxw_col_t c = 0; c < 4; c++)
        odp_book_put_str(&e->book, sheet, *row, c, heads[c], e->list_head);
    (*row)++;
    for (uint32_t k = 0; k < r->schema.n; k++, (*row)++) {
        const struct odp_field *f = &r->schema.fields[k];
        const char *about = odp_text_get(&f->description, e->lang);
        const char *meaning =
            odp_arena_printf(&e->arena, "%s%s%s", entry_title(e, f), *about != '\0' ? ". " : "", about);
        const struct entry_list *list = entry_list_of(e, r, k); /* its name is made in e->text */
        odp_buffer_clear(&e->text);
        entry_expected(e, &e->text, r, k, list);
        double left = height(meaning, WIDTH_MEANING), right = height(odp_buffer_cstr(&e->text), WIDTH_WANTS);
        bool required = f->constraints.required || odp_key_has(&r->schema.primary, k);
        odp_book_note(&e->book, worksheet_set_row(sheet, *row, left > right ? left : right, NULL));
        odp_book_put_str(&e->book, sheet, *row, 3, odp_buffer_cstr(&e->text), e->wrapped);
        odp_book_put_str(&e->book, sheet, *row, 0, f->source_name, e->label);
        odp_book_put_str(&e->book, sheet, *row, 1, meaning, e->wrapped);
        odp_book_put_str(&e->book, sheet, *row, 2, required ? entry_word(e, W_entry_yes) : "–", e->wrapped);
    }
}

void entry_guide_put(struct entry *e, lxw_worksheet *sheet)
{
    static const double widths[] = {24, 48, 10, 60};
    const struct odp_dataset *d = e->dataset;
    lxw_row_t row = 0;
    odp_book_print(sheet);
    odp_book_widths(&e->book, sheet, widths, 4, NULL);
    line(e, sheet, &row, odp_text_get(&d->title, e->lang), e->title);
    row++;
    rules(e, sheet, &row);
    for (size_t i = 0; i < d->nresources; i++) {
        const struct odp_resource *r = &d->resources[i];
        const char *title = odp_text_get(&r->title, e->lang);
        const char *heading = odp_arena_printf(&e->arena, entry_word(e, W_entry_sheet), r->name,
                                               *title != '\0' ? ": " : "", title);
        row++;
        line(e, sheet, &row, heading, e->section);
        if (r->geometry.present && !odp_geometry_is_of_fields(&r->geometry))
            line(e, sheet, &row, entry_word(e, W_entry_source_table_shapefile_sheet), e->shade);
        fields(e, sheet, &row, r);
    }
}
