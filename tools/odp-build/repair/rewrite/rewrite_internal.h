/* Inside of repair/rewrite: shared by all kinds of sources.
 *
 *   plan.c                 takes patches, and the edits that do not fit
 *   rewrite.c              chooses the kind of source; orders patches; replaces the file as a whole
 *   csv.c, csv_records.c   edits -> patches of a CSV file; the proof; csv_plan.c: what both need
 *   shape.c                edits -> patches of a .dbf
 *   bytes.c                writes the file with its patches; encodes text
 *
 * A patch replaces a piece of the file. Patches come from the reader that the check uses (read/), so a row
 * is the same row; bytes outside patches are copied, so they cannot change. */
#pragma once

#include "base/digest.h"
#include "repair/edits.h"
#include "repair/file_state.h"
#include "repair/rewrite/encoder.h"

/* A piece of the file: places count bytes of the decoded text (of the file itself for UTF-8 and .dbf). */
struct patch {
    uint64_t start, end; /* end == start: only added */
    uint64_t row, line;
    size_t bytes, nbytes;                  /* its replacement, in the file's encoding; in plan.bytes */
    size_t before, nbefore, after, nafter; /* for showing, in plan.shown */
    uint32_t kind;                         /* of odp_edit_shown */
    uint32_t count;                        /* LINES: so many */
    uint32_t seq;                          /* order among those at one place */
    const char *field;
};

struct plan {
    struct odp_edits *edits;
    const struct odp_rewriting *how;
    struct odp_arena *arena;
    struct odp_diags *diags; /* the caller's: edits that do not fit */
    bool misfit;             /* an edit did not fit: nothing will be written */
    bool failed;             /* no memory for a diagnostic: asked where reading goes on */
    /* the file */
    const char *target;           /* path of the file to rewrite: PATH, or the .dbf next to it */
    struct odp_file_state before; /* TARGET before it was read: it must be unchanged at the switch */
    const char *encoding;         /* iconv's name; NULL: the bytes are the text */
    unsigned unit;                /* bytes of a code unit */
    uint64_t skip;                /* bytes of the byte order mark, in front of the text */
    struct patch *patches;
    size_t n;
    struct odp_buffer bytes, shown;
    /* proof: digest of the cells that must be there afterwards; proved false: impossible (a broken record,
     * another header) */
    bool proved;
    uint8_t expected[ODP_SHA256_SIZE];
    uint64_t records;
    struct odp_rewritten counts;
};

/* Appends a patch. BEFORE and AFTER are copied if they are to be shown. */
void odp_plan_add(struct plan *p, const struct patch *patch, struct odp_slice bytes, struct odp_slice before,
                  struct odp_slice after);
/* Marks and reports edit E, which does not fit (NULL: the source as a whole cannot be written): D has code,
 * row, line, column, field, value and args. */
void odp_plan_refuse(struct plan *p, const struct edit *e, struct odp_diag *d);
/* OK, or FAIL: something failed since the plan was begun. */
enum odp_status odp_plan_status(const struct plan *p) ODP_MUST_USE;
/* OK; BAD: an edit does not fit or the source cannot be read (reported); FAIL. */
enum odp_status odp_plan_csv(struct plan *p) ODP_MUST_USE;
enum odp_status odp_plan_shape(struct plan *p) ODP_MUST_USE;

/* Writes the file at p->target with its patches to the new file TEMPORARY. */
enum odp_status odp_copy_patched(const struct plan *p, const char *temporary) ODP_MUST_USE;
/* Reads TEMPORARY as the check would and compares. OK, BAD (reported), FAIL. */
enum odp_status odp_prove(const struct plan *p, const char *temporary) ODP_MUST_USE;
