/* Which address links may begin with, and how they get it. */

#include "run.h"

#include "core/origin.h"

TEST(allowed)
{
    static const struct odp_slice hosts[] = {ODP_LIT("data.intra"), ODP_LIT("10.1.2.3:8080"),
                                             ODP_LIT("[fd00::1]")};
    static const struct {
        const char *asked;
        bool direct, through; /* allowed without a proxy, with one */
    } cases[] = {
        {"http://localhost:8080", true, false},
        {"http://LocalHost", true, false},
        {"https://127.0.0.1:1", true, false},
        {"http://127.9.9.9", true, false},
        {"http://[::1]:8080", true, false},
        {"http://data.intra", true, true},
        {"https://DATA.intra:8443", true, true},
        {"http://10.1.2.3:8080", true, true},
        {"http://10.1.2.3", false, false},
        {"http://10.1.2.3:80800", false, false},
        {"http://[fd00::1]:99", true, true},
        {"https://data.example.go.id", false, false}, /* the site's own */
        {"http://DATA.example.go.id", false, false},
        {"https://evil.example", false, false},
        {"http://localhost.evil.example", false, false},
        {"http://localhost:8080/x", false, false},
        {"http://localhost@evil.example", false, false},
        {"http://user@localhost", false, false},
        {"http://local\"host", false, false},
        {"http://localhost:", false, false},
        {"http://localhost:123456", false, false},
        {"http://localhost:80:80", false, false},
        {"http://128.0.0.1", false, false},
        {"http://127.1", false, false},
        {"http://[::1", false, false},
        {"http://[::2]", false, false},
        {"http://", false, false},
        {"localhost", false, false},
        {"ftp://localhost", false, false},
        {"", false, false},
    };
    for (size_t i = 0; i < ODP_COUNT(cases); i++)
        for (int direct = 0; direct < 2; direct++) {
            const struct odp_origin_rules rules = {ODP_LIT("https://data.example.go.id/"), hosts, 3,
                                                   direct == 1};
            if (odp_origin_allowed(odp_slice_of(cases[i].asked), &rules) !=
                (direct == 1 ? cases[i].direct : cases[i].through))
                fail_msg("%s, direct %d", cases[i].asked, direct);
        }
}

TEST(hosts)
{
    static const char *const yes[] = {"a", "a.b", "a-b_c.id:1", "a.", "a-", "[::1]:80"};
    static const char *const no[] = {"", ".a", "-a", "_a", ".", ":1", "a/b", "[::1"};
    for (size_t i = 0; i < ODP_COUNT(yes); i++)
        if (!odp_origin_host_ok(odp_slice_of(yes[i])))
            fail_msg("%s", yes[i]);
    for (size_t i = 0; i < ODP_COUNT(no); i++)
        if (odp_origin_host_ok(odp_slice_of(no[i])))
            fail_msg("%s", no[i]);
}

TEST(concerns)
{
    static const char *const yes[] = {"/v1/ogc", "/v1/ogc/", "/api/v1/ogc/collections", "/v1/openapi.json",
                                      "/api/v1/openapi"};
    static const char *const no[] = {"/v1/ogcx", "/v1/kumuh", "/v1/", "/", "", "/x/v1/ogc/"};
    for (size_t i = 0; i < ODP_COUNT(yes); i++)
        assert_true(odp_origin_concerns(odp_slice_of(yes[i])));
    for (size_t i = 0; i < ODP_COUNT(no); i++)
        assert_false(odp_origin_concerns(odp_slice_of(no[i])));
}

static void check(const char *json, const char *expected)
{
    struct odp_buffer out = {0};
    odp_origin_rewrite(odp_slice_of(json), ODP_LIT("https://a.id/p/"), ODP_LIT("http://localhost:1"), &out);
    assert_string_equal(odp_buffer_cstr(&out), expected);
    odp_buffer_release(&out);
}

/* Links alone: names that only look like addresses ($id), prose and other hosts stay. */
TEST(rewrite)
{
    check("{\"href\":\"https://a.id/p/x\"}", "{\"href\":\"http://localhost:1/x\"}");
    check("{\"href\": \"https://a.id/p/\", \"url\": \"https://a.id/p\"}",
          "{\"href\": \"http://localhost:1/\", \"url\": \"http://localhost:1\"}");
    check(
        "[\"https://a.id/p/x\",{\"$id\":\"https://a.id/p/x\",\"text\":\"\\\"href\\\": https://a.id/p/x\"}]",
        "[\"https://a.id/p/x\",{\"$id\":\"https://a.id/p/x\",\"text\":\"\\\"href\\\": https://a.id/p/x\"}]");
    check("{\"href\":\"https://a.id/px\",\"href\":\"https://a.id.x/p/\",\"href\":\"http://a.id/p/\"}",
          "{\"href\":\"https://a.id/px\",\"href\":\"https://a.id.x/p/\",\"href\":\"http://a.id/p/\"}");
    check("", "");
    check("\"https://a.id/p", "\"https://a.id/p");
    check("\"href\":\"https://a.id/p", "\"href\":\"https://a.id/p");
    check("{\"href\":\"https://a.id/p/\",\"href\":\"https://a.id/p/",
          "{\"href\":\"http://localhost:1/\",\"href\":\"http://localhost:1/");
}

TEST(host_and_port)
{
    static const struct {
        const char *text, *host;
        int port; /* -2: refused */
    } rows[] = {{"a.id", "a.id", -1}, {"a.id:80", "a.id", 80}, {"[::1]:65535", "::1", 65535},
                {"[::1]", "::1", -1}, {":0", "", 0},           {"a:", "", -2},
                {"a:65536", "", -2},  {"a:1:2", "", -2},       {"[::1", "", -2},
                {"[::1]80", "", -2},  {"a:+1", "", -2},        {"", "", -1}};
    for (size_t i = 0; i < ODP_COUNT(rows); i++) {
        struct odp_slice host;
        int port;
        bool read = odp_host_port(odp_slice_of(rows[i].text), &host, &port);
        if (read != (rows[i].port != -2) ||
            (read && (port != rows[i].port || !odp_slice_is(host, rows[i].host))))
            fail_msg("%s: %d, %.*s, %d", rows[i].text, read, (int)host.len, host.ptr, port);
    }
}
