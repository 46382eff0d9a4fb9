/* The control file: opening, its lines, twins; and files that are not what they should be. Where addresses
 * lead is in control.txt. */
#include "gateway_control_fixture.h"

static const char site_text[] = HEAD OPEN(".well-known/security.txt") OPEN("data/kumuh/2024-03-15/kumuh.csv")
    LINE("data/kumuh/2024-03-15/kumuh.csv.br", "b", "br", "public",
         "active") LINE("data/kumuh/2024-03-15/kumuh.csv.gz", "g", "gzip", "public", "active")
        OPEN("data/kumuh/2024-03-15/kumuh.excel.csv") OPEN("data/kumuh/2024-03-15/schema.json") GONE(
            "data/lama/", "public") LINE("data/usang/latest/usang.csv", "u", "-", "public", "deprecated")
            OPEN("folder/") LINE("gateway.json", "i", "-", "internal",
                                 "active") OPEN("index.html") OPEN("katalog/index.html")
                OPEN("katalog/kumuh.html") LINE("search/kumuh-1.sqlite", "s", "-", "internal", "active") OPEN(
                    "v1/events/dataset.corrected.json") OPEN("v1/events/index.json") OPEN("v1/index.json")
                    LINE("v1/index.json.gz", "G", "gzip", "public", "active") KEYED("v1/kumuh.json")
                        LINE("v1/kumuh.json.gz", "z", "gzip", "keyed",
                             "active") KEYED("v1/kumuh/timeline.json") KEYED("v1/kumuh/v/2024-03-15/p/2.json")
                            GONE("v1/lama.json", "keyed") GONE("v1/lama/", "keyed")
                                OPEN("v1/openapi.json") "v1/usang.json\t\"q\"\ttype/"
                                                        "q\t-\tkeyed\tdeprecated\t@1\tSun, 01 Jun 2025 "
                                                        "00:00:00 GMT\tno-cache\t7\t<https://x>; rel=\"a\"\n";

TEST(open_and_lines)
{
    struct odp_control *c = open_site();
    struct odp_entry e;
    size_t n = 0, lines = 0;
    for (const char *p = site_text; (p = strchr(p, '\n')) != NULL; p++)
        lines++;
    while (odp_control_line(c, n, &e))
        n++;
    assert_int_equal(n, lines - 1);
    assert_true(odp_control_line(c, 0, &e));
    expect_slice(e.path, ".well-known/security.txt");
    assert_true(odp_control_line(c, n - 1, &e));
    expect_slice(e.path, "v1/usang.json");
    expect_slice(e.etag, "\"q\"");
    expect_slice(e.type, "type/q");
    expect_slice(e.deprecation, "@1");
    expect_slice(e.sunset, "Sun, 01 Jun 2025 00:00:00 GMT");
    expect_slice(e.cache_control, "no-cache");
    expect_slice(e.link, "<https://x>; rel=\"a\"");
    assert_int_equal(e.size, 7);
    assert_int_equal(e.cls, ODP_ENTRY_KEYED);
    assert_int_equal(e.state, ODP_ENTRY_DEPRECATED);
    assert_int_equal(e.coding, ODP_CODING_NONE);
    assert_string_equal(odp_control_dir(c) + strlen(odp_control_dir(c)) - 64, DIGEST);
    odp_control_close(c);
    odp_control_close(NULL);
}

/* Every line is found by its path, and nothing between two of them is. */
TEST(find)
{
    struct odp_control *c = open_site();
    struct odp_entry e, found;
    for (size_t i = 0; odp_control_line(c, i, &e); i++) {
        char near[128];
        assert_true(odp_control_find(c, e.path, &found));
        assert_ptr_equal(found.path.ptr, e.path.ptr);
        for (int k = 0; k < 3; k++) {
            int n = snprintf(near, sizeof near, "%.*s%s", (int)e.path.len - (k == 2), e.path.ptr,
                             k == 0   ? "!"
                             : k == 1 ? "x"
                                      : "");
            bool other = odp_control_find(c, (struct odp_slice){near, (size_t)n}, &found);
            assert_true(!other || found.path.ptr[found.path.len - 1] == '/');
        }
    }
    odp_control_close(c);
}

