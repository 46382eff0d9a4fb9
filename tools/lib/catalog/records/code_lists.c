#include "catalog/records/code_lists.h"

/* One code list. */
struct list {
    bool wanted;
    uint32_t code;   /* field of the codes */
    int name, other; /* fields of the label and of the English one; -1: none */
    struct odp_code_list list;
};

struct odp_code_lists {
    struct odp_arena *arena;
    struct list *lists; /* by resource */
};

/* The foreign key of FIELD alone into a code list, or NULL. */
static const struct odp_foreign_key *key_of(const struct odp_resource *r, uint32_t field)
{
    for (size_t k = 0; k < r->nforeign; k++) {
        const struct odp_foreign_key *key = &r->foreign[k];
        if (key->local.n == 1 && key->local.fields[0] == field && key->target->dataset->reference)
            return key;
    }
    return NULL;
}

static int find_field(const struct odp_schema *s, const char *name)
{
    int i = odp_schema_find(s, odp_slice_of(name));
    return i >= 0 && s->fields[i].is_public && s->fields[i].type == ODP_TYPE_STRING ? i : -1;
}

static void want(struct odp_code_lists *l, const struct odp_foreign_key *key)
{
    struct list *list = &l->lists[key->target->index];
    const struct odp_schema *s = &key->target->schema;
    if (list->wanted || !s->fields[key->remote.fields[0]].is_public)
        return;
    *list = (struct list){.wanted = true,
                          .code = key->remote.fields[0],
                          .name = find_field(s, "nama"),
                          .other = find_field(s, "nama_en"),
                          .list = {.resource = key->target, .whole = true}};
    for (uint32_t i = 0; i < s->n && list->name < 0; i++)
        if (i != list->code && s->fields[i].is_public && s->fields[i].type == ODP_TYPE_STRING)
            list->name = (int)i;
}

enum odp_status odp_code_lists_new(struct odp_code_lists **out, const struct odp_catalog *c,
                                   struct odp_arena *a)
{
    struct odp_code_lists *l = odp_arena_zero(a, 1, sizeof *l);
    *out = l;
    l->arena = a;
    l->lists = odp_arena_zero(a, c->nresources + 1, sizeof *l->lists);
    for (size_t i = 0; i < c->nresources; i++)
        for (size_t k = 0; k < c->resources[i]->nforeign; k++) {
            const struct odp_foreign_key *key = &c->resources[i]->foreign[k];
            if (!c->resources[i]->dataset->reference && key->local.n == 1 && key->target->dataset->reference)
                want(l, key);
        }
    return ODP_OK;
}

void odp_code_lists_begin(struct odp_code_lists *l, const struct odp_resource *r)
{
    l->lists[r->index].list.n = 0;
    l->lists[r->index].list.whole = true;
}

static const char *text_of(struct odp_code_lists *l, const struct odp_batch *b, int field, uint32_t i)
{
    if (field < 0 || b->columns[field].state[i] != ODP_VALUE_OK)
        return "";
    return odp_arena_copy(l->arena, b->columns[field].text[i]).ptr;
}

enum odp_status odp_code_lists_take(struct odp_code_lists *l, const struct odp_batch *b)
{
    struct list *list = &l->lists[b->resource->index];
    if (!list->wanted || list->name < 0)
        return ODP_OK;
    for (uint32_t i = 0; i < b->nrecords && list->list.whole; i++) {
        const struct odp_column *code = &b->columns[list->code];
        if (b->record_bad[i] || code->state[i] != ODP_VALUE_OK)
            continue;
        if (list->list.n == ODP_CODES_MAX) {
            list->list.whole = false;
            break;
        }
        list->list.labels =
            odp_arena_more(l->arena, list->list.labels, list->list.n, sizeof *list->list.labels);
        list->list.labels[list->list.n++] =
            (struct odp_code_label){.code = odp_arena_copy(l->arena, code->text[i]),
                                    .text = {{text_of(l, b, list->name, i), text_of(l, b, list->other, i)}}};
    }
    return ODP_OK;
}

const struct odp_code_list *odp_code_lists_of(const struct odp_code_lists *l, const struct odp_resource *r,
                                              uint32_t field)
{
    const struct odp_foreign_key *key = l != NULL ? key_of(r, field) : NULL;
    const struct list *list = key != NULL ? &l->lists[key->target->index] : NULL;
    return list != NULL && list->wanted && list->code == key->remote.fields[0] && list->name >= 0
               ? &list->list
               : NULL;
}

struct odp_text odp_code_lists_find(const struct odp_code_lists *l, const struct odp_resource *r,
                                    uint32_t field, struct odp_slice value)
{
    const struct odp_code_list *list = odp_code_lists_of(l, r, field);
    for (size_t i = 0; list != NULL && i < list->n; i++)
        if (odp_slice_eq(list->labels[i].code, value))
            return list->labels[i].text;
    return (struct odp_text){{"", ""}};
}
