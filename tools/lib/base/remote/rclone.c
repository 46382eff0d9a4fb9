/* Anything rclone can reach: S3, GCS, Azure, SFTP, WebDAV and some seventy more. rclone is run as a child.
 *
 * Lists of files go in by its standard input (--files-from-raw -), so that no name is ever an argument, a pattern or a line of
 * a file on the disk. With such a list a file that is not there is skipped, not a fault, on every kind of store; that is how
 * absence is told (a store of objects has no folders, so "rclone cat store:missing" would be an empty success). */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/remote/rclone.h"

enum { SMALL = 64 << 20 /* bytes of output that no answer but a file exceeds */ };

void rclone_arg(struct rclone_call *c, const char *text)
{
    if (c->n + 1 < RCLONE_ARGS)
        c->argv[c->n++] = text;
    c->argv[c->n] = NULL;
}

/* Every retry is ours (run): one place knows how long it takes. */
void rclone_begin(struct rclone_call *c, const struct odp_remote *r, const char *command)
{
    static const char *const common[] = {"--ask-password=false",  "--log-level=ERROR",  "--stats=0",     "--retries=1",
                                         "--low-level-retries=1", "--contimeout=15s",   "--timeout=60s", "--transfers=8",
                                         "--checkers=8",          "--no-update-modtime"};
    *c = (struct rclone_call){.max = SMALL};
    rclone_arg(c, r->program);
    rclone_arg(c, command);
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        rclone_arg(c, common[i]);
}

/* ---- running it ------------------------------------------------------------------------------------------------------------
 */

static struct odp_slice next_line(struct odp_slice *rest)
{
    const char *end = rest->len > 0 ? memchr(rest->ptr, '\n', rest->len) : NULL;
    struct odp_slice line = {rest->ptr, end != NULL ? (size_t)(end - rest->ptr) : rest->len};
    rest->ptr += line.len + (end != NULL);
    rest->len -= line.len + (end != NULL);
    return line;
}

/* Of rclone's log the line that says why: the last "Failed to …" (it names the cause), else the first that is not empty;
 * without "2024/03/15 10:00:00 ". */
static struct odp_slice reason_of(struct odp_slice log)
{
    static const char stamp[] = "dddd/dd/dd dd:dd:dd ";
    struct odp_slice found = {NULL, 0}, first = {NULL, 0};
    while (log.len > 0) {
        struct odp_slice line = odp_slice_trim(next_line(&log));
        size_t k = 0;
        while (k < sizeof stamp - 1 && k < line.len &&
               (stamp[k] == 'd' ? line.ptr[k] >= '0' && line.ptr[k] <= '9' : line.ptr[k] == stamp[k]))
            k++;
        if (k == sizeof stamp - 1)
            line = odp_slice_trim((struct odp_slice){line.ptr + k, line.len - k});
        if (first.len == 0)
            first = line;
        if (line.len > 7 && memcmp(line.ptr, "Failed ", 7) == 0)
            found = line;
    }
    return found.len > 0 ? found : first;
}

/* Whether the store answers at all: it is asked for one file, there or not. */
static bool answers(void *ctx)
{
    struct odp_remote *r = ctx;
    struct odp_buffer out;
    struct rclone_call c;
    rclone_begin(&c, r, "lsf");
    rclone_arg(&c, "--files-only");
    rclone_arg(&c, "--files-from-raw=-");
    rclone_arg(&c, r->address);
    odp_buffer_init(&out);
    struct remote_child child = {.argv = c.argv, .input = ODP_LIT("manifest.json\n"), .out = &out, .max = SMALL};
    enum odp_status status = remote_child_run(&child);
    odp_buffer_release(&out);
    odp_buffer_release(&child.errors);
    return status == ODP_OK && (child.code == 0 || child.code == RCLONE_NO_FOLDER || child.code == RCLONE_NO_FILE);
}

/* OK: it ended well, or said that something is not there (c->code). BAD: fault. When the server is gone rclone goes on with all
 * other files, seconds for each; so we ask now and then. */
static enum odp_status run_once(struct odp_remote *r, struct rclone_call *c)
{
    struct remote_child child = {.argv = c->argv, .input = c->input, .out = c->out, .max = c->max, .watch = answers, .ctx = r};
    enum odp_status status = remote_child_run(&child);
    c->code = child.code;
    c->too_large = child.too_large;
    if (status == ODP_OK && child.too_large)
        status = remote_fault(r, "larger than expected");
    else if (status == ODP_OK && child.code != 0 && child.code != RCLONE_NO_FOLDER && child.code != RCLONE_NO_FILE) {
        struct odp_slice why = reason_of(odp_buffer_slice(&child.errors));
        status = why.len > 0      ? remote_fault(r, "rclone: %.*s", (int)(why.len < 2000 ? why.len : 2000), why.ptr)
                 : child.given_up ? remote_fault(r, "the store does not answer any more")
                                  : remote_fault(r, "rclone ended with code %d", child.code);
    }
    odp_buffer_release(&child.errors);
    return status;
}

