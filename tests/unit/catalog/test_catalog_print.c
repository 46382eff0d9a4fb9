/* odp:charts, odp:print, odp:document: what is read, and every fault in its place. */
#include "catalog_folder.h"

/* Descriptors are written with ' for ". */
static void put(const struct folder *f, const char *path, const char *text)
{
    char *json = strdup(text);
    assert_non_null(json);
    for (char *p = json; *p != '\0'; p++)
        *p = *p == '\'' ? '"' : *p;
    folder_write(f, path, json);
    free(json);
}

#define HEAD "{'name': 'a', 'title': 'A', 'odp:formats': ['CSV'], 'odp:lastUpdate': '2024-03-15'"
#define FIELDS                                                                                                                 \
    "{'name': 'x', 'type': 'string'}, {'name': 'n', 'type': 'number'}, {'name': 'i', 'type': 'integer'}, "                     \
    "{'name': 't', 'type': 'yearmonth'}, {'name': 'o', 'type': 'string', 'categories': ['a', 'b'], 'categoriesOrdered': "      \
    "true}, {'name': 's', 'type': 'integer', 'sdi:aksesPublik': false}, {'name': 'l', 'type': 'list'}"
/* Members of the dataset on line 2, of a chart on line 3, of a table on line 4. */
#define TABLE(more)                                                                                                            \
    "'resources': [{'name': 'a', 'path': 'a.csv', 'schema': {'fields': [" FIELDS "], 'primaryKey': 'x'},\n" more "}]}"
#define DATASET(more) HEAD ",\n" more ",\n" TABLE("'format': 'csv'")
#define CHART(more)   HEAD ",\n'odp:charts': [{'name': 'c', 'title': 'C',\n" more "}],\n" TABLE("'format': 'csv'")
#define MAP(more)     HEAD ",\n'odp:charts': [{'name': 'c', 'title': 'C',\n'type': 'map'" more "}],\n" TABLE("'odp:geometry': {'lon': 'n', 'lat': 'n'}")
#define PRINT(more)   HEAD ",\n'odp:print': {" more "},\n" TABLE("'format': 'csv'")
/* The field d is on line 3. */
#define DOCUMENT(more, key, rest)                                                                                              \
    HEAD ",\n'resources': [{'name': 'a', 'path': 'a.csv', 'schema': {'fields': [{'name': 'x', 'type': 'string'},\n"            \
         "{'name': 'd', 'type': 'string', " more "}, {'name': 'i', 'type': 'integer'}], 'primaryKey': '" key "'}" rest "}]}"

