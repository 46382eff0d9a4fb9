/* From the start of the file to the first data record: header rows by their number, and what is wrong where
 * the header is not where it should be. */

#include "base/utf8.h"
#include "read/csv/reader.h"
#include "read/header.h"

static const char usual_delimiters[] = {';', ',', '\t', '|'};

/* The cells of one row, decoded, with their places. */
struct row {
    struct odp_slice *text;
    uint32_t *pos;
    uint32_t n;
    uint64_t line;
    struct odp_slice source;
};

/* The header while it is looked for. */
struct search {
    struct csv_source *s;
    const struct odp_schema *schema;
    struct odp_diags *diags;
    struct row header;
    struct odp_diag held; /* a fault of its text, if it has a file: reported when the header is settled */
};

static struct row split_row(const struct csv_source *s, const struct csv_rules *rules,
                            struct odp_slice source, uint64_t line)
{
    struct odp_arena *a = (struct odp_arena *)(uintptr_t)&s->arena;
    struct csv_cursor c = {.rules = rules, .p = source.ptr, .n = source.len};
    struct csv_raw raw;
    struct row row = {.line = line, .source = source};
    while (csv_cursor_next(&c, &raw))
        row.n++;
    row.text = odp_arena_array(a, row.n, sizeof(*row.text));
    row.pos = odp_arena_array(a, row.n, sizeof(*row.pos));
    c = (struct csv_cursor){.rules = rules, .p = source.ptr, .n = source.len};
    for (uint32_t i = 0; i < row.n && csv_cursor_next(&c, &raw); i++) {
        row.pos[i] = (uint32_t)raw.pos;
        row.text[i] = (struct odp_slice){source.ptr + raw.start, raw.len};
        if (!raw.escaped)
            continue;
        char *p = odp_arena_alloc(a, raw.len + 1);
        row.text[i].len = csv_unescape(rules, source.ptr + raw.start, raw.len, raw.quoted, p);
        row.text[i].ptr = p;
    }
    return row;
}

static uint32_t score(const struct search *h, const struct row *row)
{
    return odp_header_score(h->schema, row->text, row->n, false);
}

/* Whether ROW has at least half of the names. */
static bool is_header(const struct search *h, const struct row *row)
{
    uint32_t points = score(h, row);
    return points > 1 && points * 2 >= odp_header_scored(h->schema);
}

static void about_line(const struct search *h, enum odp_code code, const struct row *row, struct odp_diag *d)
{
    struct odp_slice source = row->source;
    csv_file_diag(d, code, h->s->base.resource, h->s->base.info.file);
    d->line = row->line;
    d->column = 1;
    if (source.len > 1024)
        source.len = odp_utf8_valid((struct odp_slice){source.ptr, 1024});
    d->source = source;
    d->mark_len = (uint32_t)source.len;
}

/* ---- one header row ---- */

/* Bytes of the row at text.pos that are not text. The labels are shown and matched as far as they can be
 * read. */
static void check_text(struct search *h, const struct csv_frame *f, struct row *row)
{
    struct csv_text *t = &h->s->text;
    uint64_t at = t->base + t->pos;
    size_t valid = odp_utf8_valid(row->source);
    const char *nul = memchr(row->source.ptr, '\0', row->source.len);
    const struct csv_bad *bad = csv_text_bad(t, at, at + f->next);
    if (bad == NULL && valid == row->source.len && nul == NULL)
        return;
    if (bad != NULL)
        valid = (size_t)(bad->at - at);
    bool is_nul = bad == NULL && valid == row->source.len;
    if (is_nul)
        valid = (size_t)(nul - row->source.ptr);
    struct odp_slice before = {row->source.ptr, valid};
    row->source = csv_printable(&h->s->arena, row->source);
    if (h->held.file != NULL) /* of several header rows the first */
        return;
    about_line(h, is_nul ? ODP_E04 : ODP_E01, row, &h->held);
    h->held.column = odp_utf8_count(before) + 1;
    h->held.offset = bad != NULL ? bad->offset : at + valid;
    h->held.mark_start = valid < h->held.source.len ? (uint32_t)valid : 0;
    h->held.mark_len = valid < h->held.source.len ? 1 : 0;
    h->held.args[0] = odp_slice_of(t->encoding);
}

