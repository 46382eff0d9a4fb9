/* Requests that need the query engine: addresses with and without parameters, collections, forms of OGC documents, what the
 * service is asked for. */
#include "gateway_control_fixture.h"

#define OGC(name) OPEN("v1/ogc/" name ".en.html") OPEN("v1/ogc/" name ".html") OPEN("v1/ogc/" name ".json")

static const char queries_text[] = HEAD OPEN("data/kumuh/latest/kumuh.excel.csv") OPEN("data/kumuh/latest/kumuh.geojson")
    OPEN("data/kumuh/latest/kumuh.map.geojson") LINE("data/kumuh/latest/kumuh.pdf", "p", "-", "internal", "active")
    OPEN("data/kumuh/latest/kumuh.xlsx") OPEN("data/proyek/latest/proyek-timeline.csv") LINE("v1/air-bersih.json", "r", "-", "keyed", "deprecated") KEYED("v1/air.json")
    KEYED("v1/air/bersih.json") OPEN("v1/events/index.json") OPEN("v1/index.json") KEYED("v1/kumuh.json")
        LINE("v1/kumuh.json.gz", "z", "gzip", "keyed", "active") KEYED("v1/kumuh/v/2024-03-15/p/2.json")
            GONE("v1/lama.json", "keyed") GONE("v1/lama/", "keyed") OPEN("v1/ogc/api.json") OPEN("v1/ogc/collections.html")
                OPEN("v1/ogc/collections.json") LINE("v1/ogc/collections.json.gz", "g", "gzip", "public", "active")
                    OGC("collections/kumuh") OPEN("v1/ogc/collections/kumuh/queryables.json") OGC("conformance") OGC("index")
                        OPEN("v1/ogc/only.html") OPEN("v1/openapi.json") KEYED("v1/proyek.json")
                            KEYED("v1/proyek/timeline.json") LINE("v1/rahasia.json", "i", "-", "internal", "active")
                                MOVED("v1/tua.json", "v1/kumuh.json", "keyed") MOVED("v1/tua/", "v1/kumuh/", "keyed");

#define HTML  "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
#define QUERY ODP_ROUTE_QUERY
#define FILE_ ODP_ROUTE_FILE
#define NONE  ODP_ROUTE_NONE

struct ask_case {
    const char *uri, *query;
    enum odp_route route;
    const char *path; /* of the line */
    bool key;
};

static void check_asks(const struct ask_case *cases, size_t n)
{
    struct odp_control *c = open_site();
    for (size_t i = 0; i < n; i++) {
        char alias[300];
        for (int k = 0; k < 2; k++) { /* under /v1/ and under /api/v1/ */
            struct odp_entry e;
            unsigned vary = 9;
            (void)snprintf(alias, sizeof alias, "%s%s", k > 0 ? "/api" : "", cases[i].uri);
            const struct odp_ask ask = {.uri = odp_slice_of(alias), .query = odp_slice_of(cases[i].query)};
            if (odp_control_ask(c, &ask, &e, &vary) != cases[i].route)
                fail_msg("%s?%s goes elsewhere", alias, cases[i].query);
            if (odp_control_needs_key(ask.uri) != cases[i].key)
                fail_msg("%s: its key", alias);
            if (cases[i].route != NONE && !odp_slice_is(e.path, cases[i].path))
                fail_msg("%s?%s is %.*s", alias, cases[i].query, (int)e.path.len, e.path.ptr);
            if (vary != 0 && strncmp(cases[i].uri, "/v1/ogc", 7) != 0)
                fail_msg("%s varies", alias);
        }
    }
    odp_control_close(c);
}

