/* Names: what a host leads to is judged whole, and connected to is what was judged. */
#include "deliver_fixture.h"

#define OK_ANSWER "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

static void says(struct link *l)
{
    while (link_request(l) && link_put(l, l->r->say, l->r->say_len))
        ;
}

/* ---- a resolver that answers as it is told ---- */

enum { ADDRESSES = 400 };
struct book {
    pthread_mutex_t lock;
    unsigned asked;
    char host[256];                   /* asked for last */
    const char *first[ADDRESSES + 1]; /* the answer; ended by NULL */
    const char *later[ADDRESSES + 1]; /* from the second time on, where there is one */
    int result;                       /* other than 0: that */
    int slow_ms, quick_from;          /* each answer takes so long; from the n-th time on at once (0: never) */
};

static void address_set(struct sockaddr_storage *out, const char *text)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    memset(out, 0, sizeof *out);
    if (inet_pton(AF_INET, text, &v4.sin_addr) == 1)
        memcpy(out, &v4, sizeof v4);
    else if (inet_pton(AF_INET6, text, &v6.sin6_addr) == 1)
        memcpy(out, &v6, sizeof v6);
    else
        out->ss_family = AF_UNIX;
}

static int look_up(void *ctx, const char *host, struct sockaddr_storage *out, size_t cap)
{
    struct book *b = ctx;
    pthread_mutex_lock(&b->lock);
    unsigned nth = ++b->asked;
    (void)snprintf(b->host, sizeof b->host, "%s", host);
    const char *const *list = nth > 1 && b->later[0] != NULL ? b->later : b->first;
    int wait = b->quick_from == 0 || nth < (unsigned)b->quick_from ? b->slow_ms : 0;
    pthread_mutex_unlock(&b->lock);
    if (wait > 0)
        (void)usleep((unsigned)wait * 1000);
    size_t n = 0;
    for (; list[n] != NULL && n < cap; n++)
        address_set(&out[n], list[n]);
    return b->result != 0 ? b->result : (int)n;
}

static unsigned asked(struct book *b)
{
    pthread_mutex_lock(&b->lock);
    unsigned n = b->asked;
    pthread_mutex_unlock(&b->lock);
    return n;
}

#define BOOK(...)                                                                                                              \
    {                                                                                                                          \
        .lock = PTHREAD_MUTEX_INITIALIZER, .first = { __VA_ARGS__ }                                                            \
    }

static struct caller *caller_with(struct odp_sender_options *o, struct odp_resolver *resolver, struct book *b)
{
    *resolver = (struct odp_resolver){b, look_up};
    o->resolver = resolver;
    return caller_new(o);
}

/* Answers are asked for anew for each message that begins a moment later. */
static void keep_nothing(struct caller *c, const struct odp_sender_options *o)
{
    odp_resolve_free(c->s->resolve);
    assert_int_equal(odp_resolve_new(&c->s->resolve, &o->policy, o->resolver, 0, c->s->wake), ODP_OK);
}

/* ---- one name ---- */

static void test_a_name_is_asked_for_once(void **state)
{
    struct odp_sender_options o = caller_options();
    struct odp_resolver resolver;
    struct book b = BOOK("127.0.0.1");
    struct receiver *r = receiver_start(says, OK_ANSWER);
    struct odp_target t;
    char host[64];
    (void)state;
    struct caller *c = caller_with(&o, &resolver, &b);
    target_set(&t, "http", "terima.contoh.id", r->port, "/");
    (void)snprintf(host, sizeof host, "\r\nHost: terima.contoh.id:%u\r\n", r->port);
    for (size_t i = 0; i < 20; i++) {
        struct told *told = caller_send(c, &t, i, 0);
        assert_outcome(told, ODP_OUTCOME_DELIVERED, 200);
        assert_string_equal(told->address, "127.0.0.1");
        assert_non_null(strstr(receiver_text(r), host));
    }
    assert_string_equal(b.host, "terima.contoh.id");
    assert_int_equal(asked(&b), 1);
    assert_int_equal(atomic_load(&r->connections), 1);
    caller_free(c);
    receiver_stop(r);
}

