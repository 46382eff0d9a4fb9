/* The collector. Groups are in order of first arrival and are found through an open-addressed table; a
 * million faults of one kind cost two look-ups and an increment each, since text is copied only for the
 * examples that are kept. Repeated strings of examples (file, where) are interned. */
#include "base/diag.h"

#include <stdlib.h>

#include "base/buffer.h"
#include "base/diag_text.h"

struct table {
    void **slots;
    size_t cap, used; /* cap is a power of two or 0 */
};

struct odp_diags {
    struct odp_arena arena;
    struct odp_arena passing; /* examples for the sink alone: reset after each */
    struct odp_buffer scratch;
    size_t limit;
    struct odp_diag_group **groups;
    size_t count, nlines;
    struct table by_key, by_value, strings;
    uint64_t by_severity[ODP_SEVERITY_ERROR + 1], by_code[ODP_CODE_COUNT];
    const signed char *overrides;
    bool strict;
    const struct odp_diag_sink *sink;
    bool failed;
};

enum odp_status odp_diags_new(struct odp_diags **out, size_t limit)
{
    struct odp_diags *d = calloc(1, sizeof *d);
    *out = d;
    if (d == NULL)
        return odp_failure_memory();
    d->limit = limit;
    return ODP_OK;
}

void odp_diags_free(struct odp_diags *d)
{
    if (d == NULL)
        return;
    odp_arena_release(&d->arena);
    odp_arena_release(&d->passing);
    odp_buffer_release(&d->scratch);
    free(d);
}

void odp_diags_clear(struct odp_diags *d)
{
    odp_arena_reset(&d->arena);
    d->by_key = d->by_value = d->strings = (struct table){0};
    d->groups = NULL;
    d->count = d->nlines = 0;
    memset(d->by_severity, 0, sizeof d->by_severity);
    memset(d->by_code, 0, sizeof d->by_code);
}

static uint64_t hash_str(uint64_t h, const char *s)
{
    if (s != NULL)
        for (; *s != '\0'; s++)
            h = (h ^ (unsigned char)*s) * 0x100000001B3u; /* FNV-1a */
    return (h ^ 0xFF) * 0x100000001B3u;
}

static uint64_t hash_slice(uint64_t h, struct odp_slice s)
{
    for (size_t i = 0; i < s.len; i++)
        h = (h ^ (unsigned char)s.ptr[i]) * 0x100000001B3u;
    return (h ^ (s.ptr == NULL ? 0xFE : 0xFF)) * 0x100000001B3u;
}

static uint64_t group_hash(const void *item)
{
    const struct odp_diag_group *g = item;
    uint64_t h = 0xCBF29CE484222325u ^ ((uint64_t)g->code << 8 | (uint64_t)g->severity);
    h = hash_str(h, g->dataset);
    h = hash_str(h, g->resource);
    h = hash_str(h, g->field);
    h = hash_str(h, g->rule);
    return h ^ h >> 29;
}

static bool group_same(const void *x, const void *y)
{
    const struct odp_diag_group *a = x, *b = y;
    return a->code == b->code && a->severity == b->severity && odp_str_eq(a->field, b->field) &&
           odp_str_eq(a->rule, b->rule) && odp_str_eq(a->resource, b->resource) &&
           odp_str_eq(a->dataset, b->dataset);
}

/* Equal faults of a group have this hash. It does not look at secret values. */
static uint64_t value_hash(const struct odp_diag *d)
{
    /* Args 0 and 3 of a key tell where the others are. */
    const bool key = d->code == ODP_K01 || d->code == ODP_K03 || d->code == ODP_B02;
    uint64_t h = 0xCBF29CE484222325u ^ (uint64_t)d->cause << 8 ^ (uint64_t)d->action;
    h = hash_slice(h, d->secret ? (struct odp_slice){NULL, 0} : d->value);
    h = hash_slice(h, d->proposal);
    for (size_t i = 0; i < ODP_DIAG_ARGS; i++)
        if (!key || i == 1 || i == 2)
            h = hash_slice(h, d->args[i]);
    for (int lang = 0; d->message != NULL && lang < ODP_LANGS; lang++)
        h = hash_str(h, d->message->in[lang]);
    return h ^ h >> 29;
}

static uint64_t node_hash(const void *item)
{
    const struct odp_diag_node *n = item;
    return n->key ^ (uint64_t)n->group * 0x9E3779B97F4A7C15u;
}

static bool node_same(const void *x, const void *y)
{
    const struct odp_diag_node *a = x, *b = y;
    return a->key == b->key && a->group == b->group &&
           (a->masked || b->masked || odp_slice_eq(a->diag.value, b->diag.value));
}

