/* control and manifest.json: what the site is made of, for machines.
 *
 * manifest.json lists every file but itself, sorted by path, one a line. Its SHA-256 is the name of the build.
 * control says how to serve each file (but itself and the manifest): tab-separated columns, named in its first line, '-' for
 * nothing, sorted by path. Twins have lines of their own. etag is quoted, as HTTP wants it. A withdrawn dataset has no file but
 * three lines, so that its addresses are known to be gone, and so has an earlier address of a dataset (state moved, link: where
 * to); a path that ends in '/' stands for everything below it.
 *
 * Types are those that HTTP sends: JSON under v1/ has charset=utf-8, GeoJSON is UTF-8 by RFC 7946. New
 * columns come at the end, since readers go by the names in the first line. A path of its own has its line
 * before one that stands for everything below it. */
#include "published/stage.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "site/versions/gateway.h"
#include "site/versions/lifecycle.h"
#include "site/versions/tombstone.h"

/* ---- control ---------------------------------------------------------------------------------------------------------------
 */

/* The dataset that PATH belongs to, or NULL. */
static const struct odp_dataset *dataset_of(const struct odp_catalog *c, const char *path)
{
    for (size_t i = 0; i < c->ndatasets; i++)
        if (odp_site_path_is_of(path, c->datasets[i].slug))
            return &c->datasets[i];
    return NULL;
}

static bool starts(const char *path, const char *with)
{
    return strncmp(path, with, strlen(with)) == 0;
}

/* As HTTP sends it. What the API answers is in UTF-8, which JSON always is, but not all clients know. */
static const char *type_of(const struct odp_site_file *f)
{
    bool api = starts(f->path, "v1/") && strcmp(f->media_type, "application/json") == 0;
    return api ? "application/json; charset=utf-8" : f->media_type;
}

static const char *cache_of(const struct odp_site_file *f)
{
    if (f->cls == ODP_CLASS_INTERNAL)
        return "no-store";
    if (f->cls == ODP_CLASS_KEYED)
        return "private, max-age=60";
    if (starts(f->path, "assets/") || odp_site_path_is_package(f->path))
        return "public, max-age=31536000, immutable";
    const char *version = starts(f->path, "data/") ? strchr(f->path + 5, '/') : NULL;
    if (version != NULL && strchr(version + 1, '/') != NULL && !starts(version, "/latest/"))
        return "public, max-age=86400, immutable";
    return "public, max-age=300";
}

static void add_control_line(struct odp_buffer *out, const struct odp_catalog *c, const struct odp_site_file *f)
{
    const struct odp_dataset *d = dataset_of(c, f->path);
    char hex[ODP_SHA256_HEX];
    odp_digest_hex(f->sha256, hex);
    odp_buffer_printf(out, "%s\t\"%.32s\"\t%s\t%s\t%s\t%s", f->path, hex, type_of(f), f->encoding != NULL ? f->encoding : "-",
                      odp_class_name(f->cls), d != NULL && d->state != ODP_STATE_WITHDRAWN ? odp_dataset_states[d->state] : "active");
    odp_lifecycle_dates(out, d, f->path);
    odp_buffer_printf(out, "\t%s\t%" PRIu64, cache_of(f), f->size);
    odp_lifecycle_link(out, c, d);
    odp_buffer_add_char(out, '\n');
}

/* A line without a file: of a withdrawn dataset or version, or of a moved address. */
struct gone {
    const char *path;
    const struct odp_dataset *dataset;  /* NULL: it has left the catalogue */
    const struct odp_moved_path *moved; /* or an address that leads elsewhere */
};

static void add_gone_line(struct odp_buffer *out, const struct odp_catalog *c, const struct gone *g)
{
    const struct odp_site_file f = {.path = g->path, .cls = starts(g->path, "v1/") ? ODP_CLASS_KEYED : ODP_CLASS_PUBLIC};
    odp_buffer_printf(out, "%s\t-\t-\t-\t%s\twithdrawn\t-\t-\t%s\t0", g->path, odp_class_name(f.cls),
                      f.cls == ODP_CLASS_KEYED ? cache_of(&f) : "public, max-age=300");
    odp_lifecycle_link(out, c, g->dataset);
    odp_buffer_add_char(out, '\n');
}

/* It tells nothing but a name, so anybody may keep it for a while. */
static void add_moved_line(struct odp_buffer *out, const struct odp_moved_path *m)
{
    odp_buffer_printf(out, "%s\t-\t-\t-\t%s\tmoved\t-\t", m->path, starts(m->path, "v1/") ? "keyed" : "public");
    (void)odp_lifecycle_http_date(out, m->sunset);
    odp_buffer_printf(out, "\tpublic, max-age=300\t0\t%s\n", m->to);
}

static int gone_by_path(const void *a, const void *b)
{
    return strcmp(((const struct gone *)a)->path, ((const struct gone *)b)->path);
}

