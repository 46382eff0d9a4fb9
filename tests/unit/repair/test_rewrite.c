/* tools/odp-build/repair: edits of a CSV file change what they name and not one other byte, in every dialect
 * and encoding that the reader knows. */
#include "answer_lines.h"
#include "csv_fixture.h"
#include "random.h"

#include <dirent.h>
#include <errno.h>
#include <iconv.h>

#include "base/file.h"
#include "repair/edits.h"

/* ---- a file, its edits, the result ---- */

struct bench {
    struct fixture x;
    char dir[FRESH_FOLDER], path[128];
    struct odp_edits *edits;
    struct odp_rewritten done;
};

static void bench_init(struct bench *b, const char *names)
{
    memset(b, 0, sizeof *b);
    fixture_init(&b->x, names);
    fresh_folder(b->dir, "rewrite");
    snprintf(b->path, sizeof b->path, "%s/uji.csv", b->dir);
    must(odp_edits_new(&b->edits, &b->x.resource));
}

static void bench_release(struct bench *b)
{
    must(odp_dir_remove(b->dir));
    odp_edits_free(b->edits);
    fixture_release(&b->x);
}
#define BENCH(v, ...) OWNED(bench, v, bench, &v, __VA_ARGS__)

static struct odp_slice get_bytes(struct bench *b, const char *path)
{
    struct odp_buffer bytes = {0};
    must(odp_file_read(path, 1 << 26, &bytes, NULL));
    struct odp_slice s = odp_arena_copy(&b->x.arena, odp_buffer_slice(&bytes));
    odp_buffer_release(&bytes);
    return s;
}

static enum odp_status rewrite(struct bench *b, bool dry)
{
    const struct odp_rewriting how = {.path = b->path, .file = "uji.csv", .dry = dry};
    enum odp_status status = odp_rewrite(b->edits, &how, &b->x.arena, &b->done, b->x.diags);
    assert_int_not_equal(status, ODP_FAIL);
    return status;
}

static void cell(struct bench *b, uint64_t row, uint32_t field, const char *text)
{
    odp_edits_cell(b->edits, row, field, odp_slice_of(text));
}

static size_t names_in(const char *dir)
{
    struct odp_arena a = {0};
    const char **names;
    size_t n;
    must(odp_dir_list(dir, &a, &names, &n));
    odp_arena_release(&a);
    return n;
}

/* Rewrites BEFORE and tells whether it was, as the trial said: then BEFORE is kept, else unchanged. Nothing
 * else lies about. */
static bool try_bytes(struct bench *b, const char *before, size_t n)
{
    char original[160];
    snprintf(original, sizeof original, "%s.asli", b->path);
    put_bytes(b->path, before, n);
    enum odp_status status = rewrite(b, true);
    assert_int_equal(names_in(b->dir), 1);
    if (status == ODP_OK) {
        assert_null(b->done.original);
        must(rewrite(b, false));
        assert_string_equal(b->done.original, original);
    } else {
        odp_diags_clear(b->x.diags);
        must_refuse(rewrite(b, false));
    }
    assert_int_equal(names_in(b->dir), status == ODP_OK ? 2 : 1);
    assert_true(
        odp_slice_eq(get_bytes(b, status == ODP_OK ? original : b->path), (struct odp_slice){before, n}));
    return status == ODP_OK;
}

static bool tried(struct bench *b, const char *before)
{
    return try_bytes(b, before, strlen(before));
}

static void expect_bytes(struct bench *b, const char *before, size_t nbefore, const char *after,
                         size_t nafter)
{
    assert_true(try_bytes(b, before, nbefore));
    struct odp_slice now = get_bytes(b, b->path);
    if (now.len != nafter || memcmp(now.ptr, after, nafter) != 0)
        fail_msg("expected [%.*s]\n     got [%.*s]", (int)nafter, after, (int)now.len, now.ptr);
}

