/* Numbers in another notation, and numbers with words and signs around them: "Rp 1.200.000,-" "12,5 ha"
 * "(1.234)" "1.234.567,5 %" "1,2 juta".
 *
 * The text is split into a prefix (sign, currency, bracket), the digits with their marks, and a suffix
 * (unit, word for a thousand or a million, percent sign, footnote). Anything unknown makes a number that
 * nobody can read for certain: 1.234 m2 in a field of hectares, "> 5", "10-12". A single mark before three
 * digits may separate thousands or begin a fraction; then the field's constraints decide, or nothing does. A
 * reading that the column's other numbers contradict is out (evidence.c). */
#include <stdio.h>

#include "base/decimal.h"
#include "base/utf8.h"
#include "base/white_space.h"
#include "check/proposals/proposals_internal.h"

#define TOKEN_MOST 64u

struct parts {
    char digits[TOKEN_MOST + 1]; /* digits and marks, spaces of all kinds as ' ' */
    size_t ndigits;
    bool negative, percent;
    int scale; /* power of ten of a word */
    char unit[48];
    size_t nunit;
};

/* ---- units ---- */

/* Names of one unit a line, folded (small, no spaces or points). */
static const char *const units[][8] = {
    {"ha", "hektar", "hektare", "hectare", "hectares"},
    {"m2", "m\xC2\xB2", "meterpersegi", "meter2", "squaremetre", "squaremetres", "m^2"},
    {"km2", "km\xC2\xB2", "kilometerpersegi", "squarekilometre"},
    {"m3", "m\xC2\xB3", "meterkubik", "cubicmetre", "cubicmetres"},
    {"m", "meter", "mtr", "metre", "metres"},
    {"km", "kilometer", "kilometre", "kilometres"},
    {"jiwa", "orang", "org", "people", "persons", "penduduk"},
    {"unit", "units", "rumah", "unitrumah", "houses", "dwellings"},
    {"kk", "keluarga", "rumahtangga", "households", "kepalakeluarga"},
    {"rp", "rupiah", "idr"},
    {"%", "persen", "percent", "pct"},
    {"tahun", "thn", "years", "year"},
    {"bulan", "bln", "months"},
    {"hari", "days"},
    {"ldt", "ldtk", "literdetik", "literperdetik", "ls", "lps"},
    {"kg", "kilogram"},
    {"ton", "tonnes"}};
#define NUNITS (ODP_COUNT(units))

static const struct {
    const char *word;
    int power;
} scales[] = {{"ribu", 3},   {"rb", 3},     {"juta", 6},     {"jt", 6},
              {"miliar", 9}, {"milyar", 9}, {"triliun", 12}, {"trilyun", 12}};

static size_t fold_unit(struct odp_slice s, char out[48])
{
    size_t n = 0;
    for (size_t k = 0; k < s.len && n < 47; k++) {
        char ch = s.ptr[k];
        if (ch >= 'A' && ch <= 'Z')
            ch = (char)(ch - 'A' + 'a');
        if (ch != ' ' && ch != '.' && ch != '/' && ch != '(' && ch != ')')
            out[n++] = ch;
    }
    return n;
}

static int unit_family(struct odp_slice folded)
{
    for (size_t u = 0; u < NUNITS; u++)
        for (size_t k = 0; k < 8 && units[u][k] != NULL; k++)
            if (odp_slice_is(folded, units[u][k]))
                return (int)u;
    return -1;
}

/* The power of ten in the field's own unit ("juta rupiah"), and whether it has a unit at all. */
static int scale_of_field(const struct odp_field *f)
{
    for (size_t lang = 0; lang < ODP_LANGS; lang++) {
        const char *unit = f->unit.in[lang];
        for (size_t k = 0; unit != NULL && k < ODP_COUNT(scales); k++) {
            const char *at = strstr(unit, scales[k].word);
            if (at != NULL && strlen(scales[k].word) > 2)
                return scales[k].power;
        }
    }
    return 0;
}

/* May UNIT (folded) precede or follow a number of F? */
static bool unit_fits(const struct odp_field *f, struct odp_slice unit)
{
    bool declared = false;
    if (unit.len == 0)
        return true;
    int family = unit_family(unit);
    for (size_t lang = 0; lang < ODP_LANGS; lang++) {
        char own[48];
        if (f->unit.in[lang] == NULL || *f->unit.in[lang] == '\0')
            continue;
        declared = true;
        struct odp_slice s = {own, fold_unit(odp_slice_of(f->unit.in[lang]), own)};
        if (odp_slice_eq(s, unit) || (family >= 0 && unit_family(s) == family))
            return true;
        /* "juta rupiah" and "rupiah per meter" take "Rp"; "unit rumah" takes "unit". */
        bool money = s.len >= 6 &&
                     (memcmp(s.ptr + s.len - 6, "rupiah", 6) == 0 || memcmp(s.ptr, "rupiah", 6) == 0) &&
                     unit_family(ODP_LIT("rp")) == family;
        if (family >= 0 && s.len > unit.len && (money || memcmp(s.ptr, unit.ptr, unit.len) == 0))
            return true;
    }
    /* A word that is no known unit may say anything ("5 lusin", "5 kurang", 5O); "5 M" are metres, or
     * milliards. */
    return !declared && family >= 0 && (unit.len > 1 || *unit.ptr == '%');
}

