/* SHA-256 through EVP. The algorithm is fetched once: an implicit fetch per digest takes locks and costs more
 * than hashing a small file. So does a context per digest; each thread keeps one for digests that are made in
 * one call. */
#include "base/digest.h"

#include <string.h>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct odp_digest {
    EVP_MD_CTX *ctx;
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static EVP_MD *sha256; /* lives until the process ends */
static pthread_key_t at_end;
static bool have_at_end; /* without it no thread keeps a context, since nobody would free it */
static _Thread_local EVP_MD_CTX *kept;

static void forget(void *ctx)
{
    kept = NULL;
    EVP_MD_CTX_free(ctx);
}

static void fetch(void)
{
    /* libcrypto goes on where it got no memory to begin with, and crashes at the first fetch. */
    if (OSSL_LIB_CTX_get0_global_default() != NULL)
        sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
    have_at_end = pthread_key_create(&at_end, forget) == 0;
}

/* This thread's context, or NULL. */
static EVP_MD_CTX *keep(void)
{
    EVP_MD_CTX *ctx = have_at_end ? EVP_MD_CTX_new() : NULL;
    if (ctx != NULL && pthread_setspecific(at_end, ctx) != 0) {
        EVP_MD_CTX_free(ctx);
        ctx = NULL;
    }
    kept = ctx;
    return ctx;
}

static enum odp_status fail(void)
{
    return odp_failure_set("compute SHA-256", NULL, 0);
}

enum odp_status odp_digest_new(struct odp_digest **out)
{
    *out = NULL;
    pthread_once(&once, fetch);
    struct odp_digest *d = calloc(1, sizeof *d);
    if (d != NULL)
        d->ctx = EVP_MD_CTX_new();
    if (d == NULL || d->ctx == NULL || sha256 == NULL || EVP_DigestInit_ex2(d->ctx, sha256, NULL) != 1) {
        odp_digest_free(d);
        return fail();
    }
    *out = d;
    return ODP_OK;
}

void odp_digest_free(struct odp_digest *d)
{
    if (d == NULL)
        return;
    EVP_MD_CTX_free(d->ctx);
    free(d);
}

enum odp_status odp_digest_add(struct odp_digest *d, const void *ptr, size_t len)
{
    return len == 0 || EVP_DigestUpdate(d->ctx, ptr, len) == 1 ? ODP_OK : fail();
}

enum odp_status odp_digest_end(struct odp_digest *d, uint8_t out[ODP_SHA256_SIZE])
{
    if (EVP_DigestFinal_ex(d->ctx, out, NULL) != 1 || EVP_DigestInit_ex2(d->ctx, sha256, NULL) != 1)
        return fail();
    return ODP_OK;
}

enum odp_status odp_digest_of(const void *ptr, size_t len, uint8_t out[ODP_SHA256_SIZE])
{
    pthread_once(&once, fetch);
    EVP_MD_CTX *ctx = kept != NULL ? kept : keep();
    if (sha256 == NULL || ctx == NULL || EVP_DigestInit_ex2(ctx, sha256, NULL) != 1 ||
        (len != 0 && EVP_DigestUpdate(ctx, ptr, len) != 1) || EVP_DigestFinal_ex(ctx, out, NULL) != 1)
        return fail();
    return ODP_OK;
}

void odp_digest_hex(const uint8_t d[ODP_SHA256_SIZE], char out[ODP_SHA256_HEX])
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < ODP_SHA256_SIZE; i++) {
        out[2 * i] = digits[d[i] >> 4];
        out[2 * i + 1] = digits[d[i] & 15];
    }
    out[2 * ODP_SHA256_SIZE] = '\0';
}

bool odp_digest_parse(const char *hex, uint8_t out[ODP_SHA256_SIZE])
{
    static const char digits[] = "0123456789abcdef";
    if (hex == NULL || strlen(hex) != ODP_SHA256_HEX - 1)
        return false;
    for (size_t i = 0; hex[i] != '\0'; i++) {
        const char *d = strchr(digits, hex[i]);
        if (d == NULL)
            return false;
        out[i / 2] = (uint8_t)(i % 2 == 0 ? (d - digits) << 4 : out[i / 2] | (d - digits));
    }
    return true;
}

void odp_digest_text(const uint8_t d[ODP_SHA256_SIZE], char out[ODP_DIGEST_TEXT])
{
    memcpy(out, "sha256:", 7);
    odp_digest_hex(d, out + 7);
}
