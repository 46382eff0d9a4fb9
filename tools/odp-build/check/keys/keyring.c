/* The key sets of a run, by resource, and the references that wait for a set to be complete. */
#include <errno.h>
#include <stdlib.h>

#include "base/room.h"
#include "check/check_internal.h"

#define MAX_PARTS    64
#define RICH_PLACES  64        /* places kept with their source line; of the others only where they are */
#define NEAREST_WORK 20000000u /* comparisons of codes at most, for each foreign key that waited */

struct place {
    uint64_t line, row, offset, column;
    uint32_t key; /* index into keys */
};

struct waiting_key {
    struct odp_key_hash hash;
    struct odp_slice text;
};

/* References of one foreign key that could not be looked up when they were read. */
struct waiting {
    struct waiting *next;
    const struct odp_resource *from;
    const struct odp_foreign_key *fk;
    struct odp_arena arena;
    struct odp_keyset *seen; /* its "line" is the key's index + 1 */
    struct waiting_key *keys;
    size_t nkeys, keys_cap;
    struct place *places;
    size_t nplaces, places_cap;
    struct odp_diag rich[RICH_PLACES];
};

/* A key whose set had spilled (keyring.h). */
struct settled {
    struct odp_key key;
    struct odp_keyset *twice;
};

struct entry {
    enum odp_key_state state;
    struct odp_ring_set *sets;
    size_t nsets;
    struct settled *settled; /* since the resource was begun */
    size_t nsettled;
    bool rereads;
    struct odp_codebook *book; /* of the field `code`, when single fields refer to it; or NULL */
    uint32_t code;
    int label, other_label, successor; /* fields, or -1 */
};

struct odp_keyring {
    struct entry *entries; /* by odp_resource.index */
    size_t n;
    struct waiting *waiting;
    struct odp_key_bound bound;
};

static void waiting_free(struct waiting *w)
{
    odp_keyset_free(w->seen);
    odp_arena_release(&w->arena);
    free(w->keys);
    free(w->places);
    free(w);
}

static struct odp_ring_set *find_set(const struct entry *e, const struct odp_key *key)
{
    for (size_t i = 0; i < e->nsets; i++)
        if (odp_key_same(&e->sets[i].key, key))
            return &e->sets[i];
    return NULL;
}

static enum odp_status add_set(struct odp_keyring *k, struct entry *e, const struct odp_key *key)
{
    if (key->n == 0 || find_set(e, key) != NULL)
        return ODP_OK;
    struct odp_ring_set *sets = odp_realloc_array(e->sets, e->nsets + 1, sizeof *sets);
    if (sets == NULL)
        return ODP_FAIL;
    e->sets = sets;
    sets[e->nsets] = (struct odp_ring_set){*key, NULL};
    if (odp_keyset_new(&sets[e->nsets].set) != ODP_OK)
        return ODP_FAIL;
    odp_keyset_share(sets[e->nsets].set, &k->bound);
    e->nsets++;
    return ODP_OK;
}

/* The field that says what a code means, as catalog/records/code_lists.h has it. */
static int label_field(const struct odp_resource *r, uint32_t code)
{
    int found = odp_schema_find(&r->schema, ODP_LIT("nama"));
    for (uint32_t f = 0; found < 0 && r->dataset->reference && f < r->schema.n; f++)
        if (f != code && r->schema.fields[f].is_public && r->schema.fields[f].type == ODP_TYPE_STRING)
            found = (int)f;
    return found >= 0 && r->schema.fields[found].is_public ? found : -1;
}

static enum odp_status add_book(struct odp_keyring *k, const struct odp_resource *r, uint32_t code)
{
    struct entry *e = &k->entries[r->index];
    if (e->book != NULL || !r->schema.fields[code].is_public)
        return ODP_OK;
    e->code = code;
    e->label = label_field(r, code);
    e->other_label = odp_schema_find(&r->schema, ODP_LIT("nama_en"));
    e->successor = r->dataset->reference ? odp_schema_find(&r->schema, ODP_LIT("kode_pengganti")) : -1;
    return odp_codebook_new(&e->book);
}

