/* What all sheets are written with. */
#include "base/utf8.h"
#include "repair/entry_workbook/entry_internal.h"

const char *entry_text(struct entry *e, struct odp_slice s, size_t most)
{
    odp_buffer_clear(&e->text);
    for (size_t i = 0; i < s.len && e->text.len < most; i++)
        odp_buffer_add_char(&e->text, (unsigned char)s.ptr[i] < ' ' && s.ptr[i] != '\n' ? ' ' : s.ptr[i]);
    if (!e->text.failed)
        e->text.len = odp_utf8_valid(odp_buffer_slice(&e->text)); /* not in the middle of a character */
    return odp_buffer_cstr(&e->text);
}

lxw_format *entry_format(struct entry *e)
{
    lxw_format *f = workbook_add_format(e->workbook);
    if (f == NULL)
        entry_note(e, LXW_ERROR_MEMORY_MALLOC_FAILED);
    return f != NULL ? f : STAILQ_FIRST(e->workbook->formats);
}

lxw_worksheet *entry_sheet(struct entry *e, const char *name)
{
    lxw_worksheet *sheet = workbook_add_worksheet(e->workbook, name);
    if (sheet == NULL)
        entry_note(e, LXW_ERROR_MEMORY_MALLOC_FAILED);
    return sheet;
}
