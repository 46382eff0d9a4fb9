/* Workbooks, looked at as what they are: XML in a zip file. Opening them with other programs is the business
 * of the end-to-end tests. */
#include "answer_lines.h"
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
static void add_format(struct odp_buffer *out, const struct fixture *fx, const char *sheet, const char *at)
{
    char head[32], key[64];
    snprintf(head, sizeof head, "<c r=\"%s\" s=\"", at);
    const char *p = strstr(sheet, head);
    if (p == NULL)
        return;
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
        odp_buffer_printf(out, " as %.*s", (int)strcspn(code, "\""), code);
    }
    free(styles);
}

/* ---- cells ---- */

#define T(s) "t=\"inlineStr\"><is><t>" s "</t></is>"

/* Questions of workbooks.txt:
 *
 *   begin                        a workbook without fields
 *   field NAME TYPE [UNIT UNIT]  in both languages
 *   key FIELD
 *   row A|B|C                    a record; null is ∅
 *   make STEP                    the workbook, of batches of so many records
 *   in PART                      what is asked from now on, its sheet at first
 *   cell A1                      its content, and its number format
 *   says TEXT                    yes or no
 *
 * and the small functions below a workbook. */
struct script {
    struct fixture fx;
    struct odp_arena arena;
    struct odp_slice cells[100];
    uint32_t n;
    char *part;
};

static void end(struct script *s)
{
    if (s->fx.dir[0] != '\0')
        fx_release(&s->fx);
    odp_arena_release(&s->arena);
    free(s->part);
    *s = (struct script){.n = 0};
}

static void add_field(struct script *s, char *text)
{
    char *rest = text;
    const char *name = strsep(&rest, " "), *type = strsep(&rest, " "), *unit = strsep(&rest, " ");
    for (int t = 0; t < ODP_TYPE_COUNT; t++)
        if (strcmp(type, odp_type_name((enum odp_type)t)) == 0)
            fx_field(&s->fx, name, (enum odp_type)t)->unit = (struct odp_text){{unit, rest}};
}

static void add_row(struct script *s, struct odp_slice row)
{
    const char *end = row.ptr + row.len, *bar;
    for (const char *at = row.ptr; at <= end; at = bar + 1) {
        bar = memchr(at, '|', (size_t)(end - at));
        bar = bar != NULL ? bar : end;
        const struct odp_slice text = {at, (size_t)(bar - at)};
        s->cells[s->n++] = odp_slice_is(text, "∅") ? NUL : text;
    }
}

static void add_name(struct odp_buffer *out, char *text, struct odp_arena *a)
{
    static const char *const used[] = {"Keterangan", "Data", "Data (2)"};
    const struct odp_book book = {.arena = a};
    char *title;
    const unsigned long number = strtoul(text, &title, 10), n = strtoul(title, &title, 10);
    odp_buffer_add_str(out, odp_book_sheet_name(&book, title + 1, (unsigned)number, used, n));
}

static void measure(const char *verb, const char *text, struct odp_buffer *out)
{
    char *end;
    const uint32_t width = (uint32_t)strtoul(text, &end, 10);
    const struct odp_slice measured = odp_slice_of(end + 1);
    if (strcmp(verb, "link") == 0)
        odp_buffer_add_str(out, odp_xlsx_is_link(measured) ? "yes" : "no");
    else
        odp_buffer_add_u64(out, strcmp(verb, "lines") == 0 ? odp_xlsx_lines(measured, width)
                                                           : odp_xlsx_width(measured));
}

static void ask(struct script *s, const char *verb, struct odp_slice text, struct odp_buffer *out)
{
    char got[1024];
    if (strcmp(verb, "make") == 0) {
        const uint32_t rows = s->n / s->fx.resource.schema.n;
        must(emit(&s->fx, s->cells, rows, (uint32_t)atoi(text.ptr), NULL));
    }
    if (strcmp(verb, "make") == 0 || strcmp(verb, "in") == 0) {
        free(s->part);
        s->part = part(&s->fx, *verb == 'm' ? "xl/worksheets/sheet1.xml" : text.ptr);
    } else if (strcmp(verb, "cell") == 0) {
        cell(s->part, text.ptr, got);
        odp_buffer_add_str(out, *got != '\0' ? got : "none");
        add_format(out, &s->fx, s->part, text.ptr);
    } else if (strcmp(verb, "says") == 0) {
        odp_buffer_add_str(out, strstr(s->part, text.ptr) != NULL ? "yes" : "no");
    } else if (strcmp(verb, "name") == 0) {
        add_name(out, odp_arena_str(&s->arena, text.ptr), &s->arena);
    } else {
        measure(verb, text.ptr, out);
    }
}

static void answer(void *ctx, struct odp_slice question, struct odp_buffer *out)
{
    struct script *s = ctx;
    const struct odp_slice kept = odp_arena_copy(&s->arena, question);
    const size_t verb = strcspn(kept.ptr, " ");
    char *text = (char *)(uintptr_t)kept.ptr + verb;
    if (*text != '\0')
        *text++ = '\0';
    if (strcmp(kept.ptr, "begin") == 0) {
        end(s);
        fx_init(&s->fx);
    } else if (strcmp(kept.ptr, "field") == 0) {
        add_field(s, text);
    } else if (strcmp(kept.ptr, "key") == 0) {
        fx_key(&s->fx, (uint32_t)atoi(text), -1);
    } else if (strcmp(kept.ptr, "row") == 0) {
        add_row(s, (struct odp_slice){text, kept.len - verb - 1});
    } else {
        ask(s, kept.ptr, (struct odp_slice){text, strlen(text)}, out);
    }
}

TEST(workbooks)
{
    struct script s = {.n = 0};
    answer_lines("write/workbooks.txt", answer, &s);
    end(&s);
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
    BUFFER(format);
    add_format(&format, &fx, s, "A33");
    assert_string_equal(odp_buffer_cstr(&format), " as yyyy-mm-dd&quot;T&quot;hh:mm:ss&quot;+01:31&quot;");
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
    EXPECT(s, "<t>[Teks ini 65536 bita");
    EXPECT(s, "!", "\xF0\x9F\x99\x82");
    free(s);
    s = part(&fx, "xl/worksheets/sheet2.xml");
    EXPECT(s, "1 teks lebih panjang daripada 32.767");
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
    EXPECT(s, "<autoFilter ref=\"A1:A1048576\"/>");
    free(s);
    s = part(&fx, "xl/worksheets/sheet2.xml");
    expect(s, "A1", T("aktif"));
    expect(s, "A3", "t=\"b\"><v>1</v>"); /* record 1,048,577 is the first of its batch */
    EXPECT(s, "<autoFilter ref=\"A1:A3\"/>");
    EXPECT(s, "<pane ySplit=\"1\"");
    free(s);
    s = part(&fx, "xl/comments1.xml");
    EXPECT(s, "<comment ref=\"A1\"");
    EXPECT(s, "seluruhnya 1.048.577 baris di 2 lembar, sampai lembar “Data uji (2)”");
    free(s);
    s = part(&fx, "xl/workbook.xml");
    EXPECT(s, "<sheet name=\"Data uji (2)\" sheetId=\"2\"");
    EXPECT(s, "<sheet name=\"Keterangan\" sheetId=\"3\"");
    free(s);
}

/* ---- the whole file ---- */

enum { ROWS = 3000 };

static struct odp_slice *many(struct fixture *fx, char (**text)[24])
{
    fx_field(fx, "kode", ODP_TYPE_STRING);
    fx_field(fx, "nilai", ODP_TYPE_NUMBER)->unit = (struct odp_text){{"persen", "percent"}};
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
