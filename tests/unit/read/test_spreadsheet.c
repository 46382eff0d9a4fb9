/* The reader of workbooks: what programs write, and what nobody should. */
#include "spreadsheet_fixture.h"

static void expect_parts(const struct book_part *parts, const char *want)
{
    char *have = book_read(book_make(parts), 0, NULL);
    assert_string_equal(have, want);
    free(have);
    unlink(book_path);
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

TEST(kinds)
{
    expect("<row r=\"1\"><c r=\"A1\"><v>12.5</v></c><c r=\"B1\" t=\"b\"><v>1</v></c><c r=\"C1\" "
           "t=\"e\"><v>#N/A</v></c>"
           "<c r=\"D1\" t=\"str\"><f>A1</f><v>x y</v></c><c r=\"E1\" "
           "t=\"inlineStr\"><is><t>in</t></is></c></row>",
           "1 A#12.5 B?true C!#N/A Df=x y E=in;");
    expect("<row><c><v>1</v></c><c t=\"n\"><v> 2 </v></c></row><row><c "
           "r=\"C2\"><v>3</v></c><c><v>4</v></c></row>",
           "1 A#1 B#2; 2 C#3 D#4;");
    expect("<row r=\"3\" hidden=\"1\"><c><v>-1.5E-3</v></c></row>", "3h A#-1.5E-3;");
    expect("<row><c><v>NaN</v></c><c><v>0x10</v></c><c><v>1.2.3</v></c><c><v>1e</v></c></row>",
           "1 A=NaN B=0x10 C=1.2.3 D=1e;");
}

TEST(empty)
{
    expect("", "");
    expect("<row r=\"1\"/><row r=\"2\"><c r=\"A2\" s=\"1\"/><c><v/></c><c><v></v></c></row><row "
           "r=\"9\"><c><v>1</v></c></row>",
           "9 A#1;");
    expect("<row><c t=\"inlineStr\"><is><t></t></is></c><c "
           "t=\"str\"><f>\"\"</f><v></v></c><c><f>B1+C1</f></c></row>",
           "1 Cf.;");
}

TEST(strings)
{
    const struct book_part parts[] = {
        {"xl/worksheets/sheet1.xml",
         BOOK_SHEET("<row><c t=\"s\"><v>0</v></c><c t=\"s\"><v>1</v></c><c t=\"s\"><v>2</v></c>"
                    "<c t=\"s\"><v>3</v></c><c t=\"s\"><v>4</v></c><c t=\"s\"><v>5</v></c></row>")},
        {"xl/sharedStrings.xml",
         BOOK_STRINGS("<si><t>satu</t></si><si><r><t xml:space=\"preserve\">du</t></r><r><rPr><b/></rPr><t "
                      "xml:space=\"preserve\">a </t></r></si>"
                      "<si><t>  tepi </t></si><si><t xml:space=\"preserve\"> tepi </t></si>"
                      "<si><t>東京</t><rPh sb=\"0\" eb=\"2\"><t>トウキョウ</t></rPh><phoneticPr "
                      "fontId=\"1\"/></si><si><t></t></si>")},
        {NULL, NULL}};
    expect_parts(parts, "1 A=satu B=dua  C=tepi D= tepi  E=東京;");
}

TEST(escapes)
{
    expect("<row><c t=\"inlineStr\"><is><t>a_x000D_b_x005F_x0041_</t></is></c><c "
           "t=\"str\"><v>_x0041_x_x00zz_</v></c>"
           "<c t=\"inlineStr\"><is><t>_xD83D__xDE00__xD800_</t></is></c><c "
           "t=\"inlineStr\"><is><t>&lt;&amp;&#65;<![CDATA[<]]></t></is></c></row>",
           "1 A=a\rb_x0041_ B=Ax_x00zz_ C=😀\xEF\xBF\xBD D=<&A<;");
}

TEST(dates)
{
    const char *styles = BOOK_STYLES(
        "<numFmt numFmtId=\"164\" formatCode=\"dd/mm/yyyy\"/><numFmt numFmtId=\"165\" formatCode=\"[h]:mm\"/>"
        "<numFmt numFmtId=\"166\" formatCode=\"&quot;dd&quot; 0.00\"/>",
        "<xf numFmtId=\"0\"/><xf numFmtId=\"14\"/><xf numFmtId=\"22\"/><xf numFmtId=\"20\"/><xf "
        "numFmtId=\"164\"/>"
        "<xf numFmtId=\"165\"/><xf numFmtId=\"166\"/>");
    const char *rows = BOOK_SHEET(
        "<row><c s=\"0\"><v>45366</v></c><c s=\"1\"><v>45366</v></c><c s=\"2\"><v>45366.354166666664</v></c>"
        "<c s=\"3\"><v>0.35416666666666669</v></c><c s=\"4\"><v>60</v></c><c s=\"4\"><v>59</v></c><c "
        "s=\"4\"><v>61</v></c>"
        "<c s=\"5\"><v>1.5</v></c><c s=\"6\"><v>5</v></c><c s=\"1\"><v>-1</v></c><c "
        "s=\"1\"><v>2958466</v></c>"
        "<c s=\"4\"><v>45366.5</v></c><c s=\"1\" t=\"d\"><v>2024-03-15T00:00:00Z</v></c><c "
        "s=\"99\"><v>1</v></c></row>");
    expect_parts(
        (struct book_part[]){{"xl/worksheets/sheet1.xml", rows}, {"xl/styles.xml", styles}, {NULL, NULL}},
        "1 A#45366 B@45366|2024-03-15 C@45366.354166666664|2024-03-15T08:30:00 "
        "D@0.35416666666666669|08:30:00 E@60| F@59|1900-02-28 "
        "G@61|1900-03-01 H@1.5| I#5 J@-1| K@2958466| L@45366.5|2024-03-15T12:00:00 "
        "M@2024-03-15T00:00:00Z|2024-03-15 N#1;");
    expect_parts(
        (struct book_part[]){{"xl/worksheets/sheet1.xml",
                              BOOK_SHEET("<row><c s=\"1\"><v>0</v></c><c s=\"1\"><v>43904</v></c></row>")},
                             {"xl/workbook.xml", BOOK_WORKBOOK("<workbookPr date1904=\"1\"/>", BOOK_ONE)},
                             {"xl/styles.xml", styles},
                             {NULL, NULL}},
        "1 A@0|1904-01-01 B@43904|2024-03-15;");
}

TEST(formats)
{
    static const struct {
        const char *code;
        bool date;
    } formats[] = {
        {"General", false},
        {"0.00E+00", false},
        {"#,##0.00", false},
        {"yyyy", true},
        {"[$-421]d mmmm yyyy;@", true},
        {"mm:ss.0", true},
        {"[Red]0", false},
        {"[$Rp-421]#,##0", false},
        {"\"Tgl\" d", true},
        {"0\\d", false},
        {"mmm", true},
        {"h:mm AM/PM", true},
        {"_d0", false},
        {"0;[Red]-0", false},
        {"*d0", false},
        {"dd", true},
        {"0%", false},
        {"@", false},
        {"[ss]", true},
        {"# ?/?", false},
    };
    for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
        char *styles = NULL, quoted[64] = "";
        for (const char *p = formats[i].code; *p != '\0'; p++)
            snprintf(quoted + strlen(quoted), sizeof(quoted) - strlen(quoted), *p == '"' ? "&quot;" : "%c",
                     *p);
        assert_true(
            asprintf(&styles,
                     BOOK_STYLES("<numFmt numFmtId=\"164\" formatCode=\"%s\"/>", "<xf numFmtId=\"164\"/>"),
                     quoted) > 0);
        char *have =
            book_read(book_make((struct book_part[]){
                          {"xl/worksheets/sheet1.xml", BOOK_SHEET("<row><c s=\"0\"><v>100.5</v></c></row>")},
                          {"xl/styles.xml", styles},
                          {NULL, NULL}}),
                      0, NULL);
        if ((strchr(have, '@') != NULL) != formats[i].date)
            fail_msg("%s: %s", formats[i].code, have);
        free(have);
        free(styles);
    }
    unlink(book_path);
}

