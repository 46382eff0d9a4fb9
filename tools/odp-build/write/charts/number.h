/* Exact numbers of charts and summaries: fixed point of nine decimals in 128 bits. Sums do not depend on
 * the order of records, batches or threads. */
#pragma once

#include "base/buffer.h"
#include "base/text.h"

/* Fixed point: units of 10^-9. A single value is below 10^18, and at most 10^10 are summed: no sum, and no
 * difference of two, leaves 128 bits. */
__extension__ typedef __int128 fixed;
enum { FIXED_PLACES = 9, FIXED_DIGITS = 18 };
#define FIXED_ONE ((fixed)1000000000)

/* A JSON number's literal, rounded half to even in the ninth decimal. PLACES: its decimals without trailing
 * zeros, at most 9. False: not below 10^18 (or no number). */
bool fixed_parse(struct odp_slice literal, fixed *out, unsigned *places);
fixed fixed_power(unsigned n);         /* 10^N, N <= 38 */
fixed fixed_divide(fixed v, fixed by); /* rounded half to even; BY > 0 */
static inline fixed fixed_absolute(fixed v)
{
    return v < 0 ? -v : v;
}
/* As a JSON number: shortest, exact. */
void fixed_json(struct odp_buffer *out, fixed v);
/* V / 10^POWER with DECIMALS, grouped, U+2212 for minus: "−1.234,5". What would round to zero and is not: "<
 * 0,1". */
void fixed_show(struct odp_buffer *out, fixed v, unsigned power, unsigned decimals, enum odp_lang lang);
/* 100 PART / WHOLE with one decimal; WHOLE is not 0: "35,2%". */
void fixed_percent(struct odp_buffer *out, fixed part, fixed whole, enum odp_lang lang);
