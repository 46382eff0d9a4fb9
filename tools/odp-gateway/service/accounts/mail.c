/* Messages: addresses and headers. */
#include "service/accounts/mail.h"

#include <string.h>
#include <time.h>

#include "base/line.h"
#include "base/utf8.h"
#include "core/random.h"
#include "service/http/text.h"

static bool atom_char(unsigned char ch)
{
    return ch > 0x20 && ch != 0x7f && strchr("()<>[]:;@\\,\".", ch) == NULL;
}

/* Atoms joined by single dots; *DOTS counts them. */
static bool dot_atom(struct odp_slice s, bool domain, size_t *dots)
{
    size_t run = 0;
    *dots = 0;
    for (size_t i = 0; i < s.len; i++) {
        unsigned char ch = (unsigned char)s.ptr[i];
        bool dot = ch == '.';
        if (dot && (run == 0 || (domain && s.ptr[i - 1] == '-')))
            return false;
        if (!dot && !atom_char(ch))
            return false;
        if (domain && ch < 0x80 && !dot && ch != '-' && !(ch >= '0' && ch <= '9') &&
            !((ch | 0x20) >= 'a' && (ch | 0x20) <= 'z'))
            return false;
        if (domain && ch == '-' && run == 0)
            return false;
        run = dot ? 0 : run + 1;
        *dots += dot;
        if (domain && run > 63)
            return false;
    }
    return run > 0 && !(domain && s.ptr[s.len - 1] == '-');
}

static bool has_space(struct odp_slice s)
{
    for (size_t i = 0; i < s.len;) {
        uint32_t cp = 0;
        i += odp_utf8_decode(s.ptr + i, s.len - i, &cp);
        if (cp == 0xa0 || cp == 0x1680 || (cp >= 0x2000 && cp <= 0x200f) || cp == 0x202f || cp == 0x205f ||
            cp == 0x3000)
            return true;
    }
    return false;
}

bool odp_mail_address_ok(struct odp_slice address)
{
    size_t dots = 0;
    if (address.len == 0 || address.len > 254 || !odp_typed_ok(address) || has_space(address))
        return false;
    struct odp_slice domain = address, local = odp_slice_cut(&domain, '@');
    return local.len < address.len && local.len <= 64 && dot_atom(local, false, &dots) &&
           dot_atom(domain, true, &dots) && dots > 0;
}

static bool header_text_ok(const char *s)
{
    return odp_typed_ok(odp_slice_of(s));
}

static void add_subject(struct odp_buffer *out, const char *subject)
{
    struct odp_slice s = odp_slice_of(subject);
    bool plain = s.len <= 60 && strstr(subject, "=?") == NULL;
    for (size_t i = 0; i < s.len; i++)
        plain = plain && (unsigned char)s.ptr[i] < 0x80;
    if (plain) {
        odp_buffer_add_slice(out, s);
        return;
    }
    for (size_t i = 0; i < s.len;) { /* an encoded word has at most 75 characters, and whole characters: 42
                                        bytes are 56 of base64 */
        size_t n = 0;
        while (i + n < s.len) {
            uint32_t cp;
            size_t one = odp_utf8_decode(s.ptr + i + n, s.len - i - n, &cp);
            if (n + one > 42)
                break;
            n += one;
        }
        odp_buffer_add_str(out, i > 0 ? "\n =?UTF-8?B?" : "=?UTF-8?B?");
        odp_base64_add(out, s.ptr + i, n, 0);
        odp_buffer_add_str(out, "?=");
        i += n;
    }
}

static enum odp_status add_id(struct odp_buffer *out, const char *from)
{
    char random[33];
    if (odp_random_hex(random, sizeof random - 1) != ODP_OK)
        return ODP_FAIL;
    odp_buffer_printf(out, "Message-ID: <%s", random);
    const char *at = strrchr(from, '@');
    size_t n = at != NULL ? strcspn(at + 1, "> \t") : 0;
    odp_buffer_add_char(out, '@');
    odp_buffer_add(out, n > 0 ? at + 1 : "localhost", n > 0 ? n : 9);
    odp_buffer_add_str(out, ">\n");
    return ODP_OK;
}

static void add_date(struct odp_buffer *out, int64_t now)
{
    static const char days[] = "SunMonTueWedThuFriSat", months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    time_t t = (time_t)now;
    struct tm tm;
    if (gmtime_r(&t, &tm) == NULL)
        return;
    odp_buffer_printf(out, "Date: %.3s, %02d %.3s %d %02d:%02d:%02d +0000\n", days + 3 * tm.tm_wday,
                      tm.tm_mday, months + 3 * tm.tm_mon, tm.tm_year + 1900, tm.tm_hour, tm.tm_min,
                      tm.tm_sec);
}

enum odp_status odp_mail_write(struct odp_buffer *out, const char *from, const char *to, const char *subject,
                               const char *body, int64_t now)
{
    if (!odp_mail_address_ok(odp_slice_of(to)) || !header_text_ok(from) || !header_text_ok(subject))
        return ODP_BAD;
    odp_buffer_printf(out, "From: %s\nTo: %s\nSubject: ", from, to);
    add_subject(out, subject);
    odp_buffer_add_char(out, '\n');
    add_date(out, now);
    if (add_id(out, from) != ODP_OK)
        return ODP_FAIL;
    odp_buffer_add_str(
        out, "MIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n"
             "Auto-Submitted: auto-generated\n\n");
    odp_base64_add(out, body, strlen(body), 76);
    odp_buffer_add_char(out, '\n');
    return odp_buffer_status(out);
}
