/* The documents of the API, made of a hand-written index and schema: types, nullability, names that are in
 * the way, hostile texts; no index file is read. */
#include "emit_fixture.h"

#include "site/api/api.h"

struct api_fixture {
    struct fixture fx;
    char out[512];
    struct odp_diags *diags;
    struct odp_stage *stage;
    struct odp_arena arena;
    json_t *entries;
};

#define EVIL "</style><script>x</script>\"'&{{}}"

static const char entries_text[] =
    "[{\"slug\":\"uji\",\"name\":\"Test\",\"title\":{\"id\":\"Uji <b>\",\"en\":\"Test "
    "\\\"b\\\"\"},\"description\":{\"id\":\"Keterangan\",\"en\":\"Words\"},"
    "\"last_update\":\"2024-03-15\",\"version\":\"2024-03-15\",\"license\":{\"name\":\"CC-BY-4.0\",\"path\":"
    "\"https://"
    "example.org/l\"},"
    "\"resources\":[{\"name\":\"uji\",\"package_name\":\"uji\",\"title\":{\"id\":\"Uji\",\"en\":\"Test\"},"
    "\"schema\":\"../data/"
    "uji/2024-03-15/schema.json\","
    "\"files\":[{\"format\":\"CSV\",\"url\":\"../data/uji/2024-03-15/uji.csv\",\"media_type\":\"text/"
    "csv\"}]},"
    "{\"name\":\"lain\",\"package_name\":\"uji-lain\",\"title\":{\"id\":\"Lain\",\"en\":\"Other\"},"
    "\"schema\":\"../data/uji/"
    "2024-03-15/schema-lain.json\"}]}]";

static const char schema_text[] =
    "{\"fields\":[{\"name\":\"id\",\"type\":\"string\",\"constraints\":{\"required\":true,\"pattern\":\"[0-9]"
    "{2}\"}},"
    "{\"name\":\"jumlah\",\"type\":\"integer\",\"odp:description\":{\"id\":\""
    "d<i>"
    "\",\"en\":\"d\"}},"
    "{\"name\":\"kecil\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":100}},"
    "{\"name\":\"luas "
    "ha\",\"type\":\"number\",\"odp:deprecated\":\"2024-01-01\",\"constraints\":{\"minimum\":0.5}},"
    "{\"name\":\"tingkat\",\"type\":\"string\",\"categories\":[{\"value\":\"R\",\"label\":\"Ringan\",\"odp:"
    "label\":{\"id\":"
    "\"Ringan\",\"en\":\"Light\"}},\"B\"]},"
    "{\"name\":\"limit\",\"type\":\"date\",\"constraints\":{\"pattern\":\"\\\\p{L}\"}},"
    "{\"name\":\"isi\",\"type\":\"object\"}]}";

static struct odp_search_column columns[] = {
    {.name = "id", .type = ODP_TYPE_STRING, .of_record = true, .required = true},
    {.name = "jumlah",
     .type = ODP_TYPE_INTEGER,
     .of_record = true,
     .required = true,
     .title = {{EVIL, EVIL}}},
    {.name = "kecil", .type = ODP_TYPE_INTEGER, .of_record = true},
    {.name = "luas ha",
     .type = ODP_TYPE_NUMBER,
     .of_record = true,
     .title = {{"Luas", "Size"}},
     .unit = {{"hektare", "hectares"}}},
    {.name = "tingkat", .type = ODP_TYPE_STRING, .of_record = true},
    {.name = "limit", .type = ODP_TYPE_DATE, .of_record = true},
    {.name = "isi", .type = ODP_TYPE_OBJECT, .of_record = true},
    {.name = "provinsi", .type = ODP_TYPE_STRING},
};
static uint32_t key[] = {0, 3};

static struct odp_search_listed listed(const char *resource, bool geometry, const json_t *entry)
{
    struct odp_search_listed l = {.collection = resource == NULL ? "uji" : "uji-lain", .entry = entry};
    l.info = (struct odp_search_info){.slug = "uji",
                                      .resource = resource,
                                      .version = "2024-03-15",
                                      .last_update = "2024-03-15",
                                      .columns = columns,
                                      .ncolumns = 8,
                                      .nfields = 7,
                                      .key = key,
                                      .nkey = resource == NULL ? 2 : 0,
                                      .has_geometry = geometry,
                                      .geometry_types = ODP_GEOM_BIT_POLYGON | ODP_GEOM_BIT_MULTIPOLYGON,
                                      .geometry_name = geometry ? "geometry" : NULL,
                                      .datetime = {5, 5},
                                      .interval = {"2024-01-02", NULL},
                                      .has_bbox = geometry,
                                      .bbox = {106.5, -6.25, 107, -6},
                                      .rows = 12345,
                                      ODP_SEARCH_NO_TIMELINE};
    return l;
}

