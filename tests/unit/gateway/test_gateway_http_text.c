/* The small parts: escapes, times, typed text, the limiter, the log's lines. */
#include "answer_lines.h"
#include "gateway_http_fixture.h"
#include "service/http/text.h"
#include "service/state/limit.h"
#include "service/state/log.h"

static void answer(void *ctx, struct odp_slice question, struct odp_buffer *out)
{
    static const char *const words[] = {"name", "email", "organisation", "purpose"};
    size_t verb = strcspn(question.ptr, " "), at = verb + (question.len > verb), n = 0;
    const struct odp_slice text = {question.ptr + at, question.len - at};
    struct odp_buffer token = {0};
    char plain[64];
    if (strncmp(question.ptr, "percent", 7) == 0) {
        bool ok = odp_percent_decode(text, plain, &n);
        odp_buffer_printf(out, "%.*s", ok ? (int)n : 2, ok ? plain : "no");
    } else if (strncmp(question.ptr, "form", 4) == 0) {
        int times = odp_form_get(text, "token", &token);
        odp_buffer_printf(out, "%d%s%s", times, times > 0 ? " " : "",
                          times > 0 ? odp_buffer_cstr(&token) : "");
    } else if (strncmp(question.ptr, "base64", 6) == 0) {
        odp_base64_add(out, text.ptr, text.len, 0);
    } else if (strncmp(question.ptr, "typed", 5) == 0) {
        odp_buffer_add_str(out, odp_typed_ok(text) ? "yes" : "no");
    } else if (strncmp(question.ptr, "nearest", 7) == 0) {
        const char *word = odp_word_nearest(text, words, 4);
        odp_buffer_add_str(out, word != NULL ? word : "none");
    } else {
        n = odp_limit_client(text, plain);
        odp_buffer_add_str(out, n == 0 ? "none" : "");
        for (size_t i = 0; i < n; i++)
            odp_buffer_printf(out, "%02x", (unsigned char)plain[i]);
    }
    odp_buffer_release(&token);
}

TEST(answers)
{
    answer_lines("gateway/answers/text.txt", answer, NULL);
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

TEST(base64_of_lines)
{
    struct odp_buffer b = {0};
    odp_base64_add(&b, "foobarfoobar", 12, 8);
    assert_string_equal(odp_buffer_cstr(&b), "Zm9vYmFy\nZm9vYmFy");
    odp_buffer_release(&b);
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
