/* Personal identifiers in a field that will be published: ODP-P01 to P04. Such a row is quoted nowhere. */
#include "base/privacy.h"
#include "check/check_internal.h"

static bool applies(const struct odp_validator *v, uint32_t field)
{
    const struct odp_field *f = &v->schema->fields[field];
    enum odp_type t = f->type;
    return f->is_public && (t == ODP_TYPE_STRING || t == ODP_TYPE_ANY || t == ODP_TYPE_LIST ||
                            t == ODP_TYPE_OBJECT || t == ODP_TYPE_ARRAY || odp_type_is_number(t));
}

static enum odp_code code_of(enum odp_privacy_kind kind)
{
    switch (kind) {
    case ODP_PRIVACY_NIK:
        return ODP_P01;
    case ODP_PRIVACY_NPWP:
        return ODP_P02;
    case ODP_PRIVACY_PHONE:
        return ODP_P03;
    default:
        return ODP_P04;
    }
}

/* The first identifier that may not stand here. Of numbers only whole ones of 16 digits are looked at: a
 * budget in rupiah has 13 digits and begins like a telephone number. */
static enum odp_privacy_kind find(const struct odp_field *f, struct odp_slice s)
{
    size_t from = 0, start, len;
    if (odp_type_is_number(f->type)) {
        s = odp_slice_trim(s);
        return s.len == 16 && !f->privacy_allowed[ODP_PRIVACY_NIK] &&
                       odp_privacy_find(s, 0, &start, &len) == ODP_PRIVACY_NIK
                   ? ODP_PRIVACY_NIK
                   : ODP_PRIVACY_NONE;
    }
    for (;;) {
        enum odp_privacy_kind kind = odp_privacy_find(s, from, &start, &len);
        if (kind == ODP_PRIVACY_NONE || !f->privacy_allowed[kind])
            return kind;
        from = start + len;
    }
}

static void check_column(struct odp_check *c, uint32_t field)
{
    const struct odp_field *f = odp_check_field(c, field);
    bool number = odp_type_is_number(f->type);
    if ((c->any & (ODP_TRAIT_DIGITS | ODP_TRAIT_AT)) == 0)
        return;
    for (uint32_t i = 0; i < c->n; i++) {
        if (c->state[i] != ODP_VALUE_OK || (c->traits[i] & (ODP_TRAIT_DIGITS | ODP_TRAIT_AT)) == 0 ||
            (number && c->text[i].len < 16))
            continue;
        enum odp_privacy_kind kind = find(f, c->text[i]);
        if (kind == ODP_PRIVACY_NONE)
            continue;
        odp_check_fault(c, i, (int)field, code_of(kind))->secret = true;
        c->secret[i] = 1;
    }
}

const struct odp_rule_kind odp_rule_privacy = {.name = "privacy", .applies = applies, .column = check_column};
