/* The stage: a folder beside the published builds, filled by many threads, invisible to the public. */
#include "base/media.h"
#include "published/builds.h"
#include "published/site_internal.h"
#include "published/stage_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- files ---- */

static enum odp_status stage_create(void *ctx, const char *path, struct odp_file **out)
{
    struct odp_arena arena = {0};
    const char *full = odp_stage_place(ctx, path, &arena);
    *out = NULL;
    enum odp_status status = full != NULL ? odp_file_create_of_many(out, full, 0444) : ODP_FAIL;
    odp_arena_release(&arena);
    return status;
}

static enum odp_status enter(struct odp_stage *s, const char *path, const char *media_type,
                             enum odp_class cls, const struct odp_file_info *info)
{
    if (odp_media_of(media_type) ==
        ODP_MEDIA_UNKNOWN) /* else a new text format would get no twins, silently */
        return odp_failure_set("stage: contract/media_types.def lacks", media_type, 0);
    odp_stage_add(s, path, media_type, NULL, cls, info);
    return ODP_OK;
}

static enum odp_status stage_close(void *ctx, struct odp_file *f, const char *path, const char *media_type,
                                   enum odp_class cls)
{
    struct odp_file_info info;
    enum odp_status status = odp_file_close(f, &info);
    return status == ODP_OK ? enter(ctx, path, media_type, cls, &info) : status;
}

static char *stage_reserve(void *ctx, const char *path, struct odp_arena *a)
{
    return odp_stage_place(ctx, path, a);
}

static enum odp_status stage_adopt(void *ctx, const char *path, const char *media_type, enum odp_class cls,
                                   const struct odp_file_info *info)
{
    struct odp_arena arena = {0};
    const char *full = odp_stage_place(ctx, path, &arena);
    enum odp_status status = full == NULL             ? ODP_FAIL
                             : chmod(full, 0444) != 0 ? odp_failure_set("chmod", full, errno)
                                                      : ODP_OK;
    if (status == ODP_OK)
        status = enter(ctx, path, media_type, cls, info);
    odp_arena_release(&arena);
    return status;
}

static enum odp_status stage_seal(void *ctx, const char *path, const char *media_type, enum odp_class cls)
{
    struct odp_file_info info;
    struct odp_arena arena = {0};
    const char *full = odp_stage_place(ctx, path, &arena);
    enum odp_status status = full != NULL ? odp_file_seal_of_many(full, &info) : ODP_FAIL;
    odp_arena_release(&arena);
    return status == ODP_OK ? stage_adopt(ctx, path, media_type, cls, &info) : status;
}

static void stage_remove(void *ctx, const char *path)
{
    struct odp_arena arena = {0};
    const char *full = odp_stage_place(ctx, path, &arena);
    if (full != NULL)
        (void)unlink(full);
    odp_arena_release(&arena);
}

/* Beside the stage, not in it: the scratch file of a killed run can never be published. */
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

enum odp_status odp_stage_same_as(struct odp_stage *s, const struct odp_site *site)
{
    const struct odp_mapped *seals = &odp_site_seals(site)->file;
    s->same = site;
    s->list->texts = (struct odp_slice){seals->ptr, seals->len};
    return odp_stage_take_spare(s);
}

enum odp_status odp_stage_link_same(struct odp_stage *s, const struct odp_site_file *f,
                                    const char *media_type)
{
    const size_t len = strlen(f->path), suffix = strlen(".gz");
    enum odp_status status = ODP_OK;
    size_t n;
    const struct odp_site_file *end = odp_site_files(s->same, &n) + n;
    for (const struct odp_site_file *old = f;
         old < end && strncmp(old->path, f->path, len) == 0 && status == ODP_OK; old++) {
        const bool twin = old->encoding != NULL && strlen(old->path) == len + suffix;
        if (old != f && !twin)
            continue;
        const struct odp_site_file *staged = odp_stage_is_left(s, old) ? NULL : odp_stage_look(s, old->path);
        if (staged != NULL && odp_site_file_same(staged, old))
            continue;
        struct odp_site_file copy = *old;
        copy.settled = true;
        copy.media_type = media_type != NULL ? media_type : old->media_type;
        status = odp_stage_link_of(s, s->same, old, &copy);
    }
    return status;
}

/* Links the file at PATH of the site before, and its twins, if it has BYTES. DONE: it has others. */
static enum odp_status put_same(struct odp_stage *s, const char *path, const char *media_type,
                                enum odp_class cls, struct odp_slice bytes)
{
    const struct odp_site_file *old = s->same != NULL ? odp_site_find(s->same, path) : NULL;
    uint8_t digest[ODP_SHA256_SIZE];
    if (old == NULL || old->size != bytes.len || old->cls != cls)
        return ODP_DONE;
    if (odp_digest_of(bytes.ptr, bytes.len, digest) != ODP_OK)
        return ODP_FAIL;
    return memcmp(digest, old->sha256, sizeof digest) == 0 ? odp_stage_link_same(s, old, media_type)
                                                           : ODP_DONE;
}