/* A book for what single fields refer to; and for the other editions of such a list, whose codes may have
 * successors. */
static enum odp_status add_books(struct odp_keyring *k, const struct odp_foreign_key *fk)
{
    const struct odp_resource *target = fk->target;
    if (fk->remote.n != 1)
        return ODP_OK;
    if (add_book(k, target, fk->remote.fields[0]) != ODP_OK)
        return ODP_FAIL;
    const struct odp_dataset *d = target->dataset;
    for (size_t i = 0; d->reference && i < d->nresources; i++) {
        const struct odp_resource *r = &d->resources[i];
        if (r->schema.primary.n == 1 && odp_schema_find(&r->schema, ODP_LIT("kode_pengganti")) >= 0 &&
            add_book(k, r, r->schema.primary.fields[0]) != ODP_OK)
            return ODP_FAIL;
    }
    return ODP_OK;
}

/* ODP_KEY_MEMORY in the environment: bytes, or with K, M, G behind the number. */
static enum odp_status read_bound(size_t *out)
{
    const char *text = getenv("ODP_KEY_MEMORY"), *units = "KMG";
    char *end;
    *out = ODP_KEY_MEMORY;
    if (text == NULL || *text == '\0')
        return ODP_OK;
    unsigned long long n = strtoull(text, &end, 10);
    const char *unit = *end != '\0' ? strchr(units, *end) : NULL;
    unsigned shift = unit != NULL ? 10 * (unsigned)(unit - units + 1) : 0;
    if (*text < '0' || *text > '9' || (*end != '\0' && (unit == NULL || end[1] != '\0')) ||
        n > SIZE_MAX >> shift)
        return odp_failure_set("ODP_KEY_MEMORY", text, EINVAL);
    *out = (size_t)n << shift;
    return ODP_OK;
}

enum odp_status odp_keyring_new(struct odp_keyring **out, const struct odp_catalog *c)
{
    size_t bound;
    if (read_bound(&bound) != ODP_OK)
        return ODP_FAIL;
    struct odp_keyring *k = calloc(1, sizeof *k);
    if (k != NULL)
        k->entries = calloc(c->nresources + 1, sizeof *k->entries);
    if (k == NULL || k->entries == NULL) {
        free(k);
        return odp_failure_memory();
    }
    k->n = c->nresources;
    k->bound.limit = bound;
    for (size_t i = 0; i < c->nresources; i++)
        for (size_t j = 0; j < c->resources[i]->nforeign; j++) {
            const struct odp_foreign_key *fk = &c->resources[i]->foreign[j];
            if (fk->target != NULL && (add_set(k, &k->entries[fk->target->index], &fk->remote) != ODP_OK ||
                                       add_books(k, fk) != ODP_OK)) {
                odp_keyring_free(k);
                return ODP_FAIL;
            }
        }
    *out = k;
    return ODP_OK;
}

static void forget_settled(struct entry *e)
{
    for (size_t i = 0; i < e->nsettled; i++) {
        odp_keyset_free(e->settled[i].twice);
        free(e->settled[i].key.fields);
    }
    free(e->settled);
    e->settled = NULL;
    e->nsettled = 0;
    e->rereads = false;
}

void odp_keyring_free(struct odp_keyring *k)
{
    if (k == NULL)
        return;
    for (size_t i = 0; i < k->n; i++) {
        for (size_t j = 0; j < k->entries[i].nsets; j++)
            odp_keyset_free(k->entries[i].sets[j].set);
        free(k->entries[i].sets);
        forget_settled(&k->entries[i]);
        odp_codebook_free(k->entries[i].book);
    }
    while (k->waiting != NULL) {
        struct waiting *next = k->waiting->next;
        waiting_free(k->waiting);
        k->waiting = next;
    }
    free(k->entries);
    free(k);
}

