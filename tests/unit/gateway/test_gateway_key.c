/* API keys: their form, their checksum, the Authorization header, and what a log may say of them. */
#include "answer_lines.h"

#include "core/keys/key.h"

#define VECTOR                                                                                               \
    "odp_live_zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq17" /* the random part and sum of GitHub's published example \
                                                     */

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

/* gateway/answers/key.txt: "key TEXT", "holds TEXT", "bearer HEADER", "redact TEXT" (how many were found, and
 * what is left). */
static void answer(void *ctx, struct odp_slice question, struct odp_buffer *out)
{
    static const char *const says[] = {[ODP_BEARER_NONE] = "none",
                                       [ODP_BEARER_OK] = "key ",
                                       [ODP_BEARER_MALFORMED] = "malformed",
                                       [ODP_BEARER_OTHER] = "other"};
    size_t verb = strcspn(question.ptr, " ") + 1, len = question.len - verb;
    char *copy = malloc(len > 0 ? len : 1); /* exactly as long, so that a sanitizer sees a step too far */
    assert_non_null(copy);
    memcpy(copy, question.ptr + verb, len);
    const struct odp_slice text = {copy, len};
    struct odp_slice key = ODP_LIT("untouched");
    if (question.ptr[0] == 'k') {
        odp_buffer_add_str(out, odp_key_ok(text) ? "yes" : "no");
    } else if (question.ptr[0] == 'b') {
        enum odp_bearer bearer = odp_bearer_parse(text, &key);
        odp_buffer_add_str(out, says[bearer]);
        if (bearer == ODP_BEARER_OK)
            odp_buffer_add(out, key.ptr, key.len);
        else
            assert_true(odp_slice_is(key, "untouched"));
    } else if (question.ptr[0] == 'h') {
        odp_buffer_add_str(out, odp_key_is_in(text) ? "yes" : "no");
    } else {
        bool holds = odp_key_is_in(text);
        size_t found = odp_key_redact(copy, len);
        assert_true(found > 0 || !holds);
        odp_buffer_printf(out, "%zu %.*s", found, (int)len, copy);
        char *once = strndup(copy, len);
        (void)odp_key_redact(copy, len);
        assert_memory_equal(copy, once, len);
        free(once);
    }
    free(copy);
}

TEST(answers)
{
    struct odp_slice key;
    answer_lines("gateway/answers/key.txt", answer, NULL);
    assert_false(odp_key_ok((struct odp_slice){NULL, 0}));
    assert_int_equal(odp_bearer_parse((struct odp_slice){NULL, 0}, &key), ODP_BEARER_NONE);
}
