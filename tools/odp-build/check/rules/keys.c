/* Keys that occur twice: primaryKey (ODP-K01), uniqueKeys (K03, rows with null excluded), unique fields
 * (B02); and the key sets that other resources refer to. Every distinct tuple is hashed once and enters its
 * set on any thread, as soon as totals and notes are known not to be records. The lines decide which record
 * came first, so merge, in order, only handles those that were seen twice. Keys of records that are wrong
 * for other reasons enter too: one fault must not cause others elsewhere.
 *
 * Most tables come in the order of their key. As long as keys ascend none can occur twice: merge sees to it
 * from batch to batch, and they are only listed. In tables they take 10 % of the CPU of a check of 1,000,000
 * records, 16 % of 4,000,000, and half as much memory again.
 *
 * Where a set has spilled, finish hands the keys that occur more than once to the keyring, and the resource
 * is read again: then a set holds those alone (`only`), and everything is reported in its place and order. */
#include <stdio.h>
#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "check/check_internal.h"

#define COPIES 65536u /* records, the first ones, whose exact copies are known as such: 1 MiB */
#define PLACES                                                                                               \
    8192u /* keys that occur twice, the first half as many of a resource, of which more than the first line  \
             is told */
#define TOLD 5u /* lines reported of each */

struct tracked {
    struct odp_key key;
    enum odp_code code; /* reported for a second one, if CHECKED; else the keys are only collected */
    bool checked;
    bool target;                   /* others refer to it */
    struct odp_keyset *set;        /* NULL: nothing is left to be found */
    bool own;                      /* the set is not the keyring's */
    const struct odp_keyset *only; /* of these keys, when the resource is read again; or NULL */
    atomic_bool ascends;           /* so far: its keys are listed, by merge */
    struct odp_buffer last;        /* of them */
};

/* A record's line in the source, and the hash of its text. */
struct copied {
    uint64_t line, hash;
};

/* Where the records of a key stand. */
struct places {
    uint64_t hi, lo;            /* of the key, and which of the resource's keys it is */
    uint64_t n, line[TOLD + 1]; /* n 0: none */
};

struct keys {
    struct tracked *tracked;
    size_t n;
    struct copied *copied; /* by line; NULL without a key that is checked */
    size_t ncopied;
    struct places *places; /* PLACES slots, open addressing; NULL until a key occurs twice */
    size_t nplaces;
    struct odp_buffer text;
};

/* One key of one batch. */
struct hashed {
    struct odp_key_entry *keys;
    uint8_t *what, *seen;
    uint32_t *order;
    bool lost;                 /* a record's key could not be read */
    bool late;                 /* its lines cannot be kept: merge fills the set, in order */
    bool listed;               /* left to merge: the keys before ascended */
    struct odp_key_order rise; /* then */
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

/* The same fields may be watched for several reasons: the first that is an error is reported, or else the
 * first that is on. */
static void watch(const struct odp_validator *v, struct keys *k, const struct odp_key *key,
                  enum odp_code code)
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
    for (size_t i = 0; i < k->n; i++) {
        if (k->tracked[i].own)
            odp_keyset_free(k->tracked[i].set);
        odp_buffer_release(&k->tracked[i].last);
    }
    odp_buffer_release(&k->text);
    free(k->copied);
    free(k->places);
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
    bool again = odp_keyring_rereads(v->keys, v->resource);
    for (size_t i = 0; i < k->n; i++) {
        struct tracked *t = &k->tracked[i];
        bool settled = again && odp_keyring_settled(v->keys, v->resource, &t->key, &t->only);
        if (settled)
            t->set = NULL; /* of a target it stays as it is */
        t->own = t->set == NULL && (!settled || t->only != NULL);
        if (t->own && odp_keyset_new(&t->set) != ODP_OK)
            return ODP_FAIL;
        if (t->own)
            odp_keyset_share(t->set, again ? NULL : odp_keyring_bound(v->keys));
        t->ascends = t->own && t->only == NULL;
    }
    return ODP_OK;
}

