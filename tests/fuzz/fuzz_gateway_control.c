/* Any bytes as a control file, an address and an Accept-Encoding, divided by NUL bytes: the address first,
 * then the header (which is the raw address, its query, Accept and Accept-Language, too), then the file. The
 * result is always within the file and the site, fits a header, and is never internal; what the query
 * service is asked for is the address that was understood. */
#include "core/control/control.h"
#include "core/problem.h"
#include "fuzz.h"

static void check_text(struct odp_slice s)
{
    for (size_t i = 0; i < s.len; i++)
        NEED((unsigned char)s.ptr[i] >= 0x20 && s.ptr[i] != 0x7f);
}

static void check_entry(const struct odp_entry *e)
{
    const struct odp_slice texts[] = {e->path,          e->etag, e->type,    e->deprecation, e->sunset,
                                      e->cache_control, e->link, e->dataset, e->format};
    for (size_t i = 0; i < ODP_COUNT(texts); i++)
        check_text(texts[i]);
    NEED(e->path.len > 0 && e->path.ptr[0] != '/');
    char path[4096];
    if (e->path.len + 3 > sizeof path)
        return;
    path[0] = '/';
    memcpy(path + 1, e->path.ptr, e->path.len);
    strcpy(path + 1 + e->path.len, "/");
    NEED(strstr(path, "/../") == NULL && strstr(path, "/./") == NULL && strchr(path, '\\') == NULL);
}

/* The new address is always below the new name on this host, and fits a header. RAW: any bytes. */
static void check_moved(const struct odp_entry *e, struct odp_slice uri, struct odp_slice raw)
{
    struct odp_buffer out = {0};
    odp_control_moved(e, uri, raw, &out);
    NEED(odp_buffer_status(&out) == ODP_OK);
    static const char ogc[] = "v1/ogc/collections/";
    size_t slash = uri.len > 4 && memcmp(uri.ptr, "/api/", 5) == 0 ? 5 : 1, from = 0;
    size_t head = e->link.len - (e->link.ptr[e->link.len - 1] == '/' ? 1 : 5);
    bool collection = uri.len > slash + sizeof ogc && memcmp(uri.ptr + slash, ogc, sizeof ogc - 1) == 0;
    if (collection) { /* named by the slug alone, "v1/" before it */
        NEED(out.len > slash + sizeof ogc && memcmp(out.ptr + slash, ogc, sizeof ogc - 1) == 0);
        slash += sizeof ogc - 1;
        from = 3;
    }
    NEED(out.len >= slash + head - from && memcmp(out.ptr + slash, e->link.ptr + from, head - from) == 0);
    NEED(out.len == slash + head - from ||
         strchr(collection ? "/.?-" : "/.?", out.ptr[slash + head - from]) != NULL);
    for (size_t i = 0; i < out.len; i++)
        NEED(out.ptr[i] > 0x20 && out.ptr[i] != 0x7f);
    odp_buffer_release(&out);
}

/* Decoded, it is URI again; or, where a record's key is taken from RAW, it begins as URI does and has one
 * segment more. */
static void check_query_path(struct odp_slice uri, struct odp_slice raw)
{
    struct odp_buffer out = {0}, plain = {0};
    odp_control_query_path(uri, raw, &out);
    NEED(odp_buffer_status(&out) == ODP_OK);
    for (size_t i = 0; i < out.len; i++) {
        NEED(out.ptr[i] > 0x20 && out.ptr[i] < 0x7f && out.ptr[i] != '?' && out.ptr[i] != '#');
        unsigned char c = (unsigned char)out.ptr[i];
        if (c == '%' && out.len - i > 2) {
            const char *hex = "0123456789ABCDEF", *a = strchr(hex, out.ptr[i + 1]),
                       *b = strchr(hex, out.ptr[i + 2]);
            if (a != NULL && b != NULL && out.ptr[i + 1] != '\0' && out.ptr[i + 2] != '\0') {
                c = (unsigned char)((a - hex) << 4 | (b - hex));
                i += 2;
            }
        }
        odp_buffer_add_char(&plain, (char)c);
    }
    size_t same = 0, slash = 0;
    while (same < plain.len && same < uri.len && plain.ptr[same] == uri.ptr[same])
        slash = plain.ptr[same++] == '/' ? same : slash;
    NEED((same == uri.len && same == plain.len) || (slash > 0 && memchr(raw.ptr, '/', raw.len) != NULL));
    odp_buffer_release(&plain);
    odp_buffer_release(&out);
}

