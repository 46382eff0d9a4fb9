/* Every cell of every column: which notations it fits, and whether that is another value than the schema's
 * notation would give. */
#include <stdio.h>
#include <strings.h>

#include "base/ascii.h"
#include "repair/intake/intake_internal.h"

/* ---- notations ---- */

static bool is_date(const struct odp_field *f)
{
    return odp_type_family(f->type) == ODP_FAMILY_DATE && f->type != ODP_TYPE_YEAR;
}

uint32_t ways_of(const struct odp_field *f)
{
    return odp_type_is_number(f->type) ? FORMS - DECIMALS : is_date(f) ? PATTERNS : 0;
}

static bool read_date(const struct odp_field *f, int w, struct odp_slice text, char out[ODP_DECIMAL_SIZE],
                      size_t *len)
{
    struct odp_datetime d;
    const struct pattern own = {.type = f->type, .pattern = f->date_pattern},
                         *p = w < 0 ? &own : &draft_patterns[w];
    bool midnight = p->type == ODP_TYPE_DATETIME && f->type == ODP_TYPE_DATE;
    if ((p->type != f->type && !midnight) || p->two_digits)
        return false;
    const char *zone = midnight ? "UTC" : f->time_zone;
    if (odp_date_parse(text, odp_field_type(p->type)->date, p->pattern, zone, &d) != ODP_DATE_OK)
        return false;
    if (midnight && (d.hour | d.minute | d.second) != 0)
        return false;
    *len = odp_date_format(&d, odp_field_type(f->type)->date, out);
    return true;
}

bool way_read(const struct odp_field *f, int w, struct odp_slice text, char out[ODP_DECIMAL_SIZE],
              size_t *len)
{
    if (!odp_type_is_number(f->type))
        return read_date(f, w, text, out, len);
    struct odp_decimal_form form = w < 0 ? f->decimal : draft_forms[DECIMALS + w];
    form.integer = f->decimal.integer;
    form.bare = f->decimal.bare;
    return draft_number(text, &form, out, len);
}

bool field_null(const struct odp_field *f, struct odp_slice text)
{
    for (size_t i = 0; i < f->missing.n; i++)
        if (odp_slice_eq(f->missing.item[i], text))
            return true;
    return text.len == 0;
}

/* ---- one cell ---- */

struct reading {
    bool fits;
    size_t len;
    char text[ODP_DECIMAL_SIZE];
};

static void take_ways(struct column *c, struct odp_slice s)
{
    struct reading own, here[WAYS];
    uint32_t n = ways_of(c->field);
    own.fits = way_read(c->field, -1, s, own.text, &own.len);
    c->own += own.fits;
    for (uint32_t w = 0; w < n; w++) {
        struct reading *r = &here[w];
        r->fits = way_read(c->field, (int)w, s, r->text, &r->len);
        if (!r->fits)
            continue;
        bool same = own.fits && own.len == r->len && memcmp(own.text, r->text, r->len) == 0;
        c->way[w].same += same;
        c->way[w].differs += own.fits && !same;
        c->way[w].only += !own.fits;
        for (uint32_t k = 0; k < w; k++)
            if (here[k].fits && (here[k].len != r->len || memcmp(here[k].text, r->text, r->len) != 0)) {
                c->way[w].apart |= UINT64_C(1) << k;
                c->way[k].apart |= UINT64_C(1) << w;
            }
    }
    if (odp_type_is_number(c->field->type)) {
        bool marked = false;
        for (size_t i = 0; i < s.len; i++)
            marked = marked || s.ptr[i] == ',' || s.ptr[i] == '.';
        c->whole += !marked;
        c->zeros += marked && s.ptr[s.len - 1] == '0';
    }
}

static void take_word(struct column *c, struct odp_slice s)
{
    uint32_t i = 0;
    while (i < c->nwords && (c->word[i].len != s.len || strncasecmp(c->word[i].text, s.ptr, s.len) != 0))
        i++;
    if (i == c->nwords && (i == WORDS || s.len > WORD_BYTES)) {
        c->many_words = true;
        return;
    }
    if (i == c->nwords) {
        memcpy(c->word[i].text, s.ptr, s.len);
        c->word[i].len = (uint32_t)s.len;
        c->nwords++;
    }
    c->word[i].count++;
}

static void take_cell(struct odp_intake *x, struct column *c, const struct cell *cell)
{
    char number[24];
    struct odp_slice s = odp_slice_trim(cell->text);
    if (s.len == 0) {
        c->empty++;
        x->nothing_left += c->field != NULL;
        return;
    }
    c->lead += s.ptr != cell->text.ptr;
    c->trail += s.ptr + s.len != cell->text.ptr + cell->text.len;
    c->filled++;
    if (c->field == NULL) {
        snprintf(number, sizeof number, "%llu", (unsigned long long)x->records);
        c->sequence += odp_slice_is(s, number);
        return;
    }
    if (cell->native != NATIVE_TEXT) {
        c->natives++;
        return;
    }
    if (field_null(c->field, s)) {
        c->tokens++;
        return;
    }
    int token = draft_token(s);
    if (token >= 0 && token < SURE) {
        c->token[token]++;
        c->tokens++;
    } else if (ways_of(c->field) > 0) {
        take_ways(c, s);
    } else if (odp_type_family(c->field->type) == ODP_FAMILY_TRUTH) {
        take_word(c, s);
    }
}

/* ---- all of them ---- */

enum odp_status intake_survey(struct odp_intake *x, struct odp_diags *diags)
{
    struct rows rows;
    struct row row;
    uint32_t at = 0, first = x->header + x->nheader + x->below;
    enum odp_status status = rows_open(&rows, &x->how, x->path, x->options.file, diags);
    rows.native = x->native;
    while (status == ODP_OK && (status = rows_next(&rows, &row)) == ODP_OK) {
        if (at++ < first || row.comment || row.blank || row.broken)
            continue;
        if (rows_split(&rows, &row) != ODP_OK) {
            status = ODP_FAIL;
            break;
        }
        x->records++;
        for (uint32_t i = 0; i < row.n && i < x->n; i++)
            take_cell(x, &x->columns[i], &row.cells[i]);
        for (uint32_t i = row.n; i < x->n && x->native; i++)
            take_cell(x, &x->columns[i], &(struct cell){.text = {"", 0}});
    }
    if (status == ODP_DONE && rows.lost > 0) { /* bytes that this encoding does not have would be lost */
        struct odp_diag d;
        csv_file_diag(&d, ODP_E01, x->resource, x->options.file);
        d.args[0] = odp_slice_of(rows.text.encoding);
        status = odp_diags_refuse(diags, &d);
    }
    rows_close(&rows);
    return status == ODP_DONE ? ODP_OK : status;
}