static uint64_t string_hash(const void *item)
{
    uint64_t h = hash_str(0xCBF29CE484222325u, item);
    return h ^ h >> 29;
}

static bool string_same(const void *a, const void *b)
{
    return strcmp(a, b) == 0;
}

/* The slot of an item equal to KEY, or the empty one it belongs in. There is always an empty one. */
static void **table_find(const struct table *t, const void *key, uint64_t (*hash)(const void *),
                         bool (*same)(const void *, const void *))
{
    size_t i = (size_t)hash(key) & (t->cap - 1);
    while (t->slots[i] != NULL && !same(t->slots[i], key))
        i = (i + 1) & (t->cap - 1);
    return &t->slots[i];
}

/* Makes room for one more; what it had before stays in the arena until it is reset. */
static void table_grow(struct odp_arena *a, struct table *t, uint64_t (*hash)(const void *),
                       bool (*same)(const void *, const void *))
{
    if (t->used + 1 <= t->cap / 2)
        return;
    struct table bigger = {.cap = t->cap != 0 ? t->cap * 2 : 64, .used = t->used};
    bigger.slots = odp_arena_zero(a, bigger.cap, sizeof *bigger.slots);
    for (size_t i = 0; i < t->cap; i++)
        if (t->slots[i] != NULL)
            *table_find(&bigger, t->slots[i], hash, same) = t->slots[i];
    *t = bigger;
}

/* The collector's own copy of S, which may be NULL. */
static const char *intern(struct odp_diags *d, const char *s)
{
    if (s == NULL)
        return NULL;
    table_grow(&d->arena, &d->strings, string_hash, string_same);
    void **slot = table_find(&d->strings, s, string_hash, string_same);
    if (*slot == NULL) {
        *slot = odp_arena_str(&d->arena, s);
        d->strings.used++;
    }
    return *slot;
}

/* The group equal to KEY, made at the end where it is new. */
static struct odp_diag_group *group_of(struct odp_diags *d, const struct odp_diag_group *key)
{
    table_grow(&d->arena, &d->by_key, group_hash, group_same);
    void **slot = table_find(&d->by_key, key, group_hash, group_same);
    if (*slot != NULL)
        return *slot;
    struct odp_diag_group *g = odp_arena_zero(&d->arena, 1, sizeof *g);
    g->dataset = intern(d, key->dataset);
    g->resource = intern(d, key->resource);
    g->field = intern(d, key->field);
    g->rule = intern(d, key->rule);
    g->code = key->code;
    g->severity = key->severity;
    g->number = (uint32_t)d->count;
    *slot = g;
    d->by_key.used++;
    d->groups = odp_arena_more(&d->arena, d->groups, d->count, sizeof(struct odp_diag_group *));
    d->groups[d->count++] = g;
    return g;
}

/* An example for G in A, sharing its names; the rest of FROM copied as it is. */
static struct odp_diag_node *add_node(struct odp_diags *d, struct odp_arena *a, struct odp_diag_group *g,
                                      const struct odp_diag *from)
{
    struct odp_diag_node *node = odp_arena_alloc(a, sizeof *node);
    *node = (struct odp_diag_node){.diag = *from, .count = 1, .group = g->number};
    node->diag.severity = g->severity;
    node->diag.dataset = g->dataset;
    node->diag.resource = g->resource;
    node->diag.field = g->field;
    node->diag.rule = g->rule;
    node->diag.file = intern(d, from->file);
    node->diag.where = intern(d, from->where);
    node->diag.sheet = intern(d, from->sheet);
    node->diag.label = intern(d, from->label);
    if (from->message != NULL) {
        struct odp_text *message = odp_arena_zero(a, 1, sizeof *message);
        for (int lang = 0; lang < ODP_LANGS; lang++)
            message->in[lang] = intern(d, from->message->in[lang]);
        node->diag.message = message;
    }
    return node;
}

/* SLOT: its place among the examples by value, or NULL. */
static void keep_node(struct odp_diags *d, struct odp_diag_group *g, struct odp_diag_node *node, void **slot)
{
    if (g->last != NULL)
        g->last->next = node;
    else
        g->examples = node;
    g->last = node;
    g->part[node->diag.cause].kept++;
    g->kept++;
    if (slot == NULL)
        return;
    *slot = node;
    d->by_value.used++;
}

