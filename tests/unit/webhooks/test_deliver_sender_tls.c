/* The sender and TLS: which certificates it takes, and HTTP/2. The authority, the certificates and the
 * servers are made here.
 */
#include "deliver_fixture.h"
#include "names_fixture.h"

#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "base/file.h"

#define HOST "terima.contoh.id"

/* ---- certificates ---- */

struct identity {
    EVP_PKEY *key;
    X509 *certificate;
};

static void extend(X509 *x, X509 *issuer, int nid, const char *value)
{
    X509V3_CTX ctx;
    X509V3_set_ctx(&ctx, issuer, x, NULL, NULL, 0);
    X509_EXTENSION *e = X509V3_EXT_conf_nid(NULL, &ctx, nid, value);
    assert_non_null(e);
    assert_int_equal(X509_add_ext(x, e, -1), 1);
    X509_EXTENSION_free(e);
}

/* Valid from FROM to TO, days from now. BY NULL: by itself. NAMES: subjectAltName, or NULL. */
static struct identity identity_new(const char *cn, const struct identity *by, const char *names, int from,
                                    int to)
{
    static long serial = 1;
    struct identity id = {EVP_EC_gen("P-256"), X509_new()};
    assert_non_null(id.key);
    assert_non_null(id.certificate);
    X509 *x = id.certificate, *issuer = by != NULL ? by->certificate : x;
    assert_int_equal(X509_set_version(x, 2), 1);
    assert_int_equal(ASN1_INTEGER_set(X509_get_serialNumber(x), serial++), 1);
    assert_non_null(X509_gmtime_adj(X509_getm_notBefore(x), from * 86400L));
    assert_non_null(X509_gmtime_adj(X509_getm_notAfter(x), to * 86400L));
    assert_int_equal(X509_set_pubkey(x, id.key), 1);
    assert_int_equal(X509_NAME_add_entry_by_txt(X509_get_subject_name(x), "CN", MBSTRING_ASC,
                                                (const unsigned char *)cn, -1, -1, 0),
                     1);
    assert_int_equal(X509_set_issuer_name(x, X509_get_subject_name(issuer)), 1);
    extend(x, issuer, NID_basic_constraints,
           by == NULL && names == NULL ? "critical,CA:TRUE" : "critical,CA:FALSE");
    if (names != NULL)
        extend(x, issuer, NID_subject_alt_name, names);
    assert_true(X509_sign(x, by != NULL ? by->key : id.key, EVP_sha256()) > 0);
    return id;
}

static void identity_free(struct identity *id)
{
    EVP_PKEY_free(id->key);
    X509_free(id->certificate);
}

static struct identity authority, other_authority;
static char ca_file[64];

static int make_authorities(void **state)
{
    struct odp_file *file;
    char *text;
    authority = identity_new("Otoritas Tes", NULL, NULL, -1, 30);
    other_authority = identity_new("Otoritas Lain", NULL, NULL, -1, 30);
    BIO *b = BIO_new(BIO_s_mem());
    assert_int_equal(PEM_write_bio_X509(b, authority.certificate), 1);
    long n = BIO_get_mem_data(b, &text);
    snprintf(ca_file, sizeof ca_file, "odp-deliver-ca-%d.pem", (int)getpid());
    must(odp_file_create(&file, ca_file, 0600));
    must(odp_file_write(file, text, (size_t)n));
    must(odp_file_close(file, NULL));
    BIO_free(b);
    return 0;
}

static int drop_authorities(void **state)
{
    identity_free(&authority);
    identity_free(&other_authority);
    return unlink(ca_file);
}

/* ---- a receiver with TLS ---- */

