/* Which addresses are public. Two tables, first match wins: IANA's IPv4 and IPv6 Special-Purpose Address Registries (RFC 6890,
 * 8190), multicast (RFC 5771, 4291), what clouds answer metadata at (some of it in public space), and what was special once
 * (site-local, RFC 3879). In IPv6 nothing but 2000::/3 is handed out (RFC 4291, 2.4), so all else is refused without being
 * named.
 *
 * IANA's registries are taken as a whole, also the entries that they call globally reachable: nobody receives webhooks at an anycast
 * of AS112. Metadata stands by itself: most of it lies in link-local space, but Azure's 168.63.129.16 is public, and Alibaba's,
 * Oracle's and the IPv6 ones lie in ranges that an operator may well allow; only a prefix that names that very address opens one.
 *
 * IPv4 in IPv6 is refused as it comes: whoever means an IPv4 address can publish it. Where the operator allows such a prefix (a
 * network that reaches IPv4 by NAT64 alone), the address inside must be one that may be called, too; of Teredo both. In
 * 64:ff9b:1::/48 the length of the allowed prefix says where it stands (RFC 6052, 2.2). Mapped ones are never called. Prefixes open no
 * more than they say: never loopback (that is the policy's flag), unspecified, multicast, broadcast; ::/0 is IPv6 alone. What cannot be
 * known here is a NAT64 prefix out of a network's own public space: such a network filters at its translator. */
#include "service/webhooks/deliver/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

enum kind {
    PUBLIC,
    LOOPBACK,
    PRIVATE,
    LINK_LOCAL,
    SITE_LOCAL,
    UNIQUE_LOCAL,
    SHARED,
    METADATA,
    UNSPECIFIED,
    MULTICAST,
    BROADCAST,
    DOCUMENTATION,
    BENCHMARK,
    DISCARD,
    RESERVED,
    TRANSLATED,
    MAPPED,
    UNKNOWN
};

static const char *const names[] = {
    [PUBLIC] = NULL,
    [LOOPBACK] = "loopback",
    [PRIVATE] = "private",
    [LINK_LOCAL] = "link-local",
    [SITE_LOCAL] = "site-local",
    [UNIQUE_LOCAL] = "unique-local",
    [SHARED] = "shared",
    [METADATA] = "metadata",
    [UNSPECIFIED] = "unspecified",
    [MULTICAST] = "multicast",
    [BROADCAST] = "broadcast",
    [DOCUMENTATION] = "documentation",
    [BENCHMARK] = "benchmark",
    [DISCARD] = "discard",
    [RESERVED] = "reserved",
    [TRANSLATED] = "translated",
    [MAPPED] = "mapped",
    [UNKNOWN] = "unknown",
};

/* ---- the tables ---- */

struct range4 {
    uint8_t bytes[4];
    unsigned bits;
    enum kind kind;
};
static const struct range4 ranges4[] = {
    {{169, 254, 169, 254}, 32, METADATA}, /* AWS, Azure, Google, OpenStack and most others */
    {{169, 254, 169, 253}, 32, METADATA}, /* AWS: names */
    {{169, 254, 169, 123}, 32, METADATA}, /* AWS: time */
    {{169, 254, 169, 250}, 32, METADATA}, /* AWS: activation */
    {{169, 254, 170, 2}, 32, METADATA},   /* AWS: credentials of containers */
    {{169, 254, 170, 23}, 32, METADATA},  /* AWS: credentials of pods */
    {{169, 254, 0, 23}, 32, METADATA},    /* Tencent */
    {{169, 254, 42, 42}, 32, METADATA},   /* Scaleway */
    {{100, 100, 100, 200}, 32, METADATA}, /* Alibaba */
    {{192, 0, 0, 192}, 32, METADATA},     /* Oracle */
    {{168, 63, 129, 16}, 32, METADATA},   /* Azure: public space, but of the host that the machine runs on */
    {{0}, 8, UNSPECIFIED},                /* RFC 791, "this network"; 0.0.0.0 reaches the machine itself */
    {{10}, 8, PRIVATE},                   /* RFC 1918 */
    {{100, 64}, 10, SHARED},              /* RFC 6598 */
    {{127}, 8, LOOPBACK},                 /* RFC 1122 */
    {{169, 254}, 16, LINK_LOCAL},         /* RFC 3927 */
    {{172, 16}, 12, PRIVATE},             /* RFC 1918 */
    {{192, 0, 0}, 24, RESERVED},          /* RFC 6890, IETF protocol assignments */
    {{192, 0, 2}, 24, DOCUMENTATION},     /* RFC 5737 */
    {{192, 31, 196}, 24, RESERVED},       /* RFC 7535, AS112 */
    {{192, 52, 193}, 24, RESERVED},       /* RFC 7450, AMT */
    {{192, 88, 99}, 24, RESERVED},        /* RFC 7526, relays of 6to4 */
    {{192, 168}, 16, PRIVATE},            /* RFC 1918 */
    {{192, 175, 48}, 24, RESERVED},       /* RFC 7534, AS112 */
    {{198, 18}, 15, BENCHMARK},           /* RFC 2544 */
    {{198, 51, 100}, 24, DOCUMENTATION},  /* RFC 5737 */
    {{203, 0, 113}, 24, DOCUMENTATION},   /* RFC 5737 */
    {{224}, 4, MULTICAST},                /* RFC 5771 */
    {{255, 255, 255, 255}, 32, BROADCAST},
    {{240}, 4, RESERVED}, /* RFC 1112 */
};

