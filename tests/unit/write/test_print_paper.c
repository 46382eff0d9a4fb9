/* Fonts and paper: measuring, pages, paragraphs over pages, tags, and that the same document gives the same
 * bytes on any thread. */
#include "run.h"

#include <pthread.h>

#include "base/utf8.h"
#include "write/typesetting/paper.h"

#define ARAB     "السلام عليكم"
#define JAVANESE "ꦲꦏ꧀ꦱꦫꦗꦮ"

static const char lorem[] =
    "Peraturan ini mengatur tata cara penyelenggaraan perumahan dan kawasan permukiman yang layak huni, "
    "terjangkau, dan berkelanjutan bagi masyarakat berpenghasilan rendah. Pemerintah pusat dan pemerintah "
    "daerah sesuai dengan kewenangannya bertanggung jawab atas pembinaan, pengawasan, dan pengendalian. "
    "Ketentuan lebih lanjut diatur dengan peraturan menteri yang ditetapkan paling lambat enam bulan setelah "
    "undang-undang ini diundangkan.";

/* ---- fonts ---- */

TEST(clean)
{
    static const struct {
        struct odp_slice in;
        const char *out;
    } texts[] = {
        {ODP_LIT("biasa"), "biasa"},
        {ODP_LIT(""), ""},
        {ODP_LIT("a\tb"), "a b"},
        {ODP_LIT("a\r\nb\rc\nd"), "a\nb\nc\nd"},
        {ODP_LIT("a\r\r\nb"), "a\n\nb"},
        {ODP_LIT("a\xC2\x85"
                 "b\xE2\x80\xA8"
                 "c\xE2\x80\xA9"
                 "d\ve\ff"),
         "a\nb\nc\nd\ne\nf"},
        {ODP_LIT("a\0b\x01\x1F\x7F\xC2\x80\xC2\x9F"), "a\uFFFDb\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD"},
        {ODP_LIT(
             "a\xEF\xBF\xBE\xEF\xBF\xBF\xEF\xB7\x90\xF0\x9F\xBF\xBE" /* noncharacters, which cairo refuses */
             "b"),
         "a\uFFFD\uFFFD\uFFFD\uFFFDb"},
        {ODP_LIT("\xFF"
                 "a\xC3"),
         "\uFFFDa\uFFFD"},
        {ODP_LIT("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD"},
        {ODP_LIT("\xF0\x9F\x98"), "\uFFFD\uFFFD\uFFFD"},
        {ODP_LIT("\u202Eterbalik\u202C <b>&amp;</b>"), "\u202Eterbalik\u202C <b>&amp;</b>"},
    };
    for (size_t i = 0; i < ODP_COUNT(texts); i++) {
        BUFFER(b);
        odp_fonts_clean(texts[i].in, &b);
        assert_string_equal(odp_buffer_cstr(&b), texts[i].out);
    }
}

#define assert_near(a, b, most) assert_true((a) - (b) <= (most) && (b) - (a) <= (most))

static double width_of(struct odp_fonts *f, struct odp_face face, struct odp_slice text)
{
    return odp_fonts_measure(f, face, text, -1).width;
}

TEST(measures)
{
    struct odp_fonts *f;
    must(odp_fonts_open(&f));
    /* Noto Sans: a figure is 572 of 1000 units wide, a line 1362 high; positions are in 1024ths of a point.
     */
    for (char c = '0'; c <= '9'; c++) {
        assert_near(width_of(f, odp_type_body, (struct odp_slice){&c, 1}), 9.5 * 0.572, 0.002);
        assert_near(width_of(f, odp_type_table_head, (struct odp_slice){&c, 1}), 7.5 * 0.572, 0.002);
    }
    double h = odp_fonts_measure(f, odp_type_body, ODP_LIT("x"), -1).height;
    assert_near(h, 9.5 * 1.362, 0.02);
    assert_near(odp_fonts_measure(f, odp_type_body, ODP_LIT("x\ny"), -1).height, 2 * h, 0.001);
    struct odp_extent e = odp_fonts_measure(f, odp_type_body, ODP_LIT(""), -1);
    assert_true(e.width == 0 && e.height == h);
    /* No markup: the tag is as wide as its characters. */
    assert_true(width_of(f, odp_type_body, ODP_LIT("<b>a</b>")) >
                3 * width_of(f, odp_type_body, ODP_LIT("a")));
    /* One word that is wider than the box is broken inside; nothing stands out of the box. */
    e = odp_fonts_measure(f, odp_type_body, ODP_LIT("Pertanggungjawabankeuangannegara"), 40);
    assert_true(e.width <= 40 && e.height > 50);
    e = odp_fonts_measure(f, odp_type_body, ODP_LIT("Pertanggungjawaban"), 0);
    assert_true(e.height > 100); /* narrower than a letter: a letter a line */
    /* A text is measured alike before and after others have called for further fonts. */
    const double plain = width_of(f, odp_type_body, ODP_LIT("Jakarta é – “x”"));
    const double missing = width_of(f, odp_type_body, odp_slice_of("中文"));
    assert_true(width_of(f, odp_type_body, odp_slice_of(ARAB JAVANESE)) > 10);
    assert_true(plain == width_of(f, odp_type_body, ODP_LIT("Jakarta é – “x”")));
    assert_true(missing == width_of(f, odp_type_body, odp_slice_of("中文")) && missing > 5);
    odp_fonts_close(f);
    odp_fonts_close(NULL);
}

/* Characters of Indonesia's scripts and common signs are all found in the fonts. */
TEST(scripts)
{
    static const char *const texts[] = {
        ARAB,
        JAVANESE,
        "ᬩᬮᬶ",
        "ᮞᮥᮔ᮪ᮓ",
        "ᯅᯖᯂ᯲",
        "ᨅᨔ",
        "m² m³ ½ ± × ÷ ° µ ‰ € – — … • ≤ ≥ ≠ − √ ∑ → ✓ ☐ ★ №",
        "Ωμέγα Кириллица ñ đ ễ ʼ",
    };
    struct odp_fonts *f;
    must(odp_fonts_open(&f));
    for (size_t i = 0; i < ODP_COUNT(texts); i++) {
        PangoLayout *l = odp_fonts_layout(f, odp_type_body, odp_slice_of(texts[i]), -1, PANGO_ALIGN_LEFT);
        assert_non_null(l);
        assert_int_equal(pango_layout_get_unknown_glyphs_count(l), 0);
        g_object_unref(l);
    }
    PangoLayout *l = odp_fonts_layout(f, odp_type_body, odp_slice_of("中"), -1, PANGO_ALIGN_LEFT);
    assert_int_equal(pango_layout_get_unknown_glyphs_count(l), 1); /* what is checked above can fail */
    g_object_unref(l);
    odp_fonts_close(f);
}

/* ---- documents ---- */

struct document {
    struct odp_fonts *fonts;
    struct odp_arena arena;
    struct odp_paper paper;
    struct odp_buffer out;
};

static void document_open(struct document *d)
{
    *d = (struct document){0};
    odp_arena_init(&d->arena);
    odp_buffer_init(&d->out);
    must(odp_fonts_open(&d->fonts));
}

static void document_close(struct document *d)
{
    odp_paper_release(&d->paper);
    odp_buffer_release(&d->out);
    odp_arena_release(&d->arena);
    odp_fonts_close(d->fonts);
}

/* The second pass knows what the first one learnt, as in write/pdf/pdf.c. */
static void learn(struct document *d)
{
    struct odp_paper *p = &d->paper;
    struct odp_heading *known = odp_arena_array(&d->arena, p->nheadings + 1, sizeof *known);
    assert_non_null(known);
    if (p->nheadings > 0)
        memcpy(known, p->headings, p->nheadings * sizeof *known);
    p->known = known;
    p->nknown = p->nheadings;
    p->pages = p->page;
}

static void set_all(struct odp_paper *p)
{
    p->running = NULL;
    odp_paper_page(p, false);
    odp_paper_tag(p, "Document", NULL);
    odp_paper_ink(p, ODP_INK_ACCENT);
    odp_paper_tag(p, "P", NULL);
    p->y +=
        odp_paper_text(p, odp_box(p->left, p->y, p->right - p->left), odp_type_title, ODP_LIT("Regulasi"));
    odp_paper_untag(p, "P");
    odp_paper_ink(p, ODP_INK_TEXT);
    odp_paper_flow(p, "P", 0, odp_type_body, odp_slice_of("office " ARAB " " JAVANESE " 中文 \x01 \xFF"), 6);
    p->running = "Regulasi · versi 2024-03-09";
    odp_paper_page(p, false);
    odp_paper_tag(p, "TOC", NULL);
    for (size_t i = 0; i < p->nknown; i++) {
        odp_paper_tag(p, "TOCI", NULL);
        odp_paper_link_to(p, p->known[i].dest);
        p->y += odp_paper_text(p, odp_box(p->left, p->y, 200), odp_type_body, odp_slice_of(p->known[i].text));
        odp_paper_untag(p, "Link");
        odp_paper_untag(p, "TOCI");
    }
    odp_paper_untag(p, "TOC");
    odp_paper_page(p, false);
    odp_paper_heading(p, 1, "Bab satu", "bab-1", 60);
    for (int i = 0; i < 12; i++) {
        char text[40], dest[20];
        snprintf(text, sizeof text, "Pasal %d 'a' \\", i);
        snprintf(dest, sizeof dest, "pasal-%d", i);
        odp_paper_tag(p, "Sect", NULL);
        odp_paper_heading(p, 2 + i % 2, text, dest, 40);
        odp_paper_flow(p, "P", 10, odp_type_body, odp_slice_of(lorem), 6);
        odp_paper_untag(p, "Sect");
    }
    odp_paper_page(p, true);
    odp_paper_heading(p, 1, "Bab \xEF\xBF\xBF dua", "bab-2", 60);
    odp_paper_tag(p, "P", NULL);
    odp_paper_link(p, "https://data.example.go.id/?a='b'");
    p->y += odp_paper_text(p, odp_box(p->left, p->y, 200), odp_type_small, ODP_LIT("tautan"));
    odp_paper_untag(p, "Link");
    odp_paper_untag(p, "P");
    odp_paper_figure(p, "gambar");
    if (p->drawing) {
        cairo_rectangle(p->cr, p->left, p->y, 50, 50);
        cairo_fill(p->cr);
    }
    odp_paper_untag(p, "Figure");
    odp_paper_untag(p, "Document");
}

static void make(struct document *d)
{
    document_open(d);
    for (int i = 0; i < 3; i++) {
        odp_paper_begin(&d->paper, d->fonts, &d->arena, i == 2 ? &d->out : NULL);
        set_all(&d->paper);
        must(odp_paper_end(&d->paper));
        if (i < 2)
            learn(d);
    }
}

TEST(document)
{
    struct document a, b;
    make(&a);
    make(&b);
    assert_true(odp_slice_eq(odp_buffer_slice(&a.out), odp_buffer_slice(&b.out)));
    assert_true(a.out.len > 10000 && memcmp(a.out.ptr, "%PDF-1.", 7) == 0 /* cairo 1.16: 5, 1.18: 7 */);
    assert_int_equal(a.paper.nheadings, 14);
    assert_int_equal(a.paper.nfigures, 1);
    assert_string_equal(a.paper.figures[0].alternative, "gambar");
    assert_int_equal(a.paper.page, a.paper.pages);
    /* Measured and drawn alike. */
    for (size_t i = 0; i < a.paper.nheadings; i++) {
        assert_int_equal(a.paper.headings[i].page, a.paper.known[i].page);
        assert_true(i == 0 || a.paper.headings[i].page >= a.paper.headings[i - 1].page);
    }
    assert_int_equal(a.paper.headings[0].page, 3);
    assert_int_equal(a.paper.headings[1].level, 2);
    assert_string_equal(a.paper.headings[2].dest, "pasal-1");
    assert_string_equal(a.paper.headings[13].text, "Bab \xEF\xBF\xBF dua");
    assert_int_equal(a.paper.headings[13].page, a.paper.pages);
    assert_true(a.paper.landscape && a.paper.width > 841 && a.paper.height < 596);
    document_close(&a);
    document_close(&b);
}

static void *make_on_thread(void *d)
{
    make(d);
    return NULL;
}

TEST(threads)
{
    struct document serial, d[3];
    pthread_t thread[3];
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, make_on_thread, &d[i]), 0);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    make(&serial);
    for (size_t i = 0; i < 3; i++) {
        assert_true(odp_slice_eq(odp_buffer_slice(&serial.out), odp_buffer_slice(&d[i].out)));
        document_close(&d[i]);
    }
    document_close(&serial);
}

