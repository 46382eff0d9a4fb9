/* Equal records in a source that has changed since the workbook was made: a correction of one is applied
 * only to as many records as exceed those that should stay, so that a correction that was applied before
 * does not hit the twin. */
#include <stdlib.h>

#include "repair/apply/apply_internal.h"

static int by_digest(const void *x, const void *y)
{
    return memcmp(((const struct apply_equal *)x)->digest, ((const struct apply_equal *)y)->digest,
                  CORRECT_ID_DIGEST);
}

struct apply_equal *apply_equal_find(const struct apply_sheet *s, const char digest[CORRECT_ID_DIGEST])
{
    struct apply_equal key = {0};
    memcpy(key.digest, digest, sizeof key.digest);
    return s->nequals > 0 ? bsearch(&key, s->equals, s->nequals, sizeof *s->equals, by_digest) : NULL;
}

/* One entry for each digest of rows with a request. */
static void make_list(struct apply *a, struct apply_sheet *s)
{
    size_t n = 0;
    s->equals = odp_arena_zero(a->arena, s->nrows + 1, sizeof *s->equals);
    for (size_t i = 0; i < s->nrows; i++)
        if (!s->rows[i]->added) {
            memcpy(s->equals[n].digest, s->rows[i]->id.digest, CORRECT_ID_DIGEST);
            s->equals[n++].copy = (s->rows[i]->id.flags & CORRECT_FLAG_COPY) != 0;
        }
    if (n > 1)
        qsort(s->equals, n, sizeof *s->equals, by_digest);
    for (size_t i = 0; i < n; i++) {
        struct apply_equal *last = s->nequals > 0 ? &s->equals[s->nequals - 1] : NULL;
        if (last == NULL || by_digest(last, &s->equals[i]) != 0) {
            s->equals[s->nequals++] = s->equals[i];
            last = &s->equals[s->nequals - 1];
        }
        last->copy = last->copy || s->equals[i].copy;
        last->wanting++;
    }
}

static enum odp_status count(void *ctx, const struct odp_source_info *info, const struct correct_record *rec)
{
    struct apply_equal *e = apply_equal_find(ctx, rec->digest);
    if (e != NULL)
        e->there++;
    return ODP_OK;
}

/* The second reading, which matches, reports what is wrong with the source. */
static enum odp_status read_quietly(struct apply_sheet *s)
{
    struct correct_reading to = {s, NULL, count};
    struct odp_diags *ignored = NULL;
    enum odp_status status = odp_diags_new(&ignored, 0);
    if (status == ODP_OK)
        status = correct_read(s->resource, s->path, &to, ignored);
    odp_diags_free(ignored);
    return status == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

enum odp_status apply_equal_count(struct apply *a, struct apply_sheet *s)
{
    make_list(a, s);
    enum odp_status status = s->nequals > 0 ? read_quietly(s) : ODP_OK;
    for (size_t i = 0; i < s->nknown && status == ODP_OK; i++) {
        struct apply_equal *e = apply_equal_find(s, s->known[i]);
        if (e != NULL)
            e->untouched++;
    }
    for (size_t i = 0; i < s->nequals && status == ODP_OK; i++) {
        struct apply_equal *e = &s->equals[i];
        uint64_t stay = e->untouched - e->wanting;
        stay = stay == 0 && e->copy
                   ? 1
                   : stay; /* the record before it, which has no fault and may not be in the workbook */
        e->left = e->there > stay ? e->there - stay : 0;
    }
    return status;
}
