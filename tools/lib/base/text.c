#include "base/text.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/line.h"
#include "base/ascii.h"
#include "base/buffer.h"
#include "words/text.h"

const char *odp_text_get(const struct odp_text *t, enum odp_lang lang)
{
    const char *s = t->in[lang];
    if (s == NULL || *s == '\0')
        s = t->in[lang == ODP_LANG_ID ? ODP_LANG_EN : ODP_LANG_ID];
    return s != NULL ? s : "";
}

bool odp_text_is_empty(const struct odp_text *t)
{
    return odp_text_get(t, ODP_LANG_ID)[0] == '\0' && odp_text_get(t, ODP_LANG_EN)[0] == '\0';
}

void odp_text_digits(struct odp_buffer *out, struct odp_slice digits, enum odp_lang lang)
{
    for (size_t i = 0; i < digits.len; i++) {
        if (i > 0 && (digits.len - i) % 3 == 0)
            odp_buffer_add_char(out, lang == ODP_LANG_ID ? '.' : ',');
        odp_buffer_add_char(out, digits.ptr[i]);
    }
}

void odp_text_number(struct odp_buffer *out, uint64_t n, enum odp_lang lang)
{
    char digits[24];
    int len = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n);
    odp_text_digits(out, (struct odp_slice){digits, (size_t)len}, lang);
}

void odp_text_decimal(struct odp_buffer *out, struct odp_slice text, enum odp_lang lang)
{
    size_t sign = text.len > 0 && *text.ptr == '-', whole = 0, fraction = 0;
    const char *digits = text.ptr + sign;
    while (sign + whole < text.len && odp_is_digit(digits[whole]))
        whole++;
    bool point = sign + whole < text.len && digits[whole] == '.';
    while (point && sign + whole + 1 + fraction < text.len && digits[whole + 1 + fraction] >= '0' &&
           digits[whole + 1 + fraction] <= '9')
        fraction++;
    if (whole == 0 || (point && fraction == 0) || sign + whole + point + fraction != text.len) {
        odp_buffer_add_slice(out, text); /* an exponent, INF, or no number */
        return;
    }
    odp_buffer_add(out, text.ptr, sign);
    odp_text_digits(out, (struct odp_slice){digits, whole}, lang);
    if (point)
        odp_buffer_add_char(out, lang == ODP_LANG_ID ? ',' : '.');
    odp_buffer_add(out, digits + whole + point, fraction);
}

/* So many decimals are read of V: more than one only of small numbers, of those below 1 two digits that say
 * something. */
static int decimals_of(double v)
{
    int n = v >= 1000 ? 0 : v >= 10 ? 1 : 2;
    for (double small = v; small > 0 && small < 0.1 && n < 12; small *= 10)
        n++;
    return n;
}

/* So many decimals make six digits of V. */
static int decimals_of_six(double v)
{
    return v > 0 ? 5 - (int)floor(log10(v)) : 0;
}

static void add_amount(struct odp_buffer *out, struct odp_slice text, enum odp_lang lang, bool six)
{
    static const struct odp_text words[] = {
        {{"", ""}}, {{W_text_million}}, {{W_text_billion}}, {{W_text_trillion}}};
    char digits[64], *end;
    if (text.len == 0 || text.len >= sizeof digits) {
        odp_text_decimal(out, text, lang);
        return;
    }
    memcpy(digits, text.ptr, text.len);
    digits[text.len] = '\0';
    double v = strtod(digits, &end), least = 999999.5;
    size_t word = 0;
    if (*end != '\0' || !(fabs(v) < 1e18) || strspn(digits, "-.0123456789") != text.len) {
        odp_text_decimal(out, text, lang);
        return;
    }
    for (; word < 3 && fabs(v) >= least; word++, least = 999.95)
        v /= word == 0 ? 1e6 : 1e3;
    const int rounded = word > 0 ? 1 : decimals_of(fabs(v)),
              places = six ? decimals_of_six(fabs(v)) : rounded;
    const double unit = pow(10, places);
    int len = snprintf(digits, sizeof digits, "%.*f", places, round(v * unit) / unit);
    while (places > 0 && len > 0 && digits[len - 1] == '0')
        len--;
    len -= places > 0 && len > 0 && digits[len - 1] == '.';
    odp_text_decimal(out, (struct odp_slice){digits, (size_t)len}, lang);
    if (word > 0)
        odp_buffer_printf(out, " %s", words[word].in[lang]);
}

void odp_text_amount(struct odp_buffer *out, struct odp_slice text, enum odp_lang lang)
{
    add_amount(out, text, lang, false);
}

void odp_text_bound(struct odp_buffer *out, struct odp_slice text, enum odp_lang lang)
{
    add_amount(out, text, lang, true);
}

char odp_text_first_inside(struct odp_slice text)
{
    if (text.len == 0)
        return '\0';
    const char c = text.ptr[0], next = text.len > 1 ? text.ptr[1] : '\0';
    return c >= 'A' && c <= 'Z' && next >= 'a' && next <= 'z' ? (char)(c + ('a' - 'A')) : c;
}

