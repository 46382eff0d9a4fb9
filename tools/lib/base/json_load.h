/* jansson, and its memory. Where jansson gets none while it reads or writes a string, it leaves a byte out
 * and goes on (load.c, lex_save ignores strbuffer_append_byte's result): and "a@example.or" must not pass for
 * what was sent. So its memory comes from the reserve of arenas where the system refuses it (base/arena.h):
 * what it makes is whole, and odp_arena_status_of_all says so where work ends. It returns NULL only for what
 * is no value (text that is not UTF-8, NaN). */
#pragma once

#include <jansson.h>

#include "base/arena.h"
#include "base/text.h"

/* Once, before the first value is made; allocation functions that are set by then are asked first. */
void odp_json_start(void);

/* The value that TEXT, LEN bytes, is; FLAGS and ERROR (may be NULL) as of json_loadb. NULL: a fault, which
 * ERROR tells. */
json_t *odp_json_load(const char *text, size_t len, size_t flags, json_error_t *error);

/* Gives back what json_dumps returned; free() does not know the reserve. */
void odp_json_free_text(char *text);

/* The string that member KEY of O is; NULL: none. */
static inline const char *odp_json_text(const json_t *o, const char *key)
{
    return json_string_value(json_object_get(o, key));
}

/* The first item of LIST whose member KEY is TEXT (NULL: of no item); NULL: none. */
json_t *odp_json_find(const json_t *list, const char *key, const char *text);

/* ---- what is wrong with a text that is no JSON, for people: jansson's own sentence is English ---- */

/* "found “}”, expected …": a part of a sentence, in both languages, in A. jansson's words where they are not
 * known. */
struct odp_text odp_json_say(struct odp_arena *a, const json_error_t *e);
/* The byte of TEXT that E complains of; *LEN is the length of what was found there, 0 at the end. */
size_t odp_json_fault_at(const json_error_t *e, struct odp_slice text, size_t *len);
