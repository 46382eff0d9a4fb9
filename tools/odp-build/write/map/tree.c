#include "write/map/borders_internal.h"

#include <errno.h>
#include <stdlib.h>

#include "base/arena.h"

enum { FANOUT = 16 };

/* The place of X, Y (16 bits each) on a Hilbert curve. */
static uint32_t hilbert(uint32_t x, uint32_t y)
{
    uint32_t d = 0;
    for (uint32_t s = 1u << 15; s > 0; s >>= 1) {
        uint32_t rx = (x & s) != 0, ry = (y & s) != 0;
        d = d << 2 | ((3 * rx) ^ ry);
        if (ry == 0) {
            if (rx == 1) {
                x = ~x;
                y = ~y;
            }
            uint32_t t = x;
            x = y;
            y = t;
        }
    }
    return d;
}

static struct shape_box unite(struct shape_box a, struct shape_box b)
{
    return (struct shape_box){a.west < b.west ? a.west : b.west, a.south < b.south ? a.south : b.south,
                              a.east > b.east ? a.east : b.east, a.north > b.north ? a.north : b.north};
}

static uint32_t scaled(int64_t twice, int64_t from, int64_t to)
{
    int64_t span = 2 * (to - from) + 1;
    return (uint32_t)((twice - 2 * from) * 65535 / span) & 0xFFFF;
}

/* Numbers of the boxes in the order of the curve: a radix sort, 11 bits at a time, stable. */
static uint32_t *order(const struct shape_box *boxes, size_t n)
{
    uint32_t *key = odp_realloc_array(NULL, 4 * n, sizeof *key);
    if (key == NULL)
        return NULL;
    uint32_t *item = key + n, *key2 = item + n, *item2 = key2 + n;
    struct shape_box all = boxes[0];
    for (size_t i = 1; i < n; i++)
        all = unite(all, boxes[i]);
    for (size_t i = 0; i < n; i++) {
        const struct shape_box *b = &boxes[i];
        key[i] = hilbert(scaled((int64_t)b->west + b->east, all.west, all.east), scaled((int64_t)b->south + b->north, all.south, all.north));
        item[i] = (uint32_t)i;
    }
    for (unsigned shift = 0; shift < 32; shift += 11) {
        size_t count[2049] = {0};
        for (size_t i = 0; i < n; i++)
            count[(key[i] >> shift & 2047) + 1]++;
        for (size_t k = 0; k < 2048; k++)
            count[k + 1] += count[k];
        for (size_t i = 0; i < n; i++) {
            size_t to = count[key[i] >> shift & 2047]++;
            key2[to] = key[i];
            item2[to] = item[i];
        }
        uint32_t *k = key, *m = item;
        key = key2, item = item2, key2 = k, item2 = m;
    }
    uint32_t *out = odp_realloc_array(NULL, n, sizeof *out);
    if (out != NULL)
        memcpy(out, item, n * sizeof *out);
    free(key < key2 ? key : key2);
    return out;
}

enum odp_status shape_tree_make(struct shape_tree *t, const struct shape_box *boxes, size_t n)
{
    *t = (struct shape_tree){0};
    size_t total = 0;
    for (size_t m = n;; m = (m + FANOUT - 1) / FANOUT) {
        t->start[t->levels] = total;
        t->n[t->levels++] = m;
        total += m;
        if (m <= FANOUT)
            break;
    }
    t->item = order(boxes, n);
    t->box = odp_realloc_array(NULL, total, sizeof *t->box);
    if (t->item == NULL || t->box == NULL) {
        shape_tree_release(t);
        return ODP_FAIL;
    }
    for (size_t i = 0; i < n; i++)
        t->box[i] = boxes[t->item[i]];
    for (unsigned level = 1; level < t->levels; level++) {
        const struct shape_box *below = t->box + t->start[level - 1];
        for (size_t i = 0; i < t->n[level]; i++) {
            struct shape_box b = below[i * FANOUT];
            for (size_t k = i * FANOUT + 1; k < (i + 1) * FANOUT && k < t->n[level - 1]; k++)
                b = unite(b, below[k]);
            t->box[t->start[level] + i] = b;
        }
    }
    return ODP_OK;
}

void shape_tree_release(struct shape_tree *t)
{
    free(t->box);
    free(t->item);
    *t = (struct shape_tree){0};
}

static bool meet(const struct shape_box *a, const struct shape_box *b)
{
    return a->west <= b->east && b->west <= a->east && a->south <= b->north && b->south <= a->north;
}

static bool ask(const struct shape_tree *t, unsigned level, size_t from, size_t to, const struct shape_box *box, bool (*visit)(void *, uint32_t), void *ctx)
{
    for (size_t i = from; i < to; i++) {
        if (!meet(&t->box[t->start[level] + i], box))
            continue;
        size_t end = (i + 1) * FANOUT;
        bool more = level == 0 ? visit(ctx, t->item[i])
                               : ask(t, level - 1, i * FANOUT, end < t->n[level - 1] ? end : t->n[level - 1], box, visit, ctx);
        if (!more)
            return false;
    }
    return true;
}

void shape_tree_ask(const struct shape_tree *t, const struct shape_box *box, bool (*visit)(void *ctx, uint32_t item), void *ctx)
{
    if (t->levels > 0)
        (void)ask(t, t->levels - 1, 0, t->n[t->levels - 1], box, visit, ctx);
}
