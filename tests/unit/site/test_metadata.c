/* Documents for machines of a small site: exact where that is short, and nothing from a catalogue becomes
 * markup; the whole example catalogue is looked at by tests/e2e/metadata.py. */
#include "emit_fixture.h"

#include <jansson.h>

#include "catalog/security.h"
#include "site/metadata/metadata.h"
#include "site/versions/release.h"

struct site {
    struct fixture fx;
    char out[512];
    struct odp_diags *diags;
    struct odp_stage *stage;
    struct odp_arena arena;
    json_t *portal;
};

static void site_init(struct site *p, const char *base)
{
    memset(p, 0, sizeof *p);
    fx_init(&p->fx);
    fx_path(&p->fx, "site", p->out);
    odp_arena_init(&p->arena);
    assert_int_equal(odp_diags_new(&p->diags, 10), ODP_OK);
    assert_int_equal(odp_stage_open(&p->stage, p->out, p->diags), ODP_OK);
    p->portal = json_pack("{s:{s:s}, s:[{s:s, s:s, s:s}]}", "contact", "email", "data@example.go.id",
                          "subjects", "name", "kumuh", "title", "Kumuh", "theme", "SOCI");
    p->fx.catalog.portal.json = p->portal;
    p->fx.catalog.portal.base_url = base;
    p->fx.catalog.portal.time_zone = "Asia/Jakarta";
    p->fx.catalog.portal.title = (struct odp_text){{"Portal <data> & peta Kementerian", "Data portal"}};
    p->fx.catalog.portal.publisher = (struct odp_text){{"Kementerian", "Ministry"}};
    p->fx.catalog.portal.license_name = "CC-BY-4.0";
    p->fx.catalog.portal.license_path = "https://creativecommons.org/licenses/by/4.0/";
}

static void site_release(struct site *p)
{
    json_decref(p->portal);
    odp_stage_close(p->stage);
    odp_diags_free(p->diags);
    odp_arena_release(&p->arena);
    fx_release(&p->fx);
}

static void stage(struct site *p, const char *path, const char *type, const char *text)
{
    assert_int_equal(odp_stage_put(p->stage, path, type, ODP_CLASS_PUBLIC, odp_slice_of(text)), ODP_OK);
}

/* Makes everything of ENTRIES (taken) and switches the site in. */
static void publish(struct site *p, json_t *entries)
{
    const char *build;
    assert_non_null(entries);
    const struct odp_site_job job = {
        .stage = p->stage, .catalog = &p->fx.catalog, .entries = entries, .diags = p->diags};
    assert_int_equal(odp_metadata_documents(&job), ODP_OK);
    assert_int_equal(odp_metadata_sitemap(&job), ODP_OK);
    json_decref(entries);
    assert_int_equal(odp_stage_manifest(p->stage, &p->fx.catalog), ODP_OK);
    assert_int_equal(odp_stage_switch(p->stage, 1, &p->arena, &build), ODP_OK);
}

/* The file at PATH of the site; to be freed. */
static char *take(struct site *p, const char *path)
{
    char full[300];
    (void)snprintf(full, sizeof full, "site/%s", path);
    return fx_read(&p->fx, full, NULL);
}

static const char entry[] =
    "{\"slug\":\"kumuh\",\"title\":{\"id\":\"Peta <kumuh>\",\"en\":\"Slum \\\"map\\\" & "
    "more\"},\"description\":{\"id\":\"Batas.\",\"en\":\"Borders.\"},\"formats\":[\"GeoJSON\",\"CSV\"],"
    "\"last_update\":\"2024-03-15\",\"version\":\"2024-03-15\",\"frequency\":\"ANNUAL_2\",\"state\":"
    "\"active\",\"rows\":"
    "1204,\"bbox\":[103.464874,-7.4324705,107.9359475,-2.4689452],"
    "\"license\":{\"name\":\"CC-BY-4.0\",\"path\":\"https://creativecommons.org/licenses/by/4.0/"
    "\"},\"producer\":{\"id\":\"Direktorat\",\"en\":\"Directorate\"},\"subjects\":[\"kumuh\"],"
    "\"keywords\":[\"kota\"],\"resources\":[{\"name\":\"kumuh\",\"package_name\":\"kumuh\",\"title\":{\"id\":"
    "\"Peta\","
    "\"en\":\"Map\"},\"schema\":\"../data/kumuh/2024-03-15/schema.json\","
    "\"geometry\":true,\"rows\":1204,\"files\":[{\"format\":\"CSV\",\"name\":\"csv\",\"url\":\"../data/kumuh/"
    "2024-03-15/"
    "kumuh.csv\",\"media_type\":\"text/csv; charset=utf-8\",\"bytes\":212686,"
    "\"hash\":\"sha256:7eacc60a22aeac566c9d6961970cfc5a7c62e45773360e36e87431b92d4cbffb\"}]}]}";

