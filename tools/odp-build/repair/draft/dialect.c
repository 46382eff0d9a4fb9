/* Delimiter, quotes and comments, from all records at once: one small machine for each possible reading
 * counts its records, their widths, and quotes out of place. */

#include "base/ascii.h"
#include "read/csv/reader.h"
#include "repair/draft/draft_internal.h"
#include "words/draft.h"

enum { DELIMITERS = 7, VARIANTS = 3, MACHINES = DELIMITERS * VARIANTS, CELL_LINES = 500 };
static const char delimiters[DELIMITERS] = {'\t', ';', '|', ',',
                                            '^',  '~', ':'}; /* most trusted first, if counts are equal */
static const struct variant {
    char quote, escape;
} variants[VARIANTS] = {{'"', 0}, {'"', '\\'}, {'\'', 0}};

enum state { AT_START, AFTER_SPACE, PLAIN, QUOTED, CLOSED };
struct machine {
    char delimiter, quote, escape;
    enum state state;
    bool escaped;          /* the last byte was the escape character, within quotes */
    uint32_t cells, lines; /* of this record; of this cell */
    uint64_t width[WIDTHS], wider, records;
    uint64_t hash[WIDTHS], hashes; /* records that begin with '#' */
    uint64_t quoted, misplaced, spaced, escapes;
    uint32_t first; /* width of the first record */
};

struct walk {
    struct machine machine[MACHINES];
    bool cr, line_empty;
    char line_first;
    unsigned clock; /* how much of 9:59 was read: 1 a digit, 2 the colon, 3 one more digit */
    uint64_t lines, blank, colons, clocks;
};

static void end_record(struct machine *m, bool hash)
{
    uint32_t width = m->cells + 1;
    m->hashes += hash;
    m->hash[width < WIDTHS ? width : 0] += hash;
    if (width < WIDTHS)
        m->width[width]++;
    else
        m->wider++;
    if (m->records++ == 0)
        m->first = width;
    m->cells = m->lines = 0;
    m->state = AT_START;
}

/* A line end outside quotes ends a record; a quoted cell over hundreds of lines was never closed. */
static void end_line(struct machine *m, bool blank, bool hash)
{
    if (m->state == QUOTED && ++m->lines < CELL_LINES)
        return;
    if (m->state == QUOTED)
        m->misplaced += CELL_LINES;
    m->escaped = false;
    if (blank && m->cells == 0 && (m->state == AT_START || m->state == AFTER_SPACE))
        m->state = AT_START;
    else
        end_record(m, hash);
}

static void take_byte(struct machine *m, char c)
{
    if (m->state == QUOTED) {
        if (m->escaped)
            m->escaped = false;
        else if (m->escape != 0 && c == m->escape)
            m->escaped = true, m->escapes++;
        else if (c == m->quote)
            m->state = CLOSED;
        return;
    }
    if (c == m->delimiter) {
        m->cells++;
        m->state = AT_START;
    } else if (c == m->quote && m->state == AT_START) {
        m->state = QUOTED;
        m->quoted++;
    } else if (c == m->quote && m->state == AFTER_SPACE) {
        m->state = QUOTED;
        m->quoted++;
        m->spaced++;
    } else if (m->state == CLOSED) {
        if (c == m->quote) {
            m->state = QUOTED;
        } else {
            m->misplaced++;
            m->state = PLAIN;
        }
    } else if (c == ' ' && m->state != PLAIN) {
        m->state = AFTER_SPACE;
    } else {
        m->misplaced += c == m->quote && m->state == PLAIN && c == '"';
        m->state = PLAIN;
    }
}

/* Bytes that no machine distinguishes: after the first, more of them change nothing. */
static bool is_plain(char c)
{
    return (unsigned char)c >= 0x80 || odp_is_alnum(c) || c == '.' || c == '-' || c == '_' || c == '/' ||
           c == '(' || c == ')';
}

