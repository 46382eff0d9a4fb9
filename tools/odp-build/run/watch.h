/* Waiting for the files that a build reads (build --watch; every round is an ordinary build): inotify on all
 * folders of the catalogue and of the sources, and on files elsewhere that links in them lead to.
 *
 * A watch sees one change and is then closed; the next is opened before the build that follows, so that
 * nothing is lost between: what changed before it was opened the build reads, what changes later it sees. So
 * it needs no book-keeping of folders that come, go or are renamed. Folders and files that begin with '.'
 * (editors' and git's own; never a source), and "…~", are not looked at. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

struct odp_watch_options {
    const char *catalog, *sources, *templates; /* folders; but for the first they may be NULL. One that is
                                                  missing is waited for. */
    const char *const *ours; /* what a build writes: PATH, PATH.builds and PATH.….tmp never count */
    size_t nours;
};

struct odp_watch;
enum odp_status odp_watch_open(struct odp_watch **out, const struct odp_watch_options *o) ODP_MUST_USE;
void odp_watch_close(struct odp_watch *w); /* NULL is allowed */
/* OK: something has changed, and no more for 50 ms, but at the latest 500 ms after the first change. A file
 * that is being written (it changed and was not closed) is given 300 ms of quiet and 5 s: half a copied file
 * must not be taken for a whole one. Also OK after TIMEOUT ms (-1: none). DONE: the descriptor STOP became
 * readable. */
enum odp_status odp_watch_wait(struct odp_watch *w, int stop, int timeout) ODP_MUST_USE;
/* The first file that changed, or "": the timeout. Until close. */
const char *odp_watch_changed(const struct odp_watch *w);
