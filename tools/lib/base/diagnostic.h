/* One diagnostic: what is wrong, where, what was found, and what is proposed. */
#pragma once

#include <stdint.h>

#include "base/diag_code.h"
#include "base/slice.h"

#define ODP_DIAG_ARGS 4

/* What a proposal changes. Nothing happens by itself: `odp-build fix` and the correction workbook offer it.
 */
enum odp_action {
    ODP_ACTION_REPLACE,       /* `proposal`, where it is set, takes the place of the field's cell: text as the
                                 source writes it */
    ODP_ACTION_DELETE_RECORD, /* the record goes (a total row, a repeated header, a duplicate) */
    ODP_ACTION_DELETE_LINES,  /* `lines` physical lines from `line` on go (title rows before the header) */
    ODP_ACTION_RENAME_LABEL,  /* `proposal` takes the place of the column's label at `line`, `column` */
    ODP_ACTION_MEND_SHAPE     /* the shapefile, or its record `line`, is written anew without this fault;
                                 `proposal`, where it is set: the coordinate system that its .prj is to say */
};

struct odp_diag {
    enum odp_code code;
    enum odp_severity
        severity; /* set by odp_diags_add from the code and the overrides when left ODP_SEVERITY_OFF (0) */
    const char *dataset;   /* slug, or NULL */
    const char *resource;  /* name or NULL */
    const char *file;      /* as the user gave it, or NULL */
    uint64_t line, column; /* from 1 in the source file, column in characters; 0 = none */
    const char *sheet; /* of a workbook: line and column are its row and its column's number then; NULL: no
                          workbook */
    uint32_t table_column; /* of a CSV file: the cell's column as a spreadsheet counts it, from 1; 0 = none */
    const char *label;     /* the label above that column, where it is one field's name; or NULL */
    uint64_t row;          /* data record from 1; 0 = none */
    uint64_t offset;       /* byte in the file, from 0 */
    const char *field;     /* name or NULL */
    struct odp_slice value;        /* what was found, as the source has it; ptr NULL: nothing to show */
    struct odp_slice source;       /* the source line (or its part) to show; ptr NULL: none */
    uint32_t mark_start, mark_len; /* bytes of `source` to underline */
    struct odp_slice args[ODP_DIAG_ARGS]; /* {0} .. {3} of the templates; language-neutral */
    struct odp_slice proposal;            /* a likely right value, whole and unmasked, or ptr NULL */
    enum odp_action action;               /* what is proposed; other than REPLACE, it needs no value */
    uint32_t lines;                       /* of DELETE_LINES */
    const char *where;                    /* where the expectation is written: "dataset.json:58", or NULL */
    const char *rule;                     /* code of an odp:rules entry, or NULL */
    const struct odp_text
        *message; /* replaces the code's title (row rules, expressions); NULL else. Copied. */
    bool secret;  /* the value, and every cell of `source`, must not be shown: masked whole */
};

/* Something is proposed: a value, or an action that needs none. */
static inline bool odp_diag_proposes(const struct odp_diag *d)
{
    return d->proposal.ptr != NULL || d->action == ODP_ACTION_DELETE_RECORD ||
           d->action == ODP_ACTION_DELETE_LINES || d->action == ODP_ACTION_MEND_SHAPE;
}

/* "B17": the cell of a workbook that D points to; "" outside workbooks and cells. */
const char *odp_diag_cell(const struct odp_diag *d, char out[32]);
