/* The records of both versions, matched by key, and what each column shows of them. */
#include "check/drift/rows_internal.h"

#include <math.h>
#include <stdlib.h>

#include "base/decimal_small.h"

/* ---- beginning and end ---- */

static bool choose_key(struct odp_drift_rows *w, const struct odp_drift_columns *before)
{
    const struct odp_key *key = &w->resource->schema.primary;
    w->nparts = key->n;
    w->part_old = odp_arena_array(&w->arena, (size_t)key->n + 1, sizeof *w->part_old);
    w->part_number = odp_arena_array(&w->arena, (size_t)key->n + 1, sizeof *w->part_number);
    for (uint32_t k = 0; k < key->n; k++) {
        const struct odp_field *f = &w->resource->schema.fields[key->fields[k]];
        const int old = f->is_public ? rows_old(before, f) : -1;
        if (old < 0)
            return false;
        w->part_old[k] = (uint32_t)old;
        w->part_number[k] = odp_type_is_number(f->type) && odp_type_is_number(before->types[old]);
    }
    return key->n > 0;
}

/* Fields whose cells are compared: both versions have them, in one form. The day of the data moves on with
 * every version; documents are named by it. */
static void choose_columns(struct odp_drift_rows *w, const struct odp_drift_columns *before)
{
    const struct odp_resource *r = w->resource;
    w->columns = odp_arena_zero(&w->arena, (size_t)r->schema.n + 1, sizeof *w->columns);
    for (uint32_t k = 0; k < r->schema.n; k++) {
        const struct odp_field *f = &r->schema.fields[k];
        const int old = f->is_public && f->document == NULL ? rows_old(before, f) : -1;
        if (old < 0 || odp_key_has(&r->schema.primary, k) ||
            (r->primary && r->dataset->last_update_field == (int)k))
            continue;
        const bool number = odp_type_is_number(f->type) && odp_type_is_number(before->types[old]);
        if (number || f->type == before->types[old])
            w->columns[w->ncolumns++] =
                (struct row_column){.field = k, .old = (uint32_t)old, .number = number};
    }
}

/* As many records before as there are, or memory for. */
static enum odp_status make_table(struct odp_drift_rows *w, uint64_t rows, size_t memory)
{
    const size_t each = sizeof *w->keys + 4 * sizeof *w->slots + 1 + w->ncolumns * sizeof *w->cells;
    w->room = rows < memory / each ? (size_t)rows : memory / each;
    for (w->nslots = 16; w->nslots < 2 * w->room;)
        w->nslots *= 2;
    w->keys = odp_realloc_array(NULL, w->room + 1, sizeof *w->keys);
    w->cells = odp_realloc_array(NULL, w->room * w->ncolumns + 1, sizeof *w->cells);
    w->met = odp_realloc_array(NULL, w->room + 1, 1);
    w->slots = odp_realloc_array(NULL, w->nslots, sizeof *w->slots);
    if (w->keys == NULL || w->cells == NULL || w->met == NULL || w->slots == NULL)
        return ODP_FAIL;
    memset(w->slots, 0, w->nslots * sizeof *w->slots);
    memset(w->met, 0, w->room + 1);
    return ODP_OK;
}

enum odp_status odp_drift_rows_new(struct odp_drift_rows **out, const struct odp_resource *r,
                                   const struct odp_drift_columns *before, size_t memory)
{
    struct odp_drift_rows *w = *out = calloc(1, sizeof *w);
    if (w == NULL)
        return odp_failure_memory();
    w->resource = r;
    const bool keyed = choose_key(w, before);
    choose_columns(w, before);
    enum odp_status status = keyed ? make_table(w, before->rows, memory) : ODP_DONE;
    if (status == ODP_OK) {
        for (size_t i = 0; i < ODP_COUNT(w->seen); i++)
            w->seen[i] = (struct row_seen){
                NOWHERE, odp_arena_zero(&w->arena, w->ncolumns + 1, sizeof *w->seen[i].cells)};
        w->texts = odp_arena_zero(&w->arena, (size_t)r->schema.n + 1, sizeof *w->texts);
        w->groups = groups_new(w, before);
        return odp_arena_status(&w->arena);
    }
    odp_drift_rows_free(w);
    *out = NULL;
    return status;
}

