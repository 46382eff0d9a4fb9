/* The registry of report formats. */
#include <string.h>

#include "report/report_internal.h"
#include "words/report.h"

/* Made by repair/workbook: here so that help, parsing and tests read one registry. */
static const struct odp_report report_xlsx = {
    .name = "xlsx", .summary = {{W_report_correction_workbook_for_odp_build}}, .workbook = true};

static const struct odp_report *const reports[] = {
    &report_human, &report_as_json, &report_sarif, &report_github, &report_junit, &report_html, &report_xlsx};

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
