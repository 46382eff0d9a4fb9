/* Every fault of a run, compact: what faults have in common is held once.
 *
 *   kind    code, severity, names, file, rule, message, action: at most a few hundred
 *   text    values, proposals, and a fault's four arguments as numbers of texts: each distinct one once
 *   fault   56 bytes: its place, and numbers of the above
 *
 * The source line is not kept: it is read again to be shown. Faults beyond the limits are counted and left
 * out: never without a word, and never until memory is exhausted. */
#include <stdlib.h>

#include "base/map.h"
#include "repair/repair.h"

enum {
    BLOCK = 1 << 14,      /* faults in a block: growing never copies them */
    FAULTS_MAX = 4000000, /* kept a run: 224 MB and their texts */
    KINDS_MAX = 20000,    /* kept a run: a message may belong to one fault alone */
    TEXT_COST = 48,
    NO_TEXT = 0 /* number of "no text at all" (ptr NULL) */
};
#define TEXTS_MAX ((size_t)256 << 20) /* bytes of distinct texts kept a run, each with TEXT_COST more */

struct kind {
    struct odp_diag shared; /* dataset … message; texts and places empty */
    struct odp_text message;
};

struct fault {
    uint64_t row, line, offset;
    uint32_t column, lines;
    uint32_t kind, value, proposal, args;
    uint32_t resource; /* number of the list it belongs to */
};

struct odp_fault_list {
    struct odp_faults *all;
    const char *dataset, *resource;
    uint32_t number;
    uint64_t count, dropped;
    uint32_t *order; /* COUNT faults by row, then arrival; NULL: not sorted yet */
};

struct odp_faults {
    struct odp_diag_sink sink;
    struct odp_arena arena; /* names, kinds, blocks */
    struct fault **blocks;
    size_t nblocks;
    uint64_t count, limit;
    struct odp_map texts;
    struct odp_slice *text; /* by number, from 1 */
    size_t bytes, limit_bytes;
    struct kind **kinds;
    size_t nkinds;
    struct odp_fault_list **lists;
    size_t nlists;
};

/* ---- numbers for what is held once ---- */

static struct odp_slice text_of(const struct odp_faults *f, uint32_t number)
{
    return number != NO_TEXT ? f->text[number - 1] : (struct odp_slice){NULL, 0};
}

/* The number of S; DONE: no room left for it. */
static enum odp_status number_text(struct odp_faults *f, struct odp_slice s, uint32_t *out)
{
    bool fresh;
    uint32_t known = s.ptr != NULL ? odp_map_find(&f->texts, s) : ODP_MAP_NONE;
    *out = known != ODP_MAP_NONE ? known + 1 : NO_TEXT;
    if (s.ptr == NULL || known != ODP_MAP_NONE)
        return ODP_OK;
    if (s.len > f->limit_bytes || f->bytes + s.len + TEXT_COST > f->limit_bytes)
        return ODP_DONE;
    f->bytes += s.len + TEXT_COST;
    *out = odp_map_put(&f->texts, s, &fresh) + 1;
    f->text = odp_arena_more(&f->arena, f->text, *out - 1, sizeof *f->text);
    f->text[*out - 1] = odp_map_copy(&f->texts, s);
    return ODP_OK;
}

/* Most faults of a kind share their arguments, so these become one text: the numbers of the four. */
static enum odp_status number_args(struct odp_faults *f, const struct odp_diag *d, uint32_t *out)
{
    uint32_t numbers[ODP_DIAG_ARGS];
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < ODP_DIAG_ARGS && status == ODP_OK; i++)
        status = number_text(f, d->args[i], &numbers[i]);
    return status == ODP_OK ? number_text(f, (struct odp_slice){(const char *)numbers, sizeof numbers}, out)
                            : status;
}

/* ---- kinds and lists ---- */

static bool same_kind(const struct odp_diag *s, const struct odp_diag *d)
{
    static const struct odp_text none = {{NULL, NULL}};
    const struct odp_text *a = s->message != NULL ? s->message : &none,
                          *b = d->message != NULL ? d->message : &none;
    return s->code == d->code && s->severity == d->severity && s->action == d->action &&
           s->cause == d->cause && s->secret == d->secret && odp_str_eq(s->field, d->field) &&
           odp_str_eq(s->rule, d->rule) && odp_str_eq(s->resource, d->resource) &&
           odp_str_eq(s->dataset, d->dataset) && odp_str_eq(s->file, d->file) &&
           odp_str_eq(s->sheet, d->sheet) && odp_str_eq(s->where, d->where) &&
           odp_str_eq(a->in[ODP_LANG_ID], b->in[ODP_LANG_ID]) &&
           odp_str_eq(a->in[ODP_LANG_EN], b->in[ODP_LANG_EN]);
}

static const char *keep_str(struct odp_faults *f, const char *s)
{
    return s != NULL ? odp_arena_str(&f->arena, s) : NULL;
}

/* The kind of D; DONE: no room left for it. Kinds are few (fields x rules); the newest come first, because
 * faults of a kind come together. */
