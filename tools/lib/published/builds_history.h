/* OUT.builds/history: who switched the site, when, from which build to which. One JSON object a line, newest
 * last:
 *
 *   {"time":"2024-03-15T03:00:00Z","action":"build","from":"9f31…"|null,"to":"55b8…","by":"sari"|null}
 *
 * It is not part of the site, so it may hold the clock and names of people. Each line is appended and synced
 * at once; a killed run leaves at worst a torn last line, which readers skip and the next writer ends. */
#pragma once

#include "base/arena.h"
#include "base/status.h"

/* ACTION: build, rollback, withdraw. FROM, TO: digests; FROM and BY may be NULL. */
enum odp_status odp_builds_note(const char *builds_dir, const char *action, const char *from, const char *to,
                                const char *by) ODP_MUST_USE;

struct odp_builds_event {
    const char *time, *action, *from, *to, *by; /* FROM and BY may be NULL */
};
/* All events, oldest first; none if the file is missing. */
enum odp_status odp_builds_events(const char *builds_dir, struct odp_builds_event **list, size_t *n,
                                  struct odp_arena *a) ODP_MUST_USE;
