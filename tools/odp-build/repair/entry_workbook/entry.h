/* The empty entry workbook of a dataset (`odp-build template SLUG`): a sheet for each resource with its
 * source's columns, formatted and checked while typing, the code lists, and guidance in the person's
 * language. read/xlsx/xlsx.c reads it back as it is. */
#pragma once

#include "catalog/records/code_lists.h"

enum { ODP_ENTRY_ROWS = 5000 }; /* prepared rows: formats go on below, checks do not */

/* Writes PATH, which must not exist. CODES: the code lists, read. XLSX: by resource index, whether its
 * declared source is a workbook (its dialect then places the header). OK; BAD: PATH exists; FAIL. */
enum odp_status odp_entry_write(const char *path, const struct odp_dataset *d,
                                const struct odp_code_lists *codes, const bool *xlsx,
                                enum odp_lang lang) ODP_MUST_USE;
