/* One resource of a message: its versions, the filters, and what they find.
 *
 * A filter is asked of the tables that it fits as they are now; one that fitted only before gets the reason,
 * every time, until its owner mends it. Records count if the filter is true of them in any version of the
 * message; unknown is not true. A field that did not exist yet is null, so `baru IS NULL` is true of every
 * older record: better one too many. Of a table without a key changes.json has the rows, without their
 * geometry. A filter may be asked of so many records as its length allows (MATCH_WORK), all together
 * MATCH_WORK_ALL; beyond that it is not applied, so nobody's filter holds up the others. */
#include <stdlib.h>

#include "service/queries/engine/select.h"
#include "base/json_load.h"
#include "service/webhooks/events/match_internal.h"
#include "words/webhooks.h"

static const struct odp_text why_schema = {{W_webhooks_schema_index_version_cannot_read}};
static const struct odp_text why_gone = {{W_webhooks_table_fields_filter_asks_about}};
static const struct odp_text why_type = {{W_webhooks_fields_filter_asks_about_have}};
static const struct odp_text why_whole = {{W_webhooks_table_without_key_geometry_records}};
static const struct odp_text why_enough = {{W_webhooks_filtering_took_too_long}};
static const struct odp_text why_much = {{W_webhooks_too_many_records_version_for}};

/* ---- versions ---- */

static size_t side_of(struct match_work *w, const char *version, const json_t *resource)
{
    for (size_t i = 0; i < w->nsides; i++)
        if (strcmp(w->sides[i].version, version) == 0)
            return i;
    w->sides[w->nsides] = (struct match_side){.version = version, .resource = resource};
    return w->nsides++;
}

static void plan(struct match_work *w)
{
    struct odp_arena *a = &w->arena;
    w->from = odp_arena_zero(a, w->nsteps, sizeof *w->from);
    w->to = odp_arena_zero(a, w->nsteps, sizeof *w->to);
    w->sides = odp_arena_zero(a, 2 * w->nsteps, sizeof *w->sides);
    w->asked = odp_arena_zero(a, w->m->n + 1, sizeof *w->asked);
    w->geometry = odp_arena_zero(a, w->m->n + 1, sizeof *w->geometry);
    for (size_t k = 0; k < w->nsteps; k++) { /* the newest comes last: steps are in order */
        const struct match_step *s = &w->steps[k];
        if (s->from != NULL)
            w->from[k] = side_of(w, s->from_version, s->from);
        w->to[k] = side_of(w, s->to_version, s->to);
    }
    w->newest = &w->sides[w->nsides - 1];
}

/* DONE: the newest cannot be asked. If its index is missing, all filters get the reason, since any may be
 * about this table. */
static enum odp_status open_sides(struct match_work *w)
{
    for (size_t i = w->nsides; i-- > 0;) {
        struct match_side *s = &w->sides[i];
        enum odp_status status = match_side_open(s, w->m->site, &w->arena, w->m->diags);
        if (status == ODP_OK) {
            status = match_side_view(s, w->newest, &w->arena);
        } else if (status != ODP_FAIL && s != w->newest) {
            match_side_close(s);
            w->closed = s->version;
            status = ODP_OK;
        } else if (status == ODP_DONE) {
            for (size_t f = 0; f < w->m->n; f++)
                if (w->m->answers[f].why.in[ODP_LANG_ID] == NULL)
                    w->m->answers[f].why = (struct odp_text){{W_webhooks_table_without_index}};
        } else if (status == ODP_BAD) {
            status = match_unknown_all(w->m, &why_schema, s->version);
        }
        if (status != ODP_OK)
            return status;
    }
    return ODP_OK;
}

/* ---- which filters ---- */

/* F can be asked of S as S is. */
static enum odp_status fits(const struct match_filter *f, const struct match_side *s, struct odp_arena *a,
                            bool *yes)
{
    const struct odp_expr *expr = NULL;
    struct odp_event_filter_fault fault;
    enum odp_status status = match_compile(f, &s->info->schema, s->info->geometry_name, a, &expr, &fault);
    odp_expr_release(expr);
    *yes = status == ODP_OK;
    return status == ODP_BAD ? ODP_OK : status;
}

/* A filter that fitted an earlier version, but not the newest, is about what is gone. */
static enum odp_status not_asked(struct match_work *w, size_t i, const struct odp_event_filter_fault *fault,
                                 struct odp_arena *a)
{
    struct match_answer *answer = &w->m->answers[i];
    for (size_t k = 0; k + 1 < w->nsides; k++) {
        bool was = false;
        if (w->sides[k].index != NULL && fits(&w->m->filters[i], &w->sides[k], a, &was) != ODP_OK)
            return ODP_FAIL;
        if (was) {
            match_unknown(w->m, i, &why_gone, odp_text_get(&fault->message, ODP_LANG_EN));
            return ODP_OK;
        }
    }
    for (int l = 0; l < ODP_LANGS && answer->why.in[l] == NULL; l++)
        answer->why.in[l] = odp_arena_str(w->m->a, odp_text_get(&fault->message, (enum odp_lang)l));
    return ODP_OK;
}

