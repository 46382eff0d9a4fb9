/* Small JSON documents, built with jansson in the order of their members. */
#pragma once

#include <jansson.h>

#include "base/buffer.h"
#include "base/digest.h"
#include "catalog/schema.h"

/* {"id": …, "en": …} */
json_t *odp_doc_text(const struct odp_text *t);
json_t *odp_doc_slice(struct odp_slice s);
/* Canonical text of a value as JSON; a number that jansson cannot hold becomes a string. */
json_t *odp_doc_value(enum odp_type type, struct odp_slice text);
/* [w, s, e, n] with 7 decimals. */
json_t *odp_doc_bbox(const double bbox[4]);
json_t *odp_doc_digest(const uint8_t digest[ODP_SHA256_SIZE]); /* "sha256:…" */

/* The text of member KEY, or ""; its digest "sha256:…". */
const char *odp_text_of(const json_t *object, const char *key);
bool odp_doc_read_digest(const json_t *object, const char *key, uint8_t out[ODP_SHA256_SIZE]);

/* ---- for odp-build: nothing to look at afterwards ---- */

/* Set a member, append an item; VALUE is taken. They end the process if VALUE is NULL, which can only be
 * text that is not UTF-8, and that was checked on reading. */
void odp_set(json_t *object, const char *key, json_t *value);
void odp_add(json_t *array, json_t *value);
void odp_set_str(json_t *object, const char *key, const char *s); /* NULL: "" */
void odp_set_flag(json_t *object, const char *key, bool flag);
void odp_set_number(json_t *object, const char *key, json_int_t n);
/* A copy of SOURCE's member; sets nothing if there is none. */
void odp_set_copy(json_t *object, const json_t *source, const char *key);

enum {
    ODP_DOC_LINE = JSON_COMPACT | JSON_REAL_PRECISION(15),
    ODP_DOC_PRETTY = JSON_INDENT(2) | JSON_REAL_PRECISION(15),
    ODP_DOC_NARROW = JSON_INDENT(1) | JSON_REAL_PRECISION(15)
};
enum odp_status odp_doc_print(struct odp_buffer *out, const json_t *value, size_t flags) ODP_MUST_USE;
/* Appends VALUE (NULL: nothing) in a form for digests alone: shorter than JSON and quickly made; different
 * values are different there, and members have their order. */
void odp_doc_key(struct odp_buffer *to, const json_t *value);
/* Appends VALUE as it stands DEPTH levels deep in a document that is printed ODP_DOC_NARROW. */
enum odp_status odp_doc_print_within(struct odp_buffer *out, const json_t *value, int depth) ODP_MUST_USE;
