/* Finds and sorts the groups of findings that all formats draw: errors, warnings, notes; in each, groups in
 * the order of their first fault, so a report is the same on any number of threads. A fault that three or
 * more datasets share (overdue, a missing file, one header of all) forms one block. */
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "report/report_internal.h"
#include "words/report.h"

const struct odp_summary_dataset *report_dataset(const struct odp_summary *s, const char *slug)
{
    for (size_t i = 0; slug != NULL && i < s->ndatasets; i++)
        if (strcmp(s->datasets[i].slug, slug) == 0)
            return &s->datasets[i];
    return NULL;
}

bool report_same_rule(const struct odp_diag_group *a, const struct odp_diag_group *b)
{
    return a->code == b->code && a->severity == b->severity && odp_str_eq(a->dataset, b->dataset) &&
           odp_str_eq(a->rule, b->rule);
}

bool report_same_cause(const struct report_group *a, const struct report_group *b)
{
    return a->cause >= 0 && a->cause == b->cause && report_same_rule(a->g, b->g) &&
           odp_str_eq(a->g->resource, b->g->resource);
}

/* Other datasets may have G's fault as well: it is one, in no record, and nothing is proposed for it. */
static bool may_be_shared(const struct odp_diag_group *g)
{
    return g->dataset != NULL && g->count == 1 && g->examples != NULL && g->examples->diag.row == 0 &&
           !g->examples->diag.secret && !odp_diag_proposes(&g->examples->diag);
}

/* Which group is the first of each kind. A kind is told by a text in J's scratch. */
struct kinds {
    struct odp_map texts;
    size_t *first; /* by number of the kind */
};

static struct kinds begin_kinds(struct report_job *j)
{
    return (struct kinds){.first = odp_arena_array(&j->arena, j->n + 1, sizeof(size_t))};
}

static void add_text(struct report_job *j, struct odp_slice s)
{
    odp_buffer_printf(&j->scratch, "%zu:", s.len);
    odp_buffer_add_slice(&j->scratch, s);
}

static void add_rule(struct report_job *j, const struct odp_diag_group *g)
{
    odp_buffer_printf(&j->scratch, "%d %d ", g->code, g->severity);
    add_text(j, odp_slice_of(g->rule));
}

/* The number of the kind that group INDEX is of. */
static uint32_t end_kind(struct report_job *j, struct kinds *k, size_t index)
{
    bool fresh;
    const uint32_t kind = odp_map_put(&k->texts, odp_buffer_slice(&j->scratch), &fresh);
    if (fresh)
        k->first[kind] = index;
    odp_buffer_clear(&j->scratch);
    return kind;
}

/* Groups that say the same of other datasets share this text with G: the code alone where there is no place
 * (its title tells what differs), else each word. */
static void add_words(struct report_job *j, const struct odp_diag_group *g)
{
    const struct odp_diag *d = &g->examples->diag;
    add_rule(j, g);
    if (d->source.ptr == NULL && d->value.ptr == NULL) /* of a whole file: nothing of a source is shown */
        return;
    add_text(j, odp_slice_of(d->field));
    add_text(j, d->value);
    for (size_t i = 0; i < ODP_DIAG_ARGS; i++)
        add_text(j, d->args[i]);
}

static void find_blocks(struct report_job *j)
{
    struct kinds kinds = begin_kinds(j);
    uint32_t *of = odp_arena_zero(&j->arena, j->n + 1, sizeof *of),
             *alike = odp_arena_zero(&j->arena, j->n + 1, sizeof *alike);
    for (size_t i = 0; i < j->n; i++)
        if (may_be_shared(j->groups[i].g)) {
            add_words(j, j->groups[i].g);
            of[i] = end_kind(j, &kinds, i);
            alike[of[i]]++;
        }
    for (size_t i = 0; i < j->n; i++) {
        struct report_group *k = &j->groups[i];
        k->shared = may_be_shared(k->g) && alike[of[i]] >= 3;
        k->block = k->shared ? kinds.first[of[i]] : i;
    }
    odp_map_release(&kinds.texts);
}

/* The causes of whole columns; then of others that a whole column shows to be the file's. */
static void find_causes(struct report_job *j)
{
    const struct report_group **whole = odp_arena_array(&j->arena, j->n + 1, sizeof *whole);
    size_t n = 0;
    for (size_t i = 0; i < j->n; i++) {
        whole[n] = &j->groups[i];
        j->groups[i].cause = report_cause(j->groups[i].g);
        n += j->groups[i].cause >= 0;
    }
    for (size_t i = 0; i < j->n; i++)
        for (size_t k = 0; k < n && j->groups[i].cause < 0; k++)
            if (report_shares_cause(j->groups[i].g, whole[k]->g, whole[k]->cause))
                j->groups[i].cause = whole[k]->cause;
}

/* The finding that comes first, and whether all are examples. */
static void find_first(struct report_group *k)
{
    uint64_t told = 0;
    struct report_walk w = {.group = k};
    struct report_finding first;
    for (const struct odp_diag_node *e = k->g->examples; e != NULL; e = e->next)
        told += e->count;
    k->left_out = told < k->g->count;
    if (report_next(&w, &first))
        k->first = first.d;
}

