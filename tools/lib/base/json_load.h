/* Reading JSON with jansson. Its own json_loadb drops a character of a string where it gets no memory for it, and says nothing
 * (load.c, lex_save): whoever reads must not take "a@example.or" for what was sent. Nothing else of odp calls it. odp-build ends where
 * jansson gets no memory at all (its main.c); the gateway's service has to go on. */
#ifndef ODP_BASE_JSON_LOAD_H
#define ODP_BASE_JSON_LOAD_H

#include <jansson.h>

/* The value that TEXT, LEN bytes, is; FLAGS and ERROR (may be NULL) as of json_loadb. NULL: a fault, or no memory, which is always
 * json_error_out_of_memory. */
json_t *odp_json_load(const char *text, size_t len, size_t flags, json_error_t *error);

#endif
