/* A column of an entry sheet: its label with a comment, the format of its cells, checks while typing,
 * colours.
 *
 * The checks cover ODP_ENTRY_ROWS rows; formats go on below. A cell has one check: an exclusive bound of a
 * decimal number is let through next to another bound. Codes and texts are formatted as text, dates as dates
 * (in the field's pattern if spreadsheets have it), date-times only if the field has odp:timeZone; else they
 * are text with their offset. Required columns have dark labels; empty required cells of a begun row are
 * pink; repeated keys orange. */
#include <stdlib.h>

#include "base/datetime.h"
#include "base/utf8.h"
#include "repair/entry_workbook/entry_internal.h"
#include "words/entry_workbook.h"

/* B cut to MOST characters: the library refuses more. */
static char *cut(struct entry *e, struct odp_buffer *b, size_t most)
{
    struct odp_slice s = odp_buffer_slice(b);
    size_t n = 0, at = 0;
    while (at < s.len && n < most) {
        uint32_t cp;
        at += odp_utf8_decode(s.ptr + at, s.len - at, &cp);
        n++;
    }
    return odp_arena_printf(&e->arena, "%.*s", (int)at, s.ptr != NULL ? s.ptr : "");
}

/* ---- what may be typed ---- */

static double number_of(struct odp_slice s, double otherwise)
{
    char text[64];
    if (s.ptr == NULL || s.len >= sizeof(text))
        return otherwise;
    memcpy(text, s.ptr, s.len);
    text[s.len] = '\0';
    return strtod(text, NULL);
}

static void numbers(const struct odp_field *f, lxw_data_validation *v)
{
    const struct odp_constraints *c = &f->constraints;
    bool year = f->type == ODP_TYPE_YEAR;
    double low = year ? 1000 : -999999999999999.0, high = year ? 9999 : 999999999999999.0;
    v->validate = f->type == ODP_TYPE_NUMBER ? LXW_VALIDATION_TYPE_DECIMAL : LXW_VALIDATION_TYPE_INTEGER;
    v->criteria = LXW_VALIDATION_CRITERIA_BETWEEN;
    v->minimum_number = number_of(c->minimum, low);
    v->maximum_number = number_of(c->maximum, high);
    bool strictly_more = c->exclusive_minimum.ptr != NULL, strictly_less = c->exclusive_maximum.ptr != NULL;
    if (v->validate == LXW_VALIDATION_TYPE_INTEGER) {
        if (strictly_more)
            v->minimum_number = number_of(c->exclusive_minimum, low) + 1;
        if (strictly_less)
            v->maximum_number = number_of(c->exclusive_maximum, high) - 1;
    } else if (strictly_more && c->maximum.ptr == NULL && !strictly_less) {
        v->criteria = LXW_VALIDATION_CRITERIA_GREATER_THAN;
        v->value_number = number_of(c->exclusive_minimum, low);
    } else if (strictly_less && c->minimum.ptr == NULL && !strictly_more) {
        v->criteria = LXW_VALIDATION_CRITERIA_LESS_THAN;
        v->value_number = number_of(c->exclusive_maximum, high);
    } else { /* one check a cell: the bound itself is let through; the check of the file finds it */
        if (strictly_more)
            v->minimum_number = number_of(c->exclusive_minimum, low);
        if (strictly_less)
            v->maximum_number = number_of(c->exclusive_maximum, high);
    }
}

static lxw_datetime day_of(struct odp_slice s, int year, int month, int day)
{
    struct odp_datetime d;
    if (s.ptr != NULL && s.len >= 10 &&
        odp_date_parse((struct odp_slice){s.ptr, 10}, ODP_DATE, NULL, NULL, &d) == ODP_DATE_OK &&
        d.year >= 1900)
        return (lxw_datetime){.year = d.year, .month = d.month, .day = d.day};
    return (lxw_datetime){.year = year, .month = month, .day = day};
}

