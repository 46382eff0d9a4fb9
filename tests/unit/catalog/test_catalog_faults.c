/* Every fault of a catalogue has its code and its place, one fault one report, and hostile JSON is only refused. */
#include "catalog_folder.h"

#define LISTED "JSON, GeoJSON, CSV, Excel, PDF, NDJSON" /* of formats.def */

#define HEAD "{\"name\": \"a\", \"title\": \"A\", \"odp:formats\": [\"CSV\"], \"odp:lastUpdate\": \"2024-03-15\",\n"
#define TABLE(more) "\"resources\": [{\"name\": \"t\", \"path\": \"t.csv\"" more "\n"
#define FIELD "{\"name\": \"x\", \"type\": \"string\"}"
#define SCHEMA ", \"schema\": {\"fields\": [" FIELD "]}"
#define END "}]}"
/* A dataset whose only field has the members MORE; the field stands on line 3. */
#define ONE(more) HEAD TABLE(", \"schema\": {\"fields\": [") "{\"name\": \"x\"" more "}]}" END
#define RESOURCE(more) HEAD TABLE(SCHEMA ",") more END
#define PACKAGE(more) "{" more ",\n\"resources\": [{\"name\": \"t\", \"path\": \"t.csv\"" SCHEMA END

static const struct {
    const char *text;   /* a/dataset.json */
    const char *faults; /* as catalog_folder.h writes them, without " a" behind the code */
} cases[] = {
    /* JSON and shape */
    {"{\"name\": \"a\",\n \"x\": ]}", "C01 2:7 unexpected token near ']'|\n"},
    {"{\"name\": \"a\", \"name\": \"b\"}", "C01 1:20 duplicate object key near '\"name\"'|\n"},
    {"", "C01 1:1 unexpected token near end of file|\n"},
    {"[1]", "C04 1:1 /|{…}\n"},
    {"{}", "C03 1:1 name|a\nC03 1:1 resources|[{…}]\nC03 1:1 title|string\nC03 1:1 odp:formats|" LISTED "\nC03 1:1 odp:lastUpdate|YYYY-MM-DD\n"},
    {PACKAGE("\"name\": \"b\", \"title\": \"A\", \"odp:formats\": [\"CSV\"], \"odp:lastUpdate\": \"2024-03-15\""), "C05 1:10 name|a\n"},
    {PACKAGE("\"name\": \"a\", \"title\": 5, \"odp:formats\": [\"Csv\", \"PDF\", \"PDF\"], \"odp:lastUpdate\": \"2024-02-30\""),
     "C04 1:24 title|string, {\"id\", \"en\"}\nC05 1:43 odp:formats|" LISTED "\nC08 1:57 PDF|\nC04 1:83 odp:lastUpdate|YYYY-MM-DD, YYYY-MM-DDThh:mm:ss+07:00\n"},
    {PACKAGE("\"name\": \"a\", \"title\": \"A\", \"odp:formats\": [\"CSV\"], \"odp:lastUpdate\": {\"field\": \"y\"}"), "C07 1:81 y|x\n"},
    {PACKAGE("\"name\": \"a\", \"title\": \"A\", \"odp:formats\": [\"CSV\"], \"odp:lastUpdate\": {\"field\": \"x\"}"), "C15 1:81 odp:lastUpdate|date, datetime\n"},
    {PACKAGE("\"name\": \"a\", \"title\": \"A\", \"odp:formats\": [], \"odp:lastUpdate\": \"2024-03-15\", \"odp:frequency\": \"ANNUALLY\", \"odp:order\": -1"),
     "C05 1:97 odp:frequency|ANNUAL, ANNUAL_2, ANNUAL_3, BIENNIAL, BIMONTHLY, BIWEEKLY, CONT, DAILY, DAILY_2, DECENNIAL, HOURLY, IRREG, "
     "MONTHLY, MONTHLY_2, MONTHLY_3, NEVER, OTHER, QUADRENNIAL, QUARTERLY, QUINQUENNIAL, TRIENNIAL,…\nC05 1:122 odp:order|0 … 2147483647\nC04 1:44 odp:formats|[…] ≥ 1\n"},
    {PACKAGE("\"name\": \"a\", \"title\": \"A\", \"odp:formats\": [\"CSV\"], \"odp:lastUpdate\": \"2024-03-15\", \"odp:severity\": {\"white-spice\": \"off\", \"ODP-T03\": \"fatal\"}"),
     "C05 1:102 white-spice|white-space\nC05 1:135 ODP-T03|off, note, warning, error\n"},
    {PACKAGE("\"name\": \"a\", \"title\": \"A\", \"odp:formats\": [\"CSV\"], \"odp:lastUpdate\": \"2024-03-15\", \"odp:replacedBy\": \"baru\""), "C14 1:103 baru|—\n"},
    /* unknown properties: warnings, so the catalogue stands */
    {RESOURCE("\"odp:rule\": [], \"lisences\": [], \"x:y\": 1, \"scheme\": 1, \"note\": 1"), "C37/t 3:1 odp:rule|odp:rules\nC12/t 3:17 lisences|licenses\nC12/t 3:43 scheme|schema\n"},
    {ONE(", \"type\": \"string\", \"constraints\": {\"minlength\": 1}, \"sdi:akses\": 1"), "C12/t.x 3:66 sdi:akses|—\nC37/t.x 3:49 minlength|minLength\n"},
    /* names and paths */
    {HEAD "\"resources\": [{\"name\": \"Search\", \"path\": \"/etc/passwd\"" SCHEMA "}, {\"name\": \"search\", \"path\": \"../x\"" SCHEMA END,
     "C06/Search 2:24 Search|'-', '_', '.'\nC13/Search 2:42 path|\nC06/search 2:124 search|'-', '_', '.'\nC13/search 2:142 path|\n"},
    {HEAD "\"resources\": [{\"name\": \"t\", \"path\": \"t.csv\"" SCHEMA "}, {\"name\": \"t\", \"path\": [\"u.csv\"]" SCHEMA END, "C08/t 2:113 t|\nC04/t 2:126 path|string\n"},
    {HEAD "\"resources\": []}", "C04 2:14 resources|1 ≤ […] ≤ 1000\n"},
    {HEAD TABLE("") END, "C03/t 2:15 schema|{…}\n"},
    {RESOURCE("\"hash\": \"sha256:xyz\", \"bytes\": -3, \"type\": \"tabel\", \"dialect\": \"d.json\""),
     "C05/t 3:44 type|table\nC05/t 3:32 bytes|≥ 0\nC05/t 3:9 hash|sha256:…\nC04/t 3:64 dialect|{…}\n"},
    {RESOURCE("\"dialect\": {\"delimiter\": \"\\\"\", \"headerRows\": [0, 2, 2], \"lineTerminator\": \"x\", \"sheetKind\": \"a\", \"escapeChar\": \"ab\"}"),
     "C12/t 3:80 sheetKind|—\nC05/t 3:47 headerRows|1 … 1000000\nC08/t 3:46 headerRows 2|\nC05/t 3:112 escapeChar|ASCII × 1\nC16/t 3:12 quoteChar|delimiter\nC05/t 3:75 lineTerminator|\\r\\n, \\n, \\r\n"},
    {RESOURCE("\"dialect\": {\"headerRows\": [1], \"commentRows\": [1]}"), "C16/t 3:47 commentRows|headerRows\n"},
    /* fields */
    {HEAD TABLE(", \"schema\": {\"fields\": []}") END, "C04/t 2:67 fields|[…] ≥ 1\n"},
    {HEAD TABLE(", \"schema\": {\"fields\": [" FIELD ", " FIELD ", {\"type\": \"string\"}, 5]}") END, "C03/t 2:134 name|string\nC04/t 2:154 fields|{…}\nC08/t 2:110 x|\n"},
    {ONE(", \"type\": \"strnig\""), "C05/t.x 3:23 type|string, number, integer, boolean, date, time, datetime, year, yearmonth, duration, list, geopoint, geojson, object, array, any\n"},
    {ONE(", \"type\": \"date\", \"format\": \"DD/MM/YYYY\""), "C05/t.x 3:41 format|default, any, %d %m %Y %H %M %S …\n"},
    {ONE(", \"type\": \"integer\", \"decimalChar\": \",\", \"groupChar\": \"..\", \"odp:timeZone\": \"WIB\""),
     "C11/t.x 3:34 decimalChar|number\nC05/t.x 3:67 groupChar|ASCII × 1\nC11/t.x 3:73 odp:timeZone|datetime\n"},
    {ONE(", \"type\": \"number\", \"decimalChar\": \",\", \"groupChar\": \",\""), "C16/t.x 3:66 groupChar|decimalChar\n"},
    {ONE(", \"type\": \"boolean\", \"trueValues\": [\"1\", \"0\"]"), "C16/t.x 3:48 trueValues|falseValues\n"},
    {ONE(", \"type\": \"number\", \"constraints\": {\"minimum\": 5, \"maximum\": 4.99, \"pattern\": \"x\", \"enum\": [1, 1.0]}"),
     "C16/t.x 3:74 minimum|maximum\nC11/t.x 3:80 pattern|string\nC08/t.x 3:108 1.0|\n"},
    {ONE(", \"type\": \"integer\", \"constraints\": {\"minimum\": 0.5, \"maximum\": \"a\", \"minLength\": 1}"),
     "C11/t.x 3:82 minLength|string, list, object, array\nC04/t.x 3:61 minimum|integer\nC04/t.x 3:77 maximum|integer\n"},
    {ONE(", \"type\": \"duration\", \"constraints\": {\"minimum\": \"P1Y\"}"), "C11/t.x 3:51 minimum|number, integer, date, time, datetime, year, yearmonth\n"},
    {ONE(", \"type\": \"date\", \"format\": \"%d/%m/%Y\", \"constraints\": {\"minimum\": \"1 Januari\"}"), "C04/t.x 3:80 minimum|date (%d/%m/%Y)\n"},
    {ONE(", \"type\": \"string\", \"constraints\": {\"pattern\": \"[a-\", \"minLength\": 5, \"maxLength\": 4, \"enum\": []}"),
     "C16/t.x 3:96 minLength|maxLength\nC10/t.x 3:60 [a-|missing terminating ] for character class (@4)\nC04/t.x 3:107 enum|[…] ≥ 1\n"},
    {ONE(", \"type\": \"number\", \"categories\": [1]"), "C11/t.x 3:33 categories|string, integer\n"},
    {ONE(", \"type\": \"string\", \"categories\": [1, {\"label\": \"a\"}, \"b\", \"b\"], \"missingValues\": [0], \"odp:privacy\": [\"ktp\"]"),
     "C05/t.x 3:116 odp:privacy|none, nik, npwp, phone, email\nC04/t.x 3:96 missingValues|string\nC04/t.x 3:48 categories|string\nC03/t.x 3:51 value|string\nC08/t.x 3:72 b|\n"},
    /* keys, rules, index */
    {HEAD TABLE(", \"schema\": {\"primaryKey\": [\"y\"], \"uniqueKeys\": [[\"x\", \"x\"]], \"fields\": [" FIELD "]}") END, "C07/t 2:72 y|x\nC08/t 2:99 x|\n"},
    {RESOURCE("\"odp:rules\": [{\"code\": \"Satu\", \"expr\": \"x\", \"message\": \"m\"}, {\"code\": \"b\", \"message\": {}}], \"odp:index\": [\"y\"]"),
     "C06/t 3:24 Satu|'-', '_', '.'\nC03/t 3:62 expr|CQL2\nC03/t 3:87 id|string\nC07/t 3:107 y|x\n"},
    {RESOURCE("\"odp:foreignKeys\": [{\"fields\": \"x\", \"reference\": {\"dataset\": \"b\", \"fields\": [\"x\"]}},\n"
              "{\"fields\": [\"x\"], \"reference\": {\"dataset\": \"a\", \"fields\": [\"x\", \"x\"]}},\n"
              "{\"fields\": [\"x\"], \"reference\": {\"dataset\": \"a\", \"resource\": \"u\", \"fields\": [\"x\"]}}]"),
     "C14/t 3:62 b|—\nC08/t 4:65 x|\nC07/t 5:61 u|t\n"},
    {RESOURCE("\"odp:foreignKeys\": [{\"fields\": [\"y\"]}, {\"fields\": []}, 1]"),
     "C03/t 3:21 reference|{…}\nC07/t 3:33 y|x\nC03/t 3:40 reference|{…}\nC04/t 3:51 fields|[…] ≥ 1\nC04/t 3:56 odp:foreignKeys|{…}\n"},
    /* geometry */
    {RESOURCE("\"odp:geometry\": {\"types\": [\"polygon\"], \"bbox\": [1, 2, 0, 3], \"crs\": 32748}, \"odp:apiGeometry\": \"half\""),
     "C05/t 3:28 types|Point, MultiPoint, LineString, MultiLineString, Polygon, MultiPolygon\nC04/t 3:69 crs|string\nC16/t 3:48 west, south|east, north\nC05/t 3:96 odp:apiGeometry|full, simplified, none\n"
     "C03/t 3:17 lon, lat|{\"lon\": \"bujur\", \"lat\": \"lintang\"} (number) · {\"field\": …} (geopoint, geojson) · .shp, .zip\n"},
};

