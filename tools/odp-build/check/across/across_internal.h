/* Inside of check/across: what gathering leaves for the evaluation. */
#pragma once

#include "base/map.h"
#include "catalog/expr/expr.h"
#include "check/across/cross.h"

struct cross_place {
    uint64_t row, line, offset;
};

/* ---- table.c: aggregates by key ---- */

struct cross_group; /* one key: its values by select, and what is kept beside them */

struct cross_table {
    const struct odp_cross_side *side;
    bool keeps_place, keeps_geometry;
    struct odp_arena arena;
    uint32_t *offsets; /* in a group: of its values, by select */
    uint32_t size;     /* of all of them */
    struct odp_map keys;
    struct cross_group **groups; /* by number of the key: in order of arrival */
    size_t cap;
    struct odp_map distinct; /* of COUNT(DISTINCT): group, select and value */
    struct odp_buffer buffer;
};

/* Appends the key of the values TEXT of KEY's fields (of S) to OUT: equal values have equal bytes. False, and
 * nothing is appended: one of them is null. */
bool cross_key_add(struct odp_buffer *out, const struct odp_schema *s, const struct odp_key *key,
                   const struct odp_slice *text);

enum odp_status cross_table_init(struct cross_table *t, const struct odp_cross_side *side, bool keeps_place,
                                 bool keeps_geometry) ODP_MUST_USE;
void cross_table_release(struct cross_table *t);
void cross_table_clear(struct cross_table *t);
/* Record I of B counts in the group of KEY. */
enum odp_status cross_table_take(struct cross_table *t, struct odp_slice key, const struct odp_batch *b,
                                 uint32_t i) ODP_MUST_USE;
const struct cross_group *cross_table_find(const struct cross_table *t, struct odp_slice key); /* or NULL */
/* Select K of G (NULL: no record matched) as canonical text in A; ptr NULL: null. */
struct odp_slice cross_table_value(const struct cross_table *t, const struct cross_group *g, size_t k,
                                   struct odp_arena *a);
const struct odp_geom *cross_group_geometry(const struct cross_group *g); /* NULL: none, or no group */
struct cross_place cross_group_place(const struct cross_group *g);
const struct odp_slice *cross_group_shown(const struct cross_group *g); /* the key's values as they stood */
#define CROSS_LINES 8                                                   /* that a group remembers */
const uint64_t *cross_group_lines(const struct cross_group *g, uint64_t *records);

/* ---- rows.c: rows of a rule's own table as bytes, which wait in memory and then in a file ---- */

struct cross_block {
    uint64_t at;
    size_t len;
    uint32_t rows;
};

struct cross_spool {
    struct odp_buffer memory; /* the tail, from SPILLED on */
    uint64_t spilled;
    int fd; /* -1: no file yet */
};

void cross_spool_init(struct cross_spool *s);
void cross_spool_release(struct cross_spool *s);
enum odp_status cross_spool_add(struct cross_spool *s, struct odp_slice bytes, uint64_t *at) ODP_MUST_USE;
/* LEN bytes at AT into ROOM. Any thread, once nothing is added any more. */
enum odp_status cross_spool_read(const struct cross_spool *s, uint64_t at, size_t len,
                                 char *room) ODP_MUST_USE;

/* Which fields of a table are kept row by row. */
struct cross_kept {
    uint32_t *fields; /* by schema index: what the rule uses, then what else names the record */
    uint32_t used, n;
    bool geometry;
};

struct cross_row {
    struct cross_place place;
    struct odp_slice *text; /* by kept field; room is the caller's */
    const struct odp_geom *geometry;
};

void cross_row_add(struct odp_buffer *out, const struct cross_kept *kept, const struct odp_batch *b,
                   uint32_t i);
/* The row at the front of *BYTES, which moves on; texts point into it, the geometry is in A. */
void cross_row_read(struct odp_slice *bytes, const struct cross_kept *kept, struct odp_arena *a,
                    struct cross_row *out);
struct odp_geom *cross_geometry_copy(struct odp_arena *a, const struct odp_geom *g) ODP_MUST_USE;

/* ---- cross.c: the state of a run ---- */

/* One table of one rule while it is gathered. */
struct cross_gather {
    const struct odp_cross_side *side;
    const struct odp_expr *where; /* or NULL */
    bool by_key;                  /* TABLE, else rows */
    struct cross_table table;
    struct cross_kept kept;
    struct cross_block *blocks;
    size_t nblocks, blocks_cap;
    const char *file;  /* NULL: it has not begun */
    const char *sheet; /* of a workbook, or NULL */
};

struct cross_rule {
    const struct odp_cross_rule *rule;
    const struct odp_expr *expr;
    const char **others;          /* names of the joined geometries, for odp_expr_pairs */
    uint32_t *other_join;         /* the join that each of them belongs to */
    struct cross_gather *gathers; /* the rule's own table, then its joins; NULL: not active */
};

/* What a batch of one gather becomes on its way from batch to merge. */
struct cross_part {
    struct odp_slice *keys; /* by record; ptr NULL: it does not count */
    struct odp_buffer rows; /* rows, or the bytes of the keys */
    uint32_t nrows;
};

struct odp_cross {
    struct odp_arena arena;
    const struct odp_catalog *catalog;
    struct cross_rule *rules;      /* by the catalogue's */
    struct cross_gather **gathers; /* all, of active rules */
    size_t ngathers;
    struct cross_spool spool;
    struct cross_part *parts;  /* slot * ngathers + gather */
    struct odp_arena *scratch; /* by slot */
    size_t nslots;
};

/* ---- show.c: what a report of a broken rule says ---- */

/* "pagu = 1200, proyek.nilai = 1150" of the scope's values TEXT, with KEY's fields first; of a group also the
 * lines of its records: "program = 07.02 [2, 4]: pagu = 1200". Values that are not public become "***". */
void cross_show(struct odp_buffer *out, const struct cross_rule *r, const struct odp_slice *text,
                const struct cross_group *group, const uint32_t *key, uint32_t nkey);
