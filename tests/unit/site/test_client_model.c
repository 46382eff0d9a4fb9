/* The model of the published contract: what of entries and schemas libraries see, and what they are told apart from it. */
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
    "{\"name\":\"kode\",\"type\":\"string\",\"odp:title\":{\"id\":\"Kode\",\"en\":\"Code\"},\"description\":\"Satu bahasa\"},"
    "{\"name\":\"luas\",\"type\":\"number\",\"title\":\"Luas\",\"odp:unit\":{\"id\":\"hektare\",\"en\":\"hectares\"},\"constraints\":{\"required\":true}},"
    "{\"name\":\"tingkat\",\"type\":\"string\",\"categories\":[{\"value\":\"R\",\"label\":\"Ringan\"},\"B\"],\"constraints\":{\"required\":false}},"
    "{\"name\":\"nomor\",\"type\":\"integer\",\"constraints\":{\"enum\":[1,2,30]},\"categories\":[1]},"
    "{\"name\":\"bagian\",\"type\":\"array\",\"odp:type\":\"list\"},"
    "{\"name\":\"nilai\",\"type\":\"number\",\"constraints\":{\"enum\":[0.1,2]},\"odp:deprecated\":\"2024-01-01\"},"
    "{\"name\":\"lain\",\"type\":\"entah\"}],"
    "\"primaryKey\":[\"kode\"],\"odp:queryables\":[{\"name\":\"kode_provinsi\",\"type\":\"string\"},{\"name\":\"status\",\"type\":\"string\"}],"
    "\"odp:geometry\":{\"types\":[\"Polygon\"],\"api\":\"simplified\"}}";

/* In the order of the registry. */
#define FORMATS "geojson|csv|excel.csv"

static void stage(struct site *p, const char *path, const char *text)
{
    assert_int_equal(odp_stage_put(p->stage, path, "application/json", ODP_CLASS_PUBLIC, odp_slice_of(text)), ODP_OK);
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
    json_decref(p->entries);
    odp_stage_close(p->stage);
    odp_diags_free(p->diags);
    odp_arena_release(&p->arena);
    fx_release(&p->fx);
    odp_failure_clear();
}

static enum odp_status make(struct site *p)
{
    const struct odp_client_job job = {.stage = p->stage, .catalog = &p->fx.catalog, .entries = p->entries, .diags = p->diags};
    return client_model_make(&p->model, &job, &p->arena);
}

/* "uji" with a further resource, as the catalogue has it. */
static void publish(struct site *p)
{
    stage(p, "data/uji/2024-03-15/schema.json", "{\"fields\":[{\"name\":\"lama\",\"type\":\"string\"}]}");
    stage(p, "data/uji/latest/schema.json", schema); /* today's words go before the version's own */
    stage(p, "data/uji/2024-03-15/schema-linimasa.json",
          "{\"fields\":[{\"name\":\"kode\",\"type\":\"string\"},{\"name\":\"urutan\",\"type\":\"integer\"}],\"primaryKey\":[\"kode\",\"urutan\"],"
          "\"odp:timeline\":{\"project\":\"kode\"},\"odp:geometry\":{\"api\":\"none\"}}");
    add_entry(p, "{\"slug\":\"uji\",\"state\":\"deprecated\",\"title\":{\"id\":\"Uji\",\"en\":\"Test\"},\"description\":\"Sama\",\"formats\":[\"GeoJSON\",\"CSV\",\"Entah\"],\"resources\":["
                 "{\"name\":\"uji\",\"schema\":\"../data/uji/2024-03-15/schema.json\"},"
                 "{\"name\":\"linimasa\",\"title\":{\"id\":\"Linimasa\",\"en\":\"Timeline\"},\"schema\":\"../data/uji/2024-03-15/schema-linimasa.json\"},"
                 "{\"name\":\"hilang\",\"schema\":\"../data/uji/2024-03-15/schema-hilang.json\"}]}");
}

static void assert_texts(const char *const *list, size_t n, const char *joined)
{
    struct odp_buffer out;
    odp_buffer_init(&out);
    for (size_t i = 0; i < n; i++)
        odp_buffer_printf(&out, "%s%s", i > 0 ? "|" : "", list[i]);
    assert_string_equal(odp_buffer_cstr(&out), joined);
    odp_buffer_release(&out);
}

