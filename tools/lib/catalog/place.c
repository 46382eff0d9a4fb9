/* Places of all values of a JSON document, in one pass: a catalogue with thousands of faults must not be
 * scanned once for each. The text has been accepted by jansson, so the scan checks nothing but its end. Depth
 * is bounded by jansson (2048). */
#include "base/room.h"
#include "catalog/doc_internal.h"

#include <stdlib.h>

struct scan {
    const char *p, *end, *start;
    const char *line_start;
    uint32_t line, continuation; /* continuation: bytes of this line that are no first byte of a character */
    struct place *places;
    size_t n, cap;
};

static uint32_t offset_of(const struct scan *s)
{
    return (uint32_t)(s->p - s->start);
}

static uint32_t column_of(const struct scan *s)
{
    return (uint32_t)(s->p - s->line_start) - s->continuation + 1;
}

static void skip_space(struct scan *s)
{
    for (; s->p < s->end; s->p++) {
        if (*s->p == '\n') {
            s->line++;
            s->line_start = s->p + 1;
            s->continuation = 0;
        } else if (*s->p != ' ' && *s->p != '\t' && *s->p != '\r') {
            return;
        }
    }
}

static void skip_string(struct scan *s)
{
    for (s->p++; s->p < s->end && *s->p != '"'; s->p++) {
        if (*s->p == '\\' && s->p + 1 < s->end)
            s->p++;
        else if (((unsigned char)*s->p & 0xc0U) == 0x80U)
            s->continuation++;
    }
    if (s->p < s->end)
        s->p++;
}

static void skip_scalar(struct scan *s)
{
    if (s->p < s->end && *s->p == '"') {
        skip_string(s);
        return;
    }
    while (s->p < s->end && strchr(",]} \t\r\n", *s->p) == NULL)
        s->p++;
}

/* Adds the place of the value at P. Returns its number, or SIZE_MAX: out of memory. */
static size_t add_place(struct scan *s)
{
    if (!odp_room(s->places, s->n, s->cap))
        return SIZE_MAX;
    s->places[s->n] = (struct place){.at = offset_of(s), .line = s->line, .column = column_of(s)};
    return s->n++;
}

static bool scan_value(struct scan *s, size_t *out);

static bool scan_container(struct scan *s, char close)
{
    size_t before = SIZE_MAX;
    s->p++;
    for (skip_space(s); s->p < s->end && *s->p != close; skip_space(s)) {
        uint32_t key_at = 0, key_line = 0, key_column = 0;
        if (close == '}') {
            key_at = offset_of(s);
            key_line = s->line;
            key_column = column_of(s);
            skip_string(s);
            skip_space(s);
            s->p++; /* ':' */
            skip_space(s);
        }
        size_t child;
        if (s->p >= s->end || !scan_value(s, &child))
            return s->p >= s->end;
        s->places[child].key_at = key_at;
        s->places[child].key_line = key_line;
        s->places[child].key_column = key_column;
        if (before != SIZE_MAX)
            s->places[before].next = (uint32_t)child;
        before = child;
        skip_space(s);
        if (s->p < s->end && *s->p == ',')
            s->p++;
    }
    if (s->p < s->end)
        s->p++;
    return true;
}

static bool scan_value(struct scan *s, size_t *out)
{
    size_t me = add_place(s);
    if (me == SIZE_MAX)
        return false;
    bool ok = true;
    if (*s->p == '{' || *s->p == '[')
        ok = scan_container(s, *s->p == '{' ? '}' : ']');
    else
        skip_scalar(s);
    s->places[me].end = offset_of(s);
    *out = me;
    return ok;
}

struct place *places_scan(struct odp_slice text)
{
    struct scan s = {
        .p = text.ptr, .end = text.ptr + text.len, .start = text.ptr, .line_start = text.ptr, .line = 1};
    size_t root;
    skip_space(&s);
    if (s.p < s.end && scan_value(&s, &root))
        return s.places;
    free(s.places);
    return NULL;
}
