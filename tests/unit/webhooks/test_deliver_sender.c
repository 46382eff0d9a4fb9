/* The sender against receivers on loopback that answer in every way, or not at all: what it makes of each. */
#include "deliver_fixture.h"

/* ---- how receivers talk ---- */

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

static void resets(struct link *l)
{
    link_request(l);
    link_reset(l);
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

/* What it has to say, again and again. */
static void floods(struct link *l)
{
    link_request(l);
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
    for (int i = 0;
         i < 10240 && link_say(l, "400\r\n") && link_put(l, block, sizeof block) && link_say(l, "\r\n"); i++)
        ;
}

/* ---- the table of receivers ---- */

#define EITHER (-1) /* delivered with 200, or broken: versions of curl differ */

struct plan {
    const char *name;
    void (*talk)(struct link *l);
    const char *say;
    enum odp_outcome outcome;
    int status;
    int64_t retry_after;
};
#define STATUS(code) "HTTP/1.1 " code " X\r\nContent-Length: 0\r\n\r\n"
#define TO_METADATA(code)                                                                                    \
    "HTTP/1.1 " code " X\r\nLocation: http://169.254.169.254/latest/meta-data/\r\nContent-Length: 0\r\n\r\n"
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
    {"302 to itself", says, "HTTP/1.1 302 X\r\nLocation: /else\r\nContent-Length: 0\r\n\r\n",
     ODP_OUTCOME_REDIRECT, 302, -1},
    {"refresh", says, "HTTP/1.1 200 X\r\nRefresh: 0;url=http://169.254.169.254/\r\nContent-Length: 0\r\n\r\n",
     ODP_OUTCOME_DELIVERED, 200, -1},
    {"400", says, STATUS("400"), ODP_OUTCOME_REFUSED, 400, -1},
    {"401", says,
     "HTTP/1.1 401 X\r\nWWW-Authenticate: Basic realm=\"x\"\r\nWWW-Authenticate: NTLM\r\nWWW-Authenticate: "
     "Negotiate\r\nContent-Length: 0\r\n\r\n",
     ODP_OUTCOME_REFUSED, 401, -1},
    {"404", says, STATUS("404"), ODP_OUTCOME_REFUSED, 404, -1},
    {"407", says, "HTTP/1.1 407 X\r\nProxy-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\n\r\n",
     ODP_OUTCOME_REFUSED, 407, -1},
    {"410", says, STATUS("410"), ODP_OUTCOME_GONE, 410, -1},
    {"417", says, STATUS("417"), ODP_OUTCOME_REFUSED, 417, -1},
    {"421", says, STATUS("421"), ODP_OUTCOME_REFUSED, 421, -1},
    {"500", says, STATUS("500"), ODP_OUTCOME_REFUSED, 500, -1},
    {"599", says, STATUS("599"), ODP_OUTCOME_REFUSED, 599, -1},
    {"999", says, STATUS("999"), ODP_OUTCOME_REFUSED, 999, -1},
    {"429", says, STATUS("429"), ODP_OUTCOME_SLOW_DOWN, 429, -1},
    {"429, 7 s", says, UNDATED("429", "7"), ODP_OUTCOME_SLOW_DOWN, 429, 7},
    {"502, 0 s", says, UNDATED("502", "0"), ODP_OUTCOME_SLOW_DOWN, 502, -1},
    {"503, a date past", says, UNDATED("503", "Fri, 15 Mar 2024 01:00:00 GMT"), ODP_OUTCOME_SLOW_DOWN, 503,
     -1},
    {"504, huge", says, UNDATED("504", "99999999999"), ODP_OUTCOME_SLOW_DOWN, 504, ODP_RETRY_AFTER_MAX},
    {"504, a date far off", says, UNDATED("504", "Mon, 15 Mar 9999 01:00:00 GMT"), ODP_OUTCOME_SLOW_DOWN, 504,
     ODP_RETRY_AFTER_MAX},
    {"429, negative", says, UNDATED("429", "-5"), ODP_OUTCOME_SLOW_DOWN, 429, -1},
    {"429, garbage", says, UNDATED("429", "soon"), ODP_OUTCOME_SLOW_DOWN, 429, -1},
    {"500, 3 s", says, UNDATED("500", "3"), ODP_OUTCOME_REFUSED, 500, 3},
    {"100, then 200", says, "HTTP/1.1 100 Continue\r\nRetry-After: 9\r\n\r\n" OK_ANSWER,
     ODP_OUTCOME_DELIVERED, 200, -1},
    {"103, then 500", says, "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" STATUS("500"),
     ODP_OUTCOME_REFUSED, 500, -1},
    {"1xx for ever", floods, "HTTP/1.1 100 Continue\r\n\r\n", ODP_OUTCOME_BROKEN, 0, -1},
    {"102 for ever", floods, "HTTP/1.1 102 Processing\r\nA: b\r\n\r\n", ODP_OUTCOME_BROKEN, 0, -1},
    {"101", says_and_hangs,
     "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nxxxx",
     ODP_OUTCOME_REFUSED, 101, -1},
    {"h2c", says_and_hangs,
     "HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\nxxxx",
     ODP_OUTCOME_REFUSED, 101, -1},
    {"HTTP/0.9", says_and_closes, "hello, fine\n", ODP_OUTCOME_BROKEN, 0, -1},
    {"garbage", says_and_closes, "\x16\x03\x01\xff\xfe\x80garbage\r\n\r\n\r\n", ODP_OUTCOME_BROKEN, 0, -1},
    {"not three digits", says_and_closes, "HTTP/1.1 2000 OK\r\nContent-Length: 0\r\n\r\n", ODP_OUTCOME_BROKEN,
     EITHER, -1},
    {"status 000", says_and_closes, "HTTP/1.1 000 X\r\nContent-Length: 0\r\n\r\n", ODP_OUTCOME_BROKEN, 0, -1},
    {"SSH", says_at_once_and_hangs, "SSH-2.0-OpenSSH_9.2p1 Debian\r\n", ODP_OUTCOME_BROKEN, 0, -1},
    {"SMTP", says_and_closes, "220 mail.example.go.id ESMTP\r\n500 unknown command\r\n", ODP_OUTCOME_BROKEN,
     0, -1},
    {"closes", closes, NULL, ODP_OUTCOME_BROKEN, 0, -1},
    {"closes after the request", says_and_closes, "", ODP_OUTCOME_BROKEN, 0, -1},
    {"closes in the status line", says_and_closes, "HTTP/1.1 2", ODP_OUTCOME_BROKEN, 0, -1},
    {"closes in the header", says_and_closes, "HTTP/1.1 200 OK\r\nContent-Type: te", ODP_OUTCOME_BROKEN, 0,
     -1},
    {"closes in the body", says_and_closes, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nok",
     ODP_OUTCOME_DELIVERED, 200, -1},
    {"bad chunks", says_and_closes, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
     ODP_OUTCOME_DELIVERED, 200, -1},
    {"resets", resets, NULL, ODP_OUTCOME_BROKEN, 0, -1},
    {"resets after 200", says_and_resets, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nok",
     ODP_OUTCOME_DELIVERED, 200, -1},
    {"hangs", hangs, NULL, ODP_OUTCOME_TIMEOUT, 0, -1},
    {"hangs after the request", says_and_hangs, "", ODP_OUTCOME_TIMEOUT, 0, -1},
    {"hangs in the header", says_and_hangs, "HTTP/1.1 200 OK\r\nContent-Type: te", ODP_OUTCOME_TIMEOUT, 0,
     -1},
    {"hangs in 1xx", says_and_hangs, "HTTP/1.1 100 Continue\r\n\r\n", ODP_OUTCOME_TIMEOUT, 0, -1},
    {"hangs after the header", says_and_hangs, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n",
     ODP_OUTCOME_DELIVERED, 200, -1},
    {"500 and hangs", says_and_hangs, "HTTP/1.1 500 X\r\n\r\n", ODP_OUTCOME_REFUSED, 500, -1},
    {"drips the header", drips,
     "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX: "
     "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n\r\nok",
     ODP_OUTCOME_TIMEOUT, 0, -1},
    {"drips the body", drips_body, NULL, ODP_OUTCOME_DELIVERED, 200, -1},
    {"body for ever", floods_body, "HTTP/1.1 200 OK\r\n\r\n", ODP_OUTCOME_DELIVERED, 200, -1},
    {"huge length", floods_body, "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\n",
     ODP_OUTCOME_DELIVERED, 200, -1},
    {"headers for ever", floods_header, "X-Filler: 0123456789012345678901234567890123456789\r\n",
     ODP_OUTCOME_BROKEN, 0, -1},
    {"one header for ever", floods_header, "0123456789012345678901234567890123456789", ODP_OUTCOME_BROKEN, 0,
     -1},
    {"folded header for ever", floods_header, "X:\r\n 0123456789\r\n", ODP_OUTCOME_BROKEN, 0, -1},
    {"trailers for ever", floods,
     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: y\r\nX: y\r\n", ODP_OUTCOME_DELIVERED, 200,
     -1},
    {"gzip bomb", bombs, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n",
     ODP_OUTCOME_DELIVERED, 200, -1},
    {"bomb of transfer", bombs, "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
     ODP_OUTCOME_DELIVERED, EITHER, -1},
    {"two lengths", says_and_closes, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok",
     ODP_OUTCOME_DELIVERED, 200, -1},
    {"negative length", says_and_closes, "HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\nok",
     ODP_OUTCOME_BROKEN, 0, -1},
    {"empty lines", says_and_closes, "\r\n\r\n\r\n", ODP_OUTCOME_BROKEN, 0, -1},
};
enum { PLANS = ODP_COUNT(plans) };

