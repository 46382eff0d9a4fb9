/* UTF-8 by the table of RFC 3629, section 4 (Unicode, table 3-7). Text is checked 32 bytes at a time where the CPU has AVX2; pure ASCII
 * goes sixteen or eight bytes at a time elsewhere. Where bytes are wrong `sequence` alone says so. */
#include "base/utf8.h"

#include "base/bytes.h"

#if defined(__x86_64__) && !defined(ODP_BYTES_ONLY_PLAIN)
#define VECTORS 1
#include <immintrin.h>
#define AVX2 __attribute__((target("avx2")))
#else
#define VECTORS 0
#endif

#define HIGH_BITS ODP_BYTES_HIGHS

static uint64_t load8(const char *p)
{
    uint64_t w;
    memcpy(&w, p, sizeof w);
    return w;
}

static bool is_tail(unsigned char c)
{
    return (c & 0xC0) == 0x80;
}

/* Length of the well-formed sequence at P of at most N bytes, 0 when there is none. */
static size_t sequence(const unsigned char *p, size_t n)
{
    unsigned char a = p[0];
    if (a < 0x80)
        return 1;
    if (a < 0xC2 || n < 2)
        return 0;
    if (a < 0xE0)
        return is_tail(p[1]) ? 2 : 0;
    if (a < 0xF0) {
        unsigned char low = a == 0xE0 ? 0xA0 : 0x80, high = a == 0xED ? 0x9F : 0xBF; /* overlong; surrogates */
        return n >= 3 && p[1] >= low && p[1] <= high && is_tail(p[2]) ? 3 : 0;
    }
    if (a < 0xF5) {
        unsigned char low = a == 0xF0 ? 0x90 : 0x80, high = a == 0xF4 ? 0x8F : 0xBF; /* overlong; above U+10FFFF */
        return n >= 4 && p[1] >= low && p[1] <= high && is_tail(p[2]) && is_tail(p[3]) ? 4 : 0;
    }
    return 0;
}

#if VECTORS
/* What may be wrong with a byte and the one before it. A pair is wrong in a way whose bit all three have: the high half of the byte
 * before, its low half, and the high half of the byte itself (J. Keiser, D. Lemire: Validating UTF-8 In Less Than One Instruction
 * Per Byte). TWO_TAILS alone is right where a sequence of three or four bytes goes on. */
enum {
    TOO_SHORT = 1 << 0, /* a lead byte, then no tail */
    TOO_LONG = 1 << 1,  /* ASCII, then a tail */
    OVERLONG_2 = 1 << 2, /* C0, C1 */
    OVERLONG_3 = 1 << 3, /* E0, then less than A0 */
    SURROGATE = 1 << 4,  /* ED, then A0 and more */
    WRONG_4_8 = 1 << 5,  /* F0 or F5 and above, then 8x: overlong, or above U+10FFFF */
    WRONG_4_9 = 1 << 6,  /* F4 and above, then 9x, Ax, Bx */
    TWO_TAILS = 1 << 7,
    EVERY_LOW = TOO_SHORT | TOO_LONG | TWO_TAILS /* whatever the low half is */
};

AVX2 static __m256i table(const uint8_t t[16])
{
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)t));
}

AVX2 static __m256i high_half(__m256i v)
{
    return _mm256_and_si256(_mm256_srli_epi16(v, 4), _mm256_set1_epi8(0x0F));
}

/* The N-th bytes before those of V; BEFORE is the vector before it. */
#define BEFORE_BY(v, across, n) _mm256_alignr_epi8((v), (across), 16 - (n))

/* Not zero in the bytes of V that cannot stand where they do. */
AVX2 static __m256i wrong(__m256i v, __m256i before)
{
    static const uint8_t lead_high[16] = {
        TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TWO_TAILS, TWO_TAILS, TWO_TAILS, TWO_TAILS,
        TOO_SHORT | OVERLONG_2, TOO_SHORT, TOO_SHORT | OVERLONG_3 | SURROGATE, TOO_SHORT | WRONG_4_8 | WRONG_4_9};
    static const uint8_t lead_low[16] = {
        EVERY_LOW | OVERLONG_2 | OVERLONG_3 | WRONG_4_8, EVERY_LOW | OVERLONG_2, EVERY_LOW, EVERY_LOW, EVERY_LOW | WRONG_4_9,
        EVERY_LOW | WRONG_4_8 | WRONG_4_9, EVERY_LOW | WRONG_4_8 | WRONG_4_9, EVERY_LOW | WRONG_4_8 | WRONG_4_9,
        EVERY_LOW | WRONG_4_8 | WRONG_4_9, EVERY_LOW | WRONG_4_8 | WRONG_4_9, EVERY_LOW | WRONG_4_8 | WRONG_4_9,
        EVERY_LOW | WRONG_4_8 | WRONG_4_9, EVERY_LOW | WRONG_4_8 | WRONG_4_9, EVERY_LOW | SURROGATE | WRONG_4_8 | WRONG_4_9,
        EVERY_LOW | WRONG_4_8 | WRONG_4_9, EVERY_LOW | WRONG_4_8 | WRONG_4_9};
    enum { TAIL = TOO_LONG | OVERLONG_2 | TWO_TAILS }; /* of every tail */
    static const uint8_t own_high[16] = {TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT,
                                         TAIL | OVERLONG_3 | WRONG_4_8, TAIL | OVERLONG_3 | WRONG_4_9, TAIL | SURROGATE | WRONG_4_9,
                                         TAIL | SURROGATE | WRONG_4_9, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT};
    const __m256i across = _mm256_permute2x128_si256(before, v, 0x21); /* the upper half of BEFORE, the lower one of V */
    const __m256i one = BEFORE_BY(v, across, 1), two = BEFORE_BY(v, across, 2), three = BEFORE_BY(v, across, 3);
    __m256i pair = _mm256_and_si256(_mm256_shuffle_epi8(table(lead_high), high_half(one)),
                                    _mm256_shuffle_epi8(table(lead_low), _mm256_and_si256(one, _mm256_set1_epi8(0x0F))));
    pair = _mm256_and_si256(pair, _mm256_shuffle_epi8(table(own_high), high_half(v)));
    /* Bit 7 where a third or fourth byte must stand: two behind Ex or Fx, three behind Fx. */
    __m256i third = _mm256_subs_epu8(two, _mm256_set1_epi8((char)(0xE0 - 0x80))), fourth = _mm256_subs_epu8(three, _mm256_set1_epi8((char)(0xF0 - 0x80)));
    __m256i due = _mm256_and_si256(_mm256_or_si256(third, fourth), _mm256_set1_epi8((char)0x80));
    return _mm256_xor_si256(pair, due);
}

