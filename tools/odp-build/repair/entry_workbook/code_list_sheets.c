/* Values to choose from: categories, enumerations, code lists, each on its own sheet with a defined name and
 * labels in both languages. A code list with more codes than are kept is left out: half a list would refuse
 * good values. A list that is not closed (odp:severity) is not enforced. */
#include <stdlib.h>

#include "repair/entry_workbook/entry_internal.h"
#include "words/entry_workbook.h"

static bool same_list(const struct entry_list *a, const struct entry_list *b)
{
    if (a->list != NULL || b->list != NULL)
        return a->list == b->list;
    if (a->n != b->n || a->field->ncategories != b->field->ncategories)
        return false;
    for (size_t i = 0; i < a->n; i++) {
        const struct odp_field *x = a->field, *y = b->field;
        if (x->ncategories == 0
                ? !odp_slice_eq(x->constraints.enumeration.item[i], y->constraints.enumeration.item[i])
                : !odp_slice_eq(x->categories[i].value, y->categories[i].value) ||
                      strcmp(odp_text_get(&x->categories[i].label, ODP_LANG_ID),
                             odp_text_get(&y->categories[i].label, ODP_LANG_ID)) != 0)
            return false;
    }
    return true;
}

static const char *list_title(struct entry *e, const struct entry_list *l)
{
    const char *title = l->field != NULL ? entry_title(e, l->field)
                                         : odp_text_get(&l->list->resource->dataset->title, e->lang);
    return odp_arena_printf(&e->arena, entry_word(e, W_entry_codes_of), title);
}

const struct entry_list *entry_list_of(struct entry *e, const struct odp_resource *r, uint32_t k)
{
    const struct odp_field *f = &r->schema.fields[k];
    const struct odp_code_list *codes = odp_code_lists_of(e->codes, r, k);
    struct entry_list l = {0};
    if (f->type == ODP_TYPE_LIST || f->type == ODP_TYPE_BOOLEAN ||
        (f->type != ODP_TYPE_STRING && !odp_type_is_number(f->type) && f->type != ODP_TYPE_YEAR))
        return NULL;
    if (f->ncategories > 0 && odp_resource_refuses(r, ODP_B11))
        l = (struct entry_list){.field = f, .n = f->ncategories};
    else if (f->constraints.enumeration.n > 0)
        l = (struct entry_list){.field = f, .n = f->constraints.enumeration.n};
    else if (codes != NULL && codes->whole && codes->n > 0)
        l = (struct entry_list){.list = codes, .n = codes->n};
    if (l.n == 0)
        return NULL;
    for (size_t i = 0; i < e->nlists; i++)
        if (same_list(&e->lists[i], &l))
            return &e->lists[i];
    l.sheet = odp_book_sheet_name(&e->book, list_title(e, &l), 1, e->taken, e->ntaken);
    e->taken[e->ntaken++] = l.sheet;
    l.name = odp_arena_printf(&e->arena, "daftar_%zu", e->nlists + 1);
    e->lists[e->nlists] = l; /* room for every field was made */
    return &e->lists[e->nlists++];
}

static void put_code(struct entry *e, lxw_worksheet *sheet, const struct entry_list *l, size_t i)
{
    lxw_row_t row = (lxw_row_t)i + 1;
    struct odp_slice code;
    const struct odp_text *label = NULL;
    bool number = l->field != NULL && l->field->type != ODP_TYPE_STRING;
    if (l->list != NULL) {
        code = l->list->labels[i].code;
        label = &l->list->labels[i].text;
    } else if (l->field->ncategories > 0) {
        code = l->field->categories[i].value;
        label = &l->field->categories[i].label;
    } else {
        code = l->field->constraints.enumeration.item[i];
    }
    if (number)
        odp_book_note(&e->book, worksheet_write_number(
                                    sheet, row, 0, strtod(odp_arena_copy(&e->arena, code).ptr, NULL), NULL));
    else
        odp_book_put(&e->book, sheet, row, 0, code, e->code_text);
    for (int lang = 0; label != NULL && lang < ODP_LANGS; lang++)
        if (label->in[lang] != NULL && *label->in[lang] != '\0')
            odp_book_put_str(&e->book, sheet, row, (lxw_col_t)(1 + lang), label->in[lang], NULL);
}

static void put_list(struct entry *e, const struct entry_list *l)
{
    const char *const heads[] = {entry_word(e, W_entry_code), entry_word(e, W_entry_name_indonesian),
                                 entry_word(e, W_entry_name_english)};
    lxw_worksheet *sheet = odp_book_sheet(&e->book, l->sheet);
    const char *range = odp_arena_printf(&e->arena, "='%s'!$A$2:$A$%zu", l->sheet, l->n + 1);
    if (sheet == NULL)
        return;
    for (lxw_col_t c = 0; c < 3; c++)
        odp_book_put_str(&e->book, sheet, 0, c, heads[c], e->list_head);
    odp_book_note(&e->book, worksheet_set_column(
                                sheet, 0, 0, 18,
                                l->field != NULL && l->field->type != ODP_TYPE_STRING ? NULL : e->code_text));
    odp_book_note(&e->book, worksheet_set_column(sheet, 1, 2, 40, NULL));
    for (size_t i = 0; i < l->n; i++)
        put_code(e, sheet, l, i);
    odp_book_codes(&e->book, sheet, 1, (lxw_row_t)l->n, 0);
    odp_book_note(&e->book, worksheet_autofilter(sheet, 0, 0, (lxw_row_t)l->n, 2));
    worksheet_freeze_panes(sheet, 1, 0);
    odp_book_note(&e->book, workbook_define_name(e->book.workbook, l->name, range));
}

void entry_lists_put(struct entry *e)
{
    for (size_t i = 0; i < e->nlists && e->book.status == ODP_OK; i++)
        put_list(e, &e->lists[i]);
}