static int choose_h2(SSL *ssl, const unsigned char **out, unsigned char *len, const unsigned char *in,
                     unsigned n, void *ctx)
{
    static const unsigned char h2[] = "\x02h2";
    (void)ssl, (void)ctx;
    unsigned char *chosen;
    if (SSL_select_next_proto(&chosen, len, h2, 3, in, n) != OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_NOACK;
    *out = chosen;
    return SSL_TLSEXT_ERR_OK;
}

/* One step of SSL waits for the socket, so that a receiver can be stopped. */
static int step(struct link *l, int rc)
{
    int e = SSL_get_error(l->secure, rc);
    if (e == SSL_ERROR_WANT_READ)
        return link_wait(l, l->fd, -1) == 1 ? 0 : -1;
    if (e == SSL_ERROR_WANT_WRITE)
        return link_wait(l, -1, 1) == 0 ? 0 : -1;
    return -1;
}

static bool tls_shake(struct link *l)
{
    int rc;
    l->secure = SSL_new(l->r->secret);
    if (l->secure == NULL || fcntl(l->fd, F_SETFL, O_NONBLOCK) != 0 || SSL_set_fd(l->secure, l->fd) != 1)
        return false;
    while ((rc = SSL_accept(l->secure)) != 1)
        if (step(l, rc) < 0)
            return false;
    return true;
}

static ssize_t tls_get(struct link *l, void *out, size_t n)
{
    for (int rc;;) {
        if ((rc = SSL_read(l->secure, out, (int)n)) > 0)
            return rc;
        if (step(l, rc) < 0)
            return -1;
    }
}

static ssize_t tls_put(struct link *l, const void *bytes, size_t n)
{
    for (int rc;;) {
        if ((rc = SSL_write(l->secure, bytes, (int)n)) > 0)
            return rc;
        if (step(l, rc) < 0)
            return -1;
    }
}

static void tls_part(struct link *l)
{
    SSL_free(l->secure);
    ERR_clear_error();
}

static struct receiver *tls_start(void (*talk)(struct link *l), const char *say, const struct identity *id,
                                  bool h2)
{
    struct receiver *r = calloc(1, sizeof *r);
    SSL_CTX *ctx = SSL_CTX_new(TLS_server_method());
    assert_non_null(r);
    assert_non_null(ctx);
    assert_int_equal(SSL_CTX_use_certificate(ctx, id->certificate), 1);
    assert_int_equal(SSL_CTX_use_PrivateKey(ctx, id->key), 1);
    if (h2)
        SSL_CTX_set_alpn_select_cb(ctx, choose_h2, NULL);
    r->secret = ctx;
    r->shake = tls_shake;
    r->get = tls_get;
    r->put = tls_put;
    r->part = tls_part;
    r->say = say;
    r->say_len = say != NULL ? strlen(say) : 0;
    receiver_start_at(r, talk, "127.0.0.1", 0);
    return r;
}

static void tls_stop(struct receiver *r)
{
    SSL_CTX *ctx = r->secret;
    receiver_stop(r);
    SSL_CTX_free(ctx);
}

static int look_up(const char *host, const char **out, int cap)
{
    (void)host, (void)cap;
    out[0] = "127.0.0.1";
    return 1;
}

static struct odp_sender_options tls_options(void)
{
    struct odp_sender_options o = caller_options();
    o.ca_file = ca_file;
    return o;
}

/* ---- talking ---- */

static void says_plainly(struct link *l)
{
    (void)plain_put(l, l->r->say, l->r->say_len);
    link_wait(l, -1, 50);
}

static void resets(struct link *l)
{
    char hello[64];
    (void)plain_get(l, hello, sizeof hello);
    link_reset(l);
}

/* ---- certificates ---- */

TEST(certificates)
{
    static const struct {
        const char *name, *cn, *names;
        int by, from, to; /* 0: itself, 1: the authority, 2: another one */
        const char *host;
        enum odp_outcome outcome;
    } cases[] = {
        {"good", HOST, "DNS:" HOST, 1, -1, 1, HOST, ODP_OUTCOME_DELIVERED},
        {"of several names", "x", "DNS:lain.id,DNS:" HOST, 1, -1, 1, HOST, ODP_OUTCOME_DELIVERED},
        {"for all below", "x", "DNS:*.contoh.id", 1, -1, 1, HOST, ODP_OUTCOME_DELIVERED},
        {"for an address", "x", "IP:127.0.0.1", 1, -1, 1, "127.0.0.1", ODP_OUTCOME_DELIVERED},
        {"expired", HOST, "DNS:" HOST, 1, -10, -1, HOST, ODP_OUTCOME_TLS},
        {"not yet valid", HOST, "DNS:" HOST, 1, 1, 10, HOST, ODP_OUTCOME_TLS},
        {"by itself", HOST, "DNS:" HOST, 0, -1, 1, HOST, ODP_OUTCOME_TLS},
        {"by another authority", HOST, "DNS:" HOST, 2, -1, 1, HOST, ODP_OUTCOME_TLS},
        {"of another name", "lain.id", "DNS:lain.id", 1, -1, 1, HOST, ODP_OUTCOME_TLS},
        {"of another name, and ours as CN", HOST, "DNS:lain.id", 1, -1, 1, HOST, ODP_OUTCOME_TLS},
        {"for all too far below", "x", "DNS:*.id", 1, -1, 1, HOST, ODP_OUTCOME_TLS},
        {"of a name, for an address", "x", "DNS:127.0.0.1,DNS:" HOST, 1, -1, 1, "127.0.0.1", ODP_OUTCOME_TLS},
        {"of another address", "x", "IP:127.0.0.2", 1, -1, 1, "127.0.0.1", ODP_OUTCOME_TLS},
        {"of a name that ours begins with", "x", "DNS:lain.id", 1, -1, 1, "lain.id.contoh.id",
         ODP_OUTCOME_TLS},
    };
    struct odp_sender_options o = tls_options();
    struct caller *c = caller_new(&o);
    for (size_t i = 0; i < ODP_COUNT(cases); i++) {
        const struct identity *by = cases[i].by == 0   ? NULL
                                    : cases[i].by == 1 ? &authority
                                                       : &other_authority;
        struct identity id = identity_new(cases[i].cn, by, cases[i].names, cases[i].from, cases[i].to);
        struct receiver *r = tls_start(says, OK_ANSWER, &id, false);
        struct odp_target t;
        target_set(&t, "https", cases[i].host, r->port, "/");
        struct told *told = caller_send(c, &t, i, 0);
        bool good = cases[i].outcome == ODP_OUTCOME_DELIVERED;
        if (told->outcome != cases[i].outcome)
            print_error("%s: %s\n", cases[i].name, odp_outcome_name(told->outcome));
        assert_outcome(told, cases[i].outcome, good ? 200 : 0);
        assert_int_equal(atomic_load(&r->connections), 1);
        assert_int_equal(atomic_load(&r->requests),
                         good ? 1
                              : 0); /* not a byte of the message before the certificate is known to be good */
        tls_stop(r);
        identity_free(&id);
    }
    caller_free(c);
    /* The authority is trusted only where it was said. */
    o.ca_file = NULL;
    c = caller_new(&o);
    struct identity id = identity_new(HOST, &authority, "DNS:" HOST, -1, 1);
    struct receiver *r = tls_start(says, OK_ANSWER, &id, false);
    struct odp_target t;
    target_set(&t, "https", HOST, r->port, "/");
    assert_outcome(caller_send(c, &t, 0, 0), ODP_OUTCOME_TLS, 0);
    assert_int_equal(atomic_load(&r->requests), 0);
    caller_free(c);
    tls_stop(r);
    identity_free(&id);
}

/* ---- what is no TLS, or an old one ---- */

TEST(what_is_no_tls)
{
    struct odp_sender_options o = tls_options();
    struct receiver *r[] = {receiver_start(says_plainly, OK_ANSWER), receiver_start(closes, NULL),
                            receiver_start(resets, NULL), receiver_start(hangs, NULL)};
    static const enum odp_outcome outcomes[] = {ODP_OUTCOME_TLS, ODP_OUTCOME_TLS, ODP_OUTCOME_TLS,
                                                ODP_OUTCOME_TIMEOUT};
    for (size_t i = 0; i < 4; i++) {
        struct odp_target t;
        o.connect_ms = i == 3 ? 200 : 20000;
        struct caller *c = caller_new(&o);
        target_set(&t, "https", HOST, r[i]->port, "/");
        assert_outcome(caller_send(c, &t, 0, 0), outcomes[i], 0);
        assert_int_equal(atomic_load(&r[i]->connections), 1);
        caller_free(c);
        receiver_stop(r[i]);
    }
}

TEST(versions_of_tls)
{
    static const struct {
        int version;
        enum odp_outcome outcome;
    } cases[] = {
        {TLS1_VERSION, ODP_OUTCOME_TLS},
        {TLS1_1_VERSION, ODP_OUTCOME_TLS},
        {TLS1_2_VERSION, ODP_OUTCOME_DELIVERED},
        {TLS1_3_VERSION, ODP_OUTCOME_DELIVERED},
    };
    struct odp_sender_options o = tls_options();
    struct identity id = identity_new(HOST, &authority, "DNS:" HOST, -1, 1);
    struct caller *c = caller_new(&o);
    for (size_t i = 0; i < 4; i++) {
        struct receiver *r = tls_start(says, OK_ANSWER, &id, false);
        struct odp_target t;
        SSL_CTX_set_security_level(r->secret, 0);
        assert_int_equal(SSL_CTX_set_min_proto_version(r->secret, cases[i].version), 1);
        assert_int_equal(SSL_CTX_set_max_proto_version(r->secret, cases[i].version), 1);
        target_set(&t, "https", HOST, r->port, "/");
        assert_outcome(caller_send(c, &t, i, 0), cases[i].outcome,
                       cases[i].outcome == ODP_OUTCOME_DELIVERED ? 200 : 0);
        tls_stop(r);
    }
    /* One that asks for a certificate of ours. */
    struct receiver *r = tls_start(says, OK_ANSWER, &id, false);
    struct odp_target t;
    SSL_CTX_set_verify(r->secret, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
    assert_int_equal(SSL_CTX_set_max_proto_version(r->secret, TLS1_2_VERSION), 1);
    target_set(&t, "https", HOST, r->port, "/");
    assert_outcome(caller_send(c, &t, 9, 0), ODP_OUTCOME_TLS, 0);
    tls_stop(r);
    caller_free(c);
    identity_free(&id);
}

/* ---- connections ---- */

/* Used again for the same name; never for another one at the same address, whose certificate was not checked.
 */
TEST(a_connection_belongs_to_its_name)
{
    struct odp_sender_options o = tls_options();
    struct identity id = identity_new(HOST, &authority, "DNS:" HOST, -1, 1);
    struct receiver *r = tls_start(says, OK_ANSWER, &id, false);
    struct odp_target t, other, plain;
    struct caller *c = caller_new(&o);
    target_set(&t, "https", HOST, r->port, "/");
    target_set(&other, "https", "lain.id", r->port, "/");
    target_set(&plain, "http", HOST, r->port, "/");
    for (size_t i = 0; i < 20; i++)
        assert_outcome(caller_send(c, &t, i, 0), ODP_OUTCOME_DELIVERED, 200);
    assert_int_equal(atomic_load(&r->connections), 1);
    assert_outcome(caller_send(c, &other, 20, 0), ODP_OUTCOME_TLS, 0);
    assert_int_equal(atomic_load(&r->connections), 2);
    /* Without TLS nothing is heard here; newer versions of curl send it through the connection that has TLS
     * and this name. */
    struct told *last = caller_send(c, &plain, 21, 0);
    bool with_tls = last->outcome == ODP_OUTCOME_DELIVERED;
    assert_outcome(last, with_tls ? ODP_OUTCOME_DELIVERED : ODP_OUTCOME_BROKEN, with_tls ? 200 : 0);
    assert_int_equal(atomic_load(&r->connections), with_tls ? 2 : 3);
    assert_int_equal(atomic_load(&r->requests), with_tls ? 21 : 20);
    caller_free(c);
    tls_stop(r);
    identity_free(&id);
}

/* ---- HTTP/2 (RFC 9113), as little as a receiver needs ---- */

static bool h2_get(struct link *l, unsigned char *out, size_t n)
{
    for (size_t done = 0; done < n;) {
        ssize_t got = l->r->get(l, out + done, n - done);
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    return true;
}

static bool h2_put(struct link *l, unsigned type, unsigned flags, uint32_t stream, const void *payload,
                   size_t n)
{
    unsigned char head[9] = {
        (unsigned char)(n >> 16),      (unsigned char)(n >> 8),      (unsigned char)n,
        (unsigned char)type,           (unsigned char)flags,         (unsigned char)(stream >> 24),
        (unsigned char)(stream >> 16), (unsigned char)(stream >> 8), (unsigned char)stream};
    return link_put(l, head, 9) && link_put(l, payload, n);
}

static bool (*h2_answer)(struct link *l, uint32_t stream);

/* Answers each whole request by what h2_answer puts. */
static void h2_talk(struct link *l)
{
    unsigned char head[24], *payload = malloc(1 << 16);
    bool fine = payload != NULL && h2_get(l, head, 24) &&
                memcmp(head, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 24) == 0 && h2_put(l, 4, 0, 0, "", 0);
    while (fine && h2_get(l, head, 9)) {
        size_t n = (size_t)head[0] << 16 | (size_t)head[1] << 8 | head[2];
        uint32_t stream =
            (uint32_t)head[5] << 24 | (uint32_t)head[6] << 16 | (uint32_t)head[7] << 8 | head[8];
        if (n > 1 << 16 || !h2_get(l, payload, n))
            break;
        if (head[3] == 4 && (head[4] & 1) == 0)
            fine = h2_put(l, 4, 1, 0, "", 0);
        else if (head[3] == 6 && (head[4] & 1) == 0)
            fine = h2_put(l, 6, 1, 0, payload, n);
        if (head[3] != 0 || n == 0)
            continue;
        pthread_mutex_lock(&l->r->lock);
        memcpy(l->r->text, payload, n);
        l->r->text[n] = '\0';
        l->r->text_len = n;
        pthread_mutex_unlock(&l->r->lock);
        atomic_fetch_add(&l->r->requests, 1);
        fine = h2_answer(l, stream);
    }
    free(payload);
}

static bool h2_ok(struct link *l, uint32_t stream)
{
    return h2_put(l, 1, 4, stream, "\x88", 1) && h2_put(l, 0, 1, stream, "challenge", 9);
}

static bool h2_gone(struct link *l, uint32_t stream)
{
    return h2_put(l, 1, 5, stream,
                  "\x08\x03"
                  "410",
                  5);
}

static bool h2_slow_down(struct link *l, uint32_t stream)
{
    return h2_put(l, 1, 5, stream,
                  "\x08\x03"
                  "429\x0f\x26\x01"
                  "7",
                  9);
}

static bool h2_resets(struct link *l, uint32_t stream)
{
    return h2_put(l, 3, 0, stream, "\0\0\0\2", 4);
}

static bool h2_goes(struct link *l, uint32_t stream)
{
    h2_put(l, 7, 0, 0, "\x7f\xff\xff\xff\0\0\0\1", 8);
    return false;
}

static bool h2_hangs(struct link *l, uint32_t stream)
{
    (void)l, (void)stream;
    return true;
}

static bool h2_endless(struct link *l, uint32_t stream)
{
    static const char block[16384];
    bool fine = h2_put(l, 1, 4, stream, "\x88", 1);
    for (int i = 0; i < 64 && fine; i++) /* up to the window that libcurl opens, at least */
        fine = h2_put(l, 0, 0, stream, block, sizeof block);
    return fine;
}

/* 200 and 40,000 bytes of headers: one that is long and is kept by HPACK's table, again and again. */
static bool h2_long_header(struct link *l, uint32_t stream)
{
    unsigned char block[4096] = {
        0x88, 0x40, 1,   'x',
        0x7f, 0xe9, 0x0e}; /* a new name x, a value of 0x7f + 0x69 + 0x0e * 128 = 2024 bytes */
    size_t n = 7;
    memset(block + n, 'v', 2024);
    n += 2024;
    for (int i = 0; i < 20; i++)
        block[n++] = 0xbe; /* the first of the dynamic table: again */
    return h2_put(l, 1, 5, stream, block, n);
}

static bool h2_garbage(struct link *l, uint32_t stream)
{
    return h2_put(l, 1, 5, stream, "\xff\xff\xff\xff\xff\xff", 6);
}

TEST(http2)
{
    static const struct {
        const char *name;
        bool (*answer)(struct link *l, uint32_t stream);
        enum odp_outcome outcome;
        int status, retry_after;
    } cases[] = {
        {"200", h2_ok, ODP_OUTCOME_DELIVERED, 200, -1},
        {"410", h2_gone, ODP_OUTCOME_GONE, 410, -1},
        {"429", h2_slow_down, ODP_OUTCOME_SLOW_DOWN, 429, 7},
        {"reset", h2_resets, ODP_OUTCOME_BROKEN, 0, -1},
        {"goes away", h2_goes, ODP_OUTCOME_BROKEN, 0, -1},
        {"hangs", h2_hangs, ODP_OUTCOME_TIMEOUT, 0, -1},
        {"endless", h2_endless, ODP_OUTCOME_DELIVERED, 200, -1},
        {"long header", h2_long_header, ODP_OUTCOME_BROKEN, 0, -1},
        {"garbage", h2_garbage, ODP_OUTCOME_BROKEN, 0, -1},
    };
    struct identity id = identity_new(HOST, &authority, "DNS:" HOST, -1, 1);
    for (size_t i = 0; i < ODP_COUNT(cases); i++) {
        struct odp_sender_options o = tls_options();
        h2_answer = cases[i].answer;
        struct receiver *r = tls_start(h2_talk, NULL, &id, true);
        struct odp_target t;
        o.timeout_ms = cases[i].outcome == ODP_OUTCOME_TIMEOUT ? 500 : 20000;
        struct caller *c = caller_new(&o);
        target_set(&t, "https", HOST, r->port, "/");
        struct told *told = caller_send(c, &t, 0, 100);
        bool waits = cases[i].answer == h2_garbage &&
                     told->outcome == ODP_OUTCOME_TIMEOUT; /* curl 8.5 waits for something better */
        if ((told->outcome != cases[i].outcome && !waits) || told->status != cases[i].status)
            print_error("%s: %s %d\n", cases[i].name, odp_outcome_name(told->outcome), told->status);
        assert_outcome(told, waits ? ODP_OUTCOME_TIMEOUT : cases[i].outcome, cases[i].status);
        assert_int_equal(told->retry_after, cases[i].retry_after);
        assert_string_equal(receiver_text(r), "{\"type\":\"webhook.test\"}");
        if (i == 0)
            assert_string_equal(told->answer, "challenge");
        caller_free(c);
        tls_stop(r);
    }
    identity_free(&id);
}

/* Messages to one place share a connection once it is known to speak HTTP/2; one that hangs is no harm to the
 * others. */
TEST(http2_is_shared)
{
    struct odp_sender_options o = tls_options();
    struct identity id = identity_new(HOST, &authority, "DNS:" HOST, -1, 1);
    h2_answer = h2_ok;
    struct receiver *r = tls_start(h2_talk, NULL, &id, true);
    struct odp_target t;
    struct caller *c = caller_new(&o);
    target_set(&t, "https", HOST, r->port, "/");
    assert_outcome(caller_send(c, &t, 0, 0), ODP_OUTCOME_DELIVERED, 200);
    for (size_t round = 0; round < 10; round++) {
        for (size_t i = 0; i < 8; i++) {
            struct odp_sending m = message_to(&t, 1 + round * 8 + i);
            must(odp_sender_add(c->s, &m));
        }
        caller_run(c, 1 + round * 8 + 8, 60000);
    }
    for (size_t i = 0; i < 81; i++)
        assert_outcome(&c->told[i], ODP_OUTCOME_DELIVERED, 200);
    assert_int_equal(atomic_load(&r->connections), 1);
    assert_int_equal(atomic_load(&r->requests), 81);
    caller_free(c);
    tls_stop(r);
    identity_free(&id);
}

static int begin(void **state)
{
    names_look_up = look_up;
    return make_authorities(state);
}

AROUND(begin, drop_authorities)