/* What no second try can mend. */
static bool is_final(const struct odp_remote *r, const struct rclone_call *c)
{
    static const char *const words[] = {"didn't find section", "unknown flag",          "not found in", "AccessDenied",
                                        "InvalidAccessKey",    "SignatureDoesNotMatch", "401 ",         "403 ",
                                        "no such host",        "unable to authenticate"};
    if (c->too_large || c->code == 7 || c->code == 126 || c->code == 127)
        return true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(r->fault, words[i]) != NULL)
            return true;
    return false;
}

/* Repeated once the store answers again; what arrived before is skipped then. */
enum odp_status rclone_run(struct odp_remote *r, struct rclone_call *c)
{
    size_t before = c->out != NULL ? c->out->len : 0;
    for (unsigned try = 1;; try++) {
        enum odp_status status = run_once(r, c);
        if (status != ODP_BAD || is_final(r, c))
            return status;
        bool back = false;
        for (; try < REMOTE_TRIES && !back; try += !back) {
            remote_pause(try);
            back = answers(r);
        }
        if (!back)
            return status;
        if (c->out != NULL)
            c->out->len = before;
    }
}

const char *rclone_join(const struct odp_remote *r, const char *path, struct odp_arena *a)
{
    size_t len = strlen(r->address);
    bool bare = len > 0 && (r->address[len - 1] == ':' || r->address[len - 1] == '/');
    return odp_arena_printf(a, "%s%s%s", r->address, bare ? "" : "/", path);
}

/* ---- open ------------------------------------------------------------------------------------------------------------------
 */