struct range6 {
    uint16_t groups[8];
    unsigned bits;
    enum kind kind;
};
static const struct range6 ranges6[] = {
    {{0}, 128, UNSPECIFIED},
    {{0, 0, 0, 0, 0, 0, 0, 1}, 128, LOOPBACK},
    {{0xfd00, 0x0ec2, 0, 0, 0, 0, 0, 0x0254}, 128, METADATA}, /* AWS */
    {{0xfd00, 0x0ec2, 0, 0, 0, 0, 0, 0x0253}, 128, METADATA}, /* AWS: names */
    {{0xfd00, 0x0ec2, 0, 0, 0, 0, 0, 0x0123}, 128, METADATA}, /* AWS: time */
    {{0xfd00, 0x0ec2, 0, 0, 0, 0, 0, 0x0023}, 128, METADATA}, /* AWS: credentials of pods */
    {{0xfd20, 0x00ce, 0, 0, 0, 0, 0, 0x0254}, 128, METADATA}, /* Google */
    {{0xfd00, 0x0042, 0, 0, 0, 0, 0, 0x0042}, 128, METADATA}, /* Scaleway */
    {{0xfe80, 0, 0, 0, 0, 0, 0xa9fe, 0xa9fe}, 128, METADATA}, /* OpenStack */
    {{0, 0, 0, 0, 0, 0xffff}, 96, MAPPED},                    /* RFC 4291, 2.5.5.2 */
    {{0, 0, 0, 0, 0xffff}, 96, TRANSLATED},                   /* RFC 2765, IPv4-translated */
    {{0}, 96, TRANSLATED},                                    /* RFC 4291, 2.5.5.1, IPv4-compatible */
    {{0x0064, 0xff9b}, 96, TRANSLATED},                       /* RFC 6052, NAT64 */
    {{0x0064, 0xff9b, 1}, 48, TRANSLATED},                    /* RFC 8215, NAT64 of one's own */
    {{0x0100}, 64, DISCARD},                                  /* RFC 6666 */
    {{0x0100, 0, 0, 1}, 64, RESERVED},                        /* RFC 9780, dummy prefix */
    {{0x2001}, 32, TRANSLATED},                               /* RFC 4380, Teredo */
    {{0x2001, 2}, 48, BENCHMARK},                             /* RFC 5180 */
    {{0x2001}, 23, RESERVED},                                 /* RFC 2928: ORCHID, AMT, AS112, anycasts, drone tags */
    {{0x2001, 0x0db8}, 32, DOCUMENTATION},                    /* RFC 3849 */
    {{0x2002}, 16, TRANSLATED},                               /* RFC 3056, 6to4 */
    {{0x2620, 0x004f, 0x8000}, 48, RESERVED},                 /* RFC 7534, AS112 */
    {{0x3fff}, 20, DOCUMENTATION},                            /* RFC 9637 */
    {{0x5f00}, 16, RESERVED},                                 /* RFC 9602, SRv6 */
    {{0xfc00}, 7, UNIQUE_LOCAL},                              /* RFC 4193 */
    {{0xfe80}, 10, LINK_LOCAL},                               /* RFC 4291 */
    {{0xfec0}, 10, SITE_LOCAL},                               /* RFC 3879 */
    {{0xff00}, 8, MULTICAST},                                 /* RFC 4291 */
    {{0x2000}, 3, PUBLIC},                                    /* RFC 4291, 2.4: global unicast, as far as handed out */
};

