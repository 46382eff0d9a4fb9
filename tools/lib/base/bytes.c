/* Each question is answered by one loop a form, over whole vectors; the rest of a text, less than 64 bytes, is copied into a block
 * of its own, so that no form needs a second loop and none reads beyond the text. */
#include "base/bytes.h"

#include <stdatomic.h>

#if defined(__x86_64__) && !defined(ODP_BYTES_ONLY_PLAIN)
#define VECTORS 1
#include <immintrin.h>
#define AVX2 __attribute__((target("avx2")))
#define AVX2_BITS __attribute__((target("avx2,bmi,popcnt")))
#else
#define VECTORS 0
#endif

/* 0: not looked yet; else the form + 1. Whoever comes first finds the same. */
static _Atomic int chosen;

static enum odp_bytes_form best(void)
{
#if VECTORS
    /* Every x86-64 has SSE2; what has AVX2 has the others, too, unless somebody has switched them off. */
    bool all = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("popcnt");
    return all ? ODP_BYTES_AVX2 : ODP_BYTES_SSE2;
#else
    return ODP_BYTES_PLAIN;
#endif
}

enum odp_bytes_form odp_bytes_limit(enum odp_bytes_form most)
{
    enum odp_bytes_form form = best() < most ? best() : most;
    atomic_store_explicit(&chosen, (int)form + 1, memory_order_relaxed);
    return form;
}

enum odp_bytes_form odp_bytes_form(void)
{
    int form = atomic_load_explicit(&chosen, memory_order_relaxed);
    return form != 0 ? (enum odp_bytes_form)(form - 1) : odp_bytes_limit(ODP_BYTES_AVX2);
}

/* ---- plain C ---------------------------------------------------------------------------------------------------------- */

/* Bit 7 of each of eight bytes to the lowest eight bits. */
static uint64_t gather(uint64_t highs)
{
    return ((highs >> 7) * 0x0102040810204080u) >> 56;
}

static uint64_t block_plain(const char *p, const char w[ODP_BYTES_WANTED])
{
    uint64_t mask = 0;
    for (unsigned i = 0; i < 64; i += 8) {
        uint64_t v = odp_bytes_load8(p + i);
        uint64_t hit = odp_bytes_equal(v, w[0]) | odp_bytes_equal(v, w[1]) | odp_bytes_equal(v, w[2]) | odp_bytes_equal(v, w[3]);
        mask |= gather(hit) << i;
    }
    return mask;
}

static void masks_plain(const char *p, size_t blocks, const char w[ODP_BYTES_WANTED], uint64_t *mask)
{
    for (size_t k = 0; k < blocks; k++)
        mask[k] = block_plain(p + 64 * k, w);
}

/* The places that BLOCKS masks stand for, from BASE on; *DONE: masks taken, fewer where there is no room for the next one's. */
static size_t places_plain(const uint64_t *mask, size_t blocks, uint32_t base, uint32_t *place, size_t cap, size_t *done)
{
    size_t count = 0, k = 0;
    for (; k < blocks && (size_t)__builtin_popcountll(mask[k]) <= cap - count; k++)
        for (uint64_t bits = mask[k]; bits != 0; bits &= bits - 1)
            place[count++] = base + (uint32_t)(64 * k) + (uint32_t)__builtin_ctzll(bits);
    *done = k;
    return count;
}

static size_t ascii_plain(const char *p, size_t n)
{
    size_t i = 0;
    while (n - i >= 8 && (odp_bytes_load8(p + i) & ODP_BYTES_HIGHS) == 0)
        i += 8;
    while (i < n && (p[i] & 0x80) == 0)
        i++;
    return i;
}

static size_t until_plain(const char *p, size_t n, const struct odp_byteset *s)
{
    size_t i = 0;
    while (i < n && !odp_byteset_has(s, p[i]))
        i++;
    return i;
}

/* ---- vectors ---------------------------------------------------------------------------------------------------------- */

#if VECTORS
static uint64_t bits16(__m128i v)
{
    return (uint64_t)(uint32_t)_mm_movemask_epi8(v);
}

static __m128i load16(const char *p)
{
    return _mm_loadu_si128((const __m128i *)(const void *)p);
}

