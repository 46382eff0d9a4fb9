/* Inside of site/versions: what control, the manifest, search and the index tell each other. */
#pragma once

#include "site/versions/names.h"
#include "site/versions/release.h"

/* datapackage.json, made from the entries of the index. */
enum odp_status odp_release_package(struct odp_stage *s, const struct odp_catalog *c,
                                    const json_t *entries) ODP_MUST_USE;

/* A path of control without a file; one that ends in '/' stands for everything below it. */
struct odp_gone_path {
    const char *path;
    const char *slug;        /* of the dataset that it was of */
    const char *to, *sunset; /* of an address that leads elsewhere: where to, "YYYY-MM-DD"; else NULL */
};
struct odp_gone {
    struct odp_gone_path *paths; /* in no order, from malloc */
    size_t n, cap;
    struct odp_arena *arena;
};
/* Strings are in the arena. */
void odp_gone_add(struct odp_gone *g, struct odp_gone_path path);

/* ---- tombstone.c ---- */

/* What answers 410 for ever, told from the tombstones of the staged versions.json files: for each withdrawn
 * version its folder and its pages; and where the newest version was withdrawn and no other has taken its
 * place, the API's and latest/'s addresses too. */
enum odp_status odp_gone_tombstones(struct odp_gone *g, const struct odp_stage *s) ODP_MUST_USE;

/* ---- lifecycle.c: what control says of datasets, tables and addresses that are about to go or have gone
 * elsewhere ---- */

/* The columns deprecation and sunset of PATH, a file of D (or NULL), each after a tab: "@<seconds>" (RFC
 * 9745) and an HTTP date (RFC 8594), both at 00:00 UTC of the day in the catalogue; "-". */
void odp_lifecycle_dates(struct odp_buffer *out, const struct odp_dataset *d, const char *path);
/* The column link, after a tab: Link values (RFC 8288) to what takes D's place, and to the schemas that say
 * which fields will go; "-". */
void odp_lifecycle_link(struct odp_buffer *out, const struct odp_catalog *c, const struct odp_dataset *d);
/* "Sun, 01 Jun 2025 00:00:00 GMT" of "2025-06-01"; nothing (and false) when it is no date. */
bool odp_lifecycle_http_date(struct odp_buffer *out, const char *date);
/* The addresses of withdrawn datasets, and of odp:formerSlugs: "v1/<old>.json", "v1/<old>/", "data/<old>/".
 */
void odp_gone_datasets(struct odp_gone *g, const struct odp_catalog *c);