/* The same with everything a request may bring. */
static void ask(const struct odp_control *c, struct odp_slice uri, struct odp_slice more)
{
    struct odp_entry e, plain;
    unsigned vary;
    const struct odp_ask whole = {uri, more, more, more, more.len % 2 != 0}, bare = {.uri = uri};
    enum odp_route route = odp_control_ask(c, &whole, &e, &vary),
                   alone = odp_control_ask(c, &bare, &plain, &vary);
    check_query_path(uri, more);
    if (route == ODP_ROUTE_NONE)
        return;
    check_entry(&e);
    NEED(e.cls != ODP_ENTRY_INTERNAL && (route != ODP_ROUTE_OPEN || !odp_control_needs_key(uri)));
    NEED(route != ODP_ROUTE_QUERY || e.state == ODP_ENTRY_ACTIVE || e.state == ODP_ENTRY_DEPRECATED ||
         !odp_control_needs_key(uri));
    NEED(!odp_control_takes_post(uri) || odp_control_needs_key(uri));
    if (!odp_control_asks(uri, more.len > 0) && !(whole.engine && odp_control_forms(uri)))
        NEED(route == alone && e.path.ptr == plain.path.ptr && e.path.len == plain.path.len);
    if (e.state == ODP_ENTRY_MOVED && route != ODP_ROUTE_QUERY)
        check_moved(&e, uri, more);
}

static void look(const struct odp_control *c, struct odp_slice uri, struct odp_slice accept)
{
    struct odp_entry e, chosen, again;
    bool varies;
    enum odp_route route = odp_control_route(c, uri, &e);
    (void)odp_control_needs_key(uri);
    ask(c, uri, accept);
    if (route != ODP_ROUTE_NONE) {
        check_entry(&e);
        NEED(e.cls != ODP_ENTRY_INTERNAL);
        NEED(e.path.ptr[e.path.len - 1] != '/' || e.state == ODP_ENTRY_WITHDRAWN ||
             e.state == ODP_ENTRY_MOVED);
        if (e.state == ODP_ENTRY_MOVED)
            check_moved(&e, uri, accept);
        NEED(route != ODP_ROUTE_OPEN || !odp_control_needs_key(uri));
        odp_control_negotiate(c, &e, accept, &chosen, &varies);
        check_entry(&chosen);
        NEED(chosen.cls == e.cls && (varies || chosen.path.ptr == e.path.ptr));
    }
    for (size_t i = 0; i < 16 && odp_control_line(c, i, &e); i++) {
        check_entry(&e);
        NEED(odp_control_find(c, e.path, &again) && again.path.ptr == e.path.ptr);
        odp_control_negotiate(c, &e, accept, &chosen, &varies);
        check_entry(&chosen);
    }
}

void fuzz_one(struct odp_slice in)
{
    struct odp_slice uri = fuzz_cut(&in, ODP_LIT("\0")), accept = fuzz_cut(&in, ODP_LIT("\0"));
    struct odp_control *c = NULL;
    const char *why = NULL, *folder = fuzz_folder("situs");
    fuzz_write(fuzz_path("situs/control"), in);
    (void)odp_lang_accept(accept);
    enum odp_status status = odp_control_open(&c, folder, &why);
    NEED(status == ODP_OK || (status == ODP_BAD && why != NULL));
    if (status == ODP_OK)
        look(c, uri, accept);
    odp_control_close(c);
}