/* Whether a column whose cause is K's, of the same table, comes before it. */
static bool is_told(const struct report_job *j, const struct report_group *k)
{
    for (size_t i = 0; i < k->index && k->cause >= 0; i++)
        if (report_same_cause(&j->groups[i], k))
            return true;
    return false;
}

static void find_related(struct report_job *j)
{
    struct kinds sections = begin_kinds(j), rules = begin_kinds(j);
    for (size_t i = 0; i < j->n; i++) {
        struct report_group *k = &j->groups[i];
        odp_buffer_printf(&j->scratch, "%d", k->shared);
        if (!k->shared)
            add_text(j, odp_slice_of(k->g->dataset));
        k->section = sections.first[end_kind(j, &sections, i)];
        odp_buffer_printf(&j->scratch, "%zu ", k->section);
        add_text(j, odp_slice_of(k->g->dataset));
        add_rule(j, k->g);
        k->rule = rules.first[end_kind(j, &rules, i)];
    }
    odp_map_release(&sections.texts);
    odp_map_release(&rules.texts);
}

void report_find_groups(struct report_job *j)
{
    size_t count = 0;
    const struct odp_diag_group *const *all = odp_diags_groups(j->diags, &count);
    j->groups = odp_arena_zero(&j->arena, count + 1, sizeof *j->groups);
    for (int severity = ODP_SEVERITY_ERROR; severity > ODP_SEVERITY_OFF; severity--)
        for (size_t i = 0; i < count; i++) {
            if ((int)all[i]->severity != severity || all[i]->count == 0)
                continue;
            struct odp_diag *bare = odp_arena_zero(&j->arena, 1, sizeof *bare);
            *bare =
                (struct odp_diag){.code = all[i]->code, .severity = all[i]->severity, .field = all[i]->field};
            j->groups[j->n] =
                (struct report_group){.g = all[i],
                                      .first = all[i]->examples != NULL ? &all[i]->examples->diag : bare,
                                      .index = j->n};
            j->n++;
        }
    find_causes(j);
    find_blocks(j);
    for (size_t i = 0; i < j->n; i++)
        find_first(&j->groups[i]);
    find_related(j);
}

size_t report_leaders(struct report_job *j, bool merged, const struct report_group **out)
{
    size_t count = 0;
    for (size_t i = 0; i < j->n; i++) {
        const struct report_group *k = &j->groups[i];
        const bool merges = merged && !k->shared && k->rule != i;
        if (k->block == i && !merges && !is_told(j, k))
            out[count++] = k;
    }
    return count;
}

/* ---- what many datasets share ---- */

/* Counts group K if it is the first of its dataset, or of its table, in the block. */
static void count_place(const struct report_job *j, const struct report_group *k, struct report_shared *s)
{
    bool dataset = true, table = true;
    for (size_t m = k->block; m < k->index; m++)
        if (j->groups[m].block == k->block && odp_str_eq(j->groups[m].g->dataset, k->g->dataset)) {
            dataset = false;
            table = table && !odp_str_eq(j->groups[m].g->resource, k->g->resource);
        }
    s->datasets += dataset;
    s->tables += table;
}

struct report_shared report_measure_shared(struct report_job *j, const struct report_group *first)
{
    struct report_shared s = {.expected = true};
    for (size_t i = first->index; i < j->n; i++) {
        const struct report_group *k = &j->groups[i];
        if (k->block != first->index)
            continue;
        s.n++;
        s.own = s.own || !report_same_words(j, report_title, first->first, k->first);
        s.expected = s.expected && report_same_words(j, report_expected, first->first, k->first);
        count_place(j, k, &s);
    }
    return s;
}

void report_add_shared(struct report_job *j, const struct report_shared *s, const struct odp_diag_group *g)
{
    report_number(j, s->n);
    if (s->n == s->datasets)
        report_say(j, W_report_datasets);
    else if (s->n == s->tables)
        report_say(j, W_report_tables);
    else if (g->field != NULL)
        report_say(j, W_report_fields);
    else
        report_say(j, W_report_findings);
    if (s->n == s->datasets || s->datasets == 1)
        return;
    report_say(j, W_report_in);
    report_number(j, s->datasets);
    report_say(j, W_report_datasets);
}

/* ---- turns ---- */

struct turn {
    const struct report_group *group;
    size_t turn; /* its number within its dataset */
};

static int by_turn(const void *x, const void *y)
{
    const struct turn *a = x, *b = y;
    if (a->group->g->severity != b->group->g->severity)
        return a->group->g->severity > b->group->g->severity ? -1 : 1;
    if (a->turn != b->turn)
        return a->turn < b->turn ? -1 : 1;
    return (a->group->index > b->group->index) - (a->group->index < b->group->index);
}

void report_take_turns(struct report_job *j, const struct report_group **leaders, size_t n)
{
    struct turn *turns = odp_arena_array(&j->arena, n + 1, sizeof *turns);
    for (size_t i = 0; i < n; i++) {
        turns[i] = (struct turn){leaders[i], 0};
        for (size_t k = i;
             k-- > 0 && turns[i].turn == 0 && leaders[k]->g->severity == leaders[i]->g->severity;)
            if (odp_str_eq(leaders[k]->g->dataset, leaders[i]->g->dataset))
                turns[i].turn = turns[k].turn + 1;
    }
    qsort(turns, n, sizeof *turns, by_turn);
    for (size_t i = 0; i < n; i++)
        leaders[i] = turns[i].group;
}