static void join_row(struct search *h, const struct row *more)
{
    struct odp_arena *a = &h->s->arena;
    struct row joined = *more;
    joined.n = more->n > h->header.n ? more->n : h->header.n;
    joined.text = odp_header_join(a, h->header.text, h->header.n, more->text, more->n,
                                  h->s->base.resource->dialect.header_join);
    joined.pos = odp_arena_array(a, joined.n, sizeof(*joined.pos));
    for (uint32_t i = 0; i < joined.n; i++) /* columns that the last row does not have: its end */
        joined.pos[i] = i < more->n ? more->pos[i] : (uint32_t)more->source.len;
    h->header = joined;
}

/* A row whose quotes do not end well is taken as one line: its labels are compared all the same, but it is
 * never a header (take_row). */
static void one_line(const struct csv_source *s, struct csv_frame *f)
{
    const struct csv_text *t = &s->text;
    if (f->fault != CSV_FINE)
        (void)csv_frame_line(t->buf.ptr + t->pos, t->buf.len - t->pos, true, &f->len, &f->next);
}

static struct row take_row(struct search *h, const struct csv_frame *f)
{
    struct csv_source *s = h->s;
    struct row row = {.line = s->line};
    row.source = odp_arena_copy(&s->arena, (struct odp_slice){s->text.buf.ptr + s->text.pos, f->len});
    check_text(h, f, &row);
    if (h->held.file == NULL && (f->fault == CSV_AFTER_QUOTE || f->fault == CSV_UNCLOSED))
        about_line(h, f->fault == CSV_UNCLOSED ? ODP_R06 : ODP_R05, &row, &h->held);
    return split_row(s, &s->rules, row.source, row.line);
}

/* The header rows by number. Row 1, the default, is the first that is no comment. DONE: the file ends before.
 */
static enum odp_status read_rows(struct search *h)
{
    struct csv_source *s = h->s;
    const struct odp_dialect *d = &s->base.resource->dialect;
    static const uint32_t first_row = 1;
    const uint32_t *rows = d->nheader_rows > 0 ? d->header_rows : &first_row;
    size_t n = d->nheader_rows > 0 ? d->nheader_rows : 1, next = 0;
    uint64_t comments = 0;
    while (next < n) {
        struct csv_frame f;
        enum odp_status status = csv_next(s, NULL, &f);
        if (status != ODP_OK)
            return status;
        one_line(s, &f);
        if (f.comment && n == 1 && rows[0] == 1)
            comments++;
        if (!f.comment && s->row - comments == rows[next]) {
            struct row row = take_row(h, &f);
            if (h->header.n > 0)
                join_row(h, &row);
            else
                h->header = row;
            next++;
        } else if (s->row - comments >= rows[next]) {
            next++; /* a header row that is a comment */
        }
        csv_advance(s, f.next);
    }
    return h->header.n > 0 ? ODP_OK : ODP_DONE;
}

/* ---- looking ahead in the window ---- */

struct ahead {
    const struct csv_rules *rules;
    const char *p;
    size_t left;
    struct csv_frame frame;
};

static enum odp_status look_ahead(struct csv_source *s, const struct csv_rules *rules, struct ahead *out)
{
    if (!s->text.eof && s->text.buf.len - s->text.pos < CSV_BLOCK && csv_fill(s, NULL) != ODP_OK)
        return ODP_FAIL;
    *out = (struct ahead){rules, s->text.buf.ptr + s->text.pos, s->text.buf.len - s->text.pos, {0}};
    return ODP_OK;
}

/* Frames the next row, at a->p; false: end of the text. */
static bool next_ahead(struct ahead *a)
{
    a->p += a->frame.next;
    a->left -= a->frame.next;
    if (a->left > 0)
        csv_frame_quoted(a->rules, &(struct csv_piece){.p = a->p, .n = a->left, .eof = true}, &a->frame);
    return a->left > 0;
}

/* A later row, split by RULES, that looks more like the header than one with HAVE points: the rows above it
 * are titles (ODP-H08). *BEST_ROW: its number, or 0. */
