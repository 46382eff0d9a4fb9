/* A cell of the workbook as text of the source. Text is taken as it is. What a spreadsheet made of it on the
 * way, a number or a date, is turned back into the declared form where the field is a number or a date:
 * nothing can have been lost there. Anywhere else it is said and left alone. */
#include <stdio.h>
#include <stdlib.h>

#include "base/datetime.h"
#include "base/decimal.h"
#include "repair/apply/apply_internal.h"
#include "words/repair.h"

enum outcome { FITS, NOT_TEXT, FORMULA, CUT };

/* ---- numbers ---- */

/* What the number stands for, 15 digits of it: a spreadsheet keeps no more, and what follows is how it was
 * stored. */
static size_t plain_number(struct odp_slice s, char out[ODP_DECIMAL_SIZE])
{
    char text[64], digits[ODP_DECIMAL_SIZE];
    size_t len;
    bool unchanged, zero;
    const struct odp_decimal_form form = {.decimal = '.', .bare = true};
    if (s.len >= sizeof text)
        return 0;
    memcpy(text, s.ptr, s.len);
    text[s.len] = '\0';
    (void)snprintf(digits, sizeof digits, "%.15g", strtod(text, NULL));
    char literal[ODP_DECIMAL_SIZE];
    if (odp_decimal_parse(odp_slice_of(digits), &form, literal, &len, &unchanged, &zero) != ODP_DECIMAL_OK)
        return 0;
    len = odp_decimal_normal((struct odp_slice){literal, len}, out);
    return memchr(out, 'e', len) == NULL && memchr(out, 'E', len) == NULL ? len : 0;
}

static struct odp_decimal_form form_of(const struct odp_field *f, bool native)
{
    struct odp_decimal_form form = f->decimal;
    if (native)
        form = (struct odp_decimal_form){.decimal = '.', .bare = true, .integer = f->decimal.integer};
    if (form.decimal == '\0')
        form.decimal = '.';
    return form;
}

static enum outcome from_number(struct apply *a, const struct odp_field *f, bool native,
                                const struct apply_cell *cell, struct odp_slice source, bool *edited,
                                struct odp_slice *text)
{
    char number[ODP_DECIMAL_SIZE], literal[ODP_DECIMAL_SIZE];
    size_t n = plain_number(cell->text, number), len;
    bool unchanged, zero, figure = odp_type_is_number(f->type);
    struct odp_decimal_form form = form_of(f, native);
    if (n == 0 || (!figure && f->type != ODP_TYPE_YEAR))
        return NOT_TEXT;
    if (source.ptr != NULL && figure &&
        odp_decimal_parse(odp_slice_trim(source), &form, literal, &len, &unchanged, &zero) ==
            ODP_DECIMAL_OK &&
        odp_decimal_cmp((struct odp_slice){literal, len}, (struct odp_slice){number, n}) == 0) {
        *edited = false; /* the same number in the source's own writing */
        return FITS;
    }
    for (size_t i = 0; i < n; i++)
        if (number[i] == '.')
            number[i] = form.decimal;
    *text = odp_arena_copy(a->arena, (struct odp_slice){number, n});
    return FITS;
}

/* ---- dates ---- */

static enum outcome from_date(struct apply *a, const struct odp_field *f, bool native,
                              const struct apply_cell *cell, struct odp_slice source, bool *edited,
                              struct odp_slice *text)
{
    static const char midnight[] = "T00:00:00";
    struct odp_slice iso = cell->iso;
    struct odp_datetime d, have;
    char out[ODP_DATETIME_SIZE];
    const char *pattern = native || f->date_pattern == NULL || strcmp(f->date_pattern, "default") == 0 ||
                                  strcmp(f->date_pattern, "any") == 0
                              ? NULL
                              : f->date_pattern;
    if (f->type != ODP_TYPE_DATE || iso.len == 0)
        return NOT_TEXT;
    if (iso.len == 19 && memcmp(iso.ptr + 10, midnight, 9) == 0)
        iso.len = 10;
    if (odp_date_parse(iso, ODP_DATE, NULL, NULL, &d) != ODP_DATE_OK)
        return NOT_TEXT;
    if (source.ptr != NULL &&
        odp_date_parse(odp_slice_trim(source), ODP_DATE, pattern, NULL, &have) == ODP_DATE_OK &&
        odp_date_cmp(&d, &have) == 0) {
        *edited = false;
        return FITS;
    }
    size_t n = odp_date_write(&d, pattern != NULL ? pattern : "%Y-%m-%d", out);
    if (n == 0)
        return NOT_TEXT;
    *text = odp_arena_copy(a->arena, (struct odp_slice){out, n});
    return FITS;
}

