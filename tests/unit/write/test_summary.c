/* Summaries, from records to the document: exact figures whatever the records' order, panels, breaks of
 * classes, and what is left out where there is too much. */

#include "run.h"

#include <jansson.h>

#include "base/json_load.h"
#include "write/summary/summary_internal.h"

enum { PLACE, YEAR, AREA, SHARE, LEVEL, FIELDS };
static struct odp_category levels[] = {{ODP_LIT("Ringan"), {{"Ringan", "Light"}}},
                                       {ODP_LIT("Berat"), {{"", ""}}}};
static struct odp_field fields[FIELDS] = {
    [PLACE] = {.name = "kode", .type = ODP_TYPE_STRING, .is_public = true},
    [YEAR] = {.name = "tahun", .type = ODP_TYPE_YEAR, .is_public = true},
    [AREA] =
        {
            .name = "luas",
            .type = ODP_TYPE_NUMBER,
            .title = {{"Luas", "Area"}},
            .unit = {{"ha", "ha"}},
            .is_public = true,
        },
    [SHARE] = {.name = "persen", .type = ODP_TYPE_NUMBER, .is_public = true},
    [LEVEL] =
        {
            .name = "tingkat",
            .type = ODP_TYPE_STRING,
            .categories = levels,
            .ncategories = 2,
            .categories_ordered = true,
            .is_public = true,
        },
};
static struct odp_measure measures[] = {
    {"count", -1, NULL, ODP_CHART_COUNT},
    {"luas", AREA, NULL, ODP_CHART_SUM},
    {"persen", SHARE, NULL, ODP_CHART_MEAN},
    {"tingkat=Berat", LEVEL, &levels[1], ODP_CHART_COUNT},
};
static struct odp_dataset list_set = {.slug = "kabkota", .reference = true, .places = true},
                          set = {.slug = "uji"};
static struct odp_resource list = {.dataset = &list_set, .name = "kabkota", .edition = "2025"};
static uint32_t place_field[] = {PLACE};
static struct odp_foreign_key key = {
    .local = {place_field, 1, NULL}, .target = &list, .remote = {place_field, 1, NULL}};

static struct odp_resource table_of(bool panel)
{
    return (struct odp_resource){
        .dataset = &set,
        .name = "uji",
        .schema = {.fields = fields, .n = FIELDS},
        .foreign = &key,
        .nforeign = 1,
        .measures = {.item = measures, .n = 4, .nhighlights = 2, .time = YEAR, .panel = panel}};
}

static void add(struct odp_summary *s, const char *const row[FIELDS])
{
    struct odp_slice cells[FIELDS];
    for (int i = 0; i < FIELDS; i++)
        cells[i] = row[i] != NULL ? odp_slice_of(row[i]) : (struct odp_slice){NULL, 0};
    odp_summary_add(s, cells);
}

static char *text_of(struct odp_summary *s)
{
    struct odp_buffer out = {0};
    must(odp_summary_json(s, NULL, &out));
    (void)odp_buffer_cstr(&out);
    odp_summary_free(s);
    return out.ptr;
}

static const char *const rows[][FIELDS] = {
    {"32.73", "2021", "0.1", "50", "Berat"}, {"32.73", "2022", "0.2", "50.5", "Ringan"},
    {"32.73", "2022", "-7", NULL, NULL},     {"11.01", "2021", "99999999999999999.999999999", "1", "Berat"},
    {"11.01", NULL, NULL, "0.25", "Berat"},  {NULL, "2022", "1e2", "100", "Berat"},
};
enum { ROWS = ODP_COUNT(rows) };

/* From the first to the last record, or the other way. */
static char *document(bool panel, bool back)
{
    struct odp_resource r = table_of(panel);
    struct odp_summary *s = odp_summary_new(&r, NULL);
    for (int i = 0; i < ROWS; i++)
        add(s, rows[back ? ROWS - 1 - i : i]);
    return text_of(s);
}

