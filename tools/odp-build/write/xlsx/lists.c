/* Code lists: a sheet each, and in the columns that use one its codes for choice. A list with more codes than
 * are kept is left out: half a list would reject good values. */

#include "words/xlsx.h"
#include "write/xlsx/xlsx_internal.h"

#define FIRST_(id, en)  id
#define FIRST(word)     FIRST_(word)
#define SECOND_(id, en) en
#define SECOND(word)    SECOND_(word)

static bool same_categories(const struct odp_field *a, const struct odp_field *b)
{
    if (a->type != b->type || a->ncategories != b->ncategories)
        return false;
    for (size_t i = 0; i < a->ncategories; i++) {
        const struct odp_category *x = &a->categories[i], *y = &b->categories[i];
        if (!odp_slice_eq(x->value, y->value))
            return false;
        for (enum odp_lang lang = 0; lang < ODP_LANGS; lang++)
            if (strcmp(odp_text_get(&x->label, lang), odp_text_get(&y->label, lang)) != 0)
                return false;
    }
    return true;
}

/* The list of field K, or one without codes. */
static struct xlsx_list list_of(const struct xlsx_emit *e, uint32_t k)
{
    const struct odp_emit_job *job = e->base.job;
    const struct odp_field *f = &job->resource->schema.fields[k];
    if (f->ncategories > 0 && f->ncategories <= ODP_CODES_MAX)
        return (struct xlsx_list){.field = f, .n = f->ncategories};
    const struct odp_code_list *list = odp_code_lists_of(job->codes, job->resource, k);
    if (f->ncategories == 0 && list != NULL && list->whole)
        return (struct xlsx_list){.list = list, .n = list->n};
    return (struct xlsx_list){0};
}

static struct xlsx_list *find_list(const struct xlsx_emit *e, const struct xlsx_list *l)
{
    for (size_t i = 0; i < e->nlists; i++) {
        struct xlsx_list *old = &e->lists[i];
        bool same = l->list != NULL ? old->list == l->list
                                    : old->field != NULL && same_categories(old->field, l->field);
        if (same)
            return old;
    }
    return NULL;
}

static const char *name_list(struct xlsx_emit *e, const struct xlsx_list *l, const char *const *names)
{
    const struct odp_text *title = l->field != NULL ? &l->field->title : &l->list->resource->dataset->title;
    const char *name = odp_text_get(title, ODP_LANG_ID);
    const char *plain = l->field != NULL ? l->field->name : l->list->resource->dataset->slug;
    const char *whole = odp_arena_printf(&e->base.arena, odp_word(ODP_LANG_ID, W_xlsx_code_list),
                                         name[0] != '\0' ? name : plain);
    if (strncasecmp(name, "kode ", 5) == 0)
        whole = name;
    return odp_book_sheet_name(&e->book, whole, 1, names, e->nlists + 1);
}

void odp_xlsx_lists_plan(struct xlsx_emit *e)
{
    e->lists = odp_arena_zero(&e->base.arena, (size_t)e->ncolumns + 1, sizeof *e->lists);
    const char **names = odp_arena_zero(&e->base.arena, (size_t)e->ncolumns + 2, sizeof *names);
    names[0] = XLSX_ABOUT;
    for (lxw_col_t k = 0; k < e->ncolumns; k++) {
        struct xlsx_column *c = &e->columns[k];
        struct xlsx_list l =
            c->field >= 0 && !c->is_label ? list_of(e, (uint32_t)c->field) : (struct xlsx_list){0};
        if (l.n == 0)
            continue;
        c->list = find_list(e, &l);
        if (c->list != NULL)
            continue;
        l.sheet = name_list(e, &l, names);
        e->lists[e->nlists] = l;
        c->list = &e->lists[e->nlists++];
        names[e->nlists] = l.sheet;
    }
}

/* ---- their sheets ---- */

struct code {
    struct odp_slice code;
    const struct odp_text *text;
};

static struct code code_at(const struct xlsx_list *l, size_t i)
{
    if (l->field != NULL)
        return (struct code){l->field->categories[i].value, &l->field->categories[i].label};
    return (struct code){l->list->labels[i].code, &l->list->labels[i].text};
}

/* A column that uses the list: its codes are written as its values are, else the choice would not match. */
static const struct xlsx_column *user_of(const struct xlsx_emit *e, const struct xlsx_list *l)
{
    const struct xlsx_column *c = e->columns;
    while (c->list != l)
        c++;
    return c;
}

static void put_label(struct xlsx_emit *e, lxw_worksheet *sheet, lxw_row_t row, lxw_col_t col,
                      const char *text)
{
    bool fits = odp_xlsx_text_put(&e->book.text,
                                  odp_slice_of(text)); /* a label of 32,767 characters is not possible */
    if (fits && e->book.text.len > 0)
        odp_xlsx_string_put(e, sheet, row, col, e->looks.text);
}

