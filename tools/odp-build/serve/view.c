#include "serve/view.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json_load.h"
#include "published/site_file.h"

enum { MANIFEST_MAX = 1 << 28 };

/* One build, as it was read. */
struct build {
    struct odp_arena arena;
    char *dir; /* malloc */
    json_t *manifest;
    struct odp_site_file *files;
    size_t n;
};

struct serve_view {
    pthread_mutex_t lock;
    struct build build;
    struct odp_buffer report;
};

static void build_release(struct build *b)
{
    json_decref(b->manifest);
    free(b->dir);
    odp_arena_release(&b->arena);
}

enum odp_status serve_view_new(struct serve_view **out)
{
    struct serve_view *v = *out = calloc(1, sizeof *v);
    if (v == NULL)
        return odp_failure_set("serve", NULL, ENOMEM);
    pthread_mutex_init(&v->lock, NULL); /* cannot fail with default attributes */
    return ODP_OK;
}

void serve_view_free(struct serve_view *v)
{
    if (v == NULL)
        return;
    build_release(&v->build);
    odp_buffer_release(&v->report);
    pthread_mutex_destroy(&v->lock);
    free(v);
}

static enum odp_status build_read(struct build *b, const char *site)
{
    struct odp_buffer text = {0};
    *b = (struct build){0};
    b->dir = realpath(site, NULL);
    const char *path = b->dir != NULL ? odp_path_join(&b->arena, b->dir, "manifest.json") : site;
    enum odp_status status = b->dir != NULL ? odp_file_read(path, MANIFEST_MAX, &text, NULL)
                                            : odp_failure_set("open", site, errno);
    if (status == ODP_OK)
        b->manifest = odp_json_load(text.ptr, text.len, JSON_REJECT_DUPLICATES, NULL);
    odp_buffer_release(&text);
    if (status == ODP_OK)
        status = odp_site_files_read(b->manifest, &b->files, &b->n, &b->arena);
    return status == ODP_BAD ? odp_failure_set("read", path, 0) : status;
}

enum odp_status serve_view_site(struct serve_view *v, const char *site)
{
    struct build fresh;
    enum odp_status status = build_read(&fresh, site);
    if (status == ODP_OK) {
        pthread_mutex_lock(&v->lock);
        struct build old = v->build;
        v->build = fresh;
        odp_buffer_reset(&v->report);
        pthread_mutex_unlock(&v->lock);
        fresh = old;
    }
    build_release(&fresh);
    return status;
}

enum odp_status serve_view_report(struct serve_view *v, struct odp_slice report)
{
    pthread_mutex_lock(&v->lock);
    odp_buffer_reset(&v->report);
    odp_buffer_add_slice(&v->report, report);
    enum odp_status status = odp_buffer_status(&v->report);
    pthread_mutex_unlock(&v->lock);
    return status;
}

bool serve_view_reported(struct serve_view *v, struct odp_buffer *out)
{
    pthread_mutex_lock(&v->lock);
    odp_buffer_add_slice(out, odp_buffer_slice(&v->report));
    bool any = v->report.len > 0;
    pthread_mutex_unlock(&v->lock);
    return any;
}

bool serve_view_has(struct serve_view *v, const char *path)
{
    pthread_mutex_lock(&v->lock);
    bool has = odp_site_files_find(v->build.files, v->build.n, path) != NULL;
    pthread_mutex_unlock(&v->lock);
    return has;
}

bool serve_view_open(struct serve_view *v, const char *path, struct serve_file *out)
{
    struct stat st = {0};
    struct odp_arena arena = {0};
    *out = (struct serve_file){.fd = -1};
    pthread_mutex_lock(&v->lock);
    const struct odp_site_file *f = odp_site_files_find(v->build.files, v->build.n, path);
    if (f != NULL) {
        (void)snprintf(out->type, sizeof out->type, "%s", f->media_type);
        (void)snprintf(out->encoding, sizeof out->encoding, "%s", f->encoding != NULL ? f->encoding : "");
        out->fd =
            open(odp_path_join(&arena, v->build.dir, path), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    }
    pthread_mutex_unlock(&v->lock);
    odp_arena_release(&arena);
    if (out->fd >= 0 && (fstat(out->fd, &st) != 0 || !S_ISREG(st.st_mode))) {
        (void)close(out->fd);
        out->fd = -1;
    }
    out->size = (uint64_t)st.st_size;
    return out->fd >= 0;
}