static void test_queries(void **state)
{
    (void)state;
    static const struct ask_case cases[] = {
        {"/v1/kumuh", "", FILE_, "v1/kumuh.json", true},
        {"/v1/kumuh.json", "", FILE_, "v1/kumuh.json", true},
        {"/v1/kumuh", "a=b", QUERY, "v1/kumuh.json", true},
        {"/v1/kumuh.json", "a", QUERY, "v1/kumuh.json", true},
        {"/v1/kumuh.geojson", "", FILE_, "data/kumuh/latest/kumuh.geojson", true}, /* all records */
        {"/v1/kumuh.geojson", "limit=3", QUERY, "v1/kumuh.json", true},
        {"/v1/kumuh.csv", "", QUERY, "v1/kumuh.json", true}, /* no such file: the engine's first page, which says so */
        {"/v1/kumuh.excel.csv", "", FILE_, "data/kumuh/latest/kumuh.excel.csv", true},
        {"/v1/kumuh.map.geojson", "", NONE, "", true},
        {"/v1/kumuh.pdf", "", NONE, "", true},
        {"/v1/kumuh.csv", "a=b", QUERY, "v1/kumuh.json", true},
        {"/v1/kumuh.html", "", QUERY, "v1/kumuh.json", true},
        {"/v1/kumuh.xlsx", "", FILE_, "data/kumuh/latest/kumuh.xlsx", true},
        {"/v1/kumuh.xlsx", "limit=3", NONE, "", true},
        {"/v1/kumuh.zip", "", NONE, "", true},
        {"/v1/kumuh.CSV", "", NONE, "", true},
        {"/v1/kumuh.csv.csv", "", NONE, "", true},
        {"/v1/.csv", "", NONE, "", true},
        {"/v1/kumuh.json.gz", "a=b", FILE_, "v1/kumuh.json.gz", true},
        {"/v1/kumuh/v/2024-03-15/p/2", "a=b", FILE_, "v1/kumuh/v/2024-03-15/p/2.json", true},
        {"/v1/kumuh/", "a=b", NONE, "", true},
        {"/v1/kumuh/search", "", QUERY, "v1/kumuh.json", true},
        {"/v1/kumuh/search", "a=b", QUERY, "v1/kumuh.json", true},
        {"/v1/kumuh/search.json", "", QUERY, "v1/kumuh.json", true},
        {"/v1/kumuh/search.geojson", "", QUERY, "v1/kumuh.json", true},
        {"/v1/kumuh/search.csv", "", QUERY, "v1/kumuh.json", true},
        {"/v1/kumuh/search.pdf", "", NONE, "", true},
        {"/v1/kumuh/search/", "", NONE, "", true},
        {"/v1/kumuh/search/x", "", NONE, "", true},
        {"/v1/kumuh/searching", "", NONE, "", true},
        {"/v1/kumuh/id/31.71-0001", "", QUERY, "v1/kumuh.json", true},
        {"/v1/kumuh/id/a,b", "f=geojson", QUERY, "v1/kumuh.json", true},
        {"/v1/kumuh/id/a/b", "", QUERY, "v1/kumuh.json", true}, /* a slash that was encoded */
        {"/v1/kumuh/id/..", "", QUERY, "v1/kumuh.json", true},
        {"/v1/kumuh/id/a\\b\n", "", QUERY, "v1/kumuh.json", true},
        {"/v1/kumuh/id/search", "", QUERY, "v1/kumuh.json", true},
        {"/v1/kumuh/id/", "", NONE, "", true},
        {"/v1/kumuh/id", "", NONE, "", true},
        {"/v1/kumuh/id", "a=b", NONE, "", true},
        {"/v1/kumuh/id.json", "", NONE, "", true},
        {"/v1/proyek/timeline", "", FILE_, "v1/proyek/timeline.json", true},
        {"/v1/proyek/timeline", "view=gantt", QUERY, "v1/proyek/timeline.json", true},
        {"/v1/proyek/timeline.json", "view=gantt", QUERY, "v1/proyek/timeline.json", true},
        {"/v1/proyek/timeline.csv", "", FILE_, "data/proyek/latest/proyek-timeline.csv", true},
        {"/v1/proyek/timeline.geojson", "", QUERY, "v1/proyek/timeline.json", true},
        {"/v1/proyek/x/timeline.csv", "", NONE, "", true},
        {"/v1/proyek/timeline/search", "", QUERY, "v1/proyek/timeline.json", true},
        {"/v1/proyek/timeline/search.geojson", "", QUERY, "v1/proyek/timeline.json", true},
        {"/v1/proyek/timeline/id/P-1,2", "", QUERY, "v1/proyek/timeline.json", true},
        {"/v1/proyek/timeline/id/", "", NONE, "", true},
        {"/v1/proyek/search", "", QUERY, "v1/proyek.json", true},
        {"/v1/proyek/other/search", "", NONE, "", true},
        {"/v1/proyek/v/search", "", NONE, "", true},
        {"/v1/proyek/timeline/x/search", "", NONE, "", true},
        {"/v1/air-bersih", "a=b", QUERY, "v1/air-bersih.json", true}, /* deprecated: as before */
        {"/v1/lama", "a=b", FILE_, "v1/lama.json", true},             /* withdrawn */
        {"/v1/lama.csv", "", FILE_, "v1/lama.json", true},
        {"/v1/lama/search", "", FILE_, "v1/lama.json", true},
        {"/v1/lama/id/1", "", FILE_, "v1/lama.json", true},
        {"/v1/lama/timeline/search", "a=b", FILE_, "v1/lama/", true},
        {"/v1/tua", "a=b", FILE_, "v1/tua.json", true}, /* moved */
        {"/v1/tua.geojson", "a=b", FILE_, "v1/tua.json", true},
        {"/v1/tua/search", "a=b", FILE_, "v1/tua.json", true},
        {"/v1/tua/timeline/id/1", "", FILE_, "v1/tua/", true},
        {"/v1/rahasia", "a=b", NONE, "", true},
        {"/v1/rahasia/search", "", NONE, "", true},
        {"/v1/rahasia.csv", "", NONE, "", true},
        {"/v1/nothing", "a=b", NONE, "", true},
        {"/v1/nothing/search", "", NONE, "", true},
        {"/v1/nothing/id/1", "", NONE, "", true},
        {"/v1/../v1/kumuh/search", "", NONE, "", true},
        {"/v1//kumuh/search", "", NONE, "", true},
        {"/v1/id/search", "", NONE, "", true},
        {"/v1/openapi/search", "", NONE, "", true},
        {"/v1/index", "a=b", ODP_ROUTE_OPEN, "v1/index.json", false},
        {"/v1/events", "a=b", ODP_ROUTE_OPEN, "v1/events/index.json", false},
        {"/v1/events/index.json", "f=csv", ODP_ROUTE_OPEN, "v1/events/index.json", false},
        {"/v1/events/search", "", NONE, "", false},
        {"/v1/events/id/1", "", NONE, "", false},
        {"/v1/openapi.json", "a=b", ODP_ROUTE_OPEN, "v1/openapi.json", false},
    };
    check_asks(cases, sizeof cases / sizeof *cases);
    assert_false(odp_control_asks(ODP_LIT("/v1/kumuh"), false));
    assert_true(odp_control_asks(ODP_LIT("/v1/kumuh"), true));
    assert_true(odp_control_asks(ODP_LIT("/api/v1/kumuh"), true));
    assert_false(odp_control_asks(ODP_LIT("/data/kumuh/latest/kumuh.csv"), true));
    assert_true(odp_control_asks(ODP_LIT("/v1/ogc"), false));
    assert_false(odp_control_asks(ODP_LIT("/v1/ogcx"), false));
    assert_false(odp_control_asks(ODP_LIT(""), true));
}