static void fixture_init(struct api_fixture *f)
{
    memset(f, 0, sizeof *f);
    fx_init(&f->fx);
    fx_path(&f->fx, "site", f->out);
    odp_arena_init(&f->arena);
    assert_int_equal(odp_diags_new(&f->diags, 10), ODP_OK);
    assert_int_equal(odp_stage_open(&f->stage, f->out, f->diags), ODP_OK);
    f->fx.catalog.portal.base_url = "https://data.example.go.id/";
    f->fx.catalog.portal.time_zone = "Asia/Jakarta";
    f->fx.catalog.portal.title = (struct odp_text){{EVIL, "Portal"}};
    f->fx.catalog.portal.publisher = (struct odp_text){{"Kementerian", "Ministry"}};
    f->entries = json_loads(entries_text, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(f->entries);
}

static void fixture_release(struct api_fixture *f)
{
    json_decref(f->entries);
    odp_stage_close(f->stage);
    odp_diags_free(f->diags);
    odp_arena_release(&f->arena);
    fx_release(&f->fx);
}

/* Makes the documents of both resources, the one without geometry first. */
static void make(struct api_fixture *f)
{
    const json_t *entry = json_array_get(f->entries, 0);
    const struct odp_search_listed list[] = {listed("lain", false, entry), listed(NULL, true, entry)};
    assert_int_equal(odp_stage_put(f->stage, "data/uji/2024-03-15/schema.json", "application/json",
                                   ODP_CLASS_PUBLIC, odp_slice_of(schema_text)),
                     ODP_OK);
    assert_int_equal(odp_stage_put(f->stage, "data/uji/latest/schema-lain.json", "application/json",
                                   ODP_CLASS_PUBLIC, odp_slice_of("{\"fields\":[]}")),
                     ODP_OK);
    assert_int_equal(odp_api_documents(&(struct odp_site_job){.stage = f->stage,
                                                              .catalog = &f->fx.catalog,
                                                              .entries = f->entries,
                                                              .diags = f->diags},
                                       list, 2),
                     ODP_OK);
}

static char *published(struct api_fixture *f, const char *path)
{
    char full[300];
    const char *build;
    if (odp_stage_find(f->stage, "manifest.json") == NULL) {
        assert_int_equal(odp_stage_manifest(f->stage, &f->fx.catalog), ODP_OK);
        assert_int_equal(odp_stage_switch(f->stage, 1, &f->arena, &build), ODP_OK);
    }
    (void)snprintf(full, sizeof full, "site/%s", path);
    return fx_read(&f->fx, full, NULL);
}

static json_t *document(struct api_fixture *f, const char *path)
{
    char *text = published(f, path);
    assert_non_null(text);
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(root);
    free(text);
    return root;
}

/* The value at a path of members. */
static json_t *at(json_t *root, const char *const *path)
{
    for (; *path != NULL; path++) {
        root = json_is_array(root) ? json_array_get(root, (size_t)atoi(*path)) : json_object_get(root, *path);
        if (root == NULL)
            fail_msg("no member %s", *path);
    }
    return root;
}

/* It must be exactly JSON. */
static void expect(json_t *root, const char *const *path, const char *json)
{
    char *text = json_dumps(at(root, path), JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
    assert_string_equal(text, json);
    free(text);
}
#define AT(...) ((const char *const[]){__VA_ARGS__, NULL})

static void test_openapi(void **state)
{
    struct api_fixture f;
    fixture_init(&f);
    make(&f);
    json_t *root = document(&f, "v1/openapi.json");
    json_t *fields = json_object_get(
        json_object_get(json_object_get(json_object_get(root, "components"), "schemas"), "uji.fields"),
        "properties");
    expect(root, AT("openapi"), "\"3.1.0\"");
    expect(root, AT("servers"), "[{\"url\":\"https://data.example.go.id\"}]");
    expect(fields, AT("id"), "{\"title\":\"id\",\"type\":\"string\",\"pattern\":\"^(?:[0-9]{2})$\"}");
    expect(fields, AT("kecil"),
           "{\"title\":\"kecil\",\"type\":[\"integer\",\"null\"],\"format\":\"int64\",\"minimum\":0,"
           "\"maximum\":100}");
    expect(
        fields, AT("luas ha"),
        "{\"title\":\"Luas (hektare) / Size "
        "(hectares)\",\"type\":[\"number\",\"null\"],\"minimum\":0.5,\"x-unit\":{\"id\":\"hektare\",\"en\":"
        "\"hectares\"},\"deprecated\":true}");
    expect(fields, AT("tingkat"),
           "{\"title\":\"tingkat\",\"type\":[\"string\",\"null\"],\"enum\":[\"R\",\"B\",null],\"x-labels\":{"
           "\"R\":{\"id\":"
           "\"Ringan\",\"en\":\"Light\"}}}");
    expect(fields, AT("limit"), "{\"title\":\"limit\",\"type\":[\"string\",\"null\"],\"format\":\"date\"}");
    json_t *schemas = json_object_get(json_object_get(root, "components"), "schemas");
    json_t *formats = at(schemas, AT("dataset", "properties", "formats", "items", "enum"));
    assert_int_equal(json_array_size(formats), ODP_FORMATS);
    for (size_t i = 0; i < ODP_FORMATS; i++)
        assert_string_equal(json_string_value(json_array_get(formats, i)), odp_format_names[i]);
    expect(schemas, AT("uji", "required"),
           "[\"id\",\"jumlah\",\"kecil\",\"luas ha\",\"tingkat\",\"limit\",\"isi\",\"geometry\"]");
    expect(schemas, AT("uji-lain", "required"),
           "[\"id\",\"jumlah\",\"kecil\",\"luas ha\",\"tingkat\",\"limit\",\"isi\"]");
    assert_null(json_object_get(schemas, "uji-lain.feature")); /* it has no geometry */
    expect(schemas, AT("uji.part", "properties", "geometry", "oneOf", "0", "properties", "type", "enum"),
           "[\"Polygon\",\"MultiPolygon\"]");
    expect(schemas, AT("uji.part", "properties", "provinsi", "type"), "[\"string\",\"null\"]");
    json_t *parameters = json_object_get(json_object_get(root, "components"), "parameters");
    expect(parameters, AT("uji.luas_ha.3", "name"), "\"luas ha\"");
    expect(parameters, AT("uji.provinsi", "schema"), "{\"type\":\"string\"}");
    assert_null(json_object_get(parameters, "uji.limit")); /* the parameter limit is another */
    assert_null(json_object_get(parameters, "uji.isi"));
    assert_null(json_object_get(parameters, "view")); /* no timeline here */
    json_t *paths = json_object_get(root, "paths");
    expect(paths, AT("/v1/uji/id/{key}", "get", "description"),
           "\"Kuncinya: `id, luas ha`.\\n\\nIts key: `id, luas ha`.\"");
    expect(paths, AT("/v1/uji/lain/search", "post", "operationId"), "\"searchUjiLainByBody\"");
    expect(parameters, AT("slug", "schema", "enum"), "[\"uji\"]");
    expect(parameters, AT("resource", "schema", "enum"), "[\"lain\"]");
    expect(paths, AT("/v1/uji/versions", "get", "operationId"), "\"versionsOfUji\"");
    expect(paths, AT("/v1/uji/lain.json", "get", "operationId"), "\"firstPageOfUjiLain\"");
    assert_null(json_object_get(paths, "/v1/{slug}/versions"));
    assert_null(json_object_get(paths, "/v1/{slug}/{resource}.json"));
    json_decref(root);
    fixture_release(&f);
}

/* Messages to subscribers: the same schema in both places, its definitions where each document has them. */
static void test_events(void **state)
{
    struct api_fixture f;
    fixture_init(&f);
    f.fx.catalog.portal.base_url = "https://lain.example.org/";
    make(&f);
    json_t *root = document(&f, "v1/openapi.json"),
           *schema = document(&f, "v1/events/dataset.corrected.json");
    expect(schema, AT("$schema"), "\"https://json-schema.org/draft/2020-12/schema\"");
    expect(schema, AT("$id"), "\"https://lain.example.org/v1/events/dataset.corrected.json\"");
    expect(schema, AT("required"), "[\"type\",\"timestamp\",\"data\"]");
    expect(schema, AT("properties", "type"), "{\"type\":\"string\",\"const\":\"dataset.corrected\"}");
    expect(schema, AT("properties", "data", "allOf"), "[{\"$ref\":\"#/$defs/NewVersion\"}]");
    expect(schema, AT("properties", "data", "properties", "correction"), "{\"$ref\":\"#/$defs/Text\"}");
    expect(schema, AT("$defs", "Table", "properties", "changes", "items"), "{\"$ref\":\"#/$defs/Change\"}");
    expect(schema, AT("examples", "0", "data", "url"), "\"https://lain.example.org/v1/kumuh\"");
    json_t *components = json_object_get(root, "components"),
           *schemas = json_object_get(components, "schemas");
    expect(schemas, AT("Event.dataset.corrected", "properties", "data", "allOf"),
           "[{\"$ref\":\"#/components/schemas/Event.NewVersion\"}]");
    expect(schemas, AT("Event.dataset.corrected", "properties", "data", "properties", "correction"),
           "{\"$ref\":\"#/components/schemas/Text\"}");
    assert_null(json_object_get(schemas, "Event.Text"));
    json_t *call =
        json_object_get(json_object_get(json_object_get(root, "webhooks"), "dataset.corrected"), "post");
    expect(call, AT("operationId"), "\"onDatasetCorrected\"");
    expect(call, AT("security"), "[]");
    expect(call, AT("requestBody", "content", "application/json", "schema"),
           "{\"$ref\":\"#/components/schemas/Event.dataset.corrected\"}");
    expect(call, AT("requestBody", "content", "application/json", "example", "data", "url"),
           "\"https://lain.example.org/v1/kumuh\"");
    json_decref(schema);
    schema = document(&f, "v1/events/webhook.test.json"); /* only what it needs */
    expect(schema, AT("$defs"),
           "{\"Text\":{\"type\":\"object\",\"description\":\"Teks dalam dua bahasa / text in two "
           "languages\",\"required\":[\"id\",\"en\"],"
           "\"properties\":{\"id\":{\"type\":\"string\"},\"en\":{\"type\":\"string\"}}}}");
    json_decref(schema);
    schema = document(&f, "v1/events/index.json");
    expect(schema, AT("data", "5", "type"), "\"quota.warning\"");
    expect(schema, AT("data", "5", "audience"), "\"own\"");
    expect(schema, AT("data", "0", "joined"), "true");
    expect(schema, AT("data", "7", "schema"), "\"webhook.challenge.json\"");
    json_decref(schema);
    json_decref(root);
    fixture_release(&f);
}

static void test_ogc(void **state)
{
    struct api_fixture f;
    fixture_init(&f);
    make(&f);
    json_t *root = document(&f, "v1/ogc/collections.json");
    expect(root, AT("collections", "0", "id"), "\"uji\""); /* with geometry: first */
    expect(
        root, AT("collections", "0", "extent"),
        "{\"spatial\":{\"bbox\":[[106.5,-6.25,107.0,-6.0]],\"crs\":\"http://www.opengis.net/def/crs/OGC/1.3/"
        "CRS84\"},\"temporal\":{\"interval\":[["
        "\"2024-01-02T00:00:00Z\",null]],\"trs\":\"http://www.opengis.net/def/uom/ISO-8601/0/Gregorian\"}}");
    assert_null(json_object_get(json_array_get(json_object_get(root, "collections"), 0), "storageCrs"));
    json_decref(root);
    root = document(&f, "v1/ogc/collections/uji/queryables.json");
    expect(root, AT("properties", "geometry", "format"), "\"geometry-polygon-or-multipolygon\"");
    expect(root, AT("properties", "tingkat", "enum"), "[\"R\",\"B\"]");
    expect(root, AT("additionalProperties"), "false");
    assert_null(json_object_get(json_object_get(root, "properties"), "isi"));
    assert_non_null(
        json_object_get(json_object_get(root, "properties"), "limit")); /* in filters it can be named */
    json_decref(root);
    root = document(&f, "v1/ogc/collections/uji/schema.json");
    expect(root, AT("properties", "properties", "properties"),
           "{\"id\":{\"type\":\"string\"},\"jumlah\":{\"type\":\"number\",\"multipleOf\":1},\"kecil\":{\"$"
           "ref\":\"#/"
           "definitions/integer\"},"
           "\"luas "
           "ha\":{\"$ref\":\"#/definitions/number\"},\"tingkat\":{\"$ref\":\"#/definitions/"
           "string\"},\"limit\":{\"$ref\":\"#/"
           "definitions/date\"},"
           "\"isi\":{\"$ref\":\"#/definitions/object\"}}");
    expect(root, AT("definitions", "number"),
           "{\"$ref\":\"#/definitions/numberOrNull\",\"type\":\"number\"}");
    json_decref(root);
    root = document(&f, "v1/ogc/api.json");
    expect(root, AT("openapi"), "\"3.0.3\"");
    expect(root, AT("components", "parameters", "limit", "schema"),
           "{\"type\":\"integer\",\"minimum\":1,\"maximum\":1000,\"default\":1000}");
    expect(root, AT("paths", "/collections/uji/items", "get", "parameters", "0"),
           "{\"$ref\":\"#/components/parameters/limit\"}");
    json_decref(root);
    fixture_release(&f);
}

/* Nothing of a catalogue becomes markup. */
static void test_pages(void **state)
{
    static const char *const pages[] = {"v1/ogc/index.html",
                                        "v1/ogc/index.en.html",
                                        "v1/ogc/conformance.html",
                                        "v1/ogc/collections.html",
                                        "v1/ogc/collections/uji.html",
                                        "v1/ogc/collections/uji.en.html",
                                        "v1/ogc/collections/uji/queryables.html",
                                        "v1/ogc/collections/uji-lain/queryables.en.html"};
    struct api_fixture f;
    fixture_init(&f);
    make(&f);
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        char *text = published(&f, pages[i]);
        assert_non_null(text);
        assert_null(strstr(text, "<script"));
        assert_null(strstr(text, "d<i>"));
        assert_null(strstr(text, "Uji <b>"));
        free(text);
    }
    char *text = published(&f, "v1/ogc/collections/uji.html");
    assert_non_null(strstr(text, "<h1>Uji &lt;b&gt;</h1>"));
    assert_non_null(strstr(text, "<dt>Rekaman</dt><dd>12.345</dd>"));
    assert_non_null(strstr(text, "barat 106,500° · selatan −6,250° · timur 107,000° · utara −6,000°"));
    assert_non_null(strstr(text, "<a href=\"../../../data/uji/2024-03-15/uji.csv\">uji.csv</a>"));
    assert_non_null(strstr(text, "hreflang=\"en\" href=\"../collections/uji.en.html\""));
    assert_non_null(strstr(text, "<title>Uji &lt;b&gt; — OGC API — &lt;/style&gt;"));
    free(text);
    text = published(&f, "v1/ogc/collections/uji.en.html");
    assert_non_null(strstr(text, "<dt>Records</dt><dd>12,345</dd>"));
    assert_non_null(strstr(text, "<h1>Test &quot;b&quot;</h1>"));
    free(text);
    fixture_release(&f);
}

/* A site with nothing that can be queried has the documents all the same. */
static void test_empty(void **state)
{
    struct api_fixture f;
    fixture_init(&f);
    json_array_clear(f.entries);
    assert_int_equal(odp_api_documents(&(struct odp_site_job){.stage = f.stage,
                                                              .catalog = &f.fx.catalog,
                                                              .entries = f.entries,
                                                              .diags = f.diags},
                                       NULL, 0),
                     ODP_OK);
    json_t *root = document(&f, "v1/openapi.json");
    assert_null(json_object_get(json_object_get(root, "paths"), "/v1/{slug}/{resource}.json"));
    assert_null(
        json_object_get(json_object_get(json_object_get(root, "components"), "parameters"), "resource"));
    json_decref(root);
    root = document(&f, "v1/ogc/collections.json");
    expect(root, AT("collections"), "[]");
    json_decref(root);
    fixture_release(&f);
}

/* The schema of latest/ comes before the version's own; one that is damaged stops the build. */
static void test_schema(void **state)
{
    struct api_fixture f;
    fixture_init(&f);
    const struct odp_search_listed one = listed(NULL, true, json_array_get(f.entries, 0));
    assert_int_equal(odp_stage_put(f.stage, "data/uji/latest/schema.json", "application/json",
                                   ODP_CLASS_PUBLIC, ODP_LIT("{\"fields\":")),
                     ODP_OK);
    assert_int_equal(odp_api_documents(&(struct odp_site_job){.stage = f.stage,
                                                              .catalog = &f.fx.catalog,
                                                              .entries = f.entries,
                                                              .diags = f.diags},
                                       &one, 1),
                     ODP_FAIL);
    assert_string_not_equal(odp_failure_text(), "");
    odp_failure_clear();
    fixture_release(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_openapi), cmocka_unit_test(test_events),
                                       cmocka_unit_test(test_ogc),     cmocka_unit_test(test_pages),
                                       cmocka_unit_test(test_empty),   cmocka_unit_test(test_schema)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
