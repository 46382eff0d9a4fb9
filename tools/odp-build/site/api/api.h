/* Documents that describe the API, made of what is published:
 *
 *   v1/openapi.json                           OpenAPI 3.1 of the whole API
 *   v1/events/index.json                      the kinds of messages to subscribers
 *   v1/events/<type>.json                     a JSON Schema 2020-12 of each
 *   v1/ogc/index.{json,html,en.html}          OGC API - Features: landing page (OGC 17-069r4, 7.2)
 *   v1/ogc/conformance.{json,html,en.html}    what holds, no more
 *   v1/ogc/functions.json                     what filters can call (OGC 21-065)
 *   v1/ogc/api.json                           OpenAPI 3.0 of it, with literal paths of each collection
 *   v1/ogc/collections.{json,html,en.html}
 *   v1/ogc/collections/<id>.{json,html,en.html}
 *   v1/ogc/collections/<id>/queryables.{json,html,en.html}, schema.json
 *
 * <id> is <slug>, or <slug>-<resource> of a further resource.
 *
 * The query engine answers items (/v1/ogc/collections/<id>/items). None of these needs a key: they are the
 * catalogue in another form. They are made of the index's entries, the published schemas and the list of
 * indexes, never of the catalogue's own fields, so a carried dataset is described as it is published. */
#pragma once

#include "site/versions/search.h"

struct odp_api;

/* LIST: the N resources that can be queried (site/versions/search.h), in the order of the entries. BAD: a
 * published schema has changed (reported). Close *OUT whatever is returned, before JOB's entries go. */
enum odp_status odp_api_documents(struct odp_api **out, const struct odp_site_job *job,
                                  const struct odp_search_listed *list, size_t n) ODP_MUST_USE;
void odp_api_close(struct odp_api *a); /* NULL is allowed */

/* ---- v1/openapi.json as it was just made, for pages: without reading all of it ---- */

/* What it has of the dataset SLUG alone, and what it has of none (SLUG NULL): "tags", "paths", "components".
 * NULL: FAIL. The caller's. */
json_t *odp_api_openapi(const struct odp_api *a, const char *slug);
/* The digest of what it is made of: ODP_SHA256_SIZE bytes, borrowed until the close. */
const uint8_t *odp_api_openapi_digest(const struct odp_api *a, const char *slug);
