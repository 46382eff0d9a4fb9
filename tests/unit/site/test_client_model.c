/* The model of the published contract: what libraries see of entries and schemas, in plain form and under the
 * names of each language. */
#include "site_fixture.h"

#include "json_holds.h"
#include "site/clients/clients_internal.h"

struct clients {
    struct site s;
    json_t *entries;
    struct client_model model;
};

static const char schema[] =
    "{'fields':[{'name':'kode','type':'string','odp:title':{'id':'Kode','en':'Code'},"
    "'description':'Satu bahasa'},"
    "{'name':'luas','type':'number','title':'Luas','odp:unit':{'id':'hektare','en':'hectares'},"
    "'constraints':{'required':true}},"
    "{'name':'tingkat','type':'string','categories':[{'value':'R','label':'Ringan'},'B'],"
    "'constraints':{'required':false}},"
    "{'name':'nomor','type':'integer','constraints':{'enum':[1,2,30]},'categories':[1]},"
    "{'name':'bagian','type':'array','odp:type':'list'},"
    "{'name':'nilai','type':'number','constraints':{'enum':[0.1,2]},'odp:deprecated':'2024-01-01'},"
    "{'name':'lain','type':'entah'}],'primaryKey':['kode'],'odp:queryables':["
    "{'name':'kode_provinsi','type':'string'},{'name':'status','type':'string'}],"
    "'odp:geometry':{'types':['Polygon'],'api':'simplified'}}";

static void begin(struct clients *c)
{
    memset(c, 0, sizeof *c);
    site_init(&c->s);
    site_open(&c->s);
    odp_failure_clear();
    c->entries = site_json(&c->s, "[]");
}

static void end(struct clients *c)
{
    client_model_release(&c->model);
    site_release(&c->s);
    odp_failure_clear();
}

static void add_entry(struct clients *c, const char *text)
{
    assert_int_equal(json_array_append(c->entries, site_json(&c->s, text)), 0);
}

static enum odp_status make(struct clients *c)
{
    struct odp_site_job job = site_job(&c->s, "[]");
    job.entries = c->entries;
    client_model_release(&c->model);
    return client_model_make(&c->model, &job, &c->s.arena);
}

/* A dataset whose schema has FIELDS and MORE members. */
static void dataset(struct clients *c, const char *slug, const char *fields, const char *more,
                    const char *formats)
{
    struct odp_arena *a = &c->s.arena;
    site_put(&c->s, odp_arena_printf(a, "data/%s/latest/schema.json", slug),
             odp_arena_printf(a, "{'fields':[%s]%s}", fields, more));
    add_entry(c, odp_arena_printf(a,
                                  "{'slug':'%s','formats':[%s],'resources':[{'name':'%s',"
                                  "'schema':'../data/%s/v/schema.json'}]}",
                                  slug, formats, slug, slug));
}

/* "uji" with a further resource, as the catalogue has it. */
static void publish(struct clients *c)
{
    site_put(&c->s, "data/uji/2024-03-15/schema.json", "{'fields':[{'name':'lama','type':'string'}]}");
    site_put(&c->s, "data/uji/latest/schema.json", schema); /* comes before the version's own */
    site_put(
        &c->s, "data/uji/2024-03-15/schema-linimasa.json",
        "{'fields':[{'name':'kode','type':'string'},{'name':'urutan','type':'integer'}],"
        "'primaryKey':['kode','urutan'],'odp:timeline':{'project':'kode'},'odp:geometry':{'api':'none'}}");
    add_entry(c, "{'slug':'uji','state':'deprecated','title':{'id':'Uji','en':'Test'},'description':'Sama',"
                 "'formats':['GeoJSON','CSV','Entah'],'resources':["
                 "{'name':'uji','schema':'../data/uji/2024-03-15/schema.json'},"
                 "{'name':'linimasa','title':{'id':'Linimasa','en':'Timeline'},"
                 "'schema':'../data/uji/2024-03-15/schema-linimasa.json'},"
                 "{'name':'hilang','schema':'../data/uji/2024-03-15/schema-hilang.json'}]}");
}

/* The first dataset's K-th resource. */
static json_t *resource(const struct clients *c, size_t k)
{
    return json_array_get(
        json_object_get(json_array_get(json_object_get(c->model.json, "datasets"), 0), "resources"), k);
}

static const json_t *field(const struct clients *c, size_t i)
{
    return json_array_get(json_object_get(resource(c, 0), "fields"), i);
}