/* ---- running text ---- */

static void begin(struct document *d)
{
    odp_paper_begin(&d->paper, d->fonts, &d->arena, NULL);
    odp_paper_page(&d->paper, false);
}

/* A paragraph of LINES lines where AVAILABLE lines are left: how many lines stand on the second page (of the
 * first: -1). */
static int carried(struct document *d, int lines, int available)
{
    struct odp_paper *p = &d->paper;
    char text[80] = "a";
    for (int i = 1; i < lines; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "\na");
    double line = odp_fonts_measure(d->fonts, odp_type_body, ODP_LIT("a"), -1).height;
    begin(d);
    p->y = p->bottom - line * available - 1;
    odp_paper_flow(p, "P", 0, odp_type_body, odp_slice_of(text), 0);
    int behind = (int)((p->y - p->top) / line + 0.5);
    unsigned page = p->page;
    must(odp_paper_end(p));
    return page == 1 ? -1 : behind;
}

TEST(no_single_lines)
{
    struct document d;
    document_open(&d);
    assert_int_equal(carried(&d, 8, 8), -1);
    assert_int_equal(carried(&d, 8, 7), 2); /* not one alone on the second */
    assert_int_equal(carried(&d, 8, 5), 3);
    assert_int_equal(carried(&d, 8, 2), 6);
    assert_int_equal(carried(&d, 8, 1), 8); /* not one alone on the first */
    assert_int_equal(carried(&d, 8, 0), 8);
    assert_int_equal(carried(&d, 4, 3), 2);
    assert_int_equal(carried(&d, 4, 1), 4);
    assert_int_equal(carried(&d, 3, 3), -1);
    assert_int_equal(carried(&d, 3, 2), 3); /* not divided */
    assert_int_equal(carried(&d, 1, 0), 1);
    document_close(&d);
}

