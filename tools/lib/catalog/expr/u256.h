/* 256-bit helpers of decimal arithmetic (num.c). */
#ifndef ODP_CATALOG_EXPR_U256_H
#define ODP_CATALOG_EXPR_U256_H

#include <stdbool.h>
#include <stdint.h>

/* 256 bits without sign, least significant limb first: the way between two 128-bit numbers and a rounded result. */
struct u256 {
    uint64_t limb[4];
};
struct u256 u256_mul(unsigned __int128 a, unsigned __int128 b);
struct u256 u256_add(struct u256 a, struct u256 b);
struct u256 u256_sub(struct u256 a, struct u256 b); /* a >= b */
int u256_cmp(const struct u256 *a, const struct u256 *b);
struct u256 u256_times10(struct u256 a);
struct u256 u256_over10(struct u256 a, unsigned *digit);
struct u256 u256_divide(struct u256 a, struct u256 b, struct u256 *rest); /* b > 0 */
bool u256_zero(const struct u256 *a);
unsigned __int128 u256_low(const struct u256 *a);

#endif
