/* The reader of workbooks: what programs write, and what nobody should. */
#include "answer_lines.h"
#include "spreadsheet_fixture.h"

static void expect_parts(const struct book_part *parts, const char *want)
{
    char *have = book_read(book_make(parts), 0, NULL);
    assert_string_equal(have, want);
    free(have);
    unlink(book_path);
}

/* Questions of spreadsheets.txt: "part NAME XML" and "rows XML" (of the sheet) are what the next workbook
 * has, "read" is answered with what is read of it. */
struct book {
    struct book_part parts[6];
    size_t n;
};

static void ask(void *ctx, struct odp_slice question, struct odp_buffer *out)
{
    struct book *b = ctx;
    char *text = strdup(question.ptr), *rest = text;
    const char *verb = strsep(&rest, " ");
    if (strcmp(verb, "read") == 0) {
        char *have = book_read(book_make(b->parts), 0, NULL);
        odp_buffer_add_str(out, have);
        free(have);
        unlink(book_path);
        for (size_t i = 0; i < b->n; i++) {
            free((char *)b->parts[i].name);
            free((char *)b->parts[i].xml);
        }
        *b = (struct book){0};
    } else {
        bool rows = strcmp(verb, "rows") == 0;
        char *xml = NULL;
        assert_true(b->n < 5);
        const char *name = rows ? "xl/worksheets/sheet1.xml" : strsep(&rest, " ");
        assert_true(asprintf(&xml, rows ? BOOK_SHEET("%s") : "%s", rest) > 0);
        b->parts[b->n++] = (struct book_part){strdup(name), xml};
    }
    free(text);
}

TEST(workbooks)
{
    answer_lines("read/spreadsheets.txt", ask, &(struct book){0});
}

/* ROWS: what is in sheetData. */
static void expect(const char *rows, const char *want)
{
    char *xml = NULL;
    assert_true(asprintf(&xml, BOOK_SHEET("%s"), rows) > 0);
    expect_parts((struct book_part[]){{"xl/worksheets/sheet1.xml", xml}, {NULL, NULL}}, want);
    free(xml);
}

/* ---- cells ---- */

/* Questions of formats.txt: "format CODE", "file BYTES". */
static void format(void *ctx, struct odp_slice question, struct odp_buffer *out)
{
    if (strncmp(question.ptr, "file ", 5) == 0) {
        snprintf(book_path, sizeof(book_path), "%s/odp-book-%ld.xlsx", odp_temporary_place(), (long)getpid());
        (void)unlink(book_path);
        must(odp_file_put(book_path, (struct odp_slice){question.ptr + 5, question.len - 5}, 0644, NULL));
        char *kind = book_read(book_path, 0, NULL);
        odp_buffer_add_str(out, kind);
        free(kind);
        unlink(book_path);
        return;
    }
    char styles[2000], quoted[64] = "";
    for (const char *p = strchr(question.ptr, ' ') + 1; *p != '\0'; p++)
        snprintf(quoted + strlen(quoted), sizeof(quoted) - strlen(quoted), *p == '"' ? "&quot;" : "%c", *p);
    snprintf(styles, sizeof styles,
             BOOK_STYLES("<numFmt numFmtId=\"164\" formatCode=\"%s\"/>", "<xf numFmtId=\"164\"/>"), quoted);
    char *have =
        book_read(book_make((struct book_part[]){
                      {"xl/worksheets/sheet1.xml", BOOK_SHEET("<row><c s=\"0\"><v>100.5</v></c></row>")},
                      {"xl/styles.xml", styles},
                      {NULL, NULL}}),
                  0, NULL);
    odp_buffer_add_str(out, strchr(have, '@') != NULL ? "yes" : "no");
    free(have);
}

TEST(formats)
{
    answer_lines("read/formats.txt", format, NULL);
    unlink(book_path);
}

