/* What machines say to each other through Redis, as text: one form each, read strictly. Anything else is
 * refused as a whole: what comes out of Redis may be old, cut, of a newer program, or somebody's joke.
 *
 *   key      1 CHANGE ID ACCOUNT UNTIL STATE TIER SHOWN DIGEST     the tier by name, the digest in 64 hex
 *            digits
 *   mark     EPOCH SEQ                                             16 hex digits, a number
 *            EPOCH SEQ GENERATION CHANGE WHOLE                     of keys: 32 hex digits, a number, 0 or 1
 *   counts   ACCOUNT                                               a field's name; its value is a count
 *   usage    TIER/DATASET/FORMAT                                   the same
 * Numbers are decimal without sign and leading zeros; one space between words. */
#pragma once

#include "base/buffer.h"
#include "core/keys/keytable.h"
#include "core/quota/meter.h"
#include "service/state/generation.h"

#define ODP_WIRE_GENERATION ODP_GENERATION
#define ODP_WIRE_ID         16
#define ODP_WIRE_MACHINE    80
#define ODP_COUNT_MAX       ((UINT64_C(1) << 40) - 1)

struct odp_wire_key {
    struct odp_key_record record; /* its tier is not set */
    char tier[ODP_TIER_NAME];
    uint64_t change;
};
void odp_wire_key_write(struct odp_buffer *out, uint64_t change, const struct odp_key_record *r,
                        const char *tier);
bool odp_wire_key_read(struct odp_slice s, struct odp_wire_key *out);

/* The mark of a feed (cluster_internal.h): which filling it is, and its newest number. Of keys also the
 * store's generation, the newest change in it, and whether it has all up to that. */
struct odp_wire_mark {
    char epoch[ODP_WIRE_ID + 1], generation[ODP_WIRE_GENERATION + 1];
    uint64_t seq, change;
    bool whole;
};
void odp_wire_mark_write(struct odp_buffer *out, const struct odp_wire_mark *m);
bool odp_wire_mark_read(struct odp_slice s, struct odp_wire_mark *out);
/* STATE/sync (identity.c). APPLIED: generation "" where nothing was applied. */
bool odp_wire_identity_read(struct odp_slice s, char id[ODP_WIRE_ID + 1], struct odp_wire_mark *applied);

bool odp_wire_number(struct odp_slice s, uint64_t max, uint64_t *out);
bool odp_wire_hex(struct odp_slice s, size_t digits);

void odp_wire_usage_write(struct odp_buffer *out, const struct odp_meter_usage *u);
bool odp_wire_usage_read(struct odp_slice name, struct odp_slice value,
                         struct odp_meter_usage *out); /* but the day */

/* A machine's name among the others, NAME~ID; OUT has ODP_WIRE_MACHINE bytes. Letters that a name cannot have
 * become '-'. */
void odp_wire_machine(char out[ODP_WIRE_MACHINE], const char *name, const char *id);
bool odp_wire_machine_ok(struct odp_slice s);
