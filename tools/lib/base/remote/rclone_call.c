/* One call of rclone: its arguments, how it went, when it is repeated; and what the store can do.
 *
 * rclone's own retries are off: one place knows how long it takes. While it runs the store is asked now and
 * then whether it still answers, because rclone goes on with every other file of a list when the server is
 * gone. */
#include <string.h>

#include "base/line.h"
#include "base/remote/rclone_internal.h"

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
    static const char *const common[] = {
        "--ask-password=false", "--log-level=ERROR", "--stats=0",     "--retries=1",  "--low-level-retries=1",
        "--contimeout=15s",     "--timeout=60s",     "--transfers=8", "--checkers=8", "--no-update-modtime"};
    *c = (struct rclone_call){.max = SMALL};
    odp_buffer_init(&c->list);
    rclone_arg(c, r->program);
    rclone_arg(c, command);
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        rclone_arg(c, common[i]);
}

void rclone_path(struct rclone_call *c, const char *path)
{
    odp_buffer_printf(&c->list, "%s\n", path);
}

void rclone_of_paths(struct rclone_call *c, const struct odp_remote *r)
{
    rclone_arg(c, "--files-from-raw=-");
    rclone_arg(c, r->address);
}

/* ---- running it ---- */

/* Of rclone's log the line that says why: the last "Failed to …" (it names the cause), else the first that is
 * not empty; without "2024/03/15 10:00:00 ". */
static struct odp_slice reason_of(struct odp_slice log)
{
    static const char stamp[] = "dddd/dd/dd dd:dd:dd ";
    struct odp_slice found = {NULL, 0}, first = {NULL, 0};
    while (log.len > 0) {
        struct odp_slice line = odp_slice_trim(odp_line_next(&log));
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
    rclone_of_paths(&c, r);
    odp_buffer_init(&out);
    struct remote_child child = {
        .argv = c.argv, .input = ODP_LIT("manifest.json\n"), .out = &out, .max = SMALL};
    enum odp_status status = remote_child_run(&child);
    odp_buffer_release(&out);
    odp_buffer_release(&child.errors);
    return status == ODP_OK &&
           (child.code == 0 || child.code == RCLONE_NO_FOLDER || child.code == RCLONE_NO_FILE);
}

/* OK: it ended well, or said that something is not there (c->code). BAD: fault. When the server is gone
 * rclone goes on with all other files, seconds for each; so we ask now and then. */
static enum odp_status run_once(struct odp_remote *r, struct rclone_call *c)
{
    struct remote_child child = {
        .argv = c->argv, .input = c->input, .out = c->out, .max = c->max, .watch = answers, .ctx = r};
    enum odp_status status = remote_child_run(&child);
    c->code = child.code;
    c->too_large = child.too_large;
    if (status == ODP_OK && child.too_large)
        status = remote_fault(r, "larger than expected");
    else if (status == ODP_OK && child.code != 0 && child.code != RCLONE_NO_FOLDER &&
             child.code != RCLONE_NO_FILE) {
        struct odp_slice why = reason_of(odp_buffer_slice(&child.errors));
        status = why.len > 0
                     ? remote_fault(r, "rclone: %.*s", (int)(why.len < 2000 ? why.len : 2000), why.ptr)
                 : child.given_up ? remote_fault(r, "the store does not answer any more")
                                  : remote_fault(r, "rclone ended with code %d", child.code);
    }
    odp_buffer_release(&child.errors);
    return status;
}

/* What no second try can mend. */
static bool is_final(const struct odp_remote *r, const struct rclone_call *c)
{
    static const char *const words[] = {
        "didn't find section",   "unknown flag", "not found in", "AccessDenied", "InvalidAccessKey",
        "SignatureDoesNotMatch", "401 ",         "403 ",         "no such host", "unable to authenticate"};
    if (c->too_large || c->code == 7 || c->code == 126 || c->code == 127)
        return true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(r->fault, words[i]) != NULL)
            return true;
    return false;
}

/* Repeated once the store answers again; what arrived before is skipped then. */
static enum odp_status run_again(struct odp_remote *r, struct rclone_call *c)
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

enum odp_status rclone_run(struct odp_remote *r, struct rclone_call *c)
{
    enum odp_status status = odp_buffer_status(&c->list);
    if (c->list.len > 0)
        c->input = odp_buffer_slice(&c->list);
    if (status == ODP_OK)
        status = run_again(r, c);
    odp_buffer_release(&c->list);
    return status;
}

const char *rclone_join(const struct odp_remote *r, const char *path, struct odp_arena *a)
{
    size_t len = strlen(r->address);
    bool bare = len > 0 && (r->address[len - 1] == ':' || r->address[len - 1] == '/');
    return odp_arena_printf(a, "%s%s%s", r->address, bare ? "" : "/", path);
}

/* What the store can do. DIGESTS (MD5, SHA-1 …): rclone can compare by them. TYPES: a store of objects, which
 * keeps headers with each file; elsewhere they would only divide the work into more calls. */
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
