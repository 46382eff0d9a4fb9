/* What paper.c and tags.c both end in: a failure that is kept, an array that grows. */
#include "write/typesetting/typesetting_internal.h"

#include <stdlib.h>

void odp_paper_fail(struct odp_paper *p, const char *what, const char *which)
{
    if (!p->failed)
        (void)odp_failure_set(what, which, 0);
    p->failed = true;
}

void *odp_paper_grow(struct odp_paper *p, void *array, size_t n, size_t *cap, size_t size)
{
    if (n < *cap)
        return array;
    size_t more = *cap == 0 ? 16 : *cap * 2;
    void *grown = more > *cap ? odp_realloc_array(array, more, size) : NULL;
    if (grown == NULL) {
        odp_paper_fail(p, "allocate memory", NULL);
        return NULL;
    }
    *cap = more;
    return grown;
}