void odp_text_size(struct odp_buffer *out, uint64_t n, enum odp_lang lang)
{
    static const char *const units[ODP_LANGS][5] = {{"bita", "KB", "MB", "GB", "TB"},
                                                    {"bytes", "kB", "MB", "GB", "TB"}};
    size_t unit = 0;
    char whole[32];
    uint64_t tenths = n / 100 + (n % 100 >= 50); /* of 1000 bytes */
    if (n >= 1000)
        for (unit = 1; tenths >= 10000 && unit < 4; unit++)
            tenths = (tenths + 500) / 1000;
    int len = snprintf(whole, sizeof whole, "%llu", (unsigned long long)(unit > 0 ? tenths / 10 : n));
    odp_text_decimal(out, (struct odp_slice){whole, (size_t)len}, lang);
    if (unit > 0)
        odp_buffer_printf(out, "%c%u", lang == ODP_LANG_ID ? ',' : '.', (unsigned)(tenths % 10));
    odp_buffer_printf(out, " %s", units[lang][unit]);
}

void odp_text_percent_but(struct odp_buffer *out, struct odp_slice s, const char *keep)
{
    for (size_t i = 0; i < s.len; i++) {
        const char c = s.ptr[i];
        bool plain = odp_is_alnum(c) || (c != '\0' && (strchr("-._~", c) != NULL || strchr(keep, c) != NULL));
        if (plain)
            odp_buffer_add_char(out, c);
        else
            odp_buffer_printf(out, "%%%02X", (unsigned)(unsigned char)c);
    }
}

void odp_text_shell(struct odp_buffer *out, struct odp_slice s)
{
    size_t plain = 0;
    while (plain < s.len && (odp_is_alnum(s.ptr[plain]) || strchr("-._/+,:=@%", s.ptr[plain]) != NULL))
        plain++;
    if (plain == s.len && s.len > 0) {
        odp_buffer_add_slice(out, s);
        return;
    }
    odp_buffer_add_char(out, '\'');
    for (size_t i = 0; i < s.len; i++)
        odp_buffer_add_str(out, s.ptr[i] == '\'' ? "'\\''" : (char[]){s.ptr[i], '\0'});
    odp_buffer_add_char(out, '\'');
}

void odp_text_percent(struct odp_buffer *out, struct odp_slice s)
{
    odp_text_percent_but(out, s, "");
}

static bool decode(struct odp_slice s, bool plus, char *out, size_t *len)
{
    size_t n = 0;
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        if (c == '%') {
            if (s.len - i < 3 || odp_hex_value(s.ptr[i + 1]) < 0 || odp_hex_value(s.ptr[i + 2]) < 0)
                return false;
            c = (char)(odp_hex_value(s.ptr[i + 1]) << 4 | odp_hex_value(s.ptr[i + 2]));
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

bool odp_form_decode(struct odp_slice s, struct odp_buffer *out)
{
    odp_buffer_reset(out);
    char *p = odp_buffer_reserve(out, s.len + 1);
    size_t n = 0;
    if (p == NULL || !decode(s, true, p, &n))
        return false;
    out->len = n;
    return true;
}

bool odp_form_next(struct odp_slice *form, struct odp_slice *name, struct odp_slice *value)
{
    while (form->len > 0) {
        *value = odp_slice_cut(form, '&');
        if (value->len == 0)
            continue;
        *name = odp_slice_cut(value, '=');
        return true;
    }
    return false;
}

int odp_form_get(struct odp_slice form, const char *name, struct odp_buffer *out)
{
    struct odp_buffer part = {0};
    struct odp_slice key, value;
    int found = 0;
    odp_buffer_reset(out);
    while (found >= 0 && odp_form_next(&form, &key, &value))
        if (!odp_form_decode(key, &part))
            found = -1;
        else if (odp_slice_is(odp_buffer_slice(&part), name))
            found = odp_form_decode(value, found == 0 ? out : &part) ? found + 1 : -1;
    odp_buffer_release(&part);
    return found;
}

const char *odp_column_name(uint32_t column, char buf[8])
{
    char back[8];
    size_t n = 0, i = 0;
    for (uint32_t c = column + 1; c > 0 && n < 7; c = (c - 1) / 26)
        back[n++] = (char)('A' + (c - 1) % 26);
    while (n > 0)
        buf[i++] = back[--n];
    buf[i] = '\0';
    return buf;
}

bool odp_number_read(struct odp_slice s, uint64_t *out)
{
    *out = 0;
    for (size_t i = 0; i < s.len; i++) {
        unsigned digit = (unsigned)(s.ptr[i] - '0');
        if (digit > 9)
            return false;
        *out = *out > (UINT64_MAX - digit) / 10 ? UINT64_MAX : *out * 10 + digit;
    }
    return s.len > 0;
}

static bool must_quote(struct odp_slice s)
{
    return s.len == 0 || strchr(" \t", s.ptr[0]) != NULL || strchr(" \t", s.ptr[s.len - 1]) != NULL ||
           memchr(s.ptr, ',', s.len) != NULL || memchr(s.ptr, '"', s.len) != NULL ||
           memchr(s.ptr, '\n', s.len) != NULL || memchr(s.ptr, '\r', s.len) != NULL;
}

void odp_text_csv(struct odp_buffer *out, struct odp_slice s)
{
    if (s.ptr == NULL || !must_quote(s)) {
        odp_buffer_add_slice(out, s);
        return;
    }
    odp_buffer_add_char(out, '"');
    for (bool more = true; more;) {
        size_t before = s.len;
        struct odp_slice part = odp_slice_cut(&s, '"');
        odp_buffer_add_slice(out, part);
        more = part.len < before;
        odp_buffer_add_str(out, more ? "\"\"" : "\"");
    }
}
