/* A window [start, end) of the text is copied character by character. Identifiers are masked first, over a
 * wider window, so that one which the window cuts is masked too; masking keeps every byte's place
 * (identifiers are ASCII). */
#include "base/diag_text.h"

#include <stdio.h>

#include "base/privacy.h"
#include "base/utf8.h"

#define MARGIN 400u /* longer than any identifier: an e-mail address has at most 254 */

#define ELLIPSIS    "\xE2\x80\xA6"
#define REPLACEMENT "\xEF\xBF\xBD"

static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* I moved back to the start of a character. */
static size_t boundary(struct odp_slice s, size_t i)
{
    size_t low = i > 3 ? i - 3 : 0, j = i;
    if (i >= s.len)
        return s.len;
    while (j > low && ((unsigned char)s.ptr[j] & 0xC0) == 0x80)
        j--;
    return ((unsigned char)s.ptr[j] & 0xC0) == 0x80 ? i : j;
}

struct window {
    struct odp_slice text;
    size_t start, end;
    bool secret, keep_delimiters;
    size_t mark_start, mark_end;         /* in the text */
    size_t new_mark_start, new_mark_end; /* in the copy */
};

/* The text of the window widened by MARGIN, identifiers masked, in SCRATCH; *SKIP is where the window begins
 * in it. */
static enum odp_status mask_around(const struct window *w, struct odp_buffer *scratch, size_t *skip)
{
    size_t from = boundary(w->text, w->start > MARGIN ? w->start - MARGIN : 0);
    size_t to = boundary(w->text, min_size(w->text.len, w->end + MARGIN));
    odp_buffer_clear(scratch);
    odp_privacy_mask((struct odp_slice){w->text.ptr + from, to - from}, scratch);
    *skip = w->start - from;
    return odp_buffer_status(scratch);
}

/* The N bytes at P as the copy shows them. */
static struct odp_slice shown(const struct window *w, const char *p, size_t n)
{
    if (w->secret && !(w->keep_delimiters && *p != '\0' && strchr(",;\t|\"", *p) != NULL))
        return ODP_LIT("*");
    return n != 0 ? (struct odp_slice){p, n} : ODP_LIT(REPLACEMENT);
}

static enum odp_status copy_window(struct odp_arena *a, struct odp_buffer *scratch, struct window *w,
                                   struct odp_slice *out)
{
    size_t skip;
    if (mask_around(w, scratch, &skip) != ODP_OK)
        return ODP_FAIL;
    size_t n = w->end - w->start, at = 0;
    char *copy = odp_arena_array(a, n + 3, 3); /* a bad byte becomes three; an ellipsis at both ends */
    if (w->start > 0) {
        memcpy(copy, ELLIPSIS, 3);
        at = 3;
    }
    w->new_mark_start = w->new_mark_end = at;
    for (size_t i = 0; i < n;) {
        const char *p = scratch->ptr + skip + i;
        uint32_t cp;
        size_t len = odp_utf8_decode(p, n - i, &cp);
        bool bad = len == 1 && (unsigned char)*p >= 0x80;
        struct odp_slice c = shown(w, p, bad ? 0 : len);
        if (w->start + i <= w->mark_start)
            w->new_mark_start = at;
        memcpy(copy + at, c.ptr, c.len);
        at += c.len;
        if (w->start + i < w->mark_end)
            w->new_mark_end = at;
        i += len;
    }
    if (w->mark_start >= w->end) /* a mark at the very end: something is missing there */
        w->new_mark_start = w->new_mark_end = at;
    if (w->end < w->text.len) {
        memcpy(copy + at, ELLIPSIS, 3);
        at += 3;
    }
    copy[at] = '\0';
    *out = (struct odp_slice){copy, at};
    return ODP_OK;
}

static enum odp_status copy_value(struct odp_arena *a, struct odp_buffer *scratch, struct odp_slice s,
                                  size_t most, bool secret, struct odp_slice *out)
{
    struct window w = {.text = s, .end = s.len <= most ? s.len : boundary(s, most), .secret = secret};
    *out = s;
    return s.ptr == NULL ? ODP_OK : copy_window(a, scratch, &w, out);
}

