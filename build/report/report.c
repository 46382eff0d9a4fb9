/* The registry of report formats, and the order of groups. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/parts.h"

static const struct odp_report *const reports[] = {&report_human, &report_json};

const struct odp_report *const *odp_reports(size_t *n)
{
    *n = sizeof reports / sizeof *reports;
    return reports;
}

const struct odp_report *odp_report_find(const char *name)
{
    for (size_t i = 0; i < sizeof reports / sizeof *reports; i++)
        if (strcmp(reports[i]->name, name) == 0)
            return reports[i];
    return NULL;
}

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