/* Counts colons, and those in times. */
static void take_clock(struct walk *w, char c)
{
    bool digit = odp_is_digit(c);
    w->colons += c == ':';
    w->clocks += digit && w->clock == 3;
    if (c == ':' && w->clock != 0 && w->clock != 2)
        w->clock = 2;
    else if (digit)
        w->clock = w->clock == 2 ? 3 : 1;
    else
        w->clock = 0;
}

static void take_text(struct walk *w, struct odp_draft *d, const char *p, size_t n)
{
    bool plain_before = false;
    for (size_t i = 0; i < n; i++) {
        char c = p[i];
        if (c == '\n' && w->cr) {
            w->cr = false;
            d->crlf++;
            d->cr--;
            continue;
        }
        w->cr = c == '\r';
        if (c == '\n' || c == '\r') {
            d->lf += c == '\n';
            d->cr += c == '\r';
            for (int k = 0; k < MACHINES; k++)
                end_line(&w->machine[k], w->line_empty, w->line_first == '#');
            w->blank += w->line_empty;
            w->lines++;
            w->line_empty = true;
            w->line_first = 0;
            plain_before = false;
            continue;
        }
        take_clock(w, c);
        if (w->line_first == 0 && c != ' ')
            w->line_first = c;
        w->line_empty = w->line_empty && (c == ' ' || c == '\t');
        bool plain = is_plain(c);
        if (plain && plain_before)
            continue;
        plain_before = plain;
        for (int k = 0; k < MACHINES; k++)
            take_byte(&w->machine[k], c);
    }
}

static uint32_t modal(const struct machine *m, uint64_t *count)
{
    uint32_t best = 1;
    for (uint32_t i = 1; i < WIDTHS; i++)
        if (m->width[i] > m->width[best] || (m->width[i] == m->width[best] && m->width[i] > 0 && i > best))
            best = i;
    *count = m->width[best];
    if (m->wider > *count && m->wider * 2 > m->records) {
        *count = m->wider;
        return WIDTHS;
    }
    return best;
}

/* From 0 to about 1.2: the share of records of the usual width, minus errors in quotes. */
static double score(const struct machine *m)
{
    uint64_t count;
    uint32_t width = modal(m, &count);
    if (m->records == 0 || width < 2)
        return 0;
    uint64_t comments = m->hash[width < WIDTHS ? width : 0] * 10 <= m->hashes ? m->hashes : 0;
    if (comments >= m->records)
        comments = 0;
    double share = (double)count / (double)(m->records - comments);
    double wrong = (double)m->misplaced / (double)m->records;
    double total = share - (wrong > 0.5 ? 0.5 : wrong);
    if (m->first == width)
        total += 0.02;
    if (m->delimiter == ':' || m->delimiter == '^' || m->delimiter == '~')
        total -= 0.15; /* occurs in times and texts */
    if (m->quote == '\'' && m->quoted < m->records)
        total -= 0.05;
    return total;
}

static const struct machine *best_of(const struct walk *w)
{
    const struct machine *best = NULL;
    double most = 0.3;
    for (int k = 0; k < MACHINES; k++) {
        const struct machine *m = &w->machine[k];
        uint64_t count;
        double here = m->delimiter == ':' && w->clocks * 2 >= w->colons ? 0 : score(m);
        if (here < 0.6 && modal(m, &count) < 3)
            continue; /* 12,5 in a table with one column */
        if (here > most + (best != NULL && best->delimiter != m->delimiter ? 0.021 : 0.0005)) {
            most = here;
            best = m;
        }
    }
    return best;
}

/* The best reading as one column: quotes alone decide. */
static const struct machine *single(const struct walk *w)
{
    const struct machine *a = &w->machine[3 * VARIANTS], *b = a + 1; /* the comma's */
    return b->misplaced < a->misplaced && b->escapes > 0 ? b : a;
}

