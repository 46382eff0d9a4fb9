/* Keys that occur twice: primaryKey (ODP-K01), uniqueKeys (K03, rows with null excluded), unique fields (B02); and the key sets
 * that other resources refer to. Every distinct tuple is hashed once, on any thread; the sets are filled in order. Keys of
 * records that are wrong for other reasons enter too: one fault must not cause others elsewhere. */
#include <errno.h>
#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "validate/rule.h"

#define AHEAD  12     /* keys fetched into the cache before their turn */
#define COPIES 65536u /* records, the first ones, whose exact copies are known as such: 1 MiB */

struct tracked {
    struct odp_key key;
    enum odp_code code; /* said of a second one, if CHECKED; else the keys are only collected */
    bool checked;
    bool target; /* others refer to it */
    struct odp_keyset *set;
    bool own; /* the set is not the keyring's */
};

/* A record's line in the source, and the hash of its text. */
struct copied {
    uint64_t line, hash;
};

struct keys {
    struct tracked *tracked;
    size_t n;
    struct copied *copied; /* by line; NULL without a key that is checked */
    size_t ncopied;
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
    free(k->copied);
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

static uint64_t hash_text(const struct odp_record *r)
{
    return XXH3_64bits(r->source.ptr, r->source.len);
}

static enum odp_status note_copies(struct keys *k, const struct odp_batch *b)
{
    bool checked = false;
    for (size_t t = 0; t < k->n; t++)
        checked = checked || k->tracked[t].checked;
    if (!checked || b->nrecords == 0 || b->records[0].row > COPIES)
        return ODP_OK;
    struct copied *more = odp_realloc_array(k->copied, k->ncopied + b->nrecords, sizeof *more);
    if (more == NULL)
        return ODP_FAIL;
    k->copied = more;
    for (uint32_t i = 0; i < b->nrecords; i++)
        k->copied[k->ncopied++] = (struct copied){b->records[i].line, hash_text(&b->records[i])};
    return ODP_OK;
}

/* Is R, letter for letter, the record that stands on LINE? */
static bool is_copy(const struct keys *k, uint64_t line, const struct odp_record *r)
{
    size_t low = 0, high = k->ncopied;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (k->copied[mid].line < line)
            low = mid + 1;
        else
            high = mid;
    }
    return r->source.len > 0 && low < k->ncopied && k->copied[low].line == line && k->copied[low].hash == hash_text(r);
}

static enum odp_status add_key(struct odp_validator *v, struct keys *k, struct tracked *t, struct odp_batch *b, uint32_t i,
                               struct odp_key_hash h, bool quietly)
{
    uint64_t first;
    enum odp_status status = odp_keyset_add(t->set, h, b->records[i].line, (struct odp_slice){NULL, 0}, &first);
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
    if (is_copy(k, first, &b->records[i]))
        d.action = ODP_ACTION_DELETE_RECORD;
    return odp_merge_add(b, i, &d);
}

/* Codes and labels of a list that others refer to. */
static enum odp_status learn(struct odp_validator *v, struct odp_batch *b)
{
    uint32_t n = v->schema->n;
    struct odp_slice *text = odp_arena_zero(&b->arena, n + 1u, sizeof *text);
    if (text == NULL)
        return ODP_FAIL;
    for (uint32_t i = 0; i < b->nrecords; i++) {
        for (uint32_t f = 0; f < n; f++)
            text[f] = b->columns[f].state[i] == ODP_VALUE_OK ? b->columns[f].text[i] : (struct odp_slice){NULL, 0};
        if (odp_keyring_learn(v->keys, v->resource, text) != ODP_OK)
            return ODP_FAIL;
    }
    return ODP_OK;
}

static enum odp_status merge(struct odp_validator *v, void *state, void *part, struct odp_batch *b)
{
    struct keys *k = state;
    const struct hashed *hashed = part;
    if (odp_keyring_learns(v->keys, v->resource) && learn(v, b) != ODP_OK)
        return ODP_FAIL;
    if (note_copies(k, b) != ODP_OK)
        return ODP_FAIL;
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
            if (what == SKIP || what == LOST || (b->records[i].flags & ODP_RECORD_SKIP) != 0)
                continue;
            if (add_key(v, k, tracked, b, i, hashed[t].hash[i], what == TAKE_QUIETLY) != ODP_OK)
                return ODP_FAIL;
        }
    }
    return ODP_OK;
}

const struct odp_rule_kind odp_rule_keys = {
    .name = "keys", .open = open_rule, .close = close_rule, .rows = hash_rows, .merge = merge};