/* A place up to which the text is well-formed, near its end or near the first wrong byte. */
AVX2 static size_t valid_avx2(const char *p, size_t n)
{
    __m256i before = _mm256_setzero_si256();
    size_t i = 0;
    bool plain = true; /* the bytes before I are ASCII, or there are none */
    while (n - i >= 32) {
        if (plain) { /* far in one go */
            size_t ascii = odp_bytes_ascii(p + i, n - i) / 32 * 32;
            i += ascii;
            before = _mm256_setzero_si256();
            if (n - i < 32)
                break;
        }
        __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(p + i)), bad = wrong(v, before);
        if (!_mm256_testz_si256(bad, bad))
            break;
        plain = _mm256_movemask_epi8(v) == 0;
        before = v;
        i += 32;
    }
    /* The last sequence may go on behind I. */
    size_t back = i;
    while (back > 0 && i - back < 3 && is_tail((unsigned char)p[back - 1]))
        back--;
    if (back > 0 && (unsigned char)p[back - 1] >= 0xC0)
        back--;
    else
        back = i;
    return back;
}
#endif

size_t odp_utf8_valid(struct odp_slice s)
{
    size_t i = 0;
#if VECTORS
    if (s.len >= 64 && odp_bytes_form() == ODP_BYTES_AVX2)
        i = valid_avx2(s.ptr, s.len);
#endif
    while (i < s.len) {
        while (s.len - i >= 8 && (load8(s.ptr + i) & HIGH_BITS) == 0)
            i += 8;
        if (i == s.len)
            break;
        size_t n = sequence((const unsigned char *)s.ptr + i, s.len - i);
        if (n == 0)
            return i;
        i += n;
    }
    return i;
}

size_t odp_utf8_count(struct odp_slice s)
{
    size_t tails = 0, i = 0;
    for (; s.len - i >= 8; i += 8) {
        uint64_t w = load8(s.ptr + i);
        w &= HIGH_BITS & ~(w << 1); /* bit 7 set and bit 6 clear: a continuation byte */
        tails += (size_t)__builtin_popcountll(w);
    }
    for (; i < s.len; i++)
        tails += is_tail((unsigned char)s.ptr[i]);
    return s.len - tails;
}

size_t odp_utf8_decode(const char *ptr, size_t len, uint32_t *cp)
{
    const unsigned char *p = (const unsigned char *)ptr;
    size_t n = sequence(p, len);
    switch (n) {
    case 2:
        *cp = (uint32_t)(p[0] & 0x1F) << 6 | (p[1] & 0x3F);
        return 2;
    case 3:
        *cp = (uint32_t)(p[0] & 0x0F) << 12 | (uint32_t)(p[1] & 0x3F) << 6 | (p[2] & 0x3F);
        return 3;
    case 4:
        *cp = (uint32_t)(p[0] & 0x07) << 18 | (uint32_t)(p[1] & 0x3F) << 12 | (uint32_t)(p[2] & 0x3F) << 6 | (p[3] & 0x3F);
        return 4;
    default:
        *cp = n == 1 ? p[0] : 0xFFFD; /* not valid text after all: go on with the next byte */
        return 1;
    }
}

size_t odp_utf8_encode(uint32_t cp, char out[4])
{
    if (cp < 0x80) {
        out[0] = (char)cp;
        return 1;
    }
    if (cp < 0x800) {
        out[0] = (char)(0xC0 | cp >> 6);
        out[1] = (char)(0x80 | (cp & 0x3F));
        return 2;
    }
    if (cp < 0x10000) {
        out[0] = (char)(0xE0 | cp >> 12);
        out[1] = (char)(0x80 | (cp >> 6 & 0x3F));
        out[2] = (char)(0x80 | (cp & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | cp >> 18);
    out[1] = (char)(0x80 | (cp >> 12 & 0x3F));
    out[2] = (char)(0x80 | (cp >> 6 & 0x3F));
    out[3] = (char)(0x80 | (cp & 0x3F));
    return 4;
}

bool odp_utf8_is_line(struct odp_slice s, size_t most)
{
    for (size_t i = 0; i < s.len; i++)
        if ((unsigned char)s.ptr[i] < 0x20 || s.ptr[i] == 0x7f)
            return false;
    return s.len > 0 && s.len <= most && odp_utf8_valid(s) == s.len;
}