/* ---- parts ---- */

static bool take(struct odp_slice *s, const char *text)
{
    size_t n = strlen(text);
    if (s->len < n)
        return false;
    for (size_t k = 0; k < n; k++) {
        char ch = s->ptr[k];
        if (ch >= 'A' && ch <= 'Z')
            ch = (char)(ch - 'A' + 'a');
        if (ch != text[k])
            return false;
    }
    s->ptr += n;
    s->len -= n;
    return true;
}

/* The prefix. */
static bool take_front(struct odp_slice *s, struct parts *out, bool *bracket)
{
    bool signed_yet = false;
    *bracket = false;
    while (s->len > 0 && (*s->ptr < '0' || *s->ptr > '9')) {
        if (take(s, "-") || take(s, "\xE2\x88\x92") || take(s, "\xE2\x80\x93")) { /* U+2212, U+2013 */
            if (signed_yet || *bracket)
                return false;
            signed_yet = out->negative = true;
        } else if (take(s, "+")) {
            if (signed_yet)
                return false;
            signed_yet = true;
        } else if (take(s, "(")) {
            if (signed_yet || *bracket)
                return false;
            *bracket = true;
        } else if (take(s, "rp.") || take(s, "rp") || take(s, "idr")) {
            if (out->nunit != 0)
                return false;
            memcpy(out->unit, "rp", 2);
            out->nunit = 2;
        } else if (!take(s, " ") && !((*s->ptr == ',' || *s->ptr == '.') && s->len > 1 && s->ptr[1] >= '0' &&
                                      s->ptr[1] <= '9')) {
            return false;
        } else if (s->len > 0 && (*s->ptr == ',' || *s->ptr == '.')) {
            break; /* ",5" */
        }
    }
    return s->len > 0;
}

/* The digits with the marks between them; the letter O between digits is a zero, l a one. */
static void take_digits(struct odp_slice *s, struct parts *out)
{
    while (s->len > 0 && out->ndigits < TOKEN_MOST) {
        uint32_t cp, next = 0;
        size_t n = odp_utf8_decode(s->ptr, s->len, &cp);
        if (n < s->len)
            (void)odp_utf8_decode(s->ptr + n, s->len - n, &next);
        bool digit = cp >= '0' && cp <= '9', before = next >= '0' && next <= '9';
        bool alike = out->ndigits > 0 && (cp == 'O' || cp == 'o' || cp == 'l') &&
                     (before || next == cp || next == '.' || next == ',');
        bool mark = (cp == '.' || cp == ',' || cp == '\'' || cp == 0x2019 || odp_is_space(cp)) && before;
        if (!digit && !mark && !alike)
            return;
        char written = ' ';
        if (digit || cp == '.' || cp == ',')
            written = (char)cp;
        else if (alike)
            written = cp == 'l' ? '1' : '0';
        else if (cp == '\'' || cp == 0x2019)
            written = '\'';
        out->digits[out->ndigits++] = written;
        s->ptr += n;
        s->len -= n;
    }
}

/* The suffix: words for thousands, a unit, a percent sign, a footnote. */
static bool take_back(struct odp_slice s, struct parts *out, bool bracket)
{
    s = odp_trim_unicode(s);
    if (bracket) {
        if (s.len == 0 || s.ptr[s.len - 1] != ')')
            return false;
        s.len--;
        out->negative = true;
        s = odp_trim_unicode(s);
    }
    while (s.len > 0 && s.ptr[s.len - 1] == '*') /* a footnote; so is a bracket after it */
        s.len--;
    if (s.len > 2 && memcmp(s.ptr + s.len - 2, "*)", 2) == 0)
        s.len -= 2;
    s = odp_trim_unicode(s);
    if (take(&s, ",--") || take(&s, ",-") || take(&s, ".-"))
        return s.len == 0; /* Rp 1.200.000,- */
    if (s.len == 1 && (*s.ptr == '.' || *s.ptr == ',' || *s.ptr == ';'))
        return true;
    for (size_t k = 0; k < ODP_COUNT(scales); k++) {
        struct odp_slice rest = s;
        if (!take(&rest, scales[k].word) ||
            (rest.len > 0 && *rest.ptr != ' ' && *rest.ptr != '.' && *rest.ptr != ','))
            continue;
        out->scale = scales[k].power;
        s = odp_trim_unicode(rest);
        break;
    }
    char unit[48];
    struct odp_slice folded = {unit, fold_unit(s, unit)};
    out->percent = odp_slice_is(folded, "%") || odp_slice_is(folded, "persen");
    if (folded.len == 0)
        return s.len < 3;
    if (s.len > 40 ||
        (out->nunit != 0 && unit_family(folded) != unit_family((struct odp_slice){out->unit, out->nunit})))
        return false;
    memcpy(out->unit, folded.ptr, folded.len);
    out->nunit = folded.len;
    return true;
}

