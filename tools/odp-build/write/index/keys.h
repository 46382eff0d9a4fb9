/* Inside of write/index: the keys of one index, gathered in any order and given back in that of the index.
 *
 * A key is bytes that compare like SQLite compares the values (BINARY collation, ascending): for each value null, number, text or blob, then the rowid, which
 * makes every key another one. They are gathered in a scratch file beside the index; sorted are pieces of it that memory holds, which are then merged. */
#ifndef ODP_WRITE_INDEX_KEYS_H
#define ODP_WRITE_INDEX_KEYS_H

#include "write/index/tree.h"

struct writer_value;
struct writer_keys;
/* PATH is the scratch file's; it loses its name at once. PIECE: bytes that are sorted at once; 0: 16 MiB. */
enum odp_status writer_keys_new(struct writer_keys **out, const char *path, size_t piece) ODP_MUST_USE;
void writer_keys_free(struct writer_keys *k); /* NULL is allowed */
/* The key of record ROWID: of VALUES those at COLUMNS, N of them. */
enum odp_status writer_keys_add(struct writer_keys *k, const struct writer_value *values, const uint32_t *columns, uint32_t n, int64_t rowid) ODP_MUST_USE;
/* How many keys differ in their first value, in the first two, … (of at most 64), in any. */
struct writer_keys_counts {
    uint64_t rows, different[64], any;
};
/* All keys in order, as records of an index in T, which has NVALUES values and the rowid. Once. */
enum odp_status writer_keys_write(struct writer_keys *k, uint32_t nvalues, struct tree *t, struct writer_keys_counts *out) ODP_MUST_USE;

#endif
