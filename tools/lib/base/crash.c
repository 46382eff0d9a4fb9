#include "base/crash.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/thread.h"

static struct sigaction before_us[ODP_THREAD_FAULTS];
static void (*reporter)(int number, const void *address);

void odp_crash_say(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0) {
        /* nobody listens */
    }
}

static void crashed(int number, siginfo_t *info, void *context)
{
    reporter(number, info->si_addr);
    for (int i = 0; i < ODP_THREAD_FAULTS; i++)
        (void)sigaction(odp_thread_faults[i], &before_us[i], NULL);
    if (info->si_code <= 0) /* a process sent it; a fault comes again by itself */
        (void)raise(number);
}

void odp_crash_watch(void (*report)(int number, const void *address))
{
    static char room[ODP_THREAD_ROOM];
    const struct sigaction action = {.sa_sigaction = crashed, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    reporter = report;
    odp_thread_room(room);
    for (int i = 0; i < ODP_THREAD_FAULTS; i++)
        (void)sigaction(odp_thread_faults[i], &action, &before_us[i]); /* cannot fail with these arguments */
}
