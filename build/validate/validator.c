#include "validate/validate.h"

#include <errno.h>
#include <stdlib.h>

#include "validate/check.h"
#include "validate/geometry.h"
#include "validate/propose.h"

#define CLASS_DIGIT     0x80
#define MANY_DIGITS     8u /* the fewest in a personal identifier */
#define BATCH_LISTINGS 256u
#define MATCH_LIMIT     200000u /* steps of PCRE2 a value; patterns of codes take some ten */
#define DEPTH_LIMIT     2000u

/* ---- life -------------------------------------------------------------------------------------------------------------- */

static void classify_bytes(uint8_t byte_class[256])
{
    for (unsigned b = 0; b < 256; b++) {
        uint8_t bits = 0;
        if ((b < 0x20 && b != '\t' && b != '\n' && b != '\r') || b == 0x7f)
            bits |= ODP_TRAIT_CONTROL;
        if (b >= 0x80)
            bits |= ODP_TRAIT_HIGH;
        if (b == '@')
            bits |= ODP_TRAIT_AT;
        if (b == '#')
            bits |= ODP_TRAIT_HASH;
        if (b == 'E' || b == 'e')
            bits |= ODP_TRAIT_EXPONENT;
        if (b >= '0' && b <= '9')
            bits |= CLASS_DIGIT;
        byte_class[b] = bits;
    }
}

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
        return odp_failure_set("malloc", NULL, ENOMEM);
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
    if (v->applies == NULL)
        return ODP_FAIL;
    for (size_t k = 0; k < ODP_RULES; k++) {
        const struct odp_rule_kind *rule = odp_rules[k];
        if (rule->open != NULL && rule->open(v, &v->state[k], diags) == ODP_FAIL)
            return ODP_FAIL;
        for (uint32_t f = 0; f < n; f++)
            v->applies[f * ODP_RULES + k] = rule->column != NULL && (rule->applies == NULL || rule->applies(v, f));
    }
    return ODP_OK;
}

