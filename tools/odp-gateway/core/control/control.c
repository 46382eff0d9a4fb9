#include "core/control/control_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"

#define MAGIC "#odp-control-1\t"

/* ---- lines ---- */

/* Line I without its end. */
static struct odp_slice line_at(const struct odp_control *c, size_t i)
{
    size_t end = i + 1 < c->n ? c->lines[i + 1].at : c->size;
    return (struct odp_slice){c->map + c->lines[i].at, end - 1 - c->lines[i].at};
}

static struct odp_slice path_at(const struct odp_control *c, size_t i)
{
    return (struct odp_slice){c->map + c->lines[i].at, c->lines[i].path};
}

/* PATH against A followed by B, by bytes. */
static int compare(struct odp_slice path, struct odp_slice a, struct odp_slice b)
{
    if (path.len <= a.len) {
        int order = odp_slice_cmp(path, a);
        return order == 0 && b.len > 0 ? -1 : order;
    }
    int order = odp_slice_cmp((struct odp_slice){path.ptr, a.len}, a);
    return order != 0 ? order : odp_slice_cmp((struct odp_slice){path.ptr + a.len, path.len - a.len}, b);
}

/* True: *I is the line whose path is A followed by B. Else it is where such a line would be. */
static bool bisect(const struct odp_control *c, struct odp_slice a, struct odp_slice b, size_t *i)
{
    size_t low = 0, high = c->n;
    while (low < high) {
        *i = low + (high - low) / 2;
        int order = compare(path_at(c, *i), a, b);
        if (order == 0)
            return true;
        if (order < 0)
            low = *i + 1;
        else
            high = *i;
    }
    *i = low;
    return false;
}

bool control_find_exact(const struct odp_control *c, struct odp_slice a, struct odp_slice b,
                        struct odp_entry *e)
{
    size_t i;
    return bisect(c, a, b, &i) && control_entry_read(line_at(c, i), e);
}

/* A line that PATH begins with is no later than the last line before PATH, and that one begins with it too.
 * So what both have in common bounds how far up to look, and a request with thousands of slashes costs no
 * more than the site is deep. */
bool odp_control_find(const struct odp_control *c, struct odp_slice path, struct odp_entry *e)
{
    static const struct odp_slice nothing = {"", 0};
    size_t i;
    if (!control_path_ok(path))
        return false;
    while (path.len > 0) {
        if (bisect(c, path, nothing, &i))
            return control_entry_read(line_at(c, i), e);
        struct odp_slice before = i > 0 ? path_at(c, i - 1) : nothing;
        size_t common = 0;
        while (common < before.len && common < path.len && before.ptr[common] == path.ptr[common])
            common++;
        while (common > 0 && path.ptr[common - 1] != '/')
            common--;
        path.len = common;
    }
    return false;
}

bool odp_control_line(const struct odp_control *c, size_t i, struct odp_entry *e)
{
    return i < c->n && control_entry_read(line_at(c, i), e);
}

/* ---- open and close ---- */

/* Where lines and paths end, and that they are in order: what bisection needs. The columns are not looked at
 * before they are wanted. */
static enum odp_status read_lines(struct odp_control *c, const char **why)
{
    size_t n = 0;
    *why = "control is not a control file of this layout";
    if (c->size < sizeof MAGIC || c->size > UINT32_MAX || memcmp(c->map, MAGIC, sizeof MAGIC - 1) != 0)
        return ODP_BAD;
    *why = "control is cut short";
    if (c->map[c->size - 1] != '\n')
        return ODP_BAD;
    const char *end = c->map + c->size, *first = (const char *)memchr(c->map, '\n', c->size) + 1;
    for (const char *p = first; p < end; p = (const char *)memchr(p, '\n', (size_t)(end - p)) + 1)
        n++;
    if ((c->lines = odp_realloc_array(NULL, n + 1, sizeof *c->lines)) == NULL)
        return ODP_FAIL;
    *why = "the lines of control are not sorted";
    for (const char *p = first; p < end; c->n++) {
        const char *stop = memchr(p, '\n', (size_t)(end - p)), *tab = memchr(p, '\t', (size_t)(stop - p));
        c->lines[c->n] =
            (struct control_line){(uint32_t)(p - c->map), (uint32_t)((tab != NULL ? tab : stop) - p)};
        struct odp_slice before = c->n > 0 ? path_at(c, c->n - 1) : (struct odp_slice){"", 0};
        if (odp_slice_cmp(before, path_at(c, c->n)) >= 0)
            return ODP_BAD;
        p = stop + 1;
    }
    return ODP_OK;
}