void odp_drift_rows_shrink(struct odp_drift_rows *w)
{
    if (w == NULL)
        return;
    free(w->keys);
    free(w->cells);
    free(w->met);
    free(w->slots);
    w->keys = NULL;
    w->cells = w->slots = NULL;
    w->met = NULL;
}

void odp_drift_rows_free(struct odp_drift_rows *w)
{
    if (w == NULL)
        return;
    odp_drift_rows_shrink(w);
    odp_arena_release(&w->arena);
    free(w);
}

/* ---- before ---- */

enum odp_status odp_drift_rows_before(struct odp_drift_rows *w, const struct odp_slice *text)
{
    uint64_t hash;
    if (w->n == w->room) {
        w->cut = true;
        return ODP_DONE;
    }
    groups_add(w, text, false);
    if (rows_find(w, text, true, &hash) != NOWHERE || hash == 0)
        return ODP_OK;
    size_t at = hash & (w->nslots - 1);
    while (w->slots[at] != 0)
        at = (at + 1) & (w->nslots - 1);
    w->keys[w->n] = hash;
    for (uint32_t k = 0; k < w->ncolumns; k++)
        w->cells[w->n * w->ncolumns + k] = rows_hash(text[w->columns[k].old], w->columns[k].number);
    w->slots[at] = (uint32_t)++w->n;
    return odp_arena_status(&w->arena);
}

/* ---- now ---- */

static struct odp_slice keep(struct odp_drift_rows *w, struct odp_slice s)
{
    return s.ptr != NULL ? odp_arena_copy(&w->arena, s) : s;
}

/* The cell of record I and FIELD, as a diagnostic that outlives the batch. */
static void keep_place(struct odp_drift_rows *w, const struct odp_batch *b, uint32_t i, uint32_t field,
                       const struct odp_source_info *info, struct odp_diag *out)
{
    *out = (struct odp_diag){0};
    odp_batch_diag(b, (struct odp_batch_place){i, (int)field, info->column_of_field[field]}, NULL, false,
                   out);
    out->value = keep(w, out->value);
    out->source = keep(w, out->source);
    out->sheet = out->sheet != NULL ? odp_arena_str(&w->arena, out->sheet) : NULL;
}

static void note_first(struct odp_drift_rows *w, struct place *at, const struct odp_batch *b, uint32_t i,
                       uint32_t field, const struct odp_source_info *info)
{
    if (!at->there)
        keep_place(w, b, i, field, info, &at->diag);
    at->there = true;
}

/* BEFORE and NOW are one number but for its point: *POWER of ten. */
static bool is_scaled(uint32_t before, uint32_t now, int *power)
{
    *power = (int)(now >> 24) - (int)(before >> 24);
    return before != 0 && ((before ^ now) & 0xFFFFFF) == 0 && *power >= -SCALE_MAX && *power <= SCALE_MAX &&
           *power != 0;
}

/* Digits of a number that are not zeros at an end. */
static unsigned digits_of(struct odp_slice text)
{
    unsigned n = 0, zeros = 0;
    for (size_t k = 0; k < text.len; k++) {
        if (text.ptr[k] < '0' || text.ptr[k] > '9' || (text.ptr[k] == '0' && n == 0))
            continue;
        zeros = text.ptr[k] == '0' ? zeros + 1 : 0;
        n++;
    }
    return n - zeros;
}

/* The number at the end of TEXT, or (NUMBER) that it is. NAN: none. */
static double number_in(struct odp_slice text, bool number)
{
    size_t n = 0;
    unsigned scale = 0;
    int64_t m = 0;
    if (number)
        return text.ptr != NULL && odp_decimal_small(text, &m, &scale)
                   ? (double)m / (double)odp_decimal_power(scale)
                   : NAN;
    while (n < text.len && n < ODP_DECIMAL_SMALL && text.ptr[text.len - n - 1] >= '0' &&
           text.ptr[text.len - n - 1] <= '9')
        n++;
    return n > 0 && odp_decimal_read(text.ptr + text.len - n, n, '.', &m, &scale) ? (double)m : NAN;
}

