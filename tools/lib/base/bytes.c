#include "base/bytes.h"

static inline uint64_t mask_block(const char *p, const uint8_t w[ODP_BYTES_WANTED])
{
    uint64_t mask = 0;
    for (unsigned i = 0; i < 64; i += 32) {
        odp_bytes32 v;
        memcpy(&v, p + i, sizeof v);
        odp_bytes32 hit = (odp_bytes32)((v == w[0]) | (v == w[1]) | (v == w[2]) | (v == w[3]));
        mask |= (uint64_t)odp_bytes32_bits(&hit) << i;
    }
    return mask;
}

ODP_WIDE void odp_bytes_masks(const char *p, size_t n, const char *wanted, unsigned nwanted, uint64_t *mask)
{
    uint8_t w[ODP_BYTES_WANTED];
    char rest[64] = {0};
    size_t blocks = n / 64;
    for (unsigned i = 0; i < ODP_BYTES_WANTED; i++)
        w[i] = (uint8_t)wanted[i < nwanted ? i : 0];
    for (size_t k = 0; k < blocks; k++)
        mask[k] = mask_block(p + 64 * k, w);
    if (n % 64 == 0)
        return;
    memcpy(rest, p + 64 * blocks, n % 64);
    mask[blocks] = mask_block(rest, w) & odp_bits_below((unsigned)(n % 64));
}
