/* Inside of write/xlsx: the parts of the workbook's emitter (xlsx.c). libxlsxwriter writes every sheet row by
 * row into a nameless temporary file and puts the workbook together when it is closed; nothing of it may be
 * written twice or upwards. */
#pragma once

#include "write/cells.h"
#include "xlsx/book.h"

enum {
    XLSX_RECORDS_MAX = 1048575, /* below a sheet's header */
    XLSX_DIGITS_MAX = 15,       /* of a number that Excel shows */
    XLSX_DIGITS_LIBRARY = 16,   /* of a number that the library writes */
    XLSX_DECIMALS_MAX = 10,     /* shown; a column that needs more has the format General */
    XLSX_WIDTH_MAX = 60,        /* characters; wider columns are wrapped */
    XLSX_WRAP_AT =
        52, /* characters that surely fit into that, for the height of rows: not all programs find it out */
    XLSX_LINKS_MAX =
        20000, /* clickable cells; the library keeps each in memory, 2.6 KiB (a sheet's bound is 65,530) */
    XLSX_STAMPS_MAX = 32 /* formats of times: each offset and number of decimals of a second has its own */
};

enum xlsx_kind {
    XLSX_TEXT,
    XLSX_NUMBER,
    XLSX_YEAR,
    XLSX_BOOLEAN,
    XLSX_DATE,
    XLSX_TIME,
    XLSX_DATETIME,
    XLSX_URL,
    XLSX_DOCUMENT
};

/* Values that could not be written as they are. */
enum xlsx_note {
    XLSX_NOTE_DIGITS,
    XLSX_NOTE_OLD_DATE,
    XLSX_NOTE_STAMP,
    XLSX_NOTE_LONG,
    XLSX_NOTE_LINKS,
    XLSX_NOTES
};

/* A list of codes: what a column's values mean. Two columns that have the same one share it. */
struct xlsx_list {
    const struct odp_field *field;    /* with categories, or */
    const struct odp_code_list *list; /* the labels of a code list */
    size_t n;
    const char *sheet; /* its sheet's name */
};

struct xlsx_column {
    int field;     /* of the schema; -1: of the geometry */
    bool is_label; /* the names of the field's codes, in LANG */
    enum odp_lang lang;
    const char *name; /* unique */
    const char *header;
    enum xlsx_kind kind;
    bool figure;        /* counted or measured: grouped */
    bool as_text;       /* numbers that no cell can hold as such: all of its cells are text */
    double exact;       /* this row's number, where it has more digits than the library writes; else 0 */
    unsigned place;     /* of the geometry: 0 longitude, 1 latitude, 2 kind */
    lxw_format *format; /* its cells' */
    unsigned width;     /* of the widest text */
    unsigned whole, decimals; /* of numbers: characters before the point, most digits after it */
    size_t longest;           /* bytes of the longest text */
    bool lines;               /* a text has several */
    const struct xlsx_list *list;
    uint64_t notes[XLSX_NOTES]; /* values */
};

struct xlsx_stamp {
    char pattern[64];
    lxw_format *format;
};

/* Formats of cells. */
struct xlsx_looks {
    lxw_format *head, *head_right, *title, *subtitle, *section, *label, *text, *count,
        *link;          /* of the describing sheets */
    lxw_format *plain;  /* of values that stayed text */
    lxw_format *number; /* of codes that are numbers */
};

struct xlsx_emit {
    struct odp_emit base;
    struct odp_cells_reader reader;
    struct odp_book book;
    const char *path;   /* in the site */
    const char *place;  /* on the disk */
    const char *url;    /* for good */
    const char *folder; /* address of the version's folder, ends in '/' */
    const char *title;  /* of the table, for people */
    struct xlsx_looks looks;
    size_t data_sheets;
    struct xlsx_column *columns;
    lxw_col_t ncolumns;
    lxw_worksheet *sheet; /* being filled */
    lxw_row_t row;        /* the next */
    unsigned links;       /* so far */
    unsigned head_lines;  /* of the header */
    uint64_t total;
    struct xlsx_stamp stamps[XLSX_STAMPS_MAX];
    size_t nstamps;
    struct xlsx_list *lists;
    size_t nlists;
    struct odp_buffer address; /* a cell's, as the library wants it */
    bool exact;                /* this row has an exact number: */
    FILE *row_out;             /* it goes through this */
    char *row_text;            /* into this */
    size_t row_len;
    bool wrapped; /* a column wraps its texts: all cells align at the top of their rows */
    int kept;     /* the records, in a file without a name */
    uint64_t kept_bytes;
};

/* ---- sheets and formats (sheets.c) ---- */

/* A new sheet; its name is made of TITLE, and of PART (> 1) as " (2)". PART 0: TITLE is its name. NULL:
 * failed.
 */
lxw_worksheet *odp_xlsx_sheet_add(struct xlsx_emit *e, const char *title, unsigned part);
/* The height of a row of so many lines, in points. */
static inline double odp_xlsx_height(unsigned lines)
{
    return lines > 27 ? 409 : lines * 15.0; /* 409.5: Excel's bound */
}
/* Landscape A4, one page wide, HEAD rows on each page (0: no rows), a foot with title, version, page. */
void odp_xlsx_print_setup(struct xlsx_emit *e, lxw_worksheet *sheet, lxw_row_t head);
/* Writes e->book.text as a cell. */
void odp_xlsx_string_put(struct xlsx_emit *e, lxw_worksheet *sheet, lxw_row_t row, lxw_col_t col,
                         lxw_format *format);

/* ---- columns and cells (cells.c) ---- */

enum odp_status odp_xlsx_columns_init(struct xlsx_emit *e) ODP_MUST_USE;
/* The current record of e->reader in row e->row. */
void odp_xlsx_record_put(struct xlsx_emit *e);
/* The same record, before: what formats and widths are made of. */
void odp_xlsx_record_look(struct xlsx_emit *e);
/* S in a column's cell. */
void odp_xlsx_cell_put(struct xlsx_emit *e, struct xlsx_column *c, lxw_worksheet *sheet, lxw_row_t row,
                       lxw_col_t col, struct odp_slice s);
/* Number formats and wrapping, by all records; then the columns of e->sheet. */
void odp_xlsx_columns_format(struct xlsx_emit *e);
void odp_xlsx_columns_set(struct xlsx_emit *e);
uint64_t odp_xlsx_noted(const struct xlsx_emit *e, enum xlsx_note note);

/* ---- further sheets (lists.c, about.c) ---- */

/* Which lists there are; then their sheets, and what columns offer for choice. */
void odp_xlsx_lists_plan(struct xlsx_emit *e);
void odp_xlsx_lists_put(struct xlsx_emit *e);
#define XLSX_ABOUT "Keterangan"
void odp_xlsx_about_put(struct xlsx_emit *e);
