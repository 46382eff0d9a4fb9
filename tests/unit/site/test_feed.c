/* feed.xml: exact for a small catalogue, and nothing from a catalogue becomes markup (pages:
 * tests/e2e/portal_home.py). Texts of documents. */
#include "emit_fixture.h"

#include <jansson.h>

#include "base/html.h"
#include "site/metadata/metadata.h"
#include "site/versions/release.h"

struct site {
    struct fixture fx;
    char out[512];
    struct odp_diags *diags;
    struct odp_stage *stage;
    struct odp_arena arena;
};

static void site_init(struct site *p)
{
    memset(p, 0, sizeof *p);
    fx_init(&p->fx);
    fx_path(&p->fx, "site", p->out);
    odp_arena_init(&p->arena);
    assert_int_equal(odp_diags_new(&p->diags, 10), ODP_OK);
    assert_int_equal(odp_stage_open(&p->stage, p->out, p->diags), ODP_OK);
    p->fx.catalog.portal.base_url = "https://data.example.go.id/";
    p->fx.catalog.portal.time_zone = "Asia/Jakarta";
    p->fx.catalog.portal.title = (struct odp_text){{"Portal data", "Data portal"}};
    p->fx.catalog.portal.publisher = (struct odp_text){{"Kementerian", "Ministry"}};
}

static void site_release(struct site *p)
{
    odp_stage_close(p->stage);
    odp_diags_free(p->diags);
    odp_arena_release(&p->arena);
    fx_release(&p->fx);
}

/* Makes the files of ENTRIES, switches the site in, and reads PATH of it; to be freed. */
static char *publish(struct site *p, const char *entries, const char *path)
{
    const char *build;
    char full[300];
    json_t *list = json_loads(entries, 0, NULL);
    assert_non_null(list);
    const struct odp_site_job job = {
        .stage = p->stage, .catalog = &p->fx.catalog, .entries = list, .diags = p->diags};
    if (odp_metadata_documents(&job) != ODP_OK)
        fail_msg("%s", odp_failure_text());
    json_decref(list);
    assert_int_equal(odp_stage_manifest(p->stage, &p->fx.catalog), ODP_OK);
    assert_int_equal(odp_stage_switch(p->stage, 1, &p->arena, &build), ODP_OK);
    (void)snprintf(full, sizeof full, "site/%s", path);
    return fx_read(&p->fx, full, NULL);
}

static void set_releases(struct site *p, struct odp_release *releases, size_t n)
{
    p->fx.catalog.releases = releases;
    p->fx.catalog.nreleases = n;
}

