/* The window over the text: filling it, framing the row that begins in it, and going on to the next row. It
 * grows beyond a block only for a record that needs it, at most to limits.recordBytes (ODP-R07): memory does
 * not depend on the file. */
#include "read/csv/reader.h"

/* Rows that are no records, behind the batch's last one, go out of the window: a million of them costs no
 * memory. */
static void drop_behind(struct csv_source *s)
{
    struct csv_text *t = &s->text;
    size_t gone = t->pos - s->behind;
    if (gone == 0)
        return;
    memmove(t->buf.ptr + s->behind, t->buf.ptr + t->pos, t->buf.len - t->pos);
    t->buf.len -= gone;
    t->base += gone;
    t->pos = s->behind;
    s->left_out -= gone;
}

enum odp_status csv_fill(struct csv_source *s, struct odp_batch *b)
{
    struct csv_text *t = &s->text;
    if (b != NULL && b->nrecords > 0)
        drop_behind(s);
    size_t kept = b != NULL && b->nrecords > 0 ? t->pos - s->begun : 0, have = t->buf.len - t->pos + kept;
    size_t want = b == NULL ? CSV_BLOCK : have + CSV_PIECE < s->expected ? s->expected - have : CSV_PIECE;
    want = want < CSV_BLOCK ? want : CSV_BLOCK;
    s->begun = 0;
    s->behind = kept;
    s->scan.n = 0;
    return csv_text_fill_keeping(t, kept, want);
}

static bool is_comment(const struct csv_source *s, char first)
{
    const struct odp_dialect *d = &s->base.resource->dialect;
    if (s->rules.comment != '\0' && first == s->rules.comment)
        return true;
    for (size_t i = 0; i < d->ncomment_rows; i++)
        if (d->comment_rows[i] == s->row)
            return true;
    return false;
}

/* The first line end or quote at or behind FROM in the window, or its end: found 64 bytes at a time
 * (base/bytes.h). */
static size_t find_stop(struct csv_source *s, size_t from)
{
    const struct odp_buffer *window = &s->text.buf;
    struct csv_scan *scan = &s->scan;
    while (from < window->len) {
        if (from - scan->at >= scan->n) { /* in front of it, or behind */
            const char wanted[] = {'\n', '\r', s->rules.quote};
            size_t left = window->len - from;
            scan->at = from;
            scan->n = left < ODP_BYTES_CHUNK ? left : ODP_BYTES_CHUNK;
            odp_bytes_masks(window->ptr + from, scan->n, wanted, s->rules.quote != '\0' ? 3 : 2, scan->mask);
        }
        size_t k = (from - scan->at) / 64, blocks = (scan->n + 63) / 64;
        uint64_t bits = scan->mask[k] & (UINT64_MAX << ((from - scan->at) % 64));
        while (bits == 0 && ++k < blocks)
            bits = scan->mask[k];
        if (bits != 0)
            return scan->at + 64 * k + (size_t)__builtin_ctzll(bits);
        from = scan->at + scan->n;
    }
    return window->len;
}

static bool is_line_end(char c)
{
    return c == '\n' || c == '\r';
}

/* Behind the quoted cell that opens at AT; the window's end where it does not end well on this line. */
static size_t skip_quoted(struct csv_source *s, size_t at)
{
    const char *p = s->text.buf.ptr;
    const size_t end = s->text.buf.len;
    for (;;) {
        at = find_stop(s, at + 1) + 1;
        if (at >= end || p[at - 1] != s->rules.quote)
            return end;
        if (p[at] != s->rules.quote)
            return p[at] == s->rules.delimiter || is_line_end(p[at]) ? at : end;
    }
}

/* Frames what begins at text.pos, which is not the end of the window. Cells in quotes that stand where they
 * should, on one line, are passed by their quotes alone; csv_frame_quoted knows all others. */
static void frame_here(struct csv_source *s, struct csv_frame *out)
{
    struct csv_text *t = &s->text;
    bool comment = is_comment(s, t->buf.ptr[t->pos]);
    /* A record of several lines that has cells without end is a broken quote: not followed to the end of the
     * file. */
    struct csv_piece text = {.p = t->buf.ptr + t->pos,
                             .n = t->buf.len - t->pos,
                             .eof = t->eof,
                             .max_lines_cells =
                                 s->base.info.ncolumns > 0 ? 2 * s->base.info.ncolumns + 64 : 0};
    if (!comment && s->rules.escape != '\0') {
        csv_frame_quoted(&s->rules, &text, out);
        return;
    }
    size_t end = find_stop(s, t->pos);
    while (comment && end < t->buf.len && !is_line_end(t->buf.ptr[end]))
        end = find_stop(s, end + 1);
    bool quoted = !comment && end < t->buf.len && !is_line_end(t->buf.ptr[end]);
    while (s->rules.plain && end < t->buf.len && t->buf.ptr[end] == s->rules.quote &&
           (end == t->pos || t->buf.ptr[end - 1] == s->rules.delimiter))
        end = find_stop(s, skip_quoted(s, end));
    if (quoted && (end == t->buf.len || !is_line_end(t->buf.ptr[end]) || end - t->pos > s->longest)) {
        csv_frame_quoted(&s->rules, &text, out);
        return;
    }
    *out = (struct csv_frame){
        .len = end - t->pos, .next = end - t->pos, .comment = comment, .aux = quoted ? CSV_QUOTED : 0};
    bool cr = end < t->buf.len && t->buf.ptr[end] == '\r';
    if ((end == t->buf.len || (cr && end + 1 == t->buf.len)) && !t->eof)
        out->fault = CSV_MORE;
    if (end < t->buf.len)
        out->next += cr && end + 1 < t->buf.len && t->buf.ptr[end + 1] == '\n' ? 2 : 1;
}

enum odp_status csv_next(struct csv_source *s, struct odp_batch *b, struct csv_frame *out)
{
    struct csv_text *t = &s->text;
    for (;;) {
        size_t n = t->buf.len - t->pos;
        if (n > 0) {
            frame_here(s, out);
            if ((out->fault == CSV_MORE && n > s->longest) ||
                (out->fault == CSV_FINE && out->len > s->longest) ||
                (out->fault == CSV_UNCLOSED && n > s->longest))
                out->fault = CSV_TOO_LONG;
            if (out->fault != CSV_MORE)
                return ODP_OK;
        } else if (t->eof) {
            return ODP_DONE;
        }
        if (csv_fill(s, b) != ODP_OK)
            return ODP_FAIL;
    }
}

void csv_advance(struct csv_source *s, size_t len)
{
    s->line += csv_count_lines(s->text.buf.ptr + s->text.pos, len);
    s->text.pos += len;
    s->row++;
}
