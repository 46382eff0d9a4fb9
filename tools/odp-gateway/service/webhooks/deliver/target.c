/* The address of a subscription. What is odd is refused, so that no two readers read it differently; then
 * libcurl reads it, and must read the same scheme, host and port, and no user, password, zone or fragment.
 * libcurl's writing of it is kept, which parses to itself.
 *
 * Taken: https, ASCII, a name of letters, digits and hyphens with a dot in it, an IPv4 address in four plain
 * decimals, an IPv6 address in brackets. Upper case becomes lower, an IPv6 address gets its canonical form,
 * port 443 and dot segments of the path go. Refused: a dot at the end (another name to some caches and
 * certificates, the same host to resolvers), a host whose last label is a number in any base (a resolver
 * reads 0x7f.1 as an address), percent-encoding in the host, '@' before the path, '#', backslashes, spaces,
 * control characters, anything beyond ASCII (international names are written xn--…: two libraries map letters
 * differently), underscores, leading zeros of ports, ports of other protocols (the Fetch standard's list).
 * http only with the flag for loopback, and only to a loopback address, localhost or a name below it; the
 * sender checks that they lead there. */
#include <arpa/inet.h>
#include <ctype.h>
#include <curl/curl.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "base/diag.h"
#include "service/webhooks/deliver/address.h"
#include "words/webhooks.h"

enum { NAME_MAX_LENGTH = 253, LABEL_MAX = 63, PORT_MAX = 65535 };

/* ---- what is wrong, told to the owner ---- */

static const struct odp_text too_long = {{W_webhooks_address_too_long_at_most}};
static const struct odp_text characters = {{W_webhooks_address_has_space_backslash}};
static const struct odp_text scheme = {{W_webhooks_address_must_begin_with_https}};
static const struct odp_text user = {{W_webhooks_address_must_not_have_user}};
static const struct odp_text fragment = {{W_webhooks_address_must_not_have_part}};
static const struct odp_text port_text = {{W_webhooks_port_must_number_from_1}};
static const struct odp_text host_form = {{W_webhooks_host_must_letters_digits_hyphens}};
static const struct odp_text address_form = {{W_webhooks_ip_address_must_written_full}};
static const struct odp_text single = {{W_webhooks_host_must_have_dot_such}};
static const struct odp_text special = {{W_webhooks_host_name_means_something_only}};
static const struct odp_text forbidden = {{W_webhooks_ip_address_must_not_called}};
static const struct odp_text escapes = {{W_webhooks_must_followed_by_two_hexadecimal}};
static const struct odp_text unreadable = {{W_webhooks_address_cannot_read_url}};

/* ---- characters ---- */

static const char digits[] = "0123456789", hex[] = "0123456789abcdefABCDEF";

/* Characters that RFC 3986 does not have, or never allows unescaped. */
static const struct odp_text *check_characters(const char *url)
{
    for (const char *p = url; *p != '\0'; p++) {
        if (*p <= ' ' || *p >= 0x7f || strchr("\\\"<>^`{|}", *p) != NULL)
            return &characters;
        if (*p == '#')
            return &fragment;
        if (*p == '%' && (strspn(p + 1, hex) < 2))
            return &escapes;
    }
    return NULL;
}

/* ---- the parts ---- */

/* Ports of other protocols that a POST must never reach (Fetch, "port blocking"), over TLS, too. */
static bool is_other_service(unsigned port)
{
    static const uint16_t ports[] = {
        1,    7,    9,    11,   13,   15,   17,   19,   20,   21,   22,   23,   25,   37,   42,   43,   53,
        69,   77,   79,   87,   95,   101,  102,  103,  104,  109,  110,  111,  113,  115,  117,  119,  123,
        135,  137,  139,  143,  161,  179,  389,  427,  465,  512,  513,  514,  515,  526,  530,  531,  532,
        540,  548,  554,  556,  563,  587,  601,  636,  989,  990,  993,  995,  1719, 1720, 1723, 2049, 3659,
        4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080};
    for (size_t i = 0; i < ODP_COUNT(ports); i++)
        if (ports[i] == port)
            return true;
    return false;
}

/* ":8443"; TEXT is what follows the host. */
static const struct odp_text *take_port(struct odp_target *t, const char *text)
{
    t->port = t->https ? 443 : 80;
    if (*text == '\0')
        return NULL;
    size_t n = strspn(text + 1, digits);
    if (*text != ':' || n == 0 || n > 5 || text[1 + n] != '\0' || text[1] == '0')
        return &port_text;
    t->port = (unsigned)strtoul(text + 1, NULL, 10);
    return t->port > PORT_MAX || is_other_service(t->port) ? &port_text : NULL;
}

