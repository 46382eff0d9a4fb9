/* The documents of the API, made of a hand-written index and schema: types, nullability, names that are in
 * the way, hostile texts; no index file is read. */
#include "site_script.h"

#include "site/api/api.h"
#include "site/versions/among.h"

#define EVIL "</style><script>x</script>\"'&{{}}"

static const char entries[] =
    "[{'slug':'uji','name':'Test','title':{'id':'Uji <b>','en':'Test "
    "\\\"b\\\"'},'description':{'id':'Keterangan','en':'Words'},'last_update':'2024-03-15','version':'2024-"
    "03-15','license':{'name':'CC-BY-4.0','path':'https://example.org/"
    "l'},'resources':[{'name':'uji','package_name':'uji','title':{'id':'Uji','en':'Test'},'schema':'../data/"
    "uji/2024-03-15/schema.json','files':[{'format':'CSV','url':'../data/uji/2024-03-15/"
    "uji.csv','media_type':'text/"
    "csv'}]},{'name':'lain','package_name':'uji-lain','title':{'id':'Lain','en':'Other'},'schema':'../data/"
    "uji/2024-03-15/schema-lain.json'}]}]";

static const char schema[] =
    "{'fields':[{'name':'id','type':'string','constraints':{'required':true,'pattern':'[0-9]{2}'}},{'name':'"
    "jumlah','type':'integer','odp:description':{'id':'d<i>','en':'d'}},{'name':'kecil','type':'integer','"
    "constraints':{'minimum':0,'maximum':100}},{'name':'luas "
    "ha','type':'number','odp:deprecated':'2024-01-01','constraints':{'minimum':0.5}},{'name':'tingkat','"
    "type':'string','categories':[{'value':'R','label':'Ringan','odp:label':{'id':'Ringan','en':'Light'}},'B'"
    "]},{'name':'limit','type':'date','constraints':{'pattern':'\\\\p{L}'}},{'name':'isi','type':'object'}]}";

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
    return (struct odp_search_listed){
        .collection = resource == NULL ? "uji" : "uji-lain",
        .entry = entry,
        .info = {.slug = "uji",
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
                 ODP_SEARCH_NO_TIMELINE}};
}

/* Makes the documents of both resources, the one without geometry first; EMPTY: of none. */
static void make(struct site *s, bool empty, const char *base)
{
    site_init(s);
    site_open(s);
    s->fx.catalog.portal.base_url = base;
    s->fx.catalog.portal.title = (struct odp_text){{EVIL, "Portal"}};
    const struct odp_site_job job = site_job(s, empty ? "[]" : entries);
    const json_t *entry = json_array_get(job.entries, 0);
    const struct odp_search_listed list[] = {listed("lain", false, entry), listed(NULL, true, entry)};
    site_put(s, "data/uji/2024-03-15/schema.json", schema);
    site_put(s, "data/uji/latest/schema-lain.json", "{'fields':[]}");
    struct odp_api *api = NULL;
    must(odp_api_documents(&api, &job, list, empty ? 0 : 2));
    odp_api_close(api);
    (void)site_switch(s, 1);
}

/* "begin BASE": with these documents; without an address there is nothing to query. */
static void script_begin(void *ctx, const char *base)
{
    struct site *s = ctx;
    if (s->diags != NULL)
        site_release(s);
    make(s, *base == '\0', *base != '\0' ? base : "https://data.example.go.id/");
}

static const char *script_read(void *ctx, const char *path)
{
    return site_read(ctx, path);
}

TEST(script)
{
    SITE(s);
    site_script((struct site_script){&s, &s, script_begin, NULL, script_read, ""}, "site/api.txt");
}

TEST(formats)
{
    struct site s;
    make(&s, false, "https://data.example.go.id/");
    json_t *formats = site_json(&s, "[]");
    for (size_t i = 0; i < ODP_FORMATS; i++)
        json_array_append_new(formats, json_string(odp_format_names[i]));
    char *all = json_dumps(formats, JSON_COMPACT);
    expect_json(&s, site_document(&s, "v1/openapi.json"),
                "components|schemas|dataset|properties|formats|items|enum", all);
    free(all);
    site_release(&s);
}

