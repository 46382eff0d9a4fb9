/* Secret keys and their files.
 *
 * A file has a comment line and base64 of 158 bytes: "Ed", the way of encryption ("Sc" scrypt, two zeros:
 * none), "B2", salt (32), scrypt's operations and memory (8 each, little-endian), then what is encrypted by
 * exclusive or with scrypt's output: id (8), seed and public key (64), BLAKE2b-256 of "Ed", id and key (32;
 * zeros in minisign's unencrypted files).
 *
 * What is secret lives in libsodium's guarded memory (locked where the system allows, wiped when freed), and
 * is wiped from every buffer it went through. The one exception: an unencrypted key passes the checked file
 * writer, as it then lies on the disk. */
#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <sys/stat.h>

#include "publish/sign/sign_internal.h"
#include "base/refusal.h"
#include "words/publish.h"

enum {
    AT_ENCRYPTION = 2,
    AT_SALT = 6,
    AT_OPERATIONS = 38,
    AT_MEMORY = 46,
    AT_ID = 54,
    AT_KEY = 62,
    AT_CHECK = 126,
    FILE_BYTES = 158,
    LOCKED_BYTES = FILE_BYTES - AT_ID, /* the part that is encrypted */
    CHECK_BYTES = FILE_BYTES - AT_CHECK,
    FILE_MOST = 8192,
    COMMENT_MOST = 1024
};
/* A file may ask for four times what minisign asks for; beyond it is damaged or hostile. */
#define OPERATIONS_MOST (4 * (uint64_t)crypto_pwhash_scryptsalsa208sha256_OPSLIMIT_SENSITIVE)
#define MEMORY_MOST     (4 * (uint64_t)crypto_pwhash_scryptsalsa208sha256_MEMLIMIT_SENSITIVE)
#define MEMORY_LEAST    ((size_t)64 << 20)

void odp_secret_key_free(struct odp_secret_key *k)
{
    sodium_free(k);
}

void odp_secret_key_public(const struct odp_secret_key *k, struct odp_public_key *pub)
{
    memcpy(pub->id, k->id, sizeof pub->id);
    memcpy(pub->key, k->key + crypto_sign_SEEDBYTES, sizeof pub->key);
}

static enum odp_status secret_new(struct odp_secret_key **out)
{
    *out = NULL;
    if (sign_ready() != ODP_OK)
        return ODP_FAIL;
    *out = sodium_malloc(sizeof **out);
    return *out != NULL ? ODP_OK : odp_failure_set("keep a secret key", NULL, ENOMEM);
}

enum odp_status odp_secret_key_generate(struct odp_secret_key **out, struct odp_public_key *pub)
{
    uint8_t public_part[crypto_sign_PUBLICKEYBYTES];
    if (secret_new(out) != ODP_OK)
        return ODP_FAIL;
    randombytes_buf((*out)->id, sizeof(*out)->id);
    crypto_sign_keypair(public_part, (*out)->key);
    odp_secret_key_public(*out, pub);
    return ODP_OK;
}

static void make_check(const uint8_t *bytes, uint8_t out[CHECK_BYTES])
{
    crypto_generichash_state state;
    crypto_generichash_init(&state, NULL, 0, CHECK_BYTES);
    crypto_generichash_update(&state, bytes, 2);
    crypto_generichash_update(&state, bytes + AT_ID, AT_CHECK - AT_ID);
    crypto_generichash_final(&state, out, CHECK_BYTES);
    sodium_memzero(&state, sizeof state);
}

static uint64_t load_little(const uint8_t *p)
{
    uint64_t v = 0;
    for (int i = 7; i >= 0; i--)
        v = v << 8 | p[i];
    return v;
}

static void store_little(uint8_t *p, uint64_t v)
{
    for (int i = 0; i < 8; i++)
        p[i] = (uint8_t)(v >> (8 * i));
}

/* Exclusive or of the locked part with what scrypt makes of PASSWORD. False: no memory. */
static bool turn_lock(uint8_t *bytes, const char *password, uint64_t operations, uint64_t memory)
{
    uint8_t *stream = sodium_malloc(LOCKED_BYTES);
    bool done = stream != NULL && memory <= SIZE_MAX &&
                crypto_pwhash_scryptsalsa208sha256(stream, LOCKED_BYTES, password, strlen(password),
                                                   bytes + AT_SALT, operations, (size_t)memory) == 0;
    for (size_t i = 0; done && i < LOCKED_BYTES; i++)
        bytes[AT_ID + i] ^= stream[i];
    sodium_free(stream);
    return done;
}