void odp_keyring_bind(struct odp_keyring *k, size_t bytes)
{
    k->bound.limit = bytes;
}

struct odp_key_bound *odp_keyring_bound(struct odp_keyring *k)
{
    return &k->bound;
}

/* R's references and codes will come again. */
static void forget_read(struct odp_keyring *k, const struct odp_resource *r)
{
    struct entry *e = &k->entries[r->index];
    if (e->book != NULL)
        odp_codebook_clear(e->book);
    for (struct waiting **w = &k->waiting; *w != NULL;) {
        struct waiting *gone = *w;
        if (gone->from != r) {
            w = &gone->next;
            continue;
        }
        *w = gone->next;
        waiting_free(gone);
    }
}

/* Keys from elsewhere (odp_keyring_add) are settled here: nobody asks which of them occur twice. A failure is
 * kept by the set. */
static void settle_all(struct entry *e)
{
    struct odp_keyset *twice = NULL;
    for (size_t j = 0; j < e->nsets; j++) {
        if (odp_keyset_spilled(e->sets[j].set))
            (void)!odp_keyset_settle(e->sets[j].set, true, &twice);
        odp_keyset_free(twice);
        twice = NULL;
    }
}

void odp_keyring_set(struct odp_keyring *k, const struct odp_resource *r, enum odp_key_state state)
{
    struct entry *e = &k->entries[r->index];
    e->state = state;
    if (state == ODP_KEYS_READY)
        settle_all(e);
    if (state != ODP_KEYS_ABSENT)
        return;
    for (size_t j = 0; j < e->nsets; j++) {
        odp_keyset_clear(e->sets[j].set);
        odp_keyset_share(e->sets[j].set, &k->bound);
    }
    forget_settled(e);
    forget_read(k, r);
}

/* ---- sets that had spilled ---- */

enum odp_status odp_keyring_settled_take(struct odp_keyring *k, const struct odp_resource *r,
                                         const struct odp_key *key, struct odp_keyset *twice)
{
    struct entry *e = &k->entries[r->index];
    struct settled *settled = odp_realloc_array(e->settled, e->nsettled + 1, sizeof *settled);
    if (settled != NULL)
        e->settled = settled;
    uint32_t *fields =
        odp_realloc_array(NULL, key->n, sizeof *fields); /* the resource's validator goes, and KEY with it */
    if (settled == NULL || fields == NULL) {
        free(fields);
        odp_keyset_free(twice);
        return ODP_FAIL;
    }
    memcpy(fields, key->fields, key->n * sizeof *fields);
    e->settled[e->nsettled++] = (struct settled){{.fields = fields, .n = key->n}, twice};
    return ODP_OK;
}

bool odp_keyring_settled(const struct odp_keyring *k, const struct odp_resource *r, const struct odp_key *key,
                         const struct odp_keyset **twice)
{
    const struct entry *e = &k->entries[r->index];
    *twice = NULL;
    for (size_t i = 0; i < e->nsettled; i++)
        if (odp_key_same(&e->settled[i].key, key)) {
            *twice = e->settled[i].twice;
            return true;
        }
    return false;
}

bool odp_keyring_rereads(const struct odp_keyring *k, const struct odp_resource *r)
{
    return k->entries[r->index].rereads;
}

bool odp_keyring_repeats(const struct odp_keyring *k, const struct odp_resource *r)
{
    const struct entry *e = &k->entries[r->index];
    bool any = false;
    for (size_t i = 0; i < e->nsettled; i++)
        any = any || e->settled[i].twice != NULL;
    return any && !e->rereads;
}

bool odp_keyring_reread(struct odp_keyring *k, const struct odp_resource *r)
{
    struct entry *e = &k->entries[r->index];
    if (!odp_keyring_repeats(k, r))
        return false;
    e->rereads = true;
    forget_read(k, r);
    for (size_t j = 0; j < e->nsets; j++)
        if (!odp_keyset_spilled(e->sets[j].set)) {
            odp_keyset_clear(e->sets[j].set);
            odp_keyset_share(e->sets[j].set, NULL); /* it had room enough before */
        }
    return true;
}

