/* The rows at the start of a CSV file, framed as the check does it: title rows, the header (one row or two),
 * rows that number the columns or give their units.
 *
 * With missing or repeated labels columns are read by their place (header false, the rows passed over as
 * commentRows), with a doubt. A delimiter at the end of lines: fieldsMatch subset. */

#include "base/ascii.h"
#include "base/utf8.h"
#include "read/csv/reader.h"
#include "repair/draft/draft_internal.h"
#include "words/draft.h"

static void split(struct odp_draft *d, const struct csv_rules *rules, const char *p, size_t n,
                  struct row *out)
{
    struct csv_cursor c = {.rules = rules, .p = p, .n = n};
    struct csv_raw raw;
    uint32_t cells = 0;
    while (cells < HEAD_CELLS && csv_cursor_next(&c, &raw))
        cells++;
    out->cell = odp_arena_array(&d->arena, (size_t)cells + 1, sizeof *out->cell);
    c = (struct csv_cursor){.rules = rules, .p = p, .n = n};
    for (out->n = 0; out->n < cells && csv_cursor_next(&c, &raw); out->n++) {
        char *text = odp_arena_alloc(&d->arena, raw.len + 1);
        size_t len = raw.len;
        if (raw.escaped)
            len = csv_unescape(rules, p + raw.start, raw.len, raw.quoted, text);
        else
            memcpy(text, p + raw.start, raw.len);
        struct odp_slice s = csv_printable(&d->arena, (struct odp_slice){text, len});
        out->cell[out->n] = odp_slice_trim(s);
        out->filled += out->cell[out->n].len > 0;
    }
}

/* The first rows of the file. A row with broken quotes is one line. */
static enum odp_status read_head(struct odp_draft *d, struct head *h, struct odp_diags *diags)
{
    struct csv_text *text = odp_arena_zero(&d->arena, 1, sizeof *text);
    struct csv_rules rules;
    draft_resource_text(d);
    csv_rules_init(&rules, &d->resource.dialect, false);
    enum odp_status status = csv_text_open(text, &d->resource, d->options.path, d->options.file, diags);
    if (status == ODP_OK && !text->eof)
        status = csv_text_fill(text);
    size_t at = 0;
    while (status == ODP_OK && h->n < HEAD && at < text->buf.len) {
        const char *p = text->buf.ptr + at;
        size_t left = text->buf.len - at;
        struct csv_frame f;
        csv_frame_quoted(&rules, &(struct csv_piece){.p = p, .n = left, .eof = true}, &f);
        if (f.fault != CSV_FINE || f.len > CSV_BLOCK)
            (void)csv_frame_line(p, left, true, &f.len, &f.next);
        struct row *row = &h->row[h->n++];
        *row = (struct row){.comment = d->comment != 0 && f.len > 0 && *p == d->comment};
        split(d, &rules, p, f.len, row);
        at += f.next;
    }
    csv_text_close(text);
    return status;
}

static bool looks_measured(struct odp_slice s)
{
    char out[ODP_DECIMAL_SIZE];
    size_t len;
    struct odp_datetime date;
    if (s.len == 0 || s.len > 40 || strpbrk(s.ptr, "0123456789") == NULL)
        return false;
    for (int i = 0; i < FORMS; i++)
        if (draft_number(s, &draft_forms[i], out, &len))
            return true;
    for (int i = 0; i < PATTERNS; i++)
        if (draft_date(s, &draft_patterns[i], &date))
            return true;
    return false;
}

static bool is_year(struct odp_slice s)
{
    return s.len == 4 && (memcmp(s.ptr, "19", 2) == 0 || memcmp(s.ptr, "20", 2) == 0) &&
           strspn(s.ptr, "0123456789") >= 4;
}

/* A row of units: "ha", "(Rp juta)", with a number below one of them. */
static bool gives_units(const struct row *r, const struct row *next)
{
    bool number = false;
    for (uint32_t i = 0; i < r->n; i++) {
        if (r->cell[i].len > 0 && !draft_is_unit(draft_unbracketed(r->cell[i])))
            return false;
        number = number || (i < next->n && r->cell[i].len > 0 && looks_measured(next->cell[i]));
    }
    return number;
}

/* The header row: the first that is as wide as the records and at least half filled. H->n: none. */
static uint32_t find_header(const struct head *h, uint32_t width)
{
    uint32_t need = width < 3 ? width : (width + 1) / 2 > 2 ? (width + 1) / 2 : 2;
    for (uint32_t i = 0; i < h->n; i++)
        if (!h->row[i].comment && h->row[i].n == width && h->row[i].filled >= need)
            return i;
    for (uint32_t i = 0; i < h->n; i++)
        if (!h->row[i].comment && h->row[i].filled > 0)
            return i;
    return h->n;
}

static bool has_digit(struct odp_slice s)
{
    for (size_t i = 0; i < s.len; i++)
        if (odp_is_digit(s.ptr[i]))
            return true;
    return false;
}

static bool all_measured(const struct row *r)
{
    for (uint32_t i = 0; i < r->n; i++)
        if (!looks_measured(r->cell[i]))
            return false;
    return true;
}

