/* The source, read once: each edited row of the workbook meets its record.
 *
 *   1. by the digest of its record; with an unchanged file also by its number, so that of equal records the right one is meant, else no more of equal
 *      records than the workbook wants to be others (equal_records.c)
 *   2. a record as the workbook wants it is there already: applied before, or mended in another way
 *   3. the record that has its primary key, or stands at its number: it has changed since, and what both sides hold is said
 *
 * Only what was met by 1 becomes an edit. */
#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

#include "repair/apply/apply_internal.h"
#include "words/repair.h"

struct matching {
    struct apply *a;
    struct apply_sheet *s;
    bool shape;                  /* the source is a shapefile */
    bool fits;                   /* the source's columns are the workbook's */
    struct odp_slice *wanted;    /* room for a record's cells */
    struct odp_buffer text;
    const uint32_t *key;         /* columns of the primary key */
    uint32_t nkey;
};

/* ---- what a row wants ---------------------------------------------------------------------------------------------------------------------- */

static int field_at(const struct apply_sheet *s, uint32_t column)
{
    return s->field_of[column];
}

/* The proposal that is accepted for COLUMN, or NULL. */
static const struct apply_cell *accepted(const struct apply_row *r, uint32_t column)
{
    const struct apply_cell *p = r->action == CORRECT_ACCEPT && r->proposals != NULL ? &r->proposals[column] : NULL;
    return p != NULL && p->there && p->kind != ODP_CELL_EMPTY ? p : NULL;
}

/* The digest of the record as R wants it, from the workbook alone; not known where a column is missing or a cell is no text. */
static enum odp_status want(struct matching *m, struct apply_row *r)
{
    for (uint32_t c = 0; c < m->s->width; c++) {
        const struct apply_cell *cell = accepted(r, c) != NULL ? accepted(r, c) : &r->cells[c];
        if (!cell->there && !r->added)
            return ODP_OK;
        enum odp_status status = apply_cell_quietly(m->a, m->s, c, cell, (struct odp_slice){NULL, 0}, &m->wanted[c]);
        if (status != ODP_OK)
            return status == ODP_FAIL ? ODP_FAIL : ODP_OK;
    }
    correct_digest(m->wanted, m->s->width, &m->text, r->wanted);
    r->has_wanted = true;
    return odp_buffer_status(&m->text);
}

/* A hash of the primary key's cells; 0: one of them is missing or empty. */
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
        m->wanted[c] = r->cells[c].kind != ODP_CELL_EMPTY ? r->cells[c].text : (struct odp_slice){"", 0};
    return key_hash(m, m->wanted);
}

/* ---- finding rows ---------------------------------------------------------------------------------------------------------------------------- */

static int by_digest(const void *x, const void *y, void *rows)
{
    const struct apply_row *a = (const struct apply_row *)rows + *(const size_t *)x, *b = (const struct apply_row *)rows + *(const size_t *)y;
    int c = memcmp(a->id.digest, b->id.digest, CORRECT_ID_DIGEST);
    return c != 0 ? c : (a->id.row > b->id.row) - (a->id.row < b->id.row);
}

static int by_row(const void *x, const void *y, void *rows)
{
    const struct apply_row *a = (const struct apply_row *)rows + *(const size_t *)x, *b = (const struct apply_row *)rows + *(const size_t *)y;
    return (a->id.row > b->id.row) - (a->id.row < b->id.row);
}

static int by_key(const void *x, const void *y, void *rows)
{
    const struct apply_row *a = (const struct apply_row *)rows + *(const size_t *)x, *b = (const struct apply_row *)rows + *(const size_t *)y;
    return (a->key > b->key) - (a->key < b->key);
}

static int by_wanted(const void *x, const void *y, void *rows)
{
    const struct apply_row *a = (const struct apply_row *)rows + *(const size_t *)x, *b = (const struct apply_row *)rows + *(const size_t *)y;
    return memcmp(a->wanted, b->wanted, CORRECT_ID_DIGEST);
}

