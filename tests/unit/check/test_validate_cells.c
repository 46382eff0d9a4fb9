/* Every rule about a single cell: what is taken, what is refused, and what is proposed. */
#include "validate_fixture.h"

#include "base/json.h"

struct cell_case {
    const char *field, *cell, *result;
};

static void run(void **state, const struct cell_case *cases, size_t n)
{
    struct lab *l = *state;
    int wrong = 0;
    for (size_t i = 0; i < n; i++) {
        const char *got = lab_cell(l, cases[i].field, cases[i].cell);
        if (strcmp(got, cases[i].result) != 0) {
            print_error("%s  [%s]\n  expected %s\n  got      %s\n", cases[i].field, cases[i].cell,
                        cases[i].result, got);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}
#define TRY(cases) run(state, cases, sizeof(cases) / sizeof *(cases))

#define STRING    "\"type\": \"string\""
#define NUMBER    "\"type\": \"number\""
#define INTEGER   "\"type\": \"integer\""
#define COMMA     NUMBER ", \"decimalChar\": \",\", \"groupChar\": \".\""
#define WITH(...) ", \"constraints\": {" __VA_ARGS__ "}"

static void test_missing(void **state)
{
    static const struct cell_case cases[] = {
        {STRING, "", "null"},
        {STRING, "\\N", "null"},
        {STRING, "-", "=-"},
        {STRING ", \"missingValues\": [\"-\", \"n/a\"]", "n/a", "null"},
        {STRING ", \"missingValues\": [\"-\"]", "", "="},
        {STRING ", \"missingValues\": [\"#N/A\"]", "#N/A", "null"},
        {NUMBER, "  ", "null W01"},
        {STRING, "  ", "=   W01"},
        {STRING WITH("\"required\": true"), "", "B01"},
        {STRING WITH("\"required\": true"), "a", "=a"},
    };
    TRY(cases);
}

static void test_characters(void **state)
{
    static const struct cell_case cases[] = {
        {STRING, "a ", "=a  W01>a"},
        {STRING ", \"odp:trim\": true", " a ", "=a"},
        {STRING,
         "\xc2\xa0"
         "a",
         "=\xc2\xa0"
         "a W01>a"},
        {STRING, "a b", "=a b"},
        {NUMBER ", \"decimalChar\": \",\", \"groupChar\": \".\"", "40.734,54 ", "=40734.54 W01>40.734,54"},
        {INTEGER, " 7", "=7 W01>7"},
        {STRING,
         "a\x01"
         "b",
         "W02>ab"},
        {STRING, "a\x7f", "W02>a"},
        {STRING, "a\xc2\x85", "W02>a\xe2\x80\xa6"},
        {STRING, "a\tb", "=a\tb"},
        {STRING, "a\xef\xbf\xbd", "=a\xef\xbf\xbd W03"},
        {STRING, "Andr\xc3\x83\xc2\xa9", "=Andr\xc3\x83\xc2\xa9 W04>Andr\xc3\xa9"},
        {STRING, "Ma\xc3\xa2\xe2\x82\xac\xe2\x84\xa2ruf",
         "=Ma\xc3\xa2\xe2\x82\xac\xe2\x84\xa2ruf W04>Ma\xe2\x80\x99ruf"},
        {STRING, "Andr\xc3\xa9 \xe2\x80\x99", "=Andr\xc3\xa9 \xe2\x80\x99"},
    };
    TRY(cases);
}

static void test_spreadsheet(void **state)
{
    static const struct cell_case cases[] = {
        {STRING, "#N/A", "S01"},
        {NUMBER, "#DIV/0!", "S01"},
        {STRING, "#REF!", "S01"},
        {STRING, "#VALUE!", "S01"},
        {STRING, "#NAME?", "S01"},
        {STRING, "#NULL!", "S01"},
        {STRING, "#NUM!", "S01"},
        {STRING, "#1 Jalan", "=#1 Jalan"},
        {NUMBER, "########", "S02"},
        {STRING, "#", "=#"},
        {STRING, "1,23E+15", "S03"},
        {STRING, "1.23E+15", "S03"},
        {INTEGER, "3E+15", "S03"},
        {STRING, "1E5", "=1E5"},
        {NUMBER, "1.5E+3", "=1.5E+3"},
        {STRING WITH("\"pattern\": \"[0-9]{2}\\\\.[0-9]{2}\""), "11.1", "S04>11.10"},
        {STRING WITH("\"pattern\": \"[0-9]{2}\\\\.[0-9]{2}\""), "1.10", "S04>01.10"},
        {STRING WITH("\"pattern\": \"[0-9]{2}\\\\.[0-9]{2}\""), "11.123", "B09"},
        {STRING WITH("\"minLength\": 5"), "123", "S04>00123"},
        {STRING WITH("\"minLength\": 5"), "abc", "B03"},
        {"\"type\": \"date\"", "45000", "S05>2023-03-15"},
        {"\"type\": \"date\"", "20000", "S05>1954-10-03"},
        {"\"type\": \"datetime\"", "45000.5", "S05"},
        {"\"type\": \"date\"", "70000", "T07"},
        {"\"type\": \"date\", \"format\": \"%y%j\"", "24075", "=2024-03-15"},
    };
    TRY(cases);
}

static void test_numbers(void **state)
{
    static const struct cell_case cases[] = {
        {INTEGER, "12", "=12"},
        {INTEGER, "-12", "=-12"},
        {INTEGER, "0", "=0"},
        {INTEGER, "+5", "=5"},
        {INTEGER, "007", "=7 T17"},
        {NUMBER, "01.5", "=1.5 T17"},
        {INTEGER, "-0", "=-0"},
        {INTEGER, "1.5", "T02"},
        {INTEGER, "x", "T02"},
        {INTEGER, "12 unit", "T02>12"},
        {INTEGER ", \"groupChar\": \".\"", "1.234", "=1234"},
        {INTEGER ", \"groupChar\": \".\"", "12.34", "T04"},
        {NUMBER, "12.50", "=12.50"},
        {NUMBER, ".5", "=0.5"},
        {NUMBER, "1e3", "=1e3"},
        {NUMBER, "-0.5", "=-0.5"},
        {NUMBER, "12,5", "T03>12.5"},
        {NUMBER, "12,5 ha", "T03>12.5"},
        {NUMBER, "12.5 ha", "T03>12.5"},
        {NUMBER, "Rp", "T03"},
        {NUMBER, "1,234", "T03"},
        {NUMBER, "1,234.56", "T04>1234.56"},
        {NUMBER, "(1234)", "T03>-1234"},
        {NUMBER,
         "\xE2\x88\x92"
         "5",
         "T03>-5"},
        {NUMBER, "-Rp 5", "T03>-5"},
        {NUMBER, "ke-5", "T03"},
        {NUMBER,
         "1\xC2\xA0"
         "234",
         "T03>1234"},
        {NUMBER, "1,23E+15", "T03"},
        {NUMBER, "1.23E+15", "=1.23E+15 S06"},
        {NUMBER, "1.5e-07", "=1.5e-7"},
        {INTEGER, "12.0", "T02>12"},
        {INTEGER, "12.00", "T02>12"},
        {INTEGER, "1.234", "T02>1234"},
        {COMMA, "12,5 ha", "T03>12,5"},
        {COMMA, "1.234.567,8", "=1234567.8"},
        {COMMA, "12.34.567", "T04"},
        {COMMA, "1.5", "T04>1,5"},
        {COMMA ", \"bareNumber\": false", "Rp 1.500", "=1500"},
        {NUMBER, "NaN", "T05"},
        {NUMBER, "INF", "T05"},
        {NUMBER, "123456789012345678901234567890.5", "=123456789012345678901234567890.5"},
    };
    TRY(cases);
    struct lab *l = *state;
    assert_string_equal(lab_cell_flags(l, COMMA, "12.5", ODP_CELL_NATIVE), "=12.5");
    assert_string_equal(
        lab_cell_flags(l, "\"type\": \"date\", \"format\": \"%d/%m/%Y\"", "2024-03-15", ODP_CELL_NATIVE),
        "=2024-03-15");
    assert_string_equal(
        lab_cell_flags(l, "\"type\": \"boolean\", \"trueValues\": [\"ya\"], \"falseValues\": [\"tidak\"]",
                       "false", ODP_CELL_NATIVE),
        "=false");
}

static void test_dates(void **state)
{
    static const struct cell_case cases[] = {
        {"\"type\": \"date\"", "2024-02-29", "=2024-02-29"},
        {"\"type\": \"date\"", "2023-02-29", "T08"},
        {"\"type\": \"date\"", "0000-01-01", "T08"},
        {"\"type\": \"date\"", "2023-13-01", "T08"},
        {"\"type\": \"date\"", "15/03/2024", "T07>2024-03-15"},
        {"\"type\": \"date\"", "05/03/2024", "T07"},
        {"\"type\": \"date\", \"format\": \"%d %B %Y\"", "2024/08/17", "T07>17 Agustus 2024"},
        {"\"type\": \"date\", \"format\": \"%d %B %Y\"", "06 Juli 2017", "=2017-07-06"},
        {"\"type\": \"date\", \"format\": \"%d %B %Y\"", "31 Februari 2017", "T08"},
        {"\"type\": \"date\", \"format\": \"%d/%m/%Y\"", "29/02/2024", "=2024-02-29"},
        {"\"type\": \"date\", \"format\": \"%d/%m/%Y\"", "29/02/2023", "T08"},
        {"\"type\": \"date\", \"format\": \"%d/%m/%Y\"", "00/02/2023", "T08"},
        {"\"type\": \"date\", \"format\": \"%d/%m/%Y\"", "01/00/2023", "T08"},
        {"\"type\": \"date\", \"format\": \"%d/%m/%Y\"", "01/13/2023", "T08>13/01/2023"},
        {"\"type\": \"date\", \"format\": \"%d/%m/%Y\"", "01/12/0000", "T08"},
        {"\"type\": \"date\", \"format\": \"%d/%m/%Y\"", "1/2/2023", "=2023-02-01"},
        {"\"type\": \"date\", \"format\": \"%d/%m/%Y\"", "01/02-2023", "T07>01/02/2023"},
        {"\"type\": \"date\", \"format\": \"%m%d%Y\"", "12312023", "=2023-12-31"},
        {"\"type\": \"date\", \"format\": \"%Y %m %d\"", "2023  12 31", "=2023-12-31"},
        {"\"type\": \"date\", \"format\": \"default\"", "2023-12-31", "=2023-12-31"},
        {"\"type\": \"date\", \"format\": \"any\"", "2023-12-31", "=2023-12-31"},
        {"\"type\": \"time\"", "07:05:00", "=07:05:00"},
        {"\"type\": \"time\"", "7 pagi", "T09"},
        {"\"type\": \"datetime\"", "2024-03-15T07:05:00+07:00", "=2024-03-15T07:05:00+07:00"},
        {"\"type\": \"datetime\"", "2024-03-15T07:05:00", "T11"},
        {"\"type\": \"datetime\"", "kemarin", "T10"},
        {"\"type\": \"datetime\", \"odp:timeZone\": \"Asia/Makassar\"", "2024-03-15T07:05:00",
         "=2024-03-15T07:05:00+08:00"},
        {"\"type\": \"year\"", "2024", "=2024"},
        {"\"type\": \"year\"", "24", "T12"},
        {"\"type\": \"year\"", "0999", "T12"},
        {"\"type\": \"year\"", "1000", "=1000"},
        {"\"type\": \"yearmonth\"", "2024-03", "=2024-03"},
        {"\"type\": \"yearmonth\"", "Maret", "T12"},
        {"\"type\": \"duration\"", "P1Y6M", "=P1Y6M"},
        {"\"type\": \"duration\"", "18 bulan", "T13"},
    };
    TRY(cases);
}

static void test_texts(void **state)
{
    static const struct cell_case cases[] = {
        {STRING ", \"format\": \"email\", \"odp:privacy\": [\"email\"]", "a.b@example.org",
         "=a.b@example.org"},
        {STRING ", \"format\": \"email\"", "a.b.example.org", "T01"},
        {STRING ", \"format\": \"email\"", "kosong", "T01"},
        {STRING ", \"format\": \"uri\"", "https://a.go.id/x?y=%20", "=https://a.go.id/x?y=%20"},
        {STRING ", \"format\": \"uri\"", "a b", "T01"},
        {STRING ", \"format\": \"uri\"", "https://a/%2", "T01"},
        {STRING ", \"format\": \"binary\"", "YWI=", "=YWI="},
        {STRING ", \"format\": \"binary\"", "YW=I", "T01"},
        {STRING ", \"format\": \"uuid\"", "0b5f0e0c-7b1e-4d0e-9d39-1c1b5bb2a0de",
         "=0b5f0e0c-7b1e-4d0e-9d39-1c1b5bb2a0de"},
        {STRING ", \"format\": \"uuid\"", "0b5f0e0c", "T01"},
        {"\"type\": \"boolean\"", "True", "=true"},
        {"\"type\": \"boolean\"", "0", "=false"},
        {"\"type\": \"boolean\"", "ya", "T06>true"},
        {"\"type\": \"boolean\", \"trueValues\": [\"ya\"], \"falseValues\": [\"tidak\"]", "tidak", "=false"},
        {"\"type\": \"any\"", "apa saja", "=apa saja"},
    };
    TRY(cases);
}

static void test_structures(void **state)
{
    static const struct cell_case cases[] = {
        {"\"type\": \"geopoint\"", "106.80, -6.2", "=[106.80,-6.2]"},
        {"\"type\": \"geopoint\"", "-6.2, 106.8", "T14>106.8,-6.2"},
        {"\"type\": \"geopoint\"", "106.8", "T14"},
        {"\"type\": \"geopoint\"", "181, 0", "T14"},
        {"\"type\": \"geopoint\", \"format\": \"array\"", "[106.8, -6.2]", "=[106.8,-6.2]"},
        {"\"type\": \"geopoint\", \"format\": \"array\"", "[1,2,3]", "T14"},
        {"\"type\": \"geopoint\", \"format\": \"object\"", "{\"lat\": -6.2, \"lon\": 106.8}",
         "=[106.8,-6.2]"},
        {"\"type\": \"geopoint\", \"format\": \"object\"", "{\"lat\": -6.2}", "T14"},
        {"\"type\": \"geopoint\", \"format\": \"object\"", "{\"lat\": 1, \"lat\": 2}", "T14"},
        {"\"type\": \"object\"", "{ \"a\" : \"x y\\\" \", \"b\": 1.10 }", "={\"a\":\"x y\\\" \",\"b\":1.10}"},
        {"\"type\": \"object\"", "[1]", "T15"},
        {"\"type\": \"array\"", "[1, 2]", "=[1,2]"},
        {"\"type\": \"array\"", "[1, 2", "T15"},
        {"\"type\": \"list\", \"delimiter\": \";\"", "a;b c", "=[\"a\",\"b c\"]"},
        {"\"type\": \"list\", \"itemType\": \"integer\"", "1, 2", "=[1,2]"},
        {"\"type\": \"list\", \"itemType\": \"integer\"", "1,x", "T16"},
        {"\"type\": \"list\", \"itemType\": \"boolean\"", "true,0", "=[true,false]"},
        {"\"type\": \"list\", \"itemType\": \"boolean\"", "ya", "T16"},
        {"\"type\": \"list\", \"itemType\": \"date\"", "2024-01-02", "=[\"2024-01-02\"]"},
        {"\"type\": \"list\", \"itemType\": \"date\"", "2024-01-32", "T16"},
        {"\"type\": \"geojson\"", "{\"type\": \"Point\", \"coordinates\": [106.8, -6.2]}",
         "={\"type\":\"Point\",\"coordinates\":[106.8,-6.2]}"},
        {"\"type\": \"geojson\"", "{\"type\": \"Point\"}", "T15"},
        {"\"type\": \"geojson\"", "{\"type\": \"Point\", \"coordinates\": [-6.2, 106.8]}", "T15"},
        {"\"type\": \"geojson\"", "{\"type\":\"Polygon\",\"coordinates\":[[[0,0],[1,0],[1,1],[0,0]]]}",
         "={\"type\":\"Polygon\",\"coordinates\":[[[0,0],[1,0],[1,1],[0,0]]]}"},
        {"\"type\": \"geojson\"", "{\"type\":\"Polygon\",\"coordinates\":[[[0,0],[1,0],[1,1],[0,1]]]}",
         "T15"},
        {"\"type\": \"geojson\"", "{\"type\":\"Feature\",\"geometry\":null,\"properties\":{}}",
         "={\"type\":\"Feature\",\"geometry\":null,\"properties\":{}}"},
        {"\"type\": \"geojson\"", "{\"type\":\"FeatureCollection\",\"features\":[{}]}", "T15"},
        {"\"type\": \"geojson\", \"format\": \"topojson\"",
         "{\"type\":\"Topology\",\"objects\":{},\"arcs\":[]}",
         "={\"type\":\"Topology\",\"objects\":{},\"arcs\":[]}"},
        {"\"type\": \"geojson\", \"format\": \"topojson\"", "{\"type\":\"Topology\"}", "T15"},
    };
    TRY(cases);
}

static void test_constraints(void **state)
{
    static const struct cell_case cases[] = {
        {STRING WITH("\"minLength\": 3"), "\xc3\xa9\xc3\xa9", "B03"},
        {STRING WITH("\"minLength\": 3"), "abc", "=abc"},
        {STRING WITH("\"maxLength\": 3"), "\xc3\xa9\xc3\xa9\xc3\xa9", "=\xc3\xa9\xc3\xa9\xc3\xa9"},
        {STRING WITH("\"maxLength\": 3"), "abcd", "B04"},
        {"\"type\": \"list\"" WITH("\"maxLength\": 2"), "a,b", "=[\"a\",\"b\"]"},
        {"\"type\": \"list\"" WITH("\"maxLength\": 2"), "a,b,c", "B04"},
        {"\"type\": \"array\"" WITH("\"minLength\": 1"), "[]", "B03"},
        {"\"type\": \"object\"" WITH("\"maxLength\": 1"), "{\"a\":[1,2],\"b\":1}", "B04"},
        {NUMBER WITH("\"minimum\": 0.01"), "0.010", "=0.010"},
        {NUMBER WITH("\"minimum\": 0.01"), "0.0099", "B05"},
        {NUMBER WITH("\"maximum\": 100"), "100.0", "=100.0"},
        {NUMBER WITH("\"maximum\": 100"), "1e3", "B06"},
        {NUMBER WITH("\"exclusiveMinimum\": 0"), "0", "B07"},
        {NUMBER WITH("\"exclusiveMinimum\": 0"), "0.1", "=0.1"},
        {NUMBER WITH("\"exclusiveMaximum\": 1"), "1.0", "B08"},
        {NUMBER WITH("\"exclusiveMaximum\": 1"), "0.9", "=0.9"},
        {"\"type\": \"date\"" WITH("\"minimum\": \"2020-01-01\""), "2019-12-31", "B05"},
        {"\"type\": \"datetime\"" WITH("\"maximum\": \"2024-01-01T00:00:00Z\""), "2024-01-01T06:00:00+07:00",
         "=2024-01-01T06:00:00+07:00"},
        {"\"type\": \"datetime\"" WITH("\"maximum\": \"2024-01-01T00:00:00Z\""), "2024-01-01T08:00:00+07:00",
         "B06"},
        {STRING WITH("\"pattern\": \"[a-z]+\""), "abc", "=abc"},
        {STRING WITH("\"pattern\": \"[a-z]+\""), "abc1", "B09"},
        {STRING WITH("\"pattern\": \"RHB-[0-9]{6,8}\""), "RHB-123456", "=RHB-123456"},
        {STRING WITH("\"pattern\": \"RHB-[0-9]{6,8}\""), "RHB-12345678", "=RHB-12345678"},
        {STRING WITH("\"pattern\": \"RHB-[0-9]{6,8}\""), "RHB-12345", "B09"},
        {STRING WITH("\"pattern\": \"RHB-[0-9]{6,8}\""), "RHB-123456789", "B09"},
        {STRING WITH("\"pattern\": \"RHB-[0-9]{6,8}\""), "RHB-12345/", "B09"},
        {STRING WITH("\"pattern\": \"RHB-[0-9]{6,8}\""), "RHB-12345:", "B09"},
        {STRING WITH("\"pattern\": \"RHB-[0-9]{6,8}\""), "RHB-1234\xc3\xa9", "B09"},
        {STRING WITH("\"pattern\": \"[a-c]{2}\\\\.x\""), "ac.x", "=ac.x"},
        {STRING WITH("\"pattern\": \"[a-c]{2}\\\\.x\""), "acdx", "B09"},
        {STRING WITH("\"pattern\": \"[a-c]{2}\\\\.x\""), "ad.x", "B09"},
        {STRING WITH("\"pattern\": \"ab?|[a-c]{1,2}x{2}\""), "bcxx", "=bcxx"},
        {STRING WITH("\"pattern\": \"[A-Z]{2}[0-9]{1,2}[a-z]\""), "AB1c", "=AB1c"},
        {STRING WITH("\"pattern\": \"A{2}B{0,2}\""), "AA", "=AA"},
        {STRING WITH("\"pattern\": \"A{2}B{0,2}\""), "AAC", "B09"},
        {STRING WITH("\"pattern\": \"[a-z]{2,}\""), "abcdefghijklmnopqrstuvwxyz",
         "=abcdefghijklmnopqrstuvwxyz"},
        {STRING WITH("\"pattern\": \"(a+)+[bd]\""), "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac", "B13"},
        {STRING WITH("\"enum\": [\"A\", \"B\"]"), "A", "=A"},
        {STRING WITH("\"enum\": [\"Ringan\", \"Berat\"]"), "Bera", "B10>Berat"},
        {NUMBER WITH("\"enum\": [1.5, 2]"), "1.50", "=1.50"},
        {NUMBER WITH("\"enum\": [1.5, 2]"), "17.25", "B10"},
        {STRING ", \"categories\": [\"Ringan\", \"Sedang\", \"Berat\"]", "Sedang", "=Sedang"},
        {STRING ", \"categories\": [\"Ringan\", \"Sedang\", \"Berat\"]", "Sedamg", "B11>Sedang"},
        {STRING ", \"categories\": [\"Ringan\", \"Sedang\", \"Berat\"]", "Tidak tahu", "B11"},
    };
    TRY(cases);
}

#define OBJECT(schema) "\"type\": \"object\"" WITH("\"jsonSchema\": " schema)
#define ARRAY(schema)  "\"type\": \"array\"" WITH("\"jsonSchema\": " schema)

static void test_json_schema(void **state)
{
    static const struct cell_case cases[] = {
        {OBJECT("{\"required\": [\"a\"]}"), "{\"a\":1}", "={\"a\":1}"},
        {OBJECT("{\"required\": [\"a\"]}"), "{}", "B12"},
        {OBJECT("{\"properties\": {\"a\": {\"type\": \"integer\"}}}"), "{\"a\":1.0}", "={\"a\":1.0}"},
        {OBJECT("{\"properties\": {\"a\": {\"type\": \"integer\"}}}"), "{\"a\":1.5}", "B12"},
        {OBJECT("{\"properties\": {\"a\": {\"type\": [\"null\", \"string\"]}}}"), "{\"a\":true}", "B12"},
        {OBJECT("{\"properties\": {\"a\": {}}, \"additionalProperties\": false}"), "{\"b\":1}", "B12"},
        {OBJECT("{\"additionalProperties\": {\"type\": \"string\"}}"), "{\"b\":1}", "B12"},
        {OBJECT("{\"properties\": {\"a\": {\"enum\": [1, \"x\"]}}}"), "{\"a\":1.0}", "={\"a\":1.0}"},
        {OBJECT("{\"properties\": {\"a\": {\"enum\": [1, \"x\"]}}}"), "{\"a\":\"y\"}", "B12"},
        {OBJECT("{\"properties\": {\"a\": {\"const\": 3}}}"), "{\"a\":4}", "B12"},
        {OBJECT("{\"properties\": {\"a\": {\"minimum\": 1, \"exclusiveMaximum\": 5, \"multipleOf\": 0.1}}}"),
         "{\"a\":0.3}", "B12"},
        {OBJECT("{\"properties\": {\"a\": {\"minimum\": 0, \"exclusiveMaximum\": 5, \"multipleOf\": 0.1}}}"),
         "{\"a\":0.3}", "={\"a\":0.3}"},
        {OBJECT("{\"properties\": {\"a\": {\"exclusiveMaximum\": 5}}}"), "{\"a\":5}", "B12"},
        {OBJECT("{\"properties\": {\"a\": {\"maximum\": 5}}}"), "{\"a\":6}", "B12"},
        {OBJECT("{\"properties\": {\"a\": {\"exclusiveMinimum\": 5}}}"), "{\"a\":5}", "B12"},
        {OBJECT("{\"properties\": {\"a\": {\"minLength\": 2, \"maxLength\": 3, \"pattern\": \"^x\"}}}"),
         "{\"a\":\"xyz\"}", "={\"a\":\"xyz\"}"},
        {OBJECT("{\"properties\": {\"a\": {\"minLength\": 2}}}"), "{\"a\":\"x\"}", "B12"},
        {OBJECT("{\"properties\": {\"a\": {\"maxLength\": 1}}}"), "{\"a\":\"xy\"}", "B12"},
        {OBJECT("{\"properties\": {\"a\": {\"pattern\": \"^x\"}}}"), "{\"a\":\"y\"}", "B12"},
        {ARRAY(
             "{\"items\": {\"type\": \"number\"}, \"minItems\": 1, \"maxItems\": 2, \"uniqueItems\": true}"),
         "[1,2]", "=[1,2]"},
        {ARRAY("{\"items\": {\"type\": \"number\"}}"), "[1,\"x\"]", "B12"},
        {ARRAY("{\"minItems\": 1}"), "[]", "B12"},
        {ARRAY("{\"maxItems\": 1}"), "[1,2]", "B12"},
        {ARRAY("{\"uniqueItems\": true}"), "[1,1.0]", "B12"},
        {ARRAY("{\"items\": [{\"type\": \"number\"}], \"additionalItems\": false}"), "[1,2]", "B12"},
        {ARRAY("{\"contains\": {\"const\": 3}}"), "[1,2]", "B12"},
        {ARRAY("{\"contains\": {\"const\": 3}}"), "[1,3]", "=[1,3]"},
        {OBJECT("{\"anyOf\": [{\"required\": [\"a\"]}, {\"required\": [\"b\"]}]}"), "{\"b\":1}",
         "={\"b\":1}"},
        {OBJECT("{\"anyOf\": [{\"required\": [\"a\"]}, {\"required\": [\"b\"]}]}"), "{\"c\":1}", "B12"},
        {OBJECT("{\"allOf\": [{\"required\": [\"a\"]}, {\"required\": [\"b\"]}]}"), "{\"b\":1}", "B12"},
        {OBJECT("{\"oneOf\": [{\"required\": [\"a\"]}, {\"required\": [\"b\"]}]}"), "{\"a\":1,\"b\":1}",
         "B12"},
        {OBJECT("{\"not\": {\"required\": [\"a\"]}}"), "{\"a\":1}", "B12"},
        {OBJECT("{\"unheardOf\": 1}"), "{\"a\":1}", "={\"a\":1}"},
        {OBJECT("{\"minProperties\": 1}"), "{}", "B12"},
        {OBJECT("{\"maxProperties\": 0}"), "{\"a\":1}", "B12"},
    };
    TRY(cases);
}

/* 317104 4101 90 0001: a woman's NIK, born on 1990-01-01. */
#define NIK "3171044101900001"

static void test_privacy(void **state)
{
    static const struct cell_case cases[] = {
        {STRING, NIK, "P01"},
        {STRING, "nomor " NIK " milik Ani", "P01"},
        {INTEGER, NIK, "P01"},
        {STRING ", \"sdi:aksesPublik\": false", NIK, "=" NIK},
        {STRING ", \"odp:privacy\": [\"nik\"]", NIK, "=" NIK},
        {STRING, "09.254.294.3-407.000", "P02"},
        {STRING, "081234567890", "P03"},
        {STRING, "+62 812-3456-7890", "P03"},
        {STRING, "ani@example.org", "P04"},
        {STRING ", \"odp:privacy\": [\"email\"]", "ani@example.org 081234567890", "P03"},
        {INTEGER, "1500000000000", "=1500000000000"},
        {STRING, "Proyek 2024", "=Proyek 2024"},
    };
    TRY(cases);
}

/* No cell breaks anything, and accepted values have their type's form. */
static void test_hostile_cells(void **state)
{
    static const char *const types[] = {"string",   "number", "integer",   "boolean",  "date", "time",
                                        "datetime", "year",   "yearmonth", "duration", "list", "geopoint",
                                        "geojson",  "object", "array",     "any"};
    static const char *const atoms[] = {"1",
                                        "0",
                                        "9",
                                        ".",
                                        ",",
                                        "-",
                                        "+",
                                        "e",
                                        "E",
                                        "\"",
                                        "[",
                                        "]",
                                        "{",
                                        "}",
                                        ":",
                                        " ",
                                        "a",
                                        "#",
                                        "@",
                                        "\\",
                                        "\xc3\xa9",
                                        "\xc2\xa0",
                                        "\xef\xbf\xbd",
                                        "\x01",
                                        "true",
                                        "null",
                                        "2024",
                                        "T",
                                        "P1Y",
                                        "lon",
                                        "type",
                                        "62",
                                        "%"};
    struct lab *l = *state;
    struct odp_buffer schema;
    odp_buffer_init(&schema);
    odp_buffer_add_str(&schema, "\"fields\": [");
    for (size_t k = 0; k < 16; k++)
        odp_buffer_printf(&schema, "%s{\"name\": \"%s\", \"type\": \"%s\"}", k > 0 ? ", " : "", types[k],
                          types[k]);
    odp_buffer_add_char(&schema, ']');
    lab_dataset(l, "satu", odp_buffer_cstr(&schema), "");
    lab_open(l);
    lab_start(l, "satu");
    uint32_t seed = 7;
    for (int i = 0; i < 3000; i++) {
        struct odp_buffer row;
        odp_buffer_init(&row);
        for (size_t k = 0; k < 16; k++) {
            if (k > 0)
                odp_buffer_add_char(&row, '|');
            for (uint32_t n = (seed = seed * 1664525u + 1013904223u) >> 29; n > 0; n--)
                odp_buffer_add_str(
                    &row,
                    atoms[((seed = seed * 1664525u + 1013904223u) >> 16) % (sizeof atoms / sizeof *atoms)]);
        }
        lab_row(l, odp_buffer_cstr(&row));
        odp_buffer_release(&row);
    }
    lab_batch(l);
    size_t taken = 0;
    for (uint32_t i = 0; i < l->batch.nrecords; i++)
        for (uint32_t k = 0; k < 16; k++) {
            char first;
            if (l->batch.columns[k].state[i] != ODP_VALUE_OK)
                continue;
            struct odp_slice s = l->batch.columns[k].text[i];
            enum odp_repr repr = odp_type_repr(l->resource->schema.fields[k].type);
            taken++;
            if (repr != ODP_REPR_STRING && !odp_json_valid(s, &first))
                fail_msg("%s: %.*s", types[k], (int)s.len, s.ptr);
        }
    assert_true(taken > 3000);
    assert_true(odp_diags_count(l->diags, ODP_SEVERITY_ERROR) > 3000);
    lab_close(l);
    odp_buffer_release(&schema);
}

static int setup(void **state)
{
    static struct lab l;
    lab_init(&l);
    *state = &l;
    return 0;
}

static int teardown(void **state)
{
    lab_release(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_missing),       cmocka_unit_test(test_characters),
        cmocka_unit_test(test_spreadsheet),   cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_dates),         cmocka_unit_test(test_texts),
        cmocka_unit_test(test_structures),    cmocka_unit_test(test_constraints),
        cmocka_unit_test(test_json_schema),   cmocka_unit_test(test_privacy),
        cmocka_unit_test(test_hostile_cells),
    };
    return cmocka_run_group_tests_name("validate: cells", tests, setup, teardown);
}
