#include "base/thread.h"

#include <signal.h>

const int odp_thread_faults[ODP_THREAD_FAULTS] = {SIGBUS, SIGSEGV, SIGABRT, SIGFPE, SIGILL};

bool odp_thread_start(pthread_t *out, void *(*run)(void *), void *arg)
{
    sigset_t mask, before;
    sigfillset(&mask);
    for (size_t i = 0; i < ODP_THREAD_FAULTS; i++)
        sigdelset(&mask, odp_thread_faults[i]);
    pthread_sigmask(SIG_SETMASK, &mask, &before);
    bool started = pthread_create(out, NULL, run, arg) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

void odp_thread_room(char room[static ODP_THREAD_ROOM])
{
    const stack_t own = {.ss_sp = room, .ss_size = ODP_THREAD_ROOM};
    stack_t now;
    if (sigaltstack(NULL, &now) == 0 && (now.ss_flags & SS_DISABLE) != 0)
        (void)sigaltstack(&own, NULL); /* cannot fail with these arguments */
}