static void test_dataset(void **state)
{
    struct site p;
    (void)state;
    site_init(&p);
    publish(&p);
    assert_int_equal(make(&p), ODP_OK);
    const struct client_model *m = &p.model;
    assert_string_equal(m->release, "2.5.0");
    assert_string_equal(m->release_date, "2024-03-15");
    assert_string_equal(m->base_url, "https://data.example.go.id/");
    assert_string_equal(m->license_name, "CC-BY-4.0");
    assert_string_equal(m->names->package[ODP_CLIENT_PYTHON], "odp-client");
    assert_int_equal(m->ndatasets, 1);
    const struct client_dataset *d = &m->datasets[0];
    assert_string_equal(odp_text_get(&d->title, ODP_LANG_EN), "Test");
    assert_string_equal(odp_text_get(&d->description, ODP_LANG_EN), "Sama");
    assert_int_equal(d->nresources, 2); /* what has no schema is not there */
    const struct client_resource *r = d->resources, *further = r + 1;
    assert_string_equal(r->name, "uji");
    assert_string_equal(r->path, "uji");
    assert_string_equal(odp_text_get(&r->title, ODP_LANG_ID), "Uji"); /* the dataset's, where it has none */
    assert_true(r->geometry && !r->is_timeline);
    assert_texts(r->key, r->nkey, "kode");
    assert_texts(r->queryables, r->nqueryables, "kode_provinsi|status");
    assert_texts(r->formats, r->nformats, FORMATS); /* whether there are files now or not */
    assert_string_equal(further->name, "linimasa");
    assert_string_equal(further->path, "uji/linimasa");
    assert_true(!further->geometry && further->is_timeline);
    assert_texts(further->formats, further->nformats, FORMATS); /* a geometry that the API leaves out is in downloads */
    assert_texts(further->key, further->nkey, "kode|urutan");
    site_release(&p);
}

static void test_fields(void **state)
{
    static const enum odp_type types[] = {ODP_TYPE_STRING, ODP_TYPE_NUMBER, ODP_TYPE_STRING, ODP_TYPE_INTEGER, ODP_TYPE_LIST, ODP_TYPE_NUMBER, ODP_TYPE_ANY};
    static const bool required[] = {true, true, false, false, false, false, false}; /* the key is, without saying so */
    static const char *const values[] = {"", "", "R|B", "1|2|30", "", "0.1|2", ""}; /* enum before categories */
    struct site p;
    (void)state;
    site_init(&p);
    fx_field(&p.fx, "bagian", ODP_TYPE_LIST)->list_item = ODP_TYPE_INTEGER;
    publish(&p);
    assert_int_equal(make(&p), ODP_OK);
    const struct client_resource *r = p.model.datasets[0].resources;
    assert_int_equal(r->nfields, 7);
    for (size_t i = 0; i < r->nfields; i++) {
        assert_int_equal(r->fields[i].type, types[i]);
        assert_int_equal(r->fields[i].required, required[i]);
        assert_texts(r->fields[i].values, r->fields[i].nvalues, values[i]);
        assert_int_equal(r->fields[i].deprecated, i == 5);
    }
    assert_int_equal(r->fields[4].item, ODP_TYPE_INTEGER); /* which the published schema does not tell */
    assert_int_equal(r->fields[0].item, ODP_TYPE_ANY);
    assert_string_equal(odp_text_get(&r->fields[0].title, ODP_LANG_EN), "Code");
    assert_string_equal(odp_text_get(&r->fields[0].description, ODP_LANG_EN), "Satu bahasa");
    assert_string_equal(odp_text_get(&r->fields[1].title, ODP_LANG_EN), "Luas");
    assert_string_equal(odp_text_get(&r->fields[1].unit, ODP_LANG_EN), "hectares");
    assert_true(odp_text_is_empty(&r->fields[0].unit));
    site_release(&p);
}

/* Where the catalogue lets records through that break a rule, the library does not promise it. */
static void test_severity(void **state)
{
    signed char severity[ODP_CODE_COUNT];
    struct site p;
    (void)state;
    site_init(&p);
    memset(severity, -1, sizeof severity);
    severity[ODP_B01] = ODP_SEVERITY_WARNING;
    severity[ODP_B11] = ODP_SEVERITY_OFF;
    severity[ODP_B10] = ODP_SEVERITY_ERROR;
    p.fx.resource.severity = severity;
    publish(&p);
    assert_int_equal(make(&p), ODP_OK);
    const struct client_field *f = p.model.datasets[0].resources->fields;
    assert_true(f[0].required && !f[1].required); /* part of the key; required */
    assert_int_equal(f[2].nvalues, 0);
    assert_int_equal(f[3].nvalues, 3);
    severity[ODP_K05] = ODP_SEVERITY_NOTE;
    severity[ODP_B10] = ODP_SEVERITY_WARNING;
    assert_int_equal(make(&p), ODP_OK);
    f = p.model.datasets[0].resources->fields;
    assert_false(f[0].required);
    assert_int_equal(f[3].nvalues, 0);
    site_release(&p);
}

