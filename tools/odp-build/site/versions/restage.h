/* A new site made of the previous one, without its sources: what withdraw does. */
#ifndef ODP_SITE_VERSIONS_RESTAGE_H
#define ODP_SITE_VERSIONS_RESTAGE_H

#include "site/versions/release.h"

/* Carries over every file of PREVIOUS but those that are made anew with every site (manifest.json, control, gateway.json,
 * releases.log, v1/index.json, datapackage.json, and their twins) and those whose path begins with one of the N prefixes. A prefix
 * that names a file takes its twins along. What a sparse site does not hold stays absent. BAD: a file has changed (ODP-V03). */
enum odp_status odp_site_restage(struct odp_stage *s, const struct odp_site *previous, const char *const *except_prefixes, size_t n,
                                 struct odp_diags *diags) ODP_MUST_USE;

#endif
