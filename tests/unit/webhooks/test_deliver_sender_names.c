/* Names: what a host leads to is judged whole, and connected to is what was judged. */
#include "deliver_fixture.h"
#include "names_fixture.h"

/* ---- a scripted resolver ---- */

enum { ADDRESSES = 100 };
static struct book {
    pthread_mutex_t lock;
    unsigned asked;
    char host[256];                   /* asked for last */
    const char *first[ADDRESSES + 1]; /* the answer; ended by NULL */
    const char *later[ADDRESSES + 1]; /* from the second time on, where there is one */
    int result;                       /* other than 0: that */
    int slow_ms;                      /* each answer takes so long */
} book = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int look_up(const char *host, const char **out, int cap)
{
    struct book *b = &book;
    pthread_mutex_lock(&b->lock);
    unsigned nth = ++b->asked;
    snprintf(b->host, sizeof b->host, "%s", host);
    const char *const *list = nth > 1 && b->later[0] != NULL ? b->later : b->first;
    int n = 0, wait = b->slow_ms, result = b->result;
    for (; list[n] != NULL && n < cap; n++)
        out[n] = list[n];
    pthread_mutex_unlock(&b->lock);
    if (wait > 0)
        (void)usleep((unsigned)wait * 1000);
    if (strchr(host, ':') != NULL || host[strspn(host, "0123456789.")] == '\0') /* an address itself */
        return out[0] = host, 1;
    return result != 0 ? result : n;
}

static unsigned asked(void)
{
    pthread_mutex_lock(&book.lock);
    unsigned n = book.asked;
    pthread_mutex_unlock(&book.lock);
    return n;
}

static void write_book(const char *const *first, size_t n, const char *later)
{
    pthread_mutex_lock(&book.lock);
    book.asked = 0;
    book.result = book.slow_ms = 0;
    memset(book.first, 0, sizeof book.first);
    memcpy(book.first, first, n * sizeof *first);
    memset(book.later, 0, sizeof book.later);
    book.later[0] = later;
    pthread_mutex_unlock(&book.lock);
}

#define BOOK(...)                                                                                            \
    write_book((const char *const[]){__VA_ARGS__}, sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *),   \
               NULL)
#define BOOK_THEN(later, ...)                                                                                \
    write_book((const char *const[]){__VA_ARGS__}, sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *),   \
               later)

/* Connections, and what names led to, are gone as after some seconds with nothing to send. */
static void forget_all(struct caller *c)
{
    c->s->used_at -= 10000;
    must(odp_sender_run(c->s, 0, c, caller_done));
}

/* ---- one name ---- */

TEST(a_name_is_asked_for_once)
{
    char host[64];
    BOOK("127.0.0.1");
    struct wire w = wire_open("terima.contoh.id", says, OK_ANSWER, NULL);
    snprintf(host, sizeof host, "\r\nHost: terima.contoh.id:%u\r\n", w.r->port);
    for (size_t i = 0; i < 20; i++) {
        struct told *told = caller_send(w.c, &w.t, i, 0);
        assert_outcome(told, ODP_OUTCOME_DELIVERED, 200);
        assert_string_equal(told->address, "127.0.0.1");
        assert_non_null(strstr(receiver_text(w.r), host));
    }
    assert_string_equal(book.host, "terima.contoh.id");
    assert_int_equal(asked(), 1);
    assert_int_equal(atomic_load(&w.r->connections), 1);
    wire_close(&w);
}

TEST(names_that_lead_nowhere)
{
    static const int results[] = {0, EAI_NONAME, EAI_AGAIN, EAI_FAIL};
    for (size_t i = 0; i < ODP_COUNT(results); i++) {
        struct odp_sender_options o = caller_options();
        struct odp_target t;
        BOOK(NULL);
        book.result = results[i];
        struct caller *c = caller_new(&o);
        target_set(&t, "http", "tidak.ada.id", 9, "/");
        struct told *told = caller_send(c, &t, 0, 0);
        assert_outcome(told, ODP_OUTCOME_NAME, 0);
        assert_string_equal(told->address, "");
        assert_int_equal(told->retry_after, -1);
        caller_free(c);
    }
}

/* An address that is refused is not connected to, and where one was met nothing else is; what was connected
 * to before is fine. */
