/* The registry of report formats; renders a report. */
#include <string.h>

#include "report/report_internal.h"
#include "words/report.h"

/* Made by repair/workbook; listed here so that help, parsing and tests read one registry. */
static const struct odp_report report_xlsx = {
    .name = "xlsx", .summary = {{W_report_correction_workbook_for_odp_build}}, .workbook = true};

static const struct odp_report *const reports[] = {
    &report_human, &report_as_json, &report_sarif, &report_github, &report_junit, &report_html, &report_xlsx};

const struct odp_report *const *odp_reports(size_t *n)
{
    *n = ODP_COUNT(reports);
    return reports;
}

const struct odp_report *odp_report_find(const char *name)
{
    for (size_t i = 0; i < ODP_COUNT(reports); i++)
        if (strcmp(reports[i]->name, name) == 0)
            return reports[i];
    return NULL;
}

enum odp_status odp_report_render(const struct odp_report *report, const struct odp_diags *d,
                                  const struct odp_summary *s, const struct odp_report_style *style,
                                  struct odp_buffer *out)
{
    struct report_job j = {.diags = d, .summary = s, .lang = style->lang, .out = out, .to = &j.words};
    report_find_groups(&j);
    enum odp_status status = report->render(&j, style);
    bool failed = j.failed || j.words.failed || j.scratch.failed || j.other.failed || out->failed;
    if (status == ODP_OK && failed)
        status = odp_failure_set("make", "report", 0);
    if (status == ODP_OK)
        status = odp_arena_status(&j.arena);
    odp_buffer_release(&j.other);
    odp_buffer_release(&j.scratch);
    odp_buffer_release(&j.words);
    odp_arena_release(&j.arena);
    return status;
}
