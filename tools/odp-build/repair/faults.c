/* Every fault of a run, compact: what faults have in common is held once.
 *
 *   kind    code, severity, names, file, rule, message, action: a few hundred in the worst of runs
 *   text    values, proposals, arguments: each distinct one once, in one long buffer
 *   args    a fault's four arguments as one entry: most faults of a kind share them
 *   fault   56 bytes: where it is, and numbers of the above
 *
 * The fault's source line is not kept: whoever shows it reads the source again. What is beyond the limits is counted and left out: never dropped without
 * a word, and never a reason to run out of memory. */
#include <stdlib.h>

#include "base/buffer.h"
#include "repair/repair.h"

enum {
    BLOCK = 1 << 14,                     /* faults in a block: growing never copies them */
    FAULTS_MAX = 4000000,                /* kept a run: 224 MB and their texts */
    KINDS_MAX = 20000,                   /* kept a run: messages may be of one fault alone */
    NO_TEXT = 0                          /* number of "no text at all" (ptr NULL) */
};
#define TEXTS_MAX ((size_t)256 << 20)    /* bytes of distinct texts kept a run */

struct kind {
    struct odp_diag shared;              /* dataset … message; texts and places empty */
    struct odp_text message;
};

struct fault {
    uint64_t row, line, offset;
    uint32_t column, lines;
    uint32_t kind, value, proposal, args;
    uint32_t resource;                   /* number of the list it belongs to */
};

struct args {
    uint32_t text[ODP_DIAG_ARGS];
};

/* Open addressing over numbers; 0 is an empty slot. */
struct table {
    uint32_t *slots;
    size_t cap, used;
};

struct odp_fault_list {
    struct odp_faults *all;
    const char *dataset, *resource;
    uint64_t count, dropped;
    uint32_t *order;                     /* COUNT faults by row, then arrival; NULL: not sorted since the last one came */
};

struct odp_faults {
    struct odp_diag_sink sink;
    struct odp_arena arena;              /* names and kinds */
    struct fault **blocks;
    size_t nblocks, cap_blocks;
    uint64_t count, limit;
    struct odp_buffer text;              /* a text: its length (u32), its bytes */
    size_t *text_at;                     /* by number */
    size_t ntexts, cap_texts, limit_text;
    struct args *args;
    size_t nargs, cap_args;
    struct kind **kinds;
    size_t nkinds, cap_kinds;
    struct table by_text, by_args;
    struct odp_fault_list **lists;
    size_t nlists, cap_lists;
};

/* ---- numbers for what is held once ----------------------------------------------------------------------------------------------- */

static uint64_t hash_bytes(uint64_t h, const void *ptr, size_t n)
{
    const unsigned char *p = ptr;
    for (size_t i = 0; i < n; i++)
        h = (h ^ p[i]) * 0x100000001B3u; /* FNV-1a */
    return h ^ h >> 29;
}

static struct odp_slice text_of(const struct odp_faults *f, uint32_t number)
{
    uint32_t len;
    if (number == NO_TEXT)
        return (struct odp_slice){NULL, 0};
    const char *p = f->text.ptr + f->text_at[number];
    memcpy(&len, p, sizeof len);
    return (struct odp_slice){p + sizeof len, len};
}

static uint64_t hash_of(const struct odp_faults *f, const struct table *t, uint32_t number)
{
    if (t == &f->by_args)
        return hash_bytes(0xCBF29CE484222325u, &f->args[number], sizeof f->args[number]);
    struct odp_slice s = text_of(f, number);
    return hash_bytes(0xCBF29CE484222325u, s.ptr, s.len);
}

/* Room in T for one more. */
static enum odp_status grow_table(const struct odp_faults *f, struct table *t)
{
    if (t->used + 1 <= t->cap / 4 * 3)
        return ODP_OK;
    size_t cap = t->cap != 0 ? t->cap * 2 : 256;
    uint32_t *slots = odp_realloc_array(NULL, cap, sizeof *slots);
    if (slots == NULL)
        return ODP_FAIL;
    memset(slots, 0, cap * sizeof *slots);
    for (size_t i = 0; i < t->cap; i++) {
        if (t->slots[i] == 0)
            continue;
        size_t at = (size_t)hash_of(f, t, t->slots[i]) & (cap - 1);
        while (slots[at] != 0)
            at = (at + 1) & (cap - 1);
        slots[at] = t->slots[i];
    }
    free(t->slots);
    t->slots = slots;
    t->cap = cap;
    return ODP_OK;
}