static enum odp_status open_rule(struct odp_validator *v, void **state, struct odp_diags *diags)
{
    size_t nsets;
    (void)odp_keyring_sets(v->keys, v->resource, &nsets);
    struct keys *k = calloc(1, sizeof *k);
    if (k == NULL)
        return odp_failure_memory();
    *state = k;
    k->tracked = calloc(1 + v->schema->nunique + v->schema->n + nsets, sizeof *k->tracked);
    return k->tracked != NULL ? collect(v, k) : odp_failure_memory();
}

static void hash_key(struct odp_check *c, const struct tracked *t, struct hashed *h)
{
    struct odp_arena *a = &c->b->arena;
    const struct odp_record *records = c->b->records;
    h->keys = odp_arena_array(a, c->n + 1u, sizeof *h->keys);
    h->what = odp_arena_alloc(a, c->n + 1u);
    h->seen = odp_arena_zero(a, c->n + 1u, 1);
    h->order = odp_arena_array(a, c->n + 1u, sizeof *h->order);
    odp_tuple_keys(c, &t->key, h->keys, h->what);
    for (uint32_t i = 0; i < c->n; i++) {
        h->lost = h->lost || h->what[i] == ODP_TUPLE_LOST;
        if (h->keys[i].line != 0)
            h->keys[i].line = (records[i].flags & ODP_RECORD_SKIP) != 0 ? 0
                              : records[i].line < ODP_KEY_LINES         ? (uint32_t)records[i].line
                                                                        : ODP_KEY_LINES;
    }
    for (uint32_t i = 0; i < c->n && t->only != NULL; i++)
        if (h->what[i] >= ODP_TUPLE_TAKE &&
            !odp_keyset_has(t->only, (struct odp_key_hash){h->keys[i].hi, h->keys[i].lo})) {
            h->keys[i].line = 0;
            h->what[i] = ODP_TUPLE_SKIP;
        }
    if (t->ascends)
        h->rise = odp_tuple_order(c, &t->key, h->keys);
    h->late = c->n > 0 && (records[0].line == 0 || records[c->n - 1].line >= ODP_KEY_LINES);
}

static void hash_rows(struct odp_check *c, void *state, void **part)
{
    const struct keys *k = state;
    struct hashed *hashed = odp_arena_zero(&c->b->arena, k->n + 1, sizeof *hashed);
    *part = hashed;
    for (size_t t = 0; t < k->n && !c->failed; t++)
        hash_key(c, &k->tracked[t], &hashed[t]);
}

