/* From a path to a line, and from a line to its twin; whether the address has the slash it should have. */
#include "core/accept.h"
#include "core/control/control_internal.h"

#define starts control_starts
#define ends   control_ends

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

/* PATH and SUFFIX (no file of a site has a name without the one it should have), itself, or a line above
 * it. */
static bool find_line(const struct odp_control *c, struct odp_slice path, const char *suffix,
                      struct odp_entry *e)
{
    return (*suffix != '\0' && control_find_exact(c, path, odp_slice_of(suffix), e)) ||
           odp_control_find(c, path, e);
}

/* A folder of pages without the slash at its end: odp_control_slash reports that of the line found. */
static bool find_folder(const struct odp_control *c, struct odp_slice path, struct odp_entry *e)
{
    return path.len > 0 && !ends(path, "/") && !starts(path, "v1/") &&
           control_find_exact(c, path, ODP_LIT("/index.html"), e);
}

enum odp_route control_route_file(const struct odp_control *c, struct odp_slice path, struct odp_entry *e)
{
    struct odp_slice known = control_open_path(path);
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
    if (!find_line(c, path, suffix, e) && !find_folder(c, path, e))
        return ODP_ROUTE_NONE;
    if (e->cls == ODP_ENTRY_INTERNAL)
        return ODP_ROUTE_NONE;
    if (ends(e->path, "/") && e->state != ODP_ENTRY_WITHDRAWN && e->state != ODP_ENTRY_MOVED)
        return ODP_ROUTE_NONE;
    return known.len > 0 || control_is_event(path) ? ODP_ROUTE_OPEN : ODP_ROUTE_FILE;
}

/* ---- Accept-Encoding ---- */

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

void odp_control_negotiate(const struct odp_control *c, const struct odp_entry *e,
                           struct odp_slice accept_encoding, struct odp_entry *chosen, bool *varies)
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
        for (size_t i = 0; i < ODP_COUNT(twins); i++) {
            if (!control_find_exact(c, e->path, odp_slice_of(twins[i].suffix), &twin) ||
                twin.coding != twins[i].coding || twin.cls != e->cls)
                continue;
            *varies = true;
            /* Identity wins only with a higher weight. */
            if (q[twin.coding] > best && q[twin.coding] >= q[ODP_CODING_NONE]) {
                best = q[twin.coding];
                found = twin;
            }
        }
    }
    *chosen = found;
}

enum odp_slash odp_control_slash(struct odp_slice uri, const struct odp_entry *e)
{
    struct odp_slice path = control_path_of(uri), file = e->path;
    if (odp_slice_eq(path, e->path)) /* by its own name, a twin's ".gz" included */
        return ODP_SLASH_RIGHT;
    if (e->coding != ODP_CODING_NONE) /* the twin that will be sent: ".gz", ".br" */
        file.len -= file.len > 3 ? 3 : 0;
    if (!starts(file, "v1/") && ends(file, "/index.html"))
        return ends(path, "/") || ends(path, "index.html") ? ODP_SLASH_RIGHT : ODP_SLASH_MISSING;
    if (!starts(file, "v1/ogc/") || !ends(file, ".html"))
        return ODP_SLASH_RIGHT;
    if (odp_slice_is(path, "v1/ogc"))
        return ODP_SLASH_MISSING;
    return ends(path, "/") && !odp_slice_is(path, "v1/ogc/") ? ODP_SLASH_TOO_MANY : ODP_SLASH_RIGHT;
}