static void test_names_that_lead_nowhere(void **state)
{
    static const char *const hosts[] = {"tidak.ada.id", "terlalu.banyak.id", "gagal.id"};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct odp_sender_options o = caller_options();
        struct odp_resolver resolver;
        struct book b = BOOK(NULL);
        struct odp_target t;
        b.result = i == 2 ? -1 : 0;
        for (size_t k = 0; i == 1 && k < ADDRESSES; k++)
            b.first[k] = "127.0.0.1";
        struct caller *c = caller_with(&o, &resolver, &b);
        target_set(&t, "http", hosts[i], 9, "/");
        struct told *told = caller_send(c, &t, 0, 0);
        assert_outcome(told, ODP_OUTCOME_NAME, 0);
        assert_string_equal(told->address, "");
        assert_int_equal(told->retry_after, -1);
        caller_free(c);
    }
}

/* One address that is refused, wherever it stands, refuses all; nothing is connected to. */
static void test_one_that_is_refused_refuses_all(void **state)
{
    static const char *const refused[] = {"10.0.0.1",
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
                                          "not an address of the internet"};
    struct receiver *r = receiver_start(says, OK_ANSWER);
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        for (size_t at = 0; at < 3; at++) {
            struct odp_sender_options o = caller_options();
            struct odp_resolver resolver;
            struct book b = BOOK("127.0.0.1", "127.0.0.1", "127.0.0.1");
            struct odp_target t;
            b.first[at] = refused[i];
            struct caller *c = caller_with(&o, &resolver, &b);
            target_set(&t, "http", "terima.contoh.id", r->port, "/");
            assert_outcome(caller_send(c, &t, 0, 0), ODP_OUTCOME_FORBIDDEN, 0);
            assert_string_equal(c->told[0].address, "");
            caller_free(c);
        }
    }
    assert_int_equal(atomic_load(&r->connections), 0);
    receiver_stop(r);
}

/* Loopback is refused as well where the operator did not allow it; also as a literal, whatever the target says of itself. */
static void test_loopback_needs_the_operator(void **state)
{
    static const char *const hosts[] = {"terima.contoh.id", "127.0.0.1", "::1", "10.1.2.3", "::ffff:127.0.0.1"};
    struct odp_sender_options o = caller_options();
    struct odp_resolver resolver;
    struct book b = BOOK("127.0.0.1");
    struct receiver *r = receiver_start(says, OK_ANSWER);
    (void)state;
    o.policy.loopback = false;
    struct caller *c = caller_with(&o, &resolver, &b);
    for (size_t i = 0; i < 5; i++) {
        struct odp_target t;
        target_set(&t, "http", hosts[i], r->port, "/");
        assert_outcome(caller_send(c, &t, i, 0), ODP_OUTCOME_FORBIDDEN, 0);
    }
    assert_int_equal(atomic_load(&r->connections), 0);
    assert_int_equal(asked(&b), 1);
    caller_free(c);
    receiver_stop(r);
}

/* Without TLS nothing leaves this machine, whatever else is allowed. */
static void test_plain_http_stays_here(void **state)
{
    struct odp_sender_options o = caller_options();
    struct odp_resolver resolver;
    struct book b = BOOK("127.0.0.1", "10.1.2.3");
    struct odp_target t;
    (void)state;
    assert_true(odp_prefix_parse(&o.policy.allow[0], ODP_LIT("10.0.0.0/8")));
    o.policy.nallow = 1;
    struct caller *c = caller_with(&o, &resolver, &b);
    target_set(&t, "http", "terima.contoh.id", 9, "/");
    assert_outcome(caller_send(c, &t, 0, 0), ODP_OUTCOME_FORBIDDEN, 0);
    caller_free(c);
}

