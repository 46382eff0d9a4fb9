/* Drafts dataset.json for an unknown CSV file, workbook or shapefile (`odp-build init`).
 *
 *   open    the file as text: encoding, delimiter, quotes, title rows, header, comments         (two passes)
 *   survey  every cell of every column: what it could be, distinct values; then decisions       (one pass)
 *   settle  every cell against the decisions: exact evidence, ranges, composite keys, codes     (one pass)
 *
 * Nothing is concluded from a sample: each pass reads the whole file. Memory is bounded whatever the file
 * (distinct.h). A decision carries its evidence, counts in both languages; if another one was possible it is
 * a doubt, with the alternatives: the command asks, or takes the default and lists it. A steward finishes
 * the draft. */
#pragma once

#include "base/buffer.h"
#include "catalog/catalog.h"

enum odp_draft_kind { ODP_DRAFT_CSV, ODP_DRAFT_SHAPEFILE, ODP_DRAFT_WORKBOOK };

struct odp_draft_options {
    const char *path, *file;           /* the source, and as shown */
    const char *slug;                  /* or NULL: made from the file's name */
    const struct odp_catalog *catalog; /* its code lists and keys are compared; borrowed; or NULL */
};

/* A decision that could be another. Texts live as long as the draft. */
enum { ODP_DOUBT_OPTIONS = 4 };
struct odp_doubt {
    int kind;
    int column;            /* or -1: of the file */
    int detail;            /* the draft's own */
    struct odp_text title; /* "luas_ha: pemisah ribuan atau desimal?" */
    struct odp_text evidence;
    struct odp_text option[ODP_DOUBT_OPTIONS];
    unsigned noptions, chosen; /* without options: for information only */
    bool settled;              /* was asked */
};

struct odp_draft;
/* OK; BAD: the file cannot be drafted (reported in DIAGS); FAIL. Free *OUT in every case. */
enum odp_status odp_draft_open(struct odp_draft **out, const struct odp_draft_options *o,
                               struct odp_diags *diags) ODP_MUST_USE;
/* Reads the columns and decides. May be called again after a choice about the file. */
enum odp_status odp_draft_survey(struct odp_draft *d, struct odp_diags *diags) ODP_MUST_USE;
/* Reads once more, by the decisions. After the last choice about a column. */
enum odp_status odp_draft_settle(struct odp_draft *d, struct odp_diags *diags) ODP_MUST_USE;
void odp_draft_free(struct odp_draft *d);

/* The file as text, as open found it. Of CSV; lives as long as the draft. */
struct odp_draft_text {
    const char *encoding;
    bool sure;  /* of it: no other one is as likely */
    bool ascii; /* all are the same */
    char delimiter, quote, escape;
    bool skip_space;
};
void odp_draft_text(const struct odp_draft *d, struct odp_draft_text *out);

/* Doubts so far, in the order of the file. Borrowed until the next stage. */
struct odp_doubt *odp_draft_doubts(struct odp_draft *d, size_t *n);
/* Takes OPTION of doubt I. *AGAIN: the columns must be surveyed again. */
enum odp_status odp_draft_choose(struct odp_draft *d, size_t i, unsigned option, bool *again) ODP_MUST_USE;

const char *odp_draft_slug(const struct odp_draft *d);
void odp_draft_set_slug(struct odp_draft *d, const char *slug);
const struct odp_text *odp_draft_title(const struct odp_draft *d);
void odp_draft_set_title(struct odp_draft *d, const char *id, const char *en);
uint64_t odp_draft_rows(const struct odp_draft *d);
/* Files of the source (a shapefile has several). */
const char *const *odp_draft_sources(const struct odp_draft *d, size_t *n);

/* dataset.json. */
enum odp_status odp_draft_json(const struct odp_draft *d, struct odp_buffer *out) ODP_MUST_USE;
/* dataset.catatan.md: what was found and why, doubts, what is still to be filled in. CHECK: a paragraph
 * about the check, or "". */
enum odp_status odp_draft_notes(const struct odp_draft *d, enum odp_lang lang, const char *check,
                                struct odp_buffer *out) ODP_MUST_USE;

/* S as a legal slug (lower case, digits, '-'), in A. */
char *odp_draft_slug_of(const char *s, struct odp_arena *a) ODP_MUST_USE;
bool odp_draft_slug_ok(const char *slug);
