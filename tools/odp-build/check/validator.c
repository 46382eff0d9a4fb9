#include "check/validator.h"

#include <stdlib.h>
#include <string.h>

#include "check/flush.h"
#include "check/geometry.h"
#include "check/geometry_fields.h"
#include "check/proposals/trial.h"

#define BATCH_LISTINGS 256u
#define MATCH_LIMIT    200000u /* steps of PCRE2 a value; patterns of codes take some ten */
#define DEPTH_LIMIT    2000u

/* ---- life ---- */

static void read_severities(struct odp_validator *v)
{
    for (int code = 0; code < ODP_CODE_COUNT; code++) {
        enum odp_severity s = odp_code_info((enum odp_code)code)->severity;
        if (v->resource->severity != NULL && v->resource->severity[code] != -1)
            s = (enum odp_severity)v->resource->severity[code];
        v->waived[code] = s < ODP_SEVERITY_ERROR;
        v->off[code] = s == ODP_SEVERITY_OFF;
    }
}

static enum odp_status open_worker(struct odp_worker *w, uint32_t fields)
{
    odp_arena_init(&w->scratch);
    odp_buffer_init(&w->buffer);
    w->match_data = pcre2_match_data_create(1, NULL);
    w->match_context = pcre2_match_context_create(NULL);
    if (w->match_data == NULL || w->match_context == NULL)
        return odp_failure_memory();
    (void)pcre2_set_match_limit(w->match_context, MATCH_LIMIT);
    (void)pcre2_set_depth_limit(w->match_context, DEPTH_LIMIT);
    return odp_trials_new(&w->trials, fields);
}

static void close_worker(struct odp_worker *w)
{
    odp_arena_release(&w->scratch);
    odp_buffer_release(&w->buffer);
    free(w->faults);
    odp_trials_free(w->trials);
    pcre2_match_data_free(w->match_data);
    pcre2_match_context_free(w->match_context);
}

static enum odp_status open_rules(struct odp_validator *v, struct odp_diags *diags)
{
    uint32_t n = v->schema->n;
    v->applies = odp_arena_zero(&v->arena, n, ODP_RULES);
    v->holes = odp_arena_zero(&v->arena, n + 1u, sizeof *v->holes);
    for (size_t k = 0; k < ODP_RULES; k++) {
        const struct odp_rule_kind *rule = odp_rules[k];
        if (rule->open != NULL && rule->open(v, &v->state[k], diags) == ODP_FAIL)
            return ODP_FAIL;
        for (uint32_t f = 0; f < n; f++)
            v->applies[f * ODP_RULES + k] =
                rule->column != NULL && (rule->applies == NULL || rule->applies(v, f));
    }
    return ODP_OK;
}

enum odp_status odp_validator_new(struct odp_validator **out, const struct odp_resource *r,
                                  const struct odp_source_info *info, struct odp_keyring *keys,
                                  unsigned workers, struct odp_diags *diags)
{
    struct odp_validator *v = calloc(1, sizeof *v);
    if (v == NULL)
        return odp_failure_memory();
    v->resource = r;
    v->schema = &r->schema;
    v->info = info;
    v->keys = keys;
    read_severities(v);
    v->workers = calloc(workers, sizeof *v->workers);
    if (v->workers == NULL) {
        (void)odp_failure_memory();
        goto fail;
    }
    for (v->nworkers = 0; v->nworkers < workers;)
        if (open_worker(&v->workers[v->nworkers++], r->schema.n) != ODP_OK)
            goto fail;
    if (r->geometry.present && odp_geometry_checker_new(&v->geometry, &r->geometry, workers) != ODP_OK)
        goto fail;
    if (open_rules(v, diags) != ODP_OK)
        goto fail;
    *out = v;
    return ODP_OK;
fail:
    odp_validator_free(v);
    return ODP_FAIL;
}

void odp_validator_leave_labels(struct odp_validator *v)
{
    if (v->geometry != NULL)
        odp_geometry_checker_leave_labels(v->geometry);
}