struct votes {
    uint32_t header, data, repeated, body;
};

/* Compares labels with the cells below them. */
static struct votes vote(const struct head *h, uint32_t at, uint32_t width)
{
    struct votes v = {0};
    const struct row *label = &h->row[at];
    for (uint32_t c = 0; c < label->n && c < width; c++) {
        uint32_t measured = 0, filled = 0, digits = 0;
        bool repeated = false;
        for (uint32_t i = at + 1; i < h->n; i++) {
            const struct row *r = &h->row[i];
            if (r->comment || r->n != width || r->cell[c].len == 0)
                continue;
            filled++;
            measured += looks_measured(r->cell[c]);
            digits += has_digit(r->cell[c]);
            repeated =
                repeated || (odp_slice_eq(r->cell[c], label->cell[c]) && !odp_slice_is(r->cell[c], "-"));
        }
        v.body = filled > v.body ? filled : v.body;
        v.repeated += repeated && label->cell[c].len > 0;
        if (filled > 0 && measured * 5 < filled * 4 && digits == filled && !has_digit(label->cell[c]) &&
            label->cell[c].len > 0)
            v.header++; /* codes below a word */
        if (filled == 0 || measured * 5 < filled * 4)
            continue;
        if (label->cell[c].len > 0 && !looks_measured(label->cell[c]))
            v.header++;
        else if (label->cell[c].len > 0 && !is_year(label->cell[c]))
            v.data++;
    }
    return v;
}

static bool is_text_row(const struct row *r)
{
    for (uint32_t i = 0; i < r->n; i++)
        if (looks_measured(r->cell[i]) && !is_year(r->cell[i]))
            return false;
    return r->filled > 0;
}

/* Whether LOWER is the second row of a header that begins with UPPER: a row of words that names the columns
 * that UPPER leaves blank. */
static bool completes(const struct row *upper, const struct row *lower, uint32_t width)
{
    uint32_t gained = 0;
    if (upper->n != width || lower->n != width || upper->filled == width || upper->filled < 2 ||
        !is_text_row(lower) || !is_text_row(upper))
        return false;
    for (uint32_t i = 0; i < width; i++)
        gained += upper->cell[i].len == 0 && lower->cell[i].len > 0;
    return gained > 0 && upper->filled + gained == width;
}

static struct odp_slice cell_of(const struct row *r, uint32_t column)
{
    return column < r->n ? r->cell[column] : ODP_LIT("");
}

/* "A B", or the one that is not empty. */
static struct odp_slice joined(struct odp_draft *d, struct odp_slice a, struct odp_slice b)
{
    if (a.len == 0 || b.len == 0)
        return a.len == 0 ? b : a;
    return odp_slice_of(odp_arena_printf(&d->arena, "%.*s %.*s", (int)a.len, a.ptr, (int)b.len, b.ptr));
}

/* Labels as the reader joins them; titles with the label of their group, which is over the first of its
 * columns only if its cells were merged. */
static void join_labels(struct odp_draft *d, const struct head *h, uint32_t first, uint32_t nrows,
                        uint32_t width)
{
    struct odp_slice group = {"", 0}, none = {"", 0};
    d->labels = odp_arena_zero(&d->arena, (size_t)width + 1, sizeof *d->labels);
    d->titles = odp_arena_zero(&d->arena, (size_t)width + 1, sizeof *d->titles);
    for (uint32_t c = 0; c < width; c++) {
        const struct row *row = &h->row[first];
        struct odp_slice upper = nrows > 0 ? cell_of(row, c) : none,
                         lower = nrows > 1 ? cell_of(&h->row[first + 1], c) : none;
        if (nrows > 1 && row->spread != NULL)
            upper = row->spread[c];
        if (upper.len > 0 || lower.len == 0)
            group = lower.len > 0 ? upper : none;
        d->labels[c] = joined(d, upper, lower);
        d->titles[c] = upper.len > 0 ? d->labels[c] : joined(d, group, lower);
    }
}

static bool is_empty_below(const struct head *h, uint32_t after, uint32_t column)
{
    for (uint32_t i = after; i < h->n; i++)
        if (column < h->row[i].n && h->row[i].cell[column].len > 0)
            return false;
    return true;
}

/* Columns at the end without a label and values do not count. */
static void drop_trailing(struct odp_draft *d, const struct head *h, uint32_t after)
{
    uint32_t width = d->ncolumns;
    const bool sheet = d->kind == ODP_DRAFT_WORKBOOK; /* its table ends at the last label */
    while (width > 1 && d->labels[width - 1].len == 0 && (sheet || is_empty_below(h, after, width - 1)))
        width--;
    if (width == d->ncolumns)
        return;
    d->trailing = !sheet;
    if (!sheet)
        draft_fact(d, W_draft_delimiters_at_end_lines_columns, ARGS(N(d->ncolumns - width)));
    d->ncolumns = width;
}

