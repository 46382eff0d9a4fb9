/* What writer and reader of the correction workbook agree on. Inside of repair.
 *
 * Sheets: the summary; one for each resource with faults in its records; the code lists; "odp", hidden,
 * which names the sources. A resource's sheet has its columns in this order: id (hidden), line, action,
 * problem, then the source's own columns, each followed by its column of proposals if there are any. The
 * hidden sheet names them, so columns may be moved, and missing or new ones are noticed.
 *
 * An id is "r<row>.<flags>.<digest>.<marks>": the record's number, flags, 96 bits of the digest of its
 * cells, and 12 bits for each cell. It moves with its row when rows are sorted; a row's place means nothing.
 * The digest finds a record that has moved in the source; the marks tell which cells were changed in a row
 * whose record is gone.
 *
 * Cells are compared as shown (correct_shown): changes that a spreadsheet makes by itself are made on both
 * sides. */
#pragma once

#include "base/buffer.h"
#include "base/diag.h"

#define CORRECT_FORMAT 1     /* of the workbook; a reader refuses a higher one */
#define CORRECT_META   "odp" /* the hidden sheet's name */
#define CORRECT_MARK   "odp-correction"

enum {
    CORRECT_UNITS = 32000,   /* UTF-16 units shown of a cell; the format allows 32,767 */
    CORRECT_ID_DIGEST = 16,  /* characters */
    CORRECT_ROWS = 1047000,  /* rows of records on one sheet; the rest is room for new rows */
    CORRECT_CONTEXT = 20000, /* with more bad records, the rows around them are left out */
    CORRECT_COMMENTS = 2000, /* in one workbook */
    CORRECT_LIST = 100000    /* codes of one list */
};

enum correct_column_kind {
    CORRECT_ID,
    CORRECT_LINE,
    CORRECT_ACTION,
    CORRECT_PROBLEM,
    CORRECT_CELL,
    CORRECT_PROPOSAL
};
extern const char *const correct_column_names[]; /* by kind, as the hidden sheet has them */

enum correct_action { CORRECT_NOTHING, CORRECT_ACCEPT, CORRECT_DELETE, CORRECT_UNKNOWN };
const char *correct_action_word(enum correct_action a, enum odp_lang lang);
/* Both languages, any case, spaces around. */
enum correct_action correct_action_of(struct odp_slice s);

enum {
    CORRECT_FLAG_DELETE = 1 /* a proposal deletes it */,
    CORRECT_FLAG_BROKEN = 2 /* its cells could not be told apart */,
    CORRECT_FLAG_COPY = 4 /* an equal record stands before it */
};

struct correct_id {
    uint64_t row;
    unsigned flags;
    char digest[CORRECT_ID_DIGEST];
    struct odp_slice marks; /* two characters a column of the source */
};

/* Appends S as a cell shows it to OUT: line ends are LF, characters that XML lacks are U+FFFD, cut (with an
 * ellipsis) beyond CORRECT_UNITS. *CUT, unless NULL, tells. */
void correct_shown(struct odp_buffer *out, struct odp_slice s, bool *cut);
/* Of N shown cells. */
void correct_digest(const struct odp_slice *shown, size_t n, struct odp_buffer *scratch,
                    char out[CORRECT_ID_DIGEST]);
void correct_mark(struct odp_slice shown, char out[2]);
void correct_id_write(struct odp_buffer *out, const struct correct_id *id);
bool correct_id_read(struct odp_slice s, struct correct_id *out);
