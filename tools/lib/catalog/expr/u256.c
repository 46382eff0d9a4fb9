/* 256-bit helpers of decimal arithmetic. They run only where a result does not fit in 128 bits. */
#include "catalog/expr/u256.h"

struct u256 u256_mul(unsigned __int128 a, unsigned __int128 b)
{
    uint64_t x[2] = {(uint64_t)a, (uint64_t)(a >> 64)}, y[2] = {(uint64_t)b, (uint64_t)(b >> 64)};
    struct u256 r = {{0}};
    for (int i = 0; i < 2; i++) {
        unsigned __int128 carry = 0;
        for (int j = 0; j < 2; j++) {
            carry += (unsigned __int128)x[i] * y[j] + r.limb[i + j];
            r.limb[i + j] = (uint64_t)carry;
            carry >>= 64;
        }
        r.limb[i + 2] = (uint64_t)carry;
    }
    return r;
}

struct u256 u256_add(struct u256 a, struct u256 b)
{
    unsigned __int128 carry = 0;
    for (int i = 0; i < 4; i++) {
        carry += (unsigned __int128)a.limb[i] + b.limb[i];
        a.limb[i] = (uint64_t)carry;
        carry >>= 64;
    }
    return a;
}

struct u256 u256_sub(struct u256 a, struct u256 b)
{
    uint64_t borrow = 0;
    for (int i = 0; i < 4; i++) {
        unsigned __int128 take = (unsigned __int128)b.limb[i] + borrow;
        borrow = a.limb[i] < take;
        a.limb[i] = (uint64_t)(a.limb[i] - (uint64_t)take);
    }
    return a;
}

int u256_cmp(const struct u256 *a, const struct u256 *b)
{
    for (int i = 3; i >= 0; i--)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

bool u256_zero(const struct u256 *a)
{
    return (a->limb[0] | a->limb[1] | a->limb[2] | a->limb[3]) == 0;
}

unsigned __int128 u256_low(const struct u256 *a)
{
    return (unsigned __int128)a->limb[1] << 64 | a->limb[0];
}

struct u256 u256_times10(struct u256 a)
{
    unsigned __int128 carry = 0;
    for (int i = 0; i < 4; i++) {
        carry += (unsigned __int128)a.limb[i] * 10;
        a.limb[i] = (uint64_t)carry;
        carry >>= 64;
    }
    return a;
}

struct u256 u256_over10(struct u256 a, unsigned *digit)
{
    unsigned __int128 rest = 0;
    for (int i = 3; i >= 0; i--) {
        rest = rest << 64 | a.limb[i];
        a.limb[i] = (uint64_t)(rest / 10);
        rest %= 10;
    }
    *digit = (unsigned)rest;
    return a;
}

struct u256 u256_divide(struct u256 a, struct u256 b, struct u256 *rest)
{
    struct u256 q = {{0}}, r = {{0}};
    for (int bit = 255; bit >= 0; bit--) {
        r = u256_add(r, r); /* never overflows: r < b <= 10^76 */
        r.limb[0] |= a.limb[bit / 64] >> (bit % 64) & 1;
        if (u256_cmp(&r, &b) >= 0) {
            r = u256_sub(r, b);
            q.limb[bit / 64] |= (uint64_t)1 << (bit % 64);
        }
    }
    *rest = r;
    return q;
}
