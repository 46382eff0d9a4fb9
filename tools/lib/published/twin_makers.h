/* Inside of published: threads that compress staged files while others are still being made, and the queue
 * they share.
 *
 * A file is asked for once it is whole; its twins <path>.gz and <path>.br are made beside it, and are no part
 * of the stage until twins.c enters them. What was asked for and is not begun can be taken back. The calling
 * thread is one of the makers while it waits (odp_makers_finish), so that without threads of their own
 * everything is made there. */
#pragma once

#include "base/progress.h"
#include "published/press.h"

enum odp_twin_state { ODP_TWIN_NOT_ASKED, ODP_TWIN_ASKED, ODP_TWIN_BEGUN, ODP_TWIN_DONE };

/* The twins of one file. */
struct odp_twin_pair {
    const char *path; /* of the site */
    uint64_t size;
    enum odp_twin_state state[ODP_ENCODINGS];
    bool made[ODP_ENCODINGS];    /* of what is done: it is there; else it would be no smaller */
    bool entered[ODP_ENCODINGS]; /* it is a file of the stage now, not ours any more */
    struct odp_file_info info[ODP_ENCODINGS];
};

struct odp_makers;
/* Makes twins in the stage's folder DIR (borrowed), on THREADS threads of their own (as many as can be had).
 */
enum odp_status odp_makers_new(struct odp_makers **out, const char *dir, unsigned threads) ODP_MUST_USE;
/* Gives up what is asked for and begun. NULL is allowed. */
void odp_makers_free(struct odp_makers *m);
bool odp_makers_have_threads(const struct odp_makers *m);
/* The twin of PATH in one encoding (nothing happens where it was asked for before), or in all (E is
 * ODP_ENCODINGS). Any thread. */
void odp_makers_ask(struct odp_makers *m, const char *path, uint64_t size, enum odp_encoding e);
bool odp_makers_asked(struct odp_makers *m, const char *path, enum odp_encoding e);
/* What is known of PATH, or NULL. Once all that was asked for is done (odp_makers_finish). */
struct odp_twin_pair *odp_makers_find(struct odp_makers *m, const char *path);
/* Makes everything that is asked for; FAIL where one of them could not be made, now or before. */
enum odp_status odp_makers_finish(struct odp_makers *m, const struct odp_progress *progress) ODP_MUST_USE;
/* Takes back what is not begun, and waits for what is. */
void odp_makers_pause(struct odp_makers *m);
/* PATH goes: so do its twins. While paused. */
void odp_makers_forget(struct odp_makers *m, const char *path);
