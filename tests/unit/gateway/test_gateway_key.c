/* API keys: their form, their checksum, the Authorization header, and what a log may say of them. */
#include "run.h"

#include "core/keys/key.h"

#define VECTOR                                                                                               \
    "odp_live_zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq17" /* the random part and sum of GitHub's published example \
                                                     */
#define MASKED "odp_live_zQWBu*******************************"

TEST(vector)
{
    uint8_t digest[ODP_SHA256_SIZE];
    char hex[ODP_SHA256_HEX];
    assert_true(odp_key_ok(ODP_LIT(VECTOR)));
    must(odp_key_digest(ODP_LIT("abc"), digest)); /* FIPS 180-2, B.1 */
    odp_digest_hex(digest, hex);
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    must(odp_key_digest(ODP_LIT(""), digest));
    odp_digest_hex(digest, hex);
    assert_string_equal(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(wrong_forms)
{
    static const char *const wrong[] = {
        "",
        "odp_live_",
        "odp_live_zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ",
        VECTOR "7",
        "odp_test_zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq17",
        "ODP_LIVE_zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq17",
        "odp_live_zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq18",
        "odp_live_zQWBuTSOoRi4A9spHcVY5ncnsDkxkJzzzzzz", /* more than 32 bits */
        "odp_live_ZQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq17",
        "odp_live_zQWBuTSOoRi4A9spHcVY5ncnsDkxk-0mLq17",
        " dp_live_zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq17",
    };
    for (size_t i = 0; i < ODP_COUNT(wrong); i++)
        assert_false(odp_key_ok(odp_slice_of(wrong[i])));
    assert_false(odp_key_ok((struct odp_slice){NULL, 0}));
}

/* Whatever single character is mistyped, and whatever two neighbours change places: the sum says so. */
TEST(typos)
{
    char key[ODP_KEY_LENGTH + 1];
    for (int n = 0; n < 200; n++) {
        must(odp_key_make(key));
        assert_int_equal(strlen(key), ODP_KEY_LENGTH);
        struct odp_slice k = {key, ODP_KEY_LENGTH};
        assert_true(odp_key_ok(k));
        for (size_t at = 0; at < ODP_KEY_LENGTH; at++) {
            char right = key[at];
            for (int c = 0; c < 256; c++) {
                key[at] = (char)c;
                assert_int_equal(odp_key_ok(k), key[at] == right);
            }
            key[at] = right;
            if (at + 1 < ODP_KEY_LENGTH && key[at + 1] != right) {
                key[at] = key[at + 1];
                key[at + 1] = right;
                assert_false(odp_key_ok(k));
                key[at + 1] = key[at];
                key[at] = right;
            }
        }
        assert_true(odp_key_ok(k));
    }
}

/* 4,000 keys of 30 characters: each of the 62 about 1,935 times at all places together (standard deviation
 * 44), and at no place a character that is missing. A modulo bias would give the first eight a quarter more.
 */
TEST(every_character_is_equally_likely)
{
    static unsigned all[256], at[30][256];
    char key[ODP_KEY_LENGTH + 1], before[ODP_KEY_LENGTH + 1] = "";
    for (int n = 0; n < 4000; n++) {
        must(odp_key_make(key));
        assert_string_not_equal(key, before);
        memcpy(before, key, sizeof key);
        for (int i = 0; i < 30; i++) {
            all[(unsigned char)key[9 + i]]++;
            at[i][(unsigned char)key[9 + i]]++;
        }
    }
    unsigned used = 0;
    for (int c = 0; c < 256; c++) {
        if (all[c] == 0)
            continue;
        used++;
        assert_in_range(all[c], 1935 - 7 * 44, 1935 + 7 * 44);
        for (int i = 0; i < 30; i++)
            assert_int_not_equal(at[i][c], 0);
    }
    assert_int_equal(used, 62);
}

TEST(shown)
{
    char shown[ODP_KEY_SHOWN + 1];
    odp_key_shown(ODP_LIT(VECTOR), shown);
    assert_string_equal(shown, "odp_live_zQWBu");
    static const char *const nothing[] = {
        "",
        "odp_live_zQWBu",
        "a password that somebody sent in place of a key, long enough",
        "odp_live_\r\nSet-Cookie: a=b; this is not a key at all",
    };
    for (size_t i = 0; i < ODP_COUNT(nothing); i++) {
        odp_key_shown(odp_slice_of(nothing[i]), shown);
        assert_string_equal(shown, "");
    }
    odp_key_shown((struct odp_slice){NULL, 0}, shown);
    assert_string_equal(shown, "");
}

TEST(bearer)
{
    static const struct {
        const char *header;
        enum odp_bearer says;
        const char *key;
    } cases[] = {
        {"", ODP_BEARER_NONE, NULL},
        {"   ", ODP_BEARER_NONE, NULL},
        {"Bearer abc", ODP_BEARER_OK, "abc"},
        {"bearer abc", ODP_BEARER_OK, "abc"},
        {"BEARER    abc  ", ODP_BEARER_OK, "abc"},
        {"bEaReR a-._~+/Z9==", ODP_BEARER_OK, "a-._~+/Z9=="},
        {"Bearer " VECTOR, ODP_BEARER_OK, VECTOR},
        {"Bearer", ODP_BEARER_MALFORMED, NULL},
        {"Bearer  ", ODP_BEARER_MALFORMED, NULL},
        {"Bearer a b", ODP_BEARER_MALFORMED, NULL},
        {"Bearer a,b", ODP_BEARER_MALFORMED, NULL},
        {"Bearer \"a\"", ODP_BEARER_MALFORMED, NULL},
        {"Bearer a=b", ODP_BEARER_MALFORMED, NULL},
        {"Bearer ==", ODP_BEARER_MALFORMED, NULL},
        {"Bearer \ta", ODP_BEARER_MALFORMED, NULL},
        {"Bearer \xc3\xa9", ODP_BEARER_MALFORMED, NULL},
        {"Basic dTpw", ODP_BEARER_OTHER, NULL},
        {"BearerX abc", ODP_BEARER_OTHER, NULL},
        {"Beare abc", ODP_BEARER_OTHER, NULL},
        {"Bearer\tabc", ODP_BEARER_OTHER, NULL},
        {"\x42\x05\x01rer abc", ODP_BEARER_OTHER, NULL},
        {VECTOR, ODP_BEARER_OTHER, NULL},
    };
    for (size_t i = 0; i < ODP_COUNT(cases); i++) {
        struct odp_slice key = ODP_LIT("untouched");
        if (odp_bearer_parse(odp_slice_of(cases[i].header), &key) != cases[i].says)
            fail_msg("\"%s\"", cases[i].header);
        if (!odp_slice_is(key, cases[i].key != NULL ? cases[i].key : "untouched"))
            fail_msg("\"%s\" gave \"%.*s\"", cases[i].header, (int)key.len, key.ptr);
    }
    struct odp_slice key;
    assert_int_equal(odp_bearer_parse((struct odp_slice){NULL, 0}, &key), ODP_BEARER_NONE);
    assert_int_equal(odp_bearer_parse((struct odp_slice){"Bearer a\0b", 10}, &key), ODP_BEARER_MALFORMED);
}

static void expect(const char *text, const char *redacted, size_t found)
{
    size_t len = strlen(text);
    char *copy = malloc(len > 0 ? len : 1); /* exactly as long, so that a sanitizer sees a step too far */
    assert_non_null(copy);
    memcpy(copy, text, len);
    size_t n = odp_key_redact(copy, len);
    if (n != found || strlen(redacted) != len || memcmp(copy, redacted, len) != 0)
        fail_msg("\"%s\": %zu found in \"%.*s\"", text, n, (int)len, copy);
    (void)odp_key_redact(copy, len);
    if (memcmp(copy, redacted, len) != 0)
        fail_msg("redacted twice: \"%.*s\"", (int)len, copy);
    free(copy);
}

TEST(redact_keys)
{
    expect("", "", 0);
    expect("/v1/kumuh?page=2", "/v1/kumuh?page=2", 0);
    expect(VECTOR, MASKED, 1);
    expect("GET /v1/" VECTOR ".json HTTP/1.1", "GET /v1/" MASKED ".json HTTP/1.1", 1);
    expect("/v1/" VECTOR "/" VECTOR "#" VECTOR, "/v1/" MASKED "/" MASKED "#" MASKED, 3);
    expect("x" VECTOR VECTOR, "x" MASKED "*********************************************", 1);
    expect("oOdp_Live_abcdefgh", "oOdp_Live_abcde***", 1);
    expect("%6fdp%5Flive_abcdefgh i", "%6fdp%5Flive_abcde*** i", 1);
    expect("%4F%44%50%5f%4c%49%56%45%5F%41bcde%46gh", "%4F%44%50%5f%4c%49%56%45%5F%41bcde*****", 1);
    expect("odp_live_abcdefg%2", "odp_live_abcde****", 1);
    expect("odp_live_abcdefg%", "odp_live_abcde***", 1);
    expect("odp_live_ab", "odp_live_ab", 1);
    expect("odp_live_abcdefg-hij_klm", "odp_live_abcde**********",
           1); /* a slip of the finger does not show the rest */
    expect("odp_live_abcdef\xc3\xa9gh\"", "odp_live_abcde*****\"", 1);
    expect("odp_live_%3Fkey=secret", "odp_live_%3Fkey=******", 2);
    expect("odp_live_a%0Ab%2e", "odp_live_a***b***", 1);             /* only what a key may have is shown */
    expect("%256fdp_live_abcdefgh i", "%256fdp_live_abcde*** i", 1); /* encoded twice, and three times */
    expect("%25256Fdp%255flive_abcde%2546gh", "%25256Fdp%255flive_abcde*******", 1);
    expect("%25%256%2525", "%25%256%2525", 0);
    expect("odp_liv", "odp_liv", 0);
    expect("%6fdp_live%5", "%6fdp_live%5", 0);
    expect("%", "%", 0);
}

TEST(redact_parameters)
{
    expect("/v1/kumuh?api_key=abc&page=2", "/v1/kumuh?api_key=***&page=2", 1);
    expect("/?apikey=a&key=bc&token=def&access_token=ghij HTTP/1.1",
           "/?apikey=*&key=**&token=***&access_token=**** HTTP/1.1", 4);
    expect("/?API_Key=abc#top", "/?API_Key=***#top", 1);
    expect("/?%61pi_key%3Dabc&x=1", "/?%61pi_key%3D***&x=1", 1);
    expect("/v1/kumuh%3fkey=a%26b", "/v1/kumuh%3fkey=*****", 1); /* a client that encoded its question mark */
    expect("/v1/kumuh%253fkey=a%26b", "/v1/kumuh%253fkey=*****", 1);
    expect("/?x=1;key=abc", "/?x=1;key=***", 1);
    expect("/?key=" VECTOR "&x=" VECTOR, "/?key=*********************************************&x=" MASKED, 2);
    expect("/?key=a=b/c+d", "/?key=*******", 1);
    expect("/?key=&x=1", "/?key=&x=1", 0);
    expect("/?key", "/?key", 0);
    expect("/?monkey=1&keys=2&keyx=3&x_token=4", "/?monkey=1&keys=2&keyx=3&x_token=4", 0);
    expect("/key=abc", "/key=abc", 0);
    expect("Referer: \"https://x/?key=abc\" 200", "Referer: \"https://x/?key=***\" 200", 1);
}
