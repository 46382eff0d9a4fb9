/* Inside of write: what the search of every page (site/pages) has of a table, told next to its query index in
 * <name of the index>.words.json (internal), so that who does not hold the index, or has not changed it, need
 * not read it:
 *
 *   {"values": [[column, [[code, label, English label, records]…]]…], "words": {word: records}}
 *
 * values: of columns whose codes have names; words: the most frequent first, equally frequent ones by their
 * bytes. */
#pragma once

#include "base/buffer.h"
#include "base/status.h"

/* Appends that of the index at PATH on the disk to OUT, with a line feed. */
enum odp_status odp_search_table_print(const char *path, struct odp_buffer *out) ODP_MUST_USE;
