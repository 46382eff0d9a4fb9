/* What people read of a site: the portal's pages in both languages, and its assets.
 *
 * Made of the catalogue, the index's entries and the staged site alone, so equal sites have equal pages, and
 * a dataset that is carried over looks as it did. No clock: what is about to go stands there with its day as
 * long as it is in the catalogue.
 *
 * A page is: data (JSON, one file a page) put into a template (templates/portal, or the catalogue's own
 * templates/, which wins file by file). */
#pragma once

#include "site/model/model.h"

/* Stages all of it. BAD: a fault of a template, of the theme, or a staged file that has changed (reported).
 */
enum odp_status odp_portal_pages(const struct odp_site_job *job) ODP_MUST_USE;

/* A digest of everything that pages are made of beside the site: templates, words, assets, the catalogue's
 * templates/ and theme. For a build to know whether it has anything to do. */
enum odp_status odp_portal_inputs(const struct odp_catalog *c, uint8_t out[ODP_SHA256_SIZE]) ODP_MUST_USE;

/* Templates, words, assets and theme, opened once a run: what can be said of them is said before there is a
 * site. PROVEN: the build before has found the same ones right, and pages are compiled when they are made.
 * BAD: faults (reported). *OUT is to be closed whatever comes of it, and makes pages for one thread at a
 * time. */
struct odp_portal_frame;
enum odp_status odp_portal_frame_open(struct odp_portal_frame **out, const struct odp_catalog *c, bool proven,
                                      struct odp_diags *diags) ODP_MUST_USE;
void odp_portal_frame_close(struct odp_portal_frame *f); /* NULL is allowed */
/* The page of the differences that DATA describes (model/changes.json), appended to OUT. It is made before
 * the others and outlives the build, so its style sheet has an address that stays. FRAME is a struct
 * odp_portal_frame. */
enum odp_status odp_portal_frame_changes(void *frame, const json_t *data,
                                         struct odp_buffer *out) ODP_MUST_USE;
