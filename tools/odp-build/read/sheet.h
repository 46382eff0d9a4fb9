/* The rows of a workbook's sheet as they are, for who looks for the header himself (repair/intake). */
#pragma once

#include "read/kind.h"
#include "read/xlsx/workbook/workbook.h"

/* Opens the workbook at PATH (shown as FILE) at the sheet that R would be read from. OK, BAD (reported),
 * FAIL; odp_source_close in every case. */
enum odp_status odp_xlsx_open(struct odp_source **out, const struct odp_resource *r, const char *path,
                              const char *file, struct odp_diags *diags) ODP_MUST_USE;
/* OK, DONE, BAD (reported), FAIL. ROW is valid until the next one. */
enum odp_status odp_xlsx_row(struct odp_source *s, struct odp_sheet_row *row,
                             struct odp_diags *diags) ODP_MUST_USE;
/* How cell C is shown, whatever its field is; valid as the row is, or in BUF. */
struct odp_slice odp_xlsx_shown(const struct odp_sheet_cell *c, char buf[80]);
