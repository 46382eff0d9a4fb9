/* The order in which resources are checked: targets of foreign keys before those that refer to them. */
#include "catalog/catalog_internal.h"

static bool targets_done(const struct odp_resource *r, const bool *done)
{
    for (size_t k = 0; k < r->nforeign; k++)
        if (r->foreign[k].target != r && !done[r->foreign[k].target->index])
            return false;
    return true;
}

/* Again and again the first resource whose targets have had their turn; in a cycle simply the first. */
void order_resources(struct odp_catalog *c)
{
    bool *done = odp_arena_zero(&c->arena, c->nresources + 1, sizeof *done);
    c->order = odp_arena_zero(&c->arena, c->nresources + 1, sizeof *c->order);
    size_t first = 0; /* all before it are done */
    for (size_t n = 0; n < c->nresources; n++) {
        while (done[first])
            first++;
        size_t next = first;
        while (next < c->nresources && (done[next] || !targets_done(c->resources[next], done)))
            next++;
        if (next == c->nresources)
            next = first;
        done[next] = true;
        c->order[n] = c->resources[next];
    }
}
