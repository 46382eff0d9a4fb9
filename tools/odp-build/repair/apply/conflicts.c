/* Diagnostics about a correction workbook; each error counts as a conflict. */
#include <string.h>

#include "repair/apply/apply_internal.h"
#include "base/refusal.h"
#include "words/repair.h"

static void add(struct apply *a, const struct apply_sheet *sheet, struct odp_diag *d)
{
    if (sheet != NULL && sheet->resource != NULL) {
        d->dataset = sheet->resource->dataset->slug;
        d->resource = sheet->resource->name;
    }
    enum odp_status status = odp_diags_add(a->diags, d);
    if (status == ODP_BAD) {
        a->bad = true;
        a->out->conflicts++;
    }
    a->failed = a->failed || status == ODP_FAIL;
}

void apply_report(struct apply *a, const struct apply_sheet *sheet, uint32_t row, int column,
                  struct odp_diag d)
{
    d.file = a->path;
    if (sheet != NULL) {
        d.sheet = sheet->name;
        d.line = row;
        d.column = column >= 0 ? (uint64_t)column + 1 : 0;
    }
    add(a, sheet, &d);
}

void apply_report_source(struct apply *a, const struct apply_sheet *sheet, struct odp_diag d)
{
    d.file = sheet->path;
    add(a, sheet, &d);
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

enum odp_status apply_report_fault(struct apply *a, const struct odp_workbook_fault *fault)
{
    const char *what = odp_text_get(&fault->what, a->o->lang);
    static const char *const words[][ODP_LANGS] = {{"", ""},
                                                   {W_repair_not_there_not_readable},
                                                   {W_repair_no_xlsx_file},
                                                   {W_repair_no_xlsx_file},
                                                   {W_repair_locked_by_password},
                                                   {W_repair_damaged},
                                                   {W_repair_too_large}};
    const char *kind = words[fault->kind < ODP_COUNT(words) ? fault->kind : 0][a->o->lang];
    const struct odp_text reason = odp_refusal_text(fault->error);
    const char *cause = fault->error != 0 ? odp_text_get(&reason, a->o->lang) : what;
    const char *comma = fault->part[0] != '\0' ? ", " : "";
    char *text = odp_arena_printf(a->arena, *cause != '\0' ? "%s (%s)%s%s" : "%s%s%s%s", kind, cause, comma,
                                  fault->part);
    apply_report(a, NULL, 0, -1, (struct odp_diag){.code = ODP_A10, .args = {odp_slice_of(text)}});
    return a->failed ? ODP_FAIL : ODP_BAD;
}