/* Long texts of every kind come to an end, take the pages they should, and are drawn as measured. */
TEST(long_texts)
{
    struct document d;
    size_t n = 30000;
    char *text = malloc(n);
    assert_non_null(text);
    document_open(&d);
    for (int kind = 0; kind < 6; kind++) {
        unsigned pages[2];
        for (size_t i = 0; i < n; i++)
            text[i] = kind == 0   ? (i % 7 == 6 ? ' ' : 'n')
                      : kind == 1 ? 'n'
                      : kind == 2 ? (i % 200 != 0 ? 'n' : '\n')
                      : kind == 3 ? "\xE2\x80\x93"[i % 3]
                      : kind == 4 ? ' '
                                  : "\xD8\xB3"[i % 2];
        for (int draw = 0; draw < 2; draw++) {
            odp_buffer_clear(&d.out);
            odp_paper_begin(&d.paper, d.fonts, &d.arena, draw == 1 ? &d.out : NULL);
            odp_paper_page(&d.paper, false);
            odp_paper_flow(&d.paper, "P", 0, odp_type_body, (struct odp_slice){text, n}, 0);
            pages[draw] = d.paper.page;
            must(odp_paper_end(&d.paper));
        }
        assert_int_equal(pages[0], pages[1]);
        assert_in_range(pages[0], kind < 3 ? 4 : 1, 12);
    }
    free(text);
    document_close(&d);
}

