/* Inside of write/summary: what its files share.
 *
 *   document.c  the document, within its size
 *   classes.c   classes of a map
 *   levels.c    after the last record: all records, places, and the places above them
 *   gather.c    records to sums (the pass) */
#pragma once

#include "base/map.h"
#include "write/charts/number.h"
#include "write/summary/summary.h"

enum {
    SUMMARY_MEASURES = 40,
    SUMMARY_ROWS = 50000,       /* places times times; beyond, places are left out, then times */
    SUMMARY_TIMES = 60,         /* the latest are told apart */
    SUMMARY_BYTES = 300 * 1000, /* of the document */
    SUMMARY_LEVELS = 2,
    SUMMARY_BREAKS = 4
};

/* Of some records: how many have the value, and its sum. */
struct cell {
    fixed sum;
    uint64_t n;
};

/* Texts by number, in order of arrival. */
struct texts {
    struct odp_map map;
    struct odp_slice *item;
};
/* The number of KEY, which is new then or known. */
uint32_t summary_text(struct odp_summary *s, struct texts *t, struct odp_slice key);

/* The records of one place (0: none) and one time (0: none; both else counted from 1). */
struct row {
    uint32_t place, time;
    struct cell *cells; /* by measure */
};

/* All records, or those of a place. */
struct block {
    struct odp_slice code;
    struct cell *total;  /* of a panel: at the last time */
    struct cell **times; /* NULL where there is no record */
};

/* The places of one list. */
struct level {
    const struct odp_resource *list; /* the edition */
    struct texts codes;
    struct block *places; /* by code */
};

struct odp_summary {
    const struct odp_resource *resource;
    const struct odp_measures *measures;
    const struct odp_foreign_key *place;   /* NULL: no places */
    const struct odp_foreign_key *through; /* to the records whose places they are; NULL: its own */
    const struct odp_row_places *rows_of;  /* theirs */
    struct odp_arena arena;
    bool no_places, no_times; /* too many rows */
    uint64_t records;
    unsigned places[SUMMARY_MEASURES]; /* most decimals of a value */
    bool too_large[SUMMARY_MEASURES];  /* a value that cannot be added: the measure says nothing */
    struct texts codes, stamps;        /* of places, of times */
    struct odp_map row_keys;
    struct row *rows; /* by their number in row_keys */
    /* finished (levels.c) */
    struct odp_slice *times; /* in order, the latest SUMMARY_TIMES */
    uint32_t ntimes, earlier;
    struct block all;
    struct level levels[SUMMARY_LEVELS];
    uint32_t nlevels;
};

static inline uint32_t summary_rows(const struct odp_summary *s)
{
    return s->row_keys.n;
}

static inline uint32_t level_places(const struct level *l)
{
    return l->codes.map.n;
}

/* The value of measure K as it is published: exact, a mean rounded half to even. False: none. */
bool summary_value(const struct odp_summary *s, uint32_t k, const struct cell *cells, fixed *out);
unsigned summary_decimals(const struct odp_summary *s, uint32_t k);
void summary_merge(const struct odp_summary *s, struct cell *into, const struct cell *from);
struct cell *summary_cells(struct odp_summary *s);

/* levels.c */
void summary_finish(struct odp_summary *s, const struct odp_code_lists *codes);

/* classes.c: breaks that part the values of measure K at LEVEL, rising; how many: 0 to SUMMARY_BREAKS. */
uint32_t summary_classes(struct odp_summary *s, uint32_t k, const struct level *level,
                         fixed breaks[SUMMARY_BREAKS]);
