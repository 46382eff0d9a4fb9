/* minLength and maxLength (ODP-B03, B04): characters of a string, items of a list or array, members of an
 * object. */
#include "base/utf8.h"
#include "check/check_internal.h"

static bool applies(const struct odp_validator *v, uint32_t field)
{
    const struct odp_constraints *k = &v->schema->fields[field].constraints;
    return k->min_length >= 0 || k->max_length >= 0;
}

/* Items at the top level of valid, compact JSON: one more than its commas there. */
static size_t count_items(struct odp_slice s)
{
    size_t commas = 0, depth = 0;
    bool inside = false;
    if (s.len <= 2)
        return 0;
    for (size_t k = 0; k < s.len; k++) {
        char ch = s.ptr[k];
        if (inside && ch == '\\')
            k++;
        else if (ch == '"')
            inside = !inside;
        else if (!inside && (ch == '[' || ch == '{'))
            depth++;
        else if (!inside && (ch == ']' || ch == '}'))
            depth--;
        else if (!inside && ch == ',' && depth == 1)
            commas++;
    }
    return commas + 1;
}

/* Of a text as in the source: a character has at least one byte, and only one if all are ASCII. */
static bool is_surely_right(const struct odp_check *c, uint32_t field)
{
    const struct odp_field *f = odp_check_field(c, field);
    const struct odp_constraints *k = &f->constraints;
    if (c->trial || f->type != ODP_TYPE_STRING || f->trim || f->string_format != ODP_STRING_DEFAULT)
        return false;
    bool long_enough = k->min_length <= 0 ||
                       ((c->any & ODP_TRAIT_HIGH) == 0 && (int64_t)c->shortest[field] >= k->min_length);
    return long_enough && (k->max_length < 0 || (int64_t)c->longest[field] <= k->max_length);
}

static void check_column(struct odp_check *c, uint32_t field)
{
    const struct odp_field *f = odp_check_field(c, field);
    const struct odp_constraints *k = &f->constraints;
    bool items = f->type == ODP_TYPE_LIST || f->type == ODP_TYPE_ARRAY || f->type == ODP_TYPE_OBJECT;
    if (is_surely_right(c, field))
        return;
    for (uint32_t i = 0; i < c->n; i++) {
        if (c->state[i] != ODP_VALUE_OK)
            continue;
        struct odp_slice s = c->text[i];
        int64_t n = (int64_t)(items                                  ? count_items(s)
                              : (c->traits[i] & ODP_TRAIT_HIGH) != 0 ? odp_utf8_count(s)
                                                                     : s.len);
        bool small = k->min_length >= 0 && n < k->min_length, large = k->max_length >= 0 && n > k->max_length;
        if ((!small && !large) || (small && odp_check_lost_zero(c, i, field)))
            continue;
        struct odp_slice bound =
            odp_check_printf(c, "%lld", (long long)(small ? k->min_length : k->max_length));
        struct odp_slice found = odp_check_printf(c, "%lld", (long long)n);
        struct odp_fault *fault = odp_check_fault(c, i, (int)field, small ? ODP_B03 : ODP_B04);
        fault->args[0] = bound;
        fault->args[1] = found;
    }
}

const struct odp_rule_kind odp_rule_length = {.name = "length", .applies = applies, .column = check_column};
