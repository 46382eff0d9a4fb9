#include "published/stamps.h"

#include <string.h>
#include <sys/stat.h>

#include "base/dir.h"
#include "base/path.h"

enum { FILES_MAX = 100000, FOLDERS_DEEP = 32 };

void odp_stamps_release(struct odp_stamps *s)
{
    odp_buffer_release(&s->bytes);
}

static int64_t nanos(struct timespec t)
{
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* A folder that is met in a tree changes with each of its files: there WHOLE is false. */
static void add(struct odp_stamps *s, const struct stat *st, bool whole)
{
    const int64_t modified = nanos(st->st_mtim), changed = nanos(st->st_ctim);
    const int64_t stamp[] = {(int64_t)st->st_dev, (int64_t)st->st_ino, (int64_t)st->st_size, modified,
                             changed};
    s->changed = modified > s->changed ? modified : s->changed;
    s->changed = changed > s->changed ? changed : s->changed;
    odp_buffer_add(&s->bytes, stamp, whole ? sizeof stamp : 2 * sizeof *stamp);
}

void odp_stamps_file(struct odp_stamps *s, int folder, const char *path)
{
    struct stat st;
    if (fstatat(folder, path, &st, 0) == 0)
        add(s, &st, true);
    else
        odp_buffer_add_char(&s->bytes, '-');
}

static enum odp_status add_tree(struct odp_stamps *s, const char *path, int depth, struct odp_arena *a)
{
    const char **names;
    size_t n;
    enum odp_status status = odp_dir_list(path, a, &names, &n);
    if (status != ODP_OK) { /* not there: its being there would be a change */
        odp_buffer_add(&s->bytes, "-", 2);
        return status == ODP_BAD ? ODP_OK : status;
    }
    for (size_t i = 0; i < n && status == ODP_OK && !s->too_many; i++) {
        struct stat st;
        const char *below = odp_path_join(a, path, names[i]);
        if (strcmp(names[i], ".git") == 0)
            continue;
        s->too_many = ++s->files > FILES_MAX || depth == 0;
        odp_buffer_add(&s->bytes, names[i], strlen(names[i]) + 1);
        if (stat(below, &st) != 0) {
            odp_buffer_add_char(&s->bytes, '-');
            continue;
        }
        add(s, &st, !S_ISDIR(st.st_mode));
        if (S_ISDIR(st.st_mode) && !s->too_many)
            status = add_tree(s, below, depth - 1, a);
    }
    odp_buffer_add(&s->bytes, "/", 2); /* the folder ends here */
    return status;
}

enum odp_status odp_stamps_tree(struct odp_stamps *s, const char *path, struct odp_arena *a)
{
    return add_tree(s, path, FOLDERS_DEEP, a);
}
