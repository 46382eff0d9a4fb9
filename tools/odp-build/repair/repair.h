/* From faults to a corrected source: shared by `odp-build fix`, `--report xlsx=` and `odp-build apply`.
 *
 *   check, with a sink --> faults.c     all faults of a run, compact
 *                            |-> fix.c       proposals as edits, shown as differences
 *                            `-> workbook/   the correction workbook: the bad rows, read again from the
 *                                            source edited
 *   workbook --> apply/       edits, conflicts
 *   edits --> rewrite/        the source with those cells changed, every other byte as it was
 *
 * Nothing is repaired by itself: a person accepts each edit. The source is replaced as a whole (base/file.h),
 * its original kept next to it. */
#pragma once

#include "catalog/catalog.h"

/* ---- faults.c: every fault of a run ---- */

struct odp_faults;
enum odp_status odp_faults_new(struct odp_faults **out) ODP_MUST_USE;
void odp_faults_free(struct odp_faults *f);
/* For odp_options.sink; valid as long as F. */
const struct odp_diag_sink *odp_faults_sink(struct odp_faults *f);
/* Other limits for tests: FAULTS, and BYTES of texts. */
void odp_faults_limit(struct odp_faults *f, uint64_t faults, size_t bytes);

/* The faults of one resource, by row, then in order of arrival; row 0 (file, header) first. */
struct odp_fault_list;
enum odp_status odp_faults_of(struct odp_faults *f, const struct odp_resource *r,
                              const struct odp_fault_list **out) ODP_MUST_USE;
uint64_t odp_fault_list_count(const struct odp_fault_list *l);
/* Faults that were found and not kept: a run keeps at most 4,000,000 faults and 256 MiB of different texts.
 * Lists that are shown must mention them. */
uint64_t odp_fault_list_dropped(const struct odp_fault_list *l);
/* Fault I as a diagnostic (without its source line); its texts are valid until a run adds faults.
 */
void odp_fault_list_get(const struct odp_fault_list *l, uint64_t i, struct odp_diag *out);

/* ---- edits.c, rewrite/: a source with edits applied ---- */

struct odp_edits; /* of one resource; in any order; the last one for a cell counts. Applying reports that
                     memory was exhausted. */
enum odp_status odp_edits_new(struct odp_edits **out, const struct odp_resource *r) ODP_MUST_USE;
void odp_edits_free(struct odp_edits *e);
bool odp_edits_is_empty(const struct odp_edits *e);
/* ROW: data record from 1. FIELD: index into the schema. TEXT: unquoted; ptr NULL: an empty cell. */
void odp_edits_cell(struct odp_edits *e, uint64_t row, uint32_t field, struct odp_slice text);
/* The cell of a column without a field, by its place in the source. */
void odp_edits_column_cell(struct odp_edits *e, uint64_t row, uint32_t column, struct odp_slice text);
void odp_edits_delete(struct odp_edits *e, uint64_t row);
/* Deletes N physical lines from LINE (from 1) on: title rows, blank lines. */
void odp_edits_delete_lines(struct odp_edits *e, uint64_t line, uint32_t n);
/* The label at COLUMN (in characters, from 1) of physical line LINE. */
void odp_edits_label(struct odp_edits *e, uint64_t line, uint64_t column, struct odp_slice label);
/* What D, a diagnostic whose action is ODP_ACTION_MEND_SHAPE, wants (repair/shapes). */
void odp_edits_mend(struct odp_edits *e, const struct odp_diag *d);
/* Adds a record at the end: TEXT[i] is field i's cell (schema.n entries; ptr NULL: empty). */
void odp_edits_append(struct odp_edits *e, const struct odp_slice *text);

