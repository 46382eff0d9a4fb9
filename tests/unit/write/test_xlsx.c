/* Workbooks, looked at as what they are: XML in a zip file. Opening them with other programs is the business
 * of the end-to-end tests. */
#include "emit_fixture.h"

#include <signal.h>
#include <sys/resource.h>
#include <zip.h>

#include "write/emitters.h"
#include "write/xlsx/xlsx_internal.h"

#define WORKBOOK "data/uji/2024-03-15/uji.xlsx"

/* ---- making and reading ---- */

static enum odp_status append(struct odp_emit *e, struct fixture *fx, const struct odp_slice *cells,
                              uint32_t n, uint32_t step, const struct odp_geom **geometry)
{
    struct odp_chunk chunk;
    struct odp_batch b;
    enum odp_status status = ODP_OK;
    odp_chunk_init(&chunk);
    must(odp_batch_init(&b, 10));
    for (uint32_t i = 0; i < n && status == ODP_OK; i += step) {
        fx_batch(fx, &b, cells + (size_t)i * fx->resource.schema.n, n - i < step ? n - i : step, i + 1);
        b.geometry = geometry != NULL ? geometry + i : NULL;
        odp_chunk_clear(&chunk);
        must(odp_emitter_xlsx.format_batch(e, &b, &chunk));
        status = odp_emitter_xlsx.append(e, &chunk);
    }
    odp_batch_release(&b);
    odp_chunk_release(&chunk);
    return status;
}

static enum odp_status emit(struct fixture *fx, const struct odp_slice *cells, uint32_t n, uint32_t step,
                            const struct odp_geom **geometry)
{
    static const uint8_t digest[ODP_SHA256_SIZE] = {0xab, 0xcd};
    fx->job.logical = digest;
    struct odp_emit *e = odp_emit_begin(&odp_emitter_xlsx, &fx->job);
    if (e == NULL)
        return ODP_FAIL;
    enum odp_status status = append(e, fx, cells, n, step, geometry);
    if (status == ODP_OK)
        return odp_emit_end(e);
    odp_emit_abort(e);
    return status;
}

/* A part of the workbook as a string; free it. */
static char *part(const struct fixture *fx, const char *name)
{
    char full[512];
    fx_path(fx, WORKBOOK, full);
    int fault;
    zip_t *zip = zip_open(full, ZIP_RDONLY, &fault);
    assert_non_null(zip);
    zip_stat_t st;
    assert_int_equal(zip_stat(zip, name, 0, &st), 0);
    char *text = malloc(st.size + 1);
    assert_non_null(text);
    zip_file_t *f = zip_fopen(zip, name, 0);
    assert_non_null(f);
    assert_int_equal(zip_fread(f, text, st.size), st.size);
    text[st.size] = '\0';
    assert_int_equal(zip_fclose(f), 0);
    zip_discard(zip);
    return text;
}

static void has(const char *text, const char *what)
{
    if (strstr(text, what) == NULL)
        fail_msg("not found: %s\nin: %.6000s", what, text);
}

static void has_not(const char *text, const char *what)
{
    if (strstr(text, what) != NULL)
        fail_msg("found: %s", what);
}

/* The element of a cell without its style: <c r="A2" t="inlineStr">… ; "" for none. */
static void cell(const char *sheet, const char *at, char out[1024])
{
    char head[32];
    snprintf(head, sizeof head, "<c r=\"%s\"", at);
    const char *p = strstr(sheet, head), *end = p != NULL ? strstr(p, "</c>") : NULL;
    size_t len = 0;
    if (end != NULL) {
        const char *style = strstr(p, " s=\""), *rest = p + strlen(head);
        if (style == rest)
            rest = strchr(style + 4, '"') + 1;
        rest += strspn(rest, " ");
        len = (size_t)(end - rest) < 1023 ? (size_t)(end - rest) : 1023;
        memcpy(out, rest, len);
    }
    out[len] = '\0';
}

static void expect(const char *sheet, const char *at, const char *want)
{
    char got[1024];
    cell(sheet, at, got);
    assert_string_equal(got, want);
}

