#include "run/watch.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/monotonic.h"

enum {
    QUIET = 50, /* ms */
    QUIET_WRITING = 300,
    LONGEST = 500,
    LONGEST_WRITING = 5000,
    DEPTH = 16,  /* of folders */
    WRITING = 32 /* files that are followed while they are written */
};

#define EVENTS                                                                                               \
    (IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO |          \
     IN_DELETE_SELF | IN_MOVE_SELF)

/* A folder (or a file that a link leads to) by its watch descriptor. */
struct place {
    const char *path; /* NULL: not ours any more */
    dev_t dev;
    ino_t ino;
};

/* Something that a build writes: NAME in a folder. */
struct own {
    dev_t dev;
    ino_t ino;
    const char *name;
};

/* A file that changed and was not closed since. */
struct writing {
    int wd;
    char name[256];
};

struct odp_watch {
    struct odp_arena arena;
    int fd;
    struct place *places; /* by watch descriptor */
    size_t nplaces;
    struct own *own;
    size_t nown;
    struct writing writing[WRITING];
    size_t nwriting;
    char *changed;
};

/* ---- what is not looked at ---- */

static bool ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n >= m && strcmp(s + n - m, end) == 0;
}

static bool is_hidden(const char *name)
{
    return name[0] == '.' || strncmp(name, "~$", 2) == 0 || ends_with(name, "~");
}

/* Whether NAME in the folder DEV, INO is written by builds. */
static bool is_own(const struct odp_watch *w, dev_t dev, ino_t ino, const char *name)
{
    for (size_t i = 0; i < w->nown; i++) {
        size_t len = strlen(w->own[i].name);
        if (w->own[i].dev != dev || w->own[i].ino != ino || strncmp(name, w->own[i].name, len) != 0)
            continue;
        if (name[len] == '\0' || strcmp(name + len, ".builds") == 0 ||
            (name[len] == '.' && ends_with(name, ".tmp")))
            return true;
    }
    return false;
}

/* The last segment of PATH and its folder. */
static void split(struct odp_watch *w, const char *path, const char **dir, const char **name)
{
    char *copy = odp_arena_str(&w->arena, path);
    for (size_t len = strlen(copy); len > 1 && copy[len - 1] == '/'; len--)
        copy[len - 1] = '\0';
    char *slash = strrchr(copy, '/');
    *name = slash != NULL ? slash + 1 : copy;
    *dir = slash == NULL ? "." : slash == copy ? "/" : copy;
    if (slash != NULL)
        *slash = '\0';
}

/* Where the folder of PATH is not there yet, its first missing one is ours: the build makes it. */
static void note_own(struct odp_watch *w, const char *path)
{
    struct stat st;
    const char *dir = path, *name;
    do
        split(w, dir, &dir, &name);
    while (stat(dir, &st) != 0 && strcmp(dir, ".") != 0 && strcmp(dir, "/") != 0);
    w->own[w->nown++] = (struct own){st.st_dev, st.st_ino, name};
}

/* ---- folders ---- */

/* OK: PATH is watched now. DONE: it was before, or is gone, or cannot be read (the build will say so). */
static enum odp_status add_place(struct odp_watch *w, const char *path, struct stat *st)
{
    int wd = inotify_add_watch(w->fd, path, EVENTS);
    if (wd < 0 && (errno == ENOSPC || errno == ENOMEM))
        return odp_failure_set("watch (fs.inotify.max_user_watches)", path, errno);
    if (wd < 0 || stat(path, st) != 0)
        return ODP_DONE;
    size_t at = (size_t)wd;
    if (at < w->nplaces && w->places[at].path != NULL)
        return ODP_DONE;
    if (at >= w->nplaces) {
        size_t n = at * 2 + 64;
        struct place *places = odp_realloc_array(w->places, n, sizeof *places);
        if (places == NULL)
            return ODP_FAIL;
        memset(places + w->nplaces, 0, (n - w->nplaces) * sizeof *places);
        w->places = places;
        w->nplaces = n;
    }
    w->places[at] = (struct place){odp_arena_str(&w->arena, path), st->st_dev, st->st_ino};
    return ODP_OK;
}

/* The folder PATH with all that is in it. A folder that is met again (links may go round) ends the descent.
 */
