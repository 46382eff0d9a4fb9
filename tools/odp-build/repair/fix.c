/* The proposals of one source, tried together without writing: those that do not fit (ODP-A01, A02, A05,
 * A06) are reported and set aside, so that one cell never blocks the others. What an edit makes visible is
 * proposed in the next round. */
#include "repair/fix.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/path.h"
#include "repair/edits.h"

/* A fault with a proposal that can be applied. */
struct candidate {
    uint32_t fault; /* in the list */
    uint16_t group;
    bool unfit;
    struct odp_fix_value *value;
    size_t next; /* with the same value; SIZE_MAX: the last */
};

struct odp_fix {
    struct odp_arena arena;
    const struct odp_resource *resource;
    const struct odp_fault_list *faults;
    const char *path;
    bool shapefile;
    struct odp_file_state began;
    struct candidate *candidates;
    size_t n;
    struct odp_fix_group **groups, **ordered; /* by number; by severity, those with proposals */
    size_t ngroups, nordered;
    struct odp_map by_text; /* struct value_key */
    struct odp_fix_value **values;
};

enum { GROUPS_MAX = 32768 };

/* ---- gathering ---- */

static int field_of(const struct odp_fix *x, const char *name)
{
    return name != NULL ? odp_schema_find(&x->resource->schema, odp_slice_of(name)) : -1;
}

/* A complete proposal: a text and a place, or an action that needs none. */
static bool is_whole(const struct odp_fix *x, const struct odp_diag *d)
{
    switch (d->action) {
    case ODP_ACTION_REPLACE:
        return d->proposal.ptr != NULL && d->row > 0 && field_of(x, d->field) >= 0;
    case ODP_ACTION_DELETE_RECORD: /* of a shapefile a GIS program deletes */
        return d->row > 0 && !x->shapefile;
    case ODP_ACTION_DELETE_LINES:
        return d->line > 0 && d->lines > 0;
    case ODP_ACTION_RENAME_LABEL:
        return d->proposal.ptr != NULL && d->line > 0 && d->column > 0;
    case ODP_ACTION_MEND_SHAPE:
        return true;
    }
    return false;
}

/* The group of D; NULL: too many. */
static struct odp_fix_group *group_of(struct odp_fix *x, const struct odp_diag *d, uint16_t *number)
{
    for (size_t i = x->ngroups; i-- > 0;)
        if (x->groups[i]->code == d->code && odp_str_eq(x->groups[i]->rule, d->rule)) {
            *number = (uint16_t)i;
            return x->groups[i];
        }
    if (x->ngroups == GROUPS_MAX)
        return NULL;
    struct odp_fix_group *g = odp_arena_zero(&x->arena, 1, sizeof *g);
    *g = (struct odp_fix_group){.code = d->code,
                                .rule = d->rule,
                                .message = d->rule != NULL ? d->message : NULL,
                                .severity = d->severity};
    *number = (uint16_t)x->ngroups;
    x->groups = odp_arena_more(&x->arena, x->groups, x->ngroups, sizeof(struct odp_fix_group *));
    return x->groups[x->ngroups++] = g;
}

/* Texts of faults are held once (faults.c): equal ones have one address. */
struct value_key {
    const char *value, *proposal;
    int64_t group, field;
};

/* Adds candidate I, the fault D of group NUMBER, to its value, which may be new. */
static void add_to_value(struct odp_fix *x, uint16_t number, size_t i, const struct odp_diag *d)
{
    const struct value_key key = {d->value.ptr, d->proposal.ptr, number, field_of(x, d->field)};
    struct odp_fix_group *g = x->groups[number];
    struct odp_fix_value *v = NULL;
    bool alone = d->action != ODP_ACTION_REPLACE, fresh = true;
    uint32_t at =
        alone ? 0 : odp_map_put(&x->by_text, (struct odp_slice){(const char *)&key, sizeof key}, &fresh);
    if (!fresh)
        v = x->values[at];
    if (v == NULL) {
        v = odp_arena_zero(&x->arena, 1, sizeof *v);
        *v = (struct odp_fix_value){
            .field = d->field, .value = d->value, .proposal = d->proposal, .first = i, .last = i};
        g->values = odp_arena_more(&x->arena, g->values, g->nvalues, sizeof(struct odp_fix_value *));
        g->values[g->nvalues++] = v;
    }
    if (!alone && fresh) {
        x->values = odp_arena_more(&x->arena, x->values, at, sizeof(struct odp_fix_value *));
        x->values[at] = v;
    }
    x->candidates[v->last].next = i;
    x->candidates[i].next = SIZE_MAX;
    x->candidates[i].value = v;
    v->last = i;
    v->proposals++;
}

