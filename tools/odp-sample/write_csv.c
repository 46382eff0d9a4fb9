#include "sample.h"

#include <errno.h>
#include <iconv.h>
#include <stdlib.h>

enum { FLUSH = 1 << 16 };

enum odp_status sample_encode(const char *encoding, struct odp_slice from, struct odp_buffer *out)
{
    iconv_t cd = iconv_open(encoding, "UTF-8");
    if (cd == (iconv_t)-1)
        return odp_failure_set("iconv_open", encoding, errno);
    char *in = (char *)(uintptr_t)from.ptr;
    size_t left = from.len, room = from.len * 4 + 16;
    char *to = odp_buffer_reserve(out, room), *start = to;
    enum odp_status s = to != NULL ? ODP_OK : ODP_FAIL;
    if (s == ODP_OK && iconv(cd, &in, &left, &to, &room) == (size_t)-1)
        s = odp_failure_set("iconv", encoding, errno);
    if (s == ODP_OK)
        out->len += (size_t)(to - start);
    (void)iconv_close(cd);
    return s;
}

struct csv {
    struct sample_context *c;
    const struct sample_table *t;
    struct sample_faults *faults;
    struct odp_file *file;
    struct odp_buffer out, coded;
    struct sample_cell cell[SAMPLE_FIELDS];
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

static enum odp_status put_head(struct csv *w)
{
    if (w->t->recipe->bom)
        odp_buffer_add_str(&w->out, "\xef\xbb\xbf");
    for (const char *p = w->t->recipe->preamble; p != NULL && *p != '\0';) {
        size_t n = strcspn(p, "\n");
        odp_buffer_add(&w->out, p, n);
        end_line(w);
        p += n + 1;
    }
    /* Comment lines do not count for headerRows; a preamble does, and must end where the header stands. */
    bool comments = w->t->recipe->preamble != NULL && w->t->recipe->preamble[0] == '#';
    if (!comments && w->line != w->t->header_row)
        return sample_bad(w->c, "%s: the preamble does not end above headerRows", w->t->recipe->slug);
    put_header(w);
    return ODP_OK;
}

/* Rows that stand before a record: blank, total, the header again. */
static void put_before(struct csv *w, const struct sample_plan *p)
{
    if (strcmp(p->kind->name, "header") == 0) {
        put_header(w);
        return;
    }
    if (strcmp(p->kind->name, "total") == 0) {
        odp_buffer_add_str(&w->out, "Jumlah");
        for (size_t i = 1; i < w->t->nfields; i++) {
            odp_buffer_add_char(&w->out, w->t->delimiter);
            if (w->t->field[i].type == FORM_INTEGER || w->t->field[i].type == FORM_NUMBER)
                odp_buffer_add_str(&w->out, "12");
        }
    }
    end_line(w);
}

static bool ascii(struct odp_slice s)
{
    for (size_t i = 0; i < s.len; i++)
        if (((unsigned char)s.ptr[i] & 0x80) != 0)
            return false;
    return true;
}

static enum odp_status put_cells(struct csv *w, const struct sample_row *row, const struct sample_plan *p)
{
    const struct sample_table *t = w->t;
    bool shorter = p->kind != NULL && strcmp(p->kind->name, "short") == 0;
    for (size_t i = 0; i < t->nfields - shorter; i++) {
        struct sample_cell *cell = &w->cell[i];
        const struct sample_field *f = &t->field[i];
        const struct sample_value *v = &row->v[f->recipe];
        odp_buffer_clear(&cell->text);
        cell->raw = false;
        sample_render(f, &t->recipe->fields[f->recipe], v, row->index * 31 + i, &cell->text);
        bool coded = false;
        if (p->kind != NULL && p->kind->place == FAULT_CELL && p->field == i) {
            enum odp_status s = sample_fault_cell(t, p, cell);
            if (s != ODP_OK)
                return s;
            coded = strcmp(p->kind->name, "encoding") == 0;
        }
        if (i > 0)
            odp_buffer_add_char(&w->out, t->delimiter);
        struct odp_slice text = odp_buffer_slice(&cell->text);
        if (t->encoding != NULL && !coded && !ascii(text)) {
            odp_buffer_clear(&w->coded);
            enum odp_status s = sample_encode(t->encoding, text, &w->coded);
            if (s != ODP_OK)
                return s;
            text = odp_buffer_slice(&w->coded);
        }
        if (cell->raw)
            odp_buffer_add_slice(&w->out, text);
        else
            put_cell(w, text, t->recipe->quote_all && v->kind != VALUE_NULL);
    }
    if (p->kind != NULL && strcmp(p->kind->name, "long") == 0)
        odp_buffer_printf(&w->out, "%clebih", t->delimiter);
    return ODP_OK;
}

static enum odp_status put_row(struct csv *w, struct sample_row *row)
{
    struct sample_plan p;
    sample_fault_plan(w->c, w->faults, w->t, row->index, &p);
    enum odp_status s = sample_fault_value(w->c, w->t, row, &p);
    if (s == ODP_OK && p.kind != NULL)
        s = sample_fault_record(w->faults, w->t, &p, w->line, row->index + 1);
    if (s != ODP_OK)
        return s;
    if (p.kind != NULL && p.kind->place == FAULT_BEFORE)
        put_before(w, &p);
    s = put_cells(w, row, &p);
    end_line(w);
    if (s == ODP_OK && odp_buffer_status(&w->out) != ODP_OK)
        s = ODP_FAIL;
    return s;
}

static enum odp_status flush(struct csv *w)
{
    enum odp_status s = odp_buffer_status(&w->out);
    if (s == ODP_OK && w->out.len > 0)
        s = odp_file_write(w->file, w->out.ptr, w->out.len);
    odp_buffer_clear(&w->out);
    return s;
}

static enum odp_status put_rows(struct csv *w, uint64_t rows)
{
    struct sample_row *row = malloc(sizeof *row);
    if (row == NULL)
        return odp_failure_set("malloc", NULL, ENOMEM);
    enum odp_status s = put_head(w);
    for (uint64_t i = 0; i < rows && s == ODP_OK; i++) {
        s = sample_row_make(w->c, w->t, i, SIZE_MAX, row);
        if (s == ODP_OK)
            s = put_row(w, row);
        if (s == ODP_OK && w->out.len > FLUSH)
            s = flush(w);
    }
    free(row);
    return s == ODP_OK ? flush(w) : s;
}

enum odp_status sample_write_csv(struct sample_context *c, const struct sample_table *t, uint64_t rows,
                                 const char *path, struct sample_faults *faults)
{
    struct csv w = {.c = c, .t = t, .faults = faults, .line = 1};
    char *part = odp_arena_printf(&c->arena, "%s.part", path);
    odp_buffer_init(&w.out);
    odp_buffer_init(&w.coded);
    for (size_t i = 0; i < SAMPLE_FIELDS; i++)
        odp_buffer_init(&w.cell[i].text);
    (void)remove(part); /* left by a run that was killed */
    enum odp_status s = odp_file_create(&w.file, part, 0644);
    if (s == ODP_OK) {
        s = put_rows(&w, rows);
        if (s == ODP_OK)
            s = odp_file_close(w.file, NULL);
        else
            odp_file_discard(w.file);
    }
    if (s == ODP_OK)
        s = odp_file_rename(part, path);
    for (size_t i = 0; i < SAMPLE_FIELDS; i++)
        odp_buffer_release(&w.cell[i].text);
    odp_buffer_release(&w.coded);
    odp_buffer_release(&w.out);
    return s;
}