static enum odp_status sort_rows(struct matching *m)
{
    struct apply_sheet *s = m->s;
    size_t n = s->nrows + 1;
    s->by_digest = odp_realloc_array(NULL, n, sizeof *s->by_digest);
    s->by_row = odp_realloc_array(NULL, n, sizeof *s->by_row);
    s->by_key = odp_realloc_array(NULL, n, sizeof *s->by_key);
    s->by_wanted = odp_realloc_array(NULL, n, sizeof *s->by_wanted);
    if (s->by_digest == NULL || s->by_row == NULL || s->by_key == NULL || s->by_wanted == NULL)
        return ODP_FAIL;
    for (size_t i = 0; i < s->nrows; i++) {
        struct apply_row *r = &s->rows[i];
        if (!s->same && want(m, r) != ODP_OK)
            return ODP_FAIL;
        if (r->has_wanted)
            s->by_wanted[s->nwanted++] = i;
        if (r->added)
            continue;
        s->by_digest[s->nids] = s->by_row[s->nids] = i;
        s->nids++;
        r->key = s->same || m->nkey == 0 ? 0 : key_of(m, r);
        if (r->key != 0)
            s->by_key[s->nkeys++] = i;
    }
    qsort_r(s->by_digest, s->nids, sizeof *s->by_digest, by_digest, s->rows);
    qsort_r(s->by_row, s->nids, sizeof *s->by_row, by_row, s->rows);
    qsort_r(s->by_key, s->nkeys, sizeof *s->by_key, by_key, s->rows);
    qsort_r(s->by_wanted, s->nwanted, sizeof *s->by_wanted, by_wanted, s->rows);
    return ODP_OK;
}

