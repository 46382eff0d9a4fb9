/* One cause, one diagnostic: several faults of a record with the same reason are reported once. Rows that
 * are not records (a repeated header, numbers or units of the columns, a total, a signature below the
 * table), cells shifted by one column, latitude and longitude swapped. */
#include <stdio.h>
#include <strings.h>

#include "base/decimal.h"
#include "base/white_space.h"
#include "check/one_cause.h"
#include "check/proposals/trial.h"

enum { EXPLAIN_ROWS = 3 /* below a header */ };
enum {
    FILLED_MOST = 3,
    SHIFT_EVIDENCE = 5 /* faults that a shift explains, and cells it puts where only they fit */
};

struct row {
    struct odp_check *c;
    uint32_t i;
    const struct odp_record *record;
    const struct odp_cell *cells;
    uint32_t n;      /* of cells */
    uint32_t filled; /* that are not blank */
    uint32_t first;  /* the first of them */
};

static struct odp_slice cell_text(const struct row *r, uint32_t column)
{
    return odp_trim_unicode((struct odp_slice){r->cells[column].ptr, r->cells[column].len});
}

static bool is_error(const struct odp_check *c, const struct odp_fault *f)
{
    return f->severity == ODP_SEVERITY_OFF ? !c->v->waived[f->code] : f->severity == ODP_SEVERITY_ERROR;
}

/* ---- records that are none ---- */

/* The labels again, in whatever case and spacing: two at least, and most of what is filled. */
static bool repeats_header(const struct row *r)
{
    const struct odp_source_info *info = r->c->v->info;
    uint32_t same = 0;
    if (info->labels == NULL)
        return false;
    for (uint32_t k = 0; k < r->n && k < info->ncolumns; k++) {
        char a[ODP_FOLD_SIZE], b[ODP_FOLD_SIZE];
        struct odp_slice s = cell_text(r, k);
        size_t n = s.len < ODP_FOLD_SIZE ? odp_fold_code(s, a) : 0;
        size_t m = info->labels[k].len < ODP_FOLD_SIZE ? odp_fold_code(info->labels[k], b) : 0;
        bool label = n > 0 && n == m && memcmp(a, b, n) == 0;
        if (k == r->first && !label)
            return false;
        same += label;
    }
    return same >= 2 && 2 * same > r->filled;
}

/* 1;2;3 or (1);(2);(3): statistical tables number their columns below the header. */
static bool numbers_columns(const struct row *r)
{
    for (uint32_t k = 0; k < r->n; k++) {
        char plain[16];
        struct odp_slice s = cell_text(r, k);
        int n = snprintf(plain, sizeof plain, "%u", k + 1);
        if (s.len > 2 && *s.ptr == '(' && s.ptr[s.len - 1] == ')')
            s = (struct odp_slice){s.ptr + 1, s.len - 2};
        if (s.len != (size_t)n || memcmp(s.ptr, plain, s.len) != 0)
            return false;
    }
    return r->n >= 3;
}

/* "(unit)", "%", "m2": words, or nothing (-), but no value, and no mark for one that is not known. A digit
 * may belong to a unit, and so may zeros: "(000 ton)". *NAMED counts those that say something. */
static bool is_unit(struct odp_slice s, uint32_t *named)
{
    static const char *const unknown[] = {"na",   "n/a",   "n.a.",   "nan",       "null",
                                          "none", "nihil", "kosong", "tidak ada", "x"};
    unsigned digits = 0;
    bool says = false;
    for (size_t k = 0; k < ODP_COUNT(unknown); k++)
        if (odp_slice_is_nocase(s, unknown[k]))
            return false;
    for (size_t k = 0; k < s.len; k++) {
        char c = s.ptr[k];
        if (c == '?' || c == '#')
            return false;
        digits += c >= '1' && c <= '9';
        says = says || c == '%' || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || (unsigned char)c >= 0x80;
    }
    *named += says;
    return digits <= 1;
}

/* Units or explanations of the columns, on the first rows below the header: no cell with a type of its own
 * has a value of it (three at least, or all that there are, and then in brackets), and no text has the form
 * that its field wants. With a record above it, the row is a record too. */
static bool explains_columns(const struct row *r)
{
    const struct odp_check *c = r->c;
    uint32_t typed = 0, refused = 0, named = 0, marked = 0;
    if (r->record->row != (uint64_t)r->i + 1 || r->record->row > EXPLAIN_ROWS || r->i + 1 >= c->n)
        return false; /* with nothing below it, it explains nothing */
    for (uint32_t k = 0; k < r->i; k++)
        if ((c->b->records[k].flags & ODP_RECORD_SKIP) == 0)
            return false;
    for (uint32_t f = 0; f < c->v->schema->n; f++) {
        const struct odp_field *field = odp_check_field(c, f);
        const struct odp_column *column = &c->b->columns[f];
        bool text = field->type == ODP_TYPE_STRING || field->type == ODP_TYPE_ANY;
        int at = c->v->info->column_of_field[f];
        typed += !text && at >= 0;
        if (at < 0 || (uint32_t)at >= r->n || cell_text(r, (uint32_t)at).len == 0)
            continue;
        struct odp_slice s = cell_text(r, (uint32_t)at);
        marked += *s.ptr == '(' || *s.ptr == '[' || *s.ptr == '%';
        if (!is_unit(s, &named))
            return false;
        if (text && column->state[r->i] == ODP_VALUE_OK &&
            (field->constraints.pattern.ptr != NULL || field->ncategories > 0 ||
             field->constraints.enumeration.n > 0))
            return false;
        if (text)
            continue;
        if (column->state[r->i] != ODP_VALUE_BAD || column->text[r->i].ptr != NULL)
            return false;
        refused++;
    }
    return 2 * named > r->filled &&
           (refused >= 3 || (refused > 0 && refused == typed && marked == r->filled));
}

