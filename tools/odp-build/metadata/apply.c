/* A workbook of metadata that a person sent back. What they changed is what differs from the hidden sheet; it
 * is written where the catalogue still has what they saw. */
#include <stdlib.h>

#include "metadata/workbook_internal.h"
#include "read/xlsx/workbook/workbook.h"

enum { COLUMNS_MAX = 64 };

struct kept { /* a cell as it was */
    const char *key, *value;
};

struct applying {
    struct odp_metadata_apply *out;
    const char *path;
    struct odp_arena *arena;
    struct odp_diags *diags;
    struct odp_workbook *workbook;
    struct kept *kept;
    size_t nkept;
    struct entries *lists; /* of the documents that the workbook names */
    bool *bad;             /* by list: something of it does not fit */
    size_t nlists;
    bool any_bad, failed;
};

static void report(struct applying *a, struct odp_diag d)
{
    d.file = a->path;
    a->any_bad = a->any_bad || odp_code_info(d.code)->severity == ODP_SEVERITY_ERROR;
    a->failed = a->failed || odp_diags_add(a->diags, &d) == ODP_FAIL;
}

static enum odp_status refuse(struct applying *a, enum odp_code code, const char *what)
{
    report(a, (struct odp_diag){.code = code, .args = {odp_slice_of(what)}});
    return a->failed ? ODP_FAIL : ODP_BAD;
}

static enum odp_status unreadable(struct applying *a, const struct odp_workbook_fault *fault)
{
    return refuse(a, ODP_A10,
                  fault->what.in[ODP_LANG_EN] != NULL ? odp_text_get(&fault->what, ODP_LANG_ID) : "");
}

static const char *text_of(const struct applying *a, const struct odp_sheet_row *row, uint32_t column)
{
    for (uint32_t i = 0; i < row->n; i++)
        if (row->cells[i].column == column && row->cells[i].kind != ODP_CELL_EMPTY)
            return odp_arena_copy(a->arena, row->cells[i].kind == ODP_CELL_DATE && row->cells[i].iso.len > 0
                                                ? row->cells[i].iso
                                                : row->cells[i].text)
                .ptr;
    return "";
}

static const char *key_of(const struct applying *a, const char *slug, const char *place, const char *column)
{
    return odp_arena_printf(a->arena, "%s\t%s\t%s", slug, place, column);
}

static enum odp_status keep(struct applying *a, const struct odp_sheet_row *row, bool first)
{
    if (first) {
        if (strcmp(text_of(a, row, 0), BOOK_MARK) != 0)
            return refuse(a, ODP_A11, "");
        return strtol(text_of(a, row, 1), NULL, 10) > BOOK_FORMAT ? refuse(a, ODP_A12, text_of(a, row, 1))
                                                                  : ODP_OK;
    }
    a->kept = odp_arena_more(a->arena, a->kept, a->nkept, sizeof *a->kept);
    a->kept[a->nkept++] = (struct kept){key_of(a, text_of(a, row, 0), text_of(a, row, 1), text_of(a, row, 2)),
                                        text_of(a, row, 3)};
    return ODP_OK;
}

/* ---- a row of a sheet ---- */

/* The list of the document SLUG ("": the portal) in a->lists; -1: there is none. */
static int list_of(struct applying *a, const char *slug)
{
    const struct odp_catalog *c = a->out->catalog;
    const struct odp_dataset *d = *slug != '\0' ? odp_catalog_find(c, slug) : NULL;
    if (*slug != '\0' && (d == NULL || d->reference))
        return -1;
    for (size_t i = 0; i < a->nlists; i++)
        if (a->lists[i].dataset == d)
            return (int)i;
    metadata_list(&a->lists[a->nlists], c, d, a->arena);
    return (int)a->nlists++;
}

/* What the sheet had in that cell; NULL: it had no such cell. */
static const char *kept_of(const struct applying *a, const char *key)
{
    const struct kept wanted = {.key = key}, *found = a->nkept > 0 ? bsearch(&wanted, a->kept, a->nkept,
                                                                             sizeof wanted, odp_by_string)
                                                                   : NULL;
    return found != NULL ? found->value : NULL;
}