/* Those that are to end in time (LATE) or the others, all at once: none delays another, each ends as the
 * table says, is reported once, and uses one connection and at most one request. */
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
        must(odp_sender_add(c->s, &m));
    }
    assert_int_equal(c->s->busy, count);
    caller_run(c, count, 60000);
    assert_int_equal(c->s->busy, 0);
    for (size_t i = 0; i < PLANS; i++) {
        const struct told *got = &c->told[i];
        const struct plan *p = &plans[i];
        if (r[i] == NULL)
            continue;
        bool answered = got->outcome == p->outcome && got->status == p->status;
        if (p->status == EITHER)
            answered = got->status == 200 ? got->outcome == ODP_OUTCOME_DELIVERED
                                          : got->outcome == ODP_OUTCOME_BROKEN && got->status == 0;
        bool same = got->times == 1 && answered && got->retry_after == p->retry_after &&
                    atomic_load(&r[i]->connections) == 1 && atomic_load(&r[i]->requests) <= 1 &&
                    strcmp(got->address, "127.0.0.1") == 0 && got->answer_len == 0 &&
                    got->took_ms >= (late ? 700 : 0);
        if (!same)
            print_error("%s: %s %d, retry %lld, %u connections, %u requests, at %s, %zu bytes\n", p->name,
                        odp_outcome_name(got->outcome), got->status, (long long)got->retry_after,
                        atomic_load(&r[i]->connections), atomic_load(&r[i]->requests), got->address,
                        got->answer_len);
        fine = fine && same;
        receiver_stop(r[i]);
    }
    assert_true(fine);
    caller_free(c);
}

