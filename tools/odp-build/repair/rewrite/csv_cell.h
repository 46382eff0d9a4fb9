/* One cell's text as written in a CSV file. */
#pragma once

#include "read/csv/reader.h"

/* Appends TEXT (ptr NULL: an empty cell) to OUT. QUOTED: the old one was, or it has to be; it is quoted
 * anyway if needed. FIRST: it begins a record. False: this dialect cannot hold it. */
bool odp_cell_write(const struct csv_rules *rules, struct odp_slice text, bool quoted, bool first,
                    struct odp_buffer *out) ODP_MUST_USE;
/* The text of RAW, whose record begins at P: a slice of P, or a copy in ROOM (cleared first). */
struct odp_slice odp_cell_text(const struct csv_rules *rules, const char *p, const struct csv_raw *raw,
                               struct odp_buffer *room);
