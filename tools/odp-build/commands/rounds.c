#include "commands/rounds.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "base/file.h"
#include "commands/failure.h"
#include "run/watch.h"
#include "words/commands.h"

enum { RETRY = 1000 }; /* ms after another build held the site */

static int stop_pipe[2] = {-1, -1}; /* written by the handler, read by the wait */

static void stop(int signal_number)
{
    ssize_t n = write(stop_pipe[1], "", 1);
    (void)n; /* full: a stop was requested before */
}

static bool catch_signals(void)
{
    const struct sigaction action = {.sa_handler = stop, .sa_flags = SA_RESTART | (int)SA_RESETHAND};
    return pipe2(stop_pipe, O_CLOEXEC | O_NONBLOCK) == 0 && sigaction(SIGINT, &action, NULL) == 0 &&
           sigaction(SIGTERM, &action, NULL) == 0;
}

/* A failed build has reported its errors; the next may be better. */
int rounds_run(struct rounds *r)
{
    struct invocation *inv = r->inv;
    const char *ours[MAX_REPORTS + 1] = {inv->options.out};
    struct odp_watch_options o = {.catalog = inv->options.catalog,
                                  .sources = inv->options.sources,
                                  .templates = inv->options.share_named ? inv->options.share : NULL,
                                  .ours = ours,
                                  .nours = 1};
    struct odp_watch *watch = NULL, *next;
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < inv->nreports; i++)
        if (inv->reports[i].file != NULL)
            ours[o.nours++] = inv->reports[i].file;
    if (!catch_signals()) {
        perror("odp-build: signal");
        return EXIT_MACHINE;
    }
    for (bool first = true; status == ODP_OK; first = false) {
        bool busy = false;
        status = odp_watch_open(&next, &o); /* before the build, so that changes during it are seen */
        if (status != ODP_OK)
            break;
        bool speaks = r->speaks && !inv->style.quiet;
        if (!first && speaks && *odp_watch_changed(watch) != '\0')
            fprintf(stderr, "\n%s: %s\n", say(inv, W_cmd_changed), odp_watch_changed(watch));
        int code = r->round(r, &busy);
        odp_watch_close(watch);
        watch = next;
        odp_failure_clear();
        odp_memory_forget();
        if (first && code == EXIT_USAGE && odp_file_kind_of(o.catalog) != ODP_FILE_FOLDER) {
            odp_watch_close(watch);
            return code; /* most likely a typing error: there is nothing to watch */
        }
        if (fflush(stdout) != 0)
            break; /* main reports it */
        if (speaks)
            fputs(say(inv, W_cmd_waiting_for_changes_ctrl_c), stderr);
        status = odp_watch_wait(watch, stop_pipe[0], busy ? RETRY : -1);
    }
    odp_watch_close(watch);
    if (status == ODP_FAIL)
        failure_say(inv, say(inv, W_cmd_changes_cannot_watched));
    return status == ODP_FAIL ? EXIT_MACHINE : EXIT_CLEAN;
}
