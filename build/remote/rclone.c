/* Anything rclone can reach: S3, GCS, Azure, SFTP, WebDAV and some seventy more. rclone is run as a child.
 *
 * Lists of files go in by its standard input (--files-from-raw -), so that no name is ever an argument, a pattern or a line of
 * a file on the disk. With such a list a file that is not there is skipped, not a fault, on every kind of store; that is how
 * absence is told (a store of objects has no folders, so "rclone cat store:missing" would be an empty success). */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "own.h"

enum { BATCH = 1000, ARGS = 40, SMALL = 64 << 20, FEW = 100 };
enum { CODE_NO_FOLDER = 3, CODE_NO_FILE = 4 };

/* One call: arguments, then how it went. */
struct call {
    const char *argv[ARGS];
    size_t n;
    struct odp_slice input;
    struct odp_buffer *out;
    size_t max;
    int code;
    bool too_large;
};

static void arg(struct call *c, const char *text)
{
    if (c->n + 1 < ARGS)
        c->argv[c->n++] = text;
    c->argv[c->n] = NULL;
}

/* Every retry is ours (run): one place knows how long it takes. */
static void begin(struct call *c, const struct odp_remote *r, const char *command)
{
    static const char *const common[] = {"--ask-password=false",  "--log-level=ERROR",  "--stats=0",     "--retries=1",
                                         "--low-level-retries=1", "--contimeout=15s",   "--timeout=60s", "--transfers=8",
                                         "--checkers=8",          "--no-update-modtime"};
    *c = (struct call){.max = SMALL};
    arg(c, r->program);
    arg(c, command);
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        arg(c, common[i]);
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
    struct call c;
    begin(&c, r, "lsf");
    arg(&c, "--files-only");
    arg(&c, "--files-from-raw=-");
    arg(&c, r->address);
    odp_buffer_init(&out);
    struct remote_child child = {.argv = c.argv, .input = ODP_LIT("manifest.json\n"), .out = &out, .max = SMALL};
    enum odp_status status = remote_child_run(&child);
    odp_buffer_release(&out);
    odp_buffer_release(&child.errors);
    return status == ODP_OK && (child.code == 0 || child.code == CODE_NO_FOLDER || child.code == CODE_NO_FILE);
}

/* OK: it ended well, or said that something is not there (c->code). BAD: fault. When the server is gone rclone goes on with all
 * other files, seconds for each; so we ask now and then. */
static enum odp_status run_once(struct odp_remote *r, struct call *c)
{
    struct remote_child child = {.argv = c->argv, .input = c->input, .out = c->out, .max = c->max, .watch = answers, .ctx = r};
    enum odp_status status = remote_child_run(&child);
    c->code = child.code;
    c->too_large = child.too_large;
    if (status == ODP_OK && child.too_large)
        status = remote_fault(r, "larger than expected");
    else if (status == ODP_OK && child.code != 0 && child.code != CODE_NO_FOLDER && child.code != CODE_NO_FILE) {
        struct odp_slice why = reason_of(odp_buffer_slice(&child.errors));
        status = why.len > 0      ? remote_fault(r, "rclone: %.*s", (int)(why.len < 2000 ? why.len : 2000), why.ptr)
                 : child.given_up ? remote_fault(r, "the store does not answer any more")
                                  : remote_fault(r, "rclone ended with code %d", child.code);
    }
    odp_buffer_release(&child.errors);
    return status;
}

/* What no second try can mend. */
static bool is_final(const struct odp_remote *r, const struct call *c)
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
static enum odp_status run(struct odp_remote *r, struct call *c)
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

static const char *join(const struct odp_remote *r, const char *path, struct odp_arena *a)
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
static enum odp_status ask_features(struct odp_remote *r)
{
    struct odp_buffer out;
    struct call c;
    if (r->asked)
        return ODP_OK;
    begin(&c, r, "backend");
    arg(&c, "features");
    arg(&c, r->address);
    odp_buffer_init(&out);
    c.out = &out;
    enum odp_status status = run(r, &c);
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
    struct call c;
    begin(&c, r, "lsf");
    arg(&c, "--recursive");
    arg(&c, "--files-only");
    arg(&c, "--format=sp");
    arg(&c, "--files-from-raw=-");
    arg(&c, r->address);
    c.input = input;
    c.out = out;
    return run(r, &c);
}

