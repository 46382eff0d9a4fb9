#include "base/json_load.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

static json_malloc_t before_us; /* as the program has set it */
static _Thread_local bool refused;

static void *get(size_t n)
{
    void *p = before_us(n);
    refused = refused || p == NULL;
    return p;
}

static void watch(void)
{
    json_free_t release;
    json_get_alloc_funcs(&before_us, &release);
    json_set_alloc_funcs(get, release);
}

json_t *odp_json_load(const char *text, size_t len, size_t flags, json_error_t *error)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    json_error_t own;
    if (error == NULL)
        error = &own;
    (void)pthread_once(&once, watch);
    refused = false;
    json_t *value = json_loadb(text, len, flags, error);
    if (!refused)
        return value;
    json_decref(value);
    (void)snprintf(error->text, sizeof error->text, "out of memory");
    error->text[sizeof error->text - 1] = json_error_out_of_memory; /* where json_error_code looks for it */
    return NULL;
}