TEST(dataset)
{
    struct clients c;
    begin(&c);
    publish(&c);
    must(make(&c));
    const struct client_model *m = &c.model;
    assert_string_equal(m->release, "2.5.0");
    assert_string_equal(m->release_date, "2024-03-15");
    assert_string_equal(m->base_url, "https://data.example.go.id/");
    assert_string_equal(m->names.package[ODP_CLIENT_PYTHON], "odp-client");
    holds(m->json, "'license':'CC-BY-4.0'");
    holds(json_array_get(json_object_get(m->json, "datasets"), 0),
          "'slug':'uji','title':{'id':'Uji','en':'Test'},'description':{'id':'Sama','en':'Sama'}");
    /* the title is the dataset's where it has none; formats whether there are files now or not */
    holds(resource(&c, 0), "'name':'uji','path':'uji','title':{'id':'Uji','en':'Test'},'geometry':true,"
                           "'timeline':false,'key':['kode'],'queryables':['kode_provinsi','status'],"
                           "'formats':['geojson','csv','excel.csv']");
    /* a geometry that the API leaves out is in downloads */
    holds(resource(&c, 1), "'name':'linimasa','path':'uji/linimasa','geometry':false,'timeline':true,"
                           "'key':['kode','urutan'],'formats':['geojson','csv','excel.csv']");
    assert_null(resource(&c, 2)); /* it has no schema */
    end(&c);
}

TEST(fields)
{
    static const struct {
        enum odp_type type;
        const char *members;
    } rows[] = {
        /* the key is required without saying so */
        {ODP_TYPE_STRING, "'required':true,'title':{'id':'Kode','en':'Code'},"
                          "'description':{'id':'Satu bahasa','en':'Satu bahasa'},'unit':{'id':'','en':''}"},
        {ODP_TYPE_NUMBER, "'required':true,'unit':{'id':'hektare','en':'hectares'},'values':[]"},
        {ODP_TYPE_STRING, "'required':false,'values':['R','B']"},
        {ODP_TYPE_INTEGER, "'required':false,'values':['1','2','30']"}, /* enum before categories */
        {ODP_TYPE_LIST, "'deprecated':false"},
        {ODP_TYPE_NUMBER, "'values':['0.1','2'],'deprecated':true"},
        {ODP_TYPE_ANY, "'values':[]"}};
    struct clients c;
    begin(&c);
    fx_field(&c.s.fx, "bagian", ODP_TYPE_LIST)->list_item = ODP_TYPE_INTEGER;
    publish(&c);
    must(make(&c));
    for (size_t i = 0; i < ODP_COUNT(rows); i++) {
        assert_int_equal(client_type(field(&c, i), "type"), rows[i].type);
        /* the published schema does not tell the type of a list's items */
        assert_int_equal(client_type(field(&c, i), "item"),
                         rows[i].type == ODP_TYPE_LIST ? ODP_TYPE_INTEGER : ODP_TYPE_ANY);
        holds(field(&c, i), rows[i].members);
    }
    end(&c);
}

/* Where the catalogue lets records through that break a rule, the library does not promise it. */
TEST(severity)
{
    signed char severity[ODP_CODE_COUNT];
    struct clients c;
    begin(&c);
    memset(severity, -1, sizeof severity);
    severity[ODP_B01] = ODP_SEVERITY_WARNING;
    severity[ODP_B11] = ODP_SEVERITY_OFF;
    severity[ODP_B10] = ODP_SEVERITY_ERROR;
    c.s.fx.resource.severity = severity;
    publish(&c);
    must(make(&c));
    holds(field(&c, 0), "'required':true"); /* part of the key */
    holds(field(&c, 1), "'required':false");
    holds(field(&c, 2), "'values':[]");
    holds(field(&c, 3), "'values':['1','2','30']");
    severity[ODP_K05] = ODP_SEVERITY_NOTE;
    severity[ODP_B10] = ODP_SEVERITY_WARNING;
    must(make(&c));
    holds(field(&c, 0), "'required':false");
    holds(field(&c, 3), "'values':[]");
    end(&c);
}

