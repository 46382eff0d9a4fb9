/* Places by way of records: a table whose own records have no place, but a key to records that have one (a
 * risk leads to its project, the project to a regency; odp_place_through). By such a record's key, the
 * code of its place: filled while its table is read, which is before the tables that lead to it; read-only
 * then. */
#pragma once

#include "catalog/records/batch.h"

enum { ODP_ROW_PLACES_MAX = 1000000 }; /* kept of one table; of a larger one nothing is known */

struct odp_row_places;
/* For all tables of C that others reach their places through; in A. Free it before A. */
enum odp_status odp_row_places_new(struct odp_row_places **out, const struct odp_catalog *c,
                                   struct odp_arena *a) ODP_MUST_USE;
/* All of these allow NULL: then nothing is known. */
void odp_row_places_free(struct odp_row_places *p);
/* R is read from its start. */
void odp_row_places_begin(struct odp_row_places *p, const struct odp_resource *r);
/* The records of a batch; or one of R, FIELD by schema field (ptr NULL: null). Of other tables they are
 * passed over. */
enum odp_status odp_row_places_take(struct odp_row_places *p, const struct odp_batch *b) ODP_MUST_USE;
enum odp_status odp_row_places_add(struct odp_row_places *p, const struct odp_resource *r,
                                   const struct odp_slice *field) ODP_MUST_USE;
/* Whether all records that KEY leads to were kept. */
bool odp_row_places_whole(const struct odp_row_places *p, const struct odp_foreign_key *key);
/* The place of the record that VALUE leads to by KEY; ptr NULL: none. */
struct odp_slice odp_row_places_find(const struct odp_row_places *p, const struct odp_foreign_key *key,
                                     struct odp_slice value);
