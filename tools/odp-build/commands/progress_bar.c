#include "commands/progress_bar.h"

#include <unistd.h>

#include "base/monotonic.h"
#include "words/commands.h"

#define BAR_CELLS  24
#define DRAW_EVERY 0.1 /* seconds */
#define DRAW_AFTER 0.3 /* short work shows no bar */

static const char *phase_name(const struct invocation *inv, enum odp_phase phase)
{
    switch (phase) {
    case ODP_PHASE_CATALOG:
        return say(inv, W_cmd_catalogue);
    case ODP_PHASE_CHECK:
        return say(inv, W_cmd_check);
    case ODP_PHASE_PUBLISH:
        return say(inv, W_cmd_publish);
    case ODP_PHASE_SWITCH:
        return say(inv, W_cmd_switch);
    }
    return "";
}

static void draw(void *ctx, enum odp_phase phase, const char *name, uint64_t done, uint64_t total,
                 uint64_t rows)
{
    struct progress_bar *bar = ctx;
    double now = odp_monotonic_seconds(), elapsed = now - bar->started;
    if (elapsed < DRAW_AFTER || now - bar->drawn < DRAW_EVERY)
        return;
    bar->drawn = now;
    bar->visible = true;
    double share = total > 0 ? (double)done / (double)total : 0;
    if (share > 1)
        share = 1;
    int full = (int)(share * BAR_CELLS);
    fprintf(stderr, "\r\033[K%-10s ", phase_name(bar->inv, phase));
    for (int i = 0; i < BAR_CELLS; i++)
        fputs(i < full ? "█" : "░", stderr);
    fprintf(stderr, " %3d %%  %s", (int)(share * 100), name);
    if (rows > 0)
        fprintf(stderr, "  %llu %s", (unsigned long long)rows, say(bar->inv, W_cmd_rows));
    if (done > 0 && elapsed > 0)
        fprintf(stderr, "  %.0f MB/s", (double)done / elapsed / 1e6);
    if (share > 0.02 && share < 1)
        fprintf(stderr, "  %s %.0f s", say(bar->inv, W_cmd_left), elapsed * (1 - share) / share);
    fflush(stderr);
}

void progress_bar_init(struct progress_bar *bar, const struct invocation *inv)
{
    bool on = !inv->no_progress && !inv->style.quiet && isatty(STDERR_FILENO);
    *bar = (struct progress_bar){
        .progress = {bar, on ? draw : NULL}, .inv = inv, .started = odp_monotonic_seconds()};
}

void progress_bar_finish(struct progress_bar *bar)
{
    if (bar->visible)
        fputs("\r\033[K", stderr);
    bar->visible = false;
}
