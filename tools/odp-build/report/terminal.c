/* Text for a terminal: colours, columns, counted lines; the place in the source: file and line, the line
 * itself, a mark under the cell.
 *
 * A source line wider than the terminal is cut around its mark; widths are terminal columns, never bytes. */
#include <stdio.h>

#include "base/utf8.h"
#include "report/report_internal.h"
#include "words/report.h"

/* ---- the pen ---- */

void page_paint(struct report_job *j, enum paint paint, const char *s)
{
    static const char *const codes[] = {
        [PAINT_NONE] = "",           [PAINT_ERROR] = "\033[1;31m", [PAINT_WARNING] = "\033[1;33m",
        [PAINT_NOTE] = "\033[1;36m", [PAINT_DIM] = "\033[2m",      [PAINT_BOLD] = "\033[1m",
        [PAINT_HELP] = "\033[32m"};
    bool on = j->color && paint != PAINT_NONE && *s != '\0';
    report_str(j, on ? codes[paint] : "");
    report_str(j, s);
    report_str(j, on ? "\033[0m" : "");
}

enum paint page_severity_paint(enum odp_severity s)
{
    static const enum paint paints[] = {[ODP_SEVERITY_OFF] = PAINT_NOTE,
                                        [ODP_SEVERITY_NOTE] = PAINT_NOTE,
                                        [ODP_SEVERITY_WARNING] = PAINT_WARNING,
                                        [ODP_SEVERITY_ERROR] = PAINT_ERROR};
    return paints[s];
}

void page_line(struct report_job *j)
{
    while (!j->out->failed && j->out->len > 0 && j->out->ptr[j->out->len - 1] == ' ')
        j->out->len--;
    odp_buffer_add_char(j->out, '\n');
    j->lines++;
}

void page_spaces(struct report_job *j, size_t n)
{
    while (n-- > 0)
        odp_buffer_add_char(j->out, ' ');
}

static size_t gap(const char *s, size_t width)
{
    size_t used = odp_utf8_width(odp_slice_of(s));
    return used < width ? width - used : 0;
}

void page_cell(struct report_job *j, const char *s, size_t width)
{
    report_str(j, s);
    page_spaces(j, gap(s, width));
}

void page_cell_right(struct report_job *j, const char *s, size_t width)
{
    page_spaces(j, gap(s, width));
    report_str(j, s);
}

/* ---- the place ---- */

size_t page_gutter(const struct odp_diag_group *g, unsigned examples)
{
    size_t widest = 2;
    unsigned i = 0;
    for (const struct odp_diag_node *e = g->examples; e != NULL && i < examples; e = e->next, i++) {
        size_t digits = (size_t)snprintf(NULL, 0, "%llu", (unsigned long long)e->diag.line);
        if (digits > widest && e->diag.source.ptr != NULL)
            widest = digits;
    }
    return widest;
}

static void data_row(struct report_job *j, const struct odp_diag *d)
{
    if (d->row == 0)
        return;
    report_say(j, W_report_data_row);
    report_number(j, d->row);
}

/* "kumuh.xlsx   lembar Data, sel B17   baris data 16" */
static void place_cell(struct report_job *j, const struct odp_diag *d)
{
    char cell[32];
    report_say(j, W_report_sheet);
    report_clean(j->out, odp_slice_of(d->sheet));
    if (*odp_diag_cell(d, cell) != '\0') {
        report_say(j, W_report_cell);
        report_str(j, cell);
    } else if (d->line > 0) {
        report_say(j, W_report_row);
        report_number(j, d->line);
    }
    data_row(j, d);
}

