#include "answer_lines.h"
#include "csv_fixture.h"
#include "random.h"

/* Questions of csv.txt: "as ENCODING MATCH" and "fields NAMES" for those that follow, "read BYTES": its rows,
 * then its faults. */
struct asked {
    char encoding[32], fields[64];
    enum odp_fields_match match;
};

static void ask_as(struct asked *q, const char *text)
{
    static const char *const matches[] = {
        [ODP_MATCH_EXACT] = "exact",       [ODP_MATCH_EQUAL] = "equal",     [ODP_MATCH_SUBSET] = "subset",
        [ODP_MATCH_SUPERSET] = "superset", [ODP_MATCH_PARTIAL] = "partial",
    };
    char match[16];
    unsigned i = 0;
    assert_int_equal(sscanf(text, "%31s %15s", q->encoding, match), 2);
    while (strcmp(matches[i], match) != 0)
        i++;
    q->match = (enum odp_fields_match)i;
}

static void ask_read(const struct asked *q, struct odp_slice bytes, struct odp_buffer *out)
{
    FIXTURE(x, q->fields);
    if (strcmp(q->encoding, "undeclared") != 0) {
        x.resource.encoding = q->encoding;
        x.resource.encoding_declared = true;
    }
    x.resource.schema.match = q->match;
    fixture_bytes(&x, bytes.ptr, bytes.len);
    for (size_t i = 0; i < x.nrows; i++) {
        odp_buffer_printf(out, "row %s\n", row_text(&x, i));
        assert_int_equal(x.rows[i].rec.row, i + 1);
    }
    odp_buffer_add_str(out, faults(&x));
    if (x.opened == ODP_OK && x.batches > 0) {
        assert_int_equal(x.lasts, 1);
        assert_int_equal(x.source_bytes, x.file_bytes);
    }
}

static void ask(void *ctx, struct odp_slice question, struct odp_buffer *out)
{
    struct asked *q = ctx;
    if (strncmp(question.ptr, "as ", 3) == 0)
        ask_as(q, question.ptr + 3);
    else if (strncmp(question.ptr, "fields ", 7) == 0)
        snprintf(q->fields, sizeof q->fields, "%s", question.ptr + 7);
    else
        ask_read(q, (struct odp_slice){question.ptr + 5, question.len - 5}, out);
}

TEST(files)
{
    answer_lines("read/csv.txt", ask, &(struct asked){.match = ODP_MATCH_EXACT});
}

TEST(undecodable_is_placed)
{
    struct fixture x;
    fixture_init(&x, "a b");
    x.resource.encoding = "windows-1252";
    x.resource.encoding_declared = true;
    fixture_text(&x, "a,b\n\xE9,x\n\xE9,\x81\n");
    const struct odp_diag *d = first_fault(&x);
    assert_int_equal(d->code, ODP_E01);
    assert_int_equal(d->offset, 10); /* in the file, where an e with an accent is one byte */
    assert_int_equal(d->row, 2);
    assert_true(odp_slice_is(d->value, "0x81"));
    assert_true(odp_slice_is(d->args[0], "WINDOWS-1252"));
    assert_true(odp_slice_is(d->source, "\xC3\xA9,\xEF\xBF\xBD"));
    assert_int_equal(d->mark_start, 3);
    assert_int_equal(d->mark_len, 3);
    fixture_release(&x);
    fixture_init(&x, "a b");
    fixture_text(&x, "a,b\n1,\xE9z\n");
    d = first_fault(&x);
    assert_int_equal(d->offset, 6);
    assert_true(odp_slice_is(d->value, "0xE9"));
    assert_true(odp_slice_is(d->source, "1,\xEF\xBF\xBDz"));
    fixture_release(&x);
}

TEST(title_rows)
{
    struct fixture x;
    static uint32_t rows[] = {3}, two[] = {2, 4};
    const char *text = "Data Kumuh 2023,,\n\nnama,luas,tahun\nA,1,2020\n";
    fixture_init(&x, "nama luas tahun");
    fixture_text(&x, text);
    must(x.opened); /* said, and read on for further faults */
    assert_string_equal(faults(&x), "H08 1:1");
    assert_int_equal(x.nrows, 1);
    assert_string_equal(row_text(&x, 0), "A|1|2020");
    assert_int_equal(x.rows[0].rec.line, 4);
    assert_int_equal(x.rows[0].rec.row, 1);
    assert_true(odp_slice_is(first_fault(&x)->args[0], "3"));
    assert_true(odp_slice_is(first_fault(&x)->args[1], "3"));
    fixture_release(&x);

    fixture_init(&x, "nama luas tahun");
    x.resource.dialect.header_rows = rows;
    fixture_text(&x, text);
    assert_string_equal(faults(&x), "");
    assert_string_equal(row_text(&x, 0), "A|1|2020");
    assert_int_equal(x.rows[0].rec.line, 4);
    assert_int_equal(x.rows[0].rec.row, 1);
    fixture_release(&x);

    fixture_init(&x, "x");
    x.resource.dialect.header_rows = two;
    x.resource.dialect.nheader_rows = 2;
    x.fields[0].source_name = "luas ha";
    x.fields[1] = x.fields[0];
    x.fields[1].name = "y";
    x.fields[1].source_name = "tahun";
    x.resource.schema.n = 2;
    fixture_text(&x, "judul,\nluas,tahun\n-,-\nha,\n1,2\n");
    assert_string_equal(faults(&x), "");
    assert_int_equal(x.nrows, 1);
    assert_string_equal(row_text(&x, 0), "1|2");
    fixture_release(&x);

    fixture_init(&x, "a b");
    rows[0] = 9;
    x.resource.dialect.header_rows = rows;
    fixture_text(&x, "a,b\n1,2\n");
    assert_string_equal(faults(&x), "H01 0:0");
    rows[0] = 3;
    fixture_release(&x);
}