/* The number format of a cell's style. */
static void expect_format(const struct fixture *fx, const char *sheet, const char *at, const char *want)
{
    char head[32], key[64], got[256] = "General";
    snprintf(head, sizeof head, "<c r=\"%s\" s=\"", at);
    const char *p = strstr(sheet, head);
    assert_non_null(p);
    long style = strtol(p + strlen(head), NULL, 10);
    char *styles = part(fx, "xl/styles.xml");
    const char *xf = strstr(styles, "<cellXfs");
    assert_non_null(xf);
    for (long i = 0; i <= style; i++) {
        xf = strstr(xf + 1, "<xf ");
        assert_non_null(xf);
    }
    long id = strtol(strstr(xf, "numFmtId=\"") + 10, NULL, 10);
    snprintf(key, sizeof key, "<numFmt numFmtId=\"%ld\" formatCode=\"", id);
    const char *code = strstr(styles, key);
    if (id >= 164) {
        assert_non_null(code);
        code += strlen(key);
        snprintf(got, sizeof got, "%.*s", (int)strcspn(code, "\""), code);
    }
    assert_string_equal(got, want);
    free(styles);
}

static void set_unit(struct odp_field *f, const char *id, const char *en)
{
    f->unit = (struct odp_text){{id, en}};
}

/* ---- cells ---- */

#define T(s) "t=\"inlineStr\"><is><t>" s "</t></is>"

TEST(text)
{
    FX(fx);
    fx_field(&fx, "teks", ODP_TYPE_STRING);
    const struct odp_slice cells[] = {
        S("=1+1"),   S("+62812"),   S("@x"),     S("-5"),      S("0071"),
        S("<&>\""),  NUL,           S(""),       S("_x0041_"), S("_x000A\r"),
        S("a\r\nb"), S("\x01\x1f"), S("nul\0x"), S(" ujung "), S("\xEF\xBF\xBF")};
    must(emit(&fx, cells, 15, 4, NULL));
    char *s = part(&fx, "xl/worksheets/sheet1.xml");
    expect(s, "A1", T("teks"));
    expect(s, "A2", T("=1+1"));
    expect(s, "A3", T("+62812"));
    expect(s, "A4", T("@x"));
    expect(s, "A5", T("-5"));
    expect(s, "A6", T("0071"));
    expect(s, "A7", T("&lt;&amp;&gt;\""));
    has_not(s, "r=\"A8\"");
    has_not(s, "r=\"A9\"");
    expect(s, "A10", T("_x005F_x0041_"));
    expect(s, "A11", T("_x005F_x000A_x000D_"));
    expect(s, "A12", T("a_x000D_\nb"));
    expect(s, "A13", T("_x0001__x001F_"));
    expect(s, "A14", T("nul_x0000_x"));
    expect(s, "A15", "t=\"inlineStr\"><is><t xml:space=\"preserve\"> ujung </t></is>");
    expect(s, "A16", T("_xFFFF_"));
    expect_format(&fx, s, "A2", "@");
    has_not(s, "<f>");
    free(s);
}