static void put_codes(struct xlsx_emit *e, lxw_worksheet *sheet, const struct xlsx_list *l, unsigned width[3])
{
    struct xlsx_column c = {.kind = user_of(e, l)->kind, .format = e->looks.plain};
    if (c.kind == XLSX_NUMBER || c.kind == XLSX_YEAR)
        c.format = e->looks.number;
    for (size_t i = 0; i < l->n; i++) {
        const struct code code = code_at(l, i);
        odp_xlsx_cell_put(e, &c, sheet, (lxw_row_t)i + 1, 0, code.code);
        for (enum odp_lang lang = 0; lang < ODP_LANGS; lang++) {
            const char *label = code.text->in[lang] != NULL ? code.text->in[lang] : "";
            unsigned w = odp_xlsx_width(odp_slice_of(label));
            width[1 + lang] = w > width[1 + lang] ? w : width[1 + lang];
            put_label(e, sheet, (lxw_row_t)i + 1, (lxw_col_t)(1 + lang), label);
        }
        unsigned w = odp_xlsx_width(code.code);
        width[0] = w > width[0] ? w : width[0];
    }
}

static void put_list(struct xlsx_emit *e, const struct xlsx_list *l)
{
    static const char *const heads[] = {FIRST(W_xlsx_code), FIRST(W_xlsx_name),
                                        SECOND(W_xlsx_name) " (English)"};
    unsigned width[3] = {6, 8, 14};
    lxw_worksheet *sheet = odp_xlsx_sheet_add(e, l->sheet, 0);
    if (sheet == NULL)
        return;
    worksheet_freeze_panes(sheet, 1, 0);
    odp_xlsx_print_setup(e, sheet, 1);
    for (lxw_col_t k = 0; k < 3; k++)
        odp_book_note(&e->book, worksheet_write_string(sheet, 0, k, heads[k], e->looks.head));
    put_codes(e, sheet, l, width);
    for (lxw_col_t k = 0; k < 3; k++) {
        double w = (width[k] > XLSX_WIDTH_MAX ? XLSX_WIDTH_MAX : width[k]) * 1.08 + 2;
        odp_book_note(&e->book, worksheet_set_column(sheet, k, k, w, NULL));
    }
    odp_book_codes(&e->book, sheet, 1, (lxw_row_t)l->n, 0);
    odp_book_note(&e->book, worksheet_autofilter(sheet, 0, 0, (lxw_row_t)l->n, 2));
}

/* ---- choice ---- */

/* Are other codes an error? The catalogue can make them a warning. */
static bool is_closed(const struct xlsx_emit *e, const struct xlsx_list *l)
{
    return odp_resource_refuses(e->base.job->resource, l->field != NULL ? ODP_B11 : ODP_K02);
}

/* A cell edited by hand offers the list; where the list is not closed, other values are possible. */
static void offer_choice(struct xlsx_emit *e, size_t part, lxw_col_t col, lxw_row_t last)
{
    const struct xlsx_list *l = e->columns[col].list;
    char *source = odp_arena_printf(&e->base.arena, "='%s'!$A$2:$A$%zu", l->sheet, l->n + 1);
    char *message = odp_arena_printf(
        &e->base.arena, "%s / %s",
        odp_arena_printf(&e->base.arena, odp_word(ODP_LANG_ID, W_xlsx_not_on_sheet), l->sheet),
        odp_arena_printf(&e->base.arena, odp_word(ODP_LANG_EN, W_xlsx_not_on_sheet), l->sheet));
    lxw_data_validation v = {.validate = LXW_VALIDATION_TYPE_LIST_FORMULA,
                             .value_formula = source,
                             .error_type = is_closed(e, l) ? LXW_VALIDATION_ERROR_TYPE_STOP
                                                           : LXW_VALIDATION_ERROR_TYPE_WARNING,
                             .error_title = (char *)(uintptr_t)odp_word(ODP_LANG_ID, W_xlsx_unknown_code),
                             .error_message = message};
    odp_book_validate(&e->book, e->book.sheets[part].sheet, 1, col, last, &v);
}

static bool has_choice(const struct xlsx_emit *e, lxw_col_t k)
{
    if (e->columns[k].list == NULL)
        return false;
    enum odp_type t = e->base.job->resource->schema.fields[e->columns[k].field].type;
    return t == ODP_TYPE_STRING || odp_type_is_number(t) || t == ODP_TYPE_YEAR;
}

void odp_xlsx_lists_put(struct xlsx_emit *e)
{
    for (size_t part = 0; part < e->data_sheets; part++) {
        lxw_row_t last = part + 1 < e->data_sheets ? XLSX_RECORDS_MAX : e->row - 1;
        for (lxw_col_t k = 0; k < e->ncolumns && last > 0; k++)
            if (has_choice(e, k))
                offer_choice(e, part, k, last);
    }
    for (size_t i = 0; i < e->nlists && e->book.status == ODP_OK; i++)
        put_list(e, &e->lists[i]);
}