static void test_collections(void **state)
{
    (void)state;
    static const struct ask_case cases[] = {
        {"/v1/ogc/collections/kumuh/items", "", QUERY, "v1/kumuh.json", true},
        {"/v1/ogc/collections/kumuh/items", "limit=1", QUERY, "v1/kumuh.json", true},
        {"/v1/ogc/collections/kumuh/items/31.71", "", QUERY, "v1/kumuh.json", true},
        {"/v1/ogc/collections/kumuh/items/a/b", "", QUERY, "v1/kumuh.json", true},
        {"/v1/ogc/collections/kumuh/items/", "", NONE, "", true},
        {"/v1/ogc/collections/kumuh/itemsx", "", NONE, "", true},
        {"/v1/ogc/collections//items", "", NONE, "", true},
        {"/v1/ogc/collections/proyek-timeline/items", "", QUERY, "v1/proyek/timeline.json", true},
        {"/v1/ogc/collections/proyek/timeline/items", "", NONE, "", false},
        {"/v1/ogc/collections/air-bersih/items", "", QUERY, "v1/air-bersih.json", true}, /* a slug goes before a resource */
        {"/v1/ogc/collections/proyek-/items", "", NONE, "", true},
        {"/v1/ogc/collections/-timeline/items", "", NONE, "", true},
        {"/v1/ogc/collections/proyek-timelin/items", "", NONE, "", true},
        {"/v1/ogc/collections/kumuh-v/items", "", NONE, "", true},
        {"/v1/ogc/collections/rahasia/items", "", NONE, "", true},
        {"/v1/ogc/collections/lama/items", "", FILE_, "v1/lama.json", true},
        {"/v1/ogc/collections/lama-timeline/items", "", FILE_, "v1/lama.json", true},
        {"/v1/ogc/collections/lama", "", ODP_ROUTE_OPEN, "v1/lama.json", false},
        {"/v1/ogc/collections/tua/items/1", "", FILE_, "v1/tua.json", true},
        {"/v1/ogc/collections/tua-timeline", "", ODP_ROUTE_OPEN, "v1/tua.json", false},
        {"/v1/ogc", "", ODP_ROUTE_OPEN, "v1/ogc/index.json", false},
        {"/v1/ogc/", "", ODP_ROUTE_OPEN, "v1/ogc/index.json", false},
        {"/v1/ogc/index", "f=json", ODP_ROUTE_OPEN, "v1/ogc/index.json", false},
        {"/v1/ogc/index.html", "", ODP_ROUTE_OPEN, "v1/ogc/index.html", false},
        {"/v1/ogc/", "f=html", ODP_ROUTE_OPEN, "v1/ogc/index.html", false},
        {"/v1/ogc/conformance", "&f=json&", ODP_ROUTE_OPEN, "v1/ogc/conformance.json", false},
        {"/v1/ogc/conformance.json", "f=html", ODP_ROUTE_OPEN, "v1/ogc/conformance.json", false},
        {"/v1/ogc/conformance.en.html", "", ODP_ROUTE_OPEN, "v1/ogc/conformance.en.html", false},
        {"/v1/ogc/conformance/", "", ODP_ROUTE_OPEN, "v1/ogc/conformance.json", false},
        {"/v1/ogc/conformance", "f=xml", QUERY, "v1/ogc/conformance.json", false},
        {"/v1/ogc/conformance", "f=json&f=json", QUERY, "v1/ogc/conformance.json", false},
        {"/v1/ogc/conformance", "limit=1", QUERY, "v1/ogc/conformance.json", false},
        {"/v1/ogc/conformance", "=", QUERY, "v1/ogc/conformance.json", false},
        {"/v1/ogc/conformance.html", "x", QUERY, "v1/ogc/conformance.html", false},
        {"/v1/ogc/api", "", ODP_ROUTE_OPEN, "v1/ogc/api.json", false},
        {"/v1/ogc/api", "f=html", QUERY, "v1/ogc/api.json", false}, /* there is none */
        {"/v1/ogc/only", "", ODP_ROUTE_OPEN, "v1/ogc/only.html", false},
        {"/v1/ogc/only", "f=json", NONE, "", false},
        {"/v1/ogc/collections", "", ODP_ROUTE_OPEN, "v1/ogc/collections.json", false},
        {"/v1/ogc/collections.json.gz", "", ODP_ROUTE_OPEN, "v1/ogc/collections.json.gz", false},
        {"/v1/ogc/collections/kumuh", "", ODP_ROUTE_OPEN, "v1/ogc/collections/kumuh.json", false},
        {"/v1/ogc/collections/kumuh/queryables", "", ODP_ROUTE_OPEN, "v1/ogc/collections/kumuh/queryables.json", false},
        {"/v1/ogc/collections/proyek", "", NONE, "", false},
        {"/v1/ogc/nothing", "", NONE, "", false},
        {"/v1/ogc/nothing", "x=y", NONE, "", false},
        {"/v1/ogc/../kumuh", "", NONE, "", false},
        {"/v1/ogcx", "", NONE, "", true},
    };
    check_asks(cases, sizeof cases / sizeof *cases);
    char deep[8000] = "/v1/ogc/collections/";
    memset(deep + strlen(deep), '-', sizeof deep - 40);
    strcat(deep, "/items");
    struct odp_control *c = open_site();
    struct odp_entry e;
    assert_int_equal(odp_control_route(c, odp_slice_of(deep), &e), NONE);
    odp_control_close(c);
}

