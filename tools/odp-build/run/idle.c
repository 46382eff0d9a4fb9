#include "run/idle.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/datetime.h"
#include "base/temporary.h"
#include "published/site.h"
#include "published/stamps.h"

enum { FILE_MAX = 256 << 20 };
#define SECOND INT64_C(1000000000)
#define MARGIN (SECOND / 10) /* of times with fractions; else two seconds, as some file systems have it */

/* The file: head, then the site's folders, each ended by a zero byte, then what was said. */
struct head {
    char magic[16];
    uint8_t key[ODP_SHA256_SIZE], state[ODP_SHA256_SIZE];
    int64_t day, minutes; /* the day of the portal, and its distance from UTC */
    uint64_t folders, text;
};

static const char magic[16] = "odp-idle-1\n";

static int64_t now(void)
{
    struct timespec t = {0};
    (void)clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * SECOND + t.tv_nsec;
}

/* With --today, the command line has it. */
static int64_t day_at(const struct odp_options *o, int64_t minutes)
{
    return o->today != NULL ? 0 : (now() / SECOND + minutes * 60) / 86400;
}

void odp_idle_begin(struct odp_idle *idle, const struct odp_options *o, struct odp_slice shown)
{
    struct odp_buffer all = {0};
    char *cwd = realpath(".", NULL);
    *idle = (struct odp_idle){.options = o, .began = now()};
    if (odp_file_read("/proc/self/cmdline", FILE_MAX, &all, NULL) != ODP_OK || cwd == NULL)
        idle->options = NULL;
    odp_buffer_add(&all, cwd, cwd != NULL ? strlen(cwd) + 1 : 0);
    odp_buffer_add_slice(&all, shown);
    if (odp_buffer_status(&all) != ODP_OK || odp_digest_of(all.ptr, all.len, idle->key) != ODP_OK)
        idle->options = NULL;
    odp_buffer_release(&all);
    free(cwd);
    odp_failure_clear();
}

/* The build that OUT leads to, with END; NULL: none. */
static const char *beside(const char *out, const char *end, struct odp_arena *a)
{
    char *build = realpath(out, NULL);
    const char *path = build != NULL ? odp_arena_printf(a, "%s%s", build, end) : NULL;
    free(build);
    return path;
}

/* Stamps of all that a build without work looks at; CHANGED: the last change. False: that cannot be told. */
static bool look(const struct odp_options *o, struct odp_slice folders, uint8_t state[ODP_SHA256_SIZE],
                 int64_t *changed, struct odp_arena *a)
{
    const char *const trees[] = {o->catalog, o->sources, o->share};
    const char *const ends[] = {".inputs", ".seals", "/manifest.json"};
    struct odp_stamps all = {0};
    const char *build = beside(o->out, "", a);
    int fd = build != NULL ? open(build, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
    bool ok = fd >= 0;
    odp_stamps_file(&all, AT_FDCWD, "/proc/self/exe");
    for (size_t i = 0; i < ODP_COUNT(trees) && ok; i++)
        if (trees[i] != NULL) /* a tree with the site in it changes whenever this file does */
            ok = !odp_path_is_inside(trees[i], build) && odp_stamps_tree(&all, trees[i], a) == ODP_OK;
    for (size_t i = 0; i < ODP_COUNT(ends) && ok; i++)
        odp_stamps_file(&all, AT_FDCWD, beside(o->out, ends[i], a));
    for (size_t at = 0; at < folders.len && ok; at += strlen(folders.ptr + at) + 1)
        odp_stamps_file(&all, fd, folders.ptr + at);
    *changed = all.changed;
    ok = ok && !all.too_many && odp_buffer_status(&all.bytes) == ODP_OK &&
         odp_digest_of(all.bytes.ptr, all.bytes.len, state) == ODP_OK;
    odp_stamps_release(&all);
    if (fd >= 0)
        (void)close(fd);
    return ok;
}

static bool is_same(const struct odp_idle *idle, struct odp_slice bytes, struct odp_slice *text,
                    struct odp_arena *a)
{
    struct head h;
    uint8_t state[ODP_SHA256_SIZE];
    int64_t changed;
    if (bytes.len < sizeof h)
        return false;
    memcpy(&h, bytes.ptr, sizeof h);
    const size_t rest = bytes.len - sizeof h;
    const struct odp_slice folders = {bytes.ptr + sizeof h, h.folders};
    if (memcmp(h.magic, magic, sizeof magic) != 0 || memcmp(h.key, idle->key, sizeof h.key) != 0 ||
        h.folders == 0 || h.folders > rest || h.text != rest - h.folders ||
        folders.ptr[folders.len - 1] != '\0' || h.day != day_at(idle->options, h.minutes))
        return false;
    *text = (struct odp_slice){folders.ptr + folders.len, h.text};
    return look(idle->options, folders, state, &changed, a) && memcmp(h.state, state, sizeof state) == 0;
}

bool odp_idle_same(const struct odp_idle *idle, struct odp_buffer *text)
{
    struct odp_arena arena = {0};
    struct odp_buffer bytes = {0};
    struct odp_slice said;
    bool same = false;
    const char *path = idle->options != NULL ? beside(idle->options->out, ".idle", &arena) : NULL;
    if (path != NULL && odp_file_read(path, FILE_MAX, &bytes, NULL) == ODP_OK)
        same = is_same(idle, odp_buffer_slice(&bytes), &said, &arena);
    if (same)
        odp_buffer_add_slice(text, said);
    same = same && odp_buffer_status(text) == ODP_OK;
    odp_buffer_release(&bytes);
    odp_arena_release(&arena);
    odp_failure_clear();
    return same;
}

struct odp_slice odp_idle_folders(const struct odp_site *site, struct odp_arena *a)
{
    struct odp_site_folders at = {0};
    struct odp_buffer all = {0};
    struct odp_slice folder;
    size_t n;
    const struct odp_site_file *files = odp_site_files(site, &n);
    odp_buffer_add(&all, ".", 2);
    while (odp_site_folder_next(&at, files, n, &folder)) {
        odp_buffer_add_slice(&all, folder);
        odp_buffer_add_char(&all, '\0');
    }
    struct odp_slice folders = odp_arena_copy(a, odp_buffer_slice(&all));
    odp_buffer_release(&all);
    return folders;
}

void odp_idle_keep(const struct odp_idle *idle, const struct odp_run *run, struct odp_slice text)
{
    struct odp_arena arena = {0};
    struct odp_buffer bytes = {0};
    struct head h = {.folders = run->folders.len, .text = text.len};
    int16_t minutes = 0;
    int64_t changed = 0;
    const char *path = idle->options != NULL ? beside(idle->options->out, ".idle", &arena) : NULL;
    if (path != NULL && look(idle->options, run->folders, h.state, &changed, &arena) &&
        changed + (changed % SECOND != 0 ? MARGIN : 2 * SECOND) < idle->began) {
        (void)odp_zone_offset(run->catalog->portal.time_zone, &minutes);
        memcpy(h.magic, magic, sizeof magic);
        memcpy(h.key, idle->key, sizeof h.key);
        h.minutes = minutes;
        h.day = day_at(idle->options, minutes);
        odp_buffer_add(&bytes, &h, sizeof h);
        odp_buffer_add_slice(&bytes, run->folders);
        odp_buffer_add_slice(&bytes, text);
        if (odp_buffer_status(&bytes) == ODP_OK)
            (void)(odp_file_replace(path, odp_buffer_slice(&bytes), 0644) == ODP_OK);
    }
    odp_buffer_release(&bytes);
    odp_arena_release(&arena);
    odp_failure_clear();
}
