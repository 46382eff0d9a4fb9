/* Reads the source once: each edited row of the workbook meets its record.
 *
 *   1. by the digest of its record; in an unchanged file also by its number, which tells equal records apart;
 *      else as many of equal records as the workbook wants to change (equal_records.c)
 *   2. a record as the workbook wants it is there already: applied before, or mended in another way
 *   3. the record with its primary key, or at its number, has changed since: a conflict shows both sides
 *
 * Only a match by 1 becomes an edit. */
#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

#include "repair/apply/apply_internal.h"
#include "words/repair.h"

static const struct odp_slice no_text = {NULL, 0};

struct matching {
    struct apply *a;
    struct apply_sheet *s;
    bool shape;               /* the source is a shapefile */
    bool fits;                /* the source's columns are the workbook's */
    struct odp_slice *wanted; /* room for a record's cells */
    struct odp_buffer text;
    const uint32_t *key; /* columns of the primary key */
    uint32_t nkey;
};

/* ---- what a row wants ---- */

/* The accepted proposal for COLUMN, or NULL. */
static const struct apply_cell *accepted(const struct apply_row *r, uint32_t column)
{
    const struct apply_cell *p =
        r->action == CORRECT_ACCEPT && r->proposals != NULL ? &r->proposals[column] : NULL;
    return p != NULL && p->there && p->kind != ODP_CELL_EMPTY ? p : NULL;
}

/* The digest of the record as R wants it, from the workbook alone; unknown if a column is missing or a cell
 * is no text. */
static void set_wanted(struct matching *m, struct apply_row *r)
{
    for (uint32_t c = 0; c < m->s->width; c++) {
        const struct apply_cell *cell = accepted(r, c) != NULL ? accepted(r, c) : &r->cells[c];
        if (!cell->there && !r->added)
            return;
        struct apply_take t = {.column = c, .cell = cell};
        if (!apply_cell_quietly(m->a, m->s, &t))
            return;
        m->wanted[c] = t.text;
    }
    correct_digest(m->wanted, m->s->width, &m->text, r->wanted);
    r->has_wanted = true;
}

/* A hash of the primary key's cells; 0: one is missing or empty. */
static uint64_t key_hash(const struct matching *m, const struct odp_slice *cells)
{
    uint64_t h = 0;
    for (uint32_t i = 0; i < m->nkey; i++) {
        struct odp_slice s = cells[m->key[i]];
        if (s.len == 0)
            return 0;
        h = XXH3_64bits_withSeed(s.ptr, s.len, h + i + 1);
    }
    return h;
}

static uint64_t key_of(const struct matching *m, const struct apply_row *r)
{
    for (uint32_t c = 0; c < m->s->width; c++)
        m->wanted[c] = r->cells[c].kind != ODP_CELL_EMPTY ? r->cells[c].text : ODP_LIT("");
    return key_hash(m, m->wanted);
}

/* ---- finding rows ---- */

static int by_row(const struct apply_row *a, const struct apply_row *b)
{
    return (a->id.row > b->id.row) - (a->id.row < b->id.row);
}

static int by_digest(const struct apply_row *a, const struct apply_row *b)
{
    return memcmp(a->id.digest, b->id.digest, CORRECT_ID_DIGEST);
}

static int by_key(const struct apply_row *a, const struct apply_row *b)
{
    return (a->key > b->key) - (a->key < b->key);
}

static int by_wanted(const struct apply_row *a, const struct apply_row *b)
{
    return memcmp(a->wanted, b->wanted, CORRECT_ID_DIGEST);
}

typedef int compare(const struct apply_row *a, const struct apply_row *b);
static compare *const compares[APPLY_ORDERS] = {[APPLY_BY_DIGEST] = by_digest,
                                                [APPLY_BY_ROW] = by_row,
                                                [APPLY_BY_KEY] = by_key,
                                                [APPLY_BY_WANTED] = by_wanted};

