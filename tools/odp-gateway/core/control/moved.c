/* Where the address of a dataset leads that has another slug now. */
#include "base/text.h"
#include "core/control/control_internal.h"

#define starts control_starts
#define ends   control_ends

/* PATH without what follows the slug. */
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

/* RAW, without a query, is HEAD and the rest of an address in the form in which it was understood: no segment
 * that leads elsewhere. */
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

static struct odp_slice slug_of(struct odp_slice head)
{
    size_t slash = head.len;
    while (slash > 0 && head.ptr[slash - 1] != '/')
        slash--;
    return (struct odp_slice){head.ptr + slash, head.len - slash};
}

/* REST of a path. Downloads carry the slug in their names: data/old/latest/old.csv is
 * data/new/latest/new.csv. A version keeps the names with which it was published. */
static void add_rest(struct odp_buffer *out, struct odp_slice rest, struct odp_slice old, struct odp_slice to,
                     const char *plain)
{
    struct odp_slice was = slug_of(old), is = slug_of(to), name = slug_of(rest);
    bool named = starts(old, "data/") && starts(rest, "/latest/") && name.len > was.len &&
                 name.len < rest.len && memcmp(name.ptr, was.ptr, was.len) == 0 &&
                 (name.ptr[was.len] == '.' || name.ptr[was.len] == '-');
    if (named) {
        odp_text_percent_but(out, (struct odp_slice){rest.ptr, rest.len - name.len}, plain);
        odp_buffer_add_slice(out, is);
        rest = (struct odp_slice){name.ptr + was.len, name.len - was.len};
    }
    odp_text_percent_but(out, rest, plain);
}

/* A collection is named by its dataset: v1/ogc/collections/old-timeline/items is that of new-timeline. */
static void add_collection(struct odp_buffer *out, struct odp_slice uri, size_t before, struct odp_slice raw,
                           struct odp_slice was, struct odp_slice is)
{
    size_t at = out->len + before + sizeof "v1/ogc/collections/" - 1;
    odp_control_query_path(uri, raw, out); /* begins with the plain form, in which it was understood */
    if (odp_buffer_status(out) != ODP_OK || out->len < at + was.len ||
        odp_buffer_reserve(out, is.len) == NULL)
        return;
    memmove(out->ptr + at + is.len, out->ptr + at + was.len, out->len - at - was.len);
    memcpy(out->ptr + at, is.ptr, is.len);
    out->len += is.len;
    out->len -= was.len;
}

/* The rest is taken as it came, because a key in it may hold an encoded slash; an address that is written in
 * another way ("..",
 * "//", a letter of the slug encoded) goes on as it was understood. */
void odp_control_moved(const struct odp_entry *e, struct odp_slice uri, struct odp_slice raw,
                       struct odp_buffer *out)
{
    struct odp_slice path = control_path_of(uri), old = head_of(e->path), to = head_of(e->link), rest = raw;
    size_t before = uri.len - path.len; /* "/" or "/api/" */
    const struct odp_slice came = odp_slice_cut(&rest, '?'),
                           query = {raw.ptr + came.len, raw.len - came.len}; /* with its question mark */
    raw = came;
    bool same = raw.len > before && memcmp(raw.ptr, uri.ptr, before) == 0;
    if (starts(path, "v1/ogc/")) {
        add_collection(out, uri, before, raw, slug_of(old), slug_of(to));
        odp_text_percent_but(out, query, CONTROL_URI_PLAIN "%?");
        return;
    }
    odp_buffer_add(out, uri.ptr, before);
    odp_buffer_add_slice(out, to);
    if (same && is_straight((struct odp_slice){raw.ptr + before, raw.len - before}, old))
        add_rest(out, (struct odp_slice){raw.ptr + before + old.len, raw.len - before - old.len}, old, to,
                 CONTROL_URI_PLAIN "%");
    else if (path.len > old.len)
        add_rest(out, (struct odp_slice){path.ptr + old.len, path.len - old.len}, old, to, CONTROL_URI_PLAIN);
    odp_text_percent_but(out, query, CONTROL_URI_PLAIN "%?");
}
