/* Inside of repair: the edits of one resource, as they were asked for: in any order, the last one for a cell counts. */
#ifndef ODP_REPAIR_EDITS_H
#define ODP_REPAIR_EDITS_H

#include "base/buffer.h"
#include "repair/repair.h"

enum edit_what { EDIT_FIELD, EDIT_COLUMN, EDIT_DELETE, EDIT_LINES, EDIT_LABEL, EDIT_APPEND };

struct edit {
    uint64_t at;               /* row; LINES and LABEL: line */
    uint32_t place;            /* FIELD, COLUMN: which; LINES: how many; LABEL: character column; APPEND: number of its first text */
    uint32_t seq;              /* order of arrival */
    uint32_t len;              /* of its text; UINT32_MAX: no text (an empty cell) */
    uint32_t what;             /* enum edit_what */
    size_t text;               /* in odp_edits.text */
};
#define EDIT_NO_TEXT UINT32_MAX

struct odp_edits {
    const struct odp_resource *resource;
    odp_edits_look *look;      /* or NULL */
    void *look_ctx;
    struct edit *edits;
    size_t n, cap;
    struct odp_buffer text;
    struct edit *cells;        /* of appended records: schema.n a record */
    size_t ncells, cap_cells;
    size_t nappended;
};

static inline struct odp_slice odp_edit_text(const struct odp_edits *e, const struct edit *d)
{
    return d->len == EDIT_NO_TEXT ? (struct odp_slice){NULL, 0} : (struct odp_slice){e->text.ptr != NULL ? e->text.ptr + d->text : "", d->len};
}

#endif