enum odp_status odp_stage_put(struct odp_stage *s, const char *path, const char *media_type,
                              enum odp_class cls, struct odp_slice bytes)
{
    struct odp_file *f;
    enum odp_status status = put_same(s, path, media_type, cls, bytes);
    if (status != ODP_DONE)
        return status;
    if (stage_create(s, path, &f) != ODP_OK)
        return ODP_FAIL;
    if (odp_file_write(f, bytes.ptr, bytes.len) != ODP_OK) {
        odp_file_discard(f);
        return ODP_FAIL;
    }
    return stage_close(s, f, path, media_type, cls);
}

void odp_stage_set_origin(struct odp_stage *s, const char *address)
{
    s->origin = odp_arena_str(&s->arena, address);
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

/* ---- open and close ---- */

/* OK if OUT is missing, a link made by a build, or an empty folder (removed when the link is made). */
static enum odp_status check_out(const struct odp_stage *s, struct odp_arena *a)
{
    struct stat st;
    char target[4096] = "";
    const char **names, *base = strrchr(s->builds, '/') != NULL ? strrchr(s->builds, '/') + 1 : s->builds;
    size_t n, want = strlen(base);
    if (lstat(s->out, &st) != 0)
        return errno == ENOENT ? ODP_OK : odp_failure_set("examine", s->out, errno);
    if (S_ISDIR(st.st_mode) && odp_dir_list(s->out, a, &names, &n) == ODP_OK && n == 0)
        return ODP_OK;
    if (S_ISLNK(st.st_mode) && readlink(s->out, target, sizeof target - 1) > 0 &&
        strncmp(target, base, want) == 0 && target[want] == '/')
        return ODP_OK;
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

/* Under the lock: what is still there is from a killed run. */
static enum odp_status remove_stale(const struct odp_stage *s, struct odp_arena *a)
{
    static const char *const kinds[] = {".stage-", ".scratch-", ".new-"};
    const char **names;
    size_t n;
    if (odp_dir_list(s->builds, a, &names, &n) != ODP_OK)
        return odp_failure_set("read", s->builds, 0);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < ODP_COUNT(kinds); k++) {
            if (strncmp(names[i], kinds[k], strlen(kinds[k])) != 0)
                continue;
            const char *path = odp_path_join(a, s->builds, names[i]);
            struct stat st;
            if (lstat(path, &st) != 0)
                return odp_failure_set("examine", path, errno);
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
    if (mkdtemp(dir) == NULL)
        return odp_failure_set("create", dir, errno);
    s->dir = dir;
    s->disk = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return s->disk >= 0 && chmod(dir, 0755) == 0 ? ODP_OK : odp_failure_set("create", dir, errno);
}

enum odp_status odp_stage_open(struct odp_stage **out, const char *out_dir, struct odp_diags *diags)
{
    *out = NULL;
    struct odp_stage *s = calloc(1, sizeof *s);
    if (s == NULL)
        return odp_failure_set("stage", out_dir, ENOMEM);
    s->lock = s->disk = -1;
    s->diags = diags;
    s->output = (struct odp_output){s,          stage_create, stage_close, stage_scratch,  stage_reserve,
                                    stage_seal, stage_remove, stage_adopt, odp_stage_press};
    char *name = odp_arena_str(&s->arena, out_dir);
    for (size_t len = strlen(name); len > 1 && name[len - 1] == '/'; len--)
        name[len - 1] = '\0';
    s->out = name;
    s->builds = odp_arena_printf(&s->arena, "%s.builds", name);
    s->list = odp_arena_zero(&s->arena, 1, sizeof *s->list);
    odp_arena_init(&s->list->arena);
    odp_arena_init(&s->list->copies);
    odp_map_init(&s->list->paths);
    odp_map_init(&s->list->folders);
    odp_map_init(&s->list->slugs);
    pthread_mutex_init(&s->list->mutex, NULL); /* these cannot fail with default attributes */
    pthread_cond_init(&s->list->more, NULL);
    enum odp_status status = check_out(s, &s->arena);
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
    odp_stage_ahead_close(s);
    if (s->dir != NULL && odp_dir_remove(s->dir) != ODP_OK) {
        /* recorded as a failure; what is left is removed when the next stage opens */
    }
    if (s->lock >= 0)
        (void)close(s->lock);
    if (s->disk >= 0)
        (void)close(s->disk);
    odp_parts_close(s->parts);
    pthread_cond_destroy(&s->list->more);
    pthread_mutex_destroy(&s->list->mutex);
    odp_map_release(&s->list->folders);
    odp_map_release(&s->list->slugs);
    odp_map_release(&s->list->paths);
    odp_arena_release(&s->list->copies);
    odp_arena_release(&s->list->arena);
    odp_arena_release(&s->arena);
    free(s);
}
