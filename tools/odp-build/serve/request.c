#include "serve/request.h"

#include <stdio.h>
#include <strings.h>

void serve_header(struct serve_headers *h, const char *name, const char *value)
{
    const struct {
        const char *name;
        struct odp_slice *at;
    } known[] = {{"Host", &h->host},
                 {"Origin", &h->origin},
                 {"Sec-Fetch-Site", &h->fetch_site},
                 {"Sec-Fetch-Mode", &h->fetch_mode},
                 {"Range", &h->range}};
    for (size_t i = 0; i < ODP_COUNT(known); i++) {
        if (strcasecmp(name, known[i].name) != 0)
            continue;
        h->twice = h->twice || known[i].at->ptr != NULL;
        *known[i].at = odp_slice_of(value != NULL ? value : "");
    }
}

/* "127.0.0.1:8000"; without the port where it is the usual one. */
static bool is_here(struct odp_slice host, unsigned port)
{
    static const char *const names[] = {"127.0.0.1", "localhost"};
    char full[32];
    for (size_t i = 0; i < ODP_COUNT(names); i++) {
        int n = snprintf(full, sizeof full, "%s:%u", names[i], port);
        if (odp_slice_is(host, full) || (port == 80 && odp_slice_is(host, names[i])))
            return n > 0;
    }
    return false;
}

bool serve_may(const struct serve_headers *h, unsigned port, bool posts)
{
    static const struct odp_slice scheme = ODP_LIT("http://");
    if (h->twice || !is_here(h->host, port))
        return false;
    if (h->origin.ptr != NULL) {
        struct odp_slice from = h->origin;
        if (from.len < scheme.len || memcmp(from.ptr, scheme.ptr, scheme.len) != 0)
            return false;
        from = (struct odp_slice){from.ptr + scheme.len, from.len - scheme.len};
        if (!odp_slice_eq(from, h->host))
            return false;
    } else if (posts) {
        return false;
    }
    bool ours = h->fetch_site.ptr == NULL || odp_slice_is(h->fetch_site, "same-origin") ||
                odp_slice_is(h->fetch_site, "none");
    return ours || (!posts && odp_slice_is(h->fetch_mode, "navigate"));
}

/* Digits at *P, which goes on behind them; false: none, or too many. */
static bool digits(struct odp_slice *p, uint64_t *out)
{
    size_t n = 0;
    for (*out = 0; n < p->len && n < 18 && p->ptr[n] >= '0' && p->ptr[n] <= '9'; n++)
        *out = *out * 10 + (uint64_t)(p->ptr[n] - '0');
    *p = (struct odp_slice){p->ptr + n, p->len - n};
    return n > 0;
}

enum odp_status serve_range(struct odp_slice range, uint64_t size, uint64_t *from, uint64_t *len)
{
    static const struct odp_slice unit = ODP_LIT("bytes=");
    uint64_t last = 0;
    if (range.len <= unit.len || memcmp(range.ptr, unit.ptr, unit.len) != 0)
        return ODP_DONE;
    struct odp_slice rest = {range.ptr + unit.len, range.len - unit.len};
    bool first = digits(&rest, from);
    if (rest.len == 0 || *rest.ptr != '-')
        return ODP_DONE;
    rest = (struct odp_slice){rest.ptr + 1, rest.len - 1};
    bool to = digits(&rest, &last);
    if (rest.len > 0 || (!first && !to) || (first && to && last < *from))
        return ODP_DONE;
    if (!first) { /* the last so many bytes */
        *len = last < size ? last : size;
        *from = size - *len;
        return *len > 0 ? ODP_OK : ODP_BAD;
    }
    if (*from >= size)
        return ODP_BAD;
    *len = (to && last < size ? last + 1 : size) - *from;
    return ODP_OK;
}
