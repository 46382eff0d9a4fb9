#include "base/text.h"

#include <stddef.h>
#include <stdio.h>

#include "base/buffer.h"

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
