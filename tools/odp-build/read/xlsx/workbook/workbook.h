/* Workbooks of spreadsheet programs read back: Office Open XML (ECMA-376, .xlsx), by libzip and expat. Knows
 * no domain: sheets, rows, cells as in the file. The caller decides what a cell means (a code that became a
 * number, a date that is a serial).
 *
 * Hostile files are expected. Everything is read as a stream: a row at a time, the shared strings once,
 * within the limits below; a part that unpacks to more, a ratio that only a bomb has, entities, DTDs,
 * nesting, and rows out of order are faults, never a crash or a hang. Nothing outside the file is ever
 * opened. Macros, external links and formulas do not run: a formula's value is the one that the program
 * stored. */
#pragma once

#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"

enum odp_cell_kind {
    ODP_CELL_EMPTY,   /* not there, or without a value */
    ODP_CELL_TEXT,    /* shared, inline or formula string; rich text joined; _xHHHH_ decoded */
    ODP_CELL_NUMBER,  /* text: the number as the file has it: "1234.5", "1E-3" */
    ODP_CELL_DATE,    /* a number with a number format of date or time; text as NUMBER, iso: the date or time
                       */
    ODP_CELL_BOOLEAN, /* text: "true" or "false" */
    ODP_CELL_ERROR    /* text: "#N/A" … */
};

struct odp_sheet_cell {
    uint32_t column; /* from 0 */
    enum odp_cell_kind kind;
    struct odp_slice text;
    struct odp_slice iso; /* DATE: "2024-03-15", "2024-03-15T08:30:00", "08:30:00" (serial below 1 with a time
                             format); empty: no such date */
    bool formula;         /* its value was computed */
    bool percent;         /* NUMBER: shown as a percentage, a hundred times what is stored */
    bool merged;          /* inside of a merged range, and not its first cell */
    bool anchor;          /* the first cell of a merged range */
    uint32_t merge_row, merge_column; /* merged: the range's first cell; the row from 1, the column from 0 */
};

struct odp_sheet_row {
    uint32_t row; /* from 1, as the program shows it */
    bool hidden;  /* also filtered away */
    /* By column; valid until the next row is read. Those that have a value; also EMPTY ones that hold a
     * formula without a stored value, and those inside a merged range, whether or not the file lists them (a
     * row with nothing else is left out). */
    const struct odp_sheet_cell *cells;
    uint32_t n;
};

/* A file's fault, for people. PART: the part of the package ("xl/worksheets/sheet1.xml") or "". */
struct odp_workbook_fault {
    enum odp_workbook_fault_kind {
        ODP_WORKBOOK_UNREADABLE = 1, /* cannot be opened; system error in `error` */
        ODP_WORKBOOK_NOT_ZIP,  /* no zip: perhaps .xls, CSV or HTML with a wrong name; `what` says so where it
                                  is known */
        ODP_WORKBOOK_NOT_XLSX, /* a zip, but no workbook (.ods, .docx, a shapefile) */
        ODP_WORKBOOK_ENCRYPTED, /* locked by a password */
        ODP_WORKBOOK_DAMAGED,   /* XML or zip is broken; `what`: how */
        ODP_WORKBOOK_TOO_LARGE  /* beyond a limit; `what` names it */
    } kind;
    struct odp_text what;
    char part[128];
    int error;
};

enum { ODP_WORKBOOK_CELL = 131068 /* bytes of 32767 characters, what a cell may hold */ };

struct odp_workbook_limits { /* 0: the default */
    uint64_t part_bytes;     /* unpacked, of one part; 2 GiB */
    uint64_t string_bytes;   /* of all shared strings; 512 MiB */
    uint32_t ratio;          /* unpacked : packed of one part; 1000 where the part has more than 16 MiB */
    uint32_t rows, columns;  /* 1048576, 16384 */
    uint32_t cell_bytes;     /* ODP_WORKBOOK_CELL */
};

struct odp_workbook;
struct odp_sheet;

/* OK; BAD: *FAULT says why; FAIL. LIMITS may be NULL. One thread at a time. */
enum odp_status odp_workbook_open(struct odp_workbook **out, const char *path,
                                  const struct odp_workbook_limits *limits,
                                  struct odp_workbook_fault *fault) ODP_MUST_USE;
void odp_workbook_close(struct odp_workbook *w);
size_t odp_workbook_sheets(const struct odp_workbook *w);
const char *odp_workbook_sheet_name(const struct odp_workbook *w, size_t sheet);
bool odp_workbook_sheet_hidden(const struct odp_workbook *w, size_t sheet);
/* Exact name; -1 without one. */
int odp_workbook_find(const struct odp_workbook *w, const char *name);
uint64_t odp_workbook_bytes(const struct odp_workbook *w); /* of the file */
bool odp_workbook_from_1904(const struct odp_workbook *w); /* day numbers count from 1904 */

/* Sheets may be read one after the other; one is open at a time. */
enum odp_status odp_sheet_open(struct odp_sheet **out, struct odp_workbook *w, size_t sheet,
                               struct odp_workbook_fault *fault) ODP_MUST_USE;
/* The next row that has a cell, in ascending order. OK, DONE, BAD (*FAULT), FAIL. */
enum odp_status odp_sheet_next(struct odp_sheet *s, struct odp_sheet_row *row,
                               struct odp_workbook_fault *fault) ODP_MUST_USE;
/* Known once a row was read. */
bool odp_sheet_column_hidden(const struct odp_sheet *s, uint32_t column);
/* How far the reading has come, of a million. */
uint32_t odp_sheet_progress(const struct odp_sheet *s);
void odp_sheet_close(struct odp_sheet *s);