enum odp_key_state odp_keyring_get(const struct odp_keyring *k, const struct odp_resource *r)
{
    return k->entries[r->index].state;
}

struct odp_ring_set *odp_keyring_sets(struct odp_keyring *k, const struct odp_resource *r, size_t *n)
{
    *n = k->entries[r->index].nsets;
    return k->entries[r->index].sets;
}

const struct odp_keyset *odp_keyring_target(const struct odp_keyring *k, const struct odp_foreign_key *fk)
{
    const struct odp_ring_set *s = find_set(&k->entries[fk->target->index], &fk->remote);
    return s != NULL ? s->set : NULL;
}

bool odp_keyring_learns(const struct odp_keyring *k, const struct odp_resource *r)
{
    return k->entries[r->index].book != NULL && !odp_codebook_is_full(k->entries[r->index].book);
}

static struct odp_slice text_at(const struct odp_slice *text, int field)
{
    return field >= 0 ? text[field] : (struct odp_slice){NULL, 0};
}

enum odp_status odp_keyring_learn(struct odp_keyring *k, const struct odp_resource *r,
                                  const struct odp_slice *text)
{
    const struct entry *e = &k->entries[r->index];
    if (text[e->code].ptr == NULL)
        return ODP_OK;
    const struct odp_code_facts facts = {.code = text[e->code],
                                         .label = text_at(text, e->label),
                                         .other_label = text_at(text, e->other_label),
                                         .successor = text_at(text, e->successor)};
    return odp_codebook_add(e->book, &facts);
}

struct odp_codebook *odp_keyring_book(const struct odp_keyring *k, const struct odp_foreign_key *fk)
{
    const struct entry *e = &k->entries[fk->target->index];
    return fk->remote.n == 1 && e->book != NULL && e->code == fk->remote.fields[0] ? e->book : NULL;
}

struct odp_slice odp_keyring_successor(const struct odp_keyring *k, const struct odp_foreign_key *fk,
                                       struct odp_slice code)
{
    const struct odp_dataset *d = fk->target->dataset;
    struct odp_slice found = {NULL, 0};
    for (size_t i = 0; d->reference && i < d->nresources; i++) {
        const struct entry *e = &k->entries[d->resources[i].index];
        if (e->state == ODP_KEYS_READY && e->book != NULL &&
            odp_codebook_successor(e->book, code, &found) == 1)
            break;
    }
    return found;
}

/* The hash of TEXT's fields KEY, taken as fields TYPES_OF of TARGET. False: a part is null. */
static bool hash_record(const struct odp_slice *text, const struct odp_key *key,
                        const struct odp_resource *target, const struct odp_key *types_of,
                        struct odp_slice parts[MAX_PARTS], struct odp_key_hash *hash)
{
    uint8_t types[MAX_PARTS];
    uint32_t n = key->n < MAX_PARTS ? key->n : MAX_PARTS;
    for (uint32_t i = 0; i < n; i++) {
        parts[i] = text[key->fields[i]];
        types[i] = (uint8_t)target->schema.fields[types_of->fields[i]].type;
        if (parts[i].ptr == NULL)
            return false;
    }
    *hash = odp_key_hash_of(parts, types, n);
    return true;
}

enum odp_status odp_keyring_add(struct odp_keyring *k, const struct odp_resource *r,
                                const struct odp_slice *text)
{
    struct entry *e = &k->entries[r->index];
    for (size_t j = 0; j < e->nsets; j++) {
        const struct odp_key *key = &e->sets[j].key;
        struct odp_slice parts[MAX_PARTS];
        struct odp_key_hash hash;
        uint64_t first;
        if (!hash_record(text, key, r, key, parts, &hash))
            continue;
        enum odp_status status = odp_keyset_add(e->sets[j].set, hash, 0, &first);
        if (status == ODP_FAIL)
            return ODP_FAIL;
    }
    return e->book != NULL ? odp_keyring_learn(k, r, text) : ODP_OK;
}

