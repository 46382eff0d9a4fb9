/* Keys that are gone and keys that are new: which of them are one in two spellings.
 *
 *   alike    the same words and numbers, whatever their case, marks, and zeros in front: "R-0007", "r 7"
 *   folded   the same letters and digits in a row, and half of the record is what it was: "31.71", "3171"
 *   near     one part with the same digits and a letter or two that differ, and half of the record
 *
 * A pair counts where neither has another partner. Numbers make a key another one: 31.72 is no slip for
 * 31.71. / */
#include <stdlib.h>

#include "base/ascii.h"
#include "check/codebook.h"
#include "check/drift/rows_internal.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { COMPARISONS = 200000, PART_MAX = 256, LETTERS_LEAST = 5 };

struct pairing {
    const struct odp_drift_rows *w;
    struct odp_arena *arena;
    uint32_t *partner; /* by new key: of what is gone; NOWHERE */
    uint8_t *taken;    /* by key that is gone */
};

/* A key in one of its forms. */
struct form {
    uint64_t hash;
    uint32_t index;
    bool gone;
};

static char as_letter(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : (c >= 'a' && c <= 'z') || (c & 0x80) != 0 ? c : '\0';
}

/* Words and numbers, a space between them; numbers without zeros in front. */
static size_t fold_words(struct odp_slice s, char out[PART_MAX])
{
    size_t n = 0;
    for (size_t k = 0; k < s.len && n + 2 < PART_MAX;) {
        const size_t from = k;
        if (odp_is_digit(s.ptr[k])) {
            out[n++] = ' ';
            while (s.ptr[k] == '0' && k + 1 < s.len && odp_is_digit(s.ptr[k + 1]))
                k++;
            for (; k < s.len && odp_is_digit(s.ptr[k]) && n + 2 < PART_MAX; k++)
                out[n++] = s.ptr[k];
        } else if (as_letter(s.ptr[k]) != '\0') {
            out[n++] = ' ';
            for (; k < s.len && as_letter(s.ptr[k]) != '\0' && n + 2 < PART_MAX; k++)
                out[n++] = as_letter(s.ptr[k]);
        }
        k += k == from;
    }
    return n;
}

/* 0: KEY has no such form. */
static uint64_t hash_form(const struct odp_drift_rows *w, const struct odp_slice *key, bool words)
{
    uint64_t h = 0;
    char out[PART_MAX > ODP_FOLD_SIZE ? PART_MAX : ODP_FOLD_SIZE];
    for (uint32_t k = 0; k < w->nparts; k++) {
        const size_t n = words                        ? fold_words(key[k], out)
                         : key[k].len < ODP_FOLD_SIZE ? odp_fold_code(key[k], out)
                                                      : 0;
        if (n == 0 || key[k].len >= PART_MAX - 2)
            return 0;
        h = XXH3_64bits_withSeed(out, n, h + k + 1);
    }
    return h;
}

static int by_hash(const void *a, const void *b)
{
    const struct form *x = a, *y = b;
    return x->hash != y->hash ? (x->hash > y->hash) - (x->hash < y->hash) : (int)x->gone - (int)y->gone;
}

/* Half of the cells are what they were, and one at least. */
static bool is_same_record(const struct odp_drift_rows *w, uint32_t gone, uint32_t fresh)
{
    uint32_t same = 0, filled = 0;
    for (uint32_t k = 0; k < w->ncolumns; k++) {
        const uint32_t a = w->gone[gone].cells[k], b = w->fresh[fresh].cells[k];
        filled += a != 0 || b != 0;
        same += a != 0 && a == b;
    }
    return same > 0 && 2 * same >= filled;
}

static void pair_forms(struct pairing *p, bool words)
{
    const struct odp_drift_rows *w = p->w;
    struct form *forms = odp_arena_array(p->arena, w->ngone + w->nfresh + 1, sizeof *forms);
    size_t n = 0;
    for (uint32_t i = 0; i < w->ngone; i++)
        if (!p->taken[i])
            forms[n++] = (struct form){hash_form(w, w->gone[i].key, words), i, true};
    for (uint32_t i = 0; i < w->nfresh; i++)
        if (p->partner[i] == NOWHERE)
            forms[n++] = (struct form){hash_form(w, w->fresh[i].key, words), i, false};
    qsort(forms, n, sizeof *forms, by_hash);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && forms[end].hash == forms[i].hash;)
            end++;
        if (end - i != 2 || forms[i].hash == 0 || forms[i].gone || !forms[i + 1].gone)
            continue;
        const uint32_t fresh = forms[i].index, gone = forms[i + 1].index;
        if (!words && !is_same_record(w, gone, fresh))
            continue;
        p->partner[fresh] = gone;
        p->taken[gone] = 1;
    }
}

