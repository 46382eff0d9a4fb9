/* Inside of repair: a source and its records, as the correction workbook shows them. */
#pragma once

#include "base/file.h"
#include "read/source.h"
#include "repair/repair.h"
#include "repair/workbook/format.h"

/* One record as shown: its cells by column. Reused for every record. */
struct correct_record {
    uint64_t row, line;
    bool broken;             /* its cells could not be told apart */
    struct odp_slice *shown; /* ncolumns */
    bool *cut;
    char digest[CORRECT_ID_DIGEST];
    struct odp_buffer text, scratch;
    size_t *at;                    /* where each begins in `text` */
    const struct odp_batch *batch; /* and the record as it was read */
    const struct odp_record *raw;
};
/* Reads every record of PATH in order. TAKE returns OK, DONE (enough), or FAIL. BEGIN (or NULL) gets the
 * columns first. OK; BAD: unreadable (reported in DIAGS); FAIL. */
struct correct_reading {
    void *ctx;
    enum odp_status (*begin)(void *ctx, const struct odp_source_info *info);
    enum odp_status (*take)(void *ctx, const struct odp_source_info *info, const struct correct_record *r);
};
enum odp_status correct_read(const struct odp_resource *r, const char *path, const struct correct_reading *to,
                             struct odp_diags *diags) ODP_MUST_USE;

/* The file read for R: --as, --sources or the catalogue's. */
char *correct_source(const struct odp_correct_options *o, const struct odp_resource *r,
                     struct odp_arena *a) ODP_MUST_USE;
bool correct_is_shapefile(const struct odp_resource *r, const char *path);
/* Whether repair/rewrite can write such a source: CSV, and a shapefile that is not zipped. */
bool correct_can_rewrite(const struct odp_resource *r, const char *path);