bool odp_keyring_resolves(const struct odp_keyring *k, const struct odp_foreign_key *key,
                          const struct odp_slice *text)
{
    struct odp_slice parts[MAX_PARTS];
    struct odp_key_hash hash;
    const struct odp_keyset *set = odp_keyring_target(k, key);
    if (k->entries[key->target->index].state != ODP_KEYS_READY || set == NULL)
        return true;
    return !hash_record(text, &key->local, key->target, &key->remote, parts, &hash) ||
           odp_keyset_has(set, hash);
}

/* ---- references that wait ---- */

static struct waiting *waiting_of(struct odp_keyring *k, const struct odp_resource *from,
                                  const struct odp_foreign_key *fk)
{
    struct waiting **end = &k->waiting;
    for (; *end != NULL; end = &(*end)->next)
        if ((*end)->from == from && (*end)->fk == fk)
            return *end;
    struct waiting *w = calloc(1, sizeof *w);
    if (w == NULL) {
        (void)odp_failure_memory();
        return NULL;
    }
    w->from = from;
    w->fk = fk;
    if (odp_keyset_new(&w->seen) != ODP_OK) {
        waiting_free(w);
        return NULL;
    }
    return *end = w;
}

static struct odp_slice copy_of(struct odp_arena *a, struct odp_slice s)
{
    return s.ptr != NULL ? odp_arena_copy(a, s) : s;
}

static enum odp_status keep_place(struct waiting *w, uint32_t key, const struct odp_diag *d)
{
    if (!odp_room(w->places, w->nplaces, w->places_cap))
        return ODP_FAIL;
    if (w->nplaces < RICH_PLACES) {
        struct odp_diag *rich = &w->rich[w->nplaces];
        *rich = *d;
        if (w->nplaces > 0)
            rich->file = w->rich[0].file;
        else if (d->file != NULL)
            rich->file = odp_arena_str(&w->arena, d->file);
        rich->value = copy_of(&w->arena, d->value);
        rich->source = copy_of(&w->arena, d->source);
    }
    w->places[w->nplaces++] = (struct place){d->line, d->row, d->offset, d->column, key};
    return ODP_OK;
}

enum odp_status odp_keyring_wait(struct odp_keyring *k, const struct odp_resource *from,
                                 const struct odp_foreign_key *fk, const struct odp_pending_place *place)
{
    struct waiting *w = waiting_of(k, from, fk);
    uint64_t first = 0;
    if (w == NULL || w->nkeys >= UINT32_MAX - 2)
        return ODP_FAIL;
    enum odp_status status = odp_keyset_add(w->seen, place->hash, w->nkeys + 1, &first);
    if (status == ODP_FAIL)
        return ODP_FAIL;
    if (status == ODP_OK) {
        if (!odp_room(w->keys, w->nkeys, w->keys_cap))
            return ODP_FAIL;
        w->keys[w->nkeys++] = (struct waiting_key){place->hash, copy_of(&w->arena, place->text)};
        first = w->nkeys;
    }
    return keep_place(w, (uint32_t)(first - 1), place->diag);
}

/* Whether every code of FK's target satisfies what its own field asks for. */
static bool same_form(const struct waiting *w)
{
    const struct odp_field *own = &w->from->schema.fields[w->fk->local.fields[0]];
    const struct odp_field *other = &w->fk->target->schema.fields[w->fk->remote.fields[0]];
    const struct odp_constraints *a = &own->constraints, *b = &other->constraints;
    return own->type == ODP_TYPE_STRING && other->type == ODP_TYPE_STRING && own->ncategories == 0 &&
           a->enumeration.n == 0 && (a->pattern.ptr == NULL || odp_slice_eq(a->pattern, b->pattern)) &&
           (a->min_length < 0 || a->min_length <= b->min_length) &&
           (a->max_length < 0 || (b->max_length >= 0 && b->max_length <= a->max_length));
}

