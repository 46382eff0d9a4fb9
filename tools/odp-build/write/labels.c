#include "write/labels.h"

const struct odp_label_columns *odp_label_columns_of(const struct odp_code_lists *codes,
                                                     const struct odp_resource *r, struct odp_arena *a)
{
    struct odp_label_columns *l = NULL;
    for (uint32_t f = 0; f < r->schema.n; f++) {
        bool says[ODP_LANGS];
        if (!r->schema.fields[f].labelled)
            continue;
        if (l == NULL) {
            l = odp_arena_zero(a, 1, sizeof *l);
            *l = (struct odp_label_columns){.codes = codes, .first = r->schema.n};
            l->columns = odp_arena_zero(a, (size_t)r->schema.n * ODP_LANGS, sizeof *l->columns);
        }
        odp_code_lists_say(codes, r, f, says);
        for (enum odp_lang lang = 0; lang < ODP_LANGS; lang++)
            if (lang == ODP_LANG_ID || says[lang])
                l->columns[l->n++] = (struct odp_label_column){
                    f, lang, odp_arena_printf(a, "%s%s", r->schema.fields[f].name, odp_label_suffix[lang])};
    }
    return l;
}

static void fill(const struct odp_label_columns *l, struct odp_batch *b, uint32_t k)
{
    const struct odp_column *codes = &b->columns[l->columns[k].field];
    struct odp_column *names = &b->columns[l->first + k];
    names->text = odp_arena_zero(&b->arena, b->nrecords, sizeof *names->text);
    names->state = odp_arena_zero(&b->arena, b->nrecords, sizeof *names->state);
    for (uint32_t i = 0; i < b->nrecords; i++) {
        struct odp_text name = {{"", ""}};
        if (!b->record_bad[i] && codes->state[i] == ODP_VALUE_OK)
            name = odp_code_lists_find(l->codes, b->resource, l->columns[k].field, codes->text[i]);
        names->text[i] = odp_slice_of(odp_text_get(&name, l->columns[k].lang));
        names->state[i] = names->text[i].len > 0 ? ODP_VALUE_OK : ODP_VALUE_NULL;
    }
}

void odp_label_columns_fill(const struct odp_label_columns *l, struct odp_batch *b)
{
    struct odp_column *columns = odp_arena_array(&b->arena, (size_t)l->first + l->n, sizeof *columns);
    if (l->first > 0)
        memcpy(columns, b->columns, l->first * sizeof *columns);
    b->columns = columns;
    for (uint32_t k = 0; k < l->n; k++)
        fill(l, b, k);
}

uint32_t odp_label_columns_after(const struct odp_label_columns *l, uint32_t field, uint32_t out[ODP_LANGS])
{
    uint32_t n = 0;
    for (uint32_t k = 0; l != NULL && k < l->n; k++)
        if (l->columns[k].field == field)
            out[n++] = l->first + k;
    return n;
}
