/* A catalogue of its own around generated sources: descriptors, portal.json, changes.json, code lists. */
#include <stdlib.h>

#include "base/json_load.h"
#include "sample.h"

static void copy(struct sample_context *c, const char *from, const char *to)
{
    sample_put(c, to, sample_read(c, from, ""));
}

static void copy_lists(struct sample_context *c, const char *dir)
{
    struct odp_arena *a = &c->arena;
    const char *from = odp_arena_printf(a, "%s/references", c->catalog), **lists, **files;
    size_t n = 0, m = 0;
    sample_note(c, odp_dir_list(from, a, &lists, &n));
    for (size_t i = 0; i < n && sample_going(c); i++) {
        const char *source = odp_arena_printf(a, "%s/%s", from, lists[i]),
                   *target = odp_arena_printf(a, "%s/references/%s", dir, lists[i]);
        if (odp_file_kind_of(source) != ODP_FILE_FOLDER)
            continue;
        sample_note(c, odp_dir_make(target));
        sample_note(c, odp_dir_list(source, a, &files, &m));
        for (size_t k = 0; k < m && sample_going(c); k++)
            copy(c, odp_arena_printf(a, "%s/%s", source, files[k]),
                 odp_arena_printf(a, "%s/%s", target, files[k]));
    }
}

static bool kept(const json_t *fk, const char *const *slugs, size_t n)
{
    const char *to = odp_json_text(json_object_get(fk, "reference"), "dataset");
    bool known = to == NULL || strncmp(to, "references/", 11) == 0;
    for (size_t i = 0; i < n && !known; i++)
        known = strcmp(slugs[i], to) == 0;
    return known;
}

static void put_descriptor(struct sample_context *c, const char *slug, const char *const *slugs, size_t n,
                           const char *dir)
{
    json_t *package = sample_descriptor(c, slug), *r;
    size_t i;
    json_array_foreach(json_object_get(package, "resources"), i, r)
    {
        json_t *keys = json_object_get(r, "odp:foreignKeys");
        for (size_t k = json_array_size(keys); k-- > 0;)
            if (!kept(json_array_get(keys, k), slugs, n))
                (void)json_array_remove(keys, k);
    }
    char *text = json_dumps(package, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
    sample_put(c, odp_arena_printf(&c->arena, "%s/%s/dataset.json", dir, slug), odp_slice_of(text));
    free(text);
    json_decref(package);
}

void sample_write_catalogue(struct sample_context *c, const char *const *slugs, size_t n, const char *dir)
{
    static const char *const files[] = {"portal.json", "changes.json"};
    for (size_t i = 0; i < 2; i++)
        copy(c, odp_arena_printf(&c->arena, "%s/%s", c->catalog, files[i]),
             odp_arena_printf(&c->arena, "%s/%s", dir, files[i]));
    copy_lists(c, dir);
    for (size_t i = 0; i < n && sample_going(c); i++)
        put_descriptor(c, slugs[i], slugs, n, dir);
}
