/* Inside of the evaluator: registers, and the small form of numbers (eval_small.c). */
#ifndef ODP_CATALOG_EXPR_EVAL_INTERNAL_H
#define ODP_CATALOG_EXPR_EVAL_INTERNAL_H

#include "catalog/expr/expr_internal.h"

#define STRIP 256

/* A register: one value a row, or one for all (STEP 0). Its class follows from the kind: truth, text, number. */
struct reg {
    union {
        void *room;
        uint8_t *truth;         /* enum odp_truth */
        struct odp_slice *text; /* ptr NULL: null */
        struct num *num;
    };
    size_t step;
    bool small;                 /* numbers only: in the small form, in the same room */
};

/* The small form: M[i] * 10^-SCALE[i]; a scale of SMALL_NULL is null. Values are those that struct num would have, to the scale. Of batches
 * only. */
enum { SMALL_NULL = 0xff };
static inline int64_t *expr_small_m(const struct reg *r)
{
    return r->room;
}
static inline uint8_t *expr_small_scale(const struct reg *r)
{
    return (uint8_t *)r->room + STRIP * sizeof(int64_t);
}
static inline bool expr_small_null(const struct reg *r, uint32_t i)
{
    return expr_small_scale(r)[i] == SMALL_NULL;
}

/* N values of FIELD (which has a column) from row FIRST on. False: one of them is not small. */
bool expr_small_load(struct reg *r, enum kind kind, const struct odp_batch *b, uint32_t field, uint32_t first, uint32_t n);
bool expr_small_constant(struct reg *r, const struct num *value);
/* Small to struct num, if it is small. N: rows of the strip. */
void expr_small_widen(struct reg *r, uint32_t n);
/* A = A OP B in N rows. False: not both are small, or a result is not; nothing has changed. */
bool expr_small_arithmetic(enum op op, struct reg *a, const struct reg *b, uint32_t n);
/* OUT[i] (enum odp_truth): bit 0, 1 or 2 of ACCEPTS where A is less than B, equal, greater. Both are small. */
void expr_small_compare(unsigned accepts, const struct reg *a, const struct reg *b, uint32_t n, uint8_t *out);

#endif