static void test_what_is_not_there(void **state)
{
    struct site p;
    (void)state;
    site_init(&p);
    assert_int_equal(make(&p), ODP_DONE);
    add_entry(&p, "{\"slug\":\"pergi\",\"state\":\"withdrawn\"}");
    add_entry(&p, "{\"slug\":\"tanpa\",\"resources\":[{\"name\":\"tanpa\",\"schema\":\"../data/tanpa/2024/schema.json\"}]}");
    add_entry(&p, "{\"slug\":\"asing\",\"resources\":[{\"name\":\"asing\",\"schema\":\"https://lain.example/schema.json\"}]}");
    add_entry(&p, "{\"slug\":\"kosong\"}");
    assert_int_equal(make(&p), ODP_DONE); /* datasets, but none with a schema */
    publish(&p);
    assert_int_equal(make(&p), ODP_OK);
    assert_int_equal(p.model.ndatasets, 1);
    assert_string_equal(p.model.datasets[0].slug, "uji");
    p.fx.catalog.nreleases = 0;
    assert_int_equal(make(&p), ODP_DONE);
    p.fx.catalog.nreleases = 1;
    p.fx.catalog.portal.base_url = "";
    assert_int_equal(make(&p), ODP_DONE);
    site_release(&p);
    site_init(&p);
    stage(&p, "data/rusak/latest/schema.json", "{\"fields\":");
    add_entry(&p, "{\"slug\":\"rusak\",\"resources\":[{\"name\":\"rusak\",\"schema\":\"../data/rusak/2024/schema.json\"}]}");
    assert_int_equal(make(&p), ODP_FAIL);
    assert_non_null(strstr(odp_failure_text(), "data/rusak/latest/schema.json"));
    site_release(&p);
}

/* ---- examples -------------------------------------------------------------------------------------------------------------------- */

static void dataset(struct site *p, const char *slug, const char *fields, const char *more, const char *formats)
{
    char path[64], text[1024];
    (void)snprintf(path, sizeof path, "data/%s/latest/schema.json", slug);
    (void)snprintf(text, sizeof text, "{\"fields\":[%s]%s}", fields, more);
    stage(p, path, text);
    (void)snprintf(text, sizeof text, "{\"slug\":\"%s\",\"formats\":[%s],\"resources\":[{\"name\":\"%s\",\"schema\":\"../data/%s/v/schema.json\"}]}", slug,
                   formats, slug, slug);
    add_entry(p, text);
}

#define KODE   "{\"name\":\"kode\",\"type\":\"string\"}"
#define ANGKA  "{\"name\":\"kode angka\",\"type\":\"integer\"},{\"name\":\"class\",\"type\":\"number\"},{\"name\":\"keys\",\"type\":\"number\"},{\"name\":\"urutan\",\"type\":\"integer\"},{\"name\":\"luas\",\"type\":\"number\"}"
#define KELAS  "{\"name\":\"kelas\",\"type\":\"string\",\"categories\":[\"a'b\",\"Sedang berat\",\"c\"]}"
#define KUNCI  ",\"primaryKey\":[\"kode\"]"
#define CSV    "\"CSV\""
#define JSON   "\"JSON\""

static void test_sample(void **state)
{
    struct site p;
    (void)state;
    site_init(&p);
    dataset(&p, "sedikit", KODE, "", JSON);
    assert_int_equal(make(&p), ODP_OK);
    const struct client_sample *s = &p.model.sample;
    assert_string_equal(s->dataset->slug, "sedikit");
    assert_string_equal(s->format, "json");
    assert_true(s->number == NULL && s->text == NULL && s->value == NULL && s->timeline == NULL);
    dataset(&p, "tanpa-csv", KODE "," ANGKA "," KELAS, KUNCI ",\"odp:geometry\":{}", JSON);
    dataset(&p, "baik", KODE "," ANGKA "," KELAS, KUNCI, JSON "," CSV);
    dataset(&p, "terbaik", KODE "," ANGKA "," KELAS, KUNCI ",\"odp:geometry\":{}", CSV);
    dataset(&p, "sama-baik", KODE "," ANGKA "," KELAS, KUNCI ",\"odp:geometry\":{}", CSV);
    dataset(&p, "tanpa-kunci", KODE "," ANGKA "," KELAS, ",\"odp:geometry\":{}", CSV);
    assert_int_equal(make(&p), ODP_OK);
    assert_string_equal(s->dataset->slug, "terbaik"); /* of equals the first */
    assert_string_equal(s->number, "luas");           /* decimals before integers, and a name that may stand as it is */
    assert_string_equal(s->text, "kelas");
    assert_string_equal(s->value, "Sedang berat");    /* that may stand between quotes of any language */
    assert_string_equal(s->format, "csv");
    publish(&p);
    assert_int_equal(make(&p), ODP_OK);
    assert_string_equal(s->timeline->slug, "uji");
    site_release(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_dataset), cmocka_unit_test(test_fields), cmocka_unit_test(test_severity),
                                       cmocka_unit_test(test_what_is_not_there), cmocka_unit_test(test_sample)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