static void expect(struct bench *b, const char *before, const char *after)
{
    expect_bytes(b, before, strlen(before), after, strlen(after));
}

static uint64_t said(const struct bench *b, enum odp_code code)
{
    return odp_diags_code_count(b->x.diags, code);
}

/* An edit that does not fit changes nothing and says CODE. */
static void expect_refused(struct bench *b, const char *before, enum odp_code code)
{
    put_bytes(b->path, before, strlen(before));
    must_refuse(rewrite(b, false));
    assert_int_equal(said(b, code), 1);
    assert_true(odp_slice_is(get_bytes(b, b->path), before));
    assert_int_equal(names_in(b->dir), 1);
}

/* EDITS, in words: "2.1=x" a cell ("2.1" an empty one), "2:1=x" the cell of a column, "-2" a record goes,
 * "+7|a" one comes ("+": of empty cells), "1*2" two lines go, "3@6=nama" a label; with ';' between them. */
static void ask(struct bench *b, const char *edits)
{
    char text[256], *rest = NULL;
    snprintf(text, sizeof text, "%s", edits);
    for (char *e = strtok_r(text, ";", &rest); e != NULL; e = strtok_r(NULL, ";", &rest)) {
        unsigned long long at = strtoull(e + (*e == '-'), NULL, 10);
        const char *kind = e + strspn(e, "0123456789"), *value = strchr(e, '='), *bar = strchr(e, '|');
        uint32_t place = *kind != '\0' ? (uint32_t)strtoul(kind + 1, NULL, 10) : 0;
        struct odp_slice word = odp_slice_of(value != NULL ? value + 1 : NULL);
        if (*e == '+') {
            struct odp_slice first = {e + 1, bar != NULL ? (size_t)(bar - e - 1) : 0}, none = {NULL, 0};
            odp_edits_append(b->edits,
                             (const struct odp_slice[]){bar != NULL ? first : none,
                                                        bar != NULL ? odp_slice_of(bar + 1) : none});
        } else if (*e == '-') {
            odp_edits_delete(b->edits, at);
        } else if (*kind == '.') {
            odp_edits_cell(b->edits, at, place, word);
        } else if (*kind == ':') {
            odp_edits_column_cell(b->edits, at, place, word);
        } else if (*kind == '*') {
            odp_edits_delete_lines(b->edits, at, place);
        } else {
            odp_edits_label(b->edits, at, place, word);
        }
    }
}

/* Questions of edits.txt: "fields NAMES", "edits EDITS" (as above), "on TEXT": what it becomes, up to "|",
 * and what was counted. */
struct asked {
    char fields[64], edits[256];
};

static void answer(void *ctx, struct odp_slice question, struct odp_buffer *out)
{
    struct asked *q = ctx;
    if (strncmp(question.ptr, "fields ", 7) == 0) {
        snprintf(q->fields, sizeof q->fields, "%s", question.ptr + 7);
        return;
    }
    if (strncmp(question.ptr, "edits ", 6) == 0) {
        snprintf(q->edits, sizeof q->edits, "%s", question.ptr + 6);
        return;
    }
    BENCH(b, q->fields);
    ask(&b, q->edits);
    if (tried(&b, question.ptr + 3)) {
        odp_buffer_add_slice(out, get_bytes(&b, b.path));
        odp_buffer_printf(out, "|\ncells %d, records -%d +%d, labels %d, lines %d", (int)b.done.cells,
                          (int)b.done.deleted, (int)b.done.appended, (int)b.done.labels, (int)b.done.lines);
    } else {
        assert_int_equal(said(&b, ODP_A02), 1);
        odp_buffer_add_str(out, "refused");
    }
}

TEST(edits)
{
    answer_lines("repair/edits.txt", answer, &(struct asked){0});
}

/* ---- cells ---- */

