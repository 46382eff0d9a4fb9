#include "service/http/text.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <time.h>

#include "base/utf8.h"

void odp_time_iso(int64_t t, int32_t zone_minutes, char out[ODP_TIME_SIZE])
{
    time_t local = (time_t)(t + (int64_t)zone_minutes * 60);
    struct tm tm;
    char stamp[28] = "";
    if (gmtime_r(&local, &tm) == NULL || strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%S", &tm) == 0) {
        out[0] = '\0';
        return;
    }
    int m = zone_minutes < 0 ? -zone_minutes : zone_minutes;
    (void)snprintf(out, ODP_TIME_SIZE, "%s%c%02d:%02d", stamp, zone_minutes < 0 ? '-' : '+', m / 60 % 100,
                   m % 60);
}

void odp_day_iso(int64_t day, char out[ODP_TIME_SIZE])
{
    odp_time_iso(day * 86400, 0, out);
    if (out[0] != '\0')
        out[10] = '\0';
}

void odp_base64_add(struct odp_buffer *b, const void *bytes, size_t n, size_t line)
{
    const size_t most = line > 0 ? line / 4 * 3 : n;
    for (size_t i = 0, some; i < n; i += some) {
        some = n - i < most ? n - i : most;
        odp_buffer_add_str(b, i > 0 ? "\n" : "");
        char *to = odp_buffer_reserve(b, some / 3 * 4 + 5); /* libcrypto ends it */
        if (to != NULL)
            b->len +=
                (size_t)EVP_EncodeBlock((unsigned char *)to, (const unsigned char *)bytes + i, (int)some);
    }
}

static bool hidden(uint32_t cp)
{
    return cp < 0x20 || (cp >= 0x7f && cp < 0xa0) || cp == 0x61c || cp == 0xad || cp == 0x200b ||
           cp == 0x200e || cp == 0x200f || (cp >= 0x2028 && cp <= 0x202e) || (cp >= 0x2060 && cp <= 0x206f) ||
           cp == 0xfeff || (cp >= 0xfff0 && cp <= 0xfffb) || (cp & 0xfffe) == 0xfffe ||
           (cp >= 0xfdd0 && cp <= 0xfdef) || (cp >= 0xe0000 && cp <= 0xe007f);
}

bool odp_typed_ok(struct odp_slice s)
{
    if (odp_utf8_valid(s) != s.len)
        return false;
    for (size_t i = 0; i < s.len;) {
        uint32_t cp = 0;
        i += odp_utf8_decode(s.ptr + i, s.len - i, &cp);
        if (hidden(cp))
            return false;
    }
    return true;
}
