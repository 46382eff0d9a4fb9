/* Examples of answers: the bytes that are staged, so that numbers look as they do in an answer, set in lines.
 *
 * Ready-made pages and lists of versions have a record a line (docs/formats.md): the first line opens "data",
 * the last closes it and has what is said of the answer. */
#include "site/pages/pages_internal.h"

enum { PAGE_MAX = 64 << 20, INLINE_MAX = 48 /* bytes of what stands in one line */, MARGIN = 2 };

/* ---- JSON in lines ---- */

static const char *past_string(const char *at, const char *end)
{
    for (at++; at < end && *at != '"'; at++)
        at += *at == '\\';
    return at < end ? at + 1 : end;
}

/* Past the value that begins at AT. */
static const char *past_value(const char *at, const char *end)
{
    int depth = 0;
    do {
        if (at < end && *at == '"') {
            at = past_string(at, end);
            continue;
        }
        depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
        at++;
    } while (at < end && (depth > 0 || strchr(",}]", *at) == NULL));
    return at;
}

static void add_line_end(struct odp_buffer *out, int level)
{
    odp_buffer_add_char(out, '\n');
    for (int i = 0; i < MARGIN * level; i++)
        odp_buffer_add_char(out, ' ');
}

/* A value that is not opened: whole, or its beginning. */
static void add_inline(struct odp_buffer *out, const char *at, const char *end)
{
    size_t n = (size_t)(end - at);
    const bool nested = *at == '{' || *at == '[';
    if (!nested || n <= INLINE_MAX) {
        odp_buffer_add(out, at, n);
        return;
    }
    for (n = INLINE_MAX; n > 1 && ((unsigned char)at[n] & 0xC0) == 0x80;)
        n--;
    odp_buffer_add(out, at, n);
    odp_buffer_add_str(out, "…");
    odp_buffer_add_char(out, end[-1]);
}

static void add_value(struct odp_buffer *out, const char *at, const char *end, int level, int depth)
{
    const char open = *at, *last = end - 1;
    if ((open != '{' && open != '[') || level >= depth || at + 1 == last || (open == '{' && at[1] != '"')) {
        add_inline(out, at, end);
        return;
    }
    odp_buffer_add_char(out, open);
    for (at++; at < last; at += *at == ',') {
        add_line_end(out, level + 1);
        if (open == '{') {
            const char *name = past_string(at, last);
            odp_buffer_add(out, at, (size_t)(name - at));
            odp_buffer_add_str(out, ": ");
            at = name + 1;
        }
        const char *next = past_value(at, last);
        add_value(out, at, next, level + 1, depth);
        if (next < last)
            odp_buffer_add_char(out, ',');
        at = next;
    }
    add_line_end(out, level);
    odp_buffer_add_char(out, *last);
}

const char *docs_json_lines(struct odp_slice json, int depth, struct odp_arena *a)
{
    struct odp_buffer out = {0};
    if (json.len > 0) /* else memory was refused */
        add_value(&out, json.ptr, json.ptr + json.len, 0, depth);
    return odp_buffer_keep(&out, a);
}

/* ---- answers ---- */

enum { OF_ANSWER = 3 /* levels: the answer, "data", a record */ };

/* The line of the first record of TEXT, without its comma; empty: there is none. */
static struct odp_slice first_line(const char *text)
{
    const char *line = strchr(text, '\n'), *end = line != NULL ? strchr(line + 1, '\n') : NULL;
    if (end == NULL || line[1] != '{')
        return (struct odp_slice){0};
    return (struct odp_slice){line + 1, (size_t)(end - line - 1) - (end[-1] == ',')};
}

static bool read_page(struct portal *p, const char *path, struct odp_buffer *out)
{
    if (p->status == ODP_OK && odp_model_is_staged(p->job, path))
        p->status = odp_stage_read(p->job->stage, path, PAGE_MAX, p->job->previous, out, p->job->diags);
    return p->status == ODP_OK && out->len > 0;
}

const char *docs_first_record(struct portal *p, const char *path, struct odp_arena *a)
{
    struct odp_buffer text = {0};
    const char *record = NULL;
    if (read_page(p, path, &text)) {
        struct odp_slice line = first_line(odp_buffer_cstr(&text));
        if (line.len > 0)
            record = odp_arena_printf(a, "%.*s", (int)line.len, line.ptr);
    }
    odp_buffer_release(&text);
    return record;
}

const char *docs_answer(struct portal *p, const char *path, struct odp_arena *a)
{
    struct odp_buffer text = {0}, answer = {0};
    const char *lines = NULL;
    if (read_page(p, path, &text)) {
        const char *whole = odp_buffer_cstr(&text), *tail = strstr(whole, "\n]");
        struct odp_slice line = first_line(whole);
        for (const char *more = tail; more != NULL; more = strstr(more + 1, "\n]"))
            tail = more;
        if (line.len > 0 && tail != NULL) {
            odp_buffer_printf(&answer, "{\"data\":[%.*s%s", (int)line.len, line.ptr, tail + 1);
            while (answer.len > 0 && answer.ptr[answer.len - 1] != '}')
                answer.len--;
            lines = docs_json_lines(odp_buffer_slice(&answer), OF_ANSWER, a);
        }
    }
    odp_buffer_release(&text);
    odp_buffer_release(&answer);
    return lines;
}

const char *docs_answer_of(const char *record, struct odp_arena *a)
{
    struct odp_buffer answer = {0};
    odp_buffer_printf(&answer, "{\"data\":[%s],\"status\":\"success\",\"meta\":{…},\"links\":{…}}", record);
    const char *lines = docs_json_lines(odp_buffer_slice(&answer), OF_ANSWER, a);
    odp_buffer_release(&answer);
    return lines;
}
