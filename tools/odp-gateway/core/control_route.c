/* From an address to a line, and from a line to its twin. */
#include "core/accept.h"
#include "core/control_entry.h"

#define starts control_starts
#define ends   control_ends

struct odp_slice control_path_of(struct odp_slice uri)
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
    static const char *const names[][2] = {{"v1", "v1/index.json"},
                                           {"v1/", "v1/index.json"},
                                           {"v1/index", "v1/index.json"},
                                           {"v1/index.json", "v1/index.json"},
                                           {"v1/openapi", "v1/openapi.json"},
                                           {"v1/openapi.json", "v1/openapi.json"},
                                           {"v1/events", "v1/events/index.json"},
                                           {"v1/events/", "v1/events/index.json"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (odp_slice_is(path, names[i][0]))
            return odp_slice_of(names[i][1]);
    return (struct odp_slice){"", 0};
}

/* What subscribers are told, and its schemas (tools/odp-build/site/api/events.c): files, and nothing else. */
static bool is_event(struct odp_slice path)
{
    return starts(path, "v1/events/");
}

/* Under v1/ogc/ everything but what is asked of the records, and what could be taken for it. */
static bool is_document(struct odp_slice path)
{
    static const char dir[] = "v1/ogc/collections/";
    if (!starts(path, "v1/ogc") || (path.len > 6 && path.ptr[6] != '/'))
        return false;
    size_t at = sizeof dir - 1;
    if (!starts(path, dir))
        return true;
    while (at < path.len && path.ptr[at] != '/')
        at++;
    return !starts((struct odp_slice){path.ptr + at, path.len - at}, "/items");
}

bool odp_control_needs_key(struct odp_slice uri)
{
    if (uri.len == 0 || uri.ptr[0] != '/')
        return false;
    struct odp_slice path = control_path_of(uri);
    return starts(path, "v1/") && open_path(path).len == 0 && !is_event(path) && !is_document(path);
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

bool control_find_line(const struct odp_control *c, struct odp_slice path, const char *suffix, struct odp_entry *e)
{
    return (*suffix != '\0' && control_find_exact(c, path, odp_slice_of(suffix), e)) || odp_control_find(c, path, e);
}

/* A folder of pages that is asked for without the slash at its end: odp_control_slash says so of the line that is found. */
static bool find_folder(const struct odp_control *c, struct odp_slice path, struct odp_entry *e)
{
    return path.len > 0 && !ends(path, "/") && !starts(path, "v1/") &&
           control_find_exact(c, path, ODP_LIT("/index.html"), e);
}

enum odp_route control_route_file(const struct odp_control *c, struct odp_slice path, struct odp_entry *e)
{
    struct odp_slice known = open_path(path);
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
    if (!control_find_line(c, path, suffix, e) && !find_folder(c, path, e))
        return ODP_ROUTE_NONE;
    if (e->cls == ODP_ENTRY_INTERNAL)
        return ODP_ROUTE_NONE;
    if (ends(e->path, "/") && e->state != ODP_ENTRY_WITHDRAWN && e->state != ODP_ENTRY_MOVED)
        return ODP_ROUTE_NONE;
    return known.len > 0 || is_event(path) ? ODP_ROUTE_OPEN : ODP_ROUTE_FILE;
}

enum odp_route odp_control_route(const struct odp_control *c, struct odp_slice uri, struct odp_entry *e)
{
    const struct odp_ask ask = {.uri = uri};
    unsigned vary;
    return odp_control_ask(c, &ask, e, &vary);
}

/* ---- moved addresses ------------------------------------------------------------------------------------------------------
 */

/* Without what a line's path has behind the slug. */
static struct odp_slice head_of(struct odp_slice path)
{
    path.len -= ends(path, ".json") ? 5 : ends(path, "/") ? 1 : 0;
    return path;
}

/* The percent-encoded byte at I is neither a dot nor a slash. */
static bool is_plain_code(struct odp_slice s, size_t i)
{
    return i + 2 < s.len && !(s.ptr[i + 1] == '2' && strchr("eEfF", s.ptr[i + 2]) != NULL);
}

/* RAW, without a query, is HEAD and the rest of an address in the form in which it was understood: no segment that leads
 * elsewhere. */
static bool is_straight(struct odp_slice raw, struct odp_slice head)
{
    if (raw.len < head.len || memcmp(raw.ptr, head.ptr, head.len) != 0)
        return false;
    struct odp_slice rest = {raw.ptr + head.len, raw.len - head.len};
    if (rest.len == 0 || odp_slice_is(rest, ".json"))
        return true;
    if (rest.ptr[0] != '/')
        return false;
    for (size_t i = 0; i + 1 < rest.len; i++)
        if (rest.ptr[i] == '/' && strchr("/.%\\", rest.ptr[i + 1]) != NULL &&
            !(rest.ptr[i + 1] == '%' && is_plain_code(rest, i + 1)))
            return false;
    return true;
}

void control_add_escaped(struct odp_buffer *out, struct odp_slice s, const char *plain)
{
    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] != '\0' && strchr(plain, s.ptr[i]) != NULL)
            odp_buffer_add_char(out, s.ptr[i]);
        else
            odp_buffer_printf(out, "%%%02X", (unsigned char)s.ptr[i]);
    }
}

