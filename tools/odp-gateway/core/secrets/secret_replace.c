/* A new secret on top of those that are there. */
#include <errno.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/status.h"
#include "core/secrets/secret_internal.h"

enum odp_status odp_secret_new(char word[ODP_SECRET_NEW])
{
    uint8_t bytes[ODP_SECRET_BYTES];
    if (getentropy(bytes, sizeof bytes) != 0)
        return odp_failure_set("read random bytes", NULL, errno);
    (void)EVP_EncodeBlock((unsigned char *)word, bytes, sizeof bytes);
    OPENSSL_cleanse(bytes, sizeof bytes);
    return ODP_OK;
}

/* Those that had ended go: nothing that they made is accepted any more. */
static void drop_ended(struct odp_secrets *s, int64_t now)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->n; i++)
        if (!odp_secret_ended(&s->items[i], now)) {
            if (kept != i)
                s->items[kept] = s->items[i];
            kept++;
        }
    OPENSSL_cleanse(&s->items[kept], (s->n - kept) * sizeof s->items[0]);
    s->n = kept;
}

enum odp_status odp_secrets_replace(struct odp_secrets *s, const struct odp_secret_change *change, const char *path,
                                    enum odp_lang lang, char why[ODP_SECRET_WHY])
{
    char made[ODP_SECRET_NEW];
    const int64_t end = change->now + change->after + change->grace;
    drop_ended(s, change->now);
    if (s->n == ODP_SECRET_KEYS)
        return secret_bad(
            why, lang, "berkas rahasia %.300s sudah memuat %d rahasia yang masih berlaku; tunggu sampai salah satu berakhir",
            "the secret file %.300s already has %d secrets that are valid; wait until one of them ends", path, ODP_SECRET_KEYS);
    if (change->word == NULL && odp_secret_new(made) != ODP_OK)
        return ODP_FAIL;
    const char *word = change->word != NULL ? change->word : made;
    memmove(&s->items[1], &s->items[0], s->n * sizeof s->items[0]);
    s->items[0] = (struct odp_secret){.since = change->after > 0 && !change->plain ? change->now + change->after : 0};
    (void)snprintf(s->items[0].word, sizeof s->items[0].word, "%s", word);
    enum odp_status status = secret_derive(&s->items[0], odp_slice_of(word));
    OPENSSL_cleanse(made, sizeof made);
    s->n++;
    for (size_t i = 1; i < s->n && status == ODP_OK; i++) {
        if (strcmp(s->items[i].id, s->items[0].id) == 0)
            return secret_bad(why, lang, "rahasia yang baru sudah ada dalam %.300s; yang baru harus lain",
                              "the new secret is in %.300s already; it must be another", path);
        if (!change->plain && (s->items[i].until == 0 || s->items[i].until > end))
            s->items[i].until = end > s->items[i].since ? end : s->items[i].since + 1;
    }
    return status;
}

static void stamp(int64_t t, char out[32])
{
    time_t at = (time_t)t;
    struct tm tm;
    if (gmtime_r(&at, &tm) == NULL || strftime(out, 32, "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
        out[0] = '\0';
}

enum odp_status odp_secrets_compose(const struct odp_secrets *s, const struct odp_secret_change *change, char *text,
                                    size_t *len)
{
    size_t n = (size_t)snprintf(text, ODP_SECRET_FILE, "# %s\n", change->comment);
    for (size_t i = 0; i < s->n && n < ODP_SECRET_FILE; i++) {
        const struct odp_secret *k = &s->items[i];
        char base64[ODP_SECRET_NEW], since[32], until[32];
        (void)EVP_EncodeBlock((unsigned char *)base64, k->bytes, ODP_SECRET_BYTES); /* of a file of bytes */
        stamp(k->since, since);
        stamp(k->until, until);
        n += (size_t)snprintf(text + n, ODP_SECRET_FILE - n, "%s%s%s%s%s\n", k->word[0] != '\0' ? k->word : base64,
                              k->since != 0 ? " since " : "", k->since != 0 ? since : "", k->until != 0 ? " until " : "",
                              k->until != 0 ? until : "");
        OPENSSL_cleanse(base64, sizeof base64);
    }
    *len = n;
    return n < ODP_SECRET_FILE ? ODP_OK : odp_failure_set("write secrets", NULL, EFBIG);
}
