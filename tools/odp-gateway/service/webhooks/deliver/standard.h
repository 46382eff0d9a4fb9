/* Standard Webhooks 1.0.0: secrets, signatures, times of attempts. No clock; only secret_new is random.
 *
 * A message's id comes from the event and the subscription, so it is the same after a restore. A challenge
 * must come from bytes that the owner does not have: with his secret he could confirm somebody else's
 * address. An answer meets it by its text alone, as a JSON string, or as the member `challenge` of a JSON
 * object; an echo of the whole message is no consent: there it is in `data`. Jitter only lengthens, by up to
 * a fifth; Retry-After only lengthens, up to a day, without jitter. */
#pragma once

#include "base/buffer.h"
#include "base/slice.h"
#include "base/status.h"
#include <stdint.h>

/* ---- secrets: 32 random bytes, shown as "whsec_" + base64 ---- */

#define ODP_WEBHOOK_SECRET      32
#define ODP_WEBHOOK_SECRET_TEXT 51 /* "whsec_", 44 characters, NUL */
enum odp_status odp_webhook_secret_new(uint8_t out[ODP_WEBHOOK_SECRET]) ODP_MUST_USE;
void odp_webhook_secret_text(const uint8_t secret[ODP_WEBHOOK_SECRET], char out[ODP_WEBHOOK_SECRET_TEXT]);

/* ---- the signature ---- */

/* "v1,<base64> v1,<base64>": HMAC-SHA256 of "ID.TIMESTAMP.BODY" with each of N keys (1 or 2), the current one
 * first. TIMESTAMP: Unix seconds of the attempt. BAD: another N, an empty key, an ID that is empty or has a
 * dot; OUT is "". */
#define ODP_WEBHOOK_SIGNATURE 96
enum odp_status odp_webhook_sign(char out[ODP_WEBHOOK_SIGNATURE + 1], const char *id, int64_t timestamp,
                                 struct odp_slice body, const struct odp_slice *keys, size_t n) ODP_MUST_USE;

/* "msg_" + 22 base62 characters of the SHA-256 of EVENT, a 0 byte and WEBHOOK: the same for ever. */
#define ODP_WEBHOOK_ID 27
enum odp_status odp_webhook_message_id(char out[ODP_WEBHOOK_ID], const char *event,
                                       const char *webhook) ODP_MUST_USE;
/* What a receiver must answer to a challenge: 32 base62 characters of HMAC-SHA256(SECRET, "challenge" 0
 * WEBHOOK 0 ROUND). SECRET: random bytes made for this challenge. */
#define ODP_WEBHOOK_CHALLENGE 33
enum odp_status odp_webhook_challenge(char out[ODP_WEBHOOK_CHALLENGE],
                                      const uint8_t secret[ODP_WEBHOOK_SECRET], const char *webhook,
                                      int64_t round) ODP_MUST_USE;
/* ANSWER (of a 2xx) is the challenge alone, between white space, a JSON string, or a JSON object with member
 * "challenge". Compared in constant time. */
/* TEXT is that challenge; takes the same time however much of it is right. */
bool odp_webhook_challenge_is(const char *challenge, struct odp_slice text);
bool odp_webhook_challenge_met(const char *challenge, struct odp_slice answer);

/* ---- the schedule ---- */

#define ODP_WEBHOOK_ATTEMPTS 10
/* Milliseconds from the end of attempt N (1 …) to the next one: 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20
 * h, 24 h, each with up to 20 % more by RANDOM (any number); -1: it was the last. RETRY_AFTER (seconds, -1:
 * not said) counts if it is longer, up to 24 h. */
int64_t odp_webhook_delay_ms(unsigned n, uint32_t random, int64_t retry_after);