TEST(merged_place)
{
    struct odp_workbook *w;
    struct odp_sheet *s;
    struct odp_workbook_fault fault;
    struct odp_sheet_row row;
    const char *path = book_make((struct book_part[]){
        {"xl/worksheets/sheet1.xml",
         "<worksheet xmlns=\"" BOOK_MAIN
         "\"><cols><col min=\"2\" max=\"2\" hidden=\"1\"/></cols><sheetData><row r=\"4\"><c "
         "r=\"B4\"><v>1</v></c></row><row r=\"5\"><c r=\"B5\"/></row></sheetData><mergeCells><mergeCell "
         "ref=\"B4:B9\"/></mergeCells></worksheet>"},
        {NULL, NULL}});
    must(odp_workbook_open(&w, path, NULL, &fault));
    must(odp_sheet_open(&s, w, 0, &fault));
    must(odp_sheet_next(s, &row, &fault));
    assert_true(row.cells[0].anchor && !row.cells[0].merged);
    assert_true(odp_sheet_column_hidden(s, 1) && !odp_sheet_column_hidden(s, 0) &&
                !odp_sheet_column_hidden(s, 2));
    must(odp_sheet_next(s, &row, &fault));
    assert_true(row.cells[0].merged && row.cells[0].merge_row == 4 && row.cells[0].merge_column == 1);
    assert_int_equal(odp_sheet_next(s, &row, &fault), ODP_DONE);
    assert_int_equal(odp_sheet_next(s, &row, &fault), ODP_DONE);
    odp_sheet_close(s);
    odp_workbook_close(w);
    unlink(path);
}

/* ---- the package ---- */

TEST(sheets)
{
    struct odp_workbook *w;
    struct odp_workbook_fault fault;
    const char *path = book_make((struct book_part[]){
        {"xl/workbook.xml",
         BOOK_WORKBOOK("", BOOK_ONE "<sheet name=\"Bagan\" sheetId=\"2\" r:id=\"c1\"/><sheet "
                                    "name=\"Rahasia\" sheetId=\"3\" state=\"veryHidden\" r:id=\"s1\"/>")},
        {"xl/_rels/workbook.xml.rels",
         BOOK_RELS("<Relationship Id=\"s1\" Type=\"" BOOK_TYPES
                   "/worksheet\" Target=\"worksheets/sheet1.xml\"/><Relationship Id=\"c1\" Type=\"" BOOK_TYPES
                   "/chartsheet\" Target=\"chartsheets/a.xml\"/>")},
        {"xl/worksheets/sheet1.xml", BOOK_SHEET("")},
        {NULL, NULL}});
    must(odp_workbook_open(&w, path, NULL, &fault));
    assert_int_equal(odp_workbook_sheets(w), 2);
    assert_string_equal(odp_workbook_sheet_name(w, 1), "Rahasia");
    assert_true(odp_workbook_sheet_hidden(w, 1) && !odp_workbook_sheet_hidden(w, 0));
    assert_int_equal(odp_workbook_find(w, "Rahasia"), 1);
    assert_int_equal(odp_workbook_find(w, "rahasia"), -1);
    odp_workbook_close(w);
    unlink(path);
}

/* ---- what is refused ---- */

TEST(nesting)
{
    char rows[2000] = "";
    for (int i = 0; i < 100; i++)
        strcat(rows, "<a>");
    for (int i = 0; i < 100; i++)
        strcat(rows, "</a>");
    expect(rows, "!5 xl/worksheets/sheet1.xml: XML is nested too deeply");
}

TEST(other_packages)
{
    expect_parts(
        (struct book_part[]){
            {"_rels/.rels", "<r/>"},
            {"mimetype", "application/vnd.oasis.opendocument.spreadsheet"},
            {NULL, NULL},
        },
        "!3 : OpenDocument (.ods)");
    expect_parts((struct book_part[]){{"_rels/.rels", "<r/>"}, {"a/b.shp", "x"}, {NULL, NULL}},
                 "!3 : a shapefile in a zip archive");
    char *have = book_read("/nowhere/x.xlsx", 0, NULL);
    assert_string_equal(have, "!1 : the file cannot be opened");
    free(have);
    have = book_read("/tmp", 0, NULL);
    assert_string_equal(have, "!1 : the file cannot be opened");
    free(have);
}

