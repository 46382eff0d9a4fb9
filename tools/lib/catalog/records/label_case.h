/* The case of names: lists come in capitals, and people read "Kabupaten Penukal Abab Lematang Ilir". */
#pragma once

#include "catalog/schema.h"

/* TEXT, in A: where it has no small letter its words begin with a capital and go on in small letters. Words
 * of KEEP (in any case) are as they stand there; words with digits or points, and Roman numerals (to
 * XXXIX), stay as they are. */
const char *odp_label_title(struct odp_slice text, const struct odp_strings *keep, struct odp_arena *a);
