/* PDF files as stewards might bring them, made here byte by byte; those that need a library, with qpdf. */
#include "answer_lines.h"

#include <errno.h>
#include <unistd.h>

#include <qpdf/qpdf-c.h>

#include "read/pdf/document.h"

static char dir[FRESH_FOLDER];
static char path[96];

static int setup(void **state)
{
    fresh_folder(dir, "document");
    snprintf(path, sizeof path, "%s/a.pdf", dir);
    return 0;
}

static int teardown(void **state)
{
    return odp_dir_remove(dir) == ODP_OK ? 0 : -1;
}

/* ---- making files ---- */

struct maker {
    struct odp_buffer out;
    size_t offset[64];
    int n;
};

static void object(struct maker *m, const char *body)
{
    m->offset[m->n++] = m->out.len;
    odp_buffer_printf(&m->out, "%d 0 obj\n%s\nendobj\n", m->n, body);
}

/* A file of the objects BODIES, numbered from 1; the first is the catalogue. */
static void make_with(struct maker *m, const char *const *bodies, const char *trailer)
{
    *m = (struct maker){0};
    odp_buffer_init(&m->out);
    odp_buffer_add_str(&m->out, "%PDF-1.4\n");
    for (size_t i = 0; bodies[i] != NULL; i++)
        object(m, bodies[i]);
    size_t xref = m->out.len;
    odp_buffer_printf(&m->out, "xref\n0 %d\n0000000000 65535 f \n", m->n + 1);
    for (int i = 0; i < m->n; i++)
        odp_buffer_printf(&m->out, "%010zu 00000 n \n", m->offset[i]);
    odp_buffer_printf(&m->out, "trailer\n<< /Size %d /Root 1 0 R%s >>\nstartxref\n%zu\n%%%%EOF\n", m->n + 1,
                      trailer, xref);
}

static void make(struct maker *m, const char *const *bodies)
{
    make_with(m, bodies, "");
}

#define CATALOG "<< /Type /Catalog /Pages 2 0 R >>"
#define PAGE    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R >>"
#define STREAM  "<< /Length 8 >>\nstream\n0 0 m S\n\nendstream"
static const char *const one_page[] = {CATALOG, "<< /Type /Pages /Kids [3 0 R] /Count 1 >>", PAGE, STREAM,
                                       NULL};

static void put(const void *bytes, size_t n)
{
    (void)unlink(path);
    must(odp_file_put(path, (struct odp_slice){bytes, n}, 0644, NULL));
}

static struct odp_document_info look(void)
{
    struct odp_document_info info;
    must(odp_document_inspect(path, &info));
    return info;
}

/* Faults found in a file of BODIES. */
static struct odp_document_info look_at(const char *const *bodies)
{
    struct maker m;
    make(&m, bodies);
    put(m.out.ptr, m.out.len);
    odp_buffer_release(&m.out);
    return look();
}

static void assert_fault(struct odp_document_info info, enum odp_document_fault fault, const char *why)
{
    assert_int_equal(info.fault, fault);
    assert_string_equal(info.why, why);
    assert_int_equal(info.pages, 0);
}

/* ---- good ones ---- */

TEST(sound)
{
    struct maker m;
    uint8_t digest[ODP_SHA256_SIZE];
    make(&m, one_page);
    put(m.out.ptr, m.out.len);
    struct odp_document_info info = look();
    assert_int_equal(info.fault, ODP_DOCUMENT_OK);
    assert_int_equal(info.pages, 1);
    assert_int_equal(info.bytes, m.out.len);
    must(odp_digest_of(m.out.ptr, m.out.len, digest));
    assert_memory_equal(info.sha256, digest, sizeof digest);
    assert_false(info.has_scripts);
    assert_string_equal(info.why, "");
    odp_buffer_release(&m.out);
}

TEST(pages_are_counted_through_the_tree)
{
    static const char *const bodies[] = {
        CATALOG,
        "<< /Type /Pages /Kids [3 0 R 5 0 R 3 0 R] /Count 5 >>",
        PAGE,
        STREAM,
        "<< /Type /Pages /Parent 2 0 R /Kids [6 0 R 7 0 R] /Count 3 >>",
        "<< /Type /Page /Parent 5 0 R /MediaBox [0 0 9 9] >>",
        "<< /Type /Pages /Parent 5 0 R /Kids [6 0 R 3 0 R] /Count 2 >>",
        NULL,
    };
    assert_int_equal(look_at(bodies).fault, ODP_DOCUMENT_OK);
    assert_int_equal(look().pages, 5);
}