static const struct {
    const char *text, *faults;
} cases[] = {
    /* charts: the list */
    {DATASET("'odp:charts': {}"), "C04 a/a 2:15 odp:charts|[…]\n"},
    {DATASET("'odp:charts': []"), ""},
    {DATASET("'odp:charts': [1]"), "C04 a/a 2:16 odp:charts|{…}\n"},
    {DATASET("'odp:charts': [{'name': 'c', 'title': 'C', 'type': 'bar', 'category': 'x'}]"), ""},
    {DATASET("'odp:charts': [{'name': 'c', 'title': 'C', 'type': 'bar', 'category': 'x'}, {'name': 'c', 'title': 'D', 'type': "
             "'bar', 'category': 'o'}]"),
     "C08 a/a 2:86 c|\n"},
    /* name, type, title, description */
    {DATASET("'odp:charts': [{}]"),
     "C03 a/a 2:16 name|string\nC03 a/a 2:16 title|{\"id\", \"en\"}\nC03 a/a 2:16 type|bar, line, stacked, map\n"},
    {DATASET("'odp:charts': [{'name': 'C', 'title': 'C', 'type': 'bar', 'category': 'x'}]"), "C06 a/a 2:25 C|'-' (≤ 64)\n"},
    {DATASET("'odp:charts': [{'name': 'a.b', 'title': 'C', 'type': 'bar', 'category': 'x'}]"), "C06 a/a 2:25 a.b|'-' (≤ 64)\n"},
    {DATASET("'odp:charts': [{'name': '../x', 'title': 'C', 'type': 'bar', 'category': 'x'}]"),
     "C06 a/a 2:25 ../x|'-' (≤ 64)\n"},
    {DATASET("'odp:charts': [{'name': '', 'title': 'C', 'type': 'bar', 'category': 'x'}]"), "C06 a/a 2:25 |'-' (≤ 64)\n"},
    {DATASET("'odp:charts': [{'name': '-', 'title': 'C', 'type': 'bar', 'category': 'x'}]"), "C06 a/a 2:25 -|'-' (≤ 64)\n"},
    {DATASET(
         "'odp:charts': [{'name': '0123456789012345678901234567890123456789012345678901234567890123', 'title': 'C', 'type': "
         "'bar', 'category': 'x'}]"),
     ""},
    {DATASET(
         "'odp:charts': [{'name': '01234567890123456789012345678901234567890123456789012345678901234', 'title': 'C', 'type': "
         "'bar', 'category': 'x'}]"),
     "C06 a/a 2:25 01234567890123456789012345678901234567890123456789012345678901234|'-' (≤ 64)\n"},
    {DATASET("'odp:charts': [{'name': 'c', 'title': {'id': 'C', 'en': ''}, 'type': 'bar', 'category': 'x'}]"),
     "C18 a/a 2:39 title|300\n"},
    {DATASET("'odp:charts': [{'name': 'c', 'title': 'a\\u0001b', 'type': 'bar', 'category': 'x'}]"),
     "C18 a/a 2:39 title|300\n"},
    {DATASET("'odp:charts': [{'name': 'c', 'title': 'C', 'description': 'a\\nb', 'type': 'bar', 'category': 'x'}]"),
     "C18 a/a 2:59 description|2000\n"},
    {CHART("'type': 'pie', 'category': 'x'"), "C05 a/a 3:9 type|bar, line, stacked, map\n"},
    {CHART("'type': 'bar', 'category': 'x', 'colour': 'red'"), "C12 a/a 3:33 colour|—\n"},
    /* fields */
    {CHART("'type': 'bar', 'category': 'z'"), "C07 a/a 3:28 z|x, n, i, t, o, s, l\n"},
    {CHART("'type': 'bar', 'category': ['x']"), "C04 a/a 3:28 category|string\n"},
    {CHART("'type': 'bar', 'category': 's'"), "C16 a/a 3:28 category|sdi:aksesPublik\n"},
    {CHART("'type': 'bar', 'category': 'l'"), "C17 a/a 3:28 l (list)|string, integer, boolean, date, year …\n"},
    {CHART("'type': 'bar', 'category': 'n'"), "C17 a/a 3:28 n (number)|string, integer, boolean, date, year …\n"},
    {CHART("'type': 'bar', 'category': 'x', 'value': 's'"), "C16 a/a 3:42 value|sdi:aksesPublik\n"},
    {CHART("'type': 'bar', 'category': 'x', 'value': 'o'"), "C17 a/a 3:42 o (string)|number, integer\n"},
    {CHART("'type': 'bar', 'category': 'x', 'series': 'n'"),
     "C17 a/a 3:43 n (number)|string, integer, boolean, date, year …\n"},
    {CHART("'type': 'bar', 'category': 'x', 'series': 'x'"), "C16 a/a 3:43 series|category\n"},
    {CHART("'type': 'bar', 'category': 'i', 'value': 'i'"), "C16 a/a 3:42 value|category\n"},
    {CHART("'type': 'bar', 'category': 'x', 'series': 'i', 'value': 'i'"), "C16 a/a 3:57 value|series\n"},
    {CHART("'type': 'bar', 'value': 'n'"), "C03 a/a 2:16 category|fields.name\n"},
    /* lines and stacks */
    {CHART("'type': 'line', 'category': 't', 'value': 'n', 'aggregate': 'mean', 'series': 'x', 'sort': 'category'"), ""},
    {CHART("'type': 'line', 'category': 'i'"), ""},
    {CHART("'type': 'line', 'category': 'o'"), ""},
    {CHART("'type': 'line', 'category': 'x'"),
     "C17 a/a 3:29 x (string)|date, datetime, time, year, yearmonth, integer, categoriesOrdered\n"},
    {CHART("'type': 'line', 'category': 't', 'sort': 'value'"), "C16 a/a 3:42 sort|\"type\": \"line\"\n"},
    {CHART("'type': 'line', 'category': 't', 'top': 5"), "C11 a/a 3:34 top|bar, stacked\n"},
    {CHART("'type': 'stacked', 'category': 't', 'series': 'o', 'value': 'n'"), ""},
    {CHART("'type': 'stacked', 'category': 't', 'series': 'o'"), ""},
    {CHART("'type': 'stacked', 'category': 't'"), "C03 a/a 2:16 series|fields.name\n"},
    {CHART("'type': 'stacked', 'category': 't', 'series': 'o', 'value': 'n', 'aggregate': 'mean'"),
     "C16 a/a 3:79 aggregate|\"type\": \"stacked\"\n"},
    /* figures */
    {CHART("'type': 'bar', 'category': 'x', 'value': 'n', 'aggregate': 'max'"), ""},
    {CHART("'type': 'bar', 'category': 'x', 'aggregate': 'count'"), ""},
    {CHART("'type': 'bar', 'category': 'x', 'value': 'n', 'aggregate': 'count'"), "C16 a/a 3:60 aggregate|value\n"},
    {CHART("'type': 'bar', 'category': 'x', 'aggregate': 'sum'"), "C03 a/a 2:16 value|fields.name\n"},
    {CHART("'type': 'bar', 'category': 'x', 'value': 'n', 'aggregate': 'median'"),
     "C05 a/a 3:60 aggregate|count, sum, mean, min, max\n"},
    {CHART("'type': 'bar', 'category': 'x', 'top': 60"), ""},
    {CHART("'type': 'bar', 'category': 'x', 'top': 61"), "C05 a/a 3:40 top|0 … 60\n"},
    {CHART("'type': 'bar', 'category': 'x', 'top': -1"), "C05 a/a 3:40 top|0 … 60\n"},
    {CHART("'type': 'bar', 'category': 'x', 'sort': 'up'"), "C05 a/a 3:41 sort|value, category\n"},
    /* maps */
    {MAP(""), ""},
    {MAP(", 'category': 'x'"), ""},
    {MAP(", 'value': 'n'"), ""},
    {MAP(", 'category': 'x', 'value': 'n'"), "C16 a/a 3:42 value|category\n"},
    {MAP(", 'series': 'x'"), "C11 a/a 3:16 series|bar, line, stacked\n"},
    {MAP(", 'value': 'n', 'aggregate': 'sum'"), "C11 a/a 3:30 aggregate|bar, line, stacked\n"},
    {MAP(", 'top': 5, 'sort': 'value'"), "C11 a/a 3:16 top|bar, stacked\nC11 a/a 3:26 sort|bar, line, stacked\n"},
    {CHART("'type': 'map'"), "C11 a/a 3:9 \"map\"|odp:geometry, .shp\n"},
    /* print */
    {PRINT(""), ""},
    {DATASET("'odp:print': []"), "C04 a/a 2:14 odp:print|{…}\n"},
    {PRINT("'layout': 'list'"), "C05 a/a 2:25 layout|table, entries\n"},
    {PRINT("'records': 0"), "C05 a/a 2:26 records|1 … 100000\n"},
    {PRINT("'records': 100001"), "C05 a/a 2:26 records|1 … 100000\n"},
    {PRINT("'records': '5'"), "C04 a/a 2:26 records|integer\n"},
    {PRINT("'heading': ['x'], 'title': 'x', 'status': 'x', 'group': 'x'"),
     "C11 a/a 2:15 heading|\"layout\": \"entries\"\nC11 a/a 2:33 title|\"layout\": \"entries\"\n"
     "C11 a/a 2:47 status|\"layout\": \"entries\"\nC11 a/a 2:62 group|\"layout\": \"entries\"\n"},
    {PRINT("'layout': 'entries'"), ""},
    {PRINT("'layout': 'entries', 'heading': ['x', 'i'], 'title': 'o', 'status': 'o', 'group': 'o'"), ""},
    {PRINT("'layout': 'entries', 'heading': ['x', 's']"), "C16 a/a 2:47 heading|sdi:aksesPublik\n"},
    {PRINT("'layout': 'entries', 'heading': ['y']"), "C07 a/a 2:48 y|x, n, i, t, o, s, l\n"},
    {PRINT("'layout': 'entries', 'title': 's'"), "C16 a/a 2:45 title|sdi:aksesPublik\n"},
    {PRINT("'layout': 'entries', 'group': 5"), "C04 a/a 2:45 group|string\n"},
    {PRINT("'titel': 'x'"), "C12 a/a 2:15 titel|title\n"},
    {HEAD ",\n'odp:print': {'layout': 'entries'}, 'resources': [{'name': 'a', 'path': 'a.csv', 'schema': {'fields': [" FIELDS
          "]}}]}",
     "C03 a/a 2:14 heading|[fields.name]\n"},
    {HEAD ",\n'odp:print': {'layout': 'entries'}, 'resources': [{'name': 'a', 'path': 'a.csv', 'schema': {'fields': [" FIELDS
          "], 'primaryKey': ['x', 's']}}]}",
     "C03 a/a 2:14 heading|[fields.name]\n"},
    /* documents */
    {DOCUMENT("'odp:document': 'dokumen'", "x", ""), ""},
    {DOCUMENT("'odp:document': {'folder': 'arsip/dokumen-2024', 'pages': 'i'}, 'constraints': {'required': true}", "x", ""),
     ""},
    {DOCUMENT("'odp:document': {}", "x", ""), "C03 a/a.d 3:49 folder|string\n"},
    {DOCUMENT("'odp:document': true", "x", ""), "C04 a/a.d 3:49 odp:document|string, {\"folder\", \"pages\"}\n"},
    {DOCUMENT("'odp:document': ''", "x", ""), "C13 a/a.d 3:49 odp:document|\n"},
    {DOCUMENT("'odp:document': '../dokumen'", "x", ""), "C13 a/a.d 3:49 odp:document|\n"},
    {DOCUMENT("'odp:document': '/dokumen'", "x", ""), "C13 a/a.d 3:49 odp:document|\n"},
    {DOCUMENT("'odp:document': 'dokumen/'", "x", ""), "C13 a/a.d 3:49 odp:document|\n"},
    {DOCUMENT("'odp:document': 'a//b'", "x", ""), "C13 a/a.d 3:49 odp:document|\n"},
    {DOCUMENT("'odp:document': 'a\\\\b'", "x", ""), "C13 a/a.d 3:49 odp:document|\n"},
    {DOCUMENT("'odp:document': 'Dokumen'", "x", ""), "C06 a/a.d 3:49 Dokumen|'-', '_', '/'\n"},
    {DOCUMENT("'odp:document': 'a b'", "x", ""), "C06 a/a.d 3:49 a b|'-', '_', '/'\n"},
    {DOCUMENT("'odp:document': 'a.csv'", "x", ""), "C06 a/a.d 3:49 a.csv|'-', '_', '/'\n"},
    {DOCUMENT("'odp:document': 'a/-b'", "x", ""), "C06 a/a.d 3:49 a/-b|'-', '_', '/'\n"},
    {DOCUMENT("'odp:document': 'a/charts'", "x", ""), "C06 a/a.d 3:49 a/charts|'-', '_', '/'\n"},
    {DOCUMENT("'odp:document': 'slices'", "x", ""), "C06 a/a.d 3:49 slices|'-', '_', '/'\n"},
    {DOCUMENT("'odp:document': {'folder': 'd', 'pages': 'j'}", "x", ""), "C07 a/a.d 3:74 j|x, d, i\n"},
    {DOCUMENT("'odp:document': {'folder': 'd', 'pages': 'x'}", "x", ""), "C17 a/a.d 3:74 x (string)|integer\n"},
    {DOCUMENT("'odp:document': {'folder': 'd', 'page': 'i'}", "x", ""), "C12 a/a.d 3:65 page|pages\n"},
    {DOCUMENT("'format': 'uri', 'odp:document': 'd'", "x", ""), "C16 a/a.d 3:50 odp:document|format\n"},
    {DOCUMENT("'sdi:aksesPublik': false, 'odp:document': 'd'", "x", ""), "C16 a/a.d 3:59 odp:document|sdi:aksesPublik\n"},
    {DOCUMENT("'odp:document': 'd'", "d", ""), "C16 a/a.d 3:33 odp:document|primaryKey\n"},
    {DOCUMENT("'odp:document': 'd', 'constraints': {'pattern': 'x', 'minLength': 1}", "x", ""),
     "C16 a/a.d 3:33 odp:document|pattern\nC16 a/a.d 3:33 odp:document|minLength\n"},
    {DOCUMENT("'odp:document': 'd', 'categories': ['a.pdf']", "x", ""), "C16 a/a.d 3:33 odp:document|categories\n"},
    {DOCUMENT("'odp:document': 'd'", "x", ", 'odp:slices': ['d']"), "C16 a/a 3:124 odp:slices|odp:document\n"},
    {DOCUMENT("'odp:document': 'd'", "x",
              ", 'odp:foreignKeys': [{'fields': 'd', 'reference': {'dataset': 'a', 'fields': 'x'}}]"),
     "C16 a/a 3:130 foreignKeys|odp:document\n"},
    {DOCUMENT("'odp:document': 'd'", "x",
              ", 'odp:foreignKeys': [{'fields': 'x', 'reference': {'dataset': 'a', 'fields': 'd'}}]"),
     "C16 a/a 3:130 foreignKeys|odp:document\n"},
    {HEAD ", 'resources': [{'name': 'a', 'path': 'a.csv', 'schema': {'fields': [\n{'name': 'i', 'type': 'integer', "
          "'odp:document': 'd'}]}}]}",
     "C11 a/a.i 2:34 odp:document|string\n"},
};

