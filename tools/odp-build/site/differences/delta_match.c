/* What of the new file stands in the old one.
 *
 * Two indexes of the old file work together:
 *
 * - The far index knows the whole file in blocks of equal size, by a rolling hash that is looked up at every
 * byte of what is not yet matched. It finds what was moved, and the way back after a long change. There are
 * at most FAR_BLOCKS blocks, so memory is bounded: the block grows with the file (32 bytes up to 48 MiB).
 * - The near index knows every position around the place where the last match ended in the old file: that is
 * where the new file goes on after a cell was changed, a line removed or a column added. It is made anew in
 * every gap, small at first, and grows only as far as matched bytes have paid for it (`credit`).
 *
 * A match is extended both ways: forwards without bound, backwards to the end of the last one.
 *
 * Time is linear in the size of both files: each byte of the new file is rolled over once a gap, what near
 * windows cost is paid by matched bytes, and comparisons that lead to nothing have a budget; when that is
 * spent (files made to collide), the rest is no longer searched. Nothing depends on clock, host or threads.
 *
 * A short near match (under 256 bytes) is compared with what the blocks offer at the same place: lines
 * resemble each other, and would lead away from a moved block. A table with a changed cell a kilobyte would
 * soon have no equal block, which is why every gap first looks nearby, byte by byte, in windows of 64 bytes,
 * 512, 4 KiB, 16 KiB. */
#include "site/differences/delta_match.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    FAR_BLOCK = 32,       /* smallest block */
    FAR_BLOCKS = 3 << 19, /* most blocks: 1.5 Mi in 2 Mi slots of 8 bytes */
    FAR_PROBES = 32,
    FILTER_SHARE = 8, /* slots for each word of the filter */
    NEAR_SEED = 16,   /* bytes that must be equal to look closer */
    NEAR_LEAST = 24,  /* shorter matches cost more than they save */
    NEAR_GOOD = 64,   /* long enough not to look for a better one */
    NEAR_SURE = 256,  /* long enough not to ask the far index, too */
    NEAR_LAZY = 32,   /* bytes to look on after a short one */
    NEAR_SMALLEST = 64,
    NEAR_LARGEST = 16 << 10,
    NEAR_GROWTH = 8,
    NEAR_SPREAD = 4 /* slots for each position of the window */
};

struct delta_matcher {
    const uint8_t *old, *fresh;
    uint64_t old_size, size;
    uint64_t at, old_at; /* where the last match ended */
    bool begun;
    int64_t budget; /* of comparisons that lead to nothing */
    int64_t credit; /* of near windows */

    uint64_t *far;    /* tag << 32 | number of the block + 1 */
    uint64_t *filter; /* three bits of a word for each hash that is in FAR: nearly all look-ups end here */
    uint64_t far_mask, filter_mask, block, power; /* power: of the byte that leaves the rolling hash */

    uint64_t *near; /* generation << 32 | position - near_base */
    uint64_t near_base;
    uint32_t generation;
    unsigned near_shift; /* hash >> shift is the slot */
    bool near_filled;    /* for the gap in hand */
};

#define ROLL 0x9E3779B97F4A7C15u
#define MIX  0xD6E8FEB86659FD93u