/* control.txt asks the rest. */
TEST(asks)
{
    assert_false(odp_control_asks(ODP_LIT("/v1/kumuh"), false));
    assert_true(odp_control_asks(ODP_LIT("/v1/kumuh"), true));
    assert_true(odp_control_asks(ODP_LIT("/api/v1/kumuh"), true));
    assert_false(odp_control_asks(ODP_LIT("/data/kumuh/latest/kumuh.csv"), true));
    assert_true(odp_control_asks(ODP_LIT("/v1/ogc"), false));
    assert_false(odp_control_asks(ODP_LIT("/v1/ogcx"), false));
    assert_false(odp_control_asks(ODP_LIT(""), true));
    assert_true(odp_control_forms(ODP_LIT("/api/v1/kumuh")));
    assert_false(odp_control_forms(ODP_LIT("/v1/kumuh.csv")));
    assert_false(odp_control_forms(ODP_LIT("/v1/ogc/collections")));
    assert_false(odp_control_forms(ODP_LIT("/data/kumuh")));
    char deep[8000] = "/v1/ogc/collections/";
    memset(deep + strlen(deep), '-', sizeof deep - 40);
    strcat(deep, "/items");
    struct odp_control *c = open_site();
    struct odp_entry e;
    assert_int_equal(odp_control_route(c, odp_slice_of(deep), &e), ODP_ROUTE_NONE);
    odp_control_close(c);
}

TEST(manifest)
{
    struct odp_control *c = open_site();
    struct odp_entry e;
    assert_int_equal(odp_control_route(c, ODP_LIT("/manifest.json"), &e), ODP_ROUTE_FILE);
    expect_slice(e.etag, "\"0123456789abcdef0123456789abcdef\"");
    assert_int_equal(e.size, 13);
    assert_int_equal(e.cls, ODP_ENTRY_PUBLIC);
    assert_true(e.type.len > 0 && e.cache_control.len > 0);
    odp_control_close(c);
    char elsewhere[128];
    snprintf(elsewhere, sizeof elsewhere, "%s/copy", dir); /* a copied site is named as its owner likes */
    assert_int_equal(rename(build, elsewhere), 0);
    must(odp_control_open(&c, elsewhere, NULL));
    assert_int_equal(odp_control_route(c, ODP_LIT("/manifest.json"), &e), ODP_ROUTE_FILE);
    assert_int_equal(e.etag.len, 0);
    assert_string_equal(odp_control_dir(c), elsewhere);
    odp_control_close(c);
    char path[160];
    snprintf(path, sizeof path, "%s/manifest.json", elsewhere);
    assert_int_equal(unlink(path), 0);
    must(odp_control_open(&c, elsewhere, NULL));
    assert_int_equal(odp_control_route(c, ODP_LIT("/manifest.json"), &e), ODP_ROUTE_NONE);
    odp_control_close(c);
}

TEST(negotiation)
{
    struct odp_control *c = open_site();
    struct odp_entry e, chosen;
    bool varies = false;
    assert_true(odp_control_find(c, ODP_LIT("v1/kumuh.json"), &e)); /* only one twin */
    odp_control_negotiate(c, &e, ODP_LIT("br"), &chosen, &varies);
    assert_true(varies);
    expect_slice(chosen.etag, "\"k\"");
    odp_control_negotiate(c, &e, ODP_LIT("br, gzip"), &chosen, &varies);
    expect_slice(chosen.etag, "\"z\"");
    assert_int_equal(chosen.coding, ODP_CODING_GZIP);
    odp_control_negotiate(c, &e, ODP_LIT("gzip"), &e, &varies); /* may be the same struct */
    expect_slice(e.etag, "\"z\"");
    odp_control_negotiate(c, &e, ODP_LIT("gzip"), &chosen, &varies); /* a twin asked for by its name */
    assert_false(varies);
    expect_slice(chosen.etag, "\"z\"");
    assert_true(odp_control_find(c, ODP_LIT("index.html"), &e));
    odp_control_negotiate(c, &e, ODP_LIT("gzip"), &chosen, &varies);
    assert_false(varies);
    assert_ptr_equal(chosen.path.ptr, e.path.ptr);
    odp_control_close(c);
}

