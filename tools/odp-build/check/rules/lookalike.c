/* Keys that look like another (ODP-K07): two of them would be published as two records, and nobody who types
 * one finds the other. No key, and no value that is to be unique, has white space at its ends, a character
 * that cannot be seen, an accent that stands apart from its letter (where there is one character for both),
 * or Cyrillic, Greek or full-width letters that look like the Latin ones beside them. What refers to such a
 * key is compared with the key, so it need not be looked at. */
#include "base/odd_sign.h"
#include "check/check_internal.h"

/* The first sign of S that is not what it looks like; 0: none. */
static uint32_t look(struct odp_slice s)
{
    struct odp_odd_scan scan;
    struct odp_odd odd;
    odp_odd_begin(&scan, s);
    while (odp_odd_next(&scan, &odd))
        if (odd.edge || odd.class == ODP_ODD_UNSEEN || odd.class == ODP_ODD_TURN ||
            odd.class == ODP_ODD_ACCENT || odd.class == ODP_ODD_TWIN)
            return odd.sign;
    return 0;
}

static bool applies(const struct odp_validator *v, uint32_t field)
{
    const struct odp_schema *s = v->schema;
    const struct odp_field *f = &s->fields[field];
    bool key = f->constraints.unique || odp_key_has(&s->primary, field);
    for (size_t i = 0; i < s->nunique; i++)
        key = key || odp_key_has(&s->unique[i], field);
    return key && (f->type == ODP_TYPE_STRING || f->type == ODP_TYPE_ANY) && !v->off[ODP_K07];
}

static void check_column(struct odp_check *c, uint32_t field)
{
    if ((c->any & (ODP_TRAIT_EDGE | ODP_TRAIT_HIGH)) == 0)
        return;
    for (uint32_t i = 0; i < c->n; i++) {
        uint32_t cp = c->state[i] == ODP_VALUE_OK && (c->traits[i] & (ODP_TRAIT_EDGE | ODP_TRAIT_HIGH)) != 0
                          ? look(c->text[i])
                          : 0;
        if (cp == 0)
            continue;
        struct odp_slice name = odp_check_printf(c, "U+%04X", (unsigned)cp);
        odp_check_fault(c, i, (int)field, ODP_K07)->args[0] = name;
    }
}

const struct odp_rule_kind odp_rule_lookalike = {
    .name = "lookalike", .applies = applies, .column = check_column};