/* ---- rebinding ---- */

/* Allowed when first asked for, forbidden the second time: refused, though the connection of the first is still open. */
static void test_rebinding_with_an_open_connection(void **state)
{
    struct odp_sender_options o = caller_options();
    struct odp_resolver resolver;
    struct book b = BOOK("127.0.0.1");
    struct receiver *r = receiver_start(says, OK_ANSWER);
    struct odp_target t;
    (void)state;
    b.later[0] = "169.254.169.254";
    struct caller *c = caller_with(&o, &resolver, &b);
    keep_nothing(c, &o);
    target_set(&t, "http", "terima.contoh.id", r->port, "/");
    assert_outcome(caller_send(c, &t, 0, 0), ODP_OUTCOME_DELIVERED, 200);
    for (size_t i = 1; i < 4; i++) {
        (void)usleep(2000);
        assert_outcome(caller_send(c, &t, i, 0), ODP_OUTCOME_FORBIDDEN, 0);
    }
    assert_int_equal(asked(&b), 4);
    assert_int_equal(atomic_load(&r->requests), 1);
    caller_free(c);
    receiver_stop(r);
}

/* Public first (one of the operator's, which leads nowhere), loopback then: nothing reaches what listens there. */
static void test_rebinding_to_loopback(void **state)
{
    struct odp_sender_options o = caller_options();
    struct odp_resolver resolver;
    struct book b = BOOK("203.0.113.7");
    struct receiver *r = receiver_start(says, OK_ANSWER);
    struct odp_target t;
    (void)state;
    o.policy.loopback = false;
    o.connect_ms = 50;
    assert_true(odp_prefix_parse(&o.policy.allow[0], ODP_LIT("203.0.113.0/24")));
    o.policy.nallow = 1;
    b.later[0] = "127.0.0.1";
    struct caller *c = caller_with(&o, &resolver, &b);
    keep_nothing(c, &o);
    target_set(&t, "https", "terima.contoh.id", r->port, "/");
    struct told *first = caller_send(c, &t, 0, 0);
    assert_true(first->outcome == ODP_OUTCOME_TIMEOUT || first->outcome == ODP_OUTCOME_CONNECT);
    (void)usleep(2000);
    assert_outcome(caller_send(c, &t, 1, 0), ODP_OUTCOME_FORBIDDEN, 0);
    assert_int_equal(asked(&b), 2);
    assert_int_equal(atomic_load(&r->connections), 0);
    caller_free(c);
    receiver_stop(r);
}

/* The name is libcurl's answer, not the machine's: localhost, which the machine knows, leads to where the resolver said. */
static void test_libcurl_asks_nobody(void **state)
{
    struct odp_sender_options o = caller_options();
    struct odp_resolver resolver;
    struct book b = BOOK("127.0.0.3");
    struct receiver *trap = receiver_start(says, OK_ANSWER), *r = calloc(1, sizeof *r);
    struct odp_target t;
    (void)state;
    assert_non_null(r);
    r->say = OK_ANSWER;
    r->say_len = strlen(OK_ANSWER);
    receiver_start_at(r, says, "127.0.0.3", trap->port);
    struct caller *c = caller_with(&o, &resolver, &b);
    target_set(&t, "http", "localhost", trap->port, "/");
    assert_outcome(caller_send(c, &t, 0, 0), ODP_OUTCOME_DELIVERED, 200);
    assert_string_equal(c->told[0].address, "127.0.0.3");
    assert_int_equal(atomic_load(&trap->connections), 0);
    assert_int_equal(atomic_load(&r->connections), 1);
    caller_free(c);
    receiver_stop(trap);
    receiver_stop(r);
}

