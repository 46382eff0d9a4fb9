/* odp-build check: a check from its start to its report (odp_run_check, at the end).
 *
 *   open        the catalogue is read, what takes part is chosen                     opening.c, taking_part.c
 *   compare     with a published site: does the release number fit?                  previous_site.c
 *   schedule    each resource is read and checked; then the rules across datasets    schedule.c, pass.c,
 *               rules_across.c
 *   decide      may what was read become a version next to those published?          version.c
 *   overdue     datasets past their odp:frequency                                    today.c
 *   report      outcomes and the summary                                             summary.c
 *
 * The site is that of --previous, else the one that a build would replace: a check reports what a build
 * would refuse. A file that is tried out (--as) has no date yet and is compared with no site. */
#include <errno.h>
#include <sys/stat.h>

#include "base/path.h"
#include "run/build_internal.h"

static void note_outcomes(struct run *r, enum odp_outcome good)
{
    for (size_t i = 0; i < r->catalog->ndatasets; i++) {
        const struct odp_dataset *d = &r->catalog->datasets[i];
        r->outcomes[i] = odp_run_rejected(r, d)        ? ODP_OUTCOME_REJECTED
                         : d->state == ODP_STATE_DRAFT ? ODP_OUTCOME_DRAFT
                                                       : good;
    }
}

static const char *date_read(const void *ctx, const struct odp_dataset *d)
{
    return odp_run_version(ctx, d);
}

static enum odp_status check_resource(void *ctx, const struct turn *turn)
{
    return odp_run_turn(ctx, turn, turn->role == ROLE_KEYS, NULL);
}

/* The program's own templates were checked when it was built: they are compiled only if the catalogue
 * replaces some, or names another folder. */
static bool has_own_templates(const struct run *r, const struct odp_options *o)
{
    struct stat st;
    return o->share_named || lstat(odp_path_join(r->arena, o->catalog, "templates"), &st) == 0 ||
           errno != ENOENT;
}

/* The gate, and which datasets are published: of those the content is compared. */
static enum odp_status begin_comparing(struct build *b)
{
    struct run *r = &b->run;
    enum odp_status status = odp_run_previous(r);
    if (status != ODP_OK || r->previous == NULL)
        return status;
    r->result->summary.against = odp_arena_str(r->arena, odp_site_shown(r->previous));
    b->parts = odp_arena_zero(r->arena, r->catalog->ndatasets + 1, sizeof *b->parts);
    status = odp_run_gate(r);
    if (status != ODP_FAIL)
        status = odp_worst(status, odp_build_histories(b));
    for (size_t i = 0; i < r->catalog->ndatasets && status != ODP_FAIL; i++) {
        const struct odp_dataset *d = &r->catalog->datasets[i];
        b->parts[i].built = odp_run_selected(r, d) && d->state != ODP_STATE_DRAFT &&
                            d->state != ODP_STATE_WITHDRAWN && b->parts[i].history.n > 0;
        for (size_t k = 0; k < d->nresources; k++)
            r->tasks[d->resources[k].index].compared = b->parts[i].built;
    }
    return status;
}

/* What a build would say of the versions, where it came to that: of datasets without errors. */
static enum odp_status decide(struct build *b)
{
    enum odp_status worst = ODP_OK;
    for (size_t i = 0; b->parts != NULL && i < b->run.catalog->ndatasets && worst != ODP_FAIL; i++) {
        const struct odp_dataset *d = &b->run.catalog->datasets[i];
        if (!b->parts[i].built || odp_run_rejected(&b->run, d))
            continue;
        b->parts[i].date = odp_run_version(&b->run, d);
        worst = odp_worst(worst, b->parts[i].date != NULL
                                     ? odp_build_decide(b, d)
                                     : odp_build_complain(b, ODP_V05, d, d->resources[0].name, NULL, NULL));
    }
    return worst;
}

enum odp_status odp_run_check(struct odp_run *result, const struct odp_options *o)
{
    struct build b = {0};
    struct run *r = &b.run;
    enum odp_status status = odp_run_open(r, result, o);
    if (status == ODP_OK && o->as_file == NULL)
        status = begin_comparing(&b);
    const struct work work = {.ctx = r,
                              .take = check_resource,
                              .portal = status == ODP_OK && o->as_file == NULL && has_own_templates(r, o)};
    if (status != ODP_FAIL && !result->catalog_wrong)
        status = odp_worst(status, odp_run_schedule(r, &work));
    if (status != ODP_FAIL && !result->catalog_wrong)
        status = odp_worst(status, decide(&b));
    if (status != ODP_FAIL && !result->catalog_wrong && o->as_file == NULL)
        status = odp_worst(status, odp_run_overdue(r, date_read, r));
    if (status != ODP_FAIL && !result->catalog_wrong) {
        note_outcomes(r, ODP_OUTCOME_CHECKED);
        status = odp_worst(odp_run_summarize(r, NULL, NULL),
                           odp_diags_count(result->diags, ODP_SEVERITY_ERROR) > 0 ? ODP_BAD : ODP_OK);
    }
    for (size_t i = 0; b.parts != NULL && i < r->catalog->ndatasets; i++)
        odp_history_release(&b.parts[i].history);
    odp_run_close(r);
    return status;
}
