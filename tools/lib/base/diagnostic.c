#include "base/diagnostic.h"

#include <stdio.h>

/* As spreadsheet programs write it. */
const char *odp_diag_cell(const struct odp_diag *d, char out[32])
{
    char name[8];
    out[0] = '\0';
    if (d->sheet != NULL && d->line > 0 && d->column > 0)
        snprintf(out, 32, "%s%llu", odp_column_name((uint32_t)d->column - 1, name), (unsigned long long)d->line);
    return out;
}
