/* The files of a shapefile, and shapelib's door to them. shapelib reads through shape_stream, which has one
 * window of a part in memory, so a batch of small records costs one read of the disk, and what was checked is
 * what shapelib sees. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/shapelib.h"
#include "read/shapefile/reader.h"

#define WINDOW ((size_t)64 * 1024)

const char *const shape_extensions[SHAPE_PARTS] = {".shp", ".shx", ".dbf", ".prj", ".cpg"};

static enum odp_status part_open(struct shape_source *s, enum shape_part_kind kind, const char *path,
                                 const char *name)
{
    struct shape_part *p = &s->parts[kind];
    struct stat st;
    p->name = name;
    if (!odp_source_may_be(s->base.resource, path))
        return shape_fault(s, ODP_F16, name, NULL);
    p->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (p->fd < 0 || fstat(p->fd, &st) != 0) {
        if (errno == ENOENT && kind != SHAPE_SHP)
            return ODP_OK;
        if (!odp_file_is_users_fault(errno))
            return odp_failure_set("open", path, errno);
        return errno == ENOENT ? shape_fault(s, ODP_F01, name, NULL)
                               : shape_fault(s, ODP_F02, name, strerrorname_np(errno));
    }
    if (!S_ISREG(st.st_mode))
        return shape_fault(s, ODP_F02, name, S_ISDIR(st.st_mode) ? "EISDIR" : "ENXIO");
    p->size = (uint64_t)st.st_size;
    p->present = true;
    s->base.info.bytes += p->size;
    return ODP_OK;
}

/* How well NAME serves as STEM + EXT: 3 exact, 2 the extension in another case, 1 the stem too, 0 not at all.
 */
static int name_fit(const char *name, struct odp_slice stem, const char *ext)
{
    size_t n = strlen(name), e = strlen(ext);
    if (n != stem.len + e || strcasecmp(name + stem.len, ext) != 0 ||
        strncasecmp(name, stem.ptr, stem.len) != 0)
        return 0;
    if (memcmp(name, stem.ptr, stem.len) != 0)
        return 1;
    return strcmp(name + stem.len, ext) == 0 ? 3 : 2;
}

enum odp_status shape_find(struct shape_source *s, const char *path)
{
    const char *base = odp_path_last(path), *dir = odp_path_folder(&s->arena, path);
    const char *shown = s->base.info.file;
    const int shown_dir = (int)(odp_path_last(shown) - shown);
    size_t len = strlen(base), n = 0;
    struct odp_slice stem = {base, len > 4 && base[len - 4] == '.' ? len - 4 : len};
    const char **names = NULL;
    enum odp_status st = part_open(s, SHAPE_SHP, path, shown);
    if (st == ODP_OK)
        st = odp_dir_list(dir, &s->arena, &names, &n);
    if (st != ODP_OK)
        return st;
    for (int k = SHAPE_SHX; k < SHAPE_PARTS; k++) {
        const char *best = NULL;
        int fit = 0;
        for (size_t i = 0; i < n; i++) {
            int f = name_fit(names[i], stem, shape_extensions[k]);
            if (f > fit)
                fit = f, best = names[i];
        }
        if (best == NULL)
            continue;
        char *full = odp_path_join(&s->arena, dir, best);
        char *name = odp_arena_printf(&s->arena, "%.*s%s", shown_dir, shown, best);
        st = part_open(s, (enum shape_part_kind)k, full, name);
        if (st != ODP_OK)
            return st;
    }
    return ODP_OK;
}

void shape_parts_release(struct shape_source *s)
{
    for (int k = 0; k < SHAPE_PARTS; k++) {
        if (s->parts[k].fd >= 0)
            close(s->parts[k].fd);
        free(s->parts[k].mem);
    }
}

static bool window_fill(struct shape_stream *st, uint64_t offset, size_t n)
{
    size_t want = n > WINDOW ? n : WINDOW;
    if (want > st->part->size - offset)
        want = (size_t)(st->part->size - offset);
    if (want > st->cap) {
        uint8_t *buf = odp_realloc_array(st->buf, want, 1);
        if (buf == NULL) {
            st->failed = true;
            return false;
        }
        st->buf = buf;
        st->cap = want;
    }
    st->start = offset;
    st->len = 0;
    while (st->len < want) {
        ssize_t got = pread(st->part->fd, st->buf + st->len, want - st->len, (off_t)(offset + st->len));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) { /* 0: the file has become shorter than it was when opened */
            odp_failure_set("read", st->part->name, got < 0 ? errno : ESTALE);
            st->failed = true;
            return false;
        }
        st->len += (size_t)got;
    }
    return true;
}