TEST(one_that_is_refused)
{
    static const char *const refused[] = {
        "10.0.0.1",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "100.100.100.200",
        "0.0.0.0",
        "255.255.255.255",
        "224.0.0.1",
        "192.0.2.1",
        "198.18.0.1",
        "240.0.0.1",
        "::",
        "fe80::1",
        "fc00::1",
        "fd00:ec2::254",
        "ff02::1",
        "2001:db8::1",
        "::ffff:10.0.0.1",
        "::ffff:169.254.169.254",
        "::10.0.0.1",
        "64:ff9b::a00:1",
        "64:ff9b:1::1",
        "2002:a00:1::1",
        "2001:0:a00:1::",
    };
    struct receiver *r = receiver_start(says, OK_ANSWER);
    unsigned good = 0;
    for (size_t i = 0; i < ODP_COUNT(refused); i++) {
        for (size_t at = 0; at < 3; at++) {
            struct odp_sender_options o = caller_options();
            struct odp_target t;
            BOOK(at == 1 ? "127.0.0.1" : refused[i], at == 0 ? "127.0.0.1" : at == 1 ? refused[i] : NULL);
            struct caller *c = caller_new(&o);
            target_set(&t, "http", "terima.contoh.id", r->port, "/");
            struct told *told = caller_send(c, &t, 0, 0);
            bool reached = at == 1 && told->outcome == ODP_OUTCOME_DELIVERED;
            assert_outcome(told, reached ? ODP_OUTCOME_DELIVERED : ODP_OUTCOME_FORBIDDEN, reached ? 200 : 0);
            assert_string_equal(told->address, reached ? "127.0.0.1" : "");
            good += reached;
            caller_free(c);
        }
    }
    assert_int_equal(atomic_load(&r->connections), good);
    receiver_stop(r);
}

/* Loopback is refused as well where the operator did not allow it; also as a literal, whatever the target
 * says of itself. */
TEST(loopback_needs_the_operator)
{
    static const char *const hosts[] = {"terima.contoh.id", "127.0.0.1", "::1", "10.1.2.3",
                                        "::ffff:127.0.0.1"};
    struct odp_sender_options o = caller_options();
    struct receiver *r = receiver_start(says, OK_ANSWER);
    BOOK("127.0.0.1");
    o.policy.loopback = false;
    struct caller *c = caller_new(&o);
    for (size_t i = 0; i < 5; i++) {
        struct odp_target t;
        target_set(&t, "http", hosts[i], r->port, "/");
        assert_outcome(caller_send(c, &t, i, 0), ODP_OUTCOME_FORBIDDEN, 0);
    }
    assert_int_equal(atomic_load(&r->connections), 0);
    assert_int_equal(asked(), 1);
    caller_free(c);
    receiver_stop(r);
}

/* Without TLS nothing leaves this machine, whatever else is allowed. */
TEST(plain_http_stays_here)
{
    struct odp_sender_options o = caller_options();
    struct odp_target t;
    BOOK("127.0.0.1", "10.1.2.3");
    assert_true(odp_prefix_parse(&o.policy.allow[0], ODP_LIT("10.0.0.0/8")));
    o.policy.nallow = 1;
    struct caller *c = caller_new(&o);
    target_set(&t, "http", "terima.contoh.id", 9, "/");
    assert_outcome(caller_send(c, &t, 0, 0), ODP_OUTCOME_FORBIDDEN, 0);
    caller_free(c);
}

/* ---- rebinding ---- */

/* Allowed when first asked for, forbidden the second time: the connection that is open is used, a new one is
 * not made. */
TEST(rebinding_with_an_open_connection)
{
    BOOK_THEN("169.254.169.254", "127.0.0.1");
    struct wire w = wire_open("terima.contoh.id", says, OK_ANSWER, NULL);
    for (size_t i = 0; i < 3; i++)
        wire_sends(&w, i, ODP_OUTCOME_DELIVERED, 200);
    for (size_t i = 3; i < 6; i++) {
        forget_all(w.c);
        wire_sends(&w, i, ODP_OUTCOME_FORBIDDEN, 0);
    }
    assert_int_equal(atomic_load(&w.r->connections), 1);
    assert_int_equal(atomic_load(&w.r->requests), 3);
    wire_close(&w);
}

/* Public first (one of the operator's, which leads nowhere), loopback then: nothing reaches what listens
 * there. */
