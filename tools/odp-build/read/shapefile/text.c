/* Which encoding the attributes are in, and their decoding. The descriptor is right; then the .cpg; then the
 * DBF's language driver; else UTF-8, or windows-1252 where the table is that and cannot be UTF-8 (said in a
 * note). */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "read/shapefile/reader.h"

/* Language drivers (dBASE, FoxPro, ESRI) and their code pages. */
static const struct {
    uint8_t driver;
    uint16_t page;
} drivers[] = {
    {0x01, 437},  {0x02, 850},  {0x03, 1252}, {0x04, 10000}, {0x08, 865},  {0x09, 437}, {0x0A, 850},
    {0x0B, 437},  {0x0D, 437},  {0x0E, 850},  {0x0F, 437},   {0x10, 850},  {0x11, 437}, {0x12, 850},
    {0x13, 932},  {0x14, 850},  {0x15, 437},  {0x16, 850},   {0x17, 865},  {0x18, 437}, {0x19, 437},
    {0x1A, 850},  {0x1B, 437},  {0x1C, 863},  {0x1D, 850},   {0x1F, 852},  {0x22, 852}, {0x23, 852},
    {0x24, 860},  {0x25, 850},  {0x26, 866},  {0x37, 850},   {0x40, 852},  {0x4D, 936}, {0x4E, 949},
    {0x4F, 950},  {0x50, 874},  {0x57, 1252}, {0x58, 1252},  {0x59, 1252}, {0x64, 852}, {0x65, 866},
    {0x66, 865},  {0x67, 861},  {0x6A, 737},  {0x6B, 857},   {0x6C, 863},  {0x78, 950}, {0x79, 949},
    {0x7A, 936},  {0x7B, 932},  {0x7C, 874},  {0x86, 737},   {0x87, 852},  {0x88, 857}, {0xC8, 1250},
    {0xC9, 1251}, {0xCA, 1254}, {0xCB, 1253}, {0xCC, 1257},
};

static bool known_to_iconv(const char *name)
{
    iconv_t c = iconv_open("UTF-8", name);
    if (c == (iconv_t)-1)
        return false;
    iconv_close(c);
    return true;
}

/* A code page number as iconv's name; 885915 is ISO-8859-15. */
static const char *page_name(struct shape_source *s, unsigned long page)
{
    if (page == 65001)
        return "UTF-8";
    if (page == 10000)
        return "MACINTOSH";
    if (page >= 88591 && page <= 88599)
        return shape_arg(s, "ISO-8859-%lu", page - 88590);
    if (page >= 885910 && page <= 885916)
        return shape_arg(s, "ISO-8859-%lu", page - 885900);
    if (page >= 28591 && page <= 28605)
        return shape_arg(s, "ISO-8859-%lu", page - 28590);
    return shape_arg(s, "CP%lu", page);
}

static const char *driver_name(struct shape_source *s, unsigned long driver)
{
    for (size_t i = 0; i < ODP_COUNT(drivers); i++)
        if (drivers[i].driver == driver)
            return page_name(s, drivers[i].page);
    return NULL;
}

/* The many spellings of .cpg files ("UTF-8", "8859_1", "ISO 88591", "ANSI 1252", "LDID/87") as iconv's name,
 * or NULL. */
static const char *encoding_of(struct shape_source *s, const char *text)
{
    char key[40];
    size_t n = 0;
    for (const char *c = text; *c != '\0' && n + 1 < sizeof key; c++)
        if (isalnum((unsigned char)*c))
            key[n++] = (char)tolower((unsigned char)*c);
    key[n] = '\0';
    static const struct {
        const char *key, *name;
    } plain[] = {{"utf8", "UTF-8"},        {"latin1", "ISO-8859-1"},  {"ascii", "UTF-8"},
                 {"usascii", "UTF-8"},     {"system", NULL},          {"oem", NULL},
                 {"ansi", "CP1252"},       {"shiftjis", "SHIFT_JIS"}, {"sjis", "SHIFT_JIS"},
                 {"macroman", "MACINTOSH"}};
    for (size_t i = 0; i < ODP_COUNT(plain); i++)
        if (strcmp(key, plain[i].key) == 0)
            return plain[i].name;
    static const char *const prefixes[] = {"ldid", "windows", "win", "msdos", "dos", "ibm",
                                           "oem",  "ansi",    "cp",  "iso",   ""};
    for (size_t i = 0; i < ODP_COUNT(prefixes); i++) {
        size_t p = strlen(prefixes[i]);
        if (strncmp(key, prefixes[i], p) != 0 || key[p] == '\0' || strspn(key + p, "0123456789") != n - p ||
            n - p > 8)
            continue;
        unsigned long v = strtoul(key + p, NULL, 10);
        const char *name = i == 0 ? driver_name(s, v) : page_name(s, v);
        return name != NULL && known_to_iconv(name) ? name : NULL;
    }
    return known_to_iconv(text) ? shape_arg(s, "%s", text) : NULL;
}

/* The first line of the .cpg, trimmed, or "". */
static enum odp_status read_cpg(struct shape_source *s, const char **out)
{
    *out = "";
    if (!s->parts[SHAPE_CPG].present)
        return ODP_OK;
    struct shape_stream st = {.part = &s->parts[SHAPE_CPG]};
    size_t n = st.part->size < 64 ? (size_t)st.part->size : 64;
    const uint8_t *p = shape_at(&st, 0, n);
    if (p != NULL) {
        if (n >= 3 && memcmp(p, "\xEF\xBB\xBF", 3) == 0)
            p += 3, n -= 3;
        struct odp_slice line = odp_slice_trim((struct odp_slice){(const char *)p, n});
        for (size_t i = 0; i < line.len; i++)
            if (line.ptr[i] == '\n' || line.ptr[i] == '\r' || line.ptr[i] == '\0')
                line.len = i;
        *out = shape_arg(s, "%.*s", (int)line.len, line.ptr);
    }
    shape_stream_release(&st);
    return st.failed ? ODP_FAIL : ODP_OK;
}