/* control.txt has others. */
TEST(not_a_control_file)
{
    struct odp_control *c = NULL;
    write_control(HEAD, strlen(HEAD)); /* a site without files is one */
    c = open_site();
    struct odp_entry e;
    assert_false(odp_control_line(c, 0, &e));
    assert_int_equal(odp_control_route(c, ODP_LIT("/"), &e), ODP_ROUTE_NONE);
    odp_control_close(c);
    char path[256];
    const char *why;
    snprintf(path, sizeof path, "%s/control", build);
    assert_int_equal(unlink(path), 0);
    must_refuse(odp_control_open(&c, site, &why));
    assert_int_equal(mkdir(path, 0700), 0);
    must_refuse(odp_control_open(&c, site, &why));
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0); /* does not wait for a writer */
    must_refuse(odp_control_open(&c, site, &why));
    must_refuse(odp_control_open(&c, "/no/such/site", &why));
    assert_string_equal(why, "there is no such folder");
    assert_string_equal(odp_failure_text(), "");
}

/* Against a search line by line, on a file of many lines of all lengths. */
TEST(many_lines)
{
    enum { LINES = 3000 };
    struct odp_buffer text = {0};
    struct odp_entry e;
    odp_buffer_add_str(&text, HEAD);
    for (int i = 0; i < LINES; i++)
        odp_buffer_printf(&text, "%05d%.*s\t\"e\"\tt\t-\tpublic\tactive\t-\t-\t%.*s\t%d\t-\n", 2 * i, i % 40,
                          "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", i % 7 * 5,
                          "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy", i);
    write_control(text.ptr, text.len);
    struct odp_control *c = open_site();
    for (int i = 0; i < LINES; i++) {
        char path[64];
        snprintf(path, sizeof path, "%05d%.*s", 2 * i, i % 40, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
        assert_true(odp_control_find(c, odp_slice_of(path), &e));
        assert_int_equal(e.size, i);
        snprintf(path, sizeof path, "%05d", 2 * i + 1);
        assert_false(odp_control_find(c, odp_slice_of(path), &e));
    }
    odp_control_close(c);
    odp_buffer_release(&text);
}

TEST(switch)
{
    char other[192], fresh[128];
    struct odp_control *c = open_site();
    assert_false(odp_control_switched(c, site));
    snprintf(other, sizeof other, "%s/site.builds/other", dir);
    snprintf(fresh, sizeof fresh, "%s/fresh", dir);
    must(odp_dir_make(other));
    assert_false(odp_control_switched(c, site));
    assert_int_equal(symlink("site.builds/other", fresh), 0);
    assert_int_equal(rename(fresh, site), 0);
    assert_true(odp_control_switched(c, site));
    assert_int_equal(symlink("site.builds/" DIGEST, fresh), 0);
    assert_int_equal(rename(fresh, site), 0);
    assert_false(odp_control_switched(c, site)); /* back */
    assert_int_equal(unlink(site), 0);
    assert_false(odp_control_switched(c, site)); /* gone: what is held goes on */
    struct odp_entry e;
    must(odp_dir_remove(build));
    assert_true(odp_control_find(c, ODP_LIT("index.html"), &e)); /* the mapping outlives the file */
    must(odp_dir_make(build));                                   /* the same name, another folder */
    assert_int_equal(symlink("site.builds/" DIGEST, site), 0);
    char target[192];
    snprintf(target, sizeof target, "%s/site/", dir); /* with a slash at its end, too */
    write_control(site_text, sizeof site_text - 1);
    odp_control_close(c);
    must(odp_control_open(&c, target, NULL));
    assert_false(odp_control_switched(c, target));
    assert_false(odp_control_switched(c, site));
    odp_control_close(c);
}

EACH(set_up, tear_down)

static int use_a_whole_site(void **state)
{
    fixture_text = site_text;
    return 0;
}

AROUND(use_a_whole_site, NULL)
