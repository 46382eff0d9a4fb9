/* What people read of a site: the portal's pages in both languages, and its assets.
 *
 * Made of the catalogue, the index's entries and the staged site alone, so equal sites have equal pages, and a dataset that is carried over looks
 * as it did. No clock: what is about to go stands there with its day as long as it is in the catalogue.
 *
 * A page is: data (JSON, one file a page) put into a template (templates/portal, or the catalogue's own templates/, which wins file by file). */
#ifndef ODP_SITE_PAGES_PORTAL_H
#define ODP_SITE_PAGES_PORTAL_H

#include "site/model/model.h"

/* Stages all of it. BAD: a fault of a template, of the theme, or a staged file that has changed (reported). */
enum odp_status odp_portal_pages(const struct odp_site_job *job) ODP_MUST_USE;

/* What can be said of templates, words, assets and theme before there is a site. BAD: faults (reported). */
enum odp_status odp_portal_check(const struct odp_catalog *c, struct odp_diags *diags) ODP_MUST_USE;

/* A digest of everything that pages are made of beside the site: templates, words, assets, the catalogue's templates/ and theme. For a build to know whether
 * it has anything to do. */
enum odp_status odp_portal_inputs(const struct odp_catalog *c, uint8_t out[ODP_SHA256_SIZE]) ODP_MUST_USE;

#endif
