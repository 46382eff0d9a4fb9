/* PDF files next to a table: the smallest there is (PDF 1.4, one of the standard fonts), written by hand, the
 * same bytes always. */
#include "sample.h"

enum { PAGES = 50, LINE = 100 /* bytes of text that fit */ };

struct maker {
    struct odp_buffer out;
    size_t offset[2 * PAGES + 5]; /* of the objects, from 1 */
    int n;
};

static void begin_object(struct maker *m)
{
    m->offset[++m->n] = m->out.len;
    odp_buffer_printf(&m->out, "%d 0 obj\n", m->n);
}

/* TEXT as a PDF string, ASCII alone, at AT of the line before. */
static void add_line(struct odp_buffer *out, const char *at, struct odp_slice text)
{
    odp_buffer_printf(out, "%s Td (", at);
    for (size_t i = 0; i < text.len && i < LINE; i++) {
        char c = text.ptr[i];
        if (c == '(' || c == ')' || c == '\\')
            odp_buffer_add_char(out, '\\');
        odp_buffer_add_char(out, c < ' ' || c > '~' ? '?' : c);
    }
    odp_buffer_add_str(out, ") Tj\n");
}

/* The text of page PAGE of PAGES: that it is synthetic, and the record. */
static void add_page(const struct sample_table *t, const struct sample_row *row, int page, int pages,
                     struct odp_buffer *out)
{
    struct odp_buffer line = {0};
    odp_buffer_add_str(out, "BT\n/F1 15 Tf\n");
    add_line(out, "60 770", ODP_LIT("Contoh naskah sintetis"));
    odp_buffer_add_str(out, "/F1 9 Tf\n");
    add_line(out, "0 -20",
             ODP_LIT("Dibuat oleh odp-sample; bukan peraturan yang sebenarnya. Synthetic sample, not a real "
                     "regulation."));
    add_line(out, "0 -14", ODP_LIT(""));
    for (size_t i = 0; i < t->nfields; i++) {
        odp_buffer_clear(&line);
        odp_buffer_printf(&line, "%s: ", t->field[i].name);
        size_t head = line.len;
        sample_canonical(&row->v[t->field[i].recipe->slot], &line);
        if (line.len > head)
            add_line(out, "0 -16", odp_buffer_slice(&line));
    }
    odp_buffer_clear(&line);
    odp_buffer_printf(&line, "Halaman %d dari %d", page, pages);
    add_line(out, "0 -40", odp_buffer_slice(&line));
    odp_buffer_add_str(out, "ET\n");
    out->failed |= line.failed;
    odp_buffer_release(&line);
}

/* Objects: 1 catalogue, 2 pages, 3 font, then for each page itself and its contents. */
static void add_objects(struct maker *m, const struct sample_table *t, const struct sample_row *row,
                        int pages)
{
    struct odp_buffer *out = &m->out, text;
    odp_buffer_init(&text);
    begin_object(m);
    odp_buffer_add_str(out, "<< /Type /Catalog /Pages 2 0 R /Lang (id) >>\nendobj\n");
    begin_object(m);
    odp_buffer_add_str(out, "<< /Type /Pages /Kids [");
    for (int p = 0; p < pages; p++)
        odp_buffer_printf(out, "%s%d 0 R", p > 0 ? " " : "", 4 + 2 * p);
    odp_buffer_printf(out, "] /Count %d >>\nendobj\n", pages);
    begin_object(m);
    odp_buffer_add_str(
        out, "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>\nendobj\n");
    for (int p = 0; p < pages; p++) {
        odp_buffer_clear(&text);
        add_page(t, row, p + 1, pages, &text);
        begin_object(m);
        odp_buffer_printf(
            out,
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> "
            "/Contents %d 0 R >>\nendobj\n",
            m->n + 1);
        begin_object(m);
        odp_buffer_printf(out, "<< /Length %zu >>\nstream\n", text.len);
        odp_buffer_add_slice(out, odp_buffer_slice(&text));
        odp_buffer_add_str(out, "endstream\nendobj\n");
    }
    out->failed |= text.failed;
    odp_buffer_release(&text);
}

static void write_document(struct sample_context *c, const struct sample_table *t,
                           const struct sample_row *row, int pages, const char *path)
{
    struct maker m = {.n = 0};
    odp_buffer_add_str(&m.out, "%PDF-1.4\n%\xe2\xe3\xcf\xd3\n");
    add_objects(&m, t, row, pages);
    size_t xref = m.out.len;
    odp_buffer_printf(&m.out, "xref\n0 %d\n0000000000 65535 f \n", m.n + 1);
    for (int i = 1; i <= m.n; i++)
        odp_buffer_printf(&m.out, "%010zu 00000 n \n", m.offset[i]);
    odp_buffer_printf(&m.out, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%zu\n%%%%EOF\n", m.n + 1,
                      xref);
    sample_note(c, odp_buffer_status(&m.out));
    sample_put(c, path, odp_buffer_slice(&m.out));
    odp_buffer_release(&m.out);
}

static void write_of_row(struct sample_context *c, const struct sample_table *t, const struct sample_row *row,
                         const char *dir)
{
    for (size_t i = 0; i < t->nfields && sample_going(c); i++) {
        const struct sample_field *f = &t->field[i];
        const struct sample_value *name = &row->v[f->recipe->slot];
        if (f->folder == NULL || name->kind != VALUE_TEXT)
            continue;
        size_t at = f->pages != NULL ? sample_entry_find(t->recipe, odp_slice_of(f->pages)) : SIZE_MAX;
        int64_t pages = at != SIZE_MAX ? row->v[at].n : 1;
        const char *folder = odp_arena_printf(&c->arena, "%s/%s", dir, f->folder);
        if (pages < 1 || pages > PAGES)
            sample_bad(c, "%s: a document of %lld pages", t->recipe->slug, (long long)pages);
        else
            sample_note(c, odp_dir_make(folder));
        if (sample_going(c))
            write_document(
                c, t, row, (int)pages,
                odp_arena_printf(&c->arena, "%s/%.*s", folder, (int)name->text.len, name->text.ptr));
    }
}

void sample_write_documents(struct sample_context *c, const struct sample_table *t, uint64_t rows,
                            const char *dir)
{
    struct sample_row row;
    bool any = false;
    for (size_t i = 0; i < t->nfields; i++)
        any |= t->field[i].folder != NULL;
    for (uint64_t i = 0; any && i < rows && i < SAMPLE_DOCUMENT_ROWS && sample_going(c); i++) {
        sample_row_make(c, t, i, SIZE_MAX, &row);
        write_of_row(c, t, &row, dir);
    }
}
