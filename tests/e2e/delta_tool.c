/* For tests/e2e/delta.py: delta_tool OLD NEW DELTA LIMIT makes a delta. Exit: 0 made, 1 larger than LIMIT, 3
 * the machine failed. */
#include <stdio.h>
#include <stdlib.h>

#include "site/differences/delta.h"

int main(int argc, char **argv)
{
    struct odp_delta_side from = {0}, to = {0};
    struct odp_file *file;
    if (argc != 5)
        return 2;
    from = (struct odp_delta_side){.path = argv[1], .version = "2023-09-15"};
    to = (struct odp_delta_side){.path = argv[2], .version = "2024-03-15"};
    enum odp_status status = odp_file_seal(argv[1], &from.info);
    if (status == ODP_OK)
        status = odp_file_seal(argv[2], &to.info);
    if (status == ODP_OK)
        status = odp_file_create(&file, argv[3], 0644);
    if (status == ODP_OK) {
        status = odp_delta_make(file, &from, &to, strtoull(argv[4], NULL, 10));
        if (status == ODP_OK)
            status = odp_file_close(file, NULL);
        else
            odp_file_discard(file);
    }
    if (status == ODP_FAIL)
        fprintf(stderr, "delta_tool: %s\n", odp_failure_text());
    return status == ODP_OK ? 0 : status == ODP_DONE ? 1 : 3;
}
