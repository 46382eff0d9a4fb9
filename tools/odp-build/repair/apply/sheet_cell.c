/* A cell of the workbook as text of the source. Text is taken as it is. A number or date that a spreadsheet
 * made of it returns to the declared form if the field is a number or a date: there nothing is lost.
 * Anywhere else it is reported and left alone. */
#include <stdio.h>
#include <stdlib.h>

#include "base/datetime.h"
#include "base/decimal.h"
#include "repair/apply/apply_internal.h"
#include "words/repair.h"

enum outcome { FITS, NOT_TEXT, FORMULA, CUT };

/* ---- numbers ---- */

/* The 15 digits that a spreadsheet keeps of a number; more are an effect of storage. */
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

static enum outcome from_number(struct apply *a, const struct odp_field *f, bool native, struct apply_take *t)
{
    char number[ODP_DECIMAL_SIZE], literal[ODP_DECIMAL_SIZE];
    size_t n = plain_number(t->cell->text, number), len;
    bool unchanged, zero, figure = odp_type_is_number(f->type);
    struct odp_decimal_form form = form_of(f, native);
    if (n == 0 || (!figure && f->type != ODP_TYPE_YEAR))
        return NOT_TEXT;
    if (t->source.ptr != NULL && figure &&
        odp_decimal_parse(odp_slice_trim(t->source), &form, literal, &len, &unchanged, &zero) ==
            ODP_DECIMAL_OK &&
        odp_decimal_cmp((struct odp_slice){literal, len}, (struct odp_slice){number, n}) == 0) {
        t->edited = false; /* the same number in the source's own writing */
        return FITS;
    }
    for (size_t i = 0; i < n; i++)
        if (number[i] == '.')
            number[i] = form.decimal;
    t->text = odp_arena_copy(a->arena, (struct odp_slice){number, n});
    return FITS;
}

/* ---- dates ---- */

static enum outcome from_date(struct apply *a, const struct odp_field *f, bool native, struct apply_take *t)
{
    static const char midnight[] = "T00:00:00";
    struct odp_slice iso = t->cell->iso;
    struct odp_datetime d, have;
    char out[ODP_DATETIME_SIZE];
    const char *pattern = native ? NULL : f->date_pattern;
    if (pattern != NULL && (strcmp(pattern, "default") == 0 || strcmp(pattern, "any") == 0))
        pattern = NULL;
    if (f->type != ODP_TYPE_DATE || iso.len == 0)
        return NOT_TEXT;
    if (iso.len == 19 && memcmp(iso.ptr + 10, midnight, 9) == 0)
        iso.len = 10;
    if (odp_date_parse(iso, ODP_DATE, NULL, NULL, &d) != ODP_DATE_OK)
        return NOT_TEXT;
    if (t->source.ptr != NULL &&
        odp_date_parse(odp_slice_trim(t->source), ODP_DATE, pattern, NULL, &have) == ODP_DATE_OK &&
        odp_date_cmp(&d, &have) == 0) {
        t->edited = false;
        return FITS;
    }
    size_t n = odp_date_write(&d, pattern != NULL ? pattern : "%Y-%m-%d", out);
    if (n == 0)
        return NOT_TEXT;
    t->text = odp_arena_copy(a->arena, (struct odp_slice){out, n});
    return FITS;
}

/* ---- a cell ---- */

/* "true" and "false" in the field's own words. */
static enum outcome from_truth(const struct odp_field *f, struct apply_take *t)
{
    const struct odp_strings *words =
        odp_slice_is(t->cell->text, "true") ? &f->true_values : &f->false_values;
    if (f->type != ODP_TYPE_BOOLEAN)
        return NOT_TEXT;
    if (words->n > 0)
        t->text = words->item[0];
    for (size_t i = 0; t->source.ptr != NULL && i < words->n; i++)
        t->edited = t->edited && !odp_slice_eq(words->item[i], t->source);
    return FITS;
}

static enum outcome convert(struct apply *a, const struct apply_sheet *s, struct apply_take *t)
{
    const struct apply_cell *cell = t->cell;
    int field = s->field_of != NULL ? s->field_of[t->column] : -1;
    const struct odp_field *f = field >= 0 ? &s->resource->schema.fields[field] : NULL;
    bool native = correct_is_shapefile(s->resource, s->path),
         as_it_is = cell->kind == ODP_CELL_EMPTY || cell->kind == ODP_CELL_TEXT;
    t->text = cell->kind == ODP_CELL_EMPTY ? ODP_LIT("") : cell->text;
    t->edited = t->source.ptr == NULL || !odp_slice_eq(t->text, t->source);
    if (!t->edited)
        return FITS;
    if (t->cut)
        return CUT;
    if (cell->formula)
        return FORMULA;
    if (cell->merged || (!as_it_is && f == NULL))
        return NOT_TEXT;
    switch (cell->kind) {
    case ODP_CELL_NUMBER:
        return from_number(a, f, native, t);
    case ODP_CELL_DATE:
        return from_date(a, f, native, t);
    case ODP_CELL_BOOLEAN:
        return from_truth(f, t);
    case ODP_CELL_ERROR:
        return NOT_TEXT;
    default:
        return FITS;
    }
}

static struct odp_slice kind_word(const struct apply *a, const struct apply_cell *cell)
{
    static const char *const words[][ODP_LANGS] = {{"kosong", "empty"},   {W_repair_text},
                                                   {W_repair_a_number},   {W_repair_a_date},
                                                   {W_repair_true_false}, {W_repair_an_error}};
    return odp_slice_of(cell->merged ? odp_word(a->o->lang, W_repair_merged) : words[cell->kind][a->o->lang]);
}

bool apply_cell_text(struct apply *a, const struct apply_sheet *s, const struct apply_row *row,
                     struct apply_take *t)
{
    static const struct odp_text too_long = {{W_repair_cell_longer_than_spreadsheet_bound}};
    static const enum odp_code codes[] = {[NOT_TEXT] = ODP_A19, [FORMULA] = ODP_A20, [CUT] = ODP_A24};
    enum outcome outcome = convert(a, s, t);
    if (outcome == FITS)
        return true;
    int field = s->field_of[t->column];
    const struct odp_field *f = field >= 0 ? &s->resource->schema.fields[field] : NULL;
    struct odp_diag d = {
        .code = codes[outcome],
        .row = row->added ? 0 : row->id.row,
        .field = f != NULL ? f->name : s->labels[t->column],
        .secret = f != NULL && !f->is_public,
        .args = {odp_slice_of(apply_cell_name(a, row->sheet_row, t->cell->at)), kind_word(a, t->cell)}};
    if (outcome == CUT)
        d.message = &too_long;
    else
        d.value = t->cell->text;
    if (t->source.ptr != NULL)
        d.args[2] = apply_may_show(s, field, t->source);
    apply_report(a, s, row->sheet_row, (int)t->cell->at, d);
    return false;
}

bool apply_cell_quietly(struct apply *a, const struct apply_sheet *s, struct apply_take *t)
{
    enum outcome outcome = convert(a, s, t);
    if (outcome == FITS && !t->edited)
        t->text = t->source;
    return outcome == FITS;
}