static enum odp_status find_later(struct search *h, const struct csv_rules *rules, uint32_t have,
                                  uint64_t *best_row, struct row *best)
{
    uint32_t found = have;
    uint64_t line = h->s->line, row = h->s->row;
    struct ahead a;
    *best_row = 0;
    if (look_ahead(h->s, rules, &a) != ODP_OK)
        return ODP_FAIL;
    for (int i = 0; i < CSV_TITLE_ROWS && next_ahead(&a); i++, row++) {
        bool comment = rules->comment != '\0' && *a.p == rules->comment;
        if (comment || a.frame.fault != CSV_FINE)
            (void)csv_frame_line(a.p, a.left, true, &a.frame.len, &a.frame.next);
        if (!comment) {
            struct row here = split_row(h->s, rules, (struct odp_slice){a.p, a.frame.len}, line);
            uint32_t points = odp_header_score(h->schema, here.text, here.n, have == 0);
            if (odp_header_is_better(h->schema, points, found)) {
                found = points;
                *best = here;
                *best_row = row;
            }
        }
        line += csv_count_lines(a.p, a.frame.next);
    }
    return ODP_OK;
}

static struct csv_rules rules_with(const struct csv_rules *rules, char delimiter)
{
    struct csv_rules other = *rules;
    other.kind[(unsigned char)rules->delimiter] = CSV_ORDINARY;
    other.kind[(unsigned char)delimiter] = CSV_DELIMITER;
    other.delimiter = delimiter;
    return other;
}

/* The same, where no label is found also with another delimiter. */
static enum odp_status find_later_anyhow(struct search *h, uint32_t have, uint64_t *row, struct row *best)
{
    if (find_later(h, &h->s->rules, have, row, best) != ODP_OK)
        return ODP_FAIL;
    for (size_t i = 0; i < sizeof(usual_delimiters) && *row == 0 && have == 0 && h->schema->n > 1; i++) {
        const struct csv_rules rules = rules_with(&h->s->rules, usual_delimiters[i]);
        if (usual_delimiters[i] != h->s->rules.delimiter && find_later(h, &rules, 1, row, best) != ODP_OK)
            return ODP_FAIL;
    }
    return ODP_OK;
}

/* ---- title rows ---- */

static void report_titles(struct search *h, const struct row *best, uint64_t row)
{
    struct odp_diag d;
    about_line(h, ODP_H08, &h->header, &d);
    d.args[0] = odp_arena_number(&h->s->arena, best->line);
    d.args[1] = odp_arena_number(&h->s->arena, row);
    d.where = h->s->base.resource->where;
    d.action = ODP_ACTION_DELETE_LINES;
    d.lines = (uint32_t)(best->line - h->header.line);
    odp_diags_add(h->diags, &d);
}

/* Title rows are one fault, and what is below the header that was found has its own: on to that header, row
 * WANTED. BAD: nothing more can be read. */
static enum odp_status skip_titles(struct search *h, const struct row *best, uint64_t wanted)
{
    struct csv_source *s = h->s;
    h->held = (struct odp_diag){0}; /* a title that is no text goes with the title */
    report_titles(h, best, wanted);
    if (s->base.resource->dialect.nheader_rows > 1) /* several rows of labels */
        return ODP_BAD;
    h->header = (struct row){0};
    while (s->row <= wanted) {
        struct csv_frame f;
        enum odp_status status = csv_next(s, NULL, &f);
        if (status != ODP_OK)
            return status == ODP_DONE ? ODP_BAD : status;
        one_line(s, &f);
        if (s->row == wanted)
            h->header = take_row(h, &f);
        csv_advance(s, f.next);
    }
    return h->header.n > 0 ? ODP_OK : ODP_BAD;
}

/* ---- another delimiter ---- */

/* The delimiter with which the row would be the header; 0: none. */
static char find_delimiter(const struct search *h)
{
    for (size_t i = 0; i < sizeof(usual_delimiters) && odp_header_scored(h->schema) > 1; i++) {
        const struct csv_rules rules = rules_with(&h->s->rules, usual_delimiters[i]);
        struct row row = split_row(h->s, &rules, h->header.source, h->header.line);
        if (rules.delimiter != h->s->rules.delimiter && is_header(h, &row))
            return rules.delimiter;
    }
    return 0;
}

static struct odp_slice quoted_delimiter(struct csv_source *s, char c)
{
    return c == '\t' ? ODP_LIT("'\\t'") : odp_slice_of(odp_arena_printf(&s->arena, "'%c'", c));
}

/* The rows that follow have as many cells as the header, but for a few: DELIMITER is right for them, too. */
static enum odp_status rows_fit(struct csv_source *s, uint32_t cells, bool *fit)
{
    uint32_t rows = 0, misfits = 0;
    struct ahead a;
    if (look_ahead(s, &s->rules, &a) != ODP_OK)
        return ODP_FAIL;
    for (int i = 0; i < CSV_TITLE_ROWS && next_ahead(&a) && a.frame.fault == CSV_FINE; i++) {
        if (csv_is_blank(&s->rules, a.p, a.frame.len))
            continue;
        rows++;
        misfits += a.frame.cells != cells;
    }
    *fit = 4 * misfits <= rows;
    return ODP_OK;
}