/* The windows in which a long text is laid out leave no trace: lines are those of one layout. */
TEST(windows)
{
    struct document d;
    BUFFER(text);
    document_open(&d);
    for (int i = 0; i < 40; i++)
        odp_buffer_printf(&text, "%sKata ke-%d panjang sekali%s ", i % 7 == 3 ? "\r\n" : "", i * i * 977,
                          i % 3 == 0 ? ", dan seterusnya" : "");
    for (int i = 0; i < 60; i++)
        odp_buffer_printf(&text, "– é%d ", i * 31);
    while (text.len < 4000)
        odp_buffer_add_str(&text, "Pasal satu ayat dua. ");
    begin(&d);
    struct odp_paper *p = &d.paper;
    double whole = odp_paper_text_height(p, p->right - p->left, odp_type_small, odp_buffer_slice(&text)),
           top = p->y;
    odp_paper_flow(p, "P", 0, odp_type_small, odp_buffer_slice(&text), 0);
    assert_int_equal(p->page, 1);
    assert_near(p->y - top, whole, 0.01);
    must(odp_paper_end(p));
    document_close(&d);
}

TEST(need)
{
    struct document d;
    document_open(&d);
    begin(&d);
    struct odp_paper *p = &d.paper;
    assert_false(odp_paper_need(p, 1e6)); /* an empty page: a new one would not help */
    assert_int_equal(p->page, 1);
    p->y = p->bottom - 50;
    assert_false(odp_paper_need(p, 50));
    assert_true(odp_paper_need(p, 50.5));
    assert_int_equal(p->page, 2);
    assert_true(p->y == p->top && !p->landscape);
    odp_paper_page(p, true);
    p->y = p->bottom;
    assert_true(odp_paper_need(p, 1));
    assert_true(p->landscape);
    /* A heading takes what it keeps with it to the next page. */
    p->y = p->bottom - 60;
    odp_paper_heading(p, 2, "Bagian", "bagian", 60);
    assert_int_equal(p->page, 5);
    assert_true(p->y < p->top + 40);
    assert_int_equal(p->headings[0].page, 5);
    must(odp_paper_end(p));
    document_close(&d);
}