/* As far from the row above as that one was from its own. */
static void take_series(struct series *s, double value)
{
    const double step = value - s->last;
    s->even += step != 0 && fabs(step - s->step) <= 1e-9 * fmax(1, fabs(value));
    s->last = value;
    s->step = step;
}

/* OWN, OTHER: what two rows had before; NOW: what the first of them has. */
static void take_step(struct step *s, uint32_t own, uint32_t other, uint32_t now)
{
    const bool same = now == other && now != own;
    s->same += same;
    s->expected += s->same > 0 && own != other;
    s->until = same ? s->expected : s->until;
}

/* Column K of the last record, against the rows above; and of those against it. */
static void take_steps(struct odp_drift_rows *w, uint32_t k)
{
    const struct row_seen *own = &w->seen[w->rows % (STEPS / 2 + 1)];
    const uint32_t own_before = w->cells[(size_t)own->old * w->ncolumns + k];
    for (unsigned step = 1; step <= STEPS / 2 && step <= w->rows; step++) {
        const struct row_seen *above = &w->seen[(w->rows - step) % (STEPS / 2 + 1)];
        if (above->old == NOWHERE)
            continue;
        const uint32_t above_before = w->cells[(size_t)above->old * w->ncolumns + k];
        w->columns[k].varies += step == 1 && own_before != above_before;
        take_step(&w->columns[k].steps[step - 1], own_before, above_before, own->cells[k]);
        take_step(&w->columns[k].steps[STEPS / 2 + step - 1], above_before, own_before, above->cells[k]);
    }
}

/* A record that has just been read: the I-th of B. */
struct row_read {
    const struct odp_batch *b;
    uint32_t i;
    const struct odp_source_info *info;
};

/* A cell that has changed from BEFORE to NOW. */
static void take_change(struct odp_drift_rows *w, struct row_column *c, uint32_t before, uint32_t now,
                        const struct row_read *r)
{
    int power;
    c->changed++;
    c->filled += before == 0;
    c->variety |= (uint64_t)1 << (now * 0x9E3779B1u >> 26);
    note_first(w, &c->first, r->b, r->i, c->field, r->info);
    if (!c->number || !is_scaled(before, now, &power))
        return;
    const unsigned digits = digits_of(r->b->columns[c->field].text[r->i]);
    c->scaled[power + SCALE_MAX] += digits >= 2;
    c->sharp[power + SCALE_MAX] += digits >= 4;
    if (digits >= 2)
        note_first(w, &c->first_scaled, r->b, r->i, c->field, r->info);
}

static void take_shared(struct odp_drift_rows *w, const struct row_seen *row, const struct row_read *r)
{
    w->shared++;
    w->met[row->old] = 1;
    for (uint32_t k = 0; k < w->ncolumns; k++) {
        struct row_column *c = &w->columns[k];
        const uint32_t before = w->cells[(size_t)row->old * w->ncolumns + k], now = row->cells[k];
        c->before += before * (uint64_t)0x9E3779B97F4A7C15u;
        c->now += now * (uint64_t)0x9E3779B97F4A7C15u;
        if (before != now)
            take_change(w, c, before, now, r);
        take_steps(w, k);
    }
}

