/* Places libxlsxwriter's temporary files next to ours, not in the system's folder. */
#pragma once

#include "published/output.h"

/* The folder for the library's temporary files, in A: where scratch files go, else that of PLACE, the
 * workbook. */
char *odp_xlsx_temporary_folder(struct odp_output *output, const char *place, struct odp_arena *a);