/* Labels of letters, digits and hyphens (RFC 1123, 2.1); no empty one, so no dot at the end either. */
static bool is_name(const char *host)
{
    if (strlen(host) > NAME_MAX_LENGTH)
        return false;
    for (const char *label = host;; label++) {
        size_t n = strspn(label, "abcdefghijklmnopqrstuvwxyz0123456789-");
        if (n == 0 || n > LABEL_MAX || label[0] == '-' || label[n - 1] == '-' ||
            (label[n] != '.' && label[n] != '\0'))
            return false;
        label += n;
        if (*label == '\0')
            return true;
    }
}

/* Some reader may take it for an IPv4 address: its last label is a number, decimal, octal or hexadecimal
 * (WHATWG URL, 3.5, "ends in a number"). */
static bool ends_in_number(const char *host)
{
    const char *dot = strrchr(host, '.'), *last = dot != NULL ? dot + 1 : host;
    bool is_hex = last[0] == '0' && last[1] == 'x';
    return *last != '\0' && (is_hex ? last[2 + strspn(last + 2, hex)] : last[strspn(last, digits)]) == '\0';
}

/* ---- names that mean nothing on the internet ----
 *
 * IANA's Special-Use Domain Names (RFC 6761), and what networks use on their own (RFC 6762, appendix G; ICANN
 * keeps those out of the root). The addresses they lead to are checked as all are; this tells an owner of a
 * mistake at once, and asks no resolver for them. "example" is not among them: it leads nowhere, and
 * documents use it. */

/* NAME is END, or ends in it after a dot. */
static bool ends_in(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    return n >= m && strcmp(name + n - m, end) == 0 && (n == m || name[n - m - 1] == '.');
}

static bool is_special(const char *name)
{
    static const char *const ends[] = {
        "localhost", "invalid",     "test", /* RFC 6761 */
        "local",                            /* RFC 6762 */
        "onion",                            /* RFC 7686 */
        "alt",                              /* RFC 9476 */
        "arpa",                             /* RFC 3172; home.arpa (8375), ipv4only.arpa (8880) … */
        "internal",                         /* ICANN, 2024 */
        "intranet",  "private",     "corp", "home", "lan", /* RFC 6762, appendix G */
        "mail",      "localdomain",
    };
    for (size_t i = 0; i < ODP_COUNT(ends); i++)
        if (ends_in(name, ends[i]))
            return true;
    return false;
}

/* ---- the host ---- */

/* TEXT, an address of the family AF, becomes the host. */
static const struct odp_text *take_literal(struct odp_target *t, int af, const char *text,
                                           const struct odp_address_policy *p)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    const struct sockaddr *address =
        af == AF_INET ? (const struct sockaddr *)&v4 : (const struct sockaddr *)&v6;
    if (inet_pton(af, text, af == AF_INET ? (void *)&v4.sin_addr : (void *)&v6.sin6_addr) != 1)
        return &address_form;
    if (odp_address_refused(p, address) != NULL)
        return &forbidden;
    odp_address_text(address, t->host);
    t->literal = true;
    return t->https || odp_address_is_loopback(address) ? NULL : &scheme;
}

static const struct odp_text *take_name(struct odp_target *t, const char *host,
                                        const struct odp_address_policy *p)
{
    if (!is_name(host))
        return &host_form;
    memcpy(t->host, host, strlen(host) + 1);
    if (p != NULL && p->loopback && ends_in(host, "localhost"))
        return NULL;
    if (!t->https)
        return &scheme;
    if (is_special(host))
        return &special;
    return strchr(host, '.') != NULL ? NULL : &single;
}

/* AUTHORITY, in lower case, is what is between "//" and the next "/" or "?"; it is cut up. */
static const struct odp_text *take_authority(struct odp_target *t, char *authority,
                                             const struct odp_address_policy *p)
{
    bool bracket = authority[0] == '[';
    char *host = authority + bracket, *end = bracket ? strchr(host, ']') : host + strcspn(host, ":");
    if (strchr(authority, '@') != NULL)
        return &user;
    if (end == NULL)
        return &address_form;
    const struct odp_text *why = take_port(t, end + bracket);
    *end = '\0';
    if (why != NULL)
        return why;
    if (bracket || ends_in_number(host))
        return take_literal(t, bracket ? AF_INET6 : AF_INET, host, p);
    return take_name(t, host, p);
}

/* ---- libcurl ---- */

/* *SAME stays true if libcurl's PART is WANT (NULL: none). */
static CURLUcode part_is(CURLU *u, CURLUPart part, unsigned flags, const char *want, bool *same)
{
    char *got = NULL;
    CURLUcode code = curl_url_get(u, part, &got, flags);
    if (code == CURLUE_OUT_OF_MEMORY)
        return code;
    *same = *same && (want != NULL ? code == CURLUE_OK && strcmp(got, want) == 0 : code != CURLUE_OK);
    curl_free(got);
    return CURLUE_OK;
}