/* Lines FIRST to LAST have one fault of RUNS each. */
static void add_lines(struct odp_diags *d, struct odp_diag_runs *runs, uint64_t first, uint64_t last)
{
    struct odp_diag_lines *run = runs->last;
    if (run != NULL && first >= run->first && first <= run->last + 1) {
        run->last = last > run->last ? last : run->last;
        return;
    }
    if (first == 0 || runs->n == ODP_DIAG_RUNS_GROUP || d->nlines == ODP_DIAG_RUNS) {
        runs->unlisted += last - first + 1;
        return;
    }
    run = odp_arena_alloc(&d->arena, sizeof *run);
    *run = (struct odp_diag_lines){.first = first, .last = last};
    if (runs->last != NULL)
        runs->last->next = run;
    else
        runs->first = run;
    runs->last = run;
    runs->n++;
    d->nlines++;
}

static void merge_lines(struct odp_diags *d, struct odp_diag_runs *runs, const struct odp_diag_runs *from)
{
    for (const struct odp_diag_lines *run = from->first; run != NULL; run = run->next)
        add_lines(d, runs, run->first, run->last);
    runs->unlisted += from->unlisted;
}

/* NODE, an example that was there, stands for the faults of MORE too. */
static void join(struct odp_diags *d, struct odp_diag_node *node, const struct odp_diag_node *more)
{
    if (node->count == 1)
        add_lines(d, &node->rows, node->diag.line, node->diag.line);
    if (more->count == 1)
        add_lines(d, &node->rows, more->diag.line, more->diag.line);
    else
        merge_lines(d, &node->rows, &more->rows);
    node->count += more->count;
}

/* Equal faults of a field in records become one example. Each place of a descriptor keeps its own. */
static bool joins(const struct odp_diags *d, const struct odp_diag_group *g, const struct odp_diag *diag)
{
    return g->field != NULL && diag->row > 0 && d->limit != SIZE_MAX && d->limit > 0;
}

/* The slot of the example that equals NODE, or the free one for it. */
static void **place_of_equal(struct odp_diags *d, const struct odp_diag_node *node)
{
    table_grow(&d->arena, &d->by_value, node_hash, node_same);
    return table_find(&d->by_value, node, node_hash, node_same);
}

static enum odp_severity severity_of(const struct odp_diags *d, const struct odp_diag *diag)
{
    enum odp_severity severity = diag->severity;
    if (severity == ODP_SEVERITY_OFF) {
        signed char override = d->overrides != NULL ? d->overrides[diag->code] : (signed char)-1;
        severity = override >= 0 ? (enum odp_severity) override : odp_code_info(diag->code)->severity;
    }
    return d->strict && severity == ODP_SEVERITY_WARNING ? ODP_SEVERITY_ERROR : severity;
}

/* DIAG as an example of G, or as one more of an example; for the sink in any case. */
static enum odp_status take_example(struct odp_diags *d, struct odp_diag_group *g,
                                    const struct odp_diag *diag)
{
    struct odp_diag_node bare = {.diag = *diag, .count = 1, .group = g->number, .masked = diag->secret};
    if (d->limit > 0)
        bare.key = value_hash(diag);
    void **slot = joins(d, g, diag) ? place_of_equal(d, &bare) : NULL;
    bool again = slot != NULL && *slot != NULL, kept = !again && g->part[diag->cause].kept < d->limit;
    if (again)
        join(d, *slot, &bare);
    if (!kept && d->sink == NULL)
        return ODP_OK;
    struct odp_arena *a = kept ? &d->arena : &d->passing;
    struct odp_diag_node *node = add_node(d, a, g, diag);
    node->key = bare.key;
    if (odp_diag_copy_text(a, &d->scratch, diag, &node->diag) != ODP_OK ||
        (d->sink != NULL && d->sink->take(d->sink->ctx, &node->diag) != ODP_OK))
        return ODP_FAIL;
    node->masked = !odp_slice_eq(diag->value, node->diag.value);
    if (kept)
        keep_node(d, g, node, slot);
    else
        odp_arena_reset(&d->passing);
    return ODP_OK;
}

static enum odp_status add(struct odp_diags *d, const struct odp_diag *diag)
{
    struct odp_diag_group key = {.code = diag->code,
                                 .severity = severity_of(d, diag),
                                 .dataset = diag->dataset,
                                 .resource = diag->resource,
                                 .field = diag->field,
                                 .rule = diag->rule};
    if (key.severity == ODP_SEVERITY_OFF)
        return ODP_OK;
    struct odp_diag_group *g = group_of(d, &key);
    if (take_example(d, g, diag) != ODP_OK)
        return ODP_FAIL;
    add_lines(d, &g->part[diag->cause].rows, diag->line, diag->line);
    g->part[diag->cause].count++;
    g->count++;
    d->by_severity[g->severity]++;
    d->by_code[g->code]++;
    if (d->arena.failed || d->passing.failed)
        return ODP_FAIL;
    return g->severity == ODP_SEVERITY_ERROR ? ODP_BAD : ODP_OK;
}

