/* Browsers get pages: who wants a page, which one, where a problem is explained, and which address of a
 * folder is the right one.
 */

#include "run.h"

#include "base/buffer.h"
#include "core/control/control.h"
#include "core/page.h"
#include "core/problem.h"

#define BROWSER "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

TEST(who_wants_a_page)
{
    static const struct {
        const char *uri, *accept;
        bool wanted;
    } cases[] = {
        {"/x", BROWSER, true},
        {"/x", "TEXT/HTML", true},
        {"/x", "application/xhtml+xml", true},
        {"/x", "text/html;q=0.1", true},
        {"/x", "text/html;level=1, application/json;q=0.9", true},
        {"/x", "text/html, application/json", true},
        {"/x", "", false},
        {"/x", "*/*", false},
        {"/x", "text/*", false},
        {"/x", "text/html;q=0", false},
        {"/x", "text/html;q=0.5, application/json", false},
        {"/x", "text/html;q=0.5, application/problem+json;q=0.6", false},
        {"/x", "text/htmlx", false},
        {"/x", "text/html;q=9", false},
        {"/v1", BROWSER, false},
        {"/v1/kumuh", BROWSER, false},
        {"/v1?x", BROWSER, false},
        {"/v1x", BROWSER, true},
        {"/api", BROWSER, false},
        {"/api/v1/x", BROWSER, false},
        {"/auth/register", BROWSER, false},
        {"/authors", BROWSER, true},
        {"", BROWSER, true},
    };
    for (size_t i = 0; i < ODP_COUNT(cases); i++)
        if (odp_page_wanted(odp_slice_of(cases[i].uri), odp_slice_of(cases[i].accept)) != cases[i].wanted)
            fail_msg("%s %s", cases[i].uri, cases[i].accept);
}

TEST(languages)
{
    assert_int_equal(odp_page_lang(ODP_LIT("/x"), ODP_LIT("")), ODP_LANG_ID);
    assert_int_equal(odp_page_lang(ODP_LIT("/x"), ODP_LIT("en-GB,en;q=0.9,id;q=0.8")), ODP_LANG_EN);
    assert_int_equal(odp_page_lang(ODP_LIT("/en/x"), ODP_LIT("id")), ODP_LANG_EN);
    assert_int_equal(odp_page_lang(ODP_LIT("/en"), ODP_LIT("id")), ODP_LANG_EN);
    assert_int_equal(odp_page_lang(ODP_LIT("/en?x"), ODP_LIT("id")), ODP_LANG_EN);
    assert_int_equal(odp_page_lang(ODP_LIT("/entah"), ODP_LIT("id")), ODP_LANG_ID);
    assert_string_equal(odp_page_not_found(ODP_LANG_ID), "404.html");
    assert_string_equal(odp_page_not_found(ODP_LANG_EN), "en/404.html");
}

TEST(explanations)
{
    struct odp_buffer b = {0};
    struct odp_slice code;
    char uri[80];
    for (int p = 0; p < ODP_PROBLEM_COUNT; p++) { /* whatever `type` there is leads somewhere */
        snprintf(uri, sizeof uri, "/galat/%s", odp_problem_info((enum odp_problem)p)->code);
        assert_true(odp_page_explains(odp_slice_of(uri), &code));
        assert_true(odp_slice_is(code, odp_problem_info((enum odp_problem)p)->code));
    }
    odp_page_explained(&b, ODP_LANG_EN, ODP_LIT("gone"));
    assert_string_equal(odp_buffer_cstr(&b), "../en/docs/errors.html#gone");
    odp_buffer_clear(&b);
    assert_true(odp_page_explains(ODP_LIT("/galat/"), &code));
    odp_page_explained(&b, ODP_LANG_ID, code);
    assert_string_equal(odp_buffer_cstr(&b), "../dokumentasi/galat.html");
    static const char *const none[] = {
        "/galat",       "/galat/x", "/galat/gone/",  "/galat/Gone", "/galat/gone\r\nX: y",
        "/galatx/gone", "",         "/en/galat/gone"};
    for (size_t i = 0; i < ODP_COUNT(none); i++)
        assert_false(odp_page_explains(odp_slice_of(none[i]), &code));
    odp_buffer_release(&b);
}

