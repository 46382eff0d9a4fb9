/* Values as people write them; see words.h. All of it is work on text: no number is ever converted. */
#include "write/typesetting/words.h"

#include "base/ascii.h"
#include "base/datetime.h"
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
    } else {
        at = literal.len; /* as it is, if it is no number */
    }
    add_plain(out, (struct odp_slice){literal.ptr, at}, lang, group);
    if (at < literal.len) {
        odp_buffer_add_str(out, "×10^");
        odp_buffer_add(out, literal.ptr + at + 1, literal.len - at - 1);
    }
}

/* ---- dates ---- */

void odp_words_date(struct odp_buffer *out, struct odp_slice date, enum odp_lang lang)
{
    struct odp_datetime d;
    const bool month = date.len == 7, more = date.len > 10; /* a timestamp, the name of a corrected version */
    const struct odp_slice first = {date.ptr, more ? 10 : date.len};
    if ((more && strchr("T .", date.ptr[10]) == NULL) ||
        odp_date_parse(first, month ? ODP_YEARMONTH : ODP_DATE, NULL, NULL, &d) != ODP_DATE_OK) {
        odp_buffer_add_slice(out, date);
        return;
    }
    if (!month)
        odp_buffer_printf(out, "%d ", d.day);
    odp_buffer_printf(out, "%s %.4s", odp_date_month_name(d.month, lang == ODP_LANG_EN), date.ptr);
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
