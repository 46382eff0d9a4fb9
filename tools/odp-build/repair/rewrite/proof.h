/* The proof of a CSV file that was written: the same reader as the check's must find exactly the cells that
 * were meant. */
#pragma once

#include "base/digest.h"
#include "read/csv/reader.h"

/* Cells as they are written. Zeroed; release in every case. */
struct odp_proof {
    struct odp_digest *digest; /* NULL: nothing is to be proved, cells are dropped */
    struct odp_buffer gathered;
    uint64_t records;
};
enum odp_status odp_proof_begin(struct odp_proof *p) ODP_MUST_USE;
void odp_proof_cell(struct odp_proof *p, struct odp_slice text);
enum odp_status odp_proof_record(struct odp_proof *p) ODP_MUST_USE; /* ends it */
enum odp_status odp_proof_end(struct odp_proof *p, uint8_t sha256[ODP_SHA256_SIZE]) ODP_MUST_USE;
void odp_proof_release(struct odp_proof *p);

/* Whether RULES frame the record as it was framed: else it is broken and has no cells. */
bool odp_proof_is_sound(const struct csv_rules *rules, struct odp_slice source);
/* Reads R's file at PATH (shown as FILE). OK: it has RECORDS, all sound, with cells of that digest; BAD: it
 * has others, or cannot be read; FAIL. */
enum odp_status odp_proof_read(const struct odp_resource *r, const char *path, const char *file,
                               uint64_t records, const uint8_t sha256[ODP_SHA256_SIZE]) ODP_MUST_USE;
