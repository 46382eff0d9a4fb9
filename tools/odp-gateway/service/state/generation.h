/* The store's generation: a random number in its settings ("sync.generation"), which tells other machines
 * whose change numbers they have seen. Change numbers mean something within one generation only; a store put
 * back from a backup gets a new one. */
#pragma once

#include <sqlite3.h>
#include <stddef.h>

#include "base/status.h"

#define ODP_GENERATION 32 /* hex digits */

/* "": the store has none yet. */
enum odp_status odp_generation_read(sqlite3 *db, char out[ODP_GENERATION + 1]) ODP_MUST_USE;
/* Another one, which the store has from then on. */
enum odp_status odp_generation_new(sqlite3 *db, char out[ODP_GENERATION + 1]) ODP_MUST_USE;

/* For `promote` and `restore`, in the caller's transaction, while nothing else uses the store: it is a copy,
 * and other machines may know more than it does. Gives it a new generation, so that everything is sent anew,
 * and leaves a gap of ODP_GENERATION_GAP in the numbers of keys and changes, so that none is used twice. */
#define ODP_GENERATION_GAP 1000000
enum odp_status odp_generation_renew(sqlite3 *db) ODP_MUST_USE;