/* The schema of latest/ comes before the version's own; a damaged one stops the build. */
TEST(schema)
{
    SITE(s);
    site_open(&s);
    const struct odp_site_job job = site_job(&s, entries);
    const struct odp_search_listed one = listed(NULL, true, json_array_get(job.entries, 0));
    site_put(&s, "data/uji/latest/schema.json", "{'fields':");
    struct odp_api *api = NULL;
    must_fail(odp_api_documents(&api, &job, &one, 1), "data/uji/latest/schema.json");
    odp_api_close(api);
}

/* ---- parts ---- */

/* Two datasets; of the second one all texts that a test asks for are TITLE, or end in it. */
static const char *two(struct site *s, const char *title)
{
    return odp_arena_printf(
        &s->arena,
        "[{'slug':'uji','title':'Uji','description':'Keterangan','version':'2024-03-15',"
        "'resources':[{'name':'uji','schema':'../data/uji/2024-03-15/schema.json'}]},"
        "{'slug':'dua','title':'%s','description':'Dua %s','version':'2024-03-15',"
        "'resources':[{'name':'dua','schema':'../data/dua/2024-03-15/schema.json'},{'name':'lain'}]}]",
        title, title);
}

/* Builds the site once more. PROBED: whether the part of each dataset was carried over. */
static void build_two(struct site *s, const char *title, bool probed[2])
{
    struct odp_site *before = site_open_parts(s, 1);
    struct odp_api *api = NULL;
    site_put(s, "data/uji/2024-03-15/schema.json", schema);
    site_put(s, "data/dua/2024-03-15/schema.json", "{'fields':[]}");
    struct odp_site_job job = site_job(s, two(s, title));
    struct odp_search_listed list[] = {listed(NULL, true, json_array_get(job.entries, 0)),
                                       listed(NULL, false, json_array_get(job.entries, 1))};
    list[1].collection = list[1].info.slug = "dua";
    must(odp_among_open(&job.among, &job, NULL));
    for (size_t i = 0; i < 2; i++)
        probed[i] = odp_among_begin_alone(&job, "api", json_array_get(job.entries, i)) == ODP_DONE;
    must(odp_api_documents(&api, &job, list, 2));
    for (size_t i = 0; i < 2; i++) {
        json_t *own = odp_api_openapi(api, i == 0 ? "uji" : "dua");
        expect_json(s, own, "paths|/v1/uji/search|post|operationId", i == 0 ? "'searchUjiByBody'" : NULL);
        expect_json(s, own, "paths|/v1/dua/lain.json|get|operationId",
                    i == 1 ? "'firstPageOfDuaLain'" : NULL);
        expect_json(s, own, "paths|/v1/index.json", NULL);
        expect_json(s, own, "components|schemas|uji.fields|properties|id|type", i == 0 ? "'string'" : NULL);
        json_decref(own);
    }
    odp_api_close(api);
    odp_among_close(job.among);
    site_switch_parts(s, before);
}

/* One dataset's documents are not made again because another has changed, and the documents of both are the
 * bytes that a build from nothing makes. */
TEST(a_dataset_is_made_again_when_it_has_changed_itself)
{
    static const char *const wholes[] = {"v1/openapi.json", "v1/ogc/api.json", "v1/ogc/collections.json",
                                         "v1/ogc/index.html", "v1/ogc/collections.en.html"};
    static const char mark[] = "Dua\\n  \\\"@1\\\": null"; /* looks like the place of a text */
    struct site s, fresh;
    bool carried[2];
    site_init(&s);
    build_two(&s, "Dua", carried);
    assert_false(carried[0] || carried[1]);
    build_two(&s, "Dua", carried);
    assert_true(carried[0] && carried[1]);
    build_two(&s, mark, carried);
    assert_true(carried[0]);
    assert_false(carried[1]);
    site_init(&fresh);
    build_two(&fresh, mark, carried);
    for (size_t i = 0; i < ODP_COUNT(wholes); i++)
        assert_string_equal(site_read(&s, wholes[i]), site_read(&fresh, wholes[i]));
    site_release(&fresh);
    site_release(&s);
}
