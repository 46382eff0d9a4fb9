/* AES-256-GCM by libcrypto. What is authenticated beside the ciphertext: form and key (the value's first five
 * bytes), then CONTEXT. Nonces are random: the limit of 2^32 values under one key (SP 800-38D, 8.3) is out of
 * reach for secrets of subscriptions. */
#include "service/webhooks/deliver/seal.h"

#include <errno.h>
#include <limits.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/random.h"
#include "core/secrets/secret.h"
#include "words/secrets.h"

enum {
    SEAL_ID = 4,
    FORM = 1,
    ID_AT = 1,
    NONCE_AT = ID_AT + SEAL_ID,
    NONCE = 12,
    TEXT_AT = NONCE_AT + NONCE,
    TAG = 16,
    CLEAR_MAX = 1 << 20
};
_Static_assert(TEXT_AT + TAG == ODP_SEAL_EXTRA, "what a value is longer");

struct odp_seal {
    EVP_CIPHER *cipher;
    struct odp_secrets *keys; /* in pages of their own */
};

/* What lives as long as the service is in no core dump, on no swap space, and not in a child that was forked.
 * Each of that is asked for, not needed: limits of locked memory are small, and kernels differ. */
static struct odp_secrets *pages_new(void)
{
    void *p =
        mmap(NULL, sizeof(struct odp_secrets), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    (void)madvise(p, sizeof(struct odp_secrets), MADV_DONTDUMP);
    (void)madvise(p, sizeof(struct odp_secrets), MADV_WIPEONFORK);
    (void)mlock(p, sizeof(struct odp_secrets));
    return p; /* all zero */
}

static void pages_free(struct odp_secrets *keys)
{
    if (keys == NULL)
        return;
    OPENSSL_cleanse(keys, sizeof *keys);
    (void)munmap(keys, sizeof *keys);
}

/* ---- the key file: lines of keys alone, without times, since sealed values have no end ---- */

static enum odp_status read_keys(struct odp_secrets *keys, const char *path, enum odp_lang lang,
                                 char why[ODP_SEAL_WHY])
{
    uint8_t bytes[ODP_SECRET_BYTES];
    enum odp_status st = odp_secrets_read(keys, path, (struct odp_secret_owner){.user = geteuid()},
                                          ODP_SECRET_NEW - 1, lang, why);
    for (size_t i = 0; st == ODP_OK && i < keys->n; i++) {
        const struct odp_secret *k = &keys->items[i];
        if (odp_secret_decode(odp_slice_of(k->word), bytes) && k->since == 0 && k->until == 0)
            continue;
        if (k->line == 0)
            (void)snprintf(why, ODP_SEAL_WHY, odp_word(lang, W_secrets_not_text), path);
        else
            (void)snprintf(why, ODP_SEAL_WHY, odp_word(lang, W_secrets_line_no_key), k->line, path);
        st = ODP_BAD;
    }
    OPENSSL_cleanse(bytes, sizeof bytes);
    return st;
}

static enum odp_status make_file(const char *path, enum odp_lang lang, char why[ODP_SEAL_WHY])
{
    char text[512], key[ODP_SECRET_NEW];
    if (odp_secret_new(key) != ODP_OK)
        return ODP_FAIL;
    int len = snprintf(text, sizeof text, "# " ODP_SEAL_COMMENT "\n%s\n", key);
    enum odp_status st = odp_secret_file_write(path, (struct odp_slice){text, (size_t)len}, false,
                                               (struct odp_secret_owner){.user = geteuid()}, lang, why);
    OPENSSL_cleanse(text, sizeof text);
    OPENSSL_cleanse(key, sizeof key);
    return st;
}

static enum odp_status open_keys(struct odp_secrets *keys, const char *path, bool make, enum odp_lang lang,
                                 char why[ODP_SEAL_WHY])
{
    size_t len = 0;
    enum odp_status st =
        odp_secret_file_bytes(path, (struct odp_secret_owner){.user = geteuid()}, NULL, &len, lang, why);
    if (st == ODP_DONE && make)
        st = make_file(path, lang, why);
    return st == ODP_OK || st == ODP_DONE ? read_keys(keys, path, lang, why) : st;
}

/* What a value that K sealed has of it: the first bytes of the SHA-256 of its bytes. */
static bool is_id_of(const struct odp_secret *k, const char *id)
{
    char hex[ODP_SECRET_ID];
    (void)snprintf(hex, sizeof hex, "%02x%02x%02x%02x", (uint8_t)id[0], (uint8_t)id[1], (uint8_t)id[2],
                   (uint8_t)id[3]);
    return strcmp(hex, k->id) == 0;
}

/* ---- sealing ---- */

enum odp_status odp_seal_new(struct odp_seal **out, const char *path, bool make, enum odp_lang lang,
                             char why[ODP_SEAL_WHY])
{
    *out = NULL;
    why[0] = '\0';
    struct odp_seal *s = calloc(1, sizeof *s);
    if (s == NULL || (s->keys = pages_new()) == NULL) {
        free(s);
        return odp_failure_set("open", path, ENOMEM);
    }
    enum odp_status status = open_keys(s->keys, path, make, lang, why);
    if (status == ODP_OK) {
        s->cipher = EVP_CIPHER_fetch(NULL, "AES-256-GCM", NULL);
        if (s->cipher == NULL)
            status = odp_failure_set("find AES-256-GCM in libcrypto", NULL, 0);
    }
    if (status != ODP_OK) {
        odp_seal_free(s);
        return status;
    }
    *out = s;
    return ODP_OK;
}

void odp_seal_free(struct odp_seal *s)
{
    if (s == NULL)
        return;
    EVP_CIPHER_free(s->cipher);
    pages_free(s->keys);
    free(s);
}

/* One direction of both. */
struct crossing {
    const struct odp_secret *key;
    const char *context;
    const uint8_t *head; /* the value up to its ciphertext */
    const uint8_t *from;
    size_t len;
    uint8_t *to, *tag; /* TO is as long; TAG is made or checked */
};

/* *OK false: the tag is another. */
static enum odp_status run(const struct odp_seal *s, bool encrypt, const struct crossing *x, bool *ok)
{
    const int dir = encrypt ? 1 : 0;
    int n = 0;
    *ok = false;
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    bool done =
        ctx != NULL &&
        EVP_CipherInit_ex2(ctx, s->cipher, x->key->bytes, x->head + NONCE_AT, dir, NULL) == 1 &&
        EVP_CipherUpdate(ctx, NULL, &n, x->head, NONCE_AT) == 1 &&
        EVP_CipherUpdate(ctx, NULL, &n, (const unsigned char *)x->context, (int)strlen(x->context)) == 1;
    if (done && x->len > 0)
        done = EVP_CipherUpdate(ctx, x->to, &n, x->from, (int)x->len) == 1 && (size_t)n == x->len;
    if (done && !encrypt)
        done = EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, TAG, x->tag) == 1;
    uint8_t none[EVP_MAX_BLOCK_LENGTH];
    *ok = done && EVP_CipherFinal_ex(ctx, none, &n) == 1;
    if (done && encrypt)
        done = *ok && EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, TAG, x->tag) == 1;
    EVP_CIPHER_CTX_free(ctx); /* wipes */
    return done ? ODP_OK : odp_failure_set(encrypt ? "seal a value" : "open a sealed value", NULL, 0);
}

