#include "core/origin.h"

#include <arpa/inet.h>

#include "base/ascii.h"
#include "base/line.h"
#include "base/text.h"

enum { HOST_MAX = 253, PORT_MAX_DIGITS = 5 };

static struct odp_slice after(struct odp_slice s, size_t n)
{
    return (struct odp_slice){s.ptr + n, s.len - n};
}

/* NAME of "NAME:PORT"; *PORT may be empty. */
static struct odp_slice split(struct odp_slice host, struct odp_slice *port)
{
    size_t n = host.len;
    while (n > 0 && host.ptr[n - 1] >= '0' && host.ptr[n - 1] <= '9')
        n--;
    bool has = n > 0 && n < host.len && host.ptr[n - 1] == ':';
    *port = has ? after(host, n) : after(host, host.len);
    return (struct odp_slice){host.ptr, has ? n - 1 : host.len};
}

bool odp_host_port(struct odp_slice s, struct odp_slice *host, int *port)
{
    const size_t open = s.len > 0 && s.ptr[0] == '[';
    size_t n = open;
    uint64_t number = 0;
    while (n < s.len && s.ptr[n] != (open ? ']' : ':'))
        n++;
    *host = (struct odp_slice){s.ptr + open, n - open};
    *port = -1;
    if (n + open == s.len)
        return true;
    if (n + open > s.len || s.ptr[n + open] != ':')
        return false;
    struct odp_slice digits = after(s, n + open + 1);
    if (digits.len > PORT_MAX_DIGITS || !odp_number_read(digits, &number) || number > UINT16_MAX)
        return false;
    *port = (int)number;
    return true;
}

static bool is_v6(struct odp_slice name)
{
    char text[64];
    unsigned char bytes[16];
    if (name.len < 4 || name.len > sizeof text || name.ptr[0] != '[' || name.ptr[name.len - 1] != ']')
        return false;
    memcpy(text, name.ptr + 1, name.len - 2);
    text[name.len - 2] = '\0';
    return inet_pton(AF_INET6, text, bytes) == 1;
}

bool odp_origin_host_ok(struct odp_slice host)
{
    struct odp_slice port, name = split(host, &port);
    if (is_v6(name))
        return port.len <= PORT_MAX_DIGITS;
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        if (!odp_is_alnum(c) && !((c == '.' || c == '-' || c == '_') && i > 0))
            return false;
    }
    return name.len > 0 && name.len <= HOST_MAX && port.len <= PORT_MAX_DIGITS;
}

static struct odp_slice host_of(struct odp_slice origin)
{
    if (origin.len == 0)
        return ODP_LIT("");
    size_t scheme = odp_slice_starts(origin, "https://")  ? 8
                    : odp_slice_starts(origin, "http://") ? 7
                                                          : origin.len,
           n = scheme;
    while (n < origin.len && origin.ptr[n] != '/')
        n++;
    return (struct odp_slice){origin.ptr + scheme, n - scheme};
}

bool odp_origin_ok(struct odp_slice origin)
{
    struct odp_slice host = host_of(origin);
    return odp_origin_host_ok(host) && host.ptr + host.len == origin.ptr + origin.len;
}

static bool is_this_machine(struct odp_slice name)
{
    char text[16];
    unsigned char bytes[4];
    if (odp_slice_alike(name, ODP_LIT("localhost")) || odp_slice_alike(name, ODP_LIT("[::1]")))
        return true;
    if (name.len >= sizeof text)
        return false;
    memcpy(text, name.ptr, name.len);
    text[name.len] = '\0';
    return inet_pton(AF_INET, text, bytes) == 1 && bytes[0] == 127;
}

bool odp_origin_allowed(struct odp_slice asked, const struct odp_origin_rules *rules)
{
    struct odp_slice host = host_of(asked), port, name;
    if (!odp_origin_ok(asked) || odp_slice_alike(host, host_of(rules->base)))
        return false;
    name = split(host, &port);
    for (size_t i = 0; i < rules->nhosts; i++) {
        struct odp_slice its, one = split(rules->hosts[i], &its);
        if (odp_slice_alike(one, name) && (its.len == 0 || odp_slice_alike(its, port)))
            return true;
    }
    return rules->direct && is_this_machine(name);
}

bool odp_origin_concerns(struct odp_slice uri)
{
    struct odp_slice path = odp_slice_starts(uri, "/api/v1") ? after(uri, 4) : uri;
    return odp_slice_is(path, "/v1/openapi.json") || odp_slice_is(path, "/v1/openapi") ||
           odp_slice_is(path, "/v1/ogc") || odp_slice_starts(path, "/v1/ogc/");
}

/* The string whose first quote is at AT is the value of a member that holds an address. */
static bool is_address(struct odp_slice json, size_t at)
{
    while (at > 0 && json.ptr[at - 1] == ' ')
        at--;
    struct odp_slice before = {json.ptr, at};
    return (before.len > 7 && memcmp(before.ptr + before.len - 7, "\"href\":", 7) == 0) ||
           (before.len > 6 && memcmp(before.ptr + before.len - 6, "\"url\":", 6) == 0);
}

void odp_origin_rewrite(struct odp_slice json, struct odp_slice base, struct odp_slice origin,
                        struct odp_buffer *out)
{
    size_t from = 0;
    base.len -= base.len > 0; /* the slash: servers have none */
    for (size_t at = 0; base.len > 0 && at + 1 + base.len < json.len; at++) {
        const char *quote = memchr(json.ptr + at, '"', json.len - at - base.len - 1);
        if (quote == NULL)
            break;
        at = (size_t)(quote - json.ptr);
        char next = json.ptr[at + 1 + base.len];
        if (memcmp(quote + 1, base.ptr, base.len) != 0 || (next != '/' && next != '"') ||
            !is_address(json, at))
            continue;
        odp_buffer_add(out, json.ptr + from, at + 1 - from);
        odp_buffer_add_slice(out, origin);
        from = at + 1 + base.len;
        at += base.len;
    }
    odp_buffer_add(out, json.ptr + from, json.len - from);
}