TEST(dialects)
{
    struct fixture x;
    static uint32_t comments[] = {2, 4};
    fixture_init(&x, "a b");
    x.resource.dialect.comment = '#';
    fixture_text(&x, "# one\n#,\"two\na,b\n1,2\n# three\n3,#4\n");
    assert_string_equal(faults(&x), "");
    assert_int_equal(x.nrows, 2);
    assert_string_equal(row_text(&x, 1), "3|#4");
    assert_int_equal(x.rows[1].rec.line, 6);
    fixture_release(&x);

    fixture_init(&x, "a b");
    x.resource.dialect.comment_rows = comments;
    x.resource.dialect.ncomment_rows = 2;
    fixture_text(&x, "a,b\nnote\n1,2\nnote\n3,4\n");
    assert_string_equal(faults(&x), "");
    assert_int_equal(x.nrows, 2);
    fixture_release(&x);

    fixture_init(&x, "a b");
    x.resource.dialect.header = false;
    x.resource.dialect.null_sequence = "\\N";
    fixture_text(&x, "1,\\N\n\"\\N\",4\n");
    assert_string_equal(faults(&x), "");
    assert_int_equal(x.nrows, 2);
    assert_int_equal(x.rows[0].cells[1].flags, ODP_CELL_NULL);
    assert_int_equal(x.rows[1].cells[0].flags, ODP_CELL_QUOTED);
    fixture_release(&x);

    fixture_init(&x, "a b");
    x.resource.dialect.escape = '\\';
    x.resource.dialect.double_quote = false;
    fixture_text(&x, "a,b\nx\\,y,\"p\\\"q\"\n\"\\\\\",\\\"z\n1,x\\\ny\n");
    assert_string_equal(faults(&x), "R09 4:3");
    assert_string_equal(row_text(&x, 0), "x,y|p\"q");
    assert_string_equal(row_text(&x, 1), "\\|\"z");
    assert_string_equal(row_text(&x, 2), "1|x\ny");
    fixture_release(&x);

    fixture_init(&x, "a b");
    x.resource.dialect.skip_initial_space = true;
    fixture_text(&x, "a, b\n1,  \"x, \"\"y\"\n 2, z \n");
    assert_string_equal(faults(&x), "");
    assert_string_equal(row_text(&x, 0), "1|x, \"y");
    assert_string_equal(row_text(&x, 1), "2|z ");
    assert_int_equal(x.rows[0].cells[1].pos, 4);
    fixture_release(&x);

    fixture_init(&x, "a b");
    x.resource.dialect.quote = '\0';
    fixture_text(&x, "a,b\n\"1,2\"\n");
    assert_string_equal(faults(&x), "");
    assert_string_equal(row_text(&x, 0), "\"1|2\"");
    fixture_release(&x);

    fixture_init(&x, "a b");
    x.resource.dialect.quote = '\'';
    x.resource.dialect.delimiter = ';';
    fixture_text(&x, "a;b\n'1;''';\"2\"\n");
    assert_string_equal(faults(&x), "");
    assert_string_equal(row_text(&x, 0), "1;'|\"2\"");
    fixture_release(&x);

    fixture_init(&x, "a b");
    x.resource.path = "uji.tsv";
    fixture_text(&x, "a\tb\n1\t2,3\n");
    assert_string_equal(faults(&x), "");
    assert_string_equal(row_text(&x, 0), "1|2,3");
    fixture_release(&x);
}