/* What qpdf writes itself, with and without object streams; with a password, and with restrictions alone. */
static void rewrite(const char *user, const char *owner, bool restricted)
{
    struct maker m;
    qpdf_data q = qpdf_init();
    make(&m, one_page);
    assert_int_equal(qpdf_read_memory(q, "a", m.out.ptr, m.out.len, NULL), QPDF_SUCCESS);
    assert_int_equal(qpdf_init_write_memory(q), QPDF_SUCCESS);
    qpdf_set_object_stream_mode(q, qpdf_o_generate);
    if (user != NULL)
        qpdf_set_r6_encryption_parameters2(q, user, owner, QPDF_TRUE, QPDF_TRUE, QPDF_TRUE, QPDF_TRUE,
                                           QPDF_TRUE, QPDF_TRUE, restricted ? qpdf_r3p_none : qpdf_r3p_full,
                                           QPDF_TRUE);
    assert_int_equal(qpdf_write(q), QPDF_SUCCESS);
    put(qpdf_get_buffer(q), qpdf_get_buffer_length(q));
    qpdf_cleanup(&q);
    odp_buffer_release(&m.out);
}

TEST(object_streams)
{
    rewrite(NULL, NULL, false);
    assert_int_equal(look().fault, ODP_DOCUMENT_OK);
    assert_int_equal(look().pages, 1);
}

TEST(encrypted)
{
    rewrite("rahasia", "pemilik", false);
    assert_fault(look(), ODP_DOCUMENT_ENCRYPTED, "");
    rewrite("", "pemilik", true);
    assert_fault(look(), ODP_DOCUMENT_ENCRYPTED, "");
    assert_true(look().bytes > 0);
}

/* ---- no PDF, not there ---- */

TEST(no_pdf)
{
    static const char *const files[] = {"", "%PDF", "<!DOCTYPE html><html>%PDF-1.4",
                                        "PK\003\004 word/document.xml", "\n%PDF-1.4\n"};
    for (size_t i = 0; i < ODP_COUNT(files); i++) {
        put(files[i], strlen(files[i]));
        assert_fault(look(), ODP_DOCUMENT_NO_PDF, "");
        assert_int_equal(look().bytes, strlen(files[i]));
    }
}

TEST(absent)
{
    (void)unlink(path);
    assert_fault(look(), ODP_DOCUMENT_ABSENT, "");
    assert_int_equal(look().errnum, ENOENT);
    assert_int_equal(mkdir(path, 0755), 0);
    assert_fault(look(), ODP_DOCUMENT_ABSENT, "");
    assert_int_equal(look().errnum, EISDIR);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(mkfifo(path, 0644), 0);
    assert_fault(look(), ODP_DOCUMENT_ABSENT, "");
    assert_int_equal(unlink(path), 0);
}

TEST(large)
{
    put("%PDF-1.4\n", 9);
    assert_int_equal(truncate(path, (off_t)ODP_DOCUMENT_BYTES_MAX + 1), 0); /* a hole: takes no room */
    struct odp_document_info info = look();
    assert_int_equal(info.fault, ODP_DOCUMENT_LARGE);
    assert_int_equal(info.bytes, (uint64_t)ODP_DOCUMENT_BYTES_MAX + 1);
    (void)unlink(path);
}

/* ---- damaged ones ---- */

TEST(truncated_anywhere)
{
    struct maker m;
    make(&m, one_page);
    for (size_t n = 8; n + 7 < m.out.len; n += 3) { /* the last line may lack its end */
        put(m.out.ptr, n);
        struct odp_document_info info = look();
        assert_int_equal(info.fault, ODP_DOCUMENT_DAMAGED);
        assert_true(strlen(info.why) > 0);
    }
    odp_buffer_release(&m.out);
}

TEST(no_pages)
{
    static const char *const none[] = {CATALOG, "<< /Type /Pages /Kids [] /Count 0 >>", NULL};
    static const char *const wrong[] = {CATALOG, "<< /Type /Pages /Kids [3 0 R] /Count 2 >>", PAGE, STREAM,
                                        NULL};
    static const char *const lost[] = {CATALOG, "<< /Type /Pages /Kids [9 0 R] /Count 1 >>", NULL};
    static const char *const flat[] = {CATALOG, "<< /Type /Pages /Count 1 >>", NULL};
    static const char *const nothing[] = {"<< /Type /Catalog >>", NULL};
    static const char *const contents[] = {CATALOG, "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
                                           "<< /Type /Page /Contents (x) >>", NULL};
    assert_fault(look_at(none), ODP_DOCUMENT_DAMAGED, "it has no page");
    assert_fault(look_at(wrong), ODP_DOCUMENT_DAMAGED, "it does not have as many pages as it says");
    assert_fault(look_at(lost), ODP_DOCUMENT_DAMAGED, "the page tree names a page that is not there");
    assert_fault(look_at(flat), ODP_DOCUMENT_DAMAGED, "a node of the page tree has no /Kids");
    struct odp_document_info info = look_at(nothing); /* newer versions of qpdf say so themselves */
    assert_fault(info, ODP_DOCUMENT_DAMAGED,
                 strcmp(info.why, "unable to find page tree") == 0 ? info.why : "it has no page");
    assert_fault(look_at(contents), ODP_DOCUMENT_DAMAGED, "the contents of a page are no stream");
}

