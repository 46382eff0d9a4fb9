/* From an address to a line, and from a line to its twin. */
#include "core/accept.h"
#include "core/control_entry.h"

static bool starts(struct odp_slice s, const char *with)
{
    size_t len = strlen(with);
    return s.len >= len && memcmp(s.ptr, with, len) == 0;
}

static bool ends(struct odp_slice s, const char *with)
{
    size_t len = strlen(with);
    return s.len >= len && memcmp(s.ptr + s.len - len, with, len) == 0;
}

/* Without the first slash, /api/v1 being /v1. */
static struct odp_slice path_of(struct odp_slice uri)
{
    struct odp_slice path = {uri.ptr + 1, uri.len - 1};
    if (odp_slice_is(path, "api/v1") || starts(path, "api/v1/")) {
        path.ptr += 4;
        path.len -= 4;
    }
    return path;
}

/* The path of one of the open addresses, or an empty slice. */
static struct odp_slice open_path(struct odp_slice path)
{
    static const char *const index[] = {"v1", "v1/", "v1/index", "v1/index.json"}, *const openapi[] = {"v1/openapi",
                                                                                                       "v1/openapi.json"};
    for (size_t i = 0; i < sizeof index / sizeof *index; i++)
        if (odp_slice_is(path, index[i]))
            return ODP_LIT("v1/index.json");
    for (size_t i = 0; i < sizeof openapi / sizeof *openapi; i++)
        if (odp_slice_is(path, openapi[i]))
            return ODP_LIT("v1/openapi.json");
    return (struct odp_slice){"", 0};
}

bool odp_control_needs_key(struct odp_slice uri)
{
    if (uri.len == 0 || uri.ptr[0] != '/')
        return false;
    struct odp_slice path = path_of(uri);
    return starts(path, "v1/") && open_path(path).len == 0;
}

static enum odp_route route_manifest(const struct odp_control *c, struct odp_entry *e)
{
    if (!c->has_manifest)
        return ODP_ROUTE_NONE;
    static const struct odp_slice nothing = {"", 0};
    *e = (struct odp_entry){.path = ODP_LIT("manifest.json"),
                            .etag = odp_slice_of(c->etag),
                            .type = ODP_LIT("application/json"),
                            .cache_control = ODP_LIT("public, max-age=300"),
                            .size = c->manifest_size,
                            .deprecation = nothing,
                            .sunset = nothing,
                            .link = nothing,
                            .dataset = nothing,
                            .format = nothing};
    return ODP_ROUTE_FILE;
}

/* The line that stands for PATH: PATH and SUFFIX (no file of a site has a name without the one it should have), itself, or what
 * is above it. */
static bool find_line(const struct odp_control *c, struct odp_slice path, const char *suffix, struct odp_entry *e)
{
    return (*suffix != '\0' && control_find_exact(c, path, odp_slice_of(suffix), e)) || odp_control_find(c, path, e);
}

enum odp_route odp_control_route(const struct odp_control *c, struct odp_slice uri, struct odp_entry *e)
{
    if (uri.len == 0 || uri.ptr[0] != '/')
        return ODP_ROUTE_NONE;
    struct odp_slice path = path_of(uri), known = open_path(path);
    if (path.len > 0 && !control_path_ok(path))
        return ODP_ROUTE_NONE;
    if (odp_slice_is(path, "manifest.json"))
        return route_manifest(c, e);
    const char *suffix = "";
    if (known.len > 0)
        path = known;
    else if (path.len == 0 || ends(path, "/"))
        suffix = starts(path, "v1/") ? "" : "index.html";
    else if (starts(path, "v1/") && !ends(path, ".json"))
        suffix = ".json";
    if (!find_line(c, path, suffix, e) || e->cls == ODP_ENTRY_INTERNAL)
        return ODP_ROUTE_NONE;
    if (ends(e->path, "/") && e->state != ODP_ENTRY_WITHDRAWN)
        return ODP_ROUTE_NONE;
    return known.len > 0 ? ODP_ROUTE_OPEN : ODP_ROUTE_FILE;
}

/* ---- Accept-Encoding ------------------------------------------------------------------------------------------------------
 */

/* Weights by enum odp_coding; -1: not said. */
static void read_weights(struct odp_slice header, int q[3])
{
    struct odp_slice name;
    int weight, any = -1;
    q[ODP_CODING_NONE] = q[ODP_CODING_GZIP] = q[ODP_CODING_BR] = -1;
    while (odp_accept_next(&header, &name, &weight)) {
        if (odp_accept_is(name, "identity"))
            q[ODP_CODING_NONE] = weight;
        else if (odp_accept_is(name, "gzip") || odp_accept_is(name, "x-gzip"))
            q[ODP_CODING_GZIP] = weight;
        else if (odp_accept_is(name, "br"))
            q[ODP_CODING_BR] = weight;
        else if (odp_accept_is(name, "*"))
            any = weight;
    }
    for (int i = ODP_CODING_GZIP; i <= ODP_CODING_BR; i++)
        if (q[i] < 0)
            q[i] = any;
}

void odp_control_negotiate(const struct odp_control *c, const struct odp_entry *e, struct odp_slice accept_encoding,
                           struct odp_entry *chosen, bool *varies)
{
    static const struct {
        const char *suffix;
        enum odp_coding coding;
    } twins[] = {{".br", ODP_CODING_BR}, {".gz", ODP_CODING_GZIP}};
    int q[3], best = 0;
    struct odp_entry twin, found = *e;
    *varies = false;
    if (e->coding == ODP_CODING_NONE && !ends(e->path, "/")) {
        read_weights(accept_encoding, q);
        for (size_t i = 0; i < sizeof twins / sizeof *twins; i++) {
            if (!control_find_exact(c, e->path, odp_slice_of(twins[i].suffix), &twin) || twin.coding != twins[i].coding ||
                twin.cls != e->cls)
                continue;
            *varies = true;
            /* What was named as identity is wanted as it is only when it is liked better. */
            if (q[twin.coding] > best && q[twin.coding] >= q[ODP_CODING_NONE]) {
                best = q[twin.coding];
                found = twin;
            }
        }
    }
    *chosen = found;
}
