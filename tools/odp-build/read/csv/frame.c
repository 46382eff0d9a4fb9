/* Where records and cells end.
 *
 *   record  = cell *( delimiter cell ) line-end          line-end = CRLF / LF / CR / end of the file
 *   cell    = quote *( text / quote quote / escape any ) quote        begins right after the delimiter
 *           / *( text / stray quote / escape any )
 *
 * A quote that does not begin a cell is text (a stray quote). After a closing quote only a delimiter or line
 * end may come. */
#include "read/csv/reader.h"

void csv_rules_init(struct csv_rules *r, const struct odp_dialect *d, bool tabs)
{
    memset(r, 0, sizeof(*r));
    r->delimiter = d->delimiter;
    if (tabs && !d->declared)
        r->delimiter = '\t';
    r->quote = d->quote;
    r->double_quote = d->double_quote || (d->escape != '\0' && d->escape == d->quote);
    r->escape = d->escape != d->quote ? d->escape : '\0';
    r->comment = d->comment;
    r->skip_space = d->skip_initial_space && r->delimiter != ' ';
    r->plain = r->quote != '\0' && r->double_quote && r->escape == '\0' && !r->skip_space;
    if (r->quote != '\0')
        r->kind[(unsigned char)r->quote] = CSV_QUOTE_CHAR;
    if (r->escape != '\0')
        r->kind[(unsigned char)r->escape] = CSV_ESCAPE;
    if (r->delimiter != '\0')
        r->kind[(unsigned char)r->delimiter] = CSV_DELIMITER;
    r->kind['\n'] = r->kind['\r'] = CSV_LINE_END;
}

bool csv_frame_line(const char *p, size_t n, bool eof, size_t *len, size_t *next)
{
    const char *lf = memchr(p, '\n', n);
    size_t end = lf != NULL ? (size_t)(lf - p) : n;
    const char *cr = memchr(p, '\r', end);
    if (cr != NULL)
        end = (size_t)(cr - p);
    *len = end;
    if (end == n) {
        *next = n;
        return eof;
    }
    *next = end + 1;
    if (p[end] == '\r') {
        if (end + 1 == n)
            return eof;
        if (p[end + 1] == '\n')
            ++*next;
    }
    return true;
}

uint64_t csv_count_lines(const char *p, size_t n)
{
    uint64_t lines = 0;
    for (size_t i = 0; i < n; i++)
        lines += p[i] == '\n' || (p[i] == '\r' && (i + 1 == n || p[i + 1] != '\n'));
    return lines;
}

bool csv_is_blank(const struct csv_rules *r, const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char c = p[i];
        if (c != ' ' && c != '\t' && (r != NULL ? c != r->delimiter : c != '\r' && c != '\n'))
            return false;
    }
    return true;
}

/* The closing quote of the cell whose content begins at I: its place, or N. */
static size_t find_closing(const struct csv_rules *r, const char *p, size_t i, size_t n)
{
    for (;;) {
        if (r->escape == '\0') {
            const char *q = i < n ? memchr(p + i, r->quote, n - i) : NULL;
            if (q == NULL)
                return n;
            i = (size_t)(q - p);
        } else {
            while (i < n && p[i] != r->quote && p[i] != r->escape)
                i++;
            if (i < n && p[i] == r->escape) {
                i += 2;
                if (i >= n)
                    return n;
                continue;
            }
            if (i == n)
                return n;
        }
        if (!r->double_quote || i + 1 >= n || p[i + 1] != r->quote)
            return i;
        i += 2;
    }
}

static size_t skip_spaces(const struct csv_rules *r, const char *p, size_t i, size_t n)
{
    if (r->skip_space)
        while (i < n && p[i] == ' ')
            i++;
    return i;
}

/* The end of the unquoted cell at I: a delimiter, a line end, or N. */
static size_t find_cell_end(const struct csv_rules *r, const char *p, size_t i, size_t n, size_t *stray,
                            bool *escaped)
{
    for (;;) {
        while (i < n && r->kind[(unsigned char)p[i]] == CSV_ORDINARY)
            i++;
        if (i >= n)
            return n;
        switch (r->kind[(unsigned char)p[i]]) {
        case CSV_QUOTE_CHAR:
            if (*stray == SIZE_MAX)
                *stray = i;
            i++;
            break;
        case CSV_ESCAPE:
            *escaped = true;
            i = i + 1 < n ? i + 2 : n;
            break;
        default:
            return i;
        }
    }
}

