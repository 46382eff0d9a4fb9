/* What an index says of itself, written and read; what reads like it and is not; cells. */
#include "answer_lines.h"

#include "catalog/index/search.h"

static struct odp_search_column columns[] = {
    {.name = "kode \"1\"",
     .type = ODP_TYPE_STRING,
     .title = {{"Kode", "Code"}},
     .of_record = true,
     .required = true,
     .indexed = true,
     .labels = true,
     .scale = -1},
    {.name = "luas",
     .type = ODP_TYPE_NUMBER,
     .unit = {{"hektare", "hectare"}},
     .of_record = true,
     .wide = true,
     .scale = 4},
    {.name = "rencana", .type = ODP_TYPE_DATE, .of_record = true, .scale = -1},
    {.name = "pukul", .type = ODP_TYPE_DATETIME, .of_record = true, .text = true, .scale = -1},
    {.name = "tanggal", .type = ODP_TYPE_DATE, .scale = -1},
    {.name = "terlambat", .type = ODP_TYPE_INTEGER, .scale = 0},
};
static uint32_t key[] = {1, 0};

static struct odp_search_info whole(void)
{
    return (struct odp_search_info){
        .slug = "proyek",
        .resource = "timeline",
        .version = "2024-03-15.1",
        .last_update = "2024-03-15",
        .columns = columns,
        .ncolumns = 6,
        .nfields = 4,
        .key = key,
        .nkey = 2,
        .has_geometry = true,
        .mode = ODP_GEOMETRY_SIMPLIFIED,
        .geometry_types = 48,
        .geometry_name = "geometry",
        .csv_wkt = true,
        .datetime = {2, 3},
        .interval = {"2024-01-01", "2024-12-31T01:02:03+07:00"},
        .has_bbox = true,
        .bbox = {94.5, -11.1234567, 141, 6.5},
        .rows = 1204,
        .project = 0,
        .milestone = 0,
        .planned = 2,
        .actual = 2,
        .date = 4,
        .delay = 5,
    };
}

static char *to_json(const struct odp_search_info *i)
{
    struct odp_buffer b = {0};
    must(odp_search_info_write(i, &b));
    (void)odp_buffer_cstr(&b);
    return b.ptr;
}

static enum odp_status read(const char *json, struct odp_search_info *out, struct odp_arena *a)
{
    return odp_search_info_read(out, odp_slice_of(json), a);
}

static void expect_text(const char *a, const char *b)
{
    assert_string_equal(a != NULL ? a : "", b != NULL ? b : "");
}

TEST(round_trip)
{
    struct odp_search_info i = whole(), back;
    ARENA(arena);
    char *json = to_json(&i);
    must(read(json, &back, &arena));
    for (uint32_t k = 0; k < 6; k++) {
        expect_text(back.schema.fields[k].name, columns[k].name);
        assert_int_equal(back.schema.fields[k].type, columns[k].type);
        assert_int_equal(back.schema.fields[k].constraints.min_length, -1);
    }
    assert_int_equal(back.nfields, 4);
    assert_int_equal(back.schema.n, 6);
    assert_int_equal(back.schema.primary.n, 2);
    assert_memory_equal(back.key, key, sizeof key);
    assert_string_equal(back.id, "");
    /* all else is what is written again */
    char *again = to_json(&back);
    assert_string_equal(again, json);
    free(again);
    free(json);

    /* As little as there can be. */
    i = (struct odp_search_info){
        .slug = "a", .version = "v", .last_update = "2024-01-01", .datetime = {-1, -1}, .project = -1};
    json = to_json(&i);
    must(read(json, &back, &arena));
    assert_null(back.resource);
    assert_null(back.geometry_name);
    assert_null(back.interval[0]);
    assert_int_equal(back.ncolumns, 0);
    assert_int_equal(back.datetime[1], -1);
    assert_int_equal(back.delay, -1);
    free(json);
}

/* The first OLD in TEXT becomes NEW; the caller's. */
static char *replaced(const char *text, const char *old, const char *new)
{
    const char *at = strstr(text, old);
    if (at == NULL)
        fail_msg("not there: %s", old);
    size_t before = (size_t)(at - text), size = strlen(text) + strlen(new) + 1;
    char *out = malloc(size);
    assert_non_null(out);
    snprintf(out, size, "%.*s%s%s", (int)before, text, new, at + strlen(old));
    return out;
}

