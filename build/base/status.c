/* Why the machine failed: one record a run, the first wins, because what follows a failure is mostly its echo. */
#include "base/status.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char text[1024];

enum odp_status odp_failure_set(const char *op, const char *path, int errnum)
{
    pthread_mutex_lock(&lock);
    if (text[0] == '\0') {
        char reason[160] = "";
        const char *why = errnum != 0 ? strerror_r(errnum, reason, sizeof reason) : NULL;
        snprintf(text, sizeof text, "%s%s%.700s%s%s", op, path != NULL ? " " : "", path != NULL ? path : "",
                 why != NULL ? ": " : "", why != NULL ? why : "");
    }
    pthread_mutex_unlock(&lock);
    return ODP_FAIL;
}

const char *odp_failure_text(void)
{
    return text;
}

void odp_failure_clear(void)
{
    pthread_mutex_lock(&lock);
    text[0] = '\0';
    pthread_mutex_unlock(&lock);
}