static void dates(const struct odp_field *f, lxw_data_validation *v)
{
    bool time = f->type == ODP_TYPE_TIME;
    v->validate = time ? LXW_VALIDATION_TYPE_TIME : LXW_VALIDATION_TYPE_DATE;
    v->criteria = LXW_VALIDATION_CRITERIA_BETWEEN;
    v->minimum_datetime = time ? (lxw_datetime){0} : day_of(f->constraints.minimum, 1900, 3, 1);
    v->maximum_datetime = time ? (lxw_datetime){.hour = 23, .min = 59, .sec = 59}
                               : day_of(f->constraints.maximum, 9999, 12, 31);
    if (f->type == ODP_TYPE_DATETIME && v->maximum_datetime.year < 9999) {
        v->maximum_datetime.hour = 23;
        v->maximum_datetime.min = 59;
        v->maximum_datetime.sec = 59;
    }
}

/* Spreadsheets count UTF-16 units: nothing that the schema allows is refused. */
static bool lengths(const struct odp_field *f, lxw_data_validation *v)
{
    const struct odp_constraints *c = &f->constraints;
    if (f->type != ODP_TYPE_STRING || (c->min_length <= 0 && c->max_length < 0))
        return false;
    v->validate = LXW_VALIDATION_TYPE_LENGTH;
    v->criteria = LXW_VALIDATION_CRITERIA_BETWEEN;
    v->minimum_number = c->min_length > 0 ? (double)c->min_length : 0;
    v->maximum_number = c->max_length >= 0 && c->max_length < 32767 ? (double)c->max_length : 32767;
    return true;
}

/* Excel takes lists of at most 255 characters within the cell's check. */
static bool booleans(struct entry *e, const struct odp_field *f, lxw_data_validation *v)
{
    if (f->true_values.n == 0 || f->false_values.n == 0)
        return false;
    char **values = odp_arena_zero(&e->arena, 3, sizeof(*values));
    struct odp_slice yes = f->true_values.item[0], no = f->false_values.item[0];
    if (yes.len + no.len > 200 || memchr(yes.ptr, ',', yes.len) != NULL ||
        memchr(no.ptr, ',', no.len) != NULL)
        return false;
    values[0] = odp_arena_printf(&e->arena, "%.*s", (int)yes.len, yes.ptr);
    values[1] = odp_arena_printf(&e->arena, "%.*s", (int)no.len, no.ptr);
    v->validate = LXW_VALIDATION_TYPE_LIST;
    v->value_list = (void *)values; /* char ** or const char **, by the version of libxlsxwriter */
    return true;
}

/* True: there is something to check. */
static bool set_check(struct entry *e, const struct odp_field *f, const struct entry_list *list,
                      lxw_data_validation *v)
{
    if (list != NULL) {
        v->validate = LXW_VALIDATION_TYPE_LIST_FORMULA;
        v->value_formula = odp_arena_printf(&e->arena, "=%s", list->name);
        return true;
    }
    switch (odp_field_type(f->type)->sheet) {
    case ODP_SHEET_NUMBER:
    case ODP_SHEET_YEAR:
        numbers(f, v);
        return true;
    case ODP_SHEET_DATE:
    case ODP_SHEET_TIME:
        dates(f, v);
        return true;
    case ODP_SHEET_DATETIME:
        if (f->time_zone != NULL)
            dates(f, v);
        return f->time_zone != NULL;
    case ODP_SHEET_BOOLEAN:
        return booleans(e, f, v);
    default:
        return lengths(f, v);
    }
}

/* A field's column in the sheet of its resource. */
struct column {
    const struct odp_resource *r;
    const struct odp_field *f;
    const struct entry_list *list; /* the values it may have; NULL: no list */
    lxw_worksheet *sheet;
    lxw_row_t first, last; /* of the rows to fill in */
    uint32_t k;
    lxw_col_t col;
};