enum odp_status odp_seal_wrap(const struct odp_seal *s, const char *context, struct odp_slice clear,
                              struct odp_buffer *sealed)
{
    const struct odp_secret *key = &s->keys->items[0];
    bool ok;
    odp_buffer_reset(sealed);
    if (clear.len > CLEAR_MAX || strlen(context) > INT_MAX)
        return odp_failure_set("seal a value", NULL, EMSGSIZE);
    uint8_t *to = (uint8_t *)odp_buffer_reserve(sealed, clear.len + ODP_SEAL_EXTRA);
    if (to == NULL)
        return ODP_FAIL;
    to[0] = FORM;
    unsigned long id = strtoul(key->id, NULL, 16);
    for (size_t i = 0; i < SEAL_ID; i++)
        to[ID_AT + i] = (uint8_t)(id >> (8 * (SEAL_ID - 1 - i)));
    if (odp_random(to + NONCE_AT, NONCE) != ODP_OK)
        return ODP_FAIL;
    const struct crossing x = {
        key, context, to, (const uint8_t *)clear.ptr, clear.len, to + TEXT_AT, to + TEXT_AT + clear.len};
    if (run(s, true, &x, &ok) != ODP_OK)
        return ODP_FAIL;
    sealed->len = clear.len + ODP_SEAL_EXTRA;
    return ODP_OK;
}

/* The form and the length are a sealed value's. */
static bool is_value(struct odp_slice sealed)
{
    return sealed.len >= ODP_SEAL_EXTRA && sealed.len <= (size_t)CLEAR_MAX + ODP_SEAL_EXTRA &&
           sealed.ptr[0] == FORM;
}

enum odp_status odp_seal_unwrap(const struct odp_seal *s, const char *context, struct odp_slice sealed,
                                struct odp_buffer *clear)
{
    if (clear->cap > 0) /* growing would leave what was in it somewhere on the heap */
        OPENSSL_cleanse(clear->ptr, clear->cap);
    odp_buffer_reset(clear);
    if (!is_value(sealed) || strlen(context) > INT_MAX)
        return ODP_BAD;
    const uint8_t *value = (const uint8_t *)sealed.ptr;
    const size_t len = sealed.len - ODP_SEAL_EXTRA;
    uint8_t *to = (uint8_t *)odp_buffer_reserve(clear, len);
    if (to == NULL)
        return ODP_FAIL;
    for (size_t i = 0; i < s->keys->n; i++) {
        uint8_t tag[TAG];
        bool ok;
        if (!is_id_of(&s->keys->items[i], sealed.ptr + ID_AT))
            continue;
        memcpy(tag, value + TEXT_AT + len, TAG);
        const struct crossing x = {&s->keys->items[i], context, value, value + TEXT_AT, len, to, tag};
        enum odp_status status = run(s, false, &x, &ok);
        if (status == ODP_OK && ok) {
            clear->len = len;
            return ODP_OK;
        }
        OPENSSL_cleanse(to, len); /* what was deciphered before its tag was known to be wrong */
        if (status != ODP_OK)
            return status;
    }
    return ODP_BAD;
}

bool odp_seal_is_current(const struct odp_seal *s, struct odp_slice sealed)
{
    return is_value(sealed) && is_id_of(&s->keys->items[0], sealed.ptr + ID_AT);
}
