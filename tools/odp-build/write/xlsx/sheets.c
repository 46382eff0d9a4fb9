/* The sheets of a workbook and how its cells look: what the emitter, its data and its describing sheets
 * share. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "words/xlsx.h"
#include "write/xlsx/xlsx_internal.h"

enum odp_status odp_xlsx_failed(const struct xlsx_emit *e, lxw_error error)
{
    int errnum = error == LXW_ERROR_MEMORY_MALLOC_FAILED ? ENOMEM : errno != 0 ? errno : EIO;
    return odp_failure_set("write workbook", e->place, errnum);
}

lxw_format *odp_xlsx_format(struct xlsx_emit *e)
{
    lxw_format *f = workbook_add_format(e->workbook);
    if (f == NULL)
        (void)odp_xlsx_failed(e, LXW_ERROR_MEMORY_MALLOC_FAILED);
    return f;
}

static struct xlsx_sheet *room_for_sheet(struct xlsx_emit *e)
{
    if (e->nsheets == e->sheets_cap) {
        size_t cap = e->sheets_cap != 0 ? e->sheets_cap * 2 : 8;
        struct xlsx_sheet *grown = odp_realloc_array(e->sheets, cap, sizeof *grown);
        if (grown == NULL)
            return NULL;
        e->sheets = grown;
        e->sheets_cap = cap;
    }
    return &e->sheets[e->nsheets];
}

enum odp_status odp_xlsx_sheet_add(struct xlsx_emit *e, const char *title, unsigned part, lxw_worksheet **out)
{
    static const char *const reserved[] = {XLSX_ABOUT};
    struct xlsx_sheet *s = room_for_sheet(e);
    if (s == NULL)
        return ODP_FAIL;
    const char *name =
        part == 0 ? title : odp_xlsx_sheet_name(title, part, e->sheets, e->nsheets, reserved, 1, &e->arena);
    if (name == NULL)
        return ODP_FAIL;
    errno = 0;
    *out = workbook_add_worksheet(e->workbook, name);
    if (*out == NULL || (*out)->optimize_tmpfile == NULL)
        return odp_xlsx_failed(e, LXW_ERROR_CREATING_TMPFILE);
    *s = (struct xlsx_sheet){*out, name, dup(fileno((*out)->optimize_tmpfile)), 0};
    if (s->copy < 0)
        return odp_xlsx_failed(e, LXW_ERROR_CREATING_TMPFILE);
    e->nsheets++;
    return ODP_OK;
}

/* Header and footer have codes of their own, which begin with '&'. */
static void add_foot_text(struct odp_buffer *out, const char *text)
{
    for (const char *p = text; *p != '\0'; p++)
        odp_buffer_add_str(out, *p == '&' ? "&&" : (const char[]){*p, '\0'});
}

enum odp_status odp_xlsx_print_setup(struct xlsx_emit *e, lxw_worksheet *sheet, lxw_row_t head)
{
    worksheet_set_landscape(sheet);
    worksheet_set_paper(sheet, 9); /* A4 */
    worksheet_fit_to_pages(sheet, 1, 0);
    worksheet_set_margins(sheet, 0.4, 0.4, 0.5, 0.6);
    const char *title = odp_xlsx_line(e->title, 60, &e->arena);
    if (title == NULL)
        return ODP_FAIL;
    odp_buffer_clear(&e->text);
    odp_buffer_add_str(&e->text, "&L&8");
    odp_buffer_add_char(&e->text, ' '); /* so that digits of the title are not the size's */
    add_foot_text(&e->text, title);
    odp_buffer_printf(&e->text, odp_word(ODP_LANG_ID, W_xlsx_foot_version), e->base.job->version);
    odp_buffer_printf(&e->text, "&R&8 %s", odp_word(ODP_LANG_ID, W_xlsx_foot_page));
    const char *foot = odp_buffer_cstr(&e->text);
    if (odp_buffer_status(&e->text) != ODP_OK)
        return ODP_FAIL;
    enum odp_status status = odp_xlsx_status(e, worksheet_set_footer(sheet, foot));
    if (status == ODP_OK && head > 0)
        status = odp_xlsx_status(e, worksheet_repeat_rows(sheet, 0, head - 1));
    return status;
}
