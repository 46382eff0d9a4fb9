/* Which addresses are public. A table, first match wins: IANA's IPv4 and IPv6 Special-Purpose Address
 * Registries (RFC 6890, 8190), multicast (RFC 5771, 4291), what clouds answer metadata at (some of it in
 * public space), and what was special once (site-local, RFC 3879). In IPv6 nothing but 2000::/3 is handed out
 * (RFC 4291, 2.4), so all else is refused without being named.
 *
 * IANA's registries are taken as a whole, also the entries that they call globally reachable: nobody receives
 * webhooks at an anycast of AS112. Metadata stands by itself: most of it lies in link-local space, but
 * Azure's 168.63.129.16 is public, and Alibaba's, Oracle's and the IPv6 ones lie in ranges that an operator
 * may well allow; only a prefix that names that very address opens one.
 *
 * IPv4 in IPv6 is refused as it comes: whoever means an IPv4 address can publish it. Where the operator
 * allows such a prefix (a network that reaches IPv4 by NAT64 alone), the address inside must be one that may
 * be called, too; of Teredo both. In 64:ff9b:1::/48 the length of the allowed prefix says where it stands
 * (RFC 6052, 2.2). Mapped ones are never called. Prefixes open no more than they say: never loopback (that is
 * the policy's flag), unspecified, multicast, broadcast; ::/0 is IPv6 alone. What cannot be known here is a
 * NAT64 prefix out of a network's own public space: such a network filters at its translator. */
#include "service/webhooks/deliver/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>

/* What an address is; NULL: public. Compared as pointers. */
static const char loopback[] = "loopback", private[] = "private", link_local[] = "link-local",
                  site_local[] = "site-local", unique_local[] = "unique-local", shared[] = "shared",
                  metadata[] = "metadata", unspecified[] = "unspecified", multicast[] = "multicast",
                  broadcast[] = "broadcast", documentation[] = "documentation", benchmark[] = "benchmark",
                  discard[] = "discard", reserved[] = "reserved", translated[] = "translated",
                  mapped[] = "mapped", unknown[] = "unknown";

/* ---- the table ---- */

