/* Inside of write/index: tables and indexes written as the pages of an SQLite file, one after the other, without SQLite.
 *
 * SQLite inserts row by row and asks of every page where it is; what comes in order can be written from the leaves up, once, to the end of a file. The pages
 * follow https://www.sqlite.org/fileformat2.html (1.3 the header, 1.5 lock-byte page, 1.6 b-trees, 1.7 overflow, 2.1 records), which does not change. A file so made
 * has an empty schema: who opens it with SQLite then says which tree is which (writer_sql.c).
 *
 *   struct tree_pages  the file: page 1 is written last, by close
 *   struct tree        one b-tree: rows by ascending rowid, or keys in the order of the index; their records are made by tree_row.h */
#ifndef ODP_WRITE_INDEX_TREE_H
#define ODP_WRITE_INDEX_TREE_H

#include "base/buffer.h"
#include "base/slice.h"

enum { TREE_PAGE = 16384 };

struct tree_pages;
/* Creates PATH (borrowed), which must not exist. */
enum odp_status tree_pages_new(struct tree_pages **out, const char *path) ODP_MUST_USE;
/* Writes page 1 and closes the file. Frees P in every case. */
enum odp_status tree_pages_end(struct tree_pages *p, uint32_t application_id, uint32_t user_version) ODP_MUST_USE;
void tree_pages_abort(struct tree_pages *p); /* NULL is allowed; the file stays */

struct tree;
enum odp_status tree_new(struct tree **out, struct tree_pages *p, bool index) ODP_MUST_USE; /* P is borrowed */
void tree_free(struct tree *t);
enum odp_status tree_add_row(struct tree *t, int64_t rowid, struct odp_slice record) ODP_MUST_USE;
enum odp_status tree_add_key(struct tree *t, struct odp_slice record) ODP_MUST_USE;
/* Writes what is left of it; *ROOT is the page of its root. */
enum odp_status tree_end(struct tree *t, uint32_t *root) ODP_MUST_USE;

#endif