static void stage_dataset(struct site *p)
{
    stage(p, "data/kumuh/latest/schema.json", "application/json",
          "{\"fields\":[{\"name\":\"kode\",\"type\":\"string\",\"odp:title\":{\"id\":\"Kode\",\"en\":"
          "\"Code\"},\"odp:unit\":{\"id\":\"hektare\","
          "\"en\":\"hectares\"}}],\"primaryKey\":[\"kode\"],"
          "\"odp:geometry\":{\"types\":[\"Polygon\"],\"sourceCrs\":\"EPSG:32748\",\"crsOperation\":\"Inverse "
          "of UTM zone 48S\"}}");
    stage(
        p, "data/kumuh/versions.json", "application/json",
        "{\"data\":[{\"version\":\"2024-03-15\",\"date\":\"2024-03-15\",\"state\":\"published\",\"rows\":"
        "1204,\"correction\":{\"id\":\"Salah "
        "hitung.\",\"en\":\"Miscounted.\"},"
        "\"resources\":[{\"changes\":{\"from\":\"2023-09-15\",\"added\":12,\"removed\":3,\"changed\":41}}]},"
        "{\"version\":\"2023-12-01\",\"date\":\"2023-12-01\",\"state\":\"thinned\",\"stands_in\":\"2024-03-"
        "15\"},"
        "{\"version\":\"2023-10-01\",\"date\":\"2023-10-01\",\"state\":\"withdrawn\",\"reason\":\"privacy\","
        "\"note\":{\"id\":\"Nama "
        "orang.\",\"en\":\"Names.\"}},"
        "{\"version\":\"2023-09-15\",\"date\":\"2023-09-15\",\"state\":\"published\",\"rows\":1195}]}");
    stage(p, "v1/ogc/collections/kumuh.json", "application/json",
          "{\"extent\":{\"temporal\":{\"interval\":[[\"2014-01-01T00:00:00Z\",null]]}}}");
}

static void assert_has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("%s\nis not in\n%s", part, text);
}

static void test_well_known(void **state)
{
    struct site p;
    site_init(&p, "https://example.go.id/data/");
    p.fx.catalog.portal.security_expires = "2025-01-31";
    assert_int_equal(json_object_set_new(p.portal, "security",
                                         json_pack("{s:s, s:s}", "contact", "mailto:a@example.go.id",
                                                   "policy", "https://example.go.id/p")),
                     0);
    publish(&p, json_array());
    char *text = take(&p, "robots.txt");
    assert_string_equal(
        text, "User-agent: *\nDisallow: /data/service/\n\nSitemap: https://example.go.id/data/sitemap.xml\n");
    free(text);
    text = take(&p, ".well-known/security.txt");
    assert_string_equal(
        text,
        "Contact: mailto:a@example.go.id\nExpires: 2025-01-31T00:00:00+07:00\nPreferred-Languages: id, en\n"
        "Canonical: https://example.go.id/data/.well-known/security.txt\nPolicy: https://example.go.id/p\n");
    free(text);
    text = take(&p, "opensearch.xml");
    assert_has(text,
               "<ShortName>Portal &lt;data&gt; &amp;</ShortName>"); /* 16 characters at most, whole words */
    assert_has(text, "template=\"https://example.go.id/data/index.html?q={searchTerms}\"");
    free(text);
    text = take(&p, ".well-known/api-catalog");
    json_t *root = json_loads(text, 0, NULL);
    assert_string_equal(
        json_string_value(json_object_get(json_array_get(json_object_get(root, "linkset"), 0), "anchor")),
        "https://example.go.id/data/.well-known/api-catalog");
    json_decref(root);
    free(text);
    site_release(&p);
}

static void test_no_security(void **state)
{
    struct site p;
    site_init(&p, "https://data.example.go.id/");
    publish(&p, json_array());
    assert_null(odp_stage_find(p.stage, ".well-known/security.txt"));
    site_release(&p);
}

