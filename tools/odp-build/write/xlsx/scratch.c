#include "write/xlsx/scratch.h"

#include "base/path.h"

char *odp_xlsx_temporary_folder(struct odp_output *output, const char *place, struct odp_arena *a)
{
    return odp_path_folder(a, output->scratch != NULL ? output->scratch(output->ctx, a) : place);
}
