/* Which addresses messages may be sent to: the guard against being used as a weapon (server-side request
 * forgery). An address is refused unless it is public unicast: IANA's special-purpose registries (RFC 6890)
 * and what lies within them in any spelling: IPv4-mapped and -compatible IPv6, NAT64 (64:ff9b::/96,
 * 64:ff9b:1::/48), 6to4 and Teredo are judged by the IPv4 address inside, too. The operator may allow
 * prefixes (a ministry's own network). */
#pragma once

#include <sys/socket.h>

#include "base/slice.h"
#include "base/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct odp_prefix {
    uint8_t bytes[16]; /* IPv4 as ::ffff:a.b.c.d */
    unsigned bits;     /* 0 … 128 */
};
/* "10.0.0.0/8", "fd00::/8", "192.0.2.7". False: not one, or bits beyond the prefix are set. */
bool odp_prefix_parse(struct odp_prefix *out, struct odp_slice text);

#define ODP_PREFIXES_MAX 32
struct odp_address_policy {
    struct odp_prefix
        allow[ODP_PREFIXES_MAX]; /* allowed though not public; loopback needs LOOPBACK beside it */
    size_t nallow;
    bool loopback; /* 127.0.0.0/8 and ::1 are allowed, over http, too */
};
/* NULL: allowed. Else what it is, a literal: "loopback", "private", "link-local", "metadata"
 * (169.254.169.254, fd00:ec2::254, 100.100.100.200 …), "shared" (CGNAT), "unique-local", "unspecified",
 * "multicast", "broadcast", "documentation", "benchmark", "reserved", "translated" (a way to a refused IPv4
 * address) … */
const char *odp_address_refused(const struct odp_address_policy *p, const struct sockaddr *address);
bool odp_address_is_loopback(const struct sockaddr *address);
/* "203.0.113.7", "2001:db8::1"; for the record of attempts. */
#define ODP_ADDRESS_TEXT 46
void odp_address_text(const struct sockaddr *address, char out[ODP_ADDRESS_TEXT]);

/* The address of a subscription, parsed by the library that will connect to it (libcurl), so that both read
 * the same. */
#define ODP_TARGET_URL 2048
struct odp_target {
    char url[ODP_TARGET_URL + 1]; /* normalised */
    char host[256];               /* lower case, without brackets */
    char place[264];              /* "host:port", what is bounded together */
    unsigned port;
    bool https, literal; /* LITERAL: the host is an address, which was checked */
};
/* BAD: *WHY (literals, both languages) says what is wrong: not https (http only with POLICY->loopback and a
 * loopback host), user or password, a fragment, characters beyond ASCII, control characters, a host without a
 * dot that is no address, special names (localhost, .local, .internal, .localhost, .onion …), an address that
 * is refused in any spelling (decimal, octal, hex, short forms), port 0, too long. */
struct odp_text;
enum odp_status odp_target_parse(struct odp_target *out, struct odp_slice url,
                                 const struct odp_address_policy *p,
                                 const struct odp_text **why) ODP_MUST_USE;