void odp_validator_free(struct odp_validator *v)
{
    if (v == NULL)
        return;
    for (size_t k = 0; k < ODP_RULES; k++)
        if (odp_rules[k]->close != NULL && v->state[k] != NULL)
            odp_rules[k]->close(v->state[k]);
    for (unsigned i = 0; i < v->nworkers; i++)
        close_worker(&v->workers[i]);
    free(v->workers);
    odp_geometry_checker_free(v->geometry);
    odp_buffer_release(&v->last_update);
    odp_arena_release(&v->arena);
    free(v);
}

/* ---- a batch ---- */

static bool is_skipped(const struct odp_record *r)
{
    return (r->flags & ODP_RECORD_SKIP) != 0;
}

/* Records from FIRST to END, whose text fits into the worker's window, and whether they are all alike. */
struct stretch {
    uint32_t first, end;
    uint32_t
        width; /* cells a record, where they follow one another without a gap and none is skipped; else 0 */
    size_t bytes;
    const char *text;
    bool tame; /* all of them are */
    bool seen; /* their masks are made */
};

/* The bytes that record I was sliced from: its line, or its row of a .dbf, all of one width. */
static struct odp_slice bytes_of(const struct odp_batch *b, uint32_t i)
{
    if (b->records[i].source.ptr != NULL)
        return b->records[i].source;
    const size_t width = b->text.len / b->nrecords;
    return (struct odp_slice){b->text.len > 0 ? b->text.ptr + i * width : NULL, width};
}

/* The records from FIRST on whose text fits into one window (at least one). */
static struct stretch next_stretch(struct odp_check *c, uint32_t first, uint8_t *tame)
{
    const struct odp_record *r = c->b->records + first;
    const char *text = bytes_of(c->b, first).ptr;
    struct stretch s = {first, first, .width = r->count, .text = text, .tame = true};
    for (; s.end < c->n; s.end++, r++) {
        struct odp_slice own = bytes_of(c->b, s.end);
        size_t end =
            (size_t)((uintptr_t)own.ptr - (uintptr_t)text) + own.len; /* very large: for what comes before */
        if (end > ODP_TRAIT_WINDOW && s.end > first)
            break;
        s.bytes = end;
        tame[s.end] = (r->flags & ODP_RECORD_TAME) != 0;
        s.tame = s.tame && tame[s.end];
        if (is_skipped(r) || r->count != s.width ||
            r->first != c->b->records[first].first + (s.end - first) * s.width)
            s.width = 0;
    }
    return s;
}

/* What the cells of a column are, together. */
struct gathered {
    uint32_t holes;             /* none, or null in the source, or of a record that is skipped */
    uint32_t marks;             /* of all */
    uint32_t longest, shortest; /* bytes */
};

static inline void gather(struct gathered *all, const struct odp_cell *cell)
{
    all->marks |= cell->marks;
    all->longest = cell->len > all->longest ? cell->len : all->longest;
    all->shortest = cell->len < all->shortest ? cell->len : all->shortest;
}

/* Records whose cells do not follow one another, or are not all there. */
static void take_uneven(struct odp_check *c, uint32_t field, const struct stretch *s, struct gathered *all)
{
    struct odp_column *column = &c->b->columns[field];
    for (uint32_t i = s->first; i < s->end; i++) {
        const struct odp_cell *cell = odp_check_cell(c, i, field);
        bool skipped = is_skipped(&c->b->records[i]);
        if (skipped || cell == NULL || (cell->flags & ODP_CELL_NULL) != 0) {
            column->text[i] = (struct odp_slice){NULL, 0};
            column->state[i] = skipped ? ODP_VALUE_BAD : ODP_VALUE_NULL;
            all->shortest = 0;
            all->holes++;
            continue;
        }
        column->text[i] = (struct odp_slice){cell->ptr, cell->len};
        gather(all, cell);
    }
}

/* Records that are all alike: CELL is the first one's, the next one's is WIDTH further. False: one of them is
 * null. */