/* A question of search_info.txt: "OLD → NEW", done to the JSON. */
static void change(void *ctx, struct odp_slice question, struct odp_buffer *out)
{
    static const char arrow[] = " → ";
    ARENA(arena);
    struct odp_search_info back;
    const char *new = strstr(question.ptr, arrow),
               *old = odp_arena_printf(&arena, "%.*s", (int)(new - question.ptr), question.ptr);
    char *text = replaced(ctx, old, new + strlen(arrow));
    odp_buffer_add_str(out, read(text, &back, &arena) == ODP_BAD ? "refused" : "let pass");
    free(text);
}

TEST(what_is_none)
{
    struct odp_search_info i = whole(), back;
    ARENA(arena);
    char *json = to_json(&i);
    answer_lines("catalog/search_info.txt", change, json);
    for (size_t n = strlen(json); n > 0; n--)
        must_refuse(odp_search_info_read(&back, (struct odp_slice){json, n - 1}, &arena));
    must_refuse(odp_search_info_read(&back, (struct odp_slice){NULL, 0}, &arena));
    free(json);
}

TEST(many_columns)
{
    struct odp_buffer b;
    struct odp_search_info back;
    struct odp_arena arena;
    for (int n = 2000; n <= 2001; n++) {
        odp_buffer_init(&b);
        odp_arena_init(&arena);
        odp_buffer_add_str(&b, "{\"slug\":\"a\",\"resource\":null,\"version\":\"v\",\"last_update\":\"d\","
                               "\"rows\":0,\"columns\":[");
        for (int k = 0; k < n; k++)
            odp_buffer_printf(
                &b,
                "%s{\"name\":\"k%d\",\"type\":\"any\",\"title\":{\"id\":\"\",\"en\":\"\"},\"unit\":{\"id\":"
                "\"\",\"en\":\"\"},\"of_record\":true,\"required\":false,\"indexed\":false,\"text\":false,"
                "\"labels\":false,\"wide\":false,\"scale\":-1}",
                k > 0 ? "," : "", k);
        odp_buffer_add_str(&b, "],\"key\":[],\"geometry\":null,\"datetime\":null,\"start\":null,\"end\":null,"
                               "\"timeline\":null}");
        assert_int_equal(read(odp_buffer_cstr(&b), &back, &arena), n == 2000 ? ODP_OK : ODP_BAD);
        odp_buffer_release(&b);
        odp_arena_release(&arena);
    }
}

/* ---- names in SQL ---- */

/* A column gets another name where SQLite would confuse it with an earlier one or with a keyword. */
TEST(names)
{
    static const char *const cases[][2] = {
        {"kode", "\"kode\""},
        {"Kode", "\"Kode_\""},
        {"KODE", "\"KODE__\""},
        {"kode_", "\"kode___\""},
        {"fid", "\"fid_\""},
        {"RowId", "\"RowId_\""},
        {"rank", "\"rank_\""},
        {"odp_words", "\"odp_words_\""},
        {"Geometry", "\"Geometry_\""},
        {"a \"b\"", "\"a \"\"b\"\"\""},
        {"é", "\"é\""},
        {"É", "\"É\""},
    };
    enum { N = ODP_COUNT(cases) };
    struct odp_search_column named[N] = {{0}};
    struct odp_search_info i = {
        .slug = "air-bersih",
        .resource = "rinci",
        .columns = named,
        .ncolumns = N,
        .has_geometry = true,
        .geometry_name = "geometry",
    };
    ARENA(a);
    for (size_t k = 0; k < N; k++)
        named[k].name = cases[k][0];
    odp_search_name(&i, &a);
    for (size_t k = 0; k < N; k++)
        assert_string_equal(named[k].sql, cases[k][1]);
    assert_string_equal(i.names.table, "\"air-bersih-rinci\"");
    assert_string_equal(i.names.rtree, "\"rtree_air-bersih-rinci_geometry\"");
}
