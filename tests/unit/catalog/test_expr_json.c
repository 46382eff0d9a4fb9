/* CQL2 JSON: each construct has the normal form of the same expression in text; each fault has its place. And
 * what normal forms tell apart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "catalog/expr/expr.h"

#define FIELD(n, t)                                                                                          \
    {                                                                                                        \
        .name = n, .source_name = n, .type = t                                                               \
    }
static struct odp_field fields[] = {
    FIELD("a", ODP_TYPE_NUMBER),     FIELD("b", ODP_TYPE_INTEGER),       FIELD("nama", ODP_TYPE_STRING),
    FIELD("tanggal", ODP_TYPE_DATE), FIELD("saat", ODP_TYPE_DATETIME),   FIELD("aktif", ODP_TYPE_BOOLEAN),
    FIELD("isi", ODP_TYPE_OBJECT),   FIELD("in", ODP_TYPE_NUMBER),       FIELD("a \"b\"", ODP_TYPE_STRING),
    FIELD("jam", ODP_TYPE_TIME),     FIELD("bulan", ODP_TYPE_YEARMONTH),
};
static const struct odp_schema schema = {.fields = fields, .n = sizeof fields / sizeof *fields};
static const struct odp_expr_scope scope = {.schema = &schema, .geometry = "geometry"};

static char *normal_of(const struct odp_expr *e)
{
    struct odp_buffer b;
    odp_buffer_init(&b);
    assert_int_equal(odp_expr_normal(e, &b), ODP_OK);
    char *s = strdup(odp_buffer_cstr(&b));
    odp_buffer_release(&b);
    return s;
}

static char *normal_text(const char *text)
{
    struct odp_arena arena;
    const struct odp_expr *e;
    struct odp_expr_fault fault;
    odp_arena_init(&arena);
    if (odp_expr_compile_in(&arena, odp_slice_of(text), &scope, &e, &fault) != ODP_OK)
        fail_msg("%s: %s", text, fault.message.in[ODP_LANG_EN]);
    char *s = normal_of(e);
    odp_expr_release(e);
    odp_arena_release(&arena);
    return s;
}

/* ' stands for the quotes of JSON. */
static json_t *load(const char *text)
{
    char *copy = strdup(text);
    json_error_t error;
    for (char *p = copy; *p != '\0'; p++)
        if (*p == '\'')
            *p = '"';
    json_t *j = json_loads(copy, JSON_DECODE_ANY, &error);
    if (j == NULL)
        fail_msg("%s: %s", copy, error.text);
    free(copy);
    return j;
}

static char *normal_json(const char *text)
{
    struct odp_arena arena;
    const struct odp_expr *e;
    struct odp_expr_json_fault fault;
    json_t *j = load(text);
    odp_arena_init(&arena);
    if (odp_expr_compile_json(&arena, j, &scope, &e, &fault) != ODP_OK)
        fail_msg("%s: %s: %s", text, fault.pointer, fault.message.in[ODP_LANG_EN]);
    json_decref(j); /* nothing of it may be used any more */
    char *s = normal_of(e);
    odp_expr_release(e);
    odp_arena_release(&arena);
    return s;
}

#define A            "{'property':'a'}"
#define B            "{'property':'b'}"
#define NAMA         "{'property':'nama'}"
#define GEOMETRY     "{'property':'geometry'}"
#define OP(op, args) "{'op':'" op "','args':[" args "]}"