static bool has_prefix(const uint8_t *bytes, const uint8_t *prefix, unsigned bits)
{
    unsigned whole = bits / 8, rest = bits % 8;
    if (memcmp(bytes, prefix, whole) != 0)
        return false;
    return rest == 0 || (bytes[whole] ^ prefix[whole]) >> (8 - rest) == 0;
}

static enum kind kind4(const uint8_t bytes[4])
{
    for (size_t i = 0; i < sizeof ranges4 / sizeof ranges4[0]; i++)
        if (has_prefix(bytes, ranges4[i].bytes, ranges4[i].bits))
            return ranges4[i].kind;
    return PUBLIC;
}

static enum kind kind6(const uint8_t bytes[16])
{
    for (size_t i = 0; i < sizeof ranges6 / sizeof ranges6[0]; i++) {
        uint8_t prefix[16];
        for (size_t k = 0; k < 8; k++) {
            prefix[2 * k] = (uint8_t)(ranges6[i].groups[k] >> 8);
            prefix[2 * k + 1] = (uint8_t)ranges6[i].groups[k];
        }
        if (has_prefix(bytes, prefix, ranges6[i].bits))
            return ranges6[i].kind;
    }
    return RESERVED;
}

/* ---- what the operator allows ---- */

static const uint8_t mapped_head[12] = {[10] = 0xff, [11] = 0xff};

/* The longest prefix that allows BYTES (IPv4 as ::ffff:a.b.c.d), or NULL. One of fewer than 96 bits is of IPv6 alone: "::/0"
 * says nothing of IPv4. */
static const struct odp_prefix *allowed_by(const struct odp_address_policy *p, const uint8_t bytes[16])
{
    const struct odp_prefix *best = NULL;
    bool is4 = memcmp(bytes, mapped_head, sizeof mapped_head) == 0;
    for (size_t i = 0; p != NULL && i < p->nallow && i < ODP_PREFIXES_MAX; i++)
        if (has_prefix(bytes, p->allow[i].bytes, p->allow[i].bits) && (!is4 || p->allow[i].bits >= 96) &&
            (best == NULL || p->allow[i].bits > best->bits))
            best = &p->allow[i];
    return best;
}

/* KIND of an address that PREFIX (or NULL: none) covers. What is no one machine's address is never opened; metadata only by
 * naming that very address. */
static enum kind judge(enum kind kind, const struct odp_address_policy *p, const struct odp_prefix *prefix)
{
    switch (kind) {
    case LOOPBACK:
        return p != NULL && p->loopback ? PUBLIC : kind;
    case METADATA:
        return prefix != NULL && prefix->bits == 128 ? PUBLIC : kind;
    case UNSPECIFIED:
    case MULTICAST:
    case BROADCAST:
    case MAPPED:
    case UNKNOWN:
        return kind;
    default:
        return prefix != NULL ? PUBLIC : kind;
    }
}

static enum kind refused4(const struct odp_address_policy *p, const uint8_t bytes[4])
{
    uint8_t mapped[16];
    memcpy(mapped, mapped_head, sizeof mapped_head);
    memcpy(mapped + 12, bytes, 4);
    return judge(kind4(bytes), p, allowed_by(p, mapped));
}

/* ---- IPv4 inside of IPv6 ---- */

/* Where the four bytes are, as offsets; BITS: the length of the prefix that was allowed, which for NAT64 is the length of the
 * translator's (RFC 6052, 2.2; byte 8 is not part of the address). */
static const uint8_t *nat64_places(unsigned bits)
{
    static const uint8_t at48[] = {6, 7, 9, 10}, at56[] = {7, 9, 10, 11}, at64[] = {9, 10, 11, 12}, at96[] = {12, 13, 14, 15};
    return bits == 48 ? at48 : bits == 56 ? at56 : bits == 64 ? at64 : bits >= 96 ? at96 : NULL;
}

static bool refused_at(const struct odp_address_policy *p, const uint8_t bytes[16], const uint8_t places[4], uint8_t mask)
{
    uint8_t inside[4];
    for (size_t i = 0; i < 4; i++)
        inside[i] = bytes[places[i]] ^ mask;
    return refused4(p, inside) != PUBLIC;
}