/* The last gate: only an address that was judged for this message, at its port, still allowed. */
static void test_the_gate_of_sockets(void **state)
{
    struct odp_sender s = {.policy.loopback = true};
    struct odp_sender_slot slot = {.s = &s, .target.port = 443, .target.https = true};
    union odp_resolve_address judged[2] = {{.v4 = {.sin_family = AF_INET}}, {.v6 = {.sin6_family = AF_INET6}}}, a;
    (void)state;
    assert_int_equal(inet_pton(AF_INET, "127.0.0.9", &judged[0].v4.sin_addr), 1);
    assert_int_equal(inet_pton(AF_INET6, "2606:4700::1", &judged[1].v6.sin6_addr), 1);
    slot.addresses = (struct odp_resolve_answer){.state = ODP_RESOLVE_FOUND, .n = 2, .addresses = {judged[0], judged[1]}};
    a = judged[0];
    assert_false(odp_transfer_may_connect(&slot, &a.any)); /* port 0 */
    a.v4.sin_port = htons(443);
    assert_true(odp_transfer_may_connect(&slot, &a.any));
    s.policy.loopback = false;
    assert_false(odp_transfer_may_connect(&slot, &a.any));
    s.policy.loopback = true;
    a.v4.sin_port = htons(6379);
    assert_false(odp_transfer_may_connect(&slot, &a.any));
    a.v4.sin_port = htons(443);
    a.v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK); /* allowed, but not judged */
    assert_false(odp_transfer_may_connect(&slot, &a.any));
    a = judged[1];
    a.v6.sin6_port = htons(443);
    assert_true(odp_transfer_may_connect(&slot, &a.any));
    slot.target.https = false;
    assert_false(odp_transfer_may_connect(&slot, &a.any));
    slot.target.https = true;
    a.v6.sin6_scope_id = 2;
    assert_false(odp_transfer_may_connect(&slot, &a.any));
    a.v6.sin6_scope_id = 0;
    a.v6.sin6_addr.s6_addr[15] = 2;
    assert_false(odp_transfer_may_connect(&slot, &a.any));
    a.any.sa_family = AF_UNIX;
    assert_false(odp_transfer_may_connect(&slot, &a.any));
}

/* ---- several addresses ---- */