static void test_forms_of_documents(void **state)
{
    (void)state;
    static const struct {
        const char *uri, *query, *accept, *language, *path;
        unsigned vary;
    } cases[] = {
        {"/v1/ogc", "", "", "", "v1/ogc/index.json", ODP_VARY_ACCEPT},
        {"/v1/ogc", "", "*/*", "en", "v1/ogc/index.json", ODP_VARY_ACCEPT},
        {"/v1/ogc", "", HTML, "", "v1/ogc/index.html", ODP_VARY_ACCEPT | ODP_VARY_LANGUAGE},
        {"/v1/ogc", "", HTML, "en-GB,id;q=0.5", "v1/ogc/index.en.html", ODP_VARY_ACCEPT | ODP_VARY_LANGUAGE},
        {"/v1/ogc", "", HTML, "id,en;q=0.5", "v1/ogc/index.html", ODP_VARY_ACCEPT | ODP_VARY_LANGUAGE},
        {"/v1/ogc", "f=html", "", "en", "v1/ogc/index.en.html", ODP_VARY_LANGUAGE},
        {"/v1/ogc", "f=html", "application/json", "", "v1/ogc/index.html", ODP_VARY_LANGUAGE},
        {"/v1/ogc", "f=json", HTML, "en", "v1/ogc/index.json", 0},
        {"/v1/ogc/index.html", "", HTML, "en", "v1/ogc/index.html", 0},
        {"/v1/ogc/index.json", "", HTML, "en", "v1/ogc/index.json", 0},
        {"/v1/ogc/collections", "", HTML, "en", "v1/ogc/collections.html", ODP_VARY_ACCEPT}, /* in one language */
        {"/v1/ogc/api", "", HTML, "en", "v1/ogc/api.json", 0},                               /* in one form */
        {"/v1/ogc/only", "", "application/json", "", "v1/ogc/only.html", 0},
        {"/v1/ogc", "", "text/html, */*", "", "v1/ogc/index.html", 3},
        {"/v1/ogc", "", "text/html, application/json", "", "v1/ogc/index.json", 1},
        {"/v1/ogc", "", "application/json;q=0.5, text/html;q=0.6", "", "v1/ogc/index.html", 3},
        {"/v1/ogc", "", "application/json, text/html;q=0.9", "", "v1/ogc/index.json", 1},
        {"/v1/ogc", "", "application/vnd.oai.openapi+json;version=3.0, text/html;q=0.9", "", "v1/ogc/index.json", 1},
        {"/v1/ogc", "", "text/html;q=0", "", "v1/ogc/index.json", 1},
        {"/v1/ogc", "", "text/*", "", "v1/ogc/index.html", 3},
        {"/v1/ogc", "", "*/*;q=0.9, text/html;q=0.8", "", "v1/ogc/index.json", 1},
        {"/v1/ogc", "", "TEXT/HTML", "", "v1/ogc/index.html", 3},
        {"/v1/ogc", "", "text/html/x, html, \xff", "", "v1/ogc/index.json", 1},
    };
    struct odp_control *c = open_site();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct odp_entry e;
        unsigned vary;
        const struct odp_ask ask = {odp_slice_of(cases[i].uri), odp_slice_of(cases[i].query), odp_slice_of(cases[i].accept),
                                    odp_slice_of(cases[i].language), true};
        assert_int_equal(odp_control_ask(c, &ask, &e, &vary), ODP_ROUTE_OPEN);
        if (!odp_slice_is(e.path, cases[i].path) || vary != cases[i].vary)
            fail_msg("%s?%s, Accept: %s, Accept-Language: %s is %.*s, %u", cases[i].uri, cases[i].query, cases[i].accept,
                     cases[i].language, (int)e.path.len, e.path.ptr, vary);
    }
    odp_control_close(c);
}