/* Keys enter their sets without those of records that turned out to be none. */
static void take_keys(struct odp_check *c, void *state, void *part)
{
    const struct keys *k = state;
    struct hashed *hashed = part;
    for (size_t t = 0; t < k->n && !c->failed; t++) {
        struct hashed *h = &hashed[t];
        if (k->tracked[t].set == NULL)
            continue;
        for (uint32_t i = 0; i < c->n; i++)
            if ((c->b->records[i].flags & ODP_RECORD_SKIP) != 0)
                h->keys[i].line = 0;
        h->listed = k->tracked[t].ascends;
        if (h->late || h->listed)
            continue;
        if (k->tracked[t].only == NULL)
            odp_keyset_expect(k->tracked[t].set, odp_records_expected(c->v, c->b));
        if (odp_keyset_take(k->tracked[t].set, h->keys, c->n, h->order, h->seen) != ODP_OK)
            c->failed = true;
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
    return r->source.len > 0 && low < k->ncopied && k->copied[low].line == line &&
           k->copied[low].hash == hash_text(r);
}

/* Where the records with the key HASH of T stand, the first on FIRST. NULL: too many keys are kept already.
 */
static enum odp_status find_places(struct keys *k, const struct tracked *t, struct odp_key_hash hash,
                                   uint64_t first, struct places **out)
{
    uint64_t lo = hash.lo ^ (uint64_t)(t - k->tracked + 1) << 56;
    *out = NULL;
    if (k->places == NULL && (k->places = calloc(PLACES, sizeof *k->places)) == NULL)
        return odp_failure_memory();
    struct places *p = &k->places[hash.hi & (PLACES - 1)];
    while (p->n > 0 && (p->hi != hash.hi || p->lo != lo))
        p = p + 1 == k->places + PLACES ? k->places : p + 1;
    *out = p->n > 0 || k->nplaces < PLACES / 2 ? p : NULL;
    if (p->n == 0 && *out != NULL) {
        *p = (struct places){hash.hi, lo, 1, {first}};
        k->nplaces++;
    }
    return ODP_OK;
}

/* "2, 5, 9, … (7)": where P's records stand but for the one on LINE; into k->text. */
static enum odp_status write_places(struct keys *k, const struct places *p, uint64_t line)
{
    uint64_t told = 0;
    odp_buffer_clear(&k->text);
    for (uint64_t i = 0; i < p->n && i <= TOLD && told < TOLD; i++)
        if (p->line[i] != line)
            odp_buffer_printf(&k->text, "%s%llu", told++ > 0 ? ", " : "", (unsigned long long)p->line[i]);
    if (p->n - 1 > told)
        odp_buffer_printf(&k->text, ", … (%llu)", (unsigned long long)p->n - 1);
    return odp_buffer_status(&k->text);
}

/* The record on LINE has the key HASH, too; k->text gets where those before it stand, SLOT which places they
 * are ("": none are kept). */
static enum odp_status take_place(struct keys *k, const struct tracked *t, struct odp_key_hash hash,
                                  uint64_t first, uint64_t line, char slot[8])
{
    struct places *p, alone = {.n = 1, .line = {first}};
    slot[0] = '\0';
    if (find_places(k, t, hash, first, &p) != ODP_OK)
        return ODP_FAIL;
    if (p == NULL) {
        alone.line[alone.n++] = line;
        return write_places(k, &alone, line);
    }
    (void)snprintf(slot, 8, "%u", (unsigned)(p - k->places) % PLACES);
    if (p->n <= TOLD)
        p->line[p->n] = line;
    p->n++;
    return write_places(k, p, line);
}

/* After all were read: each example lists all records of its key, later ones too. */
static enum odp_status tell_all(const struct odp_validator *v, struct keys *k, struct odp_diags *diags)
{
    size_t n;
    const struct odp_diag_group *const *groups = odp_diags_groups(diags, &n);
    for (size_t i = 0; i < n && k->places != NULL; i++) {
        bool keys = groups[i]->code == ODP_K01 || groups[i]->code == ODP_K03 || groups[i]->code == ODP_B02;
        if (!keys || groups[i]->resource == NULL || strcmp(groups[i]->resource, v->resource->name) != 0)
            continue;
        for (const struct odp_diag_node *e = groups[i]->examples; e != NULL; e = e->next) {
            size_t slot = e->diag.args[3].len > 0 ? strtoul(e->diag.args[3].ptr, NULL, 10) : PLACES;
            if (slot < PLACES && (write_places(k, &k->places[slot], e->diag.line) != ODP_OK ||
                                  odp_diags_amend(diags, e, 0, odp_buffer_slice(&k->text)) != ODP_OK))
                return ODP_FAIL;
        }
    }
    return ODP_OK;
}

/* "id = a, tahun = 2023" of a key of several fields, if all may be shown; else "". */
static struct odp_slice tell_key(const struct odp_validator *v, const struct tracked *t, struct odp_batch *b,
                                 uint32_t i)
{
    const struct odp_validated *own = b->validated;
    struct odp_buffer text = {0};
    bool shown = t->key.n > 1 && own->secret[i] == 0;
    for (uint32_t f = 0; f < t->key.n; f++)
        shown = shown && v->schema->fields[t->key.fields[f]].is_public;
    for (uint32_t f = 0; f < t->key.n && shown; f++) {
        odp_buffer_printf(&text, "%s%s = ", f > 0 ? ", " : "", v->schema->fields[t->key.fields[f]].name);
        odp_buffer_add_slice(&text, b->columns[t->key.fields[f]].text[i]);
    }
    struct odp_slice copy = odp_arena_copy(&b->arena, odp_buffer_slice(&text));
    odp_buffer_release(&text);
    return copy.ptr != NULL && shown ? copy : (struct odp_slice){NULL, 0};
}

/* Record I has the key HASH, as the record on line FIRST had. */
struct repeated {
    uint32_t i;
    struct odp_key_hash hash;
    uint64_t first;
};

static enum odp_status report(struct odp_validator *v, struct keys *k, const struct tracked *t,
                              struct odp_batch *b, const struct repeated *again)
{
    const uint32_t i = again->i;
    struct odp_diag d;
    char slot[8];
    if (take_place(k, t, again->hash, again->first, b->records[i].line, slot) != ODP_OK)
        return ODP_FAIL;
    odp_merge_diag(v, b, i, (int)t->key.fields[0], t->code, &d);
    d.where = t->key.where;
    d.args[0] = odp_buffer_slice(&k->text);
    d.args[1] = tell_key(v, t, b, i);
    if (t->key.n > 1 && d.args[1].ptr == NULL)
        d.args[2] = d.args[0];      /* two keys that begin alike are not equal (base/diag.h) */
    d.args[3] = odp_slice_of(slot); /* for tell_all */
    if (is_copy(k, again->first, &b->records[i]))
        d.action = ODP_ACTION_DELETE_RECORD;
    return odp_merge_add(b, i, &d);
}

/* Records of B whose keys an earlier record replaced: they are second, although they were added first. */
static void mark_overtaken(struct tracked *t, struct hashed *h, const struct odp_batch *b)
{
    size_t n = b->nrecords > 0 ? odp_keyset_overtaken(t->set, (uint32_t)b->records[b->nrecords - 1].line,
                                                      h->order, b->nrecords)
                               : 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t low = 0, high = b->nrecords;
        while (low < high) {
            uint32_t mid = low + (high - low) / 2;
            if (b->records[mid].line < h->order[i])
                low = mid + 1;
            else
                high = mid;
        }
        if (low < b->nrecords && b->records[low].line == h->order[i])
            h->seen[low] = 1;
    }
}

