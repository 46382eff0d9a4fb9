/* control and manifest.json: what the site is made of, for machines.
 *
 * manifest.json lists every file but itself, sorted by path, one a line. Its SHA-256 is the name of the build.
 * control says how to serve each file (but itself and the manifest): tab-separated columns, named in its first line, '-' for
 * nothing, sorted by path. Twins have lines of their own. etag is quoted, as HTTP wants it. A withdrawn dataset has no file but
 * three lines, so that its addresses are known to be gone; a path that ends in '/' stands for everything below it. */
#include "stage.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "gateway.h"

const char *odp_class_name(enum odp_class cls)
{
    static const char *const names[] = {"public", "keyed", "internal"};
    return names[cls];
}

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
    if (starts(f->path, "assets/"))
        return "public, max-age=31536000, immutable";
    const char *version = starts(f->path, "data/") ? strchr(f->path + 5, '/') : NULL;
    if (version != NULL && strchr(version + 1, '/') != NULL && !starts(version, "/latest/"))
        return "public, max-age=86400, immutable";
    return "public, max-age=300";
}

/* The date of member KEY in the dataset's descriptor. */
static bool date_of(const struct odp_dataset *d, const char *key, struct odp_datetime *date)
{
    const char *text = json_string_value(json_object_get(d->json, key));
    return text != NULL && odp_date_parse(odp_slice_of(text), ODP_DATE, NULL, NULL, date) == ODP_DATE_OK;
}

/* Deprecation: @<seconds> (RFC 9745); Sunset: an HTTP date (RFC 8594). Both at 00:00 UTC of the day in the catalogue. */
static void add_dates(struct odp_buffer *out, const struct odp_dataset *d)
{
    static const char days[] = "ThuFriSatSunMonTueWed", months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    struct odp_datetime date;
    bool deprecated = d != NULL && d->state == ODP_STATE_DEPRECATED;
    if (deprecated && date_of(d, "odp:deprecated", &date))
        odp_buffer_printf(out, "\t@%" PRId64, odp_date_days(&date) * 86400);
    else
        odp_buffer_add_str(out, "\t-");
    if (deprecated && date_of(d, "odp:sunset", &date)) {
        int64_t day = odp_date_days(&date) % 7;
        day = day < 0 ? day + 7 : day;
        odp_buffer_printf(out, "\t%.3s, %02d %.3s %04d 00:00:00 GMT", days + 3 * day, date.day, months + 3 * (date.month - 1),
                          date.year);
    } else {
        odp_buffer_add_str(out, "\t-");
    }
}

/* A Link header (RFC 8288, RFC 5829) to what takes the place of D, where that is published. */
static void add_link(struct odp_buffer *out, const struct odp_catalog *c, const struct odp_dataset *d)
{
    bool leaves = d != NULL && (d->state == ODP_STATE_DEPRECATED || d->state == ODP_STATE_WITHDRAWN);
    const char *slug = leaves ? json_string_value(json_object_get(d->json, "odp:replacedBy")) : NULL;
    const struct odp_dataset *heir = slug != NULL ? odp_catalog_find(c, slug) : NULL;
    if (heir != NULL && !heir->reference && (heir->state == ODP_STATE_ACTIVE || heir->state == ODP_STATE_DEPRECATED))
        odp_buffer_printf(out, "\t<%sv1/%s>; rel=\"successor-version\"\n", c->portal.base_url, slug);
    else
        odp_buffer_add_str(out, "\t-\n");
}

static void add_control_line(struct odp_buffer *out, const struct odp_catalog *c, const struct odp_site_file *f)
{
    static const char *const states[] = {"draft", "active", "deprecated", "withdrawn"};
    const struct odp_dataset *d = dataset_of(c, f->path);
    char hex[ODP_SHA256_HEX];
    odp_digest_hex(f->sha256, hex);
    odp_buffer_printf(out, "%s\t\"%.32s\"\t%s\t%s\t%s\t%s", f->path, hex, type_of(f), f->encoding != NULL ? f->encoding : "-",
                      odp_class_name(f->cls), d != NULL ? states[d->state] : "active");
    add_dates(out, d);
    odp_buffer_printf(out, "\t%s\t%" PRIu64, cache_of(f), f->size);
    add_link(out, c, d);
}

/* A line of a withdrawn dataset. */
struct gone {
    const char *path;
    const struct odp_dataset *dataset;
};

static void add_gone_line(struct odp_buffer *out, const struct odp_catalog *c, const struct gone *g)
{
    const struct odp_site_file f = {.path = g->path, .cls = starts(g->path, "v1/") ? ODP_CLASS_KEYED : ODP_CLASS_PUBLIC};
    odp_buffer_printf(out, "%s\t-\t-\t-\t%s\twithdrawn\t-\t-\t%s\t0", g->path, odp_class_name(f.cls),
                      f.cls == ODP_CLASS_KEYED ? cache_of(&f) : "public, max-age=300");
    add_link(out, c, g->dataset);
}

static int gone_by_path(const void *a, const void *b)
{
    return strcmp(((const struct gone *)a)->path, ((const struct gone *)b)->path);
}

/* Sorted by path. NULL without memory. */
static struct gone *list_gone(const struct odp_catalog *c, size_t *n, struct odp_arena *a)
{
    static const char *const around[3][2] = {{"v1/", ".json"}, {"v1/", "/"}, {"data/", "/"}};
    struct gone *list = odp_arena_array(a, 3 * c->ndatasets + 1, sizeof *list);
    *n = 0;
    for (size_t i = 0; list != NULL && i < 3 * c->ndatasets; i++) {
        const struct odp_dataset *d = &c->datasets[i / 3];
        if (d->state != ODP_STATE_WITHDRAWN)
            continue;
        list[*n] = (struct gone){odp_arena_printf(a, "%s%s%s", around[i % 3][0], d->slug, around[i % 3][1]), d};
        if (list[(*n)++].path == NULL)
            return NULL;
    }
    if (list != NULL && *n > 1)
        qsort(list, *n, sizeof *list, gone_by_path);
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
    const struct gone *gone = list_gone(c, &ngone, &arena);
    odp_buffer_add_str(&out,
                       "#odp-control-1\tetag\ttype\tencoding\tclass\tstate\tdeprecation\tsunset\tcache-control\tsize\tlink\n");
    for (size_t i = 0, k = 0; gone != NULL && (i < n || k < ngone);) {
        if (k == ngone || (i < n && strcmp(files[i].path, gone[k].path) < 0))
            add_control_line(&out, c, &files[i++]);
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