/* DELIMITER splits the header, and that is reported. Where it gives all labels and fits the rows, too,
 * reading goes on with it; else (BAD) every row would be reported for the same cause. */
static enum odp_status go_on_with(struct search *h, char delimiter)
{
    struct csv_source *s = h->s;
    struct odp_diag d;
    bool fit = false;
    about_line(h, ODP_H09, &h->header, &d);
    d.args[0] = quoted_delimiter(s, s->rules.delimiter);
    d.args[1] = quoted_delimiter(s, delimiter);
    d.where = s->base.resource->where;
    enum odp_status status = odp_diags_add(h->diags, &d);
    if (status != ODP_BAD)
        return status;
    s->rules = rules_with(&s->rules, delimiter);
    h->header = split_row(s, &s->rules, h->header.source, h->header.line);
    uint32_t n = h->header.n;
    if (rows_fit(s, n, &fit) != ODP_OK)
        return ODP_FAIL;
    return fit && n == h->schema->n && n <= ODP_HEADER_SCORED && score(h, &h->header) == n ? ODP_OK : ODP_BAD;
}

/* ---- other faults of the header as a whole ---- */

/* The header is one quoted cell, and its text is a header: the file was saved as CSV twice. */
static bool is_quoted(const struct search *h)
{
    const struct row *header = &h->header;
    if (header->n != 1 || odp_header_scored(h->schema) < 2 || header->source.len < 2 ||
        h->s->rules.quote == 0 || *header->source.ptr != h->s->rules.quote)
        return false;
    struct row row = split_row(h->s, &h->s->rules, header->text[0], header->line);
    return is_header(h, &row);
}

static enum odp_status report_quoted(struct search *h)
{
    struct odp_diag d;
    about_line(h, ODP_H20, &h->header, &d);
    d.where = h->s->base.resource->where;
    odp_diags_add(h->diags, &d);
    return ODP_BAD;
}

/* Is C's label a field's name? */
static bool is_field(const struct odp_schema *schema, const struct row *row, uint32_t c)
{
    for (uint32_t f = 0; f < schema->n && c < row->n; f++)
        if (odp_slice_is(odp_slice_trim(row->text[c]), schema->fields[f].source_name))
            return true;
    return false;
}

/* *SECOND: the line of the next row, where the labels are on two: those that the first lacks are below it. */
static enum odp_status find_two_rows(struct search *h, uint64_t *second)
{
    struct csv_source *s = h->s;
    struct csv_frame f;
    uint32_t above = 0, under = 0;
    enum odp_status status = csv_next(s, NULL, &f);
    if (status != ODP_OK)
        return status == ODP_FAIL ? ODP_FAIL : ODP_OK;
    if (f.fault != CSV_FINE || h->schema->n > ODP_HEADER_SCORED || h->header.n > 4 * ODP_HEADER_SCORED)
        return ODP_OK;
    struct row below =
        split_row(s, &s->rules, (struct odp_slice){s->text.buf.ptr + s->text.pos, f.len}, s->line);
    for (uint32_t c = 0; c < h->header.n || c < below.n; c++) {
        bool has = c < h->header.n && is_field(h->schema, &h->header, c),
             has_below = is_field(h->schema, &below, c);
        if (has && has_below)
            return ODP_OK;
        above += has;
        under += has_below;
    }
    if (under >= 2 && above >= 1 && 3 * (above + under) >= 2 * h->schema->n)
        *second = s->line;
    return ODP_OK;
}

/* "id, nama, luas …" */
static struct odp_slice field_names(const struct search *h)
{
    const char *names = "";
    for (uint32_t f = 0; f < h->schema->n; f++) {
        if (strlen(names) + strlen(h->schema->fields[f].source_name) + 10 >= 256)
            return odp_slice_of(odp_arena_printf(&h->s->arena, "%s …", names));
        names = odp_arena_printf(&h->s->arena, "%s%s%s", names, f > 0 ? ", " : "",
                                 h->schema->fields[f].source_name);
    }
    return odp_slice_of(names);
}

/* Labels on two rows, the second of which is the next: where they are all there, reading goes on with them.
 */