static const struct range {
    const char *prefix, *kind;
} ranges[] = {
    {"169.254.169.254", metadata},      /* AWS, Azure, Google, OpenStack and most others */
    {"169.254.169.253", metadata},      /* AWS: names */
    {"169.254.169.123", metadata},      /* AWS: time */
    {"169.254.169.250", metadata},      /* AWS: activation */
    {"169.254.170.2", metadata},        /* AWS: credentials of containers */
    {"169.254.170.23", metadata},       /* AWS: credentials of pods */
    {"169.254.0.23", metadata},         /* Tencent */
    {"169.254.42.42", metadata},        /* Scaleway */
    {"100.100.100.200", metadata},      /* Alibaba */
    {"192.0.0.192", metadata},          /* Oracle */
    {"168.63.129.16", metadata},        /* Azure: public space, but of the host that the machine runs on */
    {"0.0.0.0/8", unspecified},         /* RFC 791, "this network"; 0.0.0.0 reaches the machine itself */
    {"10.0.0.0/8", private},            /* RFC 1918 */
    {"100.64.0.0/10", shared},          /* RFC 6598 */
    {"127.0.0.0/8", loopback},          /* RFC 1122 */
    {"169.254.0.0/16", link_local},     /* RFC 3927 */
    {"172.16.0.0/12", private},         /* RFC 1918 */
    {"192.0.0.0/24", reserved},         /* RFC 6890, IETF protocol assignments */
    {"192.0.2.0/24", documentation},    /* RFC 5737 */
    {"192.31.196.0/24", reserved},      /* RFC 7535, AS112 */
    {"192.52.193.0/24", reserved},      /* RFC 7450, AMT */
    {"192.88.99.0/24", reserved},       /* RFC 7526, relays of 6to4 */
    {"192.168.0.0/16", private},        /* RFC 1918 */
    {"192.175.48.0/24", reserved},      /* RFC 7534, AS112 */
    {"198.18.0.0/15", benchmark},       /* RFC 2544 */
    {"198.51.100.0/24", documentation}, /* RFC 5737 */
    {"203.0.113.0/24", documentation},  /* RFC 5737 */
    {"224.0.0.0/4", multicast},         /* RFC 5771 */
    {"255.255.255.255", broadcast},
    {"240.0.0.0/4", reserved}, /* RFC 1112 */
    {"::", unspecified},
    {"::1", loopback},
    {"fd00:ec2::254", metadata},      /* AWS */
    {"fd00:ec2::253", metadata},      /* AWS: names */
    {"fd00:ec2::123", metadata},      /* AWS: time */
    {"fd00:ec2::23", metadata},       /* AWS: credentials of pods */
    {"fd20:ce::254", metadata},       /* Google */
    {"fd00:42::42", metadata},        /* Scaleway */
    {"fe80::a9fe:a9fe", metadata},    /* OpenStack */
    {"::ffff:0:0/96", mapped},        /* RFC 4291, 2.5.5.2 */
    {"::ffff:0:0:0/96", translated},  /* RFC 2765, IPv4-translated */
    {"::/96", translated},            /* RFC 4291, 2.5.5.1, IPv4-compatible */
    {"64:ff9b::/96", translated},     /* RFC 6052, NAT64 */
    {"64:ff9b:1::/48", translated},   /* RFC 8215, NAT64 of one's own */
    {"100::/64", discard},            /* RFC 6666 */
    {"100:0:0:1::/64", reserved},     /* RFC 9780, dummy prefix */
    {"2001::/32", translated},        /* RFC 4380, Teredo */
    {"2001:2::/48", benchmark},       /* RFC 5180 */
    {"2001::/23", reserved},          /* RFC 2928: ORCHID, AMT, AS112, anycasts, drone tags */
    {"2001:db8::/32", documentation}, /* RFC 3849 */
    {"2002::/16", translated},        /* RFC 3056, 6to4 */
    {"2620:4f:8000::/48", reserved},  /* RFC 7534, AS112 */
    {"3fff::/20", documentation},     /* RFC 9637 */
    {"5f00::/16", reserved},          /* RFC 9602, SRv6 */
    {"fc00::/7", unique_local},       /* RFC 4193 */
    {"fe80::/10", link_local},        /* RFC 4291 */
    {"fec0::/10", site_local},        /* RFC 3879 */
    {"ff00::/8", multicast},          /* RFC 4291 */
    {"2000::/3", NULL},               /* RFC 4291, 2.4: global unicast, as far as handed out */
    {"::/0", reserved},
};
enum { RANGES = ODP_COUNT(ranges) };
static struct odp_prefix prefixes[RANGES];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void parse_ranges(void)
{
    for (size_t i = 0; i < RANGES; i++)
        (void)odp_prefix_parse(&prefixes[i],
                               odp_slice_of(ranges[i].prefix)); /* test_public_only reads each row */
}

static bool has_prefix(const uint8_t *bytes, const struct odp_prefix *p)
{
    unsigned whole = p->bits / 8, rest = p->bits % 8;
    if (memcmp(bytes, p->bytes, whole) != 0)
        return false;
    return rest == 0 || (bytes[whole] ^ p->bytes[whole]) >> (8 - rest) == 0;
}

/* Addresses have sixteen bytes, those of IPv4 as ::ffff:a.b.c.d. */
static const char *kind_of(const uint8_t bytes[16], bool is4)
{
    (void)pthread_once(&once, parse_ranges);
    for (size_t i = 0; i < RANGES; i++)
        if ((strchr(ranges[i].prefix, ':') == NULL) == is4 && has_prefix(bytes, &prefixes[i]))
            return ranges[i].kind;
    return NULL;
}

/* ---- what the operator allows ---- */

/* The longest prefix that allows BYTES, or NULL. One of fewer than 96 bits is of IPv6 alone: "::/0" says
 * nothing of IPv4. */
