/* Any bytes as the address of a subscription; a first byte 0x01 allows loopback, 0x02 a network besides,
 * 0x03 both. Accepted addresses are checked again by other means: libcurl's parser, glibc's reading of the
 * host, the guard. */
#include <arpa/inet.h>
#include <curl/curl.h>
#include <netinet/in.h>
#include <stdio.h>

#include "base/diag.h"
#include "fuzz.h"
#include "service/webhooks/deliver/address.h"

/* Whether glibc, which resolves names, would take HOST for an address, however odd; and the address. */
static bool reads_as_address(const char *host, struct sockaddr_storage *out)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    memset(out, 0, sizeof *out);
    if (inet_aton(host, &v4.sin_addr) != 0) {
        memcpy(out, &v4, sizeof v4);
        return true;
    }
    if (inet_pton(AF_INET6, host, &v6.sin6_addr) == 1) {
        memcpy(out, &v6, sizeof v6);
        return true;
    }
    return false;
}

static void same_part(CURLU *u, CURLUPart part, unsigned flags, const char *want)
{
    char *got = NULL;
    CURLUcode code = curl_url_get(u, part, &got, flags);
    NEED(want != NULL ? code == CURLUE_OK && strcmp(got, want) == 0 : code != CURLUE_OK);
    curl_free(got);
}

static void look_at(const struct odp_target *t, const struct odp_address_policy *p)
{
    char host[300], port[12], place[320];
    struct sockaddr_storage address;
    bool v6 = strchr(t->host, ':') != NULL;
    size_t dots = 0;
    NEED(strlen(t->url) <= ODP_TARGET_URL && t->port >= 1 && t->port <= 65535);
    for (const char *c = t->url; *c != '\0'; c++)
        NEED(*c > ' ' && *c < 0x7f && strchr("\\#\"<>", *c) == NULL);
    for (const char *c = t->host; *c != '\0'; c++) {
        NEED(strchr(v6 ? "0123456789abcdef:." : "0123456789abcdefghijklmnopqrstuvwxyz-.", *c) != NULL);
        dots += *c == '.';
    }
    NEED(t->host[0] != '\0' && t->host[strlen(t->host) - 1] != '.');
    snprintf(host, sizeof host, v6 ? "[%s]" : "%s", t->host);
    snprintf(port, sizeof port, "%u", t->port);
    snprintf(place, sizeof place, "%s:%u", host, t->port);
    NEED(strcmp(place, t->place) == 0);
    bool literal = reads_as_address(t->host, &address);
    NEED(literal == t->literal);
    if (literal) {
        NEED(odp_address_refused(p, (struct sockaddr *)&address) == NULL);
        NEED(t->https || odp_address_is_loopback((struct sockaddr *)&address));
    } else {
        size_t n = strlen(t->host);
        bool local =
            strcmp(t->host, "localhost") == 0 || (n > 10 && strcmp(t->host + n - 10, ".localhost") == 0);
        NEED(dots > 0 || local);
        NEED(!local || p->loopback);
        NEED(t->https || local);
    }
    CURLU *u = curl_url();
    NEED(u != NULL && curl_url_set(u, CURLUPART_URL, t->url, 0) == CURLUE_OK);
    same_part(u, CURLUPART_SCHEME, 0, t->https ? "https" : "http");
    same_part(u, CURLUPART_HOST, 0, host);
    same_part(u, CURLUPART_PORT, CURLU_DEFAULT_PORT, port);
    same_part(u, CURLUPART_USER, 0, NULL);
    same_part(u, CURLUPART_PASSWORD, 0, NULL);
    same_part(u, CURLUPART_FRAGMENT, 0, NULL);
    same_part(u, CURLUPART_ZONEID, 0, NULL);
    curl_url_cleanup(u);
}

void fuzz_one(struct odp_slice in)
{
    struct odp_address_policy p = {.nallow = 0};
    struct odp_target t, again;
    struct odp_prefix prefix; /* the same bytes, as an operator's option */
    const struct odp_text *why;
    unsigned allowed = fuzz_choice(&in, 3);
    p.loopback = (allowed & 1) != 0;
    if ((allowed & 2) != 0) {
        NEED(odp_prefix_parse(&p.allow[0], ODP_LIT("10.20.0.0/16")) &&
             odp_prefix_parse(&p.allow[1], ODP_LIT("64:ff9b::/96")));
        p.nallow = 2;
    }
    enum odp_status status = odp_target_parse(&t, in, &p, &why);
    NEED(status == ODP_OK ? why == NULL : status == ODP_BAD && why != NULL);
    if (status == ODP_OK) {
        look_at(&t, &p);
        NEED(odp_target_parse(&again, odp_slice_of(t.url), &p, &why) == ODP_OK &&
             memcmp(&t, &again, sizeof t) == 0);
    }
    if (odp_prefix_parse(&prefix, in))
        NEED(prefix.bits <= 128);
}