static enum odp_status gather(struct odp_fix *x)
{
    uint64_t count = odp_fault_list_count(x->faults);
    struct odp_diag d;
    for (uint64_t i = 0; i < count; i++) {
        uint16_t number;
        odp_fault_list_get(x->faults, i, &d);
        struct odp_fix_group *g = group_of(x, &d, &number);
        if (g == NULL)
            return odp_failure_memory();
        g->faults++;
        g->severity = d.severity > g->severity ? d.severity : g->severity;
        if (!is_whole(x, &d))
            continue;
        x->candidates = odp_arena_more(&x->arena, x->candidates, x->n, sizeof *x->candidates);
        x->candidates[x->n++] = (struct candidate){.fault = (uint32_t)i, .group = number};
        g->proposals++;
        add_to_value(x, number, x->n - 1, &d);
        g->draws = g->draws || (d.action == ODP_ACTION_MEND_SHAPE && d.row > 0 && d.code != ODP_G13);
    }
    return odp_arena_status(&x->arena);
}

/* ---- edits ---- */

static void add_edit(const struct odp_fix *x, struct odp_edits *e, const struct odp_diag *d)
{
    switch (d->action) {
    case ODP_ACTION_REPLACE:
        odp_edits_cell(e, d->row, (uint32_t)field_of(x, d->field), d->proposal);
        break;
    case ODP_ACTION_DELETE_RECORD:
        odp_edits_delete(e, d->row);
        break;
    case ODP_ACTION_DELETE_LINES:
        odp_edits_delete_lines(e, d->line, d->lines);
        break;
    case ODP_ACTION_RENAME_LABEL:
        odp_edits_label(e, d->line, d->column, d->proposal);
        break;
    case ODP_ACTION_MEND_SHAPE:
        odp_edits_mend(e, d);
        break;
    }
}

/* Whether D, the fault of candidate I, yields to another one for the same cell: a worse fault, or an equal
 * one found first. Faults of a row are neighbours. *SAME: both propose the same, so nothing is lost. */
static bool gives_way(const struct odp_fix *x, size_t i, const struct odp_diag *d,
                      bool (*takes)(const struct odp_fix *, size_t), bool *same)
{
    struct odp_diag other;
    *same = false;
    if (d->action != ODP_ACTION_REPLACE)
        return false;
    for (int step = -1; step <= 1; step += 2)
        for (size_t k = i + (size_t)step; k < x->n; k += (size_t)step) { /* below 0 it wraps: beyond n */
            odp_fault_list_get(x->faults, x->candidates[k].fault, &other);
            if (other.row != d->row)
                break;
            if (other.action != ODP_ACTION_REPLACE || !takes(x, k) || !odp_str_eq(other.field, d->field))
                continue;
            if (other.severity > d->severity || (other.severity == d->severity && step < 0)) {
                *same = odp_slice_eq(other.proposal, d->proposal);
                return true;
            }
        }
    return false;
}

static bool takes_all(const struct odp_fix *x, size_t i)
{
    return !x->candidates[i].unfit;
}

static bool takes_accepted(const struct odp_fix *x, size_t i)
{
    return !x->candidates[i].unfit && x->candidates[i].value->accepted;
}

/* The edits of the candidates that TAKES takes. */
static enum odp_status make_edits(const struct odp_fix *x, bool (*takes)(const struct odp_fix *, size_t),
                                  struct odp_edits **out, uint64_t *deferred)
{
    struct odp_diag d;
    bool same;
    enum odp_status status = odp_edits_new(out, x->resource);
    *deferred = 0;
    for (size_t i = 0; i < x->n && status == ODP_OK; i++) {
        if (!takes(x, i))
            continue;
        odp_fault_list_get(x->faults, x->candidates[i].fault, &d);
        if (gives_way(x, i, &d, takes, &same))
            *deferred += !same;
        else
            add_edit(x, *out, &d);
    }
    return status;
}

/* ---- the trial ---- */

/* Sets aside every candidate at the place of edit E, which does not fit. */
static void set_aside(struct odp_fix *x, const struct edit *e)
{
    struct odp_diag d;
    bool in_row = e->what != EDIT_LINES && e->what != EDIT_LABEL && e->what != EDIT_MEND;
    const char *field = e->what == EDIT_FIELD ? x->resource->schema.fields[e->place].name : NULL;
    bool mend = e->what == EDIT_MEND;
    uint64_t row = in_row ? e->at : 0;
    size_t low = 0, high = x->n;
    while (low < high) { /* candidates are by row */
        size_t mid = low + (high - low) / 2;
        odp_fault_list_get(x->faults, x->candidates[mid].fault, &d);
        if (d.row < row)
            low = mid + 1;
        else
            high = mid;
    }
    for (size_t i = low; i < x->n; i++) {
        odp_fault_list_get(x->faults, x->candidates[i].fault, &d);
        if (d.row != row && !mend)
            break;
        if (mend && (d.action != ODP_ACTION_MEND_SHAPE || d.code != (enum odp_code)e->place))
            continue;
        bool here = in_row ? field == NULL || odp_str_eq(field, d.field) : d.line == e->at;
        if (!here || x->candidates[i].unfit)
            continue;
        struct odp_fix_group *g = x->groups[x->candidates[i].group];
        x->candidates[i].unfit = true;
        x->candidates[i].value->proposals--;
        g->proposals--;
        g->unfit++;
    }
}

