/* Files from and to what rclone reaches: fetched, put, written, removed. Stores of objects show a file whole
 * or not at all; WebDAV and SFTP servers may show one while it grows, when no manifest names it yet. */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/remote/rclone_internal.h"

enum { FEW = 100, BATCH_BYTES = 256 << 20 };

/* ---- fetch ---- */

/* What rclone has written to FROM is checked and moved to its place. DONE: it is not there. BAD: other bytes
 * (removed). */
static enum odp_status adopt(const struct odp_remote_file *f, const char *from, const char *dir,
                             struct odp_arena *a)
{
    enum odp_status status = remote_fits(from, f);
    if (status == ODP_BAD && unlink(from) != 0)
        return odp_failure_set("remove", from, errno);
    if (status != ODP_OK)
        return status;
    const char *to = remote_place(a, dir, f->path);
    if (to == NULL || chmod(from, 0444) != 0)
        return to == NULL ? ODP_FAIL : odp_failure_set("chmod", from, errno);
    struct odp_file_info info; /* synced: with the digest known, remote_fits has done so already */
    if (f->sha256 == NULL && odp_file_seal(from, &info) != ODP_OK)
        return ODP_FAIL;
    return odp_file_rename(from, to);
}

/* Sets missing where a file did not come; BAD: some did not, or not right. */
static enum odp_status adopt_all(struct odp_remote *r, struct odp_remote_file **files, size_t n,
                                 const char *inbox, const char *dir, bool ended)
{
    struct odp_arena arena;
    enum odp_status status = ODP_OK;
    odp_arena_init(&arena);
    for (size_t i = 0; i < n && status != ODP_FAIL; i++) {
        const char *from = odp_path_join(&arena, inbox, files[i]->path);
        enum odp_status one = adopt(files[i], from, dir, &arena);
        files[i]->missing = ended && one == ODP_DONE;
        files[i]->wrong = ended && one == ODP_BAD;
        if (one == ODP_FAIL)
            status = ODP_FAIL;
        else if (one != ODP_OK && ended && status == ODP_OK)
            status = remote_fault(r, one == ODP_DONE ? "%s: not there" : "%s: other bytes than expected",
                                  files[i]->path);
        odp_arena_reset(&arena);
    }
    odp_arena_release(&arena);
    return status;
}

static enum odp_status fetch_batch(struct odp_remote *r, struct odp_remote_file **files, size_t n,
                                   const char *inbox, const char *dir)
{
    struct rclone_call c;
    rclone_begin(&c, r, "copy");
    for (size_t i = 0; i < n; i++)
        rclone_path(&c, files[i]->path);
    rclone_arg(&c, "--no-traverse");
    rclone_arg(&c, "--ignore-times");
    rclone_of_paths(&c, r);
    rclone_arg(&c, inbox);
    enum odp_status status = rclone_run(r, &c);
    /* Also after a failure: what came whole need not come again. */
    enum odp_status adopted =
        status != ODP_FAIL ? adopt_all(r, files, n, inbox, dir, status == ODP_OK) : ODP_FAIL;
    return status == ODP_OK || adopted == ODP_FAIL ? adopted : status;
}

enum odp_status rclone_fetch(struct odp_remote *r, struct odp_remote_file **files, size_t n, const char *dir,
                             const struct odp_progress *progress)
{
    struct odp_arena arena;
    uint64_t done = 0, total = 0;
    enum odp_status status = ODP_OK;
    odp_arena_init(&arena);
    const char *inbox = odp_path_join(&arena, dir, ".inbox");
    if (odp_dir_remove(inbox) != ODP_OK || odp_dir_make(inbox) != ODP_OK)
        status = ODP_FAIL;
    for (size_t i = 0; i < n; i++)
        total += files[i]->size;
    for (size_t i = 0; i < n && status != ODP_FAIL;) {
        uint64_t bytes = 0;
        size_t k = 0;
        while (i + k < n && k < RCLONE_BATCH && (k == 0 || bytes < BATCH_BYTES))
            bytes += files[i + k++]->size;
        enum odp_status one = fetch_batch(r, files + i, k, inbox, dir);
        status = one == ODP_OK ? status : one;
        i += k;
        done += bytes;
        odp_progress_update(progress, ODP_PHASE_PUBLISH, r->shown, done, total, 0);
        bool any_lost =
            false; /* did not come, and nobody said that it is not there: the store does not answer */
        for (size_t f = i - k; f < i; f++)
            any_lost = any_lost || (one == ODP_BAD && !files[f]->missing);
        if (one == ODP_BAD && any_lost && strncmp(r->fault, "rclone", 6) == 0)
            break;
    }
    if (odp_dir_remove(inbox) != ODP_OK)
        status = ODP_FAIL;
    odp_arena_release(&arena);
    return status;
}

/* ---- put ---- */

/* The folder from which F's path goes on: F.from without F.path at its end. NULL in *ROOT.ptr: the names
 * differ. */
static struct odp_slice root_of(const struct odp_remote_put *f)
{
    size_t from = strlen(f->from), path = strlen(f->path);
    struct odp_slice none = {NULL, 0};
    if (from <= path + 1 || strcmp(f->from + from - path, f->path) != 0 || f->from[from - path - 1] != '/')
        return none;
    return (struct odp_slice){f->from, from - path - 1};
}

static int cmp_text(const char *a, const char *b)
{
    return a == NULL || b == NULL ? (a != NULL) - (b != NULL) : strcmp(a, b);
}

