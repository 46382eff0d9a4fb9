/* Text that a spreadsheet program would run (ODP-W13): canonical CSV and JSON keep it as it is, excel.csv
 * and Excel make sure that it stays text. But a spreadsheet program that opens the canonical CSV runs it,
 * which data seldom intend. Telephone numbers, negative numbers and lists with dashes are not formulas. */
#include <string.h>

#include "base/ascii.h"
#include "check/check_internal.h"

static bool has_any(struct odp_slice s, size_t from, const char *of)
{
    for (size_t i = from; i < s.len; i++)
        if (strchr(of, s.ptr[i]) != NULL && s.ptr[i] != '\0')
            return true;
    return false;
}

/* A letter or a digit: a line of equals signs is a line. */
static bool has_word(struct odp_slice s)
{
    for (size_t i = 1; i < s.len; i++)
        if (odp_is_letter(s.ptr[i]) || (unsigned char)(s.ptr[i] - '0') < 10)
            return true;
    return false;
}

static bool is_formula(struct odp_slice s)
{
    s = odp_slice_trim(s); /* programs drop it, too */
    if (s.len < 2)
        return false;
    switch (s.ptr[0]) {
    case '=':
        return has_word(s);
    case '@': /* an account's name is not a formula */
        return has_any(s, 1, "(|!");
    case '+':
    case '-':
        return odp_is_letter(s.ptr[1]) || s.ptr[1] == '(' || s.ptr[1] == '@' || s.ptr[1] == '=' ||
               has_any(s, 1, "+*^|");
    default:
        return false;
    }
}

static bool applies(const struct odp_validator *v, uint32_t field)
{
    const struct odp_field *f = &v->schema->fields[field];
    return (f->type == ODP_TYPE_STRING || f->type == ODP_TYPE_ANY) && !v->off[ODP_W13];
}

static void check_column(struct odp_check *c, uint32_t field)
{
    if ((c->any & (ODP_TRAIT_LEAD | ODP_TRAIT_EDGE)) == 0)
        return;
    for (uint32_t i = 0; i < c->n; i++)
        if (c->state[i] == ODP_VALUE_OK && (c->traits[i] & (ODP_TRAIT_LEAD | ODP_TRAIT_EDGE)) != 0 &&
            is_formula(c->text[i]))
            (void)odp_check_fault(c, i, (int)field, ODP_W13);
}

const struct odp_rule_kind odp_rule_formula = {.name = "formula", .applies = applies, .column = check_column};
