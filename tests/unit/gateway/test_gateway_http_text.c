/* The small parts: escapes, times, typed text, the limiter, the log's lines. */
#include "gateway_http_fixture.h"
#include "service/http/text.h"
#include "service/state/limit.h"
#include "service/state/log.h"

TEST(percent)
{
    char out[64];
    size_t n = 0;
    assert_true(odp_percent_decode(ODP_LIT("/a%20b%2Fc+d"), out, &n));
    assert_memory_equal(out, "/a b/c+d", n);
    assert_false(odp_percent_decode(ODP_LIT("%00"), out, &n));
    assert_false(odp_percent_decode(ODP_LIT("%2"), out, &n));
    assert_false(odp_percent_decode(ODP_LIT("%zz"), out, &n));
    assert_false(odp_percent_decode(ODP_LIT("%"), out, &n));
}

TEST(forms)
{
    struct odp_buffer b = {0};
    assert_int_equal(odp_form_get(ODP_LIT("a=1&token=x+y%26&b"), "token", &b), 1);
    assert_string_equal(odp_buffer_cstr(&b), "x y&");
    assert_int_equal(odp_form_get(ODP_LIT("a=1"), "token", &b), 0);
    assert_int_equal(odp_form_get(ODP_LIT(""), "token", &b), 0);
    assert_int_equal(odp_form_get(ODP_LIT("token=1&tok%65n=2"), "token", &b), 2);
    assert_string_equal(odp_buffer_cstr(&b), "1");
    assert_int_equal(odp_form_get(ODP_LIT("token=%"), "token", &b), -1);
    assert_int_equal(odp_form_get(ODP_LIT("token&&=x"), "token", &b), 1);
    assert_int_equal(b.len, 0);
    odp_buffer_release(&b);
}

TEST(times)
{
    char out[ODP_TIME_SIZE];
    odp_time_iso(FIXTURE_NOW, 420, out);
    assert_string_equal(out, "2024-03-15T09:00:00+07:00");
    odp_time_iso(FIXTURE_NOW, -210, out);
    assert_string_equal(out, "2024-03-14T22:30:00-03:30");
    odp_day_iso(19797, out);
    assert_string_equal(out, "2024-03-15");
}

TEST(base64)
{
    static const char *const pairs[][2] = {
        {"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foobar", "Zm9vYmFy"}};
    struct odp_buffer b = {0};
    for (size_t i = 0; i < ODP_COUNT(pairs); i++) { /* RFC 4648, section 10 */
        odp_buffer_clear(&b);
        odp_base64_add(&b, pairs[i][0], strlen(pairs[i][0]), 0);
        assert_string_equal(odp_buffer_cstr(&b), pairs[i][1]);
    }
    odp_buffer_clear(&b);
    odp_base64_add(&b, "foobarfoobar", 12, 8);
    assert_string_equal(odp_buffer_cstr(&b), "Zm9vYmFy\nZm9vYmFy");
    odp_buffer_release(&b);
}

TEST(typed)
{
    assert_true(odp_typed_ok(ODP_LIT("Sari \xc3\xa9 \xe4\xb8\xad \xf0\x9f\x98\x80")));
    assert_false(odp_typed_ok(ODP_LIT("a\tb")));
    assert_false(odp_typed_ok(ODP_LIT("a\x7f")));
    assert_false(odp_typed_ok(ODP_LIT("a\xc2\x85")));     /* NEL */
    assert_false(odp_typed_ok(ODP_LIT("a\xe2\x80\xae"))); /* U+202E */
    assert_false(odp_typed_ok(ODP_LIT("a\xe2\x81\xa6"))); /* U+2066 */
    assert_false(odp_typed_ok(ODP_LIT("a\xe2\x80\xa8"))); /* U+2028 */
    assert_false(odp_typed_ok(ODP_LIT("a\xff")));
}

TEST(nearest)
{
    static const char *const words[] = {"name", "email", "organisation", "purpose"};
    assert_string_equal(odp_word_nearest(ODP_LIT("Emial"), words, 4), "email");
    assert_string_equal(odp_word_nearest(ODP_LIT("organization"), words, 4), "organisation");
    assert_null(odp_word_nearest(ODP_LIT("telephone"), words, 4));
    assert_null(odp_word_nearest(ODP_LIT(""), words, 4));
    assert_null(odp_word_nearest(ODP_LIT("0123456789012345678901234567890123456789"), words, 4));
}

