/* A version of a resource: its schema and its query index, seen with the fields of the newest version, by
 * their names of today (odp:formerNames). A field that the version does not have is null in all its records.
 */
#include "published/schema_change.h"
#include "base/json_load.h"
#include "published/version_reading.h"
#include "service/webhooks/events/match_internal.h"

/* "search/<slug>/<version>/<slug>[-<resource>]-", 16 hex digits and ".sqlite", from the schema's path. */
static const struct odp_site_file *find_index(const struct odp_site *site, const json_t *resource,
                                              struct odp_arena *a)
{
    static const char tail[] = ".sqlite";
    const char *schema = odp_version_path(odp_json_text(resource, "schema"));
    const char *slug = schema != NULL && strncmp(schema, "data/", 5) == 0 ? schema + 5 : "",
               *version = strchr(slug, '/');
    const char *name = version != NULL ? strstr(version + 1, "/schema") : NULL;
    if (name == NULL)
        return NULL;
    const char *rest = name + strlen("/schema");
    size_t len = strcspn(rest, "."), n, count = 0;
    const char *prefix = odp_arena_printf(a, "search/%.*s/%.*s%.*s-", (int)(name - slug), slug,
                                          (int)(version - slug), slug, (int)len, rest);
    const struct odp_site_file *files = odp_site_files(site, &count);
    n = strlen(prefix);
    for (size_t i = 0; i < count; i++)
        if (strncmp(files[i].path, prefix, n) == 0 &&
            strspn(files[i].path + n, "0123456789abcdef") == ODP_SEARCH_ID &&
            strcmp(files[i].path + n + ODP_SEARCH_ID, tail) == 0)
            return &files[i];
    return NULL;
}

static enum odp_status open_index(struct match_side *s, const struct odp_site *site, struct odp_arena *a,
                                  struct odp_diags *diags)
{
    const struct odp_site_file *f = find_index(site, s->resource, a);
    const char *path = NULL, *why = NULL;
    if (f == NULL)
        return ODP_DONE;
    if (!odp_site_has(site, f)) /* nothing is fetched */
        return ODP_BAD;
    enum odp_status status = odp_site_local(site, f, a, &path, diags);
    if (status == ODP_OK)
        status = odp_site_intact(site, f, path);
    if (status == ODP_OK)
        status = odp_index_open(&s->index, path, 1, &why);
    if (status == ODP_BAD)
        status = odp_site_complain(diags, odp_site_shown(site), f->path, "manifest.json");
    if (status == ODP_OK)
        s->info = odp_index_info(s->index);
    return status;
}

enum odp_status match_side_open(struct match_side *s, const struct odp_site *site, struct odp_arena *a,
                                struct odp_diags *diags)
{
    enum odp_status status = odp_version_layout_open(&s->layout, site, s->resource, a, diags);
    return status == ODP_OK ? open_index(s, site, a, diags) : status;
}

void match_side_close(struct match_side *s)
{
    odp_index_close(s->index);
    odp_version_reading_close(NULL, s->layout);
    s->index = NULL;
    s->layout = NULL;
}

/* Where the newest's column K is in S. Queryables keep their names. */
static int column_of(const struct match_side *s, const struct match_side *newest, uint32_t k,
                     const int *old_of)
{
    const char *name = newest->info->columns[k].name;
    int field = newest->info->columns[k].of_record ? odp_layout_find(newest->layout, name) : -1;
    if (field >= 0)
        name = old_of[field] >= 0 ? s->layout->fields[old_of[field]].name : NULL;
    return name != NULL ? odp_search_find(s->info, odp_slice_of(name)) : -1;
}

enum odp_status match_side_view(struct match_side *s, const struct match_side *newest, struct odp_arena *a)
{
    struct odp_schema_changes changes;
    const struct odp_search_info *now = newest->info;
    enum odp_status status = odp_schema_compare(&changes, s->layout, newest->layout, a);
    if (status != ODP_OK)
        return status;
    s->column = odp_arena_array(a, (size_t)now->ncolumns + 1, sizeof *s->column);
    s->schema = now->schema;
    s->schema.fields = odp_arena_zero(a, (size_t)now->ncolumns + 1, sizeof *s->schema.fields);
    for (uint32_t k = 0; k < now->ncolumns; k++) {
        int column = column_of(s, newest, k, changes.old_of);
        s->column[k] = column;
        s->schema.fields[k] = now->schema.fields[k];
        s->schema.fields[k].type = column >= 0 ? s->info->columns[column].type : now->columns[k].type;
    }
    s->key = odp_arena_array(a, (size_t)now->nkey + 1, sizeof *s->key);
    s->keyed = now->nkey > 0;
    for (uint32_t i = 0; i < now->nkey; i++) {
        s->keyed = s->keyed && s->column[now->key[i]] >= 0;
        s->key[i] = s->keyed ? (uint32_t)s->column[now->key[i]] : 0;
    }
    return ODP_OK;
}