static bool starts_quoted(const struct csv_rules *r, const char *p, size_t i, size_t n)
{
    return r->quote != '\0' && i < n && p[i] == r->quote;
}

/* Ends the frame at byte I: a line end or the end of the text. */
static void finish(const char *p, size_t i, size_t n, bool eof, struct csv_frame *out)
{
    out->len = i;
    out->next = i < n ? i + 1 : i;
    if (i == n && !eof)
        out->fault = CSV_MORE;
    if (i < n && p[i] == '\r') {
        if (i + 1 < n && p[i + 1] == '\n')
            out->next++;
        else if (i + 1 == n && !eof)
            out->fault = CSV_MORE;
    }
}

static void note_lines(const char *p, size_t from, size_t to, struct csv_frame *out)
{
    if (out->multiline ||
        (memchr(p + from, '\n', to - from) == NULL && memchr(p + from, '\r', to - from) == NULL))
        return;
    out->multiline = true;
    out->multi_at = from;
}

void csv_frame_quoted(const struct csv_rules *r, const struct csv_piece *text, struct csv_frame *out)
{
    const char *p = text->p;
    size_t n = text->n, i = 0;
    bool eof = text->eof;
    memset(out, 0, sizeof(*out));
    for (;;) {
        out->cells++;
        i = skip_spaces(r, p, i, n);
        if (starts_quoted(r, p, i, n)) {
            out->aux |= CSV_QUOTED;
            out->open_at = i;
            size_t close = find_closing(r, p, i + 1, n);
            /* A quote at the very end of the text may be the first of a pair. */
            if (close >= n || (close + 1 == n && !eof)) {
                out->fault = eof ? CSV_UNCLOSED : CSV_MORE;
                return;
            }
            note_lines(p, i, close, out);
            i = close + 1;
        } else {
            size_t stray = SIZE_MAX, from = i;
            bool escaped = false;
            i = find_cell_end(r, p, i, n, &stray, &escaped);
            if (stray != SIZE_MAX)
                out->aux |= CSV_STRAY;
            if (escaped)
                note_lines(p, from, i, out);
        }
        unsigned char kind = i < n ? r->kind[(unsigned char)p[i]] : CSV_LINE_END;
        uint32_t max = out->multiline && text->max_lines_cells != 0 ? text->max_lines_cells : text->max_cells;
        if (kind == CSV_DELIMITER && (max == 0 || out->cells < max)) {
            i++;
            continue;
        }
        if (kind != CSV_LINE_END) {
            out->fault = kind == CSV_DELIMITER ? CSV_EXTRA : CSV_AFTER_QUOTE;
            out->fault_at = i;
            return;
        }
        finish(p, i, n, eof, out);
        return;
    }
}

bool csv_cursor_next(struct csv_cursor *c, struct csv_raw *cell)
{
    const struct csv_rules *r = c->rules;
    if (c->done)
        return false;
    size_t i = skip_spaces(r, c->p, c->at, c->n);
    *cell = (struct csv_raw){.pos = i, .start = i, .stray = SIZE_MAX};
    if (starts_quoted(r, c->p, i, c->n)) {
        size_t close = find_closing(r, c->p, i + 1, c->n);
        cell->quoted = true;
        cell->start = i + 1;
        cell->len = close - cell->start;
        cell->escaped = memchr(c->p + cell->start, r->quote, cell->len) != NULL ||
                        (r->escape != '\0' && memchr(c->p + cell->start, r->escape, cell->len) != NULL);
        i = close < c->n ? close + 1 : c->n;
    } else {
        i = find_cell_end(r, c->p, i, c->n, &cell->stray, &cell->escaped);
        cell->len = i - cell->start;
    }
    c->done = i >= c->n || c->p[i] != r->delimiter;
    c->at = i + 1;
    return true;
}

size_t csv_unescape(const struct csv_rules *r, const char *p, size_t len, bool quoted, char *out)
{
    size_t n = 0;
    for (size_t i = 0; i < len; i++) {
        bool marks =
            (r->escape != '\0' && p[i] == r->escape) || (quoted && r->double_quote && p[i] == r->quote);
        if (marks && i + 1 < len)
            i++;
        out[n++] = p[i];
    }
    return n;
}