TEST(figures)
{
    char *there = document(false, false), *back = document(false, true);
    assert_string_equal(there, back);
    assert_string_equal(
        there,
        "{\"table\":\"uji\",\"records\":6,\"record\":{\"id\":\"rekaman\",\"en\":\"records\"},\"one\":{\"id\":"
        "\"rekaman\",\"en\":\"record\"},\n"
        "\"place\":{\"field\":\"kode\",\"list\":\"kabkota\",\"edition\":\"2025\"},\n"
        "\"time\":{\"field\":\"tahun\",\"panel\":false,\"values\":[\"2021\",\"2022\"]},\n\"measures\":[\n"
        "{\"name\":\"count\",\"aggregate\":\"count\",\"title\":{\"id\":\"Jumlah rekaman\",\"en\":\"Number of "
        "records\"},\"decimals\":0,\"highlight\":true},\n"
        "{\"name\":\"luas\",\"field\":\"luas\",\"aggregate\":\"sum\",\"title\":{\"id\":\"Luas\",\"en\":"
        "\"Area\"},\"unit\":{\"id\":\"ha\",\"en\":\"ha\"},\"decimals\":9,\"highlight\":true},\n"
        "{\"name\":\"persen\",\"field\":\"persen\",\"aggregate\":\"mean\",\"title\":{\"id\":\"persen\","
        "\"en\":\"persen\"},\"decimals\":2},\n"
        "{\"name\":\"tingkat=Berat\",\"field\":\"tingkat\",\"value\":\"Berat\",\"label\":{\"id\":\"Berat\","
        "\"en\":\"Berat\"},\"ordered\":true,\"aggregate\":\"count\",\"title\":{\"id\":\"tingkat\",\"en\":"
        "\"tingkat\"},\"decimals\":0}],\n"
        /* 50 + 50.5 + 1 + 0.25 + 100 = 201.75; / 5 = 40.35 */
        "\"all\":{\"total\":[6,100000000000000093.299999999,40.35,4],\"times\":[[2,100000000000000000."
        "099999999,25.5,2],[3,93.2,75.25,1]]},\n\"places\":{\"kabkota\":{\n"
        /* 0.625: half to even */
        "\"11.01\":{\"total\":[2,99999999999999999.999999999,0.62,2],\"times\":[[1,99999999999999999."
        "999999999,1,1],null]},\n"
        "\"32.73\":{\"total\":[3,-6.7,50.25,1],\"times\":[[1,0.1,50,1],[2,-6.8,50.5,0]]}}}}\n");
    free(there);
    free(back);
}

/* The places of the records that its own lead to; what leads to none, and to one without a place, has
 * none. */
TEST(places_of_other_records)
{
    static struct odp_dataset projects_set = {.slug = "proyek", .state = ODP_STATE_ACTIVE};
    static uint32_t first[] = {0};
    struct odp_resource projects = table_of(false), risks = table_of(false);
    const struct odp_foreign_key to_projects = {
        .local = {first, 1, NULL}, .target = &projects, .remote = {first, 1, NULL}};
    const struct odp_resource *all[] = {&projects, &risks};
    const struct odp_catalog catalog = {.resources = all, .nresources = 2};
    ARENA(arena);
    struct odp_row_places *places;
    projects.dataset = &projects_set;
    projects.primary = true;
    risks.through = &to_projects;
    risks.nforeign = 0;
    must(odp_row_places_new(&places, &catalog, &arena));
    for (int i = 0; i < 2; i++) /* a project is its place here */
        must(odp_row_places_add(places, &projects, &ODP_LIT("32.73")));
    struct odp_summary *s = odp_summary_new(&risks, places);
    for (int i = 0; i < ROWS; i++)
        add(s, rows[i]);
    char *text = text_of(s);
    EXPECT(text,
           "\"place\":{\"through\":{\"field\":\"kode\",\"dataset\":\"proyek\"},"
           "\"field\":\"kode\",\"list\":\"kabkota\",\"edition\":\"2025\"}",
           "\"places\":{\"kabkota\":{\n\"32.73\":{\"total\":[3,-6.7,50.25,1],", "!", "\"11.01\"");
    free(text);
    text = text_of(odp_summary_new(&risks, NULL)); /* nothing is known of them */
    EXPECT(text, "\"left_out\":{\"times\":0,\"totals\":0,\"earlier\":0,\"places\":[\"kabkota\"]}");
    free(text);
    odp_row_places_free(places);
}

