/* One message as a transfer of libcurl: what is sent, where it may connect to, what is taken of the answer.
 *
 * An address is judged where its socket would be opened (CURLOPT_OPENSOCKETFUNCTION): there is the very
 * address that connect(2) gets, whatever a name server says before or after (rebinding), whichever of several
 * addresses it is, and also if the URL's host is an address. A connection that is used again leads where it
 * was judged to lead. The port must be the target's, and without TLS the address must be loopback. One
 * refused address ends the message: a name that leads to a public and to a private address is no receiver's.
 *
 * libcurl resolves names on a thread for each message. A thread whose message has run out of time ends by
 * itself (CURLOPT_QUICK_EXIT): libcurl would wait for it, and everybody else with it.
 *
 * If the receiver has closed an old connection meanwhile, the message goes again on a new one, once, with the
 * same id. libcurl does that too, but only five times in the life of a handle. A problem on our side (no
 * sockets, no memory, a CA file that cannot be read) is "not-sent", never the receiver's failure. */
#include <errno.h>
#include <netinet/in.h>
#include <string.h>

#include "service/webhooks/deliver/sender_internal.h"

enum {
    HEAD_MAX = 16 * 1024,  /* all headers of an answer, 1xx and trailers with them */
    DRAIN_MAX = 16 * 1024, /* read of a body that nobody wants, so that the connection can be used again */
    LINGER_MS = 1000,      /* and for no longer */
    IDLE_S = 10,
    LIFE_S = 60,
    TRUST_S = 600,
    NAMES_S = 5
};

/* ---- where to ---- */

static unsigned port_of(const struct sockaddr *a)
{
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
    if (a->sa_family == AF_INET) {
        memcpy(&v4, a, sizeof v4);
        return ntohs(v4.sin_port);
    }
    memcpy(&v6, a, sizeof v6);
    return v6.sin6_scope_id == 0 ? ntohs(v6.sin6_port)
                                 : 0; /* an interface of ours is no part of an address of theirs */
}

bool odp_transfer_may_connect(const struct odp_sender_slot *slot, const struct sockaddr *address)
{
    if (address->sa_family != AF_INET && address->sa_family != AF_INET6)
        return false;
    return port_of(address) == slot->target.port && odp_address_refused(&slot->s->policy, address) == NULL &&
           (slot->target.https || odp_address_is_loopback(address));
}

static curl_socket_t open_socket(void *ctx, curlsocktype purpose, struct curl_sockaddr *address)
{
    struct odp_sender_slot *slot = ctx;
    if (slot->refused || purpose != CURLSOCKTYPE_IPCXN || !odp_transfer_may_connect(slot, &address->addr)) {
        slot->refused = true;
        return CURL_SOCKET_BAD;
    }
    int fd = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM))
        slot->out = true;
    return fd < 0 ? CURL_SOCKET_BAD : fd;
}

/* ---- what comes back ---- */

static size_t take_head(char *bytes, size_t size, size_t n, void *ctx)
{
    struct odp_sender_slot *slot = ctx;
    struct odp_slice line = {bytes, size * n};
    slot->head_bytes += line.len;
    if (slot->head_bytes > HEAD_MAX)
        return 0;
    if (slot->answered) /* trailers */
        return line.len;
    if (odp_slice_trim(line).len > 0)
        return line.len;
    long status = 0;
    (void)curl_easy_getinfo(slot->easy, CURLINFO_RESPONSE_CODE, &status);
    if (status < 200 && status != 101) /* there is more to come */
        return line.len;
    slot->answered = true;
    if (slot->answer_max == 0 && slot->deadline > slot->s->now + LINGER_MS)
        slot->deadline = slot->s->now + LINGER_MS;
    return status == 101 ? 0 : line.len; /* to a protocol that we did not ask for */
}

static size_t take_body(char *bytes, size_t size, size_t n, void *ctx)
{
    struct odp_sender_slot *slot = ctx;
    size_t room = slot->answer_max - slot->answer.len, len = size * n;
    odp_buffer_add(&slot->answer, bytes, len < room ? len : room);
    slot->body_bytes += len;
    return slot->answer.failed ||
                   slot->body_bytes > (slot->answer_max > DRAIN_MAX ? slot->answer_max : DRAIN_MAX)
               ? 0
               : len;
}

