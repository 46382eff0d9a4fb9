/* Inside of write/index: keys in memory, put in order. */
#ifndef ODP_WRITE_INDEX_KEYS_SORT_H
#define ODP_WRITE_INDEX_KEYS_SORT_H

#include <stddef.h>
#include <stdint.h>

/* One of N bytes, AT bytes behind a base; while sorting, the eight bytes that are looked at. */
struct writer_key {
    uint64_t part;
    uint32_t at, n;
};
/* By their bytes. No key is a beginning of another one. SPARE: room for as many. */
void writer_keys_sort(const char *base, struct writer_key *keys, struct writer_key *spare, size_t n);

#endif