/* What a person saw in a cell, wrote there, and where it is. */
struct written {
    const char *seen, *text;
    struct odp_diag at;
};

/* Takes W for E, where the catalogue has still what they saw. */
static void take(struct applying *a, int list, struct entry *e, int lang, const struct written *w)
{
    struct odp_diag at = w->at;
    struct entries *l = &a->lists[list];
    entry_answer(l, e, lang, odp_slice_of(w->text));
    const bool wanted =
        e->fresh[lang] != NULL && *e->fresh[lang] != '\0' && strcmp(e->fresh[lang], w->seen) != 0;
    const struct odp_text *fault = e->fault[lang];
    if ((!wanted && fault == NULL) || (wanted && strcmp(e->fresh[lang], e->value[lang]) == 0)) {
        e->fresh[lang] = NULL;
        return;
    }
    if (fault == NULL && strcmp(w->seen, e->value[lang]) == 0)
        return;
    at.code = fault != NULL ? ODP_A31 : ODP_A22;
    at.message = fault;
    at.field = e->field != NULL ? e->field->name : NULL;
    at.value = odp_slice_of(w->text);
    e->fresh[lang] = NULL;
    e->fault[lang] = NULL;
    a->bad[list] = true;
    report(a, at);
}

static struct entry *find(struct entries *l, const char *place, const char *column, int *lang,
                          struct odp_arena *arena)
{
    for (size_t i = 0; i < l->n; i++) {
        struct entry *e = &l->item[i];
        for (*lang = 0; *lang < entry_langs(e); (*lang)++)
            if (strcmp(book_column(e->member, *lang, arena), column) == 0 &&
                strcmp(entry_place(l, e), place) == 0)
                return e;
    }
    return NULL;
}

static void apply_row(struct applying *a, const struct odp_sheet_row *row, const char *const *columns,
                      const char *sheet)
{
    const char *slug = "", *field = "", *value = NULL;
    for (uint32_t c = 0; c < COLUMNS_MAX && c < 3; c++) {
        slug = strcmp(columns[c], "dataset") == 0 ? text_of(a, row, c) : slug;
        field = strcmp(columns[c], "field") == 0 ? text_of(a, row, c) : field;
        value = strcmp(columns[c], "value") == 0 ? text_of(a, row, c) : value;
    }
    const char *place = value != NULL ? odp_arena_printf(a->arena, "%s=%s", field, value) : field;
    const int list = list_of(a, slug);
    for (uint32_t i = 0; i < row->n; i++) {
        const struct odp_sheet_cell *cell = &row->cells[i];
        if (cell->column >= COLUMNS_MAX)
            break;
        const char *column = columns[cell->column];
        const char *seen = kept_of(a, key_of(a, slug, place, column)), *text = text_of(a, row, cell->column);
        struct odp_diag at = {.sheet = sheet, .line = row->row, .column = cell->column + 1};
        if (seen == NULL || strcmp(text, seen) == 0)
            continue;
        int lang = 0;
        struct entry *e = list >= 0 ? find(&a->lists[list], place, column, &lang, a->arena) : NULL;
        if (e != NULL) {
            take(a, list, e, lang, &(struct written){seen, text, at});
            continue;
        }
        at.code = ODP_A13;
        at.args[0] = odp_slice_of(odp_arena_printf(a->arena, "%s %s", slug, place));
        report(a, at);
    }
}

/* ---- a document ---- */

