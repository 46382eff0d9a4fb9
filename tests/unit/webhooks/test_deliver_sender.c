/* The sender against receivers on loopback that answer in every way, or not at all: what it makes of each. */
#include "answer_lines.h"
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

/* ---- receivers.txt: "TALK OUTCOME STATUS RETRY NAME; WHAT IT SAYS" ---- */

enum { EITHER = -1, PLANS = 80 }; /* delivered with 200, or broken: versions of curl differ */

struct plan {
    const char *name;
    void (*talk)(struct link *l);
    const char *say;
    enum odp_outcome outcome;
    int status;
    int64_t retry_after;
};

static void (*talk_of(const char *name))(struct link *l)
{
#define TALK(f)                                                                                              \
    {                                                                                                        \
#f, f                                                                                                \
    }
    static const struct {
        const char *name;
        void (*talk)(struct link *l);
    } all[] = {
        TALK(bombs),           TALK(closes),
        TALK(drips),           TALK(drips_body),
        TALK(floods),          TALK(floods_body),
        TALK(floods_header),   TALK(hangs),
        TALK(resets),          TALK(says),
        TALK(says_and_closes), TALK(says_and_hangs),
        TALK(says_and_resets), TALK(says_at_once_and_hangs),
    };
    for (size_t i = 0; i < ODP_COUNT(all); i++)
        if (strcmp(all[i].name, name) == 0)
            return all[i].talk;
    fail_msg("receivers.txt: nobody talks like %s", name);
    return NULL;
}

/* Lines of TEXT, which is cut up, as PLANS; how many. */
static size_t read_plans(char *text, struct plan *plans)
{
    size_t n = 0;
    for (char *line; (line = strsep(&text, "\n")) != NULL && *line != '\0'; n++) {
        assert_true(n < PLANS);
        struct plan *p = &plans[n];
        p->talk = talk_of(strsep(&line, " "));
        int outcome = odp_outcome_find(odp_slice_of(strsep(&line, " ")));
        assert_true(outcome >= 0);
        p->outcome = (enum odp_outcome)outcome;
        const char *status = strsep(&line, " "), *retry = strsep(&line, " ");
        p->status = strcmp(status, "either") == 0 ? EITHER : atoi(status);
        p->retry_after = strcmp(retry, "-") == 0 ? -1 : atol(retry);
        p->name = strsep(&line, ";");
        p->say = answer_unescape(line + 1, strlen(line) - 1).ptr;
    }
    return n;
}

/* Those that are to end in time (LATE) or the others, all at once: none delays another, each ends as the
 * table says, is reported once, and uses one connection and at most one request. */
static void send_to_all(bool late)
{
    struct receiver *r[PLANS];
    struct odp_target t[PLANS];
    struct odp_sender_options o = caller_options();
    size_t count = 0;
    bool fine = true;
    struct plan plans[PLANS];
    struct odp_buffer text;
    answers_read("webhooks/receivers.txt", &text);
    odp_buffer_add_char(&text, '\0');
    size_t n = read_plans(text.ptr, plans);
    o.connections = PLANS;
    o.timeout_ms = late ? 700 : 60000;
    struct caller *c = caller_new(&o);
    for (size_t i = 0; i < n; i++) {
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
    for (size_t i = 0; i < n; i++) {
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
    odp_buffer_release(&text);
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
