/* Files that are not CSV whatever their name says: one sentence about the file instead of faults about its bytes (ODP-F03). */
#include <strings.h>

#include "read/csv/reader.h"

enum { SNIFF = 512 };

static bool begins(struct odp_slice s, const char *text)
{
    size_t n = strlen(text);
    return s.len >= n && strncasecmp(s.ptr, text, n) == 0;
}

static bool holds(struct odp_slice s, const char *text)
{
    return memmem(s.ptr, s.len, text, strlen(text)) != NULL;
}

/* A zip archive; what office programs write names its parts near the beginning. */
static const char *zip_kind(struct odp_slice s)
{
    if (holds(s, "[Content_Types].xml") || holds(s, "xl/") || holds(s, "_rels/") || holds(s, "docProps/"))
        return "Excel (.xlsx)";
    return holds(s, "opendocument") ? "OpenDocument (.ods)" : "ZIP";
}

/* Signatures as the formats define them. JSON needs its second token too: a label may begin with a bracket. */
const char *csv_other_kind(struct odp_slice s, bool header)
{
    s.len = s.len < SNIFF ? s.len : SNIFF;
    if (begins(s, "\xEF\xBB\xBF"))
        s = (struct odp_slice){s.ptr + 3, s.len - 3};
    if (begins(s, "PK\x03\x04"))
        return zip_kind(s);
    if (begins(s, "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"))
        return "Excel 97 (.xls)";
    if (begins(s, "%PDF-"))
        return "PDF";
    if (begins(s, "\x1F\x8B\x08"))
        return "gzip";
    if (begins(s, "Rar!\x1A\x07"))
        return "RAR";
    if (begins(s, "7z\xBC\xAF\x27\x1C"))
        return "7-Zip";
    s = odp_slice_trim(s);
    if (begins(s, "<!doctype html") || begins(s, "<html") || begins(s, "<table") || begins(s, "<head") || begins(s, "<body"))
        return "HTML";
    if (begins(s, "<?xml"))
        return holds(s, "Excel.Sheet") || holds(s, "office:spreadsheet") ? "Excel 2003 XML" : "XML";
    if (!header || s.len < 2 || (*s.ptr != '{' && *s.ptr != '['))
        return NULL;
    struct odp_slice rest = odp_slice_trim((struct odp_slice){s.ptr + 1, s.len - 1});
    if (*s.ptr == '{' ? begins(rest, "\"") && holds(rest, "\":") : begins(rest, "{"))
        return "JSON";
    return NULL;
}
