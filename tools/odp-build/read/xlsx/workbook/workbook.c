/* Opening a workbook: the package, its main part, the list of sheets. Strings and styles are read when the
 * first sheet is. */
#include <errno.h>
#include <stdlib.h>

#include "base/file.h"
#include "read/xlsx/workbook/workbook_internal.h"
#include "words/read.h"

static void settle_limits(struct odp_workbook_limits *l, const struct odp_workbook_limits *wanted)
{
    *l = wanted != NULL ? *wanted : (struct odp_workbook_limits){0};
    if (l->part_bytes == 0)
        l->part_bytes = (uint64_t)2 << 30;
    if (l->string_bytes == 0)
        l->string_bytes = (uint64_t)512 << 20;
    if (l->string_bytes > UINT32_MAX / 2)
        l->string_bytes = UINT32_MAX / 2;
    if (l->ratio == 0)
        l->ratio = 1000;
    if (l->rows == 0)
        l->rows = 1048576;
    if (l->columns == 0)
        l->columns = 16384;
    if (l->cell_bytes == 0)
        l->cell_bytes = ODP_WORKBOOK_CELL;
}

static enum odp_status open_zip(struct odp_workbook *w, const char *path, struct odp_workbook_fault *fault)
{
    int code = 0;
    int error;
    enum odp_status status = odp_file_look(path, &error);
    if (status == ODP_BAD) {
        wb_fault(fault, ODP_WORKBOOK_UNREADABLE, NULL, W_read_file_cannot_opened);
        fault->error = error;
    }
    if (status != ODP_OK)
        return status;
    w->bytes = odp_file_size_of(path);
    errno = 0;
    w->zip = zip_open(path, ZIP_RDONLY, &code);
    error = errno;
    if (w->zip != NULL)
        return ODP_OK;
    if (code == ZIP_ER_MEMORY)
        return odp_failure_memory();
    if (code == ZIP_ER_NOZIP)
        return wb_not_zip(path, fault);
    if (code == ZIP_ER_OPEN || code == ZIP_ER_READ || code == ZIP_ER_NOENT || code == ZIP_ER_SEEK) {
        wb_fault(fault, ODP_WORKBOOK_UNREADABLE, NULL, W_read_file_cannot_read);
        fault->error = error;
        return ODP_BAD;
    }
    return WB_DAMAGED(fault, NULL, W_read_zip_archive_damaged_cut_off);
}

struct listing {
    const struct wb_rel *rels;
    bool is_workbook;
};

static const struct wb_rel *find_rel(const struct wb_rel *r, const char *id, const char *type)
{
    for (; r != NULL; r = r->next)
        if ((id == NULL || strcmp(r->id, id) == 0) && (type == NULL || strcmp(r->type, type) == 0))
            return r;
    return NULL;
}

/* r:id, whatever the prefix is called. */
static const char *relation(const char **attributes)
{
    for (; attributes[0] != NULL; attributes += 2) {
        const char *colon = strchr(attributes[0], ':');
        if (colon != NULL && strcmp(colon + 1, "id") == 0)
            return attributes[1];
    }
    return NULL;
}

static void add_sheet(struct wb_xml *x, struct listing *l, const char **attributes)
{
    struct odp_workbook *w = x->in.w;
    const char *name = wb_attribute(attributes, "name"), *id = relation(attributes),
               *state = wb_attribute(attributes, "state");
    const struct wb_rel *rel = id != NULL ? find_rel(l->rels, id, NULL) : NULL;
    if (name == NULL || rel == NULL) {
        wb_xml_stop(x, ODP_WORKBOOK_DAMAGED, W_read_sheet_without_name_without_content);
        return;
    }
    if (strcmp(rel->type, "worksheet") != 0)
        return; /* charts, dialogs, macros */
    if (rel->external) {
        wb_xml_stop(x, ODP_WORKBOOK_DAMAGED, W_read_sheet_lies_outside_file);
        return;
    }
    if (w->nsheets >= WB_SHEETS_MAX) {
        wb_xml_stop(x, ODP_WORKBOOK_TOO_LARGE, W_read_too_many_sheets);
        return;
    }
    w->sheets = odp_arena_more(&w->arena, w->sheets, w->nsheets, sizeof(*w->sheets));
    w->sheets[w->nsheets++] = (struct wb_sheet){odp_arena_str(&w->arena, name), rel->part,
                                                state != NULL && strcmp(state, "visible") != 0};
}