/* The first of N sorted rows that is not below the one that PROBE holds; COMPARE as for sorting. */
static size_t lower(const struct apply_sheet *s, const size_t *sorted, size_t n, int (*compare)(const struct apply_row *r, const void *probe), const void *probe)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (compare(&s->rows[sorted[mid]], probe) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static int is_digest(const struct apply_row *r, const void *probe)
{
    return memcmp(r->id.digest, probe, CORRECT_ID_DIGEST);
}

static int is_wanted(const struct apply_row *r, const void *probe)
{
    return memcmp(r->wanted, probe, CORRECT_ID_DIGEST);
}

static int is_row(const struct apply_row *r, const void *probe)
{
    uint64_t row = *(const uint64_t *)probe;
    return (r->id.row > row) - (r->id.row < row);
}

static int is_key(const struct apply_row *r, const void *probe)
{
    uint64_t key = *(const uint64_t *)probe;
    return (r->key > key) - (r->key < key);
}

/* The row whose record this is: its own number where there is a choice. */
static struct apply_row *met(const struct apply_sheet *s, const struct correct_record *rec)
{
    struct apply_row *first = NULL;
    const struct apply_equal *equal = s->same ? NULL : apply_equal_find(s, rec->digest);
    if (equal != NULL && equal->left == 0)
        return NULL;
    for (size_t i = lower(s, s->by_digest, s->nids, is_digest, rec->digest); i < s->nids; i++) {
        struct apply_row *r = &s->rows[s->by_digest[i]];
        if (is_digest(r, rec->digest) != 0)
            break;
        if (r->state != APPLY_OPEN)
            continue;
        if (r->id.row == rec->row)
            return r;
        first = first == NULL && !s->same ? r : first;
    }
    return first;
}

/* ---- a record that was met --------------------------------------------------------------------------------------------------------------------- */

static enum odp_status say_twofold(struct matching *m, const struct apply_row *r, uint32_t column, struct odp_slice cell, struct odp_slice proposal)
{
    struct odp_diag d;
    int field = field_at(m->s, column);
    apply_diag(m->a, m->s, ODP_A23, r->sheet_row, (int)r->cells[column].at, &d);
    d.row = r->id.row;
    d.field = m->s->labels[column];
    d.args[0] = odp_slice_of(apply_cell_name(m->a, r->sheet_row, r->cells[column].at));
    d.args[1] = apply_may_show(m->s, field, cell);
    d.args[2] = apply_may_show(m->s, field, proposal);
    return apply_say(m->a, &d);
}

static enum odp_status say_broken(struct matching *m, const struct apply_row *r)
{
    static const struct odp_text broken = {{W_repair_row_broken_form_source_cells}};
    struct odp_diag d;
    apply_diag(m->a, m->s, ODP_A24, r->sheet_row, -1, &d);
    d.row = r->id.row;
    d.message = &broken;
    return apply_say(m->a, &d);
}

/* Each record of a shapefile has a shape, which is neither made nor removed here. */
static enum odp_status say_shape(struct matching *m, const struct apply_row *r)
{
    static const struct odp_text shape = {{W_repair_records_shapefile_neither_added}};
    struct odp_diag d;
    apply_diag(m->a, m->s, ODP_A24, r->sheet_row, -1, &d);
    d.row = r->added ? 0 : r->id.row;
    d.message = &shape;
    return apply_say(m->a, &d);
}

static enum odp_status edit(struct matching *m, uint64_t row, uint32_t column, struct odp_slice text)
{
    int field = field_at(m->s, column);
    if (field >= 0)
        return odp_edits_cell(m->a->edits, row, (uint32_t)field, text);
    return odp_edits_column_cell(m->a->edits, row, column, text);
}

static enum odp_status take_cell(struct matching *m, const struct apply_row *r, uint32_t column, const struct correct_record *rec)
{
    const struct apply_cell *proposal = accepted(r, column);
    bool edited = false, proposed = false;
    struct odp_slice text = {"", 0}, other = {"", 0};
    enum odp_status status = ODP_OK;
    if (r->cells[column].there)
        status = apply_cell_text(m->a, m->s, r, column, &r->cells[column], rec->shown[column], rec->cut[column], &edited, &text);
    if (status == ODP_OK && proposal != NULL)
        status = apply_cell_text(m->a, m->s, r, column, proposal, rec->shown[column], rec->cut[column], &proposed, &other);
    if (status != ODP_OK)
        return status == ODP_FAIL ? ODP_FAIL : ODP_OK;
    if (edited && proposed && !odp_slice_eq(text, other))
        return say_twofold(m, r, column, text, other);
    if (!edited && !proposed)
        return ODP_OK;
    return edit(m, rec->row, column, proposed ? other : text);
}

static enum odp_status take_row(struct matching *m, struct apply_row *r, const struct correct_record *rec)
{
    enum odp_status status = ODP_OK;
    r->state = APPLY_DONE;
    if (r->action == CORRECT_DELETE)
        return m->shape ? say_shape(m, r) : odp_edits_delete(m->a->edits, rec->row);
    if (rec->broken)
        return say_broken(m, r);
    for (uint32_t c = 0; c < m->s->width && status == ODP_OK; c++)
        status = take_cell(m, r, c, rec);
    return status;
}

/* ---- the others ------------------------------------------------------------------------------------------------------------------------------- */

/* What stands now where a row was, for what is said if it is not found. */
static enum odp_status keep_near(struct matching *m, struct apply_row *r, const struct correct_record *rec, bool key)
{
    if (r->state != APPLY_OPEN || (r->near != NULL && (r->near_key || !key)))
        return ODP_OK;
    r->near = odp_arena_array(m->a->arena, (size_t)m->s->width + 1, sizeof *r->near);
    for (uint32_t c = 0; c < m->s->width; c++) {
        r->near[c] = odp_arena_copy(m->a->arena, rec->shown[c]);
        if (r->near[c].ptr == NULL)
            return ODP_FAIL;
    }
    r->near_row = rec->row;
    r->near_key = key;
    return ODP_OK;
}

static enum odp_status look_around(struct matching *m, const struct correct_record *rec)
{
    struct apply_sheet *s = m->s;
    enum odp_status status = ODP_OK;
    for (size_t i = lower(s, s->by_wanted, s->nwanted, is_wanted, rec->digest); i < s->nwanted; i++) {
        if (is_wanted(&s->rows[s->by_wanted[i]], rec->digest) != 0)
            break;
        s->rows[s->by_wanted[i]].found_wanted = true;
    }
    if (rec->broken)
        return ODP_OK;
    size_t at = lower(s, s->by_row, s->nids, is_row, &rec->row);
    if (at < s->nids && s->rows[s->by_row[at]].id.row == rec->row)
        status = keep_near(m, &s->rows[s->by_row[at]], rec, false);
    uint64_t key = m->nkey > 0 ? key_hash(m, rec->shown) : 0;
    for (size_t i = key != 0 ? lower(s, s->by_key, s->nkeys, is_key, &key) : s->nkeys; i < s->nkeys && status == ODP_OK; i++) {
        if (is_key(&s->rows[s->by_key[i]], &key) != 0)
            break;
        status = keep_near(m, &s->rows[s->by_key[i]], rec, true);
    }
    return status;
}

/* ---- reading ------------------------------------------------------------------------------------------------------------------------------------ */

/* The columns must be those of the workbook, by label and in order. */
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
        if (odp_buffer_status(text) != ODP_OK)
            return ODP_FAIL;
        /* A label that stood twice, or was empty, got another header. */
        size_t n = text->len;
        bool same = n == 0 || (strncmp(s->labels[c], text->ptr, n) == 0 && (s->labels[c][n] == '\0' || s->labels[c][n] == ' '));
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
        return sort_rows(m);
    }
    struct odp_diag d;
    char counts[48];
    (void)snprintf(counts, sizeof counts, "%u, %u", info->ncolumns, s->width);
    apply_diag(m->a, s, ODP_A28, 0, -1, &d);
    d.file = s->path;
    d.sheet = NULL;
    d.args[0] = found.ptr != NULL ? found : odp_slice_of(counts);
    d.args[1] = expected;
    return apply_say(m->a, &d) == ODP_OK ? ODP_DONE : ODP_FAIL;
}