static void every_fault_has_code_and_place(void **state)
{
    struct folder f;
    size_t wrong = 0;
    (void)state;
    folder_init(&f);
    folder_write(&f, "portal.json", PORTAL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put(&f, "a/dataset.json", cases[i].text);
        enum odp_status status = folder_open(&f);
        bool clean = strstr(cases[i].faults, "C12") != NULL || *cases[i].faults == '\0';
        if (strcmp(folder_faults(&f), cases[i].faults) != 0 || status != (clean ? ODP_OK : ODP_BAD)) {
            print_error("case %zu: %s\nexpected\n%sfound (%d)\n%s", i, cases[i].text, cases[i].faults, (int)status,
                        folder_faults(&f));
            wrong++;
        }
        folder_close(&f);
    }
    assert_int_equal(wrong, 0);
    folder_release(&f);
}

/* The same fault is not told twice where a field's type is wrong itself. */
static void a_wrong_type_is_one_fault(void **state)
{
    struct folder f;
    (void)state;
    folder_init(&f);
    folder_write(&f, "portal.json", PORTAL);
    put(&f, "a/dataset.json",
        HEAD ",\n'odp:charts': [{'name': 'c', 'title': 'C', 'type': 'bar', 'category': 'x', 'value': 'n'}], 'resources': [{"
             "'name': 'a', 'path': 'a.csv', 'schema': {'fields': [{'name': 'x', 'type': 'string'},\n{'name': 'n', 'type': "
             "'desimal'}]}}]}");
    assert_int_equal(folder_open(&f), ODP_BAD);
    assert_string_equal(folder_faults(&f), "C05 a/a.n 3:23 type|string, number, integer, boolean, date, time, datetime, year, "
                                           "yearmonth, duration, list, geopoint, geojson, object, array, any\n");
    folder_release(&f);
}

