/* A catalogue of its own around generated sources: descriptors, portal.json, changes.json, code lists. */
#include "sample.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static enum odp_status put(const char *path, struct odp_slice bytes)
{
    (void)remove(path);
    return odp_file_put(path, bytes, 0644, NULL);
}

static enum odp_status copy(struct sample_context *c, const char *from, const char *to)
{
    struct odp_buffer b;
    odp_buffer_init(&b);
    int errnum = 0;
    enum odp_status s = odp_file_read(from, (size_t)1 << 28, &b, &errnum);
    if (s == ODP_BAD)
        (void)sample_bad(c, "%s: %s", from, strerror(errnum));
    if (s == ODP_OK)
        s = put(to, odp_buffer_slice(&b));
    odp_buffer_release(&b);
    return s;
}

static enum odp_status copy_lists(struct sample_context *c, const char *dir)
{
    struct odp_arena *a = &c->arena;
    char *from = odp_arena_printf(a, "%s/references", c->catalog);
    const char **lists, **files;
    size_t n, m;
    enum odp_status s = odp_dir_list(from, a, &lists, &n);
    for (size_t i = 0; s == ODP_OK && i < n; i++) {
        char *source = odp_arena_printf(a, "%s/%s", from, lists[i]),
             *target = odp_arena_printf(a, "%s/references/%s", dir, lists[i]);
        if (odp_file_kind_of(source) != ODP_FILE_FOLDER)
            continue;
        s = odp_dir_make(target);
        if (s == ODP_OK)
            s = odp_dir_list(source, a, &files, &m);
        for (size_t k = 0; s == ODP_OK && k < m; k++) {
            char *x = odp_arena_printf(a, "%s/%s", source, files[k]),
                 *y = odp_arena_printf(a, "%s/%s", target, files[k]);
            s = copy(c, x, y);
        }
    }
    return s;
}

static bool kept(const json_t *fk, const char *const *slugs, size_t n)
{
    const char *to = json_string_value(json_object_get(json_object_get(fk, "reference"), "dataset"));
    if (to == NULL || strncmp(to, "references/", 11) == 0)
        return true;
    for (size_t i = 0; i < n; i++)
        if (strcmp(slugs[i], to) == 0)
            return true;
    return false;
}

static enum odp_status put_descriptor(struct sample_context *c, const char *slug, const char *const *slugs,
                                      size_t n, const char *dir)
{
    json_t *package = NULL, *r;
    enum odp_status s = sample_descriptor(c, slug, &package);
    if (s != ODP_OK)
        return s;
    size_t i;
    json_array_foreach(json_object_get(package, "resources"), i, r)
    {
        json_t *keys = json_object_get(r, "odp:foreignKeys");
        for (size_t k = json_array_size(keys); k-- > 0;)
            if (!kept(json_array_get(keys, k), slugs, n))
                (void)json_array_remove(keys, k);
    }
    char *text = json_dumps(package, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
    char *path = odp_arena_printf(&c->arena, "%s/%s/dataset.json", dir, slug);
    if (text == NULL)
        s = odp_failure_set("json", slug, ENOMEM);
    if (s == ODP_OK)
        s = put(path, odp_slice_of(text));
    free(text);
    json_decref(package);
    return s;
}

enum odp_status sample_write_catalogue(struct sample_context *c, const char *const *slugs, size_t n,
                                       const char *dir)
{
    static const char *const files[] = {"portal.json", "changes.json"};
    enum odp_status s = ODP_OK;
    for (size_t i = 0; i < 2 && s == ODP_OK; i++) {
        char *from = odp_arena_printf(&c->arena, "%s/%s", c->catalog, files[i]),
             *to = odp_arena_printf(&c->arena, "%s/%s", dir, files[i]);
        s = copy(c, from, to);
    }
    if (s == ODP_OK)
        s = copy_lists(c, dir);
    for (size_t i = 0; i < n && s == ODP_OK; i++)
        s = put_descriptor(c, slugs[i], slugs, n, dir);
    return s;
}
