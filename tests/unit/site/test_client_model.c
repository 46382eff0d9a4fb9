/* The model of the published contract: what of entries and schemas libraries see, and what they are told
 * apart from it. */
#include "emit_fixture.h"

#include <jansson.h>

#include "site/clients/clients_internal.h"
#include "site/versions/release.h"

struct site {
    struct fixture fx;
    char out[512];
    struct odp_diags *diags;
    struct odp_stage *stage;
    struct odp_arena arena;
    json_t *entries;
    struct client_model model;
};

static const char schema[] =
    "{\"fields\":["
    "{\"name\":\"kode\",\"type\":\"string\",\"odp:title\":{\"id\":\"Kode\",\"en\":\"Code\"},\"description\":"
    "\"Satu bahasa\"},"
    "{\"name\":\"luas\",\"type\":\"number\",\"title\":\"Luas\",\"odp:unit\":{\"id\":\"hektare\",\"en\":"
    "\"hectares\"},\"constraints\":{\"required\":true}},"
    "{\"name\":\"tingkat\",\"type\":\"string\",\"categories\":[{\"value\":\"R\",\"label\":\"Ringan\"},\"B\"],"
    "\"constraints\":{\"required\":false}},"
    "{\"name\":\"nomor\",\"type\":\"integer\",\"constraints\":{\"enum\":[1,2,30]},\"categories\":[1]},"
    "{\"name\":\"bagian\",\"type\":\"array\",\"odp:type\":\"list\"},"
    "{\"name\":\"nilai\",\"type\":\"number\",\"constraints\":{\"enum\":[0.1,2]},\"odp:deprecated\":\"2024-01-"
    "01\"},"
    "{\"name\":\"lain\",\"type\":\"entah\"}],"
    "\"primaryKey\":[\"kode\"],\"odp:queryables\":[{\"name\":\"kode_provinsi\",\"type\":\"string\"},{"
    "\"name\":\"status\",\"type\":\"string\"}],"
    "\"odp:geometry\":{\"types\":[\"Polygon\"],\"api\":\"simplified\"}}";

/* In the order of the registry. */
#define FORMATS "geojson|csv|excel.csv"

static void stage(struct site *p, const char *path, const char *text)
{
    assert_int_equal(odp_stage_put(p->stage, path, "application/json", ODP_CLASS_PUBLIC, odp_slice_of(text)),
                     ODP_OK);
}

static void add_entry(struct site *p, const char *text)
{
    assert_int_equal(json_array_append_new(p->entries, json_loads(text, 0, NULL)), 0);
}

static void site_init(struct site *p)
{
    memset(p, 0, sizeof *p);
    fx_init(&p->fx);
    fx_path(&p->fx, "site", p->out);
    odp_arena_init(&p->arena);
    odp_failure_clear();
    assert_int_equal(odp_diags_new(&p->diags, 10), ODP_OK);
    assert_int_equal(odp_stage_open(&p->stage, p->out, p->diags), ODP_OK);
    p->entries = json_array();
}

static void site_release(struct site *p)
{
    client_model_release(&p->model);
    json_decref(p->entries);
    odp_stage_close(p->stage);
    odp_diags_free(p->diags);
    odp_arena_release(&p->arena);
    fx_release(&p->fx);
    odp_failure_clear();
}

static enum odp_status make(struct site *p)
{
    client_model_release(&p->model);
    const struct odp_site_job job = {
        .stage = p->stage, .catalog = &p->fx.catalog, .entries = p->entries, .diags = p->diags};
    return client_model_make(&p->model, &job, &p->arena);
}