TEST(every_receiver_that_answers_or_breaks)
{
    send_to_all(false);
}

TEST(every_receiver_that_is_late)
{
    send_to_all(true);
}

/* ---- answers that are wanted ---- */

TEST(answers)
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
         "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nchall\r\n4;x=y\r\nenge\r\n0\r\nT: "
         "u\r\n\r\n",
         100, "challenge"},
        {"to the end", says_and_closes, "HTTP/1.1 200 OK\r\n\r\nchallenge", 100, "challenge"},
        {"less than said", says_and_closes, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nchallenge", 100,
         "challenge"},
        {"not unpacked", says_and_closes, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8b\x08_",
         100, "\x1f\x8b\x08_"},
        {"of an error, too", says, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnope", 100, "nope"},
        {"none of 1xx", says, "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
         100, "ok"},
        {"endless", floods, "HTTP/1.1 200 OK\r\n\r\nabcdefghij", 20, "abcdefghijHTTP/1.1 2"},
        {"what came before it hung", says_and_hangs,
         "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nchallenge", 100, "challenge"},
    };
    enum { CASES = ODP_COUNT(cases) };
    struct receiver *r[CASES];
    struct odp_target t[CASES];
    struct odp_sender_options o = caller_options();
    o.timeout_ms = 1500; /* the last one is at its end then */
    struct caller *c = caller_new(&o);
    for (size_t i = 0; i < CASES; i++) {
        r[i] = receiver_start(cases[i].talk, cases[i].say);
        target_set(&t[i], "http", "127.0.0.1", r[i]->port, "/");
        struct odp_sending m = message_to(&t[i], i);
        m.answer_max = cases[i].max;
        must(odp_sender_add(c->s, &m));
    }
    caller_run(c, CASES, 60000);
    for (size_t i = 0; i < CASES; i++) {
        assert_outcome(&c->told[i], ODP_OUTCOME_DELIVERED, 200);
        assert_string_equal(c->told[i].answer, cases[i].answer);
        receiver_stop(r[i]);
    }
    caller_free(c);
}