static CURLUcode compare(CURLU *u, const struct odp_target *t, bool *same)
{
    char port[8], host[sizeof t->host + 2];
    bool v6 = strchr(t->host, ':') != NULL;
    (void)snprintf(port, sizeof port, "%u", t->port);
    (void)snprintf(host, sizeof host, v6 ? "[%s]" : "%s", t->host);
    const struct {
        CURLUPart part;
        unsigned flags;
        const char *want;
    } parts[] = {{CURLUPART_SCHEME, 0, t->https ? "https" : "http"},
                 {CURLUPART_HOST, 0, host},
                 {CURLUPART_PORT, CURLU_DEFAULT_PORT, port},
                 {CURLUPART_USER, 0, NULL},
                 {CURLUPART_PASSWORD, 0, NULL},
                 {CURLUPART_OPTIONS, 0, NULL},
                 {CURLUPART_ZONEID, 0, NULL},
                 {CURLUPART_FRAGMENT, 0, NULL}};
    CURLUcode code = CURLUE_OK;
    for (size_t i = 0; code == CURLUE_OK && i < ODP_COUNT(parts); i++)
        code = part_is(u, parts[i].part, parts[i].flags, parts[i].want, same);
    return code;
}

/* T->url as libcurl writes it. */
static enum odp_status normalise(struct odp_target *t, const struct odp_text **why)
{
    enum odp_status status = ODP_BAD;
    char *url = NULL;
    bool same = true;
    CURLU *u = curl_url();
    CURLUcode code =
        u != NULL ? curl_url_set(u, CURLUPART_URL, t->url, CURLU_DISALLOW_USER) : CURLUE_OUT_OF_MEMORY;
    *why = &unreadable;
    if (code == CURLUE_OK)
        code = compare(u, t, &same);
    if (code == CURLUE_OK && same)
        code = curl_url_get(u, CURLUPART_URL, &url, CURLU_NO_DEFAULT_PORT);
    if (code == CURLUE_OUT_OF_MEMORY) {
        status = odp_failure_set("read an address", NULL, ENOMEM);
    } else if (code == CURLUE_OK && same && strlen(url) > ODP_TARGET_URL) {
        *why = &too_long;
    } else if (code == CURLUE_OK && same) {
        size_t n = strlen(url);
        memcpy(t->url, url, n);
        memset(t->url + n, 0, sizeof t->url - n);
        status = ODP_OK;
    }
    curl_free(url);
    curl_url_cleanup(u);
    return status;
}

/* ---- the whole ---- */

/* Sets place and url, with REST. False: too long. */
static bool assemble(struct odp_target *t, const char *rest)
{
    char host[sizeof t->host + 2];
    (void)snprintf(host, sizeof host, strchr(t->host, ':') != NULL ? "[%s]" : "%s", t->host);
    int n = snprintf(t->place, sizeof t->place, "%s:%u", host, t->port);
    bool ok = n > 0 && (size_t)n < sizeof t->place;
    bool usual = t->port == (t->https ? 443u : 80u);
    const char *place = usual ? host : t->place, *slash = *rest == '/' ? "" : "/";
    n = snprintf(t->url, sizeof t->url, "http%s://%s%s%s", t->https ? "s" : "", place, slash, rest);
    return ok && n > 0 && (size_t)n < sizeof t->url;
}

static const struct odp_text *take(struct odp_target *t, struct odp_slice url,
                                   const struct odp_address_policy *p)
{
    char text[ODP_TARGET_URL + 1], authority[ODP_TARGET_URL + 1];
    if (url.len > ODP_TARGET_URL)
        return &too_long;
    if (url.len > 0 && memchr(url.ptr, '\0', url.len) != NULL)
        return &characters;
    (void)snprintf(text, sizeof text, "%.*s", (int)url.len, url.len > 0 ? url.ptr : "");
    const struct odp_text *why = check_characters(text);
    if (why != NULL)
        return why;
    t->https = strncasecmp(text, "https://", 8) == 0;
    if (!t->https && strncasecmp(text, "http://", 7) != 0)
        return &scheme;
    const char *from = text + (t->https ? 8 : 7);
    size_t n = strcspn(from, "/?");
    for (size_t i = 0; i < n; i++)
        authority[i] = (char)tolower((unsigned char)from[i]);
    authority[n] = '\0';
    why = take_authority(t, authority, p);
    if (why == NULL && !assemble(t, from + n))
        why = &too_long;
    explicit_bzero(text, sizeof text); /* what follows '?' is often a password */
    return why;
}

enum odp_status odp_target_parse(struct odp_target *out, struct odp_slice url,
                                 const struct odp_address_policy *p, const struct odp_text **why)
{
    memset(out, 0, sizeof *out);
    *why = take(out, url, p);
    enum odp_status status = *why == NULL ? normalise(out, why) : ODP_BAD;
    if (status != ODP_OK)
        memset(out, 0, sizeof *out);
    else
        *why = NULL;
    return status;
}