TEST(a_cell_is_quoted_when_it_must_or_was)
{
    static const struct {
        const char *text, *plain, *quoted;
    } cases[] = {
        {"x", "x", "\"x\""},
        {"", "", "\"\""},
        {"a,b", "\"a,b\"", "\"a,b\""},
        {"a\"b", "\"a\"\"b\"", "\"a\"\"b\""},
        {"a\nb", "\"a\nb\"", "\"a\nb\""},
        {"a\r\nb", "\"a\r\nb\"", "\"a\r\nb\""},
        {" a ", " a ", "\" a \""},
        {"a;b", "a;b", "\"a;b\""},
        {"\"", "\"\"\"\"", "\"\"\"\""},
    };
    for (size_t i = 0; i < ODP_COUNT(cases); i++)
        for (int was = 0; was < 2; was++) {
            char after[200];
            BENCH(b, "a b c");
            cell(&b, 2, 1, cases[i].text);
            snprintf(after, sizeof after, "a,b,c\n1,\"2\",3\n4,%s,6\n7,8,9\n",
                     was ? cases[i].quoted : cases[i].plain);
            expect(&b, was ? "a,b,c\n1,\"2\",3\n4,\"5\",6\n7,8,9\n" : "a,b,c\n1,\"2\",3\n4,5,6\n7,8,9\n",
                   after);
            assert_int_equal(b.done.cells, 1);
        }
}

TEST(what_is_there_already_is_no_edit)
{
    BENCH(b, "a b");
    cell(&b, 1, 0, "1");
    put_bytes(b.path, "a,b\n\"1\",2\n", 10);
    must(rewrite(&b, false));
    assert_null(b.done.original);
    assert_int_equal(b.done.cells, 0);
    assert_int_equal(names_in(b.dir), 1);
}

/* ---- dialects ---- */

TEST(dialects)
{
    static const struct {
        struct odp_dialect d;
        const char *text, *before, *after;
    } cases[] = {
        {{.delimiter = ';', .quote = '"', .double_quote = true},
         "a;b",
         "a;b\r\n1;2\r\n",
         "a;b\r\n1;\"a;b\"\r\n"},
        {{.delimiter = '\t', .quote = '"', .double_quote = true},
         "a\tb",
         "a\tb\n1\t2\n",
         "a\tb\n1\t\"a\tb\"\n"},
        {{.delimiter = '|', .quote = '\'', .double_quote = true}, "it's|", "a|b\n1|2\n", "a|b\n1|'it''s|'\n"},
        {{.delimiter = ',', .quote = '"', .escape = '\\'},
         "a\"b\\c",
         "a,b\n1,\"2\"\n",
         "a,b\n1,\"a\\\"b\\\\c\"\n"},
        {{.delimiter = ',', .quote = '"', .escape = '\\'}, "a\\c", "a,b\n1,2\n", "a,b\n1,a\\\\c\n"},
        {{.delimiter = ',', .escape = '\\'}, "a,b\nc", "a,b\n1,2\n", "a,b\n1,a\\,b\\\nc\n"},
        {{.delimiter = ',', .quote = '"', .double_quote = true, .skip_initial_space = true},
         " x",
         "a, b\n1, 2\n",
         "a, b\n1, \" x\"\n"},
        {{.delimiter = ',', .quote = '"', .double_quote = true, .comment = '#'},
         "y",
         "# c\na,b\n# d\n1,2\n#e\n",
         "# c\na,b\n# d\n1,y\n#e\n"},
        {{.delimiter = ','}, "plain", "a,b\n1,2\n", "a,b\n1,plain\n"},
    };
    for (size_t i = 0; i < ODP_COUNT(cases); i++) {
        BENCH(b, "a b");
        struct odp_dialect d = cases[i].d;
        d.header = true;
        d.header_join = " ";
        d.header_rows = b.x.resource.dialect.header_rows;
        d.nheader_rows = 1;
        d.declared = true;
        b.x.resource.dialect = d;
        cell(&b, 1, 1, cases[i].text);
        expect(&b, cases[i].before, cases[i].after);
    }
}

