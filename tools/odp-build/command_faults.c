#include "command_faults.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"

static enum odp_status write_report(const struct invocation *inv, const struct report_request *request, const struct odp_run *run)
{
    struct odp_buffer bytes;
    struct odp_report_style style = inv->style;
    bool human = request->report == odp_report_find("human"), to_terminal = human && request->file == NULL;
    style.color = to_terminal && !inv->no_color && getenv("NO_COLOR") == NULL && isatty(STDERR_FILENO);
    style.quiet = human; /* its table and last line are about a build */
    odp_buffer_init(&bytes);
    enum odp_status status = request->report->render(run->diags, &run->summary, &style, &bytes);
    if (status == ODP_OK)
        status = odp_buffer_status(&bytes);
    if (status == ODP_OK && request->file != NULL) {
        char part[4096];
        int n = snprintf(part, sizeof part, "%s.%ld.tmp", request->file, (long)getpid());
        status = n > 0 && (size_t)n < sizeof part ? odp_file_put(part, odp_buffer_slice(&bytes), 0644, NULL)
                                                  : odp_failure_set("report", request->file, 0);
        if (status == ODP_OK)
            status = odp_file_rename(part, request->file);
    } else if (status == ODP_OK && bytes.len > 0) {
        fwrite(bytes.ptr, 1, bytes.len, to_terminal ? stderr : stdout);
    }
    odp_buffer_release(&bytes);
    return status;
}

int command_faults(const struct invocation *inv, const struct odp_run *run, enum odp_status status)
{
    struct report_request human = {odp_report_find("human"), NULL};
    bool named = run->diags == NULL;
    enum odp_status written = ODP_OK;
    for (size_t i = 0; i < inv->nreports; i++)
        named = named || inv->reports[i].report == human.report;
    if (!named)
        written = write_report(inv, &human, run);
    for (size_t i = 0; run->diags != NULL && i < inv->nreports && written == ODP_OK; i++)
        written = write_report(inv, &inv->reports[i], run);
    if (status == ODP_FAIL || written == ODP_FAIL) {
        fprintf(stderr, "odp-build: %s: %s\n", say(inv, "mesin gagal", "the machine failed"), odp_failure_text());
        return EXIT_MACHINE;
    }
    return status == ODP_OK ? EXIT_CLEAN : EXIT_REJECTED;
}