/* The first that listens is taken; none of those before it does. */
static void test_a_further_address_is_tried(void **state)
{
    struct odp_sender_options o = caller_options();
    struct odp_resolver resolver;
    struct book b = BOOK("::1", "127.0.0.4", "127.0.0.5", "127.0.0.6");
    struct receiver *r = calloc(1, sizeof *r);
    struct odp_target t;
    (void)state;
    assert_non_null(r);
    r->say = OK_ANSWER;
    r->say_len = strlen(OK_ANSWER);
    receiver_start_at(r, says, "127.0.0.6", 0);
    struct caller *c = caller_with(&o, &resolver, &b);
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
static void test_deaf_addresses(void **state)
{
    struct odp_sender_options o = caller_options();
    struct odp_resolver resolver;
    struct book b = BOOK("::1", "127.0.0.4", "127.0.0.6");
    struct receiver *r = calloc(1, sizeof *r);
    struct deaf four, six;
    struct odp_target t;
    (void)state;
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
    o.connect_ms = 1200;
    struct caller *c = caller_with(&o, &resolver, &b);
    target_set(&t, "http", "terima.contoh.id", r->port, "/");
    assert_outcome(caller_send(c, &t, 0, 0), ODP_OUTCOME_DELIVERED, 200);
    assert_string_equal(c->told[0].address, "127.0.0.6");
    assert_int_equal(atomic_load(&r->connections), 1);
    /* Of both families the one that answers is taken, though the other one comes first. */
    pthread_mutex_lock(&b.lock);
    b.asked = 0;
    b.first[0] = "::1", b.first[1] = "127.0.0.6", b.first[2] = NULL;
    pthread_mutex_unlock(&b.lock);
    keep_nothing(c, &o);
    c->s->used_at -= 10000; /* the connection of before goes */
    assert_int_equal(odp_sender_run(c->s, 0, c, caller_done), ODP_OK);
    assert_outcome(caller_send(c, &t, 1, 0), ODP_OUTCOME_DELIVERED, 200);
    assert_int_equal(atomic_load(&r->connections), 2);
    /* And where nobody answers, it ends in time. */
    pthread_mutex_lock(&b.lock);
    b.first[1] = NULL;
    pthread_mutex_unlock(&b.lock);
    c->s->used_at -= 10000;
    assert_int_equal(odp_sender_run(c->s, 0, c, caller_done), ODP_OK);
    c->s->connect_ms = 100;
    (void)usleep(2000);
    assert_outcome(caller_send(c, &t, 2, 0), ODP_OUTCOME_TIMEOUT, 0);
    assert_string_equal(c->told[2].address, "");
    caller_free(c);
    deaf_stop(&four);
    deaf_stop(&six);
    receiver_stop(r);
}

static void test_nobody_listens(void **state)
{
    struct odp_sender_options o = caller_options();
    struct odp_resolver resolver;
    struct book b = BOOK("127.0.0.7", "127.0.0.8");
    struct receiver *r = receiver_start(says, OK_ANSWER);
    struct odp_target t, literal;
    (void)state;
    struct caller *c = caller_with(&o, &resolver, &b);
    target_set(&t, "http", "terima.contoh.id", r->port, "/");
    target_set(&literal, "http", "127.0.0.8", r->port, "/");
    assert_outcome(caller_send(c, &t, 0, 0), ODP_OUTCOME_CONNECT, 0);
    assert_string_equal(c->told[0].address, "");
    assert_outcome(caller_send(c, &literal, 1, 0), ODP_OUTCOME_CONNECT, 0);
    assert_string_equal(c->told[1].address, "");
    assert_int_equal(atomic_load(&r->connections), 0);
    caller_free(c);
    receiver_stop(r);
}

/* Of a hundred addresses some are kept, of both families; one that is refused among them is found wherever it stands. */
static void test_a_hundred_addresses(void **state)
{
    static struct sockaddr_storage found[ODP_RESOLVE_MOST];
    struct odp_address_policy policy = {.loopback = true};
    struct odp_resolve_answer answer;
    (void)state;
    for (size_t i = 0; i < 100; i++) {
        char text[64];
        (void)snprintf(text, sizeof text, i < 97 ? "2606:4700::%zu" : "127.0.1.%zu", i);
        address_set(&found[i], text);
    }
    odp_resolve_judge(&policy, found, 100, &answer);
    assert_int_equal(answer.state, ODP_RESOLVE_FOUND);
    assert_int_equal(answer.n, ODP_RESOLVE_KEEP);
    unsigned v4 = 0;
    for (size_t i = 0; i < answer.n; i++) {
        v4 += answer.addresses[i].any.sa_family == AF_INET;
        for (size_t k = 0; k < i; k++)
            assert_memory_not_equal(&answer.addresses[i], &answer.addresses[k], sizeof answer.addresses[i]);
    }
    assert_int_equal(v4, 3);
    for (size_t i = 0; i < 100; i++) {
        struct sockaddr_storage before = found[i];
        address_set(&found[i], i % 2 == 0 ? "192.168.0.1" : "fd00::1");
        odp_resolve_judge(&policy, found, 100, &answer);
        assert_int_equal(answer.state, ODP_RESOLVE_FORBIDDEN);
        assert_int_equal(answer.n, 0);
        found[i] = before;
    }
    /* An interface of ours is no part of an address of theirs. */
    struct sockaddr_in6 scoped = {.sin6_family = AF_INET6, .sin6_scope_id = 1};
    assert_int_equal(inet_pton(AF_INET6, "2606:4700::1", &scoped.sin6_addr), 1);
    memcpy(&found[99], &scoped, sizeof scoped);
    odp_resolve_judge(&policy, found, 100, &answer);
    assert_int_equal(answer.state, ODP_RESOLVE_FORBIDDEN);
    odp_resolve_judge(&policy, found, 0, &answer);
    assert_int_equal(answer.state, ODP_RESOLVE_NONE);
    odp_resolve_judge(&policy, found, -1, &answer);
    assert_int_equal(answer.state, ODP_RESOLVE_LATER);
    odp_resolve_judge(&policy, found, ODP_RESOLVE_MOST, &answer);
    assert_int_equal(answer.state, ODP_RESOLVE_LATER);
}

/* ---- slow names ---- */

/* A name that is not answered in time holds up nobody, and what is waited for no longer is not asked for. */
static void test_slow_names(void **state)
{
    struct odp_sender_options o = caller_options();
    struct odp_resolver resolver;
    struct book b = BOOK("127.0.0.1");
    struct receiver *r = receiver_start(says, OK_ANSWER);
    struct odp_target t[41];
    (void)state;
    o.connect_ms = 150;
    b.slow_ms = 400;
    struct caller *c = caller_with(&o, &resolver, &b);
    for (size_t i = 0; i < 40; i++) {
        char host[64];
        (void)snprintf(host, sizeof host, "lambat-%zu.contoh.id", i);
        target_set(&t[i], "http", host, r->port, "/");
        struct odp_sending m = message_to(&t[i], i);
        assert_int_equal(odp_sender_add(c->s, &m), ODP_OK);
    }
    target_set(&t[40], "http", "127.0.0.1", r->port, "/");
    struct odp_sending m = message_to(&t[40], 40);
    assert_int_equal(odp_sender_add(c->s, &m), ODP_OK);
    caller_run(c, 41, 60000);
    for (size_t i = 0; i < 40; i++) {
        assert_outcome(&c->told[i], ODP_OUTCOME_TIMEOUT, 0);
        assert_string_equal(c->told[i].address, "");
    }
    assert_outcome(&c->told[40], ODP_OUTCOME_DELIVERED, 200);
    caller_free(c); /* waits for those that are being asked for */
    assert_in_range(asked(&b), 1, 8);
    assert_int_equal(atomic_load(&r->requests), 1);
    receiver_stop(r);
}

/* Many messages to one name that is being asked for: it is asked for once, and all go. */
static void test_many_wait_for_one_name(void **state)
{
    struct odp_sender_options o = caller_options();
    struct odp_resolver resolver;
    struct book b = BOOK("127.0.0.1");
    struct receiver *r = receiver_start(says, OK_ANSWER);
    struct odp_target t;
    (void)state;
    b.slow_ms = 100;
    struct caller *c = caller_with(&o, &resolver, &b);
    target_set(&t, "http", "lambat.contoh.id", r->port, "/");
    for (size_t i = 0; i < 8; i++) {
        struct odp_sending m = message_to(&t, i);
        assert_int_equal(odp_sender_add(c->s, &m), ODP_OK);
    }
    caller_run(c, 8, 60000);
    for (size_t i = 0; i < 8; i++)
        assert_outcome(&c->told[i], ODP_OUTCOME_DELIVERED, 200);
    assert_int_equal(asked(&b), 1);
    caller_free(c);
    receiver_stop(r);
}

/* ---- the table of names ---- */

static int wait_for(struct odp_resolve *r, const char *host, struct odp_resolve_answer *answer)
{
    int64_t began = fixture_now();
    enum odp_status st;
    while ((st = odp_resolve_ask(r, host, began, began + 60000, false, answer)) == ODP_DONE && fixture_now() < began + 60000)
        (void)usleep(200);
    return (int)st;
}

/* More names than are kept: the oldest go, none is mixed up with another. */
static void test_more_names_than_are_kept(void **state)
{
    struct book b = BOOK("127.0.0.1");
    struct odp_resolver resolver = {&b, look_up};
    struct odp_address_policy policy = {.loopback = true};
    struct odp_resolve *r;
    struct odp_resolve_answer answer;
    char host[64];
    int wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    enum { NAMES = 2048 };
    (void)state;
    assert_int_equal(odp_resolve_new(&r, &policy, &resolver, 60000, wake), ODP_OK);
    for (int i = 0; i < NAMES + 10; i++) {
        (void)snprintf(host, sizeof host, "h%d.contoh.id", i);
        assert_int_equal(wait_for(r, host, &answer), ODP_OK);
        assert_int_equal(answer.state, ODP_RESOLVE_FOUND);
    }
    assert_int_equal(asked(&b), NAMES + 10);
    assert_int_equal(wait_for(r, "h12.contoh.id", &answer), ODP_OK);
    assert_int_equal(asked(&b), NAMES + 10);
    assert_int_equal(wait_for(r, "h9.contoh.id", &answer), ODP_OK); /* had to go */
    assert_int_equal(asked(&b), NAMES + 11);
    assert_int_equal(odp_resolve_ask(r, "10.0.0.1", 1, 2, false, &answer), ODP_OK);
    assert_int_equal(answer.state, ODP_RESOLVE_FORBIDDEN);
    assert_int_equal(odp_resolve_ask(r, "::1", 1, 2, false, &answer), ODP_OK);
    assert_int_equal(answer.state, ODP_RESOLVE_FOUND);
    assert_int_equal(asked(&b), NAMES + 11);
    odp_resolve_free(r);
    close(wake);
    odp_resolve_free(NULL);
}

/* All threads are busy and the table is full of names that wait: the next one is told to come later. */
static void test_no_room_for_names(void **state)
{
    struct book b = BOOK("127.0.0.1");
    struct odp_resolver resolver = {&b, look_up};
    struct odp_address_policy policy = {.loopback = true};
    struct odp_resolve *r;
    struct odp_resolve_answer answer;
    char host[64];
    int wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    int64_t now = fixture_now();
    (void)state;
    b.slow_ms = 500;
    b.quick_from = 9;
    assert_int_equal(odp_resolve_new(&r, &policy, &resolver, 60000, wake), ODP_OK);
    for (int i = 0; i < 2048; i++) {
        (void)snprintf(host, sizeof host, "h%d.contoh.id", i);
        assert_int_equal(odp_resolve_ask(r, host, now, now + 60000, false, &answer), ODP_DONE);
    }
    assert_int_equal(odp_resolve_ask(r, "satu.lagi.id", now, now + 60000, false, &answer), ODP_OK);
    assert_int_equal(answer.state, ODP_RESOLVE_LATER);
    assert_int_equal(wait_for(r, "h2047.contoh.id", &answer), ODP_OK);
    assert_int_equal(answer.state, ODP_RESOLVE_FOUND);
    assert_int_equal(wait_for(r, "satu.lagi.id", &answer), ODP_OK);
    assert_int_equal(answer.state, ODP_RESOLVE_FOUND);
    odp_resolve_free(r);
    close(wake);
}

/* A name server that answers when it is let. */
struct gate {
    pthread_mutex_t lock;
    pthread_cond_t more;
    bool open;
    unsigned inside, most;
};

static int wait_at(void *ctx, const char *host, struct sockaddr_storage *out, size_t cap)
{
    struct gate *g = ctx;
    (void)cap;
    pthread_mutex_lock(&g->lock);
    if (host[0] == 's') {
        g->inside++;
        g->most = g->inside > g->most ? g->inside : g->most;
        while (!g->open)
            pthread_cond_wait(&g->more, &g->lock);
        g->inside--;
    }
    pthread_mutex_unlock(&g->lock);
    address_set(out, "127.0.0.1");
    return 1;
}

static void wait_inside(struct gate *g, unsigned n)
{
    for (unsigned now = 0; now < n;) {
        pthread_mutex_lock(&g->lock);
        now = g->inside;
        pthread_mutex_unlock(&g->lock);
        (void)usleep(200);
    }
}

/* Names that only strangers ask for hold half of the threads, however many; what somebody else asks for, too, does not wait
 * behind them. */
static void test_names_of_strangers(void **state)
{
    struct gate g = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false, 0, 0};
    struct odp_resolver resolver = {&g, wait_at};
    struct odp_address_policy policy = {.loopback = true};
    struct odp_resolve *r;
    struct odp_resolve_answer answer;
    char host[64];
    int wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    int64_t now = fixture_now();
    (void)state;
    assert_int_equal(odp_resolve_new(&r, &policy, &resolver, 60000, wake), ODP_OK);
    for (int i = 0; i < 40; i++) {
        (void)snprintf(host, sizeof host, "s%d.contoh.id", i);
        assert_int_equal(odp_resolve_ask(r, host, now, now + 60000, true, &answer), ODP_DONE);
    }
    wait_inside(&g, 4);
    assert_int_equal(wait_for(r, "kenal.contoh.id", &answer), ODP_OK); /* while they wait */
    assert_int_equal(answer.state, ODP_RESOLVE_FOUND);
    pthread_mutex_lock(&g.lock);
    assert_int_equal(g.most, 4);
    pthread_mutex_unlock(&g.lock);
    assert_int_equal(odp_resolve_ask(r, "s30.contoh.id", now, now + 60000, false, &answer), ODP_DONE);
    wait_inside(&g, 5);
    pthread_mutex_lock(&g.lock);
    g.open = true;
    pthread_cond_broadcast(&g.more);
    pthread_mutex_unlock(&g.lock);
    for (int i = 0; i < 40; i++) {
        (void)snprintf(host, sizeof host, "s%d.contoh.id", i);
        assert_int_equal(wait_for(r, host, &answer), ODP_OK);
        assert_int_equal(answer.state, ODP_RESOLVE_FOUND);
    }
    odp_resolve_free(r);
    close(wake);
}