/* Tries all without writing; reports and sets aside what does not fit. */
static enum odp_status try_all(struct odp_fix *x, struct odp_diags *diags)
{
    const struct odp_rewriting how = {.path = x->path, .file = x->path, .dry = true};
    struct odp_edits *edits = NULL;
    struct odp_rewritten done;
    uint64_t deferred;
    if (x->n == 0)
        return ODP_OK;
    enum odp_status status = make_edits(x, takes_all, &edits, &deferred);
    if (status == ODP_OK)
        status = odp_rewrite(edits, &how, &x->arena, &done, diags);
    for (size_t i = 0; status == ODP_BAD && i < edits->n; i++)
        if (edits->edits[i].misfit)
            set_aside(x, &edits->edits[i]);
    if (status == ODP_BAD && !edits->refused)
        status = ODP_OK;
    odp_edits_free(edits);
    return status;
}

/* ---- the whole ---- */

static int by_severity(const void *a, const void *b)
{
    const struct odp_fix_group *g = *(struct odp_fix_group *const *)a, *h = *(struct odp_fix_group *const *)b;
    if (g->severity != h->severity)
        return g->severity > h->severity ? -1 : 1;
    if (g->code != h->code)
        return g->code < h->code ? -1 : 1;
    return g->rule != NULL && h->rule != NULL ? strcmp(g->rule, h->rule) : 0;
}

static void order(struct odp_fix *x)
{
    x->ordered = odp_arena_array(&x->arena, x->ngroups + 1, sizeof(struct odp_fix_group *));
    for (size_t i = 0; i < x->ngroups; i++)
        if (x->groups[i]->proposals > 0)
            x->ordered[x->nordered++] = x->groups[i];
    qsort(x->ordered, x->nordered, sizeof(struct odp_fix_group *), by_severity);
}

enum odp_status odp_fix_new(struct odp_fix **out, struct odp_faults *f, const struct odp_resource *r,
                            const char *path, const struct odp_file_state *began, struct odp_diags *diags)
{
    struct odp_fix *x = calloc(1, sizeof *x);
    *out = NULL;
    if (x == NULL)
        return odp_failure_memory();
    x->resource = r;
    x->path = path;
    x->shapefile = odp_path_ends(path, ".shp");
    x->began = *began;
    enum odp_status status = odp_faults_of(f, r, &x->faults);
    if (status == ODP_OK)
        status = gather(x);
    if (status == ODP_OK)
        status = try_all(x, diags);
    if (status == ODP_FAIL) {
        odp_fix_free(x);
        return ODP_FAIL;
    }
    order(x);
    *out = x;
    return status;
}

void odp_fix_free(struct odp_fix *x)
{
    if (x == NULL)
        return;
    odp_arena_release(&x->arena);
    odp_map_release(&x->by_text);
    free(x);
}

struct odp_fix_group *const *odp_fix_groups(struct odp_fix *x, size_t *n)
{
    *n = x->nordered;
    return x->ordered;
}

uint64_t odp_fix_dropped(const struct odp_fix *x)
{
    return odp_fault_list_dropped(x->faults);
}

/* ---- showing ---- */

enum { RUNS_SHOWN = 6 };

/* An edit that is shown stands for all of its value. */
struct showing {
    struct odp_fix *x;
    struct odp_arena arena;
    size_t *shown, n, at; /* candidates, in the source's order */
    odp_edit_show *show;
    void *ctx;
};

/* The first candidate of V that can be applied; SIZE_MAX: none. */
static size_t first_fit(const struct odp_fix *x, const struct odp_fix_value *v)
{
    size_t i = v->first;
    while (i != SIZE_MAX && x->candidates[i].unfit)
        i = x->candidates[i].next;
    return i;
}