static const struct odp_prefix *allowed_by(const struct odp_address_policy *p, const uint8_t bytes[16],
                                           bool is4)
{
    const struct odp_prefix *best = NULL;
    for (size_t i = 0; p != NULL && i < p->nallow && i < ODP_PREFIXES_MAX; i++)
        if (has_prefix(bytes, &p->allow[i]) && (!is4 || p->allow[i].bits >= 96) &&
            (best == NULL || p->allow[i].bits > best->bits))
            best = &p->allow[i];
    return best;
}

/* KIND of an address that PREFIX (or NULL: none) covers. What is no one machine's address is never opened;
 * metadata only by naming that very address. */
static const char *judge(const char *kind, const struct odp_address_policy *p,
                         const struct odp_prefix *prefix)
{
    if (kind == loopback)
        return p != NULL && p->loopback ? NULL : kind;
    if (kind == metadata)
        return prefix != NULL && prefix->bits == 128 ? NULL : kind;
    bool never = kind == unspecified || kind == multicast || kind == broadcast || kind == mapped;
    return prefix != NULL && !never ? NULL : kind;
}

static const char *refused4(const struct odp_address_policy *p, const uint8_t bytes[16])
{
    return judge(kind_of(bytes, true), p, allowed_by(p, bytes, true));
}

/* ---- IPv4 inside of IPv6 ---- */

/* Where the four bytes are, as offsets; BITS: the length of the prefix that was allowed, which for NAT64 is
 * the length of the translator's (RFC 6052, 2.2; byte 8 is not part of the address). */
static const uint8_t *nat64_places(unsigned bits)
{
    static const uint8_t at48[] = {6, 7, 9, 10}, at56[] = {7, 9, 10, 11}, at64[] = {9, 10, 11, 12},
                         at96[] = {12, 13, 14, 15};
    switch (bits) {
    case 48:
        return at48;
    case 56:
        return at56;
    case 64:
        return at64;
    default:
        return bits >= 96 ? at96 : NULL;
    }
}

static bool refused_at(const struct odp_address_policy *p, const uint8_t bytes[16], const uint8_t places[4],
                       uint8_t mask)
{
    uint8_t inside[16] = {[10] = 0xff, [11] = 0xff};
    for (size_t i = 0; i < 4; i++)
        inside[12 + i] = bytes[places[i]] ^ mask;
    return refused4(p, inside) != NULL;
}

/* An address that is a way to IPv4, of a prefix that the operator allows: what is inside must be allowed,
 * too. */
static bool leads_to_refused(const struct odp_address_policy *p, const uint8_t bytes[16],
                             const struct odp_prefix *prefix)
{
    static const uint8_t at2[] = {2, 3, 4, 5}, at4[] = {4, 5, 6, 7}, at12[] = {12, 13, 14, 15};
    if (bytes[0] == 0x20 && bytes[1] == 0x02) /* 6to4 */
        return refused_at(p, bytes, at2, 0);
    if (bytes[0] == 0x20) /* Teredo: its server, and the client, whose bits are turned */
        return refused_at(p, bytes, at4, 0) || refused_at(p, bytes, at12, 0xff);
    if (bytes[0] == 0 && bytes[1] == 0x64 && bytes[5] == 1) {
        const uint8_t *places = nat64_places(prefix->bits);
        return places == NULL || refused_at(p, bytes, places, 0);
    }
    return refused_at(p, bytes, at12, 0);
}

/* ISATAP (RFC 5214): any prefix, then 0000:5efe or 0200:5efe and an IPv4 address. */
static bool is_isatap(const uint8_t bytes[16])
{
    return (bytes[8] & 0xfd) == 0 && bytes[9] == 0 && bytes[10] == 0x5e && bytes[11] == 0xfe;
}

