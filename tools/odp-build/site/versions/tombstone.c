/* Addresses that answer 410, read from the staged versions.json files. */
#include "site/versions/tombstone.h"

#include <stdlib.h>

#include "base/json_load.h"
#include "published/stage.h"

struct list {
    struct odp_tombstone_path *paths;
    size_t n, cap;
    struct odp_arena *arena;
};

static enum odp_status add(struct list *l, const char *path, const char *slug)
{
    if (l->n == l->cap) {
        size_t cap = l->cap != 0 ? l->cap * 2 : 16;
        struct odp_tombstone_path *grown = odp_realloc_array(l->paths, cap, sizeof *grown);
        if (grown == NULL)
            return ODP_FAIL;
        l->paths = grown;
        l->cap = cap;
    }
    l->paths[l->n++] = (struct odp_tombstone_path){path, slug};
    return path != NULL && slug != NULL ? ODP_OK : ODP_FAIL;
}

/* The slug of "data/<slug>/versions.json"; NULL: another file, or no memory. */
static const char *slug_of(const char *path, struct odp_arena *a)
{
    const char *slash = strncmp(path, "data/", 5) == 0 ? strchr(path + 5, '/') : NULL;
    if (slash == NULL || strcmp(slash, "/versions.json") != 0)
        return NULL;
    return odp_arena_copy(a, (struct odp_slice){path + 5, (size_t)(slash - path) - 5}).ptr;
}

static bool is_withdrawn(const json_t *entry)
{
    const char *state = json_string_value(json_object_get(entry, "state"));
    return state != NULL && strcmp(state, "withdrawn") == 0 && json_string_value(json_object_get(entry, "version")) != NULL;
}

/* Nothing is current any more: the newest of all is withdrawn, and no build has been made since. */
static bool nothing_current(const struct odp_stage *s, const json_t *entries, const char *slug, struct odp_arena *a)
{
    const char *page = odp_arena_printf(a, "v1/%s.json", slug);
    return is_withdrawn(json_array_get(entries, 0)) && odp_stage_find(s, page) == NULL;
}

static enum odp_status add_dataset(struct list *l, const struct odp_stage *s, const json_t *entries, const char *slug)
{
    static const char *const around[][2] = {{"v1/", ".json"}, {"v1/", "/"}, {"data/", "/latest/"}, {"data/", "/latest.json"}};
    enum odp_status status = ODP_OK;
    size_t before = l->n;
    for (size_t i = 0; i < json_array_size(entries) && status == ODP_OK; i++) {
        const json_t *entry = json_array_get(entries, i);
        if (!is_withdrawn(entry))
            continue;
        const char *version = json_string_value(json_object_get(entry, "version"));
        status = add(l, odp_arena_printf(l->arena, "data/%s/%s/", slug, version), slug);
        if (status == ODP_OK)
            status = add(l, odp_arena_printf(l->arena, "v1/%s/v/%s/", slug, version), slug);
    }
    for (size_t i = 0; status == ODP_OK && i < 4 && l->n > before && nothing_current(s, entries, slug, l->arena); i++)
        status = add(l, odp_arena_printf(l->arena, "%s%s%s", around[i][0], slug, around[i][1]), slug);
    return status;
}

/* Most datasets have no tombstone: a look at the text saves reading thousands of versions. */
static enum odp_status read_dataset(struct list *l, const struct odp_stage *s, const struct odp_site_file *f, const char *slug)
{
    static const char word[] = "\"withdrawn\"";
    struct odp_buffer text;
    odp_buffer_init(&text);
    const char *path = odp_path_join(l->arena, odp_stage_dir(s), f->path);
    enum odp_status status = odp_file_read(path, (size_t)f->size, &text, NULL);
    if (status == ODP_OK && memmem(text.ptr, text.len, word, sizeof word - 1) != NULL) {
        json_t *root = odp_json_load(text.ptr, text.len, 0, NULL);
        status = root != NULL ? add_dataset(l, s, json_object_get(root, "data"), slug) : odp_failure_set("read", f->path, 0);
        json_decref(root);
    }
    odp_buffer_release(&text);
    return status == ODP_BAD ? odp_failure_set("read", f->path, 0) : status;
}

enum odp_status odp_tombstone_paths(const struct odp_stage *s, struct odp_tombstone_path **paths, size_t *n,
                                    struct odp_arena *a)
{
    struct list l = {.arena = a};
    enum odp_status status = ODP_OK;
    size_t count;
    const struct odp_site_file *files = odp_stage_files(s, &count);
    for (size_t i = 0; i < count && status == ODP_OK; i++) {
        const char *slug = slug_of(files[i].path, a);
        if (slug != NULL)
            status = read_dataset(&l, s, &files[i], slug);
    }
    *n = l.n;
    *paths = odp_arena_array(a, l.n + 1, sizeof **paths);
    if (*paths == NULL)
        status = ODP_FAIL;
    else if (l.n > 0)
        memcpy(*paths, l.paths, l.n * sizeof **paths);
    free(l.paths);
    return status;
}