struct odp_rewritten {
    uint64_t cells, deleted, appended, labels, lines; /* applied */
    uint64_t shapes, parts;                           /* mended; written anew */
    const char *original; /* path of the kept original; NULL, too, where only new files came */
};
/* A shape before [0] and after [1]. */
struct odp_shape_change {
    uint32_t points[2], parts[2];
    double hectares[2]; /* 0: it has no area */
};
/* An edit as it is applied, to be shown; BEFORE and AFTER as in the source. */
struct odp_edit_shown {
    enum {
        ODP_EDIT_CELL,
        ODP_EDIT_DELETE,
        ODP_EDIT_LINES,
        ODP_EDIT_LABEL,
        ODP_EDIT_APPEND,
        ODP_EDIT_SHAPE, /* SHAPE has the change */
        ODP_EDIT_PART   /* FIELD: ".shx", written anew */
    } kind;
    uint64_t row, line;
    const char *field;
    struct odp_slice before,
        after;        /* DELETE, LINES: before is the deleted text; APPEND: after is the record */
    uint64_t cells;   /* of `fix`: cells with the same edit, */
    const char *rows; /* and their lines: "3-5, 9, …"; NULL: this one alone */
    const struct odp_shape_change *shape;
};
typedef enum odp_status odp_edit_show(void *ctx, const struct odp_edit_shown *edit);
/* Sees the corrected source of R before it takes the old one's place: whole at FRESH, a name in the same
 * folder that will not stay. OK, or what ends the rewrite. */
typedef enum odp_status odp_edits_preview(void *ctx, const struct odp_resource *r, const char *fresh);
struct odp_rewriting {
    const char *path, *file;    /* the source, and as shown */
    bool dry;                   /* nothing is written */
    odp_edit_show *show;        /* is told of every edit, in the order of the source; or NULL */
    odp_edits_preview *preview; /* of CSV; also when dry, where the folder may be written to; or NULL */
    void *ctx;                  /* of SHOW and PREVIEW */
    const char *picture;        /* where a page with the shapes that change is to be written, or NULL */
    enum odp_lang lang;         /* of PICTURE */
};
/* Reads the source and, unless dry, replaces it by the corrected one: same encoding, byte order mark, line
 * ends and quoting; an unedited cell keeps its bytes. The original is kept as PATH with ".asli" (then
 * ".asli.2" …) before the switch. OK; BAD: edits do not fit the source (reported in DIAGS and marked, see
 * edits.h), or this kind of source cannot be rewritten (A03); nothing was written. CSV with its dialect;
 * shapefiles: values of the .dbf, and what repair/shapes mends. */
enum odp_status odp_rewrite(struct odp_edits *e, const struct odp_rewriting *how, struct odp_arena *arena,
                            struct odp_rewritten *out, struct odp_diags *diags) ODP_MUST_USE;

/* Removes ORIGINAL, which a rewrite kept, and what it kept with it: for a source of which an older
 * original is there. */
void odp_original_drop(const char *original);

/* ---- workbook/, apply/: the correction workbook ---- */

struct odp_correct_options {
    const struct odp_catalog *catalog;
    const char *sources; /* --sources, or NULL */
    const char *as_slug, *as_file;
    enum odp_lang lang;
    const char *version; /* of the program */
    bool dry;            /* odp_correct_apply writes nothing */
};
/* The workbook at PATH (mode 0600; replaced as a whole) of the resources that have faults. OK or FAIL. */
enum odp_status odp_correct_write(struct odp_faults *f, const struct odp_correct_options *o,
                                  const char *path) ODP_MUST_USE;

/* A source that was rewritten (or would be, when dry). */
struct odp_applied_file {
    const struct odp_resource *resource;
    const char *path;
    const char *original; /* where the original was kept; NULL when dry */
};
struct odp_applied {
    const struct odp_applied_file *file; /* in the arena */
    uint64_t files;
    uint64_t cells, deleted, appended;
    uint64_t conflicts; /* edits that were not applied; each is a diagnostic */
    uint64_t already;   /* edits that the source already has */
};
/* Callbacks of apply. BEGIN comes before a source's edits, which EDIT gets in the source's order. */
struct odp_correct_watch {
    enum odp_status (*begin)(void *ctx, const struct odp_resource *r, const char *path);
    odp_edit_show *edit;
    odp_edits_preview *preview; /* of CSV; also when dry, where the folder may be written to; or NULL */
    void *ctx;
};
/* Reads the workbook at PATH and rewrites its sources. Edits that conflict with later changes of the source,
 * and cells that a spreadsheet has turned into numbers or dates, become diagnostics and are left alone; the
 * rest is applied. OK; BAD: nothing is usable, or there were conflicts; FAIL. WATCH may be NULL. Memory
 * grows with the edited rows, and by 32 bytes for every row. */
enum odp_status odp_correct_apply(const char *path, const struct odp_correct_options *o,
                                  const struct odp_correct_watch *watch, struct odp_arena *arena,
                                  struct odp_applied *out, struct odp_diags *diags) ODP_MUST_USE;