TEST(percent)
{
    expect_parts(
        (struct book_part[]){
            {"xl/worksheets/sheet1.xml",
             BOOK_SHEET("<row><c s=\"0\"><v>0.5</v></c><c s=\"1\"><v>0.5</v></c><c s=\"2\"><v>0.5</v></c>"
                        "<c s=\"1\" t=\"str\"><v>a</v></c></row>")},
            {"xl/styles.xml",
             BOOK_STYLES("<numFmt numFmtId=\"164\" formatCode=\"0&quot;%&quot;\"/><numFmt numFmtId=\"165\" "
                         "formatCode=\"0.0%\"/>",
                         "<xf numFmtId=\"164\"/><xf numFmtId=\"165\"/><xf numFmtId=\"10\"/>")},
            {NULL, NULL}},
        "1 A#0.5 B%#0.5 C%#0.5 D=a;");
}

TEST(merged)
{
    expect_parts(
        (struct book_part[]){
            {"xl/worksheets/sheet1.xml",
             "<x:worksheet xmlns:x=\"" BOOK_MAIN
             "\"><x:cols><x:col min=\"2\" max=\"3\" hidden=\"1\"/></x:cols><x:sheetData>"
             "<x:row r=\"1\"><x:c r=\"A1\"><x:v>1</x:v></x:c><x:c r=\"B1\"/><x:c r=\"C1\"/></x:row>"
             "<x:row r=\"2\"><x:c r=\"A2\"/><x:c r=\"B2\"/><x:c "
             "r=\"C2\"><x:v>5</x:v></x:c></x:row></x:sheetData>"
             "<x:mergeCells><x:mergeCell ref=\"A1:B2\"/><x:mergeCell ref=\"B2:C2\"/><x:mergeCell "
             "ref=\"zz\"/></x:mergeCells>"
             "</x:worksheet>"},
            {NULL, NULL}},
        "1 A#1 Bm.; 2 Am. Bm. C#5;");
}