static void test_text(void **state)
{
    static const struct {
        const char *text, *html;
    } cases[] = {{"a", "a"},
                 {"", ""},
                 {NULL, ""},
                 {"<b>&\"'</b>", "&lt;b&gt;&amp;&quot;&#39;&lt;/b&gt;"},
                 {"&amp;", "&amp;amp;"},
                 {"a\tb\nc", "a\tb\nc"},
                 {"a\x01\x1f\x7f\r"
                  "b",
                  "a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"
                  "b"},
                 {"é—\xf0\x9f\x8c\x8a", "é—\xf0\x9f\x8c\x8a"},
                 {"\xef\xbf\xbe\xef\xbf\xbf\xef\xbf\xbd\xef\xbe\xbe",
                  "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbe\xbe"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct odp_buffer b;
        odp_buffer_init(&b);
        odp_html_text(&b, cases[i].text);
        assert_string_equal(odp_buffer_cstr(&b), cases[i].html);
        odp_buffer_release(&b);
    }
}

static void test_dates(void **state)
{
    static const struct {
        const char *date, *id, *en;
    } cases[] = {{"2024-03-05", "<time datetime=\"2024-03-05\">5 Maret 2024</time>",
                  "<time datetime=\"2024-03-05\">5 March 2024</time>"},
                 {"2024-12-31T23:00:00+07:00",
                  "<time datetime=\"2024-12-31T23:00:00+07:00\">31 Desember 2024</time>",
                  "<time datetime=\"2024-12-31T23:00:00+07:00\">31 December 2024</time>"},
                 {"2024-02-30", "2024-02-30", "2024-02-30"},
                 {"<", "&lt;", "&lt;"},
                 {NULL, "", ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct odp_buffer b;
        odp_buffer_init(&b);
        odp_html_date(&b, cases[i].date, ODP_LANG_ID);
        assert_string_equal(odp_buffer_cstr(&b), cases[i].id);
        odp_buffer_clear(&b);
        odp_html_date(&b, cases[i].date, ODP_LANG_EN);
        assert_string_equal(odp_buffer_cstr(&b), cases[i].en);
        odp_buffer_release(&b);
    }
}

#define ENTRY                                                                                                \
    "{\"slug\":\"kumuh\",\"title\":{\"id\":\"Peta\",\"en\":\"Map\"},\"description\":{\"id\":\"Uraian\","     \
    "\"en\":\"Text\"},"                                                                                      \
    "\"version\":\"2024-03-15\",\"last_update\":\"2024-03-15\",\"state\":\"active\",\"download\":{\"CSV\":"  \
    "\"../data/kumuh/2024-03-15/kumuh.csv\"}}"

static void test_feed(void **state)
{
    struct site p;
    site_init(&p);
    struct odp_text changes[] = {{{"Baru & lain", "New & other"}}};
    struct odp_release releases[] = {
        {.version = "2.5.0", .date = "2024-03-15", .changes = changes, .nchanges = 1}};
    set_releases(&p, releases, 1);
    char *feed = publish(&p, "[" ENTRY "]", "feed.xml");
    assert_string_equal(
        feed,
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\" "
        "xml:lang=\"id\">\n"
        "<id>https://data.example.go.id/feed.xml</id>\n<title>Portal data / Data portal</title>\n"
        "<updated>2024-03-15T00:00:00+07:00</updated>\n"
        "<link rel=\"self\" type=\"application/atom+xml\" href=\"https://data.example.go.id/feed.xml\"/>\n"
        "<link rel=\"alternate\" type=\"text/html\" href=\"https://data.example.go.id/rilis.html\"/>\n"
        "<author><name>Kementerian / Ministry</name></author>\n"
        "<entry>\n<id>https://data.example.go.id/rilis.html#rilis-2.5.0</id>\n<title>Rilis API 2.5.0 / API "
        "release "
        "2.5.0</title>\n"
        "<link rel=\"alternate\" type=\"text/html\" "
        "href=\"https://data.example.go.id/rilis.html#rilis-2.5.0\"/>\n"
        "<category term=\"release\"/>\n"
        "<content type=\"html\">&lt;ul lang=&quot;id&quot;&gt;&lt;li&gt;Baru &amp;amp; "
        "lain&lt;/li&gt;&lt;/ul&gt;"
        "&lt;ul lang=&quot;en&quot;&gt;&lt;li&gt;New &amp;amp; other&lt;/li&gt;&lt;/ul&gt;</content>\n"
        "<updated>2024-03-15T00:00:00+07:00</updated>\n</entry>\n"
        "<entry>\n<id>https://data.example.go.id/data/kumuh/2024-03-15/</id>\n<title>Peta / Map: "
        "2024-03-15</title>\n"
        "<link rel=\"alternate\" type=\"text/html\" href=\"https://data.example.go.id/rilis.html#versi\"/>\n"
        "<link rel=\"enclosure\" title=\"CSV\" "
        "href=\"https://data.example.go.id/data/kumuh/2024-03-15/kumuh.csv\"/>\n"
        "<category term=\"dataset\"/>\n<category term=\"version\"/>\n<category "
        "term=\"kumuh\"/>\n<summary>Uraian / Text</summary>\n"
        "<updated>2024-03-15T00:00:00+07:00</updated>\n</entry>\n</feed>\n");
    free(feed);
    site_release(&p);
}

static void stage(struct site *p, const char *path, const char *text)
{
    assert_int_equal(odp_stage_put(p->stage, path, "application/json", ODP_CLASS_PUBLIC, odp_slice_of(text)),
                     ODP_OK);
}

/* What the log tells beside the newest versions: newest first, once, and nothing that is over. A line that
 * nobody can read is left out. */
static void test_feed_of_the_log(void **state)
{
    static const char *const ids[] = {"data/hilang/#removed", "data/kumuh/2024-03-15/#deprecated",
                                      "data/kumuh/2024-03-15/</id>", "data/kumuh/2023-09-15.1/</id>",
                                      "data/kumuh/2023-09-15/#withdrawn"};
    static const char *const others[] = {"data/hilang/2023", "data/kumuh/2023-09-15/</id>", "2022-01-01",
                                         "data/kumuh/#", "lain"};
    struct site p;
    site_init(&p);
    set_releases(&p, NULL, 0);
    stage(&p, "releases.log",
          "{\"date\":\"2022-01-01\",\"changes\":[{\"dataset\":\"kumuh\",\"version\":\"2022-01-01\",\"what\":"
          "\"published\"}]}\n"
          "{\"date\":\"2023-09-15\",\"changes\":[{\"dataset\":\"kumuh\",\"version\":\"2023-09-15\",\"what\":"
          "\"published\"},"
          "{\"dataset\":\"hilang\",\"version\":\"2023-01-01\",\"what\":\"published\"},{\"dataset\":\"lain\","
          "\"what\":\"lost\"}]}\n"
          "{\"date\":\"2023-09-15\",\"changes\":[{\"dataset\":\"kumuh\",\"version\":\"2023-09-15.1\","
          "\"what\":\"corrected\"},"
          "{\"dataset\":\"kumuh\",\"version\":\"2023-09-15\",\"what\":\"withdrawn\",\"reason\":\"error\"},"
          "{\"dataset\":\"kumuh\",\"version\":\"2022-01-01\",\"what\":\"thinned\"}]}\n"
          "bukan JSON\n"
          "{\"date\":\"2024-01-01\",\"changes\":[{\"dataset\":\"kumuh\",\"what\":\"withdrawn\"},{\"dataset\":"
          "\"kumuh\",\"what\":\"removed\"}]}\n"
          "{\"date\":\"2024-03-15\",\"changes\":[{\"dataset\":\"kumuh\",\"version\":\"2024-03-15\",\"what\":"
          "\"published\"},"
          "{\"dataset\":\"kumuh\",\"version\":\"2024-03-15\",\"what\":\"deprecated\"},{\"dataset\":"
          "\"hilang\",\"what\":\"removed\"}]}\n");
    stage(
        &p, "data/kumuh/versions.json",
        "{\"data\":[{\"version\":\"2024-03-15\",\"date\":\"2024-03-15\",\"state\":\"published\","
        "\"resources\":[{\"changes\":{\"from\":\"2023-09-15.1\","
        "\"added\":3,\"removed\":0,\"changed\":1}},{\"name\":\"jadwal\",\"changes\":{\"from\":\"2023-09-15."
        "1\",\"added\":1,\"removed\":2,\"changed\":0}}]},"
        "{\"version\":\"2023-09-15.1\",\"date\":\"2023-09-15\",\"state\":\"published\",\"correction\":{"
        "\"id\":\"Salah\",\"en\":\"Wrong\"},"
        "\"resources\":[{\"files\":[{\"format\":\"CSV\",\"url\":\"../../data/kumuh/2023-09-15.1/kumuh.csv\"},"
        "{\"format\":\"CSV\",\"url\":\"../../data/kumuh/2023-09-15.1/kumuh.excel.csv\"}]}]},"
        "{\"version\":\"2023-09-15\",\"date\":\"2023-09-15\",\"state\":\"withdrawn\",\"note\":{\"id\":"
        "\"Catatan\",\"en\":\"Note\"}},"
        "{\"version\":\"2022-01-01\",\"date\":\"2022-01-01\",\"state\":\"thinned\"}]}");
    char *feed = publish(&p,
                         "[{\"slug\":\"kumuh\",\"title\":{\"id\":\"Peta\",\"en\":\"Map\"},\"version\":\"2024-"
                         "03-15\",\"last_update\":\"2024-03-15\","
                         "\"state\":\"deprecated\",\"odp:sunset\":\"2025-01-01\",\"odp:replacedBy\":null}]",
                         "feed.xml");
    const char *at = feed;
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        at = strstr(feed, ids[i]);
        if (at == NULL || strstr(at + 1, ids[i]) != NULL)
            fail_msg("%s is not there, or twice:\n%s", ids[i], feed);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strstr(feed, others[i]) != NULL)
            fail_msg("%s is there:\n%s", others[i], feed);
    assert_non_null(strstr(feed, "<summary>3 rekaman baru, 0 dihapus, 1 berubah; jadwal: 1 rekaman baru, 2 "
                                 "dihapus, 0 berubah sejak 2023-09-15.1. / "
                                 "3 records added, 0 removed, 1 changed; jadwal: 1 records added, 2 removed, "
                                 "0 changed since 2023-09-15.1.</summary>"));
    assert_non_null(strstr(feed, "<title>Peta / Map: 2023-09-15.1 (koreksi / correction)</title>"));
    assert_non_null(strstr(feed, "<link rel=\"enclosure\" title=\"CSV\" "
                                 "href=\"https://data.example.go.id/data/kumuh/2023-09-15.1/kumuh.csv\"/>"));
    assert_null(strstr(feed, "excel"));
    assert_non_null(strstr(feed, "<summary>Alasan: error. Catatan / Reason: error. Note</summary>"));
    assert_non_null(strstr(
        feed,
        "<summary>Paling cepat dihapus 2025-01-01. / Removed on 2025-01-01 at the earliest.</summary>"));
    assert_non_null(
        strstr(feed, "<title>hilang: tidak ada lagi dalam katalog / no longer in the catalogue</title>"));
    free(feed);
    site_release(&p);
}

/* By instant: a timestamp's offset counts, and a date is its midnight in the portal's zone. */
static void test_order_of_the_feed(void **state)
{
    struct site p;
    site_init(&p);
    struct odp_release releases[] = {{.version = "2.0.0", .date = "2024-03-16"},
                                     {.version = "1.0.0", .date = "2023-01-01"}};
    set_releases(&p, releases, 2);
    char *feed = publish(&p,
                         "[{\"slug\":\"a\",\"version\":\"1\",\"last_update\":\"2024-03-15T18:00:00Z\"},"
                         "{\"slug\":\"b\",\"version\":\"2\",\"last_update\":\"2024-03-16T00:30:00+07:00\"},"
                         "{\"slug\":\"c\",\"version\":\"3\",\"last_update\":\"2024-03-16\"},"
                         "{\"slug\":\"d\",\"version\":\"4\",\"last_update\":\"bukan tanggal\"}]",
                         "feed.xml");
    static const char *const ids[] = {"data/a/1/", "data/b/2/", "#rilis-2.0.0</id>", "data/c/3/",
                                      "#rilis-1.0.0</id>"};
    const char *at = feed;
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        at = strstr(at, ids[i]);
        if (at == NULL)
            fail_msg("%s is not in its place:\n%s", ids[i], feed);
    }
    assert_null(strstr(feed, "data/d/"));
    free(feed);
    site_release(&p);
}

