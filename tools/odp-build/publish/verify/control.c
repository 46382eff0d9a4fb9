/* control, latest/ and the log of releases against the manifest. */
#include "publish/verify/verify_internal.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/line.h"
#include "published/release_log.h"

/* ---- control ---- */

enum column { COLUMN_PATH, COLUMN_ETAG, COLUMN_TYPE, COLUMN_ENCODING, COLUMN_CLASS, COLUMN_SIZE, COLUMNS };
static const char *const column_names[COLUMNS] = {"#odp-control-1", "etag",  "type",
                                                  "encoding",       "class", "size"};
enum { CELLS_MAX = 32 };

struct control {
    struct verify *v;
    size_t at[COLUMNS]; /* which cell of a line; new columns may stand anywhere behind the first */
};

static size_t split(struct odp_slice line, struct odp_slice *cells)
{
    size_t n = 0;
    for (const char *p = line.ptr, *end = line.ptr + line.len; n < CELLS_MAX; n++) {
        const char *tab = memchr(p, '\t', (size_t)(end - p));
        cells[n] = (struct odp_slice){p, (size_t)((tab != NULL ? tab : end) - p)};
        if (tab == NULL)
            return n + 1;
        p = tab + 1;
    }
    return n;
}

/* False: a column is missing. */
static bool read_header(struct control *c, struct odp_slice line)
{
    struct odp_slice cells[CELLS_MAX];
    size_t n = split(line, cells);
    for (size_t k = 0; k < COLUMNS; k++) {
        size_t i = 0;
        while (i < n && !odp_slice_is(cells[i], column_names[k]))
            i++;
        c->at[k] = i;
        if (i == n || (k == COLUMN_PATH && i != 0))
            return false;
    }
    return true;
}

static enum odp_status compare(struct control *c, const struct odp_site_file *f, enum column column,
                               struct odp_slice cell, const char *expected)
{
    char found[128];
    if (odp_slice_is(cell, expected))
        return ODP_OK;
    snprintf(found, sizeof found, "%.*s", (int)(cell.len < 100 ? cell.len : 100), cell.ptr);
    return verify_fault(c->v, ODP_V65, f->path, column_names[column], expected, found);
}

static enum odp_status check_line(struct control *c, struct odp_slice line, struct odp_arena *a)
{
    struct odp_slice cells[CELLS_MAX];
    char hex[ODP_SHA256_HEX], etag[40], size[24];
    size_t n = split(line, cells);
    const char *path = odp_arena_copy(a, cells[0]).ptr;
    for (size_t k = 0; k < COLUMNS; k++)
        if (c->at[k] >= n)
            return verify_fault(c->v, ODP_V65, path, column_names[k], NULL, NULL);
    struct verify_file *file = verify_find(c->v, path);
    if (file == NULL) /* an address that is gone, or has moved: it has no bytes */
        return odp_slice_is(cells[c->at[COLUMN_ETAG]], "-")
                   ? ODP_OK
                   : verify_fault(c->v, ODP_V65, path, "path", "-", path);
    const struct odp_site_file *f = &file->f;
    file->in_control = true;
    odp_digest_hex(f->sha256, hex);
    snprintf(etag, sizeof etag, "\"%.32s\"", hex);
    snprintf(size, sizeof size, "%llu", (unsigned long long)f->size);
    const char *const expected[COLUMNS] = {
        path, etag, f->media_type, f->encoding != NULL ? f->encoding : "-", odp_class_name(f->cls), size};
    enum odp_status status = ODP_OK;
    for (enum column k = COLUMN_ETAG; k < COLUMNS && status == ODP_OK; k++)
        status = compare(c, f, k, cells[c->at[k]], expected[k]);
    return status;
}

static enum odp_status check_lines(struct control *c, struct odp_slice text)
{
    struct odp_arena arena;
    enum odp_status status = ODP_OK;
    bool first = true;
    odp_arena_init(&arena);
    while (text.len > 0 && status == ODP_OK) {
        struct odp_slice line = odp_line_next(&text);
        if (first && !read_header(c, line)) {
            status = verify_fault(c->v, ODP_V65, "control", column_names[COLUMN_PATH],
                                  "etag type encoding class size", NULL);
            break;
        }
        if (!first)
            status = check_line(c, line, &arena);
        first = false;
        odp_arena_reset(&arena);
    }
    odp_arena_release(&arena);
    return status;
}

