/* The labels of a table against the fields of its schema; the same for every kind of source. */
#ifndef ODP_READ_HEADER_H
#define ODP_READ_HEADER_H

#include "catalog/catalog.h"
#include "catalog/records/source_info.h"

/* Matches LABELS with the schema's fields by (source) name as fieldsMatch says, fills column_of_field and field_of_column
 * (allocated in A) and reports H02 .. H07. LINE and the label's POSITION in the file are for the diagnostics. Names longer than
 * 10 bytes match a DBF column cut to 10 when CUT_TO is 10 and the match is unambiguous. OK or BAD (cannot go on). */
struct odp_header {
    struct odp_slice *labels;
    uint32_t *columns;         /* character column of each label in its line; NULL for shapefiles */
    uint32_t n;
    uint64_t line;
    const char *sheet;         /* of a workbook: columns are its columns' numbers; or NULL */
    struct odp_slice source;   /* the header line as it stands */
    uint32_t *pos;             /* byte of each label in `source`; NULL for shapefiles */
    size_t cut_to;             /* 0 or 10 */
};
enum odp_status odp_header_match(const struct odp_resource *r, const char *file, const struct odp_header *h,
                                 struct odp_arena *a, struct odp_source_info *info, struct odp_diags *diags) ODP_MUST_USE;
/* Without a header the columns are the schema's fields in their order. OK or FAIL. */
enum odp_status odp_header_take_schema(const struct odp_resource *r, struct odp_arena *a, struct odp_source_info *info) ODP_MUST_USE;

#endif
