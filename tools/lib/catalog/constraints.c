/* `constraints` and `categories` of a field: what applies to its type, and whether it can be met at all. */
#include "catalog/catalog_internal.h"

/* Which constraint applies to which types (Table Schema v2, "Field Constraints"). */
static bool every(const struct odp_field_type *t)
{
    return true;
}

static bool distinct(const struct odp_field_type *t)
{
    return t->family != ODP_FAMILY_TRUTH;
}

static bool counted(const struct odp_field_type *t)
{
    return t->counted;
}

static bool ordered(const struct odp_field_type *t)
{
    return t->ordered;
}

static bool text(const struct odp_field_type *t)
{
    return t->family == ODP_FAMILY_TEXT;
}

static bool json(const struct odp_field_type *t)
{
    return t->family == ODP_FAMILY_JSON;
}

static const struct constraint {
    const char *name;
    bool (*applies)(const struct odp_field_type *t);
} rules[] = {
    {"required", every},    {"unique", distinct},          {"minLength", counted},
    {"maxLength", counted}, {"minimum", ordered},          {"maximum", ordered},
    {"pattern", text},      {"exclusiveMinimum", ordered}, {"exclusiveMaximum", ordered},
    {"enum", every},        {"jsonSchema", json},
};
#define RULES ODP_COUNT(rules)

static const char *types_of(struct doc *d, const struct constraint *rule)
{
    const char *names[ODP_TYPE_COUNT];
    size_t n = 0;
    for (int t = 0; t < ODP_TYPE_COUNT; t++)
        if (rule->applies(odp_field_type((enum odp_type)t)))
            names[n++] = odp_type_name((enum odp_type)t);
    return doc_join(d, names, n);
}

/* The member NAME of N where it applies to F's type; else absent, after a C11. */
static struct node applicable(struct node n, const struct odp_field *f, const char *name)
{
    struct node c = node_get(n, name);
    for (size_t i = 0; c.json != NULL && i < RULES; i++)
        if (strcmp(rules[i].name, name) == 0 && !rules[i].applies(odp_field_type(f->type)) &&
            node_misplaced(c, types_of(n.doc, &rules[i])))
            c.json = NULL;
    return c;
}

static struct odp_slice read_bound(struct node n, const struct odp_field *f, const char *name)
{
    struct node c = applicable(n, f, name);
    struct odp_slice out = {0};
    if (c.json == NULL || !value_canonical(c, f, &out))
        return (struct odp_slice){0};
    return out;
}

/* <0, 0, >0 for two canonical values of F's type. */
static int compare(const struct odp_field *f, struct odp_slice a, struct odp_slice b)
{
    struct odp_datetime x, y;
    if (odp_type_is_number(f->type))
        return odp_decimal_cmp(a, b);
    enum odp_date_kind kind = odp_field_type(f->type)->date;
    if (odp_date_parse(a, kind, NULL, NULL, &x) != ODP_DATE_OK ||
        odp_date_parse(b, kind, NULL, NULL, &y) != ODP_DATE_OK)
        return 0;
    return odp_date_cmp(&x, &y);
}

/* Bounds without a value between them reject every record: surely not meant. */
static void check_order(struct node n, const struct odp_field *f)
{
    const struct odp_constraints *c = &f->constraints;
    const struct {
        const char *low_name, *high_name;
        struct odp_slice low, high;
        int from; /* the comparison from which it is a contradiction */
    } pairs[] = {{"minimum", "maximum", c->minimum, c->maximum, 1},
                 {"exclusiveMinimum", "maximum", c->exclusive_minimum, c->maximum, 0},
                 {"minimum", "exclusiveMaximum", c->minimum, c->exclusive_maximum, 0},
                 {"exclusiveMinimum", "exclusiveMaximum", c->exclusive_minimum, c->exclusive_maximum, 0}};
    for (size_t i = 0; i < 4; i++)
        if (pairs[i].low.ptr != NULL && pairs[i].high.ptr != NULL &&
            compare(f, pairs[i].low, pairs[i].high) >= pairs[i].from)
            node_fault(node_get(n, pairs[i].high_name), ODP_C16, pairs[i].low_name, pairs[i].high_name);
    if (c->min_length >= 0 && c->max_length >= 0 && c->min_length > c->max_length)
        node_fault(node_get(n, "maxLength"), ODP_C16, "minLength", "maxLength");
}

