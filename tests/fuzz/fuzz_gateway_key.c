/* Any bytes as an Authorization header, as a key, and as a request line on its way into a log. What a log
 * gets is looked through again by other means: no key beyond its shown part, no value of a parameter that
 * carries keys. */
#include <ctype.h>

#include "core/keys/key.h"
#include "fuzz.h"

static void parse(struct odp_slice text)
{
    struct odp_slice key = {NULL, 0};
    uint8_t digest[ODP_SHA256_SIZE];
    char shown[ODP_KEY_SHOWN + 1];
    enum odp_bearer says = odp_bearer_parse(text, &key);
    NEED((says == ODP_BEARER_OK) == (key.ptr != NULL));
    if (says != ODP_BEARER_OK)
        key = text;
    else
        NEED(key.len > 0 && key.ptr > text.ptr && key.ptr + key.len <= text.ptr + text.len);
    bool ok = odp_key_ok(key);
    odp_key_shown(key, shown);
    NEED(strlen(shown) == 0 ||
         (strlen(shown) == ODP_KEY_SHOWN && memcmp(shown, key.ptr, ODP_KEY_SHOWN) == 0));
    NEED(!ok || (key.len == ODP_KEY_LENGTH && shown[0] != '\0'));
    NEED(odp_key_digest(key, digest) == ODP_OK);
    for (size_t i = 0; i < strlen(shown); i++)
        NEED(isalnum((unsigned char)shown[i]) || shown[i] == '_');
}

static int nibble(char c)
{
    const char *all = "0123456789abcdef", *at = c != '\0' ? strchr(all, tolower((unsigned char)c)) : NULL;
    return at != NULL ? (int)(at - all) : -1;
}

/* Decoded and in lower case; AT[I] is where character I begins in TEXT, AT of the end is LEN. */
static size_t decode(const char *text, size_t len, char *out, size_t *at)
{
    size_t n = 0;
    for (size_t i = 0; i < len; n++) {
        at[n] = i;
        int high = text[i] == '%' && len - i > 2 ? nibble(text[i + 1]) : -1,
            low = high >= 0 ? nibble(text[i + 2]) : -1;
        out[n] = low >= 0 ? (char)(high * 16 + low) : text[i];
        out[n] = out[n] >= 'A' && out[n] <= 'Z' ? (char)(out[n] - 'A' + 'a') : out[n];
        i += low >= 0 ? 3 : 1;
    }
    at[n] = len;
    out[n] = '\0';
    return n;
}

static bool is_alnum_run(const char *text, size_t n, size_t from, size_t len)
{
    for (size_t i = from; i < from + len; i++)
        if (i >= n || !((text[i] >= 'a' && text[i] <= 'z') || (text[i] >= '0' && text[i] <= '9')))
            return false;
    return true;
}

static void look_through(const char *raw, size_t len)
{
    static const char *const names[] = {"api_key=", "apikey=", "key=", "token=", "access_token="};
    char *text = malloc(len + 1);
    size_t *at = malloc((len + 1) * sizeof *at);
    NEED(text != NULL && at != NULL);
    size_t n = decode(raw, len, text, at);
    for (size_t i = 0; i < n; i++) {
        if (n - i > 9 && memcmp(text + i, "odp_live_", 9) == 0)
            NEED(!is_alnum_run(text, n, i + 9, 6));
        for (size_t k = 0; k < ODP_COUNT(names) && (text[i] == '?' || text[i] == '&' || text[i] == ';');
             k++) {
            size_t end = i + 1 + strlen(names[k]);
            if (end >= n || memcmp(text + i + 1, names[k], strlen(names[k])) != 0)
                continue;
            char first = raw[at[end]];
            NEED(first == '*' || first == '&' || first == '#' || first == '"' || (unsigned char)first <= ' ');
        }
    }
    free(text);
    free(at);
}

static void redact(struct odp_slice text)
{
    char *copy = malloc(text.len + 1), *again = malloc(text.len + 1);
    NEED(copy != NULL && again != NULL);
    memcpy(copy, text.ptr, text.len);
    size_t found = odp_key_redact(copy, text.len);
    bool changed = false;
    for (size_t i = 0; i < text.len; i++) {
        NEED(copy[i] == text.ptr[i] || copy[i] == '*');
        changed = changed || copy[i] != text.ptr[i];
    }
    NEED(!changed || found > 0);
    look_through(copy, text.len);
    memcpy(again, copy, text.len);
    (void)odp_key_redact(again, text.len);
    NEED(memcmp(again, copy, text.len) == 0);
    free(copy);
    free(again);
}

void fuzz_one(struct odp_slice in)
{
    parse(in);
    redact(in);
}
