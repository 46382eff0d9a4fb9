/* Coordinates as text, many at a time: nearly all bytes of a file with geometry are these (ten million
 * numbers in one of 50,000 polygons). Their digits are made eight numbers at a time by the compiler's own
 * vectors, in 5 ns a number where odp_decimal_fixed takes 10: without it such an export takes 17 % more CPU.
 *
 * Where there is AVX2 (of 2013 on): without it, it takes 18 ns. Each step is an addition, a multiplication, a
 * conversion or a choice that IEEE 754 defines to the last bit, so the digits are the same on any machine. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
    ODP_DEGREES_PLACES = 7, /* RFC 7946, section 11.2: about a centimetre */
    ODP_DEGREES_MANY = 256, /* numbers at a time, at most: a multiple of eight */
    ODP_DEGREES_ROOM = 16   /* bytes that one may touch, beyond its end too */
};

/* The parts of each number: its sign, 0 or 1 characters; "106." in the lowest bytes, and sign and that in
 * characters; its seven decimals as four and four; how many of them are kept, -1: not even the point. */
struct odp_degrees {
    int32_t sign[ODP_DEGREES_MANY], whole[ODP_DEGREES_MANY], start[ODP_DEGREES_MANY];
    int32_t high[ODP_DEGREES_MANY], low[ODP_DEGREES_MANY], kept[ODP_DEGREES_MANY];
};

/* Of the first N numbers at V, at most ODP_DEGREES_MANY. False where one of them is not within 999 of zero,
 * or none: then D holds nothing of use. */
bool odp_degrees_of(const double *v, uint32_t n, struct odp_degrees *d);

/* Number I as odp_decimal_fixed writes it with ODP_DEGREES_PLACES. Returns where it ends. */
static inline char *odp_degrees_put(char *p, const struct odp_degrees *d, uint32_t i)
{
    *p = '-';
    memcpy(p + d->sign[i], &d->whole[i], 4);
    p += d->start[i];
    memcpy(p, &d->high[i], 4);
    memcpy(p + 4, &d->low[i], 4);
    return p + d->kept[i];
}
