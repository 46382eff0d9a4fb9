/* Numbers without a pattern, the same on every run and machine (SplitMix64). */
#pragma once

#include <stdint.h>

static uint64_t random_seed = 1;

static inline uint64_t random_bits(void)
{
    uint64_t z = random_seed += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

/* 0 to N - 1. */
static inline uint32_t dice(uint64_t n)
{
    return (uint32_t)(random_bits() % n);
}

/* 0 to 1, without it. */
static inline double random_unit(void)
{
    return (double)(random_bits() >> 11) * 0x1p-53;
}