static void masks_sse2(const char *p, size_t blocks, const char w[ODP_BYTES_WANTED], uint64_t *mask)
{
    const __m128i a = _mm_set1_epi8(w[0]), b = _mm_set1_epi8(w[1]), c = _mm_set1_epi8(w[2]), d = _mm_set1_epi8(w[3]);
    for (size_t k = 0; k < blocks; k++) {
        mask[k] = 0;
        for (unsigned i = 0; i < 64; i += 16) {
            __m128i v = load16(p + 64 * k + i);
            __m128i ab = _mm_or_si128(_mm_cmpeq_epi8(v, a), _mm_cmpeq_epi8(v, b));
            __m128i cd = _mm_or_si128(_mm_cmpeq_epi8(v, c), _mm_cmpeq_epi8(v, d));
            mask[k] |= bits16(_mm_or_si128(ab, cd)) << i;
        }
    }
}

static size_t ascii_sse2(const char *p, size_t n)
{
    size_t i = 0;
    for (; n - i >= 16; i += 16) {
        uint64_t high = bits16(load16(p + i));
        if (high != 0)
            return i + (size_t)__builtin_ctzll(high);
    }
    return i + ascii_plain(p + i, n - i);
}

AVX2 static uint64_t bits32(__m256i v)
{
    return (uint32_t)_mm256_movemask_epi8(v);
}

AVX2 static __m256i load32(const char *p)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)p);
}

AVX2 static void mask1_avx2(const char *p, size_t blocks, char w, uint64_t *mask)
{
    const __m256i a = _mm256_set1_epi8(w);
    for (size_t k = 0; k < blocks; k++, p += 64)
        mask[k] = bits32(_mm256_cmpeq_epi8(load32(p), a)) | bits32(_mm256_cmpeq_epi8(load32(p + 32), a)) << 32;
}

AVX2 static void masks_avx2(const char *p, size_t blocks, const char w[ODP_BYTES_WANTED], uint64_t *mask)
{
    const __m256i a = _mm256_set1_epi8(w[0]), b = _mm256_set1_epi8(w[1]), c = _mm256_set1_epi8(w[2]), d = _mm256_set1_epi8(w[3]);
    for (size_t k = 0; k < blocks; k++) {
        uint64_t half[2];
        for (unsigned i = 0; i < 2; i++) {
            __m256i v = load32(p + 64 * k + 32 * i);
            __m256i ab = _mm256_or_si256(_mm256_cmpeq_epi8(v, a), _mm256_cmpeq_epi8(v, b));
            __m256i cd = _mm256_or_si256(_mm256_cmpeq_epi8(v, c), _mm256_cmpeq_epi8(v, d));
            half[i] = bits32(_mm256_or_si256(ab, cd));
        }
        mask[k] = half[0] | half[1] << 32;
    }
}

AVX2 static size_t ascii_avx2(const char *p, size_t n)
{
    size_t i = 0;
    for (; n - i >= 128; i += 128) {
        __m256i v = _mm256_or_si256(_mm256_or_si256(load32(p + i), load32(p + i + 32)),
                                    _mm256_or_si256(load32(p + i + 64), load32(p + i + 96)));
        if (_mm256_movemask_epi8(v) != 0)
            break;
    }
    return i + ascii_sse2(p + i, n - i);
}

/* Four at a time: how often the inner loop goes round can be foretold better. What is written behind the last one is written over. */
AVX2_BITS static size_t places_avx2(const uint64_t *mask, size_t blocks, uint32_t base, uint32_t *place, size_t cap, size_t *done)
{
    size_t count = 0, k = 0;
    for (; k < blocks; k++, base += 64) {
        uint64_t bits = mask[k];
        size_t n = (size_t)__builtin_popcountll(bits);
        if (n > cap - count)
            break;
        for (uint32_t *out = place + count; bits != 0; out += 4)
            for (int i = 0; i < 4; i++, bits = _blsr_u64(bits))
                out[i] = base + (uint32_t)_tzcnt_u64(bits);
        count += n;
    }
    *done = k;
    return count;
}

/* Bytes of V that are in the set: the row by the low half, in it the bit by the high half. */
AVX2 static uint64_t in_set16(__m128i v, __m128i low_rows, __m128i high_rows)
{
    const __m128i half = _mm_set1_epi8(0x0F), bit = _mm_setr_epi8(1, 2, 4, 8, 16, 32, 64, -128, 1, 2, 4, 8, 16, 32, 64, -128);
    __m128i low = _mm_and_si128(v, half), high = _mm_and_si128(_mm_srli_epi16(v, 4), half);
    __m128i row = _mm_blendv_epi8(_mm_shuffle_epi8(low_rows, low), _mm_shuffle_epi8(high_rows, low), v);
    __m128i hit = _mm_and_si128(row, _mm_shuffle_epi8(bit, high));
    return bits16(_mm_cmpeq_epi8(hit, _mm_setzero_si128())) ^ 0xFFFF;
}