enum odp_status odp_validator_new(struct odp_validator **out, const struct odp_resource *r, const struct odp_source_info *info,
                                  struct odp_keyring *keys, unsigned workers, struct odp_diags *diags)
{
    struct odp_validator *v = calloc(1, sizeof *v);
    if (v == NULL)
        return odp_failure_set("malloc", NULL, ENOMEM);
    odp_arena_init(&v->arena);
    odp_buffer_init(&v->last_update);
    v->resource = r;
    v->schema = &r->schema;
    v->info = info;
    v->keys = keys;
    classify_bytes(v->byte_class);
    read_severities(v);
    v->workers = calloc(workers, sizeof *v->workers);
    if (v->workers == NULL) {
        (void)odp_failure_set("malloc", NULL, ENOMEM);
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

/* ---- a batch ----------------------------------------------------------------------------------------------------------- */

/* May the byte begin or end white space? For bytes beyond ASCII the rule looks closer. */
static bool may_be_space(unsigned char b)
{
    return b == ' ' || (b >= '\t' && b <= '\r') || b >= 0x80;
}

static uint8_t traits_of(const uint8_t byte_class[256], const struct odp_cell *cell)
{
    const unsigned char *p = (const unsigned char *)cell->ptr;
    uint32_t digits = 0;
    uint8_t all = 0;
    if (cell->len == 0)
        return 0;
    for (uint32_t k = 0; k < cell->len; k++) {
        uint8_t bits = byte_class[p[k]];
        all |= bits;
        digits += bits >> 7;
    }
    all &= (uint8_t)~CLASS_DIGIT;
    if (digits >= MANY_DIGITS)
        all |= ODP_TRAIT_DIGITS;
    if (may_be_space(p[0]) || may_be_space(p[cell->len - 1]))
        all |= ODP_TRAIT_EDGE;
    return all;
}

/* The column as it stands in the source: text is the raw cell, states are OK, NULL where there is no cell, BAD in skipped
 * records. */
static void load_column(struct odp_check *c, uint32_t field)
{
    struct odp_column *column = &c->b->columns[field];
    c->text = column->text;
    c->state = column->state;
    c->any = 0;
    uint32_t longest = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        const struct odp_cell *cell = odp_check_cell(c, i, field);
        bool skipped = (c->b->records[i].flags & ODP_RECORD_SKIP) != 0;
        if (skipped || cell == NULL || (cell->flags & ODP_CELL_NULL) != 0) {
            c->text[i] = (struct odp_slice){NULL, 0};
            c->state[i] = skipped ? ODP_VALUE_BAD : ODP_VALUE_NULL;
            c->traits[i] = 0;
            continue;
        }
        c->text[i] = (struct odp_slice){cell->ptr != NULL ? cell->ptr : "", cell->len};
        c->state[i] = ODP_VALUE_OK;
        longest = cell->len > longest ? cell->len : longest;
        c->traits[i] = traits_of(c->v->byte_class, cell);
        c->any |= c->traits[i];
    }
    c->longest[field] = longest;
}

static enum odp_status make_room(struct odp_check *c, struct odp_validated **own)
{
    struct odp_batch *b = c->b;
    uint32_t n = c->n, fields = c->v->schema->n;
    b->columns = odp_arena_zero(&b->arena, fields, sizeof *b->columns);
    b->record_bad = odp_arena_zero(&b->arena, n + 1, 1);
    c->traits = odp_arena_alloc(&b->arena, n + 1);
    c->secret = odp_arena_zero(&b->arena, n + 1, 1);
    c->longest = odp_arena_zero(&b->arena, fields + 1u, sizeof *c->longest);
    *own = odp_arena_zero(&b->arena, 1, sizeof **own);
    if (b->columns == NULL || b->record_bad == NULL || c->traits == NULL || c->secret == NULL || c->longest == NULL || *own == NULL)
        return ODP_FAIL;
    for (uint32_t f = 0; f < fields; f++) {
        b->columns[f].text = odp_arena_array(&b->arena, n + 1, sizeof(struct odp_slice));
        b->columns[f].state = odp_arena_alloc(&b->arena, n + 1);
        if (b->columns[f].text == NULL || b->columns[f].state == NULL)
            return ODP_FAIL;
    }
    (*own)->secret = c->secret;
    b->validated = *own;
    return ODP_OK;
}

enum odp_status odp_validator_batch(struct odp_validator *v, struct odp_batch *b, unsigned worker)
{
    struct odp_check c = {.v = v, .w = &v->workers[worker], .b = b, .n = b->nrecords, .listings = BATCH_LISTINGS};
    struct odp_validated *own = NULL;
    c.w->nfaults = 0;
    odp_trials_begin(c.w->trials, b->index);
    odp_arena_reset(&c.w->scratch);
    if (make_room(&c, &own) != ODP_OK)
        return ODP_FAIL;
    for (uint32_t i = 0; i < c.n; i++)
        b->record_bad[i] = (b->records[i].flags & ODP_RECORD_SKIP) != 0;
    for (uint32_t f = 0; f < v->schema->n; f++) {
        const uint8_t *applies = v->applies + (size_t)f * ODP_RULES;
        load_column(&c, f);
        for (size_t k = 0; k < ODP_RULES; k++)
            if (applies[k])
                odp_rules[k]->column(&c, f);
    }
    for (size_t k = 0; k < ODP_RULES; k++)
        if (odp_rules[k]->rows != NULL)
            odp_rules[k]->rows(&c, v->state[k], &own->part[k]);
    if (c.failed || odp_check_flush(&c) != ODP_OK)
        return ODP_FAIL;
    return v->geometry != NULL ? odp_geometry_check(v->geometry, b, worker, v->info->file) : ODP_OK;
}

enum odp_status odp_validator_merge(struct odp_validator *v, struct odp_batch *b)
{
    struct odp_validated *own = b->validated;
    v->rows += b->nrecords;
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
    if (v->rows > 0)
        return ODP_OK;
    struct odp_diag d = {
        .code = ODP_F07, .dataset = v->resource->dataset->slug, .resource = v->resource->name, .file = v->info->file};
    return odp_diags_add(diags, &d) == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

uint64_t odp_validator_rows(const struct odp_validator *v)
{
    return v->rows;
}

struct odp_slice odp_validator_last_update(const struct odp_validator *v)
{
    return odp_buffer_slice(&v->last_update);
}
