/* Why the machine failed: one record a thread, the first wins, because what follows a failure is mostly its
 * echo; and the first of all threads, for who waits for another one's work. */
#include "base/refusal.h"

#include <errno.h>
#include <pthread.h>
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
    char reason[160] = "";
    const char *why = "", *colon = errnum > 0 ? ": " : "";
    if (own.text[0] != '\0')
        return ODP_FAIL;
    if (errnum == ESTALE)
        why = "it has changed while it was read";
    else if (errnum > 0)
        why = strerror_r(errnum, reason, sizeof reason);
    if (path != NULL)
        snprintf(own.text, sizeof own.text, "%s %.700s%s%s", op, path, colon, why);
    else
        snprintf(own.text, sizeof own.text, "%s%s%s", op, colon, why);
    own.number = errnum;
    pthread_mutex_lock(&lock);
    if (first.text[0] == '\0')
        first = own;
    pthread_mutex_unlock(&lock);
    return ODP_FAIL;
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

/* ---- why the system refused, in words ---- */

static const struct odp_refusal rows[] = {
#define WORDS(number, ...) {.errnum = number, .name = #number, __VA_ARGS__},
#include "words/failures.h"
#undef WORDS
};

const struct odp_refusal *odp_refusal_find(int errnum)
{
    for (size_t i = 0; i < ODP_COUNT(rows); i++)
        if (rows[i].errnum == errnum)
            return &rows[i];
    return NULL;
}

const struct odp_refusal *odp_refusal_named(struct odp_slice name)
{
    for (size_t i = 0; i < ODP_COUNT(rows); i++)
        if (odp_slice_is(name, rows[i].name))
            return &rows[i];
    return NULL;
}

struct odp_text odp_refusal_text(int errnum)
{
    const struct odp_refusal *row = odp_refusal_find(errnum);
    const char *name = strerrorname_np(errnum), *words = strerrordesc_np(errnum);
    return row != NULL ? row->reason : (struct odp_text){{name != NULL ? name : "errno", words}};
}

enum odp_status odp_refusal_add(struct odp_arena *a, struct odp_text *why, int errnum)
{
    const struct odp_text reason = odp_refusal_text(errnum);
    for (int lang = 0; lang < ODP_LANGS; lang++)
        why->in[lang] = odp_arena_printf(a, "%s: %s", why->in[lang], reason.in[lang]);
    return ODP_BAD;
}