static void test_empty_portal(void **state)
{
    struct site p;
    site_init(&p);
    set_releases(&p, NULL, 0);
    char *feed = publish(&p, "[]", "feed.xml");
    assert_non_null(strstr(feed, "<updated>1970-01-01T00:00:00Z</updated>"));
    assert_null(strstr(feed, "<entry>"));
    free(feed);
    site_release(&p);
}

/* The same hostile text wherever text can stand: no feed has a tag, attribute or entity more than with plain
 * text. */
static void test_hostile_texts(void **state)
{
    static const char hostile[] = "\\\"><script>alert(1)</script><!--'&#x41;]]>\\u0001";
    size_t tags[2];
    for (int round = 0; round < 2; round++) {
        struct site p;
        char entries[4096];
        const char *evil = round == 0 ? "x" : hostile,
                   *plain = round == 0 ? "x" : "\"><script>alert(1)</script><!--'&#x41;]]>\x01";
        struct odp_text text = {{plain, plain}};
        struct odp_release releases[] = {
            {.version = "1.0.0", .date = "2024-03-15", .changes = &text, .nchanges = 1}};
        site_init(&p);
        set_releases(&p, releases, 1);
        p.fx.catalog.portal.title = p.fx.catalog.portal.publisher = text;
        (void)snprintf(
            entries, sizeof entries,
            "[{\"slug\":\"b\",\"title\":{\"id\":\"%s\",\"en\":\"%s "
            "y\"},\"description\":{\"id\":\"%s\",\"en\":\"%s\"},\"version\":\"%s\","
            "\"last_update\":\"2024-03-15\",\"state\":\"deprecated\",\"odp:sunset\":\"%s\",\"odp:"
            "replacedBy\":\"%s\","
            "\"download\":{\"%s\":\"../"
            "%s\"},\"deprecated_fields\":[{\"field\":\"%s\",\"sunset\":\"%s\",\"replacedBy\":\"%s\"}],"
            "\"resources\":[{\"name\":\"%s\",\"odp:sunset\":\"%s\"}],\"odp:formerSlugs\":[{\"slug\":\"%s\","
            "\"sunset\":\"%s\"}]}"
            "]",
            evil, evil, evil, evil, evil, evil, evil, evil, evil, evil, evil, evil, evil, evil, evil, evil);
        char log[2048], versions[1024];
        (void)snprintf(log, sizeof log,
                       "{\"date\":\"2024-03-15\",\"changes\":[{\"dataset\":\"a\",\"version\":\"%s\",\"what\":"
                       "\"withdrawn\",\"reason\":\"%s\"},"
                       "{\"dataset\":\"a%s\",\"what\":\"removed\"},{\"dataset\":\"a%s\",\"version\":\"%s\","
                       "\"what\":\"deprecated\"},"
                       "{\"dataset\":\"a\",\"version\":\"1%s\",\"what\":\"corrected\"}]}\n",
                       evil, evil, evil, evil, evil, evil);
        (void)snprintf(
            versions, sizeof versions,
            "{\"data\":[{\"version\":\"1%s\",\"state\":\"published\",\"date\":\"2024-01-01\",\"correction\":{"
            "\"id\":\"%s\",\"en\":\"%s\"},\"resources\":[{"
            "\"changes\":{\"from\":\"%s\",\"added\":1},\"files\":[{\"format\":\"%s\",\"url\":\"../../"
            "%s\"}]}]},"
            "{\"version\":\"%s\",\"state\":\"withdrawn\",\"note\":{\"id\":\"%s\",\"en\":\"%s y\"}}]}",
            evil, evil, evil, evil, evil, evil, evil, evil, evil);
        stage(&p, "releases.log", log);
        stage(&p, "data/a/versions.json", versions);
        char *feed = publish(&p, entries, "feed.xml");
        tags[round] = 0;
        for (const char *c = feed; *c != '\0'; c++)
            tags[round] += *c == '<' || *c == '"';
        assert_null(strstr(feed, "<script"));
        assert_null(strstr(feed, "&#x41;"));
        assert_null(strchr(feed, '\x01'));
        free(feed);
        site_release(&p);
    }
    assert_int_equal(tags[0], tags[1]);
}