static enum odp_status copy_source(struct odp_arena *a, struct odp_buffer *scratch,
                                   const struct odp_diag *from, struct odp_diag *to)
{
    struct odp_slice s = from->source;
    to->source = s;
    to->mark_start = to->mark_len = 0;
    if (s.ptr == NULL)
        return ODP_OK;
    size_t mark = min_size(from->mark_start, s.len), mark_end = min_size(s.len, mark + from->mark_len);
    struct window w = {.text = s,
                       .end = s.len,
                       .secret = from->secret,
                       .keep_delimiters = true,
                       .mark_start = mark,
                       .mark_end = mark_end};
    if (s.len > ODP_DIAG_SOURCE_MAX) {
        /* the mark in the middle; a mark wider than the window from its start */
        size_t wide = min_size(mark_end - mark, ODP_DIAG_SOURCE_MAX),
               before = (ODP_DIAG_SOURCE_MAX - wide) / 2;
        size_t start = mark > before ? mark - before : 0;
        start = min_size(start, s.len - ODP_DIAG_SOURCE_MAX);
        w.start = boundary(s, start);
        w.end = boundary(s, start + ODP_DIAG_SOURCE_MAX);
        w.mark_end = min_size(mark_end, w.end);
    }
    if (copy_window(a, scratch, &w, &to->source) != ODP_OK)
        return ODP_FAIL;
    to->mark_start = (uint32_t)w.new_mark_start;
    to->mark_len = (uint32_t)(w.new_mark_end > w.new_mark_start ? w.new_mark_end - w.new_mark_start : 0);
    return ODP_OK;
}

/* A proposal is copied whole or not at all: a cut or masked one must never be written into a source. */
static enum odp_status copy_proposal(struct odp_arena *a, struct odp_buffer *scratch,
                                     const struct odp_diag *from, struct odp_diag *to)
{
    struct odp_slice s = from->proposal;
    to->proposal = (struct odp_slice){NULL, 0};
    if (s.ptr == NULL || from->secret || s.len > ODP_DIAG_PROPOSAL_MAX || odp_utf8_valid(s) != s.len)
        return ODP_OK;
    odp_buffer_clear(scratch);
    odp_privacy_mask(s, scratch);
    if (odp_buffer_status(scratch) != ODP_OK)
        return ODP_FAIL;
    if (!odp_slice_eq(odp_buffer_slice(scratch), s))
        return ODP_OK;
    to->proposal = odp_arena_copy(a, s);
    return ODP_OK;
}

enum odp_status odp_diag_copy_text(struct odp_arena *a, struct odp_buffer *scratch,
                                   const struct odp_diag *from, struct odp_diag *to)
{
    if (copy_value(a, scratch, from->value, ODP_DIAG_VALUE_MAX, from->secret, &to->value) != ODP_OK ||
        copy_proposal(a, scratch, from, to) != ODP_OK || copy_source(a, scratch, from, to) != ODP_OK)
        return ODP_FAIL;
    for (size_t i = 0; i < ODP_DIAG_ARGS; i++)
        if (copy_value(a, scratch, from->args[i], ODP_DIAG_ARG_MAX, false, &to->args[i]) != ODP_OK)
            return ODP_FAIL;
    return ODP_OK;
}

/* As spreadsheet programs write it. */
const char *odp_diag_cell(const struct odp_diag *d, char out[32])
{
    char name[8];
    out[0] = '\0';
    if (d->sheet != NULL && d->line > 0 && d->column > 0)
        snprintf(out, 32, "%s%llu", odp_column_name((uint32_t)d->column - 1, name),
                 (unsigned long long)d->line);
    return out;
}

static bool continues(char c)
{
    return ((unsigned char)c & 0xc0U) == 0x80U;
}

void odp_diag_show_line(struct odp_diag *d, struct odp_slice text, size_t at, size_t end)
{
    enum { PART = 160 }; /* bytes shown on either side */
    const char *t = text.ptr;
    size_t from = at, to = at;
    while (from > 0 && t[from - 1] != '\n' && at - from < PART)
        from--;
    while (from < at && continues(t[from]))
        from++;
    while (to < text.len && t[to] != '\n' && t[to] != '\r' && to - at < PART)
        to++;
    while (to > at && to < text.len && continues(t[to]))
        to--;
    d->source = (struct odp_slice){t + from, to - from};
    d->mark_start = (uint32_t)(at - from);
    d->mark_len = (uint32_t)((end < to ? end : to) - at);
}
