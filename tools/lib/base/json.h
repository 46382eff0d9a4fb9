/* Writing JSON straight into a buffer (records: no DOM), and finding the place of a value in JSON text. */
#pragma once

#include <stdint.h>

#include "base/buffer.h"
#include "base/slice.h"
#include "base/text.h"

/* S (valid UTF-8) as a JSON string with quotes (RFC 8259, section 7). U+2028/2029 and DEL are escaped too,
 * '/' is not. */
void odp_json_add_string(struct odp_buffer *b, struct odp_slice s);
/* The same without the quotes around it, for strings made of parts. */
void odp_json_add_inside(struct odp_buffer *b, struct odp_slice s);
/* BEFORE as it is (a comma, a member's name), then S as a JSON string. Of a string that is NULL nothing is
 * added, not even BEFORE. */
void odp_json_add_slice(struct odp_buffer *b, const char *before, struct odp_slice s);
void odp_json_add_str(struct odp_buffer *b, const char *before, const char *s);
/* BEFORE and a number; BEFORE and {"id":…,"en":…}. */
void odp_json_add_u64(struct odp_buffer *b, const char *before, uint64_t n);
void odp_json_add_text(struct odp_buffer *b, const char *before, const struct odp_text *t);
/* A part of a composite key: a comma separates parts, so one in a part is "%2C", and a percent sign "%25". */
void odp_json_add_key_part(struct odp_buffer *b, struct odp_slice s);

/* Where the value at POINTER (RFC 6901) is in TEXT, which a JSON parser has accepted: line and column from 1,
 * column in characters. "key:" before the pointer asks for the place of the member's name:
 * "key:/resources/0/path". False (and 1,1) when there is no such value. */
bool odp_json_locate(struct odp_slice text, const char *pointer, uint32_t *line, uint32_t *column);

/* The bytes of the value at POINTER of TEXT, which a JSON parser has accepted; ptr NULL: no such value. */
struct odp_slice odp_json_at(struct odp_slice text, const char *pointer);

/* True if S is one well-formed JSON value of valid UTF-8 (RFC 8259), nested at most 200 deep. FIRST gets '{',
 * '[', '"' … */
bool odp_json_valid(struct odp_slice s, char *first);

/* RAW, the inside of a JSON string, without its escapes. OUT has room for RAW.len bytes and may be RAW.ptr
 * itself. False: a wrong escape, or half a surrogate pair. */
bool odp_json_unescape(struct odp_slice raw, char *out, size_t *len) ODP_MUST_USE;