/* A name without an extension: Accept decides, and the answer says that it did. */
static void test_forms_of_records(void **state)
{
    (void)state;
    static const struct {
        const char *uri, *accept;
        enum odp_route route;
        const char *path;
        unsigned vary;
    } cases[] = {
        {"/v1/kumuh", "", FILE_, "v1/kumuh.json", 1},
        {"/v1/kumuh", "*/*", FILE_, "v1/kumuh.json", 1},
        {"/v1/kumuh", "application/json, text/plain, */*", FILE_, "v1/kumuh.json", 1},
        {"/v1/kumuh", "application/json;q=0.5, text/csv;q=0.5", FILE_, "v1/kumuh.json", 1},
        {"/v1/kumuh", "application/geo+json", FILE_, "data/kumuh/latest/kumuh.geojson", 1},
        {"/v1/kumuh", "application/json;q=0.5, Application/Geo+JSON", FILE_, "data/kumuh/latest/kumuh.geojson", 1},
        {"/v1/kumuh", "text/csv", QUERY, "v1/kumuh.json", 1}, /* there is no such file */
        {"/v1/proyek/timeline", "text/csv;q=0.9, */*;q=0.8", FILE_, "data/proyek/latest/proyek-timeline.csv", 1},
        {"/v1/kumuh", HTML, QUERY, "v1/kumuh.json", 1},
        {"/v1/kumuh", "application/pdf", QUERY, "v1/kumuh.json", 1}, /* 406 */
        {"/v1/kumuh", "application/json;q=0", QUERY, "v1/kumuh.json", 1},
        {"/v1/kumuh.json", "text/csv", FILE_, "v1/kumuh.json", 0},
        {"/v1/kumuh.geojson", "text/csv", FILE_, "data/kumuh/latest/kumuh.geojson", 0},
        {"/v1/lama", "text/csv", FILE_, "v1/lama.json", 0}, /* withdrawn: 410 in any form */
        {"/v1/kumuh/v/2024-03-15/p/2", "text/csv", FILE_, "v1/kumuh/v/2024-03-15/p/2.json", 0},
    };
    struct odp_control *c = open_site();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct odp_entry e;
        unsigned vary;
        struct odp_ask ask = {.uri = odp_slice_of(cases[i].uri), .accept = odp_slice_of(cases[i].accept), .engine = true};
        if (odp_control_ask(c, &ask, &e, &vary) != cases[i].route || !odp_slice_is(e.path, cases[i].path) || vary != cases[i].vary)
            fail_msg("%s, Accept: %s", cases[i].uri, cases[i].accept);
        ask.engine = false; /* nobody makes other forms: the page, whatever Accept says */
        assert_int_equal(odp_control_ask(c, &ask, &e, &vary), cases[i].route == QUERY ? FILE_ : cases[i].route);
        assert_int_equal(vary, 0);
    }
    assert_true(odp_control_forms(ODP_LIT("/api/v1/kumuh")));
    assert_false(odp_control_forms(ODP_LIT("/v1/kumuh.csv")));
    assert_false(odp_control_forms(ODP_LIT("/v1/ogc/collections")));
    assert_false(odp_control_forms(ODP_LIT("/data/kumuh")));
    odp_control_close(c);
}

