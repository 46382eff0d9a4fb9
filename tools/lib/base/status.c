/* Why the machine failed: one record a run, the first wins, because what follows a failure is mostly its
 * echo. */
#include "base/status.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char text[1024];
static atomic_int number; /* asked for without the lock */

enum odp_status odp_failure_set(const char *op, const char *path, int errnum)
{
    pthread_mutex_lock(&lock);
    if (text[0] == '\0') {
        char reason[160] = "";
        const char *why = "", *colon = errnum > 0 ? ": " : "";
        if (errnum == ESTALE)
            why = "it has changed while it was read";
        else if (errnum > 0)
            why = strerror_r(errnum, reason, sizeof reason);
        if (path != NULL)
            snprintf(text, sizeof text, "%s %.700s%s%s", op, path, colon, why);
        else
            snprintf(text, sizeof text, "%s%s%s", op, colon, why);
        number = errnum;
    }
    pthread_mutex_unlock(&lock);
    return ODP_FAIL;
}

const char *odp_failure_text(void)
{
    return text;
}

int odp_failure_errno(void)
{
    return number;
}

void odp_failure_clear(void)
{
    pthread_mutex_lock(&lock);
    text[0] = '\0';
    number = 0;
    pthread_mutex_unlock(&lock);
}

static void (*ending)(const char *why);

void odp_failure_on_end(void (*end)(const char *why))
{
    ending = end;
}

void odp_failure_end(const char *why)
{
    if (ending != NULL)
        ending(why);
    abort();
}