TEST(places)
{
    FIXTURE(x, "a b c");
    fixture_text(&x, "\xEF\xBB\xBF"
                     "a,b,c\r\n\"p\r\n\xC3\xA9\",\"q\"\"\",r\r\n1,2,3\r\n");
    assert_int_equal(x.nrows, 2);
    const struct odp_cell *c = x.rows[0].cells;
    assert_int_equal(x.rows[0].rec.line, 2);
    assert_int_equal(x.rows[0].rec.offset, 10);
    assert_int_equal(x.rows[0].source.len, 15);
    assert_int_equal(c[0].pos, 0);
    assert_int_equal(c[1].pos, 8);
    assert_int_equal(c[2].pos, 14);
    assert_int_equal(c[0].flags, ODP_CELL_QUOTED);
    assert_int_equal(c[2].flags, 0);
    assert_int_equal(x.rows[1].rec.line, 4);
    assert_int_equal(x.rows[1].rec.offset, 27);
    assert_int_equal(x.rows[1].cells[2].pos, 4);
}

TEST(totals)
{
    struct fixture x;
    fixture_init(&x, "provinsi kabupaten luas");
    x.fields[2].type = ODP_TYPE_NUMBER;
    fixture_text(&x, "provinsi,kabupaten,luas\nA,B,1\nJUMLAH,,1\nTotal,semua,9\nTotalindo,,3\n");
    assert_string_equal(faults(&x), "R08 3:1"); /* a full row with the word is data */
    assert_string_equal(row_text(&x, 1), "-");
    fixture_release(&x);

    fixture_init(&x, "no provinsi luas");
    x.fields[0].type = ODP_TYPE_INTEGER;
    x.fields[2].type = ODP_TYPE_NUMBER;
    fixture_text(&x, "no,provinsi,luas\n1,Jumlah,3\n,Grand Total:,9\nTotal,,9\n");
    assert_string_equal(faults(&x), "R08 4:1");
    fixture_release(&x);

    fixture_init(&x, "no provinsi luas");
    x.fields[0].type = ODP_TYPE_INTEGER;
    x.fields[0].constraints.required = true;
    fixture_text(&x, "no,provinsi,luas\n1,B,3\n,Grand Total:,9\n");
    assert_string_equal(faults(&x), "R08 3:1");
    fixture_release(&x);

    fixture_init(&x, "provinsi luas");
    x.fields[1].type = ODP_TYPE_NUMBER;
    fixture_text(&x, "provinsi;luas\nJumlah;1\nA;2\nJumlah;3\n\n");
    must(x.opened); /* the comma is declared: said, and read all the same */
    assert_string_equal(faults(&x), "H09 1:1 R01 5:1 R08 4:1");
    fixture_release(&x);

    fixture_init(&x, "provinsi luas");
    x.fields[1].type = ODP_TYPE_NUMBER;
    fixture_text(&x, "provinsi,luas\nJumlah,1\nA,2\nJumlah,3\n\n");
    assert_string_equal(faults(&x), "R01 5:1 R08 4:1"); /* only at the very end */
    fixture_release(&x);
}

/* Many records over many windows and batches, each with its number in it. */
TEST(batches)
{
    struct fixture x;
    struct odp_buffer text;
    enum { N = 60000 };
    for (int kind = 0; kind < 3; kind++) {
        const char *end = kind == 0 ? "\n" : kind == 1 ? "\r\n" : "\r";
        odp_buffer_init(&text);
        odp_buffer_printf(&text, "id,teks%s", end);
        for (unsigned i = 1; i <= N; i++) {
            if (i % 7 == 0)
                odp_buffer_printf(&text, "%u,\"baris %u, \"\"kutip\"\"%s lanjutan\"%s", i, i, end, end);
            else
                odp_buffer_printf(&text, "%u,baris %u%s%s", i, i,
                                  i % 5 == 0 ? " panjang sekali untuk menggeser jendela" : "", end);
        }
        fixture_init(&x, "id teks");
        fixture_bytes(&x, text.ptr, text.len);
        assert_int_equal(x.nrows, N);
        assert_true(x.batches > 2);
        assert_int_equal(x.lasts, 1);
        assert_int_equal(x.source_bytes, text.len);
        uint64_t line = 2;
        for (unsigned i = 1; i <= N; i++) {
            const struct out_row *o = &x.rows[i - 1];
            char want[16];
            snprintf(want, sizeof(want), "%u", i);
            assert_true(odp_slice_is((struct odp_slice){o->cells[0].ptr, o->cells[0].len}, want));
            assert_int_equal(o->rec.line, line);
            assert_memory_equal(text.ptr + o->rec.offset, want, strlen(want));
            line += i % 7 == 0 ? 2 : 1;
        }
        assert_int_equal(odp_diags_code_count(x.diags, ODP_R09), N / 7);
        fixture_release(&x);
        odp_buffer_release(&text);
    }
}

