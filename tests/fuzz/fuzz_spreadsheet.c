/* A workbook. Bytes that begin like a zip archive are used as they are. Else the parts of one: "@@ path"
 * lines with the part's XML below; the archive is put together here, and usual parts (relationships, the
 * list of sheets) are added where none is given. Everything before the first such line is the sheet's rows
 * ("<row>…"). A first byte 1 to 4 chooses the resource that reads it as a source, 5 small limits. Checked:
 * no file makes the machine fail, rows and cells are in order, dates are dates, texts are UTF-8, and reading
 * twice gives the same. */
#include "archive.h"
#include "base/datetime.h"
#include "base/digest.h"
#include "base/utf8.h"
#include "fuzz.h"
#include "read/xlsx/workbook/workbook.h"

enum { PARTS = 64 };

#define MAIN  "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
#define TYPES "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
#define RELS  "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">"

static const struct {
    const char *name, *xml;
} usual[] = {
    {"_rels/.rels", RELS "<Relationship Id=\"r\" Type=\"" TYPES
                         "/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>"},
    {"xl/workbook.xml", "<workbook xmlns=\"" MAIN "\" xmlns:r=\"" TYPES
                        "\"><sheets><sheet name=\"S\" sheetId=\"1\" r:id=\"s\"/></sheets></workbook>"},
    {"xl/_rels/workbook.xml.rels",
     RELS "<Relationship Id=\"s\" Type=\"" TYPES "/worksheet\" Target=\"worksheets/sheet1.xml\"/>"
          "<Relationship Id=\"t\" Type=\"" TYPES "/sharedStrings\" Target=\"sharedStrings.xml\"/>"
          "<Relationship Id=\"u\" Type=\"" TYPES "/styles\" Target=\"styles.xml\"/></Relationships>"},
    {"xl/styles.xml",
     "<styleSheet xmlns=\"" MAIN
     "\"><cellXfs><xf/><xf numFmtId=\"14\"/><xf numFmtId=\"22\"/><xf numFmtId=\"20\"/><xf numFmtId=\"46\"/>"
     "</cellXfs></styleSheet>"},
};

/* ---- the archive ---- */

/* The place of the next "@@ " line in S from AT on, or its end. */
static size_t next_part(struct odp_slice s, size_t at)
{
    for (; at + 3 <= s.len; at++)
        if (memcmp(s.ptr + at, "@@ ", 3) == 0 && (at == 0 || s.ptr[at - 1] == '\n'))
            return at;
    return s.len;
}

static void make_archive(struct odp_slice s, struct archive *z)
{
    struct odp_slice names[PARTS];
    size_t n = 0, at = next_part(s, 0);
    struct odp_buffer sheet = {0};
    if (at > 0) {
        odp_buffer_add_str(&sheet, "<worksheet xmlns=\"" MAIN "\"><sheetData>");
        odp_buffer_add(&sheet, s.ptr, at);
        odp_buffer_add_str(&sheet, "</sheetData></worksheet>");
        names[n++] = ODP_LIT("xl/worksheets/sheet1.xml");
        archive_add(z, names[0], odp_buffer_slice(&sheet));
    }
    while (at < s.len && n < PARTS) {
        size_t end = next_part(s, at + 1), line = at;
        while (line < end && s.ptr[line] != '\n')
            line++;
        names[n] = (struct odp_slice){s.ptr + at + 3, line - at - 3 < 200 ? line - at - 3 : 200};
        archive_add(z, names[n++],
                    (struct odp_slice){s.ptr + line + (line < end), end - line - (line < end)});
        at = end;
    }
    for (size_t u = 0; u < ODP_COUNT(usual); u++) {
        bool there = false;
        for (size_t i = 0; i < n; i++)
            there = there || odp_slice_is(names[i], usual[u].name);
        if (!there)
            archive_add(z, odp_slice_of(usual[u].name), odp_slice_of(usual[u].xml));
    }
    odp_buffer_release(&sheet);
}

/* ---- reading ---- */

static void check_cell(const struct odp_sheet_cell *c, const struct odp_workbook_limits *limits)
{
    struct odp_datetime d;
    NEED(c->text.ptr != NULL && c->iso.ptr != NULL && odp_utf8_valid(c->text) == c->text.len);
    NEED(limits == NULL || c->text.len <= limits->cell_bytes);
    NEED((c->kind == ODP_CELL_EMPTY) == (c->text.len == 0));
    NEED(c->kind != ODP_CELL_EMPTY || c->formula || c->merged);
    NEED(!c->merged || !c->anchor);
    NEED(c->kind == ODP_CELL_DATE || c->iso.len == 0);
    /* Dates that are written out in the file are taken as they are; those of numbers are right. */
    bool number = c->text.len > 0 && memchr(c->text.ptr, ':', c->text.len) == NULL &&
                  memchr(c->text.ptr + 1, '-', c->text.len - 1) == NULL;
    if (c->kind == ODP_CELL_DATE && number && c->iso.len >= 10 && c->iso.ptr[4] == '-' &&
        c->iso.ptr != c->text.ptr)
        NEED(odp_date_parse((struct odp_slice){c->iso.ptr, 10}, ODP_DATE, NULL, NULL, &d) == ODP_DATE_OK);
}