TEST(numbers)
{
    FX(fx);
    set_unit(fx_field(&fx, "pagu", ODP_TYPE_INTEGER), "rupiah", "rupiah");
    set_unit(fx_field(&fx, "luas", ODP_TYPE_NUMBER), "hektare", "hectares");
    set_unit(fx_field(&fx, "bagian", ODP_TYPE_NUMBER), "persen", "percent");
    fx_field(&fx, "halus", ODP_TYPE_NUMBER);
    fx_field(&fx, "tahun", ODP_TYPE_YEAR);
    fx_field(&fx, "id", ODP_TYPE_INTEGER);
    fx_key(&fx, 5, -1);
    const struct odp_slice cells[] = {
        S("123456789012345"),
        S("12"),
        S("12.50"),
        S("0.000000000000000000000000000123"),
        S("2024"),
        S("1"),
        S("1234567890123456"),
        S("7.5"),
        S("99"),
        S("1e20"),
        S("0987"),
        S("2"),
        S("1000000000000000"),
        S("-3"),
        S("-0.25"),
        S("1e400"),
        NUL,
        S("3"),
        S("-1"),
        S("0"),
        S("0.1"),
        S("9.00000000000001"),
        NUL,
        S("4000"),
    };
    must(emit(&fx, cells, 4, 3, NULL));
    char *s = part(&fx, "xl/worksheets/sheet1.xml");
    expect(s, "A1", T("pagu (rupiah)"));
    expect(s, "A2", "><v>123456789012345</v>");
    expect(s, "A3", "><v>1234567890123456</v>");
    expect(s, "A4", "><v>1000000000000000</v>");
    expect(s, "A5", "><v>-1</v>");
    expect(s, "B3", "><v>7.5</v>");
    expect(s, "C2", "><v>12.5</v>");
    expect(s, "C4", "><v>-0.25</v>");
    expect(s, "C5", "><v>0.1</v>");
    expect(s, "D2", T("0.000000000000000000000000000123")); /* 1e400 is beyond Excel: the column is text */
    expect(s, "D3", T("1e20"));
    expect(s, "D4", T("1e400"));
    expect(s, "E2", T("2024"));
    expect(s, "E3", T("0987"));
    expect_format(&fx, s, "A2", "#,##0");
    expect_format(&fx, s, "B2", "#,##0.00");
    expect_format(&fx, s, "C2", "#,##0.00&quot;%&quot;");
    expect_format(&fx, s, "D2", "@");
    expect_format(&fx, s, "F2", "0");
    has(s, "<ignoredError sqref=\"A1:F5\" numberStoredAsText=\"1\"/>");
    free(s);
    s = part(&fx, "xl/worksheets/sheet2.xml");
    has(s, "2 bilangan berangka lebih dari 15 tersimpan utuh");
    free(s);
    s = part(&fx, "xl/comments1.xml");
    has(s, "ref=\"D1\"");
    has(s, "ref=\"E1\"");
    has_not(s, "ref=\"A1\"");
    free(s);
}

/* More than 15 digits: as numbers where the double prints back, in keys never; one value that does not makes
 * its column text. */
TEST(long_numbers)
{
    char at[8];
    FX(fx);
    fx_field(&fx, "luas", ODP_TYPE_NUMBER);
    fx_field(&fx, "pagu", ODP_TYPE_INTEGER);
    fx_field(&fx, "panjang", ODP_TYPE_NUMBER);
    fx_field(&fx, "nik", ODP_TYPE_INTEGER);
    fx_field(&fx, "teks", ODP_TYPE_STRING);
    fx_key(&fx, 3, -1);
    const struct odp_slice cells[] = {
        S("536.7012345678901"),
        S("9007199254740993"),
        S("1.5"),
        S("11"),
        S("<c r=\"A3\"><v>7</v>"),
        S("0.30000000000000004"),
        S("12"),
        S("2.50"),
        S("3201011234567891"),
        S("a"),
        S("-1.7976931348623156e+300"),
        NUL,
        NUL,
        S("12"),
        S(" b"),
        S("0.1"),
        S("4"),
        S("0.1234567890123456789"),
        S("13"),
        S("c"),
        S("0.00012345678901234567"),
        S("5"),
        S("9"),
        S("14"),
        S("d"),
    };
    static const char *const area[] = {"536.7012345678901", "0.30000000000000004", "-1.7976931348623156E+300",
                                       "0.1", "0.00012345678901234567"};
    must(emit(&fx, cells, 5, 2, NULL));
    char *s = part(&fx, "xl/worksheets/sheet1.xml"), got[1024];
    for (unsigned i = 0; i < 5; i++) {
        snprintf(at, sizeof at, "A%u", i + 2);
        cell(s, at, got);
        assert_memory_equal(got, "><v>", 4);
        assert_true(strtod(got + 4, NULL) == strtod(area[i], NULL));
    }
    expect(s, "A3", "><v>0.30000000000000004</v>");
    expect(s, "B2", T("9007199254740993"));
    expect(s, "B3", T("12"));
    expect(s, "C2", T("1.5"));
    expect(s, "C3", T("2.50"));
    expect(s, "C6", T("9"));
    expect(s, "D2", T("11"));
    expect(s, "D3", T("3201011234567891"));
    expect(s, "E2", T("&lt;c r=\"A3\"&gt;&lt;v&gt;7&lt;/v&gt;"));
    expect(s, "E6", T("d"));
    has(s, "<dimension ref=\"A1:E6\"/>");
    free(s);
    s = part(&fx, "xl/worksheets/sheet2.xml");
    has(s, "4 bilangan berangka lebih dari 15 tersimpan utuh");
    has(s, "Kolom ini seluruhnya teks");
    free(s);
}