TEST(what_a_dialect_cannot_hold_is_refused)
{
    struct bench b;
    bench_init(&b, "a b");
    b.x.resource.dialect.quote = '\0';
    b.x.resource.dialect.double_quote = false;
    cell(&b, 1, 1, "a,b");
    expect_refused(&b, "a,b\n1,2\n", ODP_A05);
    bench_release(&b);
    bench_init(&b, "a b");
    b.x.resource.dialect.double_quote = false;
    cell(&b, 1, 1, "a\"b");
    expect_refused(&b, "a,b\n1,2\n", ODP_A05);
    bench_release(&b);
    /* The first cell begins like a comment. */
    bench_init(&b, "a b");
    b.x.resource.dialect.comment = '#';
    cell(&b, 1, 0, "#1");
    expect(&b, "a,b\n1,2\n", "a,b\n\"#1\",2\n");
    bench_release(&b);
}

/* ---- encodings ---- */

static struct odp_slice encode(struct bench *b, const char *encoding, const char *mark, size_t nmark,
                               const char *text)
{
    iconv_t cd = iconv_open(encoding, "UTF-8");
    assert_true(cd != (iconv_t)-1);
    size_t left = strlen(text), cap = left * 4 + 16, space = cap;
    char *out = odp_arena_alloc(&b->x.arena, cap + nmark), *to = out + nmark, *in = (char *)(uintptr_t)text;
    memcpy(out, mark, nmark);
    assert_true(iconv(cd, &in, &left, &to, &space) != (size_t)-1);
    iconv_close(cd);
    return (struct odp_slice){out, nmark + cap - space};
}

static const struct {
    const char *declared, *encoder, *mark;
    size_t nmark;
    bool wide; /* has more than Latin characters */
} encodings[] = {
    {"utf-8", "UTF-8", "", 0, true},
    {"windows-1252", "WINDOWS-1252", "", 0, false},
    {"latin1", "ISO-8859-1", "", 0, false},
    {"utf-16", "UTF-16LE", "\xFF\xFE", 2, true},
    {"utf-16", "UTF-16BE", "\xFE\xFF", 2, true},
    {"utf-16le", "UTF-16LE", "", 0, true},
    {"utf-32", "UTF-32LE", "\xFF\xFE\0\0", 4, true},
    {"shift_jis", "SHIFT_JIS", "", 0, false},
    {"gb18030", "GB18030", "", 0, true},
    {"cp850", "CP850", "", 0, false},
};

TEST(encodings)
{
    for (size_t i = 0; i < ODP_COUNT(encodings); i++) {
        bool latin = strcmp(encodings[i].declared, "shift_jis") != 0;
        BENCH(b, "a b");
        b.x.resource.encoding = encodings[i].declared;
        b.x.resource.encoding_declared = true;
        const char *before =
            latin ? "a,b\r\né,ñ\r\nü,\"ö\r\n\"\r\nx,y" : "a,b\r\n日,本\r\n語,\"ア\r\n\"\r\nx,y";
        const char *after =
            latin ? "a,b\r\né,\"ä;,\"\r\nü,\"ö\r\n\"\r\n£,y" : "a,b\r\n日,\"ア;,\"\r\n語,\"ア\r\n\"\r\n本,y";
        cell(&b, 1, 1, latin ? "ä;," : "ア;,");
        cell(&b, 3, 0, latin ? "£" : "本");
        struct odp_slice from =
            encode(&b, encodings[i].encoder, encodings[i].mark, encodings[i].nmark, before);
        struct odp_slice to = encode(&b, encodings[i].encoder, encodings[i].mark, encodings[i].nmark, after);
        expect_bytes(&b, from.ptr, from.len, to.ptr, to.len);
    }
}

