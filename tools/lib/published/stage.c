/* The stage: a folder beside the published builds, filled by many threads, seen by nobody. */
#include "base/media.h"
#include "published/builds.h"
#include "published/stage_internal.h"
#include "published/twin_makers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the list of files --------------------------------------------------------------------------------------------------- */

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct odp_site_file *)a)->path, ((const struct odp_site_file *)b)->path);
}

/* Where a file of PATH belongs among the sorted ones: behind those of the same path. */
static size_t place_of(const struct stage_list *l, const char *path)
{
    size_t from = 0, to = l->nsorted;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (strcmp(l->files[middle].path, path) <= 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* Pages are looked for and put by turns: a few new files are put in their places, and only many are worth sorting all. */
static void sort_list(struct stage_list *l)
{
    enum { FEW = 16 };
    if (l->n - l->nsorted > FEW) {
        qsort(l->files, l->n, sizeof *l->files, by_path);
        l->nsorted = l->n;
    }
    for (; l->nsorted < l->n; l->nsorted++) {
        struct odp_site_file f = l->files[l->nsorted];
        size_t at = place_of(l, f.path);
        memmove(l->files + at + 1, l->files + at, (l->nsorted - at) * sizeof f);
        l->files[at] = f;
    }
}

static enum odp_status list_add(struct stage_list *l, const char *path, const char *media_type, const char *encoding,
                                enum odp_class cls, const struct odp_file_info *info)
{
    if (l->n == l->cap) {
        size_t cap = l->cap != 0 ? l->cap * 2 : 256;
        struct odp_site_file *files = odp_realloc_array(l->files, cap, sizeof *files);
        if (files == NULL)
            return ODP_FAIL;
        l->files = files;
        l->cap = cap;
    }
    struct odp_site_file f = {.path = odp_arena_str(&l->arena, path),
                              .media_type = odp_arena_str(&l->arena, media_type),
                              .encoding = encoding != NULL ? odp_arena_str(&l->arena, encoding) : NULL,
                              .cls = cls,
                              .size = info->size};
    memcpy(f.sha256, info->sha256, sizeof f.sha256);
    if (f.path == NULL || f.media_type == NULL || (encoding != NULL && f.encoding == NULL))
        return ODP_FAIL;
    l->files[l->n++] = f;
    return ODP_OK;
}

enum odp_status odp_stage_add(struct odp_stage *s, const char *path, const char *media_type, const char *encoding,
                              enum odp_class cls, const struct odp_file_info *info)
{
    struct stage_list *l = s->list;
    pthread_mutex_lock(&l->mutex);
    enum odp_status status = list_add(l, path, media_type, encoding, cls, info);
    pthread_mutex_unlock(&l->mutex);
    return status;
}

const struct odp_site_file *odp_stage_files(const struct odp_stage *s, size_t *n)
{
    struct stage_list *l = s->list;
    pthread_mutex_lock(&l->mutex);
    sort_list(l);
    *n = l->n;
    pthread_mutex_unlock(&l->mutex);
    return l->files;
}

const struct odp_site_file *odp_stage_find(const struct odp_stage *s, const char *path)
{
    size_t n;
    const struct odp_site_file *files = odp_stage_files(s, &n);
    const struct odp_site_file key = {.path = path};
    return n > 0 ? bsearch(&key, files, n, sizeof key, by_path) : NULL;
}

/* ---- files -----------------------------------------------------------------------------------------------------------------
 */

static enum odp_status make_once(struct stage_list *l, const char *dir)
{
    pthread_mutex_lock(&l->mutex);
    bool made = strcmp(l->made, dir) == 0;
    pthread_mutex_unlock(&l->mutex);
    enum odp_status status = made ? ODP_OK : odp_dir_make(dir);
    if (status == ODP_OK && !made && strlen(dir) < sizeof l->made) {
        pthread_mutex_lock(&l->mutex);
        memcpy(l->made, dir, strlen(dir) + 1);
        pthread_mutex_unlock(&l->mutex);
    }
    return status;
}

char *odp_stage_place(const struct odp_stage *s, const char *path, struct odp_arena *a)
{
    if (s->dir == NULL || !odp_site_path_ok(path)) {
        (void)odp_failure_set("stage", path, EINVAL);
        return NULL;
    }
    char *full = odp_path_join(a, s->dir, path);
    char *slash = full != NULL ? strrchr(full, '/') : NULL;
    if (slash == NULL)
        return NULL;
    *slash = '\0';
    enum odp_status status = make_once(s->list, full);
    *slash = '/';
    return status == ODP_OK ? full : NULL;
}

static enum odp_status stage_create(void *ctx, const char *path, struct odp_file **out)
{
    struct odp_arena arena;
    odp_arena_init(&arena);
    const char *full = odp_stage_place(ctx, path, &arena);
    *out = NULL;
    enum odp_status status = full != NULL ? odp_file_create(out, full, 0444) : ODP_FAIL;
    odp_arena_release(&arena);
    return status;
}

/* A file that is whole: its twins can be begun. */
static enum odp_status enter(struct odp_stage *s, const char *path, const char *media_type, enum odp_class cls, const struct odp_file_info *info)
{
    struct odp_site_file f = {.path = path, .media_type = media_type, .cls = cls, .size = info->size};
    if (odp_media_of(media_type) == ODP_MEDIA_UNKNOWN) /* else a new text format silently gets no twins */
        return odp_failure_set("stage: contract/media_types.def lacks", media_type, 0);
    memcpy(f.sha256, info->sha256, sizeof f.sha256);
    enum odp_status status = odp_stage_add(s, path, media_type, NULL, cls, info);
    return status == ODP_OK ? odp_stage_twins_ask(s, &f) : status;
}

static enum odp_status stage_close(void *ctx, struct odp_file *f, const char *path, const char *media_type, enum odp_class cls)
{
    struct odp_file_info info;
    enum odp_status status = odp_file_close(f, &info);
    return status == ODP_OK ? enter(ctx, path, media_type, cls, &info) : status;
}

static char *stage_reserve(void *ctx, const char *path, struct odp_arena *a)
{
    return odp_stage_place(ctx, path, a);
}

static enum odp_status stage_adopt(void *ctx, const char *path, const char *media_type, enum odp_class cls, const struct odp_file_info *info)
{
    struct odp_arena arena;
    odp_arena_init(&arena);
    const char *full = odp_stage_place(ctx, path, &arena);
    enum odp_status status = full == NULL ? ODP_FAIL : chmod(full, 0444) != 0 ? odp_failure_set("chmod", full, errno) : ODP_OK;
    if (status == ODP_OK)
        status = enter(ctx, path, media_type, cls, info);
    odp_arena_release(&arena);
    return status;
}

static enum odp_status stage_seal(void *ctx, const char *path, const char *media_type, enum odp_class cls)
{
    struct odp_file_info info;
    struct odp_arena arena;
    odp_arena_init(&arena);
    const char *full = odp_stage_place(ctx, path, &arena);
    enum odp_status status = full != NULL ? odp_file_seal(full, &info) : ODP_FAIL;
    odp_arena_release(&arena);
    return status == ODP_OK ? stage_adopt(ctx, path, media_type, cls, &info) : status;
}

static void stage_remove(void *ctx, const char *path)
{
    struct odp_arena arena;
    odp_arena_init(&arena);
    const char *full = odp_stage_place(ctx, path, &arena);
    if (full != NULL)
        (void)unlink(full);
    odp_arena_release(&arena);
}

/* Beside the stage, not in it: a scratch file that a killed run leaves behind can never be published. */
static char *stage_scratch(void *ctx, struct odp_arena *a)
{
    struct odp_stage *s = ctx;
    pthread_mutex_lock(&s->list->mutex);
    unsigned long long n = ++s->list->scratches;
    pthread_mutex_unlock(&s->list->mutex);
    return odp_arena_printf(a, "%s/.scratch-%llu", s->builds, n);
}

struct odp_output *odp_stage_output(struct odp_stage *s)
{
    return &s->output;
}

enum odp_status odp_stage_put(struct odp_stage *s, const char *path, const char *media_type, enum odp_class cls,
                              struct odp_slice bytes)
{
    struct odp_file *f;
    if (stage_create(s, path, &f) != ODP_OK)
        return ODP_FAIL;
    if (odp_file_write(f, bytes.ptr, bytes.len) != ODP_OK) {
        odp_file_discard(f);
        return ODP_FAIL;
    }
    return stage_close(s, f, path, media_type, cls);
}

enum odp_status odp_stage_add_absent(struct odp_stage *s, const struct odp_site_file *file)
{
    struct odp_file_info info = {.size = file->size};
    memcpy(info.sha256, file->sha256, sizeof info.sha256);
    enum odp_status status = odp_stage_add(s, file->path, file->media_type, file->encoding, file->cls, &info);
    if (status == ODP_OK)
        s->list->files[s->list->n - 1].absent = true;
    return status;
}

enum odp_status odp_stage_set_origin(struct odp_stage *s, const char *address)
{
    s->origin = odp_arena_str(&s->arena, address);
    return s->origin != NULL ? ODP_OK : ODP_FAIL;
}

void odp_stage_twins_end(struct odp_stage *s)
{
    s->ahead = false;
}

const char *odp_stage_out(const struct odp_stage *s)
{
    return s->out;
}

const char *odp_stage_builds(const struct odp_stage *s)
{
    return s->builds;
}

const char *odp_stage_dir(const struct odp_stage *s)
{
    return s->dir;
}

enum odp_status odp_stage_link(struct odp_stage *s, const char *from, const char *path, const struct odp_site_file *file)
{
    struct odp_arena arena;
    struct odp_file_info info = {.size = file->size};
    memcpy(info.sha256, file->sha256, sizeof info.sha256);
    odp_arena_init(&arena);
    const char *full = odp_stage_place(s, path, &arena);
    enum odp_status status = full != NULL ? odp_file_link(from, full) : ODP_FAIL;
    if (status == ODP_OK)
        status = odp_stage_add(s, path, file->media_type, file->encoding, file->cls, &info);
    odp_arena_release(&arena);
    return status;
}

enum odp_status odp_stage_link_staged(struct odp_stage *s, const struct odp_site_file *file, const char *path)
{
    struct odp_site_file copy = *file; /* linking may move the list */
    struct odp_arena arena;
    struct odp_file_info info = {.size = copy.size};
    memcpy(info.sha256, copy.sha256, sizeof info.sha256);
    odp_arena_init(&arena);
    const char *from = odp_path_join(&arena, s->dir, copy.path);
    enum odp_status status = from == NULL    ? ODP_FAIL
                             : copy.absent ? odp_stage_add(s, path, copy.media_type, copy.encoding, copy.cls, &info)
                                           : odp_stage_link(s, from, path, &copy);
    if (status == ODP_OK) {
        struct odp_site_file *added = &s->list->files[s->list->n - 1];
        added->settled = copy.settled;
        added->absent = copy.absent;
    }
    odp_arena_release(&arena);
    return status;
}

/* The folders that the removed file at FULL leaves empty, up to the stage's own. */
static void remove_empty_folders(const struct odp_stage *s, char *full)
{
    size_t root = strlen(s->dir);
    for (char *slash = strrchr(full, '/'); slash != NULL && (size_t)(slash - full) > root; slash = strrchr(full, '/')) {
        *slash = '\0';
        if (rmdir(full) != 0)
            return; /* others are in it */
    }
}

enum odp_status odp_stage_drop_if(struct odp_stage *s, bool (*drop)(const void *ctx, const struct odp_site_file *f), const void *ctx)
{
    struct stage_list *l = s->list;
    struct odp_arena arena;
    enum odp_status status = ODP_OK;
    size_t kept = 0;
    bool paused = false;
    odp_arena_init(&arena);
    pthread_mutex_lock(&l->mutex);
    for (size_t i = 0; i < l->n; i++) {
        if (status != ODP_OK || !drop(ctx, &l->files[i])) {
            l->files[kept++] = l->files[i];
            continue;
        }
        if (s->makers != NULL && !paused)
            odp_makers_pause(s->makers);
        paused = true;
        if (s->makers != NULL)
            odp_makers_forget(s->makers, l->files[i].path);
        char *full = odp_path_join(&arena, s->dir, l->files[i].path);
        if (full == NULL)
            status = ODP_FAIL;
        else if (unlink(full) != 0 && errno != ENOENT)
            status = odp_failure_set("remove", full, errno);
        else
            remove_empty_folders(s, full);
        odp_arena_reset(&arena);
    }
    l->nsorted = l->nsorted == l->n ? kept : 0;
    l->n = kept;
    l->made[0] = '\0'; /* it may be gone */
    pthread_mutex_unlock(&l->mutex);
    odp_arena_release(&arena);
    return status;
}

static bool is_of_slug(const void *slug, const struct odp_site_file *f)
{
    return odp_site_path_is_of(f->path, slug);
}

enum odp_status odp_stage_drop(struct odp_stage *s, const char *slug)
{
    return odp_stage_drop_if(s, is_of_slug, slug);
}

/* Enters F of a site that does not have its bytes here. */
static enum odp_status carry_absent(struct odp_stage *s, const struct odp_site *previous, const struct odp_site_file *f,
                                    const char *path)
{
    struct stage_list *l = s->list;
    struct odp_file_info info = {.size = f->size};
    memcpy(info.sha256, f->sha256, sizeof info.sha256);
    if (s->origin == NULL && (s->origin = odp_arena_str(&s->arena, odp_site_origin(previous))) == NULL)
        return ODP_FAIL;
    enum odp_status status = odp_stage_add(s, path, f->media_type, f->encoding, f->cls, &info);
    if (status == ODP_OK)
        l->files[l->n - 1].settled = l->files[l->n - 1].absent = true;
    return status;
}

static enum odp_status carry_file(struct odp_stage *s, const struct odp_site *previous, const struct odp_site_file *f,
                                  const char *path, struct odp_diags *diags, struct odp_arena *a)
{
    char expected[8 + ODP_SHA256_HEX] = "sha256:";
    if (!odp_site_has(previous, f))
        return carry_absent(s, previous, f, path);
    const char *from = odp_path_join(a, odp_site_dir(previous), f->path);
    if (from == NULL)
        return ODP_FAIL;
    enum odp_status status = odp_site_intact(previous, f, from);
    if (status == ODP_OK) {
        status = odp_stage_link(s, from, path, f);
        if (status == ODP_OK)
            s->list->files[s->list->n - 1].settled = true;
        return status;
    }
    if (status != ODP_BAD)
        return status;
    odp_digest_hex(f->sha256, expected + 7);
    return odp_site_complain(diags, odp_site_shown(previous), f->path, expected);
}

struct carried {
    bool (*want)(const void *ctx, const struct odp_site_file *f);
    const void *ctx;
    const struct odp_site *previous;
};

static bool gives_way(const void *ctx, const struct odp_site_file *staged)
{
    const struct carried *c = ctx;
    const struct odp_site_file *f = odp_site_find(c->previous, staged->path);
    return f != NULL && memcmp(f->sha256, staged->sha256, sizeof f->sha256) != 0 && c->want(c->ctx, f);
}

/* The list as it is now, sorted; malloc. */
static enum odp_status copy_list(struct odp_stage *s, struct odp_site_file **out, size_t *n)
{
    const struct odp_site_file *files = odp_stage_files(s, n);
    *out = odp_realloc_array(NULL, *n + 1, sizeof **out);
    if (*out != NULL && *n > 0)
        memcpy(*out, files, *n * sizeof **out);
    return *out != NULL ? ODP_OK : ODP_FAIL;
}

enum odp_status odp_stage_carry_as(struct odp_stage *s, const struct odp_site *previous,
                                   bool (*want)(const void *ctx, const struct odp_site_file *f),
                                   char *(*rename)(const void *ctx, const char *path, struct odp_arena *a), const void *ctx,
                                   struct odp_diags *diags)
{
    size_t n;
    const struct odp_site_file *files = odp_site_files(previous, &n);
    struct odp_arena arena;
    struct odp_site_file *staged;
    size_t nstaged;
    enum odp_status status = copy_list(s, &staged, &nstaged);
    odp_arena_init(&arena);
    for (size_t i = 0; i < n && status != ODP_FAIL; i++) {
        if (!want(ctx, &files[i]))
            continue;
        const char *path = rename != NULL ? rename(ctx, files[i].path, &arena) : files[i].path;
        const struct odp_site_file key = {.path = path};
        if (path != NULL && nstaged > 0 && bsearch(&key, staged, nstaged, sizeof key, by_path) != NULL)
            continue; /* the same bytes, made again */
        enum odp_status one = path != NULL ? carry_file(s, previous, &files[i], path, diags, &arena) : ODP_FAIL;
        status = one == ODP_OK ? status : one; /* goes on: every damaged file is named */
        odp_arena_reset(&arena);
    }
    odp_arena_release(&arena);
    free(staged);
    return status;
}

enum odp_status odp_stage_carry_if(struct odp_stage *s, const struct odp_site *previous,
                                   bool (*want)(const void *ctx, const struct odp_site_file *f), const void *ctx,
                                   struct odp_diags *diags)
{
    struct carried carried = {want, ctx, previous};
    enum odp_status status = odp_stage_drop_if(s, gives_way, &carried);
    return status == ODP_OK ? odp_stage_carry_as(s, previous, want, NULL, ctx, diags) : status;
}

enum odp_status odp_stage_carry(struct odp_stage *s, const struct odp_site *previous, const char *slug, struct odp_diags *diags)
{
    size_t n, found = 0;
    const struct odp_site_file *files = odp_site_files(previous, &n);
    for (size_t i = 0; i < n; i++)
        found += odp_site_path_is_of(files[i].path, slug);
    enum odp_status status = odp_stage_carry_if(s, previous, is_of_slug, slug, diags);
    if (status == ODP_BAD && odp_stage_drop(s, slug) != ODP_OK)
        return ODP_FAIL;
    return status == ODP_OK && found == 0 ? ODP_DONE : status;
}

/* ---- open and close --------------------------------------------------------------------------------------------------------
 */

/* True if OUT is nothing, a link that a build made, or an empty folder (taken away when the link is made). */
static enum odp_status check_out(const struct odp_stage *s, struct odp_arena *a)
{
    struct stat st;
    char target[4096];
    const char **names;
    size_t n;
    if (lstat(s->out, &st) != 0)
        return errno == ENOENT ? ODP_OK : odp_failure_set("examine", s->out, errno);
    if (S_ISDIR(st.st_mode) && odp_dir_list(s->out, a, &names, &n) == ODP_OK && n == 0)
        return ODP_OK;
    if (S_ISLNK(st.st_mode)) {
        const char *base = strrchr(s->builds, '/') != NULL ? strrchr(s->builds, '/') + 1 : s->builds;
        ssize_t len = readlink(s->out, target, sizeof target - 1);
        size_t want = strlen(base);
        if (len > 0)
            target[len] = '\0';
        if (len > (ssize_t)want && strncmp(target, base, want) == 0 && target[want] == '/')
            return ODP_OK;
    }
    struct odp_diag d = {.code = ODP_V06, .file = s->out, .args = {odp_slice_of(s->out)}};
    return odp_diags_add(s->diags, &d) == ODP_FAIL ? ODP_FAIL : ODP_BAD;
}

static enum odp_status take_lock(struct odp_stage *s)
{
    struct odp_builds b = {.arena = &s->arena, .out = s->out, .dir = s->builds, .lock = -1};
    enum odp_status status = odp_builds_lock(&b, s->diags);
    s->lock = b.lock;
    return status;
}

/* Under the lock: what is still there belongs to a run that was killed. */
static enum odp_status remove_stale(const struct odp_stage *s, struct odp_arena *a)
{
    static const char *const kinds[] = {".stage-", ".scratch-", ".new-"};
    const char **names;
    size_t n;
    if (odp_dir_list(s->builds, a, &names, &n) != ODP_OK)
        return odp_failure_set("read", s->builds, 0);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            if (strncmp(names[i], kinds[k], strlen(kinds[k])) != 0)
                continue;
            const char *path = odp_path_join(a, s->builds, names[i]);
            struct stat st;
            if (path == NULL || lstat(path, &st) != 0)
                return path == NULL ? ODP_FAIL : odp_failure_set("examine", path, errno);
            if (S_ISDIR(st.st_mode)) {
                if (odp_dir_remove(path) != ODP_OK)
                    return ODP_FAIL;
            } else if (unlink(path) != 0) {
                return odp_failure_set("remove", path, errno);
            }
        }
    return ODP_OK;
}

static enum odp_status make_folder(struct odp_stage *s)
{
    char *dir = odp_path_join(&s->arena, s->builds, ".stage-XXXXXX");
    if (dir == NULL)
        return ODP_FAIL;
    if (mkdtemp(dir) == NULL)
        return odp_failure_set("create", dir, errno);
    s->dir = dir;
    return chmod(dir, 0755) == 0 ? ODP_OK : odp_failure_set("create", dir, errno);
}

static enum odp_status list_new(struct odp_stage *s)
{
    s->list = calloc(1, sizeof *s->list);
    if (s->list == NULL)
        return odp_failure_set("stage", NULL, ENOMEM);
    odp_arena_init(&s->list->arena);
    if (pthread_mutex_init(&s->list->mutex, NULL) == 0)
        return ODP_OK;
    free(s->list);
    s->list = NULL;
    return odp_failure_set("stage", NULL, ENOMEM);
}

enum odp_status odp_stage_open(struct odp_stage **out, const char *out_dir, struct odp_diags *diags)
{
    *out = NULL;
    struct odp_stage *s = calloc(1, sizeof *s);
    if (s == NULL)
        return odp_failure_set("stage", out_dir, ENOMEM);
    odp_arena_init(&s->arena);
    s->lock = -1;
    s->diags = diags;
    s->output = (struct odp_output){s, stage_create, stage_close, stage_scratch, stage_reserve, stage_seal, stage_remove, stage_adopt};
    char *name = odp_arena_str(&s->arena, out_dir);
    for (size_t len = name != NULL ? strlen(name) : 0; len > 1 && name[len - 1] == '/'; len--)
        name[len - 1] = '\0';
    s->out = name;
    s->builds = name != NULL ? odp_arena_printf(&s->arena, "%s.builds", name) : NULL;
    enum odp_status status = s->builds != NULL ? list_new(s) : ODP_FAIL;
    if (status == ODP_OK)
        status = check_out(s, &s->arena);
    if (status == ODP_OK)
        status = odp_dir_make_synced(s->builds);
    if (status == ODP_OK)
        status = take_lock(s);
    if (status == ODP_OK)
        status = remove_stale(s, &s->arena);
    if (status == ODP_OK)
        status = make_folder(s);
    if (status == ODP_OK)
        *out = s;
    else
        odp_stage_close(s);
    return status;
}

void odp_stage_close(struct odp_stage *s)
{
    if (s == NULL)
        return;
    odp_makers_free(s->makers);
    if (s->dir != NULL && odp_dir_remove(s->dir) != ODP_OK) {
        /* recorded as a failure; what is left is removed when the next stage opens */
    }
    if (s->lock >= 0)
        (void)close(s->lock);
    if (s->list != NULL) {
        pthread_mutex_destroy(&s->list->mutex);
        odp_arena_release(&s->list->arena);
        free(s->list->files);
        free(s->list);
    }
    odp_arena_release(&s->arena);
    free(s);
}
