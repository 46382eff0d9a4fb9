/* Keys that occur twice: primaryKey (ODP-K01), uniqueKeys (K03, rows with null excluded), unique fields (B02); and the key sets
 * that other resources refer to. Every distinct tuple is hashed once, on any thread; the sets are filled in order. Keys of
 * records that are wrong for other reasons enter too: one fault must not cause others elsewhere. */
#include <errno.h>
#include <stdlib.h>

#include "validate/rule.h"

#define AHEAD 12 /* keys fetched into the cache before their turn */

struct tracked {
    struct odp_key key;
    enum odp_code code; /* said of a second one, if CHECKED; else the keys are only collected */
    bool checked;
    bool target; /* texts are kept, for proposals */
    struct odp_keyset *set;
    bool own; /* the set is not the keyring's */
};

struct keys {
    struct tracked *tracked;
    size_t n;
    struct odp_buffer text;
};

enum { SKIP, TAKE, TAKE_QUIETLY /* its cells were reported: not another word */, LOST };

struct hashed {
    struct odp_key_hash *hash;
    uint8_t *what;
};

static bool same_fields(const struct odp_key *a, const struct odp_key *b)
{
    return a->n == b->n && (a->n == 0 || memcmp(a->fields, b->fields, a->n * sizeof *a->fields) == 0);
}

static struct tracked *find(struct keys *k, const struct odp_key *key)
{
    for (size_t i = 0; i < k->n; i++)
        if (same_fields(&k->tracked[i].key, key))
            return &k->tracked[i];
    k->tracked[k->n].key = *key;
    return &k->tracked[k->n++];
}

/* The same fields may be watched for several reasons: one is told, the first of those that are errors, or else that are on. */
static void watch(const struct odp_validator *v, struct keys *k, const struct odp_key *key, enum odp_code code)
{
    if (v->off[code])
        return;
    struct tracked *t = find(k, key);
    if (t->checked && (v->waived[code] || !v->waived[t->code]))
        return;
    t->checked = true;
    t->code = code;
    t->key.where = key->where;
}

static void close_rule(void *state)
{
    struct keys *k = state;
    for (size_t i = 0; i < k->n; i++)
        if (k->tracked[i].own)
            odp_keyset_free(k->tracked[i].set);
    odp_buffer_release(&k->text);
    free(k->tracked);
    free(k);
}

static enum odp_status collect(struct odp_validator *v, struct keys *k)
{
    const struct odp_schema *s = v->schema;
    if (s->primary.n > 0)
        watch(v, k, &s->primary, ODP_K01);
    for (size_t i = 0; i < s->nunique; i++)
        watch(v, k, &s->unique[i], ODP_K03);
    for (uint32_t f = 0; f < s->n; f++) {
        if (!s->fields[f].constraints.unique)
            continue;
        uint32_t *field = odp_arena_alloc(&v->arena, sizeof *field);
        if (field == NULL)
            return ODP_FAIL;
        *field = f;
        watch(v, k, &(struct odp_key){field, 1, s->fields[f].where}, ODP_B02);
    }
    size_t nsets;
    struct odp_ring_set *sets = odp_keyring_sets(v->keys, v->resource, &nsets);
    for (size_t i = 0; i < nsets; i++) {
        struct tracked *t = find(k, &sets[i].key);
        t->set = sets[i].set;
        t->target = true;
    }
    for (size_t i = 0; i < k->n; i++) {
        struct tracked *t = &k->tracked[i];
        t->own = t->set == NULL;
        if (t->own && odp_keyset_new(&t->set) != ODP_OK)
            return ODP_FAIL;
    }
    return ODP_OK;
}

static enum odp_status open_rule(struct odp_validator *v, void **state, struct odp_diags *diags)
{
    (void)diags;
    size_t nsets;
    (void)odp_keyring_sets(v->keys, v->resource, &nsets);
    struct keys *k = calloc(1, sizeof *k);
    if (k == NULL)
        return odp_failure_set("malloc", NULL, ENOMEM);
    *state = k;
    odp_buffer_init(&k->text);
    k->tracked = calloc(1 + v->schema->nunique + v->schema->n + nsets, sizeof *k->tracked);
    return k->tracked != NULL ? collect(v, k) : odp_failure_set("malloc", NULL, ENOMEM);
}

