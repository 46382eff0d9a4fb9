/* A file that is replaced as a whole: the new one is written next to it under a name that watchers ignore,
 * given the old one's owner and mode; the old one gets a second name (PATH.asli, then PATH.asli.2 …), and
 * only then the new one takes its place. A failure before that last step leaves everything as it was. A
 * symbolic link stays one: its target is replaced, and the original lies next to the target. */
#pragma once

#include "base/arena.h"
#include "repair/file_state.h"

struct odp_place {
    char *path;            /* of the file itself, behind links; it need not exist */
    const char *folder;    /* it is in */
    const char *temporary; /* a free name there, with PATH's ending, which chooses the reader */
};
/* Texts in A. OK or FAIL. */
enum odp_status odp_place_find(struct odp_place *out, const char *path, struct odp_arena *a) ODP_MUST_USE;
/* Gives the new file TEMPORARY the owner and mode of the old one. If we may not change the owner it is ours,
 * as with every editor. */
enum odp_status odp_place_copy_owner(const char *temporary, const struct stat *st) ODP_MUST_USE;
bool odp_place_may_write(const struct odp_place *p);
/* Puts the whole file at `temporary` in its place. *ORIGINAL: the old one's name, in A; NULL where there was
 * none. BAD: the file is no longer what BEFORE says, and FAIL: `temporary` is removed. */
enum odp_status odp_place_switch(const struct odp_place *p, const struct odp_file_state *before,
                                 struct odp_arena *a, const char **original) ODP_MUST_USE;