void page_at(struct report_job *j, const struct odp_diag *d)
{
    report_clean(j->out, odp_slice_of(d->file));
    if (d->sheet != NULL) {
        place_cell(j, d);
    } else if (d->line > 0 && report_counts_records(d->file)) {
        report_say(j, W_report_record);
        report_number(j, d->line);
    } else if (d->line > 0) {
        odp_buffer_printf(j->out, ":%llu", (unsigned long long)d->line);
        if (d->table_column > 0)
            report_str(j, "   ");
        else if (d->column > 0)
            odp_buffer_printf(j->out, ":%llu", (unsigned long long)d->column);
        report_column(j->out, d, j->lang);
        data_row(j, d);
    }
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
static void crop(const struct odp_buffer *line, const size_t mark[2], size_t room, size_t *from, size_t *to)
{
    *from = 0;
    *to = line->len;
    if (width_between(line, 0, line->len) <= room)
        return;
    size_t marked = width_between(line, mark[0], mark[1]), lead = marked < room ? (room - marked) / 2 : 0;
    while (*from < mark[0] && width_between(line, *from, mark[0]) > lead)
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

/* Equal cells: where they are is told beside the first one. */
static bool is_several(const struct report_finding *f)
{
    return !f->whole && f->count > 1;
}

/* What was found and, of equal cells, where: "ditemukan “, ” di 24 baris: 3-5, 9, …" */
static void found(struct report_job *j, const struct report_finding *f)
{
    const struct odp_diag *d = f->d;
    bool place = is_place(d->code);
    if (d->value.len == 0) {
        report_say(j, W_report_empty);
    } else {
        report_str(j, place ? report_word(j, W_report_at) : report_word(j, W_report_found));
        report_show(j->out, d->value, NULL);
        report_str(j, place ? "" : "”");
    }
    if (is_several(f))
        report_add_places_listed(j, f);
}

static void bar(struct report_job *j)
{
    page_paint(j, PAINT_DIM, "│");
    report_str(j, " ");
}

/* The source line and, under it, the mark with the value. */
static void source_line(struct report_job *j, const struct report_finding *f, size_t gutter, enum paint paint)
{
    const struct odp_diag *d = f->d;
    struct odp_buffer line = {0};
    size_t mark[2] = {d->mark_start, d->mark_start + d->mark_len}, from, to;
    char number[24] = "";
    report_show(&line, d->source, mark);
    crop(&line, mark, j->width > gutter + 25 ? j->width - gutter - 5 : 20, &from, &to);
    if (d->line > 0)
        snprintf(number, sizeof number, "%llu", (unsigned long long)d->line);
    page_cell_right(j, number, gutter);
    report_str(j, " ");
    page_paint(j, PAINT_DIM, "│");
    report_str(j, from > 0 ? " …" : " ");
    odp_buffer_add(j->out, line.ptr + from, to - from);
    report_str(j, to < line.len ? "…" : "");
    page_line(j);
    page_spaces(j, gutter + 1);
    bar(j);
    size_t end = mark[1] < to ? mark[1] : to, n = mark[0] < end ? width_between(&line, mark[0], end) : 0;
    page_spaces(j, (from > 0 ? 1 : 0) +
                       (mark[0] > from && mark[0] <= line.len ? width_between(&line, from, mark[0]) : 0));
    char *marks = odp_arena_zero(&j->arena, n + 2, 1);
    memset(marks, '^', n > 0 ? n : 1);
    page_paint(j, paint, marks);
    if (d->value.ptr != NULL) {
        report_str(j, " ");
        found(j, f);
    } else if (is_several(f)) {
        report_add_places_listed(j, f);
    }
    page_line(j);
    j->failed = j->failed || line.failed;
    odp_buffer_release(&line);
}

void page_snippet(struct report_job *j, const struct report_finding *f, size_t gutter, enum paint paint)
{
    const struct odp_diag *d = f->d;
    if (d->file != NULL) {
        page_spaces(j, gutter + 1);
        page_paint(j, PAINT_DIM, "┌─ ");
        page_at(j, d);
        page_line(j);
    }
    if (d->source.ptr != NULL && d->source.len > 0) {
        source_line(j, f, gutter, paint);
    } else if (d->value.ptr != NULL) {
        page_spaces(j, gutter + 1);
        bar(j);
        found(j, f);
        page_line(j);
    } else if (is_several(f)) {
        page_spaces(j, gutter + 1);
        page_paint(j, PAINT_DIM, "│");
        report_add_places_listed(j, f);
        page_line(j);
    }
}