static void workbook_start(struct wb_xml *x, const char *name, const char **attributes)
{
    struct listing *l = x->ctx;
    if (x->depth == 1) {
        l->is_workbook = strcmp(name, "workbook") == 0;
        if (!l->is_workbook)
            wb_xml_stop(x, ODP_WORKBOOK_NOT_XLSX, W_read_xml_but_not_workbook);
    } else if (strcmp(name, "workbookPr") == 0) {
        x->in.w->from_1904 = wb_is_true(wb_attribute(attributes, "date1904"));
    } else if (strcmp(name, "sheet") == 0 && x->depth == 3) {
        add_sheet(x, l, attributes);
    }
}

static enum odp_status read_workbook(struct odp_workbook *w, struct odp_workbook_fault *fault)
{
    static const struct wb_events events = {.start = workbook_start};
    struct wb_rel *rels;
    enum odp_status status = wb_index(w, fault);
    if (status == ODP_OK)
        status = wb_rels(w, "", &rels, fault);
    if (status != ODP_OK)
        return status;
    const struct wb_rel *main_rel = find_rel(rels, NULL, "officeDocument");
    const char *part = main_rel != NULL && !main_rel->external ? main_rel->part : NULL;
    size_t n = part != NULL ? strlen(part) : 0;
    if (part == NULL || wb_find(w, part) == NULL || (n > 4 && strcmp(part + n - 4, ".bin") == 0))
        return wb_not_xlsx(w, part, fault);
    struct listing l = {0};
    status = wb_rels(w, part, &rels, fault);
    l.rels = rels;
    if (status == ODP_OK)
        status = wb_xml_run(w, part, &events, &l, false, fault);
    if (status == ODP_BAD && fault->kind == ODP_WORKBOOK_NOT_XLSX)
        return wb_not_xlsx(w, part, fault);
    if (status != ODP_OK)
        return status;
    const struct wb_rel *strings = find_rel(rels, NULL, "sharedStrings"),
                        *styles = find_rel(rels, NULL, "styles");
    w->strings_part =
        strings != NULL && !strings->external && wb_find(w, strings->part) != NULL ? strings->part : NULL;
    w->styles_part =
        styles != NULL && !styles->external && wb_find(w, styles->part) != NULL ? styles->part : NULL;
    if (w->nsheets == 0)
        return WB_DAMAGED(fault, part, W_read_there_no_worksheet);
    return ODP_OK;
}

enum odp_status odp_workbook_open(struct odp_workbook **out, const char *path,
                                  const struct odp_workbook_limits *limits, struct odp_workbook_fault *fault)
{
    *out = NULL;
    *fault = (struct odp_workbook_fault){0};
    struct odp_workbook *w = calloc(1, sizeof(*w));
    if (w == NULL)
        return odp_failure_memory();
    settle_limits(&w->limits, limits);
    enum odp_status status = open_zip(w, path, fault);
    if (status == ODP_OK)
        status = read_workbook(w, fault);
    if (status == ODP_OK)
        *out = w;
    else
        odp_workbook_close(w);
    return status;
}

void odp_workbook_close(struct odp_workbook *w)
{
    if (w == NULL)
        return;
    if (w->zip != NULL)
        zip_discard(w->zip);
    free(w->strings.end);
    odp_buffer_release(&w->strings.text);
    odp_arena_release(&w->arena);
    free(w);
}

size_t odp_workbook_sheets(const struct odp_workbook *w)
{
    return w->nsheets;
}

const char *odp_workbook_sheet_name(const struct odp_workbook *w, size_t sheet)
{
    return sheet < w->nsheets ? w->sheets[sheet].name : "";
}

bool odp_workbook_sheet_hidden(const struct odp_workbook *w, size_t sheet)
{
    return sheet < w->nsheets && w->sheets[sheet].hidden;
}

int odp_workbook_find(const struct odp_workbook *w, const char *name)
{
    for (size_t i = 0; i < w->nsheets; i++)
        if (strcmp(w->sheets[i].name, name) == 0)
            return (int)i;
    return -1;
}

uint64_t odp_workbook_bytes(const struct odp_workbook *w)
{
    return w->bytes;
}

bool odp_workbook_from_1904(const struct odp_workbook *w)
{
    return w->from_1904;
}