static void validate(struct entry *e, const struct column *c)
{
    const struct odp_field *f = c->f;
    lxw_data_validation v = {.validate = LXW_VALIDATION_TYPE_ANY};
    struct odp_buffer *b = &e->text;
    bool checked = set_check(e, f, c->list, &v);
    odp_buffer_clear(b);
    odp_buffer_add_str(b, entry_title(e, f));
    v.input_title = cut(e, b, 32);
    odp_buffer_clear(b);
    entry_expected(e, b, c->r, c->k, c->list);
    if (f->constraints.required)
        odp_buffer_add_str(b, entry_word(e, W_entry_required));
    v.input_message = cut(e, b, 255);
    v.error_title = odp_arena_str(&e->arena, entry_word(e, W_entry_not_valid_value));
    v.error_message = v.input_message;
    if (!checked)
        v.validate = LXW_VALIDATION_TYPE_ANY;
    odp_book_validate(&e->book, c->sheet, c->first, c->col, c->last, &v);
}

/* ---- what is coloured ---- */

static void colour(struct entry *e, const struct column *c)
{
    bool key = odp_key_has(&c->r->schema.primary, c->k), alone = key && c->r->schema.primary.n == 1;
    if (c->f->constraints.required || key) {
        char cell[16], from[16], to[16];
        lxw_rowcol_to_cell(cell, c->first, c->col);
        lxw_rowcol_to_cell(from, c->first, 0);
        lxw_rowcol_to_cell(to, c->first, (lxw_col_t)(c->r->schema.n - 1));
        /* $A2: columns fixed, the row moves */
        char *formula = odp_arena_printf(&e->arena, "=AND(LEN(%s)=0,COUNTA($%s:$%s)>0)", cell, from, to);
        lxw_conditional_format look = {
            .type = LXW_CONDITIONAL_TYPE_FORMULA, .value_string = formula, .format = e->missing};
        odp_book_note(&e->book,
                      worksheet_conditional_format_range(c->sheet, c->first, c->col, c->last, c->col, &look));
    }
    if (alone || c->f->constraints.unique) {
        lxw_conditional_format look = {.type = LXW_CONDITIONAL_TYPE_DUPLICATE, .format = e->twice};
        odp_book_note(&e->book,
                      worksheet_conditional_format_range(c->sheet, c->first, c->col, c->last, c->col, &look));
    }
}

/* ---- the label ---- */

static void label(struct entry *e, const struct column *c, lxw_row_t row)
{
    const struct odp_field *f = c->f;
    const char *about = odp_text_get(&f->description, e->lang);
    bool required = f->constraints.required || odp_key_has(&c->r->schema.primary, c->k);
    struct odp_buffer *b = &e->text;
    odp_book_put_str(&e->book, c->sheet, row, c->col, f->source_name, required ? e->required : e->optional);
    odp_buffer_clear(b);
    odp_buffer_printf(b, "%s%s\n", entry_title(e, f), required ? entry_word(e, W_entry_required_2) : "");
    entry_expected(e, b, c->r, c->k, c->list);
    if (*about != '\0')
        odp_buffer_printf(b, "\n%s", about);
    lxw_comment_options options = {.width = 280, .height = 110};
    odp_book_note(&e->book, worksheet_write_comment_opt(c->sheet, row, c->col, cut(e, b, 2000), &options));
}

void entry_column(struct entry *e, const struct odp_resource *r, uint32_t k, lxw_worksheet *sheet, int header)
{
    lxw_row_t first = (lxw_row_t)(header + 1);
    struct column c = {
        r, &r->schema.fields[k], entry_list_of(e, r, k), sheet, first, first + ODP_ENTRY_ROWS - 1,
        k, (lxw_col_t)k};
    lxw_format *format = odp_book_format(&e->book);
    format_set_num_format(format, entry_number_format(c.f));
    size_t width = odp_utf8_count(odp_slice_of(c.f->source_name)) + 4;
    width = width < 14 ? 14 : width;
    odp_book_note(&e->book,
                  worksheet_set_column(sheet, c.col, c.col, width > 40 ? 40 : (double)width, format));
    if (header >= 0)
        label(e, &c, (lxw_row_t)header);
    validate(e, &c);
    colour(e, &c);
}