static enum odp_status rclone_read(struct odp_remote *r, const char *path, size_t max, struct odp_buffer *out)
{
    struct odp_buffer list;
    struct call c;
    size_t before = out->len;
    odp_buffer_init(&list);
    odp_buffer_printf(&list, "%s\n", path);
    begin(&c, r, "cat");
    arg(&c, "--files-from-raw=-");
    arg(&c, r->address);
    c.input = odp_buffer_slice(&list);
    c.out = out;
    c.max = max;
    enum odp_status status = odp_buffer_status(&list);
    if (status == ODP_OK)
        status = run(r, &c);
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
    for (size_t i = 0; i < n && status == ODP_OK; i += BATCH)
        status = look_batch(r, sorted + i, n - i < BATCH ? n - i : BATCH);
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
    struct call c;
    const char *place = join(r, folder, a);
    if (place == NULL)
        return ODP_FAIL;
    odp_buffer_init(&out);
    begin(&c, r, "lsf");
    arg(&c, "--recursive");
    arg(&c, "--files-only");
    arg(&c, place);
    c.out = &out;
    enum odp_status status = run(r, &c);
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

/* ---- fetch -----------------------------------------------------------------------------------------------------------------
 */

/* What rclone has written to FROM is checked and moved to its place. DONE: it is not there. BAD: other bytes (removed). */
static enum odp_status adopt(const struct odp_remote_file *f, const char *from, const char *dir, struct odp_arena *a)
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
static enum odp_status adopt_all(struct odp_remote *r, struct odp_remote_file **files, size_t n, const char *inbox,
                                 const char *dir, bool ended)
{
    struct odp_arena arena;
    enum odp_status status = ODP_OK;
    odp_arena_init(&arena);
    for (size_t i = 0; i < n && status != ODP_FAIL; i++) {
        const char *from = odp_path_join(&arena, inbox, files[i]->path);
        enum odp_status one = from != NULL ? adopt(files[i], from, dir, &arena) : ODP_FAIL;
        files[i]->missing = ended && one == ODP_DONE;
        files[i]->wrong = ended && one == ODP_BAD;
        if (one == ODP_FAIL)
            status = ODP_FAIL;
        else if (one != ODP_OK && ended && status == ODP_OK)
            status = remote_fault(r, one == ODP_DONE ? "%s: not there" : "%s: other bytes than expected", files[i]->path);
        odp_arena_reset(&arena);
    }
    odp_arena_release(&arena);
    return status;
}

static enum odp_status fetch_batch(struct odp_remote *r, struct odp_remote_file **files, size_t n, const char *inbox,
                                   const char *dir)
{
    struct odp_buffer list;
    struct call c;
    odp_buffer_init(&list);
    for (size_t i = 0; i < n; i++)
        odp_buffer_printf(&list, "%s\n", files[i]->path);
    begin(&c, r, "copy");
    arg(&c, "--no-traverse");
    arg(&c, "--ignore-times");
    arg(&c, "--files-from-raw=-");
    arg(&c, r->address);
    arg(&c, inbox);
    c.input = odp_buffer_slice(&list);
    enum odp_status status = odp_buffer_status(&list);
    if (status == ODP_OK)
        status = run(r, &c);
    /* Also after a failure: what came whole need not come again. */
    enum odp_status adopted = status != ODP_FAIL ? adopt_all(r, files, n, inbox, dir, status == ODP_OK) : ODP_FAIL;
    odp_buffer_release(&list);
    return status == ODP_OK || adopted == ODP_FAIL ? adopted : status;
}

static enum odp_status rclone_fetch(struct odp_remote *r, struct odp_remote_file **files, size_t n, const char *dir,
                                    const struct odp_progress *progress)
{
    struct odp_arena arena;
    uint64_t done = 0, total = 0;
    enum odp_status status = ODP_OK;
    odp_arena_init(&arena);
    const char *inbox = odp_path_join(&arena, dir, ".inbox");
    if (inbox == NULL || odp_dir_remove(inbox) != ODP_OK || odp_dir_make(inbox) != ODP_OK)
        status = ODP_FAIL;
    for (size_t i = 0; i < n; i++)
        total += files[i]->size;
    for (size_t i = 0; i < n && status != ODP_FAIL;) {
        uint64_t bytes = 0;
        size_t k = 0;
        while (i + k < n && k < BATCH && (k == 0 || bytes < (uint64_t)256 << 20))
            bytes += files[i + k++]->size;
        enum odp_status one = fetch_batch(r, files + i, k, inbox, dir);
        status = one == ODP_OK ? status : one;
        i += k;
        done += bytes;
        odp_progress_update(progress, ODP_PHASE_PUBLISH, r->shown, done, total, 0);
        bool any_lost = false; /* did not come, and nobody said that it is not there: the store does not answer */
        for (size_t f = i - k; f < i; f++)
            any_lost = any_lost || (one == ODP_BAD && !files[f]->missing);
        if (one == ODP_BAD && any_lost && strncmp(r->fault, "rclone", 6) == 0)
            break;
    }
    if (inbox != NULL && odp_dir_remove(inbox) != ODP_OK)
        status = ODP_FAIL;
    odp_arena_release(&arena);
    return status;
}

/* ---- put -------------------------------------------------------------------------------------------------------------------
 */

/* The folder from which F's path goes on: F.from without F.path at its end. NULL in *ROOT.ptr: the names differ. */
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
static enum odp_status add_headers(struct call *c, const struct odp_remote_put *f, struct odp_arena *a)
{
    const char *type = f->type != NULL ? odp_arena_printf(a, "--header-upload=Content-Type: %s", f->type) : "";
    const char *cache =
        f->cache_control != NULL ? odp_arena_printf(a, "--header-upload=Cache-Control: %s", f->cache_control) : "";
    if (type == NULL || cache == NULL)
        return ODP_FAIL;
    if (*type != '\0')
        arg(c, type);
    if (*cache != '\0')
        arg(c, cache);
    return ODP_OK;
}

/* What is there is left alone only where that is proved: by digest where the store has any; else by size, but for names under
 * which something else may lie. */
static const char *comparison(const struct odp_remote *r, const struct odp_remote_put *f)
{
    return r->hashes ? "--checksum" : f->replace ? "--ignore-times" : "--size-only";
}

static enum odp_status put_batch(struct odp_remote *r, const struct odp_remote_put *files, size_t n)
{
    struct odp_buffer list;
    struct odp_arena arena;
    struct call c;
    struct odp_slice root = root_of(files);
    odp_arena_init(&arena);
    odp_buffer_init(&list);
    for (size_t i = 0; i < n; i++)
        odp_buffer_printf(&list, "%s\n", files[i].path);
    begin(&c, r, root.ptr != NULL ? "copy" : "copyto");
    if (n < FEW) /* more are asked for by folder */
        arg(&c, "--no-traverse");
    enum odp_status status = odp_buffer_status(&list);
    arg(&c, comparison(r, files));
    if (status == ODP_OK)
        status = add_headers(&c, files, &arena);
    const char *from = root.ptr != NULL ? odp_arena_printf(&arena, "%.*s", (int)root.len, root.ptr) : files->from;
    const char *to = root.ptr != NULL ? r->address : join(r, files->path, &arena);
    if (from == NULL || to == NULL)
        status = ODP_FAIL;
    if (root.ptr != NULL) {
        arg(&c, "--files-from-raw=-");
        c.input = odp_buffer_slice(&list);
    }
    arg(&c, "--");
    arg(&c, from);
    arg(&c, to);
    if (status == ODP_OK)
        status = run(r, &c);
    if (status == ODP_OK && c.code != 0)
        status = remote_fault(r, "%s: a file or its folder is not there", from);
    odp_buffer_release(&list);
    odp_arena_release(&arena);
    return status;
}

static enum odp_status rclone_put(struct odp_remote *r, const struct odp_remote_put *files, size_t n,
                                  const struct odp_progress *progress)
{
    struct odp_arena arena;
    uint64_t done = 0, total = 0;
    odp_arena_init(&arena);
    struct odp_remote_put *sorted = odp_arena_array(&arena, n, sizeof *sorted);
    enum odp_status status = sorted != NULL ? ask_features(r) : ODP_FAIL;
    for (size_t i = 0; i < n && status == ODP_OK; i++) {
        sorted[i] = files[i];
        if (!r->typed)
            sorted[i].type = sorted[i].cache_control = NULL;
        total += files[i].size;
        if (odp_file_size_of(files[i].from) != files[i].size) /* rclone would skip it without a word */
            status = remote_fault(r, "%s: cannot be read, or has changed", files[i].from);
    }
    if (status == ODP_OK)
        qsort(sorted, n, sizeof *sorted, by_group);
    for (size_t i = 0; i < n && status == ODP_OK;) {
        uint64_t bytes = sorted[i].size;
        size_t k = 1;
        while (i + k < n && k < BATCH && root_of(&sorted[i]).ptr != NULL && by_group(&sorted[i], &sorted[i + k]) == 0 &&
               bytes < (uint64_t)256 << 20)
            bytes += sorted[i + k++].size;
        status = put_batch(r, sorted + i, k);
        i += k;
        done += bytes;
        odp_progress_update(progress, ODP_PHASE_PUBLISH, r->shown, done, total, 0);
    }
    odp_arena_release(&arena);
    return status;
}

static enum odp_status rclone_write(struct odp_remote *r, const char *path, struct odp_slice bytes,
                                    const struct odp_remote_put *how)
{
    struct odp_arena arena;
    struct call c;
    odp_arena_init(&arena);
    begin(&c, r, "rcat");
    arg(&c, "--streaming-upload-cutoff=64M"); /* whole in memory first: one request, and whole at the other end */
    enum odp_status status = ask_features(r);
    if (status == ODP_OK && r->typed)
        status = add_headers(&c, how, &arena);
    const char *to = join(r, path, &arena);
    arg(&c, "--");
    arg(&c, to);
    c.input = bytes;
    if (to == NULL)
        status = ODP_FAIL;
    if (status == ODP_OK)
        status = run(r, &c);
    if (status == ODP_OK && c.code != 0)
        status = remote_fault(r, "%s: cannot be written", path);
    odp_arena_release(&arena);
    return status;
}

static enum odp_status rclone_remove(struct odp_remote *r, const char *const *paths, size_t n)
{
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < n && status == ODP_OK; i += BATCH) {
        struct odp_buffer list;
        struct call c;
        odp_buffer_init(&list);
        for (size_t k = i; k < n && k < i + BATCH; k++)
            odp_buffer_printf(&list, "%s\n", paths[k]);
        begin(&c, r, "delete");
        arg(&c, "--files-from-raw=-");
        arg(&c, r->address);
        c.input = odp_buffer_slice(&list);
        status = odp_buffer_status(&list);
        if (status == ODP_OK)
            status = run(r, &c);
        odp_buffer_release(&list);
    }
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
