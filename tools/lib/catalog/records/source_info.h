/* What odp-build/read knows of an open source, for check and run. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

struct odp_source_info {
    const char *file; /* as shown to the user */
    uint64_t bytes;   /* of the file(s), for progress */
    uint64_t records; /* known beforehand (shapefile), else 0 */
    int *
        column_of_field; /* schema.n entries: the record's cell for that field, or -1: the column is absent */
    int *field_of_column; /* ncolumns entries: index into the schema, or -1: not in the schema */
    uint32_t ncolumns;
    struct odp_slice *labels; /* ncolumns entries: the header as it stands */
    bool has_geometry;
    const char *crs;           /* "EPSG:32748", or the .prj's name; "" */
    const char *crs_operation; /* PROJ's name of the operation; "" */
    uint32_t batch_records;    /* how many records a batch holds at most */
    const char *dir; /* folder of the dataset's sources, for odp:document; NULL: not known, documents are not
                        looked at */
};