/* Where the link SITE leads, as it says itself; "" when it is no link. NULL: out of memory. */
static char *read_link(const char *site)
{
    char name[PATH_MAX], target[PATH_MAX];
    size_t len = strnlen(site, sizeof name - 1);
    memcpy(name, site, len);
    while (len > 1 && name[len - 1] == '/')
        len--;
    name[len] = '\0';
    ssize_t got = readlink(name, target, sizeof target - 1);
    target[got > 0 ? got : 0] = '\0';
    return strdup(target);
}

static void name_build(struct odp_control *c)
{
    const char *name = strrchr(c->dir, '/') + 1;
    if (strlen(name) != 64 || strspn(name, "0123456789abcdef") != 64)
        return;
    c->etag[0] = '"';
    memcpy(c->etag + 1, name, 32);
    c->etag[33] = '"';
}

static enum odp_status map_file(struct odp_control *c, int dir, const char **why)
{
    struct stat st;
    *why = "there is no control file";
    int fd = openat(dir, "control", O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return ODP_BAD;
    enum odp_status status = ODP_BAD;
    *why = "control is not a file that can be read";
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
        void *map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
        if (map != MAP_FAILED) {
            c->map = map;
            c->size = (size_t)st.st_size;
            status = ODP_OK;
        } else {
            status = odp_failure_set("map", "control", errno);
        }
    }
    close(fd);
    return status;
}

static enum odp_status open_dir(struct odp_control *c, const char **why)
{
    struct stat st;
    int dir = open(c->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    *why = "there is no such folder";
    if (dir < 0)
        return ODP_BAD;
    enum odp_status status = ODP_BAD;
    if (fstat(dir, &st) == 0) {
        c->dev = st.st_dev;
        c->ino = st.st_ino;
        status = map_file(c, dir, why);
    }
    if (status == ODP_OK)
        status = read_lines(c, why);
    if (status == ODP_OK && fstatat(dir, "manifest.json", &st, 0) == 0 && S_ISREG(st.st_mode)) {
        c->has_manifest = true;
        c->manifest_size = (uint64_t)st.st_size;
    }
    close(dir);
    return status;
}

enum odp_status odp_control_open(struct odp_control **out, const char *site, const char **why)
{
    const char *ignored;
    why = why != NULL ? why : &ignored;
    *out = NULL;
    *why = "";
    struct odp_control *c = calloc(1, sizeof *c);
    if (c == NULL)
        return odp_failure_set("open", site, ENOMEM);
    enum odp_status status = ODP_BAD;
    /* The link is read first: when it is switched in between, the next look sees that its target has changed.
     */
    if ((c->link = read_link(site)) == NULL) {
        status = odp_failure_set("open", site, ENOMEM);
    } else if ((c->dir = realpath(site, NULL)) == NULL) {
        *why = "there is no such folder";
        if (errno == ENOMEM)
            status = odp_failure_set("open", site, ENOMEM);
    } else {
        name_build(c);
        status = open_dir(c, why);
    }
    if (status == ODP_OK)
        *out = c;
    else
        odp_control_close(c);
    return status;
}

void odp_control_close(struct odp_control *c)
{
    if (c == NULL)
        return;
    if (c->map != NULL)
        munmap((void *)(uintptr_t)c->map, c->size);
    free(c->lines);
    free(c->link);
    free(c->dir);
    free(c);
}

const char *odp_control_dir(const struct odp_control *c)
{
    return c->dir;
}

bool odp_control_switched(const struct odp_control *c, const char *site)
{
    struct stat st;
    if (stat(site, &st) != 0 || !S_ISDIR(st.st_mode))
        return false; /* gone for now: the open site goes on */
    if (st.st_dev != c->dev || st.st_ino != c->ino)
        return true;
    char *link = read_link(site);
    bool same = link == NULL || strcmp(link, c->link) == 0;
    free(link);
    return !same;
}