TEST(rebinding_to_loopback)
{
    struct odp_sender_options o = caller_options();
    struct receiver *r = receiver_start(says, OK_ANSWER);
    struct odp_target t;
    BOOK_THEN("127.0.0.1", "203.0.113.7");
    o.policy.loopback = false;
    o.connect_ms = 50;
    assert_true(odp_prefix_parse(&o.policy.allow[0], ODP_LIT("203.0.113.0/24")));
    o.policy.nallow = 1;
    struct caller *c = caller_new(&o);
    target_set(&t, "https", "terima.contoh.id", r->port, "/");
    struct told *first = caller_send(c, &t, 0, 0);
    assert_true(first->outcome == ODP_OUTCOME_TIMEOUT || first->outcome == ODP_OUTCOME_CONNECT);
    forget_all(c);
    assert_outcome(caller_send(c, &t, 1, 0), ODP_OUTCOME_FORBIDDEN, 0);
    assert_int_equal(asked(), 2);
    assert_int_equal(atomic_load(&r->connections), 0);
    caller_free(c);
    receiver_stop(r);
}

/* The one gate: an address that may be called, at the target's port. */
TEST(the_gate_of_sockets)
{
    static const struct {
        const char *address;
        unsigned port, scope;
        bool loopback, https, may;
    } rows[] = {
        {"127.0.0.9", 443, 0, true, true, true},      {"127.0.0.9", 443, 0, true, false, true},
        {"127.0.0.9", 443, 0, false, true, false},    {"127.0.0.9", 0, 0, true, true, false},
        {"127.0.0.9", 6379, 0, true, true, false},    {"10.0.0.1", 443, 0, true, true, false},
        {"2606:4700::1", 443, 0, true, true, true},   {"2606:4700::1", 443, 0, true, false, false},
        {"2606:4700::1", 443, 2, true, true, false},  {"::ffff:127.0.0.1", 443, 0, true, true, false},
        {"fd00:ec2::254", 443, 0, true, true, false},
    };
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } a;
    for (size_t i = 0; i < ODP_COUNT(rows); i++) {
        struct odp_sender s = {.policy.loopback = rows[i].loopback};
        struct odp_sender_slot slot = {.s = &s, .target.port = 443, .target.https = rows[i].https};
        memset(&a, 0, sizeof a);
        if (inet_pton(AF_INET, rows[i].address, &a.v4.sin_addr) == 1) {
            a.v4.sin_family = AF_INET;
            a.v4.sin_port = htons((uint16_t)rows[i].port);
        } else {
            assert_int_equal(inet_pton(AF_INET6, rows[i].address, &a.v6.sin6_addr), 1);
            a.v6.sin6_family = AF_INET6;
            a.v6.sin6_port = htons((uint16_t)rows[i].port);
            a.v6.sin6_scope_id = rows[i].scope;
        }
        assert_int_equal(odp_transfer_may_connect(&slot, &a.any), rows[i].may);
        a.any.sa_family = AF_UNIX;
        assert_false(odp_transfer_may_connect(&slot, &a.any));
    }
}

/* ---- several addresses ---- */

/* The first that listens is taken; none of those before it does. */
TEST(a_further_address_is_tried)
{
    struct odp_sender_options o = caller_options();
    struct receiver *r = calloc(1, sizeof *r);
    struct odp_target t;
    BOOK("::1", "127.0.0.4", "127.0.0.5", "127.0.0.6");
    assert_non_null(r);
    r->say = OK_ANSWER;
    r->say_len = strlen(OK_ANSWER);
    receiver_start_at(r, says, "127.0.0.6", 0);
    struct caller *c = caller_new(&o);
    target_set(&t, "http", "terima.contoh.id", r->port, "/");
    assert_outcome(caller_send(c, &t, 0, 0), ODP_OUTCOME_DELIVERED, 200);
    assert_string_equal(c->told[0].address, "127.0.0.6");
    caller_free(c);
    receiver_stop(r);
}

/* Listens, but has no room: who connects hears nothing. */
struct deaf {
    int listener, fillers[8];
};

