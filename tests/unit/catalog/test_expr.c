/* Expressions beyond what a line of expr/NAME.txt can say (test_expr_answers.c): control characters, sizes,
 * bad values, rubbish. */
#include "run.h"

#include "catalog/expr/expr.h"

#define FIELD(n, t)                                                                                          \
    {                                                                                                        \
        .name = n, .source_name = n, .type = t                                                               \
    }
static struct odp_field fields[] = {
    FIELD("a", ODP_TYPE_NUMBER),      FIELD("b", ODP_TYPE_INTEGER),     FIELD("nama", ODP_TYPE_STRING),
    FIELD("tanggal", ODP_TYPE_DATE),  FIELD("saat", ODP_TYPE_DATETIME), FIELD("aktif", ODP_TYPE_BOOLEAN),
    FIELD("lama", ODP_TYPE_DURATION), FIELD("isi", ODP_TYPE_OBJECT),
};
enum { NFIELDS = ODP_COUNT(fields) };
static const struct odp_schema schema = {.fields = fields, .n = NFIELDS};
static const struct odp_expr_scope scope = {.schema = &schema, .geometry = "geometry"};

/* The one record. */
static const char *const record[NFIELDS] = {
    "12.50", "7", "Kel. Menteng", "2024-03-15", "2024-03-15T07:05:00+07:00", "true", "P1Y", NULL};

struct compiled {
    struct odp_arena arena;
    const struct odp_expr *e;
    enum odp_status status;
    size_t at, len;
    const char *fault; /* in English; "" */
};

/* TEXT, or JSON, which it takes. */
static void compile(struct compiled *c, const char *text, json_t *json)
{
    struct odp_expr_fault fault = {0};
    struct odp_expr_json_fault json_fault = {0};
    *c = (struct compiled){.e = NULL};
    if (json != NULL)
        c->status = odp_expr_compile_json(&c->arena, json, &scope, &c->e, &json_fault);
    else
        c->status = odp_expr_compile_in(&c->arena, odp_slice_of(text), &scope, &c->e, &fault);
    json_decref(json);
    c->at = fault.at;
    c->len = fault.len;
    c->fault = odp_text_get(json != NULL ? &json_fault.message : &fault.message, ODP_LANG_EN);
}

static void release(struct compiled *c)
{
    odp_expr_release(c->e);
    odp_arena_release(&c->arena);
}

/* F, T or U; BAD: field 0 has a bad value. */
static char truth_of(struct compiled *c, bool bad)
{
    struct odp_slice text[NFIELDS];
    uint8_t state[NFIELDS], out;
    struct odp_column columns[NFIELDS];
    const struct odp_batch b = {.nrecords = 1, .columns = columns};
    for (int f = 0; f < NFIELDS; f++) {
        text[f] = odp_slice_of(record[f]);
        state[f] = record[f] == NULL ? ODP_VALUE_NULL : bad && f == 0 ? ODP_VALUE_BAD : ODP_VALUE_OK;
        columns[f] = (struct odp_column){.text = &text[f], .state = &state[f]};
    }
    must(odp_expr_eval(c->e, &b, &c->arena, &out));
    return "FTU"[out];
}

TEST(values)
{
    static const struct {
        const char *text;
        bool bad;
        char want;
    } cases[] = {
        {"a = 1 OR b = 7", true, 'U'},
        {"a IS NULL", true, 'U'},
        {"b = 7", true, 'T'},
        {"'\\a\\b\\t\\n\\v\\f\\r' = '\a\b\t\n\v\f\r'", false, 'T'},
        {"nama\n=\t'Kel. Menteng'", false, 'T'},
    };
    struct compiled c;
    for (size_t i = 0; i < ODP_COUNT(cases); i++) {
        compile(&c, cases[i].text, NULL);
        must(c.status);
        if (truth_of(&c, cases[i].bad) != cases[i].want)
            fail_msg("%s", cases[i].text);
        release(&c);
    }
    compile(&c, "a = \xFF", NULL);
    assert_true(c.status == ODP_BAD && c.at == 4 && c.len == 1 && strstr(c.fault, "not UTF-8") != NULL);
    release(&c);
}

TEST(fields)
{
    static const uint32_t wanted[] = {1, 0, 6};
    struct compiled c;
    size_t n;
    compile(&c, "b = 1 OR a = b AND lama = 'P1Y'", NULL);
    const uint32_t *f = odp_expr_fields(c.e, &n);
    assert_int_equal(n, 3);
    assert_memory_equal(f, wanted, sizeof wanted);
    release(&c);
}

/* A scope without geometry knows none. */
TEST(scope)
{
    static const struct odp_expr_scope bare = {.schema = &schema};
    ARENA(arena);
    const struct odp_expr *e;
    struct odp_expr_json_fault fault;
    json_t *j = json_pack("{s:s, s:[{s:s}, {s:[i,i,i,i]}]}", "op", "s_intersects", "args", "property",
                          "geometry", "bbox", 1, 2, 3, 4);
    must_refuse(odp_expr_compile_json(&arena, NULL, &scope, &e, &fault));
    assert_string_equal(fault.pointer, "");
    must_refuse(odp_expr_compile_json(&arena, j, &bare, &e, &fault));
    assert_string_equal(fault.pointer, "/op");
    json_decref(j);
}

