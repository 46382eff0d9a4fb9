/* The sheet of code lists: allowed values of fields with faults, with the names of codes. One table, so that
 * it can be filtered; each list is one run of rows, so that a drop-down can name it. */
#include "repair/workbook/workbook_internal.h"
#include "words/repair.h"

const char *book_lists_name(const struct book *b)
{
    return book_word(b, W_repair_code_lists);
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

/* ---- filling ---- */

static void add_code(struct book *b, struct book_list *l, struct odp_slice code, struct odp_slice name)
{
    if (l->n == CORRECT_LIST) {
        l->whole = false;
        return;
    }
    l->codes = odp_arena_more(&b->arena, l->codes, l->n, sizeof *l->codes);
    l->codes[l->n++] = (struct book_code){odp_arena_copy(&b->arena, code), odp_arena_copy(&b->arena, name)};
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
    if (!r->broken && r->shown[f->code].len > 0)
        add_code(f->b, f->l, r->shown[f->code], f->name >= 0 ? r->shown[f->name] : ODP_LIT(""));
    return ODP_OK;
}

static enum odp_status plan_field(struct book *b, const struct book_sheet *s, int field)
{
    const struct odp_field *f = &s->resource->schema.fields[field];
    const struct odp_foreign_key *key =
        f->ncategories > 0 || (s->fields[field] & FIELD_BAD) == 0 ? NULL : key_of(s->resource, field);
    if ((f->ncategories == 0 && key == NULL) || book_list_of(b, s->resource, field) != NULL)
        return ODP_OK;
    b->lists = odp_arena_more(&b->arena, b->lists, b->nlists, sizeof *b->lists);
    struct book_list *l = &b->lists[b->nlists++];
    *l = (struct book_list){.whole = true, .field = key == NULL ? f : NULL};
    for (size_t i = 0; key == NULL && i < f->ncategories; i++)
        add_code(b, l, f->categories[i].value,
                 odp_slice_of(odp_text_get(&f->categories[i].label, b->o->lang)));
    if (key == NULL)
        return ODP_OK;
    l->resource = key->target;
    l->code = key->remote.fields[0];
    struct filling filling = {b, l, -1, -1};
    struct correct_reading to = {&filling, begin, take};
    enum odp_status status =
        correct_read(l->resource, correct_source(b->o, l->resource, &b->arena), &to, b->diags);
    return status == ODP_BAD ? ODP_OK : status; /* the report has the list's own faults */
}

enum odp_status book_lists_plan(struct book *b)
{
    enum odp_status status = ODP_OK;
    lxw_row_t row = 1;
    for (size_t i = 0; i < b->nsheets; i++)
        for (uint32_t f = 0; b->sheets[i].bad > 0 && f < b->sheets[i].resource->schema.n && status == ODP_OK;
             f++)
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

/* ---- the sheet ---- */

static void put_list(struct book *b, lxw_worksheet *sheet, const struct book_list *l)
{
    const char *label =
        l->field != NULL
            ? odp_arena_printf(&b->arena, book_word(b, W_repair_categories_of), l->field->name)
            : odp_arena_printf(&b->arena, "%s@%s%s", l->resource->dataset->slug, l->resource->name,
                               l->whole ? "" : book_word(b, W_repair_not_all));
    for (size_t i = 0; i < l->n; i++) {
        lxw_row_t row = l->first + (lxw_row_t)i;
        odp_book_put_str(&b->out, sheet, row, 0, label, b->looks.plain);
        odp_book_put(&b->out, sheet, row, 1, l->codes[i].code, b->looks.plain);
        odp_book_put(&b->out, sheet, row, 2, l->codes[i].name, b->looks.plain);
    }
}

void book_lists_put(struct book *b)
{
    const char *const head[] = {book_word(b, W_repair_list), book_word(b, W_repair_code),
                                book_word(b, W_repair_meaning)};
    static const double width[] = {30, 18, 50};
    size_t rows = 0;
    for (size_t i = 0; i < b->nlists; i++)
        rows += b->lists[i].n;
    lxw_worksheet *sheet = rows > 0 ? odp_book_sheet(&b->out, book_lists_name(b)) : NULL;
    if (sheet == NULL)
        return;
    odp_book_widths(&b->out, sheet, width, 3, b->looks.plain);
    for (lxw_col_t k = 0; k < 3; k++)
        odp_book_put_str(&b->out, sheet, 0, k, head[k], b->looks.head);
    for (size_t i = 0; i < b->nlists; i++)
        put_list(b, sheet, &b->lists[i]);
    worksheet_freeze_panes(sheet, 1, 0);
    odp_book_note(&b->out, worksheet_autofilter(sheet, 0, 0, (lxw_row_t)rows, 2));
}
