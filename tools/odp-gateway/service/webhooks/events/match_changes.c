/* changes.json read back, a line at a time (docs/versions.md has its form; site/differences/changes_json.c writes it). The file is ours
 * and its digest was checked, so it is read as it is written: what is written otherwise is damaged. Texts are taken out of the
 * line in place. */
#include "service/webhooks/events/match_internal.h"

#include <stdlib.h>

#include "base/file.h"
#include "base/json.h"

enum { PIECE = 64 << 10, LINE_MAX_BYTES = 64 << 20 };

struct match_changes {
    struct odp_reader *reader;
    struct odp_buffer bytes;
    size_t from;                         /* of bytes: not yet taken */
    const struct odp_layout *layouts[2]; /* before, after */
    struct odp_slice *key, *record;
    bool keyed, noted, ended;
};

/* ---- lines ---- */

static enum odp_status more(struct match_changes *c)
{
    size_t got = 0;
    if (c->from > 0) {
        memmove(c->bytes.ptr, c->bytes.ptr + c->from, c->bytes.len - c->from);
        c->bytes.len -= c->from;
        c->from = 0;
    }
    if (c->bytes.len > LINE_MAX_BYTES)
        return ODP_BAD;
    char *room = odp_buffer_reserve(&c->bytes, PIECE);
    if (room == NULL)
        return ODP_FAIL;
    enum odp_status status = odp_reader_read(c->reader, room, PIECE, &got);
    c->bytes.len += got;
    return status;
}

/* The next line without its LF, until the next call. BAD: there is no whole one. */
static enum odp_status next_line(struct match_changes *c, char **line, char **end)
{
    size_t looked = c->from;
    for (;;) {
        char *lf = c->bytes.len > looked ? memchr(c->bytes.ptr + looked, '\n', c->bytes.len - looked) : NULL;
        if (lf != NULL) {
            *line = c->bytes.ptr + c->from;
            *end = lf;
            c->from = (size_t)(lf - c->bytes.ptr) + 1;
            return ODP_OK;
        }
        looked = c->bytes.len - c->from; /* where it will be once the rest has moved to the front */
        enum odp_status status = more(c);
        if (status != ODP_OK)
            return status == ODP_DONE ? ODP_BAD : status;
    }
}

/* ---- values ---- */

/* Behind TEXT at P, or NULL. P NULL: NULL. */
static char *take(char *p, const char *end, const char *text)
{
    size_t n = strlen(text);
    return p != NULL && (size_t)(end - p) >= n && memcmp(p, text, n) == 0 ? p + n : NULL;
}

/* Behind the string whose quote is at P. */
static char *skip_string(char *p, const char *end)
{
    for (p++; p < end && *p != '"'; p++)
        p += *p == '\\';
    return p < end ? p + 1 : NULL;
}

static char *take_string(char *p, const char *end, struct odp_slice *out)
{
    char *stop = p != NULL && p < end && *p == '"' ? skip_string(p, end) : NULL;
    if (stop == NULL)
        return NULL;
    *out = (struct odp_slice){p + 1, (size_t)(stop - p) - 2};
    if (memchr(out->ptr, '\\', out->len) == NULL)
        return stop;
    return odp_json_unescape(*out, p + 1, &out->len) ? stop : NULL;
}

static char *skip_nested(char *p, const char *end)
{
    size_t depth = 0;
    while (p != NULL && p < end) {
        char c = *p;
        if (c == '"') {
            p = skip_string(p, end);
            continue;
        }
        p++;
        if (c == '{' || c == '[')
            depth++;
        else if ((c == '}' || c == ']') && --depth == 0)
            return p;
    }
    return NULL;
}

/* The canonical text of the value at P: of a string what it says, of anything else what stands there. */
static char *take_value(char *p, const char *end, struct odp_slice *out)
{
    if (p == NULL || p >= end)
        return NULL;
    if (*p == '"')
        return take_string(p, end, out);
    char *stop = p;
    if (*p == '{' || *p == '[')
        stop = skip_nested(p, end);
    else
        while (stop < end && *stop != ',' && *stop != '}')
            stop++;
    if (stop == NULL || stop == p)
        return NULL;
    *out = (struct odp_slice){p, (size_t)(stop - p)};
    if (odp_slice_is(*out, "null"))
        *out = (struct odp_slice){NULL, 0};
    return stop;
}

/* "name": of a member, the first one or another. */
static char *take_name(char *p, const char *end, bool first, const char *name)
{
    struct odp_slice found;
    p = first ? p : take(p, end, ",");
    p = take_string(p, end, &found);
    return p != NULL && odp_slice_is(found, name) ? take(p, end, ":") : NULL;
}

/* ---- the head ---- */

