#include "read/kind.h"

#include <strings.h>

#include "base/json_load.h"
#include "base/path.h"

/* What names a kind: a format, a media type, the end of a path. */
static const struct {
    enum odp_source_form form;
    const char *format; /* also the path's extension */
    const char *mediatype;
} names[] = {
    {ODP_SOURCE_FORM_CSV, "csv", "text/csv"},
    {ODP_SOURCE_FORM_CSV, "tsv", "text/tab-separated-values"},
    {ODP_SOURCE_FORM_CSV, "txt", "text/plain"},
    {ODP_SOURCE_FORM_SHAPEFILE, "shp", "application/vnd.shp"},
    {ODP_SOURCE_FORM_SHAPEFILE, "zip", "application/zip"},
    {ODP_SOURCE_FORM_SHAPEFILE, "shapefile", "x-gis/x-shapefile"},
    {ODP_SOURCE_FORM_XLSX, "xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
    {ODP_SOURCE_FORM_XLSX, "xlsm", "application/vnd.ms-excel.sheet.macroEnabled.12"},
    {ODP_SOURCE_FORM_XLSX, "excel", "application/vnd.openxmlformats-officedocument.spreadsheetml.template"},
};

static enum odp_source_form by_name(const char *text, bool mediatype)
{
    for (size_t i = 0; i < ODP_COUNT(names); i++)
        if (strcasecmp(text, mediatype ? names[i].mediatype : names[i].format) == 0)
            return names[i].form;
    return ODP_SOURCE_FORM_NONE;
}

enum odp_source_form odp_source_form_named(const char *format)
{
    return by_name(format, false);
}

enum odp_source_form odp_source_form_of(const struct odp_resource *r)
{
    const char *media = r->json != NULL ? odp_json_text(r->json, "mediatype") : NULL;
    if (r->format != NULL)
        return by_name(r->format, false);
    if (media != NULL && by_name(media, true) != ODP_SOURCE_FORM_NONE)
        return by_name(media, true);
    const char *dot = r->path != NULL ? strrchr(r->path, '.') : NULL;
    return dot != NULL ? by_name(dot + 1, false) : ODP_SOURCE_FORM_NONE;
}

bool odp_source_may_be(const struct odp_resource *r, const char *path)
{
    const struct odp_dataset *d = r->dataset;
    size_t n = d != NULL && d->root != NULL ? strlen(d->dir) : 0;
    return n == 0 || strncmp(path, d->dir, n) != 0 || path[n] != '/' || odp_path_is_inside(d->root, path);
}
