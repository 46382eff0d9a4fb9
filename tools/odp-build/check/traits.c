#include "check/traits.h"

#define MANY_DIGITS 8 /* the fewest in a personal identifier */

#define BIT(ch) ((uint64_t)1 << ((ch)&63))

static uint8_t class_of(unsigned char b)
{
    const uint64_t marked = BIT('@') | BIT(0x7f);            /* of 64 to 127 */
    if (b >= 64 && b < 128 && (marked >> (b & 63) & 1) == 0) /* most letters */
        return 0;
    if (b < 0x20)
        return b != '\t' && b != '\n' && b != '\r' ? ODP_TRAIT_CONTROL : 0;
    if (b < 64)
        return b == '#' ? ODP_TRAIT_HASH : 0;
    if (b >= 0x80)
        return ODP_TRAIT_HIGH;
    if (b == '@')
        return ODP_TRAIT_AT;
    return b == 0x7f ? ODP_TRAIT_CONTROL : 0;
}

/* May the byte begin or end white space? For bytes beyond ASCII the rule looks closer. */
static bool may_be_space(unsigned char b)
{
    return b == ' ' || (b >= '\t' && b <= '\r') || b >= 0x80;
}

/* Of a first byte. */
static inline unsigned lead(char b)
{
    return b == '=' || b == '+' || b == '-' || b == '@' ? ODP_TRAIT_LEAD : 0;
}

uint8_t odp_traits_read(const char *p, size_t n)
{
    size_t digits = 0;
    uint8_t all = 0;
    bool behind_digit = false;
    if (n == 0)
        return 0;
    for (size_t k = 0; k < n; k++) {
        unsigned char b = (unsigned char)p[k];
        all |= class_of(b);
        all |= behind_digit && (b | 0x20) == 'e' ? ODP_TRAIT_EXPONENT : 0;
        behind_digit = (unsigned)(b - '0') < 10;
        digits += behind_digit;
    }
    all |= (uint8_t)lead(*p);
    if (digits >= MANY_DIGITS)
        all |= ODP_TRAIT_DIGITS;
    if (may_be_space((unsigned char)p[0]) || may_be_space((unsigned char)p[n - 1]))
        all |= ODP_TRAIT_EDGE;
    return all;
}

/* ---- masks of whole blocks of 64 bytes ---- */

static inline void look_for_digits(struct odp_trait_window *w, const char *p, size_t from, size_t blocks)
{
    for (size_t k = 0; k < blocks; k++) {
        uint64_t digit = 0;
        for (unsigned i = 0; i < 64; i += 32) {
            odp_bytes32 v;
            memcpy(&v, p + 64 * k + i, sizeof v);
            odp_bytes32 is_digit = (odp_bytes32)(v - '0' < 10);
            digit |= (uint64_t)odp_bytes32_bits(&is_digit) << i;
        }
        w->digit[from + k] = digit;
        w->unusual[from + k] = 0;
    }
}

static inline void look(struct odp_trait_window *w, const char *p, size_t from, size_t blocks)
{
    uint64_t before = from > 0 ? w->digit[from - 1] >> 63 : 0;
    for (size_t k = 0; k < blocks; k++) {
        uint64_t digit = 0, exponent = 0, unusual = 0;
        for (unsigned i = 0; i < 64; i += 32) {
            odp_bytes32 v;
            memcpy(&v, p + 64 * k + i, sizeof v);
            odp_bytes32 is_e = (odp_bytes32)((v | 0x20) == 'e'), is_digit = (odp_bytes32)(v - '0' < 10);
            odp_bytes32 odd = (odp_bytes32)((v - ' ' >= 0x7f - ' ') | (v == '@') | (v == '#'));
            digit |= (uint64_t)odp_bytes32_bits(&is_digit) << i;
            exponent |= (uint64_t)odp_bytes32_bits(&is_e) << i;
            unusual |= (uint64_t)odp_bytes32_bits(&odd) << i;
        }
        exponent &= digit << 1 | before;
        before = digit >> 63;
        w->digit[from + k] = digit;
        w->unusual[from + k] = unusual | exponent;
    }
}

