/* The kinds of events, and the lines of the log. A broken chain, or a file that is cut short, has no events
 * at all: whoever rewrote the log may have rewritten what it says. */
#include "service/webhooks/events/events.h"

#include "base/line.h"
#include "published/release_log.h"

static const struct odp_event_info infos[] = {
#define ODP_EVENT(symbol, type, audience, coalesced, id, en) {type, audience, coalesced, {{id, en}}},
#include "contract/events.def"
#undef ODP_EVENT
};

const struct odp_event_info *odp_event_info(enum odp_event_type t)
{
    return &infos[t];
}

int odp_event_find(struct odp_slice name)
{
    for (int t = 0; t < ODP_EVENT_TYPES; t++)
        if (odp_slice_is(name, infos[t].name))
            return t;
    return -1;
}

/* ---- lines ---- */

static enum odp_status complain(struct odp_arena *a, const char **why, uint64_t line, const char *what)
{
    *why = odp_arena_printf(a, "releases.log:%llu: %s", (unsigned long long)line, what);
    return *why != NULL ? ODP_BAD : ODP_FAIL;
}

static enum odp_status check(struct odp_slice log, size_t n, struct odp_arena *a, const char **why)
{
    uint64_t line = 1;
    if (log.len > 0 && log.ptr[log.len - 1] != '\n')
        return complain(a, why, n + 1, "the last line has no end: the file is cut short");
    enum odp_status status = odp_log_check(log, &line);
    if (status == ODP_BAD)
        status = complain(
            a, why, line,
            "not JSON, or it does not name the line before it: the log was changed after it was written");
    return status;
}

enum odp_status odp_events_lines(struct odp_slice log, struct odp_event_line **lines, size_t *n,
                                 struct odp_arena *a, const char **why)
{
    size_t count = 0;
    *lines = NULL;
    *n = 0;
    for (size_t i = 0; i < log.len; i++)
        count += log.ptr[i] == '\n';
    enum odp_status status = check(log, count, a, why);
    if (status != ODP_OK)
        return status;
    struct odp_event_line *all = odp_arena_zero(a, count + 1, sizeof *all);
    for (size_t i = 0; i < count; i++) {
        all[i].text = odp_line_next(&log);
        all[i].before = i > 0 ? all[i - 1].text : (struct odp_slice){NULL, 0};
        all[i].n = i + 1;
        if (odp_digest_of(all[i].text.ptr, all[i].text.len, all[i].digest) != ODP_OK)
            return ODP_FAIL;
    }
    *lines = all;
    *n = count;
    return ODP_OK;
}