TEST(times)
{
    FX(fx);
    fx_field(&fx, "hari", ODP_TYPE_DATE);
    fx_field(&fx, "saat", ODP_TYPE_DATETIME);
    fx_field(&fx, "jam", ODP_TYPE_TIME);
    fx_field(&fx, "aktif", ODP_TYPE_BOOLEAN);
    fx_field(&fx, "bulan", ODP_TYPE_YEARMONTH);
    const struct odp_slice cells[] = {
        S("2024-03-15"),
        S("2024-03-15T12:00:00+07:00"),
        S("06:00:00"),
        S("true"),
        S("2024-03"),
        S("1900-03-01"),
        S("2024-03-15T12:00:00.25Z"),
        S("18:00:00.5"),
        S("false"),
        NUL,
        S("1900-02-28"),
        S("1899-03-15T12:00:00Z"),
        S("18:00:00.00001"),
        NUL,
        NUL,
        S("9999-12-31"),
        S("2024-03-15T12:00:00.1234+07:00"),
        NUL,
        NUL,
        NUL,
    };
    must(emit(&fx, cells, 4, 1, NULL));
    char *s = part(&fx, "xl/worksheets/sheet1.xml");
    expect(s, "A2", "><v>45366</v>");
    expect(s, "A3", "><v>61</v>");
    expect(s, "A4", T("1900-02-28"));
    expect(s, "A5", "><v>2958465</v>");
    expect_format(&fx, s, "A2", "yyyy-mm-dd");
    expect(s, "B2", "><v>45366.5</v>");
    expect_format(&fx, s, "B2", "yyyy-mm-dd&quot;T&quot;hh:mm:ss&quot;+07:00&quot;");
    expect_format(&fx, s, "B3", "yyyy-mm-dd&quot;T&quot;hh:mm:ss.00&quot;Z&quot;");
    expect(s, "B4", T("1899-03-15T12:00:00Z"));
    expect(s, "B5", T("2024-03-15T12:00:00.1234+07:00"));
    expect(s, "C2", "><v>0.25</v>");
    expect_format(&fx, s, "C2", "hh:mm:ss");
    expect_format(&fx, s, "C3", "hh:mm:ss.0");
    expect(s, "C4", T("18:00:00.00001"));
    expect(s, "D2", "t=\"b\"><v>1</v>");
    expect(s, "D3", "t=\"b\"><v>0</v>");
    expect(s, "E2", T("2024-03"));
    free(s);
}

/* 40 offsets: more than there are formats stay text. */
TEST(many_offsets)
{
    static char text[40][32];
    struct odp_slice cells[40];
    FX(fx);
    fx_field(&fx, "saat", ODP_TYPE_DATETIME);
    for (int i = 0; i < 40; i++) {
        snprintf(text[i], sizeof text[i], "2024-03-15T12:00:00+01:%02d", i);
        cells[i] = odp_slice_of(text[i]);
    }
    must(emit(&fx, cells, 40, 40, NULL));
    char *s = part(&fx, "xl/worksheets/sheet1.xml");
    expect(s, "A33", "><v>45366.5</v>");
    expect(s, "A34", T("2024-03-15T12:00:00+01:32"));
    expect_format(&fx, s, "A33", "yyyy-mm-dd&quot;T&quot;hh:mm:ss&quot;+01:31&quot;");
    free(s);
}

TEST(too_long)
{
    FX(fx);
    fx_field(&fx, "teks", ODP_TYPE_STRING);
    char *fits = malloc(32767), *over = malloc(4 * 16384);
    assert_non_null(fits);
    assert_non_null(over);
    memset(fits, 'a', 32767);
    for (int i = 0; i < 16384; i++)
        memcpy(over + (size_t)4 * (size_t)i, "\xF0\x9F\x99\x82", 4); /* two UTF-16 units each */
    const struct odp_slice cells[] = {{fits, 32767}, {over, 65536}};
    must(emit(&fx, cells, 2, 2, NULL));
    char *s = part(&fx, "xl/worksheets/sheet1.xml");
    assert_int_equal(strspn(strstr(s, "<t>aaa") + 3, "a"), 32767);
    has(s, "<t>[Teks ini 65536 bita");
    has_not(s, "\xF0\x9F\x99\x82");
    free(s);
    s = part(&fx, "xl/worksheets/sheet2.xml");
    has(s, "1 teks lebih panjang daripada 32.767");
    free(s);
    free(fits);
    free(over);
}