/* ---- reading ---- */

/* The file's bytes into BYTES (guarded memory). */
static enum odp_status read_bytes(uint8_t *bytes, const char *path, struct odp_arena *a, struct odp_text *why)
{
    struct odp_buffer text = {0};
    struct odp_slice comment, key = {NULL, 0}, more;
    int errnum = 0;
    enum odp_status status = odp_file_read(path, FILE_MOST, &text, &errnum);
    struct odp_slice rest = odp_buffer_slice(&text);
    if (status == ODP_BAD && errnum != EFBIG) {
        (void)odp_refusal_put(a, why, W_publish_key_file_cannot_opened, path);
        status = odp_refusal_add(a, why, errnum);
    } else if (status == ODP_BAD ||
               (status == ODP_OK &&
                (!sign_line(&rest, &comment) || !sign_starts(comment, "untrusted comment: ") ||
                 !sign_line(&rest, &key) || sign_line(&rest, &more))))
        status = odp_refusal_put(a, why, W_publish_not_secret_key_file_minisign, path);
    else if (status == ODP_OK && (!sign_base64(key, bytes, FILE_BYTES) || memcmp(bytes, "Ed", 2) != 0 ||
                                  memcmp(bytes + 4, "B2", 2) != 0))
        status = odp_refusal_put(a, why, W_publish_key_file_damaged_no_secret, path);
    if (text.ptr != NULL)
        sodium_memzero(text.ptr, text.cap);
    odp_buffer_release(&text);
    return status;
}

static bool is_encrypted(const uint8_t *bytes)
{
    return memcmp(bytes + AT_ENCRYPTION, "Sc", 2) == 0;
}

static bool is_plain(const uint8_t *bytes)
{
    return memcmp(bytes + AT_ENCRYPTION, "\0\0", 2) == 0;
}

static enum odp_status unlock(uint8_t *bytes, const char *path, const char *password, struct odp_arena *a,
                              struct odp_text *why)
{
    uint64_t operations = load_little(bytes + AT_OPERATIONS), memory = load_little(bytes + AT_MEMORY);
    if (is_plain(bytes))
        return ODP_OK;
    if (!is_encrypted(bytes) || operations > OPERATIONS_MOST || memory > MEMORY_MOST)
        return odp_refusal_put(a, why, W_publish_key_file_damaged_way_encryption, path);
    if (password == NULL)
        return odp_refusal_put(a, why, W_publish_key_file_encrypted_password_needed, path);
    if (!turn_lock(bytes, password, operations, memory))
        return odp_failure_set("derive a key from the password", path, ENOMEM);
    return ODP_OK;
}

/* The check sum, and that the public half belongs to the secret one: a damaged key must not sign. BAD: it is
 * not sound. */
static enum odp_status look_through(const uint8_t *bytes, const char *path)
{
    uint8_t check[CHECK_BYTES], public_part[crypto_sign_PUBLICKEYBYTES];
    struct odp_secret_key *again = sodium_malloc(sizeof *again);
    if (again == NULL)
        return odp_failure_set("read", path, ENOMEM);
    make_check(bytes, check);
    bool checked = sodium_memcmp(check, bytes + AT_CHECK, CHECK_BYTES) == 0 ||
                   (is_plain(bytes) && sodium_is_zero(bytes + AT_CHECK, CHECK_BYTES) == 1);
    bool sound = checked && crypto_sign_seed_keypair(public_part, again->key, bytes + AT_KEY) == 0 &&
                 sodium_memcmp(again->key, bytes + AT_KEY, sizeof again->key) == 0;
    sodium_free(again);
    return sound ? ODP_OK : ODP_BAD;
}

