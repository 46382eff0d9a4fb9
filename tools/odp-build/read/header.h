/* The labels of a table against the fields of its schema; the same for every kind of source. */
#pragma once

#include "catalog/catalog.h"
#include "catalog/records/source_info.h"

/* Matches LABELS with the schema's fields by (source) name as fieldsMatch says, fills column_of_field and
 * field_of_column (allocated in A) and reports H02 .. H07. LINE and the label's POSITION in the file are for
 * the diagnostics. Names longer than 10 bytes match a DBF column cut to 10 when CUT_TO is 10 and the match is
 * unambiguous. OK or BAD (cannot go on). */
struct odp_header {
    struct odp_slice *labels;
    uint32_t *columns; /* character column of each label in its line; NULL for shapefiles */
    uint32_t n;
    uint64_t line;
    const char *sheet;       /* of a workbook: columns are its columns' numbers; or NULL */
    struct odp_slice source; /* the header line as it stands */
    uint32_t *pos;           /* byte of each label in `source`; NULL for shapefiles */
    size_t cut_to;           /* 0 or 10 */
};
enum odp_status odp_header_match(const struct odp_resource *r, const char *file, const struct odp_header *h,
                                 struct odp_arena *a, struct odp_source_info *info,
                                 struct odp_diags *diags) ODP_MUST_USE;

/* ---- is a row the header? ---- */

/* How many of the schema's fields have their name among the N labels: of a very wide schema, of its first
 * ODP_HEADER_SCORED, which is enough to know a header. LOOSELY: in any case, with spaces for underscores. */
enum { ODP_HEADER_SCORED = 200 };
uint32_t odp_header_score(const struct odp_schema *schema, const struct odp_slice *labels, uint32_t n,
                          bool loosely);
uint32_t odp_header_scored(const struct odp_schema *schema);
/* Whether a row of POINTS looks like the header, and more so than one of FOUND. */
bool odp_header_is_better(const struct odp_schema *schema, uint32_t points, uint32_t found);
/* Two header rows as one: the labels of each column that are not empty, with JOIN between them. As many as
 * the longer row has. */
struct odp_slice *odp_header_join(struct odp_arena *a, const struct odp_slice *first, uint32_t nfirst,
                                  const struct odp_slice *more, uint32_t nmore, const char *join);

/* Without a header the columns are the schema's fields in their order. OK or FAIL. */
void odp_header_take_schema(const struct odp_resource *r, struct odp_arena *a, struct odp_source_info *info);
