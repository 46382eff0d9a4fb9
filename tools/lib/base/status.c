/* Why the machine failed: one record a thread, the first wins, because what follows a failure is mostly its
 * echo; and the first of all threads, for who waits for another one's work. */
#include "base/status.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct failure {
    char text[1024];
    int number;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct failure first; /* of all threads */
static _Thread_local struct failure own;

enum odp_status odp_failure_set(const char *op, const char *path, int errnum)
{
    struct failure f = {.number = errnum};
    char reason[160] = "";
    const char *why = "", *colon = errnum > 0 ? ": " : "";
    if (errnum == ESTALE)
        why = "it has changed while it was read";
    else if (errnum > 0)
        why = strerror_r(errnum, reason, sizeof reason);
    if (path != NULL)
        snprintf(f.text, sizeof f.text, "%s %.700s%s%s", op, path, colon, why);
    else
        snprintf(f.text, sizeof f.text, "%s%s%s", op, colon, why);
    if (own.text[0] == '\0')
        own = f;
    pthread_mutex_lock(&lock);
    if (first.text[0] == '\0') /* another thread may have cleared it since this one failed */
        first = f;
    pthread_mutex_unlock(&lock);
    return ODP_FAIL;
}

static atomic_bool refused;

enum odp_status odp_failure_memory(void)
{
    atomic_store(&refused, true);
    return odp_failure_set("allocate memory", NULL, ENOMEM);
}

enum odp_status odp_memory_status(void)
{
    return atomic_load(&refused) ? odp_failure_memory() : ODP_OK;
}

void odp_memory_forget(void)
{
    atomic_store(&refused, false);
}

/* What this thread knows: its own failure, else the first of another. */
static const struct failure *known(void)
{
    pthread_mutex_lock(&lock);
    if (own.text[0] == '\0')
        own = first;
    pthread_mutex_unlock(&lock);
    return &own;
}

const char *odp_failure_text(void)
{
    return known()->text;
}

int odp_failure_errno(void)
{
    return known()->number;
}

void odp_failure_clear(void)
{
    pthread_mutex_lock(&lock);
    first = own = (struct failure){0};
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