/* Files of one call stand together. */
static int by_group(const void *va, const void *vb)
{
    const struct odp_remote_put *a = va, *b = vb;
    int order = (a->replace ? 1 : 0) - (b->replace ? 1 : 0);
    if (order == 0)
        order = odp_slice_cmp(root_of(a), root_of(b));
    if (order == 0)
        order = cmp_text(a->type, b->type);
    if (order == 0)
        order = cmp_text(a->cache_control, b->cache_control);
    return order;
}

/* rclone's options for what the store should say of the files; in A. */
static void add_headers(struct rclone_call *c, const struct odp_remote_put *f, struct odp_arena *a)
{
    if (f->type != NULL)
        rclone_arg(c, odp_arena_printf(a, "--header-upload=Content-Type: %s", f->type));
    if (f->cache_control != NULL)
        rclone_arg(c, odp_arena_printf(a, "--header-upload=Cache-Control: %s", f->cache_control));
}

/* What is there is left alone only where that is proved: by digest where the store has any; else by size, but
 * for names under which something else may lie. */
static const char *comparison(const struct odp_remote *r, const struct odp_remote_put *f)
{
    return r->hashes ? "--checksum" : f->replace ? "--ignore-times" : "--size-only";
}

static enum odp_status put_batch(struct odp_remote *r, const struct odp_remote_put *files, size_t n)
{
    struct odp_arena arena;
    struct rclone_call c;
    struct odp_slice root = root_of(files);
    odp_arena_init(&arena);
    rclone_begin(&c, r, root.ptr != NULL ? "copy" : "copyto");
    if (n < FEW) /* more are asked for by folder */
        rclone_arg(&c, "--no-traverse");
    rclone_arg(&c, comparison(r, files));
    add_headers(&c, files, &arena);
    const char *from =
        root.ptr != NULL ? odp_arena_printf(&arena, "%.*s", (int)root.len, root.ptr) : files->from;
    const char *to = root.ptr != NULL ? r->address : rclone_join(r, files->path, &arena);
    for (size_t i = 0; i < n && root.ptr != NULL; i++)
        rclone_path(&c, files[i].path);
    if (root.ptr != NULL)
        rclone_arg(&c, "--files-from-raw=-");
    rclone_arg(&c, "--");
    rclone_arg(&c, from);
    rclone_arg(&c, to);
    enum odp_status status = rclone_run(r, &c);
    if (status == ODP_OK && c.code != 0)
        status = remote_fault(r, "%s: a file or its folder is not there", from);
    odp_arena_release(&arena);
    return status;
}

enum odp_status rclone_put(struct odp_remote *r, const struct odp_remote_put *files, size_t n,
                           const struct odp_progress *progress)
{
    struct odp_arena arena;
    uint64_t done = 0, total = 0;
    odp_arena_init(&arena);
    struct odp_remote_put *sorted = odp_arena_array(&arena, n, sizeof *sorted);
    enum odp_status status = rclone_features(r);
    for (size_t i = 0; i < n && status == ODP_OK; i++) {
        sorted[i] = files[i];
        if (!r->typed)
            sorted[i].type = sorted[i].cache_control = NULL;
        total += files[i].size;
        struct stat st;
        if (stat(files[i].from, &st) != 0)
            status = odp_failure_set("examine", files[i].from,
                                     errno); /* ours: nothing is wrong with the other side */
        else if (st.st_size < 0 ||
                 (uint64_t)st.st_size != files[i].size) /* rclone would skip it without a word */
            status = remote_fault(r, "%s: has changed since it was checked", files[i].from);
    }
    if (status == ODP_OK)
        qsort(sorted, n, sizeof *sorted, by_group);
    for (size_t i = 0; i < n && status == ODP_OK;) {
        uint64_t bytes = sorted[i].size;
        size_t k = 1;
        while (i + k < n && k < RCLONE_BATCH && root_of(&sorted[i]).ptr != NULL &&
               by_group(&sorted[i], &sorted[i + k]) == 0 && bytes < BATCH_BYTES)
            bytes += sorted[i + k++].size;
        status = put_batch(r, sorted + i, k);
        i += k;
        done += bytes;
        odp_progress_update(progress, ODP_PHASE_PUBLISH, r->shown, done, total, 0);
    }
    odp_arena_release(&arena);
    return status;
}

enum odp_status rclone_write(struct odp_remote *r, const char *path, struct odp_slice bytes,
                             const struct odp_remote_put *how)
{
    struct odp_arena arena;
    struct rclone_call c;
    odp_arena_init(&arena);
    rclone_begin(&c, r, "rcat");
    rclone_arg(
        &c,
        "--streaming-upload-cutoff=64M"); /* whole in memory first: one request, and whole at the other end */
    enum odp_status status = rclone_features(r);
    if (status == ODP_OK && r->typed)
        add_headers(&c, how, &arena);
    rclone_arg(&c, "--");
    rclone_arg(&c, rclone_join(r, path, &arena));
    c.input = bytes;
    if (status == ODP_OK)
        status = rclone_run(r, &c);
    if (status == ODP_OK && c.code != 0)
        status = remote_fault(r, "%s: cannot be written", path);
    odp_arena_release(&arena);
    return status;
}

enum odp_status rclone_remove(struct odp_remote *r, const char *const *paths, size_t n)
{
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < n && status == ODP_OK; i += RCLONE_BATCH) {
        struct rclone_call c;
        rclone_begin(&c, r, "delete");
        for (size_t k = i; k < n && k < i + RCLONE_BATCH; k++)
            rclone_path(&c, paths[k]);
        rclone_of_paths(&c, r);
        status = rclone_run(r, &c);
    }
    return status;
}
