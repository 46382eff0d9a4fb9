/* The guilty place as it stands in the source: file and line, the line itself, and a mark under the cell.
 *
 * A source line wider than the terminal is cut around its mark; widths are terminal columns, never bytes. */
#include <stdio.h>

#include "base/utf8.h"
#include "report/report_internal.h"
#include "words/report.h"

static size_t digits_of(uint64_t n)
{
    size_t d = 1;
    for (; n >= 10; n /= 10)
        d++;
    return d;
}

size_t report_gutter(const struct odp_diag_group *g, unsigned examples)
{
    size_t widest = 2;
    unsigned i = 0;
    for (const struct odp_diag_node *e = g->examples; e != NULL && i < examples; e = e->next, i++) {
        size_t d = digits_of(e->diag.line);
        if (d > widest && e->diag.source.ptr != NULL)
            widest = d;
    }
    return widest;
}

/* "kumuh.xlsx   lembar Data, sel B17   baris data 16" */
static void place_cell(struct page *p, const struct odp_diag *d)
{
    char cell[32];
    page_text(p, page_say(p, W_report_sheet));
    report_clean(p->out, odp_slice_of(d->sheet));
    if (*odp_diag_cell(d, cell) != '\0') {
        page_text(p, page_say(p, W_report_cell));
        page_text(p, cell);
    } else if (d->line > 0) {
        page_text(p, page_say(p, W_report_row));
        page_number(p, d->line);
    }
    if (d->row > 0) {
        page_text(p, page_say(p, W_report_data_row));
        page_number(p, d->row);
    }
}

/* "┌─ kumuh.csv:1832   kolom Q (luas_ha)   baris data 1831"; "portal.json:12:5" of what is no table */
static void place_line(struct page *p, const struct odp_diag *d, size_t gutter)
{
    bool records = report_counts_records(d->file);
    page_spaces(p, gutter + 1);
    page_paint(p, PAINT_DIM, "┌─ ");
    report_clean(p->out, odp_slice_of(d->file));
    if (d->sheet != NULL) {
        place_cell(p, d);
    } else if (records && d->line > 0) {
        page_text(p, page_say(p, W_report_record));
        page_number(p, d->line);
    } else if (d->line > 0) {
        odp_buffer_printf(p->out, ":%llu", (unsigned long long)d->line);
        if (d->table_column > 0)
            page_text(p, "   ");
        else if (d->column > 0)
            odp_buffer_printf(p->out, ":%llu", (unsigned long long)d->column);
        report_column(p->out, d, p->lang);
        if (d->row > 0) {
            page_text(p, page_say(p, W_report_data_row));
            page_number(p, d->row);
        }
    }
    page_line(p);
}

static size_t width_between(const struct odp_buffer *b, size_t from, size_t to)
{
    return odp_utf8_width((struct odp_slice){b->ptr + from, to - from});
}

static size_t next(const struct odp_buffer *b, size_t i)
{
    for (i++; i < b->len && ((unsigned char)b->ptr[i] & 0xC0) == 0x80;)
        i++;
    return i;
}

/* The part of LINE of at most ROOM columns that shows the mark: from *FROM to *TO. */
static void crop(const struct odp_buffer *line, size_t mark, size_t mark_end, size_t room, size_t *from,
                 size_t *to)
{
    *from = 0;
    *to = line->len;
    if (width_between(line, 0, line->len) <= room)
        return;
    size_t marked = width_between(line, mark, mark_end), lead = marked < room ? (room - marked) / 2 : 0;
    while (*from < mark && width_between(line, *from, mark) > lead)
        *from = next(line, *from);
    *to = *from;
    while (*to < line->len && width_between(line, *from, next(line, *to)) <= room)
        *to = next(line, *to);
}

/* Codes whose value is a place on the earth. */
static bool is_place(enum odp_code code)
{
    return code == ODP_G03 || code == ODP_G04 || code == ODP_G05 || code == ODP_G20 || code == ODP_G21 ||
           code == ODP_G22 || code == ODP_G23 || code == ODP_G26;
}

static void found(struct page *p, const struct odp_diag *d)
{
    size_t start = p->out->len;
    if (is_place(d->code) && d->value.len > 0) {
        page_text(p, page_say(p, W_report_at));
        report_show(p->out, d->value, NULL, NULL);
        return;
    }
    page_text(p, page_say(p, W_report_found));
    if (d->value.len == 0) {
        p->out->len = p->out->failed ? p->out->len : start;
        page_text(p, page_say(p, W_report_empty));
        return;
    }
    report_show(p->out, d->value, NULL, NULL);
    page_text(p, "”");
}

static void bar(struct page *p, size_t gutter)
{
    page_spaces(p, gutter + 1);
    page_paint(p, PAINT_DIM, "│");
    page_text(p, " ");
}

/* The source line and, under it, the mark with what was found. */
static void source_line(struct page *p, const struct odp_diag *d, size_t gutter, enum paint paint)
{
    struct odp_buffer line, marks;
    size_t mark = d->mark_start, mark_end = mark + d->mark_len, from, to;
    char number[24];
    odp_buffer_init(&line);
    odp_buffer_init(&marks);
    report_show(&line, d->source, &mark, &mark_end);
    crop(&line, mark, mark_end, p->width > gutter + 25 ? p->width - gutter - 5 : 20, &from, &to);
    snprintf(number, sizeof number, "%llu", (unsigned long long)d->line);
    page_cell_right(p, odp_slice_of(d->line > 0 ? number : ""), gutter);
    page_text(p, " ");
    page_paint(p, PAINT_DIM, "│");
    page_text(p, from > 0 ? " …" : " ");
    odp_buffer_add(p->out, line.ptr + from, to - from);
    page_text(p, to < line.len ? "…" : "");
    page_line(p);
    bar(p, gutter);
    size_t end = mark_end < to ? mark_end : to, n = mark < end ? width_between(&line, mark, end) : 0;
    page_spaces(p, (from > 0 ? 1 : 0) +
                       (mark > from && mark <= line.len ? width_between(&line, from, mark) : 0));
    for (n = n > 0 ? n : 1; n > 0; n--)
        odp_buffer_add_char(&marks, '^');
    page_paint(p, paint, odp_buffer_cstr(&marks));
    if (d->value.ptr != NULL) {
        page_text(p, " ");
        found(p, d);
    }
    page_line(p);
    if (line.failed || marks.failed)
        p->out->failed = true;
    odp_buffer_release(&line);
    odp_buffer_release(&marks);
}

void page_snippet(struct page *p, const struct odp_diag *d, size_t gutter, enum paint paint)
{
    if (d->file != NULL)
        place_line(p, d, gutter);
    if (d->source.ptr != NULL && d->source.len > 0) {
        source_line(p, d, gutter, paint);
    } else if (d->value.ptr != NULL) {
        bar(p, gutter);
        found(p, d);
        page_line(p);
    }
}
