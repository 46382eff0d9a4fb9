/* enum (ODP-B10) and categories (B11): the value is one of those listed. The lists are hashed once. */
#include "base/bytes.h"
#include "base/decimal.h"
#include "check/check_internal.h"

/* A text by its ends: if it has at most 16 bytes, that is all of it. */
struct ends {
    uint64_t head, tail, len;
};

struct list {
    const struct odp_slice *values;
    size_t n;
    const struct ends *ends; /* of the values */
    uint32_t *slots;         /* open addressing: number of a value plus one; at most half are taken */
    uint64_t mask;
};

struct choice { /* by field of the schema */
    struct list enumeration, categories;
};

static inline struct ends ends_of(struct odp_slice s)
{
    return (struct ends){odp_bytes_load(s.ptr, s.len), s.len > 8 ? odp_bytes_load8(s.ptr + s.len - 8) : 0,
                         s.len};
}

static inline uint64_t slot_of(const struct list *l, struct ends e)
{
    uint64_t h = (e.head ^ (e.tail << 29 | e.tail >> 35) ^ e.len) * 0x9E3779B97F4A7C15u;
    return (h ^ h >> 32) & l->mask;
}

static enum odp_status make_list(struct odp_arena *arena, const struct odp_slice *values, size_t n,
                                 struct list *out)
{
    size_t cap = 8;
    while (cap < 2 * n)
        cap *= 2;
    struct ends *ends = odp_arena_array(arena, n, sizeof *ends);
    *out = (struct list){.values = values,
                         .n = n,
                         .ends = ends,
                         .mask = cap - 1,
                         .slots = odp_arena_zero(arena, cap, sizeof *out->slots)};
    if (out->slots == NULL)
        return ODP_FAIL;
    for (size_t k = 0; k < n; k++) {
        ends[k] = ends_of(values[k]);
        uint64_t at = slot_of(out, ends[k]);
        while (out->slots[at] != 0)
            at = (at + 1) & out->mask;
        out->slots[at] = (uint32_t)k + 1;
    }
    return ODP_OK;
}

static enum odp_status open_rule(struct odp_validator *v, void **state, struct odp_diags *diags)
{
    struct choice *choices = odp_arena_zero(&v->arena, v->schema->n + 1u, sizeof *choices);
    *state = choices;
    for (uint32_t f = 0; f < v->schema->n; f++) {
        const struct odp_field *field = &v->schema->fields[f];
        const struct odp_strings *e = &field->constraints.enumeration;
        struct odp_slice *values = odp_arena_array(&v->arena, field->ncategories + 1, sizeof *values);
        for (size_t k = 0; k < field->ncategories; k++)
            values[k] = field->categories[k].value;
        if ((e->n > 0 && make_list(&v->arena, e->item, e->n, &choices[f].enumeration) != ODP_OK) ||
            (field->ncategories > 0 &&
             make_list(&v->arena, values, field->ncategories, &choices[f].categories) != ODP_OK))
            return ODP_FAIL;
    }
    return ODP_OK;
}

static bool applies(const struct odp_validator *v, uint32_t field)
{
    return v->schema->fields[field].ncategories > 0 || v->schema->fields[field].constraints.enumeration.n > 0;
}

/* The text itself is one of the values. */
static inline bool is_listed(struct odp_slice s, const struct list *l)
{
    struct ends e = ends_of(s);
    for (uint64_t at = slot_of(l, e); l->slots[at] != 0; at = (at + 1) & l->mask) {
        const struct ends *v = &l->ends[l->slots[at] - 1];
        if (v->head == e.head && v->tail == e.tail && v->len == e.len &&
            (s.len <= 16 || odp_slice_eq(s, l->values[l->slots[at] - 1])))
            return true;
    }
    return false;
}

/* 1.50 is 1.5. */
static bool has_value(enum odp_type type, struct odp_slice s, const struct list *l)
{
    for (size_t k = 0; k < l->n && odp_type_is_number(type); k++)
        if (odp_decimal_cmp(s, l->values[k]) == 0)
            return true;
    return false;
}

static void check_values(struct odp_check *c, uint32_t field, const struct list *l, enum odp_code code)
{
    enum odp_type type = odp_check_field(c, field)->type;
    struct odp_slice all = {NULL, 0};
    for (uint32_t i = 0; i < c->n; i++) {
        if (c->state[i] != ODP_VALUE_OK || is_listed(c->text[i], l) || has_value(type, c->text[i], l))
            continue;
        if (all.ptr == NULL && !c->trial)
            all = odp_check_join(c, l->values, l->n);
        odp_check_fault(c, i, (int)field, code)->args[0] = all;
    }
}

static void check_column(struct odp_check *c, uint32_t field)
{
    const struct choice *choice = (const struct choice *)c->v->state[ODP_RULE_choice] + field;
    if (choice->enumeration.n > 0)
        check_values(c, field, &choice->enumeration, ODP_B10);
    if (choice->categories.n > 0)
        check_values(c, field, &choice->categories, ODP_B11);
}

const struct odp_rule_kind odp_rule_choice = {
    .name = "choice", .open = open_rule, .applies = applies, .column = check_column};
