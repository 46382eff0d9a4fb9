/* control, latest/ and the log of releases against the manifest. */
#include "publish/verify/verify_internal.h"

#include <stdio.h>

#include "base/json_load.h"
#include "base/line.h"
#include "published/release_log.h"

/* ---- control ---- */

enum column { COLUMN_PATH, COLUMN_ETAG, COLUMN_TYPE, COLUMN_ENCODING, COLUMN_CLASS, COLUMN_SIZE, COLUMNS };
static const char *const column_names[COLUMNS] = {"#odp-control-1", "etag",  "type",
                                                  "encoding",       "class", "size"};
enum { CELLS_MAX = 32 };

struct control {
    struct verify *v;
    size_t at[COLUMNS]; /* which cell of a line; new columns may come anywhere after the first */
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

static void compare(struct control *c, const struct odp_site_file *f, enum column column,
                    struct odp_slice cell, const char *expected)
{
    char found[128];
    if (odp_slice_is(cell, expected))
        return;
    snprintf(found, sizeof found, "%.*s", (int)(cell.len < 100 ? cell.len : 100), cell.ptr);
    verify_fault(c->v, ODP_V65, f->path, column_names[column], expected, found);
}

static void check_line(struct control *c, struct odp_slice line, struct odp_arena *a)
{
    struct odp_slice cells[CELLS_MAX];
    char hex[ODP_SHA256_HEX], etag[40], size[24];
    size_t n = split(line, cells);
    const char *path = odp_arena_copy(a, cells[0]).ptr;
    for (size_t k = 0; k < COLUMNS; k++)
        if (c->at[k] >= n) {
            verify_fault(c->v, ODP_V65, path, column_names[k], NULL, NULL);
            return;
        }
    struct verify_file *file = verify_find(c->v, path);
    if (file == NULL) { /* an address that is gone, or has moved: it has no bytes */
        if (!odp_slice_is(cells[c->at[COLUMN_ETAG]], "-"))
            verify_fault(c->v, ODP_V65, path, "path", "-", path);
        return;
    }
    const struct odp_site_file *f = &file->f;
    file->in_control = true;
    odp_digest_hex(f->sha256, hex);
    snprintf(etag, sizeof etag, "\"%.32s\"", hex);
    snprintf(size, sizeof size, "%llu", (unsigned long long)f->size);
    const char *const expected[COLUMNS] = {
        path, etag, f->media_type, f->encoding != NULL ? f->encoding : "-", odp_class_name(f->cls), size};
    for (enum column k = COLUMN_ETAG; k < COLUMNS; k++)
        compare(c, f, k, cells[c->at[k]], expected[k]);
}

static void check_lines(struct control *c, struct odp_slice text)
{
    struct odp_arena arena = {0};
    if (text.len > 0 && !read_header(c, odp_line_next(&text))) {
        verify_fault(c->v, ODP_V65, "control", column_names[COLUMN_PATH], "etag type encoding class size",
                     NULL);
        return;
    }
    while (text.len > 0 && c->v->status == ODP_OK) {
        check_line(c, odp_line_next(&text), &arena);
        odp_arena_reset(&arena);
    }
    odp_arena_release(&arena);
}

/* control is internal: a public site has none. */
void verify_control(struct verify *v)
{
    struct odp_buffer text = {0};
    const struct verify_file *f = verify_good(v, "control");
    if (v->o->audience == ODP_AUDIENCE_PUBLIC)
        return;
    if (verify_find(v, "control") == NULL)
        verify_fault(v, ODP_V61, "control", NULL, NULL, NULL);
    if (f == NULL)
        return;
    v->status = verify_read(v, f, &text);
    check_lines(&(struct control){.v = v}, odp_buffer_slice(&text));
    odp_buffer_release(&text);
    for (size_t i = 0; i < v->n && v->status == ODP_OK; i++)
        if (!v->files[i].in_control && strcmp(v->files[i].f.path, "control") != 0)
            verify_fault(v, ODP_V65, v->files[i].f.path, "path", v->files[i].f.path, NULL);
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
static const char *latest_version(struct verify *v, const char *slug)
{
    const char *path = odp_arena_printf(v->arena, "data/%s/latest.json", slug);
    const struct verify_file *f = verify_good(v, path);
    if (verify_find(v, path) == NULL)
        verify_fault(v, ODP_V61, path, NULL, NULL, NULL);
    json_t *json = f != NULL ? verify_json(v, f) : NULL;
    const char *name = odp_json_text(json, "version");
    const char *version = name != NULL ? odp_arena_str(v->arena, name) : NULL;
    if (json != NULL && name == NULL)
        verify_fault(v, ODP_V67, path, "version", NULL, NULL);
    json_decref(json);
    return version;
}

/* A twin is proved by what it holds. */
static void check_latest(struct verify *v, const struct odp_site_file *f, const char *slug, const char *name,
                         const char *version)
{
    const char *path = odp_arena_printf(v->arena, "data/%s/%s/%s", slug, version, name);
    const struct verify_file *of = verify_find(v, path);
    if (f->encoding == NULL && (of == NULL || !odp_site_file_same(&of->f, f)))
        verify_fault(v, ODP_V66, f->path, version, of != NULL ? path : NULL, NULL);
}

void verify_latest(struct verify *v)
{
    const char *slug = "", *version = NULL;
    for (size_t i = 0; i < v->n && v->status == ODP_OK; i++) {
        const struct odp_site_file *f = &v->files[i].f;
        const char *slash = strncmp(f->path, "data/", 5) == 0 ? strchr(f->path + 5, '/') : NULL;
        if (slash == NULL || strncmp(slash, "/latest/", 8) != 0 || is_schema(slash + 8))
            continue;
        struct odp_slice its = {f->path + 5, (size_t)(slash - f->path) - 5};
        if (!odp_slice_is(its, slug)) { /* sorted: a dataset's files are together */
            slug = odp_arena_copy(v->arena, its).ptr;
            version = latest_version(v, slug);
        }
        if (version != NULL)
            check_latest(v, f, slug, slash + 8, version);
    }
}

/* ---- releases.log: every line names the one before ---- */

void verify_log(struct verify *v)
{
    struct odp_buffer text = {0};
    uint64_t line = 0;
    const struct verify_file *f = verify_good(v, "releases.log");
    if (f == NULL)
        return;
    v->status = verify_read(v, f, &text);
    enum odp_status log = v->status == ODP_OK ? odp_log_check(odp_buffer_slice(&text), &line) : ODP_FAIL;
    odp_buffer_release(&text);
    if (log == ODP_BAD)
        verify_fault(v, ODP_V72, f->f.path, odp_arena_printf(v->arena, "%llu", (unsigned long long)line),
                     NULL, NULL);
    else
        v->status = log;
}
