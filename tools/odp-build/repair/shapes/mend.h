/* Shapefiles written anew without the faults that a person wants gone: their files as a whole (lengths,
 * numbers, index, counts, what is missing beside the .shp), and single shapes (rings closed, polygons made
 * valid). Every other shape keeps its bytes.
 *
 *   mend.c     what is asked; the new files, their proof, the switch
 *   records.c  where the records are, whatever header and index say
 *   shape.c    one record's shape, mended
 *   table.c    the .dbf: rows that are missing, or the whole table
 *   picture.c  every changed shape, before and after, as a page
 *
 * The new files are written beside the old ones, read again as the check reads them, and only then take their
 * places, the .shp last; what was there is kept as NAME.asli. */
#pragma once

#include "base/buffer.h"
#include "repair/repair.h"

/* "12,34 ha → 6,17 ha (-50 %)" */
void odp_shape_change_area(const struct odp_shape_change *c, enum odp_lang lang, struct odp_buffer *out);

/* Does what the edits of E that odp_edits_mend added ask for. OK; BAD: some do not fit (reported and marked,
 * A32, A33), or the new files do not read as they should (A07): nothing was written; FAIL. */
enum odp_status odp_mend(struct odp_edits *e, const struct odp_rewriting *how, struct odp_arena *arena,
                         struct odp_rewritten *out, struct odp_diags *diags) ODP_MUST_USE;
