#include "write/xlsx/scratch.h"

char *odp_xlsx_temporary_folder(struct odp_output *output, const char *place, struct odp_arena *a)
{
    char *path = output->scratch != NULL ? output->scratch(output->ctx, a) : odp_arena_str(a, place);
    char *slash = strrchr(path, '/');
    if (slash == NULL)
        return odp_arena_str(a, ".");
    slash[slash == path] = '\0';
    return path;
}
