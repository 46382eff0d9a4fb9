/* Many bytes at a time.
 *
 * Results are bit masks: bit I of a uint64_t stands for byte I of 64. By single bytes `check` takes
 * 40 % more CPU.
 *
 *     uint64_t mask[ODP_BYTES_CHUNK / 64];
 *     odp_bytes_masks(p, n, ",\n", 2, mask);              -- long texts: all masks of a chunk by one call
 *     for (uint64_t m = mask[k]; m != 0; m &= m - 1)
 *         use(p + 64 * k + __builtin_ctzll(m));
 *
 * Nothing here reads a byte outside of the text it is given. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* A function with loops over many bytes or cells: compiled for any x86-64 and once more for those with AVX2
 * and BMI2 (of 2013 on), of which the loader takes the one that fits. Sanitizers and debuggers see one. With
 * SSE2 alone `check` takes 8 % more instructions. */
#if defined(__x86_64__) && defined(__OPTIMIZE__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define ODP_WIDE __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define ODP_WIDE
#endif

/* 32 bytes side by side: two registers of SSE2, or one of AVX2. */
typedef uint8_t odp_bytes32 __attribute__((vector_size(32)));

/* Bit I: the highest bit of byte I, which a comparison sets. */
static inline uint32_t odp_bytes32_bits(const odp_bytes32 *v)
{
#ifdef __SSE2__
    __m128i half[2];
    memcpy(half, v, sizeof half);
    return (uint32_t)_mm_movemask_epi8(half[0]) | (uint32_t)_mm_movemask_epi8(half[1]) << 16;
#else
    uint32_t bits = 0;
    for (unsigned i = 0; i < 32; i++)
        bits |= (uint32_t)((*v)[i] >> 7) << i;
    return bits;
#endif
}

enum {
    ODP_BYTES_CHUNK =
        4096, /* a good piece of text to make masks of at once: they stay in the first-level cache */
    ODP_BYTES_WANTED = 4 /* how many different bytes one mask finds at most */
};

/* Bit I of MASK[K] is set where byte 64 K + I of the N at P is one of the NWANTED (1 to 4) bytes in WANTED.
 * (N + 63) / 64 masks are written; bits after the text are 0. */
void odp_bytes_masks(const char *p, size_t n, const char *wanted, unsigned nwanted, uint64_t *mask);

/* ---- eight bytes in a register, inline: for cells, which are short ---- */

#define ODP_BYTES_ONES  0x0101010101010101u
#define ODP_BYTES_HIGHS 0x8080808080808080u

/* Byte 0 is the lowest one of the word, on every machine. */
static inline uint64_t odp_bytes_load8(const char *p)
{
    uint64_t w;
    memcpy(&w, p, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    w = __builtin_bswap64(w);
#endif
    return w;
}

/* N bytes, 0 to 8, with zeros after them. */
static inline uint64_t odp_bytes_load(const char *p, size_t n)
{
    if (n >= 8)
        return odp_bytes_load8(p);
    if (n >= 4) { /* two loads of four that may overlap */
        uint32_t low, high;
        memcpy(&low, p, 4);
        memcpy(&high, p + n - 4, 4);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        low = __builtin_bswap32(low);
        high = __builtin_bswap32(high);
#endif
        return low | (uint64_t)high << (8 * (n - 4));
    }
    if (n == 0)
        return 0;
    /* Of one, two or three bytes the first, the middle and the last, which may be the same. */
    return (unsigned char)p[0] | (uint64_t)(unsigned char)p[n / 2] << (8 * (n / 2)) |
           (uint64_t)(unsigned char)p[n - 1] << (8 * (n - 1));
}

/* The lowest N bits, 0 to 64. */
static inline uint64_t odp_bits_below(unsigned n)
{
    return n < 64 ? ((uint64_t)1 << n) - 1 : UINT64_MAX;
}

/* The values of eight digits: 0 to 9 each; a character that is no digit has a larger one. */
static inline uint64_t odp_bytes_values(uint64_t w)
{
    return w ^ '0' * ODP_BYTES_ONES;
}

/* All eight values are digits. */
static inline bool odp_bytes_are_digits(uint64_t values)
{
    /* A carry into the next byte comes from one that is too large itself. */
    return ((values | (values + (0x80 - 10) * ODP_BYTES_ONES)) & ODP_BYTES_HIGHS) == 0;
}

/* The number that eight values of digits are, the first one the highest. */
static inline uint32_t odp_bytes_number8(uint64_t values)
{
    uint64_t w = values * 2561 >> 8;               /* pairs: 10 a + b */
    w = (w & 0x00FF00FF00FF00FFu) * 6553601 >> 16; /* fours: 100 ab + cd */
    return (uint32_t)((w & 0x0000FFFF0000FFFFu) * 42949672960001u >> 32);
}

/* Bit I: an odd number of bits of W at or below I is set. Of quotes: from an opening one up to before its
 * closing one. */
static inline uint64_t odp_bits_inside(uint64_t w)
{
    w ^= w << 1;
    w ^= w << 2;
    w ^= w << 4;
    w ^= w << 8;
    w ^= w << 16;
    return w ^ w << 32;
}
