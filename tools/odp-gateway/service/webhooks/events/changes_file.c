/* Reads changes.json, a change a line (docs/versions.md has its form; site/differences/changes_json.c writes
 * it). The file is ours and its digest was checked, so what is not exactly in that form is damaged. Texts are
 * taken out of the line in place. */
#include "service/webhooks/events/events_internal.h"

#include <errno.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/room.h"

const char *const events_ops[EVENTS_OPS] = {
    [ODP_CHANGE_ADDED] = "added", [ODP_CHANGE_REMOVED] = "removed", [ODP_CHANGE_CHANGED] = "changed"};

/* OK: a line in r->line without its LF. DONE: there is no whole one. */
static enum odp_status next_line(struct events_rows *r)
{
    errno = 0;
    ssize_t n = getline(&r->line, &r->room, r->file);
    if (n < 0)
        return feof(r->file) ? ODP_DONE : odp_failure_set("read", "changes.json", errno);
    r->end = r->line + n - 1;
    return *r->end == '\n' ? ODP_OK : ODP_DONE;
}

/* Each of these returns where to go on, or NULL; P NULL: NULL. */

static char *take(const struct events_rows *r, char *p, const char *text)
{
    size_t n = strlen(text);
    return p != NULL && (size_t)(r->end - p) >= n && memcmp(p, text, n) == 0 ? p + n : NULL;
}

static char *skip_string(const struct events_rows *r, char *p)
{
    for (p++; p < r->end && *p != '"'; p++)
        p += *p == '\\';
    return p < r->end ? p + 1 : NULL;
}

static char *skip_value(const struct events_rows *r, char *p)
{
    size_t depth = 0;
    while (p != NULL && p < r->end) {
        if (depth == 0 && (*p == ',' || *p == '}'))
            return p;
        if (*p == '"') {
            p = skip_string(r, p);
            continue;
        }
        depth += *p == '{' || *p == '[';
        depth -= *p == '}' || *p == ']';
        p++;
    }
    return NULL;
}

/* The canonical text of a JSON value: what a string says, ptr NULL for null, else the value itself. ROOM
 * (which may be JSON's own bytes) takes a string with escapes. False: it has bad ones. */
static bool value_text(struct odp_slice json, char *room, struct odp_slice *out)
{
    *out = odp_slice_is(json, "null") ? (struct odp_slice){NULL, 0} : json;
    if (out->len < 2 || out->ptr[0] != '"')
        return true;
    *out = (struct odp_slice){json.ptr + 1, json.len - 2};
    if (memchr(out->ptr, '\\', out->len) == NULL)
        return true;
    bool fine = odp_json_unescape(*out, room, &out->len);
    out->ptr = room;
    return fine;
}

static bool has_room(struct events_rows *r)
{
    r->failed = !odp_room(r->parts, r->n, r->nparts);
    return !r->failed;
}

/* The values of the members of the object at P, whose bracket is taken. */
static char *take_members(struct events_rows *r, char *p)
{
    for (r->n = 0; p != NULL; p = take(r, p, ",")) {
        char *value = p < r->end && *p == '"' ? take(r, skip_string(r, p), ":") : NULL;
        char *end = skip_value(r, value);
        if (end == NULL || end == value || !has_room(r) ||
            !value_text((struct odp_slice){value, (size_t)(end - value)}, value, &r->parts[r->n++]))
            return NULL;
        p = end;
        if (*p == '}')
            return p + 1;
    }
    return NULL;
}

static enum odp_status read_head(struct events_rows *r)
{
    enum odp_status status;
    while ((status = next_line(r)) == ODP_OK) {
        char *key = take(r, r->line, "\"key\":"), *rows = take(r, r->line, "\"changes\":[");
        r->known = r->known || key != NULL;
        r->keyed = r->keyed || take(r, key, "[") != NULL;
        r->counts_only = r->counts_only || take(r, r->line, "\"note\":") != NULL;
        if (rows != NULL) {
            r->ended = take(r, rows, "]") != NULL;
            return r->known ? ODP_OK : ODP_BAD;
        }
    }
    return status == ODP_DONE ? ODP_BAD : status;
}

enum odp_status events_rows_open(struct events_rows *r, const char *path)
{
    *r = (struct events_rows){.file = fopen(path, "rbe")};
    return r->file != NULL ? read_head(r) : odp_failure_set("open", path, errno);
}

enum odp_status events_rows_next(struct events_rows *r)
{
    enum odp_status status = r->ended ? ODP_DONE : next_line(r);
    if (r->ended || status == ODP_FAIL)
        return status;
    if (status == ODP_DONE) /* the list is not closed */
        return ODP_BAD;
    if (take(r, r->line, "],") != NULL) {
        r->ended = true;
        return ODP_DONE;
    }
    char *p = NULL;
    for (int op = 0; op < EVENTS_OPS && p == NULL; op++) {
        p = take(r, take(r, take(r, r->line, "{\"op\":\""), events_ops[op]),
                 r->keyed ? "\",\"key\":{" : "\",\"record\":{");
        r->op = (enum odp_change_op)op;
    }
    if (take_members(r, p) != NULL && (r->keyed || r->op != ODP_CHANGE_CHANGED))
        return ODP_OK;
    return r->failed ? ODP_FAIL : ODP_BAD;
}

void events_rows_close(struct events_rows *r)
{
    if (r->file != NULL)
        (void)fclose(r->file);
    free(r->line);
    free(r->parts);
    *r = (struct events_rows){0};
}
