/* The correction workbook: what is wrong with the sources, in the steward's own rows.
 *
 * It holds private values, so nobody else may read it (mode 0600 from its first byte on). It is written beside its name and takes it when it is whole: the
 * library does not look whether its writing succeeds, so every sheet's temporary file is asked, and the finished workbook is read back, row for row, by
 * the reader that `apply` uses. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/temporary.h"
#include "read/xlsx/workbook/workbook.h"
#include "repair/workbook/workbook_internal.h"

/* ---- looks ---------------------------------------------------------------------------------------------------------------------------- */

static lxw_format *look(struct book *b, bool *failed)
{
    lxw_format *f = workbook_add_format(b->workbook);
    if (f == NULL) {
        *failed = true;
        return NULL;
    }
    format_set_align(f, LXW_ALIGN_VERTICAL_TOP);
    format_set_num_format(f, "@");
    return f;
}

static lxw_format *filled(struct book *b, bool *failed, lxw_color_t back, lxw_color_t front)
{
    lxw_format *f = look(b, failed);
    if (f != NULL) {
        format_set_bg_color(f, back);
        format_set_font_color(f, front);
        format_set_border(f, LXW_BORDER_THIN);
        format_set_border_color(f, 0xD0D0D0);
    }
    return f;
}

static lxw_format *header(struct book *b, bool *failed, lxw_color_t back)
{
    lxw_format *f = look(b, failed);
    if (f != NULL) {
        format_set_bold(f);
        format_set_text_wrap(f);
        format_set_bg_color(f, back);
        format_set_bottom(f, LXW_BORDER_MEDIUM);
        format_set_bottom_color(f, 0x1F3864);
    }
    return f;
}

static enum odp_status make_looks(struct book *b)
{
    struct book_looks *l = &b->looks;
    bool failed = false;
    l->title = look(b, &failed);
    l->text = look(b, &failed);
    l->bold = look(b, &failed);
    l->section = look(b, &failed);
    l->number = look(b, &failed);
    l->plain = look(b, &failed);
    l->context = look(b, &failed);
    l->context_line = look(b, &failed);
    l->problem = look(b, &failed);
    l->head = header(b, &failed, 0xDCE6F1);
    l->head_own = header(b, &failed, 0xE7E6E6);
    l->head_proposal = header(b, &failed, 0xE2EFDA);
    l->proposal = filled(b, &failed, 0xE2EFDA, 0x1E5128);
    l->action = filled(b, &failed, 0xFFFFFF, 0x000000);
    static const lxw_color_t colors[][2] = {{0xFFFFFF, 0x000000}, {0xDDEBF7, 0x1F3864}, {0xFFEB9C, 0x7A4B00}, {0xFFC7CE, 0x9C0006}};
    for (size_t i = 0; i <= ODP_SEVERITY_ERROR; i++) {
        l->bad[i] = filled(b, &failed, colors[i][0], colors[i][1]);
        l->line[i] = filled(b, &failed, colors[i][0], colors[i][1]);
    }
    if (failed)
        return book_failed(b, LXW_ERROR_MEMORY_MALLOC_FAILED);
    format_set_font_size(l->title, 16);
    format_set_bold(l->title);
    format_set_font_color(l->title, 0x1F3864);
    format_set_font_size(l->section, 12);
    format_set_bold(l->section);
    format_set_font_color(l->section, 0x1F3864);
    format_set_bold(l->bold);
    format_set_text_wrap(l->text);
    format_set_align(l->number, LXW_ALIGN_RIGHT);
    format_set_indent(l->number, 1);
    lxw_format *const grey[] = {l->context, l->context_line};
    for (size_t i = 0; i < 2; i++) {
        format_set_font_color(grey[i], 0x707070);
        format_set_bg_color(grey[i], 0xF2F2F2);
    }
    format_set_align(l->context_line, LXW_ALIGN_RIGHT);
    for (size_t i = 0; i <= ODP_SEVERITY_ERROR; i++)
        format_set_align(l->line[i], LXW_ALIGN_RIGHT);
    format_set_text_wrap(l->problem);
    return ODP_OK;
}

/* ---- which resources -------------------------------------------------------------------------------------------------------------------- */

static bool name_taken(const struct book *b, const char *name)
{
    for (size_t i = 0; i < b->nsheets; i++)
        if (b->sheets[i].name != NULL && strcasecmp(b->sheets[i].name, name) == 0)
            return true;
    return strcasecmp(name, book_about_name(b)) == 0 || strcasecmp(name, book_lists_name(b)) == 0 || strcasecmp(name, CORRECT_META) == 0;
}