/* The keys of a batch that were left to merge. */
static enum odp_status take_ordered(const struct odp_validator *v, struct tracked *t, struct hashed *h,
                                    const struct odp_batch *b)
{
    enum odp_status status = ODP_DONE;
    if (!h->listed)
        return ODP_OK;
    bool go_on =
        t->ascends && h->rise.ascends && !h->late &&
        (h->rise.first.ptr == NULL || odp_tuple_is_before(odp_buffer_slice(&t->last), h->rise.first));
    if (go_on) {
        status = odp_keyset_list(t->set, h->keys, b->nrecords);
        if (h->rise.last.ptr != NULL) {
            odp_buffer_clear(&t->last);
            odp_buffer_add_slice(&t->last, h->rise.last);
        }
        if (odp_buffer_status(&t->last) != ODP_OK)
            return ODP_FAIL;
    }
    if (status == ODP_DONE && t->ascends) {
        odp_keyset_expect(t->set, odp_records_expected(v, b));
        if (odp_keyset_spread(t->set) != ODP_OK)
            return ODP_FAIL;
        t->ascends = false; /* from here on other threads fill the set, too */
    }
    if (go_on || h->late)
        return status == ODP_FAIL ? ODP_FAIL : ODP_OK;
    return odp_keyset_take(t->set, h->keys, b->nrecords, h->order, h->seen);
}

