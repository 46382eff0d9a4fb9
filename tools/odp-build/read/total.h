/* Total rows (ODP-R08) and notes (ODP-R11) that a spreadsheet left among the records. */
#pragma once

#include "catalog/records/batch.h"
#include "catalog/records/source_info.h"

/* Whether sliced record I is a total: its first cell that is not empty says so ("Jumlah", "TOTAL:"), and it
 * cannot be a record of its own: a required or key field is empty, or the word is in a field of numbers, or
 * the row has no other text. In a table whose only text is that column, only the very last record is
 * suspected. A category "Total" in a full row is data. RAGGED: it has the wrong number of cells, so it is
 * not a record anyway. */
bool odp_is_total(const struct odp_resource *r, const struct odp_source_info *info, const struct odp_batch *b,
                  uint32_t i, bool ragged);
/* Whether it is a note about the table: its first text begins with "Sumber:", "Catatan:", "Keterangan:" or
 * an asterisk, and it cannot be a record: it has no other text although the table has more columns, or it is
 * ragged. A row that numbers the columns, (1);(2);(3), is one too; so is a sentence alone on a line of a
 * table of three columns or more. */
bool odp_is_note(const struct odp_resource *r, const struct odp_source_info *info, const struct odp_batch *b,
                 uint32_t i, bool ragged);

/* "Jumlah", "TOTAL:": S, but for the space around it. */
bool odp_is_total_word(struct odp_slice s);
/* "Sumber: BPS", "*) angka sementara": S is trimmed. */
bool odp_begins_note(struct odp_slice s);
/* False for nearly every text: no total and no note begins like it. The first text of a record that has as
 * many cells as it should. */
bool odp_begins_no_record(const char *text, uint32_t len);
