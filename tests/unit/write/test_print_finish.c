/* What qpdf adds to cairo's PDF, read back with qpdf; and QR codes, module by module. */
#include "run.h"

#include <cairo-pdf.h>
#include <qpdf/qpdf-c.h>
#include <qrencode.h>

#include "write/typesetting/finish.h"
#include "write/pdf/pdf_internal.h"

/* ---- documents as cairo writes them ---- */

static cairo_status_t keep(void *ctx, const unsigned char *bytes, unsigned n)
{
    odp_buffer_add(ctx, bytes, n);
    return CAIRO_STATUS_SUCCESS;
}

static void cell(cairo_t *cr, const char *tag, int at)
{
    cairo_tag_begin(cr, tag,
                    strcmp(tag, "Link") == 0 ? "uri='https://example.org/'"
                                             : NULL); /* without, cairo 1.18 leaves a broken file */
    cairo_rectangle(cr, 10 + at % 50, 10 + at / 50 % 80, 1, 1);
    cairo_fill(cr);
    cairo_tag_end(cr, tag);
}

/* What belongs to no element. */
static void head(cairo_t *cr)
{
    cairo_rectangle(cr, 10, 5, 1, 1);
    cairo_fill(cr);
}

/* A table with a head of three and ROWS rows of three cells; then FIGURES pictures. */
static void draw(struct odp_buffer *out, int rows, int figures)
{
    odp_buffer_init(out);
    cairo_surface_t *s = cairo_pdf_surface_create_for_stream(keep, out, 595, 842);
    cairo_pdf_surface_set_metadata(s, CAIRO_PDF_METADATA_CREATE_DATE, "2024-03-15T00:00:00Z");
    cairo_pdf_surface_set_metadata(s, CAIRO_PDF_METADATA_TITLE, "to be replaced");
    cairo_t *cr = cairo_create(s);
    cairo_tag_begin(cr, "Document", NULL);
    cairo_tag_begin(cr, "Table", NULL);
    for (int row = 0; row <= rows; row++) {
        cairo_tag_begin(cr, "TR", NULL);
        for (int k = 0; k < 3; k++)
            cell(cr, row == 0 ? "TH" : "TD", row * 3 + k);
        cairo_tag_end(cr, "TR");
        if (row % 40 == 39) {
            cairo_show_page(cr);
            head(cr);
        }
    }
    cairo_tag_end(cr, "Table");
    cell(cr, "P", 1);
    cairo_tag_begin(cr, "Sect", NULL);
    cairo_tag_begin(cr, "P", NULL);
    cell(cr, "Link", 2);
    head(cr);
    cairo_tag_end(cr, "P");
    for (int k = 0; k < figures; k++)
        cell(cr, "Figure", k);
    cairo_tag_end(cr, "Sect");
    cairo_tag_end(cr, "Document");
    cairo_destroy(cr);
    cairo_surface_finish(s);
    assert_int_equal(cairo_surface_status(s), CAIRO_STATUS_SUCCESS);
    cairo_surface_destroy(s);
    must(odp_buffer_status(out));
}

/* The same document with its figures described, finished. */
static enum odp_status finish(int rows, int figures, const struct odp_finish *f, struct odp_buffer *out)
{
    struct odp_buffer pdf;
    draw(&pdf, rows, figures);
    odp_buffer_init(out);
    enum odp_status status = odp_print_finish(&pdf, f, out);
    odp_buffer_release(&pdf);
    return status;
}

static const struct odp_figure two[] = {{"Batang: 3 provinsi (terbesar 12)"}, {"Peta — 5 titik"}};
static const struct odp_finish plain = {
    .lang = "id-ID",
    .title = "Regulasi",
    .title_en = "Regulations",
    .description = "Uraian",
    .publisher = "Kementerian",
    .licence_url = "https://example.org/by/4.0/",
    .url = "https://data.example.go.id/data/regulasi/2024-03-15/",
    .digest = "sha256:00ff",
    .date = "2024-03-15",
    .figures = two,
    .nfigures = 2,
};

/* ---- reading back ---- */

static qpdf_data opened(const struct odp_buffer *pdf)
{
    qpdf_data q = qpdf_init();
    qpdf_silence_errors(q);
    qpdf_set_suppress_warnings(q, QPDF_TRUE);
    qpdf_set_attempt_recovery(q, QPDF_FALSE);
    assert_int_equal(qpdf_read_memory(q, "test", pdf->ptr, pdf->len, NULL), QPDF_SUCCESS);
    assert_int_equal(qpdf_check_pdf(q), QPDF_SUCCESS);
    assert_false(qpdf_more_warnings(q));
    return q;
}

