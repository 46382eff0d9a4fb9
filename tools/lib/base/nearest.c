#include "base/nearest.h"

#include "base/ascii.h"
#include "base/utf8.h"

#define LONGEST 64 /* code points; for longer names a suggestion is of no use */

static size_t decode(struct odp_slice s, uint32_t out[LONGEST])
{
    size_t n = 0;
    while (s.len > 0) {
        if (n == LONGEST)
            return SIZE_MAX;
        size_t used = odp_utf8_decode(s.ptr, s.len, &out[n++]);
        if (used == 0 || used > s.len)
            return SIZE_MAX;
        s.ptr += used;
        s.len -= used;
    }
    return n;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Insertions, deletions, substitutions and swaps of neighbours that turn A into B (each place edited once);
 * more than MAX is MAX + 1. */
static size_t distance(const uint32_t *a, size_t na, const uint32_t *b, size_t nb, size_t max)
{
    size_t rows[3][LONGEST + 1];
    size_t *two_ago = rows[0], *ago = rows[1], *now = rows[2];
    for (size_t j = 0; j <= nb; j++)
        ago[j] = two_ago[j] = j;
    for (size_t i = 1; i <= na; i++) {
        size_t best = now[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            size_t d = ago[j - 1] + (a[i - 1] != b[j - 1] ? 1 : 0);
            d = least(d, least(ago[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d = least(d, two_ago[j - 2] + 1);
            now[j] = d;
            best = least(best, d);
        }
        /* A swap may still reach back one row, which gains at most one. */
        if (best > max + 1)
            return max + 1;
        size_t *oldest = two_ago;
        two_ago = ago;
        ago = now;
        now = oldest;
    }
    return ago[nb];
}

int odp_nearest(struct odp_slice s, const struct odp_slice *among, size_t n, size_t max)
{
    uint32_t a[LONGEST], b[LONGEST];
    size_t na = decode(s, a);
    if (na == SIZE_MAX || n > INT32_MAX)
        return -1;
    int found = -1;
    size_t best = max + 1; /* only what is nearer than this */
    for (size_t i = 0; i < n && best > 0; i++) {
        /* Bytes are at least characters, and at most four times as many. */
        if (among[i].len > (na + best) * 4 || among[i].len + best <= na)
            continue;
        size_t nb = decode(among[i], b);
        if (nb == SIZE_MAX || (na > nb ? na - nb : nb - na) >= best)
            continue;
        size_t d = distance(a, na, b, nb, best - 1);
        if (d < best) {
            best = d;
            found = (int)i;
        }
    }
    return found;
}

size_t odp_nearest_limit(size_t len)
{
    if (len < 3)
        return 0;
    if (len < 6)
        return 1;
    return len < 9 ? 2 : 3;
}

/* ---- did you mean ---- */

enum { LOOKED_AT = 500, PART = LONGEST /* farther than any edit */, PART_MIN = 3 };

/* S in small letters, without the separators of words. */
static size_t fold(struct odp_slice s, uint32_t out[LONGEST])
{
    size_t n = decode(s, out), kept = 0;
    if (n == SIZE_MAX)
        return SIZE_MAX;
    for (size_t i = 0; i < n; i++)
        if (out[i] != '_' && out[i] != '-' && out[i] != ' ')
            out[kept++] = out[i] >= 'A' && out[i] <= 'Z' ? out[i] + 32 : out[i];
    return kept;
}

static bool is_part(const uint32_t *a, size_t na, const uint32_t *b, size_t nb)
{
    for (size_t at = 0; na >= PART_MIN && at + na <= nb; at++)
        if (memcmp(a, b + at, na * sizeof *a) == 0)
            return true;
    return false;
}

size_t odp_meant_far(struct odp_slice s, struct odp_slice name)
{
    uint32_t a[LONGEST], b[LONGEST];
    size_t na = fold(s, a), nb = fold(name, b), max = odp_nearest_limit(s.len);
    if (na == SIZE_MAX || nb == SIZE_MAX || na == 0 || nb == 0)
        return SIZE_MAX;
    size_t d = (na > nb ? na - nb : nb - na) <= max ? distance(a, na, b, nb, max) : max + 1;
    if (d <= max)
        return d;
    return is_part(a, na, b, nb) || is_part(b, nb, a, na) ? PART + nb : SIZE_MAX;
}

int odp_meant(struct odp_slice s, const struct odp_slice *names, size_t n)
{
    size_t best = SIZE_MAX;
    int found = -1;
    for (size_t i = 0; i < n && i < LOOKED_AT && best > 0; i++) {
        size_t far = odp_meant_far(s, names[i]);
        if (far < best) {
            best = far;
            found = (int)i;
        }
    }
    return found;
}

const char *odp_word_nearest(struct odp_slice s, const char *const *words, size_t n)
{
    size_t best = SIZE_MAX;
    const char *found = NULL;
    for (size_t i = 0; i < n && i < LOOKED_AT && best > 0; i++) {
        size_t far = odp_meant_far(s, odp_slice_of(words[i]));
        if (far < best) {
            best = far;
            found = words[i];
        }
    }
    return found;
}

bool odp_same_digits(struct odp_slice a, struct odp_slice b)
{
    size_t i = 0, k = 0;
    for (;; i++, k++) {
        while (i < a.len && !odp_is_digit(a.ptr[i]))
            i++;
        while (k < b.len && !odp_is_digit(b.ptr[k]))
            k++;
        if (i == a.len || k == b.len)
            return i == a.len && k == b.len;
        if (a.ptr[i] != b.ptr[k])
            return false;
    }
}
