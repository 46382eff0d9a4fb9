/* A published version read back: which of its files tells most, and whether it is what the manifest says. For
 * differences of a build, odp-build diff and verify. */
#pragma once

#include "published/reading.h"
#include "published/site.h"

/* Opens the records of one resource of one version. RESOURCE is an item of "resources" in versions.json
 * (history.h). The form is, of what there is: JSON, GeoJSON, CSV, the API's pages; a form that does not carry
 * the geometry whole comes after all that do, when the resource has a geometry and NEED_GEOMETRY. Every file
 * is checked against the manifest before it is read, and fetched where a sparse site has it elsewhere. BAD: a
 * file is missing or has changed, or nothing can be read back (all reported as ODP-V03). Give both back with
 * odp_version_reading_close; paths live in A. */
enum odp_status odp_version_reading_open(struct odp_reading **out, struct odp_layout **layout,
                                         const struct odp_site *site, const json_t *resource,
                                         bool need_geometry, struct odp_arena *a,
                                         struct odp_diags *diags) ODP_MUST_USE;
void odp_version_reading_close(struct odp_reading *r, struct odp_layout *layout);

/* Whether any form of RESOURCE is there that can be read back: a version that is not the current one may be
 * left with Excel and PDF. */
enum odp_status odp_version_is_readable(const struct odp_site *site, const json_t *resource,
                                        struct odp_arena *a, struct odp_diags *diags,
                                        bool *readable) ODP_MUST_USE;

/* Reports (ODP-V03) what odp_reading_fault says of R, which was opened for RESOURCE; nothing where it says
 * nothing. BAD, or FAIL. */
enum odp_status odp_version_reading_complain(const struct odp_reading *r, const struct odp_site *site,
                                             const json_t *resource, struct odp_diags *diags) ODP_MUST_USE;

/* Only the schema. Release with odp_version_reading_close(NULL, layout). */
enum odp_status odp_version_layout_open(struct odp_layout **layout, const struct odp_site *site,
                                        const json_t *resource, struct odp_arena *a,
                                        struct odp_diags *diags) ODP_MUST_USE;

/* The site's path of an address in versions.json ("../../data/…"), or NULL: it does not lead there. Borrowed
 * from URL. */
const char *odp_version_path(const char *url);
