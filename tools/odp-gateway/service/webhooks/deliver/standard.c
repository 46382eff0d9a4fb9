/* Standard Webhooks 1.0.0. HMAC-SHA256 (RFC 2104) and base64 (RFC 4648, 4) are libcrypto's. */
#include "service/webhooks/deliver/standard.h"

#include <inttypes.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdio.h>

#include "base/digest.h"
#include "base/json_load.h"
#include "core/random.h"

enum { MAC = 32, MAC_TEXT = 44, PREFIX = 6, DAY = 86400 };

/* ---- secrets ---- */

enum odp_status odp_webhook_secret_new(uint8_t out[ODP_WEBHOOK_SECRET])
{
    return odp_random(out, ODP_WEBHOOK_SECRET);
}

void odp_webhook_secret_text(const uint8_t secret[ODP_WEBHOOK_SECRET], char out[ODP_WEBHOOK_SECRET_TEXT])
{
    memcpy(out, "whsec_", PREFIX);
    (void)EVP_EncodeBlock((unsigned char *)out + PREFIX, secret, ODP_WEBHOOK_SECRET); /* ends it, too */
}

/* ---- HMAC ---- */

/* Of N pieces, one after the other. */
static enum odp_status mac_of(struct odp_slice key, const struct odp_slice *pieces, size_t n,
                              uint8_t out[MAC])
{
    struct odp_buffer text = {0};
    unsigned got = 0;
    for (size_t i = 0; i < n; i++)
        odp_buffer_add_slice(&text, pieces[i]);
    enum odp_status st = odp_buffer_status(&text);
    if (st == ODP_OK && (HMAC(EVP_sha256(), key.ptr, (int)key.len, (const unsigned char *)text.ptr, text.len,
                              out, &got) == NULL ||
                         got != MAC))
        st = odp_failure_set("sign a message", NULL, 0);
    odp_buffer_release(&text);
    return st;
}

/* ---- the signature ---- */

enum odp_status odp_webhook_sign(char out[ODP_WEBHOOK_SIGNATURE + 1], const char *id, int64_t timestamp,
                                 struct odp_slice body, const struct odp_slice *keys, size_t n)
{
    char time[24];
    uint8_t mac[MAC];
    size_t at = 0;
    out[0] = '\0';
    /* A dot in the id would let two messages have the same signature. An empty key would be anybody's. */
    bool ok = n >= 1 && n <= 2 && *id != '\0' && strchr(id, '.') == NULL;
    for (size_t i = 0; ok && i < n; i++)
        ok = keys[i].len > 0;
    if (!ok)
        return ODP_BAD;
    int len = snprintf(time, sizeof time, ".%" PRId64 ".", timestamp);
    const struct odp_slice pieces[] = {odp_slice_of(id), {time, (size_t)len}, body};
    for (size_t i = 0; i < n; i++) {
        if (mac_of(keys[i], pieces, 3, mac) != ODP_OK)
            return ODP_FAIL;
        memcpy(out + at, i > 0 ? " v1," : "v1,", i > 0 ? 4 : 3);
        at += i > 0 ? 4 : 3;
        at += (size_t)EVP_EncodeBlock((unsigned char *)out + at, mac, MAC);
    }
    return ODP_OK;
}

/* ---- names ---- */

/* The N lowest base62 digits of NUMBER (big-endian, overwritten), highest first. */
static void base62(uint8_t *number, size_t size, char *out, size_t n)
{
    out[n] = '\0';
    while (n > 0) {
        unsigned rest = 0;
        for (size_t i = 0; i < size; i++) {
            unsigned v = rest << 8 | number[i];
            number[i] = (uint8_t)(v / 62);
            rest = v % 62;
        }
        out[--n] = odp_base62[rest];
    }
}

enum odp_status odp_webhook_message_id(char out[ODP_WEBHOOK_ID], const char *event, const char *webhook)
{
    uint8_t sha256[ODP_SHA256_SIZE] = {0};
    struct odp_digest *d = NULL;
    enum odp_status status = odp_digest_new(&d);
    if (status == ODP_OK)
        status = odp_digest_add(d, event, strlen(event) + 1);
    if (status == ODP_OK)
        status = odp_digest_add(d, webhook, strlen(webhook));
    if (status == ODP_OK)
        status = odp_digest_end(d, sha256);
    odp_digest_free(d);
    if (status != ODP_OK)
        return status;
    memcpy(out, "msg_", 4);
    base62(sha256, 16, out + 4, ODP_WEBHOOK_ID - 5);
    return ODP_OK;
}

enum odp_status odp_webhook_challenge(char out[ODP_WEBHOOK_CHALLENGE],
                                      const uint8_t secret[ODP_WEBHOOK_SECRET], const char *webhook,
                                      int64_t round)
{
    static const char what[] = "challenge"; /* with its 0 byte */
    char number[24];
    uint8_t mac[MAC] = {0};
    int len = snprintf(number, sizeof number, "%" PRId64, round);
    const struct odp_slice pieces[] = {
        {what, sizeof what}, {webhook, strlen(webhook) + 1}, {number, (size_t)len}};
    if (mac_of((struct odp_slice){(const char *)secret, ODP_WEBHOOK_SECRET}, pieces, 3, mac) != ODP_OK)
        return ODP_FAIL;
    base62(mac, MAC, out, ODP_WEBHOOK_CHALLENGE - 1);
    return ODP_OK;
}

bool odp_webhook_challenge_is(const char *challenge, struct odp_slice text)
{
    size_t n = strlen(challenge);
    return n > 0 && text.len == n && CRYPTO_memcmp(challenge, text.ptr, n) == 0;
}

bool odp_webhook_challenge_met(const char *challenge, struct odp_slice answer)
{
    struct odp_slice text = odp_slice_trim(answer);
    if (text.len >= 3 &&
        memcmp(text.ptr, "\xef\xbb\xbf", 3) == 0) { /* a byte order mark, as some frameworks write */
        text = (struct odp_slice){text.ptr + 3, text.len - 3};
        text = odp_slice_trim(text);
    }
    if (odp_webhook_challenge_is(challenge, text))
        return true;
    if (text.len == 0 || (*text.ptr != '"' && *text.ptr != '{'))
        return false;
    json_t *json = odp_json_load(text.ptr, text.len, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
    const json_t *value = json_is_object(json) ? json_object_get(json, "challenge") : json;
    bool met = json_is_string(value) &&
               odp_webhook_challenge_is(
                   challenge, (struct odp_slice){json_string_value(value), json_string_length(value)});
    json_decref(json);
    return met;
}

/* ---- the schedule ---- */

int64_t odp_webhook_delay_ms(unsigned n, uint32_t random, int64_t retry_after)
{
    /* 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h; the first attempt is made at once */
    static const int64_t seconds[ODP_WEBHOOK_ATTEMPTS] = {0,     5,     300,   1800,  7200,
                                                          18000, 36000, 50400, 72000, 86400};
    if (n >= ODP_WEBHOOK_ATTEMPTS)
        return -1;
    int64_t ms = seconds[n] * 1000, more = ms / 5;
    ms += more * random / UINT32_MAX; /* at most 17,280,000 times 2^32 */
    int64_t asked = (retry_after < 0 ? 0 : retry_after > DAY ? DAY : retry_after) * 1000;
    return asked > ms ? asked : ms;
}