static void test_post(void **state)
{
    (void)state;
    static const char *const yes[] = {"/v1/kumuh/search", "/api/v1/kumuh/search", "/v1/proyek/timeline/search",
                                      "/v1/x/search.csv", "/v1/nothing/search"},
                             *const no[] = {"/v1/kumuh",
                                            "/v1/search",
                                            "/v1/kumuh/id/search",
                                            "/v1/kumuh/id/1",
                                            "/v1/kumuh/v/search",
                                            "/v1/kumuh/search/",
                                            "/v1/ogc/search",
                                            "/v1/ogc/collections/kumuh/items",
                                            "/data/x/search",
                                            "/search",
                                            "",
                                            "v1/kumuh/search",
                                            "/v1/",
                                            "/"};
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        if (!odp_control_takes_post(odp_slice_of(yes[i])))
            fail_msg("%s", yes[i]);
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        if (odp_control_takes_post(odp_slice_of(no[i])))
            fail_msg("%s", no[i]);
}

/* URI is what a server has understood of RAW. */
static void test_query_path(void **state)
{
    (void)state;
    static const struct {
        const char *uri, *raw, *path;
    } cases[] = {
        {"/v1/kumuh", "/v1/kumuh?a=b", "/v1/kumuh"},
        {"/api/v1/kumuh/search", "/api/v1/kumuh/search?a=/id/x", "/api/v1/kumuh/search"},
        {"/v1/kumuh/search", "/v1//kumuh/./x/../search", "/v1/kumuh/search"},
        {"/v1/kumuh/search", "/v1/%6Bumuh/search", "/v1/kumuh/search"},
        {"/v1/kumuh/id/a/b", "/v1/kumuh/id/a%2Fb?x", "/v1/kumuh/id/a%2Fb"},
        {"/v1/kumuh/id/a/b", "/v1/kumuh/id/a%2fb", "/v1/kumuh/id/a%2fb"},
        {"/v1/kumuh/id/a/b", "/v1/kumuh/id/a/b", "/v1/kumuh/id/a%2Fb"},
        {"/v1/kumuh/id/a/b", "/v1/k%75muh/id/a%2Fb", "/v1/kumuh/id/a%2Fb"},
        {"/v1/kumuh/id/b", "/v1/kumuh/id/%2Fb", "/v1/kumuh/id/%2Fb"},             /* the slash is the key's */
        {"/v1/kumuh/id/b", "/v1/kumuh/id/a%2F..%2Fb", "/v1/kumuh/id/a%2F..%2Fb"}, /* so are the dots */
        {"/v1/kumuh/id/b", "/v1/kumuh/id/a/../b", "/v1/kumuh/id/b"},
        {"/v1/kumuh/id/b", "/v1/other/../kumuh/id/b", "/v1/kumuh/id/b"},
        {"/v1/kumuh/id/x", "/v1/kumuh/id/%2e%2E", "/v1/kumuh/id/x"},
        {"/v1/kumuh/id/x", "/v1/kumuh/id/.", "/v1/kumuh/id/x"},
        {"/v1/kumuh/id/...", "/v1/kumuh/id/...", "/v1/kumuh/id/..."},
        {"/v1/kumuh/id/a,b%2C", "/v1/kumuh/id/a,b%252C", "/v1/kumuh/id/a,b%252C"},
        {"/v1/kumuh/id/\"\xc3\xa9 #", "/v1/kumuh/id/\"\xc3\xa9%20%23#x", "/v1/kumuh/id/%22%C3%A9%20%23"},
        {"/v1/kumuh/id/a\nb", "x", "/v1/kumuh/id/a%0Ab"},
        {"/v1/kumuh/id/a", "", "/v1/kumuh/id/a"},
        {"/v1/proyek/timeline/id/a/b", "/v1/proyek/timeline/id/a%2Fb", "/v1/proyek/timeline/id/a%2Fb"},
        {"/v1/ogc/collections/kumuh/items/a/b", "/v1/ogc/collections/kumuh/items/a%2Fb",
         "/v1/ogc/collections/kumuh/items/a%2Fb"},
        {"/v1/ogc/collections/ku muh", "/v1/ogc/collections/ku%20muh", "/v1/ogc/collections/ku%20muh"},
        {"/", "/x/../", "/"},
        {"", "/x", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct odp_buffer out;
        odp_buffer_init(&out);
        odp_control_query_path(odp_slice_of(cases[i].uri), odp_slice_of(cases[i].raw), &out);
        assert_string_equal(odp_buffer_cstr(&out), cases[i].path);
        odp_buffer_release(&out);
    }
}

static void test_moved_collections(void **state)
{
    (void)state;
    static const struct {
        const char *uri, *raw, *to;
    } cases[] = {
        {"/v1/ogc/collections/tua", "/v1/ogc/collections/tua?f=html", "/v1/ogc/collections/kumuh?f=html"},
        {"/v1/ogc/collections/tua/items", "/v1/ogc/collections/tua/items?bbox=1,2,3,4",
         "/v1/ogc/collections/kumuh/items?bbox=1,2,3,4"},
        {"/v1/ogc/collections/tua/items/a/b", "/v1/ogc/collections/tua/items/a%2Fb", "/v1/ogc/collections/kumuh/items/a%2Fb"},
        {"/api/v1/ogc/collections/tua-timeline/items", "/api//v1/ogc/collections/tua-timeline/items",
         "/api/v1/ogc/collections/kumuh-timeline/items"},
        {"/v1/tua.csv", "/v1/tua.csv?a=b", "/v1/kumuh.csv?a=b"},
    };
    struct odp_control *c = open_site();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct odp_entry e;
        struct odp_buffer out;
        odp_buffer_init(&out);
        assert_int_not_equal(odp_control_route(c, odp_slice_of(cases[i].uri), &e), NONE);
        assert_int_equal(e.state, ODP_ENTRY_MOVED);
        odp_control_moved(&e, odp_slice_of(cases[i].uri), odp_slice_of(cases[i].raw), &out);
        assert_string_equal(odp_buffer_cstr(&out), cases[i].to);
        odp_buffer_release(&out);
    }
    odp_control_close(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_queries), TEST(test_collections), TEST(test_forms_of_documents),
        TEST(test_forms_of_records),
        TEST(test_post),    TEST(test_query_path),  TEST(test_moved_collections),
    };
    fixture_text = queries_text;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