enum odp_status verify_control(struct verify *v)
{
    struct control c = {.v = v};
    struct odp_buffer text;
    if (v->o->audience == ODP_AUDIENCE_PUBLIC)
        return ODP_OK; /* internal */
    if (verify_find(v, "control") == NULL)
        return verify_fault(v, ODP_V61, "control", NULL, NULL, NULL);
    const struct verify_file *f = verify_good(v, "control");
    if (f == NULL)
        return ODP_OK;
    odp_buffer_init(&text);
    enum odp_status status = verify_read(v, f, &text);
    if (status == ODP_OK)
        status = check_lines(&c, odp_buffer_slice(&text));
    odp_buffer_release(&text);
    for (size_t i = 0; i < v->n && status == ODP_OK; i++)
        if (!v->files[i].in_control && strcmp(v->files[i].f.path, "control") != 0)
            status = verify_fault(v, ODP_V65, v->files[i].f.path, "path", v->files[i].f.path, NULL);
    return status;
}

/* ---- latest/ ---- */

/* schema[-<resource>].json and its twins are of today, not of the version; they stay when the newest version
 * is withdrawn. */
static bool is_schema(const char *name)
{
    return strncmp(name, "schema", 6) == 0 && (name[6] == '.' || name[6] == '-') &&
           strstr(name, ".json") != NULL && strchr(name, '/') == NULL;
}

/* The version that data/<slug>/latest.json names, in the arena of V; NULL: none, or not readable (reported
 * before). */
static enum odp_status latest_version(struct verify *v, const char *slug, const char **version)
{
    json_t *json = NULL;
    const char *path = odp_arena_printf(v->arena, "data/%s/latest.json", slug);
    *version = NULL;
    const struct verify_file *f = verify_good(v, path);
    if (f == NULL)
        return verify_find(v, path) == NULL ? verify_fault(v, ODP_V61, path, NULL, NULL, NULL) : ODP_OK;
    enum odp_status status = verify_json(v, f, &json);
    const char *name = json_string_value(json_object_get(json, "version"));
    if (name != NULL)
        *version = odp_arena_str(v->arena, name);
    if (status == ODP_OK && json != NULL && name == NULL)
        status = verify_fault(v, ODP_V67, path, "version", NULL, NULL);
    json_decref(json);
    return status;
}

static enum odp_status check_latest(struct verify *v, const struct odp_site_file *f, const char *slug,
                                    const char *name, const char *version, struct odp_arena *a)
{
    const char *path = odp_arena_printf(a, "data/%s/%s/%s", slug, version, name);
    if (f->encoding != NULL) /* a twin is proved by what it holds */
        return ODP_OK;
    const struct verify_file *of = verify_find(v, path);
    if (of != NULL && odp_site_file_same(&of->f, f))
        return ODP_OK;
    return verify_fault(v, ODP_V66, f->path, version, of != NULL ? path : NULL, NULL);
}

enum odp_status verify_latest(struct verify *v)
{
    struct odp_arena arena;
    const char *slug = "", *version = NULL;
    enum odp_status status = ODP_OK;
    odp_arena_init(&arena);
    for (size_t i = 0; i < v->n && status == ODP_OK; i++) {
        const struct odp_site_file *f = &v->files[i].f;
        const char *slash = strncmp(f->path, "data/", 5) == 0 ? strchr(f->path + 5, '/') : NULL;
        if (slash == NULL || strncmp(slash, "/latest/", 8) != 0 || is_schema(slash + 8))
            continue;
        size_t len = (size_t)(slash - f->path - 5);
        if (strlen(slug) != len ||
            strncmp(slug, f->path + 5, len) != 0) { /* sorted: a dataset's files are together */
            slug = odp_arena_copy(v->arena, (struct odp_slice){f->path + 5, len}).ptr;
            status = latest_version(v, slug, &version);
        }
        if (status == ODP_OK && version != NULL)
            status = check_latest(v, f, slug, slash + 8, version, &arena);
        odp_arena_reset(&arena);
    }
    odp_arena_release(&arena);
    return status;
}

/* ---- releases.log: every line names the one before ---- */

enum odp_status verify_log(struct verify *v)
{
    struct odp_buffer text;
    uint64_t line = 0;
    char number[24];
    const struct verify_file *f = verify_good(v, "releases.log");
    if (f == NULL)
        return ODP_OK;
    odp_buffer_init(&text);
    enum odp_status status = verify_read(v, f, &text);
    if (status == ODP_OK)
        status = odp_log_check(odp_buffer_slice(&text), &line);
    odp_buffer_release(&text);
    snprintf(number, sizeof number, "%llu", (unsigned long long)line);
    return status == ODP_BAD ? verify_fault(v, ODP_V72, f->f.path, number, NULL, NULL) : status;
}
