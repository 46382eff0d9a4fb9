/* A source as CSV, as its descriptor says; under another name until it is whole. */
#include <stdio.h>

#include "sample.h"

enum { FLUSH = 1 << 16 };

struct csv {
    struct sample_context *c;
    const struct sample_table *t;
    struct odp_buffer out, cell, coded;
    uint64_t line; /* the next physical line */
};

static void end_line(struct csv *w)
{
    odp_buffer_add_str(&w->out, w->t->crlf ? "\r\n" : "\n");
    w->line++;
}

static void put_cell(struct csv *w, struct odp_slice s, bool quote)
{
    const char special[] = {w->t->delimiter, '"', '\r', '\n', '\0'};
    for (size_t i = 0; i < s.len && !quote; i++)
        quote = s.ptr[i] != '\0' && strchr(special, s.ptr[i]) != NULL;
    if (!quote) {
        odp_buffer_add_slice(&w->out, s);
        return;
    }
    odp_buffer_add_char(&w->out, '"');
    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] == '"')
            odp_buffer_add_char(&w->out, '"');
        odp_buffer_add_char(&w->out, s.ptr[i]);
    }
    odp_buffer_add_char(&w->out, '"');
}

static void put_header(struct csv *w)
{
    for (size_t i = 0; i < w->t->nfields; i++) {
        if (i > 0)
            odp_buffer_add_char(&w->out, w->t->delimiter);
        put_cell(w, odp_slice_of(w->t->field[i].column), w->t->recipe->quote_all);
    }
    end_line(w);
}

static void put_head(struct csv *w)
{
    const char *preamble = w->t->recipe->preamble != NULL ? w->t->recipe->preamble : "";
    /* Comment lines do not count for headerRows; a preamble does, and must end just above the header. */
    bool comments = preamble[0] == '#';
    if (w->t->recipe->bom)
        odp_buffer_add_str(&w->out, "\xef\xbb\xbf");
    while (*preamble != '\0') {
        size_t n = strcspn(preamble, "\n");
        odp_buffer_add(&w->out, preamble, n);
        end_line(w);
        preamble += n + 1;
    }
    if (!comments && w->line != w->t->header_row)
        sample_bad(w->c, "%s: the preamble does not end above headerRows", w->t->recipe->slug);
    put_header(w);
}

/* Rows before a record: blank, total, the header again. */
static void put_before(struct csv *w, const struct sample_plan *p)
{
    if (sample_fault_is(p, "header")) {
        put_header(w);
        return;
    }
    if (sample_fault_is(p, "total")) {
        odp_buffer_add_str(&w->out, "Jumlah");
        for (size_t i = 1; i < w->t->nfields; i++) {
            odp_buffer_add_char(&w->out, w->t->delimiter);
            if (w->t->field[i].type == FORM_INTEGER || w->t->field[i].type == FORM_NUMBER)
                odp_buffer_add_str(&w->out, "12");
        }
    }
    end_line(w);
}

static void put_row(struct csv *w, struct sample_row *row)
{
    const struct sample_table *t = w->t;
    const struct sample_plan p = sample_fault_plan(w->c, t, row);
    sample_fault_record(w->c, t, &p, w->line, row->index + 1);
    if (p.kind != NULL && p.kind->place == FAULT_BEFORE)
        put_before(w, &p);
    for (size_t i = 0; i < t->nfields - sample_fault_is(&p, "short"); i++) {
        const struct sample_field *f = &t->field[i];
        const struct sample_value *v = &row->v[f->recipe->slot];
        bool raw = false, coded = sample_fault_is(&p, "encoding") && p.field == f;
        odp_buffer_clear(&w->cell);
        sample_render(f, v, row->index * 31 + i, &w->cell);
        sample_fault_cell(t, &p, f, &w->cell, &raw);
        struct odp_slice text = odp_buffer_slice(&w->cell);
        if (!coded)
            text = sample_encode(w->c, t->encoding, text, &w->coded);
        if (i > 0)
            odp_buffer_add_char(&w->out, t->delimiter);
        if (raw)
            odp_buffer_add_slice(&w->out, text);
        else
            put_cell(w, text, t->recipe->quote_all && v->kind != VALUE_NULL);
    }
    if (sample_fault_is(&p, "long"))
        odp_buffer_printf(&w->out, "%clebih", t->delimiter);
    end_line(w);
}

static void put_rows(struct csv *w, uint64_t rows, struct odp_file *file)
{
    struct sample_row row;
    put_head(w);
    for (uint64_t i = 0; i < rows && sample_going(w->c); i++) {
        sample_row_make(w->c, w->t, i, SIZE_MAX, &row);
        put_row(w, &row);
        if (w->out.len <= FLUSH && i + 1 < rows)
            continue;
        sample_note(w->c, odp_buffer_status(&w->cell));
        sample_note(w->c, odp_buffer_status(&w->out));
        if (sample_going(w->c))
            sample_note(w->c, odp_file_write(file, w->out.ptr, w->out.len));
        odp_buffer_clear(&w->out);
    }
}

void sample_write_csv(struct sample_context *c, const struct sample_table *t, uint64_t rows, const char *path)
{
    struct csv w = {.c = c, .t = t, .line = 1};
    struct odp_buffer *buffers[] = {&w.out, &w.cell, &w.coded};
    const char *part = odp_arena_printf(&c->arena, "%s.part", path);
    struct odp_file *file = NULL;
    for (size_t i = 0; i < 3; i++)
        odp_buffer_init(buffers[i]);
    (void)remove(part); /* left by a run that was killed */
    sample_note(c, odp_file_create(&file, part, 0644));
    if (sample_going(c))
        put_rows(&w, rows, file);
    if (sample_going(c))
        sample_note(c, odp_file_close(file, NULL));
    else
        odp_file_discard(file);
    if (sample_going(c))
        sample_note(c, odp_file_rename(part, path));
    for (size_t i = 0; i < 3; i++)
        odp_buffer_release(buffers[i]);
}
