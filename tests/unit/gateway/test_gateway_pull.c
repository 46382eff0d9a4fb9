/* Manifests of sites to be pulled: nothing is fetched whose name or size could do harm. */

#include "run.h"

#include "base/remote/download.h"
#include "command/pull/manifest.h"

#define DIGEST              "\"sha256\":\"0000000000000000000000000000000000000000000000000000000000000000\""
#define FILE_AT(path, size) "{\"path\":\"" path "\",\"size\":" size "," DIGEST "}"
#define ALWAYS              FILE_AT("control", "1") "," FILE_AT("gateway.json", "1")

static enum odp_status parse_manifest(const char *text, size_t *n)
{
    struct pull_manifest m;
    char why[200];
    pull_manifest_init(&m);
    odp_buffer_add_str(&m.text, text);
    enum odp_status status = pull_manifest_parse(&m, 1000, 2000, why);
    *n = m.n;
    pull_manifest_release(&m);
    return status;
}

TEST(manifest)
{
    static const char *const bad[] = {
        "",
        "{",
        "[]",
        "{\"files\":{}}",
        "{\"files\":[]}",
        "{\"files\":[1]}",
        "{\"files\":[" FILE_AT("control", "1") "]}",
        "{\"files\":[" FILE_AT("../x", "1") "," ALWAYS "]}",
        "{\"files\":[" FILE_AT("/x", "1") "," ALWAYS "]}",
        "{\"files\":[" FILE_AT("a//b", "1") "," ALWAYS "]}",
        "{\"files\":[" FILE_AT("a/../b", "1") "," ALWAYS "]}",
        "{\"files\":[" FILE_AT("a\\\\b", "1") "," ALWAYS "]}",
        "{\"files\":[" FILE_AT("a\\nb", "1") "," ALWAYS "]}",
        "{\"files\":[" FILE_AT("a", "-1") "," ALWAYS "]}",
        "{\"files\":[" FILE_AT("a", "1001") "," ALWAYS "]}",
        "{\"files\":[" FILE_AT("a", "1.5") "," ALWAYS "]}",
        "{\"files\":[" FILE_AT("a", "900") "," FILE_AT("b", "900") "," FILE_AT("c", "900") "," ALWAYS "]}",
        "{\"files\":[" FILE_AT("b", "1") "," FILE_AT("a", "1") "," ALWAYS "]}",
        "{\"files\":[" ALWAYS "," FILE_AT("manifest.json", "1") "]}",
        "{\"files\":[{\"path\":\"a\",\"size\":1,\"sha256\":\"xyz\"}," ALWAYS "]}",
    };
    size_t n;
    for (size_t i = 0; i < ODP_COUNT(bad); i++)
        if (parse_manifest(bad[i], &n) != ODP_BAD)
            fail_msg("taken: %s", bad[i]);
    must(parse_manifest("{\"files\":[" FILE_AT(".well-known/x", "1") "," ALWAYS "]}", &n));
    assert_int_equal(n, 3);
}

TEST(addresses)
{
    static const char *const rows[][3] = {
        {"https://x/s/", "v1/kumuh.json", "https://x/s/v1/kumuh.json"},
        {"file:///srv", "v1/a b?#%\xc3\xa9.json", "file:///srv/v1/a%20b%3F%23%25%C3%A9.json"}};
    struct odp_buffer b = {0};
    for (size_t i = 0; i < ODP_COUNT(rows); i++) {
        odp_buffer_clear(&b);
        odp_download_address(&b, rows[i][0], rows[i][1]);
        assert_string_equal(odp_buffer_cstr(&b), rows[i][2]);
    }
    odp_buffer_release(&b);
}
