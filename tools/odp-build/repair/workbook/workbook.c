/* The correction workbook: what is wrong with the sources, in the steward's own rows. It holds private
 * values, so nobody else may read it (mode 0600 from its first byte on). */
#include "repair/file_state.h"
#include "repair/workbook/workbook_internal.h"

/* ---- which resources ---- */

/* The slug, and the resource's name if that differs. */
static const char *sheet_name(struct book *b, const struct odp_resource *r)
{
    const char **taken = odp_arena_array(&b->arena, b->nsheets + 3, sizeof *taken);
    bool alone = strcmp(r->dataset->slug, r->name) == 0;
    for (size_t i = 0; i < b->nsheets; i++)
        taken[i] = b->sheets[i].name;
    taken[b->nsheets] = book_about_name(b);
    taken[b->nsheets + 1] = book_lists_name(b);
    taken[b->nsheets + 2] = CORRECT_META;
    return odp_book_sheet_name(
        &b->out, alone ? r->name : odp_arena_printf(&b->arena, "%s.%s", r->dataset->slug, r->name), 1, taken,
        b->nsheets + 3);
}

static enum odp_status add_resource(struct book *b, struct odp_faults *f, const struct odp_resource *r)
{
    const struct odp_fault_list *list;
    if (odp_faults_of(f, r, &list) != ODP_OK)
        return ODP_FAIL;
    if (list == NULL || odp_fault_list_count(list) == 0)
        return ODP_OK;
    struct book_sheet *s = &b->sheets[b->nsheets];
    struct odp_file_info info;
    *s = (struct book_sheet){.resource = r, .faults = list, .path = correct_source(b->o, r, &b->arena)};
    char *data = odp_data_file(s->path, &b->arena);
    s->name = sheet_name(b, r);
    b->nsheets++;
    if (odp_file_kind_of(data) == ODP_FILE_REGULAR && odp_file_digest(data, &info) == ODP_OK)
        odp_digest_hex(info.sha256, s->sha256);
    book_plan(b, s);
    return ODP_OK;
}

static enum odp_status plan(struct book *b, struct odp_faults *f)
{
    const struct odp_catalog *c = b->o->catalog;
    enum odp_status status = ODP_OK;
    b->sheets = odp_arena_zero(&b->arena, c->nresources + 1, sizeof *b->sheets);
    for (size_t i = 0; i < c->nresources && status == ODP_OK; i++)
        status = add_resource(b, f, c->resources[i]);
    return status == ODP_OK ? book_lists_plan(b) : status;
}

/* ---- the whole ---- */

static enum odp_status write_all(struct book *b)
{
    enum odp_status status = ODP_OK;
    book_make_looks(b);
    b->about = odp_book_sheet(&b->out, book_about_name(b));
    for (size_t i = 0; i < b->nsheets && status == ODP_OK && b->out.status == ODP_OK; i++)
        if (b->sheets[i].bad > 0)
            status = book_rows_put(b, &b->sheets[i]);
    if (status == ODP_OK && b->out.status == ODP_OK)
        book_lists_put(b);
    b->meta = status == ODP_OK ? odp_book_sheet(&b->out, CORRECT_META) : NULL;
    if (b->meta == NULL || b->about == NULL)
        return ODP_FAIL;
    book_about_put(b);
    book_meta_put(b);
    return book_status(b);
}

/* The library writes into a file that we made, so that nobody else can read it. */
enum odp_status odp_correct_write(struct odp_faults *f, const struct odp_correct_options *o, const char *path)
{
    struct book b = {.o = o, .out.arena = &b.arena};
    enum odp_status status = odp_diags_new(&b.diags, 0);
    if (status == ODP_OK)
        status = plan(&b, f);
    if (status == ODP_OK) {
        odp_book_make(&b.out, path, true, true, &b.arena);
        if (write_all(&b) != ODP_OK)
            b.out.status = ODP_FAIL;
        status = odp_book_made(&b.out, path);
    }
    odp_diags_free(b.diags);
    odp_buffer_release(&b.faults);
    odp_buffer_release(&b.shown);
    odp_buffer_release(&b.cell);
    odp_buffer_release(&b.text);
    odp_arena_release(&b.arena);
    return status == ODP_OK ? ODP_OK : ODP_FAIL;
}
