/* The address of the gateway in a request ("http://localhost:8080"), where links may begin with it instead of
 * the site's own: a client on another network, or of an example on its own machine, cannot open those. What a
 * request says of its host is believed only within a list, and never goes anywhere as it came: anything but a
 * plain host is refused. */
#pragma once

#include "base/buffer.h"
#include "base/slice.h"

/* "http://" or "https://", a host (a name, an IPv4 address, an IPv6 one in brackets) and perhaps a port;
 * nothing else. */
bool odp_origin_ok(struct odp_slice origin);
/* HOST[:PORT] as an allowed host is written: any port where it says none. */
bool odp_origin_host_ok(struct odp_slice host);

/* S is HOST, HOST:PORT, [V6] or [V6]:PORT: *HOST has no brackets and may be empty, *PORT is -1 where there is
 * none. False: it is none of these. */
bool odp_host_port(struct odp_slice s, struct odp_slice *host, int *port);

/* The rules for ASKED. */
struct odp_origin_rules {
    struct odp_slice base;         /* the site's own address; its host gives no other */
    const struct odp_slice *hosts; /* allowed ones */
    size_t nhosts;
    bool direct; /* no proxy is on the way: names of this machine (localhost, 127.0.0.0/8, [::1]) are allowed,
                    too */
};
/* Links may begin with ASKED. */
bool odp_origin_allowed(struct odp_slice asked, const struct odp_origin_rules *rules);

/* The addresses under which there are documents with links of their own: /v1/ogc/…, /v1/openapi.json. */
bool odp_origin_concerns(struct odp_slice uri);
/* JSON with ORIGIN and a slash in place of BASE (which ends in one) wherever a member "href" or "url" begins
 * with it. */
void odp_origin_rewrite(struct odp_slice json, struct odp_slice base, struct odp_slice origin,
                        struct odp_buffer *out);
