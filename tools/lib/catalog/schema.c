#include "catalog/schema.h"

/* ---- types ---- */

const struct odp_field_type odp_field_types[ODP_TYPE_COUNT] = {
#define ODP_FIELD_TYPE(id, ...) [ODP_TYPE_##id] = {__VA_ARGS__},
#include "contract/types.def"
#undef ODP_FIELD_TYPE
};

const char *odp_type_name(enum odp_type t)
{
    return t >= 0 && t < ODP_TYPE_COUNT ? odp_field_types[t].name : "";
}

enum odp_type odp_type_of(struct odp_slice name)
{
    int t = 0;
    while (t < ODP_TYPE_COUNT && !odp_slice_is(name, odp_field_types[t].name))
        t++;
    return (enum odp_type)t;
}

/* ---- fields ---- */

const char *const odp_aggregate_names[] = {
    [ODP_AGGREGATE_SUM] = "sum", [ODP_AGGREGATE_MEAN] = "mean", [ODP_AGGREGATE_NONE] = "none", NULL};

int odp_schema_find(const struct odp_schema *s, struct odp_slice name)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (odp_slice_is(name, s->fields[i].name))
            return (int)i;
    return -1;
}

/* Integers without a unit that are named like a year ("tahun", "tahun_anggaran", "year_built"), or within
 * 1800 and 2200. */
static bool is_year(const struct odp_field *f)
{
    if (f->type == ODP_TYPE_YEAR)
        return true;
    if (f->type != ODP_TYPE_INTEGER || odp_text_get(&f->unit, ODP_LANG_ID)[0] != '\0')
        return false;
    for (size_t i = 0; i < 2; i++) {
        const char *word = i == 0 ? "tahun" : "year";
        size_t n = strlen(word);
        if (strncmp(f->name, word, n) == 0 && (f->name[n] == '\0' || f->name[n] == '_'))
            return true;
    }
    const struct odp_slice low = f->constraints.minimum, high = f->constraints.maximum;
    return low.len == 4 && high.len == 4 && memcmp(low.ptr, "1800", 4) >= 0 &&
           memcmp(high.ptr, "2200", 4) <= 0;
}

bool odp_schema_is_figure(const struct odp_schema *s, uint32_t field)
{
    const struct odp_field *f = &s->fields[field];
    if (!odp_type_is_number(f->type) || f->constraints.unique || is_year(f) ||
        odp_key_has(&s->primary, field))
        return false;
    for (size_t i = 0; i < s->nunique; i++)
        if (odp_key_has(&s->unique[i], field))
            return false;
    return true;
}
