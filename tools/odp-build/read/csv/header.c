/* From the start of the file to the first data record: header rows by their number, and a word about title
 * rows when the header is not where it should be. */
#include <stdlib.h>

#include "base/utf8.h"
#include "read/csv/reader.h"
#include "read/header.h"

/* The cells of one row, decoded, with their places. */
struct row {
    struct odp_slice *text;
    uint32_t *pos;
    uint32_t n;
    uint64_t line;
    struct odp_slice source;
};

static enum odp_status split_row(const struct csv_rules *rules, struct odp_slice source, struct odp_arena *a,
                                 struct row *out)
{
    struct csv_cursor c = {.rules = rules, .p = source.ptr, .n = source.len};
    struct csv_raw raw;
    uint32_t n = 0;
    while (csv_cursor_next(&c, &raw))
        n++;
    out->n = n;
    out->source = source;
    out->text = odp_arena_array(a, n, sizeof(*out->text));
    out->pos = odp_arena_array(a, n, sizeof(*out->pos));
    c = (struct csv_cursor){.rules = rules, .p = source.ptr, .n = source.len};
    for (uint32_t i = 0; i < n && csv_cursor_next(&c, &raw); i++) {
        out->pos[i] = (uint32_t)raw.pos;
        out->text[i] = (struct odp_slice){source.ptr + raw.start, raw.len};
        if (!raw.escaped)
            continue;
        char *p = odp_arena_alloc(a, raw.len + 1);
        out->text[i] =
            (struct odp_slice){p, csv_unescape(rules, source.ptr + raw.start, raw.len, raw.quoted, p)};
    }
    return ODP_OK;
}

static uint32_t score(const struct odp_schema *schema, const struct row *row)
{
    return odp_header_score(schema, row->text, row->n, false);
}

static void about_line(const struct csv_source *s, enum odp_code code, uint64_t line, struct odp_slice source,
                       struct odp_diag *d)
{
    csv_file_diag(d, code, s->base.resource, s->base.info.file);
    d->line = line;
    d->column = 1;
    if (source.len > 1024) {
        source.len = 1024;
        source.len = odp_utf8_valid(source);
    }
    d->source = source;
    d->mark_len = (uint32_t)source.len;
}

/* Bytes of the header that are not text (HELD, if it has a file). The labels are shown and matched as far as
 * they can be read. */
static void check_text(struct csv_source *s, const struct csv_frame *f, struct odp_slice *source,
                       struct odp_diag *held)
{
    struct csv_text *t = &s->text;
    uint64_t at = t->base + t->pos;
    size_t valid = odp_utf8_valid(*source);
    const char *nul = memchr(source->ptr, '\0', source->len);
    const struct csv_bad *bad = csv_text_bad(t, at, at + f->next);
    if (bad == NULL && valid == source->len && nul == NULL)
        return;
    if (bad != NULL)
        valid = (size_t)(bad->at - at);
    bool is_nul = bad == NULL && valid == source->len;
    if (is_nul)
        valid = (size_t)(nul - source->ptr);
    struct odp_slice before = {source->ptr, valid};
    *source = csv_printable(&s->arena, *source);
    if (held->file != NULL) /* of several header rows the first */
        return;
    about_line(s, is_nul ? ODP_E04 : ODP_E01, s->line, *source, held);
    held->column = odp_utf8_count(before) + 1;
    held->offset = bad != NULL ? bad->offset : at + valid;
    held->mark_start = valid < held->source.len ? (uint32_t)valid : 0;
    held->mark_len = valid < held->source.len ? 1 : 0;
    held->args[0] = odp_slice_of(t->encoding);
}

/* Header rows joined. */
static enum odp_status join_row(struct csv_source *s, struct row *header, const struct row *more)
{
    uint32_t n = more->n > header->n ? more->n : header->n;
    struct odp_slice *text = odp_header_join(&s->arena, header->text, header->n, more->text, more->n,
                                             s->base.resource->dialect.header_join);
    *header = *more;
    header->text = text;
    if (n > more->n) { /* places of columns the last row does not have: its end */
        header->pos = odp_arena_array(&s->arena, n, sizeof(*header->pos));
        for (uint32_t i = 0; i < n; i++)
            header->pos[i] = i < more->n ? more->pos[i] : (uint32_t)more->source.len;
    }
    header->n = n;
    return odp_arena_status(&s->arena);
}

/* A row whose quotes do not end well is taken as one line: its labels are looked at all the same, but it is
 * never a header (take_row). */
