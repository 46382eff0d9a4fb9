/* Recognises files that are not the workbooks their names claim: people rename files, and programs write
 * other formats than their names say. */

#include "base/file.h"
#include "base/utf8.h"
#include "read/xlsx/workbook/workbook_internal.h"
#include "words/read.h"

enum { HEAD = 1024 * 1024 };

static bool has(const struct odp_buffer *b, const char *bytes, size_t n)
{
    return b->len >= n && memmem(b->ptr, b->len, bytes, n) != NULL;
}

static bool begins(struct odp_slice s, const char *word)
{
    size_t n = strlen(word);
    if (s.len < n)
        return false;
    for (size_t i = 0; i < n; i++) {
        char c = s.ptr[i];
        if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != word[i])
            return false;
    }
    return true;
}

/* Microsoft's compound files hold the old .xls, and workbooks that are locked. Names of streams are UTF-16.
 */
static enum odp_status compound(const struct odp_buffer *b, struct odp_workbook_fault *fault)
{
    static const char locked[] = "E\0n\0c\0r\0y\0p\0t\0e\0d\0P\0a\0c\0k\0a\0g\0e",
                      book[] = "W\0o\0r\0k\0b\0o\0o\0k", old[] = "B\0o\0o\0k";
    if (has(b, locked, sizeof(locked) - 1))
        return wb_fault(fault, ODP_WORKBOOK_ENCRYPTED, NULL, W_read_locked_by_password);
    if (has(b, book, sizeof(book) - 1) || has(b, old, sizeof(old) - 1))
        return wb_fault(fault, ODP_WORKBOOK_NOT_ZIP, NULL, W_read_old_excel_file_xls);
    return wb_fault(fault, ODP_WORKBOOK_NOT_ZIP, NULL, W_read_old_office_file);
}

static enum odp_status by_text(struct odp_slice s, struct odp_workbook_fault *fault)
{
    if (s.len >= 3 && memcmp(s.ptr, "\xEF\xBB\xBF", 3) == 0)
        s.ptr += 3, s.len -= 3;
    struct odp_slice t = odp_slice_trim(s);
    if (t.len == 0)
        return wb_fault(fault, ODP_WORKBOOK_NOT_ZIP, NULL, W_read_empty_file);
    if (begins(t, "<?xml") &&
        memmem(t.ptr, t.len, "urn:schemas-microsoft-com:office:spreadsheet", 44) != NULL)
        return wb_fault(fault, ODP_WORKBOOK_NOT_ZIP, NULL, W_read_xml_spreadsheet_2003);
    if (begins(t, "<!doctype html") || begins(t, "<html") || begins(t, "<table") || begins(t, "<meta") ||
        begins(t, "<div"))
        return wb_fault(fault, ODP_WORKBOOK_NOT_ZIP, NULL, W_read_web_page_html);
    if (begins(t, "%pdf"))
        return wb_fault(fault, ODP_WORKBOOK_NOT_ZIP, NULL, W_read_a_pdf);
    if (t.ptr[0] == '<')
        return wb_fault(fault, ODP_WORKBOOK_NOT_ZIP, NULL, "XML", "XML");
    if ((t.ptr[0] == '{' || t.ptr[0] == '[') && memchr(t.ptr, '"', t.len) != NULL)
        return wb_fault(fault, ODP_WORKBOOK_NOT_ZIP, NULL, "JSON", "JSON");
    /* Text in any of the encodings programs write: no zero bytes, or UTF-16's mark. */
    bool wide = s.len >= 2 && (memcmp(s.ptr, "\xFF\xFE", 2) == 0 || memcmp(s.ptr, "\xFE\xFF", 2) == 0);
    if (wide || memchr(s.ptr, '\0', s.len) == NULL)
        return wb_fault(fault, ODP_WORKBOOK_NOT_ZIP, NULL, W_read_plain_text_perhaps_csv);
    return wb_fault(fault, ODP_WORKBOOK_NOT_ZIP, NULL, W_read_file_unknown_kind);
}