AVX2 static size_t until_avx2(const char *p, size_t n, const struct odp_byteset *s)
{
    if (n < 16)
        return until_plain(p, n, s);
    const __m128i low = load16((const char *)s->rows[0]), high = load16((const char *)s->rows[1]);
    uint64_t hit;
    size_t i = 0;
    for (; n - i > 16; i += 16)
        if ((hit = in_set16(load16(p + i), low, high)) != 0)
            return i + (size_t)__builtin_ctzll(hit);
    /* The last sixteen; some may have been looked at already, and are none. */
    hit = in_set16(load16(p + n - 16), low, high);
    return hit != 0 ? n - 16 + (size_t)__builtin_ctzll(hit) : n;
}
#endif

/* ---- choosing --------------------------------------------------------------------------------------------------------- */

static void masks_of_blocks(const char *p, size_t blocks, const char w[ODP_BYTES_WANTED], bool one, uint64_t *mask)
{
    (void)one;
    switch (odp_bytes_form()) {
#if VECTORS
    case ODP_BYTES_AVX2:
        if (one)
            mask1_avx2(p, blocks, w[0], mask);
        else
            masks_avx2(p, blocks, w, mask);
        return;
    case ODP_BYTES_SSE2:
        masks_sse2(p, blocks, w, mask);
        return;
#endif
    default:
        masks_plain(p, blocks, w, mask);
    }
}

void odp_bytes_masks(const char *p, size_t n, const char *wanted, unsigned nwanted, uint64_t *mask)
{
    char w[ODP_BYTES_WANTED], rest[64];
    size_t blocks = n / 64;
    for (unsigned i = 0; i < ODP_BYTES_WANTED; i++)
        w[i] = wanted[i < nwanted ? i : 0];
    masks_of_blocks(p, blocks, w, nwanted == 1, mask);
    if (n % 64 == 0)
        return;
    memset(rest, 0, sizeof rest);
    memcpy(rest, p + 64 * blocks, n % 64);
    masks_of_blocks(rest, 1, w, nwanted == 1, mask + blocks);
    mask[blocks] &= odp_bits_below((unsigned)(n % 64));
}

size_t odp_bytes_places(const char *p, size_t n, char c, uint32_t *place, size_t cap, size_t *looked)
{
    uint64_t mask[ODP_BYTES_CHUNK / 64];
    size_t count = 0, at = 0, done, blocks = 0;
    for (done = 0; at < n && done == blocks; at += 64 * done) {
        size_t part = n - at < ODP_BYTES_CHUNK ? n - at : ODP_BYTES_CHUNK;
        blocks = (part + 63) / 64;
        odp_bytes_masks(p + at, part, &c, 1, mask);
#if VECTORS
        if (odp_bytes_form() == ODP_BYTES_AVX2)
            count += places_avx2(mask, blocks, (uint32_t)at, place + count, cap - count, &done);
        else
#endif
            count += places_plain(mask, blocks, (uint32_t)at, place + count, cap - count, &done);
    }
    *looked = at < n ? at : n;
    return count;
}

size_t odp_bytes_count(const char *p, size_t n, char c)
{
    uint64_t mask[ODP_BYTES_CHUNK / 64];
    size_t count = 0;
    while (n > 0) {
        size_t part = n < ODP_BYTES_CHUNK ? n : ODP_BYTES_CHUNK;
        odp_bytes_masks(p, part, &c, 1, mask);
        for (size_t k = 0; k < (part + 63) / 64; k++)
            count += (size_t)__builtin_popcountll(mask[k]);
        p += part;
        n -= part;
    }
    return count;
}

size_t odp_bytes_ascii(const char *p, size_t n)
{
    switch (odp_bytes_form()) {
#if VECTORS
    case ODP_BYTES_AVX2:
        return ascii_avx2(p, n);
    case ODP_BYTES_SSE2:
        return ascii_sse2(p, n);
#endif
    default:
        return ascii_plain(p, n);
    }
}

void odp_byteset_clear(struct odp_byteset *s)
{
    memset(s, 0, sizeof *s);
}

void odp_byteset_add(struct odp_byteset *s, unsigned char first, unsigned char last)
{
    for (unsigned b = first; b <= last; b++)
        s->rows[b >> 7][b & 15] |= (uint8_t)(1u << (b >> 4 & 7));
}

size_t odp_bytes_until(const char *p, size_t n, const struct odp_byteset *s)
{
#if VECTORS
    if (odp_bytes_form() == ODP_BYTES_AVX2)
        return until_avx2(p, n, s);
#endif
    return until_plain(p, n, s);
}