static bool take_even(struct odp_slice *text, const struct odp_cell *cell, const struct stretch *s,
                      struct gathered *into)
{
    struct gathered all = *into; /* in registers */
    const uint32_t end = s->end, width = s->width;
    for (uint32_t i = s->first; i < end; i++, cell += width) {
        text[i] = (struct odp_slice){cell->ptr, cell->len};
        gather(&all, cell);
    }
    *into = all;
    return ((struct odp_cell){.marks = all.marks}.flags & ODP_CELL_NULL) == 0;
}

/* Bytes of the shortest cell whose digits somebody wants to know. */
static size_t least_digits(const struct odp_validator *v, uint32_t field)
{
    bool asked = v->applies[(size_t)field * ODP_RULES + ODP_RULE_privacy] != 0;
    return !asked ? SIZE_MAX : odp_type_is_number(v->schema->fields[field].type) ? 16 : 8;
}

/* The column as in the source: text is the raw cell, states are OK, NULL where there is no cell, BAD in
 * skipped records. */
static void load_part(struct odp_check *c, uint32_t field, struct stretch *s, const uint8_t *tame)
{
    struct odp_column *column = &c->b->columns[field];
    struct odp_check_column *known = &c->columns[field];
    struct gathered all = {.longest = c->longest[field], .shortest = c->shortest[field]};
    const size_t least = least_digits(c->v, field);
    const int at = c->v->info->column_of_field[field];
    memset(column->state + s->first, ODP_VALUE_OK, s->end - s->first);
    if (at < 0 || (uint32_t)at >= s->width ||
        !take_even(column->text, c->b->cells + c->b->records[s->first].first + at, s, &all))
        take_uneven(c, field, s, &all);
    const struct odp_cell any = {.marks = all.marks};
    known->holes += all.holes;
    known->odd = known->odd || any.oddity != ODP_ODD_NONE;
    known->native = known->native || (any.flags & ODP_CELL_NATIVE) != 0;
    c->longest[field] = all.longest;
    c->shortest[field] = all.shortest;
    if (s->tame && all.longest < least) {
        memset(known->traits + s->first, 0, s->end - s->first);
        return;
    }
    if (!s->seen)
        odp_traits_look(&c->w->window, s->text, s->text != NULL ? s->bytes : 0, s->tame);
    s->seen = true;
    known->any |= odp_traits_of(&c->w->window, column->text + s->first, s->end - s->first, tame + s->first,
                                least, known->traits + s->first);
}

/* All columns, by stretches of records that stay in the fastest cache while their columns are filled. */
static void load_columns(struct odp_check *c)
{
    uint8_t *tame = odp_arena_alloc(&c->w->scratch, c->n + 1u);
    for (uint32_t i = 0; i < c->n;) {
        struct stretch s = next_stretch(c, i, tame);
        for (uint32_t f = 0; f < c->v->schema->n; f++)
            load_part(c, f, &s, tame);
        i = s.end;
    }
}

static void take_column(struct odp_check *c, uint32_t field)
{
    const struct odp_check_column *known = &c->columns[field];
    c->text = c->b->columns[field].text;
    c->state = c->b->columns[field].state;
    c->traits = known->traits;
    c->any = known->any;
    c->odd = known->odd;
    c->native = known->native;
    c->holes = known->holes;
    c->number = NULL;
    c->scale = NULL;
}

static void make_room(struct odp_check *c, struct odp_validated **own)
{
    struct odp_batch *b = c->b;
    uint32_t n = c->n, fields = c->v->schema->n;
    b->numbers = NULL;
    b->columns = odp_arena_zero(&b->arena, fields, sizeof *b->columns);
    c->columns = odp_arena_zero(&b->arena, fields + 1u, sizeof *c->columns);
    b->record_bad = odp_arena_alloc(&b->arena, n + 1);
    c->secret = odp_arena_zero(&b->arena, n + 1, 1);
    c->longest = odp_arena_zero(&b->arena, fields + 1u, sizeof *c->longest);
    c->shortest = odp_arena_array(&b->arena, fields + 1u, sizeof *c->shortest);
    *own = odp_arena_zero(&b->arena, 1, sizeof **own);
    for (uint32_t f = 0; f < fields; f++) {
        b->columns[f].text = odp_arena_array(&b->arena, n + 1, sizeof(struct odp_slice));
        b->columns[f].state = odp_arena_alloc(&b->arena, n + 1);
        c->columns[f].traits = odp_arena_alloc(&b->arena, n + 1);
        c->shortest[f] = UINT32_MAX;
    }
    (*own)->secret = c->secret;
    (*own)->columns = c->columns;
    b->validated = *own;
}

