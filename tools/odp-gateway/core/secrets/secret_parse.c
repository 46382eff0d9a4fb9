/* Lines of a secret's file. */
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/digest.h"
#include "core/secrets/secret_internal.h"

enum { BASE64 = 44, TIME_TEXT = 20 };

enum odp_status secret_bad(char why[ODP_SECRET_WHY], enum odp_lang lang, const char *id, const char *en, ...)
{
    va_list args;
    va_start(args, en);
    (void)vsnprintf(why, ODP_SECRET_WHY, lang == ODP_LANG_EN ? en : id, args);
    va_end(args);
    return ODP_BAD;
}

void odp_secrets_wipe(struct odp_secrets *s)
{
    OPENSSL_cleanse(s, sizeof *s);
}

bool odp_secret_decode(struct odp_slice word, uint8_t out[ODP_SECRET_BYTES])
{
    uint8_t bytes[ODP_SECRET_BYTES + 1];
    char again[BASE64 + 1];
    bool ok = word.len == BASE64 && word.ptr[BASE64 - 1] == '=' &&
              EVP_DecodeBlock(bytes, (const unsigned char *)word.ptr, BASE64) == (int)sizeof bytes;
    if (ok) {
        (void)EVP_EncodeBlock((unsigned char *)again, bytes, ODP_SECRET_BYTES);
        ok = memcmp(again, word.ptr, BASE64) == 0;
    }
    if (ok)
        memcpy(out, bytes, ODP_SECRET_BYTES);
    OPENSSL_cleanse(bytes, sizeof bytes);
    OPENSSL_cleanse(again, sizeof again);
    return ok;
}

enum odp_status secret_derive(struct odp_secret *s, struct odp_slice word)
{
    uint8_t digest[ODP_SHA256_SIZE];
    if (!odp_secret_decode(word, s->bytes) && odp_digest_of(word.ptr, word.len, s->bytes) != ODP_OK)
        return ODP_FAIL;
    if (odp_digest_of(s->bytes, sizeof s->bytes, digest) != ODP_OK)
        return ODP_FAIL;
    (void)snprintf(s->id, sizeof s->id, "%02x%02x%02x%02x", digest[0], digest[1], digest[2], digest[3]);
    return ODP_OK;
}

/* "2026-03-01T00:00:00Z" and no other form, so that two readers cannot differ. */
static bool read_time(struct odp_slice text, int64_t *out)
{
    char copy[TIME_TEXT + 1], again[TIME_TEXT + 1];
    struct tm tm = {0};
    if (text.len != TIME_TEXT)
        return false;
    memcpy(copy, text.ptr, TIME_TEXT);
    copy[TIME_TEXT] = '\0';
    const char *end = strptime(copy, "%Y-%m-%dT%H:%M:%SZ", &tm);
    time_t t = end != NULL && *end == '\0' ? timegm(&tm) : 0;
    struct tm back;
    if (t <= 0 || gmtime_r(&t, &back) == NULL || strftime(again, sizeof again, "%Y-%m-%dT%H:%M:%SZ", &back) != TIME_TEXT ||
        strcmp(again, copy) != 0)
        return false;
    *out = t;
    return true;
}

static struct odp_slice next_word(struct odp_slice *line)
{
    *line = odp_slice_trim(*line);
    size_t n = 0;
    while (n < line->len && line->ptr[n] != ' ' && line->ptr[n] != '\t')
        n++;
    struct odp_slice word = {line->ptr, n};
    line->ptr += n;
    line->len -= n;
    return word;
}

/* `since` and `until`, each at most once. */
static bool read_times(struct odp_secret *s, struct odp_slice rest)
{
    for (struct odp_slice name = next_word(&rest); name.len > 0; name = next_word(&rest)) {
        bool since = odp_slice_is(name, "since");
        int64_t *to = since ? &s->since : &s->until;
        if ((!since && !odp_slice_is(name, "until")) || *to != 0 || !read_time(next_word(&rest), to))
            return false;
    }
    return s->since == 0 || s->until == 0 || s->since < s->until;
}

/* Bytes that all are the same were not drawn at random: written by hand, or out of /dev/zero. */
static bool is_no_secret(struct odp_slice word)
{
    return word.len > 1 && memcmp(word.ptr, word.ptr + 1, word.len - 1) == 0;
}

