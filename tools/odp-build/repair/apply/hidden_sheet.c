/* The hidden sheet: the program that made the workbook, and its sources. */
#include <stdlib.h>

#include "repair/apply/apply_internal.h"

enum { PIECES = 8, COLUMNS_MAX = 2 * 16384, SHEETS_MAX = 1024 };

/* A row's texts by column; missing ones are empty. */
static void pieces_of(struct apply *a, const struct odp_sheet_row *row, const char *out[PIECES])
{
    for (size_t i = 0; i < PIECES; i++)
        out[i] = "";
    for (uint32_t i = 0; i < row->n; i++) {
        const struct odp_sheet_cell *c = &row->cells[i];
        if (c->column >= PIECES || c->kind == ODP_CELL_EMPTY)
            continue;
        out[c->column] = odp_arena_copy(a->arena, c->text).ptr;
    }
}

static enum odp_status refuse(struct apply *a, enum odp_code code, const char *x, const char *y)
{
    apply_report(a, NULL, 0, -1, (struct odp_diag){.code = code, .args = {odp_slice_of(x), odp_slice_of(y)}});
    return a->failed ? ODP_FAIL : ODP_BAD;
}

static enum odp_status begin(struct apply *a, const char *const *p)
{
    if (strcmp(p[0], CORRECT_MARK) != 0)
        return refuse(a, ODP_A11, CORRECT_META, "");
    return strtoul(p[1], NULL, 10) > CORRECT_FORMAT ? refuse(a, ODP_A12, p[2], "") : ODP_OK;
}

static enum odp_status add_sheet(struct apply *a, const char *const *p)
{
    if (a->nsheets == SHEETS_MAX)
        return refuse(a, ODP_A11, CORRECT_META, "");
    a->sheets = odp_arena_more(a->arena, a->sheets, a->nsheets, sizeof *a->sheets);
    struct apply_sheet *s = &a->sheets[a->nsheets++];
    *s = (struct apply_sheet){.name = p[1], .slug = p[2], .table = p[3], .file = p[7], .at = -1};
    if (strlen(p[5]) == ODP_SHA256_HEX - 1)
        memcpy(s->sha256, p[5], ODP_SHA256_HEX);
    return ODP_OK;
}

static enum odp_status add_column(struct apply *a, const char *const *p)
{
    struct apply_sheet *s = a->nsheets > 0 ? &a->sheets[a->nsheets - 1] : NULL;
    if (s == NULL || s->ncolumns == COLUMNS_MAX)
        return refuse(a, ODP_A11, CORRECT_META, "");
    for (enum correct_column_kind k = CORRECT_ID; k <= CORRECT_PROPOSAL; k++)
        if (strcmp(p[2], correct_column_names[k]) == 0) {
            unsigned long column = strtoul(p[3], NULL, 10);
            if (column >= COLUMNS_MAX)
                return refuse(a, ODP_A11, CORRECT_META, "");
            s->columns = odp_arena_more(a->arena, s->columns, s->ncolumns, sizeof *s->columns);
            s->columns[s->ncolumns++] = (struct apply_column){k, (uint32_t)column, p[1], -1};
            s->width = k == CORRECT_CELL && column + 1 > s->width ? (uint32_t)column + 1 : s->width;
            return ODP_OK;
        }
    return ODP_OK; /* from another program: ignored */
}

/* The source's columns, each once. */
static enum odp_status label_columns(struct apply *a, struct apply_sheet *s)
{
    s->labels = odp_arena_zero(a->arena, (size_t)s->width + 1, sizeof *s->labels);
    for (size_t i = 0; i < s->ncolumns; i++)
        if (s->columns[i].kind == CORRECT_CELL)
            s->labels[s->columns[i].column] = s->columns[i].header;
    for (uint32_t c = 0; c < s->width; c++)
        if (s->labels[c] == NULL)
            return refuse(a, ODP_A11, CORRECT_META, "");
    return ODP_OK;
}

/* The resource in the catalogue, and its source. */
static enum odp_status resolve(struct apply *a, struct apply_sheet *s)
{
    const struct odp_dataset *d = odp_catalog_find(a->o->catalog, s->slug);
    for (size_t i = 0; d != NULL && i < d->nresources; i++)
        if (strcmp(d->resources[i].name, s->table) == 0)
            s->resource = &d->resources[i];
    if (s->resource == NULL) {
        const char *both = odp_arena_printf(a->arena, "%s/%s", s->slug, s->table);
        return refuse(a, ODP_A13, both, "");
    }
    bool as = a->o->as_file != NULL && a->o->as_slug != NULL && strcmp(a->o->as_slug, s->slug) == 0 &&
              s->resource->primary;
    if (*s->file != '\0' && !as)
        return refuse(a, ODP_A29, s->file, s->slug);
    s->path = correct_source(a->o, s->resource, a->arena);
    return ODP_OK;
}

static enum odp_status read_all(struct apply *a, struct odp_sheet *sheet)
{
    struct odp_workbook_fault fault = {0};
    struct odp_sheet_row row;
    const char *p[PIECES];
    bool first = true, ended = false;
    enum odp_status status;
    while ((status = odp_sheet_next(sheet, &row, &fault)) == ODP_OK && !ended) {
        pieces_of(a, &row, p);
        if (first)
            status = begin(a, p);
        else if (strcmp(p[0], "sheet") == 0)
            status = add_sheet(a, p);
        else if (strcmp(p[0], "column") == 0)
            status = add_column(a, p);
        ended = strcmp(p[0], "end") == 0;
        first = false;
        if (status != ODP_OK)
            return status;
    }
    if (status == ODP_BAD)
        return apply_report_fault(a, &fault);
    if (status == ODP_FAIL)
        return ODP_FAIL;
    return ended ? ODP_OK : refuse(a, ODP_A11, CORRECT_META, "");
}

enum odp_status apply_meta(struct apply *a)
{
    struct odp_workbook_fault fault = {0};
    struct odp_sheet *sheet = NULL;
    int at = odp_workbook_find(a->workbook, CORRECT_META);
    if (at < 0)
        return refuse(a, ODP_A11, CORRECT_META, "");
    enum odp_status status = odp_sheet_open(&sheet, a->workbook, (size_t)at, &fault);
    if (status == ODP_BAD)
        return apply_report_fault(a, &fault);
    if (status == ODP_OK)
        status = read_all(a, sheet);
    odp_sheet_close(sheet);
    for (size_t i = 0; i < a->nsheets && status == ODP_OK; i++) {
        status = label_columns(a, &a->sheets[i]);
        if (status == ODP_OK && (status = resolve(a, &a->sheets[i])) == ODP_BAD)
            status = ODP_OK; /* the other sheets may be useful; this one has no path */
    }
    return status;
}