static void test_constructs(void **state)
{
    static const struct {
        const char *json, *text;
    } cases[] = {
        {OP("=", A ",12.5"), "a = 12.5"},
        {OP("<>", A ",12.50"), "a <> 12.5"},
        {OP("<", A ",-1"), "a < -1"},
        {OP("<=", A ",0.1"), "a <= 0.1"},
        {OP(">", "1e3," A), "1000 > a"},
        {OP(">=", A "," B), "a >= b"},
        {OP("=", NAMA ",'it’s'"), "nama = 'it’s'"},
        {OP("=", "{'property':'a \\'b\\''}," NAMA), "\"a \"\"b\"\"\" = nama"},
        {OP("=", "{'property':'in'},1"), "\"in\" = 1"},
        {OP("and", OP("=", A ",1") "," OP("=", B ",2")), "a = 1 AND b = 2"},
        {OP("or", OP("=", A ",1") "," OP("=", B ",2") "," OP("=", A ",3")), "a = 1 OR b = 2 OR a = 3"},
        {OP("and", OP("or", OP("=", A ",1") "," OP("=", B ",2")) "," OP("=", A ",3")),
         "(a = 1 OR b = 2) AND a = 3"},
        {OP("not", OP("=", A ",1")), "NOT a = 1"},
        {OP("not", "{'property':'aktif'}"), "NOT aktif"},
        {"{'property':'aktif'}", "aktif"},
        {"true", "TRUE"},
        {"false", "false"},
        {OP("=", "{'property':'aktif'},true"), "aktif = TRUE"},
        {OP("=", OP("=", A ",1") ",false"), "(a = 1) = FALSE"},
        {OP("between", A ",1,5"), "a BETWEEN 1 AND 5"},
        {OP("not", OP("between", A "," B ",5")), "NOT (a BETWEEN b AND 5)"},
        {OP("in", A ",[1,2.5,-3]"), "a IN (1, 2.5, -3)"},
        {OP("in", NAMA ",['x']"), "nama IN ('x')"},
        {OP("in", "{'op':'casei','args':[" NAMA "]},[{'op':'casei','args':['X']},'y']"),
         "CASEI(nama) IN (CASEI('X'), 'y')"},
        {OP("like", NAMA ",'Kel\\\\%%'"), "nama LIKE 'Kel\\%%'"},
        {OP("=", NAMA ",'a\\n\\\\n'"), "nama = 'a\\n\\\\n'"},
        {OP(">", "{'property':'aktif'},false"), "aktif > FALSE"},
        {OP("like", OP("casei", NAMA) "," OP("casei", "'KEL%'")), "CASEI(nama) LIKE CASEI('KEL%')"},
        {OP("isNull", A), "a IS NULL"},
        {OP("not", OP("isNull", "{'property':'isi'}")), "NOT (isi IS NULL)"},
        {OP("isNull", GEOMETRY), "geometry IS NULL"},
        {OP("=", OP("+", A "," B) ",3"), "a + b = 3"},
        {OP("=", OP("-", A "," OP("-", B ",1")) ",3"), "a - (b - 1) = 3"},
        {OP("=", OP("*", OP("+", A ",1") ",2") "," OP("/", A "," B)), "(a + 1) * 2 = a / b"},
        {OP("=", "{'property':'tanggal'},{'date':'2024-03-15'}"), "tanggal = DATE('2024-03-15')"},
        {OP("<", "{'property':'tanggal'},'2024-03-15'"), "tanggal < '2024-03-15'"},
        {OP(">", "{'property':'saat'},{'timestamp':'2024-03-15T07:00:00+07:00'}"),
         "saat > TIMESTAMP('2024-03-15T00:00:00Z')"},
        {OP("s_intersects", GEOMETRY ",{'type':'Point','coordinates':[106.8,-6.2]}"),
         "S_INTERSECTS(geometry, POINT(106.8 -6.2))"},
        {OP("s_intersects", GEOMETRY ",{'bbox':[106,-7,107,-6]}"),
         "S_INTERSECTS(geometry, BBOX(106,-7,107,-6))"},
        {OP("s_within", "{'bbox':[106,-7,0,107,-6,100]}," GEOMETRY),
         "S_WITHIN(BBOX(106,-7,0,107,-6,100), geometry)"},
        {OP("s_contains", GEOMETRY ",{'type':'LineString','coordinates':[[1,2],[3,4.5]]}"),
         "S_CONTAINS(geometry, LINESTRING(1 2, 3 4.5))"},
        {OP("s_disjoint", GEOMETRY
            ",{'type':'Polygon','coordinates':[[[0,0],[4,0],[4,4],[0,0]],[[2,1],[3,1],[3,2],[2,1]]]}"),
         "S_DISJOINT(geometry, POLYGON((0 0,4 0,4 4,0 0),(2 1,3 1,3 2,2 1)))"},
        {OP("s_equals", GEOMETRY ",{'type':'MultiPoint','coordinates':[[1,2],[3,4]]}"),
         "S_EQUALS(geometry, MULTIPOINT((1 2),(3 4)))"},
        {OP("s_touches", GEOMETRY ",{'type':'MultiLineString','coordinates':[[[1,2],[3,4]],[[5,6],[7,8]]]}"),
         "S_TOUCHES(geometry, MULTILINESTRING((1 2,3 4),(5 6,7 8)))"},
        {OP("s_overlaps", GEOMETRY ",{'type':'MultiPolygon','coordinates':[[[[0,0],[1,0],[1,1],[0,0]]],[[[5,"
                                   "5],[6,5],[6,6],[5,5]]]]}"),
         "S_OVERLAPS(geometry, MULTIPOLYGON(((0 0,1 0,1 1,0 0)),((5 5,6 5,6 6,5 5))))"},
        {OP("s_intersects",
            GEOMETRY ",{'type':'GeometryCollection','geometries':[{'type':'Point','coordinates':[1,2]},{'"
                     "type':'LineString','coordinates':[[1,2],[3,4]]}]}"),
         "S_INTERSECTS(geometry, GEOMETRYCOLLECTION(POINT(1 2),LINESTRING(1 2,3 4)))"},
        {OP("s_crosses", GEOMETRY ",{'type':'LineString','coordinates':[[1,2],[3,4]]}"),
         "S_CROSSES(geometry, LINESTRING(1 2,3 4))"},
        {OP("s_intersects", GEOMETRY ",{'type':'Point','coordinates':[1,2,3],'bbox':[1,2,1,2]}"),
         "S_INTERSECTS(geometry, POINT Z (1 2 3))"},
        {OP("=", A ",0.1"), "a = 0.1"},
        {OP("=", A ",12345678901234.5"), "a = 12345678901234.5"},
        {OP("=", B ",9223372036854775807"), "b = 9223372036854775807"},
        {OP("=", "{'property':'jam'},'07:05:00.50'"), "jam = '07:05:00.5'"},
        {OP("=", "'2024-03',{'property':'bulan'}"), "'2024-03' = bulan"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *json = normal_json(cases[i].json), *text = normal_text(cases[i].text);
        if (strcmp(json, text) != 0)
            fail_msg("%s:\n%s\n%s", cases[i].json, json, text);
        free(json);
        free(text);
    }
    /* a text is taken as it is: nothing in it escapes but for JSON itself */
    char *odd = normal_json(OP("=", NAMA ",'a\\\\'"));
    assert_string_equal(odd, "\"nama\"='a\\\\'"); /* doubled in the normal form, which is text again */
    free(odd);
}

static void test_normal(void **state)
{
    static const struct {
        const char *text, *normal;
    } cases[] = {
        {"a=1", "\"a\"=1"},
        {"  a  =  01.500 ", "\"a\"=1.5"},
        {"((a) = (1e2))", "\"a\"=100"},
        {"a = -0", "\"a\"=0"},
        {"a = +5", "\"a\"=5"},
        {"a = -.5", "\"a\"=-0.5"},
        {"a = 0.00000000000000000000000000000000000001", "\"a\"=0.00000000000000000000000000000000000001"},
        {"(a = 1 AND (b = 2)) and ((a = 3))", "(\"a\"=1) AND (\"b\"=2) AND (\"a\"=3)"},
        {"a = 1 AND (b = 2 AND a = 3)", "(\"a\"=1) AND (\"b\"=2) AND (\"a\"=3)"},
        {"a = 1 OR b = 2 AND a = 3", "(\"a\"=1) OR ((\"b\"=2) AND (\"a\"=3))"},
        {"(a = 1 OR b = 2) AND a = 3", "((\"a\"=1) OR (\"b\"=2)) AND (\"a\"=3)"},
        {"not not aktif", "NOT (NOT \"aktif\")"},
        {"a - b - 1 = 0", "(\"a\"-\"b\"-1)=0"},
        {"a - (b - 1) = 0", "(\"a\"-(\"b\"-1))=0"},
        {"a + b * 2 > 0", "(\"a\"+(\"b\"*2))>0"},
        {"-(a + 1) < 0", "(-(\"a\"+1))<0"},
        {"nama = 'a''b'", "\"nama\"='a''b'"},
        {"nama = 'a\\'b'", "\"nama\"='a''b'"},
        {"nama like 'x%'", "\"nama\" LIKE 'x%'"},
        {"casei(nama) not like casei('X%')", "CASEI(\"nama\") NOT LIKE 'x%'"},
        {"a in (1,2.0)", "\"a\" IN (1,2)"},
        {"a not in (b)", "\"a\" NOT IN (\"b\")"},
        {"a not between 1 and b+1", "\"a\" NOT BETWEEN 1 AND (\"b\"+1)"},
        {"a is not null", "\"a\" IS NOT NULL"},
        {"(a = 1) is null", "(\"a\"=1) IS NULL"},
        {"tanggal = '2024-03-15'", "\"tanggal\"=DATE('2024-03-15')"},
        {"saat = '2024-03-15T07:00:00.500+07:00'", "\"saat\"=TIMESTAMP('2024-03-15T00:00:00.5Z')"},
        {"jam = '07:05:00'", "\"jam\"='07:05:00'"},
        {"bulan = '2024-03'", "\"bulan\"='2024-03'"},
        {"true", "TRUE"},
        {"geometry IS NULL", "\"geometry\" IS NULL"},
        {"s_intersects ( \"geometry\" , point(1 2) )", "S_INTERSECTS(\"geometry\",POINT(1 2))"},
        {"S_WITHIN(POINT(1.50 2), geometry)", "S_WITHIN(POINT(1.5 2),\"geometry\")"},
        {"\"a \"\"b\"\"\" = 'x'", "\"a \"\"b\"\"\"='x'"},
        {"a = 12345678901234567890123456789012345678901234567890",
         "\"a\"=12345678901234567890123456789012345678901234567890"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *got = normal_text(cases[i].text);
        if (strcmp(got, cases[i].normal) != 0)
            fail_msg("%s:\n%s instead of\n%s", cases[i].text, got, cases[i].normal);
        free(got);
    }
}

static void test_faults(void **state)
{
    static const struct {
        const char *json, *pointer, *en, *id;
    } cases[] = {
        {"null", "", "isNull", "isNull"},
        {"[]", "", "array", "larik"},
        {"{}", "", "“property”", "“property”"},
        {"{'x':1}", "", "“op”", "“op”"},
        {"1", "", "a boolean is needed", "benar/salah"},
        {"'x'", "", "boolean", "benar/salah"},
        {A, "/property", "a boolean", "benar/salah"},
        {OP("foo", "1,2"), "/op", "no operation foo", "tidak ada operasi foo"},
        {"{'op':1,'args':[]}", "/op", "no operation", "tidak ada operasi"},
        {"{'op':'='}", "", "“args”", "“args”"},
        {"{'op':'=','args':{}}", "/args", "array of two", "dua"},
        {OP("=", A), "/args", "array of two", "dua"},
        {OP("and", OP("=", A ",1")), "/args", "at least two", "dua"},
        {OP("between", "1,2"), "/args", "three", "tiga"},
        {OP("not", "true,true"), "/args", "one", "satu"},
        {OP("=", "{'property':'namaa'},1"), "/args/0/property", "perhaps nama?", "mungkin nama?"},
        {OP("=", "{'property':1},1"), "/args/0/property", "name", "nama"},
        {OP("=", A ",'1'"), "/args/1", "without quotes", "tanpa tanda kutip"},
        {OP("=", NAMA ",5"), "/args/1", "between quotes", "tanda kutip"},
        {OP("=", A ",null"), "/args/1", "isNull", "isNull"},
        {OP("=", A ",[1]"), "/args/1", "array", "larik"},
        {OP("in", A ",1"), "/args/1", "array of values", "larik"},
        {OP("in", A ",[]"), "/args/1", "at least", "paling sedikit"},
        {OP("in", A ",[1,'x']"), "/args/1/1", "without quotes", "tanpa tanda kutip"},
        {OP("like", NAMA "," NAMA), "/args/1/property", "must be a text", "harus teks"},
        {OP("like", A ",'x'"), "/args/0/property", "text is needed", "diperlukan teks"},
        {OP("=", "{'property':'tanggal'},{'date':'15/03/2024'}"), "/args/1/date", "valid date", "tanggal"},
        {OP("=", "{'property':'tanggal'},{'date':5}"), "/args/1/date", "a text", "teks"},
        {OP("=", "{'property':'saat'},{'timestamp':'2024-03-15T00:00:00'}"), "/args/1/timestamp",
         "date and time", "tanggal dan waktu"},
        {OP("and", OP("=", A ",1") "," OP("or", OP("=", B ",2") "," OP("=", A "," NAMA))), "/args/1/args/1",
         "cannot be compared", "tidak dapat dibandingkan"},
        {OP("and", OP("=", A ",1") "," A), "/args/1/property", "boolean", "benar/salah"},
        {OP("+", A ",1"), "", "boolean", "benar/salah"},
        {OP("=", OP("+", A ",'x'") ",1"), "/args/0/args/1", "number is needed", "bilangan"},
        {OP("t_after", A ",1"), "/op", "no operation t_after", "t_after"},
        {OP("s_intersects", GEOMETRY "," GEOMETRY), "/args/1/property", "geometry is expected here, or",
         "geometry"},
        {OP("s_intersects", A ",{'bbox':[1,2,3,4]}"), "/args/0/property", "geometry is expected", "geometry"},
        {OP("s_intersects", GEOMETRY ",1"), "/args/1", "geometry is expected", "geometry"},
        {OP("s_intersects", GEOMETRY ",{'bbox':[1,2,3]}"), "/args/1/bbox", "4 or 6", "4 atau 6"},
        {OP("s_intersects", GEOMETRY ",{'bbox':[1,2,3,'4']}"), "/args/1/bbox", "4 or 6", "4 atau 6"},
        {OP("s_intersects", GEOMETRY ",{'bbox':[1,5,3,4]}"), "/args/1", "", ""},
        {OP("s_intersects", GEOMETRY ",{'type':'Feature'}"), "/args/1/type", "GeoJSON geometry", "GeoJSON"},
        {OP("s_intersects", GEOMETRY ",{'type':'Point'}"), "/args/1", "coordinates", "coordinates"},
        {OP("s_intersects", GEOMETRY ",{'type':'Point','coordinates':[1]}"), "/args/1/coordinates",
         "position", "posisi"},
        {OP("s_intersects", GEOMETRY ",{'type':'Point','coordinates':[1,'2']}"), "/args/1/coordinates",
         "numbers", "bilangan"},
        {OP("s_intersects", GEOMETRY ",{'type':'LineString','coordinates':[[1,2],[3,4,5]]}"),
         "/args/1/coordinates/1", "position", "posisi"},
        {OP("s_intersects", GEOMETRY ",{'type':'Polygon','coordinates':[]}"), "/args/1/coordinates",
         "not empty", "tidak kosong"},
        {OP("s_intersects", GEOMETRY ",{'type':'Polygon','coordinates':[[[0,0],[1,1],[1,0],[0.5,0]]]}"),
         "/args/1", "", ""},
        {OP("s_intersects", GEOMETRY ",{'type':'GeometryCollection'}"), "/args/1", "geometries",
         "geometries"},
        {OP("s_intersects", GEOMETRY ",{'type':'GeometryCollection','geometries':[{'type':'X'}]}"),
         "/args/1/geometries/0/type", "GeoJSON", "GeoJSON"},
        {OP("s_intersects", "{'type':'Point','coordinates':[1,2]},{'type':'Point','coordinates':[1,2]}"),
         "/args/1", "geometry", "geometry"},
        {OP("=", GEOMETRY ",1"), "/args/0/property", "only IS NULL", "hanya IS NULL"},
        {OP("casei", NAMA), "", "boolean", "benar/salah"},
        {OP("=", OP("casei", A) ",'x'"), "/args/0/args/0/property", "text is needed", "teks"},
        {OP("=", "{'interval':['..','..']},1"), "/args/0", "“op”", "“op”"},
        {OP("=", "{'property':'tanggal'},{'property':'saat'}"), "", "cannot be compared",
         "tidak dapat dibandingkan"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct odp_arena arena;
        const struct odp_expr *e;
        struct odp_expr_json_fault fault;
        json_t *j = load(cases[i].json);
        odp_arena_init(&arena);
        if (odp_expr_compile_json(&arena, j, &scope, &e, &fault) != ODP_BAD)
            fail_msg("%s: accepted", cases[i].json);
        if (strcmp(fault.pointer, cases[i].pointer) != 0)
            fail_msg("%s: at %s instead of %s (%s)", cases[i].json, fault.pointer, cases[i].pointer,
                     fault.message.in[ODP_LANG_EN]);
        if (strstr(fault.message.in[ODP_LANG_EN], cases[i].en) == NULL ||
            strstr(fault.message.in[ODP_LANG_ID], cases[i].id) == NULL)
            fail_msg("%s: %s / %s", cases[i].json, fault.message.in[ODP_LANG_EN],
                     fault.message.in[ODP_LANG_ID]);
        assert_null(e);
        json_decref(j);
        odp_arena_release(&arena);
    }
}

/* NULL is no document; a scope without geometry knows none. */
static void test_scope(void **state)
{
    static const struct odp_expr_scope bare = {.schema = &schema};
    struct odp_arena arena;
    const struct odp_expr *e;
    struct odp_expr_json_fault fault;
    json_t *j = load(OP("s_intersects", GEOMETRY ",{'bbox':[1,2,3,4]}"));
    odp_arena_init(&arena);
    assert_int_equal(odp_expr_compile_json(&arena, NULL, &scope, &e, &fault), ODP_BAD);
    assert_string_equal(fault.pointer, "");
    assert_int_equal(odp_expr_compile_json(&arena, j, &bare, &e, &fault), ODP_BAD);
    assert_string_equal(fault.pointer, "/op");
    json_decref(j);
    odp_arena_release(&arena);
}

/* N times {"op":"not","args":[ … ]} around true; of arrays that long; of numbers that long. */
static enum odp_status big(const char *head, const char *part, size_t n, const char *middle, const char *end,
                           const char *tail, char *fault_text, size_t size)
{
    struct odp_buffer b;
    struct odp_arena arena;
    const struct odp_expr *e;
    struct odp_expr_json_fault fault;
    json_error_t error;
    odp_buffer_init(&b);
    odp_buffer_add_str(&b, head);
    for (size_t i = 0; i < n; i++)
        odp_buffer_add_str(&b, part);
    odp_buffer_add_str(&b, middle);
    for (size_t i = 0; i < n; i++)
        odp_buffer_add_str(&b, end);
    odp_buffer_add_str(&b, tail);
    json_t *j = json_loadb(b.ptr, b.len, 0, &error);
    if (j == NULL)
        fail_msg("%s", error.text);
    odp_buffer_release(&b);
    odp_arena_init(&arena);
    enum odp_status status = odp_expr_compile_json(&arena, j, &scope, &e, &fault);
    json_decref(j);
    snprintf(fault_text, size, "%s", status == ODP_BAD ? fault.message.in[ODP_LANG_EN] : "");
    if (status == ODP_OK)
        odp_expr_release(e);
    odp_arena_release(&arena);
    return status;
}

static void test_size(void **state)
{
    static const struct {
        const char *head, *part, *middle, *end, *tail, *fault;
        size_t n;
    } cases[] = {
        {"", "{\"op\":\"not\",\"args\":[", "true", "]}", "", NULL, 45},
        {"", "{\"op\":\"not\",\"args\":[", "true", "]}", "", "100 deep", 101},
        {"", "{\"op\":\"not\",\"args\":[", "true", "]}", "", "100 deep", 600},
        {"{\"op\":\"or\",\"args\":[", "true,", "false", "", "]}", NULL, 7000},
        {"{\"op\":\"or\",\"args\":[", "true,", "false", "", "]}", "65,536", 20000},
        {"{\"op\":\"in\",\"args\":[{\"property\":\"a\"},[", "1,", "2", "", "]]}", NULL, 30000},
        {"{\"op\":\"=\",\"args\":[{\"property\":\"nama\"},\"", "xxxxxxxxxx", "", "", "\"]}", "65,536", 7000},
        {"{\"op\":\"s_intersects\",\"args\":[{\"property\":\"geometry\"},{\"type\":\"MultiPoint\","
         "\"coordinates\":[",
         "[1.25,2.5],", "[1,1]", "", "]}]}", NULL, 9000},
        {"{\"op\":\"s_intersects\",\"args\":[{\"property\":\"geometry\"},{\"type\":\"MultiPoint\","
         "\"coordinates\":[",
         "[1.25,2.5],", "[1,1]", "", "]}]}", "10,000", 11000},
        {"{\"op\":\"s_intersects\",\"args\":[{\"property\":\"geometry\"},{\"type\":\"MultiPoint\","
         "\"coordinates\":[",
         "[1.25,2.5],", "[1,1]", "", "]}]}", "1 MiB", 150000},
        {"{\"op\":\"s_intersects\",\"args\":[{\"property\":\"geometry\"},",
         "{\"type\":\"GeometryCollection\",\"geometries\":[", "{\"type\":\"Point\",\"coordinates\":[1,2]}",
         "]}", "]}", "100 deep", 150},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[300];
        enum odp_status status = big(cases[i].head, cases[i].part, cases[i].n, cases[i].middle, cases[i].end,
                                     cases[i].tail, text, sizeof text);
        if (status != (cases[i].fault == NULL ? ODP_OK : ODP_BAD) ||
            (cases[i].fault != NULL && strstr(text, cases[i].fault) == NULL))
            fail_msg("case %zu: %d %s", i, (int)status, text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_constructs), cmocka_unit_test(test_normal),
                                       cmocka_unit_test(test_faults), cmocka_unit_test(test_scope),
                                       cmocka_unit_test(test_size)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
