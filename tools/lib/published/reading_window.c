/* The window of bytes of a file that is read back; faults in the file; the form of values. */
#include "published/reading_internal.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/json.h"
#include "base/utf8.h"

#define RECORD_MAX ((size_t)1 << 30) /* a longer one is not ours: memory stays bounded for any file */

/* ---- faults ---- */

enum odp_status odp_reading_reject(struct odp_reading *r, const char *fmt, ...)
{
    va_list args;
    char what[256];
    va_start(args, fmt);
    (void)vsnprintf(what, sizeof what, fmt, args); /* a long name is cut */
    va_end(args);
    odp_buffer_clear(&r->fault);
    if (r->form == ODP_FORM_PAGES)
        odp_buffer_printf(&r->fault, "page %zu of %zu, ", r->at + 1, r->npaths);
    if (r->place == ODP_PLACE_RECORDS)
        odp_buffer_printf(&r->fault, "record %llu, ", (unsigned long long)r->row + 1);
    size_t cut = odp_utf8_valid(odp_slice_of(what)); /* a character may be cut, and the name may be no text */
    odp_buffer_printf(&r->fault, "byte %llu: %.*s", (unsigned long long)r->record_at, (int)cut, what);
    (void)odp_buffer_cstr(&r->fault);
    r->ended = odp_buffer_status(&r->fault) == ODP_OK ? ODP_BAD : ODP_FAIL;
    return r->ended;
}

const char *odp_reading_fault(const struct odp_reading *r)
{
    return r->ended == ODP_BAD ? r->fault.ptr : "";
}

/* ---- the window ---- */

enum odp_status odp_window_grow(struct odp_window *w, size_t cap)
{
    char *bytes = odp_realloc_array(w->bytes, cap + ODP_WINDOW_SLACK, 1);
    if (bytes == NULL)
        return ODP_FAIL;
    memset(bytes + cap, 0, ODP_WINDOW_SLACK);
    w->bytes = bytes;
    w->cap = cap;
    return ODP_OK;
}

enum odp_status odp_window_fill(struct odp_reading *r)
{
    struct odp_window *w = &r->window;
    size_t have = w->to - w->from, got;
    if (w->ended)
        return ODP_DONE;
    if (w->from > 0) {
        memmove(w->bytes, w->bytes + w->from, have);
        w->from = 0;
        w->to = have;
    }
    if (have == w->cap) {
        if (w->cap >= RECORD_MAX)
            return odp_reading_reject(r, "a record of more than %zu bytes", RECORD_MAX);
        if (odp_window_grow(w, w->cap * 2) != ODP_OK)
            return ODP_FAIL;
    }
    enum odp_status status = odp_reader_read(w->reader, w->bytes + w->to, w->cap - w->to, &got);
    if (status == ODP_DONE)
        w->ended = true;
    w->to += got;
    return status;
}

enum odp_status odp_window_line(struct odp_reading *r, struct odp_slice *line)
{
    struct odp_window *w = &r->window;
    size_t seen = 0;
    r->record_at = w->offset;
    for (;;) {
        size_t have = w->to - w->from;
        char *start = w->bytes + w->from, *lf = have > seen ? memchr(start + seen, '\n', have - seen) : NULL;
        if (lf != NULL) {
            *line = (struct odp_slice){start, (size_t)(lf - start)};
            w->from += line->len + 1;
            w->offset += line->len + 1;
            return ODP_OK;
        }
        seen = have;
        enum odp_status status = odp_window_fill(r);
        if (status == ODP_DONE)
            return have == 0 ? ODP_DONE : odp_reading_reject(r, "the file ends in the middle of a line");
        if (status != ODP_OK)
            return status;
    }
}

/* ---- values ---- */

const char *odp_value_number_end(const char *p, const char *end)
{
    const char *start, *q = p;
    q += q < end && *q == '-';
    for (start = q; q < end && *q >= '0' && *q <= '9';)
        q++;
    if (q == start || (*start == '0' && q - start > 1))
        return NULL;
    if (q < end && *q == '.') {
        for (start = ++q; q < end && *q >= '0' && *q <= '9';)
            q++;
        if (q == start)
            return NULL;
    }
    if (q < end && (*q == 'e' || *q == 'E')) {
        q++;
        q += q < end && (*q == '+' || *q == '-');
        for (start = q; q < end && *q >= '0' && *q <= '9';)
            q++;
        if (q == start)
            return NULL;
    }
    return q;
}

bool odp_value_is(enum odp_value_kind kind, struct odp_slice s)
{
    char first;
    switch (kind) {
    case ODP_VALUE_TEXT:
        return true;
    case ODP_VALUE_NUMBER:
        return odp_value_number_end(s.ptr, s.ptr + s.len) == s.ptr + s.len;
    case ODP_VALUE_TRUTH:
        return odp_slice_is(s, "true") || odp_slice_is(s, "false");
    case ODP_VALUE_JSON:
        return odp_json_valid(s, &first) && (first == '[' || first == '{');
    }
    return false;
}

const char *odp_reading_free_name(const struct odp_layout *l, const char *name, struct odp_arena *a)
{
    while (name != NULL && odp_layout_find(l, name) >= 0)
        name = odp_arena_printf(a, "geometry_%s", name);
    return name;
}