/* The value at PATH ("/Info/Title"), from the trailer. */
static qpdf_oh at(qpdf_data q, const char *path)
{
    char key[64];
    qpdf_oh o = qpdf_get_trailer(q);
    while (*path == '/') {
        size_t n = strcspn(path + 1, "/") + 1;
        memcpy(key, path, n);
        key[n] = '\0';
        o = qpdf_oh_get_key(q, o, key);
        path += n;
    }
    return o;
}

static void assert_text(qpdf_data q, const char *path, const char *expected)
{
    assert_string_equal(qpdf_oh_get_utf8_value(q, at(q, path)), expected);
}

static void stream(qpdf_data q, const char *path, struct odp_buffer *out)
{
    unsigned char *bytes;
    size_t n;
    QPDF_BOOL filtered;
    odp_buffer_init(out);
    assert_int_equal(qpdf_oh_get_stream_data(q, at(q, path), qpdf_dl_all, &filtered, &bytes, &n),
                     QPDF_SUCCESS);
    odp_buffer_add(out, bytes, n);
    free(bytes);
}

static int count(const char *text, const char *what)
{
    int n = 0;
    for (const char *p = strstr(text, what); p != NULL; p = strstr(p + 1, what))
        n++;
    return n;
}

/* Elements of type S below NODE, and how many of them have KEY; texts of KEY are appended to OUT, each with a
 * line feed. */
static void walk(qpdf_data q, qpdf_oh node, const char *s, const char *key, int *n, int *with,
                 struct odp_buffer *out)
{
    if (qpdf_oh_is_array(q, node)) {
        for (int i = 0; i < qpdf_oh_get_array_n_items(q, node); i++)
            walk(q, qpdf_oh_get_array_item(q, node, i), s, key, n, with, out);
        return;
    }
    if (!qpdf_oh_is_dictionary(q, node))
        return;
    if (qpdf_oh_is_name_and_equals(q, qpdf_oh_get_key(q, node, "/S"), s)) {
        qpdf_oh value = qpdf_oh_get_key(q, node, key);
        *n += 1;
        *with += !qpdf_oh_is_null(q, value);
        odp_buffer_add_str(out, qpdf_oh_is_string(q, value) ? qpdf_oh_get_utf8_value(q, value)
                                                            : qpdf_oh_unparse_resolved(q, value));
        odp_buffer_add_char(out, '\n');
    }
    walk(q, qpdf_oh_get_key(q, node, "/K"), s, key, n, with, out);
}

/* Elements that hold elements, and content beside them. */
static int mixed(qpdf_data q, qpdf_oh node)
{
    qpdf_oh kids = qpdf_oh_get_key(q, node, "/K");
    int n = qpdf_oh_is_array(q, kids) ? qpdf_oh_get_array_n_items(q, kids) : 0, elements = 0, found = 0;
    for (int i = 0; i < n; i++) {
        qpdf_oh kid = qpdf_oh_get_array_item(q, kids, i);
        bool element = qpdf_oh_is_dictionary(q, kid) && qpdf_oh_has_key(q, kid, "/S");
        elements += element;
        found += element ? mixed(q, kid) : 0;
    }
    return found + (elements > 0 && elements < n);
}

TEST(heads_are_not_heard)
{
    struct odp_buffer out;
    must(finish(100, 2, &plain, &out));
    qpdf_data q = opened(&out);
    assert_int_equal(mixed(q, at(q, "/Root/StructTreeRoot")), 0);
    qpdf_cleanup(&q);
    odp_buffer_release(&out);
}

TEST(catalogue_and_info)
{
    struct odp_buffer out;
    must(finish(2, 2, &plain, &out));
    qpdf_data q = opened(&out);
    assert_text(q, "/Root/Lang", "id-ID");
    assert_true(qpdf_oh_get_bool_value(q, at(q, "/Root/ViewerPreferences/DisplayDocTitle")));
    assert_true(qpdf_oh_get_bool_value(q, at(q, "/Root/MarkInfo/Marked")));
    assert_text(q, "/Info/Title", "Regulasi");
    assert_text(q, "/Info/Author", "Kementerian");
    assert_text(q, "/Info/Subject", "Uraian");
    assert_text(q, "/Info/CreationDate", "D:20240315000000Z");
    assert_text(q, "/Info/ModDate", "D:20240315000000Z");
    assert_text(q, "/Info/Producer", "odp");
    assert_true(qpdf_oh_is_name_and_equals(q, qpdf_oh_get_key(q, qpdf_get_page_n(q, 0), "/Tabs"), "/S"));
    assert_int_equal(qpdf_oh_get_array_n_items(q, at(q, "/ID")), 2);
    qpdf_cleanup(&q);
    odp_buffer_release(&out);
}