/* "uji" with a further resource, as the catalogue has it. */
static void publish(struct site *p)
{
    stage(p, "data/uji/2024-03-15/schema.json", "{\"fields\":[{\"name\":\"lama\",\"type\":\"string\"}]}");
    stage(p, "data/uji/latest/schema.json", schema); /* today's words go before the version's own */
    stage(p, "data/uji/2024-03-15/schema-linimasa.json",
          "{\"fields\":[{\"name\":\"kode\",\"type\":\"string\"},{\"name\":\"urutan\",\"type\":\"integer\"}],"
          "\"primaryKey\":[\"kode\",\"urutan\"],"
          "\"odp:timeline\":{\"project\":\"kode\"},\"odp:geometry\":{\"api\":\"none\"}}");
    add_entry(p, "{\"slug\":\"uji\",\"state\":\"deprecated\",\"title\":{\"id\":\"Uji\",\"en\":\"Test\"},"
                 "\"description\":\"Sama\",\"formats\":[\"GeoJSON\",\"CSV\",\"Entah\"],\"resources\":["
                 "{\"name\":\"uji\",\"schema\":\"../data/uji/2024-03-15/schema.json\"},"
                 "{\"name\":\"linimasa\",\"title\":{\"id\":\"Linimasa\",\"en\":\"Timeline\"},\"schema\":\"../"
                 "data/uji/2024-03-15/schema-linimasa.json\"},"
                 "{\"name\":\"hilang\",\"schema\":\"../data/uji/2024-03-15/schema-hilang.json\"}]}");
}

/* The I-th dataset's K-th resource. */
static json_t *resource(const struct site *p, size_t i, size_t k)
{
    return json_array_get(
        json_object_get(json_array_get(json_object_get(p->model.json, "datasets"), i), "resources"), k);
}

/* Every member of EXPECTED is in O as it is there. */
static void assert_members(const json_t *o, const char *expected)
{
    json_t *e = json_loads(expected, 0, NULL), *value;
    const char *key;
    assert_non_null(e);
    json_object_foreach(e, key, value) if (!json_equal(json_object_get(o, key), value))
        fail_msg("%s: %s", key, json_dumps(json_object_get(o, key), JSON_ENCODE_ANY));
    json_decref(e);
}

static void test_dataset(void **state)
{
    struct site p;
    site_init(&p);
    publish(&p);
    assert_int_equal(make(&p), ODP_OK);
    const struct client_model *m = &p.model;
    assert_string_equal(m->release, "2.5.0");
    assert_string_equal(m->release_date, "2024-03-15");
    assert_string_equal(m->base_url, "https://data.example.go.id/");
    assert_string_equal(m->names.package[ODP_CLIENT_PYTHON], "odp-client");
    assert_members(m->json, "{\"license\": \"CC-BY-4.0\"}");
    assert_members(json_array_get(json_object_get(m->json, "datasets"), 0),
                   "{\"slug\": \"uji\", \"title\": {\"id\": \"Uji\", \"en\": \"Test\"}, \"description\": "
                   "{\"id\": \"Sama\", \"en\": \"Sama\"}}");
    /* the title is the dataset's where it has none; formats whether there are files now or not */
    assert_members(resource(&p, 0, 0), "{\"name\": \"uji\", \"path\": \"uji\", \"title\": {\"id\": \"Uji\", "
                                       "\"en\": \"Test\"}, \"geometry\": true, \"timeline\": false,"
                                       " \"key\": [\"kode\"], \"queryables\": [\"kode_provinsi\", "
                                       "\"status\"], \"formats\": [\"geojson\", \"csv\", \"excel.csv\"]}");
    /* a geometry that the API leaves out is in downloads */
    assert_members(resource(&p, 0, 1), "{\"name\": \"linimasa\", \"path\": \"uji/linimasa\", \"geometry\": "
                                       "false, \"timeline\": true, \"key\": [\"kode\", \"urutan\"],"
                                       " \"formats\": [\"geojson\", \"csv\", \"excel.csv\"]}");
    assert_null(resource(&p, 0, 2)); /* what has no schema is not there */
    site_release(&p);
}

