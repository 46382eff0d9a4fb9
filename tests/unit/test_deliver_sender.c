/* The sender against receivers on loopback: what is sent, byte for byte, and what it makes of answers of every kind and of
 * none. */
#include "deliver_fixture.h"

#include <sys/resource.h>

#include "base/diag.h"
#include "base/file.h"

#define OK_ANSWER "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

/* ---- how receivers talk ---- */

/* Answers every request with what it has to say. */
static void says(struct link *l)
{
    while (link_request(l) && link_put(l, l->r->say, l->r->say_len))
        ;
}

static void says_and_closes(struct link *l)
{
    if (link_request(l))
        link_put(l, l->r->say, l->r->say_len);
}

static void says_and_resets(struct link *l)
{
    says_and_closes(l);
    link_wait(l, -1, 50); /* so that what it said is there */
    link_reset(l);
}

static void says_and_hangs(struct link *l)
{
    says_and_closes(l);
    link_wait(l, -1, -1);
}

static void says_at_once_and_hangs(struct link *l)
{
    link_put(l, l->r->say, l->r->say_len);
    link_wait(l, -1, -1);
}

static void closes(struct link *l)
{
    (void)l;
}

static void resets(struct link *l)
{
    link_request(l);
    link_reset(l);
}

static void hangs(struct link *l)
{
    link_wait(l, -1, -1);
}

/* What it has to say, one byte every 100 ms. */
static void drips(struct link *l)
{
    link_request(l);
    for (size_t i = 0; i < l->r->say_len && link_put(l, l->r->say + i, 1); i++)
        if (link_wait(l, -1, 100) < 0)
            return;
    link_wait(l, -1, -1);
}

/* The header at once, of the body one byte every 100 ms, for ever. */
static void drips_body(struct link *l)
{
    link_request(l);
    link_say(l, "HTTP/1.1 200 OK\r\n\r\n");
    while (link_say(l, "x") && link_wait(l, -1, 100) == 0)
        ;
}

/* What it has to say, again and again. */
static void floods(struct link *l)
{
    link_request(l);
    while (link_put(l, l->r->say, l->r->say_len) && link_wait(l, -1, 0) == 0)
        ;
}

static void floods_header(struct link *l)
{
    link_request(l);
    link_say(l, "HTTP/1.1 200 OK\r\n");
    while (link_put(l, l->r->say, l->r->say_len) && link_wait(l, -1, 0) == 0)
        ;
}

static void floods_body(struct link *l)
{
    static const char block[16384];
    link_request(l);
    link_put(l, l->r->say, l->r->say_len);
    while (link_put(l, block, sizeof block) && link_wait(l, -1, 0) == 0)
        ;
}

/* 10 MB of zeroes in chunks of gzip, which nobody asked for. */
static void bombs(struct link *l)
{
    char block[1024];
    link_request(l);
    link_put(l, l->r->say, l->r->say_len);
    memset(block, 0, sizeof block);
    for (int i = 0; i < 10240 && link_say(l, "400\r\n") && link_put(l, block, sizeof block) && link_say(l, "\r\n"); i++)
        ;
}

/* Only the first connection is answered; each closes when it has. */
static void says_once(struct link *l)
{
    says_and_closes(l);
}

/* ---- the table of receivers ---- */

struct plan {
    const char *name;
    void (*talk)(struct link *l);
    const char *say;
    enum odp_outcome outcome;
    int status;
    int64_t retry_after;
};
#define STATUS(code) "HTTP/1.1 " code " X\r\nContent-Length: 0\r\n\r\n"
#define TO_METADATA(code)                                                                                                      \
    "HTTP/1.1 " code " X\r\nLocation: http://169.254.169.254/latest/meta-data/\r\nContent-Length: 0\r\n\r\n"
#define WAITING(code, how)                                                                                                     \
    "HTTP/1.1 " code " X\r\nDate: Fri, 15 Mar 2024 02:00:00 GMT\r\nRetry-After: " how "\r\nContent-Length: 0\r\n\r\n"
#define UNDATED(code, how) "HTTP/1.1 " code " X\r\nRetry-After: " how "\r\nContent-Length: 0\r\n\r\n"