enum odp_status odp_secret_key_read(struct odp_secret_key **out, const char *path, const char *password,
                                    struct odp_arena *a, struct odp_text *why)
{
    *why = (struct odp_text){{"", ""}};
    if (secret_new(out) != ODP_OK)
        return ODP_FAIL;
    uint8_t *bytes = sodium_malloc(FILE_BYTES);
    enum odp_status status =
        bytes != NULL ? read_bytes(bytes, path, a, why) : odp_failure_set("read", path, ENOMEM);
    if (status == ODP_OK)
        status = unlock(bytes, path, password, a, why);
    if (status == ODP_OK && (status = look_through(bytes, path)) == ODP_BAD)
        status = is_encrypted(bytes)
                     ? odp_refusal_put(a, why, W_publish_wrong_password_for_file_damaged, path)
                     : odp_refusal_put(a, why, W_publish_key_file_damaged_check_sum, path);
    if (status == ODP_OK) {
        memcpy((*out)->id, bytes + AT_ID, ODP_SIGN_ID);
        memcpy((*out)->key, bytes + AT_KEY, sizeof(*out)->key);
    } else {
        odp_secret_key_free(*out);
        *out = NULL;
    }
    sodium_free(bytes);
    return status;
}

enum odp_status odp_secret_key_look(struct odp_secret_key_file *out, const char *path, struct odp_arena *a,
                                    struct odp_text *why)
{
    struct stat st;
    *why = (struct odp_text){{"", ""}};
    *out = (struct odp_secret_key_file){0};
    if (sign_ready() != ODP_OK)
        return ODP_FAIL;
    uint8_t *bytes = sodium_malloc(FILE_BYTES);
    enum odp_status status =
        bytes != NULL ? read_bytes(bytes, path, a, why) : odp_failure_set("read", path, ENOMEM);
    if (status == ODP_OK) {
        out->encrypted = !is_plain(bytes);
        out->exposed = stat(path, &st) == 0 && (st.st_mode & (S_IRWXG | S_IRWXO)) != 0;
    }
    sodium_free(bytes);
    return status;
}

/* ---- writing ---- */

/* As minisign: the most scrypt has, less where the machine has not the memory. */
static enum odp_status lock(uint8_t *bytes, const char *path, const char *password)
{
    uint64_t operations = crypto_pwhash_scryptsalsa208sha256_OPSLIMIT_SENSITIVE;
    uint64_t memory = crypto_pwhash_scryptsalsa208sha256_MEMLIMIT_SENSITIVE;
    memcpy(bytes + AT_ENCRYPTION, "Sc", 2);
    randombytes_buf(bytes + AT_SALT, AT_OPERATIONS - AT_SALT);
    while (!turn_lock(bytes, password, operations, memory)) {
        if (memory <= MEMORY_LEAST)
            return odp_failure_set("derive a key from the password", path, ENOMEM);
        operations /= 2;
        memory /= 2;
    }
    store_little(bytes + AT_OPERATIONS, operations);
    store_little(bytes + AT_MEMORY, memory);
    return ODP_OK;
}

enum odp_status odp_secret_key_write(const struct odp_secret_key *k, const char *path, const char *password,
                                     const char *comment)
{
    enum { TEXT_BYTES = COMMENT_MOST + 512 };
    char base64[sodium_base64_ENCODED_LEN(FILE_BYTES, sodium_base64_VARIANT_ORIGINAL)];
    if (strlen(comment) > COMMENT_MOST || strpbrk(comment, "\r\n") != NULL)
        return odp_failure_set("write a secret key", path, EINVAL);
    if (sign_ready() != ODP_OK)
        return ODP_FAIL;
    uint8_t *bytes = sodium_malloc(FILE_BYTES);
    char *text = sodium_malloc(TEXT_BYTES);
    enum odp_status status =
        bytes != NULL && text != NULL ? ODP_OK : odp_failure_set("write a secret key", path, ENOMEM);
    if (status == ODP_OK) {
        memset(bytes, 0, FILE_BYTES);
        memcpy(bytes, "Ed", 2);
        memcpy(bytes + 4, "B2", 2);
        memcpy(bytes + AT_ID, k->id, sizeof k->id);
        memcpy(bytes + AT_KEY, k->key, sizeof k->key);
        make_check(bytes, bytes + AT_CHECK);
        if (password != NULL)
            status = lock(bytes, path, password);
    }
    if (status == ODP_OK) {
        sodium_bin2base64(base64, sizeof base64, bytes, FILE_BYTES, sodium_base64_VARIANT_ORIGINAL);
        int n = snprintf(text, TEXT_BYTES, "untrusted comment: %s\n%s\n", comment, base64);
        status = odp_file_put(path, (struct odp_slice){text, (size_t)n}, 0600, NULL);
    }
    sodium_memzero(base64, sizeof base64);
    sodium_free(text);
    sodium_free(bytes);
    return status;
}