/* The faults of dataset a alone, its name taken out. */
static void faults_of(struct folder *f, struct odp_buffer *out)
{
    odp_buffer_clear(out);
    const char *s = folder_faults(f);
    while (*s != '\0') {
        const char *end = strchr(s, '\n') + 1;
        const char *rest = strncmp(s + 3, " a", 2) == 0 ? s + 5 : s + 3;
        odp_buffer_add(out, s, 3);
        odp_buffer_add(out, rest, (size_t)(end - rest));
        s = end;
    }
}

static int by_line(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The order of groups is the order of reading, which is nobody's promise: both sides are compared sorted. */
static bool same_lines(size_t i, const char *expected, const char *found)
{
    char *text[2] = {strdup(expected), strdup(found)};
    const char *line[2][64];
    size_t n[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        for (char *save = NULL, *s = strtok_r(text[k], "\n", &save); s != NULL && n[k] < 64; s = strtok_r(NULL, "\n", &save))
            line[k][n[k]++] = s;
        qsort(line[k], n[k], sizeof line[k][0], by_line);
    }
    bool same = n[0] == n[1];
    for (size_t j = 0; same && j < n[0]; j++)
        same = strcmp(line[0][j], line[1][j]) == 0;
    if (!same)
        print_error("case %zu: %s\nexpected\n%sfound\n%s", i, cases[i].text, expected, found);
    free(text[0]);
    free(text[1]);
    return same;
}

static void every_fault_has_code_and_place(void **state)
{
    struct folder f;
    struct odp_buffer found;
    (void)state;
    folder_init(&f);
    odp_buffer_init(&found);
    size_t wrong = 0;
    folder_write(&f, "portal.json", PORTAL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        folder_write(&f, "a/dataset.json", cases[i].text);
        enum odp_status status = folder_open(&f);
        faults_of(&f, &found);
        wrong += same_lines(i, cases[i].faults, odp_buffer_cstr(&found)) ? 0 : 1;
        bool warnings = odp_diags_count(f.diags, ODP_SEVERITY_ERROR) == 0;
        assert_int_equal(status, warnings ? ODP_OK : ODP_BAD);
    }
    odp_buffer_release(&found);
    folder_release(&f);
    assert_int_equal(wrong, 0);
}

static void a_bad_target_gives_no_second_report(void **state)
{
    static const char child[] =
        "{\"name\": \"b\", \"title\": \"B\", \"odp:formats\": [\"CSV\"], \"odp:lastUpdate\": \"2024-03-15\", \"resources\": [{\"name\": \"t\",\n"
        "\"path\": \"t.csv\"" SCHEMA ", \"odp:foreignKeys\": [{\"fields\": \"x\", \"reference\": {\"dataset\": \"a\", \"fields\": \"x\"}}]}]}";
    struct folder f;
    (void)state;
    folder_init(&f);
    folder_write(&f, "portal.json", PORTAL);
    folder_write(&f, "b/dataset.json", child);
    folder_write(&f, "a/dataset.json", "{");
    assert_int_equal(folder_open(&f), ODP_BAD);
    assert_int_equal(odp_diags_count(f.diags, ODP_SEVERITY_ERROR), 1);
    assert_int_equal(f.catalog->ndatasets, 1);
    assert_int_equal(f.catalog->datasets[0].resources[0].nforeign, 0);
    /* Types that cannot be equal, and a name nearly right. */
    folder_write(&f, "a/dataset.json", ONE(", \"type\": \"integer\""));
    assert_int_equal(folder_open(&f), ODP_BAD);
    assert_string_equal(folder_faults(&f), "C15 b/t 2:95 x (string) → x (integer)|integer\n");
    folder_release(&f);
}

static void files_that_are_missing_or_wrong(void **state)
{
    struct folder f;
    (void)state;
    folder_init(&f);
    assert_int_equal(folder_open(&f), ODP_BAD);
    assert_string_equal(folder_faults(&f), "C02 0:0 No such file or directory|\n");
    assert_non_null(f.catalog);
    folder_write(&f, "portal.json", "\xef\xbb\xbf" PORTAL); /* a byte order mark is no fault */
    assert_int_equal(folder_open(&f), ODP_OK);
    folder_write(&f, "changes.json", "{\"releases\": [{\"version\": \"2.1\", \"date\": \"x\", \"changes\": []}]}");
    folder_write(&f, "portal.json", "{\"title\": \"P\", \"publisher\": \"K\", \"baseUrl\": \"data.example.go.id\", \"tiers\": [{\"name\": \"public\"}]}");
    assert_int_equal(folder_open(&f), ODP_BAD);
    assert_string_equal(folder_faults(&f), "C05 1:45 baseUrl|https://…/\nC03 1:77 daily|integer, null\nC03 1:77 burst|integer\nC03 1:77 concurrent|integer\n"
                                           "C04 1:42 date|YYYY-MM-DD\nC04 1:27 version|2.5.0\n");
    folder_write(&f, "references", "a file where a folder should be");
    folder_write(&f, "portal.json", PORTAL);
    folder_write(&f, "changes.json", "{\"releases\": []}");
    assert_int_equal(folder_open(&f), ODP_BAD);
    assert_int_equal(odp_diags_code_count(f.diags, ODP_C02), 1);
    folder_close(&f);
    struct folder none = {.dir = "/nonexistent/catalog"};
    assert_int_equal(folder_open(&none), ODP_BAD);
    assert_int_equal(odp_diags_code_count(none.diags, ODP_C02), 1);
    folder_close(&none);
    odp_buffer_release(&none.faults);
    folder_release(&f);
}

/* Every file of a suite of valid, invalid and doubtful JSON, as dataset.json: refused or reported, never worse. */
static void hostile_json(void **state)
{
    static const char suite[] = ODP_SHARED_DATA "/json/JSONTestSuite/test_parsing";
    struct folder f;
    struct odp_arena a;
    struct odp_buffer text;
    const char **names;
    size_t n;
    (void)state;
    if (odp_file_kind_of(suite) != ODP_FILE_FOLDER) {
        print_message("third-party data json/JSONTestSuite is not on this machine\n");
        skip();
    }
    folder_init(&f);
    folder_write(&f, "portal.json", PORTAL);
    odp_arena_init(&a);
    odp_buffer_init(&text);
    assert_int_equal(odp_dir_list(suite, &a, &names, &n), ODP_OK);
    assert_true(n > 100);
    for (size_t i = 0; i < n; i++) {
        odp_buffer_clear(&text);
        assert_int_equal(odp_file_read(odp_path_join(&a, suite, names[i]), 1U << 24, &text, NULL), ODP_OK);
        folder_put(&f, "a/dataset.json", text.ptr != NULL ? text.ptr : "", text.len);
        assert_int_equal(folder_open(&f), ODP_BAD);
        assert_int_equal(f.catalog->ndatasets, 0);
        if (strncmp(names[i], "n_", 2) == 0 && odp_diags_code_count(f.diags, ODP_C01) != 1)
            print_error("%s\n%s", names[i], folder_faults(&f));
        if (strncmp(names[i], "n_", 2) == 0)
            assert_int_equal(odp_diags_code_count(f.diags, ODP_C01), 1);
    }
    odp_buffer_release(&text);
    odp_arena_release(&a);
    folder_release(&f);
}

/* A right descriptor with each value in turn replaced by every kind of wrong value. */
static void wrong_types_everywhere(void **state)
{
    static const char right[] =
        "{\"name\": \"a\", \"title\": {\"id\": \"A\"}, \"odp:formats\": [\"CSV\"], \"odp:lastUpdate\": {\"field\": \"d\"}, \"odp:order\": 1, \"odp:severity\": {\"ODP-W01\": \"off\"}, "
        "\"resources\": [{\"name\": \"t\", \"path\": \"t.csv\", \"bytes\": 1, \"hash\": \"md5:00000000000000000000000000000000\", \"dialect\": {\"headerRows\": [1], \"delimiter\": \",\"}, "
        "\"odp:geometry\": {\"types\": [\"Point\"], \"bbox\": [1, 2, 3, 4], \"lon\": \"n\", \"lat\": \"n\"}, \"schema\": {\"fieldsMatch\": [\"exact\"], \"primaryKey\": [\"x\"], \"uniqueKeys\": [[\"x\"]], "
        "\"missingValues\": [{\"value\": \"\", \"label\": \"l\"}], \"fields\": [{\"name\": \"x\", \"type\": \"string\", \"categories\": [{\"value\": \"v\", \"label\": {\"en\": \"l\"}}], "
        "\"constraints\": {\"enum\": [\"v\"], \"pattern\": \"v\", \"minLength\": 1}}, {\"name\": \"d\", \"type\": \"date\", \"format\": \"%d/%m/%Y\", \"constraints\": {\"minimum\": \"01/01/2000\"}}, "
        "{\"name\": \"n\", \"type\": \"number\", \"groupChar\": \",\", \"constraints\": {\"minimum\": 1.5, \"enum\": [2]}}], \"foreignKeys\": [{\"fields\": [\"x\"], \"reference\": {\"resource\": \"\", \"fields\": [\"x\"]}}]}, "
        "\"odp:foreignKeys\": [{\"fields\": [\"x\"], \"reference\": {\"dataset\": \"a\", \"resource\": \"t\", \"fields\": [\"x\"]}}], "
        "\"odp:rules\": [{\"code\": \"r\", \"expr\": \"x = x\", \"message\": {\"id\": \"m\"}}], \"odp:index\": [\"x\", [\"d\", \"x\"]], "
        "\"odp:datetime\": [\"d\", \"d\"], \"odp:queryables\": [{\"name\": \"p\", \"title\": {\"id\": \"P\"}, \"field\": \"x\", \"prefix\": 2}, {\"name\": \"q1\", \"field\": \"p\", \"prefix\": 1}]}, "
        "{\"name\": \"u\", \"path\": \"u.csv\", \"odp:datetime\": \"e\", \"odp:queryables\": [{\"key\": [\"x\"], \"take\": \"n\", \"name\": \"m\"}, {\"key\": \"x\", \"take\": \"d\"}], "
        "\"odp:timeline\": {\"project\": \"x\", \"milestone\": \"z\", \"planned\": \"e\", \"actual\": \"h\", \"date\": \"day\", \"delay\": \"late\"}, \"schema\": {\"fields\": [{\"name\": \"x\", \"type\": \"string\"}, "
        "{\"name\": \"z\", \"type\": \"integer\"}, {\"name\": \"e\", \"type\": \"date\"}, {\"name\": \"h\", \"type\": \"date\"}], \"foreignKeys\": [{\"fields\": \"x\", \"reference\": {\"resource\": \"t\", \"fields\": \"x\"}}]}}]}";
    static const char *const wrong[] = {"null", "true", "-1", "1e308", "9223372036854775807", "\"\"", "\"\\u0007é\"", "[]", "{}", "[[[[]]]]", "{\"id\": {\"id\": 1}}",
                                        "\"references/@\"", "[\"x\", \"x\"]"};
    struct folder f;
    struct odp_buffer text;
    (void)state;
    folder_init(&f);
    odp_buffer_init(&text);
    folder_write(&f, "portal.json", PORTAL);
    folder_write(&f, "a/dataset.json", right);
    if (folder_open(&f) != ODP_OK)
        fail_msg("%s", folder_faults(&f));
    size_t tried = 0;
    for (const char *p = strchr(right, ':'); p != NULL; p = strchr(p + 1, ':')) {
        const char *start = p + 2, *end = start;
        if (p[-1] != '"' || p[1] != ' ')
            continue;
        int depth = 0;
        bool quoted = false;
        for (; depth > 0 || quoted || strchr(",]}", *end) == NULL; end++) {
            quoted = *end == '"' ? !quoted : quoted;
            if (!quoted)
                depth += (*end == '[' || *end == '{') - (*end == ']' || *end == '}');
        }
        for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++, tried++) {
            odp_buffer_clear(&text);
            odp_buffer_add(&text, right, (size_t)(start - right));
            odp_buffer_add_str(&text, wrong[i]);
            odp_buffer_add_str(&text, end);
            folder_put(&f, "a/dataset.json", text.ptr, text.len);
            enum odp_status status = folder_open(&f);
            assert_true(status == ODP_OK || status == ODP_BAD);
            assert_true((status == ODP_BAD) == (odp_diags_count(f.diags, ODP_SEVERITY_ERROR) > 0));
            assert_int_equal(odp_diags_code_count(f.diags, ODP_C01), 0);
        }
    }
    assert_true(tried > 500);
    odp_buffer_release(&text);
    folder_release(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fault_has_code_and_place), cmocka_unit_test(a_bad_target_gives_no_second_report),
        cmocka_unit_test(files_that_are_missing_or_wrong), cmocka_unit_test(hostile_json), cmocka_unit_test(wrong_types_everywhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