static void assert_field(const struct site *p, size_t i, enum odp_type type, const char *members)
{
    const json_t *f = json_array_get(json_object_get(resource(p, 0, 0), "fields"), i);
    assert_int_equal(client_type(f, "type"), type);
    assert_members(f, members);
}

static void test_fields(void **state)
{
    struct site p;
    site_init(&p);
    fx_field(&p.fx, "bagian", ODP_TYPE_LIST)->list_item = ODP_TYPE_INTEGER;
    publish(&p);
    assert_int_equal(make(&p), ODP_OK);
    /* the key is required without saying so */
    assert_field(
        &p, 0, ODP_TYPE_STRING,
        "{\"required\": true, \"title\": {\"id\": \"Kode\", \"en\": \"Code\"}, \"description\": {\"id\": "
        "\"Satu bahasa\", \"en\": \"Satu bahasa\"}, \"unit\": {\"id\": \"\", \"en\": \"\"}}");
    assert_field(
        &p, 1, ODP_TYPE_NUMBER,
        "{\"required\": true, \"unit\": {\"id\": \"hektare\", \"en\": \"hectares\"}, \"values\": []}");
    assert_field(&p, 2, ODP_TYPE_STRING, "{\"required\": false, \"values\": [\"R\", \"B\"]}");
    assert_field(&p, 3, ODP_TYPE_INTEGER,
                 "{\"required\": false, \"values\": [\"1\", \"2\", \"30\"]}"); /* enum before categories */
    assert_field(&p, 4, ODP_TYPE_LIST, "{\"deprecated\": false}");
    assert_field(&p, 5, ODP_TYPE_NUMBER, "{\"values\": [\"0.1\", \"2\"], \"deprecated\": true}");
    assert_field(&p, 6, ODP_TYPE_ANY, "{\"values\": []}");
    const json_t *fields = json_object_get(resource(&p, 0, 0), "fields");
    assert_int_equal(client_type(json_array_get(fields, 4), "item"),
                     ODP_TYPE_INTEGER); /* which the published schema does not tell */
    assert_int_equal(client_type(json_array_get(fields, 0), "item"), ODP_TYPE_ANY);
    site_release(&p);
}

/* Where the catalogue lets records through that break a rule, the library does not promise it. */
static void test_severity(void **state)
{
    signed char severity[ODP_CODE_COUNT];
    struct site p;
    site_init(&p);
    memset(severity, -1, sizeof severity);
    severity[ODP_B01] = ODP_SEVERITY_WARNING;
    severity[ODP_B11] = ODP_SEVERITY_OFF;
    severity[ODP_B10] = ODP_SEVERITY_ERROR;
    p.fx.resource.severity = severity;
    publish(&p);
    assert_int_equal(make(&p), ODP_OK);
    assert_field(&p, 0, ODP_TYPE_STRING, "{\"required\": true}"); /* part of the key */
    assert_field(&p, 1, ODP_TYPE_NUMBER, "{\"required\": false}");
    assert_field(&p, 2, ODP_TYPE_STRING, "{\"values\": []}");
    assert_field(&p, 3, ODP_TYPE_INTEGER, "{\"values\": [\"1\", \"2\", \"30\"]}");
    severity[ODP_K05] = ODP_SEVERITY_NOTE;
    severity[ODP_B10] = ODP_SEVERITY_WARNING;
    assert_int_equal(make(&p), ODP_OK);
    assert_field(&p, 0, ODP_TYPE_STRING, "{\"required\": false}");
    assert_field(&p, 3, ODP_TYPE_INTEGER, "{\"values\": []}");
    site_release(&p);
}

