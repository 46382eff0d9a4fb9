/* The state of a file when it was examined: device, inode, size, time of change. */
#include "repair/file_state.h"

#include <string.h>

#include "base/file.h"

bool odp_file_state_same(const struct odp_file_state *a, const struct odp_file_state *b)
{
    return a->there && b->there && a->st.st_dev == b->st.st_dev && a->st.st_ino == b->st.st_ino &&
           a->st.st_size == b->st.st_size && a->st.st_mtim.tv_sec == b->st.st_mtim.tv_sec &&
           a->st.st_mtim.tv_nsec == b->st.st_mtim.tv_nsec;
}

struct odp_file_state odp_file_state_of(const char *path)
{
    struct odp_file_state l = {0};
    l.there = path != NULL && stat(path, &l.st) == 0;
    return l;
}

char *odp_data_file(const char *path, struct odp_arena *a)
{
    char *out = odp_arena_str(a, path);
    size_t n = strlen(path);
    if (!odp_path_ends(path, ".shp"))
        return out;
    static const char *const ends[] = {".dbf", ".DBF", ".Dbf"};
    for (size_t i = 0; i < ODP_COUNT(ends); i++) {
        memcpy(out + n - 4, ends[i], 4);
        if (odp_file_kind_of(out) == ODP_FILE_REGULAR)
            return out;
    }
    memcpy(out + n - 4, path + n - 4, 4);
    return out;
}

struct odp_file_state odp_file_state_source(const char *path)
{
    struct odp_arena a = {0};
    struct odp_file_state l = odp_file_state_of(path != NULL ? odp_data_file(path, &a) : NULL);
    odp_arena_release(&a);
    return l;
}
