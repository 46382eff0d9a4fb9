/* Missing values become null; a required cell must have one (ODP-B01). */
#include "base/white_space.h"
#include "check/check_internal.h"

static bool is_missing(const struct odp_field *f, struct odp_slice s)
{
    for (size_t k = 0; k < f->missing.n; k++)
        if (odp_slice_eq(s, f->missing.item[k]))
            return true;
    return false;
}

/* The lengths that missing values have, as bits; those of 63 and more share one. */
static uint64_t lengths_of(const struct odp_field *f)
{
    uint64_t lengths = 0;
    for (size_t k = 0; k < f->missing.n; k++)
        lengths |= (uint64_t)1 << (f->missing.item[k].len < 63 ? f->missing.item[k].len : 63);
    return lengths;
}

/* White space around a value of another type than string is not part of it, so an "empty" cell of blanks is
 * empty. */
static bool is_blank(const struct odp_field *f, struct odp_slice s)
{
    if (f->type == ODP_TYPE_STRING && !f->trim)
        return false;
    struct odp_slice t = odp_slice_trim(s);
    return t.len < s.len && is_missing(f, t);
}

/* A text of white space alone is a value, but none that anybody filled in. */
static bool is_empty_text(const struct odp_check *c, uint32_t i)
{
    return c->state[i] == ODP_VALUE_OK && (c->traits[i] & ODP_TRAIT_EDGE) != 0 && c->text[i].len > 0 &&
           odp_trim_unicode(c->text[i]).len == 0;
}

static void check_column(struct odp_check *c, uint32_t field)
{
    const struct odp_field *f = odp_check_field(c, field);
    const uint64_t lengths = lengths_of(f);
    /* A column that is not there has been reported once, with the header. */
    bool required = f->constraints.required && c->v->info->column_of_field[field] >= 0;
    bool long_only = !c->trial && lengths >> (c->shortest[field] < 63 ? c->shortest[field] : 63) == 0;
    if (long_only && (c->any & ODP_TRAIT_EDGE) == 0 && c->holes == 0)
        return;
    uint32_t missing = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        struct odp_slice s = c->text[i];
        if (c->state[i] == ODP_VALUE_OK) {
            bool blank = (c->traits[i] & ODP_TRAIT_EDGE) != 0 && is_blank(f, s);
            if (blank || ((lengths >> (s.len < 63 ? s.len : 63) & 1) != 0 && is_missing(f, s))) {
                if (blank && !f->trim)
                    (void)odp_check_note(c, i, (int)field, ODP_W01);
                c->text[i] = (struct odp_slice){NULL, 0};
                c->state[i] = ODP_VALUE_NULL;
                missing++;
            }
        }
        if (required && (c->state[i] == ODP_VALUE_NULL || is_empty_text(c, i)))
            (void)odp_check_fault(c, i, (int)field, ODP_B01);
    }
    if (!c->trial)
        c->columns[field].holes += missing;
}

const struct odp_rule_kind odp_rule_missing = {.name = "missing", .column = check_column};