static enum odp_status write_list(struct applying *a, size_t i)
{
    struct entries *l = &a->lists[i];
    uint64_t changes = 0;
    for (size_t k = 0; k < l->n && !a->bad[i]; k++) {
        const struct entry *e = &l->item[k];
        for (int lang = 0; lang < entry_langs(e); lang++) {
            if (e->fresh[lang] == NULL || strcmp(e->fresh[lang], e->value[lang]) == 0)
                continue;
            changes++;
            const char *place = entry_place(l, e), *key = e->member->key;
            if (e->member->both)
                key = odp_arena_printf(a->arena, "%s.%s", key, odp_lang_code((enum odp_lang)lang));
            const struct odp_metadata_change change = {
                l->path, odp_arena_printf(a->arena, *place != '\0' ? "%s  %s" : "%s%s", place, key),
                e->value[lang], e->fresh[lang]};
            if (a->out->show != NULL)
                a->out->show(a->out->ctx, &change);
        }
    }
    if (changes == 0)
        return ODP_OK;
    a->out->changes += changes;
    a->out->files++;
    enum odp_status status = metadata_write(l, a->out->dry);
    if (status == ODP_BAD) {
        (void)refuse(a, ODP_A09, "");
        return ODP_OK;
    }
    return status;
}

/* ---- the workbook ---- */

/* Each row of sheet AT. */
static enum odp_status each_row(struct applying *a, size_t at, bool hidden)
{
    struct odp_workbook_fault fault = {0};
    struct odp_sheet *sheet = NULL;
    struct odp_sheet_row row;
    const char *columns[COLUMNS_MAX] = {NULL};
    bool first = true;
    enum odp_status status = odp_sheet_open(&sheet, a->workbook, at, &fault);
    while (status == ODP_OK && (status = odp_sheet_next(sheet, &row, &fault)) == ODP_OK) {
        if (hidden)
            status = keep(a, &row, first);
        else if (row.row == 1)
            for (uint32_t c = 0; c < COLUMNS_MAX; c++)
                columns[c] = text_of(a, &row, c);
        else if (row.row > BOOK_HEADS && columns[0] != NULL)
            apply_row(a, &row, columns, odp_workbook_sheet_name(a->workbook, at));
        first = false;
    }
    odp_sheet_close(sheet);
    if (status == ODP_BAD && fault.kind != 0)
        return unreadable(a, &fault);
    return status == ODP_DONE ? ODP_OK : status;
}

enum odp_status odp_metadata_apply(const char *path, struct odp_metadata_apply *out, struct odp_arena *arena,
                                   struct odp_diags *diags)
{
    struct applying a = {.out = out, .path = path, .arena = arena, .diags = diags};
    struct odp_workbook_fault fault = {0};
    enum odp_status status = odp_workbook_open(&a.workbook, path, NULL, &fault);
    if (status == ODP_BAD)
        return unreadable(&a, &fault);
    const int kept = status == ODP_OK ? odp_workbook_find(a.workbook, BOOK_MARK) : -1;
    if (status == ODP_OK)
        status = kept >= 0 ? each_row(&a, (size_t)kept, true) : refuse(&a, ODP_A11, "");
    if (a.nkept > 0)
        qsort(a.kept, a.nkept, sizeof *a.kept, odp_by_string); /* a string comes first in them */
    a.lists = odp_arena_zero(arena, out->catalog->ndatasets + 2, sizeof *a.lists);
    a.bad = odp_arena_zero(arena, out->catalog->ndatasets + 2, sizeof *a.bad);
    for (size_t i = 0; status == ODP_OK && i < odp_workbook_sheets(a.workbook); i++)
        if ((int)i != kept)
            status = each_row(&a, i, false);
    odp_workbook_close(a.workbook);
    for (size_t i = 0; status == ODP_OK && i < a.nlists; i++)
        status = write_list(&a, i);
    if (a.failed)
        return ODP_FAIL;
    return status == ODP_OK && a.any_bad ? ODP_BAD : status;
}

bool odp_metadata_is_workbook(const char *path)
{
    struct odp_workbook_fault fault = {0};
    struct odp_workbook *w = NULL;
    bool is = odp_workbook_open(&w, path, NULL, &fault) == ODP_OK && odp_workbook_find(w, BOOK_MARK) >= 0;
    odp_workbook_close(w);
    return is;
}
