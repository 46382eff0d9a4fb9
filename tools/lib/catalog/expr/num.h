/* Exact decimals: mantissa * 10^-scale in 128 bits. A longer literal stays text (WIDE), so that fields of any
 * length compare exactly. Dates and times are numbers of scale 0 (constant.c), so that one comparison serves
 * all ordered kinds but text. */
#pragma once

#include <stdint.h>

#include "base/slice.h"

#define NUM_DIGITS 38 /* decimal digits that always fit */
#define NUM_TEXT   64 /* bytes of a number that is not wide */
#define NUM_PLACES 20 /* decimals kept where a result is rounded */

enum num_state { NUM_NULL = 0, NUM_OK, NUM_WIDE };

struct num {
    union {
        __int128 m;            /* NUM_OK: |m| < 10^38 */
        struct odp_slice wide; /* NUM_WIDE: a canonical literal */
    };
    int32_t scale; /* 0 .. NUM_DIGITS */
    uint8_t state; /* enum num_state */
};

/* A JSON number (leading zeros allowed): for literals that come from files. */
bool num_is_literal(struct odp_slice s);
/* LITERAL is canonical (base/decimal.h), leading zeros allowed; borrowed where the result is WIDE. */
struct num num_parse(struct odp_slice literal);
static inline struct num num_of(__int128 m)
{
    return (struct num){.m = m, .scale = 0, .state = NUM_OK};
}
/* Shortest literal of a number that is not null: in ROOM, or a wide number's own. */
struct odp_slice num_text(const struct num *n, char room[NUM_TEXT]);
/* The decimal of at most 15 significant digits that V was made of (catalog/index/search.h: REAL); a wide one
 * is in ROOM. */
struct num num_of_double(double v, char room[NUM_TEXT]);
/* False: not whole, or beyond 64 bits. */
bool num_integer(const struct num *n, int64_t *out);
/* Neither is null. */
int num_cmp_any(const struct num *a, const struct num *b);
static inline int num_cmp(const struct num *a, const struct num *b)
{
    bool alike =
        a->scale == b->scale && a->state == NUM_OK && b->state == NUM_OK; /* nearly all of a column are */
    return alike ? (a->m > b->m) - (a->m < b->m) : num_cmp_any(a, b);
}
/* Null where an operand is null, the divisor is zero, or the integer part of the result has more than 38
 * digits. */
struct num num_add_any(struct num a, struct num b);
static inline struct num num_add(struct num a, struct num b)
{
    bool alike = a.scale == b.scale && a.state == NUM_OK && b.state == NUM_OK && a.m == (int64_t)a.m &&
                 b.m == (int64_t)b.m;
    return alike ? (struct num){.m = a.m + b.m, .scale = a.scale, .state = NUM_OK} : num_add_any(a, b);
}
struct num num_sub(struct num a, struct num b);
struct num num_mul(struct num a, struct num b);
struct num num_div(struct num a, struct num b);
struct num num_neg(struct num a);
/* At PLACES decimals, a half away from zero; -2: at hundreds. Null beyond -38 … 38. */
struct num num_round(struct num a, int64_t places);