static bool same(const struct odp_field *f, struct odp_slice a, struct odp_slice b)
{
    bool number = odp_type_is_number(f->type);
    return number ? odp_decimal_cmp(a, b) == 0 : odp_slice_eq(a, b);
}

static void read_enum(struct node n, struct odp_field *f)
{
    struct odp_strings *out = &f->constraints.enumeration;
    if (!list_fits(n, 1, 0))
        return;
    out->item = doc_zero(n.doc, json_array_size(n.json), sizeof *out->item);
    for (struct node_iter it = node_iterate(n); node_next(&it);) {
        struct odp_slice value;
        if (!value_canonical(it.item, f, &value))
            continue;
        size_t i = 0;
        while (i < out->n && i < 4096 &&
               !same(f, out->item[i], value)) /* longer lists are not searched: no quadratic work */
            i++;
        if (i < out->n && i < 4096)
            node_fault(it.item, ODP_C08, value.ptr, NULL);
        else
            out->item[out->n++] = value;
    }
}

void constraints_read(struct node n, struct odp_field *f)
{
    struct key keys[RULES] = {{0}};
    struct odp_constraints *c = &f->constraints;
    c->min_length = c->max_length = -1;
    for (size_t i = 0; i < RULES; i++)
        keys[i].name = rules[i].name;
    if (!object_read(n, &TABLE(keys), c))
        return;
    c->required = node_bool(applicable(n, f, "required"), false);
    c->unique = node_bool(applicable(n, f, "unique"), false);
    if (!node_int(applicable(n, f, "minLength"), 0, INT32_MAX, &c->min_length))
        c->min_length = -1;
    if (!node_int(applicable(n, f, "maxLength"), 0, INT32_MAX, &c->max_length))
        c->max_length = -1;
    c->minimum = read_bound(n, f, "minimum");
    c->maximum = read_bound(n, f, "maximum");
    c->exclusive_minimum = read_bound(n, f, "exclusiveMinimum");
    c->exclusive_maximum = read_bound(n, f, "exclusiveMaximum");
    check_order(n, f);
    struct node pattern = applicable(n, f, "pattern");
    c->pattern_code = pattern_compile(pattern);
    if (c->pattern_code != NULL)
        c->pattern = odp_slice_of(json_string_value(pattern.json));
    read_enum(applicable(n, f, "enum"), f);
    struct node schema = applicable(n, f, "jsonSchema");
    c->json_schema = node_is_object(schema) ? schema.json : NULL;
}

/* One category: a value, or {value, label}. */
static bool read_category(struct node n, const struct odp_field *f, struct odp_category *out)
{
    const struct key keys[] = {{"value", .need = odp_type_name(f->type)},
                               {"label", KEY_TEXT, .at = AT(odp_category, label)},
                               {"odp:label", KEY_TEXT, .at = AT(odp_category, label)}};
    if (!json_is_object(n.json))
        return value_canonical(n, f, &out->value);
    (void)object_read(n, &TABLE(keys), out);
    struct node value = node_get(n, "value");
    return value.json != NULL && value_canonical(value, f, &out->value);
}

void categories_read(struct node n, struct odp_field *f)
{
    if (n.json == NULL)
        return;
    if (f->type != ODP_TYPE_STRING && f->type != ODP_TYPE_INTEGER && node_misplaced(n, "string, integer"))
        return;
    if (!node_is_array(n))
        return;
    f->categories = doc_zero(n.doc, json_array_size(n.json), sizeof *f->categories);
    for (struct node_iter it = node_iterate(n); node_next(&it);) {
        struct odp_category category = {0};
        if (!read_category(it.item, f, &category))
            continue;
        size_t i = 0;
        while (i < f->ncategories && i < 4096 && !same(f, f->categories[i].value, category.value))
            i++;
        if (i < f->ncategories && i < 4096)
            node_fault(it.item, ODP_C08, category.value.ptr, NULL);
        else
            f->categories[f->ncategories++] = category;
    }
}

void constraints_misplaced(struct node field)
{
    for (size_t i = 0; i < RULES; i++) {
        struct node c = node_get(field, rules[i].name);
        if (c.json != NULL)
            node_fault_key(c, ODP_C11, rules[i].name, doc_printf(field.doc, "constraints.%s", rules[i].name));
    }
}
