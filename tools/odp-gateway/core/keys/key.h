/* API keys: odp_live_ + 30 base62 + 6 base62 of CRC-32 (zlib) of the 30, alphabet 0-9A-Za-z, left-padded with
 * '0' (the form of GitHub's tokens). A mistyped key is refused by its checksum, without a look-up. Only the
 * SHA-256 of the whole text is kept.
 */
#pragma once

#include "base/digest.h"
#include "base/slice.h"

#define ODP_KEY_PREFIX "odp_live_"
#define ODP_KEY_LENGTH 45 /* 9 + 30 + 6 */
#define ODP_KEY_SHOWN  14 /* what logs and lists show: the prefix and five characters */

/* A new key from the system's random source, every character equally likely. */
enum odp_status odp_key_make(char out[ODP_KEY_LENGTH + 1]) ODP_MUST_USE;
/* Length, prefix, alphabet and checksum are right. Says nothing about whether the key was ever issued. */
bool odp_key_ok(struct odp_slice key);
/* SHA-256 of the key's text. */
enum odp_status odp_key_digest(struct odp_slice key, uint8_t out[ODP_SHA256_SIZE]) ODP_MUST_USE;
/* "odp_live_Ab3dE"; of a text that is too short to be a key, or does not begin like one: "". */
void odp_key_shown(struct odp_slice key, char out[ODP_KEY_SHOWN + 1]);
/* Something in TEXT, of an address, begins like a key, in any letter case and percent-encoded any number of
 * times. */
bool odp_key_is_in(struct odp_slice text);
/* Overwrites with '*' all but the shown part of everything in TEXT that begins like a key (odp_live_, in any
 * letter case and also percent-encoded), and the whole value of query parameters named api_key, apikey, key,
 * token, access_token (in any case and encoding). A key goes on until a character that no mistyped key has.
 * In place, never longer. Returns how many were found. For request lines on their way into a log. */
size_t odp_key_redact(char *text, size_t len);

/* What the Authorization header says (RFC 6750, section 2.1). Scheme in any case, one or more spaces,
 * b64token, spaces at the end. */
enum odp_bearer { ODP_BEARER_NONE, ODP_BEARER_OTHER, ODP_BEARER_MALFORMED, ODP_BEARER_OK };
/* *KEY is a part of HEADER; set for OK only. An empty header is NONE, another scheme OTHER. */
enum odp_bearer odp_bearer_parse(struct odp_slice header, struct odp_slice *key);
