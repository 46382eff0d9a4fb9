#include "service/state/priority.h"

#include <sys/resource.h>

void odp_thread_stand_back(int less)
{
    int now = getpriority(PRIO_PROCESS, 0);
    (void)setpriority(PRIO_PROCESS, 0, now + less < 19 ? now + less : 19);
}