/* Room for item N (numbers begin at 1) of SIZE bytes in *P. */
static enum odp_status grow_items(void **p, size_t n, size_t *cap, size_t size)
{
    if (n < *cap)
        return ODP_OK;
    size_t more = *cap != 0 ? *cap + *cap / 2 : 256;
    void *grown = odp_realloc_array(*p, more, size);
    if (grown == NULL)
        return ODP_FAIL;
    *p = grown;
    *cap = more;
    return ODP_OK;
}

/* The number of S; DONE: there is no room left for it. */
static enum odp_status number_text(struct odp_faults *f, struct odp_slice s, uint32_t *out)
{
    *out = NO_TEXT;
    if (s.ptr == NULL)
        return ODP_OK;
    if (grow_table(f, &f->by_text) != ODP_OK)
        return ODP_FAIL;
    size_t at = (size_t)hash_bytes(0xCBF29CE484222325u, s.ptr, s.len) & (f->by_text.cap - 1);
    for (; f->by_text.slots[at] != 0; at = (at + 1) & (f->by_text.cap - 1))
        if (odp_slice_eq(text_of(f, f->by_text.slots[at]), s)) {
            *out = f->by_text.slots[at];
            return ODP_OK;
        }
    uint32_t len = (uint32_t)s.len;
    if (s.len > f->limit_text || f->text.len + s.len + sizeof len > f->limit_text)
        return ODP_DONE;
    void *items = f->text_at;
    if (grow_items(&items, f->ntexts + 1, &f->cap_texts, sizeof *f->text_at) != ODP_OK)
        return ODP_FAIL;
    f->text_at = items;
    f->text_at[f->ntexts + 1] = f->text.len;
    odp_buffer_add(&f->text, &len, sizeof len);
    odp_buffer_add(&f->text, s.ptr, s.len);
    if (odp_buffer_status(&f->text) != ODP_OK)
        return ODP_FAIL;
    *out = f->by_text.slots[at] = (uint32_t)++f->ntexts;
    f->by_text.used++;
    return ODP_OK;
}

static enum odp_status number_args(struct odp_faults *f, const struct odp_diag *d, uint32_t *out)
{
    struct args a;
    *out = 0;
    for (size_t i = 0; i < ODP_DIAG_ARGS; i++) {
        enum odp_status status = number_text(f, d->args[i], &a.text[i]);
        if (status != ODP_OK)
            return status;
    }
    if (grow_table(f, &f->by_args) != ODP_OK)
        return ODP_FAIL;
    size_t at = (size_t)hash_bytes(0xCBF29CE484222325u, &a, sizeof a) & (f->by_args.cap - 1);
    for (; f->by_args.slots[at] != 0; at = (at + 1) & (f->by_args.cap - 1))
        if (memcmp(&f->args[f->by_args.slots[at]], &a, sizeof a) == 0) {
            *out = f->by_args.slots[at];
            return ODP_OK;
        }
    void *items = f->args;
    if (grow_items(&items, f->nargs + 1, &f->cap_args, sizeof *f->args) != ODP_OK)
        return ODP_FAIL;
    f->args = items;
    f->args[++f->nargs] = a;
    *out = f->by_args.slots[at] = (uint32_t)f->nargs;
    f->by_args.used++;
    return ODP_OK;
}

/* ---- kinds and lists -------------------------------------------------------------------------------------------------------------- */

