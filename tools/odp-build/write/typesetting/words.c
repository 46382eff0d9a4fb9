/* Values as people write them; see words.h. All of it is work on text: no number is ever converted. */
#include "write/typesetting/words.h"

#include "base/ascii.h"
#include "base/decimal.h"
#include "base/text.h"
#include "words/typesetting.h"

#include <string.h>

/* Where the exponent's letter is in S; S.len: nowhere. */
static size_t exponent_at(struct odp_slice s)
{
    size_t at = 0;
    while (at < s.len && (s.ptr[at] | 0x20) != 'e')
        at++;
    return at;
}

static void add_plain(struct odp_buffer *out, struct odp_slice s, enum odp_lang lang, bool group)
{
    if (group)
        odp_text_decimal(out, s, lang);
    for (size_t i = 0; i < s.len && !group; i++)
        odp_buffer_add_char(out, s.ptr[i] == '.' && lang == ODP_LANG_ID ? ',' : s.ptr[i]);
}

void odp_words_number(struct odp_buffer *out, struct odp_slice literal, enum odp_lang lang, bool group)
{
    char normal[ODP_DECIMAL_SIZE];
    size_t at = exponent_at(literal);
    if (at > 0 && at + 1 < literal.len && odp_is_digit(literal.ptr[literal.len - 1])) {
        literal = (struct odp_slice){normal, odp_decimal_normal(literal, normal)};
        at = exponent_at(literal);
    }
    add_plain(out, (struct odp_slice){literal.ptr, at}, lang, group);
    if (at < literal.len) {
        odp_buffer_add_str(out, "×10^");
        odp_buffer_add(out, literal.ptr + at + 1, literal.len - at - 1);
    }
}

/* ---- dates ---- */

static const struct odp_text months[12] = {
    {{W_typesetting_month_1}},  {{W_typesetting_month_2}},  {{W_typesetting_month_3}},
    {{W_typesetting_month_4}},  {{W_typesetting_month_5}},  {{W_typesetting_month_6}},
    {{W_typesetting_month_7}},  {{W_typesetting_month_8}},  {{W_typesetting_month_9}},
    {{W_typesetting_month_10}}, {{W_typesetting_month_11}}, {{W_typesetting_month_12}},
};

const char *odp_words_month(unsigned month, enum odp_lang lang)
{
    return month >= 1 && month <= 12 ? months[month - 1].in[lang] : "";
}

static unsigned two_digits(const char *p)
{
    return (unsigned)(p[0] - '0') * 10 + (unsigned)(p[1] - '0');
}

static bool is_date(struct odp_slice s)
{
    static const char form[] = "dddd-dd-dd";
    static const unsigned char days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (s.len < 10)
        return false;
    for (size_t i = 0; i < 10; i++)
        if (form[i] == 'd' ? !odp_is_digit(s.ptr[i]) : s.ptr[i] != form[i])
            return false;
    unsigned month = two_digits(s.ptr + 5), day = two_digits(s.ptr + 8);
    if (month < 1 || month > 12 || day < 1 || day > days[month - 1])
        return false;
    return s.len == 10 || strchr("T .", s.ptr[10]) != NULL; /* a timestamp, the name of a corrected version */
}

void odp_words_date(struct odp_buffer *out, struct odp_slice date, enum odp_lang lang)
{
    if (!is_date(date)) {
        odp_buffer_add_slice(out, date);
        return;
    }
    odp_buffer_add_u64(out, two_digits(date.ptr + 8));
    odp_buffer_add_char(out, ' ');
    odp_buffer_add_str(out, odp_words_month(two_digits(date.ptr + 5), lang));
    odp_buffer_add_char(out, ' ');
    odp_buffer_add(out, date.ptr, 4);
}

/* ---- cells ---- */

void odp_words_cell(struct odp_buffer *out, const struct odp_schema *s, uint32_t field, struct odp_slice text,
                    enum odp_lang lang)
{
    switch (odp_type_family(s->fields[field].type)) {
    case ODP_FAMILY_NUMBER:
        odp_words_number(out, text, lang, odp_schema_is_figure(s, field));
        break;
    case ODP_FAMILY_TRUTH:
        if (odp_slice_is(text, "true"))
            odp_buffer_add_str(out, odp_word(lang, W_typesetting_yes));
        else if (odp_slice_is(text, "false"))
            odp_buffer_add_str(out, odp_word(lang, W_typesetting_no));
        else
            odp_buffer_add_slice(out, text);
        break;
    default:
        odp_buffer_add_slice(out, text);
    }
}

void odp_words_title(struct odp_buffer *out, const struct odp_field *f, enum odp_lang lang, bool unit)
{
    const char *title = odp_text_get(&f->title, lang), *measure = odp_text_get(&f->unit, lang);
    odp_buffer_add_str(out, title[0] != '\0' ? title : f->name);
    if (unit && measure[0] != '\0') {
        odp_buffer_add_str(out, " (");
        odp_buffer_add_str(out, measure);
        odp_buffer_add_char(out, ')');
    }
}