/* ---- sheets ---- */

/* 1,048,577 records: the last two are on a sheet of their own, and the first one says so. */
TEST(overflow)
{
    enum { STEP = 8192, ALL = 1048577 };
    static struct odp_slice cells[STEP];
    struct odp_emit *e;
    FX(fx);
    fx_field(&fx, "aktif", ODP_TYPE_BOOLEAN);
    for (size_t i = 0; i < STEP; i++)
        cells[i] = i == 0 ? S("true") : NUL;
    e = odp_emit_begin(&odp_emitter_xlsx, &fx.job);
    assert_non_null(e);
    for (uint32_t at = 0; at < ALL; at += STEP)
        assert_int_equal(append(e, &fx, cells, ALL - at < STEP ? ALL - at : STEP, STEP, NULL), ODP_OK);
    must(odp_emit_end(e));
    char *s = part(&fx, "xl/worksheets/sheet1.xml");
    has(s, "<autoFilter ref=\"A1:A1048576\"/>");
    free(s);
    s = part(&fx, "xl/worksheets/sheet2.xml");
    expect(s, "A1", T("aktif"));
    expect(s, "A3", "t=\"b\"><v>1</v>"); /* record 1,048,577 is the first of its batch */
    has(s, "<autoFilter ref=\"A1:A3\"/>");
    has(s, "<pane ySplit=\"1\"");
    free(s);
    s = part(&fx, "xl/comments1.xml");
    has(s, "<comment ref=\"A1\"");
    has(s, "seluruhnya 1.048.577 baris di 2 lembar, sampai lembar “Data uji (2)”");
    free(s);
    s = part(&fx, "xl/workbook.xml");
    has(s, "<sheet name=\"Data uji (2)\" sheetId=\"2\"");
    has(s, "<sheet name=\"Keterangan\" sheetId=\"3\"");
    free(s);
}

/* ---- the whole file ---- */

enum { ROWS = 3000 };

static struct odp_slice *many(struct fixture *fx, char (**text)[24])
{
    fx_field(fx, "kode", ODP_TYPE_STRING);
    set_unit(fx_field(fx, "nilai", ODP_TYPE_NUMBER), "persen", "percent");
    struct odp_slice *cells = calloc((size_t)2 * ROWS, sizeof *cells);
    *text = calloc((size_t)2 * ROWS, sizeof **text);
    assert_non_null(cells);
    assert_non_null(*text);
    for (unsigned i = 0; i < 2 * ROWS; i += 2) {
        snprintf((*text)[i], 24, "%06u", i * 7919 % 99991);
        snprintf((*text)[i + 1], 24, "%u.%u", i * 31 % 101, i % 10);
        cells[i] = odp_slice_of((*text)[i]);
        cells[i + 1] = odp_slice_of((*text)[i + 1]);
    }
    return cells;
}

TEST(abort)
{
    struct odp_emit *e;
    const struct odp_slice cells[] = {S("a"), S("b")};
    FX(fx);
    fx_field(&fx, "teks", ODP_TYPE_STRING);
    odp_emit_abort(NULL);
    e = odp_emit_begin(&odp_emitter_xlsx, &fx.job);
    assert_non_null(e);
    must(append(e, &fx, cells, 2, 1, NULL));
    odp_emit_abort(e);
    assert_false(fx_exists(&fx, WORKBOOK));
}

static void set_limit(rlim_t bytes)
{
    struct rlimit r;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &r), 0);
    r.rlim_cur = bytes < r.rlim_max ? bytes : r.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &r), 0);
}

/* Files that may not grow beyond a limit are a disk that is full at that byte, in temporary files too:
 * whatever the limit, the workbook is the same as without one, or the emitter fails and leaves nothing. The
 * library tells of few of these failures. */