static uint64_t load8(const uint8_t *p)
{
    uint64_t w;
    memcpy(&w, p, sizeof w);
    return w;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* ---- comparing ---- */

static uint64_t equal_forwards(const struct delta_matcher *m, uint64_t old_at, uint64_t at)
{
    uint64_t most = least(m->old_size - old_at, m->size - at), n = 0;
    const uint8_t *a = m->old + old_at, *b = m->fresh + at;
    while (most - n >= 8 && load8(a + n) == load8(b + n))
        n += 8;
    while (n < most && a[n] == b[n])
        n++;
    return n;
}

static uint64_t equal_backwards(const struct delta_matcher *m, uint64_t old_at, uint64_t at)
{
    uint64_t most = least(old_at, at - m->at), n = 0;
    const uint8_t *a = m->old + old_at, *b = m->fresh + at;
    while (most - n >= 8 && load8(a - n - 8) == load8(b - n - 8))
        n += 8;
    while (n < most && *(a - n - 1) == *(b - n - 1))
        n++;
    return n;
}

/* The whole match through these two positions. */
static struct delta_match extend(const struct delta_matcher *m, uint64_t old_at, uint64_t at)
{
    uint64_t before = equal_backwards(m, old_at, at), after = equal_forwards(m, old_at, at);
    return (struct delta_match){at - before, old_at - before, before + after};
}

/* ---- the far index ---- */

static uint64_t hash_block(const uint8_t *p, uint64_t n)
{
    uint64_t h = 0;
    for (uint64_t i = 0; i < n; i++)
        h = h * ROLL + p[i];
    return h;
}

static uint64_t mix(uint64_t h)
{
    h = (h ^ h >> 32) * MIX;
    return h ^ h >> 29;
}

static uint64_t *filter_word(const struct delta_matcher *m, uint64_t x)
{
    return &m->filter[(x >> 20) & m->filter_mask];
}

static uint64_t filter_bits(uint64_t x)
{
    return (uint64_t)1 << (x & 63) | (uint64_t)1 << ((x >> 6) & 63) | (uint64_t)1 << ((x >> 12) & 63);
}

static bool filter_has(const struct delta_matcher *m, uint64_t x)
{
    uint64_t bits = filter_bits(x);
    return (*filter_word(m, x) & bits) == bits;
}

/* The slot with the tag of X, or the empty one where it belongs; NULL: neither is near. */
static uint64_t *far_slot(const struct delta_matcher *m, uint64_t x)
{
    for (uint64_t i = 0; i < FAR_PROBES; i++) {
        uint64_t *slot = &m->far[(x + i) & m->far_mask];
        if (*slot == 0 || *slot >> 32 == x >> 32)
            return slot;
    }
    return NULL;
}

/* Of equal blocks the first is kept: a file of one repeated line fills one slot. */
static void far_enter(struct delta_matcher *m, uint64_t number)
{
    uint64_t x = mix(hash_block(m->old + number * m->block, m->block)), *slot = far_slot(m, x);
    if (slot != NULL && *slot == 0) {
        *slot = (x >> 32) << 32 | (number + 1);
        *filter_word(m, x) |= filter_bits(x);
    }
}

static enum odp_status far_make(struct delta_matcher *m)
{
    m->block = m->old_size / FAR_BLOCKS + 1;
    if (m->block < FAR_BLOCK)
        m->block = FAR_BLOCK;
    uint64_t n = m->old_size / m->block, slots = 64;
    while (slots < n + n / 3)
        slots *= 2;
    m->far = calloc(slots, sizeof *m->far);
    m->filter = calloc(slots / FILTER_SHARE, sizeof *m->filter);
    if (m->far == NULL || m->filter == NULL)
        return odp_failure_set("make delta", NULL, ENOMEM);
    m->far_mask = slots - 1;
    m->filter_mask = slots / FILTER_SHARE - 1;
    m->power = 1;
    for (uint64_t i = 1; i < m->block; i++)
        m->power *= ROLL;
    for (uint64_t i = 0; i < n; i++)
        far_enter(m, i);
    return ODP_OK;
}

/* A match through the block at AT of the new file, whose mixed hash is X. */
static bool far_look(struct delta_matcher *m, uint64_t x, uint64_t at, struct delta_match *found)
{
    const uint64_t *slot = far_slot(m, x);
    if (slot == NULL || *slot == 0)
        return false;
    uint64_t old_at = ((*slot & UINT32_MAX) - 1) * m->block;
    uint64_t n = equal_forwards(m, old_at, at);
    if (n < m->block) {
        m->budget -= (int64_t)n + 1;
        return false;
    }
    *found = extend(m, old_at, at);
    return true;
}

/* ---- the near index ---- */

static uint64_t hash_seed(const uint8_t *p)
{
    uint64_t h = load8(p) * ROLL ^ (load8(p + 8) * MIX >> 23);
    return h * MIX;
}

static void near_put(struct delta_matcher *m, uint64_t position)
{
    uint64_t *slot = &m->near[hash_seed(m->old + position) >> m->near_shift];
    if (*slot >> 32 != m->generation)
        *slot = (uint64_t)m->generation << 32 | (position - m->near_base);
}

/* Enters positions of the old file from W / 2 before the end of the last match to W after it. The nearest
 * after it come first, so that of equal texts the nearest is found. */
static void near_fill(struct delta_matcher *m, uint64_t w)
{
    uint64_t last = m->old_size >= NEAR_SEED ? m->old_size - NEAR_SEED + 1 : 0;
    uint64_t from = least(m->old_at, last), end = least(m->old_at + w, last), back = least(w / 2, from);
    unsigned bits = 0;
    while (((uint64_t)1 << bits) < w * NEAR_SPREAD)
        bits++;
    if (++m->generation == 0) {
        memset(m->near, 0, sizeof *m->near * NEAR_LARGEST * NEAR_SPREAD);
        m->generation = 1;
    }
    m->near_shift = 64 - bits;
    m->near_base = from - back;
    for (uint64_t i = from; i < end; i++)
        near_put(m, i);
    for (uint64_t i = 0; i < back; i++)
        near_put(m, from - 1 - i);
    m->near_filled = true;
}

/* A match through the seed at AT of the new file, long enough to be worth it; not on the diagonal of BEST. */
static bool near_look(struct delta_matcher *m, uint64_t at, const struct delta_match *best,
                      struct delta_match *found)
{
    const uint8_t *seed = m->fresh + at;
    uint64_t slot = m->near[hash_seed(seed) >> m->near_shift];
    if (slot >> 32 != m->generation)
        return false;
    uint64_t old_at = m->near_base + (slot & UINT32_MAX);
    if ((best->len > 0 && old_at - at == best->old_at - best->at) ||
        memcmp(m->old + old_at, seed, NEAR_SEED) != 0)
        return false;
    *found = extend(m, old_at, at);
    if (found->len < NEAR_LEAST) {
        m->budget -= NEAR_LEAST;
        return false;
    }
    return true;
}

/* The first good match in the next W bytes; a short one is kept only if no better follows soon. */
static bool near_scan(struct delta_matcher *m, uint64_t w, struct delta_match *best)
{
    uint64_t last = m->size >= NEAR_SEED ? m->size - NEAR_SEED + 1 : 0, end = least(m->at + w, last);
    best->len = 0;
    for (uint64_t at = m->at; at < end; at++) {
        struct delta_match found;
        if (!near_look(m, at, best, &found))
            continue;
        if (best->len == 0)
            end = least(end, at + NEAR_LAZY);
        if (best->len == 0 || found.len + best->at > best->len + found.at)
            *best = found;
        if (best->len >= NEAR_GOOD)
            break;
        m->budget -= (int64_t)best->len;
    }
    return best->len > 0;
}

/* ---- the way through the new file ---- */

/* Looks in both indexes (the near one if it is filled), from the end of the last match to END of the new
 * file. */
static bool scan(struct delta_matcher *m, uint64_t end, struct delta_match *found)
{
    static const struct delta_match none;
    uint64_t at = m->at;
    if (m->size - at >= m->block && m->old_size >= m->block) {
        uint64_t h = hash_block(m->fresh + at, m->block), last = least(end, m->size - m->block + 1);
        for (; at < last && m->budget >= 0; at++) {
            const uint64_t x = mix(h);
            if ((filter_has(m, x) && far_look(m, x, at, found)) ||
                (m->near_filled && near_look(m, at, &none, found)))
                return true;
            if (at + m->block < m->size)
                h = (h - m->fresh[at] * m->power) * ROLL + m->fresh[at + m->block];
        }
    }
    /* The tail is shorter than a block. */
    for (; m->near_filled && m->budget >= 0 && at < end && m->size - at >= NEAR_SEED; at++)
        if (near_look(m, at, &none, found))
            return true;
    return false;
}

/* Lines resemble each other: a short near match may lead away from a long far one. */
static void look_far_too(struct delta_matcher *m, struct delta_match *found)
{
    struct delta_match far;
    uint64_t end = found->at + found->len > m->at + m->block ? found->at + found->len : m->at + m->block;
    int64_t cost = (int64_t)(2 * m->block);
    if (m->credit < cost)
        return;
    m->credit -= cost;
    m->near_filled = false;
    if (scan(m, least(end, m->size), &far) && far.len + found->at > found->len + far.at)
        *found = far;
}

static bool find(struct delta_matcher *m, struct delta_match *found)
{
    m->near_filled = false;
    if (!m->begun) {
        m->begun = true;
        *found = (struct delta_match){0, 0, equal_forwards(m, 0, 0)};
        if (found->len >= NEAR_LEAST)
            return true;
    }
    for (uint64_t w = NEAR_SMALLEST; w <= NEAR_LARGEST;
         w = w < NEAR_LARGEST / NEAR_GROWTH ? w * NEAR_GROWTH : w * 4) {
        if (w > NEAR_SMALLEST) {
            if (m->credit < (int64_t)(2 * w))
                break;
            m->credit -= (int64_t)(2 * w);
        }
        near_fill(m, w);
        if (!near_scan(m, w, found))
            continue;
        if (found->len < NEAR_SURE)
            look_far_too(m, found);
        return true;
    }
    return scan(m, m->size, found);
}

enum odp_status delta_matcher_next(struct delta_matcher *m, struct delta_match *found)
{
    if (m->at == m->size || m->budget < 0 || !find(m, found))
        return ODP_DONE;
    m->at = found->at + found->len;
    m->old_at = found->old_at + found->len;
    m->credit += (int64_t)found->len;
    return ODP_OK;
}

enum odp_status delta_matcher_new(struct delta_matcher **out, const uint8_t *old, uint64_t old_size,
                                  const uint8_t *fresh, uint64_t size)
{
    struct delta_matcher *m = calloc(1, sizeof *m);
    *out = NULL;
    if (m == NULL)
        return odp_failure_set("make delta", NULL, ENOMEM);
    m->old = old;
    m->fresh = fresh;
    m->old_size = old_size;
    m->size = size;
    m->budget = (int64_t)(4 * least(size, INT64_MAX / 8)) + (1 << 20);
    m->credit = 4 * NEAR_LARGEST;
    m->near = calloc((size_t)NEAR_LARGEST * NEAR_SPREAD, sizeof *m->near);
    if (m->near == NULL)
        (void)odp_failure_set("make delta", NULL, ENOMEM);
    if (m->near == NULL || far_make(m) != ODP_OK) {
        delta_matcher_free(m);
        return ODP_FAIL;
    }
    *out = m;
    return ODP_OK;
}

void delta_matcher_free(struct delta_matcher *m)
{
    if (m == NULL)
        return;
    free(m->far);
    free(m->filter);
    free(m->near);
    free(m);
}
