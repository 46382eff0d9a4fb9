#include "base/json_load.h"

#include <string.h>

#include "base/arena.h"

static json_malloc_t get_before; /* as the program, or a test, has set them */
static json_free_t free_before;

static void *get(size_t n)
{
    void *p = get_before(n);
    return p != NULL ? p : odp_reserve_alloc(n);
}

static void give_back(void *p)
{
    if (!odp_reserve_free(p))
        free_before(p);
}

void odp_json_start(void)
{
    json_get_alloc_funcs(&get_before, &free_before);
    json_set_alloc_funcs(get, give_back);
}

json_t *odp_json_load(const char *text, size_t len, size_t flags, json_error_t *error)
{
    return json_loadb(text, len, flags, error);
}

void odp_json_free_text(char *text)
{
    json_free_t release;
    json_malloc_t unused;
    json_get_alloc_funcs(&unused, &release);
    release(text);
}

json_t *odp_json_find(const json_t *list, const char *key, const char *text)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *own = odp_json_text(json_array_get(list, i), key);
        if (own != NULL && text != NULL && strcmp(own, text) == 0)
            return json_array_get(list, i);
    }
    return NULL;
}