ODP_WIDE void odp_traits_look(struct odp_trait_window *w, const char *p, size_t n, bool tame)
{
    size_t all = n < ODP_TRAIT_WINDOW ? n : ODP_TRAIT_WINDOW, blocks = all / 64, rest = all % 64;
    w->text = p;
    w->filled = all;
    w->len = n <= ODP_TRAIT_WINDOW ? n : ODP_TRAIT_WINDOW - ODP_TRAIT_CELL; /* the last cell may be cut */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    w->len = 0; /* bits_of reads masks as bytes */
#endif
    char last[64] = {0};
    if (rest > 0)
        memcpy(last, p + 64 * blocks, rest);
    if (tame) {
        look_for_digits(w, p, 0, blocks);
        look_for_digits(w, last, blocks, rest > 0);
    } else {
        look(w, p, 0, blocks);
        look(w, last, blocks, rest > 0);
    }
}

/* ---- cells ---- */

/* LEN bits of MASK (1 to ODP_TRAIT_CELL), those from bit AT on, as the highest ones of the result. */
static inline uint64_t bits_of(const uint64_t *mask, size_t at, size_t len)
{
    uint64_t word;
    memcpy(&word, (const char *)mask + at / 8, 8);
    return word >> (at & 7) << (64 - len);
}

static inline uint8_t many_digits(const struct odp_trait_window *w, size_t at, size_t len)
{
    return __builtin_popcountll(bits_of(w->digit, at, len)) >= MANY_DIGITS ? ODP_TRAIT_DIGITS : 0;
}

/* The cell of LEN bytes at P, whose first bit is AT. */
static inline uint8_t take_cell(const struct odp_trait_window *w, const char *p, size_t len, size_t at)
{
    uint64_t unusual = bits_of(w->unusual, at, len);
    if (__builtin_expect(unusual != 0, 0))
        return odp_traits_read(p, len);
    unsigned is = lead(*p);
    if (p[0] == ' ' || p[len - 1] == ' ') /* other white space is unusual */
        is |= ODP_TRAIT_EDGE;
    return (uint8_t)(is | many_digits(w, at, len));
}

/* The same of a longer one, piece by piece. */
static ODP_WIDE uint8_t take_long(const struct odp_trait_window *w, const char *p, size_t len, size_t at)
{
    size_t digits = 0;
    uint8_t is = (uint8_t)lead(*p);
    if (at >= w->len || len > w->filled - at)
        return odp_traits_read(p, len);
    for (size_t k = 0, n; k < len; k += n) {
        n = len - k < ODP_TRAIT_CELL ? len - k : ODP_TRAIT_CELL;
        if (bits_of(w->unusual, at + k, n) != 0)
            return odp_traits_read(p, len);
        digits += (unsigned)__builtin_popcountll(bits_of(w->digit, at + k, n));
    }
    if (p[0] == ' ' || p[len - 1] == ' ')
        is |= ODP_TRAIT_EDGE;
    return digits >= MANY_DIGITS ? is | ODP_TRAIT_DIGITS : is;
}

ODP_WIDE uint8_t odp_traits_of(const struct odp_trait_window *w, const struct odp_slice *text, uint32_t n,
                               const uint8_t *tame, size_t least, uint8_t *traits)
{
    unsigned any = 0;
    for (uint32_t i = 0; i < n; i++) {
        const char *p = text[i].ptr;
        size_t len = text[i].len, at = (size_t)((uintptr_t)p - (uintptr_t)w->text);
        unsigned is = 0;
        if (len >= (tame[i] ? least : 1)) {
            bool whole = len <= ODP_TRAIT_CELL && at < w->len;
            is = !whole    ? take_long(w, p, len, at)
                 : tame[i] ? many_digits(w, at, len)
                           : take_cell(w, p, len, at);
        }
        traits[i] = (uint8_t)is;
        any |= is;
    }
    return (uint8_t)any;
}
