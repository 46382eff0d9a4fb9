#include "base/diagnostic.h"

#include <stdio.h>

/* As spreadsheet programs write it. */
const char *odp_diag_cell(const struct odp_diag *d, char out[32])
{
    char back[16];
    size_t n = 0, i = 0;
    out[0] = '\0';
    if (d->sheet == NULL || d->line == 0 || d->column == 0)
        return out;
    for (uint64_t c = d->column; c > 0 && n < 8; c = (c - 1) / 26)
        back[n++] = (char)('A' + (c - 1) % 26);
    while (n > 0)
        out[i++] = back[--n];
    snprintf(out + i, 32 - i, "%llu", (unsigned long long)d->line);
    return out;
}
