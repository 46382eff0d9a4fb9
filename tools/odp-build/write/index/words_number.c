/* Numbers of the full-text tables, where they are long. */
#include "write/index/words_internal.h"

size_t words_get_long(const unsigned char *p, uint64_t *out)
{
    uint64_t v = 0;
    for (size_t k = 0; k < WORDS_VARINT - 1; k++) {
        v = v << 7 | (p[k] & 0x7f);
        if (p[k] < 0x80) {
            *out = v;
            return k + 1;
        }
    }
    *out = v << 8 | p[WORDS_VARINT - 1];
    return WORDS_VARINT;
}

void words_add_number(struct odp_buffer *out, uint64_t v)
{
    unsigned char bytes[WORDS_VARINT];
    odp_buffer_add(out, bytes, odp_varint_put(bytes, v));
}