static void deaf_start(struct deaf *d, const struct sockaddr *address, socklen_t len)
{
    int yes = 1;
    d->listener = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(d->listener >= 0);
    setsockopt(d->listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    assert_int_equal(bind(d->listener, address, len), 0);
    assert_int_equal(listen(d->listener, 0), 0);
    for (size_t i = 0; i < 8; i++) {
        d->fillers[i] = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        (void)connect(d->fillers[i], address, len);
    }
}

static void deaf_stop(struct deaf *d)
{
    for (size_t i = 0; i < 8; i++)
        close(d->fillers[i]);
    close(d->listener);
}

/* Addresses where nobody answers, of either family, take their share of the time, not all of it. */
TEST(deaf_addresses)
{
    struct odp_sender_options o = caller_options();
    struct receiver *r = calloc(1, sizeof *r);
    struct deaf four, six;
    struct odp_target t;
    BOOK("::1", "127.0.0.4", "127.0.0.6");
    assert_non_null(r);
    r->say = OK_ANSWER;
    r->say_len = strlen(OK_ANSWER);
    receiver_start_at(r, says, "127.0.0.6", 0);
    struct sockaddr_in a4 = {.sin_family = AF_INET, .sin_port = htons((uint16_t)r->port)};
    struct sockaddr_in6 a6 = {
        .sin6_family = AF_INET6, .sin6_port = htons((uint16_t)r->port), .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    assert_int_equal(inet_pton(AF_INET, "127.0.0.4", &a4.sin_addr), 1);
    deaf_start(&four, (struct sockaddr *)&a4, sizeof a4);
    deaf_start(&six, (struct sockaddr *)&a6, sizeof a6);
    o.connect_ms = 2400;
    struct caller *c = caller_new(&o);
    target_set(&t, "http", "terima.contoh.id", r->port, "/");
    assert_outcome(caller_send(c, &t, 0, 0), ODP_OUTCOME_DELIVERED, 200);
    assert_string_equal(c->told[0].address, "127.0.0.6");
    /* Of both families the one that answers is taken, though the other one comes first. */
    BOOK("::1", "127.0.0.6");
    forget_all(c);
    assert_outcome(caller_send(c, &t, 1, 0), ODP_OUTCOME_DELIVERED, 200);
    /* And where nobody answers, it ends in time. */
    BOOK("::1");
    forget_all(c);
    c->s->connect_ms = 100;
    assert_outcome(caller_send(c, &t, 2, 0), ODP_OUTCOME_TIMEOUT, 0);
    assert_string_equal(c->told[2].address, "");
    caller_free(c);
    deaf_stop(&four);
    deaf_stop(&six);
    receiver_stop(r);
}

TEST(nobody_listens)
{
    struct odp_target literal;
    BOOK("127.0.0.7", "127.0.0.8");
    struct wire w = wire_open("terima.contoh.id", says, OK_ANSWER, NULL);
    target_set(&literal, "http", "127.0.0.8", w.r->port, "/");
    wire_sends(&w, 0, ODP_OUTCOME_CONNECT, 0);
    assert_string_equal(w.c->told[0].address, "");
    assert_outcome(caller_send(w.c, &literal, 1, 0), ODP_OUTCOME_CONNECT, 0);
    assert_string_equal(w.c->told[1].address, "");
    assert_int_equal(atomic_load(&w.r->connections), 0);
    wire_close(&w);
}

/* ---- slow names ---- */

/* Names that are not answered in time hold up nobody, and nobody waits for their threads. */
TEST(slow_names)
{
    struct odp_sender_options o = caller_options();
    struct receiver *r = receiver_start(says, OK_ANSWER);
    struct odp_target t[41];
    BOOK("127.0.0.1");
    o.connect_ms = 150;
    book.slow_ms = 400;
    struct caller *c = caller_new(&o);
    for (size_t i = 0; i < 40; i++) {
        char host[64];
        snprintf(host, sizeof host, "lambat-%zu.contoh.id", i);
        target_set(&t[i], "http", host, r->port, "/");
        struct odp_sending m = message_to(&t[i], i);
        must(odp_sender_add(c->s, &m));
    }
    target_set(&t[40], "http", "127.0.0.1", r->port, "/");
    struct odp_sending m = message_to(&t[40], 40);
    must(odp_sender_add(c->s, &m));
    caller_run(c, 41, 60000);
    for (size_t i = 0; i < 40; i++) {
        assert_outcome(&c->told[i], ODP_OUTCOME_TIMEOUT, 0);
        assert_string_equal(c->told[i].address, "");
    }
    assert_outcome(&c->told[40], ODP_OUTCOME_DELIVERED, 200);
    int64_t began = fixture_now();
    caller_free(c);
    assert_in_range(fixture_now() - began, 0, 200);
    (void)usleep(600000); /* their threads end by themselves */
    assert_int_equal(atomic_load(&r->requests), 1);
    receiver_stop(r);
}

static int use_names(void **state)
{
    names_look_up = look_up;
    return 0;
}

AROUND(use_names, NULL)