static enum odp_status add(struct odp_secrets *s, struct odp_slice line, size_t number, size_t least, const char *path,
                           enum odp_lang lang, char why[ODP_SECRET_WHY])
{
    if (s->n == ODP_SECRET_KEYS)
        return secret_bad(why, lang, "berkas rahasia %.300s memuat lebih dari %d rahasia; hapus yang sudah berakhir",
                          "the secret file %.300s has more than %d secrets; remove those that have ended", path,
                          ODP_SECRET_KEYS);
    struct odp_secret *to = &s->items[s->n];
    *to = (struct odp_secret){0};
    struct odp_slice word = next_word(&line);
    if (word.len >= sizeof to->word || word.len < least || is_no_secret(word))
        return secret_bad(why, lang,
                          "baris %zu berkas rahasia %.300s bukan rahasia: harus %zu sampai %d huruf tanpa spasi; buat dengan: "
                          "openssl rand -base64 32",
                          "line %zu of the secret file %.300s is no secret: expected %zu to %d characters without blanks; make "
                          "one with: openssl rand -base64 32",
                          number, path, least, ODP_SECRET_WORD - 1);
    if (!read_times(to, line))
        return secret_bad(why, lang,
                          "baris %zu berkas rahasia %.300s: setelah rahasia hanya boleh ada \"since\" dan \"until\", "
                          "masing-masing dengan saat seperti 2026-03-01T00:00:00Z",
                          "line %zu of the secret file %.300s: after the secret only \"since\" and \"until\" may stand, each "
                          "with a moment such as 2026-03-01T00:00:00Z",
                          number, path);
    memcpy(to->word, word.ptr, word.len);
    if (secret_derive(to, word) != ODP_OK)
        return ODP_FAIL;
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->items[i].id, to->id) == 0)
            return secret_bad(
                why, lang, "baris %zu berkas rahasia %.300s mengulang rahasia di atasnya; yang baru harus lain",
                "line %zu of the secret file %.300s repeats a secret that stands above it; a new one must be another", number,
                path);
    s->n++;
    return ODP_OK;
}

/* Random bytes, as older versions wrote them: the whole file is one secret. */
static bool is_text(struct odp_slice text)
{
    for (size_t i = 0; i < text.len; i++)
        if (((unsigned char)text.ptr[i] < ' ' && strchr("\t\r\n", text.ptr[i]) == NULL) || text.ptr[i] == '\0' ||
            (unsigned char)text.ptr[i] >= 0x7f)
            return false;
    return true;
}

static enum odp_status add_bytes(struct odp_secrets *s, struct odp_slice text, size_t least, const char *path,
                                 enum odp_lang lang, char why[ODP_SECRET_WHY])
{
    const bool enough = text.len >= least && least >= ODP_SECRET_BYTES; /* a password is text */
    while (text.len > 0 && (text.ptr[text.len - 1] == '\n' || text.ptr[text.len - 1] == '\r'))
        text.len--;
    if (!enough || is_no_secret(text))
        return secret_bad(why, lang, "berkas rahasia %.300s bukan teks", "the secret file %.300s is not text", path);
    s->n = 1;
    return secret_derive(&s->items[0], text);
}

enum odp_status odp_secrets_parse(struct odp_secrets *s, struct odp_slice text, size_t least, const char *path,
                                  enum odp_lang lang, char why[ODP_SECRET_WHY])
{
    bool endless = false;
    *s = (struct odp_secrets){0};
    if (!is_text(text))
        return add_bytes(s, text, least, path, lang, why);
    for (size_t number = 1; text.len > 0; number++) {
        const char *end = memchr(text.ptr, '\n', text.len);
        size_t len = end != NULL ? (size_t)(end - text.ptr) : text.len;
        struct odp_slice line = odp_slice_trim((struct odp_slice){text.ptr, len});
        if (line.len > 0 && *line.ptr != '#') {
            enum odp_status status = add(s, line, number, least, path, lang, why);
            if (status != ODP_OK)
                return status;
            endless = endless || s->items[s->n - 1].until == 0;
        }
        len += end != NULL;
        text = (struct odp_slice){text.ptr + len, text.len - len};
    }
    if (s->n == 0)
        return secret_bad(why, lang, "berkas rahasia %.300s kosong (empty secret); buat dengan: openssl rand -base64 32",
                          "the secret file %.300s has an empty secret; make one with: openssl rand -base64 32", path);
    return endless ? ODP_OK
                   : secret_bad(why, lang, "semua rahasia dalam %.300s punya akhir (until); salah satu harus tanpa akhir",
                                "every secret of %.300s has an end (until); one must have none", path);
}

const struct odp_secret *odp_secrets_signs(const struct odp_secrets *s, int64_t now)
{
    const struct odp_secret *endless = NULL;
    for (size_t i = 0; i < s->n; i++) {
        if (s->items[i].since <= now && !odp_secret_ended(&s->items[i], now))
            return &s->items[i];
        if (endless == NULL && s->items[i].until == 0)
            endless = &s->items[i];
    }
    return endless; /* its time is still to come: the clock is wrong, or the one before was taken out too early */
}

bool odp_secret_ended(const struct odp_secret *s, int64_t now)
{
    return s->until != 0 && s->until <= now;
}