enum odp_status odp_validator_batch(struct odp_validator *v, struct odp_batch *b, unsigned worker)
{
    struct odp_check c = {
        .v = v, .w = &v->workers[worker], .b = b, .n = b->nrecords, .listings = BATCH_LISTINGS};
    struct odp_validated *own = NULL;
    c.w->nfaults = 0;
    odp_trials_begin(c.w->trials, b->index);
    odp_arena_reset(&c.w->scratch);
    make_room(&c, &own);
    for (uint32_t i = 0; i < c.n; i++)
        b->record_bad[i] = is_skipped(&b->records[i]);
    load_columns(&c);
    for (uint32_t f = 0; f < v->schema->n; f++) {
        const uint8_t *applies = v->applies + (size_t)f * ODP_RULES;
        take_column(&c, f);
        for (size_t k = 0; k < ODP_RULES; k++)
            if (applies[k])
                odp_rules[k]->column(&c, f);
    }
    if (odp_geometry_is_of_fields(&v->resource->geometry) &&
        odp_geometry_of_fields(b, v->info->file, c.secret) != ODP_OK)
        return ODP_FAIL;
    for (size_t k = 0; k < ODP_RULES; k++)
        if (odp_rules[k]->rows != NULL)
            odp_rules[k]->rows(&c, v->state[k], &own->part[k]);
    if (c.failed || odp_check_flush(&c) != ODP_OK)
        return ODP_FAIL;
    for (size_t k = 0; k < ODP_RULES; k++)
        if (odp_rules[k]->kept != NULL)
            odp_rules[k]->kept(&c, v->state[k], own->part[k]);
    if (c.failed)
        return ODP_FAIL;
    return v->geometry != NULL ? odp_geometry_check(v->geometry, b, worker, v->info->file) : ODP_OK;
}

enum odp_status odp_validator_merge(struct odp_validator *v, struct odp_batch *b)
{
    struct odp_validated *own = b->validated;
    v->rows += b->nrecords;
    for (uint32_t f = 0; f < v->schema->n; f++)
        v->holes[f] += own->columns[f].holes;
    for (size_t k = 0; k < ODP_RULES; k++)
        if (odp_rules[k]->merge != NULL && odp_rules[k]->merge(v, v->state[k], own->part[k], b) == ODP_FAIL)
            return ODP_FAIL;
    return ODP_OK;
}

enum odp_status odp_validator_finish(struct odp_validator *v, struct odp_diags *diags)
{
    for (size_t k = 0; k < ODP_RULES; k++)
        if (odp_rules[k]->finish != NULL && odp_rules[k]->finish(v, v->state[k], diags) == ODP_FAIL)
            return ODP_FAIL;
    for (uint32_t f = 0; f < v->schema->n; f++)
        odp_diags_tell_cells(diags,
                             &(struct odp_diag_group){.dataset = v->resource->dataset->slug,
                                                      .resource = v->resource->name,
                                                      .field = v->schema->fields[f].name},
                             v->rows - v->holes[f], v->rows);
    if (v->rows > 0)
        return ODP_OK;
    struct odp_diag d = {.code = ODP_F07,
                         .dataset = v->resource->dataset->slug,
                         .resource = v->resource->name,
                         .file = v->info->file};
    odp_diags_add(diags, &d);
    return ODP_OK;
}

uint64_t odp_validator_rows(const struct odp_validator *v)
{
    return v->rows;
}

struct odp_slice odp_validator_last_update(const struct odp_validator *v)
{
    return odp_buffer_slice(&v->last_update);
}
