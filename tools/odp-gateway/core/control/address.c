/* The form of an address, whether or not it exists: what it may ask for, whether it needs a key, and how it
 * is written for the service. */
#include "base/text.h"
#include "core/control/control_internal.h"

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

struct odp_slice control_open_path(struct odp_slice path)
{
    static const char *const names[][2] = {{"v1", "v1/index.json"},
                                           {"v1/", "v1/index.json"},
                                           {"v1/index", "v1/index.json"},
                                           {"v1/index.json", "v1/index.json"},
                                           {"v1/openapi", "v1/openapi.json"},
                                           {"v1/openapi.json", "v1/openapi.json"},
                                           {"v1/events", "v1/events/index.json"},
                                           {"v1/events/", "v1/events/index.json"}};
    for (size_t i = 0; i < ODP_COUNT(names); i++)
        if (odp_slice_is(path, names[i][0]))
            return odp_slice_of(names[i][1]);
    return (struct odp_slice){"", 0};
}

bool control_is_event(struct odp_slice path)
{
    return starts(path, "v1/events/");
}

/* Under v1/ogc/ everything but requests for records, and what could be taken for them. */
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
    return starts(path, "v1/") && control_open_path(path).len == 0 && !control_is_event(path) &&
           !is_document(path);
}

size_t control_extension(struct odp_slice name)
{
    static const char *const all[] = {".json", ".geojson", ".csv", ".html"};
    for (size_t i = 0; i < ODP_COUNT(all); i++)
        if (name.len > strlen(all[i]) && ends(name, all[i]))
            return strlen(all[i]);
    return 0;
}

static bool is_search(struct odp_slice last)
{
    last.len -= control_extension(last);
    return odp_slice_is(last, "search");
}

/* PATH is v1/<name>/REST, NAME has one or two segments; what REST makes of it. */
static bool asks_of(struct odp_slice rest, struct control_parts *p)
{
    struct odp_slice first = control_segment(rest);
    if (first.len == rest.len && is_search(rest)) {
        p->form = CONTROL_SEARCH;
    } else if (odp_slice_is(first, "id") && rest.len > 3) {
        p->form = CONTROL_ID;
        p->key = control_after(rest, 3);
    }
    return p->form != CONTROL_OTHER;
}

static struct control_parts ogc_parts(struct odp_slice path)
{
    static const struct odp_slice collections = ODP_LIT("collections/");
    struct control_parts p = {
        .form = CONTROL_DOCUMENT, .name = control_after(path, 7), .key = control_after(path, path.len)};
    if (!starts(p.name, collections.ptr))
        return p;
    struct odp_slice id = control_segment(control_after(p.name, collections.len)),
                     rest = control_after(p.name, collections.len + id.len);
    if (id.len == 0 || !starts(rest, "/items") || (rest.len > 6 && rest.ptr[6] != '/') || rest.len == 7)
        return p;
    return (struct control_parts){CONTROL_ITEMS, id, control_after(rest, 7)};
}

struct control_parts control_parts_of(struct odp_slice path)
{
    struct control_parts p = {
        .form = CONTROL_OTHER, .name = control_after(path, path.len), .key = control_after(path, path.len)};
    if (odp_slice_is(path, "v1/ogc") || starts(path, "v1/ogc/"))
        return ogc_parts(path);
    if (!starts(path, "v1/"))
        return p;
    struct odp_slice all = control_after(path, 3), slug = control_segment(all),
                     rest = control_after(all, slug.len + 1), resource = control_segment(rest);
    if (slug.len == 0 || control_reserved((struct odp_slice){slug.ptr, slug.len - control_extension(slug)}))
        return p;
    p.name = slug;
    if (slug.len == all.len) {
        p.form = CONTROL_PLAIN;
        return p;
    }
    if (asks_of(rest, &p) || resource.len == 0 || control_reserved(resource))
        return p;
    p.name.len += 1 + resource.len;
    if (resource.len == rest.len)
        p.form = CONTROL_PLAIN;
    else
        (void)asks_of(control_after(rest, resource.len + 1), &p);
    return p;
}

bool odp_control_takes_post(struct odp_slice uri)
{
    return uri.len > 0 && uri.ptr[0] == '/' && control_parts_of(control_path_of(uri)).form == CONTROL_SEARCH;
}

bool odp_control_forms(struct odp_slice uri)
{
    struct odp_slice path =
        uri.len > 0 && uri.ptr[0] == '/' ? control_path_of(uri) : (struct odp_slice){"", 0};
    return starts(path, "v1/") && !starts(path, "v1/ogc") && control_extension(path) == 0;
}

bool odp_control_asks(struct odp_slice uri, bool has_query)
{
    if (uri.len == 0 || uri.ptr[0] != '/')
        return false;
    struct odp_slice path = control_path_of(uri);
    return (has_query && starts(path, "v1/")) || starts(path, "v1/ogc/") || odp_slice_is(path, "v1/ogc");
}

static bool is_dots(struct odp_slice s)
{
    size_t dots = 0, i = 0;
    while (i < s.len) {
        bool coded = s.len - i > 2 && s.ptr[i] == '%' && s.ptr[i + 1] == '2' && (s.ptr[i + 2] | 32) == 'e';
        if (!coded && s.ptr[i] != '.')
            return false;
        i += coded ? 3 : 1;
        dots++;
    }
    return dots == 1 || dots == 2;
}

/* Everything but a record's key comes from the address as understood, since the service must not understand
 * it in another way. A key is taken as it came, if it is one segment; in it a slash and dots have no meaning.
 */
void odp_control_query_path(struct odp_slice uri, struct odp_slice raw, struct odp_buffer *out)
{
    size_t end = 0;
    while (end < raw.len && raw.ptr[end] != '?' && raw.ptr[end] != '#')
        end++;
    struct odp_slice key = uri.len > 0 && uri.ptr[0] == '/' ? control_parts_of(control_path_of(uri)).key
                                                            : (struct odp_slice){"", 0};
    size_t head = uri.len - key.len;
    odp_text_percent_but(out, (struct odp_slice){uri.ptr, head}, CONTROL_URI_PLAIN);
    if (key.len == 0)
        return;
    struct odp_slice came = control_after((struct odp_slice){raw.ptr, end}, head);
    bool whole = end > head && memcmp(raw.ptr, uri.ptr, head) == 0 &&
                 memchr(came.ptr, '/', came.len) == NULL && !is_dots(came);
    /* As understood a slash is one that was encoded, or one too many: the service shall see one key in both
     * cases. */
    odp_text_percent_but(out, whole ? came : key, whole ? CONTROL_URI_PLAIN "%" : CONTROL_URI_SEGMENT);
}
