#include "published/deflate_walk.h"

#include <string.h>

#include "base/bytes.h"

enum { BLOCK_STORED, BLOCK_STATIC, BLOCK_DYNAMIC };
enum { END_OF_BLOCK = 256, PRECODES = 19, NO_SYMBOL = UINT16_MAX };
enum { LITLEN_MASK = (1 << ODP_DEFLATE_LITLEN_BITS) - 1, DISTANCE_MASK = (1 << ODP_DEFLATE_DISTANCE_BITS) - 1 };

/* An entry of a table by the next bits of a stream: how many bits to go on, those behind a codeword (3.2.5) included; of a litlen's also how many bits the
 * codewords themselves have, and what comes last. An entry 0: no codeword is as short as the table's bits. */
enum { SKIP = 63, USED_SHIFT = 6, USED = 15 << USED_SHIFT, LITERAL = 1 << 10, LENGTH = 2 << 10, END = 3 << 10, KIND = 3 << 10 };

/* ---- bits ------------------------------------------------------------------------------------------------------------------- */

/* At least 57 of the bits from AT on; behind the end there are others. */
static uint64_t look(const struct odp_deflate_walk *w)
{
    return odp_bytes_load8(w->bytes + w->at / 8) >> w->at % 8;
}

/* N bits, at most 57; those behind the end count as read, which whoever reads sees by AT. */
static unsigned take(struct odp_deflate_walk *w, unsigned n)
{
    unsigned bits = w->at <= w->end ? (unsigned)(look(w) & odp_bits_below(n)) : 0;
    w->at += n;
    return bits;
}

/* ---- codes ------------------------------------------------------------------------------------------------------------------ */

/* What zlib takes: a complete code, or (unless IS_WHOLE) one of a single codeword of one bit, or none at all. */
static bool make_code(struct odp_deflate_code *c, const uint8_t *lengths, unsigned n, bool is_whole)
{
    uint16_t at[ODP_DEFLATE_LONGEST + 2] = {0};
    int left = 1;
    memset(c->count, 0, sizeof c->count);
    for (unsigned i = 0; i < n; i++)
        c->count[lengths[i]]++;
    c->count[0] = 0;
    unsigned longest = 0;
    for (unsigned len = 1; len <= ODP_DEFLATE_LONGEST; len++) {
        left = 2 * left - c->count[len];
        if (left < 0)
            return false;
        at[len + 1] = (uint16_t)(at[len] + c->count[len]);
        if (c->count[len] > 0)
            longest = len;
    }
    for (unsigned i = 0; i < n; i++)
        if (lengths[i] > 0)
            c->symbols[at[lengths[i]]++] = (uint16_t)i;
    return left == 0 || (longest <= 1 && !is_whole);
}

/* The symbol whose codeword BITS begin with, bit by bit; *LEN: how long that is. */
static unsigned decode(const struct odp_deflate_code *c, uint64_t bits, unsigned *len)
{
    unsigned code = 0, first = 0, index = 0;
    for (*len = 1; *len <= ODP_DEFLATE_LONGEST; ++*len, bits >>= 1) {
        unsigned count = c->count[*len];
        code |= (unsigned)bits & 1;
        if (code - first < count)
            return c->symbols[index + code - first];
        index += count;
        first = (first + count) << 1;
        code <<= 1;
    }
    return NO_SYMBOL;
}

/* ---- tables ----------------------------------------------------------------------------------------------------------------- */

static uint16_t litlen_entry(unsigned symbol, unsigned len)
{
    unsigned used = len << USED_SHIFT, k = symbol - END_OF_BLOCK - 1;
    if (symbol < END_OF_BLOCK)
        return (uint16_t)(LITERAL | used | len);
    if (symbol == END_OF_BLOCK)
        return (uint16_t)(END | used | len);
    return k < 29 ? (uint16_t)(LENGTH | used | (len + (k < 8 || k == 28 ? 0 : k / 4 - 1))) : 0;
}

static uint16_t distance_entry(unsigned symbol, unsigned len)
{
    return symbol < 30 ? (uint16_t)(len + (symbol < 4 ? 0 : symbol / 2 - 1)) : 0;
}

