/* Inside of check/drift: what is known of records that both versions have. */
#pragma once

#include "check/drift/drift_internal.h"
#include "check/drift/rows.h"

enum {
    STEPS = 6,    /* one to three rows down, then up */
    SCALE_MAX = 9 /* powers of ten that are told apart */
};
#define NOWHERE UINT32_MAX

/* A place in the source, kept. */
struct place {
    bool there;
    struct odp_diag diag; /* its texts are in the arena */
};

/* How far a column goes with the rows that are a step away. */
struct step {
    uint64_t same;     /* cells that have changed to what that row had before */
    uint64_t expected; /* rows that would have changed had all moved, from the first such cell on */
    uint64_t until;    /* … up to the last */
};

/* Numbers that go on by equal steps from row to row: of a running number, a year, a ranking. */
struct series {
    double last, step;
    uint64_t even; /* rows for which that is so */
};

struct row_column {
    uint32_t field, old;
    bool number;              /* before and now: compared by value */
    uint64_t changed, filled; /* cells; those that were empty */
    uint64_t varies;          /* rows whose cell was not that of the row above */
    uint64_t before, now;     /* sums of hashes: equal where the values are the same, whatever their order */
    uint64_t variety;         /* a bit for what a changed cell has become: how many sorts there are */
    struct series series;
    uint64_t scaled[2 * SCALE_MAX + 1], sharp[2 * SCALE_MAX + 1]; /* by power of ten: with two digits, four */
    struct step steps[STEPS];
    struct place first, first_scaled;
};

/* A record of the new version whose neighbours below have not come yet. */
struct row_seen {
    uint32_t old; /* NOWHERE: it is new */
    uint32_t *cells;
};

/* A record that has no counterpart. */
struct row_alone {
    struct odp_slice *key; /* texts of its parts */
    uint32_t *cells;
    struct odp_diag *diag; /* of a new one: by part; field NULL: it has no place */
};

struct odp_drift_rows {
    const struct odp_resource *resource;
    struct odp_arena arena;
    struct row_column *columns;
    uint32_t ncolumns;
    uint32_t nparts, *part_old; /* of the key */
    bool *part_number;
    /* before */
    uint64_t *keys;
    uint32_t *cells, *slots; /* slots: number of the record + 1 */
    uint8_t *met;
    size_t n, room, nslots;
    bool cut; /* there were more */
    /* now */
    uint64_t rows, shared; /* records; those with a counterpart */
    struct series key_series;
    struct row_seen seen[STEPS / 2 + 1]; /* the last ones, by row modulo */
    struct odp_slice *texts;             /* of a record at hand, by field */
    struct row_alone *fresh, *gone;
    size_t nfresh, ngone;
    uint64_t more_fresh; /* beyond */
    struct groups *groups;
};

/* The hash of a cell, never 0, which is null. Of numbers the highest 8 bits are the power of ten, the others
 * the digits. */
uint32_t rows_hash(struct odp_slice text, bool number);
/* The record before with the key of TEXT, by the fields before (OLD) or now, or NOWHERE. *HASH 0: none. */
uint32_t rows_find(const struct odp_drift_rows *w, const struct odp_slice *text, bool old, uint64_t *hash);

/* The field of the version before that F was, under this name or an earlier one; -1: none. */
int rows_old(const struct odp_drift_columns *before, const struct odp_field *f);

/* The column of FIELD; NULL: it is in the key, or not compared. */
const struct row_column *rows_column(const struct odp_drift_rows *w, uint32_t field);

/* ---- groups.c: sums of measures by the values of a list ---- */

struct groups;
struct groups *groups_new(struct odp_drift_rows *w, const struct odp_drift_columns *before);
/* TEXT by field, before or NOW. */
void groups_add(struct odp_drift_rows *w, const struct odp_slice *text, bool now);
/* The measure that is field K: a group whose sum has jumped, as a finding. */
bool groups_compare(const struct pair *p, const struct odp_drift_rows *w, uint32_t k);

/* ---- cells.c ---- */

/* What is strange about the cells of field K, as one finding. */
bool cells_compare(const struct pair *p, const struct odp_drift_rows *w, uint32_t k);

/* ---- respelled.c ---- */

/* Keys in another spelling: the former one is proposed. */
enum odp_status respelled_report(const struct findings *f, const struct odp_drift_rows *w,
                                 struct odp_diags *diags) ODP_MUST_USE;