/* Rows that are equal by their numbers. */
static int in_order(const void *x, const void *y, void *of)
{
    const struct apply_row *a = *(const struct apply_row *const *)x, *b = *(const struct apply_row *const *)y;
    int c = (*(compare **)of)(a, b);
    return c != 0 ? c : by_row(a, b);
}

static void put_in(struct apply_sheet *s, enum apply_by by, const struct apply_row *r)
{
    s->order[by].row[s->order[by].n++] = r;
}

static void sort_rows(struct matching *m)
{
    struct apply_sheet *s = m->s;
    for (size_t by = 0; by < APPLY_ORDERS; by++)
        s->order[by].row = odp_arena_array(m->a->arena, s->nrows + 1, sizeof *s->order[by].row);
    for (size_t i = 0; i < s->nrows; i++) {
        struct apply_row *r = s->rows[i];
        if (!s->same)
            set_wanted(m, r);
        if (r->has_wanted)
            put_in(s, APPLY_BY_WANTED, r);
        if (r->added)
            continue;
        put_in(s, APPLY_BY_DIGEST, r);
        put_in(s, APPLY_BY_ROW, r);
        r->key = s->same || m->nkey == 0 ? 0 : key_of(m, r);
        if (r->key != 0)
            put_in(s, APPLY_BY_KEY, r);
    }
    for (size_t by = 0; by < APPLY_ORDERS; by++) {
        compare *of = compares[by];
        qsort_r(s->order[by].row, s->order[by].n, sizeof *s->order[by].row, in_order, &of);
    }
}