TEST(structure)
{
    struct odp_buffer out, texts = {0};
    int n = 0, with = 0;
    must(finish(100, 2, &plain, &out));
    qpdf_data q = opened(&out);
    walk(q, at(q, "/Root/StructTreeRoot/K"), "/TH", "/A", &n, &with, &texts);
    assert_int_equal(n, 3);
    assert_string_equal(
        odp_buffer_cstr(&texts),
        "<< /O /Table /Scope /Column >>\n<< /O /Table /Scope /Column >>\n<< /O /Table /Scope /Column >>\n");
    n = with = 0;
    odp_buffer_clear(&texts);
    walk(q, at(q, "/Root/StructTreeRoot/K"), "/Figure", "/Alt", &n, &with, &texts);
    assert_string_equal(odp_buffer_cstr(&texts), "Batang: 3 provinsi (terbesar 12)\nPeta — 5 titik\n");
    n = with = 0;
    walk(q, at(q, "/Root/StructTreeRoot/K"), "/TD", "/A", &n, &with, &texts);
    assert_int_equal(n, 300);
    assert_int_equal(with, 0);
    odp_buffer_release(&texts);
    qpdf_cleanup(&q);
    odp_buffer_release(&out);
}

TEST(figures_must_agree)
{
    struct odp_buffer out;
    for (int figures = 1; figures <= 3; figures += 2) {
        must_fail(finish(2, figures, &plain, &out), "figures");
        odp_buffer_release(&out);
    }
}

TEST(damaged_input)
{
    struct odp_buffer pdf, out = {0};
    draw(&pdf, 2, 2);
    pdf.len /= 2;
    assert_int_equal(odp_print_finish(&pdf, &plain, &out), ODP_FAIL);
    assert_true(strncmp(odp_failure_text(), "finish the PDF: ", 16) == 0);
    odp_failure_clear();
    odp_buffer_release(&out);
    odp_buffer_release(&pdf);
}

TEST(xmp)
{
    static const char *const lines[] = {
        "<?xpacket begin=\"\xef\xbb\xbf\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n",
        "<dc:title><rdf:Alt><rdf:li xml:lang=\"x-default\">Regulasi</rdf:li><rdf:li "
        "xml:lang=\"id\">Regulasi</rdf:li><rdf:li "
        "xml:lang=\"en\">Regulations</rdf:li></rdf:Alt></dc:title>\n",
        "<dc:description><rdf:Alt><rdf:li xml:lang=\"x-default\">Uraian</rdf:li><rdf:li "
        "xml:lang=\"id\">Uraian</rdf:li></rdf:Alt></dc:description>\n",
        "<dc:creator><rdf:Seq><rdf:li>Kementerian</rdf:li></rdf:Seq></dc:creator>\n",
        "<dc:language><rdf:Bag><rdf:li>id-ID</rdf:li></rdf:Bag></dc:language>\n",
        "<dc:identifier>https://data.example.go.id/data/regulasi/2024-03-15/</dc:identifier>\n",
        "<dc:source>sha256:00ff</dc:source>\n",
        "<xmpRights:WebStatement>https://example.org/by/4.0/</xmpRights:WebStatement>\n",
        "<xmp:CreateDate>2024-03-15T00:00:00Z</xmp:CreateDate>\n",
        "<xmp:ModifyDate>2024-03-15T00:00:00Z</xmp:ModifyDate>\n",
        "<pdf:Producer>odp</pdf:Producer>\n"};
    struct odp_buffer out, xmp;
    must(finish(2, 2, &plain, &out));
    qpdf_data q = opened(&out);
    stream(q, "/Root/Metadata", &xmp);
    for (size_t i = 0; i < ODP_COUNT(lines); i++)
        assert_int_equal(count(odp_buffer_cstr(&xmp), lines[i]), 1);
    assert_true(
        qpdf_oh_is_null(q, at(q, "/Root/Metadata/Filter"))); /* to be found by programs that know no PDF */
    odp_buffer_release(&xmp);
    qpdf_cleanup(&q);
    odp_buffer_release(&out);
}