/* The table by the next BITS bits. A codeword's first bit is the lowest of its place, so the places of longer codewords are those of the shorter ones twice. */
static void make_table(const struct odp_deflate_code *c, unsigned bits, uint16_t (*entry)(unsigned symbol, unsigned len), uint16_t *table)
{
    const uint16_t *symbol = c->symbols;
    unsigned place = 0;
    table[0] = 0;
    for (unsigned len = 1; len <= bits; len++) {
        size_t half = (size_t)1 << (len - 1);
        memcpy(table + half, table, half * sizeof *table);
        for (unsigned k = 0; k < c->count[len]; k++) {
            unsigned bit = 1u << (len - 1);
            table[place] = entry(*symbol++, len);
            for (; (place & bit) != 0; bit >>= 1)
                place ^= bit;
            place |= bit;
        }
    }
}

/* Of litlens as many at once as the bits of the table hold: literals, and what comes behind them. */
static void join_entries(const uint16_t *single, uint16_t *table)
{
    for (unsigned i = 0; i <= LITLEN_MASK; i++) {
        unsigned e = single[i], used = (e & USED) >> USED_SHIFT;
        while ((e & KIND) == LITERAL) {
            unsigned next = single[i >> used], more = (next & USED) >> USED_SHIFT;
            if (next == 0 || used + more > ODP_DEFLATE_LITLEN_BITS)
                break;
            e = (next & KIND) | ((e & SKIP) + (next & SKIP));
            used += more;
        }
        table[i] = (uint16_t)e;
    }
}

/* ---- blocks ----------------------------------------------------------------------------------------------------------------- */

static bool make_tables(struct odp_deflate_walk *w, const uint8_t *lengths, unsigned nlitlens, unsigned ndistances)
{
    if (!make_code(&w->litlen, lengths, nlitlens, false) || !make_code(&w->distance, lengths + nlitlens, ndistances, false))
        return false;
    make_table(&w->litlen, ODP_DEFLATE_LITLEN_BITS, litlen_entry, w->single);
    join_entries(w->single, w->litlens);
    make_table(&w->distance, ODP_DEFLATE_DISTANCE_BITS, distance_entry, w->distances);
    return true;
}

static bool static_codes(struct odp_deflate_walk *w)
{
    uint8_t lengths[ODP_DEFLATE_LITLENS + ODP_DEFLATE_DISTANCES];
    memset(lengths, 8, 144);
    memset(lengths + 144, 9, 112);
    memset(lengths + 256, 7, 24);
    memset(lengths + 280, 8, 8);
    memset(lengths + 288, 5, 32);
    return make_tables(w, lengths, ODP_DEFLATE_LITLENS, ODP_DEFLATE_DISTANCES);
}

static bool dynamic_codes(struct odp_deflate_walk *w)
{
    static const uint8_t order[PRECODES] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    uint8_t lengths[ODP_DEFLATE_LITLENS + ODP_DEFLATE_DISTANCES] = {0}, precode[PRECODES] = {0};
    unsigned nlitlens = take(w, 5) + 257, ndistances = take(w, 5) + 1, nprecode = take(w, 4) + 4, n = 0, len;
    for (unsigned i = 0; i < nprecode; i++)
        precode[order[i]] = (uint8_t)take(w, 3);
    if (nlitlens > 286 || ndistances > 30 || !make_code(&w->litlen, precode, PRECODES, true))
        return false;
    while (n < nlitlens + ndistances && w->at <= w->end) {
        unsigned symbol = decode(&w->litlen, look(w), &len), times = 1, value = symbol;
        w->at += len;
        if (symbol == NO_SYMBOL || (symbol == 16 && n == 0))
            return false;
        if (symbol >= 16) {
            times = symbol == 16 ? 3 + take(w, 2) : symbol == 17 ? 3 + take(w, 3) : 11 + take(w, 7);
            value = symbol == 16 ? lengths[n - 1] : 0;
        }
        if (times > nlitlens + ndistances - n)
            return false;
        memset(lengths + n, (int)value, times);
        n += times;
    }
    return w->at <= w->end && lengths[END_OF_BLOCK] > 0 && make_tables(w, lengths, nlitlens, ndistances);
}

/* A codeword that is longer than its table's bits: what it stands for, by the bits at AT; how far to go on, or 0: nothing has that codeword. */
static unsigned long_entry(const struct odp_deflate_code *c, uint64_t bits, uint16_t (*entry)(unsigned symbol, unsigned len))
{
    unsigned len, symbol = decode(c, bits, &len);
    return symbol != NO_SYMBOL ? entry(symbol, len) : 0;
}