/* Told from the day it expires on, where the portal is; not a day before. */
static void test_expired(void **state)
{
    static const struct {
        const char *expires, *today;
        enum odp_status status;
    } cases[] = {{"2025-01-31", "2025-01-30", ODP_OK},
                 {"2025-01-31", "2025-01-31", ODP_BAD},
                 {"2025-01-31T00:00:01+07:00", "2025-01-31", ODP_OK},
                 {"2025-01-30T17:00:00Z", "2025-01-31", ODP_BAD}, /* 00:00 in Jakarta */
                 {NULL, "2025-01-31", ODP_OK}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct site p;
        site_init(&p, "https://data.example.go.id/");
        p.fx.catalog.dir = "catalog";
        p.fx.catalog.portal.security_expires = cases[i].expires;
        assert_int_equal(odp_security_check(&p.fx.catalog, cases[i].today, p.diags), cases[i].status);
        assert_int_equal(odp_diags_code_count(p.diags, ODP_C28), cases[i].status == ODP_BAD);
        site_release(&p);
    }
}

static void test_feed(void **state)
{
    struct site p;
    site_init(&p, "https://data.example.go.id/");
    stage_dataset(&p);
    publish(&p, json_pack("[o]", json_loads(entry, 0, NULL)));
    char *text = take(&p, "katalog/kumuh.xml");
    assert_has(text, "<title>Peta &lt;kumuh&gt; / Slum &quot;map&quot; &amp; more</title>");
    assert_has(text, "<id>https://data.example.go.id/data/kumuh/2024-03-15/</id>");
    assert_has(text, "(koreksi / correction)</title>");
    assert_has(text, "<summary>Salah hitung. 1204 rekaman. 12 rekaman baru, 3 dihapus, 41 berubah sejak "
                     "2023-09-15. / Miscounted. 1204 records. "
                     "12 records added, 3 removed, 41 changed since 2023-09-15.</summary>");
    assert_has(text, "<id>https://data.example.go.id/data/kumuh/2023-10-01/#withdrawn</id>");
    assert_has(text, "Ditarik. Alasan: privacy. Nama orang. / Withdrawn. Reason: privacy. Names.");
    assert_has(text, "<updated>2023-09-15T00:00:00+07:00</updated>");
    assert_null(strstr(text, "2023-12-01")); /* thinned: no news */
    free(text);
    site_release(&p);
}

static void test_geometry(void **state)
{
    struct site p;
    site_init(&p, "https://data.example.go.id/");
    stage_dataset(&p);
    publish(&p, json_pack("[o]", json_loads(entry, 0, NULL)));
    char *text = take(&p, "katalog/kumuh/iso19139.xml");
    assert_has(text, "<gco:CharacterString>Peta &lt;kumuh&gt;</gco:CharacterString>");
    assert_has(text, "<gmd:westBoundLongitude><gco:Decimal>103.464874</gco:Decimal>");
    assert_has(text, "<gmd:northBoundLatitude><gco:Decimal>-2.4689452</gco:Decimal>");
    assert_has(text, "codeListValue=\"biannually\"");
    assert_has(text, "codeListValue=\"surface\"");
    assert_has(text, "Koordinat sumber: EPSG:32748; diubah ke WGS 84 dengan Inverse of UTM zone 48S.");
    free(text);
    site_release(&p);
    site_init(&p, "https://data.example.go.id/");
    json_t *plain = json_loads(entry, 0, NULL);
    json_object_set_new(json_array_get(json_object_get(plain, "resources"), 0), "geometry", json_false());
    publish(&p, json_pack("[o]", plain)); /* nothing of it is staged: documents stand without it */
    assert_null(odp_stage_find(p.stage, "katalog/kumuh/iso19139.xml"));
    assert_non_null(odp_stage_find(p.stage, "katalog/kumuh/ms-keg.xlsx"));
    assert_non_null(odp_stage_find(p.stage, "katalog/kumuh/ms-var.xlsx"));
    assert_null(odp_stage_find(p.stage, "katalog/kumuh/ms-ind.xlsx"));
    site_release(&p);
}