enum odp_outcome odp_transfer_answered(long status)
{
    switch (status) {
    case 301:
    case 302:
    case 303:
    case 307:
    case 308:
        return ODP_OUTCOME_REDIRECT;
    case 410:
        return ODP_OUTCOME_GONE;
    case 429:
    case 502:
    case 503:
    case 504:
        return ODP_OUTCOME_SLOW_DOWN;
    default:
        return status >= 200 && status < 300 ? ODP_OUTCOME_DELIVERED
               : status >= 100               ? ODP_OUTCOME_REFUSED
                                             : ODP_OUTCOME_BROKEN;
    }
}

enum odp_outcome odp_transfer_outcome(const struct odp_sender_slot *slot, CURLcode rc)
{
    if (slot->refused)
        return ODP_OUTCOME_FORBIDDEN;
    switch (rc) {
    case CURLE_COULDNT_CONNECT:
        return slot->out ? ODP_OUTCOME_UNSENT : ODP_OUTCOME_CONNECT;
    case CURLE_OPERATION_TIMEDOUT:
        return ODP_OUTCOME_TIMEOUT;
    case CURLE_COULDNT_RESOLVE_HOST:
        return ODP_OUTCOME_NAME;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_INVALIDCERTSTATUS:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
        return ODP_OUTCOME_TLS;
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ENGINE_NOTFOUND:
    case CURLE_SSL_ENGINE_INITFAILED:
    case CURLE_FAILED_INIT:
    case CURLE_URL_MALFORMAT:
    case CURLE_BAD_FUNCTION_ARGUMENT:
        return ODP_OUTCOME_UNSENT;
    case CURLE_OUT_OF_MEMORY: { /* libcurl says so of a header line that is too long, too */
        double sent = 0;
        return curl_easy_getinfo(slot->easy, CURLINFO_PRETRANSFER_TIME, &sent) == CURLE_OK && sent > 0
                   ? ODP_OUTCOME_BROKEN
                   : ODP_OUTCOME_UNSENT;
    }
    default:
        return ODP_OUTCOME_BROKEN;
    }
}

/* ---- what is sent ---- */

/* Options of every message: nothing of the environment, and nothing but the connection is kept from one to
 * the next. */
static CURL *make_easy(struct odp_sender_slot *slot)
{
    static const struct {
        CURLoption option;
        long value;
    } numbers[] = {{CURLOPT_POST, 1},
                   {CURLOPT_NOSIGNAL, 1},
                   {CURLOPT_DISALLOW_USERNAME_IN_URL, 1},
                   {CURLOPT_FOLLOWLOCATION, 0},
                   {CURLOPT_NETRC, CURL_NETRC_IGNORED},
                   {CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS},
                   {CURLOPT_HTTP09_ALLOWED, 0},
                   {CURLOPT_HTTP_CONTENT_DECODING, 0},
                   {CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2},
                   {CURLOPT_SSL_VERIFYPEER, 1},
                   {CURLOPT_SSL_VERIFYHOST, 2},
                   {CURLOPT_SSL_SESSIONID_CACHE, 0},
                   {CURLOPT_CA_CACHE_TIMEOUT, TRUST_S},
                   {CURLOPT_MAXAGE_CONN, IDLE_S},
                   {CURLOPT_MAXLIFETIME_CONN, LIFE_S},
                   {CURLOPT_DNS_CACHE_TIMEOUT, NAMES_S},
                   {CURLOPT_QUICK_EXIT, 1}};
    static const struct {
        CURLoption option;
        const char *value;
    } texts[] = {{CURLOPT_PROTOCOLS_STR, "http,https"}, {CURLOPT_PROXY, ""}, {CURLOPT_NOPROXY, "*"}};
    const struct odp_sender *s = slot->s;
    CURL *c = curl_easy_init();
    if (c == NULL)
        return NULL;
    CURLcode rc = curl_easy_setopt(c, CURLOPT_PRIVATE, slot);
    for (size_t i = 0; i < ODP_COUNT(numbers); i++)
        rc |= curl_easy_setopt(c, numbers[i].option, numbers[i].value);
    for (size_t i = 0; i < ODP_COUNT(texts); i++)
        rc |= curl_easy_setopt(c, texts[i].option, texts[i].value);
    rc |= curl_easy_setopt(c, CURLOPT_USERAGENT, s->user_agent);
    if (s->ca_file != NULL) {
        rc |= curl_easy_setopt(c, CURLOPT_CAINFO, s->ca_file);
        rc |= curl_easy_setopt(c, CURLOPT_CAPATH, NULL);
    }
    rc |= curl_easy_setopt(c, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    rc |= curl_easy_setopt(c, CURLOPT_OPENSOCKETDATA, slot);
    rc |= curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, take_head);
    rc |= curl_easy_setopt(c, CURLOPT_HEADERDATA, slot);
    rc |= curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, take_body);
    rc |= curl_easy_setopt(c, CURLOPT_WRITEDATA, slot);
    if (rc == CURLE_OK)
        return c;
    curl_easy_cleanup(c);
    return NULL;
}

