/* Text as the workbook's format, or a program that shows it, wants it. */
#pragma once

#include "base/arena.h"
#include "base/buffer.h"

enum { ODP_XLSX_UNITS_MAX = 32767 }; /* UTF-16 units in a cell */

/* S as a string of a cell that reads back as S: what reads like _x0041_ (an escape of the format) is escaped,
 * and so are the characters that XML has not and the library does not care for. False: too long for a cell.
 */
bool odp_xlsx_text_put(struct odp_buffer *out, struct odp_slice s);
/* TEXT to OUT: what FORBIDDEN holds and control characters become spaces, runs of spaces one; at most MOST
 * UTF-16 units. */
void odp_xlsx_add_line(struct odp_buffer *out, const char *text, const char *forbidden, size_t most);
/* TEXT without control characters, for names and properties; at most MOST UTF-16 units, in A. */
char *odp_xlsx_line(const char *text, size_t most, struct odp_arena *a);
/* An address that a spreadsheet can open as it is: http or https, characters of RFC 3986 only. */
bool odp_xlsx_is_link(struct odp_slice s);
/* Characters of the widest line of S. */
unsigned odp_xlsx_width(struct odp_slice s);
/* Lines of S wrapped at words in WIDTH columns. */
unsigned odp_xlsx_lines(struct odp_slice s, unsigned width);