/* An address that is a way to IPv4, of a prefix that the operator allows: what is inside must be allowed, too. */
static bool leads_to_refused(const struct odp_address_policy *p, const uint8_t bytes[16], const struct odp_prefix *prefix)
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

static enum kind refused6(const struct odp_address_policy *p, const uint8_t bytes[16])
{
    enum kind kind = kind6(bytes), inside;
    const struct odp_prefix *prefix = allowed_by(p, bytes);
    if (kind == MAPPED) { /* never, but told by what is inside, if that says more */
        inside = kind4(bytes + 12);
        return inside != PUBLIC ? inside : MAPPED;
    }
    if (kind == TRANSLATED)
        return prefix == NULL || leads_to_refused(p, bytes, prefix) ? TRANSLATED : PUBLIC;
    kind = judge(kind, p, prefix);
    return kind == PUBLIC && is_isatap(bytes) && refused4(p, bytes + 12) != PUBLIC ? TRANSLATED : kind;
}

/* ---- addresses ---- */

/* The bytes of ADDRESS: 4, 16, or 0 for what is neither. Copied, for who knows how it is aligned. */
static size_t bytes_of(const struct sockaddr *address, uint8_t bytes[16])
{
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
    sa_family_t family = AF_UNSPEC;
    if (address != NULL)
        memcpy(&family, (const char *)address + offsetof(struct sockaddr, sa_family), sizeof family);
    if (family == AF_INET) {
        memcpy(&v4, address, sizeof v4);
        memcpy(bytes, &v4.sin_addr, 4);
        return 4;
    }
    if (family == AF_INET6) {
        memcpy(&v6, address, sizeof v6);
        memcpy(bytes, &v6.sin6_addr, 16);
        return 16;
    }
    return 0;
}

const char *odp_address_refused(const struct odp_address_policy *p, const struct sockaddr *address)
{
    uint8_t bytes[16];
    size_t n = bytes_of(address, bytes);
    return names[n == 4 ? refused4(p, bytes) : n == 16 ? refused6(p, bytes) : UNKNOWN];
}

bool odp_address_is_loopback(const struct sockaddr *address)
{
    uint8_t bytes[16];
    size_t n = bytes_of(address, bytes);
    if (n == 16 && kind6(bytes) == MAPPED)
        return kind4(bytes + 12) == LOOPBACK;
    return n == 4 ? kind4(bytes) == LOOPBACK : n == 16 && kind6(bytes) == LOOPBACK;
}

void odp_address_text(const struct sockaddr *address, char out[ODP_ADDRESS_TEXT])
{
    uint8_t bytes[16];
    size_t n = bytes_of(address, bytes);
    if (n == 0 || inet_ntop(n == 4 ? AF_INET : AF_INET6, bytes, out, ODP_ADDRESS_TEXT) == NULL)
        out[0] = '\0';
}

/* ---- prefixes ---- */

bool odp_prefix_parse(struct odp_prefix *out, struct odp_slice text)
{
    char address[ODP_ADDRESS_TEXT];
    const char *slash = text.len > 0 ? memchr(text.ptr, '/', text.len) : NULL;
    size_t n = slash != NULL ? (size_t)(slash - text.ptr) : text.len;
    if (n == 0 || n >= sizeof address || memchr(text.ptr, '\0', n) != NULL)
        return false;
    memcpy(address, text.ptr, n);
    address[n] = '\0';
    *out = (struct odp_prefix){.bits = 128};
    unsigned first = 0;
    if (inet_pton(AF_INET, address, out->bytes + 12) == 1) {
        memcpy(out->bytes, mapped_head, sizeof mapped_head);
        first = 96;
    } else if (inet_pton(AF_INET6, address, out->bytes) != 1) {
        return false;
    }
    if (slash != NULL) {
        unsigned bits = 0;
        size_t digits = text.len - n - 1;
        if (digits == 0 || digits > 3 || (digits > 1 && slash[1] == '0'))
            return false;
        for (size_t i = 1; i <= digits; i++) {
            if (slash[i] < '0' || slash[i] > '9')
                return false;
            bits = bits * 10 + (unsigned)(slash[i] - '0');
        }
        if (bits > 128 - first)
            return false;
        out->bits = first + bits;
    }
    for (unsigned i = out->bits; i < 128; i++)
        if ((out->bytes[i / 8] >> (7 - i % 8) & 1) != 0)
            return false;
    return true;
}