static void note_rows(struct odp_draft *d, const struct head *h, uint32_t first, uint32_t nrows,
                      uint32_t titles)
{
    if (!d->header) {
        draft_fact(d, W_draft_no_header_row, NULL);
        return;
    }
    if (nrows == 1)
        draft_fact(d, W_draft_header_row, ARGS(N(first + 1)));
    else
        draft_fact(d, W_draft_header_rows_joined, ARGS(N(first + 1), N(first + 2)));
    for (uint32_t i = 0; i < first && titles > 0; i++)
        if (h->row[i].filled > 0 && !h->row[i].comment) {
            draft_fact(d, W_draft_rows_before_header_passed_over,
                       ARGS(N(titles),
                            S(draft_shown(d, h->row[i].cell[0].len > 0 ? h->row[i].cell[0]
                                                                       : h->row[i].cell[h->row[i].n - 1]))));
            break;
        }
}

/* Sets the decisions: rows by their number in the file, from 1. */
static void settle_rows(struct odp_draft *d, const struct head *h, uint32_t first, uint32_t nrows,
                        uint32_t width)
{
    uint32_t titles = 0, after = first + nrows;
    for (uint32_t i = 0; i < first && i < h->n; i++)
        titles += !h->row[i].comment;
    d->ncolumns = width;
    d->header_rows = odp_arena_zero(&d->arena, 2, sizeof *d->header_rows);
    d->comment_rows = odp_arena_zero(&d->arena, HEAD + 1, sizeof *d->comment_rows);
    d->ncomment_rows = 0;
    d->nheader_rows = d->header ? nrows : 0;
    d->units = NULL;
    for (uint32_t k = 0; k < nrows; k++)
        d->header_rows[k] =
            titles == 0 && nrows == 1 ? 1 : first + k + 1; /* row 1 is the first that is no comment */
    join_labels(d, h, first, d->header ? nrows : 0, width);
    if (d->header) {
        drop_trailing(d, h, after);
        draft_labels(d);
    }
    if (!d->header)
        after = first;
    for (uint32_t i = 0; i < after && i < h->n; i++)
        if (!d->header && !h->row[i].comment)
            d->comment_rows[d->ncomment_rows++] = i + 1;
    for (uint32_t i = after; i < h->n && d->header; i++) {
        bool last = i + 1 == h->n, brackets = *h->row[i].cell[0].ptr == '(';
        bool numbers = h->row[i].n >= width && draft_numbers_columns(h->row[i].cell, width, 3) &&
                       (brackets || (!last && !all_measured(&h->row[i + 1])));
        bool units = !last && h->row[i].n >= width && gives_units(&h->row[i], &h->row[i + 1]);
        if (h->row[i].filled > 0 && !numbers && !units)
            break;
        if (numbers) {
            draft_fact(d, W_draft_row_numbers_columns_passed_over, ARGS(N(i + 1)));
        } else if (units) {
            d->units = h->row[i].cell;
            draft_fact(d, W_draft_row_of_units, ARGS(N(i + 1)));
        }
        d->comment_rows[d->ncomment_rows++] = i + 1;
    }
    note_rows(d, h, first, nrows, titles);
}

enum odp_status draft_rows(struct odp_draft *d, uint32_t width, struct odp_diags *diags)
{
    static const struct odp_text yes[2] = {{{W_draft_yes_row_header}}, {{W_draft_no_row_data}}};
    static const struct odp_text no[2] = {{{W_draft_no_row_data}}, {{W_draft_yes_row_header}}};
    struct head *h = odp_arena_zero(&d->arena, 1, sizeof *h);
    enum odp_status status =
        d->kind == ODP_DRAFT_WORKBOOK ? draft_workbook_head(d, h, diags) : read_head(d, h, diags);
    if (status != ODP_OK)
        return status;
    width = d->kind == ODP_DRAFT_WORKBOOK ? d->ncolumns : width;
    uint32_t first = find_header(h, width), nrows = 1;
    if (first == h->n)
        return draft_fault(d, diags, ODP_I05, NULL, NULL);
    if (width >= WIDTHS)
        width = h->row[first].n;
    struct votes v = vote(h, first, width);
    d->header = d->forced_header == 1 || (d->forced_header == 0 && v.header >= v.data &&
                                          !(v.header == 0 && v.repeated > 0 && v.body > 1));
    if (d->forced_header == 0 && (v.header == v.data || (v.data > 0 && v.header > 0))) {
        struct odp_slice shown = draft_shown(d, h->row[first].cell[0]);
        (void)draft_doubt(d, DOUBT_HEADER, NULL,
                          draft_text(d, W_draft_row_header, ARGS(N(first + 1), S(shown))),
                          draft_text(d, W_draft_columns_have_numbers_dates_codes,
                                     ARGS(N(v.header), N(v.data), N(v.repeated))),
                          d->header ? yes : no);
    }
    if (d->header && first > 0 && completes(&h->row[first - 1], &h->row[first], width))
        first--, nrows = 2;
    else if (d->header && first + 1 < h->n && completes(&h->row[first], &h->row[first + 1], width))
        nrows = 2;
    settle_rows(d, h, first, nrows, width);
    return draft_status(d);
}