static bool begins_with(struct odp_slice s, const char *const *words)
{
    for (; *words != NULL; words++) {
        size_t n = strlen(*words);
        if (s.len >= n && strncasecmp(s.ptr, *words, n) == 0 &&
            (s.len == n || strchr(" :.,(", s.ptr[n]) != NULL))
            return true;
    }
    return false;
}

/* Is a key of the record present and valid? Without a key: any required field. */
static bool has_identity(const struct row *r)
{
    const struct odp_schema *schema = r->c->v->schema;
    const struct odp_key *key = &schema->primary;
    for (uint32_t k = 0; k < key->n; k++)
        if (r->c->b->columns[key->fields[k]].state[r->i] != ODP_VALUE_OK)
            return false;
    if (key->n > 0)
        return true;
    for (uint32_t f = 0; f < schema->n; f++)
        if (schema->fields[f].constraints.required && r->c->b->columns[f].state[r->i] != ODP_VALUE_OK)
            return false;
    return true;
}

static bool is_total(const struct row *r)
{
    static const char *const words[] = {"total",       "jumlah",    "subtotal",  "sub total",
                                        "sub-total",   "rata-rata", "rata rata", "rerata",
                                        "grand total", "average",   "sum",       NULL};
    return r->filled > 0 && begins_with(cell_text(r, r->first), words) && !has_identity(r);
}

/* Few cells are filled, and they make no record. */
static bool is_note(const struct row *r)
{
    return r->filled > 0 && r->filled <= FILLED_MOST && 3 * r->filled <= r->n && r->n >= 3 &&
           !has_identity(r);
}

static bool says_note(const struct row *r)
{
    static const char *const words[] = {
        "sumber", "catatan", "keterangan", "ket",    "dicetak",     "mengetahui", "nip",
        "kepala", "plt",     "data per",   "diolah", "per tanggal", "update",     "source",
        "note",   "notes",   "halaman",    "hal",    "a.n",         "an",         NULL};
    struct odp_slice s = cell_text(r, r->first);
    return *s.ptr == '*' || begins_with(s, words);
}

/* ---- cells in the next column ---- */

/* Does every cell from column FROM on fit the field that is STEP (1 or -1) columns further? */
static bool fits_shifted(const struct row *r, uint32_t from, int step, uint32_t needed)
{
    const struct odp_source_info *info = r->c->v->info;
    uint32_t told = 0;
    for (uint32_t k = from; k < r->n; k++) {
        struct odp_slice s = {r->cells[k].ptr, r->cells[k].len};
        int64_t to = (int64_t)k + step;
        if (odp_slice_trim(s).len == 0)
            continue;
        if (to < (int64_t)from - (step < 0) || to >= (int64_t)info->ncolumns)
            return false;
        int field = info->field_of_column[to];
        if (field < 0)
            continue;
        if (!odp_accepts(r->c, (uint32_t)field, s, NULL))
            return false;
        const struct odp_field *f = odp_check_field(r->c, (uint32_t)field);
        told += f->type != ODP_TYPE_STRING || f->constraints.pattern.ptr != NULL || f->ncategories > 0;
    }
    return told >= needed;
}

/* A cell too many before the place (the last one is lost), or one too few (the last column is empty). */
static bool is_shifted(const struct row *r, uint32_t bad_column, uint32_t errors, uint32_t *at)
{
    uint32_t needed = errors + 2 > SHIFT_EVIDENCE ? 2 : SHIFT_EVIDENCE - errors;
    bool last_empty = r->n > 0 && cell_text(r, r->n - 1).len == 0;
    for (uint32_t from = bad_column + 1; from-- > 0;) {
        if (last_empty && fits_shifted(r, from, 1, needed)) {
            *at = from;
            return true;
        }
        if (!last_empty && from > 0 && fits_shifted(r, from, -1, needed)) {
            *at = from;
            return true;
        }
    }
    /* The inserted cell is itself where the first fault shows. */
    if (!last_empty && bad_column + 1 < r->n && fits_shifted(r, bad_column + 1, -1, needed)) {
        *at = bad_column;
        return true;
    }
    return false;
}

/* ---- latitude and longitude ---- */

static bool is_bound(enum odp_code code)
{
    return code >= ODP_B05 && code <= ODP_B08;
}

