/* The correction workbook: what is wrong with the sources, in the steward's own rows.
 *
 * It holds private values, so nobody else may read it (mode 0600 from its first byte on). It is written next
 * to its name and takes it when complete: the library does not check its writes, so every sheet's temporary
 * file is examined, and the finished workbook is read back, row for row, by the reader that `apply` uses. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/temporary.h"
#include "read/xlsx/workbook/workbook.h"
#include "repair/workbook/workbook_internal.h"

/* ---- which resources ---- */

static bool name_taken(const struct book *b, const char *name)
{
    for (size_t i = 0; i < b->nsheets; i++)
        if (b->sheets[i].name != NULL && strcasecmp(b->sheets[i].name, name) == 0)
            return true;
    return strcasecmp(name, book_about_name(b)) == 0 || strcasecmp(name, book_lists_name(b)) == 0 ||
           strcasecmp(name, CORRECT_META) == 0;
}

/* The slug, and the resource's name if that differs: at most 31 letters, digits and hyphens. */
static const char *sheet_name(struct book *b, const struct odp_resource *r)
{
    char name[32];
    for (unsigned k = 1;; k++) {
        char end[12] = "";
        if (k > 1)
            (void)snprintf(end, sizeof end, "-%u", k);
        int most = 31 - (int)strlen(end);
        const char *slug = r->dataset->slug;
        bool alone = strcmp(slug, r->name) == 0;
        char whole[160];
        (void)snprintf(whole, sizeof whole, "%s%s%s", slug, alone ? "" : ".", alone ? "" : r->name);
        (void)snprintf(name, sizeof name, "%.*s%s", most, whole, end);
        for (char *p = name; *p != '\0'; p++)
            if (strchr("[]:*?/\\'", *p) != NULL)
                *p = '-';
        if (!name_taken(b, name))
            return odp_arena_str(&b->arena, name);
    }
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
    char *data = correct_data_file(s->path, &b->arena);
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

/* ---- closing ---- */

/* Flushes the temporary files; their size decides on ZIP64. */
static void flush(struct book *b)
{
    uint64_t sum = 0;
    lxw_worksheet *sheet;
    STAILQ_FOREACH(sheet, b->workbook->worksheets, list_pointers)
    {
        errno = 0;
        lxw_worksheet_write_single_row(sheet);
        off_t at = fflush(sheet->optimize_tmpfile) == 0 ? ftello(sheet->optimize_tmpfile) : -1;
        if (at < 0 || ferror(sheet->optimize_tmpfile))
            book_note(b, LXW_ERROR_CREATING_TMPFILE);
        sum += at > 0 ? (uint64_t)at : 0;
    }
    b->workbook->options.use_zip64 = sum > UINT64_C(4000000000);
}

static void discard_workbook(struct book *b)
{
    lxw_worksheet *sheet;
    if (b->workbook == NULL)
        return;
    STAILQ_FOREACH(sheet, b->workbook->worksheets, list_pointers)
    if (sheet->optimize_tmpfile != NULL)
        (void)fclose(sheet->optimize_tmpfile); /* nobody reads it any more */
    lxw_workbook_free(b->workbook);
    b->workbook = NULL;
}

/* Reads every sheet back: it must have as many rows as were written. */
static enum odp_status read_back(const struct book *b)
{
    struct odp_workbook *w = NULL;
    struct odp_workbook_fault fault = {0};
    const struct odp_workbook_limits limits = {.part_bytes = UINT64_MAX / 2, .ratio = UINT32_MAX};
    enum odp_status status = odp_workbook_open(&w, b->place, &limits, &fault);
    for (size_t i = 0; status == ODP_OK && i < odp_workbook_sheets(w); i++) {
        const char *name = odp_workbook_sheet_name(w, i);
        struct odp_sheet *sheet = NULL;
        struct odp_sheet_row row;
        uint64_t rows = 0;
        status = odp_sheet_open(&sheet, w, i, &fault);
        while (status == ODP_OK && (status = odp_sheet_next(sheet, &row, &fault)) == ODP_OK)
            rows++;
        odp_sheet_close(sheet);
        status = status == ODP_DONE ? ODP_OK : status;
        for (size_t k = 0; k < b->nsheets && status == ODP_OK; k++)
            if (b->sheets[k].sheet != NULL && strcmp(b->sheets[k].name, name) == 0 &&
                rows != b->sheets[k].row)
                status = ODP_BAD;
    }
    odp_workbook_close(w);
    return status == ODP_BAD ? odp_failure_set("workbook is incomplete (is the disk full?)", b->path, EIO)
                             : status;
}

static enum odp_status close_workbook(struct book *b)
{
    flush(b);
    if (book_status(b) != ODP_OK)
        return ODP_FAIL;
    lxw_workbook *workbook = b->workbook;
    b->workbook = NULL; /* freed in every case */
    errno = 0;
    book_note(b, workbook_close(workbook));
    enum odp_status status = b->status == ODP_OK ? read_back(b) : ODP_FAIL;
    return status == ODP_OK ? odp_file_seal(b->place, NULL) : status;
}

/* ---- the whole ---- */

static enum odp_status open_workbook(struct book *b)
{
    struct odp_file *file = NULL;
    char *place = odp_temporary_of(&b->arena, b->path, ".tmp"), *folder = odp_arena_str(&b->arena, b->path),
         *slash = strrchr(folder, '/');
    if (slash == NULL)
        folder = odp_arena_str(&b->arena, ".");
    else
        slash[slash == folder] = '\0';
    /* Made by us, so that nobody else can read it; the library then writes into it. */
    if (place == NULL || odp_file_create(&file, place, 0600) != ODP_OK)
        return ODP_FAIL;
    b->place = place;
    if (odp_file_close(file, NULL) != ODP_OK)
        return ODP_FAIL;
    lxw_workbook_options options = {.constant_memory = LXW_TRUE, .tmpdir = folder};
    errno = 0;
    b->workbook = workbook_new_opt(place, &options);
    if (b->workbook == NULL)
        book_note(b, LXW_ERROR_MEMORY_MALLOC_FAILED);
    return b->status;
}

static enum odp_status write_all(struct book *b)
{
    enum odp_status status = ODP_OK;
    book_make_looks(b);
    b->about = book_sheet_add(b, book_about_name(b));
    for (size_t i = 0; i < b->nsheets && status == ODP_OK && b->status == ODP_OK; i++)
        if (b->sheets[i].bad > 0)
            status = book_rows_put(b, &b->sheets[i]);
    if (status == ODP_OK && b->status == ODP_OK)
        book_lists_put(b);
    if (status == ODP_OK && b->status == ODP_OK)
        b->meta = book_sheet_add(b, CORRECT_META);
    if (b->meta == NULL || b->about == NULL)
        return ODP_FAIL;
    book_about_put(b);
    book_meta_put(b);
    return close_workbook(b);
}

enum odp_status odp_correct_write(struct odp_faults *f, const struct odp_correct_options *o, const char *path)
{
    struct book b = {.o = o, .path = path};
    enum odp_status status = odp_diags_new(&b.diags, 0);
    if (status == ODP_OK)
        status = plan(&b, f);
    if (status == ODP_OK)
        status = open_workbook(&b);
    if (status == ODP_OK)
        status = write_all(&b);
    discard_workbook(&b);
    if (status == ODP_OK)
        status = odp_file_rename(b.place, path);
    if (status != ODP_OK && b.place != NULL)
        (void)unlink(b.place);
    odp_diags_free(b.diags);
    odp_buffer_release(&b.faults);
    odp_buffer_release(&b.shown);
    odp_buffer_release(&b.cell);
    odp_buffer_release(&b.text);
    odp_arena_release(&b.arena);
    return status == ODP_OK ? ODP_OK : ODP_FAIL;
}