static void hash_rows(struct odp_check *c, void *state, void **part)
{
    const struct keys *k = state;
    struct hashed *hashed = odp_arena_array(&c->b->arena, k->n + 1, sizeof *hashed);
    if (hashed == NULL) {
        c->failed = true;
        return;
    }
    *part = hashed;
    for (size_t t = 0; t < k->n; t++) {
        hashed[t].hash = odp_arena_array(&c->b->arena, c->n + 1u, sizeof *hashed[t].hash);
        hashed[t].what = odp_arena_alloc(&c->b->arena, c->n + 1u);
        if (hashed[t].hash == NULL || hashed[t].what == NULL) {
            c->failed = true;
            return;
        }
        for (uint32_t i = 0; i < c->n; i++) {
            bool bad;
            int r = odp_tuple_hash(c->v, c->b->columns, i, &k->tracked[t].key, &bad, &hashed[t].hash[i]);
            hashed[t].what[i] = r < 0 ? LOST : r == 0 ? SKIP : bad ? TAKE_QUIETLY : TAKE;
        }
    }
}

static enum odp_status add_key(struct odp_validator *v, struct keys *k, struct tracked *t, struct odp_batch *b, uint32_t i,
                               struct odp_key_hash h, bool quietly)
{
    struct odp_slice text = {NULL, 0};
    uint64_t first;
    if (t->target && t->key.n == 1) {
        text = b->columns[t->key.fields[0]].text[i];
    } else if (t->target) {
        odp_buffer_clear(&k->text);
        odp_tuple_text(b->columns, i, &t->key, &k->text);
        if (odp_buffer_status(&k->text) != ODP_OK)
            return ODP_FAIL;
        text = (struct odp_slice){k->text.len > 0 ? k->text.ptr : "", k->text.len};
    }
    enum odp_status status = odp_keyset_add(t->set, h, b->records[i].line, text, &first);
    if (status != ODP_DONE || !t->checked || quietly)
        return status == ODP_FAIL ? ODP_FAIL : ODP_OK;
    char line[24];
    struct odp_diag d;
    odp_merge_diag(v, b, i, (int)t->key.fields[0], t->code, t->key.where, &d);
    odp_buffer_clear(&k->text);
    odp_buffer_add_u64(&k->text, first);
    size_t len = k->text.len < sizeof line ? k->text.len : sizeof line;
    if (odp_buffer_status(&k->text) != ODP_OK)
        return ODP_FAIL;
    memcpy(line, k->text.ptr, len);
    d.args[0] = (struct odp_slice){line, len};
    return odp_merge_add(b, i, &d);
}

static enum odp_status merge(struct odp_validator *v, void *state, void *part, struct odp_batch *b)
{
    struct keys *k = state;
    const struct hashed *hashed = part;
    for (size_t t = 0; t < k->n; t++) {
        struct tracked *tracked = &k->tracked[t];
        if (odp_keyset_reserve(tracked->set, odp_keyset_size(tracked->set) + b->nrecords) != ODP_OK)
            return ODP_FAIL;
        for (uint32_t i = 0; i < b->nrecords; i++) {
            uint8_t what = hashed[t].what[i];
            if (i + AHEAD < b->nrecords && hashed[t].what[i + AHEAD] != SKIP && hashed[t].what[i + AHEAD] != LOST)
                odp_keyset_prefetch(tracked->set, hashed[t].hash[i + AHEAD]);
            if (what == LOST && tracked->target)
                v->keys_lost = true;
            if (what == SKIP || what == LOST)
                continue;
            if (add_key(v, k, tracked, b, i, hashed[t].hash[i], what == TAKE_QUIETLY) != ODP_OK)
                return ODP_FAIL;
        }
    }
    return ODP_OK;
}

const struct odp_rule_kind odp_rule_keys = {
    .name = "keys", .open = open_rule, .close = close_rule, .rows = hash_rows, .merge = merge};