static const char *refused6(const struct odp_address_policy *p, const uint8_t bytes[16])
{
    static const uint8_t at12[] = {12, 13, 14, 15};
    const char *kind = kind_of(bytes, false);
    const struct odp_prefix *prefix = allowed_by(p, bytes, false);
    if (kind == mapped) { /* never, but told by what is inside, if that says more */
        const char *inside = kind_of(bytes, true);
        return inside != NULL ? inside : mapped;
    }
    if (kind == translated)
        return prefix == NULL || leads_to_refused(p, bytes, prefix) ? translated : NULL;
    kind = judge(kind, p, prefix);
    return kind == NULL && is_isatap(bytes) && refused_at(p, bytes, at12, 0) ? translated : kind;
}

/* ---- addresses ---- */

/* The bytes of ADDRESS: AF_INET, AF_INET6, or 0 for what is neither. Copied, for who knows how it is aligned.
 */
static int bytes_of(const struct sockaddr *address, uint8_t bytes[16])
{
    static const uint8_t head[12] = {[10] = 0xff, [11] = 0xff};
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
    sa_family_t family = AF_UNSPEC;
    if (address != NULL)
        memcpy(&family, (const char *)address + offsetof(struct sockaddr, sa_family), sizeof family);
    if (family == AF_INET) {
        memcpy(&v4, address, sizeof v4);
        memcpy(bytes, head, sizeof head);
        memcpy(bytes + 12, &v4.sin_addr, 4);
        return AF_INET;
    }
    if (family != AF_INET6)
        return 0;
    memcpy(&v6, address, sizeof v6);
    memcpy(bytes, &v6.sin6_addr, 16);
    return AF_INET6;
}

const char *odp_address_refused(const struct odp_address_policy *p, const struct sockaddr *address)
{
    uint8_t bytes[16];
    switch (bytes_of(address, bytes)) {
    case AF_INET:
        return refused4(p, bytes);
    case AF_INET6:
        return refused6(p, bytes);
    default:
        return unknown;
    }
}

bool odp_address_is_loopback(const struct sockaddr *address)
{
    uint8_t bytes[16];
    int family = bytes_of(address, bytes);
    return (family != 0 && kind_of(bytes, family == AF_INET) == loopback) ||
           (family == AF_INET6 && kind_of(bytes, false) == mapped && kind_of(bytes, true) == loopback);
}

void odp_address_text(const struct sockaddr *address, char out[ODP_ADDRESS_TEXT])
{
    uint8_t bytes[16];
    int family = bytes_of(address, bytes);
    if (family == 0 ||
        inet_ntop(family, family == AF_INET ? bytes + 12 : bytes, out, ODP_ADDRESS_TEXT) == NULL)
        out[0] = '\0';
}

/* ---- prefixes ---- */

bool odp_prefix_parse(struct odp_prefix *out, struct odp_slice text)
{
    char address[ODP_ADDRESS_TEXT + 4];
    if (text.len == 0 || text.len >= sizeof address || memchr(text.ptr, '\0', text.len) != NULL)
        return false;
    memcpy(address, text.ptr, text.len);
    address[text.len] = '\0';
    char *length = strchr(address, '/');
    if (length != NULL)
        *length++ = '\0';
    *out = (struct odp_prefix){.bytes = {[10] = 0xff, [11] = 0xff}, .bits = 128};
    unsigned first = 96;
    if (inet_pton(AF_INET, address, out->bytes + 12) != 1) {
        first = 0;
        if (inet_pton(AF_INET6, address, out->bytes) != 1)
            return false;
    }
    if (length != NULL) {
        size_t digits = strspn(length, "0123456789");
        if (digits == 0 || digits > 3 || length[digits] != '\0' || (digits > 1 && length[0] == '0'))
            return false;
        unsigned long bits = strtoul(length, NULL, 10);
        if (bits > 128 - first)
            return false;
        out->bits = first + (unsigned)bits;
    }
    for (unsigned i = out->bits; i < 128; i++)
        if ((out->bytes[i / 8] >> (7 - i % 8) & 1) != 0)
            return false;
    return true;
}
