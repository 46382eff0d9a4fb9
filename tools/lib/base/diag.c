/* The collector. Groups are in order of first arrival and are found through an open-addressed table; a
 * million faults of one kind cost a look-up and an increment each, since text is copied only for the examples
 * that are kept. Repeated strings of examples (file, where) are interned. */
#include "base/diag.h"

#include <errno.h>
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
    struct table by_key, strings;
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
        return odp_failure_set("allocate memory", NULL, ENOMEM);
    odp_arena_init(&d->arena);
    odp_arena_init(&d->passing);
    odp_buffer_init(&d->scratch);
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
    d->by_key = d->strings = (struct table){0};
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
    *node = (struct odp_diag_node){.diag = *from};
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

static void link_node(struct odp_diag_group *g, struct odp_diag_node *node)
{
    if (g->last != NULL)
        g->last->next = node;
    else
        g->examples = node;
    g->last = node;
    g->kept++;
}

/* Lines FIRST to LAST have one fault of G each. */
static void add_lines(struct odp_diags *d, struct odp_diag_group *g, uint64_t first, uint64_t last)
{
    struct odp_diag_lines *run = g->lines_last;
    if (run != NULL && first >= run->first && first <= run->last + 1) {
        run->last = last > run->last ? last : run->last;
        return;
    }
    if (first == 0 || g->nlines == ODP_DIAG_RUNS_GROUP || d->nlines == ODP_DIAG_RUNS) {
        g->unlisted += last - first + 1;
        return;
    }
    run = odp_arena_alloc(&d->arena, sizeof *run);
    *run = (struct odp_diag_lines){.first = first, .last = last};
    if (g->lines_last != NULL)
        g->lines_last->next = run;
    else
        g->lines = run;
    g->lines_last = run;
    g->nlines++;
    d->nlines++;
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
    if (g->kept < d->limit || d->sink != NULL) {
        struct odp_arena *a = g->kept < d->limit ? &d->arena : &d->passing;
        struct odp_diag_node *node = add_node(d, a, g, diag);
        if (odp_diag_copy_text(a, &d->scratch, diag, &node->diag) != ODP_OK)
            return ODP_FAIL;
        if (d->sink != NULL && d->sink->take(d->sink->ctx, &node->diag) != ODP_OK)
            return ODP_FAIL;
        if (g->kept < d->limit)
            link_node(g, node);
        else
            odp_arena_reset(&d->passing);
    }
    add_lines(d, g, diag->line, diag->line);
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

/* Copies FROM, masked and bounded long ago, to the end of G. */
static void merge_node(struct odp_diags *d, struct odp_diag_group *g, const struct odp_diag_node *from)
{
    struct odp_diag_node *node = add_node(d, &d->arena, g, &from->diag);
    struct odp_slice *texts[3 + ODP_DIAG_ARGS] = {&node->diag.value, &node->diag.source,
                                                  &node->diag.proposal};
    for (size_t i = 0; i < ODP_DIAG_ARGS; i++)
        texts[3 + i] = &node->diag.args[i];
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (texts[i]->ptr != NULL)
            *texts[i] = odp_arena_copy(&d->arena, *texts[i]);
    link_node(g, node);
}

static enum odp_status merge(struct odp_diags *d, struct odp_diags *src)
{
    for (size_t i = 0; i < src->count; i++) {
        const struct odp_diag_group *from = src->groups[i];
        struct odp_diag_group *g = group_of(d, from);
        for (const struct odp_diag_node *n = from->examples; d->sink != NULL && n != NULL; n = n->next)
            if (d->sink->take(d->sink->ctx, &n->diag) != ODP_OK)
                return ODP_FAIL;
        for (const struct odp_diag_node *n = from->examples; n != NULL && g->kept < d->limit; n = n->next)
            merge_node(d, g, n);
        for (const struct odp_diag_lines *run = from->lines; run != NULL; run = run->next)
            add_lines(d, g, run->first, run->last);
        g->unlisted += from->unlisted;
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