/* ---- a cell ---- */

static enum outcome convert(struct apply *a, const struct apply_sheet *s, uint32_t column,
                            const struct apply_cell *cell, struct odp_slice source, bool cut, bool *edited,
                            struct odp_slice *text)
{
    int field = s->field_of != NULL ? s->field_of[column] : -1;
    const struct odp_field *f = field >= 0 ? &s->resource->schema.fields[field] : NULL;
    bool native = correct_is_shapefile(s->resource, s->path);
    *text = cell->kind == ODP_CELL_EMPTY ? (struct odp_slice){"", 0} : cell->text;
    *edited = source.ptr == NULL || !odp_slice_eq(*text, source);
    if (!*edited)
        return FITS;
    if (cut)
        return CUT;
    if (cell->formula)
        return FORMULA;
    if (cell->merged)
        return NOT_TEXT;
    switch (cell->kind) {
    case ODP_CELL_EMPTY:
    case ODP_CELL_TEXT:
        return FITS;
    case ODP_CELL_NUMBER:
        return f != NULL ? from_number(a, f, native, cell, source, edited, text) : NOT_TEXT;
    case ODP_CELL_DATE:
        return f != NULL ? from_date(a, f, native, cell, source, edited, text) : NOT_TEXT;
    case ODP_CELL_BOOLEAN:
    case ODP_CELL_ERROR:
        break;
    }
    if (cell->kind == ODP_CELL_ERROR || f == NULL || f->type != ODP_TYPE_BOOLEAN)
        return NOT_TEXT;
    const struct odp_strings *words = odp_slice_is(cell->text, "true") ? &f->true_values : &f->false_values;
    if (words->n > 0)
        *text = words->item[0];
    for (size_t i = 0; source.ptr != NULL && i < words->n; i++)
        *edited = *edited && !odp_slice_eq(words->item[i], source);
    return FITS;
}

static struct odp_slice kind_word(const struct apply *a, const struct apply_cell *cell)
{
    static const char *const words[][ODP_LANGS] = {{"kosong", "empty"},   {W_repair_text},
                                                   {W_repair_a_number},   {W_repair_a_date},
                                                   {W_repair_true_false}, {W_repair_an_error}};
    return odp_slice_of(cell->merged ? odp_word(a->o->lang, W_repair_merged) : words[cell->kind][a->o->lang]);
}

bool apply_cell_text(struct apply *a, const struct apply_sheet *s, const struct apply_row *row,
                     uint32_t column, const struct apply_cell *cell, struct odp_slice source, bool cut,
                     bool *edited, struct odp_slice *text)
{
    static const struct odp_text too_long = {{W_repair_cell_longer_than_spreadsheet_bound}};
    enum outcome outcome = convert(a, s, column, cell, source, cut, edited, text);
    if (outcome == FITS)
        return true;
    struct odp_diag d;
    int field = s->field_of[column];
    apply_diag(a, s,
               outcome == FORMULA ? ODP_A20
               : outcome == CUT   ? ODP_A24
                                  : ODP_A19,
               row->sheet_row, (int)cell->at, &d);
    d.row = row->added ? 0 : row->id.row;
    d.field = field >= 0 ? s->resource->schema.fields[field].name : s->labels[column];
    d.secret = field >= 0 && !s->resource->schema.fields[field].is_public;
    d.value = outcome == CUT ? (struct odp_slice){NULL, 0} : cell->text;
    d.args[0] = odp_slice_of(apply_cell_name(a, row->sheet_row, cell->at));
    d.args[1] = kind_word(a, cell);
    d.args[2] = source.ptr != NULL ? apply_may_show(s, field, source) : (struct odp_slice){NULL, 0};
    d.message = outcome == CUT ? &too_long : NULL;
    apply_say(a, &d);
    return false;
}

bool apply_cell_quietly(struct apply *a, const struct apply_sheet *s, uint32_t column,
                        const struct apply_cell *cell, struct odp_slice source, struct odp_slice *text)
{
    bool edited;
    enum outcome outcome = convert(a, s, column, cell, source, false, &edited, text);
    if (outcome == FITS && !edited)
        *text = source;
    return outcome == FITS;
}