/* HEAD, N times PART, MIDDLE, N times END, TAIL; FAULT NULL: no fault. It is JSON if it begins with {. */
TEST(size)
{
#define NOT   "{\"op\":\"not\",\"args\":["
#define SHAPE "{\"op\":\"s_intersects\",\"args\":[{\"property\":\"geometry\"},"
#define MANY  SHAPE "{\"type\":\"MultiPoint\",\"coordinates\":["
    static const struct {
        const char *head, *part, *middle, *end, *tail, *fault;
        size_t n;
    } cases[] = {
        {"a = 1", " OR a=12.5", "", "", "", NULL, 6000},
        {"a IN (1", ",12.5", ")", "", "", NULL, 10000},
        {"a > 0", " + 1", "", "", "", NULL, 10000},
        {"", "(", "", "", "", "100", 101},
        {"", "(", "", "", "", "expected", 99},
        {"", "NOT ", "aktif", "", "", "100", 101},
        {"a = ", "-", "1", "", "", "100", 20000},
        {"", "CASEI(", "", "", "", "100", 5000},
        {"nama = '", "x", "'", "", "", "65,536", 70000},
        {"nama IN (''", ",''", ")", "", "", NULL, 20000},
        {"", " ", "", "", "", "empty", 60000},
        {"", NOT, "true", "]}", "", NULL, 45},
        {"", NOT, "true", "]}", "", "100 deep", 101},
        {"", NOT, "true", "]}", "", "100 deep", 600},
        {"{\"op\":\"or\",\"args\":[", "true,", "false", "", "]}", NULL, 7000},
        {"{\"op\":\"or\",\"args\":[", "true,", "false", "", "]}", "65,536", 20000},
        {"{\"op\":\"in\",\"args\":[{\"property\":\"a\"},[", "1,", "2", "", "]]}", NULL, 30000},
        {"{\"op\":\"=\",\"args\":[{\"property\":\"nama\"},\"", "xxxxxxxxxx", "", "", "\"]}", "65,536", 7000},
        {MANY, "[1.25,2.5],", "[1,1]", "", "]}]}", NULL, 9000},
        {MANY, "[1.25,2.5],", "[1,1]", "", "]}]}", "10,000", 11000},
        {MANY, "[1.25,2.5],", "[1,1]", "", "]}]}", "1 MiB", 150000},
        {SHAPE, "{\"type\":\"GeometryCollection\",\"geometries\":[",
         "{\"type\":\"Point\",\"coordinates\":[1,2]}", "]}", "]}", "100 deep", 150},
    };
    for (size_t i = 0; i < ODP_COUNT(cases); i++) {
        BUFFER(text);
        struct compiled c;
        odp_buffer_add_str(&text, cases[i].head);
        for (size_t k = 0; k < cases[i].n; k++)
            odp_buffer_add_str(&text, cases[i].part);
        odp_buffer_add_str(&text, cases[i].middle);
        for (size_t k = 0; k < cases[i].n; k++)
            odp_buffer_add_str(&text, cases[i].end);
        odp_buffer_add_str(&text, cases[i].tail);
        bool is_json = *odp_buffer_cstr(&text) == '{';
        compile(&c, odp_buffer_cstr(&text), is_json ? json_loads(odp_buffer_cstr(&text), 0, NULL) : NULL);
        if (c.status != (cases[i].fault == NULL ? ODP_OK : ODP_BAD) ||
            strstr(c.fault, cases[i].fault != NULL ? cases[i].fault : "") == NULL)
            fail_msg("case %zu: %d %s", i, c.status, c.fault);
        if (i < 2)
            assert_int_equal(truth_of(&c, false), 'T');
        release(&c);
    }
}

/* Deterministic rubbish of the language's words: nothing crashes, and a fault lies inside the text. */
TEST(rubbish)
{
    static const char vocabulary[] =
        "a b nama tanggal saat aktif isi lama ( ) , + - * / = <> < >= AND OR NOT IN LIKE BETWEEN IS NULL "
        "TRUE DATE( CASEI( 'x' '%_\\%' '2024-01-01' 12 1e999 0.0001 "
        "99999999999999999999999999999999999999999 \"nama\" ' \" é";
    const char *words[64];
    size_t nwords = 0, good = 0;
    char copy[sizeof vocabulary], *rest = copy;
    uint64_t seed = 42;
    memcpy(copy, vocabulary, sizeof copy);
    while (rest != NULL)
        words[nwords++] = strsep(&rest, " ");
    for (int round = 0; round < 60000; round++) {
        char text[700];
        size_t len = 0, count = 1 + (seed >> 33) % 12;
        for (size_t k = 0; k < count; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            len += (size_t)snprintf(text + len, sizeof text - len, "%s ", words[(seed >> 33) % nwords]);
        }
        struct compiled c;
        compile(&c, text, NULL);
        assert_int_not_equal(c.status, ODP_FAIL);
        if (c.status == ODP_BAD && (c.at > len || c.len > len - c.at))
            fail_msg("%s: fault outside", text);
        if (c.status == ODP_OK && ++good < 400)
            (void)truth_of(&c, false);
        release(&c);
    }
    assert_true(good > 20);
}