/* Headers of every message. libcurl would add Expect to a long body. */
static struct curl_slist *same_headers(void)
{
    static char type[] = "Content-Type: application/json", expect[] = "Expect:";
    static struct curl_slist last = {expect, NULL}, first = {type, &last};
    return &first;
}

/* Makes the multi handle, if there is none. */
static bool transfer_open(struct odp_sender *s)
{
    if (s->multi != NULL)
        return true;
    CURLM *m = curl_multi_init();
    if (m == NULL || curl_multi_setopt(m, CURLMOPT_MAXCONNECTS, (long)s->connections) != CURLM_OK ||
        curl_multi_setopt(m, CURLMOPT_MAX_TOTAL_CONNECTIONS, (long)s->connections) != CURLM_OK) {
        (void)curl_multi_cleanup(m);
        return false;
    }
    s->multi = m;
    return true;
}

bool odp_transfer_start(struct odp_sender_slot *slot)
{
    struct odp_sender *s = slot->s;
    int64_t by = slot->fresh ? slot->deadline : slot->connect_by, connect_ms = by > s->now ? by - s->now : 1;
    if (slot->easy == NULL && (slot->easy = make_easy(slot)) == NULL)
        return false;
    for (size_t i = 0; i < 3; i++)
        slot->headers[i] =
            (struct curl_slist){slot->header[i], i < 2 ? &slot->headers[i + 1] : same_headers()};
    if (!transfer_open(s))
        return false;
    CURL *c = slot->easy;
    CURLcode rc = curl_easy_setopt(c, CURLOPT_URL, slot->target.url);
    rc |= curl_easy_setopt(c, CURLOPT_HTTPHEADER, slot->headers);
    rc |= curl_easy_setopt(c, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)slot->body.len);
    rc |= curl_easy_setopt(c, CURLOPT_POSTFIELDS, slot->body.len > 0 ? slot->body.ptr : "");
    rc |= curl_easy_setopt(c, CURLOPT_FRESH_CONNECT, slot->fresh ? 1L : 0L);
    rc |= curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT_MS, (long)connect_ms);
    return rc == CURLE_OK && curl_multi_add_handle(s->multi, c) == CURLM_OK;
}

/* It was an old connection, which the receiver had closed. libcurl sees to that itself, but only a few times
 * in the life of a handle. */
static bool was_stale(const struct odp_sender_slot *slot, CURLcode rc)
{
    long made = 1;
    return (rc == CURLE_SEND_ERROR || rc == CURLE_RECV_ERROR || rc == CURLE_GOT_NOTHING) && !slot->fresh &&
           slot->head_bytes == 0 && curl_easy_getinfo(slot->easy, CURLINFO_NUM_CONNECTS, &made) == CURLE_OK &&
           made == 0;
}

bool odp_transfer_again(struct odp_sender_slot *slot, CURLcode rc)
{
    if (slot->refused || slot->out || !was_stale(slot, rc))
        return false;
    slot->fresh = true;
    return curl_multi_remove_handle(slot->s->multi, slot->easy) == CURLM_OK && odp_transfer_start(slot);
}
