/* Values as people in Indonesia (and readers of English) write them. Independent of the locale. */
#pragma once

#include "base/buffer.h"
#include "base/diag.h"
#include "catalog/schema.h"

/* A JSON number's literal with separators: "1234567.89" is 1.234.567,89 (en: 1,234,567.89). Digits are kept
 * as they are, nothing is rounded; a number with an exponent is written out, in its shortest form, where that
 * takes 60 digits at most, else with ×10^n. GROUP false: no thousands separators. */
void odp_words_number(struct odp_buffer *out, struct odp_slice literal, enum odp_lang lang, bool group);
/* "2024-03-15" (of a date, a timestamp, a version's name) as 15 Maret 2024, 15 March 2024; other text as it
 * is. */
void odp_words_date(struct odp_buffer *out, struct odp_slice date, enum odp_lang lang);
/* A cell as printed in the language: figures by odp_words_number, booleans Ya/Tidak, the rest as it is. */
void odp_words_cell(struct odp_buffer *out, const struct odp_schema *s, uint32_t field, struct odp_slice text,
                    enum odp_lang lang);
/* The field's title, or its name. With its unit in brackets, where it has one: "Pagu awal (rupiah)". */
void odp_words_title(struct odp_buffer *out, const struct odp_field *f, enum odp_lang lang, bool unit);