static void expect_limit(const char *rows, const struct odp_workbook_limits *limits, const char *want)
{
    char *xml = NULL;
    assert_true(asprintf(&xml, BOOK_SHEET("%s"), rows) > 0);
    const char *strings =
        BOOK_STRINGS("<si><t>sepuluh000</t></si><si><t>sepuluh001</t></si><si><t>sepuluh002</t></si>");
    char *have =
        book_read(book_make((struct book_part[]){
                      {"xl/worksheets/sheet1.xml", xml}, {"xl/sharedStrings.xml", strings}, {NULL, NULL}}),
                  0, limits);
    assert_string_equal(have, want);
    free(have);
    free(xml);
    unlink(book_path);
}

TEST(limits)
{
    expect_limit("<row/>", &(struct odp_workbook_limits){.part_bytes = 100},
                 "!6 _rels/.rels: it unpacks to too much");
    expect_limit("<row/>", &(struct odp_workbook_limits){.string_bytes = 30},
                 "!6 xl/sharedStrings.xml: too much shared text");
    expect_limit("<row/>", &(struct odp_workbook_limits){.cell_bytes = 9},
                 "!6 xl/sharedStrings.xml: the text of one cell is too long");
    expect_limit("<row/><row/><row/>", &(struct odp_workbook_limits){.rows = 2},
                 "!6 xl/worksheets/sheet1.xml: too many rows");
    expect_limit("<row><c/><c/><c/></row>", &(struct odp_workbook_limits){.columns = 2},
                 "!6 xl/worksheets/sheet1.xml: too many columns");
    expect_limit("<row><c t=\"str\"><v>01234567890123456789</v></c></row>",
                 &(struct odp_workbook_limits){.cell_bytes = 19},
                 "!6 xl/worksheets/sheet1.xml: the text of one cell is too long");
}

/* LEN bytes of FILL between the head and the tail of a sheet. */
static void expect_bomb(char fill, size_t len, const char *head, const char *tail, const char *want)
{
    size_t h = strlen(head), t = strlen(tail);
    char *xml = malloc(h + len + t + 1);
    assert_non_null(xml);
    memcpy(xml, head, h);
    memset(xml + h, fill, len);
    memcpy(xml + h + len, tail, t + 1);
    expect_parts((struct book_part[]){{"xl/worksheets/sheet1.xml", xml}, {NULL, NULL}}, want);
    free(xml);
}

TEST(bombs)
{
    const char *head = "<worksheet xmlns=\"" BOOK_MAIN "\"><sheetData>", *tail = "</sheetData></worksheet>";
    expect_bomb(' ', (size_t)64 << 20, head, tail,
                "!6 xl/worksheets/sheet1.xml: compressed beyond reason (a zip bomb)");
    expect_bomb('a', (size_t)4 << 20, "<worksheet xmlns=\"" BOOK_MAIN "\" a=\"", "\"/>",
                "!6 xl/worksheets/sheet1.xml: one XML element is too long");
    expect_bomb('a', (size_t)4 << 20, "<worksheet xmlns=\"" BOOK_MAIN "\"><!-- ", " --></worksheet>",
                "!6 xl/worksheets/sheet1.xml: one XML element is too long");
}

/* The last byte of the sheet's data is another one: the checksum tells. */
TEST(checksum)
{
    const char *path = book_make((struct book_part[]){
        {"xl/worksheets/sheet1.xml", BOOK_SHEET("<row><c><v>1</v></c></row>")}, {NULL, NULL}});
    FILE *f = fopen(path, "r+b");
    assert_non_null(f);
    assert_int_equal(fseek(f, 100, SEEK_SET), 0);
    int c = fgetc(f);
    assert_int_equal(fseek(f, 100, SEEK_SET), 0);
    assert_int_not_equal(fputc(c ^ 0x55, f), EOF);
    assert_int_equal(fclose(f), 0);
    char *have = book_read(path, 0, NULL);
    EXPECT(have, "!5 xl/worksheets/sheet1.xml: ");
    free(have);
    unlink(path);
}

TEST(names)
{
    struct odp_diag d = {.sheet = "D", .line = 17, .column = 2};
    char cell[32];
    assert_string_equal(odp_diag_cell(&d, cell), "B17");
    d.column = 0;
    assert_string_equal(odp_diag_cell(&d, cell), "");
}
