/* The sender as its caller has it: what it sends, byte for byte, connections, bounds, being woken and freed,
 * what of the machine counts and what does not, and what answers say of waiting. */
#include "deliver_fixture.h"

#include <sys/resource.h>

#include "base/diag.h"
#include "base/file.h"

/* ---- how receivers talk ---- */

/* ---- what is sent ---- */

TEST(bytes_of_a_request)
{
    struct odp_sender_options o = caller_options();
    struct receiver *r = receiver_start(
        says, "HTTP/1.1 200 OK\r\nSet-Cookie: a=b; Path=/\r\nStrict-Transport-Security: max-age=31536000\r\n"
              "Alt-Svc: h2=\":1\"; ma=3600\r\nWWW-Authenticate: Basic\r\nContent-Length: 2\r\n\r\nok");
    struct odp_target t;
    char expected[1024];
    struct caller *c = caller_new(&o);
    target_set(&t, "http", "127.0.0.1", r->port, "/hook/%C3%A9?a=1&b=%20");
    snprintf(expected, sizeof expected,
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
TEST(bodies)
{
    static char body[40000];
    struct wire w = wire_open("127.0.0.1", says, OK_ANSWER, NULL);
    memset(body, 'x', sizeof body);
    struct odp_sending m = message_to(&w.t, 0);
    for (size_t len = 0, i = 0; len <= sizeof body; len += sizeof body, i++) {
        m.token = (void *)(uintptr_t)(i + 1);
        m.body = (struct odp_slice){len > 0 ? body : NULL, len};
        must(odp_sender_add(w.c->s, &m));
        caller_run(w.c, i + 1, 60000);
        assert_outcome(&w.c->told[i], ODP_OUTCOME_DELIVERED, 200);
        char *end = strstr(receiver_text(w.r), "\r\n\r\n");
        assert_non_null(end);
        assert_null(strcasestr(receiver_text(w.r), "Expect"));
        assert_int_equal(w.r->text_len - (size_t)(end + 4 - receiver_text(w.r)), len);
    }
    /* Copied by add. */
    char lent[] = "{\"a\":1}";
    m.token = (void *)(uintptr_t)3;
    m.body = (struct odp_slice){lent, strlen(lent)};
    must(odp_sender_add(w.c->s, &m));
    memset(lent, '!', strlen(lent));
    memset(&w.t, 0, sizeof w.t);
    caller_run(w.c, 3, 60000);
    assert_non_null(strstr(receiver_text(w.r), "\r\n\r\n{\"a\":1}"));
    wire_close(&w);
}

/* What cannot be a header, or is far too long, is not taken. */
TEST(what_is_not_taken)
{
    struct odp_sender_options o = caller_options();
    struct odp_target t;
    char why[512], long_text[400];
    static char huge[1024 * 1024 + 1];
    struct odp_sender *none = NULL;
    struct caller *c = caller_new(&o);
    target_set(&t, "http", "127.0.0.1", 9, "/");
    memset(long_text, 'a', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = '\0';
    const char *const wrong[] = {"msg_1\r\nX-Evil: 1", "msg_1\n", "msg_\xc3\xa9", "\x7f", long_text};
    for (size_t i = 0; i < ODP_COUNT(wrong); i++) {
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
    assert_int_equal(c->s->busy, 0);
    caller_free(c);

    o.user_agent = "x\r\nX-Evil: 1";
    must_refuse(odp_sender_new(&none, &o, why));
    assert_null(none);
    assert_non_null(strstr(why, "User-Agent"));
    o = caller_options();
    o.ca_file = "/no/such/file.pem";
    must_refuse(odp_sender_new(&none, &o, why));
    assert_non_null(strstr(why, "/no/such/file.pem"));
    odp_sender_free(NULL);
}

/* ---- connections ---- */

TEST(connections_are_used_again)
{
    struct wire w = wire_open("127.0.0.1", says, OK_ANSWER, NULL);
    for (size_t i = 0; i < 200; i++)
        wire_sends(&w, i, ODP_OUTCOME_DELIVERED, 200);
    assert_int_equal(atomic_load(&w.r->connections), 1);
    assert_int_equal(atomic_load(&w.r->requests), 200);
    /* Nothing was sent for ten seconds: all are closed. */
    w.c->s->used_at -= 10000;
    must(odp_sender_run(w.c->s, 0, w.c, caller_done));
    for (int i = 0; i < 1000 && atomic_load(&w.r->ended) == 0; i++)
        (void)usleep(10000);
    assert_int_equal(atomic_load(&w.r->ended), 1);
    wire_sends(&w, 200, ODP_OUTCOME_DELIVERED, 200);
    assert_int_equal(atomic_load(&w.r->connections), 2);
    wire_close(&w);
}

/* A connection that the receiver closed between two messages is not the second one's fault. */
TEST(a_closed_connection_is_replaced)
{
    struct wire w = wire_open("127.0.0.1", says_and_closes, OK_ANSWER, NULL);
    for (size_t i = 0; i < 20; i++)
        wire_sends(&w, i, ODP_OUTCOME_DELIVERED, 200);
    assert_int_equal(atomic_load(&w.r->connections), 20);
    assert_int_equal(atomic_load(&w.r->requests), 20);
    wire_close(&w);
}

/* Not more at once than allowed; what was not taken can be added later. */
TEST(bounds)
{
    struct odp_sender_options o = caller_options();
    o.connections = 5;
    o.timeout_ms = 300;
    struct wire w = wire_open("127.0.0.1", hangs, NULL, &o);
    for (size_t i = 0; i < 6; i++) {
        struct odp_sending m = message_to(&w.t, i);
        assert_int_equal(odp_sender_add(w.c->s, &m), i < 5 ? ODP_OK : ODP_DONE);
    }
    caller_run(w.c, 5, 60000);
    for (size_t i = 0; i < 5; i++)
        assert_outcome(&w.c->told[i], ODP_OUTCOME_TIMEOUT, 0);
    assert_int_equal(atomic_load(&w.r->connections), 5);
    wire_sends(&w, 5, ODP_OUTCOME_TIMEOUT, 0);
    wire_close(&w);
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
        must(odp_sender_add(chain->c->s, &m));
    }
    assert_memory_equal(r->answer.ptr, "ok", 2); /* still there */
}

TEST(the_next_is_added_when_one_is_told)
{
    struct odp_sender_options o = caller_options();
    o.connections = 4;
    struct wire w = wire_open("127.0.0.1", says, OK_ANSWER, &o);
    struct chain chain = {w.c, &w.t, 4, 400};
    for (size_t i = 0; i < 4; i++) {
        struct odp_sending m = message_to(&w.t, i);
        m.answer_max = 100;
        must(odp_sender_add(w.c->s, &m));
    }
    for (int64_t until = fixture_now() + 60000; w.c->count < 400 && fixture_now() < until;)
        must(odp_sender_run(w.c->s, 1000, &chain, adds_next));
    for (size_t i = 0; i < 400; i++) {
        assert_int_equal(w.c->told[i].times, 1);
        assert_outcome(&w.c->told[i], ODP_OUTCOME_DELIVERED, 200);
    }
    assert_int_equal(atomic_load(&w.r->requests), 400);
    assert_in_range(atomic_load(&w.r->connections), 1, 4);
    wire_close(&w);
}

/* ---- being woken; being freed in the middle ---- */

static void *waker(void *ctx)
{
    (void)usleep(50000);
    odp_sender_wake(ctx);
    return NULL;
}

TEST(wake)
{
    struct odp_sender_options o = caller_options();
    pthread_t thread;
    struct caller *c = caller_new(&o);
    assert_int_equal(pthread_create(&thread, NULL, waker, c->s), 0);
    must(odp_sender_run(c->s, 600000, c, caller_done)); /* or the test's own time is over */
    pthread_join(thread, NULL);
    odp_sender_wake(c->s);
    must(odp_sender_run(c->s, 600000, c, caller_done));
    must(odp_sender_run(c->s, 0, c, caller_done));
    assert_int_equal(c->count, 0);
    caller_free(c);
}

TEST(free_in_the_middle)
{
    struct odp_sender_options o = caller_options();
    struct receiver *r[] = {receiver_start(hangs, NULL), receiver_start(drips_body, NULL),
                            receiver_start(floods_header, "A: b\r\n"), receiver_start(says, OK_ANSWER)};
    struct odp_target t;
    for (int turns = 0; turns < 6; turns++) {
        struct caller *c = caller_new(&o);
        for (size_t i = 0; i < 4; i++) {
            target_set(&t, "http", "127.0.0.1", r[i]->port, "/");
            struct odp_sending m = message_to(&t, i);
            must(odp_sender_add(c->s, &m));
        }
        for (int i = 0; i < turns; i++)
            must(odp_sender_run(c->s, 10, c, caller_done));
        caller_free(c);
    }
    for (size_t i = 0; i < 4; i++)
        receiver_stop(r[i]);
}

/* ---- nothing of the environment ---- */

TEST(the_environment_says_nothing)
{
    static const char *const names[] = {
        "http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY",
        "no_proxy",   "NO_PROXY",   "HOME",        "NETRC",       "CURL_HOME",
    };
    char trap_url[64], home[] = "odp-netrc-XXXXXX", path[64], *cwd = get_current_dir_name(), full[4096];
    struct odp_sender_options o = caller_options();
    struct receiver *trap = receiver_start(says, OK_ANSWER), *r = receiver_start(says, OK_ANSWER);
    struct odp_target t;
    struct odp_file *file;
    static const char netrc[] =
        "machine 127.0.0.1 login siapa password rahasia\ndefault login siapa password rahasia\n";
    assert_non_null(mkdtemp(home));
    snprintf(path, sizeof path, "%s/.netrc", home);
    must(odp_file_create(&file, path, 0600));
    must(odp_file_write(file, netrc, strlen(netrc)));
    must(odp_file_close(file, NULL));
    snprintf(trap_url, sizeof trap_url, "http://127.0.0.1:%u", trap->port);
    snprintf(full, sizeof full, "%s/%s", cwd, home);
    char *before[ODP_COUNT(names)];
    for (size_t i = 0; i < ODP_COUNT(names); i++) {
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
    for (size_t i = 0; i < ODP_COUNT(names); i++) {
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

TEST(no_sockets_left)
{
    struct odp_target other;
    struct rlimit before, none;
    struct wire w = wire_open("127.0.0.1", says, OK_ANSWER, NULL);
    target_set(&other, "http", "127.0.0.2", w.r->port, "/");
    wire_sends(&w, 0, ODP_OUTCOME_DELIVERED, 200);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    int next = dup(0);
    assert_true(next > 0);
    close(next);
    none = (struct rlimit){(rlim_t)next, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    struct told *told = caller_send(w.c, &other, 1, 0);
    wire_sends(&w, 2, ODP_OUTCOME_DELIVERED, 200); /* on the connection that is open */
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_outcome(told, ODP_OUTCOME_UNSENT, 0);
    odp_failure_clear();
    assert_int_equal(atomic_load(&w.r->connections), 1);
    wire_close(&w);
}

/* ---- the registry ---- */

TEST(outcomes)
{
    for (int i = 0; i < ODP_OUTCOMES; i++) {
        const struct odp_text *meaning = odp_outcome_meaning((enum odp_outcome)i);
        assert_int_equal(odp_outcome_find(odp_slice_of(odp_outcome_name((enum odp_outcome)i))), i);
        assert_true(strlen(meaning->in[ODP_LANG_ID]) > 10 && strlen(meaning->in[ODP_LANG_EN]) > 10);
    }
    assert_int_equal(odp_outcome_find(ODP_LIT("Delivered")), -1);
    assert_int_equal(odp_outcome_find(ODP_LIT("")), -1);
}
