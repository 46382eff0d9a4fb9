/* Turns edits of a CSV file into patches. The source of the check opens and frames the file, so row N is row
 * N; the same cursor finds cells in a record. A broken record (a quote that never ends) has no cells to
 * edit.
 *
 * Encodings with states (ISO-2022, UTF-7, HZ) are refused: the bytes of a cell depend on what comes before
 * it. New line ends are like the file's first. */
#include <stdlib.h>

#include "base/utf8.h"
#include "read/source.h"
#include "repair/rewrite/csv_cell.h"
#include "repair/rewrite/csv_internal.h"

enum { SHOWN_LINES = 4096 }; /* bytes shown of deleted lines */

/* ---- the file before its records ---- */

static enum odp_status refuse_encoding(struct csv_plan *c)
{
    struct odp_diag d = {.code = ODP_A03, .args = {odp_slice_of(c->p->encoding)}};
    odp_plan_refuse(c->p, NULL, &d);
    return c->p->failed ? ODP_FAIL : ODP_BAD;
}

/* Encoding, byte order mark and the first line end. */
static enum odp_status probe(struct csv_plan *c)
{
    struct csv_text *t = c->text;
    size_t len, next;
    enum odp_status status = csv_text_open(t, c->r, c->p->how->path, c->p->how->file, c->own);
    if (status != ODP_OK)
        return status;
    c->p->encoding = NULL;
    if (!t->utf8) {
        c->p->encoding = odp_arena_str(c->p->arena, t->encoding);
        c->p->unit = t->unit;
        c->p->skip = t->bom;
        if (odp_encoding_has_states(t->encoding))
            return refuse_encoding(c);
    }
    if (csv_frame_line(t->buf.ptr, t->buf.len, t->eof, &len, &next) && next > len)
        memcpy(c->eol, t->buf.ptr + len, next - len);
    else
        c->eol[0] = '\n';
    return odp_encoder_open(&c->encoder, c->p->encoding);
}

/* The physical line here: *LEN without its end, *NEXT with it. DONE: none. */
static enum odp_status line_here(struct csv_text *t, size_t *len, size_t *next)
{
    for (;;) {
        size_t n = t->buf.len - t->pos;
        if (n > 0 && csv_frame_line(t->buf.ptr + t->pos, n, t->eof, len, next))
            return ODP_OK;
        if (t->eof)
            return ODP_DONE;
        if (csv_text_fill(t) != ODP_OK)
            return ODP_FAIL;
    }
}

/* ---- lines and labels ---- */

/* Deletes N lines from here on. */
static enum odp_status plan_lines(struct csv_plan *c, const struct edit *e, uint64_t *line)
{
    struct csv_text *t = c->text;
    struct patch patch = {.kind = ODP_EDIT_LINES, .start = t->base + t->pos, .line = e->at};
    size_t len, next;
    enum odp_status status = ODP_OK;
    odp_buffer_clear(&c->cell);
    for (uint32_t i = 0; i < e->place && (status = line_here(t, &len, &next)) == ODP_OK; i++) {
        if (c->cell.len < SHOWN_LINES)
            odp_buffer_add(&c->cell, t->buf.ptr + t->pos, next < SHOWN_LINES ? next : SHOWN_LINES);
        t->pos += next;
        ++*line;
        patch.count++;
    }
    if (status == ODP_FAIL)
        return ODP_FAIL;
    patch.end = t->base + t->pos;
    struct odp_slice before = odp_buffer_slice(&c->cell);
    before.len = odp_utf8_valid(before);
    csv_plan_patch(c, e, &patch, ODP_LIT(""), before, ODP_LIT(""));
    return csv_plan_status(c);
}

/* Frames the header record here, whole in the window. */
static enum odp_status header_here(struct csv_plan *c, struct csv_frame *f)
{
    struct csv_text *t = c->text;
    for (;;) {
        struct csv_piece text = {.p = t->buf.ptr + t->pos, .n = t->buf.len - t->pos, .eof = t->eof};
        csv_frame_quoted(&c->rules, &text, f);
        if (f->fault != CSV_MORE)
            break;
        if (csv_text_fill(t) != ODP_OK)
            return ODP_FAIL;
    }
    if (f->fault != CSV_FINE)
        (void)csv_frame_line(t->buf.ptr + t->pos, t->buf.len - t->pos, true, &f->len, &f->next);
    return ODP_OK;
}

static enum odp_status plan_label(struct csv_plan *c, const struct edit *e)
{
    struct csv_frame f;
    struct csv_raw raw;
    if (header_here(c, &f) != ODP_OK)
        return ODP_FAIL;
    struct csv_text *t = c->text;
    const char *p = t->buf.ptr + t->pos;
    struct csv_cursor cursor = {.rules = &c->rules, .p = p, .n = f.len};
    size_t column = 1, at = 0;
    for (bool first = true; csv_cursor_next(&cursor, &raw); first = false) {
        column += odp_utf8_count((struct odp_slice){p + at, raw.pos - at});
        at = raw.pos;
        if (column != e->place)
            continue;
        struct odp_slice before = odp_cell_text(&c->rules, p, &raw, &c->cell);
        struct patch patch = {.kind = ODP_EDIT_LABEL, .start = t->base + t->pos + raw.pos, .line = e->at};
        patch.end = t->base + t->pos + raw.start + raw.len + raw.quoted;
        odp_buffer_clear(&c->written);
        if (odp_slice_eq(before, e->text))
            return ODP_OK;
        if (odp_cell_write(&c->rules, e->text, raw.quoted, first, &c->written))
            csv_plan_patch(c, e, &patch, odp_buffer_slice(&c->written), before, e->text);
        else
            csv_plan_misfit(c, e, ODP_A05, e->at, NULL, e->text);
        return csv_plan_status(c);
    }
    csv_plan_misfit(c, e, ODP_A02, e->at, NULL, e->text);
    return csv_plan_status(c);
}