/* What KEY was meant for, written differently or misspelt; ptr NULL: nobody can say. */
static struct odp_slice propose(struct odp_codebook *book, struct odp_slice key, uint64_t *work)
{
    struct odp_slice found = {NULL, 0};
    for (int form = ODP_CODE_FORM_CODE; form <= ODP_CODE_FORM_LABEL; form++) {
        int n = odp_codebook_find(book, key, (enum odp_code_form)form, &found);
        if (n > 0)
            return n == 1 ? found : (struct odp_slice){NULL, 0};
    }
    for (int form = ODP_CODE_FORM_CODE; form <= ODP_CODE_FORM_LABEL; form++) {
        if (*work < odp_codebook_size(book))
            return (struct odp_slice){NULL, 0};
        *work -= odp_codebook_size(book);
        int n = odp_codebook_nearest(book, key, (enum odp_code_form)form, &found);
        if (n > 0)
            return n == 1 ? found : (struct odp_slice){NULL, 0};
    }
    return (struct odp_slice){NULL, 0};
}

static void report_place(const struct waiting *w, size_t p, struct odp_slice proposal,
                         struct odp_diags *diags)
{
    const struct place *place = &w->places[p];
    struct odp_diag d = w->rich[p < RICH_PLACES ? p : 0];
    if (p >= RICH_PLACES) {
        d.line = place->line;
        d.row = place->row;
        d.offset = place->offset;
        d.column = place->column;
        d.value = w->keys[place->key].text;
        d.source = (struct odp_slice){NULL, 0};
        d.mark_start = d.mark_len = 0;
    }
    d.proposal = d.secret ? (struct odp_slice){NULL, 0} : proposal;
    odp_diags_add(diags, &d);
}

static void report_missing(const struct odp_keyring *k, const struct waiting *w, const struct odp_keyset *set,
                           struct odp_diags *diags)
{
    struct odp_codebook *book = w->fk->local.n == 1 && same_form(w) ? odp_keyring_book(k, w->fk) : NULL;
    struct odp_arena a = {0};
    struct odp_slice *proposals = odp_arena_zero(&a, w->nkeys + 1, sizeof *proposals);
    bool *looked = odp_arena_zero(&a, w->nkeys + 1, sizeof *looked);
    uint64_t work = NEAREST_WORK;
    for (size_t p = 0; p < w->nplaces; p++) {
        uint32_t key = w->places[p].key;
        if (odp_keyset_has(set, w->keys[key].hash))
            continue;
        if (book != NULL && !looked[key])
            proposals[key] = propose(book, w->keys[key].text, &work);
        looked[key] = true;
        report_place(w, p, proposals[key], diags);
    }
    odp_arena_release(&a);
}

static void note_unchecked(const struct waiting *w, struct odp_diags *diags)
{
    struct odp_diag d = {.code = ODP_K04,
                         .dataset = w->from->dataset->slug,
                         .resource = w->from->name,
                         .file = w->rich[0].file,
                         .args = {odp_slice_of(w->fk->label)},
                         .where = w->fk->where};
    odp_diags_add(diags, &d);
}

void odp_keyring_settle(struct odp_keyring *k, const struct odp_resource *r, bool lost,
                        struct odp_diags *diags)
{
    for (struct waiting **at = &k->waiting; *at != NULL;) {
        struct waiting *w = *at;
        if (w->fk->target != r) {
            at = &w->next;
            continue;
        }
        const struct odp_keyset *set = odp_keyring_target(k, w->fk);
        if (lost || set == NULL)
            note_unchecked(w, diags);
        else
            report_missing(k, w, set, diags);
        *at = w->next;
        waiting_free(w);
    }
}
