/* Plans a resource's faults. Faults have few kinds and many places, so kinds are counted here and places
 * read again. */
#include <stdlib.h>

#include "repair/workbook/workbook_internal.h"

/* Geometry is drawn, not typed; and a fault without a record concerns the file or the header. */
bool book_is_here(const struct odp_diag *d)
{
    return d->row > 0 && strncmp(odp_code_info(d->code)->code, "ODP-G", 5) != 0;
}

static struct book_rule *rule_of(struct book *b, struct book_sheet *sheet, const struct odp_diag *d,
                                 uint64_t index)
{
    bool here = book_is_here(d);
    for (size_t i = sheet->nrules; i-- > 0;) {
        struct book_rule *r = &sheet->rules[i];
        if (r->code == d->code && r->severity == d->severity && r->here == here &&
            odp_str_eq(r->field, d->field) && odp_str_eq(r->rule, d->rule))
            return r;
    }
    sheet->rules = odp_arena_more(&b->arena, sheet->rules, sheet->nrules, sizeof *sheet->rules);
    struct book_rule *r = &sheet->rules[sheet->nrules++];
    *r = (struct book_rule){.code = d->code, .severity = d->severity, .here = here, .first = index};
    /* The list's texts are valid only until the next call. */
    r->field = d->field != NULL ? odp_arena_str(&b->arena, d->field) : NULL;
    r->rule = d->rule != NULL ? odp_arena_str(&b->arena, d->rule) : NULL;
    return r;
}

/* Errors first, then in order of arrival; those that can be mended here before others. */
static int by_weight(const void *x, const void *y)
{
    const struct book_rule *a = x, *b = y;
    if (a->here != b->here)
        return a->here ? -1 : 1;
    if (a->severity != b->severity)
        return a->severity > b->severity ? -1 : 1;
    return (a->first > b->first) - (a->first < b->first);
}

void book_plan(struct book *b, struct book_sheet *sheet)
{
    const struct odp_schema *schema = &sheet->resource->schema;
    uint64_t n = odp_fault_list_count(sheet->faults), last = 0;
    sheet->fields = odp_arena_zero(&b->arena, (size_t)schema->n + 1, 1);
    for (uint64_t i = 0; i < n; i++) {
        struct odp_diag d;
        odp_fault_list_get(sheet->faults, i, &d);
        struct book_rule *r = rule_of(b, sheet, &d, i);
        r->count++;
        if (r->causes[d.cause]++ == 0)
            r->example[d.cause] = i;
        r->proposals += odp_diag_proposes(&d);
        if (r->nplaces < BOOK_EXAMPLES)
            r->places[r->nplaces++] = d.row > 0 ? d.row : d.line;
        if (!r->here)
            continue;
        int field = d.field != NULL ? odp_schema_find(schema, odp_slice_of(d.field)) : -1;
        if (field >= 0) {
            bool proposed = d.action == ODP_ACTION_REPLACE && d.proposal.ptr != NULL;
            sheet->fields[field] =
                (uint8_t)(sheet->fields[field] | FIELD_BAD | (proposed ? FIELD_PROPOSED : 0));
        }
        sheet->bad += d.row != last;
        last = d.row;
    }
    if (sheet->nrules > 0)
        qsort(sheet->rules, sheet->nrules, sizeof *sheet->rules, by_weight);
    sheet->context = sheet->bad <= CORRECT_CONTEXT;
}