const uint8_t *shape_at(struct shape_stream *st, uint64_t offset, size_t n)
{
    if (offset > st->part->size || n > st->part->size - offset)
        return NULL;
    if (st->part->mem != NULL)
        return st->part->mem + offset;
    if (n == 0)
        return (const uint8_t *)"";
    bool have = offset >= st->start && offset - st->start <= st->len && n <= st->len - (offset - st->start);
    if (!have && !window_fill(st, offset, n))
        return NULL;
    return st->buf + (offset - st->start);
}

void shape_stream_release(struct shape_stream *st)
{
    free(st->buf);
    st->buf = NULL;
}

/* shapelib's hooks carry no context, so the source being opened is left here for FOpen; it is NULL at all
 * other times. */
static _Thread_local const struct shape_source *opening;

static SAFile hook_open(const char *filename, const char *access ODP_HOOK_CONTEXT)
{
    const char *dot = strrchr(filename, '.');
    for (int k = 0; dot != NULL && opening != NULL && k < SHAPE_CPG; k++) {
        if (strcmp(dot, shape_extensions[k]) != 0 || !opening->parts[k].present)
            continue;
        struct shape_stream *st = calloc(1, sizeof *st);
        if (st != NULL)
            st->part = &opening->parts[k];
        else
            (void)odp_failure_memory();
        return (SAFile)(void *)st;
    }
    return NULL;
}

static SAOffset hook_read(void *p, SAOffset size, SAOffset n, SAFile file)
{
    struct shape_stream *st = (void *)file;
    uint64_t left = st->pos < st->part->size ? st->part->size - st->pos : 0;
    SAOffset whole = size == 0 ? 0 : left / size < n ? left / size : n;
    const uint8_t *from = shape_at(st, st->pos, whole * size);
    if (from == NULL || whole == 0)
        return 0;
    memcpy(p, from, whole * size);
    st->pos += whole * size;
    return whole;
}

static SAOffset hook_write(ODP_HOOK_CONST void *p, SAOffset size, SAOffset n, SAFile file)
{
    (void)p, (void)size, (void)n, (void)file;
    return 0;
}

static SAOffset hook_seek(SAFile file, SAOffset offset, int whence)
{
    struct shape_stream *st = (void *)file;
    uint64_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? st->pos : st->part->size;
    st->pos = from + offset;
    return 0;
}

static SAOffset hook_tell(SAFile file)
{
    struct shape_stream *st = (void *)file;
    return st->pos;
}

static int hook_flush(SAFile file)
{
    return 0;
}

static int hook_close(SAFile file)
{
    struct shape_stream *st = (void *)file;
    shape_stream_release(st);
    free(st);
    return 0;
}

static int hook_remove(const char *filename ODP_HOOK_CONTEXT)
{
    return -1;
}

static void hook_error(const char *message)
{
    (void)message; /* every failure of shapelib is seen in its result; the library writes nothing to stderr */
}

enum odp_status shape_handle_open(struct shape_source *s, struct shape_worker *w)
{
    SAHooks hooks = {.FOpen = hook_open,
                     .FRead = hook_read,
                     .FWrite = hook_write,
                     .FSeek = hook_seek,
                     .FTell = hook_tell,
                     .FFlush = hook_flush,
                     .FClose = hook_close,
                     .Remove = hook_remove,
                     .Error = hook_error,
                     .Atof = atof};
    opening = s;
    w->shp = SHPOpenLL("x.shp", "rb", &hooks);
    opening = NULL;
    if (w->shp == NULL)
        return odp_failure_set("shapelib", s->base.info.file, 0);
    SHPSetFastModeReadObject(w->shp, 1);
    return ODP_OK;
}

void shape_handle_close(struct shape_worker *w)
{
    if (w->shp != NULL)
        SHPClose(w->shp);
}
