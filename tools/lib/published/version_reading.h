/* The records of one published version, read from the form that tells most, each file checked against the
 * manifest. For differences of a build, odp-build diff and verify. */
#pragma once

#include "published/reading.h"
#include "published/site.h"

/* What to read: an item of "resources" in versions.json (history.h). */
struct odp_version_source {
    const struct odp_site *site;
    const json_t *resource;
    bool need_geometry; /* a form that carries the geometry whole comes before the others */
};
/* Opens the records of V. It prefers JSON, GeoJSON, CSV, then the API's pages. Every file is checked against
 * the manifest before it is read, and fetched if the site is sparse. BAD: a file is missing or has changed,
 * or no form can be read back (reported as ODP-V03). Close with odp_version_reading_close; paths live in A.
 */
enum odp_status odp_version_reading_open(struct odp_reading **out, struct odp_layout **layout,
                                         const struct odp_version_source *v, struct odp_arena *a,
                                         struct odp_diags *diags) ODP_MUST_USE;
void odp_version_reading_close(struct odp_reading *r, struct odp_layout *layout);

/* Whether some form of RESOURCE can be read back: an older version may have Excel and PDF alone. */
enum odp_status odp_version_is_readable(const struct odp_site *site, const json_t *resource,
                                        struct odp_arena *a, struct odp_diags *diags,
                                        bool *readable) ODP_MUST_USE;

/* Reports the fault of R (ODP-V03), which was opened for RESOURCE, if it has one. BAD, or FAIL. */
enum odp_status odp_version_reading_complain(const struct odp_reading *r, const struct odp_site *site,
                                             const json_t *resource, struct odp_diags *diags) ODP_MUST_USE;

/* Opens the schema alone. Close with odp_version_reading_close(NULL, layout). */
enum odp_status odp_version_layout_open(struct odp_layout **layout, const struct odp_site *site,
                                        const json_t *resource, struct odp_arena *a,
                                        struct odp_diags *diags) ODP_MUST_USE;

/* The path in the site of an address in versions.json ("../../data/…"), or NULL. Borrowed from URL. */
const char *odp_version_path(const char *url);