static void code_lists_have_none(void **state)
{
    struct folder f;
    (void)state;
    folder_init(&f);
    folder_write(&f, "portal.json", PORTAL);
    put(&f, "references/d/dataset.json",
        "{'name': 'd',\n'resources': [{'name': '2025', 'path': 'd.csv', 'odp:editionDate': '2025-01-01', 'odp:charts': [], "
        "'odp:print': {}, 'schema': {'fields': [{'name': 'x', 'type': 'string', 'odp:document': 'd'}]}}]}");
    assert_int_equal(folder_open(&f), ODP_BAD);
    assert_string_equal(folder_faults(&f), "C11 references/d/2025.x 2:171 odp:document|dataset\n"
                                           "C11 references/d/2025 2:82 odp:charts|dataset\n"
                                           "C11 references/d/2025 2:100 odp:print|dataset\n");
    folder_release(&f);
}

/* What a value of the dataset's takes part in: of all tables, names are told apart and the number is bounded. */
static void charts_of_all_tables(void **state)
{
#define SMALL  "'path': 'a.csv', 'schema': {'fields': [{'name': 'x', 'type': 'string'}]}"
#define BAR(n) "{'name': '" n "', 'title': 'T', 'type': 'bar', 'category': 'x'}"
    struct folder f;
    struct odp_buffer text;
    (void)state;
    folder_init(&f);
    odp_buffer_init(&text);
    folder_write(&f, "portal.json", PORTAL);
    put(&f, "a/dataset.json",
        HEAD ", 'odp:charts': [" BAR("p") ", " BAR("q") "], 'resources': [{'name': 'a', " SMALL "}, {'name': 'b', " SMALL
                                                        "},\n{'name': 'c', " SMALL
                                                        ", 'odp:charts': [" BAR("r") ", " BAR("q") "]}]}");
    assert_int_equal(folder_open(&f), ODP_BAD);
    assert_string_equal(folder_faults(&f), "C08 a/c 2:174 q|\n");
    for (int most = 200; most <= 201; most++) {
        odp_buffer_clear(&text);
        odp_buffer_add_str(&text, HEAD ", 'resources': [{'name': 'a', " SMALL
                                       ", 'odp:charts': [" BAR("p") "]},\n{'name': 'b', " SMALL ", 'odp:charts': [");
        for (int i = 1; i < most; i++)
            odp_buffer_printf(&text, "%s{'name': 'b%d', 'title': 'T', 'type': 'bar', 'category': 'x'}", i > 1 ? "," : "", i);
        odp_buffer_add_str(&text, "]}]}");
        put(&f, "a/dataset.json", odp_buffer_cstr(&text));
        assert_int_equal(folder_open(&f), most == 200 ? ODP_OK : ODP_BAD);
        assert_string_equal(folder_faults(&f), most == 200 ? "" : "C04 a/b 2:103 odp:charts|[…] ≤ 200\n");
    }
    odp_buffer_release(&text);
    folder_release(&f);
}