enum odp_status odp_diags_add(struct odp_diags *d, const struct odp_diag *diag)
{
    enum odp_status status = d->failed ? ODP_FAIL : add(d, diag);
    d->failed = status == ODP_FAIL;
    return status;
}

/* Copies FROM, masked and bounded long ago, to the end of G, unless an equal one is there. */
static void merge_node(struct odp_diags *d, struct odp_diag_group *g, const struct odp_diag_node *from)
{
    struct odp_diag_node key = *from;
    key.group = g->number;
    void **slot = joins(d, g, &from->diag) ? place_of_equal(d, &key) : NULL;
    if (slot != NULL && *slot != NULL) {
        join(d, *slot, from);
        return;
    }
    if (g->part[from->diag.cause].kept >= d->limit)
        return;
    struct odp_diag_node *node = add_node(d, &d->arena, g, &from->diag);
    struct odp_slice *texts[3 + ODP_DIAG_ARGS] = {&node->diag.value, &node->diag.source,
                                                  &node->diag.proposal};
    for (size_t i = 0; i < ODP_DIAG_ARGS; i++)
        texts[3 + i] = &node->diag.args[i];
    for (size_t i = 0; i < ODP_COUNT(texts); i++)
        if (texts[i]->ptr != NULL)
            *texts[i] = odp_arena_copy(&d->arena, *texts[i]);
    node->count = from->count;
    node->key = from->key;
    node->masked = from->masked;
    merge_lines(d, &node->rows, &from->rows);
    keep_node(d, g, node, slot);
}

static enum odp_status merge(struct odp_diags *d, struct odp_diags *src)
{
    for (size_t i = 0; i < src->count; i++) {
        const struct odp_diag_group *from = src->groups[i];
        struct odp_diag_group *g = group_of(d, from);
        for (const struct odp_diag_node *n = from->examples; d->sink != NULL && n != NULL; n = n->next)
            if (d->sink->take(d->sink->ctx, &n->diag) != ODP_OK)
                return ODP_FAIL;
        for (const struct odp_diag_node *n = from->examples; n != NULL && d->limit > 0; n = n->next)
            merge_node(d, g, n);
        for (size_t k = 0; k < ODP_CAUSES; k++) {
            merge_lines(d, &g->part[k].rows, &from->part[k].rows);
            g->part[k].count += from->part[k].count;
        }
        g->cells = from->cells > g->cells ? from->cells : g->cells;
        g->records = from->records > g->records ? from->records : g->records;
        g->count += from->count;
        d->by_severity[g->severity] += from->count;
        d->by_code[g->code] += from->count;
    }
    odp_diags_clear(src);
    return odp_arena_status(&d->arena);
}

enum odp_status odp_diags_merge(struct odp_diags *d, struct odp_diags *src)
{
    d->failed = d->failed || src->failed || merge(d, src) != ODP_OK;
    return d->failed ? ODP_FAIL : ODP_OK;
}

void odp_diags_tell_cells(struct odp_diags *d, const struct odp_diag_group *field, uint64_t cells,
                          uint64_t records)
{
    for (size_t i = 0; i < d->count; i++) {
        struct odp_diag_group *g = d->groups[i];
        if (field->field == NULL || !odp_str_eq(g->field, field->field) ||
            !odp_str_eq(g->resource, field->resource) || !odp_str_eq(g->dataset, field->dataset))
            continue;
        g->cells = cells > g->cells ? cells : g->cells;
        g->records = records > g->records ? records : g->records;
    }
}

enum odp_status odp_diags_amend(struct odp_diags *d, const struct odp_diag_node *node, size_t arg,
                                struct odp_slice text)
{
    ((struct odp_diag_node *)(uintptr_t)node)->diag.args[arg] = odp_arena_copy(&d->arena, text);
    return odp_arena_status(&d->arena);
}

uint64_t odp_diags_count(const struct odp_diags *d, enum odp_severity severity)
{
    return d->by_severity[severity];
}

uint64_t odp_diags_code_count(const struct odp_diags *d, enum odp_code code)
{
    return d->by_code[code];
}

const struct odp_diag_group *const *odp_diags_groups(const struct odp_diags *d, size_t *n)
{
    *n = d->count;
    return (const struct odp_diag_group *const *)d->groups;
}

void odp_diags_set_overrides(struct odp_diags *d, const signed char *overrides)
{
    d->overrides = overrides;
}

void odp_diags_set_strict(struct odp_diags *d, bool strict)
{
    d->strict = strict;
}

void odp_diags_set_sink(struct odp_diags *d, const struct odp_diag_sink *sink)
{
    d->sink = sink;
}