/* The slug, and the resource's name where that is another: letters, digits and hyphens, 31 of them at most. */
static const char *sheet_name(struct book *b, const struct odp_resource *r)
{
    char name[32];
    for (unsigned k = 1;; k++) {
        char end[12] = "";
        if (k > 1)
            (void)snprintf(end, sizeof end, "-%u", k);
        int most = 31 - (int)strlen(end);
        const char *slug = r->dataset->reference && strncmp(r->dataset->slug, "references/", 11) == 0 ? r->dataset->slug + 11 : r->dataset->slug;
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
    char *data = s->path != NULL ? correct_data_file(s->path, &b->arena) : NULL;
    if (data == NULL || (s->name = sheet_name(b, r)) == NULL)
        return ODP_FAIL;
    b->nsheets++;
    if (odp_file_kind_of(data) == ODP_FILE_REGULAR && odp_file_digest(data, &info) == ODP_OK)
        odp_digest_hex(info.sha256, s->sha256);
    enum odp_status status = book_plan(b, s);
    s->here = s->bad > 0;
    return status;
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

/* ---- closing ------------------------------------------------------------------------------------------------------------------------------ */

/* What is in the temporary files, all of it; decides on ZIP64 by that. */
static enum odp_status flush(struct book *b)
{
    uint64_t sum = 0;
    lxw_worksheet *sheet;
    STAILQ_FOREACH (sheet, b->workbook->worksheets, list_pointers) {
        errno = 0;
        lxw_worksheet_write_single_row(sheet);
        off_t at = fflush(sheet->optimize_tmpfile) == 0 ? ftello(sheet->optimize_tmpfile) : -1;
        if (at < 0 || ferror(sheet->optimize_tmpfile))
            return book_failed(b, LXW_ERROR_CREATING_TMPFILE);
        sum += (uint64_t)at;
    }
    b->workbook->options.use_zip64 = sum > UINT64_C(4000000000);
    return ODP_OK;
}

static void drop_workbook(struct book *b)
{
    lxw_worksheet *sheet;
    if (b->workbook == NULL)
        return;
    STAILQ_FOREACH (sheet, b->workbook->worksheets, list_pointers)
        if (sheet->optimize_tmpfile != NULL)
            (void)fclose(sheet->optimize_tmpfile); /* nobody reads it any more */
    lxw_workbook_free(b->workbook);
    b->workbook = NULL;
}

/* Row for row: every sheet whole, and as many rows of records as were written. */
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
            if (b->sheets[k].sheet != NULL && strcmp(b->sheets[k].name, name) == 0 && rows != b->sheets[k].row)
                status = ODP_BAD;
    }
    odp_workbook_close(w);
    return status == ODP_BAD ? odp_failure_set("workbook is incomplete (is the disk full?)", b->path, EIO) : status;
}

static enum odp_status close_workbook(struct book *b)
{
    enum odp_status status = flush(b);
    if (status != ODP_OK)
        return status;
    lxw_workbook *workbook = b->workbook;
    b->workbook = NULL; /* it is freed in every case */
    errno = 0;
    lxw_error error = workbook_close(workbook);
    if (error != LXW_NO_ERROR)
        return book_failed(b, error);
    status = read_back(b);
    return status == ODP_OK ? odp_file_seal(b->place, NULL) : status;
}

/* ---- the whole --------------------------------------------------------------------------------------------------------------------------- */

static char *folder_of(struct odp_arena *a, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL)
        return odp_arena_str(a, ".");
    struct odp_slice s = odp_arena_copy(a, (struct odp_slice){path, slash == path ? 1 : (size_t)(slash - path)});
    return (char *)s.ptr;
}

static enum odp_status open_workbook(struct book *b)
{
    struct odp_file *file = NULL;
    char *place = odp_temporary_of(&b->arena, b->path, ".tmp"), *folder = folder_of(&b->arena, b->path);
    if (place == NULL || folder == NULL)
        return ODP_FAIL;
    /* Made by us, so that nobody else can read it; the library then writes into it. */
    if (odp_file_create(&file, place, 0600) != ODP_OK)
        return ODP_FAIL;
    b->place = place;
    if (odp_file_close(file, NULL) != ODP_OK)
        return ODP_FAIL;
    lxw_workbook_options options = {.constant_memory = LXW_TRUE, .tmpdir = folder};
    errno = 0;
    b->workbook = workbook_new_opt(place, &options);
    return b->workbook != NULL ? ODP_OK : book_failed(b, LXW_ERROR_MEMORY_MALLOC_FAILED);
}

static enum odp_status write_all(struct book *b)
{
    enum odp_status status = make_looks(b);
    if (status == ODP_OK && (b->about = book_sheet_add(b, book_about_name(b))) == NULL)
        status = ODP_FAIL;
    for (size_t i = 0; i < b->nsheets && status == ODP_OK; i++)
        if (b->sheets[i].here)
            status = book_rows_put(b, &b->sheets[i]);
    if (status == ODP_OK)
        status = book_lists_put(b);
    if (status == ODP_OK && (b->meta = book_sheet_add(b, CORRECT_META)) == NULL)
        status = ODP_FAIL;
    if (status == ODP_OK)
        status = book_about_put(b);
    if (status == ODP_OK)
        status = book_meta_put(b);
    return status == ODP_OK ? close_workbook(b) : status;
}

enum odp_status odp_correct_write(struct odp_faults *f, const struct odp_correct_options *o, const char *path)
{
    struct book b = {.o = o, .path = path};
    odp_arena_init(&b.arena);
    odp_buffer_init(&b.text);
    odp_buffer_init(&b.cell);
    enum odp_status status = odp_diags_new(&b.diags, 0);
    if (status == ODP_OK)
        status = plan(&b, f);
    if (status == ODP_OK)
        status = open_workbook(&b);
    if (status == ODP_OK)
        status = write_all(&b);
    drop_workbook(&b);
    if (status == ODP_OK)
        status = odp_file_rename(b.place, path);
    if (status != ODP_OK && b.place != NULL)
        (void)unlink(b.place);
    odp_diags_free(b.diags);
    odp_buffer_release(&b.cell);
    odp_buffer_release(&b.text);
    odp_arena_release(&b.arena);
    return status == ODP_OK ? ODP_OK : ODP_FAIL;
}
