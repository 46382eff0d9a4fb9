/* Inside of metadata: what writer and reader of the workbook agree on.
 *
 * A sheet for each kind of member, a row an object: the portal, a dataset, a field, a category. The first
 * row, hidden, has the names of columns: "dataset", "field", "value" say whose row it is, "title.id" is a
 * member. The second has labels. A hidden sheet keeps every cell as it was, so that what a person changed
 * is told from what they saw. */
#pragma once

#include "metadata/metadata_internal.h"

#define BOOK_MARK "odp metadata" /* name of the hidden sheet, and its first cell */
enum { BOOK_FORMAT = 1, BOOK_HEADS = 2 };

/* "title.id", "frequency" */
static inline const char *book_column(const struct member *m, int lang, struct odp_arena *a)
{
    return m->both ? odp_arena_printf(a, "%s.%s", m->name, odp_lang_code((enum odp_lang)lang)) : m->name;
}