static enum odp_status merge_key(struct odp_validator *v, struct keys *k, struct tracked *t, struct hashed *h,
                                 struct odp_batch *b)
{
    if (h->lost && t->target)
        v->keys_lost = true;
    if (t->set == NULL)
        return ODP_OK;
    if (take_ordered(v, t, h, b) != ODP_OK)
        return ODP_FAIL;
    if (!h->late)
        mark_overtaken(t, h, b);
    for (uint32_t i = 0; i < b->nrecords; i++) {
        struct odp_key_hash hash = {h->keys[i].hi, h->keys[i].lo};
        uint64_t first = 0;
        if (h->late && h->what[i] >= ODP_TUPLE_TAKE && (b->records[i].flags & ODP_RECORD_SKIP) == 0) {
            enum odp_status status = odp_keyset_add(t->set, hash, b->records[i].line, &first);
            if (status == ODP_FAIL)
                return ODP_FAIL;
            h->seen[i] = status == ODP_DONE;
        }
        if (!h->seen[i] || !t->checked || h->what[i] != ODP_TUPLE_TAKE)
            continue;
        if (!h->late)
            first = odp_keyset_line(t->set, hash);
        if (report(v, k, t, b, &(struct repeated){i, hash, first}) != ODP_OK)
            return ODP_FAIL;
    }
    return ODP_OK;
}

/* Codes and labels of a list that others refer to. */
static enum odp_status learn(struct odp_validator *v, struct odp_batch *b)
{
    uint32_t n = v->schema->n;
    struct odp_slice *text = odp_arena_zero(&b->arena, n + 1u, sizeof *text);
    for (uint32_t i = 0; i < b->nrecords; i++) {
        for (uint32_t f = 0; f < n; f++)
            text[f] =
                b->columns[f].state[i] == ODP_VALUE_OK ? b->columns[f].text[i] : (struct odp_slice){NULL, 0};
        if (odp_keyring_learn(v->keys, v->resource, text) != ODP_OK)
            return ODP_FAIL;
    }
    return ODP_OK;
}

static enum odp_status merge(struct odp_validator *v, void *state, void *part, struct odp_batch *b)
{
    struct keys *k = state;
    struct hashed *hashed = part;
    if (odp_keyring_learns(v->keys, v->resource) && learn(v, b) != ODP_OK)
        return ODP_FAIL;
    if (note_copies(k, b) != ODP_OK)
        return ODP_FAIL;
    for (size_t t = 0; t < k->n; t++)
        if (merge_key(v, k, &k->tracked[t], &hashed[t], b) != ODP_OK)
            return ODP_FAIL;
    return ODP_OK;
}

/* Nobody asks for these once all keys were seen, and they are as large as the table is long: what is made of
 * it next needs the room. */
static void drop_own(struct keys *k)
{
    for (size_t i = 0; i < k->n; i++)
        if (k->tracked[i].own) {
            odp_keyset_free(k->tracked[i].set);
            k->tracked[i].set = NULL;
        }
}

static enum odp_status finish(struct odp_validator *v, void *state, struct odp_diags *diags)
{
    struct keys *k = state;
    if (tell_all(v, k, diags) != ODP_OK)
        return ODP_FAIL;
    for (size_t i = 0; i < k->n; i++) {
        struct tracked *t = &k->tracked[i];
        struct odp_keyset *twice;
        if (t->set == NULL || !odp_keyset_spilled(t->set))
            continue;
        if (odp_keyset_settle(t->set, t->target, &twice) != ODP_OK) {
            odp_keyset_free(twice);
            return ODP_FAIL;
        }
        if (!t->checked) {
            odp_keyset_free(twice);
            twice = NULL;
        }
        if (odp_keyring_settled_take(v->keys, v->resource, &t->key, twice) != ODP_OK)
            return ODP_FAIL;
    }
    drop_own(k);
    return ODP_OK;
}

const struct odp_rule_kind odp_rule_keys = {.name = "keys",
                                            .open = open_rule,
                                            .close = close_rule,
                                            .rows = hash_rows,
                                            .kept = take_keys,
                                            .merge = merge,
                                            .finish = finish};
