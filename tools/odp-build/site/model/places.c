/* Opens the places of a site, and finds them. */
#include "site/model/places_internal.h"

#include "published/paths.h"

/* ---- which have pages ---- */

static void tell(struct odp_places *p, enum odp_code code, const char *list, const char *place,
                 const char *other)
{
    const struct odp_diag d = {.code = code,
                               .dataset = list,
                               .args = {odp_slice_of(place), odp_slice_of(list), odp_slice_of(other)}};
    (void)odp_diags_add(p->job->diags, &d); /* a failure latches */
}

/* The list before LIST that has CODE, too; or NULL. */
static const struct place_list *before(const struct odp_places *p, size_t list, const char *code)
{
    for (size_t i = 0; i < list; i++)
        if (odp_map_find(&p->lists[i].codes, odp_slice_of(code)) != ODP_MAP_NONE)
            return &p->lists[i];
    return NULL;
}

static void judge(struct odp_places *p)
{
    for (size_t i = 0; i < p->nall; i++) {
        struct odp_place *place = &p->all[i];
        struct place_list *list = &p->lists[place->level];
        const struct place_list *twin = list->shadowed ? NULL : before(p, place->level, place->code);
        if (twin != NULL) {
            list->shadowed = true;
            tell(p, ODP_V93, list->slug, place->code, twin->slug);
        }
        if (place->known && !odp_path_place_is(place->code)) {
            place->known = false;
            tell(p, ODP_V92, list->slug, place->code, "");
        }
    }
    p->known = odp_arena_array(&p->arena, p->nall + 1, sizeof *p->known);
    for (size_t i = 0; i < p->nall; i++) {
        p->all[i].known = p->all[i].known && !p->lists[p->all[i].level].shadowed;
        if (p->all[i].known)
            p->known[p->nknown++] = &p->all[i];
    }
}

enum odp_status odp_places_open(struct odp_places **out, const struct odp_site_job *job)
{
    struct odp_arena arena;
    odp_arena_init(&arena);
    struct odp_places *p = odp_arena_zero(&arena, 1, sizeof *p);
    p->job = job;
    p->held = json_array();
    p->summaries = json_object();
    p->arena = arena;
    enum odp_status status = places_read_lists(p);
    if (status == ODP_OK)
        status = places_key_lists(p);
    if (status == ODP_OK)
        status = places_read_tables(p);
    judge(p);
    *out = p;
    return status == ODP_OK ? odp_arena_status(&p->arena) : status;
}

void odp_places_close(struct odp_places *p)
{
    if (p == NULL)
        return;
    for (size_t i = 0; i < p->nlists; i++)
        odp_map_release(&p->lists[i].codes);
    json_decref(p->held);
    json_decref(p->summaries);
    struct odp_arena arena = p->arena; /* P lies in it */
    odp_arena_release(&arena);
}

/* ---- asked ---- */

const struct odp_place *const *odp_places_all(const struct odp_places *p, size_t *n)
{
    *n = p != NULL ? p->nknown : 0;
    return p != NULL ? p->known : NULL;
}

const struct odp_place *odp_places_find(const struct odp_places *p, const char *list, const char *code)
{
    const size_t i = p != NULL ? places_list_of(p, list) : PLACES_NONE;
    const uint32_t at =
        i != PLACES_NONE ? odp_map_find(&p->lists[i].codes, odp_slice_of(code)) : ODP_MAP_NONE;
    const struct odp_place *place = at != ODP_MAP_NONE ? &p->all[p->lists[i].first + at] : NULL;
    return place != NULL && place->known ? place : NULL;
}

enum odp_status odp_places_status(const struct odp_places *p)
{
    return p->status == ODP_OK ? odp_arena_status(&p->arena) : p->status;
}

json_t *odp_places_summary(const struct odp_places *p, const char *path)
{
    return p != NULL ? json_object_get(p->summaries, path) : NULL;
}

bool odp_places_has(const struct odp_places *p, const char *list)
{
    const size_t i = p != NULL ? places_list_of(p, list) : PLACES_NONE;
    for (size_t k = 0; i != PLACES_NONE && k < p->nknown; k++)
        if (p->known[k]->level == i)
            return true;
    return false;
}