static void what_is_read(void **state)
{
    struct folder f;
    (void)state;
    folder_init(&f);
    folder_write(&f, "portal.json", PORTAL);
    put(&f, "a/dataset.json",
        HEAD
        ", 'odp:charts': [\n"
        "{'name': 'satu', 'title': {'id': 'Judul', 'en': 'Title'}, 'description': 'D', 'type': 'bar', 'category': 'x', "
        "'value': 'n'},\n"
        "{'name': 'dua', 'title': 'T', 'type': 'line', 'category': 't', 'series': 'x', 'value': 'n', 'aggregate': 'mean'},\n"
        "{'name': 'tiga', 'title': 'T', 'type': 'stacked', 'category': 't', 'series': 'o', 'top': 0, 'sort': 'category'},\n"
        "{'name': 'empat', 'title': 'T', 'type': 'map', 'value': 'i'}], 'odp:print': {'records': 5},\n"
        "'resources': [{'name': 'a', 'path': 'a.csv', 'odp:geometry': {'lon': 'n', 'lat': 'n'}, 'schema': {'fields': [" FIELDS
        "], 'primaryKey': 'x'}},\n"
        "{'name': 'b', 'path': 'b.csv', 'odp:print': {'layout': 'entries', 'heading': ['i', 'x'], 'title': 'o', 'status': 't', "
        "'group': 'n', 'records': 7}, 'odp:charts': [{'name': 'lima', 'title': 'T', 'type': 'map'}], 'odp:geometry': {'lon': 'n', 'lat': 'n'}, "
        "'schema': {'fields': [" FIELDS ", {'name': 'd', 'type': 'string', 'odp:document': {'folder': 'a/dok', 'pages': "
        "'i'}}, {'name': 'e', 'type': 'string', 'odp:document': 'dok'}]}},\n"
        "{'name': 'c', 'path': 'c.csv', 'schema': {'fields': [{'name': 'x', 'type': 'string'}]}}]}");
    if (folder_open(&f) != ODP_OK)
        fail_msg("%s", folder_faults(&f));
    const struct odp_resource *r = odp_catalog_find(f.catalog, "a")->resources;
    assert_int_equal(r[0].ncharts, 4);
    assert_int_equal(r[1].ncharts, 1);
    assert_int_equal(r[2].ncharts, 0);
    const struct odp_chart *c = r[0].charts;
    assert_string_equal(c[0].name, "satu");
    assert_string_equal(odp_text_get(&c[0].title, ODP_LANG_EN), "Title");
    assert_string_equal(odp_text_get(&c[0].description, ODP_LANG_ID), "D");
    assert_string_equal(c[0].where, "dataset.json:2");
    assert_true(c[0].type == ODP_CHART_BAR && c[0].category == 0 && c[0].series == -1 && c[0].value == 1);
    assert_true(c[0].aggregate == ODP_CHART_SUM && c[0].top == 12 && c[0].by_value);
    assert_true(c[1].type == ODP_CHART_LINE && c[1].category == 3 && c[1].series == 0 && c[1].value == 1);
    assert_true(c[1].aggregate == ODP_CHART_MEAN && c[1].top == 0 && !c[1].by_value);
    assert_true(*odp_text_get(&c[1].description, ODP_LANG_ID) == 0);
    assert_true(c[2].type == ODP_CHART_STACKED && c[2].category == 3 && c[2].series == 4 && c[2].value == -1);
    assert_true(c[2].aggregate == ODP_CHART_COUNT && c[2].top == 0 && !c[2].by_value);
    assert_true(c[3].type == ODP_CHART_MAP && c[3].category == -1 && c[3].series == -1 && c[3].value == 2 && !c[3].by_value);
    assert_string_equal(r[1].charts[0].name, "lima");
    assert_true(r[1].charts[0].category == -1 && r[1].charts[0].value == -1);
    const struct odp_print_spec *p = &r[0].print;
    assert_true(p->layout == ODP_PRINT_TABLE && p->heading.n == 0 && p->title == -1 && p->status == -1 && p->group == -1);
    assert_int_equal(p->records, 5);
    p = &r[1].print;
    assert_true(p->layout == ODP_PRINT_ENTRIES && p->heading.n == 2 && p->heading.fields[0] == 2 && p->heading.fields[1] == 0);
    assert_true(p->title == 4 && p->status == 3 && p->group == 1 && p->records == 7);
    p = &r[2].print; /* the dataset's is of its first table alone */
    assert_true(p->layout == ODP_PRINT_TABLE && p->title == -1 && p->status == -1 && p->group == -1 && p->records == 10000);
    const struct odp_field *fields = r[1].schema.fields;
    assert_null(fields[0].document);
    assert_string_equal(fields[7].document->folder, "a/dok");
    assert_int_equal(fields[7].document->pages, 2);
    assert_string_equal(fields[8].document->folder, "dok");
    assert_int_equal(fields[8].document->pages, -1);
    folder_release(&f);
}

/* A table's own stands instead of the dataset's. */
static void own_before_the_datasets(void **state)
{
    struct folder f;
    (void)state;
    folder_init(&f);
    folder_write(&f, "portal.json", PORTAL);
    put(&f, "a/dataset.json",
        HEAD ", 'odp:charts': [" BAR("p") "], 'odp:print': {'records': 5}, 'resources': [{'name': 'a', " SMALL
                                          ", 'odp:charts': [" BAR("q") "], 'odp:print': {'records': 6}}]}");
    if (folder_open(&f) != ODP_OK)
        fail_msg("%s", folder_faults(&f));
    const struct odp_resource *r = odp_catalog_find(f.catalog, "a")->resources;
    assert_int_equal(r->ncharts, 1);
    assert_string_equal(r->charts[0].name, "q");
    assert_int_equal(r->print.records, 6);
    folder_release(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fault_has_code_and_place),
        cmocka_unit_test(a_wrong_type_is_one_fault),
        cmocka_unit_test(code_lists_have_none),
        cmocka_unit_test(charts_of_all_tables),
        cmocka_unit_test(what_is_read),
        cmocka_unit_test(own_before_the_datasets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
