/* `odp-build apply`: for each sheet of a correction workbook: the edited rows, their records in the source,
 * the edits. */
#include <string.h>

#include "repair/apply/apply_internal.h"
#include "repair/file_state.h"
#include "words/repair.h"

/* ---- a sheet ---- */

static enum odp_status compare_source(struct apply *a, struct apply_sheet *s)
{
    struct odp_file_info info;
    char hex[ODP_SHA256_HEX] = "";
    char *data = odp_data_file(s->path, a->arena);
    if (odp_file_kind_of(data) != ODP_FILE_REGULAR)
        return ODP_OK; /* opening it reports what is wrong */
    enum odp_status status = odp_file_digest(data, &info);
    if (status == ODP_FAIL)
        return ODP_FAIL;
    if (status == ODP_OK)
        odp_digest_hex(info.sha256, hex);
    s->same = s->sha256[0] != '\0' && strcmp(hex, s->sha256) == 0;
    if (s->same)
        return ODP_OK;
    apply_report_source(a, s, (struct odp_diag){.code = ODP_A27});
    return apply_status(a);
}

static enum odp_status apply_sheet(struct apply *a, struct apply_sheet *s)
{
    if (s->at < 0) {
        apply_report(
            a, s, 0, -1,
            (struct odp_diag){.code = ODP_A14, .args = {odp_slice_of(s->name), odp_slice_of(s->slug)}});
        return apply_status(a);
    }
    enum odp_status status = apply_rows(a, s, (size_t)s->at);
    if (status != ODP_OK || s->nrows == 0)
        return status;
    status = compare_source(a, s);
    if (status == ODP_OK)
        status = odp_edits_new(&a->edits, s->resource);
    if (status == ODP_OK)
        status = apply_match(a, s);
    if (status == ODP_OK)
        status = apply_rewrite(a, s);
    odp_edits_free(a->edits);
    a->edits = NULL;
    return status;
}

/* ---- the workbook ---- */

static bool is_used(const struct apply *a, int sheet)
{
    for (size_t i = 0; i < a->nsheets; i++)
        if (a->sheets[i].at == sheet)
            return true;
    return false;
}

/* Whether sheet AT has the hidden column of ids of S: this finds a renamed sheet. */
static enum odp_status has_ids(const struct apply *a, const struct apply_sheet *s, size_t at, bool *has)
{
    struct odp_workbook_fault fault = {0};
    struct odp_sheet *sheet = NULL;
    struct odp_sheet_row row;
    const char *header = NULL;
    *has = false;
    for (size_t i = 0; i < s->ncolumns; i++)
        if (s->columns[i].kind == CORRECT_ID)
            header = s->columns[i].header;
    enum odp_status status = header != NULL ? odp_sheet_open(&sheet, a->workbook, at, &fault) : ODP_DONE;
    if (status == ODP_OK)
        status = odp_sheet_next(sheet, &row, &fault);
    for (uint32_t i = 0; status == ODP_OK && i < row.n; i++)
        *has = *has || odp_slice_is(odp_slice_trim(row.cells[i].text), header);
    odp_sheet_close(sheet);
    return status == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

/* Finds sheets by name first, then by their ids. */
static enum odp_status find_sheets(struct apply *a)
{
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < a->nsheets; i++)
        a->sheets[i].at = odp_workbook_find(a->workbook, a->sheets[i].name);
    for (size_t i = 0; i < a->nsheets; i++)
        for (size_t k = 0; a->sheets[i].at < 0 && k < odp_workbook_sheets(a->workbook) && status == ODP_OK;
             k++) {
            bool has = false;
            if (!is_used(a, (int)k))
                status = has_ids(a, &a->sheets[i], k, &has);
            if (has)
                a->sheets[i].at = (int)k;
        }
    return status;
}

/* Reports foreign sheets. The summary and the lists are not read; they may have either language's name. */
static void report_foreign_sheets(struct apply *a)
{
    static const char *const ours[] = {CORRECT_META, W_repair_summary, W_repair_code_lists};
    for (size_t i = 0; i < odp_workbook_sheets(a->workbook); i++) {
        const char *name = odp_workbook_sheet_name(a->workbook, i);
        bool known = is_used(a, (int)i);
        for (size_t k = 0; k < ODP_COUNT(ours); k++)
            known = known || strcmp(name, ours[k]) == 0;
        if (!known)
            apply_report(a, NULL, 0, -1, (struct odp_diag){.code = ODP_A15, .args = {odp_slice_of(name)}});
    }
}

static enum odp_status open_workbook(struct apply *a)
{
    struct odp_workbook_fault fault = {0};
    /* Workbooks of odp-build may be large; this is the steward's own file, and rows and texts stay bounded.
     */
    const struct odp_workbook_limits limits = {.part_bytes = UINT64_C(16) << 30,
                                               .string_bytes = UINT64_C(2) << 30};
    enum odp_status status = odp_workbook_open(&a->workbook, a->path, &limits, &fault);
    if (status == ODP_BAD)
        return apply_report_fault(a, &fault);
    return status;
}

enum odp_status odp_correct_apply(const char *path, const struct odp_correct_options *o,
                                  const struct odp_correct_watch *watch, struct odp_arena *arena,
                                  struct odp_applied *out, struct odp_diags *diags)
{
    struct apply a = {.o = o, .path = path, .watch = watch, .arena = arena, .diags = diags, .out = out};
    *out = (struct odp_applied){0};
    enum odp_status status = open_workbook(&a);
    if (status == ODP_OK)
        status = apply_meta(&a);
    if (status == ODP_OK)
        status = find_sheets(&a);
    if (status == ODP_OK)
        report_foreign_sheets(&a);
    out->file = a.files = odp_arena_zero(arena, a.nsheets + 1, sizeof *a.files);
    for (size_t i = 0; i < a.nsheets && status == ODP_OK; i++) {
        if (a.sheets[i].path == NULL)
            continue; /* reported: not in the catalogue */
        status = apply_sheet(&a, &a.sheets[i]);
        a.bad = a.bad || status == ODP_BAD;
        status = status == ODP_BAD ? ODP_OK : status;
    }
    if (status != ODP_FAIL && apply_status(&a) != ODP_OK)
        status = ODP_FAIL;
    odp_workbook_close(a.workbook);
    odp_buffer_release(&a.text);
    return status == ODP_FAIL ? ODP_FAIL : status == ODP_BAD || a.bad ? ODP_BAD : ODP_OK;
}
