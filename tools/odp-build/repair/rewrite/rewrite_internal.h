/* Inside of repair/rewrite: what the ways to rewrite share.
 *
 *   rewrite.c        which kind of source; replacing the file as a whole
 *   csv.c, csv_records.c   edits -> patches of a CSV file; what was written is read back
 *   shape.c          edits -> patches of a .dbf
 *   bytes.c          the file with its patches; text in the file's encoding
 *
 * A patch replaces a piece of the file by other bytes. Patches come from the very reader that the check uses
 * (read/), so a row is the same row; whatever no patch touches is copied byte by byte, so it cannot change.
 */
#pragma once

#include "base/digest.h"
#include "repair/edits.h"
#include "repair/file_state.h"

/* A piece of the file: places count bytes of the decoded text (of the file itself for UTF-8 and .dbf). */
struct patch {
    uint64_t start, end; /* end == start: only added */
    uint64_t row, line;
    size_t bytes, nbytes;                  /* what takes its place, in the file's encoding; in plan.bytes */
    size_t before, nbefore, after, nafter; /* for showing, in plan.shown */
    uint32_t kind;                         /* of odp_edit_shown */
    uint32_t count;                        /* LINES: so many */
    uint32_t seq;                          /* order among those that begin at one place */
    const char *field;
};

struct plan {
    struct odp_edits *edits;
    const struct odp_rewriting *how;
    struct odp_arena *arena;
    struct odp_diags *diags; /* the caller's: edits that do not fit */
    bool misfit;             /* an edit did not fit: nothing will be written */
    bool failed;             /* what was to be said found no memory: asked where reading goes on */
    /* the file */
    const char *target; /* path of the file that is rewritten: PATH, or the .dbf beside it */
    struct odp_look
        before; /* TARGET before it was read: it must be the same when the new one takes its place */
    const char *encoding; /* iconv's name; NULL: the bytes are the text */
    unsigned unit;        /* bytes of a code unit */
    uint64_t skip;        /* bytes of the byte order mark, in front of the text */
    struct patch *patches;
    size_t n;
    struct odp_buffer bytes, shown;
    /* proof: digest of the cells that must be there afterwards; proved false: none can be given (a broken
     * record, another header) */
    bool proved;
    uint8_t expected[ODP_SHA256_SIZE];
    uint64_t records;
    struct odp_rewritten counts;
};

/* A patch at the end of the list. BEFORE and AFTER are copied when they are to be shown. */
void odp_plan_add(struct plan *p, const struct patch *patch, struct odp_slice bytes, struct odp_slice before,
                  struct odp_slice after);
/* Edit E, which does not fit (NULL: the source as a whole cannot be written), is marked and said: D has code,
 * row, line, column, field, value and args. */
void odp_plan_refuse(struct plan *p, const struct edit *e, struct odp_diag *d);
/* OK, or FAIL: something failed since the plan was begun. */
enum odp_status odp_plan_status(const struct plan *p) ODP_MUST_USE;
/* S in the file's encoding, appended to OUT. OK; DONE: a character is not in it (*BAD, in S); FAIL. CD as
 * iconv opened it. */
struct odp_encoder {
    void *cd;
    bool open;
};
enum odp_status odp_encoder_open(struct odp_encoder *c, const char *encoding) ODP_MUST_USE;
void odp_encoder_close(struct odp_encoder *c);
enum odp_status odp_encode(const struct odp_encoder *c, struct odp_slice s, struct odp_buffer *out,
                           size_t *bad) ODP_MUST_USE;

/* OK; BAD: an edit does not fit or the source cannot be read (said); FAIL. */
enum odp_status odp_plan_csv(struct plan *p) ODP_MUST_USE;
enum odp_status odp_plan_shape(struct plan *p) ODP_MUST_USE;

/* Writes the file at p->target with its patches to the new file TEMPORARY. */
enum odp_status odp_copy_patched(const struct plan *p, const char *temporary) ODP_MUST_USE;
/* Reads TEMPORARY as the check would and compares. OK, BAD (said), FAIL. */
enum odp_status odp_prove(const struct plan *p, const char *temporary) ODP_MUST_USE;
