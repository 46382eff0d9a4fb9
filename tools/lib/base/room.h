/* Heap arrays that grow by one item at a time. */
#pragma once

#include <string.h>

#include "base/arena.h"

/* Whether LIST, of N items, has room for one more (it is moved to where it has); CAP: of how many items.
 * False: out of memory, recorded. */
#define odp_room(list, n, cap) ((n) < (cap) || odp_room_more(&(list), &(cap), sizeof *(list)))

/* LIST: the address of the pointer to the items. */
static inline bool odp_room_more(void *list, size_t *cap, size_t size)
{
    void *items;
    const size_t more = *cap + *cap / 2 + 16;
    memcpy(&items, list, sizeof items);
    items = odp_realloc_array(items, more, size);
    if (items == NULL)
        return false;
    memcpy(list, &items, sizeof items);
    *cap = more;
    return true;
}