static void one_line(const struct csv_source *s, struct csv_frame *f)
{
    const struct csv_text *t = &s->text;
    if (f->fault != CSV_FINE)
        (void)csv_frame_line(t->buf.ptr + t->pos, t->buf.len - t->pos, true, &f->len, &f->next);
}

static enum odp_status take_row(struct csv_source *s, const struct csv_frame *f, struct row *header,
                                struct odp_diag *held)
{
    struct row row = {.line = s->line};
    struct odp_slice source =
        odp_arena_copy(&s->arena, (struct odp_slice){s->text.buf.ptr + s->text.pos, f->len});
    check_text(s, f, &source, held);
    if (held->file == NULL && (f->fault == CSV_AFTER_QUOTE || f->fault == CSV_UNCLOSED))
        about_line(s, f->fault == CSV_UNCLOSED ? ODP_R06 : ODP_R05, s->line, source, held);
    split_row(&s->rules, source, &s->arena, &row);
    if (header->n > 0)
        return join_row(s, header, &row);
    *header = row;
    return ODP_OK;
}

/* The header rows by number. Row 1, the default, is the first that is no comment. DONE: the file ends before.
 */
static enum odp_status read_rows(struct csv_source *s, struct row *header, struct odp_diag *held)
{
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
            if (take_row(s, &f, header, held) != ODP_OK)
                return ODP_FAIL;
            next++;
        } else if (s->row - comments >= rows[next]) {
            next++; /* a header row that is a comment */
        }
        csv_advance(s, f.next);
    }
    return header->n > 0 ? ODP_OK : ODP_DONE;
}

/* Whether a later row, parted as RULES say, is the header: what stands before it are title rows (ODP-H08).
 * *BEST: that row. */
static enum odp_status find_later(struct csv_source *s, const struct csv_rules *rules, uint32_t have,
                                  uint64_t *best_row, struct row *best)
{
    const struct odp_schema *schema = &s->base.resource->schema;
    uint32_t found = have;
    uint64_t line = s->line, row = s->row;
    size_t off = 0;
    *best_row = 0;
    if (!s->text.eof && s->text.buf.len - s->text.pos < CSV_BLOCK && csv_fill(s, NULL) != ODP_OK)
        return ODP_FAIL;
    for (int i = 0; i < CSV_TITLE_ROWS; i++) {
        const char *p = s->text.buf.ptr + s->text.pos + off;
        size_t left = s->text.buf.len - s->text.pos - off;
        struct csv_frame f;
        struct row here = {.line = line};
        if (left == 0)
            break;
        bool comment = rules->comment != '\0' && *p == rules->comment;
        csv_frame_quoted(rules, p, left, true, 0, 0, &f);
        if (comment || f.fault != CSV_FINE)
            (void)csv_frame_line(p, left, true, &f.len, &f.next);
        if (!comment && split_row(rules, (struct odp_slice){p, f.len}, &s->arena, &here) != ODP_OK)
            return ODP_FAIL;
        uint32_t points = comment ? 0 : odp_header_score(schema, here.text, here.n, have == 0);
        if (odp_header_is_better(schema, points, found)) {
            found = points;
            *best = here;
            *best_row = row;
        }
        line += csv_count_lines(p, f.next);
        row++;
        off += f.next;
    }
    return ODP_OK;
}

static enum odp_status say_titles(struct csv_source *s, const struct row *header, const struct row *best,
                                  uint64_t row, struct odp_diags *diags)
{
    struct odp_diag d;
    char line_text[24], row_text[24];
    about_line(s, ODP_H08, header->line, header->source, &d);
    d.args[0] = (struct odp_slice){
        line_text, (size_t)snprintf(line_text, sizeof(line_text), "%llu", (unsigned long long)best->line)};
    d.args[1] = (struct odp_slice){
        row_text, (size_t)snprintf(row_text, sizeof(row_text), "%llu", (unsigned long long)row)};
    d.where = s->base.resource->where;
    d.action = ODP_ACTION_DELETE_LINES;
    d.lines = (uint32_t)(best->line - header->line);
    return csv_report(diags, &d);
}

/* Title rows are one fault, and what is below the header that was found has its own: on to that header, row
 * WANTED. DONE: it is not there. */