static enum odp_status add_tree(struct odp_watch *w, const char *path, int depth)
{
    struct stat own, st, linked;
    const char **names;
    size_t n;
    enum odp_status status = add_place(w, path, &own);
    if (status != ODP_OK || depth == 0)
        return status == ODP_FAIL ? ODP_FAIL : ODP_OK;
    status = odp_dir_list(path, &w->arena, &names, &n);
    if (status != ODP_OK)
        return status == ODP_FAIL ? ODP_FAIL : ODP_OK;
    for (size_t i = 0; i < n && status != ODP_FAIL; i++) {
        if (is_hidden(names[i]) || is_own(w, own.st_dev, own.st_ino, names[i]))
            continue;
        const char *child = odp_path_join(&w->arena, path, names[i]);
        if (lstat(child, &st) != 0)
            continue;
        bool is_link = S_ISLNK(st.st_mode);
        if (is_link && stat(child, &linked) != 0)
            continue;
        if (S_ISDIR(is_link ? linked.st_mode : st.st_mode))
            status = add_tree(w, child, depth - 1);
        else if (is_link)
            status = add_place(w, child, &linked);
    }
    return status == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

/* The folder DIR, or the nearest one above it that is there: then its coming is seen. */
static enum odp_status add_root(struct odp_watch *w, const char *dir)
{
    struct stat st;
    const char *path = dir, *name;
    if (stat(dir, &st) == 0)
        return add_tree(w, dir, DEPTH);
    do
        split(w, path, &path, &name);
    while (stat(path, &st) != 0 && strcmp(path, ".") != 0 && strcmp(path, "/") != 0);
    return add_place(w, path, &st) == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

enum odp_status odp_watch_open(struct odp_watch **out, const struct odp_watch_options *o)
{
    *out = NULL;
    struct odp_watch *w = calloc(1, sizeof *w);
    if (w == NULL)
        return odp_failure_set("watch", o->catalog, ENOMEM);
    enum odp_status status = ODP_OK;
    w->fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (w->fd < 0)
        status = odp_failure_set("watch (fs.inotify.max_user_instances)", NULL, errno);
    w->own = odp_arena_zero(&w->arena, o->nours + 1, sizeof *w->own);
    for (size_t i = 0; i < o->nours; i++)
        note_own(w, o->ours[i]);
    if (status == ODP_OK)
        status = add_root(w, o->catalog);
    if (status == ODP_OK && o->sources != NULL)
        status = add_root(w, o->sources);
    if (status == ODP_OK && o->templates != NULL)
        status = add_root(w, o->templates);
    if (status == ODP_OK)
        *out = w;
    else
        odp_watch_close(w);
    return status;
}

void odp_watch_close(struct odp_watch *w)
{
    if (w == NULL)
        return;
    if (w->fd >= 0)
        (void)close(w->fd);
    free(w->places);
    odp_arena_release(&w->arena);
    free(w);
}

const char *odp_watch_changed(const struct odp_watch *w)
{
    return w->changed != NULL ? w->changed : "";
}

/* ---- events ---- */

static void note_writing(struct odp_watch *w, const struct inotify_event *e, const char *name)
{
    size_t i = 0;
    while (i < w->nwriting && (w->writing[i].wd != e->wd || strcmp(w->writing[i].name, name) != 0))
        i++;
    if ((e->mask & IN_MODIFY) != 0 && i == w->nwriting && i < WRITING) {
        w->writing[w->nwriting++].wd = e->wd;
        snprintf(w->writing[i].name, sizeof w->writing[i].name, "%s", name);
    } else if ((e->mask & (IN_CLOSE_WRITE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO)) != 0 &&
               i < w->nwriting) {
        w->writing[i] = w->writing[--w->nwriting];
    }
}

/* Whether event E is of something that builds read. */
static bool counts(struct odp_watch *w, const struct inotify_event *e)
{
    if ((e->mask & IN_Q_OVERFLOW) != 0)
        return true;
    const char *name = e->len > 0 ? e->name : "";
    const struct place *p = e->wd >= 0 && (size_t)e->wd < w->nplaces ? &w->places[e->wd] : NULL;
    if ((e->mask & IN_IGNORED) != 0 || p == NULL || p->path == NULL)
        return false;
    if (*name != '\0' && (is_hidden(name) || is_own(w, p->dev, p->ino, name)))
        return false;
    note_writing(w, e, name);
    if (w->changed == NULL)
        w->changed =
            *name != '\0' ? odp_path_join(&w->arena, p->path, name) : odp_arena_str(&w->arena, p->path);
    return true;
}

/* Takes all events that are there. */
static enum odp_status drain(struct odp_watch *w, bool *any)
{
    _Alignas(struct inotify_event) char events[16384];
    for (;;) {
        ssize_t n = read(w->fd, events, sizeof events);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return ODP_OK;
        if (n <= 0)
            return odp_failure_set("watch", NULL, n < 0 ? errno : EIO);
        for (const char *p = events; p < events + n;) {
            const struct inotify_event *e = (const void *)p;
            *any = counts(w, e) || *any;
            p += sizeof *e + e->len;
        }
    }
}

static int64_t lesser(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

enum odp_status odp_watch_wait(struct odp_watch *w, int stop, int timeout)
{
    struct pollfd fds[2] = {{.fd = w->fd, .events = POLLIN}, {.fd = stop, .events = POLLIN}};
    int64_t begun = odp_monotonic_ms(), first = -1, last = 0;
    for (;;) {
        int64_t t = odp_monotonic_ms(), wait = timeout < 0 ? -1 : begun + timeout - t;
        if (first >= 0)
            wait = lesser(last + (w->nwriting > 0 ? QUIET_WRITING : QUIET),
                          first + (w->nwriting > 0 ? LONGEST_WRITING : LONGEST)) -
                   t;
        if (wait <= 0 && (first >= 0 || timeout >= 0))
            return ODP_OK;
        int n = poll(fds, 2, (int)wait);
        if (n < 0 && errno != EINTR)
            return odp_failure_set("watch", NULL, errno);
        if (n > 0 && fds[1].revents != 0)
            return ODP_DONE;
        bool any = false;
        if (n > 0 && drain(w, &any) != ODP_OK)
            return ODP_FAIL;
        if (any) {
            last = odp_monotonic_ms();
            first = first >= 0 ? first : last;
        }
    }
}
