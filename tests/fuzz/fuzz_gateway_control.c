/* Any bytes as a control file, an address and an Accept-Encoding, divided by NUL bytes: the address first, then the header,
 * then the file. Whatever they are, what comes back lies in the file, stays in the site, can stand in a header, and is never
 * internal. */
#include <stdlib.h>
#include <string.h>

#include "core/control.h"
#include "core/problem.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static struct odp_slice part(const uint8_t **data, size_t *size)
{
    const uint8_t *end = *size > 0 ? memchr(*data, 0, *size) : NULL;
    struct odp_slice s = {(const char *)*data, end != NULL ? (size_t)(end - *data) : *size};
    *data += s.len + (end != NULL);
    *size -= s.len + (end != NULL);
    return s;
}

static void check_text(struct odp_slice s)
{
    for (size_t i = 0; i < s.len; i++)
        require((unsigned char)s.ptr[i] >= 0x20 && s.ptr[i] != 0x7f);
}

static void check_entry(const struct odp_entry *e)
{
    const struct odp_slice texts[] = {e->path,          e->etag, e->type,    e->deprecation, e->sunset,
                                      e->cache_control, e->link, e->dataset, e->format};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check_text(texts[i]);
    require(e->path.len > 0 && e->path.ptr[0] != '/');
    char path[4096];
    if (e->path.len + 3 > sizeof path)
        return;
    path[0] = '/';
    memcpy(path + 1, e->path.ptr, e->path.len);
    strcpy(path + 1 + e->path.len, "/");
    require(strstr(path, "/../") == NULL && strstr(path, "/./") == NULL && strchr(path, '\\') == NULL);
}

/* Wherever it leads, it is below the new name on this host, and can stand in a header. RAW: any bytes. */
static void check_moved(const struct odp_entry *e, struct odp_slice uri, struct odp_slice raw)
{
    struct odp_buffer out;
    odp_buffer_init(&out);
    odp_control_moved(e, uri, raw, &out);
    require(odp_buffer_status(&out) == ODP_OK);
    size_t slash = uri.len > 4 && memcmp(uri.ptr, "/api/", 5) == 0 ? 5 : 1;
    size_t head = e->link.len - (e->link.ptr[e->link.len - 1] == '/' ? 1 : 5);
    require(out.len >= slash + head && memcmp(out.ptr + slash, e->link.ptr, head) == 0);
    require(out.len == slash + head || strchr("/.?", out.ptr[slash + head]) != NULL);
    for (size_t i = 0; i < out.len; i++)
        require(out.ptr[i] > 0x20 && out.ptr[i] != 0x7f);
    odp_buffer_release(&out);
}

static void look(const struct odp_control *c, struct odp_slice uri, struct odp_slice accept)
{
    struct odp_entry e, chosen, again;
    bool varies;
    enum odp_route route = odp_control_route(c, uri, &e);
    (void)odp_control_needs_key(uri);
    if (route != ODP_ROUTE_NONE) {
        check_entry(&e);
        require(e.cls != ODP_ENTRY_INTERNAL);
        require(e.path.ptr[e.path.len - 1] != '/' || e.state == ODP_ENTRY_WITHDRAWN || e.state == ODP_ENTRY_MOVED);
        if (e.state == ODP_ENTRY_MOVED)
            check_moved(&e, uri, accept);
        require(route != ODP_ROUTE_OPEN || !odp_control_needs_key(uri));
        odp_control_negotiate(c, &e, accept, &chosen, &varies);
        check_entry(&chosen);
        require(chosen.cls == e.cls && (varies || chosen.path.ptr == e.path.ptr));
    }
    for (size_t i = 0; i < 16 && odp_control_line(c, i, &e); i++) {
        check_entry(&e);
        require(odp_control_find(c, e.path, &again) && again.path.ptr == e.path.ptr);
        odp_control_negotiate(c, &e, accept, &chosen, &varies);
        check_entry(&chosen);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct odp_slice uri = part(&data, &size), accept = part(&data, &size);
    struct odp_control *c = NULL;
    char folder[512];
    const char *why = NULL, *path = fuzz_path("control"), *slash = strrchr(path, '/');
    require((size_t)(slash - path) < sizeof folder);
    memcpy(folder, path, (size_t)(slash - path));
    folder[slash - path] = '\0';
    fuzz_write(path, data, size);
    (void)odp_lang_accept(accept);
    enum odp_status status = odp_control_open(&c, folder, &why);
    require(status == ODP_OK || (status == ODP_BAD && why != NULL));
    if (status == ODP_OK)
        look(c, uri, accept);
    odp_control_close(c);
    return 0;
}
