/* The catalogue as the compiler sees it: portal, datasets, code lists, release history (model.h). Read and
 * checked once; every fault of it is a C diagnostic with file, line and column (exit code 2). Everything
 * lives in the catalogue's arena and is read-only after odp_catalog_open.
 *
 *   catalog/portal.json  catalog/changes.json  catalog/rules.json  catalog/theme.json
 * catalog/<slug>/dataset.json catalog/references/<list>/dataset.json
 *
 * A code list is a Data Package like a dataset; each of its resources is an edition, named by the edition
 * ("2025"). */
#pragma once

#include "catalog/model.h"
#include "base/nearest.h"

/* Reads DIR. Every fault goes to DIAGS. OK, BAD (faults; the catalogue holds what could be
 * understood, for further messages, and must not be built), FAIL. Release *OUT in every case but FAIL. */
enum odp_status odp_catalog_open(struct odp_catalog **out, const char *dir,
                                 struct odp_diags *diags) ODP_MUST_USE;
/* The same where DIR is one of our own making, of links to what somebody chose: they may lead anywhere. */
enum odp_status odp_catalog_open_links(struct odp_catalog **out, const char *dir,
                                       struct odp_diags *diags) ODP_MUST_USE;
void odp_catalog_close(struct odp_catalog *c);
/* True: NAME (not NULL) may name a resource; RESERVED: a dataset, too, whose addresses begin with it. */
bool odp_name_ok(const char *name, bool reserved);
/* Whether TEXT may be a portal's baseUrl. */
bool odp_base_url_ok(const char *text);
