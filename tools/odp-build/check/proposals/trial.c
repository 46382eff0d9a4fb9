#include "check/proposals/proposals_internal.h"

#include <stdlib.h>

#define CACHE_MOST 8192u /* entries that are kept from batch to batch */

enum odp_status odp_trials_new(struct odp_trials **out, uint32_t fields)
{
    struct odp_trials *t = calloc(1, sizeof *t);
    if (t == NULL)
        return odp_failure_memory();
    t->fields = fields;
    t->single.columns = calloc((size_t)fields + 1, sizeof *t->single.columns);
    t->order = calloc((size_t)fields + 1, sizeof *t->order);
    t->evidence = calloc((size_t)fields + 1, sizeof *t->evidence);
    t->cap = 256;
    t->known = calloc(t->cap, sizeof *t->known);
    if (t->single.columns == NULL || t->order == NULL || t->evidence == NULL || t->known == NULL) {
        odp_trials_free(t);
        return odp_failure_memory();
    }
    for (uint32_t f = 0; f < fields; f++)
        t->single.columns[f] = (struct odp_column){&t->text, &t->state};
    t->single.records = &t->record;
    t->single.nrecords = 1;
    *out = t;
    return ODP_OK;
}

void odp_trials_free(struct odp_trials *t)
{
    if (t == NULL)
        return;
    odp_arena_release(&t->texts);
    odp_arena_release(&t->candidates);
    odp_arena_release(&t->single.arena);
    free(t->single.columns);
    free(t->order);
    free(t->evidence);
    free(t->known);
    free(t);
}

void odp_trials_begin(struct odp_trials *t, uint64_t batch)
{
    t->batch = batch + 1;
    t->left = PROPOSE_WORK;
    memset(t->order, 0, t->fields);
    if (t->used <= CACHE_MOST)
        return;
    memset(t->known, 0, t->cap * sizeof *t->known);
    t->used = 0;
    odp_arena_reset(&t->texts);
}

bool odp_accepts(struct odp_check *c, uint32_t field, struct odp_slice s, struct odp_slice *canonical)
{
    struct odp_trials *t = c->w->trials;
    struct odp_check trial = {.v = c->v, .w = c->w, .b = &t->single, .n = 1, .trial = true};
    const uint8_t *applies = c->v->applies + (size_t)field * ODP_RULES;
    odp_arena_reset(&t->single.arena);
    t->text = s;
    t->state = ODP_VALUE_OK;
    t->secret = 0;
    t->traits = 0xff; /* every rule looks closely */
    trial.text = &t->text;
    trial.state = &t->state;
    trial.traits = &t->traits;
    trial.any = 0xff;
    trial.secret = &t->secret;
    for (size_t k = 0; k < ODP_RULES && !trial.refused && !trial.failed; k++)
        if (applies[k])
            odp_rules[k]->column(&trial, field);
    c->failed = c->failed || trial.failed;
    if (trial.failed || trial.refused || t->state != ODP_VALUE_OK || odp_check_listed(c, field, t->text) == 0)
        return false;
    if (canonical != NULL)
        *canonical = t->text;
    return true;
}