/* *ANY: this resource is asked. */
static enum odp_status choose(struct match_work *w, bool *any)
{
    struct odp_arena scratch = {0};
    enum odp_status status = ODP_OK;
    const struct odp_search_info *info = w->newest->info;
    *any = false;
    for (size_t i = 0; i < w->m->n && status == ODP_OK; i++) {
        const struct odp_expr *expr = NULL;
        struct odp_event_filter_fault fault;
        if (w->m->answers[i].unknown)
            continue;
        status =
            match_compile(&w->m->filters[i], &info->schema, info->geometry_name, &scratch, &expr, &fault);
        w->asked[i] = status == ODP_OK;
        w->geometry[i] = status == ODP_OK && odp_expr_has_geometry(expr);
        *any = *any || w->asked[i];
        if (status == ODP_BAD)
            status = not_asked(w, i, &fault, &scratch);
        odp_expr_release(expr);
        if (status == ODP_OK)
            status = odp_arena_status(&scratch);
        odp_arena_reset(&scratch);
    }
    odp_arena_release(&scratch);
    return status;
}

/* Filters that this resource cannot answer. */
static void refuse(struct match_work *w)
{
    uint64_t rows = 0;
    for (size_t i = 0; i < w->nsides; i++)
        rows += w->sides[i].nids + (w->sides[i].all ? w->sides[i].info->rows : 0);
    for (size_t i = 0; i < w->m->n; i++) {
        size_t len = w->m->filters[i].text.len;
        uint64_t work = rows > 0 && len > MATCH_WORK / rows ? UINT64_MAX : rows * len;
        if (!w->asked[i])
            continue;
        if (w->whole && w->geometry[i])
            match_unknown(w->m, i, &why_whole, w->name);
        else if (work > MATCH_WORK || w->m->work + work > MATCH_WORK_ALL)
            match_unknown(w->m, i, &why_much, w->newest->version);
        else
            w->m->work += work;
    }
}

/* ---- a filter ---- */

struct found_key {
    enum odp_change_op op;
    uint64_t place; /* among the keys, or the records */
    const char *text;
};
struct question {
    struct match_work *w;
    size_t i; /* the filter */
    const struct match_side *side;
    bool all; /* records are counted as they come */
    uint64_t counts[EVENTS_OPS];
    bool all_keys; /* KEYS has them all so far */
    struct found_key keys[ODP_EVENT_KEYS];
    size_t nkeys;
    uint32_t count;
    struct odp_arena *a;
};

/* The record's key as in /v1/<slug>/id/<key>, numbers in their shortest form unless E (NULL: none) has
 * another. */
static void write_key(const struct question *q, const struct match_entry *e, const struct odp_slice *texts,
                      struct odp_buffer *out)
{
    char number[ODP_DECIMAL_SIZE];
    if (e != NULL && e->told != NULL) {
        odp_buffer_add_str(out, e->told);
        return;
    }
    for (uint32_t i = 0; i < q->w->newest->info->nkey; i++) {
        struct odp_slice text = texts[q->side->key[i]];
        events_key_add(out, e != NULL ? match_keys_part(q->w, i, text, number) : text, i == 0);
    }
}

static void add_key(struct question *q, enum odp_change_op op, uint64_t place, const struct match_entry *e,
                    const struct odp_slice *texts)
{
    struct odp_buffer out = {0};
    q->all_keys = q->all_keys && q->nkeys < ODP_EVENT_KEYS && q->side->keyed && !q->w->whole;
    if (!q->all_keys)
        return;
    write_key(q, e, texts, &out);
    q->all_keys = out.len <= MATCH_TOLD;
    q->w->arena.failed = q->w->arena.failed || out.failed;
    q->keys[q->nkeys++] = (struct found_key){op, place, odp_arena_str(q->a, odp_buffer_cstr(&out))};
    odp_buffer_release(&out);
}

/* DONE: it is enough. */
static enum odp_status take(void *ctx, int64_t at, const struct odp_slice *texts)
{
    struct question *q = ctx;
    if (++q->count % MATCH_LOOK == 0 && !match_goes_on(q->w->m))
        return ODP_DONE;
    if (q->all) {
        q->counts[ODP_CHANGE_ADDED]++;
        add_key(q, ODP_CHANGE_ADDED, (uint64_t)at, NULL, texts);
        return ODP_OK;
    }
    struct match_entry *e = q->side->entries[at];
    if (e->matched == q->i + 1)
        return ODP_OK;
    e->matched = q->i + 1;
    for (int op = 0; op < EVENTS_OPS; op++) {
        q->counts[op] += e->times[op];
        if (e->times[op] > 0)
            add_key(q, (enum odp_change_op)op, e->place, e, texts);
    }
    return ODP_OK;
}

