/* Standard Webhooks: the specification's vector, names, challenges, times. tests/e2e/deliver.py compares
 * signatures with Python's hmac. */
#include "answer_lines.h"

#include "service/webhooks/deliver/standard.h"

/* ---- secrets ---- */

TEST(secrets)
{
    uint8_t a[ODP_WEBHOOK_SECRET], b[ODP_WEBHOOK_SECRET], counting[ODP_WEBHOOK_SECRET];
    char text[ODP_WEBHOOK_SECRET_TEXT];
    for (size_t i = 0; i < sizeof counting; i++)
        counting[i] = (uint8_t)(i * 8 + 7);
    odp_webhook_secret_text(counting, text);
    assert_string_equal(text, "whsec_Bw8XHycvNz9HT1dfZ293f4ePl5+nr7e/x8/X3+fv9/8=");
    assert_int_equal(strlen(text) + 1, ODP_WEBHOOK_SECRET_TEXT);
    must(odp_webhook_secret_new(a));
    must(odp_webhook_secret_new(b));
    assert_memory_not_equal(a, b, sizeof a);
}

/* ---- the signature ---- */

/* The example of the specification. */
static const uint8_t example[] = {0x31, 0xf2, 0x90, 0xf6, 0xbf, 0x06, 0x29, 0x8a, 0xab, 0x4f, 0x08, 0xd4,
                                  0x3c, 0x3f, 0x08, 0x2c, 0xf6, 0x48, 0xa3, 0x62, 0xda, 0x2d, 0xa4, 0xb0};
#define EXAMPLE ((struct odp_slice){(const char *)example, sizeof example})

