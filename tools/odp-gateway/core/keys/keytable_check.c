/* The whole table checked, also while a writer inserts: what was in it when the check began must be right. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/keys/keytable_internal.h"

#define WHY 160

/* Each slot leads to a record that is there, and no two to the same one. SEEN: a bit for each record. */
static bool slots_ok(const struct odp_keytable *t, uint64_t *seen, char why[WHY])
{
    for (uint64_t i = 0; i < t->nslots; i++) {
        uint32_t v = atomic_load_explicit(&t->slots[i], memory_order_acquire);
        if (v == 0)
            continue;
        uint32_t n = v - 1, count = table_count(t);
        if (n >= count) {
            (void)snprintf(why, WHY, "slot %" PRIu64 " leads beyond the %" PRIu32 " records", i, count);
            return false;
        }
        if ((seen[n / 64] >> (n % 64) & 1) != 0) {
            (void)snprintf(why, WHY, "two slots lead to record %" PRIu32, n);
            return false;
        }
        seen[n / 64] |= UINT64_C(1) << (n % 64);
    }
    return true;
}

static bool record_ok(const struct odp_keytable *t, uint32_t n, uint32_t count, bool slotted, char why[WHY])
{
    struct odp_key_record r;
    if (odp_keytable_at(t, n, &r) != ODP_OK) {
        (void)snprintf(why, WHY, "record %" PRIu32 " of %" PRIu32 " is damaged", n, count);
        return false;
    }
    /* The last record's slot may be under way, or its writer was killed: the next put mends it
     * (keytable_put.c). */
    if (!slotted && n + 1 < count) {
        (void)snprintf(why, WHY, "no slot leads to record %" PRIu32 " of %" PRIu32, n, count);
        return false;
    }
    if (slotted && odp_keytable_find(t, r.digest) != (int64_t)n) {
        (void)snprintf(why, WHY, "record %" PRIu32 " of %" PRIu32 " is not found by its digest", n, count);
        return false;
    }
    return true;
}

enum odp_status odp_keytable_check(const struct odp_keytable *t, char why[WHY])
{
    uint32_t count = table_count(t);
    struct odp_settings s;
    why[0] = '\0';
    odp_keytable_settings(t, &s);
    uint64_t *seen = calloc((size_t)t->capacity / 64 + 1, sizeof *seen);
    if (seen == NULL)
        return odp_failure_set("allocate memory for", "the key table", ENOMEM);
    bool ok = slots_ok(t, seen, why);
    for (uint32_t n = 0; n < count && ok; n++)
        ok = record_ok(t, n, count, (seen[n / 64] >> (n % 64) & 1) != 0, why);
    free(seen);
    return ok ? ODP_OK : ODP_BAD;
}