/* Text is text, in PDF and in XML. */
TEST(hostile_text)
{
    struct odp_finish f = plain;
    struct odp_buffer out, xmp;
    f.title = "Rumah (susun) \\ ) endobj \x01 <b>&\"'\xff\xfe end\r\nling\xf0\x9f\x98\x80 \xef\xbf\xbf";
    f.title_en = "]]><x>";
    f.publisher = ")/Author(x";
    f.description = NULL;
    f.licence_url = "\"><rdf:li>";
    f.date = "someday";
    must(finish(2, 2, &f, &out));
    qpdf_data q = opened(&out);
    assert_text(q, "/Info/Title", "Rumah (susun) \\ ) endobj � <b>&\"'�� end  ling😀 �");
    assert_text(q, "/Info/Author", ")/Author(x");
    assert_true(qpdf_oh_is_null(q, at(q, "/Info/Subject")));
    assert_true(qpdf_oh_is_null(q, at(q, "/Info/CreationDate")));
    stream(q, "/Root/Metadata", &xmp);
    const char *text = odp_buffer_cstr(&xmp);
    assert_int_equal(count(text, ">Rumah (susun) \\ ) endobj � &lt;b&gt;&amp;&quot;&#39;�� end  ling😀 �<"),
                     2);
    assert_int_equal(count(text, ">]]&gt;&lt;x&gt;<"), 1);
    assert_int_equal(count(text, "<xmpRights:WebStatement>&quot;&gt;&lt;rdf:li&gt;</xmpRights:WebStatement>"),
                     1);
    assert_int_equal(count(text, "dc:description"), 0);
    assert_int_equal(count(text, "CreateDate"), 0);
    odp_buffer_release(&xmp);
    qpdf_cleanup(&q);
    odp_buffer_release(&out);
}

/* ---- QR codes ---- */

#define SCALE 4

static void check_qr(const char *text)
{
    QRcode *code = QRcode_encodeString(text, 0, QR_ECLEVEL_M, QR_MODE_8, 1);
    assert_non_null(code);
    int modules = code->width + 8, side = modules * SCALE;
    cairo_surface_t *s = cairo_image_surface_create(CAIRO_FORMAT_RGB24, side + 20, side + 20);
    cairo_t *cr = cairo_create(s);
    cairo_set_source_rgb(cr, 1, 0, 0);
    cairo_paint(cr);
    must(odp_print_qr(cr, text, 10, 10, side));
    cairo_surface_flush(s);
    const unsigned char *pixels = cairo_image_surface_get_data(s);
    int stride = cairo_image_surface_get_stride(s);
    for (int y = 0; y < side + 20; y++)
        for (int x = 0; x < side + 20; x++) {
            uint32_t pixel;
            memcpy(&pixel, pixels + (ptrdiff_t)y * stride + 4 * x, sizeof pixel);
            int row = (y - 10) / SCALE - 4, column = (x - 10) / SCALE - 4;
            bool inside = x >= 10 && y >= 10 && x < side + 10 && y < side + 10;
            bool module = row >= 0 && column >= 0 && row < code->width && column < code->width && inside;
            bool dark = module && (code->data[row * code->width + column] & 1) != 0;
            assert_int_equal(pixel & 0xffffff, dark ? 0x000000 : inside ? 0xffffff : 0xff0000);
        }
    cairo_destroy(cr);
    cairo_surface_destroy(s);
    QRcode_free(code);
}

TEST(qr)
{
    check_qr("https://data.example.go.id/data/regulasi/2024-03-15/"
             "regulasi.json#sha256:5f0c2b5f0c2b5f0c2b5f0c2b5f0c2b5f0c2b5f0c2b5f0c2b5f0c2b5f0c2b5f0c");
    check_qr("x");
}

TEST(qr_too_long)
{
    static char text[4000];
    memset(text, 'a', sizeof text - 1);
    cairo_surface_t *s = cairo_recording_surface_create(CAIRO_CONTENT_COLOR_ALPHA, NULL);
    cairo_t *cr = cairo_create(s);
    must_fail(odp_print_qr(cr, text, 0, 0, 100), "");
    cairo_destroy(cr);
    cairo_surface_destroy(s);
}
