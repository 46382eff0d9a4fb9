/* What is wrong with a text that is no JSON, for people: jansson's own sentence is English. */
#pragma once

#include "base/arena.h"
#include "base/json_load.h"
#include "base/text.h"

/* "found “}”, expected …": a part of a sentence, in both languages, in A. jansson's words where they are not known. */
struct odp_text odp_json_say(struct odp_arena *a, const json_error_t *e);
/* Where in TEXT, which E is about, that is: the byte; *LEN is the length of what was found, 0 at the end. */
size_t odp_json_fault_at(const json_error_t *e, struct odp_slice text, size_t *len);
