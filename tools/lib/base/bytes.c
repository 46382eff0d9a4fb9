#include "base/bytes.h"

#ifdef __SSE2__
#include <emmintrin.h>

static uint64_t mask_block(const char *p, const char w[ODP_BYTES_WANTED])
{
    const __m128i a = _mm_set1_epi8(w[0]), b = _mm_set1_epi8(w[1]), c = _mm_set1_epi8(w[2]), d = _mm_set1_epi8(w[3]);
    uint64_t mask = 0;
    for (unsigned i = 0; i < 64; i += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(p + i));
        __m128i ab = _mm_or_si128(_mm_cmpeq_epi8(v, a), _mm_cmpeq_epi8(v, b));
        __m128i cd = _mm_or_si128(_mm_cmpeq_epi8(v, c), _mm_cmpeq_epi8(v, d));
        mask |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_or_si128(ab, cd)) << i;
    }
    return mask;
}
#else
static uint64_t mask_block(const char *p, const char w[ODP_BYTES_WANTED])
{
    uint64_t mask = 0;
    for (unsigned i = 0; i < 64; i += 8) {
        uint64_t v = odp_bytes_load8(p + i);
        uint64_t hit = odp_bytes_equal(v, w[0]) | odp_bytes_equal(v, w[1]) | odp_bytes_equal(v, w[2]) | odp_bytes_equal(v, w[3]);
        mask |= (((hit >> 7) * 0x0102040810204080u) >> 56) << i; /* bit 7 of each of eight bytes to eight bits */
    }
    return mask;
}
#endif

void odp_bytes_masks(const char *p, size_t n, const char *wanted, unsigned nwanted, uint64_t *mask)
{
    char w[ODP_BYTES_WANTED], rest[64] = {0};
    size_t blocks = n / 64;
    for (unsigned i = 0; i < ODP_BYTES_WANTED; i++)
        w[i] = wanted[i < nwanted ? i : 0];
    for (size_t k = 0; k < blocks; k++)
        mask[k] = mask_block(p + 64 * k, w);
    if (n % 64 == 0)
        return;
    memcpy(rest, p + 64 * blocks, n % 64);
    mask[blocks] = mask_block(rest, w) & odp_bits_below((unsigned)(n % 64));
}