TEST(too_long)
{
    struct odp_buffer text;
    struct fixture x;
    for (int kind = 0; kind < 3; kind++) {
        odp_buffer_init(&text);
        odp_buffer_add_str(&text, "a,b\n1,2\n");
        odp_buffer_add_str(&text, kind == 1 ? "3,\"" : "3,");
        for (int i = 0; i < 17 * 1024;
             i++) { /* 17 MiB: one line, lines in an open quote, and one line with no end */
            char block[1024];
            memset(block, 'x', sizeof(block));
            memcpy(block + 1020, kind == 1 ? "7,8\n" : "7,8x", 4);
            odp_buffer_add(&text, block, sizeof(block));
        }
        if (kind != 2)
            odp_buffer_add_str(&text, "\n4,5\n");
        fixture_init(&x, "a b");
        fixture_bytes(&x, text.ptr, text.len);
        assert_int_equal(odp_diags_code_count(x.diags, ODP_R07), 1);
        assert_int_equal(odp_diags_count(x.diags, ODP_SEVERITY_ERROR), kind == 1 ? 2 : 1);
        assert_string_equal(row_text(&x, 1), "-");
        if (kind ==
            1) /* the lines inside the quote are records of their own, the last line is short of a cell */
            assert_int_equal(x.nrows, 2 + 17 * 1024 - 1 + 1);
        else
            assert_int_equal(x.nrows, kind == 0 ? 3 : 2);
        if (kind != 2) {
            assert_string_equal(row_text(&x, x.nrows - 1), "4|5");
            assert_memory_equal(text.ptr + x.rows[x.nrows - 1].rec.offset, "4,5", 3);
        }
        fixture_release(&x);
        odp_buffer_release(&text);
    }
}

TEST(private)
{
    FIXTURE(x, "nik nama");
    x.resource.has_private = true;
    x.fields[0].is_public = false;
    fixture_text(
        &x, "nik,nama\n3171010101900001,a\"b\n3171010101900002\n3171010101900003,\"x\"y\n\"12\n3\",\xC3\n");
    size_t n;
    const struct odp_diag_group *const *g = odp_diags_groups(x.diags, &n);
    assert_true(n >= 3);
    for (size_t i = 0; i < n; i++)
        for (const struct odp_diag_node *e = g[i]->examples; e != NULL; e = e->next)
            assert_null(e->diag.source.ptr != NULL ? memmem(e->diag.source.ptr, e->diag.source.len, "3171", 4)
                                                   : NULL);
}

/* Any bytes at all: no crash, every record accounted for, faults placed inside the file. */
TEST(hostile)
{
    static const char alphabet[] = "\",\"\n\r\"a;\\ \xFF\0\"\n,";
    char path[64];
    write_file(path, "", 0);
    for (int round = 0; round < 6000; round++) {
        char bytes[200];
        size_t n = dice(sizeof bytes);
        for (size_t i = 0; i < n; i++)
            bytes[i] = alphabet[dice(sizeof alphabet - 1)];
        put_bytes(path, bytes, n);
        FIXTURE(x, "a b c");
        x.resource.dialect.header = round % 2 == 0;
        x.resource.schema.match = ODP_MATCH_PARTIAL;
        if (round % 3 == 0)
            x.resource.dialect.escape = '\\';
        if (round % 5 == 0)
            x.resource.dialect.double_quote = false;
        if (round % 7 == 0)
            x.resource.dialect.skip_initial_space = true;
        if (round % 11 == 0) {
            x.resource.encoding = round % 2 == 0 ? "utf-16le" : "windows-1252";
            x.resource.encoding_declared = true;
        }
        fixture_read(&x, path, true);
        uint64_t line = 0;
        for (size_t i = 0; i < x.nrows; i++) {
            assert_int_equal(x.rows[i].rec.row, i + 1);
            assert_true(x.rows[i].rec.line > line);
            line = x.rows[i].rec.line;
            if ((x.rows[i].rec.flags & ODP_RECORD_SKIP) != 0)
                continue;
            assert_int_equal(x.rows[i].rec.count, x.info.ncolumns);
            for (uint32_t c = 0; c < x.rows[i].rec.count; c++) {
                struct odp_slice cell = {x.rows[i].cells[c].ptr, x.rows[i].cells[c].len};
                assert_int_equal(odp_utf8_valid(cell), cell.len);
            }
        }
        size_t groups;
        const struct odp_diag_group *const *g = odp_diags_groups(x.diags, &groups);
        for (size_t i = 0; i < groups; i++)
            for (const struct odp_diag_node *e = g[i]->examples; e != NULL; e = e->next) {
                assert_true(e->diag.offset <= 3 * n + 3);
                assert_true(e->diag.mark_start + (size_t)e->diag.mark_len <= e->diag.source.len);
                assert_int_equal(odp_utf8_valid(e->diag.source), e->diag.source.len);
            }
        if (x.batches > 0)
            assert_int_equal(x.lasts, 1);
    }
    assert_int_equal(unlink(path), 0);
}