static bool is_program(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

/* ODP_RCLONE, or rclone in PATH. NULL in *OUT: there is none. */
static enum odp_status find_program(struct odp_arena *a, const char **out)
{
    const char *named = getenv("ODP_RCLONE"), *rest = getenv("PATH");
    *out = NULL;
    if (named != NULL && *named != '\0') {
        if (is_program(named) && (*out = odp_arena_str(a, named)) == NULL)
            return ODP_FAIL;
        return ODP_OK;
    }
    while (rest != NULL && *rest != '\0') {
        size_t len = strcspn(rest, ":");
        const char *path = odp_arena_printf(a, "%.*s/rclone", (int)len, rest);
        if (path == NULL)
            return ODP_FAIL;
        if (len > 0 && is_program(path)) {
            *out = path;
            return ODP_OK;
        }
        rest += len + (rest[len] == ':');
    }
    return ODP_OK;
}

static enum odp_status rclone_open(struct odp_remote *r)
{
    if (strstr(r->address, "://") != NULL && strchr(r->address, ',') == NULL)
        return remote_fault(r, "only http:// and https:// are known; other servers are reached by rclone, as NAME:PATH");
    if (find_program(&r->arena, &r->program) != ODP_OK)
        return ODP_FAIL;
    if (r->program == NULL)
        return remote_fault(
            r, "the program rclone is not installed (on Debian: apt install rclone), or ODP_RCLONE does not name it");
    return ODP_OK;
}

/* What the store can do. DIGESTS (MD5, SHA-1 …): rclone can compare by them. TYPES: a store of objects, which keeps headers
 * with each file; elsewhere they would only divide the work into more calls. */
enum odp_status rclone_features(struct odp_remote *r)
{
    struct odp_buffer out;
    struct rclone_call c;
    if (r->asked)
        return ODP_OK;
    rclone_begin(&c, r, "backend");
    rclone_arg(&c, "features");
    rclone_arg(&c, r->address);
    odp_buffer_init(&out);
    c.out = &out;
    enum odp_status status = rclone_run(r, &c);
    if (status == ODP_OK) {
        const char *at = strstr(odp_buffer_cstr(&out), "\"Hashes\"");
        at = at != NULL ? strchr(at, '[') : NULL;
        at = at != NULL ? at + 1 + strspn(at + 1, " \t\r\n") : NULL;
        r->hashes = at != NULL && *at == '"';
        r->typed = strstr(odp_buffer_cstr(&out), "\"WriteMimeType\": true") != NULL;
        r->asked = true;
    }
    odp_buffer_release(&out);
    return status;
}

/* ---- read ------------------------------------------------------------------------------------------------------------------
 */

static enum odp_status list_call(struct odp_remote *r, struct odp_slice input, struct odp_buffer *out)
{
    struct rclone_call c;
    rclone_begin(&c, r, "lsf");
    rclone_arg(&c, "--recursive");
    rclone_arg(&c, "--files-only");
    rclone_arg(&c, "--format=sp");
    rclone_arg(&c, "--files-from-raw=-");
    rclone_arg(&c, r->address);
    c.input = input;
    c.out = out;
    return rclone_run(r, &c);
}

static enum odp_status rclone_read(struct odp_remote *r, const char *path, size_t max, struct odp_buffer *out)
{
    struct odp_buffer list;
    struct rclone_call c;
    size_t before = out->len;
    odp_buffer_init(&list);
    odp_buffer_printf(&list, "%s\n", path);
    rclone_begin(&c, r, "cat");
    rclone_arg(&c, "--files-from-raw=-");
    rclone_arg(&c, r->address);
    c.input = odp_buffer_slice(&list);
    c.out = out;
    c.max = max;
    enum odp_status status = odp_buffer_status(&list);
    if (status == ODP_OK)
        status = rclone_run(r, &c);
    if (status == ODP_OK && out->len == before) { /* empty, or not there? */
        struct odp_buffer found;
        odp_buffer_init(&found);
        status = list_call(r, odp_buffer_slice(&list), &found);
        if (status == ODP_OK && found.len == 0)
            status = ODP_DONE;
        odp_buffer_release(&found);
    }
    odp_buffer_release(&list);
    return status;
}

/* ---- look and list ---------------------------------------------------------------------------------------------------------
 */

static int file_by_path(const void *a, const void *b)
{
    return strcmp((*(struct odp_remote_file *const *)a)->path, (*(struct odp_remote_file *const *)b)->path);
}

static enum odp_status look_batch(struct odp_remote *r, struct odp_remote_file **files, size_t n)
{
    struct odp_buffer list, found;
    odp_buffer_init(&list);
    odp_buffer_init(&found);
    for (size_t i = 0; i < n; i++)
        odp_buffer_printf(&list, "%s\n", files[i]->path);
    enum odp_status status = odp_buffer_status(&list);
    if (status == ODP_OK)
        status = list_call(r, odp_buffer_slice(&list), &found);
    struct odp_slice rest = odp_buffer_slice(&found);
    while (status == ODP_OK && rest.len > 0) {
        struct odp_slice line = next_line(&rest);
        const char *semicolon = line.len > 0 ? memchr(line.ptr, ';', line.len) : NULL;
        if (semicolon == NULL)
            continue;
        uint64_t size = strtoull(line.ptr, NULL, 10);
        struct odp_slice name = {semicolon + 1, line.len - (size_t)(semicolon + 1 - line.ptr)};
        size_t low = 0, high = n;
        while (low < high) {
            size_t mid = low + (high - low) / 2;
            int order = odp_slice_cmp(odp_slice_of(files[mid]->path), name);
            if (order == 0) {
                files[mid]->missing = false;
                files[mid]->size = size;
                break;
            }
            low = order < 0 ? mid + 1 : low;
            high = order < 0 ? high : mid;
        }
    }
    odp_buffer_release(&list);
    odp_buffer_release(&found);
    return status;
}

static enum odp_status rclone_look(struct odp_remote *r, struct odp_remote_file *files, size_t n)
{
    struct odp_arena arena;
    odp_arena_init(&arena);
    struct odp_remote_file **sorted = odp_arena_array(&arena, n, sizeof *sorted);
    enum odp_status status = sorted != NULL ? ODP_OK : ODP_FAIL;
    for (size_t i = 0; i < n && status == ODP_OK; i++) {
        files[i].missing = true;
        sorted[i] = &files[i];
    }
    if (status == ODP_OK)
        qsort(sorted, n, sizeof *sorted, file_by_path);
    for (size_t i = 0; i < n && status == ODP_OK; i += RCLONE_BATCH)
        status = look_batch(r, sorted + i, n - i < RCLONE_BATCH ? n - i : RCLONE_BATCH);
    odp_arena_release(&arena);
    return status;
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static enum odp_status rclone_list(struct odp_remote *r, const char *folder, struct odp_arena *a, const char ***paths,
                                   size_t *n)
{
    struct odp_buffer out;
    struct rclone_call c;
    const char *place = rclone_join(r, folder, a);
    if (place == NULL)
        return ODP_FAIL;
    odp_buffer_init(&out);
    rclone_begin(&c, r, "lsf");
    rclone_arg(&c, "--recursive");
    rclone_arg(&c, "--files-only");
    rclone_arg(&c, place);
    c.out = &out;
    enum odp_status status = rclone_run(r, &c);
    size_t lines = 0;
    for (size_t i = 0; i < out.len; i++)
        lines += out.ptr[i] == '\n';
    if (status == ODP_OK && (*paths = odp_arena_array(a, lines + 1, sizeof **paths)) == NULL)
        status = ODP_FAIL;
    struct odp_slice rest = odp_buffer_slice(&out);
    while (status == ODP_OK && rest.len > 0 && *n < lines) {
        struct odp_slice line = next_line(&rest);
        (*paths)[*n] = odp_arena_printf(a, "%s/%.*s", folder, (int)line.len, line.ptr);
        if ((*paths)[(*n)++] == NULL)
            status = ODP_FAIL;
    }
    if (status == ODP_OK && *n > 1)
        qsort(*paths, *n, sizeof **paths, by_bytes);
    odp_buffer_release(&out);
    return status;
}

const struct remote_kind remote_rclone = {.open = rclone_open,
                                          .read = rclone_read,
                                          .fetch = rclone_fetch,
                                          .put = rclone_put,
                                          .write = rclone_write,
                                          .remove = rclone_remove,
                                          .look = rclone_look,
                                          .list = rclone_list};
