/* A map from account numbers to numbers: open addressing, grows, one value may be asked for while another is
 * put. Key 0 is not allowed. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct odp_sync_map {
    struct odp_sync_pair {
        uint64_t key, value;
    } * slots;
    size_t cap, n; /* cap is 0 or a power of two */
};

void odp_sync_map_init(struct odp_sync_map *m);
void odp_sync_map_release(struct odp_sync_map *m);
enum odp_status odp_sync_map_put(struct odp_sync_map *m, uint64_t key, uint64_t value) ODP_MUST_USE;
bool odp_sync_map_get(const struct odp_sync_map *m, uint64_t key, uint64_t *value);
