#include "write/index/varint.h"

size_t odp_varint_put_long(unsigned char *p, uint64_t v)
{
    unsigned char bytes[9];
    size_t n = 0;
    if (v >> 56 != 0) {
        p[8] = (unsigned char)v;
        v >>= 8;
        for (int k = 7; k >= 0; k--, v >>= 7)
            p[k] = (unsigned char)(v | 0x80);
        return 9;
    }
    for (; n == 0 || v != 0; v >>= 7)
        bytes[n++] = (unsigned char)(v & 0x7f);
    for (size_t k = 0; k < n; k++)
        p[k] = bytes[n - 1 - k] | (unsigned char)(k + 1 < n ? 0x80 : 0);
    return n;
}