/* DONE: it cannot be answered, and has the reason. */
static enum odp_status ask_side(struct question *q, const struct match_side *s)
{
    struct match_work *w = q->w;
    struct odp_event_filter_fault fault;
    const struct odp_expr *expr = NULL;
    struct odp_selection asked = {.column = s->column, .ncolumns = s->schema.n, .time_ms = MATCH_TIME_MS};
    enum odp_status status =
        match_compile(&w->m->filters[q->i], &s->schema, w->newest->info->geometry_name, q->a, &expr, &fault);
    if (status == ODP_BAD || (w->geometry[q->i] && !s->info->has_geometry)) {
        odp_expr_release(expr);
        match_unknown(w->m, q->i, &why_type, s->version);
        return ODP_DONE;
    }
    q->side = s;
    asked.filter = expr;
    for (int all = 0; all < 2 && status == ODP_OK && match_goes_on(w->m); all++) {
        asked.ids = all ? NULL : s->ids;
        q->all = all;
        if (all ? s->all : s->nids > 0)
            status = odp_index_select(s->index, &asked, q->a, q, take);
    }
    odp_expr_release(expr);
    if (status != ODP_BAD && (status != ODP_OK || !w->m->stopped))
        return status;
    match_unknown(w->m, q->i, &why_enough, s->version);
    return ODP_DONE;
}

static int by_place(const void *a, const void *b)
{
    const struct found_key *x = a, *y = b;
    return (x->place > y->place) - (x->place < y->place);
}

static json_t *keys_json(struct question *q)
{
    json_t *keys = events_keys_new();
    qsort(q->keys, q->nkeys, sizeof *q->keys, by_place);
    for (size_t i = 0; i < q->nkeys; i++)
        (void)json_array_append_new(json_object_get(keys, events_ops[q->keys[i].op]),
                                    json_string(q->keys[i].text));
    return keys;
}

static void answer(struct question *q)
{
    struct match_answer *out = &q->w->m->answers[q->i];
    json_t *item = json_pack(
        "{s:s, s:I, s:I, s:I, s:o}", "name", q->w->name, "added", (json_int_t)q->counts[ODP_CHANGE_ADDED],
        "removed", (json_int_t)q->counts[ODP_CHANGE_REMOVED], "changed",
        (json_int_t)q->counts[ODP_CHANGE_CHANGED], "keys", q->all_keys ? keys_json(q) : json_null());
    (void)json_array_append_new(out->resources, item);
    for (int op = 0; op < EVENTS_OPS; op++)
        out->total += q->counts[op];
    out->asked = true;
}

static enum odp_status ask(struct match_work *w, size_t i, struct odp_arena *scratch)
{
    struct question q = {.w = w, .i = i, .all_keys = true, .a = scratch};
    enum odp_status status = ODP_OK;
    for (size_t k = w->nsides; k-- > 0 && status == ODP_OK;) /* keys are written as the newest has them */
        status = ask_side(&q, &w->sides[k]);
    if (status == ODP_OK)
        answer(&q);
    return status == ODP_FAIL ? status : odp_arena_status(scratch);
}

static enum odp_status ask_all(struct match_work *w)
{
    struct odp_arena scratch = {0};
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < w->m->n && status == ODP_OK; i++) {
        if (w->asked[i] && !w->m->answers[i].unknown)
            status = ask(w, i, &scratch);
        odp_arena_reset(&scratch);
    }
    odp_arena_release(&scratch);
    return status;
}

enum odp_status match_resource(struct match_message *m, const char *name, const struct match_step *steps,
                               size_t nsteps)
{
    struct match_work w = {.m = m, .name = name, .steps = steps, .nsteps = nsteps};
    bool any = false;
    plan(&w);
    enum odp_status status = open_sides(&w);
    if (status == ODP_OK)
        status = choose(&w, &any);
    if (status == ODP_OK && w.closed != NULL)
        status = match_unknown_asked(&w, &why_schema, w.closed);
    if (status == ODP_OK && any)
        status = match_load(&w);
    if (status == ODP_OK && any) {
        refuse(&w);
        status = ask_all(&w);
    }
    if (status != ODP_FAIL)
        status = odp_arena_status(&w.arena);
    match_keys_release(&w);
    for (size_t i = 0; i < w.nsides; i++)
        match_side_close(&w.sides[i]);
    odp_arena_release(&w.arena);
    return status;
}

enum odp_status match_resource_gone(struct match_message *m, const json_t *resource)
{
    struct match_side side = {.resource = resource};
    struct odp_arena scratch = {0};
    const char *name = odp_json_text(resource, "name");
    enum odp_status status = match_side_open(&side, m->site, &scratch, m->diags);
    if (status == ODP_BAD)
        status = match_unknown_all(m, &why_gone, name);
    for (size_t i = 0; i < m->n && status == ODP_OK; i++) {
        bool was = false;
        status = m->answers[i].unknown ? ODP_OK : fits(&m->filters[i], &side, &scratch, &was);
        if (was)
            match_unknown(m, i, &why_gone, name);
    }
    match_side_close(&side);
    odp_arena_release(&scratch);
    return status == ODP_FAIL ? ODP_FAIL : ODP_OK;
}
