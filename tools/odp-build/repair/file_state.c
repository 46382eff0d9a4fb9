/* The state of a file when it was examined: device, inode, size, time of change. */
#include "repair/file_state.h"

#include <string.h>
#include <strings.h>

#include "base/arena.h"

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

struct odp_file_state odp_file_state_source(const char *path)
{
    static const char *const ends[] = {".dbf", ".DBF"};
    struct odp_file_state l = {0};
    size_t n = path != NULL ? strlen(path) : 0;
    if (n < 4 || strcasecmp(path + n - 4, ".shp") != 0)
        return odp_file_state_of(path);
    struct odp_arena a = {0};
    char *other = odp_arena_str(&a, path);
    for (size_t i = 0; i < 2 && !l.there; i++) {
        memcpy(other + n - 4, ends[i], 4);
        l = odp_file_state_of(other);
    }
    odp_arena_release(&a);
    return l.there ? l : odp_file_state_of(path);
}