static void test_schema_org(void **state)
{
    struct site p;
    site_init(&p, "https://data.example.go.id/");
    stage_dataset(&p);
    json_t *one = json_loads(entry, 0, NULL), *entries = json_pack("[O]", one);
    const struct odp_site_job job = {
        .stage = p.stage, .catalog = &p.fx.catalog, .entries = entries, .diags = p.diags};
    struct odp_metadata *m;
    json_t *document;
    assert_int_equal(odp_metadata_open(&m, &job), ODP_OK);
    assert_int_equal(odp_model_dataset(&job, one, &document), ODP_OK);
    json_t *o =
        odp_metadata_schema_org(m, document, ODP_LANG_EN, "https://data.example.go.id/en/catalog/kumuh.html");
    assert_non_null(o);
    assert_string_equal(json_string_value(json_object_get(o, "name")), "Slum \"map\" & more");
    /* A description of less than 50 characters is told further. */
    assert_string_equal(
        json_string_value(json_object_get(o, "description")),
        "Borders. Slum \"map\" & more: open data of the Ministry, 1204 records, updated 2024-03-15.");
    assert_string_equal(json_string_value(json_object_get(o, "temporalCoverage")), "2014-01-01/..");
    assert_string_equal(json_string_value(json_object_get(
                            json_object_get(json_object_get(o, "spatialCoverage"), "geo"), "box")),
                        "-7.4324705 103.464874 -2.4689452 107.9359475");
    const json_t *variable = json_array_get(json_object_get(o, "variableMeasured"), 0),
                 *file = json_array_get(json_object_get(o, "distribution"), 0);
    assert_string_equal(json_string_value(json_object_get(variable, "unitText")), "hectares");
    assert_string_equal(json_string_value(json_object_get(file, "contentUrl")),
                        "https://data.example.go.id/data/kumuh/2024-03-15/kumuh.csv");
    assert_string_equal(json_string_value(json_object_get(file, "contentSize")), "212686 B");
    json_decref(o);
    o = odp_metadata_schema_org_catalog(m, ODP_LANG_ID, "https://data.example.go.id/");
    assert_string_equal(
        json_string_value(json_object_get(json_array_get(json_object_get(o, "dataset"), 0), "url")),
        "https://data.example.go.id/katalog/kumuh.html");
    json_decref(o);
    json_decref(document);
    odp_metadata_close(m);
    json_decref(entries);
    json_decref(one);
    site_release(&p);
}

/* The newest version was withdrawn and no other has taken its place: the entry knows neither version nor date
 * nor files. */
static void test_withdrawn(void **state)
{
    struct site p;
    site_init(&p, "https://data.example.go.id/");
    stage(&p, "data/kumuh/versions.json", "application/json",
          "{\"data\":[{\"version\":\"2024-03-15\",\"date\":\"2024-03-15\",\"state\":\"withdrawn\",\"reason\":"
          "\"privacy\"}]}");
    json_t *one = json_loads(entry, 0, NULL);
    static const char *const unknown[] = {"version", "last_update", "rows"};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        json_object_set_new(one, unknown[i], json_null());
    json_object_del(one, "bbox");
    json_object_set_new(
        one, "resources",
        json_loads("[{\"name\":\"kumuh\",\"package_name\":\"kumuh\",\"download\":{},\"files\":[]}]", 0,
                   NULL));
    json_t *entries = json_pack("[O]", one);
    const struct odp_site_job job = {
        .stage = p.stage, .catalog = &p.fx.catalog, .entries = entries, .diags = p.diags};
    struct odp_metadata *m;
    json_t *document;
    assert_int_equal(odp_metadata_open(&m, &job), ODP_OK);
    assert_int_equal(odp_model_dataset(&job, one, &document), ODP_OK);
    json_t *o =
        odp_metadata_schema_org(m, document, ODP_LANG_ID, "https://data.example.go.id/katalog/kumuh.html");
    assert_null(json_object_get(o, "version"));
    assert_null(json_object_get(o, "dateModified"));
    assert_string_equal(json_string_value(json_object_get(o, "description")),
                        "Batas. Peta <kumuh>: data terbuka dari Kementerian.");
    json_decref(o);
    json_decref(document);
    odp_metadata_close(m);
    json_decref(one);
    publish(&p, entries);
    char *text = take(&p, "dcat.jsonld");
    assert_null(strstr(text, "dcat:version"));
    assert_has(text, "\"dct:hasVersion\": []");
    free(text);
    text = take(&p, "katalog/kumuh.xml");
    assert_has(text, "(ditarik / withdrawn)");
    free(text);
    text = take(&p, "gambar/kumuh.png"); /* whose licence stands after its header */
    assert_memory_equal(text + 1, "PNG", 3);
    assert_memory_equal(text + 37, "iTXtTitle", 9);
    free(text);
    site_release(&p);
}

