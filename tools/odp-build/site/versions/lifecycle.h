/* Inside of site/versions: what control says of datasets, tables and addresses that are about to go or have gone elsewhere. */
#ifndef ODP_SITE_VERSIONS_LIFECYCLE_H
#define ODP_SITE_VERSIONS_LIFECYCLE_H

#include "site/versions/release.h"

/* The columns deprecation and sunset of PATH, a file of D (or NULL), each after a tab: "@<seconds>" (RFC 9745) and an HTTP date (RFC
 * 8594), both at 00:00 UTC of the day in the catalogue; "-". */
void odp_lifecycle_dates(struct odp_buffer *out, const struct odp_dataset *d, const char *path);
/* The column link, after a tab: Link values (RFC 8288) to what takes D's place, and to the schemas that say which fields will go; "-". */
void odp_lifecycle_link(struct odp_buffer *out, const struct odp_catalog *c, const struct odp_dataset *d);
/* "Sun, 01 Jun 2025 00:00:00 GMT" of "2025-06-01"; nothing (and false) when it is no date. */
bool odp_lifecycle_http_date(struct odp_buffer *out, const char *date);

/* An address of odp:formerSlugs: "v1/<old>.json", "v1/<old>/", "data/<old>/", and the same of the dataset as it is called now. */
struct odp_moved_path {
    const char *path, *to, *sunset; /* sunset: "YYYY-MM-DD" */
};
/* Of all datasets but drafts, in no order, in A. */
enum odp_status odp_lifecycle_moved(const struct odp_catalog *c, struct odp_moved_path **paths, size_t *n, struct odp_arena *a) ODP_MUST_USE;

#endif
