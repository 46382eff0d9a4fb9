/* UTF-8 (RFC 3629). Data text is checked once, when it comes in; what comes after tools/odp-build/read may
 * rely on it. */
#pragma once

#include <stdint.h>

#include "base/slice.h"

/* Length of the longest valid prefix: s.len when all of it is valid UTF-8 (no surrogates, no overlong forms).
 */
size_t odp_utf8_valid(struct odp_slice s);
/* One line that people can read: not empty, at most MOST bytes of valid UTF-8, no control characters. */
bool odp_utf8_is_line(struct odp_slice s, size_t most);
/* Code points in valid UTF-8. */
size_t odp_utf8_count(struct odp_slice s);
/* Terminal columns: 0 for combining marks, 2 for wide East Asian and emoji, 1 otherwise; locale-free. */
size_t odp_utf8_width(struct odp_slice s);
/* The first bytes of S (valid text), MOST of them or fewer, without a part of a character at the end. */
struct odp_slice odp_utf8_cut(struct odp_slice s, size_t most);
/* Decodes one code point at ptr (valid text); returns its length in bytes, 1..4. */
size_t odp_utf8_decode(const char *ptr, size_t len, uint32_t *cp);
/* U+FDD0…FDEF and the last two of each plane: valid in UTF-8, but characters of no text (Unicode,
 * section 23.7); libraries refuse them. */
static inline bool odp_utf8_is_noncharacter(uint32_t cp)
{
    return (cp & 0xFFFE) == 0xFFFE || (cp >= 0xFDD0 && cp <= 0xFDEF);
}
/* Writes CP (a scalar value) to OUT, returns 1..4. */
size_t odp_utf8_encode(uint32_t cp, char out[4]);