/* ---- readings ---- */

/* Reads S as FORM has it. Only plain literals: nobody proposes an exponent, or a number that had zeros in
 * front. */
static bool reads(struct odp_slice s, struct odp_decimal_form form, char out[ODP_DECIMAL_SIZE], size_t *len)
{
    bool unchanged, zero;
    form.bare = true;
    return odp_decimal_parse(s, &form, out, len, &unchanged, &zero) == ODP_DECIMAL_OK && !zero &&
           memchr(out, 'e', *len) == NULL && memchr(out, 'E', *len) == NULL;
}

/* The number times a power of ten. */
static size_t shifted(const char *number, size_t len, int power, char out[ODP_DECIMAL_SIZE])
{
    char text[ODP_DECIMAL_SIZE + 16];
    int n = snprintf(text, sizeof text, "%.*se%d", (int)len, number, power);
    return odp_decimal_normal((struct odp_slice){text, (size_t)n}, out);
}

/* What the column speaks against is no proposal, and leaves no other reading the only one. */
static void offer_number(struct odp_proposer *p, const struct parts *parts,
                         const struct odp_number_reading *r, int power)
{
    char number[ODP_DECIMAL_SIZE + 1] = "-", in_form[ODP_DECIMAL_FORM_SIZE];
    size_t len = r->len, sign = parts->negative;
    if (len + 16 > ODP_DECIMAL_DIGITS) /* the longest power is written out, too */
        return;
    if (power != 0)
        len = shifted(r->number, len, power, number + sign);
    else
        memcpy(number + sign, r->number, len);
    size_t n = odp_decimal_in_form((struct odp_slice){number, sign + len}, &p->f->decimal, in_form);
    struct odp_slice candidate = odp_propose_copy(p, (struct odp_slice){in_form, n});
    if (odp_number_agrees(p->c, p->field, r))
        odp_offer(p, candidate);
    else if (odp_accepts(p->c, p->field, candidate, NULL))
        odp_offer_none(p);
}

static unsigned count(const struct parts *parts, char ch)
{
    unsigned n = 0;
    for (size_t k = 0; k < parts->ndigits; k++)
        n += parts->digits[k] == ch;
    return n;
}

/* One reading of the digits: with DECIMAL and GROUP as marks. An integer may have a fraction of zeros. */
static void offer_as(struct odp_proposer *p, const struct parts *parts, char decimal, char group, int power)
{
    char out[ODP_DECIMAL_SIZE];
    size_t len;
    if (!reads((struct odp_slice){parts->digits, parts->ndigits},
               (struct odp_decimal_form){.decimal = decimal, .group = group}, out, &len))
        return;
    const char *point = memchr(out, '.', len);
    if (p->f->type == ODP_TYPE_INTEGER && point != NULL && power <= 0) {
        for (const char *k = point + 1; k < out + len; k++)
            if (*k != '0')
                return;
        len = (size_t)(point - out);
    }
    const struct odp_number_reading reading = {count(parts, decimal) > 0 ? decimal : 0, group,
                                               parts->nunit > 0, out, len};
    offer_number(p, parts, &reading, power);
}