/* Names that are no identifiers, words of the language, or taken: what each language makes of them. */
static void test_names(void **state)
{
    static const char fields[] =
        "{\"name\":\"kode\",\"type\":\"string\"},{\"name\":\"class\",\"type\":\"string\"},{\"name\":\"get\","
        "\"type\":\"string\"},{\"name\":\"a b\",\"type\":\"string\"},"
        "{\"name\":\"a-b\",\"type\":\"string\"},{\"name\":\"a_b\",\"type\":\"string\"},{\"name\":\"2tahun\","
        "\"type\":\"year\"},{\"name\":\"this\",\"type\":\"string\"}";
    static const char *const expected[ODP_CLIENT_LANGUAGES] = {
        [ODP_CLIENT_JAVASCRIPT] = "usage_ Usage_|aB AB|list List|kode class get a b a-b a_b 2tahun this ",
        [ODP_CLIENT_PYTHON] =
            "usage_ Usage|a_b AB|list List_|kode class_ get_ a_b_2 a_b_3 a_b column_2tahun this ",
        [ODP_CLIENT_PHP] = "usage Usage|aB AB|list ListRecord|kode class get a_b_ a_b__ a_b _2tahun this_ "};
    struct site p;
    struct odp_buffer out;
    site_init(&p);
    odp_buffer_init(&out);
    for (size_t i = 0; i < 3; i++) {
        static const char *const slugs[] = {"usage", "a-b", "list"};
        char path[64], text[1024];
        (void)snprintf(path, sizeof path, "data/%s/latest/schema.json", slugs[i]);
        (void)snprintf(text, sizeof text, "{\"fields\":[%s]}", fields);
        stage(&p, path, text);
        (void)snprintf(text, sizeof text,
                       "{\"slug\":\"%s\",\"formats\":[],\"resources\":[{\"name\":\"%s\",\"schema\":\"../data/"
                       "%s/v/schema.json\"}]}",
                       slugs[i], slugs[i], slugs[i]);
        add_entry(&p, text);
    }
    assert_int_equal(make(&p), ODP_OK);
    for (int l = 0; l < ODP_CLIENT_LANGUAGES; l++) {
        const json_t *datasets = json_object_get(p.model.dressed[l], "datasets"), *d, *f;
        size_t i;
        odp_buffer_clear(&out);
        json_array_foreach(datasets, i, d) odp_buffer_printf(
            &out, "%s %s|", odp_text_of(d, "property"), odp_text_of(json_object_get(d, "first"), "type"));
        json_array_foreach(json_object_get(json_object_get(json_array_get(datasets, 0), "first"), "fields"),
                           i, f) odp_buffer_printf(&out, "%s ", odp_text_of(f, "attribute"));
        assert_string_equal(odp_buffer_cstr(&out), expected[l]);
    }
    odp_buffer_release(&out);
    site_release(&p);
}

static void test_what_is_not_there(void **state)
{
    struct site p;
    site_init(&p);
    assert_int_equal(make(&p), ODP_DONE);
    add_entry(&p, "{\"slug\":\"pergi\",\"state\":\"withdrawn\"}");
    add_entry(&p, "{\"slug\":\"tanpa\",\"resources\":[{\"name\":\"tanpa\",\"schema\":\"../data/tanpa/2024/"
                  "schema.json\"}]}");
    add_entry(&p, "{\"slug\":\"asing\",\"resources\":[{\"name\":\"asing\",\"schema\":\"https://lain.example/"
                  "schema.json\"}]}");
    add_entry(&p, "{\"slug\":\"kosong\"}");
    assert_int_equal(make(&p), ODP_DONE); /* datasets, but none with a schema */
    publish(&p);
    assert_int_equal(make(&p), ODP_OK);
    assert_int_equal(json_array_size(json_object_get(p.model.json, "datasets")), 1);
    assert_string_equal(odp_text_of(resource(&p, 0, 0), "name"), "uji");
    p.fx.catalog.nreleases = 0;
    assert_int_equal(make(&p), ODP_DONE);
    p.fx.catalog.nreleases = 1;
    p.fx.catalog.portal.base_url = "";
    assert_int_equal(make(&p), ODP_DONE);
    site_release(&p);
    site_init(&p);
    stage(&p, "data/rusak/latest/schema.json", "{\"fields\":");
    add_entry(&p, "{\"slug\":\"rusak\",\"resources\":[{\"name\":\"rusak\",\"schema\":\"../data/rusak/2024/"
                  "schema.json\"}]}");
    assert_int_equal(make(&p), ODP_FAIL);
    assert_non_null(strstr(odp_failure_text(), "data/rusak/latest/schema.json"));
    site_release(&p);
}

