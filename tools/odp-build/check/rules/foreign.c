/* Foreign keys (ODP-K02): into the finished keys of another resource, on any thread; into the resource
 * itself, or round a cycle, when the last record has been read. Keys into a rejected resource are not
 * checked, which is noted once (K04). A code that lost a zero is S04. */
#include <stdlib.h>

#include "check/check_internal.h"

enum mode { CHECK, WAIT, UNCHECKED };

struct foreign {
    enum mode *mode; /* by foreign key */
    const struct odp_keyset **set;
    struct odp_buffer text;
};

/* Work of merge for one waiting foreign key. */
struct found {
    uint32_t *record;
    struct odp_key_hash *hash;
    uint32_t n;
};

static void close_rule(void *state)
{
    struct foreign *s = state;
    odp_buffer_release(&s->text);
    free(s);
}

static enum odp_status open_rule(struct odp_validator *v, void **state, struct odp_diags *diags)
{
    const struct odp_resource *r = v->resource;
    struct foreign *s = calloc(1, sizeof *s);
    if (s == NULL)
        return odp_failure_memory();
    *state = s;
    s->mode = odp_arena_zero(&v->arena, r->nforeign + 1, sizeof *s->mode);
    s->set = odp_arena_zero(&v->arena, r->nforeign + 1, sizeof *s->set);
    for (size_t k = 0; k < r->nforeign; k++) {
        enum odp_key_state keys = odp_keyring_get(v->keys, r->foreign[k].target);
        s->set[k] = odp_keyring_target(v->keys, &r->foreign[k]);
        s->mode[k] = s->set[k] == NULL || keys == ODP_KEYS_REJECTED        ? UNCHECKED
                     : keys == ODP_KEYS_READY && r->foreign[k].target != r ? CHECK
                                                                           : WAIT;
    }
    return ODP_OK;
}

static void check_key(struct odp_check *c, const struct odp_foreign_key *fk, enum mode mode,
                      const struct odp_keyset *set, struct found *out)
{
    uint32_t first = fk->local.fields[0];
    struct odp_key_entry *keys = odp_arena_array(&c->b->arena, c->n + 1u, sizeof *keys);
    uint8_t *what = odp_arena_alloc(&c->b->arena, c->n + 1u);
    odp_tuple_keys(c, &fk->local, keys, what);
    for (uint32_t i = 0; i < c->n; i++) {
        if (what[i] != ODP_TUPLE_TAKE)
            continue;
        const struct odp_key_hash hash = {keys[i].hi, keys[i].lo};
        if (mode == CHECK) {
            if (odp_keyset_has(set, hash) || c->v->off[ODP_K02])
                continue;
            if (fk->local.n == 1) {
                c->text = c->b->columns[first].text;
                c->state = c->b->columns[first].state;
                if (odp_check_lost_zero(c, i, first))
                    continue;
            }
            struct odp_fault *f = odp_check_fault(c, i, (int)first, ODP_K02);
            f->where = fk->where;
            f->args[0] = odp_slice_of(fk->label);
            f->silent = fk->local.n > 1;
            continue;
        }
        out->record[out->n] = i;
        out->hash[out->n++] = hash;
    }
}

static void check_rows(struct odp_check *c, void *state, void **part)
{
    const struct foreign *s = state;
    const struct odp_resource *r = c->v->resource;
    struct found *found = odp_arena_zero(&c->b->arena, r->nforeign + 1, sizeof *found);
    *part = found;
    for (size_t k = 0; k < r->nforeign; k++) {
        if (s->mode[k] == UNCHECKED)
            continue;
        if (s->mode[k] == WAIT) {
            found[k].record = odp_arena_array(&c->b->arena, c->n + 1u, sizeof *found[k].record);
            found[k].hash = odp_arena_array(&c->b->arena, c->n + 1u, sizeof *found[k].hash);
        }
        check_key(c, &r->foreign[k], s->mode[k], s->set[k], &found[k]);
    }
}

static bool is_private(const struct odp_validator *v, const struct odp_key *key)
{
    for (uint32_t k = 0; k < key->n; k++)
        if (!v->schema->fields[key->fields[k]].is_public)
            return true;
    return false;
}

static enum odp_status wait_for(struct odp_validator *v, struct foreign *s, size_t k,
                                const struct odp_batch *b, uint32_t i, struct odp_key_hash hash)
{
    struct odp_diag d;
    const struct odp_foreign_key *fk = &v->resource->foreign[k];
    odp_merge_diag(v, b, i, (int)fk->local.fields[0], ODP_K02, &d);
    d.where = fk->where;
    d.args[0] = odp_slice_of(fk->label);
    odp_buffer_clear(&s->text);
    odp_tuple_text(b->columns, i, &fk->local, &s->text);
    if (odp_buffer_status(&s->text) != ODP_OK)
        return ODP_FAIL;
    struct odp_slice text = {s->text.len > 0 ? s->text.ptr : "", s->text.len};
    if (is_private(v, &fk->local))
        d.secret = true;
    return odp_keyring_wait(v->keys, v->resource, fk, &(struct odp_pending_place){hash, text, &d});
}

/* Whether HASH need not wait. The resource's own keys are just being taken, those of batches behind B by
 * other threads: what waits must not depend on how far they are. */
static bool is_there(const struct odp_validator *v, const struct foreign *s, size_t k,
                     const struct odp_batch *b, struct odp_key_hash hash)
{
    if (v->resource->foreign[k].target != v->resource)
        return odp_keyset_has(s->set[k], hash);
    uint64_t last = b->records[b->nrecords - 1].line;
    return odp_keyset_had(s->set[k], hash, last != 0 ? last : ODP_KEY_LINES);
}

static enum odp_status merge(struct odp_validator *v, void *state, void *part, struct odp_batch *b)
{
    struct foreign *s = state;
    const struct found *found = part;
    for (size_t k = 0; k < v->resource->nforeign; k++)
        for (uint32_t j = 0; j < found[k].n; j++)
            if (!is_there(v, s, k, b, found[k].hash[j]) &&
                wait_for(v, s, k, b, found[k].record[j], found[k].hash[j]) != ODP_OK)
                return ODP_FAIL;
    return ODP_OK;
}

static enum odp_status finish(struct odp_validator *v, void *state, struct odp_diags *diags)
{
    const struct foreign *s = state;
    const struct odp_resource *r = v->resource;
    for (size_t k = 0; k < r->nforeign; k++) {
        if (s->set[k] != NULL && odp_keyset_failed(s->set[k]))
            return ODP_FAIL;
        if (s->mode[k] != UNCHECKED)
            continue;
        struct odp_diag d = {.code = ODP_K04,
                             .dataset = r->dataset->slug,
                             .resource = r->name,
                             .file = v->info->file,
                             .field = v->schema->fields[r->foreign[k].local.fields[0]].name,
                             .args = {odp_slice_of(r->foreign[k].label)},
                             .where = r->foreign[k].where};
        odp_diags_add(diags, &d);
    }
    if (!odp_keyring_repeats(v->keys, r)) /* else the next reading reports everything again */
        odp_keyring_settle(v->keys, r, v->keys_lost, diags);
    return ODP_OK;
}

const struct odp_rule_kind odp_rule_foreign = {.name = "foreign",
                                               .open = open_rule,
                                               .close = close_rule,
                                               .rows = check_rows,
                                               .merge = merge,
                                               .finish = finish};