static int by_line(const void *x, const void *y)
{
    const struct edit *a = *(const struct edit *const *)x, *b = *(const struct edit *const *)y;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    if (a->what != b->what) /* labels first: their lines may be deleted all the same */
        return a->what == EDIT_LABEL ? -1 : 1;
    return a->place != b->place ? (a->place < b->place ? -1 : 1) : (a->seq > b->seq) - (a->seq < b->seq);
}

static enum odp_status plan_line_edits(struct csv_plan *c, const struct edit **list, size_t n)
{
    struct csv_text *t = c->text;
    uint64_t line = 1;
    enum odp_status status = ODP_OK;
    qsort(list, n, sizeof *list, by_line);
    for (size_t i = 0; i < n && status == ODP_OK; i++) {
        const struct edit *e = list[i];
        size_t len, next;
        if (i + 1 < n && e->what == EDIT_LABEL && list[i + 1]->what == EDIT_LABEL &&
            list[i + 1]->at == e->at && list[i + 1]->place == e->place)
            continue; /* the last one counts */
        while (line < e->at && (status = line_here(t, &len, &next)) == ODP_OK) {
            t->pos += next;
            line++;
        }
        if (status == ODP_OK && line > e->at)
            continue; /* within deleted lines */
        if (status == ODP_OK)
            status = line_here(t, &len, &next);
        if (status == ODP_DONE || e->at == 0) {
            csv_plan_misfit(c, e, ODP_A02, e->at, NULL, e->text);
            status = csv_plan_status(c);
        } else if (status == ODP_OK) {
            status = e->what == EDIT_LINES ? plan_lines(c, e, &line) : plan_label(c, e);
        }
    }
    return status;
}

/* ---- all of it ---- */

/* Finds the end of the text, and whether its last line has no end. */
/* Passes on why the reader cannot read the source. */
static enum odp_status pass_on_faults(struct csv_plan *c)
{
    return odp_diags_merge(c->p->diags, c->own) == ODP_FAIL ? ODP_FAIL : ODP_BAD;
}

/* How the source's cells are separated: as its reader found (a clear header may decide, ODP-H09), else as
 * the descriptor says. */
static enum odp_status read_rules(struct csv_plan *c)
{
    struct odp_source *source = NULL;
    struct odp_diags *ignored = NULL;
    csv_rules_init(&c->rules, &c->r->dialect, csv_is_tabs(c->r));
    if (odp_diags_new(&ignored, 0) != ODP_OK)
        return ODP_FAIL;
    enum odp_status status = odp_source_open(&source, c->r, c->p->how->path, c->p->how->file, 1, ignored);
    if (status == ODP_OK)
        c->rules = ((const struct csv_source *)(const void *)source)->rules;
    odp_source_close(source);
    odp_diags_free(ignored);
    return status == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

static enum odp_status plan(struct csv_plan *c)
{
    const struct odp_edits *e = c->p->edits;
    size_t nlines = 0;
    enum odp_status status = probe(c);
    if (status != ODP_OK)
        return status == ODP_BAD && !c->p->misfit ? pass_on_faults(c) : status;
    const struct edit **lines = odp_arena_array(c->p->arena, e->n + 1, sizeof(const struct edit *));
    bool labels = false;
    for (size_t i = 0; i < e->n; i++)
        if (e->edits[i].what == EDIT_LINES || e->edits[i].what == EDIT_LABEL) {
            lines[nlines++] = &e->edits[i];
            labels = labels || e->edits[i].what == EDIT_LABEL;
        }
    if (labels)
        status = read_rules(c);
    if (status == ODP_OK)
        status = plan_line_edits(c, lines, nlines);
    if (status != ODP_OK)
        return status;
    status = csv_plan_records(c, e->n - nlines);
    if (status == ODP_BAD) /* lines and labels may be the very reason that it cannot be read */
        return e->n > nlines ? pass_on_faults(c) : ODP_OK;
    return status;
}

enum odp_status odp_plan_csv(struct plan *p)
{
    struct csv_plan *c = calloc(1, sizeof *c);
    if (c == NULL || (c->text = calloc(1, sizeof *c->text)) == NULL || odp_diags_new(&c->own, 20) != ODP_OK) {
        if (c != NULL)
            free(c->text);
        free(c);
        return odp_failure_memory();
    }
    c->p = p;
    c->r = p->edits->resource;
    p->target = p->how->path;
    p->before = odp_file_state_of(p->target);
    enum odp_status status = plan(c);
    odp_encoder_close(&c->encoder);
    csv_text_close(c->text);
    free(c->text);
    odp_diags_free(c->own);
    odp_buffer_release(&c->cell);
    odp_buffer_release(&c->written);
    odp_buffer_release(&c->encoded);
    odp_buffer_release(&c->last);
    odp_proof_release(&c->proof);
    free(c);
    return status;
}
