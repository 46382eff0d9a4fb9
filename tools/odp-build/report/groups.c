/* Groups of faults: their order, what many datasets share, what one rule has in several fields.
 *
 * Order: errors, warnings, notes; in each, groups in the order of their first fault. So a report is the same
 * on any number of threads. Groups without a place that three datasets or more share (overdue, a missing
 * file) are one block. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/report_internal.h"

enum odp_status report_sorted(const struct odp_diags *d, const struct odp_diag_group ***out, size_t *n)
{
    static const enum odp_severity order[] = {ODP_SEVERITY_ERROR, ODP_SEVERITY_WARNING, ODP_SEVERITY_NOTE};
    size_t count = 0, k = 0;
    const struct odp_diag_group *const *groups = odp_diags_groups(d, &count);
    *n = 0;
    *out = calloc(count + 1, sizeof **out);
    if (*out == NULL)
        return odp_failure_set("allocate memory", NULL, ENOMEM);
    for (size_t s = 0; s < sizeof order / sizeof *order; s++)
        for (size_t i = 0; i < count; i++)
            if (groups[i]->severity == order[s] && groups[i]->count > 0)
                (*out)[k++] = groups[i];
    *n = k;
    return ODP_OK;
}

bool report_same(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

const struct odp_summary_dataset *report_dataset(const struct odp_summary *s, const char *slug)
{
    for (size_t i = 0; slug != NULL && i < s->ndatasets; i++)
        if (strcmp(s->datasets[i].slug, slug) == 0)
            return &s->datasets[i];
    return NULL;
}

static bool has_no_place(const struct odp_diag_group *g)
{
    return g->dataset != NULL && g->count == 1 && g->examples != NULL && g->examples->diag.line == 0 &&
           g->examples->diag.value.ptr == NULL && !odp_diag_proposes(&g->examples->diag);
}

static bool say_the_same(const struct odp_diag_group *a, const struct odp_diag_group *b)
{
    return a->code == b->code && a->severity == b->severity && has_no_place(b) &&
           report_same(a->rule, b->rule);
}

bool report_is_shared(const struct odp_diag_group *const *groups, size_t n, size_t i, bool *first)
{
    size_t alike = 0, before = 0;
    if (!has_no_place(groups[i]))
        return false;
    for (size_t k = 0; k < n; k++)
        if (say_the_same(groups[i], groups[k])) {
            alike++;
            before += k < i;
        }
    *first = before == 0;
    return alike >= 3;
}

struct place {
    const struct odp_diag_group *group;
    size_t turn, index; /* the how manieth of its dataset; the order of the faults */
};

static int by_turn(const void *x, const void *y)
{
    const struct place *a = x, *b = y;
    if (a->group->severity != b->group->severity)
        return a->group->severity > b->group->severity ? -1 : 1;
    if (a->turn != b->turn)
        return a->turn < b->turn ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

enum odp_status report_take_turns(const struct odp_diag_group **groups, size_t n)
{
    struct place *places = calloc(n + 1, sizeof *places);
    if (places == NULL)
        return odp_failure_set("allocate memory", NULL, ENOMEM);
    for (size_t i = 0; i < n; i++) {
        places[i] = (struct place){groups[i], 0, i};
        for (size_t k = i; k-- > 0 && places[i].turn == 0 && groups[k]->severity == groups[i]->severity;)
            if (report_same(groups[k]->dataset, groups[i]->dataset))
                places[i].turn = places[k].turn + 1;
    }
    qsort(places, n, sizeof *places, by_turn);
    for (size_t i = 0; i < n; i++)
        groups[i] = places[i].group;
    free(places);
    return ODP_OK;
}

bool report_same_rule(const struct odp_diag_group *a, const struct odp_diag_group *b)
{
    return a->code == b->code && a->severity == b->severity && report_same(a->dataset, b->dataset) &&
           report_same(a->rule, b->rule);
}

bool report_is_like(const struct odp_diag_group *const *groups, size_t n, size_t i, size_t k)
{
    bool first;
    return groups[k]->code == groups[i]->code && groups[k]->severity == groups[i]->severity &&
           report_is_shared(groups, n, k, &first);
}

size_t report_leaders(const struct odp_diag_group *const *groups, size_t n, bool merged,
                      const struct odp_diag_group **out)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        bool leads = true, shared = report_is_shared(groups, n, i, &leads);
        leads = leads || !shared;
        for (size_t k = 0; k < i && leads && merged && !shared; k++)
            leads = !report_same_rule(groups[k], groups[i]);
        if (leads)
            out[count++] = groups[i];
    }
    return count;
}

enum odp_status report_kin_of(const struct odp_diag_group *const *groups, size_t n, struct report_kin **out)
{
    struct report_kin *kin = calloc(n + 1, sizeof *kin);
    *out = kin;
    if (kin == NULL)
        return odp_failure_set("allocate memory", NULL, ENOMEM);
    for (size_t i = 0; i < n; i++) {
        kin[i].shared = report_is_shared(groups, n, i, &kin[i].first);
        kin[i].head = kin[i].rule = i;
        for (size_t k = 0; k < i && !kin[i].shared; k++)
            if (!kin[k].shared && report_same(groups[k]->dataset, groups[i]->dataset)) {
                kin[i].head = k;
                break;
            }
        for (size_t k = kin[i].head; k < i; k++)
            if (report_same_rule(groups[k], groups[i])) {
                kin[i].rule = k;
                break;
            }
    }
    return ODP_OK;
}
