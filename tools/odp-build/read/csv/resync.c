/* Going on after a broken record, so that one bad quote never swallows the file.
 *
 * Two stories fit a record that went wrong: its quote was never closed (then the next lines are records of
 * their own), or a quote inside its text was not doubled. A line with the right number of cells decides:
 * reading resumes there, and if it comes before the place of the fault, the quote was never closed. The
 * search is bounded, so hostile quotes cost a constant a line. */
#include "read/csv/reader.h"

/* A line with a broken quote is still a record if it has enough delimiters. */
static bool is_broken_record(const struct csv_source *s, const char *p, size_t n, const struct csv_frame *f)
{
    uint32_t delimiters = 0;
    for (size_t i = 0; i < n && delimiters + 1 < s->base.info.ncolumns; i++) {
        if (p[i] == '\n' || p[i] == '\r')
            return false;
        delimiters += p[i] == s->rules.delimiter;
    }
    return csv_count_lines(p, f->fault_at) == 0 && delimiters + 1 >= s->base.info.ncolumns;
}

/* Whether a record that begins OFF bytes behind text.pos fits; in MORE, whether the window ends too early to
 * tell. */
static bool fits(const struct csv_source *s, size_t off, bool *more)
{
    const struct csv_text *t = &s->text;
    struct csv_piece text = {.p = t->buf.ptr + t->pos + off,
                             .n = t->buf.len - t->pos - off,
                             .eof = t->eof,
                             .max_cells = s->base.info.ncolumns};
    struct csv_frame f;
    if (text.n > CSV_FIT_BYTES) {
        text.n = CSV_FIT_BYTES;
        text.eof = false;
    }
    csv_frame_quoted(&s->rules, &text, &f);
    *more = f.fault == CSV_MORE && text.n < CSV_FIT_BYTES;
    if (f.fault == CSV_AFTER_QUOTE)
        return is_broken_record(s, text.p, text.n, &f);
    return f.fault == CSV_FINE && f.cells == s->base.info.ncolumns && !csv_is_blank(&s->rules, text.p, f.len);
}

/* Moves OFF to the next physical line. *END: no more lines, or (OFF stays) the line is longer than a record
 * may be. */
static enum odp_status next_line(struct csv_source *s, struct odp_batch *b, size_t *off, bool *end)
{
    for (;;) {
        const struct csv_text *t = &s->text;
        size_t len, next, n = t->buf.len - t->pos - *off;
        if (csv_frame_line(t->buf.ptr + t->pos + *off, n, t->eof, &len, &next)) {
            *off += next;
            *end = *off == t->buf.len - t->pos && t->eof;
            return ODP_OK;
        }
        if (n > s->longest) {
            *end = true;
            return ODP_OK;
        }
        if (csv_fill(s, b) != ODP_OK)
            return ODP_FAIL;
    }
}

/* The first line from OFF on that fits, if *FOUND; *TAIL: there were but a few lines left, and none fits. */
static enum odp_status search(struct csv_source *s, struct odp_batch *b, size_t *off, bool *found, bool *tail)
{
    bool end = *off == s->text.buf.len - s->text.pos && s->text.eof;
    size_t start = *off;
    *found = *tail = false;
    for (int lines = 0; lines < CSV_FIT_LINES && *off - start < 4 * CSV_FIT_BYTES; lines++) {
        bool more = false;
        if (end) {
            *tail = lines <= CSV_TAIL_LINES;
            return ODP_OK;
        }
        bool known = s->text.base + s->text.pos + *off < s->unfit; /* reported by an earlier search */
        while (!known && !(*found = fits(s, *off, &more)) && more)
            if (csv_fill(s, b) != ODP_OK)
                return ODP_FAIL;
        if (*found)
            return ODP_OK;
        if (next_line(s, b, off, &end) != ODP_OK)
            return ODP_FAIL;
        if (!known)
            s->unfit = s->text.base + s->text.pos + *off;
    }
    return ODP_OK;
}

bool csv_swallowed(const struct csv_source *s, const struct csv_frame *f)
{
    const struct csv_text *t = &s->text;
    size_t off = 0;
    for (int lines = 0; lines < CSV_FIT_LINES; lines++) {
        size_t len, next;
        bool more;
        if (!csv_frame_line(t->buf.ptr + t->pos + off, f->next - off, true, &len, &next))
            return false;
        off += next;
        if (off >= f->next)
            return false;
        if (fits(s, off, &more))
            return true;
    }
    return false;
}

enum odp_status csv_resync(struct csv_source *s, struct odp_batch *b, struct csv_frame *f, size_t *resume)
{
    size_t line2 = 0, after = 0, off;
    bool end, found = false, tail = false;
    if (next_line(s, b, &line2, &end) != ODP_OK)
        return ODP_FAIL;
    if (line2 == 0) { /* one endless line: csv_read drops it */
        *resume = 0;
        return ODP_OK;
    }
    after = line2;
    if (f->fault == CSV_AFTER_QUOTE) {
        after = f->fault_at;
        if (next_line(s, b, &after, &end) != ODP_OK)
            return ODP_FAIL;
        if (after == f->fault_at)
            after = line2;
    }
    *resume = after;
    if (s->base.info.ncolumns <= 1) /* every line fits: it tells nothing */
        return ODP_OK;
    off = line2;
    if (search(s, b, &off, &found, &tail) != ODP_OK)
        return ODP_FAIL;
    if (found || tail)
        *resume = off;
    if (found && f->fault == CSV_AFTER_QUOTE && off <= f->fault_at)
        f->fault = CSV_UNCLOSED;
    if (found && f->multiline && off <= f->open_at)
        f->open_at = f->multi_at;
    return ODP_OK;
}
