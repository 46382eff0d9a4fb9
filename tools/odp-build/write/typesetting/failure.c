/* Failures that are kept, arrays that grow. */
#include <string.h>

#include "write/typesetting/typesetting_internal.h"

void odp_paper_fail(struct odp_paper *p, const char *what, const char *which)
{
    if (!p->failed)
        (void)odp_failure_set(what, which, 0);
    p->failed = true;
}

void *odp_paper_grow(struct odp_paper *p, void *array, size_t n, size_t size)
{
    bool full = n == 0 || (n >= 16 && (n & (n - 1)) == 0); /* 16 elements, then twice as many each time */
    void *grown = full ? odp_arena_array(p->arena, n == 0 ? 16 : 2 * n, size) : array;
    if (full && n > 0)
        memcpy(grown, array, n * size);
    return grown;
}