/* The next bits of a stream: COUNT of them at least are in BITS, and NEXT is behind those. */
struct window {
    const char *next;
    uint64_t bits;
    unsigned count; /* 63 at most */
};

static inline void fill(struct window *b)
{
    b->bits |= odp_bytes_load8(b->next) << b->count;
    b->next += (63 - b->count) / 8;
    b->count |= 56;
}

static inline void drop(struct window *b, unsigned n)
{
    b->bits >>= n;
    b->count -= n;
}

/* The symbols behind a block's header. The next entry is looked up before the window is filled again, which saves a tenth of the time: of 56 bits a length and
 * its distance leave the ten that takes, unless both have codewords longer than their tables' bits. */
static bool skip_symbols(struct odp_deflate_walk *w)
{
    const char *end = w->bytes + w->end / 8;
    struct window b = {.next = w->bytes + w->at / 8};
    fill(&b);
    drop(&b, (unsigned)(w->at % 8));
    unsigned e = w->litlens[b.bits & LITLEN_MASK], d;
    for (;; e = w->litlens[b.bits & LITLEN_MASK]) {
        if (b.next - end > (ptrdiff_t)(b.count / 8))
            return false;
        fill(&b);
        if (e == 0 && (e = long_entry(&w->litlen, b.bits, litlen_entry)) == 0)
            return false;
        drop(&b, e & SKIP);
        if ((e & KIND) == END)
            break;
        if ((e & KIND) == LITERAL)
            continue;
        if ((d = w->distances[b.bits & DISTANCE_MASK]) == 0) {
            if ((d = long_entry(&w->distance, b.bits, distance_entry)) == 0)
                return false;
            drop(&b, d);
            fill(&b);
            continue;
        }
        drop(&b, d);
    }
    w->at = (uint64_t)(b.next - w->bytes) * 8 - b.count;
    return w->at <= w->end;
}

static bool skip_stored(struct odp_deflate_walk *w)
{
    w->at = (w->at + 7) / 8 * 8;
    unsigned len = take(w, 16), complement = take(w, 16);
    w->at += (uint64_t)len * 8;
    return len == (complement ^ 0xffff) && w->at <= w->end;
}

/* ---- public ----------------------------------------------------------------------------------------------------------------- */

void odp_deflate_walk_init(struct odp_deflate_walk *w, const void *bytes, size_t len)
{
    w->bytes = bytes;
    w->at = 0;
    w->end = (uint64_t)len * 8;
    w->is_over = false;
}

bool odp_deflate_walk_next(struct odp_deflate_walk *w, struct odp_deflate_block *block)
{
    if (w->is_over)
        return false;
    block->begin = w->at;
    block->is_last = take(w, 1) == 1;
    unsigned type = take(w, 2);
    bool is_sound = w->at <= w->end;
    if (type == BLOCK_STORED)
        is_sound = is_sound && skip_stored(w);
    else if (type == BLOCK_STATIC)
        is_sound = is_sound && static_codes(w) && skip_symbols(w);
    else
        is_sound = is_sound && type == BLOCK_DYNAMIC && dynamic_codes(w) && skip_symbols(w);
    w->is_over = block->is_last || !is_sound;
    block->end = w->at;
    return is_sound;
}

size_t odp_deflate_leave_open(struct odp_deflate_walk *w, void *bytes, size_t len)
{
    struct odp_deflate_block block = {.is_last = false};
    uint8_t *p = bytes;
    odp_deflate_walk_init(w, bytes, len);
    while (!block.is_last)
        if (!odp_deflate_walk_next(w, &block))
            return 0;
    p[block.begin / 8] = (uint8_t)(p[block.begin / 8] & ~(1u << block.begin % 8));
    size_t at = (size_t)(block.end / 8), end = (size_t)((block.end + 3 + 7) / 8); /* the three bits of the empty block's header are 0 */
    unsigned used = block.end % 8;
    p[at] = (uint8_t)(used > 0 ? p[at] & ((1u << used) - 1) : 0);
    if (end - 1 > at)
        p[end - 1] = 0;
    memcpy(p + end, "\0\0\xff\xff", 4);
    return end + 4;
}
