/* The empty entry workbook of a dataset (`odp-build template SLUG`): a sheet a resource with the columns its
 * source has, formatted and checked while somebody types, the code lists to choose from, and guidance in the
 * person's language. What is filled in is read back by read/xlsx/xlsx.c as it is. */
#pragma once

#include "catalog/records/code_lists.h"

enum { ODP_ENTRY_ROWS = 5000 }; /* prepared: formats go on below, checks do not */

/* Writes PATH, which must not be there. CODES: the code lists, read. XLSX: by resource index, whether its
 * declared source is a workbook (its dialect then says where the header stands). OK; BAD: PATH is there
 * already; FAIL. */
enum odp_status odp_entry_write(const char *path, const struct odp_dataset *d,
                                const struct odp_code_lists *codes, const bool *xlsx,
                                enum odp_lang lang) ODP_MUST_USE;
