/* Addresses that answer 410, read from the staged versions.json files. */
#include "base/json_load.h"
#include "site/versions/versions_internal.h"

void odp_gone_add(struct odp_gone *g, struct odp_gone_path path)
{
    if (g->n == g->cap) {
        size_t cap = g->cap != 0 ? g->cap * 2 : 64;
        struct odp_gone_path *grown = odp_realloc_array(g->paths, cap, sizeof *grown);
        g->arena->failed = g->arena->failed || grown == NULL;
        if (grown == NULL)
            return;
        g->paths = grown;
        g->cap = cap;
    }
    g->paths[g->n++] = path;
}

static bool is_withdrawn(const json_t *version)
{
    return strcmp(odp_text_of(version, "state"), "withdrawn") == 0 &&
           *odp_text_of(version, "version") != '\0';
}

static void add_dataset(struct odp_gone *g, const struct odp_stage *s, const json_t *versions,
                        const char *slug)
{
    static const char *const of_version[][2] = {{"data/", "/"}, {"v1/", "/v/"}}, *const of_all[][2] = {
                                                                                     {"v1/", ".json"},
                                                                                     {"v1/", "/"},
                                                                                     {"data/", "/latest/"},
                                                                                     {"data/",
                                                                                      "/latest.json"}};
    const json_t *version;
    size_t i;
    json_array_foreach(versions, i, version) for (size_t k = 0; k < 2 && is_withdrawn(version); k++)
        odp_gone_add(
            g, (struct odp_gone_path){odp_arena_printf(g->arena, "%s%s%s%s/", of_version[k][0], slug,
                                                       of_version[k][1], odp_text_of(version, "version")),
                                      slug, NULL, NULL});
    /* Nothing is current any more: the newest of all is withdrawn, and no build has been made since. */
    bool none = is_withdrawn(json_array_get(versions, 0)) &&
                odp_stage_find(s, odp_arena_printf(g->arena, "v1/%s.json", slug)) == NULL;
    for (i = 0; none && i < 4; i++)
        odp_gone_add(
            g, (struct odp_gone_path){odp_arena_printf(g->arena, "%s%s%s", of_all[i][0], slug, of_all[i][1]),
                                      slug, NULL, NULL});
}

/* Most datasets have no tombstone: a look at the text saves reading thousands of versions. */
static enum odp_status read_dataset(struct odp_gone *g, const struct odp_stage *s,
                                    const struct odp_site_file *f)
{
    static const char word[] = "\"withdrawn\"";
    struct odp_buffer text = {0};
    const char *path = odp_path_join(g->arena, odp_stage_dir(s), f->path);
    enum odp_status status = odp_file_read(path, (size_t)f->size, &text, NULL);
    if (status == ODP_OK && memmem(text.ptr, text.len, word, sizeof word - 1) != NULL) {
        json_t *root = odp_json_load(text.ptr, text.len, 0, NULL);
        add_dataset(g, s, json_object_get(root, "data"),
                    odp_arena_copy(g->arena, odp_site_path_slug(f->path)).ptr);
        status = root != NULL ? ODP_OK : ODP_BAD;
        json_decref(root);
    }
    odp_buffer_release(&text);
    return status == ODP_BAD ? odp_failure_set("read", f->path, 0) : status;
}

enum odp_status odp_gone_tombstones(struct odp_gone *g, const struct odp_stage *s)
{
    size_t n;
    const struct odp_site_file *files = odp_stage_histories(s, g->arena, &n);
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < n && status == ODP_OK; i++)
        status = read_dataset(g, s, &files[i]);
    return status == ODP_OK ? odp_arena_status(g->arena) : status;
}
