#include "service/http/text.h"

#include <stdio.h>
#include <time.h>

#include "base/utf8.h"

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

bool odp_slice_is_nocase(struct odp_slice s, const char *text)
{
    size_t i = 0;
    for (; i < s.len && text[i] != '\0'; i++)
        if (lower(s.ptr[i]) != lower(text[i]))
            return false;
    return i == s.len && text[i] == '\0';
}

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
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *p = bytes;
    size_t column = 0;
    for (size_t i = 0; i < n; i += 3) {
        unsigned v =
            (unsigned)p[i] << 16 | (i + 1 < n ? (unsigned)p[i + 1] << 8 : 0) | (i + 2 < n ? p[i + 2] : 0u);
        char four[4] = {digits[v >> 18 & 63], digits[v >> 12 & 63], digits[v >> 6 & 63], digits[v & 63]};
        if (i + 1 >= n)
            four[2] = '=';
        if (i + 2 >= n)
            four[3] = '=';
        odp_buffer_add(b, four, sizeof four);
        column += 4;
        if (line > 0 && column >= line && i + 3 < n) {
            odp_buffer_add_char(b, '\n');
            column = 0;
        }
    }
}

void odp_html_add(struct odp_buffer *b, struct odp_slice s)
{
    for (size_t i = 0; i < s.len; i++) {
        switch (s.ptr[i]) {
        case '&':
            odp_buffer_add_str(b, "&amp;");
            break;
        case '<':
            odp_buffer_add_str(b, "&lt;");
            break;
        case '>':
            odp_buffer_add_str(b, "&gt;");
            break;
        case '"':
            odp_buffer_add_str(b, "&quot;");
            break;
        case '\'':
            odp_buffer_add_str(b, "&#39;");
            break;
        default:
            odp_buffer_add_char(b, s.ptr[i]);
        }
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
