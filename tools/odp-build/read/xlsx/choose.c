/* Which sheet is read, and what is wrong with a workbook as a file. */
#include <errno.h>
#include <stdio.h>
#include <strings.h>

#include "read/xlsx/xlsx_internal.h"
#include "words/read.h"

void xlsx_file_diag(const struct xlsx_source *s, enum odp_code code, struct odp_diag *d)
{
    const struct odp_resource *r = s->base.resource;
    *d = (struct odp_diag){.code = code, .resource = r->name, .file = s->base.info.file, .where = r->where};
    if (r->dataset != NULL)
        d->dataset = r->dataset->slug;
}

static enum odp_code code_of(enum odp_workbook_fault_kind kind)
{
    switch (kind) {
    case ODP_WORKBOOK_UNREADABLE:
        return ODP_F02;
    case ODP_WORKBOOK_NOT_ZIP:
    case ODP_WORKBOOK_NOT_XLSX:
        return ODP_F03;
    case ODP_WORKBOOK_ENCRYPTED:
        return ODP_F11;
    case ODP_WORKBOOK_TOO_LARGE:
        return ODP_F12;
    case ODP_WORKBOOK_DAMAGED:
        break;
    }
    return ODP_F10;
}

/* Arguments are the same in both languages; a message that is not is put together here. */
static void in_words(const struct odp_workbook_fault *f, enum odp_code code, struct odp_arena *a,
                     struct odp_text *out)
{
    static const struct odp_text wrong = {{W_read_not_workbook_xlsx_holds_save}};
    static const struct odp_text damaged = {{W_read_workbook_damaged}};
    static const struct odp_text large = {{W_read_workbook_beyond_limit}};
    const struct odp_text *form = code == ODP_F03 ? &wrong : &damaged;
    form = code == ODP_F12 ? &large : form;
    for (int lang = 0; lang < ODP_LANGS; lang++) {
        const char *words = odp_text_get(form, (enum odp_lang)lang),
                   *what = odp_text_get(&f->what, (enum odp_lang)lang);
        const char *at = strstr(words, "%s");
        out->in[lang] = odp_arena_printf(a, "%.*s%s%s", (int)(at - words), words, what, at + 2);
    }
}

enum odp_status xlsx_say_fault(const struct xlsx_source *s, const struct odp_workbook_fault *f,
                               struct odp_diags *diags)
{
    struct odp_diag d;
    struct odp_arena a = {0};
    struct odp_text message;
    enum odp_code code = code_of(f->kind);
    xlsx_file_diag(s, code, &d);
    d.sheet = s->sheet != NULL ? s->name : NULL;
    if (code == ODP_F02) {
        d.args[0] = odp_slice_of(f->error != 0 ? strerrorname_np(f->error) : "");
    } else if (code != ODP_F11) {
        in_words(f, code, &a, &message);
        d.message = &message;
    }
    if (code == ODP_F03)
        d.args[0] = ODP_LIT(".xlsx");
    if (code == ODP_F10 || code == ODP_F12)
        d.args[1] = odp_slice_of(f->part[0] != '\0' ? f->part : "—");
    odp_diags_add(diags, &d);
    odp_arena_release(&a);
    return ODP_BAD;
}

/* "Data, Rekap": those that are shown, or all. */
static void list_sheets(const struct xlsx_source *s, bool shown_only, struct odp_buffer *out)
{
    size_t n = odp_workbook_sheets(s->book);
    for (size_t i = 0; i < n; i++) {
        if (shown_only && odp_workbook_sheet_hidden(s->book, i))
            continue;
        if (out->len > 300) {
            odp_buffer_add_str(out, ", …");
            break;
        }
        if (out->len > 0)
            odp_buffer_add_str(out, ", ");
        odp_buffer_add_str(out, odp_workbook_sheet_name(s->book, i));
    }
}

static enum odp_status say(const struct xlsx_source *s, enum odp_code code, const char *wanted,
                           const char *near, struct odp_diags *diags)
{
    struct odp_diag d;
    struct odp_buffer names = {0};
    xlsx_file_diag(s, code, &d);
    list_sheets(s, code == ODP_F14, &names);
    d.args[0] = odp_slice_of(wanted);
    d.args[1] = odp_buffer_slice(&names);
    if (near != NULL)
        d.proposal = odp_slice_of(near);
    odp_diags_add(diags, &d);
    odp_buffer_release(&names);
    return ODP_BAD;
}

static const char *nearest(const struct xlsx_source *s, const char *name)
{
    for (size_t i = 0; i < odp_workbook_sheets(s->book); i++) {
        struct odp_slice a = odp_slice_trim(odp_slice_of(odp_workbook_sheet_name(s->book, i))),
                         b = odp_slice_trim(odp_slice_of(name));
        if (odp_slice_alike(a, b))
            return odp_workbook_sheet_name(s->book, i);
    }
    for (size_t i = 0; i < odp_workbook_sheets(s->book) && strlen(name) >= 4; i++) {
        struct odp_slice other = odp_slice_of(odp_workbook_sheet_name(s->book, i));
        if (odp_nearest(odp_slice_of(name), &other, 1, 2) == 0)
            return odp_workbook_sheet_name(s->book, i);
    }
    return NULL;
}

static void take(struct xlsx_source *s, size_t number)
{
    s->number = number;
    s->name = odp_workbook_sheet_name(s->book, number);
}

/* Sheets have names of at most 31 characters: of a resource's only so much can be in one. */
static bool is_named(const char *sheet, const char *resource)
{
    size_t n = strlen(resource);
    return strncasecmp(sheet, resource, 31) == 0 && strlen(sheet) == (n < 31 ? n : 31);
}

enum odp_status xlsx_choose(struct xlsx_source *s, struct odp_diags *diags)
{
    const struct odp_dialect *d = s->dialect;
    size_t n = odp_workbook_sheets(s->book), shown = 0, only = 0;
    if (d->sheet_name != NULL) {
        int at = odp_workbook_find(s->book, d->sheet_name);
        if (at < 0)
            return say(s, ODP_F13, d->sheet_name, nearest(s, d->sheet_name), diags);
        take(s, (size_t)at);
        return ODP_OK;
    }
    if (d->sheet_number > 0) {
        char text[24];
        snprintf(text, sizeof(text), "%u", d->sheet_number);
        if (d->sheet_number > n)
            return say(s, ODP_F13, text, NULL, diags);
        take(s, d->sheet_number - 1);
        return ODP_OK;
    }
    for (size_t i = 0; i < n; i++) {
        if (is_named(odp_workbook_sheet_name(s->book, i), s->base.resource->name)) {
            take(s, i);
            return ODP_OK;
        }
        if (!odp_workbook_sheet_hidden(s->book, i)) {
            shown++;
            only = i;
        }
    }
    if (n != 1 && shown != 1)
        return say(s, ODP_F14, s->base.resource->name, NULL, diags);
    take(s, shown == 1 ? only : 0);
    return ODP_OK;
}