/* All readings that the marks allow. */
static void offer_readings(struct odp_proposer *p, const struct parts *parts, int power)
{
    const struct odp_decimal_form *form = &p->f->decimal;
    unsigned commas = count(parts, ','), points = count(parts, '.'), spaces = count(parts, ' '),
             ticks = count(parts, '\'');
    char group = spaces > 0 ? ' ' : ticks > 0 ? '\'' : 0;
    char mark = form->decimal != 0 ? form->decimal : form->group == '.' ? ',' : '.';
    if ((spaces > 0) + (ticks > 0) > 1 || (group != 0 && commas + points > 1))
        return;
    if (group != 0) {
        offer_as(p, parts, commas > 0 ? ',' : '.', group, power);
        return;
    }
    if (commas > 0 && points > 0) { /* the last one is the decimal sign */
        const char *comma = memrchr(parts->digits, ',', parts->ndigits),
                   *point = memrchr(parts->digits, '.', parts->ndigits);
        offer_as(p, parts, comma > point ? ',' : '.', comma > point ? '.' : ',', power);
        return;
    }
    char sign = commas > 0 ? ',' : '.';
    if (commas + points == 0) {
        offer_as(p, parts, mark, 0, power);
        return;
    }
    if (commas + points > 1) { /* 1.234.567 */
        offer_as(p, parts, sign == ',' ? '.' : ',', sign, power);
        return;
    }
    bool three = parts->ndigits > 4 && parts->digits[parts->ndigits - 4] == sign;
    if (sign == mark && p->f->type == ODP_TYPE_NUMBER) { /* as declared, once the rest is gone */
        offer_as(p, parts, sign, 0, power);
        return;
    }
    if (three && form->group == sign) {
        offer_as(p, parts, sign == ',' ? '.' : ',', sign, power);
        return;
    }
    /* Both readings, where both are possible: then the field's limits may tell, or nobody can. */
    if (three)
        offer_as(p, parts, sign == ',' ? '.' : ',', sign, power);
    if (!three || p->f->type == ODP_TYPE_NUMBER)
        offer_as(p, parts, sign, 0, power);
}

/* "12,5%" is 12,5 in a field of percentages; where the field is bounded by one, 0,125; else nobody knows. */
static bool percent_power(const struct odp_proposer *p, const struct parts *parts, int *power)
{
    const struct odp_constraints *k = &p->f->constraints;
    *power = 0;
    if (!parts->percent)
        return true;
    if (unit_fits(p->f, ODP_LIT("%")) && !(odp_text_is_empty(&p->f->unit)))
        return true;
    if (!odp_text_is_empty(&p->f->unit) || k->maximum.ptr == NULL)
        return false;
    if (odp_decimal_cmp(k->maximum, ODP_LIT("100")) == 0)
        return true;
    *power = -2;
    return odp_decimal_cmp(k->maximum, ODP_LIT("1")) == 0;
}

/* 3,171E+03 has all its digits: a whole number, exactly. */
static bool whole_scientific(struct odp_slice s, char out[32], size_t *len)
{
    size_t n = 0, fraction = 0, exponent = 0, at = 0;
    while (at < s.len && (s.ptr[at] | 0x20) != 'e') {
        char ch = s.ptr[at++];
        if (ch == '.' || ch == ',') {
            if (fraction > 0 || n != 1)
                return false;
            fraction = 1;
        } else if (ch < '0' || ch > '9' || n == 15) { /* a spreadsheet keeps no more */
            return false;
        } else {
            out[n++] = ch;
        }
    }
    if (n == 0 || at + 2 >= s.len || s.ptr[at + 1] != '+')
        return false;
    for (at += 2; at < s.len; at++) {
        if (s.ptr[at] < '0' || s.ptr[at] > '9' || exponent > 100)
            return false;
        exponent = exponent * 10 + (size_t)(s.ptr[at] - '0');
    }
    *len = n;
    return n == exponent + 1 && *out != '0'; /* fewer digits than places: some were lost */
}

struct odp_slice odp_propose_whole(struct odp_proposer *p)
{
    char out[32];
    size_t len = 0;
    struct odp_slice none = {NULL, 0};
    return whole_scientific(p->text, out, &len) ? odp_propose_copy(p, (struct odp_slice){out, len}) : none;
}

void odp_propose_number(struct odp_proposer *p)
{
    struct parts parts = {.ndigits = 0};
    struct odp_slice s = p->text;
    bool bracket;
    int power;
    if (p->code == ODP_S03) {
        odp_offer(p, odp_propose_whole(p));
        return;
    }
    if (s.len > 120 || !take_front(&s, &parts, &bracket))
        return;
    if (*s.ptr == ',' || *s.ptr == '.')
        parts.digits[parts.ndigits++] = '0'; /* ",5" */
    take_digits(&s, &parts);
    if (parts.ndigits == 0 || !take_back(s, &parts, bracket) || !percent_power(p, &parts, &power))
        return;
    struct odp_slice unit = {parts.unit, parts.nunit};
    if (!parts.percent && !unit_fits(p->f, unit))
        return;
    int own = scale_of_field(p->f);
    if (parts.scale != 0 && own != 0 && own != parts.scale)
        return; /* thousands in a field of millions */
    if (parts.scale == 0 && own != 0 && unit.len > 0)
        return; /* "Rp 500" in a field of millions of rupiah */
    offer_readings(p, &parts, parts.scale != 0 && own == 0 ? parts.scale : power);
}
