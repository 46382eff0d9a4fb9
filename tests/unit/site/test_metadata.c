/* Documents for machines of a small site: exact where that is short, and nothing from a catalogue becomes
 * markup; tests/e2e/metadata.py looks at the whole example catalogue. */
#include "site_fixture.h"

#include "catalog/security.h"
#include "site/metadata/metadata.h"

#define BASE "https://data.example.go.id/"

static void begin(struct site *s, const char *base)
{
    site_init(s);
    site_open(s);
    s->fx.catalog.portal.json = site_json(s, "{'contact':{'email':'data@example.go.id'},'subjects':[{'name':'"
                                             "kumuh','title':'Kumuh','theme':'SOCI'}]}");
    s->fx.catalog.portal.base_url = base;
    s->fx.catalog.portal.title = (struct odp_text){{"Portal <data> & peta Kementerian", "Data portal"}};
}

/* Makes everything of ENTRIES and switches the site in. */
static void publish(struct site *s, const char *entries)
{
    const struct odp_site_job job = site_job(s, entries);
    struct odp_metadata *m;
    must(odp_metadata_open(&m, &job));
    must(odp_metadata_documents(m));
    must(odp_metadata_sitemap(m));
    odp_metadata_close(m);
    (void)site_switch(s, 1);
}

#define ENTRY(geometry, files)                                                                               \
    "{'slug':'kumuh','title':{'id':'Peta <kumuh>','en':'Slum \\\"map\\\" & more'},"                          \
    "'description':{'id':'Batas.','en':'Borders.'},'formats':['GeoJSON','CSV'],'last_update':'2024-03-15',"  \
    "'version':'2024-03-15','frequency':'ANNUAL_2','state':'active','rows':1204,"                            \
    "'bbox':[103.464874,-7.4324705,107.9359475,-2.4689452],'license':{'name':'CC-BY-4.0',"                   \
    "'path':'https://creativecommons.org/licenses/by/4.0/'},"                                                \
    "'producer':{'id':'Direktorat','en':'Directorate'},'subjects':['kumuh'],'keywords':['kota'],"            \
    "'resources':[{'name':'kumuh','package_name':'kumuh','title':{'id':'Peta','en':'Map'},"                  \
    "'schema':'../data/kumuh/2024-03-15/schema.json','geometry':" geometry ",'rows':1204,'files':[" files    \
    "]}]}"
#define FILE_CSV                                                                                             \
    "{'format':'CSV','name':'csv','url':'../data/kumuh/2024-03-15/kumuh.csv',"                               \
    "'media_type':'text/csv; charset=utf-8','bytes':212686,"                                                 \
    "'hash':'sha256:7eacc60a22aeac566c9d6961970cfc5a7c62e45773360e36e87431b92d4cbffb'}"
static const char entry[] = ENTRY("true", FILE_CSV), entries[] = "[" ENTRY("true", FILE_CSV) "]";

static void put_dataset(struct site *s)
{
    site_put(s, "data/kumuh/latest/schema.json",
             "{'fields':[{'name':'kode','type':'string','odp:title':{'id':'Kode','en':'Code'},'odp:unit':{'"
             "id':'hektare','en':'hectares'}}],'primaryKey':['kode'],'odp:geometry':{'types':['Polygon'],'"
             "sourceCrs':'EPSG:32748','crsOperation':'Inverse of UTM zone 48S'}}");
    site_put(s, "data/kumuh/versions.json",
             "{'data':[{'version':'2024-03-15','date':'2024-03-15','state':'published','rows':1204,'"
             "correction':{'id':'Salah "
             "hitung.','en':'Miscounted.'},'resources':[{'changes':{'from':'2023-09-15','added':12,'removed':"
             "3,'changed':41}}]},{'version':'2023-12-01','date':'2023-12-01','state':'thinned','stands_in':'"
             "2024-03-15'},{'version':'2023-10-01','date':'2023-10-01','state':'withdrawn','reason':'privacy'"
             ",'note':{'id':'Nama "
             "orang.','en':'Names.'}},{'version':'2023-09-15','date':'2023-09-15','state':'published','rows':"
             "1195}]}");
    site_put(s, "v1/ogc/collections/kumuh.json",
             "{'extent':{'temporal':{'interval':[['2014-01-01T00:00:00Z',null]]}}}");
}

TEST(well_known)
{
    struct site s;
    begin(&s, "https://example.go.id/data/");
    s.fx.catalog.portal.security_expires = "2025-01-31";
    s.fx.catalog.portal.json =
        site_json(&s, "{'security':{'contact':'mailto:a@example.go.id','policy':'https://example.go.id/p'}}");
    publish(&s, "[]");
    assert_string_equal(
        site_read(&s, "robots.txt"),
        "User-agent: *\nDisallow: /data/service/\n\nSitemap: https://example.go.id/data/sitemap.xml\n");
    assert_string_equal(
        site_read(&s, ".well-known/security.txt"),
        "Contact: mailto:a@example.go.id\nExpires: 2025-01-31T00:00:00+07:00\nPreferred-Languages: id, en\n"
        "Canonical: https://example.go.id/data/.well-known/security.txt\nPolicy: https://example.go.id/p\n");
    EXPECT(site_read(&s, "opensearch.xml"),
           "<ShortName>Portal &lt;data&gt; &amp;</ShortName>", /* 16 characters at most, whole words */
           "template=\"https://example.go.id/data/index.html?q={searchTerms}\"");
    expect_json(&s, site_document(&s, ".well-known/api-catalog"), "linkset|0|anchor",
                "'https://example.go.id/data/.well-known/api-catalog'");
    site_release(&s);
    begin(&s, BASE);
    publish(&s, "[]");
    assert_false(site_has(&s, ".well-known/security.txt"));
    site_release(&s);
}