TEST(clients)
{
    char a[ODP_CLIENT_SIZE], b[ODP_CLIENT_SIZE];
    assert_int_equal(odp_limit_client(ODP_LIT("192.0.2.1"), a), 4);
    assert_int_equal(odp_limit_client(ODP_LIT("::ffff:192.0.2.1"), b), 4);
    assert_memory_equal(a, b, 4);
    assert_int_equal(odp_limit_client(ODP_LIT("2001:db8::1"), a), 8);
    assert_int_equal(odp_limit_client(ODP_LIT("2001:db8:0:0:ffff::2"), b), 8);
    assert_memory_equal(a, b, 8);
    assert_int_equal(odp_limit_client(ODP_LIT("2001:db8:0:1::1"), b), 8);
    assert_memory_not_equal(a, b, 8);
    assert_int_equal(odp_limit_client(ODP_LIT(""), a), 0);
    assert_int_equal(odp_limit_client(ODP_LIT("unix:"), a), 0);
    assert_int_equal(odp_limit_client(ODP_LIT("192.0.2.1, 10.0.0.1"), a), 0);
}

TEST(limit_slides)
{
    struct odp_limit *l = NULL;
    struct odp_slice who = ODP_LIT("x");
    int64_t retry = 0, now = (int64_t)FIXTURE_NOW * 1000;
    must(odp_limit_new(&l));
    for (int i = 0; i < 4; i++)
        assert_true(odp_limit_take(l, ODP_LIMIT_REGISTER, who, 4, now, &retry));
    assert_false(odp_limit_look(l, ODP_LIMIT_REGISTER, who, 4, now, &retry));
    assert_false(odp_limit_take(l, ODP_LIMIT_REGISTER, who, 4, now, &retry));
    assert_int_equal(retry, 900);
    assert_true(odp_limit_take(l, ODP_LIMIT_RECOVER, who, 4, now, &retry)); /* another kind */
    assert_false(odp_limit_take(l, ODP_LIMIT_REGISTER, who, 4, now + 899999, &retry));
    assert_int_equal(retry, 1);
    assert_true(odp_limit_look(l, ODP_LIMIT_REGISTER, who, 4, now + 900000, &retry));
    assert_true(odp_limit_take(l, ODP_LIMIT_REGISTER, who, 4, now + 900000, &retry));
    assert_false(odp_limit_take(l, ODP_LIMIT_REGISTER, who, 4, now + 900000, &retry));
    assert_true(odp_limit_take(l, ODP_LIMIT_REGISTER, who, 0, now, &retry)); /* no limit */
    /* The clock was set back by a year: an hour later at the latest it is over. */
    assert_false(odp_limit_take(l, ODP_LIMIT_REGISTER, who, 4, now - 31536000000, &retry));
    assert_true(retry <= 900);
    odp_limit_free(l);
}

TEST(limit_is_bounded)
{
    struct odp_limit *l = NULL;
    int64_t retry = 0, now = (int64_t)FIXTURE_NOW * 1000;
    must(odp_limit_new(&l));
    for (uint32_t i = 0; i < 4 * ODP_LIMIT_ENTRIES;
         i++) { /* many more than there is room for: all are served */
        struct odp_slice who = {(const char *)&i, sizeof i};
        assert_true(odp_limit_take(l, ODP_LIMIT_REGISTER, who, 1, now + i, &retry));
    }
    uint32_t last = 4 * ODP_LIMIT_ENTRIES - 1;
    assert_false(odp_limit_take(l, ODP_LIMIT_REGISTER, (struct odp_slice){(const char *)&last, sizeof last},
                                1, now + last, &retry));
    odp_limit_free(l);
}

TEST(log_lines)
{
    char out[256];
    size_t n = odp_log_line(out, sizeof out, FIXTURE_NOW, "error", "a\nb\x1b[31m\x7f");
    out[n] = '\0';
    assert_string_equal(out, "2024-03-15T02:00:00Z error a\\x0ab\\x1b[31m\\x7f\n");
    n = odp_log_line(out, 40, FIXTURE_NOW, "info", "0123456789012345678901234567890123456789");
    assert_true(n <= 40 && out[n - 1] == '\n');
}

TEST(log_keeps_no_secret)
{
    char key[ODP_KEY_LENGTH + 1], text[512] = "";
    int ends[2], err = dup(STDERR_FILENO);
    assert_int_equal(pipe(ends), 0);
    must(odp_key_make(key));
    assert_true(dup2(ends[1], STDERR_FILENO) >= 0);
    odp_log("info", "request %s", key);
    assert_true(dup2(err, STDERR_FILENO) >= 0);
    close(ends[1]);
    close(err);
    assert_true(read(ends[0], text, sizeof text - 1) > 0);
    close(ends[0]);
    assert_null(strstr(text, key));
    assert_non_null(strstr(text, "request odp_live_"));
}
