#include "module/sign.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <time.h>

#include "base/digest.h"
#include "base/text.h"

/* Scheme, host and path of "https://host/path". */
struct parts {
    struct odp_slice host, path;
};

static struct parts split(struct odp_slice url)
{
    struct parts p = {url, {NULL, 0}};
    const char *colon = memmem(url.ptr, url.len, "://", 3);
    if (colon != NULL)
        p.host = (struct odp_slice){colon + 3, url.len - (size_t)(colon + 3 - url.ptr)};
    const char *slash = p.host.len != 0 ? memchr(p.host.ptr, '/', p.host.len) : NULL;
    if (slash != NULL) {
        p.path = (struct odp_slice){slash, p.host.len - (size_t)(slash - p.host.ptr)};
        p.host.len = (size_t)(slash - p.host.ptr);
    }
    return p;
}

static void add_base64url(struct odp_buffer *b, const uint8_t md5[16])
{
    char text[25];
    (void)EVP_EncodeBlock((unsigned char *)text, md5, 16);
    for (char *p = text; *p != '='; p++)
        odp_buffer_add_char(b, *p == '+' ? '-' : *p == '/' ? '_' : *p);
}

enum odp_status odp_sign_secure_link(struct odp_buffer *out, struct odp_slice url, struct odp_slice path,
                                     struct odp_slice secret, const char *key, int64_t expires)
{
    struct odp_buffer text = {0};
    uint8_t md[EVP_MAX_MD_SIZE];
    odp_buffer_printf(&text, "%lld", (long long)expires);
    odp_buffer_add_slice(&text, split(url).path);
    odp_buffer_add_char(&text, '/');
    odp_buffer_add_slice(&text, path);
    odp_buffer_add_char(&text, ' ');
    odp_buffer_add_slice(&text, secret);
    enum odp_status st = odp_buffer_status(&text);
    if (st == ODP_OK && EVP_Digest(text.ptr, text.len, md, NULL, EVP_md5(), NULL) != 1)
        st = odp_failure_set("compute MD5", NULL, 0);
    if (st == ODP_OK) {
        odp_buffer_add_slice(out, url);
        odp_buffer_add_char(out, '/');
        odp_text_percent_but(out, path, "/");
        odp_buffer_add_str(out, "?md5=");
        add_base64url(out, md);
        odp_buffer_printf(out, "&expires=%lld&key=%s", (long long)expires, key);
        st = odp_buffer_status(out);
    }
    if (text.ptr != NULL)
        explicit_bzero(text.ptr, text.cap);
    odp_buffer_release(&text);
    return st;
}

static enum odp_status hmac(const void *key, size_t key_len, struct odp_slice text,
                            uint8_t out[ODP_SHA256_SIZE])
{
    unsigned len = 0;
    bool ok =
        HMAC(EVP_sha256(), key, (int)key_len, (const unsigned char *)text.ptr, text.len, out, &len) != NULL &&
        len == ODP_SHA256_SIZE;
    return ok ? ODP_OK : odp_failure_set("compute HMAC", NULL, 0);
}

/* AWS4<secret> -> date -> region -> service -> aws4_request -> the text. */
static enum odp_status derive(const struct odp_sign_s3 *s, const char *date, struct odp_slice text,
                              uint8_t out[ODP_SHA256_SIZE])
{
    struct odp_buffer first = {0};
    odp_buffer_add_str(&first, "AWS4");
    odp_buffer_add_slice(&first, s->secret);
    enum odp_status st = odp_buffer_status(&first);
    if (st == ODP_OK)
        st = hmac(first.ptr, first.len, odp_slice_of(date), out);
    const struct odp_slice steps[] = {s->region, ODP_LIT("s3"), ODP_LIT("aws4_request"), text};
    for (size_t i = 0; st == ODP_OK && i < ODP_COUNT(steps); i++) {
        uint8_t key[ODP_SHA256_SIZE];
        memcpy(key, out, sizeof key);
        st = hmac(key, sizeof key, steps[i], out);
        explicit_bzero(key, sizeof key);
    }
    if (first.ptr != NULL)
        explicit_bzero(first.ptr, first.cap);
    odp_buffer_release(&first);
    return st;
}

/* The parameters in byte order of their names, as the canonical form wants them. */
static void add_query(struct odp_buffer *b, const struct odp_sign_s3 *s, const char *stamp, unsigned ttl)
{
    odp_buffer_add_str(b, "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=");
    odp_text_percent(b, s->access_key);
    odp_buffer_printf(b, "%%2F%.8s%%2F", stamp);
    odp_text_percent(b, s->region);
    odp_buffer_printf(b, "%%2Fs3%%2Faws4_request&X-Amz-Date=%s&X-Amz-Expires=%u&X-Amz-SignedHeaders=host",
                      stamp, ttl);
}

static enum odp_status to_sign(struct odp_buffer *b, const struct odp_sign_s3 *s, struct odp_slice path,
                               const char *stamp, unsigned ttl)
{
    struct parts p = split(s->url);
    struct odp_buffer canonical = {0};
    uint8_t digest[ODP_SHA256_SIZE];
    char hex[ODP_SHA256_HEX];
    odp_buffer_add_str(&canonical, "GET\n");
    odp_text_percent_but(&canonical, p.path, "/");
    odp_buffer_add_char(&canonical, '/');
    odp_text_percent_but(&canonical, path, "/");
    odp_buffer_add_char(&canonical, '\n');
    add_query(&canonical, s, stamp, ttl);
    odp_buffer_add_str(&canonical, "\nhost:");
    odp_buffer_add_slice(&canonical, p.host);
    odp_buffer_add_str(&canonical, "\n\nhost\nUNSIGNED-PAYLOAD");
    enum odp_status st = odp_buffer_status(&canonical);
    if (st == ODP_OK)
        st = odp_digest_of(canonical.ptr, canonical.len, digest);
    odp_buffer_release(&canonical);
    if (st != ODP_OK)
        return st;
    odp_digest_hex(digest, hex);
    odp_buffer_printf(b, "AWS4-HMAC-SHA256\n%s\n%.8s/", stamp, stamp);
    odp_buffer_add_slice(b, s->region);
    odp_buffer_printf(b, "/s3/aws4_request\n%s", hex);
    return odp_buffer_status(b);
}

enum odp_status odp_sign_s3(struct odp_buffer *out, const struct odp_sign_s3 *s, struct odp_slice path,
                            int64_t now, unsigned ttl)
{
    struct odp_buffer text = {0};
    struct tm tm;
    time_t t = (time_t)now;
    char stamp[32], date[9], hex[ODP_SHA256_HEX];
    uint8_t signature[ODP_SHA256_SIZE];
    if (gmtime_r(&t, &tm) == NULL || strftime(stamp, sizeof stamp, "%Y%m%dT%H%M%SZ", &tm) != 16)
        return odp_failure_set("format the time", NULL, 0);
    memcpy(date, stamp, 8);
    date[8] = '\0';
    enum odp_status st = to_sign(&text, s, path, stamp, ttl);
    if (st == ODP_OK)
        st = derive(s, date, odp_buffer_slice(&text), signature);
    odp_buffer_release(&text);
    if (st != ODP_OK)
        return st;
    odp_digest_hex(signature, hex);
    odp_buffer_add_slice(out, s->url);
    odp_buffer_add_char(out, '/');
    odp_text_percent_but(out, path, "/");
    odp_buffer_add_char(out, '?');
    add_query(out, s, stamp, ttl);
    odp_buffer_printf(out, "&X-Amz-Signature=%s", hex);
    return odp_buffer_status(out);
}
