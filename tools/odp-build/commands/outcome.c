#include "commands/outcome.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/temporary.h"
#include "base/utf8.h"
#include "commands/failure.h"
#include "words/commands.h"

enum odp_status outcome_write_file(const char *path, struct odp_slice bytes)
{
    return odp_file_is_device(path) ? odp_file_pour(path, bytes) : odp_file_replace(path, bytes, 0644);
}

static unsigned terminal_width(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40 ? size.ws_col : 0;
}

struct odp_report_style outcome_style(const struct invocation *inv)
{
    struct odp_report_style style = inv->style;
    style.color = outcome_colors(inv, STDERR_FILENO);
    style.width = terminal_width();
    return style;
}

enum odp_status outcome_report(const struct invocation *inv, const struct report_request *request,
                               const struct odp_diags *diags, const struct odp_summary *summary, bool brief)
{
    struct odp_buffer bytes = {0};
    bool human = request->report == odp_report_find("human"), terminal = human && request->file == NULL;
    struct odp_report_style style = terminal ? outcome_style(inv) : inv->style;
    style.brief = brief;
    style.quiet = style.quiet && terminal; /* a file that was asked for is whole */
    enum odp_status status = odp_report_render(request->report, diags, summary, &style, &bytes);
    if (status == ODP_OK && request->file != NULL)
        status = outcome_write_file(request->file, odp_buffer_slice(&bytes));
    else if (status == ODP_OK && bytes.len > 0)
        fwrite(bytes.ptr, 1, bytes.len, human ? stderr : stdout);
    odp_buffer_release(&bytes);
    return status;
}

int outcome_show(const struct invocation *inv, const struct odp_diags *diags, enum odp_status status)
{
    const struct odp_summary summary = {.version = ODP_VERSION};
    const struct report_request human = {.report = odp_report_find("human")};
    size_t groups = 0;
    bool named = false;
    enum odp_status shown = ODP_OK;
    if (diags != NULL)
        odp_diags_groups(diags, &groups);
    for (size_t i = 0; i < inv->nreports; i++)
        named = named || inv->reports[i].report == human.report;
    if (!named && groups > 0)
        shown =
            outcome_report(inv, &human, diags, &summary, true); /* there is no table of datasets to show */
    for (size_t i = 0; diags != NULL && i < inv->nreports && shown == ODP_OK; i++)
        shown = outcome_report(inv, &inv->reports[i], diags, &summary, true);
    if (status == ODP_FAIL || shown == ODP_FAIL) {
        failure_say(inv, say(inv, W_cmd_machine_failed));
        return EXIT_MACHINE;
    }
    return status == ODP_BAD ? EXIT_REJECTED : EXIT_CLEAN;
}

enum odp_status outcome_begin(struct invocation *inv)
{
    odp_arena_init(&inv->run.arena);
    return odp_diags_new(&inv->run.diags, inv->options.examples);
}

int outcome_end(const struct invocation *inv, enum odp_status status)
{
    int code = outcome_show(inv, inv->run.diags, status);
    return code == EXIT_REJECTED && inv->run.catalog_wrong ? EXIT_USAGE : code;
}

int outcome_code(const struct invocation *inv, enum odp_status status, const struct odp_text *why)
{
    if (status == ODP_BAD)
        return outcome_refuse(EXIT_REJECTED, "%s", odp_text_get(why, inv->style.lang));
    if (status != ODP_FAIL)
        return EXIT_CLEAN;
    failure_say(inv, NULL);
    return EXIT_MACHINE;
}

int outcome_refuse(int code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("odp-build: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    return code;
}

bool outcome_prints(const struct invocation *inv)
{
    for (size_t i = 0; i < inv->nreports; i++)
        if (inv->reports[i].file == NULL && inv->reports[i].report != odp_report_find("human"))
            return false;
    return !inv->style.quiet;
}

/* Digit by digit, because this must not allocate. */
void outcome_number(const struct invocation *inv, uint64_t n)
{
    char digits[24];
    int len = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n);
    for (int i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0)
            putchar(inv->style.lang == ODP_LANG_ID ? '.' : ',');
        putchar(digits[i]);
    }
}

void outcome_pad(const char *s, size_t width)
{
    size_t w = odp_utf8_width(odp_slice_of(s));
    printf("%s%*s", s, (int)(w < width ? width - w : 1), "");
}

int outcome_usage(const struct invocation *inv, const char *id, const char *en)
{
    fputs(say(inv, id, en), stderr);
    return EXIT_USAGE;
}

int outcome_no_dataset(const struct invocation *inv, const struct odp_catalog *c, const char *slug)
{
    const char *near = odp_catalog_nearest(c, slug);
    fprintf(stderr, say(inv, W_cmd_there_no_dataset), slug, near != NULL ? say(inv, W_cmd_perhaps) : "",
            near != NULL ? near : "");
    return EXIT_USAGE;
}

bool outcome_colors(const struct invocation *inv, int fd)
{
    return !inv->no_color && getenv("NO_COLOR") == NULL && isatty(fd) == 1;
}

void outcome_faults(const struct invocation *inv, const struct odp_run *run)
{
    struct odp_buffer bytes = {0};
    size_t groups = 0;
    if (run->diags != NULL)
        odp_diags_groups(run->diags, &groups);
    if (groups > 0 &&
        odp_report_render(odp_report_find("human"), run->diags, &run->summary, &inv->style, &bytes) == ODP_OK)
        fwrite(bytes.ptr, 1, bytes.len, stderr);
    odp_buffer_release(&bytes);
}

const char *outcome_title(const struct invocation *inv, enum odp_code code, struct odp_arena *a)
{
    const struct odp_diag none = {.code = code,
                                  .args = {ODP_LIT("…"), ODP_LIT("…"), ODP_LIT("…"), ODP_LIT("…")}};
    struct odp_buffer title = {0};
    odp_report_fill(&title, &odp_code_info(code)->words.title, &none, inv->style.lang);
    const char *text = odp_arena_str(a, odp_buffer_cstr(&title));
    odp_buffer_release(&title);
    return text;
}

char *outcome_scratch(const char *name, struct odp_arena *a)
{
    char *path = odp_arena_printf(a, "%s/%s-XXXXXX", odp_temporary_place(), name);
    if (mkdtemp(path) != NULL)
        return path;
    (void)odp_failure_set("create", path, errno);
    return NULL;
}