static void note_dialect(struct odp_draft *d, const struct walk *w, const struct machine *m, uint32_t width)
{
    uint64_t count;
    (void)modal(m, &count);
    char shown[] = {m->delimiter, '\0'};
    const char *name = m->delimiter == '\t' ? "tab" : shown;
    if (width < 2) {
        draft_fact(d, W_draft_one_column_no_delimiter_gives, ARGS(N(m->records)));
    } else {
        draft_fact(d, W_draft_delimiter_records_have_cells, ARGS(C(name), N(count), N(m->records), N(width)));
        for (int k = 0; k < MACHINES; k += VARIANTS) {
            const struct machine *o = &w->machine[k];
            uint64_t others;
            uint32_t wide = modal(o, &others);
            if (o->delimiter == m->delimiter || wide < 2 ||
                (o->delimiter == ':' && w->clocks * 2 >= w->colons) || score(o) < 0.97 * score(m))
                continue;
            char other[] = {o->delimiter, '\0'};
            draft_note(d, NULL, T(W_draft_delimiter), T(W_draft_nearly_regular_records_have_cells),
                       ARGS(C(o->delimiter == '\t' ? "tab" : other), N(others), N(o->records), N(wide)));
        }
    }
    if (m->quoted > 0) {
        char quote[] = {m->quote, '\0'};
        draft_fact(d, W_draft_quote_cells_quoted_quotes_out, ARGS(C(quote), N(m->quoted), N(m->misplaced)));
    }
    draft_fact(d, W_draft_line_ends_crlf_lf_cr, ARGS(N(d->crlf), N(d->lf), N(d->cr)));
    if (w->blank > 0)
        draft_fact(d, W_draft_blank_lines, ARGS(N(w->blank)));
}

static void settle(struct odp_draft *d, const struct machine *m, uint32_t width)
{
    bool comments =
        width > 1 ? m->hash[width < WIDTHS ? width : 0] * 10 <= m->hashes : m->hashes * 2 < m->records;
    if (m->hashes > 0 && comments) {
        d->comment = '#';
        draft_fact(d, W_draft_comment_lines_lines_begin_with, ARGS(N(m->hashes)));
    }
    d->delimiter = m->delimiter;
    d->quote = m->quote;
    d->escape = m->escapes > 0 ? m->escape : 0;
    if (m->quoted == 0) {
        d->quote = '"';
        d->escape = 0;
    }
    d->skip_space = m->spaced > 0 && m->spaced * 2 >= m->quoted / 2;
    if (m->spaced > 0 && !d->skip_space)
        draft_note(d, NULL, T(W_draft_spaces_after_delimiter), T(W_draft_quoted_cells_have_spaces_before),
                   ARGS(N(m->spaced), N(m->quoted)));
}

enum odp_status draft_dialect(struct odp_draft *d, struct odp_diags *diags)
{
    struct walk *w = odp_arena_zero(&d->arena, 1, sizeof *w);
    struct csv_text *text = odp_arena_zero(&d->arena, 1, sizeof *text);
    for (int k = 0; k < MACHINES; k++) {
        w->machine[k].delimiter = delimiters[k / VARIANTS];
        w->machine[k].quote = variants[k % VARIANTS].quote;
        w->machine[k].escape = variants[k % VARIANTS].escape;
    }
    w->line_empty = true;
    draft_resource_text(d);
    enum odp_status status = csv_text_open(text, &d->resource, d->options.path, d->options.file, diags);
    while (status == ODP_OK) {
        take_text(w, d, text->buf.ptr + text->pos, text->buf.len - text->pos);
        text->pos = text->buf.len;
        if (text->eof)
            break;
        (void)csv_text_bad(text, 0, UINT64_MAX);
        status = csv_text_fill(text);
    }
    csv_text_close(text);
    if (status != ODP_OK)
        return status;
    if (!w->line_empty || w->machine[0].state != AT_START || w->machine[0].cells > 0)
        for (int k = 0; k < MACHINES; k++) {
            w->machine[k].misplaced += w->machine[k].state == QUOTED;
            end_record(&w->machine[k], w->line_first == '#');
        }
    const struct machine *m = best_of(w);
    uint64_t count = 0;
    uint32_t width = 1;
    if (m == NULL)
        m = single(w);
    else
        width = modal(m, &count);
    if (m->records == 0)
        return draft_fault(d, diags, ODP_I05, NULL, NULL);
    settle(d, m, width);
    note_dialect(d, w, m, width);
    return draft_rows(d, width, diags);
}