TEST(full_disk)
{
    char(*text)[24];
    size_t len, got;
    unsigned failed = 0, made = 0;
    FX(fx);
    struct odp_slice *cells = many(&fx, &text);
    must(emit(&fx, cells, ROWS, ROWS, NULL));
    char *want = fx_read(&fx, WORKBOOK, &len), *sheet = part(&fx, "xl/worksheets/sheet1.xml");
    size_t largest = strlen(sheet);
    fx_drop(&fx, WORKBOOK);
    void (*old)(int) = signal(SIGXFSZ, SIG_IGN);
    int err = dup(STDERR_FILENO); /* the library says on it what failed */
    assert_non_null(freopen("/dev/null", "w", stderr));
    for (rlim_t limit = 0; limit <= largest + 4096; limit += limit + 4096 > largest - 4096 ? 193
                                                             : limit < 8192                ? 509
                                                                                           : 9973) {
        set_limit(limit);
        enum odp_status status = emit(&fx, cells, ROWS, 512, NULL);
        set_limit(RLIM_INFINITY);
        *(status == ODP_OK ? &made : &failed) += 1;
        if (status == ODP_OK) {
            char *bytes = fx_read(&fx, WORKBOOK, &got);
            assert_int_equal(got, len);
            assert_memory_equal(bytes, want, len);
            free(bytes);
            fx_drop(&fx, WORKBOOK);
        } else {
            assert_string_not_equal(odp_failure_text(), "");
            odp_failure_clear();
        }
        assert_false(fx_exists(&fx, WORKBOOK));
    }
    (void)fflush(stderr);
    assert_int_not_equal(dup2(err, STDERR_FILENO), -1);
    (void)close(err);
    (void)signal(SIGXFSZ, old);
    assert_true(failed > 10 && made > 10);
    free(want);
    free(sheet);
    free(cells);
    free(text);
}

/* ---- names and measures ---- */

static void expect_name(const char *title, unsigned part_no, const char *const *used, size_t n,
                        const char *want)
{
    ARENA(a);
    const struct odp_book book = {.arena = &a};
    assert_string_equal(odp_book_sheet_name(&book, title, part_no, used, n), want);
}

TEST(names)
{
    static const char *const used[] = {"Keterangan", "Data", "Data (2)"};
    expect_name("Anggaran kementerian", 1, used, 3, "Anggaran kementerian");
    expect_name("Anggaran kementerian", 2, used, 3, "Anggaran kementerian (2)");
    expect_name("KETERANGAN", 1, used, 3, "KETERANGAN (2)");
    expect_name("data", 1, used, 3, "data (3)");
    expect_name("History", 1, used, 3, "History (2)");
    expect_name("", 1, used, 1, "Data");
    expect_name("'[]:*?/\\'", 1, used, 1, "Data");
    expect_name("a/b:\x01 c", 1, used, 3, "a b c");
    expect_name("Peta permukiman kumuh perkotaan seluruh Indonesia", 1, used, 3,
                "Peta permukiman kumuh perkotaan");
    expect_name("Peta permukiman kumuh perkotaan seluruh Indonesia", 12, used, 3,
                "Peta permukiman kumuh (12)");
    expect_name("1234567890123456789012345678901234567890", 1, used, 3, "1234567890123456789012345678901");
    expect_name("漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢", 1, used, 3,
                "漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢"); /* 90 bytes */
}

TEST(measures)
{
    assert_int_equal(odp_xlsx_lines(S(""), 10), 1);
    assert_int_equal(odp_xlsx_lines(S("satu dua tiga"), 8), 2);
    assert_int_equal(odp_xlsx_lines(S("satu dua tiga"), 7), 3);
    assert_int_equal(odp_xlsx_lines(S("a\nb\n"), 7), 3);
    assert_int_equal(odp_xlsx_lines(S("panjangsekali"), 5), 3);
    assert_int_equal(odp_xlsx_width(S("satu\ndua belas\n")), 9);
    assert_true(odp_xlsx_is_link(S("https://a.id/%20?x=(y)")));
    assert_true(odp_xlsx_is_link(S("HTTP://a")));
    static const char *const bad[] = {
        "https://",      "https:///x",           "https://a b",    "https://a.id/%2",
        "https://a#b#c", "https://a/internal:x", "external:c:\\x", "mailto:a@b",
        "https://é.id",  "https://a\"b",         "ftp://a",        "//a.id",
    };
    for (size_t i = 0; i < ODP_COUNT(bad); i++)
        assert_false(odp_xlsx_is_link(odp_slice_of(bad[i])));
}