/* "key":["a","b"] or null: the key of the version after, or none. */
static bool read_key(struct match_changes *c, char *p, const char *end)
{
    const struct odp_layout *now = c->layouts[1];
    if (take(p, end, "null") != NULL)
        return true;
    p = take(p, end, "[");
    for (uint32_t i = 0; i < now->nkey; i++) {
        struct odp_slice name;
        p = i > 0 ? take(p, end, ",") : p;
        p = take_string(p, end, &name);
        if (p == NULL || !odp_slice_is(name, now->fields[now->key[i]].name))
            return false;
    }
    c->keyed = now->nkey > 0;
    return c->keyed && take(p, end, "]") != NULL;
}

static enum odp_status read_head(struct match_changes *c)
{
    bool known = false;
    char *line = NULL, *end = NULL, *rest;
    for (;;) {
        enum odp_status status = next_line(c, &line, &end);
        if (status != ODP_OK)
            return status;
        if ((rest = take(line, end, "\"key\":")) != NULL) {
            if (known || !read_key(c, rest, end))
                return ODP_BAD;
            known = true;
        } else if (take(line, end, "\"note\":") != NULL) {
            c->noted = true;
        } else if ((rest = take(line, end, "\"changes\":[")) != NULL) {
            c->ended = take(rest, end, "]") != NULL;
            return known ? ODP_OK : ODP_BAD;
        }
    }
}

enum odp_status match_changes_open(struct match_changes **out, const char *path, const struct odp_layout *from,
                                   const struct odp_layout *to)
{
    uint32_t most = from->n > to->n ? from->n : to->n;
    struct match_changes *c = odp_realloc_array(NULL, 1, sizeof *c);
    *out = NULL;
    if (c == NULL)
        return ODP_FAIL;
    *c = (struct match_changes){.layouts = {from, to}};
    odp_buffer_init(&c->bytes);
    c->key = odp_realloc_array(NULL, (size_t)to->nkey + 1, sizeof *c->key);
    c->record = odp_realloc_array(NULL, (size_t)most + 1, sizeof *c->record);
    enum odp_status status = c->key != NULL && c->record != NULL ? odp_reader_open(&c->reader, path, NULL) : ODP_FAIL;
    if (status == ODP_OK)
        status = read_head(c);
    if (status != ODP_OK) {
        match_changes_close(c);
        return status;
    }
    *out = c;
    return ODP_OK;
}

void match_changes_close(struct match_changes *c)
{
    if (c == NULL)
        return;
    odp_reader_close(c->reader);
    odp_buffer_release(&c->bytes);
    free(c->key);
    free(c->record);
    free(c);
}

bool match_changes_keyed(const struct match_changes *c)
{
    return c->keyed;
}

bool match_changes_counts_only(const struct match_changes *c)
{
    return c->noted;
}

/* ---- rows ---- */

static char *take_op(char *p, const char *end, enum odp_change_op *op)
{
    static const char *const names[] = {[ODP_CHANGE_ADDED] = "{\"op\":\"added\"",
                                        [ODP_CHANGE_REMOVED] = "{\"op\":\"removed\"",
                                        [ODP_CHANGE_CHANGED] = "{\"op\":\"changed\""};
    for (int k = 0; k < MATCH_OPS; k++) {
        char *rest = take(p, end, names[k]);
        if (rest != NULL) {
            *op = (enum odp_change_op)k;
            return rest;
        }
    }
    return NULL;
}

static char *take_key(const struct match_changes *c, char *p, const char *end)
{
    const struct odp_layout *now = c->layouts[1];
    p = take(p, end, ",\"key\":{");
    for (uint32_t i = 0; i < now->nkey; i++)
        p = take_value(take_name(p, end, i == 0, now->fields[now->key[i]].name), end, &c->key[i]);
    return take(p, end, "}");
}

static char *take_record(const struct match_changes *c, char *p, const char *end, const struct odp_layout *l)
{
    p = take(p, end, ",\"record\":{");
    for (uint32_t k = 0; k < l->n; k++)
        p = take_value(take_name(p, end, k == 0, l->fields[k].name), end, &c->record[k]);
    return take(p, end, "}");
}

enum odp_status match_changes_next(struct match_changes *c, struct match_change *out)
{
    char *line = NULL, *end = NULL;
    if (c->ended)
        return ODP_DONE;
    enum odp_status status = next_line(c, &line, &end);
    if (status != ODP_OK)
        return status;
    if (end - line == 2 && memcmp(line, "],", 2) == 0) {
        c->ended = true;
        return ODP_DONE;
    }
    *out = (struct match_change){.op = ODP_CHANGE_ADDED};
    char *p = take_op(line, end, &out->op);
    if (c->keyed) {
        p = take_key(c, p, end);
        out->key = c->key;
    } else {
        p = out->op != ODP_CHANGE_CHANGED ? take_record(c, p, end, c->layouts[out->op == ODP_CHANGE_ADDED]) : NULL;
        out->record = c->record;
    }
    return p != NULL && p < end ? ODP_OK : ODP_BAD;
}
