/* Inside of write/index: SQLite's varints (https://www.sqlite.org/fileformat2.html, 1.6): seven bits a byte, the highest first; the ninth byte
 * has eight. */
#ifndef ODP_WRITE_INDEX_VARINT_H
#define ODP_WRITE_INDEX_VARINT_H

#include <stddef.h>
#include <stdint.h>

size_t odp_varint_put_long(unsigned char *p, uint64_t v);

/* V at P, which has room for nine bytes; how many it took. */
static inline size_t odp_varint_put(unsigned char *p, uint64_t v)
{
    if (v < 0x80) {
        p[0] = (unsigned char)v;
        return 1;
    }
    if (v < 0x4000) {
        p[0] = (unsigned char)(v >> 7 | 0x80);
        p[1] = (unsigned char)(v & 0x7f);
        return 2;
    }
    return odp_varint_put_long(p, v);
}

/* Takes a varint from the N bytes at P; how many bytes it has, 0: it does not end. */
static inline size_t odp_varint_take(const unsigned char *p, size_t n, uint64_t *out)
{
    uint64_t v = 0;
    if (n > 0 && p[0] < 0x80) {
        *out = p[0];
        return 1;
    }
    for (size_t k = 0; k < n && k < 9; k++) {
        v = k < 8 ? v << 7 | (p[k] & 0x7f) : v << 8 | p[k];
        if (k == 8 || (p[k] & 0x80) == 0) {
            *out = v;
            return k + 1;
        }
    }
    return 0;
}

#endif
