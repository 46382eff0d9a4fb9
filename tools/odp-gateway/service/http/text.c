#include "service/http/text.h"

#include <stdio.h>
#include <time.h>

#include "base/utf8.h"

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool decode(struct odp_slice s, bool plus, char *out, size_t *len)
{
    size_t n = 0;
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        if (c == '%') {
            if (s.len - i < 3 || hex_value(s.ptr[i + 1]) < 0 || hex_value(s.ptr[i + 2]) < 0)
                return false;
            c = (char)(hex_value(s.ptr[i + 1]) << 4 | hex_value(s.ptr[i + 2]));
            i += 2;
        } else if (c == '+' && plus) {
            c = ' ';
        }
        if (c == '\0')
            return false;
        out[n++] = c;
    }
    *len = n;
    return true;
}

bool odp_percent_decode(struct odp_slice s, char *out, size_t *len)
{
    return decode(s, false, out, len);
}

static bool decode_into(struct odp_slice s, struct odp_buffer *out)
{
    odp_buffer_reset(out);
    char *p = odp_buffer_reserve(out, s.len + 1);
    size_t n = 0;
    if (p == NULL || !decode(s, true, p, &n))
        return false;
    out->len = n;
    return true;
}

int odp_form_get(struct odp_slice form, const char *name, struct odp_buffer *out)
{
    struct odp_buffer part;
    odp_buffer_init(&part);
    odp_buffer_reset(out);
    int found = 0;
    for (size_t i = 0; i < form.len && found >= 0;) {
        struct odp_slice pair = {form.ptr + i, 0};
        const char *amp = memchr(pair.ptr, '&', form.len - i);
        pair.len = amp != NULL ? (size_t)(amp - pair.ptr) : form.len - i;
        i += pair.len + 1;
        const char *eq = pair.len > 0 ? memchr(pair.ptr, '=', pair.len) : NULL;
        struct odp_slice key = {pair.ptr, eq != NULL ? (size_t)(eq - pair.ptr) : pair.len};
        struct odp_slice value = {key.ptr + key.len, 0};
        if (eq != NULL)
            value = (struct odp_slice){eq + 1, pair.len - key.len - 1};
        if (!decode_into(key, &part))
            found = -1;
        else if (odp_slice_is(odp_buffer_slice(&part), name))
            found = decode_into(value, found == 0 ? out : &part) ? found + 1 : -1;
    }
    odp_buffer_release(&part);
    return found;
}

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
