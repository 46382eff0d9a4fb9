#include "commands/outcome.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/temporary.h"
#include "commands/failure.h"
#include "words/commands.h"

enum odp_status outcome_write_file(const char *path, struct odp_slice bytes)
{
    return odp_file_is_device(path) ? odp_file_pour(path, bytes) : odp_file_replace(path, bytes, 0644);
}

static enum odp_status show(const struct invocation *inv, const struct odp_report *report, const char *file,
                            const struct odp_diags *diags)
{
    const struct odp_summary summary = {.version = ODP_VERSION};
    struct odp_report_style style = inv->style;
    struct odp_buffer bytes;
    bool human = report == odp_report_find("human");
    style.color = human && file == NULL && !inv->no_color && getenv("NO_COLOR") == NULL && isatty(STDERR_FILENO);
    style.quiet = true; /* there is no table of datasets to show */
    odp_buffer_init(&bytes);
    enum odp_status status = odp_report_render(report, diags, &summary, &style, &bytes);
    if (status == ODP_OK)
        status = odp_buffer_status(&bytes);
    if (status == ODP_OK && file != NULL)
        status = outcome_write_file(file, odp_buffer_slice(&bytes));
    else if (status == ODP_OK && bytes.len > 0)
        fwrite(bytes.ptr, 1, bytes.len, human ? stderr : stdout);
    odp_buffer_release(&bytes);
    return status;
}

int outcome_show(const struct invocation *inv, const struct odp_diags *diags, enum odp_status status)
{
    const struct odp_report *human = odp_report_find("human");
    size_t groups = 0;
    bool named = false;
    enum odp_status shown = ODP_OK;
    if (diags != NULL)
        odp_diags_groups(diags, &groups);
    for (size_t i = 0; i < inv->nreports; i++)
        named = named || inv->reports[i].report == human;
    if (!named && groups > 0)
        shown = show(inv, human, NULL, diags);
    for (size_t i = 0; diags != NULL && i < inv->nreports && shown == ODP_OK; i++)
        shown = show(inv, inv->reports[i].report, inv->reports[i].file, diags);
    if (status == ODP_FAIL || shown == ODP_FAIL) {
        failure_say(inv, say(inv, W_cmd_machine_failed));
        return EXIT_MACHINE;
    }
    return status == ODP_BAD ? EXIT_REJECTED : EXIT_CLEAN;
}

bool outcome_tells(const struct invocation *inv)
{
    for (size_t i = 0; i < inv->nreports; i++)
        if (inv->reports[i].file == NULL && inv->reports[i].report != odp_report_find("human"))
            return false;
    return !inv->style.quiet;
}