/* Names that are no identifiers, words of the language, or taken: what each language makes of them. */
TEST(names)
{
    static const char fields[] =
        "{'name':'kode','type':'string'},{'name':'class','type':'string'},{'name':'get','type':'string'},"
        "{'name':'a b','type':'string'},{'name':'a-b','type':'string'},{'name':'a_b','type':'string'},"
        "{'name':'2tahun','type':'year'},{'name':'this','type':'string'}";
    static const char *const slugs[] = {"usage", "a-b", "list"};
    static const char *const expected[ODP_CLIENT_LANGUAGES] = {
        [ODP_CLIENT_JAVASCRIPT] = "usage_ Usage_|aB AB|list List|kode class get a b a-b a_b 2tahun this ",
        [ODP_CLIENT_PYTHON] =
            "usage_ Usage|a_b AB|list List_|kode class_ get_ a_b_2 a_b_3 a_b column_2tahun this ",
        [ODP_CLIENT_PHP] = "usage Usage|aB AB|list ListRecord|kode class get a_b_ a_b__ a_b _2tahun this_ "};
    struct clients c;
    begin(&c);
    for (size_t i = 0; i < 3; i++)
        dataset(&c, slugs[i], fields, "", "");
    must(make(&c));
    for (int l = 0; l < ODP_CLIENT_LANGUAGES; l++) {
        const json_t *datasets = json_object_get(c.model.dressed[l], "datasets"), *d, *f;
        BUFFER(out);
        size_t i;
        json_array_foreach(datasets, i, d) odp_buffer_printf(
            &out, "%s %s|", odp_text_of(d, "property"), odp_text_of(json_object_get(d, "first"), "type"));
        json_array_foreach(json_object_get(json_object_get(json_array_get(datasets, 0), "first"), "fields"),
                           i, f) odp_buffer_printf(&out, "%s ", odp_text_of(f, "attribute"));
        assert_string_equal(odp_buffer_cstr(&out), expected[l]);
    }
    end(&c);
}

TEST(without_contract)
{
    struct clients c;
    begin(&c);
    assert_int_equal(make(&c), ODP_DONE);
    add_entry(&c, "{'slug':'pergi','state':'withdrawn'}");
    add_entry(&c,
              "{'slug':'tanpa','resources':[{'name':'tanpa','schema':'../data/tanpa/2024/schema.json'}]}");
    add_entry(&c,
              "{'slug':'asing','resources':[{'name':'asing','schema':'https://lain.example/schema.json'}]}");
    add_entry(&c, "{'slug':'kosong'}");
    assert_int_equal(make(&c), ODP_DONE); /* datasets, but none with a schema */
    publish(&c);
    must(make(&c));
    assert_int_equal(json_array_size(json_object_get(c.model.json, "datasets")), 1);
    holds(resource(&c, 0), "'name':'uji'");
    c.s.fx.catalog.nreleases = 0;
    assert_int_equal(make(&c), ODP_DONE);
    c.s.fx.catalog.nreleases = 1;
    c.s.fx.catalog.portal.base_url = "";
    assert_int_equal(make(&c), ODP_DONE);
    end(&c);
    begin(&c);
    dataset(&c, "rusak", "{", "", "");
    must_fail(make(&c), "data/rusak/latest/schema.json");
    end(&c);
}

/* ---- examples ---- */

#define KODE "{'name':'kode','type':'string'}"
#define ALL                                                                                                  \
    KODE ",{'name':'kode angka','type':'integer'},{'name':'class','type':'number'},"                         \
         "{'name':'keys','type':'number'},{'name':'urutan','type':'integer'},"                               \
         "{'name':'luas','type':'number'},"                                                                  \
         "{'name':'kelas','type':'string','categories':['a\\u0027b','Sedang berat','c']}"
#define KEY      ",'primaryKey':['kode']"
#define GEOMETRY ",'odp:geometry':{}"

TEST(sample)
{
    static const struct {
        const char *slug, *more, *formats;
    } datasets[] = {
        {"tanpa-csv", KEY GEOMETRY, "'JSON'"}, {"baik", KEY, "'JSON','CSV'"},
        {"terbaik", KEY GEOMETRY, "'CSV'"},    {"sama-baik", KEY GEOMETRY, "'CSV'"},
        {"tanpa-kunci", GEOMETRY, "'CSV'"},
    };
    struct clients c;
    begin(&c);
    dataset(&c, "sedikit", KODE, "", "'JSON'");
    must(make(&c));
    const struct client_sample *s = &c.model.sample;
    assert_int_equal(s->dataset, 0);
    assert_string_equal(s->format, "json");
    assert_true(s->number == NULL && s->text == NULL && s->value == NULL && s->timeline == NO_DATASET);
    for (size_t i = 0; i < ODP_COUNT(datasets); i++)
        dataset(&c, datasets[i].slug, ALL, datasets[i].more, datasets[i].formats);
    must(make(&c));
    assert_int_equal(s->dataset, 3);        /* "terbaik": of equals the first */
    assert_string_equal(s->number, "luas"); /* decimals before integers, and a name that needs no quotes */
    assert_string_equal(s->text, "kelas");
    assert_string_equal(s->value, "Sedang berat"); /* it can be quoted in any language */
    assert_string_equal(s->format, "csv");
    publish(&c);
    must(make(&c));
    assert_int_equal(s->timeline, 6);
    end(&c);
}