/* Two numbers, each beyond the bounds of its field and within those of the other. */
static bool is_swapped(const struct row *r, const struct odp_fault *a, const struct odp_fault *b)
{
    struct odp_check *c = r->c;
    const struct odp_cell *x, *y;
    if (!is_bound(a->code) || !is_bound(b->code) || a->field == b->field)
        return false;
    const struct odp_constraints *k = &odp_check_field(c, (uint32_t)a->field)->constraints;
    if (k->minimum.ptr == NULL || k->maximum.ptr == NULL)
        return false;
    x = odp_check_cell(c, r->i, (uint32_t)a->field);
    y = odp_check_cell(c, r->i, (uint32_t)b->field);
    return x != NULL && y != NULL &&
           odp_accepts(c, (uint32_t)a->field, (struct odp_slice){y->ptr, y->len}, NULL) &&
           odp_accepts(c, (uint32_t)b->field, (struct odp_slice){x->ptr, x->len}, NULL);
}

/* ---- a record ---- */

/* D is the cause of record I's faults. Where the catalogue does not count it as an error, the record stays
 * and its own faults are reported too. */
static enum odp_status say(struct odp_check *c, uint32_t i, const struct odp_diag *d)
{
    enum odp_status status = odp_diags_add(c->b->diags, d);
    if (status == ODP_FAIL || c->v->waived[d->code])
        return status == ODP_FAIL ? ODP_FAIL : ODP_OK;
    c->b->record_bad[i] = 1;
    return ODP_DONE;
}

static enum odp_status say_no_record(struct odp_check *c, uint32_t i, enum odp_code code, bool deletable)
{
    struct odp_record *record = &c->b->records[i];
    struct odp_diag d;
    odp_batch_diag_at(c->b, i, 0, record->source.len, c->v->info->file, &d);
    d.code = code;
    if (deletable)
        d.action = ODP_ACTION_DELETE_RECORD;
    enum odp_status status = say(c, i, &d);
    if (status == ODP_DONE)
        record->flags |= ODP_RECORD_SKIP;
    return status;
}

static enum odp_status say_shifted(struct odp_check *c, uint32_t i, uint32_t column)
{
    struct odp_diag d;
    odp_batch_diag(c->b, (struct odp_batch_place){i, c->v->info->field_of_column[column], (int)column},
                   c->v->info->file, c->secret[i] != 0, &d);
    d.code = ODP_R20;
    return say(c, i, &d);
}

static enum odp_status say_swapped(struct odp_check *c, const struct odp_fault *a, const struct odp_fault *b)
{
    struct odp_diag d;
    odp_batch_diag(c->b, (struct odp_batch_place){a->record, a->field, c->v->info->column_of_field[a->field]},
                   c->v->info->file, c->secret[a->record] != 0, &d);
    d.code = ODP_T20;
    d.args[0] = odp_slice_of(odp_check_field(c, (uint32_t)a->field)->name);
    d.args[1] = odp_slice_of(odp_check_field(c, (uint32_t)b->field)->name);
    d.where = a->where;
    return say(c, a->record, &d);
}

enum odp_status odp_one_cause(struct odp_check *c, const struct odp_fault *faults, size_t n)
{
    uint32_t i = faults[0].record, errors = 0, bad_column = UINT32_MAX;
    const struct odp_fault *shown[2] = {NULL, NULL};
    struct row r = {.c = c, .i = i, .record = &c->b->records[i]};
    if (c->b->cells == NULL || r.record->source.len == 0 || c->v->schema->n < 2)
        return ODP_OK;
    for (size_t k = 0; k < n; k++) {
        if (faults[k].secret)
            return ODP_OK; /* a personal identifier is a separate cause and must be reported */
        if (faults[k].field < 0 || faults[k].code == ODP_L01 || !is_error(c, &faults[k]))
            continue;
        int column = c->v->info->column_of_field[faults[k].field];
        if (errors < 2)
            shown[errors] = &faults[k];
        errors++;
        if (column >= 0 && (uint32_t)column < bad_column)
            bad_column = (uint32_t)column;
    }
    if (bad_column == UINT32_MAX)
        return ODP_OK;
    r.cells = c->b->cells + r.record->first;
    r.n = r.record->count;
    for (uint32_t k = 0; k < r.n; k++) {
        bool blank = cell_text(&r, k).len == 0;
        if (!blank && r.filled == 0)
            r.first = k;
        r.filled += !blank;
    }
    if (repeats_header(&r))
        return say_no_record(c, i, ODP_R10, true);
    if (numbers_columns(&r))
        return say_no_record(c, i, ODP_R11, true);
    if (explains_columns(&r))
        return say_no_record(c, i, ODP_R22, true);
    if (errors < 2)
        return ODP_OK;
    if (is_total(&r))
        return say_no_record(c, i, ODP_R08, true);
    if (is_note(&r))
        return say_no_record(c, i, ODP_R11, says_note(&r));
    if (errors == 2 && is_swapped(&r, shown[0], shown[1]))
        return say_swapped(c, shown[0], shown[1]);
    uint32_t at;
    if (is_shifted(&r, bad_column, errors, &at))
        return say_shifted(c, i, at);
    return ODP_OK;
}
