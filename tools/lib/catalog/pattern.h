/* Internal to tools/lib/catalog: patterns are XML Schema regular expressions (XSD part 2, appendix F), run by PCRE2. */
#ifndef ODP_CATALOG_PATTERN_H
#define ODP_CATALOG_PATTERN_H

#include "catalog/doc.h"

/* Translates what XSD writes otherwise: \i \c \I \C, class subtraction [a-z-[aeiou]]. ^ and $ stay anchors: every data author
 * means them so. BAD: a fault at *AT (message static), FAIL: no memory. */
enum odp_status pattern_translate(struct odp_slice xsd, struct odp_buffer *out, size_t *at, const char **message) ODP_MUST_USE;

/* Compiles N's string (reported as C10 when wrong) for whole values; NULL when wrong. The catalogue owns the code. */
void *pattern_compile(struct node n);

#endif