static enum odp_status number_kind(struct odp_faults *f, const struct odp_diag *d, uint32_t *out)
{
    for (size_t i = f->nkinds; i-- > 0;)
        if (same_kind(&f->kinds[i]->shared, d)) {
            *out = (uint32_t)i;
            return ODP_OK;
        }
    if (f->nkinds == KINDS_MAX)
        return ODP_DONE;
    struct kind *k = odp_arena_zero(&f->arena, 1, sizeof *k);
    k->shared = (struct odp_diag){.code = d->code,
                                  .severity = d->severity,
                                  .cause = d->cause,
                                  .action = d->action,
                                  .secret = d->secret,
                                  .dataset = keep_str(f, d->dataset),
                                  .resource = keep_str(f, d->resource),
                                  .file = keep_str(f, d->file),
                                  .field = keep_str(f, d->field),
                                  .sheet = keep_str(f, d->sheet),
                                  .where = keep_str(f, d->where),
                                  .rule = keep_str(f, d->rule)};
    for (int lang = 0; lang < ODP_LANGS && d->message != NULL; lang++)
        k->message.in[lang] = keep_str(f, d->message->in[lang]);
    k->shared.message = d->message != NULL ? &k->message : NULL;
    *out = (uint32_t)f->nkinds;
    f->kinds = odp_arena_more(&f->arena, f->kinds, f->nkinds, sizeof(struct kind *));
    f->kinds[f->nkinds++] = k;
    return ODP_OK;
}

/* The list of a resource, made if needed. */
static struct odp_fault_list *list_of(struct odp_faults *f, const char *dataset, const char *resource)
{
    for (size_t i = 0; i < f->nlists; i++)
        if (odp_str_eq(f->lists[i]->dataset, dataset) && odp_str_eq(f->lists[i]->resource, resource))
            return f->lists[i];
    f->lists = odp_arena_more(&f->arena, f->lists, f->nlists, sizeof(struct odp_fault_list *));
    struct odp_fault_list *l = odp_arena_zero(&f->arena, 1, sizeof *l);
    *l = (struct odp_fault_list){.all = f,
                                 .dataset = keep_str(f, dataset),
                                 .resource = keep_str(f, resource),
                                 .number = (uint32_t)f->nlists};
    f->lists[f->nlists++] = l;
    return l;
}

/* ---- taking ---- */

static struct fault *fault_at(const struct odp_faults *f, uint64_t i)
{
    return &f->blocks[i / BLOCK][i % BLOCK];
}

static enum odp_status take(void *ctx, const struct odp_diag *d)
{
    struct odp_faults *f = ctx;
    struct odp_fault_list *l = list_of(f, d->dataset, d->resource);
    struct fault fault = {.row = d->row,
                          .line = d->line,
                          .offset = d->offset,
                          .column = d->column > UINT32_MAX ? UINT32_MAX : (uint32_t)d->column,
                          .lines = d->lines,
                          .resource = l->number};
    enum odp_status status = f->count < f->limit ? number_kind(f, d, &fault.kind) : ODP_DONE;
    if (status == ODP_OK)
        status = number_text(f, d->value, &fault.value);
    if (status == ODP_OK)
        status = number_text(f, d->proposal, &fault.proposal);
    if (status == ODP_OK)
        status = number_args(f, d, &fault.args);
    if (status != ODP_OK) {
        l->dropped += status == ODP_DONE;
        return status == ODP_DONE ? ODP_OK : ODP_FAIL;
    }
    if (f->count == (uint64_t)f->nblocks * BLOCK) {
        f->blocks = odp_arena_more(&f->arena, f->blocks, f->nblocks, sizeof(struct fault *));
        f->blocks[f->nblocks++] = odp_arena_array(&f->arena, BLOCK, sizeof(struct fault));
    }
    *fault_at(f, f->count++) = fault;
    l->count++;
    free(l->order);
    l->order = NULL;
    return odp_arena_status(&f->arena);
}

enum odp_status odp_faults_new(struct odp_faults **out)
{
    struct odp_faults *f = *out = calloc(1, sizeof *f);
    if (f == NULL)
        return odp_failure_memory();
    f->sink = (struct odp_diag_sink){take, f};
    f->limit = FAULTS_MAX;
    f->limit_bytes = TEXTS_MAX;
    return ODP_OK;
}

void odp_faults_limit(struct odp_faults *f, uint64_t faults, size_t bytes)
{
    f->limit = faults;
    f->limit_bytes = bytes;
}

void odp_faults_free(struct odp_faults *f)
{
    if (f == NULL)
        return;
    for (size_t i = 0; i < f->nlists; i++)
        free(f->lists[i]->order);
    odp_map_release(&f->texts);
    odp_arena_release(&f->arena);
    free(f);
}

const struct odp_diag_sink *odp_faults_sink(struct odp_faults *f)
{
    return &f->sink;
}

/* ---- reading ---- */

static int by_row(const void *x, const void *y, void *faults)
{
    uint32_t i = *(const uint32_t *)x, k = *(const uint32_t *)y;
    uint64_t a = fault_at(faults, i)->row, b = fault_at(faults, k)->row;
    return a != b ? (a > b) - (a < b) : (i > k) - (i < k);
}

enum odp_status odp_faults_of(struct odp_faults *f, const struct odp_resource *r,
                              const struct odp_fault_list **out)
{
    struct odp_fault_list *l = list_of(f, r->dataset != NULL ? r->dataset->slug : NULL, r->name);
    size_t n = 0;
    *out = l;
    if (l->order != NULL)
        return ODP_OK;
    l->order = odp_realloc_array(NULL, (size_t)l->count + 1, sizeof *l->order);
    if (l->order == NULL)
        return ODP_FAIL;
    for (uint64_t i = 0; i < f->count; i++)
        if (fault_at(f, i)->resource == l->number)
            l->order[n++] = (uint32_t)i;
    qsort_r(l->order, n, sizeof *l->order, by_row, f);
    return odp_arena_status(&f->arena);
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
    uint32_t numbers[ODP_DIAG_ARGS];
    struct odp_slice args = text_of(f, fault->args);
    if (args.ptr == NULL)
        return;
    memcpy(numbers, args.ptr, sizeof numbers);
    for (size_t k = 0; k < ODP_DIAG_ARGS; k++)
        out->args[k] = text_of(f, numbers[k]);
}