/* A record without a counterpart: its key may be another spelling. */
static void keep_fresh(struct odp_drift_rows *w, const struct row_seen *row, const struct row_read *r)
{
    const struct odp_key *key = &w->resource->schema.primary;
    if (w->nfresh == ODP_DRIFT_FRESH || w->cut) {
        w->more_fresh++;
        return;
    }
    if (w->fresh == NULL)
        w->fresh = odp_arena_zero(&w->arena, ODP_DRIFT_FRESH, sizeof *w->fresh);
    struct row_alone *f = &w->fresh[w->nfresh++];
    f->key = odp_arena_array(&w->arena, key->n, sizeof *f->key);
    f->diag = odp_arena_zero(&w->arena, key->n, sizeof *f->diag);
    f->cells = odp_arena_array(&w->arena, w->ncolumns + 1, sizeof *f->cells);
    memcpy(f->cells, row->cells, w->ncolumns * sizeof *f->cells);
    for (uint32_t k = 0; k < key->n; k++) {
        f->key[k] = keep(w, w->texts[key->fields[k]]);
        if (w->resource->schema.fields[key->fields[k]].type == ODP_TYPE_STRING)
            keep_place(w, r->b, r->i, key->fields[k], r->info, &f->diag[k]);
    }
}

static void take_row(struct odp_drift_rows *w, const struct odp_batch *b, uint32_t i,
                     const struct odp_source_info *info)
{
    uint64_t hash;
    const struct odp_schema *s = &w->resource->schema;
    struct row_seen *row = &w->seen[w->rows % (STEPS / 2 + 1)];
    for (uint32_t f = 0; f < s->n; f++)
        w->texts[f] =
            b->columns[f].state[i] == ODP_VALUE_OK ? b->columns[f].text[i] : (struct odp_slice){NULL, 0};
    for (uint32_t k = 0; k < w->ncolumns; k++) {
        struct row_column *c = &w->columns[k];
        row->cells[k] = rows_hash(w->texts[c->field], c->number);
        if (c->number)
            take_series(&c->series, number_in(w->texts[c->field], true));
    }
    if (w->nparts == 1)
        take_series(&w->key_series, number_in(w->texts[s->primary.fields[0]], false));
    groups_add(w, w->texts, true);
    row->old = rows_find(w, w->texts, false, &hash);
    if (row->old != NOWHERE && w->met[row->old] == 0)
        take_shared(w, row, &(struct row_read){b, i, info});
    else if (row->old == NOWHERE && hash != 0)
        keep_fresh(w, row, &(struct row_read){b, i, info});
    w->rows++;
}

enum odp_status odp_drift_rows_now(struct odp_drift_rows *w, const struct odp_batch *b,
                                   const struct odp_source_info *info)
{
    for (uint32_t i = 0; i < b->nrecords; i++)
        if (!b->record_bad[i])
            take_row(w, b, i, info);
    return odp_arena_status(&w->arena);
}

/* ---- before, once more ---- */

bool odp_drift_rows_asks(const struct odp_drift_rows *w)
{
    return w->nfresh > 0 && !w->cut && w->n > w->shared && w->resource->drift.bound[ODP_DRIFT_KEYS] >= 0;
}

enum odp_status odp_drift_rows_again(struct odp_drift_rows *w, const struct odp_slice *text)
{
    uint64_t hash;
    const uint32_t at = rows_find(w, text, true, &hash);
    if (at == NOWHERE || w->met[at] != 0)
        return ODP_OK;
    if (w->ngone == ODP_DRIFT_FRESH)
        return ODP_DONE;
    if (w->gone == NULL)
        w->gone = odp_arena_zero(&w->arena, ODP_DRIFT_FRESH, sizeof *w->gone);
    struct row_alone *g = &w->gone[w->ngone++];
    g->cells = &w->cells[(size_t)at * w->ncolumns];
    g->key = odp_arena_array(&w->arena, w->nparts, sizeof *g->key);
    for (uint32_t k = 0; k < w->nparts; k++)
        g->key[k] = keep(w, text[w->part_old[k]]);
    return odp_arena_status(&w->arena);
}

/* ---- for the next version ---- */

void odp_drift_rows_note(const struct odp_drift_rows *w, struct odp_profile *now)
{
    now->shared = w->shared;
    for (size_t i = 0; i < now->n; i++)
        for (uint32_t k = 0; k < w->ncolumns; k++)
            if (strcmp(now->fields[i].name, w->resource->schema.fields[w->columns[k].field].name) == 0)
                now->fields[i].changed = (int64_t)w->columns[k].changed;
}
