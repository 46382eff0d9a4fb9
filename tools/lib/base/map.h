/* A hash table of texts (or any bytes): numbers them in order of arrival, from 0. What belongs to a key is in
 * an array of the caller's, by its number. Out of memory latches (arena.h). One thread at a time; several may
 * find while nobody puts. */
#pragma once

#include <stdint.h>

#include "base/arena.h"

#define ODP_MAP_NONE UINT32_MAX

struct odp_map_key;
struct odp_map {
    struct odp_arena keys, table;
    struct odp_map_key **slots; /* open addressing, at most half full */
    size_t cap;                 /* a power of two, or 0 */
    uint32_t n;
};

void odp_map_init(struct odp_map *m);
void odp_map_release(struct odp_map *m);
/* Empties, and keeps the memory. */
void odp_map_clear(struct odp_map *m);
/* The number of KEY; ODP_MAP_NONE: it is not there. */
uint32_t odp_map_find(const struct odp_map *m, struct odp_slice key);
/* The same, of a KEY that is put in (copied) where it is new; then *FRESH. */
uint32_t odp_map_put(struct odp_map *m, struct odp_slice key, bool *fresh);
/* The map's own copy of KEY, which is in it: borrowed until the map is cleared. */
struct odp_slice odp_map_copy(const struct odp_map *m, struct odp_slice key);
