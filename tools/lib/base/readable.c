/* Numbers and sizes as people read them. */
#include "base/readable.h"

#include <stdio.h>

void odp_readable_number(struct odp_buffer *out, struct odp_slice text, enum odp_lang lang)
{
    size_t sign = text.len > 0 && *text.ptr == '-', whole = 0, fraction = 0;
    const char *digits = text.ptr + sign;
    while (sign + whole < text.len && digits[whole] >= '0' && digits[whole] <= '9')
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
    for (size_t i = 0; i < whole; i++) {
        if (i > 0 && (whole - i) % 3 == 0)
            odp_buffer_add_char(out, lang == ODP_LANG_ID ? '.' : ',');
        odp_buffer_add_char(out, digits[i]);
    }
    if (point)
        odp_buffer_add_char(out, lang == ODP_LANG_ID ? ',' : '.');
    odp_buffer_add(out, digits + whole + point, fraction);
}

void odp_readable_size(struct odp_buffer *out, uint64_t n, enum odp_lang lang)
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
    odp_readable_number(out, (struct odp_slice){whole, (size_t)len}, lang);
    if (unit > 0)
        odp_buffer_printf(out, "%c%u", lang == ODP_LANG_ID ? ',' : '.', (unsigned)(tenths % 10));
    odp_buffer_printf(out, " %s", units[lang][unit]);
}

void odp_percent(struct odp_buffer *out, struct odp_slice s)
{
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        bool plain =
            (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || strchr("-._~", c) != NULL;
        if (plain && c != '\0')
            odp_buffer_add_char(out, (char)c);
        else
            odp_buffer_printf(out, "%%%02X", (unsigned)c);
    }
}