static const struct plan plans[] = {
    {"200", says, OK_ANSWER, ODP_OUTCOME_DELIVERED, 200, -1},
    {"200, closes", says_and_closes, "HTTP/1.1 200 OK\r\n\r\nfine", ODP_OUTCOME_DELIVERED, 200, -1},
    {"200 of HTTP/1.0", says_and_closes, "HTTP/1.0 200 OK\r\n\r\nfine", ODP_OUTCOME_DELIVERED, 200, -1},
    {"201", says, STATUS("201"), ODP_OUTCOME_DELIVERED, 201, -1},
    {"202", says, STATUS("202"), ODP_OUTCOME_DELIVERED, 202, -1},
    {"204", says, "HTTP/1.1 204 No Content\r\n\r\n", ODP_OUTCOME_DELIVERED, 204, -1},
    {"299", says, STATUS("299"), ODP_OUTCOME_DELIVERED, 299, -1},
    {"300", says, STATUS("300"), ODP_OUTCOME_REFUSED, 300, -1},
    {"301", says, TO_METADATA("301"), ODP_OUTCOME_REDIRECT, 301, -1},
    {"302", says, TO_METADATA("302"), ODP_OUTCOME_REDIRECT, 302, -1},
    {"303", says, TO_METADATA("303"), ODP_OUTCOME_REDIRECT, 303, -1},
    {"304", says, "HTTP/1.1 304 X\r\n\r\n", ODP_OUTCOME_REFUSED, 304, -1},
    {"307", says, TO_METADATA("307"), ODP_OUTCOME_REDIRECT, 307, -1},
    {"308", says, TO_METADATA("308"), ODP_OUTCOME_REDIRECT, 308, -1},
    {"302 to itself", says, "HTTP/1.1 302 X\r\nLocation: /else\r\nContent-Length: 0\r\n\r\n", ODP_OUTCOME_REDIRECT, 302, -1},
    {"refresh", says, "HTTP/1.1 200 X\r\nRefresh: 0;url=http://169.254.169.254/\r\nContent-Length: 0\r\n\r\n",
     ODP_OUTCOME_DELIVERED, 200, -1},
    {"400", says, STATUS("400"), ODP_OUTCOME_REFUSED, 400, -1},
    {"401", says,
     "HTTP/1.1 401 X\r\nWWW-Authenticate: Basic realm=\"x\"\r\nWWW-Authenticate: NTLM\r\nWWW-Authenticate: "
     "Negotiate\r\nContent-Length: 0\r\n\r\n",
     ODP_OUTCOME_REFUSED, 401, -1},
    {"404", says, STATUS("404"), ODP_OUTCOME_REFUSED, 404, -1},
    {"407", says, "HTTP/1.1 407 X\r\nProxy-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\n\r\n", ODP_OUTCOME_REFUSED,
     407, -1},
    {"410", says, STATUS("410"), ODP_OUTCOME_GONE, 410, -1},
    {"417", says, STATUS("417"), ODP_OUTCOME_REFUSED, 417, -1},
    {"421", says, STATUS("421"), ODP_OUTCOME_REFUSED, 421, -1},
    {"500", says, STATUS("500"), ODP_OUTCOME_REFUSED, 500, -1},
    {"599", says, STATUS("599"), ODP_OUTCOME_REFUSED, 599, -1},
    {"999", says, STATUS("999"), ODP_OUTCOME_REFUSED, 999, -1},
    {"429", says, STATUS("429"), ODP_OUTCOME_SLOW_DOWN, 429, -1},
    {"429, 7 s", says, UNDATED("429", "7"), ODP_OUTCOME_SLOW_DOWN, 429, 7},
    {"502, 0 s", says, UNDATED("502", "0"), ODP_OUTCOME_SLOW_DOWN, 502, 0},
    {"503, a date", says, WAITING("503", "Fri, 15 Mar 2024 02:01:30 GMT"), ODP_OUTCOME_SLOW_DOWN, 503, 90},
    {"503, a date past", says, WAITING("503", "Fri, 15 Mar 2024 01:00:00 GMT"), ODP_OUTCOME_SLOW_DOWN, 503, 0},
    {"504, huge", says, UNDATED("504", "99999999999999999999999999"), ODP_OUTCOME_SLOW_DOWN, 504, ODP_RETRY_AFTER_MAX},
    {"504, a date far off", says, WAITING("504", "Fri, 15 Mar 9999 01:00:00 GMT"), ODP_OUTCOME_SLOW_DOWN, 504,
     -1}, /* it is a Monday */
    {"504, a true date far off", says, WAITING("504", "Mon, 15 Mar 9999 01:00:00 GMT"), ODP_OUTCOME_SLOW_DOWN, 504,
     ODP_RETRY_AFTER_MAX},
    {"429, negative", says, UNDATED("429", "-5"), ODP_OUTCOME_SLOW_DOWN, 429, -1},
    {"429, garbage", says, UNDATED("429", "soon"), ODP_OUTCOME_SLOW_DOWN, 429, -1},
    {"500, 3 s", says, UNDATED("500", "3"), ODP_OUTCOME_REFUSED, 500, 3},
    {"100, then 200", says, "HTTP/1.1 100 Continue\r\nRetry-After: 9\r\n\r\n" OK_ANSWER, ODP_OUTCOME_DELIVERED, 200, -1},
    {"103, then 500", says, "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" STATUS("500"), ODP_OUTCOME_REFUSED, 500, -1},
    {"1xx for ever", floods, "HTTP/1.1 100 Continue\r\n\r\n", ODP_OUTCOME_BROKEN, 0, -1},
    {"102 for ever", floods, "HTTP/1.1 102 Processing\r\nA: b\r\n\r\n", ODP_OUTCOME_BROKEN, 0, -1},
    {"101", says_and_hangs, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nxxxx",
     ODP_OUTCOME_REFUSED, 101, -1},
    {"h2c", says_and_hangs, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\nxxxx",
     ODP_OUTCOME_REFUSED, 101, -1},
    {"HTTP/0.9", says_and_closes, "hello, fine\n", ODP_OUTCOME_BROKEN, 0, -1},
    {"garbage", says_and_closes, "\x16\x03\x01\xff\xfe\x80garbage\r\n\r\n\r\n", ODP_OUTCOME_BROKEN, 0, -1},
    {"not three digits", says_and_closes, "HTTP/1.1 2000 OK\r\nContent-Length: 0\r\n\r\n", ODP_OUTCOME_BROKEN, 0, -1},
    {"status 000", says_and_closes, "HTTP/1.1 000 X\r\nContent-Length: 0\r\n\r\n", ODP_OUTCOME_BROKEN, 0, -1},
    {"SSH", says_at_once_and_hangs, "SSH-2.0-OpenSSH_9.2p1 Debian\r\n", ODP_OUTCOME_BROKEN, 0, -1},
    {"SMTP", says_and_closes, "220 mail.example.go.id ESMTP\r\n500 unknown command\r\n", ODP_OUTCOME_BROKEN, 0, -1},
    {"closes", closes, NULL, ODP_OUTCOME_BROKEN, 0, -1},
    {"closes after the request", says_and_closes, "", ODP_OUTCOME_BROKEN, 0, -1},
    {"closes in the status line", says_and_closes, "HTTP/1.1 2", ODP_OUTCOME_BROKEN, 0, -1},
    {"closes in the header", says_and_closes, "HTTP/1.1 200 OK\r\nContent-Type: te", ODP_OUTCOME_BROKEN, 0, -1},
    {"closes in the body", says_and_closes, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nok", ODP_OUTCOME_DELIVERED, 200, -1},
    {"bad chunks", says_and_closes, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", ODP_OUTCOME_DELIVERED, 200,
     -1},
    {"resets", resets, NULL, ODP_OUTCOME_BROKEN, 0, -1},
    {"resets after 200", says_and_resets, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nok", ODP_OUTCOME_DELIVERED, 200, -1},
    {"hangs", hangs, NULL, ODP_OUTCOME_TIMEOUT, 0, -1},
    {"hangs after the request", says_and_hangs, "", ODP_OUTCOME_TIMEOUT, 0, -1},
    {"hangs in the header", says_and_hangs, "HTTP/1.1 200 OK\r\nContent-Type: te", ODP_OUTCOME_TIMEOUT, 0, -1},
    {"hangs in 1xx", says_and_hangs, "HTTP/1.1 100 Continue\r\n\r\n", ODP_OUTCOME_TIMEOUT, 0, -1},
    {"hangs after the header", says_and_hangs, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n", ODP_OUTCOME_DELIVERED, 200,
     -1},
    {"500 and hangs", says_and_hangs, "HTTP/1.1 500 X\r\n\r\n", ODP_OUTCOME_REFUSED, 500, -1},
    {"drips the header", drips,
     "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n\r\nok",
     ODP_OUTCOME_TIMEOUT, 0, -1},
    {"drips the body", drips_body, NULL, ODP_OUTCOME_DELIVERED, 200, -1},
    {"body for ever", floods_body, "HTTP/1.1 200 OK\r\n\r\n", ODP_OUTCOME_DELIVERED, 200, -1},
    {"huge length", floods_body, "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\n", ODP_OUTCOME_DELIVERED, 200,
     -1},
    {"headers for ever", floods_header, "X-Filler: 0123456789012345678901234567890123456789\r\n", ODP_OUTCOME_BROKEN, 0, -1},
    {"one header for ever", floods_header, "0123456789012345678901234567890123456789", ODP_OUTCOME_BROKEN, 0, -1},
    {"folded header for ever", floods_header, "X:\r\n 0123456789\r\n", ODP_OUTCOME_BROKEN, 0, -1},
    {"trailers for ever", floods, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: y\r\nX: y\r\n",
     ODP_OUTCOME_DELIVERED, 200, -1},
    {"gzip bomb", bombs, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n",
     ODP_OUTCOME_DELIVERED, 200, -1},
    {"bomb of transfer", bombs, "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", ODP_OUTCOME_DELIVERED, 200, -1},
    {"two lengths", says_and_closes, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok",
     ODP_OUTCOME_DELIVERED, 200, -1},
    {"negative length", says_and_closes, "HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\nok", ODP_OUTCOME_BROKEN, 0, -1},
    {"empty lines", says_and_closes, "\r\n\r\n\r\n", ODP_OUTCOME_BROKEN, 0, -1},
    {"once", says_once, OK_ANSWER, ODP_OUTCOME_DELIVERED, 200, -1},
};
enum { PLANS = sizeof plans / sizeof *plans };

/* Those that are to end in time (LATE) or the others, all at once: none holds up another, each ends as the table says, told of
 * once, with one connection and at most one request. */
static void send_to_all(bool late)
{
    struct receiver *r[PLANS];
    struct odp_target t[PLANS];
    struct odp_sender_options o = caller_options();
    size_t count = 0;
    bool fine = true;
    o.connections = PLANS;
    o.timeout_ms = late ? 700 : 60000;
    struct caller *c = caller_new(&o);
    for (size_t i = 0; i < PLANS; i++) {
        r[i] = NULL;
        if ((plans[i].outcome == ODP_OUTCOME_TIMEOUT) != late)
            continue;
        count++;
        r[i] = receiver_start(plans[i].talk, plans[i].say);
        target_set(&t[i], "http", "127.0.0.1", r[i]->port, "/hook");
        struct odp_sending m = message_to(&t[i], i);
        assert_int_equal(odp_sender_add(c->s, &m), ODP_OK);
    }
    assert_int_equal(odp_sender_busy(c->s), count);
    caller_run(c, count, 60000);
    assert_int_equal(odp_sender_busy(c->s), 0);
    for (size_t i = 0; i < PLANS; i++) {
        const struct told *got = &c->told[i];
        const struct plan *p = &plans[i];
        if (r[i] == NULL)
            continue;
        bool same = got->times == 1 && got->outcome == p->outcome && got->status == p->status &&
                    got->retry_after == p->retry_after && atomic_load(&r[i]->connections) == 1 &&
                    atomic_load(&r[i]->requests) <= 1 && strcmp(got->address, "127.0.0.1") == 0 && got->answer_len == 0 &&
                    got->took_ms >= (late ? 700 : 0);
        if (!same)
            print_error("%s: %s %d, retry %lld, %u connections, %u requests, at %s, %zu bytes\n", p->name,
                        odp_outcome_name(got->outcome), got->status, (long long)got->retry_after,
                        atomic_load(&r[i]->connections), atomic_load(&r[i]->requests), got->address, got->answer_len);
        fine = fine && same;
        receiver_stop(r[i]);
    }
    assert_true(fine);
    caller_free(c);
}

static void test_every_receiver_that_answers_or_breaks(void **state)
{
    (void)state;
    send_to_all(false);
}

static void test_every_receiver_that_is_late(void **state)
{
    (void)state;
    send_to_all(true);
}

/* ---- what is sent ---- */

static void test_bytes_of_a_request(void **state)
{
    struct odp_sender_options o = caller_options();
    struct receiver *r =
        receiver_start(says, "HTTP/1.1 200 OK\r\nSet-Cookie: a=b; Path=/\r\nStrict-Transport-Security: max-age=31536000\r\n"
                             "Alt-Svc: h2=\":1\"; ma=3600\r\nWWW-Authenticate: Basic\r\nContent-Length: 2\r\n\r\nok");
    struct odp_target t;
    char expected[1024];
    (void)state;
    struct caller *c = caller_new(&o);
    target_set(&t, "http", "127.0.0.1", r->port, "/hook/%C3%A9?a=1&b=%20");
    (void)snprintf(expected, sizeof expected,
                   "POST /hook/%%C3%%A9?a=1&b=%%20 HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nUser-Agent: tes/1 "
                   "(+https://data.example.go.id/)\r\nAccept: */*\r\n"
                   "webhook-id: msg_2Lh9KRb0pzN4LePd3XiA4v9q7\r\nwebhook-timestamp: 1710468000\r\n"
                   "webhook-signature: v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=\r\nContent-Type: "
                   "application/json\r\nContent-Length: 23\r\n\r\n"
                   "{\"type\":\"webhook.test\"}",
                   r->port);
    /* The second time on the same connection, and nothing of the first answer is in it. */
    for (size_t i = 0; i < 2; i++) {
        assert_outcome(caller_send(c, &t, i, 0), ODP_OUTCOME_DELIVERED, 200);
        assert_string_equal(receiver_text(r), expected);
        assert_int_equal(r->text_len, strlen(expected));
    }
    assert_int_equal(atomic_load(&r->connections), 1);
    caller_free(c);
    receiver_stop(r);
}

/* A body of any length goes at once, without asking whether it may; one that is empty is a POST as well. */
static void test_bodies(void **state)
{
    struct odp_sender_options o = caller_options();
    struct receiver *r = receiver_start(says, OK_ANSWER);
    struct odp_target t;
    static char body[40000];
    (void)state;
    struct caller *c = caller_new(&o);
    target_set(&t, "http", "127.0.0.1", r->port, "/");
    memset(body, 'x', sizeof body);
    struct odp_sending m = message_to(&t, 0);
    for (size_t len = 0, i = 0; len <= sizeof body; len += sizeof body, i++) {
        m.token = (void *)(uintptr_t)(i + 1);
        m.body = (struct odp_slice){len > 0 ? body : NULL, len};
        assert_int_equal(odp_sender_add(c->s, &m), ODP_OK);
        caller_run(c, i + 1, 60000);
        assert_outcome(&c->told[i], ODP_OUTCOME_DELIVERED, 200);
        char *end = strstr(receiver_text(r), "\r\n\r\n");
        assert_non_null(end);
        assert_null(strcasestr(receiver_text(r), "Expect"));
        assert_int_equal(r->text_len - (size_t)(end + 4 - receiver_text(r)), len);
    }
    /* Copied by add. */
    char lent[] = "{\"a\":1}";
    m.token = (void *)(uintptr_t)3;
    m.body = (struct odp_slice){lent, strlen(lent)};
    assert_int_equal(odp_sender_add(c->s, &m), ODP_OK);
    memset(lent, '!', strlen(lent));
    memset(&t, 0, sizeof t);
    caller_run(c, 3, 60000);
    assert_non_null(strstr(receiver_text(r), "\r\n\r\n{\"a\":1}"));
    caller_free(c);
    receiver_stop(r);
}

/* What cannot be a header, or is far too long, is not taken. */
static void test_what_is_not_taken(void **state)
{
    struct odp_sender_options o = caller_options();
    struct odp_target t;
    char why[512], long_text[400];
    static char huge[1024 * 1024 + 1];
    struct odp_sender *none = NULL;
    (void)state;
    struct caller *c = caller_new(&o);
    target_set(&t, "http", "127.0.0.1", 9, "/");
    memset(long_text, 'a', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = '\0';
    const char *const wrong[] = {"msg_1\r\nX-Evil: 1", "msg_1\n", "msg_\xc3\xa9", "\x7f", long_text};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct odp_sending m = message_to(&t, i);
        m.id = wrong[i];
        assert_int_equal(odp_sender_add(c->s, &m), ODP_FAIL);
        odp_failure_clear();
        m = message_to(&t, i);
        m.signature = wrong[i];
        assert_int_equal(odp_sender_add(c->s, &m), ODP_FAIL);
        odp_failure_clear();
    }
    struct odp_sending m = message_to(&t, 0);
    m.body = (struct odp_slice){huge, sizeof huge};
    assert_int_equal(odp_sender_add(c->s, &m), ODP_FAIL);
    odp_failure_clear();
    assert_int_equal(odp_sender_busy(c->s), 0);
    caller_free(c);

    o.user_agent = "x\r\nX-Evil: 1";
    assert_int_equal(odp_sender_new(&none, &o, why), ODP_BAD);
    assert_null(none);
    assert_non_null(strstr(why, "User-Agent"));
    o = caller_options();
    o.ca_file = "/no/such/file.pem";
    assert_int_equal(odp_sender_new(&none, &o, why), ODP_BAD);
    assert_non_null(strstr(why, "/no/such/file.pem"));
    odp_sender_free(NULL);
}

/* ---- answers that are wanted ---- */

static void test_answers(void **state)
{
    static const struct {
        const char *name;
        void (*talk)(struct link *l);
        const char *say;
        size_t max;
        const char *answer;
    } cases[] = {
        {"whole", says, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nchallenge", 100, "challenge"},
        {"to the byte", says, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nchallenge", 9, "challenge"},
        {"cut", says, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nchallenge", 4, "chal"},
        {"chunks", says,
         "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nchall\r\n4;x=y\r\nenge\r\n0\r\nT: u\r\n\r\n", 100,
         "challenge"},
        {"to the end", says_and_closes, "HTTP/1.1 200 OK\r\n\r\nchallenge", 100, "challenge"},
        {"less than said", says_and_closes, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nchallenge", 100, "challenge"},
        {"not unpacked", says_and_closes, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8b\x08_", 100,
         "\x1f\x8b\x08_"},
        {"of an error, too", says, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnope", 100, "nope"},
        {"none of 1xx", says, "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", 100, "ok"},
        {"endless", floods, "HTTP/1.1 200 OK\r\n\r\nabcdefghij", 20, "abcdefghijHTTP/1.1 2"},
        {"what came before it hung", says_and_hangs, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nchallenge", 100,
         "challenge"},
    };
    enum { CASES = sizeof cases / sizeof *cases };
    struct receiver *r[CASES];
    struct odp_target t[CASES];
    struct odp_sender_options o = caller_options();
    (void)state;
    o.timeout_ms = 1500; /* the last one is at its end then */
    struct caller *c = caller_new(&o);
    for (size_t i = 0; i < CASES; i++) {
        r[i] = receiver_start(cases[i].talk, cases[i].say);
        target_set(&t[i], "http", "127.0.0.1", r[i]->port, "/");
        struct odp_sending m = message_to(&t[i], i);
        m.answer_max = cases[i].max;
        assert_int_equal(odp_sender_add(c->s, &m), ODP_OK);
    }
    caller_run(c, CASES, 60000);
    for (size_t i = 0; i < CASES; i++) {
        assert_outcome(&c->told[i], ODP_OUTCOME_DELIVERED, 200);
        assert_string_equal(c->told[i].answer, cases[i].answer);
        receiver_stop(r[i]);
    }
    caller_free(c);
}

/* ---- connections ---- */

static void test_connections_are_used_again(void **state)
{
    struct odp_sender_options o = caller_options();
    struct receiver *r = receiver_start(says, OK_ANSWER);
    struct odp_target t;
    (void)state;
    struct caller *c = caller_new(&o);
    target_set(&t, "http", "127.0.0.1", r->port, "/");
    for (size_t i = 0; i < 200; i++)
        assert_outcome(caller_send(c, &t, i, 0), ODP_OUTCOME_DELIVERED, 200);
    assert_int_equal(atomic_load(&r->connections), 1);
    assert_int_equal(atomic_load(&r->requests), 200);
    /* Nothing was sent for ten seconds: all are closed. */
    c->s->used_at -= 10000;
    assert_int_equal(odp_sender_run(c->s, 0, c, caller_done), ODP_OK);
    for (int i = 0; i < 1000 && atomic_load(&r->ended) == 0; i++)
        (void)usleep(10000);
    assert_int_equal(atomic_load(&r->ended), 1);
    assert_outcome(caller_send(c, &t, 200, 0), ODP_OUTCOME_DELIVERED, 200);
    assert_int_equal(atomic_load(&r->connections), 2);
    caller_free(c);
    receiver_stop(r);
}

/* A connection that the receiver closed between two messages is not the second one's fault. */
static void test_a_closed_connection_is_replaced(void **state)
{
    struct odp_sender_options o = caller_options();
    struct receiver *r = receiver_start(says_once, OK_ANSWER);
    struct odp_target t;
    (void)state;
    struct caller *c = caller_new(&o);
    target_set(&t, "http", "127.0.0.1", r->port, "/");
    for (size_t i = 0; i < 20; i++)
        assert_outcome(caller_send(c, &t, i, 0), ODP_OUTCOME_DELIVERED, 200);
    assert_int_equal(atomic_load(&r->connections), 20);
    assert_int_equal(atomic_load(&r->requests), 20);
    caller_free(c);
    receiver_stop(r);
}

static void adds_no_more(void *ctx, const struct odp_sent *r)
{
    caller_done(ctx, r);
}

/* Not more at once than allowed, of all and of one place; what was not taken can be added later. */
static void test_bounds(void **state)
{
    struct odp_sender_options o = caller_options();
    struct receiver *a = receiver_start(hangs, NULL), *b = receiver_start(hangs, NULL);
    struct odp_target ta, tb;
    (void)state;
    o.connections = 5;
    o.per_place = 3;
    o.timeout_ms = 300;
    struct caller *c = caller_new(&o);
    target_set(&ta, "http", "127.0.0.1", a->port, "/");
    target_set(&tb, "http", "127.0.0.1", b->port, "/");
    for (size_t i = 0; i < 3; i++) {
        struct odp_sending m = message_to(&ta, i);
        assert_true(odp_sender_has_room(c->s, ta.place));
        assert_int_equal(odp_sender_add(c->s, &m), ODP_OK);
    }
    struct odp_sending m = message_to(&ta, 3);
    assert_false(odp_sender_has_room(c->s, ta.place));
    assert_int_equal(odp_sender_add(c->s, &m), ODP_DONE);
    assert_true(odp_sender_has_room(c->s, NULL));
    for (size_t i = 3; i < 5; i++) {
        m = message_to(&tb, i);
        assert_int_equal(odp_sender_add(c->s, &m), ODP_OK);
    }
    assert_false(odp_sender_has_room(c->s, NULL));
    assert_false(odp_sender_has_room(c->s, tb.place));
    m = message_to(&tb, 5);
    assert_int_equal(odp_sender_add(c->s, &m), ODP_DONE);
    caller_run(c, 5, 60000);
    for (size_t i = 0; i < 5; i++)
        assert_outcome(&c->told[i], ODP_OUTCOME_TIMEOUT, 0);
    assert_int_equal(atomic_load(&a->connections), 3);
    assert_int_equal(atomic_load(&b->connections), 2);
    assert_true(odp_sender_has_room(c->s, ta.place));
    assert_int_equal(odp_sender_run(c->s, 0, c, adds_no_more), ODP_OK);
    caller_free(c);
    receiver_stop(a);
    receiver_stop(b);
}

/* ---- adding while being told ---- */

struct chain {
    struct caller *c;
    const struct odp_target *t;
    size_t next, end;
};

static void adds_next(void *ctx, const struct odp_sent *r)
{
    struct chain *chain = ctx;
    caller_done(chain->c, r);
    assert_int_equal(r->answer.len, 2);
    if (chain->next < chain->end) {
        struct odp_sending m = message_to(chain->t, chain->next++);
        m.answer_max = 100;
        assert_int_equal(odp_sender_add(chain->c->s, &m), ODP_OK);
    }
    assert_memory_equal(r->answer.ptr, "ok", 2); /* still there */
}

static void test_the_next_is_added_when_one_is_told(void **state)
{
    struct odp_sender_options o = caller_options();
    struct receiver *r = receiver_start(says, OK_ANSWER);
    struct odp_target t;
    (void)state;
    o.connections = 4;
    struct caller *c = caller_new(&o);
    target_set(&t, "http", "127.0.0.1", r->port, "/");
    struct chain chain = {c, &t, 4, 400};
    for (size_t i = 0; i < 4; i++) {
        struct odp_sending m = message_to(&t, i);
        m.answer_max = 100;
        assert_int_equal(odp_sender_add(c->s, &m), ODP_OK);
    }
    for (int64_t until = fixture_now() + 60000; c->count < 400 && fixture_now() < until;)
        assert_int_equal(odp_sender_run(c->s, 1000, &chain, adds_next), ODP_OK);
    for (size_t i = 0; i < 400; i++) {
        assert_int_equal(c->told[i].times, 1);
        assert_outcome(&c->told[i], ODP_OUTCOME_DELIVERED, 200);
    }
    assert_int_equal(atomic_load(&r->requests), 400);
    assert_in_range(atomic_load(&r->connections), 1, 4);
    caller_free(c);
    receiver_stop(r);
}

/* ---- being woken; being freed in the middle ---- */

static void *waker(void *ctx)
{
    (void)usleep(50000);
    odp_sender_wake(ctx);
    return NULL;
}

static void test_wake(void **state)
{
    struct odp_sender_options o = caller_options();
    pthread_t thread;
    (void)state;
    struct caller *c = caller_new(&o);
    assert_int_equal(pthread_create(&thread, NULL, waker, c->s), 0);
    assert_int_equal(odp_sender_run(c->s, 600000, c, caller_done), ODP_OK); /* or the test's own time is over */
    pthread_join(thread, NULL);
    odp_sender_wake(c->s);
    assert_int_equal(odp_sender_run(c->s, 600000, c, caller_done), ODP_OK);
    assert_int_equal(odp_sender_run(c->s, 0, c, caller_done), ODP_OK);
    assert_int_equal(c->count, 0);
    caller_free(c);
}

static void test_free_in_the_middle(void **state)
{
    struct odp_sender_options o = caller_options();
    struct receiver *r[] = {receiver_start(hangs, NULL), receiver_start(drips_body, NULL),
                            receiver_start(floods_header, "A: b\r\n"), receiver_start(says, OK_ANSWER)};
    struct odp_target t;
    (void)state;
    for (int turns = 0; turns < 6; turns++) {
        struct caller *c = caller_new(&o);
        for (size_t i = 0; i < 4; i++) {
            target_set(&t, "http", "127.0.0.1", r[i]->port, "/");
            struct odp_sending m = message_to(&t, i);
            assert_int_equal(odp_sender_add(c->s, &m), ODP_OK);
        }
        for (int i = 0; i < turns; i++)
            assert_int_equal(odp_sender_run(c->s, 10, c, caller_done), ODP_OK);
        caller_free(c);
    }
    for (size_t i = 0; i < 4; i++)
        receiver_stop(r[i]);
}

/* ---- nothing of the environment ---- */

static void test_the_environment_says_nothing(void **state)
{
    static const char *const names[] = {"http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY",
                                        "no_proxy",   "NO_PROXY",   "HOME",        "NETRC",       "CURL_HOME"};
    char trap_url[64], home[] = "odp-netrc-XXXXXX", path[64], *cwd = get_current_dir_name(), full[4096];
    struct odp_sender_options o = caller_options();
    struct receiver *trap = receiver_start(says, OK_ANSWER), *r = receiver_start(says, OK_ANSWER);
    struct odp_target t;
    struct odp_file *file;
    static const char netrc[] = "machine 127.0.0.1 login siapa password rahasia\ndefault login siapa password rahasia\n";
    (void)state;
    assert_non_null(mkdtemp(home));
    (void)snprintf(path, sizeof path, "%s/.netrc", home);
    assert_int_equal(odp_file_create(&file, path, 0600), ODP_OK);
    assert_int_equal(odp_file_write(file, netrc, strlen(netrc)), ODP_OK);
    assert_int_equal(odp_file_close(file, NULL), ODP_OK);
    (void)snprintf(trap_url, sizeof trap_url, "http://127.0.0.1:%u", trap->port);
    (void)snprintf(full, sizeof full, "%s/%s", cwd, home);
    char *before[sizeof names / sizeof *names];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        before[i] = getenv(names[i]) != NULL ? strdup(getenv(names[i])) : NULL;
        setenv(names[i], i < 6 ? trap_url : i < 8 ? "" : full, 1);
    }
    struct caller *c = caller_new(&o);
    target_set(&t, "http", "127.0.0.1", r->port, "/");
    assert_outcome(caller_send(c, &t, 0, 0), ODP_OUTCOME_DELIVERED, 200);
    assert_int_equal(atomic_load(&trap->connections), 0);
    assert_int_equal(atomic_load(&r->requests), 1);
    assert_null(strcasestr(receiver_text(r), "authorization"));
    assert_null(strcasestr(receiver_text(r), "proxy"));
    caller_free(c);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (before[i] != NULL)
            setenv(names[i], before[i], 1);
        else
            unsetenv(names[i]);
        free(before[i]);
    }
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(home), 0);
    free(cwd);
    receiver_stop(trap);
    receiver_stop(r);
}

/* ---- we have no sockets left: that is not the receiver's fault ---- */

static void test_no_sockets_left(void **state)
{
    struct odp_sender_options o = caller_options();
    struct receiver *r = receiver_start(says, OK_ANSWER);
    struct odp_target t, other;
    struct rlimit before, none;
    (void)state;
    struct caller *c = caller_new(&o);
    target_set(&t, "http", "127.0.0.1", r->port, "/");
    target_set(&other, "http", "127.0.0.2", r->port, "/");
    assert_outcome(caller_send(c, &t, 0, 0), ODP_OUTCOME_DELIVERED, 200);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    int next = dup(0);
    assert_true(next > 0);
    close(next);
    none = (struct rlimit){(rlim_t)next, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    struct told *told = caller_send(c, &other, 1, 0);
    assert_outcome(caller_send(c, &t, 2, 0), ODP_OUTCOME_DELIVERED, 200); /* on the connection that is open */
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_outcome(told, ODP_OUTCOME_UNSENT, 0);
    odp_failure_clear();
    assert_int_equal(atomic_load(&r->connections), 1);
    caller_free(c);
    receiver_stop(r);
}

/* ---- the registry, and what answers say of waiting ---- */

static void test_outcomes(void **state)
{
    static const char *const names[] = {"delivered", "refused",         "redirect",          "gone",          "slow-down",
                                        "timeout",   "name-not-found",  "address-forbidden", "not-connected", "tls-failed",
                                        "broken",    "challenge-unmet", "not-sent"};
    (void)state;
    assert_int_equal(ODP_OUTCOMES, sizeof names / sizeof *names);
    for (int i = 0; i < ODP_OUTCOMES; i++) {
        assert_string_equal(odp_outcome_name((enum odp_outcome)i), names[i]);
        assert_int_equal(odp_outcome_find(odp_slice_of(names[i])), i);
        const struct odp_text *meaning = odp_outcome_meaning((enum odp_outcome)i);
        assert_true(strlen(meaning->in[ODP_LANG_ID]) > 10);
        assert_true(strlen(meaning->in[ODP_LANG_EN]) > 10);
    }
    assert_int_equal(odp_outcome_find(ODP_LIT("Delivered")), -1);
    assert_int_equal(odp_outcome_find(ODP_LIT("")), -1);
    assert_int_equal(odp_outcome_find(ODP_LIT("deliveredx")), -1);
}

static void test_dates(void **state)
{
    (void)state;
    /* The three forms of RFC 9110 section 5.6.7, its own example. */
    assert_int_equal(odp_answer_date(ODP_LIT("Sun, 06 Nov 1994 08:49:37 GMT")), 784111777);
    assert_int_equal(odp_answer_date(ODP_LIT("Sunday, 06-Nov-94 08:49:37 GMT")), 784111777);
    assert_int_equal(odp_answer_date(ODP_LIT("Sun Nov  6 08:49:37 1994")), 784111777);
    assert_int_equal(odp_answer_date(ODP_LIT("Thu, 01 Jan 1970 00:00:00 GMT")), 0);
    static const char *const wrong[] = {"",
                                        "GMT",
                                        " GMT",
                                        "Sun, 06 Nov 1994 08:49:37",
                                        "Mon, 06 Nov 1994 08:49:37 GMT",
                                        "Sun, 06 Nov 1994 25:49:37 GMT",
                                        "Sun, 31 Feb 1994 08:49:37 GMT",
                                        "1994-11-06T08:49:37Z",
                                        "Wed, 31 Dec 1969 23:59:59 GMT",
                                        "06 Nov 1994 08:49:37 GMT",
                                        "Sun, 06 Nov 1994 08:49:37 GMT GMT",
                                        "784111777"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(odp_answer_date(odp_slice_of(wrong[i])), -1);
}

static int64_t waits(int64_t now, const char *const *lines, size_t n)
{
    struct odp_answer_head h;
    odp_answer_head_clear(&h);
    for (size_t i = 0; i < n; i++)
        odp_answer_head_line(&h, odp_slice_of(lines[i]));
    return odp_answer_retry_after(&h, now);
}
#define WAITS(now, ...)                                                                                                        \
    waits(now, (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static void test_retry_after(void **state)
{
    (void)state;
    assert_int_equal(WAITS(0, "Retry-After: 120\r\n"), 120);
    assert_int_equal(WAITS(0, "retry-after:120\r\n"), 120);
    assert_int_equal(WAITS(0, "RETRY-AFTER: \t 120 \r\n"), 120);
    assert_int_equal(WAITS(0, "Retry-After: 0\r\n"), 0);
    assert_int_equal(WAITS(0, "Retry-After: 000000000000000000000000000007\r\n"), 7);
    assert_int_equal(WAITS(0, "Retry-After: 31622400\r\n"), 31622400);
    assert_int_equal(WAITS(0, "Retry-After: 31622401\r\n"), 31622400);
    assert_int_equal(WAITS(0, "Retry-After: 18446744073709551616\r\n"), 31622400);
    static const char *const none[] = {"Retry-After: -1",   "Retry-After: +1", "Retry-After: 1.5", "Retry-After: 1s",
                                       "Retry-After: 0x10", "Retry-After:",    "Retry-After",      "Retry-After : 1",
                                       "X-Retry-After: 1",  "Retry-Afte: 1",   "Retry-After: 1 2", "Retry-After: \xd9\xa1"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_int_equal(WAITS(0, none[i]), -1);
    /* Of several, the first that can be read. */
    assert_int_equal(WAITS(0, "Retry-After: 5\r\n", "Retry-After: 7\r\n"), 5);
    assert_int_equal(WAITS(0, "Retry-After: x\r\n", "Retry-After: 7\r\n"), 7);
    /* A date: by the answer's own clock where it has one, else by ours. */
    assert_int_equal(WAITS(784111770, "Retry-After: Sun, 06 Nov 1994 08:49:37 GMT\r\n"), 7);
    assert_int_equal(WAITS(784111778, "Retry-After: Sun, 06 Nov 1994 08:49:37 GMT\r\n"), 0);
    assert_int_equal(WAITS(0, "Date: Sun, 06 Nov 1994 08:49:00 GMT\r\n", "Retry-After: Sun, 06 Nov 1994 08:49:37 GMT\r\n"), 37);
    assert_int_equal(WAITS(0, "Retry-After: Sun, 06 Nov 1994 08:49:37 GMT\r\n", "Date: Sun, 06 Nov 1994 08:49:00 GMT\r\n"), 37);
    assert_int_equal(WAITS(784111770, "Date: never\r\n", "Retry-After: Sun, 06 Nov 1994 08:49:37 GMT\r\n"), 7);
    assert_int_equal(WAITS(0, "Retry-After: Sun, 06 Nov 1994 08:49:37 GMT\r\n"), 31622400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_receiver_that_answers_or_breaks),
        cmocka_unit_test(test_every_receiver_that_is_late),
        cmocka_unit_test(test_bytes_of_a_request),
        cmocka_unit_test(test_bodies),
        cmocka_unit_test(test_what_is_not_taken),
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_connections_are_used_again),
        cmocka_unit_test(test_a_closed_connection_is_replaced),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_the_next_is_added_when_one_is_told),
        cmocka_unit_test(test_wake),
        cmocka_unit_test(test_free_in_the_middle),
        cmocka_unit_test(test_the_environment_says_nothing),
        cmocka_unit_test(test_no_sockets_left),
        cmocka_unit_test(test_outcomes),
        cmocka_unit_test(test_dates),
        cmocka_unit_test(test_retry_after),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
