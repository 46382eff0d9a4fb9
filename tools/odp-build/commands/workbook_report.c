#include "commands/workbook_report.h"
#include "words/commands.h"

enum odp_status workbook_report_begin(struct invocation *inv, struct odp_faults **faults)
{
    *faults = NULL;
    inv->options.sink = NULL;
    for (size_t i = 0; i < inv->nreports && *faults == NULL; i++)
        if (inv->reports[i].report->workbook && odp_faults_new(faults) != ODP_OK)
            return ODP_FAIL;
    if (*faults != NULL)
        inv->options.sink = odp_faults_sink(*faults);
    return ODP_OK;
}

enum odp_status workbook_report_write(const struct invocation *inv, const struct odp_run *run,
                                      struct odp_faults *faults)
{
    struct odp_correct_options o = {.catalog = run->catalog,
                                    .sources = inv->options.sources,
                                    .as_slug = inv->options.as_slug,
                                    .as_file = inv->options.as_file,
                                    .lang = inv->style.lang,
                                    .version = ODP_VERSION};
    for (size_t i = 0; i < inv->nreports && faults != NULL; i++) {
        const struct report_request *request = &inv->reports[i];
        if (!request->report->workbook)
            continue;
        if (run->catalog == NULL || run->catalog_wrong) {
            fprintf(stderr, say(inv, W_cmd_not_written_catalogue_wrong), request->file);
            continue;
        }
        if (odp_correct_write(faults, &o, request->file) != ODP_OK)
            return ODP_FAIL;
        const char *slug = o.as_slug, *file = o.as_file;
        if (!inv->style.quiet)
            fprintf(stderr, say(inv, W_cmd_workbook_then_odp_build_apply), request->file,
                    slug != NULL ? " --as " : "", odp_or_empty(slug), request->file, file != NULL ? " " : "",
                    odp_or_empty(file));
    }
    return ODP_OK;
}