/* Trees that would take for ever, or all of the stack. */
TEST(trees_without_end)
{
    static const char *const ring[] = {CATALOG, "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
                                       "<< /Type /Pages /Kids [2 0 R] /Count 1 >>", NULL};
    char text[40][80];
    const char *doubling[42] = {CATALOG};
    assert_fault(look_at(ring), ODP_DOCUMENT_DAMAGED, "the page tree is nested too deep, or contains itself");
    for (int i = 0; i < 40; i++) {
        snprintf(text[i], sizeof text[i], "<< /Type /Pages /Kids [%d 0 R %d 0 R] /Count 9 >>", i + 3, i + 3);
        doubling[i + 1] = text[i];
    }
    doubling[40] = "<< /Type /Page >>";
    doubling[41] = NULL;
    assert_fault(look_at(doubling), ODP_DOCUMENT_DAMAGED,
                 "the page tree has too many entries, or contains itself");
}

/* A table of objects that points beside them. */
TEST(wrong_table)
{
    struct maker m;
    make(&m, one_page);
    char *entry = strstr(odp_buffer_cstr(&m.out), "00000 n");
    entry[-3] = '3';
    put(m.out.ptr, m.out.len);
    assert_int_equal(look().fault, ODP_DOCUMENT_DAMAGED);
    odp_buffer_release(&m.out);
}

/* What readers agree on is no damage: a wrong /Size, and bytes behind the end. */
TEST(harmless)
{
    struct maker m;
    make(&m, one_page);
    char *size = strstr(odp_buffer_cstr(&m.out), "/Size 5");
    size[6] = '9';
    odp_buffer_add_str(&m.out, "\r\n\r\n");
    put(m.out.ptr, m.out.len);
    assert_int_equal(look().fault, ODP_DOCUMENT_OK);
    odp_buffer_release(&m.out);
}

/* What the library says may quote the file. */
TEST(why_is_clean)
{
    static const char *const bodies[] = {CATALOG, "<< /Type /Pages /Kids [3 0 R] \x1b[31m\xff\n /Count 1 >>",
                                         PAGE, STREAM, NULL};
    struct odp_document_info info = look_at(bodies);
    assert_int_equal(info.fault, ODP_DOCUMENT_DAMAGED);
    assert_true(strlen(info.why) > 0);
    for (const char *p = info.why; *p != '\0'; p++)
        assert_true(*p >= ' ' && *p <= '~');
    assert_null(strstr(info.why, dir));
}

/* ---- programs inside ---- */

/* Questions of documents.txt. */
static void add_scripts(struct odp_buffer *out, char *text)
{
    char catalog[300], page[300], *at = strstr(text, " | "), *fifth = strstr(at + 3, " | ");
    *at = *fifth = '\0';
    snprintf(catalog, sizeof catalog, "<< /Type /Catalog /Pages 2 0 R %s >>", text);
    snprintf(page, sizeof page, "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] %s >>", at + 3);
    const struct odp_document_info info = look_at((const char *const[]){
        catalog, "<< /Type /Pages /Kids [3 0 R] /Count 1 >>", page, STREAM, fifth + 3, NULL});
    assert_int_equal(info.fault, ODP_DOCUMENT_OK);
    assert_int_equal(info.pages, 1);
    odp_buffer_add_str(out, info.has_scripts ? "yes" : "no");
}

static void answer(void *ctx, struct odp_slice question, struct odp_buffer *out)
{
    static const uint8_t digest[ODP_SHA256_SIZE] = {0x0a, 0x1b, 0x2c, 0x3d, 0x4e, 0x5f, 0x60, 0x71, 0x82};
    ARENA(a);
    char *text = odp_arena_str(&a, strchr(question.ptr, ' ') + 1);
    if (*question.ptr == 's') {
        add_scripts(out, text);
    } else {
        odp_buffer_add_str(out, odp_document_path("arsip/dokumen", odp_slice_of(text), digest, &a));
    }
}

TEST(scripts_and_names)
{
    answer_lines("read/documents.txt", answer, NULL);
}

AROUND(setup, teardown)
