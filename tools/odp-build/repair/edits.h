/* Inside of repair: the edits of one resource, in any order; the last one for a cell counts. */
#pragma once

#include "base/buffer.h"
#include "repair/repair.h"

enum edit_what { EDIT_FIELD, EDIT_COLUMN, EDIT_DELETE, EDIT_LINES, EDIT_LABEL, EDIT_APPEND, EDIT_MEND };

struct edit {
    uint64_t at;    /* row; LINES and LABEL: line; MEND: number of the shape, from 1, 0: the files */
    uint32_t place; /* FIELD, COLUMN: which; LINES: how many; LABEL: character column; APPEND: number of its
                       record; MEND: the fault's code */
    uint32_t seq;   /* order of arrival */
    enum edit_what what;
    bool misfit;           /* the source cannot take it: set by odp_rewrite */
    struct odp_slice text; /* ptr NULL: no text (an empty cell) */
};

struct odp_edits {
    struct odp_arena arena; /* its status is asked when edits are applied */
    const struct odp_resource *resource;
    bool refused; /* the source as a whole cannot be rewritten: set by odp_rewrite */
    struct edit *edits;
    size_t n;
    struct odp_slice **appended; /* new records: schema.n texts each */
    size_t nappended;
};
