/* The history of switching: see builds_history.h. */
#include "published/builds_history.h"

#include <errno.h>
#include <time.h>

#include "base/file.h"
#include "base/json.h"
#include "base/json_load.h"

enum { HISTORY_MAX = 64 << 20 };

/* ---- writing ------------------------------------------------------------------------------------------------------------- */

static void add_member(struct odp_buffer *out, const char *key, const char *value)
{
    odp_buffer_printf(out, ",\"%s\":", key);
    if (value != NULL)
        odp_json_add_string(out, odp_slice_of(value));
    else
        odp_buffer_add_str(out, "null");
}

static enum odp_status make_line(struct odp_buffer *out, const char *action, const char *from, const char *to, const char *by)
{
    struct timespec now;
    struct tm utc;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0 || gmtime_r(&now.tv_sec, &utc) == NULL)
        return odp_failure_set("read the clock", NULL, errno);
    odp_buffer_printf(out, "{\"time\":\"%04d-%02d-%02dT%02d:%02d:%02dZ\"", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday,
                      utc.tm_hour, utc.tm_min, utc.tm_sec);
    add_member(out, "action", action);
    add_member(out, "from", from);
    add_member(out, "to", to);
    add_member(out, "by", by);
    odp_buffer_add_str(out, "}\n");
    return odp_buffer_status(out);
}

enum odp_status odp_builds_note(const char *builds_dir, const char *action, const char *from, const char *to, const char *by)
{
    struct odp_arena arena;
    struct odp_buffer line;
    odp_arena_init(&arena);
    odp_buffer_init(&line);
    const char *path = odp_path_join(&arena, builds_dir, "history");
    bool fresh = odp_file_kind_of(path) == ODP_FILE_NONE;
    enum odp_status status = make_line(&line, action, from, to, by);
    if (status == ODP_OK)
        status = odp_file_append_line(path, odp_buffer_slice(&line), 0644);
    if (status == ODP_OK && fresh)
        status = odp_dir_sync(builds_dir);
    odp_buffer_release(&line);
    odp_arena_release(&arena);
    return status;
}

/* ---- reading ------------------------------------------------------------------------------------------------------------- */

static const char *member(const json_t *o, const char *key, struct odp_arena *a, bool *failed)
{
    const char *s = json_string_value(json_object_get(o, key));
    const char *copy = s != NULL ? odp_arena_str(a, s) : NULL;
    *failed = *failed || (s != NULL && copy == NULL);
    return copy;
}

/* OK, BAD: no event (a torn line), FAIL. */
static enum odp_status read_event(struct odp_builds_event *e, struct odp_slice line, struct odp_arena *a)
{
    bool failed = false;
    json_t *o = odp_json_load(line.ptr, line.len, JSON_REJECT_DUPLICATES, NULL);
    *e = (struct odp_builds_event){.time = member(o, "time", a, &failed),
                                   .action = member(o, "action", a, &failed),
                                   .from = member(o, "from", a, &failed),
                                   .to = member(o, "to", a, &failed),
                                   .by = member(o, "by", a, &failed)};
    json_decref(o);
    return failed ? ODP_FAIL : e->time != NULL && e->action != NULL && e->to != NULL ? ODP_OK : ODP_BAD;
}

enum odp_status odp_builds_events(const char *builds_dir, struct odp_builds_event **list, size_t *n, struct odp_arena *a)
{
    const char *path = odp_path_join(a, builds_dir, "history");
    struct odp_buffer text;
    size_t lines = 0;
    *n = 0;
    odp_buffer_init(&text);
    enum odp_status status = odp_file_read(path, HISTORY_MAX, &text, NULL);
    if (status == ODP_BAD)
        status = ODP_OK;
    for (size_t i = 0; i < text.len; i++)
        lines += text.ptr[i] == '\n';
    *list = odp_arena_array(a, lines + 1, sizeof **list);
    if (*list == NULL)
        status = ODP_FAIL;
    for (size_t at = 0; status == ODP_OK && at < text.len;) {
        const char *end = memchr(text.ptr + at, '\n', text.len - at);
        if (end == NULL) /* torn */
            break;
        struct odp_slice line = {text.ptr + at, (size_t)(end - text.ptr) - at};
        enum odp_status one = read_event(&(*list)[*n], line, a);
        *n += one == ODP_OK;
        status = one == ODP_FAIL ? ODP_FAIL : ODP_OK;
        at += line.len + 1;
    }
    odp_buffer_release(&text);
    return status;
}
