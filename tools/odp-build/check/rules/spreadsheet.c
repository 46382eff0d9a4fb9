/* What spreadsheets leave in a file: error values (ODP-S01), cells that were too narrow (S02), codes and
 * integers turned into scientific notation (S03), numbers that lost digits by it (S06). Lost zeros (S04) are
 * found where a code fails (lost_zero.c), date numbers (S05) with dates. */
#include "base/nearest.h"
#include "check/check_internal.h"

static bool is_error_value(struct odp_slice s)
{
    static const char *const values[] = {"#N/A",    "#REF!",     "#VALUE!",   "#DIV/0!",   "#NAME?",
                                         "#NULL!",  "#NUM!",     "#SPILL!",   "#CALC!",    "#GETTING_DATA",
                                         "#FIELD!", "#BLOCKED!", "#UNKNOWN!", "#CONNECT!", "#BUSY!"};
    return odp_word_index(s, values, ODP_COUNT(values)) >= 0;
}

static bool is_hashes(struct odp_slice s)
{
    for (size_t k = 0; k < s.len; k++)
        if (s.ptr[k] != '#')
            return false;
    return s.len >= 4;
}

static size_t digits_at(struct odp_slice s, size_t at)
{
    size_t n = 0;
    while (at + n < s.len && s.ptr[at + n] >= '0' && s.ptr[at + n] <= '9')
        n++;
    return n;
}

/* 1,23E+15: one digit, perhaps a fraction, E, a sign, two or three digits. Without the sign it may be a code:
 * 1E5. */
static bool is_scientific(struct odp_slice s)
{
    size_t at = s.len > 0 && s.ptr[0] == '-' ? 1 : 0, n;
    if (digits_at(s, at) != 1)
        return false;
    at++;
    if (at < s.len && (s.ptr[at] == '.' || s.ptr[at] == ',')) {
        n = digits_at(s, at + 1);
        if (n == 0)
            return false;
        at += 1 + n;
    }
    if (at + 2 >= s.len || (s.ptr[at] | 0x20) != 'e' || (s.ptr[at + 1] != '+' && s.ptr[at + 1] != '-'))
        return false;
    n = digits_at(s, at + 2);
    return n >= 2 && n <= 3 && at + 2 + n == s.len;
}

/* As spreadsheets show a number that is too long for its column: 1,23E+15, with more places than digits. */
static bool lost_digits(struct odp_slice s)
{
    const char *e = memchr(s.ptr, 'E', s.len);
    size_t exponent = 0, fraction = 0, at = s.len > 0 && s.ptr[0] == '-' ? 2 : 1;
    if (e == NULL || e[1] != '+' || !is_scientific(s))
        return false;
    if (s.ptr[at] == '.' || s.ptr[at] == ',')
        fraction = digits_at(s, at + 1);
    for (const char *p = e + 2; p < s.ptr + s.len; p++)
        exponent = exponent * 10 + (size_t)(*p - '0');
    return exponent > fraction;
}

/* All damage begins with '#', a digit or a minus sign, perhaps behind white space: most texts with an E are
 * words. */
static bool may_be_damage(struct odp_slice s)
{
    unsigned char b = s.len > 0 ? (unsigned char)*s.ptr : 'a';
    return b <= '#' || b == '-' || (b >= '0' && b <= '9');
}

static void check_column(struct odp_check *c, uint32_t field)
{
    enum odp_type type = odp_check_field(c, field)->type;
    bool codes = type == ODP_TYPE_STRING || type == ODP_TYPE_INTEGER;
    bool number = type == ODP_TYPE_NUMBER;
    uint8_t wanted = (uint8_t)(ODP_TRAIT_HASH | (codes || number ? ODP_TRAIT_EXPONENT : 0));
    if ((c->any & wanted) == 0)
        return;
    for (uint32_t i = 0; i < c->n; i++) {
        if (c->state[i] != ODP_VALUE_OK || (c->traits[i] & wanted) == 0 || !may_be_damage(c->text[i]))
            continue;
        struct odp_slice s = odp_slice_trim(c->text[i]);
        if (s.len > 0 && s.ptr[0] == '#' && is_error_value(s))
            (void)odp_check_fault(c, i, (int)field, ODP_S01);
        else if (is_hashes(s))
            (void)odp_check_fault(c, i, (int)field, ODP_S02);
        else if (codes && is_scientific(s))
            (void)odp_check_fault(c, i, (int)field, ODP_S03);
        else if (number && lost_digits(s))
            (void)odp_check_fault(c, i, (int)field, ODP_S06);
    }
}

const struct odp_rule_kind odp_rule_spreadsheet = {.name = "spreadsheet", .column = check_column};