TEST(text_that_the_encoding_lacks)
{
    struct bench b;
    bench_init(&b, "a b");
    b.x.resource.encoding = "windows-1252";
    b.x.resource.encoding_declared = true;
    cell(&b, 1, 1, "10 Ω");
    expect_refused(&b, "a,b\n1,2\n", ODP_A01);
    size_t n;
    const struct odp_diag *d = &odp_diags_groups(b.x.diags, &n)[0]->examples->diag;
    assert_int_equal(d->row, 1);
    assert_int_equal(d->line, 2);
    assert_string_equal(d->field, "b");
    assert_true(odp_slice_is(d->args[0], "Ω"));
    assert_true(odp_slice_is(d->args[2], "U+03A9"));
    assert_true(odp_slice_is(d->args[3], "10 Ω"));
    bench_release(&b);
    bench_init(&b, "a b");
    b.x.resource.encoding = "utf-7";
    b.x.resource.encoding_declared = true;
    cell(&b, 1, 1, "x");
    expect_refused(&b, "a,b\n1,2\n", ODP_A03);
    bench_release(&b);
}

/* Bytes that are no text in the file's encoding are copied all the same. */
TEST(bad_bytes_stay)
{
    struct bench b;
    bench_init(&b, "a b");
    b.x.resource.encoding = "windows-1252";
    b.x.resource.encoding_declared = true;
    cell(&b, 2, 1, "é");
    expect(&b, "a,b\n\x81\x8Dq,\x90\n3,4\n\x9D,5\n", "a,b\n\x81\x8Dq,\x90\n3,\xE9\n\x9D,5\n");
    bench_release(&b);
    bench_init(&b, "a b");
    b.x.resource.encoding = "utf-16le";
    b.x.resource.encoding_declared = true;
    cell(&b, 2, 1, "Z");
    static const char before[] = "a\0,\0b\0\n\0\x00\xDC,\0\x31\0\n\0"
                                 "3\0,\0"
                                 "4\0\n\0"
                                 "5\0,\0\x00\xD8";
    static const char after[] = "a\0,\0b\0\n\0\x00\xDC,\0\x31\0\n\0"
                                "3\0,\0"
                                "Z\0\n\0"
                                "5\0,\0\x00\xD8";
    expect_bytes(&b, before, sizeof before - 1, after, sizeof after - 1);
    bench_release(&b);
}

/* ---- records, lines, labels ---- */

TEST(records_that_were_skipped_have_rows)
{
    /* A repeated header, a total row, a blank row (none), a comment (none). */
    BENCH(b, "a b");
    b.x.resource.dialect.comment = '#';
    odp_edits_delete(b.edits, 2);
    odp_edits_delete(b.edits, 4);
    cell(&b, 3, 1, "x");
    expect(&b, "a,b\n1,2\n\na,b\n#c\n3,4\nJumlah,6\n", "a,b\n1,2\n\n#c\n3,x\n");
}

TEST(edits_that_do_not_fit)
{
    struct bench b;
    /* A field that the file does not have. */
    bench_init(&b, "a b");
    b.x.resource.schema.match = ODP_MATCH_SUBSET;
    cell(&b, 1, 1, "x");
    put_bytes(b.path, "a\n1\n", 4);
    must_refuse(rewrite(&b, false));
    bench_release(&b);
    /* What cannot be read at all. */
    bench_init(&b, "a b");
    cell(&b, 1, 1, "x");
    put_bytes(b.path, "x,y\n1,2\n", 8);
    must_refuse(rewrite(&b, false));
    bench_release(&b);
}

/* Deleted lines move what commentRows counts: the proof finds other cells, and nothing is written. */
TEST(the_proof)
{
    static uint32_t comments[] = {4};
    BENCH(b, "a b");
    b.x.resource.dialect.comment_rows = comments;
    b.x.resource.dialect.ncomment_rows = 1;
    odp_edits_delete(b.edits, 1);
    expect_refused(&b, "a,b\n1,2\n3,4\nnote,x\n5,6\n", ODP_A07);
}