/* ---- slips ---- */

/* One part differs, and only by a slip. */
static bool is_near(const struct odp_drift_rows *w, uint32_t gone, uint32_t fresh)
{
    size_t at, near = 0;
    for (uint32_t k = 0; k < w->nparts; k++) {
        const struct odp_slice a = w->gone[gone].key[k], b = w->fresh[fresh].key[k];
        if (odp_slice_eq(a, b))
            continue;
        if (near++ > 0 || a.len < LETTERS_LEAST || w->fresh[fresh].diag[k].field == NULL ||
            !odp_same_digits(a, b) || odp_nearest_one(b, &a, 1, &at) != 1)
            return false;
    }
    return near == 1 && is_same_record(w, gone, fresh);
}

static void pair_slips(struct pairing *p)
{
    const struct odp_drift_rows *w = p->w;
    uint32_t *suitors = odp_arena_zero(p->arena, w->ngone + 1, sizeof *suitors);
    if (w->ngone * w->nfresh > COMPARISONS)
        return;
    for (uint32_t i = 0; i < w->nfresh; i++) {
        uint32_t found = 0, last = NOWHERE;
        for (uint32_t g = 0; g < w->ngone && p->partner[i] == NOWHERE; g++)
            if (!p->taken[g] && is_near(w, g, i)) {
                found++;
                last = g;
                suitors[g]++;
            }
        if (found == 1)
            p->partner[i] = last;
    }
    for (uint32_t i = 0; i < w->nfresh; i++)
        if (p->partner[i] != NOWHERE && suitors[p->partner[i]] > 1)
            p->partner[i] = NOWHERE;
}

/* ---- reporting ---- */

static enum odp_status report_pair(const struct findings *f, const struct odp_drift_rows *w, uint32_t fresh,
                                   uint32_t gone, struct odp_diags *diags)
{
    const struct odp_drift *d = &f->resource->drift;
    enum odp_status worst = ODP_OK;
    for (uint32_t k = 0; k < w->nparts && worst != ODP_FAIL; k++) {
        struct odp_diag x = w->fresh[fresh].diag[k];
        const struct odp_slice former = w->gone[gone].key[k];
        if (x.field == NULL || odp_slice_eq(former, w->fresh[fresh].key[k]))
            continue;
        x.code = ODP_Q12;
        x.dataset = f->resource->dataset->slug;
        x.resource = f->resource->name;
        x.file = f->file;
        x.where = d->where[ODP_DRIFT_KEYS];
        x.args[0] = former;
        x.args[1] = odp_slice_of(f->before->version);
        x.args[2] = ODP_LIT("\"odp:drift\": {\"keys\": false}");
        x.proposal = former;
        const enum odp_status status = odp_diags_add(diags, &x);
        worst = status == ODP_FAIL || worst == ODP_OK ? status : worst;
    }
    return worst;
}

enum odp_status respelled_report(const struct findings *f, const struct odp_drift_rows *w,
                                 struct odp_diags *diags)
{
    struct odp_arena arena = {0};
    size_t pairs = 0;
    enum odp_status worst = ODP_OK;
    if (w->ngone == 0 || w->nfresh == 0 || w->more_fresh > 0)
        return ODP_OK;
    struct pairing p = {w, &arena, odp_arena_array(&arena, w->nfresh, sizeof *p.partner),
                        odp_arena_zero(&arena, w->ngone, 1)};
    for (uint32_t i = 0; i < w->nfresh; i++)
        p.partner[i] = NOWHERE;
    pair_forms(&p, true);
    pair_forms(&p, false);
    pair_slips(&p);
    for (uint32_t i = 0; i < w->nfresh; i++)
        pairs += p.partner[i] != NOWHERE;
    const bool beyond = (double)pairs > f->resource->drift.bound[ODP_DRIFT_KEYS] * (double)w->n;
    for (uint32_t i = 0; i < w->nfresh && beyond && worst != ODP_FAIL; i++) {
        if (p.partner[i] == NOWHERE)
            continue;
        const enum odp_status status = report_pair(f, w, i, p.partner[i], diags);
        worst = status == ODP_FAIL || worst == ODP_OK ? status : worst;
    }
    const enum odp_status kept = odp_arena_status(&arena);
    odp_arena_release(&arena);
    return kept == ODP_OK ? worst : kept;
}