static bool same_str(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool same_kind(const struct kind *k, const struct odp_diag *d)
{
    const struct odp_diag *s = &k->shared;
    const struct odp_text none = {{NULL, NULL}};
    const struct odp_text *a = s->message != NULL ? s->message : &none, *b = d->message != NULL ? d->message : &none;
    return s->code == d->code && s->severity == d->severity && s->action == d->action && s->secret == d->secret && same_str(s->field, d->field) &&
           same_str(s->rule, d->rule) && same_str(s->resource, d->resource) && same_str(s->dataset, d->dataset) && same_str(s->file, d->file) &&
           same_str(s->sheet, d->sheet) &&
           same_str(s->where, d->where) && same_str(a->in[ODP_LANG_ID], b->in[ODP_LANG_ID]) && same_str(a->in[ODP_LANG_EN], b->in[ODP_LANG_EN]);
}

static bool keep_str(struct odp_arena *a, const char *s, const char **out)
{
    *out = s != NULL ? odp_arena_str(a, s) : NULL;
    return s == NULL || *out != NULL;
}

/* The kind of D; DONE: there is no room left for it. Kinds are few (fields x rules): the newest are looked at first, for faults of a kind come together. */
static enum odp_status number_kind(struct odp_faults *f, const struct odp_diag *d, uint32_t *out)
{
    for (size_t i = f->nkinds; i-- > 0;)
        if (same_kind(f->kinds[i], d)) {
            *out = (uint32_t)i;
            return ODP_OK;
        }
    if (f->nkinds == KINDS_MAX)
        return ODP_DONE;
    void *items = f->kinds;
    struct kind *k = odp_arena_zero(&f->arena, 1, sizeof *k);
    if (grow_items(&items, f->nkinds, &f->cap_kinds, sizeof(struct kind *)) != ODP_OK)
        return ODP_FAIL;
    f->kinds = items;
    k->shared = (struct odp_diag){.code = d->code, .severity = d->severity, .action = d->action, .secret = d->secret};
    struct odp_diag *s = &k->shared;
    if (!keep_str(&f->arena, d->dataset, &s->dataset) || !keep_str(&f->arena, d->resource, &s->resource) || !keep_str(&f->arena, d->file, &s->file) ||
        !keep_str(&f->arena, d->field, &s->field) ||
        !keep_str(&f->arena, d->sheet, &s->sheet) || !keep_str(&f->arena, d->where, &s->where) || !keep_str(&f->arena, d->rule, &s->rule))
        return ODP_FAIL;
    if (d->message != NULL) {
        for (int lang = 0; lang < ODP_LANGS; lang++)
            if (!keep_str(&f->arena, d->message->in[lang], &k->message.in[lang]))
                return ODP_FAIL;
        s->message = &k->message;
    }
    *out = (uint32_t)f->nkinds;
    f->kinds[f->nkinds++] = k;
    return ODP_OK;
}

/* The list of a resource, made when there is none; NULL without memory. */
static struct odp_fault_list *list_of(struct odp_faults *f, const char *dataset, const char *resource, uint32_t *number)
{
    for (size_t i = 0; i < f->nlists; i++)
        if (same_str(f->lists[i]->dataset, dataset) && same_str(f->lists[i]->resource, resource)) {
            *number = (uint32_t)i;
            return f->lists[i];
        }
    void *items = f->lists;
    if (grow_items(&items, f->nlists, &f->cap_lists, sizeof(struct odp_fault_list *)) != ODP_OK)
        return NULL;
    f->lists = items;
    struct odp_fault_list *l = odp_arena_zero(&f->arena, 1, sizeof *l);
    if (!keep_str(&f->arena, dataset, &l->dataset) || !keep_str(&f->arena, resource, &l->resource))
        return NULL;
    l->all = f;
    *number = (uint32_t)f->nlists;
    f->lists[f->nlists++] = l;
    return l;
}

/* ---- taking ----------------------------------------------------------------------------------------------------------------------- */

/* The place of the next fault; NULL without memory. */
static struct fault *next_fault(struct odp_faults *f)
{
    size_t block = (size_t)(f->count / BLOCK);
    if (block == f->nblocks) {
        void *items = f->blocks;
        if (grow_items(&items, f->nblocks, &f->cap_blocks, sizeof(struct fault *)) != ODP_OK)
            return NULL;
        f->blocks = items;
        f->blocks[block] = odp_realloc_array(NULL, BLOCK, sizeof(struct fault));
        if (f->blocks[block] == NULL)
            return NULL;
        f->nblocks++;
    }
    return &f->blocks[block][f->count % BLOCK];
}

static struct fault *fault_at(const struct odp_faults *f, uint64_t i)
{
    return &f->blocks[i / BLOCK][i % BLOCK];
}

static enum odp_status take(void *ctx, const struct odp_diag *d)
{
    struct odp_faults *f = ctx;
    uint32_t resource, kind, value, proposal, args;
    struct odp_fault_list *l = list_of(f, d->dataset, d->resource, &resource);
    if (l == NULL)
        return ODP_FAIL;
    enum odp_status status = f->count < f->limit ? number_kind(f, d, &kind) : ODP_DONE;
    if (status == ODP_OK)
        status = number_text(f, d->value, &value);
    if (status == ODP_OK)
        status = number_text(f, d->proposal, &proposal);
    if (status == ODP_OK)
        status = number_args(f, d, &args);
    if (status == ODP_DONE) {
        l->dropped++;
        return ODP_OK;
    }
    struct fault *fault = status == ODP_OK ? next_fault(f) : NULL;
    if (fault == NULL)
        return ODP_FAIL;
    *fault = (struct fault){.row = d->row,
                            .line = d->line,
                            .offset = d->offset,
                            .column = d->column > UINT32_MAX ? UINT32_MAX : (uint32_t)d->column,
                            .lines = d->lines,
                            .kind = kind,
                            .value = value,
                            .proposal = proposal,
                            .args = args,
                            .resource = resource};
    f->count++;
    l->count++;
    free(l->order);
    l->order = NULL;
    return ODP_OK;
}

enum odp_status odp_faults_new(struct odp_faults **out)
{
    struct odp_faults *f = odp_realloc_array(NULL, 1, sizeof *f);
    *out = f;
    if (f == NULL)
        return ODP_FAIL;
    memset(f, 0, sizeof *f);
    odp_arena_init(&f->arena);
    odp_buffer_init(&f->text);
    f->sink = (struct odp_diag_sink){take, f};
    f->limit = FAULTS_MAX;
    f->limit_text = TEXTS_MAX;
    return ODP_OK;
}

void odp_faults_limit(struct odp_faults *f, uint64_t faults, size_t bytes)
{
    f->limit = faults;
    f->limit_text = bytes;
}

void odp_faults_free(struct odp_faults *f)
{
    if (f == NULL)
        return;
    for (size_t i = 0; i < f->nblocks; i++)
        free(f->blocks[i]);
    for (size_t i = 0; i < f->nlists; i++)
        free(f->lists[i]->order);
    free(f->blocks);
    free(f->lists);
    free(f->kinds);
    free(f->args);
    free(f->text_at);
    free(f->by_text.slots);
    free(f->by_args.slots);
    odp_buffer_release(&f->text);
    odp_arena_release(&f->arena);
    free(f);
}

const struct odp_diag_sink *odp_faults_sink(struct odp_faults *f)
{
    return &f->sink;
}

/* ---- reading ---------------------------------------------------------------------------------------------------------------------- */

/* ORDER by row, stable: faults of a batch come grouped by rule, batches in the source's order, so runs are long and few pieces move far. A merge sort from
 * below; ROOM is as long as ORDER. */
static void sort_rows(const struct odp_faults *f, uint32_t *order, uint32_t *room, size_t n)
{
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t from = 0; from < n; from += 2 * width) {
            size_t mid = from + width < n ? from + width : n, end = from + 2 * width < n ? from + 2 * width : n;
            size_t a = from, b = mid, at = from;
            while (a < mid || b < end) {
                bool left = b == end || (a < mid && fault_at(f, order[a])->row <= fault_at(f, order[b])->row);
                room[at++] = order[left ? a++ : b++];
            }
        }
        memcpy(order, room, n * sizeof *order);
    }
}

