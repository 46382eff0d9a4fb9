/* The key file. core/secrets/secret.h says who may have it, and makes it; its lines are keys alone, without
 * times, since sealed values have no end. */
#include <openssl/crypto.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/digest.h"
#include "core/secrets/secret.h"
#include "service/webhooks/deliver/seal_internal.h"

static enum odp_status bad(char why[ODP_SEAL_WHY], const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static enum odp_status bad(char why[ODP_SEAL_WHY], const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(why, ODP_SEAL_WHY, format, args);
    va_end(args);
    return ODP_BAD;
}

/* ---- what is in it ---- */

/* All bytes alike: written by hand or out of /dev/zero. */
static bool is_no_secret(const uint8_t key[SEAL_KEY])
{
    return memcmp(key, key + 1, SEAL_KEY - 1) == 0;
}

static enum odp_status add(struct seal_keys *keys, struct odp_slice line, size_t number, const char *path,
                           char why[ODP_SEAL_WHY])
{
    uint8_t sha256[ODP_SHA256_SIZE];
    if (keys->n == ODP_SEAL_KEYS)
        return bad(
            why,
            "the key file %.300s has more than %d keys; remove those that nothing is sealed with any more",
            path, ODP_SEAL_KEYS);
    struct seal_key *key = &keys->items[keys->n];
    if (!odp_secret_decode(line, key->bytes) || is_no_secret(key->bytes))
        return bad(
            why,
            "line %zu of the key file %.300s is no key: expected 44 characters, base64 of 32 random bytes",
            number, path);
    for (size_t i = 0; i < keys->n; i++)
        if (memcmp(keys->items[i].bytes, key->bytes, SEAL_KEY) == 0)
            return bad(why,
                       "line %zu of the key file %.300s repeats a key that stands above it; a new key must "
                       "be another",
                       number, path);
    if (odp_digest_of(key->bytes, SEAL_KEY, sha256) != ODP_OK)
        return ODP_FAIL;
    memcpy(key->id, sha256, SEAL_ID);
    keys->n++;
    return ODP_OK;
}

enum odp_status seal_keys_parse(struct seal_keys *keys, struct odp_slice text, const char *path,
                                char why[ODP_SEAL_WHY])
{
    size_t number = 0;
    while (text.len > 0) {
        const char *end = memchr(text.ptr, '\n', text.len);
        size_t len = end != NULL ? (size_t)(end - text.ptr) : text.len;
        struct odp_slice line = odp_slice_trim((struct odp_slice){text.ptr, len});
        number++;
        if (line.len > 0 && *line.ptr != '#') {
            enum odp_status status = add(keys, line, number, path, why);
            if (status != ODP_OK)
                return status;
        }
        len += end != NULL;
        text = (struct odp_slice){text.ptr + len, text.len - len};
    }
    return keys->n > 0
               ? ODP_OK
               : bad(why, "the key file %.300s has no key: expected a line of base64 of 32 random bytes",
                     path);
}

/* ---- the file ---- */

/* DONE: there is none. */
static enum odp_status read_file(struct seal_keys *keys, const char *path, char why[ODP_SEAL_WHY])
{
    char bytes[ODP_SECRET_FILE];
    size_t len = 0;
    enum odp_status status = odp_secret_file_bytes(path, (struct odp_secret_owner){.user = geteuid()}, bytes,
                                                   &len, ODP_LANG_EN, why);
    if (status == ODP_OK)
        status = seal_keys_parse(keys, (struct odp_slice){bytes, len}, path, why);
    OPENSSL_cleanse(bytes, sizeof bytes);
    return status;
}

static enum odp_status make_file(const char *path, char why[ODP_SEAL_WHY])
{
    char text[512], key[ODP_SECRET_NEW];
    if (odp_secret_new(key) != ODP_OK)
        return ODP_FAIL;
    int len = snprintf(text, sizeof text, "# " ODP_SEAL_COMMENT "\n%s\n", key);
    enum odp_status status =
        odp_secret_file_write(path, (struct odp_slice){text, (size_t)len}, false,
                              (struct odp_secret_owner){.user = geteuid()}, ODP_LANG_EN, why);
    OPENSSL_cleanse(text, sizeof text);
    OPENSSL_cleanse(key, sizeof key);
    return status;
}

enum odp_status seal_keys_open(struct seal_keys *keys, const char *path, bool make, char why[ODP_SEAL_WHY])
{
    enum odp_status status = read_file(keys, path, why);
    if (status == ODP_DONE && make) {
        status = make_file(path, why);
        if (status == ODP_OK)
            status = read_file(keys, path, why);
    }
    return status == ODP_DONE ? bad(why, "there is no key file %.300s", path) : status;
}