/* Sorted by path, each once. NULL without memory. */
static struct gone *list_gone(const struct odp_stage *s, const struct odp_catalog *c, size_t *n, struct odp_arena *a)
{
    static const char *const around[3][2] = {{"v1/", ".json"}, {"v1/", "/"}, {"data/", "/"}};
    struct odp_tombstone_path *versions;
    struct odp_moved_path *moved;
    size_t nversions, nmoved, count = 0;
    *n = 0;
    if (odp_tombstone_paths(s, &versions, &nversions, a) != ODP_OK || odp_lifecycle_moved(c, &moved, &nmoved, a) != ODP_OK)
        return NULL;
    struct gone *list = odp_arena_array(a, 3 * c->ndatasets + nversions + nmoved + 1, sizeof *list);
    for (size_t i = 0; i < 3 * c->ndatasets; i++) {
        const struct odp_dataset *d = &c->datasets[i / 3];
        if (d->state != ODP_STATE_WITHDRAWN)
            continue;
        list[count] = (struct gone){odp_arena_printf(a, "%s%s%s", around[i % 3][0], d->slug, around[i % 3][1]), d, NULL};
        if (list[count++].path == NULL)
            return NULL;
    }
    for (size_t i = 0; i < nversions; i++)
        list[count++] = (struct gone){versions[i].path, odp_catalog_find(c, versions[i].slug), NULL};
    for (size_t i = 0; i < nmoved; i++)
        list[count++] = (struct gone){moved[i].path, NULL, &moved[i]};
    if (count > 1)
        qsort(list, count, sizeof *list, gone_by_path);
    for (size_t i = 0; i < count; i++)
        if (*n == 0 || strcmp(list[*n - 1].path, list[i].path) != 0)
            list[(*n)++] = list[i];
    return list;
}

static enum odp_status put_control(struct odp_stage *s, const struct odp_catalog *c)
{
    size_t n, ngone;
    const struct odp_site_file *files = odp_stage_files(s, &n);
    struct odp_buffer out;
    struct odp_arena arena;
    odp_arena_init(&arena);
    odp_buffer_init(&out);
    const struct gone *gone = list_gone(s, c, &ngone, &arena);
    odp_buffer_add_str(&out,
                       "#odp-control-1\tetag\ttype\tencoding\tclass\tstate\tdeprecation\tsunset\tcache-control\tsize\tlink\n");
    for (size_t i = 0, k = 0; gone != NULL && (i < n || k < ngone);) {
        int order = i == n ? 1 : k == ngone ? -1 : strcmp(files[i].path, gone[k].path);
        k += order == 0; /* what is there is not gone */
        if (order <= 0)
            add_control_line(&out, c, &files[i++]);
        else if (gone[k].moved != NULL)
            add_moved_line(&out, gone[k++].moved);
        else
            add_gone_line(&out, c, &gone[k++]);
    }
    enum odp_status status = gone != NULL ? odp_buffer_status(&out) : ODP_FAIL;
    if (status == ODP_OK)
        status =
            odp_stage_put(s, "control", "text/tab-separated-values; charset=utf-8", ODP_CLASS_INTERNAL, odp_buffer_slice(&out));
    odp_buffer_release(&out);
    odp_arena_release(&arena);
    return status;
}

/* ---- manifest.json ---------------------------------------------------------------------------------------------------------
 */

static void add_manifest_line(struct odp_buffer *out, const struct odp_site_file *f)
{
    char hex[ODP_SHA256_HEX];
    odp_digest_hex(f->sha256, hex);
    odp_buffer_add_str(out, "{\"path\":");
    odp_json_add_string(out, odp_slice_of(f->path));
    odp_buffer_add_str(out, ",\"size\":");
    odp_buffer_add_u64(out, f->size);
    odp_buffer_printf(out, ",\"sha256\":\"%s\",\"class\":\"%s\",\"type\":", hex, odp_class_name(f->cls));
    odp_json_add_string(out, odp_slice_of(type_of(f)));
    if (f->encoding != NULL) {
        odp_buffer_add_str(out, ",\"encoding\":");
        odp_json_add_string(out, odp_slice_of(f->encoding));
    }
    odp_buffer_add_char(out, '}');
}

enum odp_status odp_stage_manifest(struct odp_stage *s, const struct odp_catalog *c)
{
    struct odp_buffer out;
    size_t n;
    odp_stage_twins_end(s);
    if (odp_release_gateway(s, c) != ODP_OK || put_control(s, c) != ODP_OK)
        return ODP_FAIL;
    const struct odp_site_file *files = odp_stage_files(s, &n);
    odp_buffer_init(&out);
    odp_buffer_add_str(&out, "{\"files\":[\n");
    for (size_t i = 0; i < n; i++) {
        add_manifest_line(&out, &files[i]);
        odp_buffer_add_str(&out, i + 1 < n ? ",\n" : "\n");
    }
    odp_buffer_add_str(&out, "]}\n");
    enum odp_status status = odp_buffer_status(&out);
    if (status == ODP_OK)
        status = odp_stage_put(s, "manifest.json", "application/json", ODP_CLASS_PUBLIC, odp_buffer_slice(&out));
    odp_buffer_release(&out);
    return status;
}