/* ---- failures ---- */

static void failure_is(struct odp_paper *p, const char *text)
{
    assert_int_equal(odp_paper_end(p), ODP_FAIL);
    assert_string_equal(odp_failure_text(), text);
    odp_failure_clear();
}

TEST(failures)
{
    struct document d;
    document_open(&d);
    odp_failure_clear();
    begin(&d);
    odp_paper_tag(&d.paper, "Sect", NULL);
    failure_is(&d.paper, "print: a tag was not closed: Sect");
    begin(&d);
    odp_paper_tag(&d.paper, "Sect", NULL);
    odp_paper_untag(&d.paper, "P");
    odp_paper_untag(&d.paper, "Sect");
    failure_is(&d.paper, "print: a tag is closed that is not the last one opened: P");
    /* cairo's own: attributes that are none. */
    odp_buffer_clear(&d.out);
    odp_paper_begin(&d.paper, d.fonts, &d.arena, &d.out);
    odp_paper_page(&d.paper, false);
    odp_paper_tag(&d.paper, "Link", "uri=");
    (void)odp_paper_text(&d.paper, odp_box(100, 100, 100), odp_type_body, ODP_LIT("x"));
    odp_paper_untag(&d.paper, "Link");
    must_fail(odp_paper_end(&d.paper), "draw a PDF: ");
    /* Nowhere to write to. */
    odp_buffer_clear(&d.out);
    d.out.failed = true;
    odp_paper_begin(&d.paper, d.fonts, &d.arena, &d.out);
    odp_paper_page(&d.paper, false);
    failure_is(&d.paper, "draw a PDF: error while writing to output stream");
    odp_buffer_clear(&d.out);
    odp_paper_begin(&d.paper, d.fonts, &d.arena, &d.out);
    odp_paper_page(&d.paper, false);
    odp_paper_heading(&d.paper, 1, "Judul", "tidak'sah", 0);
    failure_is(&d.paper, "print: no name of a destination: tidak'sah");
    /* And a document after failures is as good as any. */
    begin(&d);
    must(odp_paper_end(&d.paper));
    assert_string_equal(odp_failure_text(), "");
    document_close(&d);
}