bool shape_is_plain(struct odp_slice s)
{
    uint8_t high = 0, nul = 0;
    for (size_t i = 0; i < s.len; i++) {
        high |= (uint8_t)s.ptr[i];
        nul |= s.ptr[i] == '\0';
    }
    return high < 0x80 && nul == 0;
}

/* The beginning of a character of UTF-8, which the end of a field cut. */
static bool is_cut(const char *p, size_t n)
{
    unsigned char lead = (unsigned char)*p;
    size_t whole = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2, i = 1;
    while (i < n && ((unsigned char)p[i] & 0xC0) == 0x80)
        i++;
    return lead >= 0xC2 && lead < 0xF5 && i == n && n < whole;
}

/* What the texts of a record are not. A text that fills its field may have been cut within a character. */
static void look_at(const struct shape_source *s, const char *record, bool *utf8, bool *cp1252)
{
    for (uint32_t k = 0; k < s->dbf.nfields; k++) {
        const struct shape_field *f = &s->dbf.fields[k];
        struct odp_slice v = {record + f->offset, f->width};
        if (f->type != 'C' || shape_is_plain(v))
            continue;
        size_t valid = odp_utf8_valid(v);
        *utf8 = *utf8 && (valid == v.len || is_cut(v.ptr + valid, v.len - valid));
        for (size_t i = 0; i < v.len; i++)
            *cp1252 = *cp1252 && memchr("\x81\x8D\x8F\x90\x9D", v.ptr[i], 5) == NULL;
    }
}

/* Neither a .cpg nor the header says what the texts are. */
static enum odp_status try_1252(struct shape_source *s)
{
    struct shape_stream st = {.part = &s->parts[SHAPE_DBF]};
    bool utf8 = true, cp1252 = true;
    for (uint32_t i = 0; i < s->dbf.records && cp1252 && !st.failed; i++) {
        const uint8_t *p = shape_at(&st, s->dbf.header + (uint64_t)i * s->dbf.width, s->dbf.width);
        if (p != NULL && !shape_is_plain((struct odp_slice){(const char *)p, s->dbf.width}))
            look_at(s, (const char *)p, &utf8, &cp1252);
    }
    shape_stream_release(&st);
    if (st.failed)
        return ODP_FAIL;
    if (utf8 || !cp1252)
        return ODP_OK;
    s->encoding = "CP1252";
    return shape_warn(s, ODP_G28, s->parts[SHAPE_DBF].name, "windows-1252", NULL);
}

enum odp_status shape_encoding(struct shape_source *s)
{
    const struct odp_resource *r = s->base.resource;
    const char *cpg = "";
    enum odp_status st = read_cpg(s, &cpg);
    if (st != ODP_OK)
        return st;
    if (r->encoding_declared) {
        s->encoding = encoding_of(s, r->encoding);
        return s->encoding != NULL ? ODP_OK : shape_fault(s, ODP_E02, s->base.info.file, r->encoding);
    }
    if (cpg[0] != '\0') {
        s->encoding = encoding_of(s, cpg);
        return s->encoding != NULL ? ODP_OK : shape_fault(s, ODP_E02, s->parts[SHAPE_CPG].name, cpg);
    }
    s->encoding = driver_name(s, s->dbf.driver);
    if (s->encoding != NULL && known_to_iconv(s->encoding))
        return ODP_OK;
    s->encoding = "UTF-8";
    return s->parts[SHAPE_DBF].present ? try_1252(s) : ODP_OK;
}

enum odp_status shape_worker_conv(const struct shape_source *s, struct shape_worker *w)
{
    if (strcmp(s->encoding, "UTF-8") == 0)
        return ODP_OK;
    w->conv = iconv_open("UTF-8", s->encoding);
    if (w->conv == (iconv_t)-1)
        return odp_failure_set("iconv", NULL, errno);
    w->has_conv = true;
    return ODP_OK;
}

/* The valid beginning and a replacement character, to show in the report. */
static enum odp_status broken(struct odp_arena *a, struct odp_slice valid, struct odp_slice *out)
{
    char *p = odp_arena_alloc(a, valid.len + 4);
    if (valid.len > 0)
        memcpy(p, valid.ptr, valid.len);
    memcpy(p + valid.len, "\xEF\xBF\xBD", 4);
    *out = (struct odp_slice){p, valid.len + 3};
    return ODP_BAD;
}

enum odp_status shape_decode(const struct shape_source *s, struct shape_worker *w, struct odp_arena *a,
                             struct odp_slice in, struct odp_slice *out, size_t *bad_at)
{
    *out = in;
    if (in.ptr == NULL && in.len > 0)
        return ODP_FAIL;
    if (shape_is_plain(in))
        return ODP_OK;
    if (!w->has_conv) {
        *bad_at = odp_utf8_valid(in);
        return *bad_at == in.len ? ODP_OK : broken(a, (struct odp_slice){in.ptr, *bad_at}, out);
    }
    size_t cap = in.len * 4, left = cap, rest = in.len;
    char *text = odp_arena_alloc(a, cap), *to = text, *from = (char *)(size_t)in.ptr;
    iconv(w->conv, NULL, NULL, NULL, NULL);
    size_t got = iconv(w->conv, &from, &rest, &to, &left);
    *out = (struct odp_slice){text, (size_t)(to - text)};
    if (got == (size_t)-1) {
        *bad_at = in.len - rest;
        return broken(a, *out, out);
    }
    return ODP_OK;
}