TEST(merged_place)
{
    struct odp_workbook *w;
    struct odp_sheet *s;
    struct odp_workbook_fault fault;
    struct odp_sheet_row row;
    const char *path = book_make((struct book_part[]){
        {"xl/worksheets/sheet1.xml",
         "<worksheet xmlns=\"" BOOK_MAIN "\"><cols><col min=\"2\" max=\"2\" hidden=\"1\"/></cols><sheetData>"
         "<row r=\"4\"><c r=\"B4\"><v>1</v></c></row><row r=\"5\"><c r=\"B5\"/></row></sheetData>"
         "<mergeCells><mergeCell ref=\"B4:B9\"/></mergeCells></worksheet>"},
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

TEST(strict)
{
#define STRICT "http://purl.oclc.org/ooxml/officeDocument/relationships"
    expect_parts(
        (struct book_part[]){
            {"_rels/.rels", BOOK_RELS("<Relationship Id=\"a\" Type=\"" STRICT
                                      "/officeDocument\" Target=\"/Buku/W%6Frkbook.xml\"/>")},
            {"buku/workbook.xml",
             "<workbook xmlns=\"http://purl.oclc.org/ooxml/spreadsheetml/main\" xmlns:q=\"" STRICT
             "\"><sheets><sheet name=\"D\" sheetId=\"1\" q:id=\"s\"/></sheets></workbook>"},
            {"buku/_rels/workbook.xml.rels",
             BOOK_RELS("<Relationship Id=\"s\" Type=\"" STRICT "/worksheet\" Target=\"../lain/./L.xml\"/>")},
            {"lain/L.xml",
             "<worksheet "
             "xmlns=\"http://purl.oclc.org/ooxml/spreadsheetml/main\"><sheetData><row><c><v>7</v></c></row>"
             "</sheetData></worksheet>"},
            {NULL, NULL}},
        "1 A#7;");
}

TEST(sheets)
{
    struct odp_workbook *w;
    struct odp_workbook_fault fault;
    const char *path = book_make((struct book_part[]){
        {"xl/workbook.xml",
         BOOK_WORKBOOK(
             "", BOOK_ONE
             "<sheet name=\"Bagan\" sheetId=\"2\" r:id=\"c1\"/><sheet name=\"Rahasia\" sheetId=\"3\" "
             "state=\"veryHidden\" r:id=\"s1\"/>")},
        {"xl/_rels/workbook.xml.rels", BOOK_RELS("<Relationship Id=\"s1\" Type=\"" BOOK_TYPES
                                                 "/worksheet\" Target=\"worksheets/sheet1.xml\"/>"
                                                 "<Relationship Id=\"c1\" Type=\"" BOOK_TYPES
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

TEST(order)
{
    expect("<row r=\"2\"><c><v>1</v></c></row><row r=\"2\"><c><v>1</v></c></row>",
           "2 A#1; !5 xl/worksheets/sheet1.xml: rows are out of order");
    expect("<row r=\"1\"><c r=\"B1\"><v>1</v></c><c r=\"A1\"><v>1</v></c></row>",
           "!5 xl/worksheets/sheet1.xml: cells are out of order");
    expect("<row r=\"1\"><c r=\"A2\"><v>1</v></c></row>",
           "!5 xl/worksheets/sheet1.xml: a cell's address does not fit its row");
    expect("<row r=\"0\"/>", "!5 xl/worksheets/sheet1.xml: a row's number cannot be read");
    expect("<row r=\"1048577\"/>", "!6 xl/worksheets/sheet1.xml: too many rows");
    expect("<row r=\"99999999999999999999\"/>", "!6 xl/worksheets/sheet1.xml: too many rows");
    expect("<row r=\"1\"><c r=\"XFE1\"><v>1</v></c></row>", "!6 xl/worksheets/sheet1.xml: too many columns");
    expect("<row r=\"1\"><c r=\"XFD1\"><v>1</v></c></row>", "1 XFD#1;");
    expect("<row r=\"1\"><c r=\"ZZZZZ1\"><v>1</v></c></row>",
           "!5 xl/worksheets/sheet1.xml: a cell's address does not fit its row");
    expect("<row><c t=\"s\"><v>0</v></c></row>",
           "!5 xl/worksheets/sheet1.xml: a cell points to a shared text that is not there");
    expect("<row><c t=\"s\"><v>-1</v></c></row>",
           "!5 xl/worksheets/sheet1.xml: a cell points to a shared text that is not there");
    expect("<row><c><v>1</c></row>", "!5 xl/worksheets/sheet1.xml: the XML is damaged or cut off");
    expect("</sheetData><sheetData>", "!5 xl/worksheets/sheet1.xml: the sheet's content is there twice");
}

TEST(entities)
{
    expect_parts(
        (struct book_part[]){
            {"xl/worksheets/sheet1.xml",
             "<!DOCTYPE w [<!ENTITY a \"aaaa\"><!ENTITY b SYSTEM \"file:///etc/passwd\">]>" BOOK_SHEET(
                 "<row><c t=\"str\"><v>&b;</v></c></row>")},
            {NULL, NULL}},
        "!5 xl/worksheets/sheet1.xml: it has a DTD, which is not read");
    expect("<row><c t=\"str\"><v>&nbsp;</v></c></row>",
           "!5 xl/worksheets/sheet1.xml: the XML is damaged or cut off");
}

TEST(nesting)
{
    char rows[2000] = "";
    for (int i = 0; i < 100; i++)
        strcat(rows, "<a>");
    for (int i = 0; i < 100; i++)
        strcat(rows, "</a>");
    expect(rows, "!5 xl/worksheets/sheet1.xml: XML is nested too deeply");
}

TEST(package_faults)
{
    expect_parts((struct book_part[]){{"xl/_rels/workbook.xml.rels",
                                       BOOK_RELS("<Relationship Id=\"s1\" Type=\"" BOOK_TYPES
                                                 "/worksheet\" Target=\"../../etc/passwd\"/>")},
                                      {NULL, NULL}},
                 "!5 xl/_rels/workbook.xml.rels: a relationship leads out of the file");
    expect_parts(
        (struct book_part[]){
            {"xl/_rels/workbook.xml.rels",
             BOOK_RELS("<Relationship Id=\"s1\" Type=\"" BOOK_TYPES
                       "/worksheet\" Target=\"http://a.example/\" TargetMode=\"External\"/>")},
            {NULL, NULL}},
        "!5 xl/workbook.xml: a sheet lies outside the file");
    expect_parts((struct book_part[]){{NULL, NULL}},
                 "!5 xl/worksheets/sheet1.xml: this part is not in the file");
    expect_parts((struct book_part[]){{"xl/worksheets/sheet1.xml", BOOK_SHEET("")},
                                      {"XL/worksheets/Sheet1.xml", BOOK_SHEET("")},
                                      {NULL, NULL}},
                 "!5 xl/worksheets/sheet1.xml: this part is in the file twice");
    expect_parts((struct book_part[]){{"xl/workbook.xml", BOOK_WORKBOOK("", "")}, {NULL, NULL}},
                 "!5 xl/workbook.xml: there is no worksheet in it");
    expect_parts((struct book_part[]){{"xl/workbook.xml", "<html/>"}, {NULL, NULL}},
                 "!3 xl/workbook.xml: a zip archive, not a workbook");
}

static void expect_file(const char *bytes, size_t n, const char *want)
{
    snprintf(book_path, sizeof(book_path), "/tmp/odp-book-%ld.xlsx", (long)getpid());
    FILE *f = fopen(book_path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
    char *have = book_read(book_path, 0, NULL);
    assert_string_equal(have, want);
    free(have);
    unlink(book_path);
}

TEST(other_files)
{
#define EXPECT_FILE(bytes, want) expect_file(bytes, sizeof(bytes) - 1, want)
    EXPECT_FILE("", "!2 : an empty file");
    EXPECT_FILE("a;b\n1;2\n", "!2 : plain text (perhaps CSV)");
    EXPECT_FILE("\xEF\xBB\xBF<HTML><table>", "!2 : a web page (HTML)");
    EXPECT_FILE("%PDF-1.7", "!2 : a PDF");
    EXPECT_FILE("{\"a\": 1}", "!2 : JSON");
    EXPECT_FILE("<?xml version=\"1.0\"?><Workbook xmlns=\"urn:schemas-microsoft-com:office:spreadsheet\"/>",
                "!2 : an XML spreadsheet of 2003");
    EXPECT_FILE("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1....W\0o\0r\0k\0b\0o\0o\0k\0",
                "!2 : an old Excel file (.xls)");
    EXPECT_FILE("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1....E\0n\0c\0r\0y\0p\0t\0e\0d\0P\0a\0c\0k\0a\0g\0e\0",
                "!4 : locked by a password");
    EXPECT_FILE("\x00\x01\x02\x03", "!2 : a file of an unknown kind");
    EXPECT_FILE("PK\3\4 and nothing more", "!5 : the zip archive is damaged or cut off");
    expect_parts((struct book_part[]){{"_rels/.rels", "<r/>"},
                                      {"mimetype", "application/vnd.oasis.opendocument.spreadsheet"},
                                      {NULL, NULL}},
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
    assert_non_null(strstr(have, "!5 xl/worksheets/sheet1.xml: "));
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