/* The machine's own resolver, by what it takes for an address: a machine need not have any name, not even localhost. */
static void test_the_machines_resolver(void **state)
{
    struct odp_address_policy open = {.loopback = true}, closed = {.loopback = false};
    struct odp_resolve *r;
    struct odp_resolve_answer answer;
    int wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    (void)state;
    assert_int_equal(odp_resolve_new(&r, &closed, NULL, 60000, wake), ODP_OK);
    assert_int_equal(wait_for(r, "127.1", &answer), ODP_OK);
    assert_int_equal(answer.state, ODP_RESOLVE_FORBIDDEN);
    odp_resolve_free(r);
    assert_int_equal(odp_resolve_new(&r, &open, NULL, 60000, wake), ODP_OK);
    assert_int_equal(wait_for(r, "127.1", &answer), ODP_OK);
    assert_int_equal(answer.state, ODP_RESOLVE_FOUND);
    assert_true(odp_address_is_loopback(&answer.addresses[0].any));
    odp_resolve_free(r);
    close(wake);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_name_is_asked_for_once),
        cmocka_unit_test(test_names_that_lead_nowhere),
        cmocka_unit_test(test_one_that_is_refused_refuses_all),
        cmocka_unit_test(test_loopback_needs_the_operator),
        cmocka_unit_test(test_plain_http_stays_here),
        cmocka_unit_test(test_rebinding_with_an_open_connection),
        cmocka_unit_test(test_rebinding_to_loopback),
        cmocka_unit_test(test_libcurl_asks_nobody),
        cmocka_unit_test(test_the_gate_of_sockets),
        cmocka_unit_test(test_a_further_address_is_tried),
        cmocka_unit_test(test_deaf_addresses),
        cmocka_unit_test(test_nobody_listens),
        cmocka_unit_test(test_a_hundred_addresses),
        cmocka_unit_test(test_slow_names),
        cmocka_unit_test(test_many_wait_for_one_name),
        cmocka_unit_test(test_more_names_than_are_kept),
        cmocka_unit_test(test_no_room_for_names),
        cmocka_unit_test(test_names_of_strangers),
        cmocka_unit_test(test_the_machines_resolver),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
