/* Coordinates as text, many at a time: nearly all bytes of a file with geometry are these (twelve million
 * numbers in one of 50,000 polygons). Their digits are made eight numbers at a time by the compiler's own
 * vectors, in 3 ns a number where odp_decimal_fixed takes 12: without it such an export takes 37 % more CPU.
 *
 * That is with AVX2 (of 2013 on); without it, it takes 8 ns. Each step is an addition, a multiplication, a
 * conversion or a choice that IEEE 754 defines to the last bit, so the digits are the same on any machine. */
#pragma once

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
    ODP_DEGREES_PLACES = 7, /* RFC 7946, section 11.2: about a centimetre */
    ODP_DEGREES_MANY = 256, /* numbers at a time, at most: a multiple of eight */
    ODP_DEGREES_ROOM = 16   /* bytes that one may touch, beyond its end too */
};

/* The parts of each number: its sign, 0 or 1 characters; "106" in the lowest bytes, and sign and that in
 * characters; its seven decimals in bytes 1 to 7, each 0 to 9, where byte 0 is the point's. */
struct odp_degrees {
    uint32_t sign[ODP_DEGREES_MANY], whole[ODP_DEGREES_MANY], start[ODP_DEGREES_MANY];
    uint64_t decimals[ODP_DEGREES_MANY];
};

/* Of the first N numbers at V, at most ODP_DEGREES_MANY. False where one of them is not within 999 of zero,
 * or none: then D holds nothing of use. */
bool odp_degrees_of(const double *v, uint32_t n, struct odp_degrees *d);

/* Number I as odp_decimal_fixed writes it with ODP_DEGREES_PLACES. Returns where it ends. */
static inline char *odp_degrees_put(char *p, const struct odp_degrees *d, uint32_t i)
{
    uint64_t decimals = d->decimals[i], text = htole64(decimals | 0x303030303030302E);
    uint32_t whole = htole32(d->whole[i]);
    *p = '-';
    memcpy(p + d->sign[i], &whole, sizeof whole);
    memcpy(p + d->start[i], &text, sizeof text);
    /* The text ends with the last digit that is not 0; where all decimals are 0 nothing of it counts. */
    return p + d->start[i] + (70 - __builtin_clzll(2 * decimals + 1)) / 8;
}