TEST(types)
{
    assert_true(odp_page_is(ODP_LIT("text/html")));
    assert_true(odp_page_is(ODP_LIT("Text/HTML ; charset=utf-8")));
    assert_false(odp_page_is(ODP_LIT("text/htmlx")));
    assert_false(odp_page_is(ODP_LIT("application/json; a=text/html")));
    assert_false(odp_page_is(ODP_LIT("")));
}

/* Of a twin, too: it is what a browser is sent. */
TEST(folders)
{
    static const struct {
        const char *uri, *path;
        enum odp_coding coding;
        enum odp_slash slash;
    } cases[] = {
        {"/", "index.html", ODP_CODING_NONE, ODP_SLASH_RIGHT},
        {"/en", "en/index.html", ODP_CODING_NONE, ODP_SLASH_MISSING},
        {"/en", "en/index.html.gz", ODP_CODING_GZIP, ODP_SLASH_MISSING},
        {"/en", "en/index.html.br", ODP_CODING_BR, ODP_SLASH_MISSING},
        {"/en/", "en/index.html", ODP_CODING_NONE, ODP_SLASH_RIGHT},
        {"/en/", "en/index.html.gz", ODP_CODING_GZIP, ODP_SLASH_RIGHT},
        {"/en/index.html", "en/index.html", ODP_CODING_NONE, ODP_SLASH_RIGHT},
        {"/en/index.html", "en/index.html.br", ODP_CODING_BR, ODP_SLASH_RIGHT},
        {"/en/index.html.br", "en/index.html.br", ODP_CODING_BR, ODP_SLASH_RIGHT},
        {"/v1/ogc/index.html.gz", "v1/ogc/index.html.gz", ODP_CODING_GZIP, ODP_SLASH_RIGHT},
        {"/en/docs/x.html", "en/docs/x.html", ODP_CODING_NONE, ODP_SLASH_RIGHT},
        {"/v1/ogc", "v1/ogc/index.html.gz", ODP_CODING_GZIP, ODP_SLASH_MISSING},
        {"/v1/ogc/collections/", "v1/ogc/collections.html.gz", ODP_CODING_GZIP, ODP_SLASH_TOO_MANY},
        {"/v1/ogc/", "v1/ogc/index.html", ODP_CODING_NONE, ODP_SLASH_RIGHT},
    };
    for (size_t i = 0; i < ODP_COUNT(cases); i++) {
        const struct odp_entry e = {.path = odp_slice_of(cases[i].path), .coding = cases[i].coding};
        if (odp_control_slash(odp_slice_of(cases[i].uri), &e) != cases[i].slash)
            fail_msg("%s %s", cases[i].uri, cases[i].path);
    }
}

TEST(frames)
{
    static const struct {
        const char *path;
        bool framed;
    } cases[] = {
        {"embed/kumuh/peta.html", true},
        {"en/embed/kumuh/peta.html", true},
        {"embed/", false},
        {"embed", false},
        {"index.html", false},
        {"kunci-saya.html", false},
        {"katalog/embed.html", false},
        {"data/embed/latest/x.html", false},
        {"Embed/x.html", false},
        {"en/katalog/embed/x.html", false},
        {"embedded/x.html", false},
    };
    for (size_t i = 0; i < ODP_COUNT(cases); i++)
        for (size_t k = 0; k < ODP_PAGE_HEADERS; k++) {
            const char *value = odp_page_header_value(k, odp_slice_of(cases[i].path));
            if (k > 0)
                assert_string_equal(value, odp_page_headers[k].value);
            else if ((strstr(value, "frame-ancestors") == NULL) != cases[i].framed)
                fail_msg("%s: %s", cases[i].path, value);
        }
}
