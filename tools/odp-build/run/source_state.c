/* Where the source of a resource is, and whether it is, from the first look of a run to the last, one state
 * of it. A file that is written to while it is read gives half of one state and half of another, and a source
 * is read more than once (its digest, its version, its records), as several files where it is a shapefile. So
 * what the file system says of it is compared around every reading: which file it is, its size, and when it
 * was last changed.
 *
 * The clock of a file system stands still for some milliseconds. A file that was changed within the last of
 * them could be changed again without a trace: the first look waits until it has moved on. */
#include <errno.h>
#include <sys/stat.h>
#include <time.h>

#include "base/digest.h"
#include "run/run_internal.h"

enum { TICK = 20, TRIES = 3 }; /* ms: twice the longest step of Linux's file times */

char *odp_run_source(const struct run *r, const struct odp_resource *resource, struct odp_arena *a)
{
    const char *file = r->options->as_file;
    bool as = file != NULL && resource->primary &&
              resource->dataset == odp_catalog_find(r->catalog, r->options->as_slug);
    return as ? odp_arena_str(a, file) : odp_resource_source(resource, r->options->sources, a);
}

/* NEW: it was changed within the last tick. */
static enum odp_status add_file(struct odp_buffer *into, const char *path, const struct timespec *now,
                                bool *new)
{
    struct stat st;
    if (stat(path, &st) != 0) { /* not there, or not for us: who reads it says so */
        odp_buffer_add_char(into, '-');
        return errno == EIO || errno == ENOMEM ? odp_failure_set("stat", path, errno) : ODP_OK;
    }
    const long long stamp[] = {(long long)st.st_dev,          (long long)st.st_ino,
                               (long long)st.st_size,         (long long)st.st_mtim.tv_sec,
                               (long long)st.st_mtim.tv_nsec, (long long)st.st_ctim.tv_sec,
                               (long long)st.st_ctim.tv_nsec};
    long long ago =
        (long long)(now->tv_sec - st.st_ctim.tv_sec) * 1000 + (now->tv_nsec - st.st_ctim.tv_nsec) / 1000000;
    *new = *new || (S_ISREG(st.st_mode) && ago >= 0 && ago < TICK);
    odp_buffer_add(into, stamp, sizeof stamp);
    return ODP_OK;
}

static enum odp_status add_siblings(struct odp_buffer *into, const char *path, const struct timespec *now,
                                    bool *new, struct odp_arena *a)
{
    const char **files;
    size_t n;
    enum odp_status status = odp_dir_siblings(path, a, &files, &n);
    if (status == ODP_BAD) {
        odp_buffer_add_char(into, '-');
        return ODP_OK;
    }
    for (size_t i = 0; i < n && status == ODP_OK; i++) {
        odp_buffer_add(into, files[i], strlen(files[i]) + 1);
        status = add_file(into, files[i], now, new);
    }
    return status;
}

enum odp_status odp_run_digest_of(enum odp_status status, struct odp_buffer *text,
                                  uint8_t out[ODP_SHA256_SIZE])
{
    if (status == ODP_OK)
        status = odp_buffer_status(text);
    if (status == ODP_OK)
        status = odp_digest_of(text->ptr, text->len, out);
    odp_buffer_release(text);
    return status;
}

static enum odp_status look(const char *path, uint8_t out[ODP_SHA256_SIZE], bool *new, struct odp_arena *a)
{
    struct odp_buffer all = {0};
    struct timespec now = {0};
    *new = false;
    (void)clock_gettime(CLOCK_REALTIME, &now); /* of a clock that is wrong only the wait depends */
    return odp_run_digest_of(odp_path_ends(path, ".shp") ? add_siblings(&all, path, &now, new, a)
                                                         : add_file(&all, path, &now, new),
                             &all, out);
}

enum odp_status odp_run_catalog_stays(struct run *r)
{
    static const char *const names[] = {"portal.json", "changes.json", "keys.json", "rules.json",
                                        "theme.json"};
    struct odp_buffer all = {0};
    struct odp_arena arena = {0};
    struct timespec now = {0};
    uint8_t stamp[ODP_SHA256_SIZE] = {0};
    bool ignored = false;
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < ODP_COUNT(names) && status == ODP_OK; i++)
        status = add_file(&all, odp_path_join(&arena, r->options->catalog, names[i]), &now, &ignored);
    status = odp_run_digest_of(status, &all, stamp);
    if (status == ODP_OK && r->stamped && memcmp(stamp, r->stamp, sizeof stamp) != 0)
        status = odp_failure_set("read", r->options->catalog, ESTALE);
    memcpy(r->stamp, stamp, sizeof stamp);
    r->stamped = true;
    odp_arena_release(&arena);
    return status;
}

enum odp_status odp_run_source_stays(const struct run *r, const struct odp_resource *resource)
{
    struct task *t = &r->tasks[resource->index];
    struct odp_arena arena = {0};
    uint8_t stamp[ODP_SHA256_SIZE] = {0};
    bool new = true;
    const char *path = odp_run_source(r, resource, &arena);
    enum odp_status status = ODP_OK;
    for (int i = 0; i < TRIES && new &&status == ODP_OK; i++) {
        if (i > 0)
            (void)nanosleep(&(struct timespec){.tv_nsec = TICK * 1000000L}, NULL);
        status = look(path, stamp, &new, &arena);
        new = new && !t->stamped;
    }
    if (status == ODP_OK && t->stamped && memcmp(stamp, t->stamp, sizeof stamp) != 0)
        status = odp_failure_set("read", path, ESTALE);
    memcpy(t->stamp, stamp, sizeof stamp);
    t->stamped = true;
    odp_arena_release(&arena);
    return status;
}