TEST(vector)
{
    char out[ODP_WEBHOOK_SIGNATURE + 1];
    const struct odp_slice keys[2] = {EXAMPLE, ODP_LIT("another key of thirty-two bytes.")};
    must(odp_webhook_sign(out, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, ODP_LIT("{\"test\": 2432232314}"),
                          keys, 1));
    assert_string_equal(out, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    must(odp_webhook_sign(out, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, ODP_LIT("{\"test\": 2432232314}"),
                          keys, 2));
    assert_int_equal(strlen(out), 95);
    assert_memory_equal(out, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE= v1,", 51);
    char second[ODP_WEBHOOK_SIGNATURE + 1];
    must(odp_webhook_sign(second, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330,
                          ODP_LIT("{\"test\": 2432232314}"), keys + 1, 1));
    assert_string_equal(out + 48, second);
}

TEST(signs_nothing_odd)
{
    char out[ODP_WEBHOOK_SIGNATURE + 1] = "x";
    const struct odp_slice keys[3] = {EXAMPLE, {"", 0}, EXAMPLE};
    must_refuse(odp_webhook_sign(out, "msg_a.b", 1, ODP_LIT("{}"), keys,
                                 1)); /* "msg_a" at "b.1" would be signed as the same */
    assert_string_equal(out, "");
    must_refuse(odp_webhook_sign(out, "", 1, ODP_LIT("{}"), keys, 1));
    must_refuse(odp_webhook_sign(out, "msg_a", 1, ODP_LIT("{}"), keys, 0));
    must_refuse(odp_webhook_sign(out, "msg_a", 1, ODP_LIT("{}"), keys, 3));
    must_refuse(odp_webhook_sign(out, "msg_a", 1, ODP_LIT("{}"), keys, 2));
    assert_string_equal(out, "");
    must_refuse(odp_webhook_sign(out, "msg_a", 1, ODP_LIT("{}"), keys + 1, 1));
    must(odp_webhook_sign(out, "msg_a", 1, (struct odp_slice){NULL, 0}, keys, 1));
}

/* ---- names ---- */

TEST(message_ids)
{
    char a[ODP_WEBHOOK_ID], b[ODP_WEBHOOK_ID];
    static const struct {
        const char *event, *webhook, *id; /* made by Python: int.from_bytes(sha256(event + b"\0" +
                                             webhook).digest()[:16], "big") in base 62 */
    } rows[] = {
        {"quota/7/2026-11-22/80", "wh_0123456789abcdefghij", "msg_4NmrOIuXFNIDNrFT8R6m6x"},
        {"", "", "msg_3LwwKJ0GAADzsAKeAK40om"},
    };
    for (size_t i = 0; i < ODP_COUNT(rows); i++) {
        must(odp_webhook_message_id(a, rows[i].event, rows[i].webhook));
        assert_string_equal(a, rows[i].id);
        assert_int_equal(strlen(a) + 1, ODP_WEBHOOK_ID);
    }
    must(odp_webhook_message_id(a, "ab", "c"));
    must(odp_webhook_message_id(b, "a", "bc"));
    assert_string_not_equal(a, b);
}

/* ---- challenges ---- */

TEST(challenge)
{
    uint8_t secret[ODP_WEBHOOK_SECRET];
    char a[ODP_WEBHOOK_CHALLENGE], b[ODP_WEBHOOK_CHALLENGE];
    for (size_t i = 0; i < sizeof secret; i++)
        secret[i] = (uint8_t)i;
    must(odp_webhook_challenge(a, secret, "wh_0123456789abcdefghij", 3));
    assert_string_equal(
        a,
        "SGhu6eaqqFTbsOuhfbB6JH9cmqOYatOe"); /* by Python: the HMAC as a number, modulo 62**32, in base 62 */
    must(odp_webhook_challenge(b, secret, "wh_0123456789abcdefghij", 4));
    assert_string_not_equal(a, b);
    must(odp_webhook_challenge(b, secret, "wh_0123456789abcdefghi", 3));
    assert_string_not_equal(a, b);
    secret[31] ^= 1;
    must(odp_webhook_challenge(b, secret, "wh_0123456789abcdefghij", 3));
    assert_string_not_equal(a, b);
}

static void answer(void *ctx, struct odp_slice question, struct odp_buffer *out)
{
    const struct odp_slice text = {question.ptr + 5, question.len - 5};
    odp_buffer_add_str(out,
                       odp_webhook_challenge_met("Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bD0fG", text) ? "met" : "no");
}

TEST(challenge_met)
{
    answer_lines("webhooks/answers/challenges.txt", answer, NULL);
    assert_false(odp_webhook_challenge_met("x", (struct odp_slice){NULL, 0}));
    assert_false(odp_webhook_challenge_met("", ODP_LIT("")));
    assert_false(odp_webhook_challenge_met("", ODP_LIT("\"\"")));
    assert_false(odp_webhook_challenge_met("", ODP_LIT("{\"challenge\":\"\"}")));
    char deep[4000]; /* cut by the limit of bytes, or made to hurt */
    memset(deep, '[', sizeof deep);
    memcpy(deep, "{\"a\":", 5);
    assert_false(odp_webhook_challenge_met("x", (struct odp_slice){deep, sizeof deep}));
}

/* ---- the schedule ---- */

TEST(schedule)
{
    static const int64_t seconds[] = {5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400};
    for (unsigned n = 1; n <= 9; n++) {
        int64_t ms = seconds[n - 1] * 1000;
        assert_int_equal(odp_webhook_delay_ms(n, 0, -1), ms);
        assert_int_equal(odp_webhook_delay_ms(n, UINT32_MAX, -1), ms + ms / 5);
        assert_int_equal(odp_webhook_delay_ms(n, UINT32_MAX / 2 + 1, -1), ms + ms / 10);
        assert_int_equal(odp_webhook_delay_ms(n, 0, 0), ms);
        assert_int_equal(odp_webhook_delay_ms(n, 0, seconds[n - 1] - 1), ms);
        assert_int_equal(odp_webhook_delay_ms(n, 0, INT64_MAX), 86400000);
        assert_int_equal(odp_webhook_delay_ms(n, 0, INT64_MIN), ms);
    }
    assert_int_equal(odp_webhook_delay_ms(1, 0, 6), 6000);
    assert_int_equal(odp_webhook_delay_ms(1, UINT32_MAX, 6), 6000);
    assert_int_equal(odp_webhook_delay_ms(1, UINT32_MAX, 5), 6000);
    assert_int_equal(odp_webhook_delay_ms(2, 0, 86400), 86400000);
    assert_int_equal(odp_webhook_delay_ms(2, 0, 86401), 86400000);
    assert_int_equal(odp_webhook_delay_ms(9, UINT32_MAX, 86400),
                     103680000); /* Retry-After shortens nothing */
    assert_int_equal(odp_webhook_delay_ms(10, 0, -1), -1);
    assert_int_equal(odp_webhook_delay_ms(10, 0, 60), -1);
    assert_int_equal(odp_webhook_delay_ms(UINT32_MAX, 0, -1), -1);
    assert_int_equal(odp_webhook_delay_ms(0, UINT32_MAX, -1), 0);
}
