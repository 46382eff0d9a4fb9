/* What depends on the day: which day it is where the portal is, and which datasets are overdue. It makes
 * diagnostics only. */
#include <time.h>

#include "catalog/frequency.h"
#include "run/run_internal.h"

const char *odp_run_today(struct run *r)
{
    struct odp_datetime day = {.has_date = true};
    int16_t minutes = 0;
    if (r->options->today != NULL)
        return r->options->today;
    (void)odp_zone_offset(r->catalog->portal.time_zone, &minutes);
    odp_date_from_days(&day, ((int64_t)time(NULL) + minutes * 60) / 86400);
    return odp_arena_printf(r->arena, "%04d-%02d-%02d", day.year, day.month, day.day);
}

static int64_t days_of(const char *date)
{
    struct odp_datetime t;
    return odp_date_parse(odp_slice_of(date), ODP_DATE, NULL, NULL, &t) == ODP_DATE_OK ? odp_date_days(&t)
                                                                                       : 0;
}

static enum odp_status note_overdue(struct run *r, const struct odp_dataset *d, const char *date,
                                    const char *today)
{
    char due[ODP_DATETIME_SIZE];
    struct odp_resource *first = &d->resources[0];
    if (!odp_frequency_due(date, d->frequency, due) || strcmp(due, today) >= 0)
        return ODP_OK;
    const char *late = odp_arena_printf(r->arena, "%lld", (long long)(days_of(today) - days_of(due)));
    struct odp_diag diag = {
        .code = ODP_Q10,
        .dataset = d->slug,
        .file = d->file,
        .args = {odp_slice_of(due), odp_slice_of(late), odp_slice_of(date), odp_slice_of(d->frequency)}};
    signed char own = first->severity != NULL ? first->severity[ODP_Q10] : -1;
    if (own == ODP_SEVERITY_OFF)
        return ODP_OK;
    diag.severity = own > 0 ? (enum odp_severity)own : ODP_SEVERITY_OFF;
    enum odp_status status = odp_diags_add(r->result->diags, &diag);
    r->tasks[first->index].errors += status == ODP_BAD;
    return status;
}

enum odp_status odp_run_overdue(struct run *r,
                                const char *(*date_of)(const void *ctx, const struct odp_dataset *d),
                                const void *ctx)
{
    const char *today = odp_run_today(r);
    enum odp_status worst = today != NULL ? ODP_OK : ODP_FAIL;
    for (size_t i = 0; i < r->catalog->ndatasets && worst != ODP_FAIL; i++) {
        const struct odp_dataset *d = &r->catalog->datasets[i];
        const char *date = odp_run_selected(r, d) && d->state == ODP_STATE_ACTIVE && d->frequency != NULL
                               ? date_of(ctx, d)
                               : NULL;
        if (date != NULL)
            worst = odp_worst(worst, note_overdue(r, d, date, today));
    }
    return worst;
}