static struct odp_slice slug_of(struct odp_slice head)
{
    size_t slash = head.len;
    while (slash > 0 && head.ptr[slash - 1] != '/')
        slash--;
    return (struct odp_slice){head.ptr + slash, head.len - slash};
}

/* REST of a path. Downloads carry the slug in their names: data/old/latest/old.csv is data/new/latest/new.csv. A version keeps
 * the names with which it was published. */
static void add_rest(struct odp_buffer *out, struct odp_slice rest, struct odp_slice old, struct odp_slice to,
                     const char *plain)
{
    struct odp_slice was = slug_of(old), is = slug_of(to), name = slug_of(rest);
    bool named = starts(old, "data/") && starts(rest, "/latest/") && name.len > was.len && name.len < rest.len &&
                 memcmp(name.ptr, was.ptr, was.len) == 0 && (name.ptr[was.len] == '.' || name.ptr[was.len] == '-');
    if (named) {
        control_add_escaped(out, (struct odp_slice){rest.ptr, rest.len - name.len}, plain);
        odp_buffer_add_slice(out, is);
        rest = (struct odp_slice){name.ptr + was.len, name.len - was.len};
    }
    control_add_escaped(out, rest, plain);
}

/* A collection is named by its dataset: v1/ogc/collections/old-timeline/items is that of new-timeline. */
static void add_collection(struct odp_buffer *out, struct odp_slice uri, size_t before, struct odp_slice raw,
                           struct odp_slice was, struct odp_slice is)
{
    size_t at = out->len + before + sizeof "v1/ogc/collections/" - 1;
    odp_control_query_path(uri, raw, out); /* begins with the plain form, in which it was understood */
    if (odp_buffer_status(out) != ODP_OK || out->len < at + was.len || odp_buffer_reserve(out, is.len) == NULL)
        return;
    memmove(out->ptr + at + is.len, out->ptr + at + was.len, out->len - at - was.len);
    memcpy(out->ptr + at, is.ptr, is.len);
    out->len += is.len;
    out->len -= was.len;
}

/* The rest is taken as it came, because a key in it may hold an encoded slash; an address that is written in another way ("..",
 * "//", a letter of the slug encoded) goes on as it was understood. */
void odp_control_moved(const struct odp_entry *e, struct odp_slice uri, struct odp_slice raw, struct odp_buffer *out)
{
    struct odp_slice path = control_path_of(uri), old = head_of(e->path), to = head_of(e->link), query = {"", 0};
    const char *mark = raw.len > 0 ? memchr(raw.ptr, '?', raw.len) : NULL;
    size_t before = uri.len - path.len; /* "/" or "/api/" */
    if (mark != NULL) {
        query = (struct odp_slice){mark, (size_t)(raw.ptr + raw.len - mark)};
        raw.len -= query.len;
    }
    bool same = raw.len > before && memcmp(raw.ptr, uri.ptr, before) == 0;
    if (starts(path, "v1/ogc/")) {
        add_collection(out, uri, before, raw, slug_of(old), slug_of(to));
        control_add_escaped(out, query, CONTROL_URI_PLAIN "%?");
        return;
    }
    odp_buffer_add(out, uri.ptr, before);
    odp_buffer_add_slice(out, to);
    if (same && is_straight((struct odp_slice){raw.ptr + before, raw.len - before}, old))
        add_rest(out, (struct odp_slice){raw.ptr + before + old.len, raw.len - before - old.len}, old, to,
                 CONTROL_URI_PLAIN "%");
    else if (path.len > old.len)
        add_rest(out, (struct odp_slice){path.ptr + old.len, path.len - old.len}, old, to, CONTROL_URI_PLAIN);
    control_add_escaped(out, query, CONTROL_URI_PLAIN "%?");
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
