/* The history of switching. */
#include "published/builds_history.h"

#include <time.h>

#include "base/datetime.h"
#include "base/file.h"
#include "base/json_load.h"
#include "base/line.h"
#include "published/doc.h"

enum { HISTORY_MAX = 64 << 20 };

/* ---- writing ---- */

static enum odp_status make_line(struct odp_buffer *out, const char *action, const char *from, const char *to,
                                 const char *by)
{
    char moment[ODP_DATETIME_SIZE];
    json_t *o = json_pack("{s:s, s:s, s:s?, s:s, s:s?}", "time", odp_moment_utc(time(NULL), moment), "action",
                          action, "from", from, "to", to, "by", by);
    enum odp_status status = odp_doc_print(out, o, ODP_DOC_LINE);
    odp_buffer_add_char(out, '\n');
    json_decref(o);
    return status == ODP_OK ? odp_buffer_status(out) : status;
}

enum odp_status odp_builds_note(const char *builds_dir, const char *action, const char *from, const char *to,
                                const char *by)
{
    struct odp_arena arena = {0};
    struct odp_buffer line = {0};
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

/* ---- reading ---- */

static const char *member(const json_t *o, const char *key, struct odp_arena *a)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s != NULL ? odp_arena_str(a, s) : NULL;
}

/* False: no event (a torn line). */
static bool read_event(struct odp_builds_event *e, struct odp_slice line, struct odp_arena *a)
{
    json_t *o = odp_json_load(line.ptr, line.len, JSON_REJECT_DUPLICATES, NULL);
    *e = (struct odp_builds_event){.time = member(o, "time", a),
                                   .action = member(o, "action", a),
                                   .from = member(o, "from", a),
                                   .to = member(o, "to", a),
                                   .by = member(o, "by", a)};
    json_decref(o);
    return e->time != NULL && e->action != NULL && e->to != NULL;
}

enum odp_status odp_builds_events(const char *builds_dir, struct odp_builds_event **list, size_t *n,
                                  struct odp_arena *a)
{
    struct odp_buffer text = {0};
    *list = NULL;
    *n = 0;
    enum odp_status status = odp_file_read(odp_path_join(a, builds_dir, "history"), HISTORY_MAX, &text, NULL);
    struct odp_slice rest = odp_buffer_slice(&text);
    while (rest.len > 0 && memchr(rest.ptr, '\n', rest.len) != NULL) { /* else it is torn */
        *list = odp_arena_more(a, *list, *n, sizeof **list);
        *n += read_event(&(*list)[*n], odp_line_next(&rest), a);
    }
    odp_buffer_release(&text);
    return status == ODP_BAD ? ODP_OK : status;
}
