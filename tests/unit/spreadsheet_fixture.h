/* For tests of workbooks: one made of parts, as XML. */
#pragma once
#include "run.h"

#include <unistd.h>
#include <zip.h>

#include "base/buffer.h"
#include "read/xlsx/workbook/workbook.h"

#define BOOK_MAIN  "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
#define BOOK_TYPES "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
#define BOOK_RELS(x)                                                                                         \
    "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">" x               \
    "</Relationships>"
#define BOOK_ROOT                                                                                            \
    BOOK_RELS("<Relationship Id=\"r1\" Type=\"" BOOK_TYPES "/officeDocument\" Target=\"xl/workbook.xml\"/>")
#define BOOK_WORKBOOK(props, sheets)                                                                         \
    "<workbook xmlns=\"" BOOK_MAIN "\" xmlns:r=\"" BOOK_TYPES "\">" props "<sheets>" sheets                  \
    "</sheets></workbook>"
#define BOOK_ONE "<sheet name=\"Data\" sheetId=\"1\" r:id=\"s1\"/>"
#define BOOK_PARTS                                                                                           \
    BOOK_RELS("<Relationship Id=\"s1\" Type=\"" BOOK_TYPES "/worksheet\" Target=\"worksheets/sheet1.xml\"/>" \
              "<Relationship Id=\"x1\" Type=\"" BOOK_TYPES "/sharedStrings\" Target=\"sharedStrings.xml\"/>" \
              "<Relationship Id=\"x2\" Type=\"" BOOK_TYPES "/styles\" Target=\"styles.xml\"/>")
#define BOOK_SHEET(x)   "<worksheet xmlns=\"" BOOK_MAIN "\"><sheetData>" x "</sheetData></worksheet>"
#define BOOK_STRINGS(x) "<sst xmlns=\"" BOOK_MAIN "\">" x "</sst>"
#define BOOK_STYLES(formats, cells)                                                                          \
    "<styleSheet xmlns=\"" BOOK_MAIN "\"><numFmts>" formats "</numFmts><cellXfs>" cells                      \
    "</cellXfs></styleSheet>"

struct book_part {
    const char *name, *xml;
};

static char book_path[FRESH_FOLDER];

/* A workbook of PARTS (up to one without a name); usual ones are added where PARTS do not have them. */
static inline const char *book_make(const struct book_part *parts)
{
    static const struct book_part usual[] = {
        {"_rels/.rels", BOOK_ROOT},
        {"xl/workbook.xml", BOOK_WORKBOOK("", BOOK_ONE)},
        {"xl/_rels/workbook.xml.rels", BOOK_PARTS},
        {NULL, NULL},
    };
    int code;
    snprintf(book_path, sizeof(book_path), "%s/odp-book-%ld.xlsx", odp_temporary_place(), (long)getpid());
    zip_t *z = zip_open(book_path, ZIP_CREATE | ZIP_TRUNCATE, &code);
    assert_non_null(z);
    for (int round = 0; round < 2; round++)
        for (const struct book_part *p = round == 0 ? parts : usual; p->name != NULL; p++) {
            bool there = false;
            for (const struct book_part *q = parts; round == 1 && q->name != NULL; q++)
                there = there || strcmp(q->name, p->name) == 0;
            if (there || p->xml == NULL)
                continue;
            zip_source_t *s = zip_source_buffer(z, p->xml, strlen(p->xml), 0);
            assert_true(zip_file_add(z, p->name, s, 0) >= 0);
        }
    assert_int_equal(zip_close(z), 0);
    return book_path;
}

/* All of sheet N in words: "1 A=text B#12 C@12|2024-03-15 D?true E!#N/A F=; " and so on; 'f' formula, 'm'
 * merged, 'h' hidden. A fault is at the end: "!kind part: what". Free it. */
static inline char *book_read(const char *path, size_t sheet, const struct odp_workbook_limits *limits)
{
    static const char marks[] = {'.', '=', '#', '@', '?', '!'};
    struct odp_workbook *w = NULL;
    struct odp_sheet *s = NULL;
    struct odp_workbook_fault fault;
    struct odp_sheet_row row;
    struct odp_buffer out = {0};
    enum odp_status status = odp_workbook_open(&w, path, limits, &fault);
    if (status == ODP_OK)
        status = odp_sheet_open(&s, w, sheet, &fault);
    while (status == ODP_OK && (status = odp_sheet_next(s, &row, &fault)) == ODP_OK) {
        odp_buffer_printf(&out, "%s%u%s", out.len > 0 ? " " : "", row.row, row.hidden ? "h" : "");
        for (uint32_t i = 0; i < row.n; i++) {
            const struct odp_sheet_cell *c = &row.cells[i];
            char name[8];
            odp_buffer_printf(&out, " %s%s%s%s%c", odp_column_name(c->column, name), c->formula ? "f" : "",
                              c->merged ? "m" : "", c->percent ? "%" : "", marks[c->kind]);
            odp_buffer_add_slice(&out, c->text);
            if (c->kind == ODP_CELL_DATE) {
                odp_buffer_add_char(&out, '|');
                odp_buffer_add_slice(&out, c->iso);
            }
        }
        odp_buffer_add_char(&out, ';');
    }
    assert_int_not_equal(status, ODP_FAIL);
    if (status == ODP_BAD)
        odp_buffer_printf(&out, "%s!%d %s: %s", out.len > 0 ? " " : "", (int)fault.kind, fault.part,
                          odp_text_get(&fault.what, ODP_LANG_EN));
    odp_sheet_close(s);
    odp_workbook_close(w);
    char *text = strdup(odp_buffer_cstr(&out));
    odp_buffer_release(&out);
    return text;
}
