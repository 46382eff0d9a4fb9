/* The sheet of code lists: what fields with faults may hold, with the names of codes. One table, so that it can be filtered; each list is one run of rows,
 * so that a drop-down can name it. */
#include "repair/workbook/workbook_internal.h"
#include "words/repair.h"

const char *book_lists_name(const struct book *b)
{
    return book_say(b, W_repair_code_lists);
}

static struct book_list *list_add(struct book *b)
{
    if (b->nlists == b->cap_lists) {
        size_t cap = b->cap_lists != 0 ? b->cap_lists * 2 : 8;
        struct book_list *grown = odp_arena_array(&b->arena, cap, sizeof *grown);
        if (b->nlists > 0)
            memcpy(grown, b->lists, b->nlists * sizeof *grown);
        b->lists = grown;
        b->cap_lists = cap;
    }
    struct book_list *l = &b->lists[b->nlists++];
    *l = (struct book_list){.whole = true};
    return l;
}

/* The single-field key of FIELD into a code list, or NULL. */
static const struct odp_foreign_key *key_of(const struct odp_resource *r, int field)
{
    for (size_t k = 0; k < r->nforeign; k++) {
        const struct odp_foreign_key *key = &r->foreign[k];
        if (key->target->dataset->reference && key->local.n == 1 && (int)key->local.fields[0] == field)
            return key;
    }
    return NULL;
}

const struct book_list *book_list_of(const struct book *b, const struct odp_resource *r, int field)
{
    const struct odp_field *f = &r->schema.fields[field];
    const struct odp_foreign_key *key = f->ncategories > 0 ? NULL : key_of(r, field);
    for (size_t i = 0; i < b->nlists; i++) {
        const struct book_list *l = &b->lists[i];
        if (l->field == f || (key != NULL && l->resource == key->target && l->code == key->remote.fields[0]))
            return l;
    }
    return NULL;
}

/* ---- filling ------------------------------------------------------------------------------------------------------------------------- */

static enum odp_status add_code(struct book *b, struct book_list *l, struct odp_slice code, struct odp_slice name)
{
    if (l->n == CORRECT_LIST) {
        l->whole = false;
        return ODP_OK;
    }
    if (l->n == l->cap) {
        size_t cap = l->cap != 0 ? l->cap * 2 : 64;
        struct book_code *grown = odp_arena_array(&b->arena, cap, sizeof *grown);
        if (l->n > 0)
            memcpy(grown, l->codes, l->n * sizeof *grown);
        l->codes = grown;
        l->cap = cap;
    }
    struct book_code c = {odp_arena_copy(&b->arena, code), odp_arena_copy(&b->arena, name)};
    if (c.code.ptr == NULL || c.name.ptr == NULL)
        return ODP_FAIL;
    l->codes[l->n++] = c;
    return ODP_OK;
}

static enum odp_status fill_categories(struct book *b, struct book_list *l)
{
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < l->field->ncategories && status == ODP_OK; i++)
        status = add_code(b, l, l->field->categories[i].value, odp_slice_of(odp_text_get(&l->field->categories[i].label, b->o->lang)));
    return status;
}

struct filling {
    struct book *b;
    struct book_list *l;
    int code, name; /* columns of the source; -1: there is none */
};

/* "nama_en" in English, "nama", else the first public text besides the code. */
static int name_field(const struct book *b, const struct book_list *l)
{
    const struct odp_schema *s = &l->resource->schema;
    int found = b->o->lang == ODP_LANG_EN ? odp_schema_find(s, ODP_LIT("nama_en")) : -1;
    if (found < 0)
        found = odp_schema_find(s, ODP_LIT("nama"));
    for (uint32_t i = 0; found < 0 && i < s->n; i++)
        if (i != l->code && s->fields[i].type == ODP_TYPE_STRING && s->fields[i].is_public)
            found = (int)i;
    return found >= 0 && s->fields[found].is_public && (uint32_t)found != l->code ? found : -1;
}

static enum odp_status begin(void *ctx, const struct odp_source_info *info)
{
    struct filling *f = ctx;
    int name = name_field(f->b, f->l);
    f->code = info->column_of_field[f->l->code];
    f->name = name >= 0 ? info->column_of_field[name] : -1;
    return f->code >= 0 ? ODP_OK : ODP_DONE;
}