static void test_members(void **state)
{
    char day[11];
    json_t *o = json_pack("{s:s, s:{s:s, s:s}, s:{s:s}, s:i, s:[s]}", "plain", "x", "both", "id", "satu",
                          "en", "one", "half", "id", "dua", "number", 3, "list", "x");
    static const struct {
        const char *key, *text, *id, *en;
    } cases[] = {{"plain", "x", "x", "x"},
                 {"number", "", "", ""},
                 {"none", "", "", ""},
                 {"both", "", "satu", "one"},
                 {"half", "", "dua", "dua"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(odp_text_of(o, cases[i].key), cases[i].text);
        assert_string_equal(odp_model_in(o, cases[i].key, ODP_LANG_ID), cases[i].id);
        assert_string_equal(odp_model_in(o, cases[i].key, ODP_LANG_EN), cases[i].en);
    }
    assert_string_equal(odp_text_of(NULL, "plain"), "");
    assert_true(odp_model_has(json_object_get(o, "list"), "x"));
    assert_false(odp_model_has(NULL, "x"));
    assert_string_equal(odp_model_path("../../data/a"), "data/a");
    assert_string_equal(odp_model_day("2024-03-05T07:00:00+07:00", day), "2024-03-05");
    assert_string_equal(odp_model_day("2024-02-30", day), "");
    json_decref(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_text),
                                       cmocka_unit_test(test_dates),
                                       cmocka_unit_test(test_feed),
                                       cmocka_unit_test(test_feed_of_the_log),
                                       cmocka_unit_test(test_order_of_the_feed),
                                       cmocka_unit_test(test_empty_portal),
                                       cmocka_unit_test(test_hostile_texts),
                                       cmocka_unit_test(test_members)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
