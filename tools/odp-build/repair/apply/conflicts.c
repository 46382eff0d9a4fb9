/* What is said of a workbook that came back; each error counts as a conflict. */
#include <stdio.h>
#include <string.h>

#include "repair/apply/apply_internal.h"
#include "words/repair.h"

void apply_diag(const struct apply *a, const struct apply_sheet *sheet, enum odp_code code, uint32_t row,
                int column, struct odp_diag *out)
{
    *out = (struct odp_diag){.code = code, .file = a->path};
    if (sheet == NULL)
        return;
    out->sheet = sheet->name;
    out->line = row;
    out->column = column >= 0 ? (uint64_t)column + 1 : 0;
    if (sheet->resource != NULL) {
        out->dataset = sheet->resource->dataset->slug;
        out->resource = sheet->resource->name;
    }
}

void apply_say(struct apply *a, const struct odp_diag *d)
{
    enum odp_status status = odp_diags_add(a->diags, d);
    if (status == ODP_BAD) {
        a->bad = true;
        a->out->conflicts++;
    }
    a->failed = a->failed || status == ODP_FAIL;
}

enum odp_status apply_status(const struct apply *a)
{
    return a->failed || odp_buffer_status(&a->text) != ODP_OK ? ODP_FAIL : odp_arena_status(a->arena);
}

const char *apply_cell_name(struct apply *a, uint32_t row, uint32_t column)
{
    char name[8];
    return odp_arena_printf(a->arena, "%s%u", odp_column_name(column, name), row);
}

struct odp_slice apply_may_show(const struct apply_sheet *s, int field, struct odp_slice text)
{
    if (field >= 0 && !s->resource->schema.fields[field].is_public)
        return ODP_LIT("***");
    return text.len > 0 ? text : ODP_LIT("“”");
}

enum odp_status apply_say_fault(struct apply *a, const struct odp_workbook_fault *fault)
{
    struct odp_diag d;
    apply_diag(a, NULL, ODP_A10, 0, -1, &d);
    const char *what = odp_text_get(&fault->what, a->o->lang);
    static const char *const words[][ODP_LANGS] = {{"", ""},
                                                   {W_repair_not_there_not_readable},
                                                   {W_repair_no_xlsx_file},
                                                   {W_repair_no_xlsx_file},
                                                   {W_repair_locked_by_password},
                                                   {W_repair_damaged},
                                                   {W_repair_too_large}};
    const char *kind = words[fault->kind < sizeof words / sizeof *words ? fault->kind : 0][a->o->lang];
    const char *cause = fault->error != 0 ? strerror(fault->error) : what;
    char *text = odp_arena_printf(a->arena, "%s%s%s%s%s%s", kind, *cause != '\0' ? " (" : "", cause,
                                  *cause != '\0' ? ")" : "", fault->part[0] != '\0' ? ", " : "", fault->part);
    d.args[0] = odp_slice_of(text);
    apply_say(a, &d);
    return a->failed ? ODP_FAIL : ODP_BAD;
}
