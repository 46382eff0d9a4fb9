/* From the top of the sheet to the first data row: header rows by their number, and a word about title rows
 * when the header is not where it should be. */
#include <stdio.h>

#include "base/utf8.h"
#include "read/header.h"
#include "read/xlsx/xlsx_internal.h"

enum { LABELS_MAX = 1024 * 1024 /* bytes of a row that is looked at as a header */ };

/* Labels by column of the sheet. */
struct labels {
    struct odp_slice *text;
    uint32_t n;
    uint32_t row;
};

static bool is_comment(const struct xlsx_source *s, const struct odp_sheet_row *row)
{
    const struct odp_dialect *d = s->dialect;
    if (d->comment != '\0' && row->n > 0 && row->cells[0].text.len > 0 &&
        row->cells[0].text.ptr[0] == d->comment)
        return true;
    for (size_t i = 0; i < d->ncomment_rows; i++)
        if (d->comment_rows[i] == row->row)
            return true;
    return false;
}

static bool has_value(const struct odp_sheet_row *row)
{
    for (uint32_t i = 0; i < row->n; i++)
        if (row->cells[i].kind != ODP_CELL_EMPTY || !row->cells[i].merged)
            return true;
    return false;
}

enum odp_status xlsx_next(struct xlsx_source *s, struct odp_diags *diags)
{
    struct odp_workbook_fault fault;
    for (;;) {
        enum odp_status status = odp_sheet_next(s->sheet, &s->next, &fault);
        if (status == ODP_BAD)
            return xlsx_say_fault(s, &fault, diags);
        if (status != ODP_OK)
            return status;
        if (is_comment(s, &s->next))
            s->last_row = s->next.row;
        else if (has_value(&s->next))
            return ODP_OK;
    }
}

/* A row's texts. SPREAD: a label above several columns counts for each. */
static void take(struct xlsx_source *s, bool spread, struct labels *out)
{
    const struct odp_sheet_row *row = &s->next;
    uint32_t n = row->n > 0 ? row->cells[row->n - 1].column + 1 : 0;
    *out = (struct labels){
        .n = n, .row = row->row, .text = odp_arena_zero(&s->arena, (size_t)n + 1, sizeof(*out->text))};
    size_t total = 0;
    for (uint32_t i = 0; i < row->n; i++) {
        const struct odp_sheet_cell *c = &row->cells[i];
        char buf[80];
        struct odp_slice text = odp_xlsx_shown(c, buf);
        if (c->kind == ODP_CELL_EMPTY && spread && c->merge_row == row->row && c->merge_column < c->column)
            text = out->text[c->merge_column];
        total += text.len;
        if (text.len == 0 || total > LABELS_MAX)
            continue;
        out->text[c->column] = odp_arena_copy(&s->arena, text);
    }
}

/* The header rows by number; row 1, the default, is the first that holds anything. DONE: the sheet ends
 * before. */
static enum odp_status read_rows(struct xlsx_source *s, struct labels *header, struct odp_diags *diags)
{
    static const uint32_t first_row = 1;
    const struct odp_dialect *d = s->dialect;
    const uint32_t *rows = d->nheader_rows > 0 ? d->header_rows : &first_row;
    size_t n = d->nheader_rows > 0 ? d->nheader_rows : 1, next = 0;
    bool first = n == 1 && rows[0] == 1;
    while (next < n) {
        struct labels here;
        enum odp_status status = xlsx_next(s, diags);
        if (status != ODP_OK)
            return status == ODP_DONE && header->n > 0 ? ODP_OK : status;
        while (!first && next < n && rows[next] < s->next.row)
            next++; /* a header row that is blank, or a comment */
        if (next == n)
            return header->n > 0 ? ODP_OK : ODP_DONE;
        if (!first && rows[next] != s->next.row)
            continue;
        take(s, next + 1 < n, &here);
        if (header->n > 0) {
            here.text =
                odp_header_join(&s->arena, header->text, header->n, here.text, here.n, d->header_join);
            here.n = here.n > header->n ? here.n : header->n;
        }
        *header = here;
        next++;
        s->last_row = s->next.row;
        s->next.row = 0;
    }
    return ODP_OK;
}

static uint32_t score(const struct odp_schema *schema, const struct labels *l)
{
    return odp_header_score(schema, l->text, l->n, false);
}

/* A sheet is read forward only: back to its start, and on to the row behind the header. */
static enum odp_status rewind_to(struct xlsx_source *s, uint32_t row, struct odp_diags *diags)
{
    struct odp_workbook_fault fault;
    odp_sheet_close(s->sheet);
    s->sheet = NULL;
    s->next = (struct odp_sheet_row){0};
    enum odp_status status = odp_sheet_open(&s->sheet, s->book, s->number, &fault);
    if (status == ODP_BAD)
        return xlsx_say_fault(s, &fault, diags);
    while (status == ODP_OK && s->next.row <= row)
        status = xlsx_next(s, diags);
    s->last_row = row;
    if (status == ODP_DONE)
        s->ended = true;
    return status == ODP_DONE ? ODP_OK : status;
}

