/* How long to wait before a try is repeated. */
#include <errno.h>
#include <time.h>

#include "base/remote/remote_internal.h"

void remote_pause(unsigned n)
{
    struct timespec t = {.tv_sec = 0, .tv_nsec = 300000000L};
    for (unsigned i = 1; i < n; i++) {
        t.tv_nsec *= 2;
        t.tv_sec = 2 * t.tv_sec + t.tv_nsec / 1000000000L;
        t.tv_nsec %= 1000000000L;
    }
    while (nanosleep(&t, &t) != 0 && errno == EINTR)
        ;
}
