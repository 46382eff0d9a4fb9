/* The code lists of places: which list lies in which, their codes with names, and the place around each. */
#include "site/model/places_internal.h"

#include "published/layout.h"

struct reading {
    struct odp_places *p;
    enum odp_status status;
    const json_t *labels; /* of the list at hand */
    json_t *above;        /* of each of its codes: that of the place around it */
};

/* "kabkota" of "references/kabkota". */
static const char *last_part(const char *slug)
{
    const char *slash = strrchr(slug, '/');
    return slash != NULL ? slash + 1 : slug;
}

size_t places_list_of(const struct odp_places *p, const char *slug)
{
    for (size_t i = 0; i < p->nlists; i++)
        if (strcmp(p->lists[i].slug, last_part(slug)) == 0)
            return i;
    return PLACES_NONE;
}

static json_t *read_document(struct reading *r, const char *path)
{
    json_t *document = NULL;
    if (r->status == ODP_OK)
        r->status = odp_job_read(r->p->job, path, &document);
    if (document != NULL)
        odp_add(r->p->held, document);
    return document;
}

/* ---- which lists ---- */

/* The field of LIST with the code of what its places lie in: its first key into another list of places. */
static void set_parent(struct odp_places *p, struct place_list *list, const json_t *schema)
{
    const json_t *key;
    size_t i;
    json_array_foreach(json_object_get(schema, "odp:foreignKeys"), i, key)
    {
        const json_t *fields = json_object_get(key, "fields");
        size_t to = places_list_of(p, odp_text_of(json_object_get(key, "reference"), "dataset"));
        if (json_array_size(fields) != 1 || to == PLACES_NONE || &p->lists[to] == list)
            continue;
        list->above = json_string_value(json_array_get(fields, 0));
        list->parent = to;
        return;
    }
}

static void read_schema(struct reading *r, struct place_list *list)
{
    const json_t *resource = json_array_get(json_object_get(list->entry, "resources"), 0), *key;
    json_t *schema = NULL;
    if (r->status == ODP_OK)
        r->status = odp_job_schema(r->p->job, list->slug, resource, &schema);
    if (schema != NULL)
        odp_add(r->p->held, schema);
    key = json_object_get(schema, "primaryKey");
    if (json_array_size(key) == 1)
        list->code = json_string_value(json_array_get(key, 0));
    set_parent(r->p, list, schema);
}

/* How many lists LIST lies in; lists that lie in one another lie in none. */
static void set_depth(struct odp_places *p, struct place_list *list)
{
    size_t at = list->parent;
    for (list->depth = 0; at != PLACES_NONE && list->depth <= p->nlists; list->depth++)
        at = p->lists[at].parent;
    if (list->depth > p->nlists) {
        list->parent = PLACES_NONE;
        list->depth = 0;
    }
}

/* What others lie in goes first; else the catalogue's order. */
static void sort_lists(struct odp_places *p)
{
    struct place_list *sorted = odp_arena_array(&p->arena, p->nlists + 1, sizeof *sorted);
    size_t number[PLACES_LISTS], n = 0;
    for (size_t depth = 0; depth < p->nlists; depth++)
        for (size_t i = 0; i < p->nlists; i++)
            if (p->lists[i].depth == depth) {
                number[i] = n;
                sorted[n++] = p->lists[i];
            }
    for (size_t i = 0; i < n; i++)
        if (sorted[i].parent != PLACES_NONE)
            sorted[i].parent = number[sorted[i].parent];
    p->lists = sorted;
}

static void find_lists(struct reading *r)
{
    struct odp_places *p = r->p;
    const json_t *entry;
    size_t i;
    p->lists = odp_arena_zero(&p->arena, PLACES_LISTS, sizeof *p->lists);
    json_array_foreach(p->job->entries, i, entry)
    {
        if (!json_is_true(json_object_get(entry, "places")) || p->nlists == PLACES_LISTS)
            continue;
        struct place_list *list = &p->lists[p->nlists++];
        *list =
            (struct place_list){.slug = odp_text_of(entry, "slug"), .entry = entry, .parent = PLACES_NONE};
        list->title = odp_model_both_or(entry, "title", list->slug);
        odp_add(p->held, list->title);
    }
    for (i = 0; i < p->nlists; i++)
        read_schema(r, &p->lists[i]);
    for (i = 0; i < p->nlists; i++)
        set_depth(p, &p->lists[i]);
    sort_lists(p);
}

/* ---- their places ---- */

/* A code of several editions is that of the newest. */
static void add_place(struct reading *r, struct place_list *list, const json_t *record)
{
    struct odp_places *p = r->p;
    const char *code = list->code != NULL ? odp_text_of(record, list->code) : "", *above;
    bool fresh;
    if (*code == '\0')
        return;
    (void)odp_map_put(&list->codes, odp_slice_of(code), &fresh);
    if (!fresh)
        return;
    json_t *name =
        json_object_get(r->labels, code) != NULL ? odp_model_both(r->labels, code) : json_string(code);
    odp_add(p->held, name);
    above = list->above != NULL ? odp_text_of(record, list->above) : "";
    p->all = odp_arena_more(&p->arena, p->all, p->nall, sizeof *p->all);
    p->all[p->nall] = (struct odp_place){.code = odp_arena_str(&p->arena, code),
                                         .list = list->slug,
                                         .name = name,
                                         .kind = list->title,
                                         .depth = list->depth,
                                         .number = p->nall,
                                         .level = (size_t)(list - p->lists)};
    p->nall++;
    odp_add(r->above, json_string(above));
}

/* All records of an edition, page by page as the API has them. */
static void read_edition(struct reading *r, struct place_list *list, const json_t *resource)
{
    const char *next = odp_text_of(resource, "api");
    while (*next != '\0' && r->status == ODP_OK) {
        const json_t *record;
        size_t i;
        json_t *page = read_document(r, places_printf(r->p, "v1/%s", next));
        json_array_foreach(json_object_get(page, "data"), i, record) add_place(r, list, record);
        next = odp_text_of(json_object_get(page, "links"), "next");
    }
}

static void read_places(struct reading *r, struct place_list *list)
{
    const json_t *editions = json_object_get(list->entry, "resources"), *resource;
    const char *edition = odp_text_of(json_array_get(editions, 0), "edition");
    size_t i;
    odp_map_init(&list->codes);
    list->first = r->p->nall;
    r->labels =
        json_object_get(read_document(r, odp_labels_path(list->slug, edition, &r->p->arena)), "labels");
    json_array_foreach(editions, i, resource) read_edition(r, list, resource);
}

/* The pointers, once the array of places moves no more. */
static void set_parents(struct reading *r)
{
    struct odp_places *p = r->p;
    for (size_t i = 0; i < p->nall; i++) {
        const size_t up = p->lists[p->all[i].level].parent;
        const char *code = json_string_value(json_array_get(r->above, i));
        if (up == PLACES_NONE || *code == '\0')
            continue;
        uint32_t at = odp_map_find(&p->lists[up].codes, odp_slice_of(code));
        if (at != ODP_MAP_NONE)
            p->all[i].parent = &p->all[p->lists[up].first + at];
    }
}

enum odp_status places_read_lists(struct odp_places *p)
{
    struct reading r = {.p = p, .above = json_array()};
    find_lists(&r);
    for (size_t i = 0; i < p->nlists; i++)
        read_places(&r, &p->lists[i]);
    set_parents(&r);
    json_decref(r.above);
    return r.status;
}
