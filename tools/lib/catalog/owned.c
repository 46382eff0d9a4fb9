/* JSON trees that live as long as the catalogue. Patterns are the other thing it owns: pattern.c. */
#include "catalog/doc_internal.h"

static bool own_add(struct catalog_own *own, struct own_item **list, void *p)
{
    struct own_item *item = odp_arena_alloc(&own->c.arena, sizeof *item);
    if (item == NULL)
        return false;
    *item = (struct own_item){p, *list};
    *list = item;
    return true;
}

bool own_json(struct catalog_own *own, json_t *j)
{
    bool ok = own_add(own, &own->json, j);
    if (!ok)
        json_decref(j);
    return ok;
}
