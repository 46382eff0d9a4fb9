/* Signed addresses: the published example of AWS Signature Version 4, and nginx's own example for
 * secure_link. */

#include "run.h"

#include "core/condition.h"
#include "module/sign.h"

/* Amazon S3 API Reference, "Authenticating Requests: Using Query Parameters", the example of GET test.txt. */
TEST(s3_gives_the_published_signature)
{
    struct odp_buffer b = {0};
    const struct odp_sign_s3 s = {
        ODP_LIT("https://examplebucket.s3.amazonaws.com"),
        ODP_LIT("us-east-1"),
        ODP_LIT("AKIAIOSFODNN7EXAMPLE"),
        ODP_LIT("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
    };
    must(odp_sign_s3(&b, &s, ODP_LIT("test.txt"), 1369353600, 86400));
    assert_string_equal(
        odp_buffer_cstr(&b),
        "https://examplebucket.s3.amazonaws.com/"
        "test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-"
        "east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&"
        "X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404");
    odp_buffer_release(&b);
}

TEST(s3_path_style_signs_host_with_port_and_encoded_path)
{
    struct odp_buffer a = {0}, b = {0};
    struct odp_sign_s3 s = {ODP_LIT("http://127.0.0.1:9000/bucket"), ODP_LIT("local"), ODP_LIT("A"),
                            ODP_LIT("B")};
    must(odp_sign_s3(&a, &s, ODP_LIT("v1/a b+c.json"), 0, 60));
    assert_non_null(
        strstr(odp_buffer_cstr(&a), "http://127.0.0.1:9000/bucket/v1/a%20b%2Bc.json?X-Amz-Algorithm"));
    s.url = ODP_LIT("http://127.0.0.1:9001/bucket");
    must(odp_sign_s3(&b, &s, ODP_LIT("v1/a b+c.json"), 0, 60));
    assert_string_not_equal(strstr(odp_buffer_cstr(&a), "Signature="),
                            strstr(odp_buffer_cstr(&b), "Signature="));
    odp_buffer_release(&a);
    odp_buffer_release(&b);
}

/* nginx's manual, ngx_http_secure_link_module: echo -n '2147483647/s/link127.0.0.1 secret' | openssl md5
 * -binary | base64url; ours has no address in it: '2147483647/s/link secret'. */
TEST(secure_link_is_nginx_form)
{
    struct odp_buffer b = {0};
    must(odp_sign_secure_link(&b, ODP_LIT("https://cdn.example/s"), ODP_LIT("link"), ODP_LIT("secret"),
                              "0a1b2c3d", 2147483647));
    assert_string_equal(
        odp_buffer_cstr(&b),
        "https://cdn.example/s/link?md5=0Xgm37lo5nFEuHMDKl_vQg&expires=2147483647&key=0a1b2c3d");
    odp_buffer_clear(&b);
    must(odp_sign_secure_link(&b, ODP_LIT("https://cdn.example"), ODP_LIT("s/link"), ODP_LIT("secret"),
                              "0a1b2c3d", 2147483647));
    assert_string_equal(
        odp_buffer_cstr(&b),
        "https://cdn.example/s/link?md5=0Xgm37lo5nFEuHMDKl_vQg&expires=2147483647&key=0a1b2c3d");
    odp_buffer_release(&b);
}

static const struct odp_slice none = {NULL, 0};

static enum odp_condition none_match(const char *header)
{
    return odp_condition_check(none, odp_slice_of(header), ODP_LIT("\"abc\""));
}

static enum odp_condition match(const char *header)
{
    return odp_condition_check(odp_slice_of(header), none, ODP_LIT("\"abc\""));
}

TEST(conditions)
{
    assert_int_equal(none_match("\"abc\""), ODP_CONDITION_NOT_MODIFIED);
    assert_int_equal(none_match("W/\"abc\""), ODP_CONDITION_NOT_MODIFIED);
    assert_int_equal(none_match("\"x\", W/\"y\" ,\"abc\""), ODP_CONDITION_NOT_MODIFIED);
    assert_int_equal(none_match(" * "), ODP_CONDITION_NOT_MODIFIED);
    assert_int_equal(none_match("garbage, \"abc\""), ODP_CONDITION_NOT_MODIFIED);
    assert_int_equal(none_match("\"a,b\", \"c\""), ODP_CONDITION_SEND);
    assert_int_equal(none_match("abc"), ODP_CONDITION_SEND);
    assert_int_equal(none_match("\"abc"), ODP_CONDITION_SEND);
    assert_int_equal(none_match("W/"), ODP_CONDITION_SEND);
    assert_int_equal(none_match(""), ODP_CONDITION_SEND);
    assert_int_equal(match("\"abc\""), ODP_CONDITION_SEND);
    assert_int_equal(match("*"), ODP_CONDITION_SEND);
    assert_int_equal(match("W/\"abc\""), ODP_CONDITION_FAILED);
    assert_int_equal(match("\"abd\""), ODP_CONDITION_FAILED);
    assert_int_equal(match(""), ODP_CONDITION_FAILED);
    /* If-Match comes first. */
    assert_int_equal(odp_condition_check(ODP_LIT("\"x\""), ODP_LIT("\"abc\""), ODP_LIT("\"abc\"")),
                     ODP_CONDITION_FAILED);
    assert_int_equal(odp_condition_check(none, none, ODP_LIT("\"abc\"")), ODP_CONDITION_SEND);
    assert_true(odp_condition_range(ODP_LIT(" \"abc\""), ODP_LIT("\"abc\"")));
    assert_false(odp_condition_range(ODP_LIT("W/\"abc\""), ODP_LIT("\"abc\"")));
    assert_false(odp_condition_range(ODP_LIT("Tue, 15 Nov 1994 12:45:26 GMT"), ODP_LIT("\"abc\"")));
}