/* Whether a later row is the header; *BEST: its number. */
static enum odp_status find_later(struct xlsx_source *s, uint32_t have, uint32_t *best,
                                  struct odp_diags *diags)
{
    const struct odp_schema *schema = &s->base.resource->schema;
    uint32_t found = have, header = s->last_row;
    enum odp_status status = s->next.row == 0 ? xlsx_next(s, diags) : ODP_OK;
    *best = 0;
    for (int i = 0; i < XLSX_TITLE_ROWS && status == ODP_OK; i++) {
        struct labels here;
        take(s, false, &here);
        uint32_t points = score(schema, &here);
        if (odp_header_is_better(schema, points, found)) {
            found = points;
            *best = here.row;
        }
        status = xlsx_next(s, diags);
    }
    if (status != ODP_OK && status != ODP_DONE)
        return status;
    return *best != 0 ? ODP_OK : rewind_to(s, header, diags);
}

/* The labels as one line, and where each begins in it. */
static struct odp_slice write_line(struct xlsx_source *s, const struct odp_slice *text, uint32_t n,
                                   uint32_t *pos)
{
    size_t len = 1, at = 0;
    for (uint32_t i = 0; i < n; i++)
        len += text[i].len + 3;
    char *p = odp_arena_alloc(&s->arena, len);
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0) {
            memcpy(p + at, " | ", 3);
            at += 3;
        }
        if (pos != NULL)
            pos[i] = (uint32_t)at;
        for (size_t k = 0; k < text[i].len; k++)
            p[at++] = text[i].ptr[k] == '\n' || text[i].ptr[k] == '\r' ? ' ' : text[i].ptr[k];
    }
    return (struct odp_slice){p, at};
}

static void say_titles(struct xlsx_source *s, const struct labels *header, uint32_t best,
                       struct odp_diags *diags)
{
    struct odp_diag d;
    char row[24];
    xlsx_file_diag(s, ODP_H08, &d);
    d.sheet = s->name;
    d.line = header->row;
    d.column = 1;
    d.source = write_line(s, header->text, header->n, NULL);
    d.mark_len = (uint32_t)d.source.len;
    d.args[0] = (struct odp_slice){row, (size_t)snprintf(row, sizeof(row), "%u", best)};
    d.args[1] = d.args[0];
    d.action = ODP_ACTION_DELETE_LINES;
    d.lines = best - header->row;
    odp_diags_add(diags, &d);
}

/* Title rows are one fault, and what is below the header that was found has its own: on from that header, row
 * WANTED. */
static enum odp_status skip_titles(struct xlsx_source *s, uint32_t wanted, struct labels *header,
                                   struct odp_diags *diags)
{
    enum odp_status status = rewind_to(s, wanted - 1, diags);
    if (status != ODP_OK)
        return status;
    if (s->next.row != wanted)
        return ODP_BAD;
    take(s, false, header);
    s->last_row = s->next.row;
    s->next.row = 0;
    return ODP_OK;
}

static enum odp_status match(struct xlsx_source *s, const struct labels *l, struct odp_diags *diags)
{
    uint32_t first = 0, end = l->n;
    while (first < end && odp_slice_trim(l->text[first]).len == 0)
        first++;
    while (end > first && odp_slice_trim(l->text[end - 1]).len == 0)
        end--;
    struct odp_header h = {.labels = l->text + first, .n = end - first, .line = l->row, .sheet = s->name};
    h.columns = odp_arena_array(&s->arena, (size_t)h.n + 1, sizeof(*h.columns));
    h.pos = odp_arena_array(&s->arena, (size_t)h.n + 1, sizeof(*h.pos));
    h.source = write_line(s, h.labels, h.n, h.pos);
    for (uint32_t i = 0; i < h.n; i++)
        h.columns[i] = first + i + 1;
    s->first = first;
    s->header = h.source;
    s->base.info.labels = h.labels;
    s->base.info.ncolumns = h.n;
    return odp_header_match(s->base.resource, s->base.info.file, &h, &s->arena, &s->base.info, diags);
}

enum odp_status xlsx_header_read(struct xlsx_source *s, struct odp_diags *diags)
{
    const struct odp_resource *r = s->base.resource;
    struct labels header = {0};
    struct odp_diag d;
    uint32_t best = 0;
    enum odp_status status = ODP_DONE;
    if (!s->dialect->header && r->schema.n > 0) {
        odp_header_take_schema(s->base.resource, &s->arena, &s->base.info);
        return ODP_OK;
    }
    if (s->dialect->header)
        status = read_rows(s, &header, diags);
    if (status == ODP_FAIL || status == ODP_BAD)
        return status;
    if (status == ODP_DONE) {
        xlsx_file_diag(s, ODP_H01, &d);
        d.sheet = s->name;
        odp_diags_add(diags, &d);
        return ODP_BAD;
    }
    uint32_t have = score(&r->schema, &header), n = odp_header_scored(&r->schema);
    if (have * 2 < n) {
        status = find_later(s, have, &best, diags);
        if (status != ODP_OK)
            return status;
        if (best != 0) {
            say_titles(s, &header, best, diags);
            status = skip_titles(s, best, &header, diags);
            if (status != ODP_OK)
                return status;
        }
    }
    return match(s, &header, diags);
}
