/* For tests/e2e/print_paper.py: paper_tool OUT TEXT sets a document with every function of
 * write/typesetting/paper.h: TEXT as a paragraph, headings, a table over two pages, links, a figure. Exit: 0
 * made, 3 the machine failed. */
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "write/typesetting/paper.h"

static void tagged(struct odp_paper *p, const char *tag, double x, const char *text)
{
    odp_paper_tag(p, tag, NULL);
    (void)odp_paper_text(p, odp_box(x, p->y, 90), odp_type_table, odp_slice_of(text));
    odp_paper_untag(p, tag);
}

/* Rows of two cells; the second cell of the last row continues on another page, in a separate P. */
static void set_table(struct odp_paper *p)
{
    odp_paper_tag(p, "Table", NULL);
    for (int i = 0; i < 3; i++) {
        char text[20];
        snprintf(text, sizeof text, "baris %d", i);
        odp_paper_tag(p, "TR", NULL);
        if (i == 1)
            odp_paper_page(p, false); /* between the row's tag and its first cell */
        tagged(p, i == 0 ? "TH" : "TD", p->left, text);
        odp_paper_tag(p, "TD", NULL);
        tagged(p, "P", p->left + 100, "awal");
        if (i == 2) {
            odp_paper_page(p, false);
            tagged(p, "P", p->left + 100, "lanjutan");
        }
        odp_paper_untag(p, "TD");
        odp_paper_untag(p, "TR");
        p->y += 20;
    }
    odp_paper_untag(p, "Table");
}

static void set_links(struct odp_paper *p)
{
    static const char *const uris[] = {
        "https://data.example.go.id/a b?x='y'&z=(1)\\#\"é",
        "HTTP://CONTOH.ID/",
        "mailto:data@example.go.id",
        "javascript:alert(1)",
        "file:///etc/passwd",
        "https://x.id/\x01",
        "https:/x.id",
        "",
        "ftp://x.id/",
    };
    for (size_t i = 0; i < ODP_COUNT(uris); i++) {
        odp_paper_tag(p, "P", NULL);
        odp_paper_link(p, uris[i]);
        p->y += odp_paper_text(p, odp_box(p->left, p->y, 200), odp_type_body, ODP_LIT("tautan"));
        odp_paper_untag(p, "Link");
        odp_paper_untag(p, "P");
    }
    odp_paper_tag(p, "P", NULL);
    odp_paper_link_to(p, "bab-1");
    p->y += odp_paper_text(p, odp_box(p->left, p->y, 200), odp_type_body, ODP_LIT("ke bab satu"));
    odp_paper_untag(p, "Link");
    odp_paper_untag(p, "P");
}

static void set_all(struct odp_paper *p, const char *text)
{
    p->running = NULL;
    odp_paper_page(p, false);
    odp_paper_tag(p, "Document", NULL);
    odp_paper_flow(p, "P", 0, odp_type_body, odp_slice_of(text), 6);
    p->running = "KEPALA";
    odp_paper_page(p, false);
    odp_paper_heading(p, 1, "Bab \"satu\" (\\ 'é)", "bab-1", 60);
    odp_paper_heading(p, 2, "Bagian <b>", "bagian-1", 60);
    odp_paper_heading(p, 3, "Butir\n\x01", "butir-1", 60);
    p->y = p->bottom - 40;
    odp_paper_flow(p, "P", 0, odp_type_body, ODP_LIT("satu\ndua\ntiga\nempat\nlima\nenam"), 6);
    odp_paper_tag(p, "P", NULL);
    (void)odp_paper_text(p, odp_box(p->left, p->y, 100), odp_type_body, ODP_LIT("sebelum"));
    odp_paper_page(p, true); /* a paragraph that is open is closed, and opened again */
    (void)odp_paper_text(p, odp_box(p->left, p->y, 100), odp_type_body, ODP_LIT("sesudah"));
    odp_paper_untag(p, "P");
    odp_paper_page(p, false);
    odp_paper_heading(p, 1, "Bab dua", "bab-2", 60);
    set_table(p);
    set_links(p);
    odp_paper_figure(p, "gambar");
    if (p->drawing) {
        odp_paper_ink(p, ODP_INK_BAND);
        cairo_rectangle(p->cr, p->left, p->y, 50, 50);
        cairo_fill(p->cr);
    }
    odp_paper_untag(p, "Figure");
    odp_paper_untag(p, "Document");
}

static enum odp_status make(struct odp_paper *p, struct odp_fonts *f, struct odp_arena *a, const char *text,
                            struct odp_buffer *out)
{
    enum odp_status status = ODP_OK;
    for (int i = 0; i < 2 && status == ODP_OK; i++) {
        odp_paper_begin(p, f, a, i == 1 ? out : NULL);
        set_all(p, text);
        p->pages = p->page;
        status = odp_paper_end(p);
    }
    return status;
}

int main(int argc, char **argv)
{
    struct odp_fonts *fonts = NULL;
    struct odp_arena arena;
    struct odp_paper paper = {0};
    struct odp_buffer out;
    struct odp_file *file;
    if (argc != 3)
        return 2;
    odp_arena_init(&arena);
    odp_buffer_init(&out);
    enum odp_status status = odp_fonts_open(&fonts);
    if (status == ODP_OK)
        status = make(&paper, fonts, &arena, argv[2], &out);
    if (status == ODP_OK)
        status = odp_file_create(&file, argv[1], 0644);
    if (status == ODP_OK) {
        enum odp_status written = odp_file_write(file, out.ptr, out.len);
        status = odp_file_close(file, NULL);
        status = written != ODP_OK ? written : status;
    }
    if (status != ODP_OK)
        fprintf(stderr, "paper_tool: %s\n", odp_failure_text());
    odp_paper_release(&paper);
    odp_buffer_release(&out);
    odp_arena_release(&arena);
    odp_fonts_close(fonts);
    return status == ODP_OK ? 0 : 3;
}