static enum odp_status skip_titles(struct csv_source *s, uint64_t wanted, struct row *header,
                                   struct odp_diag *held)
{
    *header = (struct row){0};
    while (s->row <= wanted) {
        struct csv_frame f;
        enum odp_status status = csv_next(s, NULL, &f);
        if (status != ODP_OK)
            return status;
        one_line(s, &f);
        if (s->row == wanted && take_row(s, &f, header, held) != ODP_OK)
            return ODP_FAIL;
        csv_advance(s, f.next);
    }
    return header->n > 0 ? ODP_OK : ODP_DONE;
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

static const char usual_delimiters[] = {';', ',', '\t', '|'};

static struct csv_rules rules_with(const struct csv_rules *rules, char delimiter)
{
    struct csv_rules other = *rules;
    other.kind[(unsigned char)rules->delimiter] = CSV_ORDINARY;
    other.kind[(unsigned char)delimiter] = CSV_DELIMITER;
    other.delimiter = delimiter;
    return other;
}

/* The same where the rows are parted by something else. */
static enum odp_status find_later_anyhow(struct csv_source *s, uint32_t have, uint64_t *row, struct row *best)
{
    if (find_later(s, &s->rules, have, row, best) != ODP_OK)
        return ODP_FAIL;
    for (size_t i = 0;
         i < sizeof(usual_delimiters) && *row == 0 && have == 0 && s->base.resource->schema.n > 1; i++) {
        const struct csv_rules rules = rules_with(&s->rules, usual_delimiters[i]);
        if (usual_delimiters[i] != s->rules.delimiter && find_later(s, &rules, 1, row, best) != ODP_OK)
            return ODP_FAIL;
    }
    return ODP_OK;
}

/* Another delimiter with which the row would be the header; 0 when there is none. */
static enum odp_status find_delimiter(struct csv_source *s, const struct row *header, char *out)
{
    const struct odp_schema *schema = &s->base.resource->schema;
    uint32_t n = odp_header_scored(schema);
    *out = 0;
    for (size_t i = 0; i < sizeof(usual_delimiters) && n > 1; i++) {
        const struct csv_rules rules = rules_with(&s->rules, usual_delimiters[i]);
        struct row row = {.line = header->line};
        if (rules.delimiter == s->rules.delimiter)
            continue;
        split_row(&rules, header->source, &s->arena, &row);
        uint32_t points = score(schema, &row);
        if (points > 1 && points * 2 >= n) {
            *out = rules.delimiter;
            return ODP_OK;
        }
    }
    return ODP_OK;
}

static enum odp_status say_delimiter(struct csv_source *s, const struct row *header, char delimiter,
                                     struct odp_diags *diags)
{
    struct odp_diag d;
    char seems[] = {'\'', delimiter, '\'', '\0'}, is[] = {'\'', s->rules.delimiter, '\'', '\0'};
    about_line(s, ODP_H09, header->line, header->source, &d);
    d.args[0] = s->rules.delimiter == '\t' ? ODP_LIT("'\\t'") : odp_slice_of(is);
    d.args[1] = delimiter == '\t' ? ODP_LIT("'\\t'") : odp_slice_of(seems);
    d.where = s->base.resource->where;
    return odp_diags_add(diags, &d);
}

/* The rows that follow have as many cells as the header, but for a few: it is known how they are parted. */
static enum odp_status rows_fit(struct csv_source *s, uint32_t cells, bool *fit)
{
    uint32_t rows = 0, misfits = 0;
    size_t off = 0;
    if (!s->text.eof && s->text.buf.len - s->text.pos < CSV_BLOCK && csv_fill(s, NULL) != ODP_OK)
        return ODP_FAIL;
    for (int i = 0; i < CSV_TITLE_ROWS; i++) {
        const char *p = s->text.buf.ptr + s->text.pos + off;
        size_t left = s->text.buf.len - s->text.pos - off;
        struct csv_frame f;
        if (left == 0)
            break;
        csv_frame_quoted(&s->rules, p, left, true, 0, 0, &f);
        off += f.next;
        if (f.fault != CSV_FINE)
            break;
        if (csv_is_blank(&s->rules, p, f.len))
            continue;
        rows++;
        misfits += f.cells != cells;
    }
    *fit = 4 * misfits <= rows;
    return ODP_OK;
}

/* The header is parted by DELIMITER, and that is said. Where it gives all labels and the rows are parted by
 * it, too, reading goes on with it; else (BAD) every row would be told of for the same cause. */
static enum odp_status go_on_with(struct csv_source *s, struct row *header, char delimiter,
                                  struct odp_diags *diags)
{
    const struct odp_schema *schema = &s->base.resource->schema;
    struct row row = {.line = header->line};
    enum odp_status status = say_delimiter(s, header, delimiter, diags);
    bool fit = false;
    if (status != ODP_BAD)
        return status;
    s->rules = rules_with(&s->rules, delimiter);
    if (split_row(&s->rules, header->source, &s->arena, &row) != ODP_OK || rows_fit(s, row.n, &fit) != ODP_OK)
        return ODP_FAIL;
    *header = row;
    return fit && row.n == schema->n && row.n <= ODP_HEADER_SCORED && score(schema, &row) == row.n ? ODP_OK
                                                                                                   : ODP_BAD;
}

/* The header is one quoted cell, and its text is a header: the file was saved as CSV twice. */
static enum odp_status find_quoted(struct csv_source *s, const struct row *header, bool *found)
{
    const struct odp_schema *schema = &s->base.resource->schema;
    struct row row = {.line = header->line};
    uint32_t n = odp_header_scored(schema);
    *found = false;
    if (header->n != 1 || n < 2 || header->source.len < 2 || s->rules.quote == 0 ||
        *header->source.ptr != s->rules.quote)
        return ODP_OK;
    split_row(&s->rules, header->text[0], &s->arena, &row);
    uint32_t points = score(schema, &row);
    *found = points > 1 && points * 2 >= n;
    return ODP_OK;
}

/* Is C's label a field's name? */
static bool is_field(const struct odp_schema *schema, const struct row *row, uint32_t c)
{
    for (uint32_t f = 0; f < schema->n && c < row->n; f++)
        if (odp_slice_is(odp_slice_trim(row->text[c]), schema->fields[f].source_name))
            return true;
    return false;
}

/* The labels stand on two rows: those that the first lacks are below it, where it has none of its own. */
static enum odp_status find_two_rows(struct csv_source *s, const struct row *header, uint64_t *second)
{
    const struct odp_schema *schema = &s->base.resource->schema;
    struct csv_frame f;
    struct row below = {.line = s->line};
    uint32_t above = 0, under = 0;
    *second = 0;
    enum odp_status status = csv_next(s, NULL, &f);
    if (status != ODP_OK)
        return status == ODP_FAIL ? ODP_FAIL : ODP_OK;
    if (f.fault != CSV_FINE || schema->n > ODP_HEADER_SCORED || header->n > 4 * ODP_HEADER_SCORED)
        return ODP_OK;
    split_row(&s->rules, (struct odp_slice){s->text.buf.ptr + s->text.pos, f.len}, &s->arena, &below);
    for (uint32_t c = 0; c < header->n || c < below.n; c++) {
        bool has = c < header->n && is_field(schema, header, c), has_below = is_field(schema, &below, c);
        if (has && has_below)
            return ODP_OK;
        above += has;
        under += has_below;
    }
    if (under >= 2 && above >= 1 && 3 * (above + under) >= 2 * schema->n)
        *second = s->line;
    return ODP_OK;
}

/* A fault of the header as a whole: H20, H21. BAD or FAIL. */
static enum odp_status say_header(struct csv_source *s, enum odp_code code, const struct row *header,
                                  uint64_t second, struct odp_diags *diags)
{
    struct odp_diag d;
    char names[256], lines[2][24];
    size_t n = 0;
    const struct odp_schema *schema = &s->base.resource->schema;
    about_line(s, code, header->line, header->source, &d);
    for (uint32_t f = 0; f < schema->n && code == ODP_H21; f++) {
        int more =
            snprintf(names + n, sizeof names - n, "%s%s", f > 0 ? ", " : "", schema->fields[f].source_name);
        if (more < 0 || (size_t)more + 8 >= sizeof names - n) {
            n += (size_t)snprintf(names + n, sizeof names - n, " …");
            break;
        }
        n += (size_t)more;
    }
    if (code == ODP_H21) {
        d.args[0] = (struct odp_slice){names, n};
        d.args[1] = (struct odp_slice){
            lines[0], (size_t)snprintf(lines[0], sizeof lines[0], "%llu", (unsigned long long)header->line)};
        d.args[2] = (struct odp_slice){
            lines[1], (size_t)snprintf(lines[1], sizeof lines[1], "%llu", (unsigned long long)second)};
    }
    d.where = s->base.resource->where;
    return odp_diags_add(diags, &d);
}

/* Labels on two rows, the second of which is the next: where they are all there, reading goes on with them.
 */
static enum odp_status join_two_rows(struct csv_source *s, struct row *header, uint64_t second,
                                     struct odp_diag *held, struct odp_diags *diags)
{
    const struct odp_schema *schema = &s->base.resource->schema;
    enum odp_status status = say_header(s, ODP_H21, header, second, diags);
    struct csv_frame f;
    struct row below = {0};
    if (status != ODP_BAD)
        return status;
    if (csv_next(s, NULL, &f) != ODP_OK || take_row(s, &f, &below, held) != ODP_OK)
        return ODP_FAIL;
    csv_advance(s, f.next);
    if (below.n != schema->n || header->n > below.n)
        return ODP_BAD;
    for (uint32_t c = 0; c < header->n; c++)
        if (!is_field(schema, &below, c))
            below.text[c] = header->text[c];
    *header = below;
    return score(schema, header) == schema->n ? ODP_OK : ODP_BAD;
}

/* Title rows: said, and on from the header that was found below them. */
static enum odp_status go_on_below(struct csv_source *s, struct row *header, const struct row *best,
                                   uint64_t row, struct odp_diag *held, struct odp_diags *diags)
{
    *held = (struct odp_diag){0}; /* a title that is no text goes with the title */
    if (say_titles(s, header, best, row, diags) != ODP_OK)
        return ODP_FAIL;
    if (s->base.resource->dialect.nheader_rows > 1) /* several rows of labels */
        return ODP_BAD;
    enum odp_status status = skip_titles(s, row, header, held);
    return status == ODP_DONE ? ODP_BAD : status;
}

/* What stands where the header should be is looked at: title rows, labels on two rows, another delimiter. OK:
 * HEADER is it. */
static enum odp_status settle(struct csv_source *s, struct row *header, struct odp_diag *held,
                              struct odp_diags *diags)
{
    const struct odp_resource *r = s->base.resource;
    uint32_t have = score(&r->schema, header), n = odp_header_scored(&r->schema);
    enum odp_status status = ODP_OK;
    struct row best = {0};
    uint64_t second = 0, row = 0;
    bool quoted = false;
    char delimiter = 0;
    if (have > 0 && have < n && r->dialect.nheader_rows < 2 && find_two_rows(s, header, &second) != ODP_OK)
        return ODP_FAIL;
    if (second != 0)
        return join_two_rows(s, header, second, held, diags);
    if (have == 0 && find_quoted(s, header, &quoted) != ODP_OK)
        return ODP_FAIL;
    if (quoted)
        return say_header(s, ODP_H20, header, 0, diags) == ODP_FAIL ? ODP_FAIL : ODP_BAD;
    if (have * 2 < n && find_later_anyhow(s, have, &row, &best) != ODP_OK)
        return ODP_FAIL;
    if (row != 0)
        status = go_on_below(s, header, &best, row, held, diags);
    /* One label may fit by chance: the first of a line in which every cell is quoted. */
    have = score(&r->schema, header);
    if (status != ODP_OK || have * 2 >= n)
        return status;
    /* Said already that it is no text; or it is a header, parted by something else: its quotes stand wrongly
     * only by our delimiter. */
    bool quotes = held->code == ODP_R05 || held->code == ODP_R06;
    if (held->file != NULL && !quotes)
        return ODP_BAD;
    if (find_delimiter(s, header, &delimiter) != ODP_OK)
        return ODP_FAIL;
    if (delimiter == 0)
        return held->file != NULL ? ODP_BAD : ODP_OK;
    *held = (struct odp_diag){0};
    return go_on_with(s, header, delimiter, diags);
}

enum odp_status csv_header_read(struct csv_source *s, struct odp_diags *diags)
{
    const struct odp_resource *r = s->base.resource;
    struct row header = {0};
    struct odp_diag d, held = {0};
    enum odp_status status = ODP_DONE;
    if (!r->dialect.header && r->schema.n > 0)
        return odp_header_take_schema(s->base.resource, &s->arena, &s->base.info);
    if (r->dialect.header)
        status = read_rows(s, &header, &held);
    if (status == ODP_FAIL)
        return status;
    if (status == ODP_DONE) {
        csv_file_diag(&d, ODP_H01, r, s->base.info.file);
        d.where = r->where;
        return csv_report(diags, &d) == ODP_OK ? ODP_BAD : ODP_FAIL;
    }
    status = settle(s, &header, &held, diags);
    if (status != ODP_FAIL && held.file != NULL && csv_report(diags, &held) != ODP_OK)
        return ODP_FAIL;
    if (status != ODP_OK)
        return status;
    s->header = header.source;
    return match(s, &header, diags);
}