/* ---- examples ---- */

static void dataset(struct site *p, const char *slug, const char *fields, const char *more,
                    const char *formats)
{
    char path[64], text[1024];
    (void)snprintf(path, sizeof path, "data/%s/latest/schema.json", slug);
    (void)snprintf(text, sizeof text, "{\"fields\":[%s]%s}", fields, more);
    stage(p, path, text);
    (void)snprintf(text, sizeof text,
                   "{\"slug\":\"%s\",\"formats\":[%s],\"resources\":[{\"name\":\"%s\",\"schema\":\"../data/"
                   "%s/v/schema.json\"}]}",
                   slug, formats, slug, slug);
    add_entry(p, text);
}

#define KODE "{\"name\":\"kode\",\"type\":\"string\"}"
#define ANGKA                                                                                                \
    "{\"name\":\"kode "                                                                                      \
    "angka\",\"type\":\"integer\"},{\"name\":\"class\",\"type\":\"number\"},{\"name\":\"keys\",\"type\":"    \
    "\"number\"},{\"name\":\"urutan\",\"type\":\"integer\"},{\"name\":\"luas\",\"type\":\"number\"}"
#define KELAS "{\"name\":\"kelas\",\"type\":\"string\",\"categories\":[\"a'b\",\"Sedang berat\",\"c\"]}"
#define KUNCI ",\"primaryKey\":[\"kode\"]"
#define CSV   "\"CSV\""
#define JSON  "\"JSON\""

static void test_sample(void **state)
{
    struct site p;
    site_init(&p);
    dataset(&p, "sedikit", KODE, "", JSON);
    assert_int_equal(make(&p), ODP_OK);
    const struct client_sample *s = &p.model.sample;
    assert_int_equal(s->dataset, 0);
    assert_string_equal(s->format, "json");
    assert_true(s->number == NULL && s->text == NULL && s->value == NULL && s->timeline == NO_DATASET);
    dataset(&p, "tanpa-csv", KODE "," ANGKA "," KELAS, KUNCI ",\"odp:geometry\":{}", JSON);
    dataset(&p, "baik", KODE "," ANGKA "," KELAS, KUNCI, JSON "," CSV);
    dataset(&p, "terbaik", KODE "," ANGKA "," KELAS, KUNCI ",\"odp:geometry\":{}", CSV);
    dataset(&p, "sama-baik", KODE "," ANGKA "," KELAS, KUNCI ",\"odp:geometry\":{}", CSV);
    dataset(&p, "tanpa-kunci", KODE "," ANGKA "," KELAS, ",\"odp:geometry\":{}", CSV);
    assert_int_equal(make(&p), ODP_OK);
    assert_int_equal(s->dataset, 3);        /* "terbaik": of equals the first */
    assert_string_equal(s->number, "luas"); /* decimals before integers, and a name that may stand as it is */
    assert_string_equal(s->text, "kelas");
    assert_string_equal(s->value, "Sedang berat"); /* that may stand between quotes of any language */
    assert_string_equal(s->format, "csv");
    publish(&p);
    assert_int_equal(make(&p), ODP_OK);
    assert_int_equal(s->timeline, 6);
    site_release(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dataset),           cmocka_unit_test(test_fields),
        cmocka_unit_test(test_severity),          cmocka_unit_test(test_names),
        cmocka_unit_test(test_what_is_not_there), cmocka_unit_test(test_sample)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