static enum odp_status take(void *ctx, const struct odp_source_info *info, const struct correct_record *r)
{
    struct filling *f = ctx;
    (void)info;
    if (r->broken || r->shown[f->code].len == 0)
        return ODP_OK;
    return add_code(f->b, f->l, r->shown[f->code], f->name >= 0 ? r->shown[f->name] : (struct odp_slice){"", 0});
}

static enum odp_status fill_codes(struct book *b, struct book_list *l)
{
    struct filling f = {b, l, -1, -1};
    struct correct_reading to = {&f, begin, take};
    char *path = correct_source(b->o, l->resource, &b->arena);
    enum odp_status status = correct_read(l->resource, path, &to, b->diags);
    return status == ODP_BAD ? ODP_OK : status; /* the list's own faults are in the report */
}

static enum odp_status plan_field(struct book *b, const struct book_sheet *s, int field)
{
    const struct odp_field *f = &s->resource->schema.fields[field];
    const struct odp_foreign_key *key = f->ncategories > 0 || (s->fields[field] & FIELD_BAD) == 0 ? NULL : key_of(s->resource, field);
    if ((f->ncategories == 0 && key == NULL) || book_list_of(b, s->resource, field) != NULL)
        return ODP_OK;
    struct book_list *l = list_add(b);
    if (l == NULL)
        return ODP_FAIL;
    if (key == NULL) {
        l->field = f;
        return fill_categories(b, l);
    }
    l->resource = key->target;
    l->code = key->remote.fields[0];
    return fill_codes(b, l);
}

enum odp_status book_lists_plan(struct book *b)
{
    enum odp_status status = ODP_OK;
    lxw_row_t row = 1;
    for (size_t i = 0; i < b->nsheets && status == ODP_OK; i++)
        for (uint32_t f = 0; b->sheets[i].here && f < b->sheets[i].resource->schema.n && status == ODP_OK; f++)
            status = plan_field(b, &b->sheets[i], (int)f);
    for (size_t i = 0; i < b->nlists; i++) {
        b->lists[i].first = row;
        if ((uint64_t)row + b->lists[i].n >= CORRECT_ROWS) {
            b->lists[i].n = 0;
            b->lists[i].whole = false;
        }
        row += (lxw_row_t)b->lists[i].n;
    }
    return status;
}

/* ---- the sheet ------------------------------------------------------------------------------------------------------------------------ */

static enum odp_status put_list(struct book *b, lxw_worksheet *sheet, const struct book_list *l)
{
    const char *label = l->field != NULL ? odp_arena_printf(&b->arena, book_say(b, W_repair_categories_of), l->field->name)
                                         : odp_arena_printf(&b->arena, "%s@%s%s", l->resource->dataset->slug, l->resource->name,
                                                            l->whole ? "" : book_say(b, W_repair_not_all));
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < l->n && status == ODP_OK; i++) {
        lxw_row_t row = l->first + (lxw_row_t)i;
        status = book_put_str(b, sheet, row, 0, label, b->looks.plain);
        if (status == ODP_OK)
            status = book_put(b, sheet, row, 1, l->codes[i].code, b->looks.plain);
        if (status == ODP_OK)
            status = book_put(b, sheet, row, 2, l->codes[i].name, b->looks.plain);
    }
    return status;
}

enum odp_status book_lists_put(struct book *b)
{
    size_t rows = 0;
    for (size_t i = 0; i < b->nlists; i++)
        rows += b->lists[i].n;
    if (rows == 0)
        return ODP_OK;
    lxw_worksheet *sheet = book_sheet_add(b, book_lists_name(b));
    const char *const head[] = {book_say(b, W_repair_list), book_say(b, W_repair_code), book_say(b, W_repair_meaning)};
    static const double width[] = {30, 18, 50};
    enum odp_status status = sheet != NULL ? ODP_OK : ODP_FAIL;
    for (lxw_col_t k = 0; k < 3 && status == ODP_OK; k++) {
        status = book_put_str(b, sheet, 0, k, head[k], b->looks.head);
        if (status == ODP_OK)
            status = book_status(b, worksheet_set_column(sheet, k, k, width[k], b->looks.plain));
    }
    for (size_t i = 0; i < b->nlists && status == ODP_OK; i++)
        status = put_list(b, sheet, &b->lists[i]);
    if (status != ODP_OK)
        return status;
    worksheet_freeze_panes(sheet, 1, 0);
    return book_status(b, worksheet_autofilter(sheet, 0, 0, (lxw_row_t)rows, 2));
}