/* The next row equal to PROBE in the order BY; *AT begins at 0. NULL: no more. */
static struct apply_row *next_equal(const struct apply_sheet *s, enum apply_by by,
                                    const struct apply_row *probe, size_t *at)
{
    const struct apply_order *o = &s->order[by];
    size_t low = *at, high = *at == 0 ? o->n : *at;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (compares[by](o->row[mid], probe) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    *at = low + 1;
    return low < o->n && compares[by](o->row[low], probe) == 0 ? (struct apply_row *)(uintptr_t)o->row[low]
                                                               : NULL;
}

/* The row of this record: among equal ones the row with its number. */
static struct apply_row *find_row(const struct apply_sheet *s, const struct correct_record *rec)
{
    struct apply_row probe = {0}, *first = NULL;
    const struct apply_equal *equal = s->same ? NULL : apply_equal_find(s, rec->digest);
    if (equal != NULL && equal->left == 0)
        return NULL;
    memcpy(probe.id.digest, rec->digest, sizeof probe.id.digest);
    size_t at = 0;
    for (struct apply_row *r; (r = next_equal(s, APPLY_BY_DIGEST, &probe, &at)) != NULL;) {
        if (r->state != APPLY_OPEN)
            continue;
        if (r->id.row == rec->row)
            return r;
        first = first == NULL && !s->same ? r : first;
    }
    return first;
}

/* ---- a record that was found ---- */

static void report_two_values(struct matching *m, const struct apply_row *r, uint32_t column,
                              struct odp_slice cell, struct odp_slice proposal)
{
    int field = m->s->field_of[column];
    apply_report(m->a, m->s, r->sheet_row, (int)r->cells[column].at,
                 (struct odp_diag){
                     .code = ODP_A23,
                     .row = r->id.row,
                     .field = m->s->labels[column],
                     .args = {odp_slice_of(apply_cell_name(m->a, r->sheet_row, r->cells[column].at)),
                              apply_may_show(m->s, field, cell), apply_may_show(m->s, field, proposal)}});
}

/* Refuses the request of R for the row as a whole. */
static void refuse_row(struct matching *m, const struct apply_row *r, const struct odp_text *why)
{
    apply_report(m->a, m->s, r->sheet_row, -1,
                 (struct odp_diag){.code = ODP_A24, .row = r->added ? 0 : r->id.row, .message = why});
}

static const struct odp_text
    broken = {{W_repair_row_broken_form_source_cells}},
    /* each record of a shapefile has a shape, which is neither made nor removed here */
    shape = {{W_repair_records_shapefile_neither_added}};

static void edit(struct matching *m, uint64_t row, uint32_t column, struct odp_slice text)
{
    int field = m->s->field_of[column];
    if (field >= 0)
        odp_edits_cell(m->a->edits, row, (uint32_t)field, text);
    else
        odp_edits_column_cell(m->a->edits, row, column, text);
}

static void take_cell(struct matching *m, const struct apply_row *r, uint32_t column,
                      const struct correct_record *rec)
{
    struct apply_take own = {.column = column, .source = rec->shown[column], .cut = rec->cut[column]},
                      other = own;
    own.cell = &r->cells[column];
    other.cell = accepted(r, column);
    if (own.cell->there && !apply_cell_text(m->a, m->s, r, &own))
        return;
    if (other.cell != NULL && !apply_cell_text(m->a, m->s, r, &other))
        return;
    if (own.edited && other.edited && !odp_slice_eq(own.text, other.text))
        report_two_values(m, r, column, own.text, other.text);
    else if (own.edited || other.edited)
        edit(m, rec->row, column, other.edited ? other.text : own.text);
}

static void take_row(struct matching *m, struct apply_row *r, const struct correct_record *rec)
{
    r->state = APPLY_DONE;
    if (r->action == CORRECT_DELETE && m->shape)
        refuse_row(m, r, &shape);
    else if (r->action == CORRECT_DELETE)
        odp_edits_delete(m->a->edits, rec->row);
    else if (rec->broken)
        refuse_row(m, r, &broken);
    else
        for (uint32_t c = 0; c < m->s->width; c++)
            take_cell(m, r, c, rec);
}

/* ---- the others ---- */

/* Keeps the record in a row's place, for the report if the row is not found. */
static void note_near(struct matching *m, struct apply_row *r, const struct correct_record *rec, bool key)
{
    if (r->state != APPLY_OPEN || (r->near != NULL && (r->near_key || !key)))
        return;
    r->near = odp_arena_array(m->a->arena, (size_t)m->s->width + 1, sizeof *r->near);
    for (uint32_t c = 0; c < m->s->width; c++)
        r->near[c] = odp_arena_copy(m->a->arena, rec->shown[c]);
    r->near_row = rec->row;
    r->near_key = key;
}

static void note_neighbours(struct matching *m, const struct correct_record *rec)
{
    struct apply_row probe = {.id.row = rec->row, .key = m->nkey > 0 ? key_hash(m, rec->shown) : 0}, *r;
    size_t at = 0;
    memcpy(probe.wanted, rec->digest, sizeof probe.wanted);
    while ((r = next_equal(m->s, APPLY_BY_WANTED, &probe, &at)) != NULL)
        r->found_wanted = true;
    if (rec->broken)
        return;
    at = 0;
    if ((r = next_equal(m->s, APPLY_BY_ROW, &probe, &at)) != NULL)
        note_near(m, r, rec, false);
    at = 0;
    while (probe.key != 0 && (r = next_equal(m->s, APPLY_BY_KEY, &probe, &at)) != NULL)
        note_near(m, r, rec, true);
}

/* ---- reading ---- */

/* The columns must be those of the workbook, in order. */
static enum odp_status begin(void *ctx, const struct odp_source_info *info)
{
    struct matching *m = ctx;
    struct apply_sheet *s = m->s;
    struct odp_slice found = {NULL, 0}, expected = {NULL, 0};
    m->fits = info->ncolumns == s->width;
    for (uint32_t c = 0; c < info->ncolumns && c < s->width && found.ptr == NULL; c++) {
        struct odp_buffer *text = &m->text;
        odp_buffer_clear(text);
        correct_shown(text, odp_slice_trim(info->labels[c]), NULL);
        /* A repeated or empty label got another header. */
        size_t n = text->len;
        bool same = n == 0 || (strncmp(s->labels[c], text->ptr, n) == 0 &&
                               (s->labels[c][n] == '\0' || s->labels[c][n] == ' '));
        if (!same) {
            found = odp_arena_copy(m->a->arena, odp_buffer_slice(text));
            expected = odp_slice_of(s->labels[c]);
            m->fits = false;
        }
    }
    if (m->fits) {
        s->field_of = odp_arena_array(m->a->arena, (size_t)s->width + 1, sizeof *s->field_of);
        uint32_t *key = odp_arena_array(m->a->arena, (size_t)s->resource->schema.primary.n + 1, sizeof *key);
        memcpy(s->field_of, info->field_of_column, s->width * sizeof *s->field_of);
        for (uint32_t i = 0; i < s->resource->schema.primary.n; i++) {
            int column = info->column_of_field[s->resource->schema.primary.fields[i]];
            if (column < 0)
                break;
            key[m->nkey++] = (uint32_t)column;
        }
        m->nkey = m->nkey == s->resource->schema.primary.n ? m->nkey : 0;
        m->key = key;
        sort_rows(m);
        return apply_status(m->a);
    }
    char counts[48];
    (void)snprintf(counts, sizeof counts, "%u, %u", info->ncolumns, s->width);
    struct odp_slice now = found.ptr != NULL ? found : odp_slice_of(counts);
    apply_report_source(m->a, s, (struct odp_diag){.code = ODP_A28, .args = {now, expected}});
    return ODP_DONE;
}

static enum odp_status take(void *ctx, const struct odp_source_info *info, const struct correct_record *rec)
{
    struct matching *m = ctx;
    struct apply_row *r = find_row(m->s, rec);
    struct apply_equal *equal = r != NULL && !m->s->same ? apply_equal_find(m->s, rec->digest) : NULL;
    if (equal != NULL)
        equal->left--;
    if (r != NULL)
        take_row(m, r, rec);
    if (!m->s->same)
        note_neighbours(m, rec);
    return apply_status(m->a);
}

/* ---- what is left over ---- */

static void report_already(struct matching *m, const struct apply_row *r)
{
    m->a->out->already++;
    apply_report(m->a, m->s, r->sheet_row, -1,
                 (struct odp_diag){.code = ODP_A26, .row = r->added ? 0 : r->id.row});
}

/* Reports a row without a record: what the workbook wants, and what is there now. COLUMN -1: the row. */
static void report_conflict(struct matching *m, const struct apply_row *r, int column, struct odp_slice wants)
{
    static const struct odp_text gone = {{W_repair_row_no_longer_source_correction}};
    int field = column >= 0 ? m->s->field_of[column] : -1;
    struct odp_diag d = {.code = ODP_A22,
                         .row = r->near != NULL ? r->near_row : r->id.row,
                         .secret = field >= 0 && !m->s->resource->schema.fields[field].is_public,
                         .message = r->near == NULL ? &gone : NULL,
                         .args = {apply_may_show(m->s, field, wants)}};
    if (column >= 0)
        d.field = m->s->labels[column];
    if (column >= 0 && r->near != NULL)
        d.value = r->near[column];
    apply_report(m->a, m->s, r->sheet_row, column >= 0 ? (int)r->cells[column].at : -1, d);
}

/* Whether the record there now is this row's: by its key, or because most of its cells are unchanged. */
static bool is_near(const struct apply_sheet *s, const struct apply_row *r)
{
    uint32_t same = 0;
    if (r->near == NULL || r->near_key)
        return r->near != NULL;
    for (uint32_t c = 0; c < s->width; c++) {
        char mark[2];
        correct_mark(r->near[c], mark);
        same += memcmp(mark, r->id.marks.ptr + 2 * (size_t)c, 2) == 0;
    }
    return 2 * same >= s->width;
}

/* Reports the cells that the workbook changed: those with another mark. */
static void settle_cells(struct matching *m, struct apply_row *r)
{
    bool any = false, open = false;
    for (uint32_t c = 0; c < m->s->width; c++) {
        const struct apply_cell *cell = accepted(r, c) != NULL ? accepted(r, c) : &r->cells[c];
        struct apply_take t = {.column = c, .cell = cell, .source = r->near != NULL ? r->near[c] : no_text};
        char mark[2];
        if (!cell->there)
            continue;
        correct_mark(cell->kind != ODP_CELL_EMPTY ? cell->text : ODP_LIT(""), mark);
        if (memcmp(mark, r->id.marks.ptr + 2 * (size_t)c, 2) == 0)
            continue;
        any = true;
        bool known = apply_cell_quietly(m->a, m->s, &t);
        if (known && r->near != NULL && odp_slice_eq(t.text, r->near[c]))
            continue; /* the source has it too */
        open = true;
        report_conflict(m, r, (int)c, known ? t.text : cell->text);
    }
    if (any && !open)
        report_already(m, r);
}

static void append(struct matching *m, struct apply_row *r)
{
    static const struct odp_text outside = {{W_repair_new_row_cannot_fill_column}};
    const struct odp_schema *schema = &m->s->resource->schema;
    struct odp_slice *text = odp_arena_zero(m->a->arena, (size_t)schema->n + 1, sizeof *text);
    for (uint32_t c = 0; c < m->s->width; c++) {
        struct apply_take t = {.column = c, .cell = &r->cells[c]};
        int field = m->s->field_of[c];
        if (!r->cells[c].there || r->cells[c].kind == ODP_CELL_EMPTY)
            continue;
        if (!apply_cell_text(m->a, m->s, r, &t))
            return; /* no row in part */
        if (field >= 0) {
            text[field] = t.text;
            continue;
        }
        apply_report(m->a, m->s, r->sheet_row, (int)r->cells[c].at,
                     (struct odp_diag){.code = ODP_A24, .field = m->s->labels[c], .message = &outside});
        return;
    }
    odp_edits_append(m->a->edits, text);
}

/* The file is the one the workbook was made of, so the id is wrong. */
static void report_foreign_id(struct matching *m, const struct apply_row *r)
{
    static const struct odp_text foreign = {{W_repair_row_id_points_no_row}};
    apply_report(m->a, m->s, r->sheet_row, 0, (struct odp_diag){.code = ODP_A18, .message = &foreign});
}

static void settle(struct matching *m, struct apply_row *r)
{
    bool delete = r->action == CORRECT_DELETE;
    r->state = APPLY_DONE;
    if (r->found_wanted && !delete) {
        report_already(m, r);
    } else if (r->added && m->shape) {
        refuse_row(m, r, &shape);
    } else if (r->added) {
        append(m, r);
    } else if (m->s->same) {
        report_foreign_id(m, r);
    } else {
        const struct apply_equal *equal = apply_equal_find(m->s, r->id.digest);
        bool stays =
            equal != NULL && equal->there > 0; /* the records left of equal ones are those that stay */
        if (!is_near(m->s, r))
            r->near = NULL;
        if (delete &&(stays ||
                      r->near == NULL)) /* a missing record is what was wanted; a changed one is not */
            report_already(m, r);
        else if (delete)
            report_conflict(m, r, -1, odp_slice_of(correct_action_word(CORRECT_DELETE, m->a->o->lang)));
        else
            settle_cells(m, r);
    }
}

enum odp_status apply_match(struct apply *a, struct apply_sheet *s)
{
    struct matching m = {.a = a, .s = s, .shape = correct_is_shapefile(s->resource, s->path)};
    struct correct_reading to = {&m, begin, take};
    m.wanted = odp_arena_zero(a->arena, (size_t)s->width + 1, sizeof *m.wanted);
    enum odp_status status = s->same ? ODP_OK : apply_equal_count(a, s);
    if (status == ODP_OK)
        status = correct_read(s->resource, s->path, &to, a->diags);
    for (size_t i = 0; i < s->nrows && status == ODP_OK && m.fits; i++)
        if (s->rows[i]->state == APPLY_OPEN)
            settle(&m, s->rows[i]);
    if (status == ODP_OK && (odp_buffer_status(&m.text) != ODP_OK || apply_status(a) != ODP_OK))
        status = ODP_FAIL;
    odp_buffer_release(&m.text);
    return status == ODP_OK && !m.fits ? ODP_BAD : status;
}
