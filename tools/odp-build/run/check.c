/* odp-build check: the whole of a check, from its start to its report (odp_run_check, at the end).
 *
 *   open        the catalogue is read, what takes part is chosen                     opening.c, taking_part.c
 *   gate        with --previous alone: does the release number fit?                  previous_site.c
 *   schedule    each resource is read and checked; then the rules across datasets    schedule.c, pass.c, rules_across.c
 *   overdue     datasets past their odp:frequency                                    today.c
 *   report      outcomes and the summary                                             summary.c */
#include "run/run_internal.h"

static void note_outcomes(struct run *r, enum odp_outcome good)
{
    for (size_t i = 0; i < r->catalog->ndatasets; i++) {
        const struct odp_dataset *d = &r->catalog->datasets[i];
        r->outcomes[i] = odp_run_rejected(r, d) ? ODP_OUTCOME_REJECTED : d->state == ODP_STATE_DRAFT ? ODP_OUTCOME_DRAFT : good;
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

enum odp_status odp_run_check(struct odp_run *result, const struct odp_options *o)
{
    struct run r = {0};
    enum odp_status status = odp_run_open(&r, result, o);
    /* A check is about the sources; whether the release number fits is asked by naming the site it is to fit. */
    if (status == ODP_OK && o->previous != NULL && o->as_file == NULL)
        status = odp_run_previous(&r);
    if (status == ODP_OK && r.previous != NULL)
        status = odp_run_gate(&r);
    const struct work work = {.ctx = &r, .take = check_resource, .portal = status == ODP_OK && o->as_file == NULL};
    if (status != ODP_FAIL && !result->catalog_wrong)
        status = odp_worst(status, odp_run_schedule(&r, &work));
    if (status != ODP_FAIL && !result->catalog_wrong && o->as_file == NULL)
        status = odp_worst(status, odp_run_overdue(&r, date_read, &r));
    if (status != ODP_FAIL && !result->catalog_wrong) {
        note_outcomes(&r, ODP_OUTCOME_CHECKED);
        status = odp_worst(odp_run_summarize(&r, NULL, NULL), odp_diags_count(result->diags, ODP_SEVERITY_ERROR) > 0 ? ODP_BAD : ODP_OK);
    }
    odp_run_close(&r);
    return status;
}
