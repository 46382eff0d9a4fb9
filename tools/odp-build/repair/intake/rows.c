/* Rows of a CSV file, whatever is in them: titles, comments, blank rows, broken quotes. */
#include <stdlib.h>

#include "base/room.h"
#include "repair/intake/intake_internal.h"
#include "repair/rewrite/csv_cell.h"

enum { LONGEST = 8 * 1024 * 1024 }; /* bytes of a record: more, and its quotes are broken */

enum odp_status rows_open(struct rows *r, const struct odp_resource *how, const char *path, const char *file,
                          struct odp_diags *diags)
{
    memset(r, 0, sizeof *r);
    r->line = 1;
    csv_rules_init(&r->rules, &how->dialect, false);
    return csv_text_open(&r->text, how, path, file, diags);
}

void rows_close(struct rows *r)
{
    csv_text_close(&r->text);
    odp_buffer_release(&r->room);
    free(r->cells);
    memset(r, 0, sizeof *r);
}

/* The physical line in the window, which grows until it is whole. */
static enum odp_status line_here(struct csv_text *t, struct csv_frame *f)
{
    while (!csv_frame_line(t->buf.ptr + t->pos, t->buf.len - t->pos, t->eof, &f->len, &f->next))
        if (csv_text_fill(t) != ODP_OK)
            return ODP_FAIL;
    return ODP_OK;
}

/* Characters that were not decoded, before the end of this row. */
static void count_lost(struct rows *r, size_t next)
{
    struct csv_text *t = &r->text;
    while (t->nbad > 0 && csv_text_bad(t, t->base + t->pos, t->base + t->pos + next) != NULL)
        r->lost++;
}

enum odp_status rows_next(struct rows *r, struct row *out)
{
    struct csv_text *t = &r->text;
    struct csv_frame f = {0};
    t->pos += r->advance;
    r->advance = 0;
    for (;;) {
        size_t n = t->buf.len - t->pos;
        if (n == 0 && t->eof)
            return ODP_DONE;
        csv_frame_quoted(&r->rules, &(struct csv_piece){.p = t->buf.ptr + t->pos, .n = n, .eof = t->eof}, &f);
        if (n > 0 && (f.fault != CSV_MORE || n > LONGEST))
            break;
        if (csv_text_fill(t) != ODP_OK)
            return ODP_FAIL;
    }
    bool broken = f.fault != CSV_FINE;
    if (broken && line_here(t, &f) != ODP_OK)
        return ODP_FAIL;
    const char *p = t->buf.ptr + t->pos;
    *out = (struct row){.source = {p, f.len},
                        .end = {p + f.len, f.next - f.len},
                        .line = r->line,
                        .broken = broken,
                        .comment = r->rules.comment != '\0' && f.len > 0 && *p == r->rules.comment,
                        .blank = csv_is_blank(&r->rules, p, f.len)};
    count_lost(r, f.next);
    r->line += csv_count_lines(p, f.next);
    r->advance = f.next;
    return ODP_OK;
}

static struct odp_slice cell_text(struct rows *r, const char *p, const struct csv_raw *raw)
{
    struct odp_slice text = {p + raw->start, raw->len};
    if (!raw->escaped)
        return text;
    char *out = odp_buffer_reserve(&r->room, raw->len + 1);
    if (out == NULL)
        return text;
    text.len = csv_unescape(&r->rules, text.ptr, raw->len, raw->quoted, out);
    text.ptr = out;
    r->room.len += text.len;
    return text;
}

/* In one buffer for all cells, which therefore never moves. */
enum odp_status rows_split(struct rows *r, struct row *row)
{
    struct csv_cursor cursor = {.rules = &r->rules, .p = row->source.ptr, .n = row->source.len};
    struct csv_raw raw;
    size_t n = 0;
    odp_buffer_clear(&r->room);
    if (odp_buffer_reserve(&r->room, row->source.len + 1) == NULL)
        return ODP_FAIL;
    while (csv_cursor_next(&cursor, &raw)) {
        if (!odp_room(r->cells, n, r->cap_cells))
            return ODP_FAIL;
        struct cell *c = &r->cells[n++];
        size_t end = raw.start + raw.len + raw.quoted;
        *c = (struct cell){.text = cell_text(r, row->source.ptr, &raw), .quoted = raw.quoted};
        c->raw = (struct odp_slice){row->source.ptr + raw.pos, end - raw.pos};
        if (r->native && c->text.len > 0 && *c->text.ptr >= NATIVE_NUMBER && *c->text.ptr <= NATIVE_PERCENT) {
            c->percent = *c->text.ptr == NATIVE_PERCENT;
            c->native = c->percent ? NATIVE_NUMBER : (enum native) * c->text.ptr;
            c->text = (struct odp_slice){c->text.ptr + 1, c->text.len - 1};
        }
    }
    row->cells = r->cells;
    row->n = (uint32_t)n;
    return odp_buffer_status(&r->room);
}