/* ---- the file ---- */

TEST(originals_links_and_modes)
{
    char link[160], original[160];
    struct stat st;
    BENCH(b, "a b");
    cell(&b, 1, 0, "x");
    expect(&b, "a,b\n1,2\n", "a,b\nx,2\n");
    assert_int_equal(chmod(b.path, 0640), 0);
    snprintf(link, sizeof link, "%s/link.csv", b.dir);
    assert_int_equal(symlink("uji.csv", link), 0);
    odp_edits_free(b.edits);
    must(odp_edits_new(&b.edits, &b.x.resource));
    cell(&b, 1, 0, "y");
    must(odp_rewrite(b.edits, &(struct odp_rewriting){.path = link, .file = "link.csv"}, &b.x.arena, &b.done,
                     b.x.diags));
    snprintf(original, sizeof original, "%s.asli.2", b.path);
    assert_string_equal(b.done.original, original);
    assert_true(odp_slice_is(get_bytes(&b, original), "a,b\nx,2\n"));
    assert_true(odp_slice_is(get_bytes(&b, b.path), "a,b\ny,2\n"));
    assert_int_equal(lstat(link, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(stat(b.path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0640);
}

TEST(a_folder_that_is_read_only)
{
    if (geteuid() == 0)
        skip(); /* root may write everywhere */
    BENCH(b, "a b");
    cell(&b, 1, 0, "x");
    put_bytes(b.path, "a,b\n1,2\n", 8);
    assert_int_equal(chmod(b.dir, 0555), 0);
    must_refuse(rewrite(&b, false));
    assert_int_equal(said(&b, ODP_A04), 1);
    assert_int_equal(chmod(b.dir, 0755), 0);
    assert_true(odp_slice_is(get_bytes(&b, b.path), "a,b\n1,2\n"));
}

/* ---- any file, any edits ---- */

enum { ROWS_MAX = 40, COLUMNS = 4 };
struct table {
    char text[ROWS_MAX + 8][COLUMNS][24];
    bool quoted[ROWS_MAX + 8][COLUMNS];
    bool gone[ROWS_MAX + 8];
    size_t n;
};

static void any_text(char *out, const struct odp_dialect *d, bool wide)
{
    static const char *const pieces[] = {"a",  "b", "7", " ", ",", ";", "\"", "'",  "\n", "\r\n",
                                         "\\", "#", "é", "£", "x", "y", "z",  "日", "Ω",  "😀"};
    size_t n = dice(5);
    *out = '\0';
    for (size_t i = 0; i < n; i++) {
        const char *p = pieces[dice(wide ? 20 : 17)];
        if (d->quote != '\0' || (*p != '\n' && *p != '\r' && *p != d->delimiter && *p != '#'))
            strcat(out, p);
    }
}

static bool needs_quote(const struct odp_dialect *d, const char *s, bool first)
{
    if ((first && d->comment != '\0' && *s == d->comment) || (d->skip_initial_space && *s == ' '))
        return true;
    for (; *s != '\0'; s++)
        if (*s == d->delimiter || *s == '\n' || *s == '\r' || (d->quote != '\0' && *s == d->quote))
            return true;
    return false;
}

static void write_text(struct odp_buffer *out, const struct odp_dialect *d, const char *s, bool quoted)
{
    if (quoted)
        odp_buffer_add_char(out, d->quote);
    for (; *s != '\0'; s++) {
        if (quoted && *s == d->quote)
            odp_buffer_add_char(out, d->double_quote ? d->quote : d->escape);
        else if (d->escape != '\0' && *s == d->escape)
            odp_buffer_add_char(out, d->escape);
        odp_buffer_add_char(out, *s);
    }
    if (quoted)
        odp_buffer_add_char(out, d->quote);
}

/* T as bytes; FORM: the file's own line ends, comments and blank rows. */
static void write_table(struct odp_buffer *out, const struct odp_dialect *d, struct table *t, uint64_t form)
{
    static const char *const ends[] = {"\n", "\r\n", "\r", "\n"};
    random_seed = form;
    bool mixed = dice(3) == 0, last = dice(2) == 0;
    uint32_t end = dice(3);
    odp_buffer_printf(out, "a%cb%cc%cd%s", d->delimiter, d->delimiter, d->delimiter, ends[end]);
    for (size_t i = 0; i < t->n; i++) {
        if (dice(6) == 0 && d->comment != '\0')
            odp_buffer_printf(out, "%ccomment, %u\"%s", d->comment, dice(100), ends[end]);
        if (dice(8) == 0)
            odp_buffer_add_str(out, ends[end]);
        uint32_t own = mixed ? dice(4) : end;
        if (t->gone[i])
            continue;
        for (size_t k = 0; k < COLUMNS; k++) {
            if (k > 0)
                odp_buffer_add_char(out, d->delimiter);
            write_text(out, d, t->text[i][k], t->quoted[i][k]);
        }
        if (i + 1 < t->n || last)
            odp_buffer_add_str(out, ends[own]);
    }
}

static void expect_table(struct bench *b, const struct table *t)
{
    struct fixture *x = &b->x;
    free(x->rows);
    x->rows = NULL;
    x->nrows = x->cap = x->batches = x->lasts = 0;
    x->source_bytes = 0;
    fixture_read(x, b->path, true);
    size_t at = 0;
    for (size_t i = 0; i < t->n; i++) {
        if (t->gone[i])
            continue;
        assert_true(at < x->nrows);
        for (size_t k = 0; k < COLUMNS; k++) {
            struct odp_slice s = {x->rows[at].cells[k].ptr, x->rows[at].cells[k].len};
            if (!odp_slice_is(s, t->text[i][k]))
                fail_msg("row %zu column %zu: [%.*s] instead of [%s]", i + 1, k, (int)s.len, s.ptr,
                         t->text[i][k]);
        }
        at++;
    }
    assert_int_equal(at, x->nrows);
}

static void random_run(uint64_t number)
{
    static struct table t, before;
    static const uint32_t one = 1;
    random_seed = ~(uint64_t)number;
    BENCH(b, "a b c d");
    size_t e = dice(ODP_COUNT(encodings));
    if (strcmp(encodings[e].declared, "shift_jis") == 0)
        e = 0;
    b.x.resource.encoding = encodings[e].declared;
    b.x.resource.encoding_declared = true;
    struct odp_dialect d = {
        .delimiter = ",;\t|"[dice(4)],
        .quote = "\"\"'"[dice(3)],
        .double_quote = true,
        .header = true,
        .header_join = " ",
        .nheader_rows = 1,
        .declared = true,
    };
    d.header_rows = (uint32_t *)(uintptr_t)&one;
    if (dice(4) == 0) {
        d.escape = '\\';
        d.double_quote = false;
    }
    d.comment = dice(3) == 0 ? '#' : '\0';
    d.skip_initial_space = dice(5) == 0;
    b.x.resource.dialect = d;
    memset(&t, 0, sizeof t);
    t.n = 1 + dice(ROWS_MAX);
    for (size_t i = 0; i < t.n; i++) {
        for (size_t k = 0; k < COLUMNS; k++) {
            any_text(t.text[i][k], &d, encodings[e].wide);
            t.quoted[i][k] = dice(4) == 0 || needs_quote(&d, t.text[i][k], k == 0);
        }
        t.quoted[i][3] = true; /* no row is blank, none a header or a total */
    }
    uint64_t form = number * 77 + 5, after;
    BUFFER(text);
    write_table(&text, &d, &t, form);
    struct odp_slice from =
        encode(&b, encodings[e].encoder, encodings[e].mark, encodings[e].nmark, odp_buffer_cstr(&text));
    put_bytes(b.path, from.ptr, from.len);
    before = t;
    random_seed = after = number + 991;
    size_t nedits = 1 + dice(12);
    for (size_t i = 0; i < nedits; i++) {
        uint32_t row = dice(t.n), column = dice(COLUMNS);
        if (dice(8) == 0) {
            t.gone[row] = true;
            odp_edits_delete(b.edits, row + 1);
            continue;
        }
        any_text(t.text[row][column], &d, encodings[e].wide);
        t.quoted[row][column] =
            before.quoted[row][column] || needs_quote(&d, t.text[row][column], column == 0);
        cell(&b, row + 1, column, t.text[row][column]);
    }
    /* What a cell was quoted for does not go away with the text that needed it, unless it is as it was. */
    for (size_t i = 0; i < t.n; i++)
        for (size_t k = 0; k < COLUMNS; k++)
            if (strcmp(t.text[i][k], before.text[i][k]) == 0)
                t.quoted[i][k] = before.quoted[i][k];
    must(rewrite(&b, false));
    expect_table(&b, &t);
    bool deleted = false;
    for (size_t i = 0; i < t.n; i++)
        deleted = deleted || t.gone[i];
    if (!deleted) { /* byte for byte the file that has the other cells */
        odp_buffer_clear(&text);
        write_table(&text, &d, &t, form);
        struct odp_slice to =
            encode(&b, encodings[e].encoder, encodings[e].mark, encodings[e].nmark, odp_buffer_cstr(&text));
        assert_true(odp_slice_eq(get_bytes(&b, b.path), to));
    }
}

TEST(any_table)
{
    const char *one = getenv("ODP_TEST_SEED"), *many = getenv("ODP_TEST_RUNS");
    if (one != NULL) {
        random_run(strtoull(one, NULL, 10));
        return;
    }
    for (uint64_t i = 0; i < (many != NULL ? strtoull(many, NULL, 10) : 300); i++) {
        if (many != NULL)
            print_message("%llu\n", (unsigned long long)i);
        random_run(i);
    }
}

/* The edit and its reverse give the same bytes, in blocks of every size around the reader's own. */
TEST(there_and_back_in_a_long_file)
{
    for (size_t e = 0; e < ODP_COUNT(encodings); e++) {
        BUFFER(text);
        if (strcmp(encodings[e].declared, "shift_jis") == 0)
            continue;
        BENCH(b, "a b");
        b.x.resource.encoding = encodings[e].declared;
        b.x.resource.encoding_declared = true;
        odp_buffer_add_str(&text, "a,b\r\n");
        for (unsigned i = 0; i < 60000; i++)
            odp_buffer_printf(&text, "%u,%s%u\r\n", i, i % 3 == 0 ? "é" : i % 3 == 1 ? "£x" : "", i);
        struct odp_slice from =
            encode(&b, encodings[e].encoder, encodings[e].mark, encodings[e].nmark, odp_buffer_cstr(&text));
        put_bytes(b.path, from.ptr, from.len);
        for (uint64_t row = 1; row <= 60000; row += 37)
            cell(&b, row, 1, "ééé");
        must(rewrite(&b, false));
        assert_int_equal(b.done.cells, 1622);
        assert_false(odp_slice_eq(get_bytes(&b, b.path), from));
        odp_edits_free(b.edits);
        must(odp_edits_new(&b.edits, &b.x.resource));
        for (uint64_t row = 1; row <= 60000; row += 37) {
            char old[32];
            unsigned i = (unsigned)row - 1;
            snprintf(old, sizeof old, "%s%u", i % 3 == 0 ? "é" : i % 3 == 1 ? "£x" : "", i);
            cell(&b, row, 1, old);
        }
        must(rewrite(&b, false));
        assert_true(odp_slice_eq(get_bytes(&b, b.path), from));
    }
}