/* Its total is the last time's, of a place without records then nothing. */
TEST(panel)
{
    char *text = document(true, false);
    EXPECT(text, "\"all\":{\"total\":[3,93.2,75.25,1],\"times\"",
           "\"11.01\":{\"total\":[0,null,null,0],\"times\"");
    free(text);
}

TEST(a_value_that_is_too_large)
{
    struct odp_resource r = table_of(false);
    struct odp_summary *s = odp_summary_new(&r, NULL);
    add(s, (const char *const[FIELDS]){"32.73", "2021", "1e18", "1", NULL});
    add(s, (const char *const[FIELDS]){"32.73", "2021", "1", "2", NULL});
    char *text = text_of(s);
    EXPECT(text, "\"all\":{\"total\":[2,null,1.5,0],");
    free(text);
}

TEST(classes)
{
    struct odp_resource r = table_of(false);
    struct odp_summary *s = odp_summary_new(&r, NULL);
    char code[8], area[16];
    for (int i = 0; i < 100; i++) { /* 1 … 100 thousand; half of the shares are 0 */
        snprintf(code, sizeof code, "%d", i);
        snprintf(area, sizeof area, "%d", (i + 1) * 1013);
        add(s, (const char *const[FIELDS]){
                   code,
                   "2021",
                   area,
                   i % 2 == 0 ? "0"
                   : i < 50   ? "1"
                              : "2.5",
                   NULL,
               });
    }
    char *text = text_of(s);
    EXPECT(text, "\"classes\":{\"kabkota\":[21000,41000,61000,82000]}", "\"classes\":{\"kabkota\":[1,2.5]}",
           "!", "\"classes\":{\"kabkota\":[]}");
    free(text);
}

static json_t *many(uint32_t places, uint32_t years)
{
    struct odp_resource r = table_of(false);
    struct odp_summary *s = odp_summary_new(&r, NULL);
    char code[16], year[8];
    for (uint32_t p = 0; p < places; p++)
        for (uint32_t y = 0; y < years; y++) {
            snprintf(code, sizeof code, "%06u", p);
            snprintf(year, sizeof year, "%04u", 1900 + y);
            add(s, (const char *const[FIELDS]){code, year, "123456.789", "12.5", "Berat"});
        }
    char *text = text_of(s);
    assert_true(strlen(text) <= SUMMARY_BYTES);
    json_t *o = odp_json_load(text, strlen(text), 0, NULL);
    assert_non_null(o);
    free(text);
    return o;
}

static void expect_left_out(json_t *o, int times, int totals, int earlier, size_t lists)
{
    const json_t *left = json_object_get(o, "left_out");
    assert_int_equal(json_integer_value(json_object_get(left, "times")), times);
    assert_int_equal(json_integer_value(json_object_get(left, "totals")), totals);
    assert_int_equal(json_integer_value(json_object_get(left, "earlier")), earlier);
    assert_int_equal(json_array_size(json_object_get(left, "places")), lists);
    assert_int_equal(json_array_size(json_object_get(json_object_get(o, "all"), "total")), 4);
    json_decref(o);
}

TEST(too_much)
{
    json_t *o = many(500, 10); /* fits */
    assert_null(json_object_get(o, "left_out"));
    json_decref(o);
    expect_left_out(many(1000, 12), 1, 0, 0, 0); /* a time of what is no highlight */
    expect_left_out(many(500, 70), 3, 2, 10,
                    0); /* totals and times of highlights; times that are too early */
    expect_left_out(many(7000, 1), 4, 2, 0, 0);
    expect_left_out(many(20000, 1), 0, 0, 0, 1); /* no places */
    expect_left_out(many(6000, 10), 0, 0, 0, 1); /* too many rows to be told apart */
}