/* Reported from the day it expires on, in the portal's zone; not a day before. */
TEST(expired)
{
    static const struct {
        const char *expires, *today;
        enum odp_status status;
    } cases[] = {
        {"2025-01-31", "2025-01-30", ODP_OK},
        {"2025-01-31", "2025-01-31", ODP_BAD},
        {"2025-01-31T00:00:01+07:00", "2025-01-31", ODP_OK},
        {"2025-01-30T17:00:00Z", "2025-01-31", ODP_BAD}, /* 00:00 in Jakarta */
        {NULL, "2025-01-31", ODP_OK},
    };
    for (size_t i = 0; i < ODP_COUNT(cases); i++) {
        struct site s;
        begin(&s, BASE);
        s.fx.catalog.dir = "catalog";
        s.fx.catalog.portal.security_expires = cases[i].expires;
        assert_int_equal(odp_security_check(&s.fx.catalog, cases[i].today, s.diags), cases[i].status);
        assert_int_equal(odp_diags_code_count(s.diags, ODP_C28), cases[i].status == ODP_BAD);
        site_release(&s);
    }
}

TEST(dataset)
{
    struct site s;
    begin(&s, BASE);
    put_dataset(&s);
    publish(&s, entries);
    EXPECT(site_read(&s, "katalog/kumuh.xml"),
           "<title>Peta &lt;kumuh&gt; / Slum &quot;map&quot; &amp; more</title>",
           "<id>" BASE "data/kumuh/2024-03-15/</id>", "(koreksi / correction)</title>",
           "<summary>Salah hitung. 1204 rekaman. 12 rekaman baru, 3 dihapus, 41 berubah sejak 2023-09-15. / "
           "Miscounted. 1204 records. 12 records added, 3 removed, 41 changed since 2023-09-15.</summary>",
           "<id>" BASE "data/kumuh/2023-10-01/#withdrawn</id>",
           "Ditarik. Alasan: privacy. Nama orang. / Withdrawn. Reason: privacy. Names.",
           "<updated>2023-09-15T00:00:00+07:00</updated>", "!", "2023-12-01" /* thinned: no news */);
    EXPECT(site_read(&s, "katalog/kumuh/iso19139.xml"),
           "<gco:CharacterString>Peta &lt;kumuh&gt;</gco:CharacterString>",
           "<gmd:westBoundLongitude><gco:Decimal>103.464874</gco:Decimal>",
           "<gmd:northBoundLatitude><gco:Decimal>-2.4689452</gco:Decimal>", "codeListValue=\"biannually\"",
           "codeListValue=\"surface\"",
           "Koordinat sumber: EPSG:32748; diubah ke WGS 84 dengan Inverse of UTM zone 48S.");
    site_release(&s);
    begin(&s, BASE);
    publish(&s,
            "[" ENTRY("false", FILE_CSV) "]"); /* nothing of it is staged: it has documents all the same */
    assert_false(site_has(&s, "katalog/kumuh/iso19139.xml"));
    assert_true(site_has(&s, "katalog/kumuh/ms-keg.xlsx"));
    assert_true(site_has(&s, "katalog/kumuh/ms-var.xlsx"));
    assert_false(site_has(&s, "katalog/kumuh/ms-ind.xlsx"));
    site_release(&s);
}

/* schema.org's object of the first of ENTRIES. */
static json_t *schema_org(struct site *s, const char *text, enum odp_lang lang)
{
    const struct odp_site_job job = site_job(s, text);
    struct odp_metadata *m;
    json_t *document;
    must(odp_metadata_open(&m, &job));
    must(odp_model_dataset(&job, json_array_get(job.entries, 0), &document));
    json_t *o = odp_metadata_schema_org(m, document, lang, BASE "en/catalog/kumuh.html");
    assert_non_null(o);
    json_decref(document);
    document = odp_metadata_schema_org_catalog(m, lang, BASE);
    expect_json(s, document, "dataset|0|url",
                lang == ODP_LANG_ID ? "'" BASE "katalog/kumuh.html'" : "'" BASE "en/catalog/kumuh.html'");
    json_decref(document);
    odp_metadata_close(m);
    json_array_append_new(s->held, o);
    return o;
}

