/* How an operator names a Redis. */
#include "service/cluster/redis.h"

#include <stdio.h>
#include <string.h>

#include "base/line.h"
#include "core/origin.h"
#include "service/http/text.h"

static bool number(struct odp_slice s, int max, int *out)
{
    uint64_t v;
    bool is = s.len <= 5 && odp_number_read(s, &v) && v <= (uint64_t)max;
    if (is)
        *out = (int)v;
    return is;
}

static bool keep(char *out, size_t cap, struct odp_slice s)
{
    if (s.len == 0 || s.len >= cap || memchr(s.ptr, '\0', s.len) != NULL)
        return false;
    memcpy(out, s.ptr, s.len);
    out[s.len] = '\0';
    return true;
}

static struct odp_slice cut(struct odp_slice *s, size_t at, size_t gap)
{
    struct odp_slice head = {s->ptr, at};
    s->ptr += at + gap;
    s->len -= at + gap;
    return head;
}

static bool host_port(struct odp_slice s, bool port_needed, struct odp_redis_address *out)
{
    struct odp_slice host;
    int port;
    if (!odp_host_port(s, &host, &port) || port == 0 || (port < 0 && port_needed))
        return false;
    if (port > 0)
        out->port = port;
    for (size_t i = 0; i < host.len; i++)
        if (host.ptr[i] <= ' ' || host.ptr[i] == '/' || host.ptr[i] == '@' || host.ptr[i] == 0x7f)
            return false;
    return keep(out->host, sizeof out->host, host);
}

static bool decoded(char *out, size_t cap, struct odp_slice s)
{
    char text[1024];
    size_t len = 0;
    bool ok = s.len < sizeof text && odp_percent_decode(s, text, &len) &&
              keep(out, cap, (struct odp_slice){text, len});
    explicit_bzero(text, sizeof text);
    return ok;
}

static bool url(struct odp_slice s, struct odp_redis_address *out)
{
    size_t at = s.len;
    while (at > 0 && s.ptr[at - 1] != '@')
        at--;
    if (at > 0) {
        struct odp_slice who = cut(&s, at - 1, 1);
        const char *colon = memchr(who.ptr, ':', who.len);
        struct odp_slice user = {who.ptr, colon != NULL ? (size_t)(colon - who.ptr) : who.len};
        if (colon == NULL || (user.len > 0 && !decoded(out->user, sizeof out->user, user)))
            return false;
        if (!decoded(out->password, sizeof out->password,
                     (struct odp_slice){colon + 1, who.len - user.len - 1}))
            return false;
    }
    struct odp_slice host = odp_slice_cut(&s, '/');
    return (s.len == 0 || number(s, 99999, &out->db)) && host_port(host, false, out);
}

bool odp_redis_address(const char *text, struct odp_redis_address *out)
{
    struct odp_slice s = odp_slice_of(text);
    *out = (struct odp_redis_address){.port = 6379};
    if (strncmp(text, "unix:", 5) == 0) {
        (void)cut(&s, 0, 5);
        if (s.len > 2 && memcmp(s.ptr, "//", 2) == 0)
            (void)cut(&s, 0, 2);
        (void)snprintf(out->shown, sizeof out->shown, "unix:%.*s", (int)s.len, s.ptr);
        return keep(out->path, sizeof out->path, s);
    }
    bool ok;
    if (strncmp(text, "redis://", 8) == 0) {
        (void)cut(&s, 0, 8);
        ok = url(s, out);
    } else {
        ok = host_port(s, true, out);
    }
    if (!ok) {
        explicit_bzero(out->password, sizeof out->password);
        return false;
    }
    (void)snprintf(out->shown, sizeof out->shown, strchr(out->host, ':') != NULL ? "[%s]:%d" : "%s:%d",
                   out->host, out->port);
    return true;
}