/* "3-5, 9, …" */
static const char *rows_of(struct showing *s, const struct odp_fix_value *v)
{
    struct odp_buffer b = {0};
    struct odp_diag d;
    uint64_t first = 0, last = 0;
    unsigned runs = 0;
    for (size_t i = v->first; runs <= RUNS_SHOWN; i = s->x->candidates[i].next) {
        if (i != SIZE_MAX && s->x->candidates[i].unfit)
            continue;
        if (i != SIZE_MAX)
            odp_fault_list_get(s->x->faults, s->x->candidates[i].fault, &d);
        if (first > 0 && (i == SIZE_MAX || d.line > last + 1)) {
            if (runs++ == RUNS_SHOWN)
                odp_buffer_add_str(&b, ", …");
            else
                odp_buffer_printf(&b, "%s%llu", runs > 1 ? ", " : "", (unsigned long long)first);
            if (last > first && runs <= RUNS_SHOWN)
                odp_buffer_printf(&b, "-%llu", (unsigned long long)last);
            first = 0;
        }
        if (i == SIZE_MAX)
            break;
        first = first == 0 ? d.line : first;
        last = d.line;
    }
    const char *text = odp_arena_str(&s->arena, odp_buffer_cstr(&b));
    odp_buffer_release(&b);
    return text;
}

static enum odp_status show_value(void *ctx, const struct odp_edit_shown *edit)
{
    struct showing *s = ctx;
    struct odp_edit_shown e = *edit;
    struct odp_diag d = {0};
    for (size_t i = s->at; i < s->n; i++) {
        odp_fault_list_get(s->x->faults, s->x->candidates[s->shown[i]].fault, &d);
        const struct odp_fix_value *v = s->x->candidates[s->shown[i]].value;
        if (d.row < e.row)
            s->at = i + 1;
        if (d.row != e.row || !odp_str_eq(d.field, e.field) || v->proposals < 2)
            continue;
        e.cells = v->proposals;
        e.rows = rows_of(s, v);
        break;
    }
    return s->show != NULL ? s->show(s->ctx, &e) : ODP_OK;
}

/* The first edit of each of the first MOST values of G, dry, as HOW says. */
static enum odp_status try_group(struct showing *s, const struct odp_fix_group *g, uint64_t most,
                                 const struct odp_rewriting *how)
{
    struct odp_fix *x = s->x;
    struct odp_edits *edits = NULL;
    struct odp_diags *own = NULL;
    struct odp_rewritten done;
    struct odp_diag d;
    odp_arena_init(&s->arena);
    s->shown = odp_arena_array(&s->arena, g->nvalues + 1, sizeof *s->shown);
    enum odp_status status = odp_edits_new(&edits, x->resource);
    for (size_t k = 0; k < g->nvalues && s->n < most && status == ODP_OK; k++) {
        size_t i = g->values[k]->hidden ? SIZE_MAX : first_fit(x, g->values[k]);
        if (i == SIZE_MAX)
            continue;
        odp_fault_list_get(x->faults, x->candidates[i].fault, &d);
        add_edit(x, edits, &d);
        s->shown[s->n++] = i;
    }
    if (status == ODP_OK)
        status = odp_diags_new(&own, 0);
    if (status == ODP_OK)
        status = odp_rewrite(edits, how, &s->arena, &done, own);
    odp_diags_free(own);
    odp_edits_free(edits);
    odp_arena_release(&s->arena);
    return status == ODP_FAIL ? ODP_FAIL : ODP_OK; /* applying reports what has changed since */
}

enum odp_status odp_fix_show(struct odp_fix *x, const struct odp_fix_group *g, uint64_t most,
                             odp_edit_show *show, void *ctx)
{
    struct showing s = {.x = x, .show = show, .ctx = ctx};
    const struct odp_rewriting how = {
        .path = x->path, .file = x->path, .dry = true, .show = show_value, .ctx = &s};
    return try_group(&s, g, most, &how);
}

enum odp_status odp_fix_picture(struct odp_fix *x, const struct odp_fix_group *g, const char *path,
                                enum odp_lang lang)
{
    struct showing s = {.x = x};
    const struct odp_rewriting how = {
        .path = x->path, .file = x->path, .dry = true, .picture = path, .lang = lang};
    return try_group(&s, g, UINT64_MAX, &how);
}

enum odp_status odp_fix_apply(struct odp_fix *x, bool dry, struct odp_arena *arena, struct odp_rewritten *out,
                              uint64_t *deferred, struct odp_diags *diags)
{
    const struct odp_rewriting how = {.path = x->path, .file = x->path, .dry = dry};
    struct odp_edits *edits = NULL;
    struct odp_file_state now = odp_file_state_source(x->path);
    *out = (struct odp_rewritten){0};
    if (!odp_file_state_same(&x->began, &now)) {
        struct odp_diag d = {.code = ODP_A09,
                             .dataset = x->resource->dataset->slug,
                             .resource = x->resource->name,
                             .file = x->path};
        return odp_diags_refuse(diags, &d);
    }
    enum odp_status status = make_edits(x, takes_accepted, &edits, deferred);
    if (status == ODP_OK)
        status = odp_rewrite(edits, &how, arena, out, diags);
    odp_edits_free(edits);
    return status;
}