static enum odp_status join_two_rows(struct search *h, uint64_t second)
{
    struct csv_source *s = h->s;
    struct csv_frame f;
    struct odp_diag d;
    about_line(h, ODP_H21, &h->header, &d);
    d.args[0] = field_names(h);
    d.args[1] = odp_arena_number(&s->arena, h->header.line);
    d.args[2] = odp_arena_number(&s->arena, second);
    d.where = s->base.resource->where;
    enum odp_status status = odp_diags_add(h->diags, &d);
    if (status != ODP_BAD)
        return status;
    if (csv_next(s, NULL, &f) != ODP_OK)
        return ODP_FAIL;
    struct row below = take_row(h, &f);
    csv_advance(s, f.next);
    if (below.n != h->schema->n || h->header.n > below.n)
        return ODP_BAD;
    for (uint32_t c = 0; c < h->header.n; c++)
        if (!is_field(h->schema, &below, c))
            below.text[c] = h->header.text[c];
    h->header = below;
    return score(h, &h->header) == h->schema->n ? ODP_OK : ODP_BAD;
}

/* ---- all of it ---- */

/* Examines what stands where the header should be: title rows, labels on two rows, another delimiter. OK: the
 * header is it. */
static enum odp_status settle(struct search *h)
{
    uint32_t have = score(h, &h->header), n = odp_header_scored(h->schema);
    struct row best = {0};
    uint64_t second = 0, row = 0;
    if (have > 0 && have < n && h->s->base.resource->dialect.nheader_rows < 2 &&
        find_two_rows(h, &second) != ODP_OK)
        return ODP_FAIL;
    if (second != 0)
        return join_two_rows(h, second);
    if (have == 0 && is_quoted(h))
        return report_quoted(h);
    if (have * 2 < n && find_later_anyhow(h, have, &row, &best) != ODP_OK)
        return ODP_FAIL;
    enum odp_status status = row != 0 ? skip_titles(h, &best, row) : ODP_OK;
    /* One label may fit by chance: the first of a line in which every cell is quoted. */
    if (status != ODP_OK || score(h, &h->header) * 2 >= n)
        return status;
    /* Reported already as no text; or it is a header with another delimiter: only ours makes its quotes
     * wrong.
     */
    bool quotes = h->held.code == ODP_R05 || h->held.code == ODP_R06;
    if (h->held.file != NULL && !quotes)
        return ODP_BAD;
    char delimiter = find_delimiter(h);
    if (delimiter == 0)
        return h->held.file != NULL ? ODP_BAD : ODP_OK;
    h->held = (struct odp_diag){0};
    return go_on_with(h, delimiter);
}

static enum odp_status match(struct csv_source *s, const struct row *row, struct odp_diags *diags)
{
    struct odp_header h = {
        .labels = row->text, .n = row->n, .line = row->line, .source = row->source, .pos = row->pos};
    h.columns = odp_arena_array(&s->arena, row->n, sizeof(*h.columns));
    size_t column = 1, at = 0;
    for (uint32_t i = 0; i < row->n; i++) {
        column += odp_utf8_count((struct odp_slice){row->source.ptr + at, row->pos[i] - at});
        at = row->pos[i];
        h.columns[i] = (uint32_t)column;
    }
    s->base.info.labels = row->text;
    s->base.info.ncolumns = row->n;
    return odp_header_match(s->base.resource, s->base.info.file, &h, &s->arena, &s->base.info, diags);
}

enum odp_status csv_header_read(struct csv_source *s, struct odp_diags *diags)
{
    const struct odp_resource *r = s->base.resource;
    struct search h = {.s = s, .schema = &r->schema, .diags = diags};
    if (!r->dialect.header && r->schema.n > 0) {
        odp_header_take_schema(r, &s->arena, &s->base.info);
        return ODP_OK;
    }
    enum odp_status status = r->dialect.header ? read_rows(&h) : ODP_DONE;
    if (status == ODP_DONE) {
        struct odp_diag d;
        csv_file_diag(&d, ODP_H01, r, s->base.info.file);
        d.where = r->where;
        odp_diags_add(diags, &d);
        return ODP_BAD;
    }
    if (status == ODP_OK)
        status = settle(&h);
    if (status != ODP_FAIL && h.held.file != NULL)
        odp_diags_add(diags, &h.held);
    if (status != ODP_OK)
        return status;
    s->header = h.header.source;
    return match(s, &h.header, diags);
}
