/* CASEI: full case folding of Unicode 14.0 (OGC 21-065, /req/case-insensitive-comparison/casei-function), the
 * same in every locale. */
#include <stdlib.h>

#include "base/utf8.h"
#include "catalog/expr/fold.h"

struct range {
    uint32_t first, last, step;
    int32_t difference;
};

struct many {
    uint32_t from, to[3]; /* 0: no third character */
};

static const struct range ranges[] = {
#define RANGE(first, last, step, difference) {first, last, step, difference},
#define MANY(from, a, b, c)
#include "catalog/expr/fold.def"
#undef RANGE
#undef MANY
};

static const struct many many[] = {
#define RANGE(first, last, step, difference)
#define MANY(from, a, b, c) {from, {a, b, c}},
#include "catalog/expr/fold.def"
#undef RANGE
#undef MANY
};

static int by_range(const void *key, const void *item)
{
    uint32_t cp = *(const uint32_t *)key;
    const struct range *r = item;
    return cp < r->first ? -1 : cp > r->last;
}

static int by_from(const void *key, const void *item)
{
    uint32_t cp = *(const uint32_t *)key;
    const struct many *m = item;
    return cp < m->from ? -1 : cp > m->from;
}

/* Writes the folding of CP, at most six bytes. */
static size_t fold_one(uint32_t cp, char *out)
{
    size_t n = 0;
    const struct range *r = bsearch(&cp, ranges, sizeof ranges / sizeof *ranges, sizeof *ranges, by_range);
    if (r != NULL && (cp - r->first) % r->step == 0)
        return odp_utf8_encode((uint32_t)((int32_t)cp + r->difference), out);
    const struct many *m = bsearch(&cp, many, sizeof many / sizeof *many, sizeof *many, by_from);
    if (m == NULL)
        return odp_utf8_encode(cp, out);
    for (int i = 0; i < 3 && m->to[i] != 0; i++)
        n += odp_utf8_encode(m->to[i], out + n);
    return n;
}

size_t expr_fold(struct odp_slice s, char *out)
{
    size_t n = 0;
    for (size_t i = 0; i < s.len;) {
        unsigned char byte = (unsigned char)s.ptr[i];
        if (byte < 0x80) {
            out[n++] = (char)(byte >= 'A' && byte <= 'Z' ? byte + 32 : byte);
            i++;
            continue;
        }
        uint32_t cp;
        size_t used = odp_utf8_decode(s.ptr + i, s.len - i, &cp);
        if (used == 0 || used > s.len - i) {
            out[n++] = (char)byte;
            i++;
            continue;
        }
        n += fold_one(cp, out + n);
        i += used;
    }
    return n;
}