static enum odp_status take(void *ctx, const struct odp_source_info *info, const struct correct_record *rec)
{
    struct matching *m = ctx;
    (void)info;
    struct apply_row *r = met(m->s, rec);
    struct apply_equal *equal = r != NULL && !m->s->same ? apply_equal_find(m->s, rec->digest) : NULL;
    if (equal != NULL)
        equal->left--;
    enum odp_status status = r != NULL ? take_row(m, r, rec) : ODP_OK;
    return status == ODP_OK && !m->s->same ? look_around(m, rec) : status;
}

/* ---- what is left over ------------------------------------------------------------------------------------------------------------------------- */

static enum odp_status say_already(struct matching *m, const struct apply_row *r)
{
    struct odp_diag d;
    apply_diag(m->a, m->s, ODP_A26, r->sheet_row, -1, &d);
    d.row = r->added ? 0 : r->id.row;
    m->a->out->already++;
    return apply_say(m->a, &d);
}

/* The row has no record: what the workbook wants, and what stands there now. COLUMN -1: the row. */
static enum odp_status say_conflict(struct matching *m, const struct apply_row *r, int column, struct odp_slice wants)
{
    static const struct odp_text gone = {{W_repair_row_no_longer_source_correction}};
    struct odp_diag d;
    int field = column >= 0 ? field_at(m->s, (uint32_t)column) : -1;
    apply_diag(m->a, m->s, ODP_A22, r->sheet_row, column >= 0 ? (int)r->cells[column].at : -1, &d);
    d.row = r->near != NULL ? r->near_row : r->id.row;
    d.field = column >= 0 ? m->s->labels[column] : NULL;
    d.secret = field >= 0 && !m->s->resource->schema.fields[field].is_public;
    d.value = column >= 0 && r->near != NULL ? r->near[column] : (struct odp_slice){NULL, 0};
    d.args[0] = apply_may_show(m->s, field, wants);
    d.message = r->near == NULL ? &gone : NULL;
    return apply_say(m->a, &d);
}

/* Whether the record that stands there now is this row's: by its key, or because most of its cells are as they were. */
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