static void test_sitemap(void **state)
{
    struct site p;
    site_init(&p, "https://data.example.go.id/");
    stage(&p, "index.html", "text/html; charset=utf-8", "<p>");
    stage(&p, "en/index.html", "text/html; charset=utf-8", "<p>");
    stage(&p, "katalog/kumuh.html", "text/html; charset=utf-8", "<p>");
    stage(&p, "404.html", "text/html; charset=utf-8", "<p>");
    stage(&p, "kunci-saya.html", "text/html; charset=utf-8", "<p>");
    stage(&p, "data/kumuh/2024-03-15/changes.html", "text/html; charset=utf-8", "<p>");
    publish(&p, json_pack("[o]", json_loads(entry, 0, NULL)));
    char *text = take(&p, "sitemap.xml");
    assert_string_equal(
        text,
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
        "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" "
        "xmlns:xhtml=\"http://www.w3.org/1999/xhtml\">\n"
        "<url><loc>https://data.example.go.id/en/</loc><lastmod>2024-03-15</lastmod>"
        "<xhtml:link rel=\"alternate\" hreflang=\"id\" href=\"https://data.example.go.id/\"/>"
        "<xhtml:link rel=\"alternate\" hreflang=\"en\" href=\"https://data.example.go.id/en/\"/>"
        "<xhtml:link rel=\"alternate\" hreflang=\"x-default\" href=\"https://data.example.go.id/\"/></url>\n"
        "<url><loc>https://data.example.go.id/</loc><lastmod>2024-03-15</lastmod>"
        "<xhtml:link rel=\"alternate\" hreflang=\"id\" href=\"https://data.example.go.id/\"/>"
        "<xhtml:link rel=\"alternate\" hreflang=\"en\" href=\"https://data.example.go.id/en/\"/>"
        "<xhtml:link rel=\"alternate\" hreflang=\"x-default\" href=\"https://data.example.go.id/\"/></url>\n"
        "<url><loc>https://data.example.go.id/katalog/kumuh.html</loc><lastmod>2024-03-15</lastmod></url>\n"
        "<url><loc>https://data.example.go.id/data/kumuh/2024-03-15/kumuh.csv</loc><lastmod>2024-03-15</"
        "lastmod></url>\n"
        "</urlset>\n");
    free(text);
    site_release(&p);
}

/* More than 50,000 addresses: files of that many, and an index. */
static void test_large_sitemap(void **state)
{
    struct site p;
    site_init(&p, "https://data.example.go.id/");
    json_t *one = json_loads(entry, 0, NULL),
           *files = json_object_get(json_array_get(json_object_get(one, "resources"), 0), "files");
    for (int i = 1; i < 50001; i++)
        json_array_append(files, json_array_get(files, 0));
    json_t *entries = json_pack("[o]", one);
    const struct odp_site_job job = {
        .stage = p.stage, .catalog = &p.fx.catalog, .entries = entries, .diags = p.diags};
    const char *build;
    assert_int_equal(odp_metadata_sitemap(&job), ODP_OK);
    json_decref(entries);
    assert_int_equal(odp_stage_manifest(p.stage, &p.fx.catalog), ODP_OK);
    assert_int_equal(odp_stage_switch(p.stage, 1, &p.arena, &build), ODP_OK);
    char *text = take(&p, "sitemap.xml");
    assert_has(text, "<sitemap><loc>https://data.example.go.id/sitemap-1.xml</loc></"
                     "sitemap>\n<sitemap><loc>https://data.example.go.id/"
                     "sitemap-2.xml</loc></sitemap>\n</sitemapindex>");
    free(text);
    static const size_t counts[] = {50000, 1};
    for (size_t i = 0; i < 2; i++) {
        text = take(&p, i == 0 ? "sitemap-1.xml" : "sitemap-2.xml");
        size_t n = 0;
        for (const char *at = text; (at = strstr(at, "<loc>")) != NULL; at++)
            n++;
        assert_int_equal(n, counts[i]);
        free(text);
    }
    site_release(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_well_known),    cmocka_unit_test(test_no_security),
        cmocka_unit_test(test_expired),       cmocka_unit_test(test_feed),
        cmocka_unit_test(test_geometry),      cmocka_unit_test(test_schema_org),
        cmocka_unit_test(test_withdrawn),     cmocka_unit_test(test_sitemap),
        cmocka_unit_test(test_large_sitemap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
