/* Rows of JSON objects as a table for people, as CSV and as JSON; and bars. What came from outside is shown
 * without control characters. */
#pragma once

#include <jansson.h>
#include <stdio.h>

#include "base/buffer.h"
#include "base/diag.h"

struct table_column {
    const char *name; /* of the member */
    struct odp_text title;
    bool number; /* to the right */
};

/* A value as people read it: null is "-", true and false in the language; no control characters. Appended. */
void table_cell(struct odp_buffer *b, const json_t *value, enum odp_lang lang);
/* With a line of titles. Columns that no row has are left out. */
void table_print(FILE *out, const json_t *rows, const struct table_column *columns, size_t n,
                 enum odp_lang lang);
/* Members of one object, one a line; arrays of objects as tables below. */
void table_record(FILE *out, const json_t *row, const struct table_column *columns, size_t n,
                  enum odp_lang lang);
/* RFC 4180. COLUMNS NULL: the members of the first row. Text that a spreadsheet would take for a formula gets
 * an apostrophe. */
void table_csv(FILE *out, const json_t *rows, const char *const *columns, size_t n);
void table_json(FILE *out, const json_t *rows);

/* A bar of VALUE, where LARGEST is WIDTH columns; eighths of a column when UNICODE, else '#'. Something above
 * zero is never nothing. */
void plot_bar(struct odp_buffer *b, double value, double largest, size_t width, bool unicode);
/* Columns of the terminal at FD; else 80. */
size_t plot_width(int fd);
