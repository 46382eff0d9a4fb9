/* record.cells: the values of a record as JSON texts, each with its length before it (LEB128: 7 bits a byte, the lowest first), in the order of the
 * columns. A value of length 0 is null. So every form is put together from bytes that were made when the index was. */
#ifndef ODP_CATALOG_INDEX_CELLS_H
#define ODP_CATALOG_INDEX_CELLS_H

#include "base/buffer.h"
#include "base/slice.h"

enum { ODP_CELLS_ROOM = 16 }; /* bytes that a value takes besides its text, at most: its length, quotes, and one more */
/* The length of a value that follows, at W; where it ends. */
static inline char *odp_cells_put_length(char *w, size_t len)
{
    for (; len >= 0x80; len >>= 7)
        *w++ = (char)((len & 0x7f) | 0x80);
    *w++ = (char)len;
    return w;
}
void odp_cells_add(struct odp_buffer *out, struct odp_slice json); /* ptr NULL: null */
/* Splits BYTES into at most N values (ptr NULL: null; values that are missing at the end are null, too). False: damaged. */
bool odp_cells_split(struct odp_slice bytes, struct odp_slice *out, uint32_t n);

#endif