/* The cells that the workbook changed: those whose mark is another. */
static enum odp_status settle_cells(struct matching *m, struct apply_row *r)
{
    enum odp_status status = ODP_OK;
    bool any = false, open = false;
    for (uint32_t c = 0; c < m->s->width && status == ODP_OK; c++) {
        const struct apply_cell *cell = accepted(r, c) != NULL ? accepted(r, c) : &r->cells[c];
        struct odp_slice text = {"", 0};
        char mark[2];
        if (!cell->there)
            continue;
        correct_mark(cell->kind != ODP_CELL_EMPTY ? cell->text : (struct odp_slice){"", 0}, mark);
        if (memcmp(mark, r->id.marks.ptr + 2 * (size_t)c, 2) == 0)
            continue;
        any = true;
        status = apply_cell_quietly(m->a, m->s, c, cell, r->near != NULL ? r->near[c] : (struct odp_slice){NULL, 0}, &text);
        if (status == ODP_BAD)
            text = cell->text;
        if (status == ODP_OK && r->near != NULL && odp_slice_eq(text, r->near[c])) {
            continue; /* the source says so, too */
        }
        open = true;
        status = status == ODP_FAIL ? ODP_FAIL : say_conflict(m, r, (int)c, text);
    }
    return status == ODP_OK && any && !open ? say_already(m, r) : status;
}

static enum odp_status append(struct matching *m, struct apply_row *r)
{
    static const struct odp_text outside = {{W_repair_new_row_cannot_fill_column}};
    const struct odp_schema *schema = &m->s->resource->schema;
    struct odp_slice *text = odp_arena_zero(m->a->arena, (size_t)schema->n + 1, sizeof *text);
    for (uint32_t c = 0; c < m->s->width; c++) {
        struct odp_slice cell;
        bool edited;
        int field = field_at(m->s, c);
        if (!r->cells[c].there || r->cells[c].kind == ODP_CELL_EMPTY)
            continue;
        enum odp_status status = apply_cell_text(m->a, m->s, r, c, &r->cells[c], (struct odp_slice){NULL, 0}, false, &edited, &cell);
        if (status != ODP_OK)
            return status == ODP_FAIL ? ODP_FAIL : ODP_OK; /* a row in part is none */
        if (field >= 0) {
            text[field] = cell;
            continue;
        }
        struct odp_diag d;
        apply_diag(m->a, m->s, ODP_A24, r->sheet_row, (int)r->cells[c].at, &d);
        d.field = m->s->labels[c];
        d.message = &outside;
        return apply_say(m->a, &d);
    }
    return odp_edits_append(m->a->edits, text);
}

static enum odp_status settle(struct matching *m, struct apply_row *r)
{
    r->state = APPLY_DONE;
    if (r->found_wanted && r->action != CORRECT_DELETE)
        return say_already(m, r);
    if (r->added)
        return m->shape ? say_shape(m, r) : append(m, r);
    if (m->s->same) { /* the file is the one the workbook was made of, so the id is not */
        static const struct odp_text foreign = {{W_repair_row_id_points_no_row}};
        struct odp_diag d;
        apply_diag(m->a, m->s, ODP_A18, r->sheet_row, 0, &d);
        d.message = &foreign;
        return apply_say(m->a, &d);
    }
    const struct apply_equal *equal = apply_equal_find(m->s, r->id.digest);
    if (r->action == CORRECT_DELETE && equal != NULL && equal->there > 0) /* what is left of equal records are those that stay */
        return say_already(m, r);
    if (!is_near(m->s, r))
        r->near = NULL;
    if (r->action == CORRECT_DELETE) /* gone is what was wanted; changed is not */
        return r->near == NULL ? say_already(m, r) : say_conflict(m, r, -1, odp_slice_of(correct_action_word(CORRECT_DELETE, m->a->o->lang)));
    return settle_cells(m, r);
}

enum odp_status apply_match(struct apply *a, struct apply_sheet *s)
{
    struct matching m = {.a = a, .s = s, .shape = correct_is_shapefile(s->resource, s->path)};
    struct correct_reading to = {&m, begin, take};
    odp_buffer_init(&m.text);
    m.wanted = odp_arena_zero(a->arena, (size_t)s->width + 1, sizeof *m.wanted);
    enum odp_status status = s->same ? ODP_OK : apply_equal_count(a, s);
    if (status == ODP_OK)
        status = correct_read(s->resource, s->path, &to, a->diags);
    for (size_t i = 0; i < s->nrows && status == ODP_OK && m.fits; i++)
        if (s->rows[i].state == APPLY_OPEN)
            status = settle(&m, &s->rows[i]);
    odp_buffer_release(&m.text);
    return status == ODP_OK && !m.fits ? ODP_BAD : status;
}
