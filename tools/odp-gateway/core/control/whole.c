/* A dataset or resource without parameters, in a form that is no page: the whole published file,
 * data/<slug>/latest/<slug>[-<resource>].<ext>. */
#include <stdio.h>

#include "base/format.h"
#include "core/accept.h"
#include "core/control/control_internal.h"

enum { EXTENSION_MAX = 16, PATH_MAX_HERE = 3 * CONTROL_NAME_MAX + EXTENSION_MAX + 32 };

/* A format's own file, not what else lies next to it (kumuh.map.geojson, kumuh.preview.json); .json is the
 * page. */
static bool names_format(struct odp_slice ext)
{
    return ext.len <= EXTENSION_MAX && odp_format_file_find(ext) != NULL && !odp_slice_is(ext, "json");
}

bool control_find_whole(const struct odp_control *c, struct odp_slice name, struct odp_slice ext,
                        struct odp_entry *e)
{
    char path[PATH_MAX_HERE];
    struct odp_slice slug = control_segment(name), resource = control_after(name, slug.len + 1);
    if (!names_format(ext) || slug.len > CONTROL_NAME_MAX || resource.len > CONTROL_NAME_MAX)
        return false;
    int n = snprintf(path, sizeof path, "data/%.*s/latest/%.*s%s%.*s.%.*s", (int)slug.len, slug.ptr,
                     (int)slug.len, slug.ptr, resource.len > 0 ? "-" : "", (int)resource.len, resource.ptr,
                     (int)ext.len, ext.ptr);
    return n > 0 && (size_t)n < sizeof path &&
           control_find_exact(c, (struct odp_slice){path, (size_t)n}, (struct odp_slice){"", 0}, e) &&
           e->cls != ODP_ENTRY_INTERNAL;
}

enum control_wanted control_form_wanted(struct odp_slice accept, struct odp_slice *ext)
{
    /* In the order in which the query engine likes them (service/queries/address.c). */
    static const struct {
        const char *type, *ext;
    } others[] = {{"application/geo+json", "geojson"}, {"text/csv", "csv"}, {"text/html", ""}};
    *ext = (struct odp_slice){"", 0};
    if (odp_accept_is_usual(accept))
        return CONTROL_WANTS_PAGE;
    int best = odp_accept_weight(accept, "application/json");
    enum control_wanted wanted = best > 0 ? CONTROL_WANTS_PAGE : CONTROL_WANTS_OTHER;
    for (size_t i = 0; i < ODP_COUNT(others); i++) {
        int q = odp_accept_weight(accept, others[i].type);
        if (q <= 0 || q <= best)
            continue;
        best = q;
        *ext = odp_slice_of(others[i].ext);
        wanted = ext->len > 0 ? CONTROL_WANTS_WHOLE : CONTROL_WANTS_OTHER;
    }
    return wanted;
}
