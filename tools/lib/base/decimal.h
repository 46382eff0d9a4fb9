/* Decimal numbers as text. A number keeps its literal: it is never sent through double.
 *
 * The canonical literal is a JSON number (RFC 8259, section 6) without exponent where the source had none: no
 * '+', no leading zeros, at least one digit before the point, digits after a point. Trailing zeros stay
 * ("12.50"). */
#pragma once

#include <stdint.h>

#include "base/slice.h"

/* How a source writes numbers (Table Schema v2: decimalChar, groupChar, bareNumber). 0 = none. */
struct odp_decimal_form {
    char decimal; /* '.' by default; ',' for an integer whose group is '.' */
    char group;   /* '\0' by default; ' ' also means U+00A0 and U+202F in the text */
    bool bare;    /* false: text before and after the number is stripped ("Rp 1.500", "12 %") */
    bool integer; /* no fraction, no exponent */
};

enum odp_decimal_fault {
    ODP_DECIMAL_OK = 0,
    ODP_DECIMAL_EMPTY,
    ODP_DECIMAL_SYNTAX,     /* not a number at all */
    ODP_DECIMAL_GROUP,      /* a misplaced group character: 1.5 with group '.', 12.34.567 */
    ODP_DECIMAL_OTHER_MARK, /* would be a number if the other decimal sign were declared: 12,5 for '.' */
    ODP_DECIMAL_FRACTION,   /* a fraction where an integer is wanted */
    ODP_DECIMAL_NOT_FINITE, /* NaN, INF, -INF: legal in Table Schema, without a form in JSON */
    ODP_DECIMAL_TOO_LONG    /* more than ODP_DECIMAL_DIGITS digits or a silly exponent */
};
#define ODP_DECIMAL_DIGITS 60
#define ODP_DECIMAL_SIZE   80 /* room for any canonical literal */

/* Parses S (already trimmed) and writes the canonical literal to OUT. *UNCHANGED: the literal equals S, so
 * the caller can keep its slice. *LEADING_ZERO: zeros in front were dropped (007): a code, most likely. */
enum odp_decimal_fault odp_decimal_parse(struct odp_slice s, const struct odp_decimal_form *form,
                                         char out[ODP_DECIMAL_SIZE], size_t *len, bool *unchanged,
                                         bool *leading_zero);

/* NUMBER, a canonical literal without exponent, as FORM writes it, groups included: "-1.234,5"; returns its
 * length. */
#define ODP_DECIMAL_FORM_SIZE (2 * ODP_DECIMAL_SIZE)
size_t odp_decimal_in_form(struct odp_slice number, const struct odp_decimal_form *form,
                           char out[ODP_DECIMAL_FORM_SIZE]);

/* Exact comparison of two canonical literals: <0, 0, >0. 1.50 equals 1.5, 1e2 equals 100, -0 equals 0. */
int odp_decimal_cmp(struct odp_slice a, struct odp_slice b);
/* The shortest literal of the same value, for keys: "1.50" -> "1.5", "-0" -> "0", "1e2" -> "100". Returns its
 * length. */
size_t odp_decimal_normal(struct odp_slice s, char out[ODP_DECIMAL_SIZE]);

/* V in at most PLACES decimals (0..15), half away from zero on the exact binary value, trailing zeros and
 * "-0" removed; locale-free and the same on every machine. |V| < 1e15. Returns the length; OUT has room
 * for 40. Coordinates use PLACES 7. Outside that range, and for NaN, nothing is written and 0 is returned:
 * check v before. */
size_t odp_decimal_fixed(double v, int places, char *out);
/* The result of odp_decimal_fixed as an integer: 12.5 in 7 places is 125000000. False where it does not fit
 * 64 bits. */
bool odp_decimal_units(double v, int places, int64_t *out);