/* The first bytes of PATH. */
static enum odp_status read_head(const char *path, struct odp_buffer *b, struct odp_workbook_fault *fault)
{
    struct odp_reader *r;
    int error = 0;
    enum odp_status status = odp_reader_open(&r, path, &error);
    if (status == ODP_BAD) {
        wb_fault(fault, ODP_WORKBOOK_UNREADABLE, NULL, W_read_file_cannot_opened);
        fault->error = error;
    }
    if (status != ODP_OK)
        return status;
    while (status == ODP_OK && b->len < HEAD) {
        size_t got = 0;
        char *room = odp_buffer_reserve(b, WB_CHUNK);
        status = room == NULL ? ODP_FAIL : odp_reader_read(r, room, WB_CHUNK, &got);
        b->len += got;
    }
    odp_reader_close(r);
    return status == ODP_DONE ? ODP_OK : status;
}

enum odp_status wb_not_zip(const char *path, struct odp_workbook_fault *fault)
{
    struct odp_buffer b = {0};
    enum odp_status status = read_head(path, &b, fault);
    if (status == ODP_OK) {
        if (b.len >= 8 && memcmp(b.ptr, "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", 8) == 0)
            status = compound(&b, fault);
        else if (b.len >= 4 && memcmp(b.ptr, "PK\3\4", 4) == 0)
            status = WB_DAMAGED(fault, NULL, W_read_zip_archive_damaged_cut_off);
        else if (b.len >= 4 && b.ptr[0] == '\x09' && b.ptr[1] <= 8 && (b.ptr[1] & 1) == 0 && b.ptr[3] == 0)
            status = wb_fault(fault, ODP_WORKBOOK_NOT_ZIP, NULL, W_read_old_excel_file_xls);
        else
            status = by_text(odp_buffer_slice(&b), fault);
    }
    odp_buffer_release(&b);
    return status;
}

static bool holds(const struct odp_workbook *w, const char *folder, const char *ending)
{
    size_t e = strlen(ending), f = strlen(folder);
    for (size_t i = 0; i < w->nentries; i++) {
        const char *name = w->entries[i].name;
        size_t n = strlen(name);
        if (n >= e && strncmp(name, folder, f) == 0 && strcmp(name + n - e, ending) == 0)
            return true;
    }
    return false;
}

/* OpenDocument names its type in a separate part. */
static bool is_opendocument(const struct odp_workbook *w)
{
    char text[128] = "";
    const struct wb_entry *e = wb_find(w, "mimetype");
    zip_file_t *f = e != NULL ? zip_fopen_index(w->zip, e->index, 0) : NULL;
    if (f == NULL)
        return false;
    zip_int64_t n = zip_fread(f, text, sizeof(text) - 1);
    zip_fclose(f);
    return n > 0 && strstr(text, "opendocument.spreadsheet") != NULL;
}

enum odp_status wb_not_xlsx(const struct odp_workbook *w, const char *main_part,
                            struct odp_workbook_fault *fault)
{
    if (is_opendocument(w))
        return wb_fault(fault, ODP_WORKBOOK_NOT_XLSX, NULL, "OpenDocument (.ods)", "OpenDocument (.ods)");
    if (holds(w, "", "xl/workbook.bin"))
        return wb_fault(fault, ODP_WORKBOOK_NOT_XLSX, NULL, W_read_binary_excel_file_xlsb);
    if (holds(w, "word/", ".xml"))
        return wb_fault(fault, ODP_WORKBOOK_NOT_XLSX, NULL, W_read_word_document_docx);
    if (holds(w, "ppt/", ".xml"))
        return wb_fault(fault, ODP_WORKBOOK_NOT_XLSX, NULL, W_read_presentation_pptx);
    if (holds(w, "", ".shp"))
        return wb_fault(fault, ODP_WORKBOOK_NOT_XLSX, NULL, W_read_shapefile_zip_archive);
    if (holds(w, "", ".iwa"))
        return wb_fault(fault, ODP_WORKBOOK_NOT_XLSX, NULL, "Apple Numbers", "Apple Numbers");
    if (holds(w, "", ".xlsx"))
        return wb_fault(fault, ODP_WORKBOOK_NOT_XLSX, NULL, W_read_zip_archive_with_workbook_unpack);
    return wb_fault(fault, ODP_WORKBOOK_NOT_XLSX, main_part, W_read_zip_archive_not_workbook);
}