TEST(schema_org)
{
    static const struct {
        const char *path, *json;
    } rows[] = {
        {"name", "'Slum \\\"map\\\" & more'"},
        /* A description of less than 50 characters is continued. */
        {"description",
         "'Borders. Slum \\\"map\\\" & more: open data of the Ministry, 1204 records, updated 2024-03-15.'"},
        {"temporalCoverage", "'2014-01-01/..'"},
        {"spatialCoverage|geo|box", "'-7.4324705 103.464874 -2.4689452 107.9359475'"},
        {"variableMeasured|0|unitText", "'hectares'"},
        {"distribution|0|contentUrl", "'" BASE "data/kumuh/2024-03-15/kumuh.csv'"},
        {"distribution|0|contentSize", "'212686 B'"},
    };
    struct site s;
    begin(&s, BASE);
    put_dataset(&s);
    json_t *o = schema_org(&s, entries, ODP_LANG_EN);
    for (size_t i = 0; i < ODP_COUNT(rows); i++)
        expect_json(&s, o, rows[i].path, rows[i].json);
    site_release(&s);
}

/* The newest version was withdrawn and no other has taken its place: the entry has neither version nor date
 * nor files. */
TEST(withdrawn)
{
    static const char *const unknown[] = {"version", "last_update", "rows"};
    struct site s;
    begin(&s, BASE);
    site_put(
        &s, "data/kumuh/versions.json",
        "{'data':[{'version':'2024-03-15','date':'2024-03-15','state':'withdrawn','reason':'privacy'}]}");
    json_t *one = site_json(&s, entry);
    for (size_t i = 0; i < ODP_COUNT(unknown); i++)
        json_object_set_new(one, unknown[i], json_null());
    json_object_del(one, "bbox");
    json_object_set(one, "resources",
                    site_json(&s, "[{'name':'kumuh','package_name':'kumuh','download':{},'files':[]}]"));
    char *text = json_dumps(one, 0);
    const char *list = odp_arena_printf(&s.arena, "[%s]", text);
    free(text);
    json_t *o = schema_org(&s, list, ODP_LANG_ID);
    expect_json(&s, o, "version", NULL);
    expect_json(&s, o, "dateModified", NULL);
    expect_json(&s, o, "description", "'Batas. Peta <kumuh>: data terbuka dari Kementerian.'");
    publish(&s, list);
    EXPECT(site_read(&s, "dcat.jsonld"), "\"dct:hasVersion\": []", "!", "dcat:version");
    EXPECT(site_read(&s, "katalog/kumuh.xml"), "(ditarik / withdrawn)");
    const char *png = site_read(&s, "gambar/kumuh.png"); /* its licence comes after its header */
    assert_memory_equal(png + 1, "PNG", 3);
    assert_memory_equal(png + 37, "iTXtTitle", 9);
    site_release(&s);
}

TEST(sitemap)
{
    static const char *const pages[] = {
        "index.html", "en/index.html",   "katalog/kumuh.html",
        "404.html",   "kunci-saya.html", "data/kumuh/2024-03-15/changes.html",
    };
#define LANGUAGES                                                                                            \
    "<xhtml:link rel=\"alternate\" hreflang=\"id\" href=\"" BASE "\"/>"                                      \
    "<xhtml:link rel=\"alternate\" hreflang=\"en\" href=\"" BASE "en/\"/>"                                   \
    "<xhtml:link rel=\"alternate\" hreflang=\"x-default\" href=\"" BASE "\"/>"
#define URL(path, more) "<url><loc>" BASE path "</loc><lastmod>2024-03-15</lastmod>" more "</url>\n"
    struct site s;
    begin(&s, BASE);
    for (size_t i = 0; i < ODP_COUNT(pages); i++)
        site_put_as(&s, pages[i], "text/html; charset=utf-8", ODP_CLASS_PUBLIC, "<p>");
    publish(&s, entries);
    assert_string_equal(site_read(&s, "sitemap.xml"),
                        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
                        "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" "
                        "xmlns:xhtml=\"http://www.w3.org/1999/xhtml\">\n" URL("en/", LANGUAGES)
                            URL("", LANGUAGES) URL("katalog/kumuh.html", "")
                                URL("data/kumuh/2024-03-15/kumuh.csv", "") "</urlset>\n");
    site_release(&s);
}

/* More than 50,000 addresses: files of that many, and an index. */
TEST(large_sitemap)
{
    struct site s;
    begin(&s, BASE);
    const struct odp_site_job job = site_job(&s, entries);
    json_t *files = json_object_get(
        json_array_get(json_object_get(json_array_get(job.entries, 0), "resources"), 0), "files");
    for (int i = 1; i < 50001; i++)
        json_array_append(files, json_array_get(files, 0));
    struct odp_metadata *m;
    must(odp_metadata_open(&m, &job));
    must(odp_metadata_sitemap(m));
    odp_metadata_close(m);
    (void)site_switch(&s, 1);
    EXPECT(site_read(&s, "sitemap.xml"),
           "<sitemap><loc>" BASE "sitemap-1.xml</loc></sitemap>\n<sitemap><loc>" BASE
           "sitemap-2.xml</loc></sitemap>\n</sitemapindex>");
    assert_int_equal(times_in(site_read(&s, "sitemap-1.xml"), "<loc>"), 50000);
    assert_int_equal(times_in(site_read(&s, "sitemap-2.xml"), "<loc>"), 1);
    site_release(&s);
}