static void digest_rows(struct odp_workbook *w, const struct odp_workbook_limits *limits,
                        struct odp_digest *digest)
{
    for (size_t i = 0; i < odp_workbook_sheets(w) && i < 8; i++) {
        struct odp_workbook_fault fault;
        struct odp_sheet *s;
        struct odp_sheet_row row;
        uint32_t last = 0;
        enum odp_status status = odp_sheet_open(&s, w, i, &fault);
        while (status == ODP_OK && (status = odp_sheet_next(s, &row, &fault)) == ODP_OK) {
            NEED(row.row > last && row.n > 0);
            last = row.row;
            for (uint32_t k = 0; k < row.n; k++) {
                NEED(k == 0 || row.cells[k].column > row.cells[k - 1].column);
                check_cell(&row.cells[k], limits);
                NEED(odp_digest_add(digest, row.cells[k].text.ptr, row.cells[k].text.len) == ODP_OK);
                NEED(odp_digest_add(digest, row.cells[k].iso.ptr, row.cells[k].iso.len) == ODP_OK);
            }
        }
        NEED(status == ODP_DONE || status == ODP_BAD);
        NEED(status != ODP_BAD || (fault.kind != 0 && !odp_text_is_empty(&fault.what)));
        odp_sheet_close(s);
    }
}

static void read_all(const char *path, const struct odp_workbook_limits *limits, uint8_t out[ODP_SHA256_SIZE])
{
    struct odp_workbook *w;
    struct odp_workbook_fault fault;
    struct odp_digest *digest;
    NEED(odp_digest_new(&digest) == ODP_OK);
    enum odp_status status = odp_workbook_open(&w, path, limits, &fault);
    NEED(status == ODP_OK || (status == ODP_BAD && fault.kind != 0 && !odp_text_is_empty(&fault.what)));
    if (status == ODP_OK)
        digest_rows(w, limits, digest);
    NEED(odp_digest_end(digest, out) == ODP_OK);
    odp_digest_free(digest);
    odp_workbook_close(w);
}

/* ---- mutations that keep the XML well-formed ---- */

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);

static unsigned next_of(unsigned *seed)
{
    *seed = *seed * 1103515245u + 12345u;
    return *seed >> 8;
}

/* A piece [*FROM, *TO) of the text: the text between the K-th BEGIN and the next END. */
static bool find_piece(struct odp_slice s, char begin, char end, unsigned k, size_t *from, size_t *to)
{
    size_t n = 0;
    for (size_t i = 0; i < s.len; i++)
        n += s.ptr[i] == begin;
    if (n == 0)
        return false;
    for (size_t i = 0, left = k % n + 1; i < s.len; i++) {
        left -= s.ptr[i] == begin;
        if (left > 0)
            continue;
        const char *p = memchr(s.ptr + i + 1, end, s.len - i - 1);
        *from = i + 1;
        *to = p != NULL ? (size_t)(p - s.ptr) : s.len;
        return true;
    }
    return false;
}

/* Values of attributes, names, and texts between tags change alone, by libFuzzer's own hand; elements are
 * taken away, doubled and put elsewhere as a whole. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    struct odp_slice s = {(const char *)data, size};
    uint8_t piece[1024];
    size_t from, to;
    unsigned way = next_of(&seed) % 8, k = next_of(&seed);
    if (size == 0 || way == 0 || (size > 1 && data[0] == 'P' && data[1] == 'K'))
        return LLVMFuzzerMutate(data, size, max);
    bool whole = way >= 5;
    bool found = whole     ? find_piece(s, '<', '>', k, &from, &to)
                 : way < 3 ? find_piece(s, '"', '"', k, &from, &to)
                           : find_piece(s, '>', '<', k, &from, &to);
    if (!found || to - from + 2 > sizeof piece || from > to)
        return LLVMFuzzerMutate(data, size, max);
    if (whole) { /* with its brackets, and its text */
        from--;
        while (to < size && data[to] != '<')
            to++;
    }
    size_t len = to - from, now = len;
    memcpy(piece, data + from, len);
    if (!whole)
        now = LLVMFuzzerMutate(piece, len, sizeof piece);
    for (size_t i = 0; !whole && i < now; i++)
        piece[i] = piece[i] == '<' || piece[i] == '>' || (way < 3 && piece[i] == '"') ? 'x' : piece[i];
    if (way != 6 && way != 7) { /* the piece, changed or (5) gone */
        now = way == 5 ? 0 : now;
        if (size - len + now > max)
            return size;
        memmove(data + from + now, data + to, size - to);
        memcpy(data + from, piece, now);
        return size - len + now;
    }
    size_t at = from;
    if (way == 7 && find_piece(s, '<', '>', next_of(&seed), &at, &to))
        at--;
    if (size + len > max)
        return size;
    memmove(data + at + len, data + at, size - at);
    memcpy(data + at, piece, len);
    return size + len;
}

void fuzz_one(struct odp_slice in)
{
    static const char *const slugs[] = {"csv", "csv", "types", "texts", "book", "csv"};
    static const struct odp_workbook_limits small = {
        .part_bytes = 4096, .string_bytes = 256, .rows = 20, .columns = 8, .cell_bytes = 32};
    unsigned which = fuzz_choice(&in, 5);
    const struct odp_workbook_limits *limits = which == 5 ? &small : NULL;
    struct archive z = {.n = 0};
    uint8_t first[ODP_SHA256_SIZE], again[ODP_SHA256_SIZE];
    const char *path = fuzz_path("in.xlsx");
    if (in.len > 1 && in.ptr[0] == 'P' && in.ptr[1] == 'K') {
        fuzz_write(path, in);
    } else {
        make_archive(in, &z);
        archive_write(&z, path);
    }
    read_all(path, limits, first);
    read_all(path, limits, again);
    NEED(memcmp(first, again, sizeof first) == 0);
    fuzz_resource(slugs[which], path);
}