static enum odp_status sort_list(struct odp_faults *f, struct odp_fault_list *l, uint32_t number)
{
    size_t n = 0, count = (size_t)l->count;
    uint32_t *order = odp_realloc_array(NULL, count + 1, sizeof *order), *room = odp_realloc_array(NULL, count + 1, sizeof *room);
    if (order == NULL || room == NULL) {
        free(order);
        free(room);
        return ODP_FAIL;
    }
    for (uint64_t i = 0; i < f->count; i++)
        if (fault_at(f, i)->resource == number)
            order[n++] = (uint32_t)i;
    sort_rows(f, order, room, n);
    free(room);
    l->order = order;
    return ODP_OK;
}

enum odp_status odp_faults_of(struct odp_faults *f, const struct odp_resource *r, const struct odp_fault_list **out)
{
    uint32_t number;
    struct odp_fault_list *l = list_of(f, r->dataset != NULL ? r->dataset->slug : NULL, r->name, &number);
    *out = l;
    if (l == NULL)
        return ODP_FAIL;
    return l->order != NULL ? ODP_OK : sort_list(f, l, number);
}

uint64_t odp_fault_list_count(const struct odp_fault_list *l)
{
    return l->count;
}

uint64_t odp_fault_list_dropped(const struct odp_fault_list *l)
{
    return l->dropped;
}

void odp_fault_list_get(const struct odp_fault_list *l, uint64_t i, struct odp_diag *out)
{
    const struct odp_faults *f = l->all;
    const struct fault *fault = fault_at(f, l->order[i]);
    *out = f->kinds[fault->kind]->shared;
    out->row = fault->row;
    out->line = fault->line;
    out->column = fault->column;
    out->offset = fault->offset;
    out->lines = fault->lines;
    out->value = text_of(f, fault->value);
    out->proposal = text_of(f, fault->proposal);
    for (size_t k = 0; k < ODP_DIAG_ARGS; k++)
        out->args[k] = text_of(f, f->args[fault->args].text[k]);
}
